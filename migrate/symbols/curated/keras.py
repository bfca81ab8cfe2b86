"""tf.keras: TF 1.15's Keras against Keras 3. What stands here differs; the rest is by ``rule``."""

from __future__ import annotations

from migrate.symbols.curated.decisions import ALWAYS, Args, Change, Decision, Equal, Lost

# 1.15's layers take these through **kwargs, Keras 3's do not
_LAYER_KEYWORDS: dict[str, tuple[str, str | None]] = {
    "batch_input_shape": ("a keras.Input in front of the layer says it", None),
    "dynamic": ("Keras 3 has no dynamic layers", "False"),
    "weights": ("set_weights() after the layer is built", None),
}
_RNG = "the same distribution, but never the same values for a seed"
_GATES = (
    "recurrent_activation defaults to sigmoid where 1.15 had hard_sigmoid, and hard_sigmoid itself "
    "is another function"
)
_MODEL = (
    "fit_generator, evaluate_generator and predict_generator are fit, evaluate and predict; "
    "metrics=['accuracy'] is logged as accuracy, not acc; does not work with v2 behaviour disabled"
)
_OPTIMIZER = (
    "lr is learning_rate, decay is a schedule; no minimize, get_updates or get_gradients; repeated "
    "ids of a sparse gradient are not summed first"
)
_MONITOR = "metrics=['accuracy'] is monitored as accuracy and val_accuracy, not acc and val_acc"
_COSINE = "is the negative of 1.15's"
_SESSION = "there is no session"
_PHASE = "pass training= to the call"
_FEED = "Keras 3 has no graph functions"
_SAVED = "saves in Keras 3's formats (.keras); 1.15's SavedModels and whole-model HDF5 need care"
_QUEUE = "pass a keras.utils.PyDataset to fit"


def _initializer(*more: str) -> Args:
    gone = dict.fromkeys(more, ("never mattered", ALWAYS))
    return Args(removed={"dtype": ("given when called", "tf.float32"), **gone})


