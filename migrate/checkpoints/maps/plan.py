"""The plan of a conversion: what each tensor of the new checkpoint is made of, and what is left."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from migrate.checkpoints.errors import Usage
from migrate.checkpoints.formats.base import Content, Reader, Tensor
from migrate.checkpoints.maps.expressions import Expression, Source

_OPTIMIZERS = re.compile(
    r"(^|/)optimizer/(_variables/|vars/|_iterations)|_(momentum|velocity|accumulator|accumulated_grad"
    r"|accumulated_delta_var|average_gradient|linear|norm)$"
)
ITERATIONS = re.compile(r"(^|/)_?iterations?$")


@dataclass
class Target:
    """What the new checkpoint must hold: names, forms, other names, values to start with."""

    reader: Reader
    words: str
    spellings: dict[str, list[str]] = field(default_factory=dict)

    @property
    def tensors(self) -> dict[str, Tensor]:
        """Its tensors, in the order in which the model makes them."""
        return self.reader.tensors

    def names(self, name: str) -> list[str]:
        """A target's spellings, the best first."""
        found = list(self.spellings.get(name, ()))
        alias = self.reader.aliases.get(name)
        return list(dict.fromkeys([*found, *([alias] if alias else []), name]))

    def label(self, name: str) -> str:
        """How a report calls a target."""
        return self.names(name)[0]


@dataclass
class Item:
    """A tensor of the new checkpoint; without an expression it stays as the target has it."""

    tensor: Tensor
    expression: Expression | None
    how: str
    label: str = ""


@dataclass
class Plan:
    """A conversion, before anything is read. ``problems`` have to be empty for it to be done."""

    items: list[Item] = field(default_factory=list)
    unused: dict[str, str] = field(default_factory=dict)
    unmatched: dict[str, str] = field(default_factory=dict)
    ambiguous: dict[str, list[str]] = field(default_factory=dict)
    left_over: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether every target has a source and every variable a use."""
        return not (self.unmatched or self.ambiguous or self.left_over)

    def contents(self, reader: Reader, target: Target | None) -> list[Content]:
        """What is to be written, in order."""
        return [_content(item, reader, target) for item in self.items]


@dataclass(frozen=True)
class Options:
    """What the user asks for; see ``migrate checkpoint convert --help``."""

    average: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    accept: tuple[str, ...] = ("name", "structure", "shape")
    cast: bool = False
    partial: bool = False


def _content(item: Item, reader: Reader, target: Target | None) -> Content:
    expression = item.expression
    if expression is None:
        assert target is not None
        return Content(item.tensor, target.reader, item.tensor.name)
    if isinstance(expression, Source):
        return Content(item.tensor, reader, expression.name)
    made = expression
    return Content(item.tensor, make=lambda: made.make(reader))


def of_optimizer(name: str) -> bool:
    """Whether a name is one that Keras gives to an optimizer's variables."""
    return bool(_OPTIMIZERS.search(name) or ITERATIONS.search(name))


def pattern_of(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise Usage(f"{text!r} is no regular expression: {error}") from None
