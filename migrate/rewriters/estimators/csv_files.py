"""The readers of tables that TF 2 has lost, `load_csv_with_header` and its kin of `contrib.learn`.

    training_set = tf.contrib.learn.datasets.base.load_csv_with_header(
        filename="iris_training.csv", target_dtype=int, features_dtype=np.float32)

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/learn/python/learn/datasets/base.py
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import READERS, Program

HOMES = (
    "tensorflow.contrib.learn.datasets.base.",
    "tensorflow.contrib.learn.python.learn.datasets.base.",
)
IMPORTS = ("import collections", "import csv", "import numpy as np")
HEADED = '''def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """A table's rows, and the column that they are to predict; its first line says how many."""
    with {tf}.io.gfile.GFile(filename) as file:
        rows = csv.reader(file)
        count, width = (int(entry) for entry in next(rows)[:2])
        data, target = np.zeros((count, width), features_dtype), np.zeros(count, target_dtype)
        for i, row in enumerate(rows):
            target[i] = np.asarray(row.pop(target_column), target_dtype)
            data[i] = np.asarray(row, features_dtype)
    return collections.namedtuple("Dataset", ["data", "target"])(data, target)
'''
HEADLESS = '''def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
    """A table's rows, and the column that they are to predict."""
    with {tf}.io.gfile.GFile(filename) as file:
        rows = list(csv.reader(file))
    target = np.array([row.pop(target_column) for row in rows], target_dtype)
    data = np.array([np.asarray(row, features_dtype) for row in rows])
    return collections.namedtuple("Dataset", ["data", "target"])(data, target)
'''
SOURCES = {"load_csv_with_header": HEADED, "load_csv_without_header": HEADLESS}


def written(program: Program, call: ast.Call) -> None:
    """Let a function of the file read the table.

    Raises:
        Blocked: it is imported beside something else.
    """
    name = program.called(call).rpartition(".")[2]
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    found = program.scopes.lookup(root)
    stmt = found.node if found is not None else None
    home = stmt.module or "" if isinstance(stmt, ast.ImportFrom) else ""
    if isinstance(stmt, ast.ImportFrom) and ".contrib." in f"{home}.":
        alone = len(stmt.names) == 1 and isinstance(root, ast.Name)
        uses = program.scopes.uses(found, root.id) if alone else []
        parents = program.scopes.parents
        if not uses or any(_reader(program, parents, use) not in SOURCES for use in uses):
            raise Blocked(call, "how the reader of a table is imported")
        program.remove(stmt)
        program.page(call).bound.discard(name)
    program.need(call, name, SOURCES[name], IMPORTS)
    program.edit(call.func, name, "a reader in this file")


def _reader(program: Program, parents: dict[int, ast.AST], use: ast.expr) -> str:
    """The reader that a name is part of, where it is called."""
    node: ast.AST = use
    while isinstance(parents[id(node)], ast.Attribute):
        node = parents[id(node)]
    above = parents[id(node)]
    called = isinstance(above, ast.Call) and above.func is node
    return program.called(above).rpartition(".")[2] if called else ""


READERS.update({home + name: written for home in HOMES for name in SOURCES})
