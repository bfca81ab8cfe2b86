"""Attributes that one function uses for what it computes: names of its own.

``self.V = tf.matmul(h, w2)`` in a dueling net's `build_layers`, which reads ``self.V`` below and
is called again for the target net: nobody reads what the calls have set. So is what a method that
trains has under the name of a part it found, ``self.d_sum = tf.summary.merge([self.d_sum, …])``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Kind
from migrate.programs.graph.wording.spelled import Spelled, Written, free, word

DECLARES = ("add_argument", "DEFINE_")  # of a command line: no object's
ASKS = frozenset({"getattr", "hasattr", "setattr", "delattr"})


def check(walker: Any, target: ast.Attribute, reason: str) -> None:
    """See whether an attribute that a function sets is read there, and nowhere else.

    Raises:
        Spelled: it is, and a local name may take its place.
    """
    function = walker.frame.node
    if not isinstance(function, ast.FunctionDef) or not isinstance(target.value, ast.Name):
        return
    places = [n for n in walk(walker.tree) if getattr(n, "attr", None) == target.attr]
    inside = set(map(id, walk(function)))
    places = [n for n in places if id(n) not in inside or not _host(walker, n)]
    said = ast.unparse(target)
    if not asked(walker, target):
        _later(walker, function, target, places, reason)
    if any(id(n) not in inside or ast.unparse(n) != said for n in places) or asked(walker, target):
        return
    if _hidden(function, places) or not _first(function, places):
        return
    name = _name(walker, function, target, places)
    replaced: list[Written] = [(n, word(name)) for n in places]
    raise Spelled(target, reason, replaced)


def returning(walker: Any, function: ast.AST, stmt: ast.Return, reason: str) -> Spelled | None:
    """A method that returns what it computes, with local names for what nobody else reads.

    ``self.h1, self.h1_w, self.h1_b = deconv2d(h0, …, with_w=True)`` of a generator.
    """
    if not isinstance(function, ast.FunctionDef):
        return None
    replaced: list[Written] = []
    # `self.w = w` is kept for others, who may not be seen.
    names = {
        t.attr
        for s in all_of(function, ast.Assign)
        if isinstance(s.value, ast.Name)
        for t in s.targets
        if isinstance(t, ast.Attribute)
    }
    for target in all_of(function, ast.Attribute):
        symbol = walker.attributes.get(id(target))
        if isinstance(target.ctx, ast.Load) or symbol is None or symbol.value.kind is Kind.HOST:
            continue
        if target.attr in names or not isinstance(target.value, ast.Name):
            continue
        names.add(target.attr)
        places = [n for n in walk(walker.tree) if getattr(n, "attr", None) == target.attr]
        said, mine = ast.unparse(target), set(map(id, walk(function)))
        if any(id(n) not in mine or ast.unparse(n) != said for n in places):
            continue
        if asked(walker, target) or _hidden(function, places) or not _first(function, places):
            continue
        name = _name(walker, function, target, places)
        replaced += [(n, word(name)) for n in places]
    return Spelled(stmt, reason, replaced) if replaced else None


def _hidden(function: ast.FunctionDef, places: list[Any]) -> bool:
    """Whether an attribute is read where a local name may mean something else."""
    odd = (ast.FunctionDef, ast.Lambda, ast.Global, ast.Nonlocal, ast.JoinedStr)
    inner = [n for n in walk(function) if isinstance(n, odd) and n is not function]
    return any(n in places for f in inner for n in walk(f))


def _name(walker: Any, function: ast.FunctionDef, target: ast.Attribute, places: list[Any]) -> str:
    """The local name that takes an attribute's place: its own, unless that is in the way."""
    name = target.attr
    mine = [n for n in all_of(function, ast.Name) if n.id == name]
    if name in {a.arg for a in all_of(function, ast.arg)}:
        return free(walker, name)
    return name if not mine or _before(function, places, mine) else free(walker, name)


