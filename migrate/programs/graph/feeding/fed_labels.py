"""Labels that are only fed: nothing flows back to them, in a cross entropy of TF 2 either."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import INPUT, Kind, Value

CROSS_ENTROPY = T + "nn.softmax_cross_entropy_with_logits"
SEEN = frozenset({"labels", "logits", "name"})


def noted(walker: Any, name: str, node: ast.Call, values: Sequence[Value]) -> None:
    """A cross entropy with labels that a run is fed, at all calls of its function, is TF 2's.

    TF 1's stopped the gradient of its labels: that says nothing here, where no gradient by a
    tensor is taken.
    """
    if name != CROSS_ENTROPY or node.args:
        return
    spoilt: set[int] = walker.kept.setdefault(("labels computed",), set())
    given = dict(zip((k.arg for k in node.keywords), values, strict=True))
    labels = given.get("labels")
    fed = labels is not None and labels.kind is Kind.PLACEHOLDER and labels.data != INPUT
    if not fed or not set(given) <= SEEN or T + "gradients" in walker.endpoints.values():
        spoilt.add(id(node))
    if id(node) in spoilt:
        walker.rewrites.pop(id(node.func), None)
    else:
        walker.rewrites[id(node.func)] = lambda w: f"{w.tf}.nn.softmax_cross_entropy_with_logits"
