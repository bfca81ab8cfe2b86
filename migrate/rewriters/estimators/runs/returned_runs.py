"""What `train_and_evaluate` gives isn't returned where nobody reads it.

def run(args):                              def run(args):
    …                                           …
    return tf.estimator.train_and_evaluate(     tf.estimator.train_and_evaluate(
        net, train_spec, eval_spec)                 net, train_spec, eval_spec)

run(parser.parse_args())                    run(parser.parse_args())
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from migrate.rewriters.sessions.text import Text

RUN = "tensorflow.estimator.train_and_evaluate"


def edits(
    tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str], others: str = ""
) -> Iterator[Edit]:
    """The edits; ``others``: the program's other files."""
    for function in (s for s in tree.body if isinstance(s, ast.FunctionDef)):
        last = function.body[-1]
        if not isinstance(last, ast.Return) or called(last.value) != RUN:
            continue
        if function.name in others or function.decorator_list:
            continue
        alone = {id(s.value.func) for s in all_of(tree, ast.Expr) if isinstance(s.value, ast.Call)}
        uses = [n for n in all_of(tree, ast.Name) if n.id == function.name]
        said = any(n.value == function.name for n in all_of(tree, ast.Constant))
        if uses and not said and all(id(n) in alone for n in uses):
            start = text.index.span(last)[0]
            assert last.value is not None
            yield Edit(start, text.index.span(last.value)[0], "")
