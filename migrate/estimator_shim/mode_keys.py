"""The three modes of a model_fn."""

from __future__ import annotations

__all__ = ["ModeKeys"]


class ModeKeys:
    """What an Estimator calls its ``model_fn`` for.

    The values are the strings of TF1, so that code which compares ``mode == "train"`` still works:

    >>> ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT
    ('train', 'eval', 'infer')

    * ``TRAIN``: `Estimator.train`; the spec needs ``loss`` and ``train_op``.
    * ``EVAL``: `Estimator.evaluate`; the spec needs ``loss``.
    * ``PREDICT``: `Estimator.predict` and export; the spec needs ``predictions``.
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


#: In the order in which messages name them.
ALL = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)
