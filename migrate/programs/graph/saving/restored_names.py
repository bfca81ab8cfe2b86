"""Variables that a program restores are told the names that TF 1's files have for them.

`tf.train.Checkpoint` finds what TF 1's Saver wrote by the variables' names. A graph numbered the
names that were asked for twice, and those of scopes that were opened again, which TF 2 doesn't:
``tf.Variable(0., name="b")`` behind another ``b`` gets ``name="b_1"``. Those of one function that
is called several times stay alike, and the report says so.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.making import named_variables, variable_names
from migrate.programs.graph.meaning import T

ALIKE = (
    "TF 1's files are read by the variables' names, which are alike for {} here: convert such a "
    "file first, `migrate checkpoint convert OLD NEW --map migrate-names.json`"
)


def settle(walker: Any) -> None:
    """Give each variable that a Saver restores the name that it had, where that can be told."""
    if walker.graph or not any(s.restores for s in walker.savers):
        return
    keys = _keys(walker)
    entries = list(_variables(walker))
    made = Counter(id(entry.value.node) for entry in entries)
    for entry in entries:
        call = entry.value.node
        path = keys.get(str(entry.ref)) or entry.value.path
        endpoint = walker.endpoints.get(id(call.func))
        if made[id(call)] != 1 or path is None or not _once(walker, call):
            continue
        if endpoint == T + "get_variable" and entry.ref in keys and id(call) in walker.made:
            walker.made[id(call)].name = path
        if endpoint == T + "Variable" and named_variables.written_name(walker, call) != path:
            variable_names.tell(walker, call, path)


def told(walker: Any) -> Iterator[tuple[ast.AST, str]]:
    """What a report says of restored variables whose names TF 2 doesn't tell apart."""
    restores = [node for s in walker.savers for node in s.restores.values()]
    if not restores:
        return
    calls = {id(n): n for tree in walker.program() for n in all_of(tree, ast.Call)}
    alike: dict[str, list[str]] = {}
    for entry in _variables(walker):
        inner = calls.get(entry.value.key[-1]) if entry.value.key else None
        if inner is not None and entry.ref is not None:
            name = named_variables.written_name(walker, inner)
            if name is not None and "{" not in name:
                alike.setdefault(name, []).append(entry.ref)
    found = [f"`{ref}`" for refs in alike.values() if len(refs) > 1 for ref in refs]
    if found:
        yield restores[0], ALIKE.format(", ".join(found[:3]) + " …" * (len(found) > 3))


def _variables(walker: Any) -> Iterator[Any]:
    """What was made by a call that is seen, once for each."""
    for entry in walker.owned:
        if entry.value is not None and entry.looped is None and entry.when is None:
            if isinstance(entry.value.node, ast.Call):
                yield entry


def _keys(walker: Any) -> dict[str, str]:
    """What the only Saver's dict calls variables, by how the program does."""
    if len(walker.savers) != 1 or walker.kept.get(("names read",)):
        return {}
    return {
        source: value.path
        for source, value in walker.savers[0].values.items()
        if value.node is None and value.path is not None
    }


def _once(walker: Any, call: ast.Call) -> bool:
    """Whether a call has one name in TF 1, as it is followed once."""
    return [key[-1] for key in walker.naming.known].count(id(call)) == 1
