"""Variables that start anew: by a second run of their initializer, or in a second session.

TF 2's variables start once. That is the same where no run had changed what later runs read, and
where nobody sees that what was drawn by chance is drawn again. Elsewhere they are assigned what
they start with, and optimizers what they began with (`rewriters/sessions/renewals.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import children, holds, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.made import Schedule
from migrate.programs.graph.model import Blocked, Kind, Region, Site, Step, Symbol, Value
from migrate.programs.graph.objects import new_objects
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

# The initializers of all variables but local ones.
ALL = (
    meaning.T + "global_variables_initializer",
    meaning.T + "initialize_all_variables",
    meaning.T + "initializers.global_variables",
)
# Those of some.
LISTED = (meaning.T + "variables_initializer", meaning.T + "initialize_variables")
SECOND_SESSION = "a second session finds variables as new"
INNER = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
PLAIN = ("zeros", "ones", "constant")  # initializers that draw nothing


@dataclass(slots=True, eq=False, repr=False)
class Renewal:
    """Where variables start anew, and how many places that run something were seen before."""

    node: ast.AST
    reason: str
    place: int
    run: ast.Call | None = None  # of the initializer
    values: Sequence[tuple[Value, ast.expr]] = ()  # the initializers that are run, as written
    always: bool = False  # in a loop
    owned: list[Any] = field(default_factory=list)  # the variables that there are
    region: Any = None
    stmt: ast.stmt | None = None
    graphs: frozenset[int] = frozenset()  # what the graph at hand is


@dataclass(slots=True, eq=False, repr=False)
class _Read:
    """What runs find in variables: each by its symbol, or by the statement that makes it."""

    read: dict[Symbol | Step, None] = field(default_factory=dict)
    changed: dict[Symbol | Step, None] = field(default_factory=dict)


def note(
    walker: Any,
    node: ast.AST,
    reason: str,
    run: ast.Call | None = None,
    values: Sequence[tuple[Value, ast.expr]] = (),
) -> None:
    """Variables start anew here, by a run of their initializers where that is seen."""
    found: list[Renewal] = walker.kept.setdefault("renewals", [])
    known = next((r for r in found if r.node is node), None)
    if known is None:
        known = Renewal(node, reason, len(walker.sites), run, values)
        known.graphs = frozenset(walker.at_hand)
        found.append(known)
    known.always = bool(walker.loops) and node is run
    known.owned, known.region = list(walker.owned), walker.frame.region
    if run is not None or known.run is None:
        known.stmt = walker.stmt


def parts(walker: Any, region: Region) -> int:
    """How many runs of single variables' initializers a function has: it may be called again."""
    found: list[Renewal] = walker.kept.get("renewals", [])
    mine = [r for r in found if r.region is region and r.run is not None and r.values]
    return sum(all(_single(walker, node) for _, node in r.values) for r in mine)


def _single(walker: Any, node: ast.expr) -> bool:
    """Whether an initializer is that of variables which are named there."""
    called = isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in LISTED
    return called or _initializer(node)


def again(walker: Any, region: Region) -> None:
    """A function is called again, or in a loop: what it starts anew is assigned each time."""
    for renewal in walker.kept.get("renewals", ()):
        renewal.always |= renewal.region is region


def check(walker: Any, found: Iterable[Renewal]) -> None:
    """See to it that nothing is renewed that any run had changed, or drawn, and another reads.

    Raises:
        Blocked: something is.
    """
    every = list(walker.sites.values())
    for renewal in found:
        saved = any(not saver.idle for saver in walker.savers)
        if saved or walker.averages or "loaded" in walker.kept:
            raise Blocked(renewal.node, renewal.reason)
        if renewal.always:
            assigned(walker, renewal)
            continue
        sites, later = every[: renewal.place], every[renewal.place :]
        before = _found(walker, renewal, sites)
        again = [s for s in sites if _called(walker, s, renewal.node)]
        behind = [*later, *again]
        apart: dict[int, bool] = {}
        for key in _found(walker, renewal, behind).read:
            if key in before.changed or (key in before.read and _drawn(walker, key)):
                region = _region(walker, key)
                if id(region) not in apart:
                    mine = [
                        s
                        for s in behind
                        if any(_region(walker, k) is region for k in _of(walker, s))
                    ]
                    apart[id(region)] = new_objects.only(walker, renewal.node, region, mine)
                if not apart[id(region)]:
                    assigned(walker, renewal)
                    break


def assigned(walker: Any, renewal: Renewal) -> None:
    """Variables are given their first values anew, by assignments.

    Raises:
        Blocked: what starts anew can't be told, or isn't a variable with a name.
    """
    run, stmt = renewal.run, renewal.stmt
    every = all(value.data in ALL for value, _ in renewal.values)
    single = all(_initializer(node) for _, node in renewal.values)
    alone = isinstance(stmt, ast.Expr) and stmt.value is run
    if run is None or not alone or not renewal.values or not (every or single):
        _listed(walker, renewal)
        raise Blocked(renewal.node, renewal.reason)
    if len(renewal.owned) != len(walker.owned) or renewal.graphs - walker.at_hand or walker.graph:
        raise Blocked(renewal.node, renewal.reason)
    walker.gone.pop(id(stmt), None)
    for region in walker.regions:
        for step in region.steps:
            if step.node is stmt:
                step.value, step.kind = None, Kind.HOST
    if run not in [r.run for r in walker.renewed]:
        walker.renewed.append(renewal)
    walker.rewrites[id(run)] = lambda writer: str(writer.module.renewing.call(renewal))


