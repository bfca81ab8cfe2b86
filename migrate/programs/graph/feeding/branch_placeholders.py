"""Placeholders that are made in a branch: they are made above it, whichever way it goes.

A placeholder that nothing feeds is of no effect, and a run that needs it is fed it. Where each way
makes another one under the same name, they stand in a branch of their own, which stays. A branch
whose ways make nothing else, each under other names, goes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.feeding import optional_placeholders
from migrate.programs.graph.fetching import choices
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording.known_branches import chosen, margin
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

REASON = "a placeholder is made in a loop, a branch or a helper"
PLAIN = (*choices.PLAIN, ast.Subscript)


def check(walker: Any, node: ast.Call) -> Value | None:
    """A placeholder in a branch that makes nothing else, a part of the graph.

    Raises:
        Spelled: it has a name of its own, and is made above the branch.
    """
    branch, stmt = walker.sink.node, walker.stmt
    if walker.frame.region is None or walker.loops or not isinstance(branch, ast.If):
        return None
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return None
    target = stmt.targets[0]
    if not isinstance(target, (ast.Name, ast.Attribute)) or _asked(walker, target):
        return None
    if _computed(branch, node):
        return None
    _alone(walker, branch, node)
    found = _stores(walker, target)
    made = [s for s in _leaves(branch) if isinstance(s, ast.Assign) and s.targets[0] in found]
    if _kept(branch) and _plain(walker, stmt) and not _bound_before(branch, node):
        again = any(
            ast.dump(n.test) == ast.dump(branch.test) and n.orelse
            for n in all_of(walker.frame.node, ast.If)
            if n is not branch
        )
        optional_placeholders.spelled(branch, stmt, found, REASON, _blocks, again=again)
    if len(made) != len(found) or not all(_plain(walker, s) for s in made):
        return None
    if len({ast.dump(s.value) for s in made}) > 1:
        return _several(walker, branch, made, node)
    if _bound_before(branch, node):
        return None
    ways = [branch.body, branch.orelse]
    if all(len(way) == 1 and way[0] in made for way in ways if way):
        raise Spelled(node, REASON, [(branch, chosen(branch, branch.body))])
    if all(_blocks(branch, s) for s in made):
        gone: list[Written] = [(s, lambda _: "") for s in made]
        raise Spelled(node, REASON, gone, [(branch, _lines(made[0], branch.col_offset))])
    return None


def _bound_before(branch: ast.If, node: ast.Call) -> bool:
    """Whether a branch binds what a placeholder's call reads."""
    bound = {
        getattr(n, "id", getattr(n, "attr", None))
        for n in walk(branch)
        if isinstance(getattr(n, "ctx", None), ast.Store)
    }
    read = {getattr(n, "id", getattr(n, "attr", None)) for n in walk(node)} - {None}
    return bool(read & bound)


def _alone(walker: Any, branch: ast.If, node: ast.Call) -> None:
    """See whether all ways of a branch only make placeholders, each under a name of its own.

    Raises:
        Spelled: they do, and all of these are made.
    """
    made = [s for way in _ways(branch) for s in way]
    if len(made) < 2 or not _kept(branch) or not all(_plain(walker, s) for s in made):
        return
    names: set[str] = set()
    for stmt in made:
        assert isinstance(stmt, ast.Assign)  # `_plain` has seen to it
        (target,) = stmt.targets
        if not isinstance(target, (ast.Name, ast.Attribute)) or _asked(walker, target):
            return
        if _stores(walker, target) != [target] or _computed(branch, stmt.value):
            return
        names.add(getattr(target, "id", getattr(target, "attr", "")))
    values = [s.value for s in made if isinstance(s, ast.Assign)]
    if any(getattr(n, "id", getattr(n, "attr", "")) in names for v in values for n in walk(v)):
        return
    if len({s.lineno for s in made} | {branch.lineno}) <= len(made):
        return

    inside = {n for s in made for n in range(s.lineno, (s.end_lineno or s.lineno) + 1)}
    less = made[0].col_offset - branch.col_offset

    def lines(source: Source) -> str | None:
        kept: list[str] = []
        for number, line in enumerate(source(branch).split("\n"), branch.lineno):
            if number in inside or line.lstrip().startswith("#"):
                deep = len(line) - len(line.lstrip()) - branch.col_offset
                kept.append(line[max(0, min(less, deep)) :])
            elif "#" in line:
                return None
        return "\n".join(kept).lstrip()

    raise Spelled(node, REASON, [(branch, lines)])


