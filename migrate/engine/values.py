"""What an expression provably is: a dense tensor, a variable, a static shape, a dimension.

Flow-insensitive: a name is what all of its assignments in its scope are, and nothing where one of
them can't be told. Asked for only by rules that must know; nothing is computed before.
"""

from __future__ import annotations

import ast
import collections
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from migrate.engine.bindings import bindings, nodes
from migrate.engine.functions import TF2
from migrate.engine.names import Reference, Scope
from migrate.engine.site import FileContext
from migrate.engine.trees import all_of, walk

Kind = Literal["", "tensor", "variable", "shape", "dimension", "number"]
# Functions that give one dense tensor, whatever they are given. Names after tf., tf.math., …
_DENSE = frozenset(
    """
    add add_n argmax argmin argsort bincount broadcast_to ceil clip_by_norm clip_by_value concat
    constant convert_to_tensor cumprod cumsum diag div divide einsum equal eye fill floor
    floordiv floormod gather gather_nd greater greater_equal less less_equal lin_space linspace
    logical_and logical_not logical_or logical_xor matmul matrix_transpose maximum minimum mod
    multiply norm not_equal one_hot ones ones_like pad pow random_gamma random_normal
    random_poisson random_shuffle random_uniform range rank realdiv reduce_all reduce_any
    reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum
    reduce_variance reshape reverse scatter_nd shape slice squared_difference stack
    strided_slice subtract tensor_diag tensordot tile transpose truediv truncated_normal zeros
    zeros_like
    """.split()  # noqa: SIM905
)
_NN = frozenset(
    """
    avg_pool bias_add conv1d conv2d conv3d crelu depthwise_conv2d dropout elu l2_normalize
    leaky_relu log_softmax max_pool relu relu6 selu sigmoid sigmoid_cross_entropy_with_logits
    softmax softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2 softplus softsign
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
# Keras' layers that give one dense tensor of one.
_LAYERS = re.compile(
    r"(?:BatchNormalization|Dense|Dropout|Embedding|Flatten|LayerNormalization"
    r"|(?:Depthwise|Separable)?Conv[123]D(?:Transpose)?|(?:Average|Max)Pooling[123]D)"
)
_VARIABLES = frozenset({"Variable", "get_variable", "contrib.eager.Variable"})
OUTER = ("global", "nonlocal")
_OUTER = re.compile(r"\b(?:global|nonlocal)\b(.*)")
_OWN_SHAPE = re.compile(r"\.shape[ \t]*=(?!=)|\bdef shape\b|^[ \t]*shape[ \t]*:", re.M)
_COMPUTED = re.compile(r"\bsetattr\b|__(?:dict|getattr|setattr|getattribute)__")
_INTEGER = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)


class Values:
    """What the expressions of one file provably are."""

    def __init__(self, file: FileContext) -> None:
        self.references: dict[int, Reference] = {id(r.node): r for r in file.names.references}
        self.assigned: dict[int, dict[str, list[ast.expr | None]]] = {}
        # Names that a function binds outside of itself: they can be anything.
        outer = _OUTER.findall(file.text) if any(w in file.text for w in OUTER) else ()
        self.poisoned = {name for words in outer for name in re.findall(r"\w+", words)}
        self.busy: set[tuple[str, int]] = set()
        self.tree = file.tree
        self.text = file.text
        self.mapped: dict[tuple[int, str], ast.expr] | None = None
        self.attributes: dict[str, Kind] | None = None

    @cached_property
    def own_shapes(self) -> bool:
        """Whether something in the file has a `shape` of the author's."""
        return _OWN_SHAPE.search(self.text) is not None

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
                # `tf.shape` is a function; everything else with a shape has a static one, unless
                # the file gives something a shape of its own.
                return "" if self.endpoint(node) or self.own_shapes else "shape"
            case ast.Attribute() if not self.endpoint(node):
                return self._attributes().get(node.attr, "")
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
        for node in nodes(where.node):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
                return node
        return None

    def _item(self, node: ast.Subscript, scope: Scope) -> Kind:
        base = self.kind(node.value, scope)
        if base in ("tensor", "variable"):
            return "tensor"
        if base == "shape":
            if isinstance(node.slice, ast.Constant) and not isinstance(node.slice.value, int):
                return ""
            return "shape" if isinstance(node.slice, ast.Slice) else "dimension"
        return ""

    def _call(self, node: ast.Call, scope: Scope) -> Kind:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "get_shape" and not node.args:
            return "shape"
        if self._makes(node):
            return "variable"
        name = self.endpoint(func)
        if name == "TensorShape" or ast.unparse(func) == f"{TF2}.TensorShape":
            return "shape"
        if dense(name):
            return "tensor"
        if name and self.elementwise(node) and node.args:
            first = node.args[0]
            known = ("tensor", "variable", "number")
            return "tensor" if _literal(first) or self.kind(first, scope) in known else ""
        return "tensor" if self._applies(func, scope) else ""

    def _applies(self, func: ast.expr, scope: Scope) -> bool:
        """Whether a call is one of a layer that was made in the same file: ``h_layer(x)``."""
        if not isinstance(func, ast.Name):
            return False
        made = self.assigned_to(func.id, scope) or []
        return bool(made) and all(isinstance(m, ast.Call) and self._layer(m.func) for m in made)

    def _layer(self, cls: ast.expr) -> bool:
        """Whether a class is Keras', or the file's own of that name that is based on it."""
        text = ast.unparse(cls).removeprefix(f"{TF2}.")
        if isinstance(cls, ast.Name):
            bases = [
                ast.unparse(n.bases[0]).rpartition(".")[2]
                for n in all_of(self.tree, ast.ClassDef)
                if n.name == cls.id and len(n.bases) == 1
            ]
            return bases == [cls.id] and _LAYERS.fullmatch(cls.id) is not None
        head, _, name = (self.endpoint(cls) or text).rpartition(".")
        return head == "keras.layers" and _LAYERS.fullmatch(name) is not None

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
        if self._specified(name, where):
            return "tensor"
        if isinstance(where.node, ast.Lambda) and where.parent is not None:
            given = self._mapped().get((id(where.node), name))
            return self._value(ast.Starred(given), where.parent) if given is not None else ""
        if name in self.poisoned or key in self.busy or None in found:
            return ""
        self.busy.add(key)
        kinds = {self._value(value, where) for value in found if value is not None}
        self.busy.discard(key)
        return kinds.pop() if len(kinds) == 1 else ""

    def _specified(self, name: str, where: Scope) -> bool:
        """Whether a name is a parameter of a `tf.function` whose signature says a dense tensor."""
        function = where.node
        if not isinstance(function, ast.FunctionDef) or len(self._bound(function)[name]) != 1:
            return False
        signatures = [
            k.value.elts
            for d in function.decorator_list
            if isinstance(d, ast.Call)
            for k in d.keywords
            if k.arg == "input_signature" and isinstance(k.value, (ast.List, ast.Tuple))
        ]
        names = [a.arg for a in function.args.args]
        names = names[1:] if names[:1] == ["self"] else names
        if len(signatures) != 1 or name not in names[: len(signatures[0])]:
            return False
        spec = signatures[0][names.index(name)]
        made = [spec]
        if isinstance(spec, ast.Name) and where.parent is not None:
            made = self.assigned_to(spec.id, where.parent) or [spec]
        return all(
            isinstance(m, ast.Call) and ast.unparse(m.func) == f"{TF2}.TensorSpec" for m in made
        )

    def _attributes(self) -> dict[str, Kind]:
        """The attributes that the file only ever gives variables, of whatever objects."""
        if self.attributes is None:
            stored: collections.Counter[str] = collections.Counter()
            made: collections.Counter[str] = collections.Counter()
            for node in walk(self.tree):
                if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                    stored[node.attr] += 1
                elif isinstance(node, ast.Assign) and self._makes(node.value):
                    made.update(t.attr for t in node.targets if isinstance(t, ast.Attribute))
            self.attributes = {
                name: "variable" for name, count in made.items() if count == stored[name]
            }
            if _COMPUTED.search(self.text):
                self.attributes = {}
        return self.attributes

    def _makes(self, node: ast.expr) -> bool:
        """Whether an expression makes one variable."""
        if not isinstance(node, ast.Call):
            return False
        name = self.endpoint(node.func)
        return name in _VARIABLES or (not name and ast.unparse(node.func) == f"{TF2}.Variable")

    def _mapped(self) -> dict[tuple[int, str], ast.expr]:
        """What ``map(lambda d, e: …, shape, other)`` goes through, by its function's arguments."""
        if self.mapped is None:
            calls = all_of(self.tree, ast.Call)
            own = "map" in {name for n in walk(self.tree) for name, _ in _binds(n)}
            self.mapped = {}
            for call in calls:
                called = isinstance(call.func, ast.Name) and call.func.id == "map" and not own
                if not called or not call.args or not isinstance(call.args[0], ast.Lambda):
                    continue
                function, items = call.args[0], call.args[1:]
                names = [name for name, _ in _binds(function)]
                plain = names == [a.arg for a in function.args.args]
                if plain and len(names) == len(items) and not call.keywords:
                    if not any(isinstance(item, ast.Starred) for item in items):
                        keys = ((id(function), name) for name in names)
                        self.mapped.update(zip(keys, items, strict=True))
        return self.mapped

    def _value(self, value: ast.expr, scope: Scope) -> Kind:
        if isinstance(value, ast.Starred):  # an item of what stands behind the star
            return "dimension" if self.kind(value.value, scope) == "shape" else ""
        return self.kind(value, scope)

    def _bound(self, node: ast.AST) -> dict[str, list[ast.expr | None]]:
        """The values that a scope assigns by name; None for one that can't be told."""
        found = self.assigned.get(id(node))
        if found is None:
            found = self.assigned[id(node)] = {}
            for name, value in bindings(node):
                found.setdefault(name, []).append(value)
        return found


def dense(name: str) -> bool:
    """Whether a function of TensorFlow gives one dense tensor, whatever it is given."""
    module, _, last = name.removeprefix("tensorflow.").rpartition(".")
    return (
        (module in ("", "math", "linalg") and last in _DENSE)
        or (module == "nn" and last in _NN)
        or (module == "random" and last in _RANDOM)
    )


def _binds(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """What a scope binds; nothing where a node is no scope."""
    scopes = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    return bindings(node) if isinstance(node, scopes) else iter(())


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
