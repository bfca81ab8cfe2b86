"""Estimators with `--to keras`: what is followed in other spellings, and what keeps an Estimator.

The programs of fixtures/keras are run (tests/test_keras.py); here it is the text that counts.
"""

from __future__ import annotations

import ast

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options, TargetName
from migrate.engine.runner import texts

HEAD = "import numpy as np\nimport tensorflow as tf\n"
MODEL = """
def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features['x'], 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'logits': logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.TRAIN:
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    return tf.estimator.EstimatorSpec(mode, loss=loss)


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


net = tf.estimator.Estimator(model_fn, params={})
net.train(input_fn, steps=3)
print(net.evaluate(input_fn)['loss'])
"""
PROGRAM = HEAD + MODEL
COMPAT = "import numpy as np\nimport tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"


def upgrade(text: str, to: TargetName = "keras") -> FileResult:
    (result,) = texts({"program.py": text.encode()}, Options(to=to))
    return result


def after(text: str) -> str:
    result = upgrade(text)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    new = result.after.decode()
    ast.parse(new)
    assert "tf.estimator" not in new
    assert "estimator_shim" not in new
    return new


def stopped(text: str) -> tuple[int, str]:
    result = upgrade(text)
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM520"]
    return finding.line, finding.message.removeprefix("this keeps the program's Estimator: ")


