"""A program with Estimators: where they are made, and what is written for them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from migrate.programs.graph.model import Blocked
from migrate.programs.graph.optimizing.training_helpers import Inlinable
from migrate.programs.graph.wording import starred
from migrate.rewriters.estimators import paragraphs
from migrate.rewriters.estimators.data import mnist_files
from migrate.rewriters.estimators.estimator import ESTIMATORS, Estimator
from migrate.rewriters.estimators.filed import LOST
from migrate.rewriters.estimators.following import Following, parameter
from migrate.rewriters.estimators.models import functional, uncalled
from migrate.rewriters.estimators.pages import Page
from migrate.rewriters.estimators.scopes import Binding
from migrate.rewriters.sessions.convert import Converted

# Endpoints that make Estimators: what follows a call. It raises Blocked where it can't be followed.
MAKERS: dict[str, Callable[[Program, str, ast.Call], Estimator]] = {}
# Functions that make variables in a model_fn and apply them, beside `tf.layers` and its kin: the
# source of the `keras.layers.Layer` that a call makes, and the argument that it is applied to.
LAYERS: dict[str, Callable[[Program, str, ast.Call], tuple[str, ast.expr]]] = {}


# What else is written anew in a program with Estimators, by the endpoint that is called.
READERS: dict[str, Callable[[Program, ast.Call], None]] = {}
SWITCHES = frozenset(
    f"tensorflow.{name}"
    for name in ("disable_v2_behavior", "disable_eager_execution", "disable_v2_tensorshape")
)
# What they say is another thing in the graph of an Estimator than in a function of Keras.
EAGERLY = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("executing_eagerly", "contrib.eager.executing_eagerly", "contrib.eager.in_eager_mode"),
        *("executing_eagerly_outside_functions", "inside_function", "control_flow_v2_enabled"),
    )
)
PRIVATE_KERAS = "tensorflow.python.keras."
# What models are made of, beside layers.
MADE_OF = frozenset(
    {"activations", "backend", "callbacks", "constraints", "engine", "initializers", "losses"}
    | {"metrics", "models", "optimizers", "regularizers", "Input", "Model", "Sequential"}
)


def maker(*endpoints: str) -> Callable[[Callable[..., Estimator]], Callable[..., Estimator]]:
    """Register what follows the calls of some endpoints that make Estimators."""

    def register(function: Callable[..., Estimator]) -> Callable[..., Estimator]:
        MAKERS.update(dict.fromkeys(endpoints, function))
        return function

    return register


class Program(Following):
    """The files of a program, and the edits that take its Estimators out.

    What families of rules use: `endpoint`, `given` and `text` to read; `edit`, `say`, `need` and
    `free` to write. Names of TF 2 are written as ``f"{program.tf}.keras…"``; names of TF 1 in what
    is moved stay as the author wrote them, for the rules that come after.
    """

    def converted(self) -> list[Converted]:
        """The edits of all files.

        Raises:
            Blocked: something can't be followed.
        """
        from migrate.rewriters.estimators import stars
        from migrate.rewriters.estimators.callbacks import hooks
        from migrate.rewriters.estimators.contrib_learn import learn
        from migrate.rewriters.estimators.data import dataset_types, inputs
        from migrate.rewriters.estimators.heads_and_columns import sequence_features
        from migrate.rewriters.estimators.models import bow_encoders, mode_words
        from migrate.rewriters.estimators.optimizing import nan_errors
        from migrate.rewriters.estimators.runs import clusters, running, strategies
        from migrate.rewriters.estimators.serving import receivers

        stars.spelled(self)
        sequence_features.spelled(self)
        bow_encoders.spelled(self)
        for call in self.calls():
            if call.keywords and self.called(call).startswith(LOST):
                starred.check_in(self.scopes.scope(call), call)
        self._of_one_keras()
        mode_words.written(self)
        dataset_types.written(self)
        pending: list[Inlinable] = []
        for call in self.calls():
            endpoint = self.called(call)
            if endpoint in EAGERLY:
                raise Blocked(call, "whether it runs eagerly is asked")
            if endpoint in SWITCHES and isinstance(self.scopes.parents[id(call)], ast.Expr):
                self.remove(self.scopes.statement(call))
            mnist_files.written(self, call, endpoint)
            if endpoint in READERS:
                READERS[endpoint](self, call)
            if endpoint in MAKERS:
                self._make(endpoint, call, pending)
            elif ESTIMATORS.match(endpoint):
                name = endpoint.replace("tensorflow", "tf", 1)
                instead = "say it by a model_fn and tf.estimator.Estimator"
                raise Blocked(call, f"{name} isn't followed yet: {instead}")
        if pending:
            pending[0].others = pending[1:]
            raise pending[0]
        if not self.estimators:
            for node in self.scopes.walk():
                bases = node.bases if isinstance(node, ast.ClassDef) else ()
                if any(ESTIMATORS.match(self.endpoint(b)) for b in bases):
                    assert isinstance(node, ast.ClassDef)
                    what = f"`{node.name}`, a class of Estimators that does more than to make one"
                    raise Blocked(node, what)
            raise Blocked(self.pages[0].part.document.tree.body[0], "no Estimator is made here")
        clusters.guard(self)
        for made in list(self.estimators.values()):
            self.edit(made.call, made.source(), "a Keras model")
            if made.scope is not None:
                self.finish.append(partial(strategies.scoped, self, made))
            self.follow(made.call, made, learn.used if made.learns else running.used)
        inputs.unread(self)
        hooks.unread(self)
        nan_errors.caught(self)
        receivers.unread(self)
        for last in self.finish:
            last()
        mode_words.settled(self)
        uncalled.removed(self)
        paragraphs.gone(self)
        return [self.file(page) for page in self.pages]

    def _of_one_keras(self) -> None:
        """TensorFlow has a Keras of its own in private modules: of that one only layers are known.

        Raises:
            Blocked: something else is read of it.
        """
        for node in self.scopes.walk():
            if not isinstance(node, ast.expr):
                continue
            name = self.walker.hidden.get(id(node), "")
            part = name.removeprefix(PRIVATE_KERAS).partition(".")[0]
            if name.startswith(PRIVATE_KERAS) and part in MADE_OF and not self._functional(node):
                raise Blocked(node, f"`{name}`, which isn't of the Keras that TF 2.21 has")

    def _functional(self, node: ast.expr) -> bool:
        """Whether a name is of a functional model, whose function sees to it."""
        above = self.scopes.parents.get(id(node))
        if not isinstance(above, ast.Call) or above.func is not node:
            return False
        if self.called(above) not in functional.MODELS | functional.INPUTS:
            return False

        def followed() -> None:
            function = self.scopes.scope(above)  # which nothing may call
            if isinstance(function, ast.FunctionDef):
                made = functional.returned(self, function)
                if made is not None:
                    functional.check(self, function, made)
                    return
            raise Blocked(node, f"`{self.called(above)}` of a private module")

        self.finish.append(followed)
        return True

    def _make(self, endpoint: str, call: ast.Call, pending: list[Inlinable]) -> None:
        """Follow an Estimator; a function to write in place waits for those of others."""
        try:
            self.estimators[id(call)] = MAKERS[endpoint](self, endpoint, call)
        except Inlinable as error:
            pending.append(error)
        except Blocked:
            if not pending and not uncalled.fails(self, call):
                raise  # else it is met again, if it isn't one of a state half written


__all__ = [
    "ESTIMATORS",
    "LAYERS",
    "MAKERS",
    "READERS",
    "Binding",
    "Estimator",
    "Page",
    "Program",
    "maker",
    "parameter",
]