def _before(function: ast.FunctionDef, places: list[Any], mine: list[ast.Name]) -> bool:
    """Whether a name is bound when its namesake isn't read any more: ``h1 = relu(self.h1)``."""
    for node in walk(function):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if not isinstance(block, list) or not all(isinstance(s, ast.stmt) for s in block):
                continue
            if not any(n in t for s in block for t in [_targets(s)] for n in places):
                continue
            last = next((i for i, s in enumerate(block) if any(n in _targets(s) for n in mine)), -1)
            early = [n for s in block[:last] for n in walk(s)]
            if last < 0 or any(n in early for n in mine):
                return False
            bound, known = _targets(block[last]), [*early, *walk(block[last])]
            once = all(n in bound for n in walk(block[last]) if n in mine)
            return once and all(n in known for n in places) and not any(n in bound for n in places)
    return False


def _targets(stmt: ast.stmt) -> list[ast.expr]:
    """What an assignment sets, items of tuples one by one."""
    made = stmt.targets if isinstance(stmt, ast.Assign) else []
    return [n for t in made for n in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])]


def _host(walker: Any, node: Any) -> bool:
    """Whether what has an attribute here is Python's, as ``args`` in ``args.lr`` is."""
    owner = getattr(node, "value", None)
    symbol = walker.frame.env.get(owner.id) if isinstance(owner, ast.Name) else None
    return symbol is not None and symbol.value.kind is Kind.HOST


def _later(
    walker: Any, function: ast.FunctionDef, target: ast.Attribute, places: list[Any], reason: str
) -> None:
    """See whether an attribute that others set is set anew here, and read from then on here only.

    Raises:
        Spelled: it is, and from there on a local name may take its place.
    """
    stmt = next((s for s in function.body if holds(s, target)), None)
    if not isinstance(stmt, ast.Assign) or stmt.targets != [target]:
        return
    inside = [n for n in places if holds(function, n)]
    loads = [n for n in places if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)]
    others = [n for n in places if n not in inside]
    if not others or len(inside) == len(places) or any(n in others for n in loads):
        return
    if any(n is not target and n not in loads for n in inside):
        return  # it is set twice
    said, end = ast.unparse(target), stmt.end_lineno or stmt.lineno
    if _hidden(function, inside) or any(ast.unparse(n) != said for n in inside):
        return
    later = [n for n in inside if n.lineno > end]
    before = [n for n in inside if n not in later and n is not target]
    if not later or any(stmt.lineno <= n.lineno and not holds(stmt, n) for n in before):
        return
    taken = target.attr in {n.id for n in all_of(function, ast.Name)}
    name = free(walker, target.attr) if taken else target.attr
    raise Spelled(target, reason, [(n, word(name)) for n in (target, *later)])


def _first(function: ast.FunctionDef, places: list[Any]) -> bool:
    """Whether every read comes behind a place of its own block, or one around it, that sets it."""
    reads = [n for n in places if isinstance(n.ctx, ast.Load)]
    return all(_set_above(function.body, read, places) for read in reads) and not any(
        isinstance(n.ctx, ast.Del) for n in places
    )


def _set_above(body: list[ast.stmt], read: ast.AST, places: list[Any]) -> bool:
    for stmt in body:
        if holds(stmt, read):
            if isinstance(stmt, ast.AugAssign):
                return False
            parts = [getattr(stmt, part, []) for part in ("body", "orelse", "finalbody")]
            return any(_set_above(part, read, places) for part in parts if isinstance(part, list))
        made = _targets(stmt)
        if isinstance(stmt, ast.With):
            if any(_sets(s, places) for s in stmt.body):
                return True
        elif any(t in places for t in made):
            return True
    return False


def _sets(stmt: ast.stmt, places: list[Any]) -> bool:
    return any(t in places for t in _targets(stmt))


def asked(walker: Any, target: ast.Attribute) -> bool:
    """Whether the program may ask an object for its attributes by name."""
    flags = {
        id(part)
        for n in all_of(walker.tree, ast.Call)
        if getattr(n.func, "attr", "").startswith(DECLARES)
        for part in walk(n)
    }
    for n in walk(walker.tree):
        if isinstance(n, ast.Constant) and n.value == target.attr and id(n) not in flags:
            return True
        if getattr(n, "id", getattr(n, "attr", None)) in ("vars", "__dict__"):
            return True
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") in ASKS:
            if len(n.args) < 2 or not isinstance(n.args[1], ast.Constant):
                return True
    return False
