"""Classes: base classes, building methods, lazy properties, what an object is given."""

from __future__ import annotations

import textwrap

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after

HEAD = "import numpy as np\nimport tensorflow as tf\n\n\n"
BASE = """\
class Base(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.build()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def build(self):
        w = tf.Variable(tf.ones([2, 1]))
        self.y = tf.matmul(self.x, w)

    def predict(self, x):
        return self.sess.run(self.y, {self.x: x})

    def close(self):
        self.sess.close()


"""
RUN = """

net = Net()
print(net.predict(np.ones((2, 2))))
net.close()
"""
OVERRIDES = """\
class Net(Base):
    def build(self):
        v = tf.Variable(tf.ones([2, 1]) * 2)
        self.y = tf.matmul(self.x, v)
"""
EXTENDS = """\
class Net(Base):
    def build(self):
        super(Net, self).build()
        self.y = self.y * 3
"""
BY_CLASS = """\
class Net(Base):
    def __init__(self):
        Base.__init__(self)
        self.z = self.y * 3

    def triple(self, x):
        return self.sess.run(self.z, {self.x: x})
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize(
    ("net", "kept", "wanted"),
    [
        (OVERRIDES, "self.w = tf.Variable", "return tf.matmul(x, v)"),
        (EXTENDS, "super(Net, self).build()\n\n        @tf.function", "tf.matmul(x, self.w)"),
        (BY_CLASS, "Base.__init__(self)\n\n        @tf.function", "tf.matmul(x, self.w)"),
    ],
)
def test_methods_are_those_of_the_class_and_then_of_its_base(
    net: str, kept: str, wanted: str
) -> None:
    if net is OVERRIDES:  # the base's own is never called
        kept = "def build(self):\n        v = tf.Variable"
    text = native(HEAD + BASE + net + RUN)
    assert kept in text
    assert wanted in text
    assert "def close(self):\n        pass\n" in text


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (OVERRIDES + "\n\nBase().predict(np.ones((2, 2)))\n", "objects of two classes have"),
        (
            "class Net(Base, threading.Thread):\n    pass\n",
            "class `Net`, which builds a graph, has a base class",
        ),
        (
            "@decorated\nclass Net(Base):\n    pass\n",
            "class `Net`, which builds a graph, has a decorator",
        ),
        (EXTENDS.replace("super(Net, self)", "super(Net, net)"), "`super` of another object"),
        (EXTENDS + "\n\nNet().build()\n", "`build` builds a part of the graph twice"),
    ],
)
def test_other_bases_keep_the_session(more: str, reason: str) -> None:
    result = upgrade("import threading\n" + HEAD + BASE + more + RUN)
    assert result.level is Level.COMPAT
    assert any(reason in f.message for f in result.left), [f.message for f in result.left]


METHODS = (
    HEAD
    + """\
class Net(object):
    def __init__(self, size):
        self.x = tf.placeholder(tf.float32, [None, size])
        self.y = self.output(2.0)
        self.z = self.scaled(3.0) + self.y
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def output(self, scale):
        weights = dict()
        weights['w'] = tf.Variable(tf.ones([2, 1]))
        self.h = tf.matmul(self.x, weights['w'])
        return self.h * scale

    def scaled(self, by):
        return self.h * by

    def predict(self, x):
        return self.sess.run(self.z, {self.x: x})


