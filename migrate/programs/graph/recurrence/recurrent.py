"""Recurrent cells, and what runs them over time.

A cell is Python's: it stays where it was made and owns its variables, so that a name, a list, a
function or an object may hold it. What a run is fed for a wrapper (``output_keep_prob``) is handed
to the cell where it is applied.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph.fetching import structures
from migrate.programs.graph.made import family
from migrate.programs.graph.making import own_initializers
from migrate.programs.graph.meaning import CELLS, T
from migrate.programs.graph.model import (
    INPUT,
    NOTHING,
    RUNTIME,
    Blocked,
    Kind,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.recurrence import attention_stacks, cell_activations, cell_types
from migrate.programs.graph.recurrence.cells import Cells, Shape, together
from migrate.programs.graph.scoping import reuse_flags
from migrate.programs.graph.wording.spelled import Spelled

ROOTS = ("nn.rnn_cell.", "contrib.rnn.", "contrib.cudnn_rnn.")
KEY = "recurrent"
# Arguments that TF 2 has no use for, or that say what is so anyway; and those that are followed.
IDLE = frozenset({"dtype", "state_is_tuple", "reuse", "parallel_iterations", "swap_memory"})
CONVOLVING = (
    *("input_shape", "output_channels", "kernel_shape", "use_bias", "skip_connection"),
    *("forget_bias", "name"),
)
CELL_ARGUMENTS = {
    "BasicRNNCell": ("num_units", "activation", "name"),
    "BasicLSTMCell": ("num_units", "forget_bias", "activation", "name"),
    "LSTMCell": (
        *("num_units", "initializer", "forget_bias", "activation", "use_peepholes", "cell_clip"),
        *("num_proj", "proj_clip", "name"),
    ),
    "LayerNormBasicLSTMCell": (
        *("num_units", "forget_bias", "activation", "norm_gain", "norm_shift"),
    ),
    # What they compute, the plain cells do, in variables of their names.
    "LSTMBlockCell": ("num_units", "forget_bias", "name"),
    "GRUBlockCellV2": ("num_units", "name"),
    "GRUCell": ("num_units", "activation", "kernel_initializer", "bias_initializer", "name"),
    "NASCell": ("num_units", "num_proj", "use_bias", "name"),
    "MultiRNNCell": ("cells",),
    "DropoutWrapper": (
        *("cell", "input_keep_prob", "output_keep_prob", "state_keep_prob"),
        *("variational_recurrent", "input_size", "seed"),
    ),
    "ResidualWrapper": ("cell", "residual_fn"),
    "HighwayWrapper": ("cell", "couple_carry_transform_gates", "carry_bias_init"),
    "DeviceWrapper": ("cell", "device"),
    "EmbeddingWrapper": ("cell", "embedding_classes", "embedding_size", "initializer"),
    "CoupledInputForgetGateLSTMCell": (
        *("num_units", "use_peepholes", "num_proj", "proj_clip", "forget_bias", "activation"),
    ),
    "IndRNNCell": ("num_units", "activation", "name"),
    "IndyGRUCell": ("num_units", "activation", "kernel_initializer", "bias_initializer", "name"),
    "IndyLSTMCell": (
        *("num_units", "forget_bias", "activation", "kernel_initializer", "bias_initializer"),
        "name",
    ),
    "SRUCell": ("num_units", "activation", "name"),
    "IntersectionRNNCell": (
        *("num_units", "num_in_proj", "initializer", "forget_bias", "y_activation"),
    ),
    "GLSTMCell": (
        *("num_units", "initializer", "num_proj", "number_of_groups", "forget_bias", "activation"),
    ),
    "CudnnCompatibleLSTMCell": ("num_units",),
    "CudnnCompatibleGRUCell": ("num_units", "kernel_initializer"),
    "ConvLSTMCell": ("conv_ndims", *CONVOLVING),
    **{f"Conv{n}DLSTMCell": CONVOLVING for n in (1, 2, 3)},
    "UGRNNCell": ("num_units", "initializer", "forget_bias", "activation"),
    "InputProjectionWrapper": ("cell", "num_proj", "activation"),
    "OutputProjectionWrapper": ("cell", "output_size", "activation"),
    "AttentionCellWrapper": (*("cell", "attn_length", "attn_size", "attn_vec_size", "input_size"),),
}
# The plain cell, and what the block cell's variables are called.
BLOCKS = {
    "LSTMBlockCell": ("BasicLSTMCell", "lstm_cell"),
    "GRUBlockCellV2": ("GRUCell", "gru_cell"),
}
# Another class with what it says itself, before and behind the arguments.
KINDS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "CudnnCompatibleLSTMCell": (
        "BasicLSTMCell",
        (),
        ("forget_bias=0.0", 'name="cudnn_compatible_lstm_cell"'),
    ),
    **{
        f"Conv{n}DLSTMCell": ("ConvLSTMCell", (str(n),), (f'name="conv_{n}d_lstm_cell"',))
        for n in (1, 2, 3)
    },
}
WRAPPERS = {
    "DropoutWrapper": (
        *("cell", "input_keep_prob", "output_keep_prob", "state_keep_prob"),
        *("variational_recurrent", "input_size", "dtype", "seed", "dropout_state_filter_visitor"),
    ),
    "ResidualWrapper": ("cell", "residual_fn"),
    "HighwayWrapper": CELL_ARGUMENTS["HighwayWrapper"],
    "DeviceWrapper": CELL_ARGUMENTS["DeviceWrapper"],
    "EmbeddingWrapper": (*CELL_ARGUMENTS["EmbeddingWrapper"], "reuse"),
    **{f"Conv{n}DLSTMCell": ("name", *CONVOLVING) for n in (1, 2, 3)},
    "InputProjectionWrapper": ("cell", "num_proj", "activation", "input_size", "reuse"),
    "OutputProjectionWrapper": ("cell", "output_size", "activation", "reuse"),
    "AttentionCellWrapper": (
        *("cell", "attn_length", "attn_size", "attn_vec_size", "input_size"),
        *("state_is_tuple", "reuse"),
    ),
}
# Those with variables of their own.
PROJECTING = frozenset(
    {"InputProjectionWrapper", "OutputProjectionWrapper", "AttentionCellWrapper"}
    | {"HighwayWrapper", "EmbeddingWrapper"}
)
# What a module gets only where it is asked for.
OPTIONS = frozenset(
    {"use_peepholes", "cell_clip", "num_proj", "use_bias", "state_keep_prob", "residual_fn"}
)
DRAWN = {"variational_recurrent": "variational", "seed": "seeded"}  # of a DropoutWrapper
KEPT = ("input_keep_prob", "output_keep_prob", "state_keep_prob")
NORM_START = frozenset({"norm_gain", "norm_shift"})
JOINED = "state_is_tuple"
JOINS = frozenset({"BasicLSTMCell", "LSTMCell", "MultiRNNCell"})
SINGLE = frozenset(
    {"BasicRNNCell", "GRUCell", "GRUBlockCellV2", "UGRNNCell", "IndRNNCell", "IndyGRUCell"}
    | {"SRUCell", "IntersectionRNNCell", "CudnnCompatibleGRUCell"}
)  # their state is one tensor
CELL_ROLES = ("cell", "cell_fw", "cell_bw")
LOOPS = {
    "dynamic_rnn": ("cell", "inputs"),
    "bidirectional_dynamic_rnn": ("cell_fw", "cell_bw", "inputs"),
    "static_rnn": ("cell", "inputs"),
    "static_bidirectional_rnn": ("cell_fw", "cell_bw", "inputs"),
}


def method(walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
    """``zero_state`` of a cell.

    Raises:
        Blocked: another method.
    """
    if attribute in ("apply", "__call__") and owner.data.kind == "layer":
        of = node.func
        assert isinstance(of, ast.Attribute)
        reason = f"`.{attribute}()` of a layer"
        raise Spelled(node, reason, [(of, lambda source: source(of.value))])
    if attribute != "zero_state" or owner.data.kind in ("layer", "memory"):
        raise Blocked(node, f"`.{attribute}()` of a cell isn't followed")
    values = walker.arguments(node)
    walker.kept.setdefault(KEY, set()).add("zero")
    assert isinstance(node.func, ast.Attribute)
    held = node.func.value

    said = by_place(node, ("batch_size", "dtype")).get("dtype")
    own = said is not None and cell_types.said(walker, said) is True

    def spec(writer: Any) -> str:
        dtype = writer.source(said) if own else ""
        return str(writer.module.recurrent.spec(writer.text.source(held), dtype))

    if isinstance(held, (ast.Name, ast.Attribute)) and not owner.data.history:
        walker.kept.setdefault("specs", {})[id(node)] = spec
    kind = Kind.TENSOR if any(v.kind in RUNTIME for v in values) else Kind.CONST
    if owner.data.kind == "attention":
        if owner.data.stacked:
            return replace(attention_stacks.state(clones=True), node=node)
        inner = Value(Kind.TENSOR, None if owner.data.single else "container")
        return replace(structures.attention(inner, owner.data.history, clones=True), node=node)
    return Value(kind, None if owner.data.single else "container", node=node)


def makes_cells(walker: Any, node: ast.AST) -> bool:
    """Whether a function gives cells that it makes."""
    made = _made(walker, node)
    returned = [n.value for n in all_of(node, ast.Return) if n.value]
    return bool(returned) and all(
        _is_cell(walker, v) or (isinstance(v, ast.Name) and v.id in made) for v in returned
    )


def gives_cells(walker: Any, node: ast.AST) -> bool:
    """Whether a function gives cells that it makes, among other things."""
    if not isinstance(node, ast.FunctionDef):
        return False
    returned = [n.value for n in node.body if isinstance(n, ast.Return)]
    parts = [v for r in returned if isinstance(r, ast.Tuple) for v in r.elts]
    if not parts:
        return False
    made = _made(walker, node)
    return any(_is_cell(walker, v) or (isinstance(v, ast.Name) and v.id in made) for v in parts)


def shares(walker: Any, node: ast.AST, given: dict[str, Value], call: ast.Call) -> None:
    """Parameters that a maker of cells only had for what runs are fed: they go.

    Raises:
        Blocked: another call gives a number instead.
    """
    if not isinstance(node, ast.FunctionDef):
        return
    read = all_of(node, ast.Name)
    kept = walker.kept.get("fed shares", set())
    known = walker.session_params.get(id(node), set())
    for name, value in given.items():
        uses = [n for n in read if n.id == name]
        moved = value.kind in RUNTIME or value.data == NOTHING
        if any(id(n) not in kept for n in uses) or not (uses or moved):
            continue
        if not moved:
            raise Blocked(call, f"`{name}` is fed at some calls and a number at others")
        if name not in known and id(node) in walker.kept.setdefault("made cells", set()):
            raise Blocked(call, f"`{name}` is fed at some calls and a number at others")
        walker.session_params.setdefault(id(node), set()).add(name)
        walker.calls.append((call, node))
    if walker.session_params.get(id(node)):
        walker.rewrites[id(call)] = lambda writer: writer.module.recurrent.made(call, node, writer)
    walker.kept.setdefault("made cells", set()).add(id(node))


def _made(walker: Any, node: ast.AST) -> set[str]:
    """The names that a function gives cells."""
    return {
        target.id
        for n in all_of(node, ast.Assign)
        if _is_cell(walker, n.value)
        for target in n.targets
        if isinstance(target, ast.Name)
    }


def _is_cell(walker: Any, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if walker.endpoints.get(id(node.func)) in CELLS or is_own(walker, node.func):
        return True
    chosen = named(walker, node.func)
    if chosen is not None and hasattr(chosen.value.data, "makes_cells"):
        return True
    callee = walker._module_function(node.func)
    return callee is not None and node not in walk(callee) and makes_cells(walker, callee)


def is_own(walker: Any, func: ast.expr) -> bool:
    """Whether a call makes a cell of one of the program's own classes."""
    callee = walker._module_function(func, ast.ClassDef)
    return id(callee) in walker.kept.get("own cells", ())


