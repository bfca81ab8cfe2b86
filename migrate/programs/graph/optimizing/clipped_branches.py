"""A branch that clips gradients, beside one that doesn't: both compute and apply them.

``if clip > 0: … apply_gradients(zip(clipped, vs)) else: minimize(loss)`` is the gradients, the
clipping in a branch, and what applies them.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Source, Spelled


def check(walker: Any, stmt: ast.If, error: Blocked) -> None:
    """See whether a branch that isn't followed is such a one.

    Raises:
        Spelled: it is.
    """
    if walker.nested or not stmt.orelse or stmt.body[0].lineno == stmt.lineno:
        return
    plain = stmt.orelse
    body = stmt.body
    if len(plain) != 1 or len(body) < 3 or stmt.orelse[0].col_offset == stmt.col_offset:
        return
    first, last, short = body[0], body[-1], plain[0]
    if not all(isinstance(s, ast.Assign) and len(s.targets) == 1 for s in (first, last, short)):
        return
    assert isinstance(first, ast.Assign)
    assert isinstance(last, ast.Assign)
    assert isinstance(short, ast.Assign)
    computed, pair = first.value, ""
    if isinstance(computed, ast.Call) and ast.unparse(computed.func) == "zip":
        (computed,) = computed.args if len(computed.args) == 1 else (computed,)
        computed = computed.value if isinstance(computed, ast.Starred) else computed
        pair = ast.unparse(first.targets[0]).strip("()")
    found = [
        _method(node, name)
        for node, name in (
            (computed, "compute_gradients"),
            (last.value, "apply_gradients"),
            (short.value, "minimize"),
        )
    ]
    calls = [each for each in found if each is not None]
    if len(calls) < len(found) or len({owner for _, owner in calls}) > 1:
        return
    compute, apply, minimize = (call for call, _ in calls)
    if ast.unparse(last.targets[0]) != ast.unparse(short.targets[0]):
        return
    names = ("loss", "global_step", "var_list")
    whole = _given(minimize, names)
    parts = _given(compute, ("loss", "var_list"))
    rest = _given(apply, ("grads_and_vars", "global_step"))
    if whole is None or parts is None or rest is None:
        return
    given = rest.pop("grads_and_vars", "")
    if parts | rest != whole:
        return
    other = ""
    if pair:
        kept = given == f"zip({pair})"
    else:
        name = ast.unparse(first.targets[0])
        other = "" if given == name else f"{given} = {name}"
        kept = isinstance(first.targets[0], ast.Name) and given.isidentifier()
    inner = body[1:-1]
    if not kept or not all(isinstance(s, ast.Assign) for s in inner):
        return
    if any(isinstance(n, ast.NamedExpr) for n in walk(stmt.test)):
        return
    raise Spelled(error.node, error.reason, [(stmt, _written(stmt, other))])


def _written(stmt: ast.If, other: str) -> Any:
    """The statements, those between in a branch; what else there is where they are left out."""
    first, *inner, last = stmt.body

    def written(source: Source) -> str | None:
        pieces = [source(first), source(last)]
        between = source(span(_end(first), _end(inner[-1])))
        header = source(span((stmt.lineno, stmt.col_offset), (first.lineno, first.col_offset)))
        if any("\n" in piece for piece in pieces) or "\n" in header.rstrip():
            return None
        indent = " " * stmt.col_offset
        unit = " " * (first.col_offset - stmt.col_offset)
        lines = [pieces[0], indent + header.rstrip() + between]
        if other:
            lines += [f"{indent}else:", f"{indent}{unit}{other}"]
        return "\n".join([*lines, indent + pieces[1]])

    return written


def _end(node: ast.stmt) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _method(node: ast.expr, name: str) -> tuple[ast.Call, str] | None:
    """A call of a method, where an expression is one, and what it is called on."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    return (node, ast.unparse(node.func.value)) if node.func.attr == name else None


def _given(call: ast.Call, names: tuple[str, ...]) -> dict[str, str] | None:
    """What a call is given, by parameters; None where it is given more."""
    found = {name: ast.unparse(a) for name, a in zip(names, call.args, strict=False)}
    for keyword in call.keywords:
        if keyword.arg not in (*names, "name"):
            return None
        if keyword.arg != "name":
            found[keyword.arg] = ast.unparse(keyword.value)
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    return None if starred or len(call.args) > len(names) else found
