"""TFM410 eager-tf1: eager execution as TF 1 had it, with `tf.contrib.eager` and one-shot iterators.

TF 2 is eager from the start: the call that switched it on goes, and what `tf.contrib.eager` had is
spelled with TF 2's own names. `tfe.Iterator(dataset)` and `dataset.make_one_shot_iterator()` were
what `iter(dataset)` is; `get_next()` is still there. `tfe.defun` is `tf.function`. A call of
`enable_eager_execution` that is given a configuration is kept, from `tf.compat.v1`, where it works.

https://www.tensorflow.org/guide/eager
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.findings import Edit, Level
from migrate.engine.imports import remove_line
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, FileContext, MethodSite, Site
from migrate.rewriters.arguments import change_to
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
    if not is_statement(site) or configured or site.ref.literal is not None:
        name = site.endpoint.rpartition(".")[2]
        why = "it is given a configuration" if configured else "it is used as a value"
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
    if site.call is None or site.call.keywords or len(site.call.args) != 1 or _shadowed(site.file):
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


# -- datasets ----------------------------------------------------------------------------


@EAGER.endpoint(
    "tensorflow.data.Dataset",
    "tensorflow.data.FixedLengthRecordDataset",
    "tensorflow.data.TFRecordDataset",
    "tensorflow.data.TextLineDataset",
)
def dataset(site: Site) -> Result | None:
    """The same transformations; how it is read is judged where that is done."""
    for use in site.file.names.methods:
        if use.node.attr in TYPES and not _defined(site.file, use.node.attr):
            return site.result(
                EAGER,
                f"{site.shown} may be asked for {use.node.attr}, which TF 2's datasets lack",
                blocks=True,
            )
    return None


TYPES = ("output_types", "output_shapes", "output_classes")


@EAGER.method(*TYPES, "make_initializable_iterator")
def only_graph(site: MethodSite) -> Result | None:
    """Collected for the datasets; an initializer needs a session."""
    attr = site.use.node.attr
    if attr in TYPES or site.level is Level.COMPAT or not site.file.tf1:
        return None
    if _defined(site.file, attr) or site.use.call is None:
        return None
    return EAGER.report(site.use.node, f"{attr}() needs a session that runs its initializer")


@EAGER.method("make_one_shot_iterator")
def one_shot(site: MethodSite) -> Result | None:
    """`iter(dataset)` in an eager program."""
    use, file = site.use, site.file
    if site.level is Level.COMPAT or not file.tf1 or _defined(file, use.node.attr):
        return None
    if any(r.node is use.node for r in file.names.references):
        return None  # tf.data.make_one_shot_iterator
    call = use.call
    if not file.eager or call is None or call.args or call.keywords or _shadowed(file):
        return EAGER.report(use.node, "make_one_shot_iterator() is read by a session")
    _, end = file.index.span(use.node.value)
    start, last = file.index.span(call)
    dot = file.text.rindex(".", end, file.index.span(use.node)[1])
    between = file.text[end:dot]  # parentheses of the dataset's own, line breaks
    end = dot if "#" in between else end + between.rfind(")") + 1
    edits = [Edit(start, start, "iter("), Edit(end, last, ")")]
    return EAGER.fixed(use.node, "TF 2's datasets iterate by themselves", "iter(dataset)", edits)


@EAGER.endpoint("tensorflow.data.make_one_shot_iterator")
def one_shot_function(site: Site) -> Result | None:
    """The function of the same name."""
    if not site.file.eager or site.call is None or _shadowed(site.file):
        return site.result(EAGER, f"{site.shown} is read by a session", blocks=True)
    start, end = site.file.index.span(site.node)
    edits = [Edit(start, end, "iter")]
    return site.result(EAGER, f"{site.shown} is iter()", fix="iter()", edits=edits, drops=True)


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


def _defined(file: FileContext, name: str) -> bool:
    return any(
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name
        for node in ast.walk(file.tree)
    )


def _shadowed(file: FileContext) -> bool:
    """Whether `iter` is something else in this file."""
    return any(
        (isinstance(node, ast.Name) and node.id == "iter" and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.FunctionDef) and node.name == "iter")
        or (isinstance(node, ast.arg) and node.arg == "iter")
        for node in ast.walk(file.tree)
    )


