"""Train a model_dir for some steps, in either interpreter:

    MODEL_DIR STEPS[,STEPS] [FLAG ...] [--v1]

Prints "step N" for the global step after each training. Flags: "slow" prints "step" for each step
and is slow enough to be killed; "often" saves each step; "full" leaves no room for files after 10
steps; "export" exports for ever instead of training; "optimizers" trains with each of OPTIMIZERS in
a folder of its name, below the model_dir.
"""

import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures/estimator_shim")
)

import common
from common import estimator, tf


class Slow(tf.train.SessionRunHook):
    """Some 50 steps a second."""

    def after_run(self, run_context, run_values):
        import time

        print("step", flush=True)
        time.sleep(0.02)


class Full(tf.train.SessionRunHook):
    """As if the disk were full: files may not grow beyond some bytes."""

    def __init__(self):
        self.n = 0

    def after_run(self, run_context, run_values):
        import resource

        self.n += 1
        if self.n == 10:
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))


OPTIMIZERS = {
    "adagrad": lambda: tf.train.AdagradOptimizer(0.01),
    "adam": lambda: tf.train.AdamOptimizer(0.01),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(0.5),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.05),
    "momentum": lambda: tf.train.MomentumOptimizer(0.01, 0.9, use_nesterov=True),
    "proximal": lambda: tf.train.ProximalAdagradOptimizer(0.01),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.01, momentum=0.5, centered=True),
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.05),
}


def receiver():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    return estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def train(folder, steps, optimizer, flags):
    every = 1 if "often" in flags else 7
    config = estimator.RunConfig(folder, save_checkpoints_steps=every)
    params = {"optimizer": optimizer, "hidden": True}
    est = estimator.Estimator(common.linear_model_fn, config=config, params=params)
    exports = os.path.join(folder, "export")
    while "export" in flags:
        print("export", est.export_saved_model(exports, receiver), flush=True)
    hooks = [Slow()] if "slow" in flags else []
    if "full" in flags:
        hooks.append(Full())
    for n in steps.split(","):
        est.train(common.dataset_input(n=8, batch=8), hooks, max_steps=int(n))
        print("step", est.get_variable_value("global_step"))


def main(folder, steps, *flags):
    if "--v1" in flags and not common.tensorflow.__version__.startswith("1."):
        tf.disable_v2_behavior()
    if "optimizers" not in flags:
        train(folder, steps, OPTIMIZERS["adam"], flags)
        return
    for name, optimizer in OPTIMIZERS.items():
        train(os.path.join(folder, name), steps, optimizer, flags)


main(*sys.argv[1:])
