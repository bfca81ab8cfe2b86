"""TFM237 keras-tensor-op: an op of TensorFlow in a functional Keras model, which `keras.ops` has.

TF 1.15's Keras made a layer of each op that a model's symbolic tensors went through. Keras 3
refuses them: "A KerasTensor cannot be used as input to a TensorFlow function". The same op of
`keras.ops` takes symbolic tensors and others; on the TensorFlow backend it computes the same. An op
without a counterpart here is reported: a `keras.layers.Lambda` around it, or a layer of one's own,
takes it.

https://keras.io/api/ops/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.engine.findings import Edit, Level
from migrate.engine.names import Reference
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.symbolic import KERAS, Symbolic

OPS = Rule(
    "TFM237",
    "keras-tensor-op",
    "an op of TensorFlow on a symbolic tensor of Keras",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/ops/",
)
T = "tensorflow."
#: Functions that are given symbolic tensors without computing anything of them.
IDLE = frozenset({"is_tensor", "is_keras_tensor", "int_shape", "Print", "function"})


#: Ops that `keras.backend` gives the last axis by itself, and `keras.ops` the first, or none.
AXIS = frozenset({"concatenate", "expand_dims"})


@dataclass(frozen=True)
class Op:
    """An op of `keras.ops`: its name; TF 1.15.5's parameters in order, with what it calls them."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    aliases: dict[str, str] = field(default_factory=dict)


def _of(name: str, parameters: str, **aliases: str) -> Op:
    pairs = [p.partition(":") for p in parameters.split()]
    return Op(name, tuple((p, q or p) for p, _, q in pairs), aliases)


_REDUCED = "input_tensor:x axis keepdims"
_OLD = {"keep_dims": "keepdims", "reduction_indices": "axis"}
_K = KERAS + "backend."
TABLE = {
    T + "concat": _of("concatenate", "values:xs axis"),
    T + "stack": _of("stack", "values:x axis"),
    T + "expand_dims": _of("expand_dims", "input:x axis", dim="axis"),
    T + "squeeze": _of("squeeze", "input:x axis", squeeze_dims="axis"),
    T + "reshape": _of("reshape", "tensor:x shape:newshape"),
    T + "transpose": _of("transpose", "a:x perm:axes"),
    T + "tile": _of("tile", "input:x multiples:repeats"),
    T + "cast": _of("cast", "x dtype"),
    T + "matmul": _of("matmul", "a:x1 b:x2"),
    T + "clip_by_value": _of("clip", "t:x clip_value_min:x_min clip_value_max:x_max"),
    T + "nn.softmax": _of("softmax", "logits:x axis", dim="axis"),
    T + "nn.leaky_relu": _of("leaky_relu", "features:x alpha:negative_slope"),
    _K + "concatenate": _of("concatenate", "tensors:xs axis"),
    _K + "stack": _of("stack", "x axis"),
    _K + "expand_dims": _of("expand_dims", "x axis"),
    _K + "squeeze": _of("squeeze", "x axis"),
    _K + "reshape": _of("reshape", "x shape:newshape"),
    _K + "permute_dimensions": _of("transpose", "x pattern:axes"),
    _K + "cast": _of("cast", "x dtype"),
    _K + "softmax": _of("softmax", "x axis"),
    _K + "clip": _of("clip", "x min_value:x_min max_value:x_max"),
}
TABLE |= {
    T + module + f"reduce_{name}": _of(name, _REDUCED, **_OLD)
    for name in ("mean", "sum", "max", "min", "prod")
    for module in ("", "math.")
}
TABLE |= {_K + name: _of(name, "x axis keepdims") for name in ("mean", "sum", "max", "min", "prod")}
_ALIKE = ("abs", "exp", "log", "sqrt", "square", "sign", "round", "sin", "cos", "tanh", "sigmoid")
_MORE = ("negative", "rsqrt", "floor", "ceil", "softplus", "softsign")
_FEATURES = ("relu", "relu6", "elu", "selu", "softplus", "softsign")
TABLE |= {module + n: _of(n, "x") for module in (T, T + "math.") for n in (*_ALIKE, *_MORE)}
TABLE |= {_K + n: _of(n, "x") for n in (*_ALIKE, "softplus", "softsign")}
TABLE |= {T + "nn." + n: _of(n, "features:x") for n in _FEATURES}
TABLE |= {T + "nn." + n: _of(n, "x") for n in ("tanh", "sigmoid")}
TABLE |= {
    module + name: _of(name, "x:x1 y:x2")
    for module in (T, T + "math.")
    for name in (
        *("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"),
        *("logical_and", "logical_or"),
    )
}
TABLE |= {
    module + name: _of(to, "x:x1 y:x2")
    for module in (T, T + "math.")
    for name, to in {
        **{n: n for n in ("add", "subtract", "multiply", "divide", "maximum", "minimum")},
        "pow": "power",
    }.items()
}


