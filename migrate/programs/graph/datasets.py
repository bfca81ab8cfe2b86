"""`tf.data` and its iterators: datasets stay, what an iterator gives is a function's parameter.

A run that needs an element takes the next one, once, whatever it fetches of it; so it must be
certain that TF 1 would have taken one too.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from migrate.programs.graph import meaning
from migrate.programs.graph.made import Function
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Fetch, Kind, Site, Step, Symbol, Value
from migrate.programs.graph.names import free_names
from migrate.programs.graph.walk import family

MAKERS = (
    *("from_tensor_slices", "from_tensors", "range", "zip", "list_files"),
    *("TextLineDataset", "TFRecordDataset", "FixedLengthRecordDataset"),
)
# Methods that mean in TF 2 what they meant in TF 1.15.
CHAINED = frozenset(
    [
        *("map", "batch", "padded_batch", "repeat", "prefetch", "filter", "take", "skip", "cache"),
        *("concatenate", "flat_map", "shard", "shuffle", "enumerate", "interleave"),
    ]
)
SETS = frozenset(f"{T}data.{prefix}{n}" for n in MAKERS for prefix in ("", "Dataset."))
PLAIN = (Kind.HOST, Kind.NONE, Kind.ENDPOINT, Kind.FUNCTION, Kind.CONST, Kind.CLASS)
# What TF 1 may know of a tensor without running it.
STATIC = frozenset({"shape", "get_shape", "dtype", "ndims"})
STATIC_OPS = frozenset({"size", "rank", "zeros_like", "ones_like", "shape_n"})


@dataclass(slots=True, eq=False, repr=False)
class Dataset:
    """A dataset: a host object."""

    shuffled: bool = False  # by a seed, just now, anew in each pass
    fed: bool = False  # it is made of what a run is fed

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """A method: another dataset, or an iterator."""
        if attribute == "make_one_shot_iterator" and not node.args and not node.keywords:
            return iterator(walker, node, node.func.value)  # type: ignore[attr-defined]
        if attribute == "make_initializable_iterator" and not node.args and not node.keywords:
            return later(walker, node, owner, node.func.value)  # type: ignore[attr-defined]
        if attribute not in CHAINED:
            raise Blocked(node, f"`.{attribute}()` of a dataset isn't followed")
        fed = _given(walker, node) or self.fed
        if fed and (walker.nested or walker.loops or walker.frame.region is None):
            raise Blocked(node, "a dataset of what is fed, in a loop, a branch or a helper")
        if fed:
            walker.sink.kind = Kind.TENSOR
        if attribute == "repeat" and self.shuffled:
            # TF 1.15.5 makes one step of both, whose order is another one.
            raise Blocked(node, "a dataset that is shuffled with a seed and repeated right after")
        if attribute == "shuffle" and walker.seed is not None and not _seeded(node):
            raise Blocked(node, "a dataset whose order comes from the graph's seed")
        shuffled = attribute == "shuffle" and _seeded(node) and not _once(node)
        return Value(Kind.OTHER, Dataset(shuffled, fed), node=node)


@dataclass(slots=True, eq=False, repr=False)
class Iterator:
    """An iterator, from its dataset on or from each run of its initializer."""

    name: str = ""
    element: Element | None = None
    source: ast.Name | None = None  # its dataset, where it begins later
    fed: bool = False  # that is made of what its initializer is fed
    uses: dict[Symbol, None] = field(default_factory=dict)  # of the dataset
    frame: Any = None  # where it stands

    @property
    def spec(self) -> str:
        """What says how its elements look, where a function is defined; empty: nothing does."""
        if self.source is None:
            return f"{self.name}.element_spec"
        return "" if self.fed else f"{self.source.id}.element_spec"

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """``initializer``, or a method."""
        if node.attr == "initializer" and self.source is not None:
            return Value(Kind.INIT, Begin(self), node=node)
        return Value(Kind.METHOD, (Value(Kind.OTHER, self), node.attr), node=node)

    def bind(self, walker: Any, target: ast.expr, value: Value) -> None:
        """The name it is kept under."""
        if not isinstance(target, ast.Name) or not _whole(walker, target, value):
            raise Blocked(target, "an iterator that isn't kept under a name of its own")
        if self.name:
            raise Blocked(target, "an iterator under two names")
        if walker.frame.region is None:  # a helper's: it is returned
            walker.define(target.id, Value(Kind.OTHER, self, node=value.node))
            return
        stores = [
            n
            for n in ast.walk(walker.tree)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == target.id
        ]
        if len(stores) > 1:
            raise Blocked(target, f"`{target.id}` means something else, too")
        self.name = target.id
        if self.source is not None:
            self.frame = walker.frame
            walker.unneeded.add(id(walker.stmt))
            walker.sink.uses.clear()
        walker.define(target.id, Value(Kind.OTHER, self, node=value.node))

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``get_next``."""
        if attribute != "get_next" or node.keywords or node.args:
            raise Blocked(node, f"`.{attribute}()` of an iterator isn't followed")
        if self.element is not None:
            raise Blocked(node, "an iterator whose next element is taken in two places")
        if walker.nested or walker.loops:
            raise Blocked(node, "an iterator's next element in a loop or a branch")
        self.element = Element(self, node)
        func = node.func
        assert isinstance(func, ast.Attribute)
        walker.rewrites[id(node)] = lambda writer: writer.module.here(func.value, writer)
        return Value(Kind.OTHER, self.element, node=node)


