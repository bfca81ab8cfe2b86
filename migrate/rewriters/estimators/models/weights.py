"""Variables of a model_fn, `tf.get_variable` and `tf.Variable`, as weights of the Keras model.

https://keras.io/api/layers/base_layer/#addweight-method
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import apart
from migrate.rewriters.estimators.models import guard
from migrate.rewriters.estimators.optimizing import set_initializers
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.sessions import initializers, regularizers

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.values import Values

GET, VARIABLE = "tensorflow.get_variable", "tensorflow.Variable"
KNOWN = frozenset({GET, VARIABLE})
CONSTANT = "tensorflow.constant"
# What a `tf.Variable` begins with: the initializer that draws the same.
DRAWN = {
    f"tensorflow.{name}": f"tensorflow.{kind}_initializer"
    for name, kind in (
        *(("truncated_normal", "truncated_normal"), ("random_normal", "random_normal")),
        *(("random_uniform", "random_uniform"), ("zeros", "zeros"), ("ones", "ones")),
        ("constant", "constant"),
        *(("random.truncated_normal", "truncated_normal"), ("random.normal", "random_normal")),
        ("random.uniform", "random_uniform"),
    )
}
TAKEN = {
    GET: ("name", "shape", "dtype", "initializer", "regularizer", "trainable"),
    VARIABLE: ("initial_value", "name", "dtype", "trainable"),
}


def given(program: Program, call: ast.Call) -> dict[str, ast.expr]:
    """A variable's arguments.

    Raises:
        Blocked: one isn't followed.
    """
    endpoint = program.called(call)
    found = program.given(call)
    for name, node in found.items():
        if name not in TAKEN[endpoint]:
            raise Blocked(node, f"`{name}` of {endpoint.replace('tensorflow', 'tf')}")
    return found


def valued(owner: Values, call: ast.Call) -> str | None:
    """The source of a variable that begins with a value of Python, an array of NumPy for one.

    Raises:
        Blocked: its type isn't seen.
    """
    program = owner.program
    if program.called(call) not in KNOWN:
        return None
    found = given(program, call)
    value = found.get("initial_value") or _begun(program, found)
    if value is not None and owner.is_tensor(value):
        apart.told(program, call, value)
    if value is None or owner.is_tensor(value) or owner.tests.tells(value):
        return None
    said, tf = found.get("dtype"), program.tf
    plain = isinstance(value, ast.Constant) and isinstance(value.value, float)
    if said is not None and not _float(program, said):
        raise Blocked(said, "a variable of another type than float32")
    parts = [program.text.source(value)]
    if said is not None or plain:
        parts.append('dtype="float32"')
    elif isinstance(value, (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp)):
        raise Blocked(call, "the type of what a variable begins with isn't seen: give its dtype")
    else:  # TF 1's type of it, if it is a list, too
        parts = [f"{tf}.constant({parts[0]})"]
    return _begins(program, ", ".join(parts), found)


def _begins(program: Program, value: str, found: dict[str, ast.expr]) -> str:
    """The source of a variable that begins with a value."""
    parts = [value]
    parts += [f"{k}={program.text.source(found[k])}" for k in ("trainable", "name") if k in found]
    return f"{program.tf}.keras.Variable({', '.join(parts)})"


def _begun(program: Program, found: dict[str, ast.expr]) -> ast.expr | None:
    """The value that a `tf.get_variable` without a shape begins with."""
    node = found.get("initializer") if "shape" not in found else None
    if node is None:
        return None
    value = program.scopes.value(node)
    endpoint = program.called(value) or program.endpoint(value)
    return None if endpoint.endswith("initializer") or "initializers." in endpoint else node


def _is_float(node: ast.expr) -> bool:
    """Whether a number is one of float32 where nothing else is said."""
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _float(program: Program, node: ast.expr) -> bool:
    """Whether a type is float32."""
    named = isinstance(node, ast.Constant) and node.value == "float32"
    array = (
        isinstance(node, ast.Attribute) and node.attr == "float32" and guard.of_numpy(program, node)
    )
    return named or array or program.endpoint(node).endswith(".float32")


def doubles(owner: Values) -> bool:
    """Whether all that a function makes are variables of float64, so that its class is of that."""
    program = owner.program
    if hasattr(owner, "kinds"):
        return False  # a layer's function
    calls = [n for n in all_of(owner.function, ast.Call) if owner.makes(n)]
    types = [program.given(n).get("dtype") if program.called(n) == GET else None for n in calls]
    return bool(types) and all(
        t is not None and (program.endpoint(t) or ast.unparse(t)).endswith(("float64", "'float64'"))
        for t in types
    )


def made(owner: Values, call: ast.Call) -> str:
    """The source of a weight.

    Raises:
        Blocked: it begins with something that isn't followed.
    """
    program = owner.program
    endpoint, found = program.called(call), given(program, call)
    text, tf = program.text, program.tf
    if (source := valued(owner, call)) is not None:
        return source
    parts: list[str] = []
    begun = _begun(program, found) if endpoint == GET else None
    if endpoint == GET and begun is None:
        if "shape" not in found:
            raise Blocked(call, "a variable without a shape")
        shape, initializer = found["shape"], '"glorot_uniform"'
        node = found.get("initializer")
        if node is not None:
            value = program.scopes.value(node)
            name = program.called(value) or program.endpoint(value)
            made_by = value if isinstance(value, ast.Call) else None
            if name:
                initializer, _ = initializers.keras(name, made_by, text, tf)
            elif set_initializers.is_one(owner, node):
                initializer = text.source(node)
            else:
                raise Blocked(node, set_initializers.UNSEEN)
    else:
        value = begun or found.get("initial_value")  # type: ignore[assignment]
        value = program.scopes.value(value) if value is not None else value
        name = program.called(value) if value is not None else ""
        if name not in DRAWN or not isinstance(value, ast.Call):
            raise Blocked(call, "what a variable begins with isn't followed yet")
        arguments = program.given(value)
        if name == CONSTANT and "shape" not in arguments and "regularizer" not in found:
            array = arguments.get("value")
            if isinstance(array, (ast.List, ast.Tuple)):
                return _begins(program, text.source(value), found)
        told, number = arguments.get("dtype"), arguments.get("value")
        if number is not None and told is None and not _is_float(number):
            raise Blocked(call, "what a variable begins with isn't followed yet")
        if told is not None and not _float(program, told) and not doubles(owner):
            raise Blocked(told, "a variable of another type than float32")
        drawn = arguments.get("shape")
        if drawn is None:
            raise Blocked(value, "a variable without a shape")
        shape = drawn
        rest = [k for k in value.keywords if k.arg not in ("shape", "dtype", "name", "value")]
        plain = [ast.keyword(k, v) for k, v in arguments.items() if k in ("mean", "stddev")]
        plain += [ast.keyword(k, v) for k, v in arguments.items() if k in ("minval", "maxval")]
        plain += [ast.keyword(k, v) for k, v in arguments.items() if k == "value"]
        for keyword in rest:
            if keyword.arg not in ("mean", "stddev", "minval", "maxval"):
                raise Blocked(value, f"`{keyword.arg}` of what a variable begins with")
        described = ast.Call(value.func, [], plain)
        initializer, _ = initializers.keras(DRAWN[name], described, text, tf)
    parts.append(f"shape={text.source(shape)}")
    dtype = found.get("dtype")
    if dtype is not None and not _float(program, dtype) and not doubles(owner):
        raise Blocked(dtype, "a variable of another type than float32")
    parts.append(f"initializer={initializer}")
    regularizer = found.get("regularizer")
    if regularizer is not None:
        value = program.scopes.value(regularizer)
        name = program.called(value)
        if not name or not isinstance(value, ast.Call):
            raise Blocked(regularizer, "a regularizer that isn't seen")
        kept = regularizers.keras(name, program.given(value), text, tf)
        parts.append(f"regularizer={kept}")
    if "trainable" in found:
        parts.append(f"trainable={text.source(found['trainable'])}")
    said = found.get("name")
    if isinstance(said, ast.Constant) and "/" not in str(said.value):
        parts.append(f"name={text.source(said)}")
    return f"self.add_weight({', '.join(parts)})"
