"""Sessions that imported files make for their configuration."""

from tests.rewriters.sessions.test_files import after, reasons, run

NET = """\
import tensorflow as tf

config = tf.ConfigProto()
config.gpu_options.allow_growth = True
sess = tf.Session(config=config)


def double(t):
    return t * 2.0
"""
MAIN = """\
import tensorflow as tf
import net

x = tf.placeholder(tf.float32, [None])
y = net.double(x)
with tf.Session() as s:
    print(s.run(y, {x: [1.0]}))
"""


def test_one_that_nobody_uses_goes() -> None:
    text = after(run(main=MAIN, net=NET)["net"])
    assert text == "import tensorflow as tf\n\n\ndef double(t):\n    return t * 2.0\n"


def test_one_that_is_used_keeps_the_session() -> None:
    what = "a file that is imported makes a part of the graph"
    found = run(main=MAIN, net=NET.replace("return t", "print(sess)\n    return t"))
    assert what in str(reasons(found))
    found = run(main=MAIN.replace("print(s.run", "print(net.sess.run"), net=NET)
    assert what in str(reasons(found))
    found = run(main=MAIN, net=NET.replace("tf.Session(", "tf.InteractiveSession("))
    assert what in str(reasons(found))
