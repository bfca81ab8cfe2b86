"""Functions that run whatever part of a graph they are given: ``show(layer_1, image)``.

What such a function runs differs from call to call. Each call gives it a function then, which runs
its part with what is fed::

    def run_layer_1(x_fed):
        return session.run(layer_1, feed_dict={x: x_fed})

    show(run_layer_1, image)
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph import known_branches
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.spelled import Source, Spelled, Written, free, word


def check(walker: Any, target: ast.FunctionDef, name: str, value: Value, reason: str) -> None:
    """See whether a parameter, which other calls give other parts, may be a function.

    Raises:
        Spelled: it may.
    """
    if value.kind is not Kind.TENSOR or value.symbol is None or target not in _top(walker, target):
        return
    run = _run(walker, target, name)
    if run is None:
        return
    feeds = _feeds(target, run)
    calls = known_branches.every(walker, target)
    if feeds is None or not calls or known_branches.mentions(walker, target) != len(calls):
        return
    gone, keys, values = feeds
    params = {a.arg for a in (*target.args.args, *target.args.kwonlyargs)}
    locals_ = params | {n.id for n in all_of(target, ast.Name) if isinstance(n.ctx, ast.Store)}
    outside = [run.func.value, *keys]  # what the functions' bodies say: the module's
    if any(n.id in locals_ for part in outside for n in all_of(part, ast.Name)):
        return
    replaced: list[Written] = [
        (run, lambda source: f"{name}({', '.join(source(v) for v in values)})"),
        *((stmt, lambda _: "") for stmt in gone),
    ]
    before = []
    named: dict[str, str] = {}
    for call in calls:
        given = known_branches.place(target, call, name)
        stmt = _statement(walker, call)
        if given is None or stmt is None or not isinstance(given, ast.Name):
            return
        if given.id not in named:
            named[given.id] = free(walker, f"run_{given.id}", named.values())
            lines = _definition(walker, named[given.id], run, given, keys)
            before.append((stmt, _apart(walker, stmt, lines)))
        replaced.append((given, word(named[given.id])))
    raise Spelled(run, reason, replaced, before)


def _top(walker: Any, target: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of the file in which a function stands."""
    tree = walker.files.at(target).tree
    return tree.body if tree is not None else []


def _statement(walker: Any, call: ast.Call) -> ast.stmt | None:
    """The statement of a file's own in which a call stands, of its first one."""
    for stmt in walker.tree.body:
        if isinstance(stmt, (ast.Expr, ast.Assign)) and holds(stmt, call.func):
            found: ast.stmt = stmt
            return found
    return None


def _run(walker: Any, target: ast.FunctionDef, name: str) -> Any:
    """The one run of a parameter, if the function does nothing else with it."""
    reads = [n for n in all_of(target, ast.Name) if n.id == name]
    runs = [
        n
        for n in all_of(target, ast.Call)
        if isinstance(n.func, ast.Attribute)
        and n.func.attr == "run"
        and isinstance(n.func.value, ast.Name)
        and len(n.args) in (1, 2)
        and n.args[0] in reads
        and {k.arg for k in n.keywords} <= {"feed_dict"}
    ]
    return runs[0] if len(reads) == len(runs) == 1 else None


Feeds = tuple[list[ast.stmt], list[ast.expr], list[ast.expr]]


def _feeds(target: ast.FunctionDef, run: ast.Call) -> Feeds | None:
    """Statements that only make a feed_dict, the placeholders in it, what is fed."""
    given = [*run.args[1:], *(k.value for k in run.keywords)]
    if not given:
        return [], [], []
    gone: list[ast.stmt] = []
    (made,) = given[:1]
    if isinstance(made, ast.Name):
        reads = [n for n in all_of(target, ast.Name) if n.id == made.id]
        makers = [
            s
            for s in target.body
            if isinstance(s, ast.Assign) and len(s.targets) == 1 and s.targets[0] in reads
        ]
        if len(reads) != 2 or len(makers) != 1:
            return None
        # Nothing may change between what is fed and the run.
        behind = target.body[target.body.index(makers[0]) + 1 :]
        if not behind or not holds(behind[0], run):
            return None
        gone, made = [*makers], makers[0].value
    if not isinstance(made, ast.Dict) or not all(
        isinstance(k, (ast.Name, ast.Attribute)) for k in made.keys
    ):
        return None
    return gone, [k for k in made.keys if k is not None], made.values


def _apart(walker: Any, stmt: ast.stmt, lines: Any) -> Any:
    """Lines of a definition, two blank ones around them."""
    body = walker.tree.body
    behind = body[: body.index(stmt)]
    blank = stmt.lineno - (behind[-1].end_lineno or 0) - 1 if behind else 2
    return lambda source: [*[""] * max(2 - blank, 0), *lines(source), "", ""]


def _definition(walker: Any, name: str, run: Any, part: ast.Name, keys: list[ast.expr]) -> Any:
    """The lines of a function that runs a part."""
    said: list[str] = []
    for key in keys:
        last = key.id if isinstance(key, ast.Name) else getattr(key, "attr", "value")
        said.append(free(walker, f"{last}_fed", said))
    unit = "    "

    def lines(source: Source) -> list[str]:
        feeds = ", ".join(f"{source(k)}: {s}" for k, s in zip(keys, said, strict=True))
        feed = f", feed_dict={{{feeds}}}" if keys else ""
        return [
            f"def {name}({', '.join(said)}):",
            f"{unit}return {source(run.func.value)}.run({part.id}{feed})",
        ]

    return lines
