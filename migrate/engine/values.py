"""What an expression provably is: a dense tensor, a variable, a static shape, a dimension.

Flow-insensitive: a name is what all of its assignments in its scope are, and nothing where one of
them can't be told. Asked for only by rules that must know; nothing is computed before.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Literal

from migrate.engine.names import Reference, Scope
from migrate.engine.site import FileContext

Kind = Literal["", "tensor", "variable", "shape", "dimension", "number"]
# Functions that give one dense tensor, whatever they are given. Names after tf., tf.math., …
_DENSE = frozenset(
    """
    add add_n argmax argmin argsort bincount broadcast_to ceil clip_by_norm clip_by_value concat
    constant convert_to_tensor cumprod cumsum diag div divide einsum equal eye fill floor floordiv
    floormod gather gather_nd greater greater_equal identity_n less less_equal lin_space linspace
    logical_and logical_not logical_or logical_xor matmul maximum minimum mod multiply not_equal
    norm one_hot ones ones_like pad pow random_gamma random_normal random_poisson random_shuffle
    random_uniform range rank realdiv reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean
    reduce_min reduce_prod reduce_std reduce_sum reduce_variance reshape reverse scatter_nd
    shape slice squared_difference stack strided_slice subtract tensordot tile transpose truediv
    truncated_normal zeros zeros_like
    """.split()  # noqa: SIM905
)
_NN = frozenset(
    """
    avg_pool bias_add conv1d conv2d conv3d crelu depthwise_conv2d dropout elu leaky_relu
    log_softmax max_pool relu relu6 selu sigmoid sigmoid_cross_entropy_with_logits softmax
    softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2 softplus softsign
    sparse_softmax_cross_entropy_with_logits swish tanh
    """.split()  # noqa: SIM905
)
_RANDOM = frozenset("gamma normal poisson shuffle truncated_normal uniform".split())  # noqa: SIM905
# Of one tensor, a tensor of its shape; of a sparse one some give a sparse one.
ELEMENTWISE = frozenset(
    """
    abs acos acosh asin asinh atan atanh cast ceil cos cosh digamma erf erfc exp expm1 floor
    identity is_finite is_inf is_nan lgamma log log1p log_sigmoid logical_not negative ones_like
    reciprocal rint round rsqrt sigmoid sign sin sinh softplus sqrt square stop_gradient tan tanh
    to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64 zeros_like
    """.split()  # noqa: SIM905
)
_NN_ELEMENTWISE = frozenset(
    "elu leaky_relu relu relu6 selu sigmoid softplus softsign swish tanh".split()  # noqa: SIM905
)
_VARIABLES = frozenset({"Variable", "get_variable", "contrib.eager.Variable"})
_OUTER = re.compile(r"\b(?:global|nonlocal)\b(.*)")
_INTEGER = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)


class Values:
    """What the expressions of one file provably are."""

    def __init__(self, file: FileContext) -> None:
        self.references: dict[int, Reference] = {id(r.node): r for r in file.names.references}
        self.assigned: dict[int, dict[str, list[ast.expr | None]]] = {}
        # Names that a function binds outside of itself: they can be anything.
        self.poisoned = {
            name for words in _OUTER.findall(file.text) for name in re.findall(r"\w+", words)
        }
        self.busy: set[tuple[str, int]] = set()

    def endpoint(self, node: ast.expr) -> str:
        """What a chain means, without "tensorflow."; "" where it isn't TensorFlow's."""
        reference = self.references.get(id(node))
        if reference is None or not reference.name.startswith("tensorflow."):
            return ""
        return reference.name.removeprefix("tensorflow.").removeprefix("compat.v1.")

    def elementwise(self, call: ast.Call) -> bool:
        """Whether a call gives a tensor of its first argument's shape."""
        module, _, name = self.endpoint(call.func).rpartition(".")
        return (module in ("", "math") and name in ELEMENTWISE) or (
            module == "nn" and name in _NN_ELEMENTWISE
        )

    def kind(self, node: ast.expr, scope: Scope) -> Kind:
        """What an expression is, "" if that can't be told."""
        match node:
            case ast.Constant():
                return "number" if isinstance(node.value, (int, float)) else ""
            case ast.Name():
                return self._name(node.id, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.BinOp():
                kinds = {self.kind(node.left, scope), self.kind(node.right, scope)}
                if kinds & {"tensor", "variable"}:
                    return "tensor"
                if "dimension" in kinds and kinds <= {"dimension", "number"}:
                    return "dimension" if isinstance(node.op, _INTEGER) else ""
                return "number" if kinds == {"number"} else ""
            case ast.UnaryOp() if not isinstance(node.op, ast.Not):
                inner = self.kind(node.operand, scope)
                return "tensor" if inner == "variable" else inner
            case ast.Attribute(attr="shape"):
                # `tf.shape` is a function; everything else with a shape has a static one.
                return "" if self.endpoint(node) else "shape"
            case ast.Subscript():
                return self._item(node, scope)
        return ""

    def assigned_to(self, name: str, scope: Scope) -> list[ast.expr] | None:
        """Every value that a name is given; None where one of them can't be told."""
        where: Scope | None = scope
        while where is not None:
            found = self._bound(where.node).get(name)
            if found is not None and (where.kind != "class" or where is scope):
                known = [value for value in found if value is not None]
                poisoned = name in self.poisoned or len(known) < len(found)
                return None if poisoned else known
            where = where.parent
        return None

    def function(self, name: str, scope: Scope) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function that a name stands for: defined once, and never anything else."""
        where: Scope | None = scope
        while where is not None:
            found = self._bound(where.node).get(name)
            if found is not None and (where.kind != "class" or where is scope):
                break
            where = where.parent
        if where is None or found is None or len(found) != 1 or name in self.poisoned:
            return None
        for node in _nodes(where.node):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
                return node
        return None

    def _item(self, node: ast.Subscript, scope: Scope) -> Kind:
        base = self.kind(node.value, scope)
        if base in ("tensor", "variable"):
            return "tensor"
        if base == "shape":
            return "shape" if isinstance(node.slice, ast.Slice) else "dimension"
        return ""

    def _call(self, node: ast.Call, scope: Scope) -> Kind:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "get_shape" and not node.args:
            return "shape"
        name = self.endpoint(func)
        if name in _VARIABLES:
            return "variable"
        if name == "TensorShape":
            return "shape"
        module, _, last = name.rpartition(".")
        if name and (
            (module in ("", "math", "linalg") and last in _DENSE)
            or (module == "nn" and last in _NN)
            or (module == "random" and last in _RANDOM)
        ):
            return "tensor"
        if name and self.elementwise(node) and node.args:
            first = node.args[0]
            known = ("tensor", "variable", "number")
            return "tensor" if _literal(first) or self.kind(first, scope) in known else ""
        return ""

    # -- names -----------------------------------------------------------------------

    def _name(self, name: str, scope: Scope) -> Kind:
        where: Scope | None = scope
        while where is not None:
            found = self._bound(where.node).get(name)
            if found is not None and (where.kind != "class" or where is scope):
                break
            where = where.parent
        else:
            return ""
        assert where is not None
        key = (name, id(where.node))
        if name in self.poisoned or key in self.busy or None in found:
            return ""
        self.busy.add(key)
        kinds = {self._value(value, where) for value in found if value is not None}
        self.busy.discard(key)
        return kinds.pop() if len(kinds) == 1 else ""

    def _value(self, value: ast.expr, scope: Scope) -> Kind:
        if isinstance(value, ast.Starred):  # an item of what stands behind the star
            return "dimension" if self.kind(value.value, scope) == "shape" else ""
        return self.kind(value, scope)

    def _bound(self, node: ast.AST) -> dict[str, list[ast.expr | None]]:
        """The values that a scope assigns by name; None for one that can't be told."""
        found = self.assigned.get(id(node))
        if found is None:
            found = self.assigned[id(node)] = {}
            for name, value in _bindings(node):
                found.setdefault(name, []).append(value)
        return found


def _literal(node: ast.expr) -> bool:
    """Whether an expression is made of numbers as written."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_literal(item) for item in node.elts)
    if isinstance(node, ast.UnaryOp):
        return _literal(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def values_of(file: FileContext) -> Values:
    """The values of a file, made once."""
    found = file.memo.get("values")
    if not isinstance(found, Values):
        found = file.memo["values"] = Values(file)
    return found


def _targets(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    """What an assignment gives its names; a Starred value stands for its items."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        items: list[ast.expr | None]
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            items = list(value.elts)
        elif value is not None and not any(isinstance(t, ast.Starred) for t in target.elts):
            items = [ast.Starred(value, ast.Load())] * len(target.elts)
        else:
            items = [None] * len(target.elts)
        for inner, item in zip(target.elts, items, strict=True):
            yield from _targets(inner, item)
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, None)


def _bindings(scope: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Every binding of a scope, not of the scopes in it."""
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        for arg in ast.walk(scope.args):
            if isinstance(arg, ast.arg):
                yield arg.arg, None
    elif isinstance(scope, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        for generator in scope.generators:
            yield from _targets(generator.target, ast.Starred(generator.iter, ast.Load()))
        return
    for node in _nodes(scope):
        yield from _binding(node)


def _nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope's body, functions and classes in it without theirs."""
    body = getattr(scope, "body", [])
    stack: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def _binding(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    match node:
        case ast.Assign():
            for target in node.targets:
                yield from _targets(target, node.value)
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            yield name, value
        case ast.AugAssign(target=ast.Name(id=name)):
            yield name, None
        case ast.For() | ast.AsyncFor():
            yield from _targets(node.target, ast.Starred(node.iter, ast.Load()))
        case ast.withitem(optional_vars=target) if target is not None:
            yield from _targets(target, None)
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, None
        case ast.ClassDef(name=name):
            yield name, None
        case ast.alias(name=name, asname=asname):
            yield asname or name.partition(".")[0], None
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name, None
        case ast.Delete():
            for target in node.targets:
                yield from _targets(target, None)
