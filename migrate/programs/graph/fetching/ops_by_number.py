"""Assignments of a list that runs take by number, each fed a placeholder of another list.

``ops = [v[i].assign(p[i]) for i in range(len(v))]``, then ``sess.run(ops[i], {p[i]: x})``: how an
agent's scores come into the variables of their summaries. ``v[i].load(x, sess)`` says the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

REASON = "an item of ops is taken"
REORDER = frozenset({"insert", "pop", "remove", "sort", "reverse", "clear"})
PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.operator, ast.expr_context)


@dataclass(slots=True, eq=False, repr=False)
class _List:
    """A list that one comprehension makes, and the statements that give it further names."""

    made: ast.Assign
    again: list[ast.Assign] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


@dataclass(slots=True, eq=False, repr=False)
class _Run:
    """A run of one assignment."""

    call: ast.Call
    op: ast.Subscript
    holder: ast.Subscript
    value: ast.expr  # that is fed


def check(walker: Any, node: ast.Subscript) -> None:
    """See whether a run is of one assignment of a list.

    Raises:
        Spelled: all that reads the list, and that of the placeholders, is such runs.
    """
    lists = list(_assignments(walker))
    names = _Names(walker.tree) if lists else None
    for made, variables, holders in lists:
        assert names is not None
        ops = names.given_to(made)
        if names.of(node.value) not in ops.names:
            continue
        fed = next((s for s in _lists(walker) if names.of(s.targets[0]) == names.of(holders)), None)
        if fed is None or not names.stays(variables):
            continue
        placeholders = names.given_to(fed)
        runs = list(_runs(names, ops, placeholders))
        inside = {id(n) for n in walk(made.value)}
        taken = {id(n) for run in runs for n in (run.op.value, run.holder.value)}
        read = [*names.places(ops), *names.places(placeholders)]
        if not runs or any(id(n) not in taken | inside for n in read):
            continue
        written = _written(names, ops, variables, runs)
        if written is not None:
            gone: list[Written] = [(s, word("")) for s in (fed, made, *placeholders.again)]
            raise Spelled(node, REASON, [*gone, *written])


class _Names:
    """What names and attributes are called: an attribute is the same one wherever it stands."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.homes: dict[int, ast.FunctionDef] = {}  # the innermost function around a node
        for function in all_of(tree, ast.FunctionDef):  # from outside to inside
            self.homes.update((id(n), function) for n in walk(function))
        self.local: set[tuple[int, str]] = set()
        for n in all_of(tree, ast.Name):
            if not isinstance(n.ctx, ast.Load):
                self.local.add((id(self.homes.get(id(n))), n.id))
        for arg in all_of(tree, ast.arg):
            self.local.add((id(self.homes.get(id(arg))), arg.arg))

    def of(self, node: ast.AST) -> str:
        """A name for what a name or an attribute means; nothing for anything else."""
        if isinstance(node, ast.Attribute):
            return f".{node.attr}"
        if not isinstance(node, ast.Name):
            return ""
        home = id(self.homes.get(id(node)))
        return f"{home if (home, node.id) in self.local else ''}:{node.id}"

    def given_to(self, made: ast.Assign) -> _List:
        """A list with all names that statements give it: ``self.ops = ops``."""
        found = _List(made, names={self.of(made.targets[0])})
        todo = [s for s in all_of(self.tree, ast.Assign) if len(s.targets) == 1]
        while more := [s for s in todo if self.of(s.value) in found.names]:
            todo = [s for s in todo if s not in more]
            more = [s for s in more if self.of(s.targets[0])]
            found.again += more
            found.names.update(self.of(s.targets[0]) for s in more)
        return found

    def places(self, one: _List) -> list[ast.AST]:
        """Where a list may be read, or bound anew."""
        own = {id(s.targets[0]) for s in (one.made, *one.again)} | {id(s.value) for s in one.again}
        return [n for n in walk(self.tree) if self.of(n) in one.names and id(n) not in own]

    def stays(self, variables: ast.expr) -> bool:
        """Whether a list of variables is bound once, and nothing puts it into another order."""
        said = self.of(variables)
        nodes = [n for n in walk(self.tree) if said and self.of(n) == said]
        stores = [n for n in nodes if not isinstance(getattr(n, "ctx", None), ast.Load)]
        changed = any(
            n.attr in REORDER and self.of(n.value) == said for n in all_of(self.tree, ast.Attribute)
        )
        return len(stores) == 1 and not changed


