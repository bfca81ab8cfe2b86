"""Outputs that slim collects in functions of functions, and nobody reads: they aren't collected.

``collect_named_outputs(outputs_collections, sc.name, net)`` is ``net``, and the dict that
``convert_collection_to_dict`` makes has what the program itself puts into it. The program's
building is executed with Python's values, which shows who reads the dict.

https://github.com/google-research/tf-slim/blob/master/tf_slim/layers/utils.py
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.sizing.size_texts import trees
from migrate.programs.graph.sizing.static_run import values
from migrate.programs.graph.sizing.static_run.expressions import Stop
from migrate.programs.graph.sizing.static_run.run import Run
from migrate.programs.graph.wording.known_branches import cut, span
from migrate.programs.graph.wording.spelled import Gone, Source, Spelled, Written, same, word

PARAMETER = "outputs_collections"
CONVERT = "utils.convert_collection_to_dict"
COLLECT = "utils.collect_named_outputs"
TOLD = (ast.Attribute, ast.BinOp, ast.Add, ast.Constant, ast.Name, ast.expr_context)


class _Seen(Exception):
    """What is collected may be read."""


def check(walker: Any, node: ast.AST, reason: str) -> None:
    """See whether functions of the program collect what nobody reads.

    Raises:
        Spelled: they do.
    """
    files = list(trees(walker))
    takers = [f for t in files for f in all_of(t, ast.FunctionDef) if _takes(f)]
    if not takers:
        return
    run = Run(walker)
    try:
        run.entries()
        replaced = _Ends(walker, run, files, takers).replaced()
    except (Stop, RecursionError, _Seen):
        return
    raise Spelled(node, reason, replaced)


def _takes(target: ast.FunctionDef) -> bool:
    return any(a.arg == PARAMETER for a in target.args.args)


class _Ends:
    """What a program collects, in which functions, and what becomes of them."""

    def __init__(
        self, walker: Any, run: Run, files: list[ast.Module], takers: list[ast.FunctionDef]
    ) -> None:
        self.walker, self.run, self.files, self.takers = walker, run, files, takers
        self.parents = {k: n for tree in files for k, n in parents_of(tree).items()}
        self.gone: dict[int, list[ast.keyword]] = {}  # by call: the keywords that go
        self.calls: dict[int, ast.Call] = {}

    def replaced(self) -> list[Written]:
        """The dicts, empty at first; the outputs; the functions without their parameter."""
        found: list[Written] = []
        converts = [c for c in self._every() if self._is(c, CONVERT)]
        if not any(id(c) in self.run.facts for c in converts):
            raise _Seen
        for call in converts:
            found += self._converted(call)
        collected = [c for c in self._every() if self._is(c, COLLECT)]
        for target in self.takers:
            found += self._taker(target, collected)
        if collected:
            raise _Seen
        listed = [(k, c) for c in self._every() for k in c.keywords if k.arg == PARAMETER]
        known = {id(k) for each in self.gone.values() for k in each}
        if any(id(k) not in known and not self._left(c) for k, c in listed):
            raise _Seen
        return [*found, *(self._without(self.calls[key]) for key in self.gone)]

    def _every(self) -> list[ast.Call]:
        return [c for tree in self.files for c in all_of(tree, ast.Call)]

    def _is(self, call: ast.Call, what: str) -> bool:
        return str(self.walker.endpoints.get(id(call.func), "")).endswith(what)

    def _home(self, node: ast.AST) -> ast.FunctionDef:
        while not isinstance(node, ast.FunctionDef):
            if id(node) not in self.parents:
                raise _Seen
            node = self.parents[id(node)]
        return node

    def _converted(self, call: ast.Call) -> list[Written]:
        """A function that makes a dict of what is collected."""
        target, stmt = self._home(call), self.parents[id(call)]
        name = call.args[0] if len(call.args) == 1 and not call.keywords else None
        if not isinstance(name, ast.Name) or not isinstance(stmt, ast.Assign):
            raise _Seen
        uses = [n for n in all_of(target, ast.Name) if n.id == name.id]
        begun = [n for n in uses if not isinstance(n.ctx, ast.Load)]
        begin = self.parents[id(begun[0])] if len(begun) == 1 else None
        if not isinstance(begin, ast.Assign) or len(begin.targets) != 1:
            raise _Seen
        if not all(isinstance(n, TOLD) for n in walk(begin.value)):
            raise _Seen
        given = [self._keyword(n) for n in uses if n is not begun[0] and n is not name]
        if id(call) not in self.run.facts:  # no program calls it: it stays as it is
            if any(self._lists(owner) for _, owner in given):
                raise _Seen
            return []
        if not any(self._lists(owner) for _, owner in given):
            raise _Seen  # they are in this function alone, which has another way
        self._unread(call, target)
        for keyword, owner in given:
            self._go(keyword, owner)
        return [(begin, word("")), (call, word("{}"))]

    def _go(self, keyword: ast.keyword, owner: ast.Call) -> None:
        self.gone.setdefault(id(owner), []).append(keyword)
        self.calls[id(owner)] = owner

    def _keyword(self, use: ast.AST) -> tuple[ast.keyword, ast.Call]:
        """The keyword that a collection is given as, and the call."""
        outer = self.parents[id(use)]
        if isinstance(outer, (ast.List, ast.Tuple)) and len(outer.elts) == 1:
            outer = self.parents[id(outer)]
        owner = self.parents[id(outer)]
        if not isinstance(outer, ast.keyword) or outer.arg != PARAMETER:
            raise _Seen
        if not isinstance(owner, ast.Call):
            raise _Seen
        return outer, owner

    def _lists(self, call: ast.Call) -> bool:
        """Whether a call is of a function that takes a collection, or lists one for arguments."""
        names = {f.name for f in self.takers}
        parts = [call.func, *(n for a in call.args for n in getattr(a, "elts", ()))]
        return any(getattr(n, "attr", getattr(n, "id", "")) in names for n in parts)

    def _left(self, owner: ast.Call) -> bool:
        """Whether a call is in a function that stays as it is."""
        target = self._home(owner)
        made = [c for c in all_of(target, ast.Call) if self._is(c, CONVERT)]
        alone = bool(made) and not any(id(c) in self.run.facts for c in made)
        return alone and not self._lists(owner)

    def _taker(self, target: ast.FunctionDef, collected: list[ast.Call]) -> list[Written]:
        """A function that is given the collection, and gives its outputs to it."""
        found: list[Written] = []
        args = target.args
        if args.vararg or args.kwonlyargs or args.posonlyargs or len(args.args) < 2:
            raise _Seen
        place = [a.arg for a in args.args].index(PARAMETER)
        for call in self._every():
            named = getattr(call.func, "attr", getattr(call.func, "id", "")) == target.name
            if named and len(call.args) > place:
                raise _Seen
        for use in [n for n in all_of(target, ast.Name) if n.id == PARAMETER]:
            outer = self.parents[id(use)]
            if isinstance(outer, ast.Call) and self._is(outer, COLLECT) and outer.args[0] is use:
                found.append(self._output(outer))
                collected.remove(outer)
            else:
                self._go(*self._keyword(use))
        defaults: list[ast.expr | None] = [None] * (len(args.args) - len(args.defaults))
        defaults += args.defaults
        if defaults[place] is None:
            raise _Seen
        params = [(a, d or a) for a, d in zip(args.args, defaults, strict=True)]
        found.append(cut(params, place))
        return [*found, *_told_of(target)]

    def _output(self, call: ast.Call) -> Written:
        """What is collected, by itself."""
        if len(call.args) != 3 or call.keywords:
            raise _Seen
        stmt, output = self.parents[id(call)], call.args[2]
        if isinstance(stmt, ast.Assign) and isinstance(output, ast.Name):
            targets = [getattr(t, "id", None) for t in stmt.targets]
            if targets == [output.id]:
                return stmt, lambda _: Gone("")
        if not isinstance(output, (ast.Name, ast.Call, ast.Attribute)):
            raise _Seen
        return call, same(output)

    def _without(self, call: ast.Call) -> Written:
        """A call without what it gave the collection by."""
        gone = {id(k) for k in self.gone[id(call)]}
        items = [(n, n) for n in (*call.args, *call.keywords)]
        if len(gone) != 1 or len(items) < 2:
            raise _Seen
        if len(call.keywords) == 1 and self._is(call, "arg_scope"):
            listed = getattr(call.args[0], "elts", None)
            if len(call.args) != 1 or listed is None:
                raise _Seen
            left = [n for n in listed if id(n) in self.walker.endpoints]
            first, last = call.args[0], call.keywords[0]
            whole = span(_start(first), (last.end_lineno or 0, last.end_col_offset or 0))
            return whole, lambda source: f"[{', '.join(map(source, left))}]"
        return cut(items, next(i for i, (n, _) in enumerate(items) if id(n) in gone))

    def _unread(self, call: ast.Call, target: ast.FunctionDef) -> None:
        """See that nobody reads more of a dict than what is put into it by name."""
        stored = {
            n.slice.value
            for n in all_of(target, ast.Subscript)
            if isinstance(n.ctx, ast.Store) and isinstance(n.slice, ast.Constant)
        }
        names: set[str] = set()
        for tree in self.files:
            for node in walk(tree):
                told = [fact.value for fact in self.run.facts.get(id(node), ())]
                if not any(_has(value, call) for value in told):
                    continue
                if id(self._scope(node)) in self.run.lost:
                    raise _Seen
                places = {i for value in told for i in _places(value, call)}
                names |= self._passed(node, stored, places)
        for tree in self.files:
            for node in walk(tree):
                named = getattr(node, "id", getattr(node, "attr", None))
                if named not in names or not isinstance(getattr(node, "ctx", None), ast.Load):
                    continue
                told = [fact.value for fact in self.run.facts.get(id(node), ())]
                if any(value is values.UNKNOWN for value in told):
                    raise _Seen

    def _scope(self, node: ast.AST) -> ast.AST:
        while id(node) in self.parents and not isinstance(node, ast.FunctionDef):
            node = self.parents[id(node)]
        return node

    def _passed(self, node: ast.AST, stored: set[Any], places: set[int]) -> set[str]:
        """The names under which what an expression gives goes on."""
        outer = self.parents[id(node)]
        if isinstance(outer, ast.Subscript) and outer.value is node:
            key = outer.slice
            if isinstance(outer.ctx, ast.Store):
                return set()
            if isinstance(key, ast.Constant) and key.value in stored:
                return set()
            if isinstance(key, ast.Constant) and isinstance(key.value, int):
                return self._passed(outer, stored, set())  # one of what a function returns
            raise _Seen
        if isinstance(outer, ast.Tuple):
            return self._passed(outer, stored, set())
        if isinstance(outer, (ast.Return, ast.Expr)):
            return set()
        if isinstance(outer, ast.Assign) and outer.value is node:
            flat = [n for t in outer.targets for n in _taken(t, places)]
            if any(isinstance(n, ast.Subscript) for n in flat):
                raise _Seen
            return {str(getattr(n, "id", getattr(n, "attr", ""))) for n in flat}
        if isinstance(outer, (ast.arguments, ast.expr_context)):
            return set()
        raise _Seen


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _has(value: Any, call: ast.Call) -> bool:
    """Whether a value is a call's dict, or has it."""
    if isinstance(value, values.Collected):
        return value.made is call
    return isinstance(value, tuple) and any(_has(item, call) for item in value)


def _places(value: Any, call: ast.Call) -> list[int]:
    """Where in what a function returns a call's dict is."""
    items = value if isinstance(value, tuple) else ()
    return [i for i, item in enumerate(items) if _has(item, call)]


def _taken(target: ast.expr, places: set[int]) -> list[ast.AST]:
    """What of a target is given the dict."""
    if places and isinstance(target, (ast.Tuple, ast.List)):
        if not any(isinstance(n, ast.Starred) for n in target.elts):
            return [n for i, t in enumerate(target.elts) if i in places for n in walk(t)]
    return list(walk(target))


def _told_of(target: ast.FunctionDef) -> list[Written]:
    """What a docstring says of the parameter goes."""
    first = target.body[0]
    text = first.value if isinstance(first, ast.Expr) else None
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return []
    entry = re.compile(rf"^([ \t]*){PARAMETER}:.*\n(?:\1[ \t]+\S.*\n)*", re.M)

    def written(source: Source) -> str:
        return entry.sub("", source(text), count=1)

    return [(text, written)]
