"""What a collection of tensors holds, as a list where it is read.

``tf.add_to_collection('losses', mse)`` goes, and ``tf.get_collection('losses')`` is ``[mse]``. What
a function puts in that makes a variable, a penalty, is computed after its calls instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.listing.tensor_collections import Collected
from migrate.rewriters.sessions.apart import rewritten
from migrate.rewriters.sessions.homes import Unclear

Scope = ast.Module | ast.FunctionDef


def listed(document: Document, error: Collected) -> Document | None:
    """The document without such a collection; None where it can't be."""
    found = Collection(document, error.key)
    edits = found.edits()
    return rewritten(document, edits) if edits is not None else None


@dataclass(slots=True, eq=False, repr=False)
class _Put:
    """A call of `tf.add_to_collection` in a function that makes a variable."""

    item: ast.expr
    stmt: ast.stmt
    call: ast.Call
    parameter: str | None  # by which the function is told to put it in
    test: ast.expr | None = None  # what it asks of it


@dataclass(slots=True, eq=False, repr=False)
class Maker:
    """A function that makes a variable, returns it, and puts what comes of it into a collection."""

    node: ast.FunctionDef
    variable: str = ""
    puts: list[_Put] = field(default_factory=list)
    gone: list[ast.stmt] = field(default_factory=list)
    local: dict[str, ast.expr] = field(default_factory=dict)  # what only the items read


