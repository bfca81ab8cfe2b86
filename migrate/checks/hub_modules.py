"""TFM243 hub-module: `hub.Module(handle)`, which no tensorflow_hub for TF 2.21 has.

tensorflow_hub 0.16 has no `Module`; releases up to 0.15 have it, but can't be imported where
TensorFlow has no `tf.estimator`. `hub.load(handle)` loads what a module's handle names, and its
`signatures` are what a module was called for. It doesn't train: for that the model has to be one of
TF 2's format, in a `hub.KerasLayer` under tf_keras.

A program whose own file makes a module can't run whatever is done with the rest of it, so it
doesn't keep the files that it shares with other programs from changing.

https://www.tensorflow.org/hub/migration_tf2
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Applicability
from migrate.engine.names import Names
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.engine.trees import outward

HUB = Rule(
    "TFM243",
    "hub-module",
    "a module of tensorflow_hub, which TF 2.21's releases of it don't have",
    Applicability.MANUAL,
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/hub/migration_tf2",
)
NAME = "tensorflow_hub.Module"
GONE = "no tensorflow_hub that can be imported with TF 2.21 has `Module`"
CHOICES = (ast.If, ast.IfExp, ast.Try, ast.BoolOp)
HUB.root("tensorflow_hub", ("Module",))


@HUB.endpoint(NAME)
def module(site: Site) -> Result | None:
    """Report it."""
    if site.call is None:
        return None
    return HUB.report(site.node, f"{GONE}; instead: hub.load, whose signatures don't train")


def needed(tree: ast.Module, names: Names) -> ast.Call | None:
    """Where a file makes such a module, and not only if there is one."""
    calls = [r.call for r in names.references if r.name == NAME and r.call is not None]
    plain = (c for c in calls if not any(isinstance(n, CHOICES) for n in outward(tree, c)))
    return next(plain, None)
