"""Exports as functions; since 1.15 they are methods of `Estimator`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from migrate.estimator_shim.mode_keys import ModeKeys

__all__ = ["export_all_saved_models", "export_saved_model_for_mode"]


def export_saved_model_for_mode(
    estimator: Any,
    export_dir_base: str,
    input_receiver_fn: Callable[[], Any],
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
    mode: str = ModeKeys.PREDICT,
) -> Any:
    """See `Estimator.export_saved_model`.

    Args:
      estimator: The `Estimator`.
      export_dir_base: The folder of the exports.
      input_receiver_fn: Returns the mode's receiver.
      assets_extra: See `Estimator.export_saved_model`.
      as_text: See `Estimator.export_saved_model`.
      checkpoint_path: See `Estimator.export_saved_model`.
      mode: The mode to export.

    Returns:
      The path of the new folder, as bytes.
    """
    return estimator.export_saved_model(
        export_dir_base, input_receiver_fn, assets_extra, as_text, checkpoint_path, mode
    )


def export_all_saved_models(
    estimator: Any,
    export_dir_base: str,
    input_receiver_fn_map: Mapping[str, Callable[[], Any]],
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
) -> Any:
    """See `Estimator.experimental_export_all_saved_models`.

    Args:
      estimator: The `Estimator`.
      export_dir_base: The folder of the exports.
      input_receiver_fn_map: Mode -> function that returns the mode's receiver.
      assets_extra: See `Estimator.export_saved_model`.
      as_text: See `Estimator.export_saved_model`.
      checkpoint_path: See `Estimator.export_saved_model`.

    Returns:
      The path of the new folder, as bytes.
    """
    return estimator.experimental_export_all_saved_models(
        export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path
    )
