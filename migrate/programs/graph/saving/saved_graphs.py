"""A graph that is saved beside a checkpoint, for a program that reads it from there.

In TF 1 that is the checkpoint's ``.meta`` file. What stands for it is a SavedModel, a signature
for each run of the reader. `migrate.rewriters.sessions.graph_writers` writes its call,
``saver.save_graph(sess, folder, {key: dict(inputs=…, outputs=…)})``, behind the Saver's ``save``.
"""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from migrate.engine.meta_graphs import COLLECTED
from migrate.engine.trees import all_of
from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Export, Feed, Fetch, Kind, Site, Value
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.running import later_runs
from migrate.programs.graph.saving import exports
from migrate.programs.graph.scoping import first_names, named_ops
from migrate.programs.graph.slices import is_direct
from migrate.programs.graph.wording.spelled import Spelled, word

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
        assert isinstance(value, ast.Call)
        if id(value) in walker.sites:
            continue  # the body of a loop is seen again
        inputs, outputs = (k.value for k in value.keywords)
        feeds: dict[str, Feed] = {
            name: exports.fed(walker, name, given) for name, given in _entries(walker, inputs)
        }
        leaves: dict[str, Fetch] = {}
        values: dict[str, ast.expr] = {}
        for name, given in exports.entries(walker, outputs):
            found = walker.fetch(given)
            if found.items is None and found.value.kind is Kind.VARIABLE:
                values[name] = given
            else:
                leaves[name] = exports.output(given, found)
        fetch = Fetch(node, Value(Kind.FETCH), list(leaves.values()), "list")
        site = Site(value, fetch, list(feeds.values()), None, walker.stmt, walker.sink)
        fed = {name: feed.symbol for name, feed in feeds.items()}
        site.export = Export(folder, fed, list(leaves), str(key.value), None, node, values)
        if leaves and is_direct(site):
            raise Blocked(node, f"{WHY}, and wants what no run computes")
        walker.sites[id(value)] = site
        walker.kept["graphs of", id(value)] = frozenset(walker.at_hand)
        walker.sink.sites.append(site)
        walker.frame.region.sites.append(site)
    return HOST


def _entries(walker: Any, display: ast.expr) -> list[tuple[str, ast.expr]]:
    return exports.entries(walker, display) if ast.unparse(display) != "{}" else []


def _named(walker: Any, signatures: ast.Dict) -> None:
    """Say what the program calls what a signature has by the names of ops.

    Raises:
        Spelled: all of them are seen.
        Blocked: one isn't.
    """
    displays = [k.value for v in all_of(signatures, ast.Call) for k in v.keywords]
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
    if name.startswith(COLLECTED):
        return _collected(walker, node, name.removeprefix(COLLECTED))
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
    if len(found) != 1:
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


def _collected(walker: Any, node: ast.Constant, name: str) -> str:
    """What the program calls the one thing that it has put into a collection."""

    def stop(why: str) -> NoReturn:
        raise Blocked(node, f"another program reads the collection `{name}`, and {why}")

    calls = [
        (tree, call)
        for tree in walker.program()
        for call in all_of(tree, ast.Call)
        if walker.endpoints.get(id(call.func)) == T + "add_to_collection"
        and len(call.args) == 2
        and getattr(call.args[0], "value", None) == name
    ]
    if len(calls) != 1:
        stop("what is in it isn't told")
    ((tree, call),) = calls
    put, home, here = call.args[1], function_around(tree, call), walker.files.at(node).tree
    if isinstance(put, ast.Name) and tree is here:
        around = function_around(tree, node)
        scopes = [tree, around] if around is not None and home is None else [home or tree]
        stores = [n for s in scopes for n in all_of(s, ast.Name) if n.id == put.id]
        once = len({id(n) for n in stores if isinstance(n.ctx, ast.Store)}) == 1
        if home in (None, around) and once:
            return put.id
    if isinstance(put, ast.Attribute) and tree is here:
        owner, symbol = ast.unparse(put.value), walker.frame.env.get(ast.unparse(put.value))
        if symbol is not None and symbol.value.kind is Kind.OBJECT:
            return f"{owner}.{put.attr}"
    return stop("what is in it has no name here")
