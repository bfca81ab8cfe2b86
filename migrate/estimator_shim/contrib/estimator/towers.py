"""A model_fn on several devices of one machine, each with its part of the batch."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import util
from migrate.estimator_shim.export.export_output import (
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec

__all__ = ["TowerOptimizer", "replicate_model_fn"]

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_COLLECTION = "replicate_model_fn_graph_states"
_MEAN = tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS


class _Towers:
    """What the towers of one graph know of each other."""

    def __init__(self, count: int = 1, reduction: str = _MEAN) -> None:
        self.count = count
        self.reduction = reduction
        self.index = 0
        #: By tower: the gradients of each optimizer's call, in the calls' order.
        self.calls: list[list[Any]] = [[] for _ in range(count)]
        self.scopes: Any = None
        self.used = False

    def scaled(self, loss: Any) -> Any:
        """A tower's part of the loss: all parts are summed."""
        if loss is None or self.count == 1 or self.reduction == tf.losses.Reduction.SUM:
            return loss
        return tf.divide(loss, float(self.count), name="averaged_loss")


def _towers() -> _Towers:
    """Those of the default graph; a lone one if there are none."""
    held = tf.get_collection_ref(_COLLECTION)
    if not held:
        held.append(_Towers())
    towers: _Towers = held[-1]
    return towers


class TowerOptimizer(tf.train.Optimizer):
    """An optimizer that applies the gradients of all towers in the last one.

    Each call of the model_fn must use the same optimizers in the same order. Without
    `replicate_model_fn`, or with one device, it is the optimizer that it wraps.
    """

    COLLECTION_FOR_GRAPH_STATES = _COLLECTION

    def __init__(self, optimizer_or_optimizer_fn: Any) -> None:
        """Wraps an optimizer.

        Args:
          optimizer_or_optimizer_fn: A ``tf.compat.v1.train.Optimizer``, or a function without
            arguments that returns one.
        """
        self._made = optimizer_or_optimizer_fn

    @staticmethod
    def has_been_used() -> bool:
        """Whether a TowerOptimizer has done something in the default graph."""
        return _towers().used

    def _optimizer(self) -> Any:
        if callable(self._made):
            self._made = self._made()
        _towers().used = True
        return self._made

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """See ``tf.compat.v1.train.Optimizer``."""
        return self._optimizer().get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """See ``tf.compat.v1.train.Optimizer``."""
        return self._optimizer().get_slot_names(*args, **kwargs)

    def get_name(self, *args: Any, **kwargs: Any) -> Any:
        """See ``tf.compat.v1.train.Optimizer``."""
        return self._optimizer().get_name(*args, **kwargs)

    def variables(self, *args: Any, **kwargs: Any) -> Any:
        """See ``tf.compat.v1.train.Optimizer``."""
        return self._optimizer().variables(*args, **kwargs)

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """See ``tf.compat.v1.train.Optimizer``; of this tower's part of the loss."""
        return self._optimizer().compute_gradients(_towers().scaled(loss), *args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, **kwargs: Any) -> Any:
        """Keeps the gradients; in the last tower applies the sums of all towers' gradients.

        Args:
          grads_and_vars: See ``tf.compat.v1.train.Optimizer``.
          global_step: See ``tf.compat.v1.train.Optimizer``.
          **kwargs: More arguments of the wrapped optimizer.

        Returns:
          The operation.
        """
        towers, optimizer = _towers(), self._optimizer()
        grads_and_vars = list(grads_and_vars)
        if towers.count == 1:
            return optimizer.apply_gradients(grads_and_vars, global_step, **kwargs)
        mine = towers.calls[towers.index]
        mine.append(grads_and_vars)
        if towers.index < towers.count - 1:
            found = [g.values if isinstance(g, tf.IndexedSlices) else g for g, _ in grads_and_vars]
            with tf.control_dependencies([g for g in found if g is not None]):
                return tf.no_op(name="train_op_placeholder")
        variables, names = towers.scopes
        which = len(mine) - 1
        with tf.variable_scope(variables), tf.name_scope(names):
            summed = _summed([call for calls in towers.calls for call in calls[which : which + 1]])
            return optimizer.apply_gradients(summed, global_step=global_step, **kwargs)


