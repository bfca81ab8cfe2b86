"""Objects that are variables and a way to apply them: ``class HiddenLayer`` with ``forward(x)``.

Their ``__init__`` only makes variables, and their other methods only compute. Such a class is TF 2
as it stands: an object of it goes where a variable goes, into lists and attributes, in loops too,
beside objects of other such classes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import bases, meaning, tf1_names
from migrate.programs.graph.callables import Callable
from migrate.programs.graph.collections import Owned
from migrate.programs.graph.made import FAMILIES, Frame, Function
from migrate.programs.graph.model import (
    HOST,
    NOTHING,
    RUNTIME,
    Blocked,
    Kind,
    Step,
    Symbol,
    Value,
    described,
)

KEY = ("parts",)
MADE = ("parts", "made")
KNOWN = ("parts", "known")
DEPTH = 12
REPEATS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.List)
# What such a class has nothing of.
GRAPHIC = meaning.PLACEHOLDERS | meaning.OPTIMIZERS | meaning.MAKING | meaning.CELLS
GRAPHIC |= meaning.SESSIONS | meaning.INITIALIZERS | meaning.GLOBAL_STEPS
# What an object may be given, and keep.
PLAIN = frozenset({Kind.HOST, Kind.NONE, Kind.ENDPOINT, Kind.FUNCTION, Kind.VARIABLE})


@dataclass(slots=True, eq=False, repr=False)
class Part:
    """Such a class, with what its objects keep."""

    node: ast.ClassDef
    attrs: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Held:
    """An object of one of these classes."""

    parts: frozenset[Part]


class Itself:
    """``self`` while an object is made."""

    def __init__(self, part: Part) -> None:
        self.part = part

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """What it has by now."""
        return of(walker, Value(Kind.VARIABLE, Held(frozenset({self.part}))), node)

    def keep(self, walker: Any, target: ast.Attribute, value: Value) -> None:
        """``self.x = …``

        Raises:
            Blocked: it is a part of a run.
        """
        found = _kept(walker, target, value)
        known = self.part.attrs.get(target.attr)
        self.part.attrs[target.attr] = found if known is None else _both(known, found, target)


class Applied(Callable):
    """A function of tensors that an object keeps: an activation."""

    def __init__(self) -> None:
        pass

    def call(self, walker: Any, node: ast.Call) -> Value:
        """What comes of calling it."""
        found: Value = walker.join(walker.arguments(node), node)
        return found if found.kind is not Kind.HOST else Value(Kind.TENSOR)


def is_one(walker: Any, cls: ast.ClassDef) -> bool:
    """Whether a class only makes variables and computes, where such objects are several."""
    known: dict[int, bool] = walker.kept.setdefault(KNOWN, {})
    if id(cls) not in walker.bases:
        return False  # it isn't defined yet
    if id(cls) not in known:
        known[id(cls)] = False  # one that makes objects of its own
        known[id(cls)] = _plain(walker, cls) and any(
            _several(walker, other)
            for other in walker.files.at(cls).tree.body
            if other is cls
            or (
                (isinstance(other, ast.ClassDef) and id(other) in walker.bases)
                and _plain(walker, other)
            )
        )
    return known[id(cls)]


def made_by(walker: Any, node: ast.AST) -> bool:
    """Whether a node is a call that makes such an object."""
    if not isinstance(node, ast.Call):
        return False
    cls = walker._module_function(node.func, ast.ClassDef)
    return cls is not None and is_one(walker, cls)


def _plain(walker: Any, cls: ast.ClassDef) -> bool:
    own = walker.bases[id(cls)]
    if own.odd is not None or own.order != [cls]:
        return False
    if any(cls in b.order and b is not own for b in walker.bases.values()):
        return False  # another class is based on it
    members = {m.name: m for m in bases.methods(cls)}
    others = [s for s in cls.body if not isinstance(s, (ast.FunctionDef, ast.Pass, ast.Expr))]
    init = members.get("__init__")
    if others or init is None or any(m.decorator_list for m in members.values()):
        return False
    for node in walk(cls):
        name = walker.endpoints.get(id(node), "")
        if name in GRAPHIC or name.startswith(meaning.T + "summary."):
            return False
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)):
            return False
    for member in members.values():
        if not member.args.args or walker.runs(member):
            return False
        if member is not init and (_stores(member) or walker._variables_made(member)):
            return False
    if any(_keeps_tensor(walker, n) for n in walk(init)):
        return False
    made = all_of(init, ast.Call)
    classes = [walker._module_function(n.func, ast.ClassDef) for n in made]
    inner = any(c is not None and is_one(walker, c) for c in classes)
    return inner or any(walker.endpoints.get(id(n.func)) in meaning.VARIABLES for n in made)


def _keeps_tensor(walker: Any, node: ast.AST) -> bool:
    """Whether a statement keeps what an op gives, which a run computes."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    name = walker.endpoints.get(id(node.value.func), "")
    kept = any(isinstance(t, ast.Attribute) for t in node.targets)
    return kept and name not in meaning.VARIABLES and bool(name) and meaning.is_op(name)


