"""TensorFlow by its private modules, by its names of 0.x, and readers inside functions."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.findings import FileResult, Level
from migrate.engine.judged import names_of
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.rewriters.sessions.public_names import renamed

PROGRAM = """\
{imports}
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([2, 2]))
{build}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {{x: [[1, 2]]}}))
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("imports", "build", "now"),
    [
        (
            "import tensorflow as tf\nfrom tensorflow.python.framework import ops",
            "ops.reset_default_graph()\ny = tf.matmul(x, w)",
            "return tf.matmul(x, w)",
        ),
        (
            "import tensorflow as tf\nfrom tensorflow.python.ops import math_ops as m, nn_ops",
            "y = nn_ops.relu(m.matmul(x, w))",
            "return tf.nn.relu(tf.matmul(x, w))",
        ),
        (
            "import tensorflow as tf\nimport tensorflow.python.ops.array_ops as a",
            "y = a.squeeze(tf.matmul(x, w))",
            "return tf.squeeze(tf.matmul(x, w))",
        ),
        (
            "import tensorflow as tf\n"
            "from tensorflow.python.ops.nn import relu, elu\n"
            "from tensorflow.python.ops.nn import relu",
            "y = relu(elu(tf.matmul(x, w)))",
            "return tf.nn.relu(tf.nn.elu(tf.matmul(x, w)))",
        ),
        ("import tensorflow as tf", "y = tf.mul(x, w)", "return tf.multiply(x, w)"),
        ("import tensorflow as tf", "y = tf.concat(1, [x, x])", "return tf.concat("),
    ],
)
def test_other_spellings_become_those_of_1_15_before_they_are_followed(
    imports: str, build: str, now: str
) -> None:
    result = upgrade(PROGRAM.format(imports=imports, build=build))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert now in text
    assert "python" not in text
    assert "import tensorflow as tf\n" in text


def test_the_import_by_which_all_is_called_stays() -> None:
    source = "import tensorflow as tf\ny = tf.python.ops.math_ops.sigmoid(1.0)\n"
    document = read("program.py", source.encode())
    new = renamed(document, names_of(document))
    assert new is not None
    assert new.text == "import tensorflow as tf\ny = tf.sigmoid(1.0)\n"


def test_where_tf_is_another_name_nothing_is_renamed() -> None:
    source = PROGRAM.format(
        imports="import tensorflow as tf\nfrom tensorflow.python.ops import math_ops",
        build="def f(tf):\n    return math_ops.square(tf)\n\n\ny = f(x)",
    )
    result = upgrade(source)
    assert result.after is not None
    assert "math_ops.square(tf)" in result.after.decode()


READING = """\
import tensorflow as tf


def load(mode):
    {doc}from tensorflow.examples.tutorials.mnist import input_data
    mnist = input_data.read_data_sets("data", one_hot=True)
    return getattr(mnist, mode).images


x = tf.placeholder(tf.float32, [None, 784])
y = tf.reduce_sum(x)
with tf.Session() as sess:
    print(sess.run(y, {{x: load("train")}}))
"""


def test_a_reader_that_a_function_imports_is_defined_above() -> None:
    result = upgrade(READING.format(doc=""))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "tutorials.mnist" not in text
    assert 'mnist = read_data_sets("data", one_hot=True)' in text


@pytest.mark.parametrize("kind", ["uint8", "float32"])
def test_a_reader_that_is_told_a_type_gives_images_of_it(kind: str) -> None:
    result = upgrade(READING.format(doc="").replace("one_hot", f"dtype=tf.{kind}, one_hot"))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert f'mnist = read_data_sets("data", dtype=np.{kind}, one_hot=True)' in text
    assert "def read_data_sets(train_dir, one_hot=False, dtype=np.float32, reshape=True,\n" in text
    assert "        if dtype == np.float32:\n            images = images.astype(np.float32)" in text


def test_a_reader_that_is_told_where_files_are_to_be_had_fetches_them() -> None:
    given = "one_hot=True, source_url='http://x.org/'"
    result = upgrade(READING.format(doc="").replace("one_hot=True", given))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert f'mnist = read_data_sets("data", {given})' in text
    assert "import urllib.request\n" in text
    assert "            urllib.request.urlretrieve(source_url + name, path)\n" in text
    assert "seed=None, source_url=None):\n" in text


