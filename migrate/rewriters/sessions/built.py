"""A function whose variables are shaped by its input, as a Keras layer.

What it is told goes to `__init__`, what makes its variables to `build`, the rest to `call`.

https://www.tensorflow.org/guide/keras/making_new_layers_and_models_via_subclassing
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph.layering import shaped
from migrate.programs.graph.meaning import VARIABLES, T, is_host, is_op
from migrate.programs.graph.model import Blocked, Kind, Region, Step
from migrate.programs.graph.scoping import scopes
from migrate.programs.graph.sizing import sizes_told
from migrate.rewriters.sessions import initializers

if TYPE_CHECKING:
    from migrate.rewriters.sessions.functions import Functions
    from migrate.rewriters.sessions.writing import Writing

SHAPE = "input_shape"
VARIABLE = "tensorflow.Variable"
KNOWN = frozenset(
    {"name", "shape", "dtype", "initializer", "initial_value", "trainable", "use_resource"}
)


def class_name(function: str) -> str:
    """What a function is called as a class."""
    return "".join(word[:1].upper() + word[1:] for word in function.split("_"))


# What every Keras layer has: properties that can't be set, methods, and what means something.
KERAS = frozenset(
    (
        *("activity_regularizer", "add_loss", "add_metric", "add_variable", "add_weight"),
        *("autocast", "build", "built", "call", "compute_dtype", "compute_mask", "count_params"),
        *("dtype", "dtype_policy", "get_config", "get_weights", "input", "input_dtype"),
        *("input_spec", "losses", "metrics", "metrics_variables", "name", "output", "path"),
        *("non_trainable_variables", "non_trainable_weights", "quantize", "set_weights"),
        *("quantization_mode", "stateless_call", "supports_jit", "supports_masking"),
        *("trainable", "trainable_variables", "trainable_weights", "variable_dtype"),
        *("variables", "weights"),
    )
)


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
        assert region.result is not None
        self.last = region.result[0]
        self.kept = [
            s
            for s in region.steps
            if not s.drop and s not in self.plan.steps and s is not self.last
        ]
        self.values = self._values()
        self._called()
        for step in self.kept:
            if step.moves or step.kind not in (Kind.HOST, Kind.VARIABLE, Kind.CONST):
                raise Blocked(step.node, f"`{self.target.name}` does more than a layer")
        for step in (*self.plan.steps, self.last):
            for n in walk(step.node):
                if isinstance(n, ast.Call) and self.walker.endpoints.get(id(n.func)) in VARIABLES:
                    raise Blocked(n, "variables and tensors are made in one statement")
        if len([s for s in region.inputs or () if region.kinds.get(s.name) is Kind.TENSOR]) > 1:
            why = f"`{self.target.name}` is shaped by one of several inputs"
            error = Blocked(self.target, why)
            # Numbers read better, where the program tells all sizes.
            if not shaped.takes_all(self.walker, region) or self._told(error):
                raise error
        self.attributes = self._attributes()
        self._sized()
        names = {getattr(n, "id", getattr(n, "arg", "")) for n in walk(self.target)}
        for name in map(self._shape_of, region.sized if len(region.sized) > 1 else ()):
            if name in names:
                raise Blocked(self.target, f"`{name}` of `{self.target.name}` is something else")

    def _told(self, error: Blocked) -> bool:
        """Whether the program tells the sizes, where there are several inputs all that it asks."""
        told = [n for one in sizes_told.found(self.walker, error) for n, _ in one.replaced]
        if len(self.region.sized) < 2:
            return bool(told)
        inside = {id(n) for node in told for n in walk(node)}
        asked = [n for n in walk(self.target) if getattr(n, "attr", "") in ("get_shape", "shape")]
        return all(id(n) in inside for n in asked)

    def _sized(self) -> None:
        """See that `call` reads no sizes of another call's input.

        Raises:
            Blocked: the layer is called again, and `build` keeps sizes but for the last.
        """
        again = any(
            layer.factory is self.target and layer.same is not None
            for layer in self.walker.layers.values()
        )
        told = set(self.region.sized)
        for step in self.kept if again else ():
            names = {n.id for n in all_of(step.node, ast.Name)}
            if step.kind is Kind.VARIABLE or not names & told:
                continue
            told |= {s.name for s in step.defs}
            if {s.name for s in step.defs} & self.attributes and not _channels(step.node):
                raise Blocked(step.node, "sizes of one input that a call with another one reads")

    def _values(self) -> dict[str, ast.Call]:
        """First values that have names: those that only start variables, which take them over."""
        made = [m.given.get("initializer") for m in self.walker.made.values()]
        made += [
            self.walker.bound(VARIABLE, n).get("initial_value")
            for n in all_of(self.target, ast.Call)
            if self.walker.endpoints.get(id(n.func)) == VARIABLE
        ]
        found: dict[str, ast.Call] = {}
        for step in self.region.steps:
            stmt = step.node
            if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
                continue
            target = stmt.targets[0]
            if self.walker.endpoints.get(id(stmt.value.func)) not in initializers.VALUES:
                continue
            if len(stmt.targets) == 1 and isinstance(target, ast.Name):
                loads = [
                    n
                    for n in all_of(self.target, ast.Name)
                    if n.id == target.id and n is not target
                ]
                if loads and all(any(n is m for m in made) for n in loads):
                    found[target.id] = stmt.value
        calls = list(found.values())
        self.kept = [s for s in self.kept if getattr(s.node, "value", None) not in calls]
        left = [s for s in self.plan.steps if getattr(s.node, "value", None) not in calls]
        self.plan.steps[:] = left
        return found

    def _called(self) -> None:
        """Ops on sizes, ``tf.stack([rows, columns])``, are the call's: a layer keeps no tensors.

        Raises:
            Blocked: what makes variables reads them, too.
        """
        for step in [s for s in self.kept if s.kind in (Kind.HOST, Kind.CONST)]:
            calls = (n for n in all_of(step.node, ast.Call))
            names = (self.walker.endpoints.get(id(n.func), "") for n in calls)
            if not any(name and is_op(name) and not is_host(name) for name in names):
                continue
            made = {s.name for s in step.defs}
            if any(s.name in made for other in self.kept if other is not step for s in other.uses):
                raise Blocked(step.node, "an op that what makes variables reads")
            read = {
                n.id
                for other in self.kept
                if other is not step
                for n in all_of(other.node, ast.Name)
                if isinstance(n.ctx, ast.Load)
            }
            if read & made or not isinstance(step.node, ast.Assign):
                raise Blocked(step.node, "an op that what makes variables reads")
            self.kept.remove(step)
            for steps in (self.plan.steps, self.plan.units):
                if step not in steps:
                    place = sum(getattr(s, "order", -1) < step.order for s in steps)
                    steps.insert(place, step)

    def _attributes(self) -> set[str]:
        """The names that become the layer's: arguments, and what `build` makes for `call`."""
        given = {s.name for s in self.region.inputs or ()}
        read: set[str] = set()
        for step in (*self.plan.steps, self.last):
            names = all_of(step.node, ast.Name)
            read |= {n.id for n in names if isinstance(n.ctx, ast.Load)}
            for n in names:
                if isinstance(n.ctx, ast.Store):
                    given.add(n.id)
        made: set[str] = set()
        for step in self.kept:
            stored = {n.id for n in all_of(step.node, ast.Name) if isinstance(n.ctx, ast.Store)}
            kind = step.kind is Kind.VARIABLE
            made |= stored if kind else stored & read
        mixed = made & given
        if mixed:
            raise Blocked(self.target, f"`{min(mixed)}` is made twice in `{self.target.name}`")
        told = (
            {a.arg for a in self.target.args.args}
            - given
            - scopes.spent(self.module.walker, self.target)
        )
        return made | told

    def prepare(self) -> None:
        """Names of the layer's in what is written of the function."""
        steps = (*self.kept, *self.plan.steps, self.last)
        self.own = {
            n.id
            for node in (*(s.node for s in steps), *self.values.values())
            for n in all_of(node, ast.Name)
            if n.id in self.attributes
            if not self._only_named(n)
        }
        for n in walk(self.target):
            if isinstance(n, ast.Name) and n.id in self.attributes:
                self.walker.renamed[id(n)] = f"self.{attribute_name(n.id)}"

    def _only_named(self, node: ast.Name) -> bool:
        """Whether a name only is a part of a variable's name, which the layer leaves out."""
        return any(
            holds(made.given["name"], node)
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
        shapes = [self._shape_of(name) for name in self.region.sized]
        out += [f"{inner}def build(self, {', '.join(shapes)}):{nl}"]
        for step in steps:
            lines = self._statement(step, inner + unit).splitlines()
            out.append(self.module.long_lines(lines, ""))
        called = self.functions.factory(self.plan, inner, name="call", itself=True)
        out += [nl, called]
        start, end = text.start(piece.line), text.start(piece.last + 1)
        self.module.changes.append(Edit(start, end, "".join(out)))
        self._imported()

    def _imported(self) -> None:
        """Other files that import the function by its name import the class."""
        for page in self.module.pages:
            for stmt in page.document.tree.body:
                for alias in stmt.names if isinstance(stmt, ast.ImportFrom) else ():
                    frame = self.walker.files.at(stmt).frame
                    found = frame.env.get(alias.asname or alias.name) if frame is not None else None
                    if getattr(found and found.value.data, "node", None) is self.target:
                        new = class_name(alias.name)
                        if class_name(alias.asname or alias.name) in page.names:
                            raise Blocked(stmt, f"`{new}` is something else, too")
                        new += f" as {class_name(alias.asname)}" if alias.asname else ""
                        start, end = self.module.text.index.span(alias)
                        self.module.changes.append(Edit(start, end, new))

    def _init(self, indent: str) -> str:
        """`__init__`: what the function is told."""
        text, nl, deeper = self.module.text, self.module.text.newline, self.module.text.unit
        args = self.target.args
        defaults: list[ast.expr | None] = [None] * (len(args.args) - len(args.defaults))
        gone = {s.name for s in self.region.inputs or ()} | scopes.spent(
            self.module.walker, self.target
        )
        params, lines = ["self"], []
        scope = self._scope()
        for arg, default in zip(args.args, [*defaults, *args.defaults], strict=True):
            if arg.arg in gone:
                continue
            params.append(arg.arg + (f"={text.source(default)}" if default is not None else ""))
            if arg.arg in self.own:
                lines.append(f"{indent}{deeper}self.{attribute_name(arg.arg)} = {arg.arg}{nl}")
        lines += [f"{indent}{deeper}{line}{nl}" for line in self._layers()]
        named = f"name={scope}" if scope else ""
        head = f"{indent}def __init__({', '.join(params)}):{nl}"
        return head + f"{indent}{deeper}super().__init__({named}){nl}" + "".join(lines)

    def _layers(self) -> list[str]:
        """The layers that it calls itself, made as it is.

        Raises:
            Blocked: what they are told is computed.
        """
        lines: list[str] = []
        steps = (*self.plan.steps, self.last)
        computed = {s.name for step in self.region.steps for s in step.defs}
        computed |= {s.name for s in self.region.inputs or ()}
        for step in steps:
            for line in self.functions.made_layers(step):
                _, _, source = line.partition(" = ")
                read = {n.id for n in all_of(ast.parse(source.strip()), ast.Name)}
                if not source or read & computed or f"self.{SHAPE}" in source:
                    raise Blocked(
                        step.node, f"a layer in `{self.target.name}` is told what it computes"
                    )
                lines.append(line)
        return lines

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
        for arg in self.target.args.args:  # or that is a part of what its variables are called
            name = arg.arg
            loads = [n for n in all_of(self.target, ast.Name) if n.id == name]
            if loads and name not in given and all(map(self._only_named, loads)):
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
        self.step = step
        found: list[tuple[int, int, str]] = []
        stack: list[ast.AST] = [step.node]
        while stack:
            node = stack.pop()
            new = self._written(node)
            if new is not None:
                found.append((*text.index.span(node), new))
            else:
                stack.extend(children(node))
        return text.render(piece.first, piece.last, piece.indent, indent, found)

    def _written(self, node: ast.AST) -> str | None:
        """What is written otherwise in `build`."""
        if isinstance(node, ast.Call) and id(node) in self.walker.made:
            made = self.walker.made[id(node)]
            return self._weight(node, made.given, made.described)
        if isinstance(node, ast.Call):
            if self.walker.endpoints.get(id(node.func)) == VARIABLE:
                return self._weight(node, self.walker.bound(VARIABLE, node), None)
            if id(node) in self.walker.descriptions:
                shared = self.module.shared(self.step, node)
                return self._keras(self.walker.descriptions[id(node)], node, shared=shared)
        if isinstance(node, ast.Name) and id(node) in self.walker.renamed:
            return self.walker.renamed[id(node)]
        shape = self._shape(node)
        if shape is not None:
            return shape
        if isinstance(node, ast.Attribute) and node.attr == "value":
            if isinstance(node.value, ast.Subscript) and self._shape(node.value.value):
                return self.source(node.value)
            if isinstance(node.value, ast.Name) and node.value.id in self._sizes():
                return self.source(node.value)
            if not isinstance(node.value, ast.Name) or node.value.id not in self.attributes:
                raise Blocked(node, "`.value` of what isn't seen to be a dimension")
        if isinstance(node, ast.ListComp) and _values(node):
            shape = self._shape(node.generators[0].iter)
            if shape is not None:
                stmt = self.step.node
                whole = isinstance(stmt, ast.Assign) and stmt.value is node
                unpacked = whole and isinstance(_first_target(stmt), (ast.Tuple, ast.List))
                return shape if unpacked else f"list({shape})"
        return None

    def _sizes(self) -> set[str]:
        """The names of dimensions: of items of the shape, and of what goes through it."""
        found: set[str] = set()
        for n in walk(self.target):
            target: ast.expr | None = None
            if isinstance(n, ast.Assign) and len(n.targets) == 1:
                item = isinstance(n.value, ast.Subscript) and self._shape(n.value.value)
                target = n.targets[0] if item or self._shape(n.value) else None
            elif isinstance(n, (ast.For, ast.comprehension)) and self._shape(n.iter):
                target = n.target
            if isinstance(target, ast.Name) and not (isinstance(n, ast.Assign) and not item):
                found.add(target.id)
            elif isinstance(target, (ast.Tuple, ast.List)):
                found |= {t.id for t in target.elts if isinstance(t, ast.Name)}
        return found

    def _shape(self, node: ast.AST) -> str | None:
        """The shape of what the layer is applied to."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            if node.func.attr in ("get_shape", "as_list"):
                below = node.func.value
                if node.func.attr == "get_shape" and self._is_input(below):
                    return self._shape_of(below)
                return self._shape(below)
        if isinstance(node, ast.Attribute) and node.attr == "shape" and self._is_input(node.value):
            return self._shape_of(node.value)
        return None

    def _is_input(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.region.sized

    def _shape_of(self, node: ast.AST | str) -> str:
        """What Keras calls the shape of an input: by the input's name, where there are several."""
        name = node if isinstance(node, str) else getattr(node, "id", "")
        return f"{name}_shape" if len(self.region.sized) > 1 else SHAPE

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
                stack.extend(children(n))
        for lo, hi, new in sorted(found, reverse=True):
            source = source[: lo - start] + new + source[hi - start :]
        return source

    def _weight(
        self,
        call: ast.Call,
        given: dict[str, ast.expr],
        described: tuple[str, ast.Call | None] | None,
    ) -> str:
        """`tf.get_variable`, or `tf.Variable`, as `add_weight`."""
        for argument, node in given.items():
            none = isinstance(node, ast.Constant) and node.value is None
            if argument not in KNOWN and not none:
                raise Blocked(node, f"`{argument}` of {ast.unparse(call.func)}")
        shape = given.get("shape")
        initializer = given.get("initializer", given.get("initial_value"))
        if shape is None:
            parts = self._first(call, initializer)
        else:
            parts = [f"shape={self.source(shape)}"]
            parts.append(f"initializer={self._initializer(initializer, described)}")
        parts += [
            f"{argument}={self.source(given[argument])}"
            for argument in ("dtype", "trainable")
            if argument in given and not ast.unparse(given[argument]).endswith("float32")
        ]
        own = given.get("name")
        if isinstance(own, ast.Constant) and re.fullmatch(r"[\w.-]+", str(own.value)):
            parts.append(f"name={self.module.text.source(own)}")
        return f"self.add_weight({', '.join(parts)})"

    def _first(self, call: ast.Call, value: ast.expr | None) -> list[str]:
        """The shape and the initializer that a first value stands for."""
        if isinstance(value, ast.Name):
            value = self.values.get(value.id)
        if isinstance(value, ast.BinOp) and (filled := self._filled(value)) is not None:
            value, number = filled
            shape, _ = self._value(value)
            constant = f"{self.module.tf}.keras.initializers.Constant({number})"
            return [f"shape={self._listed(shape, value)}", f"initializer={constant}"]
        if not isinstance(value, ast.Call):
            raise Blocked(call, "a variable without a shape")
        shape, source = self._value(value)
        return [f"shape={self._listed(shape, value)}", f"initializer={source}"]

    def _filled(self, node: ast.BinOp) -> tuple[ast.Call, str] | None:
        """`tf.zeros(shape) + 0.1`, or `0.1 * tf.ones(shape)`: the call, and the number."""
        kinds = {ast.Add: T + "zeros", ast.Mult: T + "ones"}
        for value, number in ((node.left, node.right), (node.right, node.left)):
            if not isinstance(value, ast.Call) or len(value.args) != 1 or value.keywords:
                continue
            said = number.operand if isinstance(number, ast.UnaryOp) else number
            if not isinstance(said, ast.Constant) or not isinstance(said.value, (int, float)):
                continue
            if self.walker.endpoints.get(id(value.func)) == kinds.get(type(node.op)):
                return value, self.source(number)
        return None

    def _value(self, value: ast.Call) -> tuple[str, str]:
        endpoint = self.walker.endpoints.get(id(value.func), "")
        return initializers.of_value(endpoint, value, self.source, self.module.tf)

    def _listed(self, shape: str, call: ast.Call) -> str:
        """The shape of a value as a list, which `add_weight` needs."""
        if shape[:1] in "[(":
            return shape
        node = ast.parse(shape, mode="eval").body
        name = getattr(node, "attr", getattr(node, "id", None))
        listed = any(
            isinstance(n, ast.Assign)
            and (isinstance(n.value, (ast.List, ast.Tuple)) or _cut(n.value))
            and getattr(n.targets[0], "id", "") == name
            for n in walk(self.target)
        )
        if listed:
            return shape
        sizes = {
            getattr(e, "id", "")
            for n in walk(self.target)
            if isinstance(n, (ast.List, ast.Tuple))
            for e in n.elts
        }
        if name not in sizes and not isinstance(node, ast.Constant):
            raise Blocked(call, "a shape that may be a number")
        return f"[{shape}]"

    def _initializer(
        self, initializer: ast.expr | None, described: tuple[str, ast.Call | None] | None
    ) -> str:
        """What a weight with a shape starts with."""
        if initializer is None or (isinstance(initializer, ast.Constant) and not initializer.value):
            return '"glorot_uniform"'
        if described is None:
            raise Blocked(initializer, "a variable with a shape and a value")
        if isinstance(initializer, ast.Name):
            return self.source(initializer)
        return self._keras(described, initializer)

    def _keras(
        self, described: tuple[str, ast.Call | None], initializer: ast.expr, *, shared: bool = False
    ) -> str:
        """An initializer of Keras, with what the layer knows."""
        source, dtype = initializers.keras(
            *described, self.module.text, self.module.tf, shared=shared
        )
        if dtype is not None and not dtype.endswith("float32"):
            raise Blocked(initializer, "an initializer of another type than float32")
        told = {n.id for n in all_of(initializer, ast.Name)}
        for name in sorted(told & self.attributes):
            own = f"self.{attribute_name(name)}"
            source = re.sub(rf"(?<![\w.]){name}\b(?!=)", own, source)
        return source


def _first_target(stmt: ast.stmt) -> ast.expr | None:
    return stmt.targets[0] if isinstance(stmt, ast.Assign) else None


def _channels(node: ast.AST) -> bool:
    """Whether a statement reads the last size only, which a layer's weights depend on."""
    items = [n.slice for n in all_of(node, ast.Subscript)]
    shapes_read = [n for n in walk(node) if getattr(n, "attr", "") in ("get_shape", "shape")]
    return len(items) == len(shapes_read) > 0 and all(ast.unparse(i) in ("-1", "3") for i in items)


def _values(node: ast.ListComp) -> bool:
    """Whether a list is ``[d.value for d in …]``."""
    rounds = node.generators
    if len(rounds) > 1 or rounds[0].ifs or not isinstance(rounds[0].target, ast.Name):
        return False
    elt = node.elt
    if not isinstance(elt, ast.Attribute) or elt.attr != "value":
        return False
    return getattr(elt.value, "id", "") == rounds[0].target.id


def _cut(node: ast.expr) -> bool:
    """Whether an expression is a part of a list or a shape: ``shape[-1:]``."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def attribute_name(name: str) -> str:
    """The attribute of a layer that has a name of the function; Keras's own stay what they are."""
    return f"own_{name}" if name in KERAS else name
