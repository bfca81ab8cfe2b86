"""The recorder: one package for every Python and TensorFlow, exact about what a step is."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from migrate.parity.bundle import Bundle
from migrate.parity.environment import Interpreter
from migrate.parity.harness import Harness, Program
from migrate.parity.isolation import RECORDER
from migrate.parity.recorder import jobs, values

PROJECT = Path(__file__).parents[2]
FILES = [*sorted(RECORDER.glob("*.py")), RECORDER.with_name("randomness.py")]
Run = Callable[..., Bundle]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_syntax_is_that_of_python_3_5(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 5))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_syntax_is_that_of_python_2(path: Path) -> None:
    from fissix import pygram, pytree
    from fissix.pgen2 import driver

    grammar = pygram.python_grammar_no_print_statement
    driver.Driver(grammar, convert=pytree.convert).parse_string(path.read_text(encoding="utf-8"))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr))
        assert not isinstance(node, (ast.AsyncFunctionDef, ast.Nonlocal, ast.YieldFrom))
        if isinstance(node, ast.FunctionDef):
            assert node.returns is None
            assert not node.args.kwonlyargs
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "super" or node.args
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            assert not any(isinstance(item, ast.Starred) for item in node.elts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_the_standard_library_numpy_and_tensorflow(path: Path) -> None:
    import sys

    allowed = sys.stdlib_module_names | {"numpy", "tensorflow", "_migrate_parity"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert {name.name.split(".")[0] for name in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert (node.module or "").split(".")[0] in allowed


def test_one_ulp_moves_every_element_to_a_neighbour() -> None:
    given = np.array([1.0, -2.5, 0.0, 1e-30], np.float32)
    moved = values.one_ulp(given, np.random.RandomState(1))
    assert moved.dtype == np.float32
    up = np.nextafter(given, np.float32(np.inf))
    down = np.nextafter(given, np.float32(-np.inf))
    assert ((moved == up) | (moved == down)).all()


def test_sparse_gradients_sum_repeated_rows() -> None:
    value = values.dense([np.ones((3, 2), np.float32), np.array([1, 1, 3])], [4, 2])
    assert value.tolist() == [[0, 0], [2, 2], [0, 0], [1, 1]]


def test_objects_become_bytes() -> None:
    assert values.as_array(np.array(["ä", b"b"], object)).dtype.kind == "S"
    assert values.as_array(np.zeros((0, 2), object)).shape == (0, 2)


def test_unknown_keys_of_a_job_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    path.write_text('{"skript": "a.py"}')
    with pytest.raises(SystemExit, match="skript"):
        jobs.load_job(str(path))


@pytest.fixture
def run(harness: Harness, tmp_path: Path) -> Run:
    """Run a program's text on TensorFlow 2 under the recorder."""

    def call(text: str, **job: Any) -> Bundle:
        path = tmp_path / "program.py"
        path.write_text("import numpy as np\nimport tensorflow as tf\n" + text)
        found = harness.run_program("tf2", Program(str(path)), **job)
        assert not found.ending["code"], found.ending
        return found

    return call


def losses(found: Bundle) -> list[list[float]]:
    return [series.values.tolist() for series in found.series() if series.kind == "loss"]


EAGER = """
v = tf.Variable([2.0], name="v")
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    v.assign_sub(0.25 * tape.gradient(loss, v))
"""
FUNCTION = """
v = tf.Variable([2.0], name="v")
@tf.function(JIT)
def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    v.assign_sub(0.25 * tape.gradient(loss, v))
for _ in range(4):
    step()
"""
# Traced ahead of its first run, as where its graph is written for TensorBoard.
TRACED = FUNCTION.replace("@tf.function(JIT)", "@tf.function(input_signature=[])").replace(
    "for _", "step.get_concrete_function()\nfor _"
)
# Gradients of one function, applied by another one, or outside of functions.
APART = """
v = tf.Variable([2.0], name="v")
@tf.function
def gradient():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    return tape.gradient(loss, v)
@tf.function
def apply(g):
    v.assign_sub(0.25 * g)
for _ in range(4):
    gradient()
    APPLIED
"""
GRAPH = """
tf = tf.compat.v1
tf.disable_v2_behavior()
v = tf.get_variable("v", initializer=[2.0])
loss = tf.reduce_sum(v * v)
op = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        session.run(op)
"""
MANUAL = GRAPH.replace(
    "op = tf.train.GradientDescentOptimizer(0.25).minimize(loss)",
    "op = tf.assign_sub(v, 0.25 * tf.gradients(loss, [v])[0])",
)
CALLABLE = GRAPH.replace("    for _", "    call = session.make_callable(op)\n    for _").replace(
    "session.run(op)", "call()"
)


