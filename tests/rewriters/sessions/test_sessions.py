"""Sessions to functions: what the small shapes become, and what keeps a program's session.

The programs of fixtures/native are run (tests/test_native.py); here it is the text that counts.
"""

from __future__ import annotations

import ast
import textwrap

import pytest

from migrate.engine.bound import unbound
from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.rewriters.sessions.lines import CLOSE, GONE, OPEN, by_line, tidy

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([2, 1]), name='w')
y = tf.matmul(x, w)
loss = tf.reduce_mean(tf.square(y - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
data = np.ones((3, 2))
"""


def upgrade(source: str, path: str = "program.py") -> FileResult:
    (result,) = texts({path: source.encode()}, Options())
    return result


def after(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    ast.parse(text)
    return text


def body(tail: str) -> str:
    """What becomes of statements after the head, functions included."""
    return after(HEAD + textwrap.dedent(tail)).partition("data = np.ones((3, 2))\n")[2].strip()


def stopped(source: str) -> str:
    result = upgrade(textwrap.dedent(source))
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM420"]
    return f"{finding.line}: {finding.message.removeprefix(KEEPS)}"


KEEPS = "this keeps the program's session: "


def test_a_whole_program() -> None:
    assert after(
        HEAD + "for _ in range(3):\n    _, value = sess.run([train, loss], {x: data})\n"
    ) == (
        textwrap.dedent("""\
        import numpy as np
        import tensorflow as tf

        x = tf.TensorSpec([None, 2], tf.float32)
        w = tf.Variable(tf.zeros([2, 1]), name='w')
        optimizer = tf.keras.optimizers.SGD(0.1)


        @tf.function(input_signature=[x])
        def train_step(x):
            with tf.GradientTape() as tape:
                y = tf.matmul(x, w)
                loss = tf.reduce_mean(tf.square(y - 1.0))
            variables = [w]
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables))
            return loss


        data = np.ones((3, 2))
        for _ in range(3):
            value = train_step(data).numpy()
        """)
    )


@pytest.mark.parametrize(
    ("run", "written"),
    [
        ("print(sess.run(loss, feed_dict={x: data}))", "print(compute_loss(data).numpy())"),
        ("value = loss.eval({x: data}, sess)", "value = compute_loss(data).numpy()"),
        (
            "a, b = sess.run([loss, y], {x: data})",
            "a, b = [t.numpy() for t in compute_loss_and_y(data)]",
        ),
        ("got = sess.run([loss], {x: data})", "got = [compute_loss(data).numpy()]"),
        ("print(sess.run([train, loss], {x: data})[1])", "print(train_step(data).numpy())"),
        (
            "print(sess.run((loss, train, y), {x: data})[-1])",
            "print(train_step(data)[1].numpy())",
        ),
        ("sess.run(train, {x: data})", "train_step(data)"),
        ("_ = sess.run(train, {x: data})", "train_step(data)"),
        ("print(sess.run(w))", "print(w.numpy())"),
        ("print(sess.run([w, w[0]]))", "print([w.numpy(), w[0].numpy()])"),
        (
            "print(sess.run({'a': loss, 'b': y}, {x: data}))",
            "print(tf.nest.map_structure(lambda t: t.numpy(), compute_loss_and_y(data)))",
        ),
        ("feed = {x: data}\nsess.run(train, feed)", 'feed = {"x": data}\ntrain_step(**feed)'),
        ("sess.run(w.assign(tf.ones([2, 1])))", "w.assign(tf.ones([2, 1]))"),
        ("sess.close()\nsess.run(train, {x: data})", "train_step(data)"),
    ],
)  # fmt: skip
def test_runs(run: str, written: str) -> None:
    assert body(run).endswith(written)


@pytest.mark.parametrize(
    ("made", "trained"),
    [
        ("tf.Variable(1.0)", "[w, b]"),
        ("tf.Variable(1.0, False)", "[w]"),
        ("tf.Variable(1.0, trainable=None)", "[w, b]"),
        ("tf.Variable(1.0, trainable=len(data) > 1)", "tape.watched_variables()"),
        ("tf.get_variable('b', [], tf.float32, None, None, False)", "[w]"),
    ],
)
def test_what_a_train_op_trains(made: str, trained: str) -> None:
    source = HEAD.replace("y = tf", f"data = [1, 2]\nb = {made}\ny = b + tf")
    assert f"variables = {trained}" in after(source + "sess.run(train, {x: data})\n")


def test_the_report_says_that_devices_and_settings_went() -> None:
    head = HEAD.replace("tf.Session()", "tf.Session(config=config)").replace(
        "y = tf", "with tf.device('/cpu:0'):\n    y = tf"
    )
    head = head.replace("x = tf", "config = tf.ConfigProto(allow_soft_placement=True)\nx = tf")
    head = head.replace("sess =", "config.gpu_options.allow_growth = True\nsess =")
    result = upgrade(head + "sess.run(train, {x: data})\n")
    assert result.level is Level.NATIVE
    said = {f.line: f.message for f in result.fixed}
    assert said[4] == (
        "the session's configuration goes; TF 2 has "
        "tf.config.experimental.set_memory_growth, tf.config.set_soft_device_placement"
    )
    assert said[7] == "`tf.device` goes: TF 2 takes the first GPU, if there is one"


@pytest.mark.parametrize(
    ("devices", "goes"),
    [
        ("'/gpu:1' '/gpu:1' '/cpu:0'", True),
        ("'/gpu:0' '/gpu:1'", False),
        ("'/gpu:1' '/gpu:0'", False),
        ("where '/gpu:0'", True),
        ("'/job:ps' '/gpu:0'", False),
        ("'/gpu:'+str(GPU) '/cpu:0' '/gpu:%d'%GPU", True),
        ("'/device:GPU:{}'.format(GPU)", True),
        ("f'/gpu:{GPU}'", True),
        ("'/gpu:%d'%0 '/gpu:0'", True),
        ("'/gpu:%d'%GPU '/gpu:%d'%OTHER", False),
        ("'/gpu:%d'%GPU '/gpu:0'", False),
        ("'/%s:0'%GPU", False),
    ],
)
def test_one_device_goes_and_several_keep_the_session(devices: str, goes: bool) -> None:
    with_devices = "".join(f"with tf.device({d}):\n    tf.constant(0.)\n" for d in devices.split())
    source = HEAD.replace("y = tf", f"where = '/gpu:0'\nGPU = 2\nOTHER = 3\n{with_devices}y = tf")
    result = upgrade(source + "sess.run(train, {x: data})\n")
    assert (result.level is Level.NATIVE) is goes, [f.message for f in result.left]
    if "'/gpu:1'" in devices and goes:
        assert any("set_visible_devices(gpus[1]" in f.message for f in result.fixed)
    if "GPU)" in devices and goes:
        assert any("set_visible_devices(gpus[GPU]" in f.message for f in result.fixed)


def loss_of(labels: str, loss: str, x: str = "tf.float32") -> str:
    source = textwrap.dedent(f"""\
        import tensorflow as tf

        x = tf.placeholder({x}, [None, 2])
        n = tf.placeholder(tf.int32, [None])
        w = tf.Variable(tf.zeros([2, 3], {x}))
        v = tf.Variable(tf.ones([2, 3], {x}))
        logits = tf.matmul(x, w)
        labels = {labels}
        loss = {loss}
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
        sess.run(train, {{x: [[1, 2]], n: [1]}})
        """)
    if x != "tf.float32" and "softmax" in loss:
        return stopped(source)
    return next(line.strip() for line in after(source).splitlines() if "loss = " in line)


def test_a_gradient_stops_at_the_labels_of_softmax_alone() -> None:
    softmax = "tf.losses.softmax_cross_entropy(labels, logits)"
    assert "tf.stop_gradient(" in loss_of("tf.nn.softmax(tf.matmul(x, v))", softmax)
    assert "tf.stop_gradient(" not in loss_of("tf.one_hot(n, 3)", softmax)
    sigmoid = "tf.losses.sigmoid_cross_entropy(labels, logits)"
    assert "tf.stop_gradient(" not in loss_of("tf.nn.sigmoid(tf.matmul(x, v))", sigmoid)


def test_a_loss_of_float64_is_one_of_float32() -> None:
    squares = "tf.losses.mean_squared_error(labels, logits)"
    found = loss_of("tf.matmul(x, v)", squares, "tf.float64")
    assert found.count(", tf.float32)") == 2
    softmax = loss_of(
        "tf.matmul(x, v)",
        squares.replace("mean_squared_error", "softmax_cross_entropy"),
        "tf.float64",
    )
    assert softmax == "9: tf.losses.softmax_cross_entropy of what may be float64, in float32"


def test_shared_statements_become_a_function() -> None:
    text = after(
        HEAD
        + "sess.run(train, {x: data})\n"
        + "print(sess.run(tf.reduce_max(tf.abs(y)), {x: data}))\nprint(sess.run(loss, {x: data}))\n"
    )
    assert "def compute_loss(x):\n" in text
    assert "        loss = compute_loss(x)\n" in text


def test_a_session_block_is_dedented_and_its_comments_stay() -> None:
    tail = """\
        with tf.Session() as other:
            # first
            print('a')  # beside

            # then
            text = '''
            kept
        '''
        """
    assert body("sess.run(train, {x: data})\n" + textwrap.dedent(tail)) == textwrap.dedent("""\
        train_step(data)
        # first
        print('a')  # beside

        # then
        text = '''
            kept
        '''""")  # fmt: skip


def test_a_class_keeps_its_functions() -> None:
    text = after(
        textwrap.dedent("""\
        import tensorflow as tf


        class Model:
            def __init__(self, sess, size):
                self.sess = sess
                self.x = tf.placeholder(tf.float32, [None, size])
                self.w = tf.Variable(tf.zeros([size, 1]))
                self.y = tf.matmul(self.x, self.w)

            def predict(self, data):
                return self.sess.run(self.y, {self.x: data})


        session = tf.Session()
        model = Model(session, 3)
        session.run(tf.global_variables_initializer())
        print(model.predict([[1., 2., 3.]]))
        """)
    )
    assert "    def __init__(self, size):\n        self.x = tf.TensorSpec([None, size]" in text
    assert "        @tf.function(input_signature=[self.x])\n" in text
    assert "return tf.matmul(x, self.w)\n\n        self.compute_y = compute_y\n" in text
    assert "        return self.compute_y(data).numpy()\n" in text
    assert "model = Model(3)\n" in text


def test_a_function_that_makes_and_applies_comes_in_two() -> None:
    text = after(
        textwrap.dedent("""\
        import tensorflow as tf

        def dense(inputs, size, reuse=False):
            with tf.variable_scope('dense', reuse=reuse):
                w = tf.get_variable('w', [2, size])
                return tf.matmul(inputs, w)

        x = tf.placeholder(tf.float32, [None, 2])
        z = tf.placeholder(tf.float32, [None, 2])
        both = dense(x, 4) + dense(z, 4, reuse=True)
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
        print(sess.run(both, {x: [[1., 2.]], z: [[1., 2.]]}))
        """)
    )
    assert "def dense(size):\n    w = tf.Variable(" in text
    assert (
        "    def apply(inputs):\n        return tf.matmul(inputs, w)\n\n    return apply\n" in text
    )
    assert text.count("dense(4)") == 1
    assert "dense_layer(x) + dense_layer(z)" in text


PREAMBLE = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [2])\ny = x * 2.0\n"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (
            "sess = tf.Session()\nprint(sess.run('y:0', {x: [1, 2]}))",
            "5: `y:0` is fetched by its name, and no op is given that name",
        ),
        ("sess = tf.Session()\nprint(sess.run(y))", "5: `x` is needed here and not fed"),
        (
            "open(y)\nsess = tf.Session()\nsess.run(y, {x: [1, 2]})",
            "4: a tensor is given to `open`",
        ),
        ("for s in [tf.Session()]:\n    s.run(y, {x: [1, 2]})", "4: "),
        (
            "k = 3\nz = y * k\nfor k in [4]:\n    print(k)\nprint(k)\n"
            "sess = tf.Session()\nsess.run(z, {x: [1, 2]})",
            "5: `k`, which",
        ),
        (
            "import random\nz = y * random.random()\nsess = tf.Session()\nsess.run(z, {x: [1, 2]})",
            "5: `random.random` is called",
        ),
        (
            "sess = tf.Session()\nfor i in range(2):\n    z = y + i\n    sess.run(z, {x: [1, 2]})",
            "7: what is run here differs from call to call",
        ),
        ("def f(s):\n    return s.run(y, {x: [1, 2]})", "5: a tensor is given to `s.run`"),
        (
            "with tf.device('/tpu:0'):\n    z = y + 1\nsess = tf.Session()",
            "4: ops are put on the device '/tpu:0'",
        ),
        (
            "for i in range(2):\n    with tf.device(open('d').read()):\n        z = y + 1\n"
            "sess = tf.Session()",
            "5: ops are put on a device that is com",
        ),
        (
            "sess = tf.Session()\nkeep = tf.RunOptions(timeout_in_ms=5)\n"
            "out = sess.run(y, {x: [1, 2]}, options=keep)",
            "6: options of `run` that do more than trace it",
        ),
    ],
)  # fmt: skip
def test_what_keeps_a_session(source: str, reason: str) -> None:
    assert stopped(PREAMBLE + source).startswith(reason)


def test_functions_given_to_ops_take_their_placeholders_along() -> None:
    text = after(
        "import tensorflow as tf\n"
        "scale = tf.placeholder(tf.float32, [])\n"
        "rows = tf.placeholder(tf.float32, [None])\n"
        "def body(row):\n    return row * scale\n"
        "scaled = tf.map_fn(body, rows)\n"
        "sess = tf.Session()\n"
        "print(sess.run(scaled, {scale: 2., rows: [1., 2.]}))\n"
    )
    assert "def compute_scaled(scale, rows):\n    def body(row):\n" in text.replace(
        "\n\n\n", "\n\n"
    )


def test_a_file_that_others_import_keeps_its_session() -> None:
    found = {
        r.path: r
        for r in texts(
            {
                "main.py": b"import tensorflow as tf\nimport graph\nprint(graph.y)\n",
                "graph.py": (PREAMBLE + "sess = tf.Session()\nsess.run(y, {x: [1, 2]})\n").encode(),
            },
            Options(),
        )
    }
    assert found["graph.py"].level is Level.COMPAT


def test_a_second_pass_changes_nothing() -> None:
    once = after(HEAD + "print(sess.run([train, loss], {x: data}))\n")
    again = upgrade(once)
    assert again.after is None or again.after.decode() == once


RUN = HEAD + "print(sess.run([train, loss], {x: data}))\n"


@pytest.mark.parametrize(
    "options",
    [
        Options(ignore=("TFM420",)),
        Options(select=("TFM1", "TFM402")),
        Options(per_file_ignores=(("program.py", ("TFM42",)),)),
    ],
)
def test_a_rule_that_is_off_keeps_the_session(options: Options) -> None:
    (result,) = texts({"program.py": RUN.encode()}, options)
    assert result.level is Level.COMPAT
    assert not [f for f in (*result.fixed, *result.left) if f.rule == "TFM420"]


@pytest.mark.parametrize("comment", ["# migrate: ignore[TFM420]", "# noqa: TFM420"])
def test_a_comment_keeps_the_session(comment: str) -> None:
    result = upgrade(RUN.replace("tf.Session()", f"tf.Session()  {comment}"))
    assert result.level is Level.COMPAT
    (left,) = result.left  # not TFM900: the comment does hide something
    assert (left.rule, left.line) == ("TFM420", 9)
    assert left.message == f"{KEEPS}a comment hides TFM420 here"


def test_a_comment_hides_what_keeps_the_session() -> None:
    result = upgrade(HEAD + "print(sess.run('v:0'))  # migrate: ignore[TFM420]\n")
    assert result.level is Level.COMPAT
    assert result.left == []


def test_unbound_names() -> None:
    assert unbound("import a\nprint(a, b)\n") == {"b"}
    assert unbound("def f(x):\n    return x + y\n") == {"y"}
    assert unbound("def f():\n    global z\n    z = 1\nprint(z, __name__)\n") == set()
    assert unbound("print([i for i in range(3)], lambda q: q)\n") == set()


def test_blank_lines() -> None:
    assert tidy(f"a\n\n{GONE}\nb\n") == "a\n\nb\n"
    assert tidy(f"a\n{OPEN}2\ndef f():\n    pass\n{CLOSE}2\nb\n") == (
        "a\n\n\ndef f():\n    pass\n\n\nb\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nx\nc\nd\n"),
        ("a\nb\nc", "a\nb"),
        ("a", "a\nb"),
        ("a\nb", "b"),
        ("a\nb", ""),
    ],
)
def test_edits_by_line(old: str, new: str) -> None:
    for ends in ("\n", "\r\n"):
        text = old.replace("\n", ends)
        for edit in sorted(by_line(text, new), key=lambda e: -e.start):
            text = text[: edit.start] + edit.new + text[edit.end :]
        assert text == (new.replace("\n", ends) if "\n" in old else new)


def test_a_last_line_of_a_cell_that_goes_leaves_the_lines_above_it_alone() -> None:
    assert [(e.start, e.end, e.new) for e in by_line("%magic\n\nimport slim", "%magic")] == [
        (6, 19, "")
    ]


def test_statements_that_share_a_line_come_apart_where_they_must() -> None:
    text = body("""
        a = 1; b = 2
        print(sess.run(y, {x: data})); sess.close()
    """)
    assert text.startswith("a = 1; b = 2\n") or "\na = 1\nb = 2\n" in f"\n{text}"
    assert "print(predict(data).numpy())" in text or "compute_y(data).numpy())" in text
    assert "close" not in text


def test_an_optimizer_that_only_applies_is_made_before_its_function() -> None:
    source = HEAD.replace(
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)",
        "grads, _ = tf.clip_by_global_norm(tf.gradients(loss, [w]), 5.0)\n"
        "train = tf.train.AdamOptimizer(0.1).apply_gradients(zip(grads, [w]))",
    )
    text = after(source + "sess.run(train, {x: data})\n")
    made = text.index("optimizer = tf.keras.optimizers.Adam(0.1, ")
    assert made < text.index("def train_step(x):") < text.index("optimizer.apply_gradients(zip(")


def test_gradients_that_are_applied_where_they_are_computed_get_a_name() -> None:
    for wrap in ("{}", "grads_and_vars={}", "[(tf.clip_by_value(g, -1., 1.), v) for g, v in {}]"):
        made = wrap.format("opt.compute_gradients(loss)")
        text = body(
            "opt = tf.train.GradientDescentOptimizer(0.1)\n"
            "count = tf.Variable(0, trainable=False)\n"
            f"update = opt.apply_gradients({made}, global_step=count)\n"
            "sess.run(tf.global_variables_initializer())\n"
            "sess.run(update, {x: data})\n"
        )
        assert "    grads_and_vars = list(zip(tape.gradient(loss, variables), variables))\n" in text
        assert "    count.assign_add(1)\n" in text
        assert "global_step" not in text


def test_sparse_gradients_that_are_clipped_are_made_dense_for_keras() -> None:
    source = HEAD.replace("y = tf.matmul(x, w)", "y = tf.gather(w, tf.cast(x, tf.int32))").replace(
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)",
        "grads, _ = tf.clip_by_global_norm(tf.gradients(loss, [w]), 5.0)\n"
        "train = tf.train.AdamOptimizer(0.1).apply_gradients(zip(grads, [w]))",
    )
    text = after(source + "sess.run(train, {x: data})\n")
    assert "[(tf.convert_to_tensor(g), v) for g, v in zip(grads, [w]) if g is not None]" in text


BRANCHES = """\
if len(data) > 2:
    # adaptive
    optimizer = tf.train.AdamOptimizer(0.1)
