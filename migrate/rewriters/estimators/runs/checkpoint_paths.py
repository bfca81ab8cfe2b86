"""`checkpoint_path` of `evaluate` and `predict`: another checkpoint than the latest one.

https://www.tensorflow.org/api_docs/python/tf/train/Checkpoint#restore
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.runs import strategies

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

# `Checkpointed` that is told which checkpoint it is asked for.
TOLD = (
    ("def restore(self, dataset):", "def restore(self, dataset, checkpoint=None):"),
    (
        '"""Restore the latest checkpoint, if there is one that the model isn\'t at."""',
        '"""Restore a checkpoint, or the latest one, if the model isn\'t at it."""',
    ),
    ("        latest = ", "        latest = checkpoint or "),
    (
        "        if latest is not None and latest != self.restored:\n",
        "        if latest is None and self.restored is not None:\n"
        '            raise ValueError(f"no checkpoint in {self.folder}")\n'
        "        if latest is not None and latest != self.restored:\n",
    ),
    (
        "def evaluate(self, dataset, name=None, **kwargs):\n"
        '        """Evaluate the latest checkpoint; what',
        "def evaluate(self, dataset, name=None, checkpoint=None, **kwargs):\n"
        '        """Evaluate a checkpoint, or the latest one; what',
    ),
    (
        "        self.restore(dataset)\n        found =",
        "        self.restore(dataset, checkpoint)\n        found =",
    ),
    (
        'def predict(self, dataset, **kwargs):\n        """Predict by the latest checkpoint."""\n'
        "        self.restore(dataset)\n",
        "def predict(self, dataset, checkpoint=None, **kwargs):\n"
        '        """Predict by a checkpoint, or the latest one."""\n'
        "        self.restore(dataset, checkpoint)\n",
    ),
)


def written(program: Program, made: Estimator, given: dict[str, ast.expr]) -> str:
    """The argument that says a checkpoint, taken out of what a method is given.

    Raises:
        Blocked: the model keeps none, or is another's.
    """
    node = given.pop("checkpoint_path", None)
    if node is None:
        return ""
    if made.folder is None:
        raise Blocked(node, "`checkpoint_path` of a model without a `model_dir`")
    if strategies.kind(program):
        raise Blocked(node, "`checkpoint_path` under a strategy")
    if "checkpoint paths" not in program.kept:
        program.kept["checkpoint paths"] = True
        program.finish.append(lambda: _told(program, node))
    return f", checkpoint={program.source(node)}"


def _told(program: Program, node: ast.expr) -> None:
    for page in program.pages:
        source = page.needed.get("Checkpointed")
        if source is None:
            continue
        for old, new in TOLD:
            if source.count(old) != 1:
                raise Blocked(node, "`checkpoint_path` of such a model")
            source = source.replace(old, new)
        page.needed["Checkpointed"] = source


__all__ = ["written"]
