"""Gradients of towers: a loop that builds takes them by the variables of all towers.

for i in range(TOWERS):
    loss = tower_loss(x[i], y[i])
    tower_grads.append(optimizer.compute_gradients(loss))

Inside of a `tf.function`, where a step that trains is, ``tf.gradients`` is 1.15's own
(https://www.tensorflow.org/api_docs/python/tf/gradients): the loop keeps it, beside the variables.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import holds, outward, walk
from migrate.programs.graph.listing.layer_variables import VARIABLES
from migrate.programs.graph.made import Optimizer
from migrate.programs.graph.model import RUNTIME, Blocked, Kind, Value
from migrate.programs.graph.optimizing.create_train_ops import root_of
from migrate.programs.graph.optimizing.inner_gradients import KEPT
from migrate.programs.graph.wording.spelled import Source, Spelled, free

REASON = "gradients are taken in a loop"
# How gradients are computed, not what they are; and names of nothing that is left.
NEUTRAL = frozenset({"gate_gradients", "colocate_gradients_with_ops", "aggregation_method", "name"})


def kept(walker: Any, node: ast.Call, optimizer: Optimizer | None) -> Value | None:
    """The gradients as tensors that a loop computes; None where it isn't such a loop.

    Raises:
        Spelled: ``compute_gradients`` is ``tf.gradients`` and the variables.
    """
    if not walker.loops or walker.frame.region is None or not isinstance(walker.sink.node, ast.For):
        return None
    named = {k.arg: k.value for k in node.keywords}
    if optimizer is not None:
        _pairs(walker, node, named)
        return None
    given = dict(zip(("ys", "xs"), node.args, strict=False)) | named
    if len(node.args) > 2 or set(given) - {"ys", "xs", *NEUTRAL} or {"ys", "xs"} - set(given):
        return None
    ys, xs = walker.expression(given["ys"]), walker.expression(given["xs"])
    several = xs.data == VARIABLES or (xs.kind is Kind.VARIABLE and _several(xs, given["xs"]))
    if ys.kind not in (*RUNTIME, Kind.TENSOR) or not several:
        return None
    _same_each_round(walker, node, walker.sink.node)
    walker.kept.setdefault(KEPT, set()).add(id(node))
    return Value(Kind.TENSOR, "container", node=node)


def _same_each_round(walker: Any, node: ast.Call, loop: ast.For) -> None:
    """See that all rounds differentiate by the same variables: TF 1 lists those that are there yet.

    Raises:
        Blocked: the loop makes some behind it, or others in each round.
    """
    key, count = ("listed in a loop", id(node)), len(walker.owned)
    if key not in walker.kept:
        walker.kept[key] = count
        return  # the second round tells what the first one made for all
    own = [e.layer for e in walker.owned if e.layer is not None and holds(loop, e.layer)]
    made = [n for n in walk(loop) if id(n) in walker.looped]
    grown = walker.kept[key] != count
    if grown or made or not all(walker.layers[id(call)].shared for call in own):
        raise Blocked(node, "gradients in a loop that makes variables in its rounds")


def optimizer(walker: Any, node: ast.Call) -> None:
    """See whether every round makes the same optimizer, of which the last one applies gradients.

    Raises:
        Spelled: it does, and one that is made before the loop is as good.
    """
    loop, stmt = walker.sink.node, walker.stmt
    if walker.loops != 1 or walker.frame.region is None or not isinstance(loop, ast.For):
        return
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or not holds(loop, stmt):
        return
    target = stmt.targets[0]
    if len(stmt.targets) > 1 or not isinstance(target, ast.Name):
        return
    names = [n for n in walk(walker.frame.node) if isinstance(n, ast.Name)]
    stores = [n for n in names if n.id == target.id and not isinstance(n.ctx, ast.Load)]
    bound = {
        n.id for n in walk(loop) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    inside = {n.id for n in walk(node) if isinstance(n, ast.Name)}
    attributes = {n.attr for n in walk(node) if isinstance(n, ast.Attribute)}
    stored = [n for n in walk(loop) if isinstance(n, ast.Attribute)]
    again = any(n.attr in attributes and not isinstance(n.ctx, ast.Load) for n in stored)
    # `config.lr` is the same in every round that doesn't set it; what is called may not be.
    calls = [n for n in walk(node) if isinstance(n, ast.Call) and n is not node]
    if stores != [target] or bound & inside or calls or again:
        return
    if any(n.id == target.id and n.lineno < loop.lineno for n in names):
        return
    blocks = [b for b in outward(loop, stmt) if isinstance(b, ast.stmt) and b is not stmt]
    if not all(isinstance(b, ast.With) or b is loop for b in blocks):
        return
    lines = [(loop, lambda source: [source(stmt)])]
    raise Spelled(node, "an optimizer is made in a loop", [(stmt, lambda _: "")], lines)


def _several(value: Value, node: ast.expr) -> bool:
    listed = isinstance(node, (ast.List, ast.Tuple))
    return listed or value.items is not None or value.data == "container"


def _pairs(walker: Any, node: ast.Call, named: dict[str | None, ast.expr]) -> None:
    """Write ``compute_gradients`` as the pairs that it gives.

    Raises:
        Spelled: always, but where its arguments say more.
    """
    assert isinstance(node.func, ast.Attribute)
    given = {k: v for k, v in named.items() if k not in NEUTRAL}
    loss = node.args[0] if node.args else given.pop("loss", None)
    listed = given.pop("var_list", None)
    root = root_of(walker, node)
    if node.func.attr != "compute_gradients" or given or len(node.args) > 1 or root is None:
        return
    if loss is None or (listed is not None and not isinstance(listed, (ast.Name, ast.Attribute))):
        return

    name, stmt = free(walker, "variables"), walker.stmt

    def pairs(source: Source) -> str:
        variables = name if listed is None else source(listed)
        return f"list(zip({root}.gradients({source(loss)}, {variables}), {variables}))"

    lines = [(stmt, lambda _: [f"{name} = {root}.trainable_variables()"])]
    raise Spelled(node, REASON, [(node, pairs)], lines if listed is None else [])