def _listed(walker: Any, renewal: Renewal) -> None:
    """``tf.variables_initializer([w, b])`` is the initializers of these.

    Raises:
        Spelled: one is run where it is made.
    """
    written: list[Written] = []
    for _, node in renewal.values:
        if isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in LISTED:
            given = walker.bound(LISTED[0], node).get("var_list")
            if not isinstance(given, (ast.List, ast.Tuple)) or not given.elts:
                return
            if not all(isinstance(n, (ast.Name, ast.Attribute)) for n in given.elts):
                return
            written.append((node, _initializers(given.elts)))
        elif not _initializer(node):
            return
    if written:
        raise Spelled(written[0][0], renewal.reason, written)


def _initializers(variables: Sequence[ast.expr]) -> Callable[[Source], str]:
    def said(source: Source) -> str:
        parts = [f"{source(v)}.initializer" for v in variables]
        return parts[0] if len(parts) == 1 else f"[{', '.join(parts)}]"

    return said


def _initializer(node: ast.expr) -> bool:
    """``w.initializer``."""
    return isinstance(node, ast.Attribute) and node.attr == "initializer"


def _called(walker: Any, site: Site, node: ast.AST) -> bool:
    """Whether the function that a run stands in may be called after a place."""
    function = site.step.function if site.step is not None else None
    if isinstance(function, ast.Module):
        return False
    if not isinstance(function, ast.FunctionDef):
        return True
    main = {
        id(n)
        for stmt in walker.tree.body
        if not isinstance(stmt, (ast.FunctionDef, ast.ClassDef))
        and not any(isinstance(n, ast.Lambda) for n in walk(stmt))
        for n in walk(stmt)
    }
    line = _line(walker, node, main)
    return any(id(n) not in main or n.lineno > line for n in _uses(walker, function))


def _uses(walker: Any, function: ast.FunctionDef) -> list[ast.expr]:
    """Where the program names a function; not where others' local names are the same."""
    name = function.name
    found: list[ast.expr] = []
    stack: list[ast.AST] = [walker.tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef) and _binds(node, name):
            stack.extend((*node.decorator_list, *node.args.defaults))
            continue
        if isinstance(node, ast.Attribute) and node.attr == name:
            found.append(node)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            found.append(node)
        stack.extend(children(node))
    return found


def _binds(function: ast.FunctionDef, name: str) -> bool:
    """Whether a name is a local one of a function, not only of what is defined in it."""
    args = function.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    if any(a is not None and a.arg == name for a in named):
        return True
    stack: list[ast.AST] = list(function.body)
    stored = False
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
            return False
        if isinstance(node, ast.Name) and node.id == name:
            stored = stored or isinstance(node.ctx, ast.Store)
        if not isinstance(node, INNER):
            stack.extend(children(node))
    return stored


def _line(walker: Any, node: ast.AST, main: set[int]) -> int:
    """The line of the module at which a session begins; 0: that isn't told.

    One that a function begins does so where that is called first.
    """
    functions = [s for s in walker.tree.body if isinstance(s, ast.FunctionDef)]
    around = next((f for f in functions if holds(f, node)), None)
    if around is None:
        return getattr(node, "lineno", 0)
    uses = _uses(walker, around)
    if any(id(n) not in main for n in uses):
        return 0
    return min((n.lineno for n in uses), default=0)


def _found(walker: Any, renewal: Renewal, sites: list[Site]) -> _Read:
    """What runs of the same graph find in variables."""
    found = _Read()
    for site in sites:
        if not renewal.graphs & walker.kept.get(("graphs of", id(site.node)), renewal.graphs):
            continue
        read = dict.fromkeys(_of(walker, site))
        found.read.update(read)
        steps = [s.step for s in site.reached()]
        ops = any(leaf.value.kind is Kind.OP for leaf in site.fetch.leaves())
        if ops or any(s.kind is Kind.OP for s in steps):
            found.changed.update(read)
    return found


def _of(walker: Any, site: Site) -> Iterator[Symbol | Step]:
    for symbol in site.reached():
        data = symbol.value.data
        if hasattr(data, "read") and not isinstance(data, Schedule):
            raise Blocked(site.node, "what is read here starts anew before")
        if symbol.value.kind is Kind.VARIABLE:
            yield symbol
        elif symbol.value.kind is not Kind.OBJECT and walker._variables_made(symbol.step.node):
            yield symbol.step


def _region(walker: Any, key: Symbol | Step) -> Region | None:
    """Which part of the program makes a variable: a class, by what defines it."""
    step = key.step if isinstance(key, Symbol) else key
    if isinstance(step.node, ast.ClassDef):
        return next((r for r in walker.regions if r.node is step.node), None)
    return step.region


def _drawn(walker: Any, key: Symbol | Step) -> bool:
    """Whether a variable may start with what is drawn by chance."""
    if isinstance(key, Step):
        return True
    call = key.value.node
    if key.step.random or not isinstance(call, ast.Call):
        return True
    made = walker.made.get(id(call))
    if made is None or (made.described is None and "initializer" in made.given):
        return _random(walker, call)
    if made.described is None:
        return bool(made.given)  # not the global step
    name = str(made.described[0]).rpartition(".")[2].removesuffix("_initializer")
    return not name.startswith(PLAIN)


def _random(walker: Any, call: ast.Call) -> bool:
    """Whether chance may be in what a variable starts with."""
    for node in walk(call):
        if walker.endpoints.get(id(node)) in meaning.STATEFUL:
            return True
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            symbol = walker.meant.get(id(node))
            if symbol is not None and symbol.value.kind not in (Kind.HOST, Kind.CONST):
                return True
    return False
