"""Collections of the program's own that hold tensors: `tf.add_to_collection('losses', …)`.

What one holds is written where it is read, before the program is followed: `sessions/collected.py`.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value

GETTERS = frozenset({T + "get_collection", T + "get_collection_ref"})


class Collected(Blocked):
    """A tensor is put into a collection, which is read elsewhere."""

    def __init__(self, node: ast.Call, key: str) -> None:
        super().__init__(node, "a tensor in a collection that functions or loops fill")
        self.key = key


@family(T + "add_to_collection")
def put(walker: Any, name: str, node: ast.Call) -> Value:
    """A tensor goes into a collection.

    Raises:
        Collected: something reads it.
    """
    given = walker.bound(name, node)
    key, item = given.get("name"), given.get("value")
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        raise Blocked(node, "a collection whose name isn't the program's own")
    if _read(walker, key.value):
        raise Collected(node, key.value)
    if not isinstance(item, (ast.Name, ast.Attribute)):
        raise Blocked(node, "what is computed for a collection that nothing reads")
    return Value(Kind.SETTING, "collection", node=node)


def _read(walker: Any, key: str) -> bool:
    """Whether the program may read a collection."""
    for node in (n for tree in walker.program() for n in walk(tree)):
        name = walker.endpoints.get(id(getattr(node, "func", None)), "")
        if name.endswith("_meta_graph"):
            return True
        if name in GETTERS and isinstance(node, ast.Call):
            asked = walker.bound(name, node).get("key")
            known = isinstance(asked, ast.Constant) or walker.endpoints.get(id(asked)) is not None
            if not known or getattr(asked, "value", None) == key:
                return True
    return False
