"""RunConfigs, hooks, train ops, cells with `--to keras`: other spellings, and what stops.

The programs of fixtures/keras are run (tests/test_keras.py); here it is the text that counts.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = "import os\nimport numpy as np\nimport tensorflow as tf\n"
MODEL = """
def model_fn(features, labels, mode, params):
    net = features['x']
    logits = tf.layers.dense(net, 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'logits': logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


def build(config):
    return tf.estimator.Estimator(model_fn, params={'size': 4}, config=config)


def main():
    config = tf.estimator.RunConfig(save_checkpoints_steps=5)
    net = build(config.replace(model_dir='here'))
    net.train(input_fn, steps=3)


main()
"""
PROGRAM = HEAD + MODEL


def upgrade(text: str) -> FileResult:
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    return result


def after(text: str) -> str:
    result = upgrade(text)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    new = result.after.decode()
    ast.parse(new)
    assert "estimator." not in new
    return new


def stopped(text: str) -> str:
    result = upgrade(text)
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM520"]
    return finding.message.removeprefix("this keeps the program's Estimator: ")


def changed(old: str, new: str, text: str = PROGRAM) -> str:
    assert old in text
    return text.replace(old, new)


def test_a_run_config_is_a_dict_where_it_goes() -> None:
    new = after(PROGRAM)
    assert "    config = dict(every_steps=5)\n" in new
    assert "build(dict(config, folder='here'))" in new
    assert "return Model({'size': 4}, **config)" in new


@pytest.mark.parametrize(
    ("fields", "settings"),
    [
        ("", "every_secs=600"),
        ("save_checkpoints_secs=9, keep_checkpoint_max=0", "every_secs=9, keep=None"),
        ("keep_checkpoint_max=None, log_step_count_steps=7", "every_secs=600, keep=None"),
        ("None, save_summary_steps=2", "every_secs=600, summary_steps=2"),
    ],
)
def test_fields_of_a_run_config(fields: str, settings: str) -> None:
    assert f"config = dict({settings})" in after(changed("save_checkpoints_steps=5", fields))


def test_a_changed_number_of_steps_takes_the_seconds_away() -> None:
    new = after(changed("model_dir='here'", "model_dir='here', save_checkpoints_steps=2"))
    assert "dict(config, folder='here', every_steps=2, every_secs=None)" in new


def test_what_changes_a_run_config_is_written_wherever_it_stands() -> None:
    new = after(PROGRAM.replace("'here')", "'here').replace(keep_checkpoint_max=3)"))
    assert "build(dict(dict(config, folder='here'), keep=3))" in new
    new = after(
        PROGRAM + "other = tf.estimator.RunConfig()\nother = other.replace(model_dir='b')\n"
        "build(other)\n"
    )
    assert "other = dict(every_secs=600)\nother = dict(other, folder='b')\nbuild(other)" in new
    new = after(
        changed("    net = build", "    more = config.replace(model_dir='q')\n    net = build")
    )
    assert "    more = dict(config, folder='q')\n" in new


def test_a_seed_is_keras_seed() -> None:
    new = after(changed("save_checkpoints_steps=5", "tf_random_seed=5"))
    assert "    tf.keras.utils.set_random_seed(5)\n    config =" in new


def test_a_model_dir_beside_that_of_a_run_config() -> None:
    """1.15.5 raises where both are given and aren't equal; either may be `None`."""
    new = after(changed("params={'size': 4}", "model_dir='here', params={'size': 4}"))
    assert "return Model({'size': 4}, **dict(config, folder='here'))" in new
    given = changed("build(config):", "build(config, path=None):").replace(
        "params={'size': 4}", "params={'size': 4}, model_dir=path"
    )
    assert '**dict(config, folder=path or config.get("folder")))' in after(given)


SEEDED = changed("save_checkpoints_steps=5", "tf_random_seed=5")


def test_a_seed_leaves_alone_what_numpy_draws() -> None:
    new = after(SEEDED.replace("np.ones((8, 2), 'f')", "np.random.rand(8, 2)"))
    assert "    random.seed(5)\n    tf.random.set_seed(5)\n    config =" in new
    assert "\nimport random\n" in new
    assert "set_random_seed" not in new


def test_what_a_test_draws_is_drawn_elsewhere() -> None:
    program = changed("save_checkpoints_steps=5", "tf_random_seed=5").replace(
        "np.ones((8, 2), 'f')", "load()"
    )
    load = "\n\ndef load():\n    return np.ones((8, 2), tf.float32.as_numpy_dtype)\n"
    files = {
        "program.py": program.replace("import numpy", "from data import load\nimport numpy", 1),
        "data.py": HEAD + load,
        "check.py": "import numpy as np\nfrom data import load\nprint(np.random.rand(2), load())\n",
    }
    data = {name: text.encode() for name, text in files.items()}
    levels = {r.path: r.level for r in texts(data, Options(to="keras"))}
    assert levels["program.py"] is Level.NATIVE
    data["data.py"] = data["data.py"].replace(b"ones((8, 2), ", b"full((8, 2), random.random(), ")
    data["data.py"] = b"import random\nrandom.seed(3)\n" + data["data.py"]
    levels = {r.path: r.level for r in texts(data, Options(to="keras"))}
    assert levels["program.py"] is Level.COMPAT


@pytest.mark.parametrize(
    ("load", "level"),
    [
        ("np.ones((8, 2))", Level.NATIVE),
        ("np.random.rand(8, 2)", Level.NATIVE),
        ("np.full((8, 2), random.random())", Level.NATIVE),
        ("np.full((8, 2), random.Random(3).random())", Level.NATIVE),
        ("np.full((8, 2), random.seed(3) or random.random())", Level.COMPAT),
    ],
)
def test_what_a_file_without_tensorflow_draws(tmp_path: Path, load: str, level: Level) -> None:
    program = changed("save_checkpoints_steps=5", "tf_random_seed=5").replace(
        "np.ones((8, 2), 'f')", "load()"
    )
    files = {
        "program.py": program.replace("import numpy", "from data import load\nimport numpy", 1),
        "data.py": "import random\n\nimport numpy as np\n\n\n"
        f"def load():\n    return {load}.astype('f')\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    data = {str(tmp_path / name): text.encode() for name, text in files.items()}
    (found,) = [r for r in texts(data, Options(to="keras")) if r.path.endswith("program.py")]
    assert found.level is level
    if level is Level.NATIVE:
        own = "np.random" in load
        seed = "tf.random.set_seed(5)\n" if own else "tf.keras.utils.set_random_seed(5)\n"
        assert seed in (found.after or b"").decode()
        said = "the same in each run" in " ".join(f.message for f in found.fixed)
        assert said is ("random.random()" in load and "Random" not in load)


@pytest.mark.parametrize(("hours", "told"), [("1.5", True), ("len('a')", True), ("10000", False)])
def test_a_checkpoint_of_every_so_many_hours_stays(hours: str, told: bool) -> None:
    text = after(changed("save_checkpoints_steps=5", f"keep_checkpoint_every_n_hours={hours}"))
    assert (f"keep_hours={hours}" in text) is told
    assert ("keep_checkpoint_every_n_hours=self.keep_hours,\n" in text) is told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (changed("save_checkpoints_steps=5", "save_checkpoints_secs=None"), "saves no checkpoints"),
        (changed("save_checkpoints_steps=5", "save_checkpoints_steps=None"), "no checkpoints"),
        (changed("save_checkpoints_steps=5", "keep_checkpoint_every_n_hours=0"), "n_hours"),
        (changed("save_checkpoints_steps=5", "keep_checkpoint_every_n_hours=None"), "n_hours"),
        (changed("    net = build", "    print(config)\n    net = build"), "RunConfig"),
        (changed("    net = build", "    print(config.service)\n    net = build"), "`.service`"),
        (changed("main()\n", "main()\n", PROGRAM) + "build(os.environ)\n", "RunConfig that isn't"),
        ("import random\nrandom.seed(2)\n" + SEEDED, "beside another seed"),
        ("from random import seed\n" + SEEDED, "beside another seed"),
        ("from numpy import random\n" + SEEDED.replace("np.ones", "random.rand"), "isn't Python's"),
        (changed("config=config)", "config=config.replace(model_dir='q'), model_dir=os.sep)"),
         "beside that of a RunConfig"),
    ],
)  # fmt: skip
def test_run_configs_that_stay(text: str, reason: str) -> None:
    assert reason in stopped(text)


