"""Where layers of branches are made: the branches' tests, as far as `__init__` can ask them.

if rate is not None and mode == TRAIN:          if rate is not None:
    net = tf.layers.dropout(net, rate)              self.dropout = tf.keras.layers.Dropout(rate)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import walk

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers

#: What stands in parentheses behind `not`, and beside `and`.
GROUPED = (ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.BinOp)
WIDE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)


def asked(owner: Layers, stmt: ast.If) -> list[ast.expr]:
    """What a branch asks that makes layers: all that it asks, or what isn't the mode.

    One with layers in its other way asks for all.
    """
    beside = any(id(n) in owner.calls for s in stmt.orelse for n in walk(s))
    return [stmt.test] if beside else owner.tests.settings(stmt.test)


def said(owner: Layers, tests: Sequence[ast.expr]) -> str:
    """Tests that all have to hold, as one."""
    if len(tests) == 1:
        return str(owner.text.source(tests[0]))
    sources = [(owner.text.source(t), isinstance(t, WIDE)) for t in tests]
    return " and ".join(f"({s})" if wide else s for s, wide in sources)


def tests(owner: Layers, call: ast.Call) -> list[ast.expr]:
    """The tests that a layer is made behind."""
    found: list[ast.expr] = []
    inner: ast.AST = call
    for above in owner.program.scopes.around(call):
        if isinstance(above, ast.If) and not owner.tests.tells(above.test):
            found += asked(owner, above) if inner in above.body else [above.test]
        inner = above
    return found


def condition(owner: Layers, call: ast.Call, loop: ast.For) -> str:
    """Where in a loop a layer is made: its branches, as a test; nothing in all rounds.

    A round without the layer has `None` in its list, so that lists stay as long as the loop.
    """
    found: list[tuple[str, bool]] = []
    inner: ast.AST = call
    for above in owner.program.scopes.around(call):
        if above is loop:
            break
        if isinstance(above, ast.If) and not owner.tests.tells(above.test):
            if inner in above.body:
                parts = asked(owner, above)
                wide = len(parts) > 1 or isinstance(parts[0], ast.BoolOp)
                found.append((said(owner, parts), wide))
            else:
                test = owner.text.source(above.test)
                grouped = f"({test})" if isinstance(above.test, GROUPED) else test
                found.append((f"not {grouped}", False))
        inner = above
    alone = len(found) == 1
    texts = [f"({t})" if wide and not alone else t for t, wide in reversed(found)]
    return re.sub(r"\s*\n\s*", " ", " and ".join(texts))


def conditioned(owner: Layers, source: str, call: ast.Call, loop: ast.For) -> str:
    """A layer's source in a loop: in rounds that make none it is `None`."""
    test = condition(owner, call, loop)
    return f"{source} if {test} else None" if test else source
