"""Collections of one's own: variables that are put into them when they are made.

``tf.get_variable(…, collections=['target_net_params', tf.GraphKeys.GLOBAL_VARIABLES])`` and later
``tf.get_collection('target_net_params')``: a list of variables.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.listing import collection_names
from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.made import Layer
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Instance, Kind, Region, Step, Symbol, Value
from migrate.programs.graph.objects import bases

GRAPH_KEYS = T + "GraphKeys."
EVERY = frozenset({"GLOBAL_VARIABLES", "VARIABLES"})
KNOWN = EVERY | {"TRAINABLE_VARIABLES"}
ARGUMENT = "collections"


@dataclass(frozen=True, slots=True)
class Given:
    """What the calls of a function say with one of its parameters."""

    parameter: str


def put(walker: Any, call: ast.Call, node: ast.expr) -> None:
    """Remember which collections a variable is made in.

    Raises:
        Blocked: they aren't seen, or aren't those of all variables and the program's own.
    """
    if isinstance(node, ast.Constant) and node.value is None:
        return
    region = walker.frame.region
    symbol = walker.frame.env.get(node.id) if isinstance(node, ast.Name) else None
    if symbol is not None and region.inputs is not None and symbol.step.node is region.node:
        if _parameters_only(region.node, symbol.name):
            walker.kept.setdefault("own collections", {})[id(call)] = (Given(symbol.name),)
            walker.kept.setdefault("collections given", {}).setdefault(id(region.node), set()).add(
                symbol.name
            )
            return
    walker.kept.setdefault("own collections", {})[id(call)] = _own(walker, node)


def plain(walker: Any, call: ast.Call) -> None:
    """The same of a `tf.Variable`: what it is given goes, where a statement gives it a name."""
    stmt = walker.stmt
    items = [*call.args, *call.keywords]
    place = next((i for i, n in enumerate(items) if getattr(n, "arg", None) == ARGUMENT), None)
    named = isinstance(stmt, ast.Assign) and stmt.value is call
    if not place or not named or walker.nested or walker.frame.region is None:
        return
    with suppress(Blocked):  # it keeps what it is given
        put(walker, call, call.keywords[place - len(call.args)].value)
        last = place == len(items) - 1
        pair = (items[place - 1], items[place]) if last else (items[place], items[place + 1])
        walker.kept.setdefault("cut items", {})[id(stmt)] = [(*pair, last)]


def _own(walker: Any, node: ast.expr) -> tuple[str, ...]:
    """The collections of one's own in a list.

    Raises:
        Blocked: it isn't seen, or has others but that of all variables.
    """
    display = _display(walker, node)
    if display is None:
        raise Blocked(node, "a variable in collections that aren't seen")
    own: list[str] = []
    known: set[str] = set()
    for key in display.elts:
        name = walker.endpoints.get(id(key), "")
        if (said := collection_names.of(walker, key)) is not None:
            own.append(said)
        elif name.removeprefix(GRAPH_KEYS) in KNOWN:
            known.add(name.removeprefix(GRAPH_KEYS))
        else:
            raise Blocked(key, "a variable in a collection that isn't followed")
    if not known & EVERY:
        raise Blocked(node, "a variable that isn't among all variables")
    collection_names.told(walker, display.elts)
    return tuple(own)


def _parameters_only(target: ast.AST, name: str) -> bool:
    """Whether a function only says with a parameter which collections its variables are in."""
    told = {id(k.value) for k in all_of(target, ast.keyword) if k.arg == ARGUMENT}
    uses = [n for n in all_of(target, ast.Name) if n.id == name]
    return all(id(n) in told for n in uses)


def called(walker: Any, layer: Layer, region: Region, owned: Owned) -> Owned:
    """What a call of a function owns, with the collections that its variables are in.

    Raises:
        Blocked: they are in several, or the call doesn't say in which.
    """
    put = {o.collections for o in region.owned}
    if not any(put):
        return owned
    if len(put) > 1 or not owned.made:
        raise Blocked(layer.call, "a function whose variables are in several collections")
    (own,) = put
    if isinstance(own[0], Given):
        said = layer.given.get(own[0].parameter)
        none = isinstance(said, ast.Constant) and said.value is None
        if said is None:
            raise Blocked(layer.call, "a variable in collections that aren't seen")
        own = () if none else _own(walker, said)
    return replace(owned, collections=own)


def _display(walker: Any, node: ast.expr) -> ast.List | ast.Tuple | None:
    """The list of collections, where it is written or has a name."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return node
    symbol = walker.frame.env.get(node.id) if isinstance(node, ast.Name) else None
    made = symbol.step.node if symbol is not None else None
    if symbol is None or not isinstance(made, ast.Assign) or len(made.targets) != 1:
        return None
    target, value = made.targets[0], made.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for name, item in zip(target.elts, value.elts, strict=False):
            if isinstance(name, ast.Name) and name.id == symbol.name:
                value = item
                break
    if not isinstance(value, (ast.List, ast.Tuple)):
        return None
    walker.kept.setdefault("collection names", {}).setdefault(symbol, {})[id(node)] = value
    return value