print(Net(2).predict(np.ones((2, 2))))
"""
)


def test_what_functions_of_other_methods_read_is_the_object_s() -> None:
    text = native(METHODS)
    assert "        self.output(2.0)\n" in text
    assert "    def output(self, scale):\n        self.scale = scale\n" in text
    assert "self.weights['w'] = tf.Variable(tf.ones([2, 1]))" in text
    assert "            y = h * self.scale\n" in text
    assert "            return self.scaled(h, 3.0) + y\n" in text
    assert "    def scaled(self, h, by):\n        return h * by\n" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("return self.h * scale", "y = self.h * scale; scale = 5; return y", "`scale`"),
        ("self.y = self.output(2.0)", "self.y = [self.output(2.0)][0]", "a method returns a part"),
        (
            "self.sess = tf.Session()",
            "self.weights = 3; self.sess = tf.Session()",
            None,
        ),
    ],
)
def test_names_that_mean_something_else_stay(old: str, new: str, reason: str | None) -> None:
    if reason is None:  # the attribute has another name then
        assert "self.output_weights['w'] = tf.Variable" in native(METHODS.replace(old, new))
        return
    result = upgrade(METHODS.replace(old, new))
    assert result.level is Level.COMPAT
    assert any(reason in f.message for f in result.left), [f.message for f in result.left]


def test_an_attribute_with_the_name_of_a_local_one_is_given_under_another() -> None:
    text = native(METHODS.replace("return self.h * by", "h = 2; return self.h * by * h"))
    assert "    def scaled(self, given_h, by):\n        h = 2; return given_h * by * h\n" in text


def test_what_several_runs_need_is_a_function_of_the_object() -> None:
    more = "    def plain(self, x):\n        return self.sess.run(self.y, {self.x: x})\n\n"
    text = native(METHODS.replace("    def predict", f"{more}    def predict"))
    assert "        self.compute_h_and_y = compute_h_and_y\n" in text
    assert text.count(" = self.compute_h_and_y(x)\n") == 2


def test_a_variable_s_attribute_is_set_once() -> None:
    source = HEAD + (
        "class Net(object):\n"
        "    def __init__(self):\n"
        "        self.x = tf.placeholder(tf.float32, [None, 2])\n"
        "        self.w = tf.Variable(tf.ones([2, 2]))\n"
        "        self.h = tf.matmul(self.x, self.w)\n"
        "        self.w = tf.Variable(tf.zeros([2, 2]))\n"
        "        self.y = tf.matmul(self.h, self.w)\n\n\n"
        "net = Net()\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run([net.h, net.y], {net.x: np.ones((2, 2))}))\n"
    )
    text = after(source)  # the first one has a name of its own
    assert "h = tf.matmul(x, self.first_w)\n" in text
    assert "y = tf.matmul(h, self.w)\n" in text
    third = source.replace(
        "        self.y =", "        self.w = tf.Variable(tf.eye(2))\n        self.y ="
    )
    result = upgrade(third)
    assert result.level is Level.COMPAT
    assert any("`w` means another variable" in f.message for f in result.left)


LAZY = """\
import functools

import numpy as np
import tensorflow as tf


def doublewrap(function):
    @functools.wraps(function)
    def decorator(*args, **kwargs):
        if len(args) == 1 and len(kwargs) == 0 and callable(args[0]):
            return function(args[0])
        else:
            return lambda wrapee: function(wrapee, *args, **kwargs)
    return decorator


@doublewrap
def define_scope(function, scope=None, *args, **kwargs):
    attribute = '_cache_' + function.__name__
    name = scope or function.__name__

    @property
    @functools.wraps(function)
    def decorator(self):
        if not hasattr(self, attribute):
            with tf.variable_scope(name, *args, **kwargs):
                setattr(self, attribute, function(self))
        return getattr(self, attribute)

    return decorator


class Model(object):
    def __init__(self, image, label):
        self.image = image
        self.label = label
        self.optimize

    @define_scope('net')
    def prediction(self):
        \"\"\"What the net says.\"\"\"
        w = tf.get_variable('w', [2, 1], initializer=tf.zeros_initializer())
        # a linear one
        return tf.matmul(self.image, w)

    @define_scope
    def loss(self):
        return tf.reduce_mean(tf.square(self.prediction - self.label))

    @define_scope
    def optimize(self):
        return tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 1])
