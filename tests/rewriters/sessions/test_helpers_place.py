"""Where the definitions that a program is given stand: below TensorFlow's import."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

BODY = """
x = tf.placeholder(tf.float32, [])
tf.summary.scalar('x', x)
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter('logs')
with tf.Session() as sess:
    writer.add_summary(sess.run(merged, {x: 1.0}), 0)
"""


@pytest.mark.parametrize(
    ("head", "last"),
    [
        ("import tensorflow as tf\nimport numpy as np\n", "import numpy as np"),
        ("import os\n\nos.environ['A'] = '1'\nimport tensorflow as tf\nimport sys\n", "import sys"),
    ],
)
def test_below_the_imports_that_tensorflow_stands_among(head: str, last: str) -> None:
    (result,) = texts({"a.py": f"{head}{BODY}\nimport json\n".encode()}, Options())
    assert result.after is not None
    lines = result.after.decode().splitlines()
    helper = next(i for i, line in enumerate(lines) if line.startswith("def write_summaries"))
    assert lines.index(last) < helper < lines.index("import json")
    assert helper < next(i for i, line in enumerate(lines) if "create_file_writer" in line)
