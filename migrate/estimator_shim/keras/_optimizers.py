"""Keras optimizers inside of a session's graph, as tf.keras of TF 1.15 computed and named them.

Keras 3's own updates can't run there: its optimizers change variables as they go, and
``stateless_apply`` is switched off for TensorFlow. The rules are those of the optimizers' papers,
in the order of operations of TF 1.15, on TensorFlow's own training kernels where there are some.
Slots and hyperparameters are variables called ``training/Adam/dense/kernel/m``,
``training/Adam/learning_rate``: checkpoints of TF 1.15 fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.keras._values import numpy_values

_raw = tf.raw_ops
#: How fast Nadam's momentum warms up (Dozat 2015, as tf.keras has it).
_NADAM_DECAY = 0.004


class Trained(NamedTuple):
    """A variable to train, its value as the loss took it, and the weight that it stands for."""

    variable: Any
    value: Any
    weight: Any


class _Context:
    """What the rules share: hyperparameters, slots, the step."""

    def __init__(self, optimizer: Any, name: str, step: Any) -> None:
        self.optimizer = optimizer
        self._prefix = f"training/{name}"
        self.step = tf.cast(step + 1, tf.float32)
        self._hyper: dict[str, Any] = {}

    def hyper(self, name: str, value: Any = None) -> Any:
        """A hyperparameter: a variable that starts with the optimizer's value."""
        if name not in self._hyper:
            value = getattr(self.optimizer, name) if value is None else value
            variable = tf.get_variable(
                f"{self._prefix}/{name}",
                [],
                tf.float32,
                tf.constant_initializer(float(value)),
                trainable=False,
                use_resource=True,
            )
            self._hyper[name] = variable.read_value()
        return self._hyper[name]

    def schedule(self, rate: Any) -> None:
        """The learning rate follows a schedule."""
        self._hyper["learning_rate"] = rate

    def slot(self, key: str, name: str, variable: Any, start: float = 0.0) -> Any:
        """A slot of a variable."""
        return tf.get_variable(
            f"{self._prefix}/{key}/{name}",
            variable.shape,
            variable.dtype.base_dtype,
            tf.constant_initializer(start),
            trainable=False,
            use_resource=True,
        ).handle


def _sgd(c: _Context) -> Callable[[Any, Any, str], Any]:
    rate, momentum = c.hyper("learning_rate"), c.hyper("momentum")
    with_momentum, nesterov = c.optimizer.momentum != 0, c.optimizer.nesterov

    def apply(variable: Any, grad: Any, key: str) -> Any:
        if not with_momentum:
            if isinstance(grad, tf.IndexedSlices):
                return variable.scatter_sub(
                    tf.IndexedSlices(rate * grad.values, grad.indices, grad.dense_shape)
                )
            return _raw.ResourceApplyGradientDescent(var=variable.handle, alpha=rate, delta=grad)
        kwargs = {
            "var": variable.handle,
            "accum": c.slot(key, "momentum", variable),
            "lr": rate,
            "momentum": momentum,
            "use_nesterov": nesterov,
        }
        if isinstance(grad, tf.IndexedSlices):
            rows = {"grad": grad.values, "indices": grad.indices}
            return _raw.ResourceSparseApplyKerasMomentum(**rows, **kwargs)
        return _raw.ResourceApplyKerasMomentum(grad=grad, **kwargs)

    return apply


def _adam(c: _Context) -> Callable[[Any, Any, str], Any]:
    rate, b1, b2 = c.hyper("learning_rate"), c.hyper("beta_1"), c.hyper("beta_2")

    def apply(variable: Any, grad: Any, key: str) -> Any:
        kwargs = {
            "var": variable.handle,
            "m": c.slot(key, "m", variable),
            "v": c.slot(key, "v", variable),
            "beta1_power": tf.pow(b1, c.step),
            "beta2_power": tf.pow(b2, c.step),
            "lr": rate,
            "beta1": b1,
            "beta2": b2,
            "epsilon": c.optimizer.epsilon,
            "grad": grad,
        }
        if c.optimizer.amsgrad:
            vhat = c.slot(key, "vhat", variable)
            return _raw.ResourceApplyAdamWithAmsgrad(vhat=vhat, **kwargs)
        return _raw.ResourceApplyAdam(**kwargs)

    return apply


def _adamax(c: _Context) -> Callable[[Any, Any, str], Any]:
    rate, b1, b2 = c.hyper("learning_rate"), c.hyper("beta_1"), c.hyper("beta_2")

    def apply(variable: Any, grad: Any, key: str) -> Any:
        return _raw.ResourceApplyAdaMax(
            var=variable.handle,
            m=c.slot(key, "m", variable),
            v=c.slot(key, "v", variable),
            beta1_power=tf.pow(b1, c.step),
            lr=rate,
            beta1=b1,
            beta2=b2,
            epsilon=c.optimizer.epsilon,
            grad=grad,
        )

    return apply


