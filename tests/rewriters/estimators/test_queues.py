"""`--to keras`: input_fns of queues inside of functions. (Numbers: fixtures/keras/read_at_once.)"""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import tensorflow as tf


def read(name):
    def _input_fn():
        queue = tf.train.string_input_producer([name], shuffle=False)
        reader = tf.TextLineReader()
        READ
        x, y = tf.decode_csv(tf.expand_dims(value, -1), [[0.], [0]])
        return x, y
    return _input_fn


def get_train():
    return read('train.csv')


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn)
net.train(get_train(), steps=3)
"""
READ = "_, value = reader.read_up_to(queue, num_records=4)"


def upgraded(text: str, **others: str) -> tuple[Level | None, str, str]:
    files = {"program": text, **others}
    done = texts({f"{n}.py": t.encode() for n, t in files.items()}, Options(to="keras"))
    result = next(r for r in done if r.path == "program.py")
    left = [f.message for f in result.left if f.rule == "TFM520"]
    return result.level, (result.after or b"").decode(), "".join(left)


@pytest.mark.parametrize(
    ("read", "source"),
    [
        (READ, "lambda filename: tf.data.TextLineDataset(filename).batch(4)"),
        (READ.replace("num_records=", ""), "tf.data.TextLineDataset(filename).batch(4)"),
        ("_, value = reader.read(queue=queue)", "tf.data.TextLineDataset(queue)"),
    ],
)
def test_an_inner_input_fn_gives_the_dataset(read: str, source: str) -> None:
    text = PROGRAM.replace("READ", read)
    if "read_up_to" not in read:
        text = text.replace("tf.expand_dims(value, -1)", "value").replace(
            "return x, y", "return tf.train.batch([x, y], 4)"
        ).replace("dense(features", "dense(tf.expand_dims(features, -1)")  # fmt: skip
    level, after, said = upgraded(text)
    assert level is Level.NATIVE, said
    assert source in after
    assert "net.fit(get_train()().take(3), verbose=0)" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net = tf", "x, y = read('a.csv')()\nnet = tf"),  # it wants an element
        ("net = tf", "x, y = get_train()()\nnet = tf"),
        ("net = tf", "made = get_train()\nx, y = made()\nnet = tf"),
        ("    return _input_fn\n", "    x, y = _input_fn()\n    return _input_fn\n"),
        ("    return _input_fn\n", "    return _input_fn()\n"),
        (READ, "key, value = reader.read_up_to(queue, 4)\n        print(key)"),
        (READ, "_, value = reader.read_up_to(queue, *[4])"),
        ("reader = tf.TextLineReader()", "reader = tf.IdentityReader()"),
    ],
)
def test_what_stays(old: str, new: str) -> None:
    text = PROGRAM.replace("READ", READ)
    assert old in text
    level, after, _ = upgraded(text.replace(old, new))
    assert level is Level.COMPAT
    assert "string_input_producer" in after


def test_what_another_file_reads_itself_stays() -> None:
    main = "import program\nx, y = program.get_train()()\nprint(x)\n"
    level, _, _ = upgraded(PROGRAM.replace("READ", READ), main=main)
    assert level is Level.COMPAT
