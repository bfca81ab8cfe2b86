"""Sizes that files without TensorFlow tell: settings, and what their classes have."""

from __future__ import annotations

import json

import pytest

from migrate.programs.files import words_of
from tests.rewriters.sessions.test_files import after, reasons, run

NET = """
    import tensorflow as tf
    {imports}


    def dense(x, inputs, outputs):
        w = tf.Variable(tf.random_normal([inputs, outputs]))
        return tf.matmul(x, w)


    def flat(x):
        count = x.get_shape()[1:4].num_elements()
        return tf.reshape(x, [-1, count]), count


    x = tf.placeholder(tf.float32, [None, {size}, {size}, 1])
    pooled = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    row, count = flat(pooled)
    y = dense(row, count, 3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(y, {{x: data}}))
    """
CLASS = """
    class Pictures(object):
        size = 4
        area = size * size

        def __init__(self, folder):
            self.folder = folder
    """
KEPT = ["a variable starts with a tensor"]


def kept(**files: str) -> list[str]:
    """What keeps the main file's session."""
    return [reason for name, _, reason in reasons(run(**files)) if name == "main"]


@pytest.mark.parametrize(
    ("imports", "size"),
    [
        ("from settings import SIZE", "SIZE"),
        ("from settings import *", "SIZE"),
        ("import settings", "settings.SIZE"),
        ("import settings as s", "s.SIZES[1]"),
        ("from settings import SIZE as side", "side"),
    ],
)
def test_a_setting_is_a_size(imports: str, size: str) -> None:
    settings = "HALF = 2\nSIZE = HALF * 2\nSIZES = (8, SIZE)\n"
    found = run(settings=settings, main=NET.format(imports=imports, size=size))
    assert "dense(4, 3)\n" in after(found["main"])


@pytest.mark.parametrize(
    "settings",
    [
        "SIZE = 4\nif fast:\n    SIZE = 8\n",
        "SIZE = read()\n",
        "SIZE = 4\nSIZE += 4\n",
        "for SIZE in (4, 8):\n    pass\n",
        "from others import SIZE\n",
        "SIZE = 4\n\n\ndef change():\n    global SIZE\n    SIZE = 8\n",
        "SIZE = 4\nglobals().update(told)\n",
        "SIZE = 4\nexec(open(path).read())\n",
        "try:\n    SIZE = 4\nexcept OSError:\n    SIZE = 8\n",
        "SIZE = (\n",
    ],
)
def test_a_setting_that_may_be_another_one_isnt(settings: str) -> None:
    main = NET.format(imports="from settings import SIZE", size="SIZE")
    assert kept(settings=settings, main=main) == KEPT


@pytest.mark.parametrize(
    "tail", ["settings.SIZE = 8\n", "setattr(settings, name, 8)\n", "del settings.SIZE\n"]
)
@pytest.mark.parametrize("where", ["settings", "tuned"])
def test_so_isnt_one_that_a_file_sets(where: str, tail: str) -> None:
    main = NET.format(imports="import settings\n    import tuned", size="settings.SIZE")
    files = {"settings": "SIZE = 4\n", "tuned": "import settings\n"}
    files[where] += f"import settings\n{tail}"
    assert kept(**files, main=main) == KEPT


def test_an_object_has_what_its_class_has() -> None:
    main = NET.format(imports="from pictures import Pictures\n    p = Pictures('x')", size="p.size")
    assert "dense(4, 3)\n" in after(run(pictures=CLASS, main=main)["main"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.folder = folder", "self.size = len(folder)"),
        ("self.folder = folder", "setattr(self, folder, 8)"),
        ("(object)", "(Base)"),
        ("class Pictures", "@wrapped\n    class Pictures"),
        ("area = size", "size = size"),
        ("def __init__(self, folder)", "def __getattribute__(self, folder)"),
    ],
)
def test_unless_something_sets_it(old: str, new: str) -> None:
    main = NET.format(imports="from pictures import Pictures\n    p = Pictures('x')", size="p.size")
    assert kept(pictures=CLASS.replace(old, new), main=main) == KEPT


def test_what_the_main_file_sets_is_known() -> None:
    make = "from pictures import Pictures\n    p = Pictures('x')\n    p.size = 8"
    found = run(pictures=CLASS, main=NET.format(imports=make, size="p.size"))
    assert "dense(16, 3)\n" in after(found["main"])


@pytest.mark.parametrize("line", ["from settings import SIZE", "import settings"])
def test_a_notebook_imports_files(line: str) -> None:
    words = words_of(["main.ipynb", "settings.py"])
    code = {"cell_type": "code", "source": [f"{line}\n", "print(1)"]}
    notebook = json.dumps({"cells": [code]}, indent=1)
    assert words.told("main.ipynb", notebook.encode()) == (False, False)
    other = notebook.replace(line, line.replace("settings", "numpy"))
    assert words.told("main.ipynb", other.encode()) == (True, False)
