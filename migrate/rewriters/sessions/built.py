"""A function whose variables are shaped by its input, as a Keras layer.

What it is told goes to `__init__`, what makes its variables to `build`, the rest to `call`.

https://www.tensorflow.org/guide/keras/making_new_layers_and_models_via_subclassing
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.programs.graph.model import Blocked, Kind, Region, Step
from migrate.programs.graph.walk import Made
from migrate.rewriters.sessions import initializers

if TYPE_CHECKING:
    from migrate.rewriters.sessions.functions import Functions
    from migrate.rewriters.sessions.writing import Writing

SHAPE = "input_shape"
KNOWN = frozenset({"name", "shape", "dtype", "initializer", "trainable", "use_resource"})


def class_name(function: str) -> str:
    """What a function is called as a class."""
    return "".join(word[:1].upper() + word[1:] for word in function.split("_"))


class Built:
    """One such function."""

    def __init__(self, module: Writing, region: Region, functions: Functions) -> None:
        self.module = module
        self.walker = module.walker
        self.region = region
        self.functions = functions
        assert isinstance(region.node, ast.FunctionDef)
        self.target = region.node
        self.name = class_name(self.target.name)
        self.plan = next(
            p for s, p in module.factories.items() if s.region is region and p.region is region
        )
        self.kept = [
            s
            for s in region.steps
            if not s.drop and s not in self.plan.steps and s is not region.result[0]  # type: ignore[index]
        ]
        for step in self.kept:
            if step.moves or step.kind not in (Kind.HOST, Kind.VARIABLE, Kind.CONST):
                raise Blocked(step.node, f"`{self.target.name}` does more than a layer")
        if len([s for s in region.inputs or () if region.kinds.get(s.name) is Kind.TENSOR]) > 1:
            raise Blocked(self.target, f"`{self.target.name}` is shaped by one of several inputs")
        self.attributes = self._attributes()

    def _attributes(self) -> set[str]:
        """The names that become the layer's: arguments, and what `build` makes for `call`."""
        given = {s.name for s in self.region.inputs or ()}
        read: set[str] = set()
        for step in (*self.plan.steps, self.region.result[0]):  # type: ignore[index]
            names = [n for n in ast.walk(step.node) if isinstance(n, ast.Name)]
            read |= {n.id for n in names if isinstance(n.ctx, ast.Load)}
            for n in names:
                if isinstance(n.ctx, ast.Store):
                    given.add(n.id)
        made: set[str] = set()
        for step in self.kept:
            stored = {
                n.id
                for n in ast.walk(step.node)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            kind = step.kind is Kind.VARIABLE
            made |= stored if kind else stored & read
        mixed = made & given
        if mixed:
            raise Blocked(self.target, f"`{min(mixed)}` is made twice in `{self.target.name}`")
        told = {a.arg for a in self.target.args.args} - given - {"reuse"}
        return made | told

    def prepare(self) -> None:
        """Names of the layer's in what is written of the function."""
        self.own = {
            n.id
            for step in (*self.kept, *self.plan.steps, self.region.result[0])  # type: ignore[index]
            for n in ast.walk(step.node)
            if isinstance(n, ast.Name) and n.id in self.attributes
            if not self._only_named(n)
        }
        for n in ast.walk(self.target):
            if isinstance(n, ast.Name) and n.id in self.attributes:
                self.walker.renamed[id(n)] = f"self.{n.id}"

    def _only_named(self, node: ast.Name) -> bool:
        """Whether a name only is a part of a variable's name, which the layer leaves out."""
        return any(
            any(n is node for n in ast.walk(made.given["name"]))
            for made in self.walker.made.values()
            if "name" in made.given
        )

    def write(self) -> None:
        """The class, instead of the function."""
        text, nl, unit = self.module.text, self.module.text.newline, self.module.text.unit
        piece = text.piece(self.target, self.target.lineno - 1)
        base = piece.indent
        inner = base + unit
        out = [f"{base}class {self.name}({self.module.tf}.keras.layers.Layer):{nl}"]
        steps = list(self.kept)
        first = steps[0].node if steps else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            out.append(f"{inner}{text.source(first)}{nl}{nl}")
            steps = steps[1:]
        out += [self._init(inner), nl]
        out += [f"{inner}def build(self, {SHAPE}):{nl}"]
        for step in steps:
            lines = self._statement(step, inner + unit).splitlines()
            out.append(self.module.long_lines(lines, ""))
        called = self.functions.factory(self.plan, inner, name="call", itself=True)
        out += [nl, called]
        start, end = text.start(piece.line), text.start(piece.last + 1)
        self.module.changes.append(Edit(start, end, "".join(out)))

    def _init(self, indent: str) -> str:
        """`__init__`: what the function is told."""
        text, nl, deeper = self.module.text, self.module.text.newline, self.module.text.unit
        args = self.target.args
        defaults: list[ast.expr | None] = [None] * (len(args.args) - len(args.defaults))
        gone = {s.name for s in self.region.inputs or ()} | {"reuse"}
        params, lines = ["self"], []
        scope = self._scope()
        for arg, default in zip(args.args, [*defaults, *args.defaults], strict=True):
            if arg.arg in gone:
                continue
            params.append(arg.arg + (f"={text.source(default)}" if default is not None else ""))
            if arg.arg in self.own:
                lines.append(f"{indent}{deeper}self.{arg.arg} = {arg.arg}{nl}")
        named = f"name={scope}" if scope else ""
        head = f"{indent}def __init__({', '.join(params)}):{nl}"
        return head + f"{indent}{deeper}super().__init__({named}){nl}" + "".join(lines)

    def _scope(self) -> str:
        """The argument by which the author names what is made, where it can name a layer."""
        given = {s.name for s in self.region.inputs or ()}
        for step in self.region.steps:
            for item in getattr(step.node, "items", ()) if step.drop else ():
                call = item.context_expr
                first = [
                    a.values[0] if isinstance(a, ast.BoolOp) else a
                    for a in getattr(call, "args", [])[:1]
                ]
                names = [a for a in first if isinstance(a, ast.Name)]
                if names and names[0].id in {a.arg for a in self.target.args.args} - given:
                    name: str = names[0].id
                    return name if self._plainly_named(name) else ""
        return ""

    def _plainly_named(self, name: str) -> bool:
        """Whether all calls give a name that Keras takes."""
        for layer in self.walker.layers.values():
            if layer.factory is self.target:
                value = layer.given.get(name)
                if value is not None and not (
                    isinstance(value, ast.Constant) and re.fullmatch(r"[\w.-]+", str(value.value))
                ):
                    return False
        return True

    def _statement(self, step: Step, indent: str) -> str:
        """A statement of `build`."""
        text = self.module.text
        piece = text.piece(step.node, self.functions.floor[step])
        found: list[tuple[int, int, str]] = []
        stack: list[ast.AST] = [step.node]
        while stack:
            node = stack.pop()
            new = self._written(node)
            if new is not None:
                found.append((*text.index.span(node), new))
            else:
                stack.extend(ast.iter_child_nodes(node))
        return text.render(piece.first, piece.last, piece.indent, indent, found)

    def _written(self, node: ast.AST) -> str | None:
        """What is written otherwise in `build`."""
        if isinstance(node, ast.Call) and id(node) in self.walker.made:
            return self._weight(self.walker.made[id(node)])
        if isinstance(node, ast.Call) and self.walker.endpoints.get(id(node.func), "").endswith(
            ".Variable"
        ):
            raise Blocked(node, f"a tf.Variable in `{self.target.name}`, whose shape it is given")
        if isinstance(node, ast.Name) and id(node) in self.walker.renamed:
            return self.walker.renamed[id(node)]
        shape = self._shape(node)
        if shape is not None:
            return shape
        if isinstance(node, ast.Attribute) and node.attr == "value":
            if isinstance(node.value, ast.Subscript) and self._shape(node.value.value):
                return self.source(node.value)
        return None

    def _shape(self, node: ast.AST) -> str | None:
        """The shape of what the layer is applied to."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            if node.func.attr in ("get_shape", "as_list"):
                below = node.func.value
                whole = node.func.attr == "get_shape" and self._is_input(below)
                return SHAPE if whole or self._shape(below) else None
        if isinstance(node, ast.Attribute) and node.attr == "shape" and self._is_input(node.value):
            return SHAPE
        return None

    def _is_input(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.region.shaped

    def source(self, node: ast.AST) -> str:
        """An expression of `build`."""
        text = self.module.text
        start = text.index.span(node)[0]
        source, stack = text.source(node), [node]
        found: list[tuple[int, int, str]] = []
        while stack:
            n = stack.pop()
            new = self._written(n) if n is not node or not isinstance(n, ast.Attribute) else None
            if new is not None:
                found.append((*text.index.span(n), new))
            else:
                stack.extend(ast.iter_child_nodes(n))
        for lo, hi, new in sorted(found, reverse=True):
            source = source[: lo - start] + new + source[hi - start :]
        return source

    def _weight(self, made: Made) -> str:
        """`tf.get_variable` as `add_weight`."""
        given, tf = made.given, self.module.tf
        for argument, node in given.items():
            none = isinstance(node, ast.Constant) and node.value is None
            if argument not in KNOWN and not none:
                raise Blocked(node, f"`{argument}` of tf.get_variable")
        shape = given.get("shape")
        if shape is None:
            raise Blocked(made.call, "a variable without a shape")
        parts = [f"shape={self.source(shape)}"]
        initializer = given.get("initializer")
        if initializer is None or (isinstance(initializer, ast.Constant) and not initializer.value):
            parts.append('initializer="glorot_uniform"')
        elif made.described is None:
            raise Blocked(initializer, "a variable with a shape and a value")
        elif isinstance(initializer, ast.Name):
            parts.append(f"initializer={self.source(initializer)}")
        else:
            source, dtype = initializers.keras(*made.described, self.module.text, tf)
            if dtype is not None and not dtype.endswith("float32"):
                raise Blocked(initializer, "an initializer of another type than float32")
            told = {n.id for n in ast.walk(initializer) if isinstance(n, ast.Name)}
            for name in sorted(told & self.attributes):
                source = re.sub(rf"(?<![\w.]){name}\b(?!=)", f"self.{name}", source)
            parts.append(f"initializer={source}")
        parts += [
            f"{argument}={self.source(given[argument])}"
            for argument in ("dtype", "trainable")
            if argument in given and not ast.unparse(given[argument]).endswith("float32")
        ]
        own = given.get("name")
        if isinstance(own, ast.Constant) and re.fullmatch(r"[\w.-]+", str(own.value)):
            parts.append(f"name={self.module.text.source(own)}")
        return f"self.add_weight({', '.join(parts)})"