def given_parts(walker: Any, cls: ast.ClassDef, call: ast.Call) -> bool:
    """Whether the first object of a class is given placeholders or tensors: it's no such class."""
    if (*KEY, id(cls)) in walker.kept:
        return False
    values = [*call.args, *(k.value for k in call.keywords)]
    found = any(walker.expression(v).kind in RUNTIME for v in values)
    if found:
        walker.kept[KNOWN][id(cls)] = False
    return found


def _stores(member: ast.FunctionDef) -> bool:
    return any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in walk(member))


def _several(walker: Any, cls: ast.ClassDef) -> bool:
    """Whether more than one object may be made, by the looks of the program."""
    calls = [
        n
        for n in all_of(walker.tree, ast.Call)
        if walker._module_function(n.func, ast.ClassDef) is cls
    ]
    repeated = (c for n in walk(walker.tree) if isinstance(n, REPEATS) for c in walk(n))
    return len(calls) > 1 or any(c is call for c in repeated for call in calls)


def make(walker: Any, cls: ast.ClassDef, call: ast.Call) -> Value:
    """An object of such a class.

    Raises:
        Blocked: a function makes it, or it is given a part of a run.
    """
    if walker.frame.region is None and not walker.kept.get((*KEY, "making")):
        raise Blocked(call, f"`{cls.name}` is made in a helper")
    if any(s.reuse for s in walker.scopes):
        raise Blocked(call, f"`{cls.name}` is made where variables are found again")
    part: Part = walker.kept.setdefault((*KEY, id(cls)), Part(cls))
    member = bases.find(walker, cls, "__init__")
    assert member is not None
    function = Function(member, walker.module_frame(member))
    given: dict[str, Value] = walker.given(function, call, HOST)
    own = member.args.args[0].arg
    for name, value in given.items():
        if value.kind not in PLAIN or callable(getattr(value.data, "given", None)):
            raise Blocked(call, f"`{cls.name}` is given {described(value)} as `{name}`")
    sink = walker.sink
    walker.sink = Step(-1, sink.node, Kind.HOST)
    making = walker.kept.setdefault((*KEY, "making"), [])
    making.append(cls)
    try:
        itself = Value(Kind.OTHER, Itself(part))
        _walk(walker, function, given | {own: itself}, call)
    finally:
        inner, walker.sink = walker.sink, sink
        making.pop()
    sink.uses.update(inner.uses)
    sink.hosts |= inner.hosts
    sink.impure = sink.impure or inner.impure
    walker.stateful = True
    walker.kept[MADE] = call
    walker.created.append(None)
    walker.owned.append(Owned(None, None))
    return Value(Kind.VARIABLE, Held(frozenset({part})))


