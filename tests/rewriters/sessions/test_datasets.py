"""Iterators that keep a program's session: each for its reason, at its line."""

from __future__ import annotations

import textwrap

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.convert import convert
from tests.rewriters.sessions.test_sessions import after, stopped

ONE = "x = tf.data.Dataset.range(9).make_one_shot_iterator().get_next()\n"
LATER = "it = d.make_initializable_iterator()\nx = it.get_next()\nz = x + 1\n"
RUN = "with tf.Session() as s:\n    "

CASES = {
    "expression": (f"x = {ONE[4:-1]} * 1\n{RUN}s.run(x)\n", 2, "isn't followed"),
    "name of a loop": (f"{ONE}z = x + 1\n{RUN}for iter in range(2): s.run(z)\n", 5, "`iter`"),
    "rebound": (
        "it = tf.data.Dataset.range(5).make_one_shot_iterator()\nx = it.get_next()\n"
        "it = tf.data.Dataset.range(9).make_one_shot_iterator()\ny = it.get_next()\n"
        f"f = lambda: it\nz = x + y\n{RUN}s.run(z)\n",
        2,
        "something else",
    ),
    "fed": (
        "d = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))\n"
        "a, b = d.make_one_shot_iterator().get_next()\nz = a + b\n"
        f"{RUN}s.run(z, {{a: 4}})\n",
        6,
        "is fed",
    ),
    "static": (f"{ONE}z = tf.shape(x)\n{RUN}s.run(z)\n", 5, "can't be told"),
    "one of two": (f"{ONE}a, b = x + 1, tf.random_normal([])\n{RUN}s.run(b)\n", 5, "can't be told"),
    "another end": (
        f"{RUN}pass\ngen = iter([1])\nprint(next(gen))\n{ONE}z = x + 1\ntry:\n    s.run(z)\n"
        "except tf.errors.OutOfRangeError:\n    pass\n",
        5,
        "whose end would be taken",
    ),
    "an end that is caught": (
        "def gen(it):\n    try:\n        yield next(it)\n    except StopIteration:\n        pass\n"
        f"{ONE}z = x + 1\n{RUN}s.run(z)\n",
        4,
        "whose end would be taken",
    ),
    "shuffled and repeated": (
        f"{ONE.replace('(9)', '(9).shuffle(3, seed=1).repeat(2)')}{RUN}s.run(x)\n",
        2,
        "right after",
    ),
    "all errors": (
        f"{ONE}z = x + 1\n{RUN}try:\n        s.run(z)\n"
        "    except tf.errors.OpError:\n        pass\n",
        7,
        "errors of all kinds",
    ),
    "an order twice": (
        f"d = tf.data.Dataset.range(5).shuffle(4, seed=1)\n{LATER}{RUN}for _ in range(2):\n"
        "        s.run(it.initializer)\n        s.run(z)\n",
        2,
        "begins again",
    ),
    "among others": (
        f"d = tf.data.Dataset.range(5)\n{LATER}{RUN}s.run([it.initializer, z])\n",
        7,
        "among other things",
    ),
}


TOLD = (
    "d = tf.data.Dataset.range(5)\nh = tf.placeholder(tf.string, [])\n"
    "it = tf.data.Iterator.from_string_handle(h, d.output_types, d.output_shapes)\n"
    "x = it.get_next()\nz = x + 1\none = d.make_one_shot_iterator()\n"
    "two = d.make_one_shot_iterator()\n"
)
CASES |= {
    "no handle": (f"{TOLD}{RUN}s.run(z)\n", 10, "can't be told"),
    "one of two handles": (
        f"{TOLD}{RUN}a, b = s.run([one.string_handle(), two.string_handle()])\n"
        "    c = a if y else b\n    s.run(z, {h: c})\n",
        12,
        "one value or another is fed",
    ),
    "a handle among others": (
        f"{TOLD}{RUN}a, b = s.run([one.string_handle(), tf.constant(1)])\n",
        10,
        "among other fetches",
    ),
    "an initializer's dataset": (
        "it = tf.data.Iterator.from_structure(tf.int64)\nx = it.get_next()\nz = x + 1\n"
        f"go = it.make_initializer(tf.data.Dataset.range(5))\n{RUN}s.run(go)\n",
        5,
        "has no name",
    ),
}


def _convert(source: str) -> str:
    document = read("program.py", ("import tensorflow as tf\n" + source).encode())
    return apply(document.text, convert(document, names_of(document), "tf").edits)


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_told_keeps_the_session(case: str) -> None:
    source, line, reason = CASES[case]
    with pytest.raises(Blocked) as caught:
        _convert(source)
    assert reason in caught.value.reason
    assert getattr(caught.value.node, "lineno", 0) == line


