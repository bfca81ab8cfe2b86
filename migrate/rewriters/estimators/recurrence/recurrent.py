"""Recurrent cells of a model_fn as layers of the model, and what runs them over time.

Keras's own cells keep two kernels where TF 1 has one, so that they begin with other values. The
functions that run cells are those of programs with sessions.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/dynamic_rnn
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.recurrence.recurrent import CELL_ARGUMENTS, IDLE
from migrate.programs.graph.recurrence.recurrent import LOOPS as ALL_LOOPS
from migrate.rewriters.sessions import initializers, recurrent_code

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers
    from migrate.rewriters.estimators.program import Program

KINDS = ("BasicRNNCell", "BasicLSTMCell", "LSTMCell", "GRUCell", "MultiRNNCell")
# What runs over whole sequences in one op, and what turns these around.
FUSED, REVERSED = "LSTMBlockFusedCell", "TimeReversedFusedRNN"
CELLS = {
    f"tensorflow.{module}.{name}": name
    for module in ("nn.rnn_cell", "contrib.rnn")
    for name in KINDS
} | {f"tensorflow.contrib.rnn.{FUSED}": FUSED}
TURNS = f"tensorflow.contrib.rnn.{REVERSED}"
WRAPPERS = frozenset(
    f"tensorflow.{module}.DropoutWrapper" for module in ("nn.rnn_cell", "contrib.rnn")
)
SHARES = ("input_keep_prob", "output_keep_prob")
LOOPS = {f"tensorflow.nn.{name}": name for name in ("dynamic_rnn", "bidirectional_dynamic_rnn")}
NEEDS = {
    "LSTMCell": ("LSTMStateTuple", "RNNCell"),
    FUSED: ("LSTMStateTuple",),
    "bidirectional_dynamic_rnn": ("dynamic_rnn",),
}
FUSED_ARGUMENTS = ("num_units", "forget_bias")
TAKEN = {"initializer", "num_units", "forget_bias", "activation", "cells"}
# What GRU cells draw their weights with, where it is said.
DRAWN = {
    "kernel_initializer": {
        "activation=tf.tanh": 'activation=tf.tanh, kernel_initializer="glorot_uniform"',
        "        self.activation = activation\n": (
            "        self.activation = activation\n"
            "        self.kernel_initializer = kernel_initializer\n"
        ),
        'self.add_weight(shape=[depth, 2 * units], name="gates_kernel")': (
            "self.add_weight(\n            shape=[depth, 2 * units], "
            'initializer=self.kernel_initializer, name="gates_kernel")'
        ),
        'self.add_weight(shape=[depth, units], name="candidate_kernel")': (
            "self.add_weight(\n            shape=[depth, units], "
            'initializer=self.kernel_initializer, name="candidate_kernel")'
        ),
    },
    "bias_initializer": {
        "):\n        super().__init__()": ", bias_initializer=None):\n        super().__init__()",
        "        self.activation = activation\n": (
            "        self.activation = activation\n"
            "        self.bias_initializer = bias_initializer\n"
        ),
        'self.add_weight(shape=[2 * units], initializer="ones", name="gates_bias")': (
            "self.add_weight(\n            shape=[2 * units], "
            'initializer=self.bias_initializer or "ones", name="gates_bias")'
        ),
        'initializer="zeros", name="candidate_bias"': (
            'initializer=self.bias_initializer or "zeros", name="candidate_bias"'
        ),
    },
}
# What of the functions of programs with sessions is about the names of variables.
_SCOPES = re.compile(r",\s*scope(=(\"\w+\"|scope \+ \"/\w+\"))?(?=[,)])")


@cache
def _cells() -> dict[str, str]:
    text = Path(__file__).with_name("recurrent_code.txt").read_text(encoding="utf-8")
    return dict(part.split("\n", 1) for part in text.split("=== ")[1:])


def code(name: str) -> str:
    """The source of a definition."""
    return _cells()[name]


def stands(program: Program, node: ast.Call) -> bool:
    """Whether a call makes a cell that isn't part of another one."""
    if program.called(node) not in CELLS:
        return False
    for above in program.scopes.around(node):
        if isinstance(above, ast.Call) and program.called(above) in CELLS:
            return False
        if isinstance(above, ast.stmt):
            return True
    return True


