"""Run the case table on TF 1.15.5 or on the shim, and write down what came out.

    python runner.py OUT.npz OUT.json [FAMILY | FAMILY/CASE ...]

The same file runs in Python 3.7 with TensorFlow 1.15.5, where ``shim`` is TensorFlow itself, and
in Python 3.11 with TensorFlow 2.21, where it is ``migrate.tf1_shim``. A case is a public function
of a module in ``cases``: it gets ``(tf, shim)``, builds a graph and returns a dictionary: names to
tensors or to plain values ("facts"), and the special keys of `SPECIAL`.

Of each case is recorded: the variables (name, shape, dtype, trainable), the collections, their
initial values (the seeds of all random operations are set by their order, so they agree where the
same ones are drawn in the same order), the outputs and the gradients after every variable was
moved by a value that depends on its name only, and the variables after some steps of the update
operations.
"""

# ruff: noqa: B905 - this file runs in Python 3.7 as well
import importlib
import json
import os
import pkgutil
import sys
import traceback
import zlib

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

HERE = os.path.dirname(os.path.abspath(__file__))

#: _feed: placeholders to arrays. _steps: operations to run some times, None for UPDATE_OPS.
#: _count: how often. _gradients: whether to record them. _move: whether to move the variables
#: away from their initial values. _inputs: more tensors to differentiate by. _digest: of large
#: arrays only some sums and values are kept, all of a kind together. _static: the graph is
#: described and not run.
SPECIAL = (
    "_feed", "_steps", "_count", "_gradients", "_move", "_inputs", "_digest", "_static"
)  # fmt: skip

#: What is written down of the operations of a graph that is not run.
LAYERS = ("Conv2D", "MaxPool", "AvgPool", "DepthwiseConv2dNative", "ConcatV2", "Pad", "Mean")

COLLECTIONS = (
    "update_ops",
    "regularization_losses",
    "model_variables",
    "losses",
    "local_variables",
    "moving_average_variables",
)


def number(text):
    """A seed that is the same in every process."""
    return zlib.crc32(text.encode("utf-8")) & 0x7FFFFFFF


def noise(name, shape):
    """What a variable is moved by."""
    return np.random.RandomState(number(name)).uniform(0.05, 0.3, shape)


def set_seeds(graph, attr_value_pb2):
    """Give every random operation without a seed one by its place among those of its kind."""
    counts = {}
    for op in graph.get_operations():
        if "seed2" not in op.node_def.attr:
            continue
        counts[op.type] = counts.get(op.type, 0) + 1
        if op.get_attr("seed") == 0 and op.get_attr("seed2") == 0:
            op._set_attr("seed", attr_value_pb2.AttrValue(i=7))
            op._set_attr("seed2", attr_value_pb2.AttrValue(i=counts[op.type]))


def plain(value):
    """A fact as JSON has it."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    return value


def digest(value):
    """Four sums with weights, and the first values, of an array too large to keep."""
    value = np.asarray(value)
    if value.size <= 64 or value.dtype.kind != "f":
        return value
    flat = value.ravel().astype(np.float64)
    weights = np.random.RandomState(flat.size & 0xFFFF).normal(size=(4, flat.size))
    return np.concatenate([weights.dot(flat) / flat.size**0.5, flat[:8]]).astype(value.dtype)


def gathered(arrays):
    """One array for all of a kind: each is scaled, so that small ones count as much as large."""
    kinds = {}
    for key in sorted(arrays):
        kind, colon, _ = key.partition(":")
        value = np.asarray(arrays[key])
        if not colon or value.dtype.kind != "f":
            kinds.setdefault(key, []).append(value)
            continue
        flat = value.ravel().astype(np.float64)
        scale = max(1.0, np.abs(flat).max() if flat.size else 0.0)
        kinds.setdefault(kind, []).append(np.append(flat / scale, np.log(scale)))
    return {k: v[0] if ":" in k or k in arrays else np.concatenate(v) for k, v in kinds.items()}


def described(graph, variables):
    """The layers and variables of a graph: how many, and a hash of all that decides."""
    lines = ["{} {} {}".format(*v) for v in variables]
    for op in graph.get_operations():
        if op.type not in LAYERS:
            continue
        known = [op.get_attr(a) for a in ("strides", "ksize", "padding") if a in op.node_def.attr]
        lines.append(f"{op.name} {op.type} {known} {op.outputs[0].shape.as_list()}")
    text = "\n".join(lines)
    return {"lines": len(lines), "hash": zlib.crc32(text.encode("utf-8"))}


def label(element):
    """How a member of a collection is written."""
    return getattr(element, "name", str(element))


def flatten(tf, result):
    """The tensors of a case's result by name, and its facts."""
    tensors, facts = {}, {}
    for key, value in result.items():
        if key in SPECIAL:
            continue
        if isinstance(value, (list, tuple)) and not value:
            facts[key] = []
        for i, part in enumerate(tf.nest.flatten(value)):
            name = f"{key}.{i}" if tf.nest.is_nested(value) else key
            if isinstance(part, (tf.Tensor, tf.Variable, np.ndarray)):
                tensors[name] = part
            else:
                facts[key] = plain(value)
    return tensors, facts


