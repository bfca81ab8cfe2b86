"""``tf.contrib.seq2seq``: beam search."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._lazy import missing
from migrate.tf1_shim.contrib.seq2seq._decoder import Decoder
from migrate.tf1_shim.nn._cell import check_cell

__all__ = [
    "BeamSearchDecoder",
    "BeamSearchDecoderOutput",
    "BeamSearchDecoderState",
    "FinalBeamSearchDecoderOutput",
    "gather_tree",
    "tile_batch",
]


class BeamSearchDecoderState(
    NamedTuple(
        "BeamSearchDecoderState",
        [
            ("cell_state", Any),
            ("log_probs", Any),
            ("finished", Any),
            ("lengths", Any),
            ("accumulated_attention_probs", Any),
        ],
    )
):
    """The state of a beam search."""


class BeamSearchDecoderOutput(
    NamedTuple(
        "BeamSearchDecoderOutput", [("scores", Any), ("predicted_ids", Any), ("parent_ids", Any)]
    )
):
    """The output of a step."""


class FinalBeamSearchDecoderOutput(
    NamedTuple(
        "FinalBeamDecoderOutput", [("predicted_ids", Any), ("beam_search_decoder_output", Any)]
    )
):
    """The output of a search: the beams' ids, best first, and the steps' outputs."""


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Repeat every example, as a beam search needs it of the encoder's outputs and states.

    Args:
      t: A tensor (batch, …) or a nest of such.
      multiplier: How often.
      name: The name scope; by default "tile_batch".

    Returns:
      The nest with (batch * multiplier, …), the copies of an example side by side.
    """

    def tile(tensor: Any) -> Any:
        tensor = tf.convert_to_tensor(tensor, name="t")
        if tensor.shape.rank is None:
            raise ValueError("t must have statically known rank")
        rest = [1] * (tensor.shape.rank - 1)
        tiled = tf.tile(tf.expand_dims(tensor, 1), [1, multiplier, *rest])
        sizes = tf.concat([[tf.shape(tensor)[0] * multiplier], tf.shape(tensor)[1:]], 0)
        tiled = tf.reshape(tiled, sizes)
        batch = tensor.shape.as_list()[0]
        static = None if batch is None else batch * multiplier
        tiled.set_shape(tf.TensorShape([static]).concatenate(tensor.shape[1:]))
        return tiled

    with tf.name_scope(name, "tile_batch", [*tf.nest.flatten(t), multiplier]):
        return tf.nest.map_structure(tile, t)


def gather_tree(
    step_ids: Any,
    parent_ids: Any,
    max_sequence_lengths: Any,
    end_token: Any,
    name: str | None = None,
) -> Any:
    """The ids along every beam, from the last step back to the first.

    Args:
      step_ids: int32 (time, batch, beam).
      parent_ids: int32 (time, batch, beam): from which beam each came.
      max_sequence_lengths: int32 (batch).
      end_token: int32: stands after the end.
      name: The name scope.

    Returns:
      int32 (time, batch, beam).
    """
    with tf.name_scope(name, "GatherTree", [step_ids, parent_ids]):
        step_ids, parent_ids = tf.convert_to_tensor(step_ids), tf.convert_to_tensor(parent_ids)
        time, batch, beam = tf.unstack(tf.shape(step_ids))
        end = tf.cast(end_token, step_ids.dtype)
        here = tf.tile(tf.expand_dims(tf.range(beam), 0), [batch, 1])
        times = tf.range(time - 1, -1, -1)

        def back(carry: Any, now: Any) -> Any:
            at, ids, parents = now
            inside = tf.expand_dims(at < max_sequence_lengths, 1) & (here >= 0)
            found = tf.gather(ids, carry[1], batch_dims=1, axis=1)
            parent = tf.gather(parents, carry[1], batch_dims=1, axis=1)
            ended = tf.fill(tf.shape(found), end)
            return tf.where(inside, found, ended), tf.where(inside, parent, carry[1])

        ids, _ = tf.scan(
            back,
            (times, tf.reverse(step_ids, [0]), tf.reverse(parent_ids, [0])),
            initializer=(tf.zeros_like(here), here),
        )
        ids = tf.reverse(ids, [0])
        over = tf.cumsum(tf.cast(tf.equal(ids, end), tf.int32), axis=0, exclusive=True) > 0
        ids = tf.where(over, tf.fill(tf.shape(ids), end), ids)
        ids.set_shape(step_ids.shape)
        return ids


