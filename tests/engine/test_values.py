"""What expressions provably are, and what is never taken for granted."""

from __future__ import annotations

import ast

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.site import FileContext
from migrate.engine.values import values_of
from migrate.rewriters.cross_entropy import LABELS
from migrate.rewriters.dropout import other_share

HEAD = "import tensorflow as tf\n"


def kind(source: str, expression: str = "x") -> str:
    """What an expression is at the end of a module."""
    document = read("case.py", f"{HEAD}{source}\nprint(tf, {expression})\n".encode())
    names = names_of(document)
    file = FileContext("case.py", document.text, document.index, document.tree, names)
    last = document.tree.body[-1]
    assert isinstance(last, ast.Expr)
    assert isinstance(last.value, ast.Call)
    return values_of(file).kind(last.value.args[1], names.module)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = tf.zeros([2])", "tensor"),
        ("x: tf.Tensor = tf.zeros([2])", "tensor"),
        ("x = tf.Variable(1.0)", "variable"),
        ("x = -tf.Variable(1.0)", "tensor"),
        ("x = -2 * 3 + 1", "number"),
        ("x = tf.abs([-1.0, (2.0, -3)])", "tensor"),
        ("x = tf.abs(y)", ""),
        ("x = tf.TensorShape([2])", "shape"),
        ("x = tf.zeros([2]).shape[0] + 1", "dimension"),
        ("x = tf.zeros([2]).shape[0] / 2", ""),
        ("x = tf.zeros([2])[0]", "tensor"),
        ("x, y = tf.zeros([2]), 3", "tensor"),
        ("x, *y = a.get_shape()", ""),
        ("x, *y = tf.zeros([2]), 1", "tensor"),
        ("*x, y = tf.zeros([2]), 1", ""),
        ("x, *y = tf.zeros([2]), 1, 2", ""),
        ("(x, z), y = a.get_shape(), 3", "dimension"),
        ("if (x := tf.zeros([2])) is None: pass", "tensor"),
        ("x = tf.zeros([2])\nx += 1", ""),
        ("x = tf.zeros([2])\nx = 3", ""),
        ("x = tf.zeros([2])\ndel x", ""),
        ("x = tf.zeros([2])\nfor x in y: pass", ""),
        ("x = tf.zeros([2])\nwith open(y) as x: pass", ""),
        ("x = tf.zeros([2])\nimport x", ""),
        ("x = tf.zeros([2])\ndef x(): pass", ""),
        ("x = tf.zeros([2])\nclass x: pass", ""),
        ("x = tf.zeros([2])\ntry: pass\nexcept E as x: pass", ""),
        ("x = tf.zeros([2])\nmatch y:\n    case [*x]: pass", ""),
        ("x = tf.zeros([2])\ndef f():\n    global x\n    x = 3", ""),
        ("x = x + tf.zeros([2])", "tensor"),
        ("x = y\ny = x", ""),
        ("", ""),
        ("y = 1\nx = lambda x: tf.zeros([2])", ""),
    ],
)
def test_kind(source: str, expected: str) -> None:
    assert kind(source) == expected


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("", "variable"),
        ("b.table = c.other = tf.get_variable('w', [2])", "variable"),
        ("a.table = tf.split(a.table, 2)", ""),
        ("a.table: object = tf.Variable([1.0])", ""),
        ("b.table += [1]", ""),
        ("for a.table in [1, 2]: pass", ""),
        ("setattr(a, name, [1])", ""),
    ],
)
def test_attributes(rest: str, expected: str) -> None:
    assert kind(f"a.table = tf.Variable([1.0])\n{rest}", "a.table") == expected
    assert kind(f"a.table = tf.Variable([1.0])\n{rest}", "a.others") == ""


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ("0.75", "0.25"),
        ("1", "0.0"),
        ("0.", "1.0"),
        (".9", "0.1"),
        ("1e-1", "0.9"),
        ("0.5", "0.5"),
        ("2", None),
        ("0x1", None),
        ("keep", None),
    ],
)
def test_other_share(share: str, expected: str | None) -> None:
    assert other_share(share) == expected


def test_rules_have_pages() -> None:
    """A rule's page begins with its id and its name."""
    assert LABELS.doc.startswith(f"{LABELS.id} {LABELS.name}: ")
