"""Placeholders that a setting leaves out: ``self.y = tf.placeholder(…) if self.y_dim else None``.

A run that feeds one has it as a parameter. One that doesn't feed it would stop in TF 1 where there
is a placeholder, unless it needs none: its function is written for a program that has None there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked, Kind, Symbol, Value
from migrate.programs.graph.objects import own_attributes
from migrate.programs.graph.wording.known_branches import chosen
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

ASKED = "the program asks whether there is a placeholder"
SAME = "two ways with a placeholder and without it"


def spelled(
    branch: ast.If,
    made: ast.Assign,
    stores: Sequence[ast.expr],
    reason: str,
    apart: Callable[[ast.If, ast.stmt], bool],
    *,
    again: bool,
) -> None:
    """A branch that makes a placeholder on one way and has None on the other says so in a line.

    ``stores``: where the placeholder's name is set; ``apart``: whether a statement may go alone;
    ``again``: the program asks the same once more, and has None, or nothing, otherwise.

    Raises:
        Spelled: it is such a branch.
    """
    ways = [branch.body, branch.orelse]
    (target,) = made.targets

    def line(source: Source) -> str:
        sides = [source(made.value), "None"]
        first, last = sides if made in branch.body else sides[::-1]
        return f"{source(target)} = {first} if {source(branch.test)} else {last}"

    way = next((i for i, block in enumerate(ways) if made in block), None)
    if way is not None and len(stores) == 1 and stores[0] is target and again:
        if len(branch.body) == 1 and not branch.orelse:
            raise Spelled(made.value, reason, [(branch, lambda source: line(source))])
        return
    if way is None or len(stores) != 2:
        return
    none = next((s for s in ways[1 - way] if _none(s, stores)), None)
    if none is None or target not in stores:
        return
    if len(branch.body) == len(branch.orelse) == 1:
        raise Spelled(made.value, reason, [(branch, line)])
    if apart(branch, made) and apart(branch, none):
        gone: list[Written] = [(made, word("")), (none, word(""))]
        raise Spelled(made.value, reason, gone, [(branch, lambda source: [line(source)])])


def _none(stmt: ast.stmt, stores: Sequence[ast.expr]) -> bool:
    return (
        isinstance(stmt, ast.Assign)
        and stmt.targets[0] in stores
        and len(stmt.targets) == 1
        and _nothing(stmt.value)
    )


def _nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def value(walker: Any, node: ast.IfExp, first: Value, second: Value) -> Value | None:
    """A placeholder or None, as a statement of the graph's names it; None where it isn't that."""
    sides = [(first, node.body, node.orelse), (second, node.orelse, node.body)]
    made, call, other = sides[0] if first.kind is Kind.PLACEHOLDER else sides[1]
    stmt = walker.stmt
    if made.kind is not Kind.PLACEHOLDER or made.node is not call or not _nothing(other):
        return None
    if not isinstance(stmt, ast.Assign) or stmt.value is not node:
        return None
    if walker.nested or walker.loops or walker.frame.region is None or id(call) in walker.defaults:
        return None
    walker.optional[id(call)] = stmt
    return made


def stated(walker: Any, node: ast.expr) -> bool:
    return any(node is stmt.value for stmt in walker.optional.values())


def is_one(walker: Any, symbol: Symbol) -> bool:
    return symbol.value.kind is Kind.PLACEHOLDER and id(symbol.value.node) in walker.optional


def compared(walker: Any, node: ast.Compare, values: Sequence[Value]) -> None:
    """``if self.y is None:`` where a graph is built: the spec of a parameter is always there.

    Raises:
        Blocked: a placeholder is asked for that may be None.
    """
    if walker.frame.region is None:
        return  # a function: it is given the tensor, or None
    if any(v.kind is Kind.PLACEHOLDER and id(v.node) in walker.optional for v in values):
        raise Blocked(node, ASKED)


def said(walker: Any, call: ast.Call) -> ast.expr:
    """What is written as a spec of a placeholder."""
    stmt: ast.Assign | None = walker.optional.get(id(call))
    return call if stmt is None else stmt.value


def alike(walker: Any, stmt: ast.If) -> None:
    """See whether two ways say the same, one with a placeholder and one with the None that it is.

    ``if self.y_dim: G = self.generator(z, self.y)`` ``else: G = self.generator(z, y=None)``.

    Raises:
        Spelled: they do.
    """
    if not stmt.orelse or walker.nested:
        return
    for made in walker.optional.values():
        choice, (target,) = made.value, made.targets
        test, turned = _plain(stmt.test)
        asked, swapped = _plain(choice.test)
        if ast.dump(test) != ast.dump(asked) or not _lasting(walker, test):
            continue
        first = (turned is swapped) is not _nothing(choice.body)
        ways = (stmt.body, stmt.orelse) if first else (stmt.orelse, stmt.body)
        if _same(walker, ways[0], ways[1], ast.unparse(target)):
            raise Spelled(stmt, SAME, [(stmt, chosen(stmt, ways[0]))])


def _plain(test: ast.expr) -> tuple[ast.expr, bool]:
    turned = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return (test.operand, True) if turned else (test, False)  # type: ignore[attr-defined]


def _lasting(walker: Any, test: ast.expr) -> bool:
    """Whether a condition is an attribute that is set once."""
    if not isinstance(test, ast.Attribute) or not isinstance(test.value, ast.Name):
        return False
    region = walker.frame.region
    home = region.node if region is not None else None
    return len(own_attributes.stores(walker, home, test.attr)) == 1


def _same(walker: Any, one: Any, other: Any, name: str) -> bool:
    """Whether two parts of a program are the same, where the one's placeholder is None."""
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_same(walker, a, b, name) for a, b in pairs)
    if not isinstance(one, ast.AST) or not isinstance(other, ast.AST):
        return type(one) is type(other) and one == other
    if isinstance(one, (ast.Name, ast.Attribute)) and ast.unparse(one) == name:
        return isinstance(other, ast.Constant) and other.value is None
    if isinstance(one, ast.Call) and isinstance(other, ast.Call):
        left, right = _given(walker, one), _given(walker, other)
        if left is not None and right is not None:
            called = ast.dump(one.func) == ast.dump(other.func) and left.keys() == right.keys()
            return called and all(_same(walker, left[k], right[k], name) for k in left)
    if type(one) is not type(other):
        return False
    return all(
        _same(walker, getattr(one, field, None), getattr(other, field, None), name)
        for field in one._fields
    )


def _given(walker: Any, call: ast.Call) -> dict[str, ast.expr] | None:
    """What a function of the program is given, its defaults too; None where it isn't seen."""
    said = getattr(call.func, "id", getattr(call.func, "attr", ""))
    found = [n for n in all_of(walker.tree, ast.FunctionDef) if n.name == said]
    if len(found) != 1 or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    args = found[0].args
    if args.vararg or args.kwarg or args.kwonlyargs or any(k.arg is None for k in call.keywords):
        return None
    method = isinstance(call.func, ast.Attribute) and args.args and args.args[0].arg == "self"
    names = [a.arg for a in args.args[1 if method else 0 :]]
    given = dict(zip(names[len(names) - len(args.defaults) :], args.defaults, strict=False))
    given |= dict(zip(names, call.args, strict=False))
    return given | {k.arg: k.value for k in call.keywords if k.arg is not None}
