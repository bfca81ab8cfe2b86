"""TF 1's initializers as Keras 3's, with what TF 1 had by default spelled out.

Both draw from the same distributions (docs/numerics; under `migrate parity` the same values), but
TF 1's `random_normal_initializer` has a deviation of 1.0 where Keras has 0.05.

https://keras.io/api/layers/initializers/
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from migrate import symbols
from migrate.programs.graph.making import given_initializers
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.text import Text


@dataclass(frozen=True, slots=True)
class Keras:
    """A Keras initializer and TF 1's arguments by its own."""

    name: str
    arguments: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, object] = field(default_factory=dict)  # TF 1's arguments with one known value


_NORMAL = {"mean": "mean", "stddev": "stddev", "seed": "seed"}
_UNIFORM = {"minval": "minval", "maxval": "maxval", "seed": "seed"}
_SEED = {"seed": "seed"}
_SCALING = {"scale": "scale", "mode": "mode", "distribution": "distribution", "seed": "seed"}
TABLE = {
    "tensorflow.truncated_normal_initializer": Keras("TruncatedNormal", _NORMAL, {"stddev": "1.0"}),
    "tensorflow.random_normal_initializer": Keras("RandomNormal", _NORMAL, {"stddev": "1.0"}),
    "tensorflow.random_uniform_initializer": Keras(
        "RandomUniform", _UNIFORM, {"minval": "0.0", "maxval": "1.0"}
    ),
    "tensorflow.constant_initializer": Keras("Constant", {"value": "value"}, {"value": "0.0"}),
    "tensorflow.zeros_initializer": Keras("Zeros"),
    "tensorflow.ones_initializer": Keras("Ones"),
    "tensorflow.glorot_uniform_initializer": Keras("GlorotUniform", _SEED),
    "tensorflow.glorot_normal_initializer": Keras("GlorotNormal", _SEED),
    "tensorflow.orthogonal_initializer": Keras("Orthogonal", {"gain": "gain", "seed": "seed"}),
    "tensorflow.variance_scaling_initializer": Keras("VarianceScaling", _SCALING),
    "tensorflow.contrib.layers.xavier_initializer": Keras(
        "GlorotUniform", _SEED, fixed={"uniform": True}
    ),
    "tensorflow.contrib.layers.xavier_initializer_conv2d": Keras(
        "GlorotUniform", _SEED, fixed={"uniform": True}
    ),
    "tensorflow.initializers.he_normal": Keras("HeNormal", _SEED),
    "tensorflow.initializers.he_uniform": Keras("HeUniform", _SEED),
    "tensorflow.initializers.lecun_normal": Keras("LecunNormal", _SEED),
    "tensorflow.initializers.lecun_uniform": Keras("LecunUniform", _SEED),
}
for _name in (
    *("truncated_normal", "random_normal", "random_uniform", "constant", "zeros", "ones"),
    *("glorot_uniform", "glorot_normal", "variance_scaling", "orthogonal"),
):
    TABLE[f"tensorflow.initializers.{_name}"] = TABLE[f"tensorflow.{_name}_initializer"]
# Keras's own in 1.15.5: three of them draw more narrowly than TensorFlow's.
KERAS = "tensorflow.keras.initializers."
_NARROW = {"minval": "-0.05", "maxval": "0.05"}
for _names, _keras in {
    "TruncatedNormal truncated_normal": Keras("TruncatedNormal", _NORMAL),
    "RandomNormal random_normal normal": Keras("RandomNormal", _NORMAL),
    "RandomUniform random_uniform uniform": Keras("RandomUniform", _UNIFORM, _NARROW),
    "Constant constant": TABLE["tensorflow.constant_initializer"],
    "Zeros zeros": Keras("Zeros"),
    "Ones ones": Keras("Ones"),
    "Orthogonal orthogonal": TABLE["tensorflow.orthogonal_initializer"],
    "VarianceScaling": TABLE["tensorflow.variance_scaling_initializer"],
    "glorot_uniform": TABLE["tensorflow.glorot_uniform_initializer"],
    "glorot_normal": TABLE["tensorflow.glorot_normal_initializer"],
    "he_normal": TABLE["tensorflow.initializers.he_normal"],
    "he_uniform": TABLE["tensorflow.initializers.he_uniform"],
    "lecun_normal": TABLE["tensorflow.initializers.lecun_normal"],
    "lecun_uniform": TABLE["tensorflow.initializers.lecun_uniform"],
}.items():
    TABLE |= {KERAS + name: _keras for name in _names.split()}
GLOROT = "GlorotUniform"
PLAIN = (ast.Constant, ast.UnaryOp, ast.Name)  # what Keras' `Constant` is given


