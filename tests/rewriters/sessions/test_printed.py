"""What prints tensors: in the function that computes them, or else the session stays."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [3])


def show(sess):
    print(sess.run(y, {x: np.ones(3)}))


y = tf.nn.relu(x)
"""
RUN = "print(sess.run(y, {x: np.ones(3)}))\n"


def test_prints_before_the_run_go_into_its_function() -> None:
    text = after(
        HEAD + "sess = tf.Session()\nprint(y.shape)\nprint('run')\n" + RUN + "show(sess)\n"
    )
    assert "    y = tf.nn.relu(x)\n    print(y.shape)\n    return y\n" in text
    assert text.index("def compute_y") < text.index("\n\nprint('run')\nprint(compute_y(")


@pytest.mark.parametrize("run", [RUN, "show(sess)\n", f"for i in range(2):\n    {RUN}"])
@pytest.mark.parametrize("more", ["", "print(y.shape)\n"])
def test_what_is_printed_behind_a_run_has_a_function_there(run: str, more: str) -> None:
    text = after(HEAD + "sess = tf.Session()\n" + more + run + "print('of', y.shape)\nshow(sess)\n")
    shown = text.rindex("    print('of', y.shape)\n\n\nshow_y")
    assert text.index("compute_y(") < text.rindex("def show_y") < shown
    assert text.count("print(y.shape)") == bool(more)
    assert ".get_concrete_function()  # made, not run\n\n\nshow()" in text


def test_what_two_runs_compute_is_printed_once() -> None:
    """A helper of both would print at each one's first call."""
    text = after(
        HEAD.partition("def show")[0]
        + "y = tf.nn.relu(x)\nprint('y:', y)\nsess = tf.Session()\n"
        + "print(sess.run(y + 1.0, {x: np.ones(3)}))\nprint(sess.run(y * 2.0, {x: np.ones(3)}))\n"
    )
    assert text.count("print('y:', y)") == 1
    assert "    print('y:', y)\n\n\nshow_y.get_concrete_function()" in text


@pytest.mark.parametrize(
    "shown",
    [
        "'z = ' + str(z)",
        "'z = %s' % z",
        "'%s of %d' % (z, 3)",
        "f'z = {z}'",
        "'z = {}'.format(z)",
        "'x', x, repr(z) + '!'",
    ],
)
def test_what_no_run_computes_is_made_and_not_run(shown: str) -> None:
    text = after(HEAD + f"z = tf.nn.tanh(x)\n# Look\nprint({shown})\nshow(tf.Session())\n")
    assert f"    z = tf.nn.tanh(x)\n    # Look\n    print({shown})\n\n\nshow_z" in text.replace(
        "show_x_and_z", "show_z"
    )


def test_a_size_that_the_graph_tells_is_a_number() -> None:
    text = after(
        HEAD + "z = tf.nn.tanh(x)\nprint('z = {}'.format(z.shape[0]))\nshow(tf.Session())\n"
    )
    assert "\nprint('z = {}'.format(3))\n" in text


def test_what_follows_each_other_is_one_function_s() -> None:
    text = after(
        HEAD + "z = tf.nn.tanh(x)\nprint(z)\nu = z + 1.0\nprint(u.shape)\nprint('host')\n"
        "v = u + 1.0\nprint(v)\nshow(tf.Session())\n"
    )
    assert "    print(z)\n    print(u.shape)\n\n\nshow_u" in text
    assert text.count("print(z)") == text.count("print(u.shape)") == 1
    assert text.index("show_u.get") < text.index("print('host')") < text.index("def show_v")


def test_texts_of_what_is_there_stay_where_they_are() -> None:
    text = after(
        HEAD
        + "w = {'w': tf.get_variable('w', [3])}\nprint('x = ' + str(x), 'w: %s' % w['w'])\n"
        + "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
        + "print('{} {}'.format(x, repr(w['w'])))\nprint(sess.run(w['w']))\nshow(sess)\n"
    )
    assert "\nprint('x = ' + str(x), 'w: %s' % w['w'])\n" in text
    assert "\nprint('{} {}'.format(x, repr(w['w'])))\n" in text
    assert "def show_" not in text


@pytest.mark.parametrize(
    "more",
    [
        "z = tf.layers.dense(x[None], 2)\n",  # traced twice: it makes variables
        "def net(t):\n    return tf.layers.dense(t[None] * 2.0, 2)\n\nz = net(x)\n",
        "z = tf.placeholder_with_default(x, [3])\n",
        "z = x\nfor i in range(2):\n    print(i, tf.nn.tanh(x))\n",
        "w = tf.Variable(1.0)\nwith tf.control_dependencies([w.assign(2.0)]):\n    z = x + w\n",
        "data = tf.data.Dataset.range(3).make_one_shot_iterator()\nz = data.get_next() + 1\n",
    ],
)
def test_what_is_not_made_once_for_nothing_stays(more: str) -> None:
    text = HEAD + more + "print('z = ' + str(z))\nsess = tf.Session()\nshow(sess)\n"
    assert stopped(text)


