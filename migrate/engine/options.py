"""What the user asked for, as every room of a run reads it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

LevelName = Literal["native", "compat"]
TargetName = Literal["estimator", "keras"]
KerasName = Literal["3", "legacy"]

SELECTOR = re.compile(r"TFM[0-9]{0,3}\Z")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one run; equal digests promise equal results for equal files."""

    level: LevelName = "native"
    to: TargetName = "estimator"
    keras: KerasName = "3"  # legacy: functions for sessions are written for tf_keras
    select: tuple[str, ...] = ()  # rule id prefixes; none: all rules
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe: bool = False
    jobs: int = 0  # 0: as many as there are cores
    cache: bool = True
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (glob, rule id prefixes)
    include: tuple[str, ...] = ()  # globs; none: Python files and notebooks
    exclude: tuple[str, ...] = ()  # globs, in addition to the built-in ones
    root: str = "."  # absolute in a run; paths in findings are relative to it

    def enabled(self, rule_id: str) -> bool:
        """Whether a rule runs: the longest prefix that fits decides, and on a tie ``ignore``."""
        return _enabled(rule_id, self.select, self.extend_select, self.ignore)

    def enabled_for(self, path: str, rule_id: str) -> bool:
        """Whether a rule runs on the file ``path`` (relative to the root)."""
        if not self.enabled(rule_id):
            return False
        return not any(
            rule_id.startswith(prefixes) and path_matches(path, pattern)
            for pattern, prefixes in self.per_file_ignores
        )

    def digest(self) -> str:
        """A key over all that can change a file's result; a part of the cache's key."""
        import hashlib

        parts = (
            self.level,
            self.to,
            self.keras,
            sorted(self.select),
            sorted(self.extend_select),
            sorted(self.ignore),
            self.unsafe,
            self.per_file_ignores,
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()


@lru_cache(maxsize=4096)
def _enabled(
    rule_id: str, select: tuple[str, ...], extend_select: tuple[str, ...], ignore: tuple[str, ...]
) -> bool:
    chosen = _longest(rule_id, (*(select or ("TFM",)), *extend_select))
    return chosen > _longest(rule_id, ignore)


def _longest(rule_id: str, prefixes: Sequence[str]) -> int:
    return max((len(prefix) for prefix in prefixes if rule_id.startswith(prefix)), default=0)


def path_matches(path: str, pattern: str) -> bool:
    """Whether a path relative to the root, with ``/``, fits a glob.

    ``*`` stays inside one part, ``**`` spans parts. A pattern without ``/`` fits any part of the
    path, so ``tests`` covers what lies below every folder of that name.
    """
    return _compiled(pattern).match(path) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    body = pattern.removeprefix("./").strip("/") if pattern.strip("/") else pattern
    anchored = "/" in body or pattern.startswith(("/", "./"))
    out = ["" if anchored else r"(?:.*/)?"]
    at = 0
    while at < len(body):
        char = body[at]
        if body.startswith("**/", at):
            out.append(r"(?:.*/)?")
            at += 3
        elif body.startswith("**", at):
            out.append(r".*")
            at += 2
        elif char == "*":
            out.append(r"[^/]*")
            at += 1
        elif char == "?":
            out.append(r"[^/]")
            at += 1
        elif char == "[" and (end := body.find("]", at + 2)) != -1:
            inner = body[at + 1 : end].replace("\\", r"\\")
            out.append(f"[{'^' + inner[1:] if inner[0] == '!' else inner}]")
            at = end + 1
        else:
            out.append(re.escape(char))
            at += 1
    out.append(r"(?:/.*)?\Z")
    return re.compile("".join(out), re.DOTALL)
