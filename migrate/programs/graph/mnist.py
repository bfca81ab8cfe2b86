"""The tutorials' MNIST reader, which went with `tensorflow.examples`: the program reads itself."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.engine.trees import all_of
from migrate.programs.graph.model import HOST, Blocked, Kind, Value
from migrate.programs.graph.spelled import word
from migrate.programs.graph.walk import T, Walker, family

MODULES = (T + "examples.tutorials.mnist", T + "contrib.learn.datasets.mnist")
KNOWN = frozenset({"train_dir", "one_hot", "validation_size", "reshape"})

FETCHED = ("fetched MNIST",)  # a reader is told where the files are to be had
TYPED = ("typed MNIST",)  # a reader is told the images' type
TYPES = {T + "uint8": "np.uint8", T + "float32": "np.float32"}


READERS = (
    T + "examples.tutorials.mnist.input_data.read_data_sets",
    T + "contrib.learn.datasets.mnist.read_data_sets",
    T + "contrib.learn.python.learn.datasets.mnist.read_data_sets",
)


@family(*READERS)
def read_data_sets(walker: Walker, name: str, node: ast.Call) -> Value:
    """A call of the reader: the same arguments, and the seed that TF 1 gave to NumPy."""
    given = walker.bound(READERS[0], node)
    for argument, value in given.items():
        if argument == "dtype" and (typed := _typed(walker, node, value)):
            walker.rewrites[id(value)] = word(typed)
            walker.kept[TYPED] = True
            continue
        if argument == "source_url" and any(k.value is value for k in node.keywords):
            walker.kept[FETCHED] = True
        elif argument not in KNOWN:
            raise Blocked(value, f"`{argument}` of the MNIST reader")
        if walker.expression(value).kind is not Kind.HOST:
            raise Blocked(value, "the MNIST reader is given a part of the graph")
    walker.wants("mnist", node)
    walker.rewrites[id(node.func)] = lambda _: "read_data_sets"
    if walker.seed is not None:
        seed = walker.seed
        last = (*node.args, *(k.value for k in node.keywords))[-1]
        walker.rewrites[id(last)] = lambda writer: f"{writer.text.source(last)}, seed={seed}"
    walker.sink.impure = walker.sink.impure or (node, "MNIST is read")
    return HOST


def elsewhere(walker: Walker, trees: Iterable[ast.Module]) -> Iterator[ast.Call]:
    """Calls of the reader in what only Python runs, a class of data: these are read, too.

    Raises:
        Blocked: they are told what no reader of the program's own is, or a graph has a seed.
    """
    for tree in trees:
        for node in all_of(tree, ast.Call):
            if id(node.func) in walker.rewrites:
                continue
            if walker.endpoints.get(id(node.func)) not in READERS:
                continue
            given = walker.bound(READERS[0], node)
            odd = next((v for k, v in given.items() if k not in KNOWN), None)
            if odd is not None or walker.seed is not None:
                raise Blocked(odd or node, "the MNIST reader, in what only Python runs")
            walker.wants("mnist", node)
            yield node


def _typed(walker: Walker, node: ast.Call, value: ast.expr) -> str:
    """The images' type by NumPy's name, where it is written as TensorFlow's."""
    named = any(k.value is value for k in node.keywords)
    return TYPES.get(walker.endpoints.get(id(value), ""), "") if named else ""
