"""Which op has a name: the first one of its graph that asks for it, where that can be told.

A later one gets a number, whoever had the name before; so do the scopes around it.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, children, holds, outward, walk
from migrate.programs.graph import constants
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.scoping import op_names, scope_patterns

# Where an op's name stands among the arguments.
PLACES = dict.fromkeys(("identity", "tanh", "sigmoid", "nn.relu", "nn.tanh", "nn.sigmoid"), 1)
PLACES |= dict.fromkeys(("exp", "log", "sqrt", "square", "abs", "negative", "sign", "round"), 1)
PLACES |= dict.fromkeys(("add", "subtract", "multiply", "divide", "placeholder", "equal"), 2)
MANY = (ast.For, ast.While, ast.Lambda, ast.ClassDef, *COMPREHENSIONS)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MODULES = ("tensorflow", "__tf2__")  # `migrate.engine.functions.TF2`


def check(
    walker: Any,
    node: ast.AST,
    call: ast.Call,
    path: str,
    around: dict[int, list[ast.stmt]],
    stop: Any,
    *,
    made: ast.Call | None = None,
) -> None:
    """See that a call is the first of its graph that asked for a name, and runs once.

    ``made``: where the one object of its class is made.
    """
    outer = around[id(call)]
    if any(isinstance(b, MANY) and not isinstance(b, ast.ClassDef) for b in outer):
        stop("its op is made in a loop")
    functions = [b for b in outer if isinstance(b, FUNCTIONS)]
    classes = [b for b in outer if isinstance(b, ast.ClassDef)]
    if classes:
        _one_object(walker, classes, functions, around, stop, alone=made is not None)
    elif functions:
        _once(walker, functions, stop)
    parts = path.split("/")
    parts += [re.sub(r"_\d+$", "", part) for part in parts]
    for tree in walker.program():
        for other in all_of(tree, ast.Call):
            if other is call or not _clashes(walker, other, parts, call, around):
                continue
            if made is not None and holds(tree, made) and _behind(tree, other, made):
                continue
            if not holds(tree, call) or not _apart(walker, other, call, node, around):
                stop("whether its op is the first one of that name isn't told")


def around_calls(tree: ast.AST) -> dict[int, list[ast.stmt]]:
    """For each call the statements around it, from the outermost to its own."""
    found: dict[int, list[ast.stmt]] = {}

    def visit(node: ast.AST, outer: list[ast.stmt]) -> None:
        if isinstance(node, ast.Call):
            found[id(node)] = outer
        for inner in children(node):
            visit(inner, [*outer, inner] if isinstance(inner, ast.stmt) else outer)

    visit(tree, [])
    return found


def opens(walker: Any, call: ast.Call) -> bool:
    return walker.endpoints.get(id(call.func)) in op_names.SCOPES


def says(walker: Any, call: ast.Call) -> str | None:
    given = _given(walker, call)
    return constants.text_of(given, walker.program()) if given is not None else None


def scoped(walker: Any, outer: list[ast.stmt]) -> list[str] | None:
    """The names of the scopes around a call; None where they aren't told."""
    try:
        names = [op_names.opened(walker, b) for b in outer if isinstance(b, ast.With)]
    except Blocked:
        return None
    return [name for name in names if name is not None]


def _given(walker: Any, call: ast.Call) -> ast.expr | None:
    """What a call says of its op's name."""
    endpoint = walker.endpoints.get(id(call.func), "")
    first = endpoint in op_names.SCOPES or endpoint == T + "get_variable"
    first = first or endpoint.startswith(T + "summary.")
    said = [k.value for k in call.keywords if k.arg in ("name", "name_or_scope", "scope")]
    place = 0 if first else PLACES.get(endpoint.removeprefix(T))
    if place is not None and len(call.args) > place:
        said.append(call.args[place])
    return said[0] if said else None


def _asked(walker: Any, call: ast.Call) -> set[str]:
    """What a call may ask for as its op's name: regular expressions."""
    given = _given(walker, call)
    if given is None:
        # Some functions open a scope of their own name, with its lines.
        names = {op_names.op_name(walker, call), _last(walker, call)}
        return {re.escape(name) for name in names if name}
    text = says(walker, call)
    if text is not None:
        return {re.escape(text)}
    tree = next(t for t in walker.program() if holds(t, call))
    inside = [n for n in outward(tree, call) if isinstance(n, FUNCTIONS)]
    return scope_patterns.of(walker, given, inside[0] if inside else tree)


def _last(walker: Any, call: ast.Call) -> str:
    return str(walker.endpoints.get(id(call.func), "")).rpartition(".")[2]


def _clashes(
    walker: Any,
    other: ast.Call,
    parts: list[str],
    call: ast.Call,
    around: dict[int, list[ast.stmt]],
) -> bool:
    """Whether another call may have taken a name, or its scope's, before."""
    patterns = _asked(walker, other)
    found = [p for p in parts if any(re.fullmatch(one, p, re.IGNORECASE) for one in patterns)]
    if not found:
        return False
    own = opens(walker, other)
    if own and any(holds(i, other) for b in around[id(call)] for i in getattr(b, "items", ())):
        return False  # a scope of its own
    outer = around.get(id(other))
    here = scoped(walker, outer) if outer is not None else None
    mine = scoped(walker, around[id(call)])
    if not mine and here:
        return False  # it is in a scope
    if outer is None or not _beside(outer, around[id(call)]):
        return True
    return here is None or here == mine or any(p in (mine or ()) for p in found)


