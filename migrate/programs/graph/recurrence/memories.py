"""What cells that attend look at: it is given where they are applied, as a run has it there.

In TensorFlow 1 a mechanism is made around its memory. Where a loop makes cells for what it has
computed, ``for n in range(layers): bidirectional_dynamic_rnn(attend(x), attend(x), x, …)``, they
are made in a list before it, without one: the memory then stands in the call that applies them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.fetching.structures import Structure
from migrate.programs.graph.model import NOTHING, RUNTIME, Blocked, Kind, Symbol, Value
from migrate.programs.graph.recurrence.cells import MEMORY, Cells, Kept
from migrate.programs.graph.recurrence.recurrent import KEY, named, none
from migrate.programs.graph.wording.spelled import Written, same, word

DROPOUT = "DropoutWrapper"


def uses(walker: Any, argument: str, node: ast.expr) -> dict[Symbol, None]:
    """What of a run a memory is.

    Raises:
        Blocked: it has no name there.
    """
    symbol = named(walker, node)
    if symbol is None or symbol.value.kind not in RUNTIME or symbol.value.symbol is None:
        raise Blocked(node, f"`{argument}` of an attention mechanism has no name")
    return {symbol.value.symbol: None}


def nothing(walker: Any, node: ast.expr) -> bool:
    """Whether an argument is None, as it stands or by the name of a parameter."""
    if none(node):
        return True
    symbol = named(walker, node) if isinstance(node, ast.Name) else None
    return symbol is not None and symbol.value.data == NOTHING


def split(node: ast.Call) -> tuple[ast.Call, dict[str, ast.expr]]:
    """A call as TF 1 knows it, and the memory that was written into it."""
    own = {k.arg: k.value for k in node.keywords if k.arg in MEMORY}
    if not own:
        return node, {}
    others = [k for k in node.keywords if k.arg not in MEMORY]
    plain = ast.copy_location(ast.Call(node.func, node.args, others), node)
    return plain, {str(name): value for name, value in own.items()}


def at(walker: Any, node: ast.Call, cells: Sequence[Cells], own: dict[str, ast.expr]) -> Kept:
    """What a run gives cells where they are applied together.

    Raises:
        Blocked: one isn't given what the others are, or a name means something else by now.
    """
    attends = [c for c in cells if c.kind == "attention"]
    if attends and len(attends) < len(cells):
        raise Blocked(node, "of two cells only one attends")
    if any(c.late != bool(own) for c in attends) or (own and not attends):
        raise Blocked(node, "a memory is given to cells that have one, or none")
    found: Kept = {}
    for name in dict.fromkeys(n for c in cells for n in c.kept):
        those = cells if name in MEMORY else [c for c in cells if DROPOUT in c.names]
        place, symbols = next(c.kept[name] for c in those if name in c.kept)
        if any(name not in c.kept or [*c.kept[name][1]] != [*symbols] for c in those):
            what = "that attend to different things" if name in MEMORY else ""
            what = what or f"whose `{name}` isn't the same in a run"
            raise Blocked(node, f"cells {what}")
        if name in MEMORY and not any(_is(walker, symbol) for symbol in symbols):
            raise Blocked(node, f"`{ast.unparse(place)}` means something else by now")
        found[name] = place, symbols
    for name, value in own.items():
        walker.expression(value)
        found[name] = value, uses(walker, name, value)
        walker.sink.uses.update(found[name][1])
        walker.kept.setdefault(KEY, set()).update({"lengths_kept"} if name == MEMORY[1] else ())
    if own and walker.frame.region is None:
        raise Blocked(node, "a function applies a cell that attends")
    return found


def _is(walker: Any, wanted: Symbol) -> bool:
    """Whether what a run has under a name is still what it was."""
    frame = walker.frame
    while frame is not None:
        symbol = frame.env.get(wanted.name)
        if symbol is not None:
            return bool(symbol.value.symbol is wanted)
        for owner in frame.env.values():
            if owner.value.kind is Kind.OBJECT:
                kept = owner.value.data.attrs.get(wanted.name)
                if kept is not None and kept.value.symbol is wanted:
                    return True
        frame = frame.parent
    return False


def moved(
    walker: Any, cells: Cells, call: ast.Call, node: ast.Call, bound: set[str]
) -> tuple[Callable[[Any], str], str, list[Written]] | None:
    """A cell's call without its memory, and what gives it to the run's call.

    That stands behind the cell, or is changed elsewhere.

    None where the memory's place isn't seen.
    """
    maker = _maker(walker, call)
    known = {k: v for k, (v, _) in cells.kept.items() if k in MEMORY}
    if maker is None or not (known or cells.late):
        return None
    plain, own = split(node)
    edits: list[Written] = []
    moves: dict[str, ast.expr] = {}
    given = dict(_given(maker, call))
    gone: set[int] = set()
    behind = ""
    for name, place in known.items():
        if not holds(maker, place) or not isinstance(place, (ast.Name, ast.Attribute)):
            return None
        text = ast.unparse(place)
        reads = [n for n in all_of(maker, ast.Name) if n.id == text]
        if text in {a.arg for a in maker.args.args}:
            argument = given.get(text)
            if reads != [place] or not isinstance(argument, (ast.Name, ast.Attribute)):
                return None
            gone.add(id(argument))
            moves[name] = argument
            continue
        stored = {n.id for n in all_of(maker, ast.Name) if not isinstance(n.ctx, ast.Load)}
        if text.partition(".")[0] in stored or not _only(walker, maker, node):
            return None
        edits.append((place, word("None")))
        moves[name] = place
    gone |= {id(a) for name, a in given.items() if _unread(maker, name, a, bound)}
    if own:
        if {k: ast.unparse(v) for k, v in own.items()} != {
            k: ast.unparse(v) for k, v in moves.items()
        } and moves:
            return None
    elif moves:
        last = max(
            (*plain.args, *(k.value for k in plain.keywords)),
            key=lambda n: (n.end_lineno, n.end_col_offset),
        )
        more = "".join(f", {name}={ast.unparse(value)}" for name, value in moves.items())
        if last is call:
            behind = more
        else:
            edits.append((last, same(last, after=more)))

    def written(source: Any) -> str:
        parts = ["None" if id(a) in gone else source(a) for a in call.args]
        parts += [
            f"{k.arg}={'None' if id(k.value) in gone else source(k.value)}" for k in call.keywords
        ]
        return f"{source(call.func)}({', '.join(parts)})"

    return written, behind, edits


def left(walker: Any, call: ast.Call, cells: Cells, bound: set[str]) -> set[int]:
    """The parts of a cell's call that go with its memory, of names that a loop binds."""
    found = _maker(walker, call)
    if found is None:
        return set()
    places = [ast.unparse(v) for k, (v, _) in cells.kept.items() if k in MEMORY]
    given = _given(found, call)
    return {id(a) for name, a in given if name in places or _unread(found, name, a, bound)}


