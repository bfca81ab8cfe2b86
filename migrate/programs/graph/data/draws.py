"""What a run takes of iterators.

A run that needs an element takes the next one, once, whatever it fetches of it; so it must be
certain that TF 1 would have taken one too.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.data import object_iterators
from migrate.programs.graph.data.data_ends import pythons
from migrate.programs.graph.data.iterators import (
    Begin,
    Element,
    Iterator,
    Part,
    element_of,
)
from migrate.programs.graph.model import Blocked, Site, Step, Symbol
from migrate.programs.graph.optimizing import training_helpers

# What TF 1 may know of a tensor without running it.
STATIC = frozenset({"shape", "get_shape", "dtype", "ndims"})
STATIC_OPS = frozenset({"size", "rank", "zeros_like", "ones_like", "shape_n"})


def taken(site: Site, steps: dict[Step, None]) -> list[Element]:
    """The elements that a run takes, in order.

    Raises:
        Blocked: TF 1 may not have taken one, or only a part of it is fed.
    """
    wanted = [s for leaf in site.fetch.leaves() for s in leaf.uses]
    used = [*wanted, *(s for step in steps for s in step.uses)]
    found = list(dict.fromkeys(e for s in used if (e := element_of(s)) is not None))
    fed = {f.symbol for f in site.feeds}
    for feed in site.feeds:
        element = element_of(feed.symbol)
        if element is None:
            continue
        if not plain(element) or any(element_of(s) is element and s not in fed for s in used):
            raise Blocked(feed.key, "a part of an iterator's next element is fed")
        found = [e for e in found if e is not element]
    if not found:
        return []
    sure: set[Element] = set()
    asked: dict[Step, set[Symbol]] = {}
    stack = [s for leaf in site.fetch.leaves() if not _static(leaf.node) for s in leaf.uses]
    seen: set[Symbol] = set()
    while stack:
        symbol = stack.pop()
        if symbol in seen or symbol in fed:
            continue
        seen.add(symbol)
        element = element_of(symbol)
        if element is not None:
            sure.add(element)
            continue
        step = symbol.step
        if step not in steps:
            continue
        asked.setdefault(step, set()).add(symbol)
        if (before := _passed_on(symbol, found[0].walker)) is not None:
            stack.append(before)
            continue
        partly = len(step.defs) > 1 and asked[step] != set(step.defs)
        if partly and not _one_op(step.node):
            continue
        if step.value is not None and step.value.items is not None:
            continue
        if _static(step.node):
            stack.extend(_beside(found[0].walker, step))
            continue
        stack.extend(s for s in step.uses if s.step is not step)
        stack.extend(s for other in step.after for s in other.uses)
    for element in found:
        if element.walker is not None:
            pythons(element.walker, site.node)
        if element not in sure:
            raise Blocked(site.node, "whether this run takes the next element can't be told")
        function = site.step.function if site.step is not None else None
        if "." in element.iterator.name:  # an object's
            home = element.symbols[0].step.region
            if site.region is not None and site.region is not home:
                element.iterator.holder = object_iterators.holder(element, site)
            continue
        made = element.symbols[0].step.function
        if function is not made and not isinstance(made, (ast.Module, type(None))):
            _written_there(element.walker, function, made)
            raise Blocked(site.node, "the iterator is a local name of another function")
        if function is not made and isinstance(function, ast.FunctionDef):
            for n in walk(function):
                if (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)) and (
                    n.id == element.iterator.name
                ):
                    raise Blocked(n, f"`{n.id}` is another iterator here")
    return found


def _written_there(walker: Any, function: Any, made: Any) -> None:
    """Where an iterator's function calls another one that runs it, and nobody else does.

    Raises:
        Inlinable: the other one's statements may stand there instead.
    """
    if walker is None or not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return
    for stmt in _plain(made.body):
        call = stmt.value if isinstance(stmt, (ast.Assign, ast.Expr)) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        named = [n for n in walk(walker.tree) if function.name in _names(n)]
        if call.func.id == function.name and named == [call.func]:
            why = "takes from an iterator of the function that calls it"
            raise training_helpers.Inlinable(call, stmt, function, why)


def _plain(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that are run once, those in `with` too."""
    found = []
    for stmt in body:
        found += _plain(stmt.body) if isinstance(stmt, ast.With) else [stmt]
    return found


