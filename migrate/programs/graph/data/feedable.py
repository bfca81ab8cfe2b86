"""Iterators that go through one dataset after the other, and those that a run is told by handle."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.data import object_iterators
from migrate.programs.graph.data.data_ends import alone
from migrate.programs.graph.data.datasets import Dataset
from migrate.programs.graph.data.iterators import Begin, Iterator
from migrate.programs.graph.data.object_begins import Starts
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Fetch, Kind, Site, Symbol, Value
from migrate.programs.graph.walk import family
from migrate.programs.graph.wording import spelled


@dataclass(slots=True, eq=False, repr=False)
class Structure(Iterator):
    """A reinitializable iterator: it begins wherever one of its initializers is run."""

    shape: ast.expr | None = None  # what says how its elements look
    sized: ast.expr | None = None  # the same, where an object keeps the iterator
    instance: Any = None  # that object

    @property
    def spec(self) -> str:
        return _spec(self.shape)

    @property
    def late(self) -> bool:
        return True

    def keep(self, walker: Any, target: ast.expr, value: Value) -> None:
        """An object keeps it: nothing stands where it was made, only where it begins."""
        own, attribute = object_iterators.itself(walker), object_iterators.name_of(walker, target)
        self.name, self.frame = f"{own}.{attribute}", walker.frame
        self.instance = walker.frame.env[own].value.data
        self.sized, self.shape = self.shape, None
        walker.sink.uses.clear()
        walker.unneeded.add(id(walker.stmt))
        if isinstance(target, ast.Attribute):
            walker.set_attribute(self.instance, target, value)
        else:
            walker.define(attribute, Value(Kind.OTHER, self, node=value.node))

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``get_next``, or ``make_initializer``."""
        if attribute != "make_initializer":
            return Iterator.method(self, walker, owner, attribute, node)
        source = node.args[0] if node.args else None
        data = walker.expression(source).data if source is not None else None
        if self.instance is not None:
            if source is None or len(node.args) != 1 or node.keywords:
                raise Blocked(node, "these arguments aren't followed")
            if not isinstance(data, Dataset) or data.fed:
                raise Blocked(node, "an iterator begins with what isn't seen")
            return Value(Kind.OTHER, Starts(self, source), node=node)
        if not isinstance(source, ast.Name) or not isinstance(data, Dataset) or data.fed:
            reason = "an iterator begins with a dataset that has no name"
            if isinstance(source, ast.Attribute) and isinstance(data, Dataset) and not data.fed:
                spelled.first(walker, walker.stmt, source, "dataset", reason)
            raise Blocked(node, reason)
        return Value(Kind.INIT, Begin(self, source), node=node)


@dataclass(slots=True, eq=False, repr=False)
class Told(Iterator):
    """A feedable iterator: each run is fed the handle of another one."""

    shape: ast.expr | None = None
    handle: Symbol | None = None  # the placeholder
    handed: bool = True

    @property
    def spec(self) -> str:
        return _spec(self.shape)

    @property
    def late(self) -> bool:
        return True

    def drawn(self, site: Site) -> Iterator:
        """The iterator whose handle a run is fed."""
        for feed in site.feeds:
            if feed.symbol is self.handle and feed.value is not None:
                if isinstance(feed.value.data, Handle):
                    return feed.value.data.iterator
        raise Blocked(site.node, "which iterator's handle is fed can't be told")


@dataclass(slots=True, eq=False, repr=False)
class Handle:
    """An iterator's string handle: another name for it."""

    iterator: Iterator

    fed = True  # it stands for something else in a feed_dict

    def begin(self, walker: Any, node: ast.Call, fetch: Fetch) -> Value:
        """A run of it: what it gives."""
        values = [Value(Kind.OTHER, leaf.value.data) for leaf in fetch.leaves()]
        if not all(isinstance(v.data, Handle) for v in values):
            raise Blocked(node, "an iterator's handle among other fetches")
        stmt = walker.stmt
        if walker.nested or not (isinstance(stmt, ast.Assign) and stmt.value is node):
            raise Blocked(node, "an iterator's handle that isn't kept under a name")
        walker.unneeded.add(id(stmt))
        if fetch.items is None:
            return values[0]
        return Value(Kind.OTHER, "container", list(enumerate(values)))

    def bind(self, walker: Any, target: ast.expr, value: Value) -> None:
        """The name it is kept under, once."""
        if not isinstance(target, ast.Name):
            raise Blocked(target, "an iterator's handle that isn't kept under a name")
        walker.define(target.id, Value(Kind.OTHER, self, node=value.node))

    def given(self, walker: Any, target: ast.FunctionDef, name: str, node: ast.Call) -> Value:
        raise Blocked(node, "an iterator's handle is given away")


@family(T + "data.Iterator.from_structure")
def from_structure(walker: Any, name: str, node: ast.Call) -> Value:
    """An iterator that begins later, perhaps with several datasets."""
    _top(walker, node)
    given = walker.bound(name, node)
    return Value(Kind.OTHER, Structure(shape=_shape(given)), node=node)


@family(T + "data.Iterator.from_string_handle")
def from_string_handle(walker: Any, name: str, node: ast.Call) -> Value:
    """An iterator that each run is told."""
    _top(walker, node)
    given = walker.bound(name, node)
    handle = walker.expression(given["string_handle"])
    symbol = handle.symbol
    if handle.kind is not Kind.PLACEHOLDER or symbol is None or symbol.attribute:
        raise Blocked(node, "a handle that isn't a placeholder")
    walker.unneeded.add(id(symbol.step.node))
    return Value(Kind.OTHER, Told(shape=_shape(given), handle=symbol), node=node)


def handle_of(walker: Any, iterator: Iterator, node: ast.Call) -> Value:
    """``string_handle()``."""
    if not iterator.name:
        raise Blocked(node, "the handle of an iterator that has no name")
    iterator.handed = True
    return Value(Kind.INIT, Handle(iterator), node=node)


def _top(walker: Any, node: ast.Call) -> None:
    if walker.nested or walker.loops or walker.frame.region is None:
        raise Blocked(node, "an iterator in a loop, a branch or a helper")
    alone(walker, node)


def _shape(given: dict[str, ast.expr]) -> ast.expr | None:
    """The dataset whose types and shapes an iterator has."""
    types, shapes = given.get("output_types"), given.get("output_shapes")
    owners = [_owner(types, "output_types"), _owner(shapes, "output_shapes")]
    if owners[0] is None or owners[1] is None or ast.dump(owners[0]) != ast.dump(owners[1]):
        return None
    return owners[0]


def _owner(node: ast.expr | None, attribute: str) -> ast.Name | None:
    if isinstance(node, ast.Attribute) and node.attr == attribute:
        return node.value if isinstance(node.value, ast.Name) else None
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Attribute):
        if node.func.attr == "get_" + attribute and isinstance(node.args[0], ast.Name):
            return node.args[0]  # tf.compat.v1.data.get_output_types(dataset)
    return None


def _spec(shape: ast.expr | None) -> str:
    return f"{ast.unparse(shape)}.element_spec" if shape is not None else ""
