"""Lists of ops that a function makes of variables, and what runs them one by one.

``target_ops = update_graph(variables, tau)``, then ``for op in target_ops: sess.run(op)``: the
function's statements stand where it is called, and all ops are run where the loop was.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.fetching.ops_in_loops import REASON
from migrate.programs.graph.listing.layer_variables import VARIABLES
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.wording.spelled import Source, Spelled


def given_variables(
    walker: Any, target: ast.AST, given: dict[str, Value], result: Value, call: ast.Call
) -> None:
    """See whether a short function makes ops of a list of variables and more that it is given.

    Raises:
        Inlinable: it does, and its statements may stand where it is called.
    """
    if result.kind is not Kind.OP or not isinstance(target, ast.FunctionDef):
        return
    lists = [v for v in given.values() if v.data in (VARIABLES, "container")]
    if walker.frame.region is not None and lists and len(lists) < len(given):
        training_helpers.few(walker, target, call, "makes ops of a list of variables")


def one_by_one(walker: Any, loop: ast.For) -> None:
    """``for op in ops: sess.run(op)``, where the ops are assignments of a comprehension.

    Raises:
        Spelled: it is that. The list is run as a loop of assignments, one after the other.
    """
    if len(loop.body) != 1 or loop.orelse or not isinstance(loop.target, ast.Name):
        return
    stmt, own, scope = loop.body[0], loop.target.id, walker.frame.node
    run = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(run, ast.Call) or not isinstance(run.func, ast.Attribute) or scope is None:
        return
    if run.func.attr != "run" or run.keywords or [ast.unparse(a) for a in run.args] != [own]:
        return
    if sum(own in (getattr(n, "id", ""), getattr(n, "arg", "")) for n in walk(scope)) != 2:
        return
    if not isinstance(loop.iter, (ast.Name, ast.Attribute)) or not _gathered(walker, loop.iter):
        return
    func = run.func

    def written(source: Source) -> str:
        return f"{source(func)}({source(loop.iter)})"

    raise Spelled(loop, REASON, [(loop, written)])


def _gathered(walker: Any, node: ast.expr) -> bool:
    """Whether a name means ops that one comprehension makes."""
    value = walker.expression(node)
    made = value.symbol.step.node if value.symbol is not None else None
    return (
        value.kind is Kind.OP
        and isinstance(made, ast.Assign)
        and len(made.targets) == 1
        and isinstance(made.targets[0], (ast.Name, ast.Attribute))
        and isinstance(made.value, ast.ListComp)
    )
