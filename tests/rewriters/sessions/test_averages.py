"""Moving averages: made where the author keeps them, brought up to date after the step."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([2, 1]), name='w')
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
ema = tf.train.ExponentialMovingAverage(0.9)
"""
TAIL = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(train, {x: [[1, 2]]})
print(sess.run(ema.average(w)))
"""
DEPENDENT = """\
with tf.control_dependencies([step]):
    train = ema.apply([w])
"""
GROUPED = """\
averages = ema.apply(tf.trainable_variables())
train = tf.group(step, averages)
"""
NOTHING = """\
averages = ema.apply([w])
with tf.control_dependencies([step, averages]):
    train = tf.no_op(name='train')
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize("train", [DEPENDENT, GROUPED, NOTHING])
def test_averages_begin_with_the_variables_and_follow_each_step(train: str) -> None:
    result = upgrade(HEAD + train + TAIL)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "\n# the averages begin as the variables are\nema.apply([w])\n" in text
    body = text.partition("def ")[2]
    assert body.index("optimizer.apply_gradients") < body.index("    ema.apply([w])\n")
    assert "print(ema.average(w).numpy())" in text


def test_averages_of_all_that_is_trained() -> None:
    """`apply` without a list is of all trainable variables of that moment."""
    read = TAIL + "print(sess.run([ema.average(v) for v in tf.trainable_variables()]))\n"
    text = after(HEAD + DEPENDENT.replace("[w]", "") + read)
    assert text.count("ema.apply([w])\n") == 2
    assert "print([v.numpy() for v in [ema.average(v) for v in [w]]])" in text


TENSOR = """\
keep = ema.apply([loss])
train = tf.group(step, keep)
shown = ema.average(loss)
"""
OBJECT = """\
import tensorflow as tf


class Line:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.get_variable('w', [2, 1])
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - 1.0))
        self.loss_average = 3
        self.ema = tf.train.ExponentialMovingAverage(0.9)
        keep = self.ema.apply([self.loss])
        self.train = tf.group(tf.train.GradientDescentOptimizer(0.1).minimize(self.loss), keep)

    def shown(self):
        return self.ema.average(self.loss)


line = Line()
shown = line.shown()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([line.train, shown], {line.x: [[1, 2]]}), line.loss_average)
"""


def test_averages_of_tensors_are_variables_that_begin_at_zero() -> None:
    """TF 1 corrects them only where it is told to; the rate is counted in float32."""
    text = after(HEAD + TENSOR + TAIL.replace("ema.average(w)", "shown"))
    assert "loss_average = tf.Variable(0.0, trainable=False)\n" in text
    moved = "    loss_average.assign_sub((loss_average - loss) * tf.subtract(1.0, 0.9))\n"
    assert moved in text
    assert "ExponentialMovingAverage" not in text


def test_averages_of_an_object_are_its_attributes() -> None:
    text = after(OBJECT)
    assert "self.loss_average_2 = tf.Variable(0.0, trainable=False)\n" in text
    assert "        return self.loss_average_2\n" in text


def test_a_saver_saves_averages_in_a_list() -> None:
    source = HEAD + GROUPED + "saver = tf.train.Saver()\n" + TAIL + "saver.save(sess, 'm')\n"
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    saved = "tf.train.Checkpoint(w=w, averages=[ema.average(v) for v in [w]], optimizer=optimizer)"
    assert saved in result.after.decode()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (HEAD + "train = ema.apply([loss * w])\n" + TAIL, "moving averages of a tensor"),
        (HEAD + "averages = ema.apply([w])\ntrain = step\nsaver = tf.train.Saver()\n" + TAIL
         + "saver.save(sess, 'm')\n", "a Saver would save moving averages that no run updates"),
        (HEAD + DEPENDENT + "saver = tf.train.Saver(ema.variables_to_restore())\n" + TAIL,
         "`.variables_to_restore()` of moving averages isn't followed"),
        (HEAD + "averages = ema.apply([w])\ntrain = step\n" + TAIL,
         "a moving average that no run updates is read"),
    ],
)  # fmt: skip
def test_what_keeps_a_session(source: str, reason: str) -> None:
    result = upgrade(source)
    assert result.level is Level.COMPAT
    assert any(reason in f.message for f in result.left)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ema.apply([loss])", "ema.apply([tf.reduce_mean(loss)])"),  # no name
        ("ema.apply([loss])", "ema.apply([loss, loss])"),
        ("(0.9)\n", "(0.9, zero_debias=True)\n"),
        ("(0.9)\n", "(0.9, num_updates=3)\n"),
        ("reduce_mean(tf.square(", "identity(tf.square("),  # not one number
        ("tf.matmul(x, w) - 1.0", "tf.cast(tf.matmul(x, w), tf.float64) - 1.0"),
        ("shown = ", "shown, loss = 2, 3\nshown = "),  # another tensor's
        ("keep = ", "early = ema.average(loss)\nkeep = "),  # None in TF 1
        ("shown = ", "saver = tf.train.Saver()\nshown = "),  # by a name that only TF 1 tells
        ("shown = ", "print(tf.global_variables())\nshown = "),
        ("shown = ", "print(ema.name)\nshown = "),
    ],
)
def test_averages_of_tensors_that_keep_a_session(old: str, new: str) -> None:
    source = HEAD + TENSOR + TAIL.replace("ema.average(w)", "shown")
    assert old in source
    assert upgrade(source.replace(old, new)).level is Level.COMPAT


