"""Numbers of steps that may be None when a program runs: an Estimator takes all there is then.

`None` stands in an assignment, in an argument's default, in what callers give, or it is what a
setting has that nobody gives (`add_argument('--eval-steps', type=int)`, a flag without a default).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program
    from migrate.rewriters.estimators.scopes import Binding

DEEP = 6  # names of names that are looked through
GIVEN = frozenset({"store_true", "store_false", "count", "store_const"})  # these aren't None


def may_be(program: Program, node: ast.expr | None, depth: int = 0) -> bool:
    """Whether an expression may be None."""
    if node is None or depth > DEEP:
        return False
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.IfExp):
        return any(may_be(program, n, depth + 1) for n in (node.body, node.orelse))
    if isinstance(node, ast.Name):
        found = program.scopes.bindings(node.id, node)
        outer = any(isinstance(binding.scope, ast.Module) for binding in found)
        if outer and _set(program, node.id, depth + 1):  # by another file
            return True
        return any(_bound(program, binding, node.id, depth + 1) for binding in found)
    if isinstance(node, ast.Attribute):
        own = program.scopes.lookup(node)
        if own is not None and _bound(program, own, node.attr, depth + 1):
            return True
        return _left_out(program, node.attr) or _set(program, node.attr, depth + 1)
    key = _key(node)
    return key is not None and _left_out(program, key)


def _key(node: ast.expr) -> str | None:
    """The key of an entry that is read: `settings['steps']`, `settings.pop('steps')`."""
    if isinstance(node, ast.Subscript):
        key: ast.expr | None = node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        one = node.func.attr in ("pop", "get") and len(node.args) == 1
        key = node.args[0] if one and not node.keywords else None
    else:
        return None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def _bound(program: Program, binding: Binding, name: str, depth: int) -> bool:
    """Whether a binding may give a name None."""
    if binding.kind == "import":
        found = program.scopes.imported(binding, name)
        return found is not binding and found is not None and _bound(program, found, name, depth)
    if binding.kind != "param" or not isinstance(binding.scope, ast.FunctionDef):
        return may_be(program, binding.value, depth)
    args = binding.scope.args
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    late = dict(zip(reversed(names), reversed(args.defaults), strict=False))
    late |= {
        a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None
    }
    if may_be(program, late.get(name), depth):
        return True
    place = names.index(name) if name in names else None
    for read in program.readers(binding.scope):
        call = program.scopes.parents[id(read)]
        if not isinstance(call, ast.Call) or call.func is not read:
            continue
        given = {k.arg: k.value for k in call.keywords}.get(name)
        starred = any(isinstance(a, ast.Starred) for a in call.args)
        if given is None and place is not None and place < len(call.args) and not starred:
            given = call.args[place]
        if may_be(program, given, depth):
            return True
    return False


def _left_out(program: Program, name: str) -> bool:
    """Whether a setting of this name is None where nobody gives it."""
    known = program.kept.get("left out")
    if known is None:
        known = program.kept["left out"] = {
            found for call in program.calls() for found in _settings(call)
        }
    assert isinstance(known, set)
    return name in known


def _settings(call: ast.Call) -> list[str]:
    """The setting that a call defines, if it is None where nobody gives it."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    given = {k.arg: k.value for k in call.keywords}
    texts = [a.value for a in call.args if isinstance(a, ast.Constant)]
    if name == "add_argument":
        long = [t for t in texts if isinstance(t, str) and t.startswith("--")]
        dest, action = given.get("dest"), given.get("action")
        default, required = given.get("default"), given.get("required")
        kind = action.value if isinstance(action, ast.Constant) else None
        must = isinstance(required, ast.Constant) and required.value is True
        unset = default is None or (isinstance(default, ast.Constant) and default.value is None)
        if not long or not unset or must or (kind in GIVEN and default is None):
            return []
        if isinstance(dest, ast.Constant):
            return [str(dest.value)]
        return [long[0].lstrip("-").replace("-", "_")]
    if name.startswith("DEFINE_"):
        first = call.args[0] if call.args else given.get("name")
        default = call.args[1] if len(call.args) > 1 else given.get("default")
        if isinstance(first, ast.Constant) and isinstance(default, ast.Constant):
            return [str(first.value)] if default.value is None else []
    return []


def _set(program: Program, name: str, depth: int) -> bool:
    """Whether a module's variable, or an object's attribute, is None at first or later."""
    for stmt in program.scopes.walk():
        if not isinstance(stmt, ast.Assign):
            continue
        for target in stmt.targets:
            if isinstance(target, ast.Attribute) and target.attr == name:
                if may_be(program, stmt.value, depth):
                    return True
    return False


def count(program: Program, node: ast.expr) -> str:
    """How many batches `take` takes: all where an expression is None."""
    source = program.source(node)
    if isinstance(node, ast.Constant) and node.value is None:
        return "-1"
    if not may_be(program, node):
        return source
    if isinstance(node, ast.IfExp):
        body, orelse = count(program, node.body), count(program, node.orelse)
        return f"{body} if {program.source(node.test)} else {orelse}"
    return f"-1 if {source} is None else {source}"