def _nadam(c: _Context) -> Callable[[Any, Any, str], Any]:
    rate, b1, b2 = c.hyper("learning_rate"), c.hyper("beta_1"), c.hyper("beta_2")
    cache = tf.get_variable(
        "training/Nadam/momentum_cache",
        [],
        initializer=tf.ones_initializer(),
        trainable=False,
        use_resource=True,
    )
    now = b1 * (1.0 - 0.5 * tf.pow(0.96, _NADAM_DECAY * c.step))
    following = b1 * (1.0 - 0.5 * tf.pow(0.96, _NADAM_DECAY * (c.step + 1.0)))
    product = cache.read_value() * now
    done = cache.assign(product)
    after = product * following

    def apply(variable: Any, grad: Any, key: str) -> Any:
        m, v = c.slot(key, "m", variable), c.slot(key, "v", variable)
        dtype = variable.dtype.base_dtype
        new_m = b1 * _raw.ReadVariableOp(resource=m, dtype=dtype) + (1.0 - b1) * grad
        new_v = b2 * _raw.ReadVariableOp(resource=v, dtype=dtype) + (1.0 - b2) * tf.square(grad)
        step = (1.0 - now) * grad / (1.0 - product) + following * new_m / (1.0 - after)
        down = tf.sqrt(new_v / (1.0 - tf.pow(b2, c.step))) + c.optimizer.epsilon
        return tf.group(
            done,
            _raw.AssignVariableOp(resource=m, value=new_m),
            _raw.AssignVariableOp(resource=v, value=new_v),
            variable.assign_sub(rate * step / down),
        )

    return apply


def _rmsprop(c: _Context) -> Callable[[Any, Any, str], Any]:
    rate, rho, momentum = c.hyper("learning_rate"), c.hyper("rho"), c.hyper("momentum")
    epsilon = c.optimizer.epsilon

    def apply(variable: Any, grad: Any, key: str) -> Any:
        rms = c.slot(key, "rms", variable)
        kwargs = {"lr": rate, "rho": rho, "momentum": momentum, "epsilon": epsilon, "grad": grad}
        if c.optimizer.momentum:
            kwargs |= {"var": variable.handle, "ms": rms}
            kwargs["mom"] = c.slot(key, "momentum", variable)
            if c.optimizer.centered:
                mg = c.slot(key, "mg", variable)
                return _raw.ResourceApplyCenteredRMSProp(mg=mg, **kwargs)
            return _raw.ResourceApplyRMSProp(**kwargs)
        dtype = variable.dtype.base_dtype
        read = _raw.ReadVariableOp(resource=rms, dtype=dtype)
        new = rho * read + (1.0 - rho) * tf.square(grad)
        done, down = [_raw.AssignVariableOp(resource=rms, value=new)], new
        if c.optimizer.centered:
            mg = c.slot(key, "mg", variable)
            mean = rho * _raw.ReadVariableOp(resource=mg, dtype=dtype) + (1.0 - rho) * grad
            done.append(_raw.AssignVariableOp(resource=mg, value=mean))
            down = new - tf.square(mean)
        step = rate * grad / (tf.sqrt(down) + epsilon)
        return tf.group(*done, variable.assign_sub(step))

    return apply


def _adagrad(c: _Context) -> Callable[[Any, Any, str], Any]:
    rate, start = c.hyper("learning_rate"), c.optimizer.initial_accumulator_value

    def apply(variable: Any, grad: Any, key: str) -> Any:
        kwargs = {
            "var": variable.handle,
            "accum": c.slot(key, "accumulator", variable, start),
            "lr": rate,
            "epsilon": c.optimizer.epsilon,
        }
        if isinstance(grad, tf.IndexedSlices):
            rows = {"grad": grad.values, "indices": grad.indices}
            return _raw.ResourceSparseApplyAdagradV2(**rows, **kwargs)
        return _raw.ResourceApplyAdagradV2(grad=grad, **kwargs)

    return apply


def _adadelta(c: _Context) -> Callable[[Any, Any, str], Any]:
    rate, rho = c.hyper("learning_rate"), c.hyper("rho")

    def apply(variable: Any, grad: Any, key: str) -> Any:
        return _raw.ResourceApplyAdadelta(
            var=variable.handle,
            accum=c.slot(key, "accum_grad", variable),
            accum_update=c.slot(key, "accum_var", variable),
            lr=rate,
            rho=rho,
            epsilon=c.optimizer.epsilon,
            grad=grad,
        )

    return apply


def _ftrl(c: _Context) -> Callable[[Any, Any, str], Any]:
    names = ("learning_rate", "learning_rate_power")
    rate, power = [c.hyper(name) for name in names]
    l1, l2 = [c.hyper(f"{name}_regularization_strength") for name in ("l1", "l2")]
    start = c.optimizer.initial_accumulator_value

    def apply(variable: Any, grad: Any, key: str) -> Any:
        kwargs = {
            "var": variable.handle,
            "accum": c.slot(key, "accumulator", variable, start),
            "linear": c.slot(key, "linear", variable),
            "lr": rate,
            "l1": l1,
            "l2": l2 + c.optimizer.beta / (2.0 * rate),
            "l2_shrinkage": c.optimizer.l2_shrinkage_regularization_strength,
            "lr_power": power,
        }
        if isinstance(grad, tf.IndexedSlices):
            rows = {"grad": grad.values, "indices": grad.indices}
            return _raw.ResourceSparseApplyFtrlV2(**rows, **kwargs)
        return _raw.ResourceApplyFtrlV2(grad=grad, **kwargs)

    return apply


