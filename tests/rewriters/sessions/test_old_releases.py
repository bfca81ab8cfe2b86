"""Programs that run on older releases, too: what 1.15.5 does stands alone."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_files import after as text_of
from tests.rewriters.sessions.test_files import run
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

{above}
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
{made}
with tf.Session() as sess:
    {started}
    print(sess.run(y, {{x: [[1.0, 2.0]]}}))
"""
PLAIN = {
    "above": "",
    "made": "y = tf.matmul(x, w)",
    "started": "tf.global_variables_initializer().run()",
}


def program(**parts: str) -> str:
    """A small program with some of its parts written otherwise."""
    return PROGRAM.format(**PLAIN | parts)


@pytest.mark.parametrize("test", ['"concat_v2" in dir(tf)', 'hasattr(tf, "concat_v2")'])
def test_names_that_are_asked_for(test: str) -> None:
    above = f"""\
if {test}:
    def concat(tensors, axis):
        return tf.concat_v2(tensors, axis)
else:
    def concat(tensors, axis):
        return tf.concat(tensors, axis)
"""
    text = after(program(above=above, made="y = concat([x, x], 1)"))
    assert "concat_v2" not in text
    assert "\ndef concat(tensors, axis):\n    return tf.concat(tensors, axis)\n" in text


def test_the_first_way_where_the_second_is_gone() -> None:
    made = """\
def net(h):
    try:
        out = tf.matmul(h, w)

    # Support for versions of TensorFlow before 0.7.0
    except AttributeError:
        out = tf.old_matmul(h, w)
    return out

y = net(x)"""
    text = after(program(made=made))
    assert "try" not in text
    assert "    out = tf.matmul(h, w)\n    return out" in text


def test_a_keyword_that_an_older_release_took() -> None:
    made = """\
def cross(a, b):
    try:
        return tf.nn.sigmoid_cross_entropy_with_logits(logits=a, labels=b)
    except:
        return tf.nn.sigmoid_cross_entropy_with_logits(logits=a, targets=b)

y = cross(tf.matmul(x, w), tf.ones([1, 1]))"""
    text = after(program(made=made))
    assert "targets" not in text
    assert "try" not in text


def test_what_both_releases_have_stays() -> None:
    made = "try:\n    y = tf.matmul(x, w)\nexcept ValueError:\n    y = tf.tensordot(x, w, 1)"
    assert "try:" in (stopped_or_after(program(made=made)))


def stopped_or_after(text: str) -> str:
    """What a program becomes, at whichever level."""
    return text_of(run(program=text)["program"])


def test_variables_are_initialized_in_one_way_or_the_other() -> None:
    started = """\
try:
        tf.global_variables_initializer().run()
    except:
        tf.initialize_all_variables().run()"""
    assert "try" not in after(program(started=started))


SUMMARIES = """\
try:
    scalar_summary = tf.scalar_summary
    SummaryWriter = tf.train.SummaryWriter
except:
    scalar_summary = tf.summary.scalar
    SummaryWriter = tf.summary.FileWriter
"""


def test_short_names_of_summaries() -> None:
    made = 'y = tf.reduce_sum(tf.matmul(x, w))\nmerged = tf.summary.merge([scalar_summary("y", y)])'
    started = """tf.global_variables_initializer().run()
    writer = SummaryWriter("logs")
    writer.add_summary(sess.run(merged, {x: [[1.0, 2.0]]}), 0)"""
    text = after(program(above=SUMMARIES, made=made, started=started))
    assert "scalar_summary" not in text
    assert "tf.summary.create_file_writer" in text


def test_short_names_in_another_file() -> None:
    main = program(above="from ops import *\n").replace(
        "    print(", '    writer = SummaryWriter("logs", sess.graph)\n    print('
    )
    found = run(ops="import tensorflow as tf\n\n" + SUMMARIES, main=main)
    assert "SummaryWriter" not in text_of(found["ops"]) + text_of(found["main"])
    assert "create_file_writer" in text_of(found["main"])


def test_a_short_name_that_is_handed_on() -> None:
    above = "write = tf.summary.FileWriter\nwriters = [write]\n"
    assert stopped(program(above=above))


MISSING = """\
try:
    tf.mul
except{caught}:
    # gone in 1.0
    tf.mul = tf.multiply
"""


@pytest.mark.parametrize("caught", ["", " AttributeError"])
def test_a_name_that_tensorflows_module_is_given(caught: str) -> None:
    above = MISSING.format(caught=caught)
    text = after(program(above=above, made="y = tf.mul(tf.matmul(x, w), 2.0)"))
    assert "try" not in text
    assert "tf.multiply(tf.matmul(x, w), 2.0)" in text
    there = above.replace("tf.mul\n", "tf.multiply\n").replace("tf.mul =", "tf.multiply =")
    text = after(program(above=there, made="y = tf.multiply(tf.matmul(x, w), 2.0)"))
    assert "try" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    tf.mul\n", "    tf.sub\n"),  # `tf.mul` is given only where another name is missing
        ("tf.multiply", "tf.times"),
        ("except:", "except ImportError:"),
        ("    # gone in 1.0", "    print(1)"),
        ("    tf.mul = tf.multiply\n", "    tf.mul = tf.multiply\ntf.mul = tf.add\n"),
    ],
)
def test_names_that_are_given_otherwise_stay(old: str, new: str) -> None:
    above = MISSING.format(caught="")
    assert old in above
    stopped(program(above=above.replace(old, new), made="y = tf.mul(tf.matmul(x, w), 2.0)"))


def test_the_older_names_of_the_same() -> None:
    made = """\
y = tf.matmul(x, w)
try:
    tf.summary.scalar('y', tf.reduce_sum(y))
    z = tf.multiply(y, 2.0)
except AttributeError:
    tf.scalar_summary('y', tf.reduce_sum(y))
    z = tf.mul(y, 2.0)"""
    text = after(program(made=made).replace("run(y,", "run(z,"))
    assert "except" not in text
    assert text.count("tf.multiply(") == 1


@pytest.mark.parametrize("test", ["tf.executing_eagerly()", "not tf.executing_eagerly()"])
def test_a_session_does_not_run_at_once(test: str) -> None:
    ways = ["y = x @ w", "y = tf.matmul(x, w)"]
    first, second = reversed(ways) if test.startswith("not") else ways
    text = after(program(made=f"if {test}:\n    {first}\nelse:\n    {second}"))
    assert "executing_eagerly" not in text
    assert "x @ w" not in text
    assert "    return tf.matmul(x, w)\n" in text
