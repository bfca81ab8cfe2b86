"""Variables that start anew: a function that assigns them what they start with.

What chance gives is drawn again, as TF 1's initializers do; optimizers are given what they began
with. What Python computes once, `np.random.rand()`, TF 1 keeps in its graph: such a program stays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.calls import PURE_BUILTINS, PURE_METHODS, is_numpy
from migrate.programs.graph.listing import slots
from migrate.programs.graph.making.renewals import ALL, SECOND_SESSION, Renewal
from migrate.programs.graph.model import Blocked, Kind, Step
from migrate.rewriters.sessions import variables
from migrate.rewriters.sessions.shared_optimizers import WATCHED

# Their updates read nothing that earlier ones left.
VARIABLE = meaning.T + "Variable"
STATELESS = frozenset({meaning.T + "train.GradientDescentOptimizer"})


class Renewing:
    """The function that gives variables their first values, and its calls."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.walker = module.walker
        self.name = ""

    def call(self, renewal: Renewal) -> str:
        """What a run of an initializer becomes."""
        if all(value.data in ALL for value, _ in renewal.values):
            return f"{self.name}()"
        stmt = renewal.stmt
        assert stmt is not None
        lines = []
        for _, node in renewal.values:
            assert isinstance(node, ast.Attribute)
            wanted = ast.unparse(node.value)
            entry = next((o for o in renewal.owned if o.ref == wanted), None)
            if entry is None:
                raise Blocked(node, renewal.reason)
            lines.append(self._assignment(entry, renewal))
        indents = {
            self.module.indent(s) for r in self.walker.regions for s in r.steps if s.node is stmt
        }
        if len(lines) > 1 and len(indents) != 1:
            raise Blocked(stmt, renewal.reason)
        return f"{self.module.text.newline}{next(iter(indents), '')}".join(lines)

    def prepare(self) -> None:
        """Write the function, before the first statement that calls it.

        Raises:
            Blocked: a variable or an optimizer can't be given what it starts with.
        """
        found = [r for r in self.walker.renewed if all(v.data in ALL for v, _ in r.values)]
        if not found:
            return
        first: Renewal = found[0]
        region = first.region
        if any(r.region is not region for r in found):
            raise Blocked(first.node, first.reason)
        self.module.turn(region.node)
        place = self._place(first)
        indent = self.module.indent(place)
        deeper, nl = indent + self.module.text.unit, self.module.text.newline
        lines = [self._assignment(entry, first) for entry in first.owned]
        lines += self._others(first)
        roots = {n.id for n in all_of(ast.parse("\n".join(lines)), ast.Name)}
        each = next(n for n in ("v", "slot", "variable", "slot_") if n not in roots)
        above = ""
        for name, listed, step in self._optimizers(region, first):
            if step.order > place.order:
                self._fresh(step, found)
                continue
            kept = self.module.namer.free(f"{name.rpartition('.')[2]}_start")
            start = f"{indent}{name}.build({listed}){nl}"
            start += f"{indent}{kept} = [v.numpy() for v in {name}.variables]{nl}"
            if self._between(region, step, place):
                self._after(step, indent, start, first)
            else:
                above += start
            lines.append(f"for {each}, value in zip({name}.variables, {kept}):")
            lines.append(f"{self.module.text.unit}{each}.assign(value)")
        if not lines:
            raise Blocked(first.node, first.reason)
        self.name = self.module.namer.free("initialize")
        body = self.module.long_lines(lines, deeper)
        gap = nl * (1 if indent else 2) if above else ""
        text = f"{above}{gap}{indent}def {self.name}():{nl}{body}"
        self.module.at.setdefault(place, []).append(text)

    def _place(self, renewal: Renewal) -> Step:
        """The statement after which the function stands."""
        steps: list[Step] = renewal.region.steps
        own = next(
            (s for s in steps if holds(s.node, renewal.run) and not s.drop),
            None,
        )
        before = [s for s in steps if own is not None and s.order < own.order]
        before = [s for s in before if not s.drop and s.function is own.function]  # type: ignore[union-attr]
        if own is None or not before or isinstance(renewal.region.node, ast.ClassDef):
            raise Blocked(renewal.node, renewal.reason)
        parts = (Kind.VARIABLE, Kind.OPTIMIZER)
        last = [s for s in before if s.moves or s in self.module.at or s.kind in parts]
        return last[-1] if last else before[-1]

    def _fresh(self, step: Step, found: list[Renewal]) -> None:
        """What is made behind the function is as new wherever that is called later.

        Raises:
            Blocked: something may have run between.
        """
        for renewal in found:
            steps = renewal.region.steps
            own = next((s for s in steps if holds(s.node, renewal.run)), None)
            sites = [site.step for site in renewal.region.sites]
            if own is None or any(s is None or s.function is not own.function for s in sites):
                raise Blocked(renewal.node, renewal.reason)
            if any(step.order < s.order < own.order for s in sites):
                raise Blocked(renewal.node, renewal.reason)

    def _between(self, region: Any, step: Step, place: Step) -> bool:
        """Whether something may run before a place that changes what a step has made."""
        own = [s for s in region.steps if step.order < s.order <= place.order and not s.drop]
        return any(
            isinstance(n, ast.Call) for s in own if s.kind is Kind.HOST for n in walk(s.node)
        )

    def _after(self, step: Step, indent: str, text: str, renewal: Renewal) -> None:
        """Lines behind a step of the same block.

        Raises:
            Blocked: it stands in another one.
        """
        if self.module.indent(step) != indent:
            raise Blocked(renewal.node, renewal.reason)
        self.module.at.setdefault(step, []).append(text)

    def _others(self, renewal: Renewal) -> list[str]:
        """The assignment of the global step, which isn't among what is owned.

        Raises:
            Blocked: something else makes variables, too.
        """
        found = []
        known = {id(o.value.node) for o in renewal.owned}
        steps = [s for s in renewal.region.steps if s.kind is Kind.VARIABLE]
        names = {id(d.value.node): d.name for s in steps for d in s.defs if not d.attribute}
        making = meaning.VARIABLES | meaning.MAKING | meaning.CELLS
        for n in walk(self.walker.tree):
            endpoint = self.walker.endpoints.get(id(n.func)) if isinstance(n, ast.Call) else None
            if endpoint in making and id(n) not in known:
                raise Blocked(renewal.node, renewal.reason)
            if endpoint in meaning.GLOBAL_STEPS and id(n) in self.walker.made:
                if id(n) not in names:
                    raise Blocked(renewal.node, renewal.reason)
                found.append(f"{names[id(n)]}.assign(0)")
        return found

    def _assignment(self, entry: Any, renewal: Renewal) -> str:
        """The assignment of what a variable starts with.

        Raises:
            Blocked: it isn't there any more, or would be another value.
        """
        value, place = entry.value, entry.place
        plain = value is not None and entry.ref is not None and entry.layer is None
        if not plain or place is None or entry.cell is not None:
            raise Blocked(renewal.node, renewal.reason)
        function, stmt = place
        own = function is renewal.region.node or self._seen(entry, renewal.region.node)
        if not own or id(value.node) in self.walker.past:
            raise Blocked(renewal.node, renewal.reason)
        call = value.node
        inside = holds(stmt, call)
        if isinstance(call, ast.Call) and not inside and self._helper(stmt, call, renewal):
            again = self.module.functions[id(renewal.region)].source(stmt.value)
            return f"{entry.ref}.assign({again})"
        if not isinstance(call, ast.Call) or not inside:
            raise Blocked(renewal.node, renewal.reason)
        made = self.walker.made.get(id(call))
        functions = self.module.functions[id(renewal.region)]
        if made is not None and not made.given:
            return f"{entry.ref}.assign(0)"
        if self._repeats(made.given.values() if made is not None else call.args):
            return self._kept(entry, stmt, renewal)
        if made is not None:
            self._lasting(made.given.values(), stmt, renewal)
            text = variables.source(made, self.walker, self.module.text, self.module.tf)
            tree = ast.parse(text, mode="eval").body
            assert isinstance(tree, ast.Call)
            first = ast.get_source_segment(text, tree.args[0])
        else:
            given = self.walker.bound(meaning.T + "Variable", call).get("initial_value")
            if given is None:
                raise Blocked(call, renewal.reason)
            self._lasting([given], stmt, renewal)
            first = functions.source(given)
        first = str(first)
        if "\n" in first:
            if "#" in first:
                raise Blocked(
                    call, "a comment in what a variable starts with, which is written twice"
                )
            first = " ".join(first.split())
        return f"{entry.ref}.assign({first})"

    def _seen(self, entry: Any, target: ast.AST) -> bool:
        """Whether a function of the file has under its names what a variable of it is made of."""
        function, stmt = entry.place
        if not isinstance(target, ast.FunctionDef) or target not in getattr(function, "body", ()):
            return False
        local = {a.arg for a in all_of(target, ast.arg)}
        local |= {n.id for n in all_of(target, ast.Name) if not isinstance(n.ctx, ast.Load)}
        return local.isdisjoint(n.id for n in all_of(stmt, ast.Name))

    def _helper(self, stmt: ast.stmt, made: ast.Call, renewal: Renewal) -> bool:
        """Whether a statement calls a function that makes this variable and does nothing else.

        Called again it gives a new one, of which the value is taken.

        Raises:
            Blocked: it would give another value.
        """
        value = stmt.value if isinstance(stmt, ast.Assign) else None
        func = value.func if isinstance(value, ast.Call) else None
        callee = self.walker._module_function(func) if isinstance(func, ast.Name) else None
        if not isinstance(callee, ast.FunctionDef) or callee.decorator_list:
            return False
        assert isinstance(value, ast.Call)
        *body, last = callee.body
        kept = {ast.unparse(s.targets[0]) for s in body if isinstance(s, ast.Assign)}
        if not isinstance(last, ast.Return) or self.walker.endpoints.get(id(made.func)) != VARIABLE:
            return False
        given = last.value is made or any(
            isinstance(s, ast.Assign)
            and s.value is made
            and isinstance(last.value, ast.Name)
            and ast.unparse(s.targets[0]) == last.value.id
            for s in body[-1:]
        )
        plain = all(
            (
                isinstance(s, ast.Assign)
                and len(s.targets) == 1
                and isinstance(s.targets[0], ast.Name)
            )
            or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
            for s in body
        )
        if not given or not plain or not all(self._draws(n, made) for n in walk(callee)):
            return False
        own = kept | {a.arg for a in all_of(callee.args, ast.arg)}
        read = [n for n in all_of(callee, ast.Name) if n.id not in own]
        self._lasting([*value.args, *(k.value for k in value.keywords), *read], stmt, renewal)
        return True

    def _draws(self, node: ast.AST, made: ast.Call) -> bool:
        """Whether a node of a function only computes, or draws without a seed of its own."""
        if isinstance(node, (ast.Lambda, ast.NamedExpr)):
            return False
        if isinstance(node, ast.keyword):
            return node.arg is not None and node.arg != "seed"
        if not isinstance(node, ast.Call) or node is made:
            return True
        endpoint = self.walker.endpoints.get(id(node.func), "")
        if endpoint in meaning.STATEFUL and "seed" in self.walker.bound(endpoint, node):
            return False
        return meaning.is_op(endpoint) if endpoint else self._pure(node)

    def _repeats(self, nodes: Iterable[ast.expr]) -> bool:
        """Whether chance gives the same again: a seed's draws begin anew in a second session."""
        if any(r.reason != SECOND_SESSION or r.always for r in self.walker.renewed):
            return False
        calls = [n for node in nodes for n in all_of(node, ast.Call)]
        return any(
            k.arg == "seed" and not (isinstance(k.value, ast.Constant) and k.value.value is None)
            for n in calls
            for k in n.keywords
        )

    def _kept(self, entry: Any, stmt: ast.stmt, renewal: Renewal) -> str:
        """The assignment of what a variable began with, which is kept under a name.

        Raises:
            Blocked: it isn't a variable with a name of its own.
        """
        ref = str(entry.ref)
        step = next((s for s in renewal.region.steps if s.node is stmt), None)
        if not ref.isidentifier() or step is None or step.kind is not Kind.VARIABLE:
            raise Blocked(renewal.node, renewal.reason)
        kept = self.module.namer.free(f"{ref}_start")
        line = f"{kept} = {ref}.numpy()  # a seed gives it again in a new session"
        self.walker.afterwards.setdefault(id(stmt), []).append(lambda _: line)
        return f"{ref}.assign({kept})"

    def _lasting(self, nodes: Any, stmt: ast.stmt, renewal: Renewal) -> None:
        """What a value is computed of must be the same later, but for what TensorFlow draws.

        Raises:
            Blocked: it may not be.
        """
        from migrate.rewriters.sessions.planning import bindings_of

        inside = holds(renewal.region.node, stmt)
        bound = bindings_of(renewal.region.node if inside else self.walker.files.at(stmt).tree)
        early = self.walker.kept.get("early", {})
        for n in (n for node in nodes for n in walk(node)):
            if isinstance(n, ast.Call) and not self._pure(n):
                raise Blocked(n, "a variable that starts anew with what Python computes once")
            if isinstance(n, ast.keyword) and n.arg == "seed":
                raise Blocked(n.value, "a variable that starts anew with a seed of its own")
            if isinstance(n, (ast.Lambda, ast.NamedExpr)):
                raise Blocked(n, renewal.reason)
            if not isinstance(n, ast.Name):
                continue
            symbol = self.walker.meant.get(id(n))
            step = symbol.step if symbol is not None else None
            if step is not None and (step in early or step.random):
                raise Blocked(n, f"`{n.id}`, which is drawn once here, and again in TF 1")
            if any(getattr(b, "lineno", 0) > stmt.lineno for b in bound.get(n.id, ())):
                raise Blocked(n, f"`{n.id}`, with which a variable starts, changes later")
            if step is not None and symbol.value.kind is Kind.HOST:
                self.module.unchanged(n.id, step)

    def _pure(self, call: ast.Call) -> bool:
        if id(call.func) in self.walker.endpoints:
            return True
        if isinstance(call.func, ast.Name):
            return call.func.id in PURE_BUILTINS
        method = isinstance(call.func, ast.Attribute) and call.func.attr in PURE_METHODS
        return is_numpy(self.walker, call.func) or (
            method and "random" not in ast.unparse(call.func)
        )

    def _optimizers(self, region: Any, renewal: Renewal) -> Iterator[tuple[str, str, Step]]:
        """The optimizers that keep something, their variables, and where these are known.

        Raises:
            Blocked: these have no list.
        """
        functions = self.module.functions[id(region)]
        others = [f for key, f in self.module.functions.items() if key != id(region)]
        if any(f.optimizers for f in others):
            raise Blocked(renewal.node, renewal.reason)
        for key, name in functions.optimizers.items():
            optimizer = self.walker.optimizers.get(key)
            if optimizer is None or optimizer.others or optimizer.of is not None or not name:
                raise Blocked(renewal.node, renewal.reason)
            if optimizer.endpoint in STATELESS and optimizer.schedule is None:
                continue
            listed = list(functions.shared.trained.get(key, {}))
            if len(listed) != 1:
                raise Blocked(renewal.node, renewal.reason)
            trained = listed[0]
            if WATCHED in trained:
                trained = self._reached(optimizer, functions, renewal)
            yield name, trained, self._trained(optimizer, region, renewal)

    def _reached(self, optimizer: Any, functions: Any, renewal: Renewal) -> str:
        """The list of the variables that an optimizer's loss reads, where a tape has watched them.

        Raises:
            Blocked: one has no name of its own.
        """
        found = [g for g in self.walker.gradients.values() if g.optimizer is optimizer]
        if len(found) != 1 or found[0].variables is not None:
            raise Blocked(renewal.node, renewal.reason)
        reached = slots.reached(self.walker, found[0].loss_uses)
        names = []
        for symbol in sorted(reached, key=lambda s: (s.step.order, s.name)):
            value = symbol.value
            if value.kind is not Kind.VARIABLE or self.walker.trains(value.node) is False:
                continue
            plain = value.items is None and value.data != "container" and not symbol.step.moves
            ref = functions.ref(symbol)
            if not plain or ref not in [o.ref for o in renewal.owned]:
                raise Blocked(renewal.node, renewal.reason)
            names.append(ref)
        if not names:
            raise Blocked(renewal.node, renewal.reason)
        return f"[{', '.join(names)}]"

    def _trained(self, optimizer: Any, region: Any, renewal: Renewal) -> Step:
        """The step in which an optimizer is told what it trains."""
        calls = {
            key
            for key, t in {**self.walker.gradients, **self.walker.applies}.items()
            if t.optimizer is optimizer
        }
        found: list[Step] = [
            s for s in region.steps if not s.drop and any(id(n) in calls for n in walk(s.node))
        ]
        if not found:
            raise Blocked(renewal.node, renewal.reason)
        return found[0]
