"""The net under what was moved: every name that the new text reads is bound somewhere."""

from __future__ import annotations
import __future__

import ast
import builtins
import symtable
from functools import lru_cache

from migrate.engine.trees import all_of

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
IMPLICIT = frozenset({"__file__", "__name__", "__doc__", "__class__", "__builtins__", "__spec__"})


# Of what its symbol tables can refuse in a tree, one of these is a part.
_RISKY = (
    *(ast.Global, ast.Nonlocal, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await),
    *(getattr(ast, n) for n in ("TypeVar", "ParamSpec", "TypeVarTuple") if hasattr(ast, n)),
)


def refused(text: str, tree: ast.Module, *, cells: bool = False) -> str:
    """Why Python doesn't compile a text that parses; "" if it does.

    ``cells``: it is a notebook's, whose cells are compiled one by one: there a module's own
    ``global x`` may stand behind another cell's ``x = 1``.
    """
    if _plain(text, tree):
        return ""
    found = _names(text)
    if isinstance(found, str) and cells:
        found = _names(_without_globals(text))
    return found if isinstance(found, str) else ""


def _plain(text: str, tree: ast.Module) -> bool:
    """Whether nothing stands in a tree that can be refused: to parse it again isn't needed.

    Besides what is risky that is a parameter that is named twice, a star import in a function, a
    feature that there isn't and a constant that is bound.
    """
    if "__debug__" in text or any(all_of(tree, kind) for kind in _RISKY):
        return False
    for stmt in all_of(tree, ast.ImportFrom):
        named = {alias.name for alias in stmt.names}
        if "*" in named or (
            stmt.module == "__future__" and not named.issubset(__future__.all_feature_names)
        ):
            return False
    for args in all_of(tree, ast.arguments):
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        names = {a.arg for a in (*every, args.vararg, args.kwarg) if a is not None}
        if len(names) < len(every) + (args.vararg is not None) + (args.kwarg is not None):
            return False
    return True


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


def lost(new: str, old: str, tree: ast.Module) -> list[str]:
    """Names that a new text reads without a value and the old one didn't, where that compiles."""
    if refused(old, tree):
        return []
    found = unbound(new)
    return sorted(found - unbound(old)) if found else []


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
