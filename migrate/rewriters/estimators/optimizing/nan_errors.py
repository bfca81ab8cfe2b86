"""`NanLossDuringTrainingError`, caught: the RuntimeError that models with a folder raise.

    except tf.train.NanLossDuringTrainingError:        except RuntimeError:

https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/NanLossDuringTrainingError
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

ERRORS = frozenset(
    f"tensorflow.{module}.NanLossDuringTrainingError" for module in ("train", "estimator")
)


def caught(program: Program) -> None:
    """Say the error by the name of what models raise.

    Raises:
        Blocked: a model doesn't raise it.
    """
    for node in program.scopes.walk():
        if not isinstance(node, (ast.Attribute, ast.Name)) or program.endpoint(node) not in ERRORS:
            continue
        above = program.scopes.parents[id(node)]
        listed = isinstance(above, ast.Tuple)
        handler = program.scopes.parents[id(above)] if listed else above
        if not isinstance(handler, ast.ExceptHandler):
            raise Blocked(node, "NanLossDuringTrainingError, which isn't only caught")
        if any(made.folder is None for made in program.estimators.values()):
            raise Blocked(
                node,
                "NanLossDuringTrainingError of a model without a `model_dir`, whose `fit` goes on: "
                "give it one, or a NanTensorHook in its EstimatorSpec",
            )
        program.edit(node, "RuntimeError")
