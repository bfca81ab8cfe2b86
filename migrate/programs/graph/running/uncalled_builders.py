"""Functions that build layers and that nobody calls, beside others of their file that are called.

Slim's nets come several in a file (``vgg_a``, ``vgg_16``, ``vgg_19``), of which a program uses one.
The others are read as that one: called with their defaults, in the arg_scopes in which the calls of
their file stand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.layering import layers
from migrate.programs.graph.made import Function
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import INPUT, Kind, Region, Step, Value
from migrate.programs.graph.modules import Module
from migrate.programs.graph.wording import known_branches

# What an uncalled function can't keep: TF 2 has nothing of that name that means the same.
GONE = meaning.MAKING | meaning.CELLS | {T + "get_variable", T + "variable_scope", layers.ARG_SCOPE}


def follow(walker: Any) -> None:
    """Walk each of them, as a region of its own.

    Raises:
        Blocked: one can't be followed.
    """
    for module in walker.files.order:
        for node in module.tree.body if module.tree is not None else ():
            if isinstance(node, ast.FunctionDef) and _idles(walker, module, node):
                called = _called(walker, module)
                if called is not None:
                    _walk(walker, module, node, called)


def _idles(walker: Any, module: Module, node: ast.FunctionDef) -> bool:
    """Whether a function builds layers and isn't called."""
    return (
        module.frame is not None
        and id(node) not in walker.entered
        and not node.decorator_list
        and any(walker.endpoints.get(id(n)) in GONE or _built(walker, n) for n in walk(node))
        and walker._variables_made(node)
        and not walker.runs(node)
        and not layers.gives_arg_scope(walker, node)
        and not known_branches.mentions(walker, node)
    )


def _built(walker: Any, node: ast.AST) -> bool:
    """Whether a node calls a function that comes to return what applies its layers."""
    target = walker._module_function(node.func) if isinstance(node, ast.Call) else None
    region = walker.entered.get(id(target)) if target is not None else None
    return region is not None and region.inputs is not None


def _called(walker: Any, module: Module) -> Region | None:
    """A function of a file that makes layers and is called; all in the same arg_scopes."""
    found = [
        region
        for region in walker.regions
        if region.inputs is not None
        and walker.files.at(region.node) is module
        and not region.alone
        and module.tree is not None
        and region.node in module.tree.body
    ]
    outer = [r for r in found if not r.inner]
    if not outer and all(r.scoped == "[]" for r in found):
        outer = found  # which other files' functions call
    return outer[0] if outer and len({r.scoped for r in outer}) == 1 else None


def _walk(walker: Any, module: Module, node: ast.FunctionDef, like: Region) -> None:
    """A function that is given a tensor, and its own defaults."""
    args = node.args
    tensors = {n for n, kind in like.kinds.items() if kind is Kind.TENSOR and n in like.frame.env}
    needed = [a.arg for a in args.args[: len(args.args) - len(args.defaults)]]
    mine = [n for n in needed if n in tensors] or needed[:1]
    if (
        module.frame is None
        or not mine
        or args.vararg
        or args.kwarg
        or args.kwonlyargs
        or args.posonlyargs
    ):
        return
    walker.begin(module)
    keywords = [ast.keyword(n, ast.Name(n, ast.Load())) for n in mine]
    call = ast.Call(ast.Name(node.name, ast.Load()), [], [])
    stmt = ast.Expr(call)
    for part in walk(stmt):
        ast.copy_location(part, node)
    walker.frame, walker.sink, walker.stmt = module.frame, Step(-1, stmt, Kind.HOST), stmt
    function = Function(node, module.frame)
    given = walker.given(function, call)
    call.keywords = keywords
    given.update({n: Value(Kind.PLACEHOLDER, INPUT) for n in mine})
    walker.kept["arg_scopes"] = list(like.arg_scopes)
    walker.kept["called by nobody"] = call
    walker.factory(function, node, given, call)
    del walker.layers[id(call)]
    walker.begin(module)


def told(regions: Iterable[Region]) -> Iterator[tuple[ast.AST, str]]:
    """What the report says of them."""
    for region in regions:
        if region.alone is not None:
            what = f"nobody calls `{region.name}`: it makes layers and returns what applies them"
            if region.arg_scopes:
                what += ", in the arg_scopes of the calls beside it"
            yield region.node, what
