"""`Estimator.predict`: a generator over a session."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _graph
from migrate.estimator_shim.mode_keys import ModeKeys


def _wanted(predictions: Any, keys: Any) -> Any:
    """Those of the predictions that are asked for."""
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError(
            "predict_keys choose from a dict, but the model_fn's predictions are a tensor. "
            f"Received: predict_keys={keys!r}"
        )
    keys = [keys] if isinstance(keys, str) else list(keys)
    chosen = {k: v for k, v in predictions.items() if k in keys}
    if not chosen:
        raise ValueError(
            f"predict_keys must name some of the predictions {sorted(predictions)}. "
            f"Received: {keys!r}"
        )
    return chosen


def _batch_length(batch: dict[str, Any]) -> int:
    sizes = {name: value.shape[0] for name, value in batch.items()}
    if len(set(sizes.values())) != 1:
        raise ValueError(
            "All predictions must have the same batch size to be yielded one by one; set "
            f"yield_single_examples=False. Received: {sizes}"
        )
    return int(next(iter(sizes.values())))


def _examples(batch: Any, single: bool) -> Iterator[Any]:
    if not single:
        yield batch
    elif isinstance(batch, dict):
        for i in range(_batch_length(batch)):
            yield {name: value[i] for name, value in batch.items()}
    else:
        yield from batch


def predict(
    estimator: Any,
    input_fn: Callable[..., Any],
    predict_keys: Any,
    hooks: list[Any],
    checkpoint_path: str | None,
    single: bool,
) -> Iterator[Any]:
    """See `Estimator.predict`.

    The graph is the default one only while it is needed, never while the caller holds a value.
    """
    checkpoint = checkpoint_path or estimator.latest_checkpoint()
    if not checkpoint:
        tf.logging.info(
            "No checkpoint in model_dir %s: predicting with initial values.", estimator.model_dir
        )
    with _graph.new_graph(estimator, placed=False) as graph:
        spec, input_hooks = _graph.build(estimator, input_fn, ModeKeys.PREDICT)
        _graph.warm_start(estimator, checkpoint)
        predictions = _wanted(spec.predictions, predict_keys)
        creator = tf.train.ChiefSessionCreator(
            spec.scaffold,
            master=estimator._config.master,
            config=estimator._session_config,
            checkpoint_filename_with_path=checkpoint,
        )
        with _graph.explain_restore(checkpoint):
            session = tf.train.MonitoredSession(
                creator, [*input_hooks, *hooks, *spec.prediction_hooks]
            )
    try:
        while True:
            with graph.as_default():
                if session.should_stop():
                    break
                batch = session.run(predictions)
            yield from _examples(batch, single)
    except BaseException:  # also GeneratorExit, when the caller stops asking
        with graph.as_default():
            if not session.__exit__(*sys.exc_info()):
                raise
    else:
        with graph.as_default():
            session.__exit__(None, None, None)
