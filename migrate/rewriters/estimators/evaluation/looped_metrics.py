"""Metrics that a loop over constants makes are said one by one.

KINDS = ['cat', 'dog']
for i, kind in enumerate(KINDS):            metrics['recall_cat'] = tf.metrics.recall(
    metrics['recall_%s' % kind] =               tf.equal(labels, 0), tf.equal(classes, 0))
        tf.metrics.recall(                  metrics['recall_dog'] = tf.metrics.recall(
            tf.equal(labels, i),                tf.equal(labels, 1), tf.equal(classes, 1))
            tf.equal(classes, i))
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.syntax import stores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from migrate.rewriters.sessions.text import Text

MOST = 20  # rounds


def edits(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """The edits that say the rounds of such loops one after the other."""
    for function in all_of(tree, ast.FunctionDef):
        for stmt in (n for n in walk(function) if isinstance(n, ast.For)):
            if stmt.orelse or not all(_metric(s, called) for s in stmt.body):
                continue
            names = stores(stmt.target)
            others = [n for n in all_of(function, ast.Name) if n.id in names]
            inside = {id(n) for n in walk(stmt)}
            rounds = _rounds(tree, stmt)
            if rounds and all(id(n) in inside for n in others):
                yield _written(stmt, rounds, text)


def _metric(stmt: ast.stmt, called: Callable[[ast.AST | None], str]) -> bool:
    """Whether a statement puts a metric into a dict."""
    plain = isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript)
    return plain and called(getattr(stmt, "value", None)).startswith("tensorflow.metrics.")


def _rounds(tree: ast.Module, stmt: ast.For) -> list[dict[str, object]]:
    """What a loop's names are in each round; nothing where that isn't seen."""
    items, counted = stmt.iter, False
    if isinstance(items, ast.Call) and ast.unparse(items.func) == "enumerate":
        if len(items.args) != 1 or items.keywords:
            return []
        items, counted = items.args[0], True
    values = _values(tree, items)
    if values is None or len(values) > MOST:
        return []
    names = stmt.target.elts if isinstance(stmt.target, ast.Tuple) else [stmt.target]
    if not all(isinstance(n, ast.Name) for n in names) or len(names) != 1 + counted:
        return []
    words = [n.id for n in names if isinstance(n, ast.Name)]
    each = enumerate(values) if counted else ((v,) for v in values)
    return [dict(zip(words, row, strict=True)) for row in each]


def _values(tree: ast.Module, node: ast.expr) -> list[object] | None:
    """Numbers and texts that an expression goes through."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "range":
        ends = [_constant(tree, a) for a in node.args]
        if node.keywords or not all(type(e) is int for e in ends) or not 0 < len(ends) < 3:
            return None
        return list(range(*ends))  # type: ignore[call-overload]
    found = _constant(tree, node)
    return list(found) if isinstance(found, (list, tuple)) else None


def _constant(tree: ast.Module, node: ast.expr) -> object:
    """A number, a text or a list of them, also under a name that the file gives once."""
    if isinstance(node, ast.Name):
        given = [
            s
            for s in walk(tree)
            if isinstance(s, (ast.Name, ast.arg, ast.FunctionDef, ast.ClassDef, ast.alias))
            if node.id in (getattr(s, "id", ""), getattr(s, "arg", ""), getattr(s, "name", ""))
            if not isinstance(getattr(s, "ctx", None), ast.Load)
        ]
        made = [
            s.value
            for s in tree.body
            if isinstance(s, ast.Assign) and any(t is given[0] for t in s.targets if given)
        ]
        changed = any(
            isinstance(a, (ast.Attribute, ast.Subscript))
            and ast.unparse(a.value) == node.id
            and (isinstance(a, ast.Attribute) or not isinstance(a.ctx, ast.Load))
            for a in walk(tree)
        )
        return _constant(tree, made[0]) if len(given) == len(made) == 1 and not changed else None
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        values = [v.value if isinstance(v, ast.Constant) else None for v in node.elts]
        if all(isinstance(v, (int, float, str)) for v in values):
            return values
    return None


def _written(stmt: ast.For, rounds: list[dict[str, object]], text: Text) -> Edit:
    """The statements of all rounds in the place of a loop."""
    index, whole = text.index, text.piece(stmt)
    out = ""
    for values in rounds:
        for each in stmt.body:
            piece = text.piece(each, stmt.lineno)
            start = text.start(piece.line)
            source = text.text[start : text.start(piece.last + 1)]
            assert isinstance(each, ast.Assign)
            target = each.targets[0]
            assert isinstance(target, ast.Subscript)
            key = _folded(target.slice, values)
            spans = [(*index.span(target.slice), repr(key))] if key is not None else []
            inner = {id(n) for n in walk(target.slice)} if key is not None else set()
            spans += [
                (*index.span(n), repr(values[n.id]))
                for n in all_of(each, ast.Name)
                if n.id in values and id(n) not in inner
            ]
            for lo, hi, new in sorted(spans, reverse=True):
                source = source[: lo - start] + new + source[hi - start :]
            shift = len(piece.indent) - len(whole.indent)
            out += "".join(
                line[shift:] if line[:shift].isspace() else line
                for line in source.splitlines(keepends=True)
            )
    return Edit(text.start(whole.line), text.start(whole.last + 1), out)


def _folded(node: ast.expr, values: dict[str, object]) -> str | None:
    """A key, where it is made of constants and the loop's names alone."""
    found = _value(node, values)
    return found if isinstance(found, str) else None


def _value(node: ast.expr, values: dict[str, object]) -> object:
    """What an expression is in a round; None where that isn't seen."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, (int, str)) else None
    if isinstance(node, ast.Name):
        return values.get(node.id)
    if isinstance(node, ast.FormattedValue):
        plain = node.conversion == -1 and node.format_spec is None
        return _said(_value(node.value, values)) if plain else None
    if isinstance(node, ast.JoinedStr):
        return _joined([_value(part, values) for part in node.values])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([_value(node.left, values), _value(node.right, values)])
    given: list[ast.expr] = []
    form: ast.expr | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        form = node.left
        given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    elif isinstance(node, ast.Call) and not node.keywords:
        if ast.unparse(node.func) == "str" and len(node.args) == 1:
            return _said(_value(node.args[0], values))
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            form, given = node.func.value, node.args
    if not isinstance(form, ast.Constant) or not isinstance(form.value, str):
        return None
    place = "{}" if isinstance(node, ast.Call) else "%[sd]"
    parts = re.split(place.replace("{}", r"\{\}"), form.value)
    said = [_said(_value(g, values)) for g in given]
    if len(parts) != len(said) + 1 or any(c in "".join(parts) for c in "{}%"):
        return None
    return _joined([p for pair in zip(parts, [*said, ""], strict=True) for p in pair])


def _said(value: object) -> str | None:
    """A number or a text as it is in a text."""
    return str(value) if type(value) in (int, str) else None


def _joined(parts: list[object]) -> str | None:
    """Texts, one after the other."""
    return "".join(map(str, parts)) if all(isinstance(p, str) for p in parts) else None