class Collection:
    def __init__(self, document: Document, key: str) -> None:
        self.document, self.key = document, key
        self.tree = document.tree
        self.names = {n.id for n in all_of(self.tree, ast.Name)}
        self.names |= {a.arg for a in all_of(self.tree, ast.arg)}

    def edits(self) -> list[Edit] | None:
        try:
            return self._edits()
        except Unclear:
            return None

    def _edits(self) -> list[Edit]:
        calls = all_of(self.tree, ast.Call)
        gets = [n for n in calls if self.calls(n, "get_collection")]
        puts = [n for n in calls if self.calls(n, "add_to_collection")]
        scopes = {id(s): s for s in map(self._scope, gets)}
        if len(scopes) != 1:
            raise Unclear
        (scope,) = scopes.values()
        makers: dict[str, Maker] = {}
        for put in puts:
            home = self._scope(put)
            if home is scope:
                continue
            if not isinstance(home, ast.FunctionDef) or home not in self.tree.body:
                raise Unclear
            makers.setdefault(home.name, Maker(home))
        for maker in makers.values():
            self.maker(maker)
        edits: list[Edit] = []
        items: list[tuple[int, str]] = []
        seen: set[int] = set()
        for stmt in plain(scope.body):
            call = getattr(stmt, "value", None)
            if not isinstance(call, ast.Call):
                continue
            if isinstance(stmt, ast.Expr) and call in puts:
                seen.add(id(call))
                items.append((stmt.lineno, self._put(stmt, call, edits)))
            elif isinstance(stmt, ast.Assign):
                name = call.func.id if isinstance(call.func, ast.Name) else ""
                if name in makers:
                    seen.add(id(call.func))
                    self._after(stmt, call, makers[name], items, edits)
        for maker in makers.values():
            edits += [self.gone(stmt) for stmt in maker.gone]
        uses = [n for n in all_of(self.tree, ast.Name) if n.id in makers]
        inside = [p for p in puts if self._scope(p) is scope]
        if any(id(n) not in seen for n in (*uses, *inside)):
            raise Unclear  # from a loop, a branch or another function
        for get in gets:
            if any(line >= get.lineno for line, _ in items) or not items:
                raise Unclear
            edits.append(Edit(*self._span(get), f"[{', '.join(text for _, text in items)}]"))
        return edits

    # -- where things stand ----------------------------------------------------------------

    def calls(self, node: ast.AST, name: str) -> bool:
        """Whether a node is a call that reads, or fills, the collection."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        if node.func.attr != name:
            return False
        keywords = {k.arg: k.value for k in node.keywords}
        key = node.args[0] if node.args else keywords.get("key", keywords.get("name"))
        if not isinstance(key, ast.Constant) or key.value != self.key:
            return False
        if name == "get_collection" and len(node.args) + len(node.keywords) > 1:
            raise Unclear  # of a scope
        return True

    def _scope(self, node: ast.AST) -> Scope:
        """The function, or the module, in which a node stands."""
        found: Scope = self.tree
        for outer in walk(self.tree):  # from outside to inside
            if isinstance(outer, (ast.FunctionDef, ast.Lambda)) and node in walk(outer):
                if isinstance(outer, ast.Lambda):
                    raise Unclear
                found = outer
        return found

    # -- functions that fill it ------------------------------------------------------------

    def maker(self, maker: Maker) -> None:
        """What a function puts in, and under which condition."""
        returns = all_of(maker.node, ast.Return)
        last = maker.node.body[-1]
        while isinstance(last, ast.With):
            last = last.body[-1]
        if returns != [last] or not isinstance(returns[0].value, ast.Name):
            raise Unclear
        maker.variable = returns[0].value.id
        args = maker.node.args
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
            raise Unclear
        for stmt in plain(maker.node.body):
            if (call := self._putting(stmt)) is not None:
                maker.puts.append(_Put(self._item(call), stmt, call, None))
                maker.gone.append(stmt)
            elif isinstance(stmt, ast.If) and any(
                self._putting(inner) is not None for inner in stmt.body
            ):
                self._told(maker, stmt)
        inside = [n for n in walk(maker.node) if self.calls(n, "add_to_collection")]
        if len(inside) != len(maker.puts):
            raise Unclear
        self._locals(maker)

    def _putting(self, stmt: ast.stmt) -> ast.Call | None:
        """The call that puts something into a collection, where a statement is one."""
        call = stmt.value if isinstance(stmt, ast.Expr) else None
        puts = isinstance(call, ast.Call) and self.calls(call, "add_to_collection")
        return call if isinstance(call, ast.Call) and puts else None

    def _item(self, call: ast.Call) -> ast.expr:
        keywords = {k.arg: k.value for k in call.keywords}
        item = call.args[1] if len(call.args) > 1 else keywords.get("value")
        if item is None:
            raise Unclear
        return item

    def _told(self, maker: Maker, stmt: ast.If) -> None:
        """``if wd is not None: …``: a parameter tells it."""
        test: ast.expr = stmt.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            none = test.comparators[0]
            known = isinstance(none, ast.Constant) and none.value is None
            if not known or not isinstance(test.ops[0], (ast.IsNot, ast.NotEq)):
                raise Unclear
            test = test.left
        parameters = {a.arg for a in maker.node.args.args}
        if not isinstance(test, ast.Name) or test.id not in parameters or stmt.orelse:
            raise Unclear
        for inner in stmt.body:
            if (call := self._putting(inner)) is not None:
                maker.puts.append(_Put(self._item(call), inner, call, test.id, stmt.test))
            elif not isinstance(inner, ast.Assign):
                raise Unclear
        maker.gone.append(stmt)

    def _locals(self, maker: Maker) -> None:
        """What a function computes for its items alone is written in their places."""
        stores = [n for n in all_of(maker.node, ast.Name) if not _loads(n)]
        names = [n.id for n in stores]
        if any(a.arg in names for a in maker.node.args.args) or names.count(maker.variable) != 1:
            raise Unclear
        gone = {id(n) for stmt in (*maker.gone, *(p.stmt for p in maker.puts)) for n in walk(stmt)}
        wanted = [n.id for put in maker.puts for n in all_of(put.item, ast.Name)]
        while wanted:
            name = wanted.pop()
            made = [
                s
                for s in all_of(maker.node, ast.Assign)
                if [ast.unparse(t) for t in s.targets] == [name]
            ]
            if name == maker.variable or name in maker.local or name not in names:
                continue
            if len(made) != 1 or names.count(name) != 1:
                raise Unclear
            maker.local[name] = made[0].value
            wanted += [n.id for n in all_of(made[0].value, ast.Name)]
            if id(made[0]) not in gone:
                maker.gone.append(made[0])
                gone |= {id(n) for n in walk(made[0])}
        read = [n for n in all_of(maker.node, ast.Name) if _loads(n)]
        if any(n.id in maker.local and id(n) not in gone for n in read):
            raise Unclear

    # -- what is written -------------------------------------------------------------------

    def _put(self, stmt: ast.stmt, call: ast.Call, edits: list[Edit]) -> str:
        """A tensor that is put in where the collection is read, too: its name."""
        item = self._item(call)
        if isinstance(item, (ast.Name, ast.Attribute)):
            stores = [
                n.lineno
                for n in walk(self.tree)
                if isinstance(n, (ast.Name, ast.Attribute))
                and ast.unparse(n) == ast.unparse(item)
                and not isinstance(n.ctx, ast.Load)
            ]
            if any(line > stmt.lineno for line in stores):
                raise Unclear
            edits.append(self.gone(stmt))
            return ast.unparse(item)
        name = self.free(_word(self.key))
        start, end = self._span(item)
        edits.append(Edit(*self._span(stmt), f"{name} = {self.document.text[start:end]}"))
        return name

    def _after(
        self,
        stmt: ast.Assign,
        call: ast.Call,
        maker: Maker,
        items: list[tuple[int, str]],
        edits: list[Edit],
    ) -> None:
        """What a function put in at a call, computed after it."""
        target = stmt.targets[0]
        if len(stmt.targets) != 1 or not isinstance(target, (ast.Name, ast.Attribute)):
            raise Unclear
        given = self.arguments(maker, call)
        said = ast.unparse(target)
        indent = self.indent(stmt)
        for put in maker.puts:
            if put.parameter is not None and not self.given(given.get(put.parameter)):
                continue
            text = self.text(put.item, maker, given, said)
            name = self.free(f"{said.rpartition('.')[2]}_{_word(self.key)}")
            at = self.document.index.offset((stmt.end_lineno or stmt.lineno) + 1, 0)
            edits.append(Edit(at, at, f"{indent}{name} = {text}\n"))
            items.append((stmt.lineno, name))

    def arguments(self, maker: Maker, call: ast.Call) -> dict[str, ast.expr]:
        """What a call gives a function, by its parameters."""
        names = [a.arg for a in maker.node.args.args]
        if any(isinstance(a, ast.Starred) for a in call.args):
            raise Unclear
        given = dict(zip(reversed(names), reversed(maker.node.args.defaults), strict=False))
        given |= dict(zip(names, call.args, strict=False))
        return given | {k.arg: k.value for k in call.keywords if k.arg is not None}

    def given(self, value: ast.expr | None) -> bool:
        """Whether an argument is something: a number, or what a call gave."""
        if isinstance(value, ast.Constant):
            return bool(value.value) if value.value is not None else False
        if isinstance(value, ast.Name):
            made = [
                s.value
                for s in all_of(self.tree, ast.Assign)
                if value.id in map(ast.unparse, s.targets)
            ]
            known = [isinstance(m, ast.Call) or _number(m) for m in made]
            if len(known) == 1 and known[0]:
                return True
        elif isinstance(value, ast.Call):
            return True
        raise Unclear

    def text(self, node: ast.expr, maker: Maker, given: dict[str, ast.expr], ref: str) -> str:
        """An expression of a function as its caller would write it."""
        start, end = self._span(node)
        text = self.document.text[start:end]
        if "\n" in text:
            text, start = ast.unparse(node), -1
        found: list[tuple[int, int, str]] = []
        parameters = {a.arg for a in maker.node.args.args}
        for n in all_of(node, ast.Name):
            new = None
            if n.id == maker.variable:
                new = ref
            elif n.id in maker.local:
                new = self.text(maker.local[n.id], maker, given, ref)
            elif n.id in parameters:
                if n.id not in given:
                    raise Unclear
                if not isinstance(given[n.id], (ast.Name, ast.Constant, ast.Attribute)):
                    raise Unclear
                if any(own is given[n.id] for own in all_of(self.tree, type(given[n.id]))):
                    new = self.document.text[slice(*self._span(given[n.id]))]
                else:
                    new = ast.unparse(given[n.id])  # another file's
            if new is not None:
                if start < 0:
                    raise Unclear
                lo, hi = self._span(n)
                found.append((lo - start, hi - start, new))
        for lo, hi, new in sorted(found, reverse=True):
            text = text[:lo] + new + text[hi:]
        named = ".op.name" in self.document.text  # somebody asks what ops are called
        return text if named else re.sub(r", name=(['\"]).*?\1", "", text)

    def free(self, wish: str) -> str:
        name, count = wish, 1
        while name in self.names:
            count += 1
            name = f"{wish}_{count}"
        self.names.add(name)
        return name

    def gone(self, stmt: ast.stmt) -> Edit:
        start = self.document.index.offset(stmt.lineno, 0)
        return Edit(start, self.document.index.offset((stmt.end_lineno or 0) + 1, 0), "")

    def indent(self, stmt: ast.stmt) -> str:
        start = self.document.index.offset(stmt.lineno, 0)
        return self.document.text[start : self._span(stmt)[0]]

    def _span(self, node: ast.AST) -> tuple[int, int]:
        return self.document.index.span(node)


def _word(key: str) -> str:
    """One item of a collection, by the collection's name."""
    word = re.sub(r"\W+", "_", key).strip("_").lower()
    return word.removesuffix("es") if word.endswith("sses") else word.removesuffix("s")


def plain(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that are executed once, those in with statements and the main block included."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, ast.With) or (
            isinstance(stmt, ast.If) and ast.unparse(stmt.test).startswith("__name__ ==")
        ):
            yield from plain(stmt.body)


def _number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and bool(node.value)


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
