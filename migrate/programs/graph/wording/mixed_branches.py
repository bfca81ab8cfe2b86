"""Python's values in a branch that computes tensors: they are there whether a run needs it or not.

``if mode == 'hard': self.count = 0; self.copy = …``: the branch moves into functions, and what the
rest of the program reads of it stays in one of its own, above.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph.fetching import choices
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Step, Symbol
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

REASON = "Python's values and tensors are made in one branch"
LOOP = "Python's values and tensors are made in one loop"
PLAIN = (*choices.PLAIN, ast.Subscript)
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign)
COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
PRINTS = ("plain prints",)  # among what a walk keeps: calls that print Python's values
SEEDS = frozenset((T + "set_random_seed", T + "random.set_random_seed"))
HOSTS = frozenset({Kind.HOST, Kind.NONE})


def note(walker: Any, stmt: ast.stmt, before: int) -> None:
    """Remember what a statement inside of another one binds."""
    if isinstance(stmt, SIMPLE):
        found = walker.sink.defs[before:]
        walker.kept.setdefault("bound inside", {}).setdefault(id(stmt), []).extend(found)


def check(walker: Any, step: Step) -> None:
    """See that nothing of Python's goes with a branch or a loop into a function.

    Raises:
        Spelled: it can be written apart.
        Blocked: it can't.
    """
    node = step.node
    if not isinstance(node, (ast.If, ast.For)):
        return
    making = [n for n in walk(node) if id(n) in walker.layers or id(n) in walker.made]
    if isinstance(node, ast.For) and making:
        return  # these are made in a loop of their own, with what it counts
    bound: dict[int, list[Symbol]] = walker.kept.get("bound inside", {})
    found = [s for s in _leaves(node) if _host(bound.get(id(s), ()), s)]
    seen = [s for s in found if _read(walker, node, s)]
    prints = [] if isinstance(node, ast.For) else _prints(walker, node)
    if not seen and not prints:
        return
    if isinstance(node, ast.For):
        raise Blocked(seen[0], LOOP)
    _apart(walker, node, [*(found if seen else ()), *prints])
    if not seen:
        return
    _above(walker, node, bound)
    raise Blocked(seen[0], REASON)


def _prints(walker: Any, node: ast.If) -> list[ast.stmt]:
    """What a branch prints of Python's values."""
    known = walker.kept.get(PRINTS, ())
    listed = [*node.body, *node.orelse]
    return [s for s in listed if isinstance(s, ast.Expr) and id(s.value) in known]


def _leaves(node: ast.AST) -> Iterator[ast.stmt]:
    """The simple statements below a statement."""
    for part in ("body", "orelse", "finalbody"):
        for stmt in getattr(node, part, ()):
            if isinstance(stmt, COMPOUND):
                yield from _leaves(stmt)
            elif isinstance(stmt, SIMPLE):
                yield stmt


def _host(symbols: Any, stmt: ast.stmt) -> bool:
    """Whether a statement gives names, attributes or items to Python's values only."""
    if any(s.value.kind not in HOSTS for s in symbols):
        return False
    return bool(symbols) or any(isinstance(t, ast.Subscript) for t in _targets(stmt))


def _targets(stmt: ast.stmt) -> list[ast.expr]:
    own = stmt.targets if isinstance(stmt, ast.Assign) else [getattr(stmt, "target", None)]
    targets, flat = list(own), list[ast.expr]()
    while targets:
        one = targets.pop(0)
        if isinstance(one, (ast.Tuple, ast.List)):
            targets = [*one.elts, *targets]
        elif isinstance(one, ast.expr):
            flat.append(one)
    return flat


def _read(walker: Any, node: ast.stmt, stmt: ast.stmt) -> bool:
    """Whether what a statement binds is read outside of the branch."""
    inside = set(map(id, walk(node)))
    for target in _targets(stmt):
        base: ast.AST = target
        while isinstance(base, ast.Subscript):
            base = base.value
        name = base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
        for n in walk(walker.tree):
            if id(n) in inside or not isinstance(n, (ast.Name, ast.Attribute)):
                continue
            if name != (n.id if isinstance(n, ast.Name) else n.attr):
                continue
            if isinstance(n.ctx, ast.Load) or _grows(walker, n):
                if not isinstance(base, ast.Name):
                    return True
                if _scope(walker, node, n) and not _anew(walker, node, name, n):
                    return True
    return False


def _anew(walker: Any, node: ast.stmt, name: str, read: ast.AST) -> bool:
    """Whether a name is surely bound anew between a statement and what reads it elsewhere."""
    around: ast.AST = walker.tree
    while around is not read:
        inner = next((c for c in children(around) if holds(c, read)), None)
        if inner is None:
            return False
        for part in ("body", "orelse", "finalbody"):
            stmts: list[ast.stmt] = getattr(around, part, None) or []
            if not isinstance(stmts, list) or inner not in stmts:
                continue
            held = [n for n, s in enumerate(stmts) if holds(s, node)]
            first = held[0] + 1 if held else 0
            if any(_binds(s, name) for s in stmts[first : stmts.index(inner)]):
                return True
        around = inner
    return False


def _binds(stmt: ast.stmt, name: str) -> bool:
    """Whether a statement binds a name whatever happens."""
    return isinstance(stmt, ast.Assign) and any(
        isinstance(t, ast.Name) and t.id == name for t in stmt.targets
    )


def _grows(walker: Any, node: ast.AST) -> bool:
    grown: set[int] = walker.kept.setdefault(
        "grown", {id(n.target) for n in all_of(walker.tree, ast.AugAssign)}
    )
    return id(node) in grown


