"""Programs of several files: which change together, what is followed, what keeps them."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.loosened import changed
from migrate.engine.options import Options
from migrate.engine.runner import check, explain_level, texts, upgrade

MODEL = """
    import tensorflow as tf


    class Model(object):
        def __init__(self):
            self.x = tf.placeholder(tf.float32, [None, 2])
            self.w = tf.Variable(tf.ones([2, 1]), name="w")
            self.y = tf.matmul(self.x, self.w)
    """
RUN = """
    import tensorflow as tf
    from model import Model

    model = Model()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(model.y, {model.x: [[1, 2]]}))
    """


def run(**files: str) -> dict[str, FileResult]:
    """What becomes of files, by name; `__` in a name is a folder."""
    sources = {
        f"{name.replace('__', '/')}.py": textwrap.dedent(text).lstrip().encode()
        for name, text in files.items()
    }
    return {r.path.removesuffix(".py"): r for r in texts(sources, Options())}


def after(result: FileResult) -> str:
    """A result's new text."""
    assert result.after is not None
    return result.after.decode()


def reasons(found: dict[str, FileResult]) -> list[tuple[str, int, str]]:
    """What keeps sessions, and where."""
    return [
        (name, f.line, f.message.removeprefix("this keeps the program's session: "))
        for name, result in found.items()
        for f in result.left
        if f.rule == "TFM420"
    ]


def test_a_model_and_what_runs_it_change_together() -> None:
    found = run(model=MODEL, train=RUN)
    assert {r.level for r in found.values()} == {Level.NATIVE}
    assert "self.predict = predict" in after(found["model"]) or "def " in after(found["model"])
    assert "Session" not in after(found["train"])
    assert "sess" not in after(found["train"])


def test_what_came_out_is_left_alone() -> None:
    found = run(model=MODEL, train=RUN)
    again = run(**{name: after(result) for name, result in found.items()})
    assert [r.status for r in again.values()] == ["unchanged", "unchanged"]


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("from nets.model import Model", "Model"),
        ("import nets.model", "nets.model.Model"),
        ("import nets.model as m", "m.Model"),
        ("from nets import model as m", "m.Model"),
        ("from nets.model import Model as Net", "Net"),
        ("from nets.model import *", "Model"),
    ],
)
def test_ways_to_import(statement: str, name: str) -> None:
    text = RUN.replace("from model import Model", statement).replace("Model()", f"{name}()")
    found = run(nets____init__="", nets__model=MODEL, train=text)
    assert found["train"].level is Level.NATIVE
    assert statement in after(found["train"])


def test_relative_imports_in_a_package() -> None:
    inner = MODEL.replace("tf.matmul(", "multiply(").replace(
        "import tensorflow as tf\n", "import tensorflow as tf\n    from .ops import multiply\n"
    )
    ops = """
        import tensorflow as tf


        def multiply(a, b):
            return tf.matmul(a, b)
        """
    text = RUN.replace("from model", "from nets.model")
    found = run(nets____init__="", nets__model=inner, nets__ops=ops, train=text)
    assert found["nets/ops"].level is Level.NATIVE
    assert found["train"].level is Level.NATIVE


def test_one_program_that_stays_keeps_the_others() -> None:
    odd = RUN.replace("sess.run(model.y,", "sess.run(model.y.name,")
    found = run(model=MODEL, train=RUN, odd=odd)
    assert {r.level for r in found.values()} == {Level.COMPAT}
    assert [(name, line) for name, line, _ in reasons(found)] == [("odd", 7)]


def test_programs_that_share_nothing_are_judged_apart() -> None:
    odd = RUN.replace("sess.run(model.y,", "sess.run(model.y.name,").replace("model im", "other im")
    found = run(model=MODEL, train=RUN, other=MODEL, odd=odd)
    assert found["train"].level is found["model"].level is Level.NATIVE
    assert found["odd"].level is found["other"].level is Level.COMPAT


def test_a_library_of_python_does_not_matter() -> None:
    data = """
        import csv
        from functools import lru_cache


        @lru_cache()
        def load():
            with open("data.csv") as file:
                yield from csv.reader(file)
        """
    text = RUN.replace("from model", "from data import load\n    from model")
    found = run(model=MODEL, data=data, train=text)
    assert found["train"].level is Level.NATIVE
    assert found["data"].status == "unchanged"


