"""Functions of the module that make variables and apply them: they come to return what applies.

What a function is given goes to one of two times: what its variables are made of is there when it
is called, tensors and what only its run reads are given to what it returns. A call whose scope says
``reuse`` is another call of that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.feeding import module_inputs
from migrate.programs.graph.fetching import constant_inputs
from migrate.programs.graph.fetching.structures import Structure
from migrate.programs.graph.layering import (
    doubles,
    held_functions,
    joined_inputs,
    regularizers,
    same_nets,
    shaped,
)
from migrate.programs.graph.layering.layers import SWITCHES, is_arg_scope, open_scopes
from migrate.programs.graph.layering.layers import scoped as arg_scopes
from migrate.programs.graph.listing import own_collections, returned_lists
from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.listing.update_ops import at_once
from migrate.programs.graph.made import Frame, Function, Layer
from migrate.programs.graph.making import cut_builders, inner_variables, local_names, repeated
from migrate.programs.graph.model import (
    HOST,
    INPUT,
    NOTHING,
    PARAMETER,
    RUNTIME,
    Blocked,
    Fetch,
    Inner,
    Kind,
    Region,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.objects import bases, owners, plain_methods
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.optimizing.training_helpers import Mixed
from migrate.programs.graph.recurrence.recurrent_runs import stays
from migrate.programs.graph.running.sessions import Sessions
from migrate.programs.graph.scoping import (
    computed_scopes,
    default_names,
    handed_scopes,
    layers_reuse,
    named_again,
    scope_names,
    scoped_twins,
    scopes,
    tf1_names,
    told_ways,
)
from migrate.programs.graph.sizing import defaulted, equal_sizes, given_shapes
from migrate.programs.graph.wording import known_branches, switch_names

# What such a function may be given.
GIVEN = frozenset({Kind.HOST, Kind.ENDPOINT, Kind.FUNCTION, Kind.NONE, Kind.TENSOR, Kind.CONST})
GIVEN |= {Kind.PLACEHOLDER, Kind.VARIABLE, Kind.SETTING}


class Factories(Sessions):
    """Functions of the module that make variables and apply them."""

    def factory(
        self,
        function: Function,
        target: ast.FunctionDef,
        given: dict[str, Value],
        node: ast.Call,
        owner: Value | None = None,
    ) -> Value:
        """A call of such a function, or of a method of an object."""
        itself = target.args.args[0].arg if owner is not None else ""
        given = {n: v for n, v in given.items() if n != itself}
        repeated.allow(self, node, f"`{target.name}` makes variables in a loop or a branch")
        scopes.plain(self, node)
        args = target.args
        decorated = target.decorator_list and not bases.is_static(target)
        if args.vararg or args.kwarg or args.posonlyargs or decorated:
            raise Blocked(node, f"`{target.name}` makes variables and takes all kinds of arguments")
        if args.kwonlyargs:
            raise Blocked(node, f"`{target.name}` makes variables and has keyword-only parameters")
        handed_scopes.check(self, target, given, node)
        kinds = {n: Kind.TENSOR if v.kind in RUNTIME else Kind.HOST for n, v in given.items()}
        first = int(owner is not None)
        kinds |= dict.fromkeys(self._carried(target, given, node, first), Kind.TENSOR)
        kinds |= dict.fromkeys(constant_inputs.once(self, target, given, owner), Kind.TENSOR)
        for name, value in given.items():
            if value.kind not in GIVEN:
                raise Blocked(node, f"`{target.name}` is given {described(value)} as `{name}`")
        region = self.entered.get(id(target))
        known = region is not None
        if region is not None and region.scoped != (told := open_scopes(self)):
            reason = f"`{target.name}` is called in other arg_scopes before"
            if owner is None:
                scoped_twins.check(self, target, node, told, reason)
            raise Blocked(node, reason)
        scoped = arg_scopes(self, target, node)
        if region is None:
            joined_inputs.check(self, target, given, node)
            if owner is not None:
                returned_lists.check(self, target, node)
            try:
                region = self._entered(function, target, given, kinds, node, owner)
            except Mixed as error:
                if owner is not None:
                    cut_builders.check(self, target, error.node, error.reason)
                if owner is None:
                    training_helpers.returned(self, target, node, error)
                raise
            region.scoped, region.arg_scopes = scoped, list(self.kept.get("arg_scopes", ()))
            region.inner = self._in_function()
        elif region.inputs is None or any(
            kinds[n] is Kind.TENSOR and region.kinds.get(n) is not Kind.TENSOR
            for n in kinds
            if n not in region.handed
        ):
            raise Blocked(node, f"`{target.name}` is called with other kinds of arguments before")
        assert region.inputs is not None
        if not known:
            module_inputs.read(self, region, target, node)
        for name, value in self.kept[("given initializers", id(region))].items():
            if initializer(value) != initializer(given.get(name, HOST)):
                raise Blocked(node, f"`{name}` of `{target.name}` is an initializer or a value")
        for name in region.called:
            value = given.get(name, HOST)
            if regularizers.is_one(value):
                regularizers.handed(self, region, name, value, node)
                continue
            if value.data == PARAMETER and regularizers.passed(self, region, name, node):
                continue
            if value.kind not in (Kind.ENDPOINT, Kind.FUNCTION) and value.data != NOTHING:
                raise Blocked(node, f"`{name}`, which `{target.name}` calls, isn't seen")
        bound = self._bound_by(target, node, 1 if owner is not None else 0)
        for name in filter(lambda n: initializer(given[n]), given):
            said = bound.get(name)
            if not isinstance(said, ast.Name) and id(said) not in self.descriptions:
                raise Blocked(
                    node, f"`{name}` of `{target.name}` is an initializer that isn't seen"
                )
        scope_names.called(self, region, bound, node)
        layer = Layer("", node, bound, {}, target)
        for symbol in region.inputs:
            if symbol.name in bound:
                layer.tensors.append(bound[symbol.name])
                layer.keywords.append(symbol.name)
                if any(owned.layer is not None for owned in region.owned):
                    doubles.check(self, bound[symbol.name])
            elif symbol.name not in region.handed:
                defaulted.left_out(self, target, node, symbol.name)
                raise Blocked(node, "a tensor that is a default")
        for name, symbol in region.flags.items():
            if name in bound and name in given:
                source = (given[name].kind, self.symbol_of(bound[name]))
                self.flag_sources.setdefault(symbol, []).append(source)
                self.flag_arguments[id(bound[name])] = symbol
        layer.scopes = tuple(s.name for s in self.scopes if not s.ops_only)
        owners.noted(self, layer, owner)
        layer.same = self._reused(layer, region, owner)
        given_shapes.same(self, layer)
        if layer.same is None:
            computed_scopes.called(self, layer, region, partial(_told, layer, region))
        if layer.same is node:
            repeated.share(self, layer)
        if known and layer.same is None:
            named_again.replay(self, node, region, method=owner is not None)
        layer.naming, layer.chain = self.naming, self.naming.key(node)
        layer.order = self.naming.place(node)
        if repeated.again(self, layer):
            return self._applied(region)
        self.layers[id(node)] = layer
        self.norms.extend((self.sink, id(node)) for _ in self._norms(region))
        self.created.append(None)
        empty = not region.owned and not region.shaped  # `return tf.layers.flatten(x)`
        if layer.same is None and not empty and not any(o.layer is node for o in self.owned):
            owned = self._owned(layer, region)
            self.owned.append(own_collections.called(self, layer, region, owned))
        return self._applied(region)

    def _carried(
        self, target: ast.FunctionDef, given: dict[str, Value], node: ast.Call, first: int
    ) -> list[str]:
        """The parameters that a loop's first round gives a constant and others what they computed.

        ``h = tf.zeros([n, m])``, then in a loop ``h = step(x, h)``.
        """
        loop = self.sink.node
        if not self.loops or not isinstance(loop, (ast.For, ast.While)):
            return []
        bound = self._bound_by(target, node, first)
        stored = repeated.stores(loop)
        return [
            name
            for name, value in given.items()
            if value.kind is Kind.CONST
            and isinstance(said := bound.get(name), ast.Name)
            and said.id in stored
        ]

    @staticmethod
    def _applied(region: Region) -> Value:
        """What comes of applying what a function made."""
        assert region.result is not None
        given = region.result[1]
        if given.items is None:
            return Value(Kind.TENSOR, _told_of(given))
        items = None
        if given.shape in ("list", "tuple"):
            told = [_told_of(f) for f in given.items]
            items = [(i, Value(Kind.TENSOR, what)) for i, what in enumerate(told)]
            if not any(told):
                items = None
        return Value(Kind.TENSOR, "container", items)

    def _entered(
        self,
        function: Function,
        target: ast.FunctionDef,
        given: dict[str, Value],
        kinds: dict[str, Kind],
        node: ast.Call,
        owner: Value | None,
    ) -> Region:
        """Walk the function once, as a region."""
        defaulted.check(self, target)
        told_ways.unread(target)
        switch_names.check(self, target)
        region = Region(target, target.name)
        region.kinds = kinds
        region.alone = node if self.kept.get("called by nobody") is node else None
        sized = shaped.shaped_by(self, target)
        region.sized = tuple(n for n in sized if kinds.get(n) is Kind.TENSOR)
        region.shaped = region.sized[0] if region.sized else ""
        if region.shaped and owner is not None:
            plain_methods.shaped(self, owner.data.node, target, node)
            region.shaped, region.sized = "", ()
        if region.shaped:
            switch_names.ops_named(self, target)
        self.entered[id(target)] = region
        self.regions.append(region)
        start = Step(-1, target, Kind.HOST)
        start.region = region
        frame = region.frame = Frame(target, function.frame, region)
        region.chain = self.naming.key(node)
        for name, value in given.items():
            own = Value(Kind.PLACEHOLDER, INPUT)
            if kinds[name] is not Kind.TENSOR:
                data = PARAMETER if value.kind is Kind.HOST else value.data
                if initializer(value):
                    data = value.data
                own = Value(value.kind, data, value.items, None, value.node)
            frame.env[name] = Symbol(name, start, own)
            self.kept.setdefault("given inputs", {})[id(own)] = frame.env[name]
        self.kept[("given initializers", id(region))] = dict(given)
        if owner is not None:
            itself = target.args.args[0].arg
            frame.env[itself] = Symbol(itself, start, owner)
        region.inputs = []
        known_branches.shaping(self, region)
        before = len(self.owned)
        parameters = {n: frame.env[n] for n in given}
        saved = (self.frame, self.nested, self.stmt, self.sink, self.outer, self.controls)
        outer, self.scopes = self.scopes, []
        loops, self.loops = self.loops, 0
        self.frame, self.nested, self.controls = frame, 0, []
        self.outer = Inner(self.outer)
        tf1_names.entered(self, node, target, method=owner is not None)
        try:
            self.body(target.body)
        finally:
            tf1_names.left(self)
            self.frame, self.nested, self.stmt, self.sink, self.outer, self.controls = saved
            self.scopes, self.loops = outer, loops
        region.owned = self.owned[before:]
        del self.owned[before:]
        last = target.body[-1]
        while isinstance(last, ast.With):
            last = last.body[-1]
        if region.result is None or last is not region.result[0].node:
            raise Blocked(node, f"`{target.name}` makes variables and doesn't end with a return")
        inner_variables.named(self, region.result[0])
        making = self._making(region)
        read = {s.name for step in region.steps if step.moves for s in step.uses}
        read |= {name for step in region.steps if step.moves for name in step.hosts}
        read |= {s.name for leaf in region.result[1].leaves() for s in leaf.uses}
        read |= {name for leaf in region.result[1].leaves() for name in leaf.hosts}
        region.handed = frozenset(
            n
            for n in given
            if (scopes.said(self, target) or scopes.said(self, node))
            and kinds[n] is not Kind.TENSOR
            and n not in making
            and n in read
            and n not in scopes.spent(self, target)
            and given[n].kind in (Kind.HOST, Kind.NONE, Kind.ENDPOINT, Kind.FUNCTION)
        )
        if region.shaped:  # a layer is told the rest when it is made
            switches = {n.id for n in all_of(target, ast.Name) if id(n) in self.flags}
            region.handed &= switches
        said = [a.arg for a in target.args.args]  # a call may name them in another order
        region.inputs = sorted(
            (s for n, s in parameters.items() if kinds[n] is Kind.TENSOR or n in region.handed),
            key=lambda s: said.index(s.name) if s.name in said else len(said),
        )
        region.flags = {s.name: s for s in region.inputs}
        return region

    def _making(self, region: Region) -> set[str]:
        """The names that what is made of variables and layers reads."""
        found: set[str] = set()
        assert region.result is not None
        for step in region.steps:
            if step.drop:
                for item in getattr(step.node, "items", ()):
                    if not is_arg_scope(self, item.context_expr):  # its layers are given it
                        found |= _names(item) - scopes.only_told(self, region, item)
            elif not step.moves and step is not region.result[0]:
                found |= _names(step.node) - scopes.only_told(self, region, step.node)
            else:
                for node in walk(step.node):
                    layer = self.layers.get(id(node))
                    if layer is not None and not layer.inline:
                        wanted = self._made_of(layer)
                        for header in repeated.headers(step.node, node):
                            wanted |= _names(header)
                        if isinstance(step.node, (ast.For, ast.If)):
                            repeated.needed(self, step.node, wanted)
                        found |= wanted
        return found

    def _owned(self, layer: Layer, region: Region) -> Owned:
        """What a call owns: the layers of the function, where it has nothing else."""
        if region.shaped:
            return Owned(self._first_name(layer, region), None, layer.call)
        names: list[str] = []
        plain = [o for o in region.owned if o.layer is None and o.cell is None]
        cells = [o.cell for o in region.owned if o.cell is not None]
        alone = len(plain) == len(region.owned)
        if any(o.called for o in region.owned):
            return Owned(None, None)
        if region.owned and all(o.path and (o.ref or o.when) for o in plain):
            trained = {_trained(layer, region, o) for o in region.owned}
            seen = None not in layer.scopes and None not in trained
            if alone and (not seen or len(trained) > 1):
                return Owned(None, None)
            named = not any(o.inner or o.path is None for o in region.owned)
            if alone or (seen and named and plain and self._stay(cells, layer)):
                scope = [s for s in layer.scopes if s]
                told = [_told(layer, region, str(o.path)) for o in region.owned]
                told = [local_names.settled(self, "/".join([*scope, n]), layer.call) for n in told]
                inner = tuple(told)
                some = True in trained
                made = Owned(None, None, layer.call, some, inner=inner, made=True)
                if cells:
                    return replace(made, mixed=True, made=False, called=True)
                return made if alone else replace(made, mixed=True)
        for entry in region.owned:
            own = entry.layer is not None or stays(self, entry.cell, layer.factory)
            mine = entry.inner or ((entry.path,) if own else ())
            if not mine or None in mine or None in layer.scopes:
                if all(o.layer is not None for o in region.owned):  # TF 1 gives them names
                    return Owned(None, None, layer.call, inner=(local_names.UNTOLD,))
                return Owned(None, None)
            scope = [s for s in layer.scopes if s]
            told = ["/".join([*scope, _told(layer, region, str(name))]) for name in mine]
            names.extend(local_names.settled(self, name, layer.call) for name in told)
        return Owned(None, None, layer.call, inner=tuple(names))

    def _stay(self, cells: list[ast.expr], layer: Layer) -> bool:
        return all(stays(self, cell, layer.factory) for cell in cells)

    def _first_name(self, layer: Layer, region: Region) -> str | None:
        """The name in TF 1 of the first variable of a function that becomes a layer."""
        inside = {id(n) for n in walk(region.node)}
        name = next((m.name for key, m in self.made.items() if key in inside), None)
        if name is None or None in layer.scopes:
            return None
        path = "/".join([*(s for s in layer.scopes if s), _told(layer, region, name)])
        path = local_names.settled(self, path, layer.call)
        args = self.frame.node.args.args if isinstance(self.frame.node, ast.FunctionDef) else ()
        known = {a.arg for a in args}  # which the calls of the function at hand say
        return path if set(re.findall(r"\{(.*?)\}", path)) <= known | {"", "0"} else None

    def _made_of(self, layer: Layer) -> set[str]:
        hidden = {id(n) for n in layer.tensors}
        given = list(layer.given.items())
        if layer.norm is not None:
            given.extend(layer.norm.given.items())
        found: set[str] = set()
        for argument, value in given:
            if argument in ("inputs", "ids", "reuse", *SWITCHES) or id(value) in hidden:
                continue
            # A switch may stand in normalizer_params.
            switches = {id(n) for n in walk(value) if id(n) in self.flags}
            found |= {n.id for n in all_of(value, ast.Name) if id(n) not in switches}
        if held_functions.of(self, layer.call.func) is not None:
            found |= _names(layer.call.func)
        return found

    def _norms(self, region: Region) -> list[int]:
        """The batch normalizations that a function calls."""
        return [n for step, n in self.norms if step.region is region and not at_once(self, n)]

    @staticmethod
    def _bound_by(target: ast.FunctionDef, node: ast.Call, first: int) -> dict[str, ast.expr]:
        names = [a.arg for a in target.args.args[first:]]
        if any(isinstance(a, ast.Starred) for a in node.args) or len(node.args) > len(names):
            raise Blocked(node, "a call whose arguments are hidden by `*`")
        bound: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
        bound.update({k.arg: k.value for k in node.keywords if k.arg is not None})
        return bound

    def _elsewhere(self, layer: Layer, other: Layer) -> None:
        """See that what a function that makes layers finds again is its own, not its caller's.

        Raises:
            Inlinable: one of the two functions may stand where it is called.
            Blocked: it has no name there.
        """
        region = self.frame.region
        if region is None or region.inputs is None:
            return
        if not holds(region.node, other.call):
            why = "a function that makes layers uses another one's again"
            same_nets.check(self, layer.call, other.call)
            home = self.files.at(region.node).tree
            if home is not None and region.node in home.body:  # methods have another way
                layer.same = other.call
                raise training_helpers.remade(self, layer, why)
            raise Blocked(layer.call, why)

    def _reused(self, layer: Layer, region: Region, owner: Value | None) -> ast.Call | None:
        """The earlier call whose variables a call finds again, by its scopes."""
        mode = self._mode(layer, region)
        if mode is False:
            return None
        inputs = {s.name for s in region.inputs or ()}
        told = scopes.by_parameters(self, region) - (self._making(region) - scopes.REUSE)
        read = _names(region.node)

        def unlike(one: Layer, two: Layer) -> list[str]:
            """The parameters that two calls aren't seen to give the same."""
            first, second = (
                {n: v for n, v in values.items() if n in read and n not in told and n not in inputs}
                for values in (self._filled(one), self._filled(two))
            )
            return [
                n
                for n in {**first, **second}
                if n not in first
                or n not in second
                or not (
                    ast.unparse(first[n]) == ast.unparse(second[n])
                    or equal_sizes.same(self, first[n], second[n])
                )
            ]

        apart = False
        for key, other in self.layers.items():
            if key in self.past:
                continue
            if other.factory is not layer.factory or other.same is not None:
                continue
            if _inner(other.scopes) != _inner(layer.scopes) or None in layer.scopes:
                continue
            if other.call is layer.call and repeated.named(self, layer):
                continue  # each round has its own
            odd = unlike(other, layer)
            if not odd:
                if mode is scopes.AUTO:
                    default_names.called(self, layer, other)
                if owners.same(self, layer, other, owner):
                    self._elsewhere(layer, other)
                    return other.call
                apart = True
            elif other.call is not layer.call and not self._named_apart(region, odd, other, layer):
                apart = True
        if mode is scopes.AUTO and not apart:
            return None  # the first
        if layer.factory is not None:
            same_nets.beside(self, layer.factory, layer.call)
        raise training_helpers.remade(self, layer, "the variables that are used again aren't seen")

    @staticmethod
    def _filled(layer: Layer) -> dict[str, ast.expr]:
        """What a call gives the parameters of a function, defaults included."""
        assert layer.factory is not None
        args = layer.factory.args
        names = reversed([a.arg for a in args.args])
        return dict(zip(names, reversed(args.defaults), strict=False)) | layer.given

    def _named_apart(self, region: Region, odd: list[str], one: Layer, two: Layer) -> bool:
        """Whether an argument tells two calls' variables apart: each has it in its name."""
        first, second = self._filled(one), self._filled(two)
        telling = [
            n
            for n in odd
            if n in first and n in second and equal_sizes.different(self, first[n], second[n])
        ]

        def named(name: str) -> bool:
            inside = scopes.within(self, region.node, name)
            return all(
                (o.path is not None and re.search(rf"{{[^}}]*\b{name}\b", o.path))
                or (o.layer is not None and id(o.layer) in inside)
                for o in region.owned
            )

        return any(map(named, telling))

    def _mode(self, layer: Layer, region: Region) -> scopes.Reuse:
        """What a call says of its variables: new, found again, or either."""
        modes = layers_reuse.told_by(self, region, layer.given)
        modes += [s.reuse for s in self.scopes if not s.ops_only]
        opened = self.kept.get("opened", {}).get(id(region.node), ())
        modes += [s.reuse for s in opened if s.reuse and not s.inner(self, region)]
        if True in modes:
            return True
        return scopes.AUTO if scopes.AUTO in modes else False


