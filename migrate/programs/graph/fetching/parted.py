"""Functions that run whatever part of a graph they are given: ``show(layer_1, image)``.

What such a function runs differs from call to call. Each call gives it a function then, which runs
its part with what is fed::

    def run_layer_1(x_fed):
        return session.run(layer_1, feed_dict={x: x_fed})

    show(run_layer_1, image)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word


def check(walker: Any, target: ast.FunctionDef, name: str, value: Value, reason: str) -> None:
    """See whether a parameter, which other calls give other parts, may be a function.

    Raises:
        Spelled: it may.
    """
    kinds = (Kind.TENSOR, Kind.OP)
    if value.kind not in kinds or value.symbol is None or target not in _top(walker, target):
        return
    run = _run(walker, target, name)
    if run is None:
        return
    args = target.args
    params = {a.arg for a in (*args.args, *args.kwonlyargs)}
    fed = _fed(target, run, params)
    feeds = ([], [], []) if fed else _feeds(target, run)
    calls = known_branches.every(walker, target)
    if feeds is None or not calls or known_branches.mentions(walker, target) != len(calls):
        return
    gone, keys, values = feeds
    locals_ = params | {n.id for n in all_of(target, ast.Name) if isinstance(n.ctx, ast.Store)}
    lent = run.func.value.id in params  # a session that each call gives
    outside = [*([] if lent else [run.func.value]), *keys]  # what the functions say: the module's
    if any(n.id in locals_ for part in outside for n in all_of(part, ast.Name)):
        return
    if fed and (args.defaults or args.kwonlyargs or args.vararg or args.kwarg):
        return
    replaced: list[Written] = [
        (run, lambda source: f"{name}({', '.join(source(v) for v in values)})"),
        *((stmt, lambda _: "") for stmt in gone),
        *(_without(args.args, next(a for a in args.args if a.arg == fed), {}) if fed else []),
    ]
    before = []
    named: dict[tuple[str, str, str], str] = {}
    for call in calls:
        given = known_branches.place(target, call, name)
        session = known_branches.place(target, call, run.func.value.id) if lent else run.func.value
        feed = known_branches.place(target, call, fed) if fed else None
        stmt = _statement(walker, call)
        if given is None or stmt is None or not isinstance(given, ast.Name):
            return
        if not isinstance(session, ast.Name) or (fed and not _plain(feed)):
            return
        key = (given.id, session.id, ast.unparse(feed) if feed else "")
        if key not in named:
            named[key] = free(walker, f"run_{given.id}", named.values())
            unit = " " * (target.body[0].col_offset - target.col_offset)
            lines = _definition(walker, named[key], session, given, keys, feed, unit)
            before.append((stmt, _apart(walker, stmt, lines)))
        elif stmt not in walker.tree.body:
            return  # where the first one stands isn't where this one can see it
        written = {id(given): named[key]}
        if feed is not None:
            replaced += _without([*call.args, *call.keywords], feed, written)
        replaced += [(given, word(text)) for text in written.values()]
    raise Spelled(run, reason, replaced, before)


def fed(walker: Any, target: ast.FunctionDef, given: dict[str, Value], reason: str) -> None:
    """The same of a function that is given what it feeds, too.

    Raises:
        Spelled: a parameter may be a function.
    """
    for name, value in given.items():
        run = _run(walker, target, name)
        if run is not None and _fed(target, run, set(given)):
            check(walker, target, name, value, reason)


def _fed(target: ast.FunctionDef, run: ast.Call, params: set[str]) -> str:
    """The parameter that is the run's feed_dict, and nothing else; empty where none is."""
    given = [*run.args[1:], *(k.value for k in run.keywords)]
    if len(given) != 1 or not isinstance(given[0], ast.Name) or given[0].id not in params:
        return ""
    reads = [n for n in all_of(target, ast.Name) if n.id == given[0].id]
    return given[0].id if len(reads) == 1 else ""


def _plain(feed: ast.expr | None) -> bool:
    """Whether a feed_dict says the same whenever it is looked at: numbers for placeholders."""
    if not isinstance(feed, ast.Dict):
        return False
    keys = all(isinstance(k, (ast.Name, ast.Attribute)) for k in feed.keys)
    return keys and all(isinstance(v, ast.Constant) for v in feed.values)


def _without(items: Sequence[Any], item: ast.AST, written: dict[int, str]) -> list[Written]:
    """One of several parameters or arguments goes, with its comma; others are written anew."""
    place = next(i for i, n in enumerate(items) if n is item or getattr(n, "value", None) is item)
    at = place + 1 if place + 1 < len(items) else place - 1
    if at < 0:
        return []
    beside, nodes = items[at], sorted((items[at], items[place]), key=_start)
    whole = span(_start(nodes[0]), (nodes[1].end_lineno, nodes[1].end_col_offset))
    value = getattr(beside, "value", beside) if isinstance(beside, ast.keyword) else beside
    text = written.pop(id(value), None)
    if text is not None and isinstance(beside, ast.keyword):
        text = f"{beside.arg}={text}"
    return [(whole, word(text) if text is not None else lambda source: source(beside))]


def _start(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _top(walker: Any, target: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of the file in which a function stands."""
    tree = walker.files.at(target).tree
    return tree.body if tree is not None else []


def _statement(walker: Any, call: ast.Call) -> ast.stmt | None:
    """The statement of a file's own or of a function's in which a call stands, of its first one."""
    functions = [n for n in all_of(walker.tree, ast.FunctionDef) if n.name != "__init__"]
    for scope in (walker.tree, *functions):
        for stmt in _plain_blocks(scope.body):
            if isinstance(stmt, (ast.Expr, ast.Assign)) and holds(stmt, call.func):
                return stmt
    return None


def _plain_blocks(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, and those of sessions and graphs that are opened around some."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, ast.With):
            yield from _plain_blocks(stmt.body)


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
    if stmt not in body:
        return lambda source: ["", *lines(source), ""]
    behind = body[: body.index(stmt)]
    blank = stmt.lineno - (behind[-1].end_lineno or 0) - 1 if behind else 2
    return lambda source: [*[""] * max(2 - blank, 0), *lines(source), "", ""]


def _definition(
    walker: Any,
    name: str,
    session: ast.expr,
    part: ast.Name,
    keys: list[ast.expr],
    given: ast.expr | None,
    unit: str,
) -> Any:
    """The lines of a function that runs a part."""
    said: list[str] = []
    for key in keys:
        last = key.id if isinstance(key, ast.Name) else getattr(key, "attr", "value")
        said.append(free(walker, f"{last}_fed", said))

    def lines(source: Source) -> list[str]:
        feeds = ", ".join(f"{source(k)}: {s}" for k, s in zip(keys, said, strict=True))
        feed = f", feed_dict={{{feeds}}}" if keys else ""
        feed = feed if given is None else f", feed_dict={source(given)}"
        return [
            f"def {name}({', '.join(said)}):",
            f"{unit}return {source(session)}.run({part.id}{feed})",
        ]

    return lines
