"""Rule cases: how a file of fixtures/rules is read, and the variants that are made of it.

# level: compat            where the case ends up (default: native)
# run                      print() is compared: before on TF 1.15.5, after on TF 2.21
# run: eager               … with eager execution in TF 1 too
# layouts: no              what becomes of it depends on its layout
before                     # finding: TFM204        a finding that is expected on this line
                           # blocks: TFM204         one that keeps the program from native
# output
after                      missing: nothing may change (or, with `# blocks`, the native level)
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import textwrap
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from migrate import symbols
from migrate.engine.document import read
from migrate.engine.judged import names_of

ROOT = Path(__file__).resolve().parents[2] / "fixtures" / "rules"
GOLDEN = ROOT / "golden.json"
RUNNER = Path(__file__).with_name("run_cases.py")
PIN = re.compile(r"[ \t]*# (finding|blocks): ([A-Z0-9, ]+)$", re.M)
IMPORT = "import tensorflow as tf\n"


@dataclass
class Case:
    """One case."""

    name: str  # TFM204_dropout_keep_prob/literal
    before: str
    after: str | None  # None: must not change
    level: str = "native"
    run: str = ""  # graph or eager
    layouts: bool = True
    findings: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[tuple[int, str]] = field(default_factory=list)

    @property
    def ends(self) -> str:
        """The text that the upgrade has to give."""
        return self.before if self.after is None else self.after


def load(path: Path) -> Case:
    """Read a case."""
    name = path.relative_to(ROOT).with_suffix("").as_posix()
    text = path.read_text(encoding="utf-8")
    case = Case(name, "", None)
    while (head := re.match(r"# (level|run|layouts)(?:: (\w+))?\n", text)) is not None:
        if head[1] == "level":
            case.level = head[2]
        elif head[1] == "layouts":
            case.layouts = head[2] != "no"
        else:
            case.run = head[2] or "graph"
        text = text[head.end() :]
    before, mark, after = text.partition("# output\n")
    for match in PIN.finditer(before):
        line = before.count("\n", 0, match.start()) + 1
        pins = case.findings if match[1] == "finding" else case.blocks
        pins.extend((line, rule.strip()) for rule in match[2].split(","))
    case.before = PIN.sub("", before)
    if mark:
        case.after = after
    return case


def cases() -> list[Case]:
    """All cases, by name."""
    return [load(path) for path in sorted(ROOT.glob("*/*.py"))]


# -- what must be equal ------------------------------------------------------------------


def comments(text: str) -> Counter[str]:
    """The comments of a text."""
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    return Counter(t.string for t in tokens if t.type == tokenize.COMMENT)


def dump(text: str) -> str:
    """A text's tree without its layout and without the statements that a variant puts in."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                setattr(node, name, [s for s in body if not _filler(s)])
    return ast.dump(tree)


def _filler(stmt: ast.stmt) -> bool:
    # Where a statement goes from a line that it shared, a `pass` stays in its place.
    return isinstance(stmt, ast.Pass) or (
        isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Constant)
        and stmt.value.value == FILLER
    )


FILLER = "é — 漢"


def meanings(text: str) -> Counter[str]:
    """The TensorFlow names that a text uses, however it spells them."""
    found = names_of(read("case.py", text.encode()))
    return Counter(r.name for r in found.references if r.name.startswith("tensorflow."))


# -- variants ----------------------------------------------------------------------------


def spelled(case: Case) -> Iterator[tuple[str, str, str]]:
    """Other spellings of the import: (label, before, after)."""
    if case.before.count(IMPORT) != 1 or re.search(r"\btf\b(?!\.)", _code(case.before)):
        return
    for label, line, name in (
        ("as T", "import tensorflow as T\n", "T"),
        ("plain", "import tensorflow\n", "tensorflow"),
    ):
        before, after = (
            re.sub(r"\btf\.", f"{name}.", text.replace(IMPORT, line))
            for text in (case.before, case.ends)
        )
        yield label, before, after


def _code(text: str) -> str:
    return text.replace(IMPORT, "")


def from_import(case: Case) -> str | None:
    """The case with `from tensorflow import x` for the names right below tf."""
    if case.before.count(IMPORT) != 1 or re.search(r"\btf\b(?!\.)", _code(case.before)):
        return None
    heads = sorted(set(re.findall(r"\btf\.(\w+)", case.before)))
    if any(symbols.is_module(f"tensorflow.{head}") for head in heads):
        return None
    if not heads or any(re.search(rf"(?<![.\w]){h}\b", case.before) for h in heads):
        return None
    line = f"from tensorflow import {', '.join(heads)}\n"
    return re.sub(r"\btf\.", "", case.before.replace(IMPORT, line))


def shadowed(case: Case) -> str | None:
    """The case inside a function whose parameter hides tf: nothing there is TensorFlow."""
    if case.before.count(IMPORT) != 1 or '"""' in case.before or "__future__" in case.before:
        return None
    body = case.before.replace(IMPORT, "")
    if re.search(r"^\s*(import|from) .*tensorflow", body, re.M):
        return None
    return (
        f"import tensorflow\n\n\ndef case(tf, x=None):\n{textwrap.indent(body, '    ')}    pass\n"
    )


