"""Functions from plans: a `tf.function` for each kind of run, plain ones for what they share."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import groupby

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.data import draws, iterators, own_queues
from migrate.programs.graph.feeding import listed_placeholders
from migrate.programs.graph.listing import collections, layer_variables
from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.listing.layer_variables import VARIABLES
from migrate.programs.graph.listing.update_ops import UPDATES, Updates
from migrate.programs.graph.making import owned_branches
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Fetch, Kind, Region, Step, Symbol, Value
from migrate.programs.graph.optimizing import inner_gradients
from migrate.programs.graph.saving.savers import NESTED
from migrate.programs.graph.sizing import dtypes, said_types, static_dims
from migrate.programs.graph.sizing.dimensions import Dim
from migrate.programs.graph.slices import (
    Group,
    Invoked,
    Plan,
    Unit,
    defined,
    has_value,
    nested,
    origin,
)
from migrate.programs.graph.walk import Apply
from migrate.rewriters.sessions import datasets, norms, parameter_names, placed, runs, waited
from migrate.rewriters.sessions.gradients import Gradients


class Functions(Gradients):
    """Writes the functions of one region."""

    def plan(self, plan: Plan, indent: str) -> str:
        """A run's function."""
        params: list[str] = []
        for symbol in plan.params:
            written = self.parameter(symbol)
            if params and "=" in params[-1] and "=" not in written:
                written = f"{symbol.name}={self.ref(symbol)}"  # a constant that is always fed
            params.append(written)
        self.fixed = {symbol.name: known for symbol, known in plan.fixed.items()}
        self.ways, self.given = plan.ways, set(plan.params)
        deeper = indent + self.text.unit
        head: list[tuple[Step | None, str]] = []
        if plan.still:
            head = [(None, f"{deeper}with {norms.STILL}():{self.text.newline}")]
            deeper += self.text.unit
        body = self.body(plan, plan.units, deeper)
        early = [*head, *self.early(plan, deeper)]
        results = self.results(plan)
        body = [*early, *body]
        if not results:
            body += [
                (None, f"{deeper}{self.source(leaf.node)}{self.text.newline}")
                for leaf in plan.ops
                if hasattr(leaf.value.data, "read")
            ]
        if plan.units and not isinstance(plan.units[-1], Step) and results:
            last = plan.units[-1]
            if results == [s.name for s in defined(last)] and body[-1][1].endswith(
                f"{self.call(last)}{self.text.newline}"
            ):
                body[-1] = (None, f"{deeper}return {self.call(last)}{self.text.newline}")
                results = []
        decorator = self._decorator(plan.params) if _plain(plan) else ""
        if not decorator:
            inner_gradients.check(self.walker, plan.fetch.node)
        return self._assemble(plan.name, params, body, results, indent, decorator, plan.params)

    def early(self, plan: Plan, indent: str) -> list[tuple[Step | None, str]]:
        """Rates that are fetched beside an update: what they are before it."""
        lines: list[tuple[Step | None, str]] = []
        for leaf in plan.results if plan.ops else ():
            reads = [n for n in walk(leaf.node) if id(n) in self.walker.decayed]
            if not reads or leaf.value.kind is not Kind.OTHER:
                if reads:
                    raise Blocked(leaf.node, "what comes of a decayed rate is fetched with updates")
                continue
            name = self._local("rate", plan)
            while name in self.rates.values():
                name += "_"
            self.rates[id(leaf.node)] = name
            lines.append((None, f"{indent}{name} = {self.source(leaf.node)}{self.text.newline}"))
        return lines

    def group(self, group: Group, indent: str) -> str:
        """A helper, or the function of the plan that is nothing but this group."""
        deeper = indent + self.text.unit
        self.fixed, self.ways, self.given = {}, {}, set(group.params)
        body = placed.body(self, group.steps, deeper, lambda s, at: (s, self.bound(s, at)))
        plain = group.plan is not None and _plain(group.plan)
        decorator = self._decorator(group.params) if plain else ""
        results = [s.name for s in group.results]
        if group.plan is not None:
            results = self.results(group.plan)
        params = [self.parameter(s) if group.plan else s.name for s in group.params]
        return self._assemble(group.name, params, body, results, indent, decorator, group.params)

    def factory(self, plan: Plan, indent: str, name: str = "", itself: bool = False) -> str:
        """What a function that makes variables comes to return: they are applied in it."""
        deeper = indent + self.text.unit
        self.ways, self.given = {}, set(plan.params)
        body: list[tuple[Step | None, str]] = [
            (
                s,
                self.parts(s, plan, deeper)
                if s.kind is Kind.OP and not waited.inside(plan.steps, s)
                else self.step(s, deeper),
            )
            for s in plan.steps
        ]
        target = plan.region.node
        assert isinstance(target, ast.FunctionDef)
        args = target.args
        names = [a.arg for a in reversed(args.args)]
        defaults = dict(zip(names, reversed(args.defaults), strict=False))
        params = [
            f"{s.name}={self.text.source(defaults[s.name])}" if s.name in defaults else s.name
            for s in plan.params
        ]
        if itself:
            params.insert(0, "self")
        fetch = plan.fetch
        if nested(fetch):
            results = [self.structure(fetch)]
        else:
            results = [self._given(f.node, plan, deeper) for f in fetch.leaves()]
            if fetch.shape == "list":
                results = [f"[{', '.join(results)}]"]
        above, behind = self._said_of_result(plan, deeper)
        if above:
            body.append((None, above))
        results[-1:] = [f"{r}{behind}" for r in results[-1:]]
        return self._assemble(name or plan.name, params, body, results, indent, "")

    def _given(self, node: ast.expr, plan: Plan, indent: str) -> str:
        """What a function's own return gives; what follows its first line moves with it."""
        source = self.source(node)
        assert plan.region.result is not None
        step = plan.region.result[0]
        first, *others = source.splitlines(keepends=True)
        inside = self.text.inside & set(range(node.lineno + 1, (node.end_lineno or 0) + 1))
        if not others or inside or not isinstance(step.node, ast.Return):
            return source
        old = self.text.piece(step.node, self.floor.get(step, 0)).indent
        return first + "".join(
            f"{indent}{line[len(old) :]}" if line.startswith(old) else line for line in others
        )

    def _said_of_result(self, plan: Plan, indent: str) -> tuple[str, str]:
        """The comments above and behind a function's own return."""
        assert plan.region.result is not None
        step = plan.region.result[0]
        if not isinstance(step.node, ast.Return):
            return "", ""
        piece = self.text.piece(step.node, self.floor.get(step, 0))
        lines = self.text.lines[piece.first - 1 : piece.line - 1]
        above = "".join(f"{indent}{line.lstrip()}" for line in lines)
        return above, self.text.behind(step.node)

    def owned(self, plan: Plan) -> list[str]:
        """The layers with variables that a function makes, those of other functions included."""
        found: dict[str, str] = {}  # on what condition
        ways = self._ways(plan)
        for entry in plan.region.owned:
            if entry.cell is not None:
                found[ast.unparse(entry.cell)] = ""
                continue
            if entry.layer is None:
                found[str(entry.ref)] = ""
                continue
            self.certain(entry.layer, ways, gaps=True)
            if entry.inner:
                factory = self.walker.layers[id(entry.layer)].factory
                only = entry.made or collections.bare(self.walker, factory)
                kind = "variables" if only else "layers"
                names = self.objects(entry.layer, kind, ways=ways)
            else:
                lists = self.lists.get(id(entry.layer), ())
                gaps = id(entry.layer) in self.gaps
                whole = "*(layer for layer in {} if layer is not None)" if gaps else "*{}"
                names = [whole.format(many) for many in lists] or self.layers[id(entry.layer)]
            found.update(dict.fromkeys(names, ways.get(id(entry.layer), "")))
        listed: list[str] = []
        for test, group in groupby(found, found.__getitem__):
            names = list(group)
            whole = f"[{', '.join(names)}]"
            if len(names) == 1 and names[0].startswith("*"):
                whole = names[0][1:]
            listed += [f"*({whole} if {test} else [])"] if test else names
        return listed

    def nested(self, plan: Plan) -> list[str]:
        """The layers that a function makes, and the lists of what its functions made."""
        walker = self.walker
        inside = set(map(id, walk(plan.region.node)))
        found: list[str] = []
        for key, names in self.layers.items():
            layer = walker.layers[key]
            if key not in inside or layer.same is not None:
                continue
            deep = layer.factory is not None and not walker.entered[id(layer.factory)].shaped
            nests = id(layer.factory) in walker.kept.get(NESTED, ())
            kind = ("parts" if nests else "layers") if deep else ""
            found += [f"*{name}.{kind}" if deep else name for name in names]
        return found

    def _ways(self, plan: Plan) -> dict[int, str]:
        """The conditions on which branches make layers, by the layers' calls."""
        walker, found = self.walker, {}
        for entry in plan.region.owned:
            for step in plan.region.steps if id(entry.layer) in self.branched else ():
                if entry.layer is not None:
                    test = owned_branches.of_layer(walker, plan.region.node, step.node, entry.layer)
                    if test is not None:
                        found[id(entry.layer)] = test
        return found

    def weights(self, entries: Iterable[Owned]) -> list[str]:
        """The variables of a function, those of its layers included."""
        found: list[str] = []
        last: tuple[str, list[str]] | None = None  # a way whose other way may follow
        for test, some in groupby(entries, lambda o: o.when):
            names = [n for o in some for n in self._weights(o)]
            if test is not None and last is not None and owned_branches.opposite(last[0], test):
                both = f"*([{', '.join(last[1])}] if {last[0]} else [{', '.join(names)}])"
                found[-1:] = names if names == last[1] else [both]
                last = None
                continue
            last = (test, names) if test is not None else None
            found += names if test is None else [f"*([{', '.join(names)}] if {test} else [])"]
        return found

    def _weights(self, entry: Owned) -> list[str]:
        if entry.layer is not None:
            return self.objects(entry.layer, "weights")
        if entry.cell is not None:
            return [f"*{ast.unparse(entry.cell)}.variables"]
        return [str(entry.branch if entry.when is not None else entry.ref)]

    def _decorator(self, params: Sequence[Symbol]) -> str:
        if not params:
            return f"@{self.tf}.function"
        if all(self.spec(s) is not None for s in params):
            specs = datasets.specs(params, lambda s: str(self.spec(s)))
            return f"@{self.tf}.function({specs})"
        return f"@{self.tf}.function"

    def spec(self, symbol: Symbol) -> str | None:
        """What a function is told of a parameter; None where nothing is known."""
        if listed_placeholders.is_one(symbol.value) and not symbol.value.data.told:
            return None
        if symbol.value.kind is Kind.PLACEHOLDER:
            return self.refs.get(symbol) or self.ref(symbol)
        if symbol.fed and symbol.value.data == "container":
            spec = f"{self.tf}.TensorSpec.from_tensor"
            return f"{self.tf}.nest.map_structure({spec}, {self.ref(symbol)})"
        if symbol.fed:
            return f"{self.tf}.TensorSpec.from_tensor({self.ref(symbol)})"
        if symbol.value.kind is Kind.VARIABLE and symbol.value.data != "container":
            name = self.ref(symbol)
            return f"{self.tf}.TensorSpec({name}.shape, {name}.dtype)"
        known = self.walker.kept.get("specs", {}).get(id(symbol.value.node))
        if known is not None:
            return str(known(self))
        if symbol.step.moves and iterators.element_of(symbol) is None:
            said = said_types.of(self.walker, symbol)
            if said is not None and self._shape(symbol) == "None":  # no layer asks for more
                return f"{self.tf}.TensorSpec({said[0]}, {self.tf}.{said[1]})"
            if symbol.value.data == "container" or not self.single(symbol):
                raise Blocked(
                    symbol.step.node, f"`{symbol.name}`, which is fed, has a type that isn't seen"
                )
            return f"{self.tf}.TensorSpec({self._shape(symbol)}, {self.tf}.float32)"
        return None

    def _shape(self, symbol: Symbol) -> str:
        """The shape of a tensor that is fed; Keras's layers need to know at least its rank.

        Raises:
            Blocked: they would have to do without.
        """
        region, walker = symbol.step.region, self.walker
        assert region is not None
        read, layered = {symbol}, False
        for step in region.steps:
            if step.moves and read & step.uses.keys():
                if not self._ranked(step):
                    read |= set(step.defs)
                layered = layered or any(id(n) in walker.layers for n in walk(step.node))
        if not layered:
            return "None"
        value = static_dims.assigned(symbol)
        sizes = static_dims.dims(walker, value, None) if value is not None else None
        # Layers make their weights of all sizes but a batch's.
        written = [self._size(d, region) for d in sizes or ()]
        if written and all(written[1:]):
            return f"[{', '.join(size or 'None' for size in written)}]"
        given = self._function_of(symbol, "") or self._cut_off(value)
        if given is not None:
            return f"{given}.get_concrete_function().output_shapes"
        raise Blocked(symbol.step.node, f"`{symbol.name}`, which is fed, goes into layers")

    def _function_of(self, symbol: Symbol, owner: str) -> str | None:
        """The function that gives a tensor alone, of nothing but placeholders."""
        for plan in self.module.plans.get(id(symbol.step.region), ()):
            told = [f.value.symbol for f in plan.results] == [symbol] and not plan.ops
            plain = all(s.value.kind is Kind.PLACEHOLDER for s in plan.params)
            if told and plain and not nested(plan.fetch) and plan.name:
                return f"{owner}{plan.name}"
        return None

    def _cut_off(self, value: ast.expr | None) -> str | None:
        """The same for ``tf.stop_gradient(actor.a)``, whose tensor is another object's."""
        if not isinstance(value, ast.Call) or len(value.args) != 1 or value.keywords:
            return None
        said, (node,) = self.walker.endpoints.get(id(value.func)), value.args
        symbol = self.walker.attributes.get(id(node))
        if said != T + "stop_gradient" or symbol is None or not isinstance(node, ast.Attribute):
            return None
        return self._function_of(symbol, f"{ast.unparse(node.value)}.")

    def _size(self, dim: Dim, region: Region) -> str:
        """How a dimension is written before a function; empty where it is open."""
        if dim.own is not None:
            tree = self.walker.files.at(region.node).tree or region.node
            owners = [cls for cls in all_of(tree, ast.ClassDef) if holds(cls, region.node)]
            return ast.unparse(dim.own) if any(holds(c, dim.own) for c in owners) else ""
        return str(dim.number) if dim.number is not None else ""

    def _ranked(self, step: Step) -> bool:
        """Whether a statement reshapes to sizes that are written out, whatever comes in."""
        call = getattr(step.node, "value", None)
        if not isinstance(call, ast.Call):
            return False
        if self.walker.endpoints.get(id(call.func)) != T + "reshape":
            return False
        given = self.walker.bound(T + "reshape", call).get("shape")
        return isinstance(given, (ast.List, ast.Tuple)) and not any(
            isinstance(item, ast.Starred) for item in given.elts
        )

    def single(self, symbol: Symbol) -> bool:
        """Whether a tensor that is fed is float32."""
        return dtypes.is_single(self.walker, symbol.step.node, symbol.step.uses)

    def results(self, plan: Plan) -> list[str]:
        """What a plan's function gives, as source."""
        if plan.shown:
            return []
        begun = any(draws.begins(site) for site in plan.sites)
        # A function of nothing but what is thrown away would compute nothing, where TF 1 did, and
        # stopped at what it couldn't.
        acts = plan.ops or any(s.kind is Kind.OP or s.rides for s in plan.steps)
        if (
            not begun
            and not plan.lent
            and acts
            and not any(site.export or site.minimized for site in plan.sites)
            and all(self.unused(site.stmt, site.node) for site in plan.sites)
        ):
            return []
        if nested(plan.fetch):
            return [self.structure(plan.fetch, top=True)]
        out = []
        for leaf in plan.results:
            source = self.rates.get(id(leaf.node)) or self.source(leaf.node)
            if runs.several(leaf):
                source = runs.each(leaf, source, self.value_of(leaf.value, "v"))
            elif self.is_read(leaf):
                source = self.value_of(leaf.value, source)
            out.append(source)
        return out

    def value_of(self, value: Value, source: str) -> str:
        """What a variable holds, where a function gives it; one of Keras' has no `read_value`."""
        if layer_variables.may_be(self.walker, value):
            return f"{self.tf}.convert_to_tensor({source})"
        return f"{source}.read_value()"

    def is_read(self, fetch: Fetch) -> bool:
        """Whether what is fetched is a variable, and no run's feed for one."""
        kept = fetch.value.kind is Kind.VARIABLE and not hasattr(fetch.value.data, "read")
        return kept and fetch.value.symbol not in self.given

    def parameter(self, symbol: Symbol) -> str:
        """A parameter, with the default that a placeholder had."""
        if symbol.fed and not self.module.always_fed(symbol):
            return f"{symbol.name}={self.ref(symbol)}"
        known = self.walker.defaults.get(id(symbol.value.node))
        if known is None:
            return symbol.name
        return f"{symbol.name}={self.text.source(known[0]['input'])}"

    def structure(self, fetch: Fetch, *, top: bool = False) -> str:
        """Fetches in the structure that the author gave them; of a dict's ops nothing comes."""
        if fetch.items is None:
            if not has_value(fetch):
                return "None"
            source = self.rates.get(id(fetch.node)) or self.source(fetch.node)
            if runs.several(fetch):
                return runs.each(fetch, source, self.value_of(fetch.value, "v"))
            return self.value_of(fetch.value, source) if self.is_read(fetch) else source
        dropped = top and fetch.shape == "dict"
        parts = [self.structure(f) for f in fetch.items if has_value(f) or not dropped]
        if fetch.shape == "dict":
            both = zip(fetch.keys or (), fetch.items, strict=True)
            keys = [self.text.source(k) for k, f in both if has_value(f) or not dropped]
            return f"{{{', '.join(f'{k}: {v}' for k, v in zip(keys, parts, strict=True))}}}"
        if fetch.shape == "tuple":
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        return f"[{', '.join(parts)}]"

    def _assemble(
        self,
        name: str,
        params: list[str],
        body: Sequence[tuple[Step | None, str]],
        results: list[str],
        indent: str,
        decorator: str,
        symbols: Sequence[Symbol] = (),
    ) -> str:
        nl = self.text.newline
        head = f"{indent}{decorator}{nl}" if decorator else ""
        out = f"{indent}def {name}({', '.join(params)}):{nl}{self._body(body, results, indent)}"
        return head + parameter_names.written(out, symbols, self.module.parameter_names)

    def _body(
        self, body: Sequence[tuple[Step | None, str]], results: list[str], indent: str
    ) -> str:
        nl, deeper = self.text.newline, indent + self.text.unit
        texts = [text for _, text in body]
        if len(results) == 1 and body and body[-1][0] is not None:
            folded = self._folded(body[-1][0], texts[-1], results[0])
            if folded is not None:
                return "".join([*texts[:-1], folded])
        if results:
            texts.append(f"{deeper}return {', '.join(results)}{nl}")
        if not texts:
            raise Blocked(ast.Pass(lineno=1, col_offset=0), "a function with nothing in it")
        return "".join(texts)

    def _folded(self, step: Step, text: str, result: str) -> str | None:
        """The last assignment as the return statement."""
        node = step.node
        if (
            isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and [s.name for s in step.defs] == [result]
        ):
            before, _, after = (
                text.rpartition(f"{result} = ") if text.count(f"{result} = ") == 1 else ("", "", "")
            )
            if after and (
                not before.strip()
                or before.rstrip().splitlines()[-1].lstrip().startswith(("#", placed.HEADER))
            ):
                return f"{before}return {after.lstrip()}"
        return None

    def unit(self, plan: Plan, unit: Unit, indent: str) -> tuple[Step | None, str]:
        """One unit of a function: a statement, or the call of a helper."""
        if not isinstance(unit, Step):
            names = ", ".join(s.name for s in defined(unit))
            return None, f"{indent}{names} = {self.call(unit)}{self.text.newline}"
        if unit.kind is Kind.OP:
            return unit, self.op(unit, plan, indent)
        return unit, self.bound(unit, indent)

    def renames(self, unit: Unit) -> bool:
        """Whether a unit is nothing in a function: ``self.cost = cost`` without a comment."""
        return (
            isinstance(unit, Step)
            and any(origin(s) is not s for s in unit.defs)
            and not self._comments(unit, "")
        )

    def bound(self, step: Step, indent: str) -> str:
        """A statement; ``self.cost = cost`` is none in a function, where the two are one."""
        if any(origin(s) is not s for s in step.defs):
            return self._comments(step, indent)
        text = self.step(step, indent)
        node = step.node
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Attribute)):
            target, _, value = text.splitlines()[-1].partition(" = ")
            if target.strip() == value.strip():  # `x = self.x`, where the parameter is `x`
                return self._comments(step, indent)
        return text

    def _comments(self, step: Step, indent: str) -> str:
        """What stands above a statement that is none in a function, ``self.cost = cost``."""
        piece = self.text.piece(step.node, self.floor.get(step, 0))
        if piece.first == piece.line:
            return ""
        return self.text.render(piece.first, piece.line - 1, piece.indent, indent, [])

    def call(self, unit: Group | Invoked) -> str:
        """The call of a function in another one."""
        name, params = (
            (unit.name, unit.params)
            if isinstance(unit, Group)
            else (unit.plan.name, unit.plan.params)
        )
        if unit.owner:
            name = f"{unit.owner}.{name}"
        given = unit.given if isinstance(unit, Invoked) else {}
        names = [given.get(s, s).name for s in params]
        return f"{name}({', '.join(self.fixed.get(n, n) for n in names)})"

    def op(self, step: Step, plan: Plan, indent: str) -> str:
        """An op that isn't a train op: an assignment, a group, gradients that are applied."""
        value = step.value
        assert value is not None
        data = value.data
        named = isinstance(step.node, ast.Assign) and step.node.value
        if isinstance(named, (ast.Name, ast.Attribute)) and data != "assign":
            return self.above(step, indent)  # another name of an op, which has its own step
        if data == "group":
            return self.parts(step, plan, indent)
        if isinstance(data, Updates):
            return ""  # the layers see to them
        if isinstance(data, Apply):
            span = self.text.index.span(data.call)
            self.shared.applies(data, self)
            name = self.optimizers[id(data.optimizer.call)]
            source = self.source(
                data.call.args[0] if data.call.args else data.call.keywords[0].value
            )
            if once := self.once(data.optimizer):
                source = f"[({once}(g), v) for g, v in {source} if g is not None]"
            call = f"{name}.apply_gradients({source})"
            before = self.rated(data.optimizer, name, indent)
            applied = self.bare(step, indent, span, call)
            return before + applied + self.counted(data.global_step, indent)
        if data == "assign":
            node = step.node
            wanted = any(
                s in other.uses for other in plan.steps for s in step.defs if other is not step
            ) or any(s in leaf.uses for leaf in plan.results for s in step.defs)
            used = not all(self.unused(site.stmt, site.node) for site in plan.sites)
            if isinstance(node, ast.Assign) and not (wanted and used):
                if isinstance(named, (ast.Name, ast.Attribute)):
                    return self.above(step, indent)
                return self.bare(
                    step,
                    indent,
                    self.text.index.span(node.value),
                    self.source(node.value),
                )
            return self.step(step, indent)
        if data == "assigns":
            return self.assigned(step, indent)
        if data in ("average", own_queues.OP):
            assert value.node is not None
            return self.bare(
                step, indent, self.text.index.span(value.node), self.source(value.node)
            )
        raise Blocked(step.node, "this op isn't followed")

    def assigned(self, step: Step, indent: str) -> str:
        """Assignments in a comprehension: a loop."""
        assert step.value is not None
        made = step.value.node
        assert isinstance(made, ast.ListComp)
        return self.above(step, indent) + self.looped(made, indent)

    def looped(self, made: ast.ListComp | ast.GeneratorExp, indent: str) -> str:
        """A comprehension as a loop of statements."""
        nl, lines, deeper = self.text.newline, [], indent
        for generator in made.generators:
            target, items = self.source(generator.target), self.source(generator.iter)
            lines.append(f"{deeper}for {target} in {items}:{nl}")
            deeper += self.text.unit
            for test in generator.ifs:
                lines.append(f"{deeper}if {self.source(test)}:{nl}")
                deeper += self.text.unit
        each = made.elt.elts if isinstance(made.elt, (ast.List, ast.Tuple)) else [made.elt]
        lines += [f"{deeper}{self.source(one)}{nl}" for one in each]
        return "".join(lines)

    def _assigns(self, made: ast.ListComp) -> bool:
        """Whether each item of a comprehension assigns to a variable."""
        each = made.elt.elts if isinstance(made.elt, (ast.List, ast.Tuple)) else [made.elt]
        return all(
            isinstance(one, ast.Call)
            and isinstance(one.func, ast.Attribute)
            and one.func.attr in ("assign", "assign_add", "assign_sub")
            for one in each
        )

    def above(self, step: Step, indent: str) -> str:
        """The comments above a statement."""
        piece = self.text.piece(step.node, self.floor.get(step, 0))
        if piece.first == piece.line:
            return ""
        return self.text.render(piece.first, piece.line - 1, piece.indent, indent)

    def parts(self, step: Step, plan: Plan, indent: str) -> str:
        """The ops that a group makes itself; the others are statements of the function already."""
        nl = self.text.newline
        out: list[str] = []
        assert step.value is not None
        made = step.value.node
        made = made.value if isinstance(made, ast.Assign) else made
        assert isinstance(made, ast.expr)
        stack = list(made.args) if isinstance(made, ast.Call) else [made]
        while stack:
            node = stack.pop(0)
            if isinstance(node, ast.Starred):
                node = node.value
            if isinstance(node, (ast.List, ast.Tuple)):
                stack = [*node.elts, *stack]
            elif (
                isinstance(node, ast.Call)
                and self.walker.endpoints.get(id(node.func)) == T + "group"
            ):
                stack = [*node.args, *stack]
            elif id(node) in self.walker.kept.get(UPDATES, ()):
                continue  # the layers see to them
            elif isinstance(node, ast.ListComp) and self._assigns(node):
                out.append(self.looped(node, indent))
            elif isinstance(node, ast.Call) and id(node) in self.walker.gradients:
                raise Blocked(node, "a train op that is made inside a group")
            elif isinstance(node, ast.Call) and id(node) not in self.walker.applies:
                out.append(f"{indent}{self.source(node)}{nl}")
            elif isinstance(node, ast.Call):
                raise Blocked(node, "gradients that are applied inside a group")
            elif id(node) in self.walker.rewrites:
                out.append(f"{indent}{self.source(node)}{nl}")
            elif not isinstance(node, (ast.Name, ast.Attribute)):
                raise Blocked(node, "this part of a group isn't followed")
        return (self.above(step, indent) if out else "") + "".join(out)


def _plain(plan: Plan) -> bool:
    """Whether a function gives no list of variables, which `tf.function` would make tensors of."""
    return not any(leaf.value.data == VARIABLES for leaf in plan.fetch.leaves())