@dataclass(slots=True, eq=False, repr=False)
class Begin:
    """The op that lets an iterator begin."""

    iterator: Iterator

    def begin(self, walker: Any, node: ast.Call, fetch: Fetch) -> Fetch | None:
        """A run of it: what is to be fetched for it, or nothing."""
        mine, stmt = self.iterator, walker.stmt
        if fetch.items is not None or not (isinstance(stmt, ast.Expr) and stmt.value is node):
            raise Blocked(node, "an iterator begins among other things")
        if mine.frame is not walker.frame:
            raise Blocked(node, "an iterator of another function begins here")
        name, source = mine.name, mine.source
        assert source is not None
        if mine.fed:
            return Fetch(source, Value(Kind.TENSOR, self), uses=dict(mine.uses))
        for n in ast.walk(walker.tree):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == source.id:
                if n.lineno > source.lineno:
                    raise Blocked(n, f"`{n.id}` is another dataset from here on")
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute):
                if n.func.attr == "shuffle" and _seeded(n) and not _once(n):
                    raise Blocked(n, "an order that begins again with the iterator")
        walker.rewrites[id(node)] = lambda _: f"{name} = iter({source.id})"
        return None


@dataclass(slots=True, eq=False, repr=False)
class Element:
    """What an iterator gives next: the parameters that a run takes it by."""

    iterator: Iterator
    call: ast.Call
    symbols: list[Symbol] = field(default_factory=list)
    several: bool = False  # it is unpacked

    def bind(self, walker: Any, target: ast.expr, value: Value) -> None:
        """The names of its parts."""
        stmt = walker.stmt
        if walker.frame.region is None or not _whole(walker, target, value):
            raise Blocked(target, "an iterator's next element is kept in a helper")
        if not isinstance(walker.frame.region.node, (ast.Module, ast.FunctionDef)):
            raise Blocked(target, "an iterator in a class")
        if self.symbols:
            raise Blocked(target, "an iterator's next element under two names")
        self.several = isinstance(target, (ast.Tuple, ast.List))
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        if not all(isinstance(p, ast.Name) for p in parts):
            raise Blocked(target, "an iterator's next element that isn't unpacked into names")
        names = [p.id for p in parts if isinstance(p, ast.Name)]
        if len(set(names)) < len(names):
            raise Blocked(target, "two parts of an element under one name")
        if self.iterator.name:
            if stmt.value is not self.call:
                raise Blocked(stmt, "an iterator's next element comes by way of something else")
            walker.unneeded.add(id(stmt))
        else:
            self.iterator.name = _free(walker)
            walker.rewrites[id(target)] = lambda _: self.iterator.name
        for name in names:
            made = Value(Kind.PLACEHOLDER, Part(self))
            self.symbols.append(walker.define(name, made))
        ends(walker)

    def given(self, walker: Any, target: ast.FunctionDef, name: str, node: ast.Call) -> Value:
        """It is handed to a function that runs it: as the iterator that gives it."""
        if self.symbols or self.iterator.name:
            raise Blocked(node, "an iterator's next element that has a name is given away")
        first = walker.kept.setdefault(("given", id(target), name), node)
        if first is node and id(target) in walker.entered:
            raise Blocked(node, f"`{target.name}` is called in another way before")
        mine = Element(Iterator(name), self.call)
        value = Value(Kind.PLACEHOLDER, Part(mine))
        value.symbol = Symbol(name, Step(-1, target, Kind.HOST), value)
        mine.symbols.append(value.symbol)
        self.symbols.extend(mine.symbols)
        ends(walker)
        return value