DECISIONS: dict[str, Decision] = {
    "keras.Input": Change("tensor= must be Keras's own; another positional order"),
    "keras.Model": Change(_MODEL),
    "keras.Sequential": Change(_MODEL),
    "keras.activations.deserialize": Args(renamed={"name": "config"}),
    "keras.activations.hard_sigmoid": Change("is relu6(x + 3) / 6; was clip(0.2 x + 0.5, 0, 1)"),
    "keras.activations.relu": Args(renamed={"alpha": "negative_slope"}),
    "keras.callbacks.EarlyStopping": Change(_MONITOR),
    "keras.callbacks.ModelCheckpoint": Change(
        _MONITOR + "; period is save_freq; the path must end in .keras or .weights.h5"
    ),
    "keras.callbacks.ProgbarLogger": Change("takes no arguments"),
    "keras.callbacks.ReduceLROnPlateau": Change(_MONITOR),
    "keras.callbacks.TensorBoard": Change(
        "batch_size, write_grads and the embeddings' layer names and data are gone"
    ),
    **{
        "keras.initializers." + name: Change(_RNG)
        for name in (
            "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling", "Orthogonal",
            "random_normal", "random_uniform", "truncated_normal", "glorot_normal",
            "glorot_uniform", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform",
            "orthogonal",
        )
    },
    "keras.initializers.normal": Change(_RNG, "keras.initializers.RandomNormal"),
    "keras.initializers.uniform": Change(_RNG, "keras.initializers.RandomUniform"),
    "keras.initializers.Zeros": _initializer(),
    "keras.initializers.Ones": _initializer(),
    "keras.initializers.Identity": _initializer(),
    "keras.initializers.Constant": _initializer("verify_shape"),
    "keras.layers.AlphaDropout": Change(_RNG),
    "keras.layers.BatchNormalization": Change(
        "keeps the biased variance; 1.15's fused layer kept the unbiased one. fused, renorm, "
        "virtual_batch_size and adjustment are gone"
    ),
    "keras.layers.ConvLSTM2D": Change(_GATES),
    "keras.layers.Dropout": Change(_RNG),
    "keras.layers.GRU": Change(_GATES + "; reset_after defaults to True"),
    "keras.layers.GRUCell": Change(_GATES + "; reset_after defaults to True"),
    "keras.layers.GaussianDropout": Change(_RNG),
    "keras.layers.GaussianNoise": Change(_RNG),
    "keras.layers.LSTM": Change(_GATES),
    "keras.layers.LSTMCell": Change(_GATES),
    "keras.layers.Layer": Change(
        "for subclasses: add_weight takes shape first, no add_update or add_variable(name, shape), "
        "no get_input_at and the like; what is created in __init__ is tracked otherwise"
    ),
    "keras.layers.LeakyReLU": Args(
        renamed={"alpha": "negative_slope"}, removed=_LAYER_KEYWORDS
    ),
    "keras.layers.SpatialDropout1D": Change(_RNG),
    "keras.layers.SpatialDropout2D": Change(_RNG),
    "keras.layers.SpatialDropout3D": Change(_RNG),
    "keras.layers.Wrapper": Change("for subclasses, see keras.layers.Layer"),
    "keras.layers.deserialize": Change(_SAVED),
    "keras.layers.serialize": Change(_SAVED),
    "keras.losses.CosineSimilarity": Change(_COSINE),
    "keras.losses.cosine_similarity": Change(_COSINE),
    "keras.metrics.binary_accuracy": Change("elementwise; was averaged over the last axis"),
    "keras.metrics.Metric": Change("for subclasses: no Layer any more; add_variable(shape, ...)"),
    "keras.models.clone_model": Equal(),
    "keras.models.load_model": Change(_SAVED),
    "keras.models.model_from_json": Change(_SAVED),
    "keras.models.save_model": Change(_SAVED),
    **{
        "keras.optimizers." + name: Change(_OPTIMIZER)
        for name in ("Adadelta", "Adagrad", "Adamax", "Ftrl", "Nadam", "Optimizer")
    },
    "keras.optimizers.Adam": Change(_OPTIMIZER + "; epsilon 1e-7 as before"),
    "keras.optimizers.RMSprop": Change(_OPTIMIZER),
    "keras.optimizers.SGD": Change(
        _OPTIMIZER + "; momentum keeps the learning rate inside its slot"
    ),
    "keras.preprocessing.image.load_img": Args(
        removed={"grayscale": ("color_mode='grayscale' says it", "False")}
    ),
    "keras.preprocessing.image.ImageDataGenerator": Args(),
    "keras.preprocessing.text.one_hot": Args(renamed={"text": "input_text"}),
    "keras.preprocessing.text.text_to_word_sequence": Args(renamed={"text": "input_text"}),
    "keras.regularizers.l1": Args(renamed={"l": "l1"}),
    "keras.regularizers.l2": Args(renamed={"l": "l2"}),
    "keras.utils.deserialize_keras_object": Change(_SAVED),
    "keras.utils.serialize_keras_object": Change(_SAVED),
    "keras.utils.get_source_inputs": Change("takes the tensor alone"),
    "keras.utils.to_categorical": Change("y is x; gives float64 where 1.15 gave float32 (dtype=)"),
    # gone
    "keras.backend.function": Lost(_FEED, "tf.function, or keras.Model(inputs, outputs)"),
    "keras.backend.get_session": Lost(_SESSION, "tf.compat.v1.Session in a graph"),
    "keras.backend.in_test_phase": Lost("there is no learning phase", _PHASE),
    "keras.backend.in_train_phase": Lost("there is no learning phase", _PHASE),
    "keras.backend.learning_phase": Lost("there is no learning phase", _PHASE),
    "keras.backend.learning_phase_scope": Lost("there is no learning phase", _PHASE),
    "keras.backend.local_conv1d": Lost("locally connected layers were removed"),
    "keras.backend.local_conv2d": Lost("locally connected layers were removed"),
    "keras.backend.manual_variable_initialization": Lost(_SESSION),
    "keras.backend.normalize_batch_in_training": Lost("removed", "tf.nn.batch_normalization"),
    "keras.backend.placeholder": Lost(_FEED, "keras.Input, or tf.compat.v1.placeholder"),
    "keras.backend.print_tensor": Lost("removed", "tf.print"),
    "keras.backend.random_binomial": Lost("removed", "tf.random.uniform(shape) <= p, cast"),
    "keras.backend.reset_uids": Lost("removed", "keras.backend.clear_session()"),
    "keras.backend.set_learning_phase": Lost("there is no learning phase", _PHASE),
    "keras.backend.set_session": Lost(_SESSION),
    "keras.callbacks.BaseLogger": Lost("removed; fit averages by itself"),
    "keras.constraints.RadialConstraint": Lost("removed"),
    "keras.experimental": Lost("removed with Keras 2"),
    "keras.experimental.CosineDecay": Equal("keras.optimizers.schedules.CosineDecay"),
    "keras.experimental.CosineDecayRestarts": Equal(
        "keras.optimizers.schedules.CosineDecayRestarts"
    ),
    "keras.experimental.LinearCosineDecay": Lost("removed", "a LearningRateSchedule subclass"),
    "keras.experimental.NoisyLinearCosineDecay": Lost("removed", "a LearningRateSchedule subclass"),
    "keras.experimental.LinearModel": Lost("removed with Keras 2"),
    "keras.experimental.WideDeepModel": Lost("removed with Keras 2"),
    "keras.experimental.PeepholeLSTMCell": Lost("removed with Keras 2"),
    "keras.experimental.SequenceFeatures": Lost("removed with Keras 2"),
    "keras.experimental.export_saved_model": Lost("removed", "Model.export or tf.saved_model.save"),
    "keras.experimental.load_from_saved_model": Lost("removed", "keras.layers.TFSMLayer"),
    "keras.experimental.terminate_keras_multiprocessing_pools": Lost("removed"),
    "keras.layers.AbstractRNNCell": Lost(
        "removed", "a Layer with state_size and call(inputs, states)"
    ),
    "keras.layers.CuDNNGRU": Lost("removed", "keras.layers.GRU(reset_after=True)"),
    "keras.layers.CuDNNLSTM": Lost("removed", "keras.layers.LSTM(recurrent_activation='sigmoid')"),
    "keras.layers.DenseFeatures": Lost("removed", "keras.utils.FeatureSpace"),
    "keras.layers.LocallyConnected1D": Lost("removed"),
    "keras.layers.LocallyConnected2D": Lost("removed"),
    "keras.layers.ThresholdedReLU": Lost("removed", "keras.layers.ReLU(threshold=theta)"),
    "keras.metrics.MeanRelativeError": Lost("removed"),
    "keras.metrics.MeanTensor": Lost("removed"),
    "keras.mixed_precision.experimental": Lost("moved to keras.mixed_precision"),
    "keras.mixed_precision.experimental.LossScaleOptimizer": Change(
        "dynamic loss scaling only", "keras.mixed_precision.LossScaleOptimizer"
    ),
    "keras.mixed_precision.experimental.Policy": Change(
        "names are mixed_float16 and the like; no loss_scale", "keras.mixed_precision.Policy"
    ),
    "keras.mixed_precision.experimental.global_policy": Equal(
        "keras.mixed_precision.global_policy"
    ),
    "keras.mixed_precision.experimental.set_policy": Change(
        "names are mixed_float16 and the like", "keras.mixed_precision.set_global_policy"
    ),
    "keras.models.model_from_config": Lost("removed", "Model.from_config"),
    "keras.models.model_from_yaml": Lost("removed: YAML was unsafe", "model_from_json"),
    "keras.utils.GeneratorEnqueuer": Lost("removed", _QUEUE),
    "keras.utils.HDF5Matrix": Lost("removed", "h5py and a keras.utils.PyDataset"),
    "keras.utils.OrderedEnqueuer": Lost("removed", _QUEUE),
    "keras.utils.SequenceEnqueuer": Lost("removed", _QUEUE),
    "keras.utils.convert_all_kernels_in_model": Lost("removed; it was for Theano"),
    "keras.utils.multi_gpu_model": Lost("removed", "tf.distribute.MirroredStrategy"),
    "keras.wrappers.scikit_learn": Lost("removed", "keras.wrappers.SKLearnClassifier, or scikeras"),
    "keras.wrappers.scikit_learn.KerasClassifier": Lost(
        "removed", "keras.wrappers.SKLearnClassifier, or scikeras"
    ),
    "keras.wrappers.scikit_learn.KerasRegressor": Lost(
        "removed", "keras.wrappers.SKLearnRegressor, or scikeras"
    ),
}  # fmt: skip


