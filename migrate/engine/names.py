"""Names by scope, not by text: which expressions of a module mean TensorFlow.

One walk over the statements that can matter (a regular expression over the text says which lines
name something of interest; everything else is skipped) collects bindings and uses; uses are
resolved afterwards, because a function may use what the module binds further down.

The result is flow-insensitive. A name with bindings of more than one meaning in its scope is
*ambiguous*: it is reported, never guessed.
"""

from __future__ import annotations

import ast
import builtins
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from migrate.engine.source import LineIndex

ROOTS = frozenset({"tensorflow", "tensorflow_core", "tensorflow_estimator"})
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Handlers under which a failing import is expected: the author supports several versions.
IMPORT_GUARDS = frozenset(
    {"ImportError", "ModuleNotFoundError", "Exception", "BaseException", "AttributeError"}
)
# Alone on its line, or one of several statements there.
_ASSIGNMENT = re.compile(
    r"(?:^|[;:])[ \t]*([^\W\d]\w*)[ \t]*=[ \t]*([^\W\d]\w*)(?:\.\w+)*[ \t]*(?=[;#]|\s*$)", re.M
)


@dataclass(slots=True, eq=False, repr=False)
class Binding:
    """One place where a scope gives a name a meaning."""

    kind: Literal["import", "alias", "other"]
    node: ast.AST
    stmt: ast.stmt | None = None
    target: str = ""  # an import's qualified name
    guard: ast.Try | None = None  # the try statement that expects this import to fail
    handler: bool = False  # bound in that try's handler or else


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """A module, function, class or comprehension and what it binds of the names of interest."""

    kind: Literal["module", "function", "class", "comprehension"]
    parent: Scope | None
    node: ast.AST
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)  # declared global
    free: set[str] = field(default_factory=set)  # declared nonlocal


@dataclass(slots=True, eq=False, repr=False)
class Reference:
    """A Name or the longest Attribute chain on it that resolves to TensorFlow."""

    name: str  # as resolved: "tensorflow.nn.dropout", "tensorflow.compat.v1.placeholder"
    node: ast.expr  # the whole chain
    root: ast.Name  # its first name
    scope: Scope
    bindings: tuple[Binding, ...]
    stmt: ast.stmt
    parent: ast.AST
    call: ast.Call | None = None  # the call of which this is the function
    guarded: bool = False  # inside a hasattr check or a version guard
    literal: ast.Call | None = None  # getattr(root, "name"): the getattr call

    @property
    def binding(self) -> Binding:
        """The binding that gives the reference its meaning."""
        return self.bindings[0]


@dataclass(slots=True, eq=False, repr=False)
class MethodUse:
    """``value.attr``, where ``value`` isn't known to be a module."""

    node: ast.Attribute
    call: ast.Call | None
    stmt: ast.stmt
    scope: Scope


@dataclass(slots=True, eq=False, repr=False)
class Problem:
    """A use that can't be resolved: said, never guessed."""

    kind: Literal["star", "ambiguous", "computed", "escape"]
    node: ast.expr | ast.stmt | ast.alias
    message: str
    name: str = ""


@dataclass(slots=True, eq=False, repr=False)
class Names:
    """All that a module says about the packages of interest."""

    module: Scope
    references: list[Reference] = field(default_factory=list)
    methods: list[MethodUse] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    imports: list[tuple[ast.Import | ast.ImportFrom, Scope, Binding | None]] = field(
        default_factory=list
    )
    other_imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    used_names: frozenset[str] = frozenset()


