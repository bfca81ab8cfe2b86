"""The layers of a function: what each is made as, which attribute holds it, how it is applied.

A layer in a loop is one of a list.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, cast

from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph.layering.layers import CONTRIB, NORM
from migrate.programs.graph.made import Layer, Norm
from migrate.programs.graph.making import given_initializers
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import lifting
from migrate.rewriters.estimators.data import tables
from migrate.rewriters.estimators.models import (
    arg_scopes,
    auto_reuse,
    objects,
    own_layers,
    reopened,
    stacks,
    weights,
)
from migrate.rewriters.estimators.models.values import DROPOUTS
from migrate.rewriters.estimators.models.writer import Writer
from migrate.rewriters.estimators.optimizing import averages, set_initializers
from migrate.rewriters.estimators.program import LAYERS
from migrate.rewriters.estimators.recurrence import crf, dropped_cells, recurrent
from migrate.rewriters.estimators.syntax import loaded, reads, stores
from migrate.rewriters.sessions import layers as keras

if TYPE_CHECKING:
    from migrate.rewriters.sessions.sources import Sources

OF_A_RUN = ("inputs", "ids", "training", "is_training")  # a layer's arguments when it is applied
# Names of `keras.Model` that its own attributes must not take.
RESERVED = frozenset(
    {
        *("build", "call", "compile", "compute_loss", "compute_metrics", "dtype", "evaluate"),
        *("export", "fit", "input", "inputs", "output", "outputs", "layers", "losses", "loss"),
        *("metrics", "name", "optimizer", "path", "predict", "predict_step", "save", "summary"),
        *("test_step", "train_step", "trainable", "training", "variables", "weights", "built"),
        *("trainable_variables", "stop_training", "run_eagerly", "jit_compile", "history"),
    }
)
# What authors call whatever is at hand.
PLAIN = frozenset(
    {
        *("net", "x", "y", "h", "out", "output", "outputs", "inputs", "input", "tensor", "layer"),
        *("result", "top", "curr_layer", "current", "current_layer", "features", "feature_map"),
        *("temp", "tmp", "prev", "input_layer", "value", "img", "image"),
    }
)


class Layers(Writer):
    """Finds a function's layers and applies them."""

    def find(self, body: Iterable[ast.stmt], loops: tuple[ast.For, ...] = ()) -> None:
        """Look at the layers of statements: what is made, and what it is called."""
        for stmt in body:
            stacks.repeated(self.program, stmt)
            if isinstance(stmt, (ast.For, ast.If, ast.With)):
                inside = (*loops, stmt) if isinstance(stmt, ast.For) else loops
                head = stmt.iter if isinstance(stmt, ast.For) else getattr(stmt, "test", None)
                if head is not None and self.layered(head):
                    raise Blocked(head, "a layer in the head of a loop or a branch")
                self.find(stmt.body, inside)
                self.find(getattr(stmt, "orelse", []), loops)
                continue
            for call in self.layered(stmt):
                if isinstance(stmt, (ast.While, ast.Try, ast.FunctionDef)):
                    reason = "a layer in a while loop or an inner function"
                    if isinstance(stmt, ast.FunctionDef):
                        lifting.inner(self.program, stmt, reason)
                    raise Blocked(call, reason)
                if len(loops) > 1:
                    raise Blocked(call, "a layer in a loop in a loop")
                self.add(call, stmt, loops)

    def add(self, call: ast.Call, stmt: ast.stmt, loops: tuple[ast.For, ...]) -> None:
        """A layer: its source, and the attribute that holds it."""
        if id(call) in self.calls:
            return
        from migrate.rewriters.estimators.models import parts

        function = self.maker(call)
        if (first := reopened.first(self, call)) is not None:
            if id(first) not in self.attributes:
                raise Blocked(call, auto_reuse.AGAIN)
            _, self.calls[id(call)] = self.made(call)
            self.sources[id(call)] = []
            self.attributes[id(call)] = self.attributes[id(first)]
            return
        again = function is not None and parts.reuses(self, function, call)
        sources, layer = self.made(call)
        if again and function is not None:
            self._again(call, function, layer)
            if name := averages.read_by(self, call, function):
                self.averaged[id(call)] = name
            return
        if function is not None and averages.getter(self, call, function) is not None:
            raise Blocked(call, "a `custom_getter` of variables that aren't used again")
        self.calls[id(call)] = layer
        self.sources[id(call)] = sources
        names = []
        for place, source in enumerate(sources):
            name = self._name(call, stmt, source, place, many=bool(loops))
            names.append(name)
            if loops:
                self.lists.setdefault(id(loops[0]), []).append(name)
        self.attributes[id(call)] = names
        stands = objects.stands(self.program, call)
        cell = layer.endpoint in recurrent.CELLS
        if layer.endpoint in weights.KNOWN | tables.KNOWN | averages.KNOWN or stands or cell:
            if isinstance(stmt, ast.Assign) and not loops:
                target = stmt.targets[0]
                if isinstance(target, ast.Name) and stmt.value is call:
                    if len(self.program.scopes.bound(self.function)[target.id]) == 1:
                        self.aliases[target.id] = names[0]
                        self.dropped.add(id(stmt))
                        if stands:
                            self.objects[target.id] = call
                        return
        if stands:
            raise Blocked(call, "a layer's object that isn't under one name")

    def _again(self, call: ast.Call, function: ast.FunctionDef, layer: Layer) -> None:
        """A call of a function whose variables an earlier call has made.

        Raises:
            Blocked: that isn't seen.
        """
        from migrate.rewriters.estimators.models import parts

        for other in self.calls.values():
            if other.factory is function and parts.same_host(self, other.call, call, function):
                self.calls[id(call)] = layer
                self.sources[id(call)] = []
                self.attributes[id(call)] = self.attributes[id(other.call)]
                return
        raise Blocked(call, "whose variables are used again isn't seen")

    def made(self, call: ast.Call) -> tuple[list[str], Layer]:
        """The sources of the Keras layers that a call makes."""
        endpoint = self.program.called(call)
        function = self.maker(call)
        if function is not None:
            from migrate.rewriters.estimators.models import parts

            parts.unread(self, function, call)
            made, source = parts.part(self, function, call)
            self.parts[id(call)] = made
            _, given = parts.kinds(self, function, call)
            return [source], Layer(function.name, call, given, {}, factory=function)
        if endpoint in tables.KNOWN:
            source = tables.made(self.program, call, self.text.source)
            return [source], Layer(endpoint, call, tables.given(self.program, call), {})
        if endpoint in averages.KNOWN:
            source = averages.made(self, call)
            return [source], Layer(endpoint, call, averages.given(self.program, call), {})
        if endpoint in weights.KNOWN:
            return [weights.made(self, call)], Layer(
                endpoint, call, weights.given(self.program, call), {}
            )
        if endpoint in LAYERS:
            source, inputs = LAYERS[endpoint](self.program, endpoint, call)
            rest = {k: v for k, v in self.program.given(call).items() if v is not inputs}
            return [source], Layer(endpoint, call, {**rest, "inputs": inputs}, {})
        if endpoint in recurrent.CELLS:
            source, given = recurrent.cell(self, call), dict(self.program.given(call))
            if dropped_cells.shares(self.program, call):
                given["cells"] = dropped_cells.bare(self.program, given["cells"])
            return [source], Layer(endpoint, call, given, {})
        made_here = objects.inline(self.program, call)
        if made_here is not None or objects.makes(self.program, call):
            return self._object(made_here or call, call if made_here is not None else None)
        scoped = arg_scopes.given(self.program, endpoint, call)
        return self._function(endpoint, call, scoped | self.walker.bound(endpoint, call))

    def _object(self, made: ast.Call, call: ast.Call | None) -> tuple[list[str], Layer]:
        """The source of a layer's object, which a call applies at once or names apply later."""
        endpoint = self.program.called(made)
        given = objects.given(self, made, call)
        if own_layers.of(self.program, made) is not None:
            return [own_layers.made(self, made)], Layer(endpoint, call or made, given, {})
        if endpoint in objects.ALIKE:
            source = objects.keras(self, made)
            if endpoint.endswith(".Dense") and (units := self.program.given(made).get("units")):
                source = self._whole(units, source)
            return [source], Layer(endpoint, call or made, given, {})
        if call is not None:
            return self._function(objects.CLASSES[endpoint], call, given)
        if endpoint.endswith("BatchNormalization") and not self.updates:
            raise Blocked(made, "batch normalization whose updates don't run")
        sources, layer = self._function(objects.CLASSES[endpoint], made, given)
        if len(sources) != 1 or layer.norm is not None:
            raise Blocked(made, "an object of `tf.layers` that is several of Keras's")
        layer.endpoint = endpoint
        return sources, layer

    def _function(
        self, endpoint: str, call: ast.Call, given: dict[str, ast.expr]
    ) -> tuple[list[str], Layer]:
        """The sources of what a function of layers makes, or an object called at once."""
        reuse = given.get("reuse")
        if reuse is not None and not (isinstance(reuse, ast.Constant) and not reuse.value):
            if not reopened.found(self):
                raise Blocked(reuse, "a layer that may be used again")
        layer = Layer(endpoint, call, given, {})
        if endpoint in DROPOUTS:
            return [self._dropout(layer)], layer
        for argument, node in given.items():
            self._described(layer, argument, node)
        layer.norm = self._norm(layer)
        made = keras.made(layer, cast("Sources", self))
        units = given.get("units")
        if endpoint.endswith("layers.dense") and units is not None:
            made[0] = self._whole(units, made[0])
        return made, layer

    def _whole(self, units: ast.expr, source: str) -> str:
        """A dense layer of as many units as a text may say: TF 1 made an int of it."""
        said = self.text.source(units)
        if (
            isinstance(units, ast.Constant)
            or said.startswith(("int(", "len("))
            or not self.program.splits
        ):
            return source
        source = source.replace(f"Dense(units={said}", f"Dense({said}", 1)
        return source.replace(f"Dense({said}", f"Dense(int({said})", 1)

    def _described(self, layer: Layer, argument: str, node: ast.expr) -> None:
        """An initializer or a regularizer, by what it was made with."""
        if not argument.endswith(("initializer", "_regularizer")):
            return
        value = self.program.scopes.value(node)
        endpoint = self.program.called(value) or self.program.endpoint(value)
        call = value if isinstance(value, ast.Call) else None
        if argument.endswith("initializer") and endpoint:
            layer.described[argument] = (endpoint, call)
            layer.given[argument] = value
        elif argument.endswith("initializer") and set_initializers.is_one(self, node):
            layer.described[argument] = (given_initializers.CALLED, None)
        elif endpoint and call is not None:
            self.walker.regularizers[id(value)] = (endpoint, self.walker.bound(endpoint, call))
            layer.given[argument] = value

    def _norm(self, layer: Layer) -> Norm | None:
        given = layer.given
        if layer.endpoint == "tensorflow.layers.batch_normalization":
            switch = given.get("training")
            return Norm(layer.call, given, switch, False, False, True, frozen=not self.updates)
        if layer.endpoint == NORM:
            switch = given.get("is_training")
            nodes = given.get("updates_collections")
            at_once = isinstance(nodes, ast.Constant) and nodes.value is None
            if nodes is not None and not at_once:
                raise Blocked(nodes, "updates in a collection of their own")
            frozen = not (self.updates or at_once)
            return Norm(layer.call, given, switch, True, at_once, False, frozen=frozen)
        return arg_scopes.norm(self.program, layer, updates=self.updates)

    def _dropout(self, layer: Layer) -> str:
        given, contrib = layer.given, layer.endpoint.startswith(CONTRIB)
        known = ("inputs", "rate", "keep_prob", "training", "is_training", "seed", "name", "scope")
        for argument, node in given.items():
            if argument not in known and not (isinstance(node, ast.Constant) and not node.value):
                raise Blocked(node, f"`{argument}` of a dropout")
        share = given.get("keep_prob" if contrib else "rate")
        rate = "0.5"
        if share is not None:
            rate = self.text.source(share)
            if contrib:
                number = share.value if isinstance(share, ast.Constant) else None
                simple = isinstance(number, (int, float))
                rate = f"{1 - number:.12g}" if simple else f"1 - {rate}"  # type: ignore[operator]
        seed = f", seed={self.text.source(given['seed'])}" if "seed" in given else ""
        return f"{self.tf}.keras.layers.Dropout({rate}{seed})"

    def applied(self, call: ast.Call) -> str:
        """The call of a layer's objects."""
        layer = self.calls[id(call)]
        loop = any(id(a) in self.lists for a in self.program.scopes.around(call))
        names = [_one(n) if loop else f"self.{n}" for n in self.attributes[id(call)]]
        if layer.factory is not None:
            from migrate.rewriters.estimators.models import parts

            made = self.parts[id(call)]
            if id(call) in self.averaged:
                by = self.aliases[self.averaged[id(call)]]
                return parts.applied(self, made, f"self.{by}.applied", call, [names[0]])
            return parts.applied(self, made, names[0], call)
        if layer.endpoint in recurrent.CELLS:
            return dropped_cells.around(self, call, names[0])
        if layer.endpoint in {*weights.KNOWN, *tables.KNOWN, *averages.KNOWN}:
            return names[0]
        if layer.endpoint in objects.ALIKE or own_layers.of(self.program, call.func) is not None:
            return objects.applied(self, call, names[0], layer.endpoint)
        if layer.endpoint in LAYERS:
            return f"{names[0]}({self.source(layer.given['inputs'])})"
        if layer.endpoint in DROPOUTS:
            given, contrib = layer.given, layer.endpoint.startswith(CONTRIB)
            switch = given.get("is_training" if contrib else "training")
            said = self.source(switch) if switch is not None else str(contrib)
            return f"{names[0]}({self.source(given['inputs'])}, training={said})"
        return keras.called(layer, names, cast("Sources", self))

    def _name(self, call: ast.Call, stmt: ast.stmt, source: str, place: int, *, many: bool) -> str:
        """What an attribute is called: as the layer or the author's variable is, or its kind."""
        kind = _snake(source.partition("(")[0].rpartition(".")[2])
        if self.calls[id(call)].endpoint in weights.KNOWN:
            kind = "weight"
        if self.calls[id(call)].endpoint in tables.KNOWN:
            kind = "table"
        cell = self.calls[id(call)].endpoint in recurrent.CELLS
        kind = "cell" if cell else kind
        kind = kind if self.calls[id(call)].factory is None else kind.removesuffix("_layers")
        wishes = []
        given = self.calls[id(call)].given
        said = given.get("name", given.get("scope"))
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if not place and self.calls[id(call)].factory is None:
            if isinstance(said, ast.Constant) and str(said.value).isidentifier():
                wishes.append(str(said.value))
            if wishes and wishes[0] not in self.own:
                pass
            elif cell and getattr(stmt, "value", None) is not call:
                pass  # the name is of what the cell computes
            elif isinstance(target, ast.Name) and target.id.lower() not in PLAIN:
                if self.layered(stmt) == [call]:
                    wishes.append(target.id)
        wishes.append(kind)
        if many:
            wishes = [_many(w) for w in wishes]
        return self.attribute(*wishes, local=many)

    def attribute(self, *wishes: str, local: bool = False) -> str:
        """A name for an attribute; ``local``: one of a loop's too."""
        taken = self.names | RESERVED | self.own
        here = self.identifiers if local else frozenset()
        numbered = (f"{wishes[-1]}_{number}" for number in range(1, 1000))
        for name in (*wishes, *numbered):
            if name not in taken and name.lower() not in PLAIN and _one(name) not in here:
                self.names.add(name)
                return name
        raise AssertionError("a thousand layers")

    @cached_property
    def object_calls(self) -> dict[int, str]:
        """The calls of layers' objects that have names, by id: what makes the object."""
        return objects.uses(self)

    @property
    def known(self) -> set[int]:
        """The calls that are written as something else, by id."""
        inner = {id(c.func) for c in (layer.call for layer in self.calls.values())}
        cells = [n for c in self.calls.values() for n in walk(c.call)]
        inner |= {id(n) for n in cells if self.program.called(n) in recurrent.CELLS}
        inner |= averages.calls(self) | set(self.walker.regularizers)
        inner |= {id(n) for n in cells if own_layers.within(self.program, n)}
        return {*self.calls, *self.object_calls, *inner, *recurrent.loops(self), *crf.calls(self)}

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """The names in the function."""
        return frozenset(n.id for n in all_of(self.function, ast.Name))

    def loop(self, stmt: ast.For) -> str:
        """A loop's head, with the layers that it takes one after the other."""
        target = self.text.source(stmt.target)
        names = self.lists.get(id(stmt))
        if not names:
            return f"for {target} in {self.source(stmt.iter)}:"
        if stmt.orelse:
            raise Blocked(stmt, "layers in a loop with an else")
        used = {n for s in stmt.body for n in self._applied_reads(s)}
        singles = [_one(n) for n in names]
        lists = [f"self.{n}" for n in names]
        wanted = stores(stmt.target) & used
        if wanted:
            if isinstance(stmt.target, ast.Tuple):
                target = f"({target.strip('()')})"
            singles, lists = [target, *singles], [self.source(stmt.iter), *lists]
        if len(lists) == 1:
            return f"for {singles[0]} in {lists[0]}:"
        return f"for {', '.join(singles)} in zip({', '.join(lists)}):"

    def _applied_reads(self, stmt: ast.stmt) -> set[str]:
        """The names that a statement reads where its layers are applied."""
        found: set[str] = set()
        stack: list[ast.AST] = [stmt]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.With) and self.flat(node):
                stack.extend(node.body)
                continue
            if isinstance(node, ast.For) and id(node) in self.lists:
                stack.extend([*node.body, *node.orelse])
                inner = {n for s in node.body for n in self._applied_reads(s)}
                if stores(node.target) & inner:  # else its layers are what the loop goes over
                    stack.append(node.iter)
                continue
            if id(node) in self.calls:
                layer = self.calls[id(cast("ast.Call", node))]
                if layer.endpoint in recurrent.CELLS:
                    stack.extend(dropped_cells.shares(self.program, layer.call).values())
                made = self.parts.get(id(node))
                if made is None:
                    stack.extend(v for k, v in layer.given.items() if k in OF_A_RUN)
                else:
                    kinds = ("tensor", "told")
                    stack.extend(v for k, v in layer.given.items() if made.kinds[k] in kinds)
                continue
            if isinstance(node, ast.Name) and loaded(node):
                found.add(node.id)
            stack.extend(children(node))
        return found & reads(stmt) if isinstance(stmt, ast.With) else found


def _snake(name: str) -> str:
    name = name.replace("2D", "2d").replace("1D", "1d").replace("3D", "3d")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _many(name: str) -> str:
    return f"{name}_layers"


def _one(name: str) -> str:
    return name.replace("_layers", "", 1)
