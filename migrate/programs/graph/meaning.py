"""What endpoints mean for the time at which things happen."""

from __future__ import annotations

T = "tensorflow."


def _names(prefix: str, words: str) -> frozenset[str]:
    return frozenset(T + prefix + word for word in words.split())


PLACEHOLDERS = _names("", "placeholder placeholder_with_default")
VARIABLES = _names("", "Variable get_variable")
INITIALIZERS = _names(
    "",
    "global_variables_initializer initialize_all_variables local_variables_initializer"
    " initialize_local_variables variables_initializer initialize_variables"
    " initializers.global_variables initializers.local_variables initializers.variables",
)
TABLES = _names("", "tables_initializer initialize_all_tables initializers.tables_initializer")
SESSIONS = _names("", "Session InteractiveSession")
SCOPES = _names("", "name_scope variable_scope op_scope variable_op_scope colocate_with")
# What only a graph or a session is told; TF 2 has no use for it.
SETTINGS = _names(
    "",
    "reset_default_graph ConfigProto GPUOptions GraphOptions OptimizerOptions RunOptions"
    " RunMetadata disable_v2_behavior disable_eager_execution",
)
WRITERS = (T + "summary.FileWriter", T + "train.SummaryWriter")
OPTIMIZERS = _names(
    "train.",
    "GradientDescentOptimizer MomentumOptimizer AdamOptimizer AdagradOptimizer AdadeltaOptimizer"
    " RMSPropOptimizer FtrlOptimizer ProximalGradientDescentOptimizer ProximalAdagradOptimizer",
)
SCHEDULES = _names(
    "train.",
    "exponential_decay natural_exp_decay inverse_time_decay polynomial_decay piecewise_constant"
    " piecewise_constant_decay cosine_decay cosine_decay_restarts",
)
# Values with methods that build tensors.
OBJECTS = _names("", "TensorArray")
ARRAY_METHODS = frozenset(
    (
        "unstack",
        "read",
        "write",
        "stack",
        "concat",
        "scatter",
        "gather",
        "size",
        "identity",
        "split",
        "to_dense",  # of a linear operator
    )
)
LAYERS = _names(
    "layers.",
    "dense conv1d conv2d conv3d conv2d_transpose conv3d_transpose separable_conv1d"
    " separable_conv2d batch_normalization max_pooling1d max_pooling2d max_pooling3d"
    " average_pooling1d average_pooling2d average_pooling3d flatten",
)
CELLS = _names(
    "",
    " ".join(
        f"{root}.{cell}"
        for root in ("nn.rnn_cell", "contrib.rnn")
        for cell in (
            *("BasicRNNCell", "BasicLSTMCell", "LSTMCell", "GRUCell", "MultiRNNCell"),
            *("DropoutWrapper", "ResidualWrapper", "NASCell", "LayerNormBasicLSTMCell"),
            *("LSTMBlockCell", "GRUBlockCellV2"),
        )
    )
    + " nn.rnn_cell.DeviceWrapper contrib.rnn.DeviceWrapper"
    " contrib.cudnn_rnn.CudnnCompatibleLSTMCell contrib.cudnn_rnn.CudnnCompatibleGRUCell"
    " contrib.rnn.CoupledInputForgetGateLSTMCell contrib.rnn.IndRNNCell contrib.rnn.IndyGRUCell"
    " contrib.rnn.IndyLSTMCell contrib.rnn.SRUCell contrib.rnn.IntersectionRNNCell"
    " contrib.rnn.GLSTMCell contrib.rnn.ConvLSTMCell"
    " contrib.rnn.Conv1DLSTMCell contrib.rnn.Conv2DLSTMCell contrib.rnn.Conv3DLSTMCell"
    " contrib.rnn.HighwayWrapper contrib.rnn.EmbeddingWrapper"
    " contrib.rnn.UGRNNCell contrib.rnn.InputProjectionWrapper"
    " contrib.rnn.OutputProjectionWrapper contrib.rnn.AttentionCellWrapper"
    " layers.Dense layers.Conv1D layers.Conv2D layers.Conv3D layers.Conv2DTranspose"
    " layers.Conv3DTranspose layers.SeparableConv1D layers.SeparableConv2D"
    " contrib.seq2seq.AttentionWrapper contrib.seq2seq.BahdanauAttention"
    " contrib.seq2seq.LuongAttention",
)
# Of tf.contrib.layers, and of slim, which takes them from there.
CONTRIB_POOLS = ("max_pool2d", "avg_pool2d", "max_pool3d", "avg_pool3d")
CONTRIB_LAYERS = _names(
    "contrib.layers.",
    "fully_connected linear relu relu6 conv1d conv2d conv3d conv2d_transpose conv3d_transpose"
    " separable_conv2d max_pool2d avg_pool2d max_pool3d avg_pool3d flatten batch_norm layer_norm"
    " instance_norm group_norm embed_sequence dropout softmax one_hot_encoding maxout unit_norm"
    " repeat stack xavier_initializer xavier_initializer_conv2d"
    " variance_scaling_initializer l1_regularizer l2_regularizer l1_l2_regularizer",
)
ALIASES = {
    T + "contrib.layers." + long: T + "contrib.layers." + short
    for long, short in (
        ("convolution1d", "conv1d"),
        ("convolution2d", "conv2d"),
        ("convolution3d", "conv3d"),
        ("convolution2d_transpose", "conv2d_transpose"),
        ("convolution3d_transpose", "conv3d_transpose"),
        ("separable_convolution2d", "separable_conv2d"),
    )
} | {
    T + "contrib.slim.arg_scope": T + "contrib.framework.arg_scope",
}
# Modules of Estimators: where their public names stand in `tf.estimator`. 1.15.5 has one object.
ESTIMATORS = {
    f"{root}.python.estimator.{module}.{name}": f"{T}estimator.{place}{name}"
    for root in ("tensorflow", "tensorflow_estimator")
    for module, place, names in (
        ("estimator", "", "Estimator"),
        ("run_config", "", "RunConfig"),
        ("model_fn", "", "EstimatorSpec"),
        ("training", "", "TrainSpec EvalSpec train_and_evaluate"),
        ("exporter", "", "FinalExporter LatestExporter BestExporter"),
        ("inputs.numpy_io", "inputs.", "numpy_input_fn"),
        ("inputs.pandas_io", "inputs.", "pandas_input_fn"),
        ("inputs.inputs", "inputs.", "numpy_input_fn pandas_input_fn"),
        ("export.export", "export.", "ServingInputReceiver TensorServingInputReceiver"),
        ("export.export", "export.", "build_raw_serving_input_receiver_fn"),
        ("export.export", "export.", "build_parsing_serving_input_receiver_fn"),
        ("export.export_output", "export.", "PredictOutput"),
        ("canned.dnn", "", "DNNClassifier DNNRegressor"),
        ("canned.linear", "", "LinearClassifier LinearRegressor"),
        ("canned.dnn_linear_combined", "", "DNNLinearCombinedClassifier"),
        ("canned.dnn_linear_combined", "", "DNNLinearCombinedRegressor"),
    )
    for name in names.split()
}
ALIASES |= ESTIMATORS
ALIASES[T + "estimator.add_metrics"] = T + "contrib.estimator.add_metrics"
# Those of them that make variables.
MAKING = LAYERS | {
    name
    for name in CONTRIB_LAYERS
    if not name.endswith(("initializer", "initializer_conv2d", "regularizer", ".dropout"))
    and not name.endswith((".softmax", ".one_hot_encoding", "pool2d", "pool3d", ".flatten"))
    and not name.endswith((".maxout", ".unit_norm"))
}
GLOBAL_STEPS = _names(
    "train.", "get_or_create_global_step create_global_step get_global_step"
) | _names(
    "contrib.framework.",
    "get_or_create_global_step create_global_step get_global_step",
)
# Descriptions of initial values, Python's until a variable is made.
VALUE_INITIALIZERS = _names(
    "",
    "constant_initializer zeros_initializer ones_initializer random_normal_initializer"
    " orthogonal_initializer initializers.orthogonal"
    " truncated_normal_initializer random_uniform_initializer variance_scaling_initializer"
    " glorot_uniform_initializer glorot_normal_initializer contrib.layers.xavier_initializer"
    " contrib.layers.xavier_initializer_conv2d contrib.layers.variance_scaling_initializer"
    " initializers.he_normal initializers.he_uniform"
    " initializers.lecun_normal initializers.lecun_uniform initializers.truncated_normal"
    " initializers.random_normal initializers.random_uniform initializers.constant"
    " initializers.zeros initializers.ones initializers.glorot_uniform initializers.glorot_normal"
    " initializers.variance_scaling",
) | _names(
    "keras.initializers.",
    "Constant constant Zeros zeros Ones ones Orthogonal orthogonal VarianceScaling"
    " TruncatedNormal truncated_normal RandomNormal random_normal normal"
    " RandomUniform random_uniform uniform"
    " glorot_uniform glorot_normal he_normal he_uniform lecun_normal lecun_uniform",
)
ASSIGNS = _names(
    "",
    "assign assign_add assign_sub scatter_update scatter_add scatter_sub scatter_mul scatter_div"
    " scatter_min scatter_max scatter_nd_update scatter_nd_add scatter_nd_sub count_up_to",
)
# Another value in every run, or something done in every run.
STATEFUL = _names(
    "",
    "random_uniform random_normal truncated_normal random_shuffle random_crop multinomial"
    " random_gamma random_poisson random.uniform random.normal random.truncated_normal"
    " random.shuffle random.multinomial random.categorical random.gamma random.poisson"
    " nn.dropout py_func numpy_function Print print Assert nn.nce_loss nn.sampled_softmax_loss"
    " nn.fixed_unigram_candidate_sampler nn.log_uniform_candidate_sampler"
    " nn.uniform_candidate_sampler nn.learned_unigram_candidate_sampler"
    " image.random_flip_left_right"
    " image.random_flip_up_down image.random_brightness image.random_contrast image.random_hue"
    " image.random_saturation image.random_crop random.stateless_uniform"
    " assert_equal assert_less assert_greater debugging.assert_equal check_numerics",
)
# Modules and root functions whose calls give Python values or have no part in a graph.
HOST_MODULES = tuple(
    T + word
    for word in (
        "gfile.",
        "logging.",
        "app.",
        "flags.",
        "compat.",
        "python_io.",
        "sysconfig.",
        "errors.",
        "io.gfile.",
        "core.framework.",
        "examples.",
        "contrib.learn.datasets.",
        "keras.datasets.",
        "keras.preprocessing.sequence.",
        "keras.preprocessing.text.",
        "contrib.keras.preprocessing.sequence.pad_sequences",
        "test.is_",
        "test.gpu_device_name",
        "train.Feature",
        "train.Example",
        "train.SequenceExample",
        "train.Int64List",
        "train.BytesList",
        "train.FloatList",
        "train.latest_checkpoint",
        "train.get_checkpoint_state",
        "python.client.device_lib.",  # it has no public name, and is in TF 2.21 as it was
    )
)
HOST_NAMES = _names(
    "",
    "set_random_seed TensorShape SparseTensorValue Dimension DType as_dtype random.set_random_seed"
    " test.main test.TestCase gfile app flags logging train.Coordinator"
    " io.TFRecordWriter io.TFRecordOptions",
)
OP_MODULES = tuple(
    T + word + "."
    for word in (
        *("nn", "math", "linalg", "image", "strings", "sparse", "random", "signal", "spectral"),
        *(
            "bitwise",
            "debugging",
            "sets",
            "io",
            "quantization",
            "manip",
            "dtypes",
            "audio",
            "losses",
        ),
    )
)
# In those modules, and yet more than an op: they make variables, or TF 2's is something else.
NOT_OPS = _names(
    "",
    "nn.dynamic_rnn nn.static_rnn nn.bidirectional_dynamic_rnn nn.raw_rnn"
    " nn.static_bidirectional_rnn nn.static_state_saving_rnn get_collection get_collection_ref"
    " add_to_collection add_to_collections global_variables all_variables trainable_variables"
    " local_variables model_variables moving_average_variables get_default_graph"
    " get_default_session make_template import_graph_def get_variable_scope control_dependencies"
    " group tuple no_op gradients hessians container init_scope get_session_handle"
    " get_session_tensor delete_session_tensor get_local_variable"
    " report_uninitialized_variables is_variable_initialized assert_variables_initialized"
    " load_op_library load_library load_file_system_library enable_eager_execution"
    " executing_eagerly register_tensor_conversion_function sparse_placeholder"
    " create_partitioned_variables fixed_size_partitioner variable_axis_size_partitioner"
    " min_max_variable_partitioner add_check_numerics_ops wrap_function function custom_gradient"
    " RegisterGradient NotDifferentiable NoGradient recompute_grad disable_v2_behavior"
    " losses.get_losses losses.get_total_loss losses.add_loss losses.get_regularization_loss"
    " losses.get_regularization_losses TensorArray"
    " conditional_accumulator device graph_util import_graph_def",
)
# Ops that give several tensors.
SEVERAL = _names(
    "",
    "split unstack unique unique_with_counts meshgrid nn.moments nn.weighted_moments nn.top_k"
    " dynamic_partition clip_by_global_norm linalg.svd svd linalg.eigh self_adjoint_eig qr"
    " linalg.qr nn.fused_batch_norm setdiff1d nn.ctc_beam_search_decoder"
    " nn.ctc_greedy_decoder io.decode_csv decode_csv parse_example parse_single_example"
    " io.parse_example io.parse_single_example parse_single_sequence_example"
    " io.parse_single_sequence_example while_loop scan map_fn cond case unstack"
    " image.image_gradients image.sample_distorted_bounding_box image.non_max_suppression_padded"
    " linalg.slogdet linalg.lu nn.sufficient_statistics nn.normalize_moments",
)
# Descriptions that stay Python's, whatever is made of them.
DESCRIPTIONS = _names(
    "",
    "uniform_unit_scaling_initializer"
    " contrib.layers.l2_regularizer"
    " contrib.layers.l1_regularizer contrib.layers.l1_l2_regularizer FixedLenFeature VarLenFeature"
    " FixedLenSequenceFeature",
)


