"""`--to keras`: slim's arg_scopes, normalizers of layers, and layers that are repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "slim_scopes" / "before.py"
).read_text(encoding="utf-8")  # fmt: skip
POOL = "            net = slim.max_pool2d(net, [2, 2], scope='pool1')\n"


def test_what_a_call_says_itself_counts() -> None:
    new = after(PROGRAM)
    assert "self.conv2 = tf.keras.layers.Conv2D(4, 1, padding='SAME'" in new
    assert "net = self.batch_normalization_2(self.conv2(net), training=training)" in new
    assert "self.dropout(net, training=training)" in new
    assert "slim." not in new


def test_arguments_of_batch_norms_hold_for_normalizers() -> None:
    inner = "        with slim.arg_scope([slim.conv2d], "
    both = inner.replace("with ", "with slim.arg_scope([slim.batch_norm], epsilon=0.01), ")
    new = after(PROGRAM.replace(inner, both))
    assert "BatchNormalization(epsilon=0.01, momentum=0.8)" in new
    assert "BatchNormalization(momentum=0.999, scale=False)" in new  # behind the scope


def test_a_scope_that_a_call_stands_outside_of_gives_it_nothing() -> None:
    new = after(PROGRAM)
    assert "self.fc_1 = tf.keras.layers.Dense(6, activation=tf.nn.tanh, kernel" in new
    assert "padding" not in new[new.index("self.fc_1 =") : new.index("self.fc_2 =")]


def test_a_function_that_is_one_scope() -> None:
    start, end = PROGRAM.index("def network"), PROGRAM.index("def model_fn")
    network = (
        "def network(images, training, widths):\n"
        "    with slim.arg_scope([slim.conv2d, slim.fully_connected],\n"
        "                        weights_regularizer=slim.l2_regularizer(0.01)):\n"
        "        net = slim.flatten(slim.conv2d(images, 4, [3, 3]))\n"
        "        return slim.fully_connected(net, 2, activation_fn=None)\n\n\n"
    )
    new = after(PROGRAM[:start] + network + PROGRAM[end:])
    assert new.count("kernel_regularizer=tf.keras.regularizers.L2(0.005)") == 2
    assert "slim." not in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (POOL, f"{POOL}            net = pooled(net)\n",
         "`pooled`, which is called in an arg_scope"),
        ("slim.arg_scope([slim.dropout],", "slim.arg_scope([slim.dropout, slim.one_hot_encoding],",
         "an arg_scope of `slim.one_hot_encoding`"),
        ("padding='VALID'):", "padding='VALID') as scope:", "handed on"),
        ("slim.arg_scope([slim.dropout],", "slim.arg_scope(layers(),", "a function gives"),
        ("normalizer_fn=slim.batch_norm,\n                            ",
         "normalizer_fn=slim.layer_norm,\n                            ", "`normalizer_fn`"),
        ("batch_norm = {", "batch_norm = {**{}, ", "from a dict that isn't seen"),
        ("        with slim.arg_scope([slim.conv2d], ", "        batch_norm['scale'] = False\n"
         "        with slim.arg_scope([slim.conv2d], ", "from a dict that isn't seen"),
        ("scope='conv1')", "scope='conv1', outputs_collections='all')", "outputs_collections"),
    ],
)  # fmt: skip
def test_what_keeps_them_is_named(old: str, new: str, reason: str) -> None:
    assert old in PROGRAM
    more = "def pooled(x):\n    return slim.max_pool2d(x, [1, 1])\n\n\ndef network("
    assert reason in stopped(PROGRAM.replace(old, new).replace("def network(", more))[1]
