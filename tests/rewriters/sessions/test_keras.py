"""Sessions that Keras is given: they go with what configures them, and what keeps them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = "import numpy as np\nimport tensorflow as tf\n"
MODEL = """\
m = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
m.compile('sgd', 'mse')
m.fit(np.ones((3, 4)), np.ones((3, 1)), verbose=0)
"""
OWN = "from tensorflow.keras import backend as K\n"
CONFIG = "config = tf.ConfigProto()\nconfig.gpu_options.allow_growth = True\n"


def upgrade(*parts: str) -> FileResult:
    (result,) = texts({"program.py": "".join((HEAD, *parts)).encode()}, Options())
    return result


@pytest.mark.parametrize(
    "parts",
    [
        (OWN, CONFIG, "K.set_session(tf.Session(config=config))\n"),
        (OWN, CONFIG, "sess = tf.Session(config=config)\nK.set_session(sess)\n"),
        (CONFIG, "tf.keras.backend.set_session(tf.Session(config=config))\n"),
        (
            OWN,
            "options = tf.GPUOptions(allow_growth=True)\n",
            "K.set_session(tf.Session(config=tf.ConfigProto(gpu_options=options)))\n",
        ),
        (
            OWN,
            "def limit():\n    '''Takes no more than it needs.'''\n    config = tf.ConfigProto()\n",
            "    config.gpu_options.allow_growth = True\n",
            "    K.set_session(tf.Session(config=config))\n\n\nlimit()\n",
        ),
        (
            "from keras.backend.tensorflow_backend import set_session\n",
            "set_session(tf.Session())\n",
        ),
        ("import keras\n", "keras.backend.set_session(tf.Session())\n"),
    ],
)
def test_a_session_that_only_keras_has_goes(parts: tuple[str, ...]) -> None:
    result = upgrade(*parts, MODEL)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert text.removesuffix(MODEL).split() in (
        HEAD.split(),
        [*HEAD.split(), "import", "keras"],
    )
    told = [f.message for f in result.fixed if "Keras's session goes" in f.message]
    assert told
    growth = "allow_growth" in "".join(parts)
    assert ("set_memory_growth" in told[0]) == growth
    assert ("`keras` itself" in told[0]) == ("tensorflow.keras" not in parts[0] and not growth)


@pytest.mark.parametrize(
    "parts",
    [
        (OWN, "sess = tf.Session()\nK.set_session(sess)\nprint(sess.graph)\n"),
        (OWN, "K.set_session(tf.Session('grpc://host'))\n"),
        (OWN, "K.set_session(tf.Session(graph=tf.Graph()))\n"),
        (OWN, CONFIG, "K.set_session(tf.Session(config=config))\nprint(config)\n"),
        (OWN, CONFIG, "K.set_session(tf.Session(config=config))\nsess = K.get_session()\n"),
        (OWN, "with tf.Session() as sess:\n    K.set_session(sess)\n    print(1)\n"),
        (OWN, "def limit(sess):\n    K.set_session(sess)\n\n\nlimit(tf.Session())\n"),
        (OWN, "if len(HEAD):\n    K.set_session(tf.Session())\n"),
    ],
)
def test_one_that_is_used_stays(parts: tuple[str, ...]) -> None:
    assert upgrade(*parts, MODEL).level is Level.COMPAT


@pytest.mark.parametrize(
    "reset",
    [
        "tf.reset_default_graph()",
        "from tensorflow.python.framework import ops\nops.reset_default_graph()",
    ],
)
def test_a_graph_that_is_only_reset_makes_no_graph_program(reset: str) -> None:
    """Under v2 behaviour switched off Keras 3 couldn't train."""
    text = (
        f"import numpy as np\nimport tensorflow as tf\n{reset}\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(3)])\n"
        "model.compile(optimizer=tf.train.AdamOptimizer(0.001), loss='mse')\n"
        "model.fit(np.ones((3, 2)), np.ones((3, 3)))\n"
    )
    (result,) = texts({"case.py": text.encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    assert "disable_v2_behavior" not in result.after.decode()
    assert "tf.keras.optimizers.Adam(" in result.after.decode()
