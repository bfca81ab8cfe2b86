"""Methods as model_fns that keep what they compute in their object: other spellings, what stops."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.estimators.test_program import after, stopped

KERAS = Path(__file__).parents[3] / "fixtures" / "keras"
CODE = (KERAS / "self_results" / "before.py").read_text(encoding="utf-8")
MADE = "    classifier = Classifier(8)\n"
START = CODE.index("def main")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The object is asked for it, or goes where that isn't seen.
        ("    net.train(input_fn)\n", "    net.train(input_fn)\n    print(classifier.loss)\n"),
        (MADE, f"{MADE}    print(classifier)\n"),
        (MADE, f"{MADE}    print(getattr(classifier, 'loss'))\n"),
        (MADE, f"{MADE}    others = [Classifier(2)]\n"),
        ("class Classifier:", "class Other:\n    pass\n\n\nclass Classifier(Other):"),
        ("\n\ndef main", "\n\nclass Own(Classifier):\n    pass\n\n\ndef main"),
        # Another method reads it, or calls one.
        ("    def model_fn", "    def told(self):\n        return self.loss\n\n    def model_fn"),
        ("    def model_fn", "    def told(self):\n        self._hidden(1)\n\n    def model_fn"),
        # Methods that can't stand where they are called.
        ("            self._build_metrics()\n", "            self._build_metrics()\n" * 2),
        ("        self._hidden(inputs)", "        tf.identity(self._hidden(inputs))"),
        ("        net = tf.layers.dense(i", "        if not params:\n            return i\n"
         "        net = tf.layers.dense(i"),
        ("        self.metrics = {", "        hidden = 1\n        self.metrics = {"),
        # It may be read before it is set.
        ("        self.mode = mode\n", "        self.mode = mode\n        print(self.loss)\n"),
    ],
)  # fmt: skip
def test_what_keeps_such_a_method_is_seen(old: str, new: str) -> None:
    assert old in CODE or "tf.identity" in new
    text = CODE.replace("hidden = self._hidden(inputs)", "hidden = tf.identity(\n"
                        "            self._hidden(inputs))") if "tf.identity" in new else (
                            CODE.replace(old, new, 1))  # fmt: skip
    assert "the model_fn isn't seen" in stopped(text)[1]


def test_a_name_that_is_taken_is_another() -> None:
    text = CODE.replace("self.classes", "self.inputs")
    assert "own_inputs = tf.argmax(logits, axis=1)" in after(text)


def test_an_argument_that_is_changed_has_a_name() -> None:
    scope = "        with tf.variable_scope('loss'):\n"
    text = CODE.replace(scope, f"        scores = scores * 2.\n{scope}")
    assert "scores = logits\n" in after(text)
    assert "scores = scores * 2." in after(text)


@pytest.mark.parametrize(
    ("imports", "made", "said"),
    [
        ("from net import Classifier", "Classifier(8)", "from net import Classifier, Model\n"),
        ("import net as n", "n.Classifier(8)", "n.Model({'rate': 0.1}, classifier.units)"),
    ],
)
def test_a_class_of_another_file(tmp_path: Path, imports: str, made: str, said: str) -> None:
    head = f"import numpy as np\nimport tensorflow as tf\n\n{imports}\n\n\n"
    files = {
        "net.py": CODE[:START].rstrip() + "\n",
        "program.py": head + CODE[START:].replace("Classifier(8)", made),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    data = {str(tmp_path / name): text.encode() for name, text in files.items()}
    found = {Path(r.path).name: r for r in texts(data, Options(to="keras"))}
    assert {r.level for r in found.values()} == {Level.NATIVE}
    assert said in (found["program.py"].after or b"").decode()
    assert "class Model(tf.keras.Model)" in (found["net.py"].after or b"").decode()


def test_a_file_that_calls_the_class_otherwise(tmp_path: Path) -> None:
    files = {
        "net.py": CODE[:START].rstrip() + "\n",
        "program.py": "import numpy as np\nimport tensorflow as tf\nimport other\n"
        "from net import Classifier\n\n\n" + CODE[START:],
        "other.py": "from net import Classifier as C\n\n\ndef loss():\n    return C(3).loss\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    data = {str(tmp_path / name): text.encode() for name, text in files.items()}
    found = {Path(r.path).name: r for r in texts(data, Options(to="keras"))}
    assert found["program.py"].level is not Level.NATIVE


def test_classes_without_one_above_may_have_methods_of_one_name() -> None:
    start = CODE.index("class Classifier")
    other = CODE[start:START].replace("class Classifier", "class Second")
    other = other.replace("tf.nn.tanh", "tf.nn.relu")
    more = CODE.replace("\n\ndef main", f"\n\n{other.rstrip()}\n\n\ndef main")
    used = "    second = Second(4)\n    again = tf.estimator.Estimator(\n"
    used += "        model_fn=second.model_fn, params={'rate': 0.1})\n    again.train(input_fn)\n"
    found = after(more.replace(MADE, used + MADE))
    assert "activation=tf.nn.relu" in found
    assert "activation=tf.nn.tanh" in found
    assert ".Estimator(" not in found
    unseen = more.replace(MADE, f"{used}    for each in [second]:\n        each._hidden(1)\n{MADE}")
    assert "the model_fn isn't seen" in stopped(unseen)[1]
