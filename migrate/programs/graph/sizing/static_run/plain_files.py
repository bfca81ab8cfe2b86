"""Files of a run that don't use TensorFlow: the numbers that they and their classes have.

``from config import IMAGE_SIZE``, ``data.img_size`` of a class that reads pictures. Nothing of such
a file is executed. A number is told where the file, or the class, names it once, and where no file
of the run sets an attribute of that name.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from typing import Any

from migrate.engine.document import Document, shelved
from migrate.engine.source import SourceError
from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph import imports
from migrate.programs.graph.modules import Module
from migrate.programs.graph.sizing.static_run.calls import arithmetic
from migrate.programs.graph.sizing.static_run.values import UNKNOWN, Class, Frame

INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
PLAIN = (bool, int, float, str)
# What sets names and attributes that aren't written.
HIDDEN = frozenset({"setattr", "exec", "eval", "globals", "vars", "__dict__", "__getattribute__"})


class PlainFiles:
    """Those files, each once it is asked for."""

    def __init__(self, walker: Any) -> None:
        self.walker = walker
        self.frames: dict[str, Frame | None] = {}
        self.documents: list[Document] = []  # trees live as long as these
        self._set: frozenset[str] | None = None

    def of(self, path: str, entry: Any) -> Frame | None:
        """The names of a file; None where nothing is told of it."""
        if path not in self.frames:
            self.frames[path] = None
            tree = self._tree(path)
            known = self.set_elsewhere() if tree is not None else None
            if tree is not None and known is not None and not _hidden(tree, ""):
                frame = Frame(tree, entry)
                frame.names.update(_names(tree.body, frame, known))
                self.frames[path] = frame
        return self.frames[path]

    def set_elsewhere(self) -> frozenset[str] | None:
        """Attributes that any file sets; None where one can't be read, or sets what isn't said."""
        if self._set is None:
            files = self.walker.files
            own = [m.tree for m in files.order if m.tree is not None]
            paths = [path for path in files.known if path not in files.modules]
            others = [self._tree(path) for path in paths]
            read = [tree for tree in others if tree is not None]
            if len(read) < len(others) or any(_hidden(tree, "self") for tree in (*own, *read)):
                return None
            self._set = frozenset(
                n.attr
                for tree in (*own, *read)
                for n in all_of(tree, ast.Attribute)
                if not isinstance(n.ctx, ast.Load)
            )
        return self._set

    def _tree(self, path: str) -> ast.Module | None:
        data = self.walker.files.content(path)
        if data is None:
            return None
        try:
            document = shelved(path, data)
        except (SourceError, RecursionError):
            return None
        self.documents.append(document)
        return document.tree


def top_names(path: str, data: bytes) -> list[str]:
    """What ``*`` brings of a file: the names that it binds, or lists; none where it is odd."""
    try:
        document = shelved(path, data)
    except (SourceError, RecursionError):
        return []
    listed = imports.listed(Module(path, document.tree))
    found = _bound(document.tree.body) if listed is None else listed
    return sorted({name for name in found if listed is not None or not name.startswith("_")})


def _hidden(tree: ast.AST, owner: str) -> bool:
    """Whether something sets what isn't written, but for attributes of an ``owner``."""
    own = {
        id(call.func)
        for call in all_of(tree, ast.Call)
        if owner and call.args and ast.unparse(call.args[0]) == owner
    }
    for n in walk(tree):
        name = n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", getattr(n, "name", ""))
        if name in HIDDEN and id(n) not in own and not (owner and name != "setattr"):
            return True
    return False


def _names(body: Iterable[ast.stmt], frame: Frame, known: frozenset[str]) -> dict[str, Any]:
    """The names that statements bind, with what is told of them."""
    statements = list(body)
    bound = Counter(_bound(statements))
    found: dict[str, Any] = dict.fromkeys(bound, UNKNOWN)
    for stmt in statements:
        if isinstance(stmt, ast.ClassDef) and bound[stmt.name] == 1 and _simple(stmt):
            inner = Frame(stmt, frame.module, frame)
            inner.names.update({k: v for k, v in found.items() if v is not UNKNOWN})
            members = _names(stmt.body, inner, known)
            found[stmt.name] = Class(stmt, frame, [UNKNOWN], members)
        match stmt:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, value):
                if bound[name] == 1 and name not in known:
                    found[name] = _value(value, {**frame.names, **found})
    return found


def _bound(statements: Iterable[ast.stmt]) -> Iterable[str]:
    """Each place that binds a name in a scope, or sets a global one in a function."""
    stack: list[ast.AST] = list(statements)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        if isinstance(node, INNER):
            for inner in all_of(node, ast.Global):
                yield from (name for name in inner.names for _ in range(2))
        else:
            stack.extend(children(node))


def _simple(stmt: ast.ClassDef) -> bool:
    """Whether an object has what its class is seen to have, unless something sets that."""
    plain = not stmt.bases or [ast.unparse(b) for b in stmt.bases] == ["object"]
    return plain and not stmt.keywords and not stmt.decorator_list


def _value(node: ast.expr | None, names: dict[str, Any]) -> Any:
    """A number, a text, or a tuple of some."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, PLAIN) else UNKNOWN
    if isinstance(node, ast.Name):
        value = names.get(node.id, UNKNOWN)
        return value if isinstance(value, (*PLAIN, tuple)) else UNKNOWN
    if isinstance(node, ast.Tuple):
        items = [_value(item, names) for item in node.elts]
        return UNKNOWN if UNKNOWN in items else tuple(items)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, names), _value(node.right, names)
        numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
        return arithmetic(node.op, left, right) if numbers else UNKNOWN
    return UNKNOWN
