"""Taggers: CRFs, LSTMs of one kernel, tables and arrays that a model_fn reads, `tf_metrics`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from migrate.rewriters.estimators.evaluation import confusion
from tests.rewriters.estimators.test_program import after, stopped

KERAS = Path(__file__).parents[3] / "fixtures" / "keras"
CODE = (KERAS / "entity_tagger" / "before.py").read_text(encoding="utf-8")
RAGGED = (KERAS / "ragged_batches" / "before.py").read_text(encoding="utf-8")
RIGHT = "            'right': "

needs_tf2 = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("tf.reduce_mean(-likelihood)", "tf.reduce_mean(-likelihood) + 0. * _", "`_` is read"),
        (", nwords, crf_params)\n        loss", ", nwords)\n        loss", "depends on what runs"),
        ("(logits, tags, nwords, crf_params)\n        loss", "(logits * 1., tags, nwords)\n"
         "        loss", "transitions itself"),
        ("params['units'])\n    cell_bw = tf.contrib.rnn.L", "params['units'], cell_clip=1.)\n"
         "    cell_bw = tf.contrib.rnn.L", "`cell_clip`"),
        ("cell_fw(t, dtype=tf.float32", "cell_fw(t, dtype=tf.float64", "a type of"),
        ("cell_fw(t, ", "cell_fw(t, initial_state=start, ", "`initial_state`"),
        ("FusedRNN(cell_bw)", "FusedRNN(tf.nn.rnn_cell.GRUCell(4))", "is turned around"),
        ("tf.Variable(table, dtype=tf.float32", "tf.Variable([1, 2]", "begins with isn't seen"),
        ("table, dtype=tf.float32", "table, dtype=tf.float64", "of another type"),
        ("    table = np.vstack", "    for table in [1]: table = np.vstack", "begins with"),
    ],
)  # fmt: skip
def test_what_keeps_a_tagger_is_named(old: str, new: str, reason: str) -> None:
    assert old in CODE
    assert reason in stopped(CODE.replace(old, new))[1]


def test_an_array_has_a_name_of_its_own() -> None:
    text = after(CODE)
    assert "table_values = np.vstack([vectors, [[0.] * params['dim']]])\n" in text
    assert 'self.vectors = tf.keras.Variable(table_values, dtype="float32", trainable=F' in text


def test_an_array_of_a_type_that_is_not_told_keeps_its_own() -> None:
    text = after(CODE.replace("tf.Variable(table, dtype=tf.float32", "tf.Variable(table"))
    assert "tf.keras.Variable(tf.constant(table_values), trainable=F" in text


def test_rows_of_either_of_two_weights_are_looked_up() -> None:
    more = """    table = tf.get_variable('more', [14, 2])
    more = tf.nn.embedding_lookup(table, ids)
