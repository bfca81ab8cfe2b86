"""Properties that build a part of a graph at their first use, as statements of `__init__`.

``@lazy_property``, ``@define_scope`` and their kin keep what a method returns, so that its ops and
variables are made once, where it is read first, in a scope of its own. There the method's body is
put; what it returned becomes the attribute that everybody read anyway.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.source import SourceError
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.lines import by_cell

SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Pass)
INNER = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Kept(Exception):
    """The document stays as it is."""


@dataclass(slots=True)
class _Decorator:
    """A function that makes such properties."""

    node: ast.FunctionDef
    opens: str = ""  # the function that opens the scope, as written
    named: bool = False  # it may be given the scope's name, and what else the scope is given


@dataclass(slots=True)
class _Class:
    """A class with such properties."""

    node: ast.ClassDef
    init: ast.FunctionDef
    lazy: dict[str, tuple[ast.FunctionDef, _Decorator]]
    done: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)  # local ones by now

    @property
    def itself(self) -> str:
        """What `__init__` calls the object."""
        return self.init.args.args[0].arg


def unfolded(document: Document) -> Document:
    """The document without such properties; itself where it has none, or where they are odd."""
    found = {
        stmt.name: made
        for stmt in document.tree.body
        if isinstance(stmt, ast.FunctionDef) and (made := _decorator(stmt)) is not None
    }
    if not found:
        return document
    try:
        edits = _Unfolding(document, found).edits()
        new = edited(document, list(by_cell(document, edits)))
    except (_Kept, Blocked, SourceError):
        return document
    return new


def _decorator(node: ast.FunctionDef) -> _Decorator | None:
    """What a decorator does, where it makes lazy properties and nothing else."""
    if not node.args.args:
        return None
    function = node.args.args[0].arg
    body = _body(node)
    inner = [s for s in body if isinstance(s, ast.FunctionDef)]
    said = {
        t.id: ast.unparse(s.value)
        for s in body
        if isinstance(s, ast.Assign)
        for t in s.targets
        if isinstance(t, ast.Name)
    }
    last = body[-1] if body else None
    if len(inner) != 1 or len(body) != len(said) + 2 or not isinstance(last, ast.Return):
        return None
    made = inner[0]
    if last.value is None or ast.unparse(last.value) != made.name or len(made.args.args) != 1:
        return None
    if "property" not in map(ast.unparse, made.decorator_list):
        return None
    itself, steps = made.args.args[0].arg, _body(made)
    if len(steps) != 2 or not isinstance(steps[0], ast.If) or steps[0].orelse:
        return None
    test = re.fullmatch(rf"not hasattr\({itself}, (\w+)\)", ast.unparse(steps[0].test))
    if test is None or f"{function}.__name__" not in said.get(test[1], ""):
        return None
    if ast.unparse(steps[1]) != f"return getattr({itself}, {test[1]})":
        return None
    built, opens, named = steps[0].body, "", False
    if len(built) == 1 and isinstance(built[0], ast.With) and len(built[0].items) == 1:
        opened = built[0].items[0].context_expr
        if not isinstance(opened, ast.Call) or not opened.args:
            return None
        opens = ast.unparse(opened.func)
        scope = ast.unparse(opened.args[0])
        scope = said.get(scope, scope)
        named = scope == f"scope or {function}.__name__"
        more = ast.unparse(opened).partition(ast.unparse(opened.args[0]))[2]
        if not (named or scope == f"{function}.__name__") or more not in (
            ")",
            ", *args, **kwargs)",
        ):
            return None
        if not opens.endswith((".variable_scope", ".name_scope")):
            return None
        built = built[0].body
    if [ast.unparse(s) for s in built] != [f"setattr({itself}, {test[1]}, {function}({itself}))"]:
        return None
    return _Decorator(node, opens, named)


def _body(node: ast.FunctionDef) -> list[ast.stmt]:
    """A function's statements, its docstring left out."""
    first = node.body[0]
    doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if doc else node.body


