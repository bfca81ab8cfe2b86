"""`--to keras`: functions that add metrics and features to an Estimator; names given anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

KERAS = Path(__file__).parents[3] / "fixtures" / "keras"
PROGRAM = (KERAS / "forwarded_by_function" / "before.py").read_text(encoding="utf-8")
ANEW = (KERAS / "inputs_given_anew" / "before.py").read_text(encoding="utf-8")
CHECK = """            for name in ['predict', 'serving_default']:
                if (name in found.export_outputs and
                        isinstance(found.export_outputs[name], tf.estimator.export.PredictOutput)):
                    found.export_outputs[name] = tf.estimator.export.PredictOutput(
                        found.predictions)
"""
WRAPPER = PROGRAM[PROGRAM.index("    settings = net.config") : PROGRAM.index("def main()")]


def changed(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        (WRAPPER, "    return net\n\n\n"),
    ],
)
def test_it_is_said_where_it_is_called(old: str, new: str) -> None:
    text = after(changed(old, new) if old else PROGRAM)
    assert "    # What is served has the key as well.\n    model.forward_features(KEY)\n" in text
    assert "with_key" not in text
    assert "    # All of the houses are known.\n    model = DNNModel(" in text


def test_a_call_that_is_returned() -> None:
    forward = "    net = tf.contrib.estimator.forward_features(net, KEY)\n" + WRAPPER
    new = "    return tf.contrib.estimator.forward_features(net, keys=KEY)\n\n\n"
    assert "    model.forward_features(KEY)\n" in after(changed(forward, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Another signature than the one to predict is written.
        (CHECK, CHECK.replace("name in found.export_outputs and", "True and")),
        (CHECK, CHECK.replace("'serving_default'", "'regression'")),
        ("        return found\n", "        found.export_outputs.clear()\n        return found\n"),
        ("config=settings)\n        if", "config=None)\n        if"),
        # The names mean something else where it is called.
        ("def main():\n", "def main(KEY='size'):\n"),
        # Somebody else calls it.
        ("\n\nmain()\n", "\n\nmain()\nprint(with_key)\n"),
    ],
)
def test_what_does_more_stays(old: str, new: str) -> None:
    stopped(changed(old, new))


def test_names_that_are_given_anew_are_so_still() -> None:
    text = after(ANEW)
    assert text.count("\neval_dataset = ") == 2
    assert text.count("\npredict_dataset = ") == 2
    assert "dataset2" not in text


def test_a_name_that_branches_give_stays() -> None:
    start = ANEW.rindex("eval_input_fn = ")
    old = ANEW[start : ANEW.index("predict_input_fn", start)]
    body = old.replace("\n    x", "\n        x")
    stopped(ANEW.replace(old, f"if len(x) > 3:\n    {body}"))
