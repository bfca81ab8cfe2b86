"""`keep_checkpoint_every_n_hours`: a checkpoint of every so many hours stays, beside the last ones.

TF 1 counts from when training began, `CheckpointManager` from the last checkpoint that stayed.

https://www.tensorflow.org/api_docs/python/tf/train/CheckpointManager
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

FIELD = "keep_checkpoint_every_n_hours"
NEVER = 1000  # hours that no training takes; by itself TF 1 says 10000
# `Checkpointed` that is told so.
TOLD = (
    ("keep=5, summary_steps=100):", f"keep=5, keep_hours=None,\n{' ' * 17}summary_steps=100):"),
    ("        self.keep = keep\n", "        self.keep, self.keep_hours = keep, keep_hours\n"),
    (
        "                max_to_keep=self.keep,\n",
        f"                max_to_keep=self.keep,\n                {FIELD}=self.keep_hours,\n",
    ),
)


def written(program: Program, node: ast.expr) -> str:
    """What `Checkpointed` is told of the hours that a RunConfig says; nothing where none pass.

    Raises:
        Blocked: TF 1.15.5 would raise for them.
    """
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, int | float) or node.value <= 0:
            raise Blocked(node, f"`{FIELD}` of a RunConfig that isn't a time")
        if node.value >= NEVER:
            return ""
    if "kept hours" not in program.kept:
        program.kept["kept hours"] = True
        program.finish.append(lambda: _told(program, node))
    program.say(node, "the hours count from the last checkpoint that stayed")
    return program.source(node)


def _told(program: Program, node: ast.expr) -> None:
    for page in program.pages:
        source = page.needed.get("Checkpointed")
        if source is None:
            continue
        for old, new in TOLD:
            if source.count(old) != 1:
                raise Blocked(node, f"`{FIELD}` of such a model")
            source = source.replace(old, new)
        page.needed["Checkpointed"] = source
