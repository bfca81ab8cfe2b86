"""Comments that keep a finding quiet: ``# noqa: TFM204``, ``# migrate: ignore[TFM204]`` and kin.

A comment counts for the statement whose first or last line it stands on; ``# migrate: ignore``
alone on a line counts for the next line of code too. Comments are told from strings by tokenizing,
which happens only in files that hold one of the words at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from migrate.engine.findings import Applicability, Finding

UNUSED = "TFM900"

# Patterns, not compiled ones: most runs never need them.
_NOQA = r"(?i)#\s*noqa\b(?::\s*(?P<codes>[A-Z]+[0-9]*(?:[,\s]+[A-Z]+[0-9]+)*))?"
_MIGRATE = r"(?i)#\s*migrate:\s*(?P<word>[A-Z-]+)\s*(?:\[(?P<codes>[^\]]*)\])?"
_CODE = r"TFM[0-9]{0,3}\Z"
_WORDS = ("ignore", "skip-file", "off", "on")
# strings and comments, for text that the tokenizer refuses
_LEXEMES = (
    r"""(?s)'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\""""
    r"""|'(?:[^\\\n']|\\.)*'|"(?:[^\\\n"]|\\.)*"|(?P<comment>\#[^\n]*)"""
)


@dataclass(slots=True, eq=False, repr=False)
class _Directive:
    """One comment and what it covers."""

    line: int
    column: int
    text: str
    codes: tuple[str, ...]  # empty: every rule
    ours: bool  # begins with "migrate:", not "noqa"
    used: set[str] = field(default_factory=set)

    def hides(self, rule: str) -> bool:
        if not self.codes:
            self.used.add("")
            return True
        fitting = [code for code in self.codes if rule.startswith(code)]
        self.used.update(fitting)
        return bool(fitting)


