"""Lists that begin empty or with Nones, in loops too, and get tensors."""

from __future__ import annotations

import textwrap

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
w = tf.Variable(tf.ones([4, 4]))


def net(x):
{body}
    return x


y = net(x)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {{x: np.ones((2, 4))}}))
"""
FORMS = {
    "append": """\
        for _ in range(2):
            out = []
            for k in range(3):
                out.append(tf.matmul(x, w))
            x = out[-1]
        """,
    "nones": """\
        out = [None] * 3
        for k in range(3):
            out[k] = tf.matmul(x, w)
        x = out[-1]
        """,
    "a comprehension of them": """\
        for _ in range(2):
            h = [None for i in range(3)]
            c = [None for i in range(3)]
            out = []
            for k in range(3):
                if k == 0:
                    c[k] = tf.matmul(x, w)
                else:
                    c[k] = tf.matmul(x, w) + c[k - 1]
                h[k] = tf.tanh(c[k])
                out.append(h[k])
            x = out[-1]
        """,
    "a dict": """\
        for _ in range(2):
            h = {}
            for k in range(3):
                h[k] = tf.matmul(x, w)
            x = h[2]
        """,
    "a name behind": """\
        for _ in range(2):
            out = []
            for k in range(3):
                out.append(tf.matmul(x, w))
            every = out
            x = every[-1]
        """,
    "a branch": """\
        if len(w.get_shape()) == 2:
            out = []
            out.append(tf.matmul(x, w))
            x = out[0]
        """,
}


def source(body: str) -> str:
    return PROGRAM.format(body=textwrap.indent(textwrap.dedent(body), "    "))


@pytest.mark.parametrize("form", FORMS)
def test_a_list_goes_where_its_tensors_go(form: str) -> None:
    text = after(source(FORMS[form]))
    assert "compute_y(x)" in text


@pytest.mark.parametrize("form", FORMS)
def test_so_it_does_in_a_module(form: str) -> None:
    body = textwrap.dedent(FORMS[form]).replace("x = ", "z = ").replace("(x, ", "(z, ")
    text = source("pass").replace("y = net(x)\n", f"z = x\n{body}y = z\n")
    after(text)


@pytest.mark.parametrize(
    "body",
    [
        # another name, by which it is read as it was
        "for _ in range(2):\n    out = []\n    every = out\n    out.append(tf.matmul(x, w))\n"
        "    x = every[0]\n",
        # in another list
        "for _ in range(2):\n    out = []\n    every = [out]\n    out.append(tf.matmul(x, w))\n"
        "    x = every[0][0]\n",
        # a function that may be called at any time
        "for _ in range(2):\n    out = []\n    def last():\n        return out[-1]\n"
        "    out.append(tf.matmul(x, w))\n    x = last()\n",
        # variables
        "vs = [None] * 2\nfor k in range(2):\n    vs[k] = tf.Variable(1.0)\nx = x * vs[0]\n",
    ],
)
def test_what_is_given_away_before_keeps_the_session(body: str) -> None:
    stopped(source(body))
    text = textwrap.dedent(body).replace("x = ", "z = ").replace("(x, ", "(z, ")
    stopped(source("pass").replace("y = net(x)\n", f"z = x\n{text}y = z\n"))


@pytest.mark.parametrize(
    "body",
    [
        # which of two lists gets it
        "out = []\nfor k in range(3):\n    if k == 1:\n        out = []\n"
        "    out.append(tf.matmul(x, w))\nx = out[0]\n",
        # a handler has another thing
        "try:\n    out = []\n    out.append(tf.matmul(x, w))\nexcept ValueError:\n    out = [w]\n"
        "x = out[0]\n",
        "try:\n    z = tf.matmul(x, w)\nexcept ValueError:\n    z = w\nx = z\n",
    ],
)
def test_what_a_name_is_on_one_way_or_another_keeps_the_session(body: str) -> None:
    stopped(source(body))


def test_what_a_handler_leaves_with_is_gone() -> None:
    after(source("try:\n    x = tf.matmul(x, w)\nexcept ValueError:\n    x = w\n    raise\n"))
