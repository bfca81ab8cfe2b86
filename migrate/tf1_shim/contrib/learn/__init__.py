"""``tf.contrib.learn``: `ModeKeys`, data sets; estimators are in ``migrate.estimator_shim``."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = ["ModeKeys", "datasets"]

__getattr__ = _lazy.attributes(__name__, ("datasets",), "tf.contrib.learn")


class ModeKeys:
    """The names of the modes. They differ from those of ``tf.estimator.ModeKeys``."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Check a mode.

        Raises:
          ValueError: If it is none of the three.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")
