"""Where the Estimators of a program go: names, attributes, arguments, what functions return."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import held
from migrate.rewriters.estimators.estimator import ESTIMATORS, Estimator
from migrate.rewriters.estimators.filed import Filed

# What sees to a use of an Estimator in a Program; whether it is one.
Used = Callable[[Any, ast.expr, Estimator], bool]


class Following(Filed):
    """Follows Estimators, and what else is like one."""

    def follow(self, node: ast.expr, made: Estimator, used: Used) -> None:
        """Go where an Estimator goes, and let ``used`` see to each use.

        Raises:
            Blocked: it goes where it can't be followed.
        """
        if used(self, node, made):
            return None
        if held.follow(self, node, made, used):
            return None
        above = self.scopes.parents[id(node)]
        if isinstance(above, ast.Assign) and above.value is node and len(above.targets) == 1:
            target = above.targets[0]
            if isinstance(target, ast.Name):
                return self._named(target, above, made, used)
            if isinstance(target, ast.Attribute):
                return self._kept(target, made, used)
        if isinstance(above, ast.Expr):
            return None
        if isinstance(above, ast.Return):
            return self._returned(above, made, used)
        if isinstance(above, ast.keyword):
            above = self.scopes.parents[id(above)]
        if isinstance(above, ast.Call) and above.func is not node:
            return self._handed(above, node, made, used)
        raise Blocked(node, f"{made.what} goes where it can't be followed")

    def _named(
        self,
        target: ast.Name,
        stmt: ast.Assign,
        made: Estimator,
        used: Used,
    ) -> None:
        scope = self.scopes.scope(target)
        own = [b for b in self.scopes.bound(scope)[target.id] if b.node is stmt]
        every = self.scopes.bound(scope)[target.id]
        if any(b.kind != "assign" for b in every):
            raise Blocked(target, f"`{target.id}` may be something else than {made.what}")
        kind = self.called(made.call)
        some = [b for b in every if b.value is None or ast.unparse(b.value) != "None"]
        alike = [b.value is not None and self.called(b.value) == kind != "" for b in every]
        if len(every) > 1 and (
            all(b.value is not None and self._makes(b.value) for b in some)
            or (made.what == "a RunConfig" and all(alike))
        ):
            # Each branch makes one: what reads the name afterwards may have any, or `None`, which
            # has no methods before or after.
            for read in self.reads(target.id, scope):
                found = self.scopes.lookup(read)
                if found is None or found.node is stmt:
                    self.follow(read, made, used)
            return
        for use in self._innermost(self.scopes.uses(own[0], target.id)):
            self.follow(use, made, used)
        for other in self.reads(target.id, scope):
            found = self.scopes.lookup(other)
            if found is None:
                raise Blocked(other, f"whether `{target.id}` is {made.what} here isn't seen")

    def _innermost(self, uses: Sequence[ast.expr]) -> list[ast.expr]:
        """Uses, those first that stand in what another one is given.

        An outer call is written with what is written in it: `net.evaluate(…, net.model_dir)`.
        """
        given = set[int]()
        for use in uses:
            call = self.scopes.parents.get(id(self.scopes.parents[id(use)]))
            if isinstance(call, ast.Call):
                given |= {id(n) for a in (*call.args, *call.keywords) for n in walk(a)}
        return sorted(uses, key=lambda use: id(use) not in given)

    def _makes(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is an Estimator of the program, which a function may return."""
        node = self.scopes.value(node)
        if not isinstance(node, ast.Call) or depth > 9:
            return False
        if id(node) in self.estimators or self.scopes.missing(node.func):
            return True
        function = self.scopes.function(node.func)
        if function is None or not isinstance(function.body[-1], (ast.Return, ast.If)):
            return False
        ends = [n for n in all_of(function, ast.Return) if self.scopes.scope(n) is function]
        return bool(ends) and all(
            n.value is not None and self._makes(n.value, depth + 1) for n in ends
        )

    def _kept(
        self,
        target: ast.Attribute,
        made: Estimator,
        used: Used,
    ) -> None:
        """Go where an object's attribute goes: one that is set once, in its class."""
        cls, uses = self.class_of(target), self.attributes(target.attr)
        if cls is None or self.worded(target.attr) or target.attr in self.scopes.bound(cls):
            raise Blocked(target, f"{made.what} goes where it can't be followed")
        for use in uses:
            value = self.scopes.value(use.value)
            found = self.scopes.lookup(value.func) if isinstance(value, ast.Call) else None
            if use is target or (self.class_of(use) is cls and _emptied(self.scopes.parents, use)):
                continue
            if not isinstance(use.ctx, ast.Load):
                raise Blocked(use, f"`{target.attr}` may be something else than {made.what}")
            if self.class_of(use) is not cls and (found is None or found.node is not cls):
                raise Blocked(use, f"whether `{target.attr}` is {made.what} here isn't seen")
        reads = [u for u in uses if u is not target and isinstance(u.ctx, ast.Load)]
        for read in self._innermost(reads):
            self.follow(read, made, used)

    def at_estimator(self, node: ast.expr) -> bool:
        """Whether an expression is an argument of an Estimator."""
        above = self.scopes.parents[id(node)]
        above = self.scopes.parents[id(above)] if isinstance(above, ast.keyword) else above
        return isinstance(above, ast.Call) and ESTIMATORS.match(self.called(above)) is not None

    def reads(self, name: str, scope: ast.AST) -> list[ast.Name]:
        """Where a name of a scope is read."""
        return [
            n
            for n in all_of(scope, ast.Name)
            if n.id == name and isinstance(n.ctx, ast.Load)
            if any(b.scope is scope for b in self.scopes.bindings(name, n))
        ]

    def _returned(
        self,
        stmt: ast.Return,
        made: Estimator,
        used: Used,
    ) -> None:
        function = self.scopes.scope(stmt)
        if not isinstance(function, ast.FunctionDef):
            raise Blocked(stmt, f"{made.what} is returned by something else than a function")
        uses: Sequence[ast.expr]
        cls = self.scopes.scope(function)
        if isinstance(cls, ast.ClassDef):
            uses = self.attributes(function.name)
            bodies = [c.body for c in self.scopes.walk() if isinstance(c, ast.ClassDef)]
            same = [s for b in bodies for s in b if getattr(s, "name", "") == function.name]
            if self.worded(function.name) or len(same) > 1 or function.decorator_list:
                raise Blocked(stmt, f"which `{function.name}` gives {made.what}")
        else:
            uses = self.readers(function)
        for use in uses:
            call = self.scopes.parents[id(use)]
            if not isinstance(call, ast.Call) or call.func is not use:
                raise Blocked(use, f"`{function.name}`, which gives {made.what}, is handed on")
            self.follow(call, made, used)

    def _handed(
        self,
        call: ast.Call,
        node: ast.expr,
        made: Estimator,
        used: Used,
    ) -> None:
        function = self.scopes.function(call.func)
        says = made.what == "the Estimator" and self._says(call)  # which is an address anyway
        if function is None:
            function = self._first_of(call)
        if function is None and (says or self.scopes.missing(call.func)):
            return  # or this raises an AttributeError, if it is ever reached
        if function is None:
            raise Blocked(node, f"{made.what} is given to something that isn't seen")
        name = parameter(function, call, node)
        if name is None:
            raise Blocked(node, f"which argument of `{function.name}` {made.what} is")
        seen = self.kept.setdefault(("handed", id(function), name), set())
        assert isinstance(seen, set)
        if made.call in seen:
            return
        seen.add(made.call)
        if len(self.scopes.bound(function)[name]) > 1:
            raise Blocked(function, f"`{name}` may be something else than {made.what}")
        for use in self.reads(name, function):
            self.follow(use, made, used)

    def _first_of(self, call: ast.Call) -> ast.FunctionDef | None:
        """The `__init__` of a class of the program that a call makes an object of."""
        found = self.scopes.lookup(call.func)
        cls = found.node if found is not None else None
        if not isinstance(cls, ast.ClassDef) or cls.decorator_list or cls.keywords:
            return None
        body = [s for s in cls.body if isinstance(s, ast.FunctionDef)]
        first = [s for s in body if s.name == "__init__"]
        made = any(s.name == "__new__" for s in body)
        return first[0] if len(first) == 1 and not made and not first[0].decorator_list else None

    def _says(self, call: ast.Call) -> bool:
        """Whether a call only lets an object be read of, or its class."""
        above = self.scopes.parents[id(call)]
        named = isinstance(call.func, ast.Name) and call.func.id == "type" and len(call.args) == 1
        return _says(above if named and isinstance(above, ast.Call) else call)

    def readers(self, function: ast.FunctionDef) -> list[ast.expr]:
        """Where a function of the program is read."""
        scope = self.scopes.scope(function)
        own = [b for b in self.scopes.bound(scope)[function.name] if b.node is function]
        return self.scopes.uses(own[0], function.name)


def _emptied(parents: Mapping[int, ast.AST], node: ast.Attribute) -> bool:
    """Whether a statement sets an attribute to `None`, as `__init__` does before it has a value."""
    stmt = parents[id(node)]
    if not isinstance(stmt, ast.Assign) or stmt.targets != [node]:
        return False
    return isinstance(stmt.value, ast.Constant) and stmt.value.value is None


def _says(call: ast.Call) -> bool:
    """Whether a call prints an object, or puts it into a text."""
    func = call.func
    if isinstance(func, ast.Attribute):
        return func.attr == "format" and isinstance(func.value, ast.Constant)
    return isinstance(func, ast.Name) and func.id in ("print", "repr", "str")


def parameter(function: ast.FunctionDef, call: ast.Call, node: ast.expr) -> str | None:
    """The parameter of a function that an argument of a call is."""
    for keyword in call.keywords:
        if keyword.value is node:
            return keyword.arg
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    method = isinstance(call.func, ast.Attribute) or function.name == "__init__"
    if method and names[:1] == ["self"]:
        names = names[1:]
    if any(isinstance(a, ast.Starred) for a in call.args) or node not in call.args:
        return None
    place = call.args.index(node)
    return names[place] if place < len(names) else None
