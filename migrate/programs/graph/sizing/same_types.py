"""Tensors that have a variable's type, whichever that is: ``dtype=tf.float16 if half else …``.

TF 1 refuses to mix types, so that most ops have one type for all that they take and give.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.programs.graph.making import written_lists
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Symbol
from migrate.programs.graph.sizing import dtypes

# By op: the arguments that have the type of what it gives.
ALIKE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "maximum", "minimum"), ("x", "y")),
    **dict.fromkeys(
        ("reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod"), ("input_tensor",)
    ),
    **dict.fromkeys(("nn.relu", "nn.relu6", "nn.elu"), ("features",)),
    **dict.fromkeys(("nn.max_pool", "nn.avg_pool"), ("value",)),
    **dict.fromkeys(("nn.lrn", "nn.local_response_normalization", "identity"), ("input",)),
    **dict.fromkeys(
        (
            "nn.sparse_softmax_cross_entropy_with_logits",
            "nn.softmax_cross_entropy_with_logits",
            "nn.softmax_cross_entropy_with_logits_v2",
            "nn.sigmoid_cross_entropy_with_logits",
        ),
        ("logits",),
    ),
    "nn.l2_loss": ("t",),
    "nn.bias_add": ("value", "bias"),
    "nn.conv2d": ("input", "filter"),
    "nn.xw_plus_b": ("x", "weights", "biases"),
    "nn.dropout": ("x",),
    "matmul": ("a", "b"),
    "reshape": ("tensor",),
}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult)


def of(walker: Any, parts: Sequence[ast.expr]) -> list[str] | None:
    """The types of tensors as they are written: nothing for float32; None where one isn't told."""
    types = Types(walker)
    symbols = [walker.expression(part).symbol or walker.symbol_of(part) for part in parts]
    for symbol in symbols:
        types.follow(symbol)
    found = [types.written(symbol) for symbol in symbols]
    return None if None in found else [text for text in found if text is not None]


@dataclass(slots=True)
class Types:
    """Symbols of one type, as far as ops tell."""

    walker: Any
    root: dict[Symbol, Symbol] = field(default_factory=dict)
    seen: set[Symbol] = field(default_factory=set)

    def of(self, symbol: Symbol) -> Symbol:
        """The symbol that stands for all of its type."""
        while (above := self.root.setdefault(symbol, symbol)) is not symbol:
            symbol = above
        return symbol

    def follow(self, symbol: Symbol) -> None:
        """A symbol has the types of what it is computed from."""
        todo = [symbol]
        while todo:
            one = todo.pop()
            made = one.step.node
            if one in self.seen or one.value.kind is not Kind.TENSOR:
                continue
            self.seen.add(one)
            if not isinstance(made, ast.Assign) or ast.unparse(made.targets[0]) != one.name:
                continue
            if len(made.targets) > 1:
                continue
            for other in self._alike(made.value, {s.name: s for s in one.step.uses}):
                self.root[self.of(other)] = self.of(one)
                todo.append(other)

    def _alike(self, node: ast.expr, env: dict[str, Symbol]) -> Iterator[Symbol]:
        """What has the type of an expression."""
        if isinstance(node, ast.Name):
            yield from [env[node.id]] if node.id in env else []
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
            yield from self._alike(node.left, env)
            yield from self._alike(node.right, env)
        elif isinstance(node, (ast.List, ast.Tuple)):
            for part in node.elts:
                yield from self._alike(part, env)
        elif isinstance(node, ast.Call):
            endpoint = self.walker.endpoints.get(id(node.func), "")
            try:
                given = self.walker.bound(endpoint, node) if endpoint else {}
            except Blocked:
                return
            if endpoint == T + "add_n":
                parts = written_lists.elements(self.walker, given.get("inputs")) or ()
                found = (self.walker.symbol_of(part) for part in parts)
                yield from (symbol for symbol in found if symbol is not None)
            for name in ALIKE.get(endpoint.removeprefix(T), ()):
                if name in given:
                    yield from self._alike(given[name], env)

    def written(self, symbol: Symbol) -> str | None:
        """A symbol's type: nothing for float32, or that of a variable that has a name here."""
        made = symbol.step.node
        if isinstance(made, ast.Assign):
            if dtypes.is_single(self.walker, made.value, symbol.step.uses):
                return ""
        for other in self.root:
            here = self.walker.frame.env.get(other.name) is other and not other.attribute
            if other.value.kind is Kind.VARIABLE and here and self.of(other) is self.of(symbol):
                return f"{other.name}.dtype"
        return None
