"""Which expressions are integers or floats for certain: what ``/`` meant in Python 2."""

from __future__ import annotations

import ast
from typing import Literal

from migrate.engine.trees import children

Kind = Literal["int", "float", "same"] | None  # "same": whatever the name asked about is

_INT_CALLS = frozenset(("len", "int", "long", "ord", "hash", "id"))
_SAME_CALLS = frozenset(("abs", "min", "max"))
_FLOAT_FUNCTIONS = frozenset(
    f"{module}.{name}"
    for modules, names in (
        (
            ("math",),
            "acos asin atan atan2 ceil cos cosh exp floor fabs hypot log log10 log2 pow sin sinh"
            " sqrt tan tanh",
        ),
        (("time",), "time clock"),
        (("random",), "random uniform gauss normalvariate"),
        (
            ("np", "numpy"),
            "float16 float32 float64 sqrt exp log log10 log2 sin cos tan tanh mean std var"
            " average linspace random.rand random.randn random.random random.uniform"
            " random.normal linalg.norm",
        ),
        (
            ("tf", "tensorflow"),
            "to_float to_double exp log sqrt rsqrt sin cos tanh sigmoid random_normal"
            " truncated_normal nn.softmax nn.sigmoid nn.tanh nn.relu nn.l2_loss nn.log_softmax"
            " nn.softmax_cross_entropy_with_logits nn.sigmoid_cross_entropy_with_logits"
            " nn.sparse_softmax_cross_entropy_with_logits nn.moments",
        ),
    )
    for module in modules
    for name in names.split()
)
_INT_FUNCTIONS = frozenset(
    (
        "random.randint",
        "np.int32",
        "np.int64",
        "numpy.int32",
        "numpy.int64",
        "os.path.getsize",
        "tf.rank",
        "tf.size",
    )
)
_FILLED = frozenset(("np.zeros", "np.ones", "np.empty", "numpy.zeros", "numpy.ones", "numpy.empty"))
_INT_METHODS = frozenset(("index", "count"))
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)

_UNKNOWN = object()
_INTEGERS = object()
_Binding = ast.expr | object


class _Scope:
    """A module's or function's names with everything that is ever bound to them."""

    def __init__(self, parent: _Scope | None, is_class: bool = False) -> None:
        self.parent = parent
        self.is_class = is_class  # its names are not seen by its methods
        self.names: dict[str, list[_Binding]] = {}

    def add(self, name: str, value: _Binding) -> None:
        self.names.setdefault(name, []).append(value)


