"""`slim.utils.last_dimension(x.get_shape())` and its kin: a size of a shape, as Python asks for it.

They raise an error where the rank is less than what they are told. A program that runs has none.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/TensorShape
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Value
from migrate.programs.graph.wording.spelled import Source, Spelled

AXES = {"last_dimension": "-1", "first_dimension": "0"}
HOMES = ("contrib.slim.utils.", "contrib.layers.python.layers.utils.")
CLOSE = (ast.Call, ast.Name, ast.Attribute, ast.Subscript)


@family(*(T + home + name for home in HOMES for name in AXES))
def asked(walker: Any, name: str, node: ast.Call) -> Value:
    """A size, as Python asks a shape for it.

    Raises:
        Spelled: always, but where what is asked isn't seen.
        Blocked: it isn't.
    """
    said = name.rpartition(".")[2]
    reason = f"`{said}` of what isn't seen"
    given = {k.arg: k.value for k in node.keywords}
    shape = node.args[0] if node.args else given.get("shape")
    if not isinstance(shape, CLOSE) or None in given:
        raise Blocked(node, reason)

    def written(source: Source) -> str:
        return f"{source(shape)}[{AXES[said]}].value"

    raise Spelled(node, reason, [(node, written)])
