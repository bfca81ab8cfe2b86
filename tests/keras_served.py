"""Serve two SavedModels and say where they differ: `keras_served.py OLD NEW`, for test_keras.py.

The inputs are drawn by the signatures' dtypes; Examples hold a few features of the fixtures.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2


def examples() -> Any:
    rng = np.random.RandomState(1)
    found = []
    for job in ("pilot", "clerk", "cook", "nurse", "pilot"):
        feature = {
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=rng.rand(3))),
            "age": tf.train.Feature(float_list=tf.train.FloatList(value=[rng.randint(20, 60)])),
            "job": tf.train.Feature(bytes_list=tf.train.BytesList(value=[job.encode()])),
        }
        found.append(tf.train.Example(features=tf.train.Features(feature=feature)))
    return tf.constant([one.SerializeToString() for one in found])


def sent(info: Any) -> Any:
    """What a client sends for an input."""
    dtype = tf.as_dtype(info.dtype)
    if dtype == tf.string:
        return examples()
    shape = [5 if dim.size == -1 else dim.size for dim in info.tensor_shape.dim]
    return tf.constant(np.random.RandomState(2).randint(0, 9, shape), dtype)


def by_server(path: str, signature: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    """What a server gives: it knows the graph only, and the op in it that restores variables."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.saved_model.load(session, ["serve"], path)
        fed = {signature.inputs[key].name: value for key, value in inputs.items()}
        found = session.run({k: info.name for k, info in signature.outputs.items()}, fed)
    return dict(found)


def same(a: Any, b: Any) -> bool:
    """Whether two arrays are alike."""
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    return bool(np.allclose(a, b, rtol=1e-4, atol=1e-5) if a.dtype.kind == "f" else (a == b).all())


def served(path: str) -> dict[str, Any]:
    """What the signatures are, and what they give."""
    saved = saved_model_pb2.SavedModel()
    with open(f"{path}/saved_model.pb", "rb") as file:
        saved.ParseFromString(file.read())
    model = tf.saved_model.load(path, tags=["serve"])
    out: dict[str, Any] = {}
    for name, signature in saved.meta_graphs[0].signature_def.items():
        if name.startswith("__"):
            continue
        inputs = {key: sent(info) for key, info in signature.inputs.items()}
        found = model.signatures[name](**inputs)
        out[name] = {
            "method": signature.method_name,
            "inputs": {k: tf.as_dtype(i.dtype).name for k, i in signature.inputs.items()},
            "outputs": {key: value.numpy() for key, value in found.items()},
        }
        arrays = {key: value.numpy() for key, value in inputs.items()}
        sent_back = by_server(path, signature, arrays)
        out[name]["wrong"] = [
            f"{path} {name}/{key} of a server: {sent_back[key].tolist()}"
            for key, value in out[name]["outputs"].items()
            if not same(value, sent_back[key])
        ]
    return out


def main(old: str, new: str) -> None:
    before, after = served(old), served(new)
    wrong = [] if before.keys() == after.keys() else [f"{sorted(before)} {sorted(after)}"]
    values = 0
    for name in before.keys() & after.keys():
        one, other = before[name], after[name]
        wrong += [*one["wrong"], *other["wrong"]]
        parts = [part for part in ("method", "inputs") if one[part] != other[part]]
        wrong += [f"{name} {part}: {one[part]} {other[part]}" for part in parts]
        first, second = one["outputs"], other["outputs"]
        if first.keys() != second.keys():
            wrong.append(f"{name}: {sorted(first)} {sorted(second)}")
        for key in first.keys() & second.keys():
            a, b = first[key], second[key]
            values += a.size
            if not same(a, b):
                wrong.append(f"{name}/{key}: {a.dtype} {a.tolist()} {b.dtype} {b.tolist()}")
    print(json.dumps({"signatures": len(before), "values": values, "wrong": wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])
