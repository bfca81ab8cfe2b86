"""`--to keras`: tests of what asks for weights by name, and of a program's own optimizer."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import Level
from tests.rewriters.estimators.test_named import upgraded

FIXTURE = Path(__file__).parents[3] / "fixtures" / "keras" / "tests_of_models" / "before.py"
PROGRAM = FIXTURE.read_text(encoding="utf-8")
NAMES = "        raise ValueError('%s has %s axes' % (tensor.name, tensor.shape.ndims))\n"
PLAIN = "        raise ValueError('%s axes' % tensor.shape.ndims)\n"


def changed(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_what_needs_no_names_runs_at_once() -> None:
    levels, new, reasons = upgraded({"main.py": changed((NAMES, PLAIN))})
    assert levels == [Level.NATIVE], reasons
    assert (
        "        with Scopes(NamedWeights()):\n"
        "            made = tester.create_encoder()\n"
        "            found = self.evaluate(made)\n"
        "            tester.check(found)\n\n"
        "    def test_same_words(self):\n"
    ) in new["main.py"]
    assert "rows = self.evaluate(first)\n        self.assertAllClose" in new["main.py"]


def test_what_asks_for_the_graph_goes_with_what_only_it_needs() -> None:
    levels, new, reasons = upgraded({"main.py": PROGRAM})
    assert levels == [Level.NATIVE], reasons
    for gone in ("assert_named", "every_part", "sess.", "sess:", "get_operations"):
        assert gone not in new["main.py"], gone
    spared = changed(("tester.check(found)\n", "self.every_part(found)\n"))
    levels, new, reasons = upgraded({"main.py": spared})
    assert "def every_part(self, made):" in new["main.py"], reasons


def test_what_is_said_above_the_first_of_several_that_go() -> None:
    first = "    def assert_named("
    levels, new, reasons = upgraded({"main.py": changed((first, f"    # only the names\n{first}"))})
    assert levels == [Level.NATIVE], reasons
    assert "only the names" not in new["main.py"]


def test_tests_in_files_of_their_own() -> None:
    head, _, rest = PROGRAM.partition("class EncoderTest(")
    tests, _, main = rest.partition("class ShrinkingTest(")
    optimizer, _, main = main.partition("def input_fn(")
    start = "import collections\nimport tensorflow as tf\nimport nets\n\n\n"
    tests = tests.replace("Encoder(ids", "nets.Encoder(ids")
    optimizer = optimizer.replace("Shrinking(learning", "nets.Shrinking(learning")
    main = main[: main.index("    tests =")] + main[main.index("    net = ") :]
    end = "\n\nif __name__ == '__main__':\n    tf.test.main()\n"
    taken = "import tempfile\nimport tensorflow as tf\nfrom nets import model_fn, words, kinds"
    files = {
        "nets.py": head,
        "main.py": f"{taken}\n\n\ndef input_fn({main}",
        "nets_test.py": f"{start}class EncoderTest({tests.rstrip()}{end}",
        "shrinking_test.py": f"{start}class ShrinkingTest({optimizer.rstrip()}{end}",
    }
    levels, new, reasons = upgraded(files)
    assert set(levels) == {Level.NATIVE}, reasons
    assert "with nets.Scopes(weights):\n" in new["nets_test.py"]
    assert "import collections" not in new["nets_test.py"]
    assert "optimizer = nets.Shrinking(learning_rate=0.05)\n" in new["shrinking_test.py"]
    assert "optimizer.apply_gradients(zip(grads, tvars))\n" in new["shrinking_test.py"]


RUN = "            found = sess.run(made)\n"
ROWS = "            rows = sess.run(first)\n"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (RUN, RUN + "            found = sess.run(made)\n", "runs what it makes several times"),
        (RUN, "            found = sess.run(made, {})\n", "several times"),
        (RUN, RUN + "            self.seen = sess\n", "hands on"),
        (RUN, "            found = sess.run([made, init_op])[0]\n", "several times"),
        (ROWS, ROWS + "            print(ids.shape)\n", "asked for their names"),
        (ROWS, ROWS + "            print(first.op)\n", "`.op` in a test"),
        (ROWS, "            first.run()\n" + ROWS, "`.run` in a test"),
        (ROWS, "            tf.placeholder(tf.float32)\n" + ROWS, "tf.placeholder in a test"),
        ("    def test_shapes", "    def other(self, one):\n        return one.create_encoder()\n\n"
         "    def test_shapes", "`Encoder`, which asks for weights, is used elsewhere"),
        ("self.session()", "self.session(use_gpu=True)", "is used elsewhere"),
        ("class EncoderTest(tf.test.TestCase)", "class EncoderTest(object)", "is used elsewhere"),
        ("class ShrinkingTest(tf.test.TestCase)", "class ShrinkingTest(object)",
         "`Shrinking`, an optimizer, is used elsewhere"),
        ("                sess.run(train_op)\n", "                sess.run(train_op)\n"
         "                self.told(sess)\n", "session"),
    ],
)  # fmt: skip
def test_what_keeps_a_test_in_its_session(old: str, new: str, reason: str) -> None:
    levels, _, reasons = upgraded({"main.py": changed((old, new))})
    assert levels == [Level.COMPAT]
    assert reason in reasons
