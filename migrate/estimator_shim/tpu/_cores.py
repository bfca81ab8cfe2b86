"""`TPUEstimator` with ``use_tpu=True``: the model_fn runs on each core of a TPU.

The cores are the replicas of a TPUStrategy. As in TF1 an input_fn gives the batches of a host,
which are cut into a part for each core, or with PER_HOST_V2 the batches of the cores in turn. What
metrics, predictions and host calls get is what all cores gave, one part after the other.

No TPU was there to try it on: the tests have several CPUs under a MirroredStrategy in its place.
"""

from __future__ import annotations

import os
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import util
from migrate.estimator_shim._distribute import InitializeIterator
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec
from migrate.estimator_shim.tpu import tpu_spec
from migrate.estimator_shim.tpu.tpu_config import InputPipelineConfig

_NO_TPU = (
    "TPUEstimator with use_tpu=True found no TPU: {}. Give use_tpu=False to run the same model on "
    "CPU or GPU. A TPU is looked for by RunConfig(master=...), in the environment variable "
    "TPU_NAME and in this machine"
)
_PER_CORE = InputPipelineConfig.PER_HOST_V2
_found: dict[str, Any] = {}


def find(config: Any) -> Any:
    """The strategy of the TPU that a `RunConfig` or TPU_NAME names, or of this machine's.

    Args:
      config: The `RunConfig`.

    Returns:
      The TPUStrategy; one for each name, since connecting anew would reset the TPU.

    Raises:
      RuntimeError: If there is no TPU.
    """
    name = config.master or os.environ.get("TPU_NAME") or "local"
    if name in _found:
        return _found[name]
    if name == "local" and not tf.config.list_physical_devices("TPU"):
        raise RuntimeError(_NO_TPU.format("none is named, and this machine has none"))
    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(name)
        with tf.init_scope():
            if name != "local":
                tf.config.experimental_connect_to_cluster(resolver)
            tf.tpu.experimental.initialize_tpu_system(resolver)
        strategy = tf.distribute.experimental.TPUStrategy(resolver)
    except (ValueError, RuntimeError, OSError, tf.errors.OpError) as e:
        why = str(e).strip().partition("\n")[0] or type(e).__name__
        raise RuntimeError(_NO_TPU.format(f"{name!r}: {why}")) from e
    return _found.setdefault(name, strategy)


