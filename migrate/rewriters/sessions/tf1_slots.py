"""The order in which optimizers train variables, and what their slots become: `migrate-names.json`.

A Keras optimizer has its slots in lists, in the order of what it is first given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from migrate.engine.trees import walk
from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.made import SlotScope
from migrate.programs.graph.model import Value
from migrate.programs.graph.saving.savers import Saver
from migrate.programs.graph.walk import Apply, Gradient, Layer, Optimizer, Schedule
from migrate.rewriters.sessions import optimizers

if TYPE_CHECKING:
    from migrate.rewriters.sessions.state import Base

Section = dict[str, Any]
# The lists of a Keras optimizer that hold what TF 1 has in slots, in the order of these. A number
# is that of a list among all slots: some lists are made twice, which only their variables survive.
SLOTS: dict[str, tuple[str | int | None, ...]] = {
    "GradientDescentOptimizer": (),
    "MomentumOptimizer": (0,),
    "AdamOptimizer": ("_momentums", "_velocities"),
    "AdagradOptimizer": ("_accumulators",),
    "AdadeltaOptimizer": ("_accumulated_grads", "_accumulated_delta_vars"),
    "FtrlOptimizer": ("_accumulators", "_linears"),
    "ProximalGradientDescentOptimizer": (),
    "ProximalAdagradOptimizer": ("_accumulators",),
    "RMSPropOptimizer": (0, 1),
}


@dataclass(slots=True, eq=False, repr=False)
class Written:
    """What a Saver's checkpoint is made of: keywords, and what each is."""

    variables: dict[str, str] = field(default_factory=dict)  # with their sources
    layers: dict[str, tuple[Layer, bool]] = field(default_factory=dict)  # whether it is its norm
    cells: dict[str, str | int] = field(default_factory=dict)  # keys of `Saver.held`
    optimizers: dict[str, Optimizer] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)  # lists of layers, layers of one's own
    averages: dict[str, list[Owned]] = field(default_factory=dict)  # moving ones, in lists
    told: dict[str, str] = field(default_factory=dict)  # places of what TF 1 calls by names
    objects: list[str] = field(default_factory=list)  # of classes that have several


@dataclass(slots=True, eq=False, repr=False)
class Late:
    """What has variables once it is called: where, and which calls those are."""

    order: int
    names: list[Any]
    calls: set[int]
    # Of a function's own variables, which are there once it is called: how many names came before;
    # of its layers': None.
    early: list[int | None] = field(default_factory=list)
    made: list[str] = field(
        default_factory=list
    )  # a cell's variables, in the order of their making


def _untold(name: Any) -> bool:
    """Whether it is a cell's variables, in an order that isn't known."""
    return isinstance(name, dict) and "made" not in name


