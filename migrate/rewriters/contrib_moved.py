"""TFM302 contrib-alias: a name that the file gives to a part of `tf.contrib`, all of whose uses moved.

`tfe = tf.contrib.eager` fails in TF 2.21 before anything else does. Where every use of the name is
rewritten, the assignment goes, as an import of the same would; while one is left it stays, and the
finding at the assignment says why the program can't run.

https://www.tensorflow.org/guide/migrate/upgrade
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.findings import Level
from migrate.engine.imports import remove_line
from migrate.engine.names import Binding, Reference
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext

ALIAS = Rule(
    "TFM302",
    "contrib-alias",
    "a name for a part of tf.contrib, all of whose uses moved",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/migrate/upgrade",
)


@ALIAS.file
def aliases(file: FileContext) -> Iterator[Result]:
    """Take the assignments away whose uses are gone."""
    drops = {id(r.drops): r for r in file.results if r.drops is not None}
    lost = {id(r.node): r for r in file.results if r.fix is None}
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
