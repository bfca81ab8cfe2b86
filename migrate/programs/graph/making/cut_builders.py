"""Functions that make their variables first, and return some of them beside what they compute.

``return q_value, w1, b1`` of a net and its target: what makes the variables gives them, and what
computes is a function of its own below, ``forward(state, w1, b1)``. The text is cut where the last
variable has been made.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.feeding import helper_placeholders
from migrate.programs.graph.feeding.helper_placeholders import Hoisted, calls_of, home_of, names_at
from migrate.programs.graph.wording.known_branches import margin, span
from migrate.programs.graph.wording.spelled import Source, Written, free, word

PLAIN = (ast.Assign, ast.Expr)


def check(walker: Any, target: ast.FunctionDef, node: ast.AST, reason: str) -> None:
    """See whether a function can be cut behind the variables that it makes.

    Raises:
        Hoisted: it can, and what calls it may call both parts.
    """
    home, last = home_of(walker, target), target.body[-1]
    calls = calls_of(walker, target)
    args = target.args
    if not calls or target.decorator_list or args.vararg or args.kwarg or args.kwonlyargs:
        return
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Tuple):
        return
    if not all(isinstance(s, PLAIN) for s in target.body[:-1]):
        return
    returned = [n.id if isinstance(n, ast.Name) else "" for n in last.value.elts]
    if "" in returned or len(set(returned)) < len(returned):
        return
    making = [i for i, s in enumerate(target.body) if walker._variables_made(s)]
    if not making or making[-1] + 1 >= len(target.body) - 1:
        return
    first, rest = target.body[: making[-1] + 1], target.body[making[-1] + 1 :]
    made = [n for i in making for n in _bound(target.body[i])]
    before, after = [n for s in first for n in _bound(s)], [n for s in rest for n in _bound(s)]
    params = [a.arg for a in args.args][home is not None :]
    read = [n.id for s in rest for n in all_of(s, ast.Name)]
    others = {n for n in before if n not in made}
    odd = (ast.Lambda, ast.FunctionDef, ast.JoinedStr, ast.Global, ast.Nonlocal)
    if any(isinstance(n, odd) for s in target.body for n in walk(s)):
        return
    if set(after) & {*before, *params} or others & set(read) or len(set(before)) < len(before):
        return
    early = {n.id for s in first for n in all_of(s, ast.Name)}
    given = [n for n in params if n in read]
    if any(n not in made and n not in after for n in returned) or set(before) & set(params):
        return
    variables = [n for n in made if n in read]
    computed = [n for n in returned if n in after]
    if not computed or rest[0].lineno == first[-1].end_lineno:
        return
    told = {getattr(n, "attr", getattr(n, "name", None)) for n in walk(walker.tree)}
    wish = "forward" if "forward" not in told else f"forward_{computed[0]}"
    name = free(walker, wish)
    if name in told:
        return
    itself = args.args[0].arg if home is not None else ""
    kept = [n for n in params if n in early]
    defaults = dict(zip(reversed(params), reversed(args.defaults), strict=False))
    if args.defaults and kept != params:
        return
    replaced: list[Written] = [(last.value, word(", ".join(computed)))]
    if kept != params:
        if not args.args or args.defaults:
            return
        opens, closes = args.args[0], args.args[-1]
        whole = span((opens.lineno, opens.col_offset), _behind(closes))
        replaced.append((whole, word(", ".join([*([itself] if itself else []), *kept]))))
    header = ", ".join([*([itself] if itself else []), *given, *variables])
    gap = "\n" if home is not None else "\n\n"

    def cut(source: Source) -> str:
        outer, inner = source(margin(target)), source(margin(target.body[0]))
        give = f"\n{inner}return {', '.join(variables)}\n"
        return f"{give}{gap}{outer}def {name}({header}):"

    end = _behind(first[-1])
    replaced.append((span(end, end), cut))
    lines: list[Any] = []
    taken: list[str] = []
    for call in calls:
        one = _called(
            walker, target, call, (returned, variables, kept, given, computed), name, defaults
        )
        if one is None:
            return
        replaced += one[0]
        lines.append(one[1])
        taken += one[2]
    if len(set(taken)) < len(taken):
        return
    raise Hoisted(node, reason, replaced, lines)


def _behind(node: ast.stmt | ast.arg) -> tuple[int, int]:
    """The place behind a node."""
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _bound(stmt: ast.stmt) -> list[str]:
    return [n.id for n in all_of(stmt, ast.Name) if not isinstance(n.ctx, ast.Load)]


def _called(
    walker: Any,
    target: ast.FunctionDef,
    call: ast.Call,
    names: tuple[list[str], ...],
    name: str,
    defaults: dict[str, ast.expr],
) -> tuple[list[Written], Any, list[str]] | None:
    """A call of both parts: the first in a line above it."""
    returned, variables, kept, given, computed = names
    stmt = helper_placeholders.statement_of(walker, target, call)
    if stmt is None or not isinstance(stmt.targets[0], ast.Tuple):
        return None
    to = stmt.targets[0].elts
    if len(to) != len(returned) or not all(isinstance(n, (ast.Name, ast.Attribute)) for n in to):
        return None
    arguments = helper_placeholders.arguments(walker, target, call)
    if arguments is None or any(n not in arguments for n in (*kept, *given)):
        return None
    bound = {n: ast.unparse(to[returned.index(n)]) for n in variables if n in returned}
    here = names_at(walker, stmt)
    local: list[str] = []
    for one in variables:
        if one not in bound:
            bound[one] = free(walker, one, local) if one in here else one
            local.append(bound[one])
    func = call.func
    left = [to[returned.index(n)] for n in computed]
    passed = {k.arg: k for k in call.keywords}

    def first(source: Source) -> list[str]:
        parts = [
            f"{n}={source(arguments[n])}" if n in passed else source(arguments[n])
            for n in kept
            if arguments[n] is not defaults.get(n)
        ]
        return [f"{', '.join(bound[n] for n in variables)} = {source(func)}({', '.join(parts)})"]

    def second(source: Source) -> str:
        parts = [source(arguments[n]) for n in given] + [bound[n] for n in variables]
        head = f"{source(func.value)}." if isinstance(func, ast.Attribute) else ""
        return f"{head}{name}({', '.join(parts)})"

    replaced: list[Written] = [
        (stmt.targets[0], lambda source: ", ".join(map(source, left))),
        (call, second),
    ]
    return replaced, (stmt, first), local
