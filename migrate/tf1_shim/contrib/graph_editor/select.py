"""``tf.contrib.graph_editor.select``: finding operations and tensors by name and by connection."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.graph_editor import util

__all__ = [
    "can_be_regex",
    "check_cios",
    "compute_boundary_ts",
    "filter_ops",
    "filter_ops_from_regex",
    "filter_ts",
    "filter_ts_from_regex",
    "get_backward_walk_ops",
    "get_forward_walk_ops",
    "get_name_scope_ops",
    "get_ops_ios",
    "get_walks_intersection_ops",
    "get_walks_union_ops",
    "get_within_boundary_ops",
    "make_regex",
    "select_ops",
    "select_ops_and_ts",
    "select_ts",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.graph_editor.select")


def can_be_regex(obj: Any) -> bool:
    """Whether something is a string or a compiled regular expression."""
    return isinstance(obj, str | re.Pattern)


def make_regex(obj: Any) -> re.Pattern[str]:
    """A compiled regular expression.

    Raises:
      ValueError: If it is neither a string nor compiled.
    """
    if not can_be_regex(obj):
        raise ValueError(f"A pattern is a string or a compiled one. Received: {obj!r}")
    return re.compile(obj)


def _inputs(ops: list[Any]) -> list[Any]:
    return util.concatenate_unique([], [t for op in ops for t in op.inputs])


def _outputs(ops: list[Any]) -> list[Any]:
    return [t for op in ops for t in op.outputs]


def filter_ts(ops: Any, positive_filter: Any) -> list[Any]:
    """The inputs and outputs of operations for which a function holds.

    Args:
      ops: Operations, or a graph.
      positive_filter: A function of a tensor, or True for all.
    """
    ops = util.make_list_of_op(ops)
    ts = util.concatenate_unique(_inputs(ops), _outputs(ops))
    return ts if positive_filter is True else [t for t in ts if positive_filter(t)]


def filter_ts_from_regex(ops: Any, regex: Any) -> list[Any]:
    """The inputs and outputs of operations whose names a regular expression is found in."""
    pattern = make_regex(regex)
    return filter_ts(ops, lambda t: pattern.search(t.name))


def filter_ops(ops: Any, positive_filter: Any) -> list[Any]:
    """The operations for which a function holds.

    Args:
      ops: Operations, or a graph.
      positive_filter: A function of an operation, or True for all.
    """
    ops = util.make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> list[Any]:
    """The operations whose names a regular expression is found in."""
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops: Any, scope: str) -> list[Any]:
    """The operations in a name scope."""
    return filter_ops_from_regex(ops, f"^{scope.removesuffix('/')}(/.*)?$")


def check_cios(
    control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[bool, Any]:
    """Bring the three ways to ask for control dependencies to two.

    Args:
      control_inputs: Whether to follow control inputs.
      control_outputs: A `ControlOutputs` to follow them by, or None.
      control_ios: A `ControlOutputs` for both.

    Returns:
      Whether to follow control inputs, and a `ControlOutputs` or None.

    Raises:
      TypeError: If one is of another class.
      ValueError: If both `control_outputs` and `control_ios` are given.
    """
    for given in (control_outputs, control_ios):
        if given is not None and not isinstance(given, util.ControlOutputs):
            raise TypeError(f"Expected a util.ControlOutputs, got: {type(given)}")
    if control_ios is not None:
        if control_outputs is not None:
            raise ValueError("Give control_ios or control_outputs, not both")
        control_inputs, control_outputs = True, control_ios
    if control_outputs is not None:
        control_outputs.update()
    return control_inputs, control_outputs


def get_ops_ios(
    ops: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> list[Any]:
    """The operations before and after operations: see `check_cios`."""
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    found: list[Any] = []
    for op in util.make_list_of_op(ops):
        util.concatenate_unique(found, [t.op for t in op.inputs])
        for t in op.outputs:
            util.concatenate_unique(found, t.consumers())
        if control_outputs is not None:
            util.concatenate_unique(found, control_outputs.get(op))
        if control_inputs:
            util.concatenate_unique(found, op.control_inputs)
    return found


def compute_boundary_ts(ops: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """The tensors where operations meet the others.

    Args:
      ops: Operations.

    Returns:
      What they take from outside, what they make for outside or for nobody, and what they make
      for each other.
    """
    ops = util.make_list_of_op(ops)
    taken, made = _inputs(ops), _outputs(ops)
    made_set, ops_set = set(made), set(ops)
    inside = [t for t in taken if t in made_set]
    inside_set = set(inside)
    only_inside = {t for t in inside if not set(t.consumers()) - ops_set}
    return (
        [t for t in taken if t not in inside_set],
        [t for t in made if t not in only_inside],
        inside,
    )


def get_within_boundary_ops(
    ops: Any,
    seed_ops: Any,
    boundary_ops: Any = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """The operations that can be reached from some without crossing others.

    Args:
      ops: Where to look, and the order of the result.
      seed_ops: Where to begin.
      boundary_ops: What is not crossed.
      inclusive: Whether those reached of the boundary belong to the result.
      control_inputs: See `check_cios`.
      control_outputs: See `check_cios`.
      control_ios: See `check_cios`.

    Returns:
      Operations.

    Raises:
      ValueError: If a seed is on the boundary.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    ops = util.make_list_of_op(ops)
    boundary = set(util.make_list_of_op(boundary_ops))
    found = set(util.make_list_of_op(seed_ops, allow_graph=False))
    if boundary & found:
        raise ValueError("Boundary is intersecting with the seeds.")
    wave = set(found)
    while wave:
        reached = set(get_ops_ios(wave, control_inputs, control_outputs)) - found
        wave = reached - boundary
        found |= reached if inclusive else wave
    return [op for op in ops if op in found]


