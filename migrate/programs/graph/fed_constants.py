"""Constants and variables that a run feeds, and constants that an optimizer is given.

``lr = tf.constant(0.1)`` is a number to Keras' optimizers; where a run feeds it, a placeholder
with a default. A function that reads what is fed would have to be given it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Site, Symbol, Value
from migrate.programs.graph.spelled import Source, Spelled

KEY = ("constants of optimizers",)
# What an optimizer's numbers are called.
NUMBERS = frozenset(
    (
        *("learning_rate", "momentum", "beta1", "beta2", "epsilon", "decay", "rho"),
        *("initial_accumulator_value", "learning_rate_power", "l1_regularization_strength"),
        "l2_regularization_strength",
    )
)


def given(walker: Any, argument: str, node: ast.expr, value: Value, uses: Sequence[Symbol]) -> None:
    """What an optimizer is given: a number, if it is a constant."""
    if value.kind is Kind.CONST and argument in NUMBERS:
        walker.kept.setdefault(KEY, []).append((node, list(uses)))


def is_one(walker: Any, node: ast.expr) -> bool:
    """Whether what an optimizer is given is a constant."""
    return any(constant is node for constant, _ in walker.kept.get(KEY, ()))


def check(walker: Any, sites: Sequence[Site]) -> None:
    """See that what runs feed is read by them alone.

    Raises:
        Spelled: an optimizer has it, a constant that may be a placeholder.
        Blocked: an optimizer has another one, or a function reads it.
    """
    fed: dict[Symbol, ast.AST] = {}
    for feed in (feed for site in sites for feed in site.feeds):
        if feed.symbol.value.kind in (Kind.CONST, Kind.VARIABLE):
            fed.setdefault(feed.symbol, feed.key)
    if not fed:
        return
    for node, uses in walker.kept.get(KEY, ()):
        for symbol in uses:
            if symbol in fed:
                _placeholder(walker, symbol, node)
    for region in walker.regions:
        if region.inputs is None:
            continue
        for n in walk(region.node):
            symbol = walker.meant.get(id(n), walker.attributes.get(id(n)))
            if symbol in fed and symbol.step.region is not region:
                raise Blocked(fed[symbol], f"`{symbol.name}` is fed, which `{region.name}` reads")


def _placeholder(walker: Any, symbol: Symbol, node: ast.AST) -> None:
    stmt = symbol.step.node
    made = stmt.value if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    if not isinstance(made, ast.Call) or walker.endpoints.get(id(made.func)) != T + "constant":
        raise Blocked(node, f"`{symbol.name}` is fed, which an optimizer has")
    bound = walker.bound(T + "constant", made)
    value = bound.pop("value", None)
    kind = bound.pop("dtype", None)
    if (
        not isinstance(value, ast.Constant)
        or not isinstance(value.value, float)
        or bound.keys() - {"name"}
        or (kind is not None and walker.endpoints.get(id(kind)) != T + "float32")
    ):
        raise Blocked(node, f"`{symbol.name}` is fed, which an optimizer has")

    def written(source: Source) -> str:
        root = source(made.func).removesuffix("constant")
        return f"{root}placeholder_with_default({source(value)}, [])"

    raise Spelled(made, f"`{symbol.name}` is fed, which an optimizer has", [(made, written)])
