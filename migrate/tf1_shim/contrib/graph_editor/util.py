"""``tf.contrib.graph_editor.util``: lists of operations and tensors, and placeholders for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "ControlOutputs",
    "ListView",
    "check_graphs",
    "concatenate_unique",
    "find_corresponding",
    "flatten_tree",
    "get_consuming_ops",
    "get_generating_ops",
    "get_tensors",
    "get_unique_graph",
    "is_iterable",
    "make_list_of_op",
    "make_list_of_t",
    "make_placeholder_from_dtype_and_shape",
    "make_placeholder_from_tensor",
    "placeholder_name",
    "transform_tree",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.graph_editor.util")

#: How the placeholders begin that take the place of tensors.
PREFIX = "geph"


class ListView:
    """A list that can be read only."""

    def __init__(self, list_: list[Any]) -> None:
        self._list = list_

    def __iter__(self) -> Iterator[Any]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __bool__(self) -> bool:
        return bool(self._list)

    def __getitem__(self, i: Any) -> Any:
        return self._list[i]

    def __add__(self, other: Iterable[Any]) -> list[Any]:
        return self._list + list(other)


def concatenate_unique(first: list[Any], second: Iterable[Any]) -> list[Any]:
    """Append to the first list what it does not have yet, and return it."""
    there = set(first)
    for element in second:
        if element not in there:
            first.append(element)
            there.add(element)
    return first


def is_iterable(value: Any) -> bool:
    """Whether a value can be iterated over; a tensor counts as one thing."""
    if isinstance(value, tf.Tensor):
        return False
    try:
        iter(value)
    except TypeError:
        return False
    return True


def unique_graph(elements: Any, kinds: tuple[Any, ...]) -> Any:
    """The graph that all elements belong to.

    Raises:
      TypeError: If an element is of another class.
      ValueError: If they belong to different graphs, or there are none.
    """
    graph = None
    for element in elements:
        if not isinstance(element, kinds):
            names = ", ".join(kind.__name__ for kind in kinds)
            raise TypeError(f"Expected {names}, got: {type(element)}")
        graph = graph or element.graph
        if graph is not element.graph:
            raise ValueError(f"{element} does not belong to the graph of the others")
    if graph is None:
        raise ValueError("an empty list belongs to no graph")
    return graph


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Any:
    """The graph that operations and tensors belong to.

    Args:
      tops: Operations and tensors, or a graph, which is returned.
      check_types: The classes that are allowed; by default both.
      none_if_empty: Whether an empty list gives None; else it raises.

    Returns:
      A graph or None.

    Raises:
      TypeError: If there is something else.
      ValueError: If they belong to different graphs, or there are none.
    """
    if isinstance(tops, tf.Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f"{type(tops)} is not iterable")
    listed = list(tops)
    if not listed and none_if_empty:
        return None
    kinds = (tf.Operation, tf.Tensor) if check_types is None else check_types
    return unique_graph(listed, tuple(kinds) if is_iterable(kinds) else (kinds,))


def check_graphs(*views: Any) -> None:
    """Check that views are of one graph; empty ones are of any.

    Raises:
      ValueError: If they are not.
    """
    graphs = [view.graph for view in views if view.graph is not None]
    if any(graph is not graphs[0] for graph in graphs):
        raise ValueError("the subgraphs belong to different graphs")


def make_list_of_op(
    ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> list[Any]:
    """Operations as a list.

    Args:
      ops: An operation, several, or a graph, which stands for all of its operations.
      check_graph: Whether to check that they belong to one graph.
      allow_graph: Whether a graph is allowed.
      ignore_ts: Whether to leave out tensors; else they raise.

    Returns:
      A list of operations.

    Raises:
      TypeError: If there is something else.
      ValueError: If they belong to different graphs.
    """
    if isinstance(ops, tf.Graph):
        if not allow_graph:
            raise TypeError("a tf.Graph is not allowed here")
        return list(ops.get_operations())
    listed = list(ops) if is_iterable(ops) else [ops]
    if listed and check_graph:
        kinds = (tf.Operation, tf.Tensor) if ignore_ts else (tf.Operation,)
        unique_graph(listed, kinds)
    return [op for op in listed if isinstance(op, tf.Operation)]


def get_tensors(graph: Any) -> list[Any]:
    """All tensors of a graph, in the order of its operations.

    Raises:
      TypeError: If it is no graph.
    """
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [t for op in graph.get_operations() for t in op.outputs]


def make_list_of_t(
    ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> list[Any]:
    """Tensors as a list.

    Args:
      ts: A tensor, several, or a graph, which stands for all of its tensors.
      check_graph: Whether to check that they belong to one graph.
      allow_graph: Whether a graph is allowed.
      ignore_ops: Whether to leave out operations; else they raise.

    Returns:
      A list of tensors.

    Raises:
      TypeError: If there is something else.
      ValueError: If they belong to different graphs.
    """
    if isinstance(ts, tf.Graph):
        if not allow_graph:
            raise TypeError("a tf.Graph is not allowed here")
        return get_tensors(ts)
    listed = list(ts) if is_iterable(ts) else [ts]
    if listed and check_graph:
        kinds = (tf.Operation, tf.Tensor) if ignore_ops else (tf.Tensor,)
        unique_graph(listed, kinds)
    return [t for t in listed if isinstance(t, tf.Tensor)]


def get_generating_ops(ts: Any) -> list[Any]:
    """The operations that make tensors, one for each."""
    return [t.op for t in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> list[Any]:
    """The operations that take any of the tensors, each once."""
    found: list[Any] = []
    for t in make_list_of_t(ts, allow_graph=False):
        concatenate_unique(found, t.consumers())
    return found


class ControlOutputs:
    """Which operations wait for which: the other way round than ``Operation.control_inputs``."""

    def __init__(self, graph: Any) -> None:
        """Look through a graph.

        Raises:
          TypeError: If it is no graph.
        """
        if not isinstance(graph, tf.Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph
        self._outputs: dict[Any, list[Any]] = {}
        self._version: Any = None
        self.update()

    def update(self) -> ControlOutputs:
        """Look again if operations have come to the graph."""
        if self._version != self._graph.version:
            self._outputs.clear()
            for op in self._graph.get_operations():
                for before in op.control_inputs:
                    concatenate_unique(self._outputs.setdefault(before, []), [op])
            self._version = self._graph.version
        return self

    def get_all(self) -> dict[Any, list[Any]]:
        """All operations that others wait for, each with those."""
        return self._outputs

    def get(self, op: Any) -> Any:
        """The operations that wait for one."""
        return self._outputs.get(op, ())

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._graph


def finalize_scope(scope: str) -> str:
    """A scope with a final slash, unless it is empty."""
    return scope if not scope or scope.endswith("/") else scope + "/"


def placeholder_name(t: Any = None, scope: str | None = None, prefix: str = PREFIX) -> str:
    """The name of the placeholder for a tensor.

    Args:
      t: The tensor, or None.
      scope: The scope; by default that of the tensor.
      prefix: What the name begins with.

    Returns:
      Such as "scope/geph__Add_0".

    Raises:
      TypeError: If it is no tensor.
    """
    if t is None:
        return f"{'' if scope is None else finalize_scope(scope)}{prefix}"
    if not isinstance(t, tf.Tensor):
        raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
    folder, slash, base = t.op.name.rpartition("/")
    scope = folder + slash if scope is None else finalize_scope(scope)
    if base.startswith(f"{prefix}__"):
        return scope + base
    return f"{scope}{prefix}__{base}_{t.value_index}"


def make_placeholder_from_tensor(t: Any, scope: str | None = None, prefix: str = PREFIX) -> Any:
    """A placeholder of a tensor's type and shape, in the default graph."""
    return tf.placeholder(t.dtype, t.shape, name=placeholder_name(t, scope, prefix))


