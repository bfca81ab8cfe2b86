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
