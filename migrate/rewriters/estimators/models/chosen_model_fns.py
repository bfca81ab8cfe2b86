"""A model_fn that branches choose: the Estimator is made in these branches.

model_fn = rnn_model                       if FLAGS.bow_model:
if FLAGS.bow_model:                            classifier = Estimator(model_fn=bow_model)
    model_fn = bow_model                   else:
classifier = Estimator(model_fn=model_fn)      classifier = Estimator(model_fn=rnn_model)
"""

from __future__ import annotations

import ast

from migrate.programs.graph.wording.spelled import Source, Spelled, Written
from migrate.rewriters.estimators.program import Program

Choice = tuple[ast.expr | None, ast.expr]  # a test, or none of what is left; what it chooses


def spelled(program: Program, node: ast.expr, call: ast.Call) -> None:
    """See whether branches right above an Estimator choose its model_fn.

    Raises:
        Spelled: they do.
    """
    stmt = program.scopes.statement(call)
    above = program.scopes.parents[id(stmt)]
    blocks = [getattr(above, part, []) for part in ("body", "orelse", "finalbody")]
    block = next((b for b in blocks if stmt in b), [])
    place = block.index(stmt) if stmt in block else 0
    if (
        not isinstance(node, ast.Name)
        or not isinstance(stmt, (ast.Assign, ast.Return))
        or not place
    ):
        return
    found = program.scopes.bindings(node.id, node)
    if not found or any(b.kind != "assign" for b in found):
        return
    if list(program.reads(node.id, found[0].scope)) != [node]:
        return
    test = block[place - 1]
    choices = _choices(test, node.id) if isinstance(test, ast.If) else None
    gone: list[ast.stmt] = []
    if isinstance(test, ast.If) and choices is not None and choices[-1][0] is not None:
        begun = [s for s in block[: place - 1] if _named(s, node.id) is not None]
        if len(begun) != 1:
            return
        gone, value = begun, _named(begun[0], node.id)
        assert value is not None
        choices = [*choices, (None, value)]
    if choices is None or len(found) != len(choices):
        return
    if any(program.scopes.function(value) is None for _, value in choices):
        return
    index, unit = program.text.index, program.text.unit
    start = index.span(stmt)[0]
    at, end = (place - start for place in index.span(node))
    indent = program.text.piece(stmt).indent

    def written(source: Source) -> str:
        text, lines = source(stmt), list[str]()
        for number, (asked, value) in enumerate(choices):
            head = "else" if asked is None else f"{'elif' if number else 'if'} {source(asked)}"
            lines.append(f"{indent if number else ''}{head}:")
            first, *rest = f"{text[:at]}{source(value)}{text[end:]}".splitlines()
            lines += [indent + unit + first, *(unit + line for line in rest)]
        return "\n".join(lines)

    changes: list[Written] = [(test, written), (stmt, lambda source: "")]
    changes += [(one, lambda source: "") for one in gone]
    raise Spelled(call, "the model_fn isn't seen", changes)


def _choices(stmt: ast.If, name: str) -> list[Choice] | None:
    """What each branch gives a name, if that is all that it does; no test: what is left."""
    found: list[Choice] = []
    while True:
        value = _named(stmt.body[0], name) if len(stmt.body) == 1 else None
        if value is None:
            return None
        found.append((stmt.test, value))
        if not stmt.orelse:
            return found
        last = stmt.orelse[0]
        if len(stmt.orelse) > 1:
            return None
        if not isinstance(last, ast.If):
            value = _named(last, name)
            return None if value is None else [*found, (None, value)]
        stmt = last


def _named(stmt: ast.stmt, name: str) -> ast.expr | None:
    """What a statement gives a name, by another name; nothing if it does anything else."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) > 1:
        return None
    target, value = stmt.targets[0], stmt.value
    same = isinstance(target, ast.Name) and target.id == name
    return value if same and isinstance(value, (ast.Name, ast.Attribute)) else None
