"""Lists of assignments that a branch makes: each stands above it, as a function that is run or not.

``if hard: self.hard_copy = [t.assign(e) for …]`` and ``else: self.soft_copy = […]``: a run of the
one that the branch doesn't make stops TF 1, so that no program asks which of them are there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making.repeated import chain
from migrate.programs.graph.meaning import T
from migrate.programs.graph.objects import own_attributes
from migrate.programs.graph.wording import spelled

CALLED = frozenset({"zip", "enumerate", "reversed"})
ASKING = frozenset({"hasattr", "getattr", "delattr"})
PLAIN = (
    *(ast.ListComp, ast.comprehension, ast.Name, ast.Attribute, ast.Constant, ast.Subscript),
    *(ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Slice, ast.Call, ast.keyword),
    *(ast.operator, ast.unaryop, ast.expr_context),
)


def check(walker: Any, node: ast.Call, reason: str) -> None:
    """See whether what is made here is one of such a branch's lists.

    Raises:
        Spelled: it is, and the branch is written without them.
    """
    stmt, branch, function = walker.stmt, walker.sink.node, walker.frame.parent
    function = function.node if function is not None else None
    if not isinstance(branch, ast.If) or not isinstance(function, ast.FunctionDef):
        return
    if chain(branch, stmt) != [branch] or any(isinstance(s, ast.If) for s in branch.orelse):
        return
    ways = [*branch.body, *branch.orelse]
    bound = {
        getattr(n, "id", getattr(n, "attr", ""))
        for s in ways
        for n in walk(s)
        if isinstance(getattr(n, "ctx", None), (ast.Store, ast.Del))
    }
    moved = [s for s in ways if _copies(walker, function, s, bound)]
    if stmt not in moved or len({s.lineno for s in ways} | {branch.lineno}) <= len(ways):
        return
    raise spelled.Spelled(node, reason, [(branch, _written(branch, moved))])


def _copies(walker: Any, function: ast.FunctionDef, stmt: ast.stmt, bound: set[str]) -> bool:
    """Whether a statement only keeps a list of assignments, of what the branch doesn't bind."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return False
    (target,), value = stmt.targets, stmt.value
    if not isinstance(target, ast.Attribute) or not isinstance(value, ast.ListComp):
        return False
    if not function.args.args or ast.unparse(target.value) != function.args.args[0].arg:
        return False
    stores = own_attributes.stores(walker, walker.frame.region.node, target.attr)
    said = any(
        n.value == target.attr
        for call in all_of(walker.tree, ast.Call)
        if isinstance(call.func, ast.Name) and call.func.id in ASKING
        for n in all_of(call, ast.Constant)
    )
    made = value.elt.func if isinstance(value.elt, ast.Call) else None
    if (
        stores != [target]
        or said
        or made is None
        or not all(isinstance(n, PLAIN) for n in walk(value))
    ):
        return False
    if walker.endpoints.get(id(made)) != T + "assign" and getattr(made, "attr", "") != "assign":
        return False
    for call in all_of(value, ast.Call):
        known = id(call.func) in walker.endpoints or getattr(call.func, "id", "") in CALLED
        if not known and call is not value.elt:
            return False
    own = {n.id for g in value.generators for n in all_of(g.target, ast.Name)}
    read = {getattr(n, "id", getattr(n, "attr", "")) for n in walk(value)}
    return not (read - own - {""}) & bound


def _written(branch: ast.If, moved: Sequence[ast.stmt]) -> Callable[[spelled.Source], str | None]:
    """The lists, and what is left of the branch."""
    less = branch.body[0].col_offset - branch.col_offset

    def lines(source: spelled.Source) -> str | None:
        text = ["", *source(branch).split("\n")]
        text[1] = " " * branch.col_offset + text[1]
        above: list[str] = []
        ways: list[list[str]] = []
        at = branch.test.end_lineno or branch.lineno
        for way in (branch.body, branch.orelse):
            kept: list[str] = []
            for stmt in way:
                end = stmt.end_lineno or stmt.lineno
                found = text[at - branch.lineno + 2 : end - branch.lineno + 2]
                found = [line for line in found if line.strip() not in ("", "else:")]
                deep = [len(line) - len(line.lstrip()) - branch.col_offset for line in found]
                dedented = [ln[max(0, min(less, d)) :] for ln, d in zip(found, deep, strict=True)]
                above += dedented if stmt in moved else []
                kept += found if stmt not in moved else []
                at = end
            ways.append(kept)
        body, other = ways
        margin, test = " " * branch.col_offset, source(branch.test)
        if body:
            above += text[1 : (branch.test.end_lineno or branch.lineno) - branch.lineno + 2]
            above += body + ([f"{margin}else:", *other] if other else [])
        elif other:
            above += [f"{margin}if not ({test}):", *other]
        return "\n".join(above).lstrip()

    return lines
