"""`tf.data`: datasets stay as they are, host objects that iterators go through."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.data import mapped_methods, mapped_python
from migrate.programs.graph.made import Function
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Kind,
    Step,
    Value,
    described,
)
from migrate.programs.graph.modules import Module
from migrate.programs.graph.names import free_names
from migrate.programs.graph.walk import family

MAKERS = (
    *("from_tensor_slices", "from_tensors", "from_generator", "range", "zip", "list_files"),
    *("TextLineDataset", "TFRecordDataset", "FixedLengthRecordDataset"),
)
# Methods that mean in TF 2 what they meant in TF 1.15.
CHAINED = frozenset(
    [
        *("map", "batch", "padded_batch", "repeat", "prefetch", "filter", "take", "skip", "cache"),
        *("concatenate", "flat_map", "shard", "shuffle", "enumerate", "interleave", "unbatch"),
    ]
)
SETS = frozenset(f"{T}data.{prefix}{n}" for n in MAKERS for prefix in ("", "Dataset."))
SETS |= {T + "data.experimental.CsvDataset"}
WAITS = frozenset({T + "control_dependencies"})
# What datasets of TF 1 said of their elements, by what the specs of TF 2 call it.
SHOWN = {"output_types": "dtype", "output_shapes": "shape"}
PLAIN = (Kind.HOST, Kind.NONE, Kind.ENDPOINT, Kind.FUNCTION, Kind.CONST, Kind.CLASS)


@dataclass(slots=True, eq=False, repr=False)
class Dataset:
    """A dataset: a host object."""

    shuffled: bool = False  # by a seed, just now, anew in each pass
    fed: bool = False  # it is made of what a run is fed

    def either(self, other: Dataset) -> Dataset:
        """What is sure of one of two datasets."""
        return Dataset(self.shuffled or other.shuffled, self.fed or other.fed)

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """A method, or what a ``print`` asks of the elements: ``dataset.output_types``."""
        shown = SHOWN.get(node.attr)
        if shown is None or self.fed or not _only_shown(walker, node):
            return Value(Kind.METHOD, (Value(Kind.OTHER, self), node.attr), node=node)

        def written(writer: Any) -> str:
            given = writer.module.here(node.value, writer)
            each = f"lambda spec: spec.{shown}"
            return f"{writer.tf}.nest.map_structure({each}, {given}.element_spec)"

        walker.rewrites[id(node)] = written
        return HOST

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """A method: another dataset, or an iterator."""
        from migrate.programs.graph.data.iterators import iterator, later

        if attribute == "make_one_shot_iterator" and not node.args and not node.keywords:
            return iterator(walker, node, node.func.value)  # type: ignore[attr-defined]
        if attribute == "make_initializable_iterator" and not node.args and not node.keywords:
            return later(walker, node, owner, node.func.value)  # type: ignore[attr-defined]
        if attribute == "apply" and len(node.args) == 1 and not node.keywords:
            from migrate.programs.graph.data.transformations import applied

            return applied(walker, self, node, node.args[0])
        if attribute not in CHAINED:
            raise Blocked(node, f"`.{attribute}()` of a dataset isn't followed")
        fed = given_to(walker, node) or self.fed
        if fed and (walker.nested or walker.loops or walker.frame.region is None):
            raise Blocked(node, "a dataset of what is fed, in a loop, a branch or a helper")
        if fed:
            walker.sink.kind = Kind.TENSOR
        if attribute == "repeat" and self.shuffled:
            # TF 1.15.5 makes one step of both, whose order is another one.
            raise Blocked(node, "a dataset that is shuffled with a seed and repeated right after")
        shuffled = attribute == "shuffle" and seeded(node) and not once(node)
        return Value(Kind.OTHER, Dataset(shuffled, fed), node=node)


@family(*SETS)
def dataset(walker: Any, name: str, node: ast.Call) -> Value:
    """A dataset, made of what the host has."""
    fed = given_to(walker, node)
    if name.endswith("list_files"):
        keep = [k for k in node.keywords if k.arg == "shuffle"]
        if len(keep) != 1 or not (
            isinstance(keep[0].value, ast.Constant) and keep[0].value.value is False
        ):
            raise Blocked(node, "files in an order of chance")
    return Value(Kind.OTHER, Dataset(False, fed), node=node)


def given_to(walker: Any, node: ast.Call) -> bool:
    """Follow a call's arguments; whether a run is fed some of them.

    Raises:
        Blocked: one of them belongs to a run.
    """
    sink = walker.sink
    walker.sink = inner = Step(-1, sink.node, Kind.HOST)
    try:
        values = [(a, walker.expression(a)) for a in node.args]
        values += [(k.value, walker.expression(k.value)) for k in node.keywords]
    finally:
        walker.sink = sink
    if any(k.arg is None for k in node.keywords) or inner.defs:
        raise Blocked(node, "`**` hides arguments")
    fed = False
    for symbol in inner.uses:
        if symbol.value.kind is Kind.PLACEHOLDER and not hasattr(symbol.value.data, "element"):
            if walker.nested or walker.loops or walker.frame.region is None:
                raise Blocked(node, "a dataset of what is fed, in a loop, a branch or a helper")
            fed = True
        elif symbol.value.kind in (Kind.TENSOR, Kind.PLACEHOLDER, Kind.OP, Kind.VARIABLE):
            what = symbol.value.kind.value
            raise Blocked(node, f"a dataset is made of the {what} `{symbol.name}`")
    sink.uses.update(inner.uses)
    sink.hosts |= inner.hosts
    sink.impure = sink.impure or inner.impure
    for at, value in values:
        if isinstance(value.data, Dataset):
            fed = fed or value.data.fed
            continue
        if value.kind is Kind.OTHER and value.data == "container" and value.items:
            for _, item in value.items:
                if not isinstance(item.data, Dataset):
                    raise Blocked(at, "a container of datasets and other things")
                fed = fed or item.data.fed
        elif value.kind in (Kind.PLACEHOLDER, Kind.TENSOR) and fed:
            if any(isinstance(n, ast.Call) for n in walk(at)):
                raise Blocked(at, "a dataset is made of what is computed from what is fed")
        elif value.kind is Kind.METHOD and not fed:
            mapped_methods.check(walker, value, at)
        elif value.kind not in PLAIN:
            raise Blocked(at, f"a dataset is given {described(value)}")
        elif value.kind is Kind.FUNCTION:
            plain(walker, value.data, set())
    if fed:
        walker.sink.kind = Kind.TENSOR
    return fed


def plain(walker: Any, function: Any, seen: set[int]) -> None:
    """See that a function that is mapped only computes, from nothing of the graph.

    Raises:
        Blocked: it does more.
    """
    if not isinstance(function, Function):
        return
    node = function.node
    if id(node) in seen:
        return
    seen.add(id(node))
    if walker._variables_made(node) or walker.runs(node):
        raise Blocked(node, "a function that is mapped makes variables or runs a session")
    for n in walk(node):
        name = walker.endpoints.get(id(n.func), "") if isinstance(n, ast.Call) else ""
        if isinstance(n, ast.Call) and name.rpartition(".")[2] in mapped_python.NAMES:
            mapped_python.check(walker, n)
        elif name and (
            not (meaning.is_op(name) or meaning.is_host(name) or name in SETS | WAITS)
            or name.endswith(".Print")
        ):
            raise Blocked(n, f"tf{name.removeprefix('tensorflow')} in a function that is mapped")
    for name in free_names(node):
        frame = function.frame
        while frame is not None and name not in frame.env:
            frame = frame.parent  # type: ignore[assignment]
        if frame is None:
            continue
        value = frame.env[name].value
        if isinstance(value.data, Module):
            for part in _parts(node, name, value.data):
                plain(walker, part.data if part.kind is Kind.FUNCTION else None, seen)
                if part.kind not in PLAIN:
                    what = f"a function that is mapped uses {described(part)} of `{name}`"
                    raise Blocked(node, what)
            continue
        if value.kind is Kind.OBJECT:
            mapped_methods.inside(walker, node, name, value)
            continue
        if value.kind not in PLAIN and not hasattr(value.data, "mapped"):
            raise Blocked(node, f"a function that is mapped uses the {value.kind.value} `{name}`")
        if value.kind is Kind.FUNCTION:
            plain(walker, value.data, seen)


def _parts(node: ast.AST, name: str, module: Module) -> Iterator[Value]:
    """What a function reads of another file of the program.

    Raises:
        Blocked: not all of it is seen.
    """
    read = [n for n in all_of(node, ast.Attribute) if _is(n.value, name)]
    if len(read) != sum(_is(n, name) for n in walk(node)):
        raise Blocked(node, f"a function that is mapped uses the other `{name}`")
    for part in read:
        value = module.value(part.attr, part)
        if value is None:
            raise Blocked(part, f"`{part.attr}` of `{name}` isn't seen")
        yield value


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _only_shown(walker: Any, node: ast.Attribute) -> bool:
    """Whether a statement prints what an attribute is, and asks it for nothing."""
    match walker.stmt:
        case ast.Expr(ast.Call(ast.Name("print") as func) as call) if holds(call, node):
            outer = parents_of(call).get(id(node))
            items = isinstance(outer, ast.Subscript) and node.attr == "output_shapes"
            asks = items or isinstance(outer, ast.Attribute)
            return not asks and walker.expression(func).data == "builtin"
    return False


def once(node: ast.Call) -> bool:
    """Whether a shuffle keeps its order in every pass."""
    again = next((k.value for k in node.keywords if k.arg == "reshuffle_each_iteration"), None)
    again = node.args[2] if len(node.args) > 2 else again
    return isinstance(again, ast.Constant) and again.value is False


def seeded(node: ast.Call) -> bool:
    """Whether a shuffle has a seed."""
    seed = next((k.value for k in node.keywords if k.arg == "seed"), None)
    seed = node.args[1] if len(node.args) > 1 else seed
    return seed is not None and not (isinstance(seed, ast.Constant) and seed.value is None)
