"""Optimizers that are told what they train before a checkpoint is restored or saved."""

from __future__ import annotations

from migrate.programs.graph.model import Blocked
from migrate.programs.graph.saving.early_saves import REASON
from migrate.programs.graph.saving.savers import Saver
from migrate.programs.graph.scoping.layers_reuse import STATELESS
from migrate.programs.graph.walk import Layer, Optimizer

PLAIN = "GradientDescentOptimizer"  # has no slots


def told(
    saver: Saver,
    layers: dict[str, tuple[Layer, bool] | int],
    optimizers: dict[str, Optimizer],
    built: set[int],
    frozen: set[str],
    name: str,
) -> str:
    """``optimizer.build([*layer.trainable_variables, w])``; empty where that says nothing.

    ``frozen``: what functions made of which not all is trained.

    Raises:
        Blocked: what an optimizer trains isn't all that there is beside it, or isn't made yet.
    """
    error = Blocked(saver.early or saver.call, REASON)
    optimizer = optimizers[name]
    if optimizer.endpoint.endswith(PLAIN):
        return ""
    owner = name.rpartition(".")[0]
    mine = [n for n in optimizers if n.rpartition(".")[0] == owner]
    odd = saver.looped or saver.chosen or saver.cells or saver.held or saver.averages
    if len(mine) > 1 or odd or optimizer.others or optimizer.of is not None:
        raise error
    several = owner in saver.several
    trained: list[str] = []  # in the order in which they are made
    for source, layer in layers.items():
        if isinstance(layer, int) or id(layer[0].call) not in built:
            if isinstance(layer, int) or not layer[0].endpoint.endswith(STATELESS):
                raise error
            continue
        if not several or source.rpartition(".")[0] == owner:
            if source in frozen:
                raise error
            trained.append(_listed(source))
    variables = [source for _, source in saver.variables if source not in saver.untrained]
    if variables and trained:
        raise error  # in which order they are made isn't seen here
    trained += [s for s in variables if not several or s.rpartition(".")[0] == owner]
    alone = len(trained) == 1 and trained[0].startswith("*") and "(" not in trained[0]
    return f"{name}.build({trained[0][1:] if alone else '[' + ', '.join(trained) + ']'})"


def _listed(source: str) -> str:
    """The trained variables of a layer, or of what a function made."""
    if source.endswith(".layers"):
        return f"*(v for layer in {source} for v in layer.trainable_variables)"
    if source.endswith(".variables"):
        return f"*{source}"
    return f"*{source}.trainable_variables"


def check(
    saver: Saver,
    layers: dict[str, tuple[Layer, bool] | int],
    built: set[int],
) -> None:
    """See that all layers of a Saver are made when it is.

    Raises:
        Blocked: one isn't.
    """
    for name, layer in layers.items():
        mixed = name.endswith(".parts")  # whose variables no list has in their order
        if mixed or isinstance(layer, int) or id(layer[0].call) not in built:
            raise Blocked(saver.early or saver.call, REASON)