def test_a_session_goes_through_a_file_without_tensorflow() -> None:
    helper = """
        def evaluate(sess, model, rows):
            return sess.run(model.y, feed_dict={model.x: rows})
        """
    text = RUN.replace("from model", "from helper import evaluate\n    from model")
    text = text.replace("sess.run(model.y, {model.x: [[1, 2]]})", "evaluate(sess, model, [[1, 2]])")
    found = run(model=MODEL, helper=helper, train=text)
    assert "def evaluate(model, rows):" in after(found["helper"])
    assert "evaluate(model, [[1, 2]])" in after(found["train"])


@pytest.mark.parametrize(
    "made", ["tf.Variable(1.0)", "tf.placeholder(tf.float32)", "tf.Session().run(tf.zeros([]))"]
)
def test_a_graph_that_an_import_builds_keeps_the_session(made: str) -> None:
    train = """
        import tensorflow as tf
        import model

        with tf.Session() as sess:
            print(sess.run(tf.constant(1.0)))
        """
    found = run(model=f"import tensorflow as tf\nx = {made}\n", train=train)
    assert found["train"].level is Level.COMPAT
    assert [(name, line) for name, line, _ in reasons(found)] == [("model", 2)]


def test_files_that_import_each_other() -> None:
    first = "import tensorflow as tf\nfrom second import two\none = tf.float32\n"
    second = "import tensorflow as tf\nfrom first import one\ntwo = tf.int32\n"
    text = f"import first\n{textwrap.dedent(RUN).strip()}\n"
    found = run(first=first, second=second, model=MODEL, train=text)
    assert [(name, text) for name, _, text in reasons(found)] == [
        ("second", "files that import each other")
    ]


def test_tensorflow_from_another_file_is_not_seen_through() -> None:
    train = RUN.replace(
        "import tensorflow as tf\n    from model import Model", "from model import Model, tf"
    )
    found = run(model=MODEL, train=train)
    assert found["model"].level is Level.COMPAT


def test_the_main_block_of_an_imported_file_is_a_program_of_its_own() -> None:
    model = textwrap.dedent(MODEL) + textwrap.dedent(
        """

        if __name__ == "__main__":
            net = Model()
            sess = tf.Session()
            sess.run(tf.global_variables_initializer())
            print(sess.run(net.y, feed_dict={net.x: [[3, 4]]}))
        """
    )
    found = run(model=model, train=RUN)
    assert found["model"].level is Level.NATIVE
    assert "Session" not in after(found["model"])


def test_names_of_one_file_are_not_taken_in_another() -> None:
    text = RUN + "\n    def predict():\n        return 1\n"
    found = run(model=MODEL, train=text)
    assert "def predict" in after(found["train"])
    assert found["model"].level is Level.NATIVE


def test_what_is_fetched_may_not_need_names_of_the_other_file() -> None:
    text = RUN.replace("model.y, {", "model.y * factor, {").replace(
        "model = Model()", "factor = 2.0\n    model = Model()"
    )
    found = run(model=MODEL, train=text)
    assert [r.level for r in found.values()] == [Level.COMPAT, Level.COMPAT]
    assert any("another file's" in text for _, _, text in reasons(found)), reasons(found)


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text).lstrip())


def test_check_and_upgrade_agree_with_and_without_the_cache(tmp_path: Path) -> None:
    odd = RUN.replace("sess.run(model.y,", "sess.run(model.y.name,")
    write(tmp_path, model=MODEL, train=RUN, odd=odd)
    options = Options(root=str(tmp_path), cache=True)
    runs = [list(explain_level([str(tmp_path)], options)) for _ in range(2)]
    assert runs[0] == runs[1]
    assert {(f.path, f.line) for _, _, found in runs[1] for f in found} == {("odd.py", 7)}
    (tmp_path / "odd.py").unlink()
    checked = {r.path: len(r.fixed) for r in check([str(tmp_path)], options)}
    changed = {r.path: len(r.fixed) for r in upgrade([str(tmp_path)], options)}
    assert checked == changed
    assert set(checked) == {"model.py", "train.py"}


def test_a_skipped_file_keeps_the_program(tmp_path: Path) -> None:
    found = run(model="# migrate: skip-file\n" + textwrap.dedent(MODEL), train=RUN)
    assert found["train"].level is Level.COMPAT
    assert found["model"].status == "skipped"


