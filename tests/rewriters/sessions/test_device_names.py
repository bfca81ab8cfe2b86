"""`tf.device` of a name: gone where every device that it may stand for is TF 2's own choice."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """import tensorflow as tf

{before}


def infer(x, device="/cpu:0"):
    with tf.device(device):
        w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
        return tf.matmul(x, w)


class Net(object):
    def __init__(self, device):
        self.device = device
        with tf.device(self.device):
            self.x = tf.placeholder(tf.float32, [None, 2])
            self.y = infer(self.x, {given})


net = Net(device)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.y, {{net.x: [[1., 2.]]}}))
"""


def upgraded(before: str, given: str) -> tuple[Level, str, list[str]]:
    text = PROGRAM.format(before=before, given=given)
    (result,) = texts({"program.py": text.encode()}, Options())
    assert result.after is not None
    return result.level, result.after.decode(), [f.message for f in result.left]


CHOSEN = 'gpu = True\ndevice = "/cpu:0"\nif gpu:\n    device = "/gpu:0"'


LOOPED = 'for device in ["/cpu:0", "/gpu:0"]:\n    pass'


@pytest.mark.parametrize("before", ['device = "/cpu:0"', CHOSEN, LOOPED])
@pytest.mark.parametrize("given", ["device", "device=device", "device=self.device", "'/gpu:0'"])
def test_one_of_known_devices(before: str, given: str) -> None:
    level, text, left = upgraded(before, given)
    assert level is Level.NATIVE, left
    assert "tf.device" not in text


@pytest.mark.parametrize(
    ("before", "given"),
    [
        ('device = "/cpu:0"', "'/job:ps/task:0'"),
        ('device = "/tpu:0"', "device"),
        ("import sys\ndevice = sys.argv[1]", "device"),
        ('device = "/cpu:0"', "'/gpu:%d' % id(self)"),
        ('for device in ["/cpu:0", "/tpu:0"]:\n    pass', "device"),
        ('for device in sorted(["/cpu:0"]):\n    pass', "device"),
        ('device = "/gpu:1"', "'/gpu:0'"),
    ],
)
def test_what_may_be_another_device_keeps_its_session(before: str, given: str) -> None:
    level, _, left = upgraded(before, given)
    assert level is Level.COMPAT
    assert any("device" in message for message in left), left


GRAPH = """\
import sys
import tensorflow as tf

def compute(data, device_t='/gpu:0'):
    graph = tf.Graph()
    with graph.as_default(), graph.device({device}), tf.Session() as sess:
        y = tf.placeholder(tf.float32, [None])
        v = tf.Variable(2.)
        sess.run(tf.global_variables_initializer())
        print(sess.run(y * v, {{y: data}}))

compute([1., 2.], '/cpu:0')
"""


@pytest.mark.parametrize(
    ("device", "level"),
    [("device_t", Level.NATIVE), ("'/gpu:0'", Level.NATIVE), ("sys.argv[1]", Level.COMPAT)],
)
def test_a_device_of_a_graph(device: str, level: Level) -> None:
    source = GRAPH.format(device=device).encode()
    (result,) = texts({"program.py": source}, Options())
    assert result.level is level, [f.message for f in result.left]
    if level is Level.NATIVE and result.after is not None:
        assert b"device(" not in result.after


NUMBERED = """\
import sys
import tensorflow as tf

CPU = int(sys.argv[1]) if len(sys.argv) > 1 else 0
{config}

with tf.device({device}):
    x = tf.placeholder(tf.float32, [None])
    y = x * 2.
with tf.Session() as sess:
    print(sess.run(y, {{x: [1., 2.]}}))
"""


@pytest.mark.parametrize("device", ["'/cpu:{}'.format(CPU)", "'/device:CPU:%d' % CPU"])
@pytest.mark.parametrize(
    ("config", "level"),
    [
        ("", Level.NATIVE),
        ("config = tf.ConfigProto(device_count={'CPU': 2})", Level.COMPAT),
    ],
)
def test_a_number_of_the_cpu_is_of_the_only_one(device: str, config: str, level: Level) -> None:
    source = NUMBERED.format(device=device, config=config).encode()
    (result,) = texts({"program.py": source}, Options())
    assert result.level is level, [f.message for f in result.left]
    if level is Level.NATIVE:
        assert result.after is not None
        assert b"device(" not in result.after


GPU = """\
import argparse
import tensorflow as tf

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="0")
    args = parser.parse_args()
    number = args.gpu
    with tf.device("/gpu:{0}".format(number)):
        x = tf.placeholder(tf.float32)
        y = x * 2.0
        with tf.Session() as sess:
            print(sess.run(y, {x: 1.0}))

main()
"""


def test_a_number_of_the_command_line_in_a_function() -> None:
    assert "tf.device" not in after(GPU)
    assert "tf.device" not in after(GPU.replace("format(number)", "format(args.gpu)"))


def test_a_number_that_changes_keeps_the_session() -> None:
    for change in ("number = number + '0'", "args.gpu = '1'"):
        text = GPU.replace("    with tf.device", f"    {change}\n    with tf.device")
        assert "a device that is computed" in stopped(text)


SAID = """\
import argparse
import tensorflow as tf
{settings}

with tf.device({device}):
    x = tf.placeholder(tf.float32)
    y = x * 2.0
with tf.Session() as sess:
    print(sess.run(y, {{x: 1.0}}))
"""
ARGS = """\
parser = argparse.ArgumentParser()
parser.add_argument('--device')
args = parser.parse_args()"""
FLAGS = "tf.app.flags.DEFINE_string('device', '', '')\nFLAGS = tf.app.flags.FLAGS"


@pytest.mark.parametrize(("settings", "device"), [(ARGS, "args.device"), (FLAGS, "FLAGS.device")])
def test_a_device_of_the_command_line_is_one(settings: str, device: str) -> None:
    source = SAID.format(settings=settings, device=device).encode()
    (result,) = texts({"program.py": source}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert b"tf.device" not in result.after
    said = [f.message for f in result.fixed if f.message.startswith("`tf.device` goes")]
    assert said
    assert all(f"for what {device} says: tf.config.set_visible_devices" in m for m in said)


@pytest.mark.parametrize(
    ("settings", "device"),
    [
        (f"{ARGS}\nargs.device = pick()", "args.device"),
        (f"{ARGS}\nargs = other", "args.device"),
        ("args = load()", "args.device"),
        (f"{ARGS}\nwith tf.device('/gpu:1'):\n    z = tf.Variable(1.0)", "args.device"),
        (ARGS, "args.device.name"),
    ],
)
def test_one_that_may_change_keeps_the_session(settings: str, device: str) -> None:
    level, _, left = _told(SAID.format(settings=settings, device=device))
    assert level is Level.COMPAT
    assert any("device" in message for message in left), left


def _told(source: str) -> tuple[Level | None, str, list[str]]:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result.level, (result.after or b"").decode(), [f.message for f in result.left]