def rule(name: str, kind: str) -> Decision | None:
    """Of what is in 2.21 too and not listed above.

    Layers, losses, metrics, constraints, schedules and pure functions compute what they did: 240
    of them were run on both, with the same weights and inputs, and differ by rounding. Their
    constructors are compared by the dumps. Methods that Keras 3 lost (Layer.get_output_at and the
    like) are not a reason against them.
    """
    parts = name.split(".")
    if kind == "module" or len(parts) < 3:
        return None
    space = parts[1]
    if space == "applications":
        if kind == "function" and parts[-1][0].isupper():
            return Change("gives a Keras 3 model: the same architecture and weights. " + _MODEL)
        return Equal(constructor=False)
    if space == "layers" and kind == "class" and parts[-1] != "InputSpec":
        return Args(removed=_LAYER_KEYWORDS, same_defaults=("data_format", "name"))
    if space == "losses" and kind == "class":
        return Args(removed={}, same_defaults=("reduction", "name"))
    if space == "metrics" and kind == "class":
        return Args(same_defaults=("name",), ignored=("kwargs",))
    if space == "optimizers" and "schedules" in parts:
        return Args(same_defaults=("name",))
    if space in ("datasets", "utils", "preprocessing", "callbacks", "backend"):
        return Args(ignored=("args", "kwargs"))
    return Equal()
