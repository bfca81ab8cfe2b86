"""Transforms: what is done to a tensor's values between two checkpoints, forwards and backwards.

In a map a step is written as JSON or TOML: ``"transpose"``, ``{"transpose": [1, 0]}``,
``{"gates": {"from": "ijfo", "to": "ifjo"}}``. docs/checkpoints.md lists them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import Usage

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

Shape = tuple[int, ...]


class Step(ABC):
    """One transform. ``words`` is how a report shows it."""

    moves_only = True  # values stay as they are, only their places change

    @property
    @abstractmethod
    def words(self) -> str:
        """A few words for a report."""

    @abstractmethod
    def shape(self, shape: Shape) -> Shape:
        """The shape behind the step.

        Raises:
            Usage: the step does not fit this shape.
        """

    def dtype(self, dtype: str) -> str:
        """The dtype behind the step."""
        return dtype

    @abstractmethod
    def apply(self, array: Array) -> Array:
        """The values behind the step; a view where that is possible."""

    @abstractmethod
    def inverse(self, before: tuple[Shape, str]) -> Step:
        """The step that leads back to what had this shape and dtype.

        Raises:
            Usage: nothing leads back.
        """

    def on_slot(self) -> Step | None:
        """The same step for an optimizer's slot, which is linear in gradients; None: left out."""
        return self


def _axis(axis: int, rank: int, what: str) -> int:
    if not -rank <= axis < rank:
        raise Usage(f"{what}: axis {axis} of a tensor of rank {rank}")
    return axis % rank


@dataclass(frozen=True)
class Transpose(Step):
    """Axes in another order; without one, the other way round."""

    order: tuple[int, ...] | None = None

    @property
    def words(self) -> str:
        return "transpose" if self.order is None else f"transpose {list(self.order)}"

    def _order(self, rank: int) -> tuple[int, ...]:
        order = tuple(reversed(range(rank))) if self.order is None else self.order
        if sorted(order) != list(range(rank)):
            raise Usage(f"transpose {list(order)}: no order of {rank} axes")
        return order

    def shape(self, shape: Shape) -> Shape:
        return tuple(shape[axis] for axis in self._order(len(shape)))

    def apply(self, array: Array) -> Array:
        return array.transpose(self._order(array.ndim))

    def inverse(self, before: tuple[Shape, str]) -> Step:
        order = self._order(len(before[0]))
        return Transpose(tuple(order.index(axis) for axis in range(len(order))))


@dataclass(frozen=True)
class Reshape(Step):
    """The same values row by row in another shape; one size may be -1."""

    sizes: tuple[int, ...]

    @property
    def words(self) -> str:
        return f"reshape {list(self.sizes)}"

    def shape(self, shape: Shape) -> Shape:
        total = math.prod(shape)
        known = math.prod(size for size in self.sizes if size != -1)
        sizes = list(self.sizes)
        if -1 in sizes and known and total % known == 0:
            sizes[sizes.index(-1)] = total // known
        if math.prod(sizes) != total or -1 in sizes:
            raise Usage(f"reshape {list(self.sizes)}: a tensor of shape {list(shape)}")
        return tuple(sizes)

    def apply(self, array: Array) -> Array:
        return array.reshape(self.shape(array.shape))

    def inverse(self, before: tuple[Shape, str]) -> Step:
        return Reshape(before[0])


@dataclass(frozen=True)
class Squeeze(Step):
    """Without these axes of size 1; without a list, without all of them."""

    axes: tuple[int, ...] | None = None

    @property
    def words(self) -> str:
        return "squeeze" if self.axes is None else f"squeeze {list(self.axes)}"

    def shape(self, shape: Shape) -> Shape:
        if self.axes is None:
            return tuple(size for size in shape if size != 1)
        dropped = {_axis(axis, len(shape), self.words) for axis in self.axes}
        if any(shape[axis] != 1 for axis in dropped):
            raise Usage(f"{self.words}: a tensor of shape {list(shape)}")
        return tuple(size for axis, size in enumerate(shape) if axis not in dropped)

    def apply(self, array: Array) -> Array:
        return array.reshape(self.shape(array.shape))

    def inverse(self, before: tuple[Shape, str]) -> Step:
        return Reshape(before[0])


@dataclass(frozen=True)
class Expand(Step):
    """One more axis of size 1, before this one."""

    axis: int

    @property
    def words(self) -> str:
        return f"expand {self.axis}"

    def shape(self, shape: Shape) -> Shape:
        axis = _axis(self.axis, len(shape) + 1, self.words)
        return (*shape[:axis], 1, *shape[axis:])

    def apply(self, array: Array) -> Array:
        return array.reshape(self.shape(array.shape))

    def inverse(self, before: tuple[Shape, str]) -> Step:
        return Reshape(before[0])


