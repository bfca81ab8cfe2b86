"""Models of Keras's functional API that a function of the program makes for its model_fn.

    def create_model(units):                         # stays as it is
        image = tf.keras.layers.Input(shape=(28, 28))
        …
        return tf.keras.Model(inputs=image, outputs=scores)

    model = create_model(params['units'])            self.model = create_model(params['units'])
    logits = model(features)                         logits = self.model(features, training=False)

https://keras.io/guides/functional_api/
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers
    from migrate.rewriters.estimators.program import Program

K = "tensorflow.keras."
MODELS = frozenset({f"{K}Model", f"{K}models.Model"})
INPUTS = frozenset({f"{K}Input", f"{K}layers.Input"})
# What takes several tensors, and is the same to Keras 3: layers, and their functions.
MERGES = frozenset({"Add", "Average", "Concatenate", "Maximum", "Minimum", "Multiply", "Subtract"})
CLASSES = frozenset(f"{K}layers.{name}" for name in MERGES)
FUNCTIONS = frozenset(f"{K}layers.{name.lower()}" for name in MERGES)
SAYS = frozenset({"shape", "name", "dtype"})  # of an input
DROPOUT = f"{K}layers.Dropout"


def returned(program: Program, function: ast.FunctionDef) -> ast.Call | None:
    """The model that a function makes of its inputs and outputs, and returns."""
    returns = all_of(function, ast.Return)
    value = returns[0].value if len(returns) == 1 else None
    if isinstance(value, ast.Name):
        found = program.scopes.lookup(value)
        value = found.value if found is not None and found.kind == "assign" else None
    if not isinstance(value, ast.Call) or program.called(value) not in MODELS:
        return None
    return value if value.args or value.keywords else None


def check(program: Program, function: ast.FunctionDef, made: ast.Call) -> None:
    """See to it that a function means the same to Keras 3: it only puts layers together.

    Raises:
        Blocked: it does more.
    """
    from migrate.rewriters.estimators.models import guard

    if ("functional", id(function)) in program.kept:
        return
    program.kept["functional", id(function)] = True
    if function.decorator_list:
        raise Blocked(function, f"`{function.name}` has a decorator")
    given = [*("inputs", "outputs")[: len(made.args)], *(str(k.arg) for k in made.keywords)]
    if len(made.args) > 2 or sorted({*given} - {"name"}) != ["inputs", "outputs"]:
        raise Blocked(made, "the arguments of a model of Keras")
    known = {id(made)}
    for call in all_of(function, ast.Call):
        if _of_layers(program, call):
            known.add(id(call))
        elif id(call) not in known and program.called(call):
            shown = program.called(call).removeprefix("tensorflow")
            raise Blocked(call, f"tf{shown} in a model of Keras")
    for node in walk(function):
        uses_model = isinstance(node, ast.Attribute) and program.scopes.value(node.value) is made
        if uses_model or (isinstance(node, (ast.FunctionDef, ast.Lambda)) and node is not function):
            raise Blocked(node, "a function that does more than to make a model of Keras")
    guard.check(program, function.body, known)
    _named(program, function, made)


def _of_layers(program: Program, call: ast.Call) -> bool:
    """Whether a call makes an input or a layer, or applies one.

    Raises:
        Blocked: with arguments that Keras 3 may take otherwise.
    """
    from migrate.rewriters.estimators.models import objects

    endpoint = program.called(call)
    if endpoint in INPUTS:
        if call.args[1:] or {str(k.arg) for k in call.keywords} - SAYS:
            raise Blocked(call, "the arguments of an input of Keras")
        return True
    if endpoint in objects.KERAS:
        objects.plain(program, call)
        if endpoint == DROPOUT and len(call.args) + len(call.keywords) != 1:
            raise Blocked(call, "the arguments of tf.keras.layers.Dropout")
        return True
    if endpoint in CLASSES | FUNCTIONS:
        several = call.args if endpoint in FUNCTIONS else []
        if len(call.args) != len(several) or {str(k.arg) for k in call.keywords} - {"axis", "name"}:
            raise Blocked(call, f"the arguments of tf{endpoint.removeprefix('tensorflow')}")
        return True
    made = program.scopes.value(call.func) if isinstance(call.func, ast.Name) else call.func
    if not isinstance(made, ast.Call) or program.called(made) not in objects.KERAS | CLASSES:
        return False
    if len(call.args) != 1 or call.keywords:
        raise Blocked(call, "the arguments of the call of a layer's object")
    return True


def _named(program: Program, function: ast.FunctionDef, made: ast.Call) -> None:
    """Names of TensorFlow's own Keras are the public ones."""
    for node in (made, *all_of(function, ast.Call)):
        if id(node.func) in program.walker.hidden and program.called(node):
            name = program.called(node).removeprefix("tensorflow")
            if ("public", id(node)) not in program.kept:
                program.kept["public", id(node)] = True
                program.edit(node.func, f"{program.tf}{name}")


def fits(owner: Layers, given: ast.expr, function: ast.FunctionDef) -> None:
    """See to it that a model gets as many tensors as it has inputs, in their order.

    Raises:
        Blocked: it may be given a dict, of which TF 1 took them by its sorted keys.
    """
    program = owner.program
    inputs = sum(program.called(n) in INPUTS for n in all_of(function, ast.Call))
    value = program.scopes.value(given)
    several = len(value.elts) if isinstance(value, (ast.List, ast.Tuple)) else 1
    named = isinstance(value, ast.Name) and value.id == owner.function.args.args[0].arg
    keyed = named and any(
        isinstance(n.value, ast.Name) and n.value.id == ast.unparse(value)
        for n in all_of(owner.function, ast.Subscript)
    )
    if several != inputs or keyed or isinstance(value, ast.Dict):
        raise Blocked(given, "how many tensors a model of Keras is given isn't seen")
