"""Titles of sections, and semicolons at the ends of lines."""

from __future__ import annotations

import json

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 1]))
y = tf.matmul(x, w)

{above}
init = tf.global_variables_initializer()
sess = tf.Session()
sess.run(init)
print(sess.run(y, {{x: [[1.0, 2.0, 3.0]]}}))
"""


@pytest.mark.parametrize("rule", ["#########", "# -------", "#=====#"])
def test_a_title_stays_where_its_statement_goes(rule: str) -> None:
    text = after(PROGRAM.format(above=f"{rule}\n# train\n{rule}"))
    assert f"{rule}\n# train\n{rule}\n" in text
    assert text.index("# train") < text.index("print(")


@pytest.mark.parametrize(
    "above", ["# initializes all", "#########\n# initializes all", "####\n####"]
)
def test_a_comment_on_the_statement_goes_with_it(above: str) -> None:
    assert above not in after(PROGRAM.format(above=above))


ENDS = """\
import tensorflow as tf

def main():
    count = 1;
    for i in range(2):
        count += i;  # more
    w = tf.Variable(2.0);
    sess = tf.Session();
    sess.run(tf.global_variables_initializer());
    print(sess.run(w), count);

other = 3;
main()
"""


def test_semicolons_that_end_lines_go_in_the_function() -> None:
    text = after(ENDS)
    assert ";" not in text
    assert "count += i  # more" in text


def test_semicolons_of_a_notebook_keep_their_values_from_being_shown() -> None:
    cells = [
        "import tensorflow as tf\nw = tf.Variable(2.0);\nsess = tf.Session();",
        "sess.run(tf.global_variables_initializer());\nvalue = sess.run(w);",
        "value + 1;",
    ]
    notebook = {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": source.splitlines(keepends=True),
            }
            for source in cells
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 2,
    }
    (done,) = texts({"a.ipynb": json.dumps(notebook).encode()}, Options())
    assert done.after is not None
    shown = ["".join(cell["source"]) for cell in json.loads(done.after)["cells"]]
    assert "tf.Session" not in "".join(shown)
    assert shown[-1] == "value + 1;"
