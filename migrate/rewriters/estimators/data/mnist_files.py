"""The readers of MNIST that TF 2 has lost: the tutorials' own, and those of `contrib.learn`.

    tf.contrib.learn.datasets.load_dataset("mnist")
    read_data_sets("MNIST-data", source_url="https://storage.googleapis.com/…")

The tutorials' reader is told its folder, and reads the four files that are there. `contrib.learn`'s
are asked for a data set by its name, and fetch what their folder hasn't.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions import mnist

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

HOME = "tensorflow.contrib.learn.datasets."
LOAD, TABLE = HOME + "load_dataset", HOME + "DATASETS"
READ = HOME + "mnist.load_mnist"
FOLDER = '"MNIST-data"'
FROM = '"https://storage.googleapis.com/cvdf-datasets/mnist/"'
READER = "read_data_sets"


def written(program: Program, call: ast.Call, endpoint: str) -> None:
    """Write what reads MNIST, where a call does it.

    Raises:
        Blocked: how it is read isn't followed.
    """
    if endpoint.endswith("mnist.input_data.read_data_sets"):
        _tutorials(program, call)
        return
    folder = _folder(program, call, endpoint)
    if folder:
        _need(program, call)
        program.edit(call, f"{READER}({folder}, source_url={FROM})", "a reader in this file")


def _folder(program: Program, call: ast.Call, endpoint: str) -> str:
    """The source of the folder that a reader of `contrib.learn` takes; nothing for another call."""
    if endpoint == LOAD:
        given = program.given(call)
        alone = isinstance(given.get("name"), ast.Constant) and len(given) == 1
        return FOLDER if alone and ast.literal_eval(given["name"]) == "mnist" else ""
    table, places = call.func, list(call.args)
    if isinstance(table, ast.Subscript) and program.endpoint(table.value) == TABLE:
        if not isinstance(table.slice, ast.Constant) or table.slice.value != "mnist":
            return ""
        places += [k.value for k in call.keywords if k.arg == "train_dir"]
        if len(places) != len(call.args) + len(call.keywords) or len(places) > 1:
            raise Blocked(call, "what the MNIST reader is given")
    elif endpoint == READ:
        places = list(program.given(call).values())
    else:
        return ""
    if any(isinstance(place, ast.Starred) for place in places):
        raise Blocked(call, "what the MNIST reader is given")
    return program.source(places[0]) if places else FOLDER


def _tutorials(program: Program, call: ast.Call) -> None:
    for argument, node in program.given(call).items():
        if argument not in ("train_dir", "one_hot", "validation_size", "reshape"):
            raise Blocked(node, f"`{argument}` of the MNIST reader")
    root = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    found = program.scopes.lookup(root)
    if found is None or not isinstance(found.node, ast.ImportFrom) or len(found.node.names) > 1:
        raise Blocked(call, "how the MNIST reader is imported")
    if not isinstance(root, ast.Name) or len(program.scopes.uses(found, root.id)) > 1:
        raise Blocked(call, "the MNIST reader is used in several places")
    _need(program, call)
    program.edit(call.func, READER, "a reader in this file")
    program.remove(found.node)


def _need(program: Program, call: ast.Call) -> None:
    """Give the file of a call its reader: one that fetches, where a call of the file wants that."""
    page = program.page(call)
    if "Mnist" in page.bound:
        raise Blocked(call, "the file has a `Mnist` of its own")
    fetched = any(
        program.page(other) is page and _folder(program, other, program.called(other))
        for other in program.calls()
    )
    text, imports = mnist.source(typed=False, fetched=fetched), mnist.imports(fetched=fetched)
    program.need(call, READER, text, imports)
