"""input_fns that return tensors which are the same in every step: datasets that repeat them.

    return x, y        return tf.data.Dataset.from_tensors((x, y)).repeat()

https://www.tensorflow.org/guide/migrate/migrating_estimator
"""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Binding, Program

# Ops that give the same whenever they are run on the same.
SAME = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("constant", "convert_to_tensor", "cast", "to_float", "to_int32", "to_int64", "stack"),
        *("reshape", "expand_dims", "squeeze", "concat", "transpose", "one_hot", "identity"),
        *("SparseTensor", "ones", "zeros", "ones_like", "zeros_like", "as_string", "equal"),
        *("greater", "less", "multiply", "add", "subtract", "divide", "float32", "int32", "int64"),
        *("float64", "string", "bool", "uint8", "reduce_mean", "reduce_sum", "range", "fill"),
        *("sparse_tensor_to_dense", "convert_to_tensor_or_sparse_tensor", "string_split"),
    )
)


def returned(program: Program, function: ast.FunctionDef, stmt: ast.Return) -> bool:
    """Return a dataset of the tensors that a function returns; whether they are all seen."""
    value = stmt.value
    assert value is not None
    if not _tensors(program, value, 0):
        return False
    for node in walk(function):
        endpoint = program.endpoint(node)
        if endpoint and endpoint not in SAME and not _part_of(program, node):
            name = endpoint.replace("tensorflow", "tf", 1)
            raise Blocked(node, f"an input_fn that returns tensors, with {name}")
    source = program.source(value)
    if isinstance(value, ast.Tuple) and not isinstance(_alone(source), ast.Tuple):
        source = f"({source})"
    new = f"{program.tf}.data.Dataset.from_tensors({source}).repeat()"
    program.edit(value, new, "a dataset that gives these tensors in each step")
    return True


def _alone(source: str) -> ast.expr | None:
    """The one argument that a text is; None where it would be several."""
    call = ast.parse(f"f({source})", mode="eval").body
    assert isinstance(call, ast.Call)
    return call.args[0] if len(call.args) == 1 else None


def gives(program: Program, function: ast.FunctionDef) -> bool:
    """Whether a function returns such tensors: without an end, that is."""
    return any(
        isinstance(n, ast.Return) and n.value is not None and _tensors(program, n.value, 0)
        for n in walk(function)
    )


def _part_of(program: Program, node: ast.AST) -> bool:
    """Whether a name only stands before a longer one."""
    above = program.scopes.parents.get(id(node))
    return isinstance(above, ast.Attribute) and bool(program.endpoint(above))


def _tensors(program: Program, node: ast.expr, depth: int) -> bool:
    """Whether an expression is a tensor, or a dict or tuple of them, made by ops that are known."""
    if depth > 10:
        return False
    if isinstance(node, ast.Tuple):
        given = [e for e in node.elts if not _none(e)]  # labels may be None
        return bool(given) and all(_tensors(program, e, depth + 1) for e in given)
    if isinstance(node, ast.Dict):
        # A value without a key is a dict, whose items are taken in.
        return bool(node.values) and all(_tensors(program, v, depth + 1) for v in node.values)
    if isinstance(node, (ast.DictComp,)):
        return _tensors(program, node.value, depth + 1)
    if isinstance(node, ast.Call):
        if program.called(node) in SAME or _array(program, node):
            return True
        if ast.unparse(node.func) != "dict" or not (node.args or node.keywords):
            return False
        whole = all(_tensors(program, _items(a), depth + 1) for a in node.args)
        return whole and all(_tensors(program, k.value, depth + 1) for k in node.keywords)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        # Two lists of items, of which a dict is made.
        return all(_tensors(program, _items(n), depth + 1) for n in (node.left, node.right))
    if isinstance(node, ast.Name):
        found = program.scopes.lookup(node) or _last(program, node)
        if found is None or found.kind != "assign" or found.value is None:
            return False
        return found.value is not node and _tensors(program, found.value, depth + 1)
    return False


def _items(node: ast.expr) -> ast.expr:
    """The dict whose items these are: `list(features.items())`."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "list" and len(node.args) == 1:
        node = node.args[0]
    func = node.func if isinstance(node, ast.Call) and not node.args else None
    return func.value if isinstance(func, ast.Attribute) and func.attr == "items" else node


def _array(program: Program, node: ast.Call) -> bool:
    """Whether NumPy makes an array of what is written or named."""
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr not in ("array", "asarray"):
        return False
    found = program.scopes.bindings(func.value.id, func) if isinstance(func.value, ast.Name) else []
    made = found[0].node if len(found) == 1 else None
    return isinstance(made, ast.Import) and any(
        a.name == "numpy" and (a.asname or a.name) == ast.unparse(func.value) for a in made.names
    )


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _last(program: Program, node: ast.Name) -> Binding | None:
    """What a name was given last, by the statements of a function that has no others of it."""
    found = program.scopes.bindings(node.id, node)
    scope = program.scopes.scope(node)
    if not isinstance(scope, ast.FunctionDef) or any(b.scope is not scope for b in found):
        return None
    before = [b for b in found if getattr(b.node, "lineno", node.lineno) < node.lineno]
    if not before or any(b.node not in scope.body for b in found if b.kind != "param"):
        return None
    return max(before, key=lambda b: getattr(b.node, "lineno", 0))
