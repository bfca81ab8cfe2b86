"""Train canned Estimators for some steps, in either interpreter, and evaluate: DIR STEPS.

Prints, as JSON, what they evaluate to before (if there are checkpoints) and after.
"""

import functools
import json
import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures/estimator_shim")
)

from common import estimator, tf
from common_columns import LABEL, LABEL3, TARGET, deep, fc, input_of, wide

E = estimator


def of_trees():
    job = fc.categorical_column_with_vocabulary_list("job", ["a", "b", "c"])
    return [fc.indicator_column(job), fc.numeric_column("age"), fc.numeric_column("pair", (2,))]


def models(folder):
    """name -> (function of model_dir, labels)."""
    both = {"linear_feature_columns": wide(folder), "dnn_feature_columns": deep(folder)}
    slices = tf.fixed_size_partitioner(2)
    return {
        "dnn": (functools.partial(E.DNNClassifier, [3, 2], deep(folder), n_classes=3), LABEL3),
        "norm": (
            functools.partial(
                E.DNNRegressor, [3], deep(folder), batch_norm=True, optimizer="Adam",
                input_layer_partitioner=slices,
            ),
            TARGET,
        ),
        "linear": (functools.partial(E.LinearClassifier, wide(folder), partitioner=slices), LABEL),
        "combined": (
            functools.partial(E.DNNLinearCombinedClassifier, dnn_hidden_units=[3], **both), LABEL,
        ),
        "trees": (
            functools.partial(
                E.BoostedTreesClassifier, of_trees(), 1, n_trees=20, center_bias=True,
                pruning_mode="post", tree_complexity=0.01,
            ),
            LABEL,
        ),
        "trees_in_memory": (
            functools.partial(
                E.BoostedTreesRegressor, of_trees(), 1, n_trees=20, train_in_memory=True
            ),
            TARGET,
        ),
        "baseline": (functools.partial(E.BaselineRegressor), TARGET),
    }  # fmt: skip


def main(folder, steps):
    found = {}
    for name, (make, labels) in sorted(models(folder).items()):
        est = make(model_dir=os.path.join(folder, name))
        values = []
        if est.latest_checkpoint():
            values.append(est.evaluate(input_of(labels), steps=1))
        est.train(input_of(labels), steps=int(steps))
        values.append(est.evaluate(input_of(labels), steps=1))
        found[name] = [{k: float(v) for k, v in value.items()} for value in values]
    print("RESULT" + json.dumps(found))


main(*sys.argv[1:])