def _names(node: ast.AST) -> tuple[Any, Any]:
    return getattr(node, "id", None), getattr(node, "attr", None)


def plain(element: Element) -> bool:
    """Whether an element is one iterator's that has a name of its own, over one dataset."""
    return type(element.iterator) is Iterator and "." not in element.iterator.name


def whole(site: Site) -> Element | None:
    """The element that a run fetches, all of it and nothing else."""
    leaves = site.fetch.items if site.fetch.items is not None else [site.fetch]
    if any(leaf.items is not None or not isinstance(leaf.value.data, Part) for leaf in leaves):
        return None
    symbols = [next(iter(leaf.uses)) for leaf in leaves if len(leaf.uses) == 1]
    element = element_of(symbols[0]) if symbols else None
    if element is None or element.symbols != symbols or site.fetch.shape == "dict":
        return None
    return element if element.several == (site.fetch.items is not None) else None


def begins(site: Site) -> Iterator | None:
    """The iterator that a run lets begin."""
    data = site.fetch.value.data
    return data.iterator if isinstance(data, Begin) else None


def _passed_on(symbol: Symbol, walker: Any) -> Symbol | None:
    """What a name was before ``if …: x = tf.f(x)``, which either way is made of it."""
    branch = symbol.step.node
    if walker is None or not isinstance(branch, ast.If) or branch.orelse or len(branch.body) != 1:
        return None
    stmt = branch.body[0]
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or _static(stmt):
        return None
    target, value = stmt.targets[0], stmt.value
    if not (isinstance(target, ast.Name) and target.id == symbol.name):
        return None
    if not isinstance(value, ast.Call):
        return None
    if not meaning.is_op(walker.endpoints.get(id(value.func), "")):  # another may ignore it
        return None
    arguments = [*value.args, *(k.value for k in value.keywords)]
    if not any(isinstance(a, ast.Name) and a.id == target.id for a in arguments):
        return None
    before = [s for s in symbol.step.uses if s.name == target.id and s.step is not symbol.step]
    return before[0] if len(before) == 1 else None


def _one_op(node: ast.AST) -> bool:
    """Whether a statement takes several names from one op or one structure."""
    if not isinstance(node, ast.Assign):
        return False
    return isinstance(node.value, (ast.Name, ast.Subscript)) or (
        isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
    )


def _beside(walker: Any, step: Step) -> list[Symbol]:
    """What an expression needs beside that which TF 1 may have known without running anything."""
    todo: list[ast.AST] = []
    found: list[Symbol] = []
    if walker is not None and isinstance(step.node, (ast.Assign, ast.AugAssign)):
        todo.append(step.node.value)
    if isinstance(step.node, ast.AugAssign):
        before = ast.unparse(step.node.target)
        found += [s for s in step.uses if s.name == before]
    while todo:
        node = todo.pop()
        symbol = walker.meant.get(id(node), walker.attributes.get(id(node)))
        if symbol in step.uses:
            found.append(symbol)
        elif isinstance(node, ast.BinOp):
            todo += [node.left, node.right]
        elif isinstance(node, ast.UnaryOp):
            todo.append(node.operand)
        elif isinstance(node, ast.Call) and id(node.func) in walker.endpoints:
            if not _static(node.func):
                todo += [*node.args, *(k.value for k in node.keywords)]
    return found


def _static(node: ast.AST) -> bool:
    """Whether TF 1 may have known a value without running anything."""
    return not isinstance(node, ast.FunctionDef) and any(
        (isinstance(n, ast.Attribute) and n.attr in STATIC | STATIC_OPS)
        or isinstance(n, (ast.IfExp, ast.Lambda))
        for n in walk(node)
    )
