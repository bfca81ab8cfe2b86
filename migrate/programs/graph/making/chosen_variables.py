"""A name that is a variable on one way and a tensor on the other, by a condition of Python's.

``weight = tf.transpose(embedding)`` where weights are shared, else ``tf.get_variable(…)``: the
variable gets a name of its own, and a conditional expression says what the name means.
"""

from __future__ import annotations

import ast
import io
import tokenize
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.fetching.choices import is_plain, kind_of, unit_of
from migrate.programs.graph.meaning import VARIABLES
from migrate.programs.graph.model import Blocked, Kind
from migrate.programs.graph.wording.spelled import Source, Spelled, free

WHAT = "a name is a variable or a tensor, by a condition"


def check(walker: Any, stmt: ast.If) -> None:
    """See whether a branch makes a variable where the other way computes a tensor.

    Raises:
        Spelled: it does, and nothing else.
    """
    if walker.nested or walker.loops or walker.frame.region is None:
        return
    ways = [_only(stmt.body), _only(stmt.orelse)]
    if ways[0] is None or ways[1] is None:
        return
    (target, first), (other, second) = ways[0], ways[1]
    if ast.unparse(target) != ast.unparse(other) or not is_plain(stmt.test):
        return
    made = [_makes(walker, value) for value in (first, second)]
    if made[0] == made[1]:
        return
    variable, tensor = (first, second) if made[0] else (second, first)
    calls = all_of(tensor, ast.Call)
    if any(_makes(walker, n) for n in calls) or not _computed(walker, tensor):
        return
    bare = target.attr if isinstance(target, ast.Attribute) else ast.unparse(target)
    own = free(walker, f"{bare}_variable")
    if any(isinstance(n, ast.Attribute) and n.attr == own for n in walk(walker.tree)):
        return
    if isinstance(target, ast.Attribute):
        own = f"{ast.unparse(target.value)}.{own}"
    indent, unit = " " * stmt.col_offset, unit_of(walker.tree)

    def written(source: Source) -> str | None:
        text = source(stmt)
        if "\t" in text or '"""' in text or "'''" in text:
            return None
        kept = _comments(indent + text, [source(first), source(second)])
        if kept is None:
            return None
        test = source(stmt.test)
        name, computed = source(target), "\n".join(_shifted(source(tensor), -len(unit)))
        lines = [*kept, f"if {test}:" if made[0] else f"if {_negated(stmt.test, test)}:"]
        lines.append(f"{unit}{own} = {source(variable)}")
        if made[0]:
            lines.append(f"{name} = {own} if {test} else {computed}")
        else:
            lines.append(f"{name} = {computed} if {test} else {own}")
        return f"\n{indent}".join(lines)

    raise Spelled(stmt, WHAT, [(stmt, written)])


def _only(body: list[ast.stmt]) -> tuple[ast.Name | ast.Attribute, ast.expr] | None:
    """What the one statement of a block assigns, and to which name."""
    stmt = body[0] if len(body) == 1 else None
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return None
    (target,) = stmt.targets
    if isinstance(target, ast.Name):
        return target, stmt.value
    if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
        return target, stmt.value
    return None


def _computed(walker: Any, node: ast.expr) -> bool:
    try:
        return kind_of(walker, node) is Kind.TENSOR
    except Blocked:
        return False  # it is told where the branch is followed


def _makes(walker: Any, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in VARIABLES


def _negated(test: ast.expr, said: str) -> str:
    """The opposite of a condition."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return said[3:].strip()
    return f"not {said}" if isinstance(test, (ast.Name, ast.Attribute)) else f"not ({said})"


def _shifted(text: str, by: int) -> list[str]:
    first, *more = text.split("\n")
    return [first, *(line[-by:] if not line[:-by].strip() else line for line in more)]


def _comments(text: str, parts: list[str]) -> list[str] | None:
    """The comments of a branch that stand outside of what it assigns."""
    for part in parts:
        if text.count(part) != 1:
            return None
        text = text.replace(part, "0")
    tokens = tokenize.generate_tokens(io.StringIO(text + "\n").readline)
    return [t.string for t in tokens if t.type == tokenize.COMMENT]
