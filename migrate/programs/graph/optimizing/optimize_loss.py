"""``tf.contrib.layers.optimize_loss`` as the optimizer and the gradients that it makes.

It opens a scope, takes the gradients of all that is trained, clips them together and applies them
once the ops in ``UPDATE_OPS`` have run. What it gives is the loss; where nobody reads that, the
train op itself says the same.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/layers/python/layers/optimizers.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.walk import Walker, family
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, free

NAME = T + "contrib.layers.optimize_loss"
NAMES = {
    "Adagrad": "AdagradOptimizer",
    "Adam": "AdamOptimizer",
    "Ftrl": "FtrlOptimizer",
    "Momentum": "MomentumOptimizer",
    "RMSProp": "RMSPropOptimizer",
    "SGD": "GradientDescentOptimizer",
}
KNOWN = frozenset(
    ("loss", "global_step", "learning_rate", "optimizer", "clip_gradients", "variables", "name")
)
MERGES = ("merge_all", "merge_all_summaries", "Supervisor", "MonitoredTrainingSession")


@family(NAME, T + "contrib.slim.optimize_loss")
def optimize_loss(walker: Walker, name: str, node: ast.Call) -> Value:
    """A train op, once it is written as what it does.

    Raises:
        Spelled: it can be.
        Blocked: it can't, or the loss that it gives is read.
    """
    given = {k: v for k, v in walker.bound(NAME, node).items() if not _nothing(v)}
    for argument in given.keys() - KNOWN:
        raise Blocked(given[argument], f"`{argument}` of optimize_loss")
    stmt = walker.stmt
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    if not isinstance(stmt, (ast.Assign, ast.Return)) or stmt.value is not node:
        raise Blocked(node, "tf.contrib.layers.optimize_loss inside of another expression")
    if not isinstance(stmt, ast.Return) and not isinstance(target, (ast.Name, ast.Attribute)):
        raise Blocked(node, "tf.contrib.layers.optimize_loss under several names")
    _merged(walker, node)
    tf = _root(walker, node)
    if tf is None:
        raise Blocked(node, "TensorFlow isn't imported as a whole")
    scope = given.get("name")
    if scope is not None and not isinstance(scope, ast.Constant):
        raise Blocked(scope, "the scope of optimize_loss is computed")
    step, clip = given.get("global_step"), given.get("clip_gradients")
    if step is None and any(n in meaning.GLOBAL_STEPS for n in walker.endpoints.values()):
        raise Blocked(node, "optimize_loss counts a global step that it isn't given")
    if clip is not None and not _number(walker, clip, walker.frame.node):
        raise Blocked(clip, "whether optimize_loss clips gradients isn't seen")
    read = _read(walker, stmt)
    if read and not isinstance(given.get("loss"), (ast.Name, ast.Attribute)):
        raise Blocked(node, "the loss that optimize_loss gives is read")
    updates = bool(walker.norms)
    optimizer = given.get("optimizer")
    if optimizer is None:
        raise Blocked(node, "these arguments of optimize_loss aren't followed")
    made = walker.expression(optimizer)
    endpoint = f"{tf}.train.{NAMES.get(str(getattr(optimizer, 'value', '')), '')}"
    is_class = made.kind is Kind.ENDPOINT and made.data in meaning.OPTIMIZERS
    if made.kind is not Kind.OPTIMIZER and endpoint.endswith(".") and not is_class:
        raise Blocked(optimizer, "the optimizer of optimize_loss isn't seen")
    listed = all(_named(walker, entry) for entry in walker.owned if entry.trained)
    wishes = ("optimizer", "gradients", "variables", "apply_gradients")
    names = [free(walker, wish) for wish in wishes]

    def written(source: Source) -> str:
        indent = source(known_branches.span((stmt.lineno, 0), (stmt.lineno, stmt.col_offset)))
        said = source(scope) if scope is not None else '"OptimizeLoss"'
        lines = [f"with {tf}.variable_scope({said}):"]
        inner = "    "
        if updates:
            keys = f"{tf}.get_collection({tf}.GraphKeys.UPDATE_OPS)"
            lines.append(f"{inner}with {tf}.control_dependencies({keys}):")
            inner += "    "
        own = source(optimizer)
        if made.kind is not Kind.OPTIMIZER:
            own = names[0]
            call = source(optimizer) if is_class else endpoint
            more = ", 0.9" if call.endswith(".MomentumOptimizer") else ""
            lines.append(f"{inner}{own} = {call}({source(given['learning_rate'])}{more})")
        kept = f"{source(target)} = " if target is not None else "return "
        head = f"{names[3]} = " if read else kept
        loss = source(given["loss"])
        variables = f", var_list={source(given['variables'])}" if "variables" in given else ""
        counted = f", global_step={source(step)}" if step is not None else ""
        if clip is None:
            lines.append(f"{inner}{head}{own}.minimize({loss}{counted}{variables})")
        else:
            _, gradients, trained, _ = names
            taken = gradients
            if listed and not variables:
                lines.append(f"{inner}{trained} = {tf}.trainable_variables()")
                taken = f"{tf}.gradients({loss}, {trained})"
            else:
                pairs = f"zip(*{own}.compute_gradients({loss}{variables}))"
                lines.append(f"{inner}{gradients}, {trained} = {pairs}")
            clipped = f"{tf}.clip_by_global_norm({taken}, {source(clip)})"
            lines.append(f"{inner}{gradients}, _ = {clipped}")
            pairs = f"zip({gradients}, {trained})"
            lines.append(f"{inner}{head}{own}.apply_gradients({pairs}{counted})")
        if read:
            lines.append(f"{inner}with {tf}.control_dependencies([{names[3]}]):")
            lines.append(f"{inner}    {kept}{tf}.identity({loss})")
        return f"\n{indent}".join(lines)

    raise Spelled(node, "tf.contrib.layers.optimize_loss isn't followed here", [(stmt, written)])


def _named(walker: Walker, entry: Any) -> bool:
    """Whether a variable has a name here, so that a list can be written."""
    here = entry.place is None or entry.place[0] is walker.frame.node
    attribute = str(entry.ref).startswith("self.")
    return entry.layer is None and (
        entry.cell is not None or attribute or (entry.ref is not None and here)
    )


def _nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _merged(walker: Walker, node: ast.Call) -> None:
    """Its summaries are in the graph, too.

    Raises:
        Blocked: somebody asks for them.
    """
    for n in walk(walker.tree):
        if getattr(n, "attr", "") in MERGES or getattr(n, "id", "") in MERGES:
            raise Blocked(node, "the summaries of optimize_loss are merged")


def _root(walker: Walker, node: ast.AST) -> str | None:
    """What the file calls TensorFlow."""
    tree = walker.files.at(node).tree
    for stmt in walk(tree) if tree is not None else ():
        for alias in stmt.names if isinstance(stmt, ast.Import) else ():
            if alias.name == "tensorflow":
                return alias.asname or alias.name
    return None


def _number(walker: Walker, node: ast.expr, scope: ast.AST) -> bool:
    """Whether an expression is surely a float: written, a flag's, or what all calls give."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    if isinstance(node, ast.Attribute):
        home = next(
            (c for c in all_of(walker.tree, ast.ClassDef) if holds(c, node)),
            None,
        )
        stores = [
            n for n in all_of(walker.tree, ast.Attribute) if n.attr == node.attr and _stored(n)
        ]
        if home is None or len(stores) != 1:
            return not stores and _flag(walker, node.attr)
        for member in home.body:
            for stmt in walk(member):
                if isinstance(stmt, ast.Assign) and stmt.targets == stores:
                    return _number(walker, stmt.value, member)
        return False
    if not isinstance(node, ast.Name) or not isinstance(scope, ast.FunctionDef):
        return False
    if any(isinstance(n, ast.Name) and n.id == node.id and _stored(n) for n in walk(scope)):
        return False
    calls = known_branches.every(walker, scope)
    for call in calls:
        value = known_branches.place(scope, call, node.id)
        if value is None:
            value = known_branches.given_to(scope, call, node.id)
        if value is None or not _number(walker, value, scope):
            return False
    return bool(calls)


