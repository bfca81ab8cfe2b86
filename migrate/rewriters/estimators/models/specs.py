"""A model_fn read three times, once for each mode: its statements and its EstimatorSpecs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from typing import cast

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.optimizing.training_helpers import Inlinable
from migrate.programs.graph.wording.spelled import Spelled
from migrate.rewriters.estimators.callbacks import hooks, summary_hooks
from migrate.rewriters.estimators.evaluation import derived_metrics, metrics
from migrate.rewriters.estimators.heads_and_columns import heads
from migrate.rewriters.estimators.models import scaffolds
from migrate.rewriters.estimators.models.halves import Halves
from migrate.rewriters.estimators.models.layers import RESERVED
from migrate.rewriters.estimators.models.modes import MODES, Mode, Tests
from migrate.rewriters.estimators.naming import named, named_known
from migrate.rewriters.estimators.optimizing import (
    averages,
    optimize_loss,
    own_optimizers,
    several,
    total_losses,
    train_branches,
    training,
)
from migrate.rewriters.estimators.optimizing.training import Update, method
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.runs import predicted, read_configs, tpu
from migrate.rewriters.estimators.syntax import reads, simple, stores, walk_own

SPECS = frozenset({"tensorflow.estimator.EstimatorSpec"}) | tpu.SPECS
SHOWN = frozenset(f"tensorflow.summary.{kind}" for kind in ("image", "audio", "text"))
PARAMETERS = ("features", "labels", "mode", "params", "config")
HOOKS = ("training_hooks", "training_chief_hooks", "evaluation_hooks", "prediction_hooks")
TRAINS = ("minimize", "apply_gradients", "compute_gradients")
NEEDS = {"train": ("loss", "train_op"), "eval": ("loss",), "predict": ("predictions",)}


class Specs(Halves):
    """What each mode of a model_fn executes and returns."""

    def __init__(
        self, program: Program, function: ast.FunctionDef, extra: frozenset[str] = frozenset()
    ) -> None:
        args = function.args
        names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        if args.vararg or args.kwarg or function.decorator_list:
            raise Blocked(function, "a model_fn with these arguments or a decorator")
        for name in names:
            if name not in PARAMETERS and name not in extra:
                raise Blocked(function, f"a model_fn with an argument `{name}`")
        known = {"features", "labels", "mode", "config", *RESERVED}
        if wrong := sorted((extra - set(names)) | (extra & known)):
            raise Blocked(function, f"`{wrong[0]}`, which is bound to a model_fn")
        self.extra = extra  # arguments that a `functools.partial` gives it
        self.arguments = [n for n in names if n in ("params", "config") or n in extra]
        if "config" in self.arguments and "config" in {n for s in function.body for n in reads(s)}:
            read_configs.spelled(program, function)
        self.arguments = [n for n in self.arguments if n != "config"]
        flags: dict[str, ast.expr] = {}
        tests = Tests("mode" if "mode" in names else None, program.endpoint, flags)
        super().__init__(program, function, tests, updates=_updates(program, function))
        self.flagged(flags)
        self.own = set(self.arguments)
        if (begins := named_known.begins(program, function)) or program.by_name:
            self.by_name = named.Named(self, begins=begins)
        self.users: list[ast.expr] = []
        self.written: dict[int, tuple[str, ast.expr, ast.expr]] = {}  # summaries, by call
        self.says_loss = False  # whether a summary of its own has the tag of an Estimator's
        self.shared = False  # whether its RunConfig is a dict that goes through the program
        self.saved = False  # whether it has a folder for its checkpoints
        self.metrics: list[metrics.Metric] = []
        self.derived: list[derived_metrics.Derived] = []  # what it computes of them
        self.shown: dict[int, metrics.Metric] = {}  # metrics of training, by their summaries' calls
        self.summaries: dict[int, ast.Call] = {}  # of training, by statement
        self.lists: dict[int, list[str]] = {}
        self.update: Update | None = None
        self.twice = False  # whether its train op counts each step twice
        self.moved: dict[str, ast.Call] = {}  # averages that its train op moves
        self.optimizers: set[str] = set()  # of `tf.train`, those that may be its own
        self.chosen: list[tuple[list[ast.stmt], str, ast.Call | None]] = []  # its optimizers
        self.lean: set[int] = set()  # rates that a step gives optimizers that statements make
        self.hooked: list[ast.expr] = []  # lists of hooks of its spec for training
        self.spec_hooks: list[ast.expr] = []
        self.watching: dict[Mode, list[ast.expr]] = {}  # those of evaluations and predictions
        self.callbacks: dict[Mode, list[str]] = {}  # what hooks are
        self.savers: list[summary_hooks.Saver] = []
        self.keep = ""  # how many checkpoints a Saver of its own keeps
        self.told: dict[str, ast.expr] = {}  # what hooks ask for of a step, by key
        self.head: heads.Head | None = None
        self.computed: dict[int, Callable[[], str]] = {}  # what its head computes, by expression
        self.joined: set[str] = set()  # names of a metric_fn, which is written in place
        self.mean = ""  # the attribute that holds the mean loss
        self.forward: list[ast.stmt] = []  # what is `call`'s
        self.outputs: list[str] = []  # what `call` returns
        self.steps: dict[Mode, list[ast.stmt]] = {}
        self.bodies: dict[Mode, list[ast.stmt]] = {}
        self.specs: dict[Mode, dict[str, ast.expr]] = {}
        self.unwritten: set[int] = set()  # summaries in branches that stay without them
        ends = [m for m in MODES if self._ended(m)[1] is not None]
        if ends[:1] == ["train"] and len(ends) > 1:
            tests.modes = tuple(ends)  # what another mode would do is nobody's
        for mode in MODES:
            body, spec = self._ended(mode)
            fields = self.fields(spec, body, mode) if spec is not None else None
            if fields is not None:
                self.bodies[mode], self.specs[mode] = body, fields
        self.modes = [m for m in MODES if m in self.specs]
        if not self.modes:
            raise Blocked(function, "a model_fn whose EstimatorSpec isn't seen")
        total_losses.spelled(self, SPECS)
        self.tensors, self.labelled = {"features", "labels"}, {"labels"}
        if self.by_name is not None:
            self.tensors |= self.by_name.objects
        self.classify(s for m in self.modes for s in self.bodies[m])
        self.keyed = "predict" in self.specs and predicted.keyed(self)
        self.name = program.free(function, _class_name(function.name))

    # -- modes --------------------------------------------------------------------------------

    def _ended(self, mode: Mode) -> tuple[list[ast.stmt], ast.expr | None]:
        """What a mode executes, and what it returns: not a name that only other modes bind."""
        body, spec = self.specialised(self.function.body, mode)
        if isinstance(spec, ast.Name) and not any(spec.id in stores(s) for s in body):
            if any(spec.id in stores(s) for s in self.function.body):
                return body, None  # Python raises there
        return body, spec

    def specialised(
        self, body: Iterable[ast.stmt], mode: Mode
    ) -> tuple[list[ast.stmt], ast.expr | None]:
        """What of a body a mode executes, and what it returns."""
        found: list[ast.stmt] = []
        for stmt in body:
            if isinstance(stmt, ast.Return):
                return found, stmt.value
            if isinstance(stmt, ast.Raise):
                return found, None
            if isinstance(stmt, ast.With) and self.flat(stmt):
                inner, spec = self.specialised(stmt.body, mode)
                found.extend(inner)
                if spec is not None:
                    return found, spec
                continue
            if isinstance(stmt, ast.If):
                known = self.tests.value(stmt.test, mode)
                if known is not None and not self.switched_forward(stmt):
                    inner, spec = self.specialised(stmt.body if known else stmt.orelse, mode)
                    found.extend(inner)
                    if spec is not None or self._raises(stmt, mode):
                        return found, spec
                    continue
            if isinstance(stmt, ast.Assert) and self.tests.value(stmt.test, mode):
                continue
            if target(stmt) in self.tests.flags or docstring(stmt):
                continue
            if tpu.wraps(self.program, stmt):
                continue
            if any(isinstance(n, ast.Return) for s in simple(stmt) for n in _same(s)):
                raise Blocked(stmt, "what a model_fn returns depends on more than its mode")
            found.append(stmt)
        return found, None

    def _raises(self, stmt: ast.stmt, mode: Mode) -> bool:
        """Whether a mode ends in what a statement raises."""
        if not isinstance(stmt, ast.If):
            return isinstance(stmt, ast.Raise)
        known = self.tests.value(stmt.test, mode)
        body = stmt.body if known else stmt.orelse
        return known is not None and any(self._raises(s, mode) for s in body)

    def switched_forward(self, stmt: ast.If) -> bool:
        """Whether a branch on training is part of the forward pass: it stays one, in `call`."""
        if not self.tests.switches_by(stmt.test):
            return False
        body = (*stmt.body, *stmt.orelse)
        shown = [s for s in body if isinstance(s, ast.Expr) and self.shows(s.value)]
        inner = [n for s in body if s not in shown for n in walk_own(s)] + [*walk(stmt.test)]
        switched = not any(
            isinstance(n, (ast.Return, ast.Raise))
            or (isinstance(n, ast.Name) and n.id == "labels")
            or method(n, *TRAINS)
            or self._trains_by(n)
            or training.is_optimizer(self.program.called(n))
            or self.program.called(n) in optimize_loss.TAKEN
            or self.program.called(n).startswith(
                ("tensorflow.summary.", "tensorflow.train.", "tensorflow.metrics.")
            )
            for n in inner
        ) and bool(stores(stmt))
        branches = [branch for branch in (stmt.body, stmt.orelse) if branch]
        switched &= all(any(s not in shown for s in branch) for branch in branches)
        for each in shown if switched else ():
            if id(each) not in self.dropped:
                self.program.say(each, "this summary isn't written")
            self.dropped.add(id(each))
            self.unwritten.add(id(each.value))
        return switched

    def _trains_by(self, node: ast.AST) -> bool:
        """Whether a function of the program that is called here trains what it is given."""
        function = self.program.scopes.function(node.func) if isinstance(node, ast.Call) else None
        return function is not None and any(method(n, *TRAINS) for n in walk(function))

    def shows(self, node: ast.expr) -> bool:
        """Whether an expression is a summary of a kind that no step writes."""
        return self.program.called(node) in SHOWN

    def fields(
        self, node: ast.expr, body: list[ast.stmt], mode: Mode
    ) -> dict[str, ast.expr] | None:
        """The fields of the EstimatorSpec of a mode; None if it lacks what the mode needs.

        TF 1 raises where an Estimator without it trains, evaluates or predicts.

        Raises:
            Blocked: it isn't seen, or has fields that aren't followed.
        """
        value = self.resolved(node, body)
        if isinstance(value, ast.Call) and heads.creates(value):
            return heads.fields(self, value, body, mode)
        endpoint = self.program.called(value)
        if endpoint not in SPECS or not isinstance(value, ast.Call):
            self.helper(value)
            raise Blocked(node, "what a model_fn returns isn't an EstimatorSpec that is seen")
        given = self.program.given(value, endpoint)
        given.pop("mode", None)
        for name in list(given):
            known = self.resolved(given[name], body)
            if isinstance(known, ast.IfExp):
                chosen = self.chosen_of(known, body, mode)
                given[name], known = (
                    (chosen, chosen) if chosen is not known else (given[name], known)
                )
            if isinstance(known, ast.Constant) and known.value is None:
                del given[name]
        if endpoint in tpu.SPECS:
            if mode != "eval":
                given.pop("eval_metrics", None)
            self.joined |= tpu.fields(self.program, self.function, given, body, self.resolved)
        if mode == "eval" and "eval_metric_ops" in given:
            self.helper(
                self.resolved(given["eval_metric_ops"], body), "eval_metrics", "gives metrics"
            )
        for name in HOOKS:
            if name in given and _empty(given[name]):
                given.pop(name)
        own = {"train": ("training_hooks", "training_chief_hooks"), "eval": ("evaluation_hooks",)}
        if "scaffold" in given and scaffolds.plain(self, given["scaffold"], body, mode):
            given.pop("scaffold")
        for name in ("scaffold", *own.get(mode, ("prediction_hooks",))):
            if name in given and name in HOOKS and self._only_logs(given[name], body):
                given.pop(name)
            if name in given and name in ("training_hooks", "training_chief_hooks"):
                self.hooked.append(given.pop(name))
            elif name in given and name in HOOKS:
                self.watching.setdefault(mode, []).append(given.pop(name))
            if name in given:
                raise Blocked(given[name], f"`{name}` of an EstimatorSpec isn't followed yet")
        return given if all(name in given for name in NEEDS[mode]) else None

    def chosen_of(self, node: ast.expr, body: Sequence[ast.stmt], mode: Mode) -> ast.expr:
        """What an expression is in a mode, where that decides it."""
        while isinstance(node, ast.IfExp):
            told = self.tests.value(node.test, mode)
            if told is None:
                return node
            node = self.resolved(node.body if told else node.orelse, body)
        return node

    def _only_logs(self, node: ast.expr, body: Sequence[ast.stmt]) -> bool:
        """Whether hooks of a spec only log what Keras logs itself."""
        value = self.resolved(node, body)
        if not isinstance(value, (ast.List, ast.Tuple)):
            return False
        made = [self.resolved(each, body) for each in value.elts]
        if any(self.program.called(each) not in hooks.LOGS for each in made):
            return False
        for each in made:
            self.program.say(each, "this only logged; Keras says what the loss is")
        return True

    def resolved(self, node: ast.expr, body: Sequence[ast.stmt]) -> ast.expr:
        """An expression, or what the name that it is was given last among statements."""
        for stmt in reversed(body):
            if not isinstance(node, ast.Name):
                break
            if target(stmt) == node.id:
                node = cast("ast.Assign", stmt).value
                return self.resolved(node, body[: body.index(stmt)])
            if node.id in stores(stmt):
                part = _part(stmt, node.id)
                return node if part is None else self.resolved(part, body[: body.index(stmt)])
        return node

    # -- slices -------------------------------------------------------------------------------

    def slice(self, body: Sequence[ast.stmt], names: set[str]) -> list[ast.stmt]:
        """The statements of a body that some names need, and what only looks at tensors."""
        found: list[ast.stmt] = []
        wanted = set(names)
        for stmt in reversed(body):
            bound = stores(stmt)
            if not bound & wanted:
                continue
            if isinstance(stmt, ast.Assign) and all(
                isinstance(t, (ast.Name, ast.Tuple)) for t in stmt.targets
            ):
                wanted -= bound
            wanted |= reads(stmt)
            found.append(stmt)
        return found[::-1]

    def goals(self, mode: Mode) -> set[str]:
        """The names that a mode's step is about."""
        spec = self.specs[mode]
        if mode == "predict":
            return reads(spec["predictions"])
        found = reads(spec["loss"])
        if mode == "train" and self.update is not None:
            for call in self.summaries.values():
                shown = self.shown.get(id(call))
                if shown is None:
                    found |= reads(call) - reads(call.func)
                    continue
                found |= reads(shown.key).union(*(reads(p) for p in shown.parts.values()))
            if self.update.gradients is not None:
                found |= reads(self.update.call) - reads(self.update.optimizer)
            for update in self.update.every:
                found |= reads(update.loss)
                found |= reads(update.clip) if update.clip is not None else set()
                found |= reads(update.rate) if update.rate is not None else set()
            found |= {n for told in self.told.values() for n in reads(told)}
        if mode == "eval":
            found |= {n for m in self.metrics for p in m.parts.values() for n in reads(p)}
            found |= {n for m in self.metrics if m.test is not None for n in reads(m.test)}
        return found

    # -- training -----------------------------------------------------------------------------

    def train_op(self) -> Update:
        """What the train op is."""
        body, spec = self.bodies["train"], self.specs["train"]
        if self.head is not None and self.head.update is not None:
            return self.head.update
        node = self.resolved(spec["train_op"], body)
        node = train_branches.same(self.program, node, body)
        ops, counted = several.ops(self, node, body)
        called = [n for s in body for n in all_of(s, ast.Call)]
        self.twice = any(several.counted(self.program, n) > 1 for n in called)
        ops = [op for op in ops if not averages.update(self, op, body)]
        if len(ops) > 1:
            counts = [self._trains(op, body, waits=False) for op in ops]
            if counted and any(u.counted for u in counts):
                raise Blocked(node, "several train ops that count the global step")
            if not counted and not any(u.counted for u in counts):
                raise Blocked(node, "a train op that doesn't count the global step")
            return several.joined(counts, node)
        if not ops:
            raise Blocked(node, "a train op that isn't followed yet")
        found = self._trains(ops[0], body, waits=not counted)
        if own_optimizers.of(self.program, self.resolved(found.optimizer, body)) is not None:
            found.counted = False  # what it does with the step it says itself
            if not counted:
                raise Blocked(node, "a train op that doesn't count the global step")
        if counted and found.counted:
            raise Blocked(node, "several train ops that count the global step")
        return found

    def _trains(self, node: ast.expr, body: list[ast.stmt], *, waits: bool) -> Update:
        """What one train op is."""
        node = self.resolved(node, body)
        if isinstance(node, ast.Call) and self.program.called(node) in optimize_loss.TAKEN:
            return optimize_loss.update(self.program, node, lambda n: self.resolved(n, body))
        self.helper(_given(node, body))
        return training.update(self.program, body, node, self.resolved, waits=waits)

    def helper(
        self, node: ast.AST, wish: str = "train_op", why: str = "trains what it is given"
    ) -> None:
        """See whether a function of the program makes what is asked for.

        Raises:
            Inlinable: one does, and its statements may stand here instead.
            Spelled: it may where its result has a name.
        """
        if not isinstance(node, ast.Call):
            return
        function = self.program.scopes.function(node.func)
        if function is None or function.decorator_list or self.function in walk(function):
            return
        stmt = self.program.scopes.statement(node)
        if isinstance(stmt, (ast.Assign, ast.Return)) and stmt.value is node:
            raise Inlinable(node, stmt, function, why)
        name = self.program.free(self.function, wish)
        written = [(node, lambda source: name)]
        above = [(stmt, lambda source: [f"{name} = {source(node)}"])]
        raise Spelled(node, f"`{function.name}`, which {why}, in an expression", written, above)


