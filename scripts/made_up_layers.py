"""Made-up nets for `made_up_programs.py --layers`: layers, cells, norms with random arguments."""

from __future__ import annotations

import random

STARTS = (
    "tf.constant_initializer(0.2)",
    "tf.random_normal_initializer(stddev=0.3)",
    "tf.truncated_normal_initializer(stddev=0.2)",
    "tf.random_uniform_initializer(-0.4, 0.4)",
    "tf.contrib.layers.xavier_initializer()",
    "tf.contrib.layers.variance_scaling_initializer()",
    "tf.glorot_uniform_initializer()",
)
PENALTIES = ("l2_regularizer(0.05)", "l1_regularizer(0.01)", "l1_l2_regularizer(0.01, 0.02)")
ACTIVATIONS = ("tf.nn.relu", "tf.tanh", "tf.nn.elu", "None", "tf.sigmoid", "tf.nn.leaky_relu")
CELLS = (
    *("BasicRNNCell({})", "GRUCell({})", "BasicLSTMCell({}, forget_bias=0.5)", "LSTMCell({})"),
    *("LSTMCell({}, use_peepholes=True)", "LSTMCell({}, cell_clip=0.3)", "BasicLSTMCell({})"),
)


class Nets:
    """One program of a net that is trained, by a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.number = 0  # of names
        self.averages = self.penalties = self.dropped = False
        self.kind = self.one("image", "image", "image", "rows", "sequence")
        self.style = self.one("layers", "contrib", "slim", "mixed")
        self.again = self.chance(0.25)  # the net is applied twice
        self.switch = self.one("training", "training", "True")

    def put(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def call(self, indent: int, function: str, *given: object) -> None:
        """``h`` through a layer."""
        self.put(indent, f"h = {function}({', '.join(map(str, ('h', *given)))})")

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def one(self, *of: str) -> str:
        return self.random.choice(of)

    def program(self) -> str:
        self.size = {"image": [6, 6, 2], "rows": [5], "sequence": [5, 3]}[self.kind]
        given = ", ".join(map(str, self.size))
        self.put(0, "import numpy as np\nimport tensorflow as tf\n")
        self.put(0, "slim = tf.contrib.slim\nlayers = tf.contrib.layers\n")
        home = (
            "net" if self.again else self.one("module", "net", "net", "class", "class", "methods")
        )
        self.helper = self.kind != "sequence" and self.chance(0.4)
        if self.helper:
            self.block()
        if home == "net":
            reuse = ", reuse=False" if self.again else ""
            self.put(0, f"def net(x, training{reuse}):")
            self.put(1, f"with tf.variable_scope('net'{', reuse=reuse' if reuse else ''}):")
            self.body(2)
            self.put(2, "return h\n\n")
        elif home == "class":
            self.put(0, "class Net(object):\n    def __init__(self, x, training):")
            self.body(2)
            self.put(2, "self.out = h\n\n")
        elif home == "methods":
            self.put(0, "class Net(object):\n    def __init__(self, x, training):")
            self.put(2, "self.build(x, training)\n        self.add_train()\n")
            self.put(1, "def build(self, x, training):")
            self.body(2)
            self.put(2, "self.out = h\n")
            self.put(1, "def add_train(self):")
            self.train(2, "self.")
            self.put(0, "\n")
        main = self.chance(0.25)
        if main:
            self.put(0, "def main():")
        start = len(self.lines)
        self.put(0, f"x = tf.placeholder(tf.float32, [None, {given}])")
        made = self.one("placeholder(tf.bool, [])", "placeholder_with_default(False, [])")
        self.put(0, f"training = tf.{made}")
        if home == "module":
            self.body(0)
            self.put(0, "out = h")
        elif home == "class":
            self.put(0, "model = Net(x, training)\nout = model.out")
        elif home == "methods":
            self.put(0, "model = Net(x, training)")
            self.put(0, "loss, train, out = model.loss, model.train, model.out")
        else:
            self.put(0, "out = net(x, training)")
        if self.again:
            other = self.one("x * 0.5", "x")
            self.put(0, f"twin = net({other}, {self.one('training', 'False')}, reuse=True)")
            self.put(0, "out = out - 0.5 * twin")
        if home != "methods":
            self.train(0, "")
        self.session(given)
        if main:
            inside = "\n".join(self.lines[start:]).split("\n")
            self.lines[start:] = [f"    {line}" if line else line for line in inside]
            self.put(0, "\n\nmain()")
        return "\n".join(self.lines) + "\n"

    def block(self) -> None:
        """A helper that makes layers; how many it is told."""
        self.put(0, "def block(h, many, training, name):\n    with tf.variable_scope(name):")
        wide = "conv2d(h, many, 3, padding='same'" if self.kind == "image" else "dense(h, many"
        bias = self.one("", ", use_bias=False")
        self.put(2, f"h = tf.layers.{wide}{bias})")
        norm = self.one("layers", "layers", "contrib", "none") if not self.again else "none"
        if norm == "layers":
            self.put(2, "h = tf.layers.batch_normalization(h, training=training, momentum=0.9)")
        elif norm == "contrib" and self.kind == "image":
            self.put(2, "h = slim.batch_norm(h, is_training=training, decay=0.9, scope='bn')")
        self.averages = self.averages or norm != "none"
        self.put(2, f"return {self.random.choice(ACTIVATIONS[:3])}(h)\n\n")

    def blocks(self, indent: int) -> None:
        self.number += 1
        if self.chance(0.4):
            self.put(indent, "for i in range(2):")
            self.put(indent + 1, f"h = block(h, 3, {self.switch}, 'k{self.number}_%d' % i)")
        else:
            self.put(indent, f"h = block(h, 3, {self.switch}, 'k{self.number}')")
        self.size = [*self.size[:-1], 3]

    def body(self, indent: int) -> None:
        self.put(indent, "h = x")
        if self.style == "slim" and self.chance(0.6):
            self.scope(indent)
            indent += 1
        for _ in range(self.random.randint(2, 5)):
            self.layer(indent)
        if len(self.size) > 1:
            self.flat(indent)
        self.dense(indent, "2")

    def scope(self, indent: int) -> None:
        """An arg_scope around the rest."""
        given = []
        if self.chance(0.5):
            given.append(f"weights_initializer={self.random.choice(STARTS)}")
        if self.chance(0.5):
            given.append(f"activation_fn={self.random.choice(ACTIVATIONS)}")
        if self.chance(0.4):
            self.penalties = True
            given.append(f"weights_regularizer=layers.{self.random.choice(PENALTIES)}")
        if self.chance(0.4):
            given += self.normalizer()
        said = ", ".join(given or ["activation_fn=tf.nn.relu"])
        self.put(indent, f"with slim.arg_scope([slim.conv2d, slim.fully_connected], {said}):")

    def normalizer(self) -> list[str]:
        kind = self.one("batch_norm", "batch_norm", "layer_norm", "instance_norm")
        if self.again and kind == "batch_norm":  # TF 1 doesn't order two updates in one run
            kind = "layer_norm"
        if self.kind != "image" and kind == "instance_norm":
            kind = "layer_norm"
        given = [f"normalizer_fn=layers.{kind}"]
        params = []
        if kind == "batch_norm":
            params.append(f"'is_training': {self.switch}")
            params += ["'decay': 0.9"] * self.chance(0.6)
            params += ["'scale': True"] * self.chance(0.4)
            params += ["'updates_collections': None"] * self.chance(0.3)
            self.averages = True
        elif self.chance(0.3):
            params.append("'center': False")
        return given + ([f"normalizer_params={{{', '.join(params)}}}"] if params else [])

    def layer(self, indent: int) -> None:
        kind = self.random.random()
        if self.helper and kind > 0.75 and len(self.size) in (1, 3):
            if self.kind == "rows" or len(self.size) == 3:
                self.blocks(indent)
        elif kind < 0.15 and indent < 5:
            self.number += 1
            scope = self.one("variable_scope", "name_scope")
            self.put(indent, f"with tf.{scope}('s{self.number}'):")
            self.layer(indent + 1)
        elif kind < 0.3:
            self.norm(indent)
        elif kind < 0.4:
            self.dropout(indent)
        elif self.kind == "image" and len(self.size) == 3:
            self.image(indent)
        elif self.kind == "sequence" and len(self.size) == 2:
            self.sequence(indent)
        elif self.chance(0.2):
            self.loop(indent)
        else:
            self.dense(indent, self.one("3", "4"))

    def named(self, word: str, given: list[str]) -> list[str]:
        """With a name of its own, or without."""
        if self.chance(0.5):
            self.number += 1
            given.append(f"{word}='n{self.number}'")
        return given

    def of_layers(self) -> bool:
        return self.style == "layers" or (self.style == "mixed" and self.chance(0.5))

    def weights(self, core: bool, activation: bool = True) -> list[str]:
        """Arguments that layers with weights have in common."""
        given = []
        words = ("kernel", "bias") if core else ("weights", "biases")
        if activation and self.chance(0.6):
            name = "activation" if core else "activation_fn"
            given.append(f"{name}={self.random.choice(ACTIVATIONS)}")
        if self.chance(0.4):
            given.append(f"{words[0]}_initializer={self.random.choice(STARTS)}")
        if self.chance(0.2):
            given.append("use_bias=False" if core else "biases_initializer=None")
        elif self.chance(0.3):
            given.append(f"{words[1]}_initializer=tf.constant_initializer(0.1)")
        if self.chance(0.2):
            self.penalties = True
            given.append(f"{words[0]}_regularizer=layers.{self.random.choice(PENALTIES)}")
        if not core and self.chance(0.25):
            given += self.normalizer()
        if core and self.chance(0.08):
            given.append("trainable=False")
        return given

    def dense(self, indent: int, units: str) -> None:
        core = self.of_layers()
        given = self.weights(core)
        if core:
            self.call(indent, "tf.layers.dense", units, *self.named("name", given))
        else:
            call = self.one("layers.fully_connected", "slim.fully_connected")
            self.call(indent, call, units, *self.named("scope", given))
        self.size = [*self.size[:-1], int(units)]

    def loop(self, indent: int) -> None:
        self.number += 1
        self.put(indent, "for i in range(2):")
        units = self.one("3", "4")
        name = self.one("", f", name='l{self.number}_%d' % i")
        self.put(indent + 1, f"h = tf.layers.dense(h, {units}, tf.nn.elu{name})")
        self.size = [*self.size[:-1], int(units)]

    def image(self, indent: int) -> None:
        high, wide, _ = self.size
        filters, core = self.random.randint(2, 4), self.of_layers()
        kind = self.random.random()
        padding = self.one("same", "valid", "SAME", "VALID") if core else self.one("SAME", "VALID")
        kernel = self.random.choice((1, 2, 3))
        if min(high, wide) < 3:
            kernel, padding = 1, "same" if core else "SAME"
        stride = self.random.choice((1, 1, 2))
        said = [f"padding='{padding}'"] * self.chance(0.7)
        shrinks = (padding if said else ("valid" if core else "SAME")).lower() == "valid"
        if shrinks and not said and min(high, wide) < kernel:
            return
        if kind < 0.2:
            self.pool(indent, core)
            return
        if kind < 0.3 and high < 8:
            call = "tf.layers.conv2d_transpose" if core else "layers.conv2d_transpose"
            word = "strides" if core else "stride"
            given = [f"{word}={stride}"] * (stride > 1) + said + self.weights(core)
            name = "name" if core else "scope"
            self.call(indent, call, str(filters), str(kernel), *self.named(name, given))
            self.size = [
                n * stride + (max(kernel - stride, 0) if shrinks else 0) for n in (high, wide)
            ] + [filters]
            return
        rate = 1
        given = []
        if stride > 1:
            given.append(f"{'strides' if core else 'stride'}={stride}")
        elif kernel > 1 and not shrinks and self.chance(0.15):
            rate = 2
            given.append(f"{'dilation_rate' if core else 'rate'}={rate}")
        given += said
        shape = self.one(str(kernel), f"[{kernel}, {kernel}]", f"({kernel}, {kernel})")
        if kind < 0.4 and rate == 1:
            call = "tf.layers.separable_conv2d" if core else "slim.separable_conv2d"
            more = [w for w in self.weights(core) if not w.startswith("kernel")]
            if not core and self.chance(0.3):
                many, filters = "None", self.size[-1]
            else:
                many = str(filters)
            if not core:
                given.append("depth_multiplier=1")
            given += more
        else:
            call = "tf.layers.conv2d" if core else self.one("slim.conv2d", "layers.conv2d")
            many = str(filters)
            given += self.weights(core)
        name = "name" if core else "scope"
        self.call(indent, call, many, shape, *self.named(name, given))
        self.size = [-(-(n - (kernel - 1 if shrinks else 0)) // stride) for n in (high, wide)] + [
            filters
        ]

    def pool(self, indent: int, core: bool) -> None:
        high, wide, channels = self.size
        if min(high, wide) < 3:
            return
        kernel, stride = self.random.choice((2, 3)), self.random.choice((1, 2))
        kind, padding = self.one("max", "avg"), self.one("SAME", "VALID")
        if core:
            name = {"max": "max_pooling2d", "avg": "average_pooling2d"}[kind]
            self.put(
                indent, f"h = tf.layers.{name}(h, {kernel}, {stride}, padding='{padding.lower()}')"
            )
        else:
            given = [f"stride={stride}"] if stride == 1 or self.chance(0.5) else []
            stride = stride if given else 2
            self.call(indent, f"slim.{kind}_pool2d", str(kernel), *given, f"padding={padding!r}")
        less = kernel - 1 if padding == "VALID" else 0
        self.size = [-(-(n - less) // stride) for n in (high, wide)] + [channels]

    def sequence(self, indent: int) -> None:
        units = self.random.randint(2, 4)
        self.number += 1
        kind = self.random.random()
        if kind < 0.25:
            padding = self.one("same", "valid") if self.size[0] > 3 else "same"
            self.put(indent, f"h = tf.layers.conv1d(h, {units}, 2, padding='{padding}')")
            self.size = [self.size[0] - (padding == "valid"), units]
            return
        cell = self.random.choice(CELLS).format(units)
        told = f"dtype=tf.float32, scope='r{self.number}'"
        root = self.one("tf.nn.rnn_cell.", "tf.contrib.rnn.")
        if kind < 0.45:
            parts = ", ".join(f"{root}{cell}" for _ in range(2))
            made = f"{root}MultiRNNCell([{parts}])"
            self.put(indent, f"h, _ = tf.nn.dynamic_rnn({made}, h, {told})")
        elif kind < 0.65:
            both = f"{root}{cell}, {root}{cell}"
            self.put(indent, f"(f, b), _ = tf.nn.bidirectional_dynamic_rnn({both}, h, {told})")
            self.put(indent, "h = tf.concat([f, b], 2)")
            units *= 2
        else:
            made = f"{root}{cell}"
            if self.chance(0.3):
                made = f"{root}DropoutWrapper({made}, output_keep_prob=0.8)"
            lengths = (
                f", sequence_length={self.size[0]} * tf.ones_like(tf.cast(h[:, 0, 0], tf.int32))"
            )
            lengths = lengths if self.chance(0.2) else ""
            self.put(indent, f"h, _ = tf.nn.dynamic_rnn({made}, h, {told}{lengths})")
        self.size = [self.size[0], units]

    def norm(self, indent: int) -> None:
        core = self.of_layers() and not self.again
        if core:
            given = [f"training={self.switch}"] * self.chance(0.8)
            given += ["momentum=0.9"] * self.chance(0.5) + ["epsilon=0.01"] * self.chance(0.2)
            given += [self.one("center=False", "scale=False")] * self.chance(0.2)
            self.averages = True
            self.call(indent, "tf.layers.batch_normalization", *self.named("name", given))
            return
        if self.again or self.chance(0.4):
            given = [f"activation_fn={self.random.choice(ACTIVATIONS)}"] * self.chance(0.3)
            given += [self.one("center=False", "scale=False")] * self.chance(0.2)
            self.call(indent, "layers.layer_norm", *self.named("scope", given))
            return
        if len(self.size) == 2:
            return
        given = [f"is_training={self.switch}"] * self.chance(0.8) + ["decay=0.9"] * self.chance(0.6)
        given += [self.one("center=False", "scale=True")] * self.chance(0.4)
        given += ["updates_collections=None"] * self.chance(0.3)
        given += [f"activation_fn={self.random.choice(ACTIVATIONS)}"] * self.chance(0.4)
        self.averages = True
        self.call(indent, "slim.batch_norm", *self.named("scope", given))

    def dropout(self, indent: int) -> None:
        if self.of_layers():
            given = [self.one("0.5", "rate=0.3", "0.")] * self.chance(0.8) + [
                f"training={self.switch}"
            ]
            self.call(indent, "tf.layers.dropout", *given)
        else:
            given = [self.one("0.5", "keep_prob=0.7", "1.0")] * self.chance(0.8)
            given += [f"is_training={self.switch}"] * self.chance(0.8)
            self.call(indent, "slim.dropout", *given)

    def flat(self, indent: int) -> None:
        if self.kind == "sequence":
            self.put(indent, self.one("h = h[:, -1]", "h = tf.reduce_mean(h, 1)"))
            self.size = self.size[-1:]
            return
        if self.chance(0.3):
            self.put(indent, "h = tf.reduce_mean(h, [1, 2])")
            self.size = self.size[-1:]
            return
        self.put(indent, self.one("h = tf.layers.flatten(h)", "h = slim.flatten(h)"))
        self.size = [self.size[0] * self.size[1] * self.size[2]]

    def train(self, at: int, own: str) -> None:
        out = f"{own}out"
        loss = self.one(
            f"tf.reduce_mean(tf.square({out} - 0.5))",
            f"tf.losses.mean_squared_error(tf.ones_like({out}), {out})",
            f"tf.losses.huber_loss(tf.ones_like({out}), {out})",
            f"tf.losses.softmax_cross_entropy(tf.one_hot(tf.argmax({out}, 1), 2), {out})",
            f"tf.reduce_mean(tf.abs({out} - 0.3))",
        )
        self.put(at, f"{own}loss = {loss}")
        if self.penalties and self.chance(0.8):
            added = self.one(
                f"{own}loss + tf.losses.get_regularization_loss()",
                f"{own}loss + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))",
            )
            if "tf.losses" in loss and self.chance(0.3):
                added = "tf.losses.get_total_loss()"
            self.put(at, f"{own}loss = {added}")
        made = self.one("GradientDescentOptimizer(0.05)", "MomentumOptimizer(0.02, 0.9)")
        self.put(at, f"optimizer = tf.train.{made}")
        form = self.random.random()
        if self.averages and form < 0.6:
            self.put(at, "updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)")
            self.put(at, "with tf.control_dependencies(updates):")
            self.put(at + 1, f"{own}train = optimizer.minimize({own}loss)")
        elif form < 0.7:
            self.put(at, f"{own}train = slim.learning.create_train_op({own}loss, optimizer)")
        else:
            self.put(at, f"{own}train = optimizer.minimize({own}loss)")

    def session(self, given: str) -> None:
        self.put(0, "rng = np.random.RandomState(3)\nwith tf.Session() as sess:")
        self.put(1, "sess.run(tf.global_variables_initializer())")
        self.put(1, f"for step in range(4):\n        data = rng.randn(5, {given})")
        self.put(2, "value, _ = sess.run([loss, train], {x: data, training: True})")
        self.put(2, "print('%.6f' % value)")
        self.put(1, "print(np.round(sess.run(out, {x: data, training: False}), 4).tolist())")
        if self.chance(0.3):
            self.put(1, "for v in tf.trainable_variables():")
            self.put(2, "print(v.name, '%.5f' % np.abs(sess.run(v)).sum())")
