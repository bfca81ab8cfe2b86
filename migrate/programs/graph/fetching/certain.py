"""What a run needs whichever way the branches go that it computes."""

from __future__ import annotations

import ast

from migrate.engine.trees import children, walk
from migrate.programs.graph.model import Site, Step, Symbol


def needs(site: Site) -> set[Symbol]:
    """The parts of the graph that a run needs for sure.

    What one way of a branch alone makes is asked for where that way was gone: TF 1 stops elsewhere.
    """
    found: set[Symbol] = set()
    todo = [symbol for leaf in site.fetch.leaves() for symbol in leaf.uses]
    while todo:
        symbol = todo.pop()
        if symbol in found:
            continue
        found.add(symbol)
        step = symbol.step
        if not isinstance(step.node, ast.If):
            todo += [*step.uses, *(s for after in step.after for s in after.uses)]
            continue
        if step.arms is not None:
            first, second = step.arms
            todo += [s for s in first.uses if s in second.uses]
        if not _before(symbol):
            wanted = _of_branch(step.node, _name(symbol))
            names = [_name(s) for s in step.uses]
            todo += [s for s in step.uses if _name(s) in wanted and names.count(_name(s)) == 1]
    return found


def _name(symbol: Symbol) -> str:
    return "." * symbol.attribute + symbol.name


def _before(symbol: Symbol) -> bool:
    """Whether a branch may leave a name what it was."""
    step: Step = symbol.step
    others = step.region.steps if step.region is not None else ()
    found = any(_name(d) == _name(symbol) for s in others if s is not step for d in s.defs)
    return found or step.region is None


def _of_branch(node: ast.If, name: str) -> set[str]:
    """What each way of a branch reads that makes ``name``."""
    ways = [way for way in (node.body, node.orelse) if any(name in _stores(s) for s in way)]
    found = [_of_body(way, name) for way in ways]
    return set.intersection(*found) if found else set()


def _of_body(body: list[ast.stmt], name: str) -> set[str]:
    """What statements read of those before them, for what ``name`` means behind them."""
    wanted = {name}
    for stmt in reversed(body):
        bound = _stores(stmt) & wanted
        if not bound:
            continue
        if isinstance(stmt, (ast.Assign, ast.AnnAssign)):
            wanted = (wanted - bound) | _loads(stmt)
        elif isinstance(stmt, ast.AugAssign):
            wanted |= _loads(stmt)
        elif isinstance(stmt, ast.With):
            inner = [_of_body(stmt.body, one) for one in bound]
            wanted = (wanted - bound).union(*inner)
        elif isinstance(stmt, ast.If):
            inner = [_of_branch(stmt, one) for one in bound]
            wanted = (wanted - bound).union(*inner)
        else:
            wanted -= bound
    return wanted


def _stores(stmt: ast.stmt) -> set[str]:
    """The names that a statement binds; attributes with a dot before them."""
    found = set()
    for node in walk(stmt):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found.add(f".{node.attr}")
    return found


def _loads(stmt: ast.stmt) -> set[str]:
    """The names that a statement reads, but those of what it may not compute."""
    found: set[str] = set()
    todo: list[ast.AST] = [stmt]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.IfExp, ast.BoolOp, ast.Lambda)):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            found.add(f".{node.attr}")
        todo += children(node)
    return found