HOOK = """
class Hook(tf.train.SessionRunHook):
    def after_run(self, context, values):
        self.seen = True


def main():
"""


def hooked(hook: str, text: str = PROGRAM) -> str:
    return changed("steps=3", f"steps=3, hooks=[{hook}]", text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (hooked("tf.train.StopAtStepHook(num_steps=2)"), "steps beside a hook that stops"),
        (hooked("tf.train.CheckpointSaverHook('a', 1)"), "CheckpointSaverHook"),
        (hooked("Hook()", changed("\ndef main():\n", HOOK.replace("self.seen = True",
         "print(values.results)"))), "`values` of a hook"),
        (hooked("Hook()", changed("\ndef main():\n", HOOK.replace("self.seen = True",
         "tf.train.get_global_step()"))), "in a hook"),
        (hooked("Hook()", changed("\ndef main():\n", HOOK)) + "print(Hook().seen)\n", "`Hook`"),
        (hooked("Hook()", changed("\ndef main():\n", HOOK.replace("seen", "model"))), "`model`"),
        (hooked("tf.estimator.experimental.stop_if_no_decrease_hook(net, 'loss', 4)"),
         "isn't evaluated beside"),
    ],
)  # fmt: skip
def test_hooks_that_stay(text: str, reason: str) -> None:
    assert reason in stopped(text)


