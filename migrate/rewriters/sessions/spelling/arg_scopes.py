"""`arg_scope` of what a function gives, as the arg_scopes that the function opens.

`with slim.arg_scope(vgg_arg_scope(0.0005)):` means what `with` of those scopes means that
`vgg_arg_scope` opens one in another before it returns the last one.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.joined import part_of
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions import contrib
from migrate.rewriters.sessions.spelling.source import Source

ARG_SCOPE = "tensorflow.contrib.framework.arg_scope"


class _Unseen(Exception):
    """What a function gives isn't seen."""


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The scopes where the function is called; it goes where nothing else uses it."""
    node: Any = error.node
    target, call = error.found["target"], error.found["call"]
    if not source.tf:
        return None
    try:
        items = _Function(target, call, node.func, source, walker).scopes()
    except _Unseen:
        return None
    found = [Edit(*source.span(node), ", ".join(items))]
    at = error.found["assigned"]
    if at is not None:  # its result had a name
        found.append(source.removed(at))
    for stmt in _unused(source, target, walker):
        home = part_of(source.parts, stmt)
        if home is source.part:
            found.append(source.removed(stmt))
        else:
            edit = Source(source.parts, stmt).removed(stmt)
            error.more.setdefault(home.document.path, []).append(edit)
    return found


def _unused(source: Source, target: ast.FunctionDef, walker: Walker) -> list[ast.stmt]:
    """What goes with the last use of a function: itself, other names for it, slim's name there."""
    trees = [part.document.tree for part in source.parts]
    others = [
        stmt
        for tree in trees
        for stmt in tree.body
        if isinstance(stmt, ast.Assign) and _last(stmt.value) == target.name
        if len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name)
    ]
    names = {target.name, *(_last(stmt.targets[0]) for stmt in others)}
    gone: list[ast.stmt] = [target, *others]
    inside = {id(n) for stmt in gone for n in walk(stmt)}
    uses = [
        n
        for tree in trees
        for n in walk(tree)
        if id(n) not in inside
        and (_last(n) in names or (isinstance(n, ast.alias) and n.name in names))
    ]
    if len(uses) != 1:
        return []
    body = part_of(source.parts, target).document.tree
    for stmt in body.body:
        mine = set(contrib.names_of(stmt, walker))
        if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Lambda):
            mine = {_last(t) for t in stmt.targets}
        loads = [n for n in all_of(body, ast.Name) if n.id in mine]
        loads = [n for n in loads if isinstance(n.ctx, ast.Load)]
        if loads and all(id(n) in inside for n in loads):
            gone.append(stmt)
    return gone


def _last(node: ast.AST) -> str:
    """The last name of a dotted one."""
    found: str = getattr(node, "attr", "") or getattr(node, "id", "")
    return found


