"""Whatever Python a file holds: no crash, nothing changed that isn't TensorFlow's, stable output."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesmith import from_grammar

from migrate.engine.options import Options
from migrate.engine.runner import texts

SETTINGS = settings(
    derandomize=True,
    deadline=None,
    max_examples=40,
    suppress_health_check=list(HealthCheck),
)
HEADS = [
    "import tensorflow as tf\n",
    "import tensorflow\n",
    "from tensorflow import log, placeholder as P\n",
    "from tensorflow.contrib import slim\n",
    "import tensorflow.compat.v1 as tf\n",
]
TAILS = ["tf.placeholder(1)\n", "tf.log(1.0)\n", "x = tf.reduce_sum(1, keep_dims=True)\n", ""]


def upgraded(source: str) -> str:
    """The new text; a file may be declined, but never by an error of the tool's own."""
    (result,) = texts({"a.py": source.encode()}, Options())
    assert "internal error" not in result.reason, result.reason
    assert "please report" not in result.reason, result.reason
    return (result.after or source.encode()).decode()


@pytest.mark.slow
@SETTINGS
@given(from_grammar(), st.sampled_from(HEADS), st.sampled_from(TAILS))
def test_any_source_beside_tensorflow(source: str, head: str, tail: str) -> None:
    text = head + source + ("" if source.endswith("\n") else "\n") + tail
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return
        new = upgraded(text)
        ast.parse(new)
        assert upgraded(new) == new
        if "tf" not in source and "tensorflow" not in source:
            assert [line for line in source.split("\n") if line.strip() and line not in new] == []


ARGUMENTS = st.lists(
    st.sampled_from(
        ["x", "(y)", "a if b else c", "*z", "k=1", "axis=0", "keep_dims=True", "name='n'",
         "'a,b('", "[i for i in x]", "lambda a, b: a", "**kw", "-1", "f'{x}'", "0.5", "keep_prob=p"]
    ),
    max_size=5,
)  # fmt: skip
CALLS = st.sampled_from(
    ["tf.reduce_sum", "tf.nn.dropout", "tf.argmax", "tf.log", "tf.to_float", "tf.gather",
     "tf.expand_dims", "tf.where", "tf.string_split", "tf.random_normal", "tf.gfile.Exists"]
)  # fmt: skip
JOINTS = st.sampled_from([", ", ",\n    ", ", # why\n    ", " , ", ",\\\n"])


@SETTINGS
@given(st.lists(st.tuples(CALLS, ARGUMENTS, JOINTS, st.booleans()), min_size=1, max_size=4))
def test_any_layout_of_a_call(calls: list[tuple[str, list[str], str, bool]]) -> None:
    lines = ["import tensorflow as tf"]
    for function, arguments, joint, trailing in calls:
        end = "," if trailing and arguments else ""
        lines.append(f"r = {function}({joint.join(arguments)}{end})")
    text = "\n".join(lines) + "\n"
    try:
        ast.parse(text)
    except SyntaxError:
        return
    new = upgraded(text)
    ast.parse(new)
    assert new.count("# why") == text.count("# why")
    assert upgraded(new) == new
