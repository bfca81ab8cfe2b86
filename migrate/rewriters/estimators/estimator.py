"""An Estimator that a program makes, as it is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from migrate import symbols
from migrate.programs.graph.meaning import canonical
from migrate.rewriters import old_names
from migrate.rewriters.estimators.models.modes import MODES

# All that make one, followed or not.
ESTIMATORS = re.compile(
    r"tensorflow\.(?:estimator|estimator\.tpu|contrib\.(?:tpu|learn|estimator))"
    r"\.\w*(?:Estimator|Classifier|Regressor|KMeansClustering)$"
)
LEARNS = "tensorflow.contrib.learn.estimators."
# All names of its modules are those of `tf.keras`.
CONTRIB_KERAS = re.compile(r"tensorflow\.contrib\.keras\.(api\.keras\.)?")
K = "tensorflow.keras.layers."
SAME_LAYERS = {f"{K}Convolution{n}D": f"{K}Conv{n}D" for n in (1, 2, 3)}


def public(name: str) -> str:
    """An endpoint by its public name: a module that it stands in may be spelled out, too."""
    found = canonical(name)
    if found.startswith(LEARNS):  # public until 1.3
        found = f"tensorflow.contrib.learn.python.learn.estimators.{found[len(LEARNS) :]}"
    if ".python." in found:
        name = found.rpartition(".")[2]
        found = canonical(symbols.public(found) or found)
        if found.startswith(K):  # whose classes have several names: the author's stays
            found = K + name if symbols.is_endpoint(K + name) else found
    if (contrib := CONTRIB_KERAS.match(found)) is not None:
        found = f"tensorflow.keras.{found[contrib.end() :]}"
    if (old := old_names.LIST.get(found)) is not None and ".data." in found:
        found = f"tensorflow.{old.now}"
    return SAME_LAYERS.get(found, found)


@dataclass(slots=True, eq=False, repr=False)
class Estimator:
    """An Estimator that the program makes, as a Keras model."""

    call: ast.Call
    source: Callable[[], str]  # an expression that makes the compiled `keras.Model`
    keyed: bool  # whether `predict` gives a dict, whose values are arrays
    params: str | None = None  # what its input_fns are given as `params`
    folder: ast.expr | None = None  # its `model_dir`, or its RunConfig
    home: ast.AST | None = None  # where its class stands
    modes: frozenset[str] = frozenset(MODES)  # what it has all for
    what: str = "the Estimator"  # or what else is followed like one
    signatures: tuple[str, ...] | None = None  # those that its predictions are exported under
    chosen: tuple[tuple[str, str], ...] = ()  # their outputs and which predictions these are
    head: str = ""  # the class of its head, which gives it others for Examples
    sizes: dict[str, str] = field(default_factory=dict)  # `batch_size` in `params`, by mode
    scope: Callable[[], str] | None = None  # what opens the scope of its strategy
    model: str = ""  # what it is called where it is used
    groups: bool = False  # whether a step of an evaluation is a batch for each replica
    learns: bool = False  # whether it is one of contrib.learn
    asked: bool = False  # whether an input_fn was given its params
    batch: str = ""  # the size of batches that its model_fn finds in `params`
    # The signatures that classify or regress: their function, and what its outputs are.
    answers: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = field(default_factory=dict)

    def size(self, mode: str) -> str:
        """The source of the batch size of a mode."""
        return self.sizes[mode].replace("{model}", self.model)

    def given(self, mode: str) -> str:
        """What its input_fns are given as `params` in a mode."""
        self.asked = True
        if mode not in self.sizes:
            return self.params or "{}"
        return self.sized(self.size(mode))

    def sized(self, size: str) -> str:
        """Its `params`, with a size of batches."""
        params = self.params or "{}"
        written = params.startswith("{") and params.endswith("}") and "**" not in params
        inner = params[1:-1].rstrip(", \n") if written else f"**{params}"
        return f"{{{inner}{', ' if inner else ''}'batch_size': {size}}}"
