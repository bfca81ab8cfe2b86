"""Whether an expression surely is of floats, as far as its file tells.

TF 1 converts no types: where one operand is a float, an op's others are floats, too, or it fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.functions import TF2
from migrate.engine.trees import all_of, children, walk

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
TYPES = frozenset({"float16", "float32", "float64", "bfloat16", "float", "half", "double"})
OTHERS = frozenset(
    [
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"),
        *("string", "complex64", "complex128"),
    ]
)
# What they give are floats, whatever they are given.
ALWAYS = frozenset(
    [
        *("exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "sin", "cos", "tan", "linspace"),
        *("lin_space", "sigmoid", "tanh", "softmax", "log_softmax", "softplus", "relu6", "elu"),
        *("selu", "sigmoid_cross_entropy_with_logits", "softmax_cross_entropy_with_logits"),
        *("softmax_cross_entropy_with_logits_v2", "sparse_softmax_cross_entropy_with_logits"),
        *("conv2d", "conv1d", "dense", "batch_normalization", "moments", "dropout", "to_float"),
        *("to_double", "gradients", "truncated_normal", "random_normal"),
    ]
)
# As what they are given.
SAME = frozenset(
    [
        *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "square", "abs"),
        *("negative", "neg", "matmul", "multiply", "mul", "add", "subtract", "sub", "maximum"),
        *("minimum", "pow", "reshape", "transpose", "squeeze", "expand_dims", "identity", "where"),
        *("stop_gradient", "concat", "stack", "clip_by_value", "relu", "tile", "slice", "gather"),
        *("embedding_lookup", "l2_loss", "squared_difference", "ones_like", "zeros_like", "pad"),
        *("divide", "truediv", "div", "add_n", "cumsum", "split", "reverse", "tensordot"),
        *("einsum", "l2_normalize", "norm", "bias_add", "get_variable", "Variable", "constant"),
    ]
)
# The argument that says what they give; without one, it is float32.
TYPED = {"ones": 1, "zeros": 1, "placeholder": 0, "TensorSpec": 1, "random_uniform": 3, "cast": 1}

Key = tuple[ast.AST | None, str]


class Floating:
    """Answers for one file."""

    def __init__(self, tree: ast.Module, endpoints: dict[int, str]) -> None:
        self.tree = tree
        self.endpoints = endpoints
        # Whether a scope's name is of floats, or an attribute, as far as is known.
        self.known: dict[Key, bool] = {}
        self.first = True  # what a name is taken to be that is asked for the first time
        self.scopes: dict[int, list[ast.AST]] = {}
        self._placed(tree, [tree])

    def _placed(self, node: ast.AST, around: list[ast.AST]) -> None:
        """Remember the functions around each name."""
        stack = [(node, around)]
        while stack:
            at, outer = stack.pop()
            self.scopes[id(at)] = outer
            own = isinstance(at, FUNCTIONS)
            outside = {id(n) for n in getattr(at, "decorator_list", ())}
            for child in children(at):
                inner = [*outer, at] if own and id(child) not in outside else outer
                stack.append((child, inner))

    def of(self, node: ast.expr | None) -> bool:
        """Whether an expression is of floats.

        Names are taken to be, until one of what they are given isn't: the largest solution.
        """
        result = self._ask(node)
        while result and self._settled_anew():
            result = self._ask(node)
        return result and self._grounded(node)

    def _grounded(self, node: ast.expr | None) -> bool:
        """Whether what says so isn't only the names themselves, as ``x = x + 1`` of an unseen x."""
        known, self.first = self.known, False
        self.known = dict.fromkeys(known, False)
        changed = True
        while changed:
            changed = False
            for key in [k for k, now in self.known.items() if not now and known.get(k)]:
                if any(self._told(key)):
                    self.known[key] = changed = True
        result = self._ask(node)
        self.known, self.first = known, True
        return result

    def _settled_anew(self) -> bool:
        """Look at all names that were asked for once more; whether one turns out not to be."""
        before = (len(self.known), sum(self.known.values()))
        for key in [k for k, known in self.known.items() if known]:
            self.known[key] = self._holds(key)
        return before != (len(self.known), sum(self.known.values()))

    def _holds(self, key: Key) -> bool:
        told = list(self._told(key))
        return bool(told) and all(told)

    def _told(self, key: Key) -> Iterator[bool]:
        scope, name = key
        if scope is not None:
            return self._given(scope, name)
        return (value is not None and self._ask(value) for value in self._stores(name))

    def _ask(self, node: ast.expr | None) -> bool:
        return node is not None and id(node) in self.scopes and self._of(node)

    def _of(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, float)
        if isinstance(node, ast.UnaryOp):
            return self._ask(node.operand)
        if isinstance(node, ast.BinOp):
            return self._ask(node.left) or self._ask(node.right)
        if isinstance(node, (ast.List, ast.Tuple)):
            return any(map(self._ask, node.elts))
        if isinstance(node, ast.Subscript):
            return self._ask(node.value)
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id == "self"
            return own and self.known.setdefault((None, node.attr), self.first)
        return isinstance(node, ast.Name) and self._named(node)

    def _called(self, call: ast.Call) -> bool:
        said = ast.unparse(call.func) if isinstance(call.func, ast.Attribute) else ""
        name = self.endpoints.get(id(call.func), "")
        if said.startswith(f"{TF2}."):  # what is TensorFlow 2's already
            name = said.replace(TF2, "tensorflow", 1)
        kind = name.rpartition(".")[2]
        if not name and said.endswith("tape.gradient"):
            return True
        if not name.startswith("tensorflow."):
            return False
        dtype = next((k.value for k in call.keywords if k.arg == "dtype"), None)
        if dtype is not None:
            return _type(dtype)
        if kind in TYPED:
            place = TYPED[kind]
            given = call.args[place] if len(call.args) > place else None
            return _type(given) if given is not None else kind != "cast"
        types = (self.endpoints.get(id(a), "").rpartition(".")[2] for a in call.args)
        if any(t in OTHERS for t in types):
            return False  # tf.ones_like(x, tf.int32)
        values = [a.value if isinstance(a, ast.Starred) else a for a in call.args]
        values += [k.value for k in call.keywords if k.arg not in ("axis", "name", "shape")]
        return kind in ALWAYS or (kind in SAME and any(map(self._ask, values)))

    def _stores(self, attribute: str) -> list[ast.expr | None]:
        """All that is set as an attribute of that name; None for what isn't told."""
        found: list[ast.expr | None] = []
        for n in walk(self.tree):
            if isinstance(n, ast.Attribute) and n.attr == attribute:
                if not isinstance(n.ctx, ast.Load):
                    found.append(None)
            if isinstance(n, ast.Assign) and len(n.targets) == 1:
                target = n.targets[0]
                if isinstance(target, ast.Attribute) and target.attr == attribute:
                    found.append(n.value)
        told: list[ast.expr | None] = [f for f in found if f is not None]
        return told if len(told) * 2 == len(found) else [None]

    def _named(self, node: ast.Name) -> bool:
        for scope in reversed(self.scopes[id(node)]):
            key = (scope, node.id)
            if key in self.known:
                return self.known[key]
            self.known[key] = self.first  # it is looked at later
            if any(True for _ in self._given(scope, node.id)):
                return self.first
            del self.known[key]
        return False

    def _given(self, scope: ast.AST, name: str) -> Iterator[bool]:
        """Whether each of what a scope binds a name to is of floats."""
        if isinstance(scope, FUNCTIONS):
            params = [a.arg for a in (*scope.args.posonlyargs, *scope.args.args)]
            if name in params:
                yield self._given_to(scope, params.index(name))
            elif name in {a.arg for a in all_of(scope.args, ast.arg)}:
                yield False
        known: set[int] = set()
        for n in walk(scope):
            if self.scopes[id(n)][-1] is not scope:
                continue
            if isinstance(n, (ast.Assign, ast.AugAssign)):
                targets = n.targets if isinstance(n, ast.Assign) else [n.target]
                for target in targets:
                    if isinstance(target, ast.Name) and target.id == name:
                        known.add(id(target))
                        # What is added to a float is one.
                        grown = isinstance(n, ast.AugAssign) and self.first
                        yield self._ask(n.value) or grown
            elif isinstance(n, (ast.For, ast.comprehension)) and isinstance(n.target, ast.Name):
                if n.target.id == name:
                    known.add(id(n.target))
                    yield self._ask(n.iter)
            elif isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load):
                if id(n) not in known:
                    yield False
            elif (isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names) or name in (
                getattr(n, "name", None),
                getattr(n, "asname", None),
            ):
                yield False

    def _given_to(self, scope: ast.AST, place: int) -> bool:
        """Whether a parameter is a float: of a signature's, or of what a list is mapped to."""
        if isinstance(scope, ast.Lambda):
            return any(
                isinstance(n, ast.Call)
                and isinstance(n.func, ast.Name)
                and n.func.id == "map"
                and n.args[:1] == [scope]
                and len(n.args) > place + 1
                and self._ask(n.args[place + 1])
                for n in walk(self.tree)
            )
        for decorator in getattr(scope, "decorator_list", ()):
            for keyword in getattr(decorator, "keywords", ()):
                specs = keyword.value
                if keyword.arg == "input_signature" and isinstance(specs, (ast.List, ast.Tuple)):
                    return len(specs.elts) > place and self._ask(specs.elts[place])
        return False


def _type(node: ast.expr) -> bool:
    """Whether a type that is given is one of floats."""
    if isinstance(node, ast.Constant):
        return node.value in TYPES
    return getattr(node, "attr", getattr(node, "id", "")) in TYPES
