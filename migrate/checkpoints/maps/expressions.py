"""What a tensor of the new checkpoint is made of: sources, steps, and several joined to one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrate.checkpoints.errors import Usage
from migrate.checkpoints.formats.base import Reader, Tensor
from migrate.checkpoints.maps.steps import Shape, Step

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

Form = tuple[Shape, str]
Tensors = Mapping[str, Tensor]


class Expression(ABC):
    """A value that is made only when it is written."""

    @abstractmethod
    def form(self, tensors: Tensors) -> Form:
        """Shape and dtype, from the descriptions of the sources alone."""

    @abstractmethod
    def make(self, reader: Reader) -> Array:
        """The values."""

    @abstractmethod
    def sources(self) -> Iterator[str]:
        """Names of the tensors that it reads."""

    @abstractmethod
    def steps(self) -> Iterator[Step]:
        """All steps in it."""

    @abstractmethod
    def renamed(self, names: Mapping[str, str], *, slot: bool) -> Expression:
        """The same for other sources; ``slot`` leaves out what a slot does not get."""

    @property
    def words(self) -> str:
        """A few words for a report; nothing for a plain copy."""
        return ""


@dataclass(frozen=True)
class Source(Expression):
    """A tensor as it is."""

    name: str

    def form(self, tensors: Tensors) -> Form:
        tensor = tensors[self.name]
        return tensor.shape, tensor.dtype

    def make(self, reader: Reader) -> Array:
        return reader.read(self.name)

    def sources(self) -> Iterator[str]:
        yield self.name

    def steps(self) -> Iterator[Step]:
        yield from ()

    def renamed(self, names: Mapping[str, str], *, slot: bool) -> Expression:
        return Source(names[self.name])


@dataclass(frozen=True)
class Apply(Expression):
    """A step on something."""

    step: Step
    inner: Expression

    def form(self, tensors: Tensors) -> Form:
        shape, dtype = self.inner.form(tensors)
        return self.step.shape(shape), self.step.dtype(dtype)

    def make(self, reader: Reader) -> Array:
        return self.step.apply(self.inner.make(reader))

    def sources(self) -> Iterator[str]:
        yield from self.inner.sources()

    def steps(self) -> Iterator[Step]:
        yield from self.inner.steps()
        yield self.step

    def renamed(self, names: Mapping[str, str], *, slot: bool) -> Expression:
        inner = self.inner.renamed(names, slot=slot)
        step = self.step.on_slot() if slot else self.step
        return inner if step is None else Apply(step, inner)

    @property
    def words(self) -> str:
        return ", ".join(part for part in (self.inner.words, self.step.words) if part)


@dataclass(frozen=True)
class Join(Expression):
    """Several, one behind the other along an axis; ``stack`` along a new one."""

    axis: int
    parts: tuple[Expression, ...]
    stack: bool = False

    def form(self, tensors: Tensors) -> Form:
        forms = [part.form(tensors) for part in self.parts]
        shape, dtype = forms[0]
        rank = len(shape) + self.stack
        if not -rank <= self.axis < rank or len({dtype for _, dtype in forms}) > 1:
            raise Usage(f"concat of {', '.join(self.sources())}: axis {self.axis}, {forms}")
        axis = self.axis % rank
        if self.stack:
            if len({shape for shape, _ in forms}) > 1:
                raise Usage(f"stack of {', '.join(self.sources())}: shapes {forms}")
            return (*shape[:axis], len(forms), *shape[axis:]), dtype
        rests = {(*shape[:axis], 0, *shape[axis + 1 :]) for shape, _ in forms}
        if len(rests) > 1:
            raise Usage(f"concat of {', '.join(self.sources())}: shapes {[s for s, _ in forms]}")
        return (*shape[:axis], sum(s[axis] for s, _ in forms), *shape[axis + 1 :]), dtype

    def make(self, reader: Reader) -> Array:
        import numpy as np

        parts = [part.make(reader) for part in self.parts]
        return np.stack(parts, self.axis) if self.stack else np.concatenate(parts, self.axis)

    def sources(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.sources()

    def steps(self) -> Iterator[Step]:
        for part in self.parts:
            yield from part.steps()

    def renamed(self, names: Mapping[str, str], *, slot: bool) -> Expression:
        return Join(
            self.axis, tuple(part.renamed(names, slot=slot) for part in self.parts), self.stack
        )

    @property
    def words(self) -> str:
        return f"{'stack' if self.stack else 'concat'} of {len(self.parts)} along {self.axis}"


def chain(inner: Expression, *steps: Step) -> Expression:
    """Steps on something, first first."""
    for step in steps:
        inner = Apply(step, inner)
    return inner
