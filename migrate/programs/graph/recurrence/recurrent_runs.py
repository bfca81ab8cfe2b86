"""What runs recurrent cells: over time, or by hand; whose variables they are."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.fetching import structures
from migrate.programs.graph.layering import layer_objects
from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.made import Scope, family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Kind, Region, Value
from migrate.programs.graph.recurrence import (
    attention_stacks,
    cell_starts,
    cell_types,
    listed_cells,
    looped_cells,
    memories,
)
from migrate.programs.graph.recurrence.cells import MEMORY, Cells, Kept, Shape
from migrate.programs.graph.recurrence.recurrent import (
    CELL_ARGUMENTS,
    CELL_ROLES,
    IDLE,
    KEY,
    LOOPS,
    by_place,
    idle,
    named,
    none,
)
from migrate.programs.graph.scoping import scope_names, scope_reuse, scopes


def called(walker: Any, owner: Value, node: ast.Call) -> Value:
    """A cell that is called by hand."""
    cells: Cells = owner.data
    if cells.kind == "layer":
        return layer_objects.called(walker, owner, node)
    if cells.kind:
        raise Blocked(node, "a cell with attention that is called by hand")
    given = by_place(node, ("inputs", "state", "scope"))
    for argument, value in given.items():
        if argument != "scope":
            walker.expression(value)
    if not {"inputs", "state"} <= set(given):
        raise Blocked(node, "a cell that is called without inputs and state")
    if "variational" in walker.kept.get(KEY, ()) and "DropoutWrapper" in cells.names:
        raise Blocked(node, "a cell that drops the same in all steps, called by hand")
    if "scope" in given and not cells.names <= set(CELL_ARGUMENTS):
        raise Blocked(node, "a cell of one's own that is given a scope")
    scope = scope_of(walker, node, given.get("scope"), "")
    cell_types.over(walker, given["inputs"], False, [cells])
    applied(walker, node, [owner], scope, by_hand=True)
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.call(
        cells, node, given, scope, writer
    )
    return result(Value(Kind.TENSOR), [cells])


@family(
    *(T + "nn." + name for name in LOOPS),
    *(T + "contrib.rnn." + name for name in LOOPS),
)
def loop(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """Cells that run over time."""
    name = endpoint.rpartition(".")[2]
    plain, own = memories.split(node)
    given = walker.bound(T + "nn." + name, plain)
    cells: list[Value] = []
    known = walker.kept.setdefault(KEY, set())
    known.add("zero")
    sequence: Value | None = None
    double = False
    for argument, value in given.items():
        if argument == "dtype" and (told := cell_types.said(walker, value)) is not None:
            double = told
            continue
        if argument in IDLE:
            idle(walker, argument, value)
            continue
        if argument == "scope":
            continue
        what = walker.expression(value)
        if argument.startswith("cell"):
            if not isinstance(what.data, Cells):
                raise Blocked(value, "the cell isn't seen")
            if what.data.kind not in ("", "attention"):
                raise Blocked(value, "the cell isn't seen")
            cells.append(what)
            if id(value) in walker.kept.get("cell makers", ()):
                looped_cells.check(walker, argument, value, what.data, node)
            if not walker.nested:
                walker.kept.setdefault("cell roles", {})[id(value)] = argument
        elif argument == "inputs":
            sequence = what
        elif argument == "time_major":
            if not isinstance(value, ast.Constant):
                raise Blocked(value, "whether time comes first is computed")
            known.update({"major"} if value.value else ())
        elif not none(value):
            known.add("lengths" if argument == "sequence_length" else "initial")
    if sequence is None or not cells:
        raise Blocked(node, f"{name} without cells or inputs")
    default = "bidirectional_rnn" if "bidirectional" in name else "rnn"
    scope = scope_of(walker, node, given.get("scope"), default)
    applied(walker, node, cells, scope)
    datas = [c.data for c in cells]
    if "sequence_length" in given and any(n.startswith("Conv") for d in datas for n in d.names):
        raise Blocked(node, "lengths of sequences for a cell of convolutions")
    cell_types.over(walker, given["inputs"], double, datas)
    given_there = memories.at(walker, node, datas, own)
    if any(c.kind for c in datas):
        _attending(walker, name, node, given, cells, given_there)
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.loop(
        name, node, given, given_there, scope, writer
    )
    if len(cells) == 1:
        outputs = Value(Kind.TENSOR, "container" if name == "static_rnn" else None)
        return result(outputs, datas)
    states = [_state(d) for d in datas]
    pair = Value(Kind.TENSOR, None, [(i, Value(Kind.TENSOR)) for i in range(2)])
    if name == "bidirectional_dynamic_rnn":
        last = Value(Kind.TENSOR, None, list(enumerate(states)))
        return Value(Kind.TENSOR, None, [(0, pair), (1, last)])
    listed = Value(Kind.TENSOR, "container")
    return Value(Kind.TENSOR, None, [(0, listed), (1, states[0]), (2, states[1])])


def result(outputs: Value, cells: list[Cells]) -> Value:
    """Outputs, and the last state of a cell."""
    return Value(Kind.TENSOR, None, [(0, outputs), (1, _state(cells[0]))])


def _state(cells: Cells) -> Value:
    if cells.stacked:
        return attention_stacks.state()
    inner = Value(Kind.TENSOR, None if cells.single else "container")
    return structures.attention(inner, cells.history) if cells.kind == "attention" else inner


def _attending(
    walker: Any,
    name: str,
    node: ast.Call,
    given: dict[str, ast.expr],
    cells: list[Value],
    kept: Kept,
) -> None:
    """Cells that attend, over time.

    Raises:
        Blocked: they go through a list, or begin with what isn't seen to be their state.
    """
    if name not in ("dynamic_rnn", "bidirectional_dynamic_rnn"):
        raise Blocked(node, f"a cell with attention in {name}")
    known = walker.kept.setdefault(KEY, set())
    known |= {"attended"} | ({"attended_lengths"} if len(set(MEMORY) & set(kept)) > 1 else set())
    ways = ("_fw", "_bw") if len(cells) > 1 else ("",)
    for way, cell in zip(ways, cells, strict=True):
        begin = given.get(f"initial_state{way}")
        if begin is not None and not none(begin):
            memories.attending(cell, walker.expression(begin), begin)


def scope_of(walker: Any, node: ast.Call, own: ast.expr | None, default: str) -> str:
    """The variable scope of a cell's variables, as TF 1 opens it."""
    scopes.plain(walker, node, "regularizer")
    if own is not None and none(own):
        own = None
    if own is not None and not (isinstance(own, ast.Constant) and own.value):
        if ast.unparse(own).endswith("get_variable_scope()") or _open(walker, own):
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


