"""What a Saver's file in TF 1 calls what the new program's checkpoint has: `migrate-names.json`.

A section for each Saver: the names of variables, which TF 1's naming of ops and scopes gives, each
with its path in the new checkpoint; recurrent cells by their scopes; optimizers with what their
slots become. Names that can't be told are listed with a reason, none is guessed.

docs/checkpoints.md describes the file; `migrate checkpoint convert --map` reads it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from migrate.programs.graph.cells import Shape
from migrate.programs.graph.made import SlotScope
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.savers import Saver
from migrate.programs.graph.walk import Apply, Gradient, Layer, Optimizer, Schedule
from migrate.rewriters.sessions import layers, norms, optimizers

if TYPE_CHECKING:
    from migrate.rewriters.sessions.state import Base

Section = dict[str, Any]
# What TF 1 and a Keras layer call the weights, in the order in which the layer makes them.
KERNEL = [("kernel", "_kernel"), ("bias", "bias")]
WEIGHTS = {
    "Dense": KERNEL,
    **{f"Conv{d}D": KERNEL for d in (1, 2, 3)},
    **{f"Conv{d}DTranspose": [("kernel", "kernel"), ("bias", "bias")] for d in (2, 3)},
    "SeparableConv2D": [(n, n) for n in ("depthwise_kernel", "pointwise_kernel", "bias")],
    "Embedding": [("embeddings", "_embeddings")],
}
CONTRIB_WEIGHTS = {"kernel": "weights", "bias": "biases"}
NORM = [(n, n) for n in ("gamma", "beta", "moving_mean", "moving_variance")]
UNTRAINED = frozenset({"moving_mean", "moving_variance"})
CELLS = {
    "BasicRNNCell": {"kernel": "kernel", "bias": "bias"},
    "BasicLSTMCell": {"kernel": "kernel", "bias": "bias"},
    "LSTMCell": {
        "kernel": "kernel",
        "bias": "bias",
        "projection/kernel": "projection",
        **{f"w_{gate}_diag": f"w_{gate}" for gate in "fio"},
    },
    "GRUCell": {
        f"{part}/{leaf}": f"{part}_{leaf}"
        for part in ("gates", "candidate")
        for leaf in ("kernel", "bias")
    },
}
# The lists of a Keras optimizer that hold what TF 1 has in slots, in the order of these. A number
# is that of a list among all slots: some lists are made twice, which only their variables survive.
SLOTS: dict[str, tuple[str | int | None, ...]] = {
    "GradientDescentOptimizer": (),
    "MomentumOptimizer": (0,),
    "AdamOptimizer": ("_momentums", "_velocities"),
    "AdagradOptimizer": ("_accumulators",),
    "AdadeltaOptimizer": ("_accumulated_grads", "_accumulated_delta_vars"),
    "FtrlOptimizer": ("_accumulators", "_linears"),
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


@dataclass(slots=True, eq=False, repr=False)
class Late:
    """What has variables once it is called: where, and which calls those are."""

    order: int
    names: list[Any]
    calls: set[int]


def section(module: Base, saver: Saver, written: Written) -> Section:
    """What is known of a Saver's names."""
    return _Section(module, saver, written).whole()


