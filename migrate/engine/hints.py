"""Type hints that name TensorFlow: ``def net(x: tf.Tensor) -> tf.Tensor``.

What makes variables, runs a session or has attributes isn't given tensors any more once its
session is a function, and returns something else: its hints go. A function that only computes is
called as before, and keeps them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.trees import all_of, walk

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Endpoints of graphs and state, by how they begin.
STATE = tuple(
    f"tensorflow.{name}"
    for names in (
        "layers. contrib. keras. train. summary. data. metrics. nn.rnn_cell nn.dyn nn.static_rnn",
        "nn.bidirectional get_variable Variable variable_scope placeholder sparse_placeholder",
        "Session InteractiveSession get_default_session get_default_graph Graph global_variables",
        "local_variables trainable_variables get_collection assign make_template gradients",
    )
    for name in names.split()
)


def hints_of(tree: ast.AST) -> Iterator[ast.expr]:
    """The type hints of a file."""
    for node in walk(tree):
        if isinstance(node, FUNCTIONS) and node.returns is not None:
            yield node.returns
        elif isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
            yield node.annotation


def is_hint(tree: ast.AST, node: ast.AST) -> bool:
    """Whether a node stands in a type hint."""
    return any(n is node for hint in hints_of(tree) for n in walk(hint))


def dropped(document: Document, names: Names) -> Iterator[Edit]:
    """The edits without the hints that don't hold once sessions are functions."""
    endpoints = {id(r.node): r.name for r in names.references if r.name.startswith("tensorflow.")}
    hints = {id(hint) for hint in hints_of(document.tree) if _named(hint, endpoints)}
    hints |= {
        id(n.annotation)
        for n in all_of(document.tree, ast.AnnAssign)
        if n.value is not None and _named(n.value, endpoints)
    }
    if not hints:
        return
    kept = {id(n) for one in _pure(document.tree, endpoints) for n in walk(one)}
    text, span = document.text, document.index.span
    for node in walk(document.tree):
        hint, sign = (node.returns, "->") if isinstance(node, FUNCTIONS) else (None, ":")
        before = -1
        if isinstance(node, ast.arg):
            hint, before = node.annotation, span(node)[0] + len(node.arg)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            hint, before = node.annotation, span(node.target)[1]
        if hint is None or id(hint) not in hints or id(node) in kept:
            continue
        start, end = span(hint)
        if before < 0:
            before = len(text[: text.rindex(sign, 0, start)].rstrip(" \t\r\n\\"))
        if text[before:start].strip(" \t\r\n\\") == sign:  # no bracket around it, which would stay
            yield Edit(before, end, "")


def _named(node: ast.expr, endpoints: dict[int, str]) -> bool:
    return any(id(n) in endpoints for n in walk(node))


def _pure(tree: ast.Module, endpoints: dict[int, str]) -> list[ast.AST]:
    """The functions of a file that only compute."""
    functions = {f.name: f for f in tree.body if isinstance(f, FUNCTIONS)}
    hints = {id(n) for hint in hints_of(tree) for n in walk(hint)}
    impure = {
        name
        for name, f in functions.items()
        if any(id(n) not in hints and endpoints.get(id(n), "").startswith(STATE) for n in walk(f))
        or any(isinstance(n, ast.Attribute) and n.attr in ("run", "eval") for n in walk(f))
    }
    while True:
        more = {
            name
            for name, f in functions.items()
            if name not in impure
            if any(isinstance(n, ast.Name) and n.id in impure for n in walk(f))
        }
        if not more:
            return [f for name, f in functions.items() if name not in impure]
        impure |= more
