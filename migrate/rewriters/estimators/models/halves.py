"""Functions that make layers and apply them, cut in two: `__init__` makes, `call` applies.

Both halves keep the author's loops and branches, as far as these depend on what is known when the
model is made.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.made import Layer
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.heads_and_columns.columns import SHARED
from migrate.rewriters.estimators.models import made_where, weights
from migrate.rewriters.estimators.models.layers import OF_A_RUN, Layers
from migrate.rewriters.estimators.optimizing import training
from migrate.rewriters.estimators.syntax import reads, simple, stores


class Halves(Layers):
    """A function's statements as the two halves of a class."""

    #: What raises for settings that the class isn't made for.
    checks: Sequence[ast.stmt] = ()

    @property
    def shares(self) -> bool:
        """Whether layers of it share tables with others of the model."""
        return any(re.search(rf"\b{SHARED}\b", s) for made in self.sources.values() for s in made)

    def init_names(self, body: Sequence[ast.stmt], more: Iterable[ast.AST] = ()) -> set[str]:
        """The names that `__init__` reads, of arguments or of statements that it has, too.

        Raises:
            Blocked: something that is made depends on what runs compute.
        """
        layers = [c for s in body for c in self.layered(s) if self._first(c)]
        nodes: list[ast.AST] = list(layers)
        around = [a for c in layers for a in self.program.scopes.around(c)]
        nodes += [a.iter for a in around if isinstance(a, ast.For)]
        nodes += [t for c in layers for t in made_where.tests(self, c)]
        nodes += more
        wanted = self.wanted(nodes)
        hosts = [s for b in body for s in simple(b) if not isinstance(s, ast.For)]
        for stmt in reversed(hosts):
            if self.is_host(stmt) and stores(stmt) & wanted:
                wanted |= reads(stmt)
        for node in nodes:
            for value in self._settings(node):
                if self.is_tensor(value) or any(
                    self.program.called(n) in training.STEPS for n in walk(value)
                ):
                    raise Blocked(value, "what is made depends on what runs compute")
        told = set(self.tests.flags) | self.tests.switches | {self.tests.mode}
        late = {n for n in wanted if n in self.tensors or n in told} - self.own
        for node in nodes:
            if name := next(iter(sorted(self.wanted([node]) & late)), ""):
                raise Blocked(node, f"what is made depends on `{name}`, which runs compute")
        if late:
            name = sorted(late)[0]
            raise Blocked(self.function, f"what is made depends on `{name}`, which runs compute")
        return wanted

    def _first(self, call: ast.Call) -> bool:
        """Whether `__init__` makes what a call makes."""
        return id(call) in self.calls and id(call) not in self.late

    def _settings(self, node: ast.AST) -> list[ast.expr]:
        """The arguments that a layer or an optimizer is made with."""
        layer = self.calls.get(id(node))
        if layer is not None:
            made = self.parts.get(id(node))
            hosts = {k for k in layer.given if made is None or made.kinds.get(k) == "host"}
            return [
                v
                for k, v in layer.given.items()
                if k in hosts and k not in OF_A_RUN and not isinstance(v, ast.Lambda)
                if made is not None or not k.endswith(("initializer", "regularizer"))
                if layer.endpoint not in weights.KNOWN or k == "shape"
            ]
        if isinstance(node, ast.Call) and training.is_optimizer(self.program.called(node)):
            given = [*node.args, *(k.value for k in node.keywords)]
            return [v for v in given if self.program.called(v) not in training.DECAYS]
        return []

    def wanted(self, nodes: Iterable[ast.AST]) -> set[str]:
        """The names that some layers, or other things that are made, are made of."""
        found: set[str] = set()
        for node in nodes:
            layer = self.calls.get(id(node))
            if layer is None:
                found |= reads(node)
                continue
            made = self.parts.get(id(node))
            for argument, value in layer.given.items():
                if made is not None and made.kinds.get(argument) != "host":
                    continue
                if argument not in OF_A_RUN:
                    found |= reads(self._made_of(layer, argument, value))
        return found

    def _made_of(self, layer: Layer, argument: str, value: ast.expr) -> ast.expr:
        """What an argument of a weight is written for: an initializer where it is made."""
        if layer.endpoint not in weights.KNOWN or not argument.endswith(("izer", "initial_value")):
            return value
        made = self.program.scopes.value(value)
        return made if self.program.called(made) else value

    def build(self, body: Sequence[ast.stmt], names: set[str], indent: str) -> str:
        """`__init__`'s statements: layers, and what they are made of."""
        out = ""
        for stmt in body:
            calls = [c for c in self.layered(stmt) if self._first(c)]
            if isinstance(stmt, ast.For) and calls:
                out += self._build_loop(stmt, calls, names, indent)
            elif isinstance(stmt, (ast.If, ast.With)) and calls:
                if isinstance(stmt, ast.With) or self.tests.tells(stmt.test):
                    out += self.build([*stmt.body, *getattr(stmt, "orelse", [])], names, indent)
                    continue
                deeper = indent + self.text.unit
                inner = self.build(stmt.body, names, deeper)
                other = self.build(stmt.orelse, names, deeper)
                if inner:
                    test = made_where.said(self, made_where.asked(self, stmt))
                    out += f"{indent}if {test}:\n{inner}"
                    beside = self._beside(stmt.orelse, names, indent)
                    out += beside or (f"{indent}else:\n{other}" if other else "")
                elif other:
                    out += f"{indent}if not ({self.text.source(stmt.test)}):\n{other}"
            elif calls:
                for call in calls:
                    for name, source in zip(
                        self.attributes[id(call)], self.sources[id(call)], strict=False
                    ):
                        out += self._kept(f"self.{name}", source, indent)
            elif isinstance(stmt, ast.If) and self._tells(stmt) and stores(stmt) & names:
                out += self.build(self._of_modes(stmt, names), names, indent)
            elif self.program.called(getattr(stmt, "value", stmt)) in training.STEPS:
                continue  # the optimizer counts, whatever a schedule reads
            elif (stores(stmt) & names and self.is_host(stmt)) or stmt in self.checks:
                piece = self.text.piece(stmt, self.floors.get(id(stmt), 0))
                out += self.text.render(
                    piece.first, piece.last, piece.indent, indent, self._edited(stmt)
                )
        return out

    def _tells(self, stmt: ast.If) -> bool:
        return self.tests.tells(stmt.test) and stmt not in self.checks

    def _of_modes(self, stmt: ast.If, names: set[str]) -> list[ast.stmt]:
        """What `__init__` has of a branch on the mode that gives names it reads their values.

        An optimizer is made of what training says.

        Raises:
            Blocked: a layer would be made of what is another value in each mode.
        """
        wanted = stores(stmt) & names
        stored = [n for n in all_of(self.function, ast.Name) if not isinstance(n.ctx, ast.Load)]
        places = [n.id for n in stored]
        if all(places.count(n) == 1 for n in wanted):
            return [*stmt.body, *stmt.orelse]
        layers = self.wanted([c for s in self.function.body for c in self.layered(s)])
        if late := sorted(wanted & layers):
            raise Blocked(
                stmt, f"`{late[0]}`, another value in each mode, of which a layer is made"
            )
        trains = self.tests.value(stmt.test, "train")
        return stmt.body if trains else stmt.orelse

    def _beside(self, body: Sequence[ast.stmt], names: set[str], indent: str) -> str:
        """An `elif`, where that is what a branch has beside it; nothing where it isn't."""
        if len(body) != 1 or not isinstance(body[0], ast.If):
            return ""
        out = self.build(body, names, indent)
        return f"{indent}el{out.removeprefix(indent)}" if out.startswith(f"{indent}if ") else ""

    def _edited(self, stmt: ast.stmt) -> list[tuple[int, int, str]]:
        """What is written otherwise in a statement that `__init__` has: feature columns."""
        start, end = self.text.index.span(stmt)
        edits = self.program.edits
        return [(e.start, e.end, e.new) for e in edits if start <= e.start and e.end <= end]

    def _kept(self, target: str, source: str, indent: str) -> str:
        """An attribute; a source of several lines keeps them, indented."""
        if "\n" in source:
            source = re.sub(r"\s*\n\s*", " ", source) if '"""' not in source else source
        return f"{indent}{target} = {source}\n"

    def _build_loop(
        self, stmt: ast.For, calls: list[ast.Call], names: set[str], indent: str
    ) -> str:
        target, items = self.text.source(stmt.target), self.text.source(stmt.iter)
        lists = self.lists[id(stmt)]
        deeper = indent + self.text.unit
        body = self._opened_scopes(stmt.body)
        hosts = [s for s in body if stores(s) & names and self.is_host(s)]
        used = self.wanted(calls)
        for other in (s for b in body if isinstance(b, (ast.If, ast.With)) for s in simple(b)):
            if stores(other) & used and other not in hosts and self.is_host(other):
                raise Blocked(other, "what a layer is made with is set in a branch in a loop")
        if len(lists) == 1 and not hosts:
            source = made_where.conditioned(self, self.sources[id(calls[0])][0], calls[0], stmt)
            source = re.sub(r"\s*\n\s*", " ", source)
            tests = {
                n for c in calls for n in re.findall(r"\w+", made_where.condition(self, c, stmt))
            }
            named = stores(stmt.target) & (used | tests)
            head = target if named or not isinstance(stmt.target, ast.Name) else "_"
            return f"{indent}self.{lists[0]} = [{source} for {head} in {items}]\n"
        out = "".join(f"{indent}self.{name} = []\n" for name in lists)
        out += f"{indent}for {target} in {items}:\n"
        for inner in body:
            own = [c for c in self.layered(inner) if id(c) in self.calls]
            for call in own:
                for name, source in zip(
                    self.attributes[id(call)], self.sources[id(call)], strict=False
                ):
                    source = re.sub(
                        r"\s*\n\s*", " ", made_where.conditioned(self, source, call, stmt)
                    )
                    out += f"{deeper}self.{name}.append({source})\n"
            if not own and inner in hosts:
                piece = self.text.piece(inner, self.floors.get(id(inner), 0))
                out += self.text.render(
                    piece.first, piece.last, piece.indent, deeper, self._edited(inner)
                )
        return out

    def _opened_scopes(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Statements, those of scopes that go one by one."""
        found: list[ast.stmt] = []
        for stmt in body:
            opened = isinstance(stmt, ast.With) and self.flat(stmt)
            inner = stmt.body if isinstance(stmt, ast.With) and opened else None
            found += [stmt] if inner is None else self._opened_scopes(inner)
        return found
