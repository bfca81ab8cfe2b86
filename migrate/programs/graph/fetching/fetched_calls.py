"""Calls of functions with layers inside of what is fetched: ``sess.run(net(x, reuse=True), …)``.

TF 1 makes the ops anew at each such run. They stand before the session instead, under a name.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.made import Layer
from migrate.programs.graph.meaning import SCOPES
from migrate.programs.graph.model import Blocked, Fetch, Instance
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, free, line, word

REASON = "layers are applied in what is fetched"
PLAIN = (
    ast.Subscript,
    *(ast.Call, ast.Name, ast.Attribute, ast.Constant, ast.keyword, ast.expr_context),
    *(ast.operator, ast.unaryop, ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple),
)


def check(walker: Any, fetched: Fetch) -> None:
    """See that nothing that is fetched applies layers itself.

    Raises:
        Spelled: something does, with variables that are there already.
        Blocked: something does otherwise.
    """
    for leaf in fetched.leaves():
        inside = [walker.layers[id(n)] for n in walk(leaf.node) if id(n) in walker.layers]
        applied = [layer for layer in inside if not layer.inline]
        if not applied:
            continue
        _of_object(walker, leaf.node, applied)
        _lent(walker, leaf.node, applied)
        stmt = _before(walker, walker.frame.node, walker.stmt)
        whole = isinstance(leaf.node, ast.Call) and len(applied) == 1 and applied[0].factory
        if stmt is None or not whole or applied[0].same is None or not still(leaf.node, stmt):
            raise Blocked(leaf.node, REASON)
        call, source = leaf.node, ast.unparse(leaf.node)
        name = _known(walker, source, stmt)
        if name is not None:
            raise Spelled(call, REASON, [(call, word(name))])
        new = free(walker, _wish(applied[0].factory))
        raise Spelled(call, REASON, [(call, word(new))], [(stmt, line(new, call))])


def _of_object(walker: Any, call: ast.AST, applied: Sequence[Layer]) -> None:
    """``sess.run(net(model.z, reuse=True))``: what an object is asked for, it makes itself.

    Raises:
        Spelled: the call has nothing but parts of one object and constants.
    """
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return
    if len(applied) != 1 or applied[0].factory is None or applied[0].same is None:
        return
    given = [*call.args, *(k.value for k in call.keywords)]
    parts = [n for n in given if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)]
    if not parts or any(n not in parts and not isinstance(n, ast.Constant) for n in given):
        return
    (owner, *others) = {ast.unparse(n.value) for n in parts}
    value = walker.expression(parts[0].value)
    cls = value.data.node if isinstance(value.data, Instance) else None
    if others or cls is None or walker.files.at(cls) is not walker.files.at(call):
        return
    init = next((m for m in cls.body if getattr(m, "name", "") == "__init__"), None)
    if not isinstance(init, ast.FunctionDef) or not init.args.args:
        return
    last, itself = init.body[-1], init.args.args[0].arg
    stores = [n.attr for n in all_of(cls, ast.Attribute) if not isinstance(n.ctx, ast.Load)]
    if not isinstance(last, (ast.Assign, ast.Expr, ast.With)) or call.func.id in _bound(init):
        return
    if any(stores.count(n.attr) != 1 or n.attr not in _sets(init) for n in parts):
        return
    taken = {n.attr for n in all_of(walker.tree, ast.Attribute)}
    name = _wish(applied[0].factory)
    if name in taken or name in {m.name for m in all_of(cls, ast.FunctionDef)}:
        return

    def made(source: Source) -> str:
        text = ast.unparse(call).replace(f"{owner}.", f"{itself}.")
        return f"{source(last)}\n{' ' * last.col_offset}{itself}.{name} = {text}"

    raise Spelled(call, REASON, [(call, word(f"{owner}.{name}")), (last, made)])


def _bound(init: ast.FunctionDef) -> set[str]:
    names = {n.id for n in all_of(init, ast.Name) if not isinstance(n.ctx, ast.Load)}
    return names | {a.arg for a in all_of(init, ast.arg)}


def _sets(init: ast.FunctionDef) -> set[str]:
    return {n.attr for n in all_of(init, ast.Attribute) if not isinstance(n.ctx, ast.Load)}


def _lent(walker: Any, call: ast.AST, applied: Sequence[Layer]) -> None:
    """``def show(sess, z): sess.run(net(z, True))``, called once: its caller makes what is run.

    Raises:
        Spelled: the function only asks for what it is given, with variables that are there.
    """
    target = walker.frame.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return
    if len(applied) != 1 or applied[0].factory is None or applied[0].same is None:
        return
    if not isinstance(target, ast.FunctionDef) or target.decorator_list or target.args.defaults:
        return
    params = [a.arg for a in target.args.args]
    given = [*call.args, *(k.value for k in call.keywords)]
    names = [n for n in given if isinstance(n, ast.Name)]
    if any(n not in names and not isinstance(n, ast.Constant) for n in given):
        return
    if not names or {n.id for n in names} - set(params) or {n.id for n in names} & _stored(target):
        return
    if target.args.vararg or target.args.kwarg or target.args.kwonlyargs:
        return
    calls = known_branches.every(walker, target)
    if len(calls) != 1 or target not in walker.files.at(target).tree.body:
        return
    (outer,) = calls
    said = {p: known_branches.place(target, outer, p) for p in params}
    scope = function_around(walker.tree, outer) or walker.files.at(outer).tree
    stmt = _before(walker, scope, outer)
    if stmt is None or None in said.values() or walker.files.at(outer) is not walker.files.at(call):
        return
    written = ast.parse(ast.unparse(call), mode="eval").body
    for n in walk(written):
        if isinstance(n, ast.Call):
            n.args = [_instead(a, said) for a in n.args]
            for k in n.keywords:
                k.value = _instead(k.value, said)
    if not still(written, stmt):
        return
    name = free(walker, _wish(applied[0].factory))
    items: list[Any] = [*outer.args, *outer.keywords]
    last = max(items, key=lambda n: (n.lineno, n.col_offset))
    more = f"{name}={name}" if outer.keywords else name
    raise Spelled(
        call,
        REASON,
        [
            (call, word(name)),
            (target.args.args[-1], word(f"{params[-1]}, {name}")),
            (last, lambda source: f"{source(last)}, {more}"),
        ],
        [(stmt, lambda source: [f"{name} = {ast.unparse(written)}"])],
    )


def _wish(factory: ast.FunctionDef) -> str:
    """What a function's result is called."""
    return f"{factory.name.lower().removeprefix('get_')}_output"


