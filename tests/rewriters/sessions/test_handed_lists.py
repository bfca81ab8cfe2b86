"""Functions that ask the graph for its variables are handed them by their calls."""

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.layers.dense(x, 2)


def count({params}):
{body}


print(count({given}))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0, 3.0]]}}))
"""
BODY = """    total = 0
    for v in tf.trainable_variables():
        n = 1
        for dim in v.get_shape():
            n *= dim.value
        total += n
    return total"""
GATHERED = "    return len([v.get_shape() for v in tf.global_variables()])"


@pytest.mark.parametrize(
    ("params", "given", "body", "head", "call"),
    [
        ("", "", BODY, "def count(variables):", "count([*y_layer.trainable_variables])"),
        (
            "scale",
            "2",
            BODY,
            "count(variables, scale):",
            "count([*y_layer.trainable_variables], 2)",
        ),
        ("", "", GATHERED, "def count(variables):", "count([*y_layer.weights])"),
    ],
)
def test_the_list_is_an_argument(params: str, given: str, body: str, head: str, call: str) -> None:
    text = after(PROGRAM.format(params=params, given=given, body=body))
    assert head in text
    assert call in text
    assert "y_layer.build([None, 3])" in text


def test_a_dimension_is_a_number_of_what_may_be_a_keras_variable() -> None:
    assert "n *= dim\n" in after(PROGRAM.format(params="", given="", body=BODY))


@pytest.mark.parametrize(
    ("params", "given", "body"),
    [
        ("*args", "", BODY),  # where it would stand isn't seen
        (
            "scope",
            "None",
            BODY.replace("variables()", "variables(scope)"),
        ),  # which ones is computed
        ("", "", "    tf.Variable(1.0)\n" + BODY),  # it makes some itself
        ("", "", "    tf.Graph().as_default().__enter__()\n" + BODY),  # another graph's
    ],
)
def test_what_stays(params: str, given: str, body: str) -> None:
    assert stopped(PROGRAM.format(params=params, given=given, body=body))


def test_what_shares_its_name_with_a_method_of_python_stays() -> None:
    text = PROGRAM.format(params="", given="", body=BODY)
    assert stopped(text + 'print("banana".count("a"))\n')
