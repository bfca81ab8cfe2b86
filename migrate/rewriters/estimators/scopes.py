"""What a name of a program means: the one place that binds it, in whichever of its files."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from migrate.engine.joined import Part
from migrate.engine.trees import children, holds, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.modules import Files

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.Module


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A place that gives a name a meaning."""

    kind: str  # assign, part (of an assigned tuple), def, class, param, import or other
    node: ast.AST  # the statement, or the argument
    scope: Scope
    value: ast.expr | None = None  # what is assigned
    place: int = 0  # of a part


class Scopes:
    """The names of a program's files."""

    def __init__(self, parts: Sequence[Part], files: Files) -> None:
        self.files = files
        self.parents: dict[int, ast.AST] = {}
        self.modules = {p.document.path: p.document.tree for p in parts}
        self._bound: dict[int, dict[str, list[Binding]]] = {}
        # All nodes of each file, as `walk` has them: what looks for some of a whole file, of
        # which there is much, goes through a list.
        self.nodes: dict[int, list[ast.AST]] = {}
        self._reads: dict[str, list[ast.expr]] = {}  # reads of a name
        self._renamed: dict[str, set[str]] = {}  # what else imports call a name
        for tree in self.modules.values():
            nodes = self.nodes[id(tree)] = [tree]
            for node in nodes:
                for child in children(node):
                    self.parents[id(child)] = node
                    nodes.append(child)
        for node in self.walk():
            if isinstance(node, ast.Attribute):
                self._reads.setdefault(node.attr, []).append(node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._reads.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.alias) and node.asname is not None:
                self._renamed.setdefault(node.name, set()).add(node.asname)

    def walk(self) -> Iterator[ast.AST]:
        """All nodes of the program's files."""
        return chain.from_iterable(self.nodes[id(t)] for t in self.modules.values())

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that a node stands in, innermost first."""
        while (above := self.parents.get(id(node))) is not None:
            yield above
            node = above

    def scope(self, node: ast.AST) -> Scope:
        """The function, class or module in which a node stands."""
        for above in self.around(node):
            if isinstance(above, (*FUNCTIONS, ast.ClassDef, ast.Module)):
                inner = node
                for other in self.around(node):
                    if other is above:
                        break
                    inner = other
                # Defaults and decorators belong to the scope outside.
                if isinstance(above, ast.Module) or inner in _inside(above):
                    return above
        raise Blocked(node, "this stands nowhere")

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that a node is part of."""
        for above in (node, *self.around(node)):
            if isinstance(above, ast.stmt):
                return above
        raise Blocked(node, "this is in no statement")

    def bound(self, scope: Scope) -> dict[str, list[Binding]]:
        """What a scope binds, by name."""
        known = self._bound.get(id(scope))
        if known is None:
            known = self._bound[id(scope)] = {}
            for name, binding in _bindings(scope):
                known.setdefault(name, []).append(binding)
        return known

    def bindings(self, name: str, at: ast.AST) -> list[Binding]:
        """All that gives a name its meaning where it is read."""
        scope: Scope = self.scope(at)
        first = scope
        while True:
            if scope is first or not isinstance(scope, ast.ClassDef):
                found = self.bound(scope).get(name)
                if found:
                    return found
            if isinstance(scope, ast.Module):
                return []
            scope = self.scope(scope)

    def lookup(self, node: ast.expr) -> Binding | None:
        """The one place that gives an expression its meaning; None where there isn't just one.

        What is imported from a file of the program is looked up there.
        """
        if isinstance(node, ast.Name):
            found = self.bindings(node.id, node)
            if len(found) > 1:
                return self._reaching(found, node)
            return self.imported(found[0], node.id) if found else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = self.bindings(node.value.id, node)
            if len(found) == 1 and found[0].kind == "import":
                tree = self.module(found[0], node.value.id)
                if tree is not None:
                    own = self.bound(tree).get(node.attr, [])
                    return self.imported(own[0], node.attr) if len(own) == 1 else None
        return None

    def _reaching(self, found: Sequence[Binding], node: ast.Name) -> Binding | None:
        """Of several assignments the one that a use finds, whatever branches were taken."""
        scope = self.scope(node)
        if any(b.kind != "assign" or b.scope is not scope for b in found):
            return None
        inner: ast.AST = node
        for above in self.around(node):
            for name in ("body", "orelse", "finalbody"):
                body = getattr(above, name, None)
                if not isinstance(body, list) or inner not in body:
                    continue
                for stmt in reversed(body[: body.index(inner)]):
                    here = [b for b in found if holds(stmt, b.node)]
                    if here:
                        return here[0] if here[0].node is stmt else None
            if above is scope:
                return None
            if isinstance(above, (ast.For, ast.While)) and any(
                n is b.node for b in found for n in walk(above)
            ):
                return None  # a later round finds another one
            inner = above
        return None

    def value(self, node: ast.expr) -> ast.expr:
        """An expression, or what the name that it is was given."""
        seen = 0
        while isinstance(node, (ast.Name, ast.Attribute)) and seen < 20:
            found = self.lookup(node)
            if found is None or found.kind != "assign" or found.value is None:
                break
            node, seen = found.value, seen + 1
        return node

    def function(self, node: ast.expr) -> ast.FunctionDef | None:
        """The function of the program that an expression is, if it is one."""
        found = self.lookup(self.value(node))
        if found is None or found.kind != "def" or not isinstance(found.node, ast.FunctionDef):
            return None
        return found.node

    def missing(self, node: ast.expr) -> bool:
        """Whether an expression is an attribute that a module of the program doesn't have."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return False
        found = self.bindings(node.value.id, node)
        if len(found) != 1 or found[0].kind != "import":
            return False
        tree = self.module(found[0], node.value.id)
        package = any(t is tree and "__init__" in path for path, t in self.modules.items())
        if tree is None or package or {node.attr, "*", "__getattr__"} & self.bound(tree).keys():
            return False
        calls = (n.func for n in self.walk() if isinstance(n, ast.Call))
        hidden = {"setattr", "globals", "vars", "exec", "eval"}
        return not any(isinstance(f, ast.Name) and f.id in hidden for f in calls) and not any(
            isinstance(n, ast.Attribute) and n.attr == node.attr and isinstance(n.ctx, ast.Store)
            for n in self.walk()
        )

    def uses(self, binding: Binding, name: str) -> list[ast.expr]:
        """Where a name of a scope is read, in order: by itself, or through imports of its file."""
        module, names, new = isinstance(binding.scope, ast.Module), set[str](), {name}
        while new:  # an import may call it otherwise, and another one that
            names |= new
            new = {more for one in new for more in self._renamed.get(one, ())} - names
        found = []
        for node in (n for one in (names if module else (name,)) for n in self._reads.get(one, ())):
            if module or isinstance(node, ast.Name):
                at = self.lookup(node)
                if at is not None and at.node is binding.node:
                    found.append(node)
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def looked_into(self, stmt: ast.ImportFrom) -> ast.Module | None:
        """The file of the program whose names an import takes."""
        found = self.files.find(stmt, self.files.at(stmt), stmt.level, stmt.module or "")
        return self.modules.get(found[-1].path) if found else None

    def imported(self, binding: Binding, name: str) -> Binding | None:
        """What an imported name is in its own file; itself where that is none of the program."""
        if binding.kind != "import" or not isinstance(binding.node, ast.ImportFrom):
            return binding
        stmt = binding.node
        alias = next(a for a in stmt.names if (a.asname or a.name) == name)
        tree = self.looked_into(stmt)
        if tree is None:
            return binding
        own = self.bound(tree).get(alias.name, [])
        return self.imported(own[0], alias.name) if len(own) == 1 else None

    def module(self, binding: Binding, name: str) -> ast.Module | None:
        """The file of the program that an imported module is."""
        stmt = binding.node
        here = self.files.at(stmt)
        if isinstance(stmt, ast.Import):
            alias = next(a for a in stmt.names if (a.asname or a.name) == name)
            found = self.files.find(stmt, here, 0, alias.name)
        elif isinstance(stmt, ast.ImportFrom):
            alias = next(a for a in stmt.names if (a.asname or a.name) == name)
            dotted = f"{stmt.module}.{alias.name}" if stmt.module else alias.name
            found = self.files.find(stmt, here, stmt.level, dotted)
        else:
            return None
        return self.modules.get(found[-1].path) if found else None


def _inside(scope: Scope) -> Sequence[ast.AST]:
    """What of a definition is evaluated in its own scope."""
    if isinstance(scope, ast.Lambda):
        return [scope.body]
    if isinstance(scope, ast.Module):
        return scope.body
    return [*scope.body, scope.args] if isinstance(scope, FUNCTIONS) else scope.body


def _bindings(scope: Scope) -> Iterator[tuple[str, Binding]]:
    if isinstance(scope, FUNCTIONS):
        args = scope.args
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
            if arg is not None:
                yield arg.arg, Binding("param", arg, scope)
    body: list[ast.AST] = [scope.body] if isinstance(scope, ast.Lambda) else list(scope.body)
    while body:
        node = body.pop()
        yield from _binds(node, scope)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        body.extend(children(node))


def _binds(node: ast.AST, scope: Scope) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield node.name, Binding("def", node, scope)
    elif isinstance(node, ast.ClassDef):
        yield node.name, Binding("class", node, scope)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            yield name, Binding("import", node, scope)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, Binding("assign", node, scope, node.value)
            else:
                yield from _parts(target, node, scope)
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, Binding("assign", node, scope, node.value)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield from ()
    elif isinstance(node, (ast.AugAssign, ast.For, ast.comprehension, ast.NamedExpr)):
        for name in _stored(node.target):
            yield name, Binding("other", node, scope)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        for name in _stored(node.optional_vars):
            yield name, Binding("other", node, scope)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name, Binding("other", node, scope)
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        for name in node.names:
            yield name, Binding("other", node, scope)
            yield name, Binding("other", node, scope)  # never just one


def _parts(target: ast.expr, node: ast.Assign, scope: Scope) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for place, part in enumerate(target.elts):
            if isinstance(part, ast.Name):
                yield part.id, Binding("part", node, scope, node.value, place)
            else:
                for name in _stored(part):
                    yield name, Binding("other", node, scope)


def _stored(target: ast.AST) -> Iterator[str]:
    for node in walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
