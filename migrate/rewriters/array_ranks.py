"""How many dimensions tensors have at least, for `array_numbers`."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from migrate.engine.trees import walk
from migrate.engine.values import ELEMENTWISE

_SHAPED = frozenset(
    """
    zeros ones fill random_normal random_uniform truncated_normal random.normal random.uniform
    random.truncated_normal
    """.split()  # noqa: SIM905
)
_SAME = ELEMENTWISE | frozenset(
    """
    transpose tanh nn.relu nn.sigmoid nn.softmax nn.tanh nn.elu nn.softplus nn.dropout nn.bias_add
    nn.log_softmax layers.dense contrib.layers.fully_connected math.square math.sqrt math.exp
    math.log math.abs math.sigmoid
    """.split()  # noqa: SIM905
)
_EITHER = frozenset(
    "add subtract sub multiply mul divide div truediv maximum minimum pow equal".split()  # noqa: SIM905
)
_LESS = frozenset(
    """
    argmax argmin arg_max arg_min reduce_mean reduce_sum reduce_max reduce_min reduce_prod
    math.argmax math.argmin math.reduce_mean math.reduce_sum math.reduce_max math.reduce_min
    """.split()  # noqa: SIM905
)
_MATRIX = frozenset(("matmul", "linalg.matmul", "nn.xw_plus_b"))

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = frozenset({*FUNCTIONS, ast.ClassDef})
Scope = list[ast.AST]  # what a place is in, the module first
# An expression, and its part if it is given to one of several targets.
Value = tuple[ast.expr, int | None]


class Ranks:
    """Dimensions of what a module's names are given."""

    tree: ast.Module
    endpoints: Mapping[int, str]
    classes: dict[str, set[ast.ClassDef]]
    known: dict[tuple[str, tuple[int, ...], int, bool], int]  # ranks of names

    def home(self, scope: Scope, name: str = "") -> ast.AST:
        """Where a name lives."""
        raise NotImplementedError

    def values(self, name: str, scope: Scope) -> tuple[list[Value | None], Scope]:
        """All that a name is given, and where."""
        raise NotImplementedError

    def rank(self, node: ast.expr, scope: Scope, depth: int = 0, *, fetched: bool = False) -> int:
        """How many dimensions a tensor has at least."""
        if depth > 30:
            return 0
        if name_of(node):
            return self.of_name(name_of(node), scope, depth, fetched=fetched)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owners = self.classes.get(f"self.{node.attr}", set())  # of an object of that class
            own = ast.parse(f"self.{node.attr}", mode="eval").body
            inside: list[Scope] = [[self.tree, owner] for owner in owners]
            return self.rank(own, inside[0], depth + 1, fetched=fetched) if len(inside) == 1 else 0
        if isinstance(node, (ast.List, ast.Tuple)):
            if fetched or not node.elts:
                return 0
            return 1 + min(self.rank(e, scope, depth + 1) for e in node.elts)
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            return max(self.rank(s, scope, depth + 1, fetched=True) for s in sides)
        if isinstance(node, ast.UnaryOp):
            return self.rank(node.operand, scope, depth + 1, fetched=True)
        if isinstance(node, ast.Call):
            return self.of_call(node, scope, depth + 1)
        return 0

    def of_name(self, name: str, scope: Scope, depth: int, *, fetched: bool) -> int:
        """The same of a name: of the least that it is given."""
        # Names that are given one another have very many ways to each.
        key = (name, tuple(map(id, scope)), depth, fetched)
        if key not in self.known:
            values, where = self.values(name, scope)
            ranks = [
                self.of_part(v, where, depth + 1, fetched=fetched) if v is not None else 0
                for v in values
            ]
            self.known[key] = min(ranks, default=0)
        return self.known[key]

    def of_part(self, value: Value, scope: Scope, depth: int, *, fetched: bool) -> int:
        """The same of what one of several targets is given."""
        node, part = value
        if part is None:
            return self.rank(node, scope, depth, fetched=fetched)
        if not isinstance(node, ast.Call) or not name_of(node.func).startswith("self."):
            return 0
        home = self.home(scope, "self.")
        named = [n for n in ast.iter_child_nodes(home) if isinstance(n, ast.FunctionDef)]
        made = [n for n in named if n.name == name_of(node.func).removeprefix("self.")]
        inside = [n for m in made for n in walk(m) if n is not m]
        if len(made) != 1 or made[0].decorator_list or any(type(n) in SCOPES for n in inside):
            return 0
        returned = [n.value for n in inside if isinstance(n, ast.Return)]
        elements = [
            v.elts[part] for v in returned if isinstance(v, ast.Tuple) and part < len(v.elts)
        ]
        if len(elements) < len(returned):
            return 0
        where = [self.tree, home, made[0]]
        return min((self.rank(e, where, depth) for e in elements), default=0)

    def of_call(self, node: ast.Call, scope: Scope, depth: int) -> int:
        """How many dimensions what an op gives has at least."""
        name = self.endpoints.get(id(node.func), "").removeprefix("tensorflow.")
        name = name.removeprefix("compat.v1.")
        given = {k.arg: k.value for k in node.keywords}
        if not name or None in given:
            return 0
        first = node.args[0] if node.args else next(iter(given.values()), None)
        second = node.args[1] if len(node.args) > 1 else None
        if name in ("placeholder", "get_variable"):
            return _length(given.get("shape", second))
        if name in ("reshape", "constant"):
            place = 1 if name == "reshape" else 2
            shape = given.get("shape", node.args[place] if len(node.args) > place else None)
            shaped = _length(shape)
            literal = name == "constant" and shape is None and first is not None
            return self.rank(first, scope, depth) if literal and first is not None else shaped
        if name in _SHAPED:
            return _length(given.get("shape", given.get("dims", first)))
        if name in _MATRIX:
            return 2
        if first is None:
            return 0
        if name == "Variable":
            return self.rank(given.get("initial_value", first), scope, depth)
        if name in _SAME:
            return self.rank(first, scope, depth)
        if name in _EITHER:
            operands = [*node.args[:2], *(v for k, v in given.items() if k in ("x", "y"))]
            return max(self.rank(n, scope, depth) for n in operands)
        if name in _LESS:
            axis = next((given[k] for k in _AXES if k in given), second)
            if not isinstance(axis, (ast.Constant, ast.UnaryOp)) or ast.unparse(axis) == "None":
                return 0
            return self.rank(first, scope, depth) - 1
        return 0


_AXES = ("axis", "dimension", "reduction_indices")


def _length(node: ast.expr | None) -> int:
    """The rank that a shape's display gives."""
    return len(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else 0


def name_of(node: ast.expr) -> str:
    """A name, or an attribute of `self`."""
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return ""
    return f"self.{node.attr}" if node.value.id == "self" else ""
