"""A program of Estimators as one task of a strategy: it runs unchanged, the shim is told the rest.

    python strategy_task.py JOB.json

A job names the ``mode``: ``single``, ``mirrored`` (two logical CPUs), ``workers``
(MultiWorkerMirroredStrategy) or ``servers`` (parameter servers); TF_CONFIG says which task of a
cluster this is. Replicas share each batch of the program: together they see what one device sees.
Tasks of ``servers`` take turns, a step each, so that what they do has one order.

Written is, for each training, the loss of every step and what the last checkpoint holds. The
program's randomness is that of the recorder.
"""

from __future__ import annotations

import importlib.util
import json
import os
import runpy
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
TURN_SECONDS = 0.02
UNEVEN = "a batch is not divisible by the number of replicas"
#: Left in a training graph, each replica draws its own.
DRAWS = ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
         "StatelessMultinomial", "RandomUniform", "RandomStandardNormal")  # fmt: skip


class CannotRun(Exception):
    """The program has no place for this strategy; the words say why."""


class Task:
    """What the shim is told, and what is kept of each training."""

    def __init__(self, job: dict[str, Any], tf: Any) -> None:
        self.job = job
        self.mode: str = job["mode"]
        self.index: int = job["index"]
        self.count: int = job["replicas"]
        self.tf = tf
        self.strategy: Any = None
        self.trainings: list[dict[str, Any]] = []
        self.in_cluster = False

    # -- what the shim is told --

    def install(self) -> None:
        """Before the program is imported."""
        from migrate.estimator_shim import _train, estimator, run_config, training

        self._config(run_config.RunConfig)
        self._model_dir(estimator.Estimator)
        self._input(estimator.Estimator)
        plain = _train.train
        _train.train = lambda *args: self.train(plain, *args)
        if self.mode in ("workers", "servers"):
            together = training.train_and_evaluate

            def train_and_evaluate(*args: Any, **kwargs: Any) -> Any:
                self.in_cluster = True
                together(*args, **kwargs)
                raise SystemExit(0)  # what follows is no task's alone

            shim: Any = sys.modules["migrate.estimator_shim"]
            shim.train_and_evaluate = training.train_and_evaluate = train_and_evaluate

    def _config(self, kind: Any) -> None:
        plain, task = kind.__init__, self

        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            plain(self, *args, **kwargs)
            if self.train_distribute is not None or self.eval_distribute is not None:
                raise CannotRun("the program chooses a strategy itself (RunConfig)")
            if task.mode == "servers":  # nobody waits for the chief's start: tasks take turns
                delay = self.replace(experimental_max_worker_delay_secs=0)
                self.__dict__.update(delay.__dict__)
            if task.mode not in ("mirrored", "workers"):
                return
            if type(self) is not kind:
                raise CannotRun(f"{type(self).__name__} of the program shards by itself")
            if task.strategy is None:
                task.strategy = task.make_strategy()
            if task.mode == "workers":
                # As if it had been given: the cluster's affairs are then the strategy's.
                plain(self, *args, **{**kwargs, "train_distribute": task.strategy})
                return
            from migrate.estimator_shim.run_config import default_session_config

            session = default_session_config()
            if self.session_config is not None:
                session.CopyFrom(self.session_config)
            session.device_count["CPU"] = task.count
            shared = self.replace(train_distribute=task.strategy, session_config=session)
            self.__dict__.update(shared.__dict__)

        kind.__init__ = init

    def make_strategy(self) -> Any:
        """The strategy of the mode, one to a process."""
        distribute = self.tf.compat.v1.distribute
        if self.mode == "mirrored":
            return distribute.MirroredStrategy([f"/cpu:{i}" for i in range(self.count)])
        return distribute.experimental.MultiWorkerMirroredStrategy()

    def _model_dir(self, kind: Any) -> None:
        """Folders outside of the working copy are this job's, and tasks share them."""
        plain, root = kind.__init__, Path(self.job["models"])

        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            plain(self, *args, **kwargs)
            path = Path(self._model_dir).absolute()
            if not path.is_relative_to(Path.cwd()):
                inside = root / path.relative_to(path.anchor)
                self._model_dir = str(inside)
                self._config = self._config.replace(model_dir=str(inside))

        kind.__init__ = init

    def _input(self, kind: Any) -> None:
        plain, task = kind._call_input_fn, self

        def call_input_fn(self: Any, input_fn: Any, mode: str, input_context: Any = None) -> Any:
            if task.mode == "single" or mode != "train":
                return plain(self, input_fn, mode, input_context)
            alone = task.tf.distribute.InputContext(1, 0, task.count)
            given = plain(self, input_fn, mode, alone if input_context is not None else None)
            if not hasattr(given, "flat_map"):
                kinds = type(given).__name__
                raise CannotRun(f"the input_fn returns a {kinds}; only a Dataset can be shared")
            if task.mode == "servers":
                return given.shard(task.count, task.index)
            parts = given.flat_map(task.parts)
            return parts.shard(task.count, task.index) if task.mode == "workers" else parts

        kind._call_input_fn = call_input_fn

    def parts(self, *batch: Any) -> Any:
        """A batch of the program as one part for each replica."""
        tf, value = self.tf, batch[0] if len(batch) == 1 else batch
        leaf = tf.nest.flatten(value)[0]
        size = leaf.dense_shape[0] if isinstance(leaf, tf.SparseTensor) else tf.shape(leaf)[0]
        size = tf.cast(size, tf.int64)
        whole = tf.debugging.assert_equal(size % self.count, tf.constant(0, tf.int64), UNEVEN)
        with tf.control_dependencies([] if whole is None else [whole]):
            share = tf.identity(size // self.count)
        return tf.data.Dataset.from_tensor_slices(value).batch(share)

    # -- what is kept --

    def train(
        self, plain: Any, estimator: Any, input_fn: Any, hooks: Any, steps: Any, max_steps: Any,
        listeners: Any,
    ) -> Any:  # fmt: skip
        """``_train.train`` with a look at every step, and at the end at what was saved."""
        from migrate.estimator_shim import _train

        if self.mode in ("workers", "servers") and not self.in_cluster:
            raise CannotRun("the program calls Estimator.train: a cluster needs train_and_evaluate")
        start = _train.saved_step(estimator.model_dir)
        last = max_steps if steps is None else start + steps
        look = watcher(self, last)
        found = plain(estimator, input_fn, [*hooks, look], steps, max_steps, listeners)
        values = {}
        if estimator.config.is_chief:
            reader = self.tf.train.load_checkpoint(estimator.model_dir)
            for name, shape in reader.get_variable_to_shape_map().items():
                value = reader.get_tensor(name)
                if value.dtype.kind in "fiub":
                    values[name] = value.reshape(shape)
        strategy = estimator.config.train_distribute
        self.trainings.append({
            "start": start, "losses": look.losses, "steps": look.steps, "values": values,
            "ops": look.ops, "batch_norm": look.batch_norm,
            "replicas": 1 if strategy is None else strategy.num_replicas_in_sync,
            "servers": estimator.config.num_ps_replicas,
        })  # fmt: skip
        return found

    def write(self, ending: dict[str, Any]) -> None:
        """Everything, where the job says."""
        out = Path(self.job["out"])
        arrays, told = {}, []
        for number, training in enumerate(self.trainings):
            for name, value in training["values"].items():
                arrays[f"{number}/{name}"] = value
            arrays[f"{number}//losses"] = np.array(training["losses"])
            told.append({key: value for key, value in training.items()
                         if key not in ("values", "losses")})  # fmt: skip
        # Names of variables have slashes and may be `file`: they are no keywords.
        numbered = {f"a{place}": value for place, value in enumerate(arrays.values())}
        with out.with_suffix(".npz").open("wb") as stream:
            np.savez(stream, names=np.array(list(arrays)), **numbered)
        out.write_text(json.dumps({"ending": ending, "trainings": told}), encoding="utf-8")


def watcher(task: Task, last: int | None) -> Any:
    """A hook: losses of all steps; start values moved by an ulp; turns among tasks of servers."""
    tf = task.tf.compat.v1
    kind: Any = tf.train.SessionRunHook

    class Watcher(kind):  # type: ignore[misc]
        def __init__(self) -> None:
            self.losses: list[float] = []
            self.steps: list[int] = []
            self.turns = Path(task.job["turns"])
            self.in_turn = task.mode == "servers"
            self.moved = task.job["perturb"] is None

        def begin(self) -> None:
            graph = tf.get_default_graph()
            self.loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]
            self.step = tf.train.get_global_step()
            if hasattr(self.step, "values"):
                self.step = self.step.values[0]
            operations = [item for item in graph.get_operations()
                          if "/Initializer/" not in item.name]  # fmt: skip
            self.ops = sorted({item.type for item in operations if item.type in DRAWS})
            self.batch_norm = any("FusedBatchNorm" in item.type for item in operations)
            self.variables = [] if self.moved else tf.trainable_variables()
            self.assigned = [
                (variable, tf.placeholder(variable.dtype.base_dtype)) for variable in self.variables
            ]
            self.updates = [tf.assign(variable, value) for variable, value in self.assigned]

        def after_create_session(self, session: Any, coord: Any) -> None:
            if self.moved:
                return
            self.moved = True
            generator = np.random.RandomState(task.job["perturb"])
            from migrate.parity.devices.rerun import one_ulp

            for (variable, place), update in zip(self.assigned, self.updates, strict=True):
                value = session.run(variable)
                session.run(update, {place: one_ulp(value, generator)})

        def before_run(self, run_context: Any) -> Any:
            if self.in_turn:
                self.wait()
            return tf.train.SessionRunArgs([self.loss, self.step])

        def after_run(self, run_context: Any, run_values: Any) -> None:
            loss, step = run_values.results
            self.losses.append(float(np.sum(loss)))
            self.steps.append(int(step))
            if self.in_turn:
                self.done(self.turn() + 1)

        def end(self, session: Any) -> None:
            if self.in_turn:
                (self.turns / f"ended{task.index}").touch()

        # -- turns --

        def turn(self) -> int:
            known = [int(path.name[4:]) for path in self.turns.glob("turn*")]
            return max(known, default=0)

        def done(self, number: int) -> None:
            (self.turns / f"turn{number}").touch()

        def wait(self) -> None:
            while True:
                turn = self.turn()
                if last is not None and turn >= last:
                    raise tf.errors.OutOfRangeError(None, None, "all steps are made")
                others = (self.turns / f"ended{1 - task.index}").exists()
                if turn % task.count == task.index or others:
                    return
                time.sleep(TURN_SECONDS)

    return Watcher()


