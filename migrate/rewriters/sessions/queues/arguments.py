"""What arguments of sessions and supervisors say."""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues.module import Module

UNTOLD = "whether there is a folder to save in is computed"
STEP = {name.removeprefix(meaning.T) for name in meaning.GLOBAL_STEPS}


def none(node: ast.expr | None, default: bool = True) -> bool:
    """Whether an argument is None, or left out where that means the same."""
    return default if node is None else isinstance(node, ast.Constant) and node.value is None


def zero(node: ast.expr | None) -> bool:
    """Whether an argument is 0."""
    return isinstance(node, ast.Constant) and node.value == 0 and node.value is not False


def chief(given: dict[str, ast.expr]) -> None:
    """See that a session is that of the only process.

    Raises:
        Blocked: it is one of several.
    """
    is_chief, master = given.get("is_chief"), given.get("master")
    if is_chief is not None and not (isinstance(is_chief, ast.Constant) and is_chief.value is True):
        raise Blocked(is_chief, "whether this process is the chief is computed")
    if master is not None and not (isinstance(master, ast.Constant) and not master.value):
        raise Blocked(master, "a session on a server")


def folder(module: Module, node: ast.expr | None) -> ast.expr | None:
    """The folder that an argument names; None where there is none.

    Raises:
        Blocked: whether there is one depends on the call.
    """
    if node is None or none(node):
        return None
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    if not name:  # it is written out
        if any(none(n) for n in all_of(node, ast.Constant)):
            raise Blocked(node, UNTOLD)
        return node
    for other in walk(module.tree):
        unset = False
        if isinstance(other, ast.Assign) and name in _names(other.targets):
            unset = any(none(n) for n in all_of(other.value, ast.Constant))
        elif isinstance(other, ast.Call) and other.args and _option(other.args[0]) == name:
            called = ast.unparse(other.func).rpartition(".")[2]
            given = [*other.args[1:2], *(k.value for k in other.keywords if k.arg == "default")]
            if called == "add_argument":
                given = [k.value for k in other.keywords if k.arg in ("default", "required")]
            elif not called.startswith("DEFINE_"):
                continue
            unset = not given or none(given[-1])
        elif isinstance(other, ast.arguments):
            named = dict(zip(reversed(other.args), reversed(other.defaults), strict=False))
            unset = any(a.arg == name and none(d) for a, d in named.items())
        if unset:
            raise Blocked(node, UNTOLD)
    return node


def _names(targets: list[ast.expr]) -> list[str]:
    found = (n for t in targets for n in walk(t))
    return [n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in found]


def _option(node: ast.expr) -> str:
    """The name of an option, where a call defines one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.lstrip("-").replace("-", "_")
    return ""


def step_name(module: Module, at: ast.AST) -> str:
    """The name of the global step's variable, seen from a node; empty where no one name is it."""
    for scope in (module.scope(at), module.tree):
        found = {n for node in walk(scope) if (n := _step(module, node))}
        if found:
            return found.pop() if len(found) == 1 else ""
    return ""


def object_step(module: Module) -> str:
    """The global step as an attribute of the one object that makes it, by the object's name."""
    found = set()
    for cls in (n for n in all_of(module.tree, ast.ClassDef)):
        for node in (n for n in all_of(cls, ast.Assign)):
            target = node.targets[0]
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                if _is_step(module, node):
                    found.add((cls.name, target.attr))
    if len(found) != 1:
        return ""
    cls_name, attribute = found.pop()
    made = [n for n in all_of(module.tree, ast.Name) if n.id == cls_name]
    kept = [
        n.targets[0]
        for n in all_of(module.tree, ast.Assign)
        if isinstance(n.value, ast.Call) and n.value.func in made
    ]
    if len(made) != 1 or len(kept) != 1 or not isinstance(kept[0], ast.Name):
        return ""
    stores = [n for n in all_of(module.tree, ast.Name) if n.id == kept[0].id]
    once = sum(not isinstance(n.ctx, ast.Load) for n in stores) == 1
    return f"{kept[0].id}.{attribute}" if once else ""


def _step(module: Module, node: ast.AST) -> str:
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return ""
    return node.targets[0].id if _is_step(module, node) else ""


def _is_step(module: Module, node: ast.Assign) -> bool:
    keywords = node.value.keywords if isinstance(node.value, ast.Call) else []
    named = any(k.arg == "name" and ast.unparse(k.value) == "'global_step'" for k in keywords)
    return named or module.endpoint(node.value) in STEP
