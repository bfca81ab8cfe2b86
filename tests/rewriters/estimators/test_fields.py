"""`--to keras`: Scaffolds, host calls, early stopping, model_fns of objects, heads, subclasses."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.estimators import test_program as base
from tests.rewriters.estimators.test_program import PROGRAM, after

HEAD = """import numpy as np
import tensorflow as tf


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


"""
MODEL = """def model_fn(features, labels, mode):
    logits = tf.layers.dense(features['x'], 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    scaffold = SCAFFOLD
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, scaffold=scaffold, training_hooks=[HOOK])


net = tf.estimator.Estimator(model_fn, 'm')
net.train(input_fn, steps=3)
"""


def stopped(text: str) -> str:
    return base.stopped(text)[1]


LOGS = "tf.train.LoggingTensorHook({'a': loss}, 5)"


def written(scaffold: str = "None", hook: str = LOGS) -> str:
    return HEAD + MODEL.replace("SCAFFOLD", scaffold).replace("HOOK", hook)


@pytest.mark.parametrize(
    ("scaffold", "keep"),
    [
        ("tf.train.Scaffold()", None),
        ("tf.train.Scaffold(saver=tf.train.Saver())", "5"),
        ("tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=2, sharded=True))", "2"),
        ("tf.train.Scaffold(local_init_op=tf.tables_initializer())", None),
    ],
)
def test_a_scaffold_that_says_how_checkpoints_are_kept(scaffold: str, keep: str | None) -> None:
    new = after(written(scaffold))
    assert "Scaffold" not in new
    assert (f"self.keep = {keep}\n" in new) is (keep is not None)


@pytest.mark.parametrize(
    ("scaffold", "reason"),
    [
        ("tf.train.Scaffold(init_fn=print)", "`init_fn` of a Scaffold"),
        ("tf.train.Scaffold(saver=tf.train.Saver([logits]))", "`var_list` of a Scaffold's Saver"),
        ("tf.train.Scaffold(local_init_op=tf.no_op())", "initializes beside tables"),
        ("tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=int('3')))", "how many checkpoints"),
        ("tf.train.Scaffold(saver=print(3))", "the Saver of a Scaffold"),
    ],
)
def test_other_scaffolds_stay(scaffold: str, reason: str) -> None:
    assert reason in stopped(written(scaffold))


RESTORED = """def model_fn(features, labels, mode):
    logits = tf.layers.dense(features['x'], 2, name='top')
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    saver = tf.train.Saver(tf.trainable_variables('top'))
    scaffold = tf.train.Scaffold(init_fn=lambda scaffold, session: saver.restore(session, 'p'))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, scaffold=scaffold)


net = tf.estimator.Estimator(model_fn, 'm')
net.train(input_fn, steps=3)
"""


def test_an_init_fn_that_restores_variables() -> None:
    new = after(HEAD + RESTORED)
    some = "self.named.trainable_variables if re.match('top', v.value.name)]"
    assert f"restored_variables = [v.value for v in {some}" in new
    assert "init_from_checkpoint(self.named, 'p', {" in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(tf.trainable_variables('top'))", "()", "that restores the step, too"),
        ("tf.trainable_variables('top')", "{'a': logits}", "with names of its own"),
        ("saver.restore(session, 'p')", "print(session)", "more than to restore variables"),
        ("saver.restore(session, 'p')", "saver.restore(session, scaffold)", "more than to"),
    ],
)
def test_other_init_fns_stay(old: str, new: str, reason: str) -> None:
    assert old in RESTORED
    assert reason in stopped(HEAD + RESTORED.replace(old, new))


@pytest.mark.parametrize(
    "scaffold",
    [
        "tf.train.Scaffold(init_op=tf.global_variables_initializer())",
        "tf.train.Scaffold(summary_op=tf.summary.merge_all())",
        "tf.train.Scaffold(ready_op=tf.report_uninitialized_variables())",
        "tf.train.Scaffold(saver=tf.train.Saver(tf.global_variables()))",
    ],
)
def test_what_a_scaffold_has_by_itself(scaffold: str) -> None:
    assert "Scaffold" not in after(written(scaffold))


def test_a_hook_that_looks_for_nan() -> None:
    new = after(written(hook="tf.train.NanTensorHook(loss)"))
    assert "callbacks = [*callbacks, FailAtNaN()]" in new
    new = after(written(hook="tf.train.NanTensorHook(loss, fail_on_nan_loss=False)"))
    assert "callbacks = [*callbacks, FailAtNaN()]" in new


@pytest.mark.parametrize("given", ["logits", "loss, fail_on_nan_loss=bool(net)"])
def test_other_hooks_that_look_for_nan(given: str) -> None:
    stopped(written(hook=f"tf.train.NanTensorHook({given})"))


CALL = """from tensorflow.contrib import summary


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features['x'], 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    def write(step, loss):
        with summary.create_file_writer('m').as_default(), summary.always_record_summaries():
            summary.scalar('spent', loss[0], step=step[0])
            return summary.all_summary_ops()
    step_t = tf.reshape(tf.train.get_global_step(), [1])
    loss_t = tf.reshape(loss, [1])
    host_call = (write, [step_t, loss_t])
    return tf.contrib.tpu.TPUEstimatorSpec(
        mode, loss=loss, train_op=train_op, host_call=host_call)