def _inner(opened: Iterable[str | None]) -> list[str | None]:
    """Scopes but for the one at hand, which `tf.variable_scope(tf.get_variable_scope())` opens."""
    return [name for name in opened if name != ""]


def initializer(value: Value) -> bool:
    """Whether a value is an initializer of TensorFlow's."""
    data = value.data
    return (
        value.kind is Kind.HOST
        and isinstance(data, tuple)
        and data[0] in meaning.VALUE_INITIALIZERS
    )


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in all_of(node, ast.Name)}


def _trained(layer: Layer, region: Region, entry: Owned) -> bool | None:
    """Whether a call of a function trains one of its variables or layers; None: it isn't seen."""
    said: ast.expr | None = None
    if entry.layer is not None:
        said = next((k.value for k in entry.layer.keywords if k.arg == "trainable"), None)
    elif entry.chosen is None:
        return entry.trained
    name = said.id if isinstance(said, ast.Name) else entry.chosen
    if name is not None:
        target = region.node
        assert isinstance(target, ast.FunctionDef)
        names = [a.arg for a in reversed(target.args.args)]
        given = dict(zip(names, reversed(target.args.defaults), strict=False)) | layer.given
        said = given.get(name)
        if said is None:
            return None
    if said is None:
        return True
    known = isinstance(said, ast.Constant) and isinstance(said.value, bool)
    return bool(said.value) if known else None  # type: ignore[attr-defined]


