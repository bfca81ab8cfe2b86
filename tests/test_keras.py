"""Programs with Estimators: what `migrate upgrade --to keras` makes of them, with equal numbers.

The cases lie in fixtures/keras, a folder each, as those of fixtures/native do (test_native.py);
`python scripts/record_keras_goldens.py` records what TF 1.15.5 did, --snapshots writes after.py.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from migrate.checkpoints.opening import reading
from migrate.engine.findings import Level
from migrate.engine.options import Options as Upgrade
from migrate.engine.runner import texts
from migrate.parity import artifacts, bundle, compare, workspace
from migrate.parity.harness import Harness, Options, Program
from migrate.parity.verdict import AGREE

Arrays = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent
#: Nothing that a program with a Keras model has a use for.
LEFT_BEHIND = re.compile(
    r"compat(?!\.v1\.train\.summary_iterator)|migrate\.|tf\.estimator|estimator_shim|Session|placeholder|\bget_variable"
)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


goldens = _load(ROOT / "scripts" / "record_keras_goldens.py").goldens
CASES = goldens.cases()
NATIVE = [case for case in CASES if case.level == "native"]
COMPAT = [case for case in CASES if case.level == "compat"]

needs_tf2 = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)


def params(cases: list[Any]) -> list[Any]:
    """A parameter for each case; one that is pending has to fail."""
    pending = pytest.mark.xfail(strict=True, reason="pending = true in case.toml")
    return [
        pytest.param(case, id=case.name, marks=[pending] if case.pending else []) for case in cases
    ]


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every case after one run of the command."""
    found: dict[str, Any] = goldens.upgrade(CASES, tmp_path_factory.mktemp("keras"))
    return found


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    """One process that has imported TensorFlow 2.21 and forks for each program."""
    with Harness(Options(), tf2=sys.executable) as made:
        yield made


@pytest.mark.parametrize("case", params(NATIVE))
def test_an_estimator_becomes_a_keras_model(case: Any, upgraded: dict[str, Any]) -> None:
    done = upgraded[case.name]
    assert done.level == "native", "\n".join(map(" -> ".join, done.reasons))
    for path, kept in done.files():
        text = path.read_text(encoding="utf-8")
        assert not LEFT_BEHIND.search(text), text
        assert text == kept.read_text(encoding="utf-8")


@pytest.mark.tf2
@needs_tf2
@pytest.mark.parametrize("case", params(NATIVE))
def test_the_keras_model_has_the_numbers_of_tf_1_15(
    case: Any, upgraded: dict[str, Any], harness: Harness, tmp_path: Path
) -> None:
    done = upgraded[case.name]
    assert done.level == "native"
    harness.options = case.options()
    script = goldens.script(done.folder, case.entry)
    if case.printed:
        after = harness.run_program("tf2", Program(str(script)))
        rtol = case.rtol or 1e-5
        said = compare.texts("printed text", bundle.read(case.golden).stdout, after.stdout, rtol)
        assert said.difference is None, f"{said.difference}\n{after.stdout}"
        golden = bundle.read(case.golden)
        names = json.loads((case.folder / "names.json").read_text(encoding="utf-8"))
        _same_end(golden.snapshot("end"), after.snapshot("end"), names)
        if golden.record.get("checkpoint"):
            kept = artifacts.checkpoints_of(after.files())[-1]
            workspace.unpack(after.files(), tmp_path)
            with reading(str(tmp_path / kept)) as reader:
                found = [reader.read(n) for n in reader.tensors if n.startswith("variables/")]
            _same_checkpoint(golden.prefixed("checkpoint/"), found, after.snapshot("end"), names)
        _same_summaries(golden.files(), after.files(), case.ignore)
        return
    result = harness.verify(bundle.read(case.golden), Program(str(script)), case.name)
    rungs = "\n".join(f"{rung.status:>8}  {rung.name}  {rung.reason}" for rung in result.rungs)
    text = script.read_text(encoding="utf-8")
    assert result.verdict == AGREE, f"{result.reason}\n{rungs}\n--- upgraded ---\n{text}"


