"""RunConfig's fields, as what they come to for a Keras model; `model_dir` and its checkpoints.

https://www.tensorflow.org/guide/migrate/checkpoint_saver
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.runs import (
    clusters,
    kept_hours,
    no_summaries,
    run_seeds,
    strategies,
)
from migrate.rewriters.estimators.syntax import root

CONFIGS = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("estimator.RunConfig", "contrib.learn.RunConfig", "contrib.tpu.RunConfig"),
        "estimator.tpu.RunConfig",
    )
)
# What only says how the program logs, or how a session of TF 1 runs.
GOES = {
    "session_config": "settings of sessions are gone",
    "log_step_count_steps": "the speed isn't logged; Keras's progress bar tells it",
    "tpu_config": "settings of TPUs are gone",
    **dict.fromkeys(
        ("num_cores", "gpu_memory_fraction", "log_device_placement"),
        "settings of sessions are gone",
    ),
    "device_fn": "TF 2 places operations by itself",
    "evaluation_master": "",
    "master": "",
    "protocol": "",  # between the processes of a cluster
    "session_creation_timeout_secs": "settings of sessions are gone",
    "experimental_max_worker_delay_secs": "",
}
NO_CHECKPOINTS = "a RunConfig that saves no checkpoints: evaluations would begin anew"
CHECKPOINTED = '''class Checkpointed(tf.keras.Model):
    """A model with its checkpoints in a folder: it goes on from the latest one there."""

    def __init__(self, folder=None, every_steps=None, every_secs=None, keep=5, summary_steps=100):
        super().__init__()
        self.folder = folder or tempfile.mkdtemp()
        self.summary_steps = summary_steps
        self.every_steps = every_steps
        self.every_secs = every_secs
        self.at_once = math.gcd(50, every_steps or 0)  # steps between looks at them
        self.keep = keep
        self.manager = None
        self.restored = None
        self.first_step = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.writer = None  # its folder is made where training begins
        self.eval_writers = {}

    def restore(self, dataset):
        """Restore the latest checkpoint, if there is one that the model isn't at."""
        if self.manager is None:
            # The input isn't gone through for it: a shuffle would give another order afterwards.
            features, _, _ = tf.keras.utils.unpack_x_y_sample_weight(dataset.element_spec)
            tf.function(self.__call__).get_concrete_function(features)
            self.optimizer.build(self.trainable_variables)
            variables = [v.value for v in (*self.variables, *self.optimizer.variables)]
            self.manager = tf.train.CheckpointManager(
                tf.train.Checkpoint(variables=variables),
                self.folder,
                max_to_keep=self.keep,
                checkpoint_name="model.ckpt",
            )
        latest = tf.train.latest_checkpoint(self.folder)
        if latest is not None and latest != self.restored:
            self.manager.checkpoint.restore(latest).assert_consumed()
            self.restored = latest

    def save_checkpoint(self):
        """Save a checkpoint under the step that the model is at."""
        step = int(self.optimizer.iterations)
        if self.restored is None or not self.restored.endswith(f"-{step}"):
            self.restored = self.manager.save(step)

    def summarizes(self):
        """Whether the step at hand is one whose summaries are written."""
        steps = tf.cast(self.optimizer.iterations, tf.int64) - self.first_step
        return steps % self.summary_steps == 0

    def write_scalar(self, tag, value):
        """Write a value under its tag; without TensorBoard installed, too."""
        summary = tf.raw_ops.ScalarSummary(tags=tag, values=value)
        tf.summary.experimental.write_raw_pb(summary, step=self.optimizer.iterations + 1)

    def write_histogram(self, tag, values):
        """Write the distribution of some values under their tag."""
        summary = tf.raw_ops.HistogramSummary(tag=tag, values=values)
        tf.summary.experimental.write_raw_pb(summary, step=self.optimizer.iterations + 1)

    def fit(self, dataset, max_steps=None, callbacks=(), **kwargs):
        """Train on from the latest checkpoint; `max_steps` counts from the first one."""
        self.restore(dataset)
        if max_steps is not None:
            steps = math.ceil(max_steps) - int(self.optimizer.iterations)
            if steps <= 0:
                return None
            dataset = dataset.take(steps)
        self.save_checkpoint()
        callbacks = [SaveCheckpoints(self.every_steps, self.every_secs), *callbacks]
        self.first_step.assign(int(self.optimizer.iterations))
        if self.writer is None:
            self.writer = tf.summary.create_file_writer(self.folder)
        with self.writer.as_default(), tf.summary.record_if(self.summarizes):
            history = super().fit(dataset, callbacks=callbacks, **kwargs)
        self.save_checkpoint()
        return history

    def evaluate(self, dataset, name=None, **kwargs):
        """Evaluate the latest checkpoint; what is found is written below its folder, too."""
        self.restore(dataset)
        found = super().evaluate(dataset, **{**kwargs, "return_dict": True})
        folder = f"{self.folder}/eval_{name}" if name else f"{self.folder}/eval"
        if folder not in self.eval_writers:
            self.eval_writers[folder] = tf.summary.create_file_writer(folder)
        step = int(self.optimizer.iterations)
        with self.eval_writers[folder].as_default(), tf.summary.record_if(True):
            for tag, value in found.items():
                summary = tf.raw_ops.ScalarSummary(tags=tag, values=value)
                tf.summary.experimental.write_raw_pb(summary, step=step)
        self.eval_writers[folder].flush()
        return found

    def predict(self, dataset, **kwargs):
        """Predict by the latest checkpoint."""
        self.restore(dataset)
        return super().predict(dataset, **kwargs)


