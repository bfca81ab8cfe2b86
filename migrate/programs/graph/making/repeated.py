"""Layers and variables that are made in loops and branches: which of these can be taken apart.

A loop that makes layers and applies them becomes two: one that makes them, and one that goes
through what it made. What is repeated must be Python's, and so must be what tells it to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph.layering import ends_in_loops
from migrate.programs.graph.made import Layer
from migrate.programs.graph.meaning import VARIABLES
from migrate.programs.graph.model import Blocked, Kind, Step, Symbol, Value
from migrate.programs.graph.scoping import scopes
from migrate.programs.graph.wording import known_branches

BLOCKS = (ast.If, ast.For)
LEAVES = (ast.Break, ast.Continue, ast.Return)
SCOPES = (
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.Lambda, ast.FunctionDef, ast.ClassDef),
)
# What a header may read.
KNOWN = frozenset({Kind.HOST, Kind.ENDPOINT, Kind.FUNCTION, Kind.NONE, Kind.CLASS, Kind.OBJECT})


def allow(walker: Any, node: ast.AST, reason: str) -> None:
    """See whether what makes a layer or a variable stands where it may.

    Raises:
        Blocked: it doesn't, for the reason that is given.
    """
    if walker.frame.region is None:
        raise Blocked(node, reason)
    for outer in around(walker, node):
        if isinstance(outer, ast.For):
            if outer.orelse or any(isinstance(n, LEAVES) for n in walk(outer)):
                error = Blocked(node, reason)
                ends_in_loops.check(walker, outer, error)
                raise error
        elif isinstance(outer, (ast.While, ast.Try, *SCOPES)):
            raise Blocked(node, reason)


def again(walker: Any, layer: Layer) -> bool:
    """Whether a loop's second round makes a layer that is known already."""
    known = walker.layers.get(id(layer.call))
    if not walker.loops or known is None or id(layer.call) in walker.past:
        return False
    walker.layers[id(layer.call)] = layer
    return True


def share(walker: Any, layer: Layer) -> None:
    """A loop's second round finds the variables of the first: they are made once, before it.

    Raises:
        Blocked: what they are made of is the loop's.
    """
    outer = around(walker, layer.call)
    bound = {name for n in outer if isinstance(n, (ast.For, ast.If)) for name in stores(n)}
    if any(isinstance(n, ast.If) for n in outer) or _made_of(walker, layer.call, layer) & bound:
        raise Blocked(layer.call, "variables that a loop or a branch makes once")
    layer.same, layer.shared = None, True


def named(walker: Any, layer: Layer) -> bool:
    """Whether the scopes of a call have other names in each round of its loops."""
    scoped = [part for name in layer.scopes for part in re.findall(r"\{(.*?)\}", name or "")]
    words = {word for part in scoped for word in re.findall(r"\w+", part)}
    outer = [n for n in around(walker, layer.call) if isinstance(n, ast.For)]
    own = [
        stores(loop) - (stores(inner) if inner is not None else set())
        for loop, inner in zip(outer, [*outer[1:], None], strict=True)
    ]
    told = [bool(words & names) for names in own]
    if any(told) and not all(told):
        raise Blocked(layer.call, "variables that only some of the loops around them make anew")
    return bool(told) and all(told)


def looped(walker: Any, node: ast.Call) -> None:
    """Remember a variable that a loop or a branch gives a name of its own."""
    stmt = walker.stmt
    if not walker.nested or walker.frame.region is None or not isinstance(stmt, ast.Assign):
        return
    if stmt.value is not node or len(stmt.targets) != 1:
        return
    (target,) = stmt.targets
    if isinstance(target, ast.Name):
        walker.looped[id(node)] = target.id
    elif isinstance(target, ast.Attribute) and not walker.loops:
        if ast.unparse(target.value) == "self":
            walker.looped[id(node)] = ast.unparse(target)
            walker.branched.add(target.attr)


def made_by(walker: Any, function: ast.AST, call: ast.Call, result: Value) -> Value:
    """The variable that a function makes and returns: it is its call's, where a loop calls it."""
    if result.kind is not Kind.VARIABLE or not holds(function, result.node):
        return result
    looped(walker, call)
    return replace(result, node=call) if id(call) in walker.looped else result


