"""Which variable of the migrated program is which variable of the original?

In this order: the name map that the user or ``migrate upgrade`` gave; equal names, where what they
mean starts alike; trainable variables by shape, start value, their layer and order of creation
(beta and gamma by their names); optimizer slots by their variable and kind; the rest by the last
part of the name, shape and order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.parity.bundle import Bundle, Variable

if TYPE_CHECKING:
    from migrate.parity.bundle import Array

# Slots of `tf.train` optimizers → the names that Keras 3 gives to the same quantity.
KERAS_SLOTS = {
    "m": ("momentum",),
    "v": ("velocity",),
    "momentum": ("momentum",),
    "rms": ("velocity",),
    "mg": ("average_gradient",),
    "accumulator": ("accumulator",),
    "accum": ("accumulator", "accumulated_grad", "accumulated_gradient"),
    "accum_update": ("accumulated_delta_var",),
    "linear": ("linear",),
}


NORM = ("beta", "gamma")


def moved(value: Array | None) -> bool:
    """Whether a slot was changed: those that nothing changed are full of what they began with."""
    return value is not None and bool(value.size) and bool(value.max() > value.min())


def whose(name: str) -> str:
    """The kind that Adam's ``momentum`` and that of Momentum have in TF 1, by their optimizer."""
    optimizer = name.partition("/")[0].lower()
    return "m" if "adam" in optimizer else "momentum" if "momentum" in optimizer else ""


@dataclass(frozen=True)
class Pair:
    """The same variable on both sides; ``how`` says what made them one."""

    before: str
    after: str
    how: str
    kind: str  # trainable, slot or state


@dataclass
class Matching:
    """All pairs, and what has no counterpart."""

    pairs: list[Pair] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)

    def before_of(self) -> dict[str, str]:
        """Names of the migrated program → names of the original."""
        return {pair.after: pair.before for pair in self.pairs}

    def after_of(self) -> dict[str, str]:
        """Names of the original → names of the migrated program."""
        return {pair.before: pair.after for pair in self.pairs}


class _Matcher:
    def __init__(self, before: Bundle, after: Bundle, names: Mapping[str, str]) -> None:
        self.before, self.after, self.names = before, after, names
        self.first = {variable.name: variable for variable in before.variables}
        self.second = {variable.name: variable for variable in after.variables}
        self.result = Matching()
        self.used_before: set[str] = set()
        self.used_after: set[str] = set()

    def add(self, before: str, after: str, how: str) -> None:
        kind = "state"
        if before in self.before.slots:
            kind = "slot"
        elif self.first[before].trainable:
            kind = "trainable"
        self.result.pairs.append(Pair(before, after, how, kind))
        self.used_before.add(before)
        self.used_after.add(after)

    def left(self, side: Mapping[str, Variable], used: set[str]) -> list[Variable]:
        return [variable for variable in side.values() if variable.name not in used]

    def match(self) -> Matching:
        for before, after in self.names.items():
            if before in self.first and after in self.second:
                self.add(before, after, "map")
        odd = self.accidental()
        for name in self.first:
            free = name not in self.used_before and name not in self.used_after
            if free and name in self.second and home(name) not in odd:
                self.add(name, name, "name")
        self.trainable()
        self.slots()
        self.state()
        self.frozen()
        self.rest()
        return self.result

    def accidental(self) -> set[str]:
        """Layers that have a name of the original's by accident, as Keras numbers its own.

        What such a name means starts otherwise there, and something else starts as it did.
        """
        start_before, start_after = self.before.snapshot("0"), self.after.snapshot("0")
        found: set[str] = set()
        for name, variable in self.first.items():
            mine = start_before.get(name)
            if name not in self.second or not variable.trainable or not moved(mine):
                continue
            if same_value(mine, start_after.get(name)):
                continue
            others = (o for o in self.second.values() if o.name != name and o.trainable)
            if any(
                same_form(variable, o) and same_value(mine, start_after.get(o.name)) for o in others
            ):
                found.add(home(name))
        return found

    def told_apart(self) -> None:
        """Pair what starts as one other alone does; biases and the like follow their kernels."""
        start_before, start_after = self.before.snapshot("0"), self.after.snapshot("0")
        candidates = [v for v in self.left(self.second, self.used_after) if v.trainable]
        mine = [
            v
            for v in self.left(self.first, self.used_before)
            if v.trainable and v.name not in self.before.slots
        ]
        homes: dict[str, set[str]] = {}
        for variable in mine:
            value = start_before.get(variable.name)
            if not moved(value):
                continue
            equal = [
                o
                for o in candidates
                if o.name not in self.used_after
                and same_form(variable, o)
                and same_value(value, start_after.get(o.name))
            ]
            if len(equal) == 1:
                self.add(variable.name, equal[0].name, "start value")
                homes.setdefault(home(variable.name), set()).add(home(equal[0].name))
        for variable in mine:
            theirs = homes.get(home(variable.name), set())
            if variable.name in self.used_before or len(theirs) != 1:
                continue
            beside = [
                o
                for o in candidates
                if o.name not in self.used_after
                and home(o.name) in theirs
                and last(o.name) == last(variable.name)
                and same_form(variable, o)
            ]
            if len(beside) == 1 and same_value(
                start_before.get(variable.name), start_after.get(beside[0].name)
            ):
                self.add(variable.name, beside[0].name, "layer")

    def trainable(self) -> None:
        self.told_apart()
        start_before, start_after = self.before.snapshot("0"), self.after.snapshot("0")
        candidates = [
            variable for variable in self.left(self.second, self.used_after) if variable.trainable
        ]
        for variable in self.left(self.first, self.used_before):
            if not variable.trainable or variable.name in self.before.slots:
                continue
            fitting = [
                other
                for other in candidates
                if other.name not in self.used_after and same_form(variable, other)
            ]
            if not fitting:
                continue
            mine = start_before.get(variable.name)
            equal = [other for other in fitting if same_value(mine, start_after.get(other.name))]
            # Keras makes a normalization's gamma and beta in another order, and biases later than
            # variables that functions make.
            named = last(variable.name)
            alike = [o for o in equal or fitting if last(o.name) == named]
            if named not in NORM and len(alike) != self.called(variable):
                alike = []
            other = (alike or equal or fitting)[0]
            self.add(variable.name, other.name, "start value" if equal else "order")

    def called(self, variable: Variable) -> int:
        """How many of a form and a last name are left."""
        return sum(
            last(other.name) == last(variable.name)
            for other in self.left(self.first, self.used_before)
            if other.trainable
            and other.name not in self.before.slots
            and same_form(variable, other)
        )

    def slots(self) -> None:
        after_of = self.result.after_of()
        by_owner = self.moved_slots()
        for name, (owner, slot) in self.before.slots.items():
            if name in self.used_before or owner not in after_of or name not in self.first:
                continue
            for candidate in (slot, *KERAS_SLOTS.get(slot, ())):
                theirs = by_owner.get((after_of[owner], candidate), [])
                free = [n for n in theirs if n not in self.used_after and n in self.second]
                if not free:
                    continue
                other = max(free, key=lambda n: whose(n) == slot)
                if slot == "momentum" and other.lower().startswith("sgd"):
                    continue  # Keras keeps -rate * momentum: another quantity
                self.add(name, other, "slot")
                break

    def moved_slots(self) -> dict[tuple[str, str], list[str]]:
        """By variable and kind: of several optimizers' those that trained, as Keras makes all."""
        end = self.after.snapshot("end")
        found: dict[tuple[str, str], list[str]] = {}
        for name, owner in self.after.slots.items():
            found.setdefault(owner, []).append(name)
        for names in found.values():
            changed = [name for name in names if moved(end.get(name))]
            names[:] = changed[::-1] or names[:1]  # the last of them, if nothing tells
        return found

    def state(self) -> None:
        candidates = self.left(self.second, self.used_after)
        for variable in self.left(self.first, self.used_before):
            if variable.trainable or variable.name in self.before.slots:
                continue
            for other in candidates:
                if (
                    other.name not in self.used_after
                    and other.name not in self.after.slots
                    and not other.trainable
                    and last(variable.name) == last(other.name)
                    and same_form(variable, other)
                ):
                    self.add(variable.name, other.name, "order")
                    break

    def frozen(self) -> None:
        """Layers with ``trainable=False``: the variables that Keras makes for them don't say it."""
        start_before, start_after = self.before.snapshot("0"), self.after.snapshot("0")
        for variable in self.left(self.first, self.used_before):
            if variable.trainable or variable.name in self.before.slots:
                continue
            mine = start_before.get(variable.name)
            for other in self.left(self.second, self.used_after):
                alike = last(variable.name) == last(other.name) and same_form(variable, other)
                if alike and other.trainable and same_value(mine, start_after.get(other.name)):
                    self.add(variable.name, other.name, "start value")
                    break

    def rest(self) -> None:
        for variable in self.left(self.first, self.used_before):
            slot = variable.name in self.before.slots
            place = (
                self.result.missing
                if variable.trainable and not slot and not is_count(variable)
                else (self.result.not_compared)
            )
            place.append(variable.name)
        for variable in self.left(self.second, self.used_after):
            slot = variable.name in self.after.slots
            if variable.trainable and not slot and not is_helper(variable.name):
                self.result.extra.append(variable.name)


