"""The tags of a model_fn's summaries: TF 1 puts the scopes around a summary before its name.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/scalar
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from migrate.engine.trees import all_of
from migrate.rewriters.estimators.program import Program

SCOPES = ("tensorflow.name_scope", "tensorflow.variable_scope")


def constant(program: Program, function: ast.FunctionDef, name: ast.expr) -> str | None:
    """The tag, where it is all written out."""
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    whole = ""
    for scope in scopes(program, function, name):
        if not isinstance(scope, str):
            return None
        whole += f"{scope}/"
    return whole + re.sub(r"[^-/\w.]", "_", name.value).lstrip("/")


def written(
    program: Program,
    function: ast.FunctionDef,
    name: ast.expr,
    source: Callable[[ast.AST], str],
) -> str:
    """The source of a tag, as the method that writes it has it."""
    around = list(scopes(program, function, name))
    tag = constant(program, function, name)
    if tag is not None:
        changed = around or not isinstance(name, ast.Constant) or tag != name.value
        return repr(tag) if changed else source(name)
    parts = [f"{s}/" if isinstance(s, str) else s for s in around]
    out = ""
    for part in parts:
        out += f"{part!r} + " if isinstance(part, str) else f"{source(part)} + '/' + "
    return out + source(name)


def scopes(program: Program, function: ast.FunctionDef, node: ast.AST) -> Iterator[str | ast.expr]:
    """The names of the scopes around a node, the outermost first; one opened again is another."""
    inside = [a for a in program.scopes.around(node) if a is not function]
    blocks = [a for a in inside if isinstance(a, ast.With)]
    for block in sorted(blocks, key=lambda b: b.lineno):
        for item in block.items:
            name = _name(program, item.context_expr)
            if not isinstance(name, ast.Constant):
                if name is not None:
                    yield name
                continue
            before = [
                other
                for other in all_of(function, ast.With)
                if other.lineno < block.lineno
                if program.scopes.parents[id(other)] is program.scopes.parents[id(block)]
                for i in other.items
                if isinstance(n := _name(program, i.context_expr), ast.Constant)
                and n.value == name.value
            ]
            text = str(name.value)
            yield f"{text}_{len(before)}" if before else text


def _name(program: Program, node: ast.expr) -> ast.expr | None:
    """What a block calls its scope; None for what opens none."""
    if program.called(node) not in SCOPES or not isinstance(node, ast.Call):
        return None
    given = program.given(node)
    return given.get("name", given.get("name_or_scope", given.get("default_name")))
