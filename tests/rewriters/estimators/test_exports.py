"""Exports of Estimators: what `--to keras` makes of them, and what keeps them on the shim."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

KERAS = Path(__file__).parents[3] / "fixtures" / "keras"
PROGRAMS = {
    name: (KERAS / name / "before.py").read_text(encoding="utf-8")
    for name in ("exports", "final_exporter", "exporters", "made_receivers", "served_received")
}
TWO = "'x': tf.placeholder(tf.float32, [None, 3])"


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("exports", "    return tf.estimator.export.S", "    inputs['x'] = tf.abs(inputs['x'])\n"
         "    return tf.estimator.export.S", "computed of what"),
        ("exports", "PredictOutput(", "RegressionOutput(", "more than predictions"),
        ("exports", "PredictOutput(predictions)", "PredictOutput(2. * output)",
         "more than predictions"),
        ("exports", "PredictOutput(predictions)", "PredictOutput({'a': output, 'b': hidden})",
         "more than predictions"),
        ("exports", "PredictOutput(predictions)", "PredictOutput({**predictions})",
         "more than predictions"),
        ("exports", "'regress': tf.estimator.export.PredictOutput(predictions)",
         "'serving_default': tf.estimator.export.PredictOutput(predictions), "
         "'one': tf.estimator.export.PredictOutput(output)", "more than predictions"),
        ("exports", "'regress': tf.estimator.export.PredictOutput(predictions)",
         "'a': tf.estimator.export.PredictOutput(output), "
         "'b': tf.estimator.export.PredictOutput(output)", "more than predictions"),
        ("exports", "as_text=False", "as_text=True", "`as_text`"),
        ("exports", "as_text=False", "as_text=len(FOLDER) > 3", "`as_text`"),
        ("exports", TWO, "'x': tf.placeholder(tf.float32, list((8, 3)))", "shape isn't seen"),
        ("exports", TWO, "'x': tf.constant(0.5)", "shape isn't seen"),
        ("exports", TWO, "'x': tf.constant(points[:1], shape=[1, 3])", "dtype isn't seen"),
        ("exports", TWO, "'x': tf.zeros([1, 3])", "no placeholder"),
        ("exports", "[None, 3], name='points')", "None)", "without a shape"),
        ("final_exporter", "tf.estimator.FinalExporter(", "Own(", "isn't TensorFlow's"),
        ("final_exporter", ", max_steps=20", "", "which never exports"),
        ("exporters", "compare_fn=is_nearer", "compare_fn=is_nearer, event_file_pattern=folder",
         "this `event_file_pattern`"),
        ("exporters", "exports_to_keep=2", "exports_to_keep=2, as_text=True", "`as_text`"),
        ("exporters", "steps=None, exp", "steps=None, name=folder, exp", "whose name isn't seen"),
        ("served_received", "    return tf.estimator.export.ServingInputReceiver(\n        f",
         "    inputs['x'] = 1\n    return tf.estimator.export.ServingInputReceiver(\n"
         "        f", "is changed"),
        ("served_received", "features=process_features(features)",
         "features=process_features(inputs)", "may be changed here"),
        ("served_received", "    features.pop('paid')", "    table = tf.contrib.lookup."
         "index_table_from_tensor(['a'])", "tf.contrib.lookup"),
        ("served_received", "    features = parse_csv(csv_row)\n",
         "    features = parse_csv(csv_row)\n    other = tf.placeholder(tf.float32, [None])\n",
         "between placeholders"),
        ("served_received", "SERVING_FUNCTIONS[kind]", "SERVING_FUNCTIONS.get(kind)", "isn't seen"),
        ("final_exporter", "(model_fn, folder)", "(model_fn)", "without a `model_dir`"),
    ],
)  # fmt: skip
def test_what_keeps_an_export_is_named(name: str, old: str, new: str, reason: str) -> None:
    assert old in PROGRAMS[name]
    assert reason in stopped(PROGRAMS[name].replace(old, new))[1]


PART = "PredictOutput(predictions)"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("PredictOutput(output)", '{given}["total"]}'),
        ("PredictOutput({'of': predictions['total']})", '{"of": {given}["total"]}'),
        (
            "PredictOutput(outputs={'a': output, 'b': predictions['rounded']})",
            'found = {given}\n        return {"a": found["total"], "b": found["rounded"]}',
        ),
    ],
)
def test_some_of_the_predictions_are_exported(given: str, said: str) -> None:
    new = after(PROGRAMS["exports"].replace(PART, given))
    assert said.replace("{given}", "model.predict_step((features,))") in new


def test_what_is_bound_again_isnt_what_is_predicted() -> None:
    program = PROGRAMS["exports"].replace(PART, "PredictOutput(output)")
    line = "    if mode == tf.estimator.ModeKeys.PREDICT:\n"
    assert line in program
    program = program.replace(line, "    output = output + 1.\n" + line)
    assert "bound again" in stopped(program)[1]


RETURNED = "    return tf.estimator.export.S"
ALONE = """def serving_fn():
    row = tf.placeholder(tf.float32, [None, 3])
    return tf.estimator.export.%s(tf.abs(row), row)

"""


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("ServingInputReceiver", 'return {"feature": tf.abs(row)}'),
        ("TensorServingInputReceiver", "return tf.abs(row)"),
    ],
)
def test_one_tensor_has_the_name_that_tf_1_gives_it(kind: str, given: str) -> None:
    program = PROGRAMS["exports"].replace("def show", ALONE % kind + "\n\ndef show")
    program = program.replace("'a'), serving_input_receiver_fn", "'a'), serving_fn")
    new = after(program.partition("raw = ")[0])
    assert "inputs = {\n        'x': tf.TensorSpec([None, 3]" in new  # what nothing reads, too
    assert 'row = received["input"]' in new
    assert given in new
    assert 'return {"input": row}, parse' in new


def test_what_is_received_may_have_another_name() -> None:
    program = PROGRAMS["exports"].replace("Receiver(inputs, inputs)", "Receiver(features, inputs)")
    new = after(program.replace(RETURNED, "    features = inputs\n" + RETURNED))
    assert "    return inputs\n" in new
    assert "features = inputs" not in new


def test_a_best_exporter_that_finds_no_events_begins_with_the_first() -> None:
    program = PROGRAMS["exporters"]
    for new in ("compare_fn=is_nearer, event_file_pattern=None", "compare_fn=is_nearer"):
        text = program.replace("compare_fn=is_nearer", new)
        if "None" not in new:
            text = text.replace("steps=None, exp", "steps=None, name='test', exp")
        assert "json" not in after(text)


def test_files_and_a_checkpoint_go_with_an_export() -> None:
    text = (KERAS / "exported_files" / "before.py").read_text(encoding="utf-8")
    new = after(text)
    assert "serving_input_fn(), assets={'units.txt': units})" in new
    assert "assets={'said/of/units.txt': units}, checkpoint=first)" in new
    assert "tf.io.gfile.copy(source, file, overwrite=True)" in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return _serving_fn\n", "    if number > 3:\n        return _serving_fn\n"),
        ("    return _serving_fn\n", "    return [_serving_fn][0]\n"),
        ("def make_serving_fn", "@functools.lru_cache()\ndef make_serving_fn"),
        ("    def _serving_fn():", "    def _serving_fn(factor=1.0):"),
    ],
)
def test_a_maker_of_receivers_that_does_more(old: str, new: str) -> None:
    program = PROGRAMS["made_receivers"]
    assert old in program
    assert "isn't seen" in stopped(program.replace(old, new).replace("import os", IMPORTS))[1]


IMPORTS = "import functools\nimport os"
