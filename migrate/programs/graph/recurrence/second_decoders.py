"""Cells that are made again for a second decoder: ``with tf.variable_scope("decode", reuse=True)``.

They have the variables of the first decoder's cells, and are those. What the second one attends to
stands where it runs (`memories`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.meaning import CELLS, T
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.recurrence.attention import MECHANISMS, SEQ2SEQ
from migrate.programs.graph.recurrence.cells import MEMORY
from migrate.programs.graph.recurrence.recurrent import none
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled, Written, free, line, same, word

REASON = "a cell with `reuse`"
DENSE = T + "layers.Dense"
SCORES = frozenset(SEQ2SEQ + name for name in MECHANISMS)
FLAGS = ("reuse", "_reuse")


def check(walker: Any, node: ast.AST) -> None:
    """See whether a flag that says True is that of a second decoder's cells.

    Raises:
        Spelled: its cells are surely those of the first.
    """
    for outer in walk(walker.tree):
        for body in (getattr(outer, part, None) for part in ("body", "orelse")):
            if not isinstance(body, list):
                continue
            scopes = [s for s in body if isinstance(s, ast.With) and _scope(walker, s) is not None]
            for second in scopes:
                before = scopes[: scopes.index(second)]
                first = [s for s in before if _scope(walker, s) == _scope(walker, second)]
                if len(first) == 1 and _reuses(second) and not _reuses(first[0]):
                    between = body[body.index(first[0]) + 1 : body.index(second)]
                    _Pair(walker, first[0], second, between).spell(node)


def handed(walker: Any, node: ast.expr) -> None:
    """``attention(memory, reuse=True)`` of a function that hands its flag to what makes cells.

    Raises:
        Inlinable: it may stand where it is called, in the scopes of two decoders.
    """
    target = function_around(walker.tree, node)
    if not isinstance(node, ast.Name) or not isinstance(target, ast.FunctionDef):
        return
    calls = known_branches.every(walker, target)
    again = any(_says_so(target, call, node.id) for call in calls)
    for call in calls:
        given = known_branches.place(target, call, node.id)
        outer = function_around(walker.tree, call)
        if outer is None or not isinstance(given, ast.Name):
            continue
        if given.id not in [a.arg for a in outer.args.args]:
            continue
        others = known_branches.every(walker, outer)
        if not again and not any(_says_so(outer, other, given.id) for other in others):
            continue
        for stmt in all_of(walker.tree, ast.Assign):
            if any(stmt.value is other for other in others):
                assert isinstance(stmt.value, ast.Call)
                why = "makes cells that find their variables again"
                training_helpers.few(walker, outer, stmt.value, why, stmt=stmt)


def _says_so(target: ast.FunctionDef, call: ast.Call, name: str) -> bool:
    """Whether a call gives a flag as True."""
    given = known_branches.given_to(target, call, name)
    return given is not None and given.value is True


def _scope(walker: Any, stmt: ast.With) -> str | None:
    """The name of the variable scope that a statement opens."""
    call = stmt.items[0].context_expr
    if len(stmt.items) > 1 or not isinstance(call, ast.Call) or not call.args:
        return None
    if walker.endpoints.get(id(call.func)) != T + "variable_scope":
        return None
    name = call.args[0]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else None


def _reuses(stmt: ast.With) -> bool:
    call = stmt.items[0].context_expr
    flags = [k.value for k in all_of(call, ast.keyword) if k.arg == "reuse"]
    return any(isinstance(f, ast.Constant) and f.value is True for f in flags)


class _Pair:
    def __init__(
        self, walker: Any, first: ast.With, second: ast.With, between: list[ast.stmt]
    ) -> None:
        self.walker, self.first, self.second = walker, first, second
        self.between = between

    def spell(self, node: ast.AST) -> None:
        """Raise what is written instead, where both make the same cells."""
        again = list(self._cells(self.second))
        made = list(self._cells(self.first))
        if not again or not any(self._flagged(s) for s in again) or len(made) != len(again):
            return
        renamed = self._renamed(made, again)
        if renamed is None:
            return
        if any(self._told(a) != self._told(b, renamed) for a, b in zip(made, again, strict=True)):
            return
        own = {ast.unparse(s.targets[0]) for s in (*made, *again)}
        if not self._alike(made, again, own):
            return
        replaced: list[Written] = [(s, word("")) for s in again]
        gone = {id(n) for s in again for n in walk(s)}
        names = (n for n in all_of(self.second, ast.Name) if id(n) not in gone)
        replaced += [(n, word(renamed[n.id])) for n in names if renamed.get(n.id, n.id) != n.id]
        for scope, cells in ((self.first, made), (self.second, again)):
            more = self._memory(scope, cells)
            if more is None:
                return
            for call in self._calls(scope, SEQ2SEQ + "dynamic_decode") if more else ():
                last = [*call.args, *(k.value for k in call.keywords)][-1]
                replaced.append((last, same(last, after=more)))
        replaced += [(n, word("None")) for s in made for n in self._given(s).values()]
        layers = self._calls(self.second, DENSE)
        one = self._shared(layers)
        if layers and one is None:
            return
        above = []
        if one is not None:
            name = free(self.walker, "output_layer")
            replaced += [(n, word(name)) for n in (one, layers[0])]
            above = [(self.first.body[0], line(name, one))]
        raise Spelled(node, REASON, replaced, above)

    def _shared(self, layers: list[ast.Call]) -> ast.Call | None:
        """The layer of the first scope that the second one's finds again."""
        made = self._calls(self.first, DENSE)
        if len(made) != 1 or len(layers) != 1 or not self._flagged(layers[0]):
            return None
        (one,) = made
        alike = _plain(one) == _plain(layers[0]) and not self._flagged(one)
        plain = (s for s in self.first.body if isinstance(s, (ast.Assign, ast.Expr)))
        inside = any(holds(s, one) and s.value is not one for s in plain)
        read = {ast.unparse(n) for n in walk(one) if isinstance(n, (ast.Name, ast.Attribute))}
        every = [*self.first.body, *self.between, *self.second.body]
        return one if alike and inside and not read & set(self._stores(every, ())) else None

    def _cells(self, scope: ast.With) -> Iterator[ast.Assign]:
        """The statements of a scope that give cells and mechanisms names."""
        for stmt in scope.body:
            match stmt:
                case ast.Assign([ast.Name()], ast.Call(func)):
                    endpoint = self.walker.endpoints.get(id(func), "")
                    own = not endpoint and self._flagged(stmt)
                    if own or (endpoint in CELLS and endpoint != DENSE):
                        yield stmt

    def _flagged(self, node: ast.AST) -> bool:
        """Whether something is told to find its variables."""
        flags = [k.value for k in all_of(node, ast.keyword) if k.arg in FLAGS]
        flags += self._placed(node)
        return any(isinstance(f, ast.Constant) and f.value is True for f in flags)

    def _placed(self, node: ast.AST) -> list[ast.expr]:
        """What calls of the program's functions give a flag by its place: ``cell(size, True)``."""
        found: list[ast.expr] = []
        functions = all_of(self.walker.tree, ast.FunctionDef)
        for call in all_of(node, ast.Call):
            for target in functions:
                if target.name == getattr(call.func, "id", ""):
                    if any(call is one for one in known_branches.every(self.walker, target)):
                        pairs = zip(target.args.args, call.args, strict=False)
                        found += [value for arg, value in pairs if arg.arg in FLAGS]
        return found

    def _renamed(self, made: list[ast.Assign], again: list[ast.Assign]) -> dict[str, str] | None:
        """What the second decoder's cells are called in the first; None where that isn't told."""
        found: dict[str, str] = {}
        for one, other in zip(made, again, strict=True):
            name = ast.unparse(one.targets[0])
            if found.setdefault(ast.unparse(other.targets[0]), name) != name:
                return None
        if len(set(found.values())) != len(found):
            return None
        others = {mine for mine, first in found.items() if mine != first}
        inside = set(map(id, walk(self.second)))
        function = function_around(self.walker.tree, self.second) or self.walker.tree
        read = (n for n in all_of(function, ast.Name) if n.id in others and id(n) not in inside)
        return None if others & set(found.values()) or any(True for _ in read) else found

    def _told(self, stmt: ast.Assign, names: dict[str, str] | None = None) -> str:
        """A statement without its flags and what is attended to; ``names``: as it is read."""
        known = set(map(id, self._given(stmt, nothing=True).values()))
        known |= set(map(id, self._placed(stmt)))
        return _plain(stmt, known, names or {})

    def _given(self, stmt: ast.Assign, *, nothing: bool = False) -> dict[str, ast.expr]:
        """What a mechanism is given of a run; ``nothing``: None, too."""
        call = stmt.value
        assert isinstance(call, ast.Call)
        endpoint = self.walker.endpoints.get(id(call.func), "")
        if endpoint not in SCORES:
            return {}
        given = self.walker.bound(endpoint, call)
        return {k: given[k] for k in MEMORY if k in given and (nothing or not none(given[k]))}

    def _memory(self, scope: ast.With, cells: list[ast.Assign]) -> str | None:
        """The arguments that tell a run what its cell attends to.

        None: mechanisms have other ones, or it has no name that stays what it is.
        """
        given = [g for g in map(self._given, cells) if g]
        said = [n for g in given for n in g.values()]
        told = {", ".join(f"{k}={ast.unparse(v)}" for k, v in g.items()) for g in given}
        if len(told) > 1 or not all(isinstance(n, (ast.Name, ast.Attribute)) for n in said):
            return None
        first = min((n.lineno for n in said), default=0)
        later = [s for s in scope.body if s.lineno > first]
        if {ast.unparse(n) for n in said} & set(self._stores(later, ())):
            return None
        return "".join(f", {one}" for one in told)

    def _calls(self, scope: ast.With, endpoint: str) -> list[ast.Call]:
        found = all_of(scope, ast.Call)
        return [n for n in found if self.walker.endpoints.get(id(n.func)) == endpoint]

    def _stores(self, body: Sequence[ast.stmt], skipped: Sequence[ast.stmt]) -> Iterator[str]:
        for stmt in body:
            if any(stmt is one for one in skipped):
                continue
            for n in walk(stmt):
                if isinstance(n, (ast.Name, ast.Attribute)) and not isinstance(n.ctx, ast.Load):
                    yield ast.unparse(n)

    def _alike(self, made: list[ast.Assign], again: list[ast.Assign], own: set[str]) -> bool:
        """Whether what the statements read means the same in both scopes."""
        every = (*made, *again)
        body = [*self.first.body, *self.between, *self.second.body]
        stored = set(self._stores(body, every))
        last = {ast.unparse(s.targets[0]): s.lineno for s in again}
        others = (n for s in self.second.body if s not in again for n in all_of(s, ast.Name))
        if stored & own or any(n.lineno < last.get(n.id, 0) for n in others):
            return False
        for one, other in zip(made, again, strict=True):
            known = {id(m) for s in (one, other) for g in self._given(s).values() for m in walk(g)}
            inner = set(self._stores([one, other], ())) - own  # of a comprehension
            names = {
                ast.unparse(n)
                for n in walk(one.value)
                if isinstance(n, (ast.Name, ast.Attribute)) and id(n) not in known
            }
            if (names - inner) & stored:
                return False
        return True


def _plain(
    node: ast.AST, without: Set[int] = frozenset(), names: Mapping[str, str] | None = None
) -> str:
    """The source of something without flags of reuse, and without some of its arguments."""
    found = copy.deepcopy(node)
    for name in all_of(found, ast.Name) if names else ():
        name.id = (names or {}).get(name.id, name.id)
    for old, new in zip(ast.walk(node), ast.walk(found), strict=True):
        if isinstance(old, ast.Call) and isinstance(new, ast.Call):
            pairs = zip(old.args, new.args, strict=True)
            new.args = [n for o, n in pairs if id(o) not in without]
            new.keywords = [
                n
                for o, n in zip(old.keywords, new.keywords, strict=True)
                if o.arg not in FLAGS and id(o.value) not in without
            ]
    return ast.unparse(found)
