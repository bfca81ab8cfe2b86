"""``tf.contrib.nn``: dropout for SELU, sampled softmax losses, losses with the logits first."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "alpha_dropout",
    "conv1d_transpose",
    "deprecated_flipped_sigmoid_cross_entropy_with_logits",
    "deprecated_flipped_softmax_cross_entropy_with_logits",
    "deprecated_flipped_sparse_softmax_cross_entropy_with_logits",
    "nth_element",
    "rank_sampled_softmax_loss",
    "sampled_sparse_softmax_loss",
    "scaled_softplus",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.nn")

#: What SELU tends to for large negative inputs: what dropped units become.
ALPHA = -1.7580993408473766

conv1d_transpose = tf.nn.conv1d_transpose


def nth_element(input: Any, n: Any, reverse: bool = False, name: str | None = None) -> Any:
    """The n-th smallest value of the last dimension.

    Args:
      input: A tensor (…, size).
      n: A non-negative int32 scalar, less than the size.
      reverse: Whether to take the n-th largest.
      name: The operation's name.

    Returns:
      (…), of the same type.
    """
    return tf.raw_ops.NthElement(input=input, n=n, reverse=reverse, name=name)


def alpha_dropout(
    x: Any,
    keep_prob: Any,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Dropout that keeps mean and variance of the inputs, for SELU.

    After Klambauer et al.: Self-Normalizing Neural Networks (https://arxiv.org/abs/1706.02515).

    Args:
      x: A float tensor.
      keep_prob: The probability that an entry is kept, a float or a scalar tensor.
      noise_shape: The shape of the mask, which can be broadcast to that of `x`.
      seed: The seed of the operation.
      name: The name scope; by default "alpha_dropout".

    Returns:
      A tensor of the same type and shape.

    Raises:
      ValueError: If `keep_prob` is not above 0 and at most 1.
    """
    with tf.name_scope(name, "alpha_dropout", [x]):
        x = tf.convert_to_tensor(x, name="x")
        if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1:
            raise ValueError(f"keep_prob must be above 0 and at most 1. Received: {keep_prob}")
        keep_prob = tf.convert_to_tensor(keep_prob, dtype=x.dtype, name="keep_prob")
        keep_prob.shape.assert_has_rank(0)
        if tf.get_static_value(keep_prob) == 1:
            return x
        shape = tf.shape(x) if noise_shape is None else noise_shape
        uniform = tf.random_uniform(shape, seed=seed, dtype=x.dtype)
        kept = tf.cast(tf.greater_equal(uniform, 1 - keep_prob), x.dtype)
        dropped = x * kept + ALPHA * (1 - kept)
        scale = (keep_prob + keep_prob * (1 - keep_prob) * ALPHA**2) ** -0.5
        shift = -scale * ALPHA * (1 - keep_prob)
        return scale * dropped + shift


def scaled_softplus(x: Any, alpha: Any, clip: Any = None, name: str | None = None) -> Any:
    """``alpha * softplus(x / alpha)``, at most `clip`, with a gradient from the result.

    Args:
      x: A float tensor.
      alpha: The slope of the transition, a tensor that can be broadcast to `x`.
      clip: None, or the largest value.
      name: The name scope; by default "scaled_softplus".

    Returns:
      A tensor of the type and shape of `x`, differentiable by all of them.
    """
    given = [x, alpha] if clip is None else [x, alpha, clip]
    with tf.name_scope(name, "scaled_softplus", given):
        x = tf.convert_to_tensor(x, name="x")
        alpha = tf.convert_to_tensor(alpha, dtype=x.dtype, name="alpha")
        inputs = [x, alpha]
        if clip is not None:
            inputs.append(tf.convert_to_tensor(clip, dtype=x.dtype, name="clip"))

        @tf.custom_gradient
        def compute(*parts: Any) -> Any:
            x, alpha, *clip = parts
            y = alpha * tf.nn.softplus(x / alpha)
            if clip:
                y = tf.minimum(y, clip[0])

            def gradient(upstream: Any) -> list[Any]:
                rest = []
                if clip:
                    inside = tf.cast(y < clip[0], upstream.dtype)
                    rest = [_sum_to(upstream * (1.0 - inside), clip[0])]
                    upstream = upstream * inside
                ratio = y / alpha
                falling = tf.exp(-ratio)
                by_x = 1.0 - falling
                by_alpha = ratio * falling - by_x * tf.log(by_x + 1e-8)
                return [_sum_to(upstream * by_x, x), _sum_to(upstream * by_alpha, alpha), *rest]

            return y, gradient

        return compute(*inputs)


def _sum_to(gradient: Any, target: Any) -> Any:
    """Sum a gradient over what its target was broadcast along."""
    shape = tf.shape(target)
    axes = tf.raw_ops.BroadcastGradientArgs(s0=shape, s1=tf.shape(gradient))[0]
    return tf.reshape(tf.reduce_sum(gradient, axes), shape)


