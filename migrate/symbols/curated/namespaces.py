"""Rules for whole namespaces: where lost ones come back, and why others stay under compat.v1."""

from __future__ import annotations

from migrate.symbols.curated.contrib_native import NATIVE
from migrate.symbols.curated.decisions import Decision, Lost, Ported

LOST_REASON = "removed from TensorFlow"

# Namespace of 1.15.5 -> the module of this project that mirrors it. The longest prefix counts.
SHIMS: dict[str, tuple[str, str]] = {
    "layers": ("migrate.tf1_shim.layers", "tf.compat.v1.layers raises under Keras 3"),
    "nn.rnn_cell": ("migrate.tf1_shim.rnn_cell", "tf.compat.v1.nn.rnn_cell raises under Keras 3"),
    "estimator": ("migrate.estimator_shim", "tf.estimator was removed in TF 2.16"),
    "keras.estimator": ("migrate.estimator_shim.keras", "tf.estimator was removed in TF 2.16"),
    "examples.tutorials": ("migrate.tf1_shim.tutorials", "the tutorials' readers were removed in TF 2.0"),
    "contrib": ("migrate.tf1_shim.contrib", "tf.contrib was removed in TF 2.0"),
    "contrib.estimator": ("migrate.estimator_shim.contrib.estimator", "tf.contrib was removed in TF 2.0"),
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


# Why a name has no place in tf.*: the first prefix that fits.
COMPAT_REASONS: tuple[tuple[str, str], ...] = (
    ("train.experimental.", "mixed precision and loss scaling moved to Keras"),
    ("train.", "trains through graph, session and collections"),
    ("summary.", "writes summaries through the graph"),
    ("metrics.", "keeps its state in the graph's collections"),
    ("losses.", "registers in the graph's collections"),
    ("saved_model.", "saves and loads graphs with a session"),
    ("distributions.", "moved to TensorFlow Probability"),
    ("logging.", "tf.get_logger() and absl.logging took over"),
    ("logging", "tf.get_logger() and absl.logging took over"),
    ("app.", "absl.app took over"),
    ("app", "absl.app took over"),
    ("flags.", "absl.flags took over"),
    ("flags", "absl.flags took over"),
    ("tpu.", "TPUStrategy took over"),
    ("profiler.", "the profiler of graphs"),
    ("graph_util.", "works on graphs"),
    ("resource_loader", "Python's importlib.resources took over"),
    ("lite.", "the converter of TF 1 graphs"),
)


def compat_reason(name: str, kind: str) -> str:
    """Why the name is under compat.v1 only."""
    for prefix, reason in COMPAT_REASONS:
        if name == prefix or (prefix.endswith(".") and name.startswith(prefix)):
            return reason
    return "not part of TF 2"
