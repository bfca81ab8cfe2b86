"""From text to text: the switch to compat.v1, import spellings, levels of programs."""

from __future__ import annotations

import ast
import json
from textwrap import dedent

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.symbols import shims


@pytest.fixture(autouse=True)
def nothing_is_shimmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the shims give back grows; tests/rewriters/test_lost.py is about them."""
    monkeypatch.setattr(shims, "shimmed", frozenset)


def run(**files: str) -> dict[str, FileResult]:
    sources = {f"{name}.py": dedent(text).encode() for name, text in files.items()}
    return {r.path.removesuffix(".py"): r for r in texts(sources, Options())}


def upgraded(source: str) -> str:
    source = dedent(source)
    result = run(program=source)["program"]
    assert result.status in ("changed", "unchanged", "skipped"), result.reason
    new = (result.after or source.encode()).decode()
    ast.parse(new)
    again = run(program=new)["program"]
    assert again.status in ("unchanged", "skipped"), again
    return new


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\n",
            "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n\n"
            "x = tf.placeholder(tf.float32)\n",
            id="usual",
        ),
        pytest.param(
            "import tensorflow as tf  # TF 1\nimport numpy as np  # numbers\nx = tf.placeholder(1)\n",
            "import tensorflow.compat.v1 as tf  # TF 1\nimport numpy as np  # numbers\n\n"
            "tf.disable_v2_behavior()\n\nx = tf.placeholder(1)\n",
            id="behind the imports, comments stay",
        ),
        pytest.param(
            "import os; import tensorflow as tf; x = tf.placeholder(1)\n",
            "import os; import tensorflow.compat.v1 as tf; tf.disable_v2_behavior(); "
            "x = tf.placeholder(1)\n",
            id="one line",
        ),
        pytest.param(
            "import tensorflow\nx = tensorflow.placeholder(1)\n",
            "import tensorflow.compat.v1 as tensorflow\n\ntensorflow.disable_v2_behavior()\n\n"
            "x = tensorflow.placeholder(1)\n",
            id="plain import",
        ),
        pytest.param(
            "from tensorflow import placeholder, Session as S\nx = placeholder(1)\n",
            "import tensorflow.compat.v1 as tf\n"
            "from tensorflow.compat.v1 import placeholder, Session as S\n\n"
            "tf.disable_v2_behavior()\n\nx = placeholder(1)\n",
            id="names imported by themselves",
        ),
        pytest.param(
            "def f():\n\timport tensorflow as tf\n\treturn tf.placeholder(1)\n",
            "def f():\n\timport tensorflow.compat.v1 as tf\n\ttf.disable_v2_behavior()\n"
            "\treturn tf.placeholder(1)\n",
            id="import in a function, tabs",
        ),
        pytest.param(
            "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n"
            "x = tf.placeholder(1)\n",
            "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n    tf = None\n\n"
            "tf.disable_v2_behavior()\n\nx = tf.placeholder(1)\n",
            id="optional import",
        ),
        pytest.param(
            "import tensorflow as tf\r\n\r\nx = tf.placeholder(1)\r\n",
            "import tensorflow.compat.v1 as tf\r\n\r\ntf.disable_v2_behavior()\r\n\r\n"
            "x = tf.placeholder(1)\r\n",
            id="CRLF",
        ),
        pytest.param(
            "import tensorflow as tf\ntf.disable_v2_behavior()\nx = tf.placeholder(1)\n",
            "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\nx = tf.placeholder(1)\n",
            id="already switched off",
        ),
        pytest.param(
            "import tensorflow as tf\nfrom tensorflow.contrib import framework, learn\n"
            "framework.nest.flatten(tf.placeholder(1))\nlearn.RunConfig()\n",
            "import tensorflow.compat.v1 as tf\nfrom tensorflow.contrib import learn\n\n"
            "tf.disable_v2_behavior()\n\n"
            "tf.nest.flatten(tf.placeholder(1))\nlearn.RunConfig()\n",
            id="a contrib name with a home, and one without",
        ),
    ],
)
def test_the_switch(before: str, after: str) -> None:
    assert upgraded(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "import tensorflow as tf\ny = tf.log(x)\n",
            "import tensorflow as tf\ny = tf.math.log(x)\n",
            id="usual",
        ),
        pytest.param(
            "import tensorflow\ny = tensorflow.log(x)\n",
            "import tensorflow\ny = tensorflow.math.log(x)\n",
            id="plain import",
        ),
        pytest.param(
            "from tensorflow import log\ny = log(log(x))\n",
            "from tensorflow.math import log\ny = log(log(x))\n",
            id="the import moves, its uses stay",
        ),
        pytest.param(
            "from tensorflow import log as ln, exp\ny = ln(exp(x))\n",
            "from tensorflow.math import log as ln\nfrom tensorflow import exp\ny = ln(exp(x))\n",
            id="one of two moves",
        ),
        pytest.param(
            "import tensorflow as tf\nf = getattr(tf, 'log')\n",
            "import tensorflow as tf\nf = tf.math.log\n",
            id="getattr with a literal",
        ),
        pytest.param(
            "import tensorflow as tf\nln = tf.log\ny = ln(x)\n",
            "import tensorflow as tf\nln = tf.math.log\ny = ln(x)\n",
            id="alias",
        ),
        pytest.param(
            "import tensorflow as tf\ny = tf.log(tf.reduce_sum(tf.log(x), keep_dims=True))\n",
            "import tensorflow as tf\n"
            "y = tf.math.log(tf.reduce_sum(tf.math.log(x), keepdims=True))\n",
            id="nested",
        ),
    ],
)
def test_native(before: str, after: str) -> None:
    assert upgraded(before) == after


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("import tensorflow as tf\nx = tf.constant(1)\n", id="in both"),
        pytest.param(
            "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\nx = tf.placeholder(1)\n",
            id="compat.v1 that works",
        ),
        pytest.param(
            "import tensorflow as tf\nwith tf.compat.v1.Session() as s: pass\n", id="spelled out"
        ),
        pytest.param("import tensorflow as tf\ndef f(tf): return tf.log(1)\n", id="shadowed"),
        pytest.param("import numpy as tf\nx = tf.log(1)\n", id="not TensorFlow"),
        pytest.param("import tensorflow as tf\nif hasattr(tf, 'log'):\n    pass\n", id="asked for"),
        pytest.param("'''import tensorflow as tf; tf.log'''\n", id="a docstring"),
        pytest.param(
            "import tensorflow as tf\nx = tf.where(a, b, c)\ny = tf.math.log(x)\n",
            id="TF 2 code keeps TF 2's meaning",
        ),
        pytest.param(
            "import tensorflow as tf  # migrate: skip-file\nx = tf.placeholder(1)\n", id="skipped"
        ),
    ],
)
def test_left_alone(source: str) -> None:
    assert upgraded(source) == source


def test_what_tf2_had_up_to_keras_3_is_no_sign_of_tf1_beside_what_tf1_never_had() -> None:
    """An Estimator in a package for TF 2 switches nothing off."""
    net = "import tensorflow as tf\ndef net(x):\n    return tf.math.log(x)\n"
    estimator = "import tensorflow as tf\nimport net\nclass A(tf.estimator.Estimator): pass\n"
    for seed, switched in (("tf.random.set_seed(1)", False), ("tf.set_random_seed(1)", True)):
        main = f"import tensorflow as tf\nimport estimator\n{seed}\n"
        results = run(main=main, estimator=estimator, net=net)
        after = results["main"].after or main.encode()
        assert (b"disable_v2_behavior" in after) == switched, after


def test_tf2_code_with_a_graph_has_no_session_to_keep() -> None:
    base = "import tensorflow as tf\nKIND = type(tf.function(lambda: None, autograph=False))\n"
    main = (
        "import tensorflow as tf\nimport base\nclass Test(tf.test.TestCase):\n"
        "    def test_kind(self):\n        with tf.Graph().as_default():\n"
        "            self.assertTrue(base.KIND)\n"
    )
    said = [f.rule for r in run(main=main, base=base).values() for f in r.left]
    assert "TFM420" not in said
    called = main.replace("tf.Graph().as_default()", "tf.compat.v1.Session()")
    said = [f.rule for r in run(main=called, base=base).values() for f in r.left]
    assert "TFM420" in said


MODEL = "import tensorflow as tf\ndef net(x):\n    return tf.log(x)\n"


def test_a_library_follows_the_program_that_imports_it() -> None:
    main = "import tensorflow as tf\nimport model\nx = model.net(tf.placeholder(tf.float32))\n"
    results = run(main=main, model=MODEL)
    assert results["main"].level is results["model"].level is Level.COMPAT
    after = (results["model"].after or b"").decode()
    assert after == MODEL.replace("import tensorflow", "import tensorflow.compat.v1")


def test_a_library_that_builds_its_graph_when_imported_switches_too() -> None:
    layer = "import tensorflow as tf\ndef make():\n    return tf.placeholder(tf.float32)\nx = {}\n"
    main = "import tensorflow as tf\nimport layer\nwith tf.Session() as s:\n    s.run(layer.x)\n"
    through = layer.replace("x = ", "def build():\n    return make()\nx = ")
    for source, called in ((layer, "make()"), (layer, "None"), (through, "build()")):
        after = run(main=main, layer=source.format(called))["layer"].after or b""
        assert (b"disable_v2_behavior" in after) == (called != "None")


def test_a_test_that_opens_a_session_is_of_tf_1() -> None:
    source = (
        "import tensorflow as tf\n\n\nclass T(tf.test.TestCase):\n    def test_it(self):\n"
        "        with self.{}():\n            self.assertAllEqual(tf.square(2).eval(), 4)\n"
        "            self.assertEqual(tf.get_default_graph().version, 0)\n"  # it keeps its graph
    )
    result = run(t=source.format("test_session"))["t"]
    assert result.level is Level.COMPAT
    assert b"disable_v2_behavior()" in (result.after or b"")
    plain = source.replace("tf.get_default_graph().version", "0")
    assert run(t=plain.format("subTest"))["t"].after is None


def test_and_stays_native_without_one() -> None:
    other = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
    results = run(other=other, model=MODEL)
    assert results["other"].level is Level.COMPAT
    assert results["model"].level is Level.NATIVE


def test_programs_meet_in_a_module_without_tensorflow() -> None:
    main = "import tensorflow as tf\nimport middle\nx = tf.placeholder(tf.float32)\n"
    results = run(main=main, middle="from model import net\n", model=MODEL)
    assert results["model"].level is Level.COMPAT


def test_two_files_that_import_each_other() -> None:
    results = run(
        a="import tensorflow as tf\nimport b\nx = tf.placeholder(1)\n",
        b="import tensorflow as tf\nimport a\ny = tf.log(1.)\n",
    )
    assert results["a"].level is results["b"].level is Level.COMPAT


def test_a_file_that_does_not_parse_is_left_and_said() -> None:
    results = run(odd="import tensorflow as tf\n<<<<<<< HEAD\n", fine=MODEL)
    assert results["odd"].status == "failed"
    assert results["odd"].after is None
    assert "does not parse" in results["odd"].left[0].message
    assert results["fine"].status == "changed"


def test_what_parses_and_does_not_compile_is_left_and_said() -> None:
    text = (
        "import tensorflow as tf\n\n\ndef f():\n    print(s)\n    global s\n    s = tf.log(1.0)\n"
    )
    result = run(odd=text)["odd"]
    assert result.status == "failed"
    assert result.after is None
    assert "Python does not compile it: name 's' is used prior" in result.left[0].message


def test_every_lost_import_is_said_where_it_stands() -> None:
    text = "from tensorflow.contrib import slim, rnn\nimport tensorflow as tf\n"
    result = run(a=text + "__all__ = ['slim', 'rnn']\n")["a"]
    assert [(f.line, f.endpoint) for f in result.left] == [
        (1, "tf.contrib.slim"),
        (1, "tf.contrib.rnn"),
    ]


def test_a_suppressed_place_is_not_touched() -> None:
    source = "import tensorflow as tf\na = tf.log(x)  # noqa: TFM101\nb = tf.log(x)\n"
    assert upgraded(source) == (
        "import tensorflow as tf\na = tf.log(x)  # noqa: TFM101\nb = tf.math.log(x)\n"
    )


def test_level_compat_on_request() -> None:
    (result,) = texts({"m.py": MODEL.encode()}, Options(level="compat"))
    assert result.level is Level.COMPAT
    assert b"tensorflow.compat.v1 as tf" in (result.after or b"")


def test_eager_programs_have_no_graph() -> None:
    source = """\
        import tensorflow as tf
        tf.enable_eager_execution()
        print(tf.log(1.0))
        """
    result = run(a=source)["a"]
    assert result.level is Level.NATIVE


def test_python_2_helpers_of_a_program_come_along() -> None:
    main = "import tensorflow as tf\nimport util\nx = tf.placeholder(1)\n"
    results = run(main=main, util="print 'loading'\n", elsewhere="print 'not ours'\n")
    assert results["util"].after == b"print('loading')\n"
    assert results["elsewhere"].status == "unchanged"


def test_a_comment_behind_the_statement_counts_for_all_of_it() -> None:
    source = "import tensorflow as tf\na = tf.exp(\n    tf.log(x)\n)  # noqa: TFM101\n"
    assert upgraded(source) == source


def test_imports_in_functions_switch_off_there() -> None:
    source = "import time\nt = time.clock()\n\ndef f():\n    import tensorflow as tf\n"
    new = upgraded(source + "    return tf.placeholder(1)\n")
    assert "    import tensorflow.compat.v1 as tf\n    tf.disable_v2_behavior()\n" in new
    assert new.count("disable_v2_behavior") == 1


def test_an_eager_program_that_stays_at_compat_keeps_eager_execution() -> None:
    source = "import tensorflow as tf\ntf.enable_eager_execution()\nwith tf.Session(): pass\n"
    assert upgraded(source) == (
        "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n\n"
        "tf.enable_eager_execution()\nwith tf.Session(): pass\n"
    )


def test_switch_has_a_name_where_tensorflow_is_imported_in_functions() -> None:
    new = upgraded(
        """\
        from tensorflow.contrib.layers import xavier_initializer


        def f(x):
            import tensorflow as tf

            return tf.get_variable("w", [2], initializer=xavier_initializer())
        """
    )
    assert new.startswith("import tensorflow.compat.v1 as tf1\n")
    assert "\ntf1.disable_v2_behavior()\n" in new


def test_switch_stands_behind_the_import_that_names_it() -> None:
    new = upgraded(
        """\
        from tensorflow.examples.tutorials.mnist import input_data

        mnist = input_data.read_data_sets("data")

        import tensorflow as tf

        x = tf.placeholder(tf.float32)
        """
    )
    assert new.index("import tensorflow.compat.v1 as tf\n") < new.index("tf.disable_v2_behavior()")


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("pad_sequences", "preprocessing.sequence"),
        ("BatchNormalization", "layers"),
        ("load_data", "datasets.mnist"),
    ],
)
def test_keras_is_imported_by_a_path_that_exists(name: str, module: str) -> None:
    head = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
    source = f"from tensorflow.python.keras.{module} import {name}\n{head}"
    after = (run(p=source)["p"].after or b"").decode()
    assert f"from tensorflow.keras.{module} import {name}\n" in after


def test_switch_stands_behind_an_import_that_takes_the_place_of_another() -> None:
    source = (
        "from tensorflow.python.ops import array_ops\nfrom tensorflow.python.util import nest\n\n"
        "x = array_ops.placeholder(1)\nnest.flatten(x)\n"
    )
    after = (run(p=source)["p"].after or b"").decode()
    assert after.index("import tensorflow.compat.v1 as tf\n") < after.index("disable_v2_behavior()")


def test_lost_module_behind_getattr_and_dunder() -> None:
    result = run(
        p="""\
        import tensorflow as tf

        cells = tf.contrib.bayesflow.__dict__
        cell = getattr(tf.contrib.bayesflow, name)
        tf.placeholder(tf.float32)
        print(tf.__version__)
        """
    )["p"]
    found = [(f.line, f.endpoint) for f in result.left]
    assert found == [
        (3, "tf.contrib.bayesflow"),
        (4, None),
        (4, "tf.contrib.bayesflow"),
    ]


def test_a_module_of_compat_v1_behind_dunder() -> None:
    source = "import tensorflow as tf\n\nlevel = tf.logging.__dict__['INFO']\nx = tf.nn.__name__\n"
    after = (run(p=source)["p"].after or b"").decode()
    assert "level = tf.compat.v1.logging.__dict__['INFO']\nx = tf.nn.__name__\n" in after


def test_a_second_name_of_compat_v1_in_a_file_that_is_kept_there() -> None:
    source = (
        "import tensorflow as tf\n\ntfc = tf.compat.v1\nx = tfc.placeholder(tf.float32)\n"
        "with tf.Session() as sess:\n    print(sess.run(x, {x: 1.0}), tf.get_default_graph().seed)\n"
    )
    (result,) = run(p=source).values()
    assert b"import tensorflow.compat.v1 as tf\n" in (result.after or b"")
    assert b"\ntfc = tf.compat.v1\n" in (result.after or b"")


def test_unknown_name_of_a_module_that_a_rule_covers() -> None:
    result = run(p="import tensorflow as tf\n\ntf.logging.fino(tf.placeholder(tf.int32))\n")["p"]
    assert [f.rule for f in result.left] == ["TFM105"]


def test_what_python_2_took_is_said_of_native_programs_too() -> None:
    main = (
        "import tensorflow as tf\nfrom model import Net\nnet = Net()\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n    print sess.run(net.y, {net.x: 1.0})\n"
    )
    model = (
        "import tensorflow as tf\n\n\nclass Net(object):\n    def __init__(self):\n"
        "        self.x = tf.placeholder(tf.float32)\n        self.y = self.x * 2\n\n"
        "    def half(self, n):\n        print 'half'\n        return n / 2\n"
    )
    files = {"main": main, "model": model}
    for path, result in run(**files).items():
        assert result.level is Level.NATIVE
        assert "TFM801" in {f.rule for f in result.fixed}
        doubts = [f.line for f in result.left if f.rule == "TFM802"]
        assert doubts == [n for n, x in enumerate(files[path].split("\n"), 1) if " / " in x]
    text = "import tensorflow as tf\ny = tf.constant(1) + 1\nwith tf.Session() as sess:\n"
    alone = run(a=f"{text}    print sess.run(y)\n")["a"]
    assert alone.level is Level.NATIVE
    assert [f.line for f in alone.fixed if f.rule == "TFM801"] == [4]


def test_compat_v2_is_tensorflow_itself() -> None:
    source = "import tensorflow.compat.v2 as tf\nh = tf.compat.v1.layers.dense(1, 2)\n"
    found = run(a=source)["a"]
    assert [(f.line, f.rule) for f in found.left] == [(2, "TFM601")]


KERAS = (
    "import tensorflow as tf\n{}tf.set_random_seed(1)\n"
    "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
    "model.compile(optimizer=tf.train.AdamOptimizer(0.1), loss='mse')\nmodel.fit(x, y)\n"
)


def test_keras_trains_without_a_graph() -> None:
    found = run(a=KERAS.format(""))["a"]
    assert found.level is Level.NATIVE
    assert b"keras.optimizers.Adam(0.1, epsilon=1e-08)" in (found.after or b"")


def test_keras_beside_a_graph_keeps_it() -> None:
    session = "import tensorflow as tf\n\n\ndef f(t):\n    return tf.Session().run(t)\n"
    found = run(a=KERAS.format("from b import f\n"), b=session)
    assert {r.level for r in found.values()} == {Level.COMPAT}
    assert b"tf.disable_v2_behavior()" in (found["a"].after or b"")
    own = KERAS.format(
        "sess = tf.Session()\ntf.keras.backend.set_session(sess)\nprint(sess.graph)\n"
    )
    assert run(a=own)["a"].level is Level.COMPAT
    alone = KERAS.format("tf.keras.backend.set_session(tf.Session())\n")
    assert run(a=alone)["a"].level is Level.NATIVE


def test_a_pattern_that_is_compiled_trains_nothing() -> None:
    layer = "import re\nimport tensorflow as tf\nre.compile('a')\ntf.set_random_seed(1)\n"
    found = run(a=f"{layer}d = tf.keras.layers.Dense(1)\n")["a"]
    assert found.level is Level.COMPAT


def test_only_the_entry_switches_where_keras_is_imported() -> None:
    main = "import tensorflow as tf\nimport a\nx = tf.placeholder(1)\nprint(tf.Session().run(x, {x: a.z}))\n"
    found = run(a=KERAS.format(""), main=main)
    assert {r.level for r in found.values()} == {Level.COMPAT}


def test_what_a_private_module_has_lost_is_told_and_fails_no_file() -> None:
    source = """\
        import tensorflow as tf
        from tensorflow.python.feature_column import dense_features

        x = dense_features.DenseFeatures([])
        y = tf.log(2.0)
        """
    result = run(program=source)["program"]
    assert result.status == "changed"
    assert "tf.math.log" in (result.after or b"").decode()
    assert [f.rule for f in result.left] == ["TFM104"]


def test_each_cell_of_a_notebook_is_compiled_alone() -> None:
    cells = ["import tensorflow as tf\nrate = 1.0\n", "global rate\nrate = tf.log(2.0)\n"]
    notebook = {
        "cells": [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
            | {"source": cell.splitlines(keepends=True)}
            for cell in cells
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 2,
    }
    (result,) = texts({"a.ipynb": json.dumps(notebook).encode()}, Options())
    assert result.status == "changed", result.left
