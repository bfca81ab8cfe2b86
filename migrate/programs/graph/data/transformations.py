"""What `Dataset.apply` was given in TF 1: methods of a dataset in TF 2."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.programs.graph.data.datasets import Dataset, given_to
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value

HOMES = (T + "contrib.data.", T + "data.experimental.")
Said = Callable[[str], str | None]
AUTO = "AUTOTUNE"


def applied(walker: Any, dataset: Dataset, node: ast.Call, what: ast.expr) -> Value:
    """``dataset.apply(…)``: another dataset.

    Raises:
        Blocked: it isn't known, or its order comes from a seed.
    """
    name = walker.endpoints.get(id(what.func), "") if isinstance(what, ast.Call) else ""
    short = name.rpartition(".")[2]
    method = METHODS.get(short)
    if method is None or not name.startswith(HOMES) or not isinstance(what, ast.Call):
        raise Blocked(node, f"`.apply()` of {'tf' + name[10:] if name else 'a function'}")
    fed = given_to(walker, what)
    if fed or dataset.fed:
        raise Blocked(node, "a dataset of what is fed that something is applied to")
    known, write = method
    given = walker.bound(name, what)
    for argument, value in given.items():
        if argument not in known:
            raise Blocked(value, f"`{argument}` of {short}")
    func = node.func
    assert isinstance(func, ast.Attribute)

    def written(writer: Any) -> str:
        def said(argument: str) -> str | None:
            value = given.get(argument)
            none = isinstance(value, ast.Constant) and value.value is None
            return None if value is None or none else str(writer.module.here(value, writer))

        end = write(said).replace(AUTO, f"{writer.tf}.data.AUTOTUNE")
        return f"{writer.module.here(func.value, writer)}{end}"

    walker.rewrites[id(node)] = written
    return Value(Kind.OTHER, Dataset(dataset.shuffled, False), node=node)


def _batch(said: Said) -> str:
    return f".batch({said('batch_size')}, drop_remainder=True)"


def _map_and_batch(said: Said) -> str:
    calls = said("num_parallel_calls")
    parallel = f", num_parallel_calls={calls}" if calls is not None else ""
    rest = said("drop_remainder")
    dropped = f", drop_remainder={rest}" if rest not in (None, "False") else ""
    return f".map({said('map_func')}{parallel}).batch({said('batch_size')}{dropped})"


def _shuffle_and_repeat(said: Said) -> str:
    return f".shuffle({said('buffer_size')}).repeat({said('count') or ''})"


def _interleave(said: Said) -> str:
    length, block = said("cycle_length"), said("block_length")
    blocks = f", block_length={block}" if block is not None else ""
    return f".interleave({said('map_func')}, cycle_length={length}{blocks})"


def _prefetch(said: Said) -> str:
    """The elements are the same; an eager op takes them to its device."""
    return f".prefetch({said('buffer_size') or AUTO})"


def _same(method: str, *names: str) -> Callable[[Said], str]:
    """A method that takes what the function took."""

    def written(said: Said) -> str:
        given = [(n, said(n)) for n in names]
        return f".{method}({', '.join(f'{n}={v}' for n, v in given if v is not None)})"

    return written


def _padded(said: Said) -> str:
    end = _same("padded_batch", "batch_size", "padded_shapes", "padding_values")(said)
    return f"{end[:-1]}, drop_remainder=True)"


def _named(method: str, *names: str) -> tuple[frozenset[str], Callable[[Said], str]]:
    return frozenset(names), _same(method, *names)


# The arguments that are followed, and what is written.
METHODS: dict[str, tuple[frozenset[str], Callable[[Said], str]]] = {
    "batch_and_drop_remainder": (frozenset({"batch_size"}), _batch),
    "map_and_batch": (
        frozenset(
            [
                *("map_func", "batch_size", "num_parallel_batches", "drop_remainder"),
                "num_parallel_calls",
            ]
        ),
        _map_and_batch,
    ),
    "shuffle_and_repeat": (frozenset({"buffer_size", "count"}), _shuffle_and_repeat),
    "parallel_interleave": (
        # Sloppy ones may come in any order, in this one, too.
        frozenset({"map_func", "cycle_length", "block_length", "prefetch_input_elements", "sloppy"})
        | {"buffer_output_elements"},
        _interleave,
    ),
    "prefetch_to_device": (frozenset({"device", "buffer_size"}), _prefetch),
    "unbatch": (frozenset(), lambda _: ".unbatch()"),
    "group_by_window": _named(
        *("group_by_window", "key_func", "reduce_func", "window_size", "window_size_func")
    ),
    "bucket_by_sequence_length": _named(
        *("bucket_by_sequence_length", "element_length_func", "bucket_boundaries"),
        *("bucket_batch_sizes", "padded_shapes", "padding_values", "pad_to_bucket_boundary"),
        *("no_padding", "drop_remainder"),
    ),
    "padded_batch_and_drop_remainder": (
        frozenset({"batch_size", "padded_shapes", "padding_values"}),
        _padded,
    ),
    "enumerate_dataset": _named("enumerate", "start"),
    "ignore_errors": _named("ignore_errors"),
    "scan": _named("scan", "initial_state", "scan_func"),
    "take_while": _named("take_while", "predicate"),
    "unique": _named("unique"),
}
