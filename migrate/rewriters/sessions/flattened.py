"""Comprehensions through a list of another one: ``f(v) for v in [w for a in net for w in a]``.

What a list of variables becomes is a comprehension where layers have them; the author's, which goes
through it, takes its loops.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.engine.trees import walk
from migrate.rewriters.sessions.text import Text

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def written(text: Text, around: ast.AST, node: ast.AST, new: str) -> tuple[int, int, str]:
    """What stands in place of a node, somewhere in another one: from where, to where, and what."""
    start, end = text.index.span(node)
    taken = _loops(around, node, new, text.source)
    return (start, end, new) if taken is None else (text.index.span(taken[0])[0], end, taken[1])


def _loops(
    around: ast.AST, node: ast.AST, new: str, source: Callable[[ast.AST], str]
) -> tuple[ast.expr, str] | None:
    """The target of the comprehension that goes through what is new, and what its loops become.

    None where the loops of a list can't stand in place of it.
    """
    if not new.startswith("[") or " for " not in new:
        return None
    outer, through = next(
        (
            (n, each)
            for n in walk(around)
            if isinstance(n, COMPREHENSIONS)
            for each in n.generators
            if each.iter is node
        ),
        (None, None),
    )
    if outer is None or through is None or through.is_async:
        return None
    try:
        inner = ast.parse(new, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(inner, ast.ListComp) or any(g.ifs or g.is_async for g in inner.generators):
        return None
    last = inner.generators[-1]
    if not isinstance(inner.elt, ast.Name) or ast.dump(last.target) != _stored(inner.elt):
        return None
    bound = {n.id for g in inner.generators[:-1] for n in walk(g.target) if isinstance(n, ast.Name)}
    names = {n.id for n in walk(outer) if isinstance(n, ast.Name)}
    read = {n.id for n in walk(last.iter) if isinstance(n, ast.Name)}
    if bound & names or inner.elt.id in read:
        return None
    heads = [f"{ast.unparse(g.target)} in {ast.unparse(g.iter)}" for g in inner.generators[:-1]]
    heads.append(f"{source(through.target)} in {ast.unparse(last.iter)}")
    return through.target, " for ".join(heads)


def _stored(name: ast.Name) -> str:
    return ast.dump(ast.Name(name.id, ast.Store()))
