"""``Net(tf.train.MomentumOptimizer, momentum=0.9)``, whose class calls ``opt(LR, **kwargs)``.

The optimizer is made where its class and what it is given are named:
``Net(tf.train.MomentumOptimizer(LR, momentum=0.9))``, and ``__init__`` has ``opt`` itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording.known_branches import every, place, span
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word
from migrate.programs.graph.wording.starred import REASON


def check(walker: Any, node: ast.Call) -> None:
    """See whether a call of a parameter, with all other keywords, may stand at the outer calls.

    Raises:
        Spelled: it may.
    """
    target = walker.frame.node
    if not isinstance(target, ast.FunctionDef) or not isinstance(node.func, ast.Name):
        return
    args, opt = target.args, node.func.id
    if args.kwarg is None or args.vararg or args.kwonlyargs or args.posonlyargs or args.defaults:
        return
    if not args.args or args.args[-1].arg != opt or target.decorator_list:
        return
    hidden = [k for k in node.keywords if k.arg is None]
    if len(hidden) != 1 or getattr(hidden[0].value, "id", "") != args.kwarg.arg:
        return
    for name in (opt, args.kwarg.arg):
        if sum(isinstance(n, ast.Name) and n.id == name for n in walk(target)) != 1:
            return
    home = walker.files.at(target)
    own = [*node.args, *(k.value for k in node.keywords if k.arg is not None)]
    if not all(isinstance(n, ast.Constant) or _settled(home.tree, target, n) for n in own):
        return
    calls = every(walker, target)
    words = {a.arg for a in args.args} | {k.arg for k in node.keywords}
    replaced: list[Written] = [(node, word(opt)), _without(args.args[-1], args.kwarg)]
    for call in calls:
        made = place(target, call, opt)
        endpoint = walker.endpoints.get(id(made)) or ""
        if made is None or walker.files.at(made) is not home or made is not call.args[-1]:
            return
        if not (endpoint.startswith(f"{T}train.") and endpoint.endswith("Optimizer")):
            return
        if any(k.arg in words for k in call.keywords):
            return
        end = call.keywords[-1].value if call.keywords else made
        whole = span((made.lineno, made.col_offset), (end.end_lineno or 0, end.end_col_offset or 0))
        replaced.append((whole, _made(node, made, call.keywords, whole)))
    if calls:
        raise Spelled(node, REASON, replaced)


def _made(
    node: ast.Call, made: ast.expr, more: list[ast.keyword], whole: ast.AST
) -> Callable[[Source], str | None]:
    def written(source: Source) -> str | None:
        if "#" in source(whole):
            return None  # a comment
        given = [source(n) for n in node.args]
        given += [f"{k.arg}={source(k.value)}" for k in (*node.keywords, *more) if k.arg]
        return f"{source(made)}({', '.join(given)})"

    return written


def _without(last: ast.arg, kwarg: ast.arg) -> Written:
    """A function's parameters without its last one, which takes all other keywords."""
    whole = span((last.lineno, last.col_offset), (kwarg.end_lineno or 0, kwarg.end_col_offset or 0))
    return whole, lambda source: source(last)


def _settled(tree: Any, target: ast.FunctionDef, node: ast.expr) -> bool:
    """Whether a name means the same wherever the module calls: it is bound once, to a constant."""
    if tree is None or not isinstance(node, ast.Name):
        return False
    stores = [
        n for n in all_of(tree, ast.Name) if n.id == node.id and not isinstance(n.ctx, ast.Load)
    ]
    bound = [n for n in all_of(tree, ast.arg) if n.arg == node.id]
    return not bound and any(
        isinstance(s, ast.Assign) and s.targets == stores and isinstance(s.value, ast.Constant)
        for s in tree.body
    )
