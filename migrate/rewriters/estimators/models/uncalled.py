"""Functions that make layers, and that no part of a program names: they go.

TF 2 has nothing that they could keep, and what their arguments are nothing says, since nobody calls
them. Where a name may be looked up (`getattr`, `globals()`, a text that says it) they stay.
"""

from __future__ import annotations

import ast
import builtins
import collections
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.running.uncalled_builders import GONE

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

LOST = ("tensorflow.contrib.estimator.", "tensorflow.estimator.", "tensorflow.layers.")
LOOKS = frozenset({"getattr", "globals", "locals", "vars", "eval", "exec", "import_module"})
SAID = "nobody calls this function, which made layers as TF 1 does: it is gone"


def removed(program: Program) -> None:
    """Take them out of all files."""
    dead = [f for f in _dead(program) if not _written(program, f)]
    gone = [f for f in dead if any(_lost(program.endpoint(node)) for node in walk(f))]
    for function in gone:  # and what calls one of them
        gone += [f for f in dead if f not in gone and _words(f)[function.name]]
    for function in gone:
        program.remove(function)
        program.say(function, SAID)
        if program.page(function).part.document.path.endswith(".ipynb"):
            continue  # a cell may end here
        last = program.text.piece(function).last
        below = program.text.lines[last:]
        blank = next((i for i, line in enumerate(below) if line.strip()), 0)
        start, end = program.text.start(last + 1), program.text.start(last + 1 + blank)
        program.edits.append(Edit(start, end, ""))  # the lines between it and what follows


def fails(program: Program, call: ast.Call) -> bool:
    """Whether a call stands in such a function, and names what isn't there: it can't be made."""
    if "import *" in program.page(call).part.document.text:
        return False  # what is there isn't seen
    names = (n for n in all_of(call, ast.Name))
    lacks = any(not program.scopes.bindings(n.id, n) and not hasattr(builtins, n.id) for n in names)
    return lacks and any(call in walk(function) for function in _dead(program))


def _dead(program: Program) -> list[ast.FunctionDef]:
    """The functions of the program that nothing names, and what only these name."""
    known = program.kept.get("uncalled")
    if known is None:
        known = program.kept["uncalled"] = _unnamed(program)
    assert isinstance(known, list)
    return [f for f in known if id(f) not in program.removed]


def _unnamed(program: Program) -> list[ast.FunctionDef]:
    trees = [page.part.document.tree for page in program.pages]
    if any(_looks(node) for tree in trees for node in walk(tree)):
        return []
    said: collections.Counter[str] = collections.Counter()
    for tree in trees:
        said.update(_words(tree))
    functions = [
        stmt
        for tree in trees
        for stmt in tree.body
        if isinstance(stmt, ast.FunctionDef) and not stmt.decorator_list
        # Who calls these says no name.
        if stmt.name != "main" and not stmt.name.startswith(("test", "__"))
    ]
    dead: list[ast.FunctionDef] = []
    while True:
        found = [f for f in functions if f not in dead and said[f.name] == _words(f)[f.name]]
        if not found:
            return dead
        for function in found:
            said.subtract(_words(function))
            dead.append(function)


def _written(program: Program, function: ast.FunctionDef) -> bool:
    """Whether something else sees to a function already."""
    start, end = program.text.index.span(function)
    return any(edit.start < end and edit.end > start for edit in program.edits)


def _looks(node: ast.AST) -> bool:
    name = node.func if isinstance(node, ast.Call) else None
    word = getattr(name, "id", getattr(name, "attr", ""))
    if word == "getattr" and isinstance(node, ast.Call) and len(node.args) > 1:
        return not isinstance(node.args[1], ast.Constant)
    return word in LOOKS and word != "getattr"


def _words(tree: ast.AST) -> collections.Counter[str]:
    """How often names are said, in texts, too."""
    found: collections.Counter[str] = collections.Counter()
    for node in walk(tree):
        for word in (getattr(node, "id", None), getattr(node, "attr", None)):
            if word is not None:
                found[word] += 1
        if isinstance(node, ast.alias):
            found[node.name] += 1
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found[node.value] += 1
    return found


def _lost(endpoint: str) -> bool:
    return endpoint in GONE or endpoint.startswith(LOST)
