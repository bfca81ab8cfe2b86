"""`tf.metrics`: a value, its update and the local variables under them, as one object.

https://www.tensorflow.org/guide/migrate/metrics_optimizers
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, parents_of
from migrate.programs.graph.layering import metric_kinds, whole
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Kind, Step, Symbol, Value
from migrate.programs.graph.sizing import shapes
from migrate.programs.graph.wording.spelled import Source, Spelled

PUT = frozenset({"dict", "list", "tuple", "OrderedDict", "zip"})
SCALARS = frozenset({"reduce_mean", "reduce_sum", "get_total_loss"})


@dataclass(slots=True, eq=False, repr=False)
class Metric:
    """A metric's object: what it is called, what it is given."""

    call: ast.Call
    kind: metric_kinds.Kind
    made: str  # its class
    name: str  # what the object is called
    parts: dict[str, ast.expr]
    shape: str  # what the values that it is given are reshaped to
    scope: str
    settings: list[metric_kinds.Setting]  # what its class is told
    cast: str = ""  # what predictions are cast to first
    weights: ast.expr | None = None
    uses: dict[Symbol, None] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Known:
    """What a walk has seen of the names that predictions are made of."""

    walker: Any

    def called(self, node: ast.expr) -> str:
        """The endpoint that an expression calls."""
        return self.endpoint(node.func) if isinstance(node, ast.Call) else ""

    def endpoint(self, node: ast.expr) -> str:
        """The endpoint that an expression is."""
        return str(self.walker.endpoints.get(id(node), ""))

    def given(self, call: ast.Call) -> dict[str, ast.expr]:
        """The arguments of a call, by their names."""
        found: dict[str, ast.expr] = self.walker.bound(self.called(call), call)
        return found

    def value(self, node: ast.expr) -> ast.expr:
        """An expression, or what the name that it is was given."""
        for _ in range(20):
            if not isinstance(node, (ast.Name, ast.Attribute)) or self.endpoint(node):
                break
            value = self.walker.expression(node)
            made = value.symbol.step.node if value.symbol is not None else None
            if not isinstance(made, ast.Assign) or isinstance(made.targets[0], ast.Tuple):
                break
            node = made.value
        return node

    def level(self, node: ast.expr, depth: int) -> int:
        """How whole a name is; dicts and functions aren't looked into."""
        value = self.value(node)
        return whole.UNKNOWN if value is node else whole.level(self, value, depth)


@dataclass(slots=True, eq=False, repr=False)
class Current:
    """What a metric is at the moment."""

    metric: Metric

    def read(self, walker: Any, node: ast.expr) -> None:
        """A name of it."""
        _unkept(walker, node)
        walker.rewrites[id(node)] = self.source

    def source(self, writer: Any) -> str:
        """Its source."""
        return self.metric.kind.value.format(self.metric.name)


def _unkept(walker: Any, node: ast.expr) -> None:
    """See that a metric's value isn't put away where nothing runs: it would stay what it is there.

    Raises:
        Blocked: it is.
    """
    parents = parents_of(walker.stmt)
    within: ast.AST = node
    outer = parents.get(id(node))
    while isinstance(outer, (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.keyword, ast.Starred)):
        within, outer = outer, parents.get(id(outer))
    if isinstance(outer, ast.Call) and outer.func is not within:
        func = outer.func
        runs = isinstance(func, ast.Attribute) and func.attr in ("run", "partial_run")
        if runs or walker.endpoints.get(id(func)):
            return
        if within is node and not isinstance(func, ast.Attribute) and ast.unparse(func) not in PUT:
            return
        raise Blocked(node, "a metric's value that is kept before it is asked for")
    to = walker.stmt.targets if isinstance(walker.stmt, ast.Assign) else []
    if outer is walker.stmt and to and not isinstance(outer, ast.Return):
        if within is not node or any(isinstance(t, ast.Subscript) for t in to):
            raise Blocked(node, "a metric's value that is kept before it is asked for")


@dataclass(slots=True, eq=False, repr=False)
class Update:
    """A metric that takes in what a run has, and gives what it is then."""

    metric: Metric

    def read(self, walker: Any, node: ast.expr) -> None:
        """A name of it: a run of it needs what the metric is given."""
        walker.sink.uses.update(self.metric.uses)
        walker.sink.hosts |= self.metric.hosts
        walker.rewrites[id(node)] = self.source

    def source(self, writer: Any) -> str:
        """Its source."""
        written: str = writer.metric(self.metric)
        return written


