"""The package as others see it: lists of names, lazy imports, messages."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .shim_runs import ROOT, tf2_python

SHIM = ROOT / "migrate" / "tf1_shim"

MODULES = sorted(
    path
    for path in SHIM.rglob("*.py")
    if not any(part.startswith("_") and part != "__init__.py" for part in path.parts)
)


def listed(path: Path) -> list[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise AssertionError(f"{path} has no literal __all__")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SHIM)))
def test_public_modules_list_their_names(path: Path) -> None:
    names = listed(path)
    # Ruff keeps them in order.
    assert len(names) == len(set(names))


def test_importing_the_package_imports_no_tensorflow() -> None:
    code = (
        "import sys, migrate.tf1_shim, migrate.tf1_shim.contrib, migrate.tf1_shim.nn;"
        "assert not {'tensorflow', 'numpy', 'libcst'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.tf2
def test_listed_names_exist_and_missing_ones_explain() -> None:
    lines = ["import importlib", "import tensorflow.compat.v1 as tf", "tf.disable_v2_behavior()"]
    for path in MODULES:
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        lines += [
            f"m = importlib.import_module({name!r})",
            f"for n in {listed(path)!r}:",
            "    getattr(m, n)",
            "try:",
            "    m.nothing_of_that_name",
            "except AttributeError as error:",
            "    assert 'nothing_of_that_name' in str(error), error",
            "else:",
            "    raise AssertionError(m)",
        ]
    lines += [
        "from migrate import tf1_shim",
        "try:",
        "    tf1_shim.contrib.layers.scattered_embedding_column",
        "except AttributeError as error:",
        "    assert 'embedding_column' in str(error), error",
    ]
    subprocess.run(
        [tf2_python(), "-W", "ignore", "-c", "\n".join(lines)],
        check=True,
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )


EAGER = """
import copy
import numpy as np
import tensorflow.compat.v1 as tf
from migrate import tf1_shim
tf.enable_eager_execution()
layer = tf1_shim.layers.Dense(3, kernel_regularizer=tf.nn.l2_loss, name="fc")
x = tf.ones([2, 4])
with tf.GradientTape() as tape:
    y = layer(x)
    loss = tf.reduce_sum(y) + layer.losses[0]
assert [v.name for v in layer.variables] == ["fc/kernel:0", "fc/bias:0"], layer.variables
gradient = tape.gradient(loss, layer.trainable_variables)[0]
assert np.allclose(gradient.numpy(), 2 + layer.kernel.numpy())
norm = tf1_shim.layers.BatchNormalization()
norm(x * 3.0, training=True)
assert np.allclose(norm.moving_mean.numpy(), 0.03), norm.moving_mean
cell = tf1_shim.nn.rnn_cell.BasicLSTMCell(5)
out, state = cell(x, cell.zero_state(2, tf.float32))
assert out.shape == (2, 5) and len(cell.trainable_variables) == 2
tf.train.Checkpoint(layer=layer, cell=cell).save("eager/ckpt")
"""


@pytest.mark.tf2
def test_layers_run_eagerly(tmp_path: Path) -> None:
    subprocess.run(
        [tf2_python(), "-W", "ignore", "-c", EAGER],
        check=True,
        cwd=tmp_path,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)},
    )


def test_private_modules_are_reached_through_the_package() -> None:
    code = (
        "import sys; from migrate import tf1_shim; tf1_shim.private;"
        "assert 'tensorflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
