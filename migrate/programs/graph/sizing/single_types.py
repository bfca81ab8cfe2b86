"""Tensors that are float32 because a part of them is: TF 1 mixes no types in an expression."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Symbol

# What has the type of its first tensor, or of any of those that it is given.
SAME = frozenset(
    T + name
    for names in (
        "abs add add_n concat divide exp expand_dims identity log log1p matmul maximum minimum",
        "multiply negative pow reduce_max reduce_mean reduce_min reduce_sum reshape rsqrt sigmoid",
        "sin sqrt square squeeze stack stop_gradient subtract tanh tile transpose truediv",
        "nn.bias_add nn.conv2d nn.conv2d_transpose nn.dropout nn.elu nn.l2_normalize",
        "nn.leaky_relu nn.max_pool nn.avg_pool nn.relu nn.relu6 nn.selu nn.sigmoid nn.softmax",
        "nn.softplus nn.tanh nn.xw_plus_b math.exp math.log math.sqrt math.square math.tanh",
    )
    for name in names.split()
)
# Float32 unless they are told another type.
FLOATS = frozenset(
    (
        *(T + "random_normal", T + "truncated_normal", T + "random_uniform"),
        *(T + "random.normal", T + "random.truncated_normal", T + "random.uniform"),
        *(T + "zeros", T + "ones"),
    )
)
PLACEHOLDER = T + "placeholder"
DEPTH = 60
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Yield)


def surely(walker: Any, node: ast.AST, symbols: dict[str, Symbol], depth: int = DEPTH) -> bool:
    """Whether an expression is a float32; ``symbols``: what its names mean."""
    if not depth:
        return False
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return len(node.targets) == 1 and surely(walker, node.value, symbols, depth - 1)
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return any(surely(walker, side, symbols, depth - 1) for side in sides)
    if isinstance(node, ast.UnaryOp):
        return surely(walker, node.operand, symbols, depth - 1)
    if isinstance(node, ast.Name):
        symbol = symbols.get(node.id)
        return symbol is not None and _symbol(walker, symbol, depth - 1)
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name) and id(node.func) not in walker.endpoints:
        return _called(walker, node, symbols, depth - 1)
    name = walker.endpoints.get(id(node.func), "")
    if name in FLOATS:
        return _told(walker, name, node)
    if name not in SAME or any(k.arg in ("dtype", "out_type") for k in node.keywords):
        return False
    parts = [a for arg in node.args for a in _items(arg)]
    return any(surely(walker, part, symbols, depth - 1) for part in parts)


def _called(walker: Any, call: ast.Call, symbols: dict[str, Symbol], depth: int) -> bool:
    """Whether a function of a file gives float32s, whichever of its returns it comes to."""
    target = walker._module_function(call.func)
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return False
    args = target.args
    odd = any(isinstance(a, ast.Starred) for a in call.args)
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or odd:
        return False
    if any(isinstance(n, INNER) and n is not target for n in walk(target)):
        return False
    names = [a.arg for a in args.args]
    given = dict(zip(names, call.args, strict=False))
    given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
    local = _Local(walker, target, given, symbols)
    returns = [n.value for n in all_of(target, ast.Return)]
    return bool(returns) and all(v is not None and local.surely(v, depth) for v in returns)


class _Local:
    """The names of a function that is called."""

    def __init__(
        self,
        walker: Any,
        target: ast.FunctionDef,
        given: dict[str, ast.expr],
        symbols: dict[str, Symbol],
    ) -> None:
        self.walker, self.given, self.symbols = walker, given, symbols
        self.target = target
        self.begun: set[str] = set()  # names of which the first place is being looked at
        self.assumed: set[str] = set()  # and the others

    def surely(self, node: ast.AST, depth: int) -> bool:
        """Whether an expression of the function is a float32."""
        if not depth:
            return False
        if isinstance(node, ast.BinOp):
            return any(self.surely(side, depth - 1) for side in (node.left, node.right))
        if isinstance(node, ast.UnaryOp):
            return self.surely(node.operand, depth - 1)
        if isinstance(node, ast.Name):
            return self._name(node.id, depth - 1)
        if not isinstance(node, ast.Call):
            return False
        name = self.walker.endpoints.get(id(node.func), "")
        if name in FLOATS:
            return _told(self.walker, name, node)
        if not name:
            # What it is given doesn't matter: its own draws must tell.
            return _called(self.walker, node, {}, depth - 1)
        if name not in SAME or any(k.arg in ("dtype", "out_type") for k in node.keywords):
            return False
        return any(self.surely(p, depth - 1) for arg in node.args for p in _items(arg))

    def _name(self, name: str, depth: int) -> bool:
        """Whether a name is, wherever it is bound: the first place must say so by itself."""
        if name in self.assumed or name in self.begun:
            return name in self.assumed
        stores = [
            n
            for n in all_of(self.target, ast.Name)
            if n.id == name and not isinstance(n.ctx, ast.Load)
        ]
        homes = [
            n
            for n in all_of(self.target, ast.Assign)
            if len(n.targets) == 1 and n.targets[0] in stores
        ]
        parameter = any(a.arg == name for a in self.target.args.args)
        if len(homes) != len(stores) or (parameter and name not in self.given):
            return False
        if parameter:
            if not surely(self.walker, self.given[name], self.symbols, depth):
                return False
        else:
            homes.sort(key=lambda h: h.lineno)
            if not homes or homes[0] not in self.target.body:
                return False
            self.begun.add(name)
            first = self.surely(homes[0].value, depth)
            self.begun.discard(name)
            if not first:
                return False
        self.assumed.add(name)
        shown = all(self.surely(h.value, depth) for h in homes)
        self.assumed.discard(name)
        return shown


def _symbol(walker: Any, symbol: Symbol, depth: int) -> bool:
    made, step = symbol.value.node, symbol.step.node
    if symbol.value.kind is Kind.VARIABLE:
        return isinstance(made, ast.Call) and _variable(walker, made)
    if symbol.value.kind is Kind.PLACEHOLDER:
        if not isinstance(made, ast.Call) or walker.endpoints.get(id(made.func)) != PLACEHOLDER:
            return False
        dtype = walker.bound(PLACEHOLDER, made).get("dtype")
        return getattr(dtype, "attr", "") == "float32"
    if not isinstance(step, ast.Assign) or len(step.targets) != 1 or symbol.attribute:
        return False
    if ast.unparse(step.targets[0]) != symbol.name:
        return False
    return surely(walker, step.value, {s.name: s for s in symbol.step.uses}, depth)


def _variable(walker: Any, made: ast.Call) -> bool:
    """A variable that starts with a float32, also under a local name of a helper."""
    if walker.endpoints.get(id(made.func)) != T + "Variable":
        return False
    given = walker.bound(T + "Variable", made)
    if "dtype" in given:
        return getattr(given["dtype"], "attr", "") == "float32"
    value = given.get("initial_value")
    if isinstance(value, ast.Name):
        value = _local(walker, made, value.id)
    name = walker.endpoints.get(id(value.func), "") if isinstance(value, ast.Call) else ""
    if isinstance(value, ast.Call) and name == T + "constant":
        constant = walker.bound(name, value)
        number = constant.get("value")
        floats = isinstance(number, ast.Constant) and isinstance(number.value, float)
        return floats and "dtype" not in constant
    return isinstance(value, ast.Call) and name in FLOATS and _told(walker, name, value)


def _local(walker: Any, made: ast.Call, name: str) -> ast.expr | None:
    """What a name of a helper is, which binds it once."""
    for function in walk(walker.tree):
        if isinstance(function, ast.FunctionDef) and made in walk(function):
            uses = [n for n in all_of(function, ast.Name) if n.id == name]
            bound = [n for n in all_of(function, ast.Assign) if n.targets[0] in uses]
            stored = [n for n in uses if not isinstance(n.ctx, ast.Load)]
            if len(bound) == len(stored) == 1 and len(bound[0].targets) == 1:
                return bound[0].value
    return None


def _told(walker: Any, name: str, node: ast.Call) -> bool:
    """Whether a call is told no other type."""
    dtype = walker.bound(name, node).get("dtype")
    return dtype is None or getattr(dtype, "attr", "") == "float32"


def _items(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
