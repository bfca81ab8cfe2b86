"""The dimensions of tensors in numbers, as far as placeholders, kernels and strides say them.

Helpers of the program are followed; a dimension that has a name where it is asked for keeps it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from migrate.engine.trees import all_of, children, holds, parents_of, walk
from migrate.programs.graph import numpys
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import INPUT, Blocked, Kind, Symbol
from migrate.programs.graph.sizing import plain_dims, shapes
from migrate.programs.graph.sizing.dimensions import ANY, Dim, known, total, wider, windows
from migrate.programs.graph.sizing.shapes import INPUTS, OPEN, SAME
from migrate.programs.graph.wording import known_branches

DEPTH = 200  # a VGG of 19 layers takes 150
FILLED = frozenset(
    T + name
    for name in (
        *("truncated_normal", "random_normal", "random_uniform", "zeros", "ones", "fill"),
        *("get_variable", "placeholder", "reshape"),
    )
)
ALIKE = SAME | {
    T + "ensure_shape",
    T + "nn.lrn",
    T + "nn.local_response_normalization",
    T + "nn.l2_normalize",
}
PAIRS = {T + name for name in ("add", "subtract", "multiply", "maximum", "minimum", "divide")}
CONTRIB = T + "contrib.layers."
POOLS = {T + "nn.max_pool", T + "nn.avg_pool", T + "nn.max_pool2d", T + "nn.avg_pool2d"}
LAYER_POOLS = {T + "layers.max_pooling2d", T + "layers.average_pooling2d"}
NUMBERS = frozenset({"sqrt", "log", "log2", "log10", "ceil", "floor", "float32"})
ROUND = "names of a round"  # that a loop's header binds, for what its body computes
# Of a helper's names: an expression, or the dimensions, and the names that it means.
Env = Mapping[str, Any]


def seen(walker: Any, node: ast.expr | None) -> list[str] | None:
    """A tensor's shape, as it is written or in numbers; None where neither is seen."""
    if node is None:
        return None
    shape = shapes.dims(walker, node)
    if shape is not None and shape[-1] != OPEN:
        return shape
    counted = dims(walker, node, None)
    if not counted or counted[-1].number is None:
        return shape
    return [dim.text if dim.number is not None else OPEN for dim in counted]


def is_shape(walker: Any, node: ast.expr) -> bool:
    """Whether an expression is the static shape of a tensor, or made of one."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "get_shape":
            return not node.args
        return node.func.attr == "as_list" and is_shape(walker, node.func.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return (
            node.func.id in ("int", "list")
            and len(node.args) == 1
            and is_shape(walker, node.args[0])
        )
    if isinstance(node, ast.Attribute):
        return node.attr == "shape" or (node.attr == "value" and is_shape(walker, node.value))
    if isinstance(node, ast.Subscript):
        return is_shape(walker, node.value)
    if isinstance(node, ast.ListComp) and len(node.generators) == 1:
        return _items(node) and is_shape(walker, node.generators[0].iter)
    if isinstance(node, ast.Name):
        value = _kept_in(walker, node)
        return value is not None and value is not node and is_shape(walker, value)
    return False


def _kept_in(walker: Any, node: ast.Name) -> ast.expr | None:
    """What a name was given, in a helper that a statement calls, too."""
    value = assigned(walker.meant.get(id(node)))
    return value if value is not None else _only(walker, node, node.id)


def is_item(walker: Any, node: ast.expr) -> bool:
    """Whether an expression is one dimension of a shape, read where it stands."""
    return (
        isinstance(node, ast.Subscript)
        and not isinstance(node.slice, ast.Slice)
        and is_shape(walker, node.value)
    )


def product(walker: Any, node: ast.Call) -> bool:
    """``np.prod(t.get_shape()[1:])``: NumPy's, of numbers that are there when a graph is built."""
    named = numpys.function(walker, node.func) in ("prod", "product")
    return named and len(node.args) == 1 and not node.keywords and is_shape(walker, node.args[0])


