"""Gradients and hessians of the head's loss; of the logistic loss to the last bit those of TF1.

Where nodes have few examples, several features often split them in the same way, and gain the same
but for rounding: the last bits of gradients decide which of them it is. TensorFlow's exponential,
its reciprocal and the order of products have become others since 1.15.5.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import head as heads

#: The loss, logits and labels -> gradients and hessians, [batch_size, 1].
Derivatives = Callable[[Any, Any, Any], tuple[Any, Any]]

#: How many numbers the vector instructions of TF 1.15.5 take at once; the rest is left to libm.
_PACKET = 8
#: The polynomial of Cephes' expf.
_FACTORS = (1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
_ONE = np.float32(1)


def of(head: Any, closed_form: bool) -> tuple[Any, Derivatives]:
    """How to differentiate a head's loss.

    Args:
      head: The head.
      closed_form: Whether it is the mean logistic loss of labels 0 and 1 without weights, which
        TF1 differentiates by another formula.

    Returns:
      The head to use in its place, and the function.
    """
    if not isinstance(head, heads.BinaryLogisticHead) or head._loss_fn is not None:
        return head, _by_tensorflow
    if closed_form:
        return head, _of_mean
    loss_fn = _CrossEntropy()
    head = copy.copy(head)
    head._loss_fn = loss_fn
    return head, loss_fn.derivatives


def _by_tensorflow(loss: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
    """Of any loss."""
    del labels
    gradients = tf.gradients(loss, logits, name="Gradients")[0]
    hessians = tf.gradients(gradients, logits, name="Hessians")[0]
    if hessians is None:
        raise ValueError("The head's loss has no second derivative: trees can't be grown by it")
    return gradients, hessians


def _of_mean(loss: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
    """Of the mean logistic loss, in closed form."""
    del loss

    def on_host(logits: Any, labels: Any) -> Any:
        share = _ONE / np.float32(logits.size)
        predictions = _ONE / (_exp(-logits) + _ONE)
        labels = labels.reshape(logits.shape).astype(np.float32)
        return (predictions - labels) * share, predictions * share * (_ONE - predictions)

    return _host(on_host, logits, labels)


class _CrossEntropy:
    """A loss_fn that knows the derivatives of what it made."""

    def __call__(self, labels: Any, logits: Any) -> Any:
        self._labels = labels
        self._losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return self._losses

    def derivatives(self, loss: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
        """See `Derivatives`."""
        del labels
        # What each example's loss weighs in the loss.
        scale = tf.gradients(loss, self._losses)[0]

        def on_host(logits: Any, labels: Any, scale: Any) -> Any:
            small = _exp(-np.abs(logits))
            inverse = _ONE / (_ONE + small)
            positive, zero = logits >= 0, np.float32(0)
            part = scale * inverse
            product = part * small
            gradients = np.where(positive, scale - product, zero) - scale * labels
            hessians = (part - (small * scale) * (inverse * inverse)) * small
            return gradients + np.where(positive, zero, product), hessians

        return _host(on_host, logits, self._labels, scale)


def _host(function: Callable[..., Any], *inputs: Any) -> tuple[Any, Any]:
    """Gradients and hessians of a function on the host, where nothing changes their order."""
    gradients, hessians = tf.numpy_function(function, inputs, [tf.float32, tf.float32])
    for value in (gradients, hessians):
        value.set_shape([None, 1])
    return gradients, hessians


def _exp(x: Any) -> Any:
    """The exponential of float32, as TF 1.15.5 rounds it."""
    f = np.float32
    flat = x.reshape(-1)
    tail = len(flat) // _PACKET * _PACKET
    y = np.empty_like(flat)
    with np.errstate(over="ignore"):
        y[tail:] = np.exp(flat[tail:].astype(np.float64))
    flat = np.clip(flat[:tail], f(-88.3762626647949), f(88.3762626647950))
    power = np.floor(flat * f(1.44269504088896341) + f(0.5))
    rest = flat - power * f(0.693359375)
    rest = rest - power * f(-2.12194440e-4)
    sums = np.full_like(rest, f(1.9875691500e-4))
    for factor in _FACTORS:
        sums = sums * rest + f(factor)
    sums = sums * (rest * rest) + rest + _ONE
    y[:tail] = np.ldexp(sums, power.astype(np.int32))
    return y.reshape(x.shape)
