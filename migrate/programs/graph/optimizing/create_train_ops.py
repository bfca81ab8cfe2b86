"""`slim.learning.create_train_op`: the statements that it stands for.

It waits for the updates of batch normalizations, trains, and gives the loss once that is done.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/training/python/training/training.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Value
from migrate.programs.graph.wording.spelled import Source, Spelled, free

NAMES = tuple(T + f"contrib.{where}.create_train_op" for where in ("slim.learning", "training"))
KNOWN = frozenset(
    {"total_loss", "optimizer", "global_step", "update_ops", "variables_to_train"}
    | {"clip_gradient_norm", "summarize_gradients", "check_numerics"}
)


@family(*NAMES)
def _create(walker: Any, name: str, node: ast.Call) -> Value:
    """The op becomes statements of TF 1's own.

    Raises:
        Spelled: always, but where it isn't a statement's whole value.
        Blocked: it says more than is followed.
    """
    reason = f"tf{name.removeprefix('tensorflow')} with these arguments isn't followed"
    given = walker.bound(name, node)
    stmt = walker.stmt
    plain = isinstance(stmt, ast.Assign) and stmt.value is node and len(stmt.targets) == 1
    more = {k for k, v in given.items() if k not in KNOWN and not _off(v)}
    root = root_of(walker, node)
    if not plain or more or not _off(given.get("summarize_gradients")) or root is None:
        raise Blocked(node, reason)
    loss, optimizer = given.get("total_loss"), given.get("optimizer")
    clip, checks = given.get("clip_gradient_norm"), given.get("check_numerics")
    if loss is None or optimizer is None or not isinstance(loss, (ast.Name, ast.Attribute)):
        raise Blocked(node, reason)
    if checks is not None and not isinstance(checks, ast.Constant):
        raise Blocked(node, reason)
    clipped = not _off(clip)
    most = clip.value if isinstance(clip, ast.Constant) else None
    if clipped and not (isinstance(most, (int, float)) and most > 0):
        raise Blocked(node, reason)
    updates, counted = given.get("update_ops"), given.get("global_step")
    names = [free(walker, "update_ops"), free(walker, "apply_gradients")]
    names.append(free(walker, "gradients", names))
    unit = " " * 4

    def trained(source: Source) -> list[str]:
        """The op that trains, and what comes before it."""
        waited = f"{root}.get_collection({root}.GraphKeys.UPDATE_OPS)"
        if not _off(updates):
            assert updates is not None
            waited = source(updates)
        step = f"{root}.train.get_or_create_global_step()"
        if counted is not None:
            step = source(counted)
        chosen = given.get("variables_to_train")
        only = f", var_list={source(chosen)}" if chosen is not None and not _off(chosen) else ""
        counting = "" if step == "None" else f", global_step={step}"
        made = f"{source(optimizer)}.minimize({source(loss)}{counting}{only})"
        lines = [f"{names[0]} = {waited}", f"with {root}.control_dependencies({names[0]}):"]
        if not clipped:
            return [*lines, f"{unit}{names[1]} = {made}"]
        assert clip is not None
        pair = f"({root}.clip_by_norm(g, {source(clip)}), v)"
        return [
            *lines,
            f"{unit}{names[2]} = {source(optimizer)}.compute_gradients({source(loss)}{only})",
            f"{names[2]} = [{pair} for g, v in {names[2]} if g is not None]",
            f"{names[1]} = {source(optimizer)}.apply_gradients({names[2]}{counting})",
        ]

    def result(source: Source) -> str:
        target = stmt.targets[0]
        value = f'{root}.check_numerics({source(loss)}, "LossTensor is inf or nan")'
        if checks is not None and _off(checks):
            value = f"{root}.identity({source(loss)})"
        head = f"with {root}.control_dependencies([{names[1]}]):\n"
        return f"{head}{' ' * stmt.col_offset}{unit}{source(target)} = {value}"

    raise Spelled(node, reason, [(stmt, result)], [(stmt, trained)])


def _off(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and not node.value)


def root_of(walker: Any, node: ast.AST) -> str | None:
    """What the file calls TensorFlow."""
    tree = walker.files.at(node).tree
    return next(
        (
            n.value.id
            for n in all_of(tree if tree is not None else walker.tree, ast.Attribute)
            if isinstance(n.value, ast.Name)
            if walker.endpoints.get(id(n)) == T + n.attr
        ),
        None,
    )