def test_the_graphs_seed_gives_an_order_that_is_the_same_in_each_run() -> None:
    text = _convert(
        f"tf.set_random_seed(1)\n{ONE.replace('(9)', '(9).shuffle(3)')}z = x + 1\n{RUN}s.run(z)\n"
    )
    assert "tf.set_random_seed(1)" in text  # the ordinary rules see to its name
    assert "iterator = iter(tf.data.Dataset.range(9).shuffle(3))" in text


def test_an_element_that_a_branch_passes_on_is_taken_either_way() -> None:
    branch = "if flag:\n    x = tf.reshape(x, [1])\n"
    text = _convert(f"import sys\nflag = len(sys.argv) > 1\n{ONE}{branch}{RUN}s.run(x)\n")
    assert "def compute_x(x):\n    if flag:\n        x = tf.reshape(x, [1])\n    return x" in text
    other = branch.replace("reshape(x, [1])", "zeros([1], tf.int64) + tf.shape(x)")
    with pytest.raises(Blocked, match="can't be told"):
        _convert(f"import sys\nflag = len(sys.argv) > 1\n{ONE}{other}{RUN}s.run(x)\n")
    own = branch.replace("tf.reshape(x, [1])", "f(x)")
    with pytest.raises(Blocked, match="can't be told"):
        _convert(f"flag = 1\ndef f(x): return tf.zeros_like(x)\n{ONE}{own}{RUN}s.run(x)\n")
    with pytest.raises(Blocked, match="can't be told"):  # TF 1 may know the shape without it
        _convert(f"flag = 1\n{ONE}if flag:\n    x = tf.shape(x)\n{RUN}s.run(x)\n")


def test_next_is_pythons_where_only_another_function_or_class_has_such_a_name() -> None:
    other = "def f(next):\n    return next\nclass C:\n    def iter(self): return 1\n"
    assert "compute_z(next(iterator))" in _convert(f"{other}{ONE}z = x + 1\n{RUN}s.run(z)\n")
    with pytest.raises(Blocked, match="isn't Python's"):
        _convert(f"def next(x): return x\n{ONE}z = x + 1\n{RUN}s.run(z)\n")


def test_a_run_takes_one_element_and_a_run_without_it_none() -> None:
    source = f"{ONE}w = tf.Variable(1.0)\nz = tf.to_float(x) + w\n{RUN}print(s.run(z), s.run(w))\n"
    text = _convert(source)
    assert text.count("next(") == 1
    assert "w.numpy()" in text


def test_a_handle_is_another_name_of_its_iterator() -> None:
    text = _convert(
        f"{TOLD}{RUN}a, b = s.run([one.string_handle(), two.string_handle()])\n"
        "    s.run(z, {h: a})\n    s.run(z, feed_dict={h: b})\n"
    )
    assert "@tf.function(input_signature=[d.element_spec])\n" in text
    assert "compute_z(next(one))\ncompute_z(next(two))\n" in text
    assert "handle" not in text


def test_an_iterator_begins_with_its_initializers_dataset() -> None:
    text = _convert(
        "d = tf.data.Dataset.range(5)\ne = tf.data.Dataset.range(9)\n"
        "it = tf.data.Iterator.from_structure(d.output_types, d.output_shapes)\n"
        "x = it.get_next()\nz = x + 1\ngo = it.make_initializer(d)\non = it.make_initializer(e)\n"
        f"{RUN}s.run(go)\n    print(s.run(z))\n    s.run(on)\n    print(s.run(z))\n"
    )
    call = "print(compute_z(next(it)).numpy())\n"
    assert text.endswith(f"it = iter(d)\n{call}it = iter(e)\n{call}")


@pytest.mark.parametrize(
    ("used", "arrays"),
    [
        ("print(a.mean(), a[0] + 1, np.sum(a))", True),
        ("a += 1", False),
        ("a[0] = 1", False),
        ("b = a", False),
        ("change(a)", False),
        ("np.random.shuffle(a)", False),
        ("a.sort()", False),
        ("seen.append(a)", False),
    ],
)
def test_arrays_that_the_program_only_reads(used: str, arrays: bool) -> None:
    text = _convert(f"import numpy as np\n{ONE}{RUN}a = s.run(x)\n    {used}\n")
    assert ("as_numpy_iterator()" in text) is arrays
    assert ("next(iterator)" in text) is True