@dataclass(slots=True, eq=False, repr=False)
class Part:
    """A part of an iterator's next element."""

    element: Element


@family(*SETS)
def dataset(walker: Any, name: str, node: ast.Call) -> Value:
    """A dataset, made of what the host has."""
    fed = _given(walker, node)
    if name.endswith("list_files"):
        keep = [k for k in node.keywords if k.arg == "shuffle"]
        if len(keep) != 1 or not (
            isinstance(keep[0].value, ast.Constant) and keep[0].value.value is False
        ):
            raise Blocked(node, "files in an order of chance")
    return Value(Kind.OTHER, Dataset(False, fed), node=node)


@family(T + "data.make_one_shot_iterator")
def one_shot(walker: Any, name: str, node: ast.Call) -> Value:
    """The function for what is a method otherwise."""
    if len(node.args) != 1 or node.keywords:
        raise Blocked(node, "these arguments aren't followed")
    if not isinstance(walker.expression(node.args[0]).data, Dataset):
        raise Blocked(node, "an iterator over what isn't seen")
    return iterator(walker, node, node.args[0])


@family(T + "data.make_initializable_iterator")
def initializable(walker: Any, name: str, node: ast.Call) -> Value:
    """The function for what is a method otherwise."""
    if len(node.args) != 1 or node.keywords:
        raise Blocked(node, "these arguments aren't followed")
    value = walker.expression(node.args[0])
    if not isinstance(value.data, Dataset):
        raise Blocked(node, "an iterator over what isn't seen")
    return later(walker, node, value, node.args[0])


def later(walker: Any, node: ast.Call, owner: Value, source: ast.expr) -> Value:
    """An iterator that begins where its initializer is run."""
    if walker.nested or walker.loops or walker.frame.region is None:
        raise Blocked(node, "an iterator in a loop, a branch or a helper")
    if not isinstance(walker.frame.region.node, (ast.Module, ast.FunctionDef)):
        raise Blocked(node, "an iterator in a class")
    if not isinstance(source, ast.Name):
        raise Blocked(node, "an iterator with an initializer over a dataset that has no name")
    alone(walker)
    made = Iterator("", None, source, owner.data.fed, dict(walker.sink.uses))
    return Value(Kind.OTHER, made, node=node)


def alone(walker: Any) -> None:
    """See that nothing else ends as an iterator does."""
    for n in ast.walk(walker.tree):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "next":
            raise Blocked(n, "`next` of something else, whose end would be taken for the data's")
        name = n.id if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) else ""
        name = n.arg if isinstance(n, ast.arg) else getattr(n, "name", None) or name
        if name in ("next", "iter"):
            raise Blocked(n, f"`{name}` isn't Python's")


