"""``slim.variable`` and ``slim.model_variable``, contrib's `get_variable`.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/framework/python/ops/variables.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.layering.total_losses import tensorflow
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Value
from migrate.programs.graph.wording.spelled import Source, Spelled

TAKEN = ("name", "shape", "dtype", "initializer", "regularizer", "trainable")
ENDPOINTS = [
    T + module + name
    for module in ("contrib.slim.", "contrib.framework.")
    for name in ("variable", "model_variable")
]
# What asks for the model's variables, which `get_variable` doesn't tell apart.
ASKED = frozenset(
    {"get_model_variables", "MODEL_VARIABLES", "get_variables_by_name", "get_variables"}
    | {"get_variables_by_suffix", "get_variables_to_restore", "model_variables"}
    | {"assign_from_checkpoint_fn", "get_unique_variable"}
)


@family(*ENDPOINTS)
def variable(walker: Any, name: str, node: ast.Call) -> Value:
    """One of them, as `tf.get_variable`.

    Raises:
        Spelled: its arguments are seen.
    """
    given = dict(walker.bound(name, node))
    what = f"tf{name.removeprefix('tensorflow')}"
    if any(walker.scope_arguments(e) for e in ENDPOINTS):
        raise Blocked(node, f"an arg_scope gives {what} its arguments")
    nones = [k for k, v in given.items() if isinstance(v, ast.Constant) and v.value is None]
    for argument in nones:
        del given[argument]
    if set(given) - set(TAKEN) or "name" not in given:
        raise Blocked(node, f"{what} with these arguments")
    names = {n.attr for n in all_of(walker.tree, ast.Attribute)}
    names |= {n.id for n in all_of(walker.tree, ast.Name)}
    if asked := sorted(names & ASKED):
        raise Blocked(node, f"{what}, where `{asked[0]}` is asked for")
    tf = tensorflow(walker, node)

    def written(source: Source) -> str:
        parts = [source(given["name"])]
        parts += [f"{k}={source(given[k])}" for k in TAKEN[1:] if k in given]
        return f"{tf}.get_variable({', '.join(parts)})"

    raise Spelled(node, f"{what} isn't followed here", [(node, written)])