def test_names_of_another_program_do_not_count() -> None:
    """A summary's tag is the one that TF 1 gave it in its own process."""
    text = """
        import tensorflow as tf
        from model import Model

        model = Model()
        total = tf.reduce_sum(model.w)
        tf.summary.scalar("loss", total)
        merged = tf.summary.merge_all()
        with tf.Session() as sess:
            writer = tf.summary.FileWriter("logs")
            sess.run(tf.global_variables_initializer())
            writer.add_summary(sess.run(merged), 0)
            print(sess.run(model.y, {model.x: [[1, 2]]}))
        """
    named = text.replace("model.w)", 'model.w, name="loss")')
    found = run(model=MODEL, train=named, other=text)
    assert {r.level for r in found.values()} == {Level.NATIVE}, reasons(found)
    assert "loss_1" in after(found["train"])
    assert "loss_1" not in after(found["other"])


LISTED = """
    import tensorflow as tf


    class Model(object):
        def __init__(self):
            self.x = tf.placeholder(tf.float32, [None, 2])
            with tf.variable_scope("net"):
                self.w = tf.get_variable("w", [2, 1])
            self.y = tf.matmul(self.x, self.w)
            listed = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="net")
            self.halve = [tf.assign(v, v / 2.0) for v in listed]
            self.sess = tf.Session()
            self.sess.run(tf.global_variables_initializer())

        def run(self, x):
            self.sess.run(self.halve)
            return self.sess.run(self.y, {self.x: x})
    """
OBJECT = """
    from model import Model

    model = Model()
    print(model.run([[1, 2]]))
    """


def test_two_programs_make_objects_that_list_their_variables() -> None:
    found = run(model=LISTED, one=OBJECT, two=OBJECT)
    assert reasons(found) == []
    assert found["model"].level is Level.NATIVE
    assert "get_collection" not in after(found["model"])


@pytest.mark.parametrize(
    "before",
    [
        "model = Model()\n    other = Model()",  # its list has those of both
        "w = tf.Variable(1.0, name='net/own')\n    model = Model()",
        "with tf.variable_scope('outer'):\n        model = Model()",  # its list is empty
    ],
)
def test_objects_whose_lists_differ_keep_the_session(before: str) -> None:
    two = OBJECT.replace("model = Model()", before).replace(
        "from model", "import tensorflow as tf\n    from model"
    )
    assert reasons(run(model=LISTED, one=OBJECT, two=two)) != []


EVALUATE = """
    import tensorflow as tf
    from model import Model

    with tf.Session() as sess:
        saver = tf.train.import_meta_graph('model.ckpt.meta')
        saver.restore(sess, 'model.ckpt')
        print(sess.run('y:0', {'x:0': [[1.0, 2.0]]}))
    """


@pytest.mark.parametrize(
    ("name", "old", "new", "level"),
    [
        ("evaluate", "", "", Level.NATIVE),
        ("evaluate", "import Model", "import Model as M", Level.NATIVE),
        ("evaluate", "print(", "print(Model.__name__, ", Level.COMPAT),
        ("evaluate", "print(", "print(globals()['x'], ", Level.COMPAT),
        ("evaluate", "import Model", "import *", Level.COMPAT),
        ("model", "class", "step = tf.constant(1)\n\n\n    class", Level.COMPAT),
        ("train", "model =", "import evaluate\n    model =", Level.COMPAT),
    ],
)
def test_a_name_that_a_file_takes_and_never_reads_makes_no_program_of_both(
    name: str, old: str, new: str, level: Level
) -> None:
    files = {"model": MODEL, "train": RUN, "evaluate": EVALUATE}
    found = run(**{**files, name: files[name].replace(old, new, 1)})
    assert found["evaluate"].level is Level.COMPAT
    assert found["model"].level is found["train"].level is level


def test_a_file_that_is_imported_for_nothing_switches_no_behaviour_off() -> None:
    kept = MODEL.replace("tf.matmul(self.x, self.w)", "tf.Graph().as_graph_element('a')")
    other = """
        import tensorflow as tf
        from model import Model

        w = tf.Variable(1.0)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(w))
        """
    found = run(model=kept, train=RUN, other=other)
    assert {r.level for r in found.values()} == {Level.COMPAT}
    assert run(model=MODEL, train=RUN, other=other)["other"].level is Level.NATIVE


UTILS = """
    import os
    import tensorflow as tf


    def safe_mkdir(path):
        os.makedirs(path)


    def folder(name):
        safe_mkdir(name)
        return name


    def huber(a, b):
        return tf.square(a - b)
    """
GOOD = """
    import tensorflow as tf
    import utils

    x = tf.placeholder(tf.float32, [None])
    loss = utils.huber(x, 2.)
    utils.safe_mkdir("out")
    with tf.Session() as sess:
        print(sess.run(loss, {x: [1, 2]}))
    """
