"""The hooks that `Estimator.train` adds by itself.

They do what TF1's stock hooks do, at the same steps and with the same events, and besides know how
many steps they may miss (`wait`): these run many to a session call (see `_steps`).
"""

from __future__ import annotations

import os
import time
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim._loop import SCOPE

_FOREVER = 1 << 60
_SAVE = "model.ckpt"


def step_after(train_op: Any) -> Any:
    """The global step as it is after a step, whenever a session call fetches it.

    The variable itself would not do: what a fetch reads of it depends on which operation is first.
    """
    with tf.name_scope(f"{SCOPE}/"), tf.control_dependencies([train_op]):
        return tf.train.get_global_step().read_value()


class LoggingHook(tf.train.SessionRunHook):
    """Logs loss and global step at the first step and every so many steps after it."""

    def __init__(self, loss: Any, step: Any, every: int) -> None:
        self._fetches = {"loss": loss, "step": step}
        self._every = every
        self._count = 0
        self._last: int | None = None
        self._time = 0.0

    def begin(self) -> None:
        self._count, self._last = 0, None

    def wait(self) -> int:
        """How many steps this hook need not see from here."""
        return 0 if self._last is None else self._last + self._every - self._count

    def advance(self, steps: int) -> None:
        """So many steps were made without it."""
        self._count += steps

    def before_run(self, run_context: Any) -> Any:
        if self.wait() <= 0:
            return tf.train.SessionRunArgs(self._fetches)
        return None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results is not None:
            self._log(run_values.results)
            self._last = self._count
        self._count += 1

    def _log(self, values: dict[str, Any]) -> None:
        now = time.time()
        took = "" if self._last is None else f" ({now - self._time:.3f} sec)"
        self._time = now
        tf.logging.info("loss = %s, step = %s%s", values["loss"], values["step"], took)


class CounterHook(tf.train.SessionRunHook):
    """Steps per second, as a line of the log and as the event ``global_step/sec``."""

    def __init__(self, every: int, folder: str, after: Any) -> None:
        self._every = every
        self._folder = folder
        self._after = after
        self._now = 0
        self._last: int | None = None
        self._time = 0.0
        self._writer: Any = None

    def begin(self) -> None:
        self._writer = tf.summary.FileWriterCache.get(self._folder)
        self._last = None

    def wait(self) -> int:
        """How many steps this hook need not see from here."""
        return 0 if self._last is None else self._last + self._every - self._now - 1

    def advance(self, steps: int) -> None:
        """So many steps were made without it."""
        self._now += steps

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._after)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        early = self.wait() > 0
        self._now = step = int(run_values.results)
        if self._last is not None:
            if early or step == self._last:
                return
            self._record(step, (step - self._last) / max(time.time() - self._time, 1e-9))
        self._last, self._time = step, time.time()

    def _record(self, step: int, speed: float) -> None:
        value = tf.Summary.Value(tag="global_step/sec", simple_value=speed)
        self._writer.add_summary(tf.Summary(value=[value]), step)
        tf.logging.info("global_step/sec: %g", speed)


