"""What names in a module mean: scopes, bindings, references, and the problems with them.

``names_resolve.analyse`` finds them.
"""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass, field
from typing import Literal

from migrate.engine.trees import all_of, walk

ROOTS = frozenset({"tensorflow", "tensorflow_core", "tensorflow_estimator"})
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Handlers under which a failing import is expected: the author supports several versions.
IMPORT_GUARDS = frozenset(
    {"ImportError", "ModuleNotFoundError", "Exception", "BaseException", "AttributeError"}
)


_SHIM = re.compile(r"\b(?:tf1|estimator)_shim\w*\.")


@dataclass(slots=True, eq=False, repr=False)
class Binding:
    """One place where a scope gives a name a meaning."""

    kind: Literal["import", "alias", "other"]
    node: ast.AST
    stmt: ast.stmt | None = None
    target: str = ""  # an import's qualified name
    guard: ast.Try | None = None  # the try statement that expects this import to fail
    handler: bool = False  # bound in that try's handler or else


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """A module, function, class or comprehension and what it binds of the names of interest."""

    kind: Literal["module", "function", "class", "comprehension"]
    parent: Scope | None
    node: ast.AST
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)  # declared global
    free: set[str] = field(default_factory=set)  # declared nonlocal


@dataclass(slots=True, eq=False, repr=False)
class Reference:
    """A Name or the longest Attribute chain on it that resolves to TensorFlow."""

    name: str  # as resolved: "tensorflow.nn.dropout", "tensorflow.compat.v1.placeholder"
    node: ast.expr  # the whole chain
    root: ast.Name  # its first name
    scope: Scope
    bindings: tuple[Binding, ...]
    stmt: ast.stmt
    parent: ast.AST
    call: ast.Call | None = None  # the call of which this is the function
    guarded: bool = False  # inside a hasattr check or a version guard
    literal: ast.Call | None = None  # getattr(root, "name"): the getattr call

    @property
    def binding(self) -> Binding:
        """The binding that gives the reference its meaning."""
        return self.bindings[0]


@dataclass(slots=True, eq=False, repr=False)
class MethodUse:
    """``value.attr``, where ``value`` isn't known to be a module."""

    node: ast.Attribute
    call: ast.Call | None
    stmt: ast.stmt
    scope: Scope


@dataclass(slots=True, eq=False, repr=False)
class Problem:
    """A use that can't be resolved: said, never guessed."""

    kind: Literal["star", "ambiguous", "computed", "escape"]
    node: ast.expr | ast.stmt | ast.alias
    message: str
    name: str = ""


@dataclass(slots=True, eq=False, repr=False)
class Names:
    """All that a module says about the packages of interest."""

    module: Scope
    references: list[Reference] = field(default_factory=list)
    methods: list[MethodUse] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    imports: list[tuple[ast.Import | ast.ImportFrom, Scope, Binding | None]] = field(
        default_factory=list
    )
    other_imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    used_names: frozenset[str] = frozenset()


def dotted(node: ast.AST) -> tuple[ast.Name, list[str]] | None:
    """``a.b.c`` as its first Name and ``["b", "c"]``; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.reverse()
        return node, parts
    return None


def from_shim(binding: Binding) -> bool:
    """Whether a name is given what the shims have, which an earlier run wrote."""
    value = getattr(binding.stmt, "value", None)
    return isinstance(value, ast.Attribute) and _SHIM.search(ast.unparse(value)) is not None


def import_target(node: ast.ImportFrom) -> str | None:
    """The absolute module of ``from module import …``; None for a relative import."""
    return node.module if not node.level else None


def attempted(tree: ast.AST) -> set[int]:
    """The ids of the nodes in `try` blocks that go on where an attribute is missing."""
    missing = ("AttributeError", "Exception", "BaseException")
    return {
        id(node)
        for stmt in all_of(tree, ast.Try)
        if any(
            handler.type is None
            or any(isinstance(n, ast.Name) and n.id in missing for n in walk(handler.type))
            for handler in stmt.handlers
        )
        for part in stmt.body
        for node in walk(part)
    }


def free_name(wanted: str, text: str) -> bool:
    """Whether ``wanted`` occurs nowhere in the text as a word (so that it can be bound)."""
    if wanted in vars(builtins):
        return False
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before, after = text[at - 1 : at], text[end : end + 1]
        word = before.isalnum() or before in ("_", ".") or after.isalnum() or after == "_"
        if not word:
            return False
        at = text.find(wanted, at + 1)
    return True
