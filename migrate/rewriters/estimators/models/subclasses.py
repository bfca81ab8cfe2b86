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
from migrate.rewriters.estimators.models.members import Members

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
        if _called_elsewhere(cls.name, others) and not _asked(cls, tree, others):
            yield from _function(cls, text)


def _only_called(tree: ast.Module, cls: ast.ClassDef) -> bool:
    """Whether a class is only called, outside of itself."""
    calls = {id(c.func) for c in all_of(tree, ast.Call)}
    inside = {id(n) for n in walk(cls)}
    names = [n for n in all_of(tree, ast.Name) if n.id == cls.name and id(n) not in inside]
    said = [n for n in all_of(tree, ast.Constant) if n.value == cls.name]
    return not said and all(id(n) in calls for n in names)


def _asked(cls: ast.ClassDef, tree: ast.Module, others: str) -> bool:
    """Whether what a class adds to an Estimator may be asked for elsewhere."""
    inside = {id(n) for n in walk(cls)}
    added = {n.attr for n in all_of(cls, ast.Attribute) if not isinstance(n.ctx, ast.Load)}
    added |= {s.name for s in cls.body if isinstance(s, ast.FunctionDef)} - {"__init__"}
    here = {
        n.attr
        for n in all_of(tree, ast.Attribute)
        if id(n) not in inside and not (isinstance(n.value, ast.Name) and n.value.id == "FLAGS")
    }
    asks = re.compile(r"\b(?:get|set|has|del)attr\b|\b__dict__\b|\bvars\(")
    flags = re.compile(r"\bFLAGS\.\w+")  # none of which is an Estimator's
    others = flags.sub("", others)
    if added & here or (added and asks.search(flags.sub("", ast.unparse(tree)) + others)):
        return True
    return any(re.search(rf"\.{name}\b", others) for name in added)


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
    methods = [s for s in body if isinstance(s, ast.FunctionDef)]
    first = next((s for s in methods if s.name == "__init__"), None)
    if first is None or first.decorator_list or len(methods) < len(body):
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
    inner = {id(n) for n in walk(above)}
    members = Members(cls, first, [s for s in methods if s is not first], made, text)
    if not own or not members.read(inner):
        return
    if any(isinstance(n, (ast.Return, ast.Nonlocal)) for s in first.body[:-1] for n in _own(s)):
        return
    index, whole, piece = text.index, text.piece(cls), text.piece(first)
    start = text.start(whole.line)
    # From the name of the method on, with one indentation less.
    base = text.text[slice(*index.span(cls.bases[0]))]
    lines = members.written(piece, Edit(*index.span(made.func), f"return {base}"))
    at = lines.index("(") + 1
    after = lines[at:].lstrip()[len(own) :].lstrip()
    args = first.args.args
    after = after.removeprefix(",").lstrip() if len(args) > 1 or after.startswith(",") else after
    shift = len(piece.indent) - len(whole.indent)
    moved = [
        line[shift:] if line.strip() and line[:shift].isspace() else line
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
