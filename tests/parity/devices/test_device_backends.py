"""The jax and torch columns: programs of Keras alone against what TensorFlow 1.15.5 did."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from migrate.parity import bundle
from migrate.parity.config import Comparison
from migrate.parity.devices import backends, keras_draws
from migrate.parity.environment import find_tf2
from migrate.parity.errors import ParityError
from migrate.parity.harness import Harness, Program
from migrate.parity.verdict import AGREE, DIFFER, NOT_RUN, Result

ROOT = Path(__file__).resolve().parents[3] / "fixtures" / "keras_backends"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("keras_backends_record", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


recorder = load(ROOT / "record.py")
NAMES = sorted(recorder.programs())


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    try:
        found = find_tf2()
    except ParityError as error:
        pytest.skip(str(error))
    with Harness(recorder.OPTIONS, tf2=found.path) as made:
        yield made


def result(backend: str, name: str, program: Program, harness: Harness) -> Result:
    item = Comparison(name, None, program, recorder.OPTIONS)
    empty = Result(name, "", "", backend, NOT_RUN, "not reached")
    return backends.verify(backend, bundle.read(ROOT / "golden" / name), item, harness, empty)


@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", "torch"])
@pytest.mark.parametrize("name", NAMES)
def test_a_program_of_keras_agrees(name: str, backend: str, harness: Harness) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed: {backends.INSTALL[backend]}")
    found = result(backend, name, recorder.programs()[name], harness)
    assert found.verdict == AGREE, found.reason
    assert found.device == backend
    losses = found.rung("outputs")
    assert losses is not None
    assert losses.compared > 0


@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_another_learning_rate_differs(backend: str, harness: Harness, tmp_path: Path) -> None:
    """The negative control: one constant, by one part in a hundred."""
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed: {backends.INSTALL[backend]}")
    text = (ROOT / "dense_fit.py").read_text(encoding="utf-8")
    assert text.count("SGD(0.1,") == 1
    changed = tmp_path / "dense_fit.py"
    changed.write_text(text.replace("SGD(0.1,", "SGD(0.101,"), encoding="utf-8")
    found = result(backend, "dense_fit", Program(str(changed)), harness)
    assert found.verdict == DIFFER
    assert "values differ" in found.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import tensorflow as tf\nwith tf.GradientTape() as t:\n    model.fit(x)\n", "p.py:2"),
        ("import tensorflow as tf\ntf.add(1, 2)\n", "does not train by Keras"),
        ("import tensorflow as tf\nmodel.fit(tf.data.Dataset.range(3))\n", ""),
        ("import tensorflow as tf\nmodel.fit(tf.reshape(x, [3]))\n", ""),  # is tried
    ],
)
def test_what_has_no_other_backend_says_why(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text(text, encoding="utf-8")
    # `json` stands for a backend that is installed.
    found = backends.obstacle(Program(str(path)), "json")
    assert reason in found
    assert bool(found) == bool(reason)


@pytest.mark.tf2
@pytest.mark.slow
def test_tensorflow_inside_of_the_step_is_not_run(harness: Harness, tmp_path: Path) -> None:
    """It fails under JAX, and the line that can't work there is named."""
    if importlib.util.find_spec("jax") is None:
        pytest.skip("jax is not installed")
    text = (ROOT / "dense_fit.py").read_text(encoding="utf-8")
    path = tmp_path / "dense_fit.py"
    path.write_text(text.replace("activation='relu'", "activation=tf.nn.relu"), encoding="utf-8")
    found = result("jax", "dense_fit", Program(str(path)), harness)
    assert found.verdict == NOT_RUN
    assert "uses TensorFlow itself (dense_fit.py:" in found.reason
    assert "tf.nn.relu" in found.reason


@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_fit_takes_shuffled_rows_in_1_15_s_order(backend: str, harness: Harness) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed: {backends.INSTALL[backend]}")
    folder = ROOT.parent / "parity"
    program = Program(str(folder / "after" / "keras_fit_native.py"), ("shuffle",))
    item = Comparison("shuffle", None, program, recorder.OPTIONS)
    empty = Result("shuffle", "", "", backend, NOT_RUN, "not reached")
    golden = bundle.read(folder / "golden" / "keras-fit-shuffle")
    found = backends.verify(backend, golden, item, harness, empty)
    assert found.verdict == AGREE, found.reason


def test_the_order_is_what_tensorflow_draws() -> None:
    class Draws:
        def permutation(self, count: int) -> SimpleNamespace:
            return SimpleNamespace(numpy=lambda: np.arange(count, dtype=np.int32)[::-1])

    module = SimpleNamespace(np=np)
    keras_draws.redirect_order(module, Draws(), SimpleNamespace(init_scope=contextlib.nullcontext))
    assert module.np.random.permutation(4).tolist() == [3, 2, 1, 0]
    assert module.np.random.RandomState is np.random.RandomState
    assert module.np.asarray is np.asarray


def test_a_backend_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """But not where it would not help."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    path = tmp_path / "p.py"
    path.write_text("model.fit(x)\n", encoding="utf-8")
    assert "pip install torch" in backends.obstacle(Program(str(path)), "torch")
    path.write_text("session.run(x)\n", encoding="utf-8")
    assert "does not train by Keras" in backends.obstacle(Program(str(path)), "torch")