def run_case(tf, shim, case, attr_value_pb2):
    """Run one case in a graph of its own: (arrays, what else was seen)."""
    with tf.Graph().as_default() as graph:
        result = case(tf, shim) or {}
        feed = result.get("_feed", {})
        tensors, facts = flatten(tf, result)
        variables = tf.global_variables()
        trainable = tf.trainable_variables()
        seen = {
            "facts": facts,
            "variables": [
                [v.name, v.shape.as_list(), v.dtype.base_dtype.name, any(v is t for t in trainable)]
                for v in variables
            ],
            "collections": {
                name: sorted(label(e) for e in tf.get_collection(name))
                for name in COLLECTIONS
                if tf.get_collection(name)
            },
            "shapes": {
                name: None if t.shape.rank is None else t.shape.as_list()
                for name, t in tensors.items()
                if isinstance(t, tf.Tensor)
            },
        }
        if result.get("_digest") or result.get("_static"):
            seen["facts"]["graph"] = described(graph, seen["variables"])
            seen["variables"] = len(variables)
            seen["collections"] = {
                k: [len(v), zlib.crc32("\n".join(v).encode("utf-8"))]
                for k, v in seen["collections"].items()
            }
        if result.get("_static"):
            return {}, seen
        gradients = {}
        real = [
            t
            for t in tensors.values()
            if isinstance(t, tf.Tensor) and t.dtype.base_dtype in (tf.float32, tf.float64)
        ]
        if real and result.get("_gradients", True):
            targets = [tf.reduce_sum(tf.square(t) + tf.sin(t)) for t in real]
            by = list(trainable) + list(result.get("_inputs", []))
            for v, g in zip(by, tf.gradients(targets, by)):
                if g is not None:
                    name = "grad:" + v.name
                    gradients[name] = g
                    if isinstance(g, tf.IndexedSlices):
                        gradients[name] = tf.convert_to_tensor(g)
        penalties = {
            "loss:" + label(t): t for t in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        }
        steps = result.get("_steps") or tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        set_seeds(graph, attr_value_pb2)
        init = [tf.global_variables_initializer(), tf.local_variables_initializer()]
        init.append(tf.tables_initializer())
        arrays = {}
        config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        # Without the optimizers a case takes half as long, and operations run as they stand.
        config.graph_options.optimizer_options.opt_level = -1
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf.Session(config=config) as sess:
            sess.run(init, feed)
            numbered = [v for v in variables if v.dtype.base_dtype != tf.string]
            for v, value in zip(numbered, sess.run(numbered)):
                arrays["initial:" + v.name] = value
                floating = v.dtype.base_dtype in (tf.float32, tf.float64)
                if floating and result.get("_move", True):
                    moved = value + noise(v.name, value.shape).astype(value.dtype)
                    v.load(moved, sess)
            fetches = {k: v for k, v in tensors.items() if not isinstance(v, np.ndarray)}
            fetched = sess.run([fetches, gradients, penalties], feed)
            for part in fetched:
                arrays.update(part)
            arrays.update({k: v for k, v in tensors.items() if isinstance(v, np.ndarray)})
            if steps:
                for _ in range(result.get("_count", 3)):
                    sess.run(steps, feed)
                for v, value in zip(numbered, sess.run(numbered)):
                    arrays["after:" + v.name] = value
                arrays.update({"then:" + k: v for k, v in sess.run(fetches, feed).items()})
    if result.get("_digest"):
        arrays = gathered({k: digest(v) for k, v in arrays.items()})
    return arrays, seen


def families():
    """The modules of the case table."""
    return sorted(m.name for m in pkgutil.iter_modules([os.path.join(HERE, "cases")]))


def cases_of(family):
    """The cases of a family, in the order of the file."""
    module = importlib.import_module("cases." + family)
    found = [
        value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", "") == module.__name__
        and callable(value)
    ]
    return sorted(found, key=lambda f: f.__code__.co_firstlineno)


def main(argv):
    """Run what is asked for."""
    npz, out = argv[:2]
    sys.path.insert(0, HERE)
    import tensorflow

    if tensorflow.__version__.startswith("1."):
        import tensorflow as tf
        import tensorflow.contrib as _
        from tensorflow.core.framework import attr_value_pb2

        tf.get_logger().setLevel("ERROR")
        shim = tf
    else:
        import tensorflow.compat.v1 as tf
        from tensorflow.core.framework import attr_value_pb2

        tf.disable_v2_behavior()
        tf.get_logger().setLevel("ERROR")
        sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))
        from migrate import tf1_shim as shim
    all_arrays, all_seen = {}, {}
    wanted = argv[2:] or families()
    for want in wanted:
        family, _, only = want.partition("/")
        for case in cases_of(family):
            if only and case.__name__ != only:
                continue
            name = family + "/" + case.__name__
            try:
                arrays, seen = run_case(tf, shim, case, attr_value_pb2)
            except Exception:
                all_seen[name] = {"error": traceback.format_exc()}
                continue
            all_seen[name] = seen
            all_arrays.update({name + "|" + k: np.asarray(v) for k, v in arrays.items()})
    text = {k: v for k, v in all_arrays.items() if v.dtype.kind in "OSU"}
    for key, value in text.items():
        name, _, field = key.partition("|")
        all_seen[name]["facts"][field] = plain(value)
        del all_arrays[key]
    np.savez_compressed(npz, **all_arrays)
    with open(out, "w") as stream:
        json.dump(all_seen, stream, indent=1, sort_keys=True)
        stream.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