def test_a_last_step_is_looked_for_where_there_is_a_checkpoint() -> None:
    new = after(changed("steps=3", "hooks=[tf.train.StopAtStepHook(last_step=2)]"))
    assert "net.fit(input_fn(), callbacks=[StopAtStep(2)], verbose=0)" in new


def test_what_a_run_config_says_of_a_single_process() -> None:
    new = after(changed("    net = build", "    print(config.is_chief)\n    net = build"))
    assert "print(True)" in new


@pytest.mark.parametrize(
    ("value", "stays"),
    [
        ("json.dumps({'task': {'type': 'worker', 'index': 0}})", False),
        ('\'{"environment": "cloud"}\'', False),
        ("json.dumps({'task': {'type': 'chief', 'index': 0}})", True),  # 1.15.5 refuses it
        ("json.dumps({'task': {'type': 'worker', 'index': 0}, 'cluster': {}})", True),
        ("json.dumps(dict(os.environ))", True),
    ],
)
def test_a_tf_config_without_a_cluster(value: str, stays: bool) -> None:
    text = changed("\ndef main():\n", f"os.environ['TF_CONFIG'] = {value}\n\n\ndef main():\n")
    text = text.replace("import os\n", "import json\nimport os\n")
    if stays:
        assert "is set" in stopped(text)
    else:
        assert "NotImplementedError" not in after(text)


STEPS = HOOK.replace("self.seen = True", "print(context.session.run(self.step))").replace(
    "class Hook(tf.train.SessionRunHook):\n",
    "class Hook(tf.train.SessionRunHook):\n    def begin(self):\n"
    "        self.step = tf.train.get_global_step()\n\n",
)


def test_a_hook_asks_for_the_step() -> None:
    assert "get_global_step" in STEPS
    new = after(hooked("Hook()", changed("\ndef main():\n", STEPS)))
    assert "print(int(self.model.optimizer.iterations))" in new
    assert "get_global_step" not in new


@pytest.mark.parametrize(
    "old", ["print(context.session.run(self.step))", "context.session.run(self.step)"]
)
def test_a_hook_that_asks_for_more_stays(old: str) -> None:
    more = old.replace("self.step", "[self.step]")
    stopped(hooked("Hook()", changed("\ndef main():\n", STEPS.replace(old, more))))
    more = old.replace("self.step)", "self.step, None)")
    stopped(hooked("Hook()", changed("\ndef main():\n", STEPS.replace(old, more))))


def test_a_hook_of_the_program_is_a_callback() -> None:
    new = after(hooked("Hook()", changed("\ndef main():\n", HOOK)))
    assert "class Hook(tf.keras.callbacks.Callback):\n    def on_train_batch_end(self, batch" in new
    assert "callbacks=[Hook()]" in new


TRAIN = "tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())"
LOSS = "tf.contrib.layers.optimize_loss(loss, None, 0.1, "


@pytest.mark.parametrize(
    ("train", "source"),
    [
        (f"{LOSS}'SGD')", "tf.keras.optimizers.SGD(0.1)"),
        (f"{LOSS}tf.train.AdagradOptimizer)", "tf.keras.optimizers.Adagrad(0.1, epsilon=0)"),
        (f"{LOSS}optimizer=tf.train.GradientDescentOptimizer(.2))", "SGD(.2)"),
        (f"{LOSS}'SGD', clip_gradients=2.0)", "tf.clip_by_global_norm(gradients, 2.0)"),
        ("tf.contrib.training.create_train_op(loss, tf.train.GradientDescentOptimizer(.3))",
         "SGD(.3)"),
    ],
)  # fmt: skip
def test_train_ops_of_contrib(train: str, source: str) -> None:
    assert source in after(changed(TRAIN, train))


