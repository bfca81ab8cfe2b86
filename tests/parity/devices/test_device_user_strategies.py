"""The mirrored, workers and servers columns: a program of Estimators on two replicas."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from migrate.parity.devices import strategies
from migrate.parity.environment import find_tf2
from migrate.parity.errors import ParityError
from migrate.parity.harness import Options, Program
from migrate.parity.isolation import Limits
from migrate.parity.verdict import AGREE, DIFFER, NOT_RUN, Result

many_processes = pytest.mark.skipif(
    importlib.util.find_spec("libtpu") is None,
    reason="up to six processes with TensorFlow: run where the extra `tpu` is installed",
)
ESTIMATOR = """\
import numpy as np
import tensorflow.compat.v1 as tf
from migrate import estimator_shim as estimator


def input_fn():
    x = np.random.RandomState(3).randn(40, 5).astype(np.float32)
    y = (x.sum(1, keepdims=True) > 0).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).shuffle(40).repeat().batch(8)


def model_fn(features, labels, mode, params):
    hidden = tf.tanh(tf.matmul(features["x"], tf.get_variable("w", [5, 6])))
    logits = tf.matmul(hidden, tf.get_variable("v", [6, 1]))
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    optimizer = tf.train.AdamOptimizer(0.01)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


config = estimator.RunConfig("/nonexistent/model")
model = estimator.Estimator(model_fn, config=config, params={})
train = estimator.TrainSpec(input_fn, max_steps=7)
estimator.train_and_evaluate(model, train, estimator.EvalSpec(input_fn, steps=1))
"""
Verify = Callable[..., Result]


@pytest.fixture(scope="module")
def verify(tmp_path_factory: pytest.TempPathFactory) -> Verify:
    """Runs a program under strategies; each text alone once."""
    known: dict[str, strategies.Runs] = {}
    try:
        python = find_tf2().path
    except ParityError as error:
        pytest.skip(str(error))

    def run(mode: str, text: str = ESTIMATOR) -> Result:
        if text not in known:
            folder = tmp_path_factory.mktemp("program")
            (folder / "train.py").write_text(text, encoding="utf-8")
            options = replace(Options(), limits=Limits(400.0))
            known[text] = strategies.Runs(
                Program(str(folder / "train.py")), python, tmp_path_factory.mktemp("runs"), options
            )
        return strategies.verify(mode, known[text], Result("p", "", "", mode), lambda text: None)

    return run


@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize(
    "mode",
    ["mirrored", *(pytest.param(mode, marks=many_processes) for mode in ("workers", "servers"))],
)
def test_a_program_of_estimators_trains_as_on_one_device(mode: str, verify: Verify) -> None:
    found = verify(mode)
    assert found.verdict == AGREE, found.reason
    assert strategies.WHAT[mode] in found.reason
    losses, checkpoint = found.rungs
    assert losses.compared == (4 if mode == "servers" else 7)
    assert checkpoint.compared > 100  # with the optimizer's slots


@pytest.mark.tf2
@pytest.mark.slow
@many_processes
def test_a_loss_that_is_a_sum_of_its_own_differs(verify: Verify) -> None:
    """The negative control: the optimizer takes the mean of the replicas' sums, as in TF 1."""
    mean = "tf.losses.sigmoid_cross_entropy(labels, logits)"
    raw = "tf.reduce_sum(tf.square(logits - labels))"
    found = verify("mirrored", ESTIMATOR.replace(mean, raw).replace("AdamO", "GradientDescentO"))
    assert found.verdict == DIFFER
    assert found.first_step == 0


@pytest.mark.tf2
@pytest.mark.slow
@many_processes
@pytest.mark.parametrize(
    ("mode", "old", "new", "words"),
    [
        ("mirrored", "hidden = ", "hidden = tf.nn.dropout(features['x'], 0.5)[:, :1] + ",
         "draws random numbers (StatelessRandomUniform)"),
        ("mirrored", "batch(8)", "batch(7)", "not divisible by the number of replicas"),
        ("mirrored", '"/nonexistent/model"', "train_distribute=tf.distribute.OneDeviceStrategy("
         "'/cpu:0')", "chooses a strategy itself"),
        ("workers", "estimator.train_and_evaluate(model, train,",
         "model.train(input_fn, steps=2)\nprint(", "needs train_and_evaluate"),
    ],
)  # fmt: skip
def test_what_has_no_place_for_a_strategy_says_so(
    mode: str, old: str, new: str, words: str, verify: Verify
) -> None:
    assert old in ESTIMATOR
    found = verify(mode, ESTIMATOR.replace(old, new))
    assert words in found.reason
    assert found.verdict == NOT_RUN


def test_other_programs_are_not_run(tmp_path: Path) -> None:
    path = tmp_path / "step.py"
    path.write_text("import tensorflow as tf\ntf.function(print)()\n", encoding="utf-8")
    assert "no Estimator of the shim" in strategies.obstacle(Program(str(path)))
    for line in ("import migrate.estimator_shim", "from migrate import estimator_shim as e",
                 "from migrate.estimator_shim import RunConfig"):  # fmt: skip
        path.write_text(line, encoding="utf-8")
        assert strategies.obstacle(Program(str(path))) == ""


def ran(losses: list[float], weight: float, replicas: int = 2) -> strategies.Ran:
    training = {"replicas": replicas, "servers": 0, "ops": [], "batch_norm": False}
    arrays = {"0//losses": np.array(losses), "0/w": np.array([weight, 1.0])}
    return strategies.Ran(trainings=[training], arrays=arrays)


@pytest.mark.parametrize(
    ("other", "verdict", "words"),
    [
        (ran([3.0, 2.0], 0.5), AGREE, "4 values"),
        (ran([3.0, 2.001], 0.5), DIFFER, "losses"),
        (ran([3.0], 0.5), DIFFER, "(2,) against (1,)"),
        (ran([3.0, 2.0], 0.6), DIFFER, "checkpoint: w differs by 0.1"),
        (ran([3.0, 2.0], 0.5, replicas=1), DIFFER, "was not taken by the program"),
        (ran([3.0, float("nan")], 0.5), DIFFER, "losses"),
    ],
)
def test_how_runs_are_judged(other: strategies.Ran, verdict: str, words: str) -> None:
    alone = ran([3.0, 2.0], 0.5, replicas=1)
    found = strategies.judge(Result("p", "", ""), "mirrored", alone, other, [], 1e-5)
    assert found.verdict == verdict
    assert words in found.reason
    if other.values(0)["/losses"].shape == (2,) and "losses" in words:
        assert found.first_step == 1
    # One ulp that does as much would excuse it, what was not saved or not taken it wouldn't.
    moved = strategies.judge(Result("p", "", ""), "mirrored", alone, other, [other], 1e-5)
    assert (moved.verdict == AGREE) == (
        other.trainings[0]["replicas"] == 2 and bool(np.isfinite(other.values(0)["/losses"]).all())
        and len(other.values(0)["/losses"]) == 2
    )  # fmt: skip
