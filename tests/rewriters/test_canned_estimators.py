"""Canned Estimators and feature columns: what becomes of a call, and what keeps the shim.

The programs of fixtures/keras are run (tests/test_keras.py); here it is the text that counts.
"""

from __future__ import annotations

import ast

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
{imports}

data = {{"x": np.ones([8, 2], "float32"), "k": np.array(["a", "b"] * 4)}}
y = np.array([0, 1] * 4)


def input_fn():
    return {tf}.data.Dataset.from_tensor_slices((data, y)).batch(4)


"""
TAIL = """
m.train(input_fn, steps=2)
print(m.evaluate(input_fn)["loss"])
"""
NUMERIC = "tf.feature_column.numeric_column('x', 2)"
HASHED = "tf.feature_column.categorical_column_with_hash_bucket('k', 5)"
EMBEDDED = f"tf.feature_column.embedding_column({HASHED}, 2)"
KEEPS = "this keeps the program's Estimator: "


def upgrade(code: str, imports: str = "import tensorflow as tf", tail: str = TAIL) -> FileResult:
    tf = "tf" if "as tf" in imports else "tensorflow"
    source = HEAD.format(imports=imports, tf=tf) + code + tail
    (result,) = texts({"program.py": source.encode()}, Options(to="keras"))
    return result


def after(code: str, imports: str = "import tensorflow as tf", tail: str = TAIL) -> str:
    result = upgrade(code, imports, tail)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    ast.parse(text)
    return text


def written(code: str) -> str:
    """What is written for the statements after the head."""
    return after(code).partition(".batch(4)\n")[2].strip().partition("\nm.fit(")[0]


@pytest.mark.parametrize(
    ("call", "new"),
    [
        (
            f"LinearClassifier([{NUMERIC}])",
            "LinearModel(\n    [NumericColumn('x', 2)],\n    head=BinaryClassHead(),\n"
            "    optimizer=tf.keras.optimizers.Ftrl(0.2))",
        ),
        (
            f"DNNRegressor([3], [{NUMERIC}], label_dimension=2, weight_column='w')",
            "DNNModel(\n    [3], [NumericColumn('x', 2)], "
            "head=RegressionHead(label_dimension=2, weight_column='w'),\n"
            "    optimizer=tf.keras.optimizers.Adagrad(0.05, epsilon=0))",
        ),
        (
            f"DNNClassifier([3], [{NUMERIC}], optimizer=lambda: tf.train.AdamOptimizer(0.1), "
            "model_dir=None, n_classes=3)",
            "DNNModel(\n    [3], [NumericColumn('x', 2)], "
            "optimizer=tf.keras.optimizers.Adam(0.1, beta_2=0.9990000128746033, epsilon=1e-08), "
            "head=MultiClassHead(3))",
        ),
        (
            "BaselineClassifier(label_vocabulary=['a', 'b'])",
            "BaselineModel(\n    head=BinaryClassHead(label_vocabulary=['a', 'b']),\n    "
            "optimizer=tf.keras.optimizers.Ftrl(0.3))",
        ),
        (
            f"DNNClassifier([3], [{NUMERIC}], optimizer='RMSProp', n_classes=len(data))",
            "DNNModel(\n    [3], [NumericColumn('x', 2)], optimizer=RMSprop(0.05, epsilon=1e-10), "
            "head=BinaryClassHead() if len(data) == 2 else MultiClassHead(len(data)))",
        ),
        (
            f"DNNClassifier([3], [{NUMERIC}], optimizer='Adam', n_classes=3, "
            "label_vocabulary=['a'], weight_column='w', loss_reduction=tf.losses.Reduction.MEAN)",
            "DNNModel(\n    [3], [NumericColumn('x', 2)], "
            "optimizer=tf.keras.optimizers.Adam(0.05, beta_2=0.9990000128746033, epsilon=1e-08), "
            "head=MultiClassHead(3, weight_column='w', label_vocabulary=['a']))",
        ),
        (
            "BaselineClassifier(n_classes=3, label_vocabulary=['a', 'b', 'c'], weight_column='w')",
            "BaselineModel(\n    "
            "head=MultiClassHead(3, weight_column='w', label_vocabulary=['a', 'b', 'c']),\n    "
            "optimizer=tf.keras.optimizers.Ftrl(0.3))",
        ),
    ],
)
def test_a_call(call: str, new: str) -> None:
    assert written(f"m = tf.estimator.{call}") == f"m = {new}"


def test_comments_and_order_stay() -> None:
    assert (
        written(f"""m = tf.estimator.DNNLinearCombinedClassifier(
    # Wide.
    linear_feature_columns=[{HASHED}],
    # Deep.
    dnn_feature_columns=[{EMBEDDED}],
    dnn_hidden_units=[3],  # small
    dnn_dropout=0.5,
    n_classes=3,
    model_dir=None)""")
        == """m = DNNLinearModel(
    # Wide.
    linear_feature_columns=[HashedColumn('k', 5)],
    # Deep.
    dnn_feature_columns=[EmbeddingColumn(HashedColumn('k', 5), 2)],
    dnn_hidden_units=[3],  # small
    dropout=0.5,
    head=MultiClassHead(3),
    linear_optimizer=tf.keras.optimizers.Ftrl(0.005),
    dnn_optimizer=tf.keras.optimizers.Adagrad(0.001, epsilon=0))"""
    )


def test_the_last_argument_keeps_its_comment() -> None:
    assert (
        written(f"""m = tf.estimator.DNNRegressor(
    hidden_units=[3],  # few
    feature_columns=[{NUMERIC}])  # one""")
        == """m = DNNModel(
    hidden_units=[3],  # few
    head=RegressionHead(),
    optimizer=tf.keras.optimizers.Adagrad(0.05, epsilon=0),
    feature_columns=[NumericColumn('x', 2)])  # one"""
    )


