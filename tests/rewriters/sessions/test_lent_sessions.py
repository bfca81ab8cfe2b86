"""Methods that nobody calls and that want a session."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = "import numpy as np\nimport tensorflow as tf\n\n\n"
LENT = """\
class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable(tf.ones([2, 1]))
        self.b = tf.Variable(tf.ones([1]))
        self.y = tf.matmul(self.x, self.w) + self.b
        self.params = [self.w, self.b]

    def save(self, sess, path):
        np.savez(path, *{run})


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.y, {{net.x: np.ones((2, 2))}}))
"""


def test_a_method_that_nobody_calls_runs_what_it_is_given() -> None:
    source = HEAD + LENT.format(run="sess.run(self.params)")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert (
        "    def save(self, path):\n        np.savez(path, *[v.numpy() for v in self.params])\n"
        in (result.after.decode())
    )
    # What else it does with it isn't known.
    source = HEAD + LENT.format(run="sess.run(sess.of(self.params))")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT


def test_what_is_given_something_else_is_given_it_still() -> None:
    (result,) = texts(
        {"program.py": (HEAD + LENT.format(run="sess.run(path)")).encode()}, Options()
    )
    assert result.after is not None
    assert "    def save(self, sess, path):\n" in result.after.decode()
    source = HEAD + LENT.format(run="sess.run(self.params) or sess")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT


def test_what_runs_parts_of_the_graph_once_is_a_session_in_its_other_runs() -> None:
    run = "sess.run(self.params))\n        return (sess.run(tf.zeros([2]))"
    text = after(HEAD + LENT.format(run=run))
    assert "def save(self, path):" in text
    assert "sess" not in text


def test_a_name_that_something_else_may_call_stays() -> None:
    source = HEAD + LENT.format(run="sess.run(self.params)") + "getattr(net, 'save')\n"
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT


SAVERS = """\
import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable(tf.ones([2, 1]))
        self.y = tf.matmul(self.x, self.w)

    def run(self, sess, x):
        return sess.run(self.y, {self.x: x})

    def save(self, sess, path):
        saver = tf.train.Saver()
        saver.save(sess, save_path=path)

    def restore(self, sess, path):
        tf.train.Saver().restore(sess, path)


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(model.run(sess, [[1.0, 2.0]]))
"""


def test_a_saver_of_its_own_is_given_one_too() -> None:
    text = after(SAVERS)
    assert "def save(self, path):" in text
    assert "def restore(self, path):" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        saver.save(sess, save", "        print(sess)\n        saver.save(sess, save"),
        ("print(model.run", "print(path.save)\n    print(model.run"),
    ],
)
def test_what_is_no_saver_of_its_own_keeps_the_session(old: str, new: str) -> None:
    assert old in SAVERS
    assert "isn't seen" in stopped(SAVERS.replace(old, new))


KEPT = """\
class Actor:
    def __init__(self, sess, n{more}):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, n])
        self.w = tf.Variable(tf.ones([n, 1]))
        self.y = tf.matmul(self.x, self.w)
        {init}

    def act(self, x):
        return self.sess.run(self.y, {{self.x: x}})
{rest}"""
INIT = "self.sess.run(tf.global_variables_initializer())"


def kept(init: str = INIT, more: str = "", rest: str = "") -> str:
    return HEAD + KEPT.format(init=init, more=more, rest=rest)


def test_the_session_that_a_class_keeps_which_nobody_makes_objects_of() -> None:
    made = after(kept())
    assert "    def __init__(self, n):\n        self.x = tf.TensorSpec" in made
    assert "        return self.compute_y(x).numpy()\n" in made
    named = kept("init = tf.global_variables_initializer()\n        sess.run(init)")
    assert "    def __init__(self, n):\n" in after(named)
    later = kept("pass", rest=f"\n    def start(self):\n        {INIT}\n")
    assert "    def __init__(self, n):\n" in after(later)


@pytest.mark.parametrize(
    "source",
    [
        kept("pass"),  # what runs here isn't a session for sure
        kept(INIT + "\n        sess = None"),
        kept(INIT, rest="\n    def close(self):\n        self.sess.shut()\n"),
        kept(INIT, rest="\n    def give(self):\n        return self.sess\n"),
        kept(INIT, rest="\n    def take(self, sess):\n        self.sess = sess\n"),
        kept(INIT, rest="\n\ndef swap(actor, other):\n    actor.sess = other\n"),
        kept("init = make()\n        self.sess.run(init)"),
        kept(INIT, more=", *sess_args"),
    ],
)
def test_what_a_class_keeps_and_may_be_no_session_stays(source: str) -> None:
    assert stopped(source)


OBJECT = """\
class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable(tf.ones([2, 1]))
        self.y = tf.matmul(self.x, self.w)

    def score(self, sess, x):
        return sess.run(self.y, {{self.x: x}})

    def test(self, {session}, x):
        return {session}.run(self.y, {{self.x: x}})
{more}

def evaluate(sess, model):
    return model.score(sess, np.ones((2, 2)))


def try_out({params}):
    total = 0
    for _ in range(3):
        total += {call}
    return total


with tf.Session() as sess:
    net = Net()
    sess.run(tf.global_variables_initializer())
    print(evaluate(sess, net))
{rest}"""


def lent(
    params: str = "sess, model",
    call: str = "model.test(sess, np.ones((1, 2)))",
    session: str = "sess",
    more: str = "",
    rest: str = "",
) -> str:
    return HEAD + OBJECT.format(params=params, call=call, session=session, more=more, rest=rest)


def test_a_function_that_nobody_calls_is_given_an_object_and_its_session() -> None:
    made = after(lent())
    assert "def try_out(model):\n" in made
    assert "        total += model.test(np.ones((1, 2)))\n" in made
    assert "    def test(self, x):\n        return self.compute_y(x).numpy()\n" in made
    by_name = after(lent(call="model.test(x=np.ones((1, 2)), sess=sess)"))
    assert "        total += model.test(x=np.ones((1, 2)))\n" in by_name


@pytest.mark.parametrize(
    "source",
    [
        lent("sess, model, other", "other.test(sess, np.ones((1, 2)))", rest="try_out\n"),
        lent(call="model.test(sess, np.ones((1, 2))) + len(model.parts)"),
        lent(call="model.test(sess, np.ones((1, 2))) + sess.of(1)"),
        lent("sess, model=None"),
        lent(more="\n\nclass Other:\n    def test(self, sess, x):\n        return 1\n"),
        lent(call="(lambda: model.test(sess, np.ones((1, 2))))()"),
        lent(rest="print(getattr(net, 'test'))\n"),
    ],
)
def test_what_a_function_that_nobody_calls_may_be_given_otherwise_stays(source: str) -> None:
    assert stopped(source)


OWN = """\
import tensorflow as tf


def squeezed(sess):
    a = tf.Variable([1, 1, 1])
    init = tf.global_variables_initializer()
    sess.run(init)
    b = tf.squeeze(a)
    print(sess.run(b))


with tf.Session() as sess:
    print(sess.run(tf.ones([2])))
"""


def test_a_function_that_nobody_calls_runs_what_it_makes() -> None:
    text = after(OWN)
    assert "def squeezed():\n" in text
    assert "    print(compute_b().numpy())\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    print(sess.run(b))\n", "    print(sess.run(b), sess)\n"),
        ("    print(sess.run(b))\n", "    sess = None\n"),
        ("(sess):", "(sess, **more):"),
    ],
)
def test_a_function_that_does_more_with_what_it_is_given_stays(old: str, new: str) -> None:
    assert stopped(OWN.replace(old, new, 1))