def apart(walker: Any, step: Step) -> bool:
    """Whether variables and tensors that a statement makes can be taken apart."""
    if isinstance(step.node, (ast.Assign, ast.Expr)):
        return True
    if not isinstance(step.node, (ast.For, ast.If)):
        return False
    for node in walk(step.node):
        known = id(node) in walker.looped
        if isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in VARIABLES:
            if not known:
                return False
        if known:
            allow(walker, node, "variables and tensors are made in one statement")
    names = {walker.looped[id(n)] for n in walk(step.node) if id(n) in walker.looped}
    names = {name.removeprefix("self.") for name in names}
    names |= {name for _, name, _ in gathered(walker, step.node)}
    for loop in walk(step.node):
        if isinstance(loop, ast.For):
            names |= {n.id for n in all_of(loop.target, ast.Name)}
        elif isinstance(loop, ast.Assign) and id(loop.value) in walker.listed:
            names |= {n.id for n in loop.targets if isinstance(n, ast.Name)}  # makes none
    return {s.name for s in step.defs if s.value.kind is Kind.VARIABLE} <= names


def gathered(walker: Any, root: ast.AST) -> list[tuple[ast.Expr, str, str]]:
    """``ws.append(w)`` behind what makes ``w``: the statement, the list's name, the variable's.

    What the loop makes goes to the author's list as well.
    """
    found = []
    for loop in walk(root):
        made: set[str] = set()
        for stmt in loop.body if isinstance(loop, ast.For) else ():
            if isinstance(stmt, ast.Assign) and id(stmt.value) in walker.looped:
                made.add(walker.looped[id(stmt.value)])
            call = stmt.value if isinstance(stmt, ast.Expr) else None
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            owner, items = call.func.value, [a.id for a in call.args if isinstance(a, ast.Name)]
            if call.func.attr == "append" and isinstance(owner, ast.Name) and not call.keywords:
                if len(call.args) == 1 and items and items[0] in made:
                    assert isinstance(stmt, ast.Expr)
                    found.append((stmt, owner.id, items[0]))
    names = [n.id for n in all_of(root, ast.Name)]
    lists = [name for _, name, _ in found]
    # What a round reads of such a list isn't all that is in it in the end.
    return [f for f in found if names.count(f[1]) == lists.count(f[1])]


def around(walker: Any, node: ast.AST) -> list[ast.AST]:
    """What stands around a node in the statement that is executed, the outermost first.

    Raises:
        Blocked: the node isn't in it.
    """
    root = walker.sink.node
    found = chain(root, node)
    if found is None:
        raise Blocked(node, "what makes this isn't seen")
    return found


def chain(root: ast.AST, node: ast.AST) -> list[ast.AST] | None:
    """What stands around a node below another one, which is the first; None: it isn't there."""
    if root is node:
        return []
    for child in children(root):
        found = chain(child, node)
        if found is not None:
            return [root, *found]
    return None


def loops(root: ast.stmt, node: ast.AST) -> list[ast.For]:
    """The loops of a statement around a node in it, the outermost first."""
    return [n for n in chain(root, node) or () if isinstance(n, ast.For)]


def each_round(walker: Any, value: Value) -> bool:
    """Whether each round of a loop, and no branch, makes a variable, which goes to a list."""
    node, root = value.node, walker.sink.node
    if not isinstance(node, ast.Call) or id(node) not in walker.looped:
        return False
    around = chain(root, node) or []
    return isinstance(root, ast.For) and not any(isinstance(n, ast.If) for n in around)


def stands(node: ast.AST, stmt: ast.stmt) -> bool:
    """Whether a node stands in a statement, and not in a definition in it."""
    return not isinstance(stmt, (ast.FunctionDef, ast.ClassDef)) and holds(stmt, node)


def takes_apart(walker: Any, stmt: ast.stmt) -> bool:
    """Whether a statement is a loop or a branch in which layers or variables are made."""
    return isinstance(stmt, (ast.For, ast.If)) and any(True for _ in making(walker, stmt))


