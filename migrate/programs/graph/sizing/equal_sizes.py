"""Arguments that say the same in other words: sizes that two methods compute alike.

``s2 = int(s / 2)`` in a generator and again in its sampler, under names of their own: two calls
that are given them are given the same, where each name has one meaning, which is arithmetic.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.own_nodes import function_around, own_nodes
from migrate.programs.graph.wording import known_branches

PLAIN = frozenset({"int", "float", "round", "abs", "min", "max", "len"})
PURE = frozenset({"ceil", "floor", "sqrt", "log", "log2"})
DEPTH = 12
LOOPS = (ast.For, ast.While)


def same(walker: Any, one: ast.expr, other: ast.expr) -> bool:
    """Whether two arguments of calls have the same value."""
    first, second = (_told(walker, n, function_around(walker.tree, n), DEPTH) for n in (one, other))
    return first is not None and first == second


def different(walker: Any, one: ast.expr, other: ast.expr) -> bool:
    """Whether two arguments of calls are two constants."""
    said = [_told(walker, n, function_around(walker.tree, n), DEPTH) for n in (one, other)]
    try:
        first, second = (ast.literal_eval(text or "") for text in said)
    except (SyntaxError, ValueError):
        return False
    return bool(first != second)


def _told(walker: Any, node: ast.AST, function: ast.AST | None, depth: int) -> str | None:
    """An expression in which names stand for what they mean; None where that isn't plain."""
    if depth < 0:
        return None
    match node:
        case ast.Constant():
            return repr(node.value)
        case ast.Name():
            return _name(walker, node, function, depth)
        case ast.Attribute(ast.Name("self")):
            return _attribute(walker, node, depth)
        case ast.UnaryOp():
            inner = _told(walker, node.operand, function, depth)
            return inner and f"{type(node.op).__name__}({inner})"
        case ast.BinOp():
            parts = [node.left, node.right]
            head = type(node.op).__name__
        case ast.Subscript(value, ast.Constant(int(place))):
            item = _item(walker, value, place, function, depth - 1)
            return _told(walker, *item, depth - 1) if item is not None else None
        case ast.List() | ast.Tuple():
            parts, head = list(node.elts), type(node).__name__
        case ast.Call(ast.Name(name), args, []) if name in PLAIN and not _bound(walker, name):
            parts, head = list(args), name
        case ast.Call(ast.Attribute(ast.Name("math"), name), args, []) if name in PURE:
            parts, head = list(args), name
        case ast.Call(ast.Name(name), args, []) if _computes(walker, name):
            parts, head = list(args), name
        case _:
            return None
    said = [_told(walker, n, function, depth - 1) for n in parts]
    return None if None in said else f"{head}({', '.join(map(str, said))})"


def _bound(walker: Any, name: str) -> bool:
    """Whether a program gives a builtin's name another meaning."""
    return any(
        name == getattr(n, "name", None)
        or (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.arg) and n.arg == name)
        for n in walk(walker.tree)
    )


def _computes(walker: Any, name: str) -> bool:
    """Whether a function of the program only computes from numbers that it is given."""
    found = [n for n in all_of(walker.tree, ast.FunctionDef) if n.name == name]
    if len(found) != 1 or found[0].decorator_list or len(found[0].body) != 1:
        return False
    (target,) = found
    last = target.body[0]
    if not isinstance(last, ast.Return) or last.value is None:
        return False
    own = {a.arg for a in target.args.args} | {"math"} | PLAIN
    plain = (ast.Name, ast.Call, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Attribute)
    return all(
        isinstance(n, (*plain, ast.operator, ast.unaryop))
        and (not isinstance(n, ast.Name) or n.id in own)
        and (not isinstance(n, ast.Attribute) or n.attr in PURE)
        for n in walk(last.value)
    )


def _name(walker: Any, node: ast.Name, function: ast.AST | None, depth: int) -> str | None:
    """A name: what its one statement gives it, or the parameter that it is."""
    if not isinstance(function, ast.FunctionDef):
        return _module(walker, node, depth)
    own = list(own_nodes(function))
    mine = [n for n in own if isinstance(n, ast.Name) and n.id == node.id]
    stores = [n for n in mine if not isinstance(n.ctx, ast.Load)]
    parameter = node.id in [a.arg for a in all_of(function.args, ast.arg)]
    if parameter and not stores:
        given = _only(walker, node.id, function)
        said = _told(walker, *given, depth - 1) if given is not None else None
        return said or f"{node.id}@{id(function)}"
    if not parameter and not stores:
        return _module(walker, node, depth)
    if parameter or len(stores) != 1:
        return None
    value = _given(function, stores[0])
    return _told(walker, value, function, depth - 1) if value is not None else None


