"""Parts of a graph that go from function to function: as arguments, and as what one returns.

A function that makes placeholders, variables and an optimizer and returns them, a *builder*, is a
region of its own: its functions stand in it and are what it returns. A function that is given parts
of a graph and runs a session is given functions, where it can't see them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.feeding import helper_placeholders
from migrate.programs.graph.fetching import choices, nested_aliases, parted
from migrate.programs.graph.made import Frame, Function
from migrate.programs.graph.making import sunk_builders
from migrate.programs.graph.model import (
    Blocked,
    Inner,
    Kind,
    Region,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.objects import bases, kept_aliases, record_classes, static_builders
from migrate.programs.graph.optimizing.training_helpers import Inlinable
from migrate.programs.graph.scoping import scopes, tf1_names
from migrate.programs.graph.wording import dict_entries, spelled

PARTS = frozenset({Kind.PLACEHOLDER, Kind.TENSOR, Kind.OP, Kind.FETCH})
NAMELESS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript)
PASSED = frozenset({Kind.HOST, Kind.NONE, Kind.ENDPOINT, Kind.FUNCTION, Kind.CLASS, Kind.SESSION})


def leaves(value: Value) -> list[Value]:
    """The single parts of a structure."""
    if value.items is not None and value.symbol is None:
        return [leaf for _, item in value.items for leaf in leaves(item)]
    return [value]


def is_part(value: Value) -> bool:
    """Whether a value is a named part of a graph, or a structure of such."""
    if value.kind not in PARTS or hasattr(value.data, "element"):
        return False
    if value.symbol is not None and value.kind is not Kind.FETCH:
        return True
    found = [leaf for _, item in value.items or () for leaf in leaves(item)]
    return bool(found) and all(
        leaf.symbol is not None and leaf.kind in PARTS | {Kind.VARIABLE} for leaf in found
    )


def origins(value: Value) -> tuple[Symbol | None, ...]:
    """Which parts a value is."""
    if value.symbol is not None and value.kind is not Kind.FETCH:
        return (value.symbol,)
    return tuple(leaf.symbol for _, item in value.items or () for leaf in leaves(item))


def given(walker: Any, target: ast.FunctionDef, name: str, value: Value, node: ast.Call) -> bool:
    """Whether an argument is a part of a graph: the parameter goes.

    Raises:
        Blocked: another call gives other parts.
    """
    if not is_part(value):
        return False
    sunk_builders.check(walker, target, value, node)
    known = walker.parts_given.setdefault(id(target), {}).setdefault(name, origins(value))
    if known != origins(value):
        reason = f"`{target.name}` is given other parts of the graph before"
        parted.check(walker, target, name, value, reason)
        raise Blocked(node, reason)
    walker.session_params.setdefault(id(target), set()).add(name)
    return True


def foreign(walker: Any, value: Value) -> bool:
    """Whether a value is a part of a graph that another region builds."""
    region = walker.frame.region
    return (
        region is not None
        and is_part(value)
        and all(s is not None and s.step.region not in (None, region) for s in origins(value))
    )


def bind(walker: Any, target: ast.expr, value: Value) -> None:
    """More names for parts of another region's graph.

    Raises:
        Blocked: they aren't names.
    """
    if isinstance(target, ast.Name):
        walker.frame.env[target.id] = Symbol(target.id, walker.sink, value, alias=True)
    elif isinstance(target, (ast.Tuple, ast.List)) and value.items is not None:
        if len(target.elts) != len(value.items):
            raise Blocked(target, "another number of names than of parts of a graph")
        for name, (_, item) in zip(target.elts, value.items, strict=True):
            bind(walker, name, item)
    else:
        kept_aliases.check(walker, target, value)
        raise Blocked(target, kept_aliases.REASON)


def destructured(walker: Any, stmt: ast.Assign, value: Value) -> bool:
    """Whether an assignment only gives parts of another region's graph more names: it goes."""
    built = walker.built.get(id(stmt.value))
    named = isinstance(stmt.value, (ast.Name, ast.Attribute, ast.Subscript))
    if built is None and not (named and foreign(walker, value)):
        return False
    if walker.nested:
        (target, *_) = stmt.targets
        choices.named(walker, target.value if isinstance(target, ast.Subscript) else target)
        nested_aliases.check(walker, stmt)
        raise Blocked(stmt, nested_aliases.REASON)
    for target in stmt.targets:
        bind(walker, target, value)
    walker.sink.kind = Kind.SETTING
    if built is not None:
        walker.building[walker.sink] = built
    else:
        walker.absorbed.update(map(id, walk(stmt)))
    return True


