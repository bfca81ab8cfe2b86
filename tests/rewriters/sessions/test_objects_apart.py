"""Objects of one class that take part in one run: a policy and its older copy, say."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NETS = """
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, name):
        with tf.variable_scope(name):
            self.x = tf.placeholder(tf.float32, [None, 3], name="x")
            self.w = tf.get_variable("w", [3, 2])
            self.out = tf.nn.softmax(tf.matmul(self.x, self.w))


class Trainer:
    def __init__(self, new, old):
        self.new = new
        self.old = old
        self.gain = tf.placeholder(tf.float32, [None], name="gain")
        ratio = self.new.out / self.old.out
        self.loss = -tf.reduce_mean(ratio[:, 0] * self.gain)
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        self.train_op = optimizer.minimize(self.loss, var_list=[self.new.w])

    def train(self, sess, x, gain):
        feed = {self.new.x: x, self.old.x: x + 1, self.gain: gain}
        return sess.run([self.train_op, self.loss], feed_dict=feed)[1]


new = Net("new")
old = Net("old")
trainer = Trainer(new, old)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    x = np.random.randn(5, 3)
    print(trainer.train(sess, x, np.random.randn(5)))
    print(sess.run(new.out, {new.x: x}), sess.run(old.out, {old.x: x}))
"""


def test_each_object_computes_its_own() -> None:
    text = after(NETS)
    assert text.count("class Net") == 1
    assert "old_out = self.old.predict(old_x)" in text
    assert "new_out = self.new.predict(new_x)" in text
    assert "ratio = new_out / old_out" in text
    assert "@tf.function(input_signature=[self.new.x, self.old.x, self.gain])" in text
    assert 'feed = {"new_x": x, "old_x": x + 1, "gain": gain}' in text
    assert "print(new.predict(x).numpy(), old.predict(x).numpy())" in text


def test_names_that_are_the_objects_alone_stay() -> None:
    source = NETS.replace("ratio = self.new.out / self.old.out", "ratio = self.new.out")
    source = source.replace("self.old.x: x + 1, ", "")
    assert "out = self.new.predict(x)" in after(source)


def test_a_name_that_means_something_else_later_is_the_objects() -> None:
    source = NETS.replace(
        "ratio = self.new.out / self.old.out",
        "out = self.new.out\n        out = out * 2.0\n"
        "        ratio = out / self.old.out + self.new.out",
    )
    text = after(source)
    assert "out = new_out * 2.0" in text
    assert "ratio = out / old_out + new_out" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("self.old.x: x + 1, ", "", "`x` is needed here and not fed"),
        (
            "        ratio",
            "        if np.random.rand() > 2:\n            self.old = new\n        ratio",
            "whose graph is run here can't be told",
        ),
        (  # each of the trainers has other objects
            "trainer = Trainer(new, old)",
            "trainer = Trainer(new, old)\nlater = Trainer(Net('third'), old)",
            "`x` is needed here and not fed",
        ),
    ],
)
def test_what_keeps_the_session(old: str, new: str, reason: str) -> None:
    assert stopped(NETS.replace(old, new, 1)).endswith(reason)


HELPER = NETS.replace(NETS[NETS.index("    def train(") : NETS.index('new = Net("new")')], "\n")
HELPER = HELPER.replace(
    'new = Net("new")',
    """def learn(sess, trainer, net, x):
    feed_dict = {net.x: x, trainer.old.x: x, trainer.gain: np.ones(5)}
    return sess.run([trainer.loss, trainer.train_op], feed_dict=feed_dict)[0]


