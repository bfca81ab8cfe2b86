"""What a session program does around its training step, made up: `made_up_programs.py --runs`.

Each seed is one model and a handful of what programs do with it: counters, decayed rates, moving
averages, metrics, a Saver, conditions, loops, datasets, fed tensors, variables that start anew;
runs with fetches and feeds of every form; at module level, in a function, in functions that hand
the model on, in a class. No run reads beside its update what the update writes: TF 1 doesn't order
them.
"""

from __future__ import annotations

import random
from collections.abc import Callable


class Runs:
    """One program, by a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.build: list[str] = []  # lines that build
        self.use: list[str] = []  # lines that run
        self.shape = self.random.choice(("module", "main", "class", "functions", "interactive"))
        self.own = "self." if self.shape == "class" else ""
        self.made: list[str] = []  # names of the graph that runs want
        self.depth = 0
        self.default = self.shape == "interactive" or self.chance(0.4)  # is there a session around

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def put(self, text: str) -> None:
        self.build.append(text)

    def name(self, word: str) -> str:
        """A name that the graph binds and runs use."""
        if word not in self.made:
            self.made.append(word)
        return self.own + word

    def kept(self, word: str) -> str:
        """A name of what isn't a tensor: no function hands it on."""
        if self.shape == "functions":
            self.shape = "main"
        return self.own + word

    def act(self, text: str) -> None:
        self.use.append("    " * self.depth + text)

    def program(self) -> str:
        self.model()
        parts: list[Callable[[], None]] = [
            self.counter, self.average, self.metric, self.saver, self.condition, self.loop,
            self.fed, self.assigned, self.renewed, self.dataset, self.scattered, self.summaries,
        ]  # fmt: skip
        chosen = self.random.sample(parts, self.random.randint(2, 4))
        if self.renewed in chosen:  # keeps its session beside these
            chosen = [part for part in chosen if part not in (self.saver, self.average)]
        for part in chosen:
            part()
        return self.whole()

    # the model and its training

    def model(self) -> None:
        x, y = self.name("x"), self.name("y")
        size = self.random.choice(("[None, 3]", "[2, 3]", "(None, 3)"))
        self.put(f"{x} = tf.placeholder(tf.float32, {size}, name='x')")
        self.put(f"{y} = tf.placeholder(tf.float32, [None, 2])")
        self.scale = self.chance(0.4)
        if self.scale:
            self.put(f"{self.name('scale')} = tf.placeholder_with_default(1.0, shape=[])")
        w, b = self.name("w"), self.name("b")
        if self.chance(0.5):
            self.put(f"{w} = tf.Variable(0.3 * tf.ones([3, 2]), name='w')")
            self.put(f"{b} = tf.Variable(tf.zeros([2]), name='b')")
        else:
            self.put("with tf.variable_scope('layer'):")
            self.put(f"    {w} = tf.get_variable('w', [3, 2], "
                     "initializer=tf.constant_initializer(0.3))")  # fmt: skip
            self.put(f"    {b} = tf.get_variable('b', [2], initializer=tf.zeros_initializer())")
        h = self.name("h")
        self.put(f"{h} = tf.matmul({x}, {w}) + {b}")
        if self.scale:
            self.put(f"{h} = {h} * {self.own}scale")
        out, loss = self.name("out"), self.name("loss")
        self.put(f"{out} = tf.{self.random.choice(('tanh', 'nn.relu', 'nn.softmax'))}({h})")
        self.put(f"{loss} = tf.reduce_mean(tf.square({out} - {y}))")
        if self.chance(0.3):
            self.put(f"{loss} = {loss} + 0.01 * tf.nn.l2_loss({w})")
        self.stepped = self.chance(0.6)
        rate = "0.1"
        if self.stepped:
            step = self.name("step")
            self.put(f"{step} = " + self.random.choice((
                "tf.Variable(0, trainable=False, name='step')",
                "tf.train.get_or_create_global_step()",
                "tf.Variable(0, name='global_step', trainable=False)",
            )))  # fmt: skip
            if self.chance(0.6):
                rate = self.name("rate")
                self.put(f"{rate} = " + self.random.choice((
                    f"tf.train.exponential_decay(0.1, {step}, 3, 0.5, staircase=True)",
                    f"tf.train.exponential_decay(0.1, {step}, 4, 0.9)",
                    f"tf.train.piecewise_constant({step}, [2, 4], [0.1, 0.05, 0.01])",
                    f"tf.train.polynomial_decay(0.1, {step}, 10, 0.01)",
                )))  # fmt: skip
        made = self.random.choice((
            f"GradientDescentOptimizer({rate})", f"AdamOptimizer(learning_rate={rate})",
            f"MomentumOptimizer({rate}, 0.9)", f"RMSPropOptimizer({rate})",
            f"AdagradOptimizer({rate})",
        ))  # fmt: skip
        counted = f", global_step={self.own}step" if self.stepped else ""
        train = self.name("train")
        form = self.random.randrange(3)
        if form == 0:
            self.put(f"{train} = tf.train.{made}.minimize({loss}{counted})")
        elif form == 1:
            self.put(f"opt = tf.train.{made}")
            self.put(f"{train} = opt.minimize({loss}{counted})")
        else:
            self.put(f"opt = tf.train.{made}")
            self.put(f"grads = opt.compute_gradients({loss})")
            self.put("grads = [(tf.clip_by_value(g, -0.2, 0.2), v) for g, v in grads]")
            self.put(f"{train} = opt.apply_gradients(grads{counted})")
        self.trainer = "train"

    # runs

    def session(self) -> str:
        return f"{self.own}sess" if self.shape != "functions" else "sess"

    def feed(self, *, scaled: bool = True) -> str:
        """A dict of feeds for the model."""
        pairs = [f"{self.own}x: data", f"{self.own}y: labels"]
        if self.scale and scaled and self.chance(0.5):
            pairs.append(f"{self.own}scale: {self.random.choice(('0.5', '2.0'))}")
        return "{" + ", ".join(pairs) + "}"

    def run(self, what: str, feed: str = "") -> str:
        """An expression that runs one fetch."""
        form = self.random.randrange(4)
        if form == 0 and self.default and what.isidentifier() and what not in ("see", "more"):
            return f"{what}.eval({feed})"
        if form == 1 and feed:
            return f"{self.session()}.run({what}, feed_dict={feed})"
        return f"{self.session()}.run({what}{', ' + feed if feed else ''})"

    def show(self, what: str, feed: str = "") -> None:
        """Run one fetch and print it."""
        text = self.run(what, feed)
        if self.chance(0.3):
            self.act(f"value = {text}")
            text = "value"
        self.act(f"print(np.round({text}, 5).tolist())")

    def several(self, names: list[str], feed: str) -> None:
        """Run several fetches in one of the forms and print them."""
        words = [self.own + name for name in names]
        sess, form = self.session(), self.random.randrange(5)
        got = [f"{name}_value" for name in names]
        if form == 0:
            self.act(f"{', '.join(got)} = {sess}.run([{', '.join(words)}], {feed})")
        elif form == 1:
            self.act(f"{', '.join(got)} = {sess}.run(({', '.join(words)}), feed_dict={feed})")
        elif form == 2:
            said = ", ".join(f"'{name}': {word}" for name, word in zip(names, words, strict=True))
            self.act(f"found = {sess}.run({{{said}}}, {feed})")
            got = [f"found['{name}']" for name in names]
        elif form == 3:
            self.act(f"fetches = [{', '.join(words)}]")
            self.act(f"found = {sess}.run(fetches, feed_dict={feed})")
            got = [f"found[{i}]" for i in range(len(names))]
        else:
            self.act(f"feed = {feed}")
            self.act(f"{', '.join(got)} = {sess}.run([{', '.join(words)}], feed_dict=feed)")
        for name in got:
            self.act(f"print(np.round({name}, 5).tolist())")

    def trains(self, times: int) -> None:
        """A loop that trains."""
        self.act(f"for i in range({times}):")
        self.depth += 1
        train, sess, feed = self.own + self.trainer, self.session(), self.feed()
        form = self.random.randrange(5)
        if form == 0:
            self.act(f"_, value = {sess}.run([{train}, {self.own}loss], {feed})")
            self.act("print('%d %.5f' % (i, value))")
        elif form == 1:
            self.act(f"{sess}.run({train}, feed_dict={feed})")
            self.act("if i % 2 == 0:")
            self.depth += 1
            self.show(self.own + "loss", self.feed())
            self.depth -= 1
        elif form == 2 and self.default:
            self.act(f"{train}.run({feed})")
            self.act(f"print('loss %.5f' % {self.run(self.own + 'loss', self.feed())})")
        elif form == 3:
            self.act(f"value = {sess}.run([{self.own}loss, {train}], {feed})[0]")
            self.act("print('%.4f' % value)")
        else:
            self.act(f"{sess}.run([{train}], {feed})")
        self.depth -= 1

    # what programs do around it

    def counter(self) -> None:
        count, more = self.name("count"), self.name("more")
        self.put(f"{count} = tf.Variable(1, trainable=False, name='count')")
        self.put(f"{more} = " + self.random.choice((
            f"tf.assign_add({count}, 2)", f"{count}.assign({count} * 2)",
            f"tf.assign({count}, {count} + 1)", f"{count}.assign_add(1)", f"{count}.assign_sub(1)",
        )))  # fmt: skip
        if self.chance(0.4):
            twice = self.name("twice")
            self.put(f"with tf.control_dependencies([{more}]):")
            self.put(f"    {twice} = tf.identity({count}.read_value()) * 2"
                     if self.chance(0.3) else f"    {twice} = tf.add({count}, 10)")  # fmt: skip
            self.show(twice)
        self.show(more)
        if self.chance(0.5):
            self.act(f"{self.session()}.run({more})")
        self.show(count)

    def average(self) -> None:
        ema, mean = self.own + "ema", self.name("mean")
        count = ", self.step" if self.own else ", step"
        numbered = count if self.stepped and self.chance(0.3) else ""
        self.put(f"{ema} = tf.train.ExponentialMovingAverage(0.9{numbered})")
        if self.chance(0.6):
            whole = self.name("train_all")
            self.put(f"with tf.control_dependencies([{self.own}{self.trainer}]):")
            listed = self.random.choice((f"[{self.own}w]", "tf.trainable_variables()"))
            self.put(f"    {whole} = {ema}.apply({listed})")
            self.trainer = "train_all"
            self.trains(2)
        else:
            keep = self.name("keep_mean")
            self.put(f"{keep} = {ema}.apply([{self.own}w])")
            self.trains(2)
            self.act(f"{self.session()}.run({keep})")
        self.put(f"{mean} = {ema}.average({self.own}w)")
        self.show(mean)

    def metric(self) -> None:
        value, update = self.name("seen"), self.name("see")
        self.put(f"{value}, {update} = " + self.random.choice((
            f"tf.metrics.mean({self.own}loss)",
            f"tf.metrics.accuracy(tf.argmax({self.own}y, 1), tf.argmax({self.own}out, 1))",
            f"tf.metrics.mean_squared_error({self.own}y, {self.own}out)",
        )))  # fmt: skip
        self.act(f"{self.session()}.run(tf.local_variables_initializer())")
        self.act("for i in range(2):")
        self.depth += 1
        self.act(f"{self.session()}.run({update}, {self.feed()})")
        self.depth -= 1
        self.show(value)
        if self.chance(0.4):
            self.act(f"{self.session()}.run(tf.local_variables_initializer())")
            self.show(update, self.feed())

    def saver(self) -> None:
        saver, sess = self.kept("saver"), self.session()
        listed = f"[{self.own}w, {self.own}b]"
        self.put(f"{saver} = tf.train.Saver(" + self.random.choice((
            "", "max_to_keep=2", listed, f"{{'w': {self.own}w, 'other': {self.own}b}}",
        )) + ")")  # fmt: skip
        self.trains(1)
        number = self.random.choice(("", ", global_step=3", ", global_step=i"))
        if "=i" in number:
            self.act("for i in range(3):")
            self.depth += 1
            self.act(f"path = {saver}.save({sess}, os.path.join(folder, 'model'){number})")
            self.depth -= 1
        else:
            self.act(f"path = {saver}.save({sess}, os.path.join(folder, 'model'){number})")
        self.act("print(os.path.basename(path))")
        self.show(self.own + "w")
        self.trains(2)
        if self.chance(0.5):
            self.act(f"{saver}.restore({sess}, path)")
        else:
            self.act(f"{saver}.restore({sess}, tf.train.latest_checkpoint(folder))")
        self.show(self.own + "w")
        self.show(self.own + "loss", self.feed())

    def summaries(self) -> None:
        """Written at each step of a loop; what they say is printed from the files."""
        own, sess = self.own, self.session()
        lines = [
            f"tf.summary.scalar('loss', {own}loss)",
            f"tf.summary.histogram('weights', {own}w)",
            f"tf.summary.scalar('most', tf.reduce_max({own}out))",
        ]
        if self.stepped and self.chance(0.3):
            lines.append(f"tf.summary.scalar('step', {own}step)")
        kept = self.random.sample(lines, self.random.randint(1, len(lines)))
        name = self.name("merged")
        form = self.random.randrange(3)
        if form == 0 and self.chance(0.5):
            self.put("with tf.name_scope('seen'):")
            for line in kept:
                self.put(f"    {line}")
        elif form < 2:
            for line in kept:
                self.put(line)
        if form < 2:
            self.put(f"{name} = tf.summary.merge_all()")
        elif self.chance(0.5):
            for i, line in enumerate(kept):
                self.put(f"s{i} = {line}")
            named = ", ".join(f"s{i}" for i in range(len(kept)))
            self.put(f"{name} = tf.summary.merge([{named}])")
        else:
            self.put(f"{name} = {kept[0]}")
        graph = self.random.choice(("", f", {sess}.graph", ", graph=tf.get_default_graph()"))
        self.act(f"writer = tf.summary.FileWriter(os.path.join(folder, 'logs'){graph})")
        self.act("for i in range(3):")
        self.depth += 1
        if self.chance(0.5):
            self.act(f"seen, _ = {sess}.run([{name}, {own}{self.trainer}], {self.feed()})")
        else:
            self.act(f"{sess}.run({own}{self.trainer}, {self.feed()})")
            self.act(f"seen = {sess}.run({name}, {self.feed()})")
        if self.stepped and self.chance(0.3):
            self.act(f"writer.add_summary(seen, {sess}.run({own}step))")
        else:
            self.act(
                f"writer.add_summary(seen, {self.random.choice(('i', 'i * 10', 'global_step=i'))})"
            )
        self.depth -= 1
        self.act(self.random.choice(("writer.close()", "writer.flush()")))
        self.act("made_up_events.show(os.path.join(folder, 'logs'))")

    def condition(self) -> None:
        flag, chosen = self.name("flag"), self.name("chosen")
        self.put(f"{flag} = " + self.random.choice(
            ("tf.placeholder(tf.bool)", "tf.placeholder_with_default(True, [])")))  # fmt: skip
        self.put(f"{chosen} = tf.cond({flag}, lambda: {self.own}h * 2.0, lambda: {self.own}out)")
        feed = self.feed()[:-1]
        for value in ("True", "False"):
            self.show(chosen, f"{feed}, {flag}: {value}}}")

    def loop(self) -> None:
        total = self.name("total")
        form = self.random.randrange(3)
        if form == 0:
            self.put(f"_, {total} = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + "
                     f"tf.reduce_sum({self.own}h)), [tf.constant(0), 0.0])")  # fmt: skip
        elif form == 1:
            self.put(f"{total} = tf.map_fn(lambda row: row * 2.0, {self.own}h)")
        else:
            self.put(f"{total} = tf.scan(lambda a, row: a + row, {self.own}h, "
                     "initializer=tf.zeros([2]))")  # fmt: skip
        self.show(total, self.feed())

    def fed(self) -> None:
        feed = self.feed(scaled=False)[:-1]
        self.act("hidden = np.array([[0.1, -0.2], [0.4, 0.3]])")
        self.show(f"{self.own}loss", f"{feed}, {self.own}h: hidden}}")
        if self.chance(0.5):
            self.show(f"{self.own}out", f"{{{self.own}h: [[1.0, 2.0], [0.5, 0.1]]}}")

    def assigned(self) -> None:
        new, put = self.name("new_b"), self.name("put_b")
        self.put(f"{new} = tf.placeholder(tf.float32, shape=(2,))")
        self.put(f"{put} = {self.own}b.assign({new})" if self.chance(0.5)
                 else f"{put} = tf.assign({self.own}b, {new})")  # fmt: skip
        self.act(f"{self.session()}.run({put}, {{{new}: [0.5, -0.5]}})")
        self.show(f"{self.own}out", self.feed())
        if self.chance(0.5):
            self.act(f"{self.own}b.load([0.1, 0.2], {self.session()})")
            self.show(self.own + "b")

    def renewed(self) -> None:
        init = self.kept("again")
        self.put(f"{init} = " + self.random.choice((
            "tf.global_variables_initializer()", "tf.variables_initializer([W])",
            "tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())",
            "W.initializer",
        )).replace("W", self.own + "w"))  # fmt: skip
        self.trains(2)
        self.act(f"{self.session()}.run({init})")
        self.several(["loss", "out"], self.feed())

    def dataset(self) -> None:
        item = self.name("item")
        form = self.random.randrange(3)
        self.put("rows = tf.data.Dataset.from_tensor_slices(np.arange(5, dtype=np.float32))")
        self.put("rows = rows.batch(2)" if self.chance(0.6)
                 else "rows = rows.map(lambda v: v + 1.0).repeat(2).batch(4)")  # fmt: skip
        if form == 0:
            self.put(f"{item} = rows.make_one_shot_iterator().get_next()")
        else:
            it = self.kept("iterator")
            self.put(f"{it} = rows.make_initializable_iterator()")
            self.put(f"{item} = {it}.get_next()")
            self.act(f"{self.session()}.run({it}.initializer)")
        if form == 1 and self.chance(0.5):
            self.put(f"{self.name('item2')} = {item} * 2.0")
            item = self.own + "item2"
        if self.chance(0.6):
            self.act("while True:")
            self.depth += 1
            self.act("try:")
            self.act(f"    print({self.session()}.run({item}).tolist())")
            self.act("except tf.errors.OutOfRangeError:")
            self.act("    break")
            self.depth -= 1
        else:
            self.act("for _ in range(2):")
            self.depth += 1
            self.show(item)
            self.depth -= 1

    def scattered(self) -> None:
        table, touch = self.name("table"), self.name("touch")
        self.put(f"{table} = tf.Variable(tf.zeros([4, 2]), trainable=False)")
        op = self.random.choice(("scatter_add", "scatter_update", "scatter_sub"))
        self.put(f"{touch} = tf.{op}({table}, [1, 3], {self.own}h[:2])")
        self.show(touch, self.feed())
        self.show(f"tf.nn.embedding_lookup({table}, [3, 0])" if self.chance(0.2) else table)

    # the whole

    def ending(self) -> None:
        self.several(self.random.choice((["loss", "out"], ["w", "b"], ["out", "w", "loss"])),
                     self.feed())  # fmt: skip

    def whole(self) -> str:
        self.trains(3)
        self.ending()
        lines = [
            "import os", "import shutil", "import tempfile", "", "import numpy as np",
            "import tensorflow as tf", "",
            "data = np.array([[0.5, -1., 2.], [1., 0.2, -0.3]], np.float32)",
            "labels = np.array([[0., 1.], [1., 0.]], np.float32)",
            "folder = tempfile.mkdtemp()", "",
        ]  # fmt: skip
        if any("made_up_events" in line for line in self.use):
            lines.insert(7, "import made_up_events")
        start = "run(tf.global_variables_initializer())"
        build, use = self.build, self.use
        if self.shape == "module":
            opened = "with tf.Session() as sess:"
            lines += [*build, "", opened, *indent([f"sess.{start}", *use])]
        elif self.shape == "interactive":
            lines += [*build, "", "sess = tf.InteractiveSession()", f"sess.{start}", *use]
        elif self.shape == "main":
            inside = [*build, "with tf.Session() as sess:", f"    sess.{start}"]
            lines += ["", "def main():", *indent(inside), *indent(use, 2), ""]
            lines += ["", "if __name__ == '__main__':", "    main()"]
        elif self.shape == "class":
            lines += ["", "class Model(object):", "    def __init__(self):"]
            lines += indent([*build, "self.sess = tf.Session()", f"self.sess.{start}"], 2)
            lines += ["", "    def fit(self, data, labels):"]
            if self.default:
                lines += ["        with self.sess.as_default():", *indent(use, 3)]
            else:
                lines += indent(use, 2)
            lines += ["", "", "Model().fit(data, labels)"]
        else:
            names = ", ".join(self.made)
            lines += ["", "def build():", *indent([*build, f"return {names}"]), "", ""]
            lines += [f"def fit(sess, {names}):", *indent(use), "", ""]
            lines += [f"{names} = build()", "with tf.Session() as sess:"]
            lines += indent([f"sess.{start}", f"fit(sess, {names})"])
        lines.append("shutil.rmtree(folder)")
        return "\n".join(lines) + "\n"


def indent(lines: list[str], by: int = 1) -> list[str]:
    return ["    " * by + line for text in lines for line in text.split("\n")]
