"""Functions that make placeholders and compute with them: the placeholders stand at their calls.

``self.inputs, self.out = self.create_network()``, twice, for a net and its target: the function is
given what it made, ``self.out = self.create_network(self.inputs)`` behind ``self.inputs = …``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.objects import bases
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word

SIMPLE = (ast.Name, ast.Attribute, ast.Constant)


class Hoisted(Spelled):
    """Placeholders of a function that may stand where it is called."""


def check(walker: Any, target: ast.AST, reason: str, least: int = 2) -> None:
    """See whether a function that is called several times is better given its placeholders.

    ``least``: the calls that it must have.

    Raises:
        Hoisted: it is.
    """
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    args, last = target.args, target.body[-1]
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Tuple):
        return
    home, calls = home_of(walker, target), calls_of(walker, target)
    if len(calls) < least or (home is not None and not args.args):
        return
    made = _made(walker, target)
    returned = [n.id if isinstance(n, ast.Name) else "" for n in last.value.elts]
    kept = [i for i, name in enumerate(returned) if name not in made]
    if not made or not kept or any(returned.count(name) > 1 for name in made):
        return
    itself = args.args[0].arg if home is not None else ""
    replaced: list[Written] = [(s, word("")) for s in made.values()]
    if len(kept) < len(returned):
        left = [last.value.elts[i] for i in kept]
        replaced.append((last, lambda source: f"return {', '.join(map(source, left))}"))
    at = args.args[len(args.args) - len(args.defaults) - 1] if args.args else None
    if at is None or (len(args.args) == len(args.defaults)):
        return
    own = list(made)
    replaced.append((at, lambda source: ", ".join([source(at), *own])))
    before: list[Any] = []
    taken: list[str] = []
    for call in calls:
        found = _called(walker, target, call, made, returned, kept, itself, taken)
        if found is None:
            return
        replaced += found[0]
        before.append(found[1])
    raise Hoisted(next(iter(made.values())).value, reason, replaced, before)


def built(walker: Any, target: ast.AST, error: Blocked) -> None:
    """``x, y, loss, train = self.build_model()`` in a method that trains.

    Raises:
        Inlinable: it is all that such a statement does, and the statements may stand there.
    """
    if not isinstance(target, ast.FunctionDef) or walker.nested:
        return
    if not training_helpers.trains(walker, target):
        return
    calls = calls_of(walker, target)
    long = training_helpers.NET if len(calls) == 1 else training_helpers.BUILDER
    if 0 < len(calls) < training_helpers.FEW:
        stmt = statement_of(walker, target, calls[0])
        if stmt is not None:
            try:
                training_helpers.few(walker, target, calls[0], "", error, stmt, long)
            except training_helpers.Inlinable as found:
                found.reason = error.reason
                raise


def home_of(walker: Any, target: ast.FunctionDef) -> ast.ClassDef | None:
    """The class of a method."""
    classes = (n for n in all_of(walker.tree, ast.ClassDef))
    return next((n for n in classes if target in n.body), None)


def calls_of(walker: Any, target: ast.FunctionDef) -> list[ast.Call]:
    """All calls of a function, or of a method by its own object; none where one may hide."""
    home = home_of(walker, target)
    if home is not None:
        return _own(walker, home, target)
    if len(walker.files.order) > 1:
        return known_branches.every(walker, target)
    # An attribute, `tf.train`, is another one in a program of one file.
    names = [n for n in walk(walker.tree) if getattr(n, "id", None) == target.name]
    nodes = set(map(id, names))
    found = [n for n in all_of(walker.tree, ast.Call) if id(n.func) in nodes]
    return found if len(found) == len(names) else []


def _own(walker: Any, home: ast.ClassDef, target: ast.FunctionDef) -> list[ast.Call]:
    """The calls of a method by its own object; none where others may call it."""
    found: list[ast.Call] = []
    for cls in (n for n in all_of(walker.tree, ast.ClassDef)):
        mine = cls is home
        if not mine and not any(getattr(m, "name", "") == target.name for m in cls.body):
            continue
        if not mine and cls in bases.kin(walker, target):
            return []  # one of the two stands for the other
        for method in (m for m in cls.body if isinstance(m, ast.FunctionDef) and m.args.args):
            first = method.args.args[0].arg
            for n in all_of(method, ast.Call):
                if not isinstance(n.func, ast.Attribute):
                    continue
                if ast.unparse(n.func) == f"{first}.{target.name}":
                    found.append(n)
    reads = {id(n) for n in all_of(walker.tree, ast.Attribute) if n.attr == target.name}
    # By its bare name it is only known beside the methods.
    around = [s for s in home.body if not isinstance(s, ast.FunctionDef)]
    reads |= {id(n) for s in around for n in all_of(s, ast.Name) if n.id == target.name}
    if len(reads) != len(found):
        return []
    inside = set(map(id, walk(home)))
    return [c for c in found if id(c) in inside]


def _made(walker: Any, target: ast.FunctionDef) -> dict[str, ast.Assign]:
    """The statements that make a placeholder, by its name; nothing where one isn't plain."""
    found: dict[str, ast.Assign] = {}
    inside = list(_straight(target.body))
    names = {T + "placeholder", T + "placeholder_with_default", T + "sparse_placeholder"}
    calls = [n for n in all_of(target, ast.Call) if walker.endpoints.get(id(n.func)) in names]
    params = {a.arg for a in target.args.args}
    stores = [n.id for n in all_of(target, ast.Name) if not isinstance(n.ctx, ast.Load)]
    for call in calls:
        stmt = next((s for s in inside if isinstance(s, ast.Assign) and s.value is call), None)
        if stmt is None or len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
            return {}
        name = stmt.targets[0].id
        read = {n.id for n in all_of(call, ast.Name)}
        if stores.count(name) != 1 or name in params or read & set(stores) or params & set(stores):
            return {}
        if walker.endpoints.get(id(call.func)) != T + "placeholder":
            return {}
        if any(isinstance(n, ast.Call) for n in walk(call) if n is not call):
            return {}
        if not ast.unparse(call).isascii():
            return {}
        if stmt is inside[-1] or _lonely(target, stmt):
            return {}
        found[name] = stmt
    return found