@dataclass(frozen=True)
class Slice(Step):
    """A part along an axis; ``stop`` None is the end, a negative one counts from there."""

    axis: int
    start: int
    stop: int | None

    @property
    def words(self) -> str:
        return f"slice axis {self.axis} [{self.start}:{'' if self.stop is None else self.stop}]"

    def _range(self, shape: Shape) -> tuple[int, int, int]:
        axis = _axis(self.axis, len(shape), self.words)
        size = shape[axis]
        start = self.start + size if self.start < 0 else self.start
        stop = size if self.stop is None else self.stop + size if self.stop < 0 else self.stop
        if not 0 <= start <= stop <= size:
            raise Usage(f"{self.words}: a tensor of shape {list(shape)}")
        return axis, start, stop

    def shape(self, shape: Shape) -> Shape:
        axis, start, stop = self._range(shape)
        return (*shape[:axis], stop - start, *shape[axis + 1 :])

    def apply(self, array: Array) -> Array:
        axis, start, stop = self._range(array.shape)
        part: Array = array[(slice(None),) * axis + (slice(start, stop),)]
        return part

    def inverse(self, before: tuple[Shape, str]) -> Step:
        raise Usage(f"{self.words}: what it leaves out can't be had back")


@dataclass(frozen=True)
class Gates(Step):
    """Equal blocks along an axis in another order: ``order[i]`` is the block that comes i-th."""

    order: tuple[int, ...]
    axis: int = -1
    label: str = ""

    @property
    def words(self) -> str:
        return f"gates {self.label or list(self.order)}"

    def _blocks(self, shape: Shape) -> tuple[int, int]:
        axis = _axis(self.axis, len(shape), self.words)
        if shape[axis] % len(self.order):
            raise Usage(f"{self.words}: {shape[axis]} columns are not {len(self.order)} blocks")
        return axis, shape[axis] // len(self.order)

    def shape(self, shape: Shape) -> Shape:
        self._blocks(shape)
        return shape

    def apply(self, array: Array) -> Array:
        import numpy as np

        axis, size = self._blocks(array.shape)
        places = np.concatenate([np.arange(b * size, (b + 1) * size) for b in self.order])
        taken: Array = np.take(array, places, axis=axis)
        return taken

    def inverse(self, before: tuple[Shape, str]) -> Step:
        order = tuple(self.order.index(block) for block in range(len(self.order)))
        return Gates(order, self.axis, f"{self.label} backwards" if self.label else "")


@dataclass(frozen=True)
class Add(Step):
    """A number more: everywhere, or in one of equal blocks along an axis."""

    value: float
    block: tuple[int, int] | None = None
    axis: int = -1
    moves_only = False

    @property
    def words(self) -> str:
        where = "" if self.block is None else f" to block {self.block[0]} of {self.block[1]}"
        return f"add {self.value:g}{where}"

    def shape(self, shape: Shape) -> Shape:
        if self.block is not None:
            axis = _axis(self.axis, len(shape), self.words)
            if shape[axis] % self.block[1] or not 0 <= self.block[0] < self.block[1]:
                raise Usage(f"{self.words}: a tensor of shape {list(shape)}")
        return shape

    def apply(self, array: Array) -> Array:
        result = array.copy()
        self.shape(array.shape)
        if self.block is None:
            result += array.dtype.type(self.value)
            return result
        axis = self.axis % array.ndim
        size = array.shape[axis] // self.block[1]
        start = self.block[0] * size
        result[(slice(None),) * axis + (slice(start, start + size),)] += array.dtype.type(
            self.value
        )
        return result

    def inverse(self, before: tuple[Shape, str]) -> Step:
        return Add(-self.value, self.block, self.axis)

    def on_slot(self) -> Step | None:
        return None


@dataclass(frozen=True)
class Multiply(Step):
    """Times a number."""

    value: float
    moves_only = False

    @property
    def words(self) -> str:
        return f"multiply {self.value:g}"

    def shape(self, shape: Shape) -> Shape:
        return shape

    def apply(self, array: Array) -> Array:
        scaled: Array = array * array.dtype.type(self.value)
        return scaled

    def inverse(self, before: tuple[Shape, str]) -> Step:
        if not self.value:
            raise Usage("multiply 0: nothing leads back")
        return Multiply(1 / self.value)

    def on_slot(self) -> Step | None:
        if not self.value:  # a bias that Keras has twice: both see the same gradient
            return None
        raise Usage(
            "multiply: the slots of a variable that is scaled are not; give rules for them, or "
            "leave them out with --exclude"
        )


@dataclass(frozen=True)
class Cast(Step):
    """To another dtype, rounded as NumPy does it."""

    to: str
    moves_only = False

    @property
    def words(self) -> str:
        return f"cast {self.to}"

    def shape(self, shape: Shape) -> Shape:
        return shape

    def dtype(self, dtype: str) -> str:
        if dtypes.STRING in (dtype, self.to):
            raise Usage(f"{self.words}: from {dtype}")
        return self.to

    def apply(self, array: Array) -> Array:
        return array.astype(dtypes.numpy_dtype(self.to))

    def inverse(self, before: tuple[Shape, str]) -> Step:
        return Cast(before[1])