def _walk(walker: Any, function: Function, given: dict[str, Value], call: ast.Call) -> Value:
    """Follow a method with what it is given."""
    member = function.node
    if walker.depth > DEPTH:
        raise Blocked(call, "methods call each other too deeply")
    saved = walker.frame, walker.nested, walker.stmt
    frame = Frame(member, function.frame, None, {})
    walker.frame, walker.nested = frame, 0
    walker.depth += 1
    tf1_names.entered(walker, call, member, method=True)
    try:
        for name, value in given.items():
            frame.env[name] = Symbol(name, walker.sink, value)
        walker.body(member.body)
    finally:
        walker.frame, walker.nested, walker.stmt = saved
        walker.depth -= 1
        tf1_names.left(walker)
    found: Value = walker.returned(frame.returns, call)
    return found


def _kept(walker: Any, target: ast.Attribute, value: Value) -> Value:
    """What an attribute is from then on.

    Raises:
        Blocked: it is a part of a run, or a function that isn't one of tensors.
    """
    if value.kind not in PLAIN:
        raise Blocked(target, f"an object keeps {described(value)}")
    if value.kind is Kind.VARIABLE:
        several = value.items is not None or value.data == "container"
        data = value.data if isinstance(value.data, Held) else "container" if several else None
        return Value(Kind.VARIABLE, data, each=value.each)
    if value.kind is Kind.ENDPOINT:
        name = value.data
        plain = meaning.is_op(name) and name not in {*FAMILIES, *meaning.VARIABLES}
        if not plain or name in meaning.STATEFUL:
            raise Blocked(target, "an object keeps what isn't a function of tensors")
        return Value(Kind.HOST, Applied())
    if value.kind is Kind.FUNCTION:
        node = value.data.node
        if walker.runs(node) or walker._variables_made(node):
            raise Blocked(target, "an object keeps what isn't a function of tensors")
        if isinstance(node, ast.FunctionDef):
            walker.handed(value.data)
        else:
            _tensors(walker, value.data, target)
        return Value(Kind.HOST, Applied())
    data = value.data if value.data == NOTHING or isinstance(value.data, Applied) else None
    if hasattr(value.data, "names"):
        raise Blocked(target, "an object keeps a cell")
    return Value(Kind.HOST, data)


def _tensors(walker: Any, function: Function, target: ast.AST) -> None:
    """See that a lambda only computes.

    Raises:
        Blocked: it doesn't.
    """
    frame = Frame(function.node, function.frame, None, {})
    saved, sink = walker.frame, walker.sink
    walker.frame, walker.sink = frame, Step(-1, sink.node, Kind.HOST)
    try:
        args = function.node.args
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
            frame.env[arg.arg] = Symbol(arg.arg, walker.sink, Value(Kind.TENSOR))
        found = walker.expression(function.node.body)
        odd = walker.sink.random or walker.sink.impure is not None
    finally:
        walker.frame, walker.sink = saved, sink
    if odd or found.kind not in (Kind.TENSOR, Kind.CONST, Kind.HOST):
        raise Blocked(target, "an object keeps what isn't a function of tensors")


def _both(first: Value, second: Value, node: ast.AST) -> Value:
    """What an attribute is that several objects set.

    Raises:
        Blocked: it isn't told.
    """
    if first.kind is Kind.HOST and second.kind is Kind.HOST:
        functions = [v for v in (first, second) if isinstance(v.data, Applied)]
        if functions:
            return functions[0]
        return first if first.data == second.data else HOST
    if first.kind is second.kind is Kind.VARIABLE:
        return together([first, second]) or Value(Kind.VARIABLE, _containers(first, second, node))
    if {first.kind, second.kind} == {Kind.HOST, Kind.VARIABLE}:
        # An empty list, a None.
        return first if first.kind is Kind.VARIABLE else second
    raise Blocked(node, "an attribute that objects set to other things")


def _containers(first: Value, second: Value, node: ast.AST) -> str | None:
    said = {v.data == "container" for v in (first, second)}
    if len(said) > 1 or any(isinstance(v.data, Held) for v in (first, second)):
        raise Blocked(node, "an attribute that objects set to other things")
    return "container" if said == {True} else None