# As a value: the function of TF 2 and TF 1's arguments in its words, in order.
DIRECT = {
    "truncated_normal": ("random.truncated_normal", ("mean", "stddev", "seed")),
    "random_normal": ("random.normal", ("mean", "stddev", "seed")),
    "random_uniform": ("random.uniform", ("minval", "maxval", "seed")),
    "zeros": ("zeros", ()),
    "ones": ("ones", ()),
    "constant": ("constant", ("value",)),
}


def value(
    endpoint: str, call: ast.Call | None, shape: str, dtype: str | None, text: Text, tf: str
) -> str:
    """The initial value itself.

    It is shorter than a Keras initializer that is called, and leaves Python's `random` alone, from
    which Keras takes its seeds.

    Raises:
        Blocked: there is none.
    """
    name = endpoint.rpartition(".")[2].removesuffix("_initializer")
    source, own = keras(endpoint, call, text, tf)
    dtype = dtype or own
    typed = f", dtype={dtype}" if dtype and not dtype.endswith("float32") else ""
    if endpoint.startswith(KERAS):
        name = {"Constant": "constant", "Zeros": "zeros", "Ones": "ones"}.get(name, name)
        name = name if name in ("constant", "zeros", "ones") else ""  # others draw otherwise
    if name not in DIRECT:
        return f"{source}({shape}{typed})"
    function, arguments = DIRECT[name]
    given = _bound(endpoint, call)
    if name == "constant":
        number = text.source(given["value"]) if "value" in given else "0.0"
        # A whole number is a float all the same, and so is an array of NumPy's doubles.
        typed = typed or (f", dtype={tf}.float32" if not _float(given.get("value")) else "")
        return f"{tf}.constant({number}, shape={shape}{typed})"
    parts = [
        f"{a}={text.source(given[a])}"
        for a in arguments
        if a in given and ast.unparse(given[a]) != "None"
    ]
    return f"{tf}.{function}({', '.join([shape, *parts])}{typed})"


def _float(node: ast.expr | None) -> bool:
    """Whether a value is written as a float, which TensorFlow takes for float32."""
    if isinstance(node, ast.UnaryOp):
        return _float(node.operand)
    if isinstance(node, (ast.List, ast.Tuple)):
        return bool(node.elts) and all(map(_float, node.elts))
    return node is None or (isinstance(node, ast.Constant) and isinstance(node.value, float))


# Ops that give a first value, by the initializer that gives the same.
VALUES = {f"tensorflow.{name}": name for name in DIRECT} | {
    "tensorflow.random.truncated_normal": "truncated_normal",
    "tensorflow.random.normal": "random_normal",
    "tensorflow.random.uniform": "random_uniform",
}


def of_value(
    endpoint: str, call: ast.Call, source: Callable[[ast.AST], str], tf: str
) -> tuple[str, str]:
    """The shape and the Keras initializer that give what an op like `tf.zeros(shape)` gives.

    Raises:
        Blocked: none does.
    """
    name = VALUES.get(endpoint)
    if name is None:
        raise Blocked(call, "a variable of a layer starts with a value")
    given = _bound(endpoint, call)
    shape, dtype = given.pop("shape", None), given.pop("dtype", None)
    given.pop("name", None)
    if dtype is not None and not ast.unparse(dtype).endswith("float32"):
        raise Blocked(dtype, "an initializer of another type than float32")
    known = TABLE[f"tensorflow.{name}_initializer"]
    odd = next((v for k, v in given.items() if k not in known.arguments), None)
    if shape is None or odd is not None:
        raise Blocked(odd or call, "a variable of a layer starts with a value")
    if name == "constant" and not isinstance(given["value"], (ast.Constant, ast.UnaryOp)):
        raise Blocked(call, "an initializer with an array")
    words = {known.arguments[k]: source(v) for k, v in given.items() if ast.unparse(v) != "None"}
    parts = [f"{k}={v}" for k, v in ({} if name == "constant" else known.defaults | words).items()]
    if name == "constant":
        parts = [words["value"]]
    return source(shape), f"{tf}.keras.initializers.{known.name}({', '.join(parts)})"


