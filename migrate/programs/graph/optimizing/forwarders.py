"""Functions that hand on all that they are given: ``return tf.train.AdamOptimizer(*a, **k)``.

``g_optimizer`` of SeqGAN: what it calls is called where it is, with what is given there.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, named, parents_of
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word


class Forwarded(Spelled):
    """A call that may stand where the function that hands it on is called."""


def check(walker: Any, node: ast.Call, reason: str) -> None:
    """See whether a call stands in such a function, which its file alone calls.

    Raises:
        Forwarded: it does.
    """
    target = walker.frame.node
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    args = target.args
    own = args.args[1:] if args.args and args.args[0].arg == "self" else args.args
    if own or args.kwonlyargs or args.posonlyargs or not args.vararg or not args.kwarg:
        return
    body = target.body[1:] if ast.get_docstring(target) is not None else target.body
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is not node:
        return
    given = [ast.unparse(a) for a in node.args] + [
        (k.arg, ast.unparse(k.value)) for k in node.keywords
    ]
    if given != [f"*{args.vararg.arg}", (None, args.kwarg.arg)]:
        return
    tree = walker.files.at(target).tree
    same = [f for f in all_of(walker.tree, ast.FunctionDef) if f.name == target.name]
    if same != [target] or not _alone(tree, target):
        return
    parents = parents_of(walker.tree)
    uses = named(walker.tree, target.name)
    calls = [parents.get(id(use)) for use in uses]
    if not all(
        isinstance(c, ast.Call) and c.func is use and walker.files.at(c).tree is tree
        for c, use in zip(calls, uses, strict=True)
    ):
        return

    def func(source: Source) -> str:
        return source(node.func)

    gone: list[Written] = [(target, word(""))]
    raise Forwarded(node, reason, [*((use, func) for use in uses), *gone])


def _alone(tree: ast.AST, target: ast.FunctionDef) -> bool:
    """Whether a class, or a file, has more than a function."""
    homes = [tree, *all_of(tree, ast.ClassDef)]
    home = next((h for h in homes if target in getattr(h, "body", ())), None)
    return home is not None and len(home.body) > 1 and holds(home, target)  # type: ignore[attr-defined]