model = Model(x, y)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
feed = {x: np.ones((2, 2)), y: np.ones((2, 1))}
sess.run(model.optimize, feed)
print(sess.run(model.loss, feed_dict=feed))
"""


def test_lazy_properties_are_made_where_they_are_read_first() -> None:
    text = native(LAZY)
    assert "define_scope" not in text
    assert "functools" not in text
    assert "w = tf.Variable(tf.zeros([2, 1]), name='optimize/loss/net/w')" in text
    assert "# What the net says." in text
    assert "# a linear one" in text
    assert "@tf.function(input_signature=[self.image, self.label])" in text
    assert 'feed = {"image": np.ones((2, 2)), "label": np.ones((2, 1))}' in text
    assert "model.train_step(**feed)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.optimize\n", "if label is not None:\n            self.optimize\n"),
        ("print(sess.run(model.loss", "if feed:\n        return 1\n    print(sess.run(model.loss"),
        ("        # a linear one\n", "        if x is None:\n            return w\n"),
        ("return decorator\n\n\nclass", "decorator.kept = True\n    return decorator\n\n\nclass"),
    ],
)
def test_other_lazy_properties_keep_the_session(old: str, new: str) -> None:
    assert old in LAZY
    source = LAZY.replace(old, new)
    if "return 1" in new:
        source = source.replace("feed = {x", "def run():\n    feed = {x").replace(
            "sess.run(model.optimize, feed)", "    sess.run(model.optimise, feed)"
        )
    assert upgrade(source).level is not Level.NATIVE


GIVEN = (
    HEAD
    + """\
class Part(object):
    def __init__(self, x, y):
        self.first = x
        w = tf.Variable(tf.ones([2, 1]))
        self.out = tf.matmul(x - y, w)


x1 = tf.placeholder(tf.float32, [None, 2])
x2 = tf.placeholder(tf.float32, [None, 2])
part = Part(x1, x2)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(part.out, {x2: np.ones((2, 2)), x1: np.zeros((2, 2))}))
"""
)


def test_placeholders_that_an_object_is_given_are_its_own() -> None:
    text = native(GIVEN)
    assert "input_signature=[self.first, y]" in text
    assert "def predict(first, y):\n            return tf.matmul(first - y, w)" in text
    assert "part.predict(np.zeros((2, 2)), np.ones((2, 2)))" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Part(x1, x2)", "Part(x1, x1)", "is needed here and not fed"),
        ("part = Part(x1, x2)", "part = Part(x1, x2)\nother = Part(x2, x1)", "`__init__` is given"),
        ("Part(x1, x2)", "Part(x1, tf.nn.dropout(x2, 0.5))", "`__init__` is given a tensor"),
    ],
)
def test_other_parts_of_a_graph_are_not_given(old: str, new: str, reason: str) -> None:
    result = upgrade(GIVEN.replace(old, new))
    assert result.level is Level.COMPAT
    assert any(reason in f.message for f in result.left), [f.message for f in result.left]


FED = (
    HEAD
    + """\
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 2]))
h = tf.matmul(x, w)
y = tf.matmul(h, w)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: np.ones((2, 2))}), sess.run(y, {h: np.ones((2, 2))}))
"""
)


def test_a_tensor_that_is_fed_has_a_type() -> None:
    assert "input_signature=[tf.TensorSpec(None, tf.float32)]" in native(FED)
    odd = FED.replace("h = tf.matmul(x, w)", "h = tf.cast(tf.argmax(x, 1), tf.int32)")
    odd = odd.replace("y = tf.matmul(h, w)", "y = h + 1")
    result = upgrade(odd)
    assert result.level is Level.COMPAT
    assert any("has a type that isn't seen" in f.message for f in result.left)


UNCALLED = (
    HEAD
    + """\
class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable(tf.ones([2, 1]))
        self.y = tf.matmul(self.x, w)


def test():
    net = Net()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(net.y, {net.x: np.ones((2, 2))}))


