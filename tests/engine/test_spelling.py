"""Programs that say compat.v1 already: what is lost comes from the shims, sessions become functions."""

from __future__ import annotations

import textwrap

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PLACEHOLDER = "x = tf.compat.v1.placeholder(tf.float32, [None, 2])\n"
RUN = "print(tf.compat.v1.Session().run(y, {x: [[1, 2]]}))\n"


def run(source: str, options: Options | None = None) -> FileResult:
    (result,) = texts({"a.py": textwrap.dedent(source).encode()}, options or Options())
    return result


def after(source: str) -> str:
    result = run(source)
    assert result.after is not None, [f.message for f in result.left]
    again = run(result.after.decode())
    assert again.after is None, again.after
    return result.after.decode()


def stopped(line: str) -> str:
    result = run(f"import tensorflow as tf\n{PLACEHOLDER}{line}\n{RUN}")
    assert result.after is None
    (left,) = result.left
    assert left.line == 3
    return left.message.partition("session: ")[2]


@pytest.mark.parametrize(
    "head",
    [
        "import tensorflow.compat.v1 as tf",
        "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()",
        "from tensorflow.compat import v1 as tf\ntf.disable_eager_execution()",
    ],
)
def test_an_import_of_compat_v1(head: str) -> None:
    text = after(
        head
        + """
x = tf.placeholder(tf.float32, [None, 2])
y = tf.reduce_sum(x, keep_dims=True)
with tf.Session() as sess:
    print(sess.run(y, {x: [[1, 2]]}))
"""
    )
    assert text == (
        """import tensorflow as tf
x = tf.TensorSpec([None, 2], tf.float32)


@tf.function(input_signature=[x])
def compute_y(x):
    return tf.reduce_sum(x, keepdims=True)


print(compute_y([[1, 2]]).numpy())
"""
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y = tf.reduce_sum(input_tensor=x, axis=1)", "tf.reduce_sum(input_tensor=x, axis=1)"),
        ("y = tf.ones_like(input=x)", "tf.ones_like(input=x)"),
        ("y = tf.nn.dropout(x, rate=1 - (0.5))", "tf.nn.dropout(x, rate=1 - (0.5))"),
        ("y = tf.where(x > 0, x, 0.0)", "tf.where(x > 0, x, 0.0)"),
        (
            "y = tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=x)",
            "tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=x)",
        ),
        (
            "y = tf.nn.sigmoid_cross_entropy_with_logits(x, 2 * x)",
            "tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=2 * x)",
        ),
    ],
)
def test_names_of_tf_2_beside_it_mean_the_same_afterwards(line: str, expected: str) -> None:
    assert f"return {expected}\n" in after(f"import tensorflow as tf\n{PLACEHOLDER}{line}\n{RUN}")


@pytest.mark.parametrize(
    "line",
    [
        "y = tf.nn.dropout(x, 0.5)",  # a rate; TF 1's keep_prob stood there
        "y = tf.cond(x[0, 0] > 0, lambda: [x], lambda: [x])",
        "y = tf.image.resize(x, [2, 2])",
        "y = tf.strings.split(['a b'])",
    ],
)
def test_what_tf_1_did_otherwise_keeps_the_session(line: str) -> None:
    assert stopped(line).endswith("isn't TF 1's, and compat.v1 is used beside it")


def test_what_tf_1_did_not_have_keeps_the_session() -> None:
    assert stopped("y = tf.experimental.numpy.sum(x)").startswith("TF 1 has no tf.experimental")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tf.compat.v1.layers.dense(x, 3)", "tf1_shim.layers.dense(x, 3)"),
        ("tf.compat.v1.nn.rnn_cell.GRUCell(3)", "tf1_shim.nn.rnn_cell.GRUCell(3)"),
        ("tf.compat.v1.estimator.Estimator(f)", "estimator_shim.Estimator(f)"),
        ("tf.estimator.Estimator(f)", "estimator_shim.Estimator(f)"),
    ],
)
def test_what_keras_3_has_lost_comes_from_the_shims(line: str, expected: str) -> None:
    source = f"import tensorflow as tf\n\ndef g(x, f):\n    tf.nn.dropout(x, 0.3)\n    {line}\n"
    source += "    return tf.compat.v1.train.get_global_step()\n"
    text = after(source)
    assert expected in text
    assert "import tensorflow as tf\n" in text
    assert "tf.nn.dropout(x, 0.3)" in text  # TF 2's own names keep their meaning


