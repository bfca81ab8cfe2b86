"""A recurrent cell's class under a name, one of several: ``cell_fn = rnn.GRUCell`` in a branch.

What is made by that name is a cell of one of these classes, and the module is given them all.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, ClassVar

from migrate.engine.trees import all_of
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.recurrence import recurrent
from migrate.programs.graph.recurrence.cells import Cells, Shape

NAMES = ("BasicRNNCell", "BasicLSTMCell", "LSTMCell", "GRUCell", "NASCell")
ABSTRACT = "RNNCell"  # who makes one gets an error, here as there
CLASSES = frozenset(T + root + name for root in recurrent.ROOTS for name in (*NAMES, ABSTRACT))
ARGUMENTS = ("num_units", "state_is_tuple", "reuse")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The classes that a name may mean."""

    names: tuple[str, ...]
    makes_cells: ClassVar[bool] = True

    def either(self, other: Chosen) -> Chosen:
        """After two ways to the same place."""
        return Chosen(tuple(dict.fromkeys((*self.names, *other.names))))

    def call(self, walker: Any, node: ast.Call) -> Value:
        """A cell of one of the classes.

        Raises:
            Blocked: it is given more than its size, which isn't the same for all of them.
        """
        given = recurrent.by_place(node, ARGUMENTS)
        if len(node.args) > 1:
            raise Blocked(node.args[1], "a cell of a class that is chosen has more than a size")
        size = given.pop("num_units", None)
        if size is None:
            raise Blocked(node, "a cell of a class that is chosen has no size")
        for argument, value in given.items():
            recurrent.idle(walker, argument, value)
        if walker.host(size).kind is not Kind.HOST:
            raise Blocked(size, "the size of a cell isn't seen")
        walker.stateful = True
        walker.created.append(None)
        made = [name for name in self.names if name != ABSTRACT]
        shapes = [s for name in made if (s := recurrent.shape_of(name, {}, [])) is not None]
        shape = shapes[0] if len(shapes) == 1 else Shape("", others=tuple(shapes))
        cells = Cells(frozenset(made), {}, all(n in recurrent.SINGLE for n in made), shape)
        walker.rewrites[id(node)] = lambda writer: (
            f"{writer.text.source(node.func)}({writer.source(size)})"
        )
        return Value(Kind.HOST, cells, node=node)


def kept(walker: Any, node: ast.expr) -> Value | None:
    """A class of cells, or one of two, that is given a name; None: it is something else."""
    if isinstance(node, ast.IfExp):
        values = [kept(walker, branch) for branch in (node.body, node.orelse)]
        if not all(values):
            return None
        walker.host(node.test)
        first, second = (v.data for v in values if v is not None)
        return Value(Kind.OTHER, first.either(second))
    endpoint = walker.endpoints.get(id(node))
    if endpoint not in CLASSES or isinstance(node, ast.Call):
        return None
    name = endpoint.rpartition(".")[2]
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.named(name)
    return Value(Kind.OTHER, Chosen((name,)))


def makes(walker: Any, func: ast.expr) -> bool:
    """Whether a call may make a cell of a class that has a name: by the names that such have."""
    key = ("cell class names", len(walker.files.order))
    known = walker.kept.get(key)
    if known is None:
        known = walker.kept[key] = {
            ast.unparse(target).rpartition(".")[2]
            for tree in walker.program()
            for n in all_of(tree, ast.Assign)
            if any(walker.endpoints.get(id(part)) in CLASSES for part in _options(n.value))
            for target in n.targets
        }
    return ast.unparse(func).rpartition(".")[2] in known


def _options(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.IfExp):
        return [*_options(node.body), *_options(node.orelse)]
    return [] if isinstance(node, ast.Call) else [node]
