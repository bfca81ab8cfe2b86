"""Run rule cases inside a TensorFlow and tell what they print, as numbers.

    python run_cases.py < {"case": ["graph" or "eager", source], …} > {"case": {"out": […]}, …}

Python 3.7 syntax: the same file runs inside TF 1.15.5 and inside TF 2.21. Every case has a graph
and a fresh state of the random ops; its `print` evaluates tensors, in TF 1 by a session.
"""

import contextlib
import json
import os
import sys
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf

TF1 = tf.__version__.startswith("1.")
tf1 = tf.compat.v1


class Later:
    """A tensor that the session has yet to run."""

    def __init__(self, index):
        self.index = index


class Printer:
    """What stands for ``print`` in a case."""

    def __init__(self, session):
        self.session = session
        self.out = []
        self.initialized = set()

    def __call__(self, *values, **_):
        tensors = []
        found = [self.value(v, tensors) for v in values]
        if tensors:
            self.initialize()
            results = self.session.run(tensors)  # at once: a random op draws once
            found = self.filled(found, results)
        self.out.append(plain(found))

    def filled(self, value, results):
        """A value with what the session gave in the place of its tensors."""
        if isinstance(value, Later):
            return results[value.index]
        if isinstance(value, list):
            return [self.filled(v, results) for v in value]
        if isinstance(value, dict):
            return {k: self.filled(v, results) for k, v in value.items()}
        return value

    def value(self, value, tensors):
        """A value without tensors in it; those of a graph are collected to be run."""
        if isinstance(value, dict):
            return {str(k): self.value(v, tensors) for k, v in value.items()}
        if isinstance(value, (tf.SparseTensor, tf1.SparseTensorValue)):
            parts = (value.indices, value.values, value.dense_shape)
            return [self.value(part, tensors) for part in parts]
        if isinstance(value, tf.IndexedSlices):
            return [self.value(value.values, tensors), self.value(value.indices, tensors)]
        if isinstance(value, tf.RaggedTensor):
            return [self.value(v, tensors) for v in (value.flat_values, value.row_splits)]
        if isinstance(value, (list, tuple)) and not isinstance(value, tf.TensorShape):
            return [self.value(v, tensors) for v in value]
        if self.session is None:
            return value.numpy() if hasattr(value, "numpy") else value
        if isinstance(value, (tf.Tensor, tf.Variable, tf.Operation)):
            tensors.append(value)
            return Later(len(tensors) - 1)
        return value

    def initialize(self):
        """Give new variables their initial values."""
        new = [v for v in tf1.global_variables() if v not in self.initialized]
        if new:
            self.session.run(tf1.variables_initializer(new))
            self.initialized.update(new)


def plain(value):
    """A value as JSON; arrays with their dtype and shape."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.name == "bfloat16":
            return ["bfloat16", value.shape, value.astype(np.float32).ravel().tolist()]
        if value.dtype.kind == "c":
            flat = value.ravel()
            return [value.dtype.name, value.shape, flat.real.tolist() + flat.imag.tolist()]
        kind = "bytes" if value.dtype.kind in "SOU" else value.dtype.name
        return [kind, list(value.shape), [plain(v) for v in value.ravel().tolist()]]
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    return str(value)


def run(mode, source):
    """What a case prints."""
    from tensorflow.python.eager import context

    with contextlib.ExitStack() as stack:
        if TF1 and mode == "graph":
            stack.enter_context(tf.Graph().as_default())
            printer = Printer(stack.enter_context(tf1.Session()))
        elif TF1:
            stack.enter_context(context.eager_mode())
            context.context()._clear_caches()
            printer = Printer(None)
        else:
            context.context().clear_kernel_cache()
            context.context()._set_global_seed(None)
            printer = Printer(None)
        try:
            exec(compile(source, "case", "exec"), {"print": printer, "__name__": "__main__"})
        except Exception as error:
            last = traceback.format_exc().strip().splitlines()
            where = [line.strip() for line in last if 'File "case"' in line]
            return {"error": f"{type(error).__name__}: {error}", "where": where[-1:]}
        return {"out": printer.out}


def main():
    """Read cases, run them, write what they printed."""
    if TF1:
        tf.enable_eager_execution = tf1.enable_eager_execution = lambda *a, **k: None
        tf1.logging.set_verbosity(tf1.logging.ERROR)
    cases = json.load(sys.stdin)
    stdout = os.dup(1)
    os.dup2(2, 1)  # tf.print and warnings of a case don't mix with the answer
    answers = {name: run(mode, source) for name, (mode, source) in sorted(cases.items())}
    with os.fdopen(stdout, "w") as file:
        json.dump(answers, file)


if __name__ == "__main__":
    main()
