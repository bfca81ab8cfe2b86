"""`add_metrics` of `contrib.estimator`: what evaluations of a canned Estimator find besides.

    def rmse(labels, predictions):           class Rmse(tf.keras.layers.Layer):
        values = predictions[…]                  def __init__(self):
        return {'rmse': tf.metrics.…(                super().__init__()
            labels, values)}                         self.rmse = tf.keras.metrics.…()

                                                 def evaluate(self, features, labels, …):
                                                     values = predictions[…]
                                                     self.rmse.update_state(labels, values)
                                                     return {'rmse': self.rmse.result()}

    model = add_metrics(model, rmse)         model.add_metrics(Rmse())

https://www.tensorflow.org/guide/migrate/metrics_optimizers
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.evaluation import metrics
from migrate.rewriters.estimators.heads_and_columns.columns import columns
from migrate.rewriters.estimators.models import guard
from migrate.rewriters.estimators.program import Estimator, Program
from migrate.rewriters.estimators.syntax import docstring, reads, stores
from migrate.rewriters.sessions.text import Text

ADDS = "tensorflow.contrib.estimator.add_metrics"
FORWARDS = "tensorflow.contrib.estimator.forward_features"
GIVEN = ("features", "labels", "predictions")
FITS = ("RootMeanSquaredError", "Accuracy", "Precision", "Recall", "AUC")


def edits(
    tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str], makers: Sequence[str]
) -> Iterator[Edit]:
    """`model = add_metrics(model, …)` below what makes a canned Estimator, as a statement.

    So is `model = forward_features(model, …)`.
    """

    def taken(stmt: ast.AST) -> str:
        known = called(getattr(stmt, "value", None)) in (ADDS, FORWARDS)
        return _again(stmt) if known and isinstance(stmt, ast.stmt) else ""

    for node in walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            body = body if isinstance(body, list) else []
            for place, stmt in enumerate(body):
                own = taken(stmt)
                if not own:
                    continue
                above = (s for s in reversed(body[:place]) if own in _named(s))
                last = next((s for s in above if taken(s) != own), None)
                if not isinstance(last, ast.Assign) or len(last.targets) > 1:
                    continue
                if called(last.value) in makers and isinstance(last.targets[0], ast.Name):
                    yield Edit(*text.index.span(stmt), text.source(stmt.value))


def _named(stmt: ast.stmt) -> set[str]:
    return {n.id for n in all_of(stmt, ast.Name)}


def _again(stmt: ast.stmt) -> str:
    """The name that a statement gives what it is given, with metrics."""
    if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
        return ""
    first = stmt.value.args[0] if stmt.value.args else None
    given = {k.arg: k.value for k in stmt.value.keywords}
    names = [*stmt.targets, given.get("estimator", first)]
    same = {n.id if isinstance(n, ast.Name) else "" for n in names}
    return same.pop() if len(names) == 2 and len(same) == 1 else ""


def taken(program: Program, call: ast.Call, made: Estimator) -> None:
    """Write the metrics that a call adds to a model.

    Raises:
        Blocked: they can't be followed.
    """
    if not isinstance(program.scopes.parents[id(call)], ast.Expr) or made.call is not made.home:
        raise Blocked(call, "metrics that are added to what isn't a canned Estimator above them")
    if ("forwarded", id(made)) in program.kept:
        raise Blocked(call, "metrics of predictions that have features beside them")
    given = program.given(call, ADDS)
    node = given.get("metric_fn")
    function = _function(program, node, call) if isinstance(node, ast.Name) else None
    if function is None:
        raise Blocked(call, "a metric_fn that isn't seen")
    page = program.page(call)
    seen = program.kept.setdefault(("metric_fn", id(page), function.name), set())
    assert isinstance(seen, set)
    if not seen:
        wish = _class_name(function.name)
        program.kept["metric class", id(page), function.name] = program.free(function, wish)
        program.finish.append(lambda: _all_added(page.part.document.tree, function.name, seen))
    seen.add(id(node))
    name = str(program.kept["metric class", id(page), function.name])
    if id(function) not in seen:
        program.edit(function, _written(program, function, name), "Keras metrics")
        seen.add(id(function))
    columns(program).features.add("added")
    program.edit(call, f"{program.source(given['estimator'])}.add_metrics({name}())", "metrics")


def _function(program: Program, node: ast.Name, call: ast.Call) -> ast.FunctionDef | None:
    """The function that a name is where metrics are added: the last one above, if there are more.

    Notebooks define one of a name again and again.
    """
    found = program.scopes.bindings(node.id, node)
    if any(not isinstance(b.node, ast.FunctionDef) for b in found):
        return None
    stmt = program.scopes.statement(call)
    above = program.scopes.parents[id(stmt)]
    body = getattr(above, "body", [])
    before = body[: body.index(stmt)] if stmt in body else []
    here = [b.node for s in before for b in found if b.node is s]
    last = here[-1] if here else found[0].node if len(found) == 1 else None
    if not isinstance(last, ast.FunctionDef) or program.page(last) is not program.page(call):
        return None
    return last


def _all_added(tree: ast.Module, name: str, seen: set[int]) -> None:
    for use in walk(tree):
        if isinstance(use, ast.Name) and use.id == name and id(use) not in seen:
            raise Blocked(use, f"`{name}` is used for more than an Estimator's metrics")


def _written(program: Program, function: ast.FunctionDef, name: str) -> str:
    """The class that a metric_fn becomes."""
    args = function.args
    names = [a.arg for a in args.args]
    if args.vararg or args.kwarg or args.kwonlyargs or args.defaults or function.decorator_list:
        raise Blocked(function, "the arguments of a metric_fn")
    if wrong := [n for n in names if n not in GIVEN]:
        raise Blocked(function, f"a metric_fn with an argument `{wrong[0]}`")
    *body, last = [s for s in function.body if not docstring(s)]
    if not isinstance(last, ast.Return) or last.value is None:
        raise Blocked(function, "a metric_fn that doesn't end in what it returns")
    made = [s for s in body if isinstance(s, ast.Assign)]
    gone = {id(s) for s in made if program.called(s.value).startswith(metrics.T)}
    taken = {n for s in body if id(s) not in gone for n in stores(s)} | {"evaluate"}
    found: list[metrics.Metric] = []

    def attribute(*wishes: str) -> str:
        used = {m.name for m in found} | taken
        return next(
            w for w in (*wishes, *(f"{wishes[-1]}_{n}" for n in range(2, 99))) if w not in used
        )

    calls = set()
    for key, item, test in metrics.items(last.value, body, _resolved):
        call = _resolved(item, body)
        if not isinstance(call, ast.Call) or test is not None:
            raise Blocked(item, "a metric that isn't seen")
        metric = metrics.read(program, key, call, attribute)
        flat = program.called(call).removeprefix(metrics.T) in metrics.SQUEEZED
        if "labels" in metric.parts and not flat and metric.kind not in FITS:
            raise Blocked(call, "a metric of labels and predictions that may differ in rank")
        metrics.final(metric, body)
        if any(reads(part) & {n for s in body for n in stores(s)} for part in metric.made_of):
            raise Blocked(call, "a metric that is made of what a batch gives")
        found.append(metric)
        calls.add(id(call))
    own = last.value.id if isinstance(last.value, ast.Name) else ""
    rest = [s for s in body if not (isinstance(s, ast.Assign) and id(s.value) in calls)]
    rest = [s for s in rest if not _fills(s, own)]
    if own and any(own in reads(s) for s in rest):
        raise Blocked(last.value, "metrics that are looked into")
    guard.check(program, [*rest, *(p for m in found for p in m.parts.values())])
    return _text(program, function, name, rest, found)


def _text(
    program: Program,
    function: ast.FunctionDef,
    name: str,
    rest: list[ast.stmt],
    found: list[metrics.Metric],
) -> str:
    text, source = program.text, program.source
    line = text.lines[function.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    one = indent + text.unit
    two = one + text.unit
    said = ast.get_docstring(function) or "Metrics that evaluations find besides."
    out = f'class {name}({program.tf}.keras.layers.Layer):\n{one}"""{said.splitlines()[0]}"""\n\n'
    out += f"{one}def __init__(self):\n{two}super().__init__()\n"
    for metric in found:
        out += f"{two}self.{metric.name} = {metric.made(program)}\n"
    out += f"\n{one}def evaluate(self, features, labels, predictions):\n"
    out += f'{two}"""Count a batch in; the metrics so far."""\n'
    for stmt in rest:
        piece = text.piece(stmt)
        out += text.render(piece.first, piece.last, piece.indent, two, [])
    for metric in found:
        out += f"{two}{metric.updated(program, source)}\n"
    results = [f"{m.said(source)}: {m.result}" for m in found]
    return f"{out}{two}return {{{', '.join(results)}}}"


def _fills(stmt: ast.stmt, name: str) -> bool:
    """Whether a statement makes the dict of a name, or puts something into it."""
    if isinstance(stmt, ast.Assign):
        target = stmt.targets[0]
        owner = target.value if isinstance(target, ast.Subscript) else target
        return isinstance(owner, ast.Name) and owner.id == name
    value = stmt.value if isinstance(stmt, ast.Expr) else None
    return isinstance(value, ast.Call) and ast.unparse(value.func) == f"{name}.update"


def _resolved(node: ast.expr, body: Sequence[ast.stmt]) -> ast.expr:
    """An expression, or what the name that it is was given last."""
    for stmt in reversed(body):
        if isinstance(node, ast.Name) and node.id in stores(stmt):
            to = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
            return stmt.value if isinstance(stmt, ast.Assign) and isinstance(to, ast.Name) else node
    return node


def _class_name(name: str) -> str:
    words = [w for w in name.strip("_").split("_") if w]
    return "".join(w[:1].upper() + w[1:] for w in words) + (
        "" if name != name.title() else "Metrics"
    )
