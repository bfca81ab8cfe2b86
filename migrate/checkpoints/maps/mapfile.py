"""Maps on disk: ``migrate-names.json`` from an upgrade, and files with rules that a user writes.

What an upgrade writes is read by ``upgraded``.
Names: ``{"TF 1 name": "path"}`` or ``{"TF 1 name": {"path": ..., "transform": [...]}}``. Rules:
JSON or TOML with a list ``rules``. docs/checkpoints.md describes both.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from migrate.checkpoints.errors import Usage
from migrate.checkpoints.formats.base import Tensor
from migrate.checkpoints.maps import cells, steps
from migrate.checkpoints.maps.expressions import Expression, Join, Source, chain
from migrate.checkpoints.maps.vocabulary import Vocabulary

_LARGEST = 256 << 20
_RULE = {"match", "to", "transform", "drop", "split", "concat", "stack", "axis", "cell",
         "forget_bias", "vocabulary"}  # fmt: skip
_ENTRY = {"path", "transform", "drop", "split", "into", "cell", "forget_bias", "shape", "dtype",
          "vocabulary", "permutation"}  # fmt: skip


@dataclass(frozen=True)
class Mapped:
    """One tensor of the new checkpoint, as a rule asks for it."""

    to: str
    expression: Expression
    where: str


@dataclass(frozen=True)
class Part:
    """Where a piece of a variable goes."""

    to: str
    steps: tuple[steps.Step, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One entry of a map. ``match`` is matched against whole names, for cells against scopes."""

    where: str
    match: re.Pattern[str] | None = None
    drop: bool = False
    parts: tuple[Part, ...] = ()
    split: tuple[int, tuple[int, ...]] | None = None
    joined: tuple[Part, ...] = ()
    axis: int = 0
    stack: bool = False
    cell: str = ""
    forget_bias: float | None = None
    literal: str = ""
    form: tuple[tuple[int, ...] | None, str | None] = (None, None)


@dataclass
class Map:
    """Rules in order; the first that matches a name decides."""

    path: str
    rules: list[Rule] = field(default_factory=list)

    def literals(self) -> dict[str, Rule]:
        """Rules for one name each, as ``migrate-names.json`` has them."""
        return {rule.literal: rule for rule in self.rules if rule.literal}

    def applied(self, tensors: Mapping[str, Tensor]) -> Applied:
        """What the rules say of the tensors of a checkpoint."""
        return apply(self, tensors)


@dataclass
class Applied:
    """What the rules say of the tensors of a checkpoint."""

    mapped: list[Mapped] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    idle: list[str] = field(default_factory=list)


def load(path: str, program: str | None = None) -> Map:
    """Read a map of either kind; ``program`` chooses among those of an upgrade.

    Raises:
        Usage: the file is not there, or is no map; the message names the place.
    """
    try:
        if os.path.getsize(path) > _LARGEST:
            raise Usage(f"{path}: too large for a map")
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Usage(f"{path}: {error}") from None
    try:
        data = _toml(text) if path.endswith(".toml") else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Usage(f"{path}: {error}") from None
    if not isinstance(data, dict):
        raise Usage(f"{path}: a map is an object: names, or a list `rules`")
    if "savers" in data:
        from migrate.checkpoints.maps.upgraded import Upgraded, sections

        return Upgraded(path, sections=sections(data, path), wanted=program)
    if program is not None:
        raise Usage(f"{path}: --program is for the migrate-names.json of an upgrade")
    if isinstance(data.get("rules"), list):
        unknown = set(data) - {"rules", "version", "$schema", "comment"}
        if unknown:
            raise Usage(f"{path}: {', '.join(sorted(unknown))}: not known beside `rules`")
        if data.get("version", 1) != 1:
            raise Usage(f"{path}: version {data['version']!r}; 1 is read here")
        rules = [_rule(item, f"{path}: rule {n}", path) for n, item in enumerate(data["rules"], 1)]
        return Map(path, rules)
    found = [
        _entry(name, item, f"{path}: {name}", path)
        for name, item in data.items()
        if not name.startswith("$")
    ]
    return Map(path, found)