@pytest.mark.parametrize(
    ("imports", "code"),
    [
        ("import tensorflow.compat.v1 as tf", f"m = tf.estimator.LinearClassifier([{NUMERIC}])"),
        (
            "import tensorflow as tf\nfrom tensorflow import estimator, feature_column as fc",
            "m = estimator.LinearClassifier([fc.numeric_column('x', 2)])",
        ),
        (
            "import tensorflow as tf\nfrom tensorflow.estimator import LinearClassifier\n"
            "from tensorflow.feature_column import numeric_column",
            "m = LinearClassifier([numeric_column('x', 2)])",
        ),
        (
            "import tensorflow as tf\nimport tensorflow.estimator as est",
            "fc = tf.feature_column\nm = est.LinearClassifier([fc.numeric_column('x', 2)])",
        ),
    ],
)
def test_spellings(imports: str, code: str) -> None:
    text = after(code, imports)
    assert "m = LinearModel(\n    [NumericColumn('x', 2)]," in text
    assert "estimator" not in text
    assert "feature_column" not in text.partition("m = LinearModel")[0].partition("class ")[0]


def test_only_what_is_used_is_defined() -> None:
    text = after(f"m = tf.estimator.LinearRegressor([{NUMERIC}])")
    tree = ast.parse(text)
    found = [n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))]
    assert found == [
        *("raw_feature", "NumericColumn", "LinearFeatures", "Head", "RegressionHead"),
        *("HeadModel", "LinearModel", "input_fn"),
    ]
    for word in ("weight_column", "vocabulary", "embedding", "combiner", "minimize", ".ids("):
        assert word not in text


def test_a_name_of_the_file_s_own() -> None:
    text = after(f"class Head: pass\n\nm = tf.estimator.LinearRegressor([{NUMERIC}])")
    assert "class KerasHead(" in text
    assert "class RegressionHead(KerasHead):" in text


