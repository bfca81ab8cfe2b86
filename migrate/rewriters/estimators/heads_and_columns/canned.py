"""Canned Estimators as the Keras models that they are: columns, layers, a head, their optimizers.

The loss is the sum over a batch, evaluation gives the keys of 1.15.5 (`loss` is the mean of the
batches' losses), predictions have its keys. What a canned Estimator had as a default is written
out: Adagrad at 0.05 for hidden layers (0.001 in a combined model), Ftrl at 0.2 for linear models
(0.005 in a combined one), Ftrl at 0.3 for baselines.

https://www.tensorflow.org/guide/migrate/canned_estimators
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from migrate.engine.findings import Edit
from migrate.engine.source import apply
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters import equal_optimizers
from migrate.rewriters.estimators.heads_and_columns import heads
from migrate.rewriters.estimators.heads_and_columns.columns import (
    APPLIED,
    CATEGORICAL,
    COLUMNS,
    EMBEDDED,
    Columns,
    columns,
)
from migrate.rewriters.estimators.lifting import Lifted
from migrate.rewriters.estimators.models import constants
from migrate.rewriters.estimators.optimizing import training
from migrate.rewriters.estimators.program import Estimator, Program, maker
from migrate.rewriters.estimators.runs import config, strategies, warm_starts
from migrate.rewriters.estimators.serving import exports
from migrate.rewriters.sessions import row_optimizers


@dataclass(frozen=True, slots=True)
class Kind:
    """A family of canned Estimators: its model, and the optimizers that it has by default."""

    model: str
    optimizers: dict[str, tuple[str, float]]  # name and learning rate, by argument
    positional: int  # how many leading arguments the model takes as they are


KINDS = {
    "DNN": Kind("DNNModel", {"optimizer": ("Adagrad", 0.05)}, 2),
    "Linear": Kind("LinearModel", {"optimizer": ("Ftrl", 0.2)}, 1),
    "DNNLinearCombined": Kind(
        "DNNLinearModel",
        {"linear_optimizer": ("Ftrl", 0.005), "dnn_optimizer": ("Adagrad", 0.001)},
        0,
    ),
    "Baseline": Kind("BaselineModel", {"optimizer": ("Ftrl", 0.3)}, 0),
}
CANNED = {
    f"tensorflow.estimator.{kind}{what}": (kind, what)
    for kind in KINDS
    for what in ("Classifier", "Regressor", "Estimator")
}
HEAD = ("n_classes", "label_dimension", "weight_column", "label_vocabulary", "loss_reduction")
# What stands in the place of TF 1's arguments.
ARGUMENTS = {**dict.fromkeys(HEAD, "head"), "model_dir": "checkpoints", "config": "checkpoints"}
KEPT = ("dropout", "batch_norm", "sparse_combiner")  # arguments that a model has if one is given
RENAMED = {"dnn_activation_fn": "activation_fn", "dnn_dropout": "dropout"}
FIXED = {
    "input_layer_partitioner": "partitioned variables",
    "partitioner": "partitioned variables",
}
BY_NAME = {
    "Adagrad": "{tf}.keras.optimizers.Adagrad({rate}, epsilon=0)",
    "Adam": "{tf}.keras.optimizers.Adam({rate}, beta_2=0.9990000128746033, epsilon=1e-08)",
    "Ftrl": "{tf}.keras.optimizers.Ftrl({rate})",
    "RMSProp": "RMSprop({rate}, epsilon=1e-10)",
    "SGD": "{tf}.keras.optimizers.SGD({rate})",
}
REDUCTIONS = {
    "SUM": "reduce_sum",
    "MEAN": "reduce_mean",
    "SUM_OVER_BATCH_SIZE": "reduce_batch",
    "SUM_BY_NONZERO_WEIGHTS": "reduce_nonzero",
}
WIDTH = 99
# By its name, or the text that stands for it.
_REDUCTION = re.compile(r"""\bReduction\.(\w+)$|^(["'])weighted_(\w+)\2$""")


@maker(*CANNED)
def canned(program: Program, endpoint: str, call: ast.Call) -> Estimator:
    """A canned Estimator."""
    kind, what = CANNED[endpoint]
    if what == "Estimator":
        return OfHead(program, endpoint, call, replace(KINDS[kind], positional=0), False).made()
    return Model(program, endpoint, call, KINDS[kind], what == "Classifier").made()


TREES = (
    *(f"estimator.BoostedTrees{what}" for what in ("Classifier", "Regressor", "Estimator")),
    *(
        f"contrib.estimator.boosted_trees_{what}_train_in_memory"
        for what in ("classifier", "regressor")
    ),
)


@maker(*(f"tensorflow.{name}" for name in TREES))
def trees(program: Program, endpoint: str, call: ast.Call) -> Estimator:
    """Boosted trees, which nothing in Keras is equal to."""
    name = endpoint.replace("tensorflow", "tf", 1)
    what = "TF Decision Forests, which has, wants TF 2.19"
    raise Blocked(call, f"Keras has no boosted trees ({what}): {name} stays with the shim")


LINEAR = frozenset({"LinearModel", "DNNLinearModel"})
EMBEDDINGS = frozenset(endpoint for endpoint, name in COLUMNS.items() if name in EMBEDDED)


class Model:
    """The Keras model of one call."""

    def __init__(
        self, program: Program, endpoint: str, call: ast.Call, kind: Kind, classifies: bool
    ) -> None:
        self.program, self.call, self.kind, self.classifies = program, call, kind, classifies
        self.columns: Columns = columns(program)
        self.begins: ast.expr | None = None  # whose weights it begins with
        self.given = program.walker.bound(endpoint, call)
        if any(isinstance(a, ast.Starred) for a in call.args) or any(
            k.arg is None for k in call.keywords
        ):
            raise Blocked(call, "arguments are hidden here")
        if len(call.args) > kind.positional:
            self._named_first(call.args[kind.positional :])
        for name, why in FIXED.items():
            if self._set(name) and not warm_starts.never(program, self.given[name]):
                raise Blocked(self.given[name], f"{why} of a canned Estimator")
        self.run = config.read(
            program,
            self.given["config"] if self._set("config") else None,
            self.given["model_dir"] if self._set("model_dir") else None,
        )
        if self.run.strategy is not None:
            strategies.name_it(program, self.run.strategy, call)
        self.combined = kind.model == "DNNLinearModel"
        if self.combined:
            for part in ("linear_feature_columns", "dnn_feature_columns", "dnn_hidden_units"):
                if part not in self.given:
                    raise Blocked(call, f"a combined model without `{part}`")

    def _named_first(self, args: Sequence[ast.expr]) -> None:
        """Arguments by their places are said by their names, which say what the model's are.

        Raises:
            Lifted: always.
        """
        edits = []
        for node in args:
            name = next(n for n, value in self.given.items() if value is node)
            start, _ = self.program.text.index.span(node)
            edits.append(Edit(start, start, f"{name}="))
        raise Lifted(args[0], "arguments without their names", edits)

    def _set(self, name: str) -> bool:
        """Whether an argument is given, and isn't `None`."""
        value = self.given.get(name)
        return value is not None and not (isinstance(value, ast.Constant) and value.value is None)

    def made(self) -> Estimator:
        """What is known of it."""
        features = self.columns.features
        self.model = self.columns.need(self.call, self.kind.model)
        self._without_embeddings()
        head = self._head()
        trained = {name: self._optimizer(name) for name in self.kind.optimizers}
        if self.run.place is not None:
            self.columns.checkpointed.add(id(self.program.page(self.call)))
            trained["checkpoints"] = self.run.dictionary(self.program)
        if self.combined:
            features.add("combined")
            listed = self.program.scopes.value(self.given["linear_feature_columns"])
            if not isinstance(listed, (ast.List, ast.Tuple)) or not listed.elts:
                features.add("empty")
        replicated = strategies.kind(self.program)
        if replicated:
            features.add("replicated")
            self.program.kept["classes of heads"] = True
        if self.program.unwatched and replicated != "always":
            features.add("at_once")
        if self.program.single:
            features.add("single")
        if self.program.repeated("train"):
            features.add("refit")
        if self.program.repeated("evaluate"):
            features.add("reevaluate")
        for name in self.given:
            new = RENAMED.get(name, name).removeprefix("linear_")
            if new in KEPT:
                features.add({"sparse_combiner": "combiner"}.get(new, new))
        made = Estimator(
            self.call,
            lambda: self._source(head, trained),
            keyed=True,
            folder=self.run.place,
            home=self.call,
            signatures=exports.OF_HEADS,
            head=head.partition("(")[0] if " if " not in head else "head that a run chooses",
        )
        strategy = self.run.strategy
        if strategy is not None:
            made.scope = lambda: strategy.scope(self.program)
            made.groups = strategy.both
        warm = self.given.get(warm_starts.FIELD)
        if warm is not None and not warm_starts.never(self.program, warm):
            self.begins = warm_starts.taken(self.program, warm, made)
        return made

    # -- the head ------------------------------------------------------------------------------

    def _head(self) -> str:
        """An expression that makes the head."""
        program, features = self.program, self.columns.features
        if program.kept.setdefault("old heads", True) is not True:
            raise Blocked(self.call, "a canned Estimator beside heads of tf.estimator")
        rest = []
        for name in ("weight_column", "label_vocabulary"):
            if self._set(name):
                features.add(name)
                source = program.source(self.given[name])
                if name == "weight_column":
                    source = heads.weights(program, self.given[name], source)
                rest.append(f"{name}={source}")
        self._reduction()
        if not self.classifies:
            name = self.columns.need(self.call, "RegressionHead")
            size = self.given.get("label_dimension")
            first = [] if size is None else [f"label_dimension={program.source(size)}"]
            return f"{name}({', '.join(first + rest)})"
        features.add("classes")
        count = self.given.get("n_classes")
        options = ", ".join(rest)
        value = constants.always(program, count) if count is not None else None
        if count is None or (isinstance(value, ast.Constant) and value.value == 2):
            return f"{self.columns.need(self.call, 'BinaryClassHead')}({options})"
        source = program.source(count)
        name = self.columns.need(self.call, "MultiClassHead")
        many = f"{name}({', '.join([source, *rest])})"
        if isinstance(value, ast.Constant):
            return many
        two = self.columns.need(self.call, "BinaryClassHead")
        return f"{two}({options}) if {source} == 2 else {many}"

    def _reduction(self) -> None:
        feature = "reduce_sum"
        if self._set("loss_reduction"):
            node = self.given["loss_reduction"]
            match = _REDUCTION.search(self.program.source(node))
            said = (match[1] or match[3].upper()) if match is not None else ""
            if said not in REDUCTIONS:
                raise Blocked(node, "a loss reduction that isn't seen")
            feature = REDUCTIONS[said]
        if any(other in self.columns.features for other in REDUCTIONS.values() if other != feature):
            raise Blocked(self.call, "canned Estimators of a program with several loss reductions")
        self.columns.features.add(feature)

    # -- optimizers ----------------------------------------------------------------------------

    def _optimizer(self, argument: str) -> str:
        """The Keras optimizer for an argument.

        Raises:
            Blocked: none gives the same numbers.
        """
        program, (name, rate) = self.program, self.kind.optimizers[argument]
        node = self.given.get(argument)
        sparse = self._sparse(argument)
        if sparse:
            self._by_row(argument, node)
        if node is None:
            return BY_NAME[name].format(tf=program.tf, rate=rate)
        value = program.scopes.value(node)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            if value.value not in BY_NAME or (sparse and value.value == "RMSProp"):
                raise Blocked(node, f"no Keras optimizer for {value.value!r} here")
            if value.value == "RMSProp":
                program.need(self.call, "RMSprop", equal_optimizers.STARTS)
            if value.value == "Ftrl":
                self._ftrl(node, argument)
            return BY_NAME[value.value].format(tf=program.tf, rate=rate)
        if isinstance(node, ast.Lambda) and not node.args.args:
            value = node = node.body
        if not isinstance(value, ast.Call) or not training.is_optimizer(program.called(value)):
            raise Blocked(node, "an optimizer that isn't seen")
        if program.called(value) == "tensorflow.train.FtrlOptimizer":
            self._ftrl(value, argument)
            if self._set_in(value, "l2_shrinkage_regularization_strength") and sparse:
                raise Blocked(value, "Ftrl with shrinkage moves only the rows of a batch in TF 1")
            sparse = False
        new, _ = training.keras(program, value, self.call, sparse=sparse)
        if value is node:
            return new
        return self._named(node, value, new)

    def _by_row(self, argument: str, node: ast.expr | None) -> bool:
        """Let tables have gradients of rows, where an optimizer of TF 1 moves only those.

        Raises:
            Blocked: other models have the same tables' classes.
        """
        value = self.program.scopes.value(node) if node is not None else None
        value = value.body if isinstance(value, ast.Lambda) else value
        name = self.program.called(value).rpartition(".")[2] if value is not None else ""
        moves = name in row_optimizers.ROWS and name != "FtrlOptimizer"
        part = "wide_rows" if self._linear(argument) else "rows"
        others = any(self.program.called(c) in APPLIED for c in self.program.calls())
        if self.program.kept.setdefault(("canned", part), moves) != moves or (moves and others):
            at = self.call if node is None else node
            raise Blocked(at, "optimizers that move only the rows of a batch, and others")
        if moves:
            self.columns.features.add(part)
        return moves

    def _named(self, node: ast.expr, value: ast.Call, new: str) -> str:
        """An optimizer that has a name of its own: it is made where it was, for this model only."""
        found = self.program.scopes.lookup(node)
        if found is None or not isinstance(node, ast.Name):
            raise Blocked(node, "an optimizer that isn't seen")
        if strategies.kind(self.program):
            what = (
                f"`{node.id}`, which isn't made in the strategy's scope: make it where it is given"
            )
            raise Blocked(node, what)
        uses = self.program.scopes.uses(found, node.id)
        if len(uses) > 1 and not (
            found.scope is self.program.scopes.scope(node) and self._one_of(uses)
        ):
            raise Blocked(node, f"`{node.id}` is used more than once")
        if self.program.kept.setdefault(("optimizer", id(value)), new) != new:
            raise Blocked(node, f"`{node.id}` is another optimizer of Keras for each model")
        if len(uses) == 1 or uses[0] is node:
            self.program.edit(value, new, "a Keras optimizer")
        return self.program.source(node)

    def _one_of(self, uses: Sequence[ast.expr]) -> bool:
        """Whether a run of a function comes to one of some uses at most, in branches of tests."""

        def ways(use: ast.expr) -> dict[int, bool]:
            found, node = {}, self.program.scopes.statement(use)
            for above in self.program.scopes.around(node):
                if isinstance(above, (ast.For, ast.While)):
                    return {}
                if isinstance(above, ast.If):
                    found[id(above)] = any(n is use for s in above.body for n in walk(s))
            return found

        known = [ways(use) for use in uses]
        return all(
            any(one[test] is not two[test] for test in one.keys() & two.keys())
            for place, one in enumerate(known)
            for two in known[place + 1 :]
        )

    def _without_embeddings(self) -> None:
        """See that a linear model has no embedding: in TF 1 its Ftrl moves the rows of a batch.

        Raises:
            Blocked: one is among its columns.
        """
        name = "linear_feature_columns" if self.combined else "feature_columns"
        if self.kind.model not in LINEAR or name not in self.given:
            return
        for column in self._columns(self.given[name]):
            made = self.program.scopes.value(column)
            if isinstance(made, ast.Call) and self.program.called(made) in EMBEDDINGS:
                raise Blocked(column, "an embedding among the columns of a linear model")

    def _columns(self, node: ast.expr) -> list[ast.expr]:
        """The columns in a list, as far as they are told."""
        found = self.program.scopes.value(node)
        if isinstance(found, (ast.List, ast.Tuple)):
            return [column for item in found.elts for column in self._columns(item)]
        if isinstance(found, ast.BinOp) and isinstance(found.op, ast.Add):
            return [*self._columns(found.left), *self._columns(found.right)]
        return [node]

    def _set_in(self, call: ast.Call, name: str) -> bool:
        return name in self.program.given(call)

    def _sparse(self, argument: str) -> bool:
        """Whether what an optimizer trains may have sparse gradients in TF 1."""
        used = self.columns.used
        if self.kind.model == "BaselineModel":
            return False
        return bool(used & (CATEGORICAL if self._linear(argument) else EMBEDDED))

    def _linear(self, argument: str) -> bool:
        return self.kind.model == "LinearModel" or argument == "linear_optimizer"

    def _ftrl(self, node: ast.expr, argument: str) -> None:
        """Rows that begin at zero stay where they are under Keras's Ftrl, too; others don't."""
        if self._sparse(argument) and not self._linear(argument):
            raise Blocked(node, "Ftrl moves only the rows of a batch in TF 1")

    # -- the call ------------------------------------------------------------------------------

    def _source(self, head: str, trained: dict[str, str]) -> str:
        """The call, with the author's arguments, order and comments."""
        program, call = self.program, self.call
        start, end = program.text.index.span(call)
        edits = [Edit(*program.text.index.span(call.func), self.model)]
        if id(program.page(call)) in self.columns.checkpointed:  # of another one beside it
            trained.setdefault("checkpoints", "{}")
        if self.begins is not None:
            known = trained["checkpoints"]
            known = known[:-1] if known.startswith("dict(") else f"dict({known}"
            begins = program.source(self.begins)
            trained = {**trained, "checkpoints": f"{known}, warm_from={begins})"}
        rest = {"head": head, **trained}
        arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        arguments.sort(key=lambda node: (node.lineno, node.col_offset))
        gone: list[int] = []
        for place, node in enumerate(arguments):
            if not isinstance(node, ast.keyword):
                continue
            assert node.arg is not None
            name = ARGUMENTS.get(node.arg, node.arg)
            if name in rest:
                edits.append(Edit(*program.text.index.span(node), f"{name}={rest.pop(name)}"))
            elif node.arg in ARGUMENTS or node.arg in FIXED or node.arg == warm_starts.FIELD:
                gone.append(place)
            elif node.arg in RENAMED:
                at = program.text.index.span(node)[0]
                edits.append(Edit(at, at + len(node.arg), RENAMED[node.arg]))
        edits += self._without(arguments, gone)
        new = [f"{k}={v}" for k, v in rest.items()]
        several = call.lineno != call.end_lineno
        if new and several and arguments:
            edits.append(self._more(arguments, new))
        for inner in program.edits:
            if start <= inner.start and inner.end <= end:
                if not any(e.start <= inner.start and inner.end <= e.end for e in edits):
                    edits.append(inner)
        moved = [Edit(e.start - start, e.end - start, e.new) for e in edits]
        text = apply(program.text.text[start:end], moved)
        return text if several and arguments else self._extended(text, new, start)

    def _extended(self, text: str, new: list[str], start: int) -> str:
        """A call that stood on one line, with further arguments; it may need several now."""
        whole = self.program.text.text
        line = whole[whole.rindex("\n", 0, start) + 1 : start]
        opened = text.index("(") + 1
        parts = [part for part in (text[opened:-1].rstrip(", "), *new) if part]
        short = f"{text[:opened]}{', '.join(parts)})"
        if len(line) + len(short.replace(self.program.tf, "tf")) <= WIDTH:
            return short
        between = "\n" + line[: len(line) - len(line.lstrip())] + "    "
        return f"{text[:opened]}{between}{f',{between}'.join(parts)})"

    def _without(self, arguments: list[ast.expr | ast.keyword], gone: list[int]) -> Iterator[Edit]:
        """Take arguments out, each with its comma: the one before it, where all behind go."""
        spans = [self.program.text.index.span(argument) for argument in arguments]
        kept = max((p for p in range(len(spans)) if p not in gone), default=-1)
        for place in gone:
            start, end = spans[place]
            if place < kept:
                yield Edit(start, spans[place + 1][0], "")
            else:
                yield Edit(spans[place - 1][1] if place else start, end, "")

    def _more(self, arguments: list[ast.expr | ast.keyword], new: list[str]) -> Edit:
        """Further arguments of a call on several lines, laid out as the others are."""
        text, index = self.program.text.text, self.program.text.index
        first, last = index.span(arguments[0])[0], index.span(arguments[-1])[1]
        column = first - text.rindex("\n", 0, first) - 1
        line = text[text.rindex("\n", 0, index.span(arguments[-1])[0]) + 1 :]
        if arguments[-1].lineno != arguments[0].lineno:
            column = len(line) - len(line.lstrip())
        rest = text[index.span(self.call)[1] :].partition("\n")[0]
        if "#" in rest and arguments[-1].lineno != arguments[0].lineno:  # it is the last one's
            at = index.span(arguments[-1])[0]
            return Edit(at, at, "".join(n + ",\n" + " " * column for n in new))
        return Edit(last, last, "".join(",\n" + " " * column + n for n in new))


class OfHead(Model):
    """The Keras model of a canned Estimator that is given its head."""

    def _head(self) -> str:
        node = self.given.get("head")
        if node is None:
            raise Blocked(self.call, "a canned Estimator without a head")
        return heads.given(self.program, self.call, node)


__all__ = ["canned", "trees"]
