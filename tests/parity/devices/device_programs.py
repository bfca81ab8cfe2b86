"""Texts of small programs: steps of tf.function, steps of a session."""

from __future__ import annotations

from collections.abc import Callable

from migrate.parity.devices.steps import Steps

Taker = Callable[[str, str], Steps]
TRAIN = """\
import numpy as np
import tensorflow as tf

x = np.linspace(-1.0, 1.0, 32).reshape(8, 4).astype(np.float32)
y = (x.sum(1, keepdims=True) > 0).astype(np.float32)
w = tf.Variable(tf.random.normal([4, 1]), name="w")


@tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None, 1])])
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.nn.dropout(x, rate=RATE) @ w - y))
    w.assign_sub(CONSTANT * tape.gradient(loss, w))
    EXTRA
    return loss


for _ in range(6):
    print("%.5f" % train_step(x, y).numpy())
"""
SESSION = """\
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 4])
w = tf.get_variable("w", [4, 1], initializer=tf.random_normal_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.dropout(x, rate=0.25), w) - 1.0))
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(6):
        session.run([loss, train], {x: np.linspace(-1.0, 1.0, 32).reshape(8, 4)})
"""
#: Fetched by names, a variable too; a constant that came by the C API, which knows no lines.
NAMED = (
    SESSION.replace(
        "w = tf.get_variable",
        """\
part = tf.Graph()
with part.as_default():
    tf.constant(1.0, name="one")
(one,) = tf.import_graph_def(part.as_graph_def(), return_elements=["one:0"])
w = tf.get_variable""",
    ).replace("- 1.0", "- one")
    + """\
        print("%.5f" % session.run({"w": ["w:0"]})["w"][0].sum())
"""
)
#: ``fit`` runs its step inside of a function that reads a dataset; the recurrent layer's gradient
#: compiles as it is traced for XLA alone.
FIT = """\
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.Input([5, 2]), tf.keras.layers.SimpleRNN(3), tf.keras.layers.Dense(1)])
model.compile(tf.keras.optimizers.SGD(0.1), "mse", steps_per_execution=2)
x = np.linspace(-1.0, 1.0, 120).reshape(12, 5, 2).astype(np.float32)
print(model.fit(x, x.sum((1, 2)), batch_size=4, epochs=2, verbose=0).history)
"""
#: A loop without a fixed length, whose message XLA takes, and what it would take.
LOOP = """\
    total = tf.while_loop(
        lambda i, a: i < tf.shape(x)[0], lambda i, a: (i + 1, tf.cond(
            i > 1, lambda: tf.sin(a) * tf.reduce_mean(w), lambda: a)), (0, 1.0)LENGTH)[1]
    with tf.control_dependencies([tf.debugging.Assert(total < 1e9, ["too large"])]):
        loss += total
"""


def program(constant: str = "0.1", extra: str = "pass") -> str:
    """A program with a step of tf.function."""
    text = TRAIN.replace("CONSTANT", constant).replace("RATE", "0.25")
    return text.replace("    EXTRA\n", "" if extra == "pass" else f"    {extra}\n")