def run(job: dict[str, Any]) -> int:
    """Run the program; write what was seen, whatever happened."""
    import tensorflow as tf

    if job["mode"] == "mirrored":
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(
            cpu, [tf.config.LogicalDeviceConfiguration()] * job["replicas"]
        )
    if importlib.util.find_spec("migrate") is None:
        sys.path.insert(0, str(HERE.parents[2]))
    from migrate.parity import randomness

    randomness.install(tf)  # type: ignore[no-untyped-call]
    randomness.seed_generators(job["seed"])  # type: ignore[no-untyped-call]
    task = Task(job, tf)
    task.install()
    ending = execute(job)
    task.write(ending)
    return int(ending["code"])


def execute(job: dict[str, Any]) -> dict[str, Any]:
    """The program as ``__main__``: how it ended."""
    os.chdir(job["cwd"])
    sys.argv = [job["script"], *job["args"]]
    sys.path.insert(0, str(Path(job["script"]).parent))
    try:
        runpy.run_path(job["script"], run_name="__main__")
    except CannotRun as error:
        return {"code": 4, "cannot": str(error)}
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        return {"code": code, "error": "" if not code else str(error.code)}
    except BaseException as error:
        traceback.print_exc()
        cannot = error
        while cannot is not None and not isinstance(cannot, CannotRun):
            cannot = cannot.__cause__ or cannot.__context__  # type: ignore[assignment]
        if cannot is not None or UNEVEN in str(error):
            return {"code": 4, "cannot": UNEVEN if cannot is None else str(cannot)}
        return {"code": 1, "error": f"{type(error).__name__}: {str(error)[:600]}"}
    return {"code": 0}


if __name__ == "__main__":
    code = run(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # servers' threads would keep it
