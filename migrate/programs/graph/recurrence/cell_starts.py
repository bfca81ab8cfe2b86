"""What a scope gives to the kernels of the cells that are applied in it.

``with tf.variable_scope("lm", initializer=init): cell(x, state)``: a cell of TF 1 makes its
variables where it is first applied, Keras's where the module's own class says.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import holds, walk
from migrate.programs.graph.making import given_defaults, own_initializers
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.recurrence.cells import Cells
from migrate.programs.graph.scoping import scopes

KEY = "cell starts"
# The argument by which a class of cells is told.
ARGUMENTS = {
    "BasicRNNCell": "initializer",
    "BasicLSTMCell": "initializer",
    "LSTMBlockCell": "initializer",
    "LSTMCell": "initializer",
    "UGRNNCell": "initializer",
    "GRUCell": "kernel_initializer",
    "GRUBlockCellV2": "kernel_initializer",
    "CudnnCompatibleLSTMCell": "initializer",
    "CudnnCompatibleGRUCell": "kernel_initializer",
    "IntersectionRNNCell": "initializer",
    "GLSTMCell": "initializer",
}


def noted(walker: Any, node: ast.Call, owners: list[Cells]) -> None:
    """Remember what the open scopes give to cells that are applied here.

    Raises:
        Blocked: they give it to what isn't told so.
    """
    value = scopes.default(walker, "initializer", node)
    described = own_initializers.of_cell(walker, value) if value is not None else None
    if value is not None and described is None:
        raise Blocked(node, "a variable scope gives this its `initializer`")
    known = walker.kept.setdefault(KEY, {})
    for cells in owners:
        if value is not None and (cells.kind or not cells.made):
            raise Blocked(node, "a variable scope gives this its `initializer`")
        for call in cells.made:
            name = ast.unparse(call.func).rpartition(".")[2]
            name = str(walker.endpoints.get(id(call.func), name)).rpartition(".")[2]
            if value is not None and name not in ARGUMENTS:
                raise Blocked(node, "a variable scope gives this its `initializer`")
            said = ast.dump(value) if value is not None else ""
            own = _given(walker, value, call)
            if known.setdefault(id(call), (said, described, own))[0] != said:
                raise Blocked(node, "scopes give a cell other things each time")
            if value is not None and not own and not _everywhere(walker, value):
                raise Blocked(node, "a variable scope gives this an `initializer` of its own")
    if value is not None:
        walker.kept.setdefault("recurrent", set()).add("started")


def _given(walker: Any, value: ast.expr | None, call: ast.Call) -> str:
    """How the function at hand, which makes a cell, is given the scope's initializer."""
    if not isinstance(value, ast.Name) or not holds(walker.frame.node, call):
        return ""
    return value.id if given_defaults.carried(walker, value.id) else ""


def _everywhere(walker: Any, value: ast.expr) -> bool:
    """Whether the names in a value mean in all functions what they mean here."""
    module = walker.module_frame(value)
    frame = walker.frame
    while frame is not None and frame is not module:
        if any(isinstance(n, ast.Name) and n.id in frame.env for n in walk(value)):
            return False
        frame = frame.parent
    return True
