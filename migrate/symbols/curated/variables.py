"""Variables, initializers, training, summaries, SavedModel and tests."""

from __future__ import annotations

from migrate.symbols.curated.decisions import V1, Args, Change, Decision, Equal, Lost

_INIT = "takes its dtype when called, not when made"
_KERAS = "Keras 3's initializer: the same distribution, never the same values; no dtype argument"
_SUMMARY = "writes to the default summary writer at a step; 1.15's was an op of the graph"

DECISIONS: dict[str, Decision] = {
    "Variable": Change(
        "a resource variable: initialised when made, in no collection, no collections, "
        "expected_shape or use_resource argument; another positional order; == is elementwise"
    ),
    "VariableAggregation": Equal(constructor=False),
    "variable_creator_scope": Change("creators are called without collections and use_resource"),
    "constant_initializer": Change(_INIT + "; verify_shape is gone"),
    "ones_initializer": Change(_INIT),
    "zeros_initializer": Change(_INIT),
    "random_normal_initializer": Change(
        _INIT + "; stddev defaults to 0.05, not 1.0; other values for a seed"
    ),
    "random_uniform_initializer": Change(
        _INIT + "; the range defaults to [-0.05, 0.05], not [0, 1); other values for a seed"
    ),
    "initializers": Change("Keras 3's initializers; 1.15's are in tf.compat.v1.initializers"),
    **{
        "initializers." + name: Change(_KERAS)
        for name in (
            "constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity",
            "lecun_normal", "lecun_uniform", "ones", "orthogonal", "random_normal",
            "random_uniform", "truncated_normal", "variance_scaling", "zeros",
        )
    },
    "losses": Change("Keras 3's losses; 1.15's are in tf.compat.v1.losses"),
    "losses.Reduction": V1("1.15's reductions differ from Keras 3's where weights are not 1"),
    "metrics": Change("Keras 3's metrics; 1.15's are in tf.compat.v1.metrics"),
    "lite.TFLiteConverter": Change(
        "made by from_keras_model, from_saved_model or from_concrete_functions"
    ),
    "lite.experimental.get_potentially_supported_ops": Lost("removed"),
    "lite.experimental.nn": Lost("removed", "the converter takes Keras RNN layers"),
    "lite.experimental.nn.TFLiteLSTMCell": Lost("removed", "tf.keras.layers.LSTM"),
    "lite.experimental.nn.TfLiteRNNCell": Lost("removed", "tf.keras.layers.SimpleRNN"),
    "lite.experimental.nn.dynamic_rnn": Lost("removed", "tf.keras.layers.RNN"),
    "saved_model.contains_saved_model": Equal(),
    "saved_model.load": V1("loads into a session; tf.saved_model.load gives an object"),
    "summary.audio": Change(_SUMMARY),
    "summary.histogram": Change(_SUMMARY),
    "summary.image": Change(_SUMMARY),
    "summary.scalar": Change(_SUMMARY),
    "summary.text": Change(_SUMMARY),
    "summary": Change(
        "tf.summary writes eagerly through writers; 1.15's ops are in tf.compat.v1.summary"
    ),
    "test.assert_equal_graph_def": Args(
        removed={
            "checkpoint_v2": ("never mattered to the comparison of today", None),
            "hash_table_shared_name": ("never mattered to the comparison of today", None),
        }
    ),
    "test.compute_gradient": V1("takes tensors of a graph; tf.test.compute_gradient a function"),
    "tpu.experimental.AdagradParameters": Lost(
        "removed", "tf.tpu.experimental.embedding.Adagrad"
    ),
    "tpu.experimental.AdamParameters": Lost("removed", "tf.tpu.experimental.embedding.Adam"),
    "tpu.experimental.StochasticGradientDescentParameters": Lost(
        "removed", "tf.tpu.experimental.embedding.SGD"
    ),
    "train.Checkpoint": Change("save and restore take no session, and restore at once"),
    "enable_eager_execution": V1("eager is what TF 2 does: the call can go"),
    "enable_v2_behavior": V1("is what TF 2 does: the call can go"),
    "enable_resource_variables": V1("is what TF 2 does: the call can go"),
    "set_random_seed": Change(
        "with a graph seed alone every op draws another stream than in 1.15; with an op seed too "
        "the values are 1.15's",
        "random.set_seed",
    ),
}  # fmt: skip
