"""Functions that make layers and apply them, cut in two: `__init__` makes, `call` applies.

Both halves keep the author's loops and branches, as far as these depend on what is known when the
model is made. A layer in a loop is one of a list.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from migrate.programs.graph import meaning
from migrate.programs.graph.layers import CONTRIB, NORM
from migrate.programs.graph.losses import Loss
from migrate.programs.graph.made import Layer, Norm
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import training, weights
from migrate.rewriters.estimators.modes import Mode, Tests
from migrate.rewriters.estimators.program import LAYERS, Program
from migrate.rewriters.sessions import layers as keras
from migrate.rewriters.sessions import losses

if TYPE_CHECKING:
    from migrate.rewriters.estimators import parts
    from migrate.rewriters.sessions.sources import Sources

DROPOUTS = frozenset({"tensorflow.layers.dropout", CONTRIB + "dropout"})
OF_A_RUN = ("inputs", "ids", "training", "is_training")  # a layer's arguments when it is applied
LOOKUP = "tensorflow.nn.embedding_lookup"
SPARSE = frozenset(
    {
        *(LOOKUP, "tensorflow.nn.embedding_lookup_sparse", "tensorflow.gather"),
        *("tensorflow.gather_nd", CONTRIB + "embed_sequence", CONTRIB + "embedding_lookup_unique"),
    }
)
LOSSES = frozenset(f"tensorflow.losses.{name}" for name in losses.TABLE)
# Names of `keras.Model` that its own attributes must not take.
RESERVED = frozenset(
    {
        *("build", "call", "compile", "compute_loss", "compute_metrics", "dtype", "evaluate"),
        *("export", "fit", "input", "inputs", "output", "outputs", "layers", "losses", "loss"),
        *("metrics", "name", "optimizer", "path", "predict", "predict_step", "save", "summary"),
        *("test_step", "train_step", "trainable", "training", "variables", "weights", "built"),
        *("trainable_variables", "stop_training", "run_eagerly", "jit_compile", "history"),
    }
)
# What authors call whatever is at hand.
PLAIN = frozenset(
    {
        *("net", "x", "y", "h", "out", "output", "outputs", "inputs", "input", "tensor", "layer"),
        *("result", "top", "curr_layer", "current", "current_layer", "features", "feature_map"),
        *("temp", "tmp", "prev", "input_layer", "value", "img", "image"),
    }
)


class Trained(Loss):
    """A loss of a model_fn: it is differentiated, and no label of it is learned."""

    def trained(self, walker: Any) -> bool:
        """Whether it is differentiated."""
        return True

    def learns(self, walker: Any) -> bool:
        """Whether the labels may come from variables."""
        return False


def walk_own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, in the order of the text."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from walk_own(child)


def reads(node: ast.AST) -> set[str]:
    """The names that a piece of syntax reads."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _loaded(n)}
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        found.add(node.target.id)
    return found


def stores(node: ast.AST) -> set[str]:
    """The names that a statement binds or changes."""
    found = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            found.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            found.add(n.name)
        elif isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, ast.Store):
            found.add(root(n))
        elif (
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in ("append", "extend", "update", "insert", "pop", "setdefault")
        ):
            found.add(root(n.func))
    return found - {""}


