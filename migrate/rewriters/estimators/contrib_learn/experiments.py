"""contrib.learn's Experiments in words of `tf.estimator`: `train_and_evaluate` with two specs.

    def build(run_config, hparams):                    def build(run_config, hparams):
        net = tf.estimator.Estimator(…)                    net = tf.estimator.Estimator(…)
        return learn.Experiment(net, train, test)          tf.estimator.train_and_evaluate(net, …)

    learn_runner.run(build, run_config=config)         build(config, None)

A function that only makes such a function, `learn_runner.run(make(rate=0.1), …)`, is the one that
it makes, with its own arguments behind. TF 1.15.5 looks for a new checkpoint every five seconds and
evaluates it: an EvalSpec's `throttle_secs`.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/learn/python/learn/experiment.py
"""

from __future__ import annotations

import ast
import io
import textwrap
import tokenize
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import children, walk
from migrate.rewriters.sessions.text import Text

LEARN = "tensorflow.contrib.learn."
ORDER = (
    "estimator",
    "train_input_fn",
    "eval_input_fn",
    "eval_metrics",
    "train_steps",
    "eval_steps",
)
RUN = ("experiment_fn", "output_dir", "schedule", "run_config", "hparams")
TRAIN = {"train_input_fn": "input_fn", "train_steps": "max_steps", "train_monitors": "hooks"}
TEST = {"eval_input_fn": "input_fn", "eval_steps": "steps", "eval_hooks": "hooks"}
# What other schedules read, and how often `check_interval_secs` looks for a checkpoint.
OTHERS = ("local_eval_frequency", "eval_delay_secs", "continuous_eval_throttle_secs")
SECONDS = "check_interval_secs"
# Fields that RunConfigs of contrib.learn share with those of tf.estimator, with their defaults.
FIELDS = frozenset(
    """
    model_dir tf_random_seed save_summary_steps save_checkpoints_secs save_checkpoints_steps
    keep_checkpoint_max keep_checkpoint_every_n_hours session_config log_step_count_steps
    """.split()  # noqa: SIM905
)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def edits(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """The edits of one file; none where one of its Experiments can't be said otherwise."""
    try:
        yield from Experiments(tree, text, called).edits()
    except _Unsaid:
        return


class _Unsaid(Exception):
    """An Experiment that has no other words."""


class Experiments:
    """Those of one file."""

    def __init__(
        self, tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]
    ) -> None:
        self.tree, self.text, self.called = tree, text, called
        self.nodes = list(walk(tree))
        self.parents = {id(c): n for n in self.nodes for c in children(n)}
        self.calls = [n for n in self.nodes if isinstance(n, ast.Call)]
        self.made = [n for n in self.calls if _is(called(n), "Experiment")]
        self.written: list[ast.Call] = []  # those of functions that a run has already
        self.tf = next(
            (
                a.asname or a.name
                for n in self.nodes
                if isinstance(n, ast.Import)
                for a in n.names
                if a.name == "tensorflow"
            ),
            "",
        )

    def edits(self) -> list[Edit]:
        """All of them.

        Raises:
            _Unsaid: one has no other words.
        """
        if not self.made or not self.tf:
            return []
        runs = [n for n in self.calls if _is(self.called(n), "run")]
        found: list[Edit] = []
        seen: list[ast.Call] = []
        for run in runs:
            made, edits = self._run(run)
            seen.append(made)
            found += edits
        for made in self.made:
            if made not in seen:
                found += self._alone(made)
        if any(self._says(e) for e in found):
            raise _Unsaid
        for node in self.calls:
            if self.called(node) == LEARN + "RunConfig":
                start, end = self.text.index.span(node.func)
                inside = any(e.start <= start and end <= e.end for e in found)
                if not inside and self._plain(node):
                    found.append(Edit(start, end, f"{self.tf}.estimator.RunConfig"))
        return found

    def _says(self, edit: Edit) -> bool:
        """Whether a comment would go with what an edit replaces."""
        old, new = self._comments(self.text.text[edit.start : edit.end]), self._comments(edit.new)
        return any(new.count(one) < old.count(one) for one in old)

    def _comments(self, text: str) -> list[str]:
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(textwrap.dedent(text)).readline))
        except (tokenize.TokenError, IndentationError, SyntaxError):
            return [line for line in text.splitlines() if "#" in line]
        return [t.string for t in tokens if t.type == tokenize.COMMENT]

    def _run(self, run: ast.Call) -> tuple[ast.Call, list[Edit]]:
        """`learn_runner.run(build, run_config=config)`: a call of `build`, which trains."""
        given = _given(run, RUN)
        builder = given.pop("experiment_fn", None)
        schedule = given.pop("schedule", None)
        told = schedule is None or getattr(schedule, "value", "") in (None, "train_and_evaluate")
        if not told or not isinstance(self.parents[id(run)], ast.Expr):
            raise _Unsaid
        outer, inner = self._functions(builder)
        params = [a.arg for a in inner.args.args]
        wanted = ["output_dir"] if "output_dir" in given else ["run_config", "hparams"]
        if sorted(params) != sorted(wanted) or not given.keys() <= set(wanted):
            raise _Unsaid
        if inner.args.vararg or inner.args.kwarg or inner.args.kwonlyargs or inner.decorator_list:
            raise _Unsaid
        made, edits = self._returned(inner)
        first = made not in self.written
        self.written.append(made)
        values = [self.text.source(given[p]) if p in given else "None" for p in params]
        if outer is not None:
            assert isinstance(builder, ast.Call)
            values += [self.text.source(n) for n in (*builder.args, *builder.keywords)]
            edits = [self._lifted(outer, inner, edits)] if first else []
        elif not first:
            edits = []
        start = self.text.index.span(run)[0]
        call = f"{inner.name}({', '.join(values)})"
        config = given.get("run_config")
        if config is not None and isinstance(config, ast.Call) and self._plain(config):
            own = self.text.source(config.func)
            call = call.replace(own + "(", f"{self.tf}.estimator.RunConfig(", 1)
        edits.append(Edit(start, self.text.index.span(run)[1], call))
        return made, edits

    def _plain(self, node: ast.Call) -> bool:
        """Whether a RunConfig of contrib.learn is one of tf.estimator."""
        known = self.called(node) == LEARN + "RunConfig" and not node.args
        return known and {k.arg for k in node.keywords} <= FIELDS

    def _functions(self, node: ast.expr | None) -> tuple[ast.FunctionDef | None, ast.FunctionDef]:
        """What makes an Experiment, and what makes that function, if anything does."""
        called = node.func if isinstance(node, ast.Call) else node
        if not isinstance(called, ast.Name):
            raise _Unsaid
        function = self._only(called.id)
        if not isinstance(node, ast.Call):
            return None, function
        body = [s for s in function.body if not _is_text(s)]
        if len(body) != 2:
            raise _Unsaid
        inner, last = body[0], body[1]
        if not isinstance(inner, ast.FunctionDef) or not isinstance(last, ast.Return):
            raise _Unsaid
        if getattr(last.value, "id", "") != inner.name:
            raise _Unsaid
        own = {a.arg for a in inner.args.args} & {a.arg for a in function.args.args}
        if sum(inner.name == getattr(n, "name", None) for n in self.nodes) > 1 or own:
            raise _Unsaid
        return function, inner

    def _only(self, name: str) -> ast.FunctionDef:
        """The one function of a name that only runs read."""
        found = [n for n in self.nodes if getattr(n, "name", None) == name]
        uses = [n for n in self.nodes if isinstance(n, ast.Name) and n.id == name]
        if len(found) != 1 or not isinstance(found[0], ast.FunctionDef):
            raise _Unsaid
        if not all(self._is_run(use) for use in uses):
            raise _Unsaid
        return found[0]

    def _is_run(self, use: ast.Name) -> bool:
        """Whether a name is what is run, or makes it."""
        above = self.parents[id(use)]
        if isinstance(above, ast.Call) and above.func is use:
            above = self.parents[id(above)]
        above = self.parents[id(above)] if isinstance(above, ast.keyword) else above
        return isinstance(above, ast.Call) and _is(self.called(above), "run")

    def _lifted(self, outer: ast.FunctionDef, inner: ast.FunctionDef, edits: list[Edit]) -> Edit:
        """The inner function in the outer one's place, with both their arguments."""
        whole, piece = self.text.piece(outer), self.text.piece(inner)
        replaced = [(e.start, e.end, e.new) for e in edits]
        more = ast.unparse(outer.args)
        if more:
            at = self.text.index.span(inner.args.args[-1])[1]
            replaced.append((at, at, f", {more}"))
        text = self.text.render(piece.first, piece.last, piece.indent, whole.indent, replaced)
        said = (ast.get_docstring(outer) or "").splitlines()
        text = "".join(f"{whole.indent}# {line}".rstrip() + "\n" for line in said) + text
        end = self.text.start(whole.last + 1)
        return Edit(self.text.start(whole.line), end, text)

    def _returned(self, function: ast.FunctionDef) -> tuple[ast.Call, list[Edit]]:
        """The Experiment that a function makes and returns: it trains, and returns nothing."""
        own = [n for n in _own(function) if isinstance(n, ast.Return)]
        last = function.body[-1]
        if len(own) != 1 or own[0] is not last or last.value is None:
            raise _Unsaid
        assert isinstance(last, ast.Return)
        made = last.value
        if isinstance(made, ast.Call) and made in self.made:
            return made, [Edit(*self.text.index.span(last), self._written(made))]
        if not isinstance(made, ast.Name) or len(function.body) < 2:
            raise _Unsaid
        stmt = function.body[-2]
        names = [n for n in _own(function) if isinstance(n, ast.Name) and n.id == made.id]
        value = stmt.value if isinstance(stmt, ast.Assign) else None
        if (
            len(names) != 2
            or not isinstance(value, ast.Call)
            or not any(value is m for m in self.made)
        ):
            raise _Unsaid
        start, end = self.text.index.span(stmt)[0], self.text.index.span(last)[1]
        return value, [Edit(start, end, self._written(value))]

    def _alone(self, made: ast.Call) -> list[Edit]:
        """`learn.Experiment(…).train_and_evaluate()`, or by a name, right below."""
        above = self.parents[id(made)]
        if isinstance(above, ast.Attribute):
            call = self._trains(above)
            return [Edit(*self.text.index.span(call), self._written(made))]
        if not isinstance(above, ast.Assign) or len(above.targets) != 1:
            raise _Unsaid
        target = above.targets[0]
        if not isinstance(target, ast.Name):
            raise _Unsaid
        uses = [n for n in self.nodes if isinstance(n, ast.Name) and n.id == target.id]
        read = next((n for n in uses if n is not target), None)
        if len(uses) != 2 or read is None or not isinstance(self.parents[id(read)], ast.Attribute):
            raise _Unsaid
        call = self._trains(self.parents[id(read)])
        stmt = self.parents[id(call)]
        body = next(
            (
                b
                for n in self.nodes
                for b in (getattr(n, "body", None), getattr(n, "orelse", None))
                if isinstance(b, list) and above in b
            ),
            [],
        )
        if stmt not in body or body.index(stmt) != body.index(above) + 1:
            raise _Unsaid
        start, end = self.text.index.span(above)[0], self.text.index.span(stmt)[1]
        return [Edit(start, end, self._written(made))]

    def _trains(self, node: ast.AST) -> ast.Call:
        """The statement's call of `train_and_evaluate` that a node is the function of."""
        call = self.parents[id(node)]
        known = isinstance(node, ast.Attribute) and node.attr == "train_and_evaluate"
        if not known or not isinstance(call, ast.Call) or call.func is not node:
            raise _Unsaid
        if call.args or call.keywords or not isinstance(self.parents[id(call)], ast.Expr):
            raise _Unsaid
        return call

    def _written(self, made: ast.Call) -> str:
        """What trains and evaluates, as an Experiment did."""
        given = _given(made, ORDER)
        for name in [n for n, v in given.items() if _is_none(v)]:
            if name not in ("eval_steps", "train_steps"):
                del given[name]
        for name in OTHERS:
            given.pop(name, None)
        often = given.pop("min_eval_frequency", None)
        every = given.pop(SECONDS, None)
        estimator = given.pop("estimator", None)
        if estimator is None or not {"train_input_fn", "eval_input_fn"} <= given.keys():
            raise _Unsaid
        if not given.keys() <= TRAIN.keys() | TEST.keys():
            raise _Unsaid
        train = [f"{TRAIN[n]}={self.text.source(v)}" for n, v in given.items() if n in TRAIN]
        test = [f"{TEST[n]}={self.text.source(v)}" for n, v in given.items() if n in TEST]
        net, of = self.text.source(estimator), f"{self.tf}.estimator."
        if often is not None and getattr(often, "value", None) == 0:
            if not isinstance(estimator, ast.Name):
                raise _Unsaid
            if "eval_steps" not in given:
                test.append("steps=100")
            stmt: ast.AST = made
            while not isinstance(stmt, ast.stmt):
                stmt = self.parents[id(stmt)]
            line = self.text.lines[stmt.lineno - 1]
            indent = line[: len(line) - len(line.lstrip())]
            first = f"{net}.train({', '.join(train)})"
            return f"{first}\n{indent}{net}.evaluate({', '.join(test)})"
        if often is not None and getattr(often, "value", None) != 1:
            raise _Unsaid
        test.append(f"throttle_secs={self.text.source(every) if every is not None else '5'}")
        specs = f"{of}TrainSpec({', '.join(train)}), {of}EvalSpec({', '.join(test)})"
        return f"{of}train_and_evaluate({net}, {specs})"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is(name: str, what: str) -> bool:
    """Whether an endpoint is an Experiment, or what runs one."""
    if not name.startswith(LEARN):
        return False
    return name.endswith(".learn_runner.run" if what == "run" else f".{what}")


def _given(call: ast.Call, order: tuple[str, ...]) -> dict[str, ast.expr]:
    """A call's arguments by name."""
    if len(call.args) > len(order) or any(isinstance(a, ast.Starred) for a in call.args):
        raise _Unsaid
    given = dict(zip(order, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            raise _Unsaid
        given[keyword.arg] = keyword.value
    return given


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What stands in a function, but not in those that it defines."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, SCOPES):
            stack.extend(children(node))


def _is_text(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
