"""Which values of a module are Keras' symbolic tensors: `Input(…)` and what layers make of it.

A functional model is built of them. Names are followed through a module and its functions; what a
function is given in one of its calls counts for all of them. Methods of layers and models, and
lambdas, work on tensors of TensorFlow and are left out.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping

from migrate.engine.trees import all_of, children, walk

KERAS = "tensorflow.keras."
INPUTS = frozenset({KERAS + "Input", KERAS + "layers.Input"})
ENDS = frozenset({"output", "outputs", "input", "inputs"})  # of a model
#: What tells of a tensor without being one.
TOLD = frozenset({"int_shape", "shape", "ndim", "dtype", "is_keras_tensor", "get_shape", "as_list"})
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
CARRIES = frozenset({"list", "tuple", "zip", "reversed", "enumerate", "sorted"})


class Symbolic:
    """The symbolic tensors of a module. ``endpoints``: TensorFlow's names, by node."""

    def __init__(self, tree: ast.Module, endpoints: Mapping[int, str]) -> None:
        self.endpoints = endpoints
        self.scopes: dict[int, ast.AST] = {}  # by node: the function around it, or the module
        self.outer: dict[int, ast.AST] = {}  # by scope
        self.hidden: set[int] = set()  # nodes of lambdas and of layers' methods
        self.names: set[int] = set()  # the places that bind a name to one
        # By scope and name: the places that bind it, in order.
        self.own: dict[int, dict[str, list[ast.AST]]] = {}
        self.bound: dict[int, tuple[int, int]] = {}  # where a place has bound its name
        self.models: set[str] = set()  # names of what Keras makes
        self.gives: set[int] = set()  # functions that return symbolic tensors
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        self._place(tree, tree, False)
        for node in all_of(tree, ast.FunctionDef):
            self.functions.setdefault(node.name, []).append(node)
        self._models(tree)
        statements = [n for n in walk(tree) if isinstance(n, ast.stmt) and id(n) not in self.hidden]
        calls = [n for n in all_of(tree, ast.Call) if id(n) not in self.hidden]
        before = -1
        while before != len(self.names) + len(self.gives):
            before = len(self.names) + len(self.gives)
            for stmt in statements:
                self._bound(stmt)
            for call in calls:
                self._given(call)

    def is_one(self, node: ast.expr) -> bool:
        """Whether a value is a symbolic tensor, or a list with some."""
        if id(node) in self.hidden:
            return False
        match node:
            case ast.Name():
                return self._named(node)
            case ast.Call():
                return self._made(node)
            case ast.BinOp(left, _, right):
                return self.is_one(left) or self.is_one(right)
            case ast.UnaryOp(ast.USub() | ast.Invert(), operand):
                return self.is_one(operand)
            case ast.Subscript(value) | ast.Starred(value):
                return self.is_one(value)
            case ast.IfExp(_, body, orelse):
                return self.is_one(body) or self.is_one(orelse)
            case ast.List(elts) | ast.Tuple(elts):
                return any(map(self.is_one, elts))
            case ast.ListComp(elt):
                return self.is_one(elt)
            case ast.Attribute(ast.Name(name), attr):
                return attr in ENDS and name in self.models
        return False

    def _made(self, node: ast.Call) -> bool:
        endpoint = self.endpoints.get(id(node.func))
        given = [*node.args, *(k.value for k in node.keywords)]
        if endpoint in INPUTS:
            return True
        if endpoint is not None:
            last = endpoint.rpartition(".")[2]
            if last in TOLD or (endpoint.startswith(KERAS) and last[:1].isupper()):
                return False
            return any(map(self.is_one, given))
        func = node.func
        if isinstance(func, ast.Attribute):
            if func.attr in TOLD or func.attr == "get_layer":
                return False
            return any(map(self.is_one, given))
        if isinstance(func, ast.Name):
            if hasattr(builtins, func.id) and func.id not in CARRIES:
                return False
            if any(id(f) in self.gives for f in self.functions.get(func.id, ())):
                return True
        return any(map(self.is_one, given))

    def _named(self, node: ast.Name) -> bool:
        """What the last place above binds; in a function that reads an outer name, the last one."""
        home = scope = self.scopes[id(node)]
        while node.id not in self.own[id(scope)]:
            if id(scope) not in self.outer:
                return False
            scope = self.outer[id(scope)]
        places = self.own[id(scope)][node.id]
        above = [p for p in places if self.bound[id(p)] <= (node.lineno, node.col_offset)]
        last = (above or places)[-1] if scope is home else places[-1]
        return id(last) in self.names

    def _place(self, node: ast.AST, scope: ast.AST, hidden: bool) -> None:
        """Note in which scope nodes stand, and which names that binds."""
        self.own.setdefault(id(scope), {})
        for child in children(node):
            inner, hides = scope, hidden
            self.scopes[id(child)] = scope
            if isinstance(child, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                end = (child.end_lineno or 0, child.end_col_offset or 0)
                self.bound.update((id(n), end) for n in all_of(child, ast.Name))
            if isinstance(child, FUNCTIONS):
                self.own[id(scope)].setdefault(child.name, []).append(child)
                self.bound[id(child)] = (child.lineno, 0)
                self.bound.update((id(a), (0, 0)) for a in all_of(child.args, ast.arg))
                self.outer[id(child)] = scope
                self.own[id(child)] = {a.arg: [a] for a in all_of(child.args, ast.arg)}
                inner = child
            elif isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Load):
                self.own[id(scope)].setdefault(child.id, []).append(child)
                self.bound.setdefault(id(child), (child.lineno, child.col_offset))
            hides = hides or isinstance(child, ast.Lambda)
            if isinstance(child, ast.ClassDef):
                bases = [self.endpoints.get(id(b)) or ast.unparse(b) for b in child.bases]
                words = ("Layer", "Model", "Module", "Callback", "Constraint", "Regularizer")
                hides = hides or any(b.endswith((*words, "Cell", "Loss", "Metric")) for b in bases)
            if hides:
                self.hidden.add(id(child))
            self._place(child, inner, hides)

    def _models(self, tree: ast.Module) -> None:
        for stmt in all_of(tree, ast.Assign):
            made = stmt.value
            if isinstance(made, ast.Call):
                endpoint = self.endpoints.get(id(made.func)) or ""
                whole = endpoint.startswith((KERAS + "applications.", KERAS + "models."))
                if whole or endpoint in (KERAS + "Model", KERAS + "Sequential"):
                    self.models.update(t.id for t in stmt.targets if isinstance(t, ast.Name))

    def _bound(self, stmt: ast.stmt) -> None:
        match stmt:
            case ast.Assign(targets, value):
                for target in targets:
                    self._target(target, value)
            case ast.AugAssign(target, _, value):
                self._target(target, value)
            case ast.AnnAssign(target, _, ast.expr() as value):
                self._target(target, value)
            case ast.For(target, iterated):
                if self.is_one(iterated):
                    self._target(target, iterated)
            case ast.Return(ast.expr() as value):
                if self.is_one(value):
                    self.gives.add(id(self.scopes[id(stmt)]))
            case ast.Expr(ast.Call(ast.Attribute(ast.Name() as held, "append"), [item])):
                if self.is_one(item):
                    scope = self.scopes[id(held)]
                    self.names.update(map(id, self.own[id(scope)].get(held.id, ())))

    def _target(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Starred):
            target = target.value
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                for one, part in zip(target.elts, value.elts, strict=True):
                    self._target(one, part)
            else:
                for one in target.elts:
                    self._target(one, value)
        elif isinstance(target, ast.Name) and self.is_one(value):
            self.names.add(id(target))

    def _given(self, call: ast.Call) -> None:
        """What a function of the module is given."""
        found = self.functions.get(call.func.id, ()) if isinstance(call.func, ast.Name) else ()
        if len(found) != 1 or id(found[0]) in self.hidden:
            return
        for name, value in _pairs(found[0].args.args, call):
            if self.is_one(value):
                self.names.update(map(id, self.own[id(found[0])].get(name, ())[:1]))


def _pairs(args: list[ast.arg], call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of a function with what a call gives them."""
    for parameter, value in zip(args, call.args, strict=False):
        if isinstance(value, ast.Starred):
            return
        yield parameter.arg, value
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value
