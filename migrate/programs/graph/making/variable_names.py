"""Names of variables that TF 1 makes or numbers, and that the program reads: they are written.

``a = tf.Variable([1])`` in a name scope is ``tf.Variable([1], name="a/Variable")`` where something
reads ``a.name``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.listing import collections
from migrate.programs.graph.meaning import T

TOLD = ("names told",)  # among what a walk keeps: the names, by the calls' ids


def told(walker: Any, call: ast.Call, entry: Any) -> bool:
    """Whether a variable of the module can be given its whole name; it is, then."""
    if walker.endpoints.get(id(call.func)) != T + "Variable" or entry.looped is not None:
        return False
    if walker.loops or walker.nested or not isinstance(walker.frame.node, ast.Module):
        return False
    path = collections.name_of(walker, entry)
    return path is not None and tell(walker, call, path.removesuffix(":0"))


def tell(walker: Any, call: ast.Call, path: str) -> bool:
    """Whether a call of ``tf.Variable`` can be given a name; it is, then."""
    if set(path) & set('{}"\\') or any(k.arg is None for k in call.keywords):
        return False
    written = f'"{path}"'
    told = walker.kept.setdefault(TOLD, {})
    if told.get(id(call)) == path:
        return True
    own = next((k.value for k in call.keywords if k.arg == "name"), None)
    if own is not None:
        if not isinstance(own, ast.Constant):
            return False
        walker.scoped_names[id(own)] = written
        walker.rewrites[id(own)] = lambda writer: _like(str(writer.text.source(own)), written)
        told[id(call)] = path
        return True
    last = [*call.args, *(k.value for k in call.keywords)][-1]
    within = any(id(n) in walker.rewrites for n in walk(last) if n is not last)
    if len(call.args) > 4 or within or isinstance(last, ast.Starred):
        return False
    before = walker.rewrites.get(id(last))

    def with_name(writer: Any) -> str:
        first = before(writer) if before is not None else str(writer.text.source(last))
        return f"{first}, name={written}"

    walker.rewrites[id(last)] = with_name
    told[id(call)] = path
    return True


def _like(own: str, written: str) -> str:
    """A text in the quotes of another one."""
    return written.replace('"', own[0]) if own[0] in "'\"" else written