def _pick(values: Any, at: Any) -> Any:
    """Of (batch, n, …) the entries numbered (batch, k)."""
    return tf.gather(values, at, batch_dims=1, axis=1)


class BeamSearchDecoder(Decoder):
    """Keeps the best sequences of every example (best of ``beam_width`` by their score).

    The cell's state must be tiled by `tile_batch`, and so must the memory of an attention.
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        """Make a decoder.

        Args:
          cell: The cell.
          embedding: The table, or a function of ids.
          start_tokens: int32 (batch).
          end_token: int32, a scalar.
          initial_state: The cell's first state, (batch * beam_width, …).
          beam_width: How many sequences to keep.
          output_layer: A layer from the cell's outputs to logits.
          length_penalty_weight: Scores are divided by ``((5 + length) / 6) ** weight``.
          coverage_penalty_weight: Must be 0: the coverage penalty is not in the shim.
          reorder_tensor_arrays: Whether to put an alignment history into the beams' order; the
            shim has no such history in a beam search, so the state must not hold one.

        Raises:
          AttributeError: If a coverage penalty is asked for.
          ValueError: If a token's rank does not fit or the state holds a ``TensorArray``.
        """
        check_cell("cell", cell)
        if coverage_penalty_weight:
            raise missing(
                "tf.contrib.seq2seq.BeamSearchDecoder(coverage_penalty_weight=…)",
                "the coverage penalty is not implemented in the shim; use 0.0",
            )
        flat = tf.nest.flatten(initial_state)
        if reorder_tensor_arrays and any(isinstance(part, tf.TensorArray) for part in flat):
            raise ValueError(
                "A beam search over a state with alignment_history=True is not supported by the "
                "shim: make the AttentionWrapper without a history, or pass "
                "reorder_tensor_arrays=False to keep the history in the order of the steps."
            )
        self._cell, self._output_layer = cell, output_layer
        self._embedding_fn = (
            embedding
            if callable(embedding)
            else (lambda ids: tf.nn.embedding_lookup(embedding, ids))
        )
        self._start_tokens = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name="start_tokens")
        if self._start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = tf.convert_to_tensor(end_token, dtype=tf.int32, name="end_token")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size, self._beam_width = tf.size(self._start_tokens), beam_width
        self._length_penalty_weight = length_penalty_weight
        self._initial_cell_state = tf.nest.map_structure(self._split, initial_state)
        tokens = tf.tile(tf.expand_dims(self._start_tokens, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(tokens)
        self._finished = tf.one_hot(
            tf.zeros([self._batch_size], dtype=tf.int32),
            depth=beam_width,
            on_value=False,
            off_value=True,
            dtype=tf.bool,
        )

    @property
    def batch_size(self) -> Any:
        """The batch size, without the beams."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places."""
        return True

    @property
    def output_size(self) -> Any:
        """The sizes of `BeamSearchDecoderOutput`."""
        beams = tf.TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(scores=beams, predicted_ids=beams, parent_ids=beams)

    @property
    def output_dtype(self) -> Any:
        """The dtypes of `BeamSearchDecoderOutput`."""
        dtype = tf.nest.flatten(self._initial_cell_state)[0].dtype
        return BeamSearchDecoderOutput(scores=dtype, predicted_ids=tf.int32, parent_ids=tf.int32)

    def _split(self, tensor: Any) -> Any:
        """(batch * beam, …) as (batch, beam, …)."""
        if isinstance(tensor, tf.TensorArray) or tensor.shape.rank == 0:
            return tensor
        sizes = tf.concat([[self._batch_size, self._beam_width], tf.shape(tensor)[1:]], 0)
        split = tf.reshape(tensor, sizes)
        known = tf.get_static_value(self._batch_size)
        static = None if known is None else int(known)
        split.set_shape(tf.TensorShape([static, self._beam_width]).concatenate(tensor.shape[1:]))
        return split

    def _merge(self, tensor: Any) -> Any:
        """(batch, beam, …) as (batch * beam, …)."""
        if isinstance(tensor, tf.TensorArray) or tensor.shape.rank == 0:
            return tensor
        sizes = tf.concat([[self._batch_size * self._beam_width], tf.shape(tensor)[2:]], 0)
        merged = tf.reshape(tensor, sizes)
        known = tf.get_static_value(self._batch_size)
        static = None if known is None else int(known) * self._beam_width
        merged.set_shape(tf.TensorShape([static]).concatenate(tensor.shape[2:]))
        return merged

    def initialize(self, name: str | None = None) -> Any:
        """(finished, first inputs, first state): only the first beam of an example counts."""
        dtype = tf.nest.flatten(self._initial_cell_state)[0].dtype
        log_probs = tf.one_hot(
            tf.zeros([self._batch_size], dtype=tf.int32),
            depth=self._beam_width,
            on_value=tf.cast(0.0, dtype),
            off_value=tf.cast(-float("inf"), dtype),
            dtype=dtype,
        )
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state,
            log_probs=log_probs,
            finished=self._finished,
            lengths=tf.zeros([self._batch_size, self._beam_width], dtype=tf.int64),
            accumulated_attention_probs=(),
        )
        return self._finished, self._start_inputs, state

    def _scores(self, log_probs: Any, lengths: Any) -> Any:
        weight = self._length_penalty_weight
        if weight == 0:
            return log_probs
        lengths = tf.cast(lengths, tf.float32)
        penalty = tf.div((5.0 + lengths) ** weight, (5.0 + 1.0) ** weight)
        return log_probs / penalty

    def _search(self, logits: Any, cell_state: Any, state: Any) -> tuple[Any, Any]:
        done, beams = state.finished, self._beam_width
        vocabulary = logits.shape.as_list()[-1] or tf.shape(logits)[-1]
        steps = tf.nn.log_softmax(logits)
        # A finished beam can only go on with the end token, at no cost.
        ended = tf.one_hot(
            self._end_token,
            vocabulary,
            dtype=steps.dtype,
            on_value=tf.cast(0.0, steps.dtype),
            off_value=steps.dtype.min,
        )
        ended = tf.tile(tf.reshape(ended, [1, 1, -1]), [self._batch_size, beams, 1])
        steps = tf.where(tf.tile(tf.expand_dims(done, 2), [1, 1, vocabulary]), ended, steps)
        total = tf.expand_dims(state.log_probs, 2) + steps
        added = tf.one_hot(
            tf.fill([self._batch_size, beams], self._end_token),
            vocabulary,
            on_value=tf.constant(0, tf.int64),
            off_value=tf.constant(1, tf.int64),
            dtype=tf.int64,
        )
        added *= tf.expand_dims(tf.cast(tf.logical_not(done), tf.int64), 2)
        lengths = added + tf.expand_dims(state.lengths, 2)
        scores = tf.reshape(self._scores(total, lengths), [self._batch_size, -1])
        best, at = tf.nn.top_k(scores, k=beams)
        best.set_shape([None, beams])
        at.set_shape([None, beams])
        log_probs = _pick(tf.reshape(total, [self._batch_size, -1]), at)
        words = tf.math.floormod(at, vocabulary, name="next_beam_word_ids")
        parents = tf.cast(at // vocabulary, tf.int32, name="next_beam_parent_ids")
        was_done = _pick(done, parents)
        now_done = tf.logical_or(was_done, tf.equal(words, self._end_token))
        counted = _pick(state.lengths, parents) + tf.cast(tf.logical_not(was_done), tf.int64)

        def follow(part: Any) -> Any:
            if isinstance(part, tf.TensorArray) or part.shape.rank < 2:
                return part
            picked = _pick(part, parents)
            picked.set_shape(part.shape)
            return picked

        new = BeamSearchDecoderState(
            cell_state=tf.nest.map_structure(follow, cell_state),
            log_probs=log_probs,
            lengths=counted,
            finished=now_done,
            accumulated_attention_probs=(),
        )
        return BeamSearchDecoderOutput(best, words, parents), new

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """(outputs, next state, next inputs, finished)."""
        with tf.name_scope(name, "BeamSearchDecoderStep", (time, inputs, state)):
            merged = tf.nest.map_structure(self._merge, inputs)
            cell_state = tf.nest.map_structure(self._merge, state.cell_state)
            outputs, cell_state = self._cell(merged, cell_state)
            outputs = tf.nest.map_structure(self._split, outputs)
            cell_state = tf.nest.map_structure(self._split, cell_state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            found, new = self._search(outputs, cell_state, state)
            following = tf.cond(
                tf.reduce_all(new.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(found.predicted_ids),
            )
        return found, new, following, new.finished

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """(`FinalBeamSearchDecoderOutput`, state)."""
        longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        ids = gather_tree(
            outputs.predicted_ids,
            outputs.parent_ids,
            max_sequence_lengths=longest,
            end_token=self._end_token,
        )
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state
