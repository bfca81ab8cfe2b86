"""What the names of a function that makes layers hold: tensors, labels, Python's own values."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.layering.layers import CONTRIB
from migrate.programs.graph.made import Layer
from migrate.rewriters.estimators import syntax
from migrate.rewriters.estimators.data import tables
from migrate.rewriters.estimators.models import objects, own_layers, weights
from migrate.rewriters.estimators.models.modes import Mode, Tests
from migrate.rewriters.estimators.optimizing import averages, training
from migrate.rewriters.estimators.program import LAYERS, Program
from migrate.rewriters.estimators.recurrence import recurrent
from migrate.rewriters.estimators.syntax import reads, simple, stores, unread, walk_own
from migrate.rewriters.sessions import layers as keras

OF_COLUMNS = ("tensorflow.feature_column.", "tensorflow.contrib.feature_column.")
if TYPE_CHECKING:
    from migrate.rewriters.estimators.models import parts
    from migrate.rewriters.estimators.naming import named

DROPOUTS = frozenset({"tensorflow.layers.dropout", CONTRIB + "dropout"})


class Values:
    """A function whose statements are told apart: what belongs to a run, what is Python's."""

    def __init__(
        self, program: Program, function: ast.FunctionDef, tests: Tests, *, updates: bool
    ) -> None:
        unread(function)
        self.program = program
        self.function = function
        self.tests = tests
        self.updates = updates  # whether training runs the updates of batch normalizations
        self.mode: Mode | None = None  # of the method that is written; None: `call`
        self.attributes: dict[int, list[str]] = {}  # by layer call: what holds its objects
        self.lists: dict[int, list[str]] = {}  # of a loop: the lists that its layers are in
        self.kept: set[str] = set()  # arguments that methods read from `self`
        self.own: set[str] = set()  # arguments that the class is made with
        self.read_once: dict[str, ast.expr] = {}  # what is read of files, by its name
        self.names: set[str] = set()
        self.calls: dict[int, Layer] = {}
        self.sources: dict[int, list[str]] = {}
        self.late: set[int] = set()  # calls of weights that `build` makes
        self.floors: dict[int, int] = {}
        self.dropped: set[int] = set()  # statements that no method has
        self.aliases: dict[str, str] = {}  # names of weights: the attributes that hold them
        self.objects: dict[str, ast.Call] = {}  # names of layers' objects: what makes them
        self.instead: dict[int, str] = {}  # by id of a node: what is written for it
        self.parts: dict[int, parts.Part] = {}  # functions that are layers, by call
        self.reuse: frozenset[str] = frozenset()  # arguments that say what is used again
        self.getters: frozenset[str] = frozenset()  # arguments that are scopes' `custom_getter`
        self.averaged: dict[int, str] = {}  # calls that compute with averages: their name
        self.by_name: named.Named | None = None  # where its functions ask for weights by name
        self.tensors: set[str] = set()
        self.labelled: set[str] = set()
        self.plain: set[str] = set()

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

    def hosted(self, node: ast.expr) -> bool:
        """Whether a switch is Python's: all are."""
        return True

    def flagged(self, flags: dict[str, ast.expr]) -> None:
        """Find the names that say something of the mode, however often they say the same."""
        bound = self.program.scopes.bound(self.function)
        changed = True
        while changed:
            changed = False
            for name, found in bound.items():
                said = {ast.dump(b.value) if b.value is not None else "" for b in found}
                value = found[0].value if len(said) == 1 else None
                if (
                    name not in flags
                    and value is not None
                    and all(b.kind == "assign" for b in found)
                ):
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
                    self.tensors |= names - syntax.gone_through(node)
                    # A comprehension's own names are parts of what it goes through.
                    for each in all_of(node, ast.comprehension):
                        if self.is_tensor(each.iter):
                            self.tensors |= stores(each.target)
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
                    and endpoint not in recurrent.CELLS
                    and not endpoint.startswith(OF_COLUMNS)
                    and endpoint not in training.STEPS | training.DECAYS
                    and not training.is_step(self.program, n)
                ):
                    return True
        return False

    def is_host(self, stmt: ast.stmt) -> bool:
        """Whether a statement is Python's alone."""
        return not self.is_tensor(stmt)

    # -- layers -------------------------------------------------------------------------------

    def layered(self, node: ast.AST) -> list[ast.Call]:
        """The calls in a piece of syntax that make layers."""
        if self.by_name is not None:
            return []  # they stay where they are
        found = [n for n in walk_own(node) if isinstance(n, ast.Call) and self.makes(n)]
        # A Sequential model has its layers itself.
        models = [n for n in found if own_layers.of(self.program, n) is n]
        inner = {id(n) for model in models for a in model.args for n in walk(a)}
        return [n for n in found if id(n) not in inner]

    def makes(self, node: ast.Call) -> bool:
        """Whether a call makes a layer and applies it."""
        endpoint = self.program.called(node)
        if endpoint:
            known = keras.known(endpoint) or endpoint in LAYERS or endpoint in DROPOUTS
            known = (
                known
                or endpoint in weights.KNOWN | tables.KNOWN | averages.KNOWN
                or objects.stands(self.program, node)
            )
            return known or recurrent.stands(self.program, node)
        if objects.inline(self.program, node) is not None or objects.stands(self.program, node):
            return True
        return self.maker(node) is not None

    def maker(self, node: ast.Call) -> ast.FunctionDef | None:
        """The function of the program that a call is of, if that makes layers."""
        function = self.program.scopes.function(node.func)
        if function is None or function is self.function:
            return None
        if own_layers.of(self.program, node) is not None:
            return None
        known = self.program.kept.get(("makes", id(function)))
        if known is None:
            self.program.kept["makes", id(function)] = False  # should it call itself
            known = any(isinstance(n, ast.Call) and self.makes(n) for n in walk(function))
            self.program.kept["makes", id(function)] = known
        return function if known else None
