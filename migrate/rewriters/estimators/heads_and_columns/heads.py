"""Heads that a model_fn makes its EstimatorSpec with: `head.create_estimator_spec(…)`.

https://www.tensorflow.org/api_docs/python/tf/estimator/Head
"""

from __future__ import annotations

import ast
import copy
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, word
from migrate.rewriters.estimators.heads_and_columns.columns import columns
from migrate.rewriters.estimators.optimizing.training import Update, argument, counted, method
from migrate.rewriters.estimators.syntax import docstring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from migrate.rewriters.estimators.models.modes import Mode
    from migrate.rewriters.estimators.models.specs import Specs
    from migrate.rewriters.estimators.program import Program
    from migrate.rewriters.sessions.text import Text

# TF 1's heads, by the class that each is here.
KINDS = {
    "BinaryClassHead": "binary_classification_head",
    "MultiClassHead": "multi_class_head",
    "MultiLabelHead": "multi_label_head",
    "RegressionHead": "regression_head",
    "PoissonRegressionHead": "poisson_regression_head",
    "LogisticRegressionHead": "logistic_regression_head",
    "MultiHead": "multi_head",
}
OLD = "tensorflow.contrib.estimator."
NEW = "tensorflow.estimator."
HEADS = {f"{OLD}{old}": new for new, old in KINDS.items()}
HEADS |= {f"{NEW}{new}": new for new in KINDS}
SINGLE = frozenset(name for name, kind in HEADS.items() if kind != "MultiHead")
UPDATE = frozenset(name for name in HEADS if name.startswith(OLD))  # their train ops run updates
KNOWN = (
    *("n_classes", "label_dimension", "weight_column", "label_vocabulary", "compute_full_loss"),
    *("thresholds", "name"),
)
# What the classes have only where a head of the program is given it.
OPTIONS = {"name": "named"} | {
    name: name for name in ("weight_column", "label_vocabulary", "thresholds")
}
REDUCTIONS = {
    "SUM": "reduce_sum",
    "MEAN": "reduce_mean",
    "SUM_OVER_BATCH_SIZE": "reduce_batch",
    "SUM_BY_NONZERO_WEIGHTS": "reduce_nonzero",
}
_REDUCTION = re.compile(r"\bReduction(?:V2)?\.(\w+)$")
ORDER = ("features", "mode", "logits", "labels", "optimizer", "train_op_fn")
NEW_ORDER = (*ORDER[:5], "trainable_variables", "train_op_fn")


@dataclass(slots=True, eq=False, repr=False)
class Head:
    """The head of a model_fn."""

    call: ast.Call
    kind: str  # its class
    made: str  # its source
    name: str  # the attribute that holds it
    nodes: list[ast.expr]  # what it is made of
    update: Update | None = None


def width(kind: str, call: ast.Call) -> ast.expr | str | None:
    """How many logits a head wants of an example; None where that isn't seen."""
    if kind in ("BinaryClassHead", "LogisticRegressionHead"):
        return "1"
    many = kind in ("MultiClassHead", "MultiLabelHead")
    found = argument(call, 0, "n_classes") if many else None
    if kind in ("RegressionHead", "PoissonRegressionHead") and not call.args:
        found = argument(call, 0, "label_dimension")
        if found is None:
            return "1"
    plain = (ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.expr_context)
    return found if found and all(isinstance(n, plain) for n in walk(found)) else None


def creates(node: ast.AST) -> bool:
    """Whether an expression is the EstimatorSpec that a head creates."""
    return method(node, "create_estimator_spec")


