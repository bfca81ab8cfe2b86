"""Ops that a program puts on several devices: each stays on the one that it was put on.

TF 2 puts all ops on the first GPU by itself, which isn't where they were with `tf.device('/gpu:1')`
beside `tf.device('/gpu:0')`. A block's statements that move into functions, and the variables and
constants that stay, get a block of their own there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Region, Step

SEVERAL = ("several devices",)  # among what a walk keeps: the call that named a second one
CPU = "cpu:"  # before the number of a device that is no GPU
# What runs or opens something, and makes no op.
HARMLESS = frozenset(
    {
        *(Kind.PLACEHOLDER, Kind.SESSION, Kind.INIT, Kind.GRAPH, Kind.SETTING, Kind.FEED),
        Kind.FETCH,
    }
)


def several(walker: Any) -> bool:
    """Whether ops are put on more than one device that TF 2 might take by itself."""
    used = walker.kept.get("gpus", ())
    return len(used) > 1 or any(number.startswith(CPU) for number in used)


def calls(walker: Any, step: object) -> tuple[ast.Call, ...]:
    """The devices around a statement, from the outermost one, where there are several."""
    if not isinstance(step, Step) or not several(walker):
        return ()
    items = (item for block in step.outer if isinstance(block, ast.With) for item in block.items)
    return tuple(
        n
        for item in items
        if isinstance(n := item.context_expr, ast.Call)
        and walker.endpoints.get(id(n.func)) == T + "device"
    )


def stays(walker: Any, step: Step) -> bool:
    """Whether a statement makes a variable or a constant where it stands, on such a device."""
    made = not step.moves and step.kind in (Kind.VARIABLE, Kind.CONST)
    return made and bool(calls(walker, step))


def check(walker: Any, regions: Sequence[Region]) -> None:
    """See to it that all of a program can stay where it was put.

    Raises:
        Blocked: a part of it would be somewhere else.
    """
    if not several(walker):
        return
    node = walker.kept[SEVERAL]
    blocked = Blocked(node, f"ops are put on several devices: {ast.unparse(node.args[0])}")
    others = (walker.gradients, walker.applies, walker.layers, walker.averages)
    kept = any(key in walker.kept for key in ("recurrent", ("graphs' devices",)))
    if kept or any(others) or any(r.inputs is not None for r in walker.entered.values()):
        raise blocked
    for region in regions:
        steps = [s for s in region.steps if calls(walker, s)]
        if steps and not isinstance(region.node, (ast.Module, ast.FunctionDef)):
            raise blocked
        for step in steps:
            said = [len(c.args) == 1 and c.args[0] for c in calls(walker, step)]
            if not all(isinstance(n, ast.Constant) for n in said) or _fetched(step):
                raise blocked
            if step.moves or step.drop or step.kind in HARMLESS or _plain(walker, step):
                continue
            if not stays(walker, step) or not isinstance(step.node, (ast.Assign, ast.Expr)):
                raise blocked


def settled(walker: Any, moving: Iterable[Step], written: set[Step]) -> None:
    """See to it that all that moves into functions has its block there.

    Raises:
        Blocked: something was written without.
    """
    for step in moving:
        if step not in written and (found := calls(walker, step)):
            where = ast.unparse(found[-1].args[0])
            raise Blocked(found[-1], f"ops are put on several devices: {where}")


def _fetched(step: Step) -> bool:
    """Whether a run makes an op itself: ``sess.run(tf.add(a, b))``."""
    leaves = (leaf.node for site in step.sites for leaf in site.fetch.leaves())
    return any(isinstance(n, (ast.Call, ast.BinOp)) for leaf in leaves for n in walk(leaf))


def _plain(walker: Any, step: Step) -> bool:
    """Whether a statement of Python's makes nothing of TensorFlow's."""
    named = (walker.endpoints.get(id(n), "") for n in walk(step.node))
    return step.kind is Kind.HOST and not any(name.startswith(T) for name in named)
