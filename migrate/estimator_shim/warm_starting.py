"""Starting with the variables of another model's checkpoint."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

__all__ = ["VocabInfo", "WarmStartSettings"]

VocabInfo = tf.train.VocabInfo


class _WarmStartSettings(NamedTuple):
    ckpt_to_initialize_from: Any
    vars_to_warm_start: Any
    var_name_to_vocab_info: Any
    var_name_to_prev_var_name: Any


class WarmStartSettings(_WarmStartSettings):
    """Which variables start from which checkpoint. Used only while there is no own checkpoint.

    * ``ckpt_to_initialize_from``: a checkpoint, or the folder of one;
    * ``vars_to_warm_start``: a regular expression on names of trainable variables (all by
      default), a list of regular expressions on all global variables, a list of variables, or
      None for only those of the next two fields;
    * ``var_name_to_vocab_info``: variable name -> `VocabInfo`, for vocabularies that changed;
    * ``var_name_to_prev_var_name``: variable name -> its name in the checkpoint.

    >>> WarmStartSettings("/tmp/old", vars_to_warm_start=".*dense.*").vars_to_warm_start
    '.*dense.*'
    """

    __slots__ = ()

    def __new__(
        cls,
        ckpt_to_initialize_from: str,
        vars_to_warm_start: Any = ".*",
        var_name_to_vocab_info: dict[str, Any] | None = None,
        var_name_to_prev_var_name: dict[str, str] | None = None,
    ) -> WarmStartSettings:
        """Checks the path.

        Args:
          ckpt_to_initialize_from: A checkpoint or a folder with one.
          vars_to_warm_start: See above.
          var_name_to_vocab_info: See above.
          var_name_to_prev_var_name: See above.

        Returns:
          The settings.

        Raises:
          ValueError: If the checkpoint's path is empty.
        """
        if not ckpt_to_initialize_from:
            raise ValueError(
                "WarmStartSettings needs ckpt_to_initialize_from. "
                f"Received: {ckpt_to_initialize_from!r}"
            )
        return super().__new__(
            cls,
            ckpt_to_initialize_from,
            vars_to_warm_start,
            var_name_to_vocab_info or {},
            var_name_to_prev_var_name or {},
        )


def settings_from(warm_start_from: Any) -> WarmStartSettings | None:
    """What ``Estimator(warm_start_from=...)`` means.

    Args:
      warm_start_from: None, a `WarmStartSettings`, a checkpoint, a folder with checkpoints, or
        the folder of a SavedModel.

    Returns:
      The settings, or None.

    Raises:
      ValueError: If it is anything else.
    """
    if warm_start_from is None or isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if isinstance(warm_start_from, (str, bytes, os.PathLike)):
        path = os.fspath(warm_start_from)
        path = path.decode() if isinstance(path, bytes) else path
        saved_model = os.path.join(path, tf.saved_model.SAVED_MODEL_FILENAME_PB)
        if tf.io.gfile.exists(saved_model):
            path = os.path.join(path, "variables", "variables")
        return WarmStartSettings(path)
    raise ValueError(
        "warm_start_from must be a path or a WarmStartSettings. "
        f"Received: {warm_start_from!r} of type {type(warm_start_from).__name__}"
    )
