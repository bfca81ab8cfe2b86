"""Train a model_dir for some steps, in either interpreter: MODEL_DIR STEPS [slow] [--v1].

Prints "step N" for the global step afterwards. With "slow" it prints "started" and is slow enough
to be killed.
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


def main(folder, steps, *flags):
    if "--v1" in flags and not common.tensorflow.__version__.startswith("1."):
        tf.disable_v2_behavior()
    config = estimator.RunConfig(folder, save_checkpoints_steps=7)
    params = {"optimizer": lambda: tf.train.AdamOptimizer(0.01), "hidden": True}
    est = estimator.Estimator(common.linear_model_fn, config=config, params=params)
    hooks = [Slow()] if "slow" in flags else []
    est.train(common.dataset_input(n=8, batch=8), hooks, max_steps=int(steps))
    print("step", est.get_variable_value("global_step"))


main(*sys.argv[1:])
