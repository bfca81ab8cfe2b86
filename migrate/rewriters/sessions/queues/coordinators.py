"""Coordinators and the threads that fill queues: they go, what waits for them loops on.

A coordinator says stop when somebody asks it to. Who asks is in the program: after the loop, where
nothing is left to be stopped, or as the last thing that a round of it does, which is `break`.
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.lines import GONE
from migrate.rewriters.sessions.queues.module import Module, blocks

GOES = ("join", "start_queue_runners", "start_standard_services")
STARTS = ("train.start_queue_runners",)


class Coordinators:
    """The coordinators and threads of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.coords = module.coords
        self.threads: dict[str, set[ast.AST]] = {}  # the scopes in which a name is theirs
        self.parents: dict[int, ast.AST] = {}
        self.gone: set[int] = set()

    def run(self) -> None:
        """Take them out.

        Raises:
            Blocked: one is used in a way that isn't followed.
        """
        tree, module = self.module.tree, self.module
        for node in walk(tree):
            for child in children(node):
                self.parents[id(child)] = node
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                kind, name = module.endpoint(node.value), node.targets[0].id
                if kind == "train.Coordinator":
                    self.coords.add(name)
                if kind in STARTS or self._created(node.value):
                    self.threads.setdefault(name, set()).add(module.scope(node))
            if isinstance(node, ast.For) and (gathered := self._gathers(node)):
                self.threads.setdefault(gathered, set()).add(module.scope(node))
        for _, body in blocks(tree):
            for stmt in body:
                self.statement(stmt, body)
        for _, body in blocks(tree):
            if all(id(s) in self.gone for s in body):
                self.empty(body)
        for node in walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if (node.id in self.coords or self._theirs(node)) and not self._inside(node):
                    raise Blocked(node, f"`{node.id}` is used in another way")
            if module.endpoint(node) in STARTS and not self._inside(node):
                raise Blocked(node, "threads are started inside another expression")
        for _, body in blocks(tree):
            for place, stmt in enumerate(body):
                if id(stmt) in self.gone and not all(id(s) in self.gone for s in body):
                    before = body[place - 1] if place else None
                    module.remove(stmt, (before.end_lineno or 0) if before is not None else 0)
        for node in walk(tree):
            if id(node) in self.gone:
                module.quiet |= {id(n) for n in walk(node)}

    # -- statements -------------------------------------------------------------------------

    def statement(self, stmt: ast.stmt, body: list[ast.stmt]) -> None:
        """One statement: it goes, it is written anew, or it is nobody's here."""
        module = self.module
        value = getattr(stmt, "value", None)
        if isinstance(stmt, (ast.Assign, ast.Expr)) and isinstance(value, ast.Call):
            kind = module.endpoint(value)
            alone = isinstance(stmt, ast.Expr)
            goes = kind in ("train.Coordinator", *STARTS) or self._created(value)
            if goes or (alone and (self._closes(value) or self._of(value) in GOES)):
                self.gone.add(id(stmt))
            elif alone and self._of(value) in ("request_stop", "stop"):
                self.stop(stmt, value, body)
        elif (isinstance(stmt, ast.Assign) and self._empty(stmt)) or (
            isinstance(stmt, ast.For) and self._gathers(stmt)
        ):
            self.gone.add(id(stmt))
        elif isinstance(stmt, ast.If) and self._asks(stmt.test):
            if stmt.orelse or len(stmt.body) > 1 or not isinstance(stmt.body[0], ast.Break):
                raise Blocked(stmt, "what is done when a coordinator stops")
            self.gone.add(id(stmt))
        elif isinstance(stmt, ast.While):
            self.test(stmt)

    def stop(self, stmt: ast.stmt, value: ast.Call, body: list[ast.stmt]) -> None:
        """A program asks for a stop."""
        loop = self._loop(stmt)
        if loop is None:
            self.gone.add(id(stmt))
            self.handler(stmt, value)
            return
        place = body.index(stmt)
        after = body[place + 1 :]
        if after and isinstance(after[0], ast.Break):
            self.gone.add(id(stmt))
        elif not after and self._last(stmt, loop) and not value.args:
            self.module.replace(stmt, "break")
            self.gone.discard(id(stmt))
            self.module.quiet |= {id(n) for n in walk(stmt)}
        else:
            raise Blocked(stmt, "a coordinator stops in the middle of a loop")

    def handler(self, stmt: ast.stmt, value: ast.Call) -> None:
        """`except Exception as e: coord.request_stop(e)`: only the end of the data ends here."""
        given = [*value.args, *(k.value for k in value.keywords)]
        if not given:
            return
        handler = self.parents[id(stmt)]
        if not isinstance(handler, ast.ExceptHandler) or handler.type is None:
            raise Blocked(stmt, "a coordinator is told of an error")
        named = [n for n in all_of(handler, ast.Name) if n.id == handler.name]
        if not (len(given) == 1 and isinstance(given[0], ast.Name) and len(named) == 1):
            raise Blocked(stmt, "a coordinator is told of an error")
        start, end = self.module.text.index.span(handler.type)
        line = self.module.text.text[end : self.module.text.start(handler.lineno + 1)]
        colon = line.index(":")
        new = f"{self.module.tf}.errors.OutOfRangeError"
        if self.module.endpoints.get(id(handler.type)) == "tensorflow.errors.OutOfRangeError":
            new = self.module.source(handler.type)
        self.module.changes.append(Edit(start, end + colon, new))

    def test(self, stmt: ast.While) -> None:
        """`while not coord.should_stop()`."""
        test = stmt.test
        if self._goes_on(test):
            self.module.replace(test, "True")
        elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            rest = [v for v in test.values if not self._goes_on(v)]
            if len(rest) < len(test.values):
                kept = [self.module.source(v) for v in rest]
                self.module.replace(test, " and ".join(kept) or "True")
        else:
            return
        self.module.quiet |= {id(n) for n in walk(test)}

    def empty(self, body: list[ast.stmt]) -> None:
        """A block of which nothing is left."""
        owner = self.parents[id(body[0])]
        module = self.module
        if isinstance(owner, ast.Try) and owner.finalbody is body and owner.handlers:
            before = [*owner.body, *(s for h in owner.handlers for s in h.body), *owner.orelse]
            first = max(s.end_lineno or s.lineno for s in before) + 1
            start, end = module.text.start(first), module.text.start((body[-1].end_lineno or 0) + 1)
            module.changes.append(Edit(start, end, GONE))
        elif isinstance(owner, ast.Try) and owner.finalbody is body:
            self.bare(owner, body)
        elif isinstance(owner, ast.Module):
            for stmt in body:
                module.remove(stmt)
        else:
            module.replace(body[0], "pass")
            for stmt in body[1:]:
                module.remove(stmt)

    def bare(self, owner: ast.Try, final: list[ast.stmt]) -> None:
        """A `try` that had nothing but its `finally`: its body stays, further left."""
        text = self.module.text
        outer, inner = text.lines[owner.lineno - 1], text.lines[owner.body[0].lineno - 1]
        base = len(outer) - len(outer.lstrip())
        width = len(inner) - len(inner.lstrip()) - base
        last = max(s.end_lineno or s.lineno for s in owner.body)
        changes = self.module.changes
        changes.append(Edit(text.start(owner.lineno), text.start(owner.lineno + 1), ""))
        done = [c for c in changes if c.start < text.start(last + 1)]
        for line in range(owner.lineno + 1, last + 1):
            shown = text.lines[line - 1]
            if line not in text.inside and len(shown) - len(shown.lstrip(" \t")) >= base + width:
                start = text.start(line) + base
                if not any(c.start <= start and start + width <= c.end for c in done):
                    changes.append(Edit(start, start + width, ""))
        end = text.start((final[-1].end_lineno or 0) + 1)
        changes.append(Edit(text.start(last + 1), end, ""))

    # -- what is asked ----------------------------------------------------------------------

    def _of(self, node: ast.AST) -> str:
        """The method of a coordinator that a call calls."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            known = self.coords | self.module.stoppable
            if isinstance(owner, ast.Name) and owner.id in known:
                return node.func.attr
        return ""

    def _asks(self, node: ast.AST) -> bool:
        return self._of(node) == "should_stop"

    def _goes_on(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.Not)
            and self._asks(node.operand)
        )

    def _created(self, node: ast.AST | None) -> bool:
        """`runner.create_threads(sess, coord=coord, start=True)`."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "create_threads"
        )

    def _theirs(self, node: ast.Name) -> bool:
        """Whether a name means threads where it stands."""
        scopes, scope = self.threads.get(node.id, set()), self.module.scope(node)
        own = any(a.arg == node.id for a in all_of(scope, ast.arg))
        own = own or any(
            isinstance(n, ast.Name) and n.id == node.id and not isinstance(n.ctx, ast.Load)
            for n in walk(scope)
        )
        return scope in scopes or (bool(scopes) and not own)

    def _gathers(self, stmt: ast.For) -> str:
        """`for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS): threads.extend(…)`."""
        runners = stmt.iter
        if self.module.endpoint(runners) != "get_collection" or len(stmt.body) != 1:
            return ""
        given = self.module.bound(runners).get("key")  # type: ignore[arg-type]
        key = ast.unparse(given).rpartition(".")[2].strip("'") if given is not None else ""
        call = getattr(stmt.body[0], "value", None)
        if key.lower() != "queue_runners" or not isinstance(call, ast.Call) or stmt.orelse:
            return ""
        name = call.func.value if isinstance(call.func, ast.Attribute) else None
        gathers = ast.unparse(call.func).rpartition(".")[2] in ("extend", "append")
        made = [self._created(a) for a in call.args]
        return name.id if gathers and made == [True] and isinstance(name, ast.Name) else ""

    def _empty(self, stmt: ast.Assign) -> bool:
        """`threads = []`."""
        target, value = stmt.targets[0], stmt.value
        named = isinstance(target, ast.Name) and self._theirs(target)
        return named and isinstance(value, ast.List) and not value.elts

    def _closes(self, node: ast.Call) -> bool:
        """`sess.run(queue.close(…))`."""
        if not (isinstance(node.func, ast.Attribute) and node.func.attr == "run" and node.args):
            return False
        inner = node.args[0]
        return (
            isinstance(inner, ast.Call)
            and isinstance(inner.func, ast.Attribute)
            and inner.func.attr == "close"
            and isinstance(inner.func.value, ast.Name)
            and inner.func.value.id in self.module.queues
        )

    def _loop(self, stmt: ast.AST) -> ast.While | ast.For | None:
        """The loop around a statement."""
        at = self.parents.get(id(stmt))
        while at is not None and not isinstance(at, (ast.While, ast.For, ast.FunctionDef)):
            at = self.parents.get(id(at))
        return at if isinstance(at, (ast.While, ast.For)) else None

    def _last(self, stmt: ast.AST, loop: ast.AST) -> bool:
        """Whether nothing comes after a statement in a round of its loop."""
        while stmt is not loop:
            owner = self.parents[id(stmt)]
            if isinstance(owner, ast.Try) and (owner.finalbody or owner.orelse):
                return False
            if isinstance(owner, (ast.For, ast.While)) and owner is not loop:
                return False
            for name in ("body", "orelse"):
                body = getattr(owner, name, None)
                if isinstance(body, list) and stmt in body and body[-1] is not stmt:
                    return False
            stmt = owner
        return not getattr(loop, "orelse", None)

    def _inside(self, node: ast.AST) -> bool:
        """Whether a node stands in something that goes or is written anew."""
        at: ast.AST | None = node
        while at is not None:
            if id(at) in self.gone or id(at) in self.module.quiet:
                return True
            at = self.parents.get(id(at))
        return False
