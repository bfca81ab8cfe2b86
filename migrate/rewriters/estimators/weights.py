"""Variables of a model_fn, `tf.get_variable` and `tf.Variable`, as weights of the Keras model.

https://keras.io/api/layers/base_layer/#addweight-method
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.sessions import initializers, regularizers

GET, VARIABLE = "tensorflow.get_variable", "tensorflow.Variable"
KNOWN = frozenset({GET, VARIABLE})
# What a `tf.Variable` begins with: the initializer that draws the same.
DRAWN = {
    f"tensorflow.{name}": f"tensorflow.{kind}_initializer"
    for name, kind in (
        *(("truncated_normal", "truncated_normal"), ("random_normal", "random_normal")),
        *(("random_uniform", "random_uniform"), ("zeros", "zeros"), ("ones", "ones")),
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


def made(program: Program, call: ast.Call) -> str:
    """The source of a weight.

    Raises:
        Blocked: it begins with something that isn't followed.
    """
    endpoint, found = program.called(call), given(program, call)
    text, tf = program.text, program.tf
    parts: list[str] = []
    if endpoint == GET:
        if "shape" not in found:
            raise Blocked(call, "a variable without a shape")
        shape, initializer = found["shape"], '"glorot_uniform"'
        node = found.get("initializer")
        if node is not None:
            value = program.scopes.value(node)
            name = program.called(value) or program.endpoint(value)
            if not name:
                raise Blocked(node, "an initializer that isn't seen")
            made_by = value if isinstance(value, ast.Call) else None
            initializer, _ = initializers.keras(name, made_by, text, tf)
    else:
        value = found.get("initial_value")  # type: ignore[assignment]
        name = program.called(value) if value is not None else ""
        if name not in DRAWN or not isinstance(value, ast.Call):
            raise Blocked(call, "what a variable begins with isn't followed yet")
        arguments = program.given(value)
        drawn = arguments.get("shape")
        if drawn is None:
            raise Blocked(value, "a variable without a shape")
        shape = drawn
        rest = [k for k in value.keywords if k.arg not in ("shape", "dtype", "name")]
        plain = [ast.keyword(k, v) for k, v in arguments.items() if k in ("mean", "stddev")]
        plain += [ast.keyword(k, v) for k, v in arguments.items() if k in ("minval", "maxval")]
        for keyword in rest:
            if keyword.arg not in ("mean", "stddev", "minval", "maxval"):
                raise Blocked(value, f"`{keyword.arg}` of what a variable begins with")
        described = ast.Call(value.func, [], plain)
        initializer, _ = initializers.keras(DRAWN[name], described, text, tf)
    parts.append(f"shape={text.source(shape)}")
    dtype = found.get("dtype")
    if dtype is not None and not program.endpoint(dtype).endswith(".float32"):
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
