"""Summaries of a dataset's elements in the function that gives it: its callers make them.

tf.summary.image('images', images)                   images, labels = inputs().…get_next()
return images, labels                                tf.summary.image('images', images)

What a caller changes in its turn is given as it was, too, beside the elements.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.rewriters.sessions.queues.files import Summary
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import loaded, stored

KINDS = frozenset(f"summary.{n}" for n in ("image", "histogram", "scalar", "audio"))
KINDS |= {"image_summary", "histogram_summary", "scalar_summary"}

if TYPE_CHECKING:
    from migrate.rewriters.sessions.queues.beginnings import Beginnings


def summary(scope: Beginnings, stmt: ast.stmt, flow: Flow) -> bool:
    """Whether a statement is a summary of an element's part, and of nothing else that changes."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if scope.module.endpoint(call) not in KINDS or scope.scoped or flow.ended:
        return False
    if not isinstance(scope.node, ast.FunctionDef) or not isinstance(call, ast.Call):
        return False
    parts = [n for n in all_of(call, ast.Name) if n is not _root(call.func)]
    given = [*call.args, *(k.value for k in call.keywords)]
    plain = all(isinstance(a, ast.Constant) or a in parts for a in given)
    return plain and len(parts) == 1 and parts[0].id in flow.own


def part_of(stmt: ast.stmt, flow: Flow) -> str:
    """The name that a summary is of."""
    return next(iter(loaded(stmt) & flow.own))


def given(
    scope: Beginnings, flow: Flow, value: ast.expr
) -> tuple[tuple[Summary, ...], list[str]] | None:
    """The summaries of what a function returns, which go from it; None: one isn't of that.

    And the names of what it has to return besides: these are of it.
    """
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    names = [p.id if isinstance(p, ast.Name) else "" for p in parts]
    if flow.summaries and not _parts(flow):
        return None
    found = list(flow.summaries)
    shown: dict[str, str] = {}
    if flow.summaries and (flow.body or names != flow.names):
        found = []
        changed = set().union(*(stored(s) for s in flow.body))
        for one in flow.summaries:
            name = flow.names[one.part]
            if (name in changed or name not in names) and name not in shown:
                if len(parts) < 2:
                    return None
                shown[name] = scope.free(wish(name)) if name in changed else name
            at = len(names) + list(shown).index(name) if name in shown else names.index(name)
            found.append(Summary(one.before, at, one.after))
        flow.kept = [f"{new} = {name}" for name, new in shown.items() if new != name]
    text = scope.module.text
    for stmt in flow.trail:
        name = part_of(stmt, flow)
        named = next(n for n in all_of(stmt, ast.Name) if n.id == name)
        if names.count(name) != 1:
            return None
        start, end = text.index.span(stmt)
        lo, hi = text.index.span(named)
        found.append(Summary(text.text[start:lo], names.index(name), text.text[hi:end]))
    for stmt in flow.trail:
        scope.module.remove(stmt, scope.floors[id(stmt)])
    return tuple(found), list(shown.values())


def wish(name: str) -> str:
    """What to call what only summaries are of."""
    return name if name.startswith("shown_") else f"shown_{name}"


def lines(scope: Beginnings, flow: Flow) -> list[str] | None:
    """Those that a function left to its caller; None: what they are of has no name."""
    if flow.summaries and not _parts(flow):
        return None
    return [f"{s.before}{flow.names[s.part]}{s.after}" for s in flow.summaries]


def _parts(flow: Flow) -> bool:
    """Whether each part of an element has a name."""
    return flow.unpacked or flow.several is False


def _root(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node