class SaveCheckpoints(tf.keras.callbacks.Callback):
    """Saves a checkpoint every so many steps or seconds; fails where the loss is no number."""

    def __init__(self, every_steps, every_secs):
        super().__init__()
        self.every_steps = every_steps
        self.every_secs = every_secs

    def on_train_begin(self, logs=None):
        self.step, self.time = int(self.model.optimizer.iterations), time.time()

    def on_train_batch_end(self, batch, logs=None):
        step = int(self.model.optimizer.iterations)
        if math.isnan(logs["loss"]):
            self.model.restored = None  # what goes on goes on from the latest checkpoint
            raise RuntimeError("NaN loss during training.")
        due = self.every_steps and step - self.step >= self.every_steps
        if due or (self.every_secs and time.time() - self.time >= self.every_secs):
            self.model.save_checkpoint()
            self.step, self.time = step, time.time()
'''


# The same where a model may have several optimizers, or train a part of its variables only.
TRAINED = '''    def trained(self):
        """Optimizers, and what they train."""
        return [(self.optimizer, self.trainable_variables)]

    def restore(self'''
OPTIMIZERS = {
    "            self.optimizer.build(self.trainable_variables)\n": (
        "            for optimizer, variables in self.trained():\n"
        "                optimizer.build(variables)\n"
    ),
    "            variables = [v.value for v in (*self.variables, *self.optimizer.variables)]\n": (
        "            optimizers = [optimizer for optimizer, _ in self.trained()]\n"
        "            parts = [part.variables for part in (self, *optimizers)]\n"
        "            variables = [variable.value for part in parts for variable in part]\n"
    ),
}


def with_several(program: Program, function: ast.AST) -> None:
    """A `Checkpointed` in the file that keeps all optimizers of a model."""

    def change() -> None:
        needed = program.page(function).needed
        source = needed["Checkpointed"]
        if TRAINED not in source:
            for old, new in (*OPTIMIZERS.items(), ("    def restore(self", TRAINED)):
                source = source.replace(old, new, 1)
        needed["Checkpointed"] = source

    program.finish.append(change)


@dataclass(slots=True, eq=False, repr=False)
class Config:
    """What a RunConfig says that a model needs."""

    folder: ast.expr | None = None
    settings: list[str] = field(default_factory=list)  # of `Checkpointed`
    shared: ast.expr | None = None  # a RunConfig that is a dict of settings where it is made
    strategy: strategies.Strategy | None = None
    beside: bool = False  # whether that RunConfig may have a folder, too

    @property
    def place(self) -> ast.expr | None:
        """What says where its checkpoints are; None for a model that keeps none."""
        return self.folder if self.folder is not None else self.shared

    def keywords(self, program: Program) -> list[str]:
        """What the model is made with besides its own arguments."""
        if self.shared is None:
            return [] if self.folder is None else [program.source(self.folder), *self.settings]
        shared = program.source(self.shared)
        if self.beside:
            return [f"**{self.dictionary(program)}"]
        return [*self._folder(program), f"**{shared}"]

    def dictionary(self, program: Program) -> str:
        """All that as a dict."""
        first = [] if self.shared is None else [program.source(self.shared)]
        first += self._folder(program)
        if self.folder is None and not self.settings:
            return first[0]
        return f"dict({', '.join([*first, *self.settings])})"

    def _folder(self, program: Program) -> list[str]:
        if self.folder is None:
            return []
        source = program.source(self.folder)
        if self.beside and self.shared is not None and not isinstance(self.folder, ast.Constant):
            # TF 1 raises where both have one, and another.
            source = f'{source} or {program.source(self.shared)}.get("folder")'
        return [f"folder={source}"]


def read(program: Program, node: ast.expr | None, folder: ast.expr | None) -> Config:
    """An Estimator's `config` and `model_dir`.

    Raises:
        Blocked: it has fields that aren't followed.
    """
    found = Config(folder)
    if node is None:
        return found
    from migrate.rewriters.estimators.runs import config_flow

    value = program.scopes.value(node)
    if isinstance(value, ast.Name) and config_flow.never_given(program, value):
        return found
    kept = program.attribute(node) if value is node else None
    if kept is not None and program.called(kept.value) in CONFIGS:
        value = kept.value
    if not isinstance(value, ast.Call) or not _direct(program, node, value):
        return _flows(program, node, found)
    fields = program.walker.bound(program.called(value), value)
    if kept is not None and strategies.elsewhere(program, value, fields, node):
        return _flows(program, node, found)
    found.strategy = strategies.read(program, value, fields)
    rest = {k: v for k, v in fields.items() if k not in strategies.FIELDS}
    values = settings(program, value, rest)
    if found.folder is None and "folder" in values:
        found.folder = fields["model_dir"]
    found.settings = [f"{name}={source}" for name, source in values.items() if name != "folder"]
    if node is not value:
        _gone(program, node, value)
    return found


def _flows(program: Program, node: ast.expr, found: Config) -> Config:
    """A RunConfig that goes through the program, as a dict of settings."""
    from migrate.rewriters.estimators.runs import config_flow

    flow = config_flow.origins(program, node)
    found.strategy = config_flow.strategy(program, flow, node)
    config_flow.follow(program, node)
    if found.folder is not None and config_flow.sets(flow, program, "model_dir"):
        if not isinstance(node, (ast.Name, ast.Attribute)):
            raise Blocked(found.folder, "a `model_dir` beside that of a RunConfig")
        found.beside = True
    found.shared = node
    return found


def _direct(program: Program, node: ast.expr, call: ast.Call) -> bool:
    """Whether a RunConfig is seen where an Estimator is made, and only Estimators get it."""
    if program.called(call) not in CONFIGS:
        return False
    if node is call:
        return True
    stmt = program.scopes.parents[id(call)]
    if isinstance(node, ast.Attribute) and program.attribute(node) is stmt:
        home = program.scopes.scope(stmt)
        own = program.scopes.bound(home).keys() - {root(node)}
        local = {n.id for n in all_of(call, ast.Name)} & own
        return not local or program.scopes.scope(node) is home
    if not isinstance(stmt, ast.Assign) or not isinstance(stmt.targets[0], ast.Name):
        return False
    name = stmt.targets[0].id
    found = program.scopes.lookup(node)
    if found is None or found.node is not stmt:
        return False
    if len(program.scopes.bound(found.scope)[name]) > 1:  # which one a use reads is to be seen
        if None in map(program.scopes.lookup, program.reads(name, found.scope)):
            return False
    return all(map(program.at_estimator, program.scopes.uses(found, name)))


def settings(
    program: Program, call: ast.Call, fields: Mapping[str, ast.expr], *, changed: bool = False
) -> dict[str, str]:
    """What the fields of a RunConfig are for `Checkpointed`; ``changed``: by its `replace`.

    Raises:
        Blocked: one isn't followed.
    """
    out: dict[str, str] = {}
    for name, node in fields.items():
        none = isinstance(node, ast.Constant) and node.value is None
        source = program.source(node)
        if name == "model_dir":
            if not none:
                out["folder"] = source
        elif name == "save_checkpoints_steps":
            if not none:
                out["every_steps"] = source
            elif not changed and never(fields.get("save_checkpoints_secs")):
                raise Blocked(node, NO_CHECKPOINTS)
        elif name == "save_checkpoints_secs":
            if not none:
                out["every_secs"] = source
            elif not changed and never(fields.get("save_checkpoints_steps")):
                raise Blocked(node, NO_CHECKPOINTS)
        elif name == "keep_checkpoint_max":
            out["keep"] = "None" if source == "0" else source
        elif name == "save_summary_steps":
            out["summary_steps"] = no_summaries.written(program, node)
        elif name == "tf_random_seed":
            if not none:
                run_seeds.seeded(program, call, source)
        elif name == kept_hours.FIELD:
            out["keep_hours"] = kept_hours.written(program, node)
        elif name == strategies.FIELDS[0] and not changed:
            if not none:
                out[strategies.AMONG_SETTINGS] = source
        elif name == strategies.FIELDS[1] and not changed:
            pass  # the same
        elif name == "cluster" and not none:
            if not strategies.of_tpus(program):
                clusters.resolver(program, node)
        elif name in GOES:
            if GOES[name] and not none:
                program.say(node, GOES[name])
            _unused(program, node)
        elif not none:
            more = " where that goes through the program" if name in strategies.FIELDS else ""
            raise Blocked(node, f"`{name}` of a RunConfig isn't followed yet{more}")
    if changed and "every_steps" in out:
        out.setdefault("every_secs", "None")
    elif not changed and "every_steps" not in out:
        out.setdefault("every_secs", "600")
    kept = ("keep", "keep_hours", "summary_steps")
    order = ("folder", "strategy", "every_steps", "every_secs", *kept)
    return {name: out[name] for name in order if out.get(name)}


def never(node: ast.expr | None) -> bool:
    """Whether a time between checkpoints isn't said, or is `None`."""
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _unused(program: Program, node: ast.expr) -> None:
    """A function that only made a session's settings goes with them."""
    if not isinstance(node, ast.Call):
        return
    function = program.scopes.function(node.func)
    if function is None or any(
        not (isinstance(above := program.scopes.parents[id(use)], ast.Call) and above is node)
        for use in program.readers(function)
    ):
        return
    program.remove(function)


def _gone(program: Program, node: ast.expr, call: ast.Call) -> None:
    """The statement that makes a RunConfig goes, once; nothing else may read it.

    Raises:
        Blocked: something does.
    """
    key = ("config", id(call))
    used = program.kept.setdefault(key, set())
    assert isinstance(used, set)
    used.add(id(node))
    if len(used) > 1:
        return
    stmt = program.scopes.statement(call)
    if not isinstance(stmt, ast.Assign) or stmt.value is not call:
        raise Blocked(call, "a RunConfig that isn't made in a statement of its own")
    target = stmt.targets[0]
    program.remove(stmt)
    if isinstance(target, ast.Attribute):
        for other in program.attributes(target.attr):
            if other is not target and not program.at_estimator(other):
                raise Blocked(other, f"`{target.attr}` is read by more than an Estimator")
        protos(program, call)
        return
    assert isinstance(target, ast.Name)

    def check() -> None:
        for use in program.reads(target.id, program.scopes.scope(stmt)):
            found = program.scopes.lookup(use)
            if found is not None and found.node is stmt and id(use) not in used:
                raise Blocked(use, f"`{target.id}` is read by more than an Estimator")

    program.finish.append(check)
    protos(program, call)


def protos(program: Program, call: ast.Call) -> None:
    """Settings of sessions that only a RunConfig was given go with it."""
    for name in sorted({n.id for n in all_of(call, ast.Name)}):
        _settings(program, call, name)


def _settings(program: Program, call: ast.Call, name: str) -> None:
    """A `ConfigProto` or TPUs' settings that only the RunConfig was given go, too."""
    node = next(n for n in all_of(call, ast.Name) if n.id == name)
    found = program.scopes.lookup(node)
    if found is None or found.value is None:
        return
    settings = ("tensorflow.ConfigProto", "tensorflow.GPUOptions")
    said = program.called(found.value) or program.endpoint(found.value)
    if said not in settings and not said.startswith("tensorflow.contrib.tpu."):
        return
    for use in program.reads(name, found.scope):
        stmt = program.scopes.statement(use)
        if any(use is n for n in walk(call)) or stmt is found.node:
            continue
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Attribute):
            program.remove(stmt)
            continue
        raise Blocked(use, f"`{name}` is read by more than a RunConfig")
    assert isinstance(found.node, ast.stmt)
    program.remove(found.node)