def make_placeholder_from_dtype_and_shape(
    dtype: Any, shape: Any = None, scope: str | None = None, prefix: str = PREFIX
) -> Any:
    """A placeholder of a type and shape, in the default graph."""
    return tf.placeholder(dtype, shape, name=placeholder_name(scope=scope, prefix=prefix))


def transform_tree(tree: Any, function: Any) -> Any:
    """A nest of lists, tuples and dictionaries with a function of each leaf."""
    if not is_iterable(tree) or isinstance(tree, str):
        return function(tree)
    if isinstance(tree, dict):
        return type(tree)((key, transform_tree(part, function)) for key, part in tree.items())
    if hasattr(tree, "_asdict"):
        return type(tree)(*(transform_tree(part, function) for part in tree))
    kind = type(tree) if isinstance(tree, list | tuple) else tuple
    return kind(transform_tree(part, function) for part in tree)


def flatten_tree(tree: Any) -> list[Any]:
    """The leaves of a nest."""
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in flatten_tree(part)]
    if is_iterable(tree):
        return [leaf for part in tree for leaf in flatten_tree(part)]
    return [tree]


def find_corresponding(
    targets: Any, dst_graph: Any, dst_scope: str = "", src_scope: str = ""
) -> Any:
    """The operations and tensors of the same names in another graph.

    Args:
      targets: An operation, a tensor, or a nest of them.
      dst_graph: The graph to look in.
      dst_scope: The scope that is put before the names.
      src_scope: The scope that is taken off the names first.

    Returns:
      The same nest of what was found.

    Raises:
      TypeError: If there is something else.
      ValueError: If one is not in `src_scope`.
      KeyError: If there is none of a name.
    """
    before, after = finalize_scope(src_scope), finalize_scope(dst_scope)

    def find(target: Any) -> Any:
        if not isinstance(target, tf.Tensor | tf.Operation):
            raise TypeError(f"Expected tf.Tensor or tf.Operation, got: {type(target)}")
        if not target.name.startswith(before):
            raise ValueError(f"{target.name} does not start with {before}")
        name = after + target.name[len(before) :]
        if isinstance(target, tf.Tensor):
            return dst_graph.get_tensor_by_name(name)
        return dst_graph.get_operation_by_name(name)

    return transform_tree(targets, find)
