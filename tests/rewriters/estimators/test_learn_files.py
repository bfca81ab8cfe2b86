"""`--to keras`: contrib.learn's tables and input functions, SKCompat around canned Estimators."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_learn_canned import HEAD, X, program
from tests.rewriters.estimators.test_program import after, stopped

FIT = "\nnet.fit(data, data[:, 0], steps=3)\n"
ASKED = f"{FIT}print(net.predict(data))\n"
WRAP = "tf.contrib.learn.SKCompat("


def wrapped(made: str, more: str = ASKED) -> str:
    return f"{HEAD}net = {WRAP}tf.contrib.learn.{made}){more}"


@pytest.mark.parametrize(
    ("made", "keys"),
    [
        (f"DNNClassifier([4], {X})", ["logits", "logistic", "probabilities", "classes"]),
        (f"DNNClassifier([4], {X}, n_classes=3)", ["logits", "probabilities", "classes"]),
        (f"LinearRegressor({X})", ["scores"]),
    ],
)
def test_a_wrapper_predicts_a_dict(made: str, keys: list[str]) -> None:
    new = after(wrapped(made))
    assert all(f'"{key}": ' in new for key in keys)
    assert "net.predict(batches(data, size=128), verbose=0)" in new


def test_an_estimator_may_get_its_wrapper_below() -> None:
    same = program(f"DNNClassifier([4], {X})", f"\nnet = {WRAP}net){ASKED}")
    other = program(
        f"DNNClassifier([4], {X})", f"\nnet2 = {WRAP}net){ASKED.replace('net', 'net2')}"
    )
    assert '"classes": ' in after(same)
    assert '"classes": ' in after(other)
    beside = wrapped(f"LinearRegressor({X})") + f"two = tf.contrib.learn.DNNRegressor([4], {X})\n"
    beside += FIT.replace("net", "two") + "print(list(two.predict(data)))\n"
    assert after(beside).count('"scores": ') == 1


@pytest.mark.parametrize(
    "more",
    [
        f"{FIT}print(list(net.predict(data)))\nnet = {WRAP}net){ASKED}",
        f"\nskip = {WRAP}net){ASKED}",
        f"\nskip = {WRAP}sys.argv[0]){ASKED}",
    ],
)
def test_an_estimator_that_is_asked_both_ways_stays(more: str) -> None:
    assert "SKCompat and others" in stopped(program(f"DNNClassifier([4], {X})", more))[1]


BASE = "from tensorflow.contrib.learn.python.learn.datasets import base\n"
READ = "rows = base.load_csv_with_header('a.csv', int, np.float32)\n"
NET = program(f"DNNClassifier([4], {X})", "\nnet.fit(rows.data, rows.target, steps=3)\n", "")


def test_tables_have_a_reader_in_the_file() -> None:
    full = "rows = tf.contrib.learn.datasets.base.load_csv_with_header('a.csv', int, np.float32)\n"
    new = after(HEAD + full + NET)
    assert "rows = load_csv_with_header('a.csv', int, np.float32)" in new
    assert "with tf.io.gfile.GFile(filename) as file:" in new
    new = after(HEAD + BASE + READ + NET)
    assert "rows = load_csv_with_header('a.csv'" in new
    assert "import base" not in new
    bare = "from tensorflow.contrib.learn.python.learn.datasets.base import load_csv_without_header"
    read = READ.replace("base.load_csv_with_", "load_csv_without_")
    new = after(f"{HEAD}{bare}\n{read}{NET}")
    assert new.count("def load_csv_without_header") == 1
    assert "contrib" not in new.replace("contrib.learn took", "")


def test_other_names_beside_a_reader_stay() -> None:
    both = BASE.replace(" base\n", " base, mnist\n")
    assert "how the reader of a table" in stopped(HEAD + both + READ + NET)[1]
    other = "base.shrink_csv('a.csv', 2)\n"
    assert "how the reader of a table" in stopped(HEAD + BASE + READ + other + NET)[1]


@pytest.mark.parametrize(
    ("given", "data"),
    [
        ("", ".repeat(9).shuffle(1000).batch(128)"),
        (", shuffle=False", ".repeat(9).batch(128)"),
        (", 3, shuffle=True", ".repeat(9).shuffle(1000).batch(3)"),
    ],
)
def test_arrays_of_contrib_learn_shuffle_where_nothing_is_said(given: str, data: str) -> None:
    fed = f"tf.contrib.learn.io.numpy_input_fn({{'a': data}}, data[:, 0]{given}, num_epochs=9)"
    a = "[tf.contrib.layers.real_valued_column('a', dimension=2)]"
    new = after(program(f"LinearRegressor({a})", f"\nnet.fit(input_fn={fed}, steps=3)\n"))
    assert data in new


def test_an_array_is_as_wide_as_it_is() -> None:
    wide = X.replace("dimension=2", "dimension=data.shape[1]")
    assert "net = tf.cast(features, tf.float32)" in after(program(f"LinearClassifier({wide})"))


@pytest.mark.parametrize(
    ("read", "file"),
    [
        ("tf.contrib.learn.datasets.load_dataset('iris')", "iris.csv"),
        ("tf.contrib.learn.datasets.load_iris()", "iris.csv"),
        ("tf.contrib.learn.datasets.base.load_boston()", "boston_house_prices.csv"),
    ],
)
def test_tables_that_came_with_tf_1_are_fetched(read: str, file: str) -> None:
    new = after(f"{HEAD}rows = {read}\n{NET}")
    name = "load_boston" if "boston" in read else "load_iris"
    assert f"rows = {name}()" in new
    assert f'get_file("{file}", folder + "{file}")' in new
    assert "def load_csv_with_header" in new


@pytest.mark.parametrize("read", ["load_dataset('dbpedia')", "load_iris('mine.csv')"])
def test_other_tables_stay(read: str) -> None:
    assert "is gone" in stopped(f"{HEAD}rows = tf.contrib.learn.datasets.{read}\n{NET}")[1]


def test_a_module_of_another_kind_keeps_the_reader() -> None:
    text = f"{HEAD}csv = 'a.csv'\n{BASE}{READ}{NET}"
    assert "a `csv` of its own" in stopped(text)[1]
    assert "import csv\n" in after(f"import csv\n{HEAD}{BASE}{READ}{NET}")
