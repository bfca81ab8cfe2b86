"""What a shim gives back is taken from there, for every import spelling; the rest is reported."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.symbols import shims

HEAD = "import tensorflow as tf\nx = tf.placeholder(1)\n"


@pytest.fixture(autouse=True)
def some_are_shimmed(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"layers", "layers.dense", "contrib", "contrib.slim", "contrib.slim.conv2d"}
    names |= {f"estimator.experimental.{n}" for n in ("stop_if_lower_hook",)}
    known = frozenset(f"tensorflow.{name}" for name in names)
    monkeypatch.setattr(shims, "shimmed", lambda: known)


def run(source: str) -> FileResult:
    (result,) = texts({"a.py": source.encode()}, Options())
    return result


def body(source: str) -> str:
    result = run(source)
    assert result.status == "changed", result
    again = run((result.after or b"").decode())
    assert again.status == "unchanged", again
    return (result.after or b"").decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("tf.layers.dense(x, 3)", "tf1_shim.layers.dense(x, 3)", id="chain"),
        pytest.param("L = tf.layers\nL.dense(x)", "L = tf1_shim.layers\nL.dense(x)", id="alias"),
        pytest.param("d = tf.layers.dense", "d = tf1_shim.layers.dense", id="a function's alias"),
    ],
)
def test_chains(before: str, after: str) -> None:
    new = body(HEAD + before + "\n")
    assert new.startswith("from migrate import tf1_shim\nimport tensorflow.compat.v1 as tf\n")
    assert new.endswith(after + "\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from tensorflow.contrib import slim", "from migrate.tf1_shim.contrib import slim"),
        (
            "import tensorflow.contrib.slim as slim",
            "from migrate.tf1_shim.contrib import slim",
        ),
        (
            "from tensorflow.contrib.slim import conv2d as c",
            "from migrate.tf1_shim.contrib.slim import conv2d as c",
        ),
        ("from tensorflow.layers import dense", "from migrate.tf1_shim.layers import dense"),
        ("import tensorflow.contrib as tc", "from migrate.tf1_shim import contrib as tc"),
    ],
)
def test_imports(before: str, after: str) -> None:
    use = {"slim": "slim.conv2d(x)", "c": "c(x)", "dense": "dense(x)", "tc": "tc.slim.conv2d(x)"}
    line = use[before.split()[-1]]
    new = body(f"{before}\n{HEAD}{line}\n")
    assert after in new.splitlines()
    assert line in new.splitlines()
    assert "tensorflow.contrib" not in new


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow_core.python.client import device_lib",
            "from tensorflow.python.client import device_lib",
        ),
        ("import tensorflow_core as core", "import tensorflow as core"),
        (
            "from tensorflow_core.contrib import slim",
            "tf1_shim.contrib.slim.conv2d(x)",
        ),
        ("from tensorflow_core import keras", "from tensorflow import keras"),
    ],
)
def test_the_package_by_what_1_15_called_it(before: str, after: str) -> None:
    uses = {
        "slim": "slim.conv2d(x)",
        "core": "core.square(x)",
        "device_lib": "device_lib.list_local_devices()",
        "keras": "keras.layers.Dense(2)",
    }
    new = body(f"{before}\n{HEAD}{uses[before.split()[-1]]}\ntf.layers.dense(x)\n")
    assert after in new.splitlines()


def test_the_package_by_its_long_name_is_reported() -> None:
    result = run(f"import tensorflow_core.python.ops\n{HEAD}tf.layers.dense(x)\n")
    assert [f.rule for f in result.left] == ["TFM111"]
    assert "instead: tensorflow.python.ops" in result.left[0].message


def test_what_no_shim_has_is_reported_where_it_is_used() -> None:
    result = run("from tensorflow.contrib import slim\n" + HEAD + "slim.batch_norm(x)\n")
    assert [(f.line, f.endpoint) for f in result.left] == [(4, "tf.contrib.slim.batch_norm")]


def test_what_contrib_had_before_1_15_is_taken_from_where_it_went() -> None:
    text = body(f"{HEAD}hook = tf.contrib.estimator.stop_if_lower_hook(model, 'loss', 3.)\n")
    assert "hook = estimator_shim.experimental.stop_if_lower_hook(model, 'loss', 3.)" in text
    other = run(f"{HEAD}hook = tf.contrib.estimator.stop_if_it_rains_hook(model)\n")
    assert [f.rule for f in other.left] == ["TFM105"]


def test_a_whole_module_that_no_shim_has_is_reported_at_its_import() -> None:
    result = run("from tensorflow.contrib import rnn\n" + HEAD + "__all__ = ['rnn']\n")
    assert [(f.line, f.endpoint) for f in result.left] == [(1, "tf.contrib.rnn")]


@pytest.mark.parametrize(
    "lost",
    [
        "from tensorflow.contrib import rnn\n",
        "import tensorflow.contrib.slim as slim\n",
        "from tensorflow.contrib import rnn, slim\n",
    ],
)
def test_a_lost_module_that_nothing_uses_is_not_imported(lost: str) -> None:
    """It would stop all that import the file."""
    result = run(lost + "import tensorflow as tf\n\n\ndef f(x):\n    return tf.nn.relu(x)\n")
    assert not result.left
    assert result.after is not None
    assert b"contrib" not in result.after


def test_a_lost_module_under_its_own_name_is_reported() -> None:
    result = run("import tensorflow.contrib.slim\n\n\ndef f(x):\n    return x\n")
    assert [f.endpoint for f in result.left] == ["tf.contrib.slim"]


def test_an_import_that_fails_for_nothing_goes() -> None:
    lost = "from tensorflow.contrib.framework.python.ops import variables as v\n"
    assert "contrib" not in body(HEAD + lost)
    for use in ("print(v)\n", "__all__ = ['v']\n"):
        (left,) = [f for f in run(HEAD + lost + use).left if f.rule == "TFM111"]
        assert left.message.endswith("can't be imported from TF 2.21")


def test_the_switch_keeps_the_import_that_it_needs() -> None:
    result = run("import tensorflow as tf\nnet = tf.contrib.slim.conv2d\n")
    assert result.after == (
        b"from migrate import tf1_shim\nimport tensorflow as tf\n\n"
        b"tf.compat.v1.disable_v2_behavior()\n\nnet = tf1_shim.contrib.slim.conv2d\n"
    )


def test_an_alias_that_a_notebook_never_reads_goes() -> None:
    import json

    def book(*cells: str) -> bytes:
        made = [
            {
                "cell_type": "code",
                "metadata": {},
                "outputs": [],
                "execution_count": None,
                "source": c,
            }
            for c in cells
        ]
        return json.dumps(
            {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
        ).encode()

    first = "import tensorflow as tf\ntf.enable_eager_execution()\ntfe = tf.contrib.eager"
    (result,) = texts({"a.ipynb": book(first, "print(tf.constant(2))")}, Options())
    assert result.level is Level.NATIVE
    assert b"tfe" not in (result.after or b"tfe")
    for name, content in (
        ("a.ipynb", book(first, "print(tfe)")),
        ("a.py", first.encode()),  # other files may import it
    ):
        (result,) = texts({name: content}, Options())
        assert result.level is not Level.NATIVE or b"tfe =" in (result.after or b"")


def test_hooks_of_estimators_in_code_of_tf_2(monkeypatch: pytest.MonkeyPatch) -> None:
    """TF 2 had them in `tf.estimator`, too; what is TF 1's has them in `tf.train`."""
    names = ("estimator.Estimator", "estimator.LoggingTensorHook", "estimator.LatestExporter")
    monkeypatch.setattr(shims, "shimmed", lambda: frozenset(f"tensorflow.{n}" for n in names))
    text = body(
        "import tensorflow as tf\n\nhook = tf.estimator.LoggingTensorHook({}, every_n_iter=5)\n"
        "net = tf.estimator.Estimator(f)\nout = tf.compat.v1.estimator.LatestExporter('a')\n"
    )
    assert "hook = estimator_shim.LoggingTensorHook({}, every_n_iter=5)" in text
    assert "compat.v1" not in text
    text = body(f"{HEAD}hook = tf.estimator.LoggingTensorHook({{}}, every_n_iter=5)\n")
    assert "hook = tf.train.LoggingTensorHook({}, every_n_iter=5)" in text
