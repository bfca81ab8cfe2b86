"""Lets ``fit`` of Keras 3 call its step for each batch, so that the step can be taken out.

``fit`` runs the step inside of a function that reads the dataset, which no other device can run.
Given batches in place of the dataset's iterator, Keras calls the step itself.

This runs beside ``recorder.py`` in the program's interpreter and imports nothing of the tool.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any


def step_by_batch(module: Any, tf: Any) -> None:
    """Change ``keras.src.backend.tensorflow.trainer``, where its trainer has the method."""
    plain = getattr(module.TensorFlowTrainer, "_make_function", None)
    if plain is None:
        return

    @functools.wraps(plain)
    def make(trainer: Any, step_function: Any) -> Any:
        function = plain(trainer, step_function)

        def by_batch(iterator: Any) -> Any:
            if not isinstance(iterator, tf.data.Iterator):
                return function(iterator)
            batches = [next(iterator)]  # at the end StopIteration, as ``fit`` expects
            batches += itertools.islice(iterator, trainer.steps_per_execution - 1)
            return function(batches)

        return by_batch

    module.TensorFlowTrainer._make_function = make
