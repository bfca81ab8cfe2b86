"""Made-up session programs on both sides: the upgraded one must print the original's numbers.

    python scripts/made_up_programs.py [--updates | --runs | --layers] [--first SEED]
                                        [--count N] [--keep DIR]

Each seed is a program: few names, bound again and again to variables, tensors and Python's values,
in branches, loops, scopes, helpers, functions that build and classes. It runs on TensorFlow 1.15.5,
is upgraded, and runs on TensorFlow 2.21. What crashes or prints other numbers is told by its seed;
with --keep both programs and what they printed stay in a folder. Variables start as constants, and
gradients are gated, so that TF 1 gives the same numbers in each run; nets of layers (--layers)
start with draws that are the same on both sides.

Needs a Python 3.7 with TensorFlow 1.15.5 (or MIGRATE_TF1_PYTHON). Exits with 1 where one differs.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from made_up_layers import Nets
from made_up_runs import Runs

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.parity import randomness
from migrate.parity.environment import find_tf1

NAMES = ("a", "b", "w", "h", "c")
OPTIMIZERS = ("GradientDescent:0.05", "Adam:0.01", "Momentum:0.02, 0.9")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)")
SECONDS = 60  # for one program
ROOT = Path(__file__).resolve().parent.parent
PARITY = Path(randomness.__file__).parent
# Imports TensorFlow once and forks a child for each program: a path, and where its output goes.
WORKER = """
import os, runpy, signal, sys, traceback
import tensorflow as tf
sys.path.insert(0, "PARITY")
import randomness
print("ready", flush=True)
for line in sys.stdin:
    program, out = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        for number, path in ((1, out), (2, out + ".err")):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        code = 0
        if EQUAL:
            randomness.seed_generators(0)
            randomness.install(tf)
        try:
            runpy.run_path(program, run_name="__main__")
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        os._exit(code)
    print(os.waitpid(child, 0)[1], flush=True)
