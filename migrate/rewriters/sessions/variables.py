"""`tf.Variable` and `tf.get_variable` as variables that are made once, under TF 1's names.

https://www.tensorflow.org/guide/migrate/model_mapping
"""

from __future__ import annotations

import ast

from migrate.programs.graph.making import constraints, given_initializers, own_initializers
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.scoping.scopes import scope_name
from migrate.programs.graph.walk import Made, Walker
from migrate.rewriters.sessions import initializers
from migrate.rewriters.sessions.text import Text

KNOWN = frozenset(
    [
        "name",
        "shape",
        "dtype",
        "initializer",
        "trainable",
        "use_resource",
        "collections",
        "validate_shape",
        "constraint",
        "regularizer",  # what reads the losses has it: `penalties`
    ]
)


def source(made: Made, walker: Walker, text: Text, tf: str) -> str:
    """A `tf.get_variable` as a `tf.Variable`.

    Raises:
        Blocked: it has an argument without a counterpart.
    """
    call = made.call
    given = made.given
    for name, node in given.items():
        if name not in KNOWN and not _none(node):
            raise Blocked(node, f"`{name}` of tf.get_variable")
    shape = given.get("shape")
    dtype = text.source(given["dtype"]) if "dtype" in given and not _none(given["dtype"]) else None
    initializer = given.get("initializer")
    if initializer is None or _none(initializer):
        if shape is None:
            raise Blocked(call, "a variable without shape and value")
        value = (
            f"{tf}.keras.initializers.{initializers.GLOROT}()({_shape(shape, text)}{_typed(dtype)})"
        )
    else:
        value = _value(initializer, shape, dtype, walker, text, tf, made)
    parts = [value]
    if "trainable" in given:
        parts.append(f"trainable={text.source(given['trainable'])}")
    if "constraint" in given and not _none(given["constraint"]):
        constraints.check(walker, given["constraint"])
        parts.append(f"constraint={text.source(given['constraint'])}")
    if made.name is not None:
        own = given.get("name")
        if "{" not in made.name:
            parts.append(_quoted(made.name, call, text))
        elif own is not None and made.name == scope_name(own):
            parts.append(f"name={text.source(own)}")
        else:
            parts.append(f'name=f"{made.name}"')
    elif "name" in given:
        parts.append(f"name={text.source(given['name'])}")
    return f"{tf}.Variable({', '.join(parts)})"


def _quoted(name: str, call: ast.Call, text: Text) -> str:
    quote = "'" if "'" in text.source(call) and '"' not in text.source(call) else '"'
    return f"name={quote}{name}{quote}"


def _value(
    node: ast.expr,
    shape: ast.expr | None,
    dtype: str | None,
    walker: Walker,
    text: Text,
    tf: str,
    made: Made,
) -> str:
    if made.described is not None:
        if shape is None:
            raise Blocked(node, "a variable without a shape")
        endpoint, call = made.described
        if endpoint == own_initializers.OWN:
            return f"{text.source(node)}({_told(shape, text)}, dtype={dtype or f'{tf}.float32'})"
        made_here = call is node or not isinstance(node, ast.Name)
        made_here = made_here and endpoint != given_initializers.CALLED
        if made_here:
            return initializers.value(endpoint, call, _shape(shape, text), dtype, text, tf)
        typed = _typed(dtype)
        if not typed and initializers.of_array(endpoint, call):
            typed = f", dtype={tf}.float32"  # TensorFlow's own takes that of the array
        return f"{text.source(node)}({_shape(shape, text)}{typed})"
    if shape is not None and not _none(shape):
        raise Blocked(shape, "a variable with a shape and a value")
    value = text.source(node)
    return f"{value}{_typed(dtype)}" if dtype else value


def _shape(node: ast.expr, text: Text) -> str:
    source = text.source(node)
    return f"({source})" if isinstance(node, ast.Tuple) and not source.startswith("(") else source


def _told(node: ast.expr, text: Text) -> str:
    """A shape as TF 1 tells it an initializer: a list.

    Raises:
        Blocked: how it is written isn't seen.
    """
    if not isinstance(node, (ast.List, ast.Tuple)):
        raise Blocked(node, "the shape that an initializer of one's own is told isn't seen")
    return f"[{', '.join(text.source(n) for n in node.elts)}]"


def _typed(dtype: str | None) -> str:
    return f", dtype={dtype}" if dtype and not dtype.endswith("float32") else ""


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
