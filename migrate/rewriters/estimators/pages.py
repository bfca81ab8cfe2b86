"""The files of a program with Estimators: what is read of them, and what is written into them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.joined import Part, part_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.walk import Walker
from migrate.rewriters.estimators.estimator import Estimator
from migrate.rewriters.estimators.models.attributes import Attributes
from migrate.rewriters.estimators.scopes import Scopes
from migrate.rewriters.sessions.state import tensorflow
from migrate.rewriters.sessions.text import Text

# Batches of these have one shape each: `predict` can't put several together in its graph.
RAGGED = ("padded_batch", "bucket_by_sequence_length", "dense_to_ragged_batch", "batch_join")
# Those of a generator, of a window's function or of what was sparse may have.
MAYBE_RAGGED = frozenset(
    {
        *(*RAGGED, "from_generator", "group_by_window"),
        *("sparse_tensor_to_dense", "to_dense", "string_split"),
    }
)


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

    def has_other(self, name: str, module: str) -> bool:
        """Whether the file gives a name another meaning than a module's that it stands for."""
        made = [s for s in self.part.document.tree.body if isinstance(s, ast.Import)]
        known = any(
            a.name == module and (a.asname or a.name) == name for s in made for a in s.names
        )
        return name in self.bound and not known


class Pages(Attributes):
    """What is read of a program, and the edits of its files."""

    def __init__(
        self,
        whole: Document,
        parts: Sequence[Part],
        walker: Walker,
        tf: str,
        *,
        without_tpus: bool = False,
        by_name: bool = False,
    ) -> None:
        self.walker = walker
        self.by_name = by_name  # whether all models ask for their weights by name
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
                if str(keyword.arg).endswith(("hooks", "listeners", "monitors")) and not (
                    empty or none
                ):
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
