"""Where the objects of some classes are, and what is done with them: all of it, or nothing is told.

They are found by what makes them: a name, an attribute or a list that has nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.objects import bases

COUNTS = ("len", "enumerate", "zip", "reversed", "range")


class Unseen(Exception):
    """An object goes where it can't be followed."""


class Uses:
    """The objects of a family of classes, by all that the program does with them."""

    def __init__(self, walker: Any, family: list[ast.ClassDef]) -> None:
        self.walker, self.family = walker, family
        self.trees: list[ast.Module] = walker.program()
        self.parents: dict[int, ast.AST] = {}
        for tree in self.trees:
            self.parents |= parents_of(tree)
        self.objects: list[ast.expr] = []  # expressions that give one
        self.known: set[tuple[int, str, bool]] = set()  # names and attributes that are followed
        self.made = [
            (cls, n)
            for tree in self.trees
            for n in all_of(tree, ast.Call)
            if (cls := walker._module_function(n.func, ast.ClassDef)) in family
        ]
        self._only_made()
        for _, call in self.made:
            self._object(call)

    def _only_made(self) -> None:
        """See that the classes are only called, and are bases."""
        names = {c.name for c in self.family}
        called = {id(n.func) for _, n in self.made}
        for tree in self.trees:
            for node in walk(tree):
                if getattr(node, "id", getattr(node, "attr", None)) not in names:
                    continue
                outer = self.parents.get(id(node))
                above = isinstance(outer, ast.Call) and ast.unparse(outer.func) == "super"
                based = isinstance(outer, ast.ClassDef) and node in outer.bases
                if id(node) not in called and not above and not based:
                    raise Unseen

    def _object(self, node: ast.expr) -> None:
        """Follow an expression that is such an object."""
        if node in self.objects:
            return
        self.objects.append(node)
        outer = self.parents[id(node)]
        if isinstance(outer, ast.Call) and outer.func is node:
            return
        if isinstance(outer, ast.Attribute):
            return
        if isinstance(outer, ast.Assign) and outer.value is node and len(outer.targets) == 1:
            self._named(outer.targets[0], listed=False)
        elif self._put(outer, node):
            pass
        elif isinstance(outer, (ast.List, ast.Tuple)):
            if not all(self._is_made(n) for n in outer.elts):
                raise Unseen
            self._list(outer)
        elif isinstance(outer, ast.ListComp) and outer.elt is node:
            self._list(outer)
        else:
            raise Unseen

    def _is_made(self, node: ast.AST) -> bool:
        return any(node is call for _, call in self.made)

    def _put(self, outer: ast.AST, node: ast.expr) -> bool:
        """``layers.append(Dense(…))``: the list is one of such objects."""
        if not isinstance(outer, ast.Call) or not isinstance(outer.func, ast.Attribute):
            return False
        if outer.func.attr != "append" or outer.args != [node] or outer.keywords:
            return False
        self._named(outer.func.value, listed=True)
        return True

    def _list(self, node: ast.expr) -> None:
        """A list of such objects."""
        outer = self.parents[id(node)]
        if isinstance(outer, ast.Assign) and outer.value is node and len(outer.targets) == 1:
            self._named(outer.targets[0], listed=True)
        elif isinstance(outer, ast.For) and outer.iter is node:
            self._named(outer.target, listed=False)
        else:
            raise Unseen

    def _named(self, target: ast.expr, *, listed: bool) -> None:
        """Follow a name or an attribute of `self`, in all that it means."""
        if isinstance(target, ast.Name):
            scope: ast.AST = self.function(target) or self.tree(target)
            places: list[Any] = [n for n in all_of(scope, ast.Name) if n.id == target.id]
            args = [a for a in all_of(scope, ast.arg) if a.arg == target.id]
            others = [
                n
                for t in self.trees
                for n in walk(t)
                if isinstance(n, (ast.alias, ast.Attribute, ast.Global, ast.Nonlocal))
                and target.id in (getattr(n, "name", ""), *getattr(n, "names", ()))
            ]
            if args or others:
                raise Unseen
            key = (id(scope), target.id, listed)
        elif isinstance(target, ast.Attribute) and of_self(target):
            home = self.home(target)
            if home is None:
                raise Unseen
            family = bases.family(self.walker, home)
            places = [
                n
                for tree in self.trees
                for n in all_of(tree, ast.Attribute)
                if n.attr == target.attr and not (of_self(n) and self.home(n) not in family)
            ]
            if not all(of_self(n) for n in places):
                raise Unseen
            key = (id(home), target.attr, listed)
        else:
            raise Unseen
        if key in self.known:
            return
        if (*key[:2], not listed) in self.known:
            raise Unseen
        self.known.add(key)
        for place in places:
            if not isinstance(place.ctx, ast.Load):
                self._stored(place, listed=listed)
            elif listed:
                self._read(place)
            else:
                self._object(place)

    def _stored(self, place: ast.expr, *, listed: bool) -> None:
        """See that a name is given nothing but such objects, or begins as an empty list of them."""
        outer = self.parents[id(place)]
        if isinstance(outer, ast.For) and outer.target is place and not listed:
            self._iterated(outer.iter)
            return
        value = outer.value if isinstance(outer, ast.Assign) and len(outer.targets) == 1 else None
        if value is None or not isinstance(outer, ast.Assign) or outer.targets[0] is not place:
            raise Unseen
        if listed and isinstance(value, (ast.List, ast.Tuple)):
            if not all(self._is_made(n) for n in value.elts):
                raise Unseen
        elif listed and isinstance(value, ast.ListComp):
            if not self._is_made(value.elt):
                raise Unseen
        elif listed or not self._is_made(value):
            raise Unseen

    def _iterated(self, node: ast.expr) -> None:
        """What a loop goes through is a list of such objects."""
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            node = node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            self._named(node, listed=True)
        elif not isinstance(node, (ast.List, ast.Tuple)) or not all(map(self._is_made, node.elts)):
            raise Unseen

    def _read(self, place: ast.expr) -> None:
        """What is done with a list of such objects."""
        outer = self.parents[id(place)]
        if isinstance(outer, ast.Subscript) and outer.value is place:
            if not isinstance(outer.slice, ast.Slice):
                self._object(outer)
                return
            place, outer = outer, self.parents[id(outer)]
        if isinstance(outer, ast.For) and outer.iter is place:
            self._named(outer.target, listed=False)
        elif isinstance(outer, ast.Attribute) and outer.attr == "append":
            call = self.parents[id(outer)]
            if not isinstance(call, ast.Call) or not all(map(self._is_made, call.args)):
                raise Unseen
        elif not (isinstance(outer, ast.Call) and ast.unparse(outer.func) == "len"):
            raise Unseen

    def inner(self, name: str) -> list[ast.Call]:
        """The calls of a method inside its classes."""
        found = []
        for cls in self.family:
            for node in all_of(cls, ast.Attribute):
                if node.attr == name and (of_self(node) or of_super(node)):
                    outer = self.parents[id(node)]
                    if not isinstance(outer, ast.Call) or outer.func is not node:
                        raise Unseen
                    found.append(outer)
            if name == "__call__" and any(
                ast.unparse(call.func) == "self" for call in all_of(cls, ast.Call)
            ):
                raise Unseen
        return found

    def outer(self, name: str) -> list[ast.Call]:
        """The calls of a method of such objects."""
        found = []
        for node in self.objects:
            outer = self.parents[id(node)]
            if name == "__call__" and isinstance(outer, ast.Call) and outer.func is node:
                found.append(outer)
            elif isinstance(outer, ast.Attribute) and outer.attr == name:
                call = self.parents[id(outer)]
                if not isinstance(call, ast.Call) or call.func is not outer:
                    raise Unseen
                found.append(call)
        return found

    def only_read(self, attribute: str, methods: set[str]) -> None:
        """See that an attribute is read by an object's own methods, and no one else.

        Raises:
            Unseen: it may be.
        """
        for tree in self.trees:
            for node in walk(tree):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr"):
                    if any(getattr(a, "value", None) == attribute for a in node.args):
                        raise Unseen
                if not isinstance(node, ast.Attribute) or node.attr != attribute:
                    continue
                if not isinstance(node.ctx, ast.Load):
                    continue
                if of_self(node) and self.home(node) in self.family:
                    member = self.function(node)
                    if member is None or member.name not in methods:
                        raise Unseen
                elif node.value in self.objects:
                    raise Unseen

    def lasting(self, node: ast.expr, calls: Sequence[ast.Call]) -> None:
        """See that a name or an attribute of `self` means one thing, whenever it is read.

        Raises:
            Unseen: it may be bound anew.
        """
        if isinstance(node, ast.Name):
            scope = self.function(node)
            if scope is not None and any(a.arg == node.id for a in all_of(scope, ast.arg)):
                stores = 0
            else:
                stores = -1
                scope = scope if scope is not None and _binds(scope, node.id) else None
            inside = scope or self.tree(node)
            for n in all_of(inside, ast.Name):
                stores += n.id == node.id and not isinstance(n.ctx, ast.Load)
            if stores:
                raise Unseen
        elif isinstance(node, ast.Attribute) and of_self(node):
            home = self.home(node)
            family = bases.family(self.walker, home) if home is not None else []
            stores = sum(
                n.attr == node.attr and not isinstance(n.ctx, ast.Load)
                for cls in family
                for n in all_of(cls, ast.Attribute)
            )
            if stores != 1:
                raise Unseen
        else:
            raise Unseen

    def sees(self, call: ast.Call, given: Iterable[ast.expr], made: Sequence[ast.Call]) -> None:
        """See that what objects were made with means the same where one is applied.

        Raises:
            Unseen: it may not.
        """
        for node in given:
            if isinstance(node, ast.Attribute):
                homes, there = [self.home(one) for one in made], self.home(call)
                if not any(c and there in bases.family(self.walker, c) for c in homes):
                    raise Unseen
                continue
            assert isinstance(node, ast.Name)
            scope, there_scope = self.function(node), self.function(call)
            own = scope is not None and _binds(scope, node.id)
            if own and there_scope is not scope:
                raise Unseen
            while not own and there_scope is not None:
                if _binds(there_scope, node.id):
                    raise Unseen
                there_scope = self.function(self.parents.get(id(there_scope)))
            if self.tree(node) is not self.tree(call):
                raise Unseen

    def function(self, node: ast.AST | None) -> ast.FunctionDef | None:
        """The function in which something stands."""
        while node is not None and not isinstance(node, ast.FunctionDef):
            node = self.parents.get(id(node))
        return node

    def home(self, node: ast.AST) -> ast.ClassDef | None:
        """The class in whose method something stands."""
        outer = self.parents.get(id(self.function(node)))
        return outer if isinstance(outer, ast.ClassDef) else None

    def tree(self, node: ast.AST) -> ast.AST:
        """The file in which something stands."""
        while id(node) in self.parents:
            node = self.parents[id(node)]
        return node


def of_self(node: ast.AST) -> bool:
    """``self.x``."""
    return isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == "self"


def of_super(node: ast.Attribute) -> bool:
    """``super().x``, ``super(Dense, self).x``."""
    return isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "super"


def _binds(scope: ast.FunctionDef, name: str) -> bool:
    return any(a.arg == name for a in all_of(scope, ast.arg)) or any(
        n.id == name and not isinstance(n.ctx, ast.Load) for n in all_of(scope, ast.Name)
    )
