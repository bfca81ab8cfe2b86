"""Queues of a module, from what fills them to the batches that they give."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import batches, methods, sources, takers
from migrate.rewriters.sessions.queues.carriers import hidden
from migrate.rewriters.sessions.queues.files import Given, Gives
from migrate.rewriters.sessions.queues.filled import Filled
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import TAKE, Module
from migrate.rewriters.sessions.queues.printed import SPEC, only_shown
from migrate.rewriters.sessions.queues.scope import Scope

ESTIMATORS = re.compile(r"^(?:contrib\.)?(?:estimator|tpu)\.\w*(?:Estimator|Classifier|Regressor)$")
HANDLED = ("train.start_queue_runners", "train.QueueRunner", "train.add_queue_runner")


class Pipelines:
    """Queues of a module."""

    def __init__(
        self,
        module: Module,
        lent: Gives | None = None,
        inputs: str | None = None,
        before: str = "",
    ) -> None:
        self.module = module
        self.inputs = inputs  # the other files, where what functions give is an Estimator's input
        self.lent = lent or {}  # functions of other files that do
        self.before = before  # the text of files that were followed before this one
        self.local: dict[str, set[int]] = {}
        self.methods: dict[str, list[ast.FunctionDef]] = {}  # the classes' methods, by name
        for cls in module.tree.body:
            for stmt in cls.body if isinstance(cls, ast.ClassDef) else ():
                if isinstance(stmt, ast.FunctionDef):
                    self.methods.setdefault(stmt.name, []).append(stmt)
        self.done: set[int] = set()  # calls that have their place
        self.gives: Gives = {}  # functions that give a dataset
        self.waiting: dict[str, Blocked] = {}  # those that their calls must tell elements
        self.datasets: dict[str, str] = {}  # what they call their datasets then
        self.widths: dict[str, bool | None] = {}  # whether these are of tuples
        self.walked: set[int] = set()
        self.filled: list[tuple[Filled, ast.AST]] = []

    def run(self) -> None:
        """Follow every function, what it calls first, then the module.

        Raises:
            Blocked: a queue isn't followed.
        """
        for stmt in self.module.tree.body:
            if isinstance(stmt, ast.FunctionDef):
                self.function(stmt)
        for node in walk(self.module.tree):
            if isinstance(node, ast.FunctionDef):
                self.function(node)
        self.scope(self.module.tree, self.module.tree.body, 0)
        takers.uses(self)
        # Iterators without queues are seen to where Estimators are.
        queues = any(map(self.queue, walk(self.module.tree)))
        inputs = _inputs(self.module) if queues else set()
        called = {id(n.func) for n in all_of(self.module.tree, ast.Call)}
        for node in walk(self.module.tree):
            name = self.module.endpoint(node)
            given_away = id(node) not in called and id(node) not in inputs
            if given_away and self.given_by(node) is not None:
                what = ast.unparse(node)
                raise Blocked(node, f"`{what}`, which takes elements of a dataset, is given away")
            if isinstance(node, ast.Call) and self.given_by(node.func) is not None:
                if id(node) not in self.done:
                    self.whole(node)
                    end = self.module.text.index.span(node)[1]
                    given = self.given_by(node.func)
                    take = given.take if given is not None else ""
                    self.module.changes.append(Edit(end, end, take or TAKE))
            if self.queue(node) and id(node) not in self.done:
                raise Blocked(node, f"tf.{name} isn't followed here")

    def function(self, node: ast.FunctionDef) -> None:
        """A function's own queues, and whether it gives a dataset."""
        if id(node) in self.walked:
            return
        self.walked.add(id(node))
        for n in walk(node):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
                callee = self.module.walker._module_function(n.func)
                if callee is not None:
                    self.function(callee)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute):
                for method in self.methods.get(n.func.attr, ()):
                    self.function(method)
        before, done, filled = len(self.module.changes), set(self.done), len(self.filled)
        try:
            self.scope(node, node.body, node.body[0].lineno - 1)
        except Blocked as error:
            queues = any(map(self.queue, walk(node)))
            if queues and not takers.waits(self, node, error):
                raise
            del self.module.changes[before:]  # its iterators are followed as they are
            del self.filled[filled:]
            self.done = done
            self.gives.pop(node.name, None)
            if queues:
                self.waiting[node.name] = error

    def begin(self, node: ast.FunctionDef, names: list[str], several: bool | None) -> str:
        """Follow a function that is given a dataset, by the name that is returned."""
        scope = Scope(self, node)
        name, floor = scope.free("dataset"), node.body[0].lineno - 1
        flow = Flow(name, names, several, node.body[0], floor, name, "")
        flow.unpacked, flow.placed, flow.shown = len(names) > 1, True, True
        scope.block(node.body, floor, {}, [flow])
        self.module.queues |= set(scope.filled.queues)
        self.filled.append((scope.filled, node))
        return name

    def takes(self, name: str, places: tuple[int, ...], several: bool | None) -> None:
        """A function is given a dataset instead of some of its parameters."""
        self.gives[name] = replace(self.gives[name], takes=places)
        self.widths[name] = several

    def given_by(self, func: ast.AST) -> Given | None:
        """What a function gives, where that is a dataset."""
        if not isinstance(func, (ast.Name, ast.Attribute)) or not isinstance(func.ctx, ast.Load):
            return None
        if isinstance(func, ast.Name) and func.id in self.gives:
            return None if id(func) in self.others(func.id) else self.gives[func.id]
        given = self.lent.get(ast.unparse(func)) if self.lent else None
        if given is None and isinstance(func, ast.Attribute):
            given = self.method(func)
        if given is not None and given.takes:
            what = ast.unparse(func)
            raise Blocked(func, f"`{what}`, which is given elements of a queue, is another file's")
        return given

    def others(self, name: str) -> set[int]:
        """The nodes where a name means something else: a function has a local one."""
        if name not in self.local:
            self.local[name] = hidden(self.module.tree, name)
        return self.local[name]

    def method(self, func: ast.Attribute) -> Given | None:
        """What a method gives, where that is a dataset.

        Raises:
            Blocked: whose method it is isn't seen.
        """
        if self.module.endpoints.get(id(func)):
            return None  # TensorFlow's
        end = f".{func.attr}"
        known = {**self.lent, **self.gives}
        if not any(given.method and name.endswith(end) for name, given in known.items()):
            return None
        name = methods.called(self, func)
        given = known.get(name)
        if given is None and name.startswith("?"):
            raise Blocked(func, methods.REASON)
        return given

    def whole(self, call: ast.Call) -> None:
        """See that a call gives elements and nothing else.

        Raises:
            Blocked: it gives more, or leaves something to its caller.
        """
        given = self.given_by(call.func)
        if given is not None and given.summaries:
            raise Blocked(call, "a summary of elements that have no names")
        if given is not None and given.place is not None:
            raise Blocked(call, "what is returned beside a queue's elements isn't unpacked")

    def printed(self, call: ast.AST | None) -> bool:
        """Whether what an input_fn gives is only printed: the description of an element, then."""
        if self.inputs is None or not isinstance(call, ast.Call):
            return False
        if self.given_by(call.func) is None or not only_shown(self.module.tree, call):
            return False
        end = self.module.text.index.span(call)[1]
        self.module.changes.append(Edit(end, end, SPEC))
        self.done.add(id(call))
        return True

    def given_away(self, node: ast.FunctionDef) -> bool:
        """Whether an inner function is an input_fn that the one around it gives, never called here.

        An Estimator's input_fn may give a dataset; who calls it by himself wants an element.
        """
        if self.inputs is None:
            return False
        nodes = list(walk(self.module.tree))
        outer = next((n for n in self.module.tree.body if node in walk(n)), None)
        if not isinstance(outer, ast.FunctionDef) or node not in outer.body:
            return False
        reads = [n for n in all_of(outer, ast.Name) if n.id == node.name]
        last = outer.body[-1]
        if len(reads) != 1 or not isinstance(last, ast.Return) or last.value is not reads[0]:
            return False
        makers = {outer.name}
        try:
            nodes += walk(ast.parse(self.inputs))
        except SyntaxError:
            return False
        while more := {f.name for f in _functions(nodes) if _gives(f, makers)} - makers:
            makers |= more
        calls = [n for n in nodes if isinstance(n, ast.Call)]
        kept = {
            n.id
            for s in nodes
            if isinstance(s, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and s.value is not None
            if any(_calls(c, makers) for c in walk(s.value))
            for n in all_of(s, ast.Name)
            if not isinstance(n.ctx, ast.Load)
        }
        return not any(
            _calls(c.func, makers) or (isinstance(c.func, ast.Name) and c.func.id in kept)
            for c in calls
        )

    def queue(self, node: ast.AST) -> bool:
        """Whether a call makes, fills or empties a queue."""
        name = self.module.endpoint(node)
        if name in batches.BATCHES | batches.JOINS | sources.READERS or "input_producer" in name:
            return True
        return "queue" in name.lower() and name not in HANDLED

    def scope(self, node: ast.AST, body: list[ast.stmt], floor: int) -> None:
        """The statements of a function or of the module."""
        scope = Scope(self, node)
        scope.block(body, floor, {})
        self.module.queues |= set(scope.filled.queues)
        self.filled.append((scope.filled, node))


def _functions(nodes: Iterable[ast.AST]) -> Iterator[ast.FunctionDef]:
    return (n for n in nodes if isinstance(n, ast.FunctionDef))


def _calls(node: ast.AST, names: Set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    func = node.func
    return (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in names


def _gives(function: ast.FunctionDef, makers: Set[str]) -> bool:
    """Whether a function gives what some others do, or may."""
    returns = [n for n in all_of(function, ast.Return) if n.value is not None]
    return any(_calls(n, makers) for r in returns if r.value for n in walk(r.value))


def _inputs(module: Module) -> set[int]:
    """What Estimators are given as input_fns: these may return datasets."""
    found: set[int] = set()
    nodes = list(walk(module.tree))
    if not any(ESTIMATORS.search(module.endpoint(n)) for n in nodes):
        return found
    for node in nodes:
        if isinstance(node, ast.Call):
            found |= {id(k.value) for k in node.keywords if k.arg == "input_fn"}
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name in ("train", "evaluate", "predict", "TrainSpec", "EvalSpec") and node.args:
                found.add(id(node.args[0]))
    return found
