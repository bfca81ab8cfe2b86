"""Monitored sessions as sessions: what they and their hooks do around each run is written out.

A monitored session initialises or restores, lets its hooks look at every run, and saves and logs by
itself. With hooks or files it is followed where its block has one loop with one run in it: what a
hook does after a run stands behind that run, what it does at the end behind the loop.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/MonitoredTrainingSession
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph.meaning import canonical
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.queues.hooks import Hooks
from migrate.rewriters.sessions.queues.module import Module, blocks, stored
from migrate.rewriters.sessions.queues.quiet import MONITORED
from migrate.rewriters.sessions.queues.rounds import Round

RANGES = ("range", "xrange")
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef)


def with_plain_sessions(document: Document, names: Names, others: str = "") -> Document:
    """The document without monitored sessions; itself where it has none.

    ``others``: the text of the program's other files.

    Raises:
        Blocked: one does more than can be written out; with the place and the reason.
    """
    found = {canonical(r.name).removeprefix("tensorflow.") for r in names.references}
    if not found & MONITORED:
        return document
    module = Module(document, names)
    Sessions(module, others).run()
    return edited(document, list(by_cell(document, module.edits())))


class Sessions:
    """The monitored sessions of a module."""

    def __init__(self, module: Module, others: str) -> None:
        self.module, self.others = module, others
        self.hooks = Hooks(module, others, self.free)
        self.opened: set[int] = set()
        self.names: dict[int, set[str]] = {}  # what names each scope has
        self.taken: set[str] = set()  # those of the scope at hand
        self.lines: dict[int, list[str]] = {}  # new ones, by the line before which they come
        self.tails: dict[int, list[tuple[str, list[str]]]] = {}  # those behind what ends there

    def run(self) -> None:
        """Write sessions for them.

        Raises:
            Blocked: one does more than can be written out.
        """
        tree, module = self.module.tree, self.module
        for owner, body in blocks(tree):
            for stmt in body:
                if isinstance(stmt, ast.With) and any(
                    module.endpoint(i.context_expr) in MONITORED for i in stmt.items
                ):
                    self.block(stmt, owner)
                elif isinstance(stmt, ast.Assign) and module.endpoint(stmt.value) in MONITORED:
                    self.session(stmt)
        for node in walk(tree):
            if (name := module.endpoint(node)) in MONITORED and id(node) not in self.opened:
                raise Blocked(node, f"tf.{name} that isn't kept under a name")
        self.hooks.rest()
        for line in self.lines.keys() | self.tails.keys():
            tails = [f"{indent}{n}" for indent, new in self.tails.get(line, []) for n in new]
            new = [*tails, *self.lines.get(line, [])]
            text = "".join(f"{n}{module.text.newline}" for n in new)
            start = module.text.start(line)
            module.changes.append(Edit(start, start, text))

    def session(self, stmt: ast.Assign) -> None:
        """``sess = tf.train.MonitoredSession()``: one without files and hooks."""
        module, value = self.module, stmt.value
        assert isinstance(value, ast.Call)
        if len(stmt.targets) > 1 or not isinstance(stmt.targets[0], ast.Name):
            raise Blocked(stmt, "a session that has no name")
        if self.hooks.given(value, []):
            raise Blocked(value, "a session with hooks that no with statement opens")
        if any(_asks(n, stmt.targets[0].id) for n in walk(module.tree)):
            raise Blocked(value, "a session that no with statement opens is asked to stop")
        self.after(stmt, [self.init(stmt.targets[0].id)])
        self.open(value)

    def block(self, stmt: ast.With, owner: ast.AST) -> None:
        """A block that opens one."""
        scope = self.module.scope(stmt)
        self.taken = self.names.setdefault(id(scope), _seen(scope))
        module, value = self.module, stmt.items[0].context_expr
        name = stmt.items[0].optional_vars
        if len(stmt.items) > 1 or not isinstance(name, ast.Name):
            raise Blocked(stmt, "a session that has no name, or isn't opened alone")
        assert isinstance(value, ast.Call)
        before = [b for _, body in blocks(owner) for b in body if b.lineno < stmt.lineno]
        found = self.hooks.given(value, before)
        starts = [self.init(name.id)]
        if found:
            loop, site = self.loop(stmt, name.id)
            at = Round(module, self.free, name.id, loop, site, self.others)
            starts += self.hooks.write(at, found, value)
            self.before(stmt, at.ahead, stmt.lineno - 1)
            self.before(stmt.body[0], [*starts, *at.begins], stmt.lineno)
            self.before(loop.body[0], at.tops, loop.lineno)
            self.before(site, at.befores, site.lineno - 1)
            for node, new in at.run():
                module.replace(node, new)
            if head := at.head():
                start = module.text.index.span(site)[0]
                module.changes.append(Edit(start, start, head))
            self.after(site, at.afters)
            if at.stops:
                unit = module.text.unit
                self.after(loop.body[-1], [f"if {' or '.join(at.stops)}:", f"{unit}break"])
            self.after(stmt.body[-1], at.ends)
        else:
            self.before(stmt.body[0], starts, stmt.lineno)
        for node in walk(stmt):
            if _asks(node, name.id):
                self.question(node, stmt, bool(found and at.stops))
        self.open(value)

    def loop(self, stmt: ast.With, name: str) -> tuple[ast.For | ast.While, ast.Assign | ast.Expr]:
        """The one loop of a block that runs the session, and its statement that does.

        Raises:
            Blocked: the session is used otherwise, too.
        """
        reads = [n for n in all_of(stmt, ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
        asked = [n for n in walk(stmt) if _asks(n, name)]
        body = stmt.body[-1].body if isinstance(stmt.body[-1], ast.Try) else stmt.body
        sites = [
            (loop, site)
            for loop in body
            if isinstance(loop, (ast.For, ast.While))
            for site in loop.body
            if isinstance(site, (ast.Assign, ast.Expr)) and _runs(site, name)
        ]
        if len(sites) != 1 or len(reads) != len(asked) + 1:
            raise Blocked(
                stmt, "a session with hooks or files whose one run isn't a statement of one loop"
            )
        loop, site = sites[0]
        if loop.orelse:
            raise Blocked(loop, "a loop with an else, under hooks")
        for node in walk(stmt):
            if isinstance(node, (ast.Continue, ast.Return, ast.Yield, ast.YieldFrom)):
                raise Blocked(node, "a round under hooks that ends early")
        return loop, site

    def question(self, node: ast.AST, stmt: ast.With, stops: bool) -> None:
        """`sess.should_stop()`: only a hook says so, and a round that it ends is the last one."""
        module = self.module
        for loop in walk(stmt):
            if not isinstance(loop, (ast.For, ast.While)):
                continue
            test = loop.test if isinstance(loop, ast.While) else None
            if test is not None and _negated(test, node):
                module.replace(test, "True")
                return
            if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
                rest = [v for v in test.values if not _negated(v, node)]
                if len(rest) < len(test.values):
                    module.replace(test, " and ".join(map(module.source, rest)))
                    return
            first = loop.body[0]
            if isinstance(first, ast.If) and first.test is node and not first.orelse:
                if len(first.body) == 1 and isinstance(first.body[0], ast.Break):
                    if len(loop.body) > 1:
                        if stops and isinstance(loop, ast.For):
                            self.counts(loop)
                        module.remove(first, loop.lineno)
                        return
        raise Blocked(node, "what is done when a monitored session stops")

    def counts(self, loop: ast.For) -> None:
        """See that a loop may end before its next number is taken.

        Raises:
            Blocked: the number is read behind it, or it is something that is gone then.
        """
        scope, names = self.module.scope(loop), stored(loop.target)
        later = (
            n
            for n in all_of(scope, ast.Name)
            if n.id in names and n.lineno > (loop.end_lineno or 0)
        )
        plain = isinstance(loop.iter, ast.Call) and ast.unparse(loop.iter.func) in RANGES
        if not plain or any(True for _ in later):
            raise Blocked(loop, "a loop whose next element is taken before a hook ends it")

    # -- what is written --------------------------------------------------------------------

    def before(self, stmt: ast.stmt, new: Sequence[str], floor: int) -> None:
        """Lines right before a statement and its comments."""
        if new:
            line = self.module.text.piece(stmt, floor).first
            indent = self.module.indent(stmt)
            self.lines.setdefault(line, []).extend(f"{indent}{n}" for n in new)

    def after(self, stmt: ast.stmt, new: Sequence[str]) -> None:
        """Lines right behind a statement, and before all that comes there otherwise."""
        if new:
            line, indent = (stmt.end_lineno or stmt.lineno) + 1, self.module.indent(stmt)
            found = self.tails.setdefault(line, [])
            place = sum(1 for other, _ in found if len(other) >= len(indent))
            found.insert(place, (indent, list(new)))

    def open(self, value: ast.Call) -> None:
        """The call that opens a session of its own."""
        module = self.module
        self.opened.add(id(value))
        config = module.bound(value).get("config")
        given = "" if config is None else f"config={module.source(config)}"
        module.replace(value, f"{module.tf}.Session({given})")

    def init(self, session: str) -> str:
        """The line that initialises variables."""
        return f"{session}.run({self.module.tf}.global_variables_initializer())"

    def free(self, wish: str) -> str:
        """A name that nothing has."""
        wishes = (wish, *(f"{wish}_{i}" for i in range(2, 99)))
        found = next(n for n in wishes if n not in self.taken)
        self.taken.add(found)
        return found


def _seen(node: ast.AST) -> set[str]:
    """The names that a scope has and reads, with what inner ones read of it."""
    found: set[str] = set()
    for child in children(node):
        if isinstance(child, (*SCOPES, ast.ClassDef)):
            own = stored(child) - {child.name}
            if not isinstance(child, ast.ClassDef):
                own |= {a.arg for a in all_of(child.args, ast.arg)}
            found |= (_seen(child) - own) | {child.name}
        else:
            found |= _seen(child)
            if isinstance(child, ast.Name):
                found.add(child.id)
    if isinstance(node, SCOPES):
        found |= {a.arg for a in all_of(node.args, ast.arg)}
    return found


def _method(node: ast.AST | None, name: str, method: str) -> bool:
    """Whether a node calls a method of a session."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == name
    )


def _asks(node: ast.AST, name: str) -> bool:
    return _method(node, name, "should_stop")


def _runs(stmt: ast.Assign | ast.Expr, name: str) -> bool:
    value = stmt.value
    if not _method(value, name, "run") or not isinstance(value, ast.Call):
        return False
    plain = bool(value.args) or any(k.arg == "fetches" for k in value.keywords)
    return plain and (isinstance(stmt, ast.Expr) or len(stmt.targets) == 1)


def _negated(test: ast.AST, node: ast.AST) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and test.operand is node
