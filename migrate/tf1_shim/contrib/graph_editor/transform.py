"""``tf.contrib.graph_editor.transform``: copying subgraphs, with other inputs or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.graph_editor import reroute, select, subgraph, util

__all__ = [
    "Transformer",
    "TransformerInfo",
    "assign_renamed_collections_handler",
    "copy",
    "copy_op_handler",
    "copy_with_input_replacements",
    "graph_replace",
    "keep_t_if_possible_handler",
    "replace_t_with_placeholder_handler",
    "transform_op_if_inside_handler",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.graph_editor.transform")


def replace_t_with_placeholder_handler(info: Any, t: Any) -> Any:
    """A placeholder for a tensor, in the new graph and scope."""
    with info.graph_.as_default():
        return util.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: Any, t: Any) -> Any:
    """The tensor itself in the same graph, else a placeholder."""
    if info.graph is info.graph_:
        return t
    return replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info: Any, elem: Any, elem_: Any) -> None:
    """Put what was copied into the collections of the original; own ones get the new scope."""
    known = [v for k, v in vars(tf.GraphKeys).items() if isinstance(v, str) and k.isupper()]
    for name, collection in info.collections.items():
        if any(elem is other for other in collection):
            renamed = name if name in known else info.new_name(name)
            info.graph_.add_to_collection(renamed, elem_)


def transform_op_if_inside_handler(info: Any, op: Any, keep_if_possible: bool = True) -> Any:
    """What an operation became; itself or None if it is outside of the subgraph."""
    if op in info.ops:
        return info.transformed_ops[op]
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(
    info: Any, op: Any, new_inputs: Any, copy_shape: bool = False, nodedef_fn: Any = None
) -> tuple[Any, Any]:
    """Copy an operation.

    Args:
      info: What is known while copying.
      op: The operation.
      new_inputs: The inputs of the copy.
      copy_shape: Whether the copy's outputs get the original's shapes.
      nodedef_fn: A function from a ``NodeDef`` to another, or None.

    Returns:
      The copy, and its outputs.
    """
    node = type(op.node_def)()
    node.CopyFrom(op.node_def)
    node.name = info.graph_.unique_name(info.new_name(op.name))
    if nodedef_fn is not None:
        node = nodedef_fn(node)
    # Nothing of where the copy is made gets into it: devices, dependencies, colocation.
    with (
        info.graph_.as_default(),
        tf.control_dependencies(None),
        tf.device(None),
        tf.device(node.device or None),
    ):
        made = info.graph_.create_op(
            node.op,
            list(new_inputs),
            [t.dtype for t in op.outputs],
            input_types=[
                t.dtype if t.dtype._is_ref_dtype else new.dtype.base_dtype
                for t, new in zip(op.inputs, new_inputs, strict=True)
            ],
            # With a slash the name is taken as it is: it is unique already.
            name=node.name + "/",
            attrs=dict(node.attr),
        )
    if copy_shape:
        for t, t_ in zip(op.outputs, made.outputs, strict=True):
            t_.set_shape(t.shape)
    return made, made.outputs


class _State:
    """What is known while a subgraph is copied."""

    def __init__(self, sgv: Any, dst_graph: Any, dst_scope: str, src_scope: str) -> None:
        self.sgv = sgv
        self.sgv_inputs_set = set(sgv.inputs)
        self.ops = set(sgv.ops)
        self.graph, self.graph_ = sgv.graph, dst_graph
        self.scope, self.scope_ = src_scope, dst_scope
        self.transformed_ops: dict[Any, Any] = {}
        self.transformed_ts: dict[Any, Any] = {}
        self.collections = {
            key: self.graph.get_collection(key) for key in self.graph.get_all_collection_keys()
        }
        # Tensors that were needed before they were copied: (tensor, operation, which input).
        self.cycles: list[tuple[Any, Any, int]] = []

    def new_name(self, name: str) -> str:
        """A name in the new scope.

        Raises:
          ValueError: If it is not in the old one.
        """
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]


class TransformerInfo:
    """What became of what."""

    def __init__(self, info: Any) -> None:
        """Take over the two dictionaries of a copy."""
        self._info = info

    def _map(self, element: Any) -> dict[Any, Any]:
        if isinstance(element, tf.Operation):
            return self._info.transformed_ops
        if isinstance(element, tf.Tensor):
            return self._info.transformed_ts
        raise TypeError(f"transformed() takes operations and tensors. Received: {element!r}")

    def transformed(self, original: Any, missing_fn: Callable[[Any], Any] | None = None) -> Any:
        """What became of operations and tensors.

        Args:
          original: An operation, a tensor, or a nest of them.
          missing_fn: What to return for one that was not copied; by default None.

        Returns:
          The same nest of the copies.
        """

        def one(element: Any) -> Any:
            there = self._map(element)
            if element in there:
                return there[element]
            return None if missing_fn is None else missing_fn(element)

        return util.transform_tree(original, one)

    def original(self, transformed: Any, missing_fn: Callable[[Any], Any] | None = None) -> Any:
        """What copies were made of: the other way round than `transformed`."""

        def one(element: Any) -> Any:
            for before, after in self._map(element).items():
                if after is element:
                    return before
            return None if missing_fn is None else missing_fn(element)

        return util.transform_tree(transformed, one)

    def __str__(self) -> str:
        info = self._info
        lines = ["Transform result info:"]
        if info.graph is info.graph_:
            lines.append(f"  Within graph[{id(info.graph)}]{'' if info.scope_ else ' IN-PLACE'}")
        else:
            lines.append(f"  graph[{id(info.graph)}] => graph[{id(info.graph_)}]")
        if info.scope:
            lines.append(f"  Relative to source scope: {info.scope}")
        if info.scope_:
            lines.append(f"  Scope destination: {info.scope_}")
        lines.append("Operations mapping:")
        lines += [f"  {op.name} => {op_.name}" for op, op_ in info.transformed_ops.items()]
        return "\n".join(lines) + "\n"


class Transformer:
    """Copies subgraphs; its handlers can be exchanged.

    Attributes:
      transform_op_handler: From (info, operation, new inputs) to a copy and its outputs.
      transform_control_input_handler: From (info, operation) to what the copy waits for, or None.
      assign_collections_handler: Gets (info, original, copy).
      transform_external_input_handler: From (info, tensor) to what replaces an input.
      transform_external_hidden_input_handler: The same for a tensor from outside that is no input
        of the view.
    """

    def __init__(self) -> None:
        """Make a transformer that copies, with placeholders for inputs."""
        self.transform_op_handler: Any = copy_op_handler
        self.transform_control_input_handler: Any = transform_op_if_inside_handler
        self.assign_collections_handler: Any = assign_renamed_collections_handler
        self.transform_external_input_handler: Any = replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler: Any = keep_t_if_possible_handler

    def __call__(
        self,
        sgv: Any,
        dst_graph: Any,
        dst_scope: str,
        src_scope: str = "",
        reuse_dst_scope: bool = False,
    ) -> tuple[Any, TransformerInfo]:
        """Copy a subgraph.

        Args:
          sgv: The subgraph.
          dst_graph: The graph of the copy.
          dst_scope: The scope of the copy, made unique.
          src_scope: The scope that is taken off the names.
          reuse_dst_scope: Whether the scope is not made unique.

        Returns:
          A view of the copy, and what became of what.

        Raises:
          TypeError: If `dst_graph` is no graph.
          ValueError: If an operation is not in `src_scope`.
        """
        sgv = subgraph.make_view(sgv)
        if not isinstance(dst_graph, tf.Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
        src_scope, dst_scope = util.finalize_scope(src_scope), util.finalize_scope(dst_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = util.finalize_scope(dst_graph.unique_name(dst_scope[:-1]))
        info = _State(sgv, dst_graph, dst_scope, src_scope)
        places = {op: i for i, op in enumerate(sgv.graph.get_operations())} if sgv else {}
        for op in sorted(sgv.ops, key=places.__getitem__):
            self._copy(info, op)
        for t, op, i in info.cycles:
            info.transformed_ops[op]._update_input(i, info.transformed_ts[t])
        for op in sgv.ops:
            waits = [self.transform_control_input_handler(info, c) for c in op.control_inputs]
            reroute.add_control_inputs(
                info.transformed_ops[op], [c for c in waits if c is not None]
            )
        return self._view(info, sgv), TransformerInfo(info)

    def _copy(self, info: Any, op: Any) -> None:
        inputs = [self._input(info, t, op, i) for i, t in enumerate(op.inputs)]
        made, outputs = self.transform_op_handler(info, op, inputs)
        if made is op:
            raise ValueError("In-place transformation not allowed.")
        info.transformed_ops[op] = made
        self.assign_collections_handler(info, op, made)
        for t, t_ in zip(op.outputs, outputs, strict=True):
            info.transformed_ts[t] = t_
            self.assign_collections_handler(info, t, t_)

    def _input(self, info: Any, t: Any, op: Any, i: int) -> Any:
        if t in info.transformed_ts:
            return info.transformed_ts[t]
        if t in info.sgv_inputs_set:
            return self.transform_external_input_handler(info, t)
        if t.op not in info.ops:
            return self.transform_external_hidden_input_handler(info, t)
        info.cycles.append((t, op, i))
        # The back edge of a loop: until its end is copied, the beginning stands for it.
        if op.type == "Merge" and i != 0:
            return self._input(info, op.inputs[0], op, 0)
        with info.graph_.as_default():
            return util.make_placeholder_from_tensor(t, scope=info.scope_, prefix="geph_tmp")

    @staticmethod
    def _view(info: Any, sgv: Any) -> Any:
        made = subgraph.SubGraphView(list(info.transformed_ops.values()))
        inputs = [info.transformed_ts[t] for t in sgv.inputs if t in info.transformed_ts]
        outputs = [info.transformed_ts[t] for t in sgv.outputs if t in info.transformed_ts]
        return made.remap(
            [made.input_index(t) for t in inputs if t in list(made.inputs)],
            [made.output_index(t) for t in outputs if t in list(made.outputs)],
        )


def copy(
    sgv: Any,
    dst_graph: Any = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[Any, TransformerInfo]:
    """Copy a subgraph; its inputs become placeholders.

    Args:
      sgv: The subgraph.
      dst_graph: The graph of the copy; by default the same.
      dst_scope: The scope of the copy.
      src_scope: The scope that is taken off the names.
      reuse_dst_scope: Whether the scope is not made unique.

    Returns:
      A view of the copy, and what became of what.

    Raises:
      TypeError: If `dst_graph` is no graph.
    """
    sgv = subgraph.make_view(sgv)
    graph = sgv.graph if dst_graph is None else dst_graph
    return Transformer()(sgv, graph, dst_scope, src_scope, reuse_dst_scope)


def copy_with_input_replacements(
    sgv: Any,
    replacement_ts: Mapping[Any, Any],
    dst_graph: Any = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[Any, TransformerInfo]:
    """Copy a subgraph with other inputs; those not named are kept in the same graph.

    Args:
      sgv: The subgraph.
      replacement_ts: Inputs, each with its replacement.
      dst_graph: The graph of the copy; by default the same.
      dst_scope: The scope of the copy.
      src_scope: The scope that is taken off the names.
      reuse_dst_scope: Whether the scope is not made unique.

    Returns:
      A view of the copy, and what became of what.

    Raises:
      TypeError: If `dst_graph` is no graph.
    """
    sgv = subgraph.make_view(sgv)
    copier = Transformer()

    def replace(info: Any, t: Any) -> Any:
        return replacement_ts[t] if t in replacement_ts else keep_t_if_possible_handler(info, t)

    copier.transform_external_input_handler = replace
    graph = sgv.graph if dst_graph is None else dst_graph
    return copier(sgv, graph, dst_scope, src_scope, reuse_dst_scope)


def _whole_loops(ops: list[Any], control_ios: Any) -> list[Any]:
    """The operations, and all of each loop that one of them is in."""
    contexts = {op._get_control_flow_context() for op in ops} - {None}
    for context in contexts:
        if context.IsWhileContext():
            inside = select.get_walks_intersection_ops(
                [t.op for t in context.loop_enters],
                [t.op for t in context.loop_exits],
                control_ios=control_ios,
            )
            util.concatenate_unique(ops, inside)
    return ops


def graph_replace(
    target_ts: Any,
    replacement_ts: Mapping[Any, Any],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:
    """Tensors as they would be if others were replaced; what lies between is copied.

    Args:
      target_ts: A tensor, or a nest of them.
      replacement_ts: Tensors, each with its replacement.
      dst_scope: The scope of the copies.
      src_scope: The scope that is taken off the names.
      reuse_dst_scope: Whether the scope is not made unique.

    Returns:
      The same nest of the new tensors; those that depend on no replaced one are themselves.

    Raises:
      ValueError: If no target depends on a replaced tensor.
    """
    targets = util.flatten_tree(target_ts)
    control_ios = util.ControlOutputs(util.unique_graph(targets, (tf.Tensor,)))
    ops = select.get_walks_intersection_ops(list(replacement_ts), targets, control_ios=control_ios)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    ops = _whole_loops(ops, control_ios)
    _, info = copy_with_input_replacements(
        ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope
    )
    return info.transformed(target_ts, lambda original: original)