@pytest.mark.parametrize(
    ("applied", "made"),
    [
        ("tf.contrib.data.batch_and_drop_remainder(3)", "batch(3, drop_remainder=True)"),
        ("tf.contrib.data.map_and_batch(f, 3)", "map(f).batch(3)"),
        (
            "tf.data.experimental.map_and_batch(f, 3, drop_remainder=True, num_parallel_calls=2)",
            "map(f, num_parallel_calls=2).batch(3, drop_remainder=True)",
        ),
        ("tf.contrib.data.shuffle_and_repeat(9, 2)", "shuffle(9).repeat(2)"),
        ("tf.contrib.data.unbatch()", "unbatch()"),
        ("tf.contrib.data.parallel_interleave(f, cycle_length=4)", "interleave(f, cycle_length=4)"),
        (
            "tf.contrib.data.parallel_interleave(f, 4, sloppy=True)",
            "interleave(f, cycle_length=4)",
        ),
        (
            "tf.contrib.data.group_by_window(f, f, window_size=3)",
            "group_by_window(key_func=f, reduce_func=f, window_size=3)",
        ),
        (
            "tf.data.experimental.bucket_by_sequence_length(f, [3], [2, 4])",
            "bucket_by_sequence_length(element_length_func=f, bucket_boundaries=[3], "
            "bucket_batch_sizes=[2, 4])",
        ),
        (
            "tf.contrib.data.padded_batch_and_drop_remainder(3, [None])",
            "padded_batch(batch_size=3, padded_shapes=[None], drop_remainder=True)",
        ),
        ("tf.contrib.data.enumerate_dataset()", "enumerate()"),
        ("tf.data.experimental.ignore_errors()", "ignore_errors()"),
        ("tf.data.experimental.unique()", "unique()"),
    ],
)
def test_what_is_applied_to_a_dataset_is_a_method_of_it(applied: str, made: str) -> None:
    text = _convert(
        "def f(x):\n    return x\n\n"
        f"d = tf.data.Dataset.range(5).apply({applied})\n{LATER}{RUN}s.run(it.initializer)\n"
        "    s.run(z)\n"
    )
    assert f"d = tf.data.Dataset.range(5).{made}\n" in text


@pytest.mark.parametrize(
    ("applied", "reason"),
    [
        ("f", "`.apply()` of a function"),
        ("tf.data.experimental.parse_example_dataset(f)", "parse_example_dataset"),
        ("tf.contrib.data.shuffle_and_repeat(9, seed=3)", "`seed` of shuffle_and_repeat"),
    ],
)
def test_what_else_is_applied_keeps_the_session(applied: str, reason: str) -> None:
    with pytest.raises(Blocked) as caught:
        _convert(
            f"def f(x):\n    return x\n\nd = tf.data.Dataset.range(5).apply({applied})\n{LATER}"
            f"{RUN}s.run(z)\n"
        )
    assert reason in caught.value.reason


PYTHON = (
    "import os\nimport numpy as np\nfrom helpers import more\ntable = []\n"
    "def load(path):\n    {}\n    return np.float32(len(path))\n"
    "def parse(path):\n    return tf.py_func(load, [path], tf.float32)\n"
    "d = tf.data.Dataset.from_tensor_slices(['a', 'bc']).map(parse)\n"
    f"x = d.make_one_shot_iterator().get_next()\n{RUN}print(s.run(x))\n"
)


@pytest.mark.parametrize(
    "body",
    [
        "path = os.path.join(b'x', path)",
        "rows = {}; rows[0] = path; rows.update(a=path)",
        "path = path + np.random.bytes(2)",
        "return other(path)\ndef other(path):",
    ],
)
def test_pythons_functions_that_only_compute_are_mapped(body: str) -> None:
    assert ".map(parse)" in _convert(PYTHON.replace("{}", body, 1))


@pytest.mark.parametrize(
    "body",
    [
        "print(path)",
        "global n; n = 1",
        "table.append(path)",
        "table[0] = path",
        "np.random.seed(3); path = path + np.random.bytes(2)",
        "np.save('x', path)",
        "tf.constant(1)",
        "other(path)",
        "more(path)",
        "table[0](path)",
        "deeper(path)\ndef deeper(path):\n    print(path)",
    ],
)
def test_pythons_functions_that_do_more_keep_the_session(body: str) -> None:
    with pytest.raises(Blocked, match="a function of Python's"):
        _convert(PYTHON.replace("{}", body, 1))


def test_an_iterator_whose_dataset_has_no_name_begins_with_the_variables() -> None:
    text = _convert(
        "w = tf.Variable(1)\nit = tf.data.Dataset.range(5).batch(2).make_initializable_iterator()\n"
        f"x = it.get_next()\nz = x + 1\n{RUN}"
        "s.run([tf.global_variables_initializer(), it.initializer])\n    s.run(z)\n"
    )
    assert "dataset = tf.data.Dataset.range(5).batch(2)\n" in text
    assert "it = iter(dataset)\n" in text