def _open(walker: Any, node: ast.expr) -> bool:
    """Whether a name is the scope that is open: ``with tf.variable_scope("x") as scope``."""
    symbol = named(walker, node) if isinstance(node, ast.Name) else None
    inner = [s for s in walker.scopes if not s.ops_only][-1:]
    if symbol is None or symbol.value.kind is not Kind.SETTING or not inner:
        return False
    return symbol.value.node is not None and symbol.value.node is inner[0].opened


def applied(
    walker: Any,
    node: ast.Call,
    owners: list[Value],
    scope: str,
    by_hand: bool = False,
    places: list[ast.expr] | None = None,
) -> None:
    """Remember where cells get their variables; the same ones again must be the same cells."""
    known = walker.kept.setdefault("applied cells", {})
    before = known.get(id(node))
    if before is not None and before[1] != scope:
        raise Blocked(node, "cells that are applied in several scopes")
    datas = [o.data for o in owners]
    cell_starts.noted(walker, node, datas)
    for other, (others, path, _) in known.items():
        again = other != id(node) and path == scope
        unseen = all(o not in datas or o.several for o in others)
        if again and unseen and not _apart(others, datas):
            raise Blocked(node, f"the variables of the scope `{scope}` are found again")
        if again_drawn(walker, others, datas) and other != id(node):
            raise Blocked(node, "a cell that drops the same in all steps, applied twice")
    known[id(node)] = (datas, scope, by_hand)
    for owner, below in zip(owners, ("/fw", "/bw") if len(owners) == 2 else ("",), strict=True):
        where = walker.kept.setdefault("cell scopes", {}).setdefault(id(owner.data), [])
        where.append(
            (None if "{" in scope else (scope + below).lstrip("/"), walker.naming.place(node))
        )
        if owner.data.kept and walker.frame.region is None:
            raise Blocked(node, "a function applies a cell whose share to keep is fed")
        for _, uses in owner.data.kept.values():
            walker.sink.uses.update(uses)
        walker.sink.random |= "DropoutWrapper" in owner.data.names
    if before is not None:
        return
    if places is None and by_hand:
        places = [node.func]
    elif places is None:
        named = {k.arg: k.value for k in node.keywords}
        places = [*node.args[: len(owners)], *(v for a, v in named.items() if a in CELL_ROLES)]
    for place, owner in zip(places, owners, strict=True):
        walker.kept.setdefault("held cells", []).append((place, owner.data, walker.frame))
        seen = isinstance(place, (ast.Name, ast.Attribute, ast.Call))
        cell = place if seen and walker.frame.region is not None else None
        path = None if "{" in scope else scope
        walker.owned.append(Owned(path, None, cell=cell, listed=listed_cells.of(walker, place)))