def _summed(calls: list[Any]) -> list[Any]:
    """The gradient of each variable, summed over the towers."""
    grads: dict[int, list[Any]] = {}
    variables: dict[int, Any] = {}
    for grad, variable in (pair for call in calls for pair in call):
        if grad is not None:
            grads.setdefault(id(variable), []).append(grad)
            variables[id(variable)] = variable
    with tf.name_scope("gradient_aggregating"):
        return [(_sum(grads[key], v.device), v) for key, v in variables.items()]


def _sum(values: list[Any], device: Any, name: str | None = None) -> Any:
    with tf.device(device):
        if not isinstance(values[0], tf.IndexedSlices):
            return tf.add_n(values, name=name)
        rows = tf.concat([v.values for v in values], axis=0)
        indices = tf.concat([v.indices for v in values], axis=0)
        return tf.IndexedSlices(rows, indices, values[0].dense_shape)


def replicate_model_fn(
    model_fn: Callable[..., EstimatorSpec],
    loss_reduction: str = _MEAN,
    devices: Sequence[str] | None = None,
) -> Callable[..., EstimatorSpec]:
    """A model_fn that runs another one on several devices.

    The batch is split along its first dimension. Variables are shared; the losses and the
    gradients of the towers are summed or averaged, predictions concatenated, metrics merged.
    Optimizers must be wrapped in `TowerOptimizer`. ``MirroredStrategy`` is the newer way.

    Args:
      model_fn: The model_fn.
      loss_reduction: ``tf.compat.v1.losses.Reduction``: SUM sums the towers' losses, others
        average them.
      devices: Device names; None for all GPUs, or the CPU if there is none.

    Returns:
      A model_fn.

    Raises:
      ValueError: If loss_reduction is NONE. When called: if a batch can't be split evenly, or
        optimizers are not wrapped.
    """
    if loss_reduction == tf.losses.Reduction.NONE:
        raise ValueError(
            f"loss_reduction must sum or average the towers' losses. Received: {loss_reduction!r}"
        )
    places = list(devices or _all_devices())
    alone = len(places) == 1
    together = places[0] if alone and "GPU" in places[0].upper() else "/CPU:0"

    def replicated_model_fn(
        features: Any, labels: Any, mode: str, params: Any = None, config: Any = None
    ) -> EstimatorSpec:
        given = {"params": params, "config": config}
        names = util.fn_args(model_fn)
        kwargs = {k: copy.deepcopy(v) for k, v in given.items() if k in names}
        towers = _Towers(len(places), loss_reduction)
        tf.get_collection_ref(_COLLECTION).append(towers)
        count = len(places)
        with tf.name_scope("split_inputs"), tf.device(together):
            xs = [features] if alone else _split(features, count)
            ys = [labels] if alone or labels is None else _split(labels, count)
        specs = []
        for i, place in enumerate(places):
            towers.index = i
            with _tower(towers, i), tf.device(_setter(place, together)):
                y = None if labels is None else ys[i]
                spec = model_fn(features=xs[i], labels=y, mode=mode, **kwargs)
                if spec.train_op is not None and not alone and not towers.used:
                    raise ValueError(
                        "With several devices optimizers must be wrapped in TowerOptimizer. "
                        f"Received: a train_op without one, for {places}"
                    )
                specs.append(spec._replace(loss=towers.scaled(spec.loss)))
        if len({len(calls) for calls in towers.calls}) > 1:
            raise ValueError(
                "model_fn must use the same optimizers each time it is called. Received: "
                f"{[len(calls) for calls in towers.calls]} calls of apply_gradients, by tower"
            )
        tf.get_default_graph().clear_collection(_COLLECTION)
        return specs[0] if alone else _MERGERS[mode](specs, together)

    return replicated_model_fn


def _all_devices() -> list[str]:
    for kind in ("GPU", "CPU"):
        found = tf.config.list_logical_devices(kind)
        if found:
            return [device.name for device in found]
    return ["/CPU:0"]


