"""An object of the host that changes after the graph was built: TF 1 had read it before."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = "import numpy as np\nimport tensorflow as tf\n\nx = tf.placeholder(tf.float32)\n"
RUN = "sess = tf.Session()\nprint(sess.run(y, {x: 1.0}))\n"


def reason(source: str) -> str:
    """Why a program keeps its session; nothing where it doesn't."""
    (result,) = texts({"a.py": (HEAD + source).encode()}, Options())
    return next((f.message for f in result.left if f.rule == "TFM420"), "")


@pytest.mark.parametrize(
    ("build", "change"),
    [
        ("k = {'a': 2.0}\ny = x * k['a']\n", "k['a'] = 5.0\n"),
        ("k = {'a': 2.0}\ny = x * k['a']\n", "k.update(a=5.0)\n"),
        ("k = [2.0]\ny = x * sum(k)\n", "k.append(5.0)\n"),
        ("k = np.ones(3)\ny = x * k\n", "k[0] = 5.0\n"),
        ("k = np.arange(3.0)\ny = x * k\n", "np.random.shuffle(k)\n"),
        ("class C: a = 2.0\nk = C()\ny = x * k.a\n", "k.a = 5.0\n"),
    ],
)
def test_a_change_after_the_graph_was_built(build: str, change: str) -> None:
    assert "`k`, which a function would read, changes in place" in reason(build + change + RUN)
    assert reason(build + RUN) == ""


def test_a_change_before_it_was_built() -> None:
    assert reason("k = []\nk.append(2.0)\ny = x * sum(k)\n" + RUN) == ""


def test_a_function_that_may_be_called_at_any_time() -> None:
    helper = "k = [0.0]\n\n\ndef count():\n    k[0] += 1\n    return k[0]\n\n\n"
    assert "changes in place" in reason(helper + "y = x * k[0]\ncount()\n" + RUN)
    own = "k = [0.0]\n\n\ndef other():\n    k = {}\n    k['a'] = 1\n    return k\n\n\n"
    assert reason(own + "y = x * k[0]\nother()\n" + RUN) == ""


def test_an_argument_that_its_giver_changes() -> None:
    model = (
        "class Model:\n    def __init__(self, cfg):\n"
        "        self.x = tf.placeholder(tf.float32)\n        self.y = self.x * cfg['k']\n\n\n"
        "k = {'k': 2.0}\nmodel = Model(k)\n"
    )
    run = "sess = tf.Session()\nprint(sess.run(model.y, {model.x: 1.0}))\n"
    assert reason(model + run) == ""
    assert "changes in place" in reason(model + "k['k'] = 5.0\n" + run)


def test_calls_of_modules_change_nothing() -> None:
    assert reason("y = tf.add(x, 1.0)\nz = tf.add(y, 2.0)\n" + RUN) == ""


def test_a_loop_over_constants_that_uses_a_feed_belongs_to_the_run() -> None:
    (result,) = texts(
        {
            "a.py": (
                HEAD + "y = tf.while_loop(lambda i: i < x, lambda i: i + 1, [0.0])\n" + RUN
            ).encode()
        },
        Options(),
    )
    assert result.after is not None
    assert "def compute_y(x):" in result.after.decode()