# test()
"""
)


def test_a_function_that_nobody_calls_is_a_program_of_its_own() -> None:
    assert "def test(rate):" in native(UNCALLED.replace("def test():", "def test(rate):"))
    text = native(UNCALLED)
    assert "    net = Net()\n    print(net.compute_y(np.ones((2, 2))).numpy())\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def test():", "@decorated\ndef test():"),
        ("# test()", "tests = [test]"),
        ("def test():\n    net = Net()\n", "net = Net()\n\n\ndef test():\n"),
    ],
)
def test_other_functions_that_nobody_calls_keep_the_session(old: str, new: str) -> None:
    assert old in UNCALLED
    assert upgrade(UNCALLED.replace(old, new)).level is Level.COMPAT


def test_an_object_that_is_one_of_several_is_named() -> None:
    text = HEAD + textwrap.dedent(
        """
        class Scale(object):
            def __init__(self):
                self.v = tf.Variable(tf.ones([3]))

            def forward(self, x):
                return x * self.v


        class Shift(object):
            def __init__(self):
                self.w = tf.Variable(tf.ones([3]))

            def forward(self, x):
                return x + self.w


        class Net(object):
            def __init__(self):
                self.layers = [Scale(), Shift()]
                self.x = tf.placeholder(tf.float32, [None, 3])
                self.y = self.forward(self.x)

            def forward(self, x):
                for layer in self.layers:
                    x = layer.forward(x)
                return x


        net = Net()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(net.y, feed_dict={net.x: [[1, 2, 3]]}))
        """
    )
    assert "        for layer in self.layers:\n" in native(text)
    made = "        self.v = tf.Variable(tf.ones([3]))\n"
    text = text.replace(made, f"{made}        self.z = tf.placeholder(tf.float32, [3])\n")
    (result,) = texts({"case.py": text.encode()}, Options())
    assert result.level is Level.COMPAT
    assert any("a container of object, variable" in f.message for f in result.left), result.left


def test_the_last_branch_of_a_method_may_lose_its_else() -> None:
    source = (
        f"{HEAD}class Net:\n    def __init__(self, restore=None):\n"
        "        self.session = tf.Session()\n"
        "        self.x = tf.placeholder(tf.float32, [None, 2])\n"
        "        self.w = tf.get_variable('w', [2, 1])\n"
        "        self.y = tf.matmul(self.x, self.w)\n"
        "        self.saver = tf.train.Saver()\n\n"
        "        if restore:\n            # What was trained\n"
        "            self.session.run(tf.global_variables_initializer())\n"
        "            self.saver.restore(self.session, restore)\n"
        "        else:\n            # From the start\n"
        "            self.session.run(tf.global_variables_initializer())\n\n"
        "    def predict(self, x):\n        return self.session.run(self.y, {self.x: x})\n"
        "\n\nnet = Net()\nprint(net.predict(np.ones((2, 2))))\n"
    )
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "else" not in text
    restored = "self.saver.read(restore).assert_existing_objects_matched().expect_partial()"
    assert f"            {restored}\n\n" in text


SHARED = """\
class Net(object):
    def __init__(self, {given}='log'):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable(tf.ones([2, 1]))
        y = tf.matmul(self.x, self.w)
        if {given} == 'log':
            self.loss = tf.reduce_mean(y)
            self.reward = y + 1
        else:
            self.loss = tf.reduce_sum(y)
            self.reward = y + 2
        self.train = tf.train.GradientDescentOptimizer(.1).minimize(self.loss)


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(net.train, {{net.x: [[1., 2.]]}})
    print(sess.run(net.reward, {{net.x: [[1., 2.]]}}))
"""


def test_an_argument_is_not_read_in_a_function_that_has_its_name_for_an_attribute() -> None:
    (result,) = texts({"program.py": (HEAD + SHARED.format(given="kind")).encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert "def compute_loss_and_reward(x):\n" in result.after.decode()
    (result,) = texts({"program.py": (HEAD + SHARED.format(given="loss")).encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert "def compute_loss_value_and_reward(x):\n" in result.after.decode()
    assert "            return loss_value, reward\n" in result.after.decode()


DATA = """\
import numpy as np
import tensorflow as tf


class DataSet(object):
    def __init__(self, images, fake=False, dtype=tf.float32):
        dtype = tf.as_dtype(dtype).base_dtype
        if dtype not in (tf.uint8, tf.float32):
            raise TypeError('Invalid image dtype %r' % dtype)
        if dtype == tf.float32:
            images = images.astype(np.float32)
        self._images = images

    @property
    def images(self):
        return self._images


def read_data_sets(fake=False, dtype=tf.float32):
    class DataSets(object):
        pass
    data_sets = DataSets()
    if fake:
        def fake():
            return DataSet([], fake=True, dtype=dtype)
        data_sets.train = fake()
        return data_sets
    data_sets.train = DataSet(np.ones([3, 2]), dtype=dtype)
    return data_sets


data = read_data_sets()
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
y = tf.matmul(x, w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: data.train.images}))
"""


def test_a_class_that_only_says_types_holds_data() -> None:
    text = after(DATA)
    assert "dtype = tf.as_dtype(dtype).base_dtype" in text
    assert "data.train.images" in text
