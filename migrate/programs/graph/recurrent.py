"""Recurrent cells, and what runs them over time.

A cell is Python's: it stays where it was made and owns its variables, so that a name, a list, a
function or an object may hold it. What a run is fed for a wrapper (``output_keep_prob``) is handed
to the cell where it is applied.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.cells import Cells, together
from migrate.programs.graph.collections import Owned
from migrate.programs.graph.made import Scope, family
from migrate.programs.graph.meaning import CELLS, T
from migrate.programs.graph.model import RUNTIME, Blocked, Kind, Symbol, Value

ROOTS = ("nn.rnn_cell.", "contrib.rnn.")
KEY = "recurrent"
# Arguments that TF 2 has no use for, or that say what is so anyway; and those that are followed.
IDLE = frozenset({"dtype", "state_is_tuple", "reuse", "parallel_iterations", "swap_memory"})
CELL_ARGUMENTS = {
    "BasicRNNCell": ("num_units", "activation", "name"),
    "BasicLSTMCell": ("num_units", "forget_bias", "activation", "name"),
    "LSTMCell": (
        *("num_units", "initializer", "forget_bias", "activation", "use_peepholes", "cell_clip"),
        *("num_proj", "proj_clip", "name"),
    ),
    "GRUCell": ("num_units", "activation", "kernel_initializer", "bias_initializer", "name"),
    "MultiRNNCell": ("cells",),
    "DropoutWrapper": ("cell", "input_keep_prob", "output_keep_prob"),
    "ResidualWrapper": ("cell",),
}
WRAPPERS = {
    "DropoutWrapper": (
        *("cell", "input_keep_prob", "output_keep_prob", "state_keep_prob"),
        *("variational_recurrent", "input_size", "dtype", "seed", "dropout_state_filter_visitor"),
    ),
    "ResidualWrapper": ("cell", "residual_fn"),
}
# What a module gets only where it is asked for.
OPTIONS = frozenset({"use_peepholes", "cell_clip", "num_proj"})
KEPT = ("input_keep_prob", "output_keep_prob")
CELL_ROLES = ("cell", "cell_fw", "cell_bw")
LOOPS = {
    "dynamic_rnn": ("cell", "inputs"),
    "bidirectional_dynamic_rnn": ("cell_fw", "cell_bw", "inputs"),
    "static_rnn": ("cell", "inputs"),
    "static_bidirectional_rnn": ("cell_fw", "cell_bw", "inputs"),
}


def called(walker: Any, owner: Value, node: ast.Call) -> Value:
    """A cell that is called by hand."""
    cells: Cells = owner.data
    given = _by_place(node, ("inputs", "state", "scope"))
    for argument, value in given.items():
        if argument != "scope":
            walker.expression(value)
    if not {"inputs", "state"} <= set(given):
        raise Blocked(node, "a cell that is called without inputs and state")
    scope = _scope(walker, node, given.get("scope"), "")
    _applied(walker, node, [owner], scope, by_hand=True)
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.call(
        cells, node, given, scope, writer
    )
    return _result(Value(Kind.TENSOR), [cells])


def method(walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
    """``zero_state`` of a cell.

    Raises:
        Blocked: another method.
    """
    if attribute != "zero_state":
        raise Blocked(node, f"`.{attribute}()` of a cell isn't followed")
    values = walker.arguments(node)
    walker.kept.setdefault(KEY, set()).add("zero")
    assert isinstance(node.func, ast.Attribute)
    held = node.func.value

    def spec(writer: Any) -> str:
        return str(writer.module.recurrent.spec(writer.text.source(held)))

    if isinstance(held, (ast.Name, ast.Attribute)):
        walker.kept.setdefault("specs", {})[id(node)] = spec
    kind = Kind.TENSOR if any(v.kind in RUNTIME for v in values) else Kind.CONST
    return Value(kind, None if owner.data.single else "container", node=node)


def makes_cells(walker: Any, node: ast.AST) -> bool:
    """Whether a function gives cells that it makes."""
    made = {
        target.id
        for n in ast.walk(node)
        if isinstance(n, ast.Assign) and _is_cell(walker, n.value)
        for target in n.targets
        if isinstance(target, ast.Name)
    }
    returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value]
    return bool(returned) and all(
        _is_cell(walker, v) or (isinstance(v, ast.Name) and v.id in made) for v in returned
    )


def _is_cell(walker: Any, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if walker.endpoints.get(id(node.func)) in CELLS:
        return True
    callee = walker._module_function(node.func)
    return callee is not None and node not in ast.walk(callee) and makes_cells(walker, callee)


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
            stack.extend(ast.iter_child_nodes(n))
        elif isinstance(node, (ast.Assign, ast.Expr, ast.Return)) and id(n) in roles:
            found.append((roles[id(n)], n))
        else:
            raise Blocked(n, "cells that are made in a loop or a branch of a run")
    return sorted(found, key=lambda pair: (pair[1].lineno, pair[1].col_offset))


def _by_place(node: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
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
    given = _by_place(node, own) if own is not None else walker.bound(endpoint, node)
    walker.stateful = True
    found: list[Cells] = []
    kept: dict[str, tuple[ast.expr, dict[Symbol, None]]] = {}
    for argument, value in given.items():
        if argument in IDLE:
            _idle(walker, argument, value)
            continue
        if argument not in CELL_ARGUMENTS[name] and not _none(value):
            raise Blocked(value, f"`{argument}` of {name}")
        if argument in KEPT:
            uses = _fed(walker, value)
            if uses is not None:
                kept[argument] = (value, uses)
            continue
        what = walker.host(value)
        if argument in ("cell", "cells"):
            if not isinstance(what.data, Cells):
                raise Blocked(value, "the cells aren't seen")
            found.append(what.data)
        elif argument.endswith("initializer"):
            described = walker.described(value)
            if described is None and not _none(value):
                raise Blocked(value, "an initializer that isn't seen")
            walker.kept.setdefault("cell initializers", {})[id(value)] = described
        elif argument == "activation" and isinstance(value, ast.Constant) and not _none(value):
            raise Blocked(value, f"`{argument}` of {name} is a word")
        elif what.kind not in (Kind.HOST, Kind.ENDPOINT, Kind.FUNCTION, Kind.NONE):
            raise Blocked(value, f"`{argument}` of {name} is a {what.kind.value}")
    if not found:
        walker.created.append(None)
    known = walker.kept.setdefault(KEY, set())
    known |= {a for a in given if a in OPTIONS and not _none(given[a])}
    single = name in ("BasicRNNCell", "GRUCell")
    if name.endswith("Wrapper"):
        single = found[0].single
        walker.sink.random = name == "DropoutWrapper" or walker.sink.random
    inner = together(found)
    if inner or kept:
        known.add("kept")
        if name == "DropoutWrapper" and "DropoutWrapper" in found[0].names:
            raise Blocked(node, "dropout around dropout, of which one is fed")
    made = Cells(frozenset({name}).union(*(c.names for c in found)), {**inner, **kept}, single)
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.cell(
        name, node, given, frozenset(kept), writer
    )
    return Value(Kind.HOST, made, node=node)


def _fed(walker: Any, node: ast.expr) -> dict[Symbol, None] | None:
    """What of a run a share to keep is made of; None: it is Python's."""
    symbol = _named(walker, node)
    if symbol is not None and symbol.value.kind in RUNTIME:
        if symbol.value.symbol is None:
            raise Blocked(node, "a share to keep that a run computes has no name")
        return {symbol.value.symbol: None}
    value = walker.host(node)
    if value.kind not in (Kind.HOST, Kind.CONST):
        raise Blocked(node, f"a share to keep is a {value.kind.value}")
    return None


