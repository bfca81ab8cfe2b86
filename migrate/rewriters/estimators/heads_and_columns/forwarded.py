"""`forward_features` of `contrib.estimator`: features that predictions of a canned Estimator have.

    model = forward_features(model, 'key')        model.forward_features('key')

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/estimator/python/estimator/extenders.py
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.heads_and_columns import added
from migrate.rewriters.estimators.heads_and_columns.columns import columns
from migrate.rewriters.estimators.program import Estimator, Program


def taken(program: Program, call: ast.Call, made: Estimator) -> None:
    """Write which features a model's predictions have.

    Raises:
        Blocked: they can't be followed.
    """
    if not isinstance(program.scopes.parents[id(call)], ast.Expr) or made.call is not made.home:
        raise Blocked(call, "features of the predictions of what isn't a canned Estimator above")
    given = program.given(call, added.FORWARDS)
    keys = given.pop("keys", None)
    owner = given.pop("estimator", None)
    if keys is None or owner is None:
        raise Blocked(call, "all features beside predictions")
    for name, node in given.items():
        raise Blocked(node, f"`{name}` of forward_features")
    if ("forwarded", id(made)) in program.kept:
        raise Blocked(call, "features beside predictions that have some")
    program.kept["forwarded", id(made)] = True
    columns(program).features.add("forwarded")
    new = f"{program.source(owner)}.forward_features({program.source(keys)})"
    program.edit(call, new, "features beside predictions")
