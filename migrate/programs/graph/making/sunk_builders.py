"""A net that a function makes only to hand it on: who is given it makes it.

``s, readout = create_network()`` above ``train(s, readout, sess)``, whose function goes on with the
graph: the statement stands at that function's beginning, and its parameters go.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.feeding.helper_placeholders import calls_of
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Value
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word

BUILDS = meaning.OPTIMIZERS | {T + "train.Saver"}
REASON = "the graph of another function goes on here"


def check(walker: Any, target: ast.FunctionDef, value: Value, call: ast.Call) -> None:
    """See whether a function that builds is given what was made for it in the statement above.

    Raises:
        Spelled: it is, and can make that itself.
    """
    region = value.symbol.step.region if value.symbol is not None else None
    built = region.built if region is not None else None
    if not isinstance(built, ast.Call) or not _builds(walker, target):
        return
    made = _above(walker, built, call)
    if made is None or len(calls_of(walker, target)) != 1:
        return
    home = walker.files.at(made)
    if walker.files.at(target) is not home or target.decorator_list or built.keywords:
        return
    args = target.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.defaults or call.keywords:
        return
    params = [a.arg for a in args.args]
    to = made.targets[0]
    names = to.elts if isinstance(to, (ast.Tuple, ast.List)) else [to]
    given = [a.id if isinstance(a, ast.Name) else None for a in call.args]
    if len(given) != len(params) or any(not isinstance(n, ast.Name) for n in names):
        return
    said = [n.id for n in names if isinstance(n, ast.Name)]
    scope = walker.tree if isinstance(walker.frame.node, ast.Module) else walker.frame.node
    uses = [n.id for n in all_of(scope, ast.Name)]
    own = {n.id for n in all_of(target, ast.Name)}
    if any(uses.count(n) != 1 + given.count(n) or given.count(n) > 1 for n in said):
        return
    bound = {n.id for n in all_of(target, ast.Name) if not isinstance(n.ctx, ast.Load)}
    for n in (n for a in (built.func, *built.args) for n in walk(a)):
        if isinstance(n, ast.Call) or (
            isinstance(n, ast.Name) and n.id in {*bound, *params, *said}
        ):
            return
        if isinstance(n, ast.Name) and not _module(walker, scope, n):
            return
    new: list[str] = []
    for one in said:
        inside = params[given.index(one)] if one in given else one
        taken = one not in given and (inside in own or inside in params or inside in new)
        new.append(free(walker, inside, new) if taken else inside)
    if len(set(new)) < len(new):
        return
    kept = [i for i, n in enumerate(given) if n not in said]
    first, last = args.args[0], args.args[-1]
    header = known_branches.span(
        (first.lineno, first.col_offset - 1),
        (last.end_lineno or last.lineno, (last.end_col_offset or 0) + 1),
    )
    left = [call.args[i] for i in kept]

    def parameters(source: Source) -> str | None:
        text = source(header)
        whole = text.startswith("(") and text.endswith(")")
        return f"({', '.join(params[i] for i in kept)})" if whole else None

    def without(source: Source) -> str:
        return f"{source(call.func)}({', '.join(map(source, left))})"

    told = ast.get_docstring(target) is not None and len(target.body) > 1
    ends = header.end_lineno or 0
    first_line = (target.body[0].end_lineno or 0) if told else ends
    place = (first_line + 1, 0)
    gap = known_branches.span((ends, header.end_col_offset or 0), place)

    def begin(source: Source) -> str | None:
        line = (
            f"{source(known_branches.margin(target.body[0]))}{', '.join(new)} = {source(built)}\n"
        )
        return line if told or source(gap).partition("#")[0].strip() == ":" else None

    replaced: list[Written] = [(made, word("")), (call, without), (header, parameters)]
    raise Spelled(call, REASON, [*replaced, (known_branches.span(place, place), begin)])


def _builds(walker: Any, target: ast.FunctionDef) -> bool:
    """Whether a function makes an optimizer or a Saver of its own."""
    return any(walker.endpoints.get(id(n)) in BUILDS for n in walk(target))


def _above(walker: Any, built: ast.Call, call: ast.Call) -> ast.Assign | None:
    """The statement that builds, where the one that hands it on comes next.

    What writes the graph may stand between: what is built is as much of a graph for it as before.
    """
    for node in walk(walker.frame.node):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for one, other in pairwise(s for s in body if not _writer(walker, s)):
            if isinstance(one, ast.Assign) and one.value is built and len(one.targets) == 1:
                handed = isinstance(other, (ast.Assign, ast.Expr)) and other.value is call
                return one if handed and one.end_lineno != other.lineno else None
    return None


def _writer(walker: Any, stmt: ast.stmt) -> bool:
    """``tf.summary.FileWriter(folder, sess.graph)``."""
    made = stmt.value if isinstance(stmt, (ast.Assign, ast.Expr)) else None
    if not isinstance(made, ast.Call):
        return False
    name = meaning.canonical(walker.endpoints.get(id(made.func)) or "")
    return bool(name in meaning.WRITERS)


def _module(walker: Any, scope: ast.AST, name: ast.Name) -> bool:
    """Whether a name is the module's, where a function is told what to build."""
    if isinstance(scope, ast.Module):
        return name.id in walker.frame.env
    stores = {n.id for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)}
    return name.id not in stores | {n.arg for n in all_of(scope, ast.arg)}
