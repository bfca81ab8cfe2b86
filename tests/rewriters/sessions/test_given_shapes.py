"""All variables of layers that functions make: the layers are built with what the calls give."""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

N = 4
x = tf.placeholder(tf.float32, [None, {first}])
y = tf.placeholder(tf.float32, [None, {second}])


def net(inputs, scope, trainable=True):
    with tf.variable_scope(scope):
        h = tf.layers.dense(inputs, 8, tf.nn.relu, name="h", trainable=trainable)
        return tf.layers.dense(h, 2, name="o", trainable=trainable)


q = net(x, "main")
{before}
main = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, "main")
target = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, "{scope}")
copy = [tf.assign(t, m) for t, m in zip(target, main)]
{after}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(copy)
    print(sess.run({fetched}, {{x: [[1.0, 2.0, 3.0, 4.0]], y: [[1.0]]}}))
"""
SECOND = 'q_ = net(y, "target", trainable=False)'


def upgrade(
    first: str, second: str, before: str = SECOND, after: str = "", fetched: str = "[q, q_]"
) -> FileResult:
    scope = "target" if before else "main"
    source = PROGRAM.format(
        first=first, second=second, before=before, after=after, scope=scope, fetched=fetched
    )
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_layers_are_built_in_their_function() -> None:
    for size in ("4", "N"):
        result = upgrade(size, size)
        assert result.level is Level.NATIVE
        assert result.after is not None
        text = result.after.decode()
        assert f"    h_layer.build([None, {size}])\n" in text
        assert "    o_layer.build([None, 8])\n" in text
        assert "main = [v for layer in q_layer.layers for v in layer.weights]\n" in text


def test_layers_that_no_run_needs_keep_the_session() -> None:
    assert upgrade("4", "4", fetched="q").level is Level.COMPAT


def test_calls_with_other_shapes_keep_the_session() -> None:
    assert upgrade("4", "5").level is Level.COMPAT
    assert upgrade("4", "None").level is Level.COMPAT
    assert upgrade("4", "5", before="", after=SECOND).level is Level.COMPAT


METHODS = """\
import tensorflow as tf


class Agent:
    def __init__(self, n):
        self.n = n
        self.s = tf.placeholder(tf.float32, [None, self.n])
        self.q = self.net(self.s, "main")
        main = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, "main")
        self.halved = [tf.assign(m, m * 0.5) for m in main]

    def net(self, inputs, scope):
        with tf.variable_scope(scope):
            return tf.layers.dense(inputs, 2, name="o")


agent = Agent(2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(agent.halved)
    print(sess.run(agent.q, {agent.s: [[1.0, 2.0]]}))
"""


def test_a_method_reads_the_sizes_of_its_own_object() -> None:
    (result,) = texts({"program.py": METHODS.encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    assert b"o_layer.build([None, self.n])" in result.after


NESTED = """import tensorflow as tf
class Agent:
    def __init__(self, features):
        self.features = features
        self.build()
        target = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="target")
        own = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="own")
        self.copy = [tf.assign(t, o) for t, o in zip(target, own)]
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
    def build(self):
        self.s = tf.placeholder(tf.float32, [None, self.features])
        def layers(s, scope{more}):
            with tf.variable_scope(scope):
                return tf.layers.dense(tf.layers.dense(s, 5), 2)
        self.q = layers(self.s, "own"{given})
        self.next = layers(self.s, "target"{given})
    def act(self, s):
        self.sess.run(self.copy)
        return self.sess.run([self.q, self.next], {{self.s: s}})
print(Agent(3).act([[1.0, 2.0, 3.0]]))
"""


def test_a_function_in_the_method_sees_its_object() -> None:
    text = after(NESTED.format(more="", given=""))
    assert "dense_layer.build([None, self.features])" in text
    assert "target = [v for layer in self.next_layer.layers for v in layer.weights]" in text


def test_a_function_with_a_self_of_its_own_is_told_a_number() -> None:
    text = NESTED.format(more=", self=None", given="")
    assert "dense_layer.build([None, 3])" in after(text)
    assert stopped(text.replace("Agent(3)", "Agent(int(input()))"))


def test_a_list_that_is_counted_is_python_s() -> None:
    program = NESTED.format(more="", given="").replace(
        "        self.copy =",
        "        self.mine = tf.trainable_variables()\n        self.count = len(self.mine)\n"
        "        self.copy =",
    )
    program = program.replace(
        "print(Agent(3).act([[1.0, 2.0, 3.0]]))",
        "agent = Agent(3)\nprint(agent.act([[1.0, 2.0, 3.0]]), agent.count)",
    )
    assert "self.count = len(self.mine)" in after(program)