@dataclass(slots=True, eq=False, repr=False)
class Suppressions:
    """The suppressing comments of one file or notebook cell."""

    skip_file: bool = False
    _lines: dict[int, list[_Directive]] = field(default_factory=dict)
    _regions: list[tuple[_Directive, int]] = field(default_factory=list)  # with the last line
    _odd: list[tuple[_Directive, str]] = field(default_factory=list)  # with what is wrong

    @classmethod
    def parse(cls, text: str) -> Suppressions:
        """Read the comments of Python source; text that does not tokenize is read as well."""
        found = cls()
        lowered = text.lower()
        if "noqa" not in lowered and "migrate:" not in lowered:
            return found
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        opened: _Directive | None = None
        for line, column, comment, alone in _comments(text):
            directive = found._read(line, column, comment, alone, text)
            if directive is None:
                continue
            word, item = directive
            if word == "off" and opened is None:
                opened = item
            elif word == "on":
                if opened is None:
                    found._odd.append((item, "no `# migrate: off` stands before it"))
                else:
                    found._regions.append((opened, line))
                    opened = None
        if opened is not None:
            found._regions.append((opened, text.count("\n") + 1))
        return found

    def _read(
        self, line: int, column: int, comment: str, alone: bool, text: str
    ) -> tuple[str, _Directive] | None:
        """File one comment; returns it if it opens or ends a region."""
        for match in re.finditer(_MIGRATE, comment):
            word = match["word"].lower()
            codes = tuple(
                code.upper() for code in re.split(r"[,\s]+", match["codes"] or "") if code
            )
            item = _Directive(line, column + match.start(), match[0].strip(), codes, True)
            if word not in _WORDS:
                import difflib

                close = difflib.get_close_matches(word, _WORDS, n=1, cutoff=0.75)
                if close:
                    self._odd.append((item, f"did you mean `# migrate: {close[0]}`?"))
                continue
            if word != "ignore" and match["codes"] is not None:
                self._odd.append((item, f"`{word}` takes no rule ids"))
                continue
            if word == "skip-file":
                self.skip_file = True
            elif word != "ignore":
                return word, item
            elif match["codes"] is not None and not codes:
                self._odd.append((item, "no rule id stands in the brackets"))
            elif odd := [code for code in codes if not re.match(_CODE, code)]:
                self._odd.append((item, f"{odd[0]!r} is not a rule id of migrate"))
            else:
                self._lines.setdefault(line, []).append(item)
                if alone and (below := _next_code_line(text, line)) is not None:
                    self._lines.setdefault(below, []).append(item)
        if noqa := re.search(_NOQA, comment):
            listed = re.split(r"[,\s]+", (noqa["codes"] or "").upper())
            codes = tuple(code for code in listed if re.match(_CODE, code))
            if codes or noqa["codes"] is None:
                item = _Directive(line, column + noqa.start(), noqa[0].strip(), codes, False)
                self._lines.setdefault(line, []).append(item)
        return None

    def __bool__(self) -> bool:
        """Whether there is any comment that may hide something."""
        return bool(self._lines or self._regions)

    def hides(
        self, finding: Finding, span: tuple[int, int] | None = None, *, shift: int = 0
    ) -> bool:
        """Whether a comment covers the finding; ``span``: first and last line of its statement.

        ``shift`` is what a notebook finding's lines lack to be lines of the text that was parsed.
        """
        if not self._lines and not self._regions:
            return False
        line = finding.line + shift
        last = (finding.end_line or finding.line) + shift
        hidden = False
        for number in {line, last, *(span or ())}:
            for directive in self._lines.get(number, ()):
                hidden |= directive.hides(finding.rule)
        for directive, end in self._regions:
            if directive.line <= line <= end:
                hidden |= directive.hides(finding.rule)
        return hidden

    def unused(
        self,
        path: str,
        enabled: Callable[[str], bool] | None = None,
        locate: Callable[[int], tuple[int | None, int]] | None = None,
    ) -> list[Finding]:
        """Findings (TFM900) for comments that hid nothing; ask ``hides`` about every finding first.

        A comment for rules that ``enabled`` says did not run is not counted, nor is a bare noqa,
        which other tools read too. ``locate`` turns a line into a notebook's cell and line in it.
        """
        found: list[Finding] = []
        unique = {id(item): item for items in self._lines.values() for item in items}
        unique.update((id(item), item) for item, _ in self._regions)
        for item in unique.values():
            if not item.codes:
                if item.ours and not item.used:
                    found.append(_finding(path, locate, item, f"`{item.text}` hides no finding"))
                continue
            idle = [
                code
                for code in item.codes
                if code not in item.used and (enabled is None or enabled(code))
            ]
            if idle:
                message = f"`{item.text}` hides no finding of {', '.join(idle)}"
                found.append(_finding(path, locate, item, message))
        for item, wrong in self._odd:
            message = f"`{item.text}` is not understood: {wrong}"
            found.append(_finding(path, locate, item, message))
        return sorted(found, key=lambda item: (item.cell or 0, item.line, item.column))


def _finding(
    path: str,
    locate: Callable[[int], tuple[int | None, int]] | None,
    item: _Directive,
    message: str,
) -> Finding:
    cell, line = locate(item.line) if locate is not None else (None, item.line)
    return Finding(
        path=path,
        line=line,
        column=item.column + 1,
        rule=UNUSED,
        message=message,
        applicability=Applicability.MANUAL,
        end_line=line,
        end_column=item.column + 1 + len(item.text),
        cell=cell,
    )


def _comments(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """(line, column from 0, comment, alone on its line) for each comment."""
    import io
    import tokenize

    last = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                last = token.start[0]
                alone = not token.line[: token.start[1]].strip()
                yield last, token.start[1], token.string, alone
    except (tokenize.TokenError, SyntaxError):  # Python 2, or a file cut off: read on by hand
        for match in re.finditer(_LEXEMES, text):
            comment = match["comment"]
            if comment is None:
                continue
            start = match.start()
            line = text.count("\n", 0, start) + 1
            if line > last:
                begin = text.rfind("\n", 0, start) + 1
                yield line, start - begin, comment, not text[begin:start].strip()


def _next_code_line(text: str, line: int) -> int | None:
    for number, content in enumerate(text.split("\n")[line:], line + 1):
        stripped = content.strip()
        if stripped and not stripped.startswith("#"):
            return number
    return None
