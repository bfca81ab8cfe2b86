"""Try the tool on public TF1 repositories (fixtures/corpus.toml), which lie outside this one.

    python scripts/corpus.py fetch [REPOSITORY ...]   check out the commits that the list names
    python scripts/corpus.py check [REPOSITORY ...]   upgrade each tree; count what went wrong
    python scripts/corpus.py run   [REPOSITORY ...]   programs on TF 1.15.5, upgraded on TF 2.21

--root, or else MIGRATE_CORPUS, says where the trees lie. Nothing of them is ever committed. `check`
and `run` need TensorFlow 2.21; `run` also a Python 3.7 with TF 1.15.5 (--tf1-python or
MIGRATE_TF1_PYTHON).
The programs of `run` are other people's: proxies point at a dead port, so that none of them
downloads anything; MNIST is synthetic, loops are shortened, and random ops depend on their shape
alone (migrate/parity/randomness.py), all of it alike on both sides. What is plotted is printed.
Folders with further packages that the programs import (SciPy, pandas) are named by
CORPUS_PACKAGES_1 and CORPUS_PACKAGES_2.
"""

from __future__ import annotations

import argparse
import ast
import collections
import difflib
import functools
import gzip
import hashlib
import importlib
import io
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import tokenize
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = Path(__file__).resolve().parent.parent
LIST = PROJECT / "fixtures" / "corpus.toml"
SUFFIXES = (".py", ".ipynb")

sys.path.insert(0, str(PROJECT))


def repositories(wanted: list[str]) -> list[tuple[str, str]]:
    """(owner/name, commit) of the list; ``wanted`` selects by a part of the name."""
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))["repository"]
    found = [(entry["name"], entry["commit"]) for entry in listed]
    return [f for f in found if not wanted or any(w.lower() in f[0].lower() for w in wanted)]


def root_option(parser: argparse.ArgumentParser) -> None:
    """--root, which MIGRATE_CORPUS stands in for."""
    given = os.environ.get("MIGRATE_CORPUS")
    parser.add_argument(
        "--root", type=Path, default=given, required=not given,
        help="where the trees lie; default: MIGRATE_CORPUS",
    )  # fmt: skip


def folder_of(root: Path, name: str) -> Path:
    """Where a repository's tree lies."""
    return root / name.replace("/", "__")


# -- fetch -------------------------------------------------------------------------------


def fetch(root: Path, mirrors: Path | None, wanted: list[str]) -> int:
    """Check the listed commits out, from local mirrors or else from GitHub."""
    missing = 0
    for name, commit in repositories(wanted):
        target = folder_of(root, name)
        if (target / ".commit").exists() and (target / ".commit").read_text() == commit:
            print(f"{name}: there")
            continue
        with tempfile.TemporaryDirectory() as tmp:
            mirror = mirrors and _git_folder(mirrors, name)
            git = mirror or _from_github(name, commit, Path(tmp))
            if git is None or not _has(git, commit):
                where = f"neither in {mirrors} nor" if mirrors else "not"
                print(f"{name}: commit {commit[:12]} is {where} on GitHub")
                missing += 1
                continue
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            left_out = _export(git, commit, target)
        (target / ".commit").write_text(commit)
        files = sum(p.suffix in SUFFIXES for p in target.rglob("*"))
        absent = f", {left_out} files not in the snapshot or too large" if left_out else ""
        print(f"{name}: {commit[:12]}, {files} Python files and notebooks{absent}")
    return 1 if missing else 0


LARGEST = 8 << 20  # nothing that a program reads at once is larger