def item(walker: Any, owner: Value, node: ast.Subscript) -> Value | None:
    """``model['loss']``, where the model is a structure of parts."""
    if owner.items is None or not isinstance(node.slice, ast.Constant) or not is_part(owner):
        return None
    for key, value in owner.items:
        if key == node.slice.value:
            if value.symbol is not None:
                walker.aliases[id(node)] = (node, value.symbol)
                walker.sink.uses[value.symbol] = None
            return value
    return None


def reaches(walker: Any, node: ast.AST, endpoints: frozenset[str]) -> bool:
    """Whether a function calls an endpoint, itself or through functions of the module."""
    key = (id(node), endpoints)
    known: dict[Any, bool] = walker.kept.setdefault("reaches", {})
    if key not in known:
        known[key] = False
        known[key] = any(
            walker.endpoints.get(id(n)) in endpoints
            or (
                isinstance(n, ast.Call)
                and (callee := walker._module_function(n.func)) is not None
                and reaches(walker, callee, endpoints)
            )
            for n in walk(node)
        )
    return known[key]


def is_specs(value: Value, stmt: ast.stmt, node: ast.Call) -> bool:
    """Whether a function's result is placeholders and nothing else, each under a name."""
    if any(v.kind is not Kind.PLACEHOLDER for v in leaves(value)):
        return False
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return False
    target = stmt.targets[0]
    names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    flat = value.kind is Kind.PLACEHOLDER or isinstance(target, (ast.Tuple, ast.List))
    return flat and all(isinstance(n, (ast.Name, ast.Attribute)) for n in names)


def is_builder(walker: Any, node: ast.AST, arguments: dict[str, Value]) -> bool:
    """Whether a function builds a whole graph: placeholders or optimizers, and variables."""
    return (
        isinstance(node, ast.FunctionDef)
        and not any(is_part(v) for v in arguments.values())
        and reaches(walker, node, meaning.PLACEHOLDERS | meaning.OPTIMIZERS)
        and walker._variables_made(node)
    )


def build(walker: Any, function: Function, arguments: dict[str, Value], node: ast.Call) -> Value:
    """A call of a builder: a region of its own; the value is what it returns.

    Raises:
        Blocked: it is called twice, or in a loop, or what it returns can't be told.
    """
    target = function.node
    assert isinstance(target, ast.FunctionDef)
    stmt = walker.stmt
    scopes.plain(walker, node)
    if walker.nested or walker.loops:
        raise Blocked(node, f"`{target.name}` builds a graph in a loop or a branch")
    if not isinstance(stmt, ast.Assign) or stmt.value is not node:
        reason = f"what `{target.name}` builds gets no name"
        spelled.first(walker, stmt, node, "graph", reason)
        _alone(walker, target, node, reason)
        raise Blocked(node, reason)
    if id(target) in walker.entered:
        reason = f"`{target.name}` builds a graph twice"
        record_classes.check(walker, target, reason)
        helper_placeholders.check(walker, target, reason)
        raise Blocked(node, reason)
    static_builders.check(walker, target, node)
    if target.decorator_list and not bases.is_static(target):
        raise Blocked(target, f"`{target.name}` has a decorator")
    for name, value in arguments.items():
        if value.kind not in PASSED:
            raise Blocked(node, f"`{target.name}` is given {described(value)} as `{name}`")
        if value.kind is Kind.SESSION:
            walker.session_params.setdefault(id(target), set()).add(name)
    walker.calls.append((node, target))
    region = Region(target, target.name, built=node)
    walker.entered[id(target)] = region
    walker.regions.append(region)
    frame = Frame(target, function.frame, region)
    saved = (walker.frame, walker.stmt, walker.sink, walker.outer, walker.controls, walker.scopes)
    walker.frame, walker.controls, walker.scopes = frame, [], []
    walker.outer = Inner(walker.outer)
    start = Step(-1, target, Kind.HOST)
    start.region = region
    tf1_names.entered(walker, node, target)
    try:
        for name, value in arguments.items():
            frame.env[name] = Symbol(name, start, value)
        walker.body(target.body)
    finally:
        tf1_names.left(walker)
        (walker.frame, walker.stmt, walker.sink, walker.outer, walker.controls, walker.scopes) = (
            saved
        )
    last = target.body[-1]
    while isinstance(last, ast.With):
        last = last.body[-1]
    if len(frame.returns) != 1 or region.returned is None or region.returned.node is not last:
        raise Blocked(node, f"`{target.name}` builds a graph and doesn't end with a return")
    result: Value = frame.returns[0]
    if not is_part(result):
        _all_named(walker, target, last, result, stmt.targets)
        reason = f"`{target.name}` returns more than named parts of its graph"
        record_classes.check(walker, target, reason)
        raise Blocked(last, reason)
    walker.built[id(node)] = region
    return result


