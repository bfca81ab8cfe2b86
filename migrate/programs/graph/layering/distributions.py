"""`tf.distributions`: Normal, Categorical, Bernoulli. TF 2 has none, the module gets a small class.

An object of it belongs to a run, as the tensors that it holds do.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, ClassVar

from migrate.programs.graph.fetching.structures import Structure
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.wording.spelled import Spelled, same

KEY = "distributions"  # under which is remembered what they are asked for
ROOTS = (T + "distributions.", T + "contrib.distributions.")
MEANS = {"mode": "mean", "prob": "log_prob", "variance": "stddev"}  # what they're made of


@dataclass(frozen=True, slots=True)
class Distribution(Structure):
    """A distribution of tensors."""

    # Methods, and how many tensors each is given.
    METHODS: ClassVar[dict[str, int]] = {}

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """A density, a draw or a moment.

        Raises:
            Blocked: another method, or arguments that only TF 1 has.
        """
        features = walker.kept.setdefault(KEY, set())
        if attribute == "_sample_n" and len(node.args) == 1 and not node.keywords:
            func = node.func  # what `sample` calls, seen from outside: the same for one number
            assert isinstance(func, ast.Attribute)
            named = same(func.value, after=".sample")
            raise Spelled(node, "`._sample_n()` of a distribution", [(func, named)])
        if attribute == "sample":
            if len(node.args) > 1 or any(k.arg != "sample_shape" for k in node.keywords):
                raise Blocked(node, "a distribution's draw with a seed or a name")
            if any(walker.expression(v).kind is not Kind.HOST for v in _given(node)):
                raise Blocked(node, "how much is drawn of a distribution isn't Python's")
            walker.sink.random = True
            features.add("sample")
            return Value(Kind.TENSOR)
        if self.METHODS.get(attribute) != len(node.args) or node.keywords:
            raise Blocked(node, f"`.{attribute}()` of a distribution isn't followed")
        walker.join([walker.expression(v) for v in node.args], node)
        features |= {attribute, MEANS.get(attribute, attribute)}
        return Value(Kind.TENSOR)


@dataclass(frozen=True, slots=True)
class Normal(Distribution):
    """A normal distribution of tensors."""

    METHODS: ClassVar[dict[str, int]] = {
        "prob": 1,
        "log_prob": 1,
        "entropy": 0,
        "mean": 0,
        "mode": 0,
        "stddev": 0,
        "variance": 0,
    }


@dataclass(frozen=True, slots=True)
class Categorical(Distribution):
    """A distribution over categories, by the tensor of their logits or probabilities."""

    METHODS: ClassVar[dict[str, int]] = {"prob": 1, "log_prob": 1, "entropy": 0, "mode": 0}


@dataclass(frozen=True, slots=True)
class Bernoulli(Distribution):
    """A distribution over 0 and 1, by the tensor of its logits or probabilities."""

    METHODS: ClassVar[dict[str, int]] = {
        "prob": 1,
        "log_prob": 1,
        "entropy": 0,
        "mean": 0,
        "mode": 0,
        "stddev": 0,
        "variance": 0,
    }


@family(*(root + "Normal" for root in ROOTS))
def normal(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A distribution by its mean and its standard deviation."""
    return _made(walker, endpoint, node, Normal, ("loc", "scale"))


@family(*(root + "Categorical" for root in ROOTS))
def categorical(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A distribution by its logits or its probabilities."""
    return _made(walker, endpoint, node, Categorical, ("logits", "probs"))


@family(*(root + "Bernoulli" for root in ROOTS))
def bernoulli(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A distribution of how likely 1 is, by its logits or its probabilities."""
    return _made(walker, endpoint, node, Bernoulli, ("logits", "probs"))


def _made(
    walker: Any, endpoint: str, node: ast.Call, kind: type[Distribution], names: tuple[str, str]
) -> Value:
    given = walker.bound(endpoint, node)
    for argument, value in given.items():
        if argument not in (*names, "name"):
            raise Blocked(value, f"`{argument}` of a distribution")
    values = [walker.expression(given[n]) for n in names if n in given]
    walker.join(values, node)
    _written(walker, kind.__name__, node)
    return Value(Kind.TENSOR, kind(dict.fromkeys(names, Value(Kind.TENSOR))))


@family(*(root + "kl_divergence" for root in ROOTS))
def divergence(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """How far a normal distribution is from another one."""
    given = walker.bound(endpoint, node)
    for argument, value in given.items():
        if argument not in ("distribution_a", "distribution_b", "name"):
            raise Blocked(value, f"`{argument}` of a divergence")
        if argument != "name" and not isinstance(walker.expression(value).data, Normal):
            raise Blocked(value, "a distribution that isn't seen")
    _written(walker, "kl_divergence", node)
    return Value(Kind.TENSOR)


def _given(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(k.value for k in node.keywords)]


def _written(walker: Any, name: str, node: ast.Call) -> None:
    def call(writer: Any) -> str:
        if name in writer.module.bound:
            raise Blocked(node, f"the module has a `{name}` of its own")
        writer.module.recurrent.need(name)
        parts = [writer.source(value) for value in node.args]
        parts += [f"{k.arg}={writer.source(k.value)}" for k in node.keywords if k.arg != "name"]
        return f"{name}({', '.join(parts)})"

    walker.rewrites[id(node)] = call
