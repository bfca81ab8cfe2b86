"""Savers of models in functions that make variables beside layers and cells."""

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4, 3])


def model(x):
{body}


y = model(x)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[[1.0, 2.0, 3.0]] * 4]}}))
    saver.save(sess, "model")
"""
CELL = """    cell = tf.nn.rnn_cell.GRUCell(6)
    out, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
"""
WEIGHTS = """    w = tf.Variable(tf.ones([6, 1]))
    return tf.matmul(out[:, -1], w)"""
DENSE = "    return tf.layers.dense(out[:, -1], 1)"


@pytest.mark.parametrize(
    ("body", "saved"),
    [
        (CELL + DENSE, "apply.layers = [cell, dense_layer]"),
        (CELL + WEIGHTS, "apply.parts = [cell, w]"),
        (
            '    weights = {"out": tf.Variable(tf.ones([3, 1]))}\n'
            '    h = tf.layers.dense(x[:, 0], 3)\n    return tf.matmul(h, weights["out"])',
            "apply.parts = [weights['out'], h_layer]",
        ),
    ],
)
def test_what_the_function_returns_has_all_of_it(body: str, saved: str) -> None:
    text = after(PROGRAM.format(body=body))
    assert saved in text
    assert f"y_layer=y_layer.{saved.split()[0].rpartition('.')[2]}" in text


@pytest.mark.parametrize(
    "body",
    [
        # in a branch
        CELL + "    w = 1.0\n    if x.shape[0]:\n        w = tf.Variable(tf.ones([6, 1]))\n"
        "    return tf.matmul(out[:, -1], w)",
        # a function in the function makes some
        CELL + "    w = tf.Variable(tf.ones([6, 6]))\n    return inner(tf.matmul(out[:, -1], w))",
        # the cell's name means another one in the end
        CELL + "    cell = None\n" + WEIGHTS,
    ],
)
def test_what_stays(body: str) -> None:
    inner = """

def inner(x):
    v = tf.Variable(tf.ones([6, 6]))
    return tf.layers.dense(tf.matmul(x, v), 1)

"""
    assert stopped(PROGRAM.format(body=body).replace("\n\ndef model", inner + "\n\ndef model"))


def test_variables_of_which_each_call_says_whether_they_are_trained() -> None:
    body = (
        "    w = tf.get_variable('w', [3, 3], trainable=trained)\n"
        "    return tf.layers.dense(tf.matmul(x[:, 0], w), 1, trainable=trained, name='out')"
    )
    text = PROGRAM.format(body=body).replace("def model(x):", "def model(x, trained):")
    text = text.replace("y = model(x)", "with tf.variable_scope('a'):\n    y = model(x, False)")
    assert "apply.parts = [w, out_layer]" in after(text)


LISTED = """import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])


def model(x):
    return tf.layers.dense(x, 2)


y = model(x)
{line}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0, 3.0]]}}))
{last}
"""


def test_a_list_of_variables_that_nothing_reads_goes() -> None:
    program = PROGRAM.format(body=CELL + DENSE)
    text = after(program.replace("saver =", "variables = tf.global_variables()\nsaver ="))
    assert "variables" not in text.partition("y_layer = model()")[2]


def test_one_that_is_read_stays() -> None:
    assert stopped(LISTED.format(line="found = tf.get_collection(KEY)", last="print(found)"))
    assert stopped(LISTED.format(line="found = tf.get_collection(KEY)", last="print(vars())"))


def test_layers_of_one_statement_are_made_as_python_calls_them() -> None:
    line = "y = model(x) + tf.layers.dense(tf.layers.dense(x, 2, name='inner'), 2, name='outer')"
    text = after(LISTED.format(line=line, last=""))
    assert text.index("inner_layer =") < text.index("outer_layer =")


LOOPED = """import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])


def block(h, {parameter}):
{body}


h = tf.layers.dense(x, 3)
{call}
y = tf.layers.dense(h, 1)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0, 3.0]]}}))
    saver.save(sess, "model")
"""
LOOP = "for i in range(3):\n    h = block(h, 3)"
BRANCHES = """    if scale == 2:
        h = tf.layers.dense(h, 4)
    elif scale == 3:
        for i in range(2):
            h = tf.layers.dense(h, 5)
    return h"""


def test_a_loop_of_a_function_saves_what_each_call_made() -> None:
    body = "    return h + tf.layers.dense(h, n)"
    text = after(LOOPED.format(parameter="n", body=body, call=LOOP))
    assert "block_layers = [block(3) for _ in range(3)]" in text
    assert "block_layers=[block_layer.layers for block_layer in block_layers]" in text


def test_variables_of_a_function_in_a_loop() -> None:
    body = "    w = tf.Variable(tf.ones([n, n]))\n    return tf.matmul(h, w)"
    text = after(LOOPED.format(parameter="n", body=body, call=LOOP))
    assert ".variables for " in text


def test_branches_are_asked_again() -> None:
    call = "import sys\nh = block(h, len(sys.argv) + 1)"
    text = after(LOOPED.format(parameter="scale", body=BRANCHES, call=call))
    assert "    elif scale == 3:" in text
    assert "*([dense_layer_2] if scale == 2 else [])" in text
    assert "*(dense_layers_3 if scale == 3 else [])" in text


def test_a_condition_that_changes_keeps_the_session() -> None:
    call = "import sys\nh = block(h, len(sys.argv) + 1)"
    body = BRANCHES.replace("    return", "    scale = 3\n    return")
    assert stopped(LOOPED.format(parameter="scale", body=body, call=call))
