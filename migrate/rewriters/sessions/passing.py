"""Tensors of an object that its helper methods read: they are given them as arguments.

A method that only computes, ``self.layer(w)``, stays a method; the tensors that it finds in
attributes are names of the function that calls it then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.model import Reading
from migrate.rewriters.sessions.apart import rewritten


def given(document: Document, error: Reading, trees: Iterable[ast.Module]) -> Document | None:
    """The document where a method is given such a tensor; None where that can't be."""
    line: int = error.node.lineno  # type: ignore[attr-defined]
    methods = [
        member
        for node in walk(document.tree)
        if isinstance(node, ast.ClassDef)
        for member in node.body
        if isinstance(member, ast.FunctionDef)
        and member.lineno <= line <= (member.end_lineno or line)
    ]
    if len(methods) != 1:
        return None
    method, attribute = methods[0], error.attribute
    args = method.args
    if method.decorator_list or not args.args or args.posonlyargs:
        return None
    itself, wish = args.args[0].arg, attribute.strip("_")
    taken = _names(method)
    name = next((n for n in (wish, f"given_{wish}") if n not in taken), "")
    if not wish or not name:
        return None
    nodes = [n for tree in trees for n in walk(tree)]
    owners = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}  # `tf.train.…`
    named = [
        n
        for n in nodes
        if (isinstance(n, ast.Attribute) and n.attr == method.name and id(n) not in owners)
        or (isinstance(n, ast.FunctionDef) and n.name == method.name and n is not method)
    ]
    calls = [n for n in walk(document.tree) if isinstance(n, ast.Call) and n.func in named]
    if len(calls) != len(named):
        return None  # it is given away, overridden, or called in another file
    text, index = document.text, document.index
    edits = []
    plain = not (args.defaults or args.vararg or args.kwonlyargs or args.kwarg)
    last = error.last and plain and not any(_starred(c) for c in calls)
    for call in calls:
        assert isinstance(call.func, ast.Attribute)
        owner = call.func.value
        if not isinstance(owner, ast.Name):
            return None
        parts = [*call.args, *(k.value for k in call.keywords)]
        if last and parts:
            at = index.span(call)[1] - 1
            comma = " " if text[:at].rstrip().endswith(",") else ", "
            named_so = f"{name}=" if call.keywords else ""
            edits.append(Edit(at, at, f"{comma}{named_so}{owner.id}.{attribute}"))
            continue
        at = text.index("(", index.span(call.func)[1]) + 1
        more = ", " if parts else ""
        edits.append(Edit(at, at, f"{owner.id}.{attribute}{more}"))
    first = index.span(args.args[-1 if last else 0])[1]
    edits.append(Edit(first, first, f", {name}"))
    for n in walk(method):
        if isinstance(n, ast.Attribute) and n.attr == attribute:
            if not isinstance(n.ctx, ast.Load) or ast.unparse(n.value) != itself:
                return None
            edits.append(Edit(*index.span(n), name))
    return rewritten(document, edits)


def _starred(call: ast.Call) -> bool:
    """Whether a call hides arguments."""
    hidden = any(isinstance(a, ast.Starred) for a in call.args)
    return hidden or any(k.arg is None for k in call.keywords)


def _names(method: ast.FunctionDef) -> set[str]:
    """The names that mean something in a method."""
    found = {a.arg for a in walk(method) if isinstance(a, ast.arg)}
    return found | {n.id for n in walk(method) if isinstance(n, ast.Name)}


__all__ = ["given"]
