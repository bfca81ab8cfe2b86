"""The text of a method: the author's statements, with what is written otherwise in its place."""

from __future__ import annotations

import ast
import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph.layering.layers import CONTRIB
from migrate.programs.graph.layering.losses import Loss
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled
from migrate.rewriters.estimators.models import (
    arg_scopes,
    auto_reuse,
    objects,
    own_layers,
    reopened,
    weights,
)
from migrate.rewriters.estimators.models.modes import Tests
from migrate.rewriters.estimators.models.values import Values
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.recurrence import crf, recurrent
from migrate.rewriters.estimators.syntax import head_end, loaded
from migrate.rewriters.sessions import losses

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers

LOOKUP = "tensorflow.nn.embedding_lookup"
GATHER = "tensorflow.gather"
BY_WEIGHTS = LOOKUP + "_sparse"
SAFE = "tensorflow.nn.safe_embedding_lookup_sparse"
SAMPLED = ("tensorflow.nn.nce_loss", "tensorflow.nn.sampled_softmax_loss")
SPARSE = frozenset(
    {
        *(LOOKUP, BY_WEIGHTS, GATHER, *SAMPLED),
        *(SAFE, "tensorflow.sparse_tensor_dense_matmul"),
        *("tensorflow.gather_nd", CONTRIB + "embed_sequence", CONTRIB + "embedding_lookup_unique"),
        "tensorflow.keras.layers.Embedding",
    }
)
COLUMNED = (
    *("tensorflow.feature_column.input_layer", "tensorflow.feature_column.linear_model"),
    "tensorflow.contrib.feature_column.sequence_input_layer",
    "tensorflow.contrib.layers.input_from_feature_columns",
)
UNRANKED = (".from_generator", ".py_func", ".py_function", ".numpy_function", ".parse_tensor")
LOSSES = frozenset(f"tensorflow.losses.{name}" for name in losses.TABLE)


#: What is computed later than the statement that it stands in, or not at all.
LATER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp)


class Trained(Loss):
    """A loss of a model_fn: it is differentiated, and no label of it is learned."""

    def trained(self, walker: Any) -> bool:
        """Whether it is differentiated."""
        return True

    def learns(self, walker: Any) -> bool:
        """Whether the labels may come from variables."""
        return False

    def columned(self, walker: Any) -> bool:
        """Whether its labels may be a column: an input_fn may give any."""
        # Keras asks for a rank, which these may not know.
        return not any(e.endswith(UNRANKED) for e in walker.endpoints.values())


