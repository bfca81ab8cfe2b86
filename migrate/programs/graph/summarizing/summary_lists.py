"""Summaries that loops and branches make: dicts of values by tag, filled where a run computes them.

``for g, v in grads_and_vars: summaries.append(tf.summary.histogram(v.op.name + '/grad', g))``: the
list becomes a dict, and the loop goes where its tensors go. A summary that only the graph collects
is put into a list of its own first. Their tags are the author's, as TF 1 cleans them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making import written_lists
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    Blocked,
    Kind,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.summarizing.summary_tags import Tag, loops
from migrate.programs.graph.wording.spelled import Source, Spelled, free

REASON = "summaries in a loop or a branch"
MADE = (T + "summary.scalar", T + "summary.histogram")


@dataclass(slots=True, eq=False, repr=False)
class Gathered:
    """A list that a program appends summaries to."""

    made: ast.Assign
    name: str
    frame: Any
    kinds: dict[str, None] = field(default_factory=dict)
    calls: dict[int, None] = field(default_factory=dict)
    merged: bool = False

    def symbol(self, walker: Any, node: ast.AST) -> Symbol:
        """What its name means now, to who merges it.

        Raises:
            Blocked: the list is another function's.
        """
        symbol: Symbol | None = self.frame.env.get(self.name)
        if symbol is None or symbol.value.node is not self.made:
            raise Blocked(node, f"`{self.name}` isn't the list of summaries any more")
        if symbol.step.region is not walker.frame.region:
            raise Blocked(node, "the summaries that another function makes are merged")
        self.merged = True
        return symbol


def appended_to(walker: Any, node: ast.Call) -> Gathered | None:
    """The list that a statement appends a summary to; None where it does something else."""
    stmt = walker.stmt
    if not isinstance(stmt, ast.Expr) or not isinstance(stmt.value, ast.Call):
        return None
    call = stmt.value
    if call.args != [node] or call.keywords or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr != "append" or not isinstance(call.func.value, ast.Name):
        return None
    name = call.func.value.id
    symbol = walker.frame.env.get(name)
    made = symbol.value.node if symbol is not None else None
    if not isinstance(made, ast.Assign) or not _empty(made) or symbol.step.region is None:
        return None
    known: dict[int, Gathered] = walker.kept.setdefault("gathered", {})
    if id(made) not in known:
        if symbol.value.kind is not Kind.HOST:
            return None  # other things are in it
        _alone(walker, name)
        known[id(made)] = Gathered(made, name, walker.frame)
    return known[id(made)]


def _alone(walker: Any, name: str) -> None:
    """See that a list is only appended summaries to, and merged.

    Raises:
        Blocked: something else is done with it.
        Spelled: a summary that it gets has a name of its own.
    """
    scope = walker.frame.node
    known = set()
    for node in walk(scope):
        if (
            isinstance(node, ast.Call)
            and walker.endpoints.get(id(node.func)) == T + "summary.merge"
        ):
            known |= {id(n) for n in (*node.args, *(k.value for k in node.keywords))}
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        call = node.value
        container = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(container, ast.Name) or container.id != name or len(call.args) != 1:
            continue
        (given,) = call.args
        if isinstance(given, ast.Name):
            _renamed(walker, scope, node, given)
        if isinstance(given, ast.Call) and walker.endpoints.get(id(given.func), "") in MADE:
            known.add(id(container))
    for read in _names(walker, name):
        if isinstance(read.ctx, ast.Load) and id(read) not in known:
            raise Blocked(read, "a list of summaries is used for something else")


def _renamed(walker: Any, scope: ast.AST, append: ast.Expr, given: ast.Name) -> None:
    """``s = tf.summary.…``, then ``summaries.append(s)``: the list gets it where it is made.

    Raises:
        Spelled: so it is.
    """
    stores = [n for n in _names(walker, given.id) if not isinstance(n.ctx, ast.Load)]
    loads = [n for n in _names(walker, given.id) if isinstance(n.ctx, ast.Load)]
    made = [s for s in all_of(scope, ast.Assign) if len(s.targets) == 1 and s.targets[0] in stores]
    if len(stores) != 1 or len(loads) != 1 or len(made) != 1 or made[0].lineno > append.lineno:
        return
    (stmt,), call = made, append.value
    assert isinstance(call, ast.Call)
    if not isinstance(stmt.value, ast.Call) or not _together(scope, stmt, append):
        return
    if walker.endpoints.get(id(stmt.value.func), "") not in MADE:
        return
    raise Spelled(
        stmt,
        REASON,
        [
            (stmt, lambda source: f"{source(call.func)}({source(stmt.value)})"),
            (append, lambda _: ""),
        ],
    )


def _together(scope: ast.AST, *stmts: ast.stmt) -> bool:
    """Whether statements stand in one block."""
    return any(
        all(s in block for s in stmts)
        for n in walk(scope)
        for block in (getattr(n, "body", None), getattr(n, "orelse", None))
        if isinstance(block, list)
    )


def _empty(stmt: ast.Assign) -> bool:
    named = len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name)
    return named and isinstance(stmt.value, ast.List) and not stmt.value.elts


def listed(walker: Any, value: Value) -> Gathered | None:
    """The list of summaries that a value is."""
    found: Gathered | None = walker.kept.get("gathered", {}).get(id(value.node))
    return found


def put(
    walker: Any,
    kind: str,
    node: ast.Call,
    own: ast.expr,
    data: ast.expr,
    told: Callable[[str], str],
) -> Value:
    """A summary that is put into a list; ``told`` gives the tag of a name that is written.

    Raises:
        Blocked: it isn't put into one, or its tag isn't sure.
        Spelled: it can be put into one.
    """
    gathered = appended_to(walker, node)
    if gathered is None:
        written_lists.check(walker, node, REASON)
        respelled(walker, node)
        raise Blocked(node, REASON)
    if gathered.merged and id(node) not in gathered.calls:
        raise Blocked(node, "a list of summaries grows after it was merged")
    value = walker.expression(data)
    kinds = (Kind.TENSOR, Kind.CONST, Kind.VARIABLE, Kind.PLACEHOLDER, Kind.HOST)
    if value.kind not in kinds or value.items is not None or value.data == "container":
        raise Blocked(data, f"a summary of {described(value)}")
    if isinstance(own, ast.Constant) and not loops(walker.sink.node, node):
        known = told(str(own.value))
        if walker.nested:  # what is asked for later may have it or not
            walker.kept.setdefault("names of branches", {})[known.lower()] = node
        written: Callable[[Any], str] = partial(_quoted, known, own)
    else:
        written = Tag(walker, own, node).written()
    gathered.kinds[kind] = gathered.calls[id(node)] = None
    entries = walker.kept.setdefault("summaries", [])
    if gathered not in entries:
        entries.append(gathered)
    walker.rewrites[id(walker.stmt.value)] = lambda w: w.module.summaries.put_into(
        gathered, kind, written(w), data, value, w
    )
    walker.rewrites[id(gathered.made.value)] = lambda w: w.module.summaries.begun(gathered)
    return Value(Kind.TENSOR)


def _quoted(tag: str, own: ast.expr, writer: Any) -> str:
    text = writer.text.source(own)
    quote = text[-1] if text[-1] in "'\"" else '"'
    return f"{quote}{tag}{quote}"


# -- summaries that aren't in lists yet ------------------------------------------------------


def respelled(walker: Any, node: ast.Call) -> None:
    """See whether a summary can be made where a list gets it.

    Raises:
        Spelled: it can.
    """
    stmt, outer = walker.stmt, walker.sink.node
    if walker.frame.region is None or not isinstance(outer, (ast.For, ast.If)):
        return
    if isinstance(stmt, ast.Expr) and stmt.value is node:
        _collected(walker, outer, node)
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return
    (target,) = stmt.targets
    if not isinstance(target, ast.Name):
        return
    loads = [n for n in _names(walker, target.id) if isinstance(n.ctx, ast.Load)]
    if not loads and len(_names(walker, target.id)) == 1:
        _collected(walker, outer, node)
    for append in walk(outer):
        if isinstance(append, ast.Expr) and _appends(append, target.id):
            _renamed(walker, walker.frame.node, append, loads[0])


def _collected(walker: Any, outer: ast.stmt, node: ast.Call) -> None:
    """Summaries that only the graph collects: a list of their own.

    Raises:
        Spelled: always.
    """
    stmts = [
        s
        for s in walk(outer)
        if isinstance(s, (ast.Expr, ast.Assign))
        and isinstance(s.value, ast.Call)
        and walker.endpoints.get(id(s.value.func), "").startswith(T + "summary.")
        and (isinstance(s, ast.Expr) or s.value is node)
    ]
    gradients = isinstance(outer, ast.For) and "grad" in ast.unparse(outer.iter)
    name = free(walker, "gradient_summaries" if gradients else "summaries")
    raise Spelled(
        node,
        REASON,
        [(s, _into(name, s)) for s in stmts],
        [(outer, lambda _: [f"{name} = []"])],
    )


def _into(name: str, stmt: ast.Expr | ast.Assign) -> Callable[[Source], str]:
    return lambda source: f"{name}.append({source(stmt.value)})"


def _names(walker: Any, name: str) -> list[ast.Name]:
    scope = walker.frame.node
    return [n for n in all_of(scope, ast.Name) if n.id == name]


def _appends(stmt: ast.Expr, name: str) -> bool:
    call = stmt.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    given = call.args[0] if len(call.args) == 1 and not call.keywords else None
    return call.func.attr == "append" and isinstance(given, ast.Name) and given.id == name
