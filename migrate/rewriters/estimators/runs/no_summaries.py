"""`save_summary_steps` of a RunConfig that may be 0 or `None`: no step's summaries are written.

https://www.tensorflow.org/api_docs/python/tf/summary
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

SAYS = '''        """Whether the step at hand is one whose summaries are written."""
'''
# `Checkpointed` that writes none.
TOLD = (
    SAYS
    + """        if not self.summary_steps:
            return False
"""
)


def written(program: Program, node: ast.expr) -> str:
    """The steps between summaries, for a model."""
    if not isinstance(node, ast.Constant) or not node.value:
        if "no summaries" not in program.kept:
            program.kept["no summaries"] = True
            program.finish.append(lambda: _told(program, node))
    return program.source(node)


def _told(program: Program, node: ast.expr) -> None:
    for page in program.pages:
        source = page.needed.get("Checkpointed")
        if source is None:
            continue
        if source.count(SAYS) != 1:
            raise Blocked(node, "`save_summary_steps` of such a model")
        page.needed["Checkpointed"] = source.replace(SAYS, TOLD)