def _only(
    walker: Any, name: str, function: ast.FunctionDef
) -> tuple[ast.expr, ast.AST | None] | None:
    """What the one call of a function gives a parameter, and where that stands."""
    calls = known_branches.every(walker, function)
    if len(calls) != 1 or function.decorator_list:
        return None
    (call,) = calls
    given = known_branches.place(function, call, name)
    if given is not None:
        return given, function_around(walker.tree, given)
    names = [a.arg for a in function.args.args]
    defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    hidden = any(isinstance(a, ast.Starred) for a in call.args)
    if hidden or any(k.arg is None for k in call.keywords):
        return None
    default = defaults.get(name)
    return (default, None) if isinstance(default, ast.Constant) else None


def _item(
    walker: Any, node: ast.expr, place: int, function: ast.AST | None, depth: int
) -> tuple[ast.expr, ast.AST | None] | None:
    """An item of a tuple that a name has from its one statement, and where that stands."""
    if depth < 0:
        return None
    if isinstance(node, ast.Tuple):
        plain = not any(isinstance(n, ast.Starred) for n in node.elts)
        inside = -len(node.elts) <= place < len(node.elts)
        return (node.elts[place], function) if plain and inside else None
    if not isinstance(node, ast.Name):
        return None
    if isinstance(function, ast.FunctionDef):
        mine = [n for n in own_nodes(function) if isinstance(n, ast.Name) and n.id == node.id]
        if any(not isinstance(n.ctx, ast.Load) for n in mine):
            return None
        if node.id in [a.arg for a in all_of(function.args, ast.arg)]:
            given = _only(walker, node.id, function)
            return _item(walker, given[0], place, given[1], depth - 1) if given else None
    value = _only_value(walker, node)
    return _item(walker, value, place, None, depth - 1) if value is not None else None


def _module(walker: Any, node: ast.Name, depth: int) -> str | None:
    """A name of the module: what its one statement gives it."""
    value = _only_value(walker, node)
    return _told(walker, value, None, depth - 1) if value is not None else None


def _only_value(walker: Any, node: ast.Name) -> ast.expr | None:
    """What the module's one statement gives a name."""
    file = walker.files.at(node)
    tree = file.tree if file is not None and file.tree is not None else walker.tree
    uses = [n for n in all_of(tree, ast.Name) if n.id == node.id]
    stores = [n for n in uses if not isinstance(n.ctx, ast.Load)]
    told = [n for n in all_of(tree, ast.Global) if node.id in n.names]
    given = [s for s in tree.body if isinstance(s, ast.Assign) and s.targets == stores]
    return given[0].value if len(stores) == 1 and given and not told else None


def _attribute(walker: Any, node: ast.Attribute, depth: int) -> str | None:
    """An attribute of the object: what the one statement gives it, or what it is."""
    stores = [
        n
        for n in all_of(walker.tree, ast.Attribute)
        if n.attr == node.attr and not isinstance(n.ctx, ast.Load)
    ]
    if len(stores) == 1:
        function = function_around(walker.tree, stores[0])
        value = _given(function, stores[0]) if function is not None else None
        said = _told(walker, value, function, depth - 1) if value is not None else None
        if said is not None:
            return said
    return f"self.{node.attr}"


def _given(function: ast.AST, target: ast.AST) -> ast.expr | None:
    """What a statement outside of loops gives a target."""
    for loop in (n for n in walk(function) if isinstance(n, LOOPS)):
        if holds(loop, target):
            return None
    for stmt in (n for n in all_of(function, ast.Assign)):
        for to in stmt.targets:
            if to is target:
                return stmt.value
            if isinstance(to, ast.Tuple) and isinstance(stmt.value, ast.Tuple):
                if len(to.elts) == len(stmt.value.elts) and target in to.elts:
                    return stmt.value.elts[to.elts.index(target)]
    return None
