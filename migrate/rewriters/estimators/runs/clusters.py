"""What tells a program of other machines: `TF_CONFIG`, and the cluster of a TPU's RunConfig.

https://www.tensorflow.org/guide/distributed_training
"""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.runs import strategies

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

VARIABLE = "TF_CONFIG"
RESOLVERS = frozenset(
    f"tensorflow.{module}.cluster_resolver.TPUClusterResolver"
    for module in ("contrib", "distribute")
)
SAID = "a cluster wants a model that is made in the scope of a tf.distribute strategy"
GUARD = """if json.loads(os.environ.get("TF_CONFIG", "{}")).get("cluster"):
    raise NotImplementedError("%s")
"""


def guard(program: Program) -> None:
    """Where a program knows of TF_CONFIG, an Estimator's RunConfig reads it: a cluster is refused.

    Raises:
        Blocked: the program always sets it.
    """
    said = [n for n in program.scopes.walk() if isinstance(n, ast.Constant) and n.value == VARIABLE]
    if not said or strategies.always_workers(program):
        return
    local = [node for node in said if _local(program, node)]
    if any(isinstance(program.scopes.scope(node), ast.Module) for node in local):
        return  # whatever was said before it
    for node in said:
        if node not in local:
            _set(program, node)
    scopes: set[int] = set()
    for made in program.estimators.values():
        stmt, scope = program.scopes.statement(made.call), program.scopes.scope(made.call)
        if id(scope) in scopes:
            continue
        scopes.add(id(scope))
        line = program.text.lines[stmt.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        lines = (GUARD % SAID).replace("    raise", program.unit(stmt) + "raise")
        program.insert(stmt, "".join(f"{indent}{row}\n" for row in lines.splitlines()))
        program.bring(made.call, "import json")
        program.bring(made.call, "import os")
        program.say(made.call, f"{VARIABLE} with a cluster raises: {SAID}")


def _local(program: Program, node: ast.Constant) -> bool:
    """Whether a mention of TF_CONFIG says that this process is the only one: none without a cluster
    is anything else, and RunConfig refuses a task that isn't its first worker.
    """
    above = program.scopes.parents[id(node)]
    stmt = program.scopes.parents[id(above)]
    if not isinstance(above, ast.Subscript) or not isinstance(stmt, ast.Assign):
        return False
    if stmt.targets != [above] or isinstance(program.scopes.parents[id(stmt)], (ast.If, ast.Try)):
        return False
    value = program.scopes.value(stmt.value)
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "json.dumps" and value.args:
        value = program.scopes.value(value.args[0])
    try:
        said = ast.literal_eval(value)
        said = json.loads(said) if isinstance(said, str) else said
    except (TypeError, ValueError):
        return False
    if not isinstance(said, dict) or said.keys() - {"task", "environment", "job"}:
        return False
    task = said.get("task", {})
    known = [("type", "worker"), ("index", 0)]
    return isinstance(task, dict) and all(pair in known for pair in task.items())


def _set(program: Program, node: ast.Constant) -> None:
    """A mention of TF_CONFIG that gives it a value stands under a condition.

    Raises:
        Blocked: it doesn't.
    """
    above = program.scopes.parents[id(node)]
    stored = isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load)
    if isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Del):
        return
    if not stored and isinstance(above, (ast.Subscript, ast.Compare)):
        return
    if isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute):
        if above.func.attr in ("get", "getenv", "pop"):
            return
    for outer in program.scopes.around(node):
        if isinstance(outer, (ast.FunctionDef, ast.Lambda, ast.Module)):
            break
        if isinstance(outer, ast.If) and "__name__" not in ast.unparse(outer.test):
            return
    raise Blocked(node, f"`{VARIABLE}` is set: {SAID}")


def resolver(program: Program, node: ast.expr) -> None:
    """The `cluster` of a TPU's RunConfig goes with what made it: on TPUs the output raises.

    Raises:
        Blocked: it is another one, or is used for more.
    """
    if not any(program.called(c).endswith(".TPUEstimator") for c in program.calls()):
        raise Blocked(node, "`cluster` of a RunConfig of an Estimator that isn't of TPUs")
    if resolves(program, node):
        return
    if not isinstance(node, ast.Name):
        raise Blocked(node, "`cluster` of a RunConfig that isn't seen")
    found = program.scopes.bindings(node.id, node)
    if not found or any(
        b.kind != "assign" or b.value is None or not resolves(program, b.value) for b in found
    ):
        raise Blocked(node, "`cluster` of a RunConfig that isn't seen")
    seen = program.kept.setdefault(("cluster", id(found[0].node)), set())
    assert isinstance(seen, set)
    seen.add(id(node))
    if len(seen) > 1:
        return
    for binding in found:
        _remove(program, binding.node)
    uses = program.reads(node.id, found[0].scope)

    def check() -> None:
        for use in uses:
            gone = id(program.scopes.statement(use)) in program.removed
            if id(use) not in seen and not gone and _said(program, use):
                program.edit(use, "None", "a cluster of TPUs is None where there are none")
            elif id(use) not in seen and not gone:
                raise Blocked(use, f"`{node.id}`, a cluster, is read by more than a RunConfig")

    program.finish.append(check)


def resolves(program: Program, node: ast.expr) -> bool:
    """Whether this is a resolver of TPUs, or none."""
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.IfExp):
        return resolves(program, node.body) and resolves(program, node.orelse)
    return program.called(node) in RESOLVERS


def _remove(program: Program, stmt: ast.AST) -> None:
    """Take out what made a resolver, with a condition that is about nothing else."""
    assert isinstance(stmt, ast.Assign)
    if len(stmt.targets) > 1:
        raise Blocked(stmt, "a cluster under several names")
    above = program.scopes.parents[id(stmt)]
    alone = isinstance(above, ast.If) and above.body == [stmt] and not above.orelse
    if alone and not any(isinstance(n, ast.Call) for n in walk(above.test)):  # type: ignore[attr-defined]
        assert isinstance(above, ast.If)
        program.remove(above)
    else:
        program.remove(stmt)


def _said(program: Program, use: ast.expr) -> bool:
    """Whether something is only printed, or logged."""
    above = program.scopes.parents[id(use)]
    if not isinstance(above, ast.Call) or use not in above.args:
        return False
    plain = isinstance(above.func, ast.Name) and program.scopes.lookup(above.func) is None
    printed = plain and above.func.id == "print"  # type: ignore[attr-defined]
    return printed or program.called(above).startswith("tensorflow.logging.")