#: Programs whose exports are served: how many signatures they have, and values.
SERVED = {
    "served_classifier": (4, 95),
    "served_regression": (3, 20),
    "served_received": (4, 95),
    "export_outputs": (2, 20),
    "exporters": (1, 5),
    "answered": (4, 70),
    "made_receivers": (2, 10),
}
#: What Keras computes of the step, or keeps elsewhere, instead of a variable.
COMPUTED = re.compile(
    r"global_step|beta[12]_power|signal_early_stopping/STOP|OptimizeLoss/learning|head/(dnn|linear)/learning"
)


def _same_end(before: Arrays, after: Arrays, names: dict[str, str]) -> None:
    """Every variable and slot that TF 1.15.5 ended with, by the names that Keras gives them."""
    assert {name for name in before if not COMPUTED.search(name)} == set(names)
    assert len(set(names.values())) == len(names)
    for name, new in names.items():
        allowed = 1e-5 + 1e-4 * abs(before[name])  # ten times what the furthest is apart
        difference = compare.arrays(name, before[name], after[new], allowed)
        assert difference is None, difference


def _same_summaries(
    before: dict[str, bytes], after: dict[str, bytes], ignore: tuple[str, ...]
) -> None:
    """What TF 1.15.5 wrote for TensorBoard, of training and of evaluations, at the same steps."""
    first, second = artifacts.summaries(before), artifacts.summaries(after)
    for tag, scalars in first.items():
        if tag in ignore:
            continue
        assert tag in second, (tag, sorted(second))
        assert second[tag].steps == scalars.steps, tag
        assert second[tag].values == pytest.approx(scalars.values, rel=1e-4, abs=1e-5), tag


def _same_checkpoint(
    before: Arrays, found: list[Any], after: Arrays, names: dict[str, str]
) -> None:
    """The last checkpoint holds what TF 1.15.5's does, each tensor once."""
    assert {name for name in before if not COMPUTED.search(name)} == set(names)
    left = list(found)
    for name, new in names.items():
        allowed = 1e-5 + 1e-4 * abs(before[name])  # ten times what the furthest is apart
        difference = compare.arrays(name, before[name], after[new], allowed)
        assert difference is None, difference
        place = next(
            i
            for i, value in enumerate(left)
            if value.shape == after[new].shape and (value == after[new]).all()
        )
        del left[place]


