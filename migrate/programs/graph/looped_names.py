"""``for v in tf.trainable_variables(): print(v.name)``: the loop goes through the names as well.

The names that TF 1 gives the variables of layers are written out where a comprehension asks for
them (`named_variables.read`). A loop that reads nothing but names goes through these alone. The
list may have some of the variables, `tf.trainable_variables("net")`, `[v for v in … if …]`.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph import object_variables
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind
from migrate.programs.graph.spelled import Source, Spelled, Written, free, word

LISTS = T + "trainable_variables"
KEY = T + "GraphKeys.TRAINABLE_VARIABLES"


def check(walker: Any, node: ast.expr, reason: str) -> None:
    """See whether a name is read of what a loop over the trained variables is at.

    Raises:
        Spelled: it is.
    """
    if not isinstance(node, ast.Attribute) or node.attr != "name":
        return
    if not isinstance(node.value, ast.Name) or walker.frame.region is None:
        return
    own = node.value.id
    loops = all_of(walker.frame.node, ast.For)
    loop = next((n for n in reversed(loops) if holds(n, node)), None)
    if loop is None or loop.orelse:
        return
    target, through = loop.target, loop.iter
    if _counts(loop):
        assert isinstance(target, ast.Tuple)
        assert isinstance(through, ast.Call)
        target, through = target.elts[1], through.args[0]
    listed: ast.expr | None = called(walker, through)
    uses = [n for s in loop.body for n in all_of(s, ast.Name) if n.id == own]
    scope = [n for n in all_of(walker.frame.node, ast.Name) if n.id == own]
    if listed is None and chosen(walker, through) is not None:
        listed = through
    if listed is None or any(not _load(n) for n in uses):
        return
    if not isinstance(target, ast.Name) or target.id != own:
        return
    inside = {id(n) for n in walk(loop)}
    behind = [n for n in scope if id(n) not in inside and _load(n)]
    if any(n.lineno > loop.lineno for n in behind) and not _bound_again(scope, behind, loop):
        return  # the last one, behind the loop
    reads = [
        n
        for s in loop.body
        for n in all_of(s, ast.Attribute)
        if n.attr == "name" and getattr(n.value, "id", "") == own
    ]
    name = "name" if free(walker, "name") == "name" else free(walker, f"{own}_name")
    root = listed

    def names(source: Source) -> str:
        return f"[{own}.name for {own} in {source(root)}]"

    replaced: list[Written] = [(n, word(name)) for n in reads]
    if len(reads) == len(uses):
        replaced += [(target, word(name)), (through, names)]
    else:
        both = f"{own}, {name}"
        replaced.append((target, word(both if target is loop.target else f"({both})")))
        replaced.append((through, lambda source: f"zip({source(through)}, {names(source)})"))
    raise Spelled(node, reason, replaced)


def _counts(loop: ast.For) -> bool:
    """``for i, v in enumerate(variables):``."""
    pair = isinstance(loop.target, ast.Tuple) and len(loop.target.elts) == 2
    call = loop.iter
    return (
        pair
        and isinstance(call, ast.Call)
        and getattr(call.func, "id", "") == "enumerate"
        and len(call.args) == 1
    )


def _load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _bound_again(scope: list[ast.Name], behind: list[ast.Name], loop: ast.For) -> bool:
    """Whether what reads the name behind the loop does so behind another binding of it."""
    end = loop.end_lineno or loop.lineno
    later = [n.lineno for n in scope if not _load(n) and n.lineno > end]
    return bool(later) and all(n.lineno < loop.lineno or n.lineno >= min(later) for n in behind)


def chosen(walker: Any, node: ast.expr) -> list[Any] | None:
    """The variables of a list that some of the trained ones are in, as it was made."""
    made = _made(walker, node)
    if made is None or not trained(walker, made):
        return None
    entries: list[Any] | None = walker.listed.get(id(made))
    return entries


def trained(walker: Any, node: ast.expr) -> bool:
    """Whether an expression asks for trained variables: all, those of a scope or of some names."""
    if isinstance(node, ast.ListComp):
        made = _made(walker, node.generators[0].iter) if len(node.generators) == 1 else None
        return made is not None and trained(walker, made)
    if not isinstance(node, ast.Call):
        return False
    asked = walker.endpoints.get(id(node.func))
    keys = {walker.endpoints.get(id(n)) for n in walk(node)}
    return asked == LISTS or (asked == T + "get_collection" and KEY in keys)


def _made(walker: Any, node: ast.expr) -> ast.expr | None:
    """What a name or an object's attribute was made by; the expression itself otherwise."""
    symbol = None
    if isinstance(node, ast.Name):
        symbol = walker.frame.env.get(node.id)
    elif isinstance(node, ast.Attribute):
        owner = walker.expression(node.value)
        symbol = owner.data.attrs.get(node.attr) if owner.kind is Kind.OBJECT else None
    else:
        return node
    made = symbol.step.node if symbol is not None else None
    return made.value if isinstance(made, ast.Assign) and len(made.targets) == 1 else None


def called(walker: Any, node: ast.expr) -> ast.Call | None:
    """The call of `tf.trainable_variables` that a loop goes through, also under a name."""
    if isinstance(node, ast.Name):
        symbol = walker.frame.env.get(node.id)
        made = symbol.step.node if symbol is not None else None
        if not isinstance(made, ast.Assign):
            return None
        known = walker.kept.get("all", {}).get(id(made.value))
        if known != object_variables.count(walker):
            return None  # there are more by now
        node = made.value
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    return node if walker.endpoints.get(id(node.func)) == LISTS else None
