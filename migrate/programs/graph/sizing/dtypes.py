"""What a tensor is made from, and whether a float64 may be among it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Kind, Symbol
from migrate.programs.graph.sizing import single_types

DOUBLE = frozenset({"float64", "double", "to_double", "complex128", "float_", "longdouble"})
# Those that take their type from a value that Python made.
TYPED = ("Variable", "constant", "convert_to_tensor", "get_variable", "placeholder_with_default")
# Those that are float32 where they aren't told another type.
FLOATS = ("random_normal", "truncated_normal", "zeros", "ones")
VALUES = ("initial_value", "value", "input", "initializer")
FOREIGN = ("py_func", "numpy_function", "decode_raw", "parse_single_example", "parse_example")
NARROW = frozenset(
    ["float32", "int32", "int64", "uint8", "bool", "string", "int16", "int8", "float16"]
)
# What gives another type than it is given.
OTHERS = (
    *("arg", "cast", "to_", "equal", "not_equal", "less", "greater", "logical", "shape", "size"),
    *("rank", "range", "where", "is_", "in_top_k", "top_k", "count_nonzero", "sequence_mask"),
    *("string", "reduce_a", "random_uniform", "multinomial", "categorical", "one_hot", "bitcast"),
    *("decode", "unique", "bincount", "floor_div", "complex", "quantize", "invert", "boolean"),
)


def origins(symbols: Iterable[Symbol]) -> set[Symbol]:
    """Symbols, and all that they were computed from."""
    found: set[Symbol] = set()
    stack = list(symbols)
    while stack:
        symbol = stack.pop()
        if symbol not in found:
            found.add(symbol)
            if symbol.value.kind is not Kind.PLACEHOLDER:
                stack.extend(symbol.step.uses)
    return found


def sources(walker: Any, node: ast.AST, symbols: Iterable[Symbol]) -> Iterator[ast.AST]:
    """All syntax that a tensor comes from: its expression, statements, functions of the module."""
    functions: dict[str, list[ast.AST]] = {}
    for n in walk(walker.tree):
        if isinstance(n, ast.FunctionDef):
            functions.setdefault(n.name, []).append(n)
    stack: list[ast.AST] = [node, *(s.step.node for s in origins(symbols) if s.step.order >= 0)]
    seen: set[int] = set()
    while stack:
        root = stack.pop()
        if id(root) in seen:
            continue
        seen.add(id(root))
        for n in walk(root):
            yield n
            if isinstance(n, ast.Call) and id(n.func) not in walker.endpoints:
                name = getattr(n.func, "attr", getattr(n.func, "id", ""))
                stack.extend(functions.get(name, ()))


def may_be_double(walker: Any, node: ast.AST, symbols: Iterable[Symbol]) -> bool:
    """Whether a float64 could be in what a tensor is computed from.

    What has a type that isn't seen is float32 beside a float32: TF 1 refuses to mix them.
    """
    known = origins(symbols)
    said = {_said(walker, n) for n in sources(walker, node, known)}
    unknown = "unseen" in said or any(
        s.value.kind is Kind.PLACEHOLDER and hasattr(s.value.data, "element") for s in known
    )
    return "double" in said or (unknown and "single" not in said)


def is_single(walker: Any, node: ast.AST, symbols: Iterable[Symbol]) -> bool:
    """Whether a tensor is surely float32: all that it comes from is, or says nothing."""
    symbols = list(symbols)
    if single_types.surely(walker, node, {s.name: s for s in symbols}):
        return True
    known = origins(symbols)
    nodes = list(sources(walker, node, known))
    if may_be_double(walker, node, known) or "single" not in {_said(walker, n) for n in nodes}:
        return False
    plain = {id(n.func) for n in nodes if isinstance(n, ast.Call) and _uniform(walker, n)}
    for n in nodes:
        if id(n) in plain:
            continue
        name = n.id if isinstance(n, ast.Name) else getattr(n, "attr", None)
        name = n.value if isinstance(n, ast.Constant) else name
        last = walker.endpoints.get(id(n), "").rpartition(".")[2]
        other = isinstance(name, str) and name in NARROW - {"float32"}
        if other or last.startswith(OTHERS) or isinstance(n, ast.Compare):
            return False
    return True


def _uniform(walker: Any, node: ast.Call) -> bool:
    """Whether a call draws uniform numbers of float32."""
    endpoint = walker.endpoints.get(id(node.func), "")
    if not endpoint.endswith(("random_uniform", "random.uniform")):
        return False
    dtype = walker.bound(endpoint, node).get("dtype")
    said = dtype.value if isinstance(dtype, ast.Constant) else getattr(dtype, "attr", "")
    return dtype is None or said == "float32"


def _said(walker: Any, node: ast.AST) -> str:
    """What a node says of its float type: double, single, unseen, or nothing."""
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)
    if isinstance(node, ast.Constant):
        name = node.value
    if isinstance(name, str) and name in DOUBLE:
        return "double"
    if not isinstance(node, ast.Call):
        return ""
    if id(node) in walker.layers:
        return "double" if walker.layers[id(node)].double else "single"
    endpoint = walker.endpoints.get(id(node.func), "")
    last = endpoint.rpartition(".")[2]
    if last in FOREIGN:
        return "double"
    if last not in ("cast", "placeholder", *TYPED, *FLOATS):
        return ""
    given = walker.bound(endpoint, node)
    dtype = given.get("dtype")
    if dtype is not None and not (isinstance(dtype, ast.Constant) and dtype.value is None):
        said = dtype.value if isinstance(dtype, ast.Constant) else getattr(dtype, "attr", "")
        said = "float32" if said == 1 else said  # the number that TensorFlow has for it
        if said not in NARROW:
            return "double"
        return "single" if said == "float32" and last != "cast" else ""
    if last in FLOATS:
        return "single"
    if last == "get_variable":
        made = walker.made.get(id(node))
        if "initializer" not in given or (made is not None and made.described is not None):
            return "single"
    value = next((given[a] for a in VALUES if a in given), None)
    if value is None or not _plain(walker, value):
        return "unseen"
    return "single" if last == "Variable" and isinstance(value, ast.Call) else ""


def _plain(walker: Any, value: ast.expr) -> bool:
    """Whether a value has a type that isn't NumPy's: a number, a list of some, TensorFlow's."""
    if isinstance(value, (ast.List, ast.Tuple)):
        return all(_plain(walker, item) for item in value.elts)
    if isinstance(value, ast.UnaryOp):
        return _plain(walker, value.operand)
    called = value.func if isinstance(value, ast.Call) else value
    return isinstance(value, ast.Constant) or id(called) in walker.endpoints
