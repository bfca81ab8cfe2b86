"""The loop of training, and how it makes several steps in one session call."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

WORTHWHILE = 200


class Plan:
    """Decides step by step what a session call does."""

    def __init__(self, spec: Any) -> None:
        self.fetches = [spec.train_op, spec.loss]
        self.watched: list[Any] = []
        self.last_hook: Any = None
        self.alone = False
        self.loss: Any = None
        self.steps_done = 0

    def watch(self, hook: Any) -> Any:
        """Registers a hook that says how many steps it may miss."""
        self.watched.append(hook)
        return hook

    def stop(self, hook: Any, steps: int | None, max_steps: int | None) -> Any:
        """Registers the hook that ends training."""
        self.last_hook = hook
        return hook

    def prepare(self, graph: Any) -> None:
        """Adds what is needed to the graph."""

    def graph_def(self, graph: Any) -> Any:
        """The graph as the user knows it."""
        return graph.as_graph_def(add_shapes=True)

    def run(self, session: Any) -> None:
        """Makes steps until the session is to stop."""
        while not session.should_stop():
            _, self.loss = session.run(self.fetches)
            self.steps_done += 1
