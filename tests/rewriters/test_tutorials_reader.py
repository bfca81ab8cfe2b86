"""The tutorials' MNIST reader in programs that run no graph."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SOURCE = """\
import gzip, os
import numpy as np
from tensorflow.examples.tutorials.mnist import input_data
import sys
mnist = input_data.read_data_sets(sys.argv[1], one_hot=True, validation_size=1)
x, y = mnist.train.next_batch(4)
print(x.shape, y.argmax(1).tolist(), mnist.test.labels.shape)
"""


def run(source: str) -> FileResult:
    (result,) = texts({"a.py": source.encode()}, Options())
    return result


def test_the_file_is_given_a_reader(tmp_path: Path) -> None:
    result = run(SOURCE)
    assert (result.level, [f.rule for f in result.left]) == (Level.NATIVE, [])
    assert result.after is not None
    text = result.after.decode()
    assert "tensorflow" not in text
    assert "\n\n\nclass Mnist:" in text
    assert "mnist = read_data_sets(sys.argv[1], one_hot=True, validation_size=1)" in text
    assert run(text).status == "unchanged"
    said = SOURCE.replace("mnist = ", "\n# the data\n# of MNIST\nmnist = ")
    assert "\n# the data\n# of MNIST\nmnist = read_data_sets(" in (run(said).after or b"").decode()
    for name, head, rows in (
        ("train-images-idx3", 16, 5 * 784),
        ("train-labels-idx1", 8, 5),
        ("t10k-images-idx3", 16, 2 * 784),
        ("t10k-labels-idx1", 8, 2),
    ):
        data = bytes(head) + bytes(3 if "labels" in name else 255 for _ in range(rows))
        (tmp_path / f"{name}-ubyte.gz").write_bytes(gzip.compress(data))
    (tmp_path / "a.py").write_text(text)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "a.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "(4, 784) [3, 3, 3, 3] (2, 10)"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("one_hot=True", "fake_data=True"),
        ("one_hot=True", "**options"),
        ("import sys\n", "import sys\nread_data_sets = None\n"),
        ("import sys\n", "import sys\nnp = None\n"),
        ("import sys\n", "import sys\nfrom tensorflow import set_random_seed\n"),
        ("import sys\n", "import sys\nprint(input_data.maybe_download)\n"),
        ("import sys\n", "import sys\nreader = input_data\n"),
    ],
)
def test_what_keeps_the_shim(old: str, new: str) -> None:
    result = run(SOURCE.replace(old, new))
    assert result.level is Level.COMPAT
    assert b"class Mnist" not in (result.after or b"")


LENT = """\
import gzip
import tensorflow as tf
from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets
"""
READS = """\
import sys
import input_data
import tensorflow as tf

mnist = input_data.read_data_sets(sys.argv[1], False, True, validation_size=1)
x = tf.placeholder(tf.float32, [None, 784])
total = tf.reduce_sum(x)
with tf.Session() as sess:
    images, labels = mnist.train.next_batch(4, False)
    print(sess.run(total, {x: images}) / 784, labels.argmax(1).tolist())
"""


def test_a_file_that_imports_the_reader_for_others_has_one(tmp_path: Path) -> None:
    sources = {"main.py": READS.encode(), "input_data.py": LENT.encode()}
    for result in texts(sources, Options()):
        assert (result.level, [f.rule for f in result.left]) == (Level.NATIVE, [])
        assert result.after is not None
        assert b"contrib" not in result.after
        (tmp_path / result.path).write_bytes(result.after)
    for name, head, rows in (
        ("train-images-idx3", 16, 5 * 784),
        ("train-labels-idx1", 8, 5),
        ("t10k-images-idx3", 16, 2 * 784),
        ("t10k-labels-idx1", 8, 2),
    ):
        data = bytes(head) + bytes(3 if "labels" in name else 255 for _ in range(rows))
        (tmp_path / f"{name}-ubyte.gz").write_bytes(gzip.compress(data))
    pytest.importorskip("tensorflow")
    done = subprocess.run(
        [sys.executable, "main.py", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.endswith("4.0 [3, 3, 3, 3]\n"), done.stderr[-2000:]


@pytest.mark.parametrize("line", ["np = None", "class FakeMnist: pass", "if read_data_sets: pass"])
def test_an_import_for_others_stays_where_the_readers_names_are_taken(line: str) -> None:
    (result,) = texts({"input_data.py": f"{LENT}{line}\n".encode()}, Options())
    assert b"class Mnist" not in (result.after or b"")
