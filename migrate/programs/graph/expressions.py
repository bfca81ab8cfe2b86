"""What an expression is, from what its parts are."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from migrate.engine.trees import children, walk
from migrate.programs.graph import handed
from migrate.programs.graph.data import sparse
from migrate.programs.graph.feeding import feeds, listed_placeholders, optional_placeholders
from migrate.programs.graph.fetching import constant_lists, ops_by_number, result_fields
from migrate.programs.graph.fetching.structures import Structure
from migrate.programs.graph.layering import shaped, switched_norms
from migrate.programs.graph.listing import counted_slices, layer_variables, listed_slices
from migrate.programs.graph.made import MUTATORS, Frame, Function, Gradient, Schedule
from migrate.programs.graph.making import identities, named_variables, variable_properties
from migrate.programs.graph.meaning import canonical
from migrate.programs.graph.model import (
    HOST,
    INPUT,
    NOTHING,
    RUNTIME,
    Blocked,
    Instance,
    Kind,
    Reading,
    Step,
    Value,
    described,
    described_all,
    either,
)
from migrate.programs.graph.names import Names, free_names
from migrate.programs.graph.objects import (
    bases,
    getters,
    given_methods,
    objects_apart,
    parts,
    properties,
    unnamed_objects,
)
from migrate.programs.graph.optimizing import gradient_pairs
from migrate.programs.graph.recurrence.cells import Cells, carried, gathered
from migrate.programs.graph.running import default_session, generators, named_graphs
from migrate.programs.graph.scoping import handed_scopes, scope_names, shown_names, told_ways
from migrate.programs.graph.sizing import static_dims
from migrate.programs.graph.wording import alternatives, cases_in_dicts, dict_entries, spelled

OF_FLAGS = ("flag_values_dict", "is_parsed", "mark_as_parsed", "flags_into_string")
# What Python itself says of cells, or does with a list of them.
HELD = MUTATORS | {"state_size", "output_size"}


class Expressions(Names):
    """What an expression is, from what its parts are."""

    def test(self, node: ast.expr) -> Value:
        """A condition: of a tensor only what Python knows, a graph's tensors have no truth."""
        value = self.expression(node)
        return value if value.kind is Kind.TENSOR else self.host(node)

    def host(self, node: ast.expr) -> Value:
        """An expression that must be there when the graph is built."""
        value = self.expression(node)
        if value.kind in RUNTIME:
            raise Blocked(node, f"Python needs the value of {described(value)}")
        return value

    def expression(self, node: ast.expr) -> Value:
        name = self.endpoints.get(id(node))
        if name is not None and not isinstance(node, ast.Call):
            return HOST if _flag(name) else Value(Kind.ENDPOINT, name)
        handler: Callable[[ast.expr], Value] | None = getattr(
            self, f"_on_{type(node).__name__.lower()}", None
        )
        if handler is not None:
            return handler(node)
        return self.join(
            [self.expression(n) for n in children(node) if isinstance(n, ast.expr)],
            node,
        )

    def join(self, values: Iterable[Value], node: ast.AST) -> Value:
        """What comes of an operation on values."""
        values = list(values)
        kinds = {Kind.TENSOR if isinstance(v.data, Schedule) else v.kind for v in values}
        for value in values:
            if value.kind is Kind.ENDPOINT:
                kinds.discard(Kind.ENDPOINT)
                if not _constant_endpoint(value.data) and isinstance(node, ast.Call):
                    kinds.add(Kind.HOST)
        odd = kinds - {Kind.HOST, Kind.CONST, Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE}
        odd -= {Kind.NONE, Kind.FUNCTION, Kind.CLASS}
        if odd == {Kind.OP} and isinstance(node, (ast.Tuple, ast.List)):
            return Value(Kind.OP)
        if odd == {Kind.METHOD}:
            given_methods.check(self, node)
        if odd:
            what = ", ".join(sorted(k.value for k in odd))
            raise Blocked(node, f"an expression of {what} isn't followed")
        if kinds & {Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE}:
            return Value(Kind.TENSOR)
        if Kind.CONST in kinds:
            return Value(Kind.CONST)
        return carried(values)

    def _on_constant(self, node: ast.Constant) -> Value:
        return Value(Kind.HOST, NOTHING) if node.value is None else HOST

    def _on_name(self, node: ast.Name) -> Value:
        value = self.lookup(node)
        return scope_names.given(self, value, node) if value.kind is Kind.SETTING else value

    def _on_attribute(self, node: ast.Attribute) -> Value:
        if (shown := shown_names.read(self, node)) is not None:
            return shown
        owner = self.expression(node.value)
        kind = owner.kind
        if isinstance(owner.data, Cells) and node.attr not in HELD:
            return Value(Kind.METHOD, (owner, node.attr), node=node)
        if kind is Kind.HOST:
            return Value(Kind.HOST, "module") if owner.data == "module" else HOST
        if isinstance(owner.data, parts.Held):
            return parts.of(self, owner, node)
        if isinstance(owner.data, Structure) and (field := owner.data.attribute(node)) is not None:
            return field
        if kind is Kind.OTHER and hasattr(owner.data, "attribute"):
            found: Value = owner.data.attribute(self, node)
            return found
        if kind is Kind.ENDPOINT:
            whole = canonical(f"{owner.data}.{node.attr}")
            return HOST if _flag(whole) else Value(Kind.ENDPOINT, whole)
        if kind is Kind.OBJECT:
            return self.attribute(owner, node)
        if kind is Kind.CLASS and (
            node.attr == "__name__" or bases.is_plain(self, owner.data, node.attr)
        ):
            return HOST
        if (named := scope_names.attribute(self, owner, node)) is not None:
            return named
        if kind is Kind.FUNCTION and self.noted(owner, node.attr):
            return HOST
        if node.attr == "op" and kind in (Kind.OP, Kind.TENSOR):
            spelled.without_op(self, node)
        # Of an iterator, or what a function is applied to: it has no spec.
        element = hasattr(owner.data, "element") or owner.data == INPUT
        if node.attr == "shape" and (shape := shaped.read(self, owner, node.value)) is not None:
            return shape
        if kind is Kind.PLACEHOLDER and node.attr in ("shape", "dtype") and not element:
            return HOST  # a TensorSpec has them too
        if kind is Kind.VARIABLE and node.attr in ("shape", "dtype", "name"):
            if node.attr == "name":
                named_variables.named(self, owner, node)
            if node.attr == "shape":
                layer_variables.shape(self, owner, node)
            return HOST
        if kind in (Kind.TENSOR, Kind.CONST, Kind.PLACEHOLDER, Kind.VARIABLE):
            if node.attr == "shape":
                layer_variables.late(owner, node)
            if node.attr in ("shape", "dtype", "ndim", "ndims"):  # `ndims` of a shape
                return Value(Kind.TENSOR if kind is not Kind.CONST else Kind.HOST)
            if node.attr == "value" and static_dims.is_item(self, node.value):
                return Value(Kind.TENSOR)
            if owner.data == sparse.SPARSE and node.attr in sparse.READ:
                return Value(kind)
            if node.attr in ("c", "h") and kind in (Kind.TENSOR, Kind.CONST):
                return Value(kind)  # of an LSTM's state
            if (part := result_fields.read(self, owner, node)) is not None:
                return part
            if node.attr == "initializer":
                return Value(Kind.INIT)
        if kind is Kind.METHOD and owner.data[0].kind is Kind.SETTING:
            return owner
        if kind is Kind.SESSION and node.attr in ("graph", "graph_def"):
            return named_graphs.of_session(self, owner)
        return Value(Kind.METHOD, (owner, node.attr), node=node)

    def noted(self, owner: Value, attribute: str) -> bool:
        """Whether the module has set an attribute of a function to a number or a string."""
        node = getattr(owner.data, "node", None)
        return (id(node), attribute) in self.kept.get(("noted",), ())

    def attribute(self, owner: Value, node: ast.Attribute) -> Value:
        """An attribute of an object: what it was set to, or a method."""
        instance: Instance | None = owner.data
        if instance is None:
            raise Blocked(node, f"`{node.attr}` of an object that is one of several")
        symbol = instance.attrs.get(node.attr)
        if symbol is None:
            member = bases.find(self, instance.node, node.attr)
            if member is not None and properties.of_host(self, instance, member):
                # What it gives may be another one later on.
                what = f"`{node.attr}`, a property, is read"
                self.sink.impure = self.sink.impure or (node, what)
                return HOST
            if member is not None:
                variable_properties.read(self, instance, member, node)
                getters.read(self, instance, node)
                return Value(Kind.METHOD, (owner, node.attr), node=node)
            return HOST
        run = symbol.value.kind in RUNTIME or symbol.step.moves
        if run:
            unnamed_objects.read(self, node.value)
        if run:
            symbol = objects_apart.read(self, owner, node, symbol)
        if run and self.frame.region is None and not self.keying:
            if not self.carries(symbol):
                objects_apart.late(self, instance, symbol)
                raise Reading(node)
        self.attributes[id(node)] = symbol
        self.sink.uses[symbol] = None
        if hasattr(symbol.value.data, "read"):
            symbol.value.data.read(self, node)
        if symbol.value.kind is Kind.FETCH:
            self.fetch_loads.setdefault(symbol, {})[id(node)] = node
        return symbol.value

    def _on_subscript(self, node: ast.Subscript) -> Value:
        asked = named_variables.found(self, node) or counted_slices.found(self, node)
        if asked is not None:
            return asked
        owner = self.expression(node.value)
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
            if node.value.func.id in ("globals", "locals") and not node.value.args:
                raise Blocked(node, "a name that is looked up when the program runs")
        if owner.kind is Kind.OTHER and hasattr(owner.data, "item"):
            item: Value = owner.data.item(self, owner, node)
            return item
        fed = feeds.taken(self, owner, node) if owner.kind is Kind.FEED else None
        if fed is not None:
            return fed
        index = self.expression(node.slice)
        some = listed_slices.found(self, owner, node)
        if some is not None:
            return some
        if owner.kind is Kind.OBJECT and owner.each is not None:
            return owner.each
        part = handed.item(self, owner, node)
        if part is not None:
            return part
        if owner.kind is Kind.OTHER and owner.items and isinstance(node.slice, ast.Constant):
            for key, value in owner.items:
                if key == node.slice.value and isinstance(value.data, Schedule):
                    value.data.read(self, node)
                    return value
        if owner.data == "pair" and owner.items and isinstance(node.slice, ast.Constant):
            for key, value in owner.items:
                if key == node.slice.value:
                    return value
        if owner.kind in (Kind.FEED, Kind.SESSION, Kind.OTHER, Kind.OP, Kind.FETCH):
            dict_entries.check(self, node.value)
            ops_by_number.check(self, node)
            raise Blocked(node, f"an item of {described_all(owner.kind)} is taken")
        if owner.kind is Kind.METHOD:
            spelled.forgotten_call(self, node)
        if owner.kind is Kind.VARIABLE:
            if parts.item(owner) is not None and isinstance(node.slice, ast.Slice):
                return parts.listed([owner])
            if owner.items is not None or owner.data == "container" or owner.node is not None:
                return self.element(owner, node)
            return Value(Kind.TENSOR)
        if isinstance(owner.data, Structure) and (one := owner.data.part(owner, node)) is not None:
            return one
        if owner.items is not None and isinstance(node.slice, ast.Constant):
            for key, value in owner.items:
                if key == node.slice.value:
                    return value
        if constant_lists.sliced(owner, node):
            return Value(Kind.CONST, constant_lists.LIST)
        return self.join([owner, index], node)

    def keep_schedule(self, value: Value, node: ast.AST) -> None:
        """A decay is kept as what it is, not as the number that it gives a run."""
        alias = isinstance(node, (ast.Name, ast.Attribute)) and id(node) in self.decayed
        if isinstance(value.data, Schedule) and (value.data.call is node or alias):
            self.rewrites.pop(id(node), None)
            self.decayed.pop(id(node), None)

    def _on_slice(self, node: ast.Slice) -> Value:
        parts = [p for p in (node.lower, node.upper, node.step) if p is not None]
        return self.join([self.expression(p) for p in parts], node)

    def element(self, value: Value, node: ast.AST) -> Value:
        """One item of a container, whichever."""
        if value.each is not None:
            return value.each
        if isinstance(value.data, Structure) and value.data.partial:
            raise Blocked(node, "the parts of an attention's state, of which TF 1 has more")
        if isinstance(value.data, Gradient) and value.data.kind == "compute_gradients":
            return Value(Kind.OTHER, "pair", [(0, Value(Kind.TENSOR)), (1, Value(Kind.VARIABLE))])
        if value.kind is Kind.HOST:
            return carried([value])
        if value.items:
            kinds = {v.kind for _, v in value.items}
            if len(kinds) == 1:
                first = value.items[0][1]
                return Value(first.kind, first.data if len(value.items) == 1 else None)
            return self.join([v for _, v in value.items], node)
        if listed_placeholders.is_one(value):
            return Value(Kind.TENSOR)
        if value.kind in (Kind.TENSOR, Kind.VARIABLE, Kind.CONST):
            late = value.data == layer_variables.VARIABLES
            return Value(value.kind, layer_variables.LATE if late else None)
        if value.kind is Kind.ENDPOINT and _flag(f"{value.data}."):
            return Value(Kind.HOST)  # `for name in FLAGS`
        raise Blocked(node, f"an item of {value.kind.value} can't be told")

    def _display(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        values = []
        for place, item in enumerate(node.elts):
            if isinstance(item, ast.Starred):
                return self._collect([self.expression(n) for n in node.elts], None, node)
            values.append((place, self.expression(item)))
        return self._collect([v for _, v in values], values, node)

    _on_list = _on_tuple = _on_set = _display

    def _on_starred(self, node: ast.Starred) -> Value:
        return self.expression(node.value)

    def _collect(
        self, values: list[Value], items: Sequence[tuple[object, Value]] | None, node: ast.AST
    ) -> Value:
        kinds = {v.kind for v in values}
        plain = {Kind.HOST, Kind.CONST, Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE}
        plain |= {Kind.ENDPOINT, Kind.FUNCTION, Kind.NONE}
        if not kinds:
            return Value(Kind.HOST)
        if kinds <= {Kind.VARIABLE}:
            held = parts.together(values)
            return Value(Kind.VARIABLE, "container", items, each=held and parts.item(held))
        if kinds == {Kind.OBJECT}:
            if len({id(v.data) for v in values}) > 1:
                return Value(Kind.OTHER, "container", items)
            return Value(Kind.OBJECT, values[0].data, each=values[0])
        if kinds <= plain:
            joined = self.join(values, node)
            if joined.kind is Kind.HOST:
                joined = gathered(joined) if len(values) > 1 else joined
                parted = isinstance(node, ast.Tuple) and any(
                    isinstance(v.data, (tuple, Cells)) for v in values
                )
                return Value(Kind.HOST, joined.data, items if parted else None)
            return Value(joined.kind, None, items)
        nested = all(v.data is not None for v in values if v.kind is Kind.FETCH)
        if kinds <= plain | {Kind.OP, Kind.INIT} or (
            nested and Kind.FETCH in kinds and kinds <= plain | {Kind.OP, Kind.FETCH}
        ):
            if kinds <= {Kind.OP} and any(isinstance(n, ast.Call) for n in children(node)):
                return Value(Kind.OP, "group", node=node)  # made here: what a group is
            return Value(Kind.FETCH, self.collected(node), items, node=node)
        if kinds <= {Kind.HOST, Kind.OTHER, Kind.OPTIMIZER, Kind.FEED, Kind.FETCH}:
            for value in values:
                if isinstance(value.data, Schedule):
                    self.keep_schedule(value, value.data.call)
            return Value(Kind.OTHER, "container", items)
        raise Blocked(node, "a container of " + ", ".join(sorted(k.value for k in kinds)))

    def _on_dict(self, node: ast.Dict) -> Value:
        self.keying = True
        keys = [self.expression(k) if k is not None else None for k in node.keys]
        self.keying = False
        values = [self.expression(v) for v in node.values]
        if any(k is not None and k.kind in (*RUNTIME, Kind.CONST) for k in keys) or (
            feeds.of_variables(self, node, keys)
        ):
            return feeds.display(self, node, keys, values)
        if not node.keys:
            return Value(Kind.HOST, feeds.EMPTY)
        items = [
            (k.value, v)
            for k, v in zip(node.keys, values, strict=True)
            if isinstance(k, ast.Constant)
        ]
        try:
            return self._collect(values, items if len(items) == len(values) else None, node)
        except Blocked:
            if isinstance(self.stmt, ast.Assign) and self.stmt.value is node:
                dict_entries.check(self, self.stmt.targets[0])  # which may be names alone
            raise

    def next(self, node: ast.expr) -> Value:
        """What going through an expression gives, `zip` and `enumerate` taken apart."""
        rows = feeds.rows(self, node)
        if rows is not None:
            return rows
        items = self.expression(node)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return self.element(items, node)
        name = node.func.id
        if name not in ("zip", "enumerate") or self.expression(node.func).data != "builtin":
            return self.element(items, node)
        values = [self.expression(a) for a in node.args]
        if not values or any(v.kind not in (Kind.HOST, Kind.VARIABLE, Kind.TENSOR) for v in values):
            return self.element(items, node)
        each = [self.element(v, node) for v in values]
        if name == "enumerate":
            each = [HOST, each[0]]
        if all(v is HOST for v in each):
            return HOST
        return Value(Kind.OTHER, "pair", list(enumerate(each)))

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> Value:
        listed_placeholders.unpacked(self, node)
        if isinstance(node, ast.ListComp) and (several := listed_placeholders.made(self, node)):
            return several
        if isinstance(node, ast.DictComp) and (fed := listed_placeholders.fed(self, node)):
            return fed
        if isinstance(node, ast.ListComp) and (named := self.filtered(node)) is not None:
            return named
        if isinstance(node, ast.ListComp) and (said := named_variables.read(self, node)):
            return said
        if isinstance(node, ast.DictComp) and (keyed := named_variables.keyed(self, node)):
            return keyed
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            gradient_pairs.check(self, node)
        if isinstance(node, ast.ListComp) and static_dims.is_shape(self, node):
            value = self.expression(node.generators[0].iter)
            return value if value.kind is not Kind.TENSOR else Value(Kind.TENSOR, "container")
        frame = Frame(node, self.frame, None)
        outer, self.frame = self.frame, frame
        # Reads through it are the enclosing region's.
        frame.env.update(outer.env)
        frame.region = outer.region
        sink = self.sink
        self.sink = Step(-1, sink.node, Kind.HOST)
        self.naming.unsure += 1
        self.loops += 1
        try:
            for generator in node.generators:
                self.bind(generator.target, self.next(generator.iter))
                for test in generator.ifs:
                    if named_variables.filtered(self, generator, test):
                        continue
                    self.expression(test)
                    named_variables.chosen(self, generator, test)
            if isinstance(node, ast.DictComp):
                value = self.join([self.expression(node.key), self.expression(node.value)], node)
            else:
                value = self._made_by_round(node.elt)
                if value.kind is Kind.OBJECT:  # each round may make one more
                    value = self.expression(node.elt)
        finally:
            inner, self.sink, self.frame = self.sink, sink, outer
            self.naming.unsure -= 1
            self.loops -= 1
        own = set(map(id, inner.defs))
        sink.uses.update({s: None for s in inner.uses if id(s) not in own})
        bound = {s.name for s in inner.defs}
        sink.hosts |= inner.hosts - bound
        sink.impure = sink.impure or inner.impure
        sink.random = sink.random or inner.random
        sink.sites.extend(inner.sites)
        if value.kind is Kind.VARIABLE:
            return parts.listed([value])
        if value.kind is Kind.HOST:
            return gathered(carried([value]))
        if value.kind is Kind.OBJECT and value.each is None and isinstance(node, ast.ListComp):
            return Value(Kind.OBJECT, value.data, each=value)
        if gradient_pairs.pair(node, value):
            each = Value(Kind.OTHER, "pair", value.items)
            return Value(Kind.TENSOR, "container", each=each)
        if value.kind in (Kind.TENSOR, Kind.CONST, Kind.PLACEHOLDER):
            return Value(Kind.CONST if value.kind is Kind.CONST else Kind.TENSOR, "container")
        if value.kind is Kind.OP and value.data == "assign" and isinstance(node, ast.ListComp):
            return Value(Kind.OP, "assigns", node=node)
        raise Blocked(node, f"a comprehension of {described_all(value.kind)}")

    _on_listcomp = _on_setcomp = _on_generatorexp = _on_dictcomp = _comprehension

    def _made_by_round(self, node: ast.expr) -> Value:
        """What a round of a comprehension makes; of a list of assignments, the first."""
        if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
            if all(isinstance(n, ast.Call) for n in node.elts):
                values = [self.expression(n) for n in node.elts]
                if all(v.kind is Kind.OP and v.data == "assign" for v in values):
                    return values[0]
        return self.expression(node)

    def _on_lambda(self, node: ast.Lambda) -> Value:
        if self._variables_made(node):
            switched_norms.check(self, node)
            raise Blocked(node, switched_norms.REASON)
        names = set(free_names(node))
        for n in walk(node.body):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in names:
                self.lookup(n)
            elif isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name):
                if n.value.id in names and id(n) not in self.endpoints:
                    self.expression(n)
        if any(s.value.kind in RUNTIME or s.step.moves for s in self.sink.uses):
            self.reading[id(node)] = node
        return Value(Kind.FUNCTION, Function(node, self.frame))

    def _on_binop(self, node: ast.BinOp) -> Value:
        values = [self.expression(node.left), self.expression(node.right)]
        if isinstance(node.op, ast.Add) and all(v.kind is Kind.VARIABLE for v in values):
            if parts.together(values) is not None:
                return parts.listed(values)
            if all(map(listed, values)):
                whole = all(v.items is not None for v in values)
                items = list(enumerate(item for v in values for _, item in v.items or ()))
                return Value(Kind.VARIABLE, "container", items if whole else None)
        value = self.join(values, node)
        lists = [v for v in values if listed(v)]
        others = [v for v in values if not listed(v)]
        if value.kind is Kind.TENSOR and lists and all(v.kind is Kind.HOST for v in others):
            if isinstance(node.op, ast.Add) or (others and isinstance(node.op, ast.Mult)):
                return Value(Kind.TENSOR, "container")
        return value

    def _on_boolop(self, node: ast.BoolOp) -> Value:
        values = [self.expression(n) for n in node.values]
        session = default_session.either(self, node, values)
        if session is not None:
            return session
        if isinstance(node.op, ast.Or) and handed_scopes.opened(values[0]):
            return values[0]
        return self.join(values, node)

    def _on_ifexp(self, node: ast.IfExp) -> Value:
        self.test(node.test)
        self.naming.unsure += 1
        first, second = self.expression(node.body), self.expression(node.orelse)
        self.naming.unsure -= 1
        session = default_session.conditional(self, node, first, second)
        if session is not None:
            return session
        if (holder := optional_placeholders.value(self, node, first, second)) is not None:
            return holder
        if (unlike := alternatives.unlike(self, first, second)) is not None:
            return unlike
        if first.kind is second.kind is Kind.OTHER:
            return either(first, second)
        if first.kind is second.kind:
            cells = carried([first, second])
            return first.unnamed() if cells is HOST else cells
        if Kind.SETTING in (first.kind, second.kind):
            told_ways.check(self, node, "one scope or another is opened")
        return self.join([first, second], node)

    def _on_compare(self, node: ast.Compare) -> Value:
        values = [self.expression(n) for n in (node.left, *node.comparators)]
        optional_placeholders.compared(self, node, values)
        if all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            return HOST
        known = identities.asked(self, node, values)
        return self.join(values, node) if known is None else known

    def _on_joinedstr(self, node: ast.JoinedStr) -> Value:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.host(part.value)
        return HOST

    def _on_await(self, node: ast.expr) -> Value:
        raise Blocked(node, generators.REASON)

    def _on_yield(self, node: ast.Yield | ast.YieldFrom) -> Value:
        return generators.yielded(self, node)

    _on_yieldfrom = _on_yield

    def arguments(self, node: ast.Call, *, away: bool = False) -> list[Value]:
        """What a call is given; ``away``: functions that run a session are followed elsewhere."""
        scope_names.asked(self, node)
        cases_in_dicts.check(self, node)
        values = [
            *(self.expression(a) for a in node.args),
            *(self.expression(k.value) for k in node.keywords),
        ]
        for value in values:
            if value.kind is Kind.FUNCTION and isinstance(value.data, Function):
                if not (away and self.runs(value.data.node)):
                    self.handed(value.data)
        return values


def listed(value: Value) -> bool:
    """Whether a value is a list or a tuple of parts of the graph."""
    parts = value.kind in (Kind.TENSOR, Kind.VARIABLE)
    return parts and (value.items is not None or value.data == "container")


def _flag(name: str) -> bool:
    """Whether an endpoint is the value of a flag."""
    owner, _, last = name.rpartition(".")
    return owner.endswith("flags.FLAGS") and not last.startswith("_") and last not in OF_FLAGS


def _constant_endpoint(name: str) -> bool:
    return not name.endswith(".run")