def making(walker: Any, stmt: ast.stmt) -> Iterator[ast.Call]:
    """The calls in a loop or a branch that make layers and variables."""
    for node in walk(stmt):
        if isinstance(node, ast.Call):
            layer = walker.layers.get(id(node))
            own = layer is not None and not (layer.inline or layer.shared)
            if own and _once(walker, layer):
                continue
            if own and _there(walker, stmt, layer):
                continue
            if own or id(node) in walker.looped:
                yield node


def _once(walker: Any, layer: Layer) -> bool:
    """Whether what a call applies is made before the loop, once for all rounds."""
    made = walker.layers.get(id(layer.same)) if layer.same is not None else None
    return made is not None and bool(made.shared)


def _there(walker: Any, stmt: ast.stmt, layer: Layer) -> bool:
    """Whether what a branch applies was surely made before: by a function, without averages."""
    made = layer.same
    if made is None or layer.factory is None or not isinstance(stmt, ast.If):
        return False
    if any(key in (id(made), id(layer.call)) for _, key in walker.norms):
        return False
    for node in (n for tree in walker.program() for n in walk(tree)):
        if not isinstance(node, (ast.If, ast.For, ast.While, ast.Try, *SCOPES)):
            continue
        parts = [getattr(node, k, None) for k in ("body", "orelse", "handlers", "finalbody")]
        arms = [p if isinstance(p, list) else [p] for p in parts if p]
        held = [{id(n) for s in arm for n in walk(s)} for arm in arms]
        if any(id(made) in arm and id(stmt) not in arm for arm in held):
            return False
        if isinstance(node, ast.For) and any(id(stmt) in arm for arm in held):
            return False
    return True


def headers(stmt: ast.stmt, node: ast.AST) -> list[ast.expr]:
    """What tells how often, and whether, a node of a statement is executed."""
    return [
        n.iter if isinstance(n, ast.For) else n.test
        for n in chain(stmt, node) or ()
        if isinstance(n, (ast.For, ast.If))
    ]


def known(walker: Any, node: ast.expr) -> None:
    """What a header reads must be there before any run.

    Raises:
        Blocked: it reads a part of a run.
    """
    for n in walk(node):
        symbol = walker.meant.get(id(n), walker.attributes.get(id(n)))
        if symbol is not None and symbol.value.kind not in KNOWN:
            kind = symbol.value.kind.value
            raise Blocked(node, f"layers are made for each item of a {kind}")
        if isinstance(n, ast.Call) and (id(n) in walker.layers or id(n) in walker.sites):
            raise Blocked(node, "layers are made for each item of what is computed")


@dataclass(slots=True, eq=False, repr=False)
class Slices:
    """What of a loop's or a branch's statements goes where once it is taken apart."""

    needed: list[ast.stmt]  # what is made needs these
    gone: list[ast.stmt]  # nothing else does, or they make a variable


def slices(walker: Any, root: ast.stmt) -> Slices:
    """Which statements belong to what is made, which to what is applied.

    Raises:
        Blocked: one belongs to both, and counts.
    """
    wanted: set[str] = set()
    for node in making(walker, root):
        wanted |= _made_of(walker, node)
    found = needed(walker, root, wanted)
    gone: list[ast.stmt] = [s for s in all_of(root, ast.Assign) if id(s.value) in walker.looped]
    gone += [stmt for stmt, _, _ in gathered(walker, root)]
    left = list(found)
    while left:
        read = reads(walker, root, {id(s) for s in (*gone, *left)})
        alive = [s for s in left if stores(s) & read]
        if not alive:
            break
        for stmt in alive:
            if isinstance(stmt, ast.AugAssign) or stores(stmt) & loads(stmt):
                what = "a number that a loop counts with, for layers and for tensors"
                error = Blocked(stmt, what)
                known_branches.inside(walker, root, error)
                raise error
            left.remove(stmt)
    return Slices(found, _whole(walker, root, [*gone, *left]))


