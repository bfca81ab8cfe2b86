"""Summaries in functions that a model_fn calls, and in those that become layers.

They are written while the model trains, under the tags that TF 1 gives them: the scopes around the
call stand before those of the function. Evaluations and predictions write none, as in TF 1.

https://www.tensorflow.org/api_docs/python/tf/summary/experimental/write_raw_pb
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import tags
from migrate.rewriters.estimators.program import Program

KINDS = {
    "tensorflow.summary.scalar": (
        "write_scalar",
        '''def write_scalar(tag, value):
    """Write a value under its tag, where a model trains."""
    step = {tf}.summary.experimental.get_step()
    if step is not None:
        summary = {tf}.raw_ops.ScalarSummary(tags=tag, values=value)
        {tf}.summary.experimental.write_raw_pb(summary, step=step + 1)
''',
    ),
    "tensorflow.summary.histogram": (
        "write_histogram",
        '''def write_histogram(tag, values):
    """Write the distribution of some values under their tag, where a model trains."""
    step = {tf}.summary.experimental.get_step()
    if step is not None:
        summary = {tf}.raw_ops.HistogramSummary(tag=tag, values=values)
        {tf}.summary.experimental.write_raw_pb(summary, step=step + 1)
''',
    ),
}
# What tells them the step, and keeps evaluations in the middle of training from writing.
TELLS = (
    (
        "        with self.writer.as_default(), ",
        "        step = self.optimizer.iterations.value\n"
        "        with self.writer.as_default(step), ",
    ),
    (
        '        found = super().evaluate(dataset, **{**kwargs, "return_dict": True})\n',
        "        with {tf}.summary.record_if(False):\n"
        '            found = super().evaluate(dataset, **{**kwargs, "return_dict": True})\n',
    ),
)
GOES = "this summary isn't written: {}"


def is_one(program: Program, stmt: ast.AST) -> bool:
    """Whether a statement only makes a summary."""
    called = program.called(stmt.value) if isinstance(stmt, ast.Expr) else ""
    return called.startswith("tensorflow.summary.")


def prefix(program: Program, function: ast.AST) -> str | None:
    """The scopes in which a model_fn or a function that becomes a layer is called."""
    found = program.kept.get(("prefix", id(function)))
    return found if isinstance(found, str) else None


def scope(program: Program, function: ast.AST, call: ast.AST, above: str | None) -> str | None:
    """The scopes at a call, with those ``above`` its function; None where they aren't all seen."""
    if above is None or not isinstance(function, ast.FunctionDef):
        return None
    if any(isinstance(a, (ast.For, ast.While)) for a in program.scopes.around(call)):
        return None  # each round has scopes of its own
    parts = list(tags.scopes(program, function, call))
    if not all(isinstance(p, str) for p in parts):
        return None
    return above + "".join(f"{p}/" for p in parts)


def written(
    program: Program,
    function: ast.FunctionDef,
    stmt: ast.Expr,
    above: str | None,
    source: Callable[[ast.AST], str],
) -> str | None:
    """What is written for a summary of a function; None, and it is said, where nothing is.

    Raises:
        Blocked: its arguments aren't followed.
    """
    call = stmt.value
    assert isinstance(call, ast.Call)
    endpoint = program.called(call)
    if endpoint not in KINDS:
        program.say(stmt, GOES.format("only numbers and their distributions are"))
        return None
    given = program.given(call)
    value = given.get("tensor", given.get("values"))
    if value is None or set(given) - {"name", "tensor", "values"} or "name" not in given:
        raise Blocked(call, "these arguments of a summary")
    if program.kept.get("writes") is not True:
        program.say(stmt, GOES.format("the model has no folder, or replicas"))
        return None
    around = scope(program, function, call, above)
    name = tags.constant(program, function, given["name"])
    if around is None or name is None or above is None:
        program.say(stmt, GOES.format("what TF 1 calls it isn't seen"))
        return None
    name_of, code = KINDS[endpoint]
    program.need(stmt, name_of, code)
    if not program.kept.get("helpers write"):
        program.kept["helpers write"] = True
        program.finish.append(lambda: _told(program))
    return f"{name_of}({above + name!r}, {source(value)})"


def helper(program: Program, stmt: ast.Expr, path: Sequence[tuple[ast.AST, ast.Call]]) -> None:
    """See to a summary of a function that steps call; ``path``: the calls that lead to it."""
    seen = program.kept.setdefault(("helper summary", id(stmt)), {})
    assert isinstance(seen, dict)
    if not seen:
        program.finish.append(lambda: _settled(program, stmt, seen))
    above = prefix(program, path[0][0])
    for function, call in path:
        above = scope(program, function, call, above)
    seen[tuple(id(call) for _, call in path)] = above


def _settled(program: Program, stmt: ast.Expr, seen: dict[tuple[int, ...], str | None]) -> None:
    function = program.scopes.scope(stmt)
    assert isinstance(function, ast.FunctionDef)
    above = next(iter(seen.values())) if len(seen) == 1 else None
    new = written(program, function, stmt, above, program.source)
    if new is None:
        program.remove(stmt)
    else:
        program.edit(stmt.value, new)


def _told(program: Program) -> None:
    """Let models that keep checkpoints tell functions when to write."""
    for page in program.pages:
        if (source := page.needed.get("Checkpointed")) is not None:
            for old, new in TELLS:
                assert old in source
                source = source.replace(old, new.replace("{tf}", program.tf))
            page.needed["Checkpointed"] = source
