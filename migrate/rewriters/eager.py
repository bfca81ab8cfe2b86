"""TFM410 eager-tf1: eager execution as TF 1 had it, and `tf.contrib.eager`.

TF 2 is eager from the start: the call that switched it on goes, and what `tf.contrib.eager` had is
spelled with TF 2's own names: `tfe.Iterator(dataset)` is `iter(dataset)`, whose `get_next()` is
still there, and `tfe.defun` is `tf.function`. A call of `enable_eager_execution` that is given a
configuration is kept, from `tf.compat.v1`, where it works.

https://www.tensorflow.org/guide/eager
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.findings import Edit, Level
from migrate.engine.imports import remove_line
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, Site
from migrate.rewriters.arguments import change_to
from migrate.rewriters.eager_datasets import shadowed
from migrate.symbols.outcomes import Arguments

EAGER = Rule(
    "TFM410",
    "eager-tf1",
    "eager execution as TF 1 had it",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/eager",
)
SWITCHES = (
    "tensorflow.enable_eager_execution",
    "tensorflow.enable_v2_behavior",
    "tensorflow.contrib.eager.enable_eager_execution",
)
VARIABLE = "tensorflow.contrib.eager.Variable"
COLLECTIONS = ("an eager variable is in no collection", "None")
TAKEN = Arguments(
    "tensorflow.Variable",
    removed={
        "collections": COLLECTIONS,
        "distribute_strategy": ("a strategy's scope says it", "None"),
        "expected_shape": ("TF 1 ignored it", "*"),
        "use_resource": ("eager variables always were", "*"),
    },
    keyword_from=2,
)
DEFUN = Arguments(
    "tensorflow.function",
    renamed={"experimental_relax_shapes": "reduce_retracing"},
    keyword_from=3,
)


def is_statement(site: Site) -> bool:
    """Whether the call is a whole statement."""
    stmt = site.ref.stmt
    return isinstance(stmt, ast.Expr) and stmt.value is site.call


@EAGER.endpoint(*SWITCHES)
def switch(site: Site) -> Result | None:
    """Drop the call; keep one that configures something."""
    configured = False
    if site.call is not None:
        values = [*site.call.args, *(k.value for k in site.call.keywords)]
        configured = any(not (isinstance(v, ast.Constant) and v.value is None) for v in values)
    commented = "#" in site.file.source(site.ref.stmt)
    if not is_statement(site) or configured or commented or site.ref.literal is not None:
        name = site.endpoint.rpartition(".")[2]
        why = "it is given a configuration" if configured else "more than a call stands there"
        return site.renamed_result(
            EAGER, f"{V1}.{name}", f"{site.shown} is only in tf.compat.v1: {why}"
        )
    return site.result(
        EAGER,
        f"{site.shown}: TF 2 is eager from the start",
        fix="nothing",
        edits=[remove_line(site.file, site.ref.stmt)],
        drops=True,
    )


# -- tf.contrib.eager --------------------------------------------------------------------


@EAGER.endpoint(VARIABLE, "tensorflow.Variable")
def variable(site: Site) -> Result | None:
    """An eager variable; in a graph program it stays with its graph."""
    if not site.file.eager:
        return site.result(EAGER, f"{site.shown} belongs to a graph and its session", blocks=True)
    if site.call is None:  # isinstance, a base class, an annotation
        return site.renamed_result(EAGER, TAKEN.target) if site.endpoint == VARIABLE else None
    result = change_to(site, TAKEN, TAKEN.target)
    return _unless_idle(result, site)


@EAGER.compat(VARIABLE)
def variable_in_graph(site: Site) -> Result | None:
    """TF 1's own class, told to be a resource where it isn't eager."""
    target = f"{V1}.Variable"
    if site.call is None:
        return _switched(site.renamed_result(EAGER, target))
    try:
        call = site.bind()
    except Unbound as error:
        return site.result(EAGER, f"{site.shown}: {error}")
    if "distribute_strategy" in call.args or call.hidden:
        return site.result(EAGER, f"{site.shown}: what it is given can't be moved")
    if not site.file.eager:
        call.append("use_resource=True")
    result = site.renamed_result(EAGER, target)
    result.edits.extend(call.finish(lambda place, _: place < 6))
    return _switched(result)


@EAGER.endpoint("tensorflow.contrib.eager.defun")
@EAGER.compat("tensorflow.contrib.eager.defun")
def defun(site: Site) -> Result | None:
    """`tf.function`, which traces and converts control flow as `defun` did."""
    if site.call is None:
        result: Result | None = site.renamed_result(EAGER, DEFUN.target)
    else:
        result = change_to(site, DEFUN, DEFUN.target)
    return _switched(result) if site.level is Level.COMPAT else result


@EAGER.endpoint("tensorflow.contrib.eager.Iterator")
@EAGER.compat("tensorflow.contrib.eager.Iterator")
def iterator(site: Site) -> Result | None:
    """`iter(dataset)`."""
    if site.call is None or site.call.keywords or len(site.call.args) != 1 or shadowed(site.file):
        return site.result(EAGER, f"{site.shown} is gone; instead: iter(dataset)", blocks=True)
    start, end = site.file.index.span(site.node)
    edits = [Edit(start, end, "iter")]
    return site.result(EAGER, f"{site.shown} is iter()", fix="iter()", edits=edits, drops=True)


@EAGER.endpoint("tensorflow.contrib.eager.num_gpus")
@EAGER.compat("tensorflow.contrib.eager.num_gpus")
def num_gpus(site: Site) -> Result | None:
    """Count the devices."""
    target, imports = site.spell("tensorflow.config.list_logical_devices")
    if site.call is None or site.call.args or site.call.keywords:
        return site.result(EAGER, f"{site.shown} is gone; instead: {target}('GPU')", blocks=True)
    start, end = site.file.index.span(site.call)
    return site.result(
        EAGER,
        f"{site.shown} is the number of logical devices",
        fix="len(tf.config.list_logical_devices('GPU'))",
        edits=[Edit(start, end, f'len({target}("GPU"))')],
        imports=imports,
        drops=target.partition(".")[0] != site.ref.root.id,
    )


@EAGER.endpoint("tensorflow.contrib.eager.Checkpoint", "tensorflow.train.Checkpoint")
def checkpoint(site: Site) -> Result | None:
    """Object-based checkpoints of an eager program: the same files."""
    target = "tensorflow.train.Checkpoint"
    if not site.file.eager:
        return site.result(EAGER, f"{site.shown}: restores in a session in graph mode", blocks=True)
    return site.renamed_result(EAGER, target) if site.endpoint != target else None


# -- helpers -----------------------------------------------------------------------------


def _switched(result: Result | None) -> Result | None:
    if result is not None:
        result.switch = True
    return result


def _unless_idle(result: Result | None, site: Site) -> Result | None:
    """None where a call has nothing to change."""
    if result is None or result.edits or result.blocks or site.endpoint == VARIABLE:
        return result
    return None
