"""The statements of a function or of a module: from what queues give to the batches of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.names import free_names
from migrate.rewriters.sessions.lines import CLOSE
from migrate.rewriters.sessions.queues import (
    batches,
    besides,
    flows,
    methods,
    parted,
    shown,
    sources,
    takers,
    trails,
)
from migrate.rewriters.sessions.queues.beginnings import (
    LATER,
    Beginnings,
    is_method,
    later_iterator,
    names_of,
)
from migrate.rewriters.sessions.queues.files import Given, Summary
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import TAKE, loaded, stored

MIXED = "elements that go into a batch and are used as well"


class Scope(Beginnings):
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
        if not names <= {"name_scope", "device"}:
            return False
        iterators = isinstance(self.node, ast.FunctionDef)  # a module's are followed as they are
        return any(
            self.queue(n) or (iterators and is_method(n, "make_one_shot_iterator"))
            for n in walk(stmt)
        )

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
        calls = (n for n in walk(self.module.tree) if isinstance(n, ast.Call))
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
            text, source = self.mapped(flow, given, "", before, True)
            open_.remove(flow)
            self.returns(stmt, several, left)
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
            self.returns(stmt, given.several, given.summaries)
            self.write(stmt, floor, f"{text}{self.indent}return {source}{self.module.text.newline}")
            return True
        after = self.kept(stmt, floor, flow, given.several, source, text)
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
        returns = [n for n in walk(self.node) if isinstance(n, ast.Return)]
        if len(returns) > 1:
            return False
        if isinstance(value, ast.Name):
            self.module.remove(readers[value.id])  # type: ignore[arg-type]
        self.gives(stmt, Given(take=f".{LATER}()"))
        self.module.replace(value, self.module.source(made))
        return True

    def returns(
        self, stmt: ast.stmt, several: bool | None, summaries: tuple[Summary, ...] = ()
    ) -> None:
        """The function gives a dataset."""
        self.gives(stmt, Given(several, summaries=summaries))

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

    def above(self, stmt: ast.stmt, floor: int, text: str) -> None:
        """Something new before a statement and its comments."""
        if text:
            piece = self.module.text.piece(stmt, floor)
            start = self.module.text.start(piece.first)
            self.module.changes.append(Edit(start, start, text))

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
