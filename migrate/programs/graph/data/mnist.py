"""The tutorials' MNIST reader, which went with `tensorflow.examples`: the program reads itself."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.engine.trees import all_of
from migrate.programs.graph.model import HOST, Blocked, Kind, Value
from migrate.programs.graph.walk import T, Walker, family
from migrate.programs.graph.wording.spelled import word

MODULES = (T + "examples.tutorials.mnist", T + "contrib.learn.datasets.mnist")
KNOWN = frozenset({"train_dir", "one_hot", "validation_size", "reshape"})

FETCHED = ("fetched MNIST",)  # a reader is told where the files are to be had
TYPED = ("typed MNIST",)  # a reader is told the images' type
FAKED = ("faked MNIST",)  # a reader is told whether its data are real
BATCHED = ("batched MNIST",)  # so is a batch
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
        elif argument == "fake_data":
            walker.kept[FAKED] = True
        elif argument not in KNOWN and not _seeds(walker, argument, value):
            raise Blocked(value, f"`{argument}` of the MNIST reader")
        if walker.expression(value).kind is not Kind.HOST:
            raise Blocked(value, "the MNIST reader is given a part of the graph")
    walker.wants("mnist", node)
    _batches(walker, walker.tree)
    walker.rewrites[id(node.func)] = lambda _: "read_data_sets"
    if walker.seed is not None and "seed" not in given:
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
        _batches(walker, tree)
        for node in all_of(tree, ast.Call):
            if id(node.func) in walker.rewrites:
                continue
            if walker.endpoints.get(id(node.func)) not in READERS:
                continue
            given = walker.bound(READERS[0], node)
            others = ((k, v) for k, v in given.items() if k not in KNOWN | {"fake_data"})
            odd = next((v for k, v in others if not _seeds(walker, k, v)), None)
            if odd is not None or walker.seed is not None:
                raise Blocked(odd or node, "the MNIST reader, in what only Python runs")
            if "fake_data" in given:
                walker.kept[FAKED] = True
            walker.wants("mnist", node)
            yield node


def _seeds(walker: Walker, argument: str, value: ast.expr) -> bool:
    """Whether an argument is the seed that NumPy gets: TF 1 takes another one for 0 beside 0."""
    if argument != "seed" or not isinstance(value, ast.Constant) or type(value.value) is not int:
        return False
    return (0 if walker.seed is None else 1) <= value.value < 2**31 - 1


def _batches(walker: Walker, tree: ast.AST) -> None:
    """See whether batches are told if they are real, the second thing that they are given."""
    for node in all_of(tree, ast.Call):
        if getattr(node.func, "attr", "") == "next_batch":
            given = [*node.args[1:], *(k for k in node.keywords if k.arg in ("fake_data", None))]
            if given or any(isinstance(a, ast.Starred) for a in node.args):
                walker.kept[BATCHED] = True


def _typed(walker: Walker, node: ast.Call, value: ast.expr) -> str:
    """The images' type by NumPy's name, where it is written as TensorFlow's."""
    named = any(k.value is value for k in node.keywords)
    return TYPES.get(walker.endpoints.get(id(value), ""), "") if named else ""