KEPT = """
    import tensorflow as tf
    import utils

    name = utils.folder("out")
    x = tf.placeholder(tf.float32, [None])
    loss = tf.square(x)
    with tf.Session() as sess:
        print(sess.run(sess.graph.get_tensor_by_name(name), {x: [1, 2]}))
    """


def test_a_program_that_takes_nothing_of_tensorflow_from_a_file_keeps_its_session_alone() -> None:
    found = run(utils=UTILS, good=GOOD, kept=KEPT)
    assert {n: r.level for n, r in found.items()} == {
        "utils": Level.NATIVE,
        "good": Level.NATIVE,
        "kept": Level.COMPAT,
    }
    assert "disable_v2_behavior" not in after(found["good"])
    assert found["utils"].after is None
    assert "tensorflow.compat.v1" in after(found["kept"])


def test_such_a_file_may_take_names_of_another_one() -> None:
    files = """
        import utils


        def make(path):
            utils.safe_mkdir(path)
        """
    kept = KEPT.replace("import utils", "import files").replace("utils.folder", "files.make")
    good = GOOD + "    import files\n    files.make('b')\n"
    found = run(utils=UTILS, files=files, good=good, kept=kept)
    levels = {n: r.level for n, r in found.items()}
    assert levels["good"] == levels["utils"] == Level.NATIVE
    assert levels["kept"] == Level.COMPAT
    files = files.replace("safe_mkdir", "huber(1, 2); utils.safe_mkdir")
    scoped = UTILS.replace("tf.square(a - b)", "tf.get_variable('w', []) + b")
    found = run(utils=scoped, files=files, good=good, kept=kept)
    assert found["good"].level == Level.COMPAT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import utils", "from utils import *\nimport utils"),
        ('utils.folder("out")', 'getattr(utils, "folder")("out")'),
        ("import utils", "import utils\nutils.debug = True"),
    ],
)
def test_a_program_that_may_take_more_keeps_all(old: str, new: str) -> None:
    found = run(utils=UTILS, good=GOOD, kept=KEPT.replace(old, new.replace("\n", "\n    ")))
    assert {n: r.level for n, r in found.items()} == dict.fromkeys(found, Level.COMPAT)


HELPERS = """
    import tensorflow as tf

    def weight(shape):
        return tf.Variable(tf.random_normal(shape, stddev=0.1))

    def noisy(x):
        return tf.multiply(x, tf.cast(tf.random_uniform(tf.shape(x), maxval=2), tf.float32))
    """
TRAINED = """
    import tensorflow as tf
    from helpers import *

    x = tf.placeholder(tf.float32, [None, 2])
    w = weight([2, 1])
    y = tf.matmul(noisy(x), w)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(y, {x: [[1, 2]]}))
    """
BY_NAME = """
    import tensorflow as tf
    from helpers import weight, noisy

    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.matmul(noisy(x), weight([2, 1]), name='y')
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(sess.graph.get_tensor_by_name('y' + ':0'), {x: [[1, 2]]}))
    """


def test_a_program_that_keeps_its_session_may_take_ops_and_variables() -> None:
    found = run(helpers=HELPERS, trained=TRAINED, by_name=BY_NAME)
    levels = {n: r.level for n, r in found.items()}
    assert levels["trained"] is levels["helpers"] is Level.NATIVE
    assert levels["by_name"] is Level.COMPAT
    assert "tf.Variable(tf.random.normal(shape, stddev=0.1))" in after(found["helpers"])
    assert "compat" not in after(found["helpers"])
    # What it makes there is in its graph.
    assert "tf.disable_v2_behavior()" in after(found["by_name"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("stddev=0.1))", "stddev=0.1), collections=['mine'])"),
        ("stddev=0.1))", "stddev=0.1, seed=3))"),
        ("tf.multiply(", "tf.zeros(x.get_shape()) + tf.multiply("),
        ("tf.Variable(tf", "tf.get_variable('w', initializer=tf"),
    ],
)
def test_what_differs_in_a_graph_keeps_both(old: str, new: str) -> None:
    again = TRAINED.replace("weight([2, 1])", "weight([2, 1]) + weight([2, 1])")
    found = run(helpers=HELPERS.replace(old, new), trained=again, by_name=BY_NAME)
    assert {r.level for r in found.values()} == {Level.COMPAT}


