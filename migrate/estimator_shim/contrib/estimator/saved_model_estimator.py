"""`SavedModelEstimator`: an Estimator whose model_fn is what another one exported."""

from __future__ import annotations

import os
import re
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

from migrate.estimator_shim._export import TAGS, TRAIN_OP
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec
from migrate.estimator_shim.warm_starting import WarmStartSettings

__all__ = ["SavedModelEstimator"]

_ASSETS = "saved_model_assets"
_INITS = ("saved_model_main_op", "legacy_init_op")
_INIT_SIGNATURE = "__saved_model_init_op"
#: Collections that the builder of a SavedModel expects to be empty.
_BUILDERS = (_ASSETS, *_INITS, TRAIN_OP)


class SavedModelEstimator(Estimator):
    """Continues, evaluates or predicts with an exported model, without its code.

    Which of the three it can do depends on the modes that were exported (see
    `experimental_export_all_saved_models`). Features and labels go by the names of the exported
    signature's inputs. Metrics are called ``metrics/<name>``. Variables start with the exported
    values; checkpoints go to ``model_dir``.
    """

    def __init__(self, saved_model_dir: str, model_dir: str | None = None) -> None:
        """Reads the SavedModel.

        Args:
          saved_model_dir: The folder of the SavedModel, as the export returned it.
          model_dir: Where new checkpoints go.

        Raises:
          ValueError: If there is no SavedModel.
        """
        saved_model_dir = os.fspath(saved_model_dir)
        if isinstance(saved_model_dir, bytes):
            saved_model_dir = saved_model_dir.decode()
        self.saved_model_dir = saved_model_dir
        self._graphs = _read(saved_model_dir)
        checkpoint = os.path.join(saved_model_dir, "variables", "variables")
        keys = [name for name, _ in tf.train.list_variables(checkpoint)]
        # A variable that was partitioned is one key of the checkpoint.
        names = [rf"{re.escape(key)}(/part_\d+)?:0" for key in keys]
        super().__init__(
            model_fn=self._model_fn_from_saved_model,
            model_dir=model_dir,
            warm_start_from=WarmStartSettings(checkpoint, names),
        )

    def _create_and_assert_global_step(self, graph: Any) -> Any:
        """The exported graph brings its own."""
        return None

    def _exported(self, mode: str) -> tuple[Any, Any]:
        """The graph and the signature of a mode."""
        key = mode
        if mode == ModeKeys.PREDICT:
            key = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        for meta in self._graphs:
            if set(meta.meta_info_def.tags) == set(TAGS[mode]) and key in meta.signature_def:
                return meta, meta.signature_def[key]
        found = [list(meta.meta_info_def.tags) for meta in self._graphs]
        raise RuntimeError(
            f"The SavedModel has no graph for the mode {mode!r}: export it with "
            f"experimental_export_all_saved_models. Received: {self.saved_model_dir!r} with {found}"
        )

    def _model_fn_from_saved_model(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        meta, signature = self._exported(mode)
        if tf.train.get_global_step() is not None:
            raise RuntimeError(
                "The input_fn must not make a global step: the SavedModel brings its own. "
                f"Received: {tf.train.get_global_step()!r}"
            )
        fed = _feeds(signature, features, labels)
        for asset in _asset_files(meta):
            path = os.path.join(self.saved_model_dir, "assets", asset.filename)
            fed[_op_name(asset.tensor_info.name)] = tf.constant(path)
        names = [info.name for info in signature.outputs.values()]
        replaced = fed | {f"^{name}": tensor for name, tensor in fed.items()}
        imported = tf.import_graph_def(meta.graph_def, replaced, names, name="")
        tensors = dict(zip(names, imported, strict=True))
        _add_collections(meta)
        init = _init_op(meta)
        if init is not None:
            # What the Estimator adds has local variables too: this runs besides their default.
            tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, init)
        train_ops = tf.get_collection(TRAIN_OP)
        for name in _BUILDERS:
            del tf.get_collection_ref(name)[:]
        outputs = {key: tensors[info.name] for key, info in signature.outputs.items()}
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions=outputs)
        return EstimatorSpec(
            mode,
            predictions={k: v for k, v in outputs.items() if k.startswith("predictions")},
            loss=outputs.get("loss"),
            train_op=train_ops[0] if train_ops else None,
            eval_metric_ops=_metrics(outputs),
        )


def _read(folder: str) -> Any:
    """The graphs of a SavedModel."""
    binary = os.path.join(folder, tf.saved_model.SAVED_MODEL_FILENAME_PB)
    text = os.path.join(folder, tf.saved_model.SAVED_MODEL_FILENAME_PBTXT)
    message = saved_model_pb2.SavedModel()
    if tf.io.gfile.exists(binary):
        with tf.io.gfile.GFile(binary, "rb") as file:
            message.ParseFromString(file.read())
    elif tf.io.gfile.exists(text):
        from google.protobuf import text_format  # type: ignore[import-untyped]

        with tf.io.gfile.GFile(text) as file:
            text_format.Parse(file.read(), message)
    else:
        raise ValueError(
            f"There is no SavedModel in the folder (no {os.path.basename(binary)}). "
            f"Received: {folder!r}"
        )
    return message.meta_graphs


def _op_name(name: str) -> str:
    return name.partition(":")[0]


def _named(values: Any, default: str) -> dict[str, Any]:
    if values is None:
        return {}
    return values if isinstance(values, dict) else {default: values}


def _feeds(signature: Any, features: Any, labels: Any) -> dict[str, Any]:
    """What replaces each input of the exported graph."""
    given = _named(labels, "label") | _named(features, "feature")
    fed = {}
    for key, info in signature.inputs.items():
        if key not in given:
            raise ValueError(
                f"features and labels must have the inputs {sorted(signature.inputs)} of the "
                f"SavedModel. Received: {sorted(map(str, given))}"
            )
        tensor, dtype = given[key], tf.as_dtype(info.dtype)
        if tensor.dtype != dtype or not tensor.shape.is_compatible_with(info.tensor_shape):
            shape = tf.TensorShape(info.tensor_shape)
            raise ValueError(f"{key!r} must be {dtype.name} of shape {shape}. Received: {tensor}")
        fed[_op_name(info.name)] = tensor
    return fed


def _metrics(outputs: dict[str, Any]) -> dict[str, Any]:
    """(value, update_op) of each metric that has both."""
    found = {}
    for key, value in outputs.items():
        name, _, kind = key.rpartition("/")
        update = outputs.get(f"{name}/update_op")
        if key.startswith("metrics/") and kind == "value" and update is not None:
            found[name] = (value, update)
    return found


def _asset_files(meta: Any) -> list[Any]:
    found = []
    for packed in meta.collection_def[_ASSETS].any_list.value:
        asset = meta_graph_pb2.AssetFileDef()
        packed.Unpack(asset)
        found.append(asset)
    return found


def _init_op(meta: Any) -> Any:
    """What must run besides the restore: tables, local variables."""
    for name in _INITS:
        found = tf.get_collection(name)
        if found:
            return found[0]
    if _INIT_SIGNATURE in meta.signature_def:
        (info,) = meta.signature_def[_INIT_SIGNATURE].outputs.values()
        return tf.get_default_graph().as_graph_element(info.name)
    return None


def _add_collections(meta: Any) -> None:
    """The exported graph's collections, its variables one object each."""
    only = meta_graph_pb2.MetaGraphDef(meta_info_def=meta.meta_info_def)
    for name, collection in meta.collection_def.items():
        only.collection_def[name].CopyFrom(collection)
    tf.train.import_meta_graph(only)
