"""Parts of a net that a function in a function notes, and nets that may end at any of them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])


def part(inputs, scope):
    with tf.variable_scope(scope):
        return tf.layers.dense(inputs, 3, tf.nn.relu, name='dense')


def base(inputs, final='b_2'{more}):
    ends = {{}}

    def keep({parameters}):
        {inner}
        return {returned}

    net = tf.layers.dense(inputs, 3, name='first')
    if keep('first', net): return net, ends
    for i in {rounds}:
        name = 'b_' + str(i + 1)
        net = part(net, name)
        {between}
        if keep(name, net): return net, ends
    {behind}
    raise ValueError('no part %s' % final)


out, ends = base({arguments})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([out, ends['first']], {{x: [[0.5] * 3]}}))
"""
PLAIN = {
    "more": "",
    "parameters": "label, net",
    "inner": "ends[label] = net",
    "returned": "label == final",
    "rounds": "range(2)",
    "between": "pass",
    "behind": "pass",
    "arguments": "x",
}


def upgrade(**changed: str) -> FileResult:
    lines = PROGRAM.format(**PLAIN | changed).splitlines(keepends=True)
    source = "".join(line for line in lines if line.strip() != "pass")
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_a_helper_is_written_where_it_is_called() -> None:
    result = upgrade()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "keep" not in text
    assert "ends['first'] = net\n" in text
    assert "ends[name] = net\n" in text
    assert "raise ValueError" not in text
    assert "final" not in text
    assert "return net, ends\n" in text


@pytest.mark.parametrize(
    "changed",
    [
        {"parameters": "net, label", "inner": "ends[net] = label", "returned": "net == final"},
        {"returned": "final == label"},
        {"rounds": "range(0, 2)"},
        {"arguments": "x, 'b_2'"},
        {"arguments": "x, final='b_2'"},
        {"rounds": "range(n)", "more": ", n=2"},
    ],
)
def test_other_words_for_the_same(changed: dict[str, str]) -> None:
    result = upgrade(**changed)
    assert result.level is Level.NATIVE, [f.message for f in result.left]


@pytest.mark.parametrize(
    "changed",
    [
        # The part that is wanted isn't the last one, or none, or isn't told.
        {"arguments": "x, 'b_1'"},
        {"arguments": "x, 'b_3'"},
        {"rounds": "range(3)"},
        {"between": "name = name + 'x'"},
        # The helper does more than to note a part.
        {"inner": "ends[label] = net; net = net + 1.0"},
        {"parameters": "label, net, more=1"},
        {"returned": "str(label) == final"},
        # What is called there isn't only asked.
        {"behind": "ends['kept'] = keep"},
        {"behind": "net = net + 1.0"},
    ],
)
def test_what_isnt_seen_keeps_the_session(changed: dict[str, str]) -> None:
    assert upgrade(**changed).level is Level.COMPAT