def _export(git: Path, commit: str, target: Path) -> int:
    """Write a commit's files; how many had to be left out."""
    listing = subprocess.run(
        ["git", f"--git-dir={git}", "ls-tree", "-r", "-z", commit], check=True, capture_output=True
    ).stdout.decode("utf-8", "surrogateescape")
    entries = [line.partition("\t") for line in listing.split("\0") if " blob " in line]
    batch = subprocess.Popen(
        ["git", f"--git-dir={git}", "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert batch.stdin is not None
    assert batch.stdout is not None
    left_out = 0
    for head, _, path in entries:
        mode, _, blob = head.split()
        batch.stdin.write(blob.encode() + b"\n")
        batch.stdin.flush()
        answer = batch.stdout.readline().split()
        if answer[-1] == b"missing":
            left_out += 1
            continue
        data = batch.stdout.read(int(answer[2]) + 1)[:-1]
        to = target / path
        if len(data) > LARGEST or mode == "120000" or ".." in Path(path).parts:
            left_out += 1  # symbolic links too: nothing may lead out of the tree
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(data)
    batch.stdin.close()
    batch.wait()
    return left_out


def _git_folder(mirrors: Path, name: str) -> Path | None:
    base = mirrors / name.replace("/", "+") / "repo"
    for folder in (base / ".git", base):
        if (folder / "HEAD").exists():
            return folder
    return None


def _from_github(name: str, commit: str, tmp: Path) -> Path | None:
    git = tmp / "git"
    subprocess.run(["git", "init", "-q", "--bare", str(git)], check=True)
    url = f"https://github.com/{name}"
    call = ["git", f"--git-dir={git}", "fetch", "-q", "--depth=1", url, commit]
    done = subprocess.run(call, check=False, capture_output=True)
    return git if done.returncode == 0 else None


def _has(git: Path, commit: str) -> bool:
    call = ["git", f"--git-dir={git}", "cat-file", "-e", f"{commit}^{{tree}}"]
    return subprocess.run(call, check=False, capture_output=True).returncode == 0


# -- check: what an upgrade of a whole tree does to its files ----------------------------


@dataclass
class Counts:
    """What went wrong in one tree; ``notes`` names the places."""

    files: int = 0
    lines: int = 0
    changed: int = 0
    declined: int = 0
    seconds: float = 0.0
    levels: collections.Counter[str] = field(default_factory=collections.Counter)
    crashes: int = 0
    damaged: int = 0
    unannounced: int = 0  # Python 2: a changed line that no finding names
    unparseable: int = 0
    second_pass: int = 0
    references: int = 0
    unresolved: int = 0
    newly_broken: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """What must be 0."""
        return (
            self.crashes
            + self.damaged
            + self.unparseable
            + self.second_pass
            + self.unresolved
            + self.newly_broken
        )


COLUMNS = (
    "files",
    "lines",
    "changed",
    "declined",
    "crashes",
    "damaged",
    "unannounced",
    "unparseable",
    "second_pass",
    "references",
    "unresolved",
    "newly_broken",
)


def check(trees: list[Path], jobs: int, report: Path | None, level: str) -> int:
    """Upgrade each tree in memory and count; the table goes to stdout, the places to ``report``."""
    everything = {}
    print("| tree | " + " | ".join(COLUMNS) + " | levels | s |")
    print("|---" * (len(COLUMNS) + 3) + "|")
    total = Counts()
    for tree in trees:
        counts = _check_tree(tree, jobs, level)
        everything[tree.name] = counts
        _print_row(tree.name, counts)
        for column in COLUMNS:
            setattr(total, column, getattr(total, column) + getattr(counts, column))
        total.seconds += counts.seconds
        total.levels.update(counts.levels)
    _print_row("total", total)
    if report is not None:
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(json.dumps({k: vars(v) for k, v in everything.items()}, indent=1))
        print(f"places: {report}")
    return 1 if total.wrong else 0


def _print_row(name: str, counts: Counts) -> None:
    cells = [str(getattr(counts, column)) for column in COLUMNS]
    levels = ", ".join(f"{k} {v}" for k, v in sorted(counts.levels.items()))
    print(f"| {name} | {' | '.join(cells)} | {levels} | {counts.seconds:.1f} |", flush=True)


def _check_tree(tree: Path, jobs: int, level: str) -> Counts:
    from migrate.engine import runner
    from migrate.engine.options import Options

    counts = Counts()
    options: dict[str, Any] = {"jobs": jobs, "cache": False, "level": level}
    start = time.perf_counter()
    try:
        results = list(runner.upgrade([str(tree)], Options(root=str(tree), **options)))
    except Exception as error:
        counts.crashes += 1
        counts.notes.append(f"crash: the whole tree: {type(error).__name__}: {error}")
        return counts
    counts.seconds = time.perf_counter() - start
    after: dict[str, bytes] = {}
    for result in results:
        path = tree / result.path
        before = path.read_bytes() if path.is_file() else b""
        counts.files += 1
        counts.lines += before.count(b"\n")
        if result.level is not None:
            counts.levels[result.level.value] += 1
        if result.status == "failed":
            internal = "internal error" in result.reason
            counts.crashes += internal
            counts.declined += not internal
            kind = "crash" if internal else "declined"
            counts.notes.append(f"{kind}: {result.path}: {result.reason}")
            continue
        new = before if result.after is None else result.after
        after[result.path] = new
        if new != before:
            counts.changed += 1
            _check_change(result, before, new, counts)
        _check_references(result, before, new, counts)
    _check_second_pass(tree, after, options, counts)
    return counts


def _check_change(result: Any, before: bytes, after: bytes, counts: Counts) -> None:
    why = damage(before, after, result)
    if why.endswith(UNNAMED) and any(f.rule.startswith("TFM8") for f in result.fixed):
        counts.unannounced += 1
        counts.notes.append(f"unannounced: {result.path}: {why}")
    elif why:
        if any(f.rule == "TFM420" for f in result.fixed):
            return  # its statements moved into functions: tests/test_native.py runs such programs
        counts.damaged += 1
        counts.notes.append(f"damaged: {result.path}: {why}")
    error = _syntax_error(result.path, before, after)
    if error:
        counts.unparseable += 1
        counts.notes.append(f"unparseable: {result.path}: {error}")


def _syntax_error(path: str, before: bytes, after: bytes) -> str:
    """What does not parse; a notebook's cell that its author had left unfinished does not count."""
    try:
        new = sources(path, after)
    except (SyntaxError, ValueError) as error:
        return str(error)
    try:
        old = sources(path, before)
    except (SyntaxError, ValueError):
        old = new
    notebook = path.endswith(".ipynb")
    for i, source in enumerate(new):
        error_here = _parse_error(source)
        if error_here and not notebook:
            return error_here
        if error_here and (not _parse_error(old[i]) or PYTHON_2.search(old[i])):
            return f"{error_here}, in code cell {i + 1}"
    return ""


PYTHON_2 = re.compile(r"(?m)^\s*(?:print\s+[^(=\s]|except \w+, \w+|raise \w+, )")


def _parse_error(source: str) -> str:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError) as error:
        return str(error)
    return ""


def _check_second_pass(
    tree: Path, after: dict[str, bytes], options: dict[str, Any], counts: Counts
) -> None:
    from migrate.engine import runner
    from migrate.engine.options import Options

    with tempfile.TemporaryDirectory() as tmp:
        for name, data in after.items():
            target = Path(tmp) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        for again in runner.upgrade([tmp], Options(root=tmp, **options)):
            if again.after is not None and again.after != after.get(again.path):
                counts.second_pass += 1
                first = next(
                    (
                        line
                        for line in difflib.unified_diff(
                            after.get(again.path, b"").decode("utf-8", "replace").splitlines(),
                            again.after.decode("utf-8", "replace").splitlines(),
                            lineterm="",
                            n=0,
                        )
                        if line.startswith("+") and not line.startswith("+++")
                    ),
                    "",
                )
                counts.notes.append(f"second pass: {again.path}: {first}")


def sources(path: str, data: bytes) -> list[str]:
    """The Python text of a file: one for a script, one a cell for a notebook (magics blanked)."""
    if not path.endswith(".ipynb"):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return [data.decode(encoding)]
    return [text for _, text in _code_cells(data)]


def _code_cells(data: bytes) -> list[tuple[int, str]]:
    """The cells of Python, each with its number among all cells."""
    loaded = json.loads(data.decode("utf-8-sig"))
    cells = loaded.get("cells") or [c for w in loaded.get("worksheets", []) for c in w["cells"]]
    found = []
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") == "code":
            text = "".join(cell.get("source", cell.get("input", "")))
            if not text.lstrip().startswith("%%"):
                found.append((number, re.sub(r"(?m)^([ \t]*)[%!?].*$", r"\1pass", text)))
    return found


UNNAMED = "no finding names this change"


def damage(before: bytes, after: bytes, result: Any) -> str:
    """Why a change harms what it should have left alone; "" where it does not."""
    if before.strip() and not after.strip():
        return "emptied"
    if before.startswith(b"\xef\xbb\xbf") != after.startswith(b"\xef\xbb\xbf"):
        return "byte order mark lost or added"
    if b"\r" not in before and b"\r" in after:
        return "carriage returns added"
    if before.count(b"\r\n") == before.count(b"\n") > 0 and after.count(b"\r\n") != after.count(
        b"\n"
    ):
        return "newlines no longer all CRLF"
    if before.endswith(b"\n") != after.endswith(b"\n"):
        return "the end of the last line"
    if result.path.endswith(".ipynb"):
        return _notebook_damage(before, after)
    try:
        old, new = sources(result.path, before)[0], sources(result.path, after)[0]
    except (SyntaxError, UnicodeDecodeError) as error:
        return f"encoding: {error}"
    lost = _comments(old) - _comments(new)
    if lost:
        return f"comment lost: {next(iter(lost))}"
    return _unannounced(old, new, result)


def _notebook_damage(before: bytes, after: bytes) -> str:
    bare = []
    for data in (before, after):
        loaded = json.loads(data.decode("utf-8-sig"))
        for cell in loaded.get("cells", []):
            if cell.get("cell_type") == "code":
                cell["source"] = None
        bare.append(loaded)
    return "" if bare[0] == bare[1] else "a notebook's outputs, metadata or prose"


def _comments(text: str) -> collections.Counter[str]:
    found: collections.Counter[str] = collections.Counter()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found[token.string.strip()] += 1
    except (tokenize.TokenError, SyntaxError):
        return collections.Counter()
    return found


def _unannounced(old: str, new: str, result: Any) -> str:
    """A changed line in no statement that a finding or an import stands in."""
    before, after = old.splitlines(), new.splitlines()
    allowed: set[int] = set()
    for finding in [*result.fixed, *result.left]:
        allowed.update(range(finding.line, max(finding.line, finding.end_line) + 1))
    try:
        for node in ast.walk(ast.parse(old)):
            if not isinstance(node, ast.stmt):
                continue
            span = _head(node)
            if isinstance(node, (ast.Import, ast.ImportFrom)) or not allowed.isdisjoint(span):
                allowed.update(span)
    except SyntaxError:  # Python 2
        for span, first in _logical_lines(old):
            if first in ("import", "from") or not allowed.isdisjoint(span):
                allowed.update(span)
    tabs = any(f.message.startswith("tabs became spaces") for f in result.fixed)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal" or all(not line.strip() for line in after[j1:j2] + before[i1:i2]):
            continue
        if tag == "insert":
            around = {i1, i1 + 1}
            plain = all(
                re.match(r"\s*(import |from .* import |\w+(\.\w+)*\(\)\s*$|#|$)", line)
                for line in after[j1:j2]
            )
            if plain or not allowed.isdisjoint(around):
                continue
        elif not allowed.isdisjoint(range(i1 + 1, i2 + 1)):
            continue
        elif tabs and [x.strip() for x in before[i1:i2]] == [x.strip() for x in after[j1:j2]]:
            continue  # one finding says on how many lines
        return f"line {i1 + 1}: {(before[i1:i2] or after[j1:j2])[0]!r}: {UNNAMED}"
    return ""


def _logical_lines(text: str) -> Iterator[tuple[range, str]]:
    """The lines of each statement, as tokens tell them, and its first word."""
    start, first = 0, ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NEWLINE:
                yield range(start, token.end[0] + 1), first
                start = 0
            elif not start and token.string.strip() and token.type != tokenize.COMMENT:
                start, first = token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _head(node: ast.stmt) -> range:
    """The lines of a simple statement, or of the head of a compound one."""
    body = getattr(node, "body", None)
    end = node.end_lineno or node.lineno
    if isinstance(body, list) and body:
        end = max(node.lineno, body[0].lineno - 1)
    start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return range(start, end + 1)


# -- check: references, resolved on the real TF 2.21 and not by the tool's own tables -----


class Resolver:
    """Whether a dotted name exists in the TensorFlow that this interpreter has."""

    def __init__(self) -> None:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
        self.tensorflow = importlib.import_module("tensorflow")
        self.known: dict[str, bool] = {}
        self.objects: dict[str, Any] = {}

    def __call__(self, name: str) -> bool:
        if name not in self.known:
            self.known[name] = self._resolve(name.split("."))
        return self.known[name]

    def _resolve(self, parts: list[str]) -> bool:
        at: Any = self.tensorflow
        for i, part in enumerate(parts[1:], 2):
            if not isinstance(at, (types.ModuleType, type)):
                return True  # an object's own attributes are no API
            name = ".".join(parts[:i])
            if name in self.objects:
                at = self.objects[name]
                continue
            try:
                at = getattr(at, part)
            except AttributeError:
                try:
                    at = importlib.import_module(name)
                except Exception:
                    return False
            # An import that fails can leave the packages above it without what they had.
            self.objects[name] = at
        return True


def references(source: str) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of TensorFlow's names in a source, by a resolver of our own.

    Aliases by import anywhere and by one assignment; a name that is also bound otherwise, and code
    that waits for an ImportError or AttributeError, is left out.
    """
    tree = ast.parse(source)
    aliases, bound, parents, guarded = _bindings(tree)
    for name in list(aliases):
        if bound[name] > 1:
            del aliases[name]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module.split(".")[0] == "tensorflow" and not _is_in(node, guarded, parents):
                for alias in node.names:
                    if alias.name != "*":
                        yield alias.lineno, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Attribute) and not isinstance(parents[node], ast.Attribute):
            full = _dotted(node, aliases)
            if full is not None and not _is_in(node, guarded, parents):
                yield node.lineno, full


def _bindings(
    tree: ast.Module,
) -> tuple[dict[str, str], collections.Counter[str], dict[ast.AST, ast.AST], set[ast.AST]]:
    aliases: dict[str, str] = {}
    bound: collections.Counter[str] = collections.Counter()
    parents: dict[ast.AST, ast.AST] = {}
    guarded: set[ast.AST] = set()
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            parents[child] = node
        if isinstance(node, ast.Try) and any(_forgives(h) for h in node.handlers):
            guarded.update(node.body)
            guarded.update(node.handlers)
        elif isinstance(node, ast.If) and re.search(r"hasattr|version", ast.unparse(node.test)):
            guarded.update(node.body)
            guarded.update(node.orelse)
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "tensorflow":
                    name = alias.asname or "tensorflow"
                    full = alias.name if alias.asname else "tensorflow"
                    bound[name] += aliases.get(name) != full
                    aliases[name] = full
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tensorflow":
            for alias in node.names:
                name, full = alias.asname or alias.name, f"{node.module}.{alias.name}"
                bound[name] += aliases.get(name) != full
                aliases[name] = full
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound[node.id] += 1
        elif isinstance(node, ast.arg):
            bound[node.arg] += 2
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            target = _dotted(node.value, aliases) if isinstance(node.value, ast.Attribute) else None
            if target is not None and bound[name] == 1 and len(node.targets) == 1:
                aliases[name] = target
    return aliases, bound, parents, guarded


def _forgives(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or bool(
        re.search(
            r"ImportError|ModuleNotFound|AttributeError|\bException", ast.unparse(handler.type)
        )
    )


def _is_in(node: ast.AST, nodes: set[ast.AST], parents: dict[ast.AST, ast.AST]) -> bool:
    at: ast.AST | None = node
    while at is not None:
        if at in nodes:
            return True
        at = parents.get(at)
    return False


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str | None:
    parts: list[str] = []
    at = node
    while isinstance(at, ast.Attribute):
        parts.append(at.attr)
        at = at.value
    if not isinstance(at, ast.Name) or at.id not in aliases:
        return None
    return ".".join([aliases[at.id], *reversed(parts)])


_resolver: Resolver | None = None


def _check_references(result: Any, before: bytes, after: bytes, counts: Counts) -> None:
    global _resolver
    _resolver = _resolver or Resolver()
    named = {_plain(f.endpoint) for f in result.left if f.endpoint}
    notebook = result.path.endswith(".ipynb")
    try:
        old = {_plain(n) for s in sources(result.path, before) for _, n in references(s)}
    except (SyntaxError, ValueError):
        old = None  # Python 2
    try:
        texts = sources(result.path, after)
    except (SyntaxError, ValueError):
        return
    try:
        originals = sources(result.path, before)
    except (SyntaxError, ValueError):
        originals = []
    numbers = [n for n, _ in _code_cells(after)] if notebook else []
    for number, source in enumerate(texts):
        cell = numbers[number] if notebook else None
        lines = {f.line for f in result.left if f.cell == cell}
        if number < len(originals):
            lines = _moved_lines(originals[number], source, lines)
        try:
            found = list(references(source))
        except (SyntaxError, ValueError):
            continue
        for line, name in found:
            counts.references += 1
            if _resolver(name):
                continue
            plain = _plain(name)
            announced = any(_covers(plain, endpoint) for endpoint in named)
            if not announced and line not in lines:
                counts.unresolved += 1
                counts.notes.append(f"unresolved: {result.path}:{line}: {name}")
            if old is not None and plain not in old:
                counts.newly_broken += 1
                counts.notes.append(f"newly broken: {result.path}:{line}: {name}")


def _moved_lines(old: str, new: str, lines: set[int]) -> set[int]:
    """Where lines of a text, from 1, stand in the text that it became."""
    found: set[int] = set()
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        here = [line for line in lines if i1 < line <= i2]
        if tag == "equal" or i2 - i1 == j2 - j1:
            found.update(line - i1 + j1 for line in here)
        elif here:
            found.update(range(j1 + 1, j2 + 1))
    return found


def _plain(name: str) -> str:
    if name.startswith("tf."):
        name = "tensorflow." + name[3:]
    return name.replace("tensorflow.compat.v1.", "tensorflow.")


def _covers(name: str, endpoint: str) -> bool:
    return f"{name}.".startswith(f"{endpoint}.") or f"{endpoint}.".startswith(f"{name}.")


# -- run: originals on TF 1.15.5 against what the tool makes of them on TF 2.21 ------------

SHORT = 20
#: The same edit on both sides, before anything runs.
LOOP_NAME = (
    r"(?:num_|n_|max_|train(?:ing)?_|total_)*"
    r"(?:epochs?|steps?|iters?|iterations?|episodes?|batches|training_steps)(?:_num|_count|_size)?"
)
LOOPS = [
    (re.compile(rf"(?im)^(\s*(?:self\.)?{LOOP_NAME}\s*=\s*)([\d_]+)(?=\s*(?:#.*)?$)"), SHORT),
    (re.compile(r"(?i)(\bx?range\(\s*(?:\d\s*,\s*)?)(\d{3,})(?=(?:\s*[-+]\s*\d+)?\s*\))"), SHORT),
    (
        re.compile(rf"(?i)(DEFINE_integer\(\s*['\"]{LOOP_NAME}['\"]\s*,\s*)(\d+)"),
        SHORT,
    ),
    (re.compile(r"(?im)^(\s*display_(?:step|every)\s*=\s*)(\d+)(?=\s*(?:#.*)?$)"), 5),
    (re.compile(r"(?i)(\bepochs\s*=\s*)(\d+)(?=\s*[,)])"), 2),
]
EPOCHS = re.compile(r"(?i)epoch")
READ_MNIST = re.compile(r"(read_data_sets\(\s*)(['\"])[^'\"]*\2")
TIMING = re.compile(
    r"(?i)\b(time|sec(ond)?s?|elapsed|duration|examples/sec|eta|took)\b|\d\d:\d\d:\d\d"
)
VOLATILE = re.compile(r"0x[0-9a-f]+|/tmp/\S+|\d{4}-\d\d-\d\d")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])|\b(?:nan|inf)\b")
RUNS = re.compile(r"\.run\(|Session\(|__main__|\.fit\(|enable_eager|\.eval\(|print")
TOLERANCE = 1e-3

LAUNCHER = '''\
"""Runs a script with reproducible random ops, without a display and without a network."""
import os, runpy, sys, types
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import matplotlib
except ImportError:
    try:
        from unittest import mock
    except ImportError:
        mock = None
    class Stub(mock.MagicMock):
        __path__ = []
        __all__ = []
        def __iter__(self):
            return iter([mock.MagicMock(), mock.MagicMock()])
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.cm", "matplotlib.animation",
                 "matplotlib.gridspec", "matplotlib.image", "mpl_toolkits",
                 "mpl_toolkits.mplot3d", "matplotlib.colors", "pylab"):
        sys.modules[name] = Stub(name=name)
    sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]
    figure = (mock.MagicMock(), Stub(name="axes"))
    sys.modules["matplotlib.pyplot"].subplots = lambda *a, **k: figure
import numpy as np
def shown(cls, name):
    plain = getattr(cls, name)
    def method(self, *args, **kwargs):
        for arg in args:
            if isinstance(arg, str):
                print("plotted", arg)
                continue
            try:
                numbers = np.asarray(arg, dtype=float)
            except Exception:
                continue
            if numbers.size:
                print("plotted", np.mean(numbers), np.std(numbers))
        return plain(self, *args, **kwargs)
    setattr(cls, name, method)
try:
    from matplotlib.axes import Axes
    for name in ("plot", "scatter", "imshow", "text", "bar", "hist", "contourf", "set_title"):
        shown(Axes, name)
except ImportError:
    pass
import tensorflow as tf
import randomness
randomness.seed_generators(0)
plain_seed = np.random.seed
# MNIST's reader asks for a seed that nobody knows
np.random.seed = lambda seed=None: plain_seed(0 if seed is None else seed)
randomness.install(tf)
script = sys.argv[1]
with open(script, "rb") as file:
    text = file.read()
if tf.__version__.startswith("1."):
    # `import tensorflow.a.b as c` finds b on 1.15.5 only once something else has imported it
    if b"tensorflow.examples.tutorials" in text:
        import tensorflow.examples.tutorials.mnist.input_data
        sys.modules["tensorflow_core.examples"].tutorials = sys.modules[
            "tensorflow.examples.tutorials"]
    if b"tensorflow.contrib.eager" in text:
        tf.contrib.eager
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(os.path.abspath(script))
runpy.run_path(script, run_name="__main__")
'''


@dataclass
class Outcome:
    """How one program did on one TensorFlow."""

    status: str  # "ok", "failed", "timeout"
    stdout: str = ""
    error: str = ""
    seconds: float = 0.0


def run(
    root: Path,
    trees: list[tuple[str, Path]],
    python1: str,
    timeout: float,
    limit: int,
    match: str,
    level: str,
    results_folder: Path,
) -> int:
    """Run what runs on TF 1.15.5 on both sides; write a table."""
    results_folder.mkdir(parents=True, exist_ok=True)
    mnist = _synthetic_mnist(root / "mnist")
    rows = _earlier_results(results_folder)
    fresh: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="corpus-") as tmp:
        launcher = _write_launcher(Path(tmp))
        for name, tree in trees:
            if not tree.is_dir():
                print(f"{name}: not fetched")
                continue
            before, after = Path(tmp) / "before" / tree.name, Path(tmp) / "after" / tree.name
            _copy_with_edits(tree, before, mnist)
            _upgrade(before, after, level)
            candidates = [
                p
                for p in sorted(before.rglob("*.py"))
                if match in str(p.relative_to(before)) and _is_program(p)
            ]
            for script in candidates[: limit or None]:
                relative = script.relative_to(before)
                row = _compare_program(
                    name, relative, before, after, launcher, python1, timeout, root / "results"
                )
                rows[f"{name} {relative}"] = row
                fresh.append(row)
                print(
                    f"{name} {relative}: {row['verdict']}"
                    + (f" ({row['detail']})" if row["detail"] else ""),
                    flush=True,
                )
                _write_results(results_folder, rows)
            shutil.rmtree(before, ignore_errors=True)
            shutil.rmtree(after, ignore_errors=True)
    summary = collections.Counter(row["verdict"] for row in fresh)
    print(", ".join(f"{count} {verdict}" for verdict, count in summary.most_common()))
    print(f"{results_folder / 'run.md'}")
    return 0


def _compare_program(
    name: str,
    relative: Path,
    before: Path,
    after: Path,
    launcher: Path,
    python1: str,
    timeout: float,
    results: Path,
) -> dict[str, Any]:
    row: dict[str, Any] = {"repository": name, "program": str(relative), "detail": ""}
    one = _original(before, relative, launcher, python1, timeout, results / "tf1")
    row["seconds_1"] = round(one.seconds, 1)
    if one.status != "ok":
        row["verdict"], row["detail"] = f"{one.status} on 1.15.5", one.error
        return row
    numbers = _numbers(one.stdout)
    row["numbers"] = len(numbers)
    two = _execute(sys.executable, after, relative, launcher, timeout)
    row["seconds_2"] = round(two.seconds, 1)
    row["level"] = _level(after / relative)
    if two.status != "ok":
        row["verdict"], row["detail"] = f"{two.status} on 2.21", two.error
        return row
    if not numbers:
        row["verdict"] = "runs, prints no numbers"
        return row
    row["verdict"], row["detail"], row["worst"] = _verdict(numbers, _numbers(two.stdout))
    return row


def _verdict(one: list[float], two: list[float]) -> tuple[str, str, float | None]:
    if len(one) != len(two):
        return "differs", f"{len(one)} numbers against {len(two)}", None
    worst, where = 0.0, 0
    for i, (a, b) in enumerate(zip(one, two, strict=True)):
        if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
            error = 0.0 if a == b or (math.isnan(a) and math.isnan(b)) else math.inf
        else:
            error = abs(a - b) / max(1.0, abs(a))
        if error > worst:
            worst, where = error, i
    if worst > TOLERANCE:
        return "differs", f"number {where + 1}: {one[where]:g} against {two[where]:g}", worst
    return "same", "", worst


def _numbers(stdout: str) -> list[float]:
    found = []
    for line in stdout.splitlines():
        if not TIMING.search(line):
            found += [float(m) for m in NUMBER.findall(VOLATILE.sub("", line))]
    return found


def _level(path: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    return "compat" if re.search(r"compat\.v1|tf1_shim|estimator_shim", text) else "native"


def _is_program(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace")
    return "tensorflow" in text and RUNS.search(text) is not None


def _original(
    before: Path, relative: Path, launcher: Path, python1: str, timeout: float, cache: Path
) -> Outcome:
    """The run on TF 1.15.5, remembered by the text of the folder's files."""
    digest = hashlib.sha256(LAUNCHER.encode())
    for path in sorted((before / relative).parent.glob("*.py")):
        digest.update(path.read_bytes())
    digest.update((launcher.parent / "randomness.py").read_bytes())
    digest.update(f"{relative} {timeout} {os.environ.get('CORPUS_PACKAGES_1', '')}".encode())
    stored = cache / f"{digest.hexdigest()[:24]}.json"
    if stored.exists():
        return Outcome(**json.loads(stored.read_text()))
    found = _execute(python1, before, relative, launcher, timeout)
    cache.mkdir(parents=True, exist_ok=True)
    stored.write_text(json.dumps(vars(found)))
    return found


def _execute(python: str, tree: Path, relative: Path, launcher: Path, timeout: float) -> Outcome:
    script = tree / relative
    dead = "http://127.0.0.1:9"
    extra = os.environ.get("CORPUS_PACKAGES_1" if python != sys.executable else "CORPUS_PACKAGES_2")
    env = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "MPLBACKEND": "Agg",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONPATH": os.pathsep.join([str(PROJECT), str(tree), *([extra] if extra else [])]),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "http_proxy": dead,
        "https_proxy": dead,
        "HOME": str(tree.parent),
        "TMPDIR": str(tree.parent),
    }
    start = time.perf_counter()
    process = subprocess.Popen(
        [python, str(launcher), str(script)],
        cwd=script.parent,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return Outcome("timeout", seconds=timeout)
    seconds = time.perf_counter() - start
    stdout, stderr = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    if process.returncode:
        lines = [line for line in stderr.strip().splitlines() if line.strip()]
        errors = [x for x in lines if re.match(r"[\w.]*(Error|Exception|Exit|Interrupt)\b", x)]
        last = (errors or lines or [f"exit status {process.returncode}"])[-1]
        return Outcome("failed", stdout, last[:200], seconds)
    return Outcome("ok", stdout, "", seconds)


def _copy_with_edits(tree: Path, to: Path, mnist: Path) -> None:
    shutil.copytree(tree, to, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for path in to.rglob("*.py"):
        if path.is_symlink():
            continue
        old = path.read_bytes()
        new = shorten(old.decode("utf-8", "surrogateescape"), mnist)
        path.write_bytes(new.encode("utf-8", "surrogateescape"))


def shorten(text: str, mnist: Path) -> str:
    """Fewer rounds, and MNIST from our own files."""
    # Python 3.7 and 3.11 hash strings differently, whatever PYTHONHASHSEED says.
    text = text.replace("list(set(", "sorted(set(")
    for pattern, most in LOOPS:
        text = pattern.sub(functools.partial(_at_most, most=most), text)
    return READ_MNIST.sub(lambda m: f"{m[1]}{m[2]}{mnist}{m[2]}", text)


def _at_most(match: re.Match[str], most: int) -> str:
    if EPOCHS.search(match[1]):
        most = min(most, 3)
    return match[1] + str(min(int(match[2].replace("_", "")), most))


def _upgrade(before: Path, after: Path, level: str) -> None:
    from migrate.engine import runner
    from migrate.engine.options import Options

    shutil.copytree(before, after, symlinks=True)
    options = Options(root=str(before), cache=False, level=level)  # type: ignore[arg-type]
    for result in runner.upgrade([str(before)], options):
        if result.after is not None:
            (after / result.path).write_bytes(result.after)


def _write_launcher(folder: Path) -> Path:
    shutil.copy(PROJECT / "migrate" / "parity" / "randomness.py", folder)
    launcher = folder / "launcher.py"
    launcher.write_text(LAUNCHER)
    return launcher


def _synthetic_mnist(folder: Path) -> Path:
    """6,000 + 1,000 pictures of ten blurred patterns, in the format of the four files of MNIST."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.RandomState(1)
    patterns = rng.uniform(0, 255, size=(10, 7, 7)).repeat(4, axis=1).repeat(4, axis=2)
    for prefix, count in (("train", 6000), ("t10k", 1000)):
        labels = rng.randint(10, size=count).astype(np.uint8)
        noise = rng.uniform(0, 255, size=(count, 28, 28))
        images = (0.7 * patterns[labels] + 0.3 * noise).astype(np.uint8)
        images_path = folder / f"{prefix}-images-idx3-ubyte.gz"
        if not images_path.exists():
            header = struct.pack(">IIII", 2051, count, 28, 28)
            images_path.write_bytes(gzip.compress(header + images.tobytes(), mtime=0))
            labels_path = folder / f"{prefix}-labels-idx1-ubyte.gz"
            header = struct.pack(">II", 2049, count)
            labels_path.write_bytes(gzip.compress(header + labels.tobytes(), mtime=0))
    return folder


def _earlier_results(folder: Path) -> dict[str, dict[str, Any]]:
    stored = folder / "run.json"
    rows = json.loads(stored.read_text(encoding="utf-8")) if stored.exists() else []
    return {f"{row['repository']} {row['program']}": row for row in rows}


def _write_results(folder: Path, found: dict[str, dict[str, Any]]) -> None:
    rows = [found[key] for key in sorted(found)]
    (folder / "run.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    summary = collections.Counter(row["verdict"] for row in rows)
    lines = ["# Corpus programs, TF 1.15.5 against the upgraded ones on TF 2.21", ""]
    lines += [f"- {count} {verdict}" for verdict, count in summary.most_common()]
    lines += ["", "| program | verdict | level | worst | detail |", "|---|---|---|---|---|"]
    for row in rows:
        worst = row.get("worst")
        lines.append(
            f"| {row['repository']} {row['program']} | {row['verdict']} | {row.get('level', '')} "
            f"| {'' if worst is None else f'{worst:.1e}'} | {row['detail'].replace('|', '/')} |"
        )
    (folder / "run.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


# -- the command ---------------------------------------------------------------------------


def main(argv: Iterable[str] | None = None) -> int:
    """Parse and dispatch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["fetch", "check", "run"])
    parser.add_argument("names", nargs="*", metavar="REPOSITORY", help="a part of its name")
    root_option(parser)
    parser.add_argument(
        "--mirrors", type=Path, help="fetch: a folder of git mirrors, OWNER+NAME/repo"
    )
    parser.add_argument("--tree", type=Path, action="append", help="check, run: any other folder")
    parser.add_argument("--report", type=Path, help="check: write the places here (JSON)")
    parser.add_argument("--level", default="native", choices=["native", "compat"])
    parser.add_argument("-j", "--jobs", type=int, default=0)
    parser.add_argument("--tf1-python", default=os.environ.get("MIGRATE_TF1_PYTHON"))
    parser.add_argument("--timeout", type=float, default=60, help="run: seconds a program may take")
    parser.add_argument("--limit", type=int, default=0, help="run: programs per repository")
    parser.add_argument("--results", type=Path, help="run: where the table goes (ROOT/results)")
    parser.add_argument("--match", default="", help="run: only paths that hold this text")
    options = parser.parse_args(None if argv is None else list(argv))
    if options.what == "fetch":
        return fetch(options.root, options.mirrors, options.names)
    if options.what == "check":
        trees = options.tree or [
            folder_of(options.root, name)
            for name, _ in repositories(options.names)
            if folder_of(options.root, name).is_dir()
        ]
        return check(trees, options.jobs, options.report, options.level)
    if not options.tf1_python:
        parser.error("no TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON or give --tf1-python")
    return run(
        options.root,
        [(tree.name, tree.resolve()) for tree in options.tree or ()]
        or [(name, folder_of(options.root, name)) for name, _ in repositories(options.names)],
        options.tf1_python,
        options.timeout,
        options.limit,
        options.match,
        options.level,
        options.results or options.root / "results",
    )


if __name__ == "__main__":
    sys.exit(main())
