"""Functions of a class that need no object stand before it, where an Estimator is made of one.

    class FM:                                    def model_fn(features, …): …
        @staticmethod
        def model_fn(features, …): …             class FM:
        def compile(self):                           def compile(self):
            … Estimator(FM.model_fn)                     … Estimator(model_fn)

Those are `@staticmethod`s, and functions without a decorator that are only read of the class. All
of a class move at once: a model_fn, what it calls, and the input_fns beside it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.lifting import Lifted, moved, plain
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.scopes import Scope

STATIC = "staticmethod"


def apart(program: Program, node: ast.expr, reason: str) -> None:
    """Look at what is used as a function: one of a class, that needs no object.

    Raises:
        Lifted: the functions of that class may stand before it.
    """
    cls = _class(program, node) if isinstance(node, ast.Attribute) else None
    if cls is None or not isinstance(program.scopes.parents[id(cls)], ast.Module):
        return
    found = {f.name: f for f in cls.body if isinstance(f, ast.FunctionDef) and _own(cls, f)}
    uses = {name: _uses(program, cls, name) for name in found}
    lifted = {n: f for n, f in found.items() if _free(program, cls, f, uses[n])}
    assert isinstance(node, ast.Attribute)
    if node.attr not in lifted:
        return
    bound = set(dir(builtins)).union(*(program.scopes.bound(s) for s in _scopes(program, cls)))
    names = {
        n: n if n not in bound else program.free(cls, f"{cls.name.lower()}_{n.strip('_')}")
        for n in lifted
    }
    text, edits = program.text, list[Edit]()
    for name, function in lifted.items():
        inside = [u for n in lifted for u in uses[n] if any(u is x for x in walk(function))]
        replaced = [Edit(*text.index.span(u), names[u.attr]) for u in inside]
        start = text.index.span(function)[0]
        if function.decorator_list:
            at = text.index.span(function.decorator_list[0])[0] - 1
            replaced.append(Edit(at, start, ""))
        edits += moved(program, function, cls, names[name], (), replaced)
    if len(lifted) == len(cls.body):
        indent = text.piece(cls.body[0]).indent
        edits[-1] = Edit(edits[-1].start, edits[-1].end, f"{indent}pass{text.newline}")
    for name in lifted:
        for use in uses[name]:
            if not any(use is x for f in lifted.values() for x in walk(f)):
                edits.append(Edit(*text.index.span(use), names[name]))
    raise Lifted(node, reason, edits)


def _class(program: Program, node: ast.Attribute) -> ast.ClassDef | None:
    """The class of the file that an attribute is read of: by its name, or of an object of it."""
    made = program.scopes.value(node.value)
    found = program.scopes.lookup(made.func if isinstance(made, ast.Call) else node.value)
    cls = found.node if found is not None and found.kind == "class" else None
    if found is not None and found.kind == "param":
        method = found.scope
        above = program.scopes.parents[id(method)]
        args = method.args.args if isinstance(method, ast.FunctionDef) else []
        if args and args[0] is found.node and not getattr(method, "decorator_list", True):
            cls = above
    if isinstance(cls, ast.ClassDef) and program.page(cls) is program.page(node):
        return cls
    return None


def _own(cls: ast.ClassDef, function: ast.FunctionDef) -> bool:
    """Whether a function is the only one of its name in a class, and may be static."""
    said = [ast.unparse(d) for d in function.decorator_list]
    same = [s for s in walk(cls) if getattr(s, "name", "") == function.name]
    return said in ([], [STATIC]) and len(same) == 1 and not function.name.startswith("__")


def _uses(program: Program, cls: ast.ClassDef, name: str) -> list[ast.Attribute]:
    """Where an attribute of a name is read or set in the program, that may be of the class."""
    nodes = program.scopes.walk()
    found = [n for n in nodes if isinstance(n, ast.Attribute) and n.attr == name]
    return [n for n in found if not program.endpoint(n)]


def _free(
    program: Program, cls: ast.ClassDef, function: ast.FunctionDef, uses: list[ast.Attribute]
) -> bool:
    """Whether all that reads a function reads it of the class, and it needs nothing of that."""
    static = bool(function.decorator_list)
    if not uses or not plain(function, {STATIC}) or cls.decorator_list or cls.keywords:
        return False
    for use in uses:
        if not isinstance(use.ctx, ast.Load) or _class(program, use) is not cls:
            return False
        named = program.scopes.lookup(use.value)
        if not static and (named is None or named.kind != "class"):
            return False
    classes = [n for n in program.scopes.walk() if isinstance(n, ast.ClassDef)]
    if any(cls.name in ast.unparse(b) for c in classes for b in c.bases):
        return False  # another one may have its own
    return not any(all_of(default, ast.Name) for default in function.args.defaults)


def _scopes(program: Program, cls: ast.ClassDef) -> Iterator[Scope]:
    """The scopes of the file that has a class."""
    tree = program.page(cls).part.document.tree
    for node in walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node


__all__ = ["apart"]
