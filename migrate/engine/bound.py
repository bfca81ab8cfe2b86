"""The net under what was moved: every name that the new text reads is bound somewhere."""

from __future__ import annotations

import ast
import builtins
import symtable
from functools import lru_cache

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
IMPLICIT = frozenset({"__file__", "__name__", "__doc__", "__class__", "__builtins__", "__spec__"})


def refused(text: str, *, cells: bool = False) -> str:
    """Why Python doesn't compile a text that parses; "" if it does.

    ``cells``: it is a notebook's, whose cells are compiled one by one: there a module's own
    ``global x`` may stand behind another cell's ``x = 1``.
    """
    found = _names(text)
    if isinstance(found, str) and cells:
        found = _names(_without_globals(text))
    return found if isinstance(found, str) else ""


def _without_globals(text: str) -> str:
    """A text without a module's own ``global``, which says nothing there."""
    lines = text.split("\n")
    stack: list[ast.AST] = [ast.parse(text)]
    while stack:
        for node in ast.iter_child_nodes(stack.pop()):
            if isinstance(node, ast.Global) and node.lineno == node.end_lineno:
                encoded = lines[node.lineno - 1].encode()
                gone = encoded[: node.col_offset] + b"pass" + encoded[node.end_col_offset :]
                lines[node.lineno - 1] = gone.decode()
            elif not isinstance(node, SCOPES):
                stack.append(node)
    return "\n".join(lines)


def lost(new: str, old: str) -> list[str]:
    """Names that a new text reads without a value and the old one didn't, where that compiles."""
    return [] if refused(old) else sorted(unbound(new) - unbound(old))


def bound(text: str) -> frozenset[str]:
    """Names that a module's own statements bind or import.

    Raises:
        SyntaxError: the text isn't Python.
    """
    return _known(text)[0]


def unbound(text: str) -> frozenset[str]:
    """Names that are read and that no scope around binds.

    Raises:
        SyntaxError: the text isn't Python.
    """
    return _known(text)[1]


def _known(text: str) -> tuple[frozenset[str], frozenset[str]]:
    found = _names(text)
    if isinstance(found, str):
        raise SyntaxError(found)
    return found


@lru_cache(maxsize=8)  # a text before and after, asked for by several
def _names(text: str) -> tuple[frozenset[str], frozenset[str]] | str:
    """What a module's statements bind, and what is read without that; or why it isn't Python."""
    try:
        module = symtable.symtable(text, "<module>", "exec")
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})"
    bound = {s.get_name() for s in module.get_symbols() if s.is_assigned() or s.is_imported()}
    known = set(bound)
    found: set[str] = set()
    stack = [module]
    while stack:
        table = stack.pop()
        stack.extend(table.get_children())
        for symbol in table.get_symbols():
            if table is module:
                if symbol.is_referenced():
                    found.add(symbol.get_name())
            elif symbol.is_global():
                if symbol.is_assigned():
                    known.add(symbol.get_name())
                found.add(symbol.get_name())
    free = (n for n in found - known - IMPLICIT if not hasattr(builtins, n))
    return frozenset(bound), frozenset(free)