def of(walker: Any, owner: Value, node: ast.Attribute) -> Value:
    """An attribute of such an object, or a method.

    Raises:
        Blocked: it has none of that name.
    """
    values = []
    for part in owner.data.parts:
        value = part.attrs.get(node.attr)
        if value is None and bases.find(walker, part.node, node.attr) is not None:
            value = Value(Kind.METHOD, (owner, node.attr), node=node)
        if value is not None:
            values.append(value)
    methods = [v.kind is Kind.METHOD for v in values]
    if not values or (any(methods) and not all(methods)):
        raise Blocked(node, f"`{node.attr}` of an object isn't seen")
    found: Value = values[0]
    for value in [] if any(methods) else values[1:]:
        found = _both(found, value, node)
    return found


def method(walker: Any, owner: Value, attribute: str, call: ast.Call) -> Value:
    """A call of a method: what it computes."""
    results = []
    parts = owner.data.parts if isinstance(owner.data, Held) else [owner.data.part]
    for part in parts:
        member = bases.find(walker, part.node, attribute)
        if member is None:
            continue  # Python finds none, either
        function = Function(member, walker.module_frame(member))
        itself = Value(Kind.VARIABLE, Held(frozenset({part})))
        given = walker.given(function, call, itself)
        results.append(_walk(walker, function, given, call))
    found: Value = walker.returned(results, call)
    if found.kind not in (*RUNTIME, Kind.CONST, Kind.HOST, Kind.VARIABLE, Kind.NONE):
        raise Blocked(call, f"`{attribute}` of an object gives {described(found)}")
    return found


def item(value: Value) -> Value | None:
    """Such an object, or what a list of them has."""
    if isinstance(value.data, Held):
        return value
    if value.each is not None and isinstance(value.each.data, Held):
        return value.each
    return None


def together(values: Iterable[Value]) -> Value | None:
    """What a list of such objects is; None where other things are in it."""
    found: frozenset[Part] = frozenset()
    listed = False
    for value in values:
        one = item(value)
        if one is None:
            return None
        listed = listed or one is not value
        found |= one.data.parts
    if not found:
        return None
    each = Value(Kind.VARIABLE, Held(found))
    return Value(Kind.VARIABLE, "container", each=each) if listed else each


def among(owner: Value, value: Value) -> Value | None:
    """What a list of variables has that gets one more; None where that isn't told."""
    one = together([owner, value])
    return item(one) if one is not None else None


def begun(value: Value) -> bool:
    """Whether a value is a list of the program's, one that is empty yet or one of variables."""
    made = value.node.value if isinstance(value.node, ast.Assign) else None
    return isinstance(made, ast.List) and value.kind in (Kind.HOST, Kind.VARIABLE)


def listed(values: Iterable[Value]) -> Value:
    """A list of variables: of such objects, where it has nothing else."""
    one = together(values)
    each = item(one) if one is not None else None
    return Value(Kind.VARIABLE, "container", each=each)


def merged(first: Value, second: Value) -> Value | None:
    """A name that is one or the other; None: neither is such an object, or a list of some."""
    if item(first) is None and item(second) is None:
        return None
    if isinstance(first.data, Held) != isinstance(second.data, Held):
        return Value(Kind.OTHER, "mixed")
    return together([first, second]) or Value(Kind.OTHER, "mixed")


def grows(walker: Any, container: ast.expr, value: Value) -> bool:
    """Whether a list that an object keeps gets one more item while it is made."""
    if not isinstance(container, ast.Attribute) or not isinstance(container.value, ast.Name):
        return False
    owner = walker.expression(container.value)
    if not isinstance(owner.data, Itself) or value.kind not in (Kind.HOST, Kind.VARIABLE):
        return False
    attrs = owner.data.part.attrs
    known = attrs.get(container.attr, HOST)
    if value.kind is Kind.HOST and known.kind is Kind.HOST:
        return True
    if known.kind is Kind.HOST:
        attrs[container.attr] = listed([value])
    elif value.kind is Kind.VARIABLE:
        attrs[container.attr] = listed([known, value])
    else:
        return False
    return True