def _walk(
    seeds: list[Any],
    following: Callable[[Any], Iterable[Any]],
    inclusive: bool,
    within_ops: Any,
    within_ops_fn: Any,
) -> list[Any]:
    """What can be reached from operations, the nearest first."""
    within = None
    if within_ops:
        within = set(util.make_list_of_op(within_ops, allow_graph=False))
        seeds = [op for op in seeds if op in within]
    seeds = util.concatenate_unique([], seeds)

    def allowed(op: Any) -> bool:
        return (within is None or op in within) and (within_ops_fn is None or within_ops_fn(op))

    found, seen, wave = list(seeds), set(seeds), seeds
    while wave:
        reached: list[Any] = []
        for op in wave:
            for other in following(op):
                if other not in seen and allowed(other):
                    seen.add(other)
                    reached.append(other)
        found += reached
        wave = reached
    return found if inclusive else found[len(seeds) :]


def _seeds(seed_ops: Any, of_tensors: Callable[[Any], list[Any]]) -> list[Any]:
    listed = list(seed_ops) if util.is_iterable(seed_ops) else [seed_ops]
    if listed and isinstance(listed[0], tf.Tensor):
        return of_tensors(util.make_list_of_t(listed, allow_graph=False))
    return util.make_list_of_op(listed, allow_graph=False)


def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    stop_at_ts: Any = (),
    control_outputs: Any = None,
) -> list[Any]:
    """The operations that depend on some.

    Args:
      seed_ops: Operations, or tensors, which stand for those that take them.
      inclusive: Whether they belong to the result themselves.
      within_ops: Where to look; None for everywhere.
      within_ops_fn: A function of an operation, whether to look there.
      stop_at_ts: Tensors not to follow.
      control_outputs: A `ControlOutputs` to follow too.

    Returns:
      Operations, the nearest first.
    """
    _, control_outputs = check_cios(False, control_outputs)
    stop = set(util.make_list_of_t(stop_at_ts))

    def following(op: Any) -> list[Any]:
        found = [other for t in op.outputs if t not in stop for other in t.consumers()]
        return found + list(control_outputs.get(op) if control_outputs is not None else ())

    seeds = _seeds(seed_ops, util.get_consuming_ops)
    return _walk(seeds, following, inclusive, within_ops, within_ops_fn)


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
) -> list[Any]:
    """The operations that some depend on.

    Args:
      seed_ops: Operations, or tensors, which stand for those that make them.
      inclusive: Whether they belong to the result themselves.
      within_ops: Where to look; None for everywhere.
      within_ops_fn: A function of an operation, whether to look there.
      stop_at_ts: Tensors not to follow.
      control_inputs: Whether to follow control inputs too.

    Returns:
      Operations, the nearest first.
    """
    stop = set(util.make_list_of_t(stop_at_ts))

    def following(op: Any) -> list[Any]:
        found = [t.op for t in op.inputs if t not in stop]
        return found + list(op.control_inputs if control_inputs else ())

    seeds = _seeds(seed_ops, util.get_generating_ops)
    return _walk(seeds, following, inclusive, within_ops, within_ops_fn)


def _both_walks(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool,
    backward_inclusive: bool,
    within_ops: Any,
    within_ops_fn: Any,
    controls: tuple[bool, Any],
) -> tuple[list[Any], list[Any]]:
    forward = get_forward_walk_ops(
        forward_seed_ops, forward_inclusive, within_ops, within_ops_fn, (), controls[1]
    )
    backward = get_backward_walk_ops(
        backward_seed_ops, backward_inclusive, within_ops, within_ops_fn, (), controls[0]
    )
    return forward, backward