def test_one_call_for_several_models() -> None:
    text = after(f"""def build(wide):
    columns = [{NUMERIC}]
    if wide:
        return tf.estimator.LinearClassifier(columns)
    return tf.estimator.DNNClassifier([3], columns)


m = build(True)""")
    assert text.count("m.fit(input_fn().take(2), verbose=0)") == 1


def test_a_head_is_what_all_calls_say_that_it_is() -> None:
    code = f"""def build(columns, classes=2):
    return tf.estimator.LinearClassifier(columns, n_classes=classes)


m = build([{NUMERIC}], 3)"""
    assert "head=MultiClassHead(classes),\n" in after(code)
    assert "MultiClass" not in after(code.replace(", 3)", ")"))
    two = after(f"{code}\nother = build([{NUMERIC}])")
    assert "head=BinaryClassHead() if classes == 2 else MultiClassHead(classes),\n" in two


def test_an_optimizer_under_a_name_is_made_where_it_was() -> None:
    text = written(f"""step = tf.train.GradientDescentOptimizer(0.1)
m = tf.estimator.LinearRegressor(
    feature_columns=[{NUMERIC}], optimizer=step)""")
    assert (
        text
        == """step = tf.keras.optimizers.SGD(0.1)
m = LinearModel(
    feature_columns=[NumericColumn('x', 2)], optimizer=step,
    head=RegressionHead())"""
    )


BRANCHES = f"""def make(two):
    step = tf.train.AdamOptimizer()
    if two:
        net = tf.estimator.LinearClassifier([{NUMERIC}], optimizer=step)
    else:
        net = tf.estimator.LinearRegressor([{NUMERIC}], optimizer=step)
    return net


m = make(True)
"""


def test_an_optimizer_may_be_one_model_s_in_each_branch() -> None:
    made = after(BRANCHES)
    assert made.count("step = tf.keras.optimizers.Adam(") == 1
    assert made.count("optimizer=step") == 2


