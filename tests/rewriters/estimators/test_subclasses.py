"""`--to keras`: subclasses of Estimator, runs whose result is returned to nobody."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

MADE = "net = tf.estimator.Estimator(model_fn, params={})\n"
CLASS = """class Net(tf.estimator.Estimator):
    \"\"\"A net of its own.\"\"\"

    def __init__(self, scale, model_dir=None, config=None):
        params = {'scale': scale}
        super(Net, self).__init__(
            model_fn, model_dir=model_dir, params=params, config=config)


net = Net(2)
"""
PARTS = PROGRAM.partition(MADE)


def written(*changes: tuple[str, str]) -> str:
    text = CLASS
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return PARTS[0] + text + PARTS[2]


@pytest.mark.parametrize(
    "changes",
    [
        (),
        (("super(Net, self)", "super()"),),
        (("(self, scale, model_dir=None, config=None)", "(self)"), ("Net(2)", "Net()"),
         ("'scale': scale", ""), ("model_dir=model_dir, ", ""), (", config=config", "")),
    ],
)  # fmt: skip
def test_a_class_that_only_makes_an_estimator(changes: tuple[tuple[str, str], ...]) -> None:
    new = after(written(*changes))
    assert "class Net" not in new
    assert "def Net(" in new
    assert "    return Model(params" in new


# What is before its model_fn, and what is after that.
HEAD, TAIL = PROGRAM.partition("def model_fn")[0], PROGRAM[PROGRAM.index("def input_fn") :]


def before(line: str) -> tuple[str, str]:
    return "        params =", f"        {line}\n        params ="


OWN = """class Net(tf.estimator.Estimator):

    def __init__(self, scale, optimizer=None):
        params = {'scale': scale}
        # How it trains.
        self.optimizer = tf.train.GradientDescentOptimizer(0.1 * scale)
        self.scale = scale * 2

        def model_fn(features, labels, mode):
            net = self.tower(features['x'])
            logits = tf.layers.dense(net, 3)
            loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
            train_op = self.optimizer.minimize(loss, tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(
                mode, {'scores': logits}, loss, train_op)

        super().__init__(model_fn, params=params)

    def tower(self, net):
        return tf.layers.dense(net, self.scale * self.params['scale'])


net = Net(2)
"""


def test_attributes_and_methods_are_names_and_functions() -> None:
    new = after(HEAD + TAIL.replace(MADE, OWN))
    assert "class Net" not in new
    assert "    own_scale = scale * 2" in new
    assert "class Tower(tf.keras.layers.Layer)" in new
    assert "Dense(own_scale * params['scale'])" in new
    assert "optimizer=tf.keras.optimizers.SGD(" in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net = Net(2)", "net = Net(2)\nprint(net.tower)"),
        ("labels, mode):", "labels, mode, scale=1):\n            scale = scale * 2"),
        ("net = self.tower(", "net = (lambda f: f(features['x']))(self.tower) if self else ("),
        ("        self.scale =", "        size = self.params['scale']\n        self.scale ="),
        ("def tower(self, net)", "def evaluate(self, net)"),
        ("net = self.tower", "net = self.seen = self.tower"),
        ("    def tower", "    @staticmethod\n    def tower"),
    ],
)  # fmt: skip
def test_members_that_are_more_stay(old: str, new: str) -> None:
    assert old in OWN
    stopped(HEAD + TAIL.replace(MADE, OWN.replace(old, new)))


@pytest.mark.parametrize(
    "changes",
    [
        (before("self.scale = scale"), ("Net(2)\n", "Net(2)\nprint(net.scale)\n")),
        (before("self.config = config"),),
        (before("self.scale = self.scale = scale"),),
        (before("if scale:\n            self.scale = scale"),),
        (before("self.scale = scale"), ("Net(2)\n", "Net(2)\nprint(getattr(net, word))\n")),
        (before("keep(self)"),),
        (("net = Net(2)", "net = Net(2)\nprint(isinstance(net, Net))"),),
        (("net = Net(2)", "    def more(self):\n        return 3\n\n\nnet = Net(2)"),),
        (("super(Net, self)", "super(tf.estimator.Estimator, self)"),),
        (("        params =", "        if scale > 3:\n            return\n        params ="),),
    ],
)  # fmt: skip
def test_classes_that_are_more_stay(changes: tuple[tuple[str, str], ...]) -> None:
    stopped(written(*changes))


RUNS = """def run(steps):
    net = tf.estimator.Estimator(model_fn, 'm', params={})
    train = tf.estimator.TrainSpec(input_fn, max_steps=steps)
    test = tf.estimator.EvalSpec(input_fn)
    return tf.estimator.train_and_evaluate(net, train, test)


run(3)
"""


def test_a_run_whose_result_nobody_reads() -> None:
    new = after(PARTS[0] + RUNS)
    assert "net.fit(" in new
    assert "return net" not in new


@pytest.mark.parametrize(
    ("old", "new"), [("\nrun(3)", "\nprint(run(3))"), ("\nrun(3)", "\ntf.app.run(run)")]
)
def test_results_that_are_read_stay(old: str, new: str) -> None:
    stopped(PARTS[0] + RUNS.replace(old, new))


@pytest.mark.parametrize(
    ("call", "stays"),
    [
        ("build('m')", False),
        ("build('m', None, 3)", True),
        ("build('m', config=given)", True),
        ("build(*given)", True),
    ],
)
def test_a_run_config_that_no_call_gives(call: str, stays: bool) -> None:
    made = (
        "given = []\n\n\ndef build(folder, config=None, scale=1):\n"
        "    return tf.estimator.Estimator(model_fn, folder, config, {})\n\n\n"
        f"net = {call}\n"
    )
    if stays:
        stopped(PARTS[0] + made + PARTS[2])
    else:
        assert "return Model({}, folder)" in after(PARTS[0] + made + PARTS[2])
