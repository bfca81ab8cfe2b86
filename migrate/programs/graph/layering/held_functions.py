"""Functions in named tuples: ``Block('a', bottleneck, args)``, then ``block.unit_fn(net, …)``.

The program's building is executed with Python's values. Where each tuple that a call reads has the
same function of the program, that is what is called, and the tuples go on holding it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, fact
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.sizing.static_run import values
from migrate.programs.graph.sizing.static_run.expressions import Stop

KEPT = ("held functions",)
FIELDS = ("fields of named tuples",)
MAKERS = ("namedtuple", "collections.namedtuple")


@dataclass(slots=True, frozen=True)
class Told:
    """What is told of a program's named tuples, by the ids of nodes."""

    functions: dict[int, ast.FunctionDef] = field(default_factory=dict)  # that attributes are
    held: set[int] = field(default_factory=set)  # functions that are held, and no more
    given: set[int] = field(default_factory=set)  # the names that give them
    made: set[int] = field(default_factory=set)  # the calls that make tuples


def prepare(walker: Any) -> None:
    """See what the named tuples of a program hold, before anything asks."""
    if _fields(walker):
        walker.kept[KEPT] = Told()  # while it is executed
        walker.kept[KEPT] = _executed(walker)


def called(walker: Any, node: ast.Call) -> Value | None:
    """The function that a call reads from a named tuple; None where it isn't one, or isn't told."""
    target = of(walker, node.func)
    if target is None:
        return None
    frame = walker.files.at(target).frame
    symbol = frame.env.get(target.name) if frame is not None else None
    found: Value | None = symbol.value if symbol is not None else None
    if found is None or found.kind is not Kind.FUNCTION or not isinstance(found.data, Function):
        return None
    return found if found.data.node is target else None


def of(walker: Any, func: ast.AST) -> ast.FunctionDef | None:
    """The function of a module that an attribute of a named tuple always is."""
    if not isinstance(func, ast.Attribute) or func.attr not in _fields(walker):
        return None
    if id(func) in walker.endpoints:
        return None
    found: ast.FunctionDef | None = _told(walker).functions.get(id(func))
    return found


def only(walker: Any, target: ast.AST) -> bool:
    """Whether a function is given to named tuples alone, whose calls are all seen."""
    return bool(_fields(walker)) and id(target) in _told(walker).held


def calls(walker: Any, target: ast.AST) -> list[ast.Call]:
    """The calls of a function that read it from named tuples."""
    if not only(walker, target):
        return []
    found = _told(walker).functions
    every = (n for tree in _files(walker) for n in all_of(tree, ast.Call))
    return [n for n in every if found.get(id(n.func)) is target]


def gives(walker: Any, name: ast.AST) -> bool:
    """Whether a name is a function's where a named tuple is made of it."""
    return bool(_fields(walker)) and id(name) in _told(walker).given


def makes(walker: Any, node: ast.Call) -> bool:
    """Whether a call makes a named tuple, and does nothing else."""
    return bool(_fields(walker)) and id(node) in _told(walker).made


def _files(walker: Any) -> list[ast.Module]:
    return [m.tree for m in walker.files.order if m.tree is not None]


def _fields(walker: Any) -> set[str]:
    """The fields of the program's named tuples."""
    if FIELDS not in walker.kept:  # nearly every call in the program asks
        walker.kept[FIELDS] = {name for tree in _files(walker) for name in fact(tree, _named)}
    found: set[str] = walker.kept[FIELDS]
    return found


def _named(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for call in all_of(tree, ast.Call):
        last = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if len(call.args) == 2 and last == "namedtuple" and ast.unparse(call.func) in MAKERS:
            texts = [n.value for n in all_of(call.args[1], ast.Constant)]
            found |= {w for t in texts if isinstance(t, str) for w in t.replace(",", " ").split()}
    return found


def _told(walker: Any) -> Told:
    found: Told = walker.kept.get(KEPT) or Told()
    return found


def _executed(walker: Any) -> Told:
    from migrate.programs.graph.sizing.static_run.run import Run

    run = Run(walker)
    try:
        run.entries()
        run.idle()
    except (Stop, RecursionError):
        return Told()
    fields = _fields(walker)
    files = _files(walker)
    attributes = [n for t in files for n in all_of(t, ast.Attribute) if n.attr in fields]
    found: dict[int, ast.FunctionDef] = {}
    for node in attributes:
        owners = [f.value for f in run.facts.get(id(node.value), ())]
        target = _same(owners, node.attr)
        if target is not None and target in walker.files.at(target).tree.body:
            found[id(node)] = target
    every = [n for t in files for n in all_of(t, ast.Call)]
    funcs = {id(n.func) for n in every}
    held: set[int] = set()
    given: set[int] = set()
    for target in {id(n): n for n in found.values()}.values():
        reads = [n for t in files for n in _reads(t, target.name) if id(n) not in funcs]
        records = [n for n in every if _record(run, n)]
        put = {id(a) for n in records for a in (*n.args, *(k.value for k in n.keywords))}
        attrs = {n.attr for n in attributes if found.get(id(n)) is target}
        seen = {id(n) for n in attributes if found.get(id(n)) is target}
        others = [n for n in attributes if n.attr in attrs and id(n) not in seen]
        direct = {id(n) for t in files for n in _reads(t, target.name)}
        ways = [n for n in every if id(target) in run.called.get(id(n), ())]
        if id(target) in run.lost or not seen <= funcs or any(_may(run, n) for n in others):
            continue
        if all(id(n.func) in seen | direct for n in ways) and reads:
            if all(id(n) in put for n in reads):
                held.add(id(target))
                given |= set(map(id, reads))
    functions = {k: n for k, n in found.items() if id(n) in held}
    return Told(functions, held, given, {id(n) for n in every if _record(run, n)})


def _same(owners: list[Any], attr: str) -> ast.FunctionDef | None:
    """The function that all records have; None where one has another, or isn't told."""
    nodes = []
    for owner in owners:
        if not isinstance(owner, values.Record) or attr not in owner.fields.names:
            return None
        value = owner.values[owner.fields.names.index(attr)]
        if not isinstance(value, values.Function) or value.given or value.keywords:
            return None
        nodes.append(value.node)
    first = nodes[0] if nodes else None
    return first if isinstance(first, ast.FunctionDef) and all(n is first for n in nodes) else None


def _may(run: Any, node: ast.Attribute) -> bool:
    """Whether an attribute may be of a named tuple, or of what isn't told."""
    told = [fact.value for fact in run.facts.get(id(node.value), ())]
    return any(v is values.UNKNOWN or isinstance(v, values.Record) for v in told)


def _record(run: Any, node: ast.Call) -> bool:
    found = run.facts.get(id(node), ())
    return bool(found) and all(isinstance(f.value, values.Record) for f in found)


def _reads(tree: ast.AST, name: str) -> list[ast.expr]:
    """What may mean a function by its name: ``bottleneck``, ``resnet_v1.bottleneck``."""
    names = [n for n in all_of(tree, ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    return [*names, *(n for n in all_of(tree, ast.Attribute) if n.attr == name)]
