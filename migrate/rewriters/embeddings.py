"""TFM215 partition-strategy: embeddings split into a list were dealt out; TF 2 cuts them in runs.

https://www.tensorflow.org/api_docs/python/tf/nn/embedding_lookup

TF 1's `partition_strategy` was "mod" unless said otherwise, TF 2 knows only "div". For one tensor
or variable both are the same, so the argument goes where the weights provably are one. For weights
that may be a list TF 1's function is kept from `tf.compat.v1`.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.engine.values import values_of
from migrate.rewriters.arguments import change_to
from migrate.rewriters.kept import keep
from migrate.symbols.outcomes import ALWAYS, Arguments

PARTITION = Rule(
    "TFM215",
    "partition-strategy",
    "embeddings that may be a list of partitions",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/nn/embedding_lookup",
)
# Function -> its weights, the first argument that moved, the default strategy.
WEIGHTS = {
    "embedding_lookup": ("params", 2, "mod"),
    "embedding_lookup_sparse": ("params", 3, "mod"),
    "nce_loss": ("weights", 9, "mod"),
    "safe_embedding_lookup_sparse": ("embedding_weights", 5, "div"),
    "sampled_softmax_loss": ("weights", 9, "mod"),
}
REMOVED = {
    "partition_strategy": ("it doesn't matter for a single tensor", ALWAYS),
    "validate_indices": ("indices are always validated", ALWAYS),
}


@PARTITION.endpoint(*(f"tensorflow.nn.{name}" for name in WEIGHTS))
def lookup(site: Site) -> Result | None:
    """Drop the strategy where there is nothing to partition."""
    name, first, default = WEIGHTS[site.endpoint.rpartition(".")[2]]
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, PARTITION, str(error))
    weights = call.get(name)
    if call.hidden or weights is None:
        return keep(site, PARTITION, "its arguments can't be seen")
    strategy = call.get("partition_strategy")
    runs = default == "div" and (strategy is None or _is(strategy.value, "div"))
    if not runs and not _single(site, weights.value):
        return keep(site, PARTITION, "weights that are a list are partitioned otherwise in TF 2")
    change = Arguments(site.endpoint, removed=REMOVED, keyword_from=first)
    return change_to(site, change, site.endpoint)


def _single(site: Site, node: ast.expr) -> bool:
    """Whether weights provably are one tensor or variable."""
    if isinstance(node, ast.List):
        return len(node.elts) == 1 and not isinstance(node.elts[0], ast.Starred)
    if "partitioner" in site.file.text:
        return False  # a variable may be a list of parts
    return values_of(site.file).kind(node, site.ref.scope) in ("tensor", "variable")


def _is(value: ast.expr, text: str) -> bool:
    return isinstance(value, ast.Constant) and value.value == text