def _scope(walker: Any, node: ast.stmt, read: ast.AST) -> bool:
    """Whether a name that is read may be the one that a branch binds."""
    scope = walker.frame.node
    return isinstance(scope, ast.Module) or holds(scope, read)


def _apart(walker: Any, node: ast.If, found: list[ast.stmt]) -> None:
    """Raise what writes Python's part of a branch above the rest."""
    arms = [node.body, node.orelse]
    listed = [s for arm in arms for s in arm]
    if not all(isinstance(n, PLAIN) for n in walk(node.test)):
        return
    if any(s not in listed for s in found) or any(isinstance(s, ast.If) for s in node.orelse[:1]):
        return
    asked = {n.id for n in all_of(node.test, ast.Name)}
    asked |= {n.attr for n in all_of(node.test, ast.Attribute)}
    for arm in arms:
        others: list[ast.stmt] = []
        for stmt in arm:
            if stmt not in found:
                others.append(stmt)
                continue
            names = {
                n
                for t in _targets(stmt)
                for m in walk(t)
                for n in (getattr(m, "id", None), getattr(m, "attr", None))
            } - {None, "self"}
            said = {getattr(m, "id", getattr(m, "attr", None)) for o in others for m in walk(o)}
            given = {
                getattr(m, "id", getattr(m, "attr", None))
                for o in others
                for t in _targets(o)
                for m in walk(t)
            } - {"self"}
            mine = {getattr(m, "id", getattr(m, "attr", None)) for m in walk(stmt)} - {None}
            if names & (asked | said) or mine & given:
                return
    gone: list[Written] = []
    for arm in arms:
        left = [s for s in arm if s not in found]
        for stmt in arm:
            if stmt in found:
                last = not left and stmt is arm[0]
                gone.append((stmt, (lambda _: "pass") if last else (lambda _: "")))
    first = node.body[0]
    unit = " " * max(first.col_offset - node.col_offset, 1)

    def lines(source: Source) -> list[str]:
        ways = [[source(s) for s in arm if s in found] for arm in arms]
        test = source(node.test)
        if ways[0]:
            out = [f"if {test}:", *(unit + w for w in ways[0])]
            return [*out, "else:", *(unit + w for w in ways[1])] if ways[1] else out
        return [f"if not ({test}):", *(unit + w for w in ways[1])]

    lines_of = [s.lineno for s in listed]
    if len(set(lines_of)) < len(lines_of):
        return
    if first.lineno == node.lineno or any(s.lineno != s.end_lineno for s in found):
        return
    raise Spelled(found[0], REASON, gone, [(node, lines)])


def _above(walker: Any, node: ast.If, bound: dict[int, list[Symbol]]) -> None:
    """Raise what writes a branch's tensors above it: they are only a graph, which no run needs.

    ``decoded = decoder(z, reuse=True)``, of what the branch doesn't bind, and with variables that
    are there already.
    """
    if node.orelse or SEEDS & set(walker.endpoints.values()):
        return
    stores: dict[str, int] = {}
    for n in walk(walker.frame.node):
        if isinstance(n, (ast.Name, ast.arg)) and not isinstance(getattr(n, "ctx", 0), ast.Load):
            name = n.id if isinstance(n, ast.Name) else n.arg
            stores[name] = stores.get(name, 0) + 1
    inside = {n.id for n in all_of(node, ast.Name) if not isinstance(n.ctx, ast.Load)}
    found = [s for s in node.body if _builds(walker, node, s, bound, stores, inside)]
    if not found or len(found) == len(node.body):
        return
    gone: list[Written] = [(s, lambda _: "") for s in found]
    raise Spelled(found[0], REASON, gone, [(node, lambda source: [source(s) for s in found])])


def _builds(
    walker: Any,
    node: ast.If,
    stmt: ast.stmt,
    bound: dict[int, list[Symbol]],
    stores: dict[str, int],
    inside: set[str],
) -> bool:
    """Whether a statement of a branch makes tensors of nothing of the branch, and nothing else."""
    symbols = bound.get(id(stmt), ())
    if not isinstance(stmt, ast.Assign) or not symbols:
        return False
    if any(s.value.kind is not Kind.TENSOR or s.attribute for s in symbols):
        return False
    if any(stores.get(s.name) != 1 for s in symbols):
        return False
    own = {s.name for s in symbols}
    within = {id(n) for n in walk(node)}
    for n in walk(stmt.value):
        if isinstance(n, ast.Name) and n.id in inside | own:
            return False
        if id(n) in walker.made:
            return False
        layer = walker.layers.get(id(n))
        if layer is not None and (layer.same is None or id(layer.same) in within):
            return False
    if not _only_graph(walker, stmt.value, set()):
        return False
    return not any(isinstance(t, (ast.Subscript, ast.Attribute)) for t in _targets(stmt))


def _only_graph(walker: Any, node: ast.AST, seen: set[int]) -> bool:
    """Whether all that is called, by functions of the program too, makes parts of a graph."""
    for n in all_of(node, ast.Call):
        if id(n.func) in walker.endpoints:
            continue
        callee = walker._module_function(n.func)
        if callee is None:
            shape = isinstance(n.func, ast.Attribute) and n.func.attr in ("get_shape", "as_list")
            if not shape and ast.unparse(n.func) not in ("int", "len", "range", "str", "zip"):
                return False
        elif id(callee) not in seen:
            seen.add(id(callee))
            if not _only_graph(walker, callee, seen):
                return False
    return True


def several(*symbols: Symbol) -> str | None:
    """What a value is told by that is several tensors, as a cell's state is, on one way."""
    made = [s.value for s in symbols if s.value.kind in (Kind.TENSOR, Kind.CONST)]
    found = any(v.data == "container" or v.items is not None for v in made)
    return "container" if found else None
