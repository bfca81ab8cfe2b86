"""How many dimensions a tensor has at least, by how it was made."""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of, holds, walk
from migrate.engine.values import Values

DEEP = 12  # names and calls that are followed
# By their first argument: how many dimensions more than it they have.
MORE = {
    **dict.fromkeys(("expand_dims", "sequence_mask", "one_hot"), 1),
    **dict.fromkeys(("tile", "transpose", "reverse", "cumsum", "identity", "stop_gradient"), 0),
    **dict.fromkeys(("nn.softmax", "nn.log_softmax", "cast", "to_float", "to_int32", "sign"), 0),
}
EACH = frozenset(("tile", "transpose"))  # their second argument says something of each dimension
BOTH = frozenset(
    f"{module}{name}"
    for module in ("", "math.")
    for name in (
        *("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"),
        *("logical_and", "logical_or", "add", "subtract", "multiply", "maximum", "minimum"),
    )
)
SHAPED = {"reshape": 1, "zeros": 0, "ones": 0, "fill": 0, "placeholder": 1}  # by a shape's place
LOOPS = (ast.For, ast.While, ast.AsyncFor)
Way = list[tuple[ast.AST, list[ast.stmt], int]]


class Ranks:
    """The least ranks of a file's expressions."""

    def __init__(self, tree: ast.Module, values: Values) -> None:
        self.tree, self.values = tree, values

    def least(self, node: ast.expr, deep: int = DEEP) -> int:
        """How many dimensions an expression has at least; 0 where nothing is known."""
        if deep == 0:
            return 0
        match node:
            case ast.Name():
                value = self._last(node)
                return self.least(value, deep - 1) if value is not None else 0
            case ast.BinOp():
                return max(self.least(n, deep - 1) for n in (node.left, node.right))
            case ast.UnaryOp():
                return self.least(node.operand, deep - 1)
            case ast.Compare():
                return max(self.least(n, deep - 1) for n in (node.left, *node.comparators))
            case ast.Call() if not any(isinstance(a, ast.Starred) for a in node.args):
                return self._call(node, deep - 1)
        return 0

    def _call(self, node: ast.Call, deep: int) -> int:
        name = self.values.endpoint(node.func)
        args = [self.least(a, deep) for a in node.args[:2]]
        if name in MORE and args:
            return max(args[0] + MORE[name], _said(node) if name in EACH else 0)
        if name in BOTH and args:
            return max(args)
        if (name in ("zeros_like", "ones_like") or self.values.elementwise(node)) and args:
            return args[0]
        place = SHAPED.get(name)
        shape = next((k.value for k in node.keywords if k.arg in ("shape", "dims")), None)
        if place is not None and place < len(node.args):
            shape = node.args[place]
        if place is not None and isinstance(shape, (ast.List, ast.Tuple)):
            starred = any(isinstance(e, ast.Starred) for e in shape.elts)
            return 0 if starred else len(shape.elts)
        return 2 if name in ("matmul", "linalg.matmul") else 0

    def _last(self, name: ast.Name) -> ast.expr | None:
        """What a name was last given before it is read, if one assignment says it."""
        way = _way(self.tree, name)
        stmt = way[-1][1][way[-1][2]] if way else None
        if stmt is None or name.id in _own(stmt):
            return None
        if hasattr(stmt, "body") and name.id in _stored(stmt):
            return None  # a handler of errors, a condition of a loop
        for owner, body, place in reversed(way):
            for one in reversed(body[:place]):
                if name.id not in _stored(one):
                    continue
                if isinstance(one, ast.Assign) and len(one.targets) == 1:
                    target = one.targets[0]
                    return one.value if isinstance(target, ast.Name) else None
                return None
            if isinstance(owner, LOOPS) and name.id in _stored(owner):
                return None
            if not isinstance(owner, (*LOOPS, ast.If, ast.With, ast.Try)):
                return None
        return None


def _said(call: ast.Call) -> int:
    """How many dimensions `tf.tile(x, [n, 1])` says something of."""
    named = [k.value for k in call.keywords if k.arg in ("multiples", "perm")]
    said = [*call.args[1:2], *named]
    if len(said) != 1 or not isinstance(said[0], (ast.List, ast.Tuple)):
        return 0
    elements = said[0].elts
    return 0 if any(isinstance(e, ast.Starred) for e in elements) else len(elements)


def _way(tree: ast.AST, node: ast.AST) -> Way:
    """The blocks around an expression, the outermost first: their owner, and its place in them."""
    found: Way = []
    here: ast.AST | None = tree
    while here is not None:
        inner = None
        for field in ("body", "orelse", "finalbody"):
            body = getattr(here, field, None)
            if not isinstance(body, list):
                continue
            for place, stmt in enumerate(body):
                if holds(stmt, node):
                    found.append((here, body, place))
                    inner = stmt
        here = inner
    return found


def _stored(stmt: ast.AST) -> set[str]:
    return {n.id for n in all_of(stmt, ast.Name) if not isinstance(n.ctx, ast.Load)}


def _own(stmt: ast.stmt) -> set[str]:
    """The names that a statement's comprehensions and lambdas have of their own."""
    found = {a.arg for n in all_of(stmt, ast.Lambda) for a in n.args.args}
    for node in walk(stmt):
        if isinstance(node, ast.comprehension):
            found |= _stored(node.target)
    return found
