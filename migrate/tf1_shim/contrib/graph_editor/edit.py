"""``tf.contrib.graph_editor.edit``: cutting subgraphs out, and putting them together."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.graph_editor import reroute, select, subgraph, util

__all__ = [
    "bypass",
    "connect",
    "detach",
    "detach_control_inputs",
    "detach_control_outputs",
    "detach_inputs",
    "detach_outputs",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.graph_editor.edit")


def detach_control_inputs(sgv: Any) -> None:
    """Let no operation of a subgraph wait for one outside."""
    sgv = subgraph.make_view(sgv)
    inside = set(sgv.ops)
    for op in sgv.ops:
        reroute.remove_control_inputs(op, [c for c in op.control_inputs if c not in inside])


def detach_control_outputs(sgv: Any, control_outputs: Any) -> None:
    """Let no operation outside wait for one of a subgraph.

    Args:
      sgv: The subgraph.
      control_outputs: A `ControlOutputs` of the graph.

    Raises:
      TypeError: If it is none.
    """
    _, control_outputs = select.check_cios(False, control_outputs)
    sgv = subgraph.make_view(sgv)
    inside = set(sgv.ops)
    for op in sgv.ops:
        for after in control_outputs.get(op):
            if after not in inside:
                reroute.remove_control_inputs(after, op)


def detach_inputs(sgv: Any, control_inputs: bool = False) -> tuple[Any, list[Any]]:
    """Let a subgraph take placeholders.

    Args:
      sgv: The subgraph.
      control_inputs: Whether to remove what it waits for outside, too.

    Returns:
      The view, with the placeholders for inputs, and the placeholders.
    """
    sgv = subgraph.make_view(sgv)
    with sgv.graph.as_default():
        made = [tf.placeholder(t.dtype, name=util.placeholder_name(t)) for t in sgv.inputs]
    reroute.swap_inputs(sgv, made)
    if control_inputs:
        detach_control_inputs(sgv)
    return sgv, made


def detach_outputs(sgv: Any, control_outputs: Any = None) -> tuple[Any, list[Any]]:
    """Let those who take the outputs of a subgraph take placeholders.

    Args:
      sgv: The subgraph.
      control_outputs: A `ControlOutputs`, to remove what waits for it outside, too; or None.

    Returns:
      The view, with those outputs that were taken, and the placeholders.
    """
    sgv = subgraph.make_view(sgv)
    taken = sgv.remap_outputs([i for i, t in enumerate(sgv.outputs) if t.consumers()])
    outside = subgraph.SubGraphView(taken.consumers())
    ours = set(taken.outputs)
    outside = outside.remap_inputs([i for i, t in enumerate(outside.inputs) if t in ours])
    with taken.graph.as_default():
        made = [util.make_placeholder_from_tensor(t) for t in outside.inputs]
    reroute.swap_outputs(taken, made)
    if control_outputs is not None:
        detach_control_outputs(taken, control_outputs)
    return taken, made


def detach(
    sgv: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[Any, list[Any], list[Any]]:
    """`detach_inputs` and `detach_outputs`.

    Returns:
      The subgraph, and the placeholders of both.
    """
    control_inputs, control_outputs = select.check_cios(
        control_inputs, control_outputs, control_ios
    )
    _, inputs = detach_inputs(sgv, control_inputs)
    _, outputs = detach_outputs(sgv, control_outputs)
    return sgv, inputs, outputs


def connect(sgv0: Any, sgv1: Any, disconnect_first: bool = False) -> tuple[Any, Any]:
    """Let the second subgraph take the outputs of the first.

    Args:
      sgv0: The first subgraph.
      sgv1: The second, with as many inputs.
      disconnect_first: Whether those who took the outputs before take placeholders then.

    Returns:
      Both views.
    """
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    if disconnect_first:
        detach_outputs(sgv0)
    reroute.reroute_inputs(subgraph.SubGraphView(passthrough_ts=sgv0.outputs), sgv1)
    return sgv0, sgv1


def bypass(sgv: Any) -> tuple[Any, list[Any]]:
    """Let those who take the outputs of a subgraph take its inputs.

    Args:
      sgv: The subgraph, with as many inputs as outputs.

    Returns:
      The view, with placeholders for inputs, and the placeholders.
    """
    sgv = subgraph.make_view(sgv)
    before = list(sgv.inputs)
    sgv, made = detach_inputs(sgv)
    reroute.reroute_ts(before, sgv.outputs)
    return sgv, made
