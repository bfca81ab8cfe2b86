"""A function's statements and expressions, from the author's."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.programs.graph.losses import Loss
from migrate.programs.graph.model import Kind, Step, Symbol
from migrate.programs.graph.walk import Layer, Walker
from migrate.rewriters.sessions import losses
from migrate.rewriters.sessions.lines import CLOSE, OPEN
from migrate.rewriters.sessions.naming import Namer
from migrate.rewriters.sessions.text import Text


class Sources:
    """A function's statements and expressions, from the author's."""

    def __init__(self, text: Text, walker: Walker, tf: str, namer: Namer) -> None:
        self.text = text
        self.walker = walker
        self.tf = tf
        self.namer = namer
        self.optimizers: dict[int, str] = {}  # a made optimizer's name, by the call that makes it
        self.sparse: dict[int, bool] = {}
        self.trained: set[int] = set()  # the optimizers that the region's runs use
        self.layers: dict[int, str] = {}  # a layer's name, by the call that it was
        self.floor: dict[Step, int] = {}  # the last line before a step
        self.module: Any = None  # the module's writer

    def name_layers(self, step: Step) -> list[tuple[str, Layer]]:
        """The layers of a step, the innermost first, under names of their own."""
        found = [
            self.walker.layers[id(n)]
            for n in ast.walk(step.node)
            if isinstance(n, ast.Call) and id(n) in self.walker.layers
        ]
        found.reverse()
        found.sort(key=lambda layer: layer.same is not None)  # what is used again is named first
        target = step.defs[0].name if len(step.defs) == 1 else ""
        named = []
        for layer in found:
            key = id(layer.call)
            if layer.same is not None:
                self.layers[key] = self.layers[id(layer.same)]
                continue
            if key not in self.layers:
                kind = layer.endpoint.rpartition(".")[2]
                if layer.factory is not None:
                    kind = layer.factory.name
                own = layer.given.get("name")
                said = str(own.value) if isinstance(own, ast.Constant) else ""
                wish = f"{target}_layer" if target and len(found) == 1 else f"{said or kind}_layer"
                if not wish.isidentifier():
                    wish = f"{kind}_layer"
                self.layers[key] = self.namer.free(wish.lower() if not target else wish)
            named.append((self.layers[key], layer))
        return named

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
        return found + [
            (*self.text.index.span(n), symbol.name)
            for n in ast.walk(node)
            if isinstance(n, ast.Attribute)
            and (symbol := self.walker.attributes.get(id(n))) is not None
            and (symbol.step.moves or symbol.fed or symbol.value.kind is Kind.PLACEHOLDER)
            and not any(lo <= self.text.index.span(n)[0] < hi for lo, hi, _ in found)
        ]

    def layer_calls(self, node: ast.AST) -> list[tuple[int, int, str]]:
        """The outermost calls of layers in a node, each with those inside it."""
        stack, found = [node], []
        while stack:
            n = stack.pop()
            if isinstance(n, ast.Call) and id(n) in self.layers:
                layer = self.walker.layers[id(n)]
                given = layer.tensors or [layer.given["inputs"]]
                inputs = ", ".join(map(self.source, given))
                found.append((*self.text.index.span(n), f"{self.layers[id(n)]}({inputs})"))
            elif id(n) in self.walker.rewrites:
                found.append((*self.text.index.span(n), self.walker.rewrites[id(n)](self)))
            else:
                stack.extend(ast.iter_child_nodes(n))
        return found

    def loss(self, loss: Loss) -> str:
        """A loss of `tf.losses` in TF 2's words."""
        return losses.source(loss, self.walker, self.source, self.tf)

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
        piece = self.text.piece(step.node, self.floor.get(step, 0))
        spans = [(lo, hi) for lo, hi, _ in replaced]
        inner = [
            r
            for r in self.attributes(step.node)
            if not any(lo <= r[0] and r[1] <= hi for lo, hi in spans)
        ]
        inner += [
            self.module.removed(node, step.node)
            for node in ast.walk(step.node)
            if id(node) in self.walker.gone and node is not step.node
        ]
        text = self.text.render(piece.first, piece.last, piece.indent, indent, [*replaced, *inner])
        if isinstance(step.node, ast.FunctionDef):
            return f"{OPEN}1\n{text}{CLOSE}1\n"
        return text