class Cores:
    """A strategy whose replicas are a TPU's cores, and how an Estimator's batches come to them."""

    def __init__(self, strategy: Any, config: Any) -> None:
        """Checks how the input is to be cut.

        Args:
          strategy: The strategy.
          config: A `RunConfig`.

        Raises:
          ValueError: If `TPUConfig` counts other cores than there are.
          NotImplementedError: For ways of input and of host calls that are not here.
        """
        tpu = config.tpu_config
        self.strategy = strategy
        self.count = strategy.num_replicas_in_sync
        self._hosts = getattr(strategy.extended, "num_hosts", 1)
        self._per_core = tpu.per_host_input_for_training == _PER_CORE
        if tpu.per_host_input_for_training not in (InputPipelineConfig.PER_HOST_V1, _PER_CORE):
            raise NotImplementedError(
                "TPUConfig(per_host_input_for_training=...) with use_tpu=True takes PER_HOST_V1 "
                f"and PER_HOST_V2. Received: {tpu.per_host_input_for_training!r}"
            )
        if (tpu.num_cores_per_replica or 1) > 1:
            raise NotImplementedError(
                "TPUConfig(num_cores_per_replica=...) with use_tpu=True takes one core. "
                f"Received: {tpu.num_cores_per_replica!r}"
            )
        if tpu.num_shards and tpu.num_shards != self.count:
            raise ValueError(
                f"TPUConfig: num_shards must be None or {self.count}, the TPU's cores. "
                f"Received: {tpu.num_shards}"
            )
        for name, plain in (("experimental_host_call_every_n_steps", 1), ("tpu_job_name", None)):
            given = getattr(tpu, name)
            if given != plain:
                raise NotImplementedError(
                    f"TPUConfig({name}=...) with use_tpu=True takes {plain}. Received: {given!r}"
                )

    def sizes(self, batch: int | None, mode: str) -> tuple[int, int]:
        """``params["batch_size"]`` of input_fns and of model_fns.

        Raises:
          ValueError: If the batch can't be cut into equal parts.
        """
        if batch is None:
            raise ValueError(f"TPUEstimator with use_tpu=True needs {mode}_batch_size")
        if batch % self.count:
            raise ValueError(
                f"{mode}_batch_size must be a multiple of the TPU's {self.count} cores. "
                f"Received: {batch}"
            )
        core = batch // self.count
        return (core if self._per_core else batch // self._hosts), core

    def input(self, estimator: Any, input_fn: Any, mode: str, batch: int | None) -> Any:
        """The iterator of all cores; in predictions it also says which examples are real."""
        each = self.sizes(batch, mode)[0]
        parts = 1 if self._per_core else self.count // self._hosts

        def of_host(context: Any) -> Any:
            found = estimator._call_input_fn(input_fn, mode, context)
            if not isinstance(found, util.DATASETS):
                raise ValueError(
                    "With use_tpu=True the input_fn must return a tf.data.Dataset. "
                    f"Received: {found!r}"
                )
            dataset: Any = found
            if mode == ModeKeys.PREDICT:
                dataset = dataset.map(lambda *given: _padded(given[0], each))
            return dataset.flat_map(lambda *element: _cut(element, each, parts))

        return self.strategy.make_input_fn_iterator(of_host)

    def run(self, function: Any, args: tuple[Any, ...]) -> Any:
        """Calls a function on each core; what it returns is a structure of tensors."""
        extended = self.strategy.extended
        if hasattr(extended, "tpu_run"):
            return extended.tpu_run(function, args, {})
        return extended.call_for_each_replica(function, args=args)

    def whole(self, values: Any) -> Any:
        """What all cores gave, one after the other along the first axis."""

        def joined(value: Any) -> Any:
            parts = self.strategy.experimental_local_results(value)
            return tf.concat([p[None] if p.shape.rank == 0 else p for p in parts], 0)

        return tf.nest.map_structure(joined, values)


def _static(value: Any, size: int) -> Any:
    if isinstance(value, tf.SparseTensor) or value.shape.rank == 0 or value.shape[0] != size:
        raise ValueError(
            f"With use_tpu=True batches must be dense tensors of {size} examples, a size known "
            f"beforehand: batch(params['batch_size'], drop_remainder=True). Received: {value!r}"
        )
    return value


def _cut(element: tuple[Any, ...], size: int, parts: int) -> Any:
    def cut(value: Any) -> Any:
        shape = _static(value, size).shape.as_list()
        rest = [tf.shape(value)[i] if n is None else n for i, n in enumerate(shape)][1:]
        return tf.reshape(value, [parts, size // parts, *rest])

    one = element[0] if len(element) == 1 else element
    return tf.data.Dataset.from_tensor_slices(tf.nest.map_structure(cut, one))


def _padded(features: Any, size: int) -> tuple[Any, Any]:
    """A batch filled up to its size, and which examples were there."""
    count = tf.shape(tf.nest.flatten(features)[0])[0]

    def fill(value: Any) -> Any:
        value = tf.pad(value, [[0, size - count], *[[0, 0]] * (value.shape.rank - 1)])
        return tf.ensure_shape(value, [size, *value.shape[1:]])

    return tf.nest.map_structure(fill, features), tf.range(size) < count


def build(
    estimator: Any, cores: Cores, input_fn: Any, mode: str, batch: int | None
) -> tuple[EstimatorSpec, list[Any]]:
    """Calls the input_fn on each host and the model_fn on each core.

    Args:
      estimator: The `TPUEstimator`.
      cores: The TPU.
      input_fn: The data.
      mode: The mode.
      batch: The examples of all cores.

    Returns:
      The EstimatorSpec of all cores, and the hooks that the input needs.
    """
    specs: list[Any] = []

    def model(*given: Any) -> dict[str, Any]:
        real = None
        if mode == ModeKeys.PREDICT:
            features, labels, real = given[0], None, given[1]
        else:
            features, labels = util.features_and_labels(given[0])
        spec = estimator._call_user_model_fn(features, labels, mode, cores.sizes(batch, mode)[1])
        specs.append(spec)
        _check_optimizer(mode)
        if mode == ModeKeys.PREDICT:
            found = {"predictions": spec.predictions, "real": real}
        else:
            found = {"loss": spec.loss}
        if mode == ModeKeys.TRAIN:
            found["train_op"] = spec.train_op
        called = ["host_call", "eval_metrics"] if mode == ModeKeys.EVAL else ["host_call"]
        for name in called:
            if getattr(spec, name) is not None:
                found[name] = getattr(spec, name)[1]
        return found

    strategy = cores.strategy
    with strategy.scope(), tf.variable_creator_scope(_of_the_first):
        iterator = cores.input(estimator, input_fn, mode, batch)
        element = iterator.get_next()
        given = element if mode == ModeKeys.PREDICT else (element,)
        outputs = cores.run(tf.autograph.experimental.do_not_convert(model), given)
        spec = specs[0]
        scaffold = spec.scaffold_fn() if spec.scaffold_fn else None
    # Summaries of one core's part: on a TPU nothing could write them.
    tf.get_default_graph().clear_collection(tf.GraphKeys.SUMMARIES)
    loss = predictions = train_op = metrics = None
    if mode == ModeKeys.PREDICT:
        whole = cores.whole({k: outputs[k] for k in ("predictions", "real")})
        predictions = tf.nest.map_structure(
            lambda value: tf.boolean_mask(value, whole["real"]), whole["predictions"]
        )
    else:
        loss = tf.reduce_mean(cores.whole(outputs["loss"]))
    if mode == ModeKeys.TRAIN:
        train_op = strategy.group(outputs["train_op"])
    calls = {
        name: tpu_spec.call((getattr(spec, name)[0], cores.whole(outputs[name])))
        for name in ("eval_metrics", "host_call")
        if name in outputs
    }
    metrics = calls.get("eval_metrics")
    hooks = (tpu_spec.HostCallHook(calls["host_call"]),) if "host_call" in calls else ()
    whole_spec = EstimatorSpec(
        mode=mode,
        predictions=predictions,
        loss=loss,
        train_op=train_op,
        eval_metric_ops=metrics,
        scaffold=scaffold,
        training_hooks=spec.training_hooks + hooks,
        evaluation_hooks=spec.evaluation_hooks + hooks,
        prediction_hooks=spec.prediction_hooks + hooks,
    )
    return whole_spec, [InitializeIterator(iterator)]


def _check_optimizer(mode: str) -> None:
    """Raises ValueError for TensorFlow's own CrossShardOptimizer: the strategy sums up as well."""
    if mode != ModeKeys.TRAIN:
        return
    for op in tf.get_default_graph().get_operations():
        if op.type == "CrossReplicaSum" and any(
            frame.filename.endswith("tpu_optimizer.py") for frame in op.traceback
        ):
            raise ValueError(
                "tf.compat.v1.tpu.CrossShardOptimizer would sum up the gradients of all cores a "
                "second time: use that of migrate.estimator_shim.contrib.tpu. "
                f"Received: the operation {op.name!r}"
            )


def _of_the_first(create: Any, **kwargs: Any) -> Any:
    """Variables that all cores assign keep the first one's value, unless they say otherwise."""
    if kwargs.get("aggregation") in (None, tf.VariableAggregation.NONE):
        kwargs["aggregation"] = tf.VariableAggregation.ONLY_FIRST_REPLICA
    return create(**kwargs)