@pytest.mark.tf2
@needs_tf2
@pytest.mark.parametrize("case", params([case for case in NATIVE if case.name in SERVED]))
def test_what_is_exported_serves_the_values_of_tf_1_15(
    case: Any, upgraded: dict[str, Any], harness: Harness, tmp_path: Path
) -> None:
    harness.options = case.options()
    script = goldens.script(upgraded[case.name].folder, case.entry)
    after = harness.run_program("tf2", Program(str(script)))
    exports = []
    for side, files in (("old", bundle.read(case.golden).files()), ("new", after.files())):
        workspace.unpack(files, tmp_path / side)
        exports.append(tmp_path / side / "served")
    served = ROOT / "tests" / "keras_served.py"
    done = subprocess.run(
        [sys.executable, served, *exports], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert (found["signatures"], found["values"]) == SERVED[case.name]


TWICE = """
import runpy, shutil, sys
import tensorflow as tf
from keras.src.trainers.trainer import Trainer

compiled = Trainer.compile
for single in (False, True):
    def compile_(trainer, *args, **kwargs):
        compiled(trainer, *args, **kwargs)
        assert trainer.steps_per_execution == 10
        trainer.steps_per_execution = 1 if single else 10
    Trainer.compile = compile_
    tf.keras.utils.set_random_seed(1)
    shutil.rmtree("model", ignore_errors=True)
    runpy.run_path(sys.argv[1], run_name="__main__")
    print("=== end")
"""


@pytest.mark.tf2
@needs_tf2
def test_several_steps_in_one_go_have_the_same_numbers(tmp_path: Path) -> None:
    # The recorder runs each step by itself, and compares with TF 1.15.5; a user doesn't.
    script = ROOT / "fixtures" / "keras" / "resume" / "after.py"
    done = subprocess.run(
        [sys.executable, "-c", TWICE, script],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    several, single, _ = done.stdout.split("=== end\n")
    assert several.count(" loss ") == 9
    assert compare.texts("printed text", single, several, 1e-5).difference is None, done.stdout


PARSED = """
import tensorflow as tf

ages = [
    tf.train.Example(features=tf.train.Features(feature={
        'age': tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
    })).SerializeToString() for value in (1., 2.)
] + [tf.train.Example().SerializeToString()]


def parse(example):
    age = tf.feature_column.numeric_column('age', default_value=7.)
    features = tf.parse_single_example(
        example, tf.feature_column.make_parse_example_spec([age]))
    return features, features['age']


def input_fn():
    return tf.data.Dataset.from_tensor_slices(ages).map(parse).batch(3)


net = tf.estimator.LinearRegressor([tf.feature_column.numeric_column('age')])
net.train(input_fn, steps=1)
print('mean', net.evaluate(input_fn, steps=1)['label/mean'])
"""


@pytest.mark.tf2
@needs_tf2
def test_a_column_that_is_made_while_a_dataset_maps_has_its_default(tmp_path: Path) -> None:
    (result,) = texts({"parsed.py": PARSED.encode()}, Upgrade(to="keras"))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    script = tmp_path / "parsed.py"
    script.write_bytes(result.after or b"")
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[1]) == pytest.approx(10 / 3)


OF_TEXTS = """
import tensorflow as tf

WORDS = ['good', 'bad', 'fine']


def model_fn(features, labels, mode):
    table = tf.contrib.lookup.index_table_from_tensor(WORDS, num_oov_buckets=1)
    rows = tf.get_variable('rows', [4, 3])
    ids = table.lookup(features['words']) + tf.to_int64(features['start'])[:, None]
    scores = tf.reduce_sum(tf.nn.embedding_lookup(rows, ids), 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'scores': scores})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, scores)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    features = {'words': [['good', 'fine'], ['bad', 'bad']], 'start': [0, 1]}
    return tf.data.Dataset.from_tensor_slices((features, [0, 1])).batch(2)


def receiver_fn():
    received = {
        'words': tf.placeholder(tf.string, [None, None]),
        'start': tf.placeholder(tf.int32, [None]),
    }
    return tf.estimator.export.ServingInputReceiver(received, received)


net = tf.estimator.Estimator(model_fn, 'model')
net.train(input_fn, steps=1)
path = net.export_savedmodel('saved', receiver_fn)
for found in net.predict(input_fn):
    print(found['scores'].tolist())
"""
SERVES = """
serve = tf.saved_model.load(path).signatures['serving_default']
sent = {'words': tf.constant([['good', 'fine'], ['bad', 'bad']]), 'start': tf.constant([0, 1])}
for scores in serve(**sent)['scores'].numpy():
    print(scores.tolist())
"""


@pytest.mark.tf2
@needs_tf2
def test_a_model_of_texts_and_whole_numbers_is_exported(tmp_path: Path) -> None:
    (result,) = texts({"words.py": OF_TEXTS.encode()}, Upgrade(to="keras"))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    script = tmp_path / "words.py"
    script.write_bytes((result.after or b"") + SERVES.encode())
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    assert (
        compare.texts("served", "\n".join(lines[:2]), "\n".join(lines[2:4]), 1e-6).difference
        is None
    )


@pytest.mark.parametrize("case", params(COMPAT))
def test_the_line_that_keeps_an_estimator_is_named(case: Any, upgraded: dict[str, Any]) -> None:
    done = upgraded[case.name]
    assert done.level == "compat"
    assert any(case.stops in line for line, _ in done.reasons), done.reasons


def test_every_case_is_whole() -> None:
    for case in CASES:
        assert (case.golden / bundle.RECORD).exists() or case.level == "compat", case.name
        after = case.folder / "after.py"
        assert after.exists() == (case.level == "native" and not case.pending), case.name
        assert (case.folder / "names.json").exists() == case.printed, case.name
