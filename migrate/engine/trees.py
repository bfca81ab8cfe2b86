"""Walks over syntax trees: `ast.walk` and `ast.iter_child_nodes`, at a third of the cost.

Most of a rewrite's time goes into looking through trees. What a field of a node class can hold is
known beforehand here, and contexts (`ast.Load` …), which are of interest beside their node only,
are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

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
_KEPT = "_below"  # of a module: its id, and the nodes below it
_ABOVE = "_above"  # of a module: its id, and what each node stands in


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, in `ast.walk`'s order.

    What is below a module is found once: nobody changes the tree of a file. Who needs another one
    makes a copy of it.
    """
    if node.__class__ is not ast.Module:
        return iter(_all(node))
    kept: tuple[int, list[ast.AST]] | None = node.__dict__.get(_KEPT)
    if kept is None or kept[0] != id(node):  # a copy has what was found in the other
        kept = node.__dict__[_KEPT] = (id(node), _all(node)[1:])
    return chain((node,), kept[1])


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


def parents(node: ast.AST) -> dict[int, ast.AST]:
    """What each node below one stands in, by its id; found once for a module, as in `walk`."""
    if node.__class__ is not ast.Module:
        return {id(c): n for n in _all(node) for c in children(n)}
    kept: tuple[int, dict[int, ast.AST]] | None = node.__dict__.get(_ABOVE)
    if kept is None or kept[0] != id(node):
        found = {id(c): n for n in walk(node) for c in children(n)}
        kept = node.__dict__[_ABOVE] = (id(node), found)
    return kept[1]


def around(tree: ast.AST, node: ast.AST) -> Iterator[ast.AST]:
    """A node of a tree and all that it stands in, from inside to outside; none of another tree's."""
    above = parents(tree)
    if node is not tree and id(node) not in above:
        return
    here: ast.AST | None = node
    while here is not None:
        yield here
        here = above.get(id(here)) if here is not tree else None


def children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes directly below one, in `ast.iter_child_nodes`'s order."""
    nodes = ast.AST
    for name in _FIELDS[node.__class__]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            for item in value:
                if isinstance(item, nodes):
                    yield item
        elif isinstance(value, nodes):
            yield value
