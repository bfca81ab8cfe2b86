"""TFM216 assertion-op: assertions check when they are called and return nothing.

https://www.tensorflow.org/api_docs/python/tf/debugging/assert_type

In TF 1 `tf.assert_integer`, `tf.assert_scalar` and `tf.assert_type` returned an op to depend on.
As a statement of its own the assertion is the same in `tf.debugging`; where its value is used
TF 1's is kept from `tf.compat.v1`.
"""

from __future__ import annotations

import ast

from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.arguments import change_to
from migrate.rewriters.kept import keep
from migrate.symbols.outcomes import Arguments

ASSERTION = Rule(
    "TFM216",
    "assertion-op",
    "an assertion whose op is used",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/debugging/assert_type",
)
# TF 1's assert_scalar takes its name before its message.
MOVED = {"assert_integer": 3, "assert_scalar": 1, "assert_type": 4}


@ASSERTION.endpoint(
    *(f"tensorflow.{name}" for name in MOVED),
    *(f"tensorflow.debugging.{name}" for name in MOVED),
)
def check(site: Site) -> Result | None:
    """Rename a statement, keep what is used."""
    name = site.endpoint.rpartition(".")[2]
    if site.call is None or not isinstance(site.ref.stmt, ast.Expr):
        return keep(site, ASSERTION, "gives an op in TF 1 only")
    if site.ref.stmt.value is not site.call:
        return keep(site, ASSERTION, "gives an op in TF 1 only")
    target = f"tensorflow.debugging.{name}"
    return change_to(site, Arguments(target, keyword_from=MOVED[name]), target)
