"""Functions that make variables and take a tensor or several, which they join first.

The outputs of a bidirectional net are two. What the one call gives decides: it gives what the
function joins, or the question goes.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.expressions import listed
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

REASON = "a function is given a tensor or several"
SEVERAL = frozenset({"tuple", "list"})


def check(walker: Any, target: ast.FunctionDef, given: dict[str, Value], node: ast.Call) -> None:
    """See whether a function asks so, and its call tells.

    Raises:
        Spelled: it does.
    """
    for stmt in target.body:
        name = _asked(stmt)
        value = given.get(name) if name else None
        if value is None or value.kind is not Kind.TENSOR or not isinstance(stmt, ast.If):
            continue
        calls = known_branches.every(walker, target)
        if len(calls) != 1 or calls[0].func is not node.func or _bound(target, stmt, name):
            return
        if not listed(value):
            raise Spelled(stmt, REASON, [(stmt, word(""))])
        joined = _joined(walker, stmt, name, target, node)
        if joined is not None:  # the question goes next, when one tensor is given
            raise Spelled(joined[0], REASON, [joined])
        return


def _asked(stmt: ast.stmt) -> str:
    """The name of which a branch asks whether it is several."""
    test = stmt.test if isinstance(stmt, ast.If) and not stmt.orelse else None
    if not isinstance(test, ast.Call) or ast.unparse(test.func) != "isinstance" or test.keywords:
        return ""
    if len(test.args) != 2 or not isinstance(test.args[0], ast.Name):
        return ""
    kinds = test.args[1]
    asked = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    plain = all(isinstance(k, ast.Name) and k.id in SEVERAL for k in asked)
    return test.args[0].id if plain else ""


def _bound(target: ast.FunctionDef, stmt: ast.stmt, name: str) -> bool:
    """Whether a parameter is bound, or anything is done, before it is asked."""
    for earlier in target.body:
        if earlier is stmt:
            return False
        if not (isinstance(earlier, ast.Expr) and isinstance(earlier.value, ast.Constant)):
            return any(isinstance(n, ast.Name) and n.id == name for n in walk(earlier))
    return True


def _joined(
    walker: Any, stmt: ast.If, name: str, target: ast.FunctionDef, node: ast.Call
) -> Written | None:
    """What the call gives instead of several."""
    only = stmt.body[0]
    argument = known_branches.place(target, node, name)
    if len(stmt.body) != 1 or not isinstance(only, ast.Assign) or argument is None:
        return None
    (to, *more), made = only.targets, only.value
    if more or not isinstance(to, ast.Name) or to.id != name or not isinstance(made, ast.Call):
        return None
    endpoint = walker.endpoints.get(id(made.func), "")
    if not endpoint.endswith((".concat", ".add_n", ".stack")):
        return None
    theirs = walker.files.at(node).aliases()
    roots = {n.id for n in all_of(made, ast.Name)} - {name}
    odd = [n for n in walk(made) if name in (getattr(n, "attr", ""), getattr(n, "arg", ""))]
    if odd or not roots <= theirs or not roots <= walker.files.at(target).aliases():
        return None

    def written(source: Source) -> str:
        return re.sub(rf"\b{re.escape(name)}\b", lambda _: source(argument), ast.unparse(made))

    return argument, written
