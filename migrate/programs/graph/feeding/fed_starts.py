"""Variables that start with what is fed when their initializer runs.

``w = tf.Variable(start)``, ``sess.run(init, {start: values})``: the variable starts with zeros and
is loaded, ``w.load(values, sess)``, which is what the run did.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Feed, Fetch, Kind, Symbol, Value
from migrate.programs.graph.wording.spelled import Source, Spelled

KEY = ("fed starts",)  # a tuple is kept whatever graph is built
ARGUMENTS = {T + "Variable": "initial_value", T + "get_variable": "initializer"}

# What would tell a variable that is in no collection from others.
LISTING = frozenset(
    (
        *("Saver", "Supervisor", "MonitoredTrainingSession", "MonitoredSession", "Scaffold"),
        *("global_variables", "all_variables", "get_collection", "get_collection_ref"),
        *("report_uninitialized_variables", "ExponentialMovingAverage", "export_meta_graph"),
    )
)


@dataclass(slots=True, eq=False, repr=False)
class FedStart:
    """A variable, and the placeholder that it starts with."""

    call: ast.Call
    first: ast.expr  # the placeholder, where the variable is made of it
    symbol: Symbol
    target: ast.expr
    listed: bool  # whether all variables' initializer is its own, too
    shape: ast.expr
    dtype: ast.expr

    @property
    def name(self) -> str:
        """The variable's name."""
        target = self.target
        return target.attr if isinstance(target, ast.Attribute) else ast.unparse(target)


def noted(walker: Any, name: str, node: ast.Call) -> bool:
    """Whether a variable starts with a placeholder, and may be loaded instead."""
    given = walker.bound(name, node)
    first = given.get(ARGUMENTS.get(name, ""))
    stmt = walker.stmt
    if not isinstance(first, (ast.Name, ast.Attribute)) or walker.nested or walker.loops:
        return False
    value: Value = walker.expression(first)
    made = value.node
    if value.symbol is None or not isinstance(made, ast.Call) or value.data != T + "placeholder":
        return False
    spec = walker.bound(T + "placeholder", made)
    plain = isinstance(stmt, ast.Assign) and stmt.value is node and len(stmt.targets) == 1
    if not plain or "shape" not in spec or "dtype" not in spec or "validate_shape" in given:
        return False
    attributes = {n.attr for n in all_of(walker.tree, ast.Attribute)}
    if attributes & {"initialized_value", "initial_value"}:
        return False  # another one may start with it
    collections = given.get("collections")
    if collections is not None and (ast.unparse(collections) != "[]" or attributes & LISTING):
        return False
    found: list[FedStart] = walker.kept.setdefault(KEY, [])
    target = stmt.targets[0]
    if not any(f.call is node for f in found):
        listed = "collections" not in given
        found.append(
            FedStart(node, first, value.symbol, target, listed, spec["shape"], spec["dtype"])
        )
    return True


def run(walker: Any, node: ast.Call, fetched: Fetch, feed: ast.expr, every: bool) -> None:
    """An initializer is run and something is fed; ``every``: that of all variables.

    Raises:
        Spelled: these are variables' first values.
    """
    stmt = walker.stmt
    value: Value = walker.expression(feed)
    alone = isinstance(stmt, ast.Expr) and stmt.value is node and not walker.loops
    if value.kind is not Kind.FEED or not isinstance(feed, ast.Dict) or not alone:
        return
    starts: list[FedStart] = walker.kept.get(KEY, [])
    leaves = list(fetched.leaves())
    own = [leaf.node.value for leaf in leaves if isinstance(leaf.node, ast.Attribute)]
    told = {ast.unparse(n) for n in own}
    mine: list[tuple[FedStart, Feed]] = []
    names: list[str] = []
    for entry in value.data:
        users = [
            (start, f"{owner}{start.name}")
            for start in starts
            if start.symbol is entry.symbol
            and (owner := _owner(walker, start, entry)) is not None
            and ((every and start.listed) or f"{owner}{start.name}" in told)
        ]
        if len(users) != 1 or entry.value is None or entry.value.kind is not Kind.HOST:
            return
        mine.append((users[0][0], entry))
        names.append(users[0][1])
    if (told - set(names) and not every) or not isinstance(node.func, ast.Attribute):
        return
    if walker.expression(node.func.value).kind is not Kind.SESSION:
        return
    session, first = node.func.value, leaves[0].node
    indent = " " * stmt.col_offset

    def loaded(source: Source) -> str:
        run = f"{source(node.func)}({source(first)})"
        given = zip(names, (source(entry.node) for _, entry in mine), strict=True)
        loads = [f"{name}.load({value}, {source(session)})" for name, value in given]
        return f"\n{indent}".join([run] * every + loads)

    raise Spelled(
        node,
        "variables start with what is fed",
        [*((s.call, _zeros(walker, s)) for s, _ in mine), (stmt, loaded), *_idle(walker, mine)],
    )


