"""Rules for whole namespaces: where lost ones come back, and why others stay under compat.v1."""

from __future__ import annotations

from migrate.symbols.curated.contrib_native import NATIVE
from migrate.symbols.curated.decisions import Decision, Lost, Ported

LOST_REASON = "removed from TensorFlow"

# Namespace of 1.15.5 -> the module of this project that mirrors it. The longest prefix counts.
SHIMS: dict[str, tuple[str, str]] = {
    "layers": ("migrate.tf1_shim.layers", "tf.compat.v1.layers raises under Keras 3"),
    "nn.rnn_cell": (
        "migrate.tf1_shim.nn.rnn_cell",
        "tf.compat.v1.nn.rnn_cell raises under Keras 3",
    ),
    "estimator": ("migrate.estimator_shim", "tf.estimator was removed in TF 2.16"),
    "keras.estimator": ("migrate.estimator_shim.keras", "tf.estimator was removed in TF 2.16"),
    "examples.tutorials": (
        "migrate.tf1_shim.examples.tutorials",
        "the tutorials' readers were removed in TF 2.0",
    ),
    "contrib": ("migrate.tf1_shim.contrib", "tf.contrib was removed in TF 2.0"),
    "contrib.estimator": (
        "migrate.estimator_shim.contrib.estimator",
        "tf.contrib was removed in TF 2.0",
    ),
    "contrib.learn": ("migrate.estimator_shim.contrib.learn", "tf.contrib was removed in TF 2.0"),
    "contrib.tpu": ("migrate.estimator_shim.contrib.tpu", "tf.contrib was removed in TF 2.0"),
}

# Packages of contrib that no shim brings back: bindings to services and devices, experiments
# whose kernels are gone, developers' tools.
CONTRIB_GONE: dict[str, str] = {
    "all_reduce": "its kernels' callers moved inside tf.distribute",
    "bayesflow": "research code; TensorFlow Probability has its successors",
    "bigtable": "its kernels are gone; TensorFlow I/O had a successor",
    "boosted_trees": "its kernels are gone",
    "cloud": "its kernels are gone; gs:// paths need no configuration ops",
    "cmake": "a build helper",
    "compiler": "its XLA scopes are gone; use tf.function(jit_compile=True)",
    "decision_trees": "its protos are gone",
    "ffmpeg": "its kernels are gone",
    "fused_conv": "its kernels are gone",
    "hadoop": "its kernels are gone",
    "ignite": "its kernels are gone",
    "kafka": "its kernels are gone",
    "kinesis": "its kernels are gone",
    "labeled_tensor": "a library of its own, discontinued",
    "libsvm": "its kernels are gone",
    "linear_optimizer": "SDCA's Python side is gone",
    "memory_stats": "its kernels are gone",
    "meta_graph_transform": "a tool for graphs of TF 1",
    "model_pruning": "moved to tensorflow-model-optimization",
    "nearest_neighbor": "its kernels are gone",
    "periodic_resample": "its kernels are gone",
    "proto": "moved to tf.io.decode_proto and encode_proto",
    "quantize": "moved to tensorflow-model-optimization",
    "receptive_field": "a tool for graphs of TF 1, now a project of its own",
    "reduce_slice_ops": "its kernels are gone",
    "remote_fused_graph": "its kernels are gone",
    "resampler": "its kernels are gone",
    "rpc": "its kernels are gone",
    "session_bundle": "replaced by SavedModel in TF 1.0",
    "specs": "an experiment, discontinued",
    "stat_summarizer": "an internal tool",
    "tensorboard": "moved to the tensorboard package",
    "tensorrt": "its bindings were removed from TensorFlow",
    "text": "its kernels are gone",
    "tfprof": "an internal tool; see tf.profiler",
    "timeseries": "a library of its own, discontinued",
}


def shim(name: str, kind: str) -> Decision | None:
    """What becomes of a name that compat.v1 has not, if its namespace has a rule."""
    parts = name.split(".")
    native = NATIVE.get(name, "")
    if parts[0] == "contrib" and len(parts) > 1 and parts[1] in CONTRIB_GONE:
        return Lost(CONTRIB_GONE[parts[1]], native)
    inside = parts if kind == "module" else parts[:-1]
    for cut in range(len(inside), 0, -1):
        found = SHIMS.get(".".join(inside[:cut]))
        if found is not None:
            module = ".".join([found[0], *inside[cut:]])
            return Ported(module, found[1], native)
    if parts[0] == "examples":
        return Lost("only its tutorials were used")
    return None


