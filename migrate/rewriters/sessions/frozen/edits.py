"""The text of what was found: what goes, what moves, what is written instead, and the helper."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, children, walk
from migrate.rewriters.sessions.frozen.graphs import DEFAULT, IDLE, IMPORT, SESSIONS, Graphs, Kept
from migrate.rewriters.sessions.frozen.tensors import Tensors
from migrate.rewriters.sessions.heads import leading
from migrate.rewriters.sessions.lines import CLOSE, OPEN
from migrate.rewriters.sessions.state import end_of_header

SETTINGS = frozenset({"ConfigProto", "GPUOptions", "OptimizerOptions"})
HELPER, PROTO = "graph_function", "graph_pb2"
PROTO_IMPORT = f"from tensorflow.core.framework import {PROTO}\n"


@cache
def source() -> str:
    """`graph_function`, which calls TensorFlow `tf` and NumPy `np`."""
    return Path(__file__).with_name("code.txt").read_text(encoding="utf-8")


@dataclass(eq=False, repr=False)
class Session:
    """A session, the graph that it has and what uses it."""

    call: ast.Call
    stmt: ast.stmt  # the `with`, or the assignment
    name: str  # `sess`, `self.sess`
    graph: str
    uses: list[ast.expr] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)  # what is run -> its function


class Edits:
    """The changes of a module whose imported graphs get functions."""

    def __init__(self, graphs: Graphs) -> None:
        self.graphs = graphs
        self.module = graphs.module
        self.tensors = Tensors(graphs)
        self.new: dict[ast.AST, str] = {}  # what is written instead of a node
        self.before: dict[ast.stmt, list[str]] = {}  # what is written above a statement
        self.after: dict[ast.stmt, list[str]] = {}
        self.gone: set[ast.stmt] = set()
        self.moved: set[ast.stmt] = set()  # those that stand elsewhere now
        self.proto = False  # the module makes a GraphDef
        self.names = {n.id for n in all_of(self.module.tree, ast.Name)}

    def above(self, node: ast.AST) -> list[ast.AST]:
        """What a node is in, innermost first."""
        found = []
        while node in self.graphs.parent:
            node = self.graphs.parent[node]
            found.append(node)
        return found

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.module.text.index.span(node)

    def written(self, node: ast.AST) -> str:
        """A node's text, with what is new in it."""
        if node in self.new:
            return self.new[node]
        start, end = self.span(node)
        text = self.module.text.text[start:end]
        for inner in sorted(self.outermost(node), key=self.span, reverse=True):
            lo, hi = self.span(inner)
            text = text[: lo - start] + self.new[inner] + text[hi - start :]
        return text

    def outermost(self, node: ast.AST) -> list[ast.AST]:
        """The nodes below one that are written anew, without those inside of others."""
        found = []
        for child in children(node):
            found.extend([child] if child in self.new else self.outermost(child))
        return found

    def renamed(self) -> None:
        """What TF 2 has under another name, and what asks for the default graph."""
        tf = self.graphs.tf
        used = {name for name in map(self.graphs.name, walk(self.module.tree)) if name}
        self.proto = any(name.startswith("GraphDef") for name in used)
        for node in walk(self.module.tree):
            name = self.graphs.name(node)
            if name == "GraphDef" or name.startswith("GraphDef."):
                self.new[node] = f"{PROTO}.{name}"
            elif name == IMPORT:
                self.new[node] = f"{tf}.graph_util.import_graph_def"
            elif name == "Graph":
                self.new[node] = f"{tf}.Graph"
            elif isinstance(node, ast.Call) and self.graphs.name(node.func) == DEFAULT:
                self.new.setdefault(node, self.default_at(node))
            elif isinstance(node, ast.Call) and self.graphs.name(node.func) in IDLE:
                stmt = self.graphs.statement(node)
                if not isinstance(stmt, ast.Expr):
                    raise Kept
                self.gone.add(stmt)

    def default_at(self, node: ast.AST) -> str:
        """What `tf.get_default_graph()` is at a place."""
        for above in self.above(node):
            for item in getattr(above, "items", ()):
                call = item.context_expr
                if isinstance(call, ast.Call) and self.graphs.name(call.func) in SESSIONS:
                    given = next((k.value for k in call.keywords if k.arg == "graph"), None)
                    return ast.unparse(given) if given is not None else self.graphs.graph_at(call)
        return self.graphs.graph_at(node)

    def unwrap(self, found: list[Session]) -> None:
        """The `with` of sessions go, and those of graphs end below what is imported."""
        names = {s.name for s in found}
        calls = {s.call for s in found}
        for node in all_of(self.module.tree, ast.With):
            going = [self.goes(item, calls, names) for item in node.items]
            graph = self.graphs.default_of(node) is not None
            if not any(going) and not graph:
                continue
            if not all(g or graph for g in going):
                raise Kept
            inner = list(walk(node))
            imports = [i for i, stmt in enumerate(node.body) if self.imports(stmt)]
            concerned = any(c in calls for c in inner) or any(n in self.new for n in inner)
            if not graph or not imports:
                if graph and not concerned and not any(going):
                    continue
                self.graphs.strip(node)
                continue
            if any(going):
                raise Kept
            last = imports[-1]
            ahead = [n for stmt in node.body[: last + 1] for n in walk(stmt)]
            if any(n in calls or n in self.before or n in self.after for n in ahead):
                raise Kept
            if any(isinstance(n, ast.Call) and is_attribute(n.func, "run") for n in ahead):
                raise Kept
            if any(n in calls for stmt in node.body[last + 1 :] for n in walk(stmt)):
                self.graphs.strip(node, after=node.body[last])

    def goes(self, item: ast.withitem, calls: set[ast.Call], names: set[str]) -> bool:
        """Whether a `with` is a session's."""
        expr = item.context_expr
        if expr in calls:
            return True
        if isinstance(expr, ast.Call) and is_attribute(expr.func, "as_default"):
            assert isinstance(expr.func, ast.Attribute)
            expr = expr.func.value
        return ast.unparse(expr) in names

    def settings(self, calls: set[ast.Call]) -> None:
        """What only configured sessions goes with them.

        Raises:
            Kept: it is used elsewhere.
        """
        made = [n for n in walk(self.module.tree) if self.graphs.name(n) in SETTINGS]
        for setting in sorted(made, key=self.span, reverse=True):
            above = self.above(setting)
            if any(a in calls or a in self.gone for a in above):
                continue
            stmt = self.graphs.statement(setting)
            if not isinstance(stmt, ast.Assign) or not isinstance(stmt.targets[0], ast.Name):
                raise Kept
            name = stmt.targets[0].id
            for node in walk(self.graphs.function_of(stmt)):
                if isinstance(node, ast.Name) and node.id == name:
                    self.setting(node, calls)

    def setting(self, node: ast.Name, calls: set[ast.Call]) -> None:
        """A place where settings are used: they are made, changed or given to a session."""
        above = self.above(node)
        stmt = self.graphs.statement(node)
        if any(a in calls or a in self.gone for a in above):
            return
        targets = stmt.targets if isinstance(stmt, ast.Assign) else []
        if not any(node in walk(t) for t in targets):
            made = [n for n in walk(stmt) if self.graphs.name(n) in SETTINGS]
            if not isinstance(stmt, ast.Assign) or not made:
                raise Kept
        self.gone.add(stmt)

    def imports(self, stmt: ast.stmt) -> bool:
        return any(c in self.graphs.imports for c in walk(stmt))

    def write(self) -> None:
        """The edits."""
        module = self.module
        made = {*self.before, *self.after}
        going = {n for stmt in self.gone for n in walk(stmt)}
        for stmt in self.gone:
            if any(a in self.gone for a in self.above(stmt)):
                continue
            block = self.tensors.block(stmt)
            if stmt is block[0] and all(s in self.gone for s in block) and stmt not in made:
                module.replace(stmt, "pass")
            else:
                module.remove(stmt, self.floor(stmt) if stmt in self.moved else 0)
        for node in self.outermost(module.tree):
            if node not in going:
                module.replace(node, self.new[node])
        for stmt, lines in self.before.items():
            text = module.text.start(module.text.piece(stmt, stmt.lineno - 1).first)
            self.insert(text, stmt, lines)
        for stmt, lines in self.after.items():
            self.insert(module.text.start((stmt.end_lineno or stmt.lineno) + 1), stmt, lines)
        self.graphs.wrap()
        self.define()
        spans = [(e.start, e.end) for e in module.changes if e.end > e.start]
        for edit in self.graphs.dedents():  # but those of lines that are written anew
            if not any(start <= edit.start and edit.end <= end for start, end in spans):
                module.changes.append(edit)

    def insert(self, at: int, stmt: ast.stmt, lines: list[str]) -> None:
        indent = self.graphs.indent(stmt)
        text = "".join(f"{indent}{line}\n" for line in lines)
        text = text.replace(f"{HELPER}(\n", f"{HELPER}(\n{indent}{self.module.text.unit}")
        self.module.changes.append(Edit(at, at, text))

    def define(self) -> None:
        """The helper, and the imports that it needs."""
        if HELPER in self.names:
            raise Kept
        body = self.module.tree.body
        numpy = _numpy(body)
        imports = "" if numpy else "import numpy as np\n"
        imports += PROTO_IMPORT if self.proto else ""
        at = self.module.text.start(leading(body) + 1)
        code = source().replace("tf.", f"{self.graphs.tf}.").replace("np.", f"{numpy or 'np'}.")
        self.module.changes.append(Edit(at, at, f"{imports}{OPEN}2\n{code}{CLOSE}2\n"))

    def with_comments(self, stmt: ast.stmt) -> list[str]:
        """A statement that moves, with the comments above it."""
        piece = self.module.text.piece(stmt, self.floor(stmt))
        comments = self.module.text.lines[piece.first - 1 : stmt.lineno - 1]
        return [*(line.strip() for line in comments), self.written(stmt)]

    def floor(self, stmt: ast.stmt) -> int:
        """The last line of what stands before a statement that moves."""
        block = self.tensors.block(stmt)
        if stmt is not block[0]:
            before = block[block.index(stmt) - 1]
            return before.end_lineno or before.lineno
        above = self.graphs.parent[stmt]
        return end_of_header(above) if isinstance(above, ast.stmt) else stmt.lineno - 1


def is_attribute(node: ast.expr, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == attribute


def _numpy(body: list[ast.stmt]) -> str:
    """What a module calls NumPy."""
    for stmt in body:
        for alias in stmt.names if isinstance(stmt, ast.Import) else ():
            if alias.name == "numpy":
                return alias.asname or "numpy"
    return ""