#: Keras class -> its name in checkpoints, and its rule.
_RULES: dict[str, tuple[str, Callable[[_Context], Any]]] = {
    "SGD": ("SGD", _sgd),
    "Adam": ("Adam", _adam),
    "AdamW": ("AdamW", _adam),
    "Adamax": ("Adamax", _adamax),
    "Nadam": ("Nadam", _nadam),
    "RMSprop": ("RMSprop", _rmsprop),
    "Adagrad": ("Adagrad", _adagrad),
    "Adadelta": ("Adadelta", _adadelta),
    "Ftrl": ("Ftrl", _ftrl),
}
#: Rules that leave the rows alone that have no gradient, as in TF 1.15. The others move all rows.
_BY_ROWS = ("SGD", "Adagrad", "Ftrl")


def _summed(grad: Any) -> Any:
    """A gradient of rows with each row once."""
    indices, places = tf.unique(grad.indices)
    values = tf.math.unsorted_segment_sum(grad.values, places, tf.size(indices))
    return tf.IndexedSlices(values, indices, grad.dense_shape)


def check(optimizer: Any) -> None:
    """Raises NotImplementedError for an optimizer that can't train in a graph."""
    kind = type(optimizer).__name__
    known = kind in _RULES and type(optimizer).__module__.startswith("keras.")
    if not known:
        raise NotImplementedError(
            f"model_to_estimator trains with {', '.join(_RULES)} of Keras; write a model_fn with "
            f"an optimizer of tf.compat.v1.train instead. Received: {optimizer!r}"
        )
    unsupported = {
        name: getattr(optimizer, name, None)
        for name in ("use_ema", "loss_scale_factor", "gradient_accumulation_steps")
        if getattr(optimizer, name, None)
    }
    if unsupported:
        raise NotImplementedError(
            "model_to_estimator: these options of Keras optimizers do not work in a session's "
            f"graph; leave them out. Received: {unsupported}"
        )


def _clipped(optimizer: Any, grads: list[Any]) -> list[Any]:
    if optimizer.clipnorm:
        return [tf.clip_by_norm(g, optimizer.clipnorm) for g in grads]
    if optimizer.global_clipnorm:
        clipped: list[Any] = tf.clip_by_global_norm(grads, optimizer.global_clipnorm)[0]
        return clipped
    if optimizer.clipvalue:
        return [tf.clip_by_value(g, -optimizer.clipvalue, optimizer.clipvalue) for g in grads]
    return grads


def _learning_rate(optimizer: Any, step: Any) -> tuple[Any, Any]:
    """The schedule's tensor or None, and the number that the variable starts with."""
    import keras

    rate = optimizer._learning_rate
    if isinstance(rate, keras.optimizers.schedules.LearningRateSchedule):
        return tf.convert_to_tensor(rate(step)), 0.0
    return None, numpy_values([rate])[0]


def minimize(
    optimizer: Any, loss: Any, trained: dict[str, Trained], step: Any, suffix: str = ""
) -> Any:
    """One step of training.

    Args:
      optimizer: The optimizer of Keras.
      loss: The scalar.
      trained: What to train, by checkpoint key.
      step: The global step, or the optimizer's own; it is incremented.
      suffix: Ends the optimizer's name in checkpoints, where there are two of a kind.

    Returns:
      The operation.
    """
    name, rule = _RULES[type(optimizer).__name__]
    found = tf.gradients(loss, [t.value for t in trained.values()])
    # Rows that occur more than once in a batch are summed here, as in TF1.
    rows = name in _BY_ROWS and not optimizer.weight_decay
    grads = {
        k: _summed(g) if rows and isinstance(g, tf.IndexedSlices) else tf.convert_to_tensor(g)
        for k, g in zip(trained, found, strict=True)
        if g is not None
    }
    for key in trained.keys() - grads.keys():
        tf.logging.warn("%s has no gradient and is not trained.", key)
    context = _Context(optimizer, name + suffix, step)
    rate, start = _learning_rate(optimizer, step)
    if rate is None:
        context.hyper("learning_rate", start)
    else:
        context.schedule(rate)
    context.hyper("decay", _NADAM_DECAY if name == "Nadam" else 0.0)
    apply = rule(context)
    updates = []
    for key, grad in zip(grads, _clipped(optimizer, list(grads.values())), strict=True):
        variable, shrunk = trained[key].variable, []
        if optimizer.weight_decay and optimizer._use_weight_decay(trained[key].weight):
            shrink = context.hyper("learning_rate") * optimizer.weight_decay * variable.value()
            shrunk = [variable.assign_sub(shrink)]
        with tf.control_dependencies([getattr(grad, "values", grad), *shrunk]):
            updates.append(apply(variable, grad, key))
    with tf.control_dependencies(updates):
        return tf.assign_add(step, 1, name="training/step").op
