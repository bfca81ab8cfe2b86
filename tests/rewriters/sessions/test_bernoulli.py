"""`tf.distributions.Bernoulli`: a class with as much as the program asks for."""

from __future__ import annotations

import pytest
from rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
p = {made}
out = {read}
with tf.Session() as sess:
    print(sess.run(out, {{x: [0.2, 0.7]}}))
"""
MADE = "tf.contrib.distributions.Bernoulli(logits=x)"


@pytest.mark.parametrize(
    "read", ["p.mean()", "p.mode()", "p.stddev()", "p.variance()", "p.entropy()", "p.sample()"]
)
def test_a_method_needs_no_other_one(read: str) -> None:
    text = after(PROGRAM.format(made=MADE, read=read))
    body = text.partition("class Bernoulli")[2].partition("\n\n\n")[0]
    defined = {line.split("def ")[1].split("(")[0] for line in body.split("\n") if "def " in line}
    called = {word for word in ("mean", "variance", "log_prob") if f"self.{word}()" in body}
    assert read[2:-2] in defined
    assert called <= defined


@pytest.mark.parametrize(
    ("made", "read"),
    [
        ("tf.distributions.Bernoulli(logits=x, dtype=tf.float32)", "p.sample()"),
        (MADE, "p.cdf(x)"),
        (MADE, "p.sample(seed=1)"),
    ],
)
def test_others_stay(made: str, read: str) -> None:
    assert stopped(PROGRAM.format(made=made, read=read))