def dotted(node: ast.expr) -> tuple[ast.Name, list[str]] | None:
    """``a.b.c`` as its first Name and ``["b", "c"]``; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.reverse()
        return node, parts
    return None


def import_target(node: ast.ImportFrom) -> str | None:
    """The absolute module of ``from module import …``; None for a relative import."""
    return node.module if not node.level else None


class _Lines:
    """Which statements can matter: those with a line in the set."""

    def __init__(self, lines: Iterable[int]) -> None:
        self._lines = sorted(set(lines))

    def __bool__(self) -> bool:
        return bool(self._lines)

    def touches(self, first: int, last: int) -> bool:
        at = bisect_left(self._lines, first)
        return at < len(self._lines) and self._lines[at] <= last


def _lines_of(words: Iterable[str], text: str, starts: list[int]) -> Iterator[int]:
    """The lines on which one of the words stands, in code or not."""
    find = text.find
    size = len(text)
    for word in words:
        length = len(word)
        at = find(word)
        while at >= 0:
            end = at + length
            before = text[at - 1] if at else " "
            after = text[end] if end < size else " "
            if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
                line = bisect_right(starts, at)
                yield line
                # Once a line is enough.
                end = starts[line] if line < len(starts) else size
            at = find(word, end)


def _import_statements(
    body: list[ast.stmt], lines: _Lines, root: ast.AST
) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports anywhere below ``body`` on the given lines."""
    for stmt in body:
        if not lines.touches(stmt.lineno, stmt.end_lineno or stmt.lineno):
            continue
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            yield stmt
            continue
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(stmt, name, None)
            if isinstance(inner, list):
                yield from _import_statements(inner, lines, root)
        for handler in getattr(stmt, "handlers", ()):
            yield from _import_statements(handler.body, lines, root)
        for case in getattr(stmt, "cases", ()):
            yield from _import_statements(case.body, lines, root)


def analyse(
    tree: ast.Module,
    text: str,
    methods: frozenset[str] = frozenset(),
    extra_roots: frozenset[str] = frozenset(),
    starts: list[int] | None = None,
) -> Names:
    """Resolve a module's names.

    ``methods`` are attribute names to be collected wherever they stand on something that isn't
    a module; ``extra_roots`` are further top-level packages to resolve (``numpy``, ``time``);
    ``starts`` are the offsets of the text's lines, if they are known.
    """
    roots = ROOTS | extra_roots
    starts = starts or LineIndex(text).starts
    module = Scope("module", None, tree)
    names = Names(module)
    wanted = set(_lines_of(roots, text, starts))
    lines = _Lines(wanted)
    interest: set[str] = set()
    for node in _import_statements(tree.body, lines, tree):
        interest.update(_bound_names(node, roots))
    if not interest and not methods:
        for node in _import_statements(tree.body, lines, tree):
            _star(node, names, roots)
        return names
    relevant = wanted | _close_over_aliases(text, interest, starts)
    relevant.update(_lines_of(methods, text, starts))
    walker = _Walker(names, interest, methods, roots, _Lines(relevant))
    walker.body(tree.body, module)
    walker.resolve()
    return names


