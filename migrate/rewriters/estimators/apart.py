"""A name of Python's own value that is bound again to a variable: the value gets its own name.

table = np.vstack([vectors, zeros])            table_values = np.vstack([vectors, zeros])
table = tf.Variable(table, dtype=tf.float32)   table = tf.Variable(table_values, …)
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.wording.spelled import Spelled, word

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

HIDDEN = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.JoinedStr, ast.Global, ast.Nonlocal)
LOOPS = (ast.For, ast.While)


def told(program: Program, call: ast.Call, value: ast.expr) -> None:
    """See whether a variable has the name of what it begins with.

    Raises:
        Spelled: it has, and where the name means which is seen.
    """
    scope = program.scopes.scope(call)
    stmt = program.scopes.statement(call)
    if not isinstance(scope, ast.FunctionDef) or not isinstance(stmt, ast.Assign):
        return
    target = stmt.targets[0]
    if not isinstance(value, ast.Name) or not isinstance(target, ast.Name) or len(stmt.targets) > 1:
        return
    name = target.id
    if value.id != name or stmt.value is not call:
        return
    if any(isinstance(a, LOOPS) for a in program.scopes.around(stmt)):
        return
    inner = [n for n in walk(scope) if isinstance(n, HIDDEN) and n is not scope]
    if any(isinstance(n, ast.Name) and n.id == name for f in inner for n in walk(f)):
        return
    block = program.scopes.parents[id(stmt)]
    body = block.body if isinstance(block, (ast.FunctionDef, ast.With)) else []
    above = body[: body.index(stmt)] if stmt in body else []
    # Back to where the value was made: what it is made of may have had the name, too.
    own: list[ast.stmt] = []
    for other in reversed(above):
        own.append(other)
        binds = [n for n in all_of(other, ast.Name) if n.id == name and stored(n)]
        if not binds:
            continue
        if not isinstance(other, ast.Assign) or other.targets != binds:
            return
        reads = any(isinstance(n, ast.Name) and n.id == name for n in walk(other.value))
        if not reads:
            break
    else:
        return
    first = [n for s in own for n in all_of(s, ast.Name) if n.id == name]
    new = program.free(scope, f"{name}_values", f"{name}_at_first")
    reason = f"`{name}` is a value first, then a variable"
    raise Spelled(call, reason, [(n, word(new)) for n in (*first, value)])


def stored(node: ast.Name) -> bool:
    """Whether a name is given something."""
    return isinstance(node.ctx, ast.Store)
