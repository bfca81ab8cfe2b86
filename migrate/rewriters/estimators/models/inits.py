"""`__init__` of the class that a model_fn becomes: what it makes once, and how it is compiled."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.evaluation import shown_metrics
from migrate.rewriters.estimators.heads_and_columns.columns import SHARED
from migrate.rewriters.estimators.models import checks, weights
from migrate.rewriters.estimators.models.specs import docstring
from migrate.rewriters.estimators.optimizing import several, training
from migrate.rewriters.estimators.optimizing.optimizers import Optimizers
from migrate.rewriters.estimators.runs import config, strategies
from migrate.rewriters.estimators.syntax import reads, root, stores


class Inits(Optimizers):
    """A class's text: how an object of it begins."""

    def _init(self, one: str, two: str) -> str:
        self.mode = None
        nodes: list[ast.AST] = [n for m in self.metrics for n in m.made_of]
        nodes += [n for m in self.shown.values() for n in m.made_of]
        if self.head is not None:
            nodes += self.head.nodes
        compiled, others = "", ""
        rates: list[ast.stmt] = []
        if self.update is None:
            compiled = f"{two}self.compile(jit_compile=False)\n"  # for `evaluate`
        if self.update is not None:
            made_by: list[ast.stmt] = []
            for update, (chosen, source, call) in zip(self.update.every, self.chosen, strict=True):
                source = one_line(source)
                if update is self.update:
                    # Where there is a GPU, Keras would compile steps by XLA, which knows no
                    # tables, texts or summaries.
                    said = self.program.kept.pop("said of the optimizer", [])
                    assert isinstance(said, list)
                    compiled = "".join(f"{two}{comment}\n" for comment in said)
                    compiled += f"{two}self.compile(optimizer={source}, jit_compile=False"
                    compiled += f"{self._at_once()})\n"
                else:
                    others += f"{two}self.{update.name} = {source}\n"
                lean = [several.lean(s, self.lean) for s in chosen]
                used = [*lean, *([call] if call is not None else [])]
                nodes += used
                rates += [r for r in self._rates(used) if r not in rates]
                made_by += chosen
            nodes += rates
            rates += made_by
            if self.saved and self.update.separate:
                config.with_several(self.program, self.function)
        if self.by_name is None:
            self.checks = checks.of(self)
            nodes += self.checks
        nodes += [v for n, v in self.read_once.items() if n in self.kept]
        wanted = self.init_names(self.function.body, nodes)
        body = [s for s in self.function.body if not docstring(s)]
        made = self.build(body, wanted - {n for s in rates for n in stores(s)}, two)
        for name, value in self.read_once.items():
            said = name if name in wanted else self.text.source(value)
            made += f"{two}self.{self.aliases[name]} = {said}\n" if name in self.kept else ""
        own, self.own = self.own, set()  # `__init__` reads its arguments themselves
        made += "".join(self.statement(stmt, two) for stmt in rates)
        self.own = own
        if self.head is not None:
            made += f"{two}self.{self.head.name} = {self.head.made}\n"
        elif "eval" in self.modes:
            made += f'{two}self.{self.mean} = {self.tf}.keras.metrics.Mean(name="loss")\n'
        for metric in self.metrics:
            made += f"{two}self.{metric.name} = {metric.made(self.program)}\n"
        for metric in self.shown.values():
            made += f"{two}self.summarized.{metric.name} = {metric.made(self.program)}\n"
        for saver in self.savers:
            made += f"{two}self.{saver.name} = {saver.made}\n"
        if self.shown:
            shown_metrics.checkpointed(self)
        given = "".join(f", {n}" for n in self.arguments)
        kept = self._copied(two)
        kept += "".join(f"{two}self.{n} = {n}\n" for n in self.arguments if n in self.kept)
        settings = ""
        if self.saved:
            settings = "**kwargs" if self.shared else "model_dir, **kwargs"
            given += f", {settings}"
        if weights.doubles(self):
            if self.saved or self.replicated:
                raise Blocked(self.function, "a model of float64 with checkpoints or replicas")
            settings = 'dtype="float64"'
        if self.saved and self.keep:
            kept += f"{two}self.keep = {self.keep}\n"
        head = f"{one}def __init__(self{given}):\n{two}super().__init__({settings})\n"
        shared = f"{two}{SHARED} = {{}}  # of columns, by name\n" if self.shares else ""
        by_name = ""
        if self.by_name is not None:
            maker = self.by_name.spelled(self.function, "NamedWeights")
            by_name = f"{two}self.named = {maker}()\n"
        return f"{head}{kept}{shared}{by_name}{made}{others}{compiled}"

    def _copied(self, two: str) -> str:
        """The settings that it puts something into, which are its own: an Estimator copies them."""
        out = ""
        for node in walk(self.function):
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                name = root(node)
                if name in self.arguments and f" {name} = " not in out:
                    if isinstance(node.value, ast.Name):
                        out += f"{two}{name} = dict({name})\n"
                        continue
                    raise Blocked(node, f"what is in `{name}` changes")
        return out

    def _at_once(self) -> str:
        """How many steps one call of the training function runs, where nothing looks at each."""
        if not self.program.unwatched:
            return ""
        if strategies.kind(self.program) == "always":
            return ""
        return f", steps_per_execution={'self.at_once' if self.saved else '50'}"

    def _rates(self, users: Sequence[ast.AST]) -> list[ast.stmt]:
        """The statements that make a learning rate's schedule, written as Keras's."""
        found = []
        for stmt in self.bodies["train"]:
            value = getattr(stmt, "value", None)
            endpoint = self.program.called(value) if value is not None else ""
            if endpoint in training.DECAYS and stores(stmt) & {n for u in users for n in reads(u)}:
                assert isinstance(value, ast.Call)
                self.instead[id(value)] = training.decays(self.program, endpoint, value)
                found.append(stmt)
        return found


def one_line(source: str) -> str:
    return re.sub(r"\s*\n\s*", " ", source)
