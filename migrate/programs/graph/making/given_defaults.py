"""An initializer that a scope gives to what is made in another function: it is an argument there.

    with tf.variable_scope("model", initializer=initializer):      net = Net(config, initializer)
        net = Net(config)

``Net.__init__`` can't see the name, which is a local one where the scope is opened. Said otherwise,
`tf.get_variable` is given it, and so are the functions between both. TF 1 means the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

SCOPE, VARIABLE = T + "variable_scope", T + "get_variable"
DEEP = 6  # functions between a scope and what is made in it


class Given(Spelled):
    """A variable that is given what its scope gives it."""


def passed(walker: Any, node: ast.Call, error: Blocked) -> None:
    """See whether a variable may be given what its scope gives it.

    Raises:
        Given: it may, by an argument of each function between both.
    """
    known = walker.kept.get("scope defaults", {})
    given = (known.get(id(s.opened), {}).get("initializer") for s in reversed(walker.scopes))
    value = next((v for v in given if v is not None), None)
    target = walker.frame.node
    if walker.endpoints.get(id(node.func)) != VARIABLE or not isinstance(value, ast.Name):
        return
    if not isinstance(target, ast.FunctionDef) or any(k.arg is None for k in node.keywords):
        return
    replaced: list[Written] = []
    if value.id in _params(target):
        if not _carries(walker, target, value.id, DEEP):
            return  # the author's own, which may be anything
    else:
        found = _through(walker, target, value.id, DEEP)
        if found is None:
            return
        replaced += found
    replaced.append((node, _with(node, "initializer", value.id)))
    if any(walker.files.at(n) is not walker.files.at(node) for n, _ in replaced):
        return  # one file at a time is written anew
    raise Given(node, error.reason, replaced)


def carried(walker: Any, name: str) -> bool:
    """Whether the function at hand is given by that name what the scopes around its calls give."""
    target = walker.frame.node
    if not isinstance(target, ast.FunctionDef) or name not in _params(target):
        return False
    return _carries(walker, target, name, DEEP)


def _through(walker: Any, target: ast.FunctionDef, name: str, deep: int) -> list[Written] | None:
    """A function with one more parameter, and its calls with what they see under that name."""
    args = target.args
    if args.vararg or args.kwarg or args.kwonlyargs or not args.args or target.decorator_list:
        return None
    if any(name in (getattr(n, "id", ""), getattr(n, "arg", "")) for n in walk(target)):
        return None
    replaced: list[Written] = [_parameter(args, name)]
    calls = _calls(walker, target)
    if not calls or deep == 0 or any(k.arg in (None, name) for c in calls for k in c.keywords):
        return None
    for call in calls:
        home, opened = _seen(walker, call, name)
        if home is None or home is target:
            return None
        if not opened and name in _params(home):
            if not _carries(walker, home, name, deep - 1):
                return None
        elif not opened:
            more = _through(walker, home, name, deep - 1)
            if more is None:
                return None
            replaced += [m for m in more if all(m[0] is not r[0] for r in replaced)]
        replaced.append((call, _with(call, name, name)))
    return replaced


def _carries(walker: Any, target: ast.FunctionDef, name: str, deep: int) -> bool:
    """Whether a parameter is what a scope around each call gives, and stays it."""
    calls = _calls(walker, target)
    stores = (n for n in all_of(target, ast.Name) if n.id == name)
    if not calls or deep == 0 or any(not isinstance(n.ctx, ast.Load) for n in stores):
        return False
    for call in calls:
        given = next((k.value for k in call.keywords if k.arg == name), None)
        home, opened = _seen(walker, call, name)
        if getattr(given, "id", "") != name or home is None or home is target:
            return False
        if not opened and not (name in _params(home) and _carries(walker, home, name, deep - 1)):
            return False
    return True


def _calls(walker: Any, target: ast.FunctionDef) -> list[ast.Call]:
    functions = {id(c.func) for c in known_branches.every(walker, target)}
    return [n for n in all_of(walker.tree, ast.Call) if id(n.func) in functions]


def _seen(walker: Any, call: ast.Call, name: str) -> tuple[ast.FunctionDef | None, bool]:
    """The function that a call stands in, and whether that opens a scope with the initializer."""
    for outer in reversed(_around(walker.tree, call)):
        if isinstance(outer, ast.FunctionDef):
            return outer, False
        for item in reversed(outer.items) if isinstance(outer, ast.With) else ():
            scope = item.context_expr
            if isinstance(scope, ast.Call) and walker.endpoints.get(id(scope.func)) == SCOPE:
                own = [k.value for k in scope.keywords if k.arg == "initializer"]
                if own:
                    around = _around(walker.tree, outer)
                    homes = [n for n in around if isinstance(n, ast.FunctionDef)]
                    return (homes[-1] if homes else None), getattr(own[0], "id", "") == name
    return None, False


def _around(root: ast.AST, node: ast.AST) -> list[ast.AST]:
    """What stands around a node, the outermost first."""
    parents = parents_of(root)
    found: list[ast.AST] = []
    above = parents.get(id(node))
    while above is not None:
        found.insert(0, above)
        above = parents.get(id(above))
    return found


def _params(function: ast.FunctionDef) -> set[str]:
    return {a.arg for a in function.args.args}


def _parameter(args: ast.arguments, name: str) -> Written:
    """The last parameter, with another one behind it."""
    last: ast.AST = args.defaults[-1] if args.defaults else args.args[-1]
    more = f", {name}{'=None' * bool(args.defaults)}"
    return last, lambda source: source(last) + more


def _with(call: ast.Call, argument: str, name: str) -> Callable[[Source], str]:
    """A call with one more argument."""

    def written(source: Source) -> str:
        text = source(call)
        head = text[: text.rindex(")")].rstrip()
        comma = "" if head.endswith(("(", ",")) else ","
        return f"{head}{comma}{' ' * bool(comma)}{argument}={name})"

    return written
