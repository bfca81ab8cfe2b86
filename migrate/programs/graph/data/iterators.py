"""Iterators over datasets: what one gives next is a function's parameter."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.data import dataset_names, next_in_loops, object_iterators
from migrate.programs.graph.data.data_ends import alone, ends
from migrate.programs.graph.data.datasets import Dataset, once, seeded
from migrate.programs.graph.data.readonly import only_read
from migrate.programs.graph.meaning import SESSIONS, T
from migrate.programs.graph.model import Blocked, Fetch, Kind, Site, Step, Symbol, Value
from migrate.programs.graph.objects import own_attributes
from migrate.programs.graph.running.later_runs import now
from migrate.programs.graph.walk import family
from migrate.programs.graph.wording import spelled

TWICE = "an iterator whose next element is taken in two places"
LOOPED = "an iterator's next element in a loop or a branch"
GIVEN = ("given elements",)  # elements that functions are given, and the session of the call


@dataclass(slots=True, eq=False, repr=False)
class Iterator:
    """An iterator, from its dataset on or from each run of its initializer."""

    name: str = ""
    element: Element | None = None
    source: ast.Name | None = None  # its dataset, where it begins later
    fed: bool = False  # that is made of what its initializer is fed
    uses: dict[Symbol, None] = field(default_factory=dict)  # of the dataset
    frame: Any = None  # where it stands
    handed: bool = False  # under another name, too
    parameter: bool = False  # a function's: another one at each call
    named: bool = False  # its dataset is, where it was made
    holder: str = ""  # the object that has it, where another one's graph takes from it

    @property
    def late(self) -> bool:
        """Whether it begins where a run says so."""
        return self.source is not None

    def drawn(self, site: Site) -> Iterator:
        """The iterator that a run takes from."""
        return self

    @property
    def arrays(self) -> bool:
        """Whether its elements are fetched as they are and used for nothing else."""
        if self.element is None or self.handed or self.element.walker is None:
            return False
        from migrate.programs.graph.data.draws import whole

        walker = self.element.walker
        parts = set(self.element.symbols)
        if any(s.moves and parts & set(s.uses) for r in walker.regions for s in r.steps):
            return False
        return all(
            whole(site) is self.element and only_read(walker.tree, site.stmt, site.node)
            for site in walker.sites.values()
            if any(parts & set(leaf.uses) for leaf in site.fetch.leaves())
        )

    @property
    def spec(self) -> str:
        """What says how its elements look, where a function is defined; empty: nothing does."""
        if self.holder:  # which functions don't see where they are defined
            return ""
        if self.source is None:
            return f"{self.name}.element_spec"
        return "" if self.fed else f"{self.source.id}.element_spec"

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """``initializer``, or a method."""
        if node.attr == "initializer" and self.source is not None:
            return Value(Kind.INIT, Begin(self, self.source), node=node)
        return Value(Kind.METHOD, (Value(Kind.OTHER, self), node.attr), node=node)

    def bind(self, walker: Any, target: ast.expr, value: Value) -> None:
        """The name it is kept under."""
        if object_iterators.within(walker) and _whole(walker, target, value) and not self.name:
            self.keep(walker, target, value)
            return
        if not isinstance(target, ast.Name) or not _whole(walker, target, value):
            raise Blocked(target, "an iterator that isn't kept under a name of its own")
        if self.name:
            raise Blocked(target, "an iterator under two names")
        if walker.frame.region is None:  # a helper's: it is returned
            walker.define(target.id, Value(Kind.OTHER, self, node=value.node))
            return
        home = walker.frame.node
        if not isinstance(home, ast.FunctionDef):
            home = walker.files.at(target).tree or walker.tree
        stores = dataset_names.stores_of(home, target.id)
        if len(stores) > 1:
            spelled.told_apart(walker, target, stores)
            raise Blocked(target, f"`{target.id}` means something else, too")
        self.name = target.id
        if self.named:
            assert self.source is not None
            name = self.source.id
            self.frame = walker.frame
            walker.rewrites[id(target)] = lambda _: name
        elif self.late:
            self.frame = walker.frame
            walker.unneeded.add(id(walker.stmt))
            walker.sink.uses.clear()
        walker.define(target.id, Value(Kind.OTHER, self, node=value.node))

    def keep(self, walker: Any, target: ast.expr, value: Value) -> None:
        """An object keeps it in an attribute; where it begins later, its dataset stands there.

        Raises:
            Blocked: which dataset that is only its runs say.
        """
        if self.late and self.source is None:
            raise Blocked(target, "an object's iterator that is told which one it is")
        own, attribute = object_iterators.itself(walker), object_iterators.name_of(walker, target)
        self.name, self.frame, written = f"{own}.{attribute}", walker.frame, f"{own}.{attribute}"
        if self.source is not None:
            written = self.source.id
            walker.sink.uses.clear()
            if not self.named:
                walker.unneeded.add(id(walker.stmt))
        if isinstance(target, ast.Attribute):
            walker.set_attribute(walker.expression(target.value).data, target, value)
        else:
            walker.define(attribute, Value(Kind.OTHER, self, node=value.node))
        walker.rewrites[id(target)] = lambda _: written

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``get_next``."""
        if attribute == "string_handle":
            from migrate.programs.graph.data.feedable import handle_of

            return handle_of(walker, self, node)
        if attribute != "get_next" or node.keywords or node.args:
            raise Blocked(node, f"`.{attribute}()` of an iterator isn't followed")
        if self.element is not None:
            next_in_loops.check(walker, node, TWICE)
            raise Blocked(node, TWICE)
        if walker.nested or walker.loops:
            next_in_loops.check(walker, node, LOOPED)
            raise Blocked(node, LOOPED)
        self.element = Element(self, node)
        func = node.func
        assert isinstance(func, ast.Attribute)
        walker.rewrites[id(node)] = lambda writer: writer.module.here(func.value, writer)
        return Value(Kind.OTHER, self.element, node=node)