def _bound_names(node: ast.Import | ast.ImportFrom, roots: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            if top in roots:
                yield alias.asname or top
    else:
        target = import_target(node)
        if target and target.partition(".")[0] in roots:
            for alias in node.names:
                if alias.name != "*":
                    yield alias.asname or alias.name


def _close_over_aliases(text: str, interest: set[str], starts: list[int]) -> set[int]:
    """Add names that are plainly assigned from a chain on a name of interest.

    Returns the lines on which a name of interest stands.
    """
    lines: set[int] = set()
    fresh = set(interest)
    while fresh:
        found = set(_lines_of(fresh, text, starts))
        fresh = set()
        for line in found:
            start = starts[line - 1]
            end = starts[line] if line < len(starts) else len(text)
            for match in _ASSIGNMENT.finditer(text, start, end):
                if match[2] in interest and match[1] not in interest:
                    fresh.add(match[1])
        interest |= fresh
        lines |= found
    return lines


def _star(node: ast.Import | ast.ImportFrom, names: Names, roots: frozenset[str]) -> None:
    if isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
        target = import_target(node)
        if target and target.partition(".")[0] in ROOTS & roots:
            names.problems.append(
                Problem(
                    "star",
                    node,
                    f"star import: what the file uses of {target} can't be seen; "
                    f"import the names, or `import tensorflow as tf`",
                    target,
                )
            )


class _Walker:
    """Collects bindings and uses of the names of interest."""

    def __init__(
        self,
        names: Names,
        interest: set[str],
        methods: frozenset[str],
        roots: frozenset[str],
        lines: _Lines,
    ) -> None:
        self.names = names
        self.interest = interest
        self.methods = methods
        self.roots = roots
        self.lines = lines
        # With each: its first name, the attributes, scope, statement, parent, call, under hasattr
        self.uses: list[
            tuple[ast.expr, ast.Name, list[str], Scope, ast.stmt, ast.AST, ast.Call | None, bool]
        ] = []
        self.literals: list[tuple[ast.Call, Scope, ast.stmt, ast.AST, ast.Call | None, bool]] = []
        self.guards: list[tuple[ast.Try, bool]] = []
        self.in_hasattr = False
        self.stmt: ast.stmt = ast.Pass()

    # -- statements ------------------------------------------------------------------

    def body(self, body: list[ast.stmt], scope: Scope) -> None:
        touches = self.lines.touches
        for stmt in body:
            first = stmt.lineno
            decorators = getattr(stmt, "decorator_list", None)
            if decorators:
                first = min(first, decorators[0].lineno)
            if touches(first, stmt.end_lineno or first):
                self.statement(stmt, scope)
            elif isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._bind(stmt.name, Binding("other", stmt, stmt), scope)

    def statement(self, stmt: ast.stmt, scope: Scope) -> None:
        outer, self.stmt = self.stmt, stmt
        kind = type(stmt)
        if kind is ast.Import or kind is ast.ImportFrom:
            self._import(stmt, scope)  # type: ignore[arg-type]
        elif kind in (ast.FunctionDef, ast.AsyncFunctionDef):
            self._function(stmt, scope)  # type: ignore[arg-type]
        elif kind is ast.ClassDef:
            self._class(stmt, scope)  # type: ignore[arg-type]
        elif kind is ast.Global:
            scope.outer.update(stmt.names)  # type: ignore[attr-defined]
        elif kind is ast.Nonlocal:
            scope.free.update(stmt.names)  # type: ignore[attr-defined]
        elif kind is ast.Assign:
            self._assign(stmt, scope)  # type: ignore[arg-type]
        elif kind is ast.Try or kind.__name__ == "TryStar":
            self._try(stmt, scope)  # type: ignore[arg-type]
        else:
            self._fields(stmt, scope)
        self.stmt = outer

    def _fields(self, node: ast.AST, scope: Scope) -> None:
        """Visit a node's fields: statement lists pruned, expressions whole."""
        for name in node._fields:
            value = getattr(node, name, None)
            if value is None:
                continue
            if type(value) is list:
                if value and isinstance(value[0], ast.stmt):
                    self.body(value, scope)
                else:
                    for item in value:
                        if isinstance(item, ast.AST):
                            self.expression(item, scope, node)
            elif isinstance(value, ast.AST):
                self.expression(value, scope, node)
            elif isinstance(value, str) and value in self.interest:
                # except E as name, match captures
                if not isinstance(node, (ast.keyword, ast.alias, ast.Attribute)):
                    self._bind(value, Binding("other", node, self.stmt), scope)

    def _try(self, stmt: ast.Try, scope: Scope) -> None:
        guards = any(_catches_import(h) for h in stmt.handlers)
        if guards:
            self.guards.append((stmt, False))
        self.body(stmt.body, scope)
        if guards:
            self.guards[-1] = (stmt, True)
        for handler in stmt.handlers:
            if handler.type is not None:
                self.expression(handler.type, scope, handler)
            if handler.name in self.interest:
                self._bind(str(handler.name), Binding("other", handler, stmt), scope)
            self.body(handler.body, scope)
        self.body(stmt.orelse, scope)
        if guards:
            self.guards.pop()
        self.body(stmt.finalbody, scope)

    def _import(self, stmt: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        guard, handler = self.guards[-1] if self.guards else (None, False)
        ours = False
        if isinstance(stmt, ast.Import):
            for alias in stmt.names:
                top = alias.name.partition(".")[0]
                bound = alias.asname or top
                if top in self.roots:
                    ours = True
                    target = alias.name if alias.asname else top
                    binding = Binding("import", alias, stmt, target, guard, handler)
                    self._bind(bound, binding, scope)
                elif bound in self.interest:
                    self._bind(bound, Binding("other", alias, stmt, "", guard, handler), scope)
        else:
            target = import_target(stmt) or ""
            top = target.partition(".")[0]
            _star(stmt, self.names, self.roots)
            for alias in stmt.names:
                bound = alias.asname or alias.name
                if top in self.roots and alias.name != "*":
                    ours = True
                    binding = Binding(
                        "import", alias, stmt, f"{target}.{alias.name}", guard, handler
                    )
                    self._bind(bound, binding, scope)
                elif bound in self.interest:
                    self._bind(bound, Binding("other", alias, stmt, "", guard, handler), scope)
        if ours:
            self.names.imports.append((stmt, scope, None))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        self._bind(node.name, Binding("other", node, node), scope)
        for item in node.decorator_list:
            self.expression(item, scope, node)
        if node.returns is not None:
            self.expression(node.returns, scope, node)
        inner = self._arguments(node, node.args, scope)
        self.body(node.body, inner)

    def _arguments(self, node: ast.AST, args: ast.arguments, scope: Scope) -> Scope:
        for default in (*args.defaults, *args.kw_defaults):
            if default is not None:
                self.expression(default, scope, node)
        inner = Scope("function", scope, node)
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        every.extend(a for a in (args.vararg, args.kwarg) if a is not None)
        for arg in every:
            if arg.annotation is not None:
                self.expression(arg.annotation, scope, node)
            self._bind(arg.arg, Binding("other", arg, self.stmt), inner)
        return inner

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        self._bind(node.name, Binding("other", node, node), scope)
        for item in (*node.decorator_list, *node.bases, *node.keywords):
            self.expression(item, scope, node)
        self.body(node.body, Scope("class", scope, node))

    def _assign(self, stmt: ast.Assign, scope: Scope) -> None:
        alias = dotted(stmt.value)
        plain = alias is not None and alias[0].id in self.interest
        for target in stmt.targets:
            if plain and isinstance(target, ast.Name):
                guard, handler = self.guards[-1] if self.guards else (None, False)
                self._bind(target.id, Binding("alias", stmt.value, stmt, "", guard, handler), scope)
            else:
                self.expression(target, scope, stmt)
        self.expression(stmt.value, scope, stmt)

    # -- expressions -----------------------------------------------------------------

    def expression(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        kind = type(node)
        if kind is ast.Name:
            if node.id in self.interest:  # type: ignore[attr-defined]
                self._name(node, scope, parent)  # type: ignore[arg-type]
            return
        if kind is ast.Constant:
            return
        if kind is ast.Attribute:
            self._attribute(node, scope, parent, None)  # type: ignore[arg-type]
        elif kind is ast.Call:
            self._call(node, scope, parent)  # type: ignore[arg-type]
        elif kind is ast.Lambda:
            inner = self._arguments(node, node.args, scope)  # type: ignore[attr-defined]
            self.expression(node.body, inner, node)  # type: ignore[attr-defined]
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node, scope)
        elif kind is ast.NamedExpr:
            self._walrus(node, scope)  # type: ignore[arg-type]
        else:
            self._fields(node, scope)

    def _walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        target = scope
        while target.kind == "comprehension" and target.parent is not None:
            target = target.parent
        self._bind(node.target.id, Binding("other", node, self.stmt), target)
        self.expression(node.value, scope, node)

    def _comprehension(self, node: ast.AST, scope: Scope) -> None:
        inner = Scope("comprehension", scope, node)
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        for index, generator in enumerate(generators):
            self.expression(generator.iter, scope if index == 0 else inner, generator)
            self.expression(generator.target, inner, generator)
            for test in generator.ifs:
                self.expression(test, inner, generator)
        for name in ("elt", "key", "value"):
            value = getattr(node, name, None)
            if value is not None:
                self.expression(value, inner, node)

    def _name(self, node: ast.Name, scope: Scope, parent: ast.AST) -> None:
        if isinstance(node.ctx, ast.Load):
            self.uses.append((node, node, [], scope, self.stmt, parent, None, self.in_hasattr))
        else:
            guard, handler = self.guards[-1] if self.guards else (None, False)
            self._bind(node.id, Binding("other", node, self.stmt, "", guard, handler), scope)

    def _attribute(
        self, node: ast.Attribute, scope: Scope, parent: ast.AST, call: ast.Call | None
    ) -> None:
        chain = dotted(node)
        if chain is not None and chain[0].id in self.interest:
            self.uses.append(
                (node, chain[0], chain[1], scope, self.stmt, parent, call, self.in_hasattr)
            )
        if node.attr in self.methods:
            self.names.methods.append(MethodUse(node, call, self.stmt, scope))
        if chain is None or chain[0].id not in self.interest:
            value = node.value
            if isinstance(value, ast.Attribute):
                self._attribute(value, scope, node, None)
            else:
                self.expression(value, scope, node)

    def _call(self, node: ast.Call, scope: Scope, parent: ast.AST) -> None:
        func = node.func
        if isinstance(func, ast.Attribute):
            self._attribute(func, scope, node, node)
        elif isinstance(func, ast.Name):
            if func.id in self.interest:
                self.uses.append((func, func, [], scope, self.stmt, node, node, self.in_hasattr))
            elif func.id in ("getattr", "hasattr", "setattr", "delattr") and node.args:
                self._dynamic(node, func.id, scope, parent)
                return
        else:
            self.expression(func, scope, node)
        for arg in node.args:
            self.expression(arg, scope, node)
        for keyword in node.keywords:
            self.expression(keyword.value, scope, keyword)

    def _dynamic(self, node: ast.Call, func: str, scope: Scope, parent: ast.AST) -> None:
        chain = dotted(node.args[0])
        if chain is None or chain[0].id not in self.interest:
            for item in (*node.args, *node.keywords):
                self.expression(item, scope, node)
            return
        if func == "getattr":
            call = parent if isinstance(parent, ast.Call) and parent.func is node else None
            self.literals.append((node, scope, self.stmt, parent, call, self.in_hasattr))
            for item in (*node.args[1:], *node.keywords):
                self.expression(item, scope, node)
            return
        before, self.in_hasattr = self.in_hasattr, True
        for item in (*node.args, *node.keywords):
            self.expression(item, scope, node)
        self.in_hasattr = before

    # -- binding and resolving -------------------------------------------------------

    def _bind(self, name: str, binding: Binding, scope: Scope) -> None:
        if name not in self.interest:
            return
        if name in scope.outer:
            scope = self.names.module
        elif name in scope.free:
            outer = scope.parent
            while outer is not None and outer.kind != "function":
                outer = outer.parent
            scope = outer or scope
        scope.bindings.setdefault(name, []).append(binding)

    def lookup(self, name: str, scope: Scope) -> tuple[list[Binding], Scope] | None:
        """The bindings that a use of ``name`` in ``scope`` sees (class scopes: only their own)."""
        where: Scope | None = self.names.module if name in scope.outer else scope
        first = True
        while where is not None:
            if first or where.kind != "class":
                found = where.bindings.get(name)
                if found:
                    return found, where
            first = False
            where = where.parent
        return None

    def meaning(
        self, name: str, scope: Scope, depth: int = 0
    ) -> tuple[str | None, list[Binding], str]:
        """(qualified name, the bindings behind it, why not) for a plain name."""
        found = self.lookup(name, scope)
        if found is None:
            return None, [], ""
        bindings, where = found
        named: list[tuple[str, Binding]] = []
        others: list[Binding] = []
        for binding in bindings:
            target = binding.target
            if binding.kind == "alias" and depth < 8:
                chain = dotted(binding.node)  # type: ignore[arg-type]
                target = ""
                if chain is not None and not (chain[0].id == name and depth):
                    base, _, _ = self._alias_base(chain[0].id, name, where, binding, depth)
                    if base:
                        target = ".".join((base, *chain[1]))
            if target:
                named.append((target, binding))
            else:
                others.append(binding)
        if not named:
            return None, [], ""
        # `except ImportError: tf = None` doesn't make `tf` ambiguous.
        others = [b for b in others if not (b.guard is not None and b.handler)]
        if others and all(b.kind == "alias" for _, b in named):
            return (
                None,
                [],
                "",
            )  # a variable that is also something else: judged where it is assigned
        if others:
            return None, [b for _, b in named], "ambiguous"
        targets = {t for t, _ in named}
        if len(targets) > 1:
            chosen = self._prefer(named)
            if chosen is None:
                return None, [b for _, b in named], "ambiguous"
            # Where compat.v1 was taken, TF 2.21 runs it: what it has lost there is lost here.
            why = "" if chosen[0] == "tensorflow.compat.v1" else "versions"
            return chosen[0], [chosen[1], *(b for _, b in named if b is not chosen[1])], why
        return named[0][0], [b for _, b in named], ""

    def _alias_base(
        self, name: str, target: str, where: Scope, binding: Binding, depth: int
    ) -> tuple[str | None, list[Binding], str]:
        """The meaning of an alias's first name; ``tf = tf.compat.v1`` asks the other bindings."""
        if name != target:
            return self.meaning(name, where, depth + 1)
        found = self.lookup(name, where)
        if found is None:
            return None, [], ""
        imports = {b.target for b in found[0] if b.kind == "import"}
        if len(imports) == 1:
            return imports.pop(), [], ""
        return None, [], ""

    @staticmethod
    def _prefer(named: list[tuple[str, Binding]]) -> tuple[str, Binding] | None:
        """Of several TensorFlow meanings the one that TF 2.21 takes, if the author chose so."""
        for target, binding in named:
            if target.startswith("tensorflow.compat.v"):
                return target, binding
        tried = [(t, b) for t, b in named if b.guard is not None and not b.handler]
        return tried[0] if len(tried) == 1 else None

    def resolve(self) -> None:
        """Turn the uses into references and problems."""
        names = self.names
        said: set[tuple[str, int]] = set()
        for node, root, parts, scope, stmt, parent, call, guarded in self.uses:
            base, bindings, why = self.meaning(root.id, scope)
            if base is None:
                if why == "ambiguous":
                    self._ambiguous(root, bindings, said)
                continue
            if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                set_flag = ".flags.FLAGS." in ".".join((base, *parts))
                if base.partition(".")[0] not in ROOTS or set_flag:
                    continue
                names.problems.append(
                    Problem(
                        "escape",
                        node,
                        f"assigns to {'.'.join((root.id, *parts))}: TensorFlow's modules "
                        f"are changed at run time",
                        ".".join((base, *parts)),
                    )
                )
                continue
            names.references.append(
                Reference(
                    ".".join((base, *parts)),
                    node,
                    root,
                    scope,
                    tuple(bindings),
                    stmt,
                    parent,
                    call,
                    guarded or why == "versions",
                )
            )
        for item in self.literals:
            self._literal(*item, said)
        names.references.sort(key=lambda r: (r.node.lineno, r.node.col_offset))

    def _ambiguous(
        self, root: ast.Name, bindings: list[Binding], said: set[tuple[str, int]]
    ) -> None:
        key = (root.id, root.lineno)
        if key in said or not any(b.target.partition(".")[0] in ROOTS for b in bindings):
            return
        said.add(key)
        self.names.problems.append(
            Problem(
                "ambiguous",
                root,
                f"`{root.id}` is bound to TensorFlow and to something else in the same scope: "
                f"left alone; give one of them another name",
                root.id,
            )
        )

    def _literal(
        self,
        node: ast.Call,
        scope: Scope,
        stmt: ast.stmt,
        parent: ast.AST,
        call: ast.Call | None,
        guarded: bool,
        said: set[tuple[str, int]],
    ) -> None:
        chain = dotted(node.args[0])
        assert chain is not None
        root, parts = chain
        base, bindings, why = self.meaning(root.id, scope)
        if base is None:
            if why == "ambiguous":
                self._ambiguous(root, bindings, said)
            return
        name = node.args[1] if len(node.args) > 1 else None
        module = ".".join((base, *parts))
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            self.names.references.append(
                Reference(
                    f"{module}.{name.value}",
                    node,
                    root,
                    scope,
                    tuple(bindings),
                    stmt,
                    parent,
                    call,
                    guarded or why == "versions" or len(node.args) > 2,
                    node,
                )
            )
        elif base.partition(".")[0] in ROOTS:
            self.names.problems.append(
                Problem(
                    "computed",
                    node,
                    f"the name that getattr() takes from {module} is computed at run time: "
                    f"check by hand that it exists in TF 2.21",
                    module,
                )
            )
            where = (scope, tuple(bindings), stmt, node, None, guarded or why == "versions")
            self.names.references.append(Reference(module, node.args[0], root, *where))


def _catches_import(handler: ast.ExceptHandler) -> bool:
    node = handler.type
    if node is None:
        return True
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(i, ast.Name) and i.id in IMPORT_GUARDS for i in items)


def attempted(tree: ast.AST) -> set[int]:
    """The ids of the nodes in `try` blocks that go on where an attribute is missing."""
    missing = ("AttributeError", "Exception", "BaseException")
    return {
        id(node)
        for stmt in ast.walk(tree)
        if isinstance(stmt, ast.Try)
        and any(
            handler.type is None
            or any(isinstance(n, ast.Name) and n.id in missing for n in ast.walk(handler.type))
            for handler in stmt.handlers
        )
        for part in stmt.body
        for node in ast.walk(part)
    }


def free_name(wanted: str, text: str) -> bool:
    """Whether ``wanted`` occurs nowhere in the text as a word (so that it can be bound)."""
    if wanted in vars(builtins):
        return False
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before, after = text[at - 1 : at], text[end : end + 1]
        word = before.isalnum() or before in ("_", ".") or after.isalnum() or after == "_"
        if not word:
            return False
        at = text.find(wanted, at + 1)
    return True
