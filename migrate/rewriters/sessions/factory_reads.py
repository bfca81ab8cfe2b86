"""What a function that makes variables read when it was called, and its inner function reads later.

TF 1 computed ``x * scale`` with what ``scale`` was at that call. What changes behind a call, or by
the call itself, keeps the session.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from migrate.engine.trees import all_of, children, fact, holds, walk
from migrate.programs.graph.made import MUTATORS
from migrate.programs.graph.model import Blocked, Region, Step
from migrate.programs.graph.objects import own_attributes

CHANGES = MUTATORS | {"pop", "remove", "clear", "sort", "reverse"}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LOOPS = (ast.For, ast.While)


def check(walker: Any, region: Region, steps: Sequence[Step]) -> None:
    """See that the names and attributes that an inner function reads stay what they are.

    Raises:
        Blocked: one changes.
    """
    target = region.node
    assert isinstance(target, ast.FunctionDef)
    calls = [
        layer.call
        for layer in walker.layers.values()
        if layer.factory is target and layer.call is not None
    ]
    moving = {id(n) for step in steps for n in walk(step.node)}
    read = [n for step in steps for n in walk(step.node)]
    own = {a.arg for a in all_of(target.args, ast.arg)}
    own |= {n.id for n in all_of(target, ast.Name) if _stores(n)}
    said = {
        name for n in walk(target) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names
    }
    around = [_scope(walker, n) for n in _around(walker, target)]
    within = [n for n in walk(target) if id(n) not in moving and not _tensorflow(walker, n)]
    for node in (n for n in read if isinstance(n, ast.Name) and not _stores(n)):
        if node.id in said and any(
            isinstance(n, ast.Name) and n.id == node.id and _stores(n) for n in walk(target)
        ):
            raise Blocked(node, _reason(node.id))
        if node.id in own - said:
            continue
        if any(_mutates(n, node.id) for n in within):
            raise Blocked(node, _reason(node.id))
        for scope in around:
            scope.behind(calls, scope.changes.get(node.id, ()), node)
            if node.id in scope.names:
                scope.behind(calls, scope.names[node.id], node)
                break
    itself = target.args.args[0].arg if target.args.args else ""
    homes = [n for n in all_of(walker.tree, ast.FunctionDef) if n is not target]
    for asked in read:
        if not isinstance(asked, ast.Attribute) or _stores(asked):
            continue
        if not isinstance(asked.value, ast.Name) or asked.value.id != itself:
            continue
        said_so = f"{itself}.{asked.attr}"
        if any(_mutates(n, said_so) for n in within):
            raise Blocked(asked, _reason(asked.attr))
        sets: dict[ast.FunctionDef, list[ast.AST]] = {}
        for home in homes:
            there = _scope(walker, home)
            stores = there.attributes.get(asked.attr, [])
            there.behind(calls, [*stores, *there.changes.get(said_so, ())], asked)
            sets |= {home: stores} if stores else {}
        known = {target.name, asked.attr}
        begins = all(_begins(walker, h, s, known) for h, s in sets.items())
        if sum(map(len, sets.values())) > 1 and not begins:
            raise Blocked(asked, _reason(asked.attr))


class _Scope:
    """What stands in a scope itself: its loops, what it stores, and what it changes in place."""

    def __init__(self, walker: Any, scope: ast.AST) -> None:
        nodes = list(_own(scope))
        self.inside = set(map(id, nodes))
        self.loops = [{id(m) for m in walk(n)} for n in nodes if isinstance(n, LOOPS)]
        self.names: dict[str, list[ast.AST]] = {}
        self.attributes: dict[str, list[ast.AST]] = {}
        self.changes: dict[str, list[ast.AST]] = {}
        flags = fact(walker.tree, own_attributes.of_flags)
        for n in nodes:
            if isinstance(n, ast.Name) and _stores(n):
                self.names.setdefault(n.id, []).append(n)
            elif isinstance(n, ast.Attribute) and _stores(n) and id(n) not in flags:
                self.attributes.setdefault(n.attr, []).append(n)
            elif not _tensorflow(walker, n) and (changed := _changed(n)):
                self.changes.setdefault(changed, []).append(n)

    def behind(self, calls: Sequence[ast.Call], binds: Sequence[ast.AST], node: ast.AST) -> None:
        """See that nothing binds a name behind a call of the function, in the same scope.

        Raises:
            Blocked: something does.
        """
        for call in (c for c in calls if binds and id(c) in self.inside):
            for bind in binds:
                later = getattr(bind, "lineno", 0) > (call.end_lineno or call.lineno)
                if later or any(id(call) in loop and id(bind) in loop for loop in self.loops):
                    raise Blocked(node, _reason(getattr(node, "id", getattr(node, "attr", ""))))


def _scope(walker: Any, node: ast.AST) -> _Scope:
    found: dict[int, _Scope] = walker.kept.setdefault(("scopes' own",), {})
    if id(node) not in found:
        found[id(node)] = _Scope(walker, node)
    return found[id(node)]


def _begins(walker: Any, home: ast.FunctionDef, stores: Sequence[ast.AST], known: set[str]) -> bool:
    """Whether an object has its attribute before it calls any method that may get to ``known``."""
    if home.name != "__init__":
        return False
    itself = home.args.args[0].arg if home.args.args else ""
    called = [
        n.lineno
        for n in _own(home)
        if isinstance(n, ast.Call) and ast.unparse(n.func).startswith(f"{itself}.")
        if isinstance(n.func, ast.Attribute) and _reaches(walker, n.func.attr, known)
    ]
    return not called or max(getattr(s, "lineno", 0) for s in stores) < min(called)


def _reaches(walker: Any, name: str, known: set[str]) -> bool:
    """Whether a function of some name may read one of some names, or call what does."""
    functions = all_of(walker.tree, ast.FunctionDef)
    seen, todo = set[str](), {name}
    while todo:
        seen |= todo
        bodies = [f for f in functions if f.name in todo]
        if not bodies:
            return True  # what an attribute holds
        read = {getattr(n, "id", getattr(n, "attr", "")) for f in bodies for n in walk(f)}
        if read & known:
            return True
        todo = (read & {f.name for f in functions}) - seen
    return False


def _reason(name: str) -> str:
    return f"`{name}`, which a function would read, changes later"


def _around(walker: Any, target: ast.FunctionDef) -> Iterator[ast.AST]:
    """The functions around one, the innermost first, and its file."""
    tree = walker.files.at(target).tree
    found = [n for n in all_of(tree, ast.FunctionDef) if n is not target]
    homes = [n for n in found if holds(n, target)]
    yield from sorted(homes, key=lambda n: -n.lineno)
    yield tree


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a scope, without what stands in scopes in it."""
    stack = list(children(scope))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, SCOPES):
            stack.extend(children(node))


def _stores(node: ast.Name | ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _tensorflow(walker: Any, node: ast.AST) -> bool:
    """Whether a call is one of TensorFlow's: ``tf.add`` adds nothing to ``tf``."""
    return isinstance(node, ast.Call) and id(node.func) in walker.endpoints


def _mutates(node: ast.AST, name: str) -> bool:
    """Whether a node changes what has a name in place."""
    return _changed(node) == name


def _changed(node: ast.AST) -> str:
    """What a node changes in place."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner, changes = node.func.value, node.func.attr in CHANGES
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        owner, changes = node.value, True
    else:
        return ""
    return ast.unparse(owner) if changes and isinstance(owner, (ast.Name, ast.Attribute)) else ""
