"""How an exported model receives its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import util

__all__ = [
    "ServingInputReceiver",
    "TensorServingInputReceiver",
    "build_parsing_serving_input_receiver_fn",
    "build_raw_serving_input_receiver_fn",
]


def _is_tensor(value: Any) -> bool:
    return isinstance(value, tf.SparseTensor) or tf.is_tensor(value)


def _named(
    what: str, value: Any, default: str, keys: tuple[type, ...], exact: bool = False
) -> dict[Any, Any]:
    """A dict of tensors, from a tensor or a dict of them."""
    if value is None:
        raise ValueError(f"{what} must not be None")
    if not isinstance(value, dict):
        value = {default: value}
    for name, tensor in value.items():
        if not isinstance(name, keys):
            raise ValueError(f"Keys of {what} must be strings. Received: {name!r}")
        if not _is_tensor(tensor) or (exact and not tf.is_tensor(tensor)):
            raise ValueError(f"{what} must be tensors. Received: {name!r}: {tensor!r}")
    return value


def _alternatives(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError(
            "receiver_tensors_alternatives must be a dict: name -> dict of tensors. "
            f"Received: {value!r}"
        )
    return {
        name: _named(f"receiver_tensors_alternatives[{name!r}]", tensors, "input", (str,))
        for name, tensors in value.items()
    }


class _ServingInputReceiver(NamedTuple):
    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any


class ServingInputReceiver(_ServingInputReceiver):
    """What a ``serving_input_receiver_fn`` returns.

    * ``features``: what the model_fn gets as its features, a dict of tensors;
    * ``receiver_tensors``: what a request feeds, a dict of tensors;
    * ``receiver_tensors_alternatives``: name -> other tensors that may be fed instead. Each makes
      a signature "name:signature" more.
    """

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> ServingInputReceiver:
        """Checks the tensors; a lone feature is called "feature", a lone receiver "input".

        Args:
          features: A tensor, a SparseTensor, or a dict of them by string or int.
          receiver_tensors: A tensor or a dict of tensors by string.
          receiver_tensors_alternatives: None or a dict of such dicts.

        Returns:
          The receiver.

        Raises:
          ValueError: If something is missing, no tensor, or has a key of another type.
        """
        return super().__new__(
            cls,
            features=_named("features", features, "feature", (str, int)),
            receiver_tensors=_named("receiver_tensors", receiver_tensors, "input", (str,)),
            receiver_tensors_alternatives=_alternatives(receiver_tensors_alternatives),
        )


class _TensorServingInputReceiver(NamedTuple):
    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any


class TensorServingInputReceiver(_TensorServingInputReceiver):
    """Like `ServingInputReceiver`, for a model_fn whose features are one bare tensor."""

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> TensorServingInputReceiver:
        """Checks the tensors.

        Args:
          features: A tensor or a SparseTensor; it reaches the model_fn as it is.
          receiver_tensors: A tensor or a dict of tensors by string.
          receiver_tensors_alternatives: None or a dict of such dicts.

        Returns:
          The receiver.

        Raises:
          ValueError: If features is a dict or no tensor, or a receiver tensor is none.
        """
        if not _is_tensor(features):
            raise ValueError(
                "features must be one tensor (for a dict use ServingInputReceiver). "
                f"Received: {features!r}"
            )
        return super().__new__(
            cls,
            features=features,
            receiver_tensors=_named("receiver_tensors", receiver_tensors, "input", (str,)),
            receiver_tensors_alternatives=_alternatives(receiver_tensors_alternatives),
        )


class _SupervisedInputReceiver(NamedTuple):
    features: Any
    labels: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any


class SupervisedInputReceiver(_SupervisedInputReceiver):
    """What an input receiver function returns for exports in the modes "train" and "eval"."""

    __slots__ = ()

    def __new__(cls, features: Any, labels: Any, receiver_tensors: Any) -> SupervisedInputReceiver:
        """Checks the tensors; features and labels may be a tensor or a dict each.

        Args:
          features: A tensor or a dict of tensors.
          labels: A tensor or a dict of tensors.
          receiver_tensors: A tensor or a dict of tensors by string.

        Returns:
          The receiver.

        Raises:
          ValueError: If something is missing or no tensor.
        """
        _named("features", features, "feature", (str, int))
        _named("labels", labels, "label", (str, int))
        return super().__new__(
            cls,
            features=features,
            labels=labels,
            receiver_tensors=_named("receiver_tensors", receiver_tensors, "input", (str,)),
            receiver_tensors_alternatives=None,
        )


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A receiver that takes serialized ``tf.train.Example`` and parses them.

    Args:
      feature_spec: Name -> ``tf.io.FixedLenFeature`` or ``tf.io.VarLenFeature``.
      default_batch_size: The number of examples in a request; None for any.

    Returns:
      A function without arguments, for `Estimator.export_saved_model`. The request feeds
      "examples".
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        examples = tf.placeholder(tf.string, [default_batch_size], name="input_example_tensor")
        features = tf.io.parse_example(examples, feature_spec)
        return ServingInputReceiver(features, {"examples": examples})

    return serving_input_receiver_fn


def _placeholder(name: str, like: Any, batch_size: int | None) -> Any:
    shape = like.shape.as_list() if like.shape.rank is not None else None
    if shape:
        shape[0] = batch_size
    elif shape == []:
        raise ValueError(f"{name!r} needs a batch dimension. Received: a scalar")
    return tf.placeholder(like.dtype, shape, name=name)


def _placeholders(values: Any, batch_size: int | None, default: str) -> Any:
    """Placeholders like a tensor or like each tensor of a dict, called as these are."""
    if not isinstance(values, dict):
        return _placeholder(_name(values, default), values, batch_size)
    found = {}
    for key, value in values.items():
        like = value if tf.is_tensor(value) else tf.constant(value)
        found[key] = _placeholder(_name(value, str(key)), like, batch_size)
    return found


def _name(value: Any, default: str) -> str:
    """The name of a graph's tensor, or the default."""
    op = getattr(value, "op", None)
    return default if op is None else str(op.name)