@dataclass(slots=True, eq=False, repr=False)
class Begin:
    """The op that lets an iterator begin."""

    iterator: Iterator
    source: ast.Name  # its dataset

    def begin(self, walker: Any, node: ast.Call, fetch: Fetch) -> Fetch | None:
        """A run of it: what is to be fetched for it, or nothing."""
        mine, stmt = self.iterator, walker.stmt
        leaves = [leaf for leaf in fetch.leaves() if leaf.value.data is not self]
        others = [(leaf.value, leaf.node) for leaf in leaves]
        plain = all(v.kind is Kind.INIT and isinstance(v.data, str) for v, _ in others)
        if not plain or not (isinstance(stmt, ast.Expr) and stmt.value is node):
            raise Blocked(node, "an iterator begins among other things")
        if others and (walker.init_runs or walker.loops):
            raise Blocked(node, "an iterator begins among other things")
        kept = "." in mine.name
        if mine.frame is not walker.frame and not kept:
            raise Blocked(node, "an iterator of another function begins here")
        owner = object_iterators.owner_of(walker, fetch, self, mine.frame) if kept else ""
        if others:
            walker.initialised(node, others)
            walker.kept.pop("renewing", None)  # this run isn't theirs alone
        name, source = mine.name, self.source
        if kept:
            name, dataset = (f"{owner}.{n.rpartition('.')[2]}" for n in (name, source.id))
            in_its_order(walker)
            walker.rewrites[id(node)] = lambda _: f"{name} = {begun(mine, dataset)}"
            return None
        if mine.fed:
            return Fetch(source, Value(Kind.TENSOR, self), uses=dict(mine.uses))
        stores = dataset_names.meant(walker, source.id)
        here = walker.frame.node
        straight = not walker.nested and not walker.loops
        straight = straight and (
            isinstance(here, ast.Module) or dataset_names.local(here, source.id)
        )
        for n in stores:
            if n.lineno <= source.lineno:
                continue
            if straight and n.lineno > stmt.lineno:  # the one run of it stands before
                later = walker.kept.setdefault(("rebound datasets",), [])
                later.append((mine, n, stores, walker.frame))
                continue
            dataset_names.another(walker, n, stores)
        in_its_order(walker)
        walker.rewrites[id(node)] = lambda _: f"{name} = {begun(mine, source.id)}"
        return None


