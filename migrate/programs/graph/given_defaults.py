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

from migrate.engine.trees import children, walk
from migrate.programs.graph import known_branches
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.spelled import Source, Spelled, Written

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
    if value.id not in _params(target):
        found = _through(walker, target, value.id, DEEP)
        if found is None:
            return
        replaced += found
    replaced.append((node, _with(node, "initializer", value.id)))
    if any(walker.files.at(n) is not walker.files.at(node) for n, _ in replaced):
        return  # one file at a time is written anew
    raise Given(node, error.reason, replaced)


def _through(walker: Any, target: ast.FunctionDef, name: str, deep: int) -> list[Written] | None:
    """A function with one more parameter, and its calls with what they see under that name."""
    args = target.args
    if args.vararg or args.kwarg or args.kwonlyargs or not args.args or target.decorator_list:
        return None
    if any(name in (getattr(n, "id", ""), getattr(n, "arg", "")) for n in walk(target)):
        return None
    functions = {id(c.func) for c in known_branches.every(walker, target)}
    calls = [n for n in walk(walker.tree) if isinstance(n, ast.Call) and id(n.func) in functions]
    if not calls or deep == 0:
        return None
    replaced: list[Written] = [_parameter(args, name)]
    for call in calls:
        if any(k.arg in (None, name) for k in call.keywords):
            return None
        around = _around(walker.tree, call)
        home = next((n for n in reversed(around) if isinstance(n, ast.FunctionDef)), None)
        if home is not None and home is not target and name not in _params(home):
            if not _opened(walker, around, name):
                more = _through(walker, home, name, deep - 1)
                if more is None:
                    return None
                replaced += [m for m in more if all(m[0] is not r[0] for r in replaced)]
        elif home is None or home is target:
            return None
        replaced.append((call, _with(call, name, name)))
    return replaced


def _opened(walker: Any, around: list[ast.AST], name: str) -> bool:
    """Whether what stands around a call opens a scope with that initializer."""
    calls = [i.context_expr for n in around if isinstance(n, ast.With) for i in n.items]
    return any(
        isinstance(c, ast.Call)
        and walker.endpoints.get(id(c.func)) == SCOPE
        and any(k.arg == "initializer" and getattr(k.value, "id", "") == name for k in c.keywords)
        for c in calls
    )


def _around(root: ast.AST, node: ast.AST) -> list[ast.AST]:
    """What stands around a node, the outermost first."""
    parents = {id(c): n for n in walk(root) for c in children(n)}
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
