"""TFM302 contrib-alias: a name given to a part of `tf.contrib`, all of whose uses moved.

`tfe = tf.contrib.eager` fails in TF 2.21 before anything else does. Where every use of the name is
rewritten, the assignment goes, as an import of the same would; while one is left it stays, and the
finding at the assignment says why the program can't run.

https://www.tensorflow.org/guide/migrate/upgrade
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.calls import layout
from migrate.engine.findings import Edit, Level
from migrate.engine.imports import remove_line
from migrate.engine.names import Binding, Reference
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, FileContext, Site
from migrate.engine.trees import walk

BATCHES = Rule(
    "TFM303",
    "contrib-batches",
    "tf.contrib.data's batches without a remainder",
    module=__name__,
    doc="""TFM303 contrib-batches: `tf.contrib.data.batch_and_drop_remainder` and its padded kin.

They were what one passed to `dataset.apply`; `dataset.batch` has `drop_remainder` itself since
TensorFlow 1.10. A function that calls it takes their place.

https://www.tensorflow.org/api_docs/python/tf/data/Dataset#batch
""",
    url="https://www.tensorflow.org/api_docs/python/tf/data/Dataset#batch",
)
TABLE = Rule(
    "TFM304",
    "contrib-mutable-table",
    "tf.contrib.lookup.MutableHashTable",
    module=__name__,
    doc="""TFM304 contrib-mutable-table: `tf.contrib.lookup.MutableHashTable` got a core name.

It is `tf.lookup.experimental.MutableHashTable`, which takes the same arguments.

https://www.tensorflow.org/api_docs/python/tf/lookup/experimental/MutableHashTable
""",
    url="https://www.tensorflow.org/api_docs/python/tf/lookup/experimental/MutableHashTable",
)
ALIAS = Rule(
    "TFM302",
    "contrib-alias",
    "a name for a part of tf.contrib, all of whose uses moved",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/migrate/upgrade",
)


@TABLE.endpoint("tensorflow.contrib.lookup.MutableHashTable")
@TABLE.compat("tensorflow.contrib.lookup.MutableHashTable")
def table(site: Site) -> Result | None:
    """The same table; in a graph it stays in it."""
    name = "lookup.experimental.MutableHashTable"
    if site.level is Level.COMPAT:
        result = site.renamed_result(TABLE, f"{V1}.{name}")
        result.switch = True
        return result
    if not site.file.eager:
        return site.result(TABLE, f"{site.shown} is read in a session", blocks=True)
    return site.renamed_result(TABLE, f"tensorflow.{name}")


DROPPING = {
    "tensorflow.contrib.data.batch_and_drop_remainder": "batch",
    "tensorflow.contrib.data.padded_batch_and_drop_remainder": "padded_batch",
}


@BATCHES.endpoint(*DROPPING)
@BATCHES.compat(*DROPPING)
def batches(site: Site) -> Result | None:
    """Give `apply` a function that batches."""
    call, method = site.call, DROPPING[site.endpoint]
    instead = f"dataset.{method}(…, drop_remainder=True)"
    start, end = site.file.index.span(site.node)
    if call is None or not _applied(site.file.tree, call) or _hides(call):
        return site.result(BATCHES, f"{site.shown} is gone; instead: {instead}", blocks=True)
    bound = layout(site.file.text, site.file.index, call)
    last = bound.pieces[-1].end
    result = site.result(
        BATCHES,
        f"{site.shown} is gone; {method}() can drop the remainder",
        fix=instead,
        edits=[
            Edit(start, end, f"lambda dataset: dataset.{method}"),
            Edit(last, last, ", drop_remainder=True"),
        ],
        drops=True,
    )
    result.switch = site.level is Level.COMPAT
    return result


def _applied(tree: ast.Module, call: ast.Call) -> bool:
    """Whether it is what a dataset's `apply` is given."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "apply"
        and node.args[:1] == [call]
        for node in walk(tree)
    )


def _hides(call: ast.Call) -> bool:
    """Whether its arguments can't be seen, or are called what the function calls its own."""
    parts: list[ast.expr] = [*call.args, *(k.value for k in call.keywords)]
    return (
        not parts
        or any(isinstance(a, ast.Starred) for a in call.args)
        or any(k.arg is None for k in call.keywords)
        or any(isinstance(n, ast.Name) and n.id == "dataset" for p in parts for n in walk(p))
    )


@ALIAS.file
def aliases(file: FileContext) -> Iterator[Result]:
    """Take the assignments away whose uses are gone."""
    drops = {id(r.drops): r for r in file.results if r.drops is not None}
    lost = {id(r.node): r for r in file.results}
    for ref in reversed(file.names.references):  # a name of a name is assigned behind it
        result = lost.get(id(ref.node))
        if result is None or not ref.name.startswith("tensorflow.contrib"):
            continue
        stmt = _assignment(ref)
        uses = [] if stmt is None else _uses(file, stmt)
        if stmt is None or not uses or not all(id(use.root) in drops for use in uses):
            continue
        file.results.remove(result)
        gone = Result(
            ALIAS,
            ref.node,
            f"{ref.name.replace('tensorflow', 'tf', 1)} is gone, and so are all uses of its name",
            result.endpoint,
            "nothing",
            [remove_line(file, stmt)],
            applicability=ALIAS.applicability,
            switch=file.level is Level.COMPAT,
            drops=ref.root,
            requires=[drops[id(use.root)] for use in uses],
        )
        drops[id(ref.root)] = gone
        yield gone


def _assignment(ref: Reference) -> ast.Assign | None:
    """The `name = chain` whose value a reference is."""
    stmt = ref.stmt
    if isinstance(stmt, ast.Assign) and stmt.value is ref.node and len(stmt.targets) == 1:
        if isinstance(stmt.targets[0], ast.Name):
            return stmt
    return None


def _uses(file: FileContext, stmt: ast.Assign) -> list[Reference]:
    def mine(binding: Binding) -> bool:
        return binding.kind == "alias" and binding.stmt is stmt

    return [r for r in file.names.references if any(mine(b) for b in r.bindings)]
