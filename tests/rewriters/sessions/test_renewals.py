"""Variables that start anew, where nobody can tell."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
w = tf.Variable(tf.zeros([2]))
r = tf.Variable(tf.random_normal([2]))
y = tf.reduce_sum(x * w)
loss = tf.square(y - 1.0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
z = tf.reduce_sum(x * r)
more = w.assign_add([1.0, 1.0])
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""
AGAIN = "sess.run(tf.global_variables_initializer())\n"
SECOND = "sess.close()\nsess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
Y = "print(sess.run(y, {x: [1, 2]}))\n"
Z = "print(sess.run(z, {x: [1, 2]}))\n"
TRAIN = "sess.run(train, {x: [1, 2]})\n"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize("renewed", [AGAIN, SECOND])
@pytest.mark.parametrize(("before", "after"), [(Y, Y), (TRAIN, Z), (Y, TRAIN), (Y, Z + TRAIN)])
def test_what_no_run_had_changed_starts_once(before: str, renewed: str, after: str) -> None:
    result = upgrade(HEAD + before + renewed + after)
    assert result.level is Level.NATIVE, [f.message for f in result.left]


INITIALIZE = """\
def initialize():
    w.assign(tf.zeros([2]))
    r.assign(tf.random.normal([2]))
"""


@pytest.mark.parametrize("renewed", [AGAIN, SECOND])
@pytest.mark.parametrize(
    ("before", "after"),
    [(TRAIN, Y), (TRAIN, TRAIN), (Z, Z), ("sess.run(more)\n", Y), (TRAIN, "print(sess.run(w))\n")],
)
def test_what_was_trained_or_drawn_is_assigned_anew(before: str, renewed: str, after: str) -> None:
    new = native(HEAD + before + renewed + after)
    assert INITIALIZE in new
    assert new.count("\ninitialize()\n") == 1


def test_a_function_runs_before_and_after() -> None:
    function = "def go():\n    sess.run(train, {x: [1, 2]})\n    print(sess.run(w))\n\n\n"
    new = native(HEAD + function + "go()\n" + AGAIN + "go()\n")
    assert new.endswith("go()\ninitialize()\ngo()\n")


ROUNDS = "for k in range(3):\n    " + AGAIN + "    " + TRAIN


def test_in_a_loop_with_what_the_optimizer_keeps() -> None:
    adam = HEAD.replace("GradientDescentOptimizer", "AdamOptimizer")
    new = native(adam + ROUNDS + Y)
    assert "optimizer.build([w])\noptimizer_start = [v.numpy() for v in optimizer.variables]" in new
    assert INITIALIZE + "    for v, value in zip(optimizer.variables, optimizer_start):\n" in new
    assert "for k in range(3):\n    initialize()\n    train_step([1, 2])\n" in new


def test_single_variables() -> None:
    new = native(HEAD + TRAIN + "sess.run([w.initializer, r.initializer])\n" + Y)
    assert "train_step([1, 2])\nw.assign(tf.zeros([2]))\nr.assign(tf.random.normal([2]))\n" in new


def test_the_global_step_and_a_name_that_a_loop_would_take() -> None:
    head = HEAD.replace("w = tf", "v = tf").replace("x * w", "x * v").replace("= w.", "= v.")
    head = head.replace("z = ", "step = tf.train.get_or_create_global_step()\nz = ")
    new = native(head.replace("GradientDescent", "Adam") + ROUNDS + "print(sess.run(step))\n")
    assert "    step.assign(0)\n    for slot, value in zip(" in new


@pytest.mark.parametrize(
    "change",
    [
        ("w = tf.Variable(tf.zeros([2]))", "w = tf.Variable(np.random.rand(2))"),
        ("tf.random_normal([2])", "tf.random_normal([2], seed=4)"),
        ("r = tf.Variable(tf.random_normal([2]))", "q = tf.random_normal([2])\nr = tf.Variable(q)"),
        ("z = ", "h = tf.layers.dense([[1.0]], 3)\nz = "),
    ],
)
def test_what_cannot_start_anew_keeps_the_session(change: tuple[str, str]) -> None:
    source = "import numpy as np\n" + HEAD.replace(*change) + ROUNDS + Z
    assert change[1] in source
    assert upgrade(source).level is Level.COMPAT


def test_a_value_that_changes_later_keeps_the_session() -> None:
    source = HEAD.replace("x = ", "n = 2\nx = ").replace("tf.zeros([2])", "tf.zeros([n])")
    assert upgrade(source + ROUNDS + Y).level is Level.NATIVE
    assert upgrade(source + "n = 3\n" + ROUNDS + Y).level is Level.COMPAT


def test_a_function_that_a_comprehension_calls_keeps_the_session() -> None:
    function = (
        "def go(k):\n    " + AGAIN + "    " + TRAIN + "    return sess.run(y, {x: [1, k]})\n\n\n"
    )
    head = HEAD.replace(AGAIN, "")
    assert upgrade(head + function + "print(go(2))\n").level is Level.NATIVE
    result = upgrade(head + function + "print([go(k) for k in range(3)])\n")
    assert result.level is Level.COMPAT


LATER = """\
saver = tf.train.Saver()
sess.run(train, {x: [1, 2]})
sess = tf.Session()
path = tf.train.latest_checkpoint('models')
if path:
    saver.restore(sess, path)
