"""``net = unit(net, **settings)`` of a function that builds: what the dict gives, by its names.

The program's building is executed with Python's values. Where the dict has the same keys each time,
the call says them: ``unit(net, depth=settings['depth'])``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.sizing.size_texts import Texts
from migrate.programs.graph.sizing.static_run.expressions import Stop
from migrate.programs.graph.sizing.static_run.run import Run
from migrate.programs.graph.wording.spelled import Source, Spelled

PLAIN = (ast.Name, ast.Attribute)


def check(walker: Any, node: ast.Call, reason: str) -> None:
    """See whether a call is given a dict whose keys are told.

    Raises:
        Spelled: it is.
    """
    hidden = [k for k in node.keywords if k.arg is None]
    if any(isinstance(a, ast.Starred) for a in node.args) or not hidden:
        return
    if not all(isinstance(k.value, PLAIN) for k in hidden):
        return
    run = Run(walker)
    try:
        run.entries()
    except (Stop, RecursionError):
        return
    texts = Texts(walker, run)
    if not texts.trusted(texts.home(node)):
        return
    told: dict[int, list[str]] = {}
    given = [k.arg for k in node.keywords if k.arg is not None]
    for keyword in hidden:
        keys = _keys([fact.value for fact in run.facts.get(id(keyword.value), ())])
        if keys is None or set(keys) & set(given):
            return
        told[id(keyword)] = keys
        given += keys
    tree = walker.files.at(node).tree
    texts_there = [n for n in all_of(tree, ast.Constant) if _word(n)]

    def written(source: Source) -> str | None:
        text = source(node)
        mark = source(texts_there[0])[-1] if texts_there else "'"
        for keyword in hidden:
            name = source(keyword.value)
            said = [f"{key}={name}[{mark}{key}{mark}]" for key in told[id(keyword)]]
            if text.count(f"**{name}") != 1:
                return None
            text = text.replace(f"**{name}", ", ".join(said))
        return text

    raise Spelled(node, reason, [(node, written)])


def _keys(values: list[Any]) -> list[str] | None:
    """The keys that all dicts have; None where they differ, or aren't told."""
    if not values or not all(isinstance(v, dict) and v for v in values):
        return None
    keys = list(values[0])
    same = all(set(v) == set(keys) for v in values)
    return keys if same and all(isinstance(k, str) and k.isidentifier() for k in keys) else None


def _word(node: ast.Constant) -> bool:
    """Whether a constant is a text of a word, whose quotes are the author's."""
    return isinstance(node.value, str) and node.value.isidentifier()
