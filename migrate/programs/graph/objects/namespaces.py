"""Classes that are namespaces: ``model = GAT``, ``model.inference(x)``; no object is made of them.

Their functions have no ``self``; Python 3 calls them as they are. With ``@staticmethod`` they are
followed as static methods, and say what they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, parents_of
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording.spelled import Source, Spelled

ITSELF = ("self", "cls", "klass", "mcs")
SHOWS = ("print", "str", "repr", "type")


def check(walker: Any, cls: ast.ClassDef, attribute: str, node: ast.Call) -> None:
    """See whether a function that is called by its class is one of a namespace.

    Raises:
        Spelled: it is.
    """
    member = bases.find(walker, cls, attribute)
    if member is None or not _plain(member):
        return
    kin = _kin(walker, cls)
    if not all(_is_namespace(walker, one, kin) for one in kin):
        return
    members = [m for c in kin for m in bases.methods(c) if _plain(m)]
    reason = f"`.{attribute}()` of a class isn't followed"
    raise Spelled(node, reason, [], [(m, _decorated) for m in members])


def _decorated(_: Source) -> list[str]:
    return ["@staticmethod"]


def _plain(member: ast.FunctionDef) -> bool:
    """Whether a function of a class is given no object."""
    args = member.args
    first = next(iter((*args.posonlyargs, *args.args)), None)
    special = member.name.startswith("__") and member.name.endswith("__")
    return not member.decorator_list and not special and (first is None or first.arg not in ITSELF)


def _kin(walker: Any, cls: ast.ClassDef) -> list[ast.ClassDef]:
    """The classes that share a base of the program's with one, and itself."""
    found = set(map(id, bases.lineage(walker, cls)))
    classes = [c for tree in walker.program() for c in all_of(tree, ast.ClassDef)]
    known = [c for c in classes if id(c) in walker.bases]
    more = True
    while more:
        new = {
            id(o)
            for c in known
            if any(id(o) in found for o in bases.lineage(walker, c))
            for o in bases.lineage(walker, c)
        }
        more = not new <= found
        found |= new
    return [c for c in known if id(c) in found]


def _is_namespace(walker: Any, cls: ast.ClassDef, kin: list[ast.ClassDef]) -> bool:
    """Whether all that is done with a class is to ask for what is in it."""
    if any(not isinstance(m, ast.FunctionDef) or not m.args.args for m in _body(cls)):
        return False
    if any(not _plain(m) for m in bases.methods(cls) if not bases.is_static(m)):
        return False
    names = {c.name for c in kin}
    bound = _aliases(walker, names)
    return all(_asks(walker, tree, node) for tree, node in _read(walker, names | bound))


def _body(cls: ast.ClassDef) -> Iterator[ast.stmt]:
    for stmt in cls.body:
        text = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
        if not text and not isinstance(stmt, ast.Pass):
            yield stmt


def _aliases(walker: Any, names: set[str]) -> set[str]:
    """What else the program calls the classes: ``model = GAT``."""
    return {
        target.id
        for tree in walker.program()
        for stmt in all_of(tree, ast.Assign)
        if _last(stmt.value) in names
        for target in stmt.targets
        if isinstance(target, ast.Name)
    }


def _last(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _read(walker: Any, names: set[str]) -> Iterator[tuple[ast.Module, ast.expr]]:
    for tree in walker.program():
        read: tuple[ast.Name | ast.Attribute, ...]
        read = (*all_of(tree, ast.Name), *all_of(tree, ast.Attribute))
        for node in read:
            if isinstance(node.ctx, ast.Load) and _last(node) in names:
                yield tree, node


def _asks(walker: Any, tree: ast.Module, node: ast.expr) -> bool:
    """Whether a class is read for something in it, for its name, or as a base."""
    if id(node) in walker.endpoints:
        return True  # TensorFlow's own of that name
    around = parents_of(tree).get(id(node))
    match around:
        case ast.Attribute():
            return True
        case ast.ClassDef():
            return node in around.bases
        case ast.Assign():
            return around.value is node and all(isinstance(t, ast.Name) for t in around.targets)
        case ast.Call():
            return _last(around.func) in SHOWS and node in around.args
    return False
