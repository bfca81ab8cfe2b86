"""A task of a cluster that trains, saves after every step, and goes on where the last save was.

    python strategy_resume.py ROLE KIND FOLDER            ROLE: worker, chief, server

It says `step N` after each of 12 steps and at last `done LOSS...`: all losses, which are saved with
the weights. The step, the batches and the optimizers (KIND: ``v1`` or ``keras``) are those of
strategy_losses.py, so that the losses of a cluster's lives are those of one device. ``worker`` is
one of several under MultiWorkerMirroredStrategy, ``chief`` the coordinator of
ParameterServerStrategy, ``server`` one of its workers or parameter servers; TF_CONFIG says who is
who. With HOLD=N in the environment no step follows step N before FOLDER-go exists.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import strategy_losses
from strategy_losses import BATCH, STEPS


class Training:
    """A model in a strategy's scope and its checkpoints."""

    def __init__(self, strategy: Any, kind: str, folder: str, saves: bool) -> None:
        import tensorflow as tf

        with strategy.scope():
            self.variables, optimizer = strategy_losses.model(kind)
            self.step = tf.Variable(0, trainable=False, dtype=tf.int64)
            self.losses = tf.Variable([0.0] * STEPS, trainable=False)
        self.folder = folder
        work = strategy_losses.replica(self.variables, optimizer)
        self.run = tf.function(
            lambda x, y: strategy.reduce("SUM", strategy.run(work, args=(x, y)), axis=None)
        )
        self.saver = tf.train.CheckpointManager(
            tf.train.Checkpoint(
                step=self.step, losses=self.losses, w=self.variables, optimizer=optimizer
            ),
            # All workers have to save, and only one of them may write there.
            folder if saves else f"{folder}-{os.getpid()}",
            max_to_keep=2,
        )
        latest = tf.train.latest_checkpoint(folder)
        if latest is not None:
            self.saver.checkpoint.restore(latest)

    def end_of_step(self, loss: Any) -> None:
        """Save, then say so."""
        step = int(self.step.numpy())
        losses = self.losses.numpy()
        losses[step] = float(loss)
        self.losses.assign(losses)
        self.step.assign_add(1)
        self.saver.save()
        print("step", step, flush=True)
        if str(step) == os.environ.get("HOLD"):
            while not os.path.exists(f"{self.folder}-go"):
                time.sleep(0.05)

    def end(self) -> None:
        """Say all losses."""
        print("done", *self.losses.numpy().tolist(), flush=True)


def worker(kind: str, folder: str) -> None:
    """Its half of each batch, and all gradients by a ring of workers."""
    import tensorflow as tf

    options = tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.RING
    )
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
    training = Training(strategy, kind, folder, saves=index == 0)
    left = strategy_losses.dataset().skip(int(training.step.numpy()))
    for x, y in strategy.experimental_distribute_dataset(left):
        training.end_of_step(training.run(x, y))
    training.end()


def chief(kind: str, folder: str) -> None:
    """One step at a time to whichever worker is there."""
    import tensorflow as tf

    strategy = tf.distribute.ParameterServerStrategy(
        tf.distribute.cluster_resolver.TFConfigClusterResolver()
    )
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    training = Training(strategy, kind, folder, saves=True)
    for x, y in batches(int(training.step.numpy())):
        training.end_of_step(coordinator.schedule(training.run, args=(x, y)).fetch())
    training.end()


def batches(first: int) -> Iterator[tuple[Any, Any]]:
    """Batches from a step on."""
    x, y, _, _ = strategy_losses.data()
    for start in range(first * BATCH, STEPS * BATCH, BATCH):
        yield x[start : start + BATCH], y[start : start + BATCH]


def main(role: str, kind: str, folder: str) -> None:
    """Be one task."""
    {"worker": worker, "chief": chief}[role](kind, folder)


if __name__ == "__main__":
    if sys.argv[1] == "server":
        strategy_losses.serve()
    main(*sys.argv[1:])
    os._exit(0)  # the coordinator's threads would wait for servers that are gone