class Numbers:
    """The kinds of a module's expressions as Python 2 computed them."""

    def __init__(self, tree: ast.Module) -> None:
        self._scopes: dict[ast.expr, _Scope] = {}
        self._known: dict[tuple[int, str], Kind] = {}
        self._asked: set[tuple[int, str]] = set()
        self._globals: set[str] = set()
        self._visit(tree.body, _Scope(None))

    def kind(self, node: ast.expr) -> Kind:
        """``int`` or ``float`` where that is certain."""
        kind = self._kind(node)
        return None if kind == "same" else kind

    # --- bindings -------------------------------------------------------------------------

    def _visit(self, nodes: list[ast.stmt], scope: _Scope) -> None:
        stack: list[ast.AST] = list(reversed(nodes))
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                self._function(node, scope)
                if not isinstance(node, ast.Lambda):
                    scope.add(node.name, _UNKNOWN)
                    stack += node.decorator_list
                continue
            if isinstance(node, ast.ClassDef):
                scope.add(node.name, _UNKNOWN)
                self._visit(node.body, _Scope(scope, is_class=True))
                continue
            if isinstance(node, ast.Name):
                self._scopes[node] = scope
            self._bindings(node, scope)
            stack += reversed(list(children(node)))

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, outer: _Scope
    ) -> None:
        scope = _Scope(outer.parent if outer.is_class else outer)
        arguments = node.args
        for argument in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            *filter(None, (arguments.vararg, arguments.kwarg)),
        ):
            scope.add(argument.arg, _UNKNOWN)
        if isinstance(node, ast.Lambda):
            self._visit([ast.copy_location(ast.Expr(node.body), node)], scope)
        else:
            self._visit(node.body, scope)

    def _bindings(self, node: ast.AST, scope: _Scope) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value, scope)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self._bind(node.target, node.value, scope)
        elif isinstance(node, ast.AugAssign):
            known = isinstance(node.op, _ARITHMETIC)
            self._bind(node.target, node.value if known else _UNKNOWN, scope)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._loop(node.target, node.iter, scope)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, _UNKNOWN, scope)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                scope.add(alias.asname or alias.name.split(".")[0], _UNKNOWN)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            scope.add(node.name, _UNKNOWN)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            self._globals.update(node.names)

    def _bind(self, target: ast.expr, value: _Binding, scope: _Scope) -> None:
        if isinstance(target, ast.Name):
            scope.add(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values: list[_Binding] = [_UNKNOWN] * len(target.elts)
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(values):
                values = list(value.elts)
            elif isinstance(value, ast.expr) and _is_shape(value):
                values = [_INTEGERS] * len(values)
            for element, part in zip(target.elts, values, strict=True):
                self._bind(element, part, scope)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, _UNKNOWN, scope)

    def _loop(self, target: ast.expr, iterable: ast.expr, scope: _Scope) -> None:
        name = ""
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name):
            name = iterable.func.id
        if name in ("range", "xrange"):
            self._bind(target, _INTEGERS, scope)
        elif name == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            self._bind(target.elts[0], _INTEGERS, scope)
            self._bind(target.elts[1], _UNKNOWN, scope)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self._bind(element, _UNKNOWN, scope)
        else:
            self._bind(target, _UNKNOWN, scope)

    # --- kinds ----------------------------------------------------------------------------

    def _kind(self, node: ast.expr) -> Kind:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int):
                return "int"
            return "float" if isinstance(node.value, (float, complex)) else None
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return self._kind(node.operand)
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.IfExp):
            return _both(self._kind(node.body), self._kind(node.orelse))
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Subscript):
            return "int" if _is_shape(node.value) and _is_index(node.slice) else None
        if isinstance(node, ast.Attribute):
            inner = node.value
            dimension = isinstance(inner, ast.Subscript) and self._kind(inner) == "int"
            return "int" if node.attr == "ndim" or (node.attr == "value" and dimension) else None
        return None

    def _binary(self, node: ast.BinOp) -> Kind:
        left, right = self._kind(node.left), self._kind(node.right)
        if isinstance(node.op, ast.Pow):
            whole = isinstance(node.right, ast.Constant) and isinstance(node.right.value, int)
            return left if left == "float" or whole else "float" if right == "float" else None
        if not isinstance(node.op, _ARITHMETIC):
            return _both(left, right) if isinstance(node.op, (ast.LShift, ast.RShift)) else None
        if "float" in (left, right):
            # 0.5 * anything is of floats; but not "%", which may format a text.
            return None if isinstance(node.op, ast.Mod) and left != "float" else "float"
        return _both(left, right)

    def _call(self, node: ast.Call) -> Kind:
        function = node.func
        if isinstance(function, ast.Name):
            name = function.id
            if name in _INT_CALLS:
                return "int"
            if name in ("float", "round"):
                return "float"
            if name in _SAME_CALLS and len(node.args) > (name != "abs") and not node.keywords:
                kinds = [self._kind(argument) for argument in node.args]
                result = kinds[0]
                for kind in kinds[1:]:
                    result = _both(result, kind)
                return result
            return None
        if not isinstance(function, ast.Attribute):
            return None
        dotted = _dotted(function)
        if dotted in _FLOAT_FUNCTIONS:
            return "float"
        if dotted in _INT_FUNCTIONS:
            return "int"
        if dotted in _FILLED and len(node.args) == 1 and not node.keywords:
            return "float"
        if dotted in ("tf.cast", "tensorflow.cast") and len(node.args) > 1:
            return _type_kind(node.args[1])
        if function.attr == "astype" and node.args:
            return _type_kind(node.args[0])
        return "int" if function.attr in _INT_METHODS else None

    def _name(self, node: ast.Name) -> Kind:
        scope = self._scopes.get(node)
        while scope is not None and node.id not in scope.names:
            scope = scope.parent
        if scope is None or node.id in self._globals:
            return None
        key = (id(scope), node.id)
        if key in self._known:
            return self._known[key]
        if key in self._asked:
            return "same"
        self._asked.add(key)
        result: Kind = "same"
        for value in scope.names[node.id]:
            kind: Kind = None
            if value is _INTEGERS:
                kind = "int"
            elif isinstance(value, ast.expr):
                kind = self._kind(value)
            result = _both(result, kind)
            if result is None:
                break
        self._asked.discard(key)
        if result == "same":
            result = None
        if not self._asked:  # else it may rest on a name that is still being asked about
            self._known[key] = result
        return result


def _both(left: Kind, right: Kind) -> Kind:
    if left == "same":
        return right
    if right == "same":
        return left
    return left if left == right else None


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        head = _dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return node.id if isinstance(node, ast.Name) else ""


def _is_shape(node: ast.expr) -> bool:
    """``x.shape``, ``x.get_shape()``, either ``.as_list()``, ``tf.shape(x)``: of integers all."""
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "as_list":
            return _is_shape(node.func.value)
        return node.func.attr == "get_shape" or _dotted(node.func) in (
            "tf.shape",
            "np.shape",
            "numpy.shape",
        )
    return False


def _is_index(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, (ast.Constant, ast.Name))


def _type_kind(node: ast.expr) -> Kind:
    """The kind of a type's name: ``tf.float32``, ``'int64'``, ``float``."""
    name = node.value if isinstance(node, ast.Constant) else _dotted(node).rpartition(".")[2]
    if isinstance(name, str):
        if name.startswith("float") or name == "double":
            return "float"
        if name.startswith(("int", "uint")):
            return "int"
    return None
