"""The losses of a graph where a program asks for them: `tf.losses.get_total_loss()`.

TF 1 collects what the functions of `tf.losses` give. Where each has a name, the sum is written
with these names; a loss that is only collected gets one. `contrib.losses` (slim's losses) is
written as `tf.losses`, whose arguments stand in another order.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/ops/losses/util.py
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.programs.graph.layering import penalties
from migrate.programs.graph.layering.losses import LABELS, Loss
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.wording.spelled import Source, Spelled, free

LOSSES = T + "losses."
OLDER = (T + "contrib.losses.", T + "contrib.slim.losses.")
# In `contrib.losses` the first argument is the second one here.
FIRST = {
    "softmax_cross_entropy": "logits",
    "sparse_softmax_cross_entropy": "logits",
    "sigmoid_cross_entropy": "logits",
    "mean_squared_error": "predictions",
    "log_loss": "predictions",
    "absolute_difference": "predictions",
    "hinge_loss": "logits",
    "cosine_distance": "predictions",
}
MORE = {"cosine_distance": ["axis"]}  # before the weights


@family(LOSSES + "add_loss")
def added(walker: Any, name: str, node: ast.Call) -> Value:
    """A tensor is collected as a loss."""
    given = walker.bound(name, node)
    item = given.get("loss")
    alone = isinstance(walker.stmt, ast.Expr) and walker.stmt.value is node
    if set(given) != {"loss"} or not isinstance(item, ast.Name) or not alone or walker.nested:
        raise Blocked(node, "a loss that is collected isn't followed here")
    symbol = walker.frame.env.get(item.id)
    if walker.frame.region is None or symbol is None or symbol.value.kind is not Kind.TENSOR:
        raise Blocked(node, "a loss that is collected isn't followed here")
    walker.kept.setdefault("added losses", []).append((node, item.id, symbol))
    return Value(Kind.SETTING, "collection", node=node)


@family(*(module + name for module in (LOSSES, *OLDER) for name in ("get_total_loss",)))
def total(walker: Any, name: str, node: ast.Call) -> Value:
    """The sum of all losses, and of the layers' penalties.

    Raises:
        Spelled: it can be written with their names.
    """
    given = walker.bound(LOSSES + "get_total_loss", node)
    wanted = given.pop("add_regularization_losses", None)
    given.pop("name", None)
    if given or not isinstance(wanted, ast.Constant | None):
        raise Blocked(node, "the losses of a scope")
    names, changes = _named(walker, node)
    with_penalties = wanted is None or bool(wanted.value)
    with_penalties = with_penalties and bool(penalties.penalized(walker, node))
    if not names:
        raise Blocked(node, "no losses are seen here")

    tf = tensorflow(walker, node)

    def written(source: Source) -> str:
        if len(names) == 1 and not with_penalties:
            return names[0]
        more = f" + {tf}.losses.get_regularization_losses()" if with_penalties else ""
        return f"{tf}.add_n([{', '.join(names)}]{more})"

    raise Spelled(node, "the sum of all losses", [(node, written), *changes])


@family(*(module + "get_losses" for module in (LOSSES, *OLDER)))
def losses(walker: Any, name: str, node: ast.Call) -> Value:
    """The losses, as the list that they are.

    Raises:
        Spelled: it can be written with their names.
    """
    if walker.bound(LOSSES + "get_losses", node):
        raise Blocked(node, "the losses of a scope")
    names, changes = _named(walker, node)
    what = [(node, lambda _: f"[{', '.join(names)}]"), *changes]
    raise Spelled(node, "the list of all losses", what)


def _named(
    walker: Any, node: ast.Call
) -> tuple[list[str], list[tuple[ast.AST, Callable[[Source], str | None]]]]:
    """The names of the losses so far, in order, and what gives names to those without.

    Raises:
        Blocked: one isn't seen from here.
    """
    if walker.frame.region is None or walker.nested:
        raise Blocked(node, "the losses in a loop, a branch or a function that builds")
    found: list[tuple[int, str]] = []
    changes: list[tuple[ast.AST, Callable[[Source], str | None]]] = []
    for loss in walker.losses.values():
        collection = loss.given.get("loss_collection")
        if isinstance(collection, ast.Constant) and collection.value is None:
            continue
        if collection is not None or id(loss.call) in walker.past:
            raise Blocked(node, "losses in a collection of their own, or of another graph")
        found.append((loss.call.lineno, _name(walker, node, loss, changes, found)))
    for call, name, symbol in walker.kept.get("added losses", ()):
        if walker.frame.env.get(name) is not symbol:
            raise Blocked(node, f"`{name}`, a loss that was collected, means something else here")
        found.append((call.lineno, name))
    return [name for _, name in sorted(found, key=lambda f: f[0])], changes


def _name(
    walker: Any,
    node: ast.Call,
    loss: Loss,
    changes: list[tuple[ast.AST, Callable[[Source], str | None]]],
    found: list[tuple[int, str]],
) -> str:
    """What a loss is called where the collection is read."""
    reason = "a loss that has no name where all losses are asked for"
    if len(loss.steps) != 1:
        raise Blocked(node, reason)
    (step,) = loss.steps
    stmt = step.node
    if step.function is not walker.frame.node:
        raise Blocked(node, reason)
    if isinstance(stmt, ast.Expr) and stmt.value is loss.call:
        name = free(walker, "loss", [name for _, name in found])
        changes.append((loss.call, lambda source: f"{name} = {source(loss.call)}"))
        return name
    if not isinstance(stmt, ast.Assign) or stmt.value is not loss.call or len(stmt.targets) != 1:
        raise Blocked(node, reason)
    target = stmt.targets[0]
    symbol = walker.frame.env.get(target.id) if isinstance(target, ast.Name) else None
    if symbol is None or symbol.step is not step:
        raise Blocked(node, reason)
    return str(symbol.name)


@family(*(module + name for module in OLDER for name in FIRST))
def older(walker: Any, name: str, node: ast.Call) -> Value:
    """A loss of `contrib.losses`: that of `tf.losses`.

    Raises:
        Spelled: its arguments are seen.
    """
    own = name.rpartition(".")[2]
    second = LABELS[own]
    old = [FIRST[own], "labels" if second == "labels" else second]
    old += [*MORE.get(own, ()), "weights"]
    keywords = {k.arg: k.value for k in node.keywords}
    named = dict(zip(old, node.args, strict=False)) | keywords
    known = {*old, "label_smoothing", "scope", "epsilon", "dim"}
    bare = any(isinstance(a, ast.Starred) for a in node.args)
    if bare or len(node.args) > len(old) or not set(named) <= known or second not in named:
        raise Blocked(node, f"tf{name.removeprefix('tensorflow')} with these arguments")
    weights = named.get("weights")
    if not (weights is None or isinstance(weights, ast.Constant)) or FIRST[own] not in named:
        raise Blocked(node, f"tf{name.removeprefix('tensorflow')} with weights")

    def written(source: Source) -> str:
        rest = [
            f"{k}={source(v)}" for k, v in named.items() if k not in (FIRST[own], second)
        ]  # the same names in both
        parts = [source(named[second]), source(named[FIRST[own]]), *rest]
        return f"{tf}.losses.{own}({', '.join(parts)})"

    tf = tensorflow(walker, node)
    raise Spelled(node, "a loss of contrib", [(node, written)])


def tensorflow(walker: Any, node: ast.AST) -> str:
    """What the file calls TensorFlow.

    Raises:
        Blocked: it takes names from it alone.
    """
    tree = walker.files.at(node).tree
    for stmt in tree.body if tree is not None else ():
        for alias in stmt.names if isinstance(stmt, ast.Import) else ():
            if alias.name == "tensorflow":
                return str(alias.asname or alias.name)
    raise Blocked(node, "TensorFlow isn't imported as a whole")
