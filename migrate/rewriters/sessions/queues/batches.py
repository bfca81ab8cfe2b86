"""What queues handed out, as batches of a dataset."""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues.module import Module

BATCHES = frozenset({"train.batch", "train.shuffle_batch"})
JOINS = frozenset({"train.batch_join", "train.shuffle_batch_join"})
KNOWN = frozenset(
    {
        "tensors",
        "tensors_list",
        "batch_size",
        "num_threads",
        "capacity",
        "enqueue_many",
        "dynamic_pad",
        "name",
    }
    | {"allow_smaller_final_batch", "shared_name", "min_after_dequeue", "seed"}
)


def batched(module: Module, node: ast.Call) -> str:
    """The methods that make batches as the queue did.

    The order of a `shuffle_batch` is chance's in TF 1, whatever its seed: it depends on how far
    the threads that fill the queue have come. tf.data's documentation for it is
    `shuffle(min_after_dequeue)`.
    """
    given = module.bound(node)
    for name, value in given.items():
        if name not in KNOWN:
            raise Blocked(value, f"`{name}` of tf.{module.endpoint(node)}")
    out = ""
    many = given.get("enqueue_many")
    if many is not None and not isinstance(many, ast.Constant):
        raise Blocked(many, "whether a queue is given many at a time is computed")
    if many is not None and many.value:
        out += ".unbatch()"
    if module.endpoint(node) in ("train.shuffle_batch", "train.shuffle_batch_join"):
        least = given.get("min_after_dequeue")
        if least is None or (isinstance(least, ast.Constant) and not least.value):
            least = given["capacity"]
        seed = f", seed={module.source(given['seed'])}" if "seed" in given else ""
        out += f".shuffle({module.source(least)}{seed})"
    size = module.source(given["batch_size"])
    padded = given.get("dynamic_pad")
    if padded is not None and not isinstance(padded, ast.Constant):
        raise Blocked(padded, "whether batches are padded is computed")
    way = "padded_batch" if padded is not None and padded.value else "batch"
    smaller = given.get("allow_smaller_final_batch")
    rest = ", drop_remainder=True"
    if isinstance(smaller, ast.Constant):
        rest = "" if smaller.value else rest
    elif smaller is not None:
        rest = f", drop_remainder=not {module.source(smaller)}"
    return f"{out}.{way}({size}{rest}).prefetch(1)"


def parallel(module: Module, node: ast.Call) -> str:
    """How many threads compute the elements."""
    threads = module.bound(node).get("num_threads")
    if threads is None or (isinstance(threads, ast.Constant) and threads.value == 1):
        return ""
    return f", num_parallel_calls={module.source(threads)}"
