"""The net under what was moved: every name that the new text reads is bound somewhere."""

from __future__ import annotations

import builtins
import symtable

IMPLICIT = frozenset({"__file__", "__name__", "__doc__", "__class__", "__builtins__", "__spec__"})


def refused(text: str) -> str:
    """Why Python doesn't compile a text that parses; "" if it does."""
    try:
        symtable.symtable(text, "<module>", "exec")
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})"
    return ""


def lost(new: str, old: str) -> list[str]:
    """Names that a new text reads without a value and the old one didn't, where that compiles."""
    return [] if refused(old) else sorted(unbound(new) - unbound(old))


def bound(text: str) -> set[str]:
    """Names that a module's own statements bind or import."""
    return _bound(symtable.symtable(text, "<module>", "exec"))


def _bound(module: symtable.SymbolTable) -> set[str]:
    return {s.get_name() for s in module.get_symbols() if s.is_assigned() or s.is_imported()}


def unbound(text: str) -> set[str]:
    """Names that are read and that no scope around binds.

    Raises:
        SyntaxError: the text isn't Python.
    """
    module = symtable.symtable(text, "<module>", "exec")
    known = _bound(module)
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
    return {n for n in found - known - IMPLICIT if not hasattr(builtins, n)}