# Why a name has no place in tf.*, and what took its: by name, then by the first prefix that fits.
COMPAT_NAMES: dict[str, str] = {
    "Session": "functions run at once: call them, or tf.function",
    "InteractiveSession": "functions run at once: call them, or tf.function",
    "placeholder": "a parameter of a function takes its place",
    "placeholder_with_default": "a parameter with a default takes its place",
    "sparse_placeholder": "a parameter of a function takes its place",
    "ConfigProto": "tf.config sets devices, threads and memory",
    "GPUOptions": "tf.config.experimental.set_memory_growth and logical devices",
    "get_variable": "tf.Variable, kept by the object that uses it",
    "variable_scope": "objects keep their variables: no scopes, no reuse",
    "get_variable_scope": "objects keep their variables: no scopes, no reuse",
    "VariableScope": "objects keep their variables: no scopes, no reuse",
    "AUTO_REUSE": "call the same object again",
    "make_template": "call the same object again",
    "global_variables_initializer": "variables are initialised when they are made",
    "local_variables_initializer": "variables are initialised when they are made",
    "tables_initializer": "tables are initialised when they are made",
    "variables_initializer": "variables are initialised when they are made",
    "initialize_all_variables": "variables are initialised when they are made",
    "GraphKeys": "there are no collections",
    "add_to_collection": "there are no collections: keep a list",
    "get_collection": "there are no collections: keep a list",
    "global_variables": "ask the objects: Module.variables, Model.variables",
    "trainable_variables": "ask the objects: Module.trainable_variables",
    "local_variables": "ask the objects: Module.variables",
    "assign": "Variable.assign",
    "assign_add": "Variable.assign_add",
    "assign_sub": "Variable.assign_sub",
    "scatter_update": "Variable.scatter_update",
    "scatter_add": "Variable.scatter_add",
    "scatter_nd_update": "Variable.scatter_nd_update",
    "Print": "tf.print",
    "batch_gather": "tf.gather(..., batch_dims=-1)",
    "sparse_to_dense": "tf.sparse.to_dense of a tf.SparseTensor",
    "setdiff1d": "tf.raw_ops.ListDiff, or tf.sets.difference",
    "Dimension": "the items of a shape are ints and None",
    "reset_default_graph": "there is no default graph to reset",
    "get_default_graph": "there is no default graph",
    "py_func": "tf.numpy_function or tf.py_function",
    "nn.dynamic_rnn": "tf.keras.layers.RNN",
    "nn.static_rnn": "tf.keras.layers.RNN(unroll=True)",
    "nn.bidirectional_dynamic_rnn": "tf.keras.layers.Bidirectional",
    "nn.xw_plus_b": "tf.matmul(x, w) + b",
    "nn.relu_layer": "tf.nn.relu(tf.matmul(x, w) + b)",
    "nn.fused_batch_norm": "tf.keras.layers.BatchNormalization, or tf.nn.batch_normalization",
    "python_io.tf_record_iterator": "tf.data.TFRecordDataset",
    "io.tf_record_iterator": "tf.data.TFRecordDataset",
    "train.Saver": "tf.train.Checkpoint, by objects instead of names",
    "train.GradientDescentOptimizer": "tf.keras.optimizers.SGD",
    "train.AdamOptimizer": "tf.keras.optimizers.Adam(epsilon=1e-8)",
    "train.MomentumOptimizer": "tf.keras.optimizers.SGD(momentum=): equal at a constant rate",
    "train.AdagradOptimizer": "tf.keras.optimizers.Adagrad",
    "train.RMSPropOptimizer": "tf.keras.optimizers.RMSprop, whose slot starts at 0, not 1",
    "train.NewCheckpointReader": "tf.train.load_checkpoint",
    "train.get_or_create_global_step": "a variable of the program's own, or optimizer.iterations",
    "train.exponential_decay": "tf.keras.optimizers.schedules.ExponentialDecay",
    "train.polynomial_decay": "tf.keras.optimizers.schedules.PolynomialDecay",
    "train.piecewise_constant": "tf.keras.optimizers.schedules.PiecewiseConstantDecay",
    "train.cosine_decay": "tf.keras.optimizers.schedules.CosineDecay",
    "train.inverse_time_decay": "tf.keras.optimizers.schedules.InverseTimeDecay",
    "train.MonitoredTrainingSession": "a loop with tf.train.CheckpointManager",
    "summary.FileWriter": "tf.summary.create_file_writer",
    "summary.merge_all": "summaries are written at once: nothing to merge",
    "summary.merge": "summaries are written at once: nothing to merge",
}

COMPAT_REASONS: tuple[tuple[str, str], ...] = (
    ("train.experimental.", "mixed precision and loss scaling moved to Keras"),
    ("train.", "trains through graph, session and collections"),
    ("summary.", "writes summaries through the graph"),
    ("metrics.", "keeps its state in the graph's collections; tf.keras.metrics"),
    ("losses.", "registers in the graph's collections; tf.keras.losses"),
    ("saved_model.", "saves and loads graphs with a session; tf.saved_model.save and load"),
    ("distributions.", "moved to TensorFlow Probability"),
    ("logging.", "tf.get_logger() and absl.logging took over"),
    ("app.", "absl.app took over"),
    ("flags.", "absl.flags took over"),
    ("tpu.", "tf.distribute.TPUStrategy took over"),
    ("profiler.", "the profiler of graphs; tf.profiler.experimental"),
    ("graph_util.", "works on graphs"),
    ("resource_loader.", "importlib.resources took over"),
    ("lite.", "the converter of TF 1 graphs"),
)


def compat_reason(name: str, kind: str) -> str:
    """Why the name is under compat.v1 only, and what took its place."""
    if name in COMPAT_NAMES:
        return COMPAT_NAMES[name]
    for prefix, reason in COMPAT_REASONS:
        if name.startswith(prefix) or name == prefix[:-1]:
            return reason
    if kind == "class" and name[0].isupper() and "." not in name:
        return "part of the graph's machinery"
    return "not part of TF 2"
