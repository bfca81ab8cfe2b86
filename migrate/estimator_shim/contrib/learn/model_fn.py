"""The mode keys of contrib.learn."""

from __future__ import annotations

__all__ = ["ModeKeys"]


class ModeKeys:
    """`migrate.estimator_shim.ModeKeys` by its older names: ``INFER`` for ``PREDICT``.

    >>> ModeKeys.INFER
    'infer'
    """

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks a mode.

        Args:
          key: The mode.

        Raises:
          ValueError: If it is none.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"The mode must be 'train', 'eval' or 'infer'. Received: {key!r}")