""".replace("SECONDS", str(SECONDS)).replace("PARITY", str(PARITY))


class Maker:
    """One program, by a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.variables = 0  # or scopes, to number them
        self.helpers: list[tuple[str, bool]] = []  # whether one makes variables
        self.tests = ["FLAG", "not FLAG", "MODE == 1", "MODE > 1 and FLAG"]
        self.owner = ""  # `self.` in a class

    def put(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def one(self, known: dict[str, str], kind: str) -> str | None:
        """A name that means a tensor, a variable or a number."""
        names = [name for name, what in known.items() if what == kind]
        return self.random.choice(names) if names else None

    def program(self) -> str:
        self.put(0, "import numpy as np\nimport tensorflow as tf\n")
        self.put(0, f"FLAG = {self.chance(0.5)}\nMODE = {self.random.choice('12')}\n")
        for number in range(self.random.randint(0, 2)):
            self.helper(f"net{number}")
        self.random.choice((self.module, self.main, self.function, self.cls))()
        return "\n".join(self.lines) + "\n"

    def helper(self, name: str) -> None:
        makes = self.chance(0.5)
        self.helpers.append((name, makes))
        if not makes:
            self.put(0, f"def {name}(t):\n    a = tf.nn.relu(t)")
            if self.chance(0.5):
                self.put(1, "if FLAG:\n        a = a * 2.")
            self.put(1, "return a + 0.1\n\n")
            return
        self.put(0, f"def {name}(t, scope):\n    with tf.variable_scope(scope):")
        start = "initializer=tf.constant_initializer"
        self.put(2, f"w = tf.get_variable('w', [3, 3], {start}(0.3))")
        if self.chance(0.5):
            self.put(2, f"if FLAG:\n            b = tf.get_variable('b', [3], {start}(0.1))")
            self.put(3, "t = t + b")
        self.put(2, "return tf.matmul(t, w)\n\n")

    def block(self, indent: int, known: dict[str, str], depth: int, loop: bool, size: int) -> None:
        before = len(self.lines)
        for _ in range(size):
            self.statement(indent, known, depth, loop)
        if len(self.lines) == before:
            self.put(indent, "pass")

    def statement(self, indent: int, known: dict[str, str], depth: int, loop: bool) -> None:
        kind, inner = self.random.random(), self.random.randint(1, 4)
        name = self.random.choice(NAMES)
        name = self.owner + name if self.chance(0.3) else name
        tensor = self.one(known, "tensor")
        assert tensor is not None
        if kind < 0.22:
            self.variable(indent, name, loop)
            known[name] = "variable"
        elif kind < 0.5:
            self.put(indent, f"{name} = {self.computed(tensor, known)}")
            known[name] = "tensor"
        elif kind < 0.6:
            number = self.one(known, "number")
            new = self.random.choice("km")
            text = f"{number} * 1.5" if number and self.chance(0.5) else "0.5"
            self.put(indent, f"{new} = {text}")
            known[new] = "number"
        elif kind < 0.72 and depth < 2:
            self.branch(indent, known, depth, loop, inner)
        elif kind < 0.8 and depth < 2 and not loop:
            self.put(indent, "for i in range(2):")
            there = dict(known)
            self.block(indent + 1, there, depth + 1, True, inner)
            merge(known, there, known)
        elif kind < 0.9 and depth < 3:
            self.variables += 1
            scope = self.random.choice(("variable_scope", "name_scope"))
            self.put(indent, f"with tf.{scope}('s{self.variables}'):")
            self.block(indent + 1, known, depth + 1, loop, inner)
        elif self.helpers:
            helper, makes = self.random.choice(self.helpers)
            if makes and loop:
                return
            self.variables += 1
            scope = f", 'f{self.variables}'" if makes else ""
            self.put(indent, f"{name} = {helper}({tensor}{scope})")
            known[name] = "tensor"

    def variable(self, indent: int, name: str, loop: bool) -> None:
        self.variables += 1
        value = self.random.choice(("0.1", "0.4", "-0.3"))
        said = f"'v{self.variables}" + ("_%d' % i" if loop else "'")
        made = f"tf.get_variable({said}, [3, 3], initializer=tf.constant_initializer({value}))"
        if self.chance(0.5):
            made = f"tf.Variable({value} * tf.ones([3, 3]))"
        self.put(indent, f"{name} = {made}")

    def computed(self, tensor: str, known: dict[str, str]) -> str:
        variable, number = self.one(known, "variable"), self.one(known, "number")
        forms = [f"tf.nn.relu({tensor})", f"tf.tanh({tensor})", f"{tensor} + {tensor}"]
        forms += [f"tf.matmul({tensor}, {variable})"] * 3 if variable else []
        forms += [f"{tensor} * {number}"] if number else []
        return self.random.choice(forms)

    def branch(self, indent: int, known: dict[str, str], depth: int, loop: bool, size: int) -> None:
        self.put(indent, f"if {self.random.choice(self.tests)}:")
        ways = [dict(known), dict(known)]
        self.block(indent + 1, ways[0], depth + 1, loop, size)
        if self.chance(0.6):
            self.put(indent, "else:")
            self.block(indent + 1, ways[1], depth + 1, loop, self.random.randint(1, 4))
        merge(known, *ways)

    def graph(self, indent: int, x: str) -> None:
        """What ends with `out`, from the placeholder of a name."""
        known = {x: "tensor", "w": "variable"}
        self.put(indent, "w = tf.Variable(0.2 * tf.ones([3, 3]))")
        self.block(indent, known, 0, False, self.random.randint(4, 9))
        tensor, variable = self.one(known, "tensor"), self.one(known, "variable")
        made = f"tf.matmul({tensor}, {variable})" if variable else f"{tensor} * tf.Variable(0.5)"
        self.put(indent, f"{self.owner}out = {made}")

    def trained(self, indent: int) -> None:
        own = self.owner
        name, _, rest = self.random.choice(OPTIMIZERS).partition(":")
        self.put(indent, f"{own}loss = tf.reduce_mean(tf.square({own}out - 1.))")
        self.put(indent, f"{own}train = tf.train.{name}Optimizer({rest}).minimize({own}loss)")

    def runs(self, indent: int) -> None:
        own = self.owner
        run, feed = f"{own}sess.run", f"{{{own}x: data}}"
        self.put(indent, "for step in range(4):")
        if self.chance(0.5):
            self.put(indent + 1, f"value, _ = {run}([{own}loss, {own}train], {feed})")
        else:
            self.put(indent + 1, f"{run}({own}train, feed_dict={feed})")
            self.put(indent + 1, f"value = {run}({own}loss, {feed})")
        self.put(indent + 1, "print('%.6f' % value)")
        self.put(indent, f"print(np.round({run}({own}out, {feed}), 5).tolist())")

    def holders(self, indent: int) -> None:
        self.put(indent, f"{self.owner}x = tf.placeholder(tf.float32, [None, 3])")

    def session(self, indent: int) -> None:
        self.put(indent, "data = np.array([[0.5, -1., 2.], [1., 0.2, -0.3]])")
        self.put(indent, "with tf.Session() as sess:")
        self.put(indent + 1, "sess.run(tf.global_variables_initializer())")
        self.runs(indent + 1)

    def module(self, indent: int = 0) -> None:
        self.holders(indent)
        self.graph(indent, "x")
        self.trained(indent)
        if self.chance(0.4):
            self.put(indent, f"{self.random.choice('kmaw')} = None")
        self.session(indent)

    def main(self) -> None:
        self.put(0, "def main():")
        self.module(1)
        self.put(0, "\n\nif __name__ == '__main__':\n    main()")

    def function(self) -> None:
        self.tests.append("deep")
        self.put(0, "def build(x, deep=True):")
        self.graph(1, "x")
        self.put(1, "return out\n\n")
        self.holders(0)
        self.put(0, f"out = build(x{self.random.choice(('', ', False', ', deep=False'))})")
        self.trained(0)
        self.session(0)

    def cls(self) -> None:
        self.owner = "self."
        self.tests = ["FLAG", "self.deep", "not self.deep", "self.mode == 1"]
        self.put(0, "class Model(object):\n    def __init__(self, deep=True, mode=1):")
        self.put(2, "self.deep = deep\n        self.mode = mode")
        self.holders(2)
        apart = self.chance(0.5)
        started = (
            "self.sess = tf.Session()\n        self.sess.run(tf.global_variables_initializer())"
        )
        if apart:
            self.put(2, f"self.build()\n        self.add_train()\n        {started}")
            self.put(0, "\n    def build(self):")
        self.graph(2, "self.x")
        if apart:
            self.put(0, "\n    def add_train(self):")
        self.trained(2)
        if not apart:
            self.put(2, started)
        self.put(0, "\n    def fit(self, data):")
        self.runs(2)
        self.put(0, "\n\ndata = np.array([[0.5, -1., 2.], [1., 0.2, -0.3]])")
        given = self.random.choice(("", "deep=False", "False, 2", "mode=2"))
        self.put(0, f"model = Model({given})\nmodel.fit(data)")


class Updates(Maker):
    """One program of several losses, each with variables of its own: optimizers and their updates.

    No run reads what another update of it writes: TF 1 orders none of them.
    """

    def program(self) -> str:
        self.put(0, "import numpy as np\nimport tensorflow as tf\n")
        self.put(0, "data = np.array([[0.5, -1., 2.], [1., 0.2, -0.3]], np.float32)")
        self.put(0, "x = tf.placeholder(tf.float32, [None, 3])\nrate = tf.placeholder(tf.float32)")
        losses = range(self.random.randint(2, 3))
        for i in losses:
            self.put(0, f"w{i} = tf.Variable({0.1 * (i + 1):.1f} * tf.ones([3, {i + 1}]))")
            self.put(0, f"b{i} = tf.Variable(tf.zeros([{i + 1}]), name='b{i}')")
            self.put(
                0, f"loss{i} = tf.reduce_mean(tf.square(tf.matmul(x, w{i}) + b{i} - {i + 1}.))"
            )
        counted, self.named = self.chance(0.5), set[str]()
        if counted:
            self.put(0, "count = tf.Variable(0, trainable=False, name='count')")
        optimizers: list[str] = []
        for i in losses:
            self.update(i, optimizers, counted)
        ops = self.together(len(losses))
        self.steps(ops, len(losses))
        self.put(
            0, "    print([np.round(v, 5).tolist() for v in sess.run(tf.trainable_variables())])"
        )
        if counted:
            self.put(0, "    print(sess.run(count))")
        if self.chance(0.3):
            inside = [f"    {line}" for text in self.lines[1:] for line in text.split("\n")]
            self.lines = [self.lines[0], "\ndef main():", *inside, "\n\nmain()"]
        return "\n".join(self.lines) + "\n"

    def optimizer(self, optimizers: list[str]) -> str:
        """One under a name, an earlier one, or one that is made where it is used."""
        if optimizers and self.chance(0.5):
            return self.random.choice(optimizers)
        name, _, rest = self.random.choice(
            (
                *OPTIMIZERS,
                "GradientDescent:rate",
                "RMSProp:0.01",
                "Adagrad:0.05",
                "Momentum:rate, 0.5",
            )
        ).partition(":")
        made = f"tf.train.{name}Optimizer({rest})"
        if self.chance(0.3):
            return made
        word = self.random.choice(("opt", "optimizer", "solver", "adam_opt"))
        if word in self.named:
            return made
        self.named.add(word)
        if name != "Adam":  # TF 1 doesn't order its updates
            optimizers.append(word)
        self.put(0, f"{word} = {made}")
        return word

    def update(self, i: int, optimizers: list[str], counted: bool) -> None:
        """`train{i}`, which lowers `loss{i}`."""
        own, mine = self.optimizer(optimizers), f"[w{i}, b{i}]"
        step = ", global_step=count" if counted and not i else ""  # two may lose a count
        form = self.random.randrange(5)
        if form < 2 or "(" in own:
            kept = f", var_list={mine}" if self.chance(0.6) else ""
            self.put(0, f"train{i} = {own}.minimize(loss{i}{kept}{step})")
        elif form == 2:
            pairs = self.random.choice((f"pairs{i}", "pairs", "grads_and_vars"))
            self.put(0, f"{pairs} = {own}.compute_gradients(loss{i}, {mine})")
            if self.chance(0.6):
                clipped = "(tf.clip_by_value(g, -0.5, 0.5), v)"
                self.put(0, f"{pairs} = [{clipped} for g, v in {pairs}]")
            self.put(0, f"train{i} = {own}.apply_gradients({pairs}{step})")
        elif form == 3:
            grads = self.random.choice((f"grads{i}", "gradients", "grads"))
            self.put(0, f"variables{i} = {mine}")
            self.put(0, f"{grads}, _ = tf.clip_by_global_norm(")
            self.put(1, f"tf.gradients(loss{i}, variables{i}), 0.5)")
            self.put(0, f"train{i} = {own}.apply_gradients(zip({grads}, variables{i}){step})")
        else:
            self.put(0, f"train{i} = {own}.minimize(0.5 * loss{i}, var_list={mine}{step})")

    def together(self, count: int) -> list[str]:
        """The ops that runs are given, some of them in one."""
        ops = [f"train{i}" for i in range(count)]
        form = self.random.randrange(4)
        if form == 0:
            self.put(0, f"both = tf.group({ops[0]}, {ops[1]})")
            return ["both", *ops[2:]]
        if form == 1:
            self.put(0, f"with tf.control_dependencies([{ops[0]}]):")
            self.put(1, self.random.choice((f"both = tf.group({ops[1]})", "both = tf.no_op()")))
            return ["both", *(ops[2:] or ops[1:])]
        return ops

    def steps(self, ops: list[str], count: int) -> None:
        """A session that trains."""
        feed = "{x: data, rate: 0.1}"
        self.put(0, "with tf.Session() as sess:")
        self.put(1, "sess.run(tf.global_variables_initializer())")
        self.put(1, "for step in range(4):")
        form = self.random.randrange(3)
        if form == 0:
            self.put(2, f"sess.run([{', '.join(ops)}], {feed})")
        for i, op in enumerate(ops if form else ()):
            when = form == 2 and self.chance(0.4)
            if when:
                self.put(2, f"if step % 2 == {i % 2}:")
            self.put(2 + when, f"sess.run({op}, feed_dict={feed})")
        losses = ", ".join(f"loss{i}" for i in range(count))
        self.put(2, f"print(['%.5f' % v for v in sess.run([{losses}], {feed})])")


def merge(known: dict[str, str], first: dict[str, str], second: dict[str, str]) -> None:
    """What names mean behind two ways, where both say so."""
    both = {name: what for name, what in first.items() if second.get(name) == what}
    known.clear()
    known.update(both)


class Worker:
    """An interpreter that has TensorFlow and runs programs."""

    def __init__(self, python: str, code: str = WORKER, *, equal: bool = False) -> None:
        folders = (ROOT, Path(__file__).resolve().parent)
        quiet = {
            **os.environ,
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
        }
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [python, "-W", "ignore", "-c", code.replace("EQUAL", str(equal))],
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
            env=quiet,
        )
        self.answer()

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def run(self, program: Path, out: Path) -> str:
        """How a program ends, "" where well; what it prints goes to a file."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{program}\t{out}\n")
        self.process.stdin.flush()
        ended = self.answer()
        return {"0": "", str(int(signal.SIGALRM)): "no end in time"}.get(ended, "fails")


def same(first: str, second: str) -> bool:
    """Whether two outputs have the same words, and numbers that differ by rounding at most."""
    if NUMBER.sub("#", first).split() != NUMBER.sub("#", second).split():
        return False
    pairs = zip(NUMBER.findall(first), NUMBER.findall(second), strict=True)
    return all(close(float(a), float(b)) for a, b in pairs)


def close(a: float, b: float) -> bool:
    return a == b or (a != a and b != b) or abs(a - b) <= 1e-5 + 1e-3 * max(abs(a), abs(b))


def compared(
    seed: int, one: Worker, two: Worker, folder: Path, maker: type[Maker | Runs | Nets] = Maker
) -> str:
    """What became of a seed's program."""
    before, after = folder / f"{seed}_before.py", folder / f"{seed}_after.py"
    outs = [folder / f"{seed}_{side}.txt" for side in ("1.15", "2.21")]
    before.write_text(maker(seed).program(), encoding="utf-8")
    if one.run(before, outs[0]):
        return "no program of TF 1"
    result: FileResult
    (result,) = texts({str(before): before.read_bytes()}, Options())
    after.write_bytes(result.after or before.read_bytes())
    level = "native" if result.level is Level.NATIVE else "compat"
    if "in the rewriter" in " ".join(f.message for f in result.left):
        return f"{level}, an error of the rewriter"
    if ended := two.run(after, outs[1]):
        return f"{level}, {ended}"
    alike = same(*(out.read_text(encoding="utf-8") for out in outs))
    return f"{level}, same" if alike else f"{level}, other numbers"


