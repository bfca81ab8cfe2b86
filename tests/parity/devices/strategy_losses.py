"""Strategies on the CPU against one device: Mirrored, MultiWorkerMirrored, ParameterServer.

    python strategy_losses.py MODE OUT.json          MODE: single, mirrored, graph, workers, servers

The step is a custom loop, as the rewriters write it, since `fit` of Keras 3 fails under the last
two (keras#20585): an optimizer of TF 1 (``v1``) and one of Keras (``keras``), losses of 12 steps
with the same global batch. ``graph`` is a session on ``tf.compat.v1``. One strategy to a process;
``workers`` starts two workers, ``servers`` one parameter server and two workers.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import Any

STEPS, BATCH = 12, 32
MODES = ("single", "mirrored", "graph", "workers", "servers")
SECONDS = 240


def free_address() -> str:
    """A port of this machine that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{found.getsockname()[1]}"


def data() -> tuple[Any, ...]:
    """Batches and start values."""
    import numpy as np

    draw = np.random.RandomState(0)
    x = draw.randn(STEPS * BATCH, 20).astype(np.float32)
    y = draw.randint(0, 10, STEPS * BATCH).astype(np.int32)
    w = (draw.randn(20, 10) * 0.1).astype(np.float32)
    return x, y, w, np.zeros(10, np.float32)


def dataset(context: Any = None) -> Any:
    """The same global batches in the same order."""
    import tensorflow as tf

    x, y, _, _ = data()
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    return batches.with_options(options)


def model(kind: str) -> tuple[list[Any], Any]:
    """Variables and an optimizer, made in a strategy's scope."""
    import tensorflow as tf

    _, _, w, b = data()
    if kind == "v1":
        return [tf.Variable(w), tf.Variable(b)], tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
    import keras

    layer = keras.layers.Dense(10)
    layer.build((None, 20))
    layer.set_weights([w, b])
    optimizer = keras.optimizers.SGD(0.1, momentum=0.9)
    optimizer.build(layer.trainable_variables)
    return list(layer.trainable_variables), optimizer


def replica(variables: list[Any], optimizer: Any) -> Any:
    """What each replica does in a step."""
    import tensorflow as tf

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, tf.convert_to_tensor(variables[0])) + variables[1]
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            loss = tf.nn.compute_average_loss(each, global_batch_size=BATCH)
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def losses(strategy: Any, kind: str) -> list[float]:
    """A custom training loop under a strategy; without one, on one device."""
    import tensorflow as tf

    if strategy is None:
        variables, optimizer = model(kind)
        alone = tf.function(replica(variables, optimizer))
        return [float(alone(x, y)) for x, y in dataset()]
    step = spread(strategy, kind)
    return [float(step(x, y)) for x, y in strategy.experimental_distribute_dataset(dataset())]


def spread(strategy: Any, kind: str) -> Any:
    """The step under a strategy: each replica's part, and the sum of their losses."""
    import tensorflow as tf

    with strategy.scope():
        variables, optimizer = model(kind)
    work = replica(variables, optimizer)
    return tf.function(
        lambda x, y: strategy.reduce("SUM", strategy.run(work, args=(x, y)), axis=None)
    )