def laid_out(case: Case) -> Iterator[tuple[str, str]]:
    """Other layouts of the same program."""
    text = case.before
    yield "CRLF", text.replace("\n", "\r\n")
    if '"""' not in text:
        yield "tabs", re.sub(r"^(?: {4})+", lambda m: "\t" * (len(m[0]) // 4), text, flags=re.M)
    for label, edit in LAYOUTS.items():
        changed = _calls(text, edit)
        if changed != text:
            yield label, changed
    yield "statements", _prefixed(text)


def _trailing(text: str, lo: int, hi: int, args: list[tuple[int, int]]) -> list[tuple[int, str]]:
    inner = text[args[-1][1] : hi - 1]
    return [] if "," in inner or "#" in inner else [(args[-1][1], ",")]


def _broken(text: str, lo: int, hi: int, args: list[tuple[int, int]]) -> list[tuple[int, str]]:
    return [(start, f"  # argument {n}\n") for n, (start, _) in enumerate(args)]


def _parenthesised(
    text: str, lo: int, hi: int, args: list[tuple[int, int]]
) -> list[tuple[int, str]]:
    return [item for start, end in args for item in ((start, "("), (end, ")"))]


def _backslash(text: str, lo: int, hi: int, args: list[tuple[int, int]]) -> list[tuple[int, str]]:
    return [(start, "\\\n  ") for start, _ in args]


LAYOUTS = {
    "trailing comma": _trailing,
    "broken lines": _broken,
    "parentheses": _parenthesised,
    "backslash": _backslash,
}


def _calls(text: str, edit) -> str:  # type: ignore[no-untyped-def]
    """The text with an edit made to the arguments of its calls of TensorFlow."""
    if not text.isascii():
        return text
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    edits: list[tuple[int, int, str]] = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("tf."):
            continue
        args = [*node.args, *(k.value for k in node.keywords)]
        if not args or any(isinstance(a, (ast.Starred, ast.GeneratorExp)) for a in args):
            continue
        if any(k.arg is None for k in node.keywords):
            continue
        spans = sorted(
            (starts[a.lineno - 1] + a.col_offset, starts[a.end_lineno - 1] + a.end_col_offset)  # type: ignore[operator,index]
            for a in args
        )
        if edit is _broken or edit is _backslash:  # before the whole argument
            spans = sorted(
                (starts[a.lineno - 1] + a.col_offset, 0) for a in (*node.args, *node.keywords)
            )
        lo = starts[node.lineno - 1] + node.col_offset
        hi = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[operator,index]
        if edit is _trailing and text[spans[-1][1] : hi - 1].strip() not in ("", ","):
            continue
        edits.extend((at, len(edits), new) for at, new in edit(text, lo, hi, spans))
    # Of two at one place an opening one comes first on the left, a closing one last.
    for at, _, new in sorted(edits, key=lambda e: (e[0], e[2] == "("), reverse=True):
        text = text[:at] + new + text[at:]
    return text


def _prefixed(text: str) -> str:
    """Another statement in front of every simple one, with letters that are long in UTF-8."""
    lines = text.split("\n")
    for stmt in ast.walk(ast.parse(text)):
        if isinstance(stmt, (ast.Expr, ast.Assign, ast.Return, ast.AugAssign)):
            at = stmt.lineno - 1
            lead = lines[at][: stmt.col_offset]
            if not lead.strip() and lines[at].isascii():
                lines[at] = f"{lead}'{FILLER}'; {lines[at][stmt.col_offset :]}"
    return "\n".join(lines)


def strings(case: Case) -> str | None:
    """The case with its one-line values inside f-strings."""
    lines = case.before.split("\n")
    changed = False
    for stmt in ast.parse(case.before).body:
        if isinstance(stmt, ast.Assign) and stmt.lineno == stmt.end_lineno:
            value = ast.get_source_segment(case.before, stmt.value) or ""
            if not set(value) & set("\"'\\{}#:!") and value and value in lines[stmt.lineno - 1]:
                line = lines[stmt.lineno - 1]
                lines[stmt.lineno - 1] = line.replace(value, f'f"{{{value}}}"')
                changed = True
    return "\n".join(lines) if changed else None


# -- running -----------------------------------------------------------------------------


def runnable() -> list[Case]:
    """The cases that are proved by running."""
    return [case for case in cases() if case.run]


def execute(python: str, sources: dict[str, tuple[str, str]]) -> dict[str, dict[str, object]]:
    """What cases print in one process of a TensorFlow."""
    done = subprocess.run(
        [python, os.fspath(RUNNER)],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def golden_of(python: str) -> dict[str, dict[str, object]]:
    """What the cases print on TF 1.15.5, with the sources that were run."""
    found = runnable()
    answers = execute(python, {c.name: (c.run, c.before) for c in found})
    return {c.name: {"source": digest(c.before), **answers[c.name]} for c in found}


def digest(text: str) -> str:
    """A short name of a text."""
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()[:16]


def difference(old: object, new: object, where: str = "out") -> str:
    """Where two outputs differ by more than 1e-6; "" where they don't."""
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            return f"{where}: {old!r} is {new!r}"
        return next(
            (d for n, (a, b) in enumerate(zip(old, new, strict=True))
             if (d := difference(a, b, f"{where}[{n}]"))),
            "",
        )  # fmt: skip
    if isinstance(old, dict) and isinstance(new, dict):
        return "" if old == new else f"{where}: {old!r} is {new!r}"
    numbers = (int, float)
    if isinstance(old, numbers) and isinstance(new, numbers):
        return "" if abs(old - new) <= 1e-6 * max(1.0, abs(old)) else f"{where}: {old} is {new}"
    return "" if old == new and type(old) is type(new) else f"{where}: {old!r} is {new!r}"


__all__ = ["Case", "replace"]
