"""Subclasses of Estimator that only say what an Estimator is made with are functions that make one.

class Net(tf.estimator.Estimator):          def Net(width, model_dir=None):
    def __init__(self, width,                   def model_fn(features, labels, mode):
                 model_dir=None):                   …
        def model_fn(features, …):              return tf.estimator.Estimator(
            …                                       model_fn, model_dir)
        super().__init__(
            model_fn, model_dir)
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from migrate.rewriters.sessions.text import Text

ESTIMATOR = "tensorflow.estimator.Estimator"


def edits(
    tree: ast.Module, text: Text, endpoints: dict[int, str], others: str = ""
) -> Iterator[Edit]:
    """The edits that say such classes as functions; ``others``: the program's other files."""
    for cls in (s for s in tree.body if isinstance(s, ast.ClassDef)):
        if len(cls.bases) != 1 or cls.keywords or cls.decorator_list:
            continue
        if endpoints.get(id(cls.bases[0])) != ESTIMATOR or not _only_called(tree, cls):
            continue
        if _called_elsewhere(cls.name, others):
            yield from _function(cls, text)


def _only_called(tree: ast.Module, cls: ast.ClassDef) -> bool:
    """Whether a class is only called, outside of itself."""
    calls = {id(c.func) for c in all_of(tree, ast.Call)}
    inside = {id(n) for n in walk(cls)}
    names = [n for n in all_of(tree, ast.Name) if n.id == cls.name and id(n) not in inside]
    said = [n for n in all_of(tree, ast.Constant) if n.value == cls.name]
    return not said and all(id(n) in calls for n in names)


def _called_elsewhere(name: str, others: str) -> bool:
    """Whether other files only import and call what has a name, if they say it."""
    if name not in others:
        return True
    code = re.sub(r"#.*", "", others)
    imports = re.compile(r"^[ \t]*from [\w.]+ import (\([^)]*\)|[^(\n]*)$", re.MULTILINE)
    imported = [m for m in imports.finditer(code) if re.search(rf"\b{name}\b", m[1])]
    if any(re.search(rf"\b{name}\s+as\b", m[1]) for m in imported):
        return False
    code = imports.sub("", code)
    return all(
        re.match(r"\s*\(", code[m.end() :])
        and not re.search(r"\b(class|def)\s+$", code[: m.start()])
        for m in re.finditer(rf"\b{name}\b", code)
    )


def _function(cls: ast.ClassDef, text: Text) -> Iterator[Edit]:
    body = [s for s in cls.body if not isinstance(s, ast.Expr) or _call(s.value)]
    first = body[0] if len(body) == 1 else None
    if not isinstance(first, ast.FunctionDef) or first.name != "__init__" or first.decorator_list:
        return
    own, last = first.args.args[0].arg if first.args.args else "", first.body[-1]
    made = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute):
        return
    above = made.func.value
    if made.func.attr != "__init__" or not isinstance(above, ast.Call):
        return
    if ast.unparse(above) not in ("super()", f"super({cls.name}, {own})"):
        return
    uses = [n for n in all_of(cls, ast.Name) if n.id in (own, cls.name)]
    inner = {id(n) for n in walk(above)}
    if not own or any(id(n) not in inner for n in uses):
        return
    if any(isinstance(n, (ast.Return, ast.Nonlocal)) for s in first.body[:-1] for n in _own(s)):
        return
    index, whole, piece = text.index, text.piece(cls), text.piece(first)
    start = text.start(whole.line)
    # From the name of the method on, with one indentation less.
    lines = text.text[text.start(piece.line) : text.start(whole.last + 1)]
    base = text.text[slice(*index.span(cls.bases[0]))]
    lo, hi = index.span(made.func)
    said = f"return {base}"
    offset = text.start(piece.line)
    new = lines[: lo - offset] + said + lines[hi - offset :]
    args = first.args.args
    at = new.index("(") + 1
    after = new[at:].lstrip()[len(own) :].lstrip()
    after = after.removeprefix(",").lstrip() if len(args) > 1 or after.startswith(",") else after
    shift = len(piece.indent) - len(whole.indent)
    moved = [
        line[shift:] if line[:shift].isspace() else line
        for line in f"{piece.indent}def {cls.name}({after}".splitlines(keepends=True)
    ]
    yield Edit(start, text.start(whole.last + 1), "".join(moved))


def _call(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant)


def _own(stmt: ast.stmt) -> Iterator[ast.AST]:
    """A statement and what is in it, inner functions left out."""
    if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
        return
    yield stmt
    for child in ast.iter_child_nodes(stmt):
        if isinstance(child, ast.stmt):
            yield from _own(child)
