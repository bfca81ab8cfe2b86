"""The xla column: steps compile and give the same numbers; what XLA lacks is named."""

from __future__ import annotations

import pytest
from device_programs import FIT, LOOP, NAMED, SESSION, Taker, program

from migrate.parity.devices import ops, xla
from migrate.parity.devices.steps import Steps
from migrate.parity.tolerances import Tolerances
from migrate.parity.verdict import AGREE, DIFFER, NOT_RUN, Result, decide_device


def judged(steps: Steps) -> Result:
    result = Result("program", "before.py", "after.py", "xla")
    xla.add(result, [steps], Tolerances())
    decide_device(result)
    return result


@pytest.mark.tf2
def test_a_step_of_tf_function_agrees(good: Steps) -> None:
    result = judged(good)
    assert result.verdict == AGREE, result.reason
    assert [function["name"] for function in good.training] == ["train_step"]
    assert len(good.calls) == 6
    # The dropout mask is an argument: XLA would draw another.
    assert good.record["draws"]


@pytest.mark.tf2
def test_a_step_of_a_session_agrees(session_steps: Steps) -> None:
    result = judged(session_steps)
    assert result.verdict == AGREE, result.reason
    assert len(session_steps.calls) == 6
    losses = [call["jit"]["losses"][0] for call in session_steps.calls]
    assert len(losses) == 6
    assert len(set(losses)) == 6


@pytest.mark.tf2
def test_a_variable_fetched_by_its_name_is_read(taker: Taker) -> None:
    """With resource variables ``w:0`` would be a handle."""
    named = taker("named", NAMED)
    assert named.obstacle() == ""
    result = judged(named)
    assert result.verdict == AGREE, result.reason


@pytest.mark.tf2
def test_what_a_session_s_loop_draws_is_not_compared(taker: Taker) -> None:
    """XLA draws other numbers there, and nothing can give it TensorFlow's."""
    text = SESSION.replace(
        "tf.nn.dropout(x, rate=0.25)",
        "tf.while_loop(lambda i, a: i < 2, lambda i, a: [i + 1, tf.nn.dropout(a, rate=0.25)], "
        "[0, x], maximum_iterations=2)[1]",
    )
    assert text != SESSION
    result = judged(taker("loop", text))
    assert result.verdict == NOT_RUN
    assert "draws random numbers where they can't be given to it" in result.reason


@pytest.mark.tf2
def test_a_finished_graph_with_a_branch_agrees(taker: Taker) -> None:
    """As a Supervisor leaves it; the branch's gradient compiles as it is traced for XLA alone."""
    text = SESSION.replace(
        "- 1.0))", "- tf.cond(x[0, 0] < 0, lambda: tf.sin(w[0]), lambda: w[0])))"
    )
    text = text.replace("    for _ in", "    session.graph.finalize()\n    for _ in")
    assert "finalize" in text
    assert "tf.cond" in text
    result = judged(taker("finished", text))
    assert result.verdict == AGREE, result.reason


@pytest.mark.tf2
def test_an_optimizer_s_slots_are_variables_of_the_step(taker: Taker) -> None:
    """The step only updates them, and TensorFlow doesn't list what isn't read."""
    made = "optimizer = tf.compat.v1.train.AdamOptimizer(0.1)"
    applied = "optimizer.apply_gradients([(tape.gradient(loss, w), w)])"
    text = program().replace("w.assign_sub(0.1 * tape.gradient(loss, w))", applied)
    text = text.replace("@tf.function", f"{made}\n\n\n@tf.function")
    steps = taker("slots", text)
    assert judged(steps).verdict == AGREE, steps.obstacle()
    assert {"w/Adam", "w/Adam_1"} <= set(steps.record["variables"])


@pytest.mark.tf2
def test_what_xla_lacks_is_named_with_its_line_and_rewrite(lacking: Steps) -> None:
    result = judged(lacking)
    assert result.verdict == NOT_RUN
    assert "SegmentSum" in result.reason
    assert "lacking.py:14: `loss += tf.math.segment_sum(y[:, 0], [0] * 8)[0]`" in result.reason
    assert "unsorted_segment_sum" in result.reason


@pytest.mark.tf2
def test_a_step_of_keras_s_fit_agrees(taker: Taker) -> None:
    steps = taker("fit", FIT)
    result = judged(steps)
    assert result.verdict == AGREE, result.reason
    assert [function["name"] for function in steps.training] == ["one_step_on_data"]
    assert len(steps.calls) == 6  # 12 rows in batches of 4, twice
    norms = [call["norms"]["sequential/dense/kernel"] for call in steps.calls]
    assert len(set(norms)) == 6


@pytest.mark.tf2
def test_a_step_is_traced_as_xla_has_it_traced(taker: Taker) -> None:
    """The gradient of a loop has lists, that of a branch optional values: XLA takes neither."""
    inside = "    w.assign_sub"
    text = program().replace("y))\n" + inside, "y))\n" + LOOP.replace("    ", "        ") + inside)
    assert text != program()
    result = judged(taker("bounded", text.replace("LENGTH", ", maximum_iterations=8")))
    assert result.verdict == AGREE, result.reason
    result = judged(taker("unbounded", text.replace("LENGTH", "")))
    assert result.verdict == NOT_RUN
    assert "fixed tensor list size" in result.reason
    assert "maximum_iterations" in result.reason
    assert "strings" not in result.reason


@pytest.mark.tf2
@pytest.mark.parametrize("kind", ["outputs", "norms"])
def test_other_numbers_differ(good: Steps, kind: str) -> None:
    """Negative control: one part in ten thousand, at the third step."""
    calls = [dict(call, jit=dict(call["jit"]))
             for call in good.calls]  # fmt: skip
    jit = calls[2]["jit"]
    jit[kind] = [1e-4] if kind == "outputs" else dict.fromkeys(jit[kind], 1e-4)
    moved = Steps(good.side, good.folder, {**good.record, "calls": calls})
    result = judged(moved)
    assert result.verdict == DIFFER
    assert result.first_step == 2


@pytest.mark.parametrize(
    ("op", "word"),
    [
        ("PyFunc", "input pipeline"),
        ("ResourceSparseApplyFtrl", "dense"),
        ("StringSplitV2", "no strings"),
        ("WriteScalarSummary", "outside"),
        ("NeverHeardOf", "input pipeline"),
        ("Identity of strings", "no strings"),
    ],
)
def test_every_operation_has_a_rewrite(op: str, word: str) -> None:
    assert word in ops.rewrite(op)


@pytest.mark.tf2
def test_variables_without_a_name_have_the_same_one_in_every_run(taker: Taker) -> None:
    """A result of another machine tells its variables apart by them."""
    made = "\n".join(f"w{size} = tf.Variable(tf.zeros([{size}]))" for size in range(2, 9))
    extra = "; ".join(f"w{size}.assign_add(tf.ones([{size}]))" for size in range(8, 1, -1))
    text = program(extra=extra).replace('name="w")', f'name="w")\n{made}')
    found = taker("nameless", text).record["variables"]
    nameless = {name: item["shape"] for name, item in found.items() if name != "w"}
    expected = ["Variable", *(f"Variable_{count}" for count in range(1, 7))]
    assert nameless == {name: [size] for size, name in enumerate(expected, start=2)}
