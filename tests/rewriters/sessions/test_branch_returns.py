"""Functions that make variables and return in branches: they return once, at their end."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def layer(x, n, act=None):
    w = tf.Variable(tf.ones([3, n]))
    h = tf.matmul(x, w)
{body}

x = tf.placeholder(tf.float32, [None, 3])
out = layer(layer(x, 3, tf.nn.relu), 2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {{x: [[1.0, 2.0, 3.0]]}}))
"""
CASES = {
    "either": (
        """\
        if act is None:
            return h
        else:
            return act(h)
        """,
        """\
        return h if act is None else act(h)
        """,
    ),
    "its name": (
        """\
        if act:
            return act(h)
        return h
        """,
        """\
        if act:
            h = act(h)
        return h
        """,
    ),
    "one line": (
        """\
        if act: return act(h)
        return h * 2
        """,
        """\
        return act(h) if act else h * 2
        """,
    ),
    "comment behind": (
        """\
        if act: return act(h)  # active
        return h * 2
        """,
        """\
        if act: outputs = act(h)  # active
        else:
            outputs = h * 2
        return outputs
        """,
    ),
    "comment above": (
        """\
        if act:
            # active
            return act(h)
        else:
            return h * 2
        """,
        """\
        if act:
            # active
            outputs = act(h)
        else:
            outputs = h * 2
        return outputs
        """,
    ),
    "three": (
        """\
        if n > 2:
            return h + 1
        elif act:
            return act(h)
        else:
            h = h * 2
            return h
        """,
        """\
        if n > 2:
            outputs = h + 1
        elif act:
            outputs = act(h)
        else:
            h = h * 2
            outputs = h
        return outputs
        """,
    ),
    "before the rest": (
        """\
        if act:
            return act(h)

        # as it is
        g = h * 2
        return tf.concat([g,
                          h], 1)
        """,
        """\
        if act:
            outputs = act(h)
        else:
            # as it is
            g = h * 2
            outputs = tf.concat([g,
                                 h], 1)
        return outputs
        """,
    ),
    "over several lines": (
        """\
        if act is None:
            h = h + 1
            return h
        else:
            h = h * 2
            return tf.concat([h, h],
                             axis=1)
        """,
        """\
        if act is None:
            h = h + 1
            outputs = h
        else:
            h = h * 2
            outputs = tf.concat([h, h],
                                axis=1)
        return outputs
        """,
    ),
    "a chain before the rest": (
        """\
        if n > 2: return h + 1
        elif act:
            return act(h)
        h = h * 2
        h = h + 1
        return h
        """,
        """\
        if n > 2: h = h + 1
        elif act:
            h = act(h)
        else:
            h = h * 2
            h = h + 1
        return h
        """,
    ),
    "nothing more": (
        """\
        if act is None:
            return h
        h = act(h)
        return h
        """,
        """\
        if act is not None:
            h = act(h)
        return h
        """,
    ),
    "nothing more, with a comment": (
        """\
        if n > 2 or act is None:
            return h  # linear
        h = act(h)
        return h
        """,
        """\
        if n > 2 or act is None:
            pass  # linear
        else:
            h = act(h)
        return h
        """,
    ),
    "two before the rest": (
        """\
        if n > 2:
            return h + 1
        h = h - 1
        if act:
            return act(h)
        h = h * 2
        return h * 3
        """,
        """\
        if n > 2:
            outputs = h + 1
        else:
            h = h - 1
            if act:
                outputs = act(h)
            else:
                h = h * 2
                outputs = h * 3
        return outputs
        """,
    ),
    "one thing or two": (
        """\
        if not act:
            return h
        # the halves
        act = h * 0.5
        return h, act
        """,
        """\
        if not act:
            outputs = h
        else:
            # the halves
            act_output = h * 0.5
            outputs = h, act_output
        return outputs
        """,
    ),
    "two tuples": (
        """\
        if act:
            return h, x
        h = h * 2
        return h, h * 3
        """,
        """\
        if act:
            outputs = h, x
        else:
            h = h * 2
            outputs = h, h * 3
        return outputs
        """,
    ),
}


def upgrade(body: str) -> FileResult:
    source = PROGRAM.format(body=indent(dedent(body), "    "))
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize("name", CASES)
def test_branches_come_to_one_return(name: str) -> None:
    body, written = CASES[name]
    result = upgrade(body)
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert indent(dedent(written), "        ") in text
    assert text.count("    return apply") == 1


@pytest.mark.parametrize(
    "body",
    [
        "if act:\n    return act(h)\nwhile n > 9:\n    return h\nreturn h * 2\n",
        "if act:\n    return h, w\nh = h * 2\nreturn h, h * 3\n",
        "v, u = tf.Variable(1.0), tf.Variable(2.0)\nif act:\n    return h, v\nreturn h * u\n",
        "parts = {'v': tf.Variable(1.0)}\nif act:\n    return h, parts['v']\nreturn h * 2\n",
        "if act:\n    return\nh = h * 2\nreturn h\n",
        "if act:\n    h = act(h)\nelif n > 2:\n    return h\nh = h * 2\nreturn h + 1\n",
        "if act:\n    return act(h)\nh = h * 2; h = h + 1\nreturn h + 1\n",
        "if act:\n    if n > 2:\n        return h\n    h = act(h)\nreturn h * 2\n",
        "if act:\n    return h, w\nreturn h, h\n",
        "while True:\n    return h\n",
        "if act:\n    return act(h)\nelse:\n    h = h * 2\n",
    ],
)
def test_other_returns_keep_the_session(body: str) -> None:
    assert upgrade(body).level is Level.COMPAT


COMPLAINS = """\
import tensorflow as tf

kind = "l1"
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
out = tf.matmul(x, w)
if kind == "l1":
    loss = tf.reduce_mean(tf.abs(out))
elif kind == "l2":
    loss = tf.reduce_mean(tf.square(out))
else:
    print("no loss is called", kind)
total = {total}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(total, {{x: [[1.0, 2.0]]}}))
"""


def test_a_message_before_a_name_is_missing_goes_with_the_branches() -> None:
    text = after(COMPLAINS.format(total="loss * 2.0"))
    assert '    else:\n        print("no loss is called", kind)\n' in text


@pytest.mark.parametrize(
    "text",
    [
        COMPLAINS.format(total="out * 2.0"),  # the program goes on without the name
        COMPLAINS.format(total="loss * 2.0").replace("if kind", "loss = out\nif kind", 1),
        COMPLAINS.format(total="loss * 2.0").replace("kind)\n", "draw())\n"),
    ],
)
def test_a_message_that_is_all_keeps_the_session(text: str) -> None:
    assert "`print` is called" in stopped(text) or "`draw` is called" in stopped(text)
