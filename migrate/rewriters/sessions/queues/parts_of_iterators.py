"""Helpers that return an iterator's next element beside its initializer: they return the dataset.

iterator = dataset.make_initializable_iterator()     return dataset
x, y = iterator.get_next()
return x, y, iterator.initializer

x, y, init = inputs()                                iterator = inputs().make_initializable_…()
                                                     x, y = iterator.get_next()
                                                     init = iterator.initializer
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from migrate.engine.document import Document, edited
from migrate.engine.names import Names
from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.queues.beginnings import LATER, is_method, names_of
from migrate.rewriters.sessions.queues.module import Module


@dataclass(frozen=True)
class Helper:
    """Such a function: its statements about the iterator, and what each result is."""

    function: ast.FunctionDef
    stmts: tuple[ast.stmt, ...]
    dataset: ast.expr
    result: ast.Return
    parts: tuple[str, ...]  # the names of an element's parts
    whole: bool  # it isn't unpacked
    kinds: tuple[str, ...]  # a part's name, `initializer`, `iterator`, or nothing: another value


def with_datasets_returned(document: Document, names: Names, others: str = "") -> Document:
    """The document whose helpers return datasets; itself where there are none."""
    if f".{LATER}()" not in document.text:
        return document
    module = Module(document, names)
    for function in all_of(document.tree, ast.FunctionDef):
        helper = _helper(function)
        if helper is None or re.search(rf"\b{function.name}\b", others):
            continue
        calls = _calls(document.tree, helper)
        if calls:
            _written(module, helper, calls)
    edits = list(by_cell(document, module.edits()))
    return edited(document, edits) if edits else document


def _helper(function: ast.FunctionDef) -> Helper | None:
    body, last = function.body, function.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    returns = sum(isinstance(n, ast.Return) for n in walk(function))
    if not isinstance(value, (ast.Tuple, ast.List)) or returns > 1 or function.decorator_list:
        return None
    assert isinstance(last, ast.Return)
    kept = [s for s in body if isinstance(s, ast.Assign) and len(s.targets) == 1]
    made = [s for s in kept if is_method(s.value, LATER)]
    if len(made) != 1 or not isinstance(made[0].targets[0], ast.Name):
        return None
    name = made[0].targets[0].id
    taken = [s for s in kept if is_method(s.value, "get_next") and _owner(s.value) == name]
    if len(taken) != 1 or body.index(taken[0]) < body.index(made[0]):
        return None
    parts = names_of(taken[0].targets[0])
    begun = [s for s in kept if _initializer(s.value, name) and isinstance(s.targets[0], ast.Name)]
    if parts is None or len(set(parts)) < len(parts):
        return None
    inits = {s.targets[0].id for s in begun}  # type: ignore[attr-defined]
    own, kinds = {name, *parts, *inits}, []
    for part in value.elts:
        read = part.id if isinstance(part, ast.Name) else ""
        if _initializer(part, name) or read in inits:
            kinds.append("initializer")
        elif read == name:
            kinds.append("iterator")
        elif read in parts:
            kinds.append(read)
        elif any(isinstance(n, ast.Name) and n.id in own for n in walk(part)):
            return None
        else:
            kinds.append("")
    # They are used for nothing else.
    stmts = [made[0], *taken, *begun]
    around = {id(n) for s in (*stmts, last) for n in walk(s)}
    if any(isinstance(n, ast.Name) and n.id in own and id(n) not in around for n in walk(function)):
        return None
    known = [k for k in kinds if k]
    if len(set(known)) < len(known) or not {"initializer", "iterator"} & set(known):
        return None
    if any(isinstance(e, ast.Starred) for e in value.elts) or not set(parts) & set(known):
        return None
    whole = isinstance(taken[0].targets[0], ast.Name)
    dataset = made[0].value.func.value  # type: ignore[attr-defined]
    return Helper(function, tuple(stmts), dataset, last, tuple(parts), whole, tuple(kinds))


def _calls(tree: ast.Module, helper: Helper) -> list[ast.Assign] | None:
    """The statements that unpack what it gives; None where another one uses it."""
    name, size = helper.function.name, len(helper.kinds)
    same = [n for n in all_of(tree, ast.FunctionDef) if n.name == name]
    named = [
        n
        for n in walk(tree)
        if (isinstance(n, ast.Name) and n.id == name)
        or (isinstance(n, ast.Attribute) and n.attr == name)
    ]
    found = []
    for stmt in (n for n in all_of(tree, ast.Assign)):
        func = stmt.value.func if isinstance(stmt.value, ast.Call) else None
        target = stmt.targets[0]
        if func not in named or len(stmt.targets) > 1:
            continue
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        plain = all(isinstance(p, (ast.Name, ast.Attribute)) for p in parts)
        if len(parts) == size and plain:
            found.append(stmt)
    return found if len(found) == len(named) and len(same) == 1 else None


def _written(module: Module, helper: Helper, calls: list[ast.Assign]) -> None:
    body, result = helper.function.body, helper.result
    for stmt in helper.stmts:
        place = body.index(stmt)
        module.remove(stmt, (body[place - 1].end_lineno or 0) if place else stmt.lineno - 1)
    value = result.value
    assert isinstance(value, (ast.Tuple, ast.List))
    others = [module.source(e) for e, k in zip(value.elts, helper.kinds, strict=True) if not k]
    module.replace(result, f"return {', '.join([module.source(helper.dataset), *others])}")
    taken = {n.id for n in all_of(module.tree, ast.Name)}
    taken |= {n.attr for n in all_of(module.tree, ast.Attribute)}
    for call in calls:
        target, nl, indent = call.targets[0], module.text.newline, module.indent(call)
        assert isinstance(target, (ast.Tuple, ast.List))
        given = [module.source(e) for e in target.elts]
        named = dict(zip(helper.kinds, given, strict=True))
        kept = any(isinstance(e, ast.Attribute) for e in target.elts)
        wishes = (f"iterator{i}" for i in ("", *(f"_{i}" for i in range(2, 99))))
        name = next(n for n in wishes if n not in taken)
        taken.add(name)
        name = named.get("iterator") or (f"self.{name}" if kept else name)
        parts = [named.get(p, "_") for p in helper.parts]
        source, rest = module.source(call.value), [
            g for g, k in zip(given, helper.kinds, strict=True) if not k
        ]  # fmt: skip
        lines = [f"{name} = {source}.{LATER}()"]
        if rest:
            dataset = next(n for n in ("dataset", "dataset_2", "dataset_3") if n not in taken)
            taken.add(dataset)
            lines = [f"{', '.join([dataset, *rest])} = {source}", f"{name} = {dataset}.{LATER}()"]
        lines.append(f"{parts[0] if helper.whole else ', '.join(parts)} = {name}.get_next()")
        if "initializer" in named:
            lines.append(f"{named['initializer']} = {name}.initializer")
        module.replace(call, f"{nl}{indent}".join(lines))


def _owner(call: ast.expr) -> str:
    func = call.func if isinstance(call, ast.Call) else None
    owner = func.value if isinstance(func, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) else ""


def _initializer(node: ast.AST, name: str) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "initializer"
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    )
