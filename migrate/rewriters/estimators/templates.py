"""Definitions that native programs get: those of `*_code.txt`, pruned to what a program uses.

In these files a line that ends with ``#feature`` is left out without it, one with ``#-feature``
with it; so are parts of lines: ``[feature|text]``. A definition brings those that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from functools import cache
from pathlib import Path

WIDTH = 99
_MARKS = re.compile(r"((?: +#-?[a-z_]+)+)$")
_PART = re.compile(r"\[(-?)([a-z_]+)\|((?:[^][]|\[[^][]*\])*)\]")
_WORD = re.compile(r"\w+")
_TF = re.compile(r"\btf\.")


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


def pruned(source: str, features: Set[str]) -> str:
    """A definition without what only features need that a program hasn't."""

    def kept(mark: str, name: str) -> bool:
        return (name in features) is not bool(mark)

    lines: list[str] = []
    for line in source.splitlines():
        marks = _MARKS.search(line)
        if marks is not None:
            if not all(kept(m, n) for m, n in re.findall(r"#(-?)([a-z_]+)", marks[1])):
                continue
            line = line[: marks.start()]
        line = _PART.sub(lambda m: m[3] if kept(m[1], m[2]) else "", line).rstrip()
        lines.extend(_wrapped(line))
    text = "\n".join(lines) + "\n"
    return _TF.sub("{tf}.", text)


def _wrapped(line: str) -> list[str]:
    """A line, or the lines of a call that is too long for one."""
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    head, _, rest = line.partition("(")
    inner, close, tail = rest.rpartition(")")
    return [f"{head}(", f"{indent}    {inner}", f"{indent}{close}{tail}"]
