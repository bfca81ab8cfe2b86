"""input_fns that come from somewhere else, and what of them keeps an Estimator on the shim."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

ENDS = PROGRAM.rindex("def input_fn")
RUN = "\n\nnet = tf.estimator.Estimator(model_fn, params={})\n"


def program(inputs: str) -> str:
    """The program with other input_fns."""
    return PROGRAM[:ENDS] + inputs.partition("---")[0] + RUN + inputs.partition("---")[2]


GIVE = "tf.estimator.inputs.numpy_input_fn({'x': a}, y, shuffle=False)"
DATA = "tf.data.Dataset.from_tensor_slices(({'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')))"


@pytest.mark.parametrize(
    ("inputs", "line"),
    [
        (f"---net.train(lambda: {DATA}.batch(4))", "net.fit(tf.data.Dataset"),
        (
            f"def make(n):\n    return lambda: {DATA}.batch(n)\n---net.train(make(2), steps=1)",
            "net.fit(make(2)().take(1)",
        ),
        (
            "def make(ds):\n    return lambda: ds.make_one_shot_iterator().get_next()\n"
            f"---net.train(make({DATA}.batch(4)))",
            "    return lambda: ds\n",
        ),
        (
            f"if 1:\n    get = lambda: {DATA}.batch(2)\nelse:\n    get = lambda: {DATA}.batch(4)\n"
            "---net.train(get)",
            "net.fit(get(), verbose=0)",
        ),
        (
            f"def get():\n    return {DATA}.batch(2)\ndef run(net, fn):\n    net.train(fn)\n"
            "---run(net, get)",
            "net.fit(fn(), verbose=0)",
        ),
        (
            f"class Data:\n    def get(self):\n        return {DATA}.batch(2)\n"
            "---data = Data()\nnet.train(data.get)",
            "net.fit(data.get(), verbose=0)",
        ),
        (
            f"def get(mode):\n    return {DATA}.batch(2)\n---net.train(get)",
            'net.fit(get(mode="train"), verbose=0)',
        ),
        (
            f"def get(mode):\n    return {DATA}.batch(2)\n"
            "---net.train(lambda: get(tf.estimator.ModeKeys.TRAIN))",
            'net.fit(get("train"), verbose=0)',
        ),
        (
            "def get():\n    return {'x': tf.ones([2, 2])}, tf.constant([0, 1])\n"
            "---net.train(get, steps=2)",
            "from_tensors(({'x': tf.ones([2, 2])}, tf.constant([0, 1]))).repeat()",
        ),
    ],
)
def test_an_input_fn_is_found_where_it_is_made(inputs: str, line: str) -> None:
    assert line in after(program(inputs))


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        (
            "def get():\n    return {'x': tf.random_uniform([2, 2])}, tf.constant([0, 1])\n"
            "---net.train(get, steps=2)",
            "what an input_fn returns isn't a dataset that is seen",
        ),
        (
            "def get():\n    noise = tf.random_uniform([2, 2])\n"
            "    return {'x': tf.cast(noise, tf.float32)}, tf.constant([0, 1])\n"
            "---net.train(get, steps=2)",
            "an input_fn that returns tensors, with tf.random_uniform",
        ),
        (
            f"def get():\n    return {DATA}.batch(2)\ndef run(net, fn):\n    net.train(fn)\n"
            "---run(net, get)\nfor f in (run,):\n    f(net, get)",
            "`run`, which is given an input_fn, is handed on",
        ),
        (
            "a = np.ones((4, 2), 'f')\ndef make(y):\n"
            "    return tf.estimator.inputs.numpy_input_fn({'x': a}, y, shuffle=False)\n"
            "a = a * 2\n---net.train(make(np.zeros(4, 'i')))",
            "`a`, of which an input_fn is made, has several values",
        ),
        *(
            (
                made.replace("GIVE", GIVE)
                + "---net.train(make(np.ones((4, 2)), np.zeros(4, 'i')))",
                why,
            )
            for made, why in (
                (
                    "def make(a, y):\n    got = GIVE\n    a = a * 2\n    return got\n",
                    "`a`, of which",
                ),
                (
                    "def make(a, y):\n    for k in 'ab':\n        a = a * 2\n        return GIVE\n",
                    "`a`",
                ),
                (
                    "def make(a, y):\n    try:\n        return GIVE\n"
                    "    finally:\n        y = y + 1\n",
                    "`y`, of which",
                ),
                (
                    "def make(a, y):\n    def more():\n        nonlocal a\n        a = a * 2\n"
                    "    a = a * 3\n    make.more = more\n    return GIVE\n",
                    "`a`, of which",
                ),
            )
        ),
        (
            "class Data(dict):\n    def get(self):\n        return self['x']\ndata = Data()\n"
            "---net.train(data.get)",
            "an input_fn that isn't seen",
        ),
    ],
)
def test_an_input_fn_that_is_not_seen_keeps_the_estimator(inputs: str, why: str) -> None:
    assert why in stopped(program(inputs))[1]


@pytest.mark.parametrize(
    "first",
    [
        "    a = a.astype('f')\n    a /= 255\n    y, a = y * 1, a - 0.5\n",
        "    if len(a) > 2:\n        a = a * 2\n    else:\n        a = a * 3\n",
        "    for part in 'ab':\n        a = a * 2\n",
    ],
)
def test_a_function_prepares_its_arrays_before_it_gives_the_input_fn(first: str) -> None:
    text = program(
        f"def make(a, y):\n{first}    return {GIVE}\n"
        "---net.train(make(np.ones((4, 2)), np.zeros(4, 'i')))"
    )
    given = "    return lambda: tf.data.Dataset.from_tensor_slices(({'x': a}, y)).batch(128)\n"
    assert first + given in after(text)


def test_steps_that_run_alone_wait_for_their_data() -> None:
    alone = PROGRAM.replace(".batch(4)", ".padded_batch(4, ({'x': [2]}, []))")
    assert after(alone).count("@only_with_data") == 2
    saved = PROGRAM.replace(
        "params={}", "'m', tf.estimator.RunConfig(save_checkpoints_steps=7), params={}"
    )
    assert after(saved).count("@only_with_data") == 2
    assert "only_with_data" not in after(saved.replace("steps=7", "steps=100"))
    assert "only_with_data" not in after(PROGRAM)


QUEUES = """import tensorflow as tf