def fields(specs: Specs, call: ast.Call, body: list[ast.stmt], mode: Mode) -> dict[str, ast.expr]:
    """What a head's EstimatorSpec has for a mode, as expressions that the class's head computes.

    Raises:
        Blocked: the head isn't seen, or something of it isn't followed.
    """
    assert isinstance(call.func, ast.Attribute)
    made = specs.resolved(call.func.value, body)
    made = _outer(specs.program, made) if isinstance(made, ast.Name) else made
    if not isinstance(made, ast.Call) or specs.program.called(made) not in HEADS:
        raise Blocked(call, "a head that isn't seen, or isn't followed yet")
    if specs.head is None:
        specs.head = _head(specs, made, body)
    elif specs.head.call is not made:
        raise Blocked(made, "a model_fn with several heads")
    old = specs.program.called(made).startswith(OLD)
    order = ORDER if old else NEW_ORDER
    given = {name: argument(call, place, name) for place, name in enumerate(order)}
    known = [*order, "regularization_losses", "update_ops", "trainable_variables"]
    if (trained := given.pop("trainable_variables", None)) is not None:
        raise Blocked(trained, "`trainable_variables` of create_estimator_spec()")
    for keyword in call.keywords:
        if keyword.arg not in order and argument(call, 99, str(keyword.arg)) is not None:
            what = keyword.arg if keyword.arg in known else "this"
            raise Blocked(keyword.value, f"`{what}` of create_estimator_spec()")
    features, logits, labels = given["features"], given["logits"], given["labels"]
    if features is None or logits is None or len(call.args) > len(order):
        raise Blocked(call, "features or logits that a head isn't given")
    if mode == "predict":
        return {"predictions": _computed(specs, call, "predictions", [logits])}
    if labels is None:
        raise Blocked(call, "labels that a head isn't given")
    if mode == "eval":
        return {"loss": _computed(specs, call, "evaluate", [features, labels, logits])}
    loss = _computed(specs, call, "loss", [features, labels, logits])
    if given["optimizer"] is not None and not old:
        raise Blocked(given["optimizer"], "an optimizer of Keras in a model_fn")
    specs.head.update = _update(specs, call, given, loss, body)
    return {"loss": loss, "train_op": call}


def _computed(specs: Specs, call: ast.Call, what: str, given: list[ast.expr]) -> ast.expr:
    """An expression of a method of the head, which reads what is given."""
    assert specs.head is not None
    node = ast.copy_location(ast.Tuple(given, ast.Load()), call)
    specs.program.scopes.parents[id(node)] = specs.program.scopes.parents[id(call)]
    name = specs.head.name
    specs.computed[id(node)] = lambda: (
        f"self.{name}.{what}({', '.join(specs.source(g) for g in given)})"
    )
    return node


def _head(specs: Specs, call: ast.Call, body: list[ast.stmt]) -> Head:
    """The class that a head of TF 1 is, with its arguments."""
    kind = HEADS[specs.program.called(call)]
    head = Head(call, kind, "", specs.attribute("head"), [])
    own = columns(specs.program).features
    old = specs.program.called(call).startswith(OLD)
    if specs.program.kept.setdefault("old heads", old) is not old:
        raise Blocked(call, "heads of tf.estimator beside those of contrib.estimator")
    if not old:
        own.add("keras_metrics")
    head.made = _made(specs, call, head, body)
    return head


@dataclass(slots=True, eq=False, repr=False)
class _Given:
    """What a head of a canned Estimator is read by, in the place of a model_fn."""

    program: Program
    function: ast.Call

    @property
    def text(self) -> Text:
        return self.program.text

    def resolved(self, node: ast.expr, body: Sequence[ast.stmt]) -> ast.expr:
        return _outer(self.program, node) if isinstance(node, ast.Name) else node


def given(program: Program, call: ast.Call, node: ast.expr) -> str:
    """The source of the head that a canned Estimator is given.

    Raises:
        Blocked: it isn't seen, or is one that 1.15.5 wants Keras's optimizers beside.
    """
    made = _outer(program, node) if isinstance(node, ast.Name) else node
    kind = program.called(made)
    if not isinstance(made, ast.Call) or not kind.startswith(OLD) or kind not in HEADS:
        raise Blocked(node, "a head that isn't seen, or isn't followed yet")
    if program.kept.setdefault("old heads", True) is not True:
        raise Blocked(call, "heads of tf.estimator beside those of contrib.estimator")
    return _made(_Given(program, call), made, Head(made, HEADS[kind], "", "", []), [])


