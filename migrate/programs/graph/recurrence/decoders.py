"""Decoders of `tf.contrib.seq2seq`: what gives them inputs, what steps, and what runs them.

They are parts of a run, as tensors are. The cell and the layer over it are Python's and own their
variables; `dynamic_decode` applies them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.fetching import structures
from migrate.programs.graph.fetching.structures import Structure
from migrate.programs.graph.layering import layer_objects
from migrate.programs.graph.made import Function, family
from migrate.programs.graph.meaning import STATEFUL, T
from migrate.programs.graph.model import (
    RUNTIME,
    Blocked,
    Kind,
    Value,
    described,
)
from migrate.programs.graph.recurrence import attention_stacks, memories
from migrate.programs.graph.recurrence.attention import WRAPPER
from migrate.programs.graph.recurrence.cells import Cells
from migrate.programs.graph.recurrence.recurrent import CELL_ARGUMENTS, KEY, none
from migrate.programs.graph.recurrence.recurrent_runs import applied, scope_of

SEQ2SEQ = T + "contrib.seq2seq."
SCHEDULED = "ScheduledEmbeddingTrainingHelper"
# What each must be given.
HELPERS = {
    "TrainingHelper": ("inputs", "sequence_length"),
    "GreedyEmbeddingHelper": ("embedding", "start_tokens", "end_token"),
    SCHEDULED: ("inputs", "sequence_length", "embedding", "sampling_probability"),
}
# What a run asks of them has no counterpart.
IDLE = frozenset({"name", "parallel_iterations", "swap_memory"})
OUTPUT = ("rnn_output", "sample_id")
BEAM = ("cell", "embedding", "start_tokens", "end_token", "initial_state", "beam_width")


@dataclass(frozen=True, slots=True)
class Helper:
    """What gives a decoder its inputs."""

    name: str


@dataclass(frozen=True, slots=True)
class Decoder:
    """A cell, its first state, what gives its inputs, and the layer over its outputs."""

    cell: Value
    place: ast.expr
    layer: Value | None
    layer_place: ast.expr | None
    beams: bool = False  # it searches
    draws: bool = False  # it gives some of the symbols that it samples


@family(*(SEQ2SEQ + name for name in HELPERS))
def helper(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """What gives a decoder its inputs: a sequence, or the embeddings of what it wrote."""
    name = endpoint.rpartition(".")[2]
    given = _given(walker, endpoint, node)
    for argument, value in given.items():
        if argument == "time_major":
            if not isinstance(value, ast.Constant):
                raise Blocked(value, "whether time comes first is computed")
            walker.kept.setdefault(KEY, set()).update({"helper_major"} if value.value else ())
        elif argument == "embedding":
            _embedding(walker, value)
        else:
            if argument.endswith("seed") and not none(value):
                raise Blocked(value, f"`{argument}` of {name}")
            walker.join([walker.expression(value)], value)
    _asked(node, name, given, *HELPERS[name])
    if name == SCHEDULED:
        walker.kept.setdefault(KEY, set()).add("samples")
    _written(walker, name, node, given)
    return Value(Kind.TENSOR, Helper(name), node=node)


@family(SEQ2SEQ + "BasicDecoder", SEQ2SEQ + "BeamSearchDecoder")
def decoder(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A decoder, which `dynamic_decode` runs."""
    given = _given(walker, endpoint, node)
    name = endpoint.rpartition(".")[2]
    beams, draws = name == "BeamSearchDecoder", False
    _asked(node, name, given, *(BEAM if beams else ("cell", "helper", "initial_state")))
    cell = walker.expression(given["cell"])
    if not isinstance(cell.data, Cells) or cell.data.kind not in ("", "attention"):
        raise Blocked(given["cell"], "the cell of a decoder isn't seen")
    if not cell.data.names <= {*CELL_ARGUMENTS, WRAPPER}:
        raise Blocked(given["cell"], "a cell of one's own in a decoder")
    if cell.data.history:
        raise Blocked(given["cell"], "a decoder's cell with `alignment_history`")
    if beams:
        _search(walker, given)
    else:
        inputs = walker.expression(given["helper"]).data
        if not isinstance(inputs, Helper):
            raise Blocked(given["helper"], "what gives a decoder its inputs isn't seen")
        draws = inputs.name == SCHEDULED
    state = walker.expression(given["initial_state"])
    if state.kind not in (*RUNTIME, Kind.CONST):
        raise Blocked(given["initial_state"], f"the first state of a decoder is {described(state)}")
    memories.attending(cell, state, given["initial_state"])
    layer, place = None, given.get("output_layer")
    roles = walker.kept.setdefault("cell roles", {})
    if place is not None and not none(place):
        layer = walker.expression(place)
        if not isinstance(layer.data, Cells) or layer.data.kind != "layer":
            raise Blocked(place, "the layer over a decoder's outputs isn't seen")
        walker.kept.setdefault(KEY, set()).add("output_layer")
        if not walker.nested:
            roles[id(place)] = "output_layer"
    if not walker.nested:
        roles[id(given["cell"])] = "cell"
    _written(walker, name, node, given)
    made = Decoder(cell, given["cell"], layer, place if layer is not None else None, beams, draws)
    return Value(Kind.TENSOR, made, node=node)