def changed(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


def test_a_model_fn_becomes_a_class() -> None:
    new = after(PROGRAM)
    assert "class Model(tf.keras.Model):" in new
    assert "net = Model({})\nnet.fit(input_fn().take(3), verbose=0)\n" in new


def test_the_shim_stays_the_default() -> None:
    result = upgrade(PROGRAM, "estimator")
    assert result.level is Level.COMPAT
    assert not [f for f in result.left if f.rule == "TFM520"]


@pytest.mark.parametrize(
    "text",
    [
        COMPAT + MODEL,
        HEAD + "from tensorflow import estimator\n" + MODEL.replace("tf.estimator", "estimator"),
        changed("tf.estimator.ModeKeys", "tf.contrib.learn.ModeKeys"),
        changed("features, labels, mode, params", "mode, labels, params, features"),
    ],
)
def test_other_spellings(text: str) -> None:
    assert "class Model(tf.keras.Model):" in after(text)


def test_the_step_is_given_where_it_may_be_read() -> None:
    assert "global_step" not in after(PROGRAM)
    all_of_it = after(changed("net.evaluate(input_fn)['loss']", "net.evaluate(input_fn)"))
    assert '"global_step": int(net.optimizer.iterations)' in all_of_it


def test_a_step_looks_its_settings_up_itself() -> None:
    old = "    logits = tf.layers.dense(features['x'], 3)\n"
    text = changed(old, f"    scale = params['scale']\n    floor = float(params['floor'])\n{old}")
    new = after(text.replace("labels, logits)", "labels, logits) * scale + floor"))
    assert "floor, logits = self(features, training=True)" in new  # what is called is called once
    assert "        scale = self.params['scale']\n" in new
    assert "return floor, logits\n" in new


def test_a_switch_may_be_said_again() -> None:
    said = (
        "    if mode == tf.estimator.ModeKeys.TRAIN:\n        phase = True\n"
        "    else:\n        phase = False\n"
    )
    drop = "    logits = tf.layers.dropout(logits, training=phase)\n"
    old = "    if mode == tf.estimator.ModeKeys.PREDICT:\n"
    new = after(changed(old, said + drop + said + drop + old))
    assert new.count("(logits, training=training)") == 2


SPEC = "        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)\n"


def test_tags_have_the_scopes_around_a_summary() -> None:
    # 1.15.5 writes losses/inner, parts/more, parts_1/more and, once, loss.
    own = (
        "        with tf.name_scope('losses'):\n            tf.summary.scalar('inner', loss)\n"
        "        with tf.variable_scope('parts'):\n"
        "            tf.summary.scalar('more', loss * 2)\n"
        "        with tf.variable_scope('parts'):\n"
        "            tf.summary.scalar('the rest', loss)\n"
        "        tf.summary.scalar('loss', loss)\n"
    )
    text = changed(SPEC, own + SPEC).replace("params={}", "params={}, model_dir='m'")
    tags = [line.partition("scalar(")[2] for line in after(text).split("\n") if "self.w" in line]
    assert [t for t in tags if t] == [
        "'losses/inner', loss)",
        "'parts/more', loss * 2)",
        "'parts_1/the_rest', loss)",
        "'loss', loss)",
    ]


def test_an_estimator_writes_the_loss_itself() -> None:
    text = changed("params={}", "params={}, model_dir='m'")
    assert after(text).count('self.write_scalar("loss", loss)') == 1


def test_a_metric_in_a_branch() -> None:
    last = "    return tf.estimator.EstimatorSpec(mode, loss=loss)\n"
    put = "        metrics['size'] = tf.metrics.mean(logits)\n"
    new = after(
        changed(
            last,
            "    metrics = {'all': tf.metrics.mean(logits)}\n"
            f"    if params.get('more'):\n{put}"
            f"{last.replace('loss=loss', 'loss=loss, eval_metric_ops=metrics')}",
        )
    )
    assert (
        "        if self.params.get('more'):\n"
        "            self.size.update_state(logits)\n"
        "            results['size'] = self.size.result()\n"
        "        return results\n"
    ) in new


def test_a_metric_that_a_branch_puts_for_another() -> None:
    last = "    return tf.estimator.EstimatorSpec(mode, loss=loss)\n"
    put = "        metrics['all'] = tf.metrics.mean(loss)\n"
    _, said = stopped(
        changed(
            last,
            "    metrics = {'all': tf.metrics.mean(logits)}\n"
            f"    if params.get('more'):\n{put}"
            f"{last.replace('loss=loss', 'loss=loss, eval_metric_ops=metrics')}",
        )
    )
    assert "puts for another" in said


def test_hooks_that_only_log_go_with_what_they_log() -> None:
    hook = "hook = tf.train.LoggingTensorHook(names, every_n_iter=10)\n"
    run = "net.train(input_fn, steps=3, hooks=[hook])"
    new = after(changed("net.train(input_fn, steps=3)", f"names = {{'a': 'b'}}\n{hook}{run}"))
    assert "names" not in new
    assert "hook" not in new


def test_hooks_of_evaluations_that_only_log_go() -> None:
    hook = "hook = tf.train.LoggingTensorHook(['a'], every_n_iter=10)\n"
    runs = "print(net.evaluate(input_fn, hooks=[hook]))\n"
    runs += "for p in net.predict(input_fn, None, [hook]): pass\n"
    assert "hook" not in after(PROGRAM + hook + runs)
    _, said = stopped(PROGRAM + hook.replace("=10", "=10, at_end=True") + runs)
    assert "`hooks` of evaluate()" in said
    _, said = stopped(PROGRAM + runs.replace("[hook]", "[tf.train.StopAtStepHook(2)]"))
    assert "no Keras callback for tf.train.StopAtStepHook" in said


@pytest.mark.parametrize(
    ("hook", "goes"),
    [
        ("tf.train.LoggingTensorHook(names, every_n_iter=10)", True),
        ("tf.train.SummarySaverHook(10, output_dir='m', scaffold=None)", True),
        ("tf.train.StopAtStepHook(num_steps=2)", True),
        ("tf.train.LoggingTensorHook(names, every_n_iter=len(os.listdir('.')))", False),
        ("tf.train.LoggingTensorHook(names, every_n_iter=10)\nprint(hook)", False),
        ("tf.train.FeedFnHook(names)", False),
    ],
)
def test_hooks_that_nothing_runs_with_go(hook: str, goes: bool) -> None:
    run = "net.train(input_fn, steps=3)"
    text = changed(run, f"names = {{'a': 'b'}}\nhook = {hook}\n{run}")
    if not goes:
        stopped(text)
        return
    assert "hook" not in after(text)
    inside = changed("    loss =", f"    hook = {hook.replace('names', '[logits]')}\n    loss =")
    assert "hook" not in after(inside)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (changed("steps=3", "steps=3, hooks=[tf.train.StopAtStepHook(2)]"), 22, "hook that stops"),
        (changed("(labels, logits)", "(labels, logits, weights=w, reduction=r)"), 8, "`reduction`"),
        (changed("    loss =", "    print(K.append(logits))\n    loss ="), 8, "only looks"),
        (PROGRAM + "net.get_variable_value('dense/kernel')\n", 24, "get_variable_value"),
        (PROGRAM + "model_fn({'x': 1}, None, 'infer', {})\n", 24, "used for something else"),
        (PROGRAM + "class A: pass\nA.net = net\n", 25, "can't be followed"),
        (changed("net.train", "for _ in 'ab':\n    net.train").replace("steps", "max_steps"), 23,
         "may be trained before"),
        (changed("tf.estimator.Estimator(", "tf.contrib.tpu.TPUEstimator("), 21, "use_tpu=True"),
    ],
)  # fmt: skip
def test_what_keeps_an_estimator_is_named(text: str, line: int, reason: str) -> None:
    at, said = stopped(text)
    assert reason in said
    assert abs(at - line) <= 1


