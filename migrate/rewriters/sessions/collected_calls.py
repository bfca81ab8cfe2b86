"""Calls of functions that fill a collection: each gets a statement of its own, with a name.

``total_loss(inference(x), y)`` and ``tf.matmul(x, weight([4, 6]))``: what such a function puts in
is told beside its call.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator, Sequence
from typing import Any

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.homes import Home, Homes, Unclear

ODD = (ast.Lambda, ast.IfExp, ast.BoolOp, *COMPREHENSIONS)
SIMPLE = (ast.Assign, ast.Expr, ast.Return)
MATH = frozenset(  # what makes no variable
    (
        *("add", "cast", "concat", "exp", "expand_dims", "log", "matmul", "multiply", "reshape"),
        *("sigmoid", "square", "squeeze", "subtract", "tanh", "tile", "transpose"),
        *("nn.avg_pool", "nn.bias_add", "nn.conv2d", "nn.dropout", "nn.elu", "nn.leaky_relu"),
        *("nn.max_pool", "nn.relu", "nn.relu6", "nn.sigmoid", "nn.softmax", "nn.softplus"),
        *("nn.tanh", "nn.xw_plus_b"),
    )
)


class NamedCalls(Homes):
    """The files of a program, whose calls of some functions get names."""

    def __init__(self, documents: Sequence[Document]) -> None:
        super().__init__(documents)
        self.edited: dict[int, list[Edit]] = {}

    def calls_named(self, fillers: Sequence[ast.FunctionDef]) -> bool:
        """Whether a call gets a name that stands in another one, ``total_loss(inference(x), y)``.

        It must be what its statement calls first.

        Raises:
            Unclear: it isn't.
        """
        for home, stmt, call in self._inner(fillers):
            calls = all_of(stmt, ast.Call)
            outer = [c for c in calls if c is not call and call in c.args]
            if not outer or any(_before(c, call) for c in calls):
                raise Unclear
            self._above(home, stmt, call, self._wish(home, call, outer[0]))
            return True
        return False

    def makers_named(self, makers: Sequence[ast.FunctionDef]) -> bool:
        """Whether a variable gets a name, ``tf.matmul(x, weight("w", [4, 6]))``.

        What its statement calls before makes no variable: it is TensorFlow's, and but computes.

        Raises:
            Unclear: it isn't.
        """
        for home, stmt, call in self._inner(makers):
            known = tensorflow(self.documents[self.place[id(home)]].tree)
            for earlier in (c for c in all_of(stmt, ast.Call) if _before(c, call)):
                root, _, rest = ast.unparse(earlier.func).partition(".")
                if root not in known or rest not in MATH:
                    raise Unclear
            self._above(home, stmt, call, _called(call, makers), new=True)
            return True
        return False

    def _inner(
        self, functions: Sequence[ast.FunctionDef]
    ) -> Iterator[tuple[Home, ast.stmt, ast.Call]]:
        """The calls of functions that stand in other expressions.

        Raises:
            Unclear: one may not be run, or several times.
        """
        uses = (u for function in functions for u in self.uses(function))
        for use in sorted(uses, key=lambda u: (self.place[id(self.inside[id(u)])], _at(u))):
            home = self.inside[id(use)]
            for stmt in (s for s in walk(home) if isinstance(s, SIMPLE)):
                call = next((c for c in all_of(stmt, ast.Call) if c.func is use), None)
                if call is not None and call is not stmt.value:
                    if any(isinstance(n, ODD) for n in walk(stmt)):
                        raise Unclear
                    yield home, stmt, call

    def _wish(self, home: Home, call: ast.Call, outer: ast.Call) -> str:
        """What the function calls it that is given a value."""
        if isinstance(outer.func, ast.Name):
            taker = self.functions.get((self.place[id(home)], outer.func.id))
            params = [a.arg for a in taker.args.args] if taker is not None else []
            at = outer.args.index(call)
            if at < len(params):
                return params[at]
        return "outputs"

    def _above(
        self, home: Home, stmt: ast.stmt, call: ast.Call, wish: str, *, new: bool = False
    ) -> None:
        """A call's value gets a name in a statement before; ``new``: a variable has one."""
        place = self.place[id(home)]
        document = self.documents[place]
        again = _over(home, wish, stmt) if new else _local(home, wish)
        name = wish if again else self.free(home, wish)
        lo, hi = document.index.span(call)
        begin = document.index.span(stmt)[0]
        head = document.text[document.text.rfind("\n", 0, begin) + 1 : begin]
        if head.strip():
            raise Unclear
        line = f"{name} = {document.text[lo:hi]}\n{head}"
        self.edited[place] = [Edit(begin, begin, line), Edit(lo, hi, name)]


def _at(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _before(one: ast.Call, call: ast.Call) -> bool:
    """Whether a statement calls something before another call, and not around it."""
    early = _at(one) < _at(call)
    return early and call not in walk(one) and one not in walk(call)


def _called(call: ast.Call, makers: Sequence[ast.FunctionDef]) -> str:
    """What a variable is called: by the name that it is given, or by the function that makes it."""
    said = call.args[0] if call.args else None
    if isinstance(said, ast.Constant) and isinstance(said.value, str):
        if said.value.isidentifier() and not keyword.iskeyword(said.value):
            return said.value
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    given = last(next(f for f in makers if f.name == name).body)
    return str(given.value.id)  # type: ignore[attr-defined]


def _over(home: Home, name: str, stmt: ast.stmt) -> bool:
    """Whether a function's own name isn't read any more, so that it may mean another thing."""
    if not isinstance(home, ast.FunctionDef) or any(
        isinstance(n, (ast.For, ast.While, ast.Global, ast.Lambda)) for n in walk(home)
    ):
        return False
    names = [n for n in all_of(home, ast.Name) if n.id == name]
    stored = any(isinstance(n.ctx, ast.Store) for n in names)
    return stored and all(_at(n) < _at(stmt) for n in names)


def _local(home: Home, name: str) -> bool:
    """Whether a name of a file is but one of its functions' own."""
    if not isinstance(home, ast.Module):
        return False
    for stmt in home.body:
        names = [n for n in all_of(stmt, ast.Name) if n.id == name]
        own = isinstance(stmt, ast.FunctionDef) and any(
            n.arg == name for n in all_of(stmt.args, ast.arg)
        )
        stored = any(not isinstance(n.ctx, ast.Load) for n in names)
        if names and not own and not (isinstance(stmt, ast.FunctionDef) and stored):
            return False
        if getattr(stmt, "name", "") == name or any(
            a.asname == name or a.name == name for a in all_of(stmt, ast.alias)
        ):
            return False
    return True


def tensorflow(tree: ast.Module) -> set[str]:
    """What a file calls TensorFlow."""
    return {
        alias.asname or alias.name
        for n in tree.body
        if isinstance(n, ast.Import)
        for alias in n.names
        if alias.name == "tensorflow"
    }


def last(body: Sequence[ast.stmt]) -> ast.stmt:
    """The last statement of a function, in whatever blocks."""
    return last(body[-1].body) if isinstance(body[-1], ast.With) else body[-1]
