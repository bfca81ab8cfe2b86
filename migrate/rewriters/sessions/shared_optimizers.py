"""One optimizer for several lists of variables: Keras's must know all of them from the start.

In TF 1 an optimizer makes its slots where it first meets a variable. Keras's is built once, by the
first list that it is given, and refuses variables that were not in it. Adam's powers of beta and
Keras's `iterations` both advance with every update, whichever list it is for.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.slices import Plan, gradients
from migrate.programs.graph.walk import Apply, Gradient, Optimizer
from migrate.rewriters.sessions.sources import Sources

WATCHED = ".watched_variables()"
COUNTING = ("Adam", "AdaMax")  # in the names of those whose updates depend on how many there were
TWICE = "one optimizer of Adam's kind updates twice in one run, in an order that TF 1 doesn't tell"


class Shared:
    """The optimizers of a region that more than one update uses, and what they train."""

    def __init__(self, plans: Sequence[Plan], writer: Sources) -> None:
        walker = writer.walker
        self.plans: dict[int, dict[int, Plan]] = {}  # by optimizer, by update
        self.of: dict[int, Optimizer] = {}
        self.trained: dict[int, dict[str, None]] = {}  # by optimizer: the variables, as source
        for plan in plans:
            for step in plan.steps:
                for gradient in gradients(step, walker):
                    if gradient.kind == "minimize" and gradient.optimizer is not None:
                        self._add(gradient.optimizer, gradient.call, plan)
                for node in walk(step.node):
                    if isinstance(node, ast.Call) and id(node) in walker.applies:
                        self._add(walker.applies[id(node)].optimizer, node, plan)
        self.plans = {key: found for key, found in self.plans.items() if len(found) > 1}
        for key, found in self.plans.items():
            self._once(self.of[key], found)

    def _once(self, optimizer: Optimizer, found: dict[int, Plan]) -> None:
        """See to it that no run updates twice with one Adam.

        TF 1 takes the updates of one run in any order: the second one may find the powers of beta
        as they were before the first, or after it. Keras counts it as another step.

        Raises:
            Blocked: a run does.
        """
        plans = [id(plan) for plan in found.values()]
        counts = any(word in optimizer.endpoint for word in COUNTING)
        if counts and any(plans.count(plan) > 1 for plan in plans):
            raise Blocked(optimizer.call, TWICE)

    def _add(self, optimizer: Optimizer, call: ast.Call, plan: Plan) -> None:
        for one in (optimizer, *optimizer.others):
            self.of[id(one.call)] = one
            self.plans.setdefault(id(one.call), {})[id(call)] = plan

    def trains(self, gradient: Gradient, variables: str) -> None:
        """An update's variables, as source."""
        if gradient.optimizer is None:
            return
        for one in (gradient.optimizer, *gradient.optimizer.others):
            self.trained.setdefault(id(one.call), {})[variables] = None

    def applies(self, apply: Apply, writer: Sources) -> None:
        """Gradients that are applied: their variables are those that they were computed for.

        Raises:
            Blocked: the optimizer is used elsewhere too, and didn't compute them itself.
        """
        key = id(apply.optimizer.call)
        if key not in self.plans:
            return
        computed = [g for g in writer.walker.gradients.values() if g.kind == "compute_gradients"]
        if not any(g.optimizer is apply.optimizer for g in computed):
            raise Blocked(
                apply.call, "an optimizer that applies gradients here and trains elsewhere"
            )

    def built(self, key: int, name: str) -> str:
        """The call that tells an optimizer its variables; empty where one list is all there is.

        Raises:
            Blocked: they can't be told.
        """
        trained = self.trained.get(key, {})
        if any(WATCHED in source for source in trained):
            raise Blocked(self.of[key].call, "one optimizer for variables that have no list")
        if len(trained) < 2:
            return ""
        items: dict[str, None] = {}
        for source in trained:
            tree = ast.parse(source, mode="eval").body
            if isinstance(tree, ast.List):
                items.update(dict.fromkeys(map(ast.unparse, tree.elts)))
            else:
                items[f"*{source}"] = None
        return f"{name}.build([{', '.join(items)}])"
