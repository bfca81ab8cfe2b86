"""`--keras legacy`: the same programs on tf_keras, against the same goldens of TF 1.15.5.

All of fixtures/native that use Keras: `scripts/verify_native_goldens.py --keras legacy`; some run
here (MIGRATE_ALL_GOLDENS=1: all checkpoints, too).
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from migrate.cli import cli
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.parity import compare
from migrate.parity import harness as running
from migrate.rewriters.legacy_keras import _missing, _saved, classes

ROOT = Path(__file__).resolve().parents[1]
HAS_BOTH = all(importlib.util.find_spec(name) for name in ("tensorflow", "tf_keras"))
needs_tf_keras = pytest.mark.skipif(not HAS_BOTH, reason="tf_keras is not installed")
#: A rate that changes; normalizations; what draws again. Optimizers: compared with Keras 3's below.
SAMPLE = ("decayed_momentum", "norm_fed_dict", "rnn_more_cells")
#: Off by 3e-3 after a step from a checkpoint; why isn't known (docs/sessions.md).
NOT_RESTORED = "seq2seq_attention"
RESTORED = ("contrib_layers_mlp", "norm_fed_dict")

START = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [None, 3])\n"
END = (
    "train = tf.train.AdamOptimizer().minimize(tf.reduce_mean(tf.square(h)))\n"
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    for batch in batches:\n        sess.run(train, {x: batch})\n"
)


def _load(name: str) -> ModuleType:
    path = ROOT / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(sys.modules[path.stem])
    return sys.modules[path.stem]


def upgraded(source: str) -> tuple[str, list[str]]:
    """A program for tf_keras, and what is said of it."""
    (result,) = texts({"a.py": source.encode()}, Options(keras="legacy"))
    return (result.after or b"").decode(), [f.message for f in result.left]


# -- what is written ---------------------------------------------------------------------


def test_names_are_tf_keras_which_is_imported_beside_tensorflow() -> None:
    text, left = upgraded(START + "h = tf.layers.dense(x, 4, activation=tf.nn.relu)\n" + END)
    assert text.startswith("import tensorflow as tf\nimport tf_keras\n")
    assert "tf_keras.layers.Dense(4, activation=tf.nn.relu)" in text
    assert "tf_keras.optimizers.Adam(0.001, " in text
    assert "tf.keras" not in text
    assert not left


@pytest.mark.parametrize(
    ("line", "name", "new"),
    [
        ("from tensorflow import keras\n", "keras.datasets", "import tf_keras as keras\n"),
        ("from tensorflow.keras import datasets\n", "datasets", "from tf_keras import datasets\n"),
        ("import tensorflow.keras as K\n", "K.datasets", "import tf_keras as K\n"),
        ("", "tf.keras.datasets", "import tf_keras\n"),
    ],
)
def test_the_authors_own_imports(line: str, name: str, new: str) -> None:
    body = f"images = {name}.mnist.load_data()\nh = tf.layers.dense(x, 4)\n"
    text, left = upgraded(START.replace("x =", f"{line}x =") + body + END)
    assert new in text, text
    assert "tensorflow.keras" not in text
    assert f"images = {name.replace('tf.', 'tf_')}.mnist.load_data()\n" in text
    assert not left


def test_an_initializer_that_draws_again_is_made_for_each_draw() -> None:
    text, _ = upgraded(
        START + "init = tf.truncated_normal_initializer(stddev=0.1)\n"
        "h = tf.layers.dense(tf.layers.dense(x, 4, kernel_initializer=init), 4,\n"
        "                    kernel_initializer=init)\n" + END
    )
    made = "tf_keras.initializers.TruncatedNormal(stddev=0.1)"
    assert f"init = lambda shape, dtype=None: {made}(shape, dtype)\n" in text


def test_only_a_normalization_without_the_kernel_says_so() -> None:
    image = START.replace("[None, 3]", "[None, 4, 4, 3]")
    plain = "h = tf.layers.batch_normalization(x, training=True)\n"
    ahead, step = END.split("\n", 1)
    updated = "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
    end = f"{updated}    {ahead}\n{step}"
    text, _ = upgraded(image + plain + end)
    assert "class BatchNormalization" not in text
    assert "= tf_keras.layers.BatchNormalization()\n" in text
    text, _ = upgraded(image + plain.replace("True", "True, fused=False") + end)
    assert "= tf_keras.layers.BatchNormalization(fused=False)\n" in text


def test_what_tf_keras_has_not_keeps_the_session() -> None:
    text, left = upgraded(START + "import keras\nh = tf.layers.dense(x, 4)\n" + END)
    assert "Session" in text
    assert "tf_keras" not in text
    assert any("`keras` itself is Keras 3" in message for message in left), left
    assert _missing("random.SeedGenerator") == "tf_keras has no `random.SeedGenerator`"
    assert not _missing("layers.Dense")


def test_a_second_run_finds_nothing() -> None:
    text, _ = upgraded(START + "h = tf.layers.dense(x, 4)\n" + END)
    assert upgraded(text)[0] in ("", text)


def test_without_the_option_it_is_keras_3(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(START + "h = tf.layers.dense(x, 4)\n" + END)
    for option, name in ((), "tf.keras."), (("--keras", "legacy"), "tf_keras."):
        done = CliRunner().invoke(cli, ["upgrade", "--diff", "-q", *option, str(tmp_path)])
        assert f"= {name}layers.Dense(4)" in done.output
    done = CliRunner().invoke(cli, ["upgrade", "--keras", "legacy", "--to", "keras", "."])
    assert done.exit_code == 2
    assert "Keras 3 only" in done.output


# -- that it computes the same -----------------------------------------------------------


#: Optimizers by their place; those that move a gradient's rows only are given rows, too.
OVER = [
    (which, rows)
    for which, pair in enumerate(classes.pairs("tf"))
    if "keras.optimizers." in pair[0].partition("\n")[0]
    for rows in (False, True)
    if not rows or all("only" in source for source in pair)
]


@pytest.mark.tf2
@needs_tf_keras
@pytest.mark.parametrize(("which", "rows"), OVER)
def test_optimizers_written_over_tf_keras_are_those_over_keras_3(which: int, rows: bool) -> None:
    import tensorflow as tf
    import tf_keras

    ends = []
    for source in classes.pairs("tf")[which]:
        found: dict[str, Any] = {"tf": tf, "tf_keras": tf_keras}
        exec(source, found)
        name = source.partition("class ")[2].partition("(")[0]
        more = {"l1_regularization_strength": 0.01} if name == "Ftrl" else {"momentum": 0.5}
        table = tf.Variable(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))
        optimizer = found[name](0.1, **more)
        for step in range(4):
            gradient: Any = tf.sin(table * (step + 1))
            if rows:
                picked = tf.constant([0, step % 3, 0])
                gradient = tf.IndexedSlices(tf.gather(gradient, picked), picked, table.shape)
            optimizer.apply_gradients([(gradient, table)])
        ends.append(table.numpy())
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-6, atol=1e-6)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The sample, upgraded for tf_keras."""
    verifying = _load("verify_native_goldens")
    goldens = verifying.native
    chosen = [case for case in goldens.cases() if case.name in SAMPLE]
    before, goldens.TARGET = goldens.TARGET, ("--keras", "legacy")
    try:
        return goldens.upgrade(chosen, tmp_path_factory.mktemp("legacy"))
    finally:
        goldens.TARGET = before