class _Unfolding:
    """One document."""

    def __init__(self, document: Document, decorators: dict[str, _Decorator]) -> None:
        self.document = document
        self.decorators = decorators
        self.lines = document.text.splitlines(keepends=True)
        self.found: list[Edit] = []
        self.gone: list[ast.stmt] = []

    def edits(self) -> list[Edit]:
        """The properties' bodies in `__init__`, and without the decorators.

        Raises:
            _Kept: one of them can't be put there.
        """
        for node in walk(self.document.tree):
            if isinstance(node, ast.ClassDef) and (cls := self.lazy(node)) is not None:
                self.unfold(cls)
        if not self.gone:
            raise _Kept
        self.without_decorators()
        return self.found

    def lazy(self, node: ast.ClassDef) -> _Class | None:
        """A class, if it has such properties."""
        lazy: dict[str, tuple[ast.FunctionDef, _Decorator]] = {}
        init: ast.FunctionDef | None = None
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                for made in member.decorator_list:
                    called = made.func if isinstance(made, ast.Call) else made
                    if isinstance(called, ast.Name) and called.id in self.decorators:
                        lazy[member.name] = (member, self.decorators[called.id])
                init = member if member.name == "__init__" else init
        if not lazy:
            return None
        if init is None or [b for b in node.bases if ast.unparse(b) != "object"]:
            raise _Kept
        cls = _Class(node, init, lazy)
        cls.names = {a.arg for a in all_of(init.args, ast.arg)}
        cls.names |= {n.id for n in all_of(init, ast.Name)}
        return cls

    def unfold(self, cls: _Class) -> None:
        """Put every property where it is read first."""
        for stmt in cls.init.body:
            wanted = [n for n in self.read(cls, stmt) if n not in cls.done]
            if not wanted:
                continue
            if not isinstance(stmt, SIMPLE):
                raise _Kept
            indent = self.indent(stmt)
            text = "".join(self.block(cls, n, indent) for n in wanted if n not in cls.done)
            start, end = self.start(stmt.lineno), self.start((stmt.end_lineno or 0) + 1)
            alone = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Attribute)
            self.found.append(Edit(start, end if alone else start, text))
        last = cls.init.body[-1]
        everywhere = {n.attr for n in all_of(self.document.tree, ast.Attribute)}
        if set(cls.lazy) - everywhere:
            raise _Kept  # nobody reads it: nobody makes its variables
        text = "".join(self.block(cls, n, self.indent(last)) for n in cls.lazy if n not in cls.done)
        if text:
            at = self.start((last.end_lineno or last.lineno) + 1)
            self.found.append(Edit(at, at, text))
        self.gone.extend(member for member, _ in cls.lazy.values())

    def read(self, cls: _Class, node: ast.AST) -> list[str]:
        """The properties that a statement reads, in order."""
        found = [
            n
            for n in all_of(node, ast.Attribute)
            if n.attr in cls.lazy and isinstance(n.value, ast.Name)
        ]
        if any(not isinstance(n.ctx, ast.Load) for n in found):
            raise _Kept
        places = sorted(found, key=lambda n: (n.lineno, n.col_offset))
        return list(dict.fromkeys(n.attr for n in places))

    def block(self, cls: _Class, name: str, indent: str) -> str:
        """A property's body as statements, in its scope."""
        member, made = cls.lazy[name]
        if name in cls.done or [a.arg for a in member.args.args] != [cls.itself]:
            raise _Kept
        cls.done.append(name)
        if len(member.decorator_list) != 1:
            raise _Kept
        out, inner = "", indent
        if made.opens:
            out = f"{indent}with {made.opens}({self.scope(member, made)}):\n"
            inner = indent + self.unit(cls)
        doc = ast.get_docstring(member)
        if doc:
            out += "".join(f"{inner}# {line}".rstrip() + "\n" for line in doc.splitlines())
        body = _body(member)
        last = body[-1]
        for n in walk(member):
            odd = isinstance(n, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal, ast.JoinedStr))
            if odd or (isinstance(n, ast.Return) and n is not last):
                raise _Kept
            if isinstance(n, ast.Constant) and n.end_lineno != n.lineno and n.value != doc:
                if not (
                    isinstance(n.value, str) and ast.get_docstring(member, clean=False) == n.value
                ):
                    raise _Kept
        if not isinstance(last, ast.Return) or last.value is None:
            raise _Kept
        renamed = self.renamed(cls, name, member)
        before = self.end(member.body[0]) if doc else body[0].lineno - 1
        while (
            not doc and before > self.header(member) and self.lines[before - 1].lstrip()[:1] == "#"
        ):
            before -= 1
        for stmt in body:
            for wanted in self.read(cls, stmt):
                if wanted not in cls.done:
                    if not isinstance(stmt, SIMPLE):
                        raise _Kept
                    out += self.block(cls, wanted, inner)
            base = self.indent(stmt)
            text = self.source(before + 1, stmt, renamed)
            if stmt is last:
                head = f"{base}return "
                at = text.rfind(head) if text.startswith(head) else text.find(f"\n{head}") + 1
                text = f"{text[:at]}{base}{cls.itself}.{name} = {text[at + len(head) :]}"
            out += _moved(text, base, inner)
            before = self.end(stmt)
        return out

    def scope(self, member: ast.FunctionDef, made: _Decorator) -> str:
        """What a property's scope is given."""
        call = member.decorator_list[0]
        if not isinstance(call, ast.Call):
            return repr(member.name)
        if not made.named:
            raise _Kept
        given = [ast.unparse(a) for a in call.args] or [repr(member.name)]
        for keyword in call.keywords:
            if keyword.arg == "scope" and not call.args:
                given[0] = ast.unparse(keyword.value)
            elif keyword.arg is None:
                raise _Kept
            else:
                given.append(f"{keyword.arg}={ast.unparse(keyword.value)}")
        return ", ".join(given)

    def renamed(self, cls: _Class, name: str, member: ast.FunctionDef) -> dict[str, str]:
        """New names for local ones that something else in `__init__` has."""
        own = {n.id for n in all_of(member, ast.Name) if _binds(n)}
        new = {old: f"{name}_{old}" for old in own & cls.names}
        inside = {
            n.arg
            for scope in walk(member)
            if isinstance(scope, INNER) and scope is not member
            for n in all_of(scope, ast.arg)
        }
        if set(new) & inside or set(new.values()) & cls.names:
            raise _Kept
        cls.names |= {new.get(old, old) for old in own}
        return new

    def source(self, first: int, stmt: ast.stmt, renamed: dict[str, str]) -> str:
        """Lines of the document up to the end of a statement, with new names in it."""
        start, end = self.start(first), self.start(self.end(stmt) + 1)
        text = self.document.text[start:end]
        uses = [n for n in all_of(stmt, ast.Name) if n.id in renamed]
        for n in sorted(uses, key=lambda n: self.document.index.span(n), reverse=True):
            lo, hi = self.document.index.span(n)
            text = text[: lo - start] + renamed[n.id] + text[hi - start :]
        return text

    def without_decorators(self) -> None:
        """Take away the properties, and what made them where nothing else uses it."""
        removed = {id(n) for stmt in self.gone for n in walk(stmt)}
        last: list[ast.stmt] = [d.node for d in self.decorators.values()]
        while last:
            going = last
            removed |= {id(n) for stmt in going for n in walk(stmt)}
            self.gone.extend(going)
            used = {n.id for n in all_of(self.document.tree, ast.Name) if id(n) not in removed}
            names = {n.id for stmt in going for n in all_of(stmt, ast.Name)}
            if {s.name for s in going if isinstance(s, ast.FunctionDef)} & used:
                raise _Kept
            last = [
                stmt
                for stmt in self.document.tree.body
                if id(stmt) not in removed and _only(stmt) in names - used
            ]
        for stmt in self.gone:
            decorators = getattr(stmt, "decorator_list", [])
            first = min([stmt.lineno, *(d.lineno for d in decorators)])
            while first > 1 and self.lines[first - 2].lstrip()[:1] == "#":
                first -= 1
            if isinstance(stmt, ast.FunctionDef):
                while first > 1 and not self.lines[first - 2].strip():
                    first -= 1
            self.found.append(Edit(self.start(first), self.start(self.end(stmt) + 1), ""))

    def unit(self, cls: _Class) -> str:
        """One level of indentation."""
        outer = self.lines[cls.init.lineno - 1]
        inner = self.indent(cls.init.body[-1])
        return inner[len(outer) - len(outer.lstrip()) :]

    def header(self, node: ast.FunctionDef) -> int:
        """The line on which a function's header ends."""
        return max(
            [
                node.lineno,
                *(a.end_lineno or 0 for a in walk(node.args) if hasattr(a, "end_lineno")),
            ]
        )

    def indent(self, stmt: ast.stmt) -> str:
        line = self.lines[stmt.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def end(self, stmt: ast.stmt) -> int:
        return stmt.end_lineno or stmt.lineno

    def start(self, line: int) -> int:
        return sum(map(len, self.lines[: line - 1]))


def _only(stmt: ast.stmt) -> str:
    """The one name that a statement defines or imports."""
    if isinstance(stmt, ast.FunctionDef):
        return stmt.name
    if isinstance(stmt, (ast.Import, ast.ImportFrom)) and len(stmt.names) == 1:
        return stmt.names[0].asname or stmt.names[0].name
    return ""


def _binds(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _moved(text: str, old: str, new: str) -> str:
    """Lines at another indentation."""
    out = []
    for line in text.splitlines():
        body = line.removeprefix(old) if line.startswith(old) else line.lstrip()
        out.append(f"{new}{body}".rstrip() + "\n")
    return "".join(out)


__all__ = ["unfolded"]