def get_walks_intersection_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """The operations that depend on some and that others depend on.

    The arguments are those of `get_forward_walk_ops` and `get_backward_walk_ops`.
    """
    controls = check_cios(control_inputs, control_outputs, control_ios)
    forward, backward = _both_walks(
        forward_seed_ops,
        backward_seed_ops,
        forward_inclusive,
        backward_inclusive,
        within_ops,
        within_ops_fn,
        controls,
    )
    there = set(backward)
    return [op for op in forward if op in there]


def get_walks_union_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """The operations that depend on some or that others depend on.

    The arguments are those of `get_forward_walk_ops` and `get_backward_walk_ops`.
    """
    controls = check_cios(control_inputs, control_outputs, control_ios)
    return util.concatenate_unique(
        *_both_walks(
            forward_seed_ops,
            backward_seed_ops,
            forward_inclusive,
            backward_inclusive,
            within_ops,
            within_ops_fn,
            controls,
        )
    )


def _selected(
    args: tuple[Any, ...],
    graph: Any,
    positive_filter: Any,
    restrict: bool,
    own: str,
    other: str,
    by_regex: Callable[[Any, Any], list[Any]],
    as_list: Callable[[Any], list[Any]],
) -> list[Any]:
    if graph is not None and not isinstance(graph, tf.Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    found: list[Any] = []
    for arg in args:
        if can_be_regex(arg):
            if graph is None:
                raise ValueError("A regular expression needs graph=, where to look for names")
            pattern = make_regex(arg).pattern
            if pattern.startswith(other) or (restrict and not pattern.startswith(own)):
                continue
            chosen = by_regex(graph, arg)
        else:
            chosen = as_list(arg)
        util.concatenate_unique(
            found, [c for c in chosen if positive_filter is None or positive_filter(c)]
        )
    return found


def select_ops(
    *args: Any,
    graph: Any = None,
    positive_filter: Any = None,
    restrict_ops_regex: bool = False,
    restrict_ts_regex: bool = False,
) -> list[Any]:
    """Operations, by themselves or by regular expressions.

    Args:
      *args: Operations, lists of them, or regular expressions; those that begin with "(?#ts)" are
        for tensors only and skipped.
      graph: Where to look for regular expressions.
      positive_filter: A function of an operation, whether to take it.
      restrict_ops_regex: Whether only expressions count that begin with "(?#ops)".
      restrict_ts_regex: For `select_ts`; without effect, as in TF1.

    Returns:
      Operations, each once.

    Raises:
      TypeError: If `graph` is no graph or there is something else.
      ValueError: If a regular expression comes without a graph.
    """
    return _selected(
        args,
        graph,
        positive_filter,
        restrict_ops_regex,
        "(?#ops)",
        "(?#ts)",
        filter_ops_from_regex,
        lambda arg: util.make_list_of_op(arg, ignore_ts=True),
    )


def select_ts(
    *args: Any,
    graph: Any = None,
    positive_filter: Any = None,
    restrict_ts_regex: bool = False,
    restrict_ops_regex: bool = False,
) -> list[Any]:
    """Tensors, by themselves or by regular expressions.

    Args:
      *args: Tensors, lists of them, or regular expressions; those that begin with "(?#ops)" are
        for operations only and skipped.
      graph: Where to look for regular expressions.
      positive_filter: A function of a tensor, whether to take it.
      restrict_ts_regex: Whether only expressions count that begin with "(?#ts)".
      restrict_ops_regex: For `select_ops`; without effect, as in TF1.

    Returns:
      Tensors, each once.

    Raises:
      TypeError: If `graph` is no graph or there is something else.
      ValueError: If a regular expression comes without a graph.
    """
    return _selected(
        args,
        graph,
        positive_filter,
        restrict_ts_regex,
        "(?#ts)",
        "(?#ops)",
        filter_ts_from_regex,
        lambda arg: util.make_list_of_t(arg, ignore_ops=True),
    )


def select_ops_and_ts(
    *args: Any, graph: Any = None, positive_filter: Any = None
) -> tuple[list[Any], list[Any]]:
    """Operations and tensors: regular expressions find tensors if they begin with "(?#ts)".

    Args:
      *args: For `select_ops` and `select_ts`.
      graph: Where to look for regular expressions.
      positive_filter: A function of an operation or tensor, whether to take it.

    Returns:
      Operations, and tensors.
    """
    ops = select_ops(*args, graph=graph, positive_filter=positive_filter)
    ts = select_ts(*args, graph=graph, positive_filter=positive_filter, restrict_ts_regex=True)
    return ops, ts
