"""A function's statements and expressions, from the author's."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph.layering import same_nets
from migrate.programs.graph.layering.losses import Loss
from migrate.programs.graph.layering.metrics import Metric
from migrate.programs.graph.made import Decay
from migrate.programs.graph.making import repeated
from migrate.programs.graph.model import Blocked, Kind, Region, Step, Symbol
from migrate.programs.graph.objects import shared_objects
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.recurrence import recurrent
from migrate.programs.graph.walk import Layer, Schedule, Walker
from migrate.programs.graph.wording import known_branches
from migrate.rewriters.sessions import (
    argument_comments,
    effects,
    flattened,
    layers,
    losses,
    metrics,
    regularizers,
    schedules,
)
from migrate.rewriters.sessions.lines import CLOSE, OPEN
from migrate.rewriters.sessions.naming import Namer
from migrate.rewriters.sessions.repeated import Repeated
from migrate.rewriters.sessions.text import Text

ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
AGAIN = "the layer that is used again is another function's"
FROZEN = "  # no run updates its averages"
# Layers that are a normalization themselves.
NORMS = ("layers.batch_normalization", "layers.batch_norm")


class Sources:
    """A function's statements and expressions, from the author's."""

    def __init__(self, text: Text, walker: Walker, tf: str, namer: Namer) -> None:
        self.text = text
        self.walker = walker
        self.tf = tf
        self.namer = namer
        self.optimizers: dict[int, str] = {}  # a made optimizer's name, by the call that makes it
        self.kept_optimizers: dict[int, str] = {}  # the attribute that keeps one for a Saver
        self.sparse: dict[int, bool] = {}
        self.owners: dict[tuple[int, str], object] = {}  # of names in plans: whose update's
        self.members: dict[str, list[ast.AST]] = {}  # methods, and what names are given, by name
        self.values: dict[str, list[ast.AST]] = {}
        self.rates: dict[int, str] = {}  # decayed rates that are read early, by the fetch
        self.trained: set[int] = set()  # the optimizers that the region's runs use
        self.layers: dict[int, list[str]] = {}  # a layer's objects, by the call that it was
        self.lists: dict[int, list[str]] = {}  # those that hold them, where a loop makes them
        self.branched: set[int] = set()  # those that a branch makes, or doesn't
        self.gaps: set[int] = set()  # where some rounds of a loop make nothing
        self.apart: dict[Step, Repeated] = {}  # loops and branches that make layers
        self.refs: dict[Symbol, str] = {}  # how a region writes what is of another one
        self.cells: dict[int, str] = {}  # a recurrent cell that a run made, likewise
        self.fixed: dict[str, str] = {}  # switches as the function at hand has them, by name
        self.ways: dict[Step, int] = {}  # of branches that it decides
        self.given: set[Symbol] = set()  # what that function is given
        self.floor: dict[Step, int] = {}  # the last line before a step
        self.module: Any = None  # the module's writer
        self.home: Region | None = None  # whose functions these are

    def name_cells(self, step: Step) -> list[tuple[str, ast.Call]]:
        """The cells that a step of a run makes: they are made once, before it."""
        named = []
        for role, call in recurrent.made_in(self.walker, step.node):
            if id(call) not in self.cells:
                self.cells[id(call)] = self.namer.free(role)
            named.append((self.cells[id(call)], call))
        return named

    def name_layers(self, step: Step) -> list[tuple[list[str], Layer]]:
        """The layers of a step, the innermost first, under names of their own."""
        found = [
            self.walker.layers[id(n)]
            for n in all_of(step.node, ast.Call)
            if id(n) in self.walker.layers
            if not self.walker.layers[id(n)].inline
        ]
        # As Python evaluates the calls, and TF 1 made the variables.
        found.sort(key=lambda layer: self.text.index.span(layer.call)[1])
        found.sort(key=lambda layer: layer.same is not None)  # what is used again is named first
        target = step.defs[0].name if len(step.defs) == 1 else ""
        named = []
        for layer in found:
            key = id(layer.call)
            if layer.same is not None:
                if id(layer.same) not in self.layers:
                    same_nets.check(self.walker, layer.call, layer.same)
                    raise training_helpers.remade(self.walker, layer, AGAIN)
                self.layers[key] = self.layers[id(layer.same)]
                continue
            if key not in self.layers:
                kind = layer.endpoint.rpartition(".")[2]
                if layer.factory is not None:
                    kind = layer.factory.name
                    if kind == "__call__":  # of an object: `self.generator(z)`
                        kind = ast.unparse(layer.call.func).rpartition(".")[2]
                own = layer.given.get("name", layer.given.get("scope"))
                said = str(own.value) if isinstance(own, ast.Constant) else _stem(own)
                again = self.module.stores[target] > 1  # `net`: the layer says more
                wish = f"{target}_layer"
                if not target or len(found) > 1 or again:
                    wish = f"{said or kind}_layer"
                if not wish.isidentifier():
                    wish = f"{kind}_layer"
                self.layers[key] = [self.namer.free(wish.lower() if not target else wish)]
                if layer.norm is not None and not layer.endpoint.endswith(NORMS):
                    stem = self.layers[key][0].removesuffix("_layer")
                    self.layers[key].append(self.namer.free(f"{stem}_norm"))
                looped = repeated.loops(step.node, layer.call)
                if self._spread(step) and not looped:
                    self.layers[key] = [f"self.{name}" for name in self.layers[key]]
            named.append((self.layers[key], layer))
        self.repeated(step)
        return named

    def repeated(self, step: Step) -> Repeated | None:
        """A loop or a branch that makes layers or variables, to be taken apart."""
        if step not in self.apart and step.moves and repeated.takes_apart(self.walker, step.node):
            made = map(id, repeated.making(self.walker, step.node))
            if all(key in self.walker.layers and key not in self.layers for key in made):
                return None  # no run needs any of them
            self.apart[step] = Repeated(step, self)
        return self.apart.get(step)

    def made_by(self, node: ast.Call, step: Step) -> list[str]:
        """The sources of what a call makes: a layer's objects, or a variable."""
        layer = self.walker.layers.get(id(node))
        if layer is not None:
            return layers.made(layer, self)
        start, end = self.text.index.span(node)
        found = [r for r in self.module.variables(step, self) if start <= r[0] and r[1] <= end]
        source = self.text.text[start:end]
        for lo, hi, new in sorted(found, reverse=True):
            source = source[: lo - start] + new + source[hi - start :]
        return [source]

    def certain(
        self, call: ast.Call, ways: Mapping[int, str] | None = None, *, gaps: bool = False
    ) -> None:
        """See that what a call makes is there whatever a branch says, unless that is asked again.

        ``gaps``: rounds of a loop that make nothing may be left out.

        Raises:
            Spelled: a branch makes it that all calls of its function decide.
            Blocked: a branch makes it.
        """
        if id(call) in self.branched:
            error = Blocked(call, "what a branch makes is asked for by name")
            known_branches.around(self.walker, call, error)
            if id(call) not in (ways or {}) and not (gaps and id(call) in self.gaps):
                raise error

    def objects(
        self, call: ast.Call, attribute: str, owner: str = "", ways: Mapping[int, str] | None = None
    ) -> list[str]:
        """What the layers that a call makes have under a name, to be listed with others'.

        ``owner``: the object whose attributes they are.
        """
        home = self._home(call, owner)
        home.certain(call, ways, gaps=True)
        lists = home.lists.get(id(call))
        if lists is None:
            return [f"*{_owned(n, owner, call)}.{attribute}" for n in home.layers[id(call)]]
        each, names = attribute.removeprefix("trainable_").removesuffix("es")[:1], lists
        there = " if layer is not None" if id(call) in home.gaps else ""
        several = [_owned(m, owner, call) + there for m in names]
        return [f"*({each} for layer in {m} for {each} in layer.{attribute})" for m in several]

    def _home(self, call: ast.Call, owner: str) -> Any:
        """Where what a call makes has its names: here, or in the module, which functions see.

        Raises:
            Blocked: another function has them.
        """
        if id(call) in self.layers and not owner:
            return self
        wanted = ast.ClassDef if owner else ast.Module
        for region in self.module.walker.regions:
            functions = self.module.functions.get(id(region))
            if isinstance(region.node, wanted) and functions is not None:
                if id(call) in functions.layers:
                    return functions
        raise Blocked(call, "the variables of layers that another function makes")

    def _spread(self, step: Step) -> bool:
        """Whether layers are attributes: several methods build the graph, or a Saver is outside."""
        region = step.region
        if region is not None and region.shaped:
            return True  # a Keras layer's own
        if region is None or not isinstance(region.node, ast.ClassDef):
            return False
        if id(region) in self.walker.kept.get("saved outside", ()):
            return True
        return len({id(s.function) for s in region.steps if s.moves}) > 1

    def made_layers(self, step: Step) -> list[str]:
        """The statements that make a step's cells and layers."""
        cells = [f"{name} = {self.module.here(call, self)}" for name, call in self.name_cells(step)]
        apart = self.repeated(step)
        if apart is not None:
            return cells + apart.making("")
        made: list[str] = []
        for names, layer in self.name_layers(step):
            shared = id(layer.call) in self.walker.kept.get(shared_objects.LAYERS, ())
            for name, source in zip(names, layers.made(layer, self), strict=True):
                if shared:
                    source = shared_objects.layer(name, source)
                line = f"{name} = {source}{FROZEN if 'momentum=1.0' in source else ''}"
                if name == names[0] and not shared and layer.endpoint in layers.TABLE:
                    arguments = layers.TABLE[layer.endpoint].arguments
                    line = argument_comments.noted(line, layer, arguments, self.text)
                made.append(line)
            shape = self.walker.kept.get("built", {}).get(id(layer.call))
            if shape is not None:  # its variables are asked for before it is called
                made += [f"if not {shared_objects.GIVEN}:"] if shared else []
                unit = self.text.unit if shared else ""
                made.append(f"{unit}{names[0]}.build({shape})")
        return cells + made

    def switched(self, node: ast.expr) -> str | None:
        """What a switch is in the function at hand, where every run of it feeds the same."""
        if isinstance(node, ast.Name):
            return self.fixed.get(node.id)
        if isinstance(node, ast.Attribute) and id(node) in self.walker.attributes:
            return self.fixed.get(node.attr)
        return None

    def hosted(self, node: ast.expr) -> bool:
        """Whether a switch is Python's where a layer is called."""
        return self._hosted(*self.walker.flags.get(id(node), (Kind.TENSOR, None)))

    def _hosted(self, kind: Kind, symbol: Symbol | None) -> bool:
        if kind in (Kind.HOST, Kind.NONE):
            return True
        given = self.walker.flag_sources.get(symbol) if symbol is not None else None
        if given is not None:
            return all(self._hosted(*one) for one in given)
        return symbol is not None and symbol in self.module.switches

    def complement(self, node: ast.expr) -> str:
        """The share to drop where a share to keep is given."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return repr(round(1 - node.value, 10))
        source = self.source(node)
        return f"1 - {source}" if isinstance(node, ATOMS) else f"1 - ({source})"

    @staticmethod
    def ref(symbol: Symbol) -> str:
        """A symbol that stays where it is, as its region writes it."""
        return f"self.{symbol.name}" if symbol.attribute else symbol.name

    def source(self, node: ast.AST) -> str:
        """An expression as a function has it: an object's tensors are names there."""
        start, end = self.text.index.span(node)
        out, at = [], start
        for lo, hi, new in sorted(self.attributes(node)):
            out += [self.text.text[at:lo], new]
            at = hi
        return "".join(out) + self.text.text[at:end]

    def attributes(self, node: ast.AST) -> list[tuple[int, int, str]]:
        """What is written otherwise in a function: an object's tensors, calls of layers."""
        found = self.layer_calls(node)
        found += [r for r in self.settled(node) if not any(lo <= r[0] < hi for lo, hi, _ in found)]
        for n in walk(node):
            known = self.walker.aliases.get(id(n))
            span = self.text.index.span(n) if known is not None else (0, 0)
            if known is None or any(lo <= span[0] and span[1] <= hi for lo, hi, _ in found):
                continue
            moves = known[1].step.moves or known[1].value.kind is Kind.PLACEHOLDER
            moves = moves or known[1] in self.given
            found.append((*span, known[1].name if moves else self.ref(known[1])))
        found += [
            r for r in self.owned_here(node) if not any(lo <= r[0] < hi for lo, hi, _ in found)
        ]
        found += [
            (*self.text.index.span(n), self.walker.renamed[id(n)])
            for n in walk(node)
            if id(n) in self.walker.renamed
            and not any(lo <= self.text.index.span(n)[0] < hi for lo, hi, _ in found)
        ]
        return found + [
            (*self.text.index.span(n), symbol.name)
            for n in all_of(node, ast.Attribute)
            if (symbol := self.walker.attributes.get(id(n))) is not None
            and self._run(symbol)
            and not (symbol.value.kind is Kind.VARIABLE and symbol.name in self.walker.branched)
            and not any(lo <= self.text.index.span(n)[0] < hi for lo, hi, _ in found)
        ]

    def owned_here(self, node: ast.AST) -> list[tuple[int, int, str]]:
        """An object's attributes, asked for by a name of it that its class doesn't see."""
        if self.home is None or not isinstance(self.home.node, ast.ClassDef):
            return []
        return [
            (*self.text.index.span(n), f"self.{n.attr}")
            for n in all_of(node, ast.Attribute)
            if ast.unparse(n.value) != "self"
            if self._stays(n, self.walker.attributes.get(id(n)))
        ]

    def _stays(self, node: ast.Attribute, symbol: Symbol | None) -> bool:
        """Whether an attribute is of the object at hand, and no part of a run: its methods, too."""
        if symbol is None:
            owner = self.walker.meant.get(id(node.value))
            if owner is None or owner.value.kind is not Kind.OBJECT:
                return False
            return getattr(owner.value.data, "region", None) is self.home
        if symbol.step.region is not self.home:
            return False
        return not self._run(symbol)

    def _run(self, symbol: Symbol) -> bool:
        """Whether a symbol is a name in the function at hand: a part of the run, or fed to it."""
        moves = symbol.step.moves or symbol.fed or symbol.value.kind is Kind.PLACEHOLDER
        return moves or symbol in self.given

    def settled(self, node: ast.AST) -> list[tuple[int, int, str]]:
        """Switches in a node that the function at hand knows."""
        if not self.fixed:
            return []
        return [
            (*self.text.index.span(n), known)
            for n in walk(node)
            if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)
            if (known := self.switched(n)) is not None
        ]

    def layer_calls(self, node: ast.AST) -> list[tuple[int, int, str]]:
        """The outermost calls of layers in a node, each with those inside it."""
        stack, found = [node], []
        while stack:
            n = stack.pop()
            if id(n) in self.cells:
                found.append((*self.text.index.span(n), self.cells[id(n)]))
            elif isinstance(n, ast.Call) and id(n) in self.layers:
                layer = self.walker.layers[id(n)]
                new = layers.called(layer, self.layers[id(n)], self)
                found.append((*self.text.index.span(n), new))
            elif isinstance(n, ast.Call) and id(n) in self.walker.layers:
                layer = self.walker.layers[id(n)]
                new = layers.called(layer, layers.made(layer, self), self)
                found.append((*self.text.index.span(n), new))
            elif id(n) in self.walker.rewrites:
                new = self.walker.rewrites[id(n)](self)
                found.append(flattened.written(self.text, node, n, new))
            else:
                stack.extend(children(n))
        return found

    def decay(self, schedule: Schedule) -> str:
        """What a decay that has no name gives a run."""
        return f"{schedules.source(schedule, self.text.source, self.tf)}({self.ref(schedule.step)})"

    def decayed(self, schedule: Decay, step: ast.expr) -> str:
        """What a decay gives at a step that a run computes."""
        return f"{schedules.source(schedule, self.source, self.tf)}({self.source(step)})"

    def loss(self, loss: Loss) -> str:
        """A loss of `tf.losses` in TF 2's words."""
        return losses.source(loss, self.walker, self.source, self.tf, self.helper)

    def made_metric(self, metric: Metric) -> str:
        """The object of a metric of `tf.metrics`."""
        return metrics.made(metric, self.source, self.tf, self.helper)

    def metric(self, metric: Metric) -> str:
        """What a metric takes in."""
        return metrics.taken(metric, self.source, self.tf, self.helper)

    def helper(self, name: str, source: str) -> None:
        """A function or a class that the file gets."""
        self.module.need(name, source.replace("{tf}", self.tf))

    def regularizer(self, node: ast.Call) -> str:
        """A regularizer that has a name, as Keras's."""
        return regularizers.keras(*self.walker.regularizers[id(node)], self.text, self.tf)

    @staticmethod
    def unused(stmt: ast.stmt, node: ast.expr) -> bool:
        """Whether a statement is the expression and nothing else."""
        return isinstance(stmt, ast.Expr) and stmt.value is node

    def bare(self, step: Step, indent: str, span: tuple[int, int], source: str) -> str:
        """A statement as its right-hand side only."""
        piece = self.text.piece(step.node, self.floor.get(step, 0))
        start = self.text.index.span(step.node)[0]
        inner = [r for r in self.attributes(step.node) if r[0] >= span[1]]
        return self.text.render(
            piece.first, piece.last, piece.indent, indent, [(start, span[1], source), *inner]
        )

    def step(self, step: Step, indent: str, replaced: Sequence[tuple[int, int, str]] = ()) -> str:
        """A statement as the author wrote it, with its comments."""
        effect = effects.written(step, self, indent)
        if effect is not None:
            return effect
        if step in self.ways:
            return self.way(step, indent)
        piece = self.text.piece(step.node, self.floor.get(step, 0))
        spans = [(lo, hi) for lo, hi, _ in replaced]
        inner = [
            r
            for r in self.attributes(step.node)
            if not any(lo <= r[0] and r[1] <= hi for lo, hi in spans)
        ]
        inner += [
            self.module.removed(node, step.node)
            for node in walk(step.node)
            if id(node) in self.walker.gone and node is not step.node
        ]
        apart = self.repeated(step)
        if apart is not None:
            inner = [*(own := apart.applying()), *_outside(inner, own)]
        else:
            inner += _outside(self.opened(step.node), [*inner, *replaced])
        text = self.text.render(piece.first, piece.last, piece.indent, indent, [*replaced, *inner])
        if isinstance(step.node, ast.FunctionDef):
            return f"{OPEN}1\n{text}{CLOSE}1\n"
        return text

    def opened(self, stmt: ast.AST) -> list[tuple[int, int, str]]:
        """The scopes inside a statement that go: what stands in them is further left."""
        blocks = [n for n in all_of(stmt, ast.With) if n is not stmt]
        return [r for n in blocks if id(n) in self.walker.dropped for r in self.module.opened(n)]

    def way(self, step: Step, indent: str) -> str:
        """The statements of a branch, of which a run decides which way it goes."""
        if self.repeated(step) is not None or step.arms is None:
            raise Blocked(step.node, "a run decides a branch that makes layers or variables")
        arms, out, floor = step.arms, "", step.node.lineno
        if self.ways[step] == 1:
            floor = arms[0].body[-1].end_lineno or floor
        for stmt in arms[self.ways[step]].body:
            if id(stmt) in self.walker.gone:
                continue
            piece = self.text.piece(stmt, floor)
            floor = piece.last
            inner = self.attributes(stmt)
            inner += [
                self.module.removed(node, stmt)
                for node in walk(stmt)
                if id(node) in self.walker.gone
            ]
            inner += _outside(self.opened(stmt), inner)
            out += self.text.render(piece.first, piece.last, piece.indent, indent, inner)
        return out


