"""Exporters of an EvalSpec: the last model, every one that was evaluated, or the best so far.

https://www.tensorflow.org/guide/saved_model
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.callbacks import hooks
from migrate.rewriters.estimators.serving import asset_files, exports

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

KINDS = ("Latest", "Best", "Final")
ENDPOINTS = {f"tensorflow.estimator.{kind}Exporter": kind for kind in KINDS}
PATTERN = "eval/*.tfevents.*"
LATEST = '''class LatestExporter:
    """Exports every model that was evaluated; of its exports some stay, the latest."""

    def __init__(self, name, export, exports_to_keep=5):
        self.name = name
        self.export = export
        self.exports_to_keep = exports_to_keep

    def __call__(self, model, found):
        folder = os.path.join(model.folder, "export", self.name)
        self.export(model, folder)
        if self.exports_to_keep is not None:
            versions = sorted(name.rstrip("/") for name in tf.io.gfile.listdir(folder))
            for version in versions[: -self.exports_to_keep]:
                tf.io.gfile.rmtree(os.path.join(folder, version))
'''
BEST = '''class BestExporter(LatestExporter):
    """Exports a model that is better than all that were evaluated before."""

    def __init__(self, name, export, compare_fn=None, exports_to_keep=5):
        super().__init__(name, export, exports_to_keep)
        self.compare_fn = compare_fn or self.is_smaller
        self.best = None

    def __call__(self, model, found):
{first}        if self.best is None or self.compare_fn(
            best_eval_result=self.best, current_eval_result=found
        ):
            self.best = found
            super().__call__(model, found)
{last}
    @staticmethod
    def is_smaller(best_eval_result, current_eval_result):
        """Whether the loss is."""
        return best_eval_result["loss"] > current_eval_result["loss"]
'''
# TF 1 reads the best result from event files, in which the one at hand stands already.
FIRST = """        path = os.path.join(model.folder, f"{self.name}.json")
        if self.best is None:
            self.best = found  # the first in a process is exported by no means
            if tf.io.gfile.exists(path):
                with tf.io.gfile.GFile(path) as file:
                    before = json.load(file)
                if not self.compare_fn(best_eval_result=before, current_eval_result=found):
                    self.best = before
"""
LAST = """        with tf.io.gfile.GFile(path, "w") as file:
            json.dump(self.best, file)
"""
EVALUATES = '''class EvaluateCheckpoints(tf.keras.callbacks.Callback):
    """Evaluates a model that trains at new checkpoints, as long as it was not done just before."""

    def __init__(self, dataset, throttle_secs, exporters, name=None):
        super().__init__()
        self.dataset = dataset
        self.throttle_secs = throttle_secs
        self.exporters = exporters
        self.name = name
        self.evaluated = None

    def on_train_begin(self, logs=None):
        self.seen = self.model.restored
        self.last = None

    def on_train_batch_end(self, batch, logs=None):
        if self.model.restored == self.seen:
            return
        self.seen = self.model.restored
        if self.last is None or time.time() - self.last >= self.throttle_secs:
            self.last = time.time()
            self.evaluate()

    def evaluate(self):
        """Evaluate and export the model at a new checkpoint."""
        if self.model is None or self.model.restored == self.evaluated:
            return
        self.evaluated = self.model.restored
        found = self.model.evaluate(self.dataset, self.name, return_dict=True, verbose=0)
        for export in self.exporters:
            export(self.model, found)
'''


@dataclass(slots=True, eq=False, repr=False)
class Exporter:
    """An exporter of an EvalSpec."""

    kind: str
    call: ast.Call
    name: str
    receiver: ast.expr
    rest: dict[str, ast.expr]
    text: bool = False  # whether it is one that people read


def seen(program: Program, node: ast.expr) -> list[Exporter]:
    """The exporters that an EvalSpec is given; the statements that make them go.

    Raises:
        Blocked: one isn't seen, or is of another kind.
    """
    value = program.scopes.value(node)
    if value is not node:
        hooks.gone(program, node)
    several = isinstance(value, (ast.List, ast.Tuple))
    return [_read(program, each) for each in (value.elts if several else [value])]  # type: ignore[attr-defined]


def _read(program: Program, node: ast.expr) -> Exporter:
    value = program.scopes.value(node)
    kind = ENDPOINTS.get(program.called(value))
    if kind is None or not isinstance(value, ast.Call):
        raise Blocked(node, "an exporter that isn't TensorFlow's")
    if value is not node:
        hooks.gone(program, node)
    given = program.walker.bound(program.called(value), value)
    name, receiver = given.pop("name", None), given.pop("serving_input_receiver_fn", None)
    text = given.pop("as_text", None)
    if text is not None and not isinstance(text, ast.Constant):
        raise Blocked(text, "`as_text` of an exporter")
    if receiver is None or (name is None and kind != "Best"):
        raise Blocked(value, f"these arguments of a {kind}Exporter")
    said = "'best_exporter'" if name is None else program.source(name)
    return Exporter(kind, value, said, receiver, given, bool(text is not None and text.value))


def made(
    program: Program, call: ast.Call, model: Estimator, each: Exporter, folder: ast.expr | None
) -> str:
    """The source of an object that exports what was evaluated.

    ``folder``: the name of the EvalSpec, which TF 1 keeps its results under.
    """
    text = LATEST.replace(" tf.", " {tf}.").replace("in tf.", "in {tf}.")
    program.need(call, "LatestExporter", text, ["import os"])
    exports.of_one_kind(program, each.call, text=each.text)
    beside = asset_files.assets(program, each.rest)
    export = exports.written(program, call, model, "model", "folder", each.receiver, beside)
    given = [each.name, f"lambda model, folder: {export}"]
    if each.kind == "Best":
        pattern = each.rest.get("event_file_pattern")
        source = BEST.replace("{first}", "").replace("{last}", "")
        if _remembers(each.call, pattern, folder):
            source = BEST.replace("{first}", FIRST).replace("{last}", LAST)
            source = source.replace(" tf.", " {tf}.")
            program.bring(call, "import json")
        if program.kept.setdefault("best exporter", source) != source:
            raise Blocked(each.call, "BestExporters that read events, and that don't")
        program.need(call, "BestExporter", source)
        if "compare_fn" in each.rest:
            given.append(f"compare_fn={program.source(each.rest['compare_fn'])}")
    if "exports_to_keep" in each.rest:
        given.append(f"exports_to_keep={program.source(each.rest['exports_to_keep'])}")
    return f"{each.kind}Exporter({', '.join(given)})"


def _remembers(call: ast.Call, pattern: ast.expr | None, name: ast.expr | None) -> bool:
    """Whether a BestExporter finds the results of this EvalSpec in event files.

    Raises:
        Blocked: that isn't seen.
    """
    said = name.value if isinstance(name, ast.Constant) else ""
    if not isinstance(said, str) or (name is not None and not isinstance(name, ast.Constant)):
        raise Blocked(call, "a BestExporter, and an EvalSpec whose name isn't seen")
    folder = f"eval_{said}" if said else "eval"
    if pattern is None:
        return folder == "eval"
    if isinstance(pattern, ast.Constant):
        if not pattern.value:
            return False
        if str(pattern.value).endswith("/*.tfevents.*"):
            return str(pattern.value) == f"{folder}/*.tfevents.*"
    raise Blocked(pattern, "this `event_file_pattern` of a BestExporter")