def test_an_end_inside_of_a_generator_is_no_end_of_the_data() -> None:
    source = "def gen(it):\n    while True:\n        yield next(it)\n"
    source += f"{ONE}z = x + 1\nn = next(gen([1]), None)\n{RUN}print(n, s.run(z))\n"
    assert "compute_z(next(" in _convert(source)


def test_iterators_under_one_name_are_both_asked() -> None:
    source = "it = tf.data.Dataset.range(5).make_one_shot_iterator()\nx = it.get_next()\n"
    source += source.replace("(5)", "(9)").replace("x =", "y =")
    assert "compute_z(next(it), next(it_2))" in _convert(f"{source}z = x + y\n{RUN}s.run(z)\n")


def test_a_name_that_means_another_dataset_later_stays_where_nothing_asks_for_the_first() -> None:
    one = "d = tf.data.Dataset.range({n})\nd = d.batch(2)\nit = d.make_initializable_iterator()\n"
    one += "with tf.Session() as s:\n    s.run(it.initializer)\n    x = it.get_next()\n"
    one += "    print(s.run({run}))\n"
    graph = "with tf.Graph().as_default():\n"

    def both(run: str) -> str:
        parts = [one.format(n=n, run=run) for n in (5, 7)]
        return _convert("".join(graph + textwrap.indent(p, "    ") for p in parts))

    text = both("x")
    assert text.count("d = d.batch(2)\n") == 2
    assert "iter(d)" in text or "d.as_numpy_iterator()" in text
    text = both("x + 1").replace(" ", "")
    assert "d=d.batch(2)" not in text  # its functions are told by its name what it gives


def test_a_file_of_lines_with_commas_is_a_dataset() -> None:
    text = _convert(
        "d = tf.data.experimental.CsvDataset('a.csv', [tf.int32, tf.float32], header=True)\n"
        f"{LATER.replace('x = it', 'x, y = it')}{RUN}s.run(it.initializer)\n    s.run(z)\n"
    )
    assert "@tf.function(input_signature=d.element_spec)" in text


def test_a_writer_of_records_may_stand_in_a_block() -> None:
    text = _convert(
        "with open('a') as f:\n    with tf.io.TFRecordWriter('b') as w:\n"
        "        w.write(f.read())\n"
        f"{ONE}z = x + 1\n{RUN}s.run(z)\n"
    )
    assert "    with tf.io.TFRecordWriter('b') as w:\n" in text


def test_an_element_inside_an_element_is_unpacked_where_it_is_used() -> None:
    made = "d = tf.data.Dataset.zip((a, (b, c)))\n"
    made += "(x, (y, z)) = d.make_one_shot_iterator().get_next()\n"
    text = _convert(f"import data\na, b, c = data.load()\n{made}w = x + y\n{RUN}print(s.run(w))\n")
    assert "iterator = iter(d)\n" in text
    assert "input_signature=[iterator.element_spec])\ndef compute_w(element):\n" in text
    assert "    (x, (y, z)) = element\n    return x + y\n" in text
    assert text.endswith("print(compute_w(next(iterator)).numpy())\n")


def test_an_element_that_goes_into_items_keeps_the_session() -> None:
    made = "d = {}\nd['x'], y = tf.data.Dataset.range(9).make_one_shot_iterator().get_next()\n"
    with pytest.raises(Blocked, match="isn't unpacked into names"):
        _convert(f"{made}{RUN}print(s.run(y))\n")


def test_what_a_dataset_says_of_its_elements_may_be_printed() -> None:
    text = after(
        "import tensorflow as tf\n"
        "data = tf.data.Dataset.from_tensor_slices([1.0, 2.0])\n"
        "print('types', data.output_types)\n"
        "print('of %s' % data.output_shapes)\n"
        "x = data.make_one_shot_iterator().get_next()\n"
        "with tf.Session() as sess:\n    print(sess.run(x))\n"
    )
    assert (
        "print('types', tf.nest.map_structure(lambda spec: spec.dtype, data.element_spec))" in text
    )
    assert "% tf.nest.map_structure(lambda spec: spec.shape, data.element_spec))" in text


@pytest.mark.parametrize(
    "said",
    [
        "print(data.output_shapes[0])",
        "print(data.output_shapes.ndims)",
        "print(data.output_classes)",
        "kinds = data.output_types\nprint(kinds)",
    ],
)
def test_what_is_asked_of_it_otherwise_keeps_the_session(said: str) -> None:
    stopped(
        "import tensorflow as tf\n"
        "data = tf.data.Dataset.from_tensor_slices([[1.0, 2.0]])\n"
        f"{said}\n"
        "x = data.make_one_shot_iterator().get_next()\n"
        "with tf.Session() as sess:\n    print(sess.run(x))\n"
    )