@dataclass(frozen=True)
class Updates(Step):
    """The number of updates that a power of Adam's beta, as TF 1 keeps it, stands for."""

    beta: float
    moves_only = False

    @property
    def words(self) -> str:
        return f"updates by powers of {self.beta:g}"

    def shape(self, shape: Shape) -> Shape:
        if shape:
            raise Usage(f"{self.words}: of a tensor of shape {list(shape)}")
        return shape

    def dtype(self, dtype: str) -> str:
        return "int64"

    def apply(self, array: Array) -> Array:
        import numpy as np

        # A power below half an epsilon corrects nothing any more: one count is as good as another.
        power = max(float(array), 2.0**-26)
        steps = math.log(min(power, 1.0)) / math.log(float(np.float32(self.beta)))
        near = abs(steps - round(steps)) < 0.2 and round(steps) > 0
        if not near and power > 2.0**-26:
            raise Usage(f"{float(array):g} is no power of {self.beta:g}: was that Adam's beta2?")
        return np.asarray(math.ceil(steps - 0.2) - 1, np.int64)

    def inverse(self, before: tuple[Shape, str]) -> Step:
        raise Usage(f"{self.words}: nothing leads back")


# -- from a map --------


def parse(item: Any, where: str) -> Step:
    """A step as a map has it; ``where`` names the place for messages.

    Raises:
        Usage: no such step.
    """
    if isinstance(item, str):
        item = {item: None}
    if not isinstance(item, dict) or len(item) != 1:
        raise Usage(f"{where}: a transform is a name or an object with one key, not {item!r}")
    ((name, value),) = item.items()
    maker = _MAKERS.get(name)
    if maker is None:
        raise Usage(f"{where}: no transform {name!r}; known: {', '.join(_MAKERS)}")
    try:
        return maker(value)
    except Usage as error:
        raise Usage(f"{where}: {error}") from None
    except (TypeError, KeyError, ValueError) as error:
        raise Usage(f"{where}: {name}: not understood: {value!r} ({error})") from None


def _ints(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or any(type(item) is not int for item in value):
        raise TypeError("a list of integers")
    return tuple(value)


def _int(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("an integer")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("a number")
    return float(value)


def _only(value: Any, *keys: str) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) - set(keys):
        raise TypeError(f"an object with {', '.join(keys)}")
    return value


def _slice(value: Any) -> Step:
    value = _only(value, "axis", "start", "stop")
    stop = value.get("stop")
    return Slice(_int(value["axis"]), _int(value.get("start", 0)), stop and _int(stop))


def letters(before: str, after: str) -> tuple[int, ...]:
    """The order of blocks that makes ``after`` of ``before``; both name blocks by letters."""
    if sorted(before) != sorted(after) or len(set(before)) != len(before):
        raise Usage(f"gates from {before!r} to {after!r}: not the same letters")
    return tuple(before.index(letter) for letter in after)


def _gates(value: Any) -> Step:
    value = _only(value, "from", "to", "order", "axis")
    axis = _int(value.get("axis", -1))
    if "order" in value:
        order = _ints(value["order"])
        if sorted(order) != list(range(len(order))):
            raise ValueError("no order of blocks")
        return Gates(order, axis)
    order = letters(value["from"], value["to"])
    return Gates(order, axis, f"{value['from']} to {value['to']}")


def _add(value: Any) -> Step:
    if not isinstance(value, dict):
        return Add(_number(value))
    value = _only(value, "value", "gate", "gates", "axis")
    gates: str = value["gates"]
    return Add(
        _number(value["value"]), (gates.index(value["gate"]), len(gates)), value.get("axis", -1)
    )


def _cast(value: Any) -> Step:
    if value not in dtypes.SIZES:
        raise ValueError("no dtype")
    return Cast(value)


_MAKERS: dict[str, Callable[[Any], Step]] = {
    "transpose": lambda value: Transpose(None if value is None else _ints(value)),
    "reshape": lambda value: Reshape(_ints(value)),
    "squeeze": lambda value: Squeeze(None if value is None else _ints(value)),
    "expand": lambda value: Expand(_int(value)),
    "slice": _slice,
    "gates": _gates,
    "add": _add,
    "multiply": lambda value: Multiply(_number(value)),
    "cast": _cast,
}


def parse_all(items: Any, where: str) -> tuple[Step, ...]:
    """A list of steps."""
    if items is None:
        return ()
    if not isinstance(items, Sequence) or isinstance(items, str):
        items = [items]
    return tuple(parse(item, where) for item in items)