net = tf.contrib.tpu.TPUEstimator(
    model_fn, 'm', tf.contrib.tpu.RunConfig(), use_tpu=False, train_batch_size=4)
net.train(input_fn, max_steps=3)
"""
TPU = HEAD.replace("def input_fn():", "def input_fn(params):") + CALL


def test_a_host_call_that_writes_summaries() -> None:
    new = after(TPU)
    assert "self.write_scalar('spent', loss)" in new
    assert "host_call" not in new
    assert "def write" not in new.replace("def write_", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'spent', loss[0]", "'spent', loss[0] * 2."),
        ("            return summary", "            print(loss)\n            return summary"),
        ("loss_t = tf.reshape(loss, [1])", "loss_t = tf.stack([loss, loss])"),
        ("host_call = (write", "print(write)\n    host_call = (write"),
    ],
)
def test_other_host_calls_stay(old: str, new: str) -> None:
    assert old in TPU
    assert "`host_call` of a TPUEstimatorSpec" in stopped(TPU.replace(old, new))


def test_a_host_call_beside_a_spec_without_tpus() -> None:
    start = TPU.index("    return tf.contrib.tpu.TPU")
    end = TPU.index("net = tf")
    host = TPU[TPU.index("    def write") : end]
    inner = "".join(f"    {line}\n" if line else "\n" for line in host.rstrip().splitlines())
    plain = "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)\n\n\n"
    head = TPU[: TPU.index("    def write")]
    assert start > len(head)
    new = after(f"{head}    if params['use_tpu']:\n{inner}{plain}{TPU[end:]}")
    assert "write_scalar('spent'" not in new


OBJECT = """class Net(object):
    def __init__(self, params):
        self.params = params

    def model_fn(self, features, labels, mode, params):
        logits = tf.layers.dense(features['x'], self.params['units'])
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.AdamOptimizer(params['rate']).minimize(
            loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(Net({'units': 3}).model_fn, params={'rate': 0.1})
net.train(input_fn, steps=3)
"""


def test_the_model_fn_of_an_object_without_a_name() -> None:
    new = after(HEAD + OBJECT)
    assert "\nnet2 = Net({'units': 3})\n" in new
    assert "def __init__(self, params, net_params):" in new
    assert "Dense(net_params['units'])" in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Estimator(Net({'u", "Estimator(model_dir=input(), model_fn=Net({'u"),
        ("net = tf.", "[net] = [tf."),
    ],
)
def test_objects_whose_place_is_not_seen_stay(old: str, new: str) -> None:
    text = (HEAD + OBJECT).replace(old, new)
    if new.startswith("["):
        text = text.replace("params={'rate': 0.1})", "params={'rate': 0.1})]")
    stopped(text)


CLASS = """import tensorflow as tf


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features['x'], 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class Net(tf.estimator.Estimator):
    def __init__(self, model_dir=None):
        super(Net, self).__init__(model_fn, model_dir)
"""
RUN = (
    HEAD + "from net import (\n    Net,  # a net\n)\n\nnet = Net()\nnet.train(input_fn, steps=3)\n"
)


def of_files(run: str) -> tuple[str, str]:
    files = {"net.py": CLASS.encode(), "run.py": run.encode()}
    results = texts(files, Options(to="keras"))
    new, old = (
        (r.after or b"").decode() for r in sorted(results, key=lambda r: r.path, reverse=True)
    )
    return new, old


def test_a_subclass_in_another_file() -> None:
    run, net = of_files(RUN)
    assert "net.fit(" in run
    assert "def Net(model_dir=None):" in net
    assert "return Model(" in net


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net = Net()", "class More(Net):\n    pass\n\n\nnet = More()"),
        ("net = Net()", "net = Net()\nprint(isinstance(net, Net))"),
        ("    Net,  # a net", "    Net as Made,"),
    ],
)
def test_subclasses_that_another_file_does_more_with(old: str, new: str) -> None:
    assert old in RUN
    text = RUN.replace(old, new).replace(
        "net = Net()", "net = Made()" if "Made" in new else "net = Net()"
    )
    assert "class Net(" in of_files(text)[1]


HEADED = (
    HEAD
    + """heads = tf.contrib.estimator
head = heads.multi_label_head(2)
net = tf.estimator.DNNEstimator(
    head, [4], [tf.feature_column.numeric_column('x', shape=[2])], optimizer='SGD')
net.train(input_fn, steps=3)
"""
)


def test_a_canned_estimator_with_a_head() -> None:
    new = after(HEADED)
    assert "head=MultiLabelHead(2)" in new
    assert "\nhead = " not in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("heads.multi_label_head(2)", "tf.estimator.MultiLabelHead(2)"),
        ("heads.multi_label_head(2)", "print(heads)"),
        ("heads.multi_label_head(2)", "heads.multi_label_head(2, loss_fn=print)"),
        ("net.train", "print(head)\nnet.train"),
    ],
)
def test_other_heads_of_canned_estimators_stay(old: str, new: str) -> None:
    stopped(HEADED.replace(old, new))


def test_an_optimizer_that_a_function_of_the_rate_makes() -> None:
    text = PROGRAM
    line = next(s for s in text.splitlines() if "minimize(" in s)
    loss = (
        "        train_op = tf.contrib.layers.optimize_loss(loss, tf.train.get_global_step(), 0.1, "
        "lambda rate: tf.train.AdamOptimizer(rate, beta1=0.8))"
    )
    new = after(text.replace(line, loss))
    assert "Adam(0.1, beta_1=0.8" in new
    stopped(text.replace(line, loss.replace("(rate, beta1", "(rate * 2., beta1")))


@pytest.mark.parametrize(
    ("hook", "new"),
    [
        (
            "make_early_stopping_hook(net, lambda: False, 5)",
            "StopWhen(lambda: False, every_secs=5)",
        ),
        ("make_early_stopping_hook(net, input_fn)", ""),
        ("make_early_stopping_hook(net, print)", ""),
        ("make_early_stopping_hook(net, lambda: net.eval_dir('a'))", ""),
        ("stop_if_higher_hook(net, 'loss', 0.5)", ""),
    ],
)
def test_an_early_stopping_that_is_asked(hook: str, new: str) -> None:
    run = f"stop = tf.estimator.experimental.{hook}\n"
    run += "net.train(input_fn, steps=3, hooks=[stop])\n"
    text = HEAD + MODEL.replace("SCAFFOLD", "None").replace("HOOK", LOGS)
    text = text.replace("net.train(input_fn, steps=3)\n", run)
    if new:
        assert f"stop = {new}" in after(text)
    else:
        stopped(text)


def test_an_early_stopping_by_a_threshold() -> None:
    run = """stop = tf.estimator.experimental.stop_if_lower_hook(net, 'loss', 0.5, min_steps=4)
tf.estimator.train_and_evaluate(
    net, tf.estimator.TrainSpec(input_fn, max_steps=9, hooks=[stop]),
    tf.estimator.EvalSpec(input_fn))
"""
    text = HEAD + MODEL.replace("SCAFFOLD", "None").replace("HOOK", LOGS)
    text = text.replace("net.train(input_fn, steps=3)\n", run)
    new = after(text)
    assert "stop = StopAtThreshold('loss', 0.5, operator.lt, min_steps=4)" in new
    assert "self.model.evaluations[" in new
    stopped(text.replace("0.5, min", "0.5, 'e', min"))


def test_a_class_of_estimators_that_does_more() -> None:
    text = HEAD + CLASS.partition("\n")[2] + "\n    def more(self):\n        return 1\n"
    text += "\n\nnet = Net()\nnet.train(input_fn)\n"
    assert "`Net`, a class of Estimators that does more" in stopped(text)


@pytest.mark.parametrize(("given", "trained"), [("[age]", True), ("list(some)", False)])
def test_a_combined_model_that_may_have_no_linear_part(given: str, trained: bool) -> None:
    new = after(
        HEAD
        + f"""age = tf.feature_column.numeric_column('x', shape=[2])
some = []
net = tf.estimator.DNNLinearCombinedClassifier(
    linear_feature_columns={given}, dnn_feature_columns=[age], dnn_hidden_units=[3])
net.train(input_fn, steps=3)
"""
    )
    assert ("self.bias.trainable = bool(self.columns)" not in new) is trained
