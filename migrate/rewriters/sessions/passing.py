"""Tensors of an object that its helper methods read: they are given them as arguments.

A method that only computes, ``self.layer(w)``, stays a method; the tensors that it finds in
attributes are names of the function that calls it then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence, Set

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Reading
from migrate.programs.graph.wording.known_branches import COMMON
from migrate.rewriters.sessions.apart import rewritten


def given(
    documents: Sequence[Document], place: int, error: Reading
) -> list[tuple[int, Document]] | None:
    """The documents in which a method is given such a tensor; None where that can't be.

    ``place``: where the method stands. What it overrides, or what overrides it, is given the same.
    """
    line: int = error.node.lineno  # type: ignore[attr-defined]
    methods = [
        (at, member)
        for at, document in enumerate(documents)
        for node in all_of(document.tree, ast.ClassDef)
        for member in node.body
        if isinstance(member, ast.FunctionDef)
    ]
    asking = [m for at, m in methods if at == place and m.lineno <= line <= (m.end_lineno or line)]
    if len(asking) != 1:
        return None
    method, attribute = asking[0], error.attribute
    alike = [(at, m) for at, m in methods if m.name == method.name]
    if method.name in COMMON:
        return None  # its calls aren't known by their name
    if len(alike) > 1 and not _related([d.tree for d in documents], [m for _, m in alike]):
        return None
    wish = attribute.strip("_")
    taken = {n for _, m in alike for n in _names(m)}
    name = next((n for n in (wish, f"given_{wish}") if n not in taken), "")
    if not wish or not name:
        return None
    nodes = [n for d in documents for n in walk(d.tree)]
    owners = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}  # `tf.train.…`
    own = {id(m) for _, m in alike}
    named = {
        id(n)
        for n in nodes
        if (isinstance(n, ast.Attribute) and n.attr == method.name and id(n) not in owners)
        or (isinstance(n, ast.FunctionDef) and n.name == method.name and id(n) not in own)
    }
    calls = [
        (at, n)
        for at, d in enumerate(documents)
        for n in all_of(d.tree, ast.Call)
        if id(n.func) in named
    ]
    if len(calls) != len(named):
        return None  # it is given away
    plain = all(
        not (m.args.defaults or m.args.vararg or m.args.kwonlyargs or m.args.kwarg)
        for _, m in alike
    )
    last = error.last and plain and not any(_starred(c) for _, c in calls)
    edits: dict[int, list[Edit]] = {}
    classes = {c.name for d in documents for c in all_of(d.tree, ast.ClassDef)}
    for at, call in calls:
        inside = next((m for i, m in methods if i == at and holds(m, call)), None)
        owner = _object(call, inside, classes)
        if owner is None:
            return None
        tensor = name if id(inside) in own else f"{owner}.{attribute}"
        edit = _call(documents[at], call, (tensor, name), classes, last=last)
        if edit is None:
            return None
        edits.setdefault(at, []).append(edit)
    for at, one in alike:
        found = _definition(documents[at], one, attribute, name, last=last)
        if found is None:
            return None
        edits.setdefault(at, []).extend(found)
    done = [(at, rewritten(documents[at], each)) for at, each in edits.items()]
    return None if any(d is None for _, d in done) else [(at, d) for at, d in done if d is not None]


def _object(call: ast.Call, inside: ast.FunctionDef | None, classes: Set[str]) -> str | None:
    """What a method is called of: a name, or the object of the method that asks its base."""
    assert isinstance(call.func, ast.Attribute)
    match call.func.value:
        case ast.Name(name) if name in classes:  # `Base.method(self)`
            itself = call.args[0] if call.args else None
            return itself.id if isinstance(itself, ast.Name) else None
        case ast.Name(name):
            return name
        case ast.Call(ast.Name("super")) if inside is not None and inside.args.args:
            return inside.args.args[0].arg
    return None


def _call(
    document: Document, call: ast.Call, said: tuple[str, str], classes: Set[str], *, last: bool
) -> Edit | None:
    """A call with the tensor as one more argument."""
    assert isinstance(call.func, ast.Attribute)
    tensor, name = said
    text, index, owner = document.text, document.index, call.func.value
    parts = [*call.args, *(k.value for k in call.keywords)]
    if last and parts:
        at = index.span(call)[1] - 1
        comma = " " if text[:at].rstrip().endswith(",") else ", "
        named_so = f"{name}=" if call.keywords else ""
        return Edit(at, at, f"{comma}{named_so}{tensor}")
    if isinstance(owner, ast.Name) and owner.id in classes:
        at = index.span(call.args[0])[1]
        return Edit(at, at, f", {tensor}")
    at = text.index("(", index.span(call.func)[1]) + 1
    more = ", " if parts else ""
    return Edit(at, at, f"{tensor}{more}")


def _definition(
    document: Document, method: ast.FunctionDef, attribute: str, name: str, *, last: bool
) -> list[Edit] | None:
    """A method with one more parameter, which it reads instead of its object's attribute."""
    args, index = method.args, document.index
    if method.decorator_list or not args.args or args.posonlyargs:
        return None
    first = index.span(args.args[-1 if last else 0])[1]
    edits = [Edit(first, first, f", {name}")]
    for n in walk(method):
        if isinstance(n, ast.Attribute) and n.attr == attribute:
            if not isinstance(n.ctx, ast.Load) or ast.unparse(n.value) != args.args[0].arg:
                return None
            edits.append(Edit(*index.span(n), name))
    return edits


def _related(trees: Iterable[ast.Module], methods: Sequence[ast.FunctionDef]) -> bool:
    """Whether the classes of methods are one and those that are based on it, by their names."""
    classes = [n for tree in trees for n in all_of(tree, ast.ClassDef)]
    mine = [c for c in classes if any(m in c.body for m in methods)]
    names = {c.name for c in mine}
    bases = {c.name: {ast.unparse(b).rpartition(".")[2] for b in c.bases} for c in classes}
    roots = [c for c in mine if not bases[c.name] & names]
    return len(roots) == 1 and len(names) == len(mine)


def _starred(call: ast.Call) -> bool:
    """Whether a call hides arguments."""
    hidden = any(isinstance(a, ast.Starred) for a in call.args)
    return hidden or any(k.arg is None for k in call.keywords)


def _names(method: ast.FunctionDef) -> set[str]:
    """The names that mean something in a method."""
    found = {a.arg for a in all_of(method, ast.arg)}
    return found | {n.id for n in all_of(method, ast.Name)}


__all__ = ["given"]
