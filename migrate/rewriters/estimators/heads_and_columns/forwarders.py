"""A function that adds to a canned Estimator what `contrib.estimator` has, where it is called.

    def with_key(estimator):
        return tf.contrib.estimator.forward_features(estimator, KEY)

    model = with_key(model)              model = tf.contrib.estimator.forward_features(model, KEY)

Some of them wrap the Estimator once more, so that exports have the key, too, and say themselves
that `forward_features` will see to it: since TF 1.11 it does, and the wrapper changes nothing.
https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/estimator/python/estimator/extenders.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, holds
from migrate.rewriters.estimators.heads_and_columns.added import ADDS, FORWARDS
from migrate.rewriters.estimators.syntax import reads, stores
from migrate.rewriters.sessions.text import Text

# What a wrapper that changes nothing is, behind `forward_features`: each name is the first's own.
WRAPPER = """
config = estimator.config
def model_fn(features, labels, mode):
    spec = estimator._call_model_fn(features, labels, mode, config=config)
    if spec.export_outputs:
        for key in ['predict', 'serving_default']:
            if key in spec.export_outputs and isinstance(spec.export_outputs[key], OUTPUT):
                spec.export_outputs[key] = OUTPUT(spec.predictions)
    return spec
return tf.estimator.Estimator(model_fn=model_fn, config=config)
"""
OUTPUT = "tensorflow.estimator.export.PredictOutput"
ESTIMATOR = "tensorflow.estimator.Estimator"
Called = Callable[[ast.AST | None], str]


def edits(tree: ast.Module, text: Text, called: Called, others: str = "") -> Iterator[Edit]:
    """The edits of one file; ``others``: the program's other files."""
    for function in (s for s in tree.body if isinstance(s, ast.FunctionDef)):
        name = function.name
        added = _added(function, called)
        uses = [n for n in all_of(tree, ast.Name) if n.id == name]
        said = [n for n in all_of(tree, ast.Constant) if n.value == name]
        if not added or len(uses) != 1 or said or re.search(rf"\b{name}\b", others):
            continue
        stmts = [s for s in all_of(tree, ast.Assign) if _gives_back(s, uses[0])]
        if len(stmts) != 1 or holds(function, stmts[0]):
            continue
        owner = function.args.args[0].arg
        outer = set().union(*(reads(call) for call in added)) - {owner}
        bound: set[str] = set()
        for around in all_of(tree, ast.FunctionDef):
            if holds(around, stmts[0]):
                bound |= {a.arg for a in all_of(around, ast.arg)}.union(
                    *(stores(s) for s in around.body)
                )
        if outer & bound:
            continue
        target = ast.unparse(stmts[0].targets[0])
        indent = " " * stmts[0].col_offset
        piece = text.piece(function)
        first, last = piece.line, piece.last + 1
        while first > 1 and text.lines[first - 2].startswith("#"):
            first -= 1
        while last <= len(text.lines) and re.match(r"\s*$|\s+#", text.lines[last - 1]):
            last += 1  # the function's own comments, too
        lines = [line.rstrip() for line in text.lines[first - 1 : piece.line - 1]]  # what it is for
        lines += [f"{target} = {_of(text, call, owner, target)}" for call in added]
        yield Edit(*text.index.span(stmts[0]), f"\n{indent}".join(lines))
        yield Edit(text.start(first), text.start(last), "")


def _gives_back(stmt: ast.Assign, use: ast.Name) -> bool:
    """Whether a statement gives a name what the function makes of it: `model = with_key(model)`."""
    call, target = stmt.value, stmt.targets[0]
    if not isinstance(call, ast.Call) or call.func is not use or len(stmt.targets) > 1:
        return False
    given = [*call.args, *(k.value for k in call.keywords if k.arg is not None)]
    return (
        isinstance(target, ast.Name)
        and len(given) == 1
        and isinstance(given[0], ast.Name)
        and given[0].id == target.id
    )


