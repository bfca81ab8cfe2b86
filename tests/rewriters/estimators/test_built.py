"""`--to keras`: functions that make Estimators of the model_fns that they are given."""

from __future__ import annotations

from pathlib import Path

from tests.rewriters.estimators.test_program import after, stopped

BUILT = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "built_by_one" / "before.py"
).read_text(encoding="utf-8")  # fmt: skip


def test_a_function_that_is_given_several_model_fns_is_written_where_it_is_called() -> None:
    new = after(BUILT)
    assert "first = Linear(tempfile.mkdtemp(), every_steps=5)" in new
    assert 'net = build(Deep, tempfile.mkdtemp(), {"units": 4})' in new


def test_where_it_is_called_in_an_expression_it_stays() -> None:
    called = BUILT.replace("    first = build(linear_fn, tempfile.mkdtemp())\n    first.train", (
        "    build(linear_fn, tempfile.mkdtemp()).train"
    ))  # fmt: skip
    line = '    print("loss %.5f" % first.evaluate(input_fn)["loss"])\n'
    assert "the model_fn isn't seen" in stopped(called.replace(line, ""))[1]
