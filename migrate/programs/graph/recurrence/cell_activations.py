"""What a cell's activation may be beside a function: a method that only computes.

``GRUCell(size, activation=self.hidden_act)``, where ``self.hidden_act`` was set to ``self.tanh``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import children, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.objects import bases

FUNCTIONS = frozenset(
    (
        *("tanh", "sigmoid", "relu", "relu6", "elu", "selu", "leaky_relu", "softplus", "softsign"),
        *("softmax", "identity", "abs", "maximum", "minimum", "exp"),
    )
)
NODES = (
    *(ast.Return, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.Constant, ast.BinOp),
    *(ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context),
)


def computes(walker: Any, node: ast.expr, value: Value) -> bool:
    """Whether a value is a method of the program's that only computes of its one argument.

    An attribute may be set to one of several such methods.
    """
    if value.kind is not Kind.METHOD or value.data[0].kind is not Kind.OBJECT:
        return False
    instance = value.data[0].data
    if instance is None or not isinstance(node, ast.Attribute):
        return False
    names = {value.data[1]}
    for stmt in walk(instance.node):
        targets = stmt.targets if isinstance(stmt, ast.Assign) else ()
        if any(isinstance(t, ast.Attribute) and t.attr == node.attr for t in targets):
            bound = stmt.value if isinstance(stmt, ast.Assign) else None
            if not (isinstance(bound, ast.Attribute) and isinstance(bound.value, ast.Name)):
                return False
            names.add(bound.attr)
    return all(_plain(walker, bases.find(walker, instance.node, name)) for name in names)


def _plain(walker: Any, method: ast.AST | None) -> bool:
    """Whether a method returns an expression of its argument and TensorFlow's functions."""
    if not isinstance(method, ast.FunctionDef) or method.decorator_list:
        return False
    args = method.args
    body = method.body[1:] if ast.get_docstring(method) is not None else method.body
    others = (args.posonlyargs, args.kwonlyargs, args.defaults, args.vararg, args.kwarg)
    if len(args.args) != 2 or any(others) or len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    known = {args.args[1].arg}
    stack: list[ast.AST] = [body[0]]
    while stack:
        n = stack.pop()
        endpoint = walker.endpoints.get(id(n))
        if endpoint is not None and endpoint.removeprefix(T).removeprefix("nn.") in FUNCTIONS:
            continue
        if endpoint is not None or not isinstance(n, NODES):
            return False
        if isinstance(n, ast.Name) and n.id not in known:
            return False
        stack.extend(children(n))
    return True