def _alone(walker: Any, target: ast.FunctionDef, node: ast.Call, reason: str) -> None:
    """``def build(): …`` in a method that calls it once, where what it keeps is the object's.

    Raises:
        Inlinable: its statements may stand where it is called.
    """
    stmt, scope = walker.stmt, walker.frame.node
    if not isinstance(stmt, ast.Expr) or stmt.value is not node or target.decorator_list:
        return
    if not isinstance(scope, ast.FunctionDef) or not any(s is target for s in scope.body):
        return
    names = [n for n in all_of(scope, ast.Name) if n.id == target.name]
    if names == [node.func]:
        found = Inlinable(node, stmt, target)
        found.reason = reason
        raise found


def _all_named(
    walker: Any,
    target: ast.FunctionDef,
    last: ast.stmt,
    result: Value,
    targets: Sequence[ast.expr],
) -> None:
    """``return x, tf.matmul(x, w)``: what has no name gets one, as the caller says or its key.

    Raises:
        Spelled: all that is returned can have a name.
    """
    display = last.value if isinstance(last, ast.Return) else None
    if not isinstance(display, (ast.Tuple, ast.List, ast.Dict)):
        return
    parts = display.values if isinstance(display, ast.Dict) else display.elts
    values = [value for _, value in result.items or ()]
    wishes: list[object] = [None] * len(parts)
    if isinstance(display, ast.Dict):
        wishes = [k.value if isinstance(k, ast.Constant) else None for k in display.keys]
    elif len(targets) == 1 and isinstance(targets[0], (ast.Tuple, ast.List)):
        wishes = [n.id if isinstance(n, ast.Name) else None for n in targets[0].elts]
    if not len(wishes) == len(parts) == len(values):
        return
    named: list[tuple[ast.expr, str]] = []
    for part, value, wish in zip(parts, values, wishes, strict=True):
        if value.symbol is not None:
            continue
        if value.kind not in (Kind.TENSOR, Kind.OP) or not isinstance(part, NAMELESS):
            return
        said = str(wish) if str(wish).isidentifier() and wish != "_" else "output"
        mine = {n.id for n in all_of(target, ast.Name)}
        mine |= {n.arg for n in all_of(target, ast.arg)}
        if said in mine | {name for _, name in named}:
            said = spelled.free(walker, said, [name for _, name in named])
        named.append((part, said))
    if not named:
        return
    raise spelled.Spelled(
        last,
        "a part of a graph that has no name",
        [(part, spelled.word(name)) for part, name in named],
        [(last, lambda source: [f"{name} = {source(part)}" for part, name in named])],
    )


def _named(walker: Any, key: object) -> None:
    """``model['train'] = optimizer.minimize(loss)``: the part gets a name, as its key says.

    Raises:
        Spelled: it can be.
    """
    stmt = walker.stmt
    if (
        isinstance(stmt, ast.Assign)
        and isinstance(stmt.value, ast.Call)
        and str(key).isidentifier()
    ):
        name = spelled.free(walker, str(key))
        made = stmt.value
        raise spelled.Spelled(
            stmt,
            "a part of a graph that has no name",
            [(made, lambda _: name)],
            [(stmt, lambda source: [f"{name} = {source(made)}"])],
        )


def keyed(walker: Any, target: ast.Subscript, value: Value) -> bool:
    """``model['loss'] = loss`` in a builder; whether it is that."""
    region = walker.frame.region
    if region is None or region.built is None or not isinstance(target.slice, ast.Constant):
        return False
    owner = walker.expression(target.value)
    empty = owner.kind is Kind.HOST and owner.data == "empty"
    if not isinstance(target.value, ast.Name) or not (empty or is_part(owner)):
        return False
    if empty and value.kind in PARTS:
        dict_entries.check(walker, target.value)
    if value.kind in PARTS and value.symbol is None and not walker.nested:
        _named(walker, target.slice.value)
    if not is_part(value) or walker.nested:
        return False
    if empty:
        walker.frame.env[target.value.id].step.kind = Kind.FETCH
    kept = [(k, v) for k, v in owner.items or () if k != target.slice.value]
    new = Value(Kind.FETCH, None, [*kept, (target.slice.value, value)])
    walker.define(target.value.id, new)
    walker.absorbed.update(map(id, walk(walker.stmt)))
    walker.sink.kind = Kind.FETCH
    return True
