"""Lists of numbers that a Keras model is given: `model.predict([7.0])`.

TF 1's Keras made an array of them. Keras 3 takes the numbers for arrays of their own, and stops:
"Unrecognized data type". `[[7.0, 8.0]]` was a list of the one input.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.findings import Edit
from migrate.engine.rule import Import, Result
from migrate.engine.site import FileContext, MethodSite
from migrate.engine.trees import all_of
from migrate.rewriters.keras_arguments import ARGUMENT
from migrate.rewriters.keras_generators import uses_keras

GIVEN = {
    "fit": ("x", "y", "validation_data"),
    "evaluate": ("x", "y"),
    "predict": ("x",),
    "train_on_batch": ("x", "y"),
    "test_on_batch": ("x", "y"),
    "predict_on_batch": ("x",),
}
PLACES = {"fit": 2}  # validation_data has a place far behind them
MODELS = frozenset({"Sequential", "Model", "load_model"})
WHY = "Keras 3's `{}` takes no list of numbers"


@ARGUMENT.method(*GIVEN)
def lists(site: MethodSite) -> Result | None:
    """Give it an array."""
    call, node, file = site.use.call, site.use.node, site.file
    if call is None or not uses_keras(site):
        return None
    names = GIVEN[node.attr]
    given = list(call.args[: PLACES.get(node.attr, len(names))])
    given += [k.value for k in call.keywords if k.arg in names]
    given = [v for g in given for v in _parts(g, call)]
    numbers = [(g, found) for g in given if (found := _numbers(g, site)) is not None]
    if not numbers or not is_model(node.value, file):
        return None
    name, imports = _numpy(file)
    if not name:
        return ARGUMENT.report(node, WHY.format(node.attr), blocks=False)
    edits = []
    for value, found in numbers:
        start, end = file.index.span(value)
        edits.append(Edit(start, end, f"{name}.array({file.source(found)})"))
    message = WHY.format(node.attr)
    result = ARGUMENT.fixed(numbers[0][0], message, f"{name}.array()", edits)
    result.imports = imports
    return result


def _parts(node: ast.expr, call: ast.Call) -> list[ast.expr]:
    """An argument, or the two of `validation_data=(x, y)`."""
    named = any(k.arg == "validation_data" and k.value is node for k in call.keywords)
    return node.elts if named and isinstance(node, ast.Tuple) else [node]


def _numbers(node: ast.expr, site: MethodSite) -> ast.expr | None:
    """The list of numbers that an argument is or has, or the name of one."""
    if isinstance(node, ast.Name):
        tree = site.file.tree
        stores = [n for n in all_of(tree, ast.Name) if n.id == node.id and _bound(n)]
        values = [a.value for a in all_of(tree, ast.Assign) if a.targets == stores]
        own = any(a.arg == node.id for a in all_of(tree, ast.arg))
        return node if values and not own and _listed(values[0]) is values[0] else None
    return _listed(node)


def _listed(node: ast.expr) -> ast.expr | None:
    if not isinstance(node, (ast.List, ast.Tuple)) or not node.elts:
        return None
    if all(map(_number, node.elts)):
        return node
    inner = node.elts[0]
    if len(node.elts) > 1 or not isinstance(inner, (ast.List, ast.Tuple)) or not inner.elts:
        return None
    return inner if all(map(_number, inner.elts)) else None


def _number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _bound(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def is_model(node: ast.expr, file: FileContext) -> bool:
    """Whether a value is a model of Keras's: it is compiled, or what makes models made it."""
    text = ast.unparse(node)
    for call in all_of(file.tree, ast.Call):
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr == "compile":
            if ast.unparse(func.value) == text:
                return True
    made = {r.node for r in file.names.references if r.name.rpartition(".")[2] in MODELS}
    return any(
        isinstance(a.value, ast.Call)
        and a.value.func in made
        and any(ast.unparse(t) == text for t in a.targets)
        for a in all_of(file.tree, ast.Assign)
    )


def _numpy(file: FileContext) -> tuple[str, list[Import]]:
    """By which name a file has NumPy, and the import that it needs for it."""
    bound = set(_names(file.tree))
    for stmt in file.tree.body:
        for alias in stmt.names if isinstance(stmt, ast.Import) else ():
            if alias.name == "numpy":
                return alias.asname or "numpy", []
    name = next((n for n in ("np", "numpy") if n not in bound), "")
    return name, [Import(name, "numpy")]


def _names(tree: ast.Module) -> Iterator[str]:
    yield from (n.id for n in all_of(tree, ast.Name) if _bound(n))
    yield from (a.arg for a in all_of(tree, ast.arg))
    yield from (a.asname or a.name for a in all_of(tree, ast.alias))
    yield from (d.name for d in all_of(tree, ast.FunctionDef))
    yield from (d.name for d in all_of(tree, ast.ClassDef))