class _Function:
    """A function that opens arg_scopes, with what one call gives it."""

    def __init__(
        self,
        target: ast.FunctionDef,
        call: ast.Call,
        func: ast.expr,
        source: Source,
        walker: Walker,
    ) -> None:
        self.target, self.func, self.source, self.walker = target, func, source, walker
        self.away = part_of(source.parts, target) is not source.part
        self.home = Source(source.parts, target)
        args = target.args
        names = [a.arg for a in args.args]
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
            raise _Unseen
        if len(call.args) > len(names) or any(isinstance(a, ast.Starred) for a in call.args):
            raise _Unseen
        self.known: dict[str, ast.expr] = {}
        for name, default in zip(reversed(names), reversed(args.defaults), strict=False):
            self.known[name] = self._outer(default)
        self.known.update(zip(names, call.args, strict=False))
        for keyword in call.keywords:
            if keyword.arg not in names:
                raise _Unseen
            self.known[keyword.arg] = keyword.value
        if set(self.known) != set(names):
            raise _Unseen

    def scopes(self) -> list[str]:
        """The sources of the scopes, the outermost first."""
        found: list[str] = []
        self._body(self.target.body, found)
        if not found:
            raise _Unseen
        return found

    def _body(self, body: list[ast.stmt], found: list[str]) -> bool:
        """Follow statements; whether they have returned."""
        for place, stmt in enumerate(body):
            if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant):
                continue
            if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
                if found and not isinstance(stmt.targets[0], ast.Name):
                    raise _Unseen  # a scope may have that dict already
                self._assigned(stmt.targets[0], self._value(stmt.value))
                continue
            if isinstance(stmt, ast.If):
                test = _told(self._value(stmt.test))
                if test is None:
                    raise _Unseen
                if self._body(stmt.body if test else stmt.orelse, found):
                    return True
                continue
            if place != len(body) - 1:
                raise _Unseen
            if isinstance(stmt, ast.With):
                last: ast.expr | None = None
                for item in stmt.items:
                    found.append(self._scope(item.context_expr))
                    last = item.optional_vars
                self.last = last.id if isinstance(last, ast.Name) else ""
                return self._body(stmt.body, found)
            if isinstance(stmt, ast.Return) and isinstance(stmt.value, ast.Name):
                if stmt.value.id == self.last:
                    return True
            raise _Unseen
        return False

    last = ""

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        """A name, or an item of a dict that has one: ``params['is_training'] = is_training``."""
        if isinstance(target, ast.Name):
            self.known[target.id] = value
            return
        owner = target.value if isinstance(target, ast.Subscript) else None
        listed = self.known.get(owner.id) if isinstance(owner, ast.Name) else None
        key = target.slice if isinstance(target, ast.Subscript) else None
        if not isinstance(listed, ast.Dict) or not isinstance(key, ast.Constant):
            raise _Unseen
        keys = [k.value if isinstance(k, ast.Constant) else None for k in listed.keys]
        if None in keys or sum(other is listed for other in self.known.values()) > 1:
            raise _Unseen  # another dict in it, or one of two names
        if key.value in keys:
            new = [value if k == key.value else v for k, v in zip(keys, listed.values, strict=True)]
            listed = ast.Dict(listed.keys, new)
        else:
            listed = ast.Dict([*listed.keys, key], [*listed.values, value])
        self.known[str(owner.id)] = listed  # type: ignore[union-attr]

    def _scope(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Call):
            raise _Unseen
        if self.walker.endpoints.get(id(node.func)) != ARG_SCOPE or len(node.args) != 1:
            raise _Unseen
        if not isinstance(node.args[0], (ast.List, ast.Tuple)):
            raise _Unseen
        return ast.unparse(ast.Call(self.func, [self._value(node.args[0])], self._keywords(node)))

    def _keywords(self, node: ast.Call) -> list[ast.keyword]:
        return [ast.keyword(k.arg, self._value(k.value)) for k in node.keywords]

    def _value(self, node: ast.expr) -> ast.expr:
        """An expression where the call stands: its names mean the same there."""
        return _Names(self).visit(node)  # type: ignore[no-any-return]

    def values(self, name: str) -> list[ast.expr]:
        """What the function's file gives a name."""
        return [
            s.value
            for s in all_of(self.home.tree, ast.Assign)
            if any(isinstance(t, ast.Name) and t.id == name for t in s.targets)
        ]

    def _outer(self, node: ast.expr) -> ast.expr:
        """A default: it knows nothing of the function's names."""
        before, self.known = getattr(self, "known", {}), {}
        try:
            return self._value(node)
        finally:
            self.known = before


def _told(test: ast.expr) -> bool | None:
    """What a question is answered with; None where that isn't told."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _told(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            if isinstance(test.ops[0], (ast.Is, ast.IsNot)) and None in (left.value, right.value):
                return (left.value is right.value) == isinstance(test.ops[0], ast.Is)
            if isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
                return (left.value == right.value) == isinstance(test.ops[0], ast.Eq)
    return None


class _Names(ast.NodeTransformer):
    """Puts what a function's names mean in their places."""

    def __init__(self, function: _Function) -> None:
        self.function = function

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.Lambda, ast.comprehension, ast.NamedExpr, ast.JoinedStr)):
            raise _Unseen
        fresh = copy.copy(node)  # the file's own tree stays as it is, its lists too
        for name, value in ast.iter_fields(fresh):
            if isinstance(value, list):
                setattr(fresh, name, list(value))
        return super().generic_visit(fresh)

    def visit(self, node: ast.AST) -> Any:
        endpoint = self.function.walker.endpoints.get(id(node))
        if endpoint is not None and isinstance(node, (ast.Name, ast.Attribute)):
            root, _, rest = endpoint.partition(".")
            if root != "tensorflow" or not rest:
                raise _Unseen
            if not self.function.away:
                return node
            return ast.parse(f"{self.function.source.tf}.{rest}", mode="eval").body
        return super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        found = self.function.values(name) if name not in self.function.known else []
        if not self.function.away or len(found) != 1 or not isinstance(found[0], ast.Lambda):
            return self.generic_visit(node)
        args = found[0].args  # a lambda of its file: what it gives
        names = [a.arg for a in args.args]
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
            raise _Unseen
        if node.keywords or len(node.args) != len(names):
            raise _Unseen
        given = [self.visit(n) for n in node.args]
        outer = self.function.known
        self.function.known = dict(zip(names, given, strict=True))
        try:
            return self.visit(found[0].body)  # type: ignore[no-any-return]
        finally:
            self.function.known = outer

    def visit_Name(self, node: ast.Name) -> ast.expr:
        known = self.function.known.get(node.id)
        if known is not None:
            return known
        if not self.function.away:
            return node
        values = self.function.values(node.id)
        if len(values) == 1 and isinstance(values[0], ast.Constant):
            return values[0]
        raise _Unseen

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            found: ast.expr = self.visit(node.body if test.value else node.orelse)
            return found
        new = self.generic_visit(node)
        assert isinstance(new, ast.expr)
        return new
