"""Graphs in which layers of Keras 3 are called as tf.keras called them in TF1.

In TF1 each graph counted its layers from the start, so that the graphs of training and evaluation
had "dense/kernel" and "dense_1/kernel" both; Keras 3 counts on within a thread, and opens a scope
to build a layer and another one to call it, so that "dense_1" comes out as "dense_1_1".

The seeds of dropout and the like are variables of Keras 3 which nothing in a session would move on:
each step would drop the same units. Here, as in TF1, each step draws anew.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import tensorflow.compat.v1 as tf

_UIDS = "object_name_uids"


def _state() -> Any:
    """Keras' state of this thread; None as long as nobody has imported Keras."""
    module = sys.modules.get("keras.src.backend.common.global_state")
    return module.GLOBAL_STATE_TRACKER if module else None


class Graph(tf.Graph):
    """A graph in which a layer is called in the scope that it was built in."""

    def __init__(self) -> None:
        super().__init__()
        self._built: dict[int, tuple[Any, str]] = {}

    @contextlib.contextmanager
    def name_scope(self, name: str) -> Iterator[str]:
        """See ``tf.Graph``."""
        opened = getattr(_state(), "name_scope_stack", None)
        caller = opened[-1].caller if opened and opened[-1].name == name else None
        if type(caller).__name__ == "SeedGenerator":
            with super().name_scope(name) as scope:
                yield scope
            self._draw_anew(caller, scope)
            return
        # Of each call of a layer the first one is to build it, if it isn't built yet.
        first = self._built.pop(id(caller), None)
        with super().name_scope(first[1] if first else name) as scope:
            if caller is not None and first is None:
                self._built[id(caller)] = caller, scope
            yield scope

    def _draw_anew(self, generator: Any, scope: str) -> None:
        """Gives a generator of seeds, whose variable was made in the scope, one for each step."""

        def of_step(ordered: bool = True) -> Any:
            del ordered
            given = generator._initial_seed
            drawn = tf.random_uniform([2], 0, tf.int32.max, tf.int32, seed=given)
            return tf.cast(drawn, generator.state.dtype)

        generator.next = of_step
        variables = self.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES)
        variables[:] = [v for v in variables if not v.op.name.startswith(scope)]


@contextlib.contextmanager
def new_graph() -> Iterator[Any]:
    """A default graph whose layers are numbered from the start; later ones go on as before it."""
    state = _state()
    before = getattr(state, _UIDS, None)
    if before is not None:
        setattr(state, _UIDS, None)
    try:
        with Graph().as_default() as graph:
            yield graph
    finally:
        state = _state()
        if state is not None:
            setattr(state, _UIDS, before)
