"""`dataset.apply(shuffle_and_repeat(…))` without a seed: `dataset.shuffle(…).repeat(…)`.

https://www.tensorflow.org/api_docs/python/tf/data/experimental/shuffle_and_repeat
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.rewriters.estimators.program import READERS, Program


def written(program: Program, call: ast.Call) -> None:
    """Write the two methods for what `apply` is given; with a seed it stays, and is said."""
    above = program.scopes.parents[id(call)]
    if not isinstance(above, ast.Call) or not isinstance(above.func, ast.Attribute):
        return
    given = program.given(call)
    if above.func.attr != "apply" or above.args != [call] or above.keywords:
        return
    seed = given.pop("seed", None)
    none = isinstance(seed, ast.Constant) and seed.value is None
    if (seed is not None and not none) or set(given) - {"buffer_size", "count"}:
        return
    size, count = given.get("buffer_size"), given.get("count")
    if size is None:
        return
    said = program.text.source(count) if count is not None else ""
    new = f".shuffle({program.text.source(size)}).repeat({'' if said == 'None' else said})"
    end = program.text.index.span(above.func.value)[1]
    dot = program.text.text.index(".apply", end)  # it may stand in the next line
    program.edits.append(Edit(dot, program.text.index.span(above)[1], new))


for _home in ("contrib.data", "data.experimental"):
    READERS[f"tensorflow.{_home}.shuffle_and_repeat"] = written
