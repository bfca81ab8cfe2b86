"""TFM240 sequential-layer: a Sequential model of one layer that isn't in a list.

TF 1's `tf.keras.Sequential(tf.keras.layers.Dense(1))` took the layer for a list of one. Keras 3
wants a list.

https://keras.io/api/models/sequential/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext

SINGLE = Rule(
    "TFM240",
    "sequential-layer",
    "a Sequential model of one layer that isn't in a list",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/models/sequential/",
)
HOMES = ("tensorflow.keras.", "tensorflow.compat.v1.keras.", "tensorflow.contrib.keras.")
NAMES = frozenset(f"{home}{part}Sequential" for home in HOMES for part in ("", "models."))
LAYERS = tuple(f"{home}layers." for home in HOMES)


@SINGLE.file
def listed(file: FileContext) -> Iterator[Result]:
    """Put the layer into a list."""
    made = {id(r.call): r.name for r in file.names.references if r.call is not None}
    for reference in file.names.references:
        call = reference.call
        if call is None or reference.name not in NAMES:
            continue
        keywords = {k.arg: k.value for k in call.keywords}
        given = call.args[0] if call.args else keywords.get("layers")
        if isinstance(given, ast.Call) and made.get(id(given), "").startswith(LAYERS):
            start, end = file.index.span(given)
            edits = [Edit(start, start, "["), Edit(end, end, "]")]
            yield SINGLE.fixed(call, "Keras 3 wants a list of layers", "a list of one", edits)
