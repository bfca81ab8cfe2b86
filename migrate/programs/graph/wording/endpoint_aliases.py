"""``scalar_summary = tf.summary.scalar``: a short name for what TF 2 does in other words.

Each call says the whole name, in the files that import the short one, too; so it does where a
function has such a name of its own.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate import symbols
from migrate.engine.trees import walk
from migrate.programs.graph.wording.old_releases import dotted
from migrate.programs.graph.wording.respelled import Respelled

KIND = "endpoint alias"
# What isn't written as it was: elsewhere a short name may stay.
OTHERWISE = tuple(
    f"tensorflow.{name}"
    for name in ("summary.", "train.SummaryWriter", "layers.", "contrib.", "keras.initializers.")
)


def check(walker: Any, stmt: ast.Assign) -> None:
    """See whether a module's statement only gives such a thing a name, by which it is called.

    Raises:
        Respelled: it does.
    """
    module, scope = walker.files.at(stmt), walker.frame.node
    if walker.nested or len(stmt.targets) != 1:
        return
    target = stmt.targets[0]
    name = dotted(walker, stmt.value)
    if not isinstance(target, ast.Name) or not name.startswith(OTHERWISE):
        return
    if not symbols.is_endpoint(name) or symbols.is_module(name):
        return
    written = ast.unparse(stmt.value)
    root = written.partition(".")[0]
    reason = f"`{target.id}` is another name for {name}"
    uses: list[ast.Name] = []
    imports: list[ast.ImportFrom] = []
    if isinstance(scope, ast.FunctionDef):
        calls = _uses(scope, target)
        if calls and stmt in scope.body and root in module.aliases():
            own = {"uses": calls, "imports": imports, "written": written, "name": target.id}
            raise Respelled(stmt, reason, KIND, **own)
        return
    if scope is not module.tree:
        return
    for other in walker.files.order:
        if other.tree is None:
            continue
        taken = _taken(walker, other, module, target.id)
        if taken is None:
            return
        if other is not module and not taken:
            continue
        found = _uses(other.tree, target)
        if found is None or (found and root not in other.aliases()):
            return
        uses += found
        imports += [s for s in taken if s.names[0].name != "*"]
    raise Respelled(stmt, reason, KIND, uses=uses, imports=imports, written=written, name=target.id)


def _taken(walker: Any, here: Any, module: Any, name: str) -> list[ast.ImportFrom] | None:
    """The imports by which a file has a module's name; None where that isn't seen."""
    found: list[ast.ImportFrom] = []
    for stmt in walk(here.tree):
        if isinstance(stmt, ast.ImportFrom):
            chain = walker.files.find(stmt, walker.entry, stmt.level, stmt.module or "") or []
            named = [a for a in stmt.names if a.name in (name, "*")]
            if module in chain[-1:] and named:
                if named[0].asname is not None or stmt not in here.tree.body:
                    return None
                found.append(stmt)
            for alias in stmt.names:
                dotted_name = f"{stmt.module or ''}.{alias.name}".lstrip(".")
                below = walker.files.find(stmt, walker.entry, stmt.level, dotted_name) or []
                if module in below[-1:] and module not in chain[-1:]:
                    return None  # the module itself
        elif isinstance(stmt, ast.Import):
            chains = [walker.files.find(stmt, walker.entry, 0, a.name) or [] for a in stmt.names]
            if any(module in chain for chain in chains):
                return None
    return found


def _uses(tree: ast.Module | ast.FunctionDef, target: ast.Name) -> list[ast.Name] | None:
    """The calls by a short name; None where it is something else, or used otherwise."""
    nodes = list(walk(tree))
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    found: list[ast.Name] = []
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == target.id and node is not target:
            if id(node) not in called:
                return None
            found.append(node)
        bound = (getattr(node, "arg", None), getattr(node, "name", None))
        named = isinstance(node, (ast.arg, ast.FunctionDef, ast.ClassDef, ast.ExceptHandler))
        if named and target.id in bound:
            return None
        if isinstance(node, ast.alias) and node.asname == target.id:
            return None
        if isinstance(node, (ast.Global, ast.Nonlocal)) and target.id in node.names:
            return None
    return found