@pytest.fixture(scope="module")
def harness() -> Iterator[running.Harness]:
    """One process that has imported TensorFlow 2.21 and forks for each program."""
    with running.Harness(running.Options(), tf2=sys.executable) as made:
        yield made


@pytest.mark.tf2
@needs_tf_keras
@pytest.mark.parametrize("name", SAMPLE)
def test_programs_on_tf_keras_do_what_tf_1_did(
    name: str, programs: Any, harness: running.Harness
) -> None:
    done = programs[name]
    assert done.level == "native"
    text = (done.folder / done.case.entry).read_text(encoding="utf-8")
    assert "tf_keras." in text
    assert "tf.keras." not in text
    _load("verify_native_goldens").verify(harness, done)


@pytest.mark.tf2
@needs_tf_keras
def test_a_checkpoint_of_tf_1_goes_on_in_tf_keras(tmp_path: Path, harness: Any) -> None:
    restored = _load("record_restored")
    every = [c for c in restored.goldens.cases() if (c.folder / "restored").exists()]
    if os.environ.get("MIGRATE_ALL_GOLDENS"):
        wanted = [c for c in every if c.name != NOT_RESTORED]
    else:
        wanted = [c for c in every if c.name in RESTORED]
    for case in wanted:
        restored.goldens.copy_program(case, tmp_path / case.name)
        restored.prepare(tmp_path / case.name / case.entry)
    options = ["--keras", "legacy", "--allow-no-vcs", "--no-cache", "-q"]
    assert CliRunner().invoke(cli, ["upgrade", *options, str(tmp_path)]).exit_code <= 1
    failed = []
    for case in wanted:
        folder = tmp_path / case.name
        shutil.copytree(case.folder / "restored", folder / "tf1")
        old, new = folder / "tf1" / restored.CHECKPOINT, folder / restored.CHECKPOINT
        names = ["--map", str(folder / "migrate-names.json")]
        done = CliRunner().invoke(cli, ["checkpoint", "convert", str(old), str(new), *names])
        assert done.exit_code == 0, done.output
        expected = (folder / "tf1" / restored.PRINTED).read_text(encoding="utf-8")
        shutil.rmtree(folder / "tf1")
        harness.options = case.options()
        found = harness.run_program("tf2", running.Program(str(folder / case.entry)))
        rtol = harness.options.tolerances.printed
        said = compare.texts("printed text", expected, found.stdout, rtol)
        if said.difference is not None:
            failed.append(f"{case.name}: {said.difference}\n{found.stdout}")
    assert not failed, "\n".join(failed)


@pytest.mark.tf2
@needs_tf_keras
def test_the_names_are_those_of_tf_keras() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "dump_tf_keras.py"), "--check"]
    assert subprocess.run(script, capture_output=True, check=False).returncode == 0


def test_slots_and_kernels_have_tf_keras_places() -> None:
    ours = {"names": {"a/kernel": "a/_kernel"}, "optimizers": {"o": {"slots": [0], "first": 2}}}
    assert json.dumps(_saved(ours)) == (
        '{"names": {"a/kernel": "a/kernel"}, "optimizers": {"o": {"slots": [0], "first": 1}}}'
    )
