"""TFM413 eager-datasets: a dataset of TF 1 in an eager program.

`dataset.make_one_shot_iterator()` gave what `iter(dataset)` gives, whose `get_next()` is still
there. A dataset itself is built by the same calls. What only TF 1's datasets have, an iterator that
a session initialises and the attributes `output_types`, `output_shapes` and `output_classes`, keeps
the program on `tf.compat.v1`.

https://www.tensorflow.org/guide/data
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit, Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext, MethodSite, Site
from migrate.engine.trees import walk

DATASETS = Rule(
    "TFM413",
    "eager-datasets",
    "a dataset of TF 1 in an eager program",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/data",
)
TYPES = ("output_types", "output_shapes", "output_classes")


@DATASETS.endpoint(
    "tensorflow.data.Dataset",
    "tensorflow.data.FixedLengthRecordDataset",
    "tensorflow.data.TFRecordDataset",
    "tensorflow.data.TextLineDataset",
    "tensorflow.data.experimental.CsvDataset",
)
def dataset(site: Site) -> Result | None:
    """The same transformations; how it is read is judged where that is done."""
    for use in site.file.names.methods:
        if use.node.attr in TYPES and not _defined(site.file, use.node.attr):
            return site.result(
                DATASETS,
                f"{site.shown} may be asked for {use.node.attr}, which TF 2's datasets lack",
                blocks=True,
            )
    return None


@DATASETS.method(*TYPES, "make_initializable_iterator")
def only_graph(site: MethodSite) -> Result | None:
    """Collected for the datasets; an initializer needs a session."""
    attr = site.use.node.attr
    if attr in TYPES or site.level is Level.COMPAT or not site.file.tf1:
        return None
    if _defined(site.file, attr) or site.use.call is None:
        return None
    return DATASETS.report(site.use.node, f"{attr}() needs a session that runs its initializer")


@DATASETS.method("make_one_shot_iterator")
def one_shot(site: MethodSite) -> Result | None:
    """`iter(dataset)` in an eager program."""
    use, file = site.use, site.file
    if site.level is Level.COMPAT or not file.tf1 or _defined(file, use.node.attr):
        return None
    if any(r.node is use.node for r in file.names.references):
        return None  # tf.data.make_one_shot_iterator
    call = use.call
    if not file.eager or call is None or call.args or call.keywords or shadowed(file):
        return DATASETS.report(use.node, "make_one_shot_iterator() is read by a session")
    _, end = file.index.span(use.node.value)
    start, last = file.index.span(call)
    dot = file.text.rindex(".", end, file.index.span(use.node)[1])
    between = file.text[end:dot]  # parentheses of the dataset's own, line breaks
    end = dot if "#" in between else end + between.rfind(")") + 1
    edits = [Edit(start, start, "iter("), Edit(end, last, ")")]
    return DATASETS.fixed(use.node, "TF 2's datasets iterate by themselves", "iter(dataset)", edits)


@DATASETS.endpoint("tensorflow.data.make_one_shot_iterator")
def one_shot_function(site: Site) -> Result | None:
    """The function of the same name."""
    if not site.file.eager or site.call is None or shadowed(site.file):
        return site.result(DATASETS, f"{site.shown} is read by a session", blocks=True)
    start, end = site.file.index.span(site.node)
    edits = [Edit(start, end, "iter")]
    return site.result(DATASETS, f"{site.shown} is iter()", fix="iter()", edits=edits, drops=True)


def _defined(file: FileContext, name: str) -> bool:
    return any(
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name
        for node in walk(file.tree)
    )


def shadowed(file: FileContext) -> bool:
    """Whether `iter` is something else in this file."""
    return any(
        (isinstance(node, ast.Name) and node.id == "iter" and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.FunctionDef) and node.name == "iter")
        or (isinstance(node, ast.arg) and node.arg == "iter")
        for node in walk(file.tree)
    )