@family(SEQ2SEQ + "dynamic_decode")
def dynamic_decode(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A decoder that runs until all sequences have ended."""
    plain, own = memories.split(node)
    given = _given(walker, endpoint, plain)
    _asked(node, "dynamic_decode", given, "decoder")
    known = walker.kept.setdefault(KEY, set())
    for argument, value in given.items():
        if argument == "scope":
            continue
        what = walker.expression(value)
        if argument == "decoder":
            continue
        if argument in ("output_time_major", "impute_finished"):
            if not isinstance(value, ast.Constant):
                raise Blocked(value, f"`{argument}` of a decoder is computed")
            known.update({argument} if value.value else ())
        elif not none(value):
            if argument != "maximum_iterations":
                raise Blocked(value, f"`{argument}` of a decoder")
            walker.join([what], value)
            known.add(argument)
    made = walker.expression(given["decoder"]).data
    if not isinstance(made, Decoder):
        raise Blocked(given["decoder"], "the decoder isn't seen")
    scope = scope_of(walker, node, given.get("scope"), "decoder")
    owners, places = [made.cell], [made.place]
    applied(walker, node, owners, scope, places=places)
    walker.sink.random |= made.draws
    layer_objects.seen(walker, made.place, made.cell, node)
    if made.layer is not None and made.layer_place is not None:
        layer_objects.applied(walker, node, made.layer, made.layer_place, scope)
    cells: Cells = made.cell.data
    given_there = memories.at(walker, node, [cells], own)
    kept = {k: v for k, v in given.items() if k != "scope"}
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.decode(
        node, kept, given.get("scope"), given_there, scope, writer
    )
    state = Value(Kind.TENSOR, None if cells.single else "container")
    if cells.stacked:
        state = attention_stacks.state()
    elif cells.kind == "attention":
        state = structures.attention(state, history=False)
    output = _structure(OUTPUT)
    if made.beams:
        imputed = given.get("impute_finished")
        if imputed is not None and not (isinstance(imputed, ast.Constant) and not imputed.value):
            raise Blocked(node, "`impute_finished` of a beam search")
        known.add("beam")
        steps = _structure(("scores", "predicted_ids", "parent_ids"))
        parts = {"predicted_ids": Value(Kind.TENSOR), "beam_search_decoder_output": steps}
        output = Value(Kind.TENSOR, Structure(parts), list(enumerate(parts.values())))
        search = ("log_probs", "finished", "lengths")
        fields = {"cell_state": state, **{n: Value(Kind.TENSOR) for n in search}}
        state = Value(Kind.TENSOR, Structure(fields))
    return Value(Kind.TENSOR, None, [(0, output), (1, state), (2, Value(Kind.TENSOR))])


def _structure(names: tuple[str, ...]) -> Value:
    """Tensors under names, in an order."""
    parts = {name: Value(Kind.TENSOR) for name in names}
    return Value(Kind.TENSOR, Structure(parts), list(enumerate(parts.values())))


def _search(walker: Any, given: dict[str, ast.expr]) -> None:
    """What a beam search is given besides its cell and state.

    Raises:
        Blocked: it can't be told.
    """
    for argument, value in given.items():
        if argument == "embedding":
            _embedding(walker, value)
        elif argument in ("start_tokens", "end_token"):
            walker.join([walker.expression(value)], value)
        elif argument == "beam_width":
            if walker.host(value).kind not in (Kind.HOST, Kind.NONE):
                raise Blocked(value, "the width of a beam search isn't Python's")
        elif argument == "length_penalty_weight":
            if walker.host(value).kind not in (Kind.HOST, Kind.NONE):
                raise Blocked(value, f"`{argument}` of a beam search isn't Python's")
            walker.kept.setdefault(KEY, set()).add("length_penalty")
        elif argument not in ("cell", "initial_state", "output_layer"):
            raise Blocked(value, f"`{argument}` of a beam search")


@family(SEQ2SEQ + "tile_batch")
def tile_batch(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """Examples, each several times."""
    given = _given(walker, endpoint, node)
    _asked(node, "tile_batch", given, "t", "multiplier")
    tiled: Value = walker.expression(given["t"])
    if tiled.kind not in RUNTIME or isinstance(tiled.data, Structure):
        raise Blocked(given["t"], f"{described(tiled)} is tiled")
    if walker.host(given["multiplier"]).kind not in (Kind.HOST, Kind.NONE):
        raise Blocked(given["multiplier"], "how often examples are tiled isn't Python's")
    _written(walker, "tile_batch", node, given)
    return Value(Kind.TENSOR, tiled.data if tiled.data == "container" else None)


def _embedding(walker: Any, node: ast.expr) -> None:
    """Where a decoder's inputs come from: a table, or a function of symbols."""
    value = walker.expression(node)
    if value.kind in (Kind.VARIABLE, Kind.TENSOR) and value.data != "container":
        return
    function = value.data
    if value.kind is not Kind.FUNCTION or not isinstance(function, Function):
        raise Blocked(node, "the embedding of a decoder isn't seen")
    if walker._variables_made(function.node):
        raise Blocked(node, "the embedding of a decoder makes variables")
    for n in walk(function.node):
        if walker.endpoints.get(id(n)) in STATEFUL:
            raise Blocked(n, "the embedding of a decoder does more than compute")
    walker.handed(function)


def _given(walker: Any, endpoint: str, node: ast.Call) -> dict[str, ast.expr]:
    """The arguments of a call, without those that go."""
    given = walker.bound(endpoint, node)
    for argument in IDLE & set(given):
        walker.host(given.pop(argument))
    found: dict[str, ast.expr] = given
    return found


def _asked(node: ast.Call, name: str, given: dict[str, ast.expr], *required: str) -> None:
    for argument in required:
        if argument not in given:
            raise Blocked(node, f"{name} without `{argument}`")


def _written(walker: Any, name: str, node: ast.Call, given: dict[str, ast.expr]) -> None:
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.part(
        name, node, given, writer
    )