NET = """\
import tensorflow as tf


def net(x):
    with tf.variable_scope('one'):
        w = tf.get_variable('w', [2, 1])
        b = tf.get_variable('b', [1])
    return tf.matmul(x, w) + b
"""
WRITER = """\
import tensorflow as tf
import net

x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(tf.square(net.net(x) - 1.0))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
ema = tf.train.ExponentialMovingAverage(0.9)
with tf.control_dependencies([step]):
    train = ema.apply(tf.trainable_variables())
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1, 2]]})
    saver.save(sess, 'm')
"""
READER = """\
import time
import tensorflow as tf
import net

x = tf.placeholder(tf.float32, [None, 2])
y = net.net(x)
ema = tf.train.ExponentialMovingAverage(0.9)
saver = tf.train.Saver(ema.variables_to_restore())
while True:
    with tf.Session() as sess:
        saver.restore(sess, 'm')
        print(sess.run(y, {x: [[1, 2]]}))
    time.sleep(1)
"""


def upgrade_all(files: dict[str, str]) -> dict[str, FileResult]:
    found = texts({k: v.encode() for k, v in files.items()}, Options())
    return dict(zip(files, found, strict=True))


def test_averages_are_read_into_the_variables_of_another_program() -> None:
    found = upgrade_all({"net.py": NET, "reader.py": READER, "train.py": WRITER})
    reader, writer = found["reader.py"], found["train.py"]
    assert reader.level is Level.NATIVE, [f.message for f in reader.left]
    assert reader.after is not None
    assert writer.after is not None
    listed = "[ema.average(v) for v in loss_layer.variables]"
    assert f"averages={listed}" in writer.after.decode()
    text = reader.after.decode()
    assert "saver = tf.train.Checkpoint(averages=y_layer.variables)\n" in text
    assert "ExponentialMovingAverage" not in text
    loop = text.partition("while True:\n")[2]
    assert loop.startswith(
        "    saver.read('m').assert_existing_objects_matched().expect_partial()\n    print("
    )


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"net.py": NET, "reader.py": READER}, "what saves them isn't seen"),
        ({"net.py": NET, "train.py": WRITER, "reader.py": READER.replace(
            "y = net.net(x)", "with tf.variable_scope('two'):\n    y = net.net(x)")},
         "aren't seen to be those that are saved"),
        ({"net.py": NET, "train.py": WRITER, "reader.py": READER + "print(ema.name)\n"},
         "is given to `print`"),
        ({"net.py": NET, "train.py": WRITER, "reader.py": READER.replace(
            "        saver.restore(sess, 'm')\n",
            "        sess.run(tf.global_variables_initializer())\n")},
         "what begins anew in each round's session"),
        ({"net.py": NET, "train.py": WRITER,
          "reader.py": READER.replace("while True", "tf.set_random_seed(1)\nwhile True")},
         "draws what the last one drew"),
        ({"net.py": NET, "train.py": WRITER, "reader.py": READER.replace(
            "ema = ", "i = tf.data.Dataset.range(3).make_one_shot_iterator()\nn = i.get_next()\n"
            "y = y * tf.cast(n, tf.float32)\nema = ")},
         "its data begins anew"),
        ({"net.py": NET, "train.py": WRITER, "reader.py": READER.replace(
            "ema = ", "y = tf.nn.dropout(y, 0.5, seed=1)\nema = ")},
         "draws what the last one drew"),
    ],
)  # fmt: skip
def test_what_keeps_a_session_that_restores_averages(files: dict[str, str], reason: str) -> None:
    found = upgrade_all(files)
    assert found["reader.py"].level is Level.COMPAT
    messages = [f.message for result in found.values() for f in result.left]
    assert any(reason in m for m in messages), messages


def test_two_programs_that_save_the_same_averages() -> None:
    files = {"net.py": NET, "other.py": WRITER, "reader.py": READER, "train.py": WRITER}
    found = upgrade_all(files)
    for name in ("other.py", "reader.py", "train.py"):
        assert found[name].level is Level.NATIVE, [f.message for f in found[name].left]
    for name in ("other.py", "train.py"):  # each has those of its own graph
        after = found[name].after
        assert after is not None
        assert after.count(b"ema.average(v) for v in loss_layer.variables") == 1


