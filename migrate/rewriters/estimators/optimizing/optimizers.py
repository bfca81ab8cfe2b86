"""What a model is compiled with: the optimizer of its model_fn, wherever that is made."""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models.specs import Specs, target
from migrate.rewriters.estimators.optimizing import own_optimizers, training
from migrate.rewriters.estimators.optimizing.training import Update
from migrate.rewriters.estimators.runs import strategies, tpu
from migrate.rewriters.estimators.syntax import reads, simple, stores
from migrate.rewriters.sessions import row_optimizers
from migrate.rewriters.sessions.gradients import SUM_ROWS

# The statements that make an optimizer, what `compile` is given, and its call.
Chosen = tuple[list[ast.stmt], str, "ast.Call | None"]


def _looked_up(node: ast.expr) -> tuple[str, ast.expr | None] | None:
    """The key of `params["…"]` or `params.get("…", …)`, and what stands for it."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        owner, given = node.value, [node.slice]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner, given = node.func.value, node.args
        if node.func.attr != "get" or node.keywords:
            return None
    else:
        return None
    if not isinstance(owner, ast.Name) or owner.id != "params" or len(given) not in (1, 2):
        return None
    key = given[0].value if isinstance(given[0], ast.Constant) else None
    return (key, given[1] if len(given) == 2 else None) if isinstance(key, str) else None


class Optimizers(Specs):
    """A model_fn whose optimizer is made in a statement, in branches or by a function."""

    @property
    def replicated(self) -> bool:
        """Whether it may run on replicas of a strategy."""
        return bool(strategies.kind(self.program))

    def optimizer(self, update: Update) -> Chosen:
        """How the optimizer of a train op is made."""
        body, node = self.bodies["train"], update.optimizer
        value = self.resolved(node, body)
        if isinstance(value, ast.Call) and training.is_optimizer(self.program.called(value)):
            source = self._keras(value, update)
            return [], source, training.without(value, update.rate)
        if (cls := own_optimizers.of(self.program, value)) is not None:
            return self._own(cls, value, update)
        chosen = self._chosen(value, update)
        if chosen is not None:
            return [], self.program.source(chosen), chosen
        if not isinstance(node, ast.Name):
            raise Blocked(node, "the optimizer isn't seen")
        made = [s for s in body if node.id in stores(s)]
        if setting := self._setting(node.id, made):
            self._classes(setting, made[-1], update)
            return made, node.id, None
        rates = []
        for stmt in (s for m in made for s in simple(m)):
            call = getattr(stmt, "value", None)
            if target(stmt) != node.id or not isinstance(call, ast.Call):
                raise Blocked(stmt, "how the optimizer is made isn't seen")
            if not training.is_optimizer(self.program.called(call)):
                raise Blocked(stmt, "how the optimizer is made isn't seen")
            self.instead[id(call)] = self._keras(call, update)
            rates.append(update.rate)
        if not made:
            raise Blocked(node, "the optimizer isn't seen")
        if len({ast.dump(r) if r is not None else "" for r in rates}) > 1:
            found = next(r for r in rates if r is not None)
            raise Blocked(found, "a rate that is computed for one of several optimizers")
        self.lean |= {id(r) for r in rates if r is not None}
        return made, node.id, None

    def _own(self, cls: ast.ClassDef, value: ast.expr, update: Update) -> Chosen:
        """An optimizer of the program's own."""
        assert isinstance(value, ast.Call)
        rate = own_optimizers.rate(self.program, cls, value)
        computed = self._computed(rate)
        update.rate = rate if computed else None
        self.optimizers.add(cls.name)
        source = own_optimizers.keras(self, cls, value, computed=computed)
        return [], source, training.without(value, update.rate)

    def _setting(self, name: str, made: list[ast.stmt]) -> ast.expr | None:
        """The setting that an optimizer's class is, `params["optimizer"]`, if it is one."""
        call = getattr(made[-1], "value", None) if made else None
        if not isinstance(call, ast.Call) or any(target(s) != name for s in made):
            return None
        func: ast.expr = call.func
        if len(made) == 2 and isinstance(func, ast.Name) and func.id == name:
            func = getattr(made[0], "value", func)
        elif len(made) > 1:
            return None
        return func if _looked_up(func) is not None else None

    def _classes(self, setting: ast.expr, stmt: ast.stmt, update: Update) -> None:
        """What makes Keras's optimizers, instead of TF 1's classes in the settings of Estimators.

        Raises:
            Blocked: an Estimator's settings aren't seen, or what is made takes more than a rate.
        """
        key, default = _looked_up(setting) or ("", None)
        call = getattr(stmt, "value", None)
        assert isinstance(call, ast.Call)
        rates = [*call.args, *(k.value for k in call.keywords)]
        if len(rates) != 1 or any(k.arg != "learning_rate" for k in call.keywords):
            raise Blocked(call, "how the optimizer is made isn't seen")
        if self._computed(rates[0]):
            raise Blocked(call, "a computed rate of an optimizer that is a setting")
        found = [default] if default is not None else []
        for made in self.program.calls():
            if self.program.called(made) != "tensorflow.estimator.Estimator":
                continue
            given = self.program.given(made)
            function = self.program.scopes.function(given.get("model_fn", made))
            if function is not None and function is not self.function:
                continue
            params = self.program.scopes.value(given.get("params", made))
            if not isinstance(params, ast.Dict) or not all(
                isinstance(k, ast.Constant) for k in params.keys
            ):
                raise Blocked(made, "which optimizer is in the settings isn't seen")
            items = zip(params.keys, params.values, strict=True)
            values = [v for k, v in items if isinstance(k, ast.Constant) and k.value == key]
            if len(values) > 1 or not (values or default):
                raise Blocked(made, "which optimizer is in the settings isn't seen")
            found += values
        for node in found:
            if not training.is_optimizer(self.program.endpoint(node)):
                raise Blocked(node, "how the optimizer is made isn't seen")
            # Its rate is what the model_fn gives it.
            one = ast.copy_location(ast.Call(node, [rates[0]], []), node)
            made_by = self._keras(one, update).replace(
                self.text.source(rates[0]), "learning_rate", 1
            )
            new = f"lambda learning_rate: {made_by}"
            self.program.edit(node, new, "Keras's optimizer")
            self.instead[id(node)] = new

    def _chosen(self, node: ast.expr, update: Update) -> ast.Call | None:
        """A call of a function of the program that makes optimizers, which are Keras's then.

        Raises:
            Inlinable: it asks for the global step, so that its statements may stand here instead.
            Blocked: it does more than make optimizers.
        """
        function = self.program.scopes.function(node.func) if isinstance(node, ast.Call) else None
        if function is None:
            return None
        assert isinstance(node, ast.Call)
        calls = all_of(function, ast.Call)
        made = [n for n in calls if training.is_optimizer(self.program.called(n))]
        if not made:
            return None
        if any(self.program.called(n) in training.STEPS for n in calls):
            self.helper(node)
        key = ("optimizers", id(function))
        if self.program.kept.setdefault(key, self.is_sparse()) != self.is_sparse():
            raise Blocked(node, "optimizers of models with and without sparse gradients")
        given = {n for c in made for n in reads(c)}
        for inner in walk(function):
            if isinstance(inner, ast.Return) and inner.value not in made:
                name = inner.value.id if isinstance(inner.value, ast.Name) else ""
                bound = self.program.scopes.bound(function).get(name, [])
                if not bound or any(b.value not in made for b in bound):
                    raise Blocked(inner, "how the optimizer is made isn't seen")
            if isinstance(inner, ast.Call) and inner not in made:
                endpoint = self.program.called(inner)
                if endpoint and not endpoint.startswith("tensorflow.logging."):
                    raise Blocked(inner, "how the optimizer is made isn't seen")
        if given & self.tensors - {a.arg for a in all_of(function, ast.arg)}:
            raise Blocked(node, "how the optimizer is made isn't seen")
        if any(self.is_tensor(a) for a in (*node.args, *(k.value for k in node.keywords))):
            raise Blocked(node, "a learning rate that is computed elsewhere")
        if self.program.kept.setdefault((*key, "written"), node) is node:
            for each in made:
                self.program.edit(each, self._keras(each, update))
        return node

    def _keras(self, call: ast.Call, update: Update) -> str:
        """The Keras optimizer for a `tf.train` one."""
        source, rate = training.keras(
            self.program, call, self.function, sparse=self.is_sparse(), computed=self._computed
        )
        update.rate = rate
        inner = self.program.called(tpu.wrapped(self.program, call))
        self.optimizers.add(inner.rpartition(".")[2])
        if self.is_sparse() and self.replicated and row_optimizers.ROWS & self.optimizers:
            raise Blocked(call, "rows of sparse gradients under a strategy")
        return source

    def dense(self) -> str:
        """What makes sparse gradients what the optimizer wants: rows once, or all of them.

        Nothing for gradients that are dense, and for optimizers that see to it themselves.
        """
        if not self.is_sparse() or self.optimizers <= row_optimizers.ROWS:
            return ""
        if not self.optimizers & row_optimizers.ROWS:
            return f"{self.tf}.convert_to_tensor"
        self.program.need(self.function, "sum_rows", SUM_ROWS)
        return "sum_rows"

    def _computed(self, rate: ast.expr) -> bool:
        """Whether a learning rate is computed from the step, or of tensors.

        Raises:
            Inlinable: a function does, and its statements may stand here instead.
        """
        made = self.slice(self.bodies["train"], reads(rate))
        for call in (n for part in (rate, *made) for n in walk(part)):
            function = None
            if isinstance(call, ast.Call):
                function = self.program.scopes.function(call.func)
            if function is not None and any(
                self.program.called(n) in training.STEPS for n in walk(function)
            ):
                self.helper(call, "learning_rate")
        return any(
            self.program.called(n) in training.STEPS or self.is_tensor(n)
            for part in (rate, *made)
            for n in walk(part)
        )
