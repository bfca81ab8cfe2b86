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
from migrate.engine.trees import all_of

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
        layer = _named(given, file) if isinstance(given, ast.Name) else given
        if given is not None and made.get(id(layer), "").startswith(LAYERS):
            start, end = file.index.span(given)
            edits = [Edit(start, start, "["), Edit(end, end, "]")]
            yield SINGLE.fixed(call, "Keras 3 wants a list of layers", "a list of one", edits)


def _named(name: ast.Name, file: FileContext) -> ast.expr | None:
    """What a name means that is bound once."""
    stores = [n for n in all_of(file.tree, ast.Name) if n.id == name.id]
    stores = [n for n in stores if not isinstance(n.ctx, ast.Load)]
    made = [
        a.value
        for a in all_of(file.tree, ast.Assign)
        if len(stores) == 1 == len(a.targets) and a.targets[0] is stores[0]
    ]
    own = any(a.arg == name.id for a in all_of(file.tree, ast.arg))
    return made[0] if made and not own else None
