"""The readers of tables that TF 2 has lost, `load_csv_with_header` and its kin of `contrib.learn`.

The tables that came with TF 1, iris flowers and Boston's houses, are fetched from its repository.

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
DATA = "https://raw.githubusercontent.com/tensorflow/tensorflow/v1.15.5/tensorflow/contrib/learn/"
FETCHED = '''def load_{name}():
    """{said}, as they came with TF 1."""
    folder = "{data}python/learn/datasets/data/"
    path = {tf}.keras.utils.get_file("{file}", folder + "{file}")
    return load_csv_with_header(path, {type}, float)
'''
TABLES = {
    "iris": {"said": "Sizes of flowers and their kinds", "file": "iris.csv", "type": "int"},
    "boston": {
        "said": "Boston's houses and their prices",
        "file": "boston_house_prices.csv",
        "type": "float",
    },
}
SOURCES = {"load_csv_with_header": HEADED, "load_csv_without_header": HEADLESS}


def written(program: Program, call: ast.Call) -> None:
    """Let a function of the file read the table.

    Raises:
        Blocked: it is imported beside something else.
    """
    name = program.called(call).rpartition(".")[2]
    _brought(program, call)
    program.need(call, name, SOURCES[name], IMPORTS)
    program.edit(call.func, name, "a reader in this file")


def fetched(program: Program, call: ast.Call) -> None:
    """Let a function of the file fetch a table that came with TF 1.

    Raises:
        Blocked: it is imported beside something else, or given more.
    """
    name = program.called(call).rpartition(".")[2].removeprefix("load_")
    given = program.given(call)
    if name == "dataset":
        said = given.pop("name", None)
        name = str(said.value) if isinstance(said, ast.Constant) else ""
    if name not in TABLES or given:
        return  # or TF 2 says that it is gone
    _brought(program, call)
    headed, source = "load_csv_with_header", FETCHED.replace("{data}", DATA)
    for word, value in {"name": name, **TABLES[name]}.items():
        source = source.replace(f"{{{word}}}", value)
    program.need(call, headed, SOURCES[headed], IMPORTS)
    program.need(call, f"load_{name}", source)
    program.edit(call, f"load_{name}()", "a reader in this file")


def _brought(program: Program, call: ast.Call) -> None:
    """See to the import of a reader, which goes if it is one of contrib's.

    Raises:
        Blocked: it imports something else, too, or the file has other modules of these names.
    """
    page = program.page(call)
    for other, module in (("np", "numpy"), ("csv", "csv"), ("collections", "collections")):
        if page.has_other(other, module):
            raise Blocked(call, f"the file has a `{other}` of its own")
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    found = program.scopes.lookup(root)
    stmt = found.node if found is not None else None
    home = stmt.module or "" if isinstance(stmt, ast.ImportFrom) else ""
    if isinstance(stmt, ast.ImportFrom) and ".contrib." in f"{home}.":
        uses: list[ast.expr] = []
        if found is not None and len(stmt.names) == 1 and isinstance(root, ast.Name):
            uses = program.scopes.uses(found, root.id)
        parents = program.scopes.parents
        if not uses or any(_reader(program, parents, use) not in KNOWN for use in uses):
            raise Blocked(call, "how the reader of a table is imported")
        program.remove(stmt)
        program.page(call).bound.discard(stmt.names[0].asname or stmt.names[0].name)


def _reader(program: Program, parents: dict[int, ast.AST], use: ast.expr) -> str:
    """The reader that a name is part of, where it is called."""
    node: ast.AST = use
    while isinstance(parents[id(node)], ast.Attribute):
        node = parents[id(node)]
    above = parents[id(node)]
    called = isinstance(above, ast.Call) and above.func is node
    return program.called(above).rpartition(".")[2] if called else ""


NAMED = ("load_iris", "load_boston", "load_dataset")
KNOWN = {*SOURCES, *NAMED}
READERS.update({HOMES[0].removesuffix("base.") + name: fetched for name in NAMED})
READERS.update({home + name: fetched for home in HOMES for name in NAMED[:2]})
READERS.update({home + name: written for home in HOMES for name in SOURCES})