def idle(walker: Any, node: ast.Call, feed: ast.expr) -> None:
    """What is fed while variables start that don't ask for it: it goes.

    Raises:
        Spelled: no variable starts with a placeholder.
    """
    value: Value = walker.expression(feed)
    entries = value.data if value.kind is Kind.FEED else []
    rest = [*node.args[1:], *(k.value for k in node.keywords if k.arg != "fetches")]
    if walker.kept.get(KEY) or not entries or rest != [feed] or not node.args:
        return
    if any(e.symbol.value.kind is not Kind.PLACEHOLDER for e in entries):
        return
    if any(isinstance(n, (ast.Call, ast.NamedExpr, ast.Await)) for n in walk(feed)):
        return  # which does something
    written = [(node, lambda source: f"{source(node.func)}({source(node.args[0])})")]
    raise Spelled(node, "variables start with what is fed", written)


def _owner(walker: Any, start: FedStart, entry: Feed) -> str | None:
    """What a variable's name stands behind where it is loaded; None where it isn't seen."""
    target, key = start.target, entry.key
    if isinstance(target, ast.Name):
        frames = (walker.frame.env, walker.module_frame(start.call).env)
        found = next((env[target.id] for env in frames if target.id in env), None)
        return "" if found is not None and found.value.node is start.call else None
    own = ("self." + start.symbol.name, "self." + start.name)
    if not isinstance(key, ast.Attribute) or (ast.unparse(start.first), ast.unparse(target)) != own:
        return None
    return f"{ast.unparse(key.value)}."


def _idle(
    walker: Any, mine: list[tuple[FedStart, Feed]]
) -> Iterator[tuple[ast.AST, Callable[[Source], str | None]]]:
    """Placeholders that nothing else reads."""
    for start, entry in mine:
        name, made = start.symbol.name, start.symbol.step.node
        told = {id(start.first), id(entry.key)}
        told |= {id(t) for t in getattr(made, "targets", [])}
        same = [
            n
            for n in walk(walker.tree)
            if name in (getattr(n, "id", None), getattr(n, "attr", None), getattr(n, "arg", None))
        ]
        if isinstance(made, ast.Assign) and len(made.targets) == 1:
            if all(id(n) in told for n in same):
                yield made, lambda _: ""


def _zeros(walker: Any, start: FedStart) -> Callable[[Source], str | None]:
    """A variable that starts with zeros until it is loaded."""
    root: ast.AST = start.call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    name = walker.endpoints.get(id(start.dtype), "")

    def written(source: Source) -> str | None:
        text, first = source(start.call), source(start.first)
        places = list(re.finditer(rf"(?<![\w.'\"]){re.escape(first)}(?![\w.'\"])", text))
        if root is start.call.func or len(places) != 1:
            return None  # TensorFlow isn't called by a name of its own
        dtype = "" if name == T + "float32" else f", {source(start.dtype)}"
        zeros = f"{source(root)}.zeros({source(start.shape)}{dtype})"
        text = text[: places[0].start()] + zeros + text[places[0].end() :]
        return re.sub(r",\s*collections\s*=\s*\[\]", "", text)

    return written


def check(walker: Any) -> None:
    """No variable is left that is never loaded.

    Raises:
        Blocked: one is.
    """
    for start in walker.kept.get(KEY, ()):
        raise Blocked(start.call, "a variable starts with a placeholder")
