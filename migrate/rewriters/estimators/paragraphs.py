"""What is said of statements that go goes with them, where nothing is left below it.

# Log the probabilities                  # Train the model
tensors = {"probabilities": "softmax"}   net.fit(…)
hook = tf.train.LoggingTensorHook(…)

# Train the model
net.train(…, hooks=[hook])
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from migrate.rewriters.estimators.program import Program


def gone(program: Program) -> None:
    """Look at the blocks that statements were taken out of."""
    trees = [p.part.document.tree for p in program.pages] if program.removed else []
    for node in (n for tree in trees for n in walk(tree)):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and any(id(s) in program.removed for s in body):
                try:
                    _block(program, body)
                except Blocked:
                    continue  # statements that share a line


def _block(program: Program, body: Sequence[ast.stmt]) -> None:
    text = program.text
    pieces = [text.piece(stmt) for stmt in body]
    for at, stmt in enumerate(body):
        piece, end = pieces[at], at
        if id(stmt) not in program.removed or piece.first == piece.line or not at:
            continue
        while end + 1 < len(body) and pieces[end + 1].first == pieces[end].last + 1:
            end += 1  # what follows without a blank line
        if end + 1 == len(body) or not all(id(s) in program.removed for s in body[at : end + 1]):
            continue
        said = text.lines[piece.first - 1 : piece.line - 1]
        start, stop, after = piece.first, piece.line, pieces[end].last + 1
        if not all(line.lstrip().startswith("#") for line in said):
            continue
        lo, hi = text.start(start), text.start(stop)
        if any(e.start < hi and lo < e.end for e in program.edits):
            continue
        program.edits.append(Edit(lo, hi, ""))
        lo, hi = text.start(after), text.start(after + 1)
        goes = any(e.start < hi and lo < e.end for e in program.edits)  # with what follows
        if not goes and not text.lines[start - 2].strip() and not text.lines[after - 1].strip():
            program.edits.append(Edit(lo, hi, ""))
