"""What people decided, by namespace. Every module here contributes its ``DECISIONS``."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from migrate.symbols.curated.decisions import Decision


def decisions() -> dict[str, Decision]:
    """All of them; a name that is decided twice is an error."""
    found: dict[str, Decision] = {}
    for info in iter_modules(__path__):
        part = getattr(import_module(f"{__name__}.{info.name}"), "DECISIONS", {})
        twice = found.keys() & part.keys()
        if twice:
            raise ValueError(f"decided twice: {sorted(twice)} (again in {info.name})")
        found.update(part)
    return found
