"""What only prints a graph's variables: slim's ``model_analyzer``, and helpers around it.

``show_all_variables()`` stands before the first run, where TF 2's layers have no variables yet. It
goes, with its definition and imports; the report says what shows them.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Value
from migrate.programs.graph.wording.respelled import Respelled

KIND = "analyzed"
PRINTS = frozenset(
    f"{T}contrib.slim.model_analyzer.{name}" for name in ("analyze_vars", "analyze_ops")
)
LISTS = frozenset(
    T + name for name in ("trainable_variables", "global_variables", "all_variables")
) | {T + "get_default_graph"}
REASON = "slim's model_analyzer prints the graph's variables"
SAID = (
    "slim's table of variables goes: layers have theirs after the first call, and"
    " `layer.variables` lists them"
)


def check(walker: Any, target: ast.AST, call: ast.Call) -> None:
    """See whether a function only prints the graph's variables.

    Raises:
        Respelled: it does, and all that says its name may go.
    """
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    if any((*target.args.args, target.args.vararg, target.args.kwarg, *target.args.kwonlyargs)):
        return
    body = target.body[ast.get_docstring(target) is not None :]
    if not any(_prints(walker, stmt) for stmt in body):
        return
    if not all(_prints(walker, stmt) or _lists(walker, stmt) for stmt in body):
        return
    calls: list[ast.Expr] = []
    aliases: list[ast.ImportFrom] = []
    blocks = {
        id(stmt): (node, body)
        for node in walk(walker.tree)
        for body in (getattr(node, field, None) for field in ("body", "orelse", "finalbody"))
        if isinstance(body, list)
        for stmt in body
    }
    said = 0
    for node in walk(walker.tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == target.name:
            said += node is not target
        elif isinstance(node, (ast.Name, ast.Attribute)):
            said += target.name in (getattr(node, "id", ""), getattr(node, "attr", ""))
        elif isinstance(node, ast.arg):
            said += node.arg == target.name
        elif isinstance(node, ast.ImportFrom):
            named = [a for a in node.names if target.name in (a.name, a.asname)]
            if any(a.asname is not None for a in named):
                return
            aliases += [node] if named else []
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            func = node.value.func
            name = getattr(func, "id", getattr(func, "attr", ""))
            if name == target.name and not node.value.args and not node.value.keywords:
                calls.append(node)
    alone = any(len(blocks[id(stmt)][1]) == 1 for stmt in [*calls, *aliases] if id(stmt) in blocks)
    if said != len(calls) or alone or not any(c.value is call for c in calls):
        return
    if any(id(stmt) not in blocks for stmt in [*calls, *aliases, target]):
        return
    raise Respelled(call, REASON, KIND, target=target, calls=calls, aliases=aliases, said=SAID)


@family(*PRINTS)
def printed(walker: Any, endpoint: str, call: ast.Call) -> Value:
    """The same, where no helper is around it.

    Raises:
        Respelled: the statement is nothing else.
        Blocked: what it gives is used.
    """
    stmt = walker.stmt
    if not isinstance(stmt, ast.Expr) or stmt.value is not call:
        raise Blocked(call, REASON)
    for node in walk(walker.tree):
        for body in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            if isinstance(body, list) and stmt in body and len(body) > 1:
                lists = _only_for(walker, node, body, call)
                if len(lists) + 1 < len(body):
                    calls = [*lists, stmt]
                    raise Respelled(
                        call, REASON, KIND, target=None, calls=calls, aliases=[], said=SAID
                    )
    raise Blocked(call, REASON)


def _only_for(walker: Any, scope: ast.AST, body: list[ast.stmt], call: ast.Call) -> list[ast.stmt]:
    """The lists of variables in a block that have a name for this call alone."""
    names = {n.id for a in call.args for n in all_of(a, ast.Name)}
    found: list[ast.stmt] = []
    for stmt in body:
        name = _lists(walker, stmt)
        if name:
            tree = walker.files.at(stmt).tree or scope
            uses = sum(isinstance(n, ast.Name) and n.id == name for n in walk(tree))
            found += [stmt] if name in names and uses == 2 else []
    return found


def _prints(walker: Any, stmt: ast.stmt) -> bool:
    """Whether a statement prints variables, and does nothing else."""
    if not isinstance(stmt, ast.Expr) or not isinstance(stmt.value, ast.Call):
        return False
    if walker.endpoints.get(id(stmt.value.func)) not in PRINTS:
        return False
    given = [*stmt.value.args, *(k.value for k in stmt.value.keywords)]
    return all(isinstance(n, (ast.Name, ast.Constant)) or _list(walker, n) for n in given)


def _lists(walker: Any, stmt: ast.stmt) -> str:
    """The name that a statement gives a list of the graph's variables; empty where it doesn't."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return ""
    target = stmt.targets[0]
    return target.id if isinstance(target, ast.Name) and _list(walker, stmt.value) else ""


def _list(walker: Any, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in LISTS