@pytest.mark.parametrize(
    ("call", "rows"),
    [
        (f"LinearClassifier([{HASHED}], optimizer=tf.train.RMSPropOptimizer(0.1))", True),
        (f"DNNClassifier([3], [{EMBEDDED}], optimizer=tf.train.MomentumOptimizer(0.1, 0.9))", True),
        (f"LinearClassifier([{HASHED}], optimizer=tf.train.AdamOptimizer(0.1))", False),
        (f"LinearClassifier([{HASHED}], optimizer=tf.train.FtrlOptimizer(0.1))", False),
    ],
)
def test_gradients_of_rows_are_what_the_optimizer_wants(call: str, *, rows: bool) -> None:
    text = after(f"m = tf.estimator.{call}")
    assert ("dense_gradient(" in text) == (not rows)
    assert ("tf.IndexedSlices" in text) == rows


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (
            f"BoostedTreesClassifier([{NUMERIC}], 1)",
            "Keras has no boosted trees (TF Decision Forests, which has, wants TF 2.19): "
            "tf.estimator.BoostedTreesClassifier stays with the shim",
        ),
        (
            f"LinearClassifier([{HASHED}])\n"
            f"n = tf.estimator.LinearClassifier([{HASHED}], "
            "optimizer=tf.train.RMSPropOptimizer(0.1))",
            "optimizers that move only the rows of a batch, and others",
        ),
        (
            f"DNNClassifier([3], [{EMBEDDED}], optimizer='Ftrl')",
            "Ftrl moves only the rows of a batch in TF 1",
        ),
        (
            f"DNNClassifier([3], [{EMBEDDED}], optimizer='RMSProp')",
            "no Keras optimizer for 'RMSProp' here",
        ),
        (
            f"LinearClassifier([{HASHED}], optimizer=tf.train.FtrlOptimizer("
            "0.1, l2_shrinkage_regularization_strength=0.1))",
            "Ftrl with shrinkage moves only the rows of a batch in TF 1",
        ),
        (
            f"DNNClassifier([3], [{NUMERIC}], warm_start_from='folder')",
            "a warm start without a `model_dir`, or under a strategy",
        ),
        (
            f"LinearClassifier([{NUMERIC}], weight_column={NUMERIC[:-1]}, normalizer_fn=abs))",
            "a weight column with a shape, a default or a normalizer",
        ),
        (
            f"LinearClassifier([{NUMERIC}, {EMBEDDED}])",
            "an embedding among the columns of a linear model",
        ),
        (
            f"DNNLinearCombinedClassifier(linear_feature_columns=[{EMBEDDED}] + [{NUMERIC}], "
            f"dnn_feature_columns=[{NUMERIC}], dnn_hidden_units=[3])",
            "an embedding among the columns of a linear model",
        ),
        (f"LinearClassifier([{NUMERIC}], loss_reduction=y)", "a loss reduction that isn't seen"),
        (f"LinearClassifier([{NUMERIC}], optimizer=y)", "an optimizer that isn't seen"),
        (f"LinearClassifier(**dict(feature_columns=[{NUMERIC}]))", "`**` hides arguments"),
        (
            f"DNNLinearCombinedClassifier(linear_feature_columns=[{NUMERIC}])",
            "a combined model without `dnn_feature_columns`",
        ),
        (
            "DNNClassifier([3], [tf.feature_column.embedding_column("
            f"{HASHED}, 2, ckpt_to_load_from='/x', tensor_name_in_ckpt='e')])",
            "an embedding that begins with a checkpoint's values",
        ),
        (
            "LinearClassifier([tf.contrib.feature_column.sequence_numeric_column('k')])",
            "a column of sequences that no sequence_input_layer takes",
        ),
    ],
)
def test_what_keeps_the_shim(call: str, reason: str) -> None:
    result = upgrade(f"m = tf.estimator.{call}")
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM520"]
    assert finding.message.partition("; instead: ")[0] == KEEPS + reason


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            f"c = {HASHED}\nprint(c.hash_bucket_size)\nm = tf.estimator.LinearClassifier([c])",
            "`.hash_bucket_size`, which may be a feature column's",
        ),
        (
            f"step = tf.train.AdamOptimizer()\n"
            f"m = tf.estimator.LinearClassifier([{NUMERIC}], optimizer=step)\n"
            f"n = tf.estimator.LinearClassifier([{NUMERIC}], optimizer=step)",
            "`step` is used more than once",
        ),
        (
            f"step = tf.train.AdamOptimizer()\n"
            f"for two in (True, False):\n"
            f"    if two:\n"
            f"        m = tf.estimator.LinearClassifier([{NUMERIC}], optimizer=step)\n"
            f"    else:\n"
            f"        m = tf.estimator.LinearRegressor([{NUMERIC}], optimizer=step)",
            "`step` is used more than once",
        ),
        (
            f"m = tf.estimator.LinearClassifier([{NUMERIC}])\nprint(m.get_variable_names())",
            "`.get_variable_names` of an Estimator isn't followed yet",
        ),
        (
            "tf.estimator.LinearClassifier([tf.feature_column.numeric_column('x')])\n"
            "rows = tf.keras.layers.DenseFeatures([tf.feature_column.numeric_column('x')])",
            "tf.keras.layers.DenseFeatures, which Keras 3 lacks",
        ),
    ],
)
def test_what_else_keeps_the_shim(code: str, reason: str) -> None:
    result = upgrade(code)
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM520"]
    assert finding.message == KEEPS + reason


SLICES = "tf.data.Dataset.from_tensor_slices((data, y)).batch(4)"