def build_raw_serving_input_receiver_fn(
    features: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A receiver that takes the features as they are.

    Args:
      features: Name -> a tensor (or array) of the dtype and shape to be fed; the first dimension
        is the batch.
      default_batch_size: The size of the batch; None for any.

    Returns:
      A function without arguments, for `Estimator.export_saved_model`. The request feeds the
      features by their names.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        receivers = _placeholders(dict(features), default_batch_size, "feature")
        return ServingInputReceiver(dict(receivers), receivers)

    return serving_input_receiver_fn


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """A receiver of features and labels, for exports in the modes "train" and "eval".

    Args:
      features: A tensor or a dict of tensors with the dtype and shape to be fed.
      labels: A tensor or a dict of tensors.
      default_batch_size: The size of the batch; None for any.

    Returns:
      A function without arguments. The request feeds features and labels by their names, or as
      "input" and "label" where they are bare tensors.

    Raises:
      ValueError: If a feature and a label have the same name.
    """
    clash = (
        set(features) & set(labels)
        if isinstance(features, dict) and isinstance(labels, dict)
        else set()
    )
    if clash:
        raise ValueError(f"Features and labels must have different names. Received: {clash}")

    def supervised_input_receiver_fn() -> SupervisedInputReceiver:
        xs = _placeholders(features, default_batch_size, "feature")
        ys = _placeholders(labels, default_batch_size, "label")
        receivers = dict(xs) if isinstance(xs, dict) else {"input": xs}
        receivers.update(ys if isinstance(ys, dict) else {"label": ys})
        return SupervisedInputReceiver(xs, ys, receivers)

    return supervised_input_receiver_fn


def build_supervised_input_receiver_fn_from_input_fn(
    input_fn: Callable[..., Any], **input_fn_args: Any
) -> Callable[[], SupervisedInputReceiver]:
    """A receiver of features and labels like those that an input_fn returns.

    Args:
      input_fn: Returns a Dataset of (features, labels), or these as tensors. It is called once,
        in a graph of its own.
      **input_fn_args: Its arguments.

    Returns:
      A function without arguments. See `build_raw_supervised_input_receiver_fn`.
    """
    with tf.Graph().as_default():
        features, labels, _ = util.parse_input_fn_result(input_fn(**input_fn_args))
    return build_raw_supervised_input_receiver_fn(features, labels)
