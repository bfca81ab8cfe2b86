"""Walks over syntax trees: `ast.walk` and `ast.iter_child_nodes`, at a third of the cost.

Most of a rewrite's time goes into looking through trees. What a field of a node class can hold is
known beforehand here, and contexts (`ast.Load` …), which are of interest beside their node only,
are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

# Fields that hold no nodes, or nodes that say nothing by themselves.
_PLAIN: dict[type, tuple[str, ...]] = {
    ast.Attribute: ("attr",),
    ast.Constant: ("value", "kind"),
    ast.ExceptHandler: ("name",),
    ast.Global: ("names",),
    ast.ImportFrom: ("module", "level"),
    ast.Name: ("id",),
    ast.Nonlocal: ("names",),
    ast.alias: ("name", "asname"),
    ast.arg: ("arg", "type_comment"),
    ast.comprehension: ("is_async",),
    ast.keyword: ("arg",),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), ("name", "type_comment")),
    **dict.fromkeys((ast.Assign, ast.For, ast.AsyncFor, ast.With), ("type_comment",)),
    **dict.fromkeys((ast.AsyncWith,), ("type_comment",)),
}
# Lists of which an item can be None, or a name.
_MIXED = frozenset({"keys", "kw_defaults", "kwd_attrs"})


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of each node class that can hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        plain = ("ctx", *_PLAIN.get(kind, ()))
        found = self[kind] = tuple(name for name in kind._fields if name not in plain)
        return found


_FIELDS = _Fields()
_KNOWN = "_known"  # where a node keeps what is found of it once
_DEFINITIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
_NAMED = (ast.Name, ast.Attribute)
_Node = TypeVar("_Node", bound=ast.AST)
_T = TypeVar("_T")


class _Known:
    """What is found once of a module, or of a definition in one.

    Nobody changes the tree of a file; who needs another one makes a copy of it, which has an `id`
    of its own and so doesn't take this for what is known of it.
    """

    __slots__ = ("above", "below", "definitions", "facts", "id", "kinds", "named")

    def __init__(self, node: ast.AST) -> None:
        self.id = id(node)
        self.below: list[ast.AST] | None = None
        self.definitions: list[ast.AST] = []  # in a module: those that know of themselves, too
        self.above: dict[int, ast.AST] | None = None
        self.kinds: dict[type, list[Any]] | None = None
        self.named: dict[str, list[ast.Name | ast.Attribute]] | None = None
        self.facts: dict[Callable[[Any], Any], Any] = {}

    def __deepcopy__(self, memo: object) -> None:
        """Nothing is known of a copy: it may be changed."""


def _known(node: ast.AST) -> _Known | None:
    """What is found once of a node; None: it isn't a file's, somebody may change it."""
    known: _Known | None = node.__dict__.get(_KNOWN)
    if known is not None and known.id == id(node):
        return known
    if node.__class__ is not ast.Module:
        return None
    known = node.__dict__[_KNOWN] = _Known(node)
    return known


def let_go(tree: ast.Module) -> None:
    """Forget what is known of a file's tree; who still has the tree finds it anew."""
    known: _Known | None = tree.__dict__.pop(_KNOWN, None)
    for n in known.definitions if known is not None else ():
        n.__dict__.pop(_KNOWN, None)


def _below(node: ast.AST, known: _Known) -> list[ast.AST]:
    found = known.below
    if found is None:
        found = known.below = _all(node)[1:]
        if node.__class__ is ast.Module:
            known.definitions = [n for n in found if n.__class__ in _DEFINITIONS]
            for n in known.definitions:
                if _known(n) is None:
                    n.__dict__[_KNOWN] = _Known(n)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, in `ast.walk`'s order."""
    known = _known(node)
    return iter(_all(node)) if known is None else chain((node,), _below(node, known))


def all_of(node: ast.AST, kind: type[_Node]) -> Sequence[_Node]:
    """The nodes of one class in `walk`'s order; for a class of which no other one is made."""
    known = _known(node)
    if known is None:
        return [n for n in _all(node) if n.__class__ is kind]
    if known.kinds is None:
        known.kinds = {}
        for n in walk(node):
            known.kinds.setdefault(n.__class__, []).append(n)
    return known.kinds.get(kind) or []


def named(node: ast.AST, name: str) -> Sequence[ast.Name | ast.Attribute]:
    """The names and attributes below a node that are called so, in `walk`'s order."""
    known = _known(node)
    if known is None:
        return [n for n in _all(node) if isinstance(n, _NAMED) and _called(n) == name]
    if known.named is None:
        known.named = {}
        for n in walk(node):
            if isinstance(n, _NAMED):
                known.named.setdefault(_called(n), []).append(n)
    return known.named.get(name) or []


def _called(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def fact(node: _Node, told: Callable[[_Node], _T]) -> _T:
    """What a function says of a tree, asked once; for one that looks at nothing but the tree."""
    known = _known(node)
    if known is None:
        return told(node)
    if told not in known.facts:
        known.facts[told] = told(node)
    found: _T = known.facts[told]
    return found


def holds(outer: ast.AST, inner: ast.AST | None) -> bool:
    """Whether a node is another one, or stands somewhere in it."""
    known = _known(outer)
    if outer is inner or known is None:
        return outer is inner or inner in _all(outer)
    if known.above is not None:
        return id(inner) in known.above
    return inner in _below(outer, known)


def _all(node: ast.AST) -> list[ast.AST]:
    todo = [node]
    fields, nodes, mixed = _FIELDS, ast.AST, _MIXED
    for each in todo:
        for name in fields[each.__class__]:
            value = getattr(each, name, None)
            if value.__class__ is list:
                todo += [v for v in value if isinstance(v, nodes)] if name in mixed else value
            elif isinstance(value, nodes):
                todo.append(value)
    return todo


def parents_of(node: ast.AST) -> dict[int, ast.AST]:
    """What each node below one stands in, by its id."""
    known = _known(node)
    if known is None:
        return {id(c): n for n in _all(node) for c in children(n)}
    if known.above is None:
        known.above = {id(c): n for n in walk(node) for c in children(n)}
    return known.above


def outward(tree: ast.AST, node: ast.AST) -> Iterator[ast.AST]:
    """A node of a tree and all that it stands in, from inside to outside; nothing elsewhere."""
    above = parents_of(tree)
    if node is not tree and id(node) not in above:
        return
    here = node
    while here is not tree:
        yield here
        here = above[id(here)]
    yield tree


def move(tree: ast.AST, lines: int) -> None:
    """`ast.increment_lineno`."""
    for n in walk(tree) if lines else ():
        if "lineno" in n._attributes:
            n.lineno += lines  # type: ignore[attr-defined]
            if (end := getattr(n, "end_lineno", None)) is not None:
                n.end_lineno = end + lines  # type: ignore[attr-defined]


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below one, in `ast.iter_child_nodes`'s order."""
    found: list[ast.AST] = []
    fields, nodes, mixed = _FIELDS[node.__class__], ast.AST, _MIXED
    for name in fields:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [v for v in value if isinstance(v, nodes)] if name in mixed else value
        elif isinstance(value, nodes):
            found.append(value)
    return found
