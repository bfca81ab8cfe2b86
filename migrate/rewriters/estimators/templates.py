"""Definitions that native programs get: those of `*_code.txt`, pruned to what a program uses.

The marks in these files: `rewriters/pruning.py`. A definition brings those that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from functools import cache
from pathlib import Path

from migrate.rewriters.pruning import pruned

_WORD = re.compile(r"\w+")


@cache
def _sources() -> dict[str, str]:
    """The definitions by name, in an order in which they can stand."""
    found: dict[str, str] = {}
    for name in ("columns", "canned"):
        text = Path(__file__).with_name(f"{name}_code.txt").read_text(encoding="utf-8")
        for part in text.split("=== ")[1:]:
            definition, _, source = part.partition("\n")
            found[definition] = source
    return found


def names() -> Iterable[str]:
    """What there is to define."""
    return _sources()


def definitions(
    wanted: Iterable[str], features: Set[str], called: Mapping[str, str]
) -> dict[str, str]:
    """Some definitions and all that they need, with ``{tf}`` for TensorFlow's name.

    ``called`` has other names for them, where the file has something else under their own.
    """
    todo, texts = list(wanted), {}
    for name in todo:
        texts[name] = text = pruned(_sources()[name], features)
        words = set(_WORD.findall(text))
        todo.extend(n for n in _sources() if n in words and n not in todo)
    return {
        called.get(name, name): _WORD.sub(lambda m: called.get(m[0], m[0]), texts[name])
        for name in _sources()
        if name in texts
    }