def keras(
    endpoint: str, call: ast.Call | None, text: Text, tf: str, *, shared: bool = False
) -> tuple[str, str | None]:
    """The Keras initializer's source, and the dtype that TF 1's was given.

    ``shared``: several variables start with it. One without a seed draws the same for all of them,
    where TF 1's draws anew: it is given seeds that change.

    Raises:
        Blocked: none is equal.
    """
    scaled = _scaled(endpoint, call, text, tf)
    if scaled is not None:
        return (_seeded(scaled[0], tf) if shared else scaled[0]), None
    known = TABLE.get(endpoint)
    name = "tf" + endpoint.removeprefix("tensorflow")
    at: ast.AST = call if call is not None else ast.Pass(lineno=1, col_offset=0)
    if endpoint == given_initializers.CALLED:
        raise Blocked(at, f"{endpoint} isn't followed here")
    if known is None:
        raise Blocked(at, f"no Keras initializer is equal to {name} yet")
    given = _bound(endpoint, call)
    dtype = given.pop("dtype", None)
    out: list[str] = []
    array = None
    for argument, node in given.items():
        if argument in known.fixed:
            if not isinstance(node, ast.Constant) or node.value != known.fixed[argument]:
                raise Blocked(node, f"`{argument}` of {name}")
            continue
        if argument not in known.arguments:
            raise Blocked(node, f"`{argument}` of {name}")
        if known.name == "Constant" and not isinstance(node, PLAIN):
            # TensorFlow's own gives an array its variable's shape, as TF 1's did.
            array = f"{tf}.constant_initializer({text.source(node)})"
            continue
        if isinstance(node, ast.Constant) and node.value is None:
            continue
        source = text.source(node)
        if argument == "distribution" and source.strip("'\"") == "normal":
            source = '"truncated_normal"'
        out.append(f"{known.arguments[argument]}={source}")
    named = {part.partition("=")[0] for part in out}
    out += [f"{k}={v}" for k, v in known.defaults.items() if k not in named]
    if len(out) == 1 and known.name == "Constant":
        out = [out[0].partition("=")[2]]
    source = array or f"{tf}.keras.initializers.{known.name}({', '.join(out)})"
    if shared and "seed" in known.arguments.values():
        source = _seeded(source, tf)
    return source, text.source(dtype) if dtype is not None else None


def of_array(endpoint: str, call: ast.Call | None) -> bool:
    """Whether an initializer of a constant stays TensorFlow's own."""
    known = TABLE.get(endpoint)
    if call is None or known is None or known.name != "Constant":
        return False
    value = _bound(endpoint, call).get("value")
    return value is not None and not isinstance(value, PLAIN)


def _seeded(source: str, tf: str) -> str:
    """An initializer that draws anew each time, unless the author gave it a seed."""
    if "seed=" in source:
        return source
    comma = "" if source.endswith("()") else ", "
    return f"{source[:-1]}{comma}seed={tf}.keras.random.SeedGenerator())"


# TF 1's contrib widens a truncated normal by 1.3, Keras by the square of this.
WIDER = 1.3 * 0.87962566103423978**2
MODES = {"FAN_IN": "fan_in", "FAN_OUT": "fan_out", "FAN_AVG": "fan_avg"}


def _scaled(endpoint: str, call: ast.Call | None, text: Text, tf: str) -> tuple[str, None] | None:
    """The initializers of `tf.contrib.layers` that scale by fans, but for the uniform Xavier."""
    contrib = endpoint.removeprefix("tensorflow.contrib.layers.")
    xavier = contrib in ("xavier_initializer", "xavier_initializer_conv2d")
    if not xavier and contrib != "variance_scaling_initializer":
        return None
    given = _bound(endpoint, call)
    said = {k: v.value for k, v in given.items() if isinstance(v, ast.Constant)}
    uniform = said.get("uniform", xavier)
    if xavier and uniform is True:
        return None
    for argument, node in given.items():
        if argument not in said and argument not in ("seed", "dtype"):
            raise Blocked(node, f"`{argument}` of tf.contrib.layers.{contrib}")
    mode = MODES.get(str(said.get("mode", "FAN_AVG" if xavier else "FAN_IN")))
    factor = said.get("factor", 1.0 if xavier else 2.0)
    if mode is None or not isinstance(factor, (int, float)) or "dtype" in given:
        assert call is not None
        raise Blocked(call, f"these arguments of tf.contrib.layers.{contrib}")
    scale = factor if uniform else factor * WIDER
    shape = "uniform" if uniform else "truncated_normal"
    parts = [f"scale={scale!r}", f'mode="{mode}"', f'distribution="{shape}"']
    if "seed" in given and not (isinstance(given["seed"], ast.Constant) and said["seed"] is None):
        parts.append(f"seed={text.source(given['seed'])}")
    return f"{tf}.keras.initializers.VarianceScaling({', '.join(parts)})", None


def _bound(endpoint: str, call: ast.Call | None) -> dict[str, ast.expr]:
    if call is None:
        return {}
    signature = symbols.signature(endpoint)
    names = [p.name for p in signature.params if p.name != "self"] if signature else []
    if len(call.args) > len(names):
        raise Blocked(call, "an initializer's arguments")
    given: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            raise Blocked(call, "`**` hides an initializer's arguments")
        given[keyword.arg] = keyword.value
    return given