def _straight(body: list[ast.stmt]) -> Any:
    """Statements that are executed once, those in with statements included."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, ast.With):
            yield from _straight(stmt.body)


def _lonely(target: ast.FunctionDef, stmt: ast.stmt) -> bool:
    """Whether a statement is all that its block has, or shares its line."""
    for node in walk(target):
        body = getattr(node, "body", None)
        if isinstance(body, list) and stmt in body:
            lines = [(s.lineno, s.end_lineno) for s in body if s is not stmt]
            mine = (stmt.lineno, stmt.end_lineno)
            return not lines or any(a in mine or b in mine for a, b in lines)
    return True


def _called(
    walker: Any,
    target: ast.FunctionDef,
    call: ast.Call,
    made: dict[str, ast.Assign],
    returned: list[str],
    kept: list[int],
    itself: str,
    taken: list[str],
) -> tuple[list[Written], Any] | None:
    """A call that gives its function the placeholders, and the lines that stand before it."""
    stmt, given = statement_of(walker, target, call), arguments(walker, target, call)
    if stmt is None or given is None:
        return None
    names = stmt.targets[0]
    if not isinstance(names, ast.Tuple) or len(names.elts) != len(returned):
        return None
    if not all(isinstance(n, (ast.Name, ast.Attribute)) for n in names.elts):
        return None
    if itself and isinstance(call.func, ast.Attribute):
        given[itself] = call.func.value
    own: dict[str, str] = {}
    for name, at in made.items():
        read = [n.id for n in all_of(at.value, ast.Name)]
        if any(n in given and not isinstance(given[n], SIMPLE) for n in read):
            return None
        own[name] = ""
        if name in returned:
            own[name] = ast.unparse(names.elts[returned.index(name)])
        elif name in names_at(walker, stmt) or name in taken:
            own[name] = free(walker, name, taken)
        else:
            own[name] = name
        taken.append(own[name])

    def lines(source: Source) -> list[str]:
        out = []
        for name, at in made.items():
            parts = [n for n in all_of(at.value, ast.Name) if n.id in given]
            text = source(at.value)
            start = (at.value.lineno, at.value.col_offset)
            for n in sorted(parts, key=lambda n: (n.lineno, n.col_offset), reverse=True):
                place = _offset(text, n.lineno - start[0], n.col_offset, start[1])
                text = text[:place] + source(given[n.id]) + text[place + len(n.id) :]
            out.append(f"{own[name]} = {' '.join(line.strip() for line in text.split(chr(10)))}")
        return out

    left = [names.elts[i] for i in kept]
    replaced: list[Written] = [(names, lambda source: ", ".join(map(source, left)))]
    values = [own[name] for name in made]
    if call.keywords:
        ahead = call.keywords[0]
        more = ", ".join(f"{n}={v}" for n, v in own.items())
        replaced.append((ahead, lambda source: f"{more}, {source(ahead)}"))
    elif call.args:
        end = call.args[-1]
        replaced.append((end, lambda source: ", ".join([source(end), *values])))
    else:
        func = call.func
        replaced.append((call, lambda source: f"{source(func)}({', '.join(values)})"))
    return replaced, (stmt, lines)


def statement_of(walker: Any, target: ast.FunctionDef, call: ast.Call) -> ast.Assign | None:
    """The statement that keeps what a call gives, in the function's file, in no loop or branch."""
    found = (n for n in all_of(walker.tree, ast.Assign) if n.value is call)
    stmt = next(found, None)
    if stmt is None or len(stmt.targets) != 1 or _inner(walker, stmt):
        return None
    return stmt if walker.files.at(stmt) is walker.files.at(target) else None


def arguments(walker: Any, target: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """A call's arguments by parameter, with the defaults; None where they can't be told.

    What has a default is given by its name.
    """
    params = [a.arg for a in target.args.args]
    defaults = dict(zip(reversed(params), reversed(target.args.defaults), strict=False))
    places = params[home_of(walker, target) is not None :]
    if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > len(places):
        return None
    if any(k.arg is None for k in call.keywords) or set(places[: len(call.args)]) & set(defaults):
        return None
    given = defaults | dict(zip(places, call.args, strict=False))
    return given | {str(k.arg): k.value for k in call.keywords}


def _offset(text: str, line: int, column: int, first: int) -> int:
    """Where a place of a statement is in its text."""
    if line == 0:
        return column - first
    return sum(len(one) + 1 for one in text.split("\n")[:line]) + column


def _inner(walker: Any, stmt: ast.stmt) -> bool:
    """Whether a statement stands in a loop or a branch."""
    blocks = (ast.For, ast.While, ast.If, ast.Try)
    return any(isinstance(n, blocks) and holds(n, stmt) for n in walk(walker.tree))


def names_at(walker: Any, stmt: ast.stmt) -> set[str]:
    """The names of the function in which a statement stands."""
    around = all_of(walker.tree, ast.FunctionDef)
    around = [n for n in around if holds(n, stmt)]
    scope: ast.AST = around[-1] if around else walker.tree
    return {n.id for n in all_of(scope, ast.Name)} | {n.arg for n in all_of(scope, ast.arg)}
