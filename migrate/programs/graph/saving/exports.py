"""`tf.saved_model.simple_save`: a graph's tensors as the signature of a SavedModel.

What is saved is a function of TF 2 that gives the outputs, fed the inputs: as of a run of a session
that nobody makes here.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Sequence
from typing import Any

from migrate.programs.graph import meaning
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
from migrate.programs.graph.running import later_runs
from migrate.programs.graph.saving import savers
from migrate.programs.graph.slices import has_default, is_direct

# `tf.saved_model.signature_constants`, measured on 1.15.5.
CONSTANTS = {
    **dict.fromkeys(("PREDICT_INPUTS", "CLASSIFY_INPUTS", "REGRESS_INPUTS"), "inputs"),
    **dict.fromkeys(("PREDICT_OUTPUTS", "REGRESS_OUTPUTS"), "outputs"),
    "CLASSIFY_OUTPUT_CLASSES": "classes",
    "CLASSIFY_OUTPUT_SCORES": "scores",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY": "serving_default",
}


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
    placed(walker, node, given["session"])
    walker.host(given["export_dir"])
    assert outputs is not None
    feeds = {key: fed(walker, key, value) for key, value in entries(walker, inputs)}
    leaves = {key: fetched(walker, value) for key, value in entries(walker, outputs)}
    saved(walker, node, given["export_dir"], [("serving_default", node, feeds, leaves)])
    return HOST


def placed(walker: Any, node: ast.Call, session_node: ast.expr) -> None:
    """See that a SavedModel is made once, of the session at hand.

    Raises:
        Blocked: it isn't.
    """
    region, stmt = walker.frame.region, walker.stmt
    alone = isinstance(stmt, ast.Expr) and stmt.value is node and not walker.nested
    if region is None or walker.loops or not alone or isinstance(region.node, ast.ClassDef):
        raise Blocked(node, "a SavedModel in a loop, a branch, a helper or an object")
    session = walker.expression(session_node)
    if session.kind is not Kind.SESSION:
        raise Blocked(session_node, f"a SavedModel of {described(session)}")
    other = session.data in meaning.SESSIONS and session.node is not walker.latest
    if other and session.node not in walker.lasting and walker.stateful:
        raise Blocked(node, "two sessions in turn, each with variables of its own")


# A signature: its key, a node that is its own, what it is fed, and gives.
Signed = tuple[str, ast.Call, dict[str, Feed], dict[str, Fetch]]


def saved(walker: Any, node: ast.Call, folder: ast.expr, signatures: Sequence[Signed]) -> None:
    """What a statement saves: a function for each signature.

    Raises:
        Blocked: one gives what no run computes.
    """
    walker.again()
    later_runs.ran(walker, node)
    everything = savers.of_all(walker, node)
    for key, own, feeds, leaves in signatures:
        fetch = Fetch(node, Value(Kind.FETCH), list(leaves.values()), "list")
        site = Site(own, fetch, list(feeds.values()), None, walker.stmt, walker.sink)
        inputs = {name: feed.symbol for name, feed in feeds.items()}
        site.export = Export(folder, inputs, list(leaves), key, everything)
        if is_direct(site):
            raise Blocked(node, "a SavedModel of what no run computes")
        walker.sites[id(own)] = site
        walker.kept["graphs of", id(own)] = frozenset(walker.at_hand)
        walker.sink.sites.append(site)
        walker.frame.region.sites.append(site)


def entries(walker: Any, node: ast.expr | None) -> list[tuple[str, ast.expr]]:
    """The entries of a dict display whose keys are written.

    Raises:
        Blocked: it is another dict.
    """
    if not isinstance(node, ast.Dict) or not node.keys:
        raise Blocked(node or ast.Pass(), "a SavedModel's inputs or outputs aren't seen")
    found: list[tuple[str, ast.expr]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        said = key.value if isinstance(key, ast.Constant) else _constant(walker, key)
        if not isinstance(said, str):
            raise Blocked(node, "a SavedModel's inputs or outputs aren't seen")
        found.append((said, value))
    return found


def _constant(walker: Any, node: ast.expr | None) -> str | None:
    """A key that is one of TensorFlow's constants."""
    return CONSTANTS.get(walker.endpoints.get(id(node), "").rpartition(".")[2])


def fed(walker: Any, key: str, node: ast.expr) -> Feed:
    """An input: a placeholder, under a name that a function's argument may have."""
    return feed(walker, key, node, walker.expression(node))


def feed(walker: Any, key: str, node: ast.expr, value: Value) -> Feed:
    """An input, by what it is: a placeholder, or ``tf.identity`` of one.

    Raises:
        Blocked: it is something else, or its key no name.
    """
    symbol: Symbol | None = value.symbol
    made = symbol.step.node if symbol is not None and value.kind is Kind.TENSOR else None
    if isinstance(made, ast.Assign) and isinstance(made.value, ast.Call):
        call = made.value
        same = walker.endpoints.get(id(call.func)) == T + "identity" and len(made.targets) == 1
        given = call.args[0] if same and call.args else None
        inner = walker.meant.get(id(given))
        if inner is not None:
            symbol, value = inner, inner.value
    plain = value.kind is Kind.PLACEHOLDER and value.data == T + "placeholder"
    if symbol is None or not plain or has_default(symbol):
        raise Blocked(node, f"an input of a SavedModel is {described(value)}")
    if not key.isidentifier() or keyword.iskeyword(key):
        raise Blocked(node, f"an input of a SavedModel is called `{key}`")
    return Feed(symbol, node, node)


def fetched(walker: Any, node: ast.expr) -> Fetch:
    """An output: a tensor."""
    return output(node, walker.fetch(node))


def output(node: ast.expr, found: Fetch) -> Fetch:
    """An output, by what is fetched.

    Raises:
        Blocked: it is no tensor with a name.
    """
    if found.items is not None or found.value.kind is not Kind.TENSOR:
        raise Blocked(node, f"an output of a SavedModel is {described(found.value)}")
    if found.value.symbol is None or not isinstance(node, (ast.Name, ast.Attribute)):
        raise Blocked(node, "an output of a SavedModel has no name")
    return found
