"""Lists of variables that are asked for where they are fetched.

    with tf.Session() as sess:                       variables = tf.trainable_variables()
        for step in range(9):                        with tf.Session() as sess:
            …                                            for step in range(9):
            print(sess.run(tf.trainable_variables()))        …
                                                             print(sess.run(variables))

The list gets a name in a statement above, which what asks for the same list later reads, too.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, holds, outward, walk
from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.wording.spelled import Spelled, free, line, word

LOOPS = (ast.For, ast.While)


def check(walker: Any, node: ast.expr, reason: str) -> None:
    """See whether a list of variables that is fetched can have a name.

    Raises:
        Spelled: its statement makes nothing of a graph.
    """
    around = list(outward(walker.tree, node))
    stmt = next((n for n in around if isinstance(n, ast.stmt)), None)
    if not isinstance(stmt, (ast.Assign, ast.Expr)) or walker.frame.region is None:
        return
    if not isinstance(node, ast.Call) or _repeated(stmt, node) or _makes(walker, stmt, node):
        return
    known = _known(walker, node, around)
    if known is not None:
        raise Spelled(node, reason, [(node, word(known))])
    name = free(walker, "variables")
    for outer in around[around.index(stmt) :]:
        if isinstance(outer, LOOPS):
            if _makes(walker, outer, node):
                break
            stmt = outer  # each round asks for the same
        elif isinstance(outer, (ast.FunctionDef, ast.ClassDef)):
            break
    raise Spelled(node, reason, [(node, word(name))], [(stmt, line(name, node))])


def _repeated(stmt: ast.stmt, node: ast.Call) -> bool:
    """Whether a statement may ask for a list more than once."""
    inner = [n for n in walk(stmt) if isinstance(n, COMPREHENSIONS) and holds(n, node)]
    return any(not holds(n.generators[0].iter, node) for n in inner) or any(
        holds(n, node) for n in all_of(stmt, ast.Lambda)
    )


def _makes(walker: Any, stmt: ast.stmt, node: ast.Call) -> bool:
    """Whether a statement may make more of a graph than such a list."""
    wanted = walker.endpoints.get(id(node.func))
    own = {n.name for tree in walker.program() for n in all_of(tree, ast.FunctionDef)}
    own |= {n.name for tree in walker.program() for n in all_of(tree, ast.ClassDef)}
    return any(
        getattr(call.func, "attr", getattr(call.func, "id", "")) in own
        or walker.endpoints.get(id(call.func), wanted) != wanted
        for call in all_of(stmt, ast.Call)
    )


def _known(walker: Any, node: ast.Call, around: list[ast.AST]) -> str | None:
    """What a statement before calls the same list, of the same variables."""
    text = ast.unparse(node)
    count = object_variables.count(walker)
    scope = next(n for n in around if isinstance(n, (ast.FunctionDef, ast.Module)))
    for made in all_of(scope, ast.Assign):
        target, value = made.targets[0], made.value
        if not isinstance(target, ast.Name) or len(made.targets) > 1 or ast.unparse(value) != text:
            continue
        if walker.kept.get("all", {}).get(id(value)) != count or not _before(made, around):
            continue
        names = all_of(scope, ast.Name)
        if sum(n.id == target.id and not isinstance(n.ctx, ast.Load) for n in names) == 1:
            return target.id
    return None


def _before(made: ast.stmt, around: list[ast.AST]) -> bool:
    """Whether a statement surely ran before what stands in all of these."""
    for inner, outer in pairwise(around):
        for block in ("body", "orelse", "finalbody"):
            stmts = getattr(outer, block, None)
            if isinstance(stmts, list) and made in stmts and inner in stmts:
                return stmts.index(made) < stmts.index(inner)
    return False