def _assignments(walker: Any) -> Iterator[tuple[ast.Assign, ast.expr, ast.expr]]:
    """The statements that list assignments, with the lists of variables and of placeholders."""
    for stmt in all_of(walker.tree, ast.Assign):
        if len(stmt.targets) != 1:
            continue
        match stmt.value:
            case ast.ListComp(ast.Call(func, args, []), [ast.comprehension(target, rounds, [])]):
                if isinstance(func, ast.Attribute) and func.attr == "assign" and len(args) == 1:
                    args = [func.value, *args]
                elif walker.endpoints.get(id(func)) != T + "assign" or len(args) != 2:
                    continue
            case _:
                continue
        match target, rounds, args:
            case (
                ast.Name(i),
                ast.Call(ast.Name("range"), [_], []),
                [ast.Subscript(first, ast.Name(j)), ast.Subscript(second, ast.Name(k))],
            ) if i == j == k:
                yield stmt, first, second
            case (
                ast.Tuple([ast.Name(i), ast.Name(j)]),
                ast.Call(ast.Name("zip"), [first, second], []),
                [ast.Name(k), ast.Name(m)],
            ) if (i, j) == (k, m):
                yield stmt, first, second


def _lists(walker: Any) -> Iterator[ast.Assign]:
    """The statements that list placeholders."""
    for stmt in all_of(walker.tree, ast.Assign):
        made = stmt.value.elt if isinstance(stmt.value, ast.ListComp) else None
        if len(stmt.targets) == 1 and isinstance(made, ast.Call):
            if walker.endpoints.get(id(made.func)) == T + "placeholder":
                yield stmt


def _runs(names: _Names, ops: _List, placeholders: _List) -> Iterator[_Run]:
    """The statements that run one assignment."""
    for stmt in all_of(names.tree, ast.Expr):
        match stmt.value:
            case ast.Call(ast.Attribute(attr="run"), [ast.Subscript() as op, *more], keywords):
                pass
            case ast.Call(ast.Attribute(ast.Subscript() as op, "run"), more, keywords):
                pass
            case _:
                continue
        given = [*more, *(k.value for k in keywords if k.arg == "feed_dict")]
        match given:
            case [ast.Dict([ast.Subscript() as holder], [value])] if len(keywords) + len(more) == 1:
                same = ast.unparse(op.slice) == ast.unparse(holder.slice)
                plain = all(isinstance(n, PLAIN) for n in walk(op.slice))
                theirs = names.of(op.value) in ops.names
                if same and plain and theirs and names.of(holder.value) in placeholders.names:
                    assert isinstance(stmt.value, ast.Call)
                    yield _Run(stmt.value, op, holder, value)


def _written(
    names: _Names, ops: _List, variables: ast.expr, runs: list[_Run]
) -> list[Written] | None:
    """What the runs become, and the further names of the list of assignments."""
    own = ast.unparse(variables)
    home = names.homes.get(id(ops.made))
    away = [r for r in runs if home is not None and names.homes.get(id(r.call)) is not home]
    written: list[Written] = []
    kept = isinstance(variables, ast.Name) and bool(away)  # by an object, as the ops were
    if kept:
        attributes = [s for s in ops.again if isinstance(s.targets[0], ast.Attribute)]
        taken = any(n.attr == own for n in all_of(names.tree, ast.Attribute))
        if taken or len(attributes) != 1 or names.homes.get(id(attributes[0])) is not home:
            return None
        (stmt,) = attributes
        target = stmt.targets[0]
        assert isinstance(target, ast.Attribute)
        owner = target.value
        written.append((stmt, lambda source: f"{source(owner)}.{own} = {own}"))
    written += [(s, word("")) for s in ops.again if not any(s is n for n, _ in written)]
    for run in runs:
        of_object = isinstance(variables, ast.Attribute) or run in away
        if of_object and not isinstance(run.op.value, ast.Attribute):
            return None
        written.append((run.call, _loaded(run, own, of_object)))
    return written


def _loaded(run: _Run, own: str, of_object: bool) -> Callable[[Source], str]:
    """``v[i].load(x, sess)`` for a run."""
    func, op = run.call.func, run.op
    assert isinstance(func, ast.Attribute)
    session = [] if func.value is op else [func.value]

    def text(source: Source) -> str:
        name = own
        if of_object and isinstance(op.value, ast.Attribute):
            name = f"{source(op.value.value)}.{own.rpartition('.')[2]}"
        given = ", ".join(map(source, [run.value, *session]))
        return f"{name}[{source(op.slice)}].load({given})"

    return text