def in_its_order(walker: Any) -> None:
    """See that no order begins again with an iterator."""
    for call in walk(walker.tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if call.func.attr == "shuffle" and seeded(call) and not once(call):
                raise Blocked(call, "an order that begins again with the iterator")


@dataclass(slots=True, eq=False, repr=False)
class Element:
    """What an iterator gives next: the parameters that a run takes it by."""

    iterator: Iterator
    call: ast.Call
    symbols: list[Symbol] = field(default_factory=list)
    several: bool = False  # it is unpacked
    walker: Any = None  # since it is bound

    @property
    def wish(self) -> str:
        """What it could be called, where it has no name."""
        return "" if self.symbols else "element"

    def bind(self, walker: Any, target: ast.expr, value: Value) -> None:
        """The names of its parts."""
        stmt = walker.stmt
        if walker.frame.region is None or not _whole(walker, target, value):
            raise Blocked(target, "an iterator's next element is kept in a helper")
        inside = not isinstance(walker.frame.region.node, (ast.Module, ast.FunctionDef))
        if inside and not object_iterators.within(walker):
            raise Blocked(target, object_iterators.IN_CLASS)
        if self.symbols:
            raise Blocked(target, "an iterator's next element under two names")
        self.several = isinstance(target, (ast.Tuple, ast.List))
        self.walker = walker
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        names = [p.id for p in parts if isinstance(p, ast.Name)]
        if inside:
            names += [a for p in parts if (a := object_iterators.own(walker, p))]
        if len(names) < len(parts):
            reason = "an iterator's next element that isn't unpacked into names"
            if any(isinstance(p, (ast.Tuple, ast.List)) for p in parts) and value.node is self.call:
                spelled.before(walker, self.call, self.call, self.wish, reason)
            raise Blocked(target, reason)
        if len(set(names)) < len(names):
            raise Blocked(target, "two parts of an element under one name")
        if self.iterator.name:
            if stmt.value is not self.call:
                raise Blocked(stmt, "an iterator's next element comes by way of something else")
            walker.unneeded.add(id(stmt))
        else:
            self.iterator.name = _free(walker)
            if inside:
                self.iterator.name = f"{object_iterators.itself(walker)}.{self.iterator.name}"
            walker.rewrites[id(target)] = lambda _: self.iterator.name
        for part in parts:
            made = Value(Kind.PLACEHOLDER, Part(self))
            if isinstance(part, ast.Attribute):
                owner = walker.expression(part.value).data
                walker.set_attribute(owner, part, made)
                self.symbols.append(owner.attrs[part.attr])
            elif isinstance(part, ast.Name):
                self.symbols.append(walker.define(part.id, made))
        ends(walker)

    def given(self, walker: Any, target: ast.FunctionDef, name: str, node: ast.Call) -> Value:
        """It is handed to a function that runs it: as the iterator that gives it."""
        if self.symbols or self.iterator.name:
            raise Blocked(node, "an iterator's next element that has a name is given away")
        value = self.parameter(walker, target, name, node)
        self.symbols.extend(value.data.element.symbols)
        ends(walker)
        return value

    def parameter(self, walker: Any, target: ast.FunctionDef, name: str, node: ast.Call) -> Value:
        """What a function calls the iterator that it is given."""
        key = "given", id(target), name
        if key not in walker.kept and id(target) in walker.entered:
            raise Blocked(node, f"`{target.name}` is called in another way before")
        walker.kept[key] = node
        mine = Element(Iterator(name, handed=True, parameter=True), self.call)
        self.iterator.handed = True
        opens = any(walker.endpoints.get(id(n)) in SESSIONS for n in walk(target))
        program, session = now(walker)
        walker.kept.setdefault(GIVEN, []).append((self, (program, node if opens else session)))
        value = Value(Kind.PLACEHOLDER, Part(mine))
        value.symbol = Symbol(name, Step(-1, target, Kind.HOST), value)
        mine.symbols.append(value.symbol)
        return value


@dataclass(slots=True, eq=False, repr=False)
class Part:
    """A part of an iterator's next element."""

    element: Element


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
    inside = not isinstance(walker.frame.region.node, (ast.Module, ast.FunctionDef))
    if inside and (owner.data.fed or not object_iterators.within(walker)):
        raise Blocked(node, object_iterators.IN_CLASS)
    alone(walker, node)
    if inside:
        return _of_object(walker, node, source)
    if isinstance(source, ast.Name):
        made = Iterator("", None, source, owner.data.fed, dict(walker.sink.uses))
        return Value(Kind.OTHER, made, node=node)
    if owner.data.fed:
        raise Blocked(node, "a dataset of what is fed that has no name")
    named = ast.copy_location(ast.Name(_free(walker, "dataset"), ast.Load()), source)
    made = Iterator("", None, named, named=True)
    walker.rewrites[id(node)] = lambda writer: writer.module.here(source, writer)
    return Value(Kind.OTHER, made, node=node)


def _of_object(walker: Any, node: ast.Call, source: ast.expr) -> Value:
    """An iterator that begins later over an attribute of its object, or what becomes one."""
    kept = object_iterators.own(walker, source)
    if kept and len(own_attributes.stores(walker, walker.frame.region.node, kept)) != 1:
        raise Blocked(source, "an object's dataset means another one later")
    name = f"{object_iterators.itself(walker)}.{kept or _free(walker, 'dataset')}"
    place = ast.copy_location(ast.Name(name, ast.Load()), source)
    if not kept:
        walker.rewrites[id(node)] = lambda writer: writer.module.here(source, writer)
    return Value(Kind.OTHER, Iterator("", None, place, named=not kept), node=node)


def iterator(walker: Any, node: ast.Call, source: ast.expr) -> Value:
    """An iterator that begins once."""
    if any(isinstance(s.value.data, Dataset) and s.value.data.fed for s in walker.sink.uses):
        raise Blocked(node, "a one-shot iterator over what a run is fed")
    if walker.nested or walker.loops:
        raise Blocked(node, "an iterator in a loop or a branch")
    alone(walker, node)
    mine = Iterator(handed=walker.frame.region is None)  # a helper's belong to all its callers
    walker.rewrites[id(node)] = lambda writer: begun(mine, writer.module.here(source, writer))
    return Value(Kind.OTHER, mine, node=node)


def begun(iterator: Iterator, source: str) -> str:
    """A dataset's iterator: of arrays, where runs do nothing but fetch its elements."""
    return f"{source}.as_numpy_iterator()" if iterator.arrays else f"iter({source})"


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


def _free(walker: Any, wish: str = "iterator") -> str:
    taken = {n.id for n in all_of(walker.tree, ast.Name)}
    taken |= {n.attr for n in all_of(walker.tree, ast.Attribute)}
    taken |= {n.arg for n in all_of(walker.tree, ast.arg)}
    taken |= {n.name for n in walk(walker.tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    taken |= walker.kept.setdefault("iterators", set())
    names = (wish, *(f"{wish}_{i}" for i in range(2, 99)))
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
