"""What a module becomes functions with: its text, the walk, names that are taken."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.joined import Part, part_of
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Region, Site, Step, Symbol
from migrate.programs.graph.objects import bases
from migrate.programs.graph.slices import Plan, Switches
from migrate.programs.graph.walk import Walker
from migrate.rewriters.sessions import flattened, runs
from migrate.rewriters.sessions.averages import Averages
from migrate.rewriters.sessions.functions import Functions
from migrate.rewriters.sessions.handed import Handed, arguments
from migrate.rewriters.sessions.heads import import_ends, imported_by
from migrate.rewriters.sessions.mutations import mutations
from migrate.rewriters.sessions.naming import Namer
from migrate.rewriters.sessions.recurrent import Recurrent
from migrate.rewriters.sessions.renewals import Renewing
from migrate.rewriters.sessions.runs import Replacement
from migrate.rewriters.sessions.savers import Savers
from migrate.rewriters.sessions.summaries import Summaries
from migrate.rewriters.sessions.text import Text


class Page:
    """What is written into one file, and the names that it has."""

    def __init__(self, part: Part, text: Text, attributes: set[str]) -> None:
        self.part = part
        self.document = part.document
        self.text = text
        self.root = tensorflow(part.document.tree)
        taken: set[str] = set()
        self.loads: Counter[str] = Counter()
        self.stores: Counter[str] = Counter()
        for n in walk(self.document.tree):
            if isinstance(n, ast.Name):
                taken.add(n.id)
                (self.loads if isinstance(n.ctx, ast.Load) else self.stores)[n.id] += 1
            elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
                taken.add(n.name)
            elif isinstance(n, ast.arg):
                taken.add(n.arg)
        self.foreign = set(attributes) - taken  # only what something is read of has them
        taken |= self.foreign
        self.names = set(taken)
        self.bound = set(self.stores) | {
            n.name
            for n in self.document.tree.body
            if isinstance(n, (ast.FunctionDef, ast.ClassDef))
        }
        self.imports: list[str] = []
        self.late_imports: list[str] = []  # that stand with TensorFlow's
        self.needed: dict[str, str] = {}
        self.namer = Namer(taken)
        self.said: list[tuple[ast.AST, str]] = []
        self.recurrent: Recurrent

    @cached_property
    def changed(self) -> dict[str, list[tuple[ast.AST, bool]]]:
        """Where the file changes its objects in place."""
        return mutations(self.document.tree)


class Base:
    """What modules become functions with: their texts, the walk, names that are taken."""

    def __init__(self, whole: Document, parts: Sequence[Part], walker: Walker, tf: str) -> None:
        self.walker = walker
        self.tf = tf
        attributes = {n.attr for n in all_of(whole.tree, ast.Attribute)}
        text = Text(whole)
        text.heads |= {id(s): p.line for p in parts for s in p.document.tree.body[:1]}
        self.pages = [Page(p, text.within(p.document.tree), attributes) for p in parts]
        self.page = self.pages[0]  # the file that is being written
        self.parameter_spans: dict[int, tuple[int, int, str]] = {}
        self.moving: set[Step] = set()
        self.placed: set[Step] = set()  # those in a device's block of their own
        self.on_device: Step | None = None  # the statement that is being written into one
        # Statements that move into another method, with a name that is local where they stood.
        self.hidden: list[tuple[ast.AST, ast.AST, str]] = []
        self.factories: dict[Step, Plan] = {}
        self.of: dict[int, Plan] = {}
        self.at: dict[Step, list[str]] = {}
        self.graphs: dict[int, list[str]] = {}  # lines after statements, or for them
        self.functions: dict[int, Functions] = {}
        self.plans: dict[int, list[Plan]] = {}  # by region
        self.lent: dict[Region, list[Plan]] = {}  # what regions give others
        self.sites: list[Site] = []
        self.parameter_names: dict[Symbol, str] = {}  # those that aren't the placeholders'
        self.changes: list[Edit] = []
        self.lone: list[Edit] = []  # of comments that no statement has
        self.called = {id(call): target for call, target in walker.calls}
        self.handed = Handed(self)
        self.savers = Savers(self)
        self.trained: dict[int, str] = {}  # lists of variables as written, by what differentiates
        for page in self.pages:
            page.recurrent = Recurrent(self)
        self.norms = Averages(walker)
        self.switches: frozenset[Symbol] = frozenset()  # those that every run's function knows
        self.fed: Switches = lambda symbol, feed: None
        self.summaries = Summaries(self)
        self.renewing = Renewing(self)

    def turn(self, node: ast.AST) -> None:
        """Go to the file in which a module or a definition stands."""
        self.page = self.page_of(node)

    def page_of(self, node: ast.AST) -> Page:
        """The file in which a module or a definition stands."""
        part = part_of([page.part for page in self.pages], node)
        for page in self.pages:
            if page.document.tree is node or (
                page.part is part and not isinstance(node, ast.Module)
            ):
                return page
        return self.page

    def say(self, node: ast.AST, what: str) -> None:
        """What changes at a place."""
        self.page.said.append((node, what))

    @property
    def recurrent(self) -> Recurrent:
        """The recurrent nets of the file."""
        return self.page.recurrent

    @property
    def document(self) -> Document:
        """The file that is being written."""
        return self.page.document

    @property
    def text(self) -> Text:
        """The text of all files, as the one that is being written is indented."""
        return self.page.text

    @property
    def root(self) -> str:
        """What the file calls TensorFlow."""
        return self.page.root or "tf"

    @property
    def loads(self) -> Counter[str]:
        """How often the file reads each name."""
        return self.page.loads

    @property
    def stores(self) -> Counter[str]:
        """How often the file binds each name."""
        return self.page.stores

    @property
    def names(self) -> set[str]:
        """All names in the file."""
        return self.page.names

    @property
    def bound(self) -> set[str]:
        """The names that the file binds."""
        return self.page.bound

    @property
    def namer(self) -> Namer:
        """New names for the file."""
        return self.page.namer

    @property
    def imports(self) -> list[str]:
        """The import statements that the file gets."""
        return self.page.imports

    @property
    def needed(self) -> dict[str, str]:
        """The definitions that the file gets."""
        return self.page.needed

    def floors(self, region: Region) -> dict[Step, int]:
        """The last line of what stands before each step."""
        found: dict[Step, int] = {}
        last = 0
        function: ast.AST | None = None
        ends: dict[int, int] = {}
        for step in region.steps:
            if step.function is not function:
                # The first line of another function's body.
                function = step.function
                last = ends.get(id(function), getattr(function, "lineno", 0))
            found[step] = last
            if step.drop or is_block(step):
                body = step.node.body  # type: ignore[attr-defined]
                last = body[0].lineno - 1 if body else step.node.lineno
                last = min(last, max(end_of_header(step.node), step.node.lineno))
            else:
                last = step.node.end_lineno or step.node.lineno
            ends[id(function)] = last
        return found

    def indent(self, step: Step) -> str:
        """A step's indentation once the sessions around it are gone."""
        line = self.text.lines[step.node.lineno - 1]
        own = line[: len(line) - len(line.lstrip())]
        for block in reversed(step.outer):
            if isinstance(block, ast.With):
                width = self.width(block)
                own = own[: max(0, len(own) - width)]
        shift = self.shifts.get(id(step.function), 0)
        own = own[: max(0, len(own) - shift)]
        return own + self.text.unit if step is self.on_device else own

    def width(self, block: ast.With) -> int:
        """How far a block's lines stand to the right of its header."""
        outer = self.text.lines[block.lineno - 1]
        inner = self.text.lines[block.body[0].lineno - 1]
        return len(inner) - len(inner.lstrip()) - len(outer) + len(outer.lstrip())

    @cached_property
    def shifts(self) -> dict[int, int]:
        """How far functions that are defined in sessions' blocks move to the left."""
        found: dict[int, int] = {}
        for block in (w for region in self.walker.regions for w in region.flat):
            for node in walk(block):
                if isinstance(node, ast.FunctionDef):
                    found[id(node)] = found.get(id(node), 0) + self.width(block)
        return found

    def base(self, step: Step) -> str:
        return self.indent(step)

    def need(
        self, name: str, source: str, imports: Sequence[str] = (), *, grows: bool = False
    ) -> None:
        """A definition that the module gets, once, after its imports; the longest, if it grows."""
        if name in self.needed:
            if grows:
                self.needed[name] = max(self.needed[name], source, key=len)
            return
        if name in self.bound:
            raise Blocked(self.document.tree.body[0], f"the module has a `{name}` of its own")
        first, last = import_ends(self.document.tree.body)
        late = self.tf in source
        have = imported_by(self.document.tree.body, last if late else first)
        new = [line for line in imports if line not in have]
        for line in new:
            if line.split()[-1] in self.bound:
                raise Blocked(self.document.tree.body[0], f"`{line.split()[-1]}` is something else")
        imports = self.page.late_imports if late else self.imports
        imports.extend(line for line in new if line not in imports)
        self.needed[name] = source

    def lost(self, call: ast.Call) -> Replacement | None:
        """A call without the session, or the placeholders, that it hands on."""
        target = self.called.get(id(call))
        params = self.walker.session_params.get(id(target), set())
        if target is None or not (params or self.handed.needs.get(id(target))):
            return None
        names = bases.taken(self.walker, call, target)
        parts = self.walker.parts_given.get(id(target), {})
        given = [*names[: len(call.args)], *(k.arg for k in call.keywords)]
        at = next((i for i, n in enumerate(given) if n in parts), 0)
        first = sum(n not in params for n in given[:at])
        kept = [self.here(a) for n, a in zip(names, call.args, strict=False) if n not in params]
        kept += [self.here(a) for a in call.args[len(names) :]]
        kept += [
            f"{k.arg}={self.here(k.value)}" if k.arg else f"**{self.here(k.value)}"
            for k in call.keywords
            if k.arg not in params
        ]
        functions = list(self.handed.needs.get(id(target), ()))
        end = self.text.index.span(call)[1]
        if not functions and (as_laid_out := self._laid_out(call, names, params)) is not None:
            return self.text.index.span(call.func)[1], end, as_laid_out
        kept = arguments(kept, first, functions, any("=" in k for k in kept[:first]) or False)
        return self.text.index.span(call.func)[1], end, f"({', '.join(kept)})"

    def _laid_out(self, call: ast.Call, names: Sequence[str], params: set[str]) -> str | None:
        """The arguments of a call of several lines without some, laid out as they are."""
        given: list[tuple[str, ast.AST]] = [*zip(names, call.args, strict=False)]
        given += [("", a) for a in call.args[len(names) :]]
        given += [(k.arg or "", k) for k in call.keywords]
        given.sort(key=lambda pair: self.text.index.span(pair[1]))
        spans = [self.text.index.span(node) for _, node in given]
        edges = [self.text.index.span(call.func)[1], self.text.index.span(call)[1]]
        starts, ends = [lo for lo, _ in spans] + edges[1:], edges[:1] + [hi for _, hi in spans]
        gaps = [self.text.text[lo:hi] for lo, hi in zip(ends, starts, strict=True)]
        commas = [re.sub(r"#.*", "", gap).strip() for gap in gaps]
        kept = [i for i, (name, _) in enumerate(given) if name not in params]
        if not kept or call.lineno == call.end_lineno or set(commas[1:-1]) - {","}:
            return None
        if commas[0] != "(" or commas[-1] not in (")", ",)") or self.text.newline in commas:
            return None
        out = gaps[0]
        for i in kept:
            node = given[i][1]
            if isinstance(node, ast.keyword):
                out += self.text.text[spans[i][0] : self.text.index.span(node.value)[0]]
                out += self.here(node.value)
            else:
                out += self.here(node)
            out += gaps[-1] if i == kept[-1] else gaps[i + 1]
        return out

    def here(self, node: ast.AST, functions: Functions | None = None) -> str:
        """An expression of a kept statement, with what is run in it replaced."""
        start = self.text.index.span(node)[0]
        found: list[tuple[int, int, str]] = []
        for n in walk(node):
            span = self.text.index.span(n) if hasattr(n, "lineno") else (0, 0)
            if any(lo <= span[0] and span[1] <= hi for lo, hi, _ in found):
                continue
            site = self.walker.sites.get(id(n))
            if site is not None:
                plan = self.of.get(id(n))
                new = runs.replace(site, plan, self.text, self.loads, self.tf, self.here)
                found.append(new)
            elif (name := self.handed.read(n)) is not None:
                found.append((*span, name))
            elif id(n) in self.walker.feed_keys:
                found.append((*span, self.feed_key(self.walker.feed_keys[id(n)][1])))
            elif isinstance(n, ast.Call) and (lost := self.lost(n)) is not None:
                found.append(lost)
            elif id(n) in self.walker.rewrites:
                writer = functions or next(iter(self.functions.values()))
                new_text = self.walker.rewrites[id(n)](writer)
                found.append(flattened.written(self.text, node, n, new_text))
        source = self.text.source(node)
        for lo, hi, new_text in sorted(found, reverse=True):
            source = source[: lo - start] + new_text + source[hi - start :]
        return source

    def feed_key(self, symbol: Symbol) -> str:
        """A placeholder in a dict of keyword arguments."""
        return f'"{self.parameter_names.get(symbol, symbol.name)}"'

    def imported(self, name: str) -> None:
        """See to it that a module of the library is imported."""
        line = f"import {name}"
        for stmt in self.document.tree.body:
            if isinstance(stmt, ast.Import) and any(
                a.name == name and a.asname is None for a in stmt.names
            ):
                return
        if name in self.bound:
            raise Blocked(self.document.tree.body[0], f"`{name}` is something else")
        if line not in self.imports:
            self.imports.append(line)


def tensorflow(tree: ast.Module) -> str:
    """What the module calls TensorFlow; nothing where it isn't imported as a whole."""
    for stmt in tree.body:
        if isinstance(stmt, ast.Import):
            for alias in stmt.names:
                if alias.name == "tensorflow":
                    return alias.asname or "tensorflow"
    return ""


def is_block(step: Step) -> bool:
    return step.value is not None and step.value.data == "main"


def end_of_header(node: ast.stmt) -> int:
    """The line on which a with statement's or an if's header ends."""
    last = node.lineno
    for item in getattr(node, "items", []):
        last = max(last, item.context_expr.end_lineno or last)
        if item.optional_vars is not None:
            last = max(last, item.optional_vars.end_lineno or last)
    test = getattr(node, "test", None)
    if test is not None:
        last = max(last, test.end_lineno or last)
    return last
