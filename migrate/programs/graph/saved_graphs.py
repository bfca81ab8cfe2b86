"""A graph that is saved beside a checkpoint, for a program that reads it from there.

In TF 1 that is the checkpoint's ``.meta`` file. What stands for it is a SavedModel with a signature
for each run of the reader; `migrate.rewriters.sessions.meta_graphs` writes the call that saves it,
``saver.save_graph(sess, folder, {key: (inputs, outputs)})``, behind the Saver's ``save``.
"""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from migrate.engine.trees import all_of, holds
from migrate.programs.graph import exports, first_names, later_runs, named_ops, object_variables
from migrate.programs.graph.model import HOST, Blocked, Export, Feed, Fetch, Kind, Site, Value
from migrate.programs.graph.slices import is_direct
from migrate.programs.graph.spelled import Spelled, word

SAVES, READ = "save_graph", "read by another program"
WHY = "another program reads this graph"


def save(walker: Any, saver: Any, node: ast.Call) -> Value:
    """A SavedModel of a Saver's variables, with signatures.

    Raises:
        Spelled: its inputs and outputs are names of ops, and what they are of is seen.
        Blocked: it isn't.
    """
    session, folder, signatures = node.args
    assert isinstance(signatures, ast.Dict)
    if walker.frame.region is None:
        raise Blocked(node, f"{WHY}, which is saved in a function that builds")
    if walker.expression(session).kind is not Kind.SESSION:
        raise Blocked(session, "the session that is saved isn't seen")
    if saver.whole < 0:
        raise Blocked(node, f"{WHY}, and not all of its variables are saved")
    walker.host(folder)
    _named(walker, signatures)
    walker.kept[SAVES, id(node)] = saver
    walker.again()
    later_runs.ran(walker, node)
    for key, value in zip(signatures.keys, signatures.values, strict=True):
        assert isinstance(key, ast.Constant)
        assert isinstance(value, ast.Tuple)
        if (SAVES, id(value)) in walker.kept:
            continue  # the body of a loop is seen again
        own = ast.copy_location(ast.Call(value, [], []), node)
        walker.kept[SAVES, id(value)] = own
        inputs, outputs = value.elts
        feeds: dict[str, Feed] = {
            name: exports.fed(walker, name, given)
            for name, given in exports.entries(walker, inputs)
        }
        leaves: dict[str, Fetch] = {
            name: exports.fetched(walker, given) for name, given in exports.entries(walker, outputs)
        }
        fetch = Fetch(node, Value(Kind.FETCH), list(leaves.values()), "list")
        site = Site(own, fetch, list(feeds.values()), None, walker.stmt, walker.sink)
        fed = {name: feed.symbol for name, feed in feeds.items()}
        site.export = Export(folder, fed, list(leaves), str(key.value), None, node)
        if is_direct(site):
            raise Blocked(node, f"{WHY}, and wants what no run computes")
        walker.sites[id(own)] = site
        walker.kept["graphs of", id(own)] = frozenset(walker.at_hand)
        walker.sink.sites.append(site)
        walker.frame.region.sites.append(site)
    return HOST


def _named(walker: Any, signatures: ast.Dict) -> None:
    """Say what the program calls what a signature has by the names of ops.

    Raises:
        Spelled: all of them are seen.
        Blocked: one isn't.
    """
    displays = [d for v in signatures.values if isinstance(v, ast.Tuple) for d in v.elts]
    named = [
        value
        for display in displays
        for value in (display.values if isinstance(display, ast.Dict) else ())
        if isinstance(value, ast.Constant)
    ]
    written = [(n, word(_called(walker, n, str(n.value)))) for n in named]
    if written:
        raise Spelled(named[0], WHY, written)


def _called(walker: Any, node: ast.Constant, name: str) -> str:
    """What the program calls an op's first result here, by the op's name.

    Raises:
        Spelled: it is to be an attribute of its object.
        Blocked: it isn't seen, or may be another one's.
    """
    *scopes, last = name.partition(":")[0].split("/")
    found: list[tuple[ast.ClassDef, ast.Call, dict[int, list[ast.stmt]]]] = []
    for tree in walker.program():
        calls = [c for c in all_of(tree, ast.Call) if first_names.says(walker, c) == last]
        around = first_names.around_calls(tree) if calls else {}
        for call in calls:
            classes = [b for b in around[id(call)] if isinstance(b, ast.ClassDef)]
            mine = first_names.scoped(walker, around[id(call)]) == scopes
            if classes and mine and not first_names.opens(walker, call):
                found.append((classes[0], call, around))
    if len(found) != 1 or holds(found[0][0], walker.frame.node):
        return named_ops.called(walker, node, name, READ)
    ((cls, call, around),) = found

    def stop(why: str) -> NoReturn:
        raise Blocked(node, f"`{name}` is {READ} by its name, and {why}")

    region = next((r for r in walker.regions if r.node is cls), None)
    if region is None:
        stop("its object isn't seen here")
    ((one, owner), *more) = object_variables.owners(walker, region, node)
    if more or not one.once:
        stop("there may be several objects of its class")
    if one.scoped:
        stop("its object is made in a scope")
    path = "/".join((*scopes, last))
    first_names.check(walker, node, call, path, around, stop, made=one.call)
    made = named_ops.own(around[id(call)][-1], call)
    if isinstance(made, ast.Attribute):
        stores = [n for n in all_of(cls, ast.Attribute) if n.attr == made.attr]
        if sum(isinstance(n.ctx, ast.Store) for n in stores) > 1:
            stop("what it is called changes")
        return f"{owner}.{made.attr}"
    method = next(b for b in around[id(call)] if isinstance(b, ast.FunctionDef))
    itself = method.args.args[0].arg if method.args.args else ""
    if not isinstance(made, ast.Name) or method not in cls.body or not itself:
        stop("it has no name")
    why = f"`{name}` is {READ} by its name"
    raise Spelled(node, why, named_ops.as_attribute(cls, method, itself, made))
