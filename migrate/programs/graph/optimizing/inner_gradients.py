"""``tf.gradients`` of helpers: a function of TF 2 that calls them has it as well.

def net_u(self, x, t):
    u = self.neural_net(tf.concat([x, t], 1))
    u_x = tf.gradients(u, x)[0]
    return u, u_x

Inside of a `tf.function` the op is 1.15's, and a tape around it sees what it computes
(https://www.tensorflow.org/api_docs/python/tf/gradients). Where that isn't enough, for gradients by
variables, say, helpers are written where they are called, with a tape.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from migrate.engine.document import Document
from migrate.engine.names import Names
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import RUNTIME, Blocked, Kind, Value

KEPT = ("gradients that helpers keep",)
KNOWN = frozenset({"ys", "xs", "grad_ys", "name"})
WHERE = frozenset({"colocate_gradients_with_ops", "gate_gradients", "aggregation_method"})


@dataclass(slots=True)
class Inner:
    """That helpers keep the gradients that they take, and whether that mattered."""

    mattered: bool = False


def taken(files: Sequence[tuple[Document, Names]]) -> Inner | None:
    """A way to follow a program whose functions take gradients."""
    found = any(
        any(
            ref.name == T + "gradients" and ref.scope.kind == "function" for ref in names.references
        )
        for _, names in files
    )
    return Inner() if found else None


def kept(walker: Any, node: ast.Call) -> Value | None:
    """The gradients as tensors that a helper computes; None where they are something else."""
    if walker.inner is None or walker.frame.region is not None:
        return None
    if not isinstance(walker.frame.node, ast.FunctionDef):
        return None
    named = {k.arg: k.value for k in node.keywords}
    if len(node.args) > 3 or None in named or set(named) - KNOWN - WHERE:
        return None
    given = dict(zip(("ys", "xs", "grad_ys"), node.args, strict=False)) | named
    values = [walker.expression(given[name]) for name in ("ys", "xs", "grad_ys") if name in given]
    xs = given.get("xs")
    parts = xs.elts if isinstance(xs, (ast.List, ast.Tuple)) else [xs]
    if "ys" not in given or not all(isinstance(part, ast.Name) for part in parts):
        return None
    if not all(v.kind in (*RUNTIME, Kind.TENSOR) for v in values):
        return None
    walker.kept.setdefault(KEPT, set()).add(id(node))
    walker.inner.mattered = True
    return Value(Kind.TENSOR, "container", node=node)


def check(walker: Any, node: ast.AST) -> None:
    """See that what is written as a plain function calls no helper that takes gradients.

    Raises:
        Blocked: it may, and `tf.gradients` isn't for eager execution.
    """
    if KEPT in walker.kept:
        raise Blocked(node, "gradients that a helper takes outside of a `tf.function`")


def only(walker: Any, node: ast.AST) -> bool:
    """Whether an endpoint is no reason to write a helper where it is called."""
    if walker.inner is None or walker.endpoints.get(id(node)) != T + "gradients":
        return False
    walker.inner.mattered = True
    return True
