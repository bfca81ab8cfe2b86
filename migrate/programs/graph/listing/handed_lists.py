"""Variables of the graph that a function asks for: its calls hand them to it.

    def count():                                   def count(variables):
        for v in tf.trainable_variables(): …           for v in variables: …

    print(count())                                 print(count(tf.trainable_variables()))

TF 1 means the same, where the function makes no variables itself. Which variables there are is seen
where the graph is built.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

GRAPHS = frozenset({"Graph", "as_default", "reset_default_graph"})
WISHES = ("variables", "all_variables", "variable_list")


def check(walker: Any, node: ast.Call, reason: str) -> None:
    """See whether a function's calls could hand it the list that it asks for.

    Raises:
        Spelled: they could.
    """
    frame = walker.frame
    while frame.parent is not None and isinstance(frame.node, COMPREHENSIONS):
        frame = frame.parent
    target = frame.node
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    if not _fixed(walker, node) or walker._variables_made(target):
        return
    if any(getattr(n, "attr", "") in GRAPHS for n in walk(target)):
        return  # it asks another graph than its caller's
    trees = walker.program()
    if not _told(trees, target):
        return
    names = _names(target)
    wish = next((w for w in WISHES if w not in names), None)
    calls = known_branches.every(walker, target)
    if wish is None or not calls or any(isinstance(n, ast.Yield) for n in walk(target)):
        return
    home = next((n for t in trees for n in walk(t) if target in getattr(n, "body", ())), None)
    if not isinstance(home, (ast.Module, ast.ClassDef)):
        return
    method = isinstance(home, ast.ClassDef)
    args = [*target.args.posonlyargs, *target.args.args]
    if (method and not args) or target.args.posonlyargs:
        return
    same = [n for n in all_of(target, ast.Call) if ast.dump(n) == ast.dump(node)]
    replaced: list[Written] = [(n, word(wish)) for n in same]
    behind = args[0] if method else None
    rest = [a for a in (*args, target.args.vararg, *target.args.kwonlyargs, target.args.kwarg) if a]
    if behind is not None:
        replaced.append((behind, lambda source: f"{source(behind)}, {wish}"))
    elif rest and rest[0] in args:
        replaced.append((rest[0], lambda source: f"{wish}, {source(rest[0])}"))
    elif rest:
        return
    else:
        replaced.append((_empty(target), word(wish)))
    functions = {id(c.func) for c in calls}
    own = [n for t in trees for n in all_of(t, ast.Call) if id(n.func) in functions]
    replaced += [(call, _Handed(call, node)) for call in own]
    if any(walker.files.at(n) is not walker.files.at(node) for n, _ in replaced):
        return  # one file at a time is written anew
    inside = {id(n) for n in walk(target)}
    if any(id(call) in inside for call in own):
        return
    raise Spelled(node, reason, replaced)


def _told(trees: Sequence[ast.Module], target: ast.FunctionDef) -> bool:
    """Whether the function's name means it wherever it stands."""
    name = target.name
    made = [
        n
        for tree in trees
        for n in walk(tree)
        if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name
    ]
    attributes = [n for tree in trees for n in all_of(tree, ast.Attribute) if n.attr == name]
    classes = [n for tree in trees for n in all_of(tree, ast.ClassDef)]
    home = next((c for c in classes if target in c.body), None)
    if made != [target]:
        return False
    if home is None or not target.args.args:
        return not attributes
    itself, inside = target.args.args[0].arg, {id(n) for n in walk(home)}
    own = all(id(n) in inside and getattr(n.value, "id", "") == itself for n in attributes)
    return own or name not in known_branches.COMMON | known_branches.ARRAYS


class _Handed:
    """A call with the list before its other arguments."""

    def __init__(self, call: ast.Call, node: ast.Call) -> None:
        self.call, self.node = call, node

    def __call__(self, source: Source) -> str:
        parts = [self.node, *self.call.args, *self.call.keywords]
        return f"{source(self.call.func)}({', '.join(source(p) for p in parts)})"


def _fixed(walker: Any, node: ast.Call) -> bool:
    """Whether what is asked for means the same at a call of the function."""
    given = [*node.args, *(k.value for k in node.keywords)]
    return all(
        isinstance(n, ast.Constant) or walker.endpoints.get(id(n), "").startswith(T) for n in given
    )


def _names(target: ast.FunctionDef) -> set[str]:
    """The names in a function."""
    said = (getattr(n, k, None) for n in walk(target) for k in ("id", "arg", "name"))
    return {name for name in said if isinstance(name, str)}


def _empty(target: ast.FunctionDef) -> ast.AST:
    """The place between the brackets of a function without parameters."""
    line, column = target.lineno, target.col_offset + len(f"def {target.name}(")
    return known_branches.span((line, column), (line, column))