"""


@pytest.mark.parametrize(
    ("rest", "level"),
    [
        ("else:\n    raise ValueError('no checkpoint')\n", Level.NATIVE),
        ("elif path is None:\n    exit()\nelse:\n    saver.restore(sess, 'other')\n", Level.NATIVE),
        ("else:\n    print('new')\n", Level.NATIVE),
        ("else:\n    " + AGAIN, Level.COMPAT),
        ("elif path is None:\n    exit()\n", Level.NATIVE),
        ("", Level.NATIVE),
        ("try:\n    pass\nexcept Exception:\n    pass\n", Level.COMPAT),
    ],
)
def test_a_later_session_restores_or_leaves(rest: str, level: Level) -> None:
    result = upgrade(HEAD + LATER + rest + Y)
    assert result.level is level, [f.message for f in result.left]
    if level is Level.COMPAT:
        assert any("a second session finds variables as new" in f.message for f in result.left)


def test_a_second_session_that_runs_in_a_loop_what_no_run_had_changed() -> None:
    new = native(HEAD + Y + "sess = tf.Session()\nfor k in range(3):\n    " + Y)
    assert "initialize" not in new


ADAM = HEAD.replace("GradientDescentOptimizer", "AdamOptimizer")


def test_what_an_optimizer_began_with_is_kept_before_it_trains() -> None:
    later = "other = tf.train.AdamOptimizer(0.2).minimize(loss + 1.0)\n"
    text = native(ADAM + TRAIN + later + SECOND + TRAIN + "sess.run(other, {x: [1, 2]})\n")
    train, other = "optimizer_start = [v.numpy() for v in train_", "other_optimizer_start = ["
    assert text.index(f"train_{train}") < text.index("\ntrain_step(")
    assert text.index("\ntrain_step(") < text.index(other) < text.index("def initialize():")


SEEDED = HEAD.replace("tf.random_normal([2])", "tf.random_normal([2], seed=4)")


def test_a_seed_draws_the_same_in_a_second_session() -> None:
    text = native(SEEDED + Z + "sess.run(r.assign_add([1.0, 1.0]))\n" + SECOND + Z)
    made, kept = text.split("\n")[4:6]
    assert made == "r = tf.Variable(tf.random.normal([2], seed=4))"
    assert kept == "r_start = r.numpy()  # a seed gives it again in a new session"
    assert "    r.assign(r_start)\n" in text


def test_a_seed_goes_on_in_the_same_session() -> None:
    result = upgrade(SEEDED + Z + TRAIN + AGAIN + Z)
    assert result.level is Level.COMPAT
    assert any("with a seed of its own" in f.message for f in result.left)


MADE = "other = tf.train.AdamOptimizer(0.2).minimize(loss + 1.0)\n"
OTHER = "sess.run(other, {x: [1, 2]})\n"


def test_an_optimizer_that_is_made_behind_the_first_new_start() -> None:
    text = native(ADAM + TRAIN + SECOND + TRAIN + MADE + SECOND + TRAIN + OTHER)
    assert "other_optimizer_start" not in text
    result = upgrade(ADAM + TRAIN + SECOND + TRAIN + MADE + OTHER + SECOND + TRAIN + OTHER)
    assert result.level is Level.COMPAT


FUNCTIONS = """\
import numpy as np
import tensorflow as tf


