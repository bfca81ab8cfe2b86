"""Objects that are given their session when they are there: ``model.sess = sess``, or a setter."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.sess = None
        self.name = None
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.ones([3, 1]))
        self.out = tf.matmul(self.x, self.w)

{setter}    def predict(self, x):
        return self.sess.run(self.out, {{self.x: x}})


net = Net()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
{given}
print(net.predict([[1.0, 2.0, 3.0]]))
"""
SETTER = """\
    def set_session(self, session):
        \"\"\"It is needed later.\"\"\"
        self.sess = session

"""


@pytest.mark.parametrize(
    ("setter", "given"), [("", "net.sess = sess"), (SETTER, "net.set_session(sess)")]
)
def test_a_session_from_outside_goes(setter: str, given: str) -> None:
    text = after(PROGRAM.format(setter=setter, given=given))
    assert "sess" not in text
    assert "        self.name = None\n        self.x" in text
    assert "def predict(self, x):\n        return self.compute_out(x).numpy()\n" in text.replace(
        "predict_out", "compute_out"
    )


def test_a_setter_of_several_classes_goes_in_all() -> None:
    source = PROGRAM.format(setter=SETTER, given="net.set_session(sess)")
    other = source[source.index("class Net") : source.index("net = ")].replace("Net", "Other")
    made = "other = Other()\nnet = Net()\n"
    source = source.replace("net = Net()\n", other + made)
    source = source.replace("print(", "other.set_session(sess)\nprint(other.predict([[1.0] * 3]), ")
    assert "sess" not in after(source)


@pytest.mark.parametrize(
    "asks",
    [
        "if self.sess is None:\n            return None\n        ",
        "assert self.sess is not None\n        ",
        "print(type(self.sess))\n        ",
    ],
)
def test_a_session_that_is_looked_at_stays(asks: str) -> None:
    source = PROGRAM.format(setter="", given="net.sess = sess")
    assert ".sess` would have no value" in stopped(
        source.replace("return self", asks + "return self")
    )
    given = source.replace("def __init__(self)", "def __init__(self, sess)").replace(
        "self.sess = None", "self.sess = sess"
    )
    given = given.replace(
        "net = Net()\nsess = tf.Session()", "sess = tf.Session()\nnet = Net(sess)"
    )
    given = given.replace("net.sess = sess\n", "")
    assert "sess" not in after(given)
    assert ".sess` would have no value" in stopped(
        given.replace("return self", asks + "return self")
    )
