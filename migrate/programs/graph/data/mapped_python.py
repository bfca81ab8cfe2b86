"""Python functions that a dataset's elements go through, ``tf.py_func(load, [path], …)``.

TF 1's threads call one for each element, and for some that nobody takes. Where it only computes, it
makes no difference how often and when that is.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked

NAMES = ("py_func", "numpy_function")
REASON = "a function of Python's that is mapped"
# What a program sees, however an element is used.
SEEN = frozenset({"print", "input", "exec", "eval", "next", "setattr", "delattr"})
TELLS = frozenset({"time", "sleep", "write", "writelines", "save", "savez", "dump", "imsave"})
# Modules whose functions give values, but for those above.
MODULES = frozenset(
    [
        *("numpy", "scipy", "PIL", "cv2", "skimage", "imageio", "librosa", "soundfile", "h5py"),
        *("os", "math", "re", "json", "random", "io", "struct", "gzip", "pickle", "string"),
        *("collections", "itertools", "functools", "copy", "codecs", "bisect", "operator"),
    ]
)
CHANGES = frozenset({"pop", "popleft", "append", "extend", "insert", "remove", "update", "clear"})


def check(walker: Any, call: ast.Call) -> None:
    """See that what such a call calls only computes.

    Raises:
        Blocked: it may do more, or isn't seen.
    """
    given = [k.value for k in call.keywords if k.arg == "func"]
    func = (call.args or given or [call])[0]
    _only_computes(walker, func, set())


def _only_computes(walker: Any, func: ast.AST, seen: set[int]) -> None:
    found = _definitions(walker, func)
    if not found:
        raise Blocked(func, f"{REASON} isn't seen")
    for node in found:
        if id(node) in seen or isinstance(node, (ast.Attribute, ast.Name)):
            continue
        seen.add(id(node))
        _quiet(walker, node)
        for n in walk(node):
            if isinstance(n, ast.Call) and not _of_a_value(n.func, node):
                _only_computes(walker, n.func, seen)


def _of_a_value(func: ast.AST, node: ast.AST) -> bool:
    """Whether what is called is Python's own, or a method of a value."""
    if isinstance(func, ast.Name):
        return hasattr(builtins, func.id)
    root = func
    while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name):
        return True
    local = {n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Store)}
    local |= {a.arg for a in all_of(node, ast.arg)} - {"self"}
    return root.id in local


def _definitions(walker: Any, func: ast.AST) -> list[ast.AST]:
    """The functions that a name may mean; an attribute of a module of Python's is itself."""
    if isinstance(func, ast.Lambda):
        return [func]
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    root = func.value if isinstance(func, ast.Attribute) else None
    own = root is None or (isinstance(root, ast.Name) and root.id == "self")
    if own:
        bound = [
            n for n in all_of(walker.tree, ast.Name)
            if n.id == name and not isinstance(n.ctx, ast.Load)
        ]  # fmt: skip
        functions = [n for n in all_of(walker.tree, ast.FunctionDef) if n.name == name]
        if not functions and isinstance(func, ast.Name) and not bound and _library(walker, func):
            return [func]
        return [] if bound or any(f.decorator_list for f in functions) else list(functions)
    return [func] if name not in SEEN | TELLS and _library(walker, func) else []


def _library(walker: Any, func: ast.AST) -> bool:
    """Whether a name is of one of Python's own modules, or of those that everybody has."""
    base = func
    while isinstance(base, ast.Attribute):
        base = base.value
    root = base.id if isinstance(base, ast.Name) else ""
    for n in walk(walker.tree):
        for a in n.names if isinstance(n, (ast.Import, ast.ImportFrom)) else ():
            if (a.asname or a.name.partition(".")[0]) == root:
                where = n.module if isinstance(n, ast.ImportFrom) else a.name
                return (where or "").partition(".")[0] in MODULES
    return False


def _quiet(walker: Any, node: ast.AST) -> None:
    """See that a function changes nothing but what it makes itself.

    Raises:
        Blocked: it may.
    """
    local = {n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Store)}
    local |= {a.arg for a in all_of(node, ast.arg)} - {"self"}
    for n in walk(node):
        called = n.func if isinstance(n, ast.Call) else None
        name = getattr(called, "attr", getattr(called, "id", ""))
        told = name in SEEN | TELLS
        if name in CHANGES and isinstance(called, ast.Attribute):
            told = _root(called.value) not in local
        if isinstance(n, (ast.Attribute, ast.Subscript)) and not isinstance(n.ctx, ast.Load):
            told = _root(n) not in local
        drawn = "random" in (getattr(n, "id", ""), getattr(n, "attr", ""))
        if isinstance(n, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)) or told:
            raise Blocked(n, f"{REASON} does more than compute")
        if drawn and _seeded(walker):
            raise Blocked(n, f"{REASON} draws numbers from what has a seed")
        if id(n) in walker.endpoints and isinstance(n, (ast.Name, ast.Attribute)):
            if walker.endpoints[id(n)].startswith("tensorflow."):
                raise Blocked(n, f"{REASON} uses TensorFlow")


def _seeded(walker: Any) -> bool:
    names = ("seed", "RandomState", "default_rng")
    return any(isinstance(n, ast.Attribute) and n.attr in names for n in walk(walker.tree))


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
