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
        self.updates: dict[int, set[int]] = {}  # by optimizer: the calls
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
        for plan in plans:
            nodes = {id(step.node): step.node for step in plan.steps}
            for key, calls in self.updates.items():
                if sum(_most(node, calls) for node in nodes.values()) > 1:
                    self._once(self.of[key])

    @staticmethod
    def _once(optimizer: Optimizer) -> None:
        """See to it that it isn't Adam, which a run updates with twice.

        TF 1 takes the updates of one run in any order: the second one may find the powers of beta
        as they were before the first, or after it. Keras counts it as another step.

        Raises:
            Blocked: it is.
        """
        if any(word in optimizer.endpoint for word in COUNTING):
            raise Blocked(optimizer.call, TWICE)

    def _add(self, optimizer: Optimizer, call: ast.Call, plan: Plan) -> None:
        for one in (optimizer, *optimizer.others):
            self.of[id(one.call)] = one
            self.plans.setdefault(id(one.call), {})[id(call)] = plan
            self.updates.setdefault(id(one.call), set()).add(id(call))

    def trains(self, gradient: Gradient, variables: str) -> None:
        """An update's variables, as source."""
        if gradient.optimizer is None:
            return
        for one in (gradient.optimizer, *gradient.optimizer.others):
            self.trained.setdefault(id(one.call), {})[variables] = None

    def applies(self, apply: Apply, writer: Sources) -> None:
        """Gradients that are applied: their variables are those that they were computed for.

        Raises:
            Blocked: the optimizer is used elsewhere too, and didn't compute all of them itself.
        """
        key = id(apply.optimizer.call)
        if key not in self.plans:
            return
        walker = writer.walker
        computed = [g for g in walker.gradients.values() if g.kind == "compute_gradients"]
        mine = [g for g in computed if g.optimizer is apply.optimizer]
        if len(mine) < sum(a.optimizer is apply.optimizer for a in walker.applies.values()):
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


def _most(node: ast.AST, calls: set[int]) -> int:
    """How many of some calls a statement makes at most: one branch or the other."""
    if isinstance(node, ast.If):
        return max(sum(_most(s, calls) for s in arm) for arm in (node.body, node.orelse))
    return sum(id(n) in calls for n in walk(node))