def again_drawn(walker: Any, some: list[Cells], others: list[Cells]) -> bool:
    """Whether a cell whose noise is drawn once a run is among others, too."""
    if "variational" not in walker.kept.get(KEY, ()):
        return False
    return any("DropoutWrapper" in c.names and c in others for c in some)


def _apart(some: list[Cells], others: list[Cells]) -> bool:
    """Whether names tell the variables of cells in one scope apart: `rnn/attention_wrapper/…`."""
    first, second = ({c.name or _beginning(c.shape) for c in cells} for cells in (some, others))
    return not first & second and None not in first | second


def _beginning(shape: Shape | None) -> str | None:
    """How the names of a cell's variables begin; None: it isn't seen."""
    if shape is None:
        return None
    if shape.kind == "MultiRNNCell":
        return "multi_rnn_cell"
    if shape.kind == "AttentionWrapper" or not (shape.inner or shape.leaves or shape.others):
        return shape.name or None
    return _beginning(shape.inner)


def holds(walker: Any, place: ast.expr, at: ast.AST) -> None:
    """The name of a cell must mean it here, and later on.

    Raises:
        Blocked: it means something else.
    """
    if isinstance(place, ast.Call):
        return
    known, frame = next((d, f) for p, d, f in walker.kept["held cells"] if p is place)
    region = walker.frame.region
    if isinstance(place, ast.Name) and region is not None and _elsewhere(walker, frame):
        here, walker.frame = walker.frame, frame
        symbol = named(walker, place)
        walker.frame = here
        if symbol is not None and symbol.value.data is known:  # it is to become an attribute
            walker.kept.setdefault("unseen", []).append((place, frame.node, place.id))
            walker.sink.uses[symbol] = None
            return
    symbol = named(walker, place)
    if symbol is None or symbol.value.data is not known:
        raise Blocked(at, f"`{ast.unparse(place)}` means another cell by now")
    walker.expression(place)


def stays(walker: Any, place: ast.expr | None, function: ast.AST | None) -> bool:
    """Whether the name of a cell still means it where its function ends."""
    if not isinstance(place, ast.Name):
        return False
    told: dict[int, bool] = walker.kept.setdefault("staying cells", {})  # in all graphs
    for held, known, frame in walker.kept.get("held cells", ()):
        if held is place and id(place) not in told:
            symbol = frame.env.get(place.id)
            same = symbol is not None and symbol.value.data is known
            told[id(place)] = frame.node is function and same
    return told.get(id(place), False)