"""
    code = CODE.replace("    vectors = np.load", f"{more}    vectors = np.load")
    text = after(
        code.replace("    # LSTMs\n", "    embeddings = tf.concat([embeddings, more], -1)\n")
    )
    assert text.count("tf.nn.embedding_lookup(table, ids)") == 2
    assert "compat" not in text


def test_a_partial_is_given_what_it_does_not_bind() -> None:
    text = after(CODE)
    assert "train_inpf(), callbacks" in text
    assert "estimator.evaluate(eval_inpf(params=params)," in text
    given = after(CODE.replace("params=None, repeat", "mode=None, params=None, repeat"))
    assert 'eval_inpf(mode="eval", params=params)' in given


def test_a_partial_that_is_given_a_config_stays() -> None:
    assert "`config`" in stopped(CODE.replace("params=None, repeat", "config, params=None, re"))[1]


def test_batches_of_several_lengths_are_predicted_one_by_one() -> None:
    text = after(RAGGED)
    assert "in examples(net, input_fn(30, 40), verbose=0):" in text
    plain = RAGGED.replace("predictions=predictions", "predictions=tf.argmax(logits, -1)")
    assert "in each_example(net, input_fn(30, 40), verbose=0):" in after(plain)


def test_batches_of_one_length_are_predicted_at_once() -> None:
    text = after((KERAS / "tagger" / "before.py").read_text(encoding="utf-8"))
    assert "in examples(net.predict(input_fn(60, 63), verbose=0)):" in text
    assert "spread(" not in text


def packaged(call: str) -> str:
    """The tagger with a metric of `tf_metrics`."""
    assert RIGHT in CODE
    code = CODE.replace("import tensorflow as tf\n", "import tensorflow as tf\nimport tf_metrics\n")
    return code.replace(RIGHT, f"            'own': tf_metrics.{call},\n{RIGHT}")


def test_metrics_of_a_package_are_one_of_keras() -> None:
    text = after(packaged("precision(tags, pred_ids, num_tags, indices, weights)"))
    assert 'self.own = ConfusionScore("precision", num_tags, indices)' in text
    assert "self.own.update_state(tags, pred_ids, sample_weight=tf.cast(weights, t" in text
    assert "import tf_metrics" not in text
    text = after(packaged("fbeta(tags, pred_ids, num_tags, average='macro', beta=2)"))
    assert """ConfusionScore("fbeta", num_tags, average='macro', beta=2)""" in text


@pytest.mark.parametrize(
    "call",
    [
        "accuracy(tags, pred_ids)",
        "f1(tags, pred_ids, num_tags, average=params['average'])",
        "recall(tags, pred_ids, num_tags, beta=2)",
        "recall(tags, pred_ids)",
    ],
)
def test_other_functions_of_the_package_stay(call: str) -> None:
    assert "of tf_metrics" in stopped(packaged(call))[1]


def scored(kind: str, matrix: np.ndarray, positive: list[int], beta: float) -> float:
    """What the package computes of some classes."""
    hits = sum(matrix[i, i] for i in positive)
    predicted, actual = matrix[:, positive].sum(), matrix[positive].sum()
    precision = hits / predicted if predicted else 0.0
    recall = hits / actual if actual else 0.0
    below = beta**2 * precision + recall
    fbeta = (1 + beta**2) * precision * recall / below if below else 0.0
    return float({"precision": precision, "recall": recall, "fbeta": fbeta}[kind])


@needs_tf2
def test_the_score_is_the_packages() -> None:
    import tensorflow as tf

    found: dict[str, object] = {"tf": tf}
    exec(confusion.SOURCE.replace("{tf}", "tf"), found)
    made = found[confusion.NAME]
    assert isinstance(made, type)
    rng = np.random.RandomState(3)
    labels, guesses = rng.randint(0, 5, (2, 3, 9)), rng.randint(0, 4, (2, 3, 9))
    mask = rng.rand(2, 3, 9) > 0.3
    matrix = np.zeros((5, 5))
    np.add.at(matrix, (labels[mask], guesses[mask]), 1)
    counts = matrix[[1, 2, 4]].sum(1)
    for kind in ("precision", "recall", "fbeta"):
        for average in ("micro", "macro", "weighted"):
            score = made(kind, 5, [1, 2, 4], average, 2)
            for one, two, three in zip(labels, guesses, mask, strict=True):
                score.update_state(one, two, sample_weight=tf.cast(three, tf.float32))
            each = [scored(kind, matrix, [i], 2) for i in (1, 2, 4)]
            wanted = {
                "micro": scored(kind, matrix, [1, 2, 4], 2),
                "macro": np.mean(each),
                "weighted": np.sum(each * counts) / counts.sum(),
            }[average]
            assert abs(float(score.result()) - wanted) < 1e-6, (kind, average)


UNTRAINED = """\
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
    scores = tf.layers.dense(features['x'], 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=scores)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, scores)
    return tf.estimator.EstimatorSpec(mode, loss=loss)


def input_fn():
    rows = {'x': np.ones((8, 2), np.float32)}, np.zeros(8, np.int64)
    return tf.data.Dataset.from_tensor_slices(rows).batch(4)


net = tf.estimator.Estimator(model_fn)
print(net.evaluate(input_fn))
"""


def test_a_model_that_is_not_trained_is_compiled() -> None:
    assert "        self.compile(jit_compile=False)\n" in after(UNTRAINED)


def test_a_folder_of_a_model_that_is_not_trained_stays() -> None:
    code = UNTRAINED.replace("Estimator(model_fn)", "Estimator(model_fn, 'here')")
    assert "isn't trained here" in stopped(code)[1]


def test_tensors_of_an_input_fn_are_one_element() -> None:
    code = UNTRAINED.replace("    return tf.data.Dataset.from_tensor_slices(rows).batch(4)", """\
    x = [1., 2.]
    x = tf.constant([x])
    return (x, x), None""").replace("evaluate(input_fn)", "predict(input_fn)")  # fmt: skip
    code = code.replace("features['x']", "features[0]")
    text = after(code.replace("print(net.predict(input_fn))", "print(next(net.predict(input_fn)))"))
    assert "tf.data.Dataset.from_tensors(((x, x), None)).repeat()" in text
    assert "print(next(each_example(net, input_fn(), verbose=0)))" in text
