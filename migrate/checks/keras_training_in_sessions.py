"""TFM422 keras-training-in-session: a Keras model is to train in a file that keeps its session.

TF 1.15's Keras trained in a session of its own, in the graph that the program's session has. Keras
3's `fit`, `evaluate` and `predict` go through a dataset in Python and stop there: "tf.data.Dataset
only supports Python-style iteration in eager mode". tf_keras, Keras 2 as a package, still trains in
graphs: with it installed and TF_USE_LEGACY_KERAS=1 in the environment, `tf.keras` is tf_keras, and
what is written here runs. Programs whose session becomes functions aren't concerned, nor are those
where only Keras trains: both run without a graph.

https://pypi.org/project/tf_keras/
"""

from __future__ import annotations

import ast

from migrate.checks.keras_random_layers import ESTIMATORS
from migrate.engine.findings import Applicability, Level
from migrate.engine.private_keras import RUNS
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite
from migrate.engine.trees import all_of
from migrate.rewriters.keras_generators import uses_keras

TRAINING = Rule(
    "TFM422",
    "keras-training-in-session",
    "a Keras model that is compiled where a session stays",
    Applicability.MANUAL,
    module=__name__,
    doc=__doc__,
    url="https://pypi.org/project/tf_keras/",
)
COMPILED = frozenset({"optimizer", "loss", "metrics", "loss_weights"})
TRAINERS = (*ESTIMATORS, "tensorflow.keras.estimator.", "tensorflow.contrib.learn.")


@TRAINING.method("compile")
def training(site: MethodSite) -> Result | None:
    """Say so where the model is compiled, if the file runs one too."""
    file, call = site.file, site.use.call
    stays = site.level is Level.COMPAT and file.tf1 and not file.eager
    if not stays or call is None or not uses_keras(site):
        return None
    if not any(k.arg in COMPILED for k in call.keywords) and len(call.args) < 2:
        return None  # `re.compile(pattern)`
    if any(r.name.startswith(TRAINERS) for r in file.names.references):
        return None  # an Estimator may be what is trained
    called = (c.func for c in all_of(file.tree, ast.Call))
    if not any(isinstance(func, ast.Attribute) and func.attr in RUNS for func in called):
        return None
    message = (
        f"Keras 3 trains no model in a session's graph: `{ast.unparse(site.use.node.value)}` needs "
        "tf_keras installed and TF_USE_LEGACY_KERAS=1 in the environment"
    )
    return TRAINING.report(site.use.node, message, blocks=False)