@contextlib.contextmanager
def _tower(towers: _Towers, i: int) -> Iterator[None]:
    with (
        tf.variable_scope("", reuse=bool(i)) as variables,
        tf.name_scope(f"tower_{i}" if i else "") as names,
    ):
        if not i:
            towers.scopes = (variables, names)
        yield


def _setter(place: str, variables: str) -> Callable[[Any], str]:
    """Variables on one device, the rest on the tower's."""

    def device(op: Any) -> str:
        spec = tf.DeviceSpec.from_string(variables if op.type in _VARIABLES else place)
        merged: str = spec.make_merged_spec(tf.DeviceSpec.from_string(op.device or "")).to_string()
        return merged

    return device


def _split(values: Any, count: int) -> list[Any]:
    if isinstance(values, dict):
        parts = {name: _split(value, count) for name, value in values.items()}
        return [{name: part[i] for name, part in parts.items()} for i in range(count)]
    if isinstance(values, tf.SparseTensor):
        return list(tf.sparse.split(sp_input=values, num_split=count, axis=0))
    tensor = tf.convert_to_tensor(values)
    size = tensor.shape.as_list()[0]
    if size is not None and size % count:
        raise ValueError(
            f"The batch must have a size that the {count} devices can share evenly. "
            f"Received: {tensor}"
        )
    return list(tf.split(tensor, count))


def _merge_train(specs: list[Any], together: str) -> EstimatorSpec:
    loss = _sum([spec.loss for spec in specs], together, "loss")
    return specs[-1]._replace(loss=loss)


def _merge_eval(specs: list[Any], together: str) -> EstimatorSpec:
    loss = _sum([spec.loss for spec in specs], together, "loss")
    updates = [update for spec in specs for _, update in spec.eval_metric_ops.values()]
    with tf.control_dependencies(updates):
        merged = _merge_metric_variables(len(specs))
    metrics = {name: (value, merged) for name, (value, _) in specs[0].eval_metric_ops.items()}
    return specs[0]._replace(loss=loss, eval_metric_ops=metrics)


def _merge_metric_variables(count: int) -> Any:
    """Adds the towers' counters to the first one's, and sets them to zero."""
    variables = tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)
    each, rest = divmod(len(variables), count)
    if rest:
        raise ValueError(
            "model_fn must return the same eval_metric_ops each time it is called. "
            f"Received: {len(variables)} variables of metrics in {count} towers"
        )
    zeroed = []
    for i in range(each):
        others = variables[i + each :: each]
        added = tf.assign_add(variables[i], tf.add_n([tf.convert_to_tensor(v) for v in others]))
        with tf.control_dependencies([added]):
            zeroed += [tf.assign(v, tf.zeros(tf.shape(v), v.dtype.base_dtype)) for v in others]
    return tf.group(*zeroed)


def _merge_predict(specs: list[Any], together: str) -> EstimatorSpec:
    with tf.device(together):
        predictions = _concat([spec.predictions for spec in specs])
        exports = {
            name: _concat_output([spec.export_outputs[name] for spec in specs])
            for name in specs[0].export_outputs
        }
    return specs[0]._replace(predictions=predictions, export_outputs=exports)


def _concat(parts: list[Any]) -> Any:
    if not isinstance(parts[0], dict):
        return None if parts[0] is None else tf.concat(parts, axis=0)
    return {name: tf.concat([p[name] for p in parts], axis=0, name=name) for name in parts[0]}


def _concat_output(outputs: list[Any]) -> Any:
    first = outputs[0]
    if isinstance(first, PredictOutput):
        return PredictOutput(_concat([output.outputs for output in outputs]))
    if isinstance(first, RegressionOutput):
        return RegressionOutput(_concat([output.value for output in outputs]))
    if isinstance(first, ClassificationOutput):
        return ClassificationOutput(
            _concat([output.scores for output in outputs]),
            _concat([output.classes for output in outputs]),
        )
    raise ValueError(
        f"export_outputs must be Classification-, Regression- or PredictOutput. Received: {first!r}"
    )


_MERGERS = {
    ModeKeys.TRAIN: _merge_train,
    ModeKeys.EVAL: _merge_eval,
    ModeKeys.PREDICT: _merge_predict,
}
