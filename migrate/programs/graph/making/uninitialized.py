"""`tf.report_uninitialized_variables()`: variables of TF 2 are never without a value.

What an initializer has run for isn't reported in TF 1, either; before that it is.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value


def made(walker: Any) -> tuple[int, ...]:
    """How much there is by now that makes variables, optimizers' own included."""
    return len(walker.owned), len(walker.gradients), len(walker.applies)


@family(T + "report_uninitialized_variables")
def report(walker: Any, name: str, node: ast.Call) -> Value:
    """The names of variables without a value: none, once all were initialised."""
    known = walker.kept.get("initialised") == made(walker)
    local = any(n.startswith(T + "metrics.") for n in walker.endpoints.values())
    if not known or local or walker.nested or node.args or node.keywords:
        raise Blocked(node, "which variables have no value yet")
    walker.rewrites[id(node)] = lambda writer: f"{writer.tf}.constant([], {writer.tf}.string)"
    return Value(Kind.CONST)
