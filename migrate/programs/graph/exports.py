"""`tf.saved_model.simple_save`: a graph's tensors as the signature of a SavedModel.

What is saved is a function of TF 2 that gives the outputs, fed the inputs: as of a run of a session
that nobody makes here.
"""

from __future__ import annotations

import ast
import keyword
from typing import Any

from migrate.programs.graph import later_runs, meaning
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Export,
    Feed,
    Fetch,
    Kind,
    Site,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.slices import has_default, is_direct


@family(T + "saved_model.simple_save")
def simple_save(walker: Any, name: str, node: ast.Call) -> Value:
    """A SavedModel with one signature.

    Raises:
        Blocked: its inputs or outputs aren't seen, or another session's variables are saved.
    """
    given = walker.bound(name, node)
    inputs, outputs = given.get("inputs"), given.get("outputs")
    if set(given) != {"session", "export_dir", "inputs", "outputs"}:
        raise Blocked(node, "these arguments of a SavedModel aren't followed")
    region, stmt = walker.frame.region, walker.stmt
    alone = isinstance(stmt, ast.Expr) and stmt.value is node and not walker.nested
    if region is None or walker.loops or not alone or isinstance(region.node, ast.ClassDef):
        raise Blocked(node, "a SavedModel in a loop, a branch, a helper or an object")
    session = walker.expression(given["session"])
    if session.kind is not Kind.SESSION:
        raise Blocked(given["session"], f"a SavedModel of {described(session)}")
    other = session.data in meaning.SESSIONS and session.node is not walker.latest
    if other and session.node not in walker.lasting and walker.stateful:
        raise Blocked(node, "two sessions in turn, each with variables of its own")
    walker.host(given["export_dir"])
    feeds = [_fed(walker, key, value) for key, value in _entries(inputs)]
    leaves = [_fetched(walker, value) for _, value in _entries(outputs)]
    walker.again()
    later_runs.ran(walker, node)
    assert outputs is not None
    fetch = Fetch(outputs, Value(Kind.FETCH), leaves, "list")
    site = Site(node, fetch, feeds, None, walker.stmt, walker.sink)
    site.export = Export(
        given["export_dir"],
        {key: f.symbol for (key, _), f in zip(_entries(inputs), feeds, strict=True)},
        [key for key, _ in _entries(outputs)],
    )
    if is_direct(site):
        raise Blocked(outputs, "a SavedModel of what no run computes")
    walker.sites[id(node)] = site
    walker.kept["graphs of", id(node)] = frozenset(walker.at_hand)
    walker.sink.sites.append(site)
    walker.frame.region.sites.append(site)
    return HOST


def _entries(node: ast.expr | None) -> list[tuple[str, ast.expr]]:
    """The entries of a dict display whose keys are written.

    Raises:
        Blocked: it is another dict.
    """
    if not isinstance(node, ast.Dict) or not node.keys:
        raise Blocked(node or ast.Pass(), "a SavedModel's inputs or outputs aren't seen")
    found: list[tuple[str, ast.expr]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise Blocked(node, "a SavedModel's inputs or outputs aren't seen")
        found.append((key.value, value))
    return found


def _fed(walker: Any, key: str, node: ast.expr) -> Feed:
    """An input: a placeholder, under a name that a function's argument may have."""
    value = walker.expression(node)
    symbol: Symbol | None = value.symbol
    plain = value.kind is Kind.PLACEHOLDER and value.data == T + "placeholder"
    if symbol is None or not plain or has_default(symbol):
        raise Blocked(node, f"an input of a SavedModel is {described(value)}")
    if not key.isidentifier() or keyword.iskeyword(key):
        raise Blocked(node, f"an input of a SavedModel is called `{key}`")
    return Feed(symbol, node, node)


def _fetched(walker: Any, node: ast.expr) -> Fetch:
    """An output: a tensor."""
    found: Fetch = walker.fetch(node)
    if found.items is not None or found.value.kind is not Kind.TENSOR:
        raise Blocked(node, f"an output of a SavedModel is {described(found.value)}")
    if found.value.symbol is None or not isinstance(node, (ast.Name, ast.Attribute)):
        raise Blocked(node, "an output of a SavedModel has no name")
    return found
