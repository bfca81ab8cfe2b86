"""The net under what was moved: every name that the new text reads is bound somewhere."""

from __future__ import annotations
import __future__

import ast
import builtins
import re
import symtable
from collections.abc import Iterable
from functools import lru_cache

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk

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


_WORD = re.compile(r"\w+")
_OWN_SCOPE = frozenset({"lambda", "for"})  # what an expression with one of these reads, it may bind


def keeps(old: str, before: ast.Module, edits: Iterable[Edit], new: ast.Module) -> bool:
    """Whether edits of expressions surely take no name its value: cheaper than to ask `lost`.

    What they don't touch reads and binds the same names in the same scopes as before. What they
    touch, and what is read for the first time, must have its value from the module itself.
    """
    words: set[str] = set()
    for edit in edits:
        start, end = edit.start, edit.end
        while start and (old[start - 1].isalnum() or old[start - 1] == "_"):
            start -= 1
        while end < len(old) and (old[end].isalnum() or old[end] == "_"):
            end += 1
        words.update(_WORD.findall(old, start, end))
        words.update(_WORD.findall(old[start : edit.start] + edit.new + old[edit.end : end]))
    if words & _OWN_SCOPE:
        return False
    known = {n.id for n in all_of(before, ast.Name)} - words
    asked = {n.id for n in all_of(new, ast.Name)} - known
    return all(hasattr(builtins, name) for name in asked - set(_own(new.body)))


def _own(body: Iterable[ast.stmt]) -> Iterable[str]:
    """Names that a module's statements give a value, outside of loops."""
    for stmt in body:
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            yield from (a.asname or a.name.partition(".")[0] for a in stmt.names)
        elif isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            yield stmt.name
        elif isinstance(stmt, ast.Assign):
            names = (n for target in stmt.targets for n in walk(target) if isinstance(n, ast.Name))
            yield from (n.id for n in names if isinstance(n.ctx, ast.Store))
        elif isinstance(stmt, (ast.If, ast.With, ast.Try)):
            yield from _own(stmt.body)


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
