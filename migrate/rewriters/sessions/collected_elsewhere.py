"""What functions put into a collection of tensors, where it is read in another function or file.

``tf.add_to_collection('losses', …)`` in a function goes into a list, which the function returns
beside what it returned, ``y, losses = inference(x)``; what a function puts in that gives a variable
is put in by its callers first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.listing.tensor_collections import Collected
from migrate.rewriters.sessions.apart import rewritten
from migrate.rewriters.sessions.collected import Collection, Maker, plain
from migrate.rewriters.sessions.collected_calls import NamedCalls, last, tensorflow
from migrate.rewriters.sessions.homes import Home, Unclear

LOOPS = (ast.For, ast.While)
MAKERS = ("get_variable", "Variable")


def returned(documents: Sequence[Document], error: Collected) -> list[tuple[int, Document]] | None:
    """The documents that change, by their places; None where it can't be told what is put in."""
    return changed(Program, documents, error.key)


def changed(
    kind: type[Program], documents: Sequence[Document], key: str
) -> list[tuple[int, Document]] | None:
    """The documents that a program's edits change."""
    try:
        edits = kind(documents, key).edits()
    except Unclear:
        return None
    found = []
    for place, each in edits.items():
        new = rewritten(documents[place], sorted(each, key=lambda e: e.start))
        if new is None:
            return None
        found.append((place, new))
    return found or None