def number(walker: Any, node: ast.Call) -> bool:
    """``np.sqrt(t.get_shape().as_list()[-1])``: NumPy's, of one such number."""
    named = numpys.function(walker, node.func) in NUMBERS
    return named and len(node.args) == 1 and not node.keywords and is_size(walker, node.args[0])


def _items(node: ast.ListComp) -> bool:
    """Whether a comprehension is ``[int(d) for d in shape]`` or ``[d.value for d in shape]``."""
    (each,) = node.generators
    item = node.elt
    if isinstance(item, ast.Call) and ast.unparse(item.func) == "int" and len(item.args) == 1:
        item = item.args[0]
    elif isinstance(item, ast.Attribute) and item.attr == "value":
        item = item.value
    if not isinstance(item, ast.Name) or not isinstance(each.target, ast.Name):
        return False
    return not each.ifs and item.id == each.target.id


def is_size(walker: Any, node: ast.expr) -> bool:
    """Whether an expression is one number of a shape, or the product of some."""
    if isinstance(node, ast.Attribute) and node.attr == "value":
        return is_size(walker, node.value)
    if not isinstance(node, ast.Call):
        return is_item(walker, node)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "num_elements":
        return is_shape(walker, node.func.value)
    if ast.unparse(node.func) == "int" and len(node.args) == 1:
        return is_size(walker, node.args[0])
    return product(walker, node)


def size_of(walker: Any, node: ast.expr, env: Env | None) -> list[Dim] | None:
    """The factors of such a number."""
    if isinstance(node, ast.Attribute):
        return size_of(walker, node.value, env)
    if isinstance(node, ast.Subscript):
        dims = _shape(walker, node.value, env)
        at = _literal(node.slice)
        if dims is None or at is None or not -len(dims) <= at < len(dims):
            return None
        return [dims[at]]
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "num_elements":
        return _shape(walker, node.func.value, env)
    if isinstance(node.func, ast.Name):
        return size_of(walker, node.args[0], env)
    return _shape(walker, node.args[0], env)