def _toml(text: str) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _known(item: Any, known: set[str], where: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise Usage(f"{where}: an object was expected, not {item!r}")
    unknown = set(item) - known
    if unknown:
        raise Usage(
            f"{where}: {', '.join(sorted(unknown))} not known; known: {', '.join(sorted(known))}"
        )
    return item


def _entry(name: str, item: Any, where: str, path: str) -> Rule:
    """An entry of ``migrate-names.json``."""
    match = re.compile(re.escape(name))
    if isinstance(item, str):
        return Rule(where, match, parts=(Part(item),), literal=name)
    item = _known(item, _ENTRY, where)
    shape = tuple(item["shape"]) if isinstance(item.get("shape"), list) else None
    rule = Rule(where, match, literal=name, form=(shape, item.get("dtype")))
    if item.get("drop"):
        return replace(rule, drop=True)
    if "cell" in item:
        return _with_cell(rule, item, item.get("path"), where)
    if "split" in item:
        parts = [
            Part(_text(part, "path", where), steps.parse_all(part.get("transform"), where))
            for part in _list(item.get("into"), f"{where}: into")
            if _known(part, {"path", "transform"}, where)
        ]
        return replace(rule, split=_split(item["split"], where), parts=tuple(parts))
    return replace(rule, parts=(Part(_text(item, "path", where), _steps(item, where, path)),))


def _rule(item: Any, where: str, path: str) -> Rule:
    """A rule of a user's file."""
    item = _known(item, _RULE, where)
    rule = Rule(where)
    if "concat" in item or "stack" in item:
        stack = "stack" in item
        joined = []
        for part in _list(item["stack" if stack else "concat"], where):
            if isinstance(part, str):
                joined.append(Part(part))
            else:
                part = _known(part, {"name", "transform"}, where)
                joined.append(
                    Part(_text(part, "name", where), steps.parse_all(part.get("transform"), where))
                )
        if not joined:
            raise Usage(f"{where}: nothing to join")
        made = Part(_text(item, "to", where), _steps(item, where, path))
        axis = item.get("axis", 0)
        return replace(rule, joined=tuple(joined), axis=axis, stack=stack, parts=(made,))
    try:
        rule = replace(rule, match=re.compile(_text(item, "match", where)))
    except re.error as error:
        raise Usage(f"{where}: match: {error}") from None
    if item.get("drop"):
        return replace(rule, drop=True)
    if "cell" in item:
        return _with_cell(rule, item, item.get("to"), where)
    if "split" in item:
        made_steps = _steps(item, where, path)
        parts = tuple(Part(str(to), made_steps) for to in _list(item.get("to"), f"{where}: to"))
        return replace(rule, split=_split(item["split"], where), parts=parts)
    return replace(rule, parts=(Part(_text(item, "to", where), _steps(item, where, path)),))


def _steps(item: dict[str, Any], where: str, path: str) -> tuple[steps.Step, ...]:
    found = steps.parse_all(item.get("transform"), where)
    if "permutation" in item:  # short for an order of gates
        found = (steps.parse({"gates": {"order": item["permutation"]}}, where), *found)
    if "vocabulary" in item:
        given = _known(item["vocabulary"], {"old", "new", "missing", "oov", "axis"}, where)
        folder = os.path.dirname(os.path.abspath(path))
        found = (*found, Vocabulary.load(given, folder, where))
    return found


def _with_cell(rule: Rule, item: dict[str, Any], to: Any, where: str) -> Rule:
    if item["cell"] not in cells.CELLS:
        raise Usage(f"{where}: no cell {item['cell']!r}; known: {', '.join(cells.CELLS)}")
    if not isinstance(to, str):
        raise Usage(f"{where}: a cell goes to one path")
    bias = item.get("forget_bias")
    if bias is not None and (isinstance(bias, bool) or not isinstance(bias, (int, float))):
        raise Usage(f"{where}: forget_bias is a number, not {bias!r}")
    return replace(rule, cell=item["cell"], forget_bias=bias, parts=(Part(to),))


def _split(item: Any, where: str) -> tuple[int, tuple[int, ...]]:
    item = _known(item, {"axis", "sizes"}, f"{where}: split")
    axis, sizes = item.get("axis", 0), item.get("sizes", [])
    if type(axis) is not int or not all(type(size) is int for size in _list(sizes, where)):
        raise Usage(f"{where}: split: an axis and sizes, of which one may be -1")
    return axis, tuple(sizes)


def _text(item: dict[str, Any], key: str, where: str) -> str:
    value = item.get(key) if isinstance(item, dict) else None
    if not isinstance(value, str) or not value:
        raise Usage(f"{where}: `{key}` is missing, or no string")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise Usage(f"{where}: a list was expected, not {value!r}")
    return value


# -- to a checkpoint --------


def apply(map_: Map, tensors: Mapping[str, Tensor]) -> Applied:
    """What becomes of the tensors; names that no rule matches are left to others.

    Raises:
        Usage: a rule does not fit what it matches.
    """
    found = Applied()
    decided: set[str] = set()
    for rule in map_.rules:
        before = len(found.mapped) + len(found.dropped)
        if rule.joined:
            _join(rule, tensors, found, decided)
        elif rule.cell:
            _cell(rule, tensors, found, decided)
        else:
            for name in tensors:
                if name in decided or rule.match is None:
                    continue
                match = rule.match.fullmatch(name)
                if match is not None:
                    decided.add(name)
                    _one(rule, match, name, tensors, found)
        if len(found.mapped) + len(found.dropped) == before:
            found.idle.append(rule.where)
    found.used = {name for item in found.mapped for name in item.expression.sources()}
    return found


def _expand(match: re.Match[str], to: str, rule: Rule) -> str:
    if rule.literal:
        return to
    try:
        return match.expand(to)
    except (re.error, IndexError) as error:
        raise Usage(f"{rule.where}: {to!r}: {error}") from None


def _one(
    rule: Rule, match: re.Match[str], name: str, tensors: Mapping[str, Tensor], found: Applied
) -> None:
    if rule.drop:
        found.dropped[name] = "the map drops it"
        return
    source = Source(name)
    if rule.split is None:
        part = rule.parts[0]
        to = _expand(match, part.to, rule)
        found.mapped.append(Mapped(to, chain(source, *part.steps), rule.where))
        return
    for part, piece in zip(rule.parts, _pieces(rule, name, tensors[name]), strict=True):
        to = _expand(match, part.to, rule)
        found.mapped.append(Mapped(to, chain(source, piece, *part.steps), rule.where))


def _pieces(rule: Rule, name: str, tensor: Tensor) -> list[steps.Slice]:
    assert rule.split is not None
    axis, sizes = rule.split
    rank = len(tensor.shape)
    if not -rank <= axis < rank:
        raise Usage(f"{rule.where}: split: {name} has rank {rank}")
    whole, count = tensor.shape[axis], len(rule.parts)
    if not sizes:
        if whole % count:
            raise Usage(f"{rule.where}: split: {whole} of {name} in {count} equal parts")
        sizes = (whole // count,) * count
    if sizes.count(-1) == 1:
        rest = whole - sum(size for size in sizes if size != -1)
        sizes = tuple(rest if size == -1 else size for size in sizes)
    if len(sizes) != count or sum(sizes) != whole or min(sizes) < 0:
        raise Usage(f"{rule.where}: split: {whole} of {name} into {count} parts of {list(sizes)}")
    found, place = [], 0
    for size in sizes:
        found.append(steps.Slice(axis % rank, place, place + size))
        place += size
    return found


def _join(rule: Rule, tensors: Mapping[str, Tensor], found: Applied, decided: set[str]) -> None:
    for part in rule.joined:
        if part.to not in tensors:
            raise Usage(f"{rule.where}: the checkpoint has no {part.to!r}")
    decided.update(part.to for part in rule.joined)
    joined = Join(
        rule.axis, tuple(chain(Source(part.to), *part.steps) for part in rule.joined), rule.stack
    )
    made = rule.parts[0]
    found.mapped.append(Mapped(made.to, chain(joined, *made.steps), rule.where))


def _cell(rule: Rule, tensors: Mapping[str, Tensor], found: Applied, decided: set[str]) -> None:
    """A cell's rule matches scopes: whatever stands before the names of its variables."""
    assert rule.match is not None
    ending = "/" + cells.CELLS[rule.cell].files[0]
    for name in list(tensors):
        if not name.endswith(ending) or name in decided:
            continue
        scope = name.removesuffix(ending)
        match = rule.match.fullmatch(scope)
        if match is None:
            continue
        to = _expand(match, rule.parts[0].to, rule)
        try:
            made = cells.weights(rule.cell, scope, tensors, rule.forget_bias)
        except Usage as error:
            raise Usage(f"{rule.where}: {error}") from None
        decided.update(cells.members(rule.cell, scope))
        found.mapped += [Mapped(f"{to}/{key}", part, rule.where) for key, part in made.items()]
