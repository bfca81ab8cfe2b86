"""Programs with Estimators in other words, before they are followed: TF 1 still, but plainer.

- A branch that makes a TPUEstimator on TPUs, beside one that makes an Estimator without them, says
  that TPUs aren't there; TF 1.15.5 would find none either.
- `if …: return TPUEstimatorSpec(…)` beside `return EstimatorSpec(…)` is the latter, where both have
  the same fields, or the file makes plain Estimators only: these take no other spec.
- What opens a session on a TPU that Colab lends says the same as the branch above.
- A name that is `True` in one branch of a test on the mode and `False` in the other is the test.
- A batch normalization that is made twice has a switch instead (`batch_norm_pairs`).
- `head.logits_dimension` is the number that the head is made with.
- `EstimatorSpec(**spec)` of a dict that a model_fn fills is given its fields under names.
- `RunConfig(**keys)` of a dict that a function fills is given its words (`filled_dicts`).
- `model = add_metrics(model, …)` right below a canned Estimator is a statement without a target.
- `tf.contrib.keras` is `tf.keras` (`contrib_keras`), a real-valued column of `contrib.layers` a
  numeric one (`contrib_columns`).
- Layers are told whether they train, where a model_fn sets Keras's phase (`learning_phases`).
- The last outputs of sequences by contrib.learn's name are a `tf.gather` (`last_activations`).
- What gives canned Estimators an optimizer by its name is a function of the file.
- `static_rnn` is `dynamic_rnn` on a stack (`static_rnns`); a list of cells stands in the
  MultiRNNCell that reads it (`named_cells`).
- `dynamic_rnn` begins with zeros of itself, and has time as its second axis (`rnn_words`).
- A Sequential model that `add` fills is one of a list (`sequential`).
- What a variable_scope gives variables by default they are given themselves (`scope_defaults`).
- `stack` of contrib.layers is a loop (`stacks`), a private head a public one (`private_heads`).
- A forward pass that the branch of each mode says stands before them (`same_forward`).
- A function that a setting chooses in a dict is called in branches (`function_tables`).
- A function that is defined again has a name of its own from there (`defined_again`).
- A function that only makes a recurrent cell is the cell, where it is called (`cell_makers`).
- So is one that only adds metrics and features to an Estimator (`forwarders`).
- A list of hooks or exporters that is appended to is one where it is whole (`appended`).
- A subclass of Estimator that only makes one is a function that does (`subclasses`).
- `apply_gradients(compute_gradients(loss))` is `minimize(loss)`.
- What `train_and_evaluate` gives isn't returned to nobody (`returned_runs`).
- Metrics that a loop over constants makes are said one by one (`looped_metrics`).
- What makes losses, metrics or train ops by the mode stands where it is called (`mode_helpers`).
- An iterator of an input_fn isn't initialized with a graph's tables (`initialized`).
- What a `host_call` writes are a model_fn's own summaries (`host_calls`).
- An Experiment of contrib.learn is `train_and_evaluate` with two specs (`experiments`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.document import Document, read
from migrate.engine.findings import Edit
from migrate.engine.judged import names_of
from migrate.engine.names import Names
from migrate.engine.source import SourceError
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import defined_again
from migrate.rewriters.estimators.callbacks import appended
from migrate.rewriters.estimators.contrib_learn import contrib_keras, experiments
from migrate.rewriters.estimators.estimator import public
from migrate.rewriters.estimators.evaluation import looped_metrics
from migrate.rewriters.estimators.heads_and_columns import (
    added,
    canned,
    contrib_columns,
    forwarders,
    heads,
    private_heads,
)
from migrate.rewriters.estimators.models import (
    batch_norm_pairs,
    function_tables,
    initialized,
    last_activations,
    learning_phases,
    mode_helpers,
    same_forward,
    scope_defaults,
    sequential,
    spec_dicts,
    stacks,
    subclasses,
)
from migrate.rewriters.estimators.optimizing import named_optimizers
from migrate.rewriters.estimators.program import ESTIMATORS
from migrate.rewriters.estimators.recurrence import cell_makers, named_cells, rnn_words, static_rnns
from migrate.rewriters.estimators.runs import filled_dicts, host_calls, returned_runs, tpu
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.text import Text

SPEC, PLAIN = "tensorflow.estimator.EstimatorSpec", "tensorflow.estimator.Estimator"
SESSION = "tensorflow.Session"


def spelled(document: Document, names: Names, others: str = "") -> Document:
    """The document in plainer words; itself where nothing is said otherwise.

    ``others``: the texts of the program's other files.
    """
    try:
        plainer = Spelled(document, names)
        public_heads = list(private_heads.edits(plainer.tree, plainer.text, plainer.called))
        if public_heads:
            said = by_cell(document, public_heads)
            document = read(document.path, document.encode(list(said)))
            plainer = Spelled(document, names_of(document))
        if again := list(defined_again.edits(plainer.tree, plainer.text, plainer.called, others)):
            document = read(document.path, document.encode(list(by_cell(document, again))))
            plainer = Spelled(document, names_of(document))
        if cells := list(cell_makers.edits(plainer.tree, plainer.text, plainer.called, others)):
            document = read(document.path, document.encode(list(by_cell(document, cells))))
            plainer = Spelled(document, names_of(document))
        if ahead := list(forwarders.edits(plainer.tree, plainer.text, plainer.called, others)):
            document = read(document.path, document.encode(list(by_cell(document, ahead))))
            plainer = Spelled(document, names_of(document))
        if made := list(subclasses.edits(plainer.tree, plainer.text, plainer.endpoints, others)):
            document = read(document.path, document.encode(list(by_cell(document, made))))
            plainer = Spelled(document, names_of(document))
        while helped := mode_helpers.step(document, names_of(document), others):
            document = read(document.path, document.encode(list(by_cell(document, helped))))
            plainer = Spelled(document, names_of(document))
        edits = list(plainer.edits())
        edits += function_tables.edits(plainer.tree, plainer.text, plainer.called, others)
        edits += returned_runs.edits(plainer.tree, plainer.text, plainer.called, others)
        edits += learning_phases.edits(plainer.tree, plainer.text, plainer.called, others)
        edits += named_optimizers.edits(plainer.tree, plainer.text, plainer.endpoints, others)
        if not edits:
            return document
        return read(document.path, document.encode(list(by_cell(document, edits))))
    except (Blocked, SourceError):
        return document


class Spelled:
    """The edits of one file."""

    def __init__(self, document: Document, names: Names) -> None:
        self.text = Text(document)
        self.tree = document.tree
        self.endpoints = {id(r.node): public(r.name) for r in names.references}
        self.switched: set[int] = set()  # TPUEstimators that are never made

    def called(self, node: ast.AST | None) -> str:
        """The TensorFlow name that an expression calls, or nothing."""
        return self.endpoints.get(id(node.func), "") if isinstance(node, ast.Call) else ""

    def edits(self) -> Iterator[Edit]:
        """All of them; a statement is changed once."""
        branches = all_of(self.tree, ast.If)
        for stmt in branches:
            yield from self._made(stmt)
            yield from self._flag(stmt)
        yield from appended.edits(self.tree, self.text)
        yield from batch_norm_pairs.edits(self.tree, self.text, self.called)
        yield from spec_dicts.edits(self.tree, self.text, self.called)
        yield from added.edits(self.tree, self.text, self.called, tuple(canned.CANNED))
        yield from contrib_columns.edits(self.tree, self.text, self.called)
        yield from contrib_keras.edits(self.tree, self.text, self.endpoints, self.called)
        yield from experiments.edits(self.tree, self.text, self.called)
        yield from filled_dicts.edits(self.tree, self.text, self.called)
        yield from host_calls.edits(self.tree, self.text, self.called)
        yield from initialized.edits(self.tree, self.text, self.endpoints, self.called)
        yield from last_activations.edits(self.tree, self.text, self.called)
        yield from looped_metrics.edits(self.tree, self.text, self.called)
        yield from named_cells.edits(self.tree, self.text, self.called)
        yield from named_cells.widths(self.tree, self.text, self.called)
        yield from same_forward.edits(self.tree, self.text, self.endpoints, self.called)
        yield from scope_defaults.edits(self.tree, self.text, self.called)
        yield from sequential.edits(self.tree, self.text, self.called)
        yield from stacks.edits(self.tree, self.text, self.endpoints, self.called)
        yield from rnn_words.edits(self.tree, self.text, self.called)
        yield from static_rnns.edits(self.tree, self.text, self.called)
        for node in walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                yield from self._dimensions(node)
            elif isinstance(node, ast.Call):
                yield from self._minimized(node)
        if not self.switched:
            return
        for stmt in branches:
            yield from self._lent(stmt)
        for node in walk(self.tree):
            for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
                if not isinstance(body, list):
                    continue
                for at, stmt in enumerate(body):
                    if isinstance(stmt, ast.If):
                        yield from self._spec(stmt, body[at + 1 :])

    def _minimized(self, call: ast.Call) -> Iterator[Edit]:
        """Gradients that are applied in the expression that computes them: a minimum is asked."""
        inner = call.args[0] if call.args else None
        if not isinstance(inner, ast.Call) or len(inner.args) != 1 or inner.keywords:
            return
        outer, first = call.func, inner.func
        if not isinstance(outer, ast.Attribute) or not isinstance(first, ast.Attribute):
            return
        same = ast.dump(outer.value) == ast.dump(first.value)
        plain = isinstance(outer.value, ast.Name)
        if same and plain and (outer.attr, first.attr) == ("apply_gradients", "compute_gradients"):
            yield Edit(*self.text.index.span(outer), f"{self.text.source(outer.value)}.minimize")
            yield Edit(*self.text.index.span(inner), self.text.source(inner.args[0]))

    def _dimensions(self, function: ast.FunctionDef) -> Iterator[Edit]:
        """How wide the logits of a function's heads are."""
        names = all_of(function, ast.Name)
        made: dict[str, str] = {}
        for stmt in function.body:
            if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
                continue
            name, head = stmt.targets[0], heads.HEADS.get(self.called(stmt.value))
            if head is None or not isinstance(name, ast.Name):
                continue
            if sum(n.id == name.id and not isinstance(n.ctx, ast.Load) for n in names) > 1:
                continue
            width = heads.width(head, stmt.value)
            if width is not None:
                made[name.id] = self.text.source(width) if isinstance(width, ast.AST) else width
        for node in walk(function):
            if isinstance(node, ast.Attribute) and node.attr == "logits_dimension":
                if isinstance(node.value, ast.Name) and node.value.id in made:
                    yield Edit(*self.text.index.span(node), made[node.value.id])

    def _spec(self, stmt: ast.If, after: list[ast.stmt]) -> Iterator[Edit]:
        """One spec for TPUs and one of the same fields for all else."""
        rest = stmt.orelse or after[:1]
        if len(rest) != 1:
            return
        first, second = stmt.body[-1], rest[0]
        if not isinstance(first, ast.Return) or not isinstance(second, ast.Return):
            return
        if self.called(first.value) not in tpu.SPECS or self.called(second.value) != SPEC:
            return
        same = len(stmt.body) == 1 and _fields(first.value) == _fields(second.value)
        if not same and not self._plain(stmt):
            return
        whole, kept = self.text.piece(stmt), self.text.piece(second)
        lines = self.text.render(kept.first, kept.last, kept.indent, whole.indent)
        last = kept.last if stmt.orelse else whole.last
        new = lines if stmt.orelse else ""
        yield Edit(self.text.start(whole.line), self.text.start(last + 1), new)

    def _flag(self, stmt: ast.If) -> Iterator[Edit]:
        """Branches on the mode that only give a name `True` and `False`."""
        if len(stmt.body) != 1 or len(stmt.orelse) != 1 or not isinstance(stmt.test, ast.Compare):
            return
        keys = [self.endpoints.get(id(n), "") for n in walk(stmt.test)]
        if not any(".ModeKeys." in key for key in keys):
            return
        first, other = stmt.body[0], stmt.orelse[0]
        if not isinstance(first, ast.Assign) or not isinstance(other, ast.Assign):
            return
        same = [ast.dump(t) for t in first.targets] == [ast.dump(t) for t in other.targets]
        told = [
            s.value.value if isinstance(s.value, ast.Constant) else None for s in (first, other)
        ]
        if not same or set(told) != {True, False} or not all(isinstance(t, bool) for t in told):
            return
        whole, test = self.text.piece(stmt), self.text.source(stmt.test)
        target = self.text.source(first)[: -len(self.text.source(first.value))]
        new = f"{target}{test if told[0] else f'not ({test})'}"
        start = self.text.start(whole.line)
        yield Edit(start, self.text.start(whole.last + 1), f"{whole.indent}{new}\n")

    def _made(self, stmt: ast.If) -> Iterator[Edit]:
        """An Estimator that is made for TPUs, and one that is made without them."""
        for taken, other in ((stmt.body, stmt.orelse), (stmt.orelse, stmt.body)):
            made = [n for s in taken for n in walk(s) if self._estimator(n)]
            if not other or not any(self._estimator(n) for s in other for n in walk(s)):
                continue
            if len(made) != 1 or not self._on_tpus(made[0], stmt.test):
                continue
            if any(self._on_tpus(n, stmt.test) for s in other for n in walk(s)):
                continue
            self.switched.add(id(made[0]))
            yield from self._refused(taken, stmt)
            return

    def _refused(self, body: list[ast.stmt], stmt: ast.If) -> Iterator[Edit]:
        """A branch that only says that there are no TPUs."""
        first, last = self.text.piece(body[0], stmt.lineno), self.text.piece(body[-1])
        start, end = self.text.start(first.first), self.text.start(last.last + 1)
        yield Edit(start, end, f"{first.indent}{tpu.RAISED}\n")

    def _lent(self, stmt: ast.If) -> Iterator[Edit]:
        """A branch for the TPU whose address Colab gives."""
        test = stmt.test
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.In):
            return
        asked = isinstance(test.left, ast.Constant) and test.left.value == "COLAB_TPU_ADDR"
        opens = [n for s in stmt.body for n in walk(s) if self.called(n) == SESSION]
        if asked and opens and not stmt.orelse:
            yield from self._refused(stmt.body, stmt)

    def _plain(self, stmt: ast.If) -> bool:
        """Whether what a branch returns goes to Estimators of this file that aren't for TPUs."""
        owner = next(n for n in all_of(self.tree, ast.FunctionDef) if stmt in walk(n))
        made = [n for n in walk(self.tree) if self._estimator(n) and id(n) not in self.switched]
        return any(
            isinstance(n, ast.Name) and n.id == owner.name for m in made for n in walk(m)
        ) and all(self.called(m) == PLAIN for m in made)

    def _estimator(self, node: ast.AST) -> bool:
        return ESTIMATORS.match(self.called(node)) is not None

    def _on_tpus(self, node: ast.AST, test: ast.expr) -> bool:
        """Whether a call makes a TPUEstimator that only TPUs can run."""
        if not isinstance(node, ast.Call) or self.called(node) not in tpu.ESTIMATORS:
            return False
        if len(node.args) > 3 or any(k.arg is None for k in node.keywords):
            return False
        use = next((k.value for k in node.keywords if k.arg == "use_tpu"), None)
        said = isinstance(use, ast.Constant) and use.value is True
        return use is None or said or ast.dump(use) == ast.dump(test)


def _fields(node: ast.expr | None) -> dict[str | None, str] | None:
    """A spec's fields, where all but the mode are given by name."""
    assert isinstance(node, ast.Call)
    names: list[str | None] = ["mode"] if node.args else []
    names += [k.arg for k in node.keywords]
    values = [*node.args, *(k.value for k in node.keywords)]
    if len(node.args) > 1 or None in names or len(set(names)) != len(names):
        return {None: ast.dump(node)}
    return {n: ast.dump(v) for n, v in zip(names, values, strict=True)}
