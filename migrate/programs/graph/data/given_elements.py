"""Elements under a name that functions are given, which fetch them: they are given the iterators.

``train = reader.producer(words)``, ``run_epoch(sess, model, train)`` and in it ``sess.run(data)``:
each call takes from the iterator of what it is given, which keeps the author's name.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.data import dataset_names
from migrate.programs.graph.data.iterators import Iterator, Part
from migrate.programs.graph.model import Blocked, Value


def lent(
    walker: Any, target: ast.FunctionDef, name: str, value: Value, node: ast.Call
) -> Value | None:
    """What a function that runs a session knows an element by; None: it is none, or a part of one.

    Raises:
        Blocked: the iterator can't be written where the element is.
    """
    element = value.data.element if isinstance(value.data, Part) else None
    if element is None or element.several or len(element.symbols) != 1:
        return None
    if type(element.iterator) is not Iterator or "." in element.iterator.name:
        return None
    symbol = element.symbols[0]
    said = [a for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Name)]
    said = [a for a in said if walker.frame.env.get(a.id) is symbol]
    if not said:
        raise Blocked(node, "an iterator's next element is given away under another name")
    home = walker.frame.node
    if not isinstance(home, ast.FunctionDef):
        home = walker.files.at(node).tree or walker.tree
    own = element.iterator.name in walker.kept.get("iterators", ())
    if own and len(dataset_names.stores_of(home, symbol.name)) == 1:
        element.iterator.name = symbol.name  # the author's name for what it gives
    for place in said:
        walker.rewrites[id(place)] = lambda _: element.iterator.name
    made: Value = element.parameter(walker, target, name, node)
    return made