def _whole(walker: Any, root: ast.stmt, gone: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that go; instead of them the blocks in which nothing else stands."""
    ids = {id(s) for s in gone}
    inside = [n for n in walk(root) if isinstance(n, BLOCKS) and n is not root]
    blocks = [n for n in inside if _only(walker, n, ids)]
    outer = [n for n in blocks if not any(n is not o and holds(o, n) for o in blocks)]
    return [*(s for s in gone if not any(holds(o, s) for o in outer)), *outer]


def _only(walker: Any, block: ast.AST, gone: set[int]) -> bool:
    """Whether all that a block has goes, and nothing is made in it."""
    inside = list(plain(block))
    return (
        bool(inside)
        and all(id(s) in gone for s in inside)
        and not any(True for _ in making(walker, block))  # type: ignore[arg-type]
    )


def reads(walker: Any, root: ast.AST, gone: set[int]) -> set[str]:
    """The names that what is applied reads, some statements left out."""
    found: set[str] = set()
    stack: list[ast.AST] = [root]
    while stack:
        node = stack.pop()
        if id(node) in gone or (isinstance(node, BLOCKS) and _only(walker, node, gone)):
            continue
        layer = walker.layers.get(id(node))
        if layer is not None and not layer.inline:
            stack.extend(_applied(walker, layer))
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        stack.extend(children(node))
    return found


def _applied(walker: Any, layer: Layer) -> list[ast.expr]:
    """What a layer is given when it is applied."""
    if layer.factory is not None:
        return list(layer.tensors)
    given = [*layer.given.values(), *(layer.norm.given.values() if layer.norm is not None else ())]
    found = [v for k, v in layer.given.items() if k in ("inputs", "ids")]
    for value in given:
        found += [n for n in walk(value) if isinstance(n, ast.expr) and id(n) in walker.flags]
    return found


def _made_of(walker: Any, node: ast.Call, layer: Layer | None = None) -> set[str]:
    """The names that what a call makes is made of."""
    layer = layer or walker.layers.get(id(node))
    if layer is None:
        made = walker.made.get(id(node))
        scoped = re.findall(r"\{(.*?)\}", made.name or "") if made is not None else []
        return loads(node) | {word for name in scoped for word in re.findall(r"\w+", name)}
    hidden = {id(n) for a in _applied(walker, layer) for n in walk(a)}
    told = {"reuse"} if layer.factory is None else scopes.spent(walker, layer.factory)
    own = [value for key, value in layer.given.items() if key not in told]
    given = [*own, *(layer.norm.given.values() if layer.norm is not None else ())]
    return {n.id for value in given for n in all_of(value, ast.Name) if id(n) not in hidden}


def spent(walker: Any, node: ast.AST) -> set[str]:
    """The names that only the making of a statement's layers reads: no run does later."""
    if not isinstance(node, ast.Assign):
        return set()
    calls = {id(n): walker.layers.get(id(n)) for n in all_of(node, ast.Call)}
    making: set[int] = set()
    for layer in calls.values():
        if layer is None or layer.inline or layer.same is not None:
            continue
        applied = {id(n) for a in _applied(walker, layer) for n in walk(a)}
        making |= {id(n) for v in layer.given.values() for n in walk(v)} - applied
    later = (ast.Lambda, ast.FunctionDef, ast.GeneratorExp)
    making -= {id(n) for inner in walk(node) if isinstance(inner, later) for n in walk(inner)}
    names = all_of(node, ast.Name)
    return {n.id for n in names} - {n.id for n in names if id(n) not in making}


def settle(walker: Any, step: Step) -> None:
    """What only the making of layers counts with isn't a run's."""
    if not step.moves or not takes_apart(walker, step.node):
        return
    _rename(walker, step)
    names: set[str] = set()
    for stmt in slices(walker, step.node).gone:
        if id(getattr(stmt, "value", None)) not in walker.looped:
            names |= stores(stmt)
    if isinstance(step.node, ast.For) and read_behind(step.function, step.node):
        names |= stores(step.node.target)
    home = Step(step.order, step.node, Kind.HOST)
    home.region, home.function = step.region, step.function
    lists = {name for _, name, _ in gathered(walker, step.node)}
    names |= lists
    for symbol in step.defs:
        kind = Kind.VARIABLE if symbol.name in lists else Kind.HOST
        if symbol.name in names and symbol.value.kind is kind:
            symbol.step = home
    step.defs = [s for s in step.defs if s.step is step]
    step.hosts -= names
    step.uses = {s: None for s in step.uses if s.name not in names}


def read_behind(function: ast.AST | None, loop: ast.For) -> bool:
    """Whether a function reads what a loop counted with behind it: ``str(i + 1)``."""
    last = loop.end_lineno or loop.lineno
    return isinstance(loop.target, ast.Name) and any(
        isinstance(n, ast.Name) and n.id == loop.target.id and n.lineno > last
        for n in walk(function or loop)
        if isinstance(getattr(n, "ctx", None), ast.Load)
    )


def _rename(walker: Any, step: Step) -> None:
    """A variable of a loop gets a name of its own where the author's means others later on."""
    looped = {walker.looped[id(n)] for n in walk(step.node) if id(n) in walker.looped}
    inside = {id(n) for n in walk(step.node)}
    scope = all_of(walker.frame.node, ast.Name)
    for name in looped:
        others = [n for n in scope if n.id == name and id(n) not in inside]
        if not any(isinstance(n.ctx, ast.Store) for n in others):
            continue
        new = f"{name}_i"
        if any(n.id == new for n in scope) or not _bound_there(walker, [step.node], name):
            raise Blocked(step.node, f"`{name}` means a variable of a loop, and others")
        for n in walk(step.node):
            if isinstance(n, ast.Name) and n.id == name:
                walker.renamed[id(n)] = new
        for symbol in step.defs:
            if symbol.name == name:
                symbol.name = new
                last = Symbol(name, step, Value(Kind.OTHER, "a variable of a loop"))
                walker.frame.env[name] = last


def _bound_there(walker: Any, block: Iterable[ast.stmt], name: str, begun: bool = False) -> bool:
    """Whether a name means nothing in a block but the variable that this makes."""
    for stmt in block:
        arms = [getattr(stmt, part, ()) for part in ("body", "orelse")]
        inner = {id(n) for arm in arms for s in arm for n in walk(s)}
        uses = [n for n in all_of(stmt, ast.Name) if n.id == name]
        own = [n for n in uses if id(n) not in inner]
        if isinstance(stmt, ast.Assign) and id(stmt.value) in walker.looped and len(own) == 1:
            begun = True
        elif own and (not begun or any(not isinstance(n.ctx, ast.Load) for n in own)):
            return False
        if not all(_bound_there(walker, arm, name, begun) for arm in arms):
            return False
        begun = begun or (isinstance(stmt, ast.With) and len(uses) > len(own))
    return True


def needed(walker: Any, root: ast.stmt, wanted: set[str]) -> list[ast.stmt]:
    """The statements of a loop or a branch that bind some names, or what these come from.

    ``wanted`` gets the names that these read.
    """
    found: list[ast.stmt] = []
    order = list(reversed(list(plain(root))))
    before = -1
    while before != len(found):  # what a round leaves to the next one, too
        before = len(found)
        for stmt in order:
            if stmt in found or not stores(stmt) & wanted:
                continue
            if any(True for _ in making(walker, stmt)):
                continue
            found.append(stmt)
            wanted |= {n.id for n in all_of(stmt, ast.Name)}
            for block in chain(root, stmt) or ():
                if block is not root and isinstance(block, ast.If):
                    wanted |= loads(block.test)
                elif block is not root and isinstance(block, ast.For):
                    wanted |= loads(block.iter)
    return found


def plain(root: ast.AST) -> Iterator[ast.stmt]:
    """The statements inside a compound one that have no blocks, in order."""
    for name in ("body", "orelse"):
        for stmt in getattr(root, name, ()):
            if isinstance(stmt, (ast.For, ast.If, ast.With)):
                yield from plain(stmt)
            elif isinstance(stmt, ast.stmt):
                yield stmt


def stores(node: ast.AST) -> set[str]:
    """The names that are bound in a node."""
    return {n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Store)}


def loads(node: ast.AST) -> set[str]:
    """The names that are read in a node."""
    return {n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Load)}
