"""``UPDATE_OPS``: which runs update the averages of batch normalization."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.listing import scopes_of_objects
from migrate.programs.graph.made import Norm
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Step, Value
from migrate.programs.graph.scoping.scopes import scope_name
from migrate.programs.graph.wording import spelled

OWN = ("update ops of own scopes",)
REASON = "update ops in a loop, a branch or a helper"
UPDATES = ("calls that ask for update ops",)


@dataclass(slots=True, eq=False, repr=False)
class Updates:
    """``tf.get_collection(tf.GraphKeys.UPDATE_OPS)``: the updates of what was built before."""

    norms: frozenset[int]  # by the layers' calls
    others: frozenset[int] = frozenset()  # those that other functions or classes have made


def collected(walker: Any, node: ast.Call, scope: ast.expr | None) -> Value:
    """The updates so far; what waits for them has the averages updated.

    Raises:
        Blocked: which of them a scope has isn't seen.
    """
    if walker.frame.region is None or walker.frame.region.inputs is not None or walker.nested:
        _above(walker, node)
        raise Blocked(node, REASON)
    walker.kept.setdefault(UPDATES, set()).add(id(node))
    here = [(s, norm) for s, norm in walker.norms if s.region is walker.frame.region]
    here = [(s, norm) for s, norm in here if not at_once(walker, norm)]
    others = _others(walker)
    if scope is not None and not (isinstance(scope, ast.Constant) and scope.value is None):
        if not isinstance(scope, ast.Constant) and _of_object(walker, here, node, scope):
            if others:
                raise Blocked(scope, "the update ops of a scope, beside another object's")
            return _waiting(walker, here, node)
        word = scope.value if isinstance(scope, ast.Constant) else None
        if not isinstance(word, str) or not word.replace("_", "a").isalnum():
            raise Blocked(scope, "the update ops of a scope whose name isn't seen")
        here = [(s, norm) for s, norm in here if _within(walker, norm, word, node)]
        others = [norm for norm in others if _within(walker, norm, word, node)]
    return _waiting(walker, here, node, others)


def _others(walker: Any) -> list[int]:
    """The normalizations of the graph that another function or class has made, as an object has."""
    region, mine = walker.frame.region, {id(o.layer) for o in walker.owned}
    return [
        norm
        for step, norm in walker.norms
        if step.region is not region and step.region.inputs is None
        if norm in mine and norm not in walker.past and not at_once(walker, norm)
    ]


def at_once(walker: Any, norm: int) -> bool:
    """Whether a normalization updates its averages by itself, `updates_collections=None`."""
    layer = walker.layers.get(norm)
    return layer is not None and layer.norm is not None and layer.norm.at_once


def _above(walker: Any, node: ast.Call) -> None:
    """``sess.run([train, tf.get_collection(…)])`` in a loop: the updates are asked for above it.

    Raises:
        Spelled: the loop makes none.
    """
    loop, region = walker.sink.node, walker.frame.region
    if region is None or region.inputs is not None or not walker.fetching:
        return
    if not isinstance(loop, (ast.For, ast.While)) or walker._variables_made(loop):
        return
    name = spelled.free(walker, "update_ops")
    lines = [(loop, lambda source: [f"{name} = {source(node)}"])]
    raise spelled.Spelled(node, REASON, [(node, spelled.word(name))], lines)


def _waiting(
    walker: Any, here: list[tuple[Step, int]], node: ast.Call, others: Iterable[int] = ()
) -> Value:
    """The updates as an op, for which the statement at hand waits."""
    value = Value(Kind.OP, Updates(frozenset(norm for _, norm in here), frozenset(others)))
    sink = walker.sink
    groups = [n for n in all_of(sink.node, ast.Call) if n is not node]
    groups = [n for n in groups if walker.endpoints.get(id(n.func)) == T + "group"]
    if any(node in walk(group) for group in groups):
        sink.updates.update(norm for _, norm in here)
        sink.updates.update(others)
    sink.after.extend(dict.fromkeys(step for step, _ in here if step is not sink))
    sink.value = value
    return value


def _of_object(walker: Any, here: list[tuple[Step, int]], node: ast.Call, scope: ast.expr) -> bool:
    """Whether it is the scope that an object is given, and all of its normalizations are in it."""
    region, said = walker.frame.region, scope_name(scope)
    if said is None or "{" not in said or not isinstance(region.node, ast.ClassDef):
        return False
    mine = {norm for _, norm in here}
    paths = [(o.path, o.layer) for o in walker.owned if id(o.layer) in mine]
    head = f"{said.rstrip('/')}/"
    opened = list(_scopes(walker, region.node, said))
    inside = (
        path.startswith(head) if path is not None else any(holds(block, layer) for block in opened)
        for path, layer in paths
    )
    if len(paths) < len(mine) or not all(inside):
        return False
    walker.kept.setdefault(("scopes of objects", id(region)), []).append((said, scope))
    walker.kept.setdefault(OWN, {})[id(node)] = (region, node)
    return True


def _scopes(walker: Any, cls: ast.ClassDef, said: str) -> Iterator[ast.With]:
    """The blocks of a class that open a scope, in no other one."""
    blocks = all_of(cls, ast.With)
    for block in blocks:
        first = block.items[0].context_expr
        if not isinstance(first, ast.Call) or not first.args:
            continue
        if walker.endpoints.get(id(first.func)) == T + "variable_scope":
            outer = any(holds(b, block) for b in blocks if b is not block)
            if scope_name(first.args[0]) == said and not outer:
                yield block


def check(walker: Any) -> None:
    """See that no object finds another one's updates, now that all objects are made.

    Raises:
        Blocked: one may.
    """
    for region, node in walker.kept.get(OWN, {}).values():
        scopes_of_objects.check(walker, region, node)


def _within(walker: Any, norm: int, word: str, node: ast.Call) -> bool:
    """Whether the averages of a call stand in a scope."""
    layer = walker.layers[norm]
    paths = [layer.path]
    if layer.factory is not None:
        region = walker.entered[id(layer.factory)]
        head = [s for s in layer.scopes if s]
        inner = [walker.layers[n].path for s, n in walker.norms if s.region is region]
        paths = ["/".join([*head, p]) if p else None for p in inner]
    if None in paths:
        raise Blocked(node, "the update ops of a scope, where a name isn't seen")
    said = {str(p).startswith(word) for p in paths}
    if len(said) > 1:
        raise Blocked(node, "some of the update ops of a function's layers")
    return said == {True}


def updated(steps: Iterable[Step]) -> set[int]:
    """The statements' batch normalizations whose averages a run of some steps updates."""
    found: set[int] = set()
    for step in steps:
        found |= step.updates
        for data in _waited(step):
            found |= data.norms | data.others
    return found


