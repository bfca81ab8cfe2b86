"""What a model_fn reads of its RunConfig, where a process without a cluster has only one answer.

    partitions = config.num_ps_replicas if config else 0        partitions = 0 if True else 0

An Estimator gives its model_fn a RunConfig in any case.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, Written, word

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

NAME = "config"


def spelled(program: Program, function: ast.FunctionDef) -> None:
    """Write out what a model_fn reads of its RunConfig.

    Raises:
        Spelled: that is the same in all processes without a cluster.
        Blocked: it isn't.
    """
    from migrate.rewriters.estimators.runs.config_flow import ALONE

    changes: list[Written] = []
    bound = [a for a in all_of(function, ast.arg) if a.arg == NAME]
    if len(bound) > 1 or any(n.id == NAME for n in all_of(function, ast.Name) if _set(n)):
        raise Blocked(function, "a model_fn whose `config` may be something else than a RunConfig")
    for node in all_of(function, ast.Name):
        if node.id != NAME:
            continue
        above = program.scopes.parents[id(node)]
        tested = isinstance(above, (ast.If, ast.IfExp)) and above.test is node
        if isinstance(above, ast.Attribute) and above.attr in ALONE:
            changes.append((above, word(ALONE[above.attr])))
        elif tested:
            changes.append((node, word("True")))
        else:
            if isinstance(above, ast.Attribute):
                raise Blocked(node, f"a model_fn that reads `.{above.attr}` of its RunConfig")
            raise Blocked(
                node,
                "a model_fn that hands its RunConfig on: hand on what is read of it, such as "
                "config.num_ps_replicas, which is 0 without a cluster",
            )
    raise Spelled(function, "a model_fn that reads its RunConfig", changes)


def _set(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)
