"""The net under what was moved: what Python refuses, and names without a value."""

from __future__ import annotations

import ast
import symtable
from pathlib import Path

import pytest

from migrate.engine.bound import _plain, keeps, lost, refused
from migrate.engine.findings import Edit
from migrate.engine.source import apply

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

REFUSED = [
    "from __future__ import braces\n",
    "from __future__ import later\n",
    "def f(a, a):\n    pass\n",
    "f = lambda a, *a: 1\n",
    "def f(a, *, b, **a):\n    pass\n",
    "def f():\n    x = 1\n    global x\n",
    "def f():\n    from os import *\n",
    "class A:\n    nonlocal x\n",
    "[(yield x) for x in y]\n",
    "[x := 1 for x in y]\n",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_python_refuses_is_found(text):
    assert refused(text, ast.parse(text))


@pytest.mark.parametrize("text", ["from os import *\n", "def f():\n    global x\n    x = 1\n"])
def test_what_it_takes_is_not(text):
    assert refused(text, ast.parse(text)) == ""


def test_a_tree_with_nothing_risky_is_never_refused():
    plain = 0
    for path in FIXTURES.rglob("before.py"):
        text = path.read_text()
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        if _plain(text, tree):
            symtable.symtable(text, str(path), "exec")  # raises where it is refused
            plain += 1
    assert plain > 100


def test_names_are_lost_where_the_old_text_had_them():
    old, new = "a = 1\nprint(a, b)\n", "print(a, b)\n"
    assert lost(new, old, ast.parse(old)) == ["a"]
    assert lost(old, old, ast.parse(old)) == []


OLD = """import tensorflow as tf
import numpy as np

def f(x):
    size = 3
    y = tf.log(x)
    return [np.sum(size) for n in y]
"""

KEPT = [
    ("tf.log", "tf.math.log"),
    ("log", "math.log"),
    ("np.sum", "len"),
    ("(x)\n    return", "(tf)\n    return"),
]
ASKED = [
    ("import numpy as np\n", ""),
    ("import numpy as np", "import numpy as n"),
    ("    size = 3\n", ""),
    ("size = 3", "sizes = 3"),
    ("tf.log", "tensorflow.math.log"),
    ("f(x)", "f(x_)"),
    ("tf.log(x)", "[x for x in tf.log(x)]"),
    ("tf.log(x)", "lambda: tf.log(x)"),
]


def edited(old, new):
    edit = Edit(OLD.index(old), OLD.index(old) + len(old), new)
    text = apply(OLD, [edit])
    return [edit], text, ast.parse(text)


@pytest.mark.parametrize(("old", "new"), KEPT)
def test_edits_that_take_no_name_its_value(old, new):
    edits, text, tree = edited(old, new)
    assert keeps(OLD, ast.parse(OLD), edits, tree)
    assert lost(text, OLD, ast.parse(OLD)) == []


@pytest.mark.parametrize(("old", "new"), ASKED)
def test_edits_after_which_it_is_asked(old, new):
    edits, _, tree = edited(old, new)
    assert not keeps(OLD, ast.parse(OLD), edits, tree)
