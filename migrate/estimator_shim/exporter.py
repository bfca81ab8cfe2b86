"""What `train_and_evaluate` exports, and when."""

from __future__ import annotations

import abc
import contextlib
import os
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["BestExporter", "Exporter", "FinalExporter", "LatestExporter"]


class Exporter(abc.ABC):
    """Exports a model after an evaluation. Subclass it for exports of your own."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of the folder below ``model_dir/export``."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports a checkpoint, or decides not to.

        Args:
          estimator: The Estimator.
          export_path: The folder for the exports of this exporter.
          checkpoint_path: The checkpoint that was evaluated.
          eval_result: What `Estimator.evaluate` returned for it.
          is_the_final_export: Whether training has ended.

        Returns:
          The folder of the export, or None.
        """


class _SavedModelExporter(Exporter):
    """Exports a SavedModel with fixed options."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any,
        assets_extra: Mapping[str, str] | None,
        as_text: bool,
    ) -> None:
        self._name = name
        self._serving_input_receiver_fn = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text

    @property
    def name(self) -> str:
        """See `Exporter`."""
        return self._name

    def _export(self, estimator: Any, export_path: str, checkpoint_path: str) -> Any:
        return estimator.export_saved_model(
            export_path,
            self._serving_input_receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )


class FinalExporter(_SavedModelExporter):
    """Exports once, when training has ended."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
    ) -> None:
        """Takes the options of `Estimator.export_saved_model`.

        Args:
          name: The name of the folder below ``model_dir/export``.
          serving_input_receiver_fn: Returns a `ServingInputReceiver`.
          assets_extra: See `Estimator.export_saved_model`.
          as_text: See `Estimator.export_saved_model`.
        """
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports if training has ended; see `Exporter`."""
        if not is_the_final_export:
            return None
        return self._export(estimator, export_path, checkpoint_path)


class LatestExporter(_SavedModelExporter):
    """Exports after every evaluation and keeps the newest exports."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        """Takes the options of `Estimator.export_saved_model`.

        Args:
          name: The name of the folder below ``model_dir/export``.
          serving_input_receiver_fn: Returns a `ServingInputReceiver`.
          assets_extra: See `Estimator.export_saved_model`.
          as_text: See `Estimator.export_saved_model`.
          exports_to_keep: How many exports stay; None for all.

        Raises:
          ValueError: If exports_to_keep is not positive.
        """
        _check_keep(exports_to_keep)
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        self._exports_to_keep = exports_to_keep

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports and deletes the oldest exports; see `Exporter`."""
        path = self._export(estimator, export_path, checkpoint_path)
        collect_garbage(export_path, self._exports_to_keep)
        return path


def loss_smaller(best_eval_result: Any, current_eval_result: Any) -> bool:
    """The comparison of `BestExporter`: whether the loss of the second is smaller.

    Args:
      best_eval_result: What `Estimator.evaluate` returned for the best checkpoint.
      current_eval_result: The same for the current one.

    Returns:
      Whether the current one is better.

    Raises:
      ValueError: If one of them has no "loss".
    """
    for which, result in (("best", best_eval_result), ("current", current_eval_result)):
        if not result or "loss" not in result:
            raise ValueError(f"The {which} evaluation has no 'loss'. Received: {result!r}")
    return bool(best_eval_result["loss"] > current_eval_result["loss"])


class BestExporter(_SavedModelExporter):
    """Exports whenever an evaluation is the best so far.

    What was best before a restart is read from the event files of the evaluation.
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Callable[[], Any] | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = loss_smaller,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        """Takes the options of `Estimator.export_saved_model`, and what "best" means.

        Args:
          name: The name of the folder below ``model_dir/export``.
          serving_input_receiver_fn: Returns a `ServingInputReceiver`.
          event_file_pattern: Where the earlier evaluations are, relative to model_dir; None to
            start afresh. For a named evaluation it is "eval_NAME/*.tfevents.*".
          compare_fn: Called with ``best_eval_result`` and ``current_eval_result``: whether the
            current one is better.
          assets_extra: See `Estimator.export_saved_model`.
          as_text: See `Estimator.export_saved_model`.
          exports_to_keep: How many exports stay; None for all.

        Raises:
          ValueError: If compare_fn has other arguments, or exports_to_keep is not positive.
        """
        from migrate.estimator_shim.util import fn_args

        if compare_fn is None:
            raise ValueError("BestExporter needs a compare_fn. Received: None")
        names = fn_args(compare_fn)
        if set(names) != {"best_eval_result", "current_eval_result"}:
            raise ValueError(
                "compare_fn must take best_eval_result and current_eval_result. "
                f"Received: a function of {names}"
            )
        _check_keep(exports_to_keep)
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        self._compare_fn = compare_fn
        self._pattern = event_file_pattern
        self._exports_to_keep = exports_to_keep
        self._model_dir: str | None = None
        self._best: dict[str, Any] | None = None

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports if the evaluation is the best so far; see `Exporter`."""
        if self._model_dir != estimator.model_dir and self._pattern:
            self._model_dir = estimator.model_dir
            self._best = self._best_so_far(os.path.join(estimator.model_dir, self._pattern))
        better = self._best is None or self._compare_fn(
            best_eval_result=self._best, current_eval_result=eval_result
        )
        if not better:
            return None
        tf.logging.info("Exporting the best model so far: %s", eval_result)
        self._best = eval_result
        path = self._export(estimator, export_path, checkpoint_path)
        collect_garbage(export_path, self._exports_to_keep)
        return path

    def _best_so_far(self, pattern: str) -> dict[str, Any] | None:
        """The best of the evaluations in the event files, or None."""
        best: dict[str, Any] | None = None
        for path in sorted(tf.io.gfile.glob(pattern)):
            for event in tf.train.summary_iterator(path):
                result = {
                    v.tag: v.simple_value
                    for v in event.summary.value
                    if v.WhichOneof("value") == "simple_value"
                }
                if result and (
                    best is None
                    or self._compare_fn(best_eval_result=best, current_eval_result=result)
                ):
                    best = result
        return best


def _check_keep(exports_to_keep: int | None) -> None:
    if exports_to_keep is not None and exports_to_keep <= 0:
        raise ValueError(
            f"exports_to_keep must be positive, or None for all. Received: {exports_to_keep}"
        )


def collect_garbage(base: str, keep: int | None) -> None:
    """Deletes all but the newest exports.

    Args:
      base: The folder of the exports; those are called after the time in seconds.
      keep: How many stay; None for all.
    """
    if keep is None:
        return
    stamps = [n.rstrip("/") for n in tf.io.gfile.listdir(base)]
    stamps = sorted((n for n in stamps if n.isdigit() and len(n) == 10), key=int)
    for name in stamps[:-keep]:
        with contextlib.suppress(tf.errors.NotFoundError):  # another process was faster
            tf.io.gfile.rmtree(os.path.join(base, name))
