"""RunConfig's fields, as what they come to for a Keras model; `model_dir` and its checkpoints.

https://www.tensorflow.org/guide/migrate/checkpoint_saver
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

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
    "evaluation_master": "",
    "master": "",
}
CHECKPOINTED = '''class Checkpointed(tf.keras.Model):
    """A model with its checkpoints in a folder: it goes on from the latest one there."""

    def __init__(self, folder, every_steps=None, every_secs=None, keep=5, summary_steps=100):
        super().__init__()
        self.folder = folder
        self.summary_steps = summary_steps
        self.every_steps = every_steps
        self.every_secs = every_secs
        self.at_once = math.gcd(50, every_steps or 0)  # steps between looks at them
        self.keep = keep
        self.manager = None
        self.restored = None
        self.first_step = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.writer = tf.summary.create_file_writer(folder)

    def restore(self, dataset):
        """Restore the latest checkpoint, if there is one that the model isn't at."""
        if self.manager is None:
            for data in dataset.take(1):
                self(tf.keras.utils.unpack_x_y_sample_weight(data)[0])
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
            steps = max_steps - int(self.optimizer.iterations)
            if steps <= 0:
                return None
            dataset = dataset.take(steps)
        self.save_checkpoint()
        callbacks = [SaveCheckpoints(self.every_steps, self.every_secs), *callbacks]
        self.first_step.assign(int(self.optimizer.iterations))
        with self.writer.as_default(), tf.summary.record_if(self.summarizes):
            history = super().fit(dataset, callbacks=callbacks, **kwargs)
        self.save_checkpoint()
        return history

    def evaluate(self, dataset, **kwargs):
        """Evaluate the latest checkpoint."""
        self.restore(dataset)
        return super().evaluate(dataset, **kwargs)

    def predict(self, dataset, **kwargs):
        """Predict by the latest checkpoint."""
        self.restore(dataset)
        return super().predict(dataset, **kwargs)


class SaveCheckpoints(tf.keras.callbacks.Callback):
    """Saves a checkpoint of the model every so many steps or seconds."""

    def __init__(self, every_steps, every_secs):
        super().__init__()
        self.every_steps = every_steps
        self.every_secs = every_secs

    def on_train_begin(self, logs=None):
        self.step, self.time = int(self.model.optimizer.iterations), time.time()

    def on_train_batch_end(self, batch, logs=None):
        step = int(self.model.optimizer.iterations)
        due = self.every_steps and step - self.step >= self.every_steps
        if due or (self.every_secs and time.time() - self.time >= self.every_secs):
            self.model.save_checkpoint()
            self.step, self.time = step, time.time()
'''


@dataclass(slots=True, eq=False, repr=False)
class Config:
    """What a RunConfig says that a model needs."""

    folder: ast.expr | None = None
    settings: list[str] = field(default_factory=list)  # of `Checkpointed`


def read(program: Program, node: ast.expr | None, folder: ast.expr | None) -> Config:
    """An Estimator's `config` and `model_dir`.

    Raises:
        Blocked: it has fields that aren't followed.
    """
    found = Config(folder)
    if node is None:
        return found
    value = program.scopes.value(node)
    if program.called(value) not in CONFIGS:
        raise Blocked(node, "a RunConfig that isn't seen")
    assert isinstance(value, ast.Call)
    given = program.given(value)
    steps, secs, keep, summaries = "", "600", "", ""
    for name, field_ in given.items():
        source = program.source(field_)
        if name == "model_dir":
            found.folder = found.folder or field_
        elif name == "save_checkpoints_steps":
            steps, secs = source, secs if "save_checkpoints_secs" in given else ""
        elif name == "save_checkpoints_secs":
            secs = source
        elif name == "keep_checkpoint_max":
            keep = source
        elif name == "save_summary_steps":
            summaries = source
        elif name in GOES:
            if GOES[name]:
                program.say(field_, GOES[name])
        else:
            raise Blocked(field_, f"`{name}` of a RunConfig isn't followed yet")
    if steps:
        found.settings.append(f"every_steps={steps}")
    if secs:
        found.settings.append(f"every_secs={secs}")
    if keep:
        found.settings.append(f"keep={keep}")
    if summaries:
        found.settings.append(f"summary_steps={summaries}")
    if node is not value:
        _gone(program, node, value)
    return found


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
    assert isinstance(target, ast.Name)
    program.remove(stmt)

    def check() -> None:
        for use in program.reads(target.id, program.scopes.scope(stmt)):
            found = program.scopes.lookup(use)
            if found is not None and found.node is stmt and id(use) not in used:
                raise Blocked(use, f"`{target.id}` is read by more than an Estimator")

    program.finish.append(check)
    for name in {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}:
        _settings(program, call, name)


def _settings(program: Program, call: ast.Call, name: str) -> None:
    """A `ConfigProto` or TPUs' settings that only the RunConfig was given go, too."""
    node = next(n for n in ast.walk(call) if isinstance(n, ast.Name) and n.id == name)
    found = program.scopes.lookup(node)
    if found is None or found.value is None:
        return
    settings = ("tensorflow.ConfigProto", "tensorflow.GPUOptions")
    said = program.called(found.value) or program.endpoint(found.value)
    if said not in settings and not said.startswith("tensorflow.contrib.tpu."):
        return
    for use in program.reads(name, found.scope):
        stmt = program.scopes.statement(use)
        if any(use is n for n in ast.walk(call)) or stmt is found.node:
            continue
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Attribute):
            program.remove(stmt)
            continue
        raise Blocked(use, f"`{name}` is read by more than a RunConfig")
    assert isinstance(found.node, ast.stmt)
    program.remove(found.node)
