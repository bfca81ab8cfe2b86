"""What a TF 1 MetaGraph says of its variables: their names, in order of creation.

tensorflow/core/protobuf/meta_graph.proto, variable.proto
"""

from __future__ import annotations

from migrate.checkpoints.formats import wire

_VARIABLES = ("variables", "trainable_variables")


def variables(data: bytes) -> list[str]:
    """Names of the global variables as a checkpoint has them."""
    found: list[str] = []
    for field, value in wire.fields(data):
        if field != 4:  # collection_def, a map
            continue
        key, entry = "", memoryview(b"")
        for inner, held in wire.fields(wire.views(value)):
            if inner == 1:
                key = wire.texts(held)
            elif inner == 2:
                entry = wire.views(held)
        if key in _VARIABLES:
            found += _names(entry)
    return list(dict.fromkeys(found))


def _names(collection: memoryview) -> list[str]:
    found = []
    for field, value in wire.fields(collection):
        if field != 2:  # bytes_list
            continue
        for inner, held in wire.fields(wire.views(value)):
            if inner == 1:
                for part, name in wire.fields(wire.views(held)):
                    if part == 1:
                        found.append(wire.texts(name).removesuffix(":0"))
    return found
