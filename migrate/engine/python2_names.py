"""What Python 2 called differently, in source that Python 3 parses: names, modules, lists, ``/``.

Used by ``python2``: for source just brought to Python 3's syntax, and for source that needed none
but still uses names that are gone. Everything is decided on the scopes of the file; a name that
the file binds itself, or guards with a test of the version, is its author's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.python2_numbers import Numbers
from migrate.engine.python2_tables import (
    ATTRIBUTES,
    BUILTINS,
    COMPAT_MODULES,
    CONSUMERS,
    CONSUMING_METHODS,
    GONE,
    GONE_MODULES,
    ITERTOOLS,
    ITERTOOLS_RENAMED,
    LAZY,
    MODULES,
    STRING_FUNCTIONS,
    TYPES,
    URLLIB,
    VERSION_TEST,
    VIEWS,
)
from migrate.engine.source import LineIndex, apply

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


def find(
    tree: ast.Module,
    text: str,
    *,
    python2: bool,
    siblings: frozenset[str] = frozenset(),
    index: LineIndex | None = None,
) -> list[Fix]:
    """What is left of Python 2.

    With ``python2``, or where a name proves it, the source was written for Python 2: then ``/``
    between integers, lists that are iterators now and relative imports are looked at too. What
    Python 3 did run, with another meaning, is only changed with ``python2``.
    """
    finder = _Finder(tree, text, siblings, index or LineIndex(text))
    finder.names()
    # Evidence that stays would show in the result as well, and change it once more.
    evident = finder.evidence and any(fix.fixed for fix in finder.fixes)
    finder.python2_only(certain=python2 or evident, mend=python2)
    return finder.result()


_BUILTINS = frozenset((*BUILTINS, *GONE, "reduce", "file", "intern"))


class _Finder:
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

    # --- what is where --------------------------------------------------------------------

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

    # --- reporting ------------------------------------------------------------------------

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

    # --- names ----------------------------------------------------------------------------

    def names(self) -> None:
        """What has another name in Python 3, or none."""
        judges: dict[type, Callable[[Any], None]] = {
            ast.Import: self._unguarded_import,
            ast.ImportFrom: self._unguarded_import,
            ast.Call: self._call,
            ast.Attribute: self._attribute,
            ast.Expr: self._print,
            ast.Name: self._name,
            ast.ClassDef: self._class,
        }
        for node in self.nodes:
            judge = judges.get(type(node))
            if judge is not None:
                judge(node)

    def _unguarded_import(self, node: ast.Import | ast.ImportFrom) -> None:
        if not self.guarded(node):
            self._import(node)

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if name not in _BUILTINS or not self.free(name) or node in self.done:
            return
        if not isinstance(node.ctx, ast.Load) or self.guarded(node):
            return
        new = BUILTINS.get(name)
        if new is not None:
            self.evidence = True
            if self.free(new):
                self.rename(node, new)
            else:
                self.fix(node, f"{name} is {new} in Python 3, but {new} is something else here")
        elif name == "reduce":
            self.fix(node, "reduce is in functools").fixed = True
            self.evidence = True
            self.need("from functools import reduce")
        elif name in GONE and self._is_called(node):
            self.fix(node, f"Python 3 has no {name}(): {GONE[name]}")
            self.evidence = True
        elif name == "file" and self._is_called(node):
            self.evidence = True
            self.rename(node, "open")
        elif name == "intern" and self._is_called(node):
            self.rename(node, "sys.intern")
            self.need("import sys")

    def _is_called(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def _call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name):
            if function.id == "isinstance" and len(node.args) == 2:
                self._isinstance(node.args[1])
            elif function.id == "reload" and self.free("reload") and not self.guarded(node):
                self._reload(node)
        elif isinstance(function, ast.Attribute):
            if not node.args and not node.keywords:
                self._plain_method(node, function)
            elif (
                function.attr == "has_key"
                and len(node.args) == 1
                and not isinstance(node.args[0], ast.Starred)
                and not node.keywords
                and "has_key" not in self.methods
                and not self.guarded(node)
            ):
                self._has_key(node, function)

    def _isinstance(self, kinds: ast.expr) -> None:
        """``(int, long)`` would say the same type twice."""
        if not isinstance(kinds, ast.Tuple) or self.guarded(kinds):
            return
        new: list[str] = []
        changed = False
        for element in kinds.elts:
            start, end = self.span(element)
            text = self.text[start:end]
            if isinstance(element, ast.Name) and self.free(text) and text in BUILTINS:
                text = BUILTINS[text]
                changed = changed or self.free(text)
            if text not in new:
                new.append(text)
        if changed and len(new) < len(kinds.elts):
            self.evidence = True
            self.done.update(kinds.elts)
            self.rename(kinds, new[0] if len(new) == 1 else f"({', '.join(new)})")

    def _plain_method(self, node: ast.Call, function: ast.Attribute) -> None:
        """Methods that were called without arguments."""
        name = function.attr
        if name[:4] in ("iter", "view") and name[4:] in VIEWS and name not in self.methods:
            if self.guarded(node):
                return
            span = self.attribute_span(function)
            fix = self.rename(span, name[4:], f".{name}() became .{name[4:]}()")
            if name[:4] == "iter" and not self._iterated(node, lazy=False):
                start, end = self.span(node)
                fix.edits += [Edit(start, start, "iter("), Edit(end, end, ")")]
        elif (
            name in VIEWS
            and isinstance(parent := self.parents.get(node), (ast.Subscript, ast.Attribute))
            and parent.value is node
            and not (isinstance(parent, ast.Attribute) and parent.attr not in ("sort", "index"))
            and not self.guarded(node)
        ):
            self.done.add(node)
            if isinstance(parent, ast.Attribute) and parent.attr == "sort":
                self.fix(node, f".{name}() has no .sort(): use sorted()")
            elif isinstance(parent, ast.Subscript) or name not in self.methods:
                self.wrap(node, "list", f".{name}() is no list in Python 3")

    def _has_key(self, node: ast.Call, function: ast.Attribute) -> None:
        self.evidence = True
        parent = self.parents.get(node)
        key: tuple[str | ast.AST, ...] = (node.args[0],)
        loose = (ast.Compare, ast.BoolOp, ast.IfExp, ast.NamedExpr, ast.Yield)
        inner = isinstance(node.args[0], (*loose, ast.Lambda)) or _is_has_key(node.args[0])
        if inner and not self._parenthesized(node.args[0]):
            key = ("(", node.args[0], ")")
        if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
            outer: ast.AST = parent
            parts = (*key, " not in ", function.value)
        else:
            outer = node
            parts = (*key, " in ", function.value)
        above = self.parents.get(outer)
        bare = isinstance(above, (ast.stmt, ast.BoolOp, ast.IfExp, ast.comprehension)) or (
            isinstance(above, ast.Call) and outer in above.args
        )
        if not bare and not self._parenthesized(outer):
            parts = ("(", *parts, ")")
        self.move(outer, ".has_key() became in", *parts)

    def _parenthesized(self, node: ast.AST) -> bool:
        return self.outer_span(node) != self.span(node)

    def _reload(self, node: ast.Call) -> None:
        """``reload(sys)`` only ever brought ``sys.setdefaultencoding`` back."""
        self.evidence = True
        statement = self.parents.get(node)
        argument = self.text[slice(*self.span(node.args[0]))] if node.args else ""
        if argument == "sys" and isinstance(statement, ast.Expr):
            self._drop(statement, "reload(sys) was for sys.setdefaultencoding")
        else:
            self.need("import importlib")
            self.rename(node.func, "importlib.reload")

    def _drop(self, statement: ast.stmt, what: str) -> None:
        """Remove a statement with its line; leave ``pass`` where it does not stand alone."""
        start, end = self.span(statement)
        line_start = self.index.line_start(statement.lineno)
        line_end = self.index.line_start((statement.end_lineno or statement.lineno) + 1)
        block = self._block(statement)
        alone = not self.text[line_start:start].strip() and not self.text[end:line_end].strip()
        self.done.update(ast.walk(statement))
        if alone and (isinstance(self.parents.get(statement), ast.Module) or len(block) > 2):
            self.fix(statement, what, Edit(line_start, line_end, ""))
        else:
            self.fix(statement, what, Edit(start, end, "pass"))

    def _block(self, statement: ast.stmt) -> list[ast.stmt]:
        for _, value in ast.iter_fields(self.parents[statement]):
            if isinstance(value, list) and statement in value:
                return value
        return [statement]

    def _attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.value, ast.Name) or node in self.done:
            return
        name = node.value.id
        module = self.modules.get(name)
        if module is None or self.guarded(node):
            return
        attribute = node.attr
        new = ATTRIBUTES.get((module, attribute))
        if new is not None:
            self.evidence = True
            what = f"{module}.{attribute} became {module}.{new}"
            self.rename(self.attribute_span(node), new, what)
        elif module == "itertools" and attribute in ITERTOOLS:
            self.evidence = True
            if self.free(ITERTOOLS[attribute]):
                self.rename(node, ITERTOOLS[attribute])
            else:
                self.fix(node, f"itertools.{attribute} is {ITERTOOLS[attribute]}() in Python 3")
        elif module == "types" and attribute in TYPES:
            self.evidence = attribute != "NoneType" or self.evidence
            if attribute != "NoneType":  # there again since 3.10
                self.rename(node, TYPES[attribute])
        elif module == "string" and attribute in STRING_FUNCTIONS:
            self.evidence = True
            self._string_function(node)
        elif module == "sys" and attribute == "setdefaultencoding":
            call = self.parents.get(node)
            statement = self.parents.get(call) if call is not None else None
            self.evidence = True
            if isinstance(statement, ast.Expr):
                self._drop(statement, "sys.setdefaultencoding is gone: Python 3 uses UTF-8")
            else:
                self.fix(node, "sys.setdefaultencoding is gone: Python 3 uses UTF-8")

    def _string_function(self, node: ast.Attribute) -> None:
        """``string.join(words, ",")`` and its like are methods or builtins."""
        call = self.parents.get(node)
        name = node.attr
        if name == "maketrans":
            self.rename(node, "str.maketrans")
            return
        if (
            not isinstance(call, ast.Call)
            or call.func is not node
            or not call.args
            or call.keywords
            or any(isinstance(argument, ast.Starred) for argument in call.args)
        ):
            self.fix(node, f"string.{name} is a method of str in Python 3")
            return
        first, *others = call.args
        what = f"string.{name} became "
        builtin = {"atoi": "int", "atol": "int", "atof": "float"}.get(name)
        if builtin:
            self.rename(node, builtin)
            return
        if name == "join":
            receiver, others = (others[0], [first]) if others else (None, [first])
        else:
            receiver = first
        parts: list[str | ast.AST] = ["' '" if receiver is None else receiver]
        simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
        if receiver is not None and not isinstance(receiver, simple):
            parts = ["(", receiver, ")"] if not self._parenthesized(receiver) else [receiver]
        parts.append(f".{name}(")
        for position, argument in enumerate(others):
            parts += [", ", argument] if position else [argument]
        self.move(call, f"{what}a method", *parts, ")")

    def _print(self, node: ast.Expr) -> None:
        """``print`` alone and ``print >>f, x`` parse, but print nothing or fail."""
        value = node.value
        if isinstance(value, (ast.Call, ast.Constant)) or not self.free("print"):
            return
        if self.guarded(node):
            return
        if isinstance(value, ast.Name) and value.id == "print":
            self.evidence = True
            self.rename(value, "print()")
            return
        elements = value.elts if isinstance(value, ast.Tuple) else [value]
        shift = elements[0] if elements else value
        if (
            isinstance(shift, ast.BinOp)
            and isinstance(shift.op, ast.RShift)
            and isinstance(shift.left, ast.Name)
            and shift.left.id == "print"
        ):
            self.evidence = True
            parts: list[str | ast.AST] = ["print("]
            for element in elements[1:]:
                parts += element, ", "
            parts += "file=", shift.right
            if self.text[slice(*self.span(value))].rstrip().endswith(","):
                parts.append(", end=' '")
            self.move(value, "print >> became a call", *parts, ")")

    def _class(self, node: ast.ClassDef) -> None:
        methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        method = methods.get("__nonzero__")
        if method is not None and "__bool__" not in self.text[slice(*self.span(node))]:
            start = self.text.index("__nonzero__", self.span(method)[0])
            self.rename((start, start + len("__nonzero__")), "__bool__")

    def _metaclass(self, node: ast.ClassDef, mend: bool) -> None:
        """Python 3 takes the metaclass in the head of the class."""
        for part in node.body:
            if (
                isinstance(part, ast.Assign)
                and isinstance(part.targets[0], ast.Name)
                and part.targets[0].id == "__metaclass__"
                and not node.keywords
            ):
                start, end = self.span(part.value)
                keyword = f"metaclass={self.text[start:end]}"
                what = f"Python 3 ignores __metaclass__: it is {keyword} in the head of the class"
                head = re.compile(r"class\s+\w+\s*(\(\s*)?").match(
                    self.text, self._class_start(node)
                )
                if not mend or head is None:
                    self.fix(part, what)
                    continue
                at = self.span(node.bases[-1])[1] if node.bases else head.end()
                new = f", {keyword}" if node.bases else keyword if head[1] else f"({keyword})"
                if not node.bases and not head[1]:
                    at = head.start() + len(head[0].rstrip())
                self._drop(part, what)
                self.fixes[-1].edits.append(Edit(at, at, new))

    def _class_start(self, node: ast.ClassDef) -> int:
        return self.index.offset(node.lineno, node.col_offset)

    # --- imports --------------------------------------------------------------------------

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.ImportFrom):
            if not node.level:
                self._import_from(node)
            return
        for alias in node.names:
            module = alias.name
            if module.split(".")[0] in self.siblings:
                continue
            if module in ("urllib", "urllib2"):
                self._urllib(node, alias)
            elif module in MODULES:
                self._renamed_module(alias)
            elif module in GONE_MODULES:
                self.evidence = True
                self.fix(alias, f"Python 3 has no module {module}")

    def _renamed_module(self, alias: ast.alias) -> None:
        self.evidence = True
        old, new = alias.name, MODULES[alias.name]
        name = alias.asname or old
        uses = self._uses(name)
        alone = self.bound.get(name) == 1
        if alias.asname:
            text = new if alias.asname == new else f"{new} as {alias.asname}"
            self.rename(alias, text)
        elif alone and "." not in new and self.bound.get(new, 0) in (0, self._imports_of(new)):
            fix = self.rename(alias, new)
            for use in uses:
                self.follow(fix, use, new)
        else:
            self.rename(alias, f"{new} as {old}")
        if new == "io":
            self._string_io(alias)

    def _string_io(self, node: ast.AST) -> None:
        self.fix(node, "StringIO held bytes in Python 2: where it holds bytes, use io.BytesIO")

    def _imports_of(self, module: str) -> int:
        """How often a name is bound if only by importing the module of that name."""
        return 1 if self.modules.get(module) == module else 0

    def _uses(self, name: str) -> list[ast.Name]:
        return [
            node
            for node in self.nodes
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if module.split(".")[0] in self.siblings:
            return
        if module in MODULES:
            self.evidence = True
            start = self.span(node)[0]
            at = self.text.index(module, start + len("from"))
            self.rename((at, at + len(module)), MODULES[module])
            if MODULES[module] == "io":
                self._string_io(node)
        elif module in ("urllib", "urllib2"):
            self._from_urllib(node)
        elif module == "itertools":
            self._from_itertools(node)
        elif module in GONE_MODULES:
            self.evidence = True
            self.fix(node, f"Python 3 has no module {module}")

    def _from_itertools(self, node: ast.ImportFrom) -> None:
        gone = [alias for alias in node.names if alias.name in ITERTOOLS]
        kept = [
            _spelled(alias, ITERTOOLS_RENAMED.get(alias.name, alias.name))
            for alias in node.names
            if alias not in gone
        ]
        renamed = [alias for alias in node.names if alias.name in ITERTOOLS_RENAMED]
        if not gone and not renamed:
            return
        self.evidence = True
        follow: list[tuple[ast.Name, str]] = []
        for alias in (*gone, *renamed):
            new = ITERTOOLS.get(alias.name) or ITERTOOLS_RENAMED[alias.name]
            name = alias.asname or alias.name
            if name == new or (alias in renamed and alias.asname):
                continue
            if self.bound.get(name) != 1 or not self.free(new):
                self.fix(node, f"itertools.{alias.name} is {new} in Python 3")
                return
            follow += [(use, new) for use in self._uses(name)]
        what = ", ".join(f"{alias.name}" for alias in (*gone, *renamed))
        if kept:
            text = f"from itertools import {', '.join(kept)}"
            self.rename(node, text, f"itertools: {what}")
        else:
            self._drop(node, f"{what} of itertools became the builtin")
        fix = self.fixes[-1]
        for use, new in follow:
            self.follow(fix, use, new)

    def _from_urllib(self, node: ast.ImportFrom) -> None:
        groups: dict[str, list[str]] = {}
        for alias in node.names:
            part = URLLIB.get(alias.name)
            if part is None:
                if alias.name not in ("request", "parse", "error", "response", "robotparser"):
                    self.evidence = True
                    self.fix(node, f"{alias.name} has no known place in Python 3's urllib")
                return
            groups.setdefault(part, []).append(_spelled(alias, alias.name))
        self.evidence = True
        start = self.span(node)[0]
        indent = self.text[self.index.line_start(node.lineno) : start]
        if indent.strip():
            if len(groups) > 1:
                self.fix(node, "these names are in several modules of urllib in Python 3")
                return
            indent = ""
        lines = [f"from urllib.{part} import {', '.join(names)}" for part, names in groups.items()]
        self.rename(node, f"\n{indent}".join(lines), f"{node.module} was split up")

    def _urllib(self, node: ast.Import, alias: ast.alias) -> None:
        name = alias.asname or alias.name
        attributes: list[ast.Attribute] = []
        for use in self._uses(name):
            parent = self.parents.get(use)
            if not isinstance(parent, ast.Attribute):
                if alias.name == "urllib2":
                    self.fix(alias, "urllib2 is urllib.request, .error and .parse in Python 3")
                return
            attributes.append(parent)
        old = [use for use in attributes if use.attr in URLLIB]
        unknown = [use for use in attributes if use.attr not in URLLIB]
        if alias.name == "urllib" and not old:
            return  # Python 3's, or not used
        self.evidence = True
        modules = list(dict.fromkeys(f"urllib.{URLLIB[use.attr]}" for use in old))
        if (unknown and alias.name == "urllib2") or alias.asname or self.bound.get(name) != 1:
            self.fix(alias, f"{alias.name} is urllib.request, .error and .parse in Python 3")
            return
        fix = self.rename(alias, ", ".join(modules) or "urllib.request")
        for old_use in old:
            self.done.add(old_use)
            self.follow(fix, old_use.value, f"urllib.{URLLIB[old_use.attr]}")

    # --- what only source of Python 2 needs -----------------------------------------------

    def python2_only(self, *, certain: bool, mend: bool) -> None:
        """Metaclasses; lists that are iterators now, ``/``, iterators' methods, relative imports.

        All but the first only where it is certain that the source was written for Python 2; what
        can have run on Python 3 is changed only to ``mend``.
        """
        for node in self.nodes:
            if isinstance(node, ast.ClassDef) and not self.guarded(node):
                self._metaclass(node, mend)
        if not certain:
            return
        absolute = division = False
        for statement in self.tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                absolute |= any(alias.name == "absolute_import" for alias in statement.names)
                division |= any(alias.name == "division" for alias in statement.names)
        for node in self.nodes:
            if isinstance(node, ast.Call):
                self._lists(node)
                self._next(node, mend)
                self._sort(node)
            elif isinstance(node, ast.ClassDef):
                self._iterator(node)
            elif (
                self.siblings
                and not absolute
                and isinstance(node, (ast.Import, ast.ImportFrom))
                and not self.guarded(node)
            ):
                self._relative(node)
        if not division:
            self._division(mend)

    def _lists(self, node: ast.Call) -> None:
        function = node.func
        if node in self.done or self.guarded(node):
            return
        if isinstance(function, ast.Name) and function.id in LAZY and self.free(function.id):
            name = function.id
            if name == "map" and node.args and _is_none(node.args[0]):
                self.fix(node, "map(None, …) has no counterpart: use zip or zip_longest")
                return
            if name == "range" and self._fine_for_range(node):
                return
            if not self._iterated(node, lazy=name != "range"):
                self.wrap(node, "list", f"{name}() is no list in Python 3")
        elif (
            isinstance(function, ast.Attribute)
            and function.attr in VIEWS
            and not node.args
            and not node.keywords
            and not (function.attr in self.methods or self._is_module(function.value))
        ):
            parent = self.parents.get(node)
            if isinstance(parent, ast.For) and parent.iter is node:
                if self._may_change(parent, function.value):
                    what = f".{function.attr}() changes with the dict in Python 3"
                    self.wrap(node, "list", what)
            elif not self._iterated(node, lazy=False) and not self._is_len(parent):
                self.wrap(node, "list", f".{function.attr}() is no list in Python 3")

    def _is_module(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.modules

    def _is_len(self, parent: ast.AST | None) -> bool:
        return (
            isinstance(parent, ast.Call)
            and isinstance(parent.func, ast.Name)
            and parent.func.id in ("len", "bool")
        ) or (isinstance(parent, (ast.If, ast.While, ast.UnaryOp, ast.BoolOp)))

    def _fine_for_range(self, node: ast.Call) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return not isinstance(parent.slice, ast.Slice)
        return self._is_len(parent) or (
            isinstance(parent, ast.Call)
            and isinstance(parent.func, ast.Name)
            and parent.func.id == "reversed"
        )

    def _iterated(self, node: ast.expr, *, lazy: bool) -> bool:
        """Whether what a call gives is only ever gone through, once, right here."""
        parent = self.parents.get(node)
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
            return parent.iter is node
        if isinstance(parent, ast.Starred):
            return True
        if isinstance(parent, ast.Call) and node in parent.args:
            function = parent.func
            if isinstance(function, ast.Name):
                return function.id in CONSUMERS
            return isinstance(function, ast.Attribute) and function.attr in CONSUMING_METHODS
        if isinstance(parent, ast.Compare):
            return isinstance(parent.ops[-1], (ast.In, ast.NotIn)) and parent.left is not node
        if isinstance(parent, ast.Assign):
            return all(isinstance(target, (ast.Tuple, ast.List)) for target in parent.targets)
        if lazy and isinstance(parent, ast.Attribute):
            return parent.attr == "next"
        return False

    def _may_change(self, loop: ast.For, mapping: ast.expr) -> bool:
        """Whether a loop's body may add to or remove from the dict that it goes through."""
        start, end = self.span(mapping)
        source = self.text[start:end]
        if not isinstance(mapping, (ast.Name, ast.Attribute)):
            return not isinstance(mapping, (ast.Dict, ast.Call))
        attribute = isinstance(mapping, ast.Attribute)
        root = source.split(".")[0]
        for statement in loop.body:
            for node in ast.walk(statement):
                if (
                    isinstance(node, ast.expr)
                    and type(node) is type(mapping)
                    and self.text[slice(*self.span(node))] == source
                    and self._changes(node)
                ):
                    return True
                if attribute and isinstance(node, ast.Name) and node.id == root:
                    above = self.parents.get(node)
                    if not isinstance(above, ast.Attribute):
                        return True  # the object itself is handed on
                    if isinstance(self.parents.get(above), ast.Call) and self._is_called(above):
                        return True  # a method of its own
        return False

    def _changes(self, node: ast.expr) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.Subscript):
            return parent.value is node and not isinstance(parent.ctx, ast.Load)
        if isinstance(parent, ast.Compare):
            return False
        return not (
            isinstance(parent, ast.Attribute)
            and parent.attr in ("get", "keys", "values", "items", "iteritems", "has_key")
        )

    def _next(self, node: ast.Call, mend: bool) -> None:
        function = node.func
        if (
            not isinstance(function, ast.Attribute)
            or function.attr != "next"
            or node.args
            or node.keywords
            or self.guarded(node)
        ):
            return
        value = function.value
        if (isinstance(value, ast.Name) and value.id in ("self", "cls")) or not self.free("next"):
            return
        if not mend or self._is_foreign(value):
            self.fix(node, "if this is an iterator's .next(), write next(…)")
            return
        start, end = self.span(node)
        stop = self.outer_span(value)[1]
        edits = (Edit(start, start, "next("), Edit(stop, end, ")"))
        self.fix(node, ".next() became next()", *edits)

    def _is_foreign(self, value: ast.expr) -> bool:
        """Whether an object is made by a class of another file, whose next() may be its own."""
        if not isinstance(value, ast.Name):
            return isinstance(value, ast.Attribute)
        return any(
            self._is_foreign_call(node.value)
            for node in self.nodes
            if isinstance(node, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == value.id for t in node.targets)
        )

    def _is_foreign_call(self, value: ast.expr) -> bool:
        """Whether this calls what looks like a class, by its name, and is not of this file."""
        if not isinstance(value, ast.Call):
            return False
        function = value.func
        name = function.attr if isinstance(function, ast.Attribute) else ""
        if isinstance(function, ast.Name):
            name = function.id
        return name[:1].isupper() and name not in self.methods

    def _sort(self, node: ast.Call) -> None:
        function = node.func
        name = getattr(function, "attr", None) or getattr(function, "id", None)
        if name not in ("sort", "sorted"):
            return
        compares = any(keyword.arg == "cmp" for keyword in node.keywords)
        if compares or (node.args and isinstance(node.args[-1], ast.Lambda)):
            self.fix(node, "sort by functools.cmp_to_key: Python 3 has no comparison function")

    def _iterator(self, node: ast.ClassDef) -> None:
        """An iterator of Python 2 gets the method that Python 3 asks for."""
        methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        method = methods.get("next")
        if method is None or "__next__" in methods or len(method.args.args) != 1:
            return
        if re.search(r"\b__next__\s*=", self.text[slice(*self.span(node))]):
            return
        indent = self.text[self.index.line_start(method.lineno) : self.span(method)[0]]
        if indent.strip():
            self.fix(method, "Python 3 calls __next__, not next")
            return
        end = self.span(method)[1]
        line_end = self.text.find("\n", end)
        at = len(self.text) if line_end < 0 else line_end
        what = "Python 3 calls __next__, not next"
        self.fix(method, what, Edit(at, at, f"\n\n{indent}__next__ = next"))

    def _relative(self, node: ast.Import | ast.ImportFrom) -> None:
        """Imports of modules in the same folder, which Python 2 found without a dot."""
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level or module.split(".")[0] not in self.siblings:
                return
            if self._is_script():
                self.fix(node, f"{module} is beside this file: Python 3 finds it as .{module} only")
                return
            at = self.text.index(module, self.span(node)[0] + len("from"))
            what = f"{module} is beside this file"
            self.fix(node, what, Edit(at, at, "."))
            return
        names = [alias for alias in node.names if alias.name.split(".")[0] in self.siblings]
        if not names:
            return
        dotted = any("." in alias.name and not alias.asname for alias in names)
        if dotted or len(names) < len(node.names) or self._is_script():
            listed = ", ".join(alias.name for alias in names)
            self.fix(node, f"beside this file, so relative in Python 3: {listed}")
            return
        lines = []
        plain = [_spelled(alias, alias.name) for alias in names if "." not in alias.name]
        if plain:
            lines.append(f"from . import {', '.join(plain)}")
        for alias in names:
            package, _, last = alias.name.rpartition(".")
            if package:
                lines.append(f"from .{package} import {_spelled(alias, last)}")
        self.rename(node, "; ".join(lines), "relative import")

    def _is_script(self) -> bool:
        return re.search(r"^if\s+__name__\s*==", self.text, re.MULTILINE) is not None

    def _division(self, mend: bool) -> None:
        numbers = Numbers(self.tree)
        lines: set[int] = set()
        for node in self.nodes:
            if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
                left, right = (
                    (node.left, node.right)
                    if isinstance(node, ast.BinOp)
                    else (node.target, node.value)
                )
                kinds = (numbers.kind(left), numbers.kind(right))
                if "float" in kinds or self.guarded(node):
                    continue
                at = self._slash(self.span(left)[1], self.span(right)[0])
                if mend and kinds == ("int", "int") and at >= 0:
                    self.fix(node, "/ between integers became //", Edit(at, at + 1, "//"))
                elif node.lineno not in lines:
                    lines.add(node.lineno)
                    self.fix(
                        node,
                        "/ cut off the fraction in Python 2 if both sides were integers: "
                        "if they are, write //",
                    )

    def _slash(self, start: int, end: int) -> int:
        """Where the operator is between two operands."""
        while start < end:
            if self.text[start] == "#":
                start = self.text.find("\n", start)
            elif self.text[start] == "/":
                return start
            start += 1
        return -1


def _is_has_key(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "has_key"
    )


def _spelled(alias: ast.alias, name: str) -> str:
    """An alias as it is written, under another name."""
    return f"{name} as {alias.asname}" if alias.asname and alias.asname != name else name


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


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