def made_in(walker: Any, node: ast.AST) -> list[tuple[str, ast.Call]]:
    """The outermost calls in a statement that make cells, in order, and what they are for.

    Raises:
        Blocked: they would be made again and again.
    """
    makers, roles = walker.kept.get("cell makers", ()), walker.kept.get("cell roles", {})
    found: list[tuple[str, ast.Call]] = []
    stack = [node]
    while stack:
        n = stack.pop()
        if not isinstance(n, ast.Call) or id(n) not in makers:
            stack.extend(children(n))
        elif isinstance(node, (ast.Assign, ast.Expr, ast.Return)) and id(n) in roles:
            found.append((roles[id(n)], n))
        else:
            raise Blocked(n, "cells that are made in a loop or a branch of a run")
    return sorted(found, key=lambda pair: (pair[1].lineno, pair[1].col_offset))


def by_place(node: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
    if len(node.args) > len(names) or any(isinstance(a, ast.Starred) for a in node.args):
        raise Blocked(node, "these arguments aren't followed")
    given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in names:
            raise Blocked(node, "these arguments aren't followed")
        given[keyword.arg] = keyword.value
    return given


@family(*(T + root + name for root in ROOTS for name in CELL_ARGUMENTS))
def cell(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A cell, or a wrapper around some."""
    name = endpoint.rpartition(".")[2]
    own = WRAPPERS.get(name)
    given = by_place(node, own) if own is not None else walker.bound(endpoint, node)
    if name == "LSTMBlockCell" and not all(
        map(_off, map(given.get, ("use_peephole", "cell_clip")))
    ):
        name = "LSTMCell"  # which has both, in variables of the same names
        given = {{"use_peephole": "use_peepholes"}.get(k, k): v for k, v in given.items()}
    walker.stateful = True
    found: list[Cells] = []
    kept: dict[str, tuple[ast.expr, dict[Symbol, None]]] = {}
    joined = name in JOINS and _false(given.get(JOINED))
    for argument, value in given.items():
        if argument == JOINED and joined:
            walker.kept.setdefault(KEY, set()).add("joined")
            continue
        if argument in IDLE:
            if argument != "dtype" or not cell_types.made(walker, name, value):
                idle(walker, argument, value)
            continue
        if name.startswith("LayerNorm") and _plain_norm(argument, value):
            continue
        if argument not in CELL_ARGUMENTS[name] and not none(value):
            raise Blocked(value, f"`{argument}` of {name}")
        if argument in KEPT:
            uses = _fed(walker, value)
            if uses is not None:
                kept[argument] = (value, uses)
                walker.kept.setdefault("fed shares", set()).add(id(value))
            continue
        what = walker.host(value)
        if argument in ("cell", "cells"):
            stacks = name == "MultiRNNCell" and attention_stacks.seen(walker, what.data)
            if not isinstance(what.data, Cells) or (what.data.kind and not stacks):
                raise Blocked(value, "the cells aren't seen")
            found.append(what.data)
        elif argument.endswith("initializer"):
            told = own_initializers.of_cell(walker, value)
            if told is None and not none(value):
                raise Blocked(value, "an initializer that isn't seen")
            walker.kept.setdefault("cell initializers", {})[id(value)] = told
        elif argument == "activation" and isinstance(value, ast.Constant) and not none(value):
            raise Blocked(value, f"`{argument}` of {name} is a word")
        elif argument == "activation" and cell_activations.computes(walker, value, what):
            pass
        elif what.kind not in (Kind.HOST, Kind.ENDPOINT, Kind.FUNCTION, Kind.NONE):
            raise Blocked(value, f"`{argument}` of {name} is {described(what)}")
    if not found:
        walker.created.append(None)
    known = walker.kept.setdefault(KEY, set())
    _drawn(walker, name, given, known)
    known |= {"ranked"} if name.startswith("Conv") else set()
    known |= {"embedded"} if name == "EmbeddingWrapper" else set()
    idles = {"use_peepholes"} if _false(given.get("use_peepholes")) else set()
    idles |= {"num_proj"} if name == "NASCell" else set()
    known |= {"nas_proj"} if name == "NASCell" and "num_proj" in given else set()
    known |= {a for a in given if a in OPTIONS and not none(given[a])} - idles
    known |= {"draws_again"} if known & {"use_peepholes", "num_proj"} else set()
    known.update({"norm_start"} if NORM_START & set(given) else ())
    single = name in SINGLE or joined
    if joined and found and not found[0].single:
        raise Blocked(node, "states in one tensor over cells whose states are tuples")
    if name.endswith("Wrapper"):
        single = found[0].single and name != "AttentionCellWrapper"
        walker.sink.random = name == "DropoutWrapper" or walker.sink.random
    inner = together(found)
    if inner or kept:
        known.add("kept")
        if name == "DropoutWrapper" and "DropoutWrapper" in found[0].names:
            raise Blocked(node, "dropout around dropout, of which one is fed")
    shape = shape_of(name, given, found)
    names = frozenset({name}).union(*(c.names for c in found))
    made = Cells(names, {**inner, **kept}, single, shape)
    made.made = tuple(m for c in found for m in c.made) if found else (node,)
    made.made += (node,) if name in PROJECTING else ()
    attention_stacks.made(made, found)
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.cell(
        name, node, given, frozenset(kept), writer
    )
    return Value(Kind.HOST, made, node=node)


def _off(node: ast.expr | None) -> bool:
    """Whether a block cell's argument says what is so without it."""
    return node is None or none(node) or _false(node) or ast.unparse(node) in ("-1", "0")


def _drawn(walker: Any, name: str, given: dict[str, ast.expr], known: set[str]) -> None:
    """What a wrapper says of its noise.

    Raises:
        Blocked: whether the noise is the same in all steps isn't seen.
    """
    if name != "DropoutWrapper":
        return
    for argument, feature in DRAWN.items():
        value = given.get(argument)
        if value is None or none(value) or _false(value):
            continue
        known.add(feature)
        if argument == "variational_recurrent" and not isinstance(value, ast.Constant):
            raise Blocked(value, "whether dropout is the same in all steps is computed")
    if "input_size" in given:
        walker.host(given["input_size"])


def _false(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _plain_norm(argument: str, node: ast.expr) -> bool:
    """Whether an argument of a normalized cell says what is so without it."""
    wanted: dict[str, tuple[object, ...]] = {
        "layer_norm": (True,),
        "dropout_keep_prob": (1.0, 1),
        "dropout_prob_seed": (None,),
        "input_size": (None,),
    }
    return isinstance(node, ast.Constant) and node.value in wanted.get(argument, ())


def shape_of(name: str, given: dict[str, ast.expr], found: list[Cells]) -> Shape | None:
    """What the names of a cell's variables are made of."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=Cell$)", "_", name).lower()
    if found:
        called = snake if name in PROJECTING else ""
        return Shape(name, called, found[0].shape) if found[0].shape is not None else None
    own = given.get("name")
    if name in KINDS:
        name = KINDS[name][0]
        snake = re.sub(r"^conv(\d)d", r"conv_\1d_", snake)
    if name in BLOCKS:
        name, named = BLOCKS[name]
        own = own or ast.Constant(named)
    if own is None or none(own):
        return Shape(name, snake)
    said = own.value if isinstance(own, ast.Constant) else None
    return Shape(name, said) if isinstance(said, str) else None


def _fed(walker: Any, node: ast.expr) -> dict[Symbol, None] | None:
    """What of a run a share to keep is made of; None: it is Python's."""
    symbol = named(walker, node)
    if symbol is not None and symbol.value.kind in RUNTIME:
        if symbol.value.data == INPUT:  # a parameter of what a function comes to return
            given = walker.kept.get("given inputs", {}).get(id(symbol.value))
            if given is not None:
                return {given: None}
        if symbol.value.symbol is None:
            raise Blocked(node, "a share to keep that a run computes has no name")
        return {symbol.value.symbol: None}
    value = walker.host(node)
    if value.kind not in (Kind.HOST, Kind.CONST):
        raise Blocked(node, f"a share to keep is {described(value)}")
    return None


def named(walker: Any, node: ast.expr) -> Symbol | None:
    """What a name means; a function that has it in a cell needn't go where it goes."""
    if isinstance(node, ast.Name):
        frame = walker.frame
        while frame is not None and node.id not in frame.env:
            frame = frame.parent
        return frame.env[node.id] if frame is not None else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = named(walker, node.value)
        if owner is not None and owner.value.kind is Kind.OBJECT:
            found: Symbol | None = owner.value.data.attrs.get(node.attr)
            return found
    return None


def idle(walker: Any, argument: str, node: ast.expr) -> None:
    """An argument that goes must say what is so without it."""
    if argument in ("parallel_iterations", "swap_memory"):
        walker.host(node)
        return
    if argument == "dtype":
        value = walker.expression(node)
        text = str(value.data) if value.kind is Kind.ENDPOINT else ast.unparse(node).strip("'\"")
        if text not in (T + "float32", "float32", "float", "np.float32", "None"):
            raise Blocked(node, "a cell of another type than float32")
        return
    constant = node.value if isinstance(node, ast.Constant) else ...
    if argument == "state_is_tuple" and constant is True:
        return
    if argument == "reuse" and constant in (None, False):
        return
    if argument == "reuse" and ast.unparse(node).endswith("get_variable_scope().reuse"):
        return  # a scope that is opened for reuse stops the walk
    if argument == "reuse" and reuse_flags.never(walker, node):
        return
    if argument == "reuse":
        from migrate.programs.graph.recurrence import second_decoders

        second_decoders.check(walker, node)
        second_decoders.handed(walker, node)
        _scope_says(walker, node)
    raise Blocked(node, f"a cell with `{argument}`")


def _scope_says(walker: Any, node: ast.expr) -> None:
    """``variable_scope("a", reuse=reuse)`` around ``GRUCell(4, reuse=reuse)``: the scope says it.

    Raises:
        Spelled: the cell needn't.
    """
    said = ast.unparse(node)
    scopes = [s.opened for s in walker.scopes if isinstance(s.opened, ast.Call)]
    given = [k.value for call in scopes for k in call.keywords if k.arg == "reuse"]
    names = {n.id for n in all_of(node, ast.Name)}
    stored = [
        n
        for n in all_of(walker.frame.node, ast.Name)
        if n.id in names and not isinstance(n.ctx, ast.Load)
    ]
    if stored or said not in map(ast.unparse, given):
        return
    for call in all_of(walker.stmt, ast.Call):
        if any(k.value is node for k in call.keywords):
            kept = [k for k in call.keywords if k.value is not node]

            def written(source: Any, call: ast.Call = call, kept: Any = kept) -> str:
                parts = [source(a) for a in call.args]
                parts += [f"{k.arg}={source(k.value)}" for k in kept]
                return f"{source(call.func)}({', '.join(parts)})"

            if all(k.arg is not None for k in kept):
                raise Spelled(node, "a cell with `reuse`", [(call, written)])


def none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@family(*(T + root + "LSTMStateTuple" for root in ROOTS))
def state_tuple(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """An LSTM's state, from its two parts."""
    given = walker.bound(endpoint, node) if node.keywords else {}
    values = walker.arguments(node)
    if len(values) != 2 or any(isinstance(a, ast.Starred) for a in node.args) or len(given) > 2:
        raise Blocked(node, "an LSTM's state that isn't two tensors")
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.state(node, writer)
    joined = walker.join(values, node)
    kind = joined.kind if joined.kind is not Kind.HOST else Kind.CONST
    return Value(kind, "container", list(enumerate(values)))
