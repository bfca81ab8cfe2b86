"""What contrib.learn's canned Estimators share: model_fns, and predictions by their kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import _models
from migrate.estimator_shim.canned.linear import learning_rate
from migrate.estimator_shim.contrib.learn import estimator as estimator_lib
from migrate.estimator_shim.contrib.learn.constants import PredictionKey
from migrate.estimator_shim.contrib.learn.head import Head
from migrate.estimator_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps
from migrate.tf1_shim.contrib import layers

DNN_RATE = 0.05
_MIN_SLICE = 64 << 20


def refuse(**given: Any) -> None:
    """Raises NotImplementedError for arguments that have a value."""
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(
                f"{name} of contrib.learn's Estimators is not implemented: write the model as a "
                f"model_fn. Received: {name}={value!r}"
            )


def as_dict(features: Any) -> dict[str, Any]:
    """Features by name; a lone tensor is called ""."""
    return dict(features) if isinstance(features, Mapping) else {"": features}


def optimizer_of(given: Any) -> Any:
    """An optimizer; functions are called."""
    return given() if callable(given) and not isinstance(given, type) else given


def _all_new(columns: Iterable[Any]) -> bool:
    """Whether they are columns of tf.feature_column, not of contrib.layers."""
    return all(hasattr(c, "parse_example_spec") for c in columns)


def dnn_logits(
    features: dict[str, Any],
    mode: str,
    head: Head,
    hidden_units: Iterable[int],
    columns: tuple[Any, ...],
    activation_fn: Any,
    dropout: float | None,
    config: Any,
    min_slice: int | None,
    collection: str,
    tag: str,
) -> Any:
    """The dense layers, in the present scope. ``tag`` is what separates layers and summaries."""
    servers = _models.servers(config)
    partitioner = _models.partitioner(servers, min_slice or _MIN_SLICE)
    values = tuple(features.values())
    with tf.variable_scope(
        "input_from_feature_columns", values=values, partitioner=partitioner
    ) as scope:
        if _all_new(columns):
            net = tf.feature_column.input_layer(features, columns, weight_collections=[collection])
        else:
            net = layers.input_from_feature_columns(
                features, columns, weight_collections=[collection], scope=scope
            )
    for i, size in enumerate(hidden_units):
        with tf.variable_scope(f"hiddenlayer_{i}", values=(net,)) as scope:
            net = layers.fully_connected(
                net, size, activation_fn=activation_fn, variables_collections=[collection],
                scope=scope,
            )  # fmt: skip
            if dropout is not None and mode == ModeKeys.TRAIN:
                net = tf.nn.dropout(net, rate=dropout)
        _summarize(net, scope.name, tag)
    with tf.variable_scope("logits", values=(net,)) as scope:
        logits = layers.fully_connected(
            net, head.logits_dimension, activation_fn=None, variables_collections=[collection],
            scope=scope,
        )  # fmt: skip
    _summarize(logits, scope.name, tag)
    return logits


def _summarize(value: Any, name: str, tag: str) -> None:
    tf.summary.scalar(f"{name}{tag}fraction_of_zero_values", tf.math.zero_fraction(value))
    tf.summary.histogram(f"{name}{tag}activation", value)


def linear_logits(
    features: dict[str, Any],
    head: Head,
    columns: tuple[Any, ...],
    collection: str,
    joint: bool,
    scope: Any,
) -> Any:
    """The linear model, in the present scope."""
    if _all_new(columns):
        return tf.feature_column.linear_model(
            features, columns, units=head.logits_dimension, weight_collections=[collection]
        )
    made = (
        layers.joint_weighted_sum_from_feature_columns
        if joint
        else layers.weighted_sum_from_feature_columns
    )
    logits, _, _ = made(
        columns_to_tensors=features, feature_columns=columns, num_outputs=head.logits_dimension,
        weight_collections=[collection], scope=scope,
    )  # fmt: skip
    return logits


def dnn_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any
) -> ModelFnOps:
    """The model_fn of `DNNEstimator`."""
    features, head = as_dict(features), params["head"]
    parent = "dnn"
    optimizer = params["optimizer"] or "Adagrad"
    servers = _models.servers(config)
    values = tuple(features.values())
    min_slice = params["input_layer_min_slice_size"] or _MIN_SLICE
    with tf.variable_scope(parent, values=values, partitioner=_models.partitioner(servers)):
        logits = dnn_logits(
            features, mode, head, params["hidden_units"], params["feature_columns"],
            params["activation_fn"], params["dropout"], config, min_slice, parent, "_",
        )  # fmt: skip

        def train_op_fn(loss: Any) -> Any:
            return layers.optimize_loss(
                loss=loss, global_step=tf.train.get_global_step(), learning_rate=DNN_RATE,
                optimizer=optimizer_of(optimizer), clip_gradients=params["gradient_clip_norm"],
                name=parent, summaries=[],
            )  # fmt: skip

        return head.create_model_fn_ops(
            features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )


def linear_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any
) -> ModelFnOps:
    """The model_fn of `LinearEstimator`."""
    features, head, columns = as_dict(features), params["head"], params["feature_columns"]
    optimizer = params["optimizer"] or tf.train.FtrlOptimizer(learning_rate(columns))
    partitioner = _models.partitioner(_models.servers(config), _MIN_SLICE)
    parent = "linear"
    values = tuple(features.values())
    with tf.variable_scope(parent, values=values, partitioner=partitioner) as scope:
        logits = linear_logits(features, head, columns, parent, params["joint_weights"], scope)

        def train_op_fn(loss: Any) -> Any:
            variables = tf.get_collection(parent)
            grads = tf.gradients(loss, variables)
            if params["gradient_clip_norm"]:
                grads, _ = tf.clip_by_global_norm(grads, params["gradient_clip_norm"])
            pairs = list(zip(grads, variables, strict=True))
            step = tf.train.get_global_step()
            return optimizer_of(optimizer).apply_gradients(pairs, global_step=step)

        return head.create_model_fn_ops(
            features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )


def combined_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any
) -> ModelFnOps:
    """The model_fn of `DNNLinearCombinedEstimator`."""
    features, head = as_dict(features), params["head"]
    wide, deep = params["linear_feature_columns"], params["dnn_feature_columns"]
    servers = _models.servers(config)
    columns_partitioner = params["input_layer_partitioner"] or _models.partitioner(
        servers, params["input_layer_min_slice_size"] or _MIN_SLICE
    )
    values = tuple(features.values())
    logits: list[Any] = []
    if deep:
        with tf.variable_scope("dnn", values=values, partitioner=_models.partitioner(servers)):
            logits.append(
                dnn_logits(
                    features,
                    mode,
                    head,
                    params["dnn_hidden_units"],
                    deep,
                    params["dnn_activation_fn"],
                    params["dnn_dropout"],
                    config,
                    params["input_layer_min_slice_size"],
                    "dnn",
                    "/",
                )
            )
    if wide:
        with tf.variable_scope("linear", values=values, partitioner=columns_partitioner) as scope:
            logits.append(
                linear_logits(features, head, wide, "linear", params["joint_linear_weights"], scope)
            )
            _summarize(logits[-1], scope.name, "/")

    def train_op_fn(loss: Any) -> Any:
        once = params["fix_global_step_increment_bug"]
        step = tf.train.get_global_step()
        ops = []
        clip = params["gradient_clip_norm"]
        for name, columns, rate, optimizer in (
            ("dnn", deep, DNN_RATE, params["dnn_optimizer"] or "Adagrad"),
            (
                "linear",
                wide,
                learning_rate(wide) if wide else 0.0,
                params["linear_optimizer"] or "Ftrl",
            ),
        ):
            if columns:
                ops.append(
                    layers.optimize_loss(
                        loss=loss,
                        global_step=step,
                        learning_rate=rate,
                        optimizer=optimizer_of(optimizer),
                        clip_gradients=clip,
                        variables=tf.get_collection(name),
                        name=name,
                        summaries=[],
                        increment_global_step=not once,
                    )
                )
        train_op = tf.group(*ops)
        if not once:
            return train_op
        with tf.control_dependencies([train_op]):
            return tf.assign_add(step, 1).op

    return head.create_model_fn_ops(
        features=features, mode=mode, labels=labels, train_op_fn=train_op_fn,
        logits=tf.add_n(logits) if len(logits) > 1 else logits[0],
    )  # fmt: skip


class Predicting(estimator_lib.Estimator):
    """An Estimator whose `predict` returns what it is for, unless ``outputs`` are named."""

    _answer = PredictionKey.CLASSES

    def _one(
        self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool
    ) -> Any:
        found = estimator_lib.Estimator.predict(
            self, x=x, input_fn=input_fn, batch_size=batch_size, outputs=[key],
            as_iterable=as_iterable,
        )  # fmt: skip
        return _column(found, key) if as_iterable else found[key]

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: Iterable[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Predicts classes or scores.

        Args:
          x: An array of features, in place of input_fn.
          input_fn: Returns features or (features, labels).
          batch_size: The batches' size of x; 128 if not given.
          outputs: Which predictions; None for the classes or the scores alone.
          as_iterable: Whether to return an iterator over examples, or one batch.
          iterate_batches: Whether the iterator goes by batches (with outputs).

        Returns:
          An iterator, or arrays.
        """
        if not outputs:
            return self._one(self._answer, x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)


def _column(found: Iterable[Mapping[str, Any]], key: str) -> Iterator[Any]:
    for one in found:
        yield one[key]


class Classifying(Predicting):
    """`predict_classes` and `predict_proba`."""

    def predict_classes(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The class of each example. See `predict`."""
        return self._one(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The probabilities of the classes of each example. See `predict`."""
        return self._one(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class Regressing(Predicting):
    """`predict_scores`."""

    _answer = PredictionKey.SCORES

    def predict_scores(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The predicted targets of each example. See `predict`."""
        return self._one(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)
