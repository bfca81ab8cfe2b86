"""`tf.Summary`: values by tag that the program itself puts into what it writes."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, parents_of
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Kind, Value
from migrate.programs.graph.summarizing import parsed_summaries
from migrate.programs.graph.walk import Walker, family


@dataclass(slots=True, eq=False, repr=False)
class Made:
    """A ``tf.Summary`` that the program fills itself."""

    call: ast.Call

    def attribute(self, walker: Walker, node: ast.Attribute) -> Value:
        """``summary.value``; what a run gives may be parsed into it."""
        if node.attr == "ParseFromString":
            parsed_summaries.check(walker, node, self.call)
        if node.attr != "value":
            raise Blocked(node, f"`.{node.attr}` of a tf.Summary isn't followed")
        return Value(Kind.OTHER, Filled(self, node.value), node=node)

    def written_from(self, walker: Any, container: ast.expr) -> bool:
        """Whether it is put into a list whose items are only written."""
        scope = walker.frame.node
        if not isinstance(container, ast.Name) or not isinstance(scope, ast.FunctionDef):
            return False
        parents = parents_of(scope)
        items: set[str] = set()
        for n in all_of(scope, ast.Name):
            if n.id != container.id:
                continue
            at = parents[id(n)]
            if isinstance(at, ast.For) and at.iter is n and isinstance(at.target, ast.Name):
                items.add(at.target.id)
            elif not (_put(at, parents) or _begun(at, n)):
                return False
        for n in (n for n in all_of(scope, ast.Name) if n.id in items):
            at = parents[id(n)]
            written = isinstance(at, ast.Call) and at.args[:1] == [n]
            written = written and getattr(getattr(at, "func", None), "attr", "") == "add_summary"
            if not written and not (isinstance(at, ast.For) and at.target is n):
                return False
        return bool(items)

    def method(self, walker: Walker, owner: Value, attribute: str, node: ast.Call) -> Value:
        """Nothing else of it is followed."""
        raise Blocked(node, f"`.{attribute}()` of a tf.Summary isn't followed")


@dataclass(slots=True, eq=False, repr=False)
class Filled:
    """``summary.value``, which gets one value more."""

    made: Made
    owner: ast.expr

    def method(self, walker: Walker, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``summary.value.add(tag=…, simple_value=…)``."""
        if attribute != "add" or walker.frame.region is None or not alone(walker, node):
            raise Blocked(node, f"`.{attribute}()` of a tf.Summary's values isn't followed")
        entry = _entry(walker, node)
        target = self.owner
        walker.rewrites[id(node)] = lambda w: w.module.summaries.put(target, entry)
        return HOST


CONVERTED = T + "convert_to_tensor"


def alone(walker: Walker, node: ast.Call) -> bool:
    """Whether a call is a statement."""
    return isinstance(walker.stmt, ast.Expr) and walker.stmt.value is node


# Which kind of summary a value is, as it is written: one, or what decides, and either.
Which = str | tuple[ast.expr, "Which", "Which"]
OWN_IMAGES = ("own images",)  # among what a walk keeps
FIELDS = {"simple_value": "scalars", "image": "images"}


@dataclass(slots=True, eq=False, repr=False)
class Entry:
    """A ``Summary.Value``: a number under a tag, or a number or an image."""

    tag: ast.expr
    value: ast.expr
    which: Which = "scalars"


def _entry(walker: Walker, node: ast.Call) -> Entry:
    """The tag and the number of a ``Summary.Value``."""
    given = {k.arg: k.value for k in node.keywords}
    if isinstance(given.get("node_name"), ast.Constant):
        del given["node_name"]  # a field that isn't read any more
    fields = [arg for arg in given if arg in FIELDS]
    if node.args or len(fields) != 1 or set(given) != {"tag", *fields}:
        raise Blocked(node, "a value of a tf.Summary that isn't a number")
    which = FIELDS[str(fields[0])]
    tag, value = given["tag"], given[fields[0]]
    walker.host(tag)
    if walker.endpoints.get(id(getattr(value, "func", None))) == CONVERTED:
        if walker.expression(value).kind is not Kind.CONST:
            raise Blocked(value, "a value of a tf.Summary that isn't a number")
    elif which != "scalars":
        raise Blocked(node, "a value of a tf.Summary that isn't a number")
    else:
        walker.host(value)
    return Entry(tag, value, which)


def _decided(walker: Walker, node: ast.expr, name: str) -> Entry:
    """A ``Summary.Value``, or one of two under one tag: a number or an image."""
    if isinstance(node, ast.IfExp):  # of a respelled program: both are of one value
        first, second = (_decided(walker, n, name) for n in (node.body, node.orelse))
        if any(
            ast.dump(getattr(first, k)) != ast.dump(getattr(second, k)) for k in ("tag", "value")
        ):
            raise Blocked(node, "one value of a tf.Summary or another")
        walker.test(node.test)
        return Entry(first.tag, first.value, (node.test, first.which, second.which))
    if not isinstance(node, ast.Call) or walker.endpoints.get(id(node.func)) != name:
        raise Blocked(node, "the values of a tf.Summary aren't seen")
    return _entry(walker, node)


@family(T + "Summary", T + "summary.Summary")
def summary_proto(walker: Walker, name: str, node: ast.Call) -> Value:
    """``tf.Summary()`` and ``tf.Summary(value=[tf.Summary.Value(…)])``."""
    given = {k.arg: k.value for k in node.keywords}
    if node.args or set(given) - {"value"}:
        raise Blocked(node, "a tf.Summary that isn't followed")
    listed = given.get("value")
    items = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else [listed]
    entries = [_decided(walker, item, f"{name}.Value") for item in items if item is not None]
    if any(entry.which != "scalars" for entry in entries):
        if len(entries) > 1:
            raise Blocked(node, "a tf.Summary of images beside other values")
        if walker.summaries.setdefault("image", 3) != 3:
            raise Blocked(node, "how many images are kept differs or isn't seen")
        walker.kept[OWN_IMAGES] = True
    walker.rewrites[id(node)] = lambda w: w.module.summaries.literal(entries)
    return Value(Kind.OTHER, Made(node), node=node)


def _put(at: ast.AST, parents: dict[int, ast.AST]) -> bool:
    call = parents.get(id(at))
    return (
        isinstance(at, ast.Attribute)
        and at.attr == "append"
        and isinstance(call, ast.Call)
        and call.func is at
    )


def _begun(at: ast.AST, name: ast.Name) -> bool:
    empty = isinstance(at, ast.Assign) and isinstance(at.value, ast.List) and not at.value.elts
    return empty and isinstance(at, ast.Assign) and at.targets == [name]


__all__ = ["Entry", "Made", "alone"]
