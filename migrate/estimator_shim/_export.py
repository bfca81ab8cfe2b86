"""`Estimator.export_saved_model`: a SavedModel with a graph for each mode."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _graph, _keras_graph, util
from migrate.estimator_shim.export.export_output import EvalOutput, TrainOutput
from migrate.estimator_shim.keras import metrics as keras_metrics
from migrate.estimator_shim.mode_keys import ALL, ModeKeys

TAGS = {
    ModeKeys.TRAIN: [tf.saved_model.TRAINING],
    ModeKeys.EVAL: ["eval"],
    ModeKeys.PREDICT: [tf.saved_model.SERVING],
}
#: The collection in which a SavedModel keeps what makes a step.
TRAIN_OP = "saved_model_train_op"
#: Variables are written with the first graph of this order, which has the most of them.
_ORDER = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)


def export(
    estimator: Any,
    base: str,
    receivers: Mapping[str, Callable[[], Any]],
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
    checkpoint_path: str | None,
    strip_default_attrs: bool = True,
) -> bytes:
    """See `Estimator.experimental_export_all_saved_models`."""
    unknown = [mode for mode in receivers if mode not in ALL]
    if unknown or not receivers:
        raise ValueError(f"Exports are for the modes {', '.join(ALL)}. Received: {unknown or '{}'}")
    for mode, function in receivers.items():
        if function is None:
            raise ValueError(
                f"The mode {mode!r} needs a function that returns its input receiver "
                "(serving_input_receiver_fn). Received: None"
            )
    checkpoint = checkpoint_path or estimator.latest_checkpoint()
    if not checkpoint:
        if estimator._warm_start_settings is None:
            raise ValueError(
                f"There is no checkpoint in model_dir {estimator.model_dir!r}: train first, or "
                "give checkpoint_path"
            )
        checkpoint = estimator._warm_start_settings.ckpt_to_initialize_from
        if tf.io.gfile.isdir(checkpoint):
            checkpoint = tf.train.latest_checkpoint(checkpoint)
    base = os.fspath(base)
    base = base.decode() if isinstance(base, bytes) else base
    final = util.timestamped_dir(base)
    part = os.path.join(base, f"temp-{os.path.basename(final)}")
    builder = tf.saved_model.Builder(part)
    first = True
    for mode in _ORDER:
        if mode in receivers:
            _add_graph(
                estimator, builder, mode, receivers[mode], checkpoint, first, strip_default_attrs
            )
            first = False
    builder.save(as_text)
    for destination, source in (assets_extra or {}).items():
        target = os.path.join(part, "assets.extra", destination)
        tf.io.gfile.makedirs(os.path.dirname(target))
        tf.io.gfile.copy(source, target)
    tf.io.gfile.rename(part, final)
    tf.logging.info("Exported to %s", final)
    return final.encode()


def _add_graph(
    estimator: Any,
    builder: Any,
    mode: str,
    receiver_fn: Callable[[], Any],
    checkpoint: str,
    with_variables: bool,
    strip_default_attrs: bool,
) -> None:
    with _keras_graph.new_graph() as graph:
        estimator._create_and_assert_global_step(graph)
        tf.set_random_seed(estimator._config.tf_random_seed)
        receiver = receiver_fn()
        labels = getattr(receiver, "labels", None)
        spec = estimator._call_model_fn(receiver.features, labels, mode, estimator.config)
        signatures = _signatures(receiver, _outputs(spec, mode), mode)
        with tf.Session(config=estimator._session_config) as session:
            local_init = (
                spec.scaffold.local_init_op
                if spec.scaffold.local_init_op is not None
                else tf.train.Scaffold.default_local_init_op()
            )
            saver = spec.scaffold.saver or tf.train.Saver(sharded=True)
            with _graph.explain_restore(checkpoint):
                saver.restore(session, checkpoint)
            kwargs: dict[str, Any] = {
                "tags": TAGS[mode],
                "signature_def_map": signatures,
                "assets_collection": tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                "main_op": local_init,
                "saver": saver,
                "strip_default_attrs": strip_default_attrs,
            }
            if spec.train_op is not None:
                tf.add_to_collection(TRAIN_OP, spec.train_op)
            if with_variables:
                builder.add_meta_graph_and_variables(session, **kwargs)
            else:
                builder.add_meta_graph(**kwargs)


def _outputs(spec: Any, mode: str) -> dict[str, Any]:
    """The outputs of each signature of a mode."""
    if mode == ModeKeys.PREDICT:
        if not spec.export_outputs:
            raise ValueError(
                "model_fn must return export_outputs (or leave them out) in the mode 'infer'. "
                f"Received: {spec.export_outputs!r}"
            )
        return dict(spec.export_outputs)
    kind = TrainOutput if mode == ModeKeys.TRAIN else EvalOutput
    return {mode: kind(spec.loss, spec.predictions, keras_metrics.pairs(spec.eval_metric_ops))}


def _signatures(receiver: Any, outputs: dict[str, Any], mode: str) -> dict[str, Any]:
    """Name -> SignatureDef, for the receiver's tensors and each of their alternatives."""
    tensors = receiver.receiver_tensors
    inputs: list[tuple[str, Any]] = [("", tensors)]
    for name, other in (receiver.receiver_tensors_alternatives or {}).items():
        inputs.append((f"{name}:", other if isinstance(other, dict) else {"input": other}))
    found, refused = {}, {}
    for prefix, fed in inputs:
        for name, output in outputs.items():
            key = name or ("None" if prefix else tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY)
            try:
                signature = output.as_signature_def(fed)
            except ValueError as e:
                refused[prefix + key] = str(e)
                continue
            if mode != ModeKeys.PREDICT or tf.saved_model.is_valid_signature(signature):
                found[prefix + key] = signature
            else:
                refused[prefix + key] = "not a valid signature"
    for name, why in refused.items():
        tf.logging.warn("Not exported: signature %s: %s", name, why)
    return found
