"""The statements of a function where it is called, under names that are free there."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.joined import Part, part_of
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making.rebound_names import meant
from migrate.programs.graph.optimizing.training_helpers import Inlinable
from migrate.rewriters.sessions import decided, inner_names
from migrate.rewriters.sessions.brought import uses_of

Span = tuple[int, int]
# Expressions that need no parentheses wherever they stand.
WHOLE = (ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.ListComp)


def edits(parts: Sequence[Part], error: Inlinable) -> list[Edit] | None:
    """What writes a function where it is called, and takes it away where nothing else calls it.

    None where that can't be done.
    """
    part = part_of(parts, error.call)
    if part_of(parts, error.target) is not part:
        return None
    uses = uses_of(part, parts, error.target.name)
    if uses > 1 and error.target in (body := part.document.tree.body):
        uses -= len(meant(error.target.name, error.stmt, body, to_the_end=True))  # ``f = f(x)``
    return _Call(part, error).edits(uses == 1)


class _Call:
    """One call of a function."""

    def __init__(self, part: Part, error: Inlinable) -> None:
        self.document: Document = part.document
        self.above = part.line
        self.text = part.document.text
        self.lines = self.text.splitlines(keepends=True)
        self.call, self.stmt, self.target = error.call, error.stmt, error.target
        self.replaced: list[tuple[Span, str]] = []
        self.before: list[str] = []

    def edits(self, last: bool) -> list[Edit] | None:
        """What is written; ``last``: nothing else calls the function."""
        body = self._body()
        given = self._given()
        scope = self._scope()
        if body is None or given is None or scope is None:
            return None
        visible = inner_names.visible(body)
        own = {n.id for n in visible}
        stored = {n.id for n in visible if not isinstance(n.ctx, ast.Load)}
        inside = set(map(id, walk(self.target)))
        outer = {n.id for n in all_of(scope, ast.Name) if id(n) not in inside}
        outer |= {a.arg for a in all_of(scope, ast.arg) if id(a) not in inside}
        outer |= {
            n.name
            for n in walk(scope)
            if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and id(n) not in inside
        }
        bound = set()
        if isinstance(scope, ast.FunctionDef):
            bound = {n.id for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)} | {
                a.arg for a in all_of(scope.args, ast.arg)
            }
        functions = {s.name for s in body if isinstance(s, ast.FunctionDef)}
        free = set() if self.target in scope.body else own - stored - set(given)
        elsewhere = inside | inner_names.defined_inside(scope, functions)
        beyond = {inner_names.said(n) for n in walk(scope) if id(n) not in elsewhere}
        if free & bound or functions & (beyond | stored | set(given)):
            return None  # a global name that means something else there
        names = self._names(body, given, stored, outer, own)
        if names is None:
            return None
        new = self._written(body, names)
        if new is None:
            return None
        start = self._start(self.stmt.lineno - self.above)
        end = self._start((self.stmt.end_lineno or self.stmt.lineno) - self.above + 1)
        found = [Edit(start, end, new)]
        if last:
            found += [self._removed(), *self._unannotated()]
        return sorted(found, key=lambda e: e.start)

    def _body(self) -> list[ast.stmt] | None:
        """The function's statements; the last one returns, if any does."""
        body = self.target.body
        if ast.get_docstring(self.target) is not None:
            body = body[1:]
        odd = (ast.ClassDef, ast.Lambda, ast.Global, ast.Nonlocal, ast.Yield)
        nodes = [n for s in body for n in walk(s)]
        inside = inner_names.inner(body)
        returns = [n for n in nodes if isinstance(n, ast.Return) and id(n) not in inside]
        if not body or any(isinstance(n, (*odd, ast.YieldFrom, ast.Await)) for n in nodes):
            return None
        functions = [n for n in nodes if isinstance(n, ast.FunctionDef)]
        if any(f not in body or f.decorator_list for f in functions):
            return None
        if body[0].lineno == self.target.lineno or (len(returns) > 1 and not self._ends()):
            return None
        last = body[-1]
        while isinstance(last, ast.With):
            last = last.body[-1]
        if returns != [last] * len(returns) and not self._ends():
            return None
        if not returns and not isinstance(self.stmt, ast.Expr):
            return None
        notes = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
        for n in nodes:
            text = isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes))
            text = text and id(n) not in notes  # what is only said
            if isinstance(n, ast.JoinedStr):  # Python 3.11 doesn't tell where a name in it is
                return None
            if text and n.lineno != n.end_lineno:  # type: ignore[attr-defined]
                return None
        return body

    def _ends(self) -> bool:
        """Whether the call is what its function returns at its end: each return is one of both."""
        scope = self._scope()
        return (
            isinstance(self.stmt, ast.Return)
            and isinstance(scope, ast.FunctionDef)
            and scope.body[-1] is self.stmt
        )

    def _given(self) -> dict[str, ast.expr] | None:
        """The arguments by parameter."""
        args = self.target.args
        if args.vararg or args.kwarg or args.posonlyargs:
            return None
        names = [a.arg for a in args.args]
        positional, keywords = self.call.args, self.call.keywords
        itself = self._itself()
        if itself is not None:
            positional = [itself, *positional]
        if any(isinstance(a, ast.Starred) for a in positional) or len(positional) > len(names):
            return None
        given = dict(zip(reversed(names), reversed(args.defaults), strict=False))
        given.update(zip(names, positional, strict=False))
        names += [a.arg for a in args.kwonlyargs]
        defaults = zip(args.kwonlyargs, args.kw_defaults, strict=True)
        given.update((a.arg, value) for a, value in defaults if value is not None)
        for keyword in keywords:
            if keyword.arg not in names:
                return None
            given[keyword.arg] = keyword.value
        return given if set(given) == set(names) else None

    def _itself(self) -> ast.expr | None:
        """The object, where one of its methods calls another one of the same class."""
        func, scope = self.call.func, self._scope()
        if not isinstance(func, ast.Attribute) or not isinstance(scope, ast.FunctionDef):
            return None
        for cls in all_of(self.document.tree, ast.ClassDef):
            if self.target in cls.body and scope in cls.body and scope.args.args:
                own = isinstance(func.value, ast.Name) and func.value.id == scope.args.args[0].arg
                return func.value if own else None
        return None

    def _scope(self) -> ast.FunctionDef | ast.Module | None:
        """The function, or the module, in which the call stands."""
        found: ast.FunctionDef | ast.Module = self.document.tree
        for node in walk(self.document.tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and self.stmt in walk(node):
                if isinstance(node, ast.ClassDef):
                    continue
                found = node  # the walk goes from outside to inside
        return None if found is self.target else found

    def _names(
        self,
        body: list[ast.stmt],
        given: dict[str, ast.expr],
        stored: set[str],
        outer: set[str],
        own: set[str],
    ) -> dict[str, str] | None:
        """What each parameter and each local name is called where the call stands."""
        names: dict[str, str] = {}
        loads = [n.id for n in inner_names.visible(body) if isinstance(n.ctx, ast.Load)]
        taken = set(outer)
        for name, arg in given.items():
            simple = isinstance(arg, (ast.Name, ast.Attribute, ast.Constant))
            if name not in stored and (simple or loads.count(name) == 1):
                source = self._source(arg)
                names[name] = source if simple or "\n" not in source else ""
                if not names[name]:
                    return None
                tupled = isinstance(arg, ast.Tuple) and source.startswith("(")
                if not simple and not tupled and not isinstance(arg, WHOLE):
                    names[name] = f"({source})"
            elif name in loads or name in stored:
                new = self._free(name, taken)
                names[name] = new
                taken.add(new)
                if new != self._source(arg):
                    self.before.append(f"{new} = {self._source(arg)}")
        results = self._results(body, stored, given)
        for name in sorted(stored - set(given)):
            if name == "_" and self._nobody_reads_it():
                continue
            names[name] = results.get(name) or self._free(name, taken)
            taken.add(names[name])
        return names

    def _unwanted(self, target: ast.expr) -> bool:
        """Whether the call's statement calls a part `_`, and nobody reads that."""
        return isinstance(target, ast.Name) and target.id == "_" and self._nobody_reads_it()

    def _nobody_reads_it(self) -> bool:
        """Whether `_` only takes what isn't wanted, here and in the function."""
        return not any(
            isinstance(n, ast.Name) and n.id == "_" and isinstance(n.ctx, ast.Load)
            for tree in (self.document.tree, self.target)
            for n in walk(tree)
        )

    def _results(
        self, body: list[ast.stmt], stored: set[str], given: dict[str, ast.expr]
    ) -> dict[str, str]:
        """What local names are called that the call's statement gives a name."""
        last = self._last(body)
        if not isinstance(last, ast.Return) or not isinstance(self.stmt, ast.Assign):
            return {}
        if len(self.stmt.targets) != 1 or last.value is None:
            return {}
        target, value = self.stmt.targets[0], last.value
        pairs = [(value, target)]
        if isinstance(value, ast.Tuple) and isinstance(target, (ast.Tuple, ast.List)):
            if len(value.elts) != len(target.elts):
                return {}
            pairs = list(zip(value.elts, target.elts, strict=True))
        used = {n.id for a in given.values() for n in all_of(a, ast.Name)}
        used |= {n.id for s in body for n in all_of(s, ast.Name) if n.id not in stored | set(given)}
        found: dict[str, str] = {}
        for source, name in pairs:
            if not isinstance(name, (ast.Name, ast.Attribute)):
                return {}
            if not isinstance(source, ast.Name) or not isinstance(name, ast.Name):
                continue
            if self._unwanted(name):
                continue
            if source.id not in stored or source.id in given or name.id in used:
                return {}
            if source.id in found or name.id in found.values():
                return {}
            if name.id != source.id and name.id in stored:
                return {}
            found[source.id] = name.id
        return found

    def _apart(self, value: ast.expr, stmt: ast.Assign, names: dict[str, str]) -> list[str] | None:
        """A returned tuple as assignments, one for each part that isn't called so already.

        None where it isn't one, or where one of them would change what a later one reads.
        """
        target = stmt.targets[0]
        if not isinstance(value, ast.Tuple) or not isinstance(target, (ast.Tuple, ast.List)):
            return None
        if len(stmt.targets) != 1 or len(value.elts) != len(target.elts):
            return None
        lines: list[str] = []
        done: set[str] = set()
        for part, name in zip(value.elts, target.elts, strict=True):
            if not isinstance(name, (ast.Name, ast.Attribute)):
                return None
            read = {ast.unparse(n) for n in all_of(part, ast.Attribute)}
            read |= {names.get(n.id, n.id) for n in all_of(part, ast.Name)}
            if done & read:
                return None
            source, goal = self._renamed(part, names), self._source(name)
            if self._unwanted(name) and isinstance(part, ast.Name):
                continue
            if source != goal:
                lines.append(f"{goal} = {source}")
                done.add(goal)
        return lines

    def _renamed(self, node: ast.expr, names: dict[str, str]) -> str:
        """An expression's source with the names that it has where the call stands."""
        start, end = self._span(node)
        text = self.text[start:end]
        places = [n for n in all_of(node, ast.Name) if n.id in names]
        for place in sorted(places, key=lambda n: self._span(n), reverse=True):
            lo, hi = self._span(place)
            text = text[: lo - start] + names[place.id] + text[hi - start :]
        return re.sub(r"\s*\n\s*", " ", text)

    @staticmethod
    def _last(body: list[ast.stmt]) -> ast.stmt:
        last = body[-1]
        while isinstance(last, ast.With):
            last = last.body[-1]
        return last

    def _free(self, name: str, taken: set[str]) -> str:
        if name not in taken:
            return name
        stmt = self.stmt
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if isinstance(target, (ast.Name, ast.Attribute)):
            said = target.id if isinstance(target, ast.Name) else target.attr
            wish = f"{said}_{name}"
            if wish not in taken:
                return wish
        elif isinstance(target, ast.Tuple):
            said = re.sub(r"^_*(?:(?:build|create|make|get|add|new)_)?", "", self.target.name)
            wish = f"{said or self.target.name}_{name}"
            if wish not in taken:
                return wish
        number = 2
        while f"{name}_{number}" in taken:
            number += 1
        return f"{name}_{number}"

    def _written(self, body: list[ast.stmt], names: dict[str, str]) -> str | None:
        """The statements, as far to the right as the call's."""
        indent = self._margin(self.stmt)
        if self._start(self.stmt.lineno - self.above) + len(indent) != self._span(self.stmt)[0]:
            return None  # it shares its line
        found = [
            Edit(*self._span(n), names[n.id])
            for n in inner_names.visible(body)
            if n.id in names and names[n.id] != n.id
        ]
        last = self._last(body)
        dropped: int | None = None
        if isinstance(last, ast.Return):
            start, end = self._span(last)
            value = last.value
            after = self._span(value)[0] if value is not None else end
            if isinstance(self.stmt, ast.Assign) and value is not None:
                same = [names.get(n.id, n.id) for n in all_of(value, ast.Name)]
                goal = [n.id for t in self.stmt.targets for n in all_of(t, ast.Name)]
                plain = isinstance(value, (ast.Name, ast.Tuple))
                apart = self._apart(value, self.stmt, names)
                if (plain and len(self.stmt.targets) == 1 and same == goal) or apart == []:
                    dropped = last.lineno
                elif apart is not None:  # the others have their names already
                    found = [e for e in found if not (start <= e.start and e.end <= end)]
                    deep = f"\n{self._margin(last)}"
                    found.append(Edit(start, end, deep.join(apart)))
                else:
                    targets = "".join(f"{self._source(t)} = " for t in self.stmt.targets)
                    found.append(Edit(start, after, targets))
            elif isinstance(self.stmt, ast.Expr):
                if value is None or isinstance(value, (ast.Name, ast.Tuple)):
                    dropped = last.lineno
                else:
                    found.append(Edit(start, after, ""))
        first = body[0].lineno - self.above
        floor = self._header_end()
        while first - 1 > floor and self.lines[first - 2].lstrip().startswith("#"):
            first -= 1
        base = self._margin(body[0])
        end_line = (body[-1].end_lineno or body[-1].lineno) - self.above
        out = [f"{indent}{comment}\n" for comment in self._comments()]
        out += [f"{indent}{text}\n" for text in self.before]
        said = {
            line - self.above
            for s in body
            for n in all_of(s, ast.Expr)
            if isinstance(n.value, ast.Constant)
            for line in range(n.lineno + 1, (n.end_lineno or n.lineno) + 1)
        }
        within = {
            line - self.above
            for s in body
            for n in walk(s)
            if isinstance(n, ast.expr)
            for line in range(n.lineno + 1, (n.end_lineno or n.lineno) + 1)
        }
        folds = decided.Folds(body, self._decides, self.lines, self.above)
        offset = self._start(first)
        text = self.text[offset : self._start(end_line + 1)]
        for edit in sorted(found, key=lambda e: e.start, reverse=True):
            text = text[: edit.start - offset] + edit.new + text[edit.end - offset :]
        for number, piece in enumerate(text.splitlines(keepends=True), first):
            if dropped is not None and number == dropped - self.above:
                if (last.end_lineno or 0) != last.lineno:
                    return None
                continue
            if number in folds.gone:
                continue
            if not piece.strip():
                out.append(piece)
            elif piece.startswith(base + folds.deeper(number)):
                out.append(indent + piece[len(base + folds.deeper(number)) :])
            elif number in said or piece.startswith("#"):  # code that is commented out
                out.append(piece)
            elif number in within or piece.lstrip().startswith("#"):
                out.append(indent + piece.lstrip())  # further to the left, or by tabs
            else:
                return None
        while out and not out[-1].strip():
            out.pop()
        return "".join(out) or None

    def _decides(self, test: ast.expr) -> bool | None:
        """How a condition on an argument ends for this call; None where that isn't seen."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._decides(test.operand)
            return None if inner is None else not inner
        name, negated = test, None
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            none = test.comparators[0]
            if not (isinstance(none, ast.Constant) and none.value is None):
                return None
            if not isinstance(test.ops[0], (ast.Is, ast.Eq, ast.IsNot, ast.NotEq)):
                return None
            name, negated = test.left, isinstance(test.ops[0], (ast.Is, ast.Eq))
        given = self._given() or {}
        stored = {n.id for n in all_of(self.target, ast.Name) if _binds(n)}
        if not isinstance(name, ast.Name) or name.id not in given or name.id in stored:
            return None
        value = given[name.id]
        if isinstance(value, ast.Constant):
            known: bool = value.value is not None if negated is not None else bool(value.value)
        elif decided.of_module(value, self.document.tree):
            known = True
        else:
            return None
        return known if not negated else not known

    def _header_end(self) -> int:
        """The last line of the function's header and its docstring."""
        if ast.get_docstring(self.target) is not None:
            return (self.target.body[0].end_lineno or 0) - self.above
        return self.target.body[0].lineno - self.above - 1 - self._leading()

    def _leading(self) -> int:
        count, line = 0, self.target.body[0].lineno - self.above - 1
        while self.lines[line - 1 - count].lstrip().startswith("#"):
            count += 1
        return count

    def _comments(self) -> list[str]:
        """What the author said of the function."""
        found: list[str] = []
        at = self.target.lineno - self.above - 2
        while at >= 0 and re.match(r"#(?! ?%%)", self.lines[at]):  # no cell's beginning
            found.insert(0, self.lines[at].rstrip())
            at -= 1
        said = ast.get_docstring(self.target)
        line = self.stmt.lineno - self.above
        told = line > 1 and self.lines[line - 2].lstrip().startswith("#")
        if said and not found and not told:
            found.append(f"# {said.strip().splitlines()[0].strip()}")
        return found

    def _removed(self) -> Edit:
        """The function goes, with what is said above it."""
        first = self.target.lineno - self.above
        start, end = self._cell(self._start(first))
        while first > 1 and self.lines[first - 2].startswith("#"):
            if self._start(first - 1) < start:
                break
            first -= 1
        last = (self.target.end_lineno or self.target.lineno) - self.above
        while last < len(self.lines) and not self.lines[last].strip():
            if self._start(last + 1) >= end:
                break
            last += 1
        return Edit(self._start(first), self._start(last + 1), "")

    def _unannotated(self) -> list[Edit]:
        """What is imported of `typing` for the function's annotations alone goes with it."""
        lo, hi = self._span(self.target)
        found = []
        for stmt in self.document.tree.body:
            if not isinstance(stmt, ast.ImportFrom) or stmt.module != "typing":
                continue
            start, end = self._span(stmt)
            cut = sorted([(start, end), (lo, hi)])
            rest = (
                self.text[: cut[0][0]] + self.text[cut[0][1] : cut[1][0]] + self.text[cut[1][1] :]
            )
            words = set(re.findall(r"\w+", rest))
            names = {a.asname or a.name: ast.unparse(a) for a in stmt.names}
            stays = [text for name, text in names.items() if name in words]
            if len(stays) == len(names):
                continue
            line = stmt.lineno - self.above
            if stays:
                found.append(Edit(start, end, f"from typing import {', '.join(stays)}"))
            elif self.lines[line - 1].strip() == self.text[start:end]:
                found.append(Edit(start, self._start(line + 1), ""))
        return found

    def _margin(self, stmt: ast.stmt) -> str:
        """What stands before a statement in its line, spaces or tabs."""
        line = self.lines[stmt.lineno - self.above - 1]
        return line[: len(line) - len(line.lstrip())]

    def _cell(self, at: int) -> Span:
        """Where the cell of a place begins and ends; the whole text, where it is no notebook."""
        notebook = self.document.notebook
        cells = notebook.cells if notebook is not None else ()
        return next(((c.start, c.end) for c in cells if c.start <= at < c.end), (0, len(self.text)))

    def _start(self, line: int) -> int:
        return sum(map(len, self.lines[: line - 1]))

    def _span(self, node: ast.AST) -> Span:
        index, above = self.document.index, self.above
        start = index.offset(node.lineno - above, node.col_offset)  # type: ignore[attr-defined]
        end = index.offset(node.end_lineno - above, node.end_col_offset)  # type: ignore[attr-defined]
        return start, end

    def _source(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return re.sub(r"\s*\n\s*", " ", self.text[start:end])


def _binds(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)
