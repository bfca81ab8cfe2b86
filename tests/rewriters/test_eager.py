"""Eager programs of several files, and what options do to names that go."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

MAIN = """\
import tensorflow as tf

import train

tf.enable_eager_execution()
print(train.step())
"""
TRAIN = """\
import tensorflow as tf

tfe = tf.contrib.eager


def step():
    v = tfe.Variable(1.0)
    optimizer = tf.train.AdamOptimizer(0.1)
    optimizer.minimize(lambda: v * v, global_step=tf.train.get_or_create_global_step())
    dataset = tf.data.Dataset.range(3)
    return v, dataset.make_one_shot_iterator().get_next()
"""


def run(sources: dict[str, str], **options: object) -> dict[str, tuple[str, str]]:
    found = {}
    data = {path: text.encode() for path, text in sources.items()}
    for result in texts(data, Options(**options)):  # type: ignore[arg-type]
        assert result.status != "failed", result.reason
        text = sources[result.path] if result.after is None else result.after.decode()
        found[result.path] = (text, result.level.value if result.level else "")
    return found


def test_a_file_that_another_makes_eager() -> None:
    found = run({"main.py": MAIN, "train.py": TRAIN})
    assert {level for _, level in found.values()} == {"native"}
    text = found["train.py"][0]
    assert "contrib" not in text
    assert "tf.compat.v1.train.AdamOptimizer(0.1)" in text
    assert "iter(dataset).get_next()" in text


def test_the_same_file_without_it_keeps_its_graph() -> None:
    assert run({"train.py": TRAIN})["train.py"][1] == "compat"


def test_a_session_somewhere_keeps_the_program_from_native() -> None:
    session = TRAIN + "\n\ndef other():\n    return tf.Session()\n"
    found = run({"main.py": MAIN, "train.py": session})
    assert {level for _, level in found.values()} == {"compat"}


@pytest.mark.parametrize("ignored", ["TFM201", "TFM410"])
def test_a_name_stays_while_one_use_does(ignored: str) -> None:
    text = "import tensorflow as tf\n\ntfe = tf.contrib.eager\ntf.enable_eager_execution()\n"
    text += "v = tfe.Variable(1.0)\nit = tfe.Iterator(v)\n"
    new = run({"a.py": text}, ignore=(ignored,))["a.py"][0]
    assert "tfe = tf.contrib.eager" in new