def test_a_fallback_to_tf_1_hides_nothing() -> None:
    text = after(
        """\
        try:
            import tensorflow.compat.v1 as tf
        except ImportError:
            import tensorflow as tf

        def f(x):
            return tf.contrib.layers.flatten(tf.layers.dense(x, 3))
        """
    )
    assert "tf1_shim.contrib.layers.flatten(tf1_shim.layers.dense(x, 3))" in text


def test_a_division_as_a_dimension_is_an_int_in_functions_too() -> None:
    text = after(
        """\
        import tensorflow as tf

        n = 4
        x = tf.placeholder(tf.float32, [None, n / 2])
        w = tf.get_variable('w', [n / 2, 1], initializer=tf.ones_initializer())
        y = tf.matmul(x, w)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(y, {x: [[1.0, 2.0]]}))
        """
    )
    assert "x = tf.TensorSpec([None, n // 2], tf.float32)" in text
    assert "w = tf.Variable(tf.ones([n // 2, 1]), name='w')" in text


def test_names_are_imported_from_compat_v1() -> None:
    text = after(
        """\
        import tensorflow.compat.v1 as tf
        from tensorflow.compat.v1 import (
            train as t,
            float32)
        from tensorflow.compat.v1.nn import relu

        x = tf.placeholder(float32, [None, 2])
        y = tf.reduce_mean(relu(tf.layers.dense(x, 1)))
        op = t.GradientDescentOptimizer(0.1).minimize(y)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([y, op], {x: [[1, 2]]})[0])
        """
    )
    assert "compat" not in text
    assert "tf.keras.layers.Dense(1)" in text
    assert "tf.keras.optimizers.SGD(0.1)" in text


def test_a_name_of_compat_v1_says_nothing_of_tf() -> None:
    result = run(
        """\
        import tensorflow as tf
        from tensorflow.compat.v1 import placeholder, Session

        x = placeholder(tf.float32, [None, 2])
        y = tf.nn.gelu(x)
        print(Session().run(y, {x: [[1, 2]]}))
        """
    )
    assert result.after is None
    (left,) = result.left
    assert "TF 1 has no tf.nn.gelu" in left.message


FETCHED = f"{PLACEHOLDER}y = x\n{RUN[:-1].replace('y', repr('x:0'))}\n"


@pytest.mark.parametrize(
    "head",
    [
        "tf.compat.v1.disable_v2_behavior()\n",
        "g = tf.Graph()\ng.as_default().__enter__()\n",
        "from graphs import g\ng.as_default().__enter__()\n",
        "y = tf.image.resize(tf.zeros([1, 2, 2, 1]), [2, 2])\n",  # another one in TF 1
        "y = tf.experimental.numpy.sum([1])\n",
    ],
)
def test_code_on_compat_v1_that_is_not_followed_stays_as_it_is(head: str) -> None:
    result = run(f"import tensorflow as tf\n{head}{FETCHED}")
    assert result.after is None
    assert result.level is Level.NATIVE
    assert [f.rule for f in result.left] == ["TFM420"]


