"""Exports of contrib.learn: signatures, strategies, old exports."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import util
from migrate.estimator_shim.contrib.learn.constants import PredictionKey, ProblemType
from migrate.estimator_shim.contrib.learn.export_strategy import ExportStrategy
from migrate.estimator_shim.contrib.learn.utils import input_fn_utils
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.export import export as core_export

__all__ = [
    "DEFAULT_INPUT_ALTERNATIVE_KEY",
    "FEATURES_INPUT_ALTERNATIVE_KEY",
    "BestModelSelector",
    "build_all_signature_defs",
    "build_standardized_signature_def",
    "extend_export_strategy",
    "garbage_collect_exports",
    "get_input_alternatives",
    "get_most_recent_export",
    "get_output_alternatives",
    "get_temp_export_dir",
    "get_timestamped_export_dir",
    "make_best_model_export_strategy",
    "make_export_strategy",
    "make_parsing_export_strategy",
]

DEFAULT_INPUT_ALTERNATIVE_KEY = "default_input_alternative"
FEATURES_INPUT_ALTERNATIVE_KEY = "features_input_alternative"

_DEFAULT_OUTPUT = "default_output_alternative"
_FEATURE_KEYS = "input_feature_keys"  # a collection that exports of contrib.learn have
_LOSS = "loss"


def build_standardized_signature_def(
    input_tensors: dict[str, Any], output_tensors: dict[str, Any], problem_type: Any
) -> Any:
    """The signature that fits a problem: classify, regress, or else predict.

    Args:
      input_tensors: Name -> tensor.
      output_tensors: Name -> tensor.
      problem_type: One of `ProblemType`.

    Returns:
      A ``SignatureDef``.

    Raises:
      ValueError: If there are no inputs or no outputs.
    """
    if not input_tensors or not output_tensors:
        raise ValueError(
            "A signature needs inputs and outputs. "
            f"Received: {input_tensors!r} and {output_tensors!r}"
        )
    first = next(iter(input_tensors.values()))
    alone = len(input_tensors) == 1
    lone = next(iter(output_tensors.values())) if len(output_tensors) == 1 else None
    classes = output_tensors.get(PredictionKey.CLASSES)
    classes = None if classes is None or classes.dtype != tf.string else classes
    scores = output_tensors.get(PredictionKey.SCORES)
    scores = output_tensors.get(PredictionKey.PROBABILITIES) if scores is None else scores
    classifies = problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION)
    if alone and classifies:
        if classes is None and scores is None and lone is not None:
            classes, scores = (lone, None) if lone.dtype == tf.string else (None, lone)
        if classes is not None or scores is not None:
            return tf.saved_model.classification_signature_def(first, classes, scores)
    if alone and problem_type == ProblemType.LINEAR_REGRESSION and lone is not None:
        return tf.saved_model.regression_signature_def(first, lone)
    return tf.saved_model.predict_signature_def(input_tensors, output_tensors)


def get_input_alternatives(input_ops: Any) -> tuple[dict[str, Any], Any]:
    """What may be fed.

    Args:
      input_ops: What a serving_input_fn returned.

    Returns:
      ``({alternative: {name: tensor}}, features)``.

    Raises:
      ValueError: If there are no features.
    """
    found = {}
    if hasattr(input_ops, "default_inputs"):
        found[DEFAULT_INPUT_ALTERNATIVE_KEY] = input_ops.default_inputs
        features = input_ops.features
    else:
        features, _ = input_ops
    if not features:
        raise ValueError(f"serving_input_fn must return features. Received: {input_ops!r}")
    return found, features


def get_output_alternatives(
    model_fn_ops: Any, default_output_alternative_key: str | None = None
) -> tuple[dict[str, Any], str]:
    """What the signatures return.

    Args:
      model_fn_ops: A `ModelFnOps`.
      default_output_alternative_key: Which one is the default.

    Returns:
      ``({name: (ProblemType, {name: tensor})}, the default's name)``.

    Raises:
      ValueError: If the default is not there, or must be given and is not.
    """
    found = model_fn_ops.output_alternatives
    asked = default_output_alternative_key
    if not found and not asked:
        outputs = model_fn_ops.predictions
        outputs = outputs if isinstance(outputs, dict) else {PredictionKey.GENERIC: outputs}
        return {_DEFAULT_OUTPUT: (ProblemType.UNSPECIFIED, outputs)}, _DEFAULT_OUTPUT
    if asked and asked in (found or {}):
        return found, asked
    if not asked and len(found) == 1:
        return found, next(iter(found))  # None, of a head without a name
    names = sorted(map(str, found or {}))
    raise ValueError(f"default_output_alternative_key must be one of {names}. Received: {asked!r}")


def build_all_signature_defs(
    input_alternatives: dict[str, Any],
    output_alternatives: dict[str, Any],
    actual_default_output_alternative_key: str,
) -> dict[str, Any]:
    """All signatures: "input:output" of each pair, and the default one.

    Args:
      input_alternatives: See `get_input_alternatives`.
      output_alternatives: See `get_output_alternatives`.
      actual_default_output_alternative_key: The default's name.

    Returns:
      Name -> ``SignatureDef``.

    Raises:
      ValueError: If there are no default inputs.
    """
    default = input_alternatives.get(DEFAULT_INPUT_ALTERNATIVE_KEY)
    if not default:
        raise ValueError(
            f"There must be an input alternative {DEFAULT_INPUT_ALTERNATIVE_KEY!r}. "
            f"Received: {sorted(input_alternatives)}"
        )
    found = {
        f"{input_key}:{output_key or 'None'}": build_standardized_signature_def(inputs, outs, kind)
        for input_key, inputs in input_alternatives.items()
        for output_key, (kind, outs) in output_alternatives.items()
    }
    kind, outs = output_alternatives[actual_default_output_alternative_key]
    serving = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    found[serving] = build_standardized_signature_def(default, outs, kind)
    return found


def export(
    estimator: Any,
    base: str,
    serving_input_fn: Callable[[], Any],
    default_key: str | None,
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
    checkpoint: str,
    strip_default_attrs: bool,
) -> bytes:
    """See `Estimator.export_savedmodel` of contrib.learn."""
    final = get_timestamped_export_dir(base)
    part = get_temp_export_dir(final).decode()
    builder = tf.saved_model.Builder(part)
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step(graph)
        inputs, features = get_input_alternatives(serving_input_fn())
        for key in features:
            tf.add_to_collection(_FEATURE_KEYS, key)
        ops = estimator._call_model_fn(features, None, "infer")
        outputs, default = get_output_alternatives(ops, default_key)
        signatures = build_all_signature_defs(inputs, outputs, default)
        init = tf.group(tf.local_variables_initializer(), tf.tables_initializer())
        with tf.Session() as session:
            saver = ops.scaffold.saver if ops.scaffold is not None else None
            (saver or tf.train.Saver(sharded=True)).restore(session, checkpoint)
            builder.add_meta_graph_and_variables(
                session,
                [tf.saved_model.SERVING],
                signature_def_map=signatures,
                assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                main_op=init,
                strip_default_attrs=strip_default_attrs,
            )
    builder.save(as_text)
    for destination, source in (assets_extra or {}).items():
        target = os.path.join(part, "assets.extra", destination)
        tf.io.gfile.makedirs(os.path.dirname(target))
        tf.io.gfile.copy(source, target)
    tf.io.gfile.rename(part, final.decode())
    return final


def get_timestamped_export_dir(export_dir_base: Any) -> bytes:
    """A folder that does not exist yet, called after the time in seconds.

    Args:
      export_dir_base: The folder of the exports.

    Returns:
      Its path, as bytes.
    """
    base = os.fspath(export_dir_base)
    base = base.decode() if isinstance(base, bytes) else base
    return util.timestamped_dir(base).encode()


def get_temp_export_dir(timestamped_export_dir: bytes) -> bytes:
    """The folder in which an export is made before it gets its name.

    Args:
      timestamped_export_dir: The final folder.

    Returns:
      Its path, as bytes.
    """
    folder, name = os.path.split(timestamped_export_dir)
    return os.path.join(folder, b"temp-" + name)


def _exports(base: str) -> list[str]:
    """The exports in a folder, oldest first."""
    if not tf.io.gfile.isdir(base):
        return []
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(base)]
    return [os.path.join(base, n) for n in sorted(names) if len(n) == 10 and n.isdigit()]


def get_most_recent_export(export_dir_base: str) -> str | None:
    """The path of the newest export, or None.

    Args:
      export_dir_base: The folder of the exports.

    Returns:
      The path.
    """
    found = _exports(export_dir_base)
    return found[-1] if found else None


def garbage_collect_exports(export_dir_base: str, exports_to_keep: int | None) -> None:
    """Deletes old exports.

    Args:
      export_dir_base: The folder of the exports.
      exports_to_keep: How many stay; None for all.

    Raises:
      ValueError: If it is negative.
    """
    if exports_to_keep is None:
        return
    if exports_to_keep < 0:
        raise ValueError(f"exports_to_keep must not be negative. Received: {exports_to_keep}")
    found = _exports(export_dir_base)
    for path in found[: len(found) - exports_to_keep]:
        tf.io.gfile.rmtree(path)


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """A strategy called "Servo" that writes SavedModels.

    Args:
      serving_input_fn: Returns `InputFnOps` (or for tf.estimator's a ServingInputReceiver).
      default_output_alternative_key: See `Estimator.export_savedmodel` of contrib.learn.
      assets_extra: See there.
      as_text: See there.
      exports_to_keep: How many exports stay; None for all.
      strip_default_attrs: See there.

    Returns:
      An `ExportStrategy`.
    """

    def export_fn(
        estimator: Any,
        export_dir_base: str,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool | None = False,
    ) -> Any:
        more: dict[str, Any] = {}
        if not isinstance(estimator, Estimator):
            more["default_output_alternative_key"] = default_output_alternative_key
        elif default_output_alternative_key is not None:
            raise ValueError(
                "default_output_alternative_key is for Estimators of contrib.learn. "
                f"Received: {default_output_alternative_key!r}"
            )
        made = estimator.export_savedmodel(
            export_dir_base,
            serving_input_fn,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=bool(strip_default_attrs),
            **more,
        )
        garbage_collect_exports(export_dir_base, exports_to_keep)
        return made

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def make_parsing_export_strategy(
    feature_columns: Any,
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    target_core: bool = False,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """`make_export_strategy` for serialized ``tf.train.Example``.

    Args:
      feature_columns: ``tf.feature_column`` objects.
      default_output_alternative_key: See `make_export_strategy`.
      assets_extra: See there.
      as_text: See there.
      exports_to_keep: See there.
      target_core: Whether it is for an Estimator of tf.estimator.
      strip_default_attrs: See there.

    Returns:
      An `ExportStrategy`.
    """
    spec = tf.feature_column.make_parse_example_spec(feature_columns)
    build = (
        core_export.build_parsing_serving_input_receiver_fn
        if target_core
        else input_fn_utils.build_parsing_serving_input_fn
    )
    return make_export_strategy(
        build(spec),
        default_output_alternative_key,
        assets_extra,
        as_text,
        exports_to_keep,
        strip_default_attrs,
    )


def _less_loss(best: Any, candidate: Any) -> bool:
    for result in (best, candidate):
        if not result or _LOSS not in result:
            raise ValueError(f"An evaluation without loss can't be compared. Received: {result!r}")
    return bool(best[_LOSS] > candidate[_LOSS])


class BestModelSelector:
    """Remembers the best evaluation."""

    def __init__(
        self,
        event_file_pattern: str | None = None,
        compare_fn: Callable[[Any, Any], bool] | None = None,
    ) -> None:
        """Reads earlier evaluations.

        Args:
          event_file_pattern: Their event files; None for none.
          compare_fn: From (best, candidate) to whether the candidate is better; None for less loss.
        """
        self._better = compare_fn or _less_loss
        self._best: Any = None
        for path in tf.io.gfile.glob(event_file_pattern) if event_file_pattern else ():
            for event in tf.train.summary_iterator(path):
                if event.HasField("summary"):
                    values = [v for v in event.summary.value if v.HasField("simple_value")]
                    found = {v.tag: v.simple_value for v in values}
                    if self._best is None or self._better(self._best, found):
                        self._best = found

    def update(self, checkpoint_path: str, eval_result: Any) -> tuple[str, Any]:
        """Compares an evaluation.

        Args:
          checkpoint_path: The checkpoint.
          eval_result: Its metrics.

        Returns:
          Both if it is the best so far, else ``("", None)``.

        Raises:
          ValueError: If one of them is missing.
        """
        if not checkpoint_path or eval_result is None:
            raise ValueError(
                "BestModelSelector.update needs a checkpoint and its metrics. "
                f"Received: {checkpoint_path!r} and {eval_result!r}"
            )
        if self._best is None or self._better(self._best, eval_result):
            self._best = eval_result
            return checkpoint_path, eval_result
        return "", None


def make_best_model_export_strategy(
    serving_input_fn: Callable[[], Any],
    exports_to_keep: int | None = 1,
    model_dir: str | None = None,
    event_file_pattern: str | None = None,
    compare_fn: Callable[[Any, Any], bool] | None = None,
    default_output_alternative_key: str | None = None,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """A strategy called "best_model" that exports only what evaluates better than all before.

    Args:
      serving_input_fn: See `make_export_strategy`.
      exports_to_keep: See there.
      model_dir: Where the event files of earlier evaluations are.
      event_file_pattern: Their pattern below model_dir.
      compare_fn: See `BestModelSelector`.
      default_output_alternative_key: See `make_export_strategy`.
      strip_default_attrs: See there.

    Returns:
      An `ExportStrategy`.
    """
    base = make_export_strategy(
        serving_input_fn,
        default_output_alternative_key,
        exports_to_keep=exports_to_keep,
        strip_default_attrs=strip_default_attrs,
    )
    pattern = (
        os.path.join(model_dir, event_file_pattern) if model_dir and event_file_pattern else None
    )
    selector = BestModelSelector(pattern, compare_fn)

    def export_fn(
        estimator: Any, export_dir_base: str, checkpoint_path: str | None, eval_result: Any = None
    ) -> Any:
        path = checkpoint_path or tf.train.latest_checkpoint(estimator.model_dir)
        path, result = selector.update(path, eval_result)
        if not path:
            return ""
        folder = os.path.join(export_dir_base, os.path.basename(path))
        return base.export(estimator, folder, path, result)

    return ExportStrategy("best_model", export_fn)


def extend_export_strategy(
    base_export_strategy: ExportStrategy,
    post_export_fn: Callable[[Any, str], Any],
    post_export_name: str | None = None,
) -> ExportStrategy:
    """A strategy that works on what another one exported.

    Args:
      base_export_strategy: The other one.
      post_export_fn: From (its export, a folder) to a new export in that folder.
      post_export_name: The strategy's name; None for the other one's.

    Returns:
      An `ExportStrategy`.
    """

    def export_fn(estimator: Any, export_dir_base: str, checkpoint_path: str | None = None) -> Any:
        stamp = int(time.time())
        first = os.path.join(export_dir_base, f"temp-base-export-{stamp}")
        second = os.path.join(export_dir_base, f"temp-post-export-{stamp}")
        for folder in (first, second):
            if tf.io.gfile.exists(folder):
                raise RuntimeError(f"The folder {folder!r} is in the way of an export")
            tf.io.gfile.makedirs(folder)
        made = post_export_fn(
            base_export_strategy.export(estimator, first, checkpoint_path), second
        )
        made = made.decode() if isinstance(made, bytes) else made
        if not made.startswith(second):
            raise ValueError(f"post_export_fn must return a folder in {second}. Received: {made!r}")
        final = os.path.join(export_dir_base, os.path.relpath(made, second))
        tf.io.gfile.rename(made, final)
        for folder in (first, second):
            if tf.io.gfile.exists(folder):
                tf.io.gfile.rmtree(folder)
        return final

    return ExportStrategy(post_export_name or base_export_strategy.name, export_fn)
