"""All variables, as a method asks for them that a branch calls: the list stands above the branch.

``if multi_label: self.loss = self.loss_multi() else: self.loss = self.loss_single()``, where each
sums up ``tf.trainable_variables()``: nothing makes a variable between the branch and there.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording.spelled import Spelled, Written, word

REASON = "a collection inside a function that builds"
WISHES = ("trained", "trained_variables", "variables_to_train")


def check(walker: Any, node: ast.Call) -> None:
    """See whether a method that computes could be given the list by its object.

    Raises:
        Spelled: it could.
    """
    steps = (s for r in walker.regions for s in r.steps)
    step = next((s for s in steps if s.node is walker.sink.node), walker.sink)
    region = step.region
    cls = region.node if region is not None else None
    builder = step.function
    if not isinstance(cls, ast.ClassDef) or not isinstance(builder, ast.FunctionDef):
        return
    if not _all(walker, node) or step.node not in builder.body or builder not in cls.body:
        return
    if walker._variables_made(step.node) or not builder.args.args:
        return
    taken = {getattr(n, "attr", getattr(n, "id", "")) for n in walk(walker.tree)}
    name = next((w for w in WISHES if w not in taken), None)
    if name is None or any(isinstance(n, (ast.For, ast.While)) for n in walk(step.node)):
        return
    itself = builder.args.args[0].arg
    replaced: list[Written] = []
    asked = {
        n.func.attr
        for n in all_of(step.node, ast.Call)
        if isinstance(n.func, ast.Attribute) and ast.unparse(n.func.value) == itself
    }
    for method in (m for m in bases.methods(cls) if m.name in asked):
        own = method.args.args[0].arg if method.args.args else ""
        found = [n for n in all_of(method, ast.Call) if _all(walker, n)]
        if not found:
            continue
        if not own or method.decorator_list or not _once(walker, method, step.node):
            return
        replaced += [(n, word(f"{own}.{name}")) for n in found]
    if not any(n is node for n, _ in replaced):
        return
    said = f"{itself}.{name}"
    raise Spelled(
        node, REASON, replaced, [(step.node, lambda source: [f"{said} = {source(node)}"])]
    )


def _all(walker: Any, node: ast.Call) -> bool:
    """Whether a call asks for all trainable variables."""
    endpoint = walker.endpoints.get(id(node.func))
    return endpoint == T + "trainable_variables" and not node.args and not node.keywords


def _once(walker: Any, method: ast.FunctionDef, stmt: ast.stmt) -> bool:
    """Whether a method is called at one place only, in a statement."""
    inside = set(map(id, walk(stmt)))
    named = [n for n in all_of(walker.tree, ast.Call) if _calls(n, method.name)]
    reads = [
        n
        for n in all_of(walker.tree, ast.Attribute)
        if n.attr == method.name and isinstance(n.ctx, ast.Load)
    ]
    other = [n for n in reads if not any(c.func is n for c in named)]
    return len(named) == 1 and id(named[0]) in inside and not other


def _calls(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == name
