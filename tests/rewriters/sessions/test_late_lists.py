"""Runs that read layers' variables without calling the layers: these are built before."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope("main"):
    h = tf.layers.dense(x, 4)
with tf.variable_scope("target"):
    t = tf.layers.dense(x, 4)
main_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="main")
target_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="target")
{copy}
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(h), var_list=main_vars)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
{first}
sess.run(train, {{x: [[1.0, 2.0, 3.0]]}})
print(sess.run(t, {{x: [[1.0, 2.0, 3.0]]}}))
"""
COPIES = [
    "copy = [tf.assign(b, a) for a, b in zip(main_vars, target_vars)]",
    "copy = [b.assign(a.value()) for a, b in zip(main_vars, target_vars)]",
    "copy = []\nfor a, b in zip(main_vars, target_vars):\n    copy.append(b.assign(a))",
]


@pytest.mark.parametrize("copy", COPIES)
def test_layers_are_built_before_their_variables_are_copied(copy: str) -> None:
    text = after(PROGRAM.format(copy=copy, first="sess.run(copy)"))
    assert text.count(".build([None, 3])\n") == 2
    assert "        b.assign(a)\n" in text


def test_layers_that_the_run_calls_are_not_built() -> None:
    text = after(PROGRAM.format(copy="", first=""))
    assert ".build(" not in text


def test_a_penalty_that_is_run_by_itself() -> None:
    penalty = "copy = tf.add_n([tf.nn.l2_loss(v) for v in main_vars])"
    text = after(PROGRAM.format(copy=penalty, first="print(sess.run(copy))"))
    assert text.count(".build([None, 3])\n") == 1


def test_layers_whose_input_has_no_shape_keep_the_session() -> None:
    source = PROGRAM.format(copy=COPIES[0], first="sess.run(copy)").replace(", [None, 3]", "")
    assert "made at their first call" in stopped(source)


FUNCTION = """\
def copy_ops(source, target="target"):
    ops = []
    main_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=source)
    target_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=target)
    for m, t in zip(main_vars, target_vars):
        ops.append(t.assign(m))
    return ops


copy = copy_ops("main")"""


def test_a_function_that_lists_variables_stands_where_it_is_called() -> None:
    source = PROGRAM.format(copy=FUNCTION, first="sess.run(copy)")
    lines = [
        s for s in source.splitlines(keepends=True) if not s.startswith(("main_v", "target_v"))
    ]
    text = after("".join(lines).replace(", var_list=main_vars", ""))
    assert "def copy_ops" not in text
    assert text.count(".build([None, 3])\n") == 2


@pytest.mark.parametrize(
    "copy",
    [
        COPIES[2] + "\n    n = 1",
        "copy = [None]\nfor a, b in zip(main_vars, target_vars):\n    copy.append(b.assign(a))",
        COPIES[2] + "\nprint(a)",
        "copy = []\nprint(copy)\nfor a, b in zip(main_vars, target_vars):\n"
        "    copy.append(b.assign(a))",
    ],
)
def test_other_loops_of_ops_keep_the_session(copy: str) -> None:
    assert "made in a loop" in stopped(PROGRAM.format(copy=copy, first="sess.run(copy)"))


SHARED = """\
import tensorflow as tf

def net(x, n, scope):
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        return tf.layers.dense(x, n)

x = tf.placeholder(tf.float32, [None, 3])
z = tf.placeholder(tf.float32, [None, 4])
h = tf.tanh(net(x, 4, 'encoder'))
back = net(h, 3, 'decoder')
made = net(z, 3, 'decoder')
e_vars = [v for v in tf.trainable_variables() if v.name.startswith('encoder')]
d_vars = [v for v in tf.trainable_variables() if v.name.startswith('decoder')]
loss = tf.reduce_mean(tf.square(x - back))
other = tf.reduce_mean(tf.square(made)) + tf.reduce_mean(h)
train = tf.train.AdamOptimizer().minimize(loss, var_list=VARIABLES)
train_other = tf.train.GradientDescentOptimizer(0.1).minimize(other, var_list=d_vars)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(train, {x: [[1.0, 2.0, 3.0]]})
sess.run(train_other, {x: [[1.0, 2.0, 3.0]], z: [[1.0, 2.0, 3.0, 4.0]]})
"""


@pytest.mark.parametrize("variables", ["d_vars", "e_vars + d_vars"])
def test_a_list_of_several_runs_stands_behind_the_calls(variables: str) -> None:
    text = after(SHARED.replace("VARIABLES", variables))
    first, second = text.split("def train_step(")[1].split("def train_other(")
    for function, call in ((first, "back = "), (second, "made = ")):
        assert 0 < function.index(call) < function.index("d_vars = [")
    assert "h = compute_h(x)" in first


CLIPPED = """\
import tensorflow as tf

class Critic:
    def __init__(self, sess, n):
        self.sess, self.n = sess, n
        self.x = tf.placeholder(tf.float32, [n] + [4, 4, 1])
        out = self.net(self.x)
        loss = tf.reduce_mean(out)
        mine = [v for v in tf.trainable_variables() if 'critic' in v.name]
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=mine)
        self.clip = [v.assign(tf.clip_by_value(v, -0.1, 0.1)) for v in mine]

    def net(self, x):
        with tf.variable_scope('critic'):
            h = tf.layers.conv2d(x, 2, 3, kernel_initializer=tf.ones_initializer())
            return tf.layers.dense(tf.reshape(h, [self.n, -1]), 1,
                                   kernel_initializer=tf.ones_initializer())

with tf.Session() as sess:
    critic = Critic(sess, 2)
    sess.run(tf.global_variables_initializer())
    FIRST
    for i in range(3):
        sess.run([critic.train, critic.clip], {critic.x: [[[[1.0]] * 4] * 4] * 2})
"""