def _outer(program: Program, name: ast.Name) -> ast.expr:
    """The head that a name around the model_fn is given, which the model makes itself then."""
    from migrate.rewriters.estimators.callbacks import hooks

    value = program.scopes.value(name)
    if not isinstance(value, ast.Call) or program.called(value) not in HEADS:
        return name
    stmt = program.scopes.statement(value)
    if not isinstance(program.scopes.parents[id(stmt)], (ast.Module, ast.FunctionDef)):
        return name  # in a loop or a branch it may be another when a model is made
    for node in walk(value):
        found = program.scopes.lookup(node) if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Name) and found is not None and found.kind != "import":
            if len(program.scopes.bound(found.scope)[node.id]) > 1:
                raise Blocked(
                    node, f"`{node.id}`, which a head is made with, may be another by then"
                )
    hooks.gone(program, name)
    return value


def _made(specs: Specs | _Given, call: ast.Call, head: Head, body: list[ast.stmt]) -> str:
    """The source of a head, with those that it is made of."""
    program, features = specs.program, columns(specs.program).features
    kind = HEADS[program.called(call)]
    if kind == "MultiHead":
        return _several(specs, call, head, body)
    given = program.given(call)
    _reduction(specs, call, given.pop("loss_reduction", None))
    if kind in ("BinaryClassHead", "MultiClassHead"):
        features.add("classes")
    if kind == "MultiLabelHead":
        features.add("multi_label")
    said = []
    for name, node in given.items():
        if name not in KNOWN:
            raise Blocked(node, f"`{name}` of a head")
        if name in OPTIONS:
            features.add(OPTIONS[name])
        source = specs.text.source(node)
        if name == "weight_column":
            source = weights(program, node, source)
        said.append(source if name == "n_classes" else f"{name}={source}")
        head.nodes.append(node)
    return f"{columns(program).need(specs.function, kind)}({', '.join(said)})"


def _several(specs: Specs | _Given, call: ast.Call, head: Head, body: list[ast.stmt]) -> str:
    """The source of a head of several heads, each with a name."""
    program = specs.program
    columns(program).features.add("named")
    given = program.given(call)
    listed = specs.resolved(given.pop("heads"), body)
    if not isinstance(listed, (ast.List, ast.Tuple)):
        raise Blocked(call, "heads that aren't a list that is seen")
    made = []
    for each in listed.elts:
        one = specs.resolved(each, body)
        if not isinstance(one, ast.Call) or program.called(one) not in SINGLE:
            raise Blocked(each, "a head that isn't seen, or isn't followed yet")
        if "name" not in program.given(one):
            raise Blocked(each, "a head of several that has no name")
        made.append(_made(specs, one, head, body))
    source = f"[{', '.join(made)}]"
    for name, node in given.items():
        if name != "head_weights":
            raise Blocked(node, f"`{name}` of a head")
        source += f", head_weights={specs.text.source(node)}"
        head.nodes.append(node)
    return f"{columns(program).need(specs.function, 'MultiHead')}({source})"


def _reduction(specs: Specs | _Given, call: ast.Call, node: ast.expr | None) -> None:
    features, feature = columns(specs.program).features, "reduce_batch"
    if node is not None:
        found = _REDUCTION.search(specs.program.source(node))
        if found is None or found[1] not in REDUCTIONS:
            raise Blocked(node, "a loss reduction that isn't seen")
        feature = REDUCTIONS[found[1]]
    if any(other in features for other in REDUCTIONS.values() if other != feature):
        raise Blocked(call, "heads of a program with several loss reductions")
    features.add(feature)


