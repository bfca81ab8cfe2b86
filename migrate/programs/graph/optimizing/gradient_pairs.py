"""Going through gradients with their variables for the variables alone.

``[(sums[i], gv[1]) for i, gv in enumerate(gvs)]`` needs no gradient, and so nothing that runs are
fed: the list of variables says the same, ``[(sums[i], tv) for i, tv in enumerate(tvs)]``. Where
gradients are summed over several runs, the run that applies the sums is fed nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.made import Gradient
from migrate.programs.graph.model import Kind, Symbol, Value
from migrate.programs.graph.wording.spelled import Source, Spelled, word

REASON = "gradients are gone through for their variables"
NAMES = ("variable", "each_variable", "trained_variable", "v", "each")


def check(walker: Any, node: ast.ListComp | ast.GeneratorExp) -> None:
    """See whether a comprehension only asks gradients for their variables.

    Raises:
        Spelled: it does, and the variables have a list.
    """
    for generator in node.generators:
        for pairs, target in _walked(generator.iter, generator.target):
            symbol = walker.frame.env.get(pairs.id)
            gradient = symbol.value.data if symbol is not None else None
            if not isinstance(gradient, Gradient) or gradient.kind != "compute_gradients":
                continue
            others = [n for n in all_of(node, ast.Name) if n.id == pairs.id]
            asked = _asked(node, target, gradient.variables)
            variables = _variables(walker, symbol, gradient)
            if len(others) > 1 or asked is None or variables is None:
                continue
            name, old = asked
            found: list[tuple[ast.AST, Callable[[Source], str | None]]] = []
            found += [(n, word(name)) for n in old]
            found.append((pairs, variables))
            raise Spelled(node, REASON, found)


def pair(node: ast.AST, value: Value) -> bool:
    """Whether each item of a comprehension is a tensor and a variable, ``(f(g), v)``."""
    items = value.items if isinstance(node, ast.ListComp) else None
    kinds = [(key, item.kind) for key, item in items or ()]
    return kinds == [(0, Kind.TENSOR), (1, Kind.VARIABLE)]


def _walked(items: ast.expr, target: ast.expr) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that are gone through, each with what its items are called."""
    if isinstance(items, ast.Name):
        yield items, target
    if not isinstance(items, ast.Call) or not isinstance(items.func, ast.Name) or items.keywords:
        return
    if not isinstance(target, (ast.Tuple, ast.List)):
        return
    targets = target.elts
    if items.func.id == "enumerate" and len(items.args) == 1 and len(targets) == 2:
        yield from _walked(items.args[0], targets[1])
    elif items.func.id == "zip" and len(items.args) == len(targets):
        for arg, part in zip(items.args, targets, strict=True):
            yield from _walked(arg, part)


def _asked(
    node: ast.AST, target: ast.expr, listed: ast.expr | None
) -> tuple[str, list[ast.AST]] | None:
    """A variable's name, and what it stands for: the target, and its uses; None for other uses."""
    if isinstance(target, (ast.Tuple, ast.List)):
        if len(target.elts) != 2 or not all(isinstance(n, ast.Name) for n in target.elts):
            return None
        first, second = (n.id for n in target.elts)  # type: ignore[attr-defined]
        read = [n.id for n in all_of(node, ast.Name) if _loaded(n)]
        return (second, [target]) if first not in read and first != second else None
    if not isinstance(target, ast.Name):
        return None
    items = [
        n
        for n in all_of(node, ast.Subscript)
        if isinstance(n.value, ast.Name)
        and n.value.id == target.id
        and isinstance(n.slice, ast.Constant)
        and n.slice.value == 1
    ]
    uses = [n for n in all_of(node, ast.Name) if n.id == target.id]
    if not items or len(uses) != len(items) + 1:
        return None
    taken = {n.id for n in all_of(node, ast.Name)}
    one = listed.id[:-1] if isinstance(listed, ast.Name) and listed.id[-1:] == "s" else ""
    name = next(n for n in (one, *NAMES) if n.isidentifier() and n not in taken)
    return name, [target, *items]


def _loaded(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _same(walker: Any, node: ast.expr, later: Symbol) -> bool:
    """Whether a name means what it did before something was made."""
    known = walker.frame.env.get(node.id) if isinstance(node, ast.Name) else None
    return known is not None and known.step.order < later.step.order


def _variables(
    walker: Any, symbol: Symbol, gradient: Gradient
) -> Callable[[Source], str | None] | None:
    """How the list by which is differentiated is written, if that still means the same."""
    region = symbol.step.region
    node = gradient.variables
    if region is None or region is not walker.frame.region:
        return None
    if isinstance(node, (ast.Name, ast.List)):
        names = node.elts if isinstance(node, ast.List) else [node]
        if all(_same(walker, n, symbol) for n in names):
            return lambda source: source(node)
        return None
    if node is not None and not isinstance(node, ast.Constant):
        return None
    later = [s.node for s in region.steps if s.order > symbol.step.order]
    if any(walker.makes(stmt) and not walker.frozen(stmt) for stmt in (*later, walker.stmt)):
        return None
    assert gradient.optimizer is not None
    root: ast.AST = gradient.optimizer.call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or root is gradient.optimizer.call.func:
        return None
    return lambda source: f"{source(root)}.trainable_variables()"
