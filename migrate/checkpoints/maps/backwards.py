"""A map read backwards: from the new program's checkpoint to names and layouts of TF 1.

A plain chain of steps is undone step by step. Where a variable was split or joined, the plan is run
forwards on the numbers of its elements, which shows where each of them went.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from migrate.checkpoints.errors import Usage
from migrate.checkpoints.formats.base import Reader, Tensor
from migrate.checkpoints.maps import mapfile, matching
from migrate.checkpoints.maps.expressions import Apply, Expression, Form, Source, Tensors, chain
from migrate.checkpoints.maps.mapfile import Mapped
from migrate.checkpoints.maps.plan import Item, Options, Plan, Target, of_optimizer
from migrate.checkpoints.maps.roles import Role, keras_names, roles
from migrate.checkpoints.maps.steps import Cast, Step

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array


def reads_backwards(map_: mapfile.Map, source: Reader) -> bool:
    """Whether the source is what the map leads to, and not what it starts from."""
    names = list(source.tensors)
    for rule in map_.rules:
        if any(part.to in source.tensors for part in rule.joined):
            return False
        if rule.match is not None:
            scopes = {n.rpartition("/")[0] for n in names} if rule.cell else set()
            if any(rule.match.fullmatch(name) for name in (*names, *scopes)):
                return False
    spelled = _spellings(source)
    goals = [part.to for rule in map_.rules for part in rule.parts]
    literal = [re.sub(r"\\\d|\\g<\w+>", "", to) for to in goals]
    return any(
        to in spelled or any(name.startswith(f"{to}/") for name in spelled) for to in goals
    ) or any(piece and any(piece in name for name in spelled) for piece in literal)


def leads_back(source: Reader, target: Target | None) -> bool:
    """Whether names of Keras' variables are to become names of TF 1's."""
    return (
        target is not None
        and target.reader.format in ("v1", "v2")
        and any(of_optimizer(s) for name in source.tensors for s in _names(source, name))
    )


def plan(source: Reader, target: Target | None, map_: mapfile.Map, options: Options) -> Plan:
    """A plan that undoes the map.

    Args:
        source: the new program's checkpoint.
        target: a TF 1 checkpoint with the shapes to come back to; without one they are
            worked out for names whose steps keep the rank.
        map_: the map from TF 1 to the new program.
        options: as for a plan forwards.
    """
    return _Backwards(source, target, map_, options).run()


class _Backwards:
    def __init__(
        self, source: Reader, target: Target | None, map_: mapfile.Map, options: Options
    ) -> None:
        self.source, self.target, self.map, self.options = source, target, map_, options
        self.plan = Plan()
        self.made: dict[str, Item] = {}
        self.used: set[str] = set()
        self.how: dict[str, str] = {}

    def run(self) -> Plan:
        if self.options.average is not None or self.options.include or self.options.exclude:
            raise Usage("--ema, --include and --exclude choose from a TF 1 checkpoint's tensors")
        forms = dict(self.target.tensors) if self.target is not None else self._forms()
        applied = mapfile.apply(self.map, forms)
        routes: dict[str, list[tuple[str, Expression]]] = defaultdict(list)
        for mapped in applied.mapped:
            found = self._resolve(mapped)
            for name in set(mapped.expression.sources()):
                routes[name].append((found, mapped.expression))
        self._by_names(forms, applied, routes)
        for name, ways in routes.items():
            self._add(name, forms, ways)
        self._slots(forms, routes)
        self._rest(forms, applied)
        return self.plan

    def _by_names(
        self,
        forms: Mapping[str, Tensor],
        applied: mapfile.Applied,
        routes: dict[str, list[tuple[str, Expression]]],
    ) -> None:
        """What the map does not speak of is paired as it is forwards."""
        kinds = roles(forms)
        free = {
            name: tensor
            for name, tensor in forms.items()
            if name not in routes and name not in applied.dropped and kinds[name].kind == "variable"
        }
        taken = {goal for ways in routes.values() for goal, _ in ways}
        spellings = {name: _names(self.source, name) for name in self.source.tensors}
        goals = {
            name: tensor
            for name, tensor in self.source.tensors.items()
            if name not in taken and not any(of_optimizer(s) for s in spellings[name])
        }
        matches = matching.match(free, goals, spellings, (), self.options.accept)
        for goal, (name, how) in matches.pairs.items():
            routes[name] = [(goal, Source(name))]
            self.how[name] = how
        for goal, names in matches.open.items():
            if names:
                self.plan.notes.append(f"{goal} could be {', '.join(names[:4])}")

    def _forms(self) -> dict[str, Tensor]:
        """TF 1's shapes, where the map alone gives them."""
        found = {}
        for name, rule in self.map.literals().items():
            if rule.drop:
                continue
            if rule.split is not None or rule.cell:
                raise Usage(
                    f"{rule.where}: the shapes before a split or a cell are TF 1's: give a TF 1 "
                    "checkpoint of this model with --like"
                )
            part = rule.parts[0]
            tensor = self.source.tensors[self._resolve(Mapped(part.to, Source(name), rule.where))]
            shape, dtype = rule.form
            if shape is None:
                shape = tensor.shape
                for step in reversed(part.steps):
                    shape = step.inverse(((0,) * len(shape), tensor.dtype)).shape(shape)
            found[name] = Tensor(name, dtype or tensor.dtype, shape)
        if len(found) < sum(1 for rule in self.map.rules if not rule.drop):
            raise Usage(
                f"{self.map.path}: rules with regular expressions are read backwards by the names "
                "of a TF 1 checkpoint: give one with --like"
            )
        return found

    def _resolve(self, mapped: Mapped) -> str:
        spelled = _spellings(self.source)
        for name in (mapped.to, mapped.to.removesuffix(":0"), mapped.to.replace(".", "/")):
            for prefix in ("", "model/"):
                if len(spelled.get(prefix + name, ())) == 1:
                    return spelled[prefix + name][0]
        raise Usage(f"{mapped.where}: {self.source.path} has no {mapped.to!r}")

    def _add(
        self, name: str, forms: Mapping[str, Tensor], ways: list[tuple[str, Expression]],
        how: str = "",
    ) -> None:  # fmt: skip
        wanted = forms[name]
        chained = _chain(ways[0][1]) if len(ways) == 1 else None
        expression: Expression
        if chained is not None:
            expression = _undone(ways[0][0], chained, wanted)
        else:
            expression = Gathered(wanted, tuple(ways), forms)
        shape, dtype = expression.form(self.source.tensors)
        if shape != wanted.shape:
            raise Usage(f"{name}: {list(shape)} comes back, and TF 1 has {list(wanted.shape)}")
        if dtype != wanted.dtype:
            if not self.options.cast:
                raise Usage(f"{name}: {dtype} comes back, TF 1 has {wanted.dtype}; --cast rounds")
            expression = Apply(Cast(wanted.dtype), expression)
        self.used.update(expression.sources())
        size = wanted.nbytes if dtype != "string" else 0
        how = how or self.how.get(name, "map backwards")
        self.made[name] = Item(Tensor(name, wanted.dtype, wanted.shape, size), expression, how)

    def _slots(
        self, forms: Mapping[str, Tensor], routes: Mapping[str, list[tuple[str, Expression]]]
    ) -> None:
        """Slots come from Keras' variables of the same quantity."""
        found = roles(forms)
        of: dict[str, list[str]] = defaultdict(list)
        for role in found.values():
            if role.kind == "slot":
                of[role.of].append(role.slot)
        ends: dict[str, list[str]] = defaultdict(list)
        for spelling, names in _spellings(self.source).items():
            ends[spelling.rpartition("/")[2]] += names
        for name, role in found.items():
            if role.kind == "step" and name not in self.made:
                self._step(name, forms)
            if role.kind != "slot" or name in self.made or role.of not in routes:
                continue
            ways = self._ways(role, routes[role.of], keras_names(role.slot, of[role.of]), ends)
            if ways:
                self._add(name, forms, ways, "slot backwards")

    def _ways(
        self,
        role: Role,
        routes: list[tuple[str, Expression]],
        kinds: tuple[str, ...],
        ends: Mapping[str, list[str]],
    ) -> list[tuple[str, Expression]]:
        ways = []
        for goal, expression in routes:
            names = {source: f"{source}/{role.slot}" for source in expression.sources()}
            for spelling, there in _spellings(self.source).items():
                if there != [goal]:
                    continue
                for kind in kinds:
                    places = set(ends.get(f"{spelling.replace('/', '_')}_{kind}", ()))
                    if len(places) == 1:
                        ways.append((places.pop(), expression.renamed(names, slot=True)))
                        break
        unique = list(dict.fromkeys(ways))
        return unique if len(unique) == len(routes) else []

    def _step(self, name: str, forms: Mapping[str, Tensor]) -> None:
        counts = {
            names[0]
            for spelling, names in _spellings(self.source).items()
            if re.search(r"(^|/)_?iterations?$", spelling) and len(names) == 1
        }
        if len(counts) == 1:
            self._add_count(name, counts.pop(), forms[name])

    def _add_count(self, name: str, count: str, wanted: Tensor) -> None:
        expression: Expression = Source(count)
        if self.source.tensors[count].dtype != wanted.dtype:
            expression = Apply(Cast(wanted.dtype), expression)
        self.used.add(count)
        self.made[name] = Item(wanted, expression, "count of updates")

    def _rest(self, forms: Mapping[str, Tensor], applied: mapfile.Applied) -> None:
        for name in forms:
            if name in self.made or name in applied.dropped:
                continue
            if name in self.source.tensors and name not in self.used:
                self._add(name, forms, [(name, Source(name))], "same name")
                continue
            assert self.target is not None
            power = roles(forms)[name].kind in ("power", "average")
            if self.options.partial or power:
                self.made[name] = Item(self.target.tensors[name], None, "stays as it is")
                if power:
                    self.plan.notes.append(f"{name}: taken from {self.target.words}")
            else:
                self.plan.unmatched[name] = "the map leads from it to nothing in the checkpoint"
        self.plan.items = [self.made[name] for name in sorted(self.made)]
        for name in self.source.tensors:
            if name not in self.used:
                self.plan.unused[name] = "the map leads nowhere from here"


