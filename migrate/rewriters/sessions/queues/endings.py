"""How what became of a queue's elements is written, and what a function gives of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.names import free_names
from migrate.rewriters.sessions.lines import CLOSE
from migrate.rewriters.sessions.queues import flows, methods, trails
from migrate.rewriters.sessions.queues.beginnings import LATER, Beginnings, later_iterator
from migrate.rewriters.sessions.queues.files import Given, Summary
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import TAKE, loaded

MIXED = "elements that go into a batch and are used as well"


class Endings(Beginnings):
    """What a scope gives, and the datasets that are written in it."""

    def hands_on(self, stmt: ast.stmt, floor: int, readers: dict[str, ast.AST]) -> bool:
        """`return queue.dequeue()`, and `return iterator.get_next()` in a block that only names.

        Elsewhere the iterator stays in its function.
        """
        if not isinstance(stmt, ast.Return) or stmt.value is None:
            return False
        own = self.filled.taken(stmt.value)
        if own is not None:
            self.returns(stmt, None)
            self.module.replace(stmt.value, own[0])
            return True
        if self.begins_later(stmt, stmt.value, readers):
            return True
        if not self.named:
            return False
        next_ = self.next_of(stmt, stmt.value, readers)
        if next_ is None or self.module.walker.runs(self.node):
            return False
        source, before = next_
        for one in before:
            self.module.remove(one)
        self.returns(stmt, None)
        self.write(stmt, floor, f"{self.indent}return {source}{self.module.text.newline}")
        return True

    def begins_later(self, stmt: ast.Return, value: ast.expr, readers: dict[str, ast.AST]) -> bool:
        """`return iterator`, which its caller lets begin: the dataset is returned."""
        walker = self.module.walker
        made = later_iterator(value, readers, self.node)
        if made is None or walker.makes(self.node) or walker.runs(self.node):
            return False
        returns = all_of(self.node, ast.Return)
        if len(returns) > 1:
            return False
        if isinstance(value, ast.Name):
            self.module.remove(readers[value.id])  # type: ignore[arg-type]
        self.gives(stmt, Given(take=f".{LATER}()"))
        self.module.replace(value, self.module.source(made))
        return True

    def returns(
        self,
        stmt: ast.stmt,
        several: bool | None,
        summaries: tuple[Summary, ...] = (),
        shown: Iterable[str] = (),
    ) -> None:
        """The function gives a dataset."""
        self.gives(stmt, Given(several, summaries=summaries, shown=tuple(shown)))

    def gives(self, stmt: ast.stmt, given: Given) -> None:
        """What a function gives now."""
        assert isinstance(self.node, ast.FunctionDef)
        name, gives = self.node.name, self.pipelines.gives
        if self.module.definition(name) is not self.node:
            if self.pipelines.given_away(self.node):
                return
            name = methods.key(self.pipelines, self.node)
            if not name:
                raise Blocked(stmt, methods.REASON)
            given = replace(given, method=True)
        if gives.get(name, given) != given:
            raise Blocked(stmt, "a function gives elements of two kinds")
        gives[name] = given

    def flow_of(self, node: ast.AST, open_: list[Flow]) -> Flow:
        """Whose elements an expression is made of."""
        found = [f for f in open_ if loaded(node) & f.own]
        if len(found) != 1:
            what = "elements of several queues" if found else flows.NOT_A_QUEUES
            raise Blocked(node, f"a batch of {what}")
        return found[0]

    def mapped(
        self, flow: Flow, given: str, extra: str, before: ast.stmt | None, last: bool
    ) -> tuple[str, str]:
        """The dataset with its elements computed: what stands before it, and its source."""
        module = self.module
        self.after(flow)
        if flow.trail or flow.summaries:
            raise Blocked(flow.start, "a summary of what goes into a batch")
        for stmt in flow.lazy or ():
            module.remove(stmt)
        taken = self.taken
        same = not flow.body and not flow.first and given == ", ".join(flow.names)
        same = same and not (flow.several and flow.unpacked and len(flow.names) == 1)
        fold = last and same and flow.start is before
        if flow.lazy is not None and flow.source.isidentifier():
            flow.placed = True
            module.remove(flow.start, flow.floor)
        name = flow.source
        if flow.placed:
            fold = False
        elif fold or name.isidentifier():
            module.remove(flow.start, flow.floor)
        else:
            name = self.free(flow.wish)
            before_it = self.texts.pop(id(flow), "")
            line = f"{module.indent(flow.start)}{name} = {flow.source}{module.text.newline}"
            self.write(flow.start, flow.floor, before_it + line)
        if fold:
            return self.texts.pop(id(flow), ""), name
        if same:
            return "", name
        text, function = flows.function(module, flow, given, self.indent, taken)
        for stmt in flow.body:
            if id(stmt) not in flow.left:
                module.remove(stmt, flow.floors[id(stmt)])
        return text, f"{name}.map({function}{extra})"

    def short(self, source: str, methods: str) -> tuple[str, str]:
        """A long chain in two statements: what is left of it, and the first one."""
        if len(self.indent) + len(source) + len(methods) < 78 or "(" not in source:
            return source + methods, ""
        name = source.partition(".")[0]
        if not name.isidentifier():
            return source + methods, ""
        return name + methods, f"{self.indent}{name} = {source}{self.module.text.newline}"

    def after(self, flow: Flow) -> None:
        """Nothing that the function takes is of use further on.

        Raises:
            Blocked: something is.
        """
        for n in walk(self.node):
            if isinstance(n, ast.FunctionDef) and n is not self.node:
                closed = flow.own & set(free_names(n))
                if closed:
                    raise Blocked(n, f"`{n.name}` uses `{min(closed)}`, of a queue's elements")
        if flow.ended:
            raise Blocked(flow.start, MIXED)

    def used(self, flow: Flow) -> None:
        """Elements that runs use: an iterator gives them."""
        module = self.module
        if flow.lazy is not None:
            return
        if flow.shown or flow.joined or flow.left:
            raise Blocked(flow.start, MIXED)
        text = self.texts.pop(id(flow), "")
        if flow.first:
            key, record = flow.names[0], flow.first.partition(" ")[0]
            flow.target = f"{key}, {record}"
            made = f"lambda {key}: ({key}, {flow.first.partition(' = ')[2]})"
            flow.source = f"{flow.source}.map({made})"
        nl = module.text.newline
        indent = module.indent(flow.start)
        left = trails.lines(self, flow)
        if left is None:
            raise Blocked(flow.start, "a summary of elements that have no names")
        made = "".join(f"{indent}{line}{nl}" for line in left)
        if flow.placed:
            end = module.text.start((flow.start.end_lineno or 0) + 1)
            line = f"{indent}{flow.target} = {flow.source}{TAKE}{nl}{made}"
            module.changes.append(Edit(end, end, line))
            return
        if len(indent) + len(flow.source) > 72:
            name = self.free(flow.wish)
            text += f"{indent}{name} = {flow.source}{nl}"
            flow.source = name
        text += f"{indent}{flow.target} = {flow.source}{TAKE}{nl}{made}"
        self.write(flow.start, flow.floor, text)

    def write(self, stmt: ast.stmt, floor: int, text: str) -> None:
        """Another text for a statement, under its comments."""
        piece = self.module.text.piece(stmt, floor)
        comments = ""
        if piece.first < piece.line:
            comments = self.module.text.render(
                piece.first, piece.line - 1, piece.indent, piece.indent
            )
        self.module.remove(stmt, floor)
        last = self.module.changes.pop()
        head, mark, tail = text.rpartition(CLOSE)
        if mark:  # a function stands before the comments
            line, _, tail = tail.partition("\n")
            text = f"{head}{mark}{line}\n{comments}{tail}"
        else:
            text = comments + text
        self.module.changes.append(Edit(last.start, last.end, text))

    def above(self, stmt: ast.stmt, floor: int, text: str) -> None:
        """Something new before a statement and its comments."""
        if text:
            piece = self.module.text.piece(stmt, floor)
            start = self.module.text.start(piece.first)
            self.module.changes.append(Edit(start, start, text))
