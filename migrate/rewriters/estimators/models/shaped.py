"""Variables of a function that are as wide as what the function is given: `build` makes them.

    def cross(x):                                   class Cross(tf.keras.layers.Layer):
        width = x.get_shape().as_list()[1]              def build(self, x_shape):
        w = tf.get_variable("w", [width])                   width = x_shape[1]
        return x * w                                        self.w = self.add_weight(…)

https://keras.io/guides/making_new_layers_and_models_via_subclassing/
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import children, walk
from migrate.rewriters.estimators.models import weights
from migrate.rewriters.estimators.models.layers import OF_A_RUN
from migrate.rewriters.estimators.syntax import reads, simple

if TYPE_CHECKING:
    from migrate.programs.graph.made import Layer
    from migrate.rewriters.estimators.models.parts import Part

# What numbers are computed with.
ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.List, ast.Tuple, ast.Slice)


class Shaped:
    """What `build` of a layer makes, and what of a function it needs for that."""

    def __init__(self, part: Part, body: Sequence[ast.stmt]) -> None:
        self.part = part
        self.bound = part.program.scopes.bound(part.function)
        self.order = [n for n, kind in part.kinds.items() if kind == "tensor"]
        # The arguments that are what they were given all along.
        self.given = {
            n for n in self.order if len(self.bound[n]) == 1 and f"{n}_shape" not in self.bound
        }
        self.measured: dict[str, ast.Assign] = {}  # names of dimensions
        for stmt in (s for b in body for s in simple(b)):
            if isinstance(stmt, ast.Assign) and self._straight(stmt):
                self._measures(stmt)
        self.late = [i for i, layer in part.calls.items() if self._late(layer)]
        self.used = self._used()

    def _straight(self, node: ast.AST) -> bool:
        """Whether a node stands in no loop, branch or function of its own."""
        for above in self.part.program.scopes.around(node):
            if above is self.part.function:
                return True
            if not isinstance(above, (ast.With, ast.expr, ast.keyword, ast.Assign, ast.Return)):
                return False
            if isinstance(above, (ast.Lambda, ast.IfExp, ast.BoolOp)):
                return False
        return False

    def _measures(self, stmt: ast.Assign) -> None:
        """Note a statement that gives one name a dimension, or what is computed of some."""
        name = stmt.targets[0]
        if len(stmt.targets) > 1 or not isinstance(name, ast.Name):
            return
        if len(self.bound[name.id]) == 1 and self._says(stmt.value) and self._asks(stmt.value):
            self.measured[name.id] = stmt

    def _asks(self, node: ast.AST) -> bool:
        """Whether a piece of syntax needs to know a shape."""
        return bool(reads(node) & self.measured.keys()) or any(
            self._shape(n) is not None for n in walk(node)
        )

    def _says(self, node: ast.AST) -> bool:
        """Whether an expression is a number, or a list of them, that `build` can compute."""
        if self._shape(node) is not None:
            return True
        if isinstance(node, ast.Name):
            return node.id in self.measured or node.id in self.part.own
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int)
        if isinstance(node, ast.Subscript):
            return self._says(node.value) and self._says(node.slice)
        if isinstance(node, ast.Call):
            named = isinstance(node.func, ast.Name) and node.func.id == "int"
            plain = named and not self.part.program.scopes.bindings("int", node)
            return plain and len(node.args) == 1 and not node.keywords and self._says(node.args[0])
        inner = [n for n in children(node) if isinstance(n, ast.expr)]
        return isinstance(node, ARITHMETIC) and all(map(self._says, inner))

    def _dimensions(self, node: ast.AST) -> str:
        """The argument whose `shape` or `get_shape()` an expression is."""
        if isinstance(node, ast.Call) and not node.args and not node.keywords:
            node = node.func
            if not isinstance(node, ast.Attribute) or node.attr != "get_shape":
                return ""
        elif not isinstance(node, ast.Attribute) or node.attr != "shape":
            return ""
        owner = node.value
        return owner.id if isinstance(owner, ast.Name) and owner.id in self.given else ""

    def _list(self, node: ast.AST) -> str:
        """The argument of whose shape an expression makes a list."""
        plain = isinstance(node, ast.Call) and not node.args and not node.keywords
        func = node.func if isinstance(node, ast.Call) and plain else None
        if not isinstance(func, ast.Attribute) or func.attr != "as_list":
            return ""
        return self._dimensions(func.value)

    def _shape(self, node: ast.AST) -> tuple[str, str] | None:
        """The argument whose shape, or a part of it, an expression is; and what says so."""
        if name := self._list(node):
            return name, f"list({name}_shape)"
        if isinstance(node, ast.Attribute) and node.attr == "value":
            node = node.value
            if not isinstance(node, ast.Subscript) or not self._dimensions(node.value):
                return None
        if isinstance(node, ast.Subscript):
            name = self._dimensions(node.value) or self._list(node.value)
            place = node.slice
            sign = isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.USub)
            number = place.operand if isinstance(place, ast.UnaryOp) and sign else place
            whole = isinstance(number, ast.Constant) and isinstance(number.value, int)
            return (name, f"{name}_shape[{ast.unparse(place)}]") if name and whole else None
        return None

    def _late(self, layer: Layer) -> bool:
        """Whether `build` makes a variable: its shape is asked of an argument's."""
        if layer.endpoint not in weights.KNOWN or not self._straight(layer.call):
            return False
        parts = [v for k, v in layer.given.items() if k not in OF_A_RUN]
        if not any(map(self._asks, parts)):
            return False
        local = self.bound.keys() - self.measured.keys() - self.part.own
        return not any(self._others(v) & local for v in parts)

    def _others(self, node: ast.AST) -> set[str]:
        """The names that an expression reads for something else than a shape."""
        if self._shape(node) is not None:
            return set()
        found = {node.id} if isinstance(node, ast.Name) else set[str]()
        return found.union(*(self._others(n) for n in children(node)))

    def _nodes(self) -> list[ast.AST]:
        calls = [self.part.calls[i] for i in self.late]
        found: list[ast.AST] = [v for c in calls for k, v in c.given.items() if k not in OF_A_RUN]
        return found

    def _used(self) -> list[str]:
        """The names that `build` computes, in order."""
        wanted = {n for node in self._nodes() for n in self._others(node)}
        for name, stmt in reversed(self.measured.items()):
            if name in wanted:
                wanted |= self._others(stmt.value)
        return [n for n in self.measured if n in wanted]

    def only(self) -> set[int]:
        """The statements, by id, that nothing but `build` has a use for."""
        gone: list[ast.AST] = [self.part.calls[i].call for i in self.late]
        for name in reversed(self.used):
            inner = {id(n) for node in gone for n in walk(node)}
            if all(id(n) in inner for n in self.part.program.reads(name, self.part.function)):
                gone.append(self.measured[name])
        return {id(node) for node in gone if isinstance(node, ast.stmt)}

    def arguments(self) -> list[str]:
        """The arguments of the function that `build` reads, which the layer keeps."""
        nodes = [*self._nodes(), *(self.measured[n].value for n in self.used)]
        wanted = {n for node in nodes for n in self._others(node)}
        return [n for n in self.part.kinds if n in self.part.own and n in wanted]

    def said(self, node: ast.expr) -> str:
        """An expression as `build` has it."""
        new = _Asked(self._shape).visit(copy.deepcopy(node))
        return ast.unparse(new)

    def written(self, one: str, two: str) -> str:
        """The method, or nothing."""
        if not self.late:
            return ""
        nodes = [*self._nodes(), *(self.measured[n].value for n in self.used)]
        asked = {s[0] for v in nodes for n in walk(v) if (s := self._shape(n)) is not None}
        first = {self.order[0]} if len(asked) > 1 or self.order[0] not in asked else set[str]()
        shapes = [f"{n}_shape" for n in self.order if n in asked | first]
        out = f"{one}def build({', '.join(['self', *shapes])}):\n"
        out += "".join(f"{two}{n} = self.{n}\n" for n in self.arguments())
        for name in self.used:
            out += f"{two}{name} = {self.said(self.measured[name].value)}\n"
        for call in self.late:
            for name, source in zip(
                self.part.attributes[call], self.part.sources[call], strict=True
            ):
                for node in (n for v in self.part.calls[call].given.values() for n in walk(v)):
                    if self._shape(node) is not None:
                        assert isinstance(node, ast.expr)
                        old = self.part.text.source(node)
                        source = source.replace(old, self.said(node))
                out += f"{two}self.{name} = {' '.join(source.split())}\n"
        return f"{out}\n"


class _Asked(ast.NodeTransformer):
    """Shapes of arguments as `build` is given them."""

    def __init__(self, shape: Callable[[ast.AST], tuple[str, str] | None]) -> None:
        self.shape = shape

    def visit(self, node: ast.AST) -> ast.AST:
        """Write an expression anew where it is a shape."""
        found = self.shape(node)
        if found is not None:
            return ast.parse(found[1], mode="eval").body
        return self.generic_visit(node)