def _elsewhere(walker: Any, frame: Any) -> bool:
    """Whether a frame is another method's, of the object whose graph is being built."""
    region = walker.frame.region
    return (
        frame.region is region
        and isinstance(region.node, ast.ClassDef)
        and isinstance(frame.node, ast.FunctionDef)
        and frame.node is not walker.frame.node
    )


@dataclass(frozen=True, slots=True)
class Held:
    """A cell that has variables, and their scope in TF 1; None where it isn't seen."""

    cells: Cells
    scope: str | None
    order: int  # how many names were given before it


def held(
    walker: Any, at: ast.AST, owner: Callable[[Region], str]
) -> tuple[list[tuple[str, str]], list[ast.Call], dict[str | int, Held]]:
    """The cells that have variables by now: under names that a place sees, and nameless ones.

    The third tells them by what they are called, or by the call that makes them; ``owner`` names
    the object of a class.

    Raises:
        Blocked: one can't be named there.
    """
    found: list[tuple[str, str]] = []
    made: list[ast.Call] = []
    by: dict[str | int, Held] = {}
    for place, data, frame in walker.kept.get("held cells", ()):
        other = frame is not walker.frame and frame.node is not walker.tree
        inside = other and frame.region is not None and isinstance(frame.region.node, ast.ClassDef)
        if inside and isinstance(place, (ast.Name, ast.Attribute)):
            name = place.attr if isinstance(place, ast.Attribute) else place.id
            same = frame.region is walker.frame.region
            source = f"{'self' if same else owner(frame.region)}.{name}"
            if isinstance(place, ast.Name):  # it is to become an attribute
                walker.kept.setdefault("unseen", []).append((place, frame.node, name))
        elif other and stays(walker, place, frame.node) and id(frame.node) in walker.entered:
            continue  # it is among the layers of what its function returns
        elif other:
            lent = _lent(walker, data)
            if lent is None:
                raise Blocked(at, "the cells of another function are saved")
            source = lent
        else:
            source = ast.unparse(place)
        if source in by:
            continue  # it is run in several places
        if other and not inside:
            symbol = walker.frame.env[source]
        else:
            here, walker.frame = walker.frame, frame if inside else walker.frame
            symbol = named(walker, place)
            walker.frame = here
        where = walker.kept["cell scopes"][id(data)]
        scopes = {scope for scope, _ in where}
        known = Held(data, scopes.pop() if len(scopes) == 1 else None, where[0][1])
        if isinstance(place, ast.Call) and frame is walker.frame:
            made.append(place)
            by[id(place)] = known
        elif symbol is None or symbol.value.data is not data:
            raise Blocked(at, "a cell that a Saver would save has no name here")
        else:
            found.append((source.rpartition(".")[2], source))
            by[source] = known
    return found, made, by


def _lent(walker: Any, data: Cells) -> str | None:
    """What a cell that functions are given is called where a Saver is made."""
    names = [n for n, s in walker.frame.env.items() if s.value.data is data and not s.attribute]
    return names[0] if len(names) == 1 else None


@dataclass(slots=True, eq=False, repr=False)
class Opened:
    """The scope that is open: asked for what a cell doesn't need."""

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``reuse_variables`` in a loop that calls cells: they keep their variables anyway."""
        if attribute == "reuse_variables" and any(not s.ops_only for s in walker.scopes):
            return scopes.reuse_variables(walker, Value(Kind.SETTING), node)
        if attribute != "reuse_variables" or not scope_reuse.late(walker, node):
            raise Blocked(node, f"`.{attribute}()` of a variable scope isn't followed")
        return Value(Kind.SETTING, node=node)

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """``.reuse``, which the blocks around it tell, or ``.name``."""
        scope_names.current(walker, node)
        told = scope_reuse.told(walker, node)
        return HOST if told else Value(Kind.METHOD, (Value(Kind.OTHER, self), node.attr), node=node)


@family(T + "get_variable_scope")
def scope_at(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """The scope that is open."""
    return Value(Kind.OTHER, Opened(), node=node)
