"""The loop of training, and how it makes several steps in one session call.

Half of a small step is Python's way into the session and back. Between two steps at which a hook
has something to do - a line of the log, a summary, a checkpoint, the end - nobody looks at single
steps, if all hooks are the Estimator's own. `Plan` then runs them in a loop inside the graph: a
function whose body is a copy of the operations of a step. Variables in it are the session's
(resources and reference variables are found by their names), iterators, queues and tables are
passed in. Numbers, global steps and files are those of single steps:

* the loop stops at a loss that is not a number, so that nothing trains on;
* where the input ends, the steps before it have been made;
* a graph with operations whose state is their own (random numbers, Python functions, prints) is
  not copied, since the copy would have another state;
* what is added to the graph is left out of ``graph.pbtxt``, event files and ``.meta`` files.

Set the environment variable MIGRATE_ESTIMATOR_SINGLE_STEPS to 1 to do without it.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _guard, _loop

#: With fewer steps than these to make, building the loop costs more than it saves.
WORTHWHILE = 200
#: How long one session call may take, so that signals and clocks are looked at.
_LONGEST_CALL = 0.5
_MOST = 10_000
_FEW = 8


class Plan:
    """Decides, from step to step, what a session call does."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.watched: list[Any] = []
        self.last_hook: Any = None
        self.alone = False
        self.loss: Any = None
        self.steps_done = 0
        self.termination = _guard.Termination()
        #: Saves the state as it is, given the raw session.
        self.save: Callable[[Any], None] | None = None
        self._loop: _loop.Loop | None = None
        self._known_functions: set[str] = set()
        self._per_step = 0.0
        self._first = 0
        self._limits: tuple[int | None, int | None] = (None, None)

    def watch(self, hook: Any) -> Any:
        """Registers a hook that says how many steps it may miss."""
        self.watched.append(hook)
        return hook

    def stop(self, hook: Any, steps: int | None, max_steps: int | None) -> Any:
        """Registers the hook that ends training."""
        self.last_hook = hook
        self._limits = (steps, max_steps)
        return hook

    def prepare(self, graph: Any) -> None:
        """Adds the loop to the graph, if steps may go unseen and the graph can be copied.

        Args:
          graph: The graph, complete but not finalized.
        """
        self._known_functions = {f.signature.name for f in graph.as_graph_def().library.function}
        if self.alone and os.environ.get("MIGRATE_ESTIMATOR_SINGLE_STEPS") != "1":
            self._loop = _loop.build(graph, self.spec.train_op, self.spec.loss)

    def graph_def(self, graph: Any) -> Any:
        """The graph as the user knows it.

        Args:
          graph: The graph.

        Returns:
          A GraphDef without what this package added for itself.
        """
        whole = graph.as_graph_def(add_shapes=True)
        kept = tf.GraphDef(versions=whole.versions)
        kept.node.extend(n for n in whole.node if not n.name.startswith(f"{_loop.SCOPE}/"))
        known = self._known_functions
        kept.library.function.extend(f for f in whole.library.function if f.signature.name in known)
        kept.library.gradient.extend(whole.library.gradient)
        return kept

    def run(self, session: Any) -> None:
        """Makes steps until the session is to stop.

        Args:
          session: The MonitoredSession.
        """
        fetches = [self.spec.train_op, self.spec.loss]

        def step_fn(step_context: Any) -> Any:
            steps = self._unseen()
            if steps > 0:
                self._make(step_context.session, steps)
            return step_context.run_with_hooks(fetches)

        if self._loop is not None:
            self._first = self._global_step(session)
        while not session.should_stop():
            if self.termination.came:
                self._terminate(session)
            if self._loop is None:
                _, self.loss = session.run(fetches)
                self.steps_done += 1
                continue
            _, self.loss = session.run_step_fn(step_fn)
            self.steps_done += 1
            if self.steps_done == 1 and self._global_step(session) != self._first + 1:
                self._loop = None  # not one per step: the hooks must see every step

    def _terminate(self, session: Any) -> None:
        """Saves, and dies of the signal that came."""
        assert self.save is not None
        save = self.save
        tf.logging.warning("SIGTERM: saving a last checkpoint.")
        session.run_step_fn(lambda step_context: save(step_context.session))
        os.kill(os.getpid(), signal.SIGTERM)

    def _global_step(self, session: Any) -> int:
        variable = tf.train.get_global_step()

        def step_fn(step_context: Any) -> Any:
            return step_context.session.run(variable)

        return int(session.run_step_fn(step_fn))

    def _unseen(self) -> int:
        """How many steps nobody needs to see, from here."""
        if not self.steps_done:
            return 0
        waits = [hook.wait() for hook in self.watched]
        steps, max_steps = self._limits
        if steps is not None:
            waits.append(steps - self.steps_done - 1)
        if max_steps is not None:
            waits.append(max_steps - self._first - self.steps_done - 1)
        waits.append(int(_LONGEST_CALL / self._per_step) if self._per_step else _FEW)
        return min(*waits, _MOST)

    def _make(self, session: Any, steps: int) -> None:
        """Makes unseen steps.

        Raises:
          NanLossDuringTrainingError: As the hook of single steps does.
        """
        assert self._loop is not None
        self.loss = None  # if the input ends now, the last loss is not known
        started = time.time()
        done, self.loss = self._loop.run(session, steps)
        self._per_step = (time.time() - started) / max(done, 1)
        self.steps_done += done
        for hook in self.watched:
            hook.advance(done)
        if self.loss != self.loss:
            tf.logging.error("The loss is not a number.")
            raise tf.train.NanLossDuringTrainingError
