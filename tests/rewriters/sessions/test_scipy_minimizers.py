"""`tf.contrib.opt.ScipyOptimizerInterface`: a small class over SciPy, given what a run computes."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """import tensorflow as tf
class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable(tf.ones([2, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w)))
        self.optimizer = tf.contrib.opt.ScipyOptimizerInterface(self.loss, {options})
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
    def callback(self, loss):
        print(loss)
    def train(self, x):
        feed = {{self.x: x}}
        self.optimizer.minimize({given})
        return self.sess.run(self.w)
print(Net().train([[1.0, 2.0]]))
"""
OPTIONS = "method='BFGS', options={'maxiter': 5}"
GIVEN = "self.sess, feed_dict=feed, fetches=[self.loss], loss_callback=self.callback"


def test_the_loss_is_given_as_a_function() -> None:
    text = after(PROGRAM.format(options=OPTIONS, given=GIVEN))
    assert "import scipy.optimize\n" in text
    assert "self.optimizer = ScipyOptimizer(method='BFGS', options={'maxiter': 5})" in text
    call = "lambda: [self.compute_loss(**feed)] * 2, loss_callback=self.callback"
    assert f"self.optimizer.minimize({call})" in text


def test_without_fetches() -> None:
    text = after(PROGRAM.format(options=OPTIONS, given="self.sess, feed_dict=feed"))
    assert "self.optimizer.minimize(lambda: [self.compute_loss(**feed)])" in text


def test_with_others_fetched() -> None:
    given = "self.sess, feed_dict=feed, fetches=[self.loss, self.w], loss_callback=print"
    text = PROGRAM.format(options=OPTIONS, given=given)
    text = after(
        text.replace("loss_callback=print", "loss_callback=lambda loss, w: print(loss, w)")
    )
    assert "loss_callback=lambda loss, w: print(loss, w))" in text
    assert "] * 2" not in text


def test_a_list_of_variables() -> None:
    options = "var_list=[self.w], method='BFGS'"
    text = after(PROGRAM.format(options=options, given=GIVEN))
    assert "ScipyOptimizer(var_list=[self.w], method='BFGS')" in text
    assert "def __init__(self, var_list=None, method=" in text
    assert "var_list" not in after(PROGRAM.format(options=OPTIONS, given=GIVEN))


def test_imports_stand_with_those_of_tensorflow() -> None:
    program = "import sys\nsys.path.insert(0, '.')\nimport numpy as np\n" + PROGRAM
    text = after(program.format(options=OPTIONS, given=GIVEN))
    assert text.count("import numpy as np\n") == 1
    assert "import tensorflow as tf\nimport scipy.optimize\n" in text


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ("var_list=[self.x], method='BFGS'", GIVEN),
        ("var_to_bounds={self.w: (0, 1)}", GIVEN),
        ("equalities=[self.loss]", GIVEN),
        (OPTIONS, GIVEN.replace("[self.loss]", "wanted")),
        # it would see other variables
        (OPTIONS, GIVEN.replace("self.callback", "lambda loss: self.sess.run(self.w)")),
    ],
)
def test_what_keeps_the_session(options: str, given: str) -> None:
    assert stopped(PROGRAM.format(options=options, given=given))


def test_what_a_callback_formats_is_a_number() -> None:
    """NumPy 2.4, which comes with TensorFlow 2.21, takes no array of one value for one."""
    given = "self.sess, feed_dict=feed, fetches=[self.loss, self.b], loss_callback=self.callback"
    program = PROGRAM.format(options=OPTIONS, given=given)
    program = program.replace(
        "        self.loss =", "        self.b = tf.Variable([0.5])\n        self.loss ="
    )
    program = program.replace("self.w)))", "self.w) + self.b))")
    program = program.replace(
        "def callback(self, loss):\n        print(loss)",
        "def callback(self, loss, b):\n        print('%e %.3f %.3f' % (loss, b, np.exp(b)))",
    )
    program = program.replace("print(Net()", "net = Net()\nprint(net")
    program += "b = net.sess.run(net.b)\nprint('%.3f' % (100 * np.abs(b - 1.0)))\n"
    text = after("import numpy as np\n" + program)
    assert "% (loss, b.item(), np.exp(b).item())" in text
    assert "% ((100 * np.abs(b - 1.0)).item())" in text


def test_a_callback_that_is_called_by_others_gets_what_they_give() -> None:
    program = PROGRAM.format(options=OPTIONS, given=GIVEN.replace("[self.loss]", "[self.w]"))
    program = program.replace("print(loss)", "print('%e' % loss)")
    text = after(
        program.replace(
            "return self.sess.run(self.w)", "self.callback(3)\n        return self.sess.run(self.w)"
        )
    )
    assert "% loss)" in text


def test_a_name_that_is_computed_of_itself_ends() -> None:
    program = PROGRAM.format(options=OPTIONS, given=GIVEN)
    program += "for i in [0, 1]:\n    if i:\n        z = 2 * z\n    else:\n        z = 3.0\n"
    assert "print('%d' % (z + 1))" in after(program + "print('%d' % (z + 1))\n")
