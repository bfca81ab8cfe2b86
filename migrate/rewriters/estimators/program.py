"""A program with Estimators: where they are made, where they go, what is written for them."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from migrate.engine.bound import lost
from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.joined import Part, moved, part_of
from migrate.engine.source import apply
from migrate.engine.trees import walk
from migrate.programs.graph import starred
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.training_helpers import Inlinable
from migrate.programs.graph.walk import Walker
from migrate.rewriters.estimators.attributes import Attributes
from migrate.rewriters.estimators.modes import MODES
from migrate.rewriters.estimators.scopes import Binding, Scopes
from migrate.rewriters.sessions import mnist
from migrate.rewriters.sessions.convert import Converted
from migrate.rewriters.sessions.state import leading, tensorflow
from migrate.rewriters.sessions.text import Text

# What TF 2.21 can't import, and what a program with Keras models has no use for.
LOST = (
    *("tensorflow.estimator", "tensorflow.feature_column", "tensorflow.contrib"),
    "tensorflow.python.estimator",
)


@dataclass(slots=True, eq=False, repr=False)
class Estimator:
    """An Estimator that the program makes, as a Keras model."""

    call: ast.Call
    source: Callable[[], str]  # an expression that makes the compiled `keras.Model`
    keyed: bool  # whether `predict` gives a dict, whose values are arrays
    params: str | None = None  # what its input_fns are given as `params`
    folder: ast.expr | None = None  # its `model_dir`, or its RunConfig
    metrics: frozenset[str] = frozenset()  # what `evaluate` gives besides `loss`
    home: ast.AST | None = None  # where its class stands
    modes: frozenset[str] = frozenset(MODES)  # what it has all for
    what: str = "the Estimator"  # or what else is followed like one
    signatures: tuple[str, ...] | None = None  # those that its predictions are exported under
    head: str = ""  # the class of its head, which gives it others for Examples
    sizes: dict[str, str] = field(default_factory=dict)  # `batch_size` in `params`, by mode
    scope: Callable[[], str] | None = None  # what opens the scope of its strategy
    model: str = ""  # what it is called where it is used
    groups: bool = False  # whether a step of an evaluation is a batch for each replica
    learns: bool = False  # whether it is one of contrib.learn
    batch: str = ""  # the size of batches that its model_fn finds in `params`

    def size(self, mode: str) -> str:
        """The source of the batch size of a mode."""
        return self.sizes[mode].replace("{model}", self.model)

    def given(self, mode: str) -> str:
        """What its input_fns are given as `params` in a mode."""
        if mode not in self.sizes:
            return self.params or "{}"
        return self.sized(self.size(mode))

    def sized(self, size: str) -> str:
        """Its `params`, with a size of batches."""
        params = self.params or "{}"
        written = params.startswith("{") and params.endswith("}") and "**" not in params
        inner = params[1:-1].rstrip(", \n") if written else f"**{params}"
        return f"{{{inner}{', ' if inner else ''}'batch_size': {size}}}"


# Endpoints that make Estimators: what follows a call. It raises Blocked where it can't be followed.
MAKERS: dict[str, Callable[[Program, str, ast.Call], Estimator]] = {}
# Functions that make variables in a model_fn and apply them, beside `tf.layers` and its kin: the
# source of the `keras.layers.Layer` that a call makes, and the argument that it is applied to.
LAYERS: dict[str, Callable[[Program, str, ast.Call], tuple[str, ast.expr]]] = {}


# What else is written anew in a program with Estimators, by the endpoint that is called.
READERS: dict[str, Callable[[Program, ast.Call], None]] = {}
# All that make one, followed or not.
ESTIMATORS = re.compile(
    r"tensorflow\.(?:estimator|estimator\.tpu|contrib\.(?:tpu|learn|estimator))"
    r"\.\w*(?:Estimator|Classifier|Regressor|KMeansClustering)$"
)


# Batches of these have one shape each: `predict` can't put several together in its graph.
RAGGED = ("padded_batch", "bucket_by_sequence_length", "dense_to_ragged_batch", "batch_join")
# Those of a generator, of a window's function or of what was sparse may have.
MAYBE_RAGGED = frozenset(
    {
        *(*RAGGED, "from_generator", "group_by_window"),
        *("sparse_tensor_to_dense", "to_dense", "string_split"),
    }
)
# What follows a name: what it is asked for, or what ends it.
CALLED, BOUNDARY = r"\s*[(.]", r"\b"
SWITCHES = frozenset(
    f"tensorflow.{name}"
    for name in ("disable_v2_behavior", "disable_eager_execution", "disable_v2_tensorshape")
)


def maker(*endpoints: str) -> Callable[[Callable[..., Estimator]], Callable[..., Estimator]]:
    """Register what follows the calls of some endpoints that make Estimators."""

    def register(function: Callable[..., Estimator]) -> Callable[..., Estimator]:
        MAKERS.update(dict.fromkeys(endpoints, function))
        return function

    return register


@dataclass(slots=True, eq=False, repr=False)
class Page:
    """What is written into one file."""

    part: Part
    root: str  # what it calls TensorFlow
    taken: set[str] = field(default_factory=set)  # all words in it
    bound: set[str] = field(default_factory=set)  # those that it gives a meaning
    imports: list[str] = field(default_factory=list)
    needed: dict[str, str] = field(default_factory=dict)  # definitions, by name
    said: list[tuple[ast.AST, str]] = field(default_factory=list)


class Program(Attributes):
    """The files of a program, and the edits that take its Estimators out.

    What families of rules use: `endpoint`, `given` and `text` to read; `edit`, `say`, `need` and
    `free` to write. Names of TF 2 are written as ``f"{program.tf}.keras…"``; names of TF 1 in what
    is moved stay as the author wrote them, for the rules that come after.
    """

    def __init__(
        self,
        whole: Document,
        parts: Sequence[Part],
        walker: Walker,
        tf: str,
        *,
        without_tpus: bool = False,
    ) -> None:
        self.walker = walker
        self.without_tpus = without_tpus  # whether models aren't made in a TPUStrategy's scope
        self.tf = tf
        self.text = Text(whole)
        self.scopes = Scopes(parts, walker.files)
        self.estimators: dict[int, Estimator] = {}  # by id of the call that makes one
        self.edits: list[Edit] = []
        self.removed: set[int] = set()  # statements
        self.kept: dict[object, object] = {}  # what families remember
        self.packages: set[str] = set()  # other packages, of which functions are written anew
        self.finish: list[Callable[[], None]] = []  # what is done when all uses are known
        self.pages = []
        for part in parts:
            page = Page(part, tensorflow(part.document.tree))
            for node in self.scopes.nodes[id(part.document.tree)]:
                for name in ("id", "arg", "name", "attr"):
                    if isinstance(word := getattr(node, name, None), str):
                        page.taken.add(word)
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    page.bound.add(node.name)
                elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    page.bound.add(node.id)
                elif isinstance(node, ast.alias):
                    page.bound.add(node.asname or node.name.partition(".")[0])
                elif isinstance(node, ast.arg):
                    page.bound.add(node.arg)
            self.pages.append(page)

    # -- what is read ------------------------------------------------------------------------

    def endpoint(self, node: ast.AST) -> str:
        """The TensorFlow name that an expression is, or nothing."""
        return self.walker.endpoints.get(id(node), "")

    def called(self, node: ast.AST) -> str:
        """The TensorFlow name that an expression calls, or nothing."""
        return self.endpoint(node.func) if isinstance(node, ast.Call) else ""

    def given(self, node: ast.Call, endpoint: str | None = None) -> dict[str, ast.expr]:
        """A call's arguments by TF 1.15.5's names, without a `None` that is written.

        Raises:
            Blocked: they are hidden.
        """
        found = self.walker.bound(endpoint or self.called(node), node)
        return {
            k: v for k, v in found.items() if not (isinstance(v, ast.Constant) and v.value is None)
        }

    def source(self, node: ast.AST) -> str:
        """An expression as written, with the edits inside of it."""
        start, end = self.text.index.span(node)
        inner = [e for e in self.edits if start <= e.start and e.end <= end]
        if not inner:
            return self.text.source(node)
        moved = [Edit(e.start - start, e.end - start, e.new) for e in inner]
        return apply(self.text.text[start:end], moved)

    def calls(self) -> Sequence[ast.Call]:
        """All calls of the program's files, in order."""
        return self._calls

    @cached_property
    def _calls(self) -> tuple[ast.Call, ...]:
        return tuple(n for n in self.scopes.walk() if isinstance(n, ast.Call))

    @cached_property
    def verbose(self) -> int:
        """What `fit` says: a line at the end where the program asks for what Estimators log."""
        return 2 if any(map(self._logs, self.calls())) else 0

    @cached_property
    def ragged(self) -> bool:
        """Whether batches may have several shapes, beside how many examples they have."""
        funcs = [call.func for call in self.calls()]
        names = {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in funcs}
        return not names.isdisjoint(MAYBE_RAGGED)

    @cached_property
    def unwatched(self) -> bool:
        """Whether several steps may be run in one go: no hook sees each, batches have one shape."""
        for call in self.calls():
            func = call.func
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if name in RAGGED or (name in ("train", "evaluate", "predict") and len(call.args) > 1):
                return False
            for keyword in call.keywords:
                empty = isinstance(keyword.value, (ast.List, ast.Tuple)) and not keyword.value.elts
                none = isinstance(keyword.value, ast.Constant) and keyword.value.value is None
                if str(keyword.arg).endswith(("hooks", "listeners")) and not (empty or none):
                    return False
        return True

    @cached_property
    def splits(self) -> bool:
        """Whether the program cuts a text into parts that it doesn't make numbers of at once."""
        for call in self.calls():
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in ("split", "splitlines"):
                continue
            around = (ast.unparse(a) for a in self.scopes.around(call) if isinstance(a, ast.expr))
            if not any(text.startswith(("[int(", "map(int,", "(int(")) for text in around):
                return True
        return False

    def repeated(self, method: str) -> bool:
        """Whether the program's calls of a method are given different inputs."""
        inputs = set()
        for call in self.calls():
            if isinstance(call.func, ast.Attribute) and call.func.attr == method:
                given = {str(k.arg): k.value for k in call.keywords}
                first = call.args[0] if call.args else given.get("input_fn")
                if first is not None:
                    inputs.add(ast.dump(first))
        return len(inputs) > 1

    @cached_property
    def single(self) -> bool:
        """Whether a call may run just one step, so that Keras may begin one more without data."""
        if not self.unwatched:
            return True
        steps = [
            k.value for c in self.calls() for k in c.keywords if k.arg == "save_checkpoints_steps"
        ]
        known = [n.value if isinstance(n, ast.Constant) else 1 for n in steps]
        return any(isinstance(n, int) and math.gcd(50, n) < 2 for n in known)

    def _logs(self, call: ast.Call) -> bool:
        return self.called(call).endswith("logging.set_verbosity") and any(
            self.endpoint(a).endswith(("INFO", "DEBUG")) for a in call.args
        )

    # -- what is written ---------------------------------------------------------------------

    def page(self, node: ast.AST) -> Page:
        """The file in which a node stands."""
        part = part_of([page.part for page in self.pages], node)
        return next(page for page in self.pages if page.part is part)

    def edit(self, node: ast.AST, new: str, what: str = "") -> None:
        """Write something else for an expression or a statement; ``what`` is reported.

        Edits inside of it go: `source` has put them into what is written.
        """
        start, end = self.text.index.span(node)
        self.edits = [e for e in self.edits if not (start <= e.start and e.end <= end)]
        self.edits.append(Edit(start, end, new))
        if what:
            self.say(node, what)

    def remove(self, stmt: ast.stmt) -> None:
        """Take a statement out, with its lines."""
        if id(stmt) in self.removed:
            return
        self.removed.add(id(stmt))
        above = self.scopes.parents[id(stmt)]
        bodies = (getattr(above, name, []) for name in ("body", "orelse", "finalbody"))
        body = next(b for b in bodies if stmt in b)
        if all(id(s) in self.removed for s in body):
            self.edit(stmt, "pass")
            return
        piece = self.text.piece(stmt)
        start, last = self.text.start(piece.line), piece.last
        lines = self.text.lines
        if isinstance(stmt, ast.FunctionDef) and isinstance(above, ast.ClassDef):
            first = piece.line - 1
            while stmt is not body[0] and not lines[first - 1].strip():
                first -= 1
            start = self.text.start(first + 1)
        # What follows is a block's first statement then: no blank line stands above that.
        opens = stmt is body[0] and not isinstance(above, ast.Module) and piece.first == piece.line
        while opens and last < len(lines) and not lines[last].strip():
            last += 1
        put = [e for e in self.edits if e.start == e.end == start]  # above it, now in its place
        self.edits = [e for e in self.edits if e not in put]
        new = "".join(e.new for e in put)
        self.edits.append(Edit(start, self.text.start(last + 1), new))

    def unit(self, node: ast.AST) -> str:
        """What a step of indentation is in the file of a node."""
        return self.text.within(self.page(node).part.document.tree).unit

    def insert(self, stmt: ast.stmt, lines: str) -> None:
        """Put lines before those of a statement, when all else is written."""
        at = self.text.start(stmt.lineno)
        self.finish.append(lambda: self.edits.append(Edit(at, at, lines)))

    def say(self, node: ast.AST, what: str) -> None:
        """Report what changes at a place."""
        self.page(node).said.append((node, what))

    def need(self, node: ast.AST, name: str, source: str, imports: Sequence[str] = ()) -> None:
        """A definition that the file of a node gets after its imports, once.

        Raises:
            Blocked: the file has another thing of that name.
        """
        page = self.page(node)
        if name in page.needed:
            return
        if name in page.bound:
            raise Blocked(node, f"the file has a `{name}` of its own")
        page.needed[name] = source.replace("{tf}", self.tf)
        for line in imports:
            self.bring(node, line)

    def bring(self, node: ast.AST, line: str) -> None:
        """An import that the file of a node gets."""
        page = self.page(node)
        if line not in page.imports:
            page.imports.append(line)

    def free(self, node: ast.AST, *wishes: str) -> str:
        """A name that the file of a node doesn't have yet, and now has."""
        taken = self.page(node).taken
        found = next((wish for wish in wishes if wish not in taken), None)
        number = 2
        while found is None:
            found = f"{wishes[-1]}{number}" if f"{wishes[-1]}{number}" not in taken else None
            number += 1
        taken.add(found)
        return found

    # -- the whole way -----------------------------------------------------------------------

    def converted(self) -> list[Converted]:
        """The edits of all files.

        Raises:
            Blocked: something can't be followed.
        """
        from migrate.rewriters.estimators import (
            clusters,
            dataset_types,
            learn,
            mode_words,
            receivers,
            running,
            stars,
            strategies,
        )

        stars.spelled(self)
        for call in self.calls():
            if call.keywords and self.called(call).startswith(LOST):
                starred.check_in(self.scopes.scope(call), call)
        mode_words.written(self)
        dataset_types.written(self)
        pending: list[Inlinable] = []
        for call in self.calls():
            endpoint = self.called(call)
            if endpoint in SWITCHES and isinstance(self.scopes.parents[id(call)], ast.Expr):
                self.remove(self.scopes.statement(call))
            if endpoint.endswith("mnist.input_data.read_data_sets"):
                self._mnist(call)
            if endpoint in READERS:
                READERS[endpoint](self, call)
            if endpoint in MAKERS:
                self._make(endpoint, call, pending)
            elif ESTIMATORS.match(endpoint):
                name = endpoint.replace("tensorflow", "tf", 1)
                raise Blocked(call, f"{name} isn't followed yet")
        if pending:
            pending[0].others = pending[1:]
            raise pending[0]
        if not self.estimators:
            raise Blocked(self.pages[0].part.document.tree.body[0], "no Estimator is made here")
        clusters.guard(self)
        for made in list(self.estimators.values()):
            self.edit(made.call, made.source(), "a Keras model")
            if made.scope is not None:
                self.finish.append(partial(strategies.scoped, self, made))
            self.follow(made.call, made, learn.used if made.learns else running.used)
        receivers.unread(self)
        for last in self.finish:
            last()
        mode_words.settled(self)
        return [self.file(page) for page in self.pages]

    def _make(self, endpoint: str, call: ast.Call, pending: list[Inlinable]) -> None:
        """Follow an Estimator; a function to write in place waits for those of others."""
        try:
            self.estimators[id(call)] = MAKERS[endpoint](self, endpoint, call)
        except Inlinable as error:
            pending.append(error)
        except Blocked:
            if not pending:
                raise  # else it is met again, if it isn't one of a state half written

    def _mnist(self, call: ast.Call) -> None:
        """The tutorials' reader of MNIST, which TF 2 has lost."""
        for argument, node in self.given(call).items():
            if argument not in ("train_dir", "one_hot", "validation_size", "reshape"):
                raise Blocked(node, f"`{argument}` of the MNIST reader")
        root = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        found = self.scopes.lookup(root)
        if found is None or not isinstance(found.node, ast.ImportFrom) or len(found.node.names) > 1:
            raise Blocked(call, "how the MNIST reader is imported")
        if not isinstance(root, ast.Name) or len(self.scopes.uses(found, root.id)) > 1:
            raise Blocked(call, "the MNIST reader is used in several places")
        self.need(call, "read_data_sets", mnist.SOURCE, mnist.IMPORTS)
        self.edit(call.func, "read_data_sets", "a reader in this file")
        self.remove(found.node)

    def follow(
        self, node: ast.expr, made: Estimator, used: Callable[[Program, ast.expr, Estimator], bool]
    ) -> None:
        """Go where an Estimator goes, and let ``used`` see to each use.

        Raises:
            Blocked: it goes where it can't be followed.
        """
        if used(self, node, made):
            return None
        above = self.scopes.parents[id(node)]
        if isinstance(above, ast.Assign) and above.value is node and len(above.targets) == 1:
            target = above.targets[0]
            if isinstance(target, ast.Name):
                return self._named(target, above, made, used)
            if isinstance(target, ast.Attribute):
                return self._kept(target, made, used)
        if isinstance(above, ast.Expr):
            return None
        if isinstance(above, ast.Return):
            return self._returned(above, made, used)
        if isinstance(above, ast.keyword):
            above = self.scopes.parents[id(above)]
        if isinstance(above, ast.Call) and above.func is not node:
            return self._handed(above, node, made, used)
        raise Blocked(node, f"{made.what} goes where it can't be followed")

    def _named(
        self,
        target: ast.Name,
        stmt: ast.Assign,
        made: Estimator,
        used: Callable[[Program, ast.expr, Estimator], bool],
    ) -> None:
        scope = self.scopes.scope(target)
        own = [b for b in self.scopes.bound(scope)[target.id] if b.node is stmt]
        every = self.scopes.bound(scope)[target.id]
        if any(b.kind != "assign" for b in every):
            raise Blocked(target, f"`{target.id}` may be something else than {made.what}")
        kind = self.called(made.call)
        alike = [b.value is not None and self.called(b.value) == kind != "" for b in every]
        if len(every) > 1 and (
            all(b.value is not None and self._makes(b.value) for b in every)
            or (made.what == "a RunConfig" and all(alike))
        ):
            # Each branch makes one: what reads the name afterwards may have any.
            for read in self.reads(target.id, scope):
                found = self.scopes.lookup(read)
                if found is None or found.node is stmt:
                    self.follow(read, made, used)
            return
        for use in self.scopes.uses(own[0], target.id):
            self.follow(use, made, used)
        for other in self.reads(target.id, scope):
            found = self.scopes.lookup(other)
            if found is None:
                raise Blocked(other, f"whether `{target.id}` is {made.what} here isn't seen")

    def _makes(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is an Estimator of the program, which a function may return."""
        node = self.scopes.value(node)
        if not isinstance(node, ast.Call) or depth > 9:
            return False
        if id(node) in self.estimators or self.scopes.missing(node.func):
            return True
        function = self.scopes.function(node.func)
        if function is None or not isinstance(function.body[-1], (ast.Return, ast.If)):
            return False
        ends = [
            n
            for n in walk(function)
            if isinstance(n, ast.Return) and self.scopes.scope(n) is function
        ]
        return bool(ends) and all(
            n.value is not None and self._makes(n.value, depth + 1) for n in ends
        )

    def _kept(
        self,
        target: ast.Attribute,
        made: Estimator,
        used: Callable[[Program, ast.expr, Estimator], bool],
    ) -> None:
        """Go where an object's attribute goes: one that is set once, in its class."""
        cls, uses = self.class_of(target), self.attributes(target.attr)
        if cls is None or self.worded(target.attr) or target.attr in self.scopes.bound(cls):
            raise Blocked(target, f"{made.what} goes where it can't be followed")
        for use in uses:
            value = self.scopes.value(use.value)
            found = self.scopes.lookup(value.func) if isinstance(value, ast.Call) else None
            if use is target:
                continue
            if not isinstance(use.ctx, ast.Load):
                raise Blocked(use, f"`{target.attr}` may be something else than {made.what}")
            if self.class_of(use) is not cls and (found is None or found.node is not cls):
                raise Blocked(use, f"whether `{target.attr}` is {made.what} here isn't seen")
        for use in uses:
            if use is not target:
                self.follow(use, made, used)

    def at_estimator(self, node: ast.expr) -> bool:
        """Whether an expression is an argument of an Estimator."""
        above = self.scopes.parents[id(node)]
        above = self.scopes.parents[id(above)] if isinstance(above, ast.keyword) else above
        return isinstance(above, ast.Call) and ESTIMATORS.match(self.called(above)) is not None

    def reads(self, name: str, scope: ast.AST) -> list[ast.Name]:
        """Where a name of a scope is read."""
        return [
            n
            for n in walk(scope)
            if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
            if any(b.scope is scope for b in self.scopes.bindings(name, n))
        ]

    def _returned(
        self,
        stmt: ast.Return,
        made: Estimator,
        used: Callable[[Program, ast.expr, Estimator], bool],
    ) -> None:
        function = self.scopes.scope(stmt)
        if not isinstance(function, ast.FunctionDef):
            raise Blocked(stmt, f"{made.what} is returned by something else than a function")
        uses: Sequence[ast.expr]
        cls = self.scopes.scope(function)
        if isinstance(cls, ast.ClassDef):
            uses = self.attributes(function.name)
            bodies = [c.body for c in self.scopes.walk() if isinstance(c, ast.ClassDef)]
            same = [s for b in bodies for s in b if getattr(s, "name", "") == function.name]
            if self.worded(function.name) or len(same) > 1 or function.decorator_list:
                raise Blocked(stmt, f"which `{function.name}` gives {made.what}")
        else:
            uses = self.readers(function)
        for use in uses:
            call = self.scopes.parents[id(use)]
            if not isinstance(call, ast.Call) or call.func is not use:
                raise Blocked(use, f"`{function.name}`, which gives {made.what}, is handed on")
            self.follow(call, made, used)

    def _handed(
        self,
        call: ast.Call,
        node: ast.expr,
        made: Estimator,
        used: Callable[[Program, ast.expr, Estimator], bool],
    ) -> None:
        function = self.scopes.function(call.func)
        says = made.what == "the Estimator" and _says(call)  # which is an address anyway
        if function is None and (says or self.scopes.missing(call.func)):
            return  # or this raises an AttributeError, if it is ever reached
        if function is None:
            raise Blocked(node, f"{made.what} is given to something that isn't seen")
        name = parameter(function, call, node)
        if name is None:
            raise Blocked(node, f"which argument of `{function.name}` {made.what} is")
        seen = self.kept.setdefault(("handed", id(function), name), set())
        assert isinstance(seen, set)
        if made.call in seen:
            return
        seen.add(made.call)
        if len(self.scopes.bound(function)[name]) > 1:
            raise Blocked(function, f"`{name}` may be something else than {made.what}")
        for use in self.reads(name, function):
            self.follow(use, made, used)

    def readers(self, function: ast.FunctionDef) -> list[ast.expr]:
        """Where a function of the program is read."""
        scope = self.scopes.scope(function)
        own = [b for b in self.scopes.bound(scope)[function.name] if b.node is function]
        return self.scopes.uses(own[0], function.name)

    def without_imports(self, page: Page) -> None:
        """Take out imports of what TF 2 has lost, where nothing uses them any more."""
        tree, index = page.part.document.tree, self.text.index
        inner = [e for e in self.edits if e.start < e.end]
        used = set()
        for node in self.scopes.nodes[id(tree)]:
            if isinstance(node, ast.Name):
                start, end = index.span(node)
                if not any(e.start <= start and end <= e.end for e in inner):
                    used.add(node.id)
        written = "\n".join(e.new for e in self.edits)
        for alias_of in tree.body:
            target = alias_of.targets[0] if isinstance(alias_of, ast.Assign) else None
            if not isinstance(target, ast.Name) or not isinstance(alias_of, ast.Assign):
                continue
            whole = len(alias_of.targets) == 1
            lost_module = whole and self.endpoint(alias_of.value).startswith(LOST)
            reads = sum(isinstance(n, ast.Name) and n.id == target.id for n in walk(tree))
            if lost_module and reads > 1 and self._unread(target.id, tree, inner):
                if not re.search(rf"(?<![\w./]){target.id}\.", written):
                    self.remove(alias_of)
        for stmt in self.scopes.nodes[id(tree)]:
            if not isinstance(stmt, (ast.Import, ast.ImportFrom)) or id(stmt) in self.removed:
                continue
            module = f"{stmt.module}." if isinstance(stmt, ast.ImportFrom) else ""
            if isinstance(stmt, ast.ImportFrom) and (stmt.level or not stmt.module):
                continue
            lost = [
                alias
                for alias in stmt.names
                if (own := (module + alias.name).partition(".")[0] in self.packages)
                or (module + alias.name).startswith(LOST)
                or self._bound_only(tree, module, alias)
                if (name := alias.asname or (alias.name if module or "." not in alias.name else ""))
                not in used
                and not re.search(rf"(?<![\w.]){name or '.'}{CALLED if own else BOUNDARY}", written)
            ]
            kept = [ast.unparse(alias) for alias in stmt.names if alias not in lost]
            if not lost:
                continue
            if not kept:
                start = self.text.start(stmt.lineno)
                self.edits.append(Edit(start, self.text.start((stmt.end_lineno or 0) + 1), ""))
            else:
                first = index.span(stmt.names[0])[0]
                last = index.span(stmt.names[-1])[1]
                self.edits.append(Edit(first, last, ", ".join(kept)))

    def _unread(self, name: str, tree: ast.Module, inner: Sequence[Edit]) -> bool:
        """Whether nothing reads a name any more."""
        for node in walk(tree):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                start, end = self.text.index.span(node)
                if not any(e.start <= start and end <= e.end for e in inner):
                    return False
        return True

    def _bound_only(self, tree: ast.Module, module: str, alias: ast.alias) -> bool:
        """Whether an import is that of a `partial` which the program uses."""
        name = alias.asname or alias.name
        return module + alias.name in ("functools", "functools.partial") and any(
            isinstance(n, ast.Name) and n.id == name for n in walk(tree)
        )

    def _last_import(self, body: Sequence[ast.stmt], default: int) -> int:
        """The last line of the imports above the first statement that is written anew."""
        last = default
        for stmt in body:
            if isinstance(stmt, (ast.Import, ast.ImportFrom)):
                last = stmt.end_lineno or stmt.lineno
                continue
            start, end = self.text.index.span(stmt)
            if any(start <= e.start < end for e in self.edits) and last > default:
                break
        return last

    def file(self, page: Page) -> Converted:
        """The edits of one file, by its own offsets and lines."""
        document = page.part.document
        self.without_imports(page)
        body, above = document.tree.body, page.part.line
        last = self._last_import(body, above)
        first = max(leading(body), above)
        have = {ast.unparse(s) for s in body if isinstance(s, (ast.Import, ast.ImportFrom))}
        plain = [a for s in body if isinstance(s, ast.Import) for a in s.names if not a.asname]
        have |= {f"import {a.name}" for a in plain}
        imports = [line for line in page.imports if line not in have]
        blocks = [(first, "".join(f"{line}\n" for line in imports))]
        below = self.text.lines[last : last + 2]
        blank = 2 - next((i for i, line in enumerate(below) if line.strip()), len(below))
        needed = "".join(f"\n\n{text}" for text in page.needed.values())
        blocks.append((last, needed and needed + "\n" * blank))
        for line, block in blocks:
            if block:
                at = self.text.start(line + 1)
                self.edits.append(Edit(at, at, block))
        begin, size = page.part.start, len(document.text)
        after = self.pages.index(page) + 1
        end = self.pages[after].part.start if after < len(self.pages) else begin + size + 1
        edits = [
            Edit(min(e.start - begin, size), min(e.end - begin, size), e.new)
            for e in self.edits
            if begin <= e.start < end
        ]
        new = apply(document.text, edits)
        top = body[0] if body else ast.Pass(lineno=above + 1, col_offset=0)
        if self.tf in new and not page.root:
            raise Blocked(top, "TensorFlow isn't imported as a whole")
        without = [n for n in lost(new, document.text) if n != self.tf]
        if without:
            raise Blocked(top, f"`{without[0]}` would have no value any more")
        said = [(moved(node, page.part), what) for node, what in page.said]
        return Converted(page.part, edits, said, page.root or "tf")


def _says(call: ast.Call) -> bool:
    """Whether a call prints an object, or puts it into a text."""
    func = call.func
    if isinstance(func, ast.Attribute):
        return func.attr == "format" and isinstance(func.value, ast.Constant)
    return isinstance(func, ast.Name) and func.id in ("print", "repr", "str")


def parameter(function: ast.FunctionDef, call: ast.Call, node: ast.expr) -> str | None:
    """The parameter of a function that an argument of a call is."""
    for keyword in call.keywords:
        if keyword.value is node:
            return keyword.arg
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    if isinstance(call.func, ast.Attribute) and names[:1] == ["self"]:
        names = names[1:]
    if any(isinstance(a, ast.Starred) for a in call.args) or node not in call.args:
        return None
    place = call.args.index(node)
    return names[place] if place < len(names) else None


__all__ = ["LAYERS", "MAKERS", "Binding", "Estimator", "Page", "Program", "maker", "parameter"]