class Slots:
    """The optimizers of a Saver's section."""

    def __init__(self, module: Base, saver: Saver | None, written: Written) -> None:
        self.module, self.written = module, written
        self._saver = saver
        self.names: dict[str, str] = {}
        self.patterns: dict[str, str] = {}
        self.unknown: dict[str, str] = {}
        self.late: dict[str, Late] = {}  # by keyword

    @property
    def saver(self) -> Saver:
        """Whose section it is; where only names are asked for, there is none."""
        assert self._saver is not None
        return self._saver

    def optimizer(self, key: str, optimizer: Optimizer) -> Section:
        """An optimizer's variables: the order in which it trains, and what slots become."""
        name = optimizer.endpoint.rpartition(".")[2]
        given = optimizers.bound(optimizer)
        trained = [t for t in self.saver.trained if t.optimizer is optimizer]
        found: Section = {}
        wanted = SLOTS.get(name)
        if wanted is None or optimizer.others:
            return {"unknown": "its slots in TF 1 can't be told"}
        if name == "RMSPropOptimizer":
            centered, still = said(given.get("centered"), False), _zero(given.get("momentum"))
            if centered is None or still is None:
                return {"unknown": "its settings are computed"}
            momentum = None if still else 1
            wanted = (0, 1 if still else 2, momentum) if centered else (0, momentum)
        base = given.get("name")
        stem = name.removesuffix("Optimizer") if base is None else _word(base)
        slots = next((t.slots for t in trained if t.slots is not None), None)
        if stem is None or slots is None or slots.scope is None:
            return {"unknown": "the names of its slots in TF 1 can't be told"}
        why = self._iterations(optimizer, slots, found)
        if why:
            return {"unknown": why}
        if not wanted:
            return found
        order = self._orders(trained)
        if order is None:
            return {"unknown": "the order in which it trains variables can't be told"}
        found["slots"] = list(wanted)
        if not isinstance(wanted[0], str):  # behind the count, and the rate where it is a variable
            found["first"] = 1 if "iterations" in found else 2
        found["name"] = f"{slots.scope}/{{}}/{stem}" if slots.scope else f"{{}}/{stem}"
        found["variables"], found["all"] = order
        sparse = any(f.sparse.get(id(optimizer.call)) for f in self.module.functions.values())
        if name == "MomentumOptimizer" and optimizers.momentum(optimizer, sparse) is None:
            rate = self._number(given.get("learning_rate"))
            found["multiply"] = -rate if rate is not None else None
        return found

    def _iterations(self, optimizer: Optimizer, slots: SlotScope, found: Section) -> str:
        """What the optimizer's count of updates comes of, where it matters; why it isn't known."""
        schedule = optimizer.schedule
        if isinstance(schedule, Schedule) and self.module.walker.counts(schedule, optimizer):
            found["iterations"] = schedule.step.value.path
            return "" if found["iterations"] else "the global step's name in TF 1 can't be told"
        if optimizer.endpoint.endswith(".AdamOptimizer"):
            given = optimizers.bound(optimizer)
            beta = self._number(given["beta2"]) if "beta2" in given else 0.999
            if None in slots.powers or beta is None or not 0 < beta < 1:
                return "the powers of its betas in TF 1 can't be told"
            found["iterations"] = {"power": slots.powers[1], "of": beta}
            found["drop"] = [slots.powers[0]]
        return ""

    def _number(self, node: ast.expr | None) -> float | None:
        """A number, where it is written or the name of one that the module has."""
        if isinstance(node, ast.Name) and self.module.stores[node.id] == 1:
            node = self._assigned(node, self.module.document.tree.body)
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        return None

    def _orders(self, trained: list[Gradient | Apply]) -> tuple[list[Any], bool] | None:
        """What all updates of an optimizer train, each list where it was built with it."""
        updates = [t for t in trained if isinstance(t, Apply) or t.kind == "minimize"]
        if len(updates) == 1:
            return self._order(updates[0])
        names: list[Any] = []
        seen: set[str] = set()
        for update in updates:
            if isinstance(update, Apply):
                return None
            found = self._order(update)
            source = self.module.trained.get(id(update.call)) or ""
            if update.variables is not None:
                source = ast.unparse(update.variables)
            if found is None or not found[1] or not source:
                return None
            if source.startswith("["):  # its items are listed once
                names += [n for n in found[0] if n not in names]
            elif source not in seen:
                names += found[0]
            seen.add(source)
        return names, True

    def _order(self, trained: Gradient | Apply) -> tuple[list[Any], bool] | None:
        """What is trained, in the order of the optimizer's lists.

        Whether these hold it for certain: a list that was computed may lack what has no gradient.
        """
        node: ast.expr | None = None
        if isinstance(trained, Gradient):
            node = trained.variables
        elif trained.call.args and isinstance(trained.call.args[0], ast.Call):
            zipped = trained.call.args[0]
            if ast.unparse(zipped.func) == "zip" and len(zipped.args) == 2:
                node = zipped.args[1]
        if node is not None:
            listed = self._listed(node)
            certain = isinstance(trained, Gradient)
            return (listed, certain) if listed is not None else None
        if isinstance(trained, Apply):
            made = [
                g
                for g in self.module.walker.gradients.values()
                if g.optimizer is trained.optimizer and g.kind == "compute_gradients"
            ]
            found = self._order_of(made[0]) if len(made) == 1 else None
            return (found[0], False) if found is not None else None
        return self._order_of(trained)

    def _order_of(self, gradient: Gradient) -> tuple[list[Any], bool] | None:
        if gradient.variables is not None:
            listed = self._listed(gradient.variables)
            return (listed, True) if listed is not None else None
        source = self.module.trained.get(id(gradient.call))
        if source is None or source.endswith("()"):
            return self._watched(gradient)
        return self._written(source)

    def _written(self, source: str) -> tuple[list[Any], bool] | None:
        """A list that was written: variables, and the values of dicts."""
        names: list[Any] = []
        tree = ast.parse(source, mode="eval").body
        for item in tree.elts if isinstance(tree, ast.List) else [tree]:
            text = ast.unparse(item)
            text = text.removeprefix("*").removesuffix(".values()")
            found = self._entry(self._held(ast.parse(text, mode="eval").body))
            if found is None:
                return None
            names += found
        return names, True

    def _entry(self, value: Value | None) -> list[Any] | None:
        """The names of a variable, or of a container's."""
        if value is None:
            return None
        if value.items is not None:
            out: list[Any] = []
            for _, item in value.items:
                inner = self._entry(item)
                if inner is None:
                    return None
                out += inner
            return out
        return [value.path] if value.path in self.names else None

    def _listed(self, node: ast.expr) -> list[Any] | None:
        """The names of a list of the author's."""
        walker = self.module.walker
        seen = 0
        while id(node) not in walker.listed and seen < 3:
            seen += 1
            made = self._assigned(node)
            if made is None:
                break
            node = made
        if id(node) in walker.listed:
            names: list[Any] = []
            for entry in walker.listed[id(node)]:
                found = self._entry(entry.value)
                if found is None:
                    found = self._late_of(entry)
                if found is None:
                    return None
                # A cell that is applied twice stands once in the list.
                names += [n for n in found if n not in names]
            return names
        if isinstance(node, (ast.List, ast.Tuple)):
            names = []
            for item in node.elts:
                found = self._entry(self._held(item))
                if found is None:
                    return None
                names += found
            return names
        return self._entry(self._held(node))

    def _held(self, node: ast.expr) -> Value | None:
        """What is saved under a name, or as an item of a container with a name."""
        value = self.saver.values.get(ast.unparse(node))
        if value is None and isinstance(node, ast.Subscript):
            outer = self._held(node.value)
            if outer is not None and isinstance(node.slice, ast.Constant):
                items = dict(outer.items or ())
                return items.get(node.slice.value)
        return value

    def _assigned(self, node: ast.expr, among: Iterable[ast.AST] | None = None) -> ast.expr | None:
        """What a name, or an attribute, is bound to, where that is done once."""
        text = ast.unparse(node)
        found = [
            n.value
            for n in among or walk(self.module.document.tree)
            if isinstance(n, ast.Assign) and any(ast.unparse(t) == text for t in n.targets)
        ]
        return found[0] if len(found) == 1 and isinstance(node, (ast.Name, ast.Attribute)) else None

    def _late_of(self, entry: Any) -> list[Any] | None:
        """The names of a layer's or a cell's variables."""
        found: list[Any] = []
        for key, late in self.late.items():
            layer = self.written.layers.get(key)
            at = self.written.cells.get(key)
            if layer is not None and entry.layer is layer[0].call:
                found.append((late.order, late.names))
            elif at is not None and entry.cell is not None:
                if at in (ast.unparse(entry.cell), id(entry.cell)):
                    found.append((late.order, late.names))
        return [n for _, names in sorted(found, key=lambda f: f[0]) for n in names] or None

    def _watched(self, gradient: Gradient) -> tuple[list[Any], bool] | None:
        """What a tape watches: in the order in which it was made, and that must be certain."""
        read, inside = self._read(gradient)
        met = [one for one in self.late.values() if one.calls & inside]
        late = [one for one in met if not one.early or None in one.early]
        if any(0 < len(one.early) < len(one.names) for one in met):
            return None
        if any(not one.made and any(_untold(n) for n in one.names) for one in met):
            return None
        late.sort(key=lambda one: one.order)
        if self.unknown:
            return None
        for plans in self.module.plans.values():
            for plan in plans:
                steps = [*plan.steps, *(s for other in plan.borrowed for s in other.steps)]
                nodes = {id(n) for step in steps for n in walk(step.node)}
                first = [bool(one.calls & nodes) for one in late]
                if first != sorted(first, reverse=True):
                    return None  # it may be what makes a later one first
        values = list(self.saver.values.values())
        pairs = [pair for one in met for pair in zip(one.early, one.names, strict=False)]
        early = [(order, name) for order, name in pairs if order is not None]
        while values:
            value = values.pop()
            if value.items is not None:
                values.extend(v for _, v in value.items)
            elif value.path in self.names and value.path in read:
                early.append((value.order, str(value.path)))
        names: list[Any] = [name for _, name in sorted(early, key=lambda pair: pair[0])]
        for one in late:
            names += [
                {**n, "made": one.made} if one.made else n
                for i, n in enumerate(one.names)
                if not one.early or one.early[i] is None
            ]
        return names, False

    def _read(self, gradient: Gradient) -> tuple[set[str | None], set[int]]:
        """The names of the variables, and the calls, that a loss comes of."""
        names: set[str | None] = set()
        nodes = {id(n) for n in walk(gradient.loss)}
        seen: set[int] = set()
        stack = list(gradient.loss_uses)
        while stack:
            symbol = stack.pop()
            values = [symbol.value]
            while values:
                value = values.pop()
                names.add(value.path)
                values.extend(v for _, v in value.items or ())
            if id(symbol.step) not in seen and symbol.step.moves:
                seen.add(id(symbol.step))
                nodes |= {id(n) for n in walk(symbol.step.node)}
                stack.extend((*symbol.step.uses, *(s for a in symbol.step.after for s in a.uses)))
        return names, nodes


def said(node: ast.expr | None, default: bool) -> bool | None:
    """What a flag says; None where it is computed."""
    if node is None:
        return default
    return bool(node.value) if isinstance(node, ast.Constant) else None


def _zero(node: ast.expr | None) -> bool | None:
    if node is None:
        return True
    return not node.value if isinstance(node, ast.Constant) else None


def _word(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
