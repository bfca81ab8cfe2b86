"""What the tensors of a checkpoint are for: variables, slots of optimizers, averages, counters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from migrate.checkpoints.formats.base import Tensor

AVERAGE = "ExponentialMovingAverage"
STEP = "global_step"
_POWER = re.compile(r"(^|/)(beta[12]_power|beta_power)(_\d+)?$")
_TABLE = re.compile(r"(-keys|-values|/\.ATTRIBUTES/table-(keys|values))$")
_COUNTER = re.compile(r"(^|/)(iteration|_?iterations|iter|save_counter)$")
_SETTING = re.compile(
    r"(^|/)(optimizer|training)/(\w+/)?(beta_1|beta_2|decay|learning_rate|momentum|rho)$"
)
# slots of `tf.train` optimizers -> what Keras 3 calls the same quantity, behind the variable's name
KERAS_SLOTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "Adam": (("momentum",), ("velocity",)),
    "RMSProp": (("velocity",), ("momentum",)),
    "CenteredRMSProp": (("velocity",), ("average_gradient",), ("momentum",)),
    "Adagrad": (("accumulator",),),
    "Adadelta": (("accumulated_grad",), ("accumulated_delta_var",)),
    "Ftrl": (("accumulator",), ("linear",)),
    "AdaMax": (("momentum", "m"), ("norm", "u")),
    # tf.keras' optimizers of TF 1.15 and of TF 2 before Keras 3
    "m": (("momentum",),),
    "v": (("velocity",),),
    "rms": (("velocity",),),
    "mg": (("average_gradient",),),
    "momentum": (("momentum",),),
    "accumulator": (("accumulator",),),
    "accum_grad": (("accumulated_grad",),),
    "accum_var": (("accumulated_delta_var",),),
    "linear": (("linear",),),
}
_NUMBERED = re.compile(r"^(.*?)(?:_(\d+))?$")


@dataclass(frozen=True)
class Role:
    """``kind``: variable, slot, average, power, step, counter, setting or table.

    ``of`` is the variable that a slot or an average belongs to, ``slot`` the slot's name.
    """

    kind: str
    of: str = ""
    slot: str = ""

    @property
    def words(self) -> str:
        """A few words for a list."""
        if self.kind == "slot":
            return f"slot {self.slot} of {self.of}"
        return {
            "variable": "", "average": f"average of {self.of}", "power": "power of a beta",
            "step": "training step", "counter": "updates", "table": "lookup table",
            "setting": "setting of the optimizer",
        }[self.kind]  # fmt: skip


def roles(tensors: Mapping[str, Tensor], average: str = AVERAGE) -> dict[str, Role]:
    """The role of every tensor, by its name and shape."""
    return {name: _role(name, tensors, average) for name in tensors}


def _role(name: str, tensors: Mapping[str, Tensor], average: str) -> Role:
    base, _, last = name.rpartition("/")
    if name == STEP or (last == STEP and not tensors[name].shape):
        return Role("step")
    if _POWER.search(name):
        return Role("power")
    if _TABLE.search(name):
        return Role("table")
    if not tensors[name].shape and _SETTING.search(name):
        return Role("setting")
    if not tensors[name].shape and _COUNTER.search(name):
        return Role("counter")
    if last == average:
        return Role("average", base, last)
    marked = "/.OPTIMIZER_SLOT/"
    if marked in name:
        owner, _, rest = name.partition(marked)
        return Role("slot", owner, rest.rpartition("/")[2])
    if base in tensors and tensors[base].shape == tensors[name].shape:
        return Role("slot", base, last)
    return Role("variable")


def keras_names(slot: str, all_slots: list[str]) -> tuple[str, ...]:
    """What Keras calls a slot, seen with all slots of its variable; nothing where unknown."""
    match = _NUMBERED.match(slot)
    assert match is not None
    stem = match[1]
    family = sorted(
        (s for s in all_slots if s == stem or re.fullmatch(re.escape(stem) + r"_\d+", s)),
        key=lambda s: int(s[len(stem) + 1 :] or 0) if s != stem else 0,
    )
    kind = "CenteredRMSProp" if stem == "RMSProp" and len(family) == 3 else stem
    names = KERAS_SLOTS.get(kind)
    if names is None or slot not in family or len(family) > len(names):
        return ()
    return names[family.index(slot)]
