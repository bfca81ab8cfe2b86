"""Linear-chain CRFs of `tf.contrib.crf`: the likelihood of tags, and the best ones."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import VARIABLES, T
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Kind,
    Value,
    described,
)
from migrate.programs.graph.sizing import shapes, static_dims
from migrate.programs.graph.wording.respelled import Respelled
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

CRF = T + "contrib.crf."


@family(CRF + "crf_log_likelihood", CRF + "crf_decode")
def in_graph(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """What a run computes of potentials and transitions."""
    name = endpoint.rpartition(".")[2]
    given = walker.bound(endpoint, node)
    transitions = given.get("transition_params")
    if transitions is None or (isinstance(transitions, ast.Constant) and transitions.value is None):
        reason = f"{name} makes its transitions itself, and how many tags there are isn't seen"
        walker.expression(given["inputs"])
        tags = shapes.last(walker, given["inputs"])
        if tags == shapes.OPEN:
            tags = (static_dims.seen(walker, given["inputs"]) or [tags])[-1]
        if name != "crf_log_likelihood" or tags == shapes.OPEN:
            raise Blocked(node, reason)
        raise Respelled(node, reason, "crf", tags=tags)
    if name == "crf_log_likelihood":
        _named(walker, node, transitions)
    joined = walker.join([walker.expression(value) for value in given.values()], node)
    if joined.kind is not Kind.TENSOR:
        raise Blocked(node, f"{name} of {described(joined)}")
    _written(walker, name, node)
    return Value(Kind.TENSOR, None, [(0, Value(Kind.TENSOR)), (1, Value(Kind.TENSOR))])


def _named(walker: Any, node: ast.Call, transitions: ast.expr) -> None:
    """``likelihood, trans = crf_log_likelihood(…, transition_params=trans)``: gives them back.

    Runs that only read the transitions do without what the likelihood needs. In a branch that
    begins with the variable, what follows is a branch of its own.

    Raises:
        Spelled: the call's transitions have a name, which stands for what it gives back.
    """
    stmt = walker.stmt
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return
    (target,) = stmt.targets
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
        return
    back, simple = target.elts[1], (ast.Name, ast.Attribute)
    own = ast.unparse(back)
    if not isinstance(back, simple) or not isinstance(transitions, simple):
        return
    same = own in ("_", ast.unparse(transitions))

    def alias(source: Source) -> str:
        return f"{source(back)} = {source(transitions)}"

    reason = "crf_log_likelihood gives its transitions back"
    replaced: list[Written] = [] if own == "_" else [(back, word("_"))]
    scope = _scope(walker, stmt)
    top: ast.stmt = scope or stmt
    branch = _around(walker, top)
    body = scope.body if scope is not None else branch.body if branch is not None else []
    made = body[: body.index(stmt)] if branch is not None else []
    if own == "_" and (scope is None or not made or not all(_variable(walker, s) for s in made)):
        return
    if branch is None or not made or not all(_variable(walker, s) for s in made):
        before = [] if same else [(stmt, lambda source: [alias(source)])]
        raise Spelled(node, reason, replaced, before)
    name = ast.unparse(transitions) if own == "_" else own
    after = [*body[body.index(stmt) + 1 :][:1], *branch.body[branch.body.index(top) + 1 :][:1]]
    kept = [s for s in after if isinstance(s, ast.Assign) and ast.unparse(s.value) == name]
    replaced += [(s, word("")) for s in (*made, *kept)]
    unit = " " * (branch.body[0].col_offset - branch.col_offset)

    def lines(source: Source) -> list[str]:
        given = [*map(source, made), *([] if same else [alias(source)]), *map(source, kept)]
        if scope is not None:
            items = ", ".join(source(i.context_expr) for i in scope.items)
            given = [f"with {items}:", *(unit + line for line in given)]
        return [f"if {source(branch.test)}:", *(unit + line for line in given)]

    raise Spelled(node, reason, replaced, [(branch, lines)])


def _scope(walker: Any, stmt: ast.stmt) -> ast.With | None:
    """The scope that a statement stands in, where it has no name that is read."""
    for node in all_of(walker.files.at(stmt).tree, ast.With):
        if stmt in node.body:
            calls = [i.context_expr for i in node.items if i.optional_vars is None]
            plain = len(calls) == len(node.items) and all(
                isinstance(c, ast.Call)
                and walker.endpoints.get(id(c.func)) in (T + "variable_scope", T + "name_scope")
                for c in calls
            )
            return node if plain else None
    return None


def _around(walker: Any, stmt: ast.stmt) -> ast.If | None:
    """The branch of a setting that a statement stands in, which begins it."""
    for node in all_of(walker.files.at(stmt).tree, ast.If):
        if stmt in node.body:
            parts = (ast.Name, ast.Attribute, ast.expr_context)
            plain = all(isinstance(n, parts) for n in walk(node.test))
            elif_ = any(node in other.orelse for other in all_of(walker.tree, ast.If))
            return node if plain and not elif_ else None
    return None


def _variable(walker: Any, stmt: ast.stmt) -> bool:
    """Whether a statement gives a variable a name."""
    call = stmt.value if isinstance(stmt, ast.Assign) else None
    return isinstance(call, ast.Call) and walker.endpoints.get(id(call.func)) in VARIABLES


@family(CRF + "viterbi_decode")
def on_arrays(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """The best tags of one sequence, which NumPy computes of what runs gave."""
    for value in walker.bound(endpoint, node).values():
        walker.host(value)
    _written(walker, "viterbi_decode", node)
    return HOST


def _written(walker: Any, name: str, node: ast.Call) -> None:
    def call(writer: Any) -> str:
        recurrent = writer.module.recurrent
        if name in writer.module.bound:
            raise Blocked(node, f"the module has a `{name}` of its own")
        recurrent.need(name)
        parts = [writer.source(value) for value in node.args]
        parts += [f"{k.arg}={writer.source(k.value)}" for k in node.keywords]
        return f"{name}({', '.join(parts)})"

    walker.rewrites[id(node)] = call
