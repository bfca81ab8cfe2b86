"""``tf.contrib.graph_editor.reroute``: what operations take is taken from elsewhere.

The graph is changed with ``Operation._update_input`` and the methods for control inputs, the only
ones that TensorFlow has; it must not have been run in a session before.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.graph_editor import subgraph, util

__all__ = [
    "add_control_inputs",
    "remove_control_inputs",
    "reroute_inputs",
    "reroute_ios",
    "reroute_outputs",
    "reroute_ts",
    "swap_inputs",
    "swap_ios",
    "swap_outputs",
    "swap_ts",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.graph_editor.reroute")


def _compatible(ts0: list[Any], ts1: list[Any]) -> None:
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for t0, t1 in zip(ts0, ts1, strict=True):
        if not t0.dtype.is_compatible_with(t1.dtype):
            raise ValueError(f"Dtypes {t0.dtype} and {t1.dtype} are not compatible.")
        if not t0.shape.is_compatible_with(t1.shape):
            raise ValueError(f"Shapes {t0.shape} and {t1.shape} are not compatible.")


def _take(new: Any, old: Any, consumers: list[Any], can: Any, cannot: Any) -> int:
    """Make operations take another tensor; how many inputs that were."""
    count = 0
    for op in consumers:
        if (can is not None and op not in can) or (cannot is not None and op in cannot):
            continue
        for i in [i for i, t in enumerate(op.inputs) if t is old]:
            op._update_input(i, new)
            count += 1
    return count


def _reroute(
    ts0: Any, ts1: Any, swap: bool, can_modify: Any = None, cannot_modify: Any = None
) -> int:
    ts0, ts1 = util.make_list_of_t(ts0), util.make_list_of_t(ts1)
    _compatible(ts0, ts1)
    can = None if can_modify is None else set(util.make_list_of_op(can_modify))
    cannot = None if cannot_modify is None else set(util.make_list_of_op(cannot_modify))
    # Who takes what is looked up before anything changes.
    pairs = [
        (t0, t1, list(dict.fromkeys(t0.consumers())), list(dict.fromkeys(t1.consumers())))
        for t0, t1 in zip(ts0, ts1, strict=True)
    ]
    count = 0
    for t0, t1, of_t0, of_t1 in pairs:
        if t0 is not t1:
            count += _take(t0, t1, of_t1, can, cannot)
            if swap:
                count += _take(t1, t0, of_t0, can, cannot)
    return count


def swap_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Let those who take the first tensors take the second ones, and the other way round.

    Args:
      ts0: Tensors.
      ts1: As many tensors.
      can_modify: The operations that may be changed; None for all.
      cannot_modify: Operations that may not.

    Returns:
      How many inputs were changed.

    Raises:
      TypeError: If there is something else.
      ValueError: If numbers, types or shapes do not agree.
    """
    return _reroute(ts0, ts1, True, can_modify, cannot_modify)


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Let those who take the second tensors take the first ones.

    The arguments and results are those of `swap_ts`.
    """
    return _reroute(ts0, ts1, False, can_modify, cannot_modify)


def _remap(sgv0: Any, sgv1: Any, swap: bool) -> None:
    """Bring two views up to date after their inputs were changed."""
    new0, new1 = sgv0.copy(), sgv1.copy()
    new1._input_ts, new1._passthrough_ts = list(sgv0._input_ts), list(sgv0._passthrough_ts)
    if swap:
        new0._input_ts, new0._passthrough_ts = list(sgv1._input_ts), list(sgv1._passthrough_ts)

    def pass_on(before: Any, after: Any) -> None:
        for i, t in enumerate(after._output_ts):
            if t in before._passthrough_ts:
                after._output_ts[i] = after._input_ts[before._input_ts.index(t)]

    pass_on(new0, new1)
    if swap:
        pass_on(new1, new0)
    sgv0._assign_from(new0)
    sgv1._assign_from(new1)


def _views(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    return sgv0, sgv1


def _inputs(sgv0: Any, sgv1: Any, swap: bool) -> tuple[Any, Any]:
    sgv0, sgv1 = _views(sgv0, sgv1)
    can = sgv0.ops + sgv1.ops
    can = can + util.get_consuming_ops(sgv0.passthroughs)
    can = can + util.get_consuming_ops(sgv1.passthroughs)
    _reroute(sgv0.inputs, sgv1.inputs, swap, can_modify=can)
    _remap(sgv0, sgv1, swap)
    return sgv0, sgv1


def _outputs(sgv0: Any, sgv1: Any, swap: bool) -> tuple[Any, Any]:
    sgv0, sgv1 = _views(sgv0, sgv1)
    _reroute(sgv0.outputs, sgv1.outputs, swap, cannot_modify=sgv0.ops + sgv1.ops)
    return sgv0, sgv1


def swap_inputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Exchange the inputs of two subgraphs; returns both views."""
    return _inputs(sgv0, sgv1, True)


def reroute_inputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Let the second subgraph take the inputs of the first; returns both views."""
    return _inputs(sgv0, sgv1, False)


def swap_outputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Exchange who takes the outputs of two subgraphs; returns both views."""
    return _outputs(sgv0, sgv1, True)


def reroute_outputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Let those who take the second's outputs take the first's; returns both views."""
    return _outputs(sgv0, sgv1, False)


def swap_ios(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Exchange two subgraphs: `swap_outputs` and `swap_inputs`."""
    return _inputs(*_outputs(sgv0, sgv1, True), True)


def reroute_ios(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """`reroute_outputs` and `reroute_inputs`."""
    return _inputs(*_outputs(sgv0, sgv1, False), False)


def _operation(op: Any) -> None:
    if not isinstance(op, tf.Operation):
        raise TypeError(f"Expected a tf.Operation, got: {type(op)}")


def remove_control_inputs(op: Any, cops: Any) -> None:
    """Let an operation no longer wait for others.

    Raises:
      TypeError: If there is something else.
      ValueError: If it does not wait for one of them.
    """
    _operation(op)
    cops = util.make_list_of_op(cops, allow_graph=False)
    before = list(op.control_inputs)
    for cop in cops:
        if cop not in before:
            raise ValueError(f"{cop.name} is not a control_input of {op.name}")
    op._remove_all_control_inputs()
    op._add_control_inputs([cop for cop in before if cop not in cops])


def add_control_inputs(op: Any, cops: Any) -> None:
    """Let an operation wait for others.

    Raises:
      TypeError: If there is something else.
      ValueError: If it waits for one of them already.
    """
    _operation(op)
    cops = util.make_list_of_op(cops, allow_graph=False)
    for cop in cops:
        if cop in op.control_inputs:
            raise ValueError(f"{cop.name} is already a control_input of {op.name}")
    op._add_control_inputs(cops)
