"""``load_tf1_checkpoint``: an old checkpoint into a model that is there already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from migrate.checkpoints.errors import CheckpointError, Usage
from migrate.checkpoints.formats.base import Reader, Tensor
from migrate.checkpoints.maps import mapfile
from migrate.checkpoints.maps.plan import Options, Target
from migrate.checkpoints.maps.planner import Planner
from migrate.checkpoints.maps.upgraded import Upgraded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from migrate.checkpoints.dtypes import Array


@dataclass(frozen=True)
class Loaded:
    """What was assigned.

    Attributes:
        assigned: variable → the tensors that its value was made of.
        kept: variables that keep their values.
        unused: tensors of the checkpoint that were not taken → why.
    """

    assigned: dict[str, tuple[str, ...]] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    unused: dict[str, str] = field(default_factory=dict)


class _Live(Reader):
    """Stands for a model's variables, which it reads when a value is asked for."""

    format = "model"
    words = "a model"

    def __init__(self, variables: Mapping[str, Any]) -> None:
        super().__init__("the model")
        self._variables = variables
        for name, variable in variables.items():
            dtype = variable.dtype if isinstance(variable.dtype, str) else variable.dtype.name
            shape = tuple(int(size) for size in variable.shape)
            self.tensors[name] = Tensor(name, dtype, shape, 0 if dtype == "string" else -1)

    def pieces(self, name: str) -> Iterator[bytes]:
        from migrate.checkpoints.formats.base import pieces_of

        return pieces_of(self.read(name), self.tensors[name])

    def read(self, name: str) -> Array:
        import numpy as np

        variable = self._variables[name]
        values: Array = np.asarray(variable.numpy())
        return values

    def strings(self, name: str) -> Array:
        return self.read(name)


def load_tf1_checkpoint(
    path: str,
    model: Any,
    *,
    names: str | Mapping[str, Any] | None = None,
    ema: bool | str = False,
    exclude: Iterable[str] = (),
    partial: bool = False,
    cast: bool = False,
) -> Loaded:
    """Assign the values of a TF 1 checkpoint to a model's variables.

    Nothing is assigned unless everything can be: each variable needs exactly one tensor, by the
    map, by names, or because layers or shapes occur only once.

    Args:
        path: a checkpoint's prefix, its folder, or a SavedModel's folder.
        model: a Keras model (with its optimizer if it is compiled and built), a `tf.Module`, or a
            mapping from names to variables.
        names: the map: a path (`migrate-names.json`, or rules), or the same as a dictionary.
        ema: moving averages instead of the variables; a string is the last part of their names.
        exclude: regular expressions of tensors that are left out.
        partial: variables that nothing is known for keep their values.
        cast: round to the variables' dtypes.

    Returns:
        What was assigned, kept and not used.

    Raises:
        CheckpointError: the checkpoint is damaged, or does not fit; the message lists why.
    """
    import json
    import os
    import tempfile

    from migrate.checkpoints.convert import creation_order
    from migrate.checkpoints.opening import reading

    map_ = None
    if isinstance(names, Mapping):
        with tempfile.TemporaryDirectory(prefix="migrate-") as folder:
            file = os.path.join(folder, "names")
            with open(file, "w", encoding="utf-8") as stream:
                json.dump(names, stream)
            map_ = mapfile.load(file)
    elif names is not None:
        map_ = mapfile.load(names)
    if isinstance(map_, Upgraded):
        raise Usage(
            f"{names} leads to the program's tf.train.Checkpoint: convert, and restore that"
        )
    average = ema if isinstance(ema, str) else "ExponentialMovingAverage" if ema else None
    options = Options(average=average, exclude=tuple(exclude), partial=partial, cast=cast)
    variables = _variables(model)
    with reading(path) as source:
        target = Target(_Live(variables), "the model", _spellings(variables))
        plan = Planner(source, target, map_, options).run(creation_order(path))
        if not plan.complete:
            raise CheckpointError(f"{path} does not fit the model: {_complaint(plan)}")
        found: dict[str, tuple[str, ...]] = {}
        # Read everything before the first assignment: a damaged tensor must not leave half a model.
        for item in plan.items:
            if item.expression is not None:
                for name in item.expression.sources():
                    _check(source, name)
        for item in plan.items:
            if item.expression is not None:
                variables[item.tensor.name].assign(item.expression.make(source))
                found[item.tensor.name] = tuple(item.expression.sources())
        kept = tuple(item.tensor.name for item in plan.items if item.expression is None)
        return Loaded(found, kept, dict(plan.unused))


def _check(source: Reader, name: str) -> None:
    if source.tensors[name].dtype == "string":
        source.strings(name)
    else:
        for _ in source.pieces(name):
            pass


def _variables(model: Any) -> dict[str, Any]:
    """Variables by a name that no two share."""
    if isinstance(model, Mapping):
        return dict(model)
    if not hasattr(model, "variables"):
        raise Usage(
            "the model has to be a Keras model, a tf.Module or a mapping from names to variables. "
            f"Received: {type(model).__name__}"
        )
    listed = list(model.variables)
    optimizer = getattr(model, "optimizer", None)
    if optimizer is not None and getattr(optimizer, "built", False):
        listed += list(optimizer.variables)
    if not listed:
        raise Usage("the model has no variables: build it first, by a call or an input shape")
    attributes = _attributes(model)
    found: dict[str, Any] = {}
    for variable in {id(v): v for v in listed}.values():
        own = getattr(variable, "path", None) or variable.name.removesuffix(":0")
        name = attributes.get(id(variable), own)
        found[name if name not in found else f"{name}#{len(found)}"] = variable
    return found


def _attributes(model: Any) -> dict[int, str]:
    """Paths of attributes of a tf.Module's variables."""
    import tensorflow as tf

    found: dict[int, str] = {}
    if not isinstance(model, tf.Module):
        return found
    view = tf.train.TrackableView(model)
    seen: set[int] = set()
    queue: list[tuple[Any, str]] = [(model, "")]
    while queue:
        node, path = queue.pop(0)
        if id(node) in seen:
            continue
        seen.add(id(node))
        for name, child in view.children(node).items():
            below = f"{path}/{name}" if path else name
            if isinstance(child, tf.Variable):
                found.setdefault(id(child), below)
            queue.append((child, below))
    return found


def _spellings(variables: Mapping[str, Any]) -> dict[str, list[str]]:
    found = {}
    for name, variable in variables.items():
        own = getattr(variable, "path", None) or variable.name.removesuffix(":0")
        found[name] = list(dict.fromkeys([name, own]))
    return found


def _complaint(plan: Any) -> str:
    parts = [f"{name}: {why}" for name, why in plan.unmatched.items()]
    parts += [f"{name}: {' or '.join(found[:4])}" for name, found in plan.ambiguous.items()]
    parts += [f"{name}: left over" for name in plan.left_over]
    more = f"; and {len(parts) - 8} more" if len(parts) > 8 else ""
    return "; ".join(parts[:8]) + more + "; give a map, or partial=True"