@pytest.mark.parametrize(
    ("train", "reason"),
    [
        (f"{LOSS}params['optimizer'])", "which optimizer"),
        (f"{LOSS}'SGD', gradient_noise_scale=1.)", "`gradient_noise_scale`"),
        (f"{LOSS}'SGD', clip_gradients=print)", "what gradients are clipped by"),
        (f"{LOSS}'SGD', increment_global_step=False)", "doesn't count"),
        (f"{LOSS}'SGD', learning_rate_decay_fn=print)", "a decay"),
        ("tf.contrib.training.create_train_op(loss, tf.train.AdamOptimizer(), "
         "clip_gradient_norm=1)", "`clip_gradient_norm` isn't an argument of tf.contrib.training"),
    ],
)  # fmt: skip
def test_train_ops_that_stay(train: str, reason: str) -> None:
    assert reason in stopped(changed(TRAIN, train))


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        ("tf.keras.layers.Dense(3, weights=[])(net)", "`weights`"),
        ("tf.keras.layers.Dense(3, kernel_initializer='uniform')(net)", "the initializer"),
        ("tf.layers.Dense(3).apply(net)", "isn't"),
        ("tf.layers.Dense(3)(net, scope='a')", "argument of the call"),
        ("tf.layers.Dense(3)(net, net)", "the arguments of the call"),
    ],
)
def test_objects_that_stay(layer: str, reason: str) -> None:
    assert reason in stopped(changed("tf.layers.dense(net, 3)", layer))


RNN = "tf.nn.dynamic_rnn({}, tf.expand_dims(net, 1), dtype=tf.float32{})[0][:, -1]"


@pytest.mark.parametrize(
    ("cell", "more", "reason"),
    [
        ("tf.nn.rnn_cell.LSTMCell(3, use_peepholes=True)", "", "`use_peepholes`"),
        ("tf.nn.rnn_cell.LSTMCell(3, state_is_tuple=False)", "", "`state_is_tuple`"),
        ("tf.nn.rnn_cell.GRUCell(3, reuse=True)", "", "`reuse`"),
        ("tf.nn.rnn_cell.GRUCell(3)", ", time_major=True", "`time_major`"),
        ("tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(3))", "", "a cell that isn't made"),
        ("params['cell']", "", "a cell that isn't made"),
    ],
)
def test_cells_that_stay(cell: str, more: str, reason: str) -> None:
    assert reason in stopped(changed("tf.layers.dense(net, 3)", RNN.format(cell, more)))


def test_a_cell_where_it_is_run() -> None:
    cell = RNN.format("tf.contrib.rnn.GRUCell(3)", "")
    new = after(changed("tf.layers.dense(net, 3)", cell))
    assert "self.cell = GRUCell(3)" in new
    assert "dynamic_rnn(self.cell, tf.expand_dims(net, 1))[0][:, -1]" in new
    assert "scope" not in new


BRANCHES = """\
    if os.environ.get('QUICK'):
        config = tf.estimator.RunConfig('here', save_checkpoints_steps=5)
    else:
        config = tf.estimator.RunConfig('there', keep_checkpoint_max=2)
"""


def test_run_configs_of_branches() -> None:
    one = "    config = tf.estimator.RunConfig(save_checkpoints_steps=5)\n"
    new = after(
        changed(one, BRANCHES).replace("build(config.replace(model_dir='here'))", "build(config)")
    )
    assert "        config = dict(folder='here', every_steps=5)" in new
    assert "        config = dict(folder='there', every_secs=600, keep=2)" in new


@pytest.mark.parametrize(
    "made",
    [
        "{'model_fn': model_fn, 'params': {'size': 4}, 'config': config}",
        "dict(model_fn=model_fn, params={'size': 4}, config=config)",
    ],
)
def test_arguments_that_a_dict_holds(made: str) -> None:
    whole = "tf.estimator.Estimator(model_fn, params={'size': 4}, config=config)"
    text = changed(
        f"    return {whole}", f"    given = {made}\n    return tf.estimator.Estimator(**given)"
    )
    assert after(text) == after(PROGRAM)
    several = text.replace("    return tf", "    print(given)\n    return tf")
    assert "`**` hides arguments" in stopped(several)


def test_a_summary_of_the_rate_is_the_optimizers() -> None:
    text = changed("    train_op = tf.train.AdamOptimizer()", RATE)
    new = after(text)
    assert 'self.write_scalar("rate", self.optimizer.learning_rate)' in new.replace("'", '"')


RATE = """\
    rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 10, 0.9)
    tf.summary.scalar('rate', rate)
    train_op = tf.train.AdamOptimizer(rate)"""


@pytest.mark.parametrize("way", ["config", "config.replace(keep_checkpoint_max=2)"])
def test_a_name_that_means_something_else_later(way: str) -> None:
    later = "    config = {'shown': 1}\n    print(config['shown'])\n\n\nmain()\n"
    text = changed("    net = build(config.replace(model_dir='here'))\n", "    net = build(WAY)\n")
    text = text.replace("WAY", way).replace("\n\nmain()\n", later)
    new = after(text)
    assert "every_steps=5" in new
    assert "    config = {'shown': 1}\n    print(config['shown'])\n" in new


def test_a_name_that_may_be_another_one() -> None:
    branch = "    if os.sep:\n        config = os.sep\n    net = build(config"
    assert "RunConfig" in stopped(changed("    net = build(config", branch))
