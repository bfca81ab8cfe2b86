"""Definitions that native programs get, pruned to what a program uses.

In `*_code.txt` a line that ends with ``#feature`` is left out without it, one with ``#-feature``
with it; so are parts of lines: ``[feature|text]``.
"""

from __future__ import annotations

import re
from collections.abc import Set

WIDTH = 99
_MARKS = re.compile(r"((?: +#-?[a-z_]+)+)$")
_PART = re.compile(r"\[(-?)([a-z_]+)\|((?:[^][]|\[[^][]*\])*)\]")
_TF = re.compile(r"\btf\.")


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