@pytest.mark.parametrize(
    "body",
    [
        f"return {SLICES}.make_one_shot_iterator().get_next()",
        f"iterator = {SLICES}.make_one_shot_iterator()\n    return iterator.get_next()",
        f"iterator = {SLICES}.make_one_shot_iterator()\n"
        "    batch, labels = iterator.get_next()\n    return batch, labels",
        f"batch = {SLICES}.make_one_shot_iterator().get_next()\n    return batch, None",
        f"a, b = tf.compat.v1.data.make_one_shot_iterator({SLICES}).get_next()\n    return a, b",
    ],
)
@pytest.mark.parametrize("given", ["feed", "lambda: feed()"])
def test_what_an_iterator_gives_is_the_dataset(body: str, given: str) -> None:
    text = after(
        f"def feed():\n    {body}\n\n\nm = tf.estimator.LinearRegressor([{NUMERIC}])\n"
        f"m.train({given}, steps=2)"
    )
    assert f"def feed():\n    return {SLICES}\n\n\n" in text
    assert "m.fit(feed().take(2), verbose=0)" in text


@pytest.mark.parametrize(
    "body",
    [
        f"a, b = {SLICES}.make_one_shot_iterator().get_next()\n    return a, b * 2",
        f"a, b = {SLICES}.make_one_shot_iterator().get_next()\n    return b, a",
        f"a, b = {SLICES}.make_one_shot_iterator().get_next()\n    print(a)\n    return a, b",
        f"a, b = {SLICES}.make_one_shot_iterator().get_next()\n    a.pop('k')\n    return a, b",
    ],
)
def test_an_element_that_something_is_done_with(body: str) -> None:
    text = after(
        f"def feed():\n    {body}\n\n\nm = tf.estimator.LinearRegressor([{NUMERIC}])\nm.train(feed)"
    )
    assert f"    return {SLICES}.map(batch_of)\n" in text


def test_checkpoints() -> None:
    text = after(f"""config = tf.estimator.RunConfig(save_checkpoints_steps=5)
m = tf.estimator.DNNLinearCombinedClassifier(
    model_dir='models',
    linear_feature_columns=[{NUMERIC}],
    dnn_feature_columns=[{NUMERIC}],
    dnn_hidden_units=[3],
    config=config)""")
    assert "    checkpoints=dict(folder='models', every_steps=5),\n" in text
    assert "class HeadModel(Checkpointed):" in text
    assert "for optimizer, variables in self.trained():" in text
    assert '        self.write_scalar("loss", loss)\n' in text
    # A mean over batches is its own average.
    average = 'self.write_scalar("average_loss", self.head.average(features, labels, logits))'
    assert average in text
    mean = "    loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,\n    config=config)"
    assert "average(" not in after(f"""config = tf.estimator.RunConfig(save_checkpoints_steps=5)
m = tf.estimator.LinearClassifier(
    model_dir='models',
    feature_columns=[{NUMERIC}],
{mean}""")


@pytest.mark.parametrize("name", ["SUM", "MEAN", "SUM_OVER_BATCH_SIZE", "SUM_BY_NONZERO_WEIGHTS"])
def test_a_loss_reduction_by_its_word(name: str) -> None:
    model = f"m = tf.estimator.LinearRegressor([{NUMERIC}], loss_reduction=REDUCTION)"
    named = after(model.replace("REDUCTION", f"tf.losses.Reduction.{name}"))
    assert after(model.replace("REDUCTION", f"'weighted_{name.lower()}'")) == named
    unknown = upgrade(model.replace("REDUCTION", f"'{name.lower()}'"))
    assert "a loss reduction that isn't seen" in str([f.message for f in unknown.left])


def test_a_model_that_is_trained_on_inputs_of_several_kinds() -> None:
    """Keras would trace one step for all of them, in which no rank is known any more."""
    model = f"m = tf.estimator.LinearRegressor([{NUMERIC}])"
    assert "trained_on" not in after(model)
    text = after(model, tail="\nm.train(input_fn, steps=2)\nm.train(lambda: input_fn(), steps=2)\n")
    assert "self.train_function, self.trained_on = None, str(dataset.element_spec)" in text
    assert "tested_on" not in text
