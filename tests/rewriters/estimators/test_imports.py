"""Estimators with `--to keras`: a model_fn, or a function that makes layers, of another file."""

from __future__ import annotations

import ast

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NET = """import tensorflow as tf


def make_hidden(x):
    return tf.layers.dense(x, 4)
"""
MODEL = """import tensorflow as tf
from net import make_hidden


def model_fn(features, labels, mode):
    logits = tf.layers.dense(make_hidden(features['x']), 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'logits': logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
TRAIN = """import numpy as np
import tensorflow as tf

from model import model_fn


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


net = tf.estimator.Estimator(model_fn)
net.train(input_fn, steps=3)
"""

IMPORTS = "import model\nfrom model import model_fn\nfrom net import make_hidden"


def after(**files: str) -> dict[str, str]:
    """The files, all of which are native."""
    sources = {f"{name}.py": text.encode() for name, text in files.items()}
    found = list(texts(sources, Options(to="keras")))
    left = [f.message for result in found for f in result.left]
    assert all(result.level is Level.NATIVE for result in found), left
    new = {r.path.removesuffix(".py"): (r.after or b"").decode() for r in found}
    for text in new.values():
        ast.parse(text)
    return new


def reason(**files: str) -> str:
    """What keeps the shim."""
    sources = {f"{name}.py": text.encode() for name, text in files.items()}
    found = list(texts(sources, Options(to="keras")))
    told = {f.message for result in found for f in result.left if f.rule == "TFM520"}
    return told.pop().removeprefix("this keeps the program's Estimator: ")


def test_what_is_imported_has_the_name_of_its_class() -> None:
    new = after(net=NET, model=MODEL, train=TRAIN)
    assert "from model import Model\n" in new["train"]
    assert "net = Model()\n" in new["train"]
    assert "from net import Hidden\n" in new["model"]
    assert " = Hidden()\n" in new["model"]
    assert "class Hidden(" in new["net"]


def test_modules_keep_their_names() -> None:
    train = TRAIN.replace("from model import model_fn", "import model").replace(
        "Estimator(model_fn)", "Estimator(model.model_fn)"
    )
    model = MODEL.replace("from net import make_hidden", "import net").replace(
        "make_hidden(features", "net.make_hidden(features"
    )
    new = after(net=NET, model=model, train=train)
    assert "net = model.Model()\n" in new["train"]
    assert " = net.Hidden()\n" in new["model"]
    # Nor is there another name where nothing uses it.
    new = after(net=NET, model=model, train=train.replace("import model", IMPORTS))
    assert "import model\nfrom model import Model\nfrom net import Hidden\n" in new["train"]


def test_a_name_of_the_importing_file_is_kept() -> None:
    train = TRAIN.replace("import model_fn", "import model_fn as own_fn")
    new = after(net=NET, model=MODEL, train=train.replace("Estimator(model_fn", "Estimator(own_fn"))
    assert "from model import Model as own_fn\n" in new["train"]
    assert "net = own_fn()\n" in new["train"]


def test_a_name_that_the_importing_file_has_is_left() -> None:
    new = after(net=NET, model=MODEL, train=TRAIN + "Model = 3\nprint(Model)\n")
    assert "from model import Model as Model2\n" in new["train"]
    assert "net = Model2()\n" in new["train"]


def test_a_file_that_hands_it_on() -> None:
    train = TRAIN.replace("from model import", "from models import")
    new = after(net=NET, model=MODEL, models="from model import model_fn\n", train=train)
    assert new["models"] == "from model import Model\n"
    assert "from models import Model\n" in new["train"]


def test_a_name_in_all_is_a_string() -> None:
    model = MODEL.replace("\n\n\ndef", "\n\n__all__ = ['model_fn']\n\n\ndef")
    assert reason(net=NET, model=model, train=TRAIN) == "`model_fn` in `__all__`"


OPS = """import tensorflow as tf


def get_train_op(loss, rate):
    step = tf.train.get_global_step()
    return tf.train.AdamOptimizer(rate).minimize(loss, step)
"""


def test_a_train_op_of_a_function_that_is_imported_by_its_name() -> None:
    own = "tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())"
    model = MODEL.replace("from net", "from ops import get_train_op\nfrom net")
    model = model.replace(own, "get_train_op(loss, 0.1)")
    new = after(net=NET, ops=OPS, model=model, train=TRAIN)
    assert "get_train_op" not in "".join(new.values())
    assert "import tensorflow as tf\nfrom net import Hidden\n" in new["model"]
    assert "tf.keras.optimizers.Adam(0.1, " in new["model"]
    two = f"{OPS}\n\ndef rate():\n    return 0.1\n"
    given = model.replace("get_train_op\n", "get_train_op, rate\n").replace("0.1)", "rate())")
    new = after(net=NET, ops=two, model=given, train=TRAIN)
    assert "\nfrom ops import rate\n" in new["model"]
    # What else the file does would be gone with the import.
    kept = reason(net=NET, ops=f"{OPS}\nprint(3)\n", model=model, train=TRAIN)
    assert kept.startswith("`get_train_op` trains what it is given; instead: ")
