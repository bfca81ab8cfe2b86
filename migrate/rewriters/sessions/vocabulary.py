"""The source of TF 1's `VocabularyProcessor`: the same ids, from the same words in the same order.

`tf.keras.layers.TextVectorization` gives its ids by frequency, and begins with two reserved ones.
What it saves is JSON, which `migrate.estimator_shim` reads as well: a pickle isn't safe to open.
The definition is in `vocabulary_code.txt`, with the marks of `rewriters/pruning.py`.

https://www.tensorflow.org/api_docs/python/tf/keras/layers/TextVectorization
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set
from functools import cache
from pathlib import Path

from migrate.engine.trees import all_of
from migrate.programs.graph.data.vocabulary import RESTORE
from migrate.rewriters.pruning import pruned

NAME = "VocabularyProcessor"
ARGUMENTS = {"min_frequency": "trim", "tokenizer_fn": "words"}  # what they need of it
IMPORTS = ("import re", "from collections import defaultdict", "import numpy as np")


@cache
def _text() -> str:
    return Path(__file__).with_name("vocabulary_code.txt").read_text(encoding="utf-8")


def definition(
    trees: Iterable[ast.Module], given: Set[str], tf: str
) -> tuple[str, str, tuple[str, ...]]:
    """The name, the source of what a program uses of it and gives to it, the imports of that."""
    features = {
        node.attr
        for tree in trees
        for node in all_of(tree, ast.Attribute)
        if node.attr in ("save", "reverse", "trim")
    }
    features.update(ARGUMENTS[name] for name in given & ARGUMENTS.keys())
    features.update({"restore"} if RESTORE in given else ())
    features.update({"frequency"} if features & {"trim", "save", "restore"} else ())
    imports = ("import json", *IMPORTS) if features & {"save", "restore"} else IMPORTS
    return NAME, pruned(_text(), features).replace("{tf}", tf), imports
