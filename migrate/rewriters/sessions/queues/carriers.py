"""Objects that only carry parts of an element from a reader to its caller, as plain names.

result = CIFAR10Record()                             label = tf.cast(…)
result.label = tf.cast(…)                            image = tf.transpose(…)
result.image = tf.transpose(…)                       return label, image
return result

read_input = read_cifar10(filename_queue)            label, image = read_cifar10(filename_queue)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from migrate.engine.document import Document, edited
from migrate.engine.names import Names
from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.queues.module import Module
from migrate.rewriters.sessions.queues.sources import READERS


@dataclass(frozen=True)
class Carrier:
    """A function that fills an object of an empty class, or a named tuple, and gives it."""

    function: ast.FunctionDef
    parts: tuple[str, ...]  # its attributes, in the order in which they are set
    name: str = ""
    made: ast.Assign | None = None
    holder: ast.ClassDef | None = None
    values: tuple[ast.expr, ...] = ()  # of a named tuple, which is only given


@dataclass(frozen=True)
class Caller:
    """A statement that keeps such an object under a name."""

    stmt: ast.Assign
    scope: ast.AST
    reads: tuple[ast.Attribute, ...]


def with_parts_apart(document: Document, names: Names, others: str = "") -> Document:
    """The document with names instead of such objects; itself where there are none."""
    if not any(_queue(r.name.rpartition(".")[2]) for r in names.references):
        return document
    module = Module(document, names)
    for stmt in document.tree.body:
        if isinstance(stmt, ast.FunctionDef) and any(
            _queue(module.endpoint(n).rpartition(".")[2]) for n in walk(stmt)
        ):
            carrier = _carrier(document.tree, stmt) or _tuple(document.tree, stmt)
            callers = _callers(document.tree, carrier) if carrier is not None else None
            if carrier is not None and callers and not re.search(rf"\b{stmt.name}\b", others):
                _apart(module, carrier, callers)
    edits = list(by_cell(document, module.edits()))
    return edited(document, edits) if edits else document


def _queue(name: str) -> bool:
    return name in READERS or name.endswith("input_producer")


def _tuple(tree: ast.Module, function: ast.FunctionDef) -> Carrier | None:
    """A named tuple that a function makes where it ends."""
    last = function.body[-1]
    call = last.value if isinstance(last, ast.Return) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    if sum(isinstance(n, ast.Return) for n in walk(function)) > 1:
        return None
    name = call.func.id
    kept = (n for n in all_of(tree, ast.Assign))
    stores = [n.value for n in kept if name in _targets(n)]
    fields = _fields(stores[0]) if len(stores) == 1 else None
    if fields is None or len(fields) != len(call.args) + len(call.keywords):
        return None
    given = dict(zip(fields, call.args, strict=False))
    given |= {k.arg: k.value for k in call.keywords if k.arg}
    if sorted(given) != sorted(fields) or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    # In the order in which they are computed.
    return Carrier(function, tuple(given), values=tuple(given.values()))


def _fields(made: ast.expr) -> list[str] | None:
    """The fields of a named tuple's class."""
    if not isinstance(made, ast.Call) or len(made.args) != 2 or made.keywords:
        return None
    if ast.unparse(made.func) not in ("namedtuple", "collections.namedtuple"):
        return None
    given = made.args[1]
    parts = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
    texts = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
    if len(texts) != len(parts):
        return None
    return [f for text in texts for f in text.replace(",", " ").split()]


def _carrier(tree: ast.Module, function: ast.FunctionDef) -> Carrier | None:
    last = function.body[-1]
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Name):
        return None
    name, nodes = last.value.id, list(walk(function))
    made = [s for s in function.body if isinstance(s, ast.Assign) and _targets(s) == [name]]
    holder = _holder(tree, function, made[0].value) if len(made) == 1 else None
    if holder is None or sum(isinstance(n, ast.Return) for n in nodes) > 1:
        return None
    parts = [n for n in nodes if isinstance(n, ast.Attribute) and _is(n.value, name)]
    alone = [n for n in nodes if _is(n, name)]
    if len(alone) != len(parts) + 2 or any(isinstance(n.ctx, ast.Del) for n in parts):
        return None
    stored = {
        n.attr: None
        for s in function.body
        if isinstance(s, ast.Assign)
        for n in walk(s)
        if n in parts and isinstance(n.ctx, ast.Store)
    }
    if any(n.attr not in stored for n in parts) or _names(nodes) & _wishes(name, stored):
        return None
    return Carrier(function, tuple(stored), name, made[0], holder)


def _holder(tree: ast.Module, function: ast.FunctionDef, made: ast.expr) -> ast.ClassDef | None:
    """The empty class that an object is of, which nothing else is."""
    func = made.func if isinstance(made, ast.Call) else None
    if (
        not isinstance(made, ast.Call)
        or made.args
        or made.keywords
        or not isinstance(func, ast.Name)
    ):
        return None
    for at in (function, tree):
        found = [s for s in at.body if isinstance(s, ast.ClassDef) and s.name == func.id]
        if not found:
            continue
        plain = not (found[0].keywords or found[0].decorator_list or len(found) > 1)
        plain = plain and all(_is(b, "object") for b in found[0].bases)
        plain = plain and all(_says_nothing(s) for s in found[0].body)
        uses = [n for n in walk(at) if _is(n, func.id)]
        return found[0] if plain and uses == [func] else None
    return None