class SummaryHook(tf.train.SessionRunHook):
    """Writes the merged summaries at the first step and every so many steps after it.

    As in TF1 a step is due by what the one before it came to, plus one: it matters where train_op
    does not add exactly one to the global step.
    """

    def __init__(self, every: int, folder: str, scaffold: Any, after: Any) -> None:
        self._every = every
        self._folder = folder
        self._scaffold = scaffold
        self._after = after
        self._now = 0
        self._next: int | None = None
        self._last: int | None = None
        self._writer: Any = None

    def begin(self) -> None:
        self._writer = tf.summary.FileWriterCache.get(self._folder)
        self._next = self._last = None

    def wait(self) -> int:
        """How many steps this hook need not see from here."""
        if self._last is None or self._next is None:
            return 0
        return self._last + self._every - self._next

    def advance(self, steps: int) -> None:
        """So many steps were made without it."""
        self._now += steps
        if self._next is not None:
            self._next += steps

    def before_run(self, run_context: Any) -> Any:
        fetches = {"step": self._after}
        if self.wait() <= 0 and self._scaffold.summary_op is not None:
            fetches["summary"] = self._scaffold.summary_op
        return tf.train.SessionRunArgs(fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = int(run_values.results["step"])
        if self._next is None:
            started = tf.SessionLog(status=tf.SessionLog.START)
            self._writer.add_session_log(started, step)
        if self.wait() <= 0:
            self._last, self._next = step, step + 1
            if "summary" in run_values.results:
                self._writer.add_summary(run_values.results["summary"], step)
        else:
            self._next = self._now + 2
        self._now = step

    def end(self, session: Any) -> None:
        self._writer.flush()


class SaverHook(tf.train.CheckpointSaverHook):
    """Saves at the start, by steps or by seconds, and at the end.

    The graph that goes into ``graph.pbtxt``, the event file and the ``.meta`` files is the user's:
    what `_steps` adds is left out, so that the files are those of TF1.
    """

    def __init__(
        self,
        folder: str,
        secs: float | None,
        steps: int | None,
        scaffold: Any,
        listeners: list[Any],
        plan: Any,
        after: Any,
    ) -> None:
        super().__init__(folder, secs, steps, scaffold=scaffold, listeners=listeners)
        self._folder = folder
        self._path = os.path.join(folder, _SAVE)
        self._secs, self._every = secs, steps
        self._owner = scaffold
        self._heard = listeners
        self._plan = plan
        self._after = after
        self._now = 0
        self._last: int | None = None
        self._time = 0.0
        self._writer: Any = None
        self._step: Any = None
        self._meta: Any = None

    def begin(self) -> None:
        self._writer = tf.summary.FileWriterCache.get(self._folder)
        self._step = tf.train.get_global_step()
        for listener in self._heard:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = int(session.run(self._step))
        graph_def = self._plan.graph_def(session.graph)
        tf.io.write_graph(graph_def, self._folder, "graph.pbtxt")
        saver = self._the_saver()
        self._meta = _meta_graph(session.graph, graph_def, saver)
        event = tf.Event(wall_time=time.time(), graph_def=graph_def.SerializeToString())
        self._writer.add_event(event)
        self._writer.add_meta_graph(self._meta)
        self._now = step
        self._save_now(session, step)
        self._last, self._time = step, time.time()

    def wait(self) -> int:
        """How many steps this hook need not see from here."""
        if self._last is None:
            return 0
        if self._secs is not None:
            return 0 if time.time() >= self._time + self._secs else _FOREVER
        return self._last + (self._every or _FOREVER) - self._now - 1

    def advance(self, steps: int) -> None:
        """So many steps were made without it."""
        self._now += steps

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._after)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        # As in TF1 a step is due by what the one before it came to: it matters where train_op adds
        # more than one to the global step.
        due = self.wait() <= 0
        self._now = step = int(run_values.results)
        if due and self._last is not None and step != self._last:
            self._last, self._time = step, time.time()
            if self._save_now(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        step = int(session.run(self._step))
        if step != self._last:
            self._save_now(session, step)
        for listener in self._heard:
            listener.end(session, step)
        self._writer.flush()

    def save_last(self, session: Any) -> None:
        """Saves before the process dies; nobody is told.

        Args:
          session: The raw session.
        """
        step = int(session.run(self._step))
        if step != self._last:
            self._write(session, step)
            self._writer.flush()

    def _the_saver(self) -> Any:
        if self._owner.saver is not None:
            return self._owner.saver
        savers = tf.get_collection(tf.GraphKeys.SAVERS)
        if len(savers) != 1:
            raise RuntimeError(
                "There must be exactly one saver in the collection GraphKeys.SAVERS, or one in "
                f"the Scaffold. Received: {len(savers)}"
            )
        return savers[0]

    def _save_now(self, session: Any, step: int) -> bool:
        """Saves; whether a listener wants training to stop."""
        tf.logging.info("Saving checkpoints for %d into %s.", step, self._path)
        for listener in self._heard:
            listener.before_save(session, step)
        self._write(session, step)
        stop = False
        for listener in self._heard:
            if listener.after_save(session, step):
                tf.logging.info("A CheckpointSaverListener asks to stop: %r", listener)
                stop = True
        return stop

    def _write(self, session: Any, step: int) -> None:
        saver = self._the_saver()
        try:
            path = saver.save(session, self._path, global_step=step, write_meta_graph=False)
            if path:
                _write_atomically(f"{path}.meta", self._meta.SerializeToString())
        except (tf.errors.AbortedError, tf.errors.UnavailableError):
            raise  # a server is gone: the session recovers
        except tf.errors.OpError as e:
            raise _unsaved(e, f"{self._path}-{step}", self._folder) from e
        status = tf.SessionLog(status=tf.SessionLog.CHECKPOINT, checkpoint_path=self._path)
        self._writer.add_session_log(status, step)


def _unsaved(error: Any, path: str, folder: str) -> Exception:
    """The error for a checkpoint that could not be written, often because the disk is full."""
    kept = tf.train.latest_checkpoint(folder)
    then = f"training continues from {kept!r}" if kept else "there is no checkpoint before it"
    message = (
        f"The checkpoint {path!r} could not be written. Make room on the disk, or look at the "
        f"folder's permissions, and train again: {then}. ({error.message.splitlines()[0]})"
    )
    # A file that is too large gives OutOfRangeError, which sessions take for the input's end.
    kind = type(error)
    if kind is tf.errors.OutOfRangeError:
        kind = tf.errors.ResourceExhaustedError
    unsaved: Exception = kind(None, None, message)
    return unsaved


def _meta_graph(graph: Any, graph_def: Any, saver: Any) -> Any:
    with graph.as_default():
        return tf.train.export_meta_graph(graph_def=graph_def, saver_def=saver.saver_def)


def _write_atomically(path: str, content: bytes) -> None:
    part = f"{path}.part"
    with tf.io.gfile.GFile(part, "wb") as f:
        f.write(content)
    tf.io.gfile.rename(part, path, overwrite=True)


class LastBegin(tf.train.SessionRunHook):
    """The last hook of all: the graph is complete when it begins, and not yet finalized."""

    def __init__(self, graph: Any, plan: Any) -> None:
        self._graph = graph
        self._plan = plan

    def begin(self) -> None:
        self._plan.prepare(self._graph)