def test_assignments_stand_behind_the_calls_of_their_own_run() -> None:
    text = after(CLIPPED.replace("    FIRST\n", ""))
    assert ".build(" not in text
    step = text.split("GradientTape() as tape")[1]
    assert 0 < step.index("out_layer(x)") < step.index("for v in mine:")


def test_assignments_that_also_run_by_themselves_ask_for_the_shape() -> None:
    text = CLIPPED.replace("FIRST", "sess.run(critic.clip)")
    assert "dense_layer.build([2, 8])" in after(text)  # as the program's numbers tell
    assert "made at their first call" in stopped(text.replace("sess, 2)", "sess, int(input()))"))


@pytest.mark.parametrize(
    "said",
    [
        "len(tf.trainable_variables())",
        "len(tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES))",
        "sess.run(tf.global_norm(tf.trainable_variables()))",
        "sess.run(tf.trainable_variables())",
    ],
)
def test_what_python_asks_of_a_list_before_any_run(said: str) -> None:
    text = after(PROGRAM.format(copy="", first=f"print({said})"))
    assert text.count(".build([None, 3])\n") == 2
    assert "])]" not in text  # a list has no `numpy`
    later = PROGRAM.format(copy="", first="sess.run([train, t], {x: [[1.0, 2.0, 3.0]]})")
    later = later.replace("print(", f"print({said}, ") if "sess" not in said else later
    assert ".build(" not in after(later)
    without = PROGRAM.format(copy="", first=f"print({said})").replace(", [None, 3]", "")
    assert "made at their first call" in stopped(without)


def test_a_function_of_layers_and_variables_has_all_that_it_made() -> None:
    source = PROGRAM.format(copy="", first="print(len(tf.trainable_variables()))")
    net = 'with tf.variable_scope("main"):\n    h = tf.layers.dense(x, 4)\n'
    function = (
        "def net(x):\n"
        "    h = tf.layers.dense(x, 4)\n"
        "    return h * tf.get_variable('w', [4])\n\n\n"
        "h = net(x)\n"
    )
    assert net in source
    for line in ("main_vars", "target_vars"):
        start = source.index(f"{line} = ")
        source = source[:start] + source[source.index("\n", start) + 1 :]
    source = source.replace(net, function).replace(", var_list=main_vars", "")
    target = 'with tf.variable_scope("target"):\n    t = tf.layers.dense(x, 4)\n'
    text = after(source.replace(target, "t = h + 1\n"))
    assert "v for v in net_layer.variables if v.trainable" in text


def test_a_list_in_a_block_that_waits_stands_before_the_gradients_by_it() -> None:
    text = after(
        """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
h = tf.layers.dense(x, 2)
loss = tf.nn.l2_loss(h)
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    tvars = tf.trainable_variables()
    grads, norm = tf.clip_by_global_norm(tf.gradients(loss, tvars), 1.0)
    train_op = optimizer.apply_gradients(zip(grads, tvars))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: [[1.0, 2.0, 3.0]]})
"""
    )
    assert text.index("tvars = [") < text.index("tape.gradient(loss, tvars)")


TRAINED = """\
import tensorflow as tf

data = tf.data.Dataset.from_tensors([[1.0, 2.0]]).map(lambda v: v * 2.0).repeat(3)
x = data.make_one_shot_iterator().get_next()
h = tf.layers.dense(x, 2)
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(h))
sess = tf.Session()
sess.run(tf.global_variables_initializer())
{train}
seen = []
{read}
"""
READS = [
    "seen.extend(sess.run(tf.trainable_variables()))",
    "for v in tf.trainable_variables():\n    seen.append(sess.run(v))",
    "for v in tf.trainable_variables():\n    seen.append(v.eval(session=sess))",
]


@pytest.mark.parametrize("read", READS)
def test_runs_before_have_made_the_variables(read: str) -> None:
    """Without the shape of what the layer is given, which a dataset's map may hide."""
    known: dict[str, object] = {}
    exec(after(TRAINED.format(train="sess.run(train)", read=read)), known)
    shapes = [v.shape for v in known["seen"]]  # type: ignore[attr-defined]
    assert shapes == [(2, 2), (2,)]


@pytest.mark.parametrize("read", READS)
def test_a_run_that_may_not_have_been_makes_none(read: str) -> None:
    asked = "if len(__name__) > 3:\n    for _ in range(2):\n        sess.run(train)"
    assert "made at their first call" in stopped(TRAINED.format(train=asked, read=read))


@pytest.mark.parametrize("read", READS)
def test_nor_does_a_run_on_the_other_way(read: str) -> None:
    inside = read.replace("\n", "\n    ")
    program = TRAINED.format(train="", read="").replace("seen = []\n", "seen = []\n" + (
        f"if len(__name__) > 3:\n    sess.run(train)\nelse:\n    {inside}\n"
    ))  # fmt: skip
    assert "made at their first call" in stopped(program)
