"""Queues of the program's own that a `QueueRunner` fills with arrays again and again."""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues.module import Module

MADE = frozenset({"FIFOQueue", "RandomShuffleQueue"})


class Filled:
    """The queues of one scope, and what became of them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.queues: dict[str, ast.Call] = {}
        self.ops: dict[str, str] = {}  # enqueue ops: of which queue
        self.datasets: dict[str, str] = {}  # a queue's dataset
        self.several: dict[str, bool] = {}  # whether an element of a queue is a tuple
        self.sizes: dict[str, str] = {}  # what a branch chooses to shuffle with, by queue
        self.runners: dict[str, str] = {}
        self.run = _run(module)  # queues with a runner, which may be made further down
        self.seen: set[int] = set()  # the names' places

    def statement(self, stmt: ast.stmt, floor: int, taken: set[str]) -> bool:
        """Whether a statement makes a queue, fills it or lets it be filled; it is rewritten."""
        module = self.module
        value = getattr(stmt, "value", None)
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        named = target.id if isinstance(target, ast.Name) else ""
        kind = module.endpoint(value)
        if not isinstance(value, ast.Call):
            return False
        if kind in MADE and named:
            if named in self.queues:
                raise Blocked(stmt, f"`{named}` is two queues")
            self.queues[named] = value
            module.remove(stmt, floor)
            return True
        func = value.func
        owner, attribute = _method(func)
        if named and owner in self.queues and attribute == "enqueue_many":
            self.ops[named] = owner
            self._note(func)
            self.fill(stmt, value, owner, taken)
            return True
        if kind == "train.QueueRunner":
            self.runners[named] = self.runner(value)
            module.remove(stmt, floor)
            return True
        if kind == "train.add_queue_runner":
            runner = value.args[0] if value.args else None
            if module.endpoint(runner) == "train.QueueRunner":
                assert isinstance(runner, ast.Call)
                self.runner(runner)
                module.remove(stmt, floor)
                return True
            if isinstance(runner, ast.Name) and runner.id in self.runners:
                self.seen.add(id(runner))
                module.remove(stmt, floor)
                return True
        return False

    def runner(self, value: ast.Call) -> str:
        """The queue that a runner is for.

        Raises:
            Blocked: what it does isn't seen.
        """
        given = self.module.bound(value)
        queue, ops = given.get("queue"), given.get("enqueue_ops")
        if not isinstance(queue, ast.Name) or queue.id not in self.queues or ops is None:
            raise Blocked(value, "a runner of a queue that isn't seen")
        listed = ops.left if isinstance(ops, ast.BinOp) else ops
        if not (isinstance(listed, ast.List) and len(listed.elts) == 1):
            raise Blocked(value, "a runner with several ops")
        op = listed.elts[0]
        if not isinstance(op, ast.Name) or self.ops.get(op.id) != queue.id:
            raise Blocked(value, "what a runner runs isn't seen")
        self.seen |= {id(queue), id(op)}
        return queue.id

    def chosen(self, name: str, made: ast.Call, size: str) -> None:
        """A queue that a branch chooses."""
        if self.sizes.get(name, size) != size or (name in self.queues and name not in self.sizes):
            raise Blocked(made, f"`{name}` is two queues")
        self.queues[name], self.sizes[name] = made, size

    def of(self, call: ast.Call, method: str) -> str:
        """The queue whose method a call calls; empty where it is another one."""
        queue, attribute = _method(call.func)
        if queue not in self.queues or attribute != method:
            return ""
        self._note(call.func)
        return queue

    def lined_up(self, queue: str, op: str, dataset: str, *, several: bool) -> None:
        """A queue that an op puts a dataset's elements into, one by one."""
        self.ops[op], self.datasets[queue] = queue, dataset
        self.several[queue] = several

    def fill(self, stmt: ast.stmt, value: ast.Call, queue: str, taken: set[str]) -> None:
        """What it is filled with, as a dataset."""
        module = self.module
        if queue in self.datasets:
            raise Blocked(stmt, "a queue that is filled in two ways")
        given = {k.arg: k.value for k in value.keywords}
        arrays = value.args[0] if value.args else given.get("vals")
        dtypes = module.bound(self.queues[queue]).get("dtypes")
        listed = arrays.elts if isinstance(arrays, (ast.List, ast.Tuple)) else [arrays]
        kinds = dtypes.elts if isinstance(dtypes, (ast.List, ast.Tuple)) else [dtypes]
        if len(listed) != len(kinds) or None in (*listed, *kinds):
            raise Blocked(value, "what fills a queue isn't seen")
        parts = [self._typed(a, k) for a, k in zip(listed, kinds, strict=True)]  # type: ignore[arg-type]
        source = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
        wishes = ("examples", *(f"examples_{i}" for i in range(2, 99)))
        name = next(n for n in wishes if n not in taken)
        taken.add(name)
        self.datasets[queue] = name
        made = f"{module.tf}.data.Dataset.from_tensor_slices({source}).repeat()"
        module.replace(stmt, f"{name} = {made}")

    def _typed(self, array: ast.expr, dtype: ast.expr) -> str:
        """An array in the queue's type."""
        module = self.module
        for n in walk(array):
            if id(n) in module.endpoints:
                raise Blocked(n, "a queue is filled with tensors")
            if isinstance(n, ast.Name):
                made = module.assigned(n.id)
                if any(module.endpoints.get(id(m)) for a in made for m in walk(a)):
                    raise Blocked(n, "a queue is filled with tensors")
        source = module.source(array)
        wanted = ast.unparse(dtype).rpartition(".")[2]
        if isinstance(array, ast.Name):
            made = module.assigned(array.id)
            if len(made) == 1 and ast.unparse(made[0]).endswith(f".astype(np.{wanted})"):
                return source
        return f"{module.tf}.constant({source}, {module.source(dtype)})"

    def taken(self, value: ast.expr | None) -> tuple[str, str] | None:
        """A queue's dataset where a call takes elements of it: its source, and its queue.

        Raises:
            Blocked: nothing fills it.
        """
        if not isinstance(value, ast.Call):
            return None
        func = value.func
        queue, attribute = _method(func)
        if queue not in self.queues or attribute not in ("dequeue", "dequeue_many"):
            return None
        if queue not in self.run:
            raise Blocked(value, "a queue that no runner fills, beside others")
        if queue not in self.datasets:
            raise Blocked(value, "what fills a queue isn't seen")
        self._note(func)
        made, source = self.queues[queue], self.datasets[queue]
        size = self.sizes.get(queue) or least(self.module, made)
        if size:
            source += f".shuffle({size})"
        if attribute == "dequeue_many":
            size = self.module.source(value.args[0])
            source += f".batch({size}, drop_remainder=True)"
        return source, queue

    def _note(self, func: ast.expr) -> None:
        assert isinstance(func, ast.Attribute)
        self.seen.add(id(func.value))

    def rest(self, node: ast.AST) -> None:
        """Nothing else is done with them.

        Raises:
            Blocked: something is.
        """
        names = {*self.queues, *self.ops, *self.runners} - {""}
        for n in walk(node):
            if isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load):
                if id(n) not in self.seen and id(n) not in self.module.quiet:
                    raise Blocked(n, f"`{n.id}`, of a queue, is used in another way")


def least(module: Module, made: ast.Call) -> str:
    """How many elements a queue chooses from; empty where it keeps their order."""
    if module.endpoint(made) != "RandomShuffleQueue":
        return ""
    given = module.bound(made)
    size = given.get("min_after_dequeue")
    if size is None or (isinstance(size, ast.Constant) and not size.value):
        size = given["capacity"]
    return module.source(size)


def _run(module: Module) -> set[str]:
    """The names of the queues that runners are made for."""
    calls = (n for n in walk(module.tree) if module.endpoint(n) == "train.QueueRunner")
    given = [module.bound(n).get("queue") for n in calls if isinstance(n, ast.Call)]
    return {q.id for q in given if isinstance(q, ast.Name)}


def _method(func: ast.expr) -> tuple[str, str]:
    """The name and the method of `name.method`; empty for anything else."""
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        return func.value.id, func.attr
    return "", ""