def _unread(maker: ast.FunctionDef, name: str, argument: ast.expr, bound: set[str]) -> bool:
    """Whether nothing reads what a function is given of a loop."""
    changes = isinstance(argument, ast.Name) and argument.id in bound
    return changes and all(n.id != name for n in all_of(maker, ast.Name))


def _maker(walker: Any, call: ast.expr) -> ast.FunctionDef | None:
    """The function of a name that a call gives."""
    symbol = named(walker, call.func) if isinstance(call, ast.Call) else None
    node = getattr(symbol.value.data, "node", None) if symbol is not None else None
    return node if isinstance(node, ast.FunctionDef) else None


def _given(maker: ast.FunctionDef, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """The arguments of a call by the names of its function's parameters."""
    names = [a.arg for a in maker.args.args]
    yield from zip(names, call.args, strict=False)
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value


def _only(walker: Any, maker: ast.FunctionDef, node: ast.Call) -> bool:
    """Whether a function is called in one call of a run only."""
    reads = [n for n in all_of(walker.tree, ast.Name) if n.id == maker.name]
    return all(holds(node, n) for n in reads)


def attending(cell: Value, state: Value, node: ast.expr) -> None:
    """A cell that attends begins with a state of its own, and no other cell does.

    Raises:
        Blocked: the state isn't that.
    """
    own = isinstance(state.data, Structure) and state.data.clones
    if own is not (cell.data.kind == "attention"):
        raise Blocked(node, "the first state of a decoder isn't seen to be its cell's")