METHOD = """\
import tensorflow as tf


class Model:
    def __init__(self):
        self.sess = tf.Session()
        self.x = tf.placeholder(tf.float32, [3])
        self.y = tf.nn.relu(self.x)

    def predict(self, data):
        return self.sess.run(self.y, {self.x: data})


model = Model()
print(model.predict([1, 2, 3]))
"""


def test_what_no_function_would_print_stays() -> None:
    assert "def compute_y" in after(METHOD)
    message = "a tensor is printed that no run there computes"
    assert stopped(METHOD + "print(model.y.shape)\n") == f"16: {message}"


BLOCK = """\
deep = len(__name__) > 3
z = x
if deep:
    z = tf.nn.relu(x)
    print('deep:', z)
else:
    print('flat')
    z = x + 1.0
for i in range(2):
    z = z * 2.0
    print(i, z)
""" + RUN.replace("(y,", "(z,")


def block(more: str = "") -> str:
    return (
        HEAD.partition("def show")[0]
        + "sess = tf.Session()\n"
        + BLOCK.replace("for i", f"{more}for i")
    )


def test_a_block_that_makes_tensors_takes_its_prints_along() -> None:
    text = after(block())
    assert "        z = tf.nn.relu(x)\n        print('deep:', z)\n" in text
    assert "        z = z * 2.0\n        print(i, z)\n" in text
    assert "if not (deep):\n    print('flat')\n" in text


def test_a_loop_that_only_prints_keeps_the_session() -> None:
    text = block("for j in range(2):\n    print(z)\n")
    assert stopped(text).endswith(": a tensor is given to `print`")


def test_a_branch_that_only_prints_goes_where_its_tensors_go() -> None:
    shown = "if deep:\n    print('z:', z)\nelif len(__name__):\n    print('other', str(z.shape))\n"
    text = after(block(shown + "else:\n    print('none')\n"))
    branch = text[text.index("    if deep:\n        print('z:', z)\n") :]
    assert branch.index("        print('none')\n") < branch.index("    for i in range(2):")
    assert branch.index("    for i in range(2):") < branch.index("    return z\n")


@pytest.mark.parametrize(
    ("branch", "reason"),
    [
        ("if deep:\n    print(z)\n    log.append(1)\n", "a tensor is given to `print`"),
        ("if deep:\n    print(z)\n    deep = False\n", "a tensor is given to `print`"),
        ("if deep:\n    for j in range(2):\n        print(z)\n", "a tensor is given to `print`"),
    ],
)
def test_a_branch_that_does_more_than_print_keeps_the_session(branch: str, reason: str) -> None:
    assert stopped(block("log = []\n" + branch)).endswith(f": {reason}")


def test_a_branch_that_prints_behind_a_run_keeps_the_session() -> None:
    text = (
        HEAD + "sess = tf.Session()\n" + RUN + "if len(__name__):\n    print(y.shape)\nshow(sess)\n"
    )
    assert stopped(text).endswith(": a tensor is printed behind a run that computes it")


MADE = """\
def dense(x, units):
    w = tf.Variable(tf.ones([3, units]))
    return tf.matmul(x, w)


rows = tf.placeholder(tf.float32, [None, 3])
a = dense(rows, 3)
b = dense(a, 2)
print(b.shape)
loss = tf.reduce_sum(b)
top = tf.reduce_max(b)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(loss, {rows: np.ones([1, 3])}))
print(sess.run(top, {rows: np.ones([1, 3])}))
"""


def test_functions_whose_variables_are_there_print_once() -> None:
    text = after(HEAD.partition("x = tf.placeholder")[0] + MADE)
    assert text.count("print(b.shape)") == 1
    assert "    print(b.shape)\n\n\nshow_b.get_concrete_function()" in text


def test_a_loop_that_only_prints_tensors_is_not_lost() -> None:
    assert "a tensor is printed that no run there computes" in stopped(
        "import tensorflow as tf\n\n"
        "b = tf.placeholder(tf.int32, [None, 2])\n"
        "c = tf.ones_like(b)\n"
        "for t in [b, c]:\n"
        "    print(t.shape)\n"
        "with tf.Session() as sess:\n"
        "    print(sess.run(c, {b: [[1, 2]]}))\n"
    )


HELPER = """\
import numpy as np
import tensorflow as tf

def tell(thing):
    print('a', type(thing))
    print(thing)

sess = tf.Session()
a = tf.constant(1.5)
tell(a)
w = tf.Variable(a)
tell(w)
x = tf.placeholder(tf.float32, [None])
tell(x)
y = x * w
tell(y)
sess.run(tf.global_variables_initializer())
tell(sess.run(y, {x: np.ones(3)}))
"""


def test_a_helper_that_prints_is_a_print() -> None:
    text = after(HELPER)
    assert (
        "tell(a)\nw = tf.Variable(a)\ntell(w)\nx = tf.TensorSpec([None], tf.float32)\ntell(x)"
        in text
    )
    assert "    y = x * w\n    tell(y)\n    return y\n" in text


@pytest.mark.parametrize("more", ["    count(thing)\n", "    return thing\n"])
def test_a_helper_that_does_more_is_none(more: str) -> None:
    assert stopped(HELPER.replace("    print(thing)\n", "    print(thing)\n" + more))