def _shape(walker: Any, node: ast.expr, env: Env | None) -> list[Dim] | None:
    """The dimensions that an expression of a shape has."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        if node.func.attr == "get_shape":
            return dims(walker, inner, env)
        return _shape(walker, inner, env)
    if isinstance(node, ast.Call):
        return _shape(walker, node.args[0], env)
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        return dims(walker, node.value, env)
    if isinstance(node, ast.ListComp):
        return _shape(walker, node.generators[0].iter, env)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        found, cut = _shape(walker, node.value, env), node.slice
        bounds = [_literal(n) if n is not None else None for n in (cut.lower, cut.upper)]
        written = sum(n is not None for n in (cut.lower, cut.upper))
        odd = written != sum(b is not None for b in bounds)
        return None if found is None or odd or cut.step is not None else found[slice(*bounds)]
    if isinstance(node, ast.Name):
        value = _kept_in(walker, node)
        return _shape(walker, value, env) if value is not None else None
    return None


def dims(walker: Any, node: ast.expr, env: Env | None, depth: int = 0) -> list[Dim] | None:
    """The dimensions of a tensor; None where they aren't seen."""
    if depth > DEPTH:
        return None
    if isinstance(node, ast.Name) and env is not None:
        if node.id not in env:
            return None
        value, outer = env[node.id]
        return value if isinstance(value, list) else dims(walker, value, outer, depth + 1)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _named(walker, node, depth)
    if isinstance(node, ast.Constant):
        return []
    if isinstance(node, ast.BinOp):
        return wider(*(dims(walker, n, env, depth + 1) for n in (node.left, node.right)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return dims(walker, node.operand, env, depth + 1)
    if not isinstance(node, ast.Call):
        return None
    name = walker.endpoints.get(id(node.func), "")
    if not name:
        return _helper(walker, node, env, depth)
    try:
        given = walker.bound(name, node)
    except Blocked:  # its arguments are hidden
        return None
    if name in FILLED:
        copied = given.get("shape")
        if isinstance(copied, ast.Call) and walker.endpoints.get(id(copied.func)) == T + "shape":
            return dims(walker, copied.args[0], env, depth + 1) if copied.args else None
        return _listed(walker, given.get("shape", given.get("dims")), env)
    if name == T + "constant":
        return _listed(walker, given.get("shape"), env)
    if name == T + "Variable":
        first = given.get("initial_value")
        return dims(walker, first, env, depth + 1) if first is not None else None
    if name in (T + "matmul", T + "nn.xw_plus_b"):
        if set(given) - {"a", "b", "x", "weights", "biases", "name"}:
            return None
        second = given.get("weights" if name.endswith("xw_plus_b") else "b")
        last = dims(walker, second, env, depth + 1) if second is not None else None
        rows = given.get("x" if name.endswith("xw_plus_b") else "a")
        head = dims(walker, rows, env, depth + 1) if rows is not None else None
        row = head[0] if head is not None and len(head) == 2 else ANY
        return [row, last[-1]] if last is not None and len(last) == 2 else None
    if name == T + "nn.conv2d_transpose":
        return _listed(walker, given.get("output_shape"), env)
    first = next((given[k] for k in given if k in INPUTS | {"features"}), None)
    below = dims(walker, first, env, depth + 1) if first is not None else None
    if name in PAIRS and "y" in given:
        return wider(below, dims(walker, given["y"], env, depth + 1))
    if name in ALIKE or below is None:
        return below if name in ALIKE else None
    if name == T + "expand_dims":
        at = _literal(given.get("axis", given.get("dim")))
        if at is None or not -len(below) <= at + (at < 0) <= len(below):
            return None
        at = at if at >= 0 else at + len(below) + 1
        return [*below[:at], known(1), *below[at:]]
    if name == T + "squeeze" and set(given) <= {"input", "name"}:
        sure = all(d.number is not None for d in below)  # whether it is 1
        return [d for d in below if d.number != 1] if sure else None
    if name == T + "nn.conv2d":
        kernel = (
            dims(walker, given.get("filter", node), env, depth + 1) if "filter" in given else None
        )
        if (
            kernel is None
            or len(kernel) != 4
            or set(given)
            - {
                *("input", "filter", "strides", "padding", "name", "use_cudnn_on_gpu"),
            }
        ):
            return None
        return _windows(walker, below, kernel[:2], kernel[3], given, env)
    if name in POOLS:
        window = _listed(walker, given.get("ksize"), env)
        if (
            window is None
            or len(window) != 4
            or set(given)
            - {
                *("value", "ksize", "strides", "padding", "name"),
            }
        ):
            return None
        return _windows(walker, below, window[1:3], below[-1], given, env)
    if name == T + "layers.flatten":
        return [ANY, total(below[1:])]
    if name == T + "layers.dense":
        return [*below[:-1], _dim(walker, given["units"], env)] if "units" in given else None
    if name == T + "layers.conv2d" and "filters" in given and "dilation_rate" not in given:
        kernel = _pair(walker, given.get("kernel_size"), env)
        filters = _dim(walker, given["filters"], env)
        return _windows(walker, below, kernel, filters, given, env, layer=True)
    if name in LAYER_POOLS:
        window = _pair(walker, given.get("pool_size"), env)
        return _windows(walker, below, window, below[-1] if below else ANY, given, env, layer=True)
    return _contrib(walker, node, name.removeprefix(CONTRIB), below, env)


def _contrib(
    walker: Any, node: ast.Call, kind: str, below: list[Dim], env: Env | None
) -> list[Dim] | None:
    """What a layer of `tf.contrib.layers` leaves, its arg_scope's arguments included."""
    layer = walker.layers.get(id(node))
    if layer is None:
        return None
    given = dict(layer.given)
    if kind == "flatten":
        return [ANY, total(below[1:])]
    if kind in ("fully_connected", "relu", "linear") and "num_outputs" in given:
        return [*below[:-1], _dim(walker, given["num_outputs"], env)]
    pool = kind in ("max_pool2d", "avg_pool2d")
    if not pool and (kind not in ("conv2d", "convolution2d") or "num_outputs" not in given):
        return None
    rate = given.get("rate")
    if rate is not None and _literal(rate) != 1:
        return None
    last = below[-1] if pool else _dim(walker, given["num_outputs"], env)
    window = _pair(walker, given.get("kernel_size"), env)
    given.setdefault("padding", ast.Constant("VALID" if pool else "SAME"))
    given["strides"] = given.get("stride", ast.Constant(2 if pool else 1))
    return _windows(walker, below, window, last, given, env, layer=True)


def _named(walker: Any, node: ast.Name | ast.Attribute, depth: int) -> list[Dim] | None:
    """What a name means where it stands."""
    symbol = walker.meant.get(id(node), walker.attributes.get(id(node)))
    if symbol is None:
        return None
    made = symbol.value.node
    if symbol.value.data is INPUT:
        return _input(walker, symbol, depth)
    value = assigned(symbol)
    if value is not None:
        return dims(walker, value, None, depth + 1)
    if (unpacked := _unpacked(symbol)) is not None:
        value, at = unpacked
        return _helper(walker, value, None, depth, at)
    kinds = (Kind.PLACEHOLDER, Kind.VARIABLE)
    if symbol.value.kind in kinds and isinstance(made, ast.Call):
        return dims(walker, made, None, depth + 1)
    return _handed(walker, symbol, depth) if symbol.value.kind is Kind.PLACEHOLDER else None


def _handed(walker: Any, symbol: Symbol, depth: int) -> list[Dim] | None:
    """The placeholder that all objects of a class are given."""
    target = symbol.step.node
    if not isinstance(target, ast.FunctionDef) or target.name != "__init__":
        return None
    return _agreed(walker, target, symbol.name, depth)


def _input(walker: Any, symbol: Symbol, depth: int) -> list[Dim] | None:
    """What a function that makes variables is given."""
    target = symbol.step.node
    if not isinstance(target, ast.FunctionDef) or target is not walker.frame.node:
        return None
    return _agreed(walker, target, symbol.name, depth)


def _agreed(walker: Any, target: ast.FunctionDef, name: str, depth: int) -> list[Dim] | None:
    """The shape that all calls of a function, or of a class, give a parameter."""
    calls = known_branches.every(walker, target)
    if not calls:
        return None
    found = []
    for call in calls:
        node = known_branches.place(target, call, name)
        value = _only(walker, call.func, node.id) if isinstance(node, ast.Name) else node
        given = dims(walker, value, None, depth + 1) if value is not None else None
        # What a name means there needn't be what it means here.
        found.append([known(d.number) if d.number is not None else ANY for d in given or ()])
    alike = all(len(f) == len(found[0]) for f in found)
    if not alike or not found[0]:
        return None
    return [ds[0] if all(d == ds[0] for d in ds) else ANY for ds in zip(*found, strict=True)]


def only(walker: Any, node: ast.Name) -> ast.expr | None:
    """What a name is given, once, in the function or the file where it is read."""
    return _only(walker, node, node.id)


def _only(walker: Any, at: ast.expr, name: str) -> ast.expr | None:
    """What a name is given in the function, or the file, in which a place is."""
    tree = walker.files.at(at).tree
    scopes = all_of(tree, ast.FunctionDef)
    around = [n for n in scopes if holds(n, at)]
    for scope in (*reversed(around), tree):
        stores = [
            n
            for n in _own(scope)
            if isinstance(n, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == name for t in n.targets)
        ]
        if stores or _bound(scope, name):
            once = len(stores) == 1 and _bound(scope, name) == 1 and len(stores[0].targets) == 1
            return stores[0].value if once else None
    return None


def assigned(symbol: Symbol | None) -> ast.expr | None:
    """What a name alone was given."""
    made = symbol.step.node if symbol is not None else None
    if not isinstance(made, ast.Assign) or len(made.targets) != 1:
        return None
    target = made.targets[0]
    same = isinstance(target, ast.Name) and symbol is not None and target.id == symbol.name
    return made.value if same or isinstance(target, ast.Attribute) else None


def _unpacked(symbol: Symbol) -> tuple[ast.Call, int] | None:
    """``mean, scale = encode(x)``: which part of what a call gives a name is."""
    made = symbol.step.node
    if not isinstance(made, ast.Assign) or len(made.targets) != 1:
        return None
    (target,) = made.targets
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(made.value, ast.Call):
        return None
    names = [ast.unparse(t).rpartition(".")[2] for t in target.elts]
    if any(isinstance(t, ast.Starred) for t in target.elts) or names.count(symbol.name) != 1:
        return None
    return made.value, names.index(symbol.name)


def _helper(
    walker: Any, node: ast.Call, env: Env | None, depth: int, at: int | None = None
) -> list[Dim] | None:
    """What a function or a method of the program gives that is a row of statements."""
    target = walker._module_function(node.func)
    if target is None and isinstance(node.func, ast.Attribute) and env is None:
        methods = walker._methods(node.func)
        target = methods[0] if len(methods) == 1 else None
        names = [a.arg for a in target.args.args][1:] if target is not None else []
    elif isinstance(target, ast.FunctionDef):
        names = [a.arg for a in target.args.args]
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return None
    args = target.args
    plain = not (args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs)
    if not plain or len(node.args) > len(names) or any(k.arg is None for k in node.keywords):
        return None
    if any(isinstance(a, ast.Starred) for a in node.args):
        return None
    own: dict[str, Any] = dict(
        zip(names, ((a, env) for a in node.args), strict=False),
    )
    own |= {str(k.arg): (k.value, env) for k in node.keywords}
    for name, default in zip(reversed(names), reversed(args.defaults), strict=False):
        own.setdefault(name, (default, {}))
    given = _given(target.body, own)
    if given is not None and at is not None:
        listed = isinstance(given, ast.Tuple) and at < len(given.elts)
        given = given.elts[at] if listed and isinstance(given, ast.Tuple) else None
    return dims(walker, given, own, depth + 1) if given is not None else None


def _given(body: Sequence[ast.stmt], own: dict[str, Any]) -> ast.expr | None:
    """What a row of statements returns, and what its names mean there."""
    for stmt in body:
        if isinstance(stmt, ast.Return):
            return stmt.value
        if isinstance(stmt, ast.With):
            found = _given(stmt.body, own)
            if found is not None or all_of(stmt, ast.Return):
                return found
        elif isinstance(stmt, ast.Assign):
            (target, *others) = stmt.targets
            if others or not isinstance(target, (ast.Name, ast.Attribute)):
                return None
            if isinstance(target, ast.Name):
                own[target.id] = (stmt.value, dict(own))
        elif isinstance(stmt, ast.If) and not all_of(stmt, ast.Return):
            stores = {n.id for n in all_of(stmt, ast.Name) if not isinstance(n.ctx, ast.Load)}
            for name in stores:
                own.pop(name, None)  # it is one thing or another
        elif not isinstance(stmt, ast.Expr):
            return None
    return None


def _listed(walker: Any, node: ast.expr | None, env: Env | None) -> list[Dim] | None:
    """A shape that is written out; -1 is told by nothing but what it is."""
    if isinstance(node, ast.Name) and env is not None and node.id in env:
        return _listed(walker, *env[node.id])
    if isinstance(node, ast.Name) and env is None:
        node = _kept(walker, node.id)
    if not isinstance(node, (ast.List, ast.Tuple)):
        return None
    if any(isinstance(item, ast.Starred) for item in node.elts):
        return None
    return [_dim(walker, item, env) for item in node.elts]


def _kept(walker: Any, name: str) -> ast.expr | None:
    """``sizes = [n, 7, 7, 4]`` in the function at hand: ops are given it, or items are read."""
    scope = walker.frame.node
    if not isinstance(scope, ast.FunctionDef) or _bound(scope, name) != 1:
        return None
    parents = parents_of(scope)
    for n in all_of(scope, ast.Name):
        if n.id != name or not isinstance(n.ctx, ast.Load):
            continue
        outer = parents.get(id(n))
        if isinstance(outer, ast.keyword):
            outer = parents.get(id(outer))
        item = isinstance(outer, ast.Subscript) and isinstance(outer.ctx, ast.Load)
        given = isinstance(outer, ast.Call) and id(outer.func) in walker.endpoints
        if not item and not given:
            return None
    todo = list(scope.body)
    for stmt in todo:
        if isinstance(stmt, ast.With):
            todo += stmt.body
        elif isinstance(stmt, ast.Assign) and [ast.unparse(t) for t in stmt.targets] == [name]:
            return stmt.value
    return None


def _dim(walker: Any, node: ast.expr, env: Env | None) -> Dim:
    """A dimension that is written: a number, a name that stands for one."""
    number = _literal(node)
    if number is not None:
        return Dim(str(number), number) if number >= 0 else ANY
    if isinstance(node, ast.Name):
        if env is not None and node.id in env:
            return _dim(walker, *env[node.id])
        return _constant(walker, node) if env is None or node.id not in env else ANY
    if isinstance(node, ast.Attribute) and (number := _abroad(walker, node)) is not None:
        return known(number)
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
        return Dim(OPEN, own=node) if plain_dims.once(walker, node, node.attr) else ANY
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and not env:
        return _element(walker, node, node.value.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.FloorDiv, ast.Add)):
        parts = [_dim(walker, n, env) for n in (node.left, node.right)]
        first, second = (p.number for p in parts)
        if first is None or second is None:
            return _written(node.op, parts)
        if isinstance(node.op, ast.FloorDiv):
            return known(first // second) if second else ANY
        return known(first * second if isinstance(node.op, ast.Mult) else first + second)
    if isinstance(node, ast.expr) and is_size(walker, node):
        found = size_of(walker, node, env)
        if found is not None:
            return found[0] if len(found) == 1 else total(found)
    return ANY


def _written(op: ast.operator, parts: Sequence[Dim]) -> Dim:
    """What arithmetic on dimensions that have names gives: ``n_hidden + dim_y``."""
    if any(part.text == OPEN for part in parts):
        return ANY
    sign = {ast.Add: "+", ast.Mult: "*"}.get(type(op), "//")
    first, second = (f"({p.text})" if " " in p.text else p.text for p in parts)
    return Dim(f"{first} {sign} {second}")


def _abroad(walker: Any, node: ast.Attribute) -> int | None:
    """``net.IMAGE_SIZE``, a number that another file of the program gives a name once."""
    home = walker.files.at(node)
    if not isinstance(node.value, ast.Name) or home.tree is None or home.frame is None:
        return None
    local = all_of(home.tree, ast.FunctionDef)
    if any(_bound(f, node.value.id) for f in local if holds(f, node)):
        return None
    symbol = home.frame.env.get(node.value.id)
    tree = getattr(symbol.value.data, "tree", None) if symbol is not None else None
    if tree is None or _bound(home.tree, node.value.id) != 1 or _bound(tree, node.attr) != 1:
        return None
    values = [
        stmt.value
        for stmt in tree.body
        if isinstance(stmt, ast.Assign) and [ast.unparse(t) for t in stmt.targets] == [node.attr]
    ]
    return _literal(values[0]) if values else None


def _element(walker: Any, node: ast.Subscript, name: str) -> Dim:
    """``sizes[0]``, of a list that a function is given, or gives a name, and only reads."""
    scope, at = walker.frame.node, _literal(node.slice)
    kept = _listed(walker, node.value, None)
    if kept is not None and at is not None and -len(kept) <= at < len(kept):
        return kept[at]
    if not isinstance(scope, ast.FunctionDef) or _literal(node.slice) is None:
        return ANY
    given = any(a.arg == name for a in scope.args.args) and _bound(scope, name) == 1
    for n in walk(scope):
        below = getattr(n, "value", None)
        if isinstance(below, ast.Name) and below.id == name:
            method = isinstance(n, ast.Attribute)
            given &= not method and isinstance(getattr(n, "ctx", ast.Load()), ast.Load)
    return Dim(ast.unparse(node)) if given else ANY


def _constant(walker: Any, node: ast.Name) -> Dim:
    """A name that is bound once, in the module or as a parameter of the function at hand."""
    scope = walker.frame.node
    if node.id in walker.kept.get(ROUND, ()):
        return Dim(node.id)
    if isinstance(scope, ast.FunctionDef) and _bound(scope, node.id):
        return Dim(node.id) if _bound(scope, node.id) == 1 else ANY
    tree = walker.files.at(node).tree
    if tree is None or _bound(tree, node.id) != 1:
        return ANY
    for stmt in tree.body:
        if isinstance(stmt, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == node.id for t in stmt.targets
        ):
            number = _literal(stmt.value)
            here = walker.files.at(walker.frame.node or tree) is walker.files.at(node)
            return Dim(node.id if here else str(number), number) if number is not None else ANY
    return ANY


def _bound(scope: ast.AST, name: str) -> int:
    """How often a name is bound in a function, or a file, itself."""
    count = sum(
        2 * (name in n.names) for n in walk(scope) if isinstance(n, (ast.Global, ast.Nonlocal))
    )
    for n in _own(scope):
        if isinstance(n, ast.Name):
            count += n.id == name and not isinstance(n.ctx, ast.Load)
        elif isinstance(n, ast.arg):
            count += n.arg == name
        elif isinstance(n, ast.alias):
            count += (n.asname or n.name) == name
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            count += n.name == name
    return count


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope that aren't inside of another one."""
    stack = list(children(scope))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            stack.extend(children(node))


def _literal(node: ast.expr | None) -> int | None:
    """The whole number that is written."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _literal(node.operand)
        return -number if number is not None else None
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int else None


def _pair(walker: Any, node: ast.expr | None, env: Env | None) -> list[Dim] | None:
    """A size or a stride of two dimensions."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return _listed(walker, node, env)
    return [_dim(walker, node, env)] * 2 if node is not None else None


def _windows(
    walker: Any,
    below: list[Dim],
    window: list[Dim] | None,
    last: Dim,
    given: Mapping[str, ast.expr],
    env: Env | None,
    *,
    layer: bool = False,
) -> list[Dim] | None:
    """What a window that goes over an image leaves of it."""
    if len(below) != 4 or window is None or len(window) != 2 or "data_format" in given:
        return None
    padding = given.get("padding", ast.Constant("valid") if layer else None)
    while isinstance(padding, ast.Name) and env is not None and padding.id in env:
        padding, env = env[padding.id]
    how = padding.value if isinstance(padding, ast.Constant) else None
    if not isinstance(how, str) or how.upper() not in ("SAME", "VALID"):
        return None
    steps = given.get("strides", ast.Constant(1) if layer else None)
    strides = _pair(walker, steps, env) if layer else (_listed(walker, steps, env) or [])[1:3]
    if strides is None or len(strides) != 2:
        return None
    found = windows(below[1:3], window, strides, same=how.upper() == "SAME")
    return [below[0], *found, last] if found is not None else None