new = Net("new")""",
    1,
).replace("trainer.train(sess, x, np.random.randn(5))", "learn(sess, trainer, new, x)")


def test_a_function_that_is_given_the_objects() -> None:
    assert "trainer.train_step(**feed_dict)" in after(HELPER)
    source = f"{HELPER}    print(learn(sess, trainer, old, x))\n"
    assert stopped(source).endswith("whose graph is run here can't be told")


def test_a_list_of_variables_that_others_read_is_there() -> None:
    source = NETS.replace(
        '            self.w = tf.get_variable("w", [3, 2])\n'
        "            self.out = tf.nn.softmax(tf.matmul(self.x, self.w))\n",
        "            self.out = tf.layers.dense(self.x, 2, tf.nn.softmax)\n"
        "        self.vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, name)\n",
    ).replace("var_list=[self.new.w]", "var_list=self.new.vars")
    text = after(source)
    assert ".build([None, 3])" in text
    assert "self.vars = [*out_layer.trainable_variables]" in text
    assert "variables = self.new.vars" in text


def test_a_list_of_one_summary_is_a_list() -> None:
    text = after(
        NETS.replace(
            "        ratio =", "        tf.summary.scalar('gain', self.gain[0])\n        ratio ="
        )
        .replace(
            "    def train(",
            "    def note(self, sess):\n"
            "        return sess.run([self.merged], {self.gain: [1.0]})\n\n"
            "    def train(",
        )
        .replace(
            "        optimizer =",
            "        self.merged = tf.summary.merge_all()\n        optimizer =",
        )
        .replace(
            "    x = np.random",
            "    writer = tf.summary.FileWriter('logs')\n"
            "    writer.add_summary(trainer.note(sess)[0], 1)\n"
            "    x = np.random",
        )
    )
    assert "return [self.compute_merged([1.0])]" in text


LISTED = """
import numpy as np
import tensorflow as tf


class Policy:
    def __init__(self, name, space, temp=0.1):
        with tf.variable_scope(name):
            self.obs = tf.placeholder(tf.float32, shape=[None] + list(space.shape), name="obs")
            hidden = tf.layers.dense(self.obs, 5, tf.tanh)
            self.probs = tf.layers.dense(tf.divide(hidden, temp), 2, tf.nn.softmax)
            self.scope = tf.get_variable_scope().name

    def act(self, obs):
        return tf.get_default_session().run(self.probs, {self.obs: obs})

    def get_variables(self):
        return tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, self.scope)

    def get_trainable_variables(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, self.scope)


class PPO:
    def __init__(self, policy, old_policy):
        self.policy = policy
        self.old_policy = old_policy
        mine = self.policy.get_trainable_variables()
        old = self.old_policy.get_trainable_variables()
        with tf.variable_scope("assign"):
            self.assign_ops = [tf.assign(o, v) for o, v in zip(old, mine)]
        ratio = self.policy.probs / self.old_policy.probs
        loss = -tf.reduce_mean(ratio[:, 0])
        self.train_op = tf.train.AdamOptimizer(0.01).minimize(loss, var_list=mine)

    def train(self, obs):
        feed = {self.policy.obs: obs, self.old_policy.obs: obs}
        tf.get_default_session().run(self.train_op, feed_dict=feed)

    def assign(self):
        tf.get_default_session().run(self.assign_ops)


def main(space):
    policy = Policy("policy", space)
    old_policy = Policy("old_policy", space)
    ppo = PPO(policy, old_policy)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        ppo.assign()
        ppo.train(np.ones([3, 4]))
        print(policy.act(np.ones([1, 4])), old_policy.act(np.ones([1, 4])))


main(np.ones(4))
"""


def test_methods_that_list_the_variables_of_their_objects_scope() -> None:
    text = after(LISTED)
    assert "        self.scope = name\n" in text
    assert "        self.variables = [*" in text
    assert "        self.trainable_variables = [" in text
    assert "        return self.variables\n" in text
    assert "        return self.trainable_variables\n" in text
    assert ".build([None, *space.shape])" in text  # whatever its rank is
    assert ".build([None, 5])" in text
    assert "        def assign_ops():\n            for o, v in zip(old, mine):" in text
    assert "self.assign_ops = assign_ops\n" in text
    assert "        self.assign_ops()\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # an optimizer's variables may be among all of them
        (
            "mine = self.policy.get_train",
            "self.policy.get_variables()\n        mine = self.policy.get_train",
        ),
        # the other object's name begins so
        ('Policy("old_policy", space)', 'Policy("policy_old", space)'),
        # a size that isn't a number's
        ('Policy("old_policy", space)', 'Policy("old_policy", space, np.ones([5]))'),
    ],
)
def test_lists_that_may_be_others_keep_the_session(old: str, new: str) -> None:
    stopped(LISTED.replace(old, new, 1))


def test_a_variable_that_is_made_when_the_list_would_be_there() -> None:
    source = LISTED.replace(
        "    def act(self, obs):",
        "    def more(self):\n        with tf.variable_scope(self.scope):\n"
        "            self.gain = tf.get_variable('gain', [])\n\n    def act(self, obs):",
    ).replace("    ppo = PPO(", "    policy.more()\n    ppo = PPO(")
    reason = "what an object finds in the graph is of all objects"
    assert stopped(source).endswith(reason)