def of_others(steps: Iterable[Step]) -> Iterator[int]:
    """Those of them that another function or class has made."""
    for step in steps:
        for data in _waited(step):
            yield from data.others


def _waited(step: Step) -> Iterator[Updates]:
    for waited in (step, *step.after):
        if waited.value is not None and isinstance(waited.value.data, Updates):
            yield waited.value.data


def needed(step: Step) -> bool:
    """Whether the gradient of what a statement computes needs values of its own ops.

    TF 1 then runs what they wait for: not for ``tf.identity(loss)``, or a sum.
    """
    called = [ast.unparse(n.func) for n in all_of(step.node, ast.Call)]
    inner = [
        n
        for n in all_of(step.node, ast.Call)
        if ast.unparse(n.func).rpartition(".")[2] in ("square", "pow", "log", "exp")
        and n.args
        and isinstance(n.args[0], (ast.BinOp, ast.Call))
    ]
    return bool(inner) or any("cross_entropy" in name or ".losses." in name for name in called)


def norms_of(walker: Any, steps: Iterable[Step]) -> Iterator[tuple[Norm, ast.Call]]:
    """The batch normalizations that steps call, each with the call in the steps themselves."""
    for step in steps:
        for node in walk(step.node):
            layer = walker.layers.get(id(node))
            if layer is None:
                continue
            if layer.norm is not None and not layer.norm.kind:
                yield layer.norm, layer.call
            if layer.factory is not None:
                region = walker.entered[id(layer.factory)]
                for norm, _ in norms_of(walker, filter(_counts, region.steps)):
                    yield norm, layer.call


def _counts(step: Step) -> bool:
    """Whether a function's step is no block around others."""
    return step.moves or step.value is not None or isinstance(step.node, ast.Return)