def _computed(branch: ast.If, node: ast.expr) -> bool:
    """Whether a placeholder's shape is computed of what a branch asks about: it may be None."""
    asked = {
        getattr(n, "id", getattr(n, "attr", None)) for test in _tests(branch) for n in walk(test)
    }
    return any(
        isinstance(n, (ast.BinOp, ast.Subscript, ast.UnaryOp, ast.Starred))
        and any(getattr(m, "id", getattr(m, "attr", "")) in asked - {"self"} for m in walk(n))
        for n in walk(node)
    )


def _stores(walker: Any, target: ast.Name | ast.Attribute) -> list[ast.expr]:
    """All places that give a name to something."""
    said = target.id if isinstance(target, ast.Name) else target.attr
    where = walker.frame.node if isinstance(target, ast.Name) else walker.tree
    others = set(_others(walker)) if isinstance(target, ast.Attribute) else set()
    return [
        n
        for n in walk(where)
        if isinstance(n, (ast.Name, ast.Attribute))
        and type(n) is type(target)
        and said == (n.id if isinstance(n, ast.Name) else n.attr)
        and not isinstance(n.ctx, ast.Load)
        and id(n) not in others
    ]


def _others(walker: Any) -> Iterator[int]:
    """What methods of classes that aren't this one's, nor its bases, set of their own objects."""
    classes = list(all_of(walker.tree, ast.ClassDef))
    mine = bases.kin(walker, walker.frame.node)
    below = {cls.name for cls in mine if walker.frame.node in cls.body}
    below |= {c.name for c in mine if below & {k.name for k in bases.lineage(walker, c)}}
    for cls in classes:  # in the order of their definitions
        if id(cls) not in walker.bases and below & {_last(base) for base in cls.bases}:
            below.add(cls.name)
            mine.append(cls)
    for cls in classes if mine else ():
        if cls in mine:
            continue
        for method in (m for m in cls.body if isinstance(m, ast.FunctionDef) and m.args.args):
            first = method.args.args[0].arg
            for n in walk(method):
                if isinstance(n, ast.Attribute) and ast.unparse(n.value) == first:
                    yield id(n)


def _last(base: ast.expr) -> str:
    return getattr(base, "attr", getattr(base, "id", ""))


def _leaves(branch: ast.If) -> Iterator[ast.stmt]:
    """The statements of a branch's ways, and of those in them."""
    for stmt in (*branch.body, *branch.orelse):
        if isinstance(stmt, ast.If):
            yield from _leaves(stmt)
        elif isinstance(stmt, ast.With):
            yield from (s for s in stmt.body if not isinstance(s, ast.If))
        else:
            yield stmt


def _plain(walker: Any, stmt: ast.stmt) -> bool:
    """Whether a statement only makes a placeholder, of what needs no call."""
    call = stmt.value if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) != T + "placeholder":
        return False
    return not any(isinstance(n, ast.Call) for n in walk(call) if n is not call)