def _added(function: ast.FunctionDef, called: Called) -> list[ast.Call]:
    """The calls that add something to a function's argument, if they are all it does."""
    args = function.args
    many = args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults
    if function.decorator_list or many or len(args.args) != 1:
        return []
    own = args.args[0].arg
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    found: list[ast.Call] = []
    while body and isinstance(body[0], ast.Assign):
        stmt = body[0]
        if ast.unparse(stmt.targets[0]) != own or len(stmt.targets) > 1:
            break
        if not _adds(stmt.value, own, called):
            return []
        assert isinstance(stmt.value, ast.Call)
        found.append(stmt.value)
        body = body[1:]
    last = body[0] if len(body) == 1 else None
    if isinstance(last, ast.Return):
        if isinstance(last.value, ast.Name) and last.value.id == own:
            return found
        if isinstance(last.value, ast.Call) and _adds(last.value, own, called):
            return [*found, last.value]
        return []
    forwarded = any(called(call) == FORWARDS for call in found)
    return found if forwarded and _wraps(body, own, called) else []


def _adds(value: ast.expr, own: str, called: Called) -> bool:
    """Whether an expression adds something to an Estimator of this name, that it names once."""
    if not isinstance(value, ast.Call) or called(value) not in (ADDS, FORWARDS):
        return False
    given = {k.arg: k.value for k in value.keywords}
    node = value.args[0] if value.args else given.get("estimator")
    once = sum(n.id == own for n in all_of(value, ast.Name)) == 1
    return isinstance(node, ast.Name) and node.id == own and once


def _wraps(body: list[ast.stmt], own: str, called: Called) -> bool:
    """Whether statements wrap an Estimator in another one that does the same."""
    wanted = ast.parse(WRAPPER).body
    names = {"estimator": own, "isinstance": "isinstance"}

    def same(node: object, like: object) -> bool:
        if isinstance(like, list):
            return (
                isinstance(node, list)
                and len(node) == len(like)
                and all(same(a, b) for a, b in zip(node, like, strict=True))
            )
        if isinstance(like, ast.Call) and isinstance(node, ast.Call):
            of = ast.unparse(like.func)
            if of in ("OUTPUT", "tf.estimator.Estimator"):
                if called(node) != (OUTPUT if of == "OUTPUT" else ESTIMATOR):
                    return False
                return same(node.args, like.args) and same(node.keywords, like.keywords)
        if isinstance(like, ast.Name) and like.id == "OUTPUT":
            return isinstance(node, ast.expr) and called(ast.Call(node, [], [])) == OUTPUT
        if type(node) is not type(like):
            return False
        if isinstance(like, ast.Name):
            assert isinstance(node, ast.Name)
            return renamed(node.id, like.id)
        if isinstance(like, ast.arg):
            assert isinstance(node, ast.arg)
            return renamed(node.arg, like.arg)
        if isinstance(like, ast.FunctionDef):
            assert isinstance(node, ast.FunctionDef)
            if not renamed(node.name, like.name):
                return False
        if isinstance(like, ast.AST):
            assert isinstance(node, ast.AST)
            left = {"ctx", "name", "lineno", "type_comment", "kind", "returns", "annotation"}
            fields = [f for f in like._fields if f not in left]
            return all(same(getattr(node, f, None), getattr(like, f, None)) for f in fields)
        return node == like

    def renamed(name: str, like: str) -> bool:
        return names.setdefault(like, name) == name

    return same(body, wanted) and len(set(names.values())) == len(names)


def _of(text: Text, call: ast.Call, owner: str, target: str) -> str:
    """A call's source, of an Estimator of another name."""
    start, end = text.index.span(call)
    node = next(n for n in all_of(call, ast.Name) if n.id == owner)
    lo, hi = text.index.span(node)
    return text.text[start:lo] + target + text.text[hi:end]
