"""`tf.make_template`: a function whose first call makes variables that the next ones find."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Value
from migrate.programs.graph.wording.respelled import Respelled


@family(T + "make_template")
def template(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A function with variables of its own: as one that opens their scope.

    Raises:
        Respelled: always; it is a function then, or keeps the session.
    """
    raise Respelled(node, "tf.make_template isn't followed here", "template")
