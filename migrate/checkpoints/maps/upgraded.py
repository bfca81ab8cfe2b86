"""``migrate-names.json`` as `migrate upgrade` writes it: a section for each Saver of a program.

A section says where the new program's checkpoint has what TF 1 called so: variables by name,
recurrent cells by patterns, optimizers by the order in which they train. What the upgrade couldn't
tell is there, too, with the reason; a checkpoint that needs it isn't converted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from migrate.checkpoints.errors import Usage
from migrate.checkpoints.formats.base import Tensor
from migrate.checkpoints.maps.expressions import Source, chain
from migrate.checkpoints.maps.mapfile import Applied, Map, Mapped
from migrate.checkpoints.maps.steps import Cast, Multiply, Step, Updates

KEEPS = ("_iterations", "_learning_rate")  # what every Keras optimizer has besides slots


@dataclass
class Upgraded(Map):
    """The sections of a file, and the one that is asked for."""

    sections: list[dict[str, Any]] = field(default_factory=list)
    wanted: str | None = None  # "PROGRAM", "PROGRAM:SAVER" or ":SAVER"
    kept: list[str] = field(default_factory=list)  # paths whose values stay the program's

    def applied(self, tensors: Mapping[str, Tensor]) -> Applied:
        """What becomes of the tensors.

        Raises:
            Usage: no section fits, or several do that differ.
        """
        tried = [(one, _Fit(one, self.path, tensors)) for one in self._asked()]
        whole = [(one, fit) for one, fit in tried if not fit.wrong]
        if not whole:
            if len(tried) == 1:
                raise Usage(f"{self.path}: {_label(tried[0][0])}: {tried[0][1].wrong}")
            lines = "".join(f"\n    {_label(one)}: {fit.wrong}" for one, fit in tried)
            raise Usage(f"{self.path}: the checkpoint is none of its Savers':{lines}")
        plans = {repr(sorted((m.to, repr(m.expression)) for m in f.mapped)) for _, f in whole}
        if len(plans) > 1:
            names = ", ".join(_label(one) for one, _ in whole)
            raise Usage(f"{self.path}: the checkpoint could be of {names}; say which (--program)")
        fit = whole[0][1]
        self.kept = fit.kept
        used = {name for m in fit.mapped for name in m.expression.sources()}
        return Applied(fit.mapped, {n: w for n, w in fit.dropped.items() if n not in used}, used)

    def _asked(self) -> list[dict[str, Any]]:
        if self.wanted is None:
            return self.sections
        program, _, saver = self.wanted.partition(":")
        found = [
            one
            for one in self.sections
            if program in ("", one["program"]) and saver in ("", one["saver"])
        ]
        if not found:
            known = ", ".join(_label(one) for one in self.sections)
            raise Usage(f"{self.path}: no {self.wanted!r}; there are {known}")
        return found


def _label(section: dict[str, Any]) -> str:
    return f"{section['program']}:{section['saver']}"


def sections(data: Any, path: str) -> list[dict[str, Any]]:
    """The sections of a file, their form checked."""
    found = data.get("savers")
    if data.get("version") != 1 or not isinstance(found, list):
        raise Usage(f"{path}: version {data.get('version')!r}; 1 is read here")
    for number, one in enumerate(found, 1):
        where = f"{path}: saver {number}"
        if not isinstance(one, dict) or not all(
            isinstance(one.get(k), str) for k in ("program", "saver")
        ):
            raise Usage(f"{where}: no program and saver")
        for key in ("names", "patterns", "unknown"):
            table = one.get(key, {})
            if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
                raise Usage(f"{where}: `{key}` is no object of strings")
        trained = one.get("optimizers", {})
        if not isinstance(trained, dict) or not all(isinstance(v, dict) for v in trained.values()):
            raise Usage(f"{where}: `optimizers` is no object of objects")
    return found


class _Fit:
    """A section on the tensors of a checkpoint: what it maps, and why it doesn't fit."""

    def __init__(self, section: dict[str, Any], path: str, tensors: Mapping[str, Tensor]) -> None:
        self.section, self.tensors = section, tensors
        self.where = f"{path}: {_label(section)}"
        self.mapped: list[Mapped] = []
        self.dropped: dict[str, str] = {}
        self.kept: list[str] = []
        self.paths: dict[str, str] = {}  # of variables, by TF 1's names
        self.slots: dict[tuple[str, str], int] = {}  # how many of a name a variable has had
        self.wrong = ""
        try:
            self._variables()
            for key, one in section.get("optimizers", {}).items():
                self._optimizer(key, one)
            self._rest()
        except (KeyError, TypeError, ValueError, IndexError, re.error) as error:
            self.wrong = f"damaged: {type(error).__name__}: {error}"
        except Usage as error:
            self.wrong = str(error)

    def _add(self, name: str, to: str, *steps: Step) -> None:
        self.mapped.append(Mapped(to, chain(Source(name), *steps), self.where))

    def _variables(self) -> None:
        missing = [name for name in self.section.get("names", {}) if name not in self.tensors]
        if missing:
            raise Usage(f"the checkpoint has no {', '.join(map(repr, missing[:3]))}")
        self.paths.update(self.section.get("names", {}))
        patterns = {re.compile(m): to for m, to in self.section.get("patterns", {}).items()}
        for name in self.tensors:
            for pattern, to in patterns.items():
                match = pattern.fullmatch(name)
                if match is not None:
                    self.paths.setdefault(name, match.expand(to))
        for name, to in self.paths.items():
            self._add(name, to)

    def _optimizer(self, key: str, one: dict[str, Any]) -> None:
        self.kept += [f"{key}/{name}" for name in KEEPS]
        kinds = one.get("slots", ())
        rows: list[list[tuple[str, Any]]] = []
        known: dict[str, list[tuple[str, Any]]] = {}
        for name in self._ordered(one.get("variables", ())):
            if name in known:  # a variable of two lists has two places, and the slots of one
                rows.append(known[name])
                continue
            base = one["name"].replace("{}", name)
            stem = base.rpartition("/")[2]
            found = []
            for kind in kinds:
                number = self.slots.get((name, stem), 0)
                slot = f"{base}_{number}" if number else base
                if slot not in self.tensors:
                    break
                self.slots[name, stem] = number + 1
                found.append((slot, kind))
            if found and len(found) < len(kinds):
                raise Usage(f"{name} has {len(found)} of {len(kinds)} slots {stem}")
            known[name] = found
            rows.append(found)
        if not one.get("all") and any(rows) and not all(rows):
            raise Usage(
                f"{key}: some variables have slots in the checkpoint and some don't: which of them "
                "the new program trains can't be told"
            )
        for place, row in enumerate(rows):
            for slot, kind in row:
                if kind is None:
                    self.dropped[slot] = "nothing that a step begins with"
                    continue
                path = f"{kind}/{place}"
                if isinstance(kind, int):
                    path = f"_variables/{one['first'] + kind * len(rows) + place}"
                self._add(slot, f"{key}/{path}", *self._scaled(key, one))
        self._count(key, one, any(rows))

    def _count(self, key: str, one: dict[str, Any], needed: bool) -> None:
        """The count of updates; without it an optimizer begins anew, slots and all."""
        count = one.get("iterations")
        power = count["power"] if isinstance(count, dict) else count
        if power is not None and power not in self.tensors:
            if needed or not isinstance(count, dict):
                raise Usage(f"the checkpoint has no {power!r}")
        elif isinstance(count, dict) and isinstance(power, str):
            self._add(power, f"{key}/_iterations", Updates(float(count["of"])))
        elif power is not None:
            self._add(power, f"{key}/_iterations", Cast("int64"))
        self.dropped.update(
            dict.fromkeys(one.get("drop", ()), "Keras computes it from the count of updates")
        )

    def _scaled(self, key: str, one: dict[str, Any]) -> tuple[Step, ...]:
        if "multiply" not in one:
            return ()
        if one["multiply"] is None:
            raise Usage(
                f"{key}: TF 1's slot holds no learning rate, the Keras optimizer's does: put minus "
                "the learning rate for `multiply`"
            )
        return (Multiply(float(one["multiply"])),)

    def _ordered(self, listed: Any) -> list[str]:
        """Names of variables in the order of the optimizer's lists."""
        out: list[str] = []
        for item in listed:
            if isinstance(item, str):
                out.append(item)
                continue
            head = item["below"] + "/"
            inside = [name for name, to in self.paths.items() if to.startswith(head)]
            made = item.get("made")
            if made is None:
                out += sorted(inside, key=lambda name: _place(self.paths[name]))
            else:  # as their values begin, not as a module lists them
                places = {name: _made(self.paths[name], made) for name in inside}
                out += sorted(inside, key=places.__getitem__)
        return out

    def _rest(self) -> None:
        """Everything in the checkpoint goes somewhere."""
        used = {name for m in self.mapped for name in m.expression.sources()}
        left = [name for name in self.tensors if name not in used and name not in self.dropped]
        unknown = dict(self.section.get("unknown", {}))
        for key, one in self.section.get("optimizers", {}).items():
            if left and "unknown" in one:
                unknown[key] = str(one["unknown"])
        why = "; ".join(f"{name}: {reason}" for name, reason in list(unknown.items())[:4])
        if left:
            more = f" and {len(left) - 3} more" if len(left) > 3 else ""
            raise Usage(
                f"nothing is known for {', '.join(map(repr, left[:3]))}{more}"
                + (f" (the upgrade couldn't tell: {why})" if why else "")
            )
        if unknown:
            raise Usage(f"the upgrade couldn't tell everything: {why}")
        made = {m.to for m in self.mapped}
        self.kept = [path for path in self.kept if path not in made]


def _place(path: str) -> tuple[int, list[tuple[int, int | str]]]:
    """Where a tf.Module lists a variable: its own ones by name, then those of what is below."""
    parts = path.split("/")
    return len(parts), [(0, int(p)) if p.isdigit() else (1, p) for p in parts]


def _made(path: str, leaves: list[str]) -> tuple[list[int], int]:
    """Where a variable of stacked cells comes in the order in which they make theirs."""
    *above, leaf = path.split("/")
    return [int(part) for part in above if part.isdigit()], leaves.index(leaf)
