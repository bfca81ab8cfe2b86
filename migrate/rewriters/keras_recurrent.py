"""TFM228 keras-recurrent-gate: the gates of a Keras LSTM or GRU.

TF 1.15's `LSTM`, `GRU`, their cells and `ConvLSTM2D` computed their gates with a hard sigmoid,
`clip(0.2 * x + 0.5, 0, 1)`. Keras 3's default is the sigmoid, and its own hard sigmoid is another
function, `relu6(x + 3) / 6`. Its GRU also resets after the product of matrices by default. Each is
spelled out, so that a TF 1 program's numbers and its weights' shapes stay. It is reported instead
where a layer is made again from its configuration, in which no lambda may be (`Bidirectional`, a
model that is loaded), and in a session, where Keras 3's recurrent layers fail unless they are
unrolled.

https://keras.io/api/layers/recurrent_layers/lstm/
"""

from __future__ import annotations

import ast
import re

from migrate import symbols
from migrate.engine.calls import BoundCall, Unbound, bind
from migrate.engine.findings import Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site

GATES = Rule(
    "TFM228",
    "keras-recurrent-gate",
    "a Keras LSTM or GRU whose gates Keras 3 computes otherwise",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/layers/recurrent_layers/lstm/",
)
KINDS = ("ConvLSTM2D", "GRU", "GRUCell", "LSTM", "LSTMCell")
NAMES = tuple(f"tensorflow.keras.layers.{kind}" for kind in KINDS)
# Arguments that a call may give by place: further ones moved.
PLACES = 4
# What makes a layer again from its configuration, in which no lambda may be.
COPIES = re.compile(r"Bidirectional|clone_model|from_config|from_json|load_model")
HARD = "clip(0.2 * x + 0.5, 0, 1)"
LOST = ("weights", "batch_input_shape", "time_major")


@GATES.endpoint(*NAMES)
@GATES.compat(*NAMES)
def gates(site: Site) -> Result | None:
    """Spell out TF 1's gates."""
    kind = site.endpoint.rpartition(".")[2]
    message = f"{site.shown} of Keras 3 computes its gates with another function"
    if site.call is None:
        return site.result(GATES, f"{message}, and is passed on as a value")
    try:
        known = symbols.signature(site.endpoint)
        names = known.positional if known is not None else ()
        file = site.file
        call = bind(file.text, file.index, site.call, (*names, *LOST), varkw=True)
        if call.hidden:
            raise Unbound("`**` hides arguments")
    except Unbound as error:
        return site.result(GATES, f"{message}; {error}")
    for name in LOST:
        given = call.get(name)
        if given is not None and not (name == "time_major" and _is(given.value, False)):
            why = f"{site.shown} of Keras 3 has no `{name}`"
            return site.result(GATES, why)
    if call.get("time_major") is not None:
        call.remove("time_major")
    unrolled = call.get("unroll")
    if site.level is Level.COMPAT and not (unrolled and _is(unrolled.value, True)):
        why = f"{message}, {HARD} in TF 1, and its loop fails in a session unless `unroll=True`"
        return site.result(GATES, why)
    if COPIES.search(file.text) and not _own_gates(call):
        why = f"{message}; what copies a layer by its configuration needs a registered function"
        return site.result(GATES, f"{why}: {HARD}")
    clip, imports = site.spell("tensorflow.clip_by_value")
    hard = f"lambda x: {clip}(0.2 * x + 0.5, 0.0, 1.0)"
    given = call.get("recurrent_activation")
    if given is None:
        call.append(f"recurrent_activation={hard}")
    elif _is(given.value, "hard_sigmoid"):
        call.replace_value("recurrent_activation", hard)
    else:
        imports = []
    _reset(kind, call)
    edits = call.finish(lambda place, _: place < PLACES)
    if not edits:
        return None
    renames, needs, drops = site.rename(site.endpoint)
    result = site.result(
        GATES,
        message,
        fix="recurrent_activation",
        edits=[*renames, *edits],
        imports=[*imports, *needs],
        drops=drops,
    )
    result.switch = site.level is Level.COMPAT
    return result


def _own_gates(call: BoundCall) -> bool:
    """Whether a call says how its gates are computed, in words that mean the same in Keras 3."""
    given = call.get("recurrent_activation")
    return given is not None and not _is(given.value, "hard_sigmoid")


def _reset(kind: str, call: BoundCall) -> None:
    if kind.startswith("GRU") and call.get("reset_after") is None:
        call.append("reset_after=False")


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value == value
