"""Placeholders as the specs of parameters."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, fact
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Region, Symbol
from migrate.programs.graph.wording import known_branches
from migrate.rewriters.sessions.text import Text


def written(call: ast.Call, text: Text, tf: str) -> str:
    """The TensorSpec of a placeholder."""
    given = dict(zip(("dtype", "shape", "name"), call.args, strict=False))
    given.update({k.arg: k.value for k in call.keywords if k.arg})
    shape = text.source(given["shape"]) if "shape" in given else "None"
    return f"{tf}.TensorSpec({shape}, {text.source(given['dtype'])})"


def afar(module: Any, symbol: Symbol, region: Region) -> str | None:
    """The spec of another file's placeholder, which a run is fed and doesn't need.

    It is said once more, where it says all that there is of it.
    """
    call, files = symbol.value.node, module.walker.files
    if symbol.value.kind is not Kind.PLACEHOLDER or not isinstance(call, ast.Call):
        return None
    if module.walker.endpoints.get(id(call.func)) != T + "placeholder":
        return None
    here = files.at(region.node)
    if files.at(symbol.step.node) is here or symbol.name in fact(here.tree, _names):
        return None
    plain = all(known_branches.in_name(module.walker, n) for n in all_of(call, ast.Name))
    return written(call, module.text, module.tf) if plain else None


def _names(tree: ast.AST) -> set[str]:
    """What a file's statements call or import by a name."""
    said = {a.asname or a.name for a in all_of(tree, ast.alias)}
    return said | {n.id for n in all_of(tree, ast.Name)}