def main() -> int:
    """Run the seeds, print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--count", type=int, default=100, metavar="N")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--updates", action="store_true", help="several losses and optimizers")
    parser.add_argument("--runs", action="store_true", help="what is done around a training step")
    parser.add_argument("--layers", action="store_true", help="nets of layers and cells")
    options = parser.parse_args()
    tf1 = find_tf1(None)
    if tf1 is None:
        parser.error("no Python with TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON")
    pythons = (str(tf1.path), sys.executable)
    one, two = (Worker(python, equal=options.layers) for python in pythons)
    counts: collections.Counter[str] = collections.Counter()
    makers = ((options.runs, Runs), (options.layers, Nets), (options.updates, Updates))
    maker = next((made for asked, made in makers if asked), Maker)
    with tempfile.TemporaryDirectory(prefix="made-up-") as made:
        folder = (options.keep or Path(made)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(options.first, options.first + options.count):
            found = compared(seed, one, two, folder, maker)
            counts[found] += 1
            if not found.endswith(("same", "TF 1")):
                print(f"seed {seed}: {found}", flush=True)
    for found, number in counts.most_common():
        print(f"{number:6}  {found}")
    return int(any(not found.endswith(("same", "TF 1")) for found in counts))


if __name__ == "__main__":
    sys.exit(main())