LISTED = """\
import tensorflow as tf
v = tf.Variable(0.0, name="v")
w = tf.Variable([1.0, 2.0], name="w")
ema = tf.train.ExponentialMovingAverage(0.9)
keep = ema.apply([v, w])
more = tf.assign(v, v + 1.0)
"""
RUNS = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(more)
    sess.run(keep)
"""


def test_all_variables_that_are_gone_through_have_averages_among_them() -> None:
    text = after(LISTED + "for q in tf.global_variables():\n    print(q.name)\n" + RUNS)
    assert "for q in [v, w, ema.average(v), ema.average(w)]:\n" in text
    before = "for q in tf.global_variables():\n    print(q.name)\nema"
    text = after(LISTED.replace("ema", before, 1) + RUNS)
    assert "for q in [v, w]:\n" in text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("keep = ema.apply([v, w])", "keep = ema.apply([v, w])\nn = len(tf.global_variables())"),
         "all variables, moving averages among them"),
        (("    sess.run(keep)\n", ""), "all variables, moving averages among them"),
        (("Average(0.9)", "Average(0.9, name='q')"), "all variables, moving averages among them"),
    ],
)  # fmt: skip
def test_what_else_keeps_the_session(change: tuple[str, str], reason: str) -> None:
    source = LISTED + "for q in tf.global_variables():\n    print(q.name)\n" + RUNS
    assert stopped(source.replace(*change)).endswith(reason)


SAVED = LISTED.replace("[v, w]", "tf.trainable_variables()") + "saver = tf.train.Saver()\n" + RUNS
SAVED += "    saver.save(sess, 'm')\n"
READ = """\
tf.reset_default_graph()
b = tf.Variable([0.0, 0.0], name="w")
a = tf.Variable(0.0, name="v")
reader = tf.train.Saver({"v/ExponentialMovingAverage": a, "w/ExponentialMovingAverage": b})
with tf.Session() as sess:
    reader.restore(sess, "m")
    print(sess.run(a))
"""


def test_averages_are_read_where_another_saver_has_them() -> None:
    text = after(SAVED + READ)
    assert "averages=[ema.average(v) for v in [v, w]]" in text
    assert "reader = tf.train.Checkpoint(averages=[a, b])\n" in text


def test_a_part_of_them_keeps_the_session() -> None:
    read = READ.replace(', "w/ExponentialMovingAverage": b', "")
    assert stopped(SAVED + read).endswith(
        "a Saver restores variables that another one saves under other names"
    )


@pytest.mark.parametrize(
    "chosen",
    [
        "def kept():\n    with tf.control_dependencies([ema.apply([w])]):\n"
        "        return tf.identity(w)\nvalue = tf.cond(on, kept, lambda: w.value())",
        "value = tf.cond(on, lambda: w.value(), lambda: ema.average(y))",
    ],
)
def test_what_an_op_is_given_keeps_no_averages(chosen: str) -> None:
    source = f"{HEAD}on = tf.placeholder(tf.bool)\ny = tf.matmul(x, w)\n{chosen}\n{DEPENDENT}{TAIL}"
    assert stopped(source + "print(sess.run(value, {x: [[1, 2]], on: True}))\n")


def test_averages_of_tensors_in_a_function_that_makes_variables_keep_the_session() -> None:
    source = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
training = tf.placeholder(tf.bool)


def bn(v, name):
    with tf.variable_scope(name):
        beta = tf.get_variable('beta', [4], initializer=tf.zeros_initializer())
        mean, var = tf.nn.moments(v, [0])
        ema = tf.train.ExponentialMovingAverage(decay=0.9)

        def update():
            with tf.control_dependencies([ema.apply([mean, var])]):
                return tf.identity(mean), tf.identity(var)

        m, s = tf.cond(training, update, lambda: (ema.average(mean), ema.average(var)))
        return (v - m) / tf.sqrt(s + 1e-3) + beta


out = bn(x, 'a')
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(out, {x: [[1, 2, 3, 4]], training: True}))
"""
    assert "moving averages are kept in a function" in stopped(source)


def test_averages_may_be_read_in_what_an_op_is_given() -> None:
    chosen = "value = tf.cond(on, lambda: w.value(), lambda: ema.average(w))\n"
    source = f"{HEAD}on = tf.placeholder(tf.bool)\n{DEPENDENT}{chosen}{TAIL}"
    text = after(source + "print(sess.run(value, {on: True}))\n")
    assert "lambda: ema.average(w)" in text
