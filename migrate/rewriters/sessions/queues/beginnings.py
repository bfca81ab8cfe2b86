"""Where a queue's elements come from: statements that take one from it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import methods, sources
from migrate.rewriters.sessions.queues.filled import Filled
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import loaded
from migrate.rewriters.sessions.queues.trails import wish

if TYPE_CHECKING:
    from migrate.rewriters.sessions.queues.pipelines import Pipelines

LATER = "make_initializable_iterator"


class Beginnings:
    """The statements of a scope that take elements from queues."""

    def __init__(self, pipelines: Pipelines, node: ast.AST) -> None:
        self.pipelines = pipelines
        self.module = pipelines.module
        self.node = node
        self.taken = {n.id for n in all_of(node, ast.Name)}
        self.taken |= {n.arg for n in all_of(node, ast.arg)}
        self.taken |= self.module.stored
        self.indent = ""
        self.producers: set[str] = set()  # names of what hands out files, or rows of an array
        self.scoped = 0  # name scopes around a statement
        self.floors: dict[int, int] = {}  # the last lines before summaries
        self.named = 0  # blocks around a statement that only name what is built in them
        self.filled = Filled(pipelines.module)
        self.dead: set[str] = set()  # names that went into a mapped function
        self.texts: dict[int, str] = {}  # functions before a statement, by flow

    def done(self, node: ast.AST) -> None:
        """A call has its place."""
        self.pipelines.done.add(id(node))

    def free(self, wish: str) -> str:
        """A name that the scope doesn't have yet."""
        names = (wish, *(f"{wish}_{i}" for i in range(2, 99)))
        name = next(n for n in names if n not in self.taken)
        self.taken.add(name)
        return name

    def begins(
        self,
        stmt: ast.stmt,
        value: ast.expr | None,
        target: ast.expr | None,
        floor: int,
        readers: dict[str, ast.AST],
    ) -> Flow | None:
        """A statement that takes an element from a queue."""
        module = self.module
        names = names_of(target)
        if target is None or value is None or names is None:
            return None
        written = module.source(target)
        if module.endpoint(value) == "train.slice_input_producer":
            assert isinstance(value, ast.Call)
            self.done(value)
            made = sources.rows(module, value)
            flow = Flow(made, names, True, stmt, floor, "examples", written)
            arrays = module.bound(value)["tensor_list"]
            flow.alone = len(getattr(arrays, "elts", ())) == 1 and isinstance(target, ast.Name)
            return flow
        if isinstance(value, ast.Call):
            gives = self.pipelines.given_by(value.func)
            if gives is not None and gives.take:
                return None
            if gives is not None:
                self.done(value)
                several = True if isinstance(target, (ast.Tuple, ast.List)) else None
                several = several if gives.several is None else gives.several
                if gives.shown:
                    if several is not True or not isinstance(target, (ast.Tuple, ast.List)):
                        raise Blocked(stmt, "a summary of elements that have no names")
                    names = [*names, *(self.free(wish(name)) for name in gives.shown)]
                    written = ", ".join(names)
                flow = Flow(module.source(value), names, several, stmt, floor, "dataset", written)
                flow.summaries = gives.summaries
                return flow
        read = _readers(value)
        if read is not None and isinstance(target, ast.Name):
            gives = self.pipelines.given_by(read.func)
            plain = gives is not None and gives.place is None
            if gives is not None and plain and not (gives.summaries or gives.take):
                self.done(read)
                source = module.source(read)
                flow = Flow(source, names, gives.several, stmt, floor, "dataset", written)
                flow.joined = True
                return flow
        own = self.filled.taken(value)
        if own is not None:
            width = len(names) > 1 or isinstance(target, (ast.Tuple, ast.List))
            width = width or self.filled.several.get(own[1], False)
            return Flow(own[0], names, width, stmt, floor, "batches", written)
        counted = self.counted(value, readers)
        if counted is not None:
            if isinstance(target, (ast.Tuple, ast.List)):
                raise Blocked(stmt, "an element of a producer that is unpacked")
            return Flow(counted, names, False, stmt, floor, "numbers", written)
        next_ = self.next_of(stmt, value, readers)
        if next_ is not None:
            source, lazy = next_
            flow = Flow(source, names, None, stmt, floor, "dataset", written)
            flow.lazy = lazy
            flow.several = True if isinstance(target, (ast.Tuple, ast.List)) else None
            return flow
        part = None
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
            part, value = value.slice.value, value.value
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            return None
        reader: ast.AST | None = value.func.value
        if isinstance(reader, ast.Name):
            reader = readers.get(reader.id)
        elif reader is not None and value.func.attr in ("read", "read_up_to"):
            reader = methods.reader(self.pipelines, reader, self.node) or reader
        if module.endpoint(reader) not in sources.READERS:
            return None
        assert isinstance(reader, ast.Call)
        self.done(reader)
        taken = sources.taken(value)
        if taken is None:
            raise Blocked(value, f"`.{value.func.attr}()` of a reader isn't followed")
        queue, many = taken
        if part is None and len(names) != 2:
            raise Blocked(stmt, "what a reader gives isn't unpacked")
        key, record = (names[0], names[1]) if part is None else ("", names[0])
        if part == 0:
            raise Blocked(stmt, "a reader's key alone")
        keyed = bool(key) and key in loaded(self.node)
        if module.endpoint(queue) == "train.string_input_producer":
            assert isinstance(queue, ast.Call)
            self.done(queue)
            files = sources.files(module, queue)
        elif isinstance(queue, ast.Name):
            self._alone(queue)
            files = queue.id
        else:
            raise Blocked(queue, "a queue that has no name")
        if many is not None:
            if keyed:
                raise Blocked(value, "the keys of what is read at once")
            made = sources.at_once(module, reader, files, many)
            return Flow(made, [record], False, stmt, floor, "records", record)
        if keyed and module.endpoint(reader) == "TextLineReader":
            name = self.free("numbered_lines")
            made, before = sources.numbered(module, reader, files, name, self.indent)
            flow = Flow(made, [key, record], True, stmt, floor, "records", f"{key}, {record}")
            self.texts[id(flow)] = before
            return flow
        made, file = sources.records(module, reader, files, keyed)
        if file:
            first = f"{record} = {module.tf}.read_file({key})"
            flow = Flow(made, [key], False, stmt, floor, "filenames", "", first)
            flow.own.add(record)
            return flow
        return Flow(made, [record], False, stmt, floor, "records", record)

    def counted(self, value: ast.expr, readers: dict[str, ast.AST]) -> str | None:
        """The dataset of a producer whose next element a statement takes."""
        many = _many(value)
        if not is_method(value, "dequeue") and many is None:
            return None
        producer: ast.AST | None = value.func.value  # type: ignore[attr-defined]
        if isinstance(producer, ast.Name) and producer.id in self.producers:
            self._alone(producer)
            size = f".batch({self.module.source(many)}, drop_remainder=True)" if many else ""
            return f"{producer.id}{size}"
        if many is not None:
            return None
        if isinstance(producer, ast.Name) and producer.id in readers:
            self._alone(producer)
            producer = readers[producer.id]
        if self.module.endpoint(producer) != sources.NUMBERS:
            return None
        assert isinstance(producer, ast.Call)
        self.done(producer)
        return sources.numbers(self.module, producer)

    def next_of(
        self, stmt: ast.stmt, value: ast.expr, readers: dict[str, ast.AST]
    ) -> tuple[str, tuple[ast.stmt, ...]] | None:
        """The dataset whose next element a helper takes, and the statements that do it."""
        if not isinstance(self.node, ast.FunctionDef) or not is_method(value, "get_next"):
            return None
        made = value.func.value  # type: ignore[attr-defined]
        before: tuple[ast.stmt, ...] = ()
        if isinstance(made, ast.Name):
            kept = readers.get(made.id)
            uses = [n for n in all_of(self.node, ast.Name) if n.id == made.id]
            if not isinstance(kept, ast.Assign) or len(uses) > 2:
                return None
            before, made = (kept,), kept.value
        if not is_method(made, "make_one_shot_iterator"):
            return None
        return self.module.source(made.func.value), before

    def _alone(self, queue: ast.Name) -> None:
        """A queue is read in one place: what two take from it depends on both."""
        uses = [
            n
            for n in all_of(self.node, ast.Name)
            if n.id == queue.id and isinstance(n.ctx, ast.Load)
        ]
        if len(uses) > 1:
            raise Blocked(uses[1], "a queue that is read in two places")