def test_names_that_only_tf_1_has_make_the_others_its_own() -> None:
    """TF 2 has a `random_normal_initializer`, too, of another deviation."""
    made = "w = tf.compat.v1.get_variable('w', [2, 1], initializer=tf.random_normal_initializer())"
    begun = "sess = tf.compat.v1.Session()\nsess.run(tf.compat.v1.global_variables_initializer())"
    fetched = (
        f"{PLACEHOLDER}{made}\ny = tf.matmul(x, w)\n{begun}\nprint(sess.run(y, {{x: [[1, 2]]}}))"
    )
    text = after(f"import tensorflow as tf\ntf.set_random_seed(1)\n{fetched}\n")
    assert 'tf.Variable(tf.random.normal([2, 1]), name="w")' in text.replace("'", '"')
    # what tf_upgrade_v2 leaves as it was says nothing of the other names
    others = ("", "c = tf.contrib.layers.flatten(tf.zeros([1, 2]))\n", "tf.random.set_seed(1)\n")
    for line in others:
        reasons = [f.message for f in run(f"import tensorflow as tf\n{line}{fetched}\n").left]
        assert any("and compat.v1 is used beside it" in reason for reason in reasons), reasons


def test_a_session_that_only_tf_1_ran_gets_its_graph_back() -> None:
    """Eagerly, its placeholder raised."""
    switch = "\ntf.compat.v1.disable_v2_behavior()\n"
    assert after(f"import tensorflow as tf\n{FETCHED}") == (
        f"import tensorflow as tf\n{switch}\n{FETCHED}"
    )
    star = FETCHED.replace("tf.compat.v1.", "tf.")
    assert after(f"import tensorflow.compat.v1 as tf\n{star}") == (
        f"import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n\n{star}"
    )


MONITORED = """
import tensorflow as tf


class Shown(tf.estimator.SessionRunHook):
    def before_run(self, context):
        return tf.estimator.SessionRunArgs(y)


x = tf.compat.v1.placeholder(tf.float32)
y = x + 1
with tf.compat.v1.train.MonitoredSession(hooks=[Shown()]) as sess:
    print(sess.run(y, {x: 1.0}))
"""


def test_a_monitored_session_that_only_tf_1_ran_gets_its_graph_back() -> None:
    new = run(MONITORED, Options(level=Level.COMPAT)).after
    assert new is not None
    assert b"tf.disable_v2_behavior()" in new
    assert b"tf.train.SessionRunHook" in new
    # an Estimator's model makes its graph itself
    models = MONITORED + "model = tf.estimator.Estimator(lambda features: None)\n"
    result = run(models, Options(level=Level.COMPAT))
    assert b"disable_v2_behavior" not in (result.after or b"")


TESTED = """
import tensorflow.compat.v1 as tf


class DoubleTest(tf.test.TestCase):
    def test_value(self):
        with self.test_session() as sess:
            x = tf.constant([1.0])
            self.assertEqual(type(sess.run(fetches=[x + x])), list)


if __name__ == "__main__":
    tf.test.main()
"""


def test_test_cases_with_sessions_that_only_tf_1_had_get_their_graph_back() -> None:
    """`self.test_session()` gives None where execution is eager."""
    text = run(TESTED, Options(level=Level.COMPAT)).after
    assert text is not None
    assert b"import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n" in text
    fed = TESTED.replace(" as sess", "").replace(
        "sess.run(fetches=[x + x])", "tf.placeholder(tf.float32).eval()"
    )
    assert b"disable_v2_behavior" in (run(fed, Options(level=Level.COMPAT)).after or b"")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    def test_value", "    @test_util.run_v1_only\n    def test_value"),
        ("test_session()", "test_session(graph=graph)"),
        ("test_session()", "session()"),  # runs eager tensors, too
        ("sess.run(fetches=[x + x])", "(x + x).numpy()"),
        ("tf.test.TestCase", "Base"),
    ],
)
def test_test_cases_that_tf_2_may_have_run_stay(old: str, new: str) -> None:
    result = run(TESTED.replace(old, new), Options(level=Level.COMPAT))
    assert b"disable_v2_behavior" not in (result.after or b"")


def test_a_session_that_only_configures_keras_is_left_alone() -> None:
    source = """
    import tensorflow as tf
    session = tf.compat.v1.Session(config=tf.compat.v1.ConfigProto())
    tf.compat.v1.keras.backend.set_session(session)
    """
    assert run(source).after is None
