"""The static shapes of what datasets give, and of what iterators take from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.sizing.static_run.sizes import size
from migrate.programs.graph.sizing.static_run.values import OPEN, UNKNOWN, Setting, Tensor

RECORDS = frozenset(f"{T}data.{n}Dataset" for n in ("TextLine", "TFRecord", "FixedLengthRecord"))
MADE = frozenset(f"{T}data.Dataset.{n}" for n in ("from_tensors", "from_tensor_slices"))
ALIKE = frozenset({"repeat", "shuffle", "prefetch", "take", "skip", "cache", "filter", "shard"})
ITERATORS = frozenset({"make_one_shot_iterator", "make_initializable_iterator"})


@dataclass(slots=True, eq=False)
class Data:
    """A dataset, by what it gives."""

    element: Any


@dataclass(slots=True, eq=False)
class Iterator:
    """What goes through one."""

    element: Any


def made(name: str, given: Mapping[str, Any]) -> Data | None:
    """A dataset that is made of files or tensors; None: something else is made."""
    if name in RECORDS:
        return Data(Tensor(()))
    if name not in MADE:
        return None
    value = given.get("tensors", UNKNOWN)
    return Data(each(value, _row) if name.endswith("slices") else each(value, _whole))


def method(
    run: Any, owner: Data | Iterator, name: str, args: list[Any], keywords: dict[str, Any]
) -> Any:
    """What a method of a dataset or an iterator gives."""
    if isinstance(owner, Iterator):
        return owner.element if name == "get_next" else UNKNOWN
    if name in ALIKE:
        return owner
    if name in ITERATORS:
        return Iterator(owner.element)
    if name == "map" and args:
        run.escaped(args[0])  # by the dataset, too
        parts = owner.element if isinstance(owner.element, tuple) else (owner.element,)
        given = run.call(args[0], list(parts), {}, None)
        return Data(each(tuple(given) if isinstance(given, list) else given, _whole))
    if name == "batch":
        asked = dict(zip(("batch_size", "drop_remainder"), args, strict=False)) | keywords
        rows = asked.get("batch_size") if asked.get("drop_remainder") is True else None
        return Data(each(owner.element, lambda part: _batch(part, rows)))
    return UNKNOWN


def each(value: Any, of: Callable[[Any], Any]) -> Any:
    """What becomes of an element's parts."""
    if isinstance(value, tuple):
        return tuple(each(part, of) for part in value)
    if isinstance(value, dict):
        return {key: each(part, of) for key, part in value.items()}
    return of(value)


def _whole(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    return Tensor(()) if isinstance(value, (int, float, str)) else OPEN


def _row(value: Any) -> Tensor:
    if isinstance(value, Tensor) and value.shape:
        return Tensor(value.shape[1:])
    plain = isinstance(value, list) and value and all(isinstance(v, str) for v in value)
    return Tensor(()) if plain else OPEN


def _batch(value: Any, rows: Any) -> Tensor:
    if not isinstance(value, Tensor) or value.shape is None:
        return OPEN
    shape = (size(rows), *value.shape)
    return Tensor(shape, rows=rows if isinstance(rows, Setting) else None)
