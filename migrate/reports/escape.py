"""Text from files and their names is never trusted: not by a terminal, not by XML."""

from __future__ import annotations

import re

# C0 without tab, DEL and C1; directional marks; line separators; lone surrogates; not in XML
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    r"""One line of text with everything that a terminal acts on written out, as in ``\x1b[2J``."""
    if _UNSAFE.search(text) is None:
        return text
    return _UNSAFE.sub(_written_out, text)


def visible_lines(text: str) -> str:
    """The same for text of several lines; newlines stay."""
    if _UNSAFE.search(text) is None:
        return text
    return "\n".join(visible(line) for line in text.split("\n"))


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    names = {0x0A: r"\n", 0x0D: r"\r"}
    return names.get(code) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
