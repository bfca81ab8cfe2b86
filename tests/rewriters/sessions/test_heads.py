"""What a module is given besides stands below the imports that it begins with."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import os
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import tensorflow as tf

try:
    import cPickle as pickle
except ImportError:
    import pickle
from tensorflow.examples.tutorials.mnist import input_data
import numpy as np

mnist = input_data.read_data_sets("data")
x = tf.placeholder(tf.float32, [None, 784])
y = tf.reduce_sum(x)
with tf.Session() as sess:
    print(sess.run(y, {x: mnist.train.next_batch(3)[0]}))
"""


def test_settings_may_stand_among_the_imports() -> None:
    text = after(PROGRAM)
    assert text.count("import os\n") == text.count("import numpy as np\n") == 1
    assert "    import pickle\nimport numpy as np\nimport gzip\nfrom types " in text


def test_what_uses_the_definitions_stands_below_them() -> None:
    early = "from tensorflow.examples.tutorials.mnist import input_data\nimport numpy as np\n"
    data = 'mnist = input_data.read_data_sets("data")\n'
    late = early.splitlines(keepends=True)
    text = after(PROGRAM.replace(f"\n{data}", "").replace(early, f"{late[0]}{data}{late[1]}"))
    assert text.index("def read_data_sets(") < text.index("mnist = read_data_sets(")
    assert text.index("mnist = read_data_sets(") < text.index("import numpy as np\nx = ")
