"""Constants and variables that a run feeds, and constants that an optimizer is given.

``lr = tf.constant(0.1)`` is a number to Keras' optimizers; where a run feeds it, a placeholder
with a default. A function that reads what is fed would have to be given it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Site, Symbol, Value
from migrate.programs.graph.wording.spelled import Source, Spelled

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
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
    _read_elsewhere(walker, fed)


def _read_elsewhere(walker: Any, fed: dict[Symbol, ast.AST]) -> None:
    """See that no function that runs call, and that stays what it is, reads what is fed."""
    named = {s.name: s for s in fed}
    steps = [s for r in walker.regions if r.inputs is None for s in r.steps]
    flat = {id(n) for s in steps if not isinstance(s.node, DEFINITIONS) for n in walk(s.node)}
    for tree in walker.program():
        for function in walk(tree):
            if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
                continue
            lambda_ = isinstance(function, ast.Lambda)
            body = [function.body] if isinstance(function, ast.Lambda) else function.body
            nodes = [n for part in body for n in walk(part)]
            stored = {
                getattr(n, "id", "")
                for n in nodes
                if not isinstance(getattr(n, "ctx", ast.Load()), ast.Load)
            }
            own = {a.arg for a in all_of(function.args, ast.arg)} | stored
            for n in nodes if lambda_ or not any(id(n) in flat for n in body) else ():
                name = n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "")
                symbol = named.get(name)
                if symbol is None or isinstance(n, ast.Attribute) is not symbol.attribute:
                    continue
                if symbol.attribute or name not in own:
                    what = getattr(function, "name", "lambda")
                    raise Blocked(fed[symbol], f"`{name}` is fed, which `{what}` reads")


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