def iterator(walker: Any, node: ast.Call, source: ast.expr) -> Value:
    """An iterator that begins once."""
    if any(isinstance(s.value.data, Dataset) and s.value.data.fed for s in walker.sink.uses):
        raise Blocked(node, "a one-shot iterator over what a run is fed")
    if walker.nested or walker.loops:
        raise Blocked(node, "an iterator in a loop or a branch")
    alone(walker)
    walker.rewrites[id(node)] = lambda writer: f"iter({writer.module.here(source, writer)})"
    return Value(Kind.OTHER, Iterator(), node=node)


def ends(walker: Any) -> None:
    """The end of the data: another exception."""
    caught = {
        id(n): handler
        for handler in ast.walk(walker.tree)
        if isinstance(handler, ast.ExceptHandler) and handler.type is not None
        for n in ast.walk(handler.type)
    }
    for n in ast.walk(walker.tree):
        name = walker.endpoints.get(id(n), "")
        if not name.startswith(T + "errors.") or isinstance(n, ast.Call):
            continue
        if name == T + "errors.OpError":
            raise Blocked(n, "errors of all kinds, the end of the data among them")
        if not name.endswith("OutOfRangeError"):
            continue
        handler = caught.get(id(n))
        if handler is None or handler.name is not None:
            raise Blocked(n, "the end of the data is used as a value")
        walker.rewrites[id(n)] = lambda _: "StopIteration"


def _given(walker: Any, node: ast.Call) -> bool:
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
        if symbol.value.kind is Kind.PLACEHOLDER and element_of(symbol) is None:
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
            if any(isinstance(n, ast.Call) for n in ast.walk(at)):
                raise Blocked(at, "a dataset is made of what is computed from what is fed")
        elif value.kind not in PLAIN:
            raise Blocked(at, f"a dataset is given a {value.kind.value}")
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
    for n in ast.walk(node):
        name = walker.endpoints.get(id(n.func), "") if isinstance(n, ast.Call) else ""
        if name and (
            not (meaning.is_op(name) or meaning.is_host(name) or name in SETS)
            or name.rpartition(".")[2] in ("py_func", "numpy_function", "Print")
        ):
            raise Blocked(n, f"tf{name.removeprefix('tensorflow')} in a function that is mapped")
    for name in free_names(node):
        frame = function.frame
        while frame is not None and name not in frame.env:
            frame = frame.parent  # type: ignore[assignment]
        if frame is None:
            continue
        value = frame.env[name].value
        if value.kind not in PLAIN:
            raise Blocked(node, f"a function that is mapped uses the {value.kind.value} `{name}`")
        if value.kind is Kind.FUNCTION:
            plain(walker, value.data, seen)


def _once(node: ast.Call) -> bool:
    """Whether a shuffle keeps its order in every pass."""
    again = next((k.value for k in node.keywords if k.arg == "reshuffle_each_iteration"), None)
    again = node.args[2] if len(node.args) > 2 else again
    return isinstance(again, ast.Constant) and again.value is False


def _seeded(node: ast.Call) -> bool:
    """Whether a shuffle has a seed."""
    seed = next((k.value for k in node.keywords if k.arg == "seed"), None)
    seed = node.args[1] if len(node.args) > 1 else seed
    return seed is not None and not (isinstance(seed, ast.Constant) and seed.value is None)


def _whole(walker: Any, target: ast.expr, value: Value) -> bool:
    """Whether a statement is this assignment and nothing else, at the level of its scope."""
    stmt = walker.stmt
    return (
        isinstance(stmt, ast.Assign)
        and len(stmt.targets) == 1
        and stmt.targets[0] is target
        and not walker.nested
        and not walker.loops
    )


def _free(walker: Any) -> str:
    taken = {n.id for n in ast.walk(walker.tree) if isinstance(n, ast.Name)}
    taken |= {n.attr for n in ast.walk(walker.tree) if isinstance(n, ast.Attribute)}
    taken |= {n.arg for n in ast.walk(walker.tree) if isinstance(n, ast.arg)}
    taken |= {
        n.name for n in ast.walk(walker.tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))
    }
    taken |= walker.kept.setdefault("iterators", set())
    names = ("iterator", *(f"iterator_{i}" for i in range(2, 99)))
    name = next(n for n in names if n not in taken)
    walker.kept["iterators"].add(name)
    return name


