"""input_fns that return what an iterator gives next: they return the dataset.

    iterator = dataset.make_one_shot_iterator()
    features, labels = iterator.get_next()          return dataset
    return features, labels

https://www.tensorflow.org/guide/migrate/migrating_estimator
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program
    from migrate.rewriters.estimators.scopes import Binding

METHODS = frozenset({"make_one_shot_iterator", "make_initializable_iterator"})
FUNCTIONS = frozenset(
    f"tensorflow.data.{name}" for name in ("make_one_shot_iterator", "make_initializable_iterator")
)


def taken_back(
    program: Program,
    function: ast.FunctionDef,
    stmt: ast.Return,
    is_dataset: Callable[[Program, ast.expr], bool],
) -> bool:
    """Return the dataset instead of its next element, where nothing is done with the element.

    Whether it was that.
    """
    assert stmt.value is not None
    gone: list[ast.stmt] = []
    before = _before(program, stmt)
    element = stmt.value
    parts = element.elts if isinstance(element, ast.Tuple) else [element]
    if parts[1:] and isinstance(parts[-1], ast.Constant) and parts[-1].value is None:
        parts = parts[:-1]  # no labels: for predictions
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    if before and len(names) == len(parts) and isinstance(before[-1], ast.Assign):
        last = before[-1]
        targets = last.targets[0].elts if isinstance(last.targets[0], ast.Tuple) else last.targets
        if [t.id for t in targets if isinstance(t, ast.Name)] == names and len(targets) == len(
            names
        ):
            gone.append(before.pop())
            element = last.value
    iterator = _next_of(element)
    if iterator is None:
        return False
    if isinstance(iterator, ast.Name) and before and isinstance(before[-1], ast.Assign):
        last = before[-1]
        if isinstance(last.targets[0], ast.Name) and last.targets[0].id == iterator.id:
            names.append(iterator.id)
            gone.append(before.pop())
            iterator = last.value
    dataset = _dataset(program, iterator)
    if dataset is None or not (is_dataset(program, dataset) or handed(program, dataset)):
        return False
    inside = [*gone, stmt]
    for name in names:
        for use in walk(function):
            if isinstance(use, ast.Name) and use.id == name:
                if all(b.scope is not function for b in program.scopes.bindings(name, use)):
                    continue  # a lambda's own
                if program.scopes.statement(use) not in inside:
                    raise Blocked(use, f"`{name}`, of an iterator, is used for something else")
    program.edit(stmt.value, program.source(dataset), "the dataset itself")
    for line in gone:
        program.remove(line)
    program.finish.append(lambda: _only_input(program, function))
    return True


def element_of(program: Program, node: ast.expr) -> ast.expr | None:
    """The dataset whose next element an expression is."""
    iterator = _next_of(node)
    return None if iterator is None else _dataset(program, iterator)


def handed(program: Program, node: ast.expr) -> bool:
    """Whether what is iterated is a function's argument, nothing else: a dataset, then."""
    if not isinstance(node, ast.Name):
        return False
    found = program.scopes.lookup(node)
    return found is not None and found.kind == "param"


def given(program: Program, bound: Binding) -> list[ast.expr]:
    """What all calls of a function give one of its arguments; nothing where that isn't seen."""
    function, found = bound.scope, list[ast.expr]()
    if bound.kind != "param" or not isinstance(function, ast.FunctionDef):
        return []
    names = [a.arg for a in function.args.args]
    name = getattr(bound.node, "arg", "")
    if name not in names or isinstance(program.scopes.parents[id(function)], ast.ClassDef):
        return []
    for use in program.readers(function):
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use:
            return []
        hidden = any(isinstance(a, ast.Starred) for a in call.args)
        if hidden or any(k.arg is None for k in call.keywords):
            return []
        values = dict(zip(names, call.args, strict=False))
        values |= {str(k.arg): k.value for k in call.keywords}
        if name not in values:
            return []
        found.append(values[name])
    return found


def _before(program: Program, stmt: ast.stmt) -> list[ast.stmt]:
    """The statements before one, in its block."""
    above = program.scopes.parents[id(stmt)]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(above, name, None)
        if isinstance(block, list) and stmt in block:
            return list(block[: block.index(stmt)])
    return []


def _next_of(node: ast.expr) -> ast.expr | None:
    """The iterator whose next element an expression is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "get_next" and not node.args and not node.keywords:
            return node.func.value
    return None


def _dataset(program: Program, node: ast.expr) -> ast.expr | None:
    """The dataset that an expression makes an iterator of."""
    if not isinstance(node, ast.Call):
        return None
    if program.called(node) in FUNCTIONS and len(node.args) == 1:
        return node.args[0]
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS and not node.args:
        return node.func.value
    return None


def _only_input(program: Program, function: ast.FunctionDef) -> None:
    """Nothing else takes the elements that a function gave.

    Raises:
        Blocked: something does.
    """
    for use in program.readers(function):
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use:
            continue
        above = program.scopes.parents[id(call)]
        if isinstance(above, (ast.Subscript, ast.Attribute, ast.For, ast.comprehension)):
            raise Blocked(call, f"what `{function.name}` gives is read")
        if isinstance(above, ast.Assign):
            target = above.targets[0]
            read = not isinstance(target, ast.Name) or program.reads(
                target.id, program.scopes.scope(above)
            )
            if read:
                raise Blocked(call, f"what `{function.name}` gives is read")