HELPED = changed(
    "def model_fn(",
    "def spread(values):\n    tf.summary.scalar('spread', tf.reduce_max(values))\n"
    "    return tf.reduce_mean(values)\n\n\ndef model_fn(",
)


def helped(expression: str, folder: str = ", model_dir='m'") -> str:
    text = HELPED.replace("params={}", f"params={{}}{folder}")
    return text.replace("minimize(loss,", f"minimize({expression},")


def said(text: str) -> list[str]:
    return [f.message for f in upgrade(text).left + upgrade(text).fixed if "summary" in f.message]


def test_a_summary_of_a_helper_is_written() -> None:
    new = after(helped("loss + spread(logits)"))
    assert "    write_scalar('spread', tf.reduce_max(values))\n" in new
    assert "self.writer.as_default(step)" in new
    assert "with tf.summary.record_if(False):" in new


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # 1.15.5 says spread and spread_1.
        (helped("loss + spread(logits) + spread(loss)"), "what TF 1 calls it isn't seen"),
        (helped("loss + spread(logits)", ""), "the model has no folder, or replicas"),
    ],
)
def test_a_summary_of_a_helper_that_goes_is_told(text: str, reason: str) -> None:
    assert "write_scalar('spread'" not in after(text)
    assert f"this summary isn't written: {reason}" in " ".join(said(text))


def test_a_summary_of_a_function_that_becomes_a_layer() -> None:
    text = changed(
        "def model_fn(",
        "def tower(x):\n    tf.summary.histogram('seen', x)\n    return tf.layers.dense(x, 3)\n"
        "\n\ndef model_fn(",
    ).replace("tf.layers.dense(features['x'], 3)\n    if", "tower(features['x'])\n    if")
    new = after(text.replace("params={}", "params={}, model_dir='m'"))
    assert "        write_histogram('seen', x)\n        return self.dense(x)\n" in new
    assert "write_histogram" not in after(text)
    assert "this summary isn't written: the model has no folder" in " ".join(said(text))


def test_only_layers_of_the_same_columns_share_tables() -> None:
    # Shared tables are the graph's in TF 1; an embedding column's is each layer's own.
    columns = (
        "one = tf.feature_column.categorical_column_with_hash_bucket('x', 9)\n"
        "columns = tf.feature_column.shared_embedding_columns([one], 3)\n"
    )
    net = "tf.feature_column.input_layer(features, columns)"
    text = changed("tf.layers.dense(features['x'], 3)", f"tf.layers.dense({net} + {net}, 3)")
    text = text.replace("\ndef model_fn", f"{columns}\n\ndef model_fn")
    new = after(text)
    assert new.count("DenseFeatures(columns, shared=shared_tables)") == 2
    assert "initializer=column.initializer.clone()" in new  # one draws the same twice
    plain = after(text.replace("shared_embedding_columns([one]", "embedding_column(one"))
    assert "shared" not in plain
    assert "initializer=column.initializer.clone()" in plain
    assert "clone" not in after(text.replace(f"{net} + {net}", net))