def element_of(symbol: Symbol) -> Element | None:
    """The element that a symbol is a part of."""
    element = symbol.value.data.element if isinstance(symbol.value.data, Part) else None
    return element if element is not None and symbol in element.symbols else None


def place(symbol: Symbol) -> int:
    """Where a symbol stands among the parts of its element."""
    element = element_of(symbol)
    return element.symbols.index(symbol) if element is not None else 0


def taken(site: Site, steps: dict[Step, None]) -> list[Element]:
    """The elements that a run takes, in order.

    Raises:
        Blocked: TF 1 may not have taken one, or it is fed.
    """
    wanted = [s for leaf in site.fetch.leaves() for s in leaf.uses]
    used = [*wanted, *(s for step in steps for s in step.uses)]
    found = list(dict.fromkeys(e for s in used if (e := element_of(s)) is not None))
    for feed in site.feeds:
        if element_of(feed.symbol) is not None:
            raise Blocked(feed.key, "a part of an iterator's next element is fed")
    if not found:
        return []
    fed = {f.symbol for f in site.feeds}
    sure: set[Element] = set()
    asked: dict[Step, set[Symbol]] = {}
    stack = [s for leaf in site.fetch.leaves() if not _static(leaf.node) for s in leaf.uses]
    seen: set[Symbol] = set()
    while stack:
        symbol = stack.pop()
        if symbol in seen or symbol in fed:
            continue
        seen.add(symbol)
        element = element_of(symbol)
        if element is not None:
            sure.add(element)
            continue
        step = symbol.step
        if step not in steps:
            continue
        asked.setdefault(step, set()).add(symbol)
        partly = len(step.defs) > 1 and asked[step] != set(step.defs)
        if partly and not _one_op(step.node):
            continue
        if _static(step.node) or (step.value is not None and step.value.items is not None):
            continue
        stack.extend(s for s in step.uses if s.step is not step)
        stack.extend(s for other in step.after for s in other.uses)
    for element in found:
        if element not in sure:
            raise Blocked(site.node, "whether this run takes the next element can't be told")
        function = site.step.function if site.step is not None else None
        made = element.symbols[0].step.function
        if function is not made and not isinstance(made, (ast.Module, type(None))):
            raise Blocked(site.node, "the iterator is a local name of another function")
        if function is not made and isinstance(function, ast.FunctionDef):
            for n in ast.walk(function):
                if (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)) and (
                    n.id == element.iterator.name
                ):
                    raise Blocked(n, f"`{n.id}` is another iterator here")
    return found


def whole(site: Site) -> Element | None:
    """The element that a run fetches, all of it and nothing else."""
    leaves = site.fetch.items if site.fetch.items is not None else [site.fetch]
    if any(leaf.items is not None or not isinstance(leaf.value.data, Part) for leaf in leaves):
        return None
    symbols = [next(iter(leaf.uses)) for leaf in leaves if len(leaf.uses) == 1]
    element = element_of(symbols[0]) if symbols else None
    if element is None or element.symbols != symbols or site.fetch.shape == "dict":
        return None
    return element if element.several == (site.fetch.items is not None) else None


def begins(site: Site) -> Iterator | None:
    """The iterator that a run lets begin."""
    data = site.fetch.value.data
    return data.iterator if isinstance(data, Begin) else None


def _one_op(node: ast.AST) -> bool:
    """Whether a statement takes several names from one op or one structure."""
    if not isinstance(node, ast.Assign):
        return False
    return isinstance(node.value, (ast.Name, ast.Subscript)) or (
        isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
    )


def _static(node: ast.AST) -> bool:
    """Whether TF 1 may have known a value without running anything."""
    return not isinstance(node, ast.FunctionDef) and any(
        (isinstance(n, ast.Attribute) and n.attr in STATIC | STATIC_OPS)
        or isinstance(n, (ast.IfExp, ast.Lambda))
        for n in ast.walk(node)
    )