def match(before: Bundle, after: Bundle, names: Mapping[str, str] | None = None) -> Matching:
    """Pair the variables of two runs; ``names`` maps the original's to the migrated program's."""
    return _Matcher(before, after, names or {}).match()


def home(name: str) -> str:
    """The layer, or the scope, of a variable; itself where it has none."""
    return name.rpartition("/")[0] or name


def last(name: str) -> str:
    """The last part of a path, without the number that made it unique."""
    part = name.rpartition("/")[2]
    stem, _, number = part.rpartition("_")
    return stem if stem and number.isdigit() else part


def same_form(one: Variable, other: Variable) -> bool:
    """Whether shape and dtype allow two variables to be the same."""
    return one.shape == other.shape and one.dtype == other.dtype


def same_value(one: Array | None, other: Array | None) -> bool:
    """Whether two start values agree to a few units in the last place."""
    import numpy as np

    if one is None or other is None or one.shape != other.shape:
        return False
    if one.dtype.kind not in "fc":
        return bool(np.array_equal(one, other))
    size = float(np.abs(one).max()) if one.size else 0.0
    return bool(np.allclose(one, other, rtol=0, atol=1e-6 * size, equal_nan=True))


def is_count(variable: Variable) -> bool:
    """Whether nothing can train it: the steps of `tf.keras` 1.15 pass for trainable."""
    return variable.dtype.startswith(("int", "uint", "bool"))


def is_helper(name: str) -> bool:
    """Variables that Keras makes beside a model: optimizers' counters and rates."""
    return last(name) in ("iteration", "learning_rate", "seed_generator_state")


def load_names(paths: Iterable[str]) -> dict[str, str]:
    """Read name maps written by ``migrate upgrade`` (``migrate-names.json``)."""
    import json
    from pathlib import Path

    names: dict[str, str] = {}
    for path in paths:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        for before, after in content.items():
            # What is split, dropped or a cell has no one variable on the other side.
            name = after.get("path") if isinstance(after, dict) and "cell" not in after else after
            if isinstance(name, str) and not before.startswith("$"):
                names[before] = name
    return names
