"""Files that stay read between the passes of a run: nobody changes their trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.engine import document
from migrate.engine.options import Options
from migrate.engine.runner import texts

NATIVE = Path(__file__).parents[2] / "fixtures" / "native"
NETS = b"""\
import tensorflow as tf

slim = tf.contrib.slim
trunc_normal = lambda stddev: tf.truncated_normal_initializer(0.0, stddev)


def net(x, scope='net'):
    with tf.variable_scope(scope, 'net', [x]):
        return slim.conv2d(x, 4, [3, 3], scope='conv1')


def arg_scope():
    with slim.arg_scope([slim.conv2d], weights_initializer=trunc_normal(0.5)) as sc:
        return sc
"""
TRAIN = b"""\
import tensorflow as tf

import nets

slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [None, 8, 8, 3])
with slim.arg_scope(nets.arg_scope()):
    out = nets.net(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {x: [[[[0.5] * 3] * 8] * 8]}))
"""


@pytest.fixture(autouse=True)
def _empty() -> Iterator[None]:
    document.forget()
    yield
    document.forget()


def test_a_file_is_read_once() -> None:
    first = document.shelved("a.py", b"x = 1\n")
    assert document.shelved("a.py", b"x = 1\n") is first
    assert document.shelved("b.py", b"x = 1\n") is not first
    assert document.shelved("a.py", b"x = 2\n").text == "x = 2\n"
    document.forget()
    assert document.shelved("a.py", b"x = 1\n") is not first


def test_what_came_first_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "ROOM", 12)
    first, second = (document.shelved(name, b"x = 1\n") for name in ("a.py", "b.py"))
    third = document.shelved("c.py", b"x = 1\n")
    assert document.shelved("c.py", b"x = 1\n") is not third
    assert document.shelved("a.py", b"x = 1\n") is first
    assert document.shelved("b.py", b"x = 1\n") is second


def _changed() -> list[str]:
    """The files on the shelf whose tree isn't that of their text any more."""
    return [
        path
        for (path, _), kept in document._kept.items()
        if ast.dump(ast.parse(kept.text), include_attributes=True)
        != ast.dump(kept.tree, include_attributes=True)
    ]


def test_nobody_changes_a_tree() -> None:
    list(texts({"train.py": TRAIN, "nets.py": NETS}, Options()))
    assert len(document._kept) == 2
    assert _changed() == []


@pytest.mark.parametrize("to", ["estimator", "keras"])
def test_nobody_changes_the_trees_of_the_fixtures(to: str) -> None:
    # Files that several programs of a run share are read by all of them.
    folders = sorted(p for p in NATIVE.iterdir() if (p / "before.py").exists())[::12]
    assert len(folders) > 20
    for folder in folders:
        files = {p.name: p.read_bytes() for p in folder.glob("*.py") if p.name != "after.py"}
        list(texts(files, Options(to=to)))
        assert _changed() == [], folder.name
