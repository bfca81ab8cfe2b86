"""The constants that a name may stand for, where a program's own text says all of them: devices.

``with tf.device(device)`` in a helper: what its calls give it, or its default; ``self.device``:
what ``__init__`` was given; a name of the module: all that it is set to, by a loop over
a list, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from migrate.engine.trees import holds, walk
from migrate.programs.graph.own_nodes import own_nodes
from migrate.programs.graph.wording import known_branches

DEPTH = 6
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SHARED = (ast.Global, ast.Nonlocal)


def of(walker: Any, node: ast.expr, depth: int = DEPTH) -> list[ast.Constant]:
    """The constants that an expression may be; none where one isn't seen."""
    if isinstance(node, ast.Constant):
        return [node]
    if depth == 0:
        return []
    if isinstance(node, ast.IfExp):
        return _all(walker, [node.body, node.orelse], depth)
    if isinstance(node, ast.Attribute):
        return _all(walker, _stored(walker, node), depth)
    if isinstance(node, ast.Name):
        target = _around(walker, node)
        if target is not None and node.id in [a.arg for a in _parameters(target)]:
            return _all(walker, _given(walker, target, node.id), depth)
        return _all(walker, _bound(walker, node, target), depth)
    return []


def _all(walker: Any, nodes: list[ast.expr], depth: int) -> list[ast.Constant]:
    found = [of(walker, node, depth - 1) for node in nodes]
    return [constant for one in found for constant in one] if all(found) else []


def _nodes(walker: Any) -> Iterator[ast.AST]:
    return (n for tree in walker.program() for n in walk(tree))


def _around(walker: Any, node: ast.AST) -> ast.FunctionDef | None:
    """The innermost function that a node stands in."""
    around = [n for n in _nodes(walker) if isinstance(n, FUNCTIONS) and holds(n, node)]
    last = around[-1] if around else None
    return last if isinstance(last, ast.FunctionDef) else None


def _parameters(target: ast.FunctionDef) -> list[ast.arg]:
    args = target.args
    return [*args.posonlyargs, *args.args, *args.kwonlyargs]


def _given(walker: Any, target: ast.FunctionDef, name: str) -> list[ast.expr]:
    """What all calls of a function give a parameter, its default among it."""
    if target.args.posonlyargs or target.args.kwonlyargs or target.args.vararg:
        return []
    if any(_stores(n, name) for n in walk(target)):
        return []
    found: list[ast.expr] = []
    for call in known_branches.every(walker, target):
        node = known_branches.place(target, call, name)
        node = node or known_branches.given_to(target, call, name)
        if node is None:
            return []
        found.append(node)
    return found


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)


def _bound(walker: Any, name: ast.Name, target: ast.FunctionDef | None) -> list[ast.expr]:
    """What a function, or its file, sets a name to; nothing where it is bound in another way."""
    scope = target
    if scope is None or not any(_stores(n, name.id) for n in own_nodes(scope)):
        scope = next((t for t in walker.program() if holds(t, name)), None)
    if scope is None:
        return []
    if any(isinstance(n, SHARED) and name.id in n.names for n in walk(scope)):
        return []
    return _set(own_nodes(scope), lambda n: _stores(n, name.id), name.id)


def _stored(walker: Any, node: ast.Attribute) -> list[ast.expr]:
    """What attributes of a name are set to, whosever they are."""
    if not isinstance(node.value, ast.Name) or node.value.id != "self":
        return []

    def stores(n: ast.AST) -> bool:
        return (
            isinstance(n, ast.Attribute) and n.attr == node.attr and not isinstance(n.ctx, ast.Load)
        )

    return _set(_nodes(walker), stores, node.attr)


def _set(nodes: Iterable[ast.AST], stores: Any, name: str) -> list[ast.expr]:
    known = list(nodes)
    targets = {id(n) for n in known if stores(n)}
    found: list[ast.expr] = []
    for stmt in known:
        if (
            isinstance(stmt, ast.Assign)
            and len(stmt.targets) == 1
            and id(stmt.targets[0]) in targets
        ):
            targets.discard(id(stmt.targets[0]))
            found.append(stmt.value)
        elif (
            isinstance(stmt, (ast.For, ast.comprehension))
            and id(stmt.target) in targets
            and isinstance(stmt.iter, (ast.List, ast.Tuple))
        ):
            targets.discard(id(stmt.target))
            found += stmt.iter.elts
        elif _named(stmt, name):
            return []
    return found if not targets else []


def _named(node: ast.AST, name: str) -> bool:
    """Whether an import or a definition binds a name."""
    if isinstance(node, ast.alias):
        return name in (node.asname, node.name.partition(".")[0])
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name
