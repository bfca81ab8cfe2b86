"""Made-up Estimators on both sides: `upgrade --to keras` must print the original's numbers.

    python scripts/made_up_estimators.py [--first SEED] [--count N] [--keep DIR]

Each seed is a program with an Estimator: a canned one, or a model_fn (its modes told apart in one
of several ways) of columns, layers, a loss, an optimizer, a decay, clipping, metrics and hooks;
input_fns of several kinds, runs in rounds. It runs on TensorFlow 1.15.5, is upgraded, and runs on
TensorFlow 2.21, with equal random numbers on both sides. What crashes or prints other numbers is
told by its seed; with --keep both programs and what they printed stay in a folder.

Needs a Python 3.7 with TensorFlow 1.15.5 (or MIGRATE_TF1_PYTHON). Exits with 1 where one differs.
"""

from __future__ import annotations

import argparse
import collections
import random
import re
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]

import made_up_programs as plain  # noqa: E402

from migrate.engine.options import Options  # noqa: E402
from migrate.engine.runner import texts  # noqa: E402
from migrate.parity.environment import find_tf1  # noqa: E402

RANDOMNESS = PROJECT / "migrate" / "parity"
WORKER = plain.WORKER.replace(
    "            runpy.run_path",
    f"""            sys.path.insert(0, {str(RANDOMNESS)!r})
            import randomness
            sys.path.pop(0)
            randomness.seed_generators(0)
            randomness.install(tensorflow)
            runpy.run_path""",
).replace("        signal.alarm", "        os.chdir(tempfile.mkdtemp())\n        signal.alarm")
WORKER = WORKER.replace("import os, ", "import os, tempfile, ")

OPTIMIZERS = (
    "GradientDescentOptimizer({0})",
    "AdamOptimizer({0})",
    "AdamOptimizer(learning_rate={0}, beta1=0.8)",
    "MomentumOptimizer({0}, 0.9)",
    "MomentumOptimizer(learning_rate={0}, momentum=0.5, use_nesterov=True)",
    "RMSPropOptimizer({0})",
    "RMSPropOptimizer({0}, decay=0.8, momentum=0.3)",
    "AdagradOptimizer({0})",
    "FtrlOptimizer({0}, l2_regularization_strength=0.01)",
    "AdadeltaOptimizer({0})",
)
DECAYS = (
    "tf.train.exponential_decay({0}, {1}, 3, 0.8)",
    "tf.train.exponential_decay({0}, {1}, 4, 0.7, staircase=True)",
    "tf.train.polynomial_decay({0}, {1}, 10, {0} / 10, power=2.0)",
    "tf.train.inverse_time_decay({0}, {1}, 5, 0.5)",
    "tf.train.piecewise_constant({1}, [3, 6], [{0}, {0} / 2, {0} / 4])",
    "tf.train.cosine_decay({0}, {1}, 20)",
)
ACTIVATIONS = ("tf.nn.relu", "tf.nn.tanh", "tf.sigmoid", "tf.nn.elu", "None")
LAYERS = (
    "tf.layers.dense({0}, {1}, activation={2})",
    "tf.layers.dense(inputs={0}, units={1}, activation={2}, use_bias=False)",
    "tf.layers.dense({0}, {1}, {2}, kernel_initializer=tf.random_uniform_initializer())",
    "tf.contrib.layers.fully_connected({0}, {1}, activation_fn={2})",
)
PENALTY = ", kernel_regularizer=tf.contrib.layers.l2_regularizer(0.01)"
COLUMNS = (
    "tf.feature_column.numeric_column('x', shape=[3])",
    "tf.feature_column.numeric_column('age', normalizer_fn=lambda v: v / 10.)",
    "tf.feature_column.bucketized_column(tf.feature_column.numeric_column('age'), [2., 5., 8.])",
    "tf.feature_column.indicator_column("
    "tf.feature_column.categorical_column_with_identity('k', 4))",
    "tf.feature_column.embedding_column("
    "tf.feature_column.categorical_column_with_vocabulary_list('word', ['a', 'b', 'c']), 3)",
    "tf.feature_column.embedding_column("
    "tf.feature_column.categorical_column_with_hash_bucket('word', 7), 2, combiner='sum')",
    "tf.feature_column.indicator_column("
    "tf.feature_column.crossed_column(['word', 'k_text'], hash_bucket_size=6))",
)
DATA = """rng = np.random.RandomState(3)
ROWS = 40
data = {
    'x': rng.randn(ROWS, 3).astype(np.float32),
    'age': rng.randint(0, 10, ROWS).astype(np.float32),
    'k': rng.randint(0, 4, ROWS),
    'word': rng.choice(['a', 'b', 'c', 'd'], ROWS),
    'k_text': rng.choice(['u', 'v'], ROWS),
}
signal = data['x'][:, 0] + 0.1 * data['age'] - 0.4
"""
LOSSES = """
class Losses(tf.train.SessionRunHook):
    def __init__(self, loss):
        self.loss = loss

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        print('loss %.5f' % run_values.results)
"""
LABELS = {
    "binary": "(signal > 0).astype(np.float32).reshape(-1, 1)",
    "classes": "(signal > 0).astype(np.int64) + (signal > 1)",
    "number": "signal.astype(np.float32).reshape(-1, 1)",
}


