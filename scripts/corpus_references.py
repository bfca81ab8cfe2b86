"""References of upgraded files, resolved on the real TF 2.21 and not by the tool's own tables."""

from __future__ import annotations

import ast
import collections
import difflib
import importlib
import os
import re
import types
from collections.abc import Iterator
from typing import Any

from corpus_counts import Counts
from corpus_damage import code_cells, sources


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


def check_references(result: Any, before: bytes, after: bytes, counts: Counts) -> None:
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
    numbers = [n for n, _ in code_cells(after)] if notebook else []
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