def _instead(node: ast.expr, said: dict[str, Any]) -> ast.expr:
    return said[node.id] if isinstance(node, ast.Name) else node


def _stored(scope: ast.AST) -> set[str]:
    return {n.id for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)}


def path(scope: ast.AST, node: ast.AST) -> list[ast.stmt]:
    """The statements of a function, or of the module, that stand around something."""
    found: list[ast.stmt] = []
    body = getattr(scope, "body", [])
    while body is not None:
        inner = next((s for s in body if holds(s, node)), None)
        if inner is None:
            return []
        found.append(inner)
        blocks = [getattr(inner, part, []) for part in ("body", "orelse", "finalbody")]
        blocks += [handler.body for handler in getattr(inner, "handlers", [])]
        body = next((b for b in blocks if any(holds(s, node) for s in b)), None)
    return found


def _before(walker: Any, scope: ast.AST, node: ast.AST) -> ast.stmt | None:
    """The statement before which the graph still grows: the session's block, a loop …"""
    for stmt in path(scope, node):
        if isinstance(stmt, ast.With) and all(_scope(walker, i.context_expr) for i in stmt.items):
            continue
        return stmt
    return None


def _scope(walker: Any, node: ast.expr) -> bool:
    """Whether a block's expression opens a scope or a graph, in which ops are to be made."""
    if not isinstance(node, ast.Call):
        return False
    graph = isinstance(node.func, ast.Attribute) and node.func.attr == "as_default"
    return graph or walker.endpoints.get(id(node.func)) in SCOPES


def still(node: ast.expr, stmt: ast.stmt) -> bool:
    """Whether an expression means before a statement what it means in it."""
    parts = list(walk(node))
    if not all(isinstance(n, PLAIN) for n in parts):
        return False
    if sum(isinstance(n, ast.Call) for n in parts) > 1:
        return False
    names = {n.id for n in parts if isinstance(n, ast.Name)}
    bound = {n.id for n in all_of(stmt, ast.Name) if not isinstance(n.ctx, ast.Load)}
    attributes = {n.attr for n in parts if isinstance(n, ast.Attribute)}
    bound |= {n.attr for n in all_of(stmt, ast.Attribute) if not isinstance(n.ctx, ast.Load)}
    for whole in (n.value for n in parts if isinstance(n, ast.Subscript)):
        read = {id(n.value) for n in all_of(stmt, ast.Subscript) if isinstance(n.ctx, ast.Load)}
        uses = [n for n in all_of(stmt, ast.Name) if n.id == getattr(whole, "id", None)]
        if not isinstance(whole, ast.Name) or any(id(n) not in read for n in uses):
            return False  # its items may change
    return not (names | attributes) & bound


def _known(walker: Any, source: str, stmt: ast.stmt) -> str | None:
    """A name that such a call has been given before."""
    body = getattr(walker.frame.node, "body", [])
    stores = [n.id for n in all_of(walker.frame.node, ast.Name) if not isinstance(n.ctx, ast.Load)]
    for earlier in body:
        if earlier.lineno >= stmt.lineno:
            break
        target = earlier.targets[0] if isinstance(earlier, ast.Assign) else None
        if isinstance(target, ast.Name) and len(earlier.targets) == 1:
            if stores.count(target.id) == 1 and ast.unparse(earlier.value) == source:
                return target.id
    return None