def two_cpus() -> Any:
    """MirroredStrategy on two logical CPUs."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def graph() -> list[float]:
    """A session of tf.compat.v1 under MirroredStrategy."""
    import tensorflow as tf

    v1 = tf.compat.v1
    _, _, w, b = data()
    strategy = two_cpus()
    with tf.Graph().as_default():
        with strategy.scope():
            variables = [v1.get_variable("w", initializer=w), v1.get_variable("b", initializer=b)]
            optimizer = v1.train.MomentumOptimizer(0.1, 0.9)
        iterator = strategy.make_dataset_iterator(dataset())

        def step(batch: Any) -> Any:
            logits = tf.matmul(batch[0], variables[0]) + variables[1]
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch[1], logits=logits)
            loss = tf.nn.compute_average_loss(each, global_batch_size=BATCH)
            with tf.control_dependencies([optimizer.minimize(loss)]):
                return tf.identity(loss)

        total = strategy.reduce("SUM", strategy.run(step, (iterator.get_next(),)), axis=None)
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), iterator.initialize()])
            return [float(session.run(total)) for _ in range(STEPS)]


def worker(out: str) -> None:
    """One of two workers; the first writes."""
    import tensorflow as tf

    kind = tf.distribute.experimental.CommunicationImplementation.RING
    strategy = tf.distribute.MultiWorkerMirroredStrategy(
        communication_options=tf.distribute.experimental.CommunicationOptions(implementation=kind)
    )
    found = {name: losses(strategy, name) for name in ("v1", "keras")}
    if json.loads(os.environ["TF_CONFIG"])["task"]["index"] == 0:
        write(out, found)


def child(mode: str, out: str, cluster: dict[str, list[str]], job: str, index: int) -> Any:
    """A task of a cluster."""
    task = {"cluster": cluster, "task": {"type": job, "index": index}}
    return subprocess.Popen(
        [sys.executable, __file__, mode, out],
        env={**os.environ, "TF_CONFIG": json.dumps(task), "GRPC_FAIL_FAST": "use_caller"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def workers(out: str) -> None:
    """Start two workers and wait for them."""
    cluster = {"worker": [free_address(), free_address()]}
    started = [child("worker", out, cluster, "worker", index) for index in range(2)]
    try:
        codes = [process.wait(timeout=SECONDS) for process in started]
    finally:
        for process in started:
            process.kill()
    if any(codes):
        raise SystemExit(f"workers ended with {codes}")


def serve() -> None:
    """A parameter server, or a worker that waits for steps."""
    import tensorflow as tf

    task = json.loads(os.environ["TF_CONFIG"])
    tf.distribute.Server(
        tf.train.ClusterSpec(task["cluster"]),
        job_name=task["task"]["type"], task_index=task["task"]["index"], protocol="grpc",
    ).join()  # fmt: skip


def servers(out: str) -> None:
    """Coordinate one parameter server and two workers; one step at a time, so in order."""
    cluster = {
        "worker": [free_address(), free_address()], "ps": [free_address()],
        "chief": [free_address()],
    }  # fmt: skip
    started = [child("serve", out, cluster, "worker", index) for index in range(2)]
    started.append(child("serve", out, cluster, "ps", 0))
    try:
        import tensorflow as tf

        task = {"cluster": cluster, "task": {"type": "chief", "index": 0}}
        os.environ["TF_CONFIG"] = json.dumps(task)
        strategy = tf.distribute.ParameterServerStrategy(
            tf.distribute.cluster_resolver.TFConfigClusterResolver()
        )
        coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
        found: dict[str, list[float]] = {}
        x, y, _, _ = data()
        for kind in ("v1", "keras"):
            step = spread(strategy, kind)
            found[kind] = []
            for start in range(0, STEPS * BATCH, BATCH):
                batch = (x[start : start + BATCH], y[start : start + BATCH])
                found[kind].append(float(coordinator.schedule(step, args=batch).fetch()))
        write(out, found)
    finally:
        for process in started:
            process.kill()


def write(path: str, found: Any) -> None:
    """Losses by the kind of optimizer."""
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(found, stream)


def main(mode: str, out: str) -> None:
    """Run one mode."""
    if mode == "single":
        write(out, {kind: losses(None, kind) for kind in ("v1", "keras")})
    elif mode == "mirrored":
        strategy = two_cpus()
        write(out, {kind: losses(strategy, kind) for kind in ("v1", "keras")})
    elif mode == "graph":
        write(out, {"v1": graph()})
    elif mode == "workers":
        workers(out)
    elif mode == "worker":
        worker(out)
    elif mode == "serve":
        serve()
    elif mode == "servers":
        servers(out)
    else:
        raise SystemExit(f"Unknown mode {mode!r}. Known: {', '.join(MODES)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # the coordinator's threads would wait for servers that are gone
