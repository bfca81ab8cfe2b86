"""Whether the elements of a dataset are tuples, as far as it is seen: of how many parts.

`Dataset.map` gives a function the parts of a tuple one by one, a dict or a tensor as it is.
"""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.rewriters.estimators.program import Program

DATASET = "tensorflow.data.Dataset."
OF_TENSORS = (f"{DATASET}from_tensor_slices", f"{DATASET}from_tensors")
# What gives elements of the same structure.
KEEPING = frozenset(
    {"batch", "cache", "filter", "padded_batch", "prefetch", "repeat", "shard", "shuffle"}
    | {"skip", "take"}
)
# Operations that give one tensor.
ONE = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("cast", "concat", "constant", "convert_to_tensor", "expand_dims", "matmul", "one_hot"),
        *("ones", "random_normal", "random_uniform", "range", "reshape", "squeeze", "stack"),
        *("string_to_number", "strings.to_number", "to_float", "to_int32", "to_int64", "zeros"),
    )
)


def parts(program: Program, node: ast.expr, depth: int = 0) -> int:
    """How many parts a tuple among a dataset's elements has; 0 where it isn't seen to be one."""
    if isinstance(node, ast.Name):
        found = program.scopes.lookup(node)
        value = found.value if found is not None and found.kind == "assign" else None
        return parts(program, value, depth + 1) if value is not None and depth < 40 else 0
    if not isinstance(node, ast.Call) or depth > 40:
        return 0
    endpoint = program.called(node)
    if endpoint == f"{DATASET}zip" and len(node.args) == 1 and not node.keywords:
        return len(node.args[0].elts) if isinstance(node.args[0], ast.Tuple) else 0
    if endpoint in OF_TENSORS and len(node.args) == 1:
        return _written(program, node.args[0])
    if endpoint:
        return 0
    function = program.scopes.function(node.func)
    if function is not None:
        return _alike([parts(program, v, depth + 1) for v in _given(program, function)])
    if not isinstance(node.func, ast.Attribute):
        return 0
    method, owner = node.func.attr, node.func.value
    if method == "map" and node.args:
        mapped = node.args[0]
        if isinstance(mapped, ast.Lambda):
            return _written(program, mapped.body)
        function = program.scopes.function(mapped)
        values = [] if function is None else _given(program, function)
        return _alike([_written(program, value) for value in values])
    return parts(program, owner, depth + 1) if method in KEEPING else 0


def single(program: Program, node: ast.expr, depth: int = 0) -> bool:
    """Whether a dataset's elements are tensors: slices or batches of what an operation gives."""
    node = program.scopes.value(node)
    if not isinstance(node, ast.Call) or depth > 40:
        return False
    if program.called(node) in OF_TENSORS and len(node.args) == 1:
        value = program.scopes.value(node.args[0])
        if isinstance(value, ast.Attribute) and value.attr == "values":  # of a sparse tensor
            return program.called(value.value) == "tensorflow.string_split"
        return program.called(value) in ONE
    func = node.func
    if program.called(node) or not isinstance(func, ast.Attribute) or func.attr not in KEEPING:
        return False
    return single(program, func.value, depth + 1)


def _given(program: Program, function: ast.FunctionDef) -> list[ast.expr]:
    """What a function returns, of all its ends; nothing where one of them isn't seen."""
    nodes = [n for n in walk(function) if program.scopes.parents.get(id(n)) is not None]
    if function.decorator_list or not isinstance(function.body[-1], ast.Return):
        return []
    own = [n for n in nodes if isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom))]
    own = [n for n in own if program.scopes.scope(n) is function]
    values = [n.value for n in own if isinstance(n, ast.Return) and n.value is not None]
    return values if len(values) == len(own) else []


def _written(program: Program, node: ast.expr) -> int:
    """The length of a tuple that is written."""
    node = program.scopes.value(node)
    if not isinstance(node, ast.Tuple) or any(isinstance(e, ast.Starred) for e in node.elts):
        return 0
    return len(node.elts)


def _alike(found: list[int]) -> int:
    return found[0] if found and len(set(found)) == 1 else 0
