"""`--to keras`: contrib.learn's canned Estimators on numbers."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after, stopped

HEAD = """import numpy as np, sys
import tensorflow as tf

FEATURES = ['b', 'a']
data = np.ones((8, 2), 'f')
"""
X = "[tf.contrib.layers.real_valued_column('', dimension=2)]"
TRAIN = "\nnet.fit(x=data, y=data[:, 0], steps=3)\n"


def program(made: str, more: str = TRAIN, head: str = HEAD) -> str:
    return f"{head}net = tf.contrib.learn.{made}{more}"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (f"DNNClassifier([4, 3], {X})", "for units in [4, 3]]"),
        (f"DNNClassifier([4], {X}, n_classes=3)", "sparse_categorical_crossentropy"),
        (f"DNNClassifier([4], {X})", '"labels/prediction_mean"'),
        (f"DNNClassifier([4], {X}, dropout=0.3)", "tf.keras.layers.Dropout(0.3)"),
        (f"DNNClassifier([4], {X}, optimizer='SGD')", "tf.keras.optimizers.SGD(0.05)"),
        (f"DNNRegressor([4], {X})", "tf.math.squared_difference"),
        (f"DNNRegressor([4], {X}, model_dir='m')", "net = DnnRegressor('m')"),
        (f"LinearRegressor({X})", "tf.keras.optimizers.Ftrl(0.2)"),
        (f"LinearClassifier({X})", "kernel_initializer=tf.keras.initializers.Zeros()"),
    ],
)
def test_canned_estimators_of_numbers(made: str, said: str) -> None:
    new = after(program(made))
    assert said in new
    assert "tf.contrib" not in new


def test_columns_of_names() -> None:
    columns = "columns = [tf.contrib.layers.real_valued_column(name) for name in FEATURES]\n"
    more = """
def rows():
    return {name: tf.constant(data[:, 0]) for name in FEATURES}, tf.constant(data[:, 1])


net.fit(input_fn=rows, steps=3)
print(list(net.predict_scores(input_fn=rows)))
"""
    new = after(program("DNNRegressor([4], columns)", more, HEAD + columns))
    assert "for name in sorted(FEATURES, key=repr)], 1)" in new
    assert "columns" not in new
    assert "net.predict(rows().take(1), verbose=0)" in new


def test_an_input_fn_of_arrays() -> None:
    more = f"""{TRAIN}
def rows():
    return np.array([[1., 2.]], dtype=np.float32)


print(list(net.predict(input_fn=rows)))
"""
    new = after(program(f"DNNClassifier([4], {X})", more))
    made = "tf.data.Dataset.from_tensors(np.array([[1., 2.]], dtype=np.float32)).repeat()"
    assert f"return {made}" in new
    assert "net.predict(rows().take(1), verbose=0)" in new
    stopped(program(f"DNNClassifier([4], {X})", more.replace("np.array", "sys.array")))


def test_a_clipped_gradient() -> None:
    new = after(program(f"DNNClassifier([4], {X}, gradient_clip_norm=2.0)"))
    assert "tf.clip_by_global_norm(gradients, 2.0)" in new


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (f"DNNClassifier([4], {X}, enable_centered_bias=True)", "`enable_centered_bias`"),
        (f"DNNClassifier([4], {X}, weight_column_name='w')", "`weight_column_name`"),
        (f"DNNClassifier([4], {X}, n_classes=int('3'))", "how many classes"),
        (f"DNNClassifier([4], {X}, activation_fn=abs)", "an activation that isn't TensorFlow's"),
        (f"LinearClassifier({X}, optimizer='Ftrl')", "an optimizer that isn't made"),
        (f"DNNRegressor([4], {X}, label_dimension=int('2'))", "how many labels"),
        (
            "LinearClassifier([tf.contrib.layers.shared_embedding_columns([], 3)])",
            "tf.contrib.layers.shared_embedding_columns",
        ),
        ("DNNLinearCombinedClassifier()", "without `linear_feature_columns`"),
    ],
)
def test_other_canned_estimators_stay(made: str, reason: str) -> None:
    assert reason in stopped(program(made))[1]
