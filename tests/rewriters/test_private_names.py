"""Names of TensorFlow's private modules come from where the public twin, or a shim, has them."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = "import tensorflow as tf\n"
SHIM = "tf1_shim."
CASES = [
    # the public twin
    ("tensorflow.contrib.layers.python.layers", "batch_norm", "tf1_shim.contrib.layers.batch_norm"),
    (
        "tensorflow.contrib.layers.python.layers.initializers",
        "xavier_initializer_conv2d",
        "tf1_shim.contrib.layers.xavier_initializer",
    ),
    (
        "tensorflow.contrib.rnn.python.ops.rnn",
        "stack_bidirectional_dynamic_rnn",
        "tf1_shim.contrib.rnn.stack_bidirectional_dynamic_rnn",
    ),
    (
        "tensorflow.contrib.learn.python.learn.datasets.mnist",
        "read_data_sets",
        "tf1_shim.contrib.learn.datasets.mnist.read_data_sets",
    ),
    (
        "tensorflow.contrib.training.python.training.hparam",
        "HParams",
        "tf1_shim.contrib.training.HParams",
    ),
    # the package has the function, a module beside it the same name
    (
        "tensorflow.contrib.framework.python.ops",
        "arg_scope",
        "tf1_shim.contrib.framework.arg_scope",
    ),
    # the path is there in 2.21, but what it gives is TF 2's old Keras
    ("tensorflow.python.layers.core", "Dense", "tf1_shim.layers.Dense"),
    ("tensorflow.python.ops.rnn_cell_impl", "RNNCell", "tf1_shim.nn.rnn_cell.RNNCell"),
    ("tensorflow.python.ops.rnn_cell", "GRUCell", "tf1_shim.nn.rnn_cell.GRUCell"),
    # paths of TF 1.0 and 1.1
    (
        "tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl",
        "BasicLSTMCell",
        "tf1_shim.contrib.rnn.BasicLSTMCell",
    ),
    # no public twin: the shim has it
    (
        "tensorflow.contrib.layers.python.layers.utils",
        "smart_cond",
        "tf1_shim.contrib.layers.utils.smart_cond",
    ),
    (
        "tensorflow.contrib.rnn.python.ops.core_rnn_cell",
        "_linear",
        "tf1_shim.private.core_rnn_cell._linear",
    ),
    (
        "tensorflow.python.ops.rnn_cell_impl",
        "_linear",
        "tf1_shim.private.rnn_cell_impl._linear",
    ),
    (
        "tensorflow.contrib.seq2seq.python.ops.attention_wrapper",
        "_maybe_mask_score",
        "tf1_shim.private.attention_wrapper._maybe_mask_score",
    ),
    (
        "tensorflow.contrib.framework.python.ops.audio_ops",
        "mfcc",
        "tf1_shim.private.audio_ops.mfcc",
    ),
    (
        "tensorflow.python.training.training_ops",
        "apply_rms_prop",
        "tf1_shim.private.training_ops.apply_rms_prop",
    ),
]


def upgraded(source: str) -> tuple[str, list[str]]:
    (result,) = texts({"a.py": source.encode()}, Options(level="compat"))
    return (result.after or b"").decode(), [f.message for f in result.left]


@pytest.mark.parametrize(("module", "name", "home"), CASES)
def test_a_name_by_its_module(module: str, name: str, home: str) -> None:
    package, _, last = module.rpartition(".")
    after, left = upgraded(f"{HEAD}from {package} import {last} as m\nm.{name}(1)\n")
    assert after.endswith(f"\n{home}(1)\n")
    assert " as m" not in after
    assert not left


@pytest.mark.parametrize(("module", "name", "home"), CASES)
def test_a_name_by_itself(module: str, name: str, home: str) -> None:
    after, left = upgraded(f"{HEAD}from {module} import {name}\n{name}(1)\n")
    where, _, last = home.rpartition(".")
    imported = f"from migrate.{where} import {last}"
    if name != last:
        imported += f" as {name}"
    assert after.endswith(f"\n{home}(1)\n") or (
        imported in after.splitlines() and after.endswith(f"\n{name}(1)\n")
    )
    assert f"from {module} " not in after
    assert not left


@pytest.mark.parametrize(("module", "name", "home"), CASES)
def test_what_is_written_exists(module: str, name: str, home: str) -> None:
    import ast
    from pathlib import Path

    import migrate

    where, _, last = home.rpartition(".")
    base = Path(migrate.__file__).parent.joinpath(*where.split("."))
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    bound = {
        target.id
        for stmt in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.List)
        for target in stmt.targets
        if isinstance(target, ast.Name) and last in ast.literal_eval(stmt.value)
    }
    assert bound == {"__all__"}, (module, name)


def test_other_names_of_the_module_keep_it() -> None:
    source = "from tensorflow.python.ops import rnn_cell_impl as r\nr._concat(1, 2)\nr._linear(1)\n"
    after, left = upgraded(HEAD + source)
    assert "from tensorflow.python.ops import rnn_cell_impl as r\n" in after
    assert "r._concat(1, 2)\ntf1_shim.private.rnn_cell_impl._linear(1)\n" in after
    assert not left


@pytest.mark.parametrize(
    "name", ["utils.smart_cond", "layers.conv2d", "initializers.x", "queues.Q"]
)
def test_the_modules_that_slim_has_by_accident(name: str) -> None:
    after, left = upgraded(f"{HEAD}slim = tf.contrib.slim\nslim.{name}(1)\n")
    known = name in ("utils.smart_cond", "layers.conv2d")
    assert f"slim = tf1_shim.contrib.slim\nslim.{name}(1)\n" in after
    assert bool(left) is not known


def test_what_nothing_has_is_said() -> None:
    _, left = upgraded(
        f"{HEAD}from tensorflow.contrib.rnn.python.ops import rnn_cell as r\nr._no()\n"
    )
    assert len(left) == 2


def test_packages_that_left_contrib_before_1_15() -> None:
    after, left = upgraded(
        f"{HEAD}tf.contrib.gan.gan_loss(1)\nx = tf.contrib.linalg.LinearOperatorTriL(1)\n"
    )
    assert after.endswith("x = tf.linalg.LinearOperatorLowerTriangular(1)\n")
    assert left == [
        "tf.contrib.gan.gan_loss went before 1.15; instead: the package tensorflow_gan, where "
        "tf_keras may be installed"
    ]
