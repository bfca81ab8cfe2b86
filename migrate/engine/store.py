"""Analyses as JSON, for the cache: what a file says does not change while its bytes don't."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from migrate.engine.findings import Applicability, Finding
from migrate.engine.judged import Analysis, Verdict
from migrate.programs.files import Imported

_FINDING = tuple(f.name for f in fields(Finding) if f.name not in ("path", "applicability"))
_VERDICT = tuple(f.name for f in fields(Verdict))
# Of a run, not of a file, or too much to keep: these are found anew.
_KEPT = {"path", "imports", "apart", "between", "made"}
_ANALYSIS = tuple(f.name for f in fields(Analysis) if f.name not in _KEPT)


def pack(analysis: Analysis) -> list[Any]:
    """An analysis as lists; paths are left out, since a file may be moved."""
    imports = [[i.level, i.module, list(i.names), i.idle] for i in analysis.imports]
    return [imports, *(_pack(getattr(analysis, name)) for name in _ANALYSIS)]


def _pack(value: Any) -> Any:
    if isinstance(value, Finding):
        return ["f", value.applicability.value, *(getattr(value, name) for name in _FINDING)]
    if isinstance(value, Verdict):
        return ["v", *(_pack(getattr(value, name)) for name in _VERDICT)]
    if isinstance(value, list):
        return ["l", *map(_pack, value)]
    if isinstance(value, tuple):
        return ["t", *map(_pack, value)]
    return value


def unpack(data: list[Any], path: str) -> Analysis:
    """The analysis of a file that now is at ``path``."""
    imports, *values = data
    analysis = Analysis(path)
    analysis.imports = [Imported(a, b, tuple(names), idle) for a, b, names, idle in imports]
    for name, value in zip(_ANALYSIS, values, strict=True):
        setattr(analysis, name, _unpack(value, path))
    return analysis


def _unpack(value: Any, path: str) -> Any:
    if not isinstance(value, list):
        return value
    kind, *rest = value
    if kind == "f":
        applicability, *parts = rest
        named = dict(zip(_FINDING, parts, strict=True))
        return Finding(path=path, applicability=Applicability(applicability), **named)
    items = [_unpack(item, path) for item in rest]
    if kind == "v":
        return Verdict(**dict(zip(_VERDICT, items, strict=True)))
    return tuple(items) if kind == "t" else items
