"""The names of TF 1 in a further call of a function that makes variables.

Such a function is followed once; its next calls only take names, in the order of its statements.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, children
from migrate.programs.graph import meaning
from migrate.programs.graph.made import Frame
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Kind, Region, Step, Symbol
from migrate.programs.graph.scoping import tf1_names
from migrate.programs.graph.scoping.op_names import op_name

DEEP = 8
MAKING = meaning.VARIABLES | meaning.MAKING | set(tf1_names.LAYERS)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LAZY = (ast.Lambda, ast.IfExp, ast.BoolOp, *COMPREHENSIONS)


def replay(walker: Any, call: ast.Call, region: Region, *, method: bool) -> None:
    """Take the names that a call takes; where they can't be told, all that follow are unknown."""
    if _followed(walker, region.node, DEEP):
        _called(walker, call, region.node, region.frame, method=method)
    else:
        walker.naming.lose()


def of_object(walker: Any, cls: ast.ClassDef) -> None:
    """One more object of a class takes names: of ops by default, where its methods make no more.

    So does one that makes a dataset. How many of each isn't known; of others all names that
    follow are unknown.
    """
    methods = {m.name for m in cls.body if isinstance(m, ast.FunctionDef)}
    taken: set[str] = set()
    plain = all(ast.unparse(base) == "object" for base in cls.bases)
    for call in all_of(cls, ast.Call):
        endpoint = walker.endpoints.get(id(call.func))
        if endpoint is not None:
            scoped = endpoint in MAKING | meaning.SCOPES or endpoint.startswith(T + "summary.")
            plain = plain and not scoped and not _named(walker, endpoint, call)
            taken.add((op_name(walker, call) or "").lower())
        elif not (isinstance(call.func, ast.Attribute) and call.func.attr in methods):
            plain = plain and not _own(walker, call.func)
    scope = walker.naming.ops
    if plain and scope is not None:
        head = f"{scope}/".lower() if scope else ""
        walker.naming.unknown |= {head + name for name in taken if name}
    else:
        walker.naming.lose()


def _named(walker: Any, endpoint: str, call: ast.Call) -> bool:
    """Whether a call may name its op."""
    try:
        return "name" in walker.bound(endpoint, call)
    except Blocked:
        return True


def _own(walker: Any, func: ast.expr) -> bool:
    """Whether the program defines something that a call may mean."""
    name = getattr(func, "attr", getattr(func, "id", None))
    functions = {n.name for n in all_of(walker.tree, ast.FunctionDef)}
    return name in functions | {n.name for n in all_of(walker.tree, ast.ClassDef)}


def _called(
    walker: Any, call: ast.Call, target: Any, known: Frame | None, *, method: bool = False
) -> None:
    """A call of a function; ``known``: what its names meant when it was followed."""
    tf1_names.entered(walker, call, target, method=method)
    start = Step(-1, target, Kind.HOST)
    names = [n.id for n in all_of(target, ast.Name) if not _loads(n)]
    env = {name: Symbol(name, start, HOST) for name in names}
    if known is not None:  # a name that is bound once means what it did
        env.update({n: s for n, s in known.env.items() if names.count(n) == 1})
    parent = known.parent if known is not None else walker.module_frame(target)
    outer, walker.frame = walker.frame, Frame(target, parent, None, env)
    try:
        _block(walker, target.body)
    finally:
        walker.frame = outer
        tf1_names.left(walker)


def _followed(walker: Any, target: ast.AST, depth: int) -> bool:
    """Whether all that takes names in a function is seen."""
    for node in all_of(target, ast.Call):
        endpoint = walker.endpoints.get(id(node.func))
        if endpoint is not None:
            name = meaning.canonical(endpoint)
            if endpoint in MAKING and id(node) not in walker.layers:
                if endpoint not in meaning.VARIABLES:
                    return False
            if name.startswith((T + "nn.rnn", T + "contrib.rnn", T + "make_template")):
                return False
            if name.endswith("_rnn"):
                return False
            continue
        callee = walker._module_function(node.func)
        if callee is not None and (depth == 0 or not _followed(walker, callee, depth - 1)):
            return False
        if callee is None and isinstance(node.func, ast.Attribute):
            if ast.unparse(node.func.value) == "self":
                return False
    return True


def _block(walker: Any, body: list[ast.stmt]) -> None:
    for stmt in body:
        _statement(walker, stmt)


def _statement(walker: Any, stmt: ast.stmt) -> None:
    if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
        return
    if isinstance(stmt, ast.With):
        opened = 0
        for item in stmt.items:
            call = item.context_expr
            endpoint = walker.endpoints.get(id(call.func)) if isinstance(call, ast.Call) else None
            if isinstance(call, ast.Call) and endpoint in (T + "variable_scope", T + "name_scope"):
                for value in (*call.args, *(k.value for k in call.keywords)):
                    _expression(walker, value)
                tf1_names.scope(walker, call, variables=endpoint.endswith("variable_scope"))
                opened += 1
            else:
                _expression(walker, call)
        _block(walker, stmt.body)
        walker.naming.closed(opened)
        return
    unsure = isinstance(stmt, (ast.If, ast.For, ast.While, ast.Try))
    walker.naming.unsure += unsure
    for child in children(stmt):
        if isinstance(child, ast.stmt):
            _statement(walker, child)
        else:
            _expression(walker, child)
    walker.naming.unsure -= unsure


def _expression(walker: Any, node: ast.AST) -> None:
    """What an expression's calls take, the inner ones first."""
    unsure = isinstance(node, LAZY)
    walker.naming.unsure += unsure
    for child in children(node):
        _expression(walker, child)
    walker.naming.unsure -= unsure
    if not isinstance(node, ast.Call):
        return
    endpoint = walker.endpoints.get(id(node.func))
    layer = walker.layers.get(id(node))
    if endpoint in meaning.VARIABLES:
        tf1_names.variable(walker, endpoint, node)
    elif layer is not None and layer.factory is None:
        tf1_names.op(walker, endpoint or layer.endpoint, node)  # or it goes by a parameter's name
        own = layer.given.get("name", layer.given.get("scope"))
        if not layer.inline and layer.endpoint in tf1_names.LAYERS:
            tf1_names.layer(walker, layer.endpoint, node, own)
    elif endpoint is not None:
        tf1_names.op(walker, endpoint, node)
    else:
        callee = walker._module_function(node.func)
        if callee is not None:
            _called(walker, node, callee, None)


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