def rank_sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_resampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    resampling_temperature: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None = None,
) -> Any:
    """Sampled softmax with those of the sampled classes that the model finds most likely.

    Of `num_sampled` classes the `num_resampled` with the largest ``logsumexp`` over the batch of
    their logits, divided by the temperature, are used.

    Args:
      weights: (num_classes, dim), or a list of tensors that make it up.
      biases: (num_classes).
      labels: int64 (batch, num_true).
      inputs: (batch, dim).
      num_sampled: How many classes are drawn.
      num_resampled: How many of them are used; less.
      num_classes: How many classes there are.
      num_true: How many labels each row has.
      sampled_values: What a candidate sampler returns, or None for
        ``tf.nn.learned_unigram_candidate_sampler``.
      resampling_temperature: A scalar.
      remove_accidental_hits: Whether drawn classes that are labels are left out.
      partition_strategy: "div" or "mod", for weights in parts.
      name: The name scope; by default "rank_sampled_softmax_loss".

    Returns:
      The losses (batch).

    Raises:
      ValueError: If the numbers do not go together or the strategy is unknown.
    """
    if num_sampled > num_classes:
        raise ValueError(f"num_sampled ({num_sampled}) must not exceed num_classes ({num_classes})")
    if num_sampled <= num_resampled:
        raise ValueError(
            f"num_resampled ({num_resampled}) must be less than num_sampled ({num_sampled})"
        )
    if partition_strategy not in ("div", "mod"):
        raise ValueError(f"partition_strategy must be 'div' or 'mod', not {partition_strategy!r}")
    values = [weights, biases, labels, inputs, sampled_values, resampling_temperature]
    with tf.name_scope(name, "rank_sampled_softmax_loss", values) as scope:
        if not sampled_values:
            sampled_values = tf.nn.learned_unigram_candidate_sampler(
                true_classes=labels,
                num_true=num_true,
                num_sampled=num_sampled,
                unique=True,
                range_max=num_classes,
            )
        sampled, true_count, sampled_count = (tf.stop_gradient(v) for v in sampled_values)
        sampled = tf.cast(sampled, tf.int64)
        embedded = tf.nn.embedding_lookup(weights, sampled, partition_strategy=partition_strategy)
        products = tf.matmul(embedded, inputs / resampling_temperature, transpose_b=True)
        logits = tf.reduce_logsumexp(products, axis=1)
        bias = tf.nn.embedding_lookup(biases, sampled, partition_strategy=partition_strategy)
        logits += tf.reshape(bias, [-1]) / resampling_temperature
        _, best = tf.nn.top_k(logits, k=num_resampled, sorted=False)
        return tf.nn.sampled_softmax_loss(
            weights=weights,
            biases=biases,
            labels=labels,
            inputs=inputs,
            num_sampled=num_resampled,
            num_classes=num_classes,
            num_true=num_true,
            sampled_values=(tf.gather(sampled, best), true_count, tf.gather(sampled_count, best)),
            remove_accidental_hits=remove_accidental_hits,
            partition_strategy=partition_strategy,
            name=scope,
        )


def sampled_sparse_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_sparse_softmax_loss",
) -> Any:
    """``tf.nn.sampled_softmax_loss`` with one label for each row.

    Args:
      weights: (num_classes, dim), or a list of tensors that make it up.
      biases: (num_classes).
      labels: int64 (batch, 1).
      inputs: (batch, dim).
      num_sampled: How many classes are drawn.
      num_classes: How many classes there are.
      sampled_values: What a candidate sampler returns, or None for
        ``tf.nn.log_uniform_candidate_sampler``.
      remove_accidental_hits: Whether drawn classes that are labels are left out.
      partition_strategy: "div" or "mod", for weights in parts.
      name: The name scope.

    Returns:
      The losses (batch).
    """
    return tf.nn.sampled_softmax_loss(
        weights=weights,
        biases=biases,
        labels=labels,
        inputs=inputs,
        num_sampled=num_sampled,
        num_classes=num_classes,
        num_true=1,
        sampled_values=sampled_values,
        remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy,
        name=name,
    )


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, dim: int = -1, name: str | None = None
) -> Any:
    """``tf.nn.softmax_cross_entropy_with_logits`` as before TF 1.0, with the logits first.

    Args:
      logits: (…, num_classes).
      labels: Probabilities of the same shape; no gradient flows to them.
      dim: The dimension of the classes.
      name: The operation's name.

    Returns:
      The losses (…).
    """
    return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, name: str | None = None
) -> Any:
    """``tf.nn.sparse_softmax_cross_entropy_with_logits`` as before TF 1.0, with the logits first.

    Args:
      logits: (…, num_classes).
      labels: Class ids (…).
      name: The operation's name.

    Returns:
      The losses (…).
    """
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(
    logits: Any, targets: Any, name: str | None = None
) -> Any:
    """``tf.nn.sigmoid_cross_entropy_with_logits`` as before TF 1.0, with the logits first.

    Args:
      logits: A float tensor.
      targets: Probabilities of the same shape.
      name: The name scope.

    Returns:
      The losses, of the same shape.
    """
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