def canonical(endpoint: str) -> str:
    """An endpoint without ``compat.v1`` in it."""
    for long in ("tensorflow.compat.v1.", "tensorflow_core."):
        if endpoint.startswith(long):
            endpoint = T + endpoint[len(long) :]
    slim = T + "contrib.slim."
    if endpoint.startswith(slim + "metrics."):
        return T + "contrib." + endpoint.removeprefix(slim)
    if endpoint.startswith(slim):
        layer = T + "contrib.layers." + endpoint.removeprefix(slim).removeprefix("layers.")
        layer = ALIASES.get(layer, layer)
        if layer in CONTRIB_LAYERS:
            return layer
    return ALIASES.get(endpoint, endpoint)


def is_host(endpoint: str) -> bool:
    """Whether a call gives a Python value or only describes something."""
    return (
        endpoint in HOST_NAMES
        or endpoint in VALUE_INITIALIZERS | DESCRIPTIONS
        or endpoint.startswith(HOST_MODULES)
        or ".initializers." in endpoint
    )


def is_op(endpoint: str) -> bool:
    """Whether a call builds tensors and nothing else."""
    if endpoint in NOT_OPS:
        return False
    if endpoint.startswith(OP_MODULES):
        return True
    rest = endpoint.removeprefix(T)
    return "." not in rest and rest[:1].islower()
