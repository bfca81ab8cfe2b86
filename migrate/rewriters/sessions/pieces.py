"""What is written instead of parts of statements that stay."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.feeding import optional_placeholders
from migrate.programs.graph.model import Blocked, Step
from migrate.programs.graph.objects import shared_objects
from migrate.rewriters.sessions import (
    flattened,
    initializers,
    optimizers,
    regularizers,
    schedules,
    specs,
    variables,
)
from migrate.rewriters.sessions.functions import Functions
from migrate.rewriters.sessions.handed import arguments
from migrate.rewriters.sessions.planning import Planning
from migrate.rewriters.sessions.state import end_of_header


class Pieces(Planning):
    """What is written instead of parts of statements that stay."""

    def inner(self, step: Step) -> list[tuple[int, int, str]]:
        """What goes inside a compound statement: initializers that are run, sessions' ends."""
        found = []
        for node in walk(step.node):
            if isinstance(node, ast.Call) and (lost := self.lost(node)) is not None:
                found.append(lost)
            if id(node) in self.walker.feed_keys:  # a name of a keyword argument
                key, symbol = self.walker.feed_keys[id(node)]
                found.append((*self.text.index.span(key), self.feed_key(symbol)))
            name = self.handed.read(node)
            if name is not None:
                found.append((*self.text.index.span(node), name))
            if isinstance(node, ast.With) and id(node) in self.walker.dropped:
                found.extend(self.opened(node))
            elif id(node) in self.walker.gone and node is not step.node:
                assert isinstance(node, ast.stmt)
                found.append(self.removed(node, step.node))
        return found

    def opened(self, node: ast.With) -> list[tuple[int, int, str]]:
        """A session's block inside another statement: its lines stay, further left."""
        first, last = end_of_header(node) + 1, node.end_lineno or node.lineno
        if node.body[0].lineno < first:
            raise Blocked(node, "a block on one line")
        outer = self.text.lines[node.lineno - 1]
        inner = self.text.lines[node.body[0].lineno - 1]
        base = len(outer) - len(outer.lstrip())
        width = len(inner) - len(inner.lstrip()) - base
        found = [(self.text.start(node.lineno), self.text.start(first), "")]
        others = [n for n in all_of(node, ast.With) if n is not node]
        gone = {  # their headers go by themselves
            line
            for n in others
            if id(n) in self.walker.dropped
            for line in range(n.lineno, end_of_header(n) + 1)
        }
        for line in range(first, last + 1):
            if line in gone:
                continue
            text = self.text.lines[line - 1]
            if line not in self.text.inside and len(text) - len(text.lstrip(" \t")) >= base + width:
                start = self.text.start(line) + base
                found.append((start, start + width, ""))
        return found

    def removed(self, stmt: ast.stmt, outer: ast.AST) -> tuple[int, int, str]:
        """A statement inside another one that goes; `pass` where it was alone."""
        for node in walk(outer):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list) and stmt in block:
                    if all(id(s) in self.walker.gone for s in block) and stmt is block[0]:
                        if name == "orelse" and isinstance(node, ast.If):
                            before, last = node.body[-1].end_lineno or 0, block[-1].end_lineno or 0
                            between = range(before + 1, stmt.lineno)
                            texts = [self.text.lines[n - 1].strip() for n in between]
                            if [t for t in texts if t and not t.startswith("#")] == ["else:"]:
                                return self.text.start(before + 1), self.text.start(last + 1), ""
                        start, end = self.text.index.span(stmt)
                        return start, end, "pass"
        piece = self.text.piece(stmt)
        return self.text.start(piece.line), self.text.start(piece.last + 1), ""

    def parameters(self) -> None:
        """Functions without the parameters that sessions came in by."""
        for node in all_of(self.walker.tree, ast.FunctionDef):
            params = self.walker.session_params.get(id(node), set())
            functions = list(self.handed.needs.get(id(node), ()))
            if not params and not functions:
                continue
            args = node.args
            more = args.vararg or args.kwonlyargs or args.kwarg
            if args.posonlyargs or (more and (functions or {a.arg for a in args.args} <= params)):
                raise Blocked(node, "a session among parameters of all kinds")
            defaults: list[ast.expr | None] = [None] * (len(args.args) - len(args.defaults))
            defaults += args.defaults
            kept = [
                self.text.source(a) + (f"={self.text.source(d)}" if d is not None else "")
                for a, d in zip(args.args, defaults, strict=True)
                if a.arg not in params
            ]
            parts = self.walker.parts_given.get(id(node), {})
            at = next((i for i, a in enumerate(args.args) if a.arg in parts), 0)
            first = sum(a.arg not in params for a in args.args[:at])
            if functions and any(d is not None for d in defaults[:at]):
                raise Blocked(node, "a part of a graph after an argument with a default")
            spans = [
                (self.text.index.span(a)[0], self.text.index.span(d if d is not None else a)[1])
                for a, d in zip(args.args, defaults, strict=True)
            ]
            start, end = spans[0][0], spans[-1][1]
            new = ", ".join(arguments(kept, first, functions, keywords=False))
            if not functions and kept:
                stays = [a.arg not in params for a in args.args]
                new = self.text.text[start:end] if all(stays) else self._without(spans, stays)
            self.parameter_spans[id(node)] = (start, end, new)

    def _without(self, spans: list[tuple[int, int]], stays: list[bool]) -> str:
        """Parameters without some of them, as the author has laid them out."""
        text, last = self.text.text, max(i for i, stay in enumerate(stays) if stay)
        ends = [start for start, _ in spans[1:]] + [spans[-1][1]]
        whole = [
            text[start:end]
            for (start, _), end, stay in zip(spans[:last], ends, stays, strict=False)
            if stay
        ]
        return "".join(whole) + text[spans[last][0] : spans[last][1]]

    def optimizer(self, step: Step, functions: Functions) -> tuple[str, str] | None:
        """The optimizer that a step makes: its name and its source."""
        for node in walk(step.node):
            home = self.trains(node, functions)
            if home is not None and isinstance(node, ast.Call):
                return home.optimizers[id(node)], self.keras(node, home)
        return None

    def trains(self, node: ast.AST, functions: Functions) -> Functions | None:
        """Whose runs an optimizer trains: those of the graph that it stands in, or of another."""
        every = (functions, *self.functions.values())
        return next((f for f in every if id(node) in f.optimizers), None)

    def keras(self, node: ast.Call, functions: Functions) -> str:
        """The Keras optimizer for a call; the module gets its class, if it is one of our own."""
        made = self.walker.optimizers[id(node)]
        sparse = functions.sparse.get(id(node), False)
        source = optimizers.keras(made, self.text, sparse, self.tf, self.walker)
        defined = optimizers.defined(source, made, sparse)
        if defined is not None:
            self.need(defined[0], defined[1].replace("{tf}", self.tf), grows=True)
        return source

    def given_optimizer(self, call: ast.Call) -> str:
        """An optimizer that a function is given, by the function whose runs it trains."""
        for functions in self.functions.values():
            if id(call) in functions.optimizers:
                return self.keras(call, functions)
        raise Blocked(call, "an optimizer that no run uses is given away")

    def regularizer(self, node: ast.expr) -> str:
        """A regularizer of a variable, where its losses are read."""
        return regularizers.source(node, self.walker, self.text, self.tf)

    def placeholder(self, step: Step) -> list[tuple[int, int, str]]:
        """A placeholder as the TensorSpec of a parameter."""
        found = []
        for node in walk(step.node):
            name = self.walker.endpoints.get(id(getattr(node, "func", None)), "")
            if isinstance(node, ast.Call) and name == "tensorflow.placeholder":
                self.say(node, "a placeholder becomes the spec of a parameter")
                span = self.text.index.span(optional_placeholders.said(self.walker, node))
                found.append((*span, specs.written(node, self.text, self.tf)))
            elif isinstance(node, ast.Call) and name == "tensorflow.placeholder_with_default":
                given, kind = self.walker.defaults[id(node)]
                shape = self.text.source(given["shape"]) if "shape" in given else "None"
                new = f"{self.tf}.TensorSpec({shape}, {self.tf}.{kind})"
                found.append((*self.text.index.span(node), new))
        return found

    def shared(self, step: Step, node: ast.Call) -> bool:
        """Whether several variables may start with an initializer; not where it is read once."""
        stmt = step.node
        target: ast.expr | None = None
        if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
            target, value = stmt.targets[0], stmt.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = zip(target.elts, value.elts, strict=False)
                target = next((t for t, v in pairs if v is node), None)
            elif value is not node:
                target = None
        if not isinstance(target, ast.Name):
            return True
        given = {id(n) for made in self.walker.made.values() for n in made.given.values()}
        given |= {id(n) for layer in self.walker.layers.values() for n in layer.given.values()}
        loads = [
            n
            for n in all_of(self.walker.tree, ast.Name)
            if n.id == target.id and isinstance(n.ctx, ast.Load)
        ]
        return len(loads) > 1 or not all(id(n) in given for n in loads)

    def variables(
        self, step: Step, functions: Functions, apart: Sequence[tuple[int, int]] = ()
    ) -> list[tuple[int, int, str]]:
        """Variables that are made under a name, initializers, schedules, lists of variables."""
        found: list[tuple[int, int, str]] = []
        for node in walk(step.node):
            if id(node) in self.walker.rewrites:
                span = self.text.index.span(node)
                if any(start <= span[0] and span[1] <= end for start, end in apart):
                    continue
                if not any(lo <= span[0] and span[1] <= hi for lo, hi, _ in found):
                    new = self.walker.rewrites[id(node)](functions)
                    found.append(flattened.written(self.text, step.node, node, new))
                continue
            if not isinstance(node, ast.Call):
                continue
            span = self.text.index.span(node)
            if any(lo <= span[0] and span[1] <= hi for lo, hi, _ in found):
                continue  # inside what is written anew
            if (
                isinstance(node.func, ast.Attribute)
                and node.func.attr == "initialized_value"
                and not node.args
            ):
                found.append((*span, self.text.source(node.func.value)))
            made = self.walker.made.get(id(node))
            if made is not None:
                if made.given:
                    new = variables.source(made, self.walker, self.text, self.tf)
                    new = shared_objects.taken(self.walker, node) + new
                else:
                    new = (
                        f"{self.tf}.Variable(0, trainable=False, "
                        f'dtype={self.tf}.int64, name="global_step")'
                    )
                found.append((*span, new))
            elif id(node) in self.walker.descriptions:
                name, call = self.walker.descriptions[id(node)]
                shared = self.shared(step, node)
                source = initializers.keras(name, call, self.text, self.tf, shared=shared)[0]
                found.append((*span, source))
            elif id(node) in self.walker.schedules:
                found.append(
                    (
                        *span,
                        schedules.source(
                            self.walker.schedules[id(node)], self.text.source, self.tf
                        ),
                    )
                )
            elif id(node) in self.walker.trainable:
                found.append((*span, f"[{', '.join(self.walker.trainable[id(node)])}]"))
        for first, second, last in self.walker.kept.get("cut items", {}).get(id(step.node), ()):
            # an item that goes, with the comma after it, or before it where it is the last one
            start, end = self.text.index.span(first), self.text.index.span(second)
            found.append((start[1], end[1], "") if last else (start[0], end[0], ""))
        return found
