"""Which files make a program: an entry and all that it imports from the same tree.

Imports are read with a regular expression from every file of the run, those that don't mention
TensorFlow too: two halves of a model may meet in a module that doesn't.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from migrate.programs.search_path import MENTION, Known, Paths, beside, folders_of

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<dots>\.*)[ \t]*(?P<module>[\w.]*)[ \t]+import[ \t]*"
    r"(?P<names>\([^)]*\)|[^\r\n;#\\]*(?:\\\r?\n[^\r\n;#\\]*)*)"
    r"|import[ \t]+(?P<plain>[\w., \t]+))",
    re.M,
)
# `__import__("model")` and `importlib.import_module("nets.model")`, which say what they import.
_CALLED = re.compile(
    r"(?<![.\w])(?:__import__|(?:importlib[ \t]*\.[ \t]*)?import_module)"
    r"\([ \t]*(['\"])(?P<module>\w[\w.]*)\1[ \t]*\)"
)
_NAME = re.compile(r"([^\W\d]\w*|\*)(?:[ \t]+as[ \t]+\w+)?")


@dataclass(frozen=True, slots=True)
class Imported:
    """One import as written: ``from ..module import names``."""

    level: int
    module: str
    names: tuple[str, ...] = ()
    idle: bool = False  # the file says nothing more of what it takes


# What may read a name without saying it.
_HIDDEN = re.compile(r"(?<![.\w])(?:eval|exec|globals|locals|vars)\s*\(|__all__")
# A line of a notebook's cell.
_CELL_LINE = re.compile(r'(?m)^[ \t]*"(.*?)(?:\\n)?",?[ \t]*$')
_BOUND = re.compile(r"([^\W\d]\w*)(?:[ \t]+as[ \t]+(\w+))?")


def imports_of(text: str) -> list[Imported]:
    """The imports of a module's text, TensorFlow's own left out."""
    return list(_imports_of(text))


@lru_cache(maxsize=16)  # asked for a file's imports of others first, then for all of them
def _imports_of(text: str) -> list[Imported]:
    found: list[Imported] = []

    def idle(bound: Iterable[tuple[str, str]]) -> bool:
        names = [own or name for name, own in bound]
        once = bool(names) and all(_once(name, text) for name in names)
        return once and _HIDDEN.search(text) is None

    for match in _IMPORT.finditer(text):
        plain = match["plain"]
        if plain is not None:
            for part in plain.split(","):
                name = part.split()[0] if part.split() else ""
                if name and name.split(".")[0] != "tensorflow":
                    found.append(Imported(0, name))
            continue
        module = match["module"] or ""
        if module.split(".")[0] == "tensorflow" and not match["dots"]:
            continue
        names = re.sub(r"#[^\n]*", "", match["names"] or "")
        taken = tuple(_NAME.findall(names))
        found.append(Imported(len(match["dots"]), module, taken, idle(_BOUND.findall(names))))
    if "__import__" in text or "import_module" in text:
        modules = (match["module"] for match in _CALLED.finditer(text))
        found += [Imported(0, m) for m in modules if m.partition(".")[0] != "tensorflow"]
    if MENTION in text:
        found.append(Imported(0, MENTION))
    return found


def _once(word: str, text: str) -> bool:
    """Whether a word stands in a text, and only once."""
    found = 0
    at = text.find(word)
    while at >= 0 and found < 2:
        end = at + len(word)
        before, after = text[at - 1 : at], text[end : end + 1]
        found += not (before.isalnum() or before == "_" or after.isalnum() or after == "_")
        at = text.find(word, end)
    return found == 1


def called_import(node: ast.Call) -> str | None:
    """The module that a call imports by its name: ``__import__("model")``."""
    match node:
        case ast.Call(
            ast.Name("__import__" | "import_module")
            | ast.Attribute(ast.Name("importlib"), "import_module"),
            [ast.Constant(str() as name)],
            [],
        ) if not name.startswith("."):
            return name
    return None


# A line that imports another module than TensorFlow: looking costs less than reading.
_LINE = re.compile(rb"(?m)^[ \t]*(?:from|import)[ \t]+(?!tensorflow\b)([^\r\n]*)")


@dataclass(frozen=True, slots=True)
class Words:
    """What the files of a run may call each other, before it is known which import which."""

    own: frozenset[str] = frozenset()  # the parts of their paths
    taken: frozenset[str] = frozenset()  # what lines that import say

    def told(self, path: str, data: bytes) -> tuple[bool, bool]:
        """Whether a file seems to import none of the others; whether one of them may import it."""
        folder, name = os.path.split(os.path.normpath(path).removesuffix(".py"))
        name = os.path.basename(folder) if name == "__init__" else name
        return not self._imported(path, data), name in self.taken

    def _imported(self, path: str, data: bytes) -> bool:
        if not self.own or b"import" not in data:
            return False
        text = data.decode("utf-8", "replace")
        if path.endswith(".ipynb"):
            text = _CELL_LINE.sub(r"\1", text)
        return any(
            item.level or item.module.partition(".")[0] in self.own for item in imports_of(text)
        )


def words_of(paths: Iterable[str], texts: Iterable[bytes] = ()) -> Words:
    """The words of some files' paths, and of the lines of ``texts`` that import."""
    own = {p for path in paths for p in os.path.normpath(path).removesuffix(".py").split(os.sep)}
    lines = {line for data in texts if b"import" in data for line in _LINE.findall(data)}
    taken = re.findall(r"\w+", b"\n".join(lines).decode("utf-8", "replace"))
    return Words(frozenset(own), frozenset(own.intersection(taken)))


