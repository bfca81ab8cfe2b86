"""One task of a cluster on this machine, in either interpreter: JSON of its options as argument.

Options: folder, job, index, cluster (job -> addresses), strategy ("multi_worker" or none),
max_steps, slow (seconds per step), v1 (behaviour), steps (train only, without train_and_evaluate).
It prints "step N" after each step of training and last of all a line of JSON: what it saw.
"""

import json
import os
import sys
import time

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures/estimator_shim")
)

import common
from common import estimator, np, tf

OPTIONS = json.loads(sys.argv[1])
os.environ["TF_CONFIG"] = json.dumps(
    {
        "cluster": OPTIONS["cluster"],
        "task": {"type": OPTIONS["job"], "index": OPTIONS["index"]},
    }
)
TF1 = common.tensorflow.__version__.startswith("1.")
if OPTIONS.get("v1") and not TF1:
    tf.disable_v2_behavior()


class Spy(tf.train.SessionRunHook):
    """Says each step, and keeps the losses."""

    def __init__(self):
        self.losses = []

    def before_run(self, run_context):
        loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]
        return tf.train.SessionRunArgs([loss, tf.train.get_global_step()])

    def after_run(self, run_context, run_values):
        loss, step = run_values.results
        self.losses.append(loss)
        print("step", int(step), flush=True)
        time.sleep(OPTIONS.get("slow", 0))


def input_fn(input_context=None):
    x, y = common.data()
    dataset = tf.data.Dataset.from_tensor_slices(({"x": x}, y))
    if input_context is not None:
        dataset = dataset.shard(input_context.num_input_pipelines, input_context.input_pipeline_id)
    return dataset.repeat().batch(4)


def constant_gradient(features, labels, mode, params):
    """w falls by .01 in every step, whoever makes it."""
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = w + 0.0 * tf.reduce_sum(features["x"])
    if mode == "infer":
        return estimator.EstimatorSpec(mode, {"w": w + 0.0 * features["x"]})
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def receiver():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    return estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def main():
    strategy = None
    if OPTIONS.get("strategy") == "multi_worker":
        strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
    config = estimator.RunConfig(
        OPTIONS["folder"],
        train_distribute=strategy,
        save_checkpoints_steps=OPTIONS.get("save", 3),
        save_summary_steps=2,
        log_step_count_steps=2,
        experimental_max_worker_delay_secs=0,
    )
    out = {
        "config": [
            config.task_type, config.task_id, config.is_chief, config.num_ps_replicas,
            config.num_worker_replicas, config.global_id_in_cluster,
        ]
    }  # fmt: skip
    model_fn = common.linear_model_fn if strategy else constant_gradient
    params = {"optimizer": lambda: tf.train.AdamOptimizer(0.01)}
    est = estimator.Estimator(model_fn, config=config, params=params)
    if strategy:
        out["train"] = common.error(est.train, input_fn, steps=1)
    spy = Spy()
    train = estimator.TrainSpec(input_fn, max_steps=OPTIONS["max_steps"], hooks=[spy])
    evaluate = estimator.EvalSpec(
        common.dataset_input(repeat=1), None, start_delay_secs=0, throttle_secs=1,
        exporters=estimator.FinalExporter("final", receiver),
    )  # fmt: skip
    out["result"] = estimator.train_and_evaluate(est, train, evaluate)
    out["losses"] = np.array(spy.losses, np.float32)
    out["input"] = [len(spy.losses)]
    print(json.dumps(common.plain(out)), flush=True)


main()
