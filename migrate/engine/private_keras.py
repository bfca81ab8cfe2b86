"""``tensorflow.python.keras``: TF 2.21's private copy of Keras 2, and what is Keras 3's of it.

The copy has lost layers (``BatchNormalization``, ``LSTM``), and its models neither train eagerly
nor hold Keras 3's layers, which stand in for those. So a program that trains Keras models has all
of them from Keras 3. A session's graph takes the copy's layers, which name their variables and
draw their dropout as TF 1's did, and stays with them.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate import symbols
from migrate.engine.findings import Level
from migrate.engine.names import Binding
from migrate.engine.trees import all_of, walk

if TYPE_CHECKING:
    from migrate.engine.site import FileContext

PRIVATE = "tensorflow.python.keras."
GRAPHS = ("Session", "InteractiveSession", "placeholder")
RUNS = frozenset(
    (
        *("fit", "evaluate", "predict", "fit_generator", "evaluate_generator"),
        *("predict_generator", "train_on_batch", "test_on_batch", "predict_on_batch"),
    )
)
# The copy has Keras's own older classes, whose Adagrad and RMSprop compute otherwise.
SAME_OPTIMIZERS = ("Adam", "SGD")


def public(name: str) -> str | None:
    """Keras 3's name of what the copy has; ``None`` where there is none."""
    if not name.startswith(PRIVATE):
        return None
    first, *others = name.removeprefix(PRIVATE).split(".")
    plain = f"{first}.{others[-1]}" if others else first if first[:1].isupper() else ""
    if first == "optimizers" and plain.partition(".")[2] not in SAME_OPTIMIZERS:
        return None
    names = [f"tensorflow.keras.{plain}"] if plain else []
    names.append(symbols.public(name) or "")
    of_keras = (n for n in names if n.startswith("tensorflow.keras."))
    return next((n for n in of_keras if symbols.resolves(n) and not symbols.is_module(n)), None)


def module_of(file: FileContext, binding: Binding, name: str) -> str | None:
    """The public module of Keras's that an imported private one has all that is used in."""
    module = f"tensorflow.keras.{name.removeprefix(PRIVATE)}"
    if not name.startswith(PRIVATE) or not symbols.is_module(module):
        return None
    alias = binding.node
    if not symbols.resolves(module) or not isinstance(alias, ast.alias):
        return None
    bound = alias.asname or alias.name
    uses = [r.name for r in file.names.references if r.binding is binding]
    reads = sum(isinstance(n, ast.Name) and n.id == bound for n in walk(file.tree))
    same = all(public(use) == module + use.removeprefix(name) for use in uses)
    return module if same and len(uses) == reads and "." not in bound else None


def moves(file: FileContext, binding: Binding) -> bool:
    """Whether what a name is imported as becomes Keras 3's, and its uses with it."""
    name = binding.target
    if not leaves(file) or not name.startswith(PRIVATE):
        return False
    return public(name) is not None or module_of(file, binding, name) is not None


def leaves(file: FileContext) -> bool:
    """Whether a file has no session's graph that would lose by it.

    One that stays at compat may be a session's without saying so, unless it trains a model.
    """
    known = file.memo.get("private_keras")
    if known is None:
        known = file.memo["private_keras"] = _trains(file)
    return known if known is not None else file.level is Level.NATIVE


def _trains(file: FileContext) -> bool | None:
    names = {r.name.replace(".compat.v1.", ".") for r in file.names.references}
    if any(name.endswith("keras.estimator.model_to_estimator") for name in names):
        return True  # the shim's takes Keras 3's
    if "stimator" in file.text:  # on the shim it is one, too
        return False
    if any(name.removeprefix("tensorflow.") in GRAPHS for name in names):
        return False
    called = (c.func for c in all_of(file.tree, ast.Call))
    runs = any(isinstance(func, ast.Attribute) and func.attr in RUNS for func in called)
    return True if runs else None
