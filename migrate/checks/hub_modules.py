"""TFM243 hub-module: `hub.Module(handle)`, which no tensorflow_hub for TF 2.21 has.

tensorflow_hub 0.16 has `load`, `resolve` and `KerasLayer` only; releases up to 0.15 have modules,
their specs and `text_embedding_column`, but can't be imported where TensorFlow has no
`tf.estimator`. `hub.load(handle)` loads what a module's handle names, and its `signatures` are what
a module was called for. It doesn't train: for that the model has to be one of TF 2's format, in a
`hub.KerasLayer` under tf_keras.

A program whose own file has one of these can't run whatever is done with the rest of it, so it
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
NAMES = (
    *("Module", "ModuleSpec", "LatestModuleExporter", "ImageModuleInfo", "add_signature"),
    *("create_module_spec", "create_module_spec_from_saved_model", "load_module_spec"),
    *("text_embedding_column", "text_embedding_column_v2", "sparse_text_embedding_column"),
    *("image_embedding_column", "register_module_for_export", "attach_message"),
    *("attach_image_module_info", "get_expected_image_size", "get_num_image_channels"),
)
LOST = frozenset(f"tensorflow_hub.{name}" for name in NAMES)
CHOICES = (ast.If, ast.IfExp, ast.Try, ast.BoolOp)
HUB.root("tensorflow_hub", NAMES)


def gone(name: str) -> str:
    """Why something of tensorflow_hub can't be had."""
    return f"no tensorflow_hub that can be imported with TF 2.21 has `{name.rpartition('.')[2]}`"


@HUB.endpoint(*sorted(LOST))
def module(site: Site) -> Result | None:
    """Report it."""
    instead = "hub.load, whose signatures don't train"
    return HUB.report(site.node, f"{gone(site.endpoint)}; instead: {instead}")


def needed(tree: ast.Module, names: Names) -> tuple[ast.Call, str] | None:
    """Where a file calls one of these, and not only if there is one; and why that fails."""
    for reference in names.references:
        call = reference.call
        if reference.name in LOST and call is not None:
            if not any(isinstance(n, CHOICES) for n in outward(tree, call)):
                return call, gone(reference.name)
    return None