@pytest.mark.parametrize("given", ["seed=tf.zeros([])", "source_url=tf.zeros([])"])
def test_what_else_a_reader_is_told_keeps_the_session(given: str) -> None:
    source = READING.format(doc="").replace("one_hot=True", given)
    assert upgrade(source).level is Level.COMPAT


@pytest.mark.parametrize("given", ["dtype=kinds[0]", "dtype=tf.float64", "dtype='uint8'"])
def test_a_type_that_the_reader_does_not_have_or_that_is_not_seen_keeps_the_session(
    given: str,
) -> None:
    source = READING.format(doc="").replace("one_hot", f"{given}, one_hot")
    assert (
        upgrade(source.replace("\n\ndef", "\nkinds = [tf.uint8]\n\ndef", 1)).level is Level.COMPAT
    )


def test_a_reader_whose_name_is_something_else_elsewhere_stays() -> None:
    source = READING.format(doc="").replace("x = tf.pl", "input_data = 3\nx = tf.pl")
    assert upgrade(source).level is Level.COMPAT


def test_what_the_shim_was_given_to_is_not_converted_by_a_second_upgrade() -> None:
    source = PROGRAM.format(
        imports="import tensorflow as tf\nfrom tensorflow.contrib import learn",
        build="words = learn.preprocessing.ByteProcessor(3)\ny = tf.matmul(x, w)",
    )
    first = upgrade(source)
    assert first.level is Level.COMPAT
    assert first.after is not None
    second = upgrade(first.after.decode())
    assert second.after in (None, first.after)
    assert any("needs migrate.estimator_shim" in f.message for f in second.left)


def test_what_imports_the_shim_by_its_name_is_not_converted_by_a_second_upgrade() -> None:
    first = upgrade(
        "import tensorflow as tf\n\n\ndef weights(size):\n"
        "    init = tf.contrib.layers.xavier_initializer()\n"
        '    return tf.get_variable("w", [size, size], initializer=init)\n\n\n'
        "with tf.Session() as sess:\n    print(sess.run(tf.nn.l2_loss(tf.constant([1.0, 2.0]))))\n"
    )
    assert first.level is Level.COMPAT
    assert first.after is not None
    assert b"from migrate import tf1_shim\n" in first.after
    second = upgrade(first.after.decode())
    assert second.after in (None, first.after)
    assert any("needs migrate.tf1_shim" in f.message for f in second.left)


def test_a_file_that_imports_only_parts_of_tensorflow_gets_an_import_of_it() -> None:
    helper = b"""\
import os
from tensorflow.python.platform import gfile


def make(folder):
    if not gfile.Exists(folder):
        gfile.MakeDirs(folder)
"""
    main = b"""\
import tensorflow as tf
from helper import make

make("out")
x = tf.placeholder(tf.float32, [None])
y = x * 2
with tf.Session() as sess:
    print(sess.run(y, {x: [1.0]}))
"""
    found = {r.path: r for r in texts({"helper.py": helper, "main.py": main}, Options())}
    assert {r.level for r in found.values()} == {Level.NATIVE}
    after = found["helper.py"].after
    assert after is not None
    assert after.startswith(b"import os\nimport tensorflow as tf\n\n\ndef make(folder):\n")
    assert b"    if not tf.io.gfile.exists(folder):\n" in after


BRANCH = """\
import sys
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 784])
if len(sys.argv) > 1:
    from tensorflow.examples.tutorials.mnist import input_data
    batch = input_data.read_data_sets("data").train.next_batch(3)[0]
else:
    batch = np.ones([3, 784])
with tf.Session() as sess:
    print(sess.run(tf.reduce_sum(x, 1), {x: batch}))
"""


def test_a_reader_that_a_branch_imports() -> None:
    result = upgrade(BRANCH)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "tutorials" not in text
    assert 'if len(sys.argv) > 1:\n    batch = read_data_sets("data").train.next_batch' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if len(sys.argv) > 1:", "try:"),
        ("if len(sys.argv) > 1:", "for _ in range(1):"),
        ("\n    batch = input_data", "\n    pass\nif len(sys.argv) > 2:\n    batch = other_data"),
    ],
)
def test_a_reader_that_is_imported_otherwise_keeps_the_session(old: str, new: str) -> None:
    source = BRANCH.replace(old, new)
    source = source.replace("else:", "except ImportError:") if new == "try:" else source
    if "other" in new:
        source = source.replace("    pass\n", "").replace("other_data", "input_data")
    assert upgrade(source).level is Level.COMPAT
