"""Comments beside the arguments of a layer's call: they stay beside what these become.

    l1 = tf.layers.dense(
        inputs=x,
        units=20,  # hidden units
    )

becomes `tf.keras.layers.Dense(`, with `20,  # hidden units` in a line of its own.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass, field

from migrate.programs.graph.made import Layer
from migrate.rewriters.sessions.text import Text

LAYOUT = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT)


@dataclass(slots=True)
class Said:
    """What is said of an argument: in lines above it, and behind it."""

    above: list[str] = field(default_factory=list)
    behind: str = ""


class Noted(str):
    """A statement in one line, and what is said of its call's arguments, by their places."""

    notes: Mapping[int, Said]

    def __new__(cls, line: str, notes: Mapping[int, Said]) -> Noted:
        self = super().__new__(cls, line)
        self.notes = notes
        return self


def noted(line: str, layer: Layer, arguments: Mapping[str, str], text: Text) -> str:
    """The statement that makes a layer, with the comments of its call.

    ``arguments``: Keras's names of TF 1's arguments, in the order in which they are given by place.
    """
    said = _of(layer.call, text)
    stmt = ast.parse(line).body[0] if said else None
    call = stmt.value if isinstance(stmt, ast.Assign) else None
    if not isinstance(call, ast.Call):
        return line
    keras = {**arguments, "name": "name", "scope": "name"}
    named = {keras[k]: said[id(v)] for k, v in layer.given.items() if k in keras and id(v) in said}
    order = list(dict.fromkeys(arguments.values()))
    given = [*order[: len(call.args)], *(k.arg for k in call.keywords)]
    notes = {place: named[name] for place, name in enumerate(given) if name in named}
    return Noted(line, notes) if notes else line


def _of(call: ast.Call, text: Text) -> dict[int, Said]:
    """The comments of a call, by its arguments."""
    if call.lineno == call.end_lineno:
        return {}
    start, end = text.index.span(call)
    if "#" not in text.text[start:end]:
        return {}
    values = [*call.args, *(k.value for k in call.keywords)]
    starts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    found: dict[int, Said] = {}
    used: set[int] = set()  # rows with more than a comment
    for token in tokenize.generate_tokens(io.StringIO(text.text[start:end]).readline):
        row = call.lineno + token.start[0] - 1
        if token.type not in LAYOUT:
            used.update(range(row, call.lineno + token.end[0]))
        if token.type != tokenize.COMMENT:
            continue
        ended = [v for v in values if v.end_lineno == row]
        if row in used and ended:
            found.setdefault(id(ended[-1]), Said()).behind = token.string
        elif row not in used:
            below = next((v for s, v in zip(starts, values, strict=True) if s.lineno > row), None)
            if below is not None:
                found.setdefault(id(below), Said()).above.append(token.string)
    return found
