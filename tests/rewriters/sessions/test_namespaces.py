"""Classes that are namespaces: their functions have no `self` (graph/namespaces.py)."""

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

MODEL = """\
import tensorflow as tf

class Net:
    {head}
    def build(x, n):
        return tf.layers.dense(x, n)

{more}
x = tf.placeholder(tf.float32, [None, 2])
y = {owner}.build(x, 3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0]]}}))
"""


def program(head: str = "# builds", more: str = "", owner: str = "Net") -> str:
    return MODEL.format(head=head, more=more, owner=owner)


@pytest.mark.parametrize(
    ("more", "owner"), [("", "Net"), ("net = Net", "net"), ("net = Net\nprint(str(net))", "net")]
)
def test_the_functions_are_static_methods(more: str, owner: str) -> None:
    text = after(program(more=more, owner=owner))
    assert "    # builds\n    @staticmethod\n    def build(n):" in text
    assert f"{owner}.build(3)" in text


@pytest.mark.parametrize(
    "more",
    [
        "net = Net()",
        "nets = [Net]",
        "def make(cls):\n    return cls()\nmake(Net)",
        "class Other(Net):\n    def other(self):\n        return self\n",
    ],
)
def test_a_class_of_which_objects_may_be_made_stays(more: str) -> None:
    stopped(program(more=more))


def test_what_is_given_an_object_stays() -> None:
    text = program().replace("def build(x, n)", "def build(self, n)")
    stopped(text)
