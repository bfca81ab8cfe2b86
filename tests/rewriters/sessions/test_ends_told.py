"""The end of the data under a name, which is only printed or logged."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import tensorflow as tf

it = tf.data.Dataset.range(3).make_one_shot_iterator()
x = it.get_next()
with tf.Session() as sess:
    while True:
        try:
            print(sess.run(x))
        except tf.errors.OutOfRangeError as e:  # the end
"""
BREAK = "            break\n"


@pytest.mark.parametrize(
    ("told", "new"),
    [
        ("print(e)", 'print("End of sequence")'),
        ("print(e.message)", 'print("End of sequence")'),
        ("print('ü', str(e), repr(e))", 'print(\'ü\', "End of sequence", "End of sequence")'),
        ("print('end: %s' % e)", "print('end: %s' % \"End of sequence\")"),
        ("print('end: {}'.format(e))", "print('end: {}'.format(\"End of sequence\"))"),
        ("print('end: ' + e.message)", "print('end: ' + \"End of sequence\")"),
        ("tf.logging.info(e)", 'tf.get_logger().info("End of sequence")'),
        ("pass", "pass"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_it_says_is_the_beginning_of_tf_1s_text(told: str, new: str, end: str) -> None:
    source = f"{HEAD}            {told}\n{BREAK}"
    text = after(source.replace("\n", end))
    wanted = f"except StopIteration:  # the end\n            {new}\n            break\n"
    assert wanted.replace("            ", "        ") in text.replace("\r\n", "\n")


@pytest.mark.parametrize(
    "told",
    [
        "print(e.op)",
        "print(e.node_def, e)",
        "raise e",
        "print(f'{e}')",
        "last = e",
        "last = str(e)",
        "print(len(str(e)))",
        "print('sequence' in str(e))",
        "sess.report(e)",
        "print(e.args)",
        "e = 1\n            print(e)",
        "print(str(e)[:4])",
    ],
)
def test_more_than_that_keeps_the_session(told: str) -> None:
    reason = "the end of the data is used as a value"
    assert reason in stopped(f"{HEAD}            {told}\n{BREAK}")


def test_a_print_of_ones_own_keeps_the_session() -> None:
    source = f"def print(e):\n    return e.op\n\n\n{HEAD}            print(e)\n{BREAK}"
    stopped(source)
