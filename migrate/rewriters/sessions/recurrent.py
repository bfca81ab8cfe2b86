"""Recurrent cells as modules that own their variables, and functions that run them over time."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.programs.graph.layering import distributions
from migrate.programs.graph.made import Layer, Made
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.objects import shared_objects
from migrate.programs.graph.recurrence import cell_starts, cell_types
from migrate.programs.graph.recurrence.cells import Cells, Kept
from migrate.programs.graph.recurrence.recurrent import (
    BLOCKS,
    CELL_ARGUMENTS,
    IDLE,
    JOINED,
    KEY,
    KINDS,
    LOOPS,
    PROJECTING,
)
from migrate.rewriters.sessions import initializers, layers, recurrent_code, variables
from migrate.rewriters.sessions.wrap import LIMIT, wrapped

if TYPE_CHECKING:
    from migrate.rewriters.sessions.functions import Functions
    from migrate.rewriters.sessions.state import Base

# Those that draw several variables with one initializer.
AGAIN = frozenset(
    {"GRUCell", "IndyGRUCell", "IntersectionRNNCell", "GLSTMCell"} | {"CudnnCompatibleGRUCell"}
)
DEFAULTS = {"dynamic_rnn": "rnn", "static_rnn": "rnn", "rnn_decoder": "rnn_decoder"}
DRAWN = "DrawnDropoutWrapper"  # one whose noise has a seed, or is the same in all steps
PLAIN = {**LOOPS, "rnn_decoder": ("decoder_inputs", "initial_state", "cell")}
POSITIONAL = {**dict.fromkeys(CELL_ARGUMENTS, 1), **dict.fromkeys(PROJECTING, 2)}
POSITIONAL |= {"BasicLSTMCell": 2, "DropoutWrapper": 3}


class Recurrent:
    """Writes a module's cells and what is done with them."""

    def __init__(self, module: Base) -> None:
        self.module = module
        self.names: set[str] = set()

    def need(self, name: str) -> None:
        """See to it that the module defines something, and what that is made of."""
        self.names |= {name, *recurrent_code.NEEDS.get(name, ())}

    def named(self, name: str) -> str:
        """A cell's class as a value."""
        self.need(name)
        return name

    def called(self, name: str) -> str:
        """What the module calls a loss: its own name may be the one of the result."""
        return f"weighted_{name}" if name in self.module.bound else name

    def define(self) -> None:
        """The definitions that are needed, in an order in which they can stand."""
        kept = self.module.walker.kept
        features = kept.get(KEY, set()) | kept.get(distributions.KEY, set())
        if cell_types.TYPED in features:
            self.names.add("glorot_uniform")
            features = features - {"draws_again"}  # that one does
        if {"variational", "seeded"} & features and "DropoutWrapper" in self.names:
            self.names = self.names - {"DropoutWrapper"} | {DRAWN, "LSTMStateTuple"}
            self.names |= {"draw_noise"} if "variational" in features else set()
        for name in recurrent_code.sources():
            if name in self.names:
                source = recurrent_code.source(name, features, self.module.tf)
                if name.startswith("sequence_loss"):
                    source = source.replace(f"def {name}(", f"def {self.called(name)}(")
                    name = self.called(name)
                name = "DropoutWrapper" if name == DRAWN else name
                if name in self.module.bound:
                    at = self.module.document.tree.body[0]
                    raise Blocked(at, f"the module has a `{name}` of its own")
                imports = recurrent_code.IMPORTS.get(name, ())
                for module in ("math", "hashlib"):
                    if re.search(rf"(?<![\w.]){module}\.", source):
                        imports = (*imports, f"import {module}")
                self.module.need(name, source, imports)

    def cell(
        self,
        name: str,
        node: ast.Call,
        given: dict[str, ast.expr],
        kept: frozenset[str],
        writer: Functions,
    ) -> str:
        """The construction of a cell."""
        order, last = CELL_ARGUMENTS[name], []
        if name in BLOCKS:
            name, named = BLOCKS[name]
            own = "name" in given or name == "GRUCell"  # which is called so without it
            last = [] if own else [f'name="{named}"']
        if name in KINDS:
            name, first, more = KINDS[name]
            last = [] if "name" in given else list(more)
        else:
            first = ()
        self.need(name)
        if "state_keep_prob" in given:
            self.need("LSTMStateTuple")
        out: list[str] = list(first)
        for argument, value in given.items():
            none = isinstance(value, ast.Constant) and value.value is None
            if argument == JOINED and isinstance(value, ast.Constant) and value.value is False:
                last.append(f"{JOINED}=False")
                continue
            if argument not in order or none or (argument == "use_peepholes" and _default(value)):
                continue
            # What a run is fed is given where the cell is applied.
            source = "None" if argument in kept else writer.source(value)
            if argument.endswith("initializer") and not isinstance(value, ast.Name):
                described = self.module.walker.kept["cell initializers"].get(id(value))
                if described is None:
                    raise Blocked(value, "an initializer that isn't seen")
                endpoint, call = described
                source = initializers.keras(
                    endpoint,
                    call,
                    self.module.text,
                    self.module.tf,
                    shared=_draws_again(name, given),
                )[0]
            place = order.index(argument)
            positional = place == len(out) < POSITIONAL[name] and value in node.args
            out.append(source if positional else f"{argument}={source}")
        start = self.module.walker.kept.get(cell_starts.KEY, {}).get(id(node))
        told = cell_starts.ARGUMENTS.get(name, "")
        if start is not None and start[1] and (told not in given or _default(given[told])):
            endpoint, call = start[1]
            again = _draws_again(name, given)
            text, tf = self.module.text, self.module.tf
            source, _ = initializers.keras(endpoint, call, text, tf, shared=again)
            out.append(f"{told}={start[2] or source}")
        whole = self._wrapped(node, name, [*out, *last])
        attribute = self.module.walker.kept.get(shared_objects.KEY, {}).get(id(node))
        if attribute is None:
            return whole
        if name in PROJECTING:
            raise Blocked(node, "a wrapper with variables in an object whose cells others share")
        self.need("shared_cell")
        other = shared_objects.GIVEN
        return f"shared_cell({whole}, {other} and {other}.{attribute})"

    def made(self, node: ast.Call, target: ast.FunctionDef, writer: Functions) -> str:
        """A call of a function that makes cells, without the shares to keep that runs are fed."""
        gone = self.module.walker.session_params[id(target)]
        names = [a.arg for a in target.args.args]
        if isinstance(node.func, ast.Attribute) and names[:1] == ["self"]:
            names = names[1:]
        kept = [writer.source(a) for n, a in zip(names, node.args, strict=False) if n not in gone]
        kept += [f"{k.arg}={writer.source(k.value)}" for k in node.keywords if k.arg not in gone]
        return f"{writer.source(node.func)}({', '.join(kept)})"

    def variable(self, stmt: ast.Assign, made: Made) -> str:
        """A variable of a cell of the program's own, on lines of its own where it is long."""
        module = self.module
        source = variables.source(made, module.walker, module.text, module.tf)
        line = f"{ast.unparse(stmt.targets[0])} = {source}"
        unit = module.text.unit
        lines = wrapped(" " * stmt.col_offset + line, unit, module.tf, module.root)
        return module.text.newline.join(lines).strip()

    def loop(
        self,
        name: str,
        node: ast.Call,
        given: dict[str, ast.expr],
        kept: Kept,
        scope: str,
        writer: Functions,
    ) -> str:
        """The call that runs cells over time."""
        self.need(name)
        out: list[str] = []
        for argument, value in given.items():
            false = isinstance(value, ast.Constant) and not value.value
            if argument in IDLE or argument == "scope" or false:
                continue
            source = writer.source(value)
            plain = argument in PLAIN[name] and value in node.args
            out.append(source if plain else f"{argument}={source}")
        if scope != DEFAULTS.get(name, "bidirectional_rnn"):
            out.append(f"scope={self._scope(scope, given, writer)}")
        out.extend(self._kept(kept, writer))
        return self._wrapped(node, name, out)

    def loss(self, name: str, node: ast.Call, parts: list[str]) -> str:
        """A loss over time."""
        self.need(name)
        return self._wrapped(node, self.called(name), parts)

    def spec(self, cell: str, dtype: str) -> str:
        """What a function is told of a state that it is fed."""
        self.module.walker.kept.setdefault(KEY, set()).add("spec")
        return f"{cell}.state_spec({dtype})"

    def part(self, name: str, node: ast.Call, given: dict[str, ast.expr], writer: Functions) -> str:
        """A decoder, or what gives it inputs."""
        self.need(name)
        out: list[str] = []
        for argument, value in given.items():
            if _default(value):
                continue
            source = writer.source(value)
            placed = value in node.args and node.args.index(value) == len(out)
            out.append(source if placed else f"{argument}={source}")
        return self._wrapped(node, name, out)

    def decode(
        self,
        node: ast.Call,
        given: dict[str, ast.expr],
        own: ast.expr | None,
        kept: Kept,
        scope: str,
        writer: Functions,
    ) -> str:
        """The call that runs a decoder."""
        self.need("dynamic_decode")
        out: list[str] = []
        for argument, value in given.items():
            if _default(value):
                continue
            plain = argument == "decoder" and value in node.args
            source = writer.source(value)
            out.append(source if plain else f"{argument}={source}")
        if scope != "decoder":
            scoped = {"scope": own} if own is not None else {}
            out.append(f"scope={self._scope(scope, scoped, writer)}")
        out.extend(self._kept(kept, writer))
        return self._wrapped(node, "dynamic_decode", out)

    def dense(self, layer: Layer, writer: Functions) -> str:
        """A layer as an object."""
        (source,) = layers.made(layer, writer)
        return source

    def mechanism(
        self, name: str, node: ast.Call, given: dict[str, ast.expr], scope: str, writer: Functions
    ) -> str:
        """What scores a memory, without what a run gives it."""
        self.need(name)
        units = given["num_units"]
        source = writer.source(units)
        out = [source if units in node.args else f"num_units={source}"]
        if scope:
            out.append(f'memory_scope="{scope}/"')
        return self._wrapped(node, name, out)

    def attending(self, node: ast.Call, given: dict[str, ast.expr], writer: Functions) -> str:
        """The construction of a cell that attends."""
        self.need("AttentionWrapper")
        out: list[str] = []
        arguments = ("cell", "attention_mechanism", "attention_layer_size", "alignment_history")
        for argument in (*arguments, "name"):
            value = given.get(argument)
            if value is None or (isinstance(value, ast.Constant) and not value.value):
                continue
            source = writer.source(value)
            out.append(source if value in node.args else f"{argument}={source}")
        return self._wrapped(node, "AttentionWrapper", out)

    def call(
        self,
        cells: Cells,
        node: ast.Call,
        given: dict[str, ast.expr],
        scope: str,
        writer: Functions,
    ) -> str:
        """A call of a cell by hand."""
        out = [writer.source(given["inputs"]), writer.source(given["state"])]
        if scope:
            out.append(f"scope={self._scope(scope, given, writer)}")
        out.extend(self._kept(cells.kept, writer))
        return f"{writer.source(node.func)}({', '.join(out)})"

    def state(self, node: ast.Call, writer: Functions) -> str:
        """An LSTM's state from its parts."""
        self.need("LSTMStateTuple")
        parts = [writer.source(a) for a in node.args]
        parts += [f"{k.arg}={writer.source(k.value)}" for k in node.keywords]
        return f"LSTMStateTuple({', '.join(parts)})"

    @staticmethod
    def _scope(scope: str, given: dict[str, ast.expr], writer: Functions) -> str:
        """A variable scope as written: the author's, or with those around it."""
        own = given.get("scope")
        if own is not None and scope == "{" + ast.unparse(own) + "}":
            return writer.source(own)
        if own is not None and "{" in scope and set("'\"\\") & set(scope):
            raise Blocked(own, "the scope of a cell is computed in another scope")
        return f'{"f" * ("{" in scope)}"{scope}"'

    @staticmethod
    def _kept(kept: Kept, writer: Functions) -> list[str]:
        """What a run is fed for the wrappers around cells."""
        return [f"{name}={next(iter(uses)).name}" for name, (_, uses) in kept.items()]

    def _wrapped(self, node: ast.Call, name: str, parts: list[str]) -> str:
        """A call, on lines of its own where it began so and is long."""
        text = self.module.text
        line = text.lines[node.lineno - 1]
        single = f"{name}({', '.join(parts)})"
        if node.lineno == node.end_lineno or len(line[: node.col_offset]) + len(single) < 96:
            return single
        indent = line[: len(line) - len(line.lstrip())] + text.unit
        broken = (
            f",{text.newline}{indent}" if len(indent) + len(single) > LIMIT + len(name) else ", "
        )
        return f"{name}({text.newline}{indent}{broken.join(parts)})"


def _draws_again(name: str, given: dict[str, ast.expr]) -> bool:
    """Whether a cell makes several variables with one initializer."""
    more = [given[a] for a in ("use_peepholes", "num_proj") if a in given]
    return name in AGAIN or not all(map(_default, more))


def _default(node: ast.expr) -> bool:
    """Whether an argument says what is so without it."""
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)
