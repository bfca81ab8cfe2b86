"""Which classes make variables and compute with them, and do nothing else; their base classes, too.

``class Dense(Layer)``, whose ``Layer.__call__`` calls what ``Dense`` says of it, is one of them
where all that its objects have is plain.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, outward, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.feeding import kept_inputs, placeholder_dicts
from migrate.programs.graph.model import RUNTIME
from migrate.programs.graph.objects import bases
from migrate.programs.graph.summarizing import unread_summaries

KEY = ("parts",)
KNOWN = ("parts", "known")
REPEATS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.List)
# What such a class has nothing of.
GRAPHIC = meaning.PLACEHOLDERS | meaning.OPTIMIZERS | meaning.MAKING | meaning.CELLS
GRAPHIC |= meaning.SESSIONS | meaning.INITIALIZERS | meaning.GLOBAL_STEPS


def is_one(walker: Any, cls: ast.ClassDef) -> bool:
    """Whether a class only makes variables and computes, where such objects are several."""
    known: dict[int, bool] = walker.kept.setdefault(KNOWN, {})
    if id(cls) not in walker.bases:
        return False  # it isn't defined yet
    if id(cls) not in known:
        known[id(cls)] = False  # one that makes objects of its own
        known[id(cls)] = _plain(walker, cls) and any(
            _several(walker, other)
            for other in walker.files.at(cls).tree.body
            if other is cls
            or (
                (isinstance(other, ast.ClassDef) and id(other) in walker.bases)
                and _plain(walker, other)
            )
        )
    return known[id(cls)]


def quiet(walker: Any, cls: ast.ClassDef, call: ast.Call) -> None:
    """See whether a class is one without the summaries that it makes.

    Raises:
        Spelled: it is, and nobody asks for them.
    """
    if id(cls) not in walker.bases or not unread_summaries.MADE & set(walker.endpoints.values()):
        return
    if not is_one(walker, cls) and _several(walker, cls) and _plain(walker, cls, quiet=True):
        unread_summaries.check(walker, bases.lineage(walker, cls), call)


def made_by(walker: Any, node: ast.AST) -> bool:
    """Whether a node is a call that makes such an object."""
    if not isinstance(node, ast.Call):
        return False
    cls = walker._module_function(node.func, ast.ClassDef)
    return cls is not None and is_one(walker, cls)


def computes(walker: Any, cls: ast.ClassDef) -> bool:
    """Whether a class does no more than such a class, whether it makes variables or not."""
    return id(cls) in walker.bases and _plain(walker, cls, making=False)


def _plain(walker: Any, cls: ast.ClassDef, *, quiet: bool = False, making: bool = True) -> bool:
    """Whether a class does no more; ``quiet``: but for summaries."""
    known = walker.bases[id(cls)]
    if known.odd is not None or any(_bound(c) for c in known.order):
        return False
    every = [m for c in known.order for m in bases.methods(c)]
    if any(m.decorator_list for m in every) or bases.find(walker, cls, "__init__") is None:
        return False
    for node in (n for c in _called(walker, known.order) for n in walk(c)):
        name = walker.endpoints.get(id(node), "")
        summary = name.startswith(meaning.T + "summary.")
        if name in GRAPHIC or (summary and not (quiet and name in unread_summaries.MADE)):
            return False
    for node in (n for c in known.order for n in walk(c)):
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)):
            return False
    whole = [n for c in known.order for n in all_of(c, ast.Attribute)]
    named = {id(n.value) for n in whole if n.attr == "__name__"}
    if any(n.attr == "__class__" and id(n) not in named for n in whole):
        return False
    begins = [m for m in every if m.name == "__init__"]
    for member in every:
        if not member.args.args or walker.runs(member):
            return False
        if member not in begins and (_stores(member) or walker._variables_made(member)):
            return False
    if any(_keeps_tensor(walker, n) for m in begins for n in walk(m)):
        return False
    return not making or any(_makes(walker, n) for m in begins for n in all_of(m, ast.Call))


def _called(walker: Any, classes: list[ast.ClassDef]) -> list[ast.AST]:
    """Classes, and the program's functions that they call."""
    found: list[ast.AST] = list(classes)
    for definition in found:
        for call in all_of(definition, ast.Call):
            helper = walker._module_function(call.func)
            if helper is not None and helper not in found:
                found.append(helper)
    return found


def _bound(cls: ast.ClassDef) -> bool:
    """Whether a class has more than methods."""
    return any(not isinstance(s, (ast.FunctionDef, ast.Pass, ast.Expr)) for s in cls.body)


def _makes(walker: Any, call: ast.Call) -> bool:
    """Whether a call makes a variable, or another such object."""
    if walker.endpoints.get(id(call.func)) in meaning.VARIABLES:
        return True
    helper = walker._module_function(call.func)
    return made_by(walker, call) or (helper is not None and walker._variables_made(helper))


def _keeps_tensor(walker: Any, node: ast.AST) -> bool:
    """Whether a statement keeps what an op gives, which a run computes."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    name = walker.endpoints.get(id(node.value.func), "")
    kept = any(isinstance(t, ast.Attribute) for t in node.targets)
    return kept and name not in meaning.VARIABLES and bool(name) and meaning.is_op(name)


def given_parts(walker: Any, cls: ast.ClassDef, call: ast.Call) -> bool:
    """Whether the first object of a class is given placeholders or tensors: it's no such class."""
    if (*KEY, id(cls)) in walker.kept:
        return False
    values = [*call.args, *(k.value for k in call.keywords)]
    found = [v for v in values if walker.expression(v).kind in RUNTIME]
    if found:
        kept_inputs.met(walker, cls, call, found)
        placeholder_dicts.check(walker, call, f"`{cls.name}` is given a dict of placeholders")
        walker.kept[KNOWN][id(cls)] = False
    return bool(found)


def _stores(member: ast.FunctionDef) -> bool:
    return any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in walk(member))


def _several(walker: Any, cls: ast.ClassDef) -> bool:
    """Whether more than one object may be made of a class and its kin, by the program's looks."""
    root = walker.bases[id(cls)].order[-1]
    calls = [
        n
        for n in all_of(walker.tree, ast.Call)
        if (made := walker._module_function(n.func, ast.ClassDef)) is not None
        and root in bases.lineage(walker, made)
    ]
    return len(calls) > 1 or any(
        isinstance(n, REPEATS) for call in calls for n in outward(walker.tree, call)
    )
