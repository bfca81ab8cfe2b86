"""Objects of `tf.layers` and `tf.keras.layers` in a model_fn: made in `__init__`, called in `call`.

    dense = tf.layers.Dense(10)                 self.dense = tf.keras.layers.Dense(10)
    hidden = dense(x)                           hidden = self.dense(x)

https://www.tensorflow.org/guide/migrate/model_mapping
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import own_layers
from migrate.rewriters.estimators.recurrence import keras_recurrent

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers
    from migrate.rewriters.estimators.program import Program

T, K = "tensorflow.layers.", "tensorflow.keras.layers."
# The classes of `tf.layers`: the functions that make and apply them.
CLASSES = {
    **{f"{T}{name}": f"{T}{name.lower()}" for name in ("Dense", "Conv1D", "Conv2D", "Conv3D")},
    **{f"{T}{name}": f"{T}{name.lower()}" for name in ("Flatten", "Dropout")},
    **{
        f"{T}{kind}Pooling{n}D": f"{T}{kind.lower()}_pooling{n}d"
        for kind in ("Max", "Average")
        for n in (1, 2, 3)
    },
    T + "Conv2DTranspose": T + "conv2d_transpose",
    T + "SeparableConv2D": T + "separable_conv2d",
    T + "BatchNormalization": T + "batch_normalization",
}
SWITCHED = frozenset({T + "Dropout", K + "Dropout", T + "BatchNormalization"})
# Those of Keras that are the same in TF 2.21.
KERAS = frozenset(
    K + name
    for name in (
        *("Dense", "Conv1D", "Conv2D", "Flatten", "Dropout", "Reshape", "Permute", "Embedding"),
        *("MaxPooling1D", "MaxPooling2D", "AveragePooling1D", "AveragePooling2D"),
        *("MaxPool1D", "MaxPool2D", "AvgPool1D", "AvgPool2D", "RepeatVector"),
        *("GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalAveragePooling1D"),
        *("GlobalMaxPool1D", "GlobalMaxPool2D", "GlobalAvgPool1D", "GlobalAvgPool2D"),
        *("GlobalAveragePooling2D", "ZeroPadding2D", "Cropping2D", "Conv2DTranspose"),
        *("Activation", "ELU", "LeakyReLU", "Softmax"),
    )
)
# Initializers that draw the same under these names.
DRAWN = frozenset(
    {
        *("glorot_uniform", "glorot_normal", "he_normal", "he_uniform", "lecun_normal"),
        *("lecun_uniform", "zeros", "ones", None),
    }
)
ALIKE = KERAS | keras_recurrent.KNOWN
KNOWN = ALIKE | CLASSES.keys()
# What a layer says of its input, which only a Sequential model asks: it goes.
SAID = frozenset({"input_shape", "input_dim", "batch_input_shape", "input_length"})
# Arguments of Keras's layers that Keras 3 doesn't have, or takes otherwise.
OLD = frozenset({"weights", "dtype"})
OTHERWISE = "hard_sigmoid"
RENAMED = {("LeakyReLU", "alpha"): "negative_slope"}


def inline(program: Program, call: ast.Call) -> ast.Call | None:
    """The object that a call is of, where it is made in the same expression."""
    made = call.func
    return made if isinstance(made, ast.Call) and makes(program, made) else None


def makes(program: Program, call: ast.Call) -> bool:
    """Whether a call makes a layer's object."""
    return program.called(call) in KNOWN or own_layers.of(program, call) is not None


def stands(program: Program, call: ast.Call) -> bool:
    """Whether a call makes an object that isn't called at once."""
    if not makes(program, call):
        return False
    above = program.scopes.parents[id(call)]
    return not (isinstance(above, ast.Call) and above.func is call)


def given(owner: Layers, made: ast.Call, call: ast.Call | None) -> dict[str, ast.expr]:
    """What an object is made with, and what the call of it is given.

    Raises:
        Blocked: that is more than its input and the switch.
    """
    endpoint = owner.program.called(made)
    if own_layers.of(owner.program, made) is not None:
        return own_layers.given(made, call)
    found = dict(owner.walker.bound(endpoint, made))
    if call is None:
        return found
    if len(call.args) > 1 or any(isinstance(a, ast.Starred) for a in call.args):
        raise Blocked(call, "the arguments of the call of a layer's object")
    for keyword in call.keywords:
        if keyword.arg not in ("inputs", "training"):
            raise Blocked(keyword.value, "an argument of the call of a layer's object")
        found[keyword.arg] = keyword.value
    if call.args:
        found["inputs"] = call.args[0]
    if "inputs" not in found:
        raise Blocked(call, "the call of a layer's object without an input")
    return found


