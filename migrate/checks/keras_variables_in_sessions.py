"""TFM424 keras-variables-in-session: a Keras model's variables go to what takes TF 1's only.

In TF 1.15 the variables of a Keras model were `tf.Variable`s: `minimize(loss,
var_list=model.trainable_weights)`, `apply_gradients(zip(grads, model.variables))`, `tf.assign`,
`tf.variables_initializer` and `sess.run(model.weights)` took them. Keras 3's are variables of its
own, which these refuse ("'Variable' object has no attribute '_in_graph_mode'"), and its
`get_weights` and `set_weights` need eager execution. What each of them has as `value` is the
`tf.Variable`: `var_list=[w.value for w in model.trainable_weights]`. tf_keras, Keras 2 as a
package, has them as TF 1 had: with it installed and TF_USE_LEGACY_KERAS=1 in the environment, what
is written here runs. `tf.gradients`, `w.assign(…)` and `minimize(loss)` by itself take Keras 3's.

https://pypi.org/project/tf_keras/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.checks.keras_training_in_sessions import TRAINERS
from migrate.engine.findings import Applicability, Level
from migrate.engine.plan import canonical
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, FileContext
from migrate.engine.trees import all_of, walk

VARIABLES = Rule(
    "TFM424",
    "keras-variables-in-session",
    "a Keras model's variables where a session stays",
    Applicability.MANUAL,
    module=__name__,
    doc=__doc__,
    url="https://pypi.org/project/tf_keras/",
)
LISTS = frozenset(
    f"{kind}{what}"
    for kind in ("", "trainable_", "non_trainable_")
    for what in ("weights", "variables")
)
MODELS = tuple(
    f"tensorflow.keras.{name}"
    for name in ("Model", "Sequential", "models.", "layers.", "applications.", "Input")
)
ASSIGNS = frozenset(f"tensorflow.assign{kind}" for kind in ("", "_add", "_sub"))
INITIALIZERS = frozenset({"tensorflow.variables_initializer", "tensorflow.initialize_variables"})
GRAPHS = frozenset(
    {
        *("tensorflow.Session", "tensorflow.InteractiveSession", "tensorflow.placeholder"),
        "tensorflow.keras.backend.get_session",
    }
)
EAGERLY = ("get_weights", "set_weights")
TAKERS = ("apply_gradients", "compute_gradients")


@VARIABLES.file
def variables(file: FileContext) -> Iterator[Result]:
    """Say so where a file that has a session hands them on."""
    if file.level is not Level.COMPAT or file.eager or not file.tf1:
        return
    if "keras" not in file.text or not ("weights" in file.text or "variables" in file.text):
        return
    names = {id(r.node): _plain(r.name) for r in file.names.references}
    if not any(name.startswith(MODELS) for name in names.values()):
        return
    if any(name.startswith(TRAINERS) for name in names.values()):
        return  # an Estimator may be what has the model
    yield from _values(file, names)
    seen: set[int] = set()
    for node in _handed(file.tree, names):
        if id(node) not in seen:
            seen.add(id(node))
            message = (
                f"Keras 3's `{ast.unparse(node)}` are no variables of tf.compat.v1: give it the "
                "`value` of each, or install tf_keras and set TF_USE_LEGACY_KERAS=1 in the "
                "environment"
            )
            yield VARIABLES.report(node, message, blocks=False)


def _values(file: FileContext, names: dict[int, str]) -> Iterator[Result]:
    if not any(name in GRAPHS for name in names.values()):
        return
    own = {f.name for f in all_of(file.tree, ast.FunctionDef)}
    for call in all_of(file.tree, ast.Call):
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in EAGERLY and func.attr not in own:
            message = (
                f"Keras 3's {func.attr}() needs eager execution: `{ast.unparse(func.value)}` needs "
                "tf_keras installed and TF_USE_LEGACY_KERAS=1 in the environment"
            )
            yield VARIABLES.report(call, message, blocks=False)


def _plain(name: str) -> str:
    name = canonical(name)
    return "tensorflow" + name.removeprefix(V1) if name.startswith(f"{V1}.") else name


def _handed(tree: ast.Module, names: dict[int, str]) -> Iterator[ast.Attribute]:
    for call in all_of(tree, ast.Call):
        func = call.func
        taker = func.attr if isinstance(func, ast.Attribute) else ""
        for keyword in call.keywords:
            if keyword.arg == "var_list" and taker in ("minimize", *TAKERS):
                yield from _lists(keyword.value, names)
        if taker in TAKERS or names.get(id(func)) in INITIALIZERS:
            for given in call.args:
                yield from _lists(given, names)
        elif taker == "run" and call.args:
            yield from (n for n in _lists(call.args[0], names) if n is call.args[0])
    for kind in (ast.For, ast.ListComp, ast.GeneratorExp):
        for loop in all_of(tree, kind):
            if any(names.get(id(c.func)) in ASSIGNS for c in all_of(loop, ast.Call)):
                iters = [loop.iter] if isinstance(loop, ast.For) else _iters(loop)
                for given in iters:
                    yield from _lists(given, names)


def _iters(loop: ast.AST) -> list[ast.expr]:
    return [g.iter for g in getattr(loop, "generators", ())]


def _lists(node: ast.expr, names: dict[int, str]) -> Iterator[ast.Attribute]:
    """The attributes, but `tf.trainable_variables()`."""
    called = {id(call.func) for call in all_of(node, ast.Call)}
    for inner in walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in LISTS:
            if id(inner) not in called and id(inner) not in names:
                yield inner
