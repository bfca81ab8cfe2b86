"""Attention of `tf.contrib.seq2seq`: a mechanism, and the cell that looks at a memory by it.

Both are Python's and own their variables. The memory, which a run computes, is given where the
cell is applied, as a fed share of dropout is: `dynamic_decode(decoder, memory=encoder_outputs)`.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.recurrence import memories
from migrate.programs.graph.recurrence.cells import MEMORY, Cells, Kept, Shape
from migrate.programs.graph.recurrence.recurrent import CELL_ARGUMENTS, KEY, idle, none
from migrate.programs.graph.scoping import scopes

SEQ2SEQ = T + "contrib.seq2seq."
MECHANISMS = {"BahdanauAttention": "normalize", "LuongAttention": "scale"}
WRAPPER = "AttentionWrapper"


@family(*(SEQ2SEQ + name for name in MECHANISMS))
def mechanism(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """What scores a memory; its first layer has its variable here."""
    name = endpoint.rpartition(".")[2]
    given = walker.bound(endpoint, node)
    walker.stateful = True
    option = MECHANISMS[name]
    kept: Kept = {}
    for argument, value in given.items():
        if argument in MEMORY:
            walker.kept.setdefault("fed shares", set()).add(id(value))
            if not memories.nothing(walker, value):
                kept[argument] = value, memories.uses(walker, argument, value)
        elif argument == "dtype":
            idle(walker, argument, value)
        elif argument == option:
            if not isinstance(value, ast.Constant):
                raise Blocked(value, f"`{argument}` of {name} is computed")
            walker.kept.setdefault(KEY, set()).update({option} if value.value else ())
        elif argument in ("num_units", "name"):
            if (of := walker.host(value).kind) not in (Kind.HOST, Kind.NONE, Kind.ENDPOINT):
                raise Blocked(value, f"`{argument}` of {name} is a {of.value}")
        elif not none(value):
            raise Blocked(value, f"`{argument}` of {name}")
    if "num_units" not in given or "memory" not in given or (kept and "memory" not in kept):
        raise Blocked(node, f"{name} without a size or a memory")
    scopes.plain(walker, node)
    opened = [s.name for s in walker.scopes if not s.ops_only]
    if any(n is None or "{" in n for n in opened):
        raise Blocked(node, f"{name} in a scope whose name is computed")
    if any(s.reuse for s in walker.scopes):
        raise Blocked(node, f"{name} whose variables are found again")
    scope = "/".join(map(str, opened))
    layers = walker.kept.setdefault("memory layers", {}).setdefault(scope, [])
    layers.append(node if walker.frame.region is not None and not walker.loops else None)
    walker.created.append(None)
    features = walker.kept.setdefault(KEY, set())
    features |= {"attention", "kept"} | ({"lengths_kept"} if len(kept) > 1 else set())
    normal = isinstance(given.get(option), ast.Constant) and bool(given[option].value)
    leaves = [("memory_layer/kernel", "memory_kernel")]
    below = {"BahdanauAttention": "bahdanau_attention", "LuongAttention": "luong_attention"}[name]
    if name == "BahdanauAttention":
        leaves += [(f"{below}/query_layer/kernel", "query_kernel"), (f"{below}/attention_v", "v")]
    if normal:
        leaves.append((f"{below}/attention_g", "g"))
        leaves += [(f"{below}/attention_b", "b")] if name == "BahdanauAttention" else []
    # Which of several TF 1 numbers as it makes them isn't told.
    alone = len(layers) == 1 and layers[0] is node
    shape = Shape(name, scope, None, tuple(leaves)) if alone else None
    made = Cells(frozenset({name}), kept, True, shape, kind="memory", late=not kept)
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.mechanism(
        name, node, given, scope, writer
    )
    return Value(Kind.HOST, made, node=node)


@family(SEQ2SEQ + WRAPPER)
def wrapper(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A cell whose inputs and outputs have in them what it looked at."""
    given = walker.bound(endpoint, node)
    walker.stateful = True
    for argument in ("cell", "attention_mechanism", "attention_layer_size"):
        if argument not in given or none(given[argument]):
            raise Blocked(node, f"{WRAPPER} without `{argument}`")
    cell, by = (walker.host(given[n]).data for n in ("cell", "attention_mechanism"))
    if not isinstance(cell, Cells) or cell.kind or not cell.names <= set(CELL_ARGUMENTS):
        raise Blocked(given["cell"], "the cell that attends isn't seen")
    if not isinstance(by, Cells) or by.kind != "memory" or by.several:
        raise Blocked(given["attention_mechanism"], "the attention mechanism isn't seen")
    _own(walker, node, by, given["attention_mechanism"])
    for argument, value in given.items():
        if argument == "attention_layer_size":
            if isinstance(value, (ast.List, ast.Tuple)) or walker.host(value).kind not in (
                Kind.HOST,
                Kind.NONE,
                Kind.ENDPOINT,
            ):
                raise Blocked(value, f"`{argument}` of {WRAPPER} isn't a number")
        elif argument in ("alignment_history", "output_attention"):
            always = argument == "output_attention"
            if not isinstance(value, ast.Constant) or (always and not value.value):
                raise Blocked(value, f"`{argument}` of {WRAPPER}")
        elif argument == "dtype":
            idle(walker, argument, value)
        elif argument == "name":
            if not (isinstance(value, ast.Constant) and (value.value is None or value.value)):
                raise Blocked(value, f"the name of {WRAPPER} is computed")
        elif argument not in ("cell", "attention_mechanism") and not none(value):
            raise Blocked(value, f"`{argument}` of {WRAPPER}")
    own = given.get("name")
    name = str(own.value) if isinstance(own, ast.Constant) and own.value else "attention_wrapper"
    shape = None
    if cell.shape is not None and by.shape is not None:
        leaves = (("attention_layer/kernel", "attention_kernel"),)
        shape = Shape(WRAPPER, name, cell.shape, leaves, (by.shape,))
    walker.created.append(None)
    names = cell.names | {WRAPPER}
    made = Cells(names, {**cell.kept, **by.kept}, cell.single, shape, kind="attention")
    made.late, made.name = by.late, name
    looked = given.get("alignment_history")
    if isinstance(looked, ast.Constant) and looked.value:
        made.history = True
        walker.kept.setdefault(KEY, set()).add("history")
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.attending(
        node, given, writer
    )
    return Value(Kind.HOST, made, node=node)


def _own(walker: Any, node: ast.Call, by: Cells, place: ast.expr) -> None:
    """See that a mechanism which makes variables where it is applied scores for one cell.

    Raises:
        Blocked: for a second one TF 1 makes others.
    """
    plain = by.names == {"LuongAttention"} and "scale" not in walker.kept.get(KEY, ())
    users: dict[int, tuple[Cells, list[tuple[ast.Call, Any]]]]
    users = walker.kept.setdefault("mechanisms' cells", {})
    _, known = users.setdefault(id(by), (by, []))
    if all(n is not node or frame is not walker.frame for n, frame in known):
        known.append((node, walker.frame))
    if len(known) > 1 and not plain:
        raise Blocked(place, "a mechanism that scores for several cells")
