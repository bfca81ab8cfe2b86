"""``tf.contrib.crf``: linear-chain conditional random fields."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "crf_binary_score",
    "crf_decode",
    "crf_log_likelihood",
    "crf_log_norm",
    "crf_multitag_sequence_score",
    "crf_sequence_score",
    "crf_unary_score",
    "viterbi_decode",
]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.crf",
    dict.fromkeys(
        ("CrfForwardRnnCell", "CrfDecodeForwardRnnCell", "CrfDecodeBackwardRnnCell"),
        "the shim computes crf_log_norm and crf_decode by tf.scan, without cells: use those",
    ),
)


def _mask(lengths: Any, longest: Any, dtype: Any = tf.float32) -> Any:
    return tf.sequence_mask(tf.maximum(tf.cast(lengths, tf.int64), 0), longest, dtype=dtype)


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """The sum of the potentials along given tags.

    Args:
      tag_indices: Integers (batch, time).
      sequence_lengths: Integers (batch).
      inputs: The potentials (batch, time, tags).

    Returns:
      (batch).
    """
    scores = tf.gather(inputs, tf.cast(tag_indices, tf.int32), batch_dims=2, axis=2)
    return tf.reduce_sum(scores * _mask(sequence_lengths, tf.shape(scores)[1]), 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The sum of the transitions' scores along given tags.

    Args:
      tag_indices: Integers (batch, time).
      sequence_lengths: Integers (batch).
      transition_params: (tags, tags).

    Returns:
      (batch).
    """
    count = transition_params.shape.as_list()[0]
    flat = tf.reshape(transition_params, [-1])
    steps = tf.gather(flat, tag_indices[:, :-1] * count + tag_indices[:, 1:])
    lengths = tf.cast(sequence_lengths, tf.int64) - 1
    return tf.reduce_sum(steps * _mask(lengths, tf.shape(steps)[1]), 1)


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """The unnormalized score of given tags.

    Args:
      inputs: The potentials (batch, time, tags).
      tag_indices: Integers (batch, time).
      sequence_lengths: Integers (batch); 0 gives the score 0.
      transition_params: (tags, tags).

    Returns:
      (batch).
    """
    lengths = tf.convert_to_tensor(sequence_lengths)
    tags = tf.convert_to_tensor(tag_indices)
    unary = crf_unary_score(tags, lengths, inputs)
    if inputs.shape.as_list()[1] == 1:
        return unary
    return unary + crf_binary_score(tags, lengths, transition_params)


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The logarithm of the sum of all sequences' exponentiated scores.

    Args:
      inputs: The potentials (batch, time, tags).
      sequence_lengths: Integers (batch); 0 gives 0.
      transition_params: (tags, tags).

    Returns:
      (batch).
    """
    lengths = tf.cast(tf.convert_to_tensor(sequence_lengths), tf.int32)
    transitions = tf.expand_dims(transition_params, 0)

    def step(alphas: Any, now: Any) -> Any:
        time, potentials = now
        scores = tf.expand_dims(alphas, 2) + transitions
        new = potentials + tf.reduce_logsumexp(scores, [1])
        return tf.where(time < lengths, new, alphas)

    return _log_norm(inputs, lengths, step)


def _log_norm(inputs: Any, lengths: Any, step: Any) -> Any:
    first = inputs[:, 0, :]
    if inputs.shape.as_list()[1] == 1:
        alphas = first
    else:
        times = tf.range(1, tf.shape(inputs)[1])
        rest = tf.transpose(inputs[:, 1:, :], [1, 0, 2])
        alphas = tf.foldl(step, (times, rest), initializer=first)
    norm = tf.reduce_logsumexp(alphas, [1])
    return tf.where(lengths <= 0, tf.zeros_like(norm), norm)


def crf_multitag_sequence_score(
    inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """The unnormalized score of all sequences whose tags are among given ones.

    Args:
      inputs: The potentials (batch, time, tags).
      tag_bitmap: Bools (batch, time, tags): which tags are allowed.
      sequence_lengths: Integers (batch).
      transition_params: (tags, tags).

    Returns:
      (batch).
    """
    allowed = tf.convert_to_tensor(tag_bitmap)
    masked = tf.where(allowed, inputs, tf.fill(tf.shape(inputs), float("-inf")))
    if inputs.shape.as_list()[1] == 1:
        lengths = tf.convert_to_tensor(sequence_lengths)
        score = tf.reduce_logsumexp(masked[:, 0, :], [1])
        return tf.where(lengths <= 0, tf.zeros_like(score), score)
    return crf_log_norm(masked, sequence_lengths, transition_params)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Any, Any]:
    """The log-likelihood of given tags.

    Args:
      inputs: The potentials (batch, time, tags).
      tag_indices: Integers (batch, time).
      sequence_lengths: Integers (batch).
      transition_params: (tags, tags); None makes the variable ``transitions``.

    Returns:
      The log-likelihood (batch), and the transitions.
    """
    count = inputs.shape.as_list()[2]
    if transition_params is None:
        transition_params = tf.get_variable("transitions", [count, count])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """The best tags of one sequence, on NumPy arrays.

    Args:
      score: The potentials (time, tags).
      transition_params: (tags, tags).

    Returns:
      The tags, and their score.
    """
    trellis = np.zeros_like(score)
    back = np.zeros_like(score, dtype=np.int32)
    trellis[0] = score[0]
    for time in range(1, score.shape[0]):
        values = np.expand_dims(trellis[time - 1], 1) + transition_params
        trellis[time] = score[time] + np.max(values, 0)
        back[time] = np.argmax(values, 0)
    tags = [int(np.argmax(trellis[-1]))]
    for pointers in reversed(back[1:]):
        tags.append(int(pointers[tags[-1]]))
    tags.reverse()
    return tags, np.max(trellis[-1])


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> tuple[Any, Any]:
    """The best tags of a batch.

    Args:
      potentials: (batch, time, tags).
      transition_params: (tags, tags).
      sequence_length: Integers (batch).

    Returns:
      The tags, int32 (batch, time), 0 past the lengths; and their scores (batch).
    """
    if potentials.shape.as_list()[1] == 1:
        best = tf.reduce_max(potentials[:, 0, :], 1)
        return tf.cast(tf.argmax(potentials, axis=2), tf.int32), best
    given = tf.convert_to_tensor(sequence_length)
    lengths = tf.maximum(tf.cast(given, tf.int32), 1)
    first = potentials[:, 0, :]
    times = tf.range(1, tf.shape(potentials)[1])
    rest = tf.transpose(potentials[:, 1:, :], [1, 0, 2])
    same = tf.tile(
        tf.expand_dims(tf.range(tf.shape(potentials)[2]), 0), [tf.shape(potentials)[0], 1]
    )

    def forward(carry: Any, now: Any) -> Any:
        time, scores = now
        through = tf.expand_dims(carry[0], 2) + tf.expand_dims(transition_params, 0)
        inside = time < lengths
        new = scores + tf.reduce_max(through, [1])
        pointers = tf.cast(tf.argmax(through, 1), tf.int32)
        return tf.where(inside, new, carry[0]), tf.where(inside, pointers, same)

    states, pointers = tf.scan(forward, (times, rest), initializer=(first, same))
    last = states[-1]
    best = tf.reduce_max(last, axis=1)
    final = tf.cast(tf.argmax(last, axis=1), tf.int32)

    def backward(tag: Any, pointer: Any) -> Any:
        return tf.gather(pointer, tag, batch_dims=1, axis=1)

    before = tf.scan(backward, tf.reverse(pointers, [0]), initializer=final)
    tags = tf.concat([tf.reverse(before, [0]), tf.expand_dims(final, 0)], 0)
    tags = tf.transpose(tags, [1, 0])
    return tags * _mask(lengths, tf.shape(tags)[1], tf.int32), best
