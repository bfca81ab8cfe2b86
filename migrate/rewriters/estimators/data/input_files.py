"""`make_batched_features_dataset` and `make_csv_dataset`, which give datasets of TF 2 in TF 2.

https://www.tensorflow.org/api_docs/python/tf/data/experimental/make_batched_features_dataset
"""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import READERS, Program

NAMES = ("make_batched_features_dataset", "make_csv_dataset")
TAKEN = frozenset(
    f"tensorflow.{module}.{name}"
    for module in ("data.experimental", "contrib.data")
    for name in NAMES
)
# What a dataset of TF 1 has and one of TF 2 doesn't.
LOST = frozenset({"output_types", "output_shapes", "output_classes"})


def taken(program: Program, call: ast.Call) -> None:
    """Name TF 2's function; its dataset is one that TF 2 iterates.

    Raises:
        Blocked: something of a dataset of TF 1 is read in the file.
    """
    for node in walk(program.page(call).part.document.tree):
        if isinstance(node, ast.Attribute) and node.attr in LOST:
            raise Blocked(node, f"`.{node.attr}` of a dataset")
    name = program.called(call).rpartition(".")[2]
    program.edit(call.func, f"{program.tf}.data.experimental.{name}")


READERS.update(dict.fromkeys(TAKEN, taken))
