# -*- coding: utf-8 -*-
"""What one set of fetches means."""

from __future__ import absolute_import, division, print_function

from .operations import (
    ASSIGN_TYPES,
    UPDATE_PREFIXES,
    ancestors,
    gradient_op,
    is_free,
    sources_of,
)
from .values import STRING_TYPES, flatten


class Plan(object):
    """What one set of fetches means: computed once, kept as long as the recorder."""

    def __init__(self):
        self.held = None
        self.names = []
        self.sites = []
        self.updates = []
        self.train = False
        self.losses = []
        self.races = frozenset()
        self.sources = []
        self.flat = False


def plan_of(recorder, graph, state, fetches):
    """The plan of a set of fetches, made once for a graph."""
    leaves = [fetches] if not isinstance(fetches, (list, tuple, dict)) else flatten(fetches)
    key = tuple([leaf if isinstance(leaf, STRING_TYPES) else id(leaf) for leaf in leaves])
    plan = state.plans.get(key)
    if plan is not None:
        return plan
    plan = Plan()
    plan.held = leaves
    plan.flat = isinstance(fetches, (list, tuple)) and len(leaves) == len(fetches)
    operations = []
    for leaf in leaves:
        name, operation = element(graph, leaf)
        # Hooks fetch what others fetch too: one value a run is one value.
        plan.names.append(None if name in plan.names else name)
        if operation is not None:
            operations.append(operation)
    reached = ancestors(operations)
    kinds = set(operation.type for operation in reached)
    plan.updates = sorted(
        operation.name for operation in reached if operation.type.startswith(UPDATE_PREFIXES)
    )
    assigns = bool(kinds & ASSIGN_TYPES)
    if (plan.updates or assigns) and "RestoreV2" not in kinds and "Restore" not in kinds:
        plan.sites = [
            site
            for site in state.sites
            if any(gradient_op(gradient) in reached for gradient in site.gradients)
        ]
    plan.train = bool(plan.sites) or bool(plan.updates)
    plan.races = racing(graph, plan, reached)
    fetched = set(name for name in plan.names if name)
    for site in plan.sites:
        for loss in site.losses:
            if loss.name not in fetched and is_free(loss.op, reached):
                plan.losses.append((site, loss))
            elif loss.name not in fetched:
                recorder.note("loss-not-fetched", tensor=loss.name)
    if recorder.job["for_devices"]:
        plan.sources = sources_of(reached)
    state.plans[key] = plan
    return plan


def racing(graph, plan, reached):
    """Fetched counters that the same run changes, like the global step: 1.15 orders neither."""
    changed = set()
    for operation in reached:
        if operation.type in ASSIGN_TYPES and len(operation.inputs):
            changed.add(operation.inputs[0].op)
    found = set()
    for name in plan.names:
        if name is not None and changed:
            tensor = graph.get_tensor_by_name(name)
            if tensor.dtype.is_integer and changed & ancestors([tensor.op]):
                found.add(name)
    return frozenset(found)


def element(graph, leaf):
    """The name of a fetched tensor (None for an operation) and its operation."""
    try:
        item = graph.as_graph_element(leaf, allow_tensor=True, allow_operation=True)
    except (TypeError, ValueError, KeyError):
        return None, None
    if not hasattr(item, "dtype"):
        return None, item
    return item.name, item.op


def read_handles(graph, fetches):
    """``w:0`` was a reference variable's value; of a resource variable it is the handle."""
    if isinstance(fetches, dict):
        made = ((key, read_handles(graph, item)) for key, item in fetches.items())
        return dict(made) if type(fetches) is dict else fetches
    if type(fetches) in (list, tuple):
        return type(fetches)([read_handles(graph, item) for item in fetches])
    name, operation = element(graph, fetches)
    if name is None or operation.type != "VarHandleOp":
        return fetches
    read, operation = element(graph, operation.name + "/Read/ReadVariableOp:0")
    return fetches if operation is None else read
