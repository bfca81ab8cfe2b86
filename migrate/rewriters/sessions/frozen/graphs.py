"""Where graphs are imported, which blocks they are the default of, and who builds ops."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, children, walk
from migrate.rewriters.sessions.queues.module import Module
from migrate.rewriters.sessions.state import end_of_header

IMPORT = "import_graph_def"
DEFAULT = "get_default_graph"
SESSIONS = frozenset({"Session", "InteractiveSession"})
# What is said to a graph's program, and to no other.
IDLE = frozenset({"reset_default_graph", "disable_v2_behavior", "disable_eager_execution"})
# What builds nothing in a graph.
HOST = (
    *(
        "gfile.",
        "io.gfile.",
        "python.platform.gfile.",
        "flags.",
        "app.",
        "logging.",
        "compat.as_",
        "errors.",
        "python_io.",
    ),
    *("train.Example", "train.Feature", "ConfigProto", "GPUOptions", "GraphDef", "GraphKeys"),
)
NAMES = frozenset(
    [
        *(IMPORT, DEFAULT, *SESSIONS, *IDLE, "Graph", "OptimizerOptions"),
        *("float32", "float64", "int32", "int64", "uint8", "string", "bool", "VERSION"),
        *("__version__", "image.ResizeMethod", "train.Int64List", "train.BytesList"),
        *("train.FloatList", "test.is_gpu_available", "test.gpu_device_name"),
    ]
)
# Starting the variables of a graph that has none.
STARTS = frozenset(
    [
        *("global_variables_initializer", "initialize_all_variables", "tables_initializer"),
        *("local_variables_initializer", "initialize_local_variables"),
    ]
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Kept(Exception):
    """The graphs stay as they are."""


class Graphs:
    """A module's imported graphs."""

    def __init__(self, module: Module, tf: str) -> None:
        self.module = module
        self.tf = tf
        self.parent: dict[ast.AST, ast.AST] = {
            child: node for node in walk(module.tree) for child in children(node)
        }
        self.named = {id(n): name.removeprefix("tensorflow.") for n, name in self._names()}
        calls = all_of(module.tree, ast.Call)
        self.imports = [c for c in calls if self.name(c.func) == IMPORT]
        self.sessions = [c for c in calls if self.name(c.func) in SESSIONS]
        chains = [n for n, _ in self._names()]
        self.builders = [n for n in chains if self.name(self.parent[n]) == "" and self.builds(n)]
        self.blocks = [w for w in walk(module.tree) if self.default_of(w) is not None]
        self.called: dict[ast.With, str] = {}  # graphs that have no name of their own
        self.wrapped: ast.stmt | None = None  # what imports into the default graph
        self.stripped: list[tuple[int, int, int]] = []  # lines, and by how much they move left
        self.own = ""  # what the default graph is called, once it has a name
        if len(self.imports) != sum(name == IMPORT for name in self.named.values()):
            raise Kept  # it is given away
        for call in self.imports:
            if any(k.arg in ("op_dict", None) for k in call.keywords) or len(call.args) > 4:
                raise Kept
        for block in self.blocks:
            if any(self.building(n) for n in walk(block)):
                raise Kept
        outside = [c for c in self.imports if self.block_of(c) is None]
        if outside:
            self.default(outside)

    def _names(self) -> Iterator[tuple[ast.AST, str]]:
        """The outermost chains that mean something of TensorFlow's."""
        for node in walk(self.module.tree):
            name = self.module.endpoints.get(id(node))
            if name is not None and name.startswith("tensorflow."):
                yield node, name

    def name(self, node: ast.AST) -> str:
        """The endpoint that a chain means, without `tensorflow.`."""
        return self.named.get(id(node), "").removeprefix("compat.v1.")

    def builds(self, node: ast.AST) -> bool:
        """Whether an endpoint may put ops into a graph."""
        name = self.name(node)
        if name in STARTS and self.starts(self.statement(node)):
            return False
        return name not in NAMES and not name.startswith(HOST)

    def starts(self, stmt: ast.stmt) -> bool:
        """Whether a statement only starts variables, of which there are none."""
        if not isinstance(stmt, ast.Expr) or not isinstance(stmt.value, ast.Call):
            return False
        call = stmt.value
        return (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "run"
            and len(call.args) == 1
            and not call.keywords
            and isinstance(call.args[0], ast.Call)
            and self.name(call.args[0].func) in STARTS
        )

    def building(self, node: ast.AST) -> bool:
        """Whether something builds, itself or by a function of the module that it calls."""
        return any(node is n for n in self.builders) or self.calls_builder(node, set())

    def calls_builder(self, node: ast.AST, seen: set[str]) -> bool:
        if not isinstance(node, ast.Call):
            return False
        func = node.func
        called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if called in seen:
            return False
        seen.add(called)
        for made in walk(self.module.tree):
            if isinstance(made, (ast.FunctionDef, ast.ClassDef)) and made.name == called:
                inside = list(walk(made))
                if any(n in inside for n in self.builders):
                    return True
                if any(self.calls_builder(n, seen) for n in inside):
                    return True
        return False

    # -- blocks ----------------------------------------------------------------------

    def default_of(self, node: ast.AST) -> ast.expr | None:
        """The graph that a `with` makes the default one."""
        for item in getattr(node, "items", ()):
            call = item.context_expr
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr == "as_default"
                and not call.args
                and self.is_graph(call.func.value)
            ):
                return item.optional_vars or call.func.value
        return None

    def free_name(self) -> str:
        """What a graph without a name is called."""
        taken = self.module.stored | {n.arg for n in all_of(self.module.tree, ast.arg)}
        return next(n for n in ("graph", "imported_graph", "frozen_graph") if n not in taken)

    def is_graph(self, node: ast.expr) -> bool:
        """Whether an expression is a graph: made here, or under a name that says so."""
        if isinstance(node, ast.Call):
            return self.name(node.func) == "Graph"
        word = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        return any(
            isinstance(n, ast.Assign)
            and isinstance(n.value, ast.Call)
            and self.name(n.value.func) == "Graph"
            and any(ast.unparse(t).rpartition(".")[2] == word for t in n.targets)
            for n in walk(self.module.tree)
        )

    def block_of(self, node: ast.AST) -> ast.With | None:
        """The block that says what the default graph is at a place; in its own function."""
        while node in self.parent and not isinstance(node, FUNCTIONS):
            node = self.parent[node]
            if node in self.blocks:
                assert isinstance(node, ast.With)
                return node
        return None

    def function_of(self, node: ast.AST) -> ast.AST:
        """The function that a place is in, or the module."""
        while node in self.parent:
            node = self.parent[node]
            if isinstance(node, FUNCTIONS):
                break
        return node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that a node is in."""
        while not isinstance(node, ast.stmt):
            node = self.parent[node]
        return node

    def graph_at(self, node: ast.AST) -> str:
        """The default graph at a place, as it is written there.

        Raises:
            Kept: it isn't seen.
        """
        block = self.block_of(node)
        if block is not None:
            graph = self.default_of(block)
            if isinstance(graph, ast.Call):
                if block not in self.called:
                    self.called[block] = self.free_name()
                    end = self.module.text.index.span(block.items[0].context_expr)[1]
                    self.module.changes.append(Edit(end, end, f" as {self.called[block]}"))
                return self.called[block]
            return ast.unparse(graph) if graph is not None else ""
        if not self.own:
            raise Kept
        return self.own

    # -- the default graph gets a name ---------------------------------------------------

    def default(self, outside: list[ast.Call]) -> None:
        """The one import into the default graph is one into a graph of its own.

        Raises:
            Kept: something else is built, or the graph can't be handed on.
        """
        if self.builders or len(outside) > 1:
            raise Kept
        self.own = self.free_name()
        stmt = self.wrapped = self.statement(outside[0])
        maker = self.function_of(stmt)
        users = {self.function_of(c) for c in self.sessions}
        if isinstance(maker, ast.Module) or users <= {maker}:
            return
        self.hand_on(maker, users)

    def hand_on(self, maker: ast.AST, users: set[ast.AST]) -> None:
        """A function that imports the graph returns it, and its calls keep it."""
        if not isinstance(maker, ast.FunctionDef) or maker in users:
            raise Kept
        if not isinstance(self.parent[maker], ast.Module):
            raise Kept
        if any(isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom)) for n in walk(maker)):
            raise Kept
        last = maker.body[-1]
        at = self.module.text.start((last.end_lineno or last.lineno) + 1)
        self.module.changes.append(Edit(at, at, f"{self.module.indent(last)}return {self.own}\n"))
        reads = [n for n in all_of(self.module.tree, ast.Name) if n.id == maker.name]
        places = set()
        for read in reads:
            call = self.parent[read]
            stmt = self.parent[call]
            if not isinstance(call, ast.Call) or not isinstance(stmt, ast.Expr):
                raise Kept
            places.add(self.function_of(stmt))
            start = self.module.text.index.span(stmt)[0]
            self.module.changes.append(Edit(start, start, f"{self.own} = "))
        if not any(isinstance(p, ast.Module) for p in places) and not users <= places:
            raise Kept

    # -- text ----------------------------------------------------------------------------

    def wrap(self) -> None:
        """The import into the default graph gets a `with`, once all others have gone."""
        stmt, text = self.wrapped, self.module.text
        if stmt is None:
            return
        at = text.start(stmt.lineno)
        head = f"{self.indent(stmt)}with {self.tf}.Graph().as_default() as {self.own}:\n"
        self.module.changes.append(Edit(at, at, head + text.unit))
        for line in range(stmt.lineno + 1, (stmt.end_lineno or stmt.lineno) + 1):
            if line not in text.inside:
                self.module.changes.append(Edit(text.start(line), text.start(line), text.unit))

    def indent(self, stmt: ast.stmt) -> str:
        """How far a statement is indented in the end."""
        deep = sum(d for first, last, d in self.stripped if first <= stmt.lineno <= last)
        found = self.module.indent(stmt)
        return found[: len(found) - deep]

    def strip(self, block: ast.With, *, after: ast.stmt | None = None) -> None:
        """A `with` goes, its statements stay; those up to ``after`` stay in it."""
        text = self.module.text
        index = block.body.index(after) + 1 if after is not None else 0
        if index == len(block.body):
            return
        first = block.body[index]
        if block.body[0].lineno == block.lineno:
            raise Kept
        deep = len(self.module.indent(first)) - len(self.module.indent(block))
        begin = end_of_header(block) + 1
        if after is None:
            self.module.changes.append(Edit(text.start(block.lineno), text.start(begin), ""))
        else:
            begin = (after.end_lineno or after.lineno) + 1
        self.stripped.append((begin, block.end_lineno or block.lineno, deep))

    def dedents(self) -> Iterator[Edit]:
        """The lines of what was stripped move left."""
        text = self.module.text
        moved: dict[int, int] = {}
        for first, last, deep in self.stripped:
            for line in range(first, last + 1):
                moved[line] = moved.get(line, 0) + deep
        for line, deep in moved.items():
            found = text.lines[line - 1]
            if line not in text.inside and found.strip():
                start = text.start(line)
                blank = len(found) - len(found.lstrip())
                yield Edit(start, start + min(deep, blank), "")
