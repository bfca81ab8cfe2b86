"""Where things are in a file of Python 2, and edits of them that go together.

The base of what looks for one family of things: ``python2_calls``, ``python2_iteration``,
``python2_imports``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from migrate.engine.findings import Edit
from migrate.engine.python2_tables import BUILTINS, COMPAT_MODULES, LAZY, VERSION_TEST
from migrate.engine.source import LineIndex, apply
from migrate.engine.trees import walk

Span = tuple[int, int]
# Nodes that stand nowhere in the text.
_SIGNS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
_LEAVES = frozenset(sign for kind in _SIGNS for sign in kind.__subclasses__())


@dataclass(slots=True)
class Fix:
    """One thing of Python 2: where it is, what is to be said, and the edits that mend it."""

    start: int
    end: int
    what: str
    edits: list[Edit] = field(default_factory=list)
    fixed: bool = False  # by the edits, or by those of a fix around it
    within: Fix | None = None  # another place's, whose edits mend this one too


@dataclass(slots=True)
class _Move:
    """A replacement that carries parts of the text to another place."""

    start: int
    end: int
    parts: tuple[str | Span, ...]
    fix: Fix


class Places:
    """A file's nodes, names and guards, and the fixes that were found so far."""

    def __init__(
        self, tree: ast.Module, text: str, siblings: frozenset[str], index: LineIndex
    ) -> None:
        self.tree = tree
        self.text = text
        self.siblings = siblings
        self.index = index
        self.evidence = False  # of code that cannot run on Python 3
        self.fixes: list[Fix] = []
        self.moves: list[_Move] = []
        self.needed: list[str] = []  # import lines
        self.nodes: list[ast.AST] = []
        self.parents: dict[ast.AST, ast.AST] = {}
        self.bound: dict[str, int] = {}
        self.methods: set[str] = set()
        self.done: set[ast.AST] = set()  # mended by what surrounds them
        self.modules: dict[str, str] = {}  # name -> module that it is, if that is all it is
        self._guards: dict[ast.AST, bool] = {}
        self._collect()

    def _collect(self) -> None:
        stack: list[ast.AST] = [self.tree]
        bind, parents, keep = self._bind, self.parents, self.nodes.append
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind is ast.Name:
                keep(node)
                if type(node.ctx) is not ast.Load:  # type: ignore[attr-defined]
                    bind(node.id)  # type: ignore[attr-defined]
                continue
            if kind is ast.Constant:
                continue
            keep(node)
            if kind is ast.JoinedStr:
                continue  # positions inside are not reliable before 3.12
            if kind is ast.arg:
                bind(node.arg)  # type: ignore[attr-defined]
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                self.methods.add(node.name)
                if not isinstance(parents.get(node), ast.ClassDef):
                    bind(node.name)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                bind(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self._collect_import(node)
            children: list[ast.AST] = []
            for name in kind._fields:
                value = getattr(node, name, None)
                if type(value) is list:
                    for item in value:
                        if isinstance(item, ast.AST):
                            parents[item] = node
                            children.append(item)
                elif isinstance(value, ast.AST) and type(value) not in _LEAVES:
                    parents[value] = node
                    children.append(value)
            children.reverse()
            stack += children
        self.modules = {
            name: module for name, module in self.modules.items() if self.bound[name] == 1
        }

    def _bind(self, name: str) -> None:
        self.bound[name] = self.bound.get(name, 0) + 1

    def _collect_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            module = alias.name if alias.asname else name
            if alias.name == "*":
                origin = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
                if origin.split(".")[0] in COMPAT_MODULES:
                    for builtin in (*BUILTINS, *LAZY, "reduce", "reload", "intern"):
                        self._bind(builtin)
                continue
            if isinstance(node, ast.Import):
                if self.modules.get(name) == module:
                    continue  # the same again
                self.modules[name] = module
            self._bind(name)

    def span(self, node: ast.AST) -> Span:
        return self.index.span(node)

    def guarded(self, node: ast.AST) -> bool:
        """Whether the author has seen to both Pythons around this node."""
        chain: list[ast.AST] = []
        answer = False
        current: ast.AST | None = node
        while current is not None:
            known = self._guards.get(current)
            if known is not None:
                answer = known
                break
            chain.append(current)
            parent = self.parents.get(current)
            if parent is not None and self._guards_child(parent, current):
                answer = True
                break
            current = parent
        for seen in chain:
            self._guards[seen] = answer
        return answer

    def _guards_child(self, parent: ast.AST, child: ast.AST) -> bool:
        if isinstance(parent, (ast.If, ast.IfExp, ast.BoolOp)):
            tested = parent if isinstance(parent, ast.BoolOp) else parent.test
            start, end = self.span(tested)
            return bool(VERSION_TEST.search(self.text, start, end))
        if isinstance(parent, ast.ExceptHandler):
            return _handles(parent, small=True)
        if isinstance(parent, ast.Try) and child in parent.body:
            small = len(parent.body) <= 2
            return any(_handles(handler, small) for handler in parent.handlers)
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return any(
                isinstance(statement, ast.If)
                and isinstance(statement.body[-1], (ast.Return, ast.Raise))
                and VERSION_TEST.search(self.text, *self.span(statement.test))
                for statement in parent.body
            )
        return False

    def free(self, name: str) -> bool:
        """Whether a name is a builtin here."""
        return name not in self.bound

    def _uses(self, name: str) -> list[ast.Name]:
        return [
            node
            for node in self.nodes
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]

    def _is_called(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def _parenthesized(self, node: ast.AST) -> bool:
        return self.outer_span(node) != self.span(node)

    def _block(self, statement: ast.stmt) -> list[ast.stmt]:
        for _, value in ast.iter_fields(self.parents[statement]):
            if isinstance(value, list) and statement in value:
                return value
        return [statement]

    def fix(self, node: ast.AST | Span, what: str, *edits: Edit) -> Fix:
        start, end = node if isinstance(node, tuple) else self.span(node)
        fix = Fix(start, end, what, list(edits), bool(edits))
        self.fixes.append(fix)
        return fix

    def rename(self, node: ast.AST | Span, new: str, what: str = "") -> Fix:
        start, end = node if isinstance(node, tuple) else self.span(node)
        old = self.text[start:end]
        return self.fix((start, end), what or f"{old} became {new}", Edit(start, end, new))

    def move(self, node: ast.AST, what: str, *parts: str | ast.AST) -> None:
        fix = self.fix(node, what)
        fix.fixed = True
        spans = tuple(part if isinstance(part, str) else self.outer_span(part) for part in parts)
        self.moves.append(_Move(fix.start, fix.end, spans, fix))

    def follow(self, fix: Fix, use: ast.AST, new: str) -> None:
        """A use that must change together with the import that ``fix`` changes."""
        start, end = self.span(use)
        fix.edits.append(Edit(start, end, new))
        what = f"{self.text[start:end]} is {new} in Python 3"
        self.fixes.append(Fix(start, end, what, fixed=True, within=fix))

    def wrap(self, node: ast.AST, call: str, what: str) -> None:
        start, end = self.span(node)
        self.fix(node, what, Edit(start, start, f"{call}("), Edit(end, end, ")"))

    def need(self, line: str) -> None:
        if line not in self.needed:
            self.needed.append(line)

    def _drop(self, statement: ast.stmt, what: str) -> None:
        """Remove a statement with its line; leave ``pass`` where it does not stand alone."""
        start, end = self.span(statement)
        line_start = self.index.line_start(statement.lineno)
        line_end = self.index.line_start((statement.end_lineno or statement.lineno) + 1)
        block = self._block(statement)
        alone = not self.text[line_start:start].strip() and not self.text[end:line_end].strip()
        self.done.update(walk(statement))
        if alone and (isinstance(self.parents.get(statement), ast.Module) or len(block) > 2):
            self.fix(statement, what, Edit(line_start, line_end, ""))
        else:
            self.fix(statement, what, Edit(start, end, "pass"))

    def attribute_span(self, node: ast.Attribute) -> Span:
        """Where the attribute's own name is."""
        end = self.span(node)[1]
        return end - len(node.attr), end

    def outer_span(self, node: ast.AST) -> Span:
        """A node's span with the parentheses around it."""
        start, end = self.span(node)
        while True:
            before = len(self.text[:start].rstrip()) - 1
            after = end + len(self.text[end:]) - len(self.text[end:].lstrip())
            if self.text[before : before + 1] != "(" or self.text[after : after + 1] != ")":
                return start, end
            if before >= 1 and (self.text[before - 1].isalnum() or self.text[before - 1] in "_)]"):
                return start, end  # a call's
            start, end = before, after + 1

    def result(self) -> list[Fix]:
        """All fixes in the order of the text, their edits free of overlaps."""
        for move in sorted(self.moves, key=lambda move: move.end - move.start):
            parts = [part if isinstance(part, str) else self._carried(part) for part in move.parts]
            self._carried((move.start, move.end))  # what else was in there goes
            move.fix.edits = [Edit(move.start, move.end, "".join(parts))]
        if self.needed:
            self._insert_imports()
        return sorted(self.fixes, key=lambda fix: (fix.start, -fix.end))

    def _carried(self, span: Span) -> str:
        """A part of the text with the edits in it made, which are taken off their fixes."""
        start, end = span
        inside: list[Edit] = []
        for fix in self.fixes:
            mine = [edit for edit in fix.edits if start <= edit.start and edit.end <= end]
            if mine:
                inside += mine
                fix.edits = [edit for edit in fix.edits if edit not in mine]
        return apply(
            self.text[start:end],
            [Edit(edit.start - start, edit.end - start, edit.new) for edit in inside],
        )

    def _insert_imports(self) -> None:
        line = 1
        for statement in self.tree.body:
            docstring = isinstance(statement, ast.Expr) and isinstance(
                statement.value, ast.Constant
            )
            future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            if isinstance(statement, (ast.Import, ast.ImportFrom)) and not future:
                line = statement.lineno
                break
            if not docstring and not future:
                if line == 1:
                    line = statement.lineno
                break
            line = (statement.end_lineno or 1) + 1
        at = self.index.line_start(line)
        new = "".join(f"{needed}\n" for needed in self.needed)
        if at and self.text[at - 1] != "\n":
            new = "\n" + new
        self.fix((at, at), ", ".join(self.needed), Edit(at, at, new))


def _handles(handler: ast.ExceptHandler, small: bool) -> bool:
    """Whether a handler is there for a name or module that one of the Pythons lacks."""
    caught: list[ast.expr | None] = (
        [*handler.type.elts] if isinstance(handler.type, ast.Tuple) else [handler.type]
    )
    for kind in caught:
        name = getattr(kind, "id", None)
        if name in ("ImportError", "ModuleNotFoundError", "NameError", "AttributeError"):
            return True
        if small and (kind is None or name in ("Exception", "BaseException", "TypeError")):
            return True
    return False