def cell(owner: Layers, call: ast.Call) -> str:
    """The source of a cell, with those that it is made of.

    Raises:
        Blocked: an argument isn't followed.
    """
    program, kind = owner.program, CELLS[owner.program.called(call)]
    name = "LSTMCell" if kind == "BasicLSTMCell" else kind
    for each in (*NEEDS.get(name, ("RNNCell",)), name):
        imports = ["from collections import namedtuple"] if each == "LSTMStateTuple" else []
        source = _gates(program) if each == "GRUCell" else _cells()[each]
        owner.need(each, source.replace("tf.", "{tf}."), imports)
    out: list[str] = []
    for argument, node in program.given(call).items():
        if argument in IDLE or argument == "name":
            _idle(node, argument)
            continue
        if kind == FUSED and isinstance(node, ast.Constant) and node.value is False:
            continue  # it has no peepholes anyway
        drawn = argument == "initializer" or (kind == "GRUCell" and argument in DRAWN)
        known = argument in TAKEN and argument in CELL_ARGUMENTS.get(kind, FUSED_ARGUMENTS)
        if not known and not drawn:
            raise Blocked(node, f"`{argument}` of a {kind}")
        if drawn:
            value = program.scopes.value(node)
            endpoint = program.called(value) or program.endpoint(value)
            if not endpoint:
                raise Blocked(node, "an initializer that isn't seen")
            made = value if isinstance(value, ast.Call) else None
            source = initializers.keras(endpoint, made, owner.text, owner.tf)[0]
        else:
            source = _inner(owner, node, call)
        first = not out and argument in ("num_units", "cells")
        out.append(source if first else f"{argument}={source}")
    return f"{name}({', '.join(out)})"


def _gates(program: Program) -> str:
    """The class of GRU cells, with the initializers that some of the program have."""
    source = _cells()["GRUCell"]
    said = {
        name
        for call in program.calls()
        if CELLS.get(program.called(call)) == "GRUCell"
        for name in program.given(call)
    }
    for word in DRAWN:
        for old, new in DRAWN[word].items() if word in said else ():
            assert old in source
            source = source.replace(old, new)
    return source


def _idle(node: ast.expr, argument: str) -> None:
    """Arguments that say what is so anyway.

    Raises:
        Blocked: they say something else.
    """
    false = isinstance(node, ast.Constant) and not node.value
    if (argument == "state_is_tuple" and false) or (argument == "reuse" and not false):
        raise Blocked(node, f"`{argument}` of a cell")


def _inner(owner: Layers, node: ast.expr, call: ast.Call) -> str:
    """An argument's text, with the cells in it; dropouts around all of them are `call`'s."""
    from migrate.rewriters.estimators.recurrence import dropped_cells

    dropped = dropped_cells.shares(owner.program, call)
    start, end = owner.text.index.span(node)
    out, at = "", start
    for inner in walk(node):
        if isinstance(inner, ast.Call) and owner.program.called(inner) in WRAPPERS:
            wrapped = dropped_cells.inner(owner.program, inner)
            if not dropped or wrapped is None:
                raise Blocked(inner, "a dropout around one of several cells")
            lo, hi = owner.text.index.span(inner)
            out += owner.text.text[at:lo] + cell(owner, wrapped)
            at = hi
            continue
        if dropped and isinstance(inner, ast.Call) and owner.program.called(inner) in CELLS:
            continue  # what is around it was met before
        if isinstance(inner, ast.Call) and owner.program.called(inner) in CELLS:
            lo, hi = owner.text.index.span(inner)
            if lo < at:
                raise Blocked(inner, "cells in cells in cells")
            out += owner.text.text[at:lo] + cell(owner, inner)
            at = hi
    return " ".join(f"{out}{owner.text.text[at:end]}".split()).replace("[ ", "[")


def _wraps(owner: Layers, node: ast.expr) -> bool:
    """Whether an expression is a cell with dropout, whatever its name was given before."""
    if isinstance(node, ast.Call):
        return owner.program.called(node) in WRAPPERS
    found = owner.program.scopes.bindings(node.id, node) if isinstance(node, ast.Name) else []
    made = [b.value for b in found if b.kind == "assign" and b.scope is owner.function]
    called = [owner.program.called(value) for value in made if value is not None]
    return len(called) == len(found) > 0 and all(c in CELLS or c in WRAPPERS for c in called)


def wrapped(owner: Layers, call: ast.Call) -> str:
    """A cell with dropout, which a call makes of a cell of the model.

    Raises:
        Blocked: an argument isn't followed.
    """
    given = owner.program.given(call)
    node = given.pop("args", given.pop("cell", None))  # the 1.15.5 signature is (*args, **kwargs)
    if (
        len(call.args) > 1
        or node is None
        or (id(node) not in owner.calls and not isinstance(node, ast.Name))
    ):
        raise Blocked(call, "the cell that a dropout is around")
    if isinstance(node, ast.Name) and node.id not in owner.aliases and not _wraps(owner, node):
        raise Blocked(call, "the cell that a dropout is around")
    for argument, value in given.items():
        if argument not in SHARES:
            raise Blocked(value, f"`{argument}` of a DropoutWrapper")
    owner.need("DropoutWrapper", _cells()["DropoutWrapper"].replace("tf.", "{tf}."), [])
    shares = "".join(f", {k}={owner.source(v)}" for k, v in given.items())
    return f"DropoutWrapper({owner.source(node)}{shares})"