class Program(NamedCalls):
    """All files of a program, and what in them fills and reads one collection."""

    def __init__(self, documents: Sequence[Document], key: str) -> None:
        super().__init__(documents)
        self.files = [Collection(d, key) for d in documents]
        self.key = key if key.isidentifier() else "collected"
        self.puts = self._calls("add_to_collection")
        self.gets = self._calls("get_collection")

    def edits(self) -> dict[int, list[Edit]]:
        """The edits of each file.

        Raises:
            Unclear: it can't be told what the collection holds where it is read.
        """
        for node in (*self.puts, *self.gets):
            self.alone(node)
        if makers := self.makers():
            if self.makers_named(makers):
                return self.edited
            for maker in makers:
                self._moved(maker)
            return self.edited
        readers = {id(home): home for home in (self.inside[id(g)] for g in self.gets)}
        fillers = self.fillers(set(readers))
        if self.calls_named(fillers):
            return self.edited
        for reader in readers.values():
            self.once(reader)
        fillers = self.heard(fillers, set(readers))
        if self.edited:
            return self.edited
        self.apart(readers, fillers)
        self.callers(fillers, readers)
        for home in (*fillers, *readers.values()):
            self.listed(home, fillers, reads=id(home) in readers)
        return self.edited

    # -- what there is ---------------------------------------------------------------------

    def _calls(self, name: str) -> list[ast.Call]:
        return [
            n for file in self.files for n in all_of(file.tree, ast.Call) if file.calls(n, name)
        ]

    def fills(self, home: Home) -> list[ast.Call]:
        return [p for p in self.puts if self.inside[id(p)] is home]

    def makers(self) -> list[ast.FunctionDef]:
        """The functions that give a variable and put something in."""
        return [f for f in self.functions.values() if self._makes(f) and self.fills(f)]

    def _makes(self, function: ast.FunctionDef, seen: frozenset[int] = frozenset()) -> bool:
        """Whether a function gives a variable that it, or a function that it calls, makes."""
        last = function.body[-1]
        while isinstance(last, ast.With):
            last = last.body[-1]
        if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Name):
            return False
        made = [
            s.value
            for s in all_of(function, ast.Assign)
            if last.value.id in map(ast.unparse, s.targets)
        ]
        if len(made) != 1 or not isinstance(made[0], ast.Call):
            return False
        func = made[0].func
        if isinstance(func, ast.Attribute):
            return func.attr in MAKERS
        place = self.place[id(function)]
        inner = self.functions.get((place, func.id)) if isinstance(func, ast.Name) else None
        known = inner is None or id(inner) in seen
        return inner is not None and not known and self._makes(inner, seen | {id(function)})

    # -- functions that give variables -----------------------------------------------------

    def _moved(self, function: ast.FunctionDef) -> None:
        """What a function puts in that gives a variable is put in where it is called."""
        place = self.place[id(function)]
        file, document = self.files[place], self.documents[place]
        maker = Maker(function)
        file.maker(maker)
        edits = self.edited.setdefault(place, [])
        edits += [file.gone(stmt) for stmt in maker.gone]
        unused = self._unused(maker)
        if unused is not None:
            edits.append(self._cut(document, function.args.args))
        for use in self.uses(function):
            stmt, call = self.statement(use)
            at_place = self.place[id(self.inside[id(use)])]
            there, own = self.documents[at_place], self.edited.setdefault(at_place, [])
            if unused is not None and len(call.args) == len(function.args.args):
                own.append(self._cut(there, call.args))
            if not isinstance(stmt, ast.Assign):
                raise Unclear
            target = stmt.targets[0]
            if len(stmt.targets) != 1 or not isinstance(target, (ast.Name, ast.Attribute)):
                raise Unclear
            given = file.arguments(maker, call)
            if at_place != place:
                self._known(file, maker, given, self.files[at_place])
            said, indent = ast.unparse(target), self.files[at_place].indent(stmt)
            at = there.index.offset((stmt.end_lineno or stmt.lineno) + 1, 0)
            lines = ""
            for put in maker.puts:
                head = document.text[slice(*document.index.span(put.call.func))]
                name = document.text[slice(*document.index.span(_key(put.call)))]
                text = f"{head}({name}, {file.text(put.item, maker, given, said)})"
                way = None
                if put.parameter is not None:
                    way = self._way(file, given.get(put.parameter), self.inside[id(use)])
                if put.test is not None and way is None:
                    lines += f"{indent}if {file.text(put.test, maker, given, said)}:\n    "
                if put.test is None or way is not False:
                    lines += f"{indent}{text}\n"
            own.append(Edit(at, at, lines))

    def _known(
        self, file: Collection, maker: Maker, given: dict[str, ast.expr], other: Collection
    ) -> None:
        """See that what a function puts in means the same in another file that calls it.

        Raises:
            Unclear: it is made of more than constants, TensorFlow and what the function makes.
        """
        same = tensorflow(file.tree) & tensorflow(other.tree)
        local = {maker.variable, *maker.local, *same}
        nodes = [put.item for put in maker.puts]
        nodes += [put.test for put in maker.puts if put.test is not None]
        for node in (n for one in (*nodes, *maker.local.values()) for n in all_of(one, ast.Name)):
            if node.id not in local and not isinstance(given.get(node.id), ast.Constant):
                raise Unclear

    def _unused(self, maker: Maker) -> str | None:
        """The last parameter of a function, where only what it put in read it."""
        args = maker.node.args
        if len(args.args) < 2 or args.defaults:
            return None
        last = args.args[-1].arg
        gone = {id(n) for stmt in maker.gone for n in walk(stmt)}
        read = {n.id for n in all_of(maker.node, ast.Name) if id(n) not in gone}
        calls = [self.statement(use)[1] for use in self.uses(maker.node)]
        if any(len(c.args) != len(args.args) and c.keywords for c in calls):
            return None
        return None if last in read else last

    def _cut(self, document: Document, items: Sequence[ast.AST]) -> Edit:
        """The last of several arguments goes."""
        (_, start), (_, end) = (document.index.span(n) for n in items[-2:])
        return Edit(start, end, "")

    def _way(self, file: Collection, value: ast.expr | None, home: Home) -> bool | None:
        """Whether an argument is something; None where only a run of the program tells it."""
        if isinstance(value, ast.Name) and isinstance(home, ast.FunctionDef):
            if value.id in {a.arg for a in all_of(home.args, ast.arg)}:
                return None
        try:
            return file.given(value)
        except Unclear:
            if isinstance(value, (ast.Name, ast.Attribute)):
                return None
            raise

    # -- functions that return what they put in --------------------------------------------

    def fillers(self, readers: set[int]) -> list[ast.FunctionDef]:
        """The functions that fill the collection, by themselves or by what they call."""
        found: list[ast.FunctionDef] = []
        uses = {function: self.uses(function) for function in self.functions.values()}
        before = -1
        while len(found) > before:
            before = len(found)
            for function in self.functions.values():
                calls = any(self.inside[id(u)] is function for f in found for u in uses[f])
                fills = self.fills(function) or (calls and self._takes(function))
                if function not in found and id(function) not in readers and fills:
                    found.append(function)
        homes = {*map(id, found), *readers}
        if any(id(self.inside[id(p)]) not in homes for p in self.puts):
            raise Unclear
        return found

    def _takes(self, function: ast.FunctionDef) -> bool:
        """Whether a function's callers need what the functions that it calls put in.

        They don't where it is one that nobody calls, or that runs a session.
        """
        text = ast.unparse(function)
        return "Session(" not in text and bool(self.uses(function))

    def heard(self, fillers: Sequence[ast.FunctionDef], readers: set[int]) -> list[ast.FunctionDef]:
        """Those of which somebody may want what they put in; in the others it isn't put in."""
        found = []
        for function in fillers:
            calls = [self._alone(use) for use in self.uses(function)]
            gives = any(n.value is not None for n in all_of(function, ast.Return))
            runs = [r for r in map(self.reached, self.entries()) if id(function) in r]
            if gives or not all(calls) or not runs or any(r & readers for r in runs):
                found.append(function)
                continue
            place = self.place[id(function)]
            known = tensorflow(self.files[place].tree)
            for put in self.fills(function):
                roots = [ast.unparse(c.func).partition(".")[0] for c in all_of(item(put), ast.Call)]
                if not known.issuperset(roots):
                    raise Unclear  # it does more than to compute
                self.edited.setdefault(place, []).append(self.files[place].gone(self.own(put)))
        return found

    def _alone(self, use: ast.AST) -> bool:
        """Whether a function is called by a statement of its own."""
        home = self.inside[id(use)]
        return any(getattr(s.value, "func", None) is use for s in all_of(home, ast.Expr))

    def once(self, reader: Home) -> None:
        """See that a function that reads the collection is called once."""
        seen: set[int] = set()
        while isinstance(reader, ast.FunctionDef):
            uses = self.uses(reader)
            if len(uses) > 1 or id(reader) in seen:
                raise Unclear
            if not uses:
                return
            seen.add(id(reader))
            home = self.inside[id(uses[0])]
            if any(isinstance(n, LOOPS) and uses[0] in walk(n) for n in walk(home)):
                raise Unclear
            reader = home

    def apart(self, readers: dict[int, Home], fillers: Sequence[ast.FunctionDef]) -> None:
        """See that nothing that fills the collection runs in a process that reads it elsewhere."""
        uses = [u for f in fillers for u in self.uses(f)]
        uses = [u for u in uses if not self._in_own_graph(u, set(readers))]
        homes = {id(self.inside[id(u)]): self.inside[id(u)] for u in uses}
        others = [h for k, h in homes.items() if k not in readers and h not in fillers]
        wanted = {*readers}
        for entry in self.entries():
            reached = self.reached(entry)
            if reached & wanted and any(id(h) in reached for h in others):
                raise Unclear
            if len(reached & wanted) > 1:
                raise Unclear  # one reads what another one has put in

    def _in_own_graph(self, use: ast.AST, readers: set[int]) -> bool:
        """Whether a function is called for a graph of its own, ``with tf.Graph().as_default():``.

        That graph has its own collections, which nothing reads.
        """
        home = self.inside[id(use)]
        known = tensorflow(self.documents[self.place[id(home)]].tree)
        made = {f"{name}.Graph().as_default()" for name in known}
        own = any(
            ast.unparse(block.items[0].context_expr) in made and use in walk(block)
            for block in all_of(home, ast.With)
        )
        return own and not self.reached(home.body) & readers

    def callers(self, fillers: Sequence[ast.FunctionDef], readers: dict[int, Home]) -> None:
        """Calls where nobody wants what is put in: it is taken by a name of its own."""
        for function in fillers:
            for use in self.uses(function):
                home = self.inside[id(use)]
                if id(home) in readers or home in fillers:
                    continue
                stmt, _ = self.statement(use)
                place = self.place[id(home)]
                self._taken(self.files[place], stmt, function, "_")

    def listed(self, home: Home, fillers: Sequence[ast.FunctionDef], *, reads: bool) -> None:
        """A function, or the module, that keeps what is put in under a name."""
        place = self.place[id(home)]
        file, document = self.files[place], self.documents[place]
        edits = self.edited.setdefault(place, [])
        calls = [
            (use, function)
            for function in fillers
            for use in self.uses(function)
            if self.inside[id(use)] is home
        ]
        puts = self.fills(home)
        gets = [g for g in self.gets if self.inside[id(g)] is home]
        name = self.named(home)
        lent = list(self.lent(home))
        stmts = [self.statement(use)[0] for use, _ in calls] + [self.own(p) for p in puts]
        for get in gets:
            for stmt in stmts:
                loop = any(isinstance(n, LOOPS) and {get, stmt} <= set(walk(n)) for n in walk(home))
                if stmt.lineno >= get.lineno or loop:
                    raise Unclear
            edits.append(Edit(*document.index.span(get), name))
        if any(
            isinstance(n, ast.Attribute) and n.attr in ("reset_default_graph", "Graph")
            for n in walk(home)
            if reads and getattr(n, "lineno", 0) > min((s.lineno for s in stmts), default=0)
        ):
            raise Unclear
        if not stmts:
            raise Unclear
        direct = len(calls) == 1 and not puts and stmts[0] in list(plain(home.body))
        if direct and any(call.lineno <= stmts[0].lineno for call in lent):
            raise Unclear
        for use, function in calls:
            stmt, _ = self.statement(use)
            if direct:
                self._taken(file, stmt, function, name)
                continue
            target = getattr(stmt, "targets", [None])[0]
            word = target.id if isinstance(target, ast.Name) else function.name
            more = self.free(home, f"{word}_{self.key}")
            self._taken(file, stmt, function, more)
            at = document.index.offset((stmt.end_lineno or stmt.lineno) + 1, 0)
            edits.append(Edit(at, at, f"{file.indent(stmt)}{name} += {more}\n"))
        for put in puts:
            lo, hi = document.index.span(item(put))
            edits.append(Edit(*document.index.span(put), f"{name}.append({document.text[lo:hi]})"))
        if not direct:
            body = home.body
            first = next(s for s in body if any(n in walk(s) for n in (*stmts, *lent)))
            if isinstance(home, ast.FunctionDef):
                first = body[1] if ast.get_docstring(home) is not None else body[0]
            at = document.index.offset(first.lineno, 0)
            edits.append(Edit(at, at, f"{file.indent(first)}{name} = []\n"))
        if isinstance(home, ast.FunctionDef) and home in fillers:
            self._returns(file, home, name)

    def named(self, home: Home) -> str:
        """What a function, or the module, calls the list."""
        return self.free(home, self.key)

    def lent(self, home: Home) -> Iterable[ast.Call]:
        """The calls of functions that it gives the list to."""
        return ()

    def _returns(self, file: Collection, function: ast.FunctionDef, name: str) -> None:
        """A function returns its list, too."""
        place = self.place[id(function)]
        document = self.documents[place]
        if not isinstance(last(function.body), ast.Return):
            raise Unclear
        for n in walk(function):
            inner = isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not function
            if inner or isinstance(n, (ast.Yield, ast.YieldFrom)):
                raise Unclear
            if isinstance(n, ast.Return):
                if n.value is None:
                    raise Unclear
                lo, hi = document.index.span(n.value)
                text = document.text[lo:hi]
                end = hi
                if isinstance(n.value, ast.Tuple) and text.endswith(")") and text.startswith("("):
                    end = hi - 1
                if isinstance(n.value, ast.Tuple) and text.rstrip(") \t\n").endswith(","):
                    raise Unclear
                self.edited[place].append(Edit(end, end, f", {name}"))

    def _taken(
        self, file: Collection, stmt: ast.stmt, function: ast.FunctionDef, name: str
    ) -> None:
        """An assignment of what a function returns takes its list, too."""
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            raise Unclear
        target = stmt.targets[0]
        sizes = {
            len(n.value.elts) if isinstance(n.value, ast.Tuple) else 0
            for n in all_of(function, ast.Return)
        }
        own = len(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else 0
        if sizes != {own} or any(isinstance(n, ast.Starred) for n in walk(target)):
            raise Unclear
        place = self.files.index(file)
        document = self.documents[place]
        _, hi = document.index.span(target)
        if isinstance(target, (ast.Tuple, ast.List)) and document.text[hi - 1] in ")]":
            hi -= 1
        self.edited.setdefault(place, []).append(Edit(hi, hi, f", {name}"))

    def own(self, put: ast.Call) -> ast.stmt:
        """The statement that puts something in."""
        for stmt in walk(self.inside[id(put)]):
            if isinstance(stmt, ast.Expr) and stmt.value is put:
                return stmt
        raise Unclear


def _key(call: ast.Call) -> ast.expr:
    """The name of a collection, where it is filled."""
    return call.args[0] if call.args else next(k.value for k in call.keywords if k.arg == "name")


def item(call: ast.Call) -> ast.expr:
    found = call.args[1] if len(call.args) > 1 else None
    found = found or next((k.value for k in call.keywords if k.arg == "value"), None)
    if found is None:
        raise Unclear
    return found
