"""What a loop makes alike in each of its rounds stands above it: placeholders, and ops of them.

``for path in paths: given = tf.placeholder(tf.string); image = tf.image.decode_png(given)`` makes
the same part of the graph again, which the round's session runs once or twice.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording.spelled import Spelled, Written

# Of these a second one isn't what the first was, or leaves something in the graph.
MORE = (
    *("random", "dropout", "truncated", "shuffle", "multinomial", "ariable", "layers", "summary"),
    *(
        "train",
        "ession",
        "py_func",
        "numpy_function",
        "Print",
        "print",
        "assign",
        "scatter",
        "ueue",
    ),
    *("data.", "contrib", "metrics", "losses", "collection", "lookup", "table", "Graph", "graph"),
    *("initialize", "estimator", "keras", "cond", "while", "map_fn", "scan", "default", "scope"),
)


def check(walker: Any, node: ast.Call, reason: str) -> None:
    """See whether a placeholder, and what is computed of it, may stand above its loop.

    Raises:
        Spelled: it may.
    """
    loop = walker.sink.node
    if walker.frame.region is None or not isinstance(loop, (ast.For, ast.While)) or loop.orelse:
        return
    if any("raph" in walker.endpoints.get(id(n), "") for n in walk(loop)):
        return
    if walker._variables_made(loop):
        return  # each round makes a net of its own
    stores: dict[str, int] = {}
    for n in walk(walker.frame.node):
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            stores[n.id] = stores.get(n.id, 0) + 1
    bound = {n.id for n in all_of(loop, ast.Name) if not isinstance(n.ctx, ast.Load)}
    alike: set[str] = set()
    found: list[ast.Assign] = []
    for stmt in loop.body:
        match stmt:
            case ast.Assign([ast.Name(name)], ast.expr() as value) if stores[name] == 1:
                read = {n.id for n in all_of(value, ast.Name)}
                fed = walker.endpoints.get(id(getattr(value, "func", None))) == T + "placeholder"
                if (fed or read & alike) and not (read & bound) - alike and _pure(walker, value):
                    alike.add(name)
                    found.append(stmt)
    if not any(stmt.value is node for stmt in found) or len(found) == len(loop.body):
        return
    lines = [line for s in loop.body for line in (s.lineno, s.end_lineno or s.lineno)]
    if loop.body[0].lineno == loop.lineno or sorted(lines) != lines:
        return
    if len({s.lineno for s in loop.body}) < len(loop.body):
        return
    gone: list[Written] = [(stmt, lambda _: "") for stmt in found]
    raise Spelled(node, reason, gone, [(loop, lambda source: [source(s) for s in found])])


def _pure(walker: Any, value: ast.expr) -> bool:
    """Whether an expression calls TensorFlow's ops only, one of which is as good as another."""
    whole = {id(m) for n in walk(value) if id(n) in walker.endpoints for m in walk(n)}
    for n in walk(value):
        if isinstance(n, ast.Attribute) and id(n) not in whole:
            return False  # an object's, which a round may change
        if isinstance(n, ast.Call):
            endpoint = walker.endpoints.get(id(n.func), "")
            if not endpoint or any(word in endpoint.removeprefix(T) for word in MORE):
                return False
        elif isinstance(n, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.Yield, ast.Await)):
            return False
    return True