@dataclass(slots=True)
class Tree:
    """The files of a run and which of them import which."""

    links: dict[str, frozenset[str]] = field(default_factory=dict)
    unread: dict[str, frozenset[str]] = field(default_factory=dict)  # imported for nothing

    def entries(self) -> list[str]:
        """Files that no other file of the run imports."""
        imported = {t for f, targets in self.links.items() for t in targets if t != f}
        return [path for path in self.links if path not in imported]

    def cycles(self, mains: Container[str] = ()) -> list[str]:
        """Of files that only files of a cycle import, one that reaches each; ``mains`` first."""
        seen = {path for entry in self.entries() for path in self.reach(entry)}
        rest = [path for path in self.links if path not in seen]
        rest.sort(key=lambda path: path not in mains)
        found = []
        while rest:
            found.append(rest[0])
            reached = self.reach(rest[0])
            rest = [path for path in rest if path not in reached]
        return found

    def reach(self, entry: str) -> frozenset[str]:
        """An entry and everything that it imports, directly or not."""
        seen = {entry}
        stack = [entry]
        while stack:
            for target in self.links.get(stack.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return frozenset(seen)


def build(files: Mapping[str, Iterable[Imported]], quiet: Container[str] = ()) -> Tree:
    """Link files (paths with the system's separators) by their imports.

    A file that no other one imports isn't linked to what it takes and never reads, where that does
    nothing when it is imported: ``quiet``.
    """
    plain, everywhere = {os.path.normpath(path): path for path in files}, Known(files)
    changing = {
        os.path.dirname(os.path.normpath(path))
        for path, imports in files.items()
        if any(item.module == MENTION for item in imports)
    }
    tree = Tree()
    unread: dict[str, set[str]] = {}
    for path, imports in files.items():
        linked: set[str] = set()
        needed: set[str] = set()
        known = everywhere if changing and beside(os.path.normpath(path), changing) else plain
        for item in imports:
            reached = set(targets(os.path.normpath(path), item, known))
            linked |= reached
            needed |= set() if item.idle else reached
        tree.links[path] = frozenset(linked - {path})
        unread[path] = linked - needed - {path}
    imported = {t for linked in tree.links.values() for t in linked}
    for path, idle in unread.items():
        if idle and path not in imported:
            tree.unread[path] = frozenset(t for t in idle if all(p in quiet for p in tree.reach(t)))
    for path, gone in tree.unread.items():
        tree.links[path] -= gone
    return tree


def targets(path: str, item: Imported, known: Mapping[str, str]) -> Iterable[str]:
    """The known files that an import in a file executes; the keys of ``known`` are normal."""
    folder = os.path.dirname(path)
    if item.level:
        for _ in range(item.level - 1):
            folder = os.path.dirname(folder)
        yield from _below(folder, item, known)
        return
    # As Python would with the script's folder, or any folder above it, on its path.
    while True:
        found = list(_below(folder, item, known))
        if found:
            yield from found
            return
        above = os.path.dirname(folder)
        if above == folder or not folder:
            break
        folder = above
    elsewhere = known.folder_of(item.module) if isinstance(known, Known) else None
    if elsewhere is not None:
        yield from _below(elsewhere, item, known)


def _below(folder: str, item: Imported, known: Mapping[str, str]) -> Iterable[str]:
    parts = item.module.split(".") if item.module else []
    base = os.path.join(folder, *parts) if parts else folder
    found = list(_targets(base, bool(parts), item, known))
    yield from found
    for depth in range(1, len(parts) if found else 0):
        package = os.path.join(folder, *parts[:depth], "__init__.py")
        if package in known:
            yield known[package]


def _targets(base: str, named: bool, item: Imported, known: Mapping[str, str]) -> Iterable[str]:
    for name in item.names:
        for candidate in (
            os.path.join(base, name + ".py"),
            os.path.join(base, name, "__init__.py"),
        ):
            if candidate in known:
                yield known[candidate]
    if named:
        for candidate in (base + ".py", os.path.join(base, "__init__.py")):
            if candidate in known:
                yield known[candidate]


def located(path: str, item: Imported, known: Mapping[str, str]) -> list[str]:
    """What an import in a file executes, outermost first: files, or folders without one.

    Empty where it is none of the known files. Paths are normal; so are the keys of ``known``.
    """
    folder = os.path.dirname(path)
    parts = item.module.split(".") if item.module else []
    if item.level:
        for _ in range(item.level - 1):
            folder = os.path.dirname(folder)
        return _chain(folder, parts, known) if parts else [_package(folder, known)]
    found: list[str] = []
    while not isinstance(known, Paths) or not known.tops.isdisjoint(parts[:1]):
        found = _chain(folder, parts, known)
        above = os.path.dirname(folder)
        if found or above == folder or not folder:
            break
        folder = above
    elsewhere = known.folder_of(item.module) if not found and isinstance(known, Known) else None
    return found if elsewhere is None else _chain(elsewhere, parts, known)


def _package(folder: str, known: Mapping[str, str]) -> str:
    init = os.path.join(folder, "__init__.py")
    return init if init in known else folder


def _chain(folder: str, parts: list[str], known: Mapping[str, str]) -> list[str]:
    found: list[str] = []
    folders = known.folders if isinstance(known, Paths) else folders_of(known)
    for place, part in enumerate(parts, 1):
        folder = os.path.join(folder, part)
        if place == len(parts) and folder + ".py" in known:
            return [*found, folder + ".py"]
        if folder not in folders:
            return []
        found.append(_package(folder, known))
    return found
