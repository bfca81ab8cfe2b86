"""The statements of a function or of a module: from what queues give to the batches of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import (
    batches,
    besides,
    flows,
    parted,
    shown,
    shuffled,
    sources,
    takers,
    trails,
)
from migrate.rewriters.sessions.queues.beginnings import (
    LATER,
    is_method,
    names_of,
)
from migrate.rewriters.sessions.queues.endings import Endings
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import TAKE, loaded, stored


class Scope(Endings):
    """One function's statements, or a module's."""

    def block(
        self,
        body: list[ast.stmt],
        floor: int,
        known: dict[str, ast.AST],
        given: Iterable[Flow] = (),
    ) -> None:
        """A list of statements: what begins in it ends in it."""
        open_ = list(given)
        self.steps(body, floor, dict(known), open_)
        for flow in open_:
            self.used(flow)

    def steps(
        self,
        body: list[ast.stmt],
        floor: int,
        readers: dict[str, ast.AST],
        open_: list[Flow],
    ) -> None:
        """Statements one after the other; what begins in a name scope may end after it."""
        for place, stmt in enumerate(body):
            self.indent = self.module.indent(stmt)
            before = body[place - 1] if place else None
            floor = (before.end_lineno or before.lineno) if before is not None else floor
            if not shown.split(self, stmt, floor, body[place + 1 :], open_):
                self.statement(stmt, before, floor, readers, open_)

    def _named(self, stmt: ast.With) -> bool:
        """Whether a block only names what is built in it."""
        names = {self.module.endpoint(item.context_expr) for item in stmt.items}
        if not names <= {"name_scope", "device"} and not self._only_named(stmt, names):
            return False
        iterators = isinstance(self.node, ast.FunctionDef)  # a module's are followed as they are
        return any(
            self.queue(n) or (iterators and is_method(n, "make_one_shot_iterator"))
            for n in walk(stmt)
        )

    def _only_named(self, stmt: ast.With, names: set[str]) -> bool:
        """Whether a block is a variable scope in which nothing makes variables."""
        if not names <= {"name_scope", "device", "variable_scope"}:
            return False
        if any(item.optional_vars is not None for item in stmt.items):
            return False
        return all(flows.computes(self.module, n) or self.queue(n) for n in all_of(stmt, ast.Call))

    def statement(
        self,
        stmt: ast.stmt,
        before: ast.stmt | None,
        floor: int,
        readers: dict[str, ast.AST],
        open_: list[Flow],
    ) -> None:
        """One statement: a part of a pipeline, something done to its elements, or neither."""
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            return
        lost = self.dead & loaded(stmt)
        if lost and shuffled.shaped(self, stmt, floor, open_):
            return
        if lost:
            raise Blocked(stmt, f"`{min(lost)}`, of a queue's elements, is used beside the batch")
        self.dead -= stored(stmt)
        if isinstance(stmt, ast.With) and self._named(stmt):
            scopes = any(self.module.endpoint(item.context_expr) != "device" for item in stmt.items)
            self.named, self.scoped = self.named + 1, self.scoped + scopes
            self.steps(stmt.body, stmt.body[0].lineno - 1, readers, open_)
            self.named, self.scoped = self.named - 1, self.scoped - scopes
            return
        value: ast.expr | None = getattr(stmt, "value", None)
        kind = self.module.endpoint(value)
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        named = target.id if isinstance(target, ast.Name) else ""
        if kind in (sources.FILES, sources.ITEMS) and named:
            assert isinstance(value, ast.Call)
            self.done(value)
            written = sources.files if kind == sources.FILES else sources.items
            self.module.replace(value, written(self.module, value))
            self.producers.add(named)
            return
        if kind == "train.match_filenames_once" and named:
            assert isinstance(value, ast.Call)
            self.done(value)
            pattern = self.module.source(self.module.bound(value)["pattern"])
            made = f"sorted({self.module.tf}.gfile.Glob({pattern}))"
            if self._fetched(named):
                made = f"{self.module.tf}.matching_files({pattern})"
            self.module.replace(value, made)
            return
        if kind in (*sources.READERS, sources.NUMBERS) and named:
            assert value is not None
            if kind != sources.NUMBERS:  # whose place is where one is taken
                self.done(value)
            readers[named] = value
            self.module.remove(stmt, floor)
            return
        if (
            named
            and value is not None
            and (is_method(value, "make_one_shot_iterator") or is_method(value, LATER))
        ):
            readers[named] = stmt
        if self.filled.statement(stmt, floor, self.taken):
            if value is not None:
                self.done(value)
            return
        if self.pipelines.printed(value) or parted.enqueued(self, stmt, before, floor, open_):
            return
        if besides.kept(self, stmt, value, floor, open_):
            return
        if self.handed_on(stmt, value, before, floor, open_):
            return
        if shuffled.in_a_branch(self, stmt, floor, open_):
            return
        flow = self.begins(stmt, value, target, floor, readers)
        if flow is not None:
            flow.unpacked = isinstance(target, (ast.Tuple, ast.List)) and not flow.first
            mixed = loaded(stmt) & {n for f in open_ for n in f.own}
            if mixed:
                raise Blocked(stmt, f"`{min(mixed)}` of one queue is given to another")
            open_.append(flow)
            return
        if not self.hands_on(stmt, floor, readers) and not self.ending(stmt, before, floor, open_):
            self.other(stmt, floor, readers, open_)

    def _fetched(self, name: str) -> bool:
        """Whether a run asks for what a name means."""
        calls = (n for n in all_of(self.module.tree, ast.Call))
        runs = (c for c in calls if getattr(c.func, "attr", "") in ("run", "eval"))
        return any(name in loaded(call) for call in runs)

    # -- where they go ----------------------------------------------------------------------

    def ending(
        self, stmt: ast.stmt, before: ast.stmt | None, floor: int, open_: list[Flow]
    ) -> bool:
        """A statement that makes batches of elements, or gives them back."""
        module = self.module
        value = getattr(stmt, "value", None)
        kind = module.endpoint(value)
        batch = kind in batches.BATCHES | batches.JOINS
        if batch and isinstance(stmt, (ast.Assign, ast.Return)):
            assert isinstance(value, ast.Call)
            given_ = module.bound(value)
            tensors = given_.get("tensors", given_.get("tensors_list"))
            if tensors is None:
                raise Blocked(value, "what is batched isn't seen")
            if kind in batches.JOINS and not any(
                f.joined
                and not f.body
                and isinstance(tensors, ast.Name)
                and f.names == [tensors.id]
                for f in open_
            ):
                return False  # it isn't followed
            flow = self.flow_of(tensors, open_)
            if flow.joined and kind in batches.BATCHES:
                raise Blocked(value, "a batch of several readers' elements")
            if flow.alone and isinstance(tensors, ast.Name):
                # TF 1 gives the batch of a list of one as itself.
                raise Blocked(value, "a batch of a list that has one tensor")
            self.done(value)
            given, several = flows.results(module, tensors, flow)
            extra = batches.parallel(module, value)
            text, source = self.mapped(flow, given, extra, before, isinstance(stmt, ast.Return))
            source, way = self.short(source, batches.batched(module, value))
            text, source = text + way, source
            open_.remove(flow)
            if isinstance(stmt, ast.Return):
                self.returns(stmt, several)
                self.write(stmt, floor, f"{text}{self.indent}return {source}{module.text.newline}")
                return True
            after = self.kept(stmt, floor, flow, several, source, text)
            open_ += [after] if after is not None else []
            return True
        if (
            isinstance(stmt, ast.Return)
            and value is not None
            and isinstance(self.node, ast.FunctionDef)
        ):
            mine = [f for f in open_ if loaded(value) & f.own]
            walker = module.walker
            if not mine or walker.makes(self.node) or walker.runs(self.node):
                return False
            if len(mine) > 1:
                raise Blocked(stmt, "elements of two queues are returned together")
            flow = mine[0]
            apart = besides.returned(self, stmt, value, flow, before)
            if apart is not None:
                open_.remove(flow)
                self.gives(stmt, apart[1])
                self.write(stmt, floor, apart[0])
                return True
            given, several = flows.results(module, value, flow)
            left = trails.given(self, flow, value)
            if left is None:
                raise Blocked(stmt, "a summary of what becomes an element")
            flow.trail, flow.summaries = [], ()
            text, source = self.mapped(flow, ", ".join([given, *left[1]]), "", before, True)
            open_.remove(flow)
            self.returns(stmt, several, *left)
            self.write(stmt, floor, f"{text}{self.indent}return {source}{module.text.newline}")
            return True
        return False

    def handed_on(
        self,
        stmt: ast.stmt,
        value: ast.expr | None,
        before: ast.stmt | None,
        floor: int,
        open_: list[Flow],
    ) -> bool:
        """Elements that a function is given which makes batches of them."""
        function = takers.taker(self.pipelines, value)
        if function is None or not isinstance(stmt, (ast.Assign, ast.Return)):
            return False
        assert isinstance(value, ast.Call)
        last = isinstance(stmt, ast.Return)
        text, source, flow = takers.call(self, function, value, open_, before, last)
        given = self.pipelines.gives[function.name]
        open_.remove(flow)
        if isinstance(stmt, ast.Return):
            self.returns(stmt, given.several, given.summaries, given.shown)
            self.write(stmt, floor, f"{text}{self.indent}return {source}{self.module.text.newline}")
            return True
        several = given.several
        after = None if given.shown else self.kept(stmt, floor, flow, several, source, text)
        if after is not None:
            after.summaries = given.summaries
            open_.append(after)
        elif given.summaries:
            raise Blocked(stmt, "a summary of elements that have no names")
        return True

    def kept(
        self,
        stmt: ast.Assign,
        floor: int,
        flow: Flow,
        several: bool | None,
        source: str,
        text: str,
    ) -> Flow | None:
        """Batches under names, made of a flow's elements; None: an object has them."""
        target = stmt.targets[0]
        names = names_of(target)
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        if len(stmt.targets) == 1 and all(isinstance(p, ast.Attribute) for p in parts):
            nl, written = self.module.text.newline, self.module.source(target)
            self.dead |= flow.own
            self.write(stmt, floor, f"{text}{self.indent}{written} = {source}{TAKE}{nl}")
            return None
        if names is None or len(stmt.targets) > 1:
            raise Blocked(stmt, "a batch that isn't kept under names")
        after = Flow(source, names, several, stmt, floor, "batches", self.module.source(target))
        after.unpacked = not isinstance(target, ast.Name)
        self.texts[id(after)] = text
        self.dead |= flow.own - set(names)
        return after

    # -- everything else --------------------------------------------------------------------

    def other(
        self,
        stmt: ast.stmt,
        floor: int,
        readers: dict[str, ast.AST],
        open_: list[Flow],
    ) -> None:
        """A statement of the program: for each element, or for all."""
        mine = [f for f in open_ if loaded(stmt) & f.own]
        inside = [b for _, b in _blocks(stmt)]
        queues = any(self.queue(n) for n in walk(stmt))
        if queues and inside and parted.parted(self, stmt, floor, mine):
            return
        if queues and inside:
            if mine and isinstance(stmt, ast.If):
                self.branches(stmt, floor, mine, open_)
                return
            if mine:
                raise Blocked(stmt, "a queue is filled or emptied in a branch")
            for body in inside:
                self.block(body, body[0].lineno - 1, readers)
            return
        if len(mine) == 1 and trails.summary(self, stmt, mine[0]):
            mine[0].trail.append(stmt)
            self.floors[id(stmt)] = floor
            return
        for flow in mine:
            if len(mine) == 1 and not flow.ended and flows.takes(self.module, stmt, flow):
                flow.body.append(stmt)
                flow.floors[id(stmt)] = floor
                flow.own |= stored(stmt)
                flow.ended = any(trails.part_of(t, flow) in stored(stmt) for t in flow.trail)
            else:
                flow.ended = True
        if not mine:
            for flow in open_:
                self.between(flow, stmt)

    def branches(self, stmt: ast.If, floor: int, mine: list[Flow], open_: list[Flow]) -> None:
        """`if shuffle:` one kind of batch, `else:` another kind, of the same elements."""
        module = self.module
        ends = [b[-1] for b in (stmt.body, stmt.orelse) if b]
        if len(mine) > 1 or len(ends) < 2:
            raise Blocked(stmt, "a queue is filled or emptied in a branch")
        calls = [getattr(s, "value", None) for s in ends]
        found = []
        for end, call in zip(ends, calls, strict=True):
            if module.endpoint(call) not in batches.BATCHES or type(end) is not type(ends[0]):
                raise Blocked(end, "a branch that doesn't end with a batch")
            assert isinstance(call, ast.Call)
            self.done(call)
            found.append((module.bound(call)["tensors"], call))
        rest = [s for body in (stmt.body, stmt.orelse) for s in body[:-1]]
        if any(loaded(s) & mine[0].own for s in rest) or loaded(stmt.test) & mine[0].own:
            raise Blocked(stmt, "elements of a queue in a branch")
        if len({ast.dump(t) for t, _ in found}) > 1:
            raise Blocked(stmt, "two kinds of elements in two branches")
        flow = self.flow_of(found[0][0], mine)
        given, several = flows.results(module, found[0][0], flow)
        extra = batches.parallel(module, found[0][1])
        text, source = self.mapped(flow, given, extra, None, False)
        open_.remove(flow)
        name, nl, own = source, module.text.newline, module.indent(stmt)
        if not source.isidentifier():
            name = source.partition(".")[0]
            text += f"{own}{name} = {source}{nl}"
        self.above(stmt, floor, text)
        for end, (_, call) in zip(ends, found, strict=True):
            made = f"{name}{batches.batched(module, call)}"
            if isinstance(end, ast.Return):
                self.returns(end, several)
            module.replace(
                end, f"return {made}" if isinstance(end, ast.Return) else f"{name} = {made}"
            )
        if isinstance(ends[0], ast.Return):
            return
        targets = [e.targets[0] for e in ends if isinstance(e, ast.Assign)]
        names = names_of(targets[0])
        if names is None or len({ast.dump(t) for t in targets}) > 1 or len(targets) < 2:
            raise Blocked(stmt, "two batches under two names")
        after = Flow(name, names, several, stmt, floor, name, module.source(targets[0]))
        after.unpacked, after.placed = not isinstance(targets[0], ast.Name), True
        self.dead |= flow.own - set(names)
        open_.append(after)

    def between(self, flow: Flow, stmt: ast.stmt) -> None:
        """A statement that stays where it is, before those that go on to the batch."""
        changed = stored(stmt)
        if changed & flow.own:
            flow.ended = True
        for other in flow.body:
            if changed & (loaded(other) | stored(other)):
                flow.ended = True

    def queue(self, node: ast.AST) -> bool:
        name = self.module.endpoint(node)
        if name in batches.BATCHES | batches.JOINS or "input_producer" in name:
            return True
        if isinstance(node, ast.Call) and self.pipelines.given_by(node.func) is not None:
            return True
        return name in sources.READERS or "Queue" in name


def _blocks(stmt: ast.stmt) -> list[tuple[ast.AST, list[ast.stmt]]]:
    found: list[tuple[ast.AST, list[ast.stmt]]] = []
    for name in ("body", "orelse", "finalbody"):
        body = getattr(stmt, name, None)
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
            found.append((stmt, body))
    found += [(h, h.body) for h in getattr(stmt, "handlers", ())]
    return found
