"""``tf.contrib.graph_editor.subgraph``: some operations of a graph with inputs and outputs."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.graph_editor import select, util

__all__ = ["SubGraphView", "make_view", "make_view_from_scope"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.graph_editor.subgraph")


def _indices(wanted: Sequence[Any], ts: list[Any], repetition: bool) -> list[int]:
    found = [i if isinstance(i, int) else ts.index(i) for i in wanted]
    for i in found:
        if not 0 <= i < len(ts):
            raise ValueError(f"Out of [0, {len(ts)}[ range: {i}")
    if not repetition and len(set(found)) != len(found):
        raise ValueError(f"Found repetition in mapping: {found}")
    return found


class SubGraphView:
    """Some operations of a graph, with the order of their inputs and outputs.

    The graph itself is not changed by a view; views are changed by `remap` and the like, which
    return new ones.
    """

    def __init__(self, inside_ops: Any = (), passthrough_ts: Any = ()) -> None:
        """Make a view.

        Args:
          inside_ops: The operations.
          passthrough_ts: Tensors that are inputs and outputs at once.

        Raises:
          TypeError: If there is something else.
          ValueError: If they belong to different graphs.
        """
        self._ops = util.make_list_of_op(inside_ops)
        passing = util.make_list_of_t(passthrough_ts)
        self._graph: Any = None
        if self._ops or passing:
            self._graph = util.unique_graph(self._ops + passing, (tf.Operation, tf.Tensor))
        inputs, outputs, inside = select.compute_boundary_ts(self._ops)
        there = set(inputs + outputs + inside)
        self._passthrough_ts = [t for t in passing if t not in there]
        self._input_ts = inputs + self._passthrough_ts
        self._output_ts = outputs + self._passthrough_ts

    def __copy__(self) -> SubGraphView:
        made = type(self).__new__(type(self))
        for name, value in self.__dict__.items():
            setattr(made, name, list(value) if isinstance(value, list) else value)
        return made

    def copy(self) -> SubGraphView:
        """A view of the same operations."""
        return copy.copy(self)

    def _assign_from(self, other: SubGraphView) -> None:
        self.__dict__.update(other.copy().__dict__)

    def remap_default(
        self, remove_input_map: bool = True, remove_output_map: bool = True
    ) -> SubGraphView:
        """A view with all inputs, all outputs or both in their first order."""
        made = self.copy()
        inputs, outputs, _ = select.compute_boundary_ts(self._ops)
        if remove_input_map:
            made._input_ts = inputs + self._passthrough_ts
        if remove_output_map:
            made._output_ts = outputs + self._passthrough_ts
        return made

    def remap_inputs(self, new_input_indices: Sequence[Any]) -> SubGraphView:
        """A view with other inputs of these.

        Args:
          new_input_indices: Numbers of inputs, or the inputs.

        Raises:
          ValueError: If there is no such input or one is named twice.
        """
        return self.remap(new_input_indices, None)

    def remap_outputs(self, new_output_indices: Sequence[Any]) -> SubGraphView:
        """A view with other outputs of these.

        Args:
          new_output_indices: Numbers of outputs, or the outputs; they may be named twice.

        Raises:
          ValueError: If there is no such output.
        """
        return self.remap(None, new_output_indices)

    def remap(
        self,
        new_input_indices: Sequence[Any] | None = None,
        new_output_indices: Sequence[Any] | None = None,
    ) -> SubGraphView:
        """A view with other inputs and outputs: see `remap_inputs` and `remap_outputs`."""
        made = self.copy()
        if new_input_indices is not None:
            found = _indices(new_input_indices, self._input_ts, repetition=False)
            made._input_ts = [self._input_ts[i] for i in found]
        if new_output_indices is not None:
            found = _indices(new_output_indices, self._output_ts, repetition=True)
            made._output_ts = [self._output_ts[i] for i in found]
        return made

    def remap_outputs_make_unique(self) -> SubGraphView:
        """A view with each output once."""
        made = self.copy()
        made._output_ts = util.concatenate_unique([], self._output_ts)
        return made

    def remap_outputs_to_consumers(self) -> SubGraphView:
        """A view with each output as often as it is taken."""
        made = self.remap_outputs_make_unique()
        made._output_ts = [t for t in made._output_ts for _ in t.consumers()]
        return made

    def remove_unused_ops(self, control_inputs: bool = True) -> SubGraphView:
        """A view without the operations between no input and no output.

        Args:
          control_inputs: Whether control inputs are followed.
        """
        made = self.copy()
        used = set(
            select.get_walks_union_ops(
                self.connected_inputs,
                self.connected_outputs,
                within_ops=self._ops,
                control_inputs=control_inputs,
            )
        )
        made._ops = [op for op in self._ops if op in used]
        return made

    def find_op_by_name(self, op_name: str) -> Any:
        """The operation of a name.

        Raises:
          ValueError: If there is none.
        """
        for op in self._ops:
            if op.name == op_name:
                return op
        raise ValueError(f"{op_name} not in subgraph.")

    def __str__(self) -> str:
        if not self:
            return "SubGraphView: empty"
        passing = set(self._passthrough_ts)
        lines = [f"SubGraphView (graphid={id(self.graph)}):"]
        for name, parts in (
            ("ops", self._ops),
            ("inputs", self._input_ts),
            ("outputs", self._output_ts),
        ):
            lines.append(f"** {name}[{len(parts)}]:" if parts else f"** {name}: empty")
            lines += [f"  {part.name}{' *' if part in passing else ''}" for part in parts]
        return "\n".join(lines) + "\n"

    @property
    def graph(self) -> Any:
        """The graph, or None of an empty view."""
        return self._graph

    @property
    def ops(self) -> list[Any]:
        """The operations."""
        return self._ops

    @property
    def inputs(self) -> util.ListView:
        """The inputs."""
        return util.ListView(self._input_ts)

    @property
    def connected_inputs(self) -> list[Any]:
        """The inputs that an operation takes."""
        return [t for t in self._input_ts if t not in self._passthrough_ts]

    @property
    def outputs(self) -> util.ListView:
        """The outputs."""
        return util.ListView(self._output_ts)

    @property
    def connected_outputs(self) -> list[Any]:
        """The outputs that an operation makes."""
        return [t for t in self._output_ts if t not in self._passthrough_ts]

    @property
    def passthroughs(self) -> util.ListView:
        """The tensors that are inputs and outputs at once."""
        return util.ListView(self._passthrough_ts)

    def __bool__(self) -> bool:
        return self._graph is not None

    def op(self, op_id: int) -> Any:
        """The operation of a number."""
        return self._ops[op_id]

    def is_passthrough(self, t: Any) -> bool:
        """Whether a tensor is an input and an output at once."""
        return t in self._passthrough_ts

    def __enter__(self) -> SubGraphView:
        return self

    def __exit__(self, *_: Any) -> None:
        """Nothing ends: it is for the notation only."""

    def input_index(self, t: Any) -> int:
        """The number of an input.

        Raises:
          ValueError: If it is none.
        """
        if t not in self._input_ts:
            raise ValueError(f"Can't find {t.name} in the inputs of the subgraph.")
        return self._input_ts.index(t)

    def output_index(self, t: Any) -> int:
        """The number of an output.

        Raises:
          ValueError: If it is none.
        """
        if t not in self._output_ts:
            raise ValueError(f"Can't find {t.name} in the outputs of the subgraph.")
        return self._output_ts.index(t)

    def consumers(self) -> list[Any]:
        """The operations outside that take an output."""
        inside = set(self._ops)
        found = [op for t in self._output_ts for op in t.consumers() if op not in inside]
        return util.concatenate_unique([], found)


def make_view(*args: Any, graph: Any = None, **kwargs: Any) -> SubGraphView:
    """A view of operations and tensors.

    Args:
      *args: A view, which is returned, or what `select_ops_and_ts` takes.
      graph: The graph, needed for regular expressions; views of another one raise.
      **kwargs: For `select_ops_and_ts`.

    Returns:
      A view.

    Raises:
      ValueError: If the view is of another graph.
    """
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        view = args[0]
    else:
        view = SubGraphView(*select.select_ops_and_ts(*args, graph=graph, **kwargs))
    if graph is not None and view.graph is not None and view.graph is not graph:
        raise ValueError("Graph mismatch.")
    return view


def make_view_from_scope(scope: str, graph: Any) -> SubGraphView:
    """A view of the operations in a name scope of a graph."""
    return SubGraphView(select.get_name_scope_ops(graph, scope))