class Maker:
    """One program, by a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.later = random.Random(f"later {seed}")  # leaves the rest of a seed's program alone
        self.lines: list[str] = []
        self.kind = self.random.choice(tuple(LABELS))
        self.params = self.chance(0.5)
        self.columns = self.chance(0.4)
        self.config = self.chance(0.15)
        self.folder = self.chance(0.5)
        self.canned = self.chance(0.25)
        self.columns |= self.canned
        self.dropped = self.normed = self.penalized = self.told = self.logged = False

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def put(self, indent: int, text: str) -> None:
        self.lines += [("    " * indent + line).rstrip() for line in text.split("\n")]

    def value(self, name: str, number: str) -> str:
        """A setting, or its number."""
        if not self.params or self.chance(0.3):
            return number
        self.settings[name] = number
        return f"params['{name}']"

    def program(self) -> str:
        self.settings: dict[str, str] = {}
        self.put(0, "import numpy as np\nimport tensorflow as tf\n")
        self.put(0, DATA)
        self.put(0, f"labels_of = {LABELS[self.kind]}\n")
        self.hook = self.chance(0.4)
        if self.hook:
            self.put(0, "\nclass Steps(tf.train.SessionRunHook):\n    def begin(self):")
            self.put(2, "self.count = 0\n")
            asked = self.later.random() < 0.4
            step = "run_context.session.run(tf.train.get_global_step())"
            self.put(1, "def after_run(self, run_context, run_values):\n    self.count += 1")
            if asked:
                self.put(2, f"if {step} % 3 == 0:\n    print('at', {step})")
            step = ", session.run(tf.train.get_global_step())" if asked else ""
            self.put(0, "")
            self.put(1, f"def end(self, session):\n    print('steps', self.count{step})\n")
        self.form = self.random.randrange(4)
        self.told = not self.canned and self.form != 2 and self.chance(0.4)
        if self.told:
            self.put(0, LOSSES)
        if self.columns:
            self.put(0, "\ndef columns():\n    return [")
            chosen = self.random.sample(COLUMNS, self.random.randint(1, 4))
            words = [c for c in chosen if "embedding" in c]
            chosen = [c for c in chosen if c not in words[1:]]  # of one name
            for column in chosen:
                self.put(2, f"{column},")
            self.put(1, "]\n")
            if self.canned:
                said = "[c for c in columns() if not c.name.endswith('_embedding')]"
                self.put(0, f"\ndef wide():\n    return {said}\n")
        if not self.canned:
            self.inline = self.chance(0.6)
            if not self.inline:
                self.apart()
            self.model_fn()
        self.inputs()
        self.runs()
        return "\n".join(self.lines) + "\n"

    def apart(self) -> None:
        """The net is a function of its own."""
        given = ", params" if self.params else ""
        self.put(0, f"\ndef net(features{given}, training):")
        self.net(1)
        self.put(1, "return logits\n")

    def net(self, indent: int) -> None:
        if self.columns:
            self.put(indent, "h = tf.feature_column.input_layer(features, columns())")
        else:
            self.put(indent, "h = features['x']")
        for number in range(self.random.randint(0, 2)):
            units, act = self.random.randint(2, 6), self.random.choice(ACTIVATIONS)
            layer = self.random.choice(LAYERS)
            size = self.value(f"units{number}", str(units))
            made = layer.format("h", size, act)
            if "tf.layers.dense" in made and self.penalized:
                made = made[:-1] + PENALTY + ")"
            if self.chance(0.3):
                self.put(indent, f"with tf.variable_scope('part{number}'):")
                self.put(indent + 1, f"h = {made}")
            else:
                self.put(indent, f"h = {made}")
            if self.chance(0.2):
                self.dropped = True
                rate = self.value("drop", "0.3")
                self.put(indent, f"h = tf.layers.dropout(h, {rate}, training=training)")
            if self.chance(0.2):
                self.normed = True
                self.put(indent, "h = tf.layers.batch_normalization(h, training=training)")
        if self.chance(0.25):
            self.put(indent, "w = tf.get_variable('scale', [1], initializer=tf.ones_initializer())")
            self.put(indent, "h = h * w")
        units = {"binary": 1, "classes": 3, "number": 1}[self.kind]
        name = ", name='logits'" if self.chance(0.3) else ""
        self.put(indent, f"logits = tf.layers.dense(h, {units}{name})")

    def loss(self, indent: int) -> None:
        weights = ", weights=0.5" if self.chance(0.2) else ""
        forms = {
            "binary": (
                f"tf.losses.sigmoid_cross_entropy(labels, logits{weights})",
                "tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(\n"
                "    labels=labels, logits=logits))",
                "tf.losses.log_loss(labels, scores)",
            ),
            "classes": (
                f"tf.losses.sparse_softmax_cross_entropy(labels, logits{weights})",
                "tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(\n"
                "    labels=labels, logits=logits))",
                "tf.losses.softmax_cross_entropy(\n"
                "    tf.one_hot(labels, 3), logits, label_smoothing=0.1)",
            ),
            "number": (
                f"tf.losses.mean_squared_error(labels, logits{weights})",
                "tf.losses.huber_loss(labels, logits, delta=0.5)",
                "tf.reduce_mean(tf.square(labels - logits))",
                "tf.losses.absolute_difference(labels=labels, predictions=logits)",
            ),
        }
        self.put(indent, f"loss = {self.random.choice(forms[self.kind])}")
        if self.penalized:
            self.put(indent, "loss += tf.losses.get_regularization_loss()")
        elif self.chance(0.15):
            self.put(indent, "loss = loss + 0.01 * tf.add_n(")
            self.put(indent + 1, "[tf.nn.l2_loss(v) for v in tf.trainable_variables()])")

    def metrics(self, indent: int) -> None:
        forms = {
            "binary": (
                "'accuracy': tf.metrics.accuracy(labels, tf.round(scores))",
                "'auc': tf.metrics.auc(labels, scores)",
                "'auc_pr': tf.metrics.auc(labels, scores, curve='PR', num_thresholds=50)",
                "'precision': tf.metrics.precision(labels, tf.round(scores))",
                "'recall': tf.metrics.recall(labels, scores > 0.4)",
                "'mean': tf.metrics.mean(scores)",
                "'false_negatives': tf.metrics.false_negatives(labels, tf.round(scores))",
            ),
            "classes": (
                "'accuracy': tf.metrics.accuracy(labels, tf.argmax(logits, 1))",
                "'top2': tf.metrics.mean(tf.nn.in_top_k(logits, labels, 2))",
                "'mean_class': tf.metrics.mean_per_class_accuracy(labels, tf.argmax(logits, 1), 3)",
                "'mean_iou': tf.metrics.mean_iou(labels, tf.argmax(logits, 1), num_classes=3)",
                "'recall_at_2': tf.metrics.recall_at_k(labels, logits, 2)",
            ),
            "number": (
                "'rmse': tf.metrics.root_mean_squared_error(labels, logits)",
                "'mae': tf.metrics.mean_absolute_error(labels, logits)",
                "'mse': tf.metrics.mean_squared_error(labels, logits)",
                "'mean': tf.metrics.mean(logits, weights=tf.abs(labels))",
                "'below': tf.metrics.percentage_below(logits, 0.2)",
            ),
        }[self.kind]
        chosen = self.random.sample(forms, self.random.randint(1, 3))
        if self.chance(0.8):
            self.put(indent, "metrics = {")
            for each in chosen:
                self.put(indent + 1, f"{each},")
            self.put(indent, "}")
            return
        self.put(indent, "metrics = {}")
        for each in chosen:
            key, _, value = each.partition(": ")
            self.put(indent, f"metrics[{key}] = {value}")

    def train(self, indent: int) -> None:
        rate = self.value("rate", self.random.choice(("0.1", "0.05", "0.02")))
        step = "tf.train.get_global_step()"
        form = self.random.random()
        if form < 0.2 and not self.normed:
            name = self.random.choice(
                ("'SGD'", "'Adam'", "'Adagrad'", "tf.train.MomentumOptimizer")
            )
            if name.startswith("tf."):
                name = "lambda rate: tf.train.MomentumOptimizer(rate, 0.9)"
            clip = self.random.choice(("", ", clip_gradients=0.5"))
            decay = self.random.choice(
                (
                    "",
                    ",\n    learning_rate_decay_fn="
                    "lambda r, s: tf.train.exponential_decay(r, s, 5, 0.5)",
                )
            )
            self.put(indent, "train_op = tf.contrib.layers.optimize_loss(")
            self.put(indent + 1, f"loss, {step}, {rate}, {name}{clip}{decay})")
            return
        if self.chance(0.5):
            self.put(indent, f"step = {step}")
            step = "step"
        if self.chance(0.4):
            made = self.random.choice(DECAYS).format(rate, step)
            self.put(indent, f"rate = {made}")
            rate = "rate"
        made = self.random.choice(OPTIMIZERS).format(rate)
        self.put(indent, f"optimizer = tf.train.{made}")
        inner = indent
        if self.normed:
            self.put(indent, "updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)")
            self.put(indent, "with tf.control_dependencies(updates):")
            inner += 1
        clip = self.random.randrange(5)
        if clip < 2:
            self.put(inner, f"train_op = optimizer.minimize(loss, global_step={step})")
        elif clip == 2:
            self.put(inner, "grads, variables = zip(*optimizer.compute_gradients(loss))")
            self.put(inner, "grads, _ = tf.clip_by_global_norm(grads, 0.5)")
            self.put(inner, f"train_op = optimizer.apply_gradients(zip(grads, variables), {step})")
        elif clip == 3:
            self.put(inner, "pairs = optimizer.compute_gradients(loss)")
            self.put(inner, "pairs = [(tf.clip_by_value(g, -0.1, 0.1), v) for g, v in pairs]")
            self.put(inner, f"train_op = optimizer.apply_gradients(pairs, global_step={step})")
        else:
            self.put(inner, "tvars = tf.trainable_variables()")
            self.put(inner, "grads = tf.gradients(loss, tvars)")
            self.put(inner, "grads, _ = tf.clip_by_global_norm(grads, clip_norm=1.0)")
            self.put(inner, f"train_op = optimizer.apply_gradients(zip(grads, tvars), {step})")

    def spec(self, *fields: str) -> str:
        given = [("mode" if self.chance(0.5) else "mode=mode"), *(f"{f}={f}" for f in fields)]
        for n, text in enumerate(given):
            if "metrics=" in text:
                given[n] = "eval_metric_ops=metrics"
        if "train_op" in fields and (self.logged or self.told):
            hooks = ["hook"] * self.logged + ["Losses(loss)"] * self.told
            given.append(f"training_hooks=[{', '.join(hooks)}]")
        return f"tf.estimator.EstimatorSpec({', '.join(given)})"

    def model_fn(self) -> None:
        self.penalized = self.inline and self.chance(0.2)
        arguments = ["features", "labels", "mode"]
        arguments += ["params"] if self.params else []
        arguments += ["config"] if self.config else []
        self.put(0, f"\ndef model_fn({', '.join(arguments)}):")
        keys = "tf.estimator.ModeKeys"
        self.put(1, f"training = mode == {keys}.TRAIN")
        if self.inline:
            self.net(1)
        else:
            given = ", params" if self.params else ""
            self.put(1, f"logits = net(features{given}, training)")
        what = {
            "binary": "scores = tf.sigmoid(logits)\npredictions = {'scores': scores}",
            "classes": "predictions = {\n"
            "    'class': tf.argmax(logits, 1), 'scores': tf.nn.softmax(logits)}",
            "number": "predictions = {'value': logits}",
        }[self.kind]
        self.put(1, what)
        self.logged = self.chance(0.25)
        logger = "hook = tf.train.LoggingTensorHook({'loss': loss}, every_n_iter=5)"
        form = self.form
        if form == 0:  # early returns
            self.put(1, f"if mode == {keys}.PREDICT:\n    return {self.spec('predictions')}")
            self.loss(1)
            self.put(1, f"if mode == {keys}.EVAL:")
            self.metrics(2)
            self.put(2, f"return {self.spec('loss', 'metrics')}")
            if self.logged:
                self.put(1, logger)
            self.train(1)
            self.put(1, f"return {self.spec('loss', 'train_op')}\n")
        elif form == 1:  # if and elif
            self.put(1, f"if mode == {keys}.PREDICT:\n    spec = {self.spec('predictions')}")
            self.put(1, "else:")
            self.loss(2)
            self.put(2, "if training:")
            if self.logged:
                self.put(3, logger)
            self.train(3)
            self.put(3, f"spec = {self.spec('loss', 'train_op')}")
            self.put(2, "else:")
            self.metrics(3)
            self.put(3, f"spec = {self.spec('loss', 'metrics')}")
            self.put(1, "return spec\n")
        elif form == 2:  # names that are None
            self.logged = False
            self.put(1, "loss, train_op, metrics = None, None, {}")
            self.put(1, f"if mode != {keys}.PREDICT:")
            self.loss(2)
            self.metrics(2)
            self.put(1, f"if mode == {keys}.TRAIN:")
            self.train(2)
            self.put(1, f"return {self.spec('predictions', 'loss', 'train_op', 'metrics')}\n")
        else:  # one spec for training and evaluation
            self.logged = False
            self.put(1, f"if mode == {keys}.PREDICT:\n    return {self.spec('predictions')}\n")
            self.loss(1)
            self.train(1)
            self.metrics(1)
            self.put(1, f"return {self.spec('predictions', 'loss', 'train_op', 'metrics')}\n")

    def inputs(self) -> None:
        used = "data" if self.columns else self.random.choice(("data", "{'x': data['x']}"))
        self.size = self.random.choice((5, 8, 16))
        if self.chance(0.4):
            for name, epochs in (("train_input_fn", "None"), ("eval_input_fn", "1")):
                self.put(0, f"\n{name} = tf.estimator.inputs.numpy_input_fn(")
                self.put(1, f"{used}, labels_of, batch_size={self.size}, num_epochs={epochs},")
                self.put(1, "shuffle=False)")
            self.train_fn, self.eval_fn = "train_input_fn", "eval_input_fn"
            self.endless = True
        else:
            repeat = self.random.choice(("None", "2", "3"))
            self.endless = repeat == "None"
            self.put(0, "\ndef input_fn(training):")
            self.put(1, f"dataset = tf.data.Dataset.from_tensor_slices(({used}, labels_of))")
            shuffled = self.chance(0.3)
            self.put(1, "if training:")
            if shuffled:
                self.put(2, "dataset = dataset.shuffle(40, seed=1)")
            self.put(2, f"dataset = dataset.repeat({'' if self.endless else repeat})")
            self.put(1, f"dataset = dataset.batch({self.size})")
            end = "dataset.make_one_shot_iterator().get_next()" if self.chance(0.3) else "dataset"
            self.put(1, f"return {end}\n")
            self.train_fn, self.eval_fn = "lambda: input_fn(True)", "lambda: input_fn(False)"

    def runs(self) -> None:
        given = ["model_fn" if self.chance(0.5) else "model_fn=model_fn"]
        if self.canned:
            given, self.params = self.made(), False
        settings = ", ".join(f"'{k}': {v}" for k, v in self.settings.items())
        if self.params:
            given.append(f"params={{{settings}}}")
        self.put(0, "\ndef main():")
        if self.folder and self.chance(0.6):
            fields = ["model_dir='model'"]
            fields += ["save_checkpoints_steps=5"] if self.chance(0.6) else []
            fields += ["keep_checkpoint_max=2"] if self.chance(0.3) else []
            fields += ["save_summary_steps=3"] if self.chance(0.3) else []
            fields += ["tf_random_seed=1"] if self.chance(0.3) else []
            self.put(1, f"config = tf.estimator.RunConfig({', '.join(fields)})")
            given.append("config=config")
        elif self.folder:
            given.append("model_dir='model'")
        kind = "tf.estimator.Estimator"
        if self.canned:
            kind, given = given[0], given[1:]
        self.put(1, f"estimator = {kind}({', '.join(given)})")
        if self.chance(0.25) and self.folder:
            self.put(1, "train_spec = tf.estimator.TrainSpec(")
            self.put(2, f"input_fn={self.train_fn}, max_steps=11{self.hooks()})")
            self.put(1, "eval_spec = tf.estimator.EvalSpec(")
            self.put(
                2, f"input_fn={self.eval_fn}, steps=None, throttle_secs=0, start_delay_secs=0)"
            )
            self.put(1, "tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)")
        else:
            # A graph draws its dropouts anew in each training.
            for _ in range(1 if self.dropped else self.random.randint(1, 2)):
                form = self.random.randrange(3 if self.folder else 2)
                steps = ("steps=7", "steps=6", "max_steps=9")[form]
                if not self.endless and self.chance(0.4):
                    self.put(1, f"estimator.train({self.train_fn}{self.hooks()})")
                elif self.folder and self.later.random() < 0.3:
                    stop = f"tf.train.StopAtStepHook(last_step={self.later.randint(3, 10)})"
                    own = self.hooks().replace(", hooks=[", ", ").replace("]", "")
                    self.put(1, f"estimator.train({self.train_fn}, hooks=[{stop}{own}])")
                else:
                    self.put(1, f"estimator.train({self.train_fn}, {steps}{self.hooks()})")
        steps = self.random.choice(("", ", steps=2"))
        self.put(1, f"found = estimator.evaluate({self.eval_fn}{steps})")
        self.put(1, "for key in sorted(found):\n    print('%s %.5f' % (key, found[key]))")
        self.put(1, f"for number, each in enumerate(estimator.predict({self.eval_fn})):")
        self.put(2, "print(number, [(k, np.round(v, 4).tolist()) for k, v in sorted(each.items())")
        self.put(3, "if k not in ('classes', 'all_classes')])")
        self.put(0, "\n\nif __name__ == '__main__':\n    main()")

    def made(self) -> list[str]:
        """A canned Estimator's class and its arguments."""
        regressor = self.kind == "number"
        what = "Regressor" if regressor else "Classifier"
        kind = self.random.choice(("Linear", "DNN", "DNNLinearCombined"))
        given = ["n_classes=3"] if self.kind == "classes" else []
        optimizer = self.random.choice(
            (
                "'Adagrad'",
                "'SGD'",
                "tf.train.AdamOptimizer(0.02)",
                "tf.train.MomentumOptimizer(0.01, 0.9)",
                "",
            )
        )
        dense = "columns()"
        if kind == "Linear":
            given += ["feature_columns=wide()"]
            given += [f"optimizer={optimizer}"] if optimizer else []
        elif kind == "DNN":
            given += [
                f"feature_columns={dense}",
                f"hidden_units={self.random.choice(('[4]', '[6, 3]'))}",
            ]
            given += [f"optimizer={optimizer}"] if optimizer else []
            given += ["activation_fn=tf.nn.tanh"] if self.chance(0.3) else []
            given += ["batch_norm=True"] if self.chance(0.2) else []
            if self.chance(0.2):
                self.dropped = True
                given += ["dropout=0.2"]
        else:
            given += ["linear_feature_columns=wide()", f"dnn_feature_columns={dense}"]
            given += ["dnn_hidden_units=[5]"]
            given += [f"dnn_optimizer={optimizer}"] if optimizer else []
        if self.chance(0.2):
            given.append("loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE")
        if self.chance(0.2):
            given.append("weight_column='age'")
        return [f"tf.estimator.{kind}{what}", *given]

    def hooks(self) -> str:
        return ", hooks=[Steps()]" if self.hook and self.chance(0.6) else ""


