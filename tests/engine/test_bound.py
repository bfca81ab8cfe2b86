"""The net under what was moved: what Python refuses, and names without a value."""

from __future__ import annotations

import ast
import symtable
from pathlib import Path

import pytest

from migrate.engine.bound import _plain, lost, refused

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