def weights(program: Program, node: ast.expr, source: str) -> str:
    """The key of a weight column, which may be a numeric column.

    Raises:
        Blocked: it is another column, or one that changes what it reads.
    """
    value = program.scopes.value(node)
    endpoint = program.called(value)
    if not endpoint:
        return source
    if endpoint != "tensorflow.feature_column.numeric_column" or not isinstance(value, ast.Call):
        raise Blocked(node, "a weight column that is no numeric column")
    given = program.given(value)
    if set(given) - {"key", "dtype"}:
        raise Blocked(node, "a weight column with a shape, a default or a normalizer")
    if value is not node:
        return f"{source}.key"
    own = columns(program)
    own.wanted = [(place, name) for place, name in own.wanted if place is not value.func]
    return program.text.source(given["key"])


def _update(
    specs: Specs,
    call: ast.Call,
    given: dict[str, ast.expr | None],
    loss: ast.expr,
    body: list[ast.stmt],
) -> Update:
    """What a head trains with."""
    optimizer, function = given["optimizer"], given["train_op_fn"]
    if optimizer is not None:
        return Update(call, optimizer, loss)
    if function is None:
        raise Blocked(call, "a head without an optimizer")
    names, op = _returned(specs.program, function, body)
    if not isinstance(op, ast.Call) or not method(op, "minimize") or len(names) != 1:
        raise Blocked(function, "a train_op_fn that does more than minimize the loss")
    assert isinstance(op.func, ast.Attribute)
    lost = argument(op, 0, "loss")
    counted(op, argument(op, 1, "global_step"))
    for place, name in ((2, "var_list"), (7, "grad_loss")):
        if (extra := argument(op, place, name)) is not None:
            raise Blocked(extra, f"`{name}` of a train op")
    if not isinstance(lost, ast.Name) or lost.id != names[0]:
        raise Blocked(op, "a train_op_fn that minimizes something else than the loss")
    return Update(call, op.func.value, loss)


def _returned(
    program: Program, node: ast.expr, body: list[ast.stmt]
) -> tuple[list[str], ast.expr | None]:
    """The parameters of a function that only returns something, and what it returns."""
    value = program.scopes.value(node)
    if isinstance(value, ast.Lambda):
        return [a.arg for a in value.args.args], value.body
    function = program.scopes.function(node)
    if function is None:
        raise Blocked(node, "a train_op_fn that isn't seen")
    if function.args.defaults or function.args.kwonlyargs or function.decorator_list:
        raise Blocked(function, "the arguments of a train_op_fn")
    inner = [s for s in function.body if not docstring(s)]
    if len(inner) != 1 or not isinstance(inner[0], ast.Return):
        why = "a train_op_fn that does more than minimize the loss"
        said = _said_at_once(inner, [a.arg for a in function.args.args])
        if said is None:
            raise Blocked(function, why)
        *above, last = inner
        assert isinstance(last, ast.Return)
        assert last.value is not None
        raise Spelled(function, why, [(last.value, word(said)), *((s, word("")) for s in above)])
    if function not in body:
        raise Blocked(function, "a train_op_fn that isn't the model_fn's own")
    return [a.arg for a in function.args.args], inner[0].value


def _said_at_once(body: list[ast.stmt], arguments: list[str]) -> str | None:
    """What a function returns, where names that are read once stand for what they were given.

    What is made of them in between has the same order: the optimizer, then its train op.
    """
    *above, last = body
    value = last.value if isinstance(last, ast.Return) else None
    if value is None:
        return None
    known: dict[str, ast.expr] = {}
    for stmt in above:
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if not isinstance(stmt, ast.Assign) or not isinstance(target, ast.Name):
            return None
        if len(stmt.targets) > 1 or target.id in known or target.id in arguments:
            return None
        known[target.id] = stmt.value
    for name in known:
        if sum(n.id == name for s in body for n in all_of(s, ast.Name)) != 2:
            return None

    class Folded(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return self.visit(copy.deepcopy(known[node.id])) if node.id in known else node

    return ast.unparse(Folded().visit(copy.deepcopy(value)))
