"""What is followed once it is spelled otherwise: `slim.repeat` as the calls that it makes.

The walk tells what it met and stops; the text is changed and the walk begins anew.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Blocked


class Respelled(Blocked):
    """A place that may be spelled in a way that is followed.

    ``kind`` says who spells it, ``found`` what the walk knows for that.
    """

    def __init__(self, node: ast.AST, reason: str, kind: str, **found: Any) -> None:
        super().__init__(node, reason)
        self.kind = kind
        self.found = found
        self.edits: Any = None  # of the file that it stands in
        self.more: dict[str, Any] = {}  # of other files
