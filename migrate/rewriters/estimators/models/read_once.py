"""What a model_fn reads of files is read when its model is made, not whenever a step is traced.

vectors = load_vectors(params['path'])       self.vectors = load_vectors(params['path'])
table = tf.constant(vectors)                 table = tf.constant(self.vectors)
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.models.specs import target

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.model_fn import Model

READS = re.compile(
    r"(open|(\w+\.)?(genfromtxt|loadtxt|read_csv|load_word2vec_format)|(np|numpy)\.load)$"
)
OPENS = ("tensorflow.gfile.", "tensorflow.io.gfile.")


def found(model: Model) -> None:
    """Look for what a model_fn reads, and take it out of what each batch runs."""
    for stmt in model.function.body:
        name = target(stmt)
        value = stmt.value if isinstance(stmt, ast.Assign) else None
        if not name or not isinstance(value, ast.Call) or not model.is_host(stmt):
            continue
        if len(model.program.scopes.bound(model.function)[name]) > 1 or not _reads(model, value):
            continue
        model.aliases[name] = model.attribute(name)
        model.read_once[name] = value
        for mode in model.modes:
            model.bodies[mode] = [s for s in model.bodies[mode] if s is not stmt]


def _reads(model: Model, call: ast.Call) -> bool:
    """Whether a call reads a file, by itself or in a function that has nothing of a graph."""
    function = model.program.scopes.function(call.func)
    if function is None:
        return _named(call) and not model.program.called(call)
    if function.decorator_list:
        return False
    if any(isinstance(n, (ast.Global, ast.Nonlocal, ast.Yield)) for n in walk(function)):
        return False
    calls = all_of(function, ast.Call)
    endpoints = [model.program.called(n) for n in calls]
    plain = all(not e or e.startswith(("tensorflow.logging.", *OPENS)) for e in endpoints)
    return plain and any(map(_named, calls))


def _named(call: ast.Call) -> bool:
    return READS.match(ast.unparse(call.func)) is not None