def _spellings(source: Reader) -> dict[str, list[str]]:
    """Names that a map may use for the source's tensors."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in source.tensors:
        alias = source.aliases.get(name)
        for spelling in dict.fromkeys([name, *([alias] if alias else [])]):
            found[spelling].append(name)
            rest = spelling.partition("/")[2]
            if rest:
                found[rest].append(name)
    return {spelling: list(dict.fromkeys(names)) for spelling, names in found.items()}


def _names(source: Reader, name: str) -> list[str]:
    alias = source.aliases.get(name)
    return [*([alias] if alias else []), name]


def _chain(expression: Expression) -> list[Step] | None:
    """The steps of a chain from one source; None for anything else, and for parts."""
    from migrate.checkpoints.maps.steps import Slice

    steps: list[Step] = []
    while isinstance(expression, Apply):
        if isinstance(expression.step, Slice):
            return None
        steps.insert(0, expression.step)
        expression = expression.inner
    return steps if isinstance(expression, Source) else None


def _undone(name: str, steps: list[Step], wanted: Tensor) -> Expression:
    """The steps undone from behind; each has to know what it was given."""
    forms: list[Form] = [(wanted.shape, wanted.dtype)]
    for step in steps:
        shape, dtype = forms[-1]
        forms.append((step.shape(shape), step.dtype(dtype)))
    back = [step.inverse(form) for step, form in zip(steps, forms, strict=False)]
    return chain(Source(name), *reversed(back))


class _Numbers(Reader):
    """Stands for a checkpoint whose one variable holds the numbers of its elements."""

    def __init__(self, forms: Mapping[str, Tensor], name: str, values: Array) -> None:
        super().__init__("")
        self._forms, self._name, self._values = forms, name, values

    def pieces(self, name: str) -> Iterator[bytes]:
        raise NotImplementedError

    def read(self, name: str) -> Array:
        import numpy as np

        if name == self._name:
            return self._values
        return np.zeros(self._forms[name].shape, self._values.dtype)


def _bare(expression: Expression) -> Expression:
    """Without the steps that change values."""
    from migrate.checkpoints.maps.expressions import Join

    if isinstance(expression, Apply):
        inner = _bare(expression.inner)
        return Apply(expression.step, inner) if expression.step.moves_only else inner
    if isinstance(expression, Join):
        return Join(expression.axis, tuple(map(_bare, expression.parts)), expression.stack)
    return expression


class Gathered(Expression):
    """A variable put together again from all that it went into."""

    def __init__(
        self, wanted: Tensor, ways: tuple[tuple[str, Expression], ...], forms: Mapping[str, Tensor]
    ) -> None:
        self.wanted, self.ways, self.forms = wanted, ways, forms

    def form(self, tensors: Tensors) -> Form:
        dtypes = {tensors[name].dtype for name, _ in self.ways}
        if len(dtypes) > 1:
            raise Usage(f"{self.wanted.name}: its parts are of dtypes {', '.join(sorted(dtypes))}")
        return self.wanted.shape, dtypes.pop()

    def sources(self) -> Iterator[str]:
        for name, _ in self.ways:
            yield name

    def steps(self) -> Iterator[Step]:
        yield from ()

    def renamed(self, names: Mapping[str, str], *, slot: bool) -> Expression:
        raise NotImplementedError

    @property
    def words(self) -> str:
        return f"from {len(self.ways)} parts"

    def make(self, reader: Reader) -> Array:
        import numpy as np

        size = self.wanted.size
        numbers = np.arange(1, size + 1, dtype=np.int64).reshape(self.wanted.shape)
        result: Array | None = None
        seen = np.zeros(size, bool)
        for name, expression in self.ways:
            places = _bare(expression).make(_Numbers(self.forms, self.wanted.name, numbers))
            values = reader.read(name)
            if places.shape != values.shape:
                raise Usage(f"{name}: {list(values.shape)}, and the map gives {list(places.shape)}")
            values, whole = self._undone(expression, values)
            held = (places > 0) & whole
            picked = values[held]
            if result is None:
                result = np.empty(size, values.dtype)
            # Where two tensors hold an element (Cudnn's GRU), the first one's is taken.
            flat = places[held] - 1
            fresh = ~seen[flat]
            result[flat[fresh]] = picked[fresh]
            seen[flat] = True
        if not seen.all() or result is None:
            raise Usage(f"{self.wanted.name}: {int((~seen).sum())} of its {size} values are lost")
        return result.reshape(self.wanted.shape)

    def _undone(self, expression: Expression, values: Array) -> tuple[Array, Array]:
        """Values without what was added and multiplied, and which of them are not lost by that."""
        import numpy as np

        if all(step.moves_only for step in expression.steps()):
            return values, np.ones(values.shape, bool)
        shape = self.wanted.shape
        zero = expression.make(_Numbers(self.forms, self.wanted.name, np.zeros(shape)))
        factor = expression.make(_Numbers(self.forms, self.wanted.name, np.ones(shape))) - zero
        whole = factor != 0
        # In float64, so that forget_bias comes off as exactly as it can.
        undone: Array = (values.astype(np.float64) - zero) / np.where(whole, factor, 1.0)
        return undone.astype(values.dtype), whole