def fit(data):
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train, {x: data})
        return sess.run(w)


def look(data, found):
    x = tf.placeholder(tf.float32, [None, 2])
    out = tf.matmul(x, tf.convert_to_tensor(found))
    sess = tf.Session()
    return sess.run(out, {x: data})


found = fit(np.ones((3, 2)))
print(look(np.ones((1, 2)), found))
"""


def test_a_session_of_a_function_begins_where_that_is_called() -> None:
    (result,) = texts({"program.py": FUNCTIONS.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "    return predict(data).numpy()\n" in text


@pytest.mark.parametrize(
    "line",
    [
        "found = fit(np.ones((3, 2)))\n",  # trains again behind the session
        "def both(data):\n    return fit(data), look(data, found)\nboth(np.ones((3, 2)))\n",
        # Its name is another one's only in what a function defines.
        "def late(data):\n    def inner():\n        fit = 1\n        return fit\n"
        "    return inner(), fit(data)\nlate(np.ones((3, 2)))\n",
    ],
)
def test_a_session_that_may_stand_before_what_trains(line: str) -> None:
    (result,) = texts({"program.py": (FUNCTIONS + line).encode()}, Options())
    assert result.level is Level.COMPAT


SAVER = "saver = tf.train.Saver()\n"


def test_a_saver_that_saves_nothing_is_no_matter() -> None:
    assert "initialize" not in native(HEAD + SAVER + Y + SECOND + TRAIN)


@pytest.mark.parametrize("use", ["saver.save(sess, 'm')\n", "saver.restore(sess, 'm')\n"])
def test_one_that_saves_or_restores_keeps_the_session(use: str) -> None:
    assert upgrade(HEAD + SAVER + use + Y + SECOND + TRAIN).level is Level.COMPAT


IN_A_FUNCTION = """\
def restart():
    sess.run({init})


sess.run(more)
restart()
"""


@pytest.mark.parametrize(
    "init", ["w.initializer", "tf.variables_initializer([w])", "tf.initialize_variables([w])"]
)
def test_a_function_starts_a_variable_of_its_module_anew(init: str) -> None:
    text = native(HEAD + IN_A_FUNCTION.format(init=init) + Y)
    assert "def restart():\n    w.assign(tf.zeros([2]))\n" in text


def test_so_with_several() -> None:
    init = "tf.variables_initializer(var_list=(w, r))"
    text = native(HEAD + IN_A_FUNCTION.format(init=init) + Y)
    assert "    w.assign(tf.zeros([2]))\n    r.assign(tf.random.normal([2]))\n" in text
    assert "sess" not in native(HEAD + "sess.run(more)\n" + f"sess.run({init})\n" + Y)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def restart():", "def restart(tf=tf):"),
        ("    sess.run(", "    w = 1\n    sess.run("),
        ("restart()\n", "n = 3\nrestart()\n"),
        ("w.initializer", "tf.variables_initializer(tf.trainable_variables())"),
    ],
)
def test_what_a_function_may_see_otherwise_keeps_the_session(old: str, new: str) -> None:
    head = HEAD.replace("w = tf.Variable(tf.zeros([2]))", "n = 2\nw = tf.Variable(tf.zeros([n]))")
    program = head + IN_A_FUNCTION.format(init="w.initializer").replace(old, new) + Y
    assert upgrade(program).level is Level.COMPAT


def test_a_function_that_starts_one_anew_may_be_called_again() -> None:
    init = "tf.variables_initializer([w])"
    calls = "restart()\nfor _ in range(2):\n    sess.run(more)\n    restart()\n"
    program = IN_A_FUNCTION.format(init=init).replace("sess.run(more)\nrestart()\n", calls)
    text = native(HEAD + program + Y)
    assert "def restart():\n    w.assign(tf.zeros([2]))\n" in text
    assert "for _ in range(2):\n    compute_more()\n    restart()\n" in text


def test_one_that_starts_all_anew_may_not() -> None:
    program = IN_A_FUNCTION.format(init="tf.global_variables_initializer()") + "restart()\n"
    assert upgrade(HEAD + program + Y).level is Level.COMPAT