class Writer(Values):
    """Writes statements of a function as a method has them."""

    def __init__(
        self, program: Program, function: ast.FunctionDef, tests: Tests, *, updates: bool
    ) -> None:
        super().__init__(program, function, tests, updates=updates)
        self._floor(function.body, function.body[0].lineno - 1 if function.body else 0)
        self.noted: dict[int, str] = {}  # summaries under names, by statement

    @property
    @abstractmethod
    def object_calls(self) -> dict[int, str]:
        """The calls of layers' objects that have names, by id: what makes the object."""

    @abstractmethod
    def applied(self, call: ast.Call) -> str:
        """The call of a layer's objects."""

    @abstractmethod
    def loop(self, stmt: ast.For) -> str:
        """A loop's head, with the layers that it takes one after the other."""

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
        found = [span for child in children(node) for span in self.spans(child)]
        return sorted(found)

    def switched(self, node: ast.expr) -> str | None:
        """A switch that is known."""
        written = self.source(node)
        return written if written in ("True", "False") else None

    def replaced(self, node: ast.AST) -> str | None:
        """What is written for an expression; None where it stays as it is."""
        if id(node) in self.instead:
            return self.instead[id(node)]
        if id(node) in self.calls:
            return self.applied(cast("ast.Call", node))
        if isinstance(node, ast.Call) and id(node) in self.object_calls:
            name = f"self.{self.aliases[cast('ast.Name', node.func).id]}"
            return objects.applied(cast("Layers", self), node, name, self.object_calls[id(node)])
        if isinstance(node, ast.Call) and self.program.called(node) in recurrent.LOOPS:
            return recurrent.loop(cast("Layers", self), node)
        if isinstance(node, ast.Call) and self.program.called(node) in recurrent.WRAPPERS:
            return recurrent.wrapped(cast("Layers", self), node)
        if isinstance(node, ast.Call) and self.program.called(node) == recurrent.TURNS:
            return recurrent.turned(cast("Layers", self), node)
        if isinstance(node, ast.Call) and recurrent.runs(self.program, node):
            return recurrent.run(cast("Layers", self), node)
        if isinstance(node, ast.Call) and self.program.called(node) in crf.KNOWN:
            return crf.written(cast("Layers", self), node)
        if isinstance(node, ast.Name) and loaded(node) and node.id in self.aliases:
            return self._aliased(node)
        if isinstance(node, ast.Call) and self.program.called(node) in (LOOKUP, BY_WEIGHTS, SAFE):
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
            isinstance(node, ast.Name) and loaded(node)
        ):
            if not isinstance(node, ast.Constant) and self.tests.tells(node):
                return self.switch(node)
        if isinstance(node, ast.Name) and loaded(node) and node.id in self.own:
            self.kept.add(node.id)
            return f"self.{node.id}"
        return None

    def _aliased(self, node: ast.Name) -> str:
        """What the model has under a name of the author's."""
        from migrate.rewriters.estimators.recurrence import dropped_cells

        name = f"self.{self.aliases[node.id]}"
        if node.id in self.read_once:
            self.kept.add(node.id)
        for layer in self.calls.values():
            if layer.endpoint in recurrent.CELLS:
                if self.attributes[id(layer.call)] == [self.aliases[node.id]]:
                    return dropped_cells.around(cast("Layers", self), layer.call, name)
        return name

    def looked_up(self, node: ast.Call) -> str | None:
        """A lookup in one weight of the model: TF 2's is the same."""
        given = self.program.given(node)
        if self.program.called(node) == BY_WEIGHTS:
            return self._combined(given)
        if self.program.called(node) == SAFE:
            words = ("embedding_weights", "params"), ("sparse_ids", "sp_ids")
            given |= {new: given[old] for old, new in words if old in given}
            if "sparse_weights" in given:
                given["sp_weights"] = given["sparse_weights"]
            return self._combined(given, "safe_embedding_lookup_sparse")
        table, ids = given.get("params"), given.get("ids")
        if not isinstance(table, ast.Name) or not self._weight(table) or ids is None:
            return None
        if set(given) - {"params", "ids", "name"}:
            return None
        return f"{self.tf}.nn.embedding_lookup({self.source(table)}, {self.source(ids)})"

    def _weight(self, name: ast.Name) -> bool:
        """Whether a name is a weight of the model, whichever of several."""
        if name.id in self.aliases:
            return True
        found = self.program.scopes.bindings(name.id, name)
        made = [self.calls.get(id(b.value)) for b in found if b.value is not None]
        return len(made) == len(found) > 0 and all(
            layer is not None and layer.endpoint in weights.KNOWN for layer in made
        )

    def _combined(
        self, given: dict[str, ast.expr], name: str = "embedding_lookup_sparse"
    ) -> str | None:
        """A lookup of several rows of one weight: TensorFlow asks for its own variable there.

        Raises:
            Blocked: that isn't seen.
        """
        table, ids = given["params"], given["sp_ids"]
        if not isinstance(table, ast.Name) or table.id not in self.aliases:
            if {n.id for n in all_of(table, ast.Name)} & set(self.aliases):
                raise Blocked(table, "a lookup in several weights")
            return None
        counts = given.get("sp_weights")
        rest = "" if counts is None else self.source(counts)
        out = f"{self.source(table)}.value, {self.source(ids)}"
        out += f", {rest or None}" if rest or name == "embedding_lookup_sparse" else ""
        for argument in ("combiner", "default_id", "max_norm"):
            if argument in given:
                out += f", {argument}={self.source(given[argument])}"
        return f"{self.tf}.nn.{name}({out})"

    def is_sparse(self) -> bool:
        """Whether gradients may be of some rows of a weight only."""
        return (
            self.by_name is not None
            or any(self._of_rows(n) for n in walk(self.function))
            or any(
                self._of_rows(inner)
                for n in walk(self.function)
                for inner in own_layers.inside(self.program, n)
            )
            or any(part.is_sparse() for part in self.parts.values())
        )

    def _of_rows(self, node: ast.AST) -> bool:
        """Whether a node looks rows up in what may be a weight."""
        called = self.program.called(node)
        if called in COLUMNED:
            return "rows" in getattr(self.program.kept.get("columns"), "features", ())
        if called not in SPARSE or not isinstance(node, ast.Call):
            return False
        looked_in = self.program.given(node).get("params") if called == GATHER else None
        value = looked_in and self.program.scopes.value(looked_in)
        return value is None or self.program.called(value) != "tensorflow.constant"

    def loss(self, node: ast.Call) -> str:
        """What a loss of `tf.losses` is in TF 2."""
        endpoint = self.program.called(node)
        if endpoint.endswith(".log_loss"):
            self._named(node)
        found = Trained(node, endpoint, self.program.given(node))
        return losses.source(found, self.walker, self.source, self.tf, self.need)

    def _named(self, node: ast.Call) -> None:
        """See that what a log loss is of has names: it is written with each of them twice.

        Raises:
            Spelled: one is an expression, which may have a name above.
        """
        stmt = self.program.scopes.statement(node)
        between = [n for n in walk(stmt) if isinstance(n, LATER) and holds(n, node)]
        if between or not isinstance(stmt, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)):
            return
        given = self.program.given(node)
        found = [
            (given[n], self.program.free(self.function, n, f"{n}_of_loss"))
            for n in ("labels", "predictions")
            if n in given and not isinstance(given[n], (ast.Name, ast.Attribute))
        ]
        if found:
            raise Spelled(
                node,
                "a log loss of expressions",
                [(value, partial(_said, name)) for value, name in found],
                [(stmt, lambda source: [f"{name} = {source(value)}" for value, name in found])],
            )

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
        if id(stmt) in self.dropped or (reopened.switches(stmt) and reopened.found(self)):
            return ""
        if isinstance(stmt, (ast.For, ast.If, ast.With, ast.While)):
            return self.block(stmt, indent)
        if isinstance(stmt, ast.Assign) and id(stmt) in self.noted:
            return f"{self.comments(stmt, indent)}{indent}{self.source(stmt.value)}\n"
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
            items = ", ".join(map(self.opened, stmt.items))
            remark = self._remark(stmt.items[-1].context_expr)
            return f"{out}{indent}with {items}:{remark}\n{self.statements(stmt.body, deeper)}"
        if isinstance(stmt, ast.While):
            if id(stmt) in self.lists:
                raise Blocked(stmt, "layers in a while loop")
            test = self.source(stmt.test)
            remark = self._remark(stmt.test)
            return f"{out}{indent}while {test}:{remark}\n{self.statements(stmt.body, deeper)}"
        if isinstance(stmt, ast.For):
            head = self.loop(stmt) + self._remark(stmt.iter)
            return f"{out}{indent}{head}\n{self.statements(stmt.body, deeper)}"
        known = self.mode and self.tests.value(stmt.test, self.mode)
        if self.mode is not None and known is not None:
            return out + self.statements(stmt.body if known else stmt.orelse, indent)
        head = f"if {self.source(stmt.test)}:{self._remark(stmt.test)}"
        out += f"{indent}{head}\n{self.statements(stmt.body, deeper)}"
        if len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ast.If):
            rest = self.statement(stmt.orelse[0], indent).lstrip()
            return f"{out}{indent}el{rest}" if rest.startswith("if ") else out + indent + rest
        if stmt.orelse:
            out += f"{indent}else:\n{self.statements(stmt.orelse, deeper)}"
        return out

    def _remark(self, last: ast.expr) -> str:
        """The comment at the end of a block's first line, behind what is said last there."""
        text, end = self.text.text, self.text.index.span(last)[1]
        found = re.match(r"[\s)]*:[ \t]*(#[^\n]*)", text[end:])
        return f"  {found[1].rstrip()}" if found is not None else ""

    def opened(self, item: ast.withitem) -> str:
        """What a block opens, with the name that it has there."""
        name = f" as {self.source(item.optional_vars)}" if item.optional_vars else ""
        return self.source(item.context_expr) + name

    def flat(self, stmt: ast.With) -> bool:
        """Whether a block only opens scopes, which nothing needs any more.

        Raises:
            Blocked: variables are used again in it.
        """
        for item in stmt.items:
            endpoint = self.program.called(item.context_expr)
            if self.by_name is None and arg_scopes.opens(self.program, item, stmt):
                continue
            opens = ("variable_scope", "name_scope", ".control_dependencies", "tensorflow.device")
            if not endpoint.endswith(opens):
                return False
            if endpoint == "tensorflow.device" and self.by_name is None:
                if self.program.kept.setdefault(("placed", id(stmt)), stmt) is stmt:
                    self.program.say(stmt, "TF 2 places what is computed here")
                    self.program.kept["placed", id(stmt)] = None
            if self.by_name is not None and not endpoint.endswith(".control_dependencies"):
                return False
            assert isinstance(item.context_expr, ast.Call)
            for keyword in item.context_expr.keywords:
                value = keyword.value
                if keyword.arg == "reuse" and reopened.found(self):
                    continue
                if keyword.arg == "reuse" and auto_reuse.is_auto(self.program, value):
                    auto_reuse.check(self, item.context_expr)
                    continue
                if keyword.arg == "reuse" and not (
                    (isinstance(value, ast.Constant) and not value.value)
                    or (isinstance(value, ast.Name) and value.id in self.reuse)
                ):
                    raise Blocked(value, "a scope whose variables are used again")
                if keyword.arg in ("initializer", "regularizer", "custom_getter", "partitioner"):
                    if isinstance(value, ast.Name) and value.id in self.getters:
                        continue
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
                    self._floor(inner, max(header or 0, head_end(stmt) if name == "body" else 0))
            floor = stmt.end_lineno or stmt.lineno


def _said(name: str, _: object) -> str:
    return name