def test_a_file_that_does_something_when_it_is_imported_keeps_all() -> None:
    found = run(utils=UTILS + "\n    tf.set_random_seed(1)\n", good=GOOD, kept=KEPT)
    assert {n: r.level for n, r in found.items()} == dict.fromkeys(found, Level.COMPAT)


def test_what_another_program_takes_must_stay_as_it_is() -> None:
    before = ast.parse("A = 1\ndef f(session):\n    return session\ndef g():\n    pass\n")
    after_ = ast.parse("A = 1\ndef f():\n    return None\ndef g():\n    pass\n")
    assert [changed(before, after_, [name]) for name in ("A", "f", "g")] == [False, True, False]


def test_a_mapped_function_may_call_another_file() -> None:
    reader = "def rows(n):\n    for i in range(n):\n        yield i\n"
    main = """
        import tensorflow as tf
        import reader


        def gen():
            yield from reader.rows(3)


        dataset = tf.data.Dataset.from_generator(gen, tf.int32)
        value = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as sess:
            print(sess.run(value + 1))
        """
    assert run(reader=reader, main=main)["main"].level == Level.NATIVE
    session = "import tensorflow as tf\n\n\ndef rows(n):\n    yield tf.Session().run(n)\n"
    found = run(reader=session, main=main)
    assert found["main"].level == Level.COMPAT


OPS = """
    import tensorflow as tf
    import tensorflow.contrib.slim as slim


    def bn(x, is_training, scope):
        return tf.contrib.layers.batch_norm(
            x, updates_collections=None, is_training=is_training, scope=scope)


    def linear(x, units, name="linear"):
        with tf.variable_scope(name):
            w = tf.get_variable("w", [x.get_shape()[-1], units])
            return tf.matmul(x, w)


    def show_all_variables():
        model_vars = tf.trainable_variables()
        slim.model_analyzer.analyze_vars(model_vars, print_info=True)
    """
NET = """
    import os
    import tensorflow as tf
    from ops import *
    from utils import prepare


    class Net(object):
        model_name = "net"

        def __init__(self, sess, size):
            self.sess = sess
            self.size = size
            self.x = tf.placeholder(tf.float32, [None, 3])
            self.y = self.net(self.x)
            self.again = self.net(self.x, is_training=False, reuse=True)
            self.loss = tf.reduce_mean(tf.square(self.y))
            self.step = tf.train.AdamOptimizer().minimize(self.loss)
            self.saver = tf.train.Saver()

        def net(self, x, is_training=True, reuse=False):
            with tf.variable_scope("net", reuse=reuse):
                return linear(bn(linear(x, 4, name="h"), is_training, scope="bn"), 1, name="out")

        @property
        def model_dir(self):
            return "{}_{}".format(self.model_name, self.size)

        def train(self):
            tf.global_variables_initializer().run()
            x = prepare(self.sess, 3)
            print(self.sess.run([self.step, self.loss], {self.x: x}))
            print(self.sess.run(self.again, {self.x: x}))
            folder = os.path.join("checkpoints", self.model_dir)
            path = os.path.join(folder, self.model_name + ".model")
            self.saver.save(self.sess, path, global_step=1)
    """
FILLS = """
    import numpy as np
    import tensorflow as tf


    def fill(sess, size):
        return np.ones([2, size], tf.float32.as_numpy_dtype)


    def prepare(sess, size):
        return fill(sess, size)
    """
MAIN = """
    import tensorflow as tf
    from net import Net
    from ops import show_all_variables

    with tf.Session() as sess:
        net = Net(sess, 4)

        # show network architecture
        show_all_variables()

        net.train()
    """


def test_layers_that_a_star_imports() -> None:
    found = run(ops=OPS, utils=FILLS, net=NET, main=MAIN)
    assert {r.level for r in found.values()} == {Level.NATIVE}
    text = after(found["net"])
    assert 'h_layer = Linear(4, name="h")' in text
    assert 'bn_layer = bn(scope="bn")' in text


def test_a_table_of_variables_goes_and_the_report_says_so() -> None:
    found = run(ops=OPS, utils=FILLS, net=NET, main=MAIN)
    assert "show_all_variables" not in after(found["ops"]) + after(found["main"])
    assert "slim" not in after(found["ops"])
    assert "architecture" not in after(found["main"])
    assert any("table of variables goes" in f.message for f in found["main"].fixed)


def test_a_table_that_is_asked_elsewhere_too_stays() -> None:
    text = MAIN.replace("net.train()", "print(show_all_variables())")
    assert reasons(run(ops=OPS, utils=FILLS, net=NET, main=text))


