"""Functions of `tf.contrib` as a parameter's default: ``prediction_fn=slim.softmax``.

The function calls its parameter, so the default must be a function that TF 2 has, and be called by
that one's arguments. `slim.softmax` is `tf.nn.softmax`, over the last axis at any rank; its
``scope`` is that one's ``name``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled, Written, same

SOFTMAX = T + "contrib.layers.softmax"
KNOWN = ("logits", "scope")


def check(walker: Any, node: ast.Call) -> None:
    """See whether a call is that of such a parameter.

    Raises:
        Spelled: it is, and all calls of the function leave it at its default.
    """
    region = walker.frame.region
    target, name = getattr(region, "node", None), node.func
    if not isinstance(target, ast.FunctionDef) or not isinstance(name, ast.Name):
        return
    names = [a.arg for a in target.args.args]
    defaults = dict(zip(reversed(names), reversed(target.args.defaults), strict=False))
    default = defaults.get(name.id)
    if default is None or meaning.canonical(walker.endpoints.get(id(default), "")) != SOFTMAX:
        return
    tree = walker.files.at(target).tree
    root = next(
        (
            n.value.id
            for n in all_of(tree if tree is not None else walker.tree, ast.Attribute)
            if isinstance(n.value, ast.Name)
            if walker.endpoints.get(id(n)) == T + n.attr
        ),
        None,
    )
    uses = [n for n in all_of(target, ast.Name) if n.id == name.id]
    calls = [n for n in all_of(target, ast.Call) if n.func in uses]
    given = [region.alone] if region.alone is not None else known_branches.calls(walker, region)
    asked = [n for n in uses if any(_asks(s.test, n) for s in all_of(target, ast.If))]
    if root is None or len(calls) + len(asked) != len(uses) or not given:
        return
    if region.alone is None and known_branches.mentions(walker, target) != len(given):
        return
    if any(known_branches.place(target, call, name.id) is not None for call in given):
        return
    found: list[Written] = [(default, lambda _: f"{root}.nn.softmax")]
    for call in calls:
        for keyword in call.keywords:
            if keyword.arg not in KNOWN:
                return
            if keyword.arg == "scope":
                found.append((keyword, same(keyword.value, before="name=")))
        if len(call.args) > 1:
            return
    raise Spelled(node, f"`{name.id}` is a function of tf.contrib", found)


def _asks(test: ast.expr, name: ast.Name) -> bool:
    """Whether a condition only asks whether there is a function: ``if prediction_fn:``."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and test.left is name:
        none = test.comparators[0]
        is_none = isinstance(none, ast.Constant) and none.value is None
        return is_none and isinstance(test.ops[0], (ast.Is, ast.IsNot))
    return test is name
