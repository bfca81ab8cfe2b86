"""Test cases: which tests are followed, each as a program of its own."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import unittest
import tensorflow as tf
from absl.testing import parameterized

class XTest(%s):
"""
GRAPH = "        with tf.Graph().as_default(), tf.Session() as sess:\n"
RUN = "            print(sess.run(tf.constant(1.0)))\n"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"x_test.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize("base", ["unittest.TestCase", "tf.test.TestCase, parameterized.TestCase"])
@pytest.mark.parametrize(
    "above", ["@unittest.skipIf(True, 'slow')\n    def test_a(self", "def test_a(self"]
)
def test_a_case_of_either_kind(base: str, above: str) -> None:
    result = upgrade(f"{HEAD % base}    {above}):\n{GRAPH}{RUN}")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert "):\n        print(tf.constant(1.0).numpy())\n" in result.after.decode()


@pytest.mark.parametrize(
    ("base", "body", "reason"),
    [
        (
            "unittest.TestCase",
            f"    def test_a(self):\n{GRAPH}{RUN}    def test_b(self):\n"
            "        with tf.Session() as sess:\n" + RUN,
            "a test that builds in the graph of another one",
        ),
        (
            "tf.test.TestCase",
            f"    @parameterized.parameters(1, 2)\n    def test_a(self):\n{GRAPH}{RUN}",
            "the test `test_a` has parameters",
        ),
        (
            "tf.test.TestCase",
            f"    @parameterized.parameters(tf.zeros([2]))\n    def test_a(self, x):\n{GRAPH}{RUN}",
            "a decorator of the test `test_a` makes a part of a graph",
        ),
        (
            "tf.test.TestCase",
            f"    @unittest.mock.patch('x')\n    def test_a(self, x):\n{GRAPH}{RUN}",
            "the test `test_a` has a decorator",
        ),
        (
            "tf.test.TestCase, Mixin",
            f"    def test_a(self):\n{GRAPH}{RUN}",
            "has a base class",
        ),
    ],
)
def test_others_keep_their_sessions(base: str, body: str, reason: str) -> None:
    result = upgrade("class Mixin:\n    pass\n" + HEAD % base + body)
    assert result.level is Level.COMPAT
    assert reason in " ".join(f.message for f in result.left if f.rule == "TFM420")
