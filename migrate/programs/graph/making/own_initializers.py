"""Initializers that are functions of the program, ``def kaiming(shape, dtype)``.

They stay as they are; a variable starts with what its own gives, ``kaiming([n, m], dtype=…)``, and
Keras's layers call theirs themselves.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.made import FAMILIES, Frame, Function
from migrate.programs.graph.model import Blocked, Kind
from migrate.programs.graph.names import free_names

OWN = "an initializer of the program's own"
REASON = "an initializer of one's own"
# What TF 1 names when it calls one.
DTYPE, PARTS = "dtype", "partition_info"
STATE = meaning.VARIABLES | meaning.PLACEHOLDERS | meaning.SESSIONS | meaning.OPTIMIZERS
SEES = frozenset({Kind.HOST, Kind.NONE, Kind.ENDPOINT})


def described(walker: Any, node: ast.expr, function: Function) -> tuple[str, None]:
    """What is known of one, where it only computes what a variable starts with.

    Raises:
        Blocked: it does more, or reads what TF 2 doesn't tell it.
    """
    target = function.node
    if not isinstance(target, ast.FunctionDef) or not _takes(target):
        raise Blocked(node, REASON)
    if target.decorator_list or walker.runs(target) or walker._variables_made(target):
        raise Blocked(node, REASON)
    if not all(_plain(walker, n) for n in walk(target)) or not _sees(walker, function):
        raise Blocked(node, REASON)
    inside = (ast.FunctionDef, ast.Lambda, ast.Yield, ast.Global, ast.Nonlocal, ast.ClassDef)
    if any(isinstance(n, inside) for n in walk(target) if n is not target):
        raise Blocked(node, REASON)
    returns = [n.value for n in all_of(target, ast.Return)]
    if not returns or not all(_computes(walker, value) for value in returns):
        raise Blocked(node, REASON)  # an array's type is the variable's in TF 1
    return OWN, None


def of_cell(walker: Any, node: ast.expr) -> tuple[str, ast.Call | None] | None:
    """The initializer that a cell is given, which it calls with a shape alone.

    Raises:
        Blocked: it is the program's own.
    """
    found: tuple[str, ast.Call | None] | None = walker.described(node)
    if found is not None and found[0] == OWN:
        raise Blocked(node, REASON)
    return found


def drawn(walker: Any, node: ast.expr) -> None:
    """A layer's, which is called at the layer's first call.

    Raises:
        Blocked: a seed tells what it draws, or what it reads may be something else by then.
    """
    value = walker.expression(node)
    if value.kind is not Kind.FUNCTION:
        return
    read = set(free_names(value.data.node))
    bound = [
        n.id
        for n in all_of(walker.tree, ast.Name)
        if n.id in read and not isinstance(n.ctx, ast.Load)
    ]
    attributes = [n.attr for n in all_of(value.data.node, ast.Attribute)]
    seeds = (n for n in all_of(walker.tree, ast.Attribute) if n.attr == "seed")
    if len(bound) > len(set(bound)) or ("random" in attributes and any(seeds)):
        raise Blocked(node, REASON)


def _takes(target: ast.FunctionDef) -> bool:
    """Whether a function takes what TF 1 gives it, and reads no more than TF 2 does."""
    args = target.args
    names = [a.arg for a in args.args]
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return False
    if not names or names[0] in (DTYPE, PARTS) or DTYPE not in names:
        return False
    needed = set(names[1 : len(names) - len(args.defaults)])
    if needed - {DTYPE}:
        return False
    parents = parents_of(target)
    for node in walk(target):
        if isinstance(node, ast.Name) and node.id == PARTS:
            return False
        if isinstance(node, ast.Name) and node.id == DTYPE:  # Keras gives its name
            if not isinstance(parents.get(id(node)), (ast.Call, ast.keyword)):
                return False
    return True


def _plain(walker: Any, node: ast.AST) -> bool:
    """Whether a node of one's body asks nothing of a graph but ops."""
    name = walker.endpoints.get(id(node))
    if name is None or not isinstance(node, ast.Attribute):
        return not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load)
    if name in STATE or name in FAMILIES:
        return False
    known: bool = meaning.is_op(name) or meaning.is_host(name)
    return known or name.startswith((meaning.T + "random.", meaning.T + "dtypes."))


def _sees(walker: Any, function: Function) -> bool:
    """Whether all that it takes from around it is Python's."""
    for name in free_names(function.node):
        frame: Frame | None = function.frame
        while frame is not None and name not in frame.env:
            frame = frame.parent
        symbol = frame.env.get(name) if frame is not None else None
        if symbol is not None and symbol.value.kind not in SEES:
            return False
    return True


def _computes(walker: Any, value: ast.expr | None) -> bool:
    """Whether an expression is a tensor by what it calls."""
    if isinstance(value, ast.BinOp):
        return _computes(walker, value.left) or _computes(walker, value.right)
    return isinstance(value, ast.Call) and id(value.func) in walker.endpoints
