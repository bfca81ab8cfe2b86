# -*- coding: utf-8 -*-
"""Order what TensorFlow 1.15 leaves open: losses and counters are read before their updates."""

from __future__ import absolute_import, division, print_function

from .operations import ancestors, gradient_op, is_free, reads_of, updates_after


def order_updates(state):
    """Let updates wait for the loss that they lower, so that a fetched loss is that before.

    Where a loss reads a reference variable itself, 1.15 leaves open whether it sees the update.
    This has to happen before a session takes the graph over.
    """
    for site in state.sites[state.ordered :]:
        losses = [loss.op for loss in site.losses]
        known = ancestors(losses)
        for update in updates_after([gradient_op(item) for item in site.gradients]):
            reached = ancestors([update])
            for loss in losses:
                if update not in known and loss not in reached and is_free(loss, reached):
                    update._add_control_inputs([loss])
    state.ordered = len(state.sites)
    if state.sites:
        order_global_step(state.sites[0].losses[0].graph)


def order_global_step(graph):
    """Let hooks and schedules see the global step before its update: 1.15 leaves that open."""
    cached = [tensor.op for tensor in graph.get_collection("global_step_read_op_cache")]
    steps = [
        getattr(variable, "handle", variable).op for variable in graph.get_collection("global_step")
    ]
    for operation in graph.get_operations():
        if operation.type in ("AssignAdd", "AssignAddVariableOp"):
            source, reads = operation.inputs[0].op, cached
        elif operation.type in ("Assign", "AssignVariableOp"):
            source = operation.inputs[0].op
            reads = reads_of(source) if source in steps else []
        else:
            continue
        if not reads:
            continue
        known = ancestors([operation])
        if reads is not cached and not known.intersection(reads):
            continue  # an initial value, or a restored one
        for read in reads:
            reached = ancestors([read])
            if source in reached and operation not in reached and read not in known:
                operation._add_control_inputs([read])