class _Section:
    def __init__(self, module: Base, saver: Saver, written: Written) -> None:
        self.module, self.saver, self.written = module, saver, written
        self.names: dict[str, str] = {}
        self.patterns: dict[str, str] = {}
        self.unknown: dict[str, str] = {}
        self.late: dict[str, Late] = {}  # by keyword

    def whole(self) -> Section:
        for key, source in self.written.variables.items():
            if key in self.written.cells:
                continue
            value = self.saver.values.get(source)
            if value is None:
                self.unknown[key] = "which variable it is isn't seen"
            else:
                self._variable(key, value)
        for key, (layer, alone) in self.written.layers.items():
            self._layer(key, layer, alone)
        for key, at in self.written.cells.items():
            self._cell(key, at)
        for key in self.written.others:
            self.unknown[key] = "the names of what a loop or a layer of one's own makes in TF 1"
        trained = {k: self._optimizer(k, o) for k, o in self.written.optimizers.items()}
        out: Section = {"names": self.names}
        if self.patterns:
            out["patterns"] = self.patterns
        if trained:
            out["optimizers"] = trained
        if self.unknown:
            out["unknown"] = self.unknown
        return out

    def _variable(self, path: str, value: Value) -> None:
        if value.items is not None:
            for key, item in value.items:
                self._variable(f"{path}/{_escaped(str(key))}", item)
        elif value.path is None or value.kind is not Kind.VARIABLE or value.data == "container":
            self.unknown[path] = "its name in TF 1 can't be told"
        elif value.path in self.names:
            self.unknown[path] = f"{value.path} is {self.names[value.path]} already"
        else:
            self.names[value.path] = path

    def _layer(self, key: str, layer: Layer, alone: bool) -> None:
        made: list[tuple[Layer, bool]] | None = [(layer, alone)]
        if layer.factory is not None:
            made = self._inside(layer)
        if made is None:
            self.unknown[key] = "the names of what a function makes can't be told"
            return
        names: list[Any] = []
        for place, (one, norm) in enumerate(made):
            found = self._weights(key if layer.factory is None else f"{key}/{place}", one, norm)
            if found is None:
                return
            names += found
        calls = {
            id(other.call)
            for other in self.module.walker.layers.values()
            if layer.call in (other.call, other.same)
        }
        self.late[key] = Late(2 * layer.order + alone, names, calls)

    def _inside(self, layer: Layer) -> list[tuple[Layer, bool]] | None:
        """A function's layers, in the order in which what it returns has them; None if unknown."""
        walker = self.module.walker
        calls = [
            one
            for one in walker.layers.values()
            if one.factory is layer.factory and one.same is None
        ]
        region = walker.entered[id(layer.factory)]
        if region.shaped:  # one entry, of variables with other names
            return [(replace(layer, factory=None, scope=None), False)]
        found: list[tuple[Layer, bool]] = []
        for entry in region.owned:
            inner = walker.layers.get(id(entry.layer))
            if inner is None:
                return None  # a variable of its own
            if len(calls) > 1:
                inner = replace(inner, scope=None)  # only the first call was followed
            if inner.factory is not None:
                deeper = self._inside(inner)
                if deeper is None:
                    return None
                found += deeper
                continue
            found.append((inner, inner.endpoint in norms.TABLE))
            if inner.norm is not None and inner.endpoint not in norms.TABLE:
                found.append((inner, True))
        return found

    def _weights(self, path: str, layer: Layer, alone: bool) -> list[Any] | None:
        """The trainable weights of a Keras layer; None where something isn't known."""
        contrib = ".contrib." in layer.endpoint
        given = layer.given
        if alone:
            leaves = NORM[:2] if layer.endpoint.endswith("layer_norm") else NORM
            below = "" if layer.endpoint in norms.TABLE else "BatchNorm/"
            given = layer.norm.given if layer.norm is not None else given
            own = given.get("scope", given.get("name")) if below else None
            if own is not None:
                self.unknown[path] = "a normalization with a scope of its own"
                return None
            scaled = not contrib or layer.endpoint.endswith("layer_norm")
            flags = {"gamma": ("scale", scaled), "beta": ("center", True)}
            gone = {n for n, (f, default) in flags.items() if _said(given.get(f), default) is False}
        else:
            keras = layers.TABLE.get(layer.endpoint)
            leaves, below = WEIGHTS.get(keras.name if keras else "", []), ""
            bare = _none(given.get("biases_initializer")) or layer.norm is not None
            gone = {"bias"} if bare or _said(given.get("use_bias"), True) is False else set()
        if layer.scope is None or not leaves:
            self.unknown[path] = "its name in TF 1 can't be told"
            return None
        names: list[Any] = []
        trainable = _said(given.get("trainable"), True)
        for leaf, attribute in leaves:
            if leaf in gone:
                continue
            leaf = CONTRIB_WEIGHTS.get(leaf, leaf) if contrib else leaf
            name = f"{layer.scope}/{below}{leaf}"
            self.names[name] = f"{path}/{attribute}"
            if leaf not in UNTRAINED and trainable:
                names.append(name)
        return names

    def _cell(self, key: str, at: str | int) -> None:
        held = self.saver.held[at]
        pairs = _patterns(held.cells.shape, 1)
        if held.scope is None or pairs is None or "{" in held.scope:
            self.unknown[key] = "the names of its variables in TF 1 can't be told"
            return
        scope = re.escape(held.scope) + "/" if held.scope else ""
        for match, to in pairs:
            self.patterns[scope + match] = f"{key}/{to}"
        applied = self.module.walker.kept.get("applied cells", {})
        calls = {node for node, (datas, _, _) in applied.items() if held.cells in datas}
        self.late[key] = Late(2 * held.order, [{"below": key}], calls)

    # -- optimizers --------

    def _optimizer(self, key: str, optimizer: Optimizer) -> Section:
        """An optimizer's variables: the order in which it trains, and what slots become."""
        name = optimizer.endpoint.rpartition(".")[2]
        given = optimizers.bound(optimizer)
        trained = next(t for t in self.saver.trained if t.optimizer is optimizer)
        found: Section = {}
        wanted = SLOTS.get(name)
        if wanted is None or optimizer.others:
            return {"unknown": "its slots in TF 1 can't be told"}
        if name == "RMSPropOptimizer":
            centered, still = _said(given.get("centered"), False), _zero(given.get("momentum"))
            if centered is None or still is None:
                return {"unknown": "its settings are computed"}
            momentum = None if still else 1
            wanted = (0, 1 if still else 2, momentum) if centered else (0, momentum)
        base = given.get("name")
        stem = name.removesuffix("Optimizer") if base is None else _word(base)
        slots = trained.slots
        if stem is None or slots is None or slots.scope is None:
            return {"unknown": "the names of its slots in TF 1 can't be told"}
        why = self._iterations(optimizer, slots, found)
        if why:
            return {"unknown": why}
        if not wanted:
            return found
        order = self._order(trained)
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
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return float(node.value)  # type: ignore[arg-type]
        return None

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
            found = self._entry(self.saver.values.get(text))
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
                names += found
            return names
        if isinstance(node, (ast.List, ast.Tuple)):
            names = []
            for item in node.elts:
                found = self._entry(self.saver.values.get(ast.unparse(item)))
                if found is None:
                    return None
                names += found
            return names
        return self._entry(self.saver.values.get(ast.unparse(node)))

    def _assigned(self, node: ast.expr, among: Iterable[ast.AST] | None = None) -> ast.expr | None:
        """What a name, or an attribute, is bound to, where that is done once."""
        text = ast.unparse(node)
        found = [
            n.value
            for n in among or ast.walk(self.module.document.tree)
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
        late = [one for one in self.late.values() if one.calls & inside]
        late.sort(key=lambda one: one.order)
        if self.unknown or "built" in self.module.walker.kept:
            return None
        for plans in self.module.plans.values():
            for plan in plans:
                steps = [*plan.steps, *(s for other in plan.borrowed for s in other.steps)]
                nodes = {id(n) for step in steps for n in ast.walk(step.node)}
                met = [bool(one.calls & nodes) for one in late]
                if met != sorted(met, reverse=True):
                    return None  # it may be what makes a later one first
        values = list(self.saver.values.values())
        early: list[tuple[int, str]] = []
        while values:
            value = values.pop()
            if value.items is not None:
                values.extend(v for _, v in value.items)
            elif value.path in self.names and value.path in read:
                early.append((value.order, str(value.path)))
        names: list[Any] = [name for _, name in sorted(early)]
        return [*names, *(n for one in late for n in one.names)], False

    def _read(self, gradient: Gradient) -> tuple[set[str | None], set[int]]:
        """The names of the variables, and the calls, that a loss comes of."""
        names: set[str | None] = set()
        nodes = {id(n) for n in ast.walk(gradient.loss)}
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
                nodes |= {id(n) for n in ast.walk(symbol.step.node)}
                stack.extend((*symbol.step.uses, *(s for a in symbol.step.after for s in a.uses)))
        return names, nodes


def _patterns(shape: Shape | None, group: int) -> list[tuple[str, str]] | None:
    """Regular expressions for the names below a cell's scope, and the paths below the cell."""
    if shape is None:
        return None
    if shape.inner is None:
        leaves = dict(shape.leaves) or CELLS.get(shape.kind)
        if leaves is None:
            return None
        return [(re.escape(f"{shape.name}/{leaf}"), to) for leaf, to in leaves.items()]
    several = shape.kind == "MultiRNNCell"
    inner = _patterns(shape.inner, group + several)
    if inner is None:
        return None
    if several:
        return [
            (f"multi_rnn_cell/cell_(\\d+)/{match}", f"cells/\\{group}/{to}") for match, to in inner
        ]
    return [(match, f"cell/{to}") for match, to in inner]


def _escaped(part: str) -> str:
    return part.replace(".", "..").replace("/", ".S")


def _none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _said(node: ast.expr | None, default: bool) -> bool | None:
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