@pytest.mark.tf2
@pytest.mark.parametrize(
    "text",
    [EAGER, FUNCTION.replace("JIT", ""), FUNCTION.replace("JIT", "jit_compile=True"), TRACED,
     APART.replace("APPLIED", "apply(gradient())"),
     APART.replace("APPLIED", "v.assign_sub(0.25 * gradient())"), GRAPH, MANUAL, CALLABLE],
    ids=["eager", "function", "jit", "traced", "apart", "outside", "graph", "manual", "callable"],
)  # fmt: skip
def test_the_same_training_is_recorded_the_same(text: str, run: Run) -> None:
    found = run(text, snapshots=[0, 1, 2])
    assert losses(found) == [[4.0, 1.0, 0.25, 0.0625]]
    assert found.steps == 4
    assert found.snapshot("0")["v"].tolist() == [2.0]
    assert found.snapshot("1")["v"].tolist() == [1.0]
    assert found.snapshot("2")["v"].tolist() == [0.5]
    assert found.snapshot("end")["v"].tolist() == [0.125]
    assert found.gradients()[0, "v"].tolist() == [4.0]


@pytest.mark.tf2
@pytest.mark.parametrize("text", [EAGER, FUNCTION.replace("JIT", ""), GRAPH])
def test_variables_are_put_back_at_each_window(text: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "start.npz"
    np.savez(path, **{"v/0/other": np.float32([4.0]), "v/2/other": np.float32([8.0])})
    restore = {"arrays": str(path), "every": 2, "map": {"v": "other"}}
    found = run(text, restore=restore)
    assert losses(found) == [[16.0, 4.0, 64.0, 16.0]]
    assert [step for step, _ in found.record["restore"]["restored"]] == [0, 2]


@pytest.mark.tf2
def test_variables_of_a_function_are_read_after_it_returned(run: Run) -> None:
    body = EAGER.replace("\n", "\n    ")
    found = run("def main():" + body + "\nmain()\n", snapshots=[0])
    assert found.snapshot("end")["v"].tolist() == [0.125]


@pytest.mark.tf2
@pytest.mark.parametrize("text", [EAGER, FUNCTION.replace("JIT", ""), GRAPH])
def test_step_limit_ends_the_program(text: str, run: Run) -> None:
    found = run(text + "\nprint('after')\n", steps=2)
    assert losses(found) == [[4.0, 1.0]]
    assert found.ending == {"kind": "exit", "code": 0, "stopped": True}
    assert "after" not in found.stdout


@pytest.mark.tf2
def test_perturbation_is_one_ulp(run: Run) -> None:
    found = run(GRAPH, perturb=1)
    moved = found.snapshot("0")["v"][0]
    assert moved != np.float32(2.0)
    assert abs(moved - np.float32(2.0)) <= np.spacing(np.float32(2.0))


@pytest.mark.tf2
def test_a_gradient_by_an_input_is_no_step(run: Run) -> None:
    found = run("""
v = tf.Variable([2.0])
x = tf.constant([3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(v * x)
print(tape.gradient(y, x).numpy())
""")
    assert found.steps == 0


@pytest.mark.tf2
def test_gradients_that_nothing_applies_are_no_step(run: Run) -> None:
    found = run(APART.replace("APPLIED", "print(v.numpy())"))
    assert found.steps == 0
    assert losses(found) == []


@pytest.mark.tf2
def test_a_loop_inside_a_function_is_noted(run: Run) -> None:
    found = run("""
v = tf.Variable([2.0])
@tf.function
def train():
    for _ in tf.range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        v.assign_sub(0.1 * tape.gradient(loss, v))
train()
""")
    assert found.steps == 3
    assert [note["kind"] for note in found.record["notes"]] == ["loop-in-function"]


@pytest.mark.tf2
def test_gradients_of_several_towers_are_one_step_and_a_loss_each(run: Run) -> None:
    found = run("""
v = tf.Variable([2.0], name="v")
@tf.function
def step():
    both = []
    for i in range(2):
        loss = tf.reduce_sum((v - i) * (v - i))
        both.append(tf.gradients(loss, [v])[0])
    v.assign_sub(0.25 * tf.add_n(both))
for _ in range(3):
    step()
""")
    assert found.steps == 3
    assert losses(found) == [[4.0, 0.25, 0.25], [1.0, 0.25, 0.25]]
    assert not found.record["notes"]


@pytest.mark.tf2
def test_keras_takes_no_numbers_of_the_program(run: Run) -> None:
    """Nothing of TF 1 draws from `random`, so that what a program draws there stays the same."""
    shows = "import random\nprint(random.getrandbits(32))\n"
    layer = "tf.keras.layers.Dense(2).build((None, 3))\n"
    assert run(layer + shows).stdout == run(shows).stdout


@pytest.mark.tf2
def test_a_program_that_ends_at_once_is_recorded(run: Run) -> None:
    found = run(
        "from multiprocessing import get_context\n"
        + EAGER
        + "child = get_context('fork').Process(target=print)\nchild.start()\nchild.join()\n"
        + "print('end')\nimport os\nos._exit(0)\n"
    )
    assert found.steps == 4
    assert found.ending == {"kind": "exit", "code": 0}
    assert found.stdout.split() == ["end"]


@pytest.mark.tf2
def test_an_end_that_the_recorder_cannot_see_is_told(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import ctypes\nctypes.CDLL(None)._exit(0)\n")
    found = harness.run_program("tf2", Program(str(path)))
    assert found.ending["kind"] == "unrecorded"
    assert "ended with exit code 0 before anything" in found.ending["error"]


@pytest.mark.tf2
def test_a_module_with_arguments_runs_as_main(harness: Harness, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "main.py").write_text(
        "import sys\nfrom package import __name__ as name\n"
        "if __name__ == '__main__':\n    print(name, sys.argv[1:])\n"
    )
    program = Program("package.main", ("--x", "1"), tmp_path)
    found = harness.run_program("tf2", program)
    assert found.stdout == "package ['--x', '1']\n"


@pytest.mark.tf1
def test_estimator_on_1_15(recorder_estimator: Bundle) -> None:
    found = recorder_estimator
    assert found.steps == 12
    assert [len(values) for values in losses(found)] == [12]
    assert "dense/kernel/Adam" in found.slots
    assert any(path.startswith("model/events") for path in found.files())


@pytest.fixture(scope="module")
def recorder_estimator(recorder: Harness, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    path = tmp_path_factory.mktemp("estimator") / "program.py"
    path.write_text("""
import numpy as np
import tensorflow as tf

X = np.random.randn(32, 4).astype("f")

def model_fn(features, labels, mode):
    output = tf.layers.dense(features["x"], 1)[:, 0]
    loss = tf.losses.mean_squared_error(labels, output)
    step = tf.train.get_global_step()
    train_op = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

def inputs():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, X.sum(1))).repeat().batch(8)

def main(_):
    tf.estimator.Estimator(model_fn, "model").train(inputs, steps=12)

if __name__ == "__main__":
    tf.app.run()
""")
    found = recorder.run_program("tf1", Program(str(path)))
    assert not found.ending["code"], found.ending
    return found


PARTLY = """\
import io, sys
import numpy as np
import tensorflow as tf
from migrate.parity.recorder.checkpoints import run_restore

v1, folder = tf.compat.v1, sys.argv[1]
with v1.Graph().as_default():
    a, b = v1.get_variable("a", initializer=[1.0, 2.0]), v1.get_variable("b", initializer=3.0)
    with v1.variable_scope("p", partitioner=v1.fixed_size_partitioner(2)):
        c = v1.get_variable("c", [4], initializer=v1.ones_initializer(), use_resource=False)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        v1.train.Saver([a, *c]).save(session, folder + "/m", write_meta_graph=False)
    with io.open(folder + "/graph.meta", "wb") as stream:
        stream.write(v1.train.export_meta_graph().SerializeToString())
meta, saved, out = folder + "/graph.meta", folder + "/m", folder + "/out"
sys.exit(run_restore({"meta_graph": meta, "checkpoint": saved, "out": out}))
"""


def test_a_checkpoint_of_some_variables_is_restored_into_these(
    tf2: Interpreter, tmp_path: Path
) -> None:
    done = subprocess.run(
        [tf2.path, "-c", PARTLY, str(tmp_path)], capture_output=True, text=True, cwd=PROJECT
    )
    assert done.returncode == 0, done.stderr[-2000:]
    arrays = np.load(tmp_path / "out" / "arrays.npz")
    found = sorted(n for n in arrays.files if "restored" in n)
    assert [n.rpartition("restored/")[2] for n in found] == ["a", "p/c/part_0", "p/c/part_1"]
    assert arrays[found[0]].tolist() == [1.0, 2.0]
