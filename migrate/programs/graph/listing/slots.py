"""Optimizers' own variables, among all that a graph has: `tf.global_variables()` gives them too."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Symbol


def complete(walker: Any, node: ast.expr, entries: set[str]) -> None:
    """See to it that a list of all variables is one of those that the program made.

    An optimizer that trains some of them has added its slots by now, after them. That is of no
    matter where the list is only gone through beside a shorter one that has none.

    Raises:
        Blocked: the list may be longer.
    """
    stmt = walker.stmt
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) and stmt.value is node else None
    name = getattr(target, "attr", getattr(target, "id", ""))
    whole: dict[str, bool] = walker.kept.setdefault("whole", {})
    mine = not entries & _trained(walker)
    whole[name] = whole.get(name, True) and mine
    if mine:
        return
    if not name:
        raise Blocked(node, "all variables, an optimizer's among them")
    inside = 0
    loads = sum(_named(n) == name and isinstance(n.ctx, ast.Load) for n in _names(walker.tree))
    for call in walk(walker.tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "zip":
            inside += any(_named(a) == name for a in call.args)
            walker.kept.setdefault("zipped", []).append((node, name, call))
    if loads != inside:
        raise Blocked(node, "all variables, an optimizer's among them")


def shortened(walker: Any) -> None:
    """Whether lists with slots in them are gone through beside one without.

    Raises:
        Blocked: one isn't.
    """
    whole: dict[str, bool] = walker.kept.get("whole", {})
    for node, name, call in walker.kept.get("zipped", []):
        if any(_named(a) == name for a in call.args):
            if not any(whole.get(_named(a)) for a in call.args):
                raise Blocked(node, "all variables, an optimizer's among them")


def _names(tree: ast.AST) -> list[Any]:
    return [n for n in walk(tree) if isinstance(n, (ast.Name, ast.Attribute))]


def _named(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _trained(walker: Any) -> set[str]:
    """The variables that optimizers with slots train, as the program calls them."""
    found: set[str] = set()
    for gradient in walker.gradients.values():
        if gradient.optimizer is None and not walker.applies:
            continue
        if gradient.optimizer is not None and gradient.optimizer.endpoint.endswith(
            "DescentOptimizer"
        ):
            continue
        for symbol in reached(walker, gradient.loss_uses):
            if symbol.value.kind is Kind.VARIABLE:
                found.add(f"self.{symbol.name}" if symbol.attribute else symbol.name)
            if symbol.step.moves and not stopped(walker, symbol):
                calls = [n for n in walk(symbol.step.node) if id(n) in walker.layers]
                found.update(made_by(walker, id(call)) for call in calls)
    return found


def made_by(walker: Any, call: int) -> str:
    """What a function's variables are known by: its first call that made them."""
    same = walker.layers[call].same
    return f"call {call if same is None else id(same)}"


def reached(walker: Any, symbols: Iterable[Symbol]) -> set[Symbol]:
    """What a gradient may flow back to."""
    found: set[Symbol] = set()
    stack = list(symbols)
    while stack:
        symbol = stack.pop()
        if symbol not in found:
            found.add(symbol)
            if symbol.step.moves and not stopped(walker, symbol):
                stack.extend(symbol.step.uses)
    return found


def stopped(walker: Any, symbol: Symbol) -> bool:
    """Whether a tensor has no gradient."""
    node = symbol.step.node
    value = node.value if isinstance(node, ast.Assign) else None
    if symbol.value.kind is Kind.PLACEHOLDER:
        return True
    called = walker.endpoints.get(id(value.func), "") if isinstance(value, ast.Call) else ""
    return bool(called == T + "stop_gradient")