@dataclass(slots=True, eq=False, repr=False)
class Locals:
    """The local variables of a scope, and what initialises them: metrics that may be reset."""

    resets: list[Metric]

    @property
    def idle(self) -> bool:
        """The list itself goes."""
        return True


@dataclass(slots=True, eq=False, repr=False)
class Pair:
    """A value and its update."""

    def item(self, walker: Any, owner: Value, node: ast.Subscript) -> Value:
        """One of them, taken where they are made."""
        place = node.slice.value if isinstance(node.slice, ast.Constant) else None
        for key, value in owner.items or []:
            if key == place:
                return value
        raise Blocked(node, "an item of a metric that isn't seen")


@family(*metric_kinds.ENDPOINTS)
def metric(walker: Any, name: str, node: ast.Call) -> Value:
    """A pair of a value and its update, unpacked where it is made."""
    if walker.nested or walker.loops or walker.frame.region is None:
        raise Blocked(node, "a metric in a loop, a branch or a helper")
    kind, said = metric_kinds.ENDPOINTS[name], name.rpartition(".")[2].removeprefix("streaming_")
    given = walker.bound(name, node)
    own = given.pop("name", None)
    weights = given.pop("weights", None)
    if isinstance(weights, ast.Constant) and weights.value is None:
        weights = None
    if weights is not None:
        kind = metric_kinds.WEIGHED.get(said, kind)
    made, settings = metric_kinds.area(node, given) if kind.made == "AUC" else (kind.made, [])
    settings += [(k, given.pop(k)) for k in kind.settings if k in given]
    if set(given) != set(kind.parts) or (weights is not None and not kind.weighed):
        raise Blocked(node, f"these arguments of tf.{name.removeprefix(T)}")
    metric_kinds.check(node, settings)
    for setting in (s[1] for s in settings if not isinstance(s, str)):
        if walker.expression(setting).kind not in (Kind.HOST, Kind.CONST):
            raise Blocked(setting, "a setting of a metric that isn't a number of Python's")
    parts = {a: given[a] for a in kind.parts}
    sink = walker.sink
    walker.sink = inner = Step(-1, sink.node, Kind.HOST)
    if weights is not None:
        parts["weights"] = weights
    kinds = {k: walker.expression(p).kind for k, p in parts.items()}
    shape = "[-1]" if weights is not None or kind.flat else ""
    if made == "Mean" and not shape and not _scalar(walker, parts.get("values")):
        shape = "[-1]"
    both = [parts[k] for k in metric_kinds.BOTH if k in parts]
    if not shape and said.endswith("_error") and not _rows(walker, both):
        shape = "[-1, 1]"  # Keras takes the mean of each row first
    dim = parts.get("dim")
    if dim is not None and not isinstance(dim, ast.Constant) and not _rows(walker, both):
        raise Blocked(node, "a metric of labels and predictions that may differ in rank")
    cast = whole.cast(Known(walker), said, given.get("labels"), given.get("predictions"))
    walker.sink = sink
    tensors = {Kind.TENSOR, Kind.PLACEHOLDER, Kind.CONST}
    numbers = tensors | {Kind.HOST}  # which settings beside it may be
    own_parts = {*metric_kinds.BOTH, "values"}
    if inner.impure is not None or not all(
        kind in (tensors if k in own_parts else numbers) for k, kind in kinds.items()
    ):
        raise Blocked(node, "a metric of what isn't a tensor of a run")
    called = _targets(walker, node)
    named = own.value if isinstance(own, ast.Constant) else said
    # Its variables are made as `tf.Variable` makes them, whose names have all scopes.
    scope = "/".join([*(str(s.name) for s in walker.scopes if s.name), str(named)])
    parts.pop("weights", None)
    found = Metric(node, kind, made, called, parts, shape, scope, settings, cast, weights)
    found.uses, found.hosts = inner.uses, inner.hosts
    walker.kept.setdefault("metrics", []).append(found)
    walker.rewrites[id(node)] = lambda writer: writer.made_metric(found)
    stmt = walker.stmt
    assert isinstance(stmt, ast.Assign)
    if stmt.value is not node:
        walker.rewrites[id(stmt.value)] = walker.rewrites[id(node)]
    walker.rewrites[id(stmt.targets[0])] = lambda _: called
    walker.sink.kind = Kind.OTHER
    values = [Value(Kind.VARIABLE, Current(found), node=node)]
    values.append(Value(Kind.OP, Update(found), node=node))
    return Value(Kind.OTHER, Pair(), list(enumerate(values)), node=node)


