"""A run in a loop, and what a monitored session and its hooks do around it, as lines.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SessionRunHook
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues.arguments import none, step_name
from migrate.rewriters.sessions.queues.module import Module

COUNTS = ("minimize", "apply_gradients", "optimize_loss", "create_train_op")
BASENAME = "model.ckpt"


@dataclass(slots=True, eq=False, repr=False)
class Round:
    """The run in a monitored session's loop, and what comes around it."""

    module: Module
    free: Callable[[str], str]  # a name that nothing has
    session: str
    loop: ast.For | ast.While
    site: ast.Assign | ast.Expr
    others: str = ""  # the text of the program's other files
    ahead: list[str] = field(default_factory=list)  # before the session
    begins: list[str] = field(default_factory=list)  # when it is open, before the loop
    tops: list[str] = field(default_factory=list)  # a round begins with
    befores: list[str] = field(default_factory=list)  # right before the run
    afters: list[str] = field(default_factory=list)  # right after it
    stops: list[str] = field(default_factory=list)  # what ends the loop after a round
    ends: list[str] = field(default_factory=list)  # after the loop
    saver: str = ""  # the Saver that the session uses
    fetched: dict[str, str] = field(default_factory=dict)  # names of what is run, by its text
    more: list[tuple[str, str]] = field(default_factory=list)  # what is run besides, its name

    def __post_init__(self) -> None:
        target = self.target
        pairs: list[tuple[ast.expr, ast.expr | None]] = [(self.fetches, target)]
        if isinstance(self.fetches, (ast.List, ast.Tuple)) and isinstance(target, ast.Tuple):
            pairs = list(zip(self.fetches.elts, target.elts, strict=False))
        for fetch, to in pairs:
            if isinstance(to, ast.Name) and to.id != "_":
                self.fetched[ast.unparse(fetch)] = to.id

    @property
    def call(self) -> ast.Call:
        """The run."""
        assert isinstance(self.site.value, ast.Call)
        return self.site.value

    @property
    def fetches(self) -> ast.expr:
        """What is run."""
        given = [k.value for k in self.call.keywords if k.arg == "fetches"]
        return (self.call.args or given)[0]

    @property
    def target(self) -> ast.expr | None:
        """What the results are assigned to."""
        return self.site.targets[0] if isinstance(self.site, ast.Assign) else None

    # -- what is run besides ----------------------------------------------------------------

    def value(self, node: ast.expr) -> str:
        """What a run gives for tensors.

        Raises:
            Blocked: which ones these are isn't seen.
        """
        if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
            inner = ", ".join(map(self.value, node.elts))
            return f"[{inner}]" if isinstance(node, ast.List) else f"({inner},)"
        if isinstance(node, ast.Dict) and None not in node.keys:
            pairs = zip(node.keys, node.values, strict=True)
            shown = (f"{self.module.source(k)}: {self.value(v)}" for k, v in pairs if k is not None)
            return "{" + ", ".join(shown) + "}"
        if not isinstance(node, (ast.Name, ast.Attribute)) or not simple(node):
            raise Blocked(node, "what a hook looks at isn't a tensor under a name")
        text = ast.unparse(node)
        if text not in self.fetched:
            self.fetched[text] = self.also(text, f"{text.rpartition('.')[2]}_value")
        return self.fetched[text]

    def also(self, source: str, wish: str) -> str:
        """The name of what is run besides."""
        name = self.free(wish)
        self.more.append((source, name))
        return name

    def run(self) -> list[tuple[ast.AST, str]]:
        """The run with what is fetched besides: what becomes what."""
        if not self.more:
            return []
        fetches, target, source = self.fetches, self.target, self.module.source
        sources = ", ".join(source for source, _ in self.more)
        names = ", ".join(name for _, name in self.more)
        inner, head = source(fetches), "_"
        if isinstance(fetches, (ast.List, ast.Tuple)) and fetches.elts:
            if target is None:
                inner = ", ".join(map(source, fetches.elts))
                head = ", ".join("_" * len(fetches.elts))
            elif isinstance(target, ast.Tuple):
                inner = ", ".join(map(source, fetches.elts))
        if target is not None:
            head = source(target)
            if isinstance(target, ast.Tuple):
                head = ", ".join(map(source, target.elts))
                head = f"({head})" if inner == source(fetches) else head
        new = f"{head}, {names} = "
        found: list[tuple[ast.AST, str]] = [(fetches, f"[{inner}, {sources}]")]
        if target is not None:
            found.append((target, new.removesuffix(" = ")))
        return found

    def head(self) -> str:
        """What a run that nothing was assigned to is assigned to now."""
        if self.target is not None or not self.more:
            return ""
        fetches = self.fetches
        listed = isinstance(fetches, (ast.List, ast.Tuple)) and fetches.elts
        marks = ["_"] * (len(listed) if listed else 1)
        return ", ".join([*marks, *(name for _, name in self.more)]) + " = "

    # -- hooks ------------------------------------------------------------------------------

    def step(self, *, counted: bool = False) -> str:
        """The global step's variable; ``counted``: it goes on by one a run.

        Raises:
            Blocked: it has no name here, or more than one train op counts.
        """
        module, found = self.module, step_name(self.module, self.call)
        if not found:
            raise Blocked(self.call, "a hook that counts steps, which have no one name")
        own = module.scope(self.call)
        counts = _counts(own) or _counts(module.tree) or _counts(ast.parse(self.others))
        if counted and len(counts) != 1:
            raise Blocked(self.call, "a hook that counts steps, which no one train op counts")
        return found

    def saves(
        self, folder: ast.expr, saver: str, seconds: str = "", steps: str = ""
    ) -> tuple[str, str]:
        """Checkpoints at the start, by the clock or by steps, and at the end.

        Returns when the first is due and when the next, as statements: of those that were put
        into ``begins``, the first is the last.
        """
        module, unit = self.module, self.module.text.unit
        step = self.step(counted=bool(steps))
        path = joined(module, folder, BASENAME)
        if not isinstance(folder, ast.Constant):
            self.module.needs("os")
        save = f"{saver}.save({self.session}, {path}, global_step={step})"
        due, now = self.free("next_save"), f"{self.session}.run({step})"
        self.begins.append(f"{due} = 0")
        if seconds:
            self.module.needs("time")
            now = "time.time()"
        period = seconds or steps
        after = f"{due} = {now} + {period}"
        self.tops += [f"if {now} >= {due}:", f"{unit}{save}", f"{unit}{after}"]
        self.ends.append(save)
        return f"{due} = 0", after

    def writes(self, folder: ast.expr | None, writer: str, op: str, steps: str) -> None:
        """Summaries every so many steps."""
        module, unit = self.module, self.module.text.unit
        variable = self.step(counted=True)
        if not writer:
            assert folder is not None
            writer = self.free("summary_writer")
            self.ahead.append(f"{writer} = {module.tf}.summary.FileWriter({module.source(folder)})")
        if not op:
            op = self.free("summary_op")
            self.ahead.append(f"{op} = {module.tf}.summary.merge_all()")
        summary, step, due = self.also(op, "summary"), self.free("step"), self.free("next_summary")
        self.begins.append(f"{due} = 0")
        self.afters += [
            f"{step} = {self.session}.run({variable})",
            f"if {step} >= {due}:",
            f"{unit}{writer}.add_summary({summary}, {step})",
            f"{unit}{due} = {step} + {steps}",
        ]
        self.ends.append(f"{writer}.flush()")

    def stops_at(self, last: str, more: str) -> None:
        """The loop ends at a step, or after so many."""
        step = f"{self.session}.run({self.step()})"
        if more:
            last = self.free("last_step")
            self.begins.append(f"{last} = {step} + {more}")
        self.stops.append(f"{step} >= {last}")

    def logs(self, text: str, values: list[str], runs: str, seconds: str) -> None:
        """A line of the log every so many runs or seconds."""
        module, unit = self.module, self.module.text.unit
        line = f"{module.tf}.logging.info({', '.join([text, *values])})"
        if seconds:
            self.module.needs("time")
            due = self.free("next_log")
            self.begins.append(f"{due} = 0")
            self.afters += [f"if time.time() >= {due}:", f"{unit}{line}"]
            self.afters.append(f"{unit}{due} = time.time() + {seconds}")
        else:
            count = self.free("runs")
            self.begins.append(f"{count} = 0")
            self.afters += [f"if {count} % {runs} == 0:", f"{unit}{line}", f"{count} += 1"]

    def ends_at_nan(self, loss: ast.expr, fails: bool) -> None:
        """A loss that isn't a number is an error, or ends the loop."""
        module, unit = self.module, self.module.text.unit
        test = f"{self._nan()}({self.value(loss)})"
        if fails:
            error = f'{unit}raise RuntimeError("NaN loss during training.")'
            self.afters += [
                f"if {test}:",
                f'{unit}{module.tf}.logging.error("Model diverged with loss = NaN.")',
                error,
            ]
        else:
            warning = f'{unit}{module.tf}.logging.warning("Model diverged with loss = NaN.")'
            self.afters += [f"if {test}:", warning]
            self.stops.append(test)

    def _nan(self) -> str:
        for stmt in self.module.tree.body:
            for alias in stmt.names if isinstance(stmt, ast.Import) else ():
                if alias.name == "numpy":
                    return f"{alias.asname or 'numpy'}.isnan"
        self.module.needs("math")
        return "math.isnan"


def _counts(scope: ast.AST) -> list[ast.expr]:
    """The arguments that have train ops count steps."""
    found = []
    for n in walk(scope):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in COUNTS:
            found += n.args[1:2] if n.func.attr in COUNTS[:2] else []
            found += [k.value for k in n.keywords if k.arg == "global_step" and not none(k.value)]
    return found


def simple(node: ast.AST) -> bool:
    """Whether an expression is a name, a constant, or attributes of a name."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, (ast.Name, ast.Constant))


def joined(module: Module, folder: ast.expr, name: str) -> str:
    """A file's path in a folder."""
    if isinstance(folder, ast.Constant):
        return repr(f"{str(folder.value).rstrip('/')}/{name}")
    return f'os.path.join({module.source(folder)}, "{name}")'
