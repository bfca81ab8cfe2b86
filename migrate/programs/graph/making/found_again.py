"""Variables found again: ``with tf.variable_scope("conv1", reuse=True): tf.get_variable(…)``.

What is found is a variable of that name, which `named_variables` finds by its name, too; so that is
how the program is read again. A helper that does no more goes, `get_weights_variable("conv1")`.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making import found_by_names, found_in_functions
from migrate.programs.graph.meaning import SCOPES, T
from migrate.programs.graph.scoping.scopes import scope_name
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

REASON = "a variable that is found again"


def check(walker: Any, node: ast.Call) -> None:
    """See whether a variable that a scope finds again can be told by its name.

    Raises:
        Spelled: it can.
    """
    region = walker.frame.region
    own = node.args[0] if node.args else None
    own = next((k.value for k in node.keywords if k.arg == "name"), own)
    if not isinstance(node.func, ast.Attribute) or _does_more(walker, node):
        return
    if region is None or region.inputs is not None:
        _helper(walker, node, own)
        found_in_functions.check(walker, node, REASON)
        return
    if walker.nested or walker.loops:
        found_by_names.check(walker, node, REASON)
        return
    open_scopes = [s.name for s in walker.scopes if not s.ops_only]
    tail = scope_name(own)
    if tail is None or None in open_scopes:
        return
    path = "/".join([*(s for s in open_scopes if s), tail])
    if "{" not in path and '"' not in path:
        raise Spelled(node, REASON, [(node, _asked(node, path))])


def _does_more(walker: Any, node: ast.Call) -> bool:
    """Whether what is given calls something of the author's, which would be lost with it."""
    given = [*node.args, *(k.value for k in node.keywords)]
    calls = [n for part in given for n in all_of(part, ast.Call)]
    return any(id(call.func) not in walker.endpoints for call in calls)


def _asked(node: ast.Call, path: str) -> Any:
    """The variable of a name, as `named_variables` follows it."""

    def written(source: Source) -> str:
        assert isinstance(node.func, ast.Attribute)
        root = source(node.func.value)
        return f'[v for v in {root}.global_variables() if v.name == "{path}:0"][0]'

    return written


def _helper(walker: Any, node: ast.Call, own: ast.expr | None) -> None:
    """See whether a function does no more than to find a variable, in a scope that it is told.

    Raises:
        Spelled: it does, and all calls say which.
    """
    function = walker.frame.node
    scope = _scope(function, node)
    tree = walker.files.at(node).tree
    if scope is None or own is None or tree is None:
        return
    given = walker.bound(T + "variable_scope", scope)
    opened, reuse = given.get("name_or_scope"), given.get("reuse")
    said = isinstance(reuse, ast.Constant) and reuse.value is True
    if opened is None or not said or set(given) != {"name_or_scope", "reuse"}:
        return
    calls = known_branches.every(walker, function)
    mine = {id(n) for n in walk(tree)}
    inside = {
        id(n)
        for block in walk(tree)
        if isinstance(block, (ast.With, ast.FunctionDef, ast.Lambda, ast.ClassDef))
        for n in walk(block)
        if block is not function and not _harmless(walker, block)
    }
    found: list[Written] = [(function, lambda source: "")]
    for call in calls:
        path = [_text(function, call, part) for part in (opened, own)]
        if None in path or id(call) not in mine or id(call) in inside:
            return
        found.append((call, _asked(node, "/".join(map(str, path)))))
    if calls:
        raise Spelled(node, REASON, found)


def _harmless(walker: Any, block: ast.AST) -> bool:
    """Whether what stands in a block has no scope around it for that: ``with tf.Session():``."""
    return isinstance(block, ast.With) and not any(
        isinstance(i.context_expr, ast.Call)
        and walker.endpoints.get(id(i.context_expr.func)) in SCOPES
        for i in block.items
    )


def _scope(function: Any, node: ast.Call) -> ast.Call | None:
    """The scope that a function opens, where it finds a variable in it and gives it back."""
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return None
    body = function.body[ast.get_docstring(function) is not None :]
    block = body[0] if body else None
    if not isinstance(block, ast.With) or len(block.items) != 1:
        return None
    scope = block.items[0].context_expr
    match [*block.body, *body[1:]]:
        case [ast.Return(value=value)] if value is node:
            return scope if isinstance(scope, ast.Call) else None
        case [ast.Assign(targets=[ast.Name(id=name)], value=value), ast.Return(ast.Name(id=given))]:
            if value is node and name == given:
                return scope if isinstance(scope, ast.Call) else None
    return None


def _text(function: ast.FunctionDef, call: ast.Call, part: ast.expr) -> str | None:
    """What a call of a function makes of a constant or of a parameter: a text without quotes."""
    if isinstance(part, ast.Name):
        given = known_branches.given_to(function, call, part.id)
    else:
        given = part if isinstance(part, ast.Constant) else None
    text = given.value if given is not None else None
    return text if isinstance(text, str) and text and not set(text) & set('{}"\\\n') else None
