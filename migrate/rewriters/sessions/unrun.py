"""Programs that make a graph and run nothing: each tensor's function is made, and not run.

    @tf.function
    def compute_total():
        return tf.add_n([a, b], name="total")

    compute_total.get_concrete_function()

So TF 1 made the graph, too, and `tf.summary.graph` may write it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.engine.functions import NOTHING
from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Fetch, Kind, Region, Step
from migrate.programs.graph.slices import Plan, plan_of
from migrate.rewriters.sessions.shown_alone import site_of, traced

# What only a graph has, by which a module without a session is taken for a program.
MAKES = frozenset(T + name for name in ("get_variable", "variable_scope", "get_variable_scope"))
BEGINS = ("Session", "enable_eager_execution", "estimator", "app.run")


def makes_graph(tree: ast.Module, endpoints: dict[int, str]) -> bool:
    """Whether a module that runs nothing makes variables of a graph by its own statements."""
    if any(word in name for name in endpoints.values() for word in BEGINS):
        return False
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    todo: list[ast.AST] = [tree]
    for node in todo:
        if endpoints.get(id(node)) in MAKES:
            return True
        todo += [n for n in ast.iter_child_nodes(node) if not isinstance(n, inner)]
    return False


def check(program: Any) -> None:
    """See that a program which runs nothing is one file, all of which was followed.

    Raises:
        Blocked: it isn't.
    """
    first = program.document.tree.body[0]
    walker = program.walker
    if len(program.pages) > 1:
        raise Blocked(first, NOTHING)
    names = [n.id for n in all_of(program.document.tree, ast.Name)]
    for node in all_of(program.document.tree, ast.FunctionDef):
        if id(node) in walker.entered:
            continue
        said = {walker.endpoints[id(n)] for n in walk(node) if id(n) in walker.endpoints}
        host = all(e == "tensorflow" or meaning.is_host(meaning.canonical(e)) for e in said)
        if not host and not (names.count(node.name) and all(map(_plain, said))):
            raise Blocked(first, NOTHING)


def _plain(endpoint: str) -> bool:
    """Whether a function that an op is given, `tf.cond`, may have it as it is."""
    return endpoint == "tensorflow" or (
        meaning.is_op(endpoint)
        and endpoint not in meaning.VARIABLES | MAKES
        and "placeholder" not in endpoint
    )


def functions(program: Any, region: Region, plans: Iterable[Plan]) -> list[Plan]:
    """Functions for what a region computes that nothing prints.

    Raises:
        Blocked: there is something else than tensors, or it can't be told what they need.
    """
    covered = {s for plan in plans for s in plan.steps}
    left = [s for s in region.steps if s.moves and s not in covered]
    found: list[Plan] = []
    for step in reversed(left):
        if step in covered:
            continue
        trains = _trains(program.walker, step)
        kinds = (Kind.OP,) if trains else (Kind.TENSOR, Kind.CONST)
        made = [s for s in step.defs if s.value.kind in kinds]
        right = trains or step.kind is Kind.TENSOR
        if not right or not made or not isinstance(step.node, ast.Assign):
            raise Blocked(step.node, NOTHING)
        (target, *others) = step.node.targets
        call = ast.copy_location(ast.Call(step.node.value, [], []), step.node)
        site = site_of(region, step, made, call)
        site.fetch = Fetch(target, made[0].value, uses={made[0]: None})
        plan = plan_of(region, site, program.fed, program.lent)
        known = traced(program, plan, step if trains else None)
        known = known and max(plan.steps, key=lambda s: s.order) is step
        if others or len(made) > 1 or not isinstance(target, ast.Name) or not known:
            raise Blocked(step.node, NOTHING)
        plan.made = True
        plan.sites.append(site)
        covered.update(plan.steps)
        found.insert(0, plan)
    return found


def _trains(walker: Any, step: Step) -> bool:
    """Whether a statement names a train op: ``train = optimizer.minimize(loss)``."""
    value = getattr(step.node, "value", None)
    return step.kind is Kind.OP and id(value) in {*walker.gradients, *walker.applies}