def keras(owner: Layers, made: ast.Call) -> str:
    """The source of an object of `tf.keras.layers`: as it is, under TF 2's name.

    Raises:
        Blocked: an argument may mean something else there.
    """
    if owner.program.called(made) in keras_recurrent.KNOWN:
        return keras_recurrent.source(owner, made)
    name = owner.program.called(made).rpartition(".")[2]
    plain(owner.program, made)
    given = [owner.text.source(a) for a in made.args]
    given += [
        f"{RENAMED.get((name, str(k.arg)), k.arg)}={owner.text.source(k.value)}"
        for k in made.keywords
        if not only_said(name, str(k.arg))
    ]
    return " ".join(f"{owner.tf}.keras.layers.{name}({', '.join(given)})".split())


def only_said(name: str, argument: str) -> bool:
    """Whether a layer's argument only says what its input is; an Embedding's has a part in it."""
    return argument in SAID and not (name == "Embedding" and argument == "input_dim")


def unsaid(program: Program, made: ast.Call, keyword: ast.keyword) -> list[Edit]:
    """What takes away an argument that only says what a layer's input is; the input says it."""
    given = [*made.args, *(k.value for k in made.keywords)]
    text, index = program.text.text, program.text.index
    start = text.rindex(str(keyword.arg), 0, index.span(keyword.value)[0])
    end = index.span(keyword.value)[1]
    place = given.index(keyword.value)
    if place:
        return [Edit(index.span(given[place - 1])[1], end, "")]
    if len(given) > 1:
        return [Edit(start, text.rindex(str(made.keywords[1].arg), 0, index.span(given[1])[0]), "")]
    return [Edit(start, end, "")]


def plain(program: Program, made: ast.Call) -> None:
    """See to it that a layer of `tf.keras.layers` is made as Keras 3 makes it.

    Raises:
        Blocked: an argument may mean something else there.
    """
    name = program.called(made).rpartition(".")[2]
    for keyword in made.keywords:
        said = only_said(name, str(keyword.arg))
        if said and not any(isinstance(n, ast.Call) for n in walk(keyword.value)):
            continue
        if said or keyword.arg in OLD:
            raise Blocked(keyword.value, f"`{keyword.arg}` of tf.keras.layers.{name}")
    if len(made.args) > 5 or any(isinstance(a, ast.Starred) for a in made.args):
        raise Blocked(made, f"the arguments of tf.keras.layers.{name}")
    if any(isinstance(a, ast.Constant) and a.value == OTHERWISE for a in made.args):
        raise Blocked(made, f"{OTHERWISE!r}, which Keras 3 computes otherwise")
    for keyword in made.keywords:
        node = keyword.value
        if keyword.arg is None:
            raise Blocked(made, f"the arguments of tf.keras.layers.{name}")
        if isinstance(node, ast.Constant) and node.value == OTHERWISE:
            raise Blocked(node, f"{OTHERWISE!r}, which Keras 3 computes otherwise")
        if keyword.arg.endswith("initializer") and isinstance(node, ast.Constant):
            if node.value not in DRAWN:
                raise Blocked(node, f"the initializer {node.value!r}")


def applied(owner: Layers, call: ast.Call, name: str, endpoint: str) -> str:
    """The call of an object; a `training` that isn't given is off, whatever Keras would pass on."""
    made = owner.objects.get(call.func.id) if isinstance(call.func, ast.Name) else call.func
    if isinstance(made, ast.Call) and own_layers.of(owner.program, made) is not None:
        return own_layers.applied(owner, call, made, name)
    inputs = [*call.args, *(k.value for k in call.keywords if k.arg == "inputs")]
    told = next((owner.source(k.value) for k in call.keywords if k.arg == "training"), "False")
    switch = f", training={told}" if endpoint in SWITCHED else ""
    return f"{name}({owner.source(inputs[0])}{switch})"


def uses(owner: Layers) -> dict[int, str]:
    """The calls of objects that have a name, by id: the endpoint that made the object.

    Raises:
        Blocked: such a name is read otherwise.
    """
    found: dict[int, str] = {}
    for node in walk(owner.function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            made = owner.objects.get(node.id)
            if made is None:
                continue
            above = owner.program.scopes.parents[id(node)]
            if not isinstance(above, ast.Call) or above.func is not node:
                raise Blocked(node, f"`{node.id}`, a layer, isn't called here")
            given(owner, made, above)
            found[id(above)] = owner.program.called(made)
    return found
