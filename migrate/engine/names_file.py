"""``migrate-names.json``, beside a program whose Savers were rewritten: docs/checkpoints.md.

A folder has one, with a section for each Saver of each program in it; a later run replaces the
sections of its own programs and keeps the others.
"""

from __future__ import annotations

import json
import os
from typing import Any

NAME = "migrate-names.json"
_ABOUT = (
    "what TF 1 calls the variables in this folder's checkpoints, and where the new programs have "
    "them: migrate checkpoint convert OLD NEW --map migrate-names.json"
)


def beside(path: str) -> str:
    """The file that belongs to a program."""
    return os.path.join(os.path.dirname(path), NAME)


def merged(before: bytes | None, programs: dict[str, list[dict[str, Any]]]) -> bytes | None:
    """The file with the sections of some programs, by file name; None where it isn't ours."""
    kept: list[dict[str, Any]] = []
    if before is not None:
        try:
            found = json.loads(before)
            kept = [one for one in found["savers"] if one["program"] not in programs]
        except (ValueError, LookupError, TypeError):
            return None
        if found.get("version") != 1:
            return None
    new = [{"program": p, **one} for p, sections in programs.items() for one in sections]
    ordered = sorted([*kept, *new], key=lambda one: str(one["program"]))
    text = json.dumps({"version": 1, "$about": _ABOUT, "savers": ordered}, indent=1)
    return (text + "\n").encode()