def test_helpers_without_the_session_that_they_never_use() -> None:
    found = run(ops=OPS, utils=FILLS, net=NET, main=MAIN)
    assert "def fill(size):" in after(found["utils"])
    assert "return fill(size)" in after(found["utils"])
    assert "x = prepare(3)" in after(found["net"])


def test_a_session_that_is_handed_to_something_else() -> None:
    text = FILLS.replace("return fill(sess, size)", "return [fill(sess, size), print(sess)][0]")
    assert reasons(run(ops=OPS, utils=text, net=NET, main=MAIN))


def test_an_attribute_called_like_what_a_star_import_gives_now_is_another_s() -> None:
    utils = """
        from tensorflow.examples.tutorials.mnist import input_data


        def load():
            return input_data.read_data_sets("data", one_hot=True)
        """
    main = """
        import tensorflow as tf
        from utils import *

        data = load()
        x = tf.placeholder(tf.float32, [None, 784])
        y = tf.reduce_sum(x)
        with tf.Session() as sess:
            print(sess.run(y, {x: data.test.images}))
        """
    found = run(utils=utils, main=main)
    assert {n: r.level for n, r in found.items()} == dict.fromkeys(found, Level.NATIVE)
    assert "def read_data_sets" in after(found["utils"])


def test_an_object_that_a_function_makes_and_returns_at_once() -> None:
    found = run(
        main="""
    import tensorflow as tf


    class Data(object):
        def __init__(self, n):
            self.n = n
            x = tf.placeholder(tf.float32, [None])
            y = x * n
            with tf.Session() as sess:
                self.values = sess.run(y, {x: [1.0, 2.0]})


    def read(n):
        n = n + 1
        return Data(n)


    print(read(2).values)
    """
    )
    assert found["main"].level is Level.NATIVE, reasons(found)


@pytest.mark.parametrize("how", ["__import__", "importlib.import_module"])
def test_a_call_imports_a_file(how: str) -> None:
    text = textwrap.dedent(RUN).replace(
        "from model import Model", f'import importlib\nmodel_file = {how}("model")'
    )
    found = run(model=MODEL, main=text.replace("= Model()", "= model_file.Model()"))
    assert not reasons(found)
    assert f'model_file = {how}("model")\n\nmodel = model_file.Model()' in after(found["main"])
    assert "placeholder" not in after(found["model"])


def test_what_a_call_imports_keeps_its_session_with_it() -> None:
    text = textwrap.dedent(RUN).replace(
        "from model import Model", 'Model = __import__("model").Model'
    )
    found = run(model=MODEL, main=text + "print(tf.get_default_graph().as_graph_def())\n")
    assert {r.level for r in found.values()} == {"compat"}


SCORER = """
    import tensorflow as tf
    from parts import double


    class Model(object):
        def __init__(self):
            self.x = tf.placeholder(tf.float32, [None, 2])
            self.w = tf.Variable(tf.ones([2, 1]), name="w")
            self.y = double(tf.matmul(self.x, self.w))

        def score(self, sess, x):
            return sess.run(self.y, {self.x: x})

        def train(self, sess, x):
            wanted = [self.y, self.w]
            return sess.run(wanted, {self.x: x})

        def restore(self, sess, path):
            saver = tf.train.Saver()
            saver.restore(sess, path)
    """
DOUBLE = """
    import tensorflow as tf


    def double(x):
        return tf.multiply(x, 2.0)
    """
SCORING = """
    import tensorflow as tf
    from model import Model


    def _test(sess, model):
        return model.score(sess, [[3, 4]])


    with tf.Session() as sess:
        model = Model()
        sess.run(tf.global_variables_initializer())
        print(model.train(sess, [[1, 2]]))
    # print(_test(sess, model))
    """


def test_programs_that_share_a_file_may_have_classes_of_one_name() -> None:
    found = run(parts=DOUBLE, model=SCORER, other=SCORER, train=SCORING)
    assert {r.level for r in found.values()} == {Level.NATIVE}, reasons(found)
    assert "def _test(model):\n    return model.score([[3, 4]])" in after(found["train"])
    assert "def score(self, x):" in after(found["model"])
    assert "def score(self, x):" in after(found["other"])
    assert "def restore(self, path):" in after(found["other"])


def test_a_class_of_the_same_program_may_be_meant() -> None:
    both = SCORING.replace("import Model\n", "import Model\n    import other\n")
    found = run(parts=DOUBLE, model=SCORER, other=SCORER, train=both)
    assert found["train"].level is Level.COMPAT