def _several(walker: Any, branch: ast.If, made: list[ast.Assign], node: ast.Call) -> Value | None:
    """Placeholders that differ from way to way, each way's under the same names.

    Raises:
        Spelled: the branch makes more; they are made in one of their own.
    """
    names = {ast.unparse(s.targets[0]) for s in made}
    ways = list(_ways(branch))
    if not _each(ways, names) or not _kept(branch):
        return None
    if all(_plain(walker, s) for way in ways if not _stops(way) for s in way):
        own = {ast.unparse(s.targets[0]) for s in _leaves(branch) if isinstance(s, ast.Assign)}
        if _each(ways, own):
            return Value(Kind.PLACEHOLDER, T + "placeholder")
        return None
    bound = {
        getattr(n, "id", getattr(n, "attr", None))
        for way in ways
        for s in way
        if s not in made
        for n in walk(s)
        if isinstance(getattr(n, "ctx", None), ast.Store)
    }
    parts = [n for s in made for n in walk(s.value)]
    parts += [n for test in _tests(branch) for n in walk(test)]
    if bound & {getattr(n, "id", getattr(n, "attr", None)) for n in parts}:
        return None
    if not all(_blocks(branch, s) for s in made):
        return None
    gone: list[Written] = [(s, lambda _: "") for s in made]

    def lines(source: Source) -> list[str]:
        unit = source(margin(branch.body[0])).removeprefix(source(margin(branch))) or " "
        out = []
        for place, (test, way) in enumerate(zip([*_tests(branch), None], ways, strict=True)):
            word = "if" if place == 0 else "elif"
            out.append(f"{word} {source(test)}:" if test is not None else "else:")
            stmt = next((s for s in way if s in made), way[0])
            text = _lines(stmt, stmt.col_offset)(source)
            out += [unit + line for line in text]
        return out

    raise Spelled(node, REASON, gone, [(branch, lines)])


def _ways(branch: ast.If) -> Iterator[list[ast.stmt]]:
    """The ways of a branch, those of its ``elif`` each by itself."""
    yield branch.body
    if len(branch.orelse) == 1 and isinstance(branch.orelse[0], ast.If):
        yield from _ways(branch.orelse[0])
    else:
        yield branch.orelse


def _tests(branch: ast.If) -> Iterator[ast.expr]:
    yield branch.test
    if len(branch.orelse) == 1 and isinstance(branch.orelse[0], ast.If):
        yield from _tests(branch.orelse[0])


def _each(ways: list[list[ast.stmt]], names: set[str]) -> bool:
    """Whether every way gives each of these names one value."""
    for way in (w for w in ways if not _stops(w)):
        found = [ast.unparse(t) for s in way if isinstance(s, ast.Assign) for t in s.targets]
        if any(found.count(name) != 1 for name in names):
            return False
    return True


def _stops(way: list[ast.stmt]) -> bool:
    """Whether a way only raises an error."""
    return len(way) == 1 and isinstance(way[0], ast.Raise)


def _kept(branch: ast.If) -> bool:
    """Whether a branch's conditions may be asked twice."""
    return all(isinstance(n, PLAIN) for test in _tests(branch) for n in walk(test))


def _lines(stmt: ast.stmt, width: int) -> Any:
    """The lines of a statement, as they stand with a block's margin."""

    def lines(source: Source) -> list[str]:
        first, *rest = source(stmt).split("\n")
        less = stmt.col_offset - width
        return [first, *(n[min(less, len(n) - len(n.lstrip())) :] for n in rest)]

    return lines


def _asked(walker: Any, target: ast.Name | ast.Attribute) -> bool:
    """Whether the program may ask if there is such a name: ``hasattr(self, 'rate')``."""
    said = target.id if isinstance(target, ast.Name) else target.attr
    places = [
        n
        for n in walk(walker.tree)
        if isinstance(n, ast.Compare)
        or (isinstance(n, ast.Call) and ast.unparse(n.func) in ("hasattr", "getattr"))
    ]
    return any(isinstance(m, ast.Constant) and m.value == said for n in places for m in walk(n))


def _blocks(branch: ast.If, stmt: ast.stmt) -> bool:
    """Whether a statement stands beside others in its block, on lines of its own."""
    for node in walk(branch):
        for part in ("body", "orelse"):
            block = getattr(node, part, None)
            if isinstance(block, list) and stmt in block:
                others = [s for s in block if s is not stmt]
                mine = range(stmt.lineno, (stmt.end_lineno or stmt.lineno) + 1)
                return bool(others) and not any(
                    line in mine for s in others for line in (s.lineno, s.end_lineno)
                )
    return False