def _beside(outer: list[ast.stmt], mine: list[ast.stmt]) -> bool:
    """Whether a call runs as often as another one: in no function, or in the very same."""
    many = [b for b in outer if isinstance(b, (*FUNCTIONS, *MANY))]
    return many == [b for b in mine if isinstance(b, (*FUNCTIONS, *MANY))]


def _once(walker: Any, functions: list[Any], stop: Any, seen: tuple[Any, ...] = ()) -> None:
    """See that the function that makes an op is called once, in no scope."""
    again = "the function that makes its op may be called again"
    (function, *more) = functions
    called = [
        (tree, n)
        for tree in walker.program()
        for n in walk(tree)
        if (isinstance(n, ast.Name) and n.id == function.name)
        or (isinstance(n, ast.Attribute) and n.attr == function.name and not _of_tf(n))
    ]
    if more or len(called) > 1 or function in seen:
        stop(again)
    for tree, one in called:
        calls = [c for c in all_of(tree, ast.Call) if holds(c, one)]
        outer = around_calls(tree)[id(calls[0])] if calls else []
        if not calls or any(isinstance(b, MANY) for b in outer):
            stop(again)
        if scoped(walker, outer) != []:
            stop("the function that makes its op is called in a scope")
        if inner := [b for b in outer if isinstance(b, FUNCTIONS)]:
            _once(walker, inner, stop, (*seen, function))


def _of_tf(node: ast.Attribute) -> bool:
    """``tf.train``, whatever a function is called."""
    return isinstance(node.value, ast.Name) and node.value.id in (*MODULES, "tf")


def _one_object(
    walker: Any,
    classes: list[ast.ClassDef],
    functions: list[Any],
    around: dict[int, list[ast.stmt]],
    stop: Any,
    *,
    alone: bool,
) -> None:
    """See that one object of a class makes an op, once; or that each one has its own graph."""
    (cls, *more), (method, *inner) = classes, functions
    again = "the method that makes its op may be called again"
    if more or inner or method not in cls.body:
        stop(again)
    if method.name == "__init__":
        if not alone and not op_names.made_once(walker, cls):
            stop("there may be several objects of the class that makes its op")
        return
    named = [
        n for tree in walker.program() for n in all_of(tree, ast.Attribute) if n.attr == method.name
    ]
    calls = [c for c in all_of(cls, ast.Call) if named and c.func is named[0]]
    if len(named) != 1 or not calls:
        stop(again)
    outer = around[id(calls[0])]
    if any(isinstance(b, MANY) and b is not cls for b in outer):
        stop(again)
    start = next((b for b in outer if isinstance(b, FUNCTIONS)), None)
    if getattr(start, "name", None) != "__init__" or scoped(walker, outer) != []:
        stop(again)
    if not alone and not op_names.made_once(walker, cls) and _block(outer) is None:
        stop("there may be several objects of the class that makes its op")


def _apart(
    walker: Any, other: ast.Call, call: ast.Call, node: ast.AST, around: dict[int, list[ast.stmt]]
) -> bool:
    """Whether another call of a name is behind the one that is meant, or of another graph."""
    if id(other) not in around or not _beside(around[id(other)], around[id(call)]):
        return False
    if other.lineno > call.lineno:
        return True
    if any(isinstance(b, FUNCTIONS) for b in around[id(call)]):
        return False
    block = _block(around[id(call)])
    for stmt in walker.tree.body:
        if not other.lineno < stmt.lineno <= call.lineno:
            continue
        if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
            if walker.endpoints.get(id(stmt.value.func)) == T + "reset_default_graph":
                return True
        if block is not None and isinstance(stmt, ast.Assign) and _is_graph(walker, stmt.value):
            if ast.unparse(stmt.targets[0]) == block:
                return _session(walker, node, block)
    return False


def _behind(tree: ast.AST, other: ast.Call, made: ast.Call) -> bool:
    """Whether a call stands behind another one, which runs once, in the same function."""
    around = around_calls(tree)
    mine = [b for b in around[id(made)] if isinstance(b, (*FUNCTIONS, *MANY))]
    outer = [b for b in around[id(other)] if isinstance(b, (*FUNCTIONS, *MANY))]
    return other.lineno > (made.end_lineno or made.lineno) and outer[: len(mine)] == mine


def _block(outer: list[ast.stmt]) -> str | None:
    """What the graph is called in whose block a call stands."""
    for stmt in outer:
        for item in getattr(stmt, "items", ()):
            func = getattr(item.context_expr, "func", None)
            if isinstance(func, ast.Attribute) and func.attr == "as_default":
                return ast.unparse(func.value)
    return None


def _is_graph(walker: Any, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) == T + "Graph"


def _session(walker: Any, node: ast.AST, graph: str) -> bool:
    """Whether a run is in the block of a session of a graph, which isn't bound anew before it."""
    for stmt in walker.tree.body:
        if not isinstance(stmt, ast.With) or not holds(stmt, node):
            continue
        calls = [i.context_expr for i in stmt.items if isinstance(i.context_expr, ast.Call)]
        given = [k.value for c in calls for k in c.keywords if k.arg == "graph"]
        return [ast.unparse(g) for g in given] == [graph]
    return False
