"""Names resolve by scope: every import spelling, aliases, shadowing, guards."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from migrate.engine.names import Names
from migrate.engine.names_resolve import analyse
from migrate.engine.plan import canonical


def names_of(source: str) -> Names:
    text = dedent(source)
    return analyse(ast.parse(text), text)


def resolved(source: str) -> list[str]:
    return [r.name for r in names_of(source).references]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("import tensorflow as tf\ntf.nn.relu", id="usual alias"),
        pytest.param("import tensorflow as T\nT.nn.relu", id="another alias"),
        pytest.param("import tensorflow\ntensorflow.nn.relu", id="plain"),
        pytest.param("from tensorflow import nn\nnn.relu", id="from"),
        pytest.param("from tensorflow import nn as N\nN.relu", id="from as"),
        pytest.param("from tensorflow.nn import relu\nrelu", id="leaf"),
        pytest.param("import tensorflow.nn as nn\nnn.relu", id="submodule as"),
        pytest.param("import tensorflow.nn\ntensorflow.nn.relu", id="submodule plain"),
        pytest.param("import os, tensorflow as tf\ntf.nn.relu", id="second of two"),
        pytest.param("import tensorflow as tf\ngetattr(tf.nn, 'relu')", id="getattr literal"),
        pytest.param("def f():\n    import tensorflow as tf\n    return tf.nn.relu", id="local"),
        pytest.param(
            "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\ntf.nn.relu",
            id="optional",
        ),
        pytest.param(
            "def f():\n    return tf.nn.relu\nimport tensorflow as tf", id="bound further down"
        ),
        pytest.param(
            "def f():\n    global tf\n    import tensorflow as tf\ndef g():\n    return tf.nn.relu",
            id="global",
        ),
        pytest.param("import tensorflow as tf\n[tf.nn.relu for i in x]", id="comprehension"),
        pytest.param("import tensorflow as tf\nlambda: tf.nn.relu", id="lambda"),
        pytest.param("import tensorflow as tf\n@tf.nn.relu\ndef f(): pass", id="decorator"),
        pytest.param("import tensorflow as tf\ndef f(tf=tf.nn.relu): pass", id="default"),
        pytest.param("import tensorflow as tf\nclass A(tf.nn.relu): tf = 1", id="base class"),
        pytest.param("import tensorflow as tf\nf'{tf.nn.relu}'", id="f-string"),
        pytest.param("import tensorflow as tf\nx: tf.nn.relu = 1", id="annotation"),
        pytest.param(
            "from tensorflow import (\n    nn,  # nets\n)\nnn.relu", id="parenthesised import"
        ),
        pytest.param(
            "import tensorflow as tf\nclass A:\n    tf = 1\n    def f(self):\n"
            "        return tf.nn.relu",
            id="class attribute doesn't hide",
        ),
    ],
)
def test_spellings(source: str) -> None:
    assert "tensorflow.nn.relu" in resolved(source)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("import tensorflow as tf\ndef f(tf): return tf.nn", id="parameter"),
        pytest.param("import tensorflow as tf\ndef f():\n    tf = 1\n    tf.nn", id="local"),
        pytest.param("import tensorflow as tf\nlambda tf: tf.nn", id="lambda"),
        pytest.param("import tensorflow as tf\n[tf.nn for tf in x]", id="comprehension"),
        pytest.param("import tensorflow as tf\ndef f():\n    for tf in x: tf.nn", id="for"),
        pytest.param("import tensorflow as tf\ndef f():\n    with x as tf: tf.nn", id="with"),
        pytest.param("import tensorflow as tf\ndef f(*tf): tf.nn", id="varargs"),
        pytest.param(
            "import tensorflow as tf\ndef f():\n    import x as tf\n    tf.nn", id="import"
        ),
        pytest.param(
            "import tensorflow as tf\ndef f():\n    try: pass\n    except E as tf: tf.nn",
            id="except",
        ),
        pytest.param("import tensorflow as tf\ndef f():\n    (tf := 1)\n    tf.nn", id="walrus"),
        pytest.param(
            "import tensorflow as tf\ndef f(x):\n    match x:\n        case tf: tf.nn", id="match"
        ),
        pytest.param("from .tensorflow import nn\nnn.relu", id="relative"),
        pytest.param("import tensorflow_probability as tfp\ntfp.nn", id="another package"),
        pytest.param("'''import tensorflow as tf'''\ntf.nn.relu", id="in a string"),
        pytest.param("class A:\n    import tensorflow as tf\ntf.nn.relu", id="in a class only"),
    ],
)
def test_not_tensorflow(source: str) -> None:
    assert resolved(source) == []


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import tensorflow as tf\nrnn = tf.nn.rnn_cell\nrnn.GRUCell", "tensorflow.nn.rnn_cell.GRUCell"),
        ("import tensorflow as tf\na = tf.nn\nb = a\nb.relu", "tensorflow.nn.relu"),
        ("from tensorflow.contrib import slim\nslim.conv2d", "tensorflow.contrib.slim.conv2d"),
        ("import tensorflow.contrib.layers as L\nL.conv2d", "tensorflow.contrib.layers.conv2d"),
        ("import tensorflow.compat.v1 as tf\ntf.log", "tensorflow.compat.v1.log"),
        ("from tensorflow.python.ops import array_ops\narray_ops.concat",
         "tensorflow.python.ops.array_ops.concat"),
        ("import tensorflow as tf\ntf = tf.compat.v1\ntf.log", "tensorflow.compat.v1.log"),
        ("try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
         "    import tensorflow as tf\ntf.log", "tensorflow.compat.v1.log"),
        ("import tensorflow as tf\nif tf.__version__ > '2':\n    import tensorflow.compat.v1 as tf\n"
         "tf.log", "tensorflow.compat.v1.log"),
    ],
)  # fmt: skip
def test_aliases(source: str, name: str) -> None:
    assert name in resolved(source)


def test_a_chain_ends_at_a_call() -> None:
    source = "import tensorflow as tf\ntf.train.AdamOptimizer(0.1).minimize(tf.log(x))"
    names = names_of(source)
    assert [r.name for r in names.references] == [
        "tensorflow.train.AdamOptimizer",
        "tensorflow.log",
    ]
    assert all(r.call is not None for r in names.references)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("from tensorflow import *", "star"),
        ("import tensorflow as tf\ntf = load()\ntf.log", "ambiguous"),
        ("import tensorflow as tf\ngetattr(tf.nn, name)", "computed"),
        ("import tensorflow as tf\ntf.log = my_log", "escape"),
    ],
)
def test_what_cannot_be_known_is_said(source: str, kind: str) -> None:
    names = names_of(source)
    assert [p.kind for p in names.problems] == [kind]


@pytest.mark.parametrize("name", ["tf.app.flags.FLAGS", "tf.flags.FLAGS", "FLAGS"])
def test_a_flag_is_set_by_the_program_itself(name: str) -> None:
    source = f"import tensorflow as tf\nFLAGS = tf.app.flags.FLAGS\n{name}.steps = 3"
    assert names_of(source).problems == []


def test_flags_that_are_replaced_are_not() -> None:
    assert names_of("import tensorflow as tf\ntf.flags.FLAGS = load()").problems


def test_star_import_of_another_package_is_none_of_ours() -> None:
    assert names_of("import tensorflow as tf\nfrom numpy import *\ntf.log").problems == []


@pytest.mark.parametrize(
    "source",
    [
        "import tensorflow as tf\nhasattr(tf, 'log') and tf.nn.relu(hasattr(tf.nn, 'x'))",
        "import tensorflow as tf\ngetattr(tf, 'log', None)",
    ],
)
def test_guards(source: str) -> None:
    names = names_of(source)
    assert any(r.guarded for r in names.references)


def test_what_is_patched_is_used() -> None:
    source = "import tensorflow as tf\nsetattr(tf.contrib.rnn.GRUCell, 'a', 1)\nsetattr(tf, 'b', 2)"
    found = [(r.name, r.guarded) for r in names_of(source).references]
    assert found == [("tensorflow.contrib.rnn.GRUCell", False), ("tensorflow", True)]


def test_methods_are_collected_on_values_only() -> None:
    text = "import tensorflow as tf\nx.shape[0].value\n(a + b).value"
    found = analyse(ast.parse(text), text, frozenset({"value"}))
    assert len(found.methods) == 2


def test_the_module_that_contrib_summary_is_made_of_is_contrib_summary() -> None:
    name = "tensorflow.contrib.summary.summary"
    assert canonical(f"{name}.scalar") == "tensorflow.contrib.summary.scalar"
    assert canonical(name) == "tensorflow.contrib.summary"
    assert canonical("tensorflow.contrib.summary.summary_ops") == f"{name}_ops"