def _many(node: ast.AST) -> ast.expr | None:
    """How many elements `queue.dequeue_many(n)` takes."""
    func = node.func if isinstance(node, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr != "dequeue_many":
        return None
    assert isinstance(node, ast.Call)
    return node.args[0] if len(node.args) == 1 and not node.keywords else None


def later_iterator(node: ast.AST, readers: dict[str, ast.AST], body: ast.AST) -> ast.expr | None:
    """The dataset of an iterator that is only returned, and begins where a run says so."""
    kept = None
    if isinstance(node, ast.Name):
        kept = readers.get(node.id)
        uses = [n for n in all_of(body, ast.Name) if n.id == node.id]
        if not isinstance(kept, ast.Assign) or len(uses) != 2:
            return None
        node = kept.value
    if not is_method(node, LATER):
        return None
    return node.func.value  # type: ignore[attr-defined, no-any-return]


def _readers(value: ast.expr) -> ast.Call | None:
    """What is called in `[read(queue) for _ in range(4)]`: each time the same."""
    if not isinstance(value, ast.ListComp) or not isinstance(value.elt, ast.Call):
        return None
    loop = value.generators[0]
    counts = isinstance(loop.iter, ast.Call) and ast.unparse(loop.iter.func) in ("range", "xrange")
    plain = len(value.generators) == 1 and counts and not loop.ifs
    same = isinstance(loop.target, ast.Name) and loop.target.id not in loaded(value.elt)
    return value.elt if plain and same else None


def is_method(node: ast.AST, name: str) -> bool:
    """Whether a node is a call of a method without arguments."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == name
        and not node.args
        and not node.keywords
    )


def names_of(target: ast.expr | None) -> list[str] | None:
    """The names of a target, or None where it has others."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        names = [t.id for t in target.elts if isinstance(t, ast.Name)]
        return names if len(names) == len(target.elts) else None
    return None
