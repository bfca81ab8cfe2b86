"""TensorFlow that another file's star import brings: ``from ops import *``, then ``tf.abs``.

Which names such an import gives isn't seen in the file, and the other file may lose its own import
of TensorFlow once nothing in it asks for that. A TF 1 file that uses `tf` or `slim` and binds it
nowhere imports it itself, right below its first star import, and means the same as before. So does
one that asks `np` for what NumPy has dropped.
"""

from __future__ import annotations

import ast
import re

from migrate import symbols
from migrate.engine.names import ROOTS, dotted
from migrate.engine.source import LineIndex, dominant_newline
from migrate.engine.trees import walk

RULE = "TFM115"
# What everybody calls them.
IMPORTS = {
    "tf": "import tensorflow as tf",
    "slim": "import tensorflow.contrib.slim as slim",
    "np": "import numpy as np",
}
PACKAGES = {"tf": "tensorflow", "slim": "tensorflow.contrib.slim", "np": "numpy"}
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)
_USED = re.compile(r"\b(?:tf|slim|np)\.")
_STAR = re.compile(r"^from[ \t]+[\w.]+[ \t]+import[ \t]+\*", re.M)


def possible(text: str) -> bool:
    """Whether a file may have such a name: what is asked of every file."""
    return _USED.search(text) is not None and _STAR.search(text) is not None


def possible_bytes(data: bytes) -> bool:
    """The same of a file that isn't read yet."""
    return (
        (b"tf." in data or b"slim." in data) and b"*" in data and possible(data.decode("latin-1"))
    )


def brought(text: str, tree: ast.Module) -> tuple[str, int, list[str]] | None:
    """The text with the imports, the line after which they stand, and the names they bind."""
    star = next((stmt for stmt in tree.body if _is_star(stmt)), None)
    names = _unbound(tree) if star is not None else []
    if star is None or not names:
        return None
    line = star.end_lineno or star.lineno
    if any(stmt is not star and stmt.lineno <= line <= _last(stmt) for stmt in tree.body):
        return None  # `from ops import *; x = tf.abs(…)`
    newline = dominant_newline(text)
    at = LineIndex(text).line_start(line + 1)
    before = text[:at] if text[:at].endswith(("\n", "\r")) else text[:at] + newline
    return before + "".join(IMPORTS[n] + newline for n in names) + text[at:], line, names


def _is_star(stmt: ast.stmt) -> bool:
    if not isinstance(stmt, ast.ImportFrom) or not any(a.name == "*" for a in stmt.names):
        return False
    return bool(stmt.level) or (stmt.module or "").partition(".")[0] not in ROOTS


def _last(stmt: ast.stmt) -> int:
    return stmt.end_lineno or stmt.lineno


def _unbound(tree: ast.Module) -> list[str]:
    """The names that stand for TensorFlow by their use and that nothing in the file binds."""
    used: dict[str, set[str]] = {}
    bound: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Attribute):
            chain = dotted(node)
            if chain is not None and chain[0].id in IMPORTS:
                used.setdefault(chain[0].id, set()).add(".".join(chain[1]))
        elif isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, NAMED):
            bound.add(node.name or "")
    names = [name for name in IMPORTS if name in used and name not in bound]
    numpys = "np" in names and any(_dropped(u) for u in used["np"])
    ours = [name for name in names if name != "np"]
    if not any(_of_tf1(PACKAGES[n] + "." + u) for n in ours for u in used[n]):
        ours = []
    return [*ours, "np"] if numpys else ours


def _dropped(name: str) -> bool:
    """Whether today's NumPy has lost a name."""
    from migrate.rewriters.numpy_aliases import EVERY

    return name in EVERY


def _of_tf1(name: str) -> bool:
    """Whether a name is TensorFlow's, and TF 2 doesn't have it any more."""
    found = symbols.split(name)
    record = symbols.outcome(found[0]) if found is not None else None
    gone = (symbols.CompatV1, symbols.Gone, symbols.Renamed, symbols.Shim)
    return record is not None and isinstance(record.outcome, gone)
