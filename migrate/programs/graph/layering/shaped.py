"""Functions whose variables are shaped by what they are applied to: they become Keras layers.

``n = x.get_shape()[-1]; w = tf.get_variable("w", [n, units])`` is what a layer's `build` is for.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import VARIABLES, T
from migrate.programs.graph.model import HOST, INPUT, Kind, Region, Step, Symbol, Value

# What gives tensors of any rank.
UNRANKED = (".py_func", ".py_function", ".sparse_placeholder", ".decode_image")


def shaped_by(walker: Any, target: ast.FunctionDef) -> tuple[str, ...]:
    """The arguments whose shapes a function's variables have."""
    wanted: set[str] = set()
    assigns = all_of(target, ast.Assign)
    seen: list[ast.AST] = [
        node for node in all_of(target, ast.Call) if _makes(walker, target, node)
    ]
    for node in seen:  # grows
        for name in {n.id for n in all_of(node, ast.Name)} - wanted:
            wanted.add(name)
            seen += [
                a.value
                for a in assigns
                if any(isinstance(n, ast.Name) and n.id == name for t in a.targets for n in walk(t))
                if not any(isinstance(n, ast.Call) and n in seen for n in walk(a.value))
            ]
    parameters = [a.arg for a in target.args.args]
    found = {
        n.value.id
        for node in seen
        for n in all_of(node, ast.Attribute)
        if n.attr in ("get_shape", "shape")
        if isinstance(n.value, ast.Name) and n.value.id in parameters
    }
    return tuple(name for name in parameters if name in found)


def _makes(walker: Any, target: ast.FunctionDef, call: ast.Call) -> bool:
    """Whether a call makes a variable, itself or by a function of the module that is for that."""
    if walker.endpoints.get(id(call.func)) in VARIABLES:
        return True
    callee = walker._module_function(call.func)
    return callee is not None and callee is not target and bool(walker._variables_made(callee))


def read(walker: Any, owner: Value, node: ast.expr) -> Value | None:
    """The shape of what such a function is applied to: there when its variables are made."""
    region: Region | None = walker.frame.region
    if owner.data is not INPUT or region is None or not region.shaped:
        return None
    if not isinstance(node, ast.Name) or node.id not in region.sized:
        return None
    return HOST


def is_input(symbol: Symbol, region: Region | None) -> bool:
    """Whether a name is what such a function is applied to."""
    return region is not None and symbol.value.data is INPUT and symbol.name in region.sized


def only_shapes(step: Step) -> bool:
    """Whether a step of such a function takes its input's shape alone."""
    region = step.region
    if region is None or not region.shaped:
        return True
    names = {id(n) for n in walk(step.node) if getattr(n, "id", "") in region.sized}
    shapes = {
        id(n.value) for n in all_of(step.node, ast.Attribute) if n.attr in ("shape", "get_shape")
    }
    return names <= shapes


def is_layer(region: Region | None) -> bool:
    """Whether a function becomes a Keras layer of its own."""
    return region is not None and bool(region.shaped)


def takes_all(walker: Any, region: Region) -> bool:
    """Whether Keras takes what such a function is given beside its first input.

    It gives `build` the first input's shape, or those that it asks for by name, and asks for the
    ranks of all. Shares to keep or drop, which may have none, are told theirs.
    """
    tensors = [s.name for s in region.inputs or () if region.kinds.get(s.name) is Kind.TENSOR]
    others = set(tensors) - set(region.sized)
    if not others:
        return True
    if len(region.sized) == 1 and next(s.name for s in region.inputs or ()) != region.shaped:
        return False
    return others <= shares(walker, region) or all(_ranked(walker, t) for t in walker.program())


def shares(walker: Any, region: Region) -> set[str]:
    """The inputs of a function that are shares to keep or drop, and nothing else."""
    found: set[int] = set()
    for n in walk(region.node):
        if isinstance(n, ast.Call) and walker.endpoints.get(id(n.func)) == T + "nn.dropout":
            given = walker.bound(T + "nn.dropout", n)
            found |= {id(given[a]) for a in ("keep_prob", "rate") if a in given}
        elif isinstance(n, ast.Compare) and isinstance(n.ops[0], (ast.Is, ast.IsNot)):
            found |= {id(n.left)} if ast.unparse(n.comparators[0]) == "None" else set()
    given_names = {s.name for s in region.inputs or ()}
    names = [n for n in all_of(region.node, ast.Name) if n.id in given_names]
    return {n.id for n in names if id(n) in found} - {n.id for n in names if id(n) not in found}


def _ranked(walker: Any, tree: ast.AST) -> bool:
    """Whether a file tells the ranks of its tensors, which Keras asks for."""
    for n in all_of(tree, ast.Call):
        endpoint = walker.endpoints.get(id(n.func), "")
        if endpoint.endswith(UNRANKED) or getattr(n.func, "attr", "") == "from_generator":
            return False
        if endpoint == T + "placeholder":
            shape = walker.bound(endpoint, n).get("shape")
            if shape is None or (isinstance(shape, ast.Constant) and shape.value is None):
                return False
    return True