def _outside(
    found: Sequence[tuple[int, int, str]], other: Sequence[tuple[int, int, str]]
) -> list[tuple[int, int, str]]:
    """Replacements that aren't inside other ones."""
    return [
        r for r in found if not any(lo < hi and lo <= r[0] and r[1] <= hi for lo, hi, _ in other)
    ]


def _stem(name: ast.expr | None) -> str:
    """What the names that are computed begin with: ``conv`` of ``"conv%d" % i``."""
    if isinstance(name, ast.JoinedStr) and name.values:
        name = name.values[0]
    while isinstance(name, (ast.BinOp, ast.Call, ast.Attribute)):
        below = name.left if isinstance(name, ast.BinOp) else None
        name = below or (name.func if isinstance(name, ast.Call) else getattr(name, "value", None))
    said = name.value if isinstance(name, ast.Constant) else ""
    found = re.match(r"[A-Za-z]\w*?(?=_?\d*_?(?:\W|$))", said) if isinstance(said, str) else None
    return found[0] if found is not None else ""


def _owned(name: str, owner: str, call: ast.Call) -> str:
    """An attribute of a method's own object as one of another object, where that is given.

    Raises:
        Blocked: it is a local name there.
    """
    if owner and "." not in name:
        raise Blocked(call, f"`{name}`, which a loop made, is a local name there")
    return f"{owner}.{name.partition('.')[2]}" if owner else name