def test_what_a_dataset_says_of_its_elements() -> None:
    batch = "    return tf.data.Dataset.from_tensor_slices(data).batch(4)\n"
    asked = (
        "    dataset = tf.data.Dataset.from_tensor_slices(data)\n    dataset = dataset.batch(4)\n"
        "    print(dataset.output_types)\n    return dataset\n"
    )
    new = after(changed(batch, asked))
    assert "tf.nest.map_structure(lambda spec: spec.dtype, dataset.element_spec)" in new
    unseen = asked.replace(
        "dataset = tf.data.Dataset.from_tensor_slices(data)", "dataset = f(data)"
    )
    assert "element_spec" not in (upgrade(changed(batch, unseen)).after or b"").decode()


@pytest.mark.parametrize(
    ("head", "width"), [("binary_classification_head()", "1"), ("multi_class_head(5)", "5")]
)
def test_how_wide_the_logits_of_a_head_are(head: str, width: str) -> None:
    text = (
        f"{HEAD}\n\ndef model_fn(features, labels, mode):\n"
        f"    head = tf.contrib.estimator.{head}\n"
        "    logits = tf.layers.dense(features['x'], head.logits_dimension)\n"
        "    optimizer = tf.train.AdagradOptimizer(0.1)\n"
        "    return head.create_estimator_spec(\n        features, mode, logits, labels,\n"
        "        train_op_fn=lambda loss: optimizer.minimize(loss, tf.train.get_global_step()))\n"
    ) + MODEL[MODEL.index("\n\ndef input_fn") :].replace(", params={}", "")
    assert f"self.logits = tf.keras.layers.Dense({width})" in after(text)


@pytest.mark.parametrize(
    ("output", "followed"), [("tf.exp(logits)", True), ("tf.sigmoid(logits)", False)]
)
def test_a_cross_entropy_of_keras_backend(output: str, followed: bool) -> None:
    # TF 1 takes the logits of a sigmoid; Keras 3 its clipped output.
    loss = f"tf.reduce_sum(tf.keras.backend.binary_crossentropy(labels, {output}))"
    text = changed("tf.losses.sparse_softmax_cross_entropy(labels, logits)", loss)
    assert (upgrade(text).level is Level.NATIVE) is followed


def test_predictions_that_are_put_into_a_dict() -> None:
    old = "        return tf.estimator.EstimatorSpec(mode, predictions={'logits': logits})\n"
    new = (
        "        found = {}\n"
        "        for i in range(3):\n"
        "            found['logit_%d' % i] = logits[:, i]\n"
        "        return tf.estimator.EstimatorSpec(mode, predictions=found)\n"
    )
    text = changed(old, new) + "print(list(net.predict(input_fn)))\n"
    assert "examples(net.predict(input_fn(), verbose=0))" in after(text)
    other = "found = [logits] if params else {}"
    assert "predictions are a dict" in stopped(text.replace("found = {}", other))[1]


def test_categories_have_the_type_that_they_had() -> None:
    text = changed("np.zeros(8, 'i')", "tf.contrib.keras.utils.to_categorical([0] * 8, 3)[:, 0]")
    new = 'tf.keras.utils.to_categorical([0] * 8, 3).astype("float32")[:, 0]'
    assert new in after(text)
    named = changed("np.zeros(8, 'i')", "tf.keras.utils.to_categorical(y=[0] * 8)[:, 0]")
    assert 'to_categorical(x=[0] * 8).astype("float32")' in after(named)
    typed = changed("np.zeros(8, 'i')", "tf.keras.utils.to_categorical([0] * 8, 3, 'int32')")
    assert "these arguments of to_categorical" in stopped(typed)[1]
