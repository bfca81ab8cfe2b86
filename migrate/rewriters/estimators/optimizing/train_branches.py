"""A train op in two branches: with the updates of batch normalizations where there are some.

    if params.use_batch_norm:
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = optimizer.minimize(loss, global_step=global_step)
    else:
        train_op = optimizer.minimize(loss, global_step=global_step)

It is one train op where every batch normalization of the program stands under the same test.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.syntax import root, stores

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

NORMS = ("batch_normalization", "batch_norm", "BatchNormalization")


def same(program: Program, node: ast.expr, body: Sequence[ast.stmt]) -> ast.expr:
    """The train op that both branches give a name; the expression itself where there are none.

    Raises:
        Blocked: the branches give the same one, but not the same updates.
    """
    if not isinstance(node, ast.Name):
        return node
    stmt = next((s for s in reversed(body) if node.id in stores(s)), None)
    if not isinstance(stmt, ast.If):
        return node
    first, second = _given(stmt.body, node.id), _given(stmt.orelse, node.id)
    if first is None or second is None or ast.dump(first) != ast.dump(second):
        return node
    waits = [_waits(program, branch) for branch in (stmt.body, stmt.orelse)]
    if waits == [True, False]:
        for call in program.calls():
            if program.endpoint(call.func).endswith(NORMS) and not _under(program, call, stmt):
                raise Blocked(call, "batch normalization whose updates only some runs wait for")
            if any(k.arg == "normalizer_fn" for k in call.keywords):
                raise Blocked(call, "batch normalization whose updates only some runs wait for")
    elif waits == [False, True]:
        return node
    return first


def _given(body: Sequence[ast.stmt], name: str) -> ast.expr | None:
    """What a branch, in scopes or not, does: it gives a name its value, and nothing else."""
    if len(body) != 1:
        return None
    stmt = body[0]
    if isinstance(stmt, ast.With):
        return _given(stmt.body, name)
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    named = isinstance(target, ast.Name) and target.id == name
    return stmt.value if named and isinstance(stmt, ast.Assign) else None


def _waits(program: Program, body: Sequence[ast.stmt]) -> bool:
    return any(
        program.called(item.context_expr) == "tensorflow.control_dependencies"
        for stmt in body
        if isinstance(stmt, ast.With)
        for item in stmt.items
    )


def _under(program: Program, call: ast.Call, branch: ast.If) -> bool:
    """Whether a call is made where a test holds, which is about the same value."""
    owners = [program.scopes.scope(n) for n in (call, branch)]
    name = root(branch.test)
    if owners[0] is not owners[1]:
        found = program.scopes.bindings(name, call) if name else []
        if len(found) != 1 or found[0].kind != "param" or not _handed(program, owners[0], name):
            return False
    inner: ast.AST = call
    for above in program.scopes.around(call):
        if isinstance(above, ast.If) and ast.dump(above.test) == ast.dump(branch.test):
            return inner in above.body
        inner = above
    return False


def _handed(program: Program, function: ast.AST, name: str) -> bool:
    """Whether every call of a function gives a parameter what the caller calls the same."""
    if not isinstance(function, ast.FunctionDef):
        return False
    names = [a.arg for a in function.args.args]
    for use in program.readers(function):
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use:
            return False
        given = dict(zip(names, call.args, strict=False))
        given.update({str(k.arg): k.value for k in call.keywords})
        value = given.get(name)
        if not isinstance(value, ast.Name) or value.id != name:
            return False
    return True
