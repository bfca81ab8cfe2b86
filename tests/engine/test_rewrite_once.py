"""New bytes come of what was made when a program was judged: it is converted once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.engine import functions
from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts, upgrade

ALONE = """import tensorflow as tf
x = tf.placeholder(tf.float32)
with tf.Session() as sess:
    print(sess.run(tf.to_float(x) * 2., {x: 1.}))
"""
MODEL = "import tensorflow as tf\n\n\ndef double(x):\n    return tf.multiply(x, 2.)\n"
MAIN = """import tensorflow as tf
import model
x = tf.placeholder(tf.float32)
y = model.double(x)
with tf.Session() as sess:
    print(sess.run(y, {x: 1.}))
"""


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file's sessions are converted."""
    counted: Counter[str] = Counter()
    convert = functions._all_to_functions

    def counting(files, *args):  # type: ignore[no-untyped-def]
        counted.update(Path(document.path).name for document, _ in files)
        return convert(files, *args)

    monkeypatch.setattr(functions, "_all_to_functions", counting)
    return counted


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in (("alone.py", ALONE), ("model.py", MODEL), ("main.py", MAIN)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_program_is_converted_once(tree: Path, conversions: Counter[str]) -> None:
    options = replace(Options(), root=str(tree), jobs=1, cache=False)
    results = {r.path: r for r in upgrade([str(tree)], options)}
    assert conversions == {"alone.py": 1, "model.py": 1, "main.py": 1}
    assert {r.level for r in results.values()} == {Level.NATIVE}
    for name in ("alone.py", "main.py"):
        assert results[name].before == (tree / name).read_bytes()
        assert b"Session" not in (results[name].after or b"Session")
    assert b"tf.cast(x, tf.float32)" in (results["alone.py"].after or b"")


def test_what_the_cache_knows_is_made_the_same(tree: Path, conversions: Counter[str]) -> None:
    """The cache has no bytes: a file that it knows is converted when it is written."""
    options = replace(Options(), root=str(tree), jobs=1, cache=True)
    first = {r.path: r.after for r in upgrade([str(tree)], options)}
    assert sum(conversions.values()) == 3
    again = {r.path: r.after for r in upgrade([str(tree)], options)}
    assert again == first
    assert sum(conversions.values()) > 3


def test_given_texts_are_converted_once(conversions: Counter[str]) -> None:
    sources = {"model.py": MODEL.encode(), "main.py": MAIN.encode()}
    assert {r.level for r in texts(sources, Options())} == {Level.NATIVE}
    assert conversions == {"model.py": 1, "main.py": 1}
