"""What a collection holds, given to the functions that read it.

Where one function fills it and another one reads it, what calls both keeps the list:
``y, losses = inference(x)``, then ``total = loss(y, labels, losses)``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.listing.tensor_collections import Collected
from migrate.rewriters.sessions.collected_elsewhere import LOOPS, Program, changed, item
from migrate.rewriters.sessions.homes import Home, Unclear


def handed_on(documents: Sequence[Document], error: Collected) -> list[tuple[int, Document]] | None:
    """The documents that change, by their places; None where it can't be told what is read."""
    return changed(_Given, documents, error.key)


class _Given(Program):
    """A program in which functions that read a collection get a list as their last argument."""

    def __init__(self, documents: Sequence[Document], key: str) -> None:
        super().__init__(documents, key)
        self.takers: dict[int, ast.FunctionDef] = {}  # what gets the list
        self.names: dict[int, str] = {}  # what each calls it

    def edits(self) -> dict[int, list[Edit]]:
        """The edits of each file.

        Raises:
            Unclear: it can't be told what the collection holds where it is read.
        """
        for node in (*self.puts, *self.gets):
            self.alone(node)
        if self.makers():
            raise Unclear  # what they put in is put in by what calls them first
        readers = {id(home): home for home in (self.inside[id(g)] for g in self.gets)}
        files = {id(document.tree) for document in self.documents}  # which may put in, too
        keepers = self._keepers(readers, self.fillers({*readers, *files}))
        fillers = self.heard(self.fillers({*self.takers, *keepers}), {*self.takers, *keepers})
        if self.edited:
            return self.edited
        if not self.takers:
            raise Unclear
        for keeper in keepers.values():
            self.once(keeper)
            self._settled(keeper)
        for taker in self.takers.values():
            if self.fills(taker):
                self.once(taker)  # what a second call finds hangs on whether the first one was run
        self.apart(keepers, fillers)
        self.callers(fillers, keepers)
        for taker in self.takers.values():
            self._parameter(taker)
            self._read(taker)
        for home in (*fillers, *keepers.values()):
            self.listed(home, fillers, reads=id(home) in keepers)
        for home in (*self.takers.values(), *keepers.values()):
            for call in self.lent(home):
                self._argument(home, call)
        return self.edited

    def _keepers(
        self, readers: dict[int, Home], fillers: Sequence[ast.FunctionDef]
    ) -> dict[int, Home]:
        """What keeps the list, and calls all that get it.

        Raises:
            Unclear: what would get it has more put in by functions that it calls.
        """
        calls = {id(self.inside[id(use)]) for function in fillers for use in self.uses(function)}
        fill = calls | {id(self.inside[id(put)]) for put in self.puts}
        keepers: dict[int, Home] = {}
        todo = list(readers.values())
        while todo:
            home = todo.pop()
            above = self._above_of(home)
            idle = isinstance(home, ast.FunctionDef) and not above and id(home) not in calls
            if not isinstance(home, ast.FunctionDef) or not ((idle and fillers) or above & fill):
                keepers[id(home)] = home
            elif id(home) in calls:
                raise Unclear
            elif id(home) not in self.takers:
                self.takers[id(home)] = home
                todo += [self.inside[id(use)] for use in self.uses(home)]
        return keepers

    def _above_of(self, home: Home) -> set[int]:
        """What calls a function, and what calls that."""
        found: set[int] = set()
        todo = [home]
        while todo:
            one = todo.pop()
            for use in self.uses(one) if isinstance(one, ast.FunctionDef) else ():
                outer = self.inside[id(use)]
                if id(outer) not in found:
                    found.add(id(outer))
                    todo.append(outer)
        return found

    def named(self, home: Home) -> str:
        """What a function, or the module, calls the list."""
        if id(home) not in self.names:
            self.names[id(home)] = self.free(home, self.key)
        return self.names[id(home)]

    def lent(self, home: Home) -> Iterator[ast.Call]:
        """The calls of functions that it gives the list to."""
        calls = all_of(home, ast.Call)
        for taker in self.takers.values():
            for use in self.uses(taker):
                if self.inside[id(use)] is home:
                    self.alone(use)
                    call = next((c for c in calls if c.func is use), None)
                    if call is None:
                        raise Unclear
                    yield call

    def _parameter(self, function: ast.FunctionDef) -> None:
        """A function's last parameter."""
        args = function.args
        odd = args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults
        if odd or not args.args or function.decorator_list:
            raise Unclear
        place = self.place[id(function)]
        end = self.documents[place].index.span(args.args[-1])[1]
        edits = self.edited.setdefault(place, [])
        edits.append(Edit(end, end, f", {self.named(function)}"))

    def _argument(self, home: Home, call: ast.Call) -> None:
        """A call's last argument."""
        given = [*call.args, *(k.value for k in call.keywords)]
        starred = any(isinstance(a, ast.Starred) for a in call.args)
        if not given or starred or any(k.arg is None for k in call.keywords):
            raise Unclear
        place = self.place[id(home)]
        document = self.documents[place]
        begin, end = document.index.span(call)
        before = document.text[begin : end - 1].rstrip()
        if "#" in before.rpartition("\n")[2]:
            raise Unclear  # a comment ends the last argument's line
        said = self.named(home)
        if call.keywords:
            taker = next(f for f in self.takers.values() if call.func in self.uses(f))
            said = f"{self.named(taker)}={said}"
        at = begin + len(before)
        new = f" {said}" if before.endswith(",") else f", {said}"
        self.edited.setdefault(place, []).append(Edit(at, at, new))

    def _read(self, home: ast.FunctionDef) -> None:
        """What a function reads, and adds, of the list that it is given."""
        place = self.place[id(home)]
        document = self.documents[place]
        edits = self.edited.setdefault(place, [])
        name = self.named(home)
        puts = self.fills(home)
        for put in puts:
            self.own(put)
            lo, hi = document.index.span(item(put))
            edits.append(Edit(*document.index.span(put), f"{name}.append({document.text[lo:hi]})"))
        self._settled(home, puts)
        for get in (g for g in self.gets if self.inside[id(g)] is home):
            if any(isinstance(n, LOOPS) and get in walk(n) for n in walk(home)):
                raise Unclear
            edits.append(Edit(*document.index.span(get), name))

    def _settled(self, home: Home, puts: Sequence[ast.AST] = ()) -> None:
        """See that nothing is put in after it was read, which would be in what was read."""
        added = any(self.fills(taker) for taker in self.takers.values())
        later = [*puts, *(self.lent(home) if added else ())]
        gets = [g for g in self.gets if self.inside[id(g)] is home]
        if any(getattr(n, "lineno", 0) >= g.lineno for g in gets for n in later):
            raise Unclear
