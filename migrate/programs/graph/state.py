"""What the walk keeps: frames, the step at hand, and what it has found by node."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from migrate.programs.graph import meaning
from migrate.programs.graph.made import (
    Apply,
    Frame,
    Gradient,
    Layer,
    Made,
    Optimizer,
    Schedule,
    Scope,
    SlotScope,
)
from migrate.programs.graph.model import (
    Instance,
    Kind,
    Region,
    Site,
    Step,
    Symbol,
    Value,
)
from migrate.programs.graph.modules import Files, Module
from migrate.programs.graph.objects.bases import Bases
from migrate.programs.graph.scoping.tf1_names import Naming

if TYPE_CHECKING:
    from migrate.engine.names import Names
    from migrate.programs.graph.optimizing.inner_gradients import Inner


class State:
    """All that the walk keeps while it goes; each room of it adds what it does."""

    nested = 0  # inside a compound statement that is one step

    def __init__(self, tree: ast.Module, names: Names, files: Files | None = None) -> None:
        self.tree = tree
        self.files = files or Files([Module("", tree)], [""])
        self.entry = self.files.entries[0]
        self.endpoints: dict[int, str] = {
            id(r.node): meaning.canonical(r.name)
            for r in names.references
            if r.name.startswith("tensorflow")
        }
        self.hidden: dict[int, str] = {}  # names that were read as the public ones of what they are
        self.regions: list[Region] = []
        self.gradients: dict[int, Gradient] = {}  # by id of the call
        self.applies: dict[int, Apply] = {}
        self.sites: dict[int, Site] = {}
        self.calls: list[tuple[ast.Call, ast.FunctionDef]] = []  # of functions that run sessions
        self.session_params: dict[int, set[str]] = {}
        self.static_shapes: dict[int, ast.Call] = {}  # placeholder.get_shape()
        self.dropped: set[int] = set()  # with statements inside other ones that go
        self.made: dict[int, Made] = {}  # by id of the call
        self.scoped_names: dict[int, str] = {}  # of `tf.Variable`s, by id of the own name
        self.descriptions: dict[int, tuple[str, ast.Call]] = {}  # initializers, by id of the call
        self.optimizers: dict[int, Optimizer] = {}  # by id of the call
        self.schedules: dict[int, Schedule] = {}
        self.decayed: dict[int, Schedule] = {}  # where they are read as numbers, by node
        self.layers: dict[int, Layer] = {}
        # Variables that loops and branches make beside tensors: their names, by call; in lists.
        self.looped: dict[int, str] = {}
        self.branched: set[str] = set()  # the attributes among them, which branches make
        self.partly: dict[Symbol, None] = {}  # names that a statement may bind, or may not
        self.renamed: dict[int, str] = {}  # what such a name becomes where it means others, too
        self.renewed: list[Any] = []  # where variables are assigned what they start with
        self.reading: dict[int, ast.Lambda] = {}  # lambdas in statements that read parts of runs
        self.meant: dict[int, Symbol] = {}  # what a name means, by its node
        self.norms: list[tuple[Step, int]] = []  # batch normalizations, by statement and call
        # Expressions that say whether layers train; those that a function takes as a parameter;
        # what such parameters are given.
        self.flags: dict[int, tuple[Kind, Symbol | None]] = {}
        self.flag_arguments: dict[int, Symbol] = {}
        self.flag_sources: dict[Symbol, list[tuple[Kind, Symbol | None]]] = {}
        self.regularizers: dict[int, tuple[str, dict[str, ast.expr]]] = {}  # by call
        # Placeholders with a default: their arguments and their dtype, by call.
        self.defaults: dict[int, tuple[dict[str, ast.expr], str]] = {}
        # Placeholders that may be None: the statements that say which, by call.
        self.optional: dict[int, ast.Assign] = {}
        # What files of the output must define, and who asked for it first.
        self.needs: dict[tuple[str, int], ast.AST] = {}
        self.seed: str | None = None  # what tf.set_random_seed was given
        # What is written instead of an expression, in kept statements and in moved ones: by the
        # node's id a function of the writer (`writer.source(node)`, `writer.ref(symbol)`,
        # `writer.tf`, `writer.text`), which may raise Blocked.
        self.rewrites: dict[int, Callable[[Any], str]] = {}
        self.losses: dict[int, Any] = {}  # of tf.losses: `losses.Loss`, by call
        self.feed_keys: dict[int, tuple[ast.expr, Symbol]] = {}  # of feed dicts, by node
        # Other names for parts of a graph: where they are read, by node; functions' arguments.
        self.aliases: dict[int, tuple[ast.expr, Symbol]] = {}
        self.parts_given: dict[int, dict[str, tuple[Symbol | None, ...]]] = {}
        self.built: dict[int, Region] = {}  # what builders build, by call
        self.building: dict[Step, Region] = {}  # the statements that call them
        self.absorbed: set[int] = set()  # nodes of which nothing stays
        # Where names of fetches are read, and where they are fetched.
        self.fetch_loads: dict[Symbol, dict[int, ast.AST]] = {}
        self.fetched: set[int] = set()
        self.fetching = False  # what is fetched is looked up
        self.specs = 0  # inside functions that make placeholders and nothing else
        self.keying = False  # a feed dict's key is looked up
        self.placeholders: dict[str, str] = {}  # their dtypes as written, by name
        self.averages: dict[int, ast.Call] = {}  # where moving averages are brought up to date
        # Lines that follow a statement, by the statement: functions of the writer.
        self.afterwards: dict[int, list[Callable[[Any], str]]] = {}
        self.trainable: dict[int, list[str]] = {}  # what tf.trainable_variables() gives, by call
        self.reached: set[int] = set()  # functions of layers whose layers are asked for
        self.listed: dict[int, list[Any]] = {}  # what lists of variables have, by call
        self.owned: list[Any] = []  # what is trained, in order: `collections.Owned`
        self.created: list[str | None] = []  # every trainable variable; None: it has no name
        self.scopes: list[Scope] = []
        self.naming = Naming()  # TF 1's names of the graph at hand
        self.slot_scopes: dict[int, SlotScope] = {}  # by optimizer
        self.gone: dict[int, ast.stmt] = {}  # statements inside other ones that go
        self.entered: dict[int, Region] = {}
        self.instances: dict[int, Instance] = {}  # by class
        self.bases: dict[int, Bases] = {}  # by class
        # Where the items of containers of variables are set, by container and key.
        self.items: dict[int, dict[Any, tuple[ast.AST, Any]]] = {}
        self.twins: dict[Symbol, Symbol] = {}  # placeholders that an object is given: which
        self.walked: dict[int, Instance] = {}  # whose object a method was walked for
        self.attributes: dict[int, Symbol] = {}  # what an attribute of an object means, by node
        self.frame = Frame(self.entry.tree or tree, None, None)
        self.sink = Step(-1, ast.Pass(), Kind.HOST)
        self.stmt: ast.stmt = ast.Pass()
        self.outer: list[ast.stmt] = []
        self.controls: list[list[Step]] = []
        self.depth = 0
        self.sessions = 0
        self.fresh: ast.AST | None = None  # a later session, until it restores every variable
        self.started: ast.AST | None = None  # a later session in which variables start anew
        self.latest: ast.AST | None = None  # the session that was opened last
        self.lasting: list[ast.AST | None] = []  # the same of programs that were walked before
        self.stateful = False  # whether the graph has variables by now
        self.graph = 0  # how many were built before
        self.next_graph = partial(next, itertools.count(1))
        self.graphs: dict[int, Any] = {}  # under names, while another one is at hand
        self.entered_graph: Any = None  # the one at hand, where others were, too
        self.at_hand = {0}  # what the graph at hand is: the default one, or where it was made
        self.past: set[int] = set()  # variables and layers of graphs that were reset, by call
        self.savers: list[Any] = []  # of all graphs
        self.forgotten: set[int] = set()  # steps and gradients of graphs that were reset
        self.kept: dict[Any, Any] = {}  # what families remember; by tuples, what isn't of a graph
        self.cases: list[ast.ClassDef] = []  # test cases: walked at the end
        self.importing = False  # the file at hand isn't the one that is run
        self.mains: list[tuple[Module, ast.If]] = []  # what imported files do when they are run
        self.unneeded: set[int] = set()  # functions whose calls are all written otherwise
        self.summaries: dict[str, int] = {"scalar": 0}  # kinds; how many images, of the last
        self.init_runs = 0
        self.loops = 0
        self._runs: dict[int, bool] = {}
        self._makers: dict[int, bool] = {}
        self.making: set[int] = set()  # calls of functions and methods that have made variables
        self.printing: frozenset[int] = frozenset()  # functions that print where they are made
        self.apart = False  # objects of one class have symbols of their own where others read them
        self.told = False  # layers are built with shapes that `told_shapes` finds
        self.inner: Inner | None = None  # helpers keep the gradients that they take
        self.mixed = False  # parts of several objects of a class are read from outside of it

    def program(self) -> list[ast.Module]:
        """The files of the program at hand, as far as they are imported by now."""
        seen: dict[int, Module] = {}
        self.entry.reach(seen)
        return [m.tree for m in self.files.order if id(m) in seen and m.tree is not None]

    def wants(self, what: str, node: ast.AST) -> None:
        """The file of a node needs a definition."""
        self.needs.setdefault((what, id(self.files.at(node).tree)), node)

    def own_regions(self) -> list[Region]:
        """The regions in the files of the program at hand."""
        trees = list(map(id, self.program()))
        at = self.files.at
        return [
            region
            for region in self.regions
            if id(region.node if isinstance(region.node, ast.Module) else at(region.node).tree)
            in trees
        ]

    if TYPE_CHECKING:  # of the rooms further down

        def _mentions(self, node: ast.AST) -> bool: ...
        def _module_function(self, func: ast.expr, kinds: Any = ast.FunctionDef) -> Any: ...
        def _variables_made(self, node: ast.AST) -> bool: ...
        def runs(self, node: ast.AST) -> bool: ...
        def _methods(self, node: ast.Attribute) -> list[ast.FunctionDef]: ...
        def body(self, body: Iterable[ast.stmt]) -> None: ...
        @staticmethod
        def bound(endpoint: str, node: ast.Call) -> dict[str, ast.expr]: ...
        def filtered(self, node: ast.ListComp) -> Value | None: ...
        def element(self, value: Value, node: ast.AST) -> Value: ...
        def collected(self, node: ast.AST) -> Any: ...
        def expression(self, node: ast.expr) -> Value: ...
        def load(self, module: Module) -> None: ...
        def host(self, node: ast.expr) -> Value: ...
        def join(self, values: Iterable[Value], node: ast.AST) -> Value: ...
        def instead(self, value: Value, other: Value, node: ast.AST) -> Value: ...
        def module_frame(self, node: ast.AST | None = None) -> Frame: ...