def loops(owner: Layers) -> set[int]:
    """The calls that run cells over time, or put something around them, by id."""
    return {
        id(n)
        for n in all_of(owner.function, ast.Call)
        if (owner.program.called(n) in {*LOOPS, *WRAPPERS, TURNS} or runs(owner.program, n))
    }


def runs(program: Program, call: ast.Call) -> bool:
    """Whether a call runs what takes whole sequences."""
    if isinstance(call.func, ast.Call):
        return _fused(program, call.func)
    if not isinstance(call.func, ast.Name):
        return False
    found = program.scopes.bindings(call.func.id, call.func)
    return bool(found) and all(b.value is not None and _fused(program, b.value) for b in found)


def _fused(program: Program, node: ast.expr) -> bool:
    """Whether an expression is what takes whole sequences."""
    return program.called(node) in (TURNS, f"tensorflow.contrib.rnn.{FUSED}")


def run(owner: Layers, call: ast.Call) -> str:
    """The call of what takes whole sequences: it starts with zeros of float32.

    Raises:
        Blocked: an argument says something else.
    """
    order = ("inputs", "initial_state", "dtype", "sequence_length", "scope")
    if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > len(order):
        raise Blocked(call, "arguments are hidden here")
    given = dict(zip(order, call.args, strict=False))
    given |= {str(k.arg): k.value for k in call.keywords}
    given = {
        k: v for k, v in given.items() if not (isinstance(v, ast.Constant) and v.value is None)
    }
    wrong = given.keys() - {"inputs", "dtype", "sequence_length", "scope"}
    if wrong or "inputs" not in given:
        raise Blocked(call, f"`{min(wrong, default='inputs')}` of an {FUSED}")
    if "dtype" in given and not owner.program.endpoint(given["dtype"]).endswith(".float32"):
        raise Blocked(given["dtype"], f"a type of an {FUSED}")
    lengths = given.get("sequence_length")
    rest = "" if lengths is None else f", sequence_length={owner.source(lengths)}"
    return f"{owner.source(call.func)}({owner.source(given['inputs'])}{rest})"


def turned(owner: Layers, call: ast.Call) -> str:
    """What runs a cell of the model from the ends of sequences to their starts.

    Raises:
        Blocked: the cell isn't one that takes whole sequences.
    """
    node = owner.program.given(call).get("cell")
    found = owner.program.scopes.bindings(node.id, node) if isinstance(node, ast.Name) else []
    every = [b.value for b in found] if found else [node]
    if node is None or not all(v is not None and _fused(owner.program, v) for v in every):
        raise Blocked(call, "the cell that is turned around")
    owner.need(REVERSED, _cells()[REVERSED].replace("tf.", "{tf}."), [])
    return f"{REVERSED}({owner.source(node)})"


def loop(owner: Layers, call: ast.Call) -> str:
    """The call that runs a cell over time.

    Raises:
        Blocked: an argument isn't followed, or the cell isn't one of the model.
    """
    program, name = owner.program, LOOPS[owner.program.called(call)]
    given = program.given(call)
    out: list[str] = []
    for argument, node in given.items():
        if argument in IDLE or argument == "scope":
            continue
        if argument == "time_major" and isinstance(node, ast.Constant) and not node.value:
            continue
        if argument not in (*ALL_LOOPS[name], "sequence_length"):
            raise Blocked(node, f"`{argument}` of tf.nn.{name}")
        if argument in ("cell", "cell_fw", "cell_bw"):
            known = isinstance(node, ast.Name) and node.id in owner.aliases
            if not known and id(node) not in owner.calls and not _wraps(owner, node):
                raise Blocked(node, "a cell that isn't made in the model_fn once")
        source = owner.source(node)
        out.append(f"{argument}={source}" if argument == "sequence_length" else source)
    features = {"lengths"} if _lengths(program) else set()
    for each in (*NEEDS.get(name, ()), name):
        text = recurrent_code.source(each, features, "{tf}")
        owner.need(each, _SCOPES.sub("", text))
    return f"{name}({', '.join(out)})"


def _lengths(program: Program) -> bool:
    """Whether some sequences have lengths of their own."""
    return any(
        program.called(call) in LOOPS and "sequence_length" in program.given(call)
        for call in program.calls()
    )
