"""`AsyncCheckpointSaverHook`: saves while training goes on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["AsyncCheckpointSaverHook"]


class AsyncCheckpointSaverHook(tf.train.CheckpointSaverHook):
    """A ``CheckpointSaverHook`` that saves in a thread of its own.

    The first checkpoint and those of a schedule are written beside the training: their variables
    may be some steps ahead of the step in their name. While one is written no other is begun. The
    last one, when training ends, is exact.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: int | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[Any] | None = None,
    ) -> None:
        """Checks the arguments.

        Args:
          checkpoint_dir: Where to save.
          save_secs: Every so many seconds.
          save_steps: Every so many steps; one of the two.
          saver: Saves; None for the graph's saver, or the scaffold's.
          checkpoint_basename: What checkpoints are called.
          scaffold: Has the saver; not with saver.
          listeners: ``CheckpointSaverListener`` objects.

        Raises:
          ValueError: If not exactly one of save_secs and save_steps is given, or saver and scaffold
            both.
        """
        super().__init__(
            checkpoint_dir, save_secs, save_steps, saver, checkpoint_basename, scaffold, listeners
        )
        self._thread: threading.Thread | None = None
        self._last: int | None = None

    def _save(self, session: Any, step: int) -> bool:
        """Begins to save, unless a checkpoint is being written."""
        if self._thread is not None and self._thread.is_alive():
            tf.logging.info("A checkpoint is still being written: none at step %d.", step)
            return False
        self._last = step
        save = super()._save

        def run() -> None:
            with session.graph.as_default():
                save(session, step)

        self._thread = threading.Thread(target=run)
        self._thread.start()
        return False

    def end(self, session: Any) -> None:
        """Waits for the checkpoint that is being written, and writes the last one."""
        if self._thread is not None:
            self._thread.join()
        step = session.run(self._global_step_tensor)
        if step != self._last:
            super()._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)