def root(node: ast.AST) -> str:
    """The name that a chain of attributes and items begins with."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def simple(stmt: ast.stmt) -> Iterator[ast.stmt]:
    """A statement, or those in it, with the loops around them."""
    inner = [s for name in ("body", "orelse") for s in getattr(stmt, name, [])]
    if not inner or isinstance(stmt, (ast.For, ast.FunctionDef, ast.ClassDef)):
        yield stmt
    if not isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
        for each in inner:
            yield from simple(each)


def _loaded(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


class Halves:
    """A function's statements as the two halves of a class."""

    def __init__(
        self, program: Program, function: ast.FunctionDef, tests: Tests, *, updates: bool
    ) -> None:
        self.program = program
        self.function = function
        self.tests = tests
        self.updates = updates  # whether training runs the updates of batch normalizations
        self.mode: Mode | None = None  # of the method that is written; None: `call`
        self.attributes: dict[int, list[str]] = {}  # by layer call: what holds its objects
        self.lists: dict[int, list[str]] = {}  # of a loop: the lists that its layers are in
        self.kept: set[str] = set()  # arguments that methods read from `self`
        self.own: set[str] = set()  # arguments that the class is made with
        self.names: set[str] = set()
        self.calls: dict[int, Layer] = {}
        self.sources: dict[int, list[str]] = {}
        self.floors: dict[int, int] = {}
        self.dropped: set[int] = set()  # statements that no method has
        self.aliases: dict[str, str] = {}  # names of weights: the attributes that hold them
        self.instead: dict[int, str] = {}  # by id of a node: what is written for it
        self.parts: dict[int, parts.Part] = {}  # functions that are layers, by call
        self.reuse: frozenset[str] = frozenset()  # arguments that say what is used again
        self.tensors: set[str] = set()
        self.labelled: set[str] = set()
        self.plain: set[str] = set()
        self._floor(function.body, function.body[0].lineno - 1 if function.body else 0)

    # -- what the sessions' rules ask of a writer ---------------------------------------------

    @property
    def walker(self) -> Any:
        """What is known of the program."""
        return self.program.walker

    @property
    def text(self) -> Any:
        """The program's text."""
        return self.program.text

    @property
    def tf(self) -> str:
        """TensorFlow 2."""
        return self.program.tf

    @property
    def module(self) -> Any:
        """What definitions the file has and gets."""
        return self

    @property
    def needed(self) -> dict[str, str]:
        """The definitions that the file gets."""
        return self.program.page(self.function).needed

    def need(self, name: str, source: str, imports: Sequence[str] = ()) -> None:
        """A definition that the file gets."""
        self.program.need(self.function, name, source, imports)

    def switched(self, node: ast.expr) -> str | None:
        """A switch that is known."""
        written = self.source(node)
        return written if written in ("True", "False") else None

    def hosted(self, node: ast.expr) -> bool:
        """Whether a switch is Python's: all are."""
        return True

    def flagged(self, flags: dict[str, ast.expr]) -> None:
        """Find the names that say something of the mode, each bound once."""
        bound = self.program.scopes.bound(self.function)
        changed = True
        while changed:
            changed = False
            for name, found in bound.items():
                value = found[0].value if len(found) == 1 else None
                if name not in flags and value is not None and found[0].kind == "assign":
                    if not isinstance(value, ast.Constant) and self.tests.tells(value):
                        flags[name] = value
                        changed = True

    # -- values -------------------------------------------------------------------------------

    def classify(self, body: Iterable[ast.stmt]) -> None:
        """Tell the names of tensors, those that come from labels, and what stays Python's."""
        every = {id(s): s for b in body for s in simple(b)}
        pieces = [
            (s.iter, stores(s.target)) if isinstance(s, ast.For) else (s, stores(s))
            for s in every.values()
        ]
        size = -1
        while size != len(self.tensors) + len(self.labelled):
            size = len(self.tensors) + len(self.labelled)
            for node, names in pieces:
                if reads(node) & self.labelled:
                    self.labelled |= names
                if self.is_tensor(node):
                    self.tensors |= names
        self.plain = {n for node, names in pieces if not self.is_tensor(node) for n in names}

    def is_tensor(self, node: ast.AST) -> bool:
        """Whether a piece of syntax belongs to a run."""
        for n in walk_own(node):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in self.tensors:
                return True
            if isinstance(n, ast.Call):
                endpoint = self.program.called(n)
                if self.makes(n) or (
                    endpoint
                    and meaning.is_op(endpoint)
                    and not meaning.is_host(endpoint)
                    and not training.is_optimizer(endpoint)
                    and endpoint not in training.STEPS | training.DECAYS
                ):
                    return True
        return False

    def is_host(self, stmt: ast.stmt) -> bool:
        """Whether a statement is Python's alone."""
        return not self.is_tensor(stmt)

    # -- text ---------------------------------------------------------------------------------

    def source(self, node: ast.AST) -> str:
        """An expression as the method that is written has it."""
        start, end = self.text.index.span(node)
        out, at = [], start
        for lo, hi, new in self.spans(node):
            out += [self.text.text[at:lo], new]
            at = hi
        return "".join([*out, self.text.text[at:end]])

    def spans(self, node: ast.AST) -> list[tuple[int, int, str]]:
        """What is written otherwise in a piece of syntax, in order."""
        new = self.replaced(node)
        if new is not None:
            return [(*self.text.index.span(node), new)]
        found = [span for child in ast.iter_child_nodes(node) for span in self.spans(child)]
        return sorted(found)

    def replaced(self, node: ast.AST) -> str | None:
        """What is written for an expression; None where it stays as it is."""
        if id(node) in self.instead:
            return self.instead[id(node)]
        if id(node) in self.calls:
            return self.applied(cast("ast.Call", node))
        if isinstance(node, ast.Name) and _loaded(node) and node.id in self.aliases:
            return f"self.{self.aliases[node.id]}"
        if isinstance(node, ast.Call) and self.program.called(node) == LOOKUP:
            looked_up = self.looked_up(node)
            if looked_up is not None:
                return looked_up
        if isinstance(node, ast.Call) and self.program.called(node) in LOSSES:
            return self.loss(node)
        if isinstance(node, ast.IfExp) and self.tests.tells(node.test):
            if self.mode is not None:
                chosen = node.body if self.tests.value(node.test, self.mode) else node.orelse
                return self.source(chosen)
            return None
        if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)) or (
            isinstance(node, ast.Name) and _loaded(node)
        ):
            if not isinstance(node, ast.Constant) and self.tests.tells(node):
                return self.switch(node)
        if isinstance(node, ast.Name) and _loaded(node) and node.id in self.own:
            self.kept.add(node.id)
            return f"self.{node.id}"
        return None

    def looked_up(self, node: ast.Call) -> str | None:
        """A lookup in one weight of the model: TF 2's is the same."""
        given = self.program.given(node)
        table, ids = given.get("params"), given.get("ids")
        if not isinstance(table, ast.Name) or table.id not in self.aliases or ids is None:
            return None
        if set(given) - {"params", "ids", "name"}:
            return None
        return f"{self.tf}.nn.embedding_lookup({self.source(table)}, {self.source(ids)})"

    def is_sparse(self) -> bool:
        """Whether gradients may be of some rows of a weight only."""
        return any(self.program.called(n) in SPARSE for n in ast.walk(self.function)) or any(
            part.is_sparse() for part in self.parts.values()
        )

    def loss(self, node: ast.Call) -> str:
        """What a loss of `tf.losses` is in TF 2."""
        endpoint = self.program.called(node)
        found = Trained(node, endpoint, self.program.given(node))
        return losses.source(found, self.walker, self.source, self.tf)

    def switch(self, node: ast.expr) -> str:
        """What a test on the mode is in the method that is written.

        Raises:
            Blocked: `call` can't tell.
        """
        if self.mode is not None:
            return str(self.tests.value(node, self.mode))
        training = self.tests.training(node)
        if training is None:
            raise Blocked(node, "evaluation and prediction compute something else here")
        return "training" if training else "not training"

    def statement(self, stmt: ast.stmt, indent: str) -> str:
        """A statement's text at another indentation, with what is written otherwise."""
        if id(stmt) in self.dropped:
            return ""
        if isinstance(stmt, (ast.For, ast.If, ast.With, ast.While)):
            return self.block(stmt, indent)
        piece = self.text.piece(stmt, self.floors.get(id(stmt), 0))
        return str(
            self.text.render(piece.first, piece.last, piece.indent, indent, self.spans(stmt))
        )

    def statements(self, body: Iterable[ast.stmt], indent: str) -> str:
        """Statements, one after the other."""
        return "".join(self.statement(stmt, indent) for stmt in body)

    def comments(self, stmt: ast.stmt, indent: str) -> str:
        """The comments right above a statement."""
        piece = self.text.piece(stmt, self.floors.get(id(stmt), 0))
        if piece.first >= piece.line:
            return ""
        return str(self.text.render(piece.first, piece.line - 1, piece.indent, indent))

    def block(self, stmt: ast.For | ast.If | ast.With | ast.While, indent: str) -> str:
        """A loop, a branch or a block."""
        deeper = indent + self.text.unit
        out = self.comments(stmt, indent)
        if isinstance(stmt, ast.With):
            if self.flat(stmt):
                return out + self.statements(stmt.body, indent)
            items = ", ".join(self.source(i) for i in stmt.items)
            return f"{out}{indent}with {items}:\n{self.statements(stmt.body, deeper)}"
        if isinstance(stmt, ast.While):
            if id(stmt) in self.lists:
                raise Blocked(stmt, "layers in a while loop")
            test = self.source(stmt.test)
            return f"{out}{indent}while {test}:\n{self.statements(stmt.body, deeper)}"
        if isinstance(stmt, ast.For):
            return f"{out}{indent}{self.loop(stmt)}\n{self.statements(stmt.body, deeper)}"
        known = self.mode and self.tests.value(stmt.test, self.mode)
        if self.mode is not None and known is not None:
            return out + self.statements(stmt.body if known else stmt.orelse, indent)
        out += f"{indent}if {self.source(stmt.test)}:\n{self.statements(stmt.body, deeper)}"
        if len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ast.If):
            rest = self.statement(stmt.orelse[0], indent).lstrip()
            return f"{out}{indent}el{rest}" if rest.startswith("if ") else out + indent + rest
        if stmt.orelse:
            out += f"{indent}else:\n{self.statements(stmt.orelse, deeper)}"
        return out

    def flat(self, stmt: ast.With) -> bool:
        """Whether a block only opens scopes, which nothing needs any more.

        Raises:
            Blocked: variables are used again in it.
        """
        for item in stmt.items:
            endpoint = self.program.called(item.context_expr)
            if not endpoint.endswith(("variable_scope", "name_scope", ".control_dependencies")):
                return False
            assert isinstance(item.context_expr, ast.Call)
            for keyword in item.context_expr.keywords:
                value = keyword.value
                if keyword.arg == "reuse" and not (
                    (isinstance(value, ast.Constant) and not value.value)
                    or (isinstance(value, ast.Name) and value.id in self.reuse)
                ):
                    raise Blocked(value, "a scope whose variables are used again")
                if keyword.arg in ("initializer", "regularizer", "custom_getter", "partitioner"):
                    if not (isinstance(value, ast.Constant) and value.value is None):
                        raise Blocked(value, f"`{keyword.arg}` of a scope")
        return True

    def _floor(self, body: Sequence[ast.stmt], floor: int) -> None:
        """The last line of what stands before each statement."""
        for stmt in body:
            self.floors[id(stmt)] = floor
            for name in ("body", "orelse"):
                inner = getattr(stmt, name, None)
                if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
                    header = stmt.lineno if name == "body" else stmt.body[-1].end_lineno  # type: ignore[attr-defined]
                    self._floor(inner, max(header or 0, _header(stmt) if name == "body" else 0))
            floor = stmt.end_lineno or stmt.lineno

    # -- layers -------------------------------------------------------------------------------

    def layered(self, node: ast.AST) -> list[ast.Call]:
        """The calls in a piece of syntax that make layers."""
        return [n for n in walk_own(node) if isinstance(n, ast.Call) and self.makes(n)]

    def makes(self, node: ast.Call) -> bool:
        """Whether a call makes a layer and applies it."""
        endpoint = self.program.called(node)
        if endpoint:
            known = keras.known(endpoint) or endpoint in LAYERS or endpoint in DROPOUTS
            return known or endpoint in weights.KNOWN
        return self.maker(node) is not None

    def maker(self, node: ast.Call) -> ast.FunctionDef | None:
        """The function of the program that a call is of, if that makes layers."""
        function = self.program.scopes.function(node.func)
        if function is None or function is self.function:
            return None
        known = self.program.kept.get(("makes", id(function)))
        if known is None:
            self.program.kept["makes", id(function)] = False  # should it call itself
            known = any(isinstance(n, ast.Call) and self.makes(n) for n in ast.walk(function))
            self.program.kept["makes", id(function)] = known
        return function if known else None

    def find(self, body: Iterable[ast.stmt], loops: tuple[ast.For, ...] = ()) -> None:
        """Look at the layers of statements: what is made, and what it is called."""
        for stmt in body:
            if isinstance(stmt, (ast.For, ast.If, ast.With)):
                inside = (*loops, stmt) if isinstance(stmt, ast.For) else loops
                head = stmt.iter if isinstance(stmt, ast.For) else getattr(stmt, "test", None)
                if head is not None and self.layered(head):
                    raise Blocked(head, "a layer in the head of a loop or a branch")
                self.find(stmt.body, inside)
                self.find(getattr(stmt, "orelse", []), loops)
                continue
            for call in self.layered(stmt):
                if isinstance(stmt, (ast.While, ast.Try, ast.FunctionDef)):
                    raise Blocked(call, "a layer in a while loop or an inner function")
                if len(loops) > 1:
                    raise Blocked(call, "a layer in a loop in a loop")
                self.add(call, stmt, loops)

    def add(self, call: ast.Call, stmt: ast.stmt, loops: tuple[ast.For, ...]) -> None:
        """A layer: its source, and the attribute that holds it."""
        if id(call) in self.calls:
            return
        from migrate.rewriters.estimators import parts

        function = self.maker(call)
        again = function is not None and parts.reuses(self, function, call)
        sources, layer = self.made(call)
        if again and function is not None:
            self._again(call, function, layer)
            return
        self.calls[id(call)] = layer
        self.sources[id(call)] = sources
        names = []
        for place, source in enumerate(sources):
            name = self._name(call, stmt, source, place, many=bool(loops))
            names.append(name)
            if loops:
                self.lists.setdefault(id(loops[0]), []).append(name)
        self.attributes[id(call)] = names
        if layer.endpoint in weights.KNOWN and isinstance(stmt, ast.Assign) and not loops:
            target = stmt.targets[0]
            if isinstance(target, ast.Name) and stmt.value is call:
                if len(self.program.scopes.bound(self.function)[target.id]) == 1:
                    self.aliases[target.id] = names[0]
                    self.dropped.add(id(stmt))

    def _again(self, call: ast.Call, function: ast.FunctionDef, layer: Layer) -> None:
        """A call of a function whose variables an earlier call has made.

        Raises:
            Blocked: that isn't seen.
        """
        from migrate.rewriters.estimators import parts

        for other in self.calls.values():
            if other.factory is function and parts.same_host(self, other.call, call, function):
                self.calls[id(call)] = layer
                self.sources[id(call)] = []
                self.attributes[id(call)] = self.attributes[id(other.call)]
                return
        raise Blocked(call, "whose variables are used again isn't seen")

    def made(self, call: ast.Call) -> tuple[list[str], Layer]:
        """The sources of the Keras layers that a call makes."""
        endpoint = self.program.called(call)
        function = self.maker(call)
        if function is not None:
            from migrate.rewriters.estimators import parts

            made, source = parts.part(self, function, call)
            self.parts[id(call)] = made
            _, given = parts.kinds(self, function, call)
            return [source], Layer(function.name, call, given, {}, factory=function)
        if endpoint in weights.KNOWN:
            return [weights.made(self.program, call)], Layer(
                endpoint, call, weights.given(self.program, call), {}
            )
        if endpoint in LAYERS:
            source, inputs = LAYERS[endpoint](self.program, endpoint, call)
            return [source], Layer(endpoint, call, {"inputs": inputs}, {})
        given = dict(self.walker.bound(endpoint, call))
        reuse = given.get("reuse")
        if reuse is not None and not (isinstance(reuse, ast.Constant) and not reuse.value):
            raise Blocked(reuse, "a layer that may be used again")
        layer = Layer(endpoint, call, given, {})
        if endpoint in DROPOUTS:
            return [self._dropout(layer)], layer
        for argument, node in given.items():
            self._described(layer, argument, node)
        layer.norm = self._norm(layer)
        return keras.made(layer, cast("Sources", self)), layer

    def _described(self, layer: Layer, argument: str, node: ast.expr) -> None:
        """An initializer or a regularizer, by what it was made with."""
        if not argument.endswith(("initializer", "_regularizer")):
            return
        value = self.program.scopes.value(node)
        endpoint = self.program.called(value) or self.program.endpoint(value)
        call = value if isinstance(value, ast.Call) else None
        if argument.endswith("initializer") and endpoint:
            layer.described[argument] = (endpoint, call)
            layer.given[argument] = value
        elif endpoint and call is not None:
            self.walker.regularizers[id(value)] = (endpoint, self.walker.bound(endpoint, call))
            layer.given[argument] = value

    def _norm(self, layer: Layer) -> Norm | None:
        given = layer.given
        if layer.endpoint == "tensorflow.layers.batch_normalization":
            switch = given.get("training")
            return Norm(layer.call, given, switch, False, False, True, frozen=not self.updates)
        if layer.endpoint == NORM:
            switch = given.get("is_training")
            nodes = given.get("updates_collections")
            at_once = isinstance(nodes, ast.Constant) and nodes.value is None
            if nodes is not None and not at_once:
                raise Blocked(nodes, "updates in a collection of their own")
            frozen = not (self.updates or at_once)
            return Norm(layer.call, given, switch, True, at_once, False, frozen=frozen)
        normalizer = given.get("normalizer_fn")
        if normalizer is not None and not isinstance(normalizer, ast.Constant):
            raise Blocked(normalizer, "`normalizer_fn` of a layer")
        return None

    def _dropout(self, layer: Layer) -> str:
        given, contrib = layer.given, layer.endpoint.startswith(CONTRIB)
        known = ("inputs", "rate", "keep_prob", "training", "is_training", "seed", "name", "scope")
        for argument, node in given.items():
            if argument not in known and not (isinstance(node, ast.Constant) and not node.value):
                raise Blocked(node, f"`{argument}` of a dropout")
        share = given.get("keep_prob" if contrib else "rate")
        rate = "0.5"
        if share is not None:
            rate = self.text.source(share)
            if contrib:
                number = share.value if isinstance(share, ast.Constant) else None
                simple = isinstance(number, (int, float))
                rate = f"{1 - number:.12g}" if simple else f"1 - {rate}"  # type: ignore[operator]
        seed = f", seed={self.text.source(given['seed'])}" if "seed" in given else ""
        return f"{self.tf}.keras.layers.Dropout({rate}{seed})"

    def applied(self, call: ast.Call) -> str:
        """The call of a layer's objects."""
        layer = self.calls[id(call)]
        loop = any(id(a) in self.lists for a in self.program.scopes.around(call))
        names = [_one(n) if loop else f"self.{n}" for n in self.attributes[id(call)]]
        if layer.factory is not None:
            from migrate.rewriters.estimators import parts

            return parts.applied(self, self.parts[id(call)], names[0], call)
        if layer.endpoint in weights.KNOWN:
            return names[0]
        if layer.endpoint in LAYERS:
            return f"{names[0]}({self.source(layer.given['inputs'])})"
        if layer.endpoint in DROPOUTS:
            given, contrib = layer.given, layer.endpoint.startswith(CONTRIB)
            switch = given.get("is_training" if contrib else "training")
            said = self.source(switch) if switch is not None else str(contrib)
            return f"{names[0]}({self.source(given['inputs'])}, training={said})"
        return keras.called(layer, names, cast("Sources", self))

    def _name(self, call: ast.Call, stmt: ast.stmt, source: str, place: int, *, many: bool) -> str:
        """What an attribute is called: as the layer or the author's variable is, or its kind."""
        kind = _snake(source.partition("(")[0].rpartition(".")[2])
        if self.calls[id(call)].endpoint in weights.KNOWN:
            kind = "weight"
        kind = kind if self.calls[id(call)].factory is None else kind.removesuffix("_layers")
        wishes = []
        given = self.calls[id(call)].given
        said = given.get("name", given.get("scope"))
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if not place and self.calls[id(call)].factory is None:
            if isinstance(said, ast.Constant) and str(said.value).isidentifier():
                wishes.append(str(said.value))
            elif isinstance(target, ast.Name) and target.id.lower() not in PLAIN:
                if self.layered(stmt) == [call]:
                    wishes.append(target.id)
        wishes.append(kind)
        if many:
            wishes = [_many(w) for w in wishes]
        return self.attribute(*wishes, local=many)

    def attribute(self, *wishes: str, local: bool = False) -> str:
        """A name for an attribute; ``local``: one of a loop's too."""
        taken = self.names | RESERVED | self.own
        here = self.identifiers if local else frozenset()
        numbered = (f"{wishes[-1]}_{number}" for number in range(1, 1000))
        for name in (*wishes, *numbered):
            if name not in taken and name.lower() not in PLAIN and _one(name) not in here:
                self.names.add(name)
                return name
        raise AssertionError("a thousand layers")

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """The names in the function."""
        return frozenset(n.id for n in ast.walk(self.function) if isinstance(n, ast.Name))

    def loop(self, stmt: ast.For) -> str:
        """A loop's head, with the layers that it takes one after the other."""
        target = self.text.source(stmt.target)
        names = self.lists.get(id(stmt))
        if not names:
            return f"for {target} in {self.source(stmt.iter)}:"
        if stmt.orelse:
            raise Blocked(stmt, "layers in a loop with an else")
        for call in (c for s in stmt.body for c in self.layered(s)):
            above = next(self.program.scopes.around(self.program.scopes.statement(call)))
            if above is not stmt and not isinstance(above, ast.With):
                raise Blocked(call, "a layer in a branch in a loop")
        used = {n for s in stmt.body for n in self._applied_reads(s)}
        singles = [_one(n) for n in names]
        lists = [f"self.{n}" for n in names]
        wanted = stores(stmt.target) & used
        if wanted:
            if isinstance(stmt.target, ast.Tuple):
                target = f"({target.strip('()')})"
            singles, lists = [target, *singles], [self.source(stmt.iter), *lists]
        if len(lists) == 1:
            return f"for {singles[0]} in {lists[0]}:"
        return f"for {', '.join(singles)} in zip({', '.join(lists)}):"

    def _applied_reads(self, stmt: ast.stmt) -> set[str]:
        """The names that a statement reads where its layers are applied."""
        found: set[str] = set()
        stack: list[ast.AST] = [stmt]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.With) and self.flat(node):
                stack.extend(node.body)
                continue
            if id(node) in self.calls:
                layer = self.calls[id(cast("ast.Call", node))]
                made = self.parts.get(id(node))
                if made is None:
                    stack.extend(v for k, v in layer.given.items() if k in OF_A_RUN)
                else:
                    stack.extend(v for k, v in layer.given.items() if made.kinds[k] == "tensor")
                continue
            if isinstance(node, ast.Name) and _loaded(node):
                found.add(node.id)
            stack.extend(ast.iter_child_nodes(node))
        return found

    # -- what is made -------------------------------------------------------------------------

    def init_names(self, body: Sequence[ast.stmt], more: Iterable[ast.AST] = ()) -> set[str]:
        """The names that `__init__` reads, of arguments or of statements that it has, too.

        Raises:
            Blocked: something that is made depends on what runs compute.
        """
        layers = [c for s in body for c in self.layered(s) if id(c) in self.calls]
        nodes: list[ast.AST] = list(layers)
        around = [a for c in layers for a in self.program.scopes.around(c)]
        nodes += [a.iter for a in around if isinstance(a, ast.For)]
        nodes += [a.test for a in around if isinstance(a, ast.If) and not self.tests.tells(a.test)]
        nodes += more
        wanted = self.wanted(nodes)
        hosts = [s for b in body for s in simple(b) if not isinstance(s, ast.For)]
        for stmt in reversed(hosts):
            if self.is_host(stmt) and stores(stmt) & wanted:
                wanted |= reads(stmt)
        for node in nodes:
            for value in self._settings(node):
                if self.is_tensor(value) or any(
                    self.program.called(n) in training.STEPS for n in ast.walk(value)
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
                    found |= reads(value)
        return found

    def build(self, body: Sequence[ast.stmt], names: set[str], indent: str) -> str:
        """`__init__`'s statements: layers, and what they are made of."""
        out = ""
        for stmt in body:
            calls = [c for c in self.layered(stmt) if id(c) in self.calls]
            if isinstance(stmt, ast.For) and calls:
                out += self._build_loop(stmt, calls, names, indent)
            elif isinstance(stmt, (ast.If, ast.With)) and calls:
                if isinstance(stmt, ast.With) or self.tests.tells(stmt.test):
                    out += self.build([*stmt.body, *getattr(stmt, "orelse", [])], names, indent)
                    continue
                deeper = indent + self.text.unit
                inner = self.build(stmt.body, names, deeper)
                other = self.build(stmt.orelse, names, deeper)
                test = self.text.source(stmt.test)
                if inner:
                    out += f"{indent}if {test}:\n{inner}"
                    out += f"{indent}else:\n{other}" if other else ""
                elif other:
                    out += f"{indent}if not ({test}):\n{other}"
            elif calls:
                for call in calls:
                    for name, source in zip(
                        self.attributes[id(call)], self.sources[id(call)], strict=False
                    ):
                        out += self._kept(f"self.{name}", source, indent)
            elif stores(stmt) & names and self.is_host(stmt):
                piece = self.text.piece(stmt, self.floors.get(id(stmt), 0))
                out += self.text.render(piece.first, piece.last, piece.indent, indent)
        return out

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
        hosts = [s for s in stmt.body if stores(s) & names and self.is_host(s)]
        if len(lists) == 1 and not hosts:
            source = re.sub(r"\s*\n\s*", " ", self.sources[id(calls[0])][0])
            used = stores(stmt.target) & self.wanted(calls)
            head = target if used or not isinstance(stmt.target, ast.Name) else "_"
            return f"{indent}self.{lists[0]} = [{source} for {head} in {items}]\n"
        out = "".join(f"{indent}self.{name} = []\n" for name in lists)
        out += f"{indent}for {target} in {items}:\n"
        for inner in stmt.body:
            own = [c for c in self.layered(inner) if id(c) in self.calls]
            for call in own:
                for name, source in zip(
                    self.attributes[id(call)], self.sources[id(call)], strict=False
                ):
                    source = re.sub(r"\s*\n\s*", " ", source)
                    out += f"{deeper}self.{name}.append({source})\n"
            if not own and inner in hosts:
                piece = self.text.piece(inner, self.floors.get(id(inner), 0))
                out += self.text.render(piece.first, piece.last, piece.indent, deeper)
        return out


def _header(stmt: ast.stmt) -> int:
    """The last line of a block's head."""
    body: list[ast.stmt] = stmt.body  # type: ignore[attr-defined]
    heads = [getattr(stmt, name, None) for name in ("test", "iter")]
    heads += [i.context_expr for i in getattr(stmt, "items", [])]
    lines = [h.end_lineno or 0 for h in heads if h is not None]
    return min(max([stmt.lineno, *lines]), body[0].lineno - 1) if body else stmt.lineno


def _snake(name: str) -> str:
    name = name.replace("2D", "2d").replace("1D", "1d").replace("3D", "3d")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _many(name: str) -> str:
    return f"{name}_layers"


def _one(name: str) -> str:
    return name.replace("_layers", "", 1)
