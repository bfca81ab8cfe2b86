"""`forward_features` and `clip_gradients_by_norm`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.export.export_output import PredictOutput
from migrate.estimator_shim.extenders import add_metrics

__all__ = ["add_metrics", "clip_gradients_by_norm", "forward_features"]

_SIGNATURES = ("predict", "serving_default")


def forward_features(
    estimator: Estimator,
    keys: str | Sequence[str] | None = None,
    sparse_default_values: Mapping[str, Any] | None = None,
) -> Estimator:
    """An Estimator like another one that repeats features among its predictions.

    So predictions can be joined with what they belong to. They are also added to the signatures
    "predict" and "serving_default" of exports, where these are `PredictOutput`.

    Args:
      estimator: An `Estimator` whose features and predictions are dicts.
      keys: Which features, a name or several; None for all.
      sparse_default_values: Sparse features to make dense -> what stands for missing values.

    Returns:
      A new Estimator with the same model_dir and config.

    Raises:
      TypeError: If keys is no string nor a list or tuple of strings.
      ValueError: When used: if a key is no feature, is a prediction already, or is sparse and has
        no default value.
    """
    names = [keys] if isinstance(keys, str) else keys
    if names is not None and not (
        isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    ):
        raise TypeError(f"keys must be a string or a list of strings. Received: {keys!r}")
    dense = dict(sparse_default_values or {})

    def new_model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if spec.predictions is None:
            return spec
        if not isinstance(spec.predictions, dict):
            raise ValueError(
                f"forward_features needs predictions in a dict. Received: {spec.predictions!r}"
            )
        wanted = list(features) if names is None else names
        added = {name: _forwarded(name, features, spec.predictions, dense) for name in wanted}
        exports = dict(spec.export_outputs or {})
        for signature in _SIGNATURES:
            output = exports.get(signature)
            if isinstance(output, PredictOutput):
                exports[signature] = PredictOutput(output.outputs | added)
        return spec._replace(
            predictions=spec.predictions | added,
            export_outputs=exports if spec.export_outputs else spec.export_outputs,
        )

    return Estimator(model_fn=new_model_fn, model_dir=estimator.model_dir, config=estimator.config)


def _forwarded(name: str, features: Any, predictions: Any, dense: dict[str, Any]) -> Any:
    if name not in features:
        raise ValueError(
            f"forward_features: {name!r} is none of the features. Received: {sorted(features)}"
        )
    if name in predictions:
        raise ValueError(
            f"forward_features: {name!r} is a prediction already. Received: {sorted(predictions)}"
        )
    feature = features[name]
    sparse = isinstance(feature, tf.SparseTensor)
    if name in dense:
        if not sparse:
            raise ValueError(
                f"sparse_default_values: the feature {name!r} is not sparse. Received: {feature!r}"
            )
        return tf.sparse.to_dense(feature, default_value=dense[name])
    if sparse:
        raise ValueError(
            f"forward_features: the feature {name!r} is sparse: leave it out by `keys`, or give "
            f"it a value in sparse_default_values. Received: {feature!r}"
        )
    return tf.convert_to_tensor(feature)


def clip_gradients_by_norm(optimizer: Any, clip_norm: Any) -> Any:
    """An optimizer that clips gradients by their global norm before it applies them.

    Args:
      optimizer: A ``tf.compat.v1.train.Optimizer``.
      clip_norm: The norm, a number or a scalar tensor.

    Returns:
      An optimizer.
    """
    return _Clipping(optimizer, clip_norm)


class _Clipping(tf.train.Optimizer):
    """Another optimizer with clipped gradients."""

    def __init__(self, optimizer: Any, clip_norm: Any) -> None:
        super().__init__(use_locking=False, name=f"ClipByNorm{optimizer.get_name()}")
        self._optimizer = optimizer
        self._clip_norm = clip_norm

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """See ``tf.compat.v1.train.Optimizer``."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """See ``tf.compat.v1.train.Optimizer``."""
        grads, variables = zip(*grads_and_vars, strict=True)
        clipped, _ = tf.clip_by_global_norm(grads, self._clip_norm)
        pairs = list(zip(clipped, variables, strict=True))
        return self._optimizer.apply_gradients(pairs, global_step, name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """See ``tf.compat.v1.train.Optimizer``."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """See ``tf.compat.v1.train.Optimizer``."""
        return self._optimizer.get_slot_names(*args, **kwargs)