def compared(seed: int, one: plain.Worker, two: plain.Worker, folder: Path) -> str:
    """What became of a seed's program."""
    before, after = folder / f"{seed}_before.py", folder / f"{seed}_after.py"
    outs = [folder / f"{seed}_{side}.txt" for side in ("1.15", "2.21")]
    before.write_text(Maker(seed).program(), encoding="utf-8")
    if not one.run(before, outs[0]):
        return "no program of TF 1"
    (result,) = texts({str(before): before.read_bytes()}, Options(to="keras"))
    after.write_bytes(result.after or before.read_bytes())
    kept = [f.message for f in result.left if f.rule == "TFM520"]
    level = f"shim ({kept[0].rpartition(': ')[2]})" if kept else "Keras"
    if not two.run(after, outs[1]):
        return f"{level}, fails"
    alike = plain.same(*(re.sub(r"\(.*?\)", "", o.read_text(encoding="utf-8")) for o in outs))
    return f"{level}, same" if alike else f"{level}, other numbers"


def main() -> int:
    """Run the seeds, print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--count", type=int, default=40, metavar="N")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    options = parser.parse_args()
    tf1 = find_tf1(None)
    if tf1 is None:
        parser.error("no Python with TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON")
    one, two = plain.Worker(str(tf1.path), WORKER), plain.Worker(sys.executable, WORKER)
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="made-up-") as made:
        folder = (options.keep or Path(made)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(options.first, options.first + options.count):
            found = compared(seed, one, two, folder)
            counts[found] += 1
            if not found.endswith(("same", "TF 1")) or found.startswith("shim"):
                print(f"seed {seed}: {found}", flush=True)
    for found, number in counts.most_common():
        print(f"{number:6}  {found}")
    return int(any(not found.endswith(("same", "TF 1")) for found in counts))


if __name__ == "__main__":
    sys.exit(main())