def _told_of(given: Fetch) -> object:
    """What is known of a part of what a function returns: that it has several, or fields."""
    if given.items is not None or given.value.data == "container":
        return "container"
    return given.value.data if isinstance(given.value.data, Structure) else None


def _told(layer: Layer, region: Region, name: str) -> str:
    """A name in which a function's parameters may stand, as a call of it says them."""
    target = region.node
    assert isinstance(target, ast.FunctionDef)
    defaults = zip(reversed(target.args.args), reversed(target.args.defaults), strict=False)
    given = {a.arg: d for a, d in defaults} | layer.given
    stored = {n.id for n in all_of(target, ast.Name) if not _loads(n)}
    for argument in stored - set(given):  # a local name, which means nothing outside
        name = re.sub(rf"\{{{argument}\b.*?\}}", "{}", name)
    said = {argument: "{}" if argument in stored else _named(v) for argument, v in given.items()}
    name = re.sub(r"\{(\w+)(?: or '.*?')?\}", lambda m: said.get(m[1], m[0]), name)
    for attribute, text in layer.told.items():
        name = name.replace(f"{{{attribute}}}", text)
    return name


def _named(value: ast.expr) -> str:
    """A part of a name as a call says it; empty braces where it computes it otherwise."""
    if isinstance(value, ast.Constant):
        return value.value if isinstance(value.value, str) else "{}"
    if any(isinstance(n, ast.Attribute) for n in walk(value)):
        return "{}"
    return scopes.scope_name(value) or "{}"


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
