"""``nets = {'a': net_a, 'b': net_b}``, then ``nets[name](x)``: a branch says which one is called.

A key that is written out is that function; another one is compared with each. As in the dict, a key
that isn't there is an error.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import parents_of, walk
from migrate.programs.graph.fetching.choices import unit_of
from migrate.programs.graph.wording.chosen_functions import CALLS, FEW, STATEMENTS
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, same, word

KEYS = (ast.Name, ast.Attribute, ast.expr_context)  # what gives the same each time it is read


def check(walker: Any, node: ast.Call) -> None:
    """See whether what is called stands in a dict of the file's functions.

    Raises:
        Spelled: it does, and the dict is for nothing else.
    """
    owner = node.func.value if isinstance(node.func, ast.Subscript) else None
    tree = walker.files.at(node).tree
    if not isinstance(owner, ast.Name) or tree is None or walker.loops:
        return
    made = [s for s in tree.body if isinstance(s, ast.Assign) and _names(s.targets, owner.id)]
    table = made[0].value if len(made) == 1 else None
    if not isinstance(table, ast.Dict) or not 0 < len(table.keys) == len(set(_keys(table))):
        return
    if not all(isinstance(walker._module_function(v), ast.FunctionDef) for v in table.values):
        return
    every = [n for t in walker.program() for n in walk(t)]
    reads = [n for n in every if owner.id in _says(n) and n is not made[0].targets[0]]
    parents = parents_of(tree)
    found: list[Written] = [(made[0], word(""))]
    for read in reads:
        item = parents.get(id(read))
        call = parents.get(id(item))
        stmt = parents.get(id(call))
        if not isinstance(item, ast.Subscript) or not isinstance(call, ast.Call):
            return
        if item.value is not read or call.func is not item:
            return
        if isinstance(item.slice, ast.Constant):
            value = dict(zip(_keys(table), table.values, strict=True)).get(item.slice.value)
            if value is None:
                return
            found.append((item, same(value)))
            continue
        plain = all(isinstance(n, KEYS) for n in walk(item.slice))
        if not isinstance(stmt, STATEMENTS) or stmt.value is not call or not plain:
            return
        if len(table.keys) > FEW or len(reads) > CALLS:
            return
        found.append((stmt, _branch(stmt, item, table, unit_of(tree))))
    raise Spelled(node, "what is called stands in a dict", found)


def _names(targets: list[ast.expr], name: str) -> bool:
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == name


def _says(node: ast.AST) -> tuple[str, ...]:
    return tuple(str(getattr(node, k, "")) for k in ("id", "attr", "arg", "name", "asname"))


def _keys(table: ast.Dict) -> list[object]:
    """The keys; twice the same where one isn't written out."""
    plain = all(isinstance(k, ast.Constant) and isinstance(k.value, (str, int)) for k in table.keys)
    return [getattr(k, "value", None) if plain else None for k in table.keys]


def _branch(
    stmt: ast.stmt, item: ast.Subscript, table: ast.Dict, unit: str
) -> Callable[[Source], str]:
    """The statement once for each function."""

    def written(source: Source) -> str:
        text, key = source(stmt), source(item.slice)
        place, behind = (item.lineno, item.col_offset), (item.end_lineno, item.end_col_offset)
        start = len(source(span((stmt.lineno, stmt.col_offset), place)))
        end = len(source(span((stmt.lineno, stmt.col_offset), behind)))  # type: ignore[arg-type]
        lines = []
        for number, (each, value) in enumerate(zip(table.keys, table.values, strict=True)):
            assert each is not None
            lines.append(f"{'elif' if number else 'if'} {key} == {source(each)}:")
            called = text[:start] + source(value) + text[end:]
            lines.append(unit + called.replace("\n", f"\n{unit}"))
        lines += ["else:", f"{unit}raise KeyError({key})"]
        return ("\n" + " " * stmt.col_offset).join(lines)

    return written
