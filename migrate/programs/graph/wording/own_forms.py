"""Functions of `tf.contrib` that TF 2 lacks, as functions of the program in TF 1's own words.

The file gets the function (`own_forms_code.txt`), the call keeps its arguments, and the program is
read again: what makes variables is followed as the program's own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.layering.total_losses import tensorflow
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Value
from migrate.programs.graph.wording import spelled
from migrate.programs.graph.wording.spelled import Source, Spelled

LAYERS = T + "contrib.layers."
LEARNING = T + "contrib.losses.metric_learning."
# What is written for an endpoint, and which arguments say what is so without them.
FORMS = {
    **{
        LAYERS + name: name
        for name in (
            *("spatial_softmax", "dense_to_sparse", "bias_add", "bow_encoder"),
            *("legacy_fully_connected", "conv2d_in_plane"),
        )
    },
    T + "contrib.slim.bias_add": "bias_add",
    T + "contrib.metrics.accuracy": "accuracy",
    **{
        LEARNING + name: name
        for name in (
            *("contrastive_loss", "npairs_loss", "triplet_semihard_loss"),
            "lifted_struct_loss",
        )
    },
}
NEEDS = {
    "triplet_semihard_loss": ("pairwise_distance",),
    "lifted_struct_loss": ("pairwise_distance",),
    "bow_encoder": ("dense_to_sparse",),
}
# Arguments that stand in the function itself: `<, regularizer=regularizer>`, `<initializer|zeros>`.
_SET = re.compile(r"<(?:(, (\w+)=)\2|(\w+)\|([^<>]*))>")


@cache
def _sources() -> dict[str, str]:
    text = Path(__file__).with_name("own_forms_code.txt").read_text(encoding="utf-8")
    return dict(part.split("\n", 1) for part in text.split("=== ")[1:])


@family(*FORMS)
def form(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A call of such a function.

    Raises:
        Spelled: always, but where the file has no place for it.
    """
    reason = f"tf{endpoint.removeprefix('tensorflow')} isn't followed here"
    name = FORMS[endpoint]
    tree = walker.files.at(node).tree
    place = _place(tree) if tree is not None else None
    if place is None or any(isinstance(a, ast.Starred) for a in node.args):
        raise Blocked(node, reason)
    if any(k.arg is None for k in node.keywords):
        raise Blocked(node, reason)
    tf = tensorflow(walker, node)
    names = _parameters(name)
    given = dict(zip(names, node.args, strict=False)) | {str(k.arg): k.value for k in node.keywords}
    fixed = {m[2] or m[3] for m in _SET.finditer(_sources()[name])}
    if len(node.args) > len(names) or not set(given) <= {*names, *fixed}:
        raise Blocked(node, f"tf{endpoint.removeprefix('tensorflow')} with these arguments")

    def texts(source: Source) -> list[tuple[str, str]]:
        """What the file needs, by the names that it gets."""
        found = []
        for part in (*NEEDS.get(name, ()), name):
            text = re.sub(r"\btf\.", f"{tf}.", _set(_sources()[part], given, source)).rstrip()
            found.append((_there(tree, text) or "", text))
        return found

    called = spelled.free(walker, name)

    def function(source: Source) -> str:
        return texts(source)[-1][0] or called

    def written(source: Source) -> Sequence[str]:
        lines: list[str] = []
        for there, text in texts(source):
            if not there:
                last = text.startswith(f"def {name}(")
                renamed = text.replace(f"def {name}(", f"def {called}(", 1) if last else text
                lines += [*renamed.split("\n"), "", ""]
        return lines

    def call(source: Source) -> str:
        kept = [source(a) for a in node.args]
        kept += [f"{k.arg}={source(k.value)}" for k in node.keywords if k.arg not in fixed]
        return f"{function(source)}({', '.join(kept)})"

    for part in NEEDS.get(name, ()):
        own = _there(tree, re.sub(r"\btf\.", f"{tf}.", _sources()[part]))
        if own != part and spelled.free(walker, part) != part:
            raise Blocked(node, reason)  # another function has the name
    raise Spelled(node, reason, [(node, call)], [(place, written)])


def _parameters(name: str) -> list[str]:
    (made,) = ast.parse(_SET.sub(r"\4", _sources()[name])).body
    assert isinstance(made, ast.FunctionDef)
    return [a.arg for a in made.args.args]


def _set(text: str, given: dict[str, ast.expr], source: Source) -> str:
    """A function with what a call says where it stands for itself."""

    def said(match: re.Match[str]) -> str:
        value = given.get(match[2] or match[3])
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            return match[4] or ""
        return f"{match[1] or ''}{source(value)}"

    return _SET.sub(said, text)


def _place(tree: ast.AST) -> ast.stmt | None:
    """The statement that the functions stand before: the first that isn't an import."""
    for stmt in getattr(tree, "body", ()):
        text = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
        if not text and not isinstance(stmt, (ast.Import, ast.ImportFrom)):
            return None if getattr(stmt, "decorator_list", ()) else stmt
    return None


def _there(tree: ast.AST, text: str) -> str | None:
    """What the file calls the function, where it has it."""
    (made,) = ast.parse(text).body
    assert isinstance(made, ast.FunctionDef)
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef) and _said(node) == _said(made):
            return node.name
    return None


def _said(node: ast.FunctionDef) -> str:
    return ast.dump(node.args) + "".join(map(ast.dump, node.body))
