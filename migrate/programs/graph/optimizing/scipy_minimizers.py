"""``tf.contrib.opt.ScipyOptimizerInterface``: SciPy minimizes a loss over all that it depends on.

``optimizer.minimize(sess, feed_dict=feed, fetches=[loss], loss_callback=show)`` is a run, again and
again, of the loss and of what the callback is given.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Step, Symbol, Value

NAME = "ScipyOptimizer"
RUNS = frozenset({"run", "eval", "minimize"})


@dataclass(frozen=True)
class Minimizer:
    """What the class makes."""

    loss: ast.expr
    symbol: Symbol

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """A call of ``minimize``.

        Raises:
            Blocked: it takes other arguments, or its callback runs a session, too.
        """
        named = {k.arg: k.value for k in node.keywords}
        known = {"session", "feed_dict", "fetches", "loss_callback", "step_callback"}
        if attribute != "minimize" or set(named) - known or len(node.args) > 2:
            raise Blocked(node, f"`.{attribute}()` of SciPy's optimizer with these arguments")
        if node.args and walker.expression(node.args[0]).kind is not Kind.SESSION:
            raise Blocked(node.args[0], "another session")
        if walker.frame.region is None or not isinstance(node.func, ast.Attribute):
            raise Blocked(node, "SciPy's optimizer runs in a function that builds")
        for name in ("loss_callback", "step_callback"):
            if name in named:
                _quiet(walker, named[name])
        fetches = named.get("fetches")
        listed = fetches.elts if isinstance(fetches, (ast.List, ast.Tuple)) else []
        if fetches is not None and not listed:
            raise Blocked(fetches, "what SciPy's optimizer fetches isn't seen")
        same = len(listed) == 1 and _symbol(walker, listed[0]) is self.symbol
        fetch: ast.expr = self.loss
        if same:
            fetch = listed[0]
        elif _symbol(walker, self.loss) is not self.symbol:
            raise Blocked(node, "what SciPy minimizes has no name here")
        elif listed:
            fetch = ast.copy_location(ast.List([self.loss, *listed], ast.Load()), node)
        value: Value = walker.run_site(node, fetch, 1)
        site = walker.sites[id(node)]
        if any(s.step.random for s in site.reached()):
            raise Blocked(node, "SciPy minimizes what draws random numbers")
        site.minimized = "same" if same else "several" if listed else "alone"
        return Value(Kind.NONE) if value.kind is Kind.HOST else value


@family(T + "contrib.opt.ScipyOptimizerInterface")
def made(walker: Any, name: str, node: ast.Call) -> Value:
    """The optimizer: its statement stays, without the loss.

    Raises:
        Blocked: it has constraints or bounds, or what it minimizes isn't seen.
    """
    named = {k.arg: k.value for k in node.keywords}
    loss = node.args[0] if node.args else named.get("loss")
    odd = {"equalities", "inequalities", "var_to_bounds", None} & set(named)
    if loss is None or len(node.args) > 1 or odd:
        raise Blocked(node, "SciPy's optimizer with constraints or bounds of its own")
    if walker.nested or walker.frame.region is None or not isinstance(walker.stmt, ast.Assign):
        raise Blocked(node, "SciPy's optimizer in a loop, a branch or a helper")
    symbol = _symbol(walker, loss)
    if symbol is None or symbol.value.kind is not Kind.TENSOR:
        raise Blocked(loss, "what SciPy minimizes has no name")
    given = [k for k in node.keywords if k.arg != "loss"]
    for keyword in given:
        if keyword.arg == "var_list":
            _variables(walker, keyword.value)
        else:
            walker.host(keyword.value)
    # All of a program's optimizers are of one class.
    calls = (n for n in walk(walker.tree) if isinstance(n, ast.Call))
    every = [n for n in calls if walker.endpoints.get(id(n.func)) == name]
    listed = any(k.arg == "var_list" for n in every for k in n.keywords)

    def written(writer: Any) -> str:
        from migrate.rewriters.sessions.scipy_minimizers import defined

        defined(writer.module, listed=listed)
        parts = [f"{k.arg}={writer.source(k.value)}" for k in given]
        return f"{NAME}({', '.join(parts)})"

    walker.rewrites[id(node)] = written
    return Value(Kind.OTHER, Minimizer(loss, symbol), node=node)


def minimizes(node: ast.Call) -> bool:
    """Whether a call looks like that of such an optimizer's ``minimize``."""
    if getattr(node.func, "attr", "") != "minimize":
        return False
    first = ast.unparse(node.args[0]) if node.args else ""
    runs = {"session", "feed_dict", "fetches", "loss_callback", "step_callback"}
    return first.endswith(("sess", "session")) or any(k.arg in runs for k in node.keywords)


def _variables(walker: Any, node: ast.expr) -> None:
    """See that a list is one of variables, which are there by then.

    Raises:
        Blocked: it may be another one.
    """
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        _variables(walker, node.left)
        _variables(walker, node.right)
        return
    for part in node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]:
        value: Value = walker.expression(part)
        if value.kind is not Kind.VARIABLE:
            raise Blocked(part, "the variables of SciPy's optimizer aren't seen")


def _symbol(walker: Any, node: ast.expr) -> Symbol | None:
    """What an expression names; nothing of it counts as used."""
    sink, walker.sink = walker.sink, Step(-1, walker.sink.node, Kind.HOST)
    try:
        value: Value = walker.expression(node)
    finally:
        walker.sink = sink
    return value.symbol


def _quiet(walker: Any, callback: ast.expr) -> None:
    """See that a callback runs no session: it would see the variables as they were.

    Raises:
        Blocked: it may.
    """
    found: list[ast.AST] = [callback]
    if not isinstance(callback, ast.Lambda):
        name = getattr(callback, "attr", getattr(callback, "id", None))
        found = [n for n in all_of(walker.tree, ast.FunctionDef) if n.name == name]
    calls = [n for f in found for n in all_of(f, ast.Call)]
    if not found or any(getattr(c.func, "attr", "") in RUNS for c in calls):
        raise Blocked(callback, "a callback of SciPy's optimizer that may run a session")


__all__ = ["NAME", "Minimizer", "made", "minimizes"]
