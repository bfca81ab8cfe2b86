"""Comments that stand for themselves in a block that goes: they stand as deep as its statements."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.programs.graph.model import Kind, Region, Step
from migrate.rewriters.sessions.text import Piece

GOES = (Kind.INIT, Kind.SESSION)  # of the graph's, and nowhere else then
READ = "read_data_sets"
RULE = re.compile(r"#\s*([#=*~-])\1{3,}\s*#?")


def edits(module: Any, region: Region, taken: Iterable[tuple[int, int]]) -> Iterator[Edit]:
    """What moves them; ``taken``: the lines, from and to, that are written anew anyhow."""
    text = module.text
    known = {n for first, last in taken for n in range(first, last + 1)}
    blocks: dict[int, tuple[ast.With, str, str]] = {}  # how deep they stand, and will
    for step in region.steps:
        block = step.outer[-1] if step.outer else None
        if isinstance(block, ast.With) and id(block) not in blocks and step.node in block.body:
            line = text.lines[step.node.lineno - 1]
            own = line[: len(line) - len(line.lstrip())]
            blocks[id(block)] = block, own, module.indent(step)
    depth: dict[int, tuple[str, str]] = {}  # by line
    for block, own, wanted in sorted(blocks.values(), key=lambda b: b[0].lineno):
        lines = range(block.lineno, _end(text, block, own) + 1)
        depth |= dict.fromkeys(lines, (own, wanted))
    for number, (own, wanted) in depth.items():
        line = text.lines[number - 1]
        if number in known or number in text.inside or own == wanted:
            continue
        if line.startswith(own) and line.lstrip().startswith("#"):  # an inner block's end, too
            start = text.start(number)
            yield Edit(start, start + len(own), wanted)


def _end(text: Any, block: ast.With, own: str) -> int:
    """The last line of a block, the comments below its statements with it."""
    end = last = block.end_lineno or block.lineno
    while last < len(text.lines) and text.lines[last].strip()[:1] in ("", "#"):
        last += 1
        said = text.lines[last - 1]
        if said.startswith(own) and said.lstrip().startswith("#"):
            end = last
    return end


def title(module: Any, step: Step, piece: Piece) -> str:
    """The title above a statement that goes: it is one of what follows.

    ``#######``, ``# training``, ``#######``; a plain comment is on the statement and goes with it.
    """
    if step.kind not in GOES:
        return ""  # it stands elsewhere, with its comments
    lines = [module.text.lines[n - 1] for n in range(piece.first, piece.line)]
    rules = [i for i, line in enumerate(lines) if RULE.fullmatch(line.strip())]
    if len(rules) < 2 or rules[-1] == rules[0] + 1:
        return ""
    base, indent = piece.indent, module.indent(step)
    return "".join(f"{indent}{line.removeprefix(base)}" for line in lines[: rules[-1] + 1])


def of_read(module: Any, step: Step, piece: Piece, then: tuple[Step, Piece]) -> str:
    """``# Import MNIST data`` above the reader's import, where what is read stands right below."""
    if not isinstance(step.node, ast.ImportFrom) or step.kind is not Kind.SETTING:
        return ""
    following, place = then
    reads = any(ast.unparse(n.func).endswith(READ) for n in all_of(following.node, ast.Call))
    if not reads or place.first != piece.last + 1 or place.first != place.line:
        return ""
    return str(module.text.render(piece.first, piece.line - 1, piece.indent, module.indent(step)))


def apart(found: Iterable[Edit], others: Iterable[Edit]) -> list[Edit]:
    """Those of the edits that no other one reaches."""
    spans = [(e.start, e.end) for e in others]
    return [e for e in found if not any(lo < e.end and e.start < hi for lo, hi in spans)]
