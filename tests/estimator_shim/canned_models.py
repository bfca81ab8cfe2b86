"""Train canned Estimators in either interpreter, and evaluate: DIR STEPS [NAME ...].

Prints, as JSON, what they evaluate to before (if there are checkpoints) and after.
"""

import functools
import json
import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures/estimator_shim")
)

from canned_sdca import with_ids
from canned_v2 import E as V2
from common import estimator, tf
from common_columns import LABEL, LABEL3, TARGET, deep, fc, input_of, wide
from common_models import contrib
from learn_canned import Y, layers
from learn_more import input_of as learn_input_of
from rnn_models import input_of as sequences_of

E = estimator


def of_trees():
    job = fc.categorical_column_with_vocabulary_list("job", ["a", "b", "c"])
    return [fc.indicator_column(job), fc.numeric_column("age"), fc.numeric_column("pair", (2,))]


def machine(model_dir):
    return contrib("learn").SVM(
        "id", [layers().real_valued_column("x", dimension=2)], model_dir=model_dir
    )


def models(folder):
    """name -> (function of model_dir, labels or the input_fn)."""
    age = fc.numeric_column("age", normalizer_fn=lambda x: x / 50.0)
    job = fc.categorical_column_with_hash_bucket("job", 4)
    numbers = contrib("feature_column").sequence_numeric_column("numbers")
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
        "rnn": (
            functools.partial(
                contrib("estimator").RNNClassifier, [numbers], num_units=[3], cell_type="lstm"
            ),
            sequences_of([[0], [1], [1]]),
        ),
        "sdca": (
            functools.partial(
                E.LinearClassifier, [age, job], optimizer=E.experimental.LinearSDCA("id")
            ),
            with_ids(LABEL),
        ),
        "svm": (machine, learn_input_of(Y)),
        "v2": (
            functools.partial(
                V2.DNNClassifier, [3], [age, fc.embedding_column(job, 2)], optimizer="Adam",
                batch_norm=True,
            ),
            LABEL,
        ),
        "v2_linear": (functools.partial(V2.LinearRegressor, [age, job]), TARGET),
        "baseline": (functools.partial(E.BaselineRegressor), TARGET),
    }  # fmt: skip


def main(folder, steps, *wanted):
    found = {}
    for name, (make, labels) in sorted(models(folder).items()):
        if wanted and name not in wanted:
            continue
        est = make(model_dir=os.path.join(folder, name))
        input_fn = labels if callable(labels) else input_of(labels)
        values = []
        if tf.train.latest_checkpoint(est.model_dir):
            values.append(est.evaluate(input_fn=input_fn, steps=1))
        (est.fit if name == "svm" else est.train)(input_fn=input_fn, steps=int(steps))
        values.append(est.evaluate(input_fn=input_fn, steps=1))
        found[name] = [{k: float(v) for k, v in value.items()} for value in values]
    print("RESULT" + json.dumps(found))


main(*sys.argv[1:])