def _part(stmt: ast.stmt, name: str) -> ast.expr | None:
    """What `name, other = one, two` gives a name."""
    value = stmt.value if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    to = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    if not isinstance(to, ast.Tuple) or not isinstance(value, ast.Tuple):
        return None
    names = [e.id if isinstance(e, ast.Name) else "" for e in to.elts]
    if names.count(name) != 1 or len(names) != len(value.elts):
        return None
    return value.elts[names.index(name)]


def _given(node: ast.expr, body: Sequence[ast.stmt]) -> ast.expr:
    """The call of whose result a name is a part; otherwise an expression as it is."""
    for stmt in reversed(body if isinstance(node, ast.Name) else ()):
        if isinstance(node, ast.Name) and node.id in stores(stmt):
            whole = isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Call)
            return stmt.value if whole and isinstance(stmt, ast.Assign) else node
    return node


def _updates(program: Program, function: ast.FunctionDef) -> bool:
    """Whether training runs the updates of batch normalizations.

    Raises:
        Blocked: it waits for something else.
    """
    found = False
    for node in walk(function):
        if program.called(node) in {*optimize_loss.TAKEN, *heads.UPDATE}:
            found = True  # they run the updates themselves
        if not isinstance(node, ast.With):
            continue
        for item in node.items:
            if program.called(item.context_expr) != "tensorflow.control_dependencies":
                continue
            assert isinstance(item.context_expr, ast.Call)
            if several.only_counts(program, node):
                continue
            waits = training.argument(item.context_expr, 0, "control_inputs")
            if waits is None:
                raise Blocked(item.context_expr, "a run that waits for other ops")
            value = program.scopes.value(waits)
            said = [program.endpoint(n) for n in walk(value)]
            if program.called(value) != "tensorflow.get_collection" or not any(
                s.endswith("GraphKeys.UPDATE_OPS") for s in said
            ):
                raise Blocked(item.context_expr, "a run that waits for other ops")
            found = True
    groups = [n for n in walk(function) if program.called(n) == "tensorflow.group"]
    return found or any(
        program.called(program.scopes.value(a)) == "tensorflow.get_collection"
        for n in groups
        if isinstance(n, ast.Call)
        for a in n.args
    )


def _same(stmt: ast.stmt) -> list[ast.AST]:
    """A statement and what is in it, inner functions left out."""
    if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
        return []
    return list(walk_own(stmt))


def target(stmt: ast.stmt) -> str:
    """The one name that a statement assigns."""
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
        to = stmt.targets[0]
        return to.id if isinstance(to, ast.Name) else ""
    return ""


def docstring(stmt: ast.stmt) -> bool:
    return (
        isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Constant)
        and isinstance(stmt.value.value, str)
    )


def _empty(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and not node.elts


def _class_name(name: str) -> str:
    """A class's name from a function's: `my_cnn_model_fn` is `MyCnnModel`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).strip("_").split("_")
    if words[-1] in ("fn", "function", "func") and len(words) > 1:
        words = words[:-1]
    return "".join(w[:1].upper() + w[1:] for w in words)
