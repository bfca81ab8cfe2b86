"""The source of `tf.contrib.training.HParams`, as much of it as a program uses.

The definition is in `hparams_code.txt`, with the marks of `rewriters/pruning.py`.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/training/python/training/hparam.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from migrate.engine.findings import Applicability, Edit, Level
from migrate.engine.names import Binding
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import FileContext, Site
from migrate.engine.trees import all_of, walk
from migrate.rewriters import tutorials_reader
from migrate.rewriters.pruning import pruned

NAME = "HParams"
METHODS = {
    "set_hparam": ("set", "cast"),
    "del_hparam": ("del",),
    "override_from_dict": ("override", "set", "cast"),
    "parse": ("parse", "override", "set", "cast"),
    "parse_json": ("parse_json", "override", "set", "cast"),
    "to_json": ("to_json",),
    "get": ("get", "cast"),
}
IMPORTS = {"parse": "import re", "cast": "import numbers"}
JSON = frozenset({"parse_json", "to_json"})


@cache
def _text() -> str:
    return Path(__file__).with_name("hparams_code.txt").read_text(encoding="utf-8")


def definition(trees: Iterable[ast.AST] | None) -> tuple[str, str, tuple[str, ...]]:
    """The name, the source of what some files use of it (None: of all of it), and its imports."""
    features = {f for each in METHODS.values() for f in each}
    if trees is not None:
        asked = {n.attr for tree in trees for n in all_of(tree, ast.Attribute)}
        features = {f for name, each in METHODS.items() if name in asked for f in each}
    imports = [line for feature, line in IMPORTS.items() if feature in features]
    imports += ["import json"] if features & JSON else []
    return NAME, pruned(_text(), features), tuple(sorted(imports))


ENDPOINT = "tensorflow.contrib.training.HParams"
PLAIN = tuple(Import(name, name) for name in ("json", "numbers", "re"))


def given(site: Site, rule: Rule) -> Result | None:
    """What becomes of a place in a file that builds no graph; None where it isn't followed.

    Other files may ask for all that there is.
    """
    if site.level is not Level.NATIVE or site.endpoint != ENDPOINT:
        return None
    file = site.file
    place = file.memo.setdefault("own hparams", _place(file))
    if place is None:
        return None
    call = site.call
    assert call is not None
    lo, hi = file.index.span(call.func)
    edits = [Edit(lo, hi, NAME)] if file.source(call.func) != NAME else []
    if file.memo.setdefault("own hparams made", site.ref.node) is site.ref.node:
        edits.append(tutorials_reader.defined(file, place, definition(None)[1]))
    result = site.result(
        rule,
        f"{site.shown} went with tf.contrib: the file has a class that does the same",
        fix=f"{NAME}, in the file",
        edits=edits,
        imports=list(PLAIN),
        drops=True,
    )
    result.applicability = Applicability.SAFE
    return result


def _place(file: FileContext) -> int | None:
    """Where a file gets the class; None where it can't have it."""
    from migrate.programs.graph.wording.hparams import OTHERS  # the room of graphs comes with it

    if tutorials_reader.taken(file.tree, PLAIN, frozenset({NAME})):
        return None
    if any(isinstance(n, ast.Attribute) and n.attr in OTHERS for n in walk(file.tree)):
        return None
    ours: list[Binding] = []
    for ref in file.names.references:
        if ref.name != ENDPOINT:
            continue
        if ref.call is None or ref.guarded or len(ref.bindings) != 1:
            return None
        if ref.binding.kind != "import" or ref.binding.guard is not None:
            return None
        if ref.binding.stmt not in file.tree.body or ref.call.args:
            return None
        if any(k.arg in ("hparam_def", "model_structure") for k in ref.call.keywords):
            return None
        ours.append(ref.binding)
    return tutorials_reader.behind(file, ours) if ours else None
