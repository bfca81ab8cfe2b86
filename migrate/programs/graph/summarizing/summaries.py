"""`tf.summary`: what is written to event files, under which tag, and when.

A summary that a run fetches becomes a dict of values by tag, which is written where the program
hands it to a `FileWriter`: a `tf.summary` inside a `tf.function` would keep the first writer that
it is traced with.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import constants
from migrate.programs.graph.fetching import profiled
from migrate.programs.graph.meaning import WRITERS
from migrate.programs.graph.model import HOST, Blocked, Kind, Region, Symbol, Value, described
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.scoping.op_names import scope_at, unique
from migrate.programs.graph.summarizing import (
    closed_writers,
    computed_tags,
    merged_elsewhere,
    object_summaries,
    result_summaries,
    summary_collections,
    summary_lists,
    summary_scopes,
    summary_steps,
)
from migrate.programs.graph.summarizing.summary_lists import Gathered
from migrate.programs.graph.summarizing.summary_protos import OWN_IMAGES, Made, alone
from migrate.programs.graph.walk import Schedule, T, Walker, family
from migrate.programs.graph.wording.spelled import Spelled, same

KINDS = {
    T + "summary.scalar": "scalar",
    T + "summary.histogram": "histogram",
    T + "summary.image": "image",
}
# Their names before TensorFlow 1.0.
OLD = {T + "scalar_summary": "scalar", T + "histogram_summary": "histogram"}
GRAPHS = "graphs"  # among what a walk keeps: where a graph is given to a writer


@dataclass(slots=True, eq=False, repr=False)
class Summary:
    """A value under a tag."""

    kind: str
    own: ast.expr  # its name as given
    tag: str | None  # with its scopes; None where the name is computed
    call: ast.Call
    data: ast.expr
    value: Value
    uses: dict[Symbol, None]
    hosts: set[str]
    source: Callable[[Any], str] | None = None  # of the data, where a function makes it
    collections: frozenset[str] = summary_collections.ALL
    region: Region | None = None  # what makes it
    scope: str | None = None  # in which it stands, in braces where that is computed
    most: int = 0  # how many images


@dataclass(slots=True, eq=False, repr=False)
class Summaries:
    """What a summary op gives: one value or several, and what a loop gathers."""

    items: Sequence[Summary | Gathered]


@dataclass(slots=True, eq=False, repr=False)
class Writer:
    """A ``FileWriter``."""

    call: ast.Call
    written: dict[int, ast.Call] = field(default_factory=dict)
    shown: bool = False  # it writes a function's graph

    @property
    def idle(self) -> bool:
        """Whether only the session's graph would be written, and no function's stands for it."""
        return not self.written and not self.shown

    def either(self, other: Writer) -> Either:
        """One of two writers, `train if training else test`."""
        return Either(self, other)

    def method(self, walker: Walker, owner: Value, attribute: str, node: ast.Call) -> Value:
        """What a ``FileWriter`` does.

        Raises:
            Blocked: something that isn't followed.
        """
        if walker.frame.region is None:
            raise Blocked(node, "a function that isn't followed writes summaries")
        if attribute == "add_summary":
            return self._add(walker, node)
        if attribute == "add_graph":
            walker.arguments(node)
            assert isinstance(node.func, ast.Attribute)
            return Value(Kind.OTHER, self.show(walker, node, node.func.value), node=node)
        if attribute == "add_run_metadata":
            return profiled.written(walker, node)
        if attribute in ("close", "flush") and not node.args and not node.keywords:
            if attribute == "close":
                closed_writers.check(walker, self.call, node)
            if walker.nested:
                source = ast.unparse(node)
                walker.rewrites[id(node)] = lambda _: "pass" if self.idle else source
                return HOST
            return Value(Kind.OTHER, Use(self), node=node)
        raise Blocked(node, f"`.{attribute}()` of a FileWriter isn't followed")

    def show(self, walker: Walker, node: ast.Call, owner: ast.expr) -> Shown:
        """A graph is given to the writer that an expression means."""
        named = isinstance(owner, (ast.Name, ast.Attribute))
        found = Shown(self, walker.stmt, node, ast.unparse(owner) if named else "")
        walker.kept.setdefault(GRAPHS, []).append(found)
        return found

    def _add(self, walker: Walker, node: ast.Call) -> Value:
        given = walker.bound(T + "summary.FileWriter.add_summary", node)
        summary, step = given.get("summary"), given.get("global_step")
        if summary is None or set(given) - {"summary", "global_step"}:
            raise Blocked(node, "these arguments aren't followed")
        value = walker.expression(summary)
        made = value.kind is Kind.OTHER and isinstance(value.data, Made)
        if value.kind is not Kind.HOST and not made:
            raise Blocked(summary, f"{described(value)} is written as a summary")
        if step is not None:
            kind = walker.expression(step).kind
            if kind not in (Kind.HOST, Kind.VARIABLE, Kind.NONE):
                raise Blocked(step, f"a summary's step is a {kind.value}")
        if not alone(walker, node):
            raise Blocked(node, "what writing a summary gives is used")
        self.written[id(node)] = node
        whole = step is None or not summary_steps.odd(walker, step)
        walker.rewrites[id(node)] = lambda w: w.module.summaries.add(
            node, summary, step, whole=whole
        )
        return HOST


@dataclass(slots=True, eq=False, repr=False)
class Either:
    """One of two writers."""

    first: Writer
    second: Writer

    def method(self, walker: Walker, owner: Value, attribute: str, node: ast.Call) -> Value:
        """What each of them does; a value is written, so neither is idle.

        Raises:
            Blocked: something that isn't followed.
        """
        if attribute not in ("add_summary", "flush"):
            raise Blocked(node, f"`.{attribute}()` of one FileWriter or another isn't followed")
        self.first.method(walker, owner, attribute, node)
        return self.second.method(walker, owner, attribute, node)


@dataclass(slots=True, eq=False, repr=False)
class Shown:
    """A graph that a writer is given."""

    writer: Writer
    stmt: ast.stmt
    call: ast.Call
    owner: str  # the writer's name; empty where it has none


@dataclass(slots=True, eq=False, repr=False)
class Use:
    """A writer is flushed or closed."""

    writer: Writer

    @property
    def idle(self) -> bool:
        """As its writer."""
        return self.writer.idle


@family(*WRITERS)
def file_writer(walker: Walker, name: str, node: ast.Call) -> Value:
    """A writer of event files."""
    if walker.frame.region is None:
        raise Blocked(node, "a function that isn't followed makes a FileWriter")
    given = walker.bound(WRITERS[0], node)
    graph = given.pop("graph", given.pop("graph_def", None))
    if graph is not None:
        none = isinstance(graph, ast.Constant) and graph.value is None
        if not _of_tensor(walker, graph) and walker.expression(graph).kind is not Kind.GRAPH:
            if not none:
                raise Blocked(graph, "the graph that is written isn't the session's")
    for argument, part in given.items():
        if argument not in ("logdir", "max_queue", "flush_secs", "filename_suffix"):
            raise Blocked(part, f"`{argument}` of a FileWriter")
        walker.host(part)
    walker.rewrites[id(node)] = lambda w: w.module.summaries.writer(given)
    writer, stmt = Writer(node), walker.stmt
    if graph is not None and not none:
        whole = isinstance(stmt, ast.Assign) and stmt.value is node and len(stmt.targets) == 1
        writer.show(
            walker, node, stmt.targets[0] if isinstance(stmt, ast.Assign) and whole else node
        )
    return Value(Kind.OTHER, writer, node=node)


def _of_tensor(walker: Walker, node: ast.expr) -> bool:
    """Whether a graph is that of a tensor: ``loss.graph``."""
    if not isinstance(node, ast.Attribute) or node.attr != "graph":
        return False
    sink = walker.sink
    walker.sink = type(sink)(-1, sink.node, Kind.HOST)
    owner = walker.expression(node.value)
    walker.sink = sink
    return owner.kind in (Kind.TENSOR, Kind.CONST, Kind.VARIABLE, Kind.PLACEHOLDER, Kind.OP)


@family(T + "get_default_graph")
def default_graph(walker: Walker, name: str, node: ast.Call) -> Value:
    """The graph: it may only be handed to a writer."""
    return Value(Kind.GRAPH, node=node)


@family(*KINDS, *OLD)
def summary(walker: Walker, name: str, node: ast.Call) -> Value:
    """A summary op."""
    kind = KINDS.get(name) or OLD[name]
    given = walker.bound(f"{T}summary.{kind}", node)
    if name in OLD:
        raise Blocked(node, "a summary under its name before TensorFlow 1.0")
    if walker.frame.region is None:
        why = Blocked(node, "summaries in a function that builds")
        training_helpers.summarized(walker, walker.frame.node, why)
        raise why
    data = given.get("tensor", given.get("values"))
    own = given.get("name")
    many = walker.nested or walker.loops
    if many and (kind == "image" or data is None or own is None or len(given) > 2):
        raise Blocked(node, summary_lists.REASON)
    most = 0
    if kind == "image":
        most = _images(walker, node, given.pop("max_outputs", None))
    else:
        walker.summaries[kind] = 0
    collections = summary_collections.put(walker, given.pop("collections", None))
    if data is None or own is None or set(given) - {"name", "tensor", "values"}:
        raise Blocked(node, "these arguments of a summary aren't followed")
    result_summaries.check(walker, node, own, data)
    region = walker.frame.region
    if region.inputs is not None:  # each call has its own, which no function of a layer gives
        why = Blocked(node, "a summary in a function that makes variables")
        training_helpers.summarized(walker, region.node, why)
    if many or (kind != "image" and summary_lists.appended_to(walker, node) is not None):
        return summary_lists.put(
            walker, kind, node, own, data, lambda said: _constant(walker, said, node)
        )
    walker.host(own)
    sink = walker.sink
    walker.sink = inner = type(sink)(-1, sink.node, Kind.HOST)
    value = walker.expression(data)
    walker.sink = sink
    scheduled = value.kind is Kind.OTHER and isinstance(value.data, Schedule)
    kinds = (Kind.TENSOR, Kind.CONST, Kind.VARIABLE, Kind.PLACEHOLDER, Kind.HOST)
    if value.kind in (Kind.TENSOR, Kind.CONST) and value.items is not None:
        _stacked(node, name, data, f"a summary of {described(value)}")
    if (value.kind not in kinds and not scheduled) or value.items is not None:
        raise Blocked(data, f"a summary of {described(value)}")
    if inner.impure is not None:
        raise Blocked(*inner.impure)
    try:
        tag = _tag(walker, own, node)
    except Blocked as error:
        from migrate.programs.graph.summarizing import summary_helpers

        summary_helpers.other_calls(walker, error)
        raise
    found = Summary(kind, own, tag, node, data, value, inner.uses, inner.hosts)
    found.collections = collections
    found.region, found.scope, found.most = region, object_summaries.scope_of(walker), most
    listed = walker.kept.setdefault("summaries", [])
    if not any(isinstance(s, Summary) and s.call is node for s in listed):
        listed.append(found)
    return _merged(walker, node, [found])


def _images(walker: Walker, node: ast.Call, given: ast.expr | None) -> int:
    """How many images a summary keeps: the others are given fewer than the one that keeps most.

    A summary of one image has another tag than one of several.
    """
    most = given.value if isinstance(given, ast.Constant) else 3 if given is None else None
    if not isinstance(most, int) or most < 1:
        raise Blocked(node, "how many images are kept differs or isn't seen")
    known = walker.summaries.setdefault("image", most)
    if most != known and (1 in (most, known) or OWN_IMAGES in walker.kept):
        raise Blocked(node, "how many images are kept differs or isn't seen")
    walker.summaries["image"] = max(most, known)
    return most


def _stacked(node: ast.Call, name: str, data: ast.expr, reason: str) -> None:
    """A summary of several tensors, ``(forth, back)``, which TF 1 makes one.

    Raises:
        Spelled: TensorFlow has a name here.
    """
    root, *rest = ast.unparse(node.func).split(".")
    whole = len(rest) == name.count(".")  # `tf.summary.histogram`, and not `histogram`
    if whole and isinstance(data, (ast.Name, ast.Attribute)):
        raise Spelled(node, reason, [(data, same(data, before=f"{root}.stack(", after=")"))])


@family(T + "summary.merge_all", T + "merge_all_summaries")
def merge_all(walker: Walker, name: str, node: ast.Call) -> Value:
    """All summaries so far."""
    given = walker.bound(T + "summary.merge_all", node)
    if set(given) - {"key"}:
        raise Blocked(node, "the summaries of a collection")
    key = summary_collections.key(walker, given.get("key"))
    items = summary_collections.of(walker, key)
    if not items and merged_elsewhere.idle(walker, node):
        return Value(Kind.SETTING, name, node=node)
    merged_elsewhere.check(walker, node, items)
    return _merged(walker, node, items)


@family(T + "summary.merge", T + "merge_summary")
def merge(walker: Walker, name: str, node: ast.Call) -> Value:
    """Some summaries."""
    given = walker.bound(T + "summary.merge", node)
    listed = given.get("inputs")
    if listed is None or set(given) - {"inputs", "name"}:
        raise Blocked(node, "these arguments of a merge aren't followed")
    sink = walker.sink
    walker.sink = type(sink)(-1, sink.node, Kind.HOST)
    value = walker.expression(listed)
    walker.sink = sink
    gathered = summary_lists.listed(walker, value)
    found: list[Summary | Gathered] = [] if gathered is None else [gathered]
    for _, item in value.items or [(0, Value(Kind.HOST))] if gathered is None else ():
        if not isinstance(item.data, Summaries):
            raise Blocked(listed, "the summaries that are merged aren't seen")
        found += item.data.items
    return _merged(walker, node, found)


def _merged(walker: Walker, node: ast.Call, items: list[Summary | Gathered]) -> Value:
    if not items:
        raise Blocked(node, "no summaries are seen that could be merged")
    if walker.frame.region is None or walker.nested:
        raise Blocked(node, "summaries in a loop, a branch or a function that builds")
    for item in items:
        if isinstance(item, Gathered):
            walker.sink.uses[item.symbol(walker, node)] = None
            continue
        walker.sink.uses.update(item.uses)
        walker.sink.hosts |= item.hosts
    walker.rewrites[id(node)] = lambda writer: writer.module.summaries.values(node, items, writer)
    return Value(Kind.TENSOR, Summaries(items), node=node)


# -- tags ------------------------------------------------------------------------------------


def _tag(walker: Walker, own: ast.expr, node: ast.Call) -> str | None:
    """A summary's tag: its name in its scopes, and free, as TF 1 names it."""
    if isinstance(own, ast.Constant):
        return _constant(walker, str(own.value), node)
    text = constants.text_of(own, walker.program())
    if text is not None:
        return _constant(walker, text, node)
    summary_scopes.check(walker, own, entered=True)
    scope = scope_at(walker, walker.outer)
    if scope or not isinstance(own, (ast.JoinedStr, ast.BinOp, ast.Attribute, ast.Name)):
        raise Blocked(own, "a summary's name is computed")
    odd = any(isinstance(n, (ast.Call, ast.Attribute)) for n in walk(own))
    if odd and not computed_tags.stays(walker, own):
        raise Blocked(own, "a summary's name is computed")
    return None


def _constant(walker: Walker, own: str, node: ast.Call) -> str:
    """The tag of a name that is written.

    Raises:
        Blocked: neither the places of all scopes nor the order of what was walked tell it.
    """
    try:
        return tag_of(walker, own, scope_at(walker, walker.outer), node, key=id(node))
    except Blocked:
        naming = walker.naming
        told = naming.once(node, clean(own), naming.ops)
        if told is None or any(layer.same is not None for layer in walker.layers.values()):
            raise  # a net that is applied again takes names that aren't counted
        walker.kept.setdefault("names", {})[id(node)] = told.lower()
        return told


def clean(own: str) -> str:
    """A name without what TF 1 takes out of tags."""
    return re.sub(r"[^-/\w.]", "_", own).lstrip("/")


def tag_of(walker: Walker, own: str, scope: str, node: ast.Call, key: object) -> str:
    """A name in a scope as a tag of its own."""
    name = clean(own)
    return unique(walker, f"{scope}/{name}" if scope else name, node, key)


__all__ = ["Made", "Summaries", "Summary", "Writer", "tag_of"]