def _says_nothing(stmt: ast.stmt) -> bool:
    text = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
    return text or isinstance(stmt, ast.Pass)


def _callers(tree: ast.Module, carrier: Carrier) -> list[Caller] | None:
    """The statements that call such a function; None where one does otherwise."""
    name = carrier.function.name
    if sum(isinstance(n, ast.FunctionDef) and n.name == name for n in walk(tree)) > 1:
        return None
    reads = [n for n in walk(tree) if _is(n, name)]
    found: list[Caller] = []
    for scope in (tree, *(f for f in all_of(tree, ast.FunctionDef))):
        for stmt in _own(scope):
            call = getattr(stmt, "value", None)
            if not isinstance(call, ast.Call) or call.func not in reads:
                continue
            targets = _targets(stmt) if isinstance(stmt, ast.Assign) else []
            if len(targets) != 1 or not isinstance(stmt, ast.Assign) or scope is carrier.function:
                return None
            around = tree if scope is tree else scope
            others = hidden(tree, targets[0]) if scope is tree else set()
            uses = [n for n in walk(around) if _is(n, targets[0]) and id(n) not in others]
            given = [n for n in all_of(around, ast.Attribute) if n.value in uses]
            plain = all(isinstance(n.ctx, ast.Load) and n.attr in carrier.parts for n in given)
            if not plain or len(uses) != len(given) + 1 or not given:
                return None
            if _names(walk(around)) & _wishes(targets[0], carrier.parts):
                return None
            found.append(Caller(stmt, scope, tuple(given)))
    return found if len(found) == len(reads) else None


def _apart(module: Module, carrier: Carrier, callers: list[Caller]) -> None:
    wanted = {n.attr for caller in callers for n in caller.reads}
    parts = [p for p in carrier.parts if p in wanted]
    if carrier.made is None:  # what is only computed goes with its field
        values = dict(zip(carrier.parts, carrier.values, strict=True))
        parts = [p for p in carrier.parts if p in wanted or not _name(values[p])]
        source = [module.source(values[p]) for p in parts]
        module.replace(carrier.function.body[-1], f"return {', '.join(source)}")
        _unpacked(module, parts, callers)
        return
    function, body = carrier.function, carrier.function.body
    own = _called(carrier.name, carrier.parts, _names(walk(function)))
    for n in walk(function):
        if isinstance(n, ast.Attribute) and _is(n.value, carrier.name):
            module.replace(n, own[n.attr])
    for stmt in (carrier.holder, carrier.made):
        assert stmt is not None
        at = body if stmt in body else module.tree.body
        place = at.index(stmt)
        module.remove(stmt, (at[place - 1].end_lineno or 0) if place else 0)
    module.replace(body[-1], f"return {', '.join(own[p] for p in parts)}")
    _unpacked(module, parts, callers)


def _unpacked(module: Module, parts: list[str], callers: list[Caller]) -> None:
    """The callers have names of their own for what they are given."""
    for caller in callers:
        target = caller.stmt.targets[0]
        around = module.tree if caller.scope is module.tree else caller.scope
        theirs = _called(_targets(caller.stmt)[0], parts, _names(walk(around)))
        module.replace(target, ", ".join(theirs[p] for p in parts))
        for n in caller.reads:
            module.replace(n, theirs[n.attr])


def _name(node: ast.expr) -> bool:
    """Whether nothing happens where an expression isn't computed."""
    return all(isinstance(n, (ast.Name, ast.Attribute, ast.Constant, ast.expr_context))
               for n in walk(node))  # fmt: skip


def _called(name: str, parts: Iterable[str], taken: set[str]) -> dict[str, str]:
    return {p: f"{name}_{p}" if p in taken else p for p in parts}


def _wishes(name: str, parts: Iterable[str]) -> set[str]:
    return {f"{name}_{p}" for p in parts}


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    found = set()
    for n in nodes:
        found |= {n.id} if isinstance(n, ast.Name) else set()
        found |= {n.arg} if isinstance(n, ast.arg) else set()
        found |= {n.name} if isinstance(n, (ast.FunctionDef, ast.ClassDef)) else set()
        found |= {n.asname or n.name} if isinstance(n, ast.alias) else set()
    return found


def hidden(tree: ast.Module, name: str) -> set[int]:
    """The nodes of functions that call something of their own by a name."""
    found: set[int] = set()
    for function in (n for n in all_of(tree, ast.FunctionDef)):
        nodes = list(walk(function))
        bound = any(isinstance(n, ast.arg) and n.arg == name for n in nodes)
        bound = bound or any(_is(n, name) and not isinstance(n.ctx, ast.Load) for n in nodes)  # type: ignore[attr-defined]
        if bound and not any(isinstance(n, ast.Global) and name in n.names for n in nodes):
            found |= set(map(id, nodes))
        # What stands around it isn't inside.
        outer = [*function.decorator_list, *function.args.defaults]
        found -= {id(n) for part in outer for n in walk(part)}
    return found


def _own(scope: ast.AST) -> Iterable[ast.stmt]:
    """The statements of a scope, those of functions in it left out."""
    todo = list(getattr(scope, "body", []))
    while todo:
        stmt = todo.pop()
        yield stmt
        if not isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            todo += [n for n in walk(stmt) if isinstance(n, ast.stmt) and n is not stmt]
            todo = list({id(s): s for s in todo}.values())


def _targets(stmt: ast.Assign) -> list[str]:
    return [getattr(t, "id", "") for t in stmt.targets]


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