def _named(walker: Any, node: ast.expr) -> Symbol | None:
    """What a name means; a function that has it in a cell needn't go where it goes."""
    if isinstance(node, ast.Name):
        frame = walker.frame
        while frame is not None and node.id not in frame.env:
            frame = frame.parent
        return frame.env[node.id] if frame is not None else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = _named(walker, node.value)
        if owner is not None and owner.value.kind is Kind.OBJECT:
            found: Symbol | None = owner.value.data.attrs.get(node.attr)
            return found
    return None


def _idle(walker: Any, argument: str, node: ast.expr) -> None:
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
    raise Blocked(node, f"a cell with `{argument}`")


@family(
    *(T + "nn." + name for name in LOOPS),
    *(T + "contrib.rnn." + name for name in LOOPS),
)
def loop(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """Cells that run over time."""
    name = endpoint.rpartition(".")[2]
    given = walker.bound(T + "nn." + name, node)
    cells: list[Value] = []
    known = walker.kept.setdefault(KEY, set())
    known.add("zero")
    sequence: Value | None = None
    for argument, value in given.items():
        if argument in IDLE:
            _idle(walker, argument, value)
            continue
        if argument == "scope":
            continue
        what = walker.expression(value)
        if argument.startswith("cell"):
            if not isinstance(what.data, Cells):
                raise Blocked(value, "the cell isn't seen")
            cells.append(what)
            if not walker.nested:
                walker.kept.setdefault("cell roles", {})[id(value)] = argument
        elif argument == "inputs":
            sequence = what
        elif argument == "time_major":
            if not isinstance(value, ast.Constant):
                raise Blocked(value, "whether time comes first is computed")
            known.update({"major"} if value.value else ())
        elif not _none(value):
            known.add("lengths" if argument == "sequence_length" else "initial")
    if sequence is None or not cells:
        raise Blocked(node, f"{name} without cells or inputs")
    default = "bidirectional_rnn" if "bidirectional" in name else "rnn"
    scope = _scope(walker, node, given.get("scope"), default)
    _applied(walker, node, cells, scope)
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.loop(
        name, node, given, cells[0].data, scope, writer
    )
    datas = [c.data for c in cells]
    if len(cells) == 1:
        outputs = Value(Kind.TENSOR, "container" if name == "static_rnn" else None)
        return _result(outputs, datas)
    states = [Value(Kind.TENSOR, None if d.single else "container") for d in datas]
    pair = Value(Kind.TENSOR, None, [(i, Value(Kind.TENSOR)) for i in range(2)])
    if name == "bidirectional_dynamic_rnn":
        last = Value(Kind.TENSOR, None, list(enumerate(states)))
        return Value(Kind.TENSOR, None, [(0, pair), (1, last)])
    listed = Value(Kind.TENSOR, "container")
    return Value(Kind.TENSOR, None, [(0, listed), (1, states[0]), (2, states[1])])


def _result(outputs: Value, cells: list[Cells]) -> Value:
    state = Value(Kind.TENSOR, None if cells[0].single else "container")
    return Value(Kind.TENSOR, None, [(0, outputs), (1, state)])


def _scope(walker: Any, node: ast.Call, own: ast.expr | None, default: str) -> str:
    """The variable scope of a cell's variables, as TF 1 opens it."""
    if own is not None and _none(own):
        own = None
    if own is not None and not (isinstance(own, ast.Constant) and own.value):
        if ast.unparse(own).endswith("get_variable_scope()"):
            own, default = None, ""
        elif walker.host(own).kind is not Kind.HOST:
            raise Blocked(own, "the scope of a cell isn't a word")
    tail = default
    if own is not None:
        tail = str(own.value) if isinstance(own, ast.Constant) else "{" + ast.unparse(own) + "}"
    open_scopes: list[Scope] = [s for s in walker.scopes if not s.ops_only]
    if any(s.name is None for s in open_scopes):
        raise Blocked(node, "a variable whose name is computed")
    return "/".join(n for n in (*(str(s.name) for s in open_scopes), tail) if n)


def _applied(
    walker: Any, node: ast.Call, owners: list[Value], scope: str, by_hand: bool = False
) -> None:
    """Remember where cells get their variables; the same ones again must be the same cells."""
    known = walker.kept.setdefault("applied cells", {})
    before = known.get(id(node))
    if before is not None and before[1] != scope:
        raise Blocked(node, "cells that are applied in several scopes")
    datas = [o.data for o in owners]
    for other, (others, path, _) in known.items():
        if other != id(node) and path == scope and all(o not in datas for o in others):
            raise Blocked(node, f"the variables of the scope `{scope}` are found again")
    known[id(node)] = (datas, scope, by_hand)
    for owner in owners:
        if owner.data.kept and walker.frame.region is None:
            raise Blocked(node, "a function applies a cell whose share to keep is fed")
        for _, uses in owner.data.kept.values():
            walker.sink.uses.update(uses)
        walker.sink.random |= "DropoutWrapper" in owner.data.names
    if before is not None:
        return
    places = [node.func]
    if not by_hand:
        named = {k.arg: k.value for k in node.keywords}
        places = [*node.args[: len(owners)], *(v for a, v in named.items() if a in CELL_ROLES)]
    for place, owner in zip(places, owners, strict=True):
        walker.kept.setdefault("held cells", []).append((place, owner.data, walker.frame))
        seen = isinstance(place, (ast.Name, ast.Attribute, ast.Call))
        cell = place if seen and walker.frame.region is not None else None
        path = None if "{" in scope else scope
        walker.owned.append(Owned(path, None, cell=cell))


def holds(walker: Any, place: ast.expr, at: ast.AST) -> None:
    """The name of a cell must mean it here, and later on.

    Raises:
        Blocked: it means something else.
    """
    if isinstance(place, ast.Call):
        return
    known = next(d for p, d, _ in walker.kept["held cells"] if p is place)
    symbol = _named(walker, place)
    if symbol is None or symbol.value.data is not known:
        raise Blocked(at, f"`{ast.unparse(place)}` means another cell by now")
    walker.expression(place)


def held(walker: Any, at: ast.AST) -> tuple[list[tuple[str, str]], list[ast.Call]]:
    """The cells that have variables by now: under names that a place sees, and nameless ones.

    Raises:
        Blocked: one can't be named there.
    """
    named: list[tuple[str, str]] = []
    made: list[ast.Call] = []
    for place, data, frame in walker.kept.get("held cells", ()):
        if frame is not walker.frame and frame.node is not walker.tree:
            raise Blocked(at, "the cells of another function are saved")
        symbol = _named(walker, place)
        if isinstance(place, ast.Call) and frame is walker.frame:
            made.append(place)
        elif symbol is None or symbol.value.data is not data:
            raise Blocked(at, "a cell that a Saver would save has no name here")
        else:
            source = ast.unparse(place)
            named.append((source.rpartition(".")[2], source))
    return named, made


@dataclass(slots=True, eq=False, repr=False)
class Opened:
    """The scope that is open: asked for what a cell doesn't need."""

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``reuse_variables`` in a loop that calls cells: they keep their variables anyway."""
        if attribute != "reuse_variables" or not walker.loops:
            raise Blocked(node, f"`.{attribute}()` of a variable scope isn't followed")
        return Value(Kind.SETTING, node=node)


@family(T + "get_variable_scope")
def scope_at(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """The scope that is open."""
    return Value(Kind.OTHER, Opened(), node=node)


def _none(node: ast.expr) -> bool:
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
