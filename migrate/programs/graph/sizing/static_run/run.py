"""The execution: statements."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, children, fact, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.running import uncalled
from migrate.programs.graph.sizing.static_run.calling import Calls
from migrate.programs.graph.sizing.static_run.calls import METHODS
from migrate.programs.graph.sizing.static_run.expressions import Stop, handler
from migrate.programs.graph.sizing.static_run.plain_files import PlainFiles
from migrate.programs.graph.sizing.static_run.values import (
    UNKNOWN,
    Class,
    Fields,
    Frame,
    Function,
    Given,
    Object,
    Table,
    merged,
)
from migrate.programs.graph.wording import idle_partials

ROUNDS = 64  # a loop of more is none of layers


class Returned(Exception):
    """A function ends."""


class Left(Exception):
    """A loop's round ends; ``whole``: the loop does."""

    def __init__(self, *, whole: bool) -> None:
        super().__init__()
        self.whole = whole


class Run(Calls):
    """A program's files, from those that are run on."""

    def __init__(self, walker: Any) -> None:
        super().__init__(walker)
        self.modules: dict[int, Frame] = {}
        self.plain = PlainFiles(walker)

    def entries(self) -> None:
        """Execute what is run.

        Raises:
            Stop: it takes too long.
        """
        for tree in (m.tree for m in self.walker.files.order if m.tree is not None):
            for n in walk(tree):
                if isinstance(n, (ast.Global, ast.Nonlocal)):
                    self.globals.update(n.names)
        for module in self.walker.files.entries:
            self.module(module, module)
        with contextlib.suppress(Stop):  # what is known by then is known without it
            for module in self.walker.files.order:
                if module.tree is not None and id(module) in self.modules:
                    self.uncalled(module.tree, set(uncalled.read(self.walker, module)))

    def uncalled(self, tree: ast.Module, read: set[str]) -> None:
        """What a file has to run and nobody calls: somebody does, with what isn't seen."""
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef) or node.name in read or node.decorator_list:
                continue
            module = self.walker.files.at(node)
            function = self.modules[id(module)].names.get(node.name)
            if isinstance(function, Function) and self.walker.runs(node):
                self.call(function, [UNKNOWN] * len(node.args.args), {}, None)

    def idle(self) -> None:
        """Functions that no program calls: somebody may, with what they take by default."""
        for module in self.walker.files.order:
            names = self.modules[id(module)].names if id(module) in self.modules else {}
            for node in module.tree.body if names else ():
                function = names.get(getattr(node, "name", ""))
                if isinstance(function, Function) and function.node is node:
                    if id(node) not in self.entered and not self.walker.runs(node):
                        with contextlib.suppress(Stop):
                            self.call(function, [], {}, None)

    def module(self, module: Any, entry: Any) -> Frame | None:
        """A file, once."""
        if module.tree is None:
            return None
        known = self.modules.get(id(module))
        if known is not None:
            return known
        frame = Frame(module.tree, entry)
        frame.names["__name__"] = "__main__" if module is entry else "imported"
        self.modules[id(module)] = frame
        saved, self.frame = self.frame, frame
        idle = idle_partials.of(module.tree).values()
        gone = {id(s) for stmts in idle for s in stmts}
        try:
            self.body([s for s in module.tree.body if id(s) not in gone])
        except (Returned, Left):
            pass
        finally:
            self.frame = saved
        return frame

    def body(self, body: Sequence[ast.stmt]) -> None:
        """Statements in their order."""
        for stmt in body:
            self.statement(stmt)

    def statement(self, stmt: ast.stmt) -> None:
        """One statement."""
        self.spend()
        method = handler(type(self), stmt.__class__)
        if method is not None:
            method(self, stmt)
            return
        for child in children(stmt):
            if isinstance(child, ast.expr):
                self.value(child)

    def _pass(self, stmt: ast.stmt) -> None:
        """Nothing."""

    def _global(self, stmt: ast.Global) -> None:
        self.frame.outer.update(stmt.names)
        self.globals.update(stmt.names)

    _nonlocal = _global

    def _assign(self, stmt: ast.Assign) -> None:
        value = self.value(stmt.value)
        for target in stmt.targets:
            self.bind(target, value)

    def _annassign(self, stmt: ast.AnnAssign) -> None:
        if stmt.value is not None:
            self.bind(stmt.target, self.value(stmt.value))

    def _augassign(self, stmt: ast.AugAssign) -> None:
        load: Any = stmt.target
        before = self.value(load)
        value = self.binary(stmt.op, before, self.value(stmt.value))
        if isinstance(before, (list, Table)):
            self.doubt_of(before)
            value = UNKNOWN
        self.bind(stmt.target, value)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a target a value."""
        if isinstance(target, ast.Name):
            if target.id in self.frame.outer:
                self.frame.names.pop(target.id, None)
                frame = self.frame.parent
                while frame is not None:
                    frame.names[target.id] = UNKNOWN
                    frame = frame.parent
            else:
                self.frame.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = self.items(value)
            if isinstance(items, list) and len(items) == len(target.elts):
                for part, item in zip(target.elts, items, strict=True):
                    self.bind(part, item)
            else:
                for part in target.elts:
                    self.bind(part, UNKNOWN)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, UNKNOWN)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner, Object):
                several = self.doubt and target.attr in owner.attributes
                before = owner.attributes.get(target.attr, value)
                owner.attributes[target.attr] = merged(before, value) if several else value
            elif isinstance(owner, Class):
                owner.members[target.attr] = UNKNOWN
            else:
                self.escaped(value)
                self.unseen.add(target.attr)
        elif isinstance(target, ast.Subscript):
            owner, key = self.value(target.value), self.value(target.slice)
            if isinstance(owner, dict) and isinstance(key, (str, int)) and not self.doubt:
                owner[key] = value
            else:
                self.escaped(value)
                self.doubt_of(owner)

    def _expr(self, stmt: ast.Expr) -> None:
        self.value(stmt.value)

    def _functiondef(self, stmt: ast.FunctionDef) -> None:
        self.frame.names[stmt.name] = self.function(stmt)

    def _classdef(self, stmt: ast.ClassDef) -> None:
        bases = [self.value(b) for b in stmt.bases]
        inner = Frame(stmt, self.frame.module, self.frame)
        saved, self.frame = self.frame, inner
        try:
            self.body(stmt.body)
        finally:
            self.frame = saved
        cls = Class(stmt, self.frame, bases, inner.names)
        records = [b for b in bases if isinstance(b, Fields)]
        plain = len(bases) == 1 and not any(map(_making, stmt.body))
        self.frame.names[stmt.name] = records[0] if records and plain else cls
        if stmt.decorator_list:
            self.frame.names[stmt.name] = UNKNOWN

    def _return(self, stmt: ast.Return) -> None:
        value = self.value(stmt.value) if stmt.value is not None else None
        self.frame.returns.append(value)
        raise Returned

    def _raise(self, stmt: ast.Raise) -> None:
        raise Returned

    def _break(self, stmt: ast.stmt) -> None:
        raise Left(whole=True)

    def _continue(self, stmt: ast.stmt) -> None:
        raise Left(whole=False)

    def _import(self, stmt: ast.Import) -> None:
        for alias in stmt.names:
            found = self._found(stmt, 0, alias.name)
            name = alias.asname or alias.name.partition(".")[0]
            dotted = alias.asname is None and "." in alias.name
            self.frame.names[name] = found if found is not None and not dotted else UNKNOWN

    def _importfrom(self, stmt: ast.ImportFrom) -> None:
        home = self._found(stmt, stmt.level, stmt.module or "")
        for alias in stmt.names:
            if alias.name == "*":
                if home is not None:
                    self.frame.names.update(
                        {k: v for k, v in home.names.items() if not k.startswith("_")}
                    )
                continue
            value = home.names.get(alias.name) if home is not None else None
            if home is None and stmt.module in ("collections", "functools", "math", "numpy"):
                value = METHODS.get(f"{stmt.module}.{alias.name}")
            if value is None:
                dotted = f"{stmt.module}.{alias.name}" if stmt.module else alias.name
                value = self._found(stmt, stmt.level, dotted)
            self.frame.names[alias.asname or alias.name] = UNKNOWN if value is None else value

    def _found(self, stmt: ast.stmt, level: int, dotted: str) -> Frame | None:
        try:
            found = self.walker.files.find(stmt, self.frame.module, level, dotted)
        except Blocked:
            return None
        for module in found or ():
            self.module(module, self.frame.module)
        last = found[-1] if found else None
        if last is None or last.tree is None:
            plain = self.walker.files.plain(stmt, self.frame.module, level, dotted)
            if plain is not None:
                return self.plain.of(plain, self.frame.module)
        if last is None or not (dotted.rpartition(".")[2] or dotted):
            return None
        tail = dotted.rpartition(".")[2]
        named = last.path.replace("\\", "/").removesuffix(".py").removesuffix("/__init__")
        if named.rpartition("/")[2] != tail and not level:
            return None
        return self.modules.get(id(last))

    def _with(self, stmt: ast.With) -> None:
        before = len(self.scopes)
        for item in stmt.items:
            value = self.value(item.context_expr)
            if isinstance(value, Given):
                self.scopes.append(value)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        try:
            self.body(stmt.body)
        finally:
            del self.scopes[before:]

    def _try(self, stmt: ast.Try) -> None:
        self.maybe(stmt.body)
        for caught in stmt.handlers:
            if caught.name:
                self.frame.names[caught.name] = UNKNOWN
            self.maybe(caught.body)
        self.maybe(stmt.orelse)
        self.body(stmt.finalbody)

    def maybe(self, body: Sequence[ast.stmt]) -> None:
        """Statements that are executed, or not, or in part."""
        names = stored(body)
        before = {name: self.frame.names.get(name) for name in names}
        self.doubt += 1
        try:
            self.body(body)
        except (Returned, Left):
            pass
        finally:
            self.doubt -= 1
        for name in names:
            first = before[name] if before[name] is not None else UNKNOWN
            now = self.frame.names.get(name)
            self.frame.names[name] = merged(first, now if now is not None else UNKNOWN)

    def _if(self, stmt: ast.If) -> None:
        test = self.truth(self.value(stmt.test))
        if test is not None:
            self.body(stmt.body if test else stmt.orelse)
            return
        before = dict(self.frame.names)
        ends: list[dict[str, Any]] = []
        for body in (stmt.body, stmt.orelse):
            self.frame.names = dict(before)
            self.doubt += 1
            try:
                self.body(body)
                ends.append(self.frame.names)
            except (Returned, Left):
                pass
            finally:
                self.doubt -= 1
        if not ends:
            self.frame.names = before
            raise (
                Returned
                if any(isinstance(n, ast.Return) for n in walk(stmt))
                else Left(whole=False)
            )
        names: dict[str, Any] = {}
        for name in {k for end in ends for k in end}:
            values = [end.get(name, UNKNOWN) for end in ends]
            names[name] = values[0] if len(values) == 1 else merged(*values)
        self.frame.names = names

    def _while(self, stmt: ast.While) -> None:
        self._some_rounds(stmt, lambda: self.value(stmt.test))

    def _for(self, stmt: ast.For) -> None:
        items = self.items(self.value(stmt.iter))
        if not isinstance(items, list) or len(items) > ROUNDS:
            self._some_rounds(stmt, lambda: self.bind(stmt.target, UNKNOWN))
            return
        names = {n.id for n in all_of(stmt.target, ast.Name)}
        outer = dict(self.frame.rounds)
        left = False
        for item in items:
            self.bind(stmt.target, item)
            self.frame.rounds = {**outer, **{n: self.frame.names.get(n) for n in sorted(names)}}
            try:
                self.body(stmt.body)
            except Left as error:
                if error.whole:
                    left = True
                    break
            finally:
                self.frame.rounds = outer
        if not left:
            self.body(stmt.orelse)
        if any(isinstance(n, (ast.Break, ast.Continue)) for n in walk(stmt)):
            for name in stored(stmt.body):
                self.frame.names[name] = UNKNOWN

    def _some_rounds(self, stmt: ast.For | ast.While, start: Any) -> None:
        """A loop of which it isn't told how often it goes round."""
        for name in stored(stmt.body):
            self.frame.names[name] = UNKNOWN
        for part in walk(stmt):  # what its rounds change
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                owner = self.peek(part.value)
                if isinstance(owner, Object):
                    owner.attributes[part.attr] = UNKNOWN
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                self.doubt_of(self.peek(part.func.value))
            if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
                self.doubt_of(self.peek(part.value))
        self.doubt += 1
        outer = dict(self.frame.rounds)
        self.frame.rounds = {**outer, "": UNKNOWN}
        try:
            start()
            self.body(stmt.body)
        except (Returned, Left):
            pass
        finally:
            self.doubt -= 1
            self.frame.rounds = outer
        for name in stored(stmt.body):
            self.frame.names[name] = UNKNOWN
        self.maybe(stmt.orelse)

    def apply(self, function: Function, frame: Frame) -> Any:
        """Execute the body of a function whose arguments are bound."""
        node = function.node
        saved = self.frame, self.doubt
        self.frame = frame
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body)
            if fact(node, _yields):
                self.doubt += 1
                self.maybe(node.body)
                return UNKNOWN
            self.body(node.body)
            frame.returns.append(None)
        except Returned:
            pass
        except Left:
            raise Stop from None
        finally:
            self.frame, self.doubt = saved
        if not frame.returns:
            return UNKNOWN
        value = frame.returns[0]
        for other in frame.returns[1:]:
            value = merged(value, other)
        return value


def _making(stmt: ast.stmt) -> bool:
    """Whether a class's statement says how its objects are made, or what they have."""
    if isinstance(stmt, ast.FunctionDef):
        return stmt.name.startswith("__")
    return not isinstance(stmt, (ast.Expr, ast.Pass))


def _yields(node: ast.AST) -> bool:
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node))


def stored(body: Sequence[ast.stmt]) -> set[str]:
    """The names that statements bind."""
    return {
        n.id for stmt in body for n in all_of(stmt, ast.Name) if not isinstance(n.ctx, ast.Load)
    }
