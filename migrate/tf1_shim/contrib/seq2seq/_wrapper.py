"""``tf.contrib.seq2seq``: the cell that attends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import layers
from migrate.tf1_shim.contrib.seq2seq._attention import AttentionMechanism
from migrate.tf1_shim.nn._cell import RNNCell, check_cell, zeros_for

__all__ = ["AttentionWrapper", "AttentionWrapperState"]


class AttentionWrapperState(
    NamedTuple(
        "AttentionWrapperState",
        [
            ("cell_state", Any),
            ("attention", Any),
            ("time", Any),
            ("alignments", Any),
            ("alignment_history", Any),
            ("attention_state", Any),
        ],
    )
):
    """The state of an `AttentionWrapper`."""

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """A copy with other entries, whose shapes must fit those here.

        Example::

            state = wrapper.zero_state(batch, tf.float32).clone(cell_state=encoder_state)
        """

        def shaped(old: Any, new: Any) -> Any:
            if tf.is_tensor(old) and tf.is_tensor(new):
                new.shape.assert_is_compatible_with(old.shape)
                new.set_shape(old.shape)
            return new

        return tf.nest.map_structure(shaped, self, self._replace(**kwargs))


class AttentionWrapper(RNNCell):
    """A cell that attends to a memory.

    Its variables stand in ``attention_wrapper/…``, the layer over cell output and context in
    ``attention_wrapper/attention_layer/kernel``.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: str | None = None,
        attention_layer: Any = None,
        attention_fn: Callable[..., Any] | None = None,
        dtype: Any = None,
    ) -> None:
        """Wrap a cell.

        Args:
          cell: The cell.
          attention_mechanism: A mechanism, or a list of them.
          attention_layer_size: The size of the attention; None for the context as it is. A list
            for several mechanisms.
          alignment_history: Whether to keep all alignments in the state.
          cell_input_fn: From (inputs, attention) to the cell's inputs; by default both joined.
          output_attention: Whether the output is the attention or the cell's output.
          initial_cell_state: The cell's state in `zero_state`.
          name: The scope's name; by default "attention_wrapper".
          attention_layer: A layer (or a list) instead of ``attention_layer_size``.
          attention_fn: What computes (attention, alignments, state) instead of the default.
          dtype: The dtype of the attention layers; by default float32.

        Raises:
          TypeError: If the cell or a mechanism is none.
          ValueError: If both a layer and a size are given, or the lists do not fit together.
        """
        super().__init__(name=name, dtype=dtype)
        check_cell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = attention_mechanism if self._is_multi else (attention_mechanism,)
        for mechanism in mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError(
                    "attention_mechanism must be one AttentionMechanism, or a list of them. "
                    f"Received: {mechanism!r}"
                )
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, saw: {type(cell_input_fn).__name__}")
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Give attention_layer_size or attention_layer, not both")

        def listed(value: Any) -> tuple[Any, ...]:
            found = tuple(value) if isinstance(value, (list, tuple)) else (value,)
            if len(found) != len(mechanisms):
                raise ValueError(
                    "If provided, attention_layer_size and attention_layer must contain exactly "
                    f"one entry per attention_mechanism, saw: {len(found)} vs {len(mechanisms)}"
                )
            return found

        self._attention_layers: tuple[Any, ...] | None = None
        if attention_layer_size is not None:
            self._attention_layers = tuple(
                layers.Dense(
                    size, name="attention_layer", use_bias=False, dtype=mechanisms[i].dtype
                )
                for i, size in enumerate(listed(attention_layer_size))
            )
            self._attention_layer_size = sum(listed(attention_layer_size))
        elif attention_layer is not None:
            self._attention_layers = listed(attention_layer)
            self._attention_layer_size = sum(
                layer.compute_output_shape(
                    [None, cell.output_size + mechanism.values.shape.as_list()[-1]]
                ).as_list()[-1]
                for layer, mechanism in zip(self._attention_layers, mechanisms, strict=True)
            )
        else:
            self._attention_layer_size = sum(m.values.shape.as_list()[-1] for m in mechanisms)
        self._cell = cell
        self._mechanisms = tuple(mechanisms)
        self._cell_input_fn = cell_input_fn or (
            lambda inputs, attention: tf.concat([inputs, attention], -1)
        )
        self._attention_fn = attention_fn or _attend
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        self._initial_cell_state = None
        if initial_cell_state is not None:
            with tf.name_scope(name, "AttentionWrapperInit"):
                self._initial_cell_state = tf.nest.map_structure(
                    lambda s: tf.identity(s, name="check_initial_cell_state"), initial_cell_state
                )

    def _item_or_tuple(self, values: Any) -> Any:
        found = tuple(values)
        return found if self._is_multi else found[0]

    @property
    def output_size(self) -> Any:
        """The attention's size, or the cell's."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        """An `AttentionWrapperState` of sizes."""
        sizes = self._item_or_tuple(m.alignments_size for m in self._mechanisms)
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=tf.TensorShape([]),
            attention=self._attention_layer_size,
            alignments=sizes,
            attention_state=self._item_or_tuple(m.state_size for m in self._mechanisms),
            alignment_history=self._item_or_tuple(
                m.alignments_size if self._alignment_history else () for m in self._mechanisms
            ),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The first state: zeros, and ``initial_cell_state`` if it was given."""
        with tf.name_scope(type(self).__name__ + "ZeroState"):
            if self._initial_cell_state is not None:
                cell_state = self._initial_cell_state
            else:
                cell_state = self._cell.zero_state(batch_size, dtype)
            cell_state = tf.nest.map_structure(
                lambda s: tf.identity(s, name="checked_cell_state"), cell_state
            )
            first = [m.initial_alignments(batch_size, dtype) for m in self._mechanisms]

            def history(alignment: Any) -> Any:
                if not self._alignment_history:
                    return ()
                return tf.TensorArray(
                    dtype, size=0, dynamic_size=True, element_shape=alignment.shape
                )

            return AttentionWrapperState(
                cell_state=cell_state,
                time=tf.zeros([], dtype=tf.int32),
                attention=zeros_for(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(first),
                attention_state=self._item_or_tuple(
                    m.initial_state(batch_size, dtype) for m in self._mechanisms
                ),
                alignment_history=self._item_or_tuple(history(a) for a in first),
            )

    def call(self, inputs: Any, state: Any) -> Any:
        """One step: the cell, then the attention to the memory by its output."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "AttentionWrapper needs its own state, as zero_state() gives it. Received: "
                f"{state!r}"
            )
        joined = self._cell_input_fn(inputs, state.attention)
        output, cell_state = self._cell(joined, state.cell_state)
        output = tf.identity(output, name="checked_cell_output")
        previous = state.attention_state if self._is_multi else [state.attention_state]
        histories = state.alignment_history if self._is_multi else [state.alignment_history]
        attentions, alignments, states, kept = [], [], [], []
        for i, mechanism in enumerate(self._mechanisms):
            layer = self._attention_layers[i] if self._attention_layers else None
            attention, alignment, new = self._attention_fn(mechanism, output, previous[i], layer)
            attentions.append(attention)
            alignments.append(alignment)
            states.append(new)
            kept.append(
                histories[i].write(state.time, alignment) if self._alignment_history else ()
            )
        attention = tf.concat(attentions, 1)
        new_state = AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=attention,
            attention_state=self._item_or_tuple(states),
            alignments=self._item_or_tuple(alignments),
            alignment_history=self._item_or_tuple(kept),
        )
        return (attention if self._output_attention else output), new_state


def _attend(mechanism: Any, output: Any, state: Any, layer: Any) -> tuple[Any, Any, Any]:
    """(attention, alignments, next state): the values weighted by the alignments."""
    alignments, new = mechanism(output, state=state)
    context = tf.squeeze(tf.matmul(tf.expand_dims(alignments, 1), mechanism.values), [1])
    attention = context if layer is None else layer(tf.concat([output, context], 1))
    return attention, alignments, new
