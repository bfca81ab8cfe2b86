"""Comments that stand for themselves in a block that goes: they stand as deep as its statements."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from migrate.engine.findings import Edit
from migrate.programs.graph.model import Region


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
        lines = range(block.lineno, (block.end_lineno or block.lineno) + 1)
        depth |= dict.fromkeys(lines, (own, wanted))
    for number, (own, wanted) in depth.items():
        line = text.lines[number - 1]
        if number in known or number in text.inside or own == wanted:
            continue
        if line.startswith(f"{own}#"):
            start = text.start(number)
            yield Edit(start, start + len(own), wanted)


def apart(found: Iterable[Edit], others: Iterable[Edit]) -> list[Edit]:
    """Those of the edits that no other one reaches."""
    spans = [(e.start, e.end) for e in others]
    return [e for e in found if not any(lo < e.end and e.start < hi for lo, hi in spans)]