def of(walker: Any, call: ast.AST | None) -> tuple[object, ...]:
    """The collections of one's own that a variable is in."""
    found: tuple[object, ...] = walker.kept.get("own collections", {}).get(id(call), ())
    return found


def shared(walker: Any, instance: Instance, asking: set[int]) -> bool:
    """Whether all lists in a class are collections of its own, which its objects have in common.

    In TF 1 each object finds there what those before it have put in, too. So it does in a list of
    the class: ``t_params = [*self.all_net_params, *self.net.variables]``.
    """
    lists = walker.kept.get("own lists", {})
    known = walker.kept.setdefault("shared lists", {})
    cls = instance.node
    keys = [lists[id_][0] for id_ in asking if id_ in lists]
    if cls.bases or cls not in walker.files.at(cls).tree.body or len(keys) != len(asking):
        return False
    if len(set(keys)) != len(keys):
        return False
    plain = True
    for node in (n for n in bases.nodes(walker, cls) if id(n) in asking and id(n) not in known):
        key, stmt, put = lists[id(node)]
        now = [o for o in walker.owned if key in o.collections]
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        inside = any(
            isinstance(member, ast.FunctionDef)
            and member.name == "__init__"
            and stmt in member.body
            for member in cls.body
        )
        name = f"all_{key}"
        used = any(
            name in (getattr(n, "attr", ""), getattr(n, "id", "")) for n in walk(walker.tree)
        )
        alone = inside and stmt.value is node and len(stmt.targets) == 1
        free = not used and now == put and key.isidentifier()
        if alone and free and isinstance(target, ast.Name):
            known[id(node)] = name
            _in_common(walker, cls, node, stmt, target.id, name)
        else:
            plain = False
    return plain


def _in_common(
    walker: Any, cls: ast.ClassDef, node: ast.AST, stmt: ast.stmt, target: str, name: str
) -> None:
    """Write a list of the class's."""
    own = walker.rewrites[id(node)]

    def written(writer: Any) -> str:
        mine: str = own(writer)
        return f"[*self.{name}, {mine[1:-1] if mine.startswith('[') else f'*{mine}'}]"

    walker.rewrites[id(node)] = written
    walker.afterwards.setdefault(id(stmt), []).append(lambda _: f"{cls.name}.{name} = {target}")
    lines = walker.kept.setdefault("class lines", {}).setdefault(id(cls), [])
    lines.append(f"{name} = []  # of all objects, as the collection is")


def unneeded(walker: Any) -> None:
    """Lists of collections under a name go: nothing else reads them.

    Raises:
        Blocked: something does.
    """
    names: dict[Symbol, dict[int, ast.expr]] = walker.kept.get("collection names", {})
    told = {id_ for uses in names.values() for id_ in uses}
    for symbol, uses in names.items():
        scope = symbol.step.function
        assert scope is not None
        inner = {
            id(n)
            for f in all_of(scope, ast.FunctionDef)
            if f is not scope
            if symbol.name in {a.arg for a in f.args.args}
            for n in walk(f)
        }
        for n in walk(scope):
            if (
                id(n) not in inner
                and isinstance(n, ast.Name)
                and n.id == symbol.name
                and isinstance(n.ctx, ast.Load)
            ):
                if id(n) not in told:
                    raise Blocked(n, "a list of collections is used for something else, too")
        _drop(walker, symbol, next(iter(uses.values())))
    collection_names.unread(walker)


def _drop(walker: Any, symbol: Symbol, value: ast.expr) -> None:
    step: Step = symbol.step
    made = step.node
    assert isinstance(made, ast.Assign)
    target = made.targets[0]
    if isinstance(target, ast.Name):
        symbol.value = Value(Kind.SETTING)
        step.kind, step.value = Kind.SETTING, HOST
        return
    assert isinstance(target, ast.Tuple)
    assert isinstance(made.value, ast.Tuple)
    if step.kind is not Kind.HOST:
        raise Blocked(made, "a list of collections beside other things")
    cuts = walker.kept.setdefault("cut items", {}).setdefault(id(made), [])
    place = made.value.elts.index(value)
    for items in (target.elts, made.value.elts):
        last = place == len(items) - 1
        cuts.append((items[place - 1] if last else items[place], items[place + (not last)], last))