else:
    optimizer = tf.train.AdagradOptimizer({other})
train = optimizer.minimize(loss)
sess.run(train, {{x: data}})
"""


def test_an_optimizer_is_chosen_where_it_was() -> None:
    source = HEAD.replace("train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n", "")
    text = after(source + BRANCHES.format(other="0.2"))
    assert "    # adaptive\n    optimizer = tf.keras.optimizers.Adam(0.1, beta_2=" in text
    assert "else:\n    optimizer = tf.keras.optimizers.Adagrad(0.2, epsilon=0)\n" in text
    assert text.count("optimizer.apply_gradients(") == 1


def test_an_optimizer_whose_rate_changes_in_one_branch_only_keeps_the_session() -> None:
    source = HEAD.replace(
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n",
        "rate = tf.placeholder(tf.float32, [])\n",
    )
    found = stopped(source + BRANCHES.format(other="rate"))
    assert found == "12: one optimizer or another, whose rates change differently"


@pytest.mark.parametrize(
    "waited",
    ["tf.assign_add(count, 2)", "count.assign_add(2)", "tf.group(count.assign_add(2))"],
)
def test_an_op_that_is_made_where_it_is_waited_for_runs_first(waited: str) -> None:
    source = (
        "import tensorflow as tf\n\ncount = tf.Variable(0)\n"
        f"with tf.control_dependencies([{waited}]):\n    after = tf.constant(1.0) + 1\n"
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run(after), sess.run(count))\n"
    )
    (result,) = texts({"a.py": source.encode()}, Options())
    assert result.after is not None
    text = "    count.assign_add(2)\n    return tf.constant(1.0) + 1\n"
    assert text in result.after.decode()


def test_what_is_returned_stands_behind_one_space() -> None:
    text = after(
        "import tensorflow as tf\n"
        "x = tf.placeholder(tf.float32, [None, 4])\n"
        "y =   tf.reduce_mean(x)\n"
        "with tf.Session() as sess:\n"
        "    print(sess.run(y, {x: [[1.] * 4]}))\n"
    )
    assert "    return tf.reduce_mean(x)\n" in text


@pytest.mark.parametrize(
    ("first", "name"),
    [("mean", "compute_mean_and_logits"), ("mean_of_all_that_the_network_was_given", "evaluate")],
)
def test_a_run_of_two_results_is_named_after_both(first: str, name: str) -> None:
    text = after(
        "import tensorflow as tf\n\n"
        "x = tf.placeholder(tf.float32, [None, 2])\n"
        f"{first} = tf.reduce_mean(x)\n"
        "logits = x * 2.0\n"
        "with tf.Session() as sess:\n"
        f"    print(sess.run([{first}, logits], {{x: [[1.0, 2.0]]}}))\n"
    )
    assert f"\ndef {name}(x):\n" in text
