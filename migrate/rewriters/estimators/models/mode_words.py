"""`tf.estimator.ModeKeys` outside of model_fns: the words that they stand for.

def input_fn(mode):                                def input_fn(mode):
    if mode == tf.estimator.ModeKeys.TRAIN:            if mode == "train":
"""

from __future__ import annotations

import ast

from migrate.rewriters.estimators.models.modes import KEYS, Mode
from migrate.rewriters.estimators.program import Program

WORDS: dict[Mode, str] = {"train": '"train"', "eval": '"eval"', "predict": '"infer"'}


def written(program: Program) -> None:
    """Write the words everywhere; what a model_fn says of its mode is written anew anyway."""
    for node in program.scopes.walk():
        if isinstance(node, ast.Attribute) and (key := KEYS.get(program.endpoint(node))):
            program.edit(node, WORDS[key])


def settled(program: Program) -> None:
    """Forget the words in what something else was written for in the end."""
    wide = [e for e in program.edits if e.new not in WORDS.values()]
    program.edits = [
        e
        for e in program.edits
        if e.new not in WORDS.values()
        or not any(w.start <= e.start and e.end <= w.end for w in wide)
    ]
