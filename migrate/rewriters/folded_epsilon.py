"""TFM234 folded-epsilon: `tf.log(1. - x + 1e-8)` loses its 1e-8 in TF 2.

https://www.tensorflow.org/guide/graph_optimization

Grappler, which goes over the graph of every session and every `tf.function`, makes one number of
the two, and in float32 `1. + 1e-8` is 1: what was to keep a logarithm from 0 is gone. TF 1.15 left
the expression alone wherever its gradient was taken, as in a loss that is trained: GANs,
autoencoders and cross entropies that are written so went on where a prediction came out as 1. In
TF 2.21 their gradients are NaN there, and soon all weights. `tf.maximum(…, float("-inf"))`, which
changes neither a value nor a gradient, stands between the two numbers. (Where no gradient was
taken, as in a loss that is only looked at, TF 1.15 folded, too: that was -inf, and is the number
now.)
"""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Iterator

from migrate.engine.findings import Edit
from migrate.engine.plan import by_name, read
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext, Site
from migrate.engine.values import Values, values_of

FOLDED = Rule(
    "TFM234",
    "folded-epsilon",
    "a small number that graph optimization adds to a large one",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/graph_optimization",
)
# What isn't finite at 0, and makes a tensor of whatever it is given.
STEEP = frozenset(
    f"tensorflow.{module}{name}"
    for module in ("", "math.")
    for name in ("log", "reciprocal", "rsqrt", "sqrt")
)
SMALL = 1e-8  # what a name says that says "epsilon"
NAMED = re.compile(r"(?i)(^|_)(eps|epsilon|tiny)\d*$")
OWN_FLOAT = re.compile(r"\bfloat[ \t]*=(?!=)|\b(?:as|class|def|for|import)[ \t]+float\b")
LOST = 1e-2  # the part of the small number that the sum may lose


@FOLDED.file
def epsilons(file: FileContext) -> Iterator[Result]:
    """Every logarithm, root or quotient of such a sum."""
    if not file.tf1:
        return
    steep = []
    for ref in file.names.references:
        if ref.call is None or not ref.call.args or ref.literal is not None:
            continue
        place = by_name(ref)
        if place.endpoint in STEEP and not place.tail:
            steep.append((ref, ref.call, read(ref)))
    if not steep or OWN_FLOAT.search(file.text):
        return
    values = values_of(file)
    for ref, call, place in steep:
        inner = _kept_apart(call.args[0], values)
        if inner is None:
            continue
        maximum, imports = Site(file, ref, place.endpoint, place.record).spell("tensorflow.maximum")
        start, end = file.index.span(inner)
        edits = [Edit(start, start, f"{maximum}("), Edit(end, end, ', float("-inf"))')]
        found = FOLDED.fixed(
            call.args[0],
            "TF 2's graph optimization adds the two numbers, and the small one is lost",
            f'{maximum}(…, float("-inf")) between them',
            edits,
        )
        found.imports.extend(imports)
        yield found


def _kept_apart(node: ast.expr, values: Values) -> ast.expr | None:
    """The sum with the large number, where ``node`` adds a small one to it."""
    outer = _terms(node, values)
    if outer is None:
        return None
    for (sign, small), (other, inner) in (outer, outer[::-1]):
        terms = _terms(inner, values)
        added = _small(small)
        if terms is None or added is None:
            continue
        numbers = [s * n for s, term in terms if (n := _number(term)) is not None]
        if len(numbers) == 1 and _lost(other * numbers[0], sign * added):
            return inner
    return None


Terms = tuple[tuple[int, ast.expr], tuple[int, ast.expr]]


def _terms(node: ast.expr, values: Values) -> Terms | None:
    """The two that a sum or a difference is made of, with their signs."""
    match node:
        case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Sub() as op):
            return (1, left), (1 if isinstance(op, ast.Add) else -1, right)
        case ast.Call(func=func, args=[left, right], keywords=[]):
            name = values.endpoint(func).removeprefix("math.")
            if name in ("add", "subtract") and not isinstance(left, ast.Starred):
                return (1, left), (1 if name == "add" else -1, right)
    return None


def _number(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _number(operand)
            return None if inner is None else -inner
    return None


def _small(node: ast.expr) -> float | None:
    """A number, or what a name promises: a barrier too many harms nothing."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if NAMED.search(name):
            return SMALL
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[], keywords=[]):
            return SMALL if NAMED.search(name) else None
    return _number(node)


def _lost(large: float, small: float) -> bool:
    if not small or abs(small) >= abs(large):
        return False
    try:
        total = struct.unpack("f", struct.pack("f", large + small))[0]
    except OverflowError:
        return False
    return bool(abs(total - large - small) > LOST * abs(small))
