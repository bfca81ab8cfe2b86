"""Decide what becomes of what, for one source and, where there is one, one target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import Usage
from migrate.checkpoints.formats.base import Reader, Tensor
from migrate.checkpoints.maps import mapfile, matching
from migrate.checkpoints.maps.expressions import Apply, Expression, Source
from migrate.checkpoints.maps.plan import (
    ITERATIONS,
    Item,
    Options,
    Plan,
    Target,
    of_optimizer,
    pattern_of,
)
from migrate.checkpoints.maps.roles import AVERAGE, Role, keras_names, roles
from migrate.checkpoints.maps.steps import Cast
from migrate.checkpoints.maps.vocabulary import Vocabulary

# What a TF 1 checkpoint never has: it stays as the model starts with it.
_KEPT = re.compile(r"(^|/)(_?learning_rate|seed_generator_state|save_counter)$")


class Planner:
    """Builds the plan for one source and, where there is one, one target."""

    def __init__(
        self, source: Reader, target: Target | None, map_: mapfile.Map | None, options: Options
    ) -> None:
        self.source, self.target, self.map, self.options = source, target, map_, options
        self.plan = Plan()
        self.tensors = self._chosen()
        self.roles = roles(self.tensors, options.average or AVERAGE)
        self.made: dict[str, Item] = {}
        self.used: set[str] = set()

    def _chosen(self) -> dict[str, Tensor]:
        include = [pattern_of(text) for text in self.options.include]
        exclude = [pattern_of(text) for text in self.options.exclude]
        found = {}
        for name, tensor in self.source.tensors.items():
            if include and not any(pattern.search(name) for pattern in include):
                self.plan.unused[name] = "not included"
            elif any(pattern.search(name) for pattern in exclude):
                self.plan.unused[name] = "excluded"
            elif tensor.dtype not in dtypes.SIZES and tensor.dtype != dtypes.STRING:
                self.plan.unused[name] = f"a {tensor.dtype}, which has no values to convert"
            else:
                found[name] = tensor
        if not found:
            raise Usage(f"{self.source.path}: no tensor is left to convert")
        return found

    def run(self, order: Iterable[str] = ()) -> Plan:
        """Decide on every tensor."""
        applied = self.map.applied(self.tensors) if self.map else mapfile.Applied()
        self.plan.unused.update(applied.dropped)
        self.plan.notes += [f"{where}: matches nothing" for where in applied.idle]
        averages = self._averages()
        for mapped in applied.mapped:
            self._add(mapped.to, mapped.expression, "map", averages, mapped.where)
        self.used |= applied.used
        if self.target is None:
            self._slots_by_name()
            self._rest_as_it_is(averages)
        else:
            self._with_target(self.target, averages, list(order))
        self._finish(averages)
        return self.plan

    # -- averages --------

    def _averages(self) -> dict[str, str]:
        """Variable → its moving average, where averages are asked for."""
        if self.options.average is None:
            return {}
        found = {
            role.of: name
            for name, role in self.roles.items()
            if role.kind == "average" and role.of in self.tensors
        }
        missing = [n for n, role in self.roles.items() if role.kind == "average"]
        for name in missing:
            of = self.roles[name].of
            if of not in self.tensors:
                found[of] = name
        if not found:
            raise Usage(
                f"{self.source.path}: no moving averages (names that end in "
                f"/{self.options.average})"
            )
        return found

    def _averaged(self, expression: Expression, averages: Mapping[str, str]) -> Expression:
        names = {name: averages.get(name, name) for name in expression.sources()}
        self.used.update(names.values())
        return expression.renamed(names, slot=False)

    # -- adding --------

    def _add(
        self,
        to: str,
        expression: Expression,
        how: str,
        averages: Mapping[str, str],
        where: str,
    ) -> None:
        used = _averages_in(expression, averages)
        expression = self._averaged(expression, averages) if used else expression
        how = f"{how}, average" if used else how
        try:
            shape, dtype = expression.form(self.source.tensors)
        except Usage as error:
            raise Usage(f"{where}: {error}") from None
        tensor = Tensor(to, dtype, shape, self._bytes(expression, dtype))
        label = ""
        if self.target is not None:
            name = self._resolve(to, where)
            wanted = self.target.tensors[name]
            label = self.target.label(name)
            expression, tensor = self._fit(wanted, tensor, expression, where)
        if tensor.name in self.made:
            raise Usage(f"{where}: {tensor.name} has a source already: {self._origin(tensor.name)}")
        self.used.update(expression.sources())
        self.made[tensor.name] = Item(tensor, expression, how, label)

    def _bytes(self, expression: Expression, dtype: str) -> int:
        if dtype != "string":
            return -1
        return sum(self.source.tensors[name].nbytes for name in expression.sources())

    def _origin(self, name: str) -> str:
        expression = self.made[name].expression
        return ", ".join(expression.sources()) if expression else "the target"

    def _fit(
        self, wanted: Tensor, tensor: Tensor, expression: Expression, where: str
    ) -> tuple[Expression, Tensor]:
        assert self.target is not None
        free = _is_table(wanted.name)
        if tensor.shape != wanted.shape and not free:
            raise Usage(
                f"{where}: {' + '.join(expression.sources())} gives {list(tensor.shape)}, and "
                f"{self.target.label(wanted.name)} is {list(wanted.shape)}"
            )
        if tensor.dtype != wanted.dtype:
            if not self.options.cast or "string" in (tensor.dtype, wanted.dtype):
                raise Usage(
                    f"{where}: {' + '.join(expression.sources())} is {tensor.dtype}, and "
                    f"{self.target.label(wanted.name)} {wanted.dtype}; --cast rounds"
                )
            expression = Apply(Cast(wanted.dtype), expression)
        expression = self._with_initial(expression, wanted)
        size = tensor.nbytes if wanted.dtype == "string" else -1
        return expression, Tensor(wanted.name, wanted.dtype, tensor.shape, size)

    def _with_initial(self, expression: Expression, wanted: Tensor) -> Expression:
        """Rows of new words keep what the target starts with."""
        if not isinstance(expression, Apply):
            return expression
        inner = self._with_initial(expression.inner, wanted)
        step = expression.step
        if isinstance(step, Vocabulary) and step.missing == "keep":
            assert self.target is not None
            reader, name = self.target.reader, wanted.name
            step = step.keeping(lambda: reader.read(name))
        return Apply(step, inner)

    def _resolve(self, to: str, where: str) -> str:
        """The target that a path of a map means.

        Raises:
            Usage: none, or several.
        """
        assert self.target is not None
        if to in self.target.tensors:
            return to
        wanted = {to, to.removesuffix(":0"), to.replace(".", "/")}
        for cut in (0, 1):
            found = []
            for name in self.target.tensors:
                spelled = {_cut(spelling, cut) for spelling in self.target.names(name)}
                if wanted & (spelled | {s.removesuffix(":0") for s in spelled}):
                    found.append(name)
            if len(found) == 1:
                return found[0]
            if found:
                raise Usage(f"{where}: {to!r} could be {', '.join(found)}")
        import difflib

        known = [self.target.label(name) for name in self.target.tensors]
        near = difflib.get_close_matches(to, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise Usage(f"{where}: {self.target.words} has no {to!r}{hint}")

    # -- slots and counters --------

    def _slots_by_name(self) -> None:
        """Slots follow their variables, with the same steps, under TF 1's names."""
        for name, role in self.roles.items():
            if role.kind != "slot" or name in self.used or name in self.plan.unused:
                continue
            for to, expression in self._slot(name, role):
                self._add(f"{to}/{role.slot}", expression, "slot", {}, name)

    def _slot(self, name: str, role: Role) -> list[tuple[str, Expression]]:
        """What a slot's variable went into, made from the slot."""
        found = []
        for to, item in self.made.items():
            expression = item.expression
            if expression is None or item.how.startswith("slot"):
                continue
            sources = set(expression.sources())
            if role.of not in sources and self._raw(role.of) not in sources:
                continue
            names = {}
            for source in sources:
                of = self.roles[source].of if self.roles[source].kind == "average" else source
                slot = f"{of}/{role.slot}"
                if slot not in self.tensors:
                    raise Usage(f"{name}: {of} has no slot {role.slot}, and both make {to}")
                names[source] = slot
            found.append((to, expression.renamed(names, slot=True)))
        return found

    def _raw(self, name: str) -> str:
        average = f"{name}/{self.options.average}" if self.options.average else name
        return average if average in self.tensors else name

    def _rest_as_it_is(self, averages: Mapping[str, str]) -> None:
        for name in self.tensors:
            if name in self.used or name in self.plan.unused:
                continue
            role = self.roles[name]
            if averages and role.kind == "average":
                if role.of not in self.tensors:
                    self._add(role.of, Source(name), "same name, average", {}, name)
                continue
            self._add(name, Source(name), "same name", averages, name)

    # -- with a target --------

    def _with_target(self, target: Target, averages: Mapping[str, str], order: list[str]) -> None:
        tables = {name for name in self.tensors if self.roles[name].kind == "table"}
        for name, goal in self._equal_names(target):
            one, other = self.tensors[name], target.tensors[goal]
            if name in tables or matching.form(one) == matching.form(other):
                self._add(goal, Source(name), "name", averages, name)
        left = {
            name: tensor
            for name, tensor in self.tensors.items()
            if name not in self.used
            and name not in self.plan.unused
            and self.roles[name].kind == "variable"
        }
        bare = [n for of, n in averages.items() if of not in self.tensors]
        left.update({self.roles[n].of: self.tensors[n] for n in bare if n not in self.used})
        optimizer = self._of_optimizers(target)
        targets = {
            name: tensor
            for name, tensor in target.tensors.items()
            if name not in self.made and name not in optimizer and not self._stays(target, name)
        }
        spellings = {name: target.names(name) for name in targets}
        matches = matching.match(
            self._comparable(left), self._comparable(targets), spellings, order, self.options.accept
        )
        for to, (source, how) in matches.pairs.items():
            used = averages.get(source, source)
            how = f"{how}, average" if used != source else how
            self._add(to, Source(used), how, {}, source)
        self._keras_slots(target)
        self._counters(target)
        for name, tensor in target.tensors.items():
            if name in self.made:
                continue
            label = target.label(name)
            if self._stays(target, name):
                self.made[name] = Item(tensor, None, "stays as it is", label)
            elif self.options.partial:
                self.made[name] = Item(tensor, None, "stays as it is (--partial)", label)
            elif name in matches.clashes:
                clash = self.tensors[matches.clashes[name]]
                hint = "; --cast rounds" if clash.shape == tensor.shape else ""
                self.plan.unmatched[name] = (
                    f"{clash.name} is {clash.dtype}{list(clash.shape)}, not "
                    f"{tensor.dtype}{list(tensor.shape)}{hint}"
                )
            elif matches.open.get(name):
                self.plan.ambiguous[name] = [
                    found
                    for found in matches.open[name]
                    if averages.get(found, found) not in self.used
                ] or matches.open[name]
            elif name in optimizer:
                self.plan.unmatched[name] = "no slot or counter for it"
            else:
                self.plan.unmatched[name] = (
                    f"nothing of {tensor.dtype}{list(tensor.shape)} is left in the checkpoint"
                )

    def _comparable(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """With --cast, one floating-point dtype is as good as another."""
        if not self.options.cast:
            return tensors
        return {
            name: Tensor(name, "floating" if t.dtype in dtypes.FLOATS else t.dtype, t.shape, 0)
            for name, t in tensors.items()
        }

    def _equal_names(self, target: Target) -> list[tuple[str, str]]:
        """Sources and targets of the very same name, slots and counters included."""
        spelled: dict[str, list[str]] = {}
        for goal in target.tensors:
            for spelling in target.names(goal):
                spelled.setdefault(spelling, []).append(goal)
        return [
            (name, spelled[name][0])
            for name in self.tensors
            if name not in self.used
            and name not in self.plan.unused
            and len(spelled.get(name, ())) == 1
            and spelled[name][0] not in self.made
        ]

    def _stays(self, target: Target, name: str) -> bool:
        return any(_KEPT.search(spelling) for spelling in target.names(name))

    def _of_optimizers(self, target: Target) -> set[str]:
        """Targets that belong to an optimizer, by how Keras names its variables."""
        found = set()
        for name in target.tensors:
            if any(of_optimizer(spelling) for spelling in target.names(name)):
                found.add(name)
        return found

    def _keras_slots(self, target: Target) -> None:
        """Slots of TF 1 optimizers into the variables of Keras' ones."""
        places: dict[str, list[str]] = {}
        for name in self._of_optimizers(target):
            for spelling in target.names(name):
                places.setdefault(spelling.rpartition("/")[2], []).append(name)
        of: dict[str, list[str]] = {}
        for role in self.roles.values():
            if role.kind == "slot":
                of.setdefault(role.of, []).append(role.slot)
        for name, role in self.roles.items():
            if role.kind != "slot" or name in self.used or name in self.plan.unused:
                continue
            if role.slot.rstrip("_0123456789") == "Momentum":
                self.plan.unused[name] = (
                    "Keras' SGD keeps -rate * momentum: give a rule with {multiply = -rate}"
                )
                continue
            for to, expression in self._slot(name, role):
                for goal in self._places_of(target, to, keras_names(role.slot, of[role.of])):
                    if len(places.get(goal, ())) == 1:
                        self._add(places[goal][0], expression, "slot", {}, name)
                        break

    def _places_of(self, target: Target, to: str, kinds: tuple[str, ...]) -> list[str]:
        return [
            f"{spelling.removesuffix(':0').replace('/', '_')}_{kind}"
            for spelling in target.names(to)
            for kind in kinds
        ]

    def _counters(self, target: Target) -> None:
        """Keras counts updates where TF 1 has its global step."""
        steps = [name for name, role in self.roles.items() if role.kind == "step"] or [
            name
            for name, role in self.roles.items()
            if role.kind == "counter" and not name.endswith("save_counter")
        ]
        goals = [
            name
            for name in self._of_optimizers(target)
            if any(ITERATIONS.search(n) for n in target.names(name)) and name not in self.made
        ]
        if len(steps) == 1 and len(goals) == 1 and steps[0] not in self.used:
            wanted, tensor = target.tensors[goals[0]], self.tensors[steps[0]]
            expression: Expression = Source(steps[0])
            if tensor.dtype != wanted.dtype:
                expression = Apply(Cast(wanted.dtype), expression)
            self._add(goals[0], expression, "training step", {}, steps[0])
            self.plan.notes.append(
                f"{steps[0]} becomes the optimizer's count of updates: right if every step was one"
            )

    # -- what is left --------

    def _finish(self, averages: Mapping[str, str]) -> None:
        order = self.target.tensors if self.target is not None else sorted(self.made)
        self.plan.items = [self.made[name] for name in order if name in self.made]
        for name in self.tensors:
            if name in self.used or name in self.plan.unused:
                continue
            role = self.roles[name]
            if name in averages or (role.of in averages and role.kind == "average"):
                self.plan.unused[name] = "its average is taken"
            elif role.kind == "average":
                self.plan.unused[name] = "an average; --ema takes averages"
            elif role.kind == "power":
                self.plan.unused[name] = "Keras computes it from the count of updates"
            elif role.kind == "setting":
                self.plan.unused[name] = "a setting of the old optimizer"
            elif role.kind == "slot":
                self.plan.unused[name] = f"a slot ({role.slot}); the target has no place for it"
            elif role.kind in ("step", "counter"):
                self.plan.unused[name] = "a counter; the target has no place for it"
            elif self.options.partial:
                self.plan.unused[name] = "nothing of the target fits (--partial)"
            else:
                self.plan.left_over.append(name)


def _averages_in(expression: Expression, averages: Mapping[str, str]) -> bool:
    return any(name in averages for name in expression.sources())


def _is_table(name: str) -> bool:
    return name.endswith(("-keys", "-values"))


def _cut(name: str, count: int) -> str:
    return "/".join(name.split("/")[count:]) if count else name
