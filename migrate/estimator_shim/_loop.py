"""Several steps of training as one operation: a loop of copies of a step. See `_steps`."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

#: Whatever has a name below this is the shim's own, and left out of files.
SCOPE = "migrate_estimator_steps"

#: Variables, found by name from within the copy.
_VARIABLES = frozenset({"VarHandleOp", "Variable", "VariableV2"})

#: Operations with state that lies in variables, or in resources that are passed in.
_FAITHFUL = frozenset({
    "Assert", "Assign", "AssignAdd", "AssignAddVariableOp", "AssignSub", "AssignSubVariableOp",
    "AssignVariableOp", "IsVariableInitialized", "IteratorGetNext", "IteratorGetNextSync",
    "LookupTableFindV2", "LookupTableSizeV2", "QueueDequeueManyV2", "QueueDequeueUpToV2",
    "QueueDequeueV2", "ReadVariableOp", "ResourceGather", "ResourceGatherNd",
    "VarIsInitializedOp", "VariableShape",
})  # fmt: skip
_FAITHFUL_PREFIXES = ("Apply", "SparseApply", "Scatter", "ResourceApply", "ResourceSparseApply",
                      "ResourceScatter")  # fmt: skip

#: Operations that can't be copied: fed from outside, or parts of loops of the old kind.
_REFUSED = frozenset({
    "ControlTrigger", "DestroyTemporaryVariable", "Enter", "Exit", "LoopCond", "Merge",
    "NextIteration", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "RefEnter",
    "RefExit", "RefMerge", "RefNextIteration", "RefSwitch", "Switch", "TemporaryVariable",
})  # fmt: skip


class Loop:
    """The operation, and how to run it."""

    def __init__(self, count: Any, results: Any) -> None:
        self._count = count
        self._results = results
        self._callables: dict[Any, Any] = {}

    def run(self, session: Any, steps: int) -> tuple[int, Any]:
        """Makes steps.

        Args:
          session: The raw session.
          steps: How many.

        Returns:
          How many were made (less only if the last loss is not a number), and the last loss.
        """
        if session not in self._callables:
            made = session.make_callable(self._results, feed_list=[self._count])
            self._callables = {session: made}
        done, loss = self._callables[session](steps)
        return int(done), loss


class _NotCopyable(Exception):
    """Why a step can't be copied."""


def _is_external(tensor: Any) -> bool:
    """Whether it is the handle of something that the copy must share: an iterator, a queue …"""
    return tensor.dtype in (tf.resource, tf.variant) and tensor.op.type not in _VARIABLES


def _check(op: Any) -> None:
    kind = op.type
    if kind in _REFUSED:
        raise _NotCopyable(f"{op.name} is of type {kind}")
    if op.op_def.is_stateful and kind not in _FAITHFUL and kind not in _VARIABLES:
        if not kind.startswith(_FAITHFUL_PREFIXES):
            raise _NotCopyable(f"{op.name} of type {kind} has a state of its own")
    if op.device and "job:" in op.device:
        raise _NotCopyable(f"{op.name} is placed on {op.device}")


def _collect(roots: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The operations of a step, and the tensors that come from outside of it."""
    found: dict[str, Any] = {}
    external: dict[str, Any] = {}
    queue = list(roots)
    while queue:
        op = queue.pop()
        if op.name in found:
            continue
        _check(op)
        found[op.name] = op
        for tensor in op.inputs:
            if _is_external(tensor):
                external[tensor.name] = tensor
            else:
                queue.append(tensor.op)
        queue.extend(op.control_inputs)
    return list(found.values()), external


def _graph_def(graph: Any, ops: list[Any], external: dict[str, Any]) -> Any:
    """The step as a GraphDef: variables by name, placeholders for what is passed in."""
    result = tf.GraphDef(versions=graph.graph_def_versions)
    result.library.CopyFrom(graph.as_graph_def().library)
    for op in ops:
        node = op.node_def
        if op.type in _VARIABLES and not node.attr["shared_name"].s:
            node.attr["shared_name"].s = op.name.encode()
        if "_class" in node.attr:
            del node.attr["_class"]  # to be beside operations that may not be copied
        result.node.append(node)
    copied = {op.name for op in ops}
    for tensor in external.values():
        if tensor.op.name in copied:
            raise _NotCopyable(f"{tensor.name} is made within the step")
        if tensor.op.name not in {n.name for n in result.node}:
            node = result.node.add(name=tensor.op.name, op="Placeholder")
            node.attr["dtype"].type = tensor.dtype.as_datatype_enum
            if tensor.value_index:
                raise _NotCopyable(f"{tensor.name} is not the only output of its operation")
    return result


def build(graph: Any, train_op: Any, loss: Any) -> Loop | None:
    """Adds the loop to the graph.

    Args:
      graph: The default graph, not yet finalized.
      train_op: The operation or tensor that makes a step.
      loss: The scalar that must stay a number.

    Returns:
      The loop, or None if the graph can't be copied faithfully; the log (at debug) says why.
    """
    try:
        if tf.config.list_physical_devices("GPU"):
            raise _NotCopyable("variables in the copy might be placed on another device")
        train_op = train_op if isinstance(train_op, tf.Operation) else train_op.op
        ops, external = _collect([train_op, loss.op])
        body = _graph_def(graph, ops, external)
    except _NotCopyable as e:
        tf.logging.debug("Training makes one step in a session call: %s.", e)
        return None
    names, handles = list(external), list(external.values())

    def migrate_estimator_loop(count: Any, *passed: Any) -> Any:
        def more(done: Any, last: Any) -> Any:
            go_on = done < count
            return tf.logical_and(go_on, tf.equal(last, last))

        def step(done: Any, last: Any) -> Any:
            # identity: the body is a graph of its own, in which the handles must have a tensor.
            here = [tf.identity(handle) for handle in passed]
            train, new = tf.import_graph_def(
                body,
                input_map=dict(zip(names, here, strict=True)),
                return_elements=[train_op.name, loss.name],
                name="",
            )
            with tf.control_dependencies([train]):
                return done + 1, tf.ensure_shape(tf.identity(new), [])

        start = (tf.constant(0, tf.int32), tf.zeros([], loss.dtype.base_dtype))
        return tf.while_loop(more, step, start, parallel_iterations=1)

    with tf.name_scope(f"{SCOPE}/"), tf.device(None), tf.control_dependencies(None):
        count = tf.placeholder(tf.int32, [], name="count")
        loop = tf.function(migrate_estimator_loop, autograph=False)
        return Loop(count, loop(count, *handles))
