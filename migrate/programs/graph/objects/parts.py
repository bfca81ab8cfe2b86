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

from migrate.programs.graph import meaning
from migrate.programs.graph.fetching.callables import Callable
from migrate.programs.graph.listing.collections import Owned
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
from migrate.programs.graph.objects import bases
from migrate.programs.graph.objects.part_classes import KEY
from migrate.programs.graph.scoping import tf1_names

MADE = ("parts", "made")
DEPTH = 12
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


@dataclass(slots=True, eq=False, repr=False)
class Above:
    """``super()`` in a method of such a class."""

    itself: Value
    part: Part
    home: ast.ClassDef  # whose method it is

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """A call of what the classes further up have.

        Raises:
            Blocked: none of the program's has it.
        """
        order = bases.lineage(walker, self.part.node)
        for cls in order[order.index(self.home) + 1 :]:
            for member in bases.methods(cls):
                if member.name == attribute:
                    function = Function(member, walker.module_frame(member))
                    given = walker.given(function, node, self.itself)
                    return _walk(walker, function, given, node)
        if attribute == "__init__" and not node.args and not node.keywords:
            return HOST
        raise Blocked(node, f"`{attribute}` of a base class isn't seen")


def above(walker: Any, node: ast.Call) -> Value:
    """``super()`` in a method, of such a class or of another one."""
    itself = bases.itself(walker)
    if isinstance(itself.data, Itself):
        part = itself.data.part
    elif isinstance(itself.data, Held):
        (part,) = itself.data.parts  # as `method` gives each
    else:
        return bases.above(walker, node)
    return Value(Kind.OTHER, Above(itself, part, bases.home(walker, part.node, node)))


class Applied(Callable):
    """A function of tensors that an object keeps: an activation."""

    def __init__(self) -> None:
        pass

    def call(self, walker: Any, node: ast.Call) -> Value:
        """What comes of calling it."""
        found: Value = walker.join(walker.arguments(node), node)
        return found if found.kind is not Kind.HOST else Value(Kind.TENSOR)


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
    if node.attr == "__class__":
        return HOST  # for its name
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
        _enough(member, call)
        function = Function(member, walker.module_frame(member))
        itself = Value(Kind.VARIABLE, Held(frozenset({part})))
        given = walker.given(function, call, itself)
        results.append(_walk(walker, function, given, call))
    found: Value = walker.returned(results, call)
    if found.kind not in (*RUNTIME, Kind.CONST, Kind.HOST, Kind.VARIABLE, Kind.NONE):
        raise Blocked(call, f"`{attribute}` of an object gives {described(found)}")
    return found


def _enough(member: ast.FunctionDef, call: ast.Call) -> None:
    """See that a call gives a method all that it needs.

    Raises:
        Blocked: it doesn't.
    """
    names = [a.arg for a in member.args.args[1:]]
    needed = names[len(call.args) : len(names) - len(member.args.defaults)]
    said = {k.arg for k in call.keywords}
    if None not in said and not any(isinstance(a, ast.Starred) for a in call.args):
        for name in needed:
            if name not in said:
                raise Blocked(call, f"`{member.name}` isn't given its `{name}`")


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
