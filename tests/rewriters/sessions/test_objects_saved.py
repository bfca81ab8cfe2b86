"""Objects of several classes that train, as one Saver and one writer of summaries see them."""

from __future__ import annotations

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_files import reasons, run
from tests.rewriters.sessions.test_sessions import after, stopped

NETS = """
import numpy as np
import tensorflow as tf


class Policy:
    def __init__(self, name):
        with tf.variable_scope(name):
            self.x = tf.placeholder(tf.float32, [None, 4])
            self.out = tf.layers.dense(self.x, 2, tf.nn.softmax)
            self.scope = tf.get_variable_scope().name

    def act(self, x):
        return tf.get_default_session().run(self.out, {self.x: x})

    def get_trainable_variables(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, self.scope)


class Learner:
    def __init__(self, policy, older):
        self.policy = policy
        self.older = older
        loss = -tf.reduce_mean(self.policy.out / self.older.out)
        with tf.variable_scope("loss"):
            tf.summary.scalar("gain", loss)
        self.merged = tf.summary.merge_all()
        optimizer = tf.train.AdamOptimizer(0.01)
        variables = self.policy.get_trainable_variables()
        self.train_op = optimizer.minimize(loss, var_list=variables)

    def train(self, x):
        feed = {self.policy.x: x, self.older.x: x}
        return tf.get_default_session().run([self.train_op, self.merged], feed)[1]
"""
JUDGE = """

class Judge:
    def __init__(self):
        with tf.variable_scope("judge"):
            self.x = tf.placeholder(tf.float32, [None, 4])
            self.out = tf.layers.dense(self.x, 1)
            with tf.variable_scope("loss"):
                loss = tf.reduce_mean(tf.square(self.out))
                tf.summary.scalar("judged", loss)
            self.train_op = tf.train.AdamOptimizer().minimize(loss)

    def train(self, x):
        tf.get_default_session().run(self.train_op, {self.x: x})


policy = Policy("policy")
older = Policy("older")
learner = Learner(policy, older)
judge = Judge()
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter("logs")
    judge.train(np.ones([2, 4]))
    writer.add_summary(learner.train(np.ones([3, 4])), 1)
    saver.save(sess, "model.ckpt")
"""


def test_two_objects_that_train_are_saved_beside_each_other() -> None:
    text = after(NETS + JUDGE)
    assert text.count("older_out = ") == 1
    assert "write_summaries(writer, learner.train(np.ones([3, 4])), 1)" in text
    judge, _, main = JUDGE.partition("\n\npolicy = ")
    imports = "from judge import Judge\nfrom nets import Learner, Policy"
    found = run(
        nets=NETS,
        judge=f"import tensorflow as tf{judge}\n",
        main=f"import numpy as np\nimport tensorflow as tf\n{imports}\n\npolicy = {main}",
    )
    assert {r.level for r in found.values()} == {Level.NATIVE}, reasons(found)
    text = (found["main"].after or b"").decode()
    assert " optimizer=learner.optimizer" in text
    assert "judge_optimizer=judge.optimizer" in text


def test_what_is_made_in_a_scope_may_open_one_of_the_same_name() -> None:
    made = '            Learner(Policy("a"), Policy("b"))\n'
    line = "            self.out = tf.layers.dense(self.x, 1)\n"
    stopped(NETS + JUDGE.replace(line, line + made))


LEARN = """
import numpy as np
import tensorflow as tf
from nets import Learner, Policy

policy = Policy("policy")
older = Policy("older")
learner = Learner(policy, older)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    learner.train(np.ones([2, 4]))
    saver.save(sess, "model.ckpt")
"""
SHOW = """
import numpy as np
import tensorflow as tf
from nets import Policy

policy = Policy("policy")
saver = tf.train.Saver()
with tf.Session() as sess:
    saver.restore(sess, "model.ckpt")
    print(policy.act(np.ones([1, 4])))
"""


def test_one_object_of_a_class_that_has_several_in_another_program() -> None:
    found = run(nets=NETS, learn=LEARN, show=SHOW)
    assert {r.level for r in found.values()} == {Level.NATIVE}, reasons(found)
    text = (found["show"].after or b"").decode()
    assert "tf.train.Checkpoint(" in text
    assert "older" not in text
