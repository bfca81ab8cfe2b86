"""A function that a branch puts in the place of another one: one function with the branch in it.

``attn_cell = lstm_cell``, then ``if keep_prob < 1: def attn_cell(): …``, as language models choose
what their cells are. Both are called without arguments.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.wording.chosen_functions import REASON, lasts, own_statements
from migrate.programs.graph.wording.spelled import Source, Spelled, free, word


def check(walker: Any, call: ast.Call) -> None:
    """See whether what is called is a function, or what a branch defines by its name.

    Raises:
        Spelled: it is, and the condition stays what it is.
    """
    frame = walker.frame
    while frame is not None and not isinstance(frame.node, (ast.FunctionDef, ast.Module)):
        frame = frame.parent
    scope = frame.node if frame is not None else None
    if scope is None or not isinstance(call.func, ast.Name):
        return
    name, body = call.func.id, own_statements(scope)
    first = [
        s for s in body if isinstance(s, ast.Assign) and [*map(ast.unparse, s.targets)] == [name]
    ]
    later = [s for s in body if _defines(s, name)]
    names = [n for n in all_of(scope, ast.Name) if n.id == name]
    stores = [n for n in names if not isinstance(n.ctx, ast.Load)]
    defined = [n for n in all_of(scope, ast.FunctionDef) if n.name == name]
    if len(first) != 1 or len(later) != 1 or len(stores) != 1 or len(defined) != 1:
        return
    (made,), (branch,), (inner,) = first, later, defined
    assert isinstance(branch, ast.If)
    called = {id(c.func) for c in all_of(scope, ast.Call) if not c.args and not c.keywords}
    reads = [n for n in names if n not in stores]
    late = branch.end_lineno or branch.lineno
    if made.lineno > branch.lineno or any(n.lineno <= late or id(n) not in called for n in reads):
        return
    if not isinstance(made.value, ast.Name) or not lasts(walker, scope, branch.test):
        return
    other = made.value
    wrapped = _wraps(inner, other.id)
    own = free(walker, "made")

    def around(source: Source) -> str:
        """``made = lstm_cell()``, which the branch wraps: cells are told one after another."""
        assert wrapped is not None
        value, call = wrapped
        deep, deeper = " " * inner.col_offset, " " * (2 * inner.col_offset - branch.col_offset)
        return "\n".join(
            (
                f"def {name}():",
                f"{deep}{own} = {source(call)}",
                f"{deep}if {source(branch.test)}:",
                f"{deeper}{own} = {source(value).replace(source(call), own, 1)}",
                f"{deep}return {own}",
            )
        )

    def written(source: Source) -> str | None:
        lines = source(branch).splitlines()
        start = inner.lineno - branch.lineno
        below = lines[start + 1 :]
        if inner.body[0].lineno == inner.lineno or start != 1 or "\t" in "".join(lines):
            return None  # on the header's line, or a comment stands between
        if wrapped is not None and "#" not in "".join(below):
            return around(source)
        deep = " " * inner.col_offset
        head = [f"def {name}():", f"{deep}if {source(branch.test)}:"]
        return "\n".join([*head, *below, f"{deep}return {source(other)}()"])

    raise Spelled(call, REASON, [(made, word("")), (branch, written)])


def _wraps(inner: ast.FunctionDef, other: str) -> tuple[ast.expr, ast.Call] | None:
    """What a function returns and the one call of the other function that it is made of."""
    (stmt, *more) = inner.body
    if more or not isinstance(stmt, ast.Return) or not isinstance(stmt.value, ast.Call):
        return None
    calls = [
        n
        for n in all_of(stmt.value, ast.Call)
        if isinstance(n.func, ast.Name) and n.func.id == other and not n.args and not n.keywords
    ]
    names = [n for n in all_of(stmt.value, ast.Name) if n.id == other]
    first = stmt.value.args[:1] == calls  # nothing is computed before it
    return (stmt.value, calls[0]) if first and len(calls) == len(names) == 1 else None


def _defines(stmt: ast.stmt, name: str) -> bool:
    """Whether a branch defines a function of that name, and does no more."""
    if not isinstance(stmt, ast.If) or stmt.orelse or len(stmt.body) != 1:
        return False
    inner = stmt.body[0]
    if not isinstance(inner, ast.FunctionDef) or inner.name != name or inner.decorator_list:
        return False
    args = inner.args
    return not (args.args or args.kwonlyargs or args.vararg or args.kwarg or args.posonlyargs)