@OPS.file
def ops(file: FileContext) -> Iterator[Result]:
    """Call the op of `keras.ops`."""
    if "eras" not in file.text or "Input" not in file.text or file.legacy:
        return
    references = [r for r in file.names.references if r.call is not None]
    if not any(_shown(r).startswith(KERAS) for r in references):
        return
    symbolic = Symbolic(file.tree, {id(r.node): _shown(r) for r in file.names.references})
    for reference in references:
        call, name = reference.call, _shown(reference)
        own = name.startswith(KERAS) and not name.startswith(_K)
        own = own or not name.startswith(T)
        if call is None or own or name.rpartition(".")[2] in IDLE:
            continue
        given = [*call.args, *(k.value for k in call.keywords)]
        if any(map(symbolic.is_one, given)):
            yield _written(file, reference, call, TABLE.get(name))


def _shown(reference: Reference) -> str:
    return reference.name.replace("tensorflow.compat.v1.", T).replace("tensorflow.compat.v2.", T)


def _written(file: FileContext, reference: Reference, call: ast.Call, op: Op | None) -> Result:
    shown = ast.unparse(call.func)
    message = f"Keras 3's symbolic tensors don't go into `{shown}`"
    edits = _edits(file, reference, call, op) if op is not None else None
    if edits is None or op is None or file.level is not Level.NATIVE:
        return OPS.report(call, f"{message}; `keras.layers.Lambda` takes it", blocks=False)
    head, parts = edits
    _instead(file, [head, *parts])
    return OPS.fixed(call, message, f"`keras.ops.{op.name}`", [head, *parts])


def _edits(
    file: FileContext, reference: Reference, call: ast.Call, op: Op
) -> tuple[Edit, list[Edit]] | None:
    """The op's name, and its arguments' names; None where it can't be called so."""
    names = [name for name, _ in op.parameters]
    if len(call.args) > len(names) or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    line = call.lineno
    keras = file.module_name(reference.scope, "tensorflow.keras", line)
    tf = file.module_name(reference.scope, line=line)
    module = f"{tf}.keras" if tf else keras
    if module is None:
        return None
    to = dict(op.parameters)
    axis = len(call.args) > 1 or any(k.arg in ("axis", "dim") for k in call.keywords)
    if op.name in AXIS and not axis:
        return None
    parts = []
    for keyword in call.keywords:
        said = op.aliases.get(keyword.arg or "", keyword.arg or "")
        start = file.index.span(keyword)[0]
        if said == "name" and keyword is call.keywords[-1]:
            before = [*call.args, *(k.value for k in call.keywords[:-1])][-1]
            parts.append(Edit(file.index.span(before)[1], file.index.span(keyword.value)[1], ""))
        elif said not in to:
            return None
        elif to[said] != keyword.arg:
            parts.append(Edit(start, start + len(keyword.arg or ""), to[said]))
    low, high = file.index.span(call.func)
    return Edit(low, high, f"{module}.ops.{op.name}"), parts


def _instead(file: FileContext, edits: list[Edit]) -> None:
    """What other rules would write in these places is left out: the op's name has gone."""
    for result in file.results:
        result.edits = [o for o in result.edits if not any(_meet(o, e) for e in edits)]


def _meet(one: Edit, other: Edit) -> bool:
    return one.start < other.end and other.start < one.end


__all__ = ["OPS", "TABLE"]