def _stored(node: ast.Name | ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _flag(walker: Walker, name: str) -> bool:
    """Whether a flag of this name is defined as a float with a value."""
    return any(
        isinstance(n, ast.Call)
        and getattr(n.func, "attr", "") == "DEFINE_float"
        and len(n.args) > 1
        and getattr(n.args[0], "value", None) == name
        and isinstance(n.args[1], ast.Constant)
        and n.args[1].value is not None
        for n in walk(walker.tree)
    )


def _read(walker: Walker, stmt: ast.stmt) -> bool:
    """Whether somebody may read the loss that a train op of this kind gives."""
    parents = parents_of(walker.tree)
    names, done = _kept(parents, walker, stmt), set()
    while names:
        name = names.pop()
        done.add(name)
        for use in walk(walker.tree):
            if name != getattr(use, "attr", getattr(use, "id", None)):
                continue
            if not isinstance(use, (ast.Name, ast.Attribute)) or _stored(use):
                continue
            outer = parents[id(use)]
            if isinstance(outer, ast.Return):
                names |= _kept(parents, walker, outer) - done
            elif not _unread(parents, walker, use):
                return True
    return False


def _kept(parents: dict[int, ast.AST], walker: Walker, stmt: ast.stmt) -> set[str]:
    """The names that what a statement binds or returns has."""
    if isinstance(stmt, ast.Assign):
        return {getattr(t, "attr", getattr(t, "id", "")) for t in stmt.targets}
    outer: ast.AST = stmt
    while not isinstance(outer, (ast.FunctionDef, ast.Module)):
        outer = parents[id(outer)]
    found = set()
    for call in known_branches.every(walker, outer) if isinstance(outer, ast.FunctionDef) else ():
        of = next((n for n in walk(walker.tree) if getattr(n, "func", 0) is call.func), None)
        up = parents.get(id(of))
        if isinstance(up, ast.Assign):
            found |= {getattr(t, "attr", getattr(t, "id", "")) for t in up.targets}
    return found


def _unread(parents: dict[int, ast.AST], walker: Walker, use: ast.AST) -> bool:
    """Whether a run fetches something, and nobody asks for its value."""
    place: int | None = None
    outer = parents[id(use)]
    if isinstance(outer, (ast.List, ast.Tuple)):
        place = next(i for i, n in enumerate(outer.elts) if n is use)
        outer = parents[id(outer)]
    ran = isinstance(outer, ast.Call) and getattr(outer.func, "attr", "") == "run"
    if not ran:
        return False
    stmt = parents[id(outer)]
    if isinstance(stmt, ast.Expr):
        return True
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return False
    target: ast.AST = stmt.targets[0]
    if place is not None:
        if not isinstance(target, (ast.Tuple, ast.List)) or place >= len(target.elts):
            return False
        target = target.elts[place]
    return isinstance(target, ast.Name) and not any(
        isinstance(n, ast.Name) and n.id == target.id and not _stored(n) for n in walk(walker.tree)
    )