def _targets(walker: Any, node: ast.Call) -> str:
    """What the object is called."""
    stmt = walker.stmt
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
        target, value = stmt.targets[0], stmt.value
        if value is node and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            first, second = (ast.unparse(e) for e in target.elts)
            if not all(isinstance(e, (ast.Name, ast.Attribute)) for e in target.elts):
                raise Blocked(target, "a metric that isn't unpacked into names")
            if not first.strip("_"):
                return second
            return first
        single = isinstance(value, ast.Subscript) and value.value is node
        if single and isinstance(target, (ast.Name, ast.Attribute)):
            assert isinstance(value, ast.Subscript)
            if isinstance(value.slice, ast.Constant) and value.slice.value in (0, 1):
                return ast.unparse(target)
    raise Blocked(node, "a metric that isn't unpacked where it is made")


def _scalar(walker: Any, node: ast.expr | None) -> bool:
    """Whether a tensor is one number, as far as its definition says."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        value = walker.expression(node)
        made = value.symbol.step.node if value.symbol is not None else None
        return isinstance(made, ast.Assign) and _scalar(walker, made.value)
    if isinstance(node, ast.Call):
        name = walker.endpoints.get(id(node.func), "")
        reduced = name.rpartition(".")[2] in SCALARS and len(node.args) == 1 and not node.keywords
        return reduced or name.startswith(T + "losses.")
    return False


def _rows(walker: Any, parts: list[ast.expr]) -> bool:
    """Whether labels and predictions are known to have as many dimensions, two at least."""
    known = [shapes.dims(walker, part) for part in parts]
    return len({len(d or ()) for d in known}) == 1 and len(known[0] or ()) > 1


def collected(walker: Any, node: ast.Call, scope: ast.expr | None) -> Value:
    """``tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES, scope=…)``."""
    made: list[Metric] = walker.kept.get("metrics", [])
    if scope is not None:
        if not isinstance(scope, ast.Constant) or re.search(r"[^\w/-]", str(scope.value)):
            raise Blocked(scope, "the local variables of scopes that match a pattern")
        made = [m for m in made if f"{m.scope}/".startswith(str(scope.value))]
    if not made or walker.nested:
        raise Blocked(node, "local variables that are no metrics'")
    return Value(Kind.OTHER, Locals(made), node=node)


@family(T + "local_variables")
def local(walker: Any, name: str, node: ast.Call) -> Value:
    """``[v for v in tf.local_variables() if v.name.startswith("m/")]``: those of a scope.

    Raises:
        Spelled: a test of the names chooses them, as the collection's scope does.
    """
    for outer in all_of(walker.stmt, ast.ListComp):
        if len(outer.generators) != 1:
            continue
        (each,) = outer.generators
        if each.iter is not node or ast.unparse(outer.elt) != ast.unparse(each.target):
            continue
        test = each.ifs[0] if len(each.ifs) == 1 else None
        if not isinstance(test, ast.Call) or len(test.args) != 1 or test.keywords:
            continue
        if ast.unparse(test.func) == f"{ast.unparse(each.target)}.name.startswith":
            _by_scope(walker, outer, node, test.args[0])
    return collected(walker, node, walker.bound(name, node).get("scope"))


def _by_scope(walker: Any, listed: ast.ListComp, call: ast.Call, scope: ast.expr) -> None:
    """A list of local variables as what the graph has of a scope."""
    func = call.func
    if not isinstance(func, ast.Attribute) or not isinstance(scope, ast.Constant):
        return
    root = func.value

    def written(source: Source) -> str:
        return f"{source(root)}.local_variables(scope={source(scope)})"

    raise Spelled(call, "local variables chosen by their names", [(listed, written)])


def reset_by(walker: Any, value: Value) -> list[Metric] | None:
    """The metrics that an initializer resets; None for any other initializer."""
    if isinstance(value.data, Locals):
        return value.data.resets
    if "local_variables" in str(value.data):
        made: list[Metric] = walker.kept.get("metrics", [])
        return made
    return None


def reset(walker: Any, node: ast.Call, metrics: list[Metric]) -> Value:
    """Local variables are initialised: once at the start is nothing, later it is a reset."""
    alone = isinstance(walker.stmt, ast.Expr) and walker.stmt.value is node
    started = any(region.sites for region in walker.regions)
    if not metrics or (not walker.loops and not started):
        return Value(Kind.INIT, "run local", node=node)
    if not alone:
        raise Blocked(node, "metrics are reset inside another statement")

    def written(writer: Any) -> str:
        line = writer.text.lines[walker_stmt.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        lines = [f"{m.name}.reset_state()" for m in metrics]
        return f"{writer.text.newline}{indent}".join(lines)

    walker_stmt = walker.stmt
    walker.rewrites[id(node)] = written
    return HOST