def input_fn():
    names = tf.train.string_input_producer(['data.csv'], shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    a, b = tf.decode_csv(line, [[0.], [0.]])
    x, y = tf.train.batch([a, b], batch_size=4)
    return {'x': x}, y


def model_fn(features, labels, mode):
    value = tf.layers.dense(features['x'][:, tf.newaxis], 1)[:, 0]
    loss = tf.losses.mean_squared_error(labels, value)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn)
net.train(input_fn, steps=3)
print(net.evaluate(input_fn=input_fn, steps=2))
"""


def test_an_input_fn_of_queues_is_a_dataset() -> None:
    (result,) = texts({"program.py": QUEUES.encode()}, Options(to="keras"))
    new = (result.after or b"").decode()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert ".map(parse).batch(4, drop_remainder=True).prefetch(1)\n" in new
    assert "net.fit(input_fn().take(3), verbose=0)" in new
    assert "return_dict=True, verbose=0" in new
    # What isn't an Estimator's stays: it would be given a dataset for tensors.
    other = QUEUES.replace("net.train(input_fn, steps=3)", "print(list(map(input_fn, [])))")
    (result,) = texts({"program.py": other.encode()}, Options(to="keras"))
    assert result.level is not Level.NATIVE


GIVEN = """\\
import numpy as np
import tensorflow as tf


def rows(n):
    return tf.data.Dataset.from_tensor_slices((np.ones((n, 2), 'f'), np.zeros(n, 'i')))


def input_fn(dataset, epochs=1):
    if epochs != 1:
        dataset = dataset.repeat(epochs)
    dataset = dataset.batch(4)
    return dataset


def model_fn(features, labels, mode):
    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(features, 2))
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn)
net.train(lambda: input_fn(rows(8), 3))
net.evaluate(lambda: input_fn(LAST))
"""


@pytest.mark.parametrize(
    ("last", "level"),
    [
        ("rows(8)", Level.NATIVE),
        ("dataset=rows(8).skip(2)", Level.NATIVE),
        ("np.ones((8, 2))", Level.COMPAT),  # it isn't a dataset
        ("*[rows(8)]", Level.COMPAT),
    ],
)
def test_an_argument_that_all_calls_give_a_dataset(last: str, level: Level) -> None:
    (result,) = texts({"a.py": GIVEN.replace("LAST", last).encode()}, Options(to="keras"))
    assert result.level is level, [f.message for f in result.left]
