"""A program's files from graph to functions."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from migrate.engine.bound import bound, lost, refused
from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.functions import NOTHING, runs_graph
from migrate.engine.joined import Part, join, moved, part_of
from migrate.engine.judged import names_of
from migrate.engine.names import Names
from migrate.engine.source import apply
from migrate.engine.trees import all_of, move, walk
from migrate.programs.graph import families as _families  # noqa: F401  (they register endpoints)
from migrate.programs.graph.data import second_draws
from migrate.programs.graph.data import vocabulary as _vocabulary
from migrate.programs.graph.data.mnist import BATCHED, FAKED, FETCHED, TYPED, elsewhere
from migrate.programs.graph.feeding import kept_inputs, switches
from migrate.programs.graph.fetching import constant_lists
from migrate.programs.graph.listing.tensor_collections import Collected
from migrate.programs.graph.model import Blocked, Idle, Reading, Region, Returning
from migrate.programs.graph.modules import Files, Module
from migrate.programs.graph.objects.getters import Getters
from migrate.programs.graph.optimizing import inner_gradients
from migrate.programs.graph.optimizing.training_helpers import Inlinable
from migrate.programs.graph.running import devices, placed, set_sessions, uncalled_builders
from migrate.programs.graph.saving import restored_names
from migrate.programs.graph.scoping import told_ways
from migrate.programs.graph.sizing import joined_sizes, sizes_told, static_shapes, told_shapes
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording import hparams as _hparams
from migrate.programs.graph.wording import printing_makers
from migrate.programs.graph.wording.branched import Branched
from migrate.programs.graph.wording.respelled import Respelled
from migrate.programs.graph.wording.spelled import Spelled
from migrate.rewriters import own_hparams
from migrate.rewriters.sessions import (
    alike,
    chosen_classes,
    contrib,
    early_returns,
    exported,
    getters,
    gone_imports,
    guards,
    inlined,
    keyword_only,
    leftover_scopes,
    lone_comments,
    loop_bodies,
    mnist,
    parameter_names,
    returned_parts,
    shared_keys,
    spelled,
    spelling,
    tf1_names,
    unrun,
    vocabulary,
    written_graphs,
)
from migrate.rewriters.sessions.apart import SHARED, apart, back, lines_back, rewritten
from migrate.rewriters.sessions.attributes import Hidden, assigned, attributes_taken, kept
from migrate.rewriters.sessions.brought import brought, unused
from migrate.rewriters.sessions.chains import unchained
from migrate.rewriters.sessions.collected import listed
from migrate.rewriters.sessions.collected_elsewhere import returned
from migrate.rewriters.sessions.collected_given import handed_on
from migrate.rewriters.sessions.emptied import without_emptied
from migrate.rewriters.sessions.heads import head_end, import_ends, imported_by, leading
from migrate.rewriters.sessions.hoisted import hoisted
from migrate.rewriters.sessions.lines import CLOSE, OPEN, by_cell
from migrate.rewriters.sessions.passing import given
from migrate.rewriters.sessions.public_names import renamed
from migrate.rewriters.sessions.rebound import Rebound, told_apart
from migrate.rewriters.sessions.seeded_draws import begun_anew
from migrate.rewriters.sessions.state import Page, tensorflow
from migrate.rewriters.sessions.tf1_slots import Section
from migrate.rewriters.sessions.writing import Writing

SHIMS = ("migrate.tf1_shim", "migrate.estimator_shim")
SESSIONS = ("tensorflow.Session", "tensorflow.InteractiveSession")
# Reasons after which a program is read in another form.
REWRITTEN = (Rebound, Inlinable, Respelled, Spelled, Returning, Hidden, Branched, Collected)


@dataclass(slots=True, eq=False, repr=False)
class Converted:
    """The edits that take a module's sessions out, and what they change, by place."""

    part: Part
    edits: list[Edit]
    said: list[tuple[ast.AST, str]]
    root: str  # what the module calls TensorFlow
    names: list[Section] = field(default_factory=list)  # of what its Savers save


def convert(document: Document, names: Names, tf: str) -> Converted:
    """Take a module's sessions out; names of TF 2 begin with ``tf``.

    Raises:
        Blocked: it can't be followed; with the place and the reason.
    """
    return convert_files([(document, names)], tf)[0]


def convert_files(
    files: Sequence[tuple[Document, Names]],
    tf: str,
    entries: Sequence[str] = (),
    known: Iterable[str] = (),
) -> list[Converted]:
    """Take the sessions of several files out, of all or of none.

    ``files``: a module, or all that the programs with these ``entries`` import, what is imported
    first; ``known``: all files that there are, where an import may mean another one.

    Raises:
        Blocked: it can't be followed; with the place and the reason.
    """
    several = chosen_classes.variants(files, entries)
    if several is not None:
        return _chosen(files, several, tf, entries, known)
    inner = inner_gradients.taken(files)
    try:
        return _all(files, tf, entries, known, inner=inner)
    except Blocked as error:
        if inner is not None and inner.mattered:
            with contextlib.suppress(Blocked):
                return _all(files, tf, entries, known)
        if len(files) == 1 and not _runs(*files[0]):
            raise Idle(error.node, NOTHING) from error  # there is no session to keep
        for changed in (keyword_only.plain(files), returned_parts.kept(files)):
            if changed:
                with contextlib.suppress(Blocked):
                    return once_more(files, changed, lambda again: _all(again, tf, entries, known))
        raise


def _runs(document: Document, names: Names) -> bool:
    return runs_graph(document.tree, {id(r.node): r.name for r in names.references})


def _chosen(
    files: Sequence[tuple[Document, Names]],
    several: chosen_classes.Variants,
    tf: str,
    entries: Sequence[str],
    known: Iterable[str],
) -> list[Converted]:
    """The files as they are, or with a program for each class that one of them chooses."""
    try:
        return _all(files, tf, entries, known)
    except Blocked as error:
        idle = error
    try:
        done = _all(several.files, tf, several.entries, known)
    except Blocked as error:
        if error.path in several.paths:
            error.path = files[several.place][0].path
        raise error from idle
    return chosen_classes.merged(several, files, done)


def _all(
    files: Sequence[tuple[Document, Names]],
    tf: str,
    entries: Sequence[str],
    known: Iterable[str],
    *,
    inner: inner_gradients.Inner | None = None,
) -> list[Converted]:
    named = [(i, by) for i, f in enumerate(files) if (by := renamed(*f)) is not None]

    def converted(again: Sequence[tuple[Document, Names]]) -> list[Converted]:
        return _all(again, tf, entries, known, inner=inner)

    if named:
        return once_more(files, named, converted)
    try:
        return _followed(files, tf, entries, known, inner=inner)
    except (Rebound, Inlinable, Respelled, Spelled) as error:
        done = once_more(files, changed_by(files, error), converted)
        if isinstance(error, Respelled) and "said" in error.found:
            place = next((i for i, (d, _) in enumerate(files) if d.path == error.path), 0)
            done[place].said.append((error.node, error.found["said"]))
        return done
    except Blocked as error:
        place = next((i for i, (d, _) in enumerate(files) if d.path == error.path), 0)
        document = files[place][0]
        new: Document | None = None
        if error.reason == SHARED:
            first, last = error.node.lineno, error.node.end_lineno  # type: ignore[attr-defined]
            new = apart(document, first) or apart(document, last)
        elif isinstance(error, Hidden):
            taken = attributes_taken([d for d, _ in files], document)
            new = kept(document, error, taken | _methods(d.tree for d, _ in files))
        elif isinstance(error, Returning):
            set_there = assigned([d for d, _ in files], place, error)
            if set_there is not None:
                return once_more(files, set_there, converted)
            if isinstance(error.origin, Reading):
                handed = given([d for d, _ in files], place, error.origin)
                if handed is not None:
                    return once_more(files, handed, converted)
            if isinstance(error.origin, Spelled):
                return once_more(files, changed_by(files, error.origin), converted)
            if error.origin is not None:
                raise error.origin from error
        elif isinstance(error, Getters):
            spared = getters.replaced([d for d, _ in files], error)
            if spared is not None:
                return once_more(files, spared, converted)
        elif isinstance(error, Branched):
            return _branched(files, place, error, converted)
        elif isinstance(error, Collected):
            new = listed(document, error)
            every = [d for d, _ in files]
            lent = handed_on(every, error) if new is None else None
            if lent is not None:
                with contextlib.suppress(Blocked):
                    return once_more(files, lent, converted)
            several = returned(every, error) if new is None else None
            if several is not None:
                return once_more(files, several, converted)
            if new is None and error.instead is not None and error.instead.edits:
                return once_more(files, changed_by(files, error.instead), converted)
        elif isinstance(error, Reading):
            handed = given([d for d, _ in files], place, error)
            if handed is not None:
                return once_more(files, handed, converted)
        if new is None:
            if chained := unchained(files):
                with contextlib.suppress(Blocked):
                    return once_more(files, chained, converted)
            in_functions = _in_functions(files, place, converted)
            if in_functions is None:
                raise
            return in_functions
    return once_more(files, [(place, new)], converted)


def _in_functions(
    files: Sequence[tuple[Document, Names]],
    place: int,
    converted: Callable[[Sequence[tuple[Document, Names]]], list[Converted]],
) -> list[Converted] | None:
    """The files with functions for a module's loops that make a graph in each round.

    None: there are none, or they can't be followed so, either.
    """
    document = files[place][0]
    new = loop_bodies.with_functions(document) if len(files) == 1 else None
    if new is not None:
        with contextlib.suppress(Blocked):
            return once_more(files, [(place, new)], converted)
    return None


def _branched(
    files: Sequence[tuple[Document, Names]],
    place: int,
    error: Branched,
    converted: Callable[[Sequence[tuple[Document, Names]]], list[Converted]],
) -> list[Converted]:
    """The files with an optimizer behind its branch, or with the one way that all objects go.

    Raises:
        Blocked: they can't be followed so, either.
    """
    new = hoisted(files[place][0], error)
    if new is not None:
        try:
            return once_more(files, [(place, new)], converted)
        except Blocked:
            if error.decided is None:
                raise
    if error.decided is None:
        home = next((i for i, (d, _) in enumerate(files) if d.path == error.home), place)
        new = early_returns.leaving(files[home][0], error.branch)
        if new is None:
            raise error
        try:
            return once_more(files, [(home, new)], converted)
        except Blocked:
            raise error from None
    return once_more(files, changed_by(files, error.decided), converted)


def changed_by(
    files: Sequence[tuple[Document, Names]], error: Blocked
) -> list[tuple[int, Document]]:
    """The files that a reason to walk again changes, by their places.

    Raises:
        Blocked: one can't be changed.
    """
    place = next((i for i, (d, _) in enumerate(files) if d.path == error.path), 0)
    own = getattr(error, "edits", None)
    edits = {place: own} if own else {}
    for path, more in getattr(error, "more", {}).items():
        edits[next(i for i, (d, _) in enumerate(files) if d.path == path)] = more
    found = []
    for at, each in edits.items():
        new = rewritten(files[at][0], each)
        if new is None:
            raise _kept(error) from error
        found.append((at, new))
    if own is None or not edits:
        raise _kept(error) from error
    return found


def _kept(error: Blocked) -> Blocked:
    """What is told where a file can't be changed as a reason asks for."""
    found = Blocked(error.node, error.reason)
    found.path = error.path
    return found


def once_more(
    files: Sequence[tuple[Document, Names]],
    changed: Sequence[tuple[int, Document]],
    converted: Callable[[Sequence[tuple[Document, Names]]], list[Converted]],
) -> list[Converted]:
    """The files once more, some changed a little; what comes out is told of their old texts.

    Raises:
        Blocked: they can't be followed so, either.
    """
    again = list(files)
    lines = {}
    for place, new in changed:
        again[place] = (new, names_of(new))
        lines[place] = lines_back(files[place][0].text, new.text)
    try:
        done = converted(again)
    except Blocked as error:
        for place, _ in changed:
            if error.path in (None, files[place][0].path):
                error.node = _at(error.node, lines[place])
                break
        raise
    for place, new in changed:
        document, names = files[place]
        found = done[place]
        said = [(_at(n, lines[place]), what) for n, what in found.said]
        edits = back(document, new, found.edits)
        done[place] = Converted(Part(document, names), edits, said, found.root, found.names)
    return done


def _methods(trees: Iterable[ast.Module]) -> set[str]:
    """The names that classes bind."""
    return {
        n.name if isinstance(n, ast.FunctionDef) else n.id
        for tree in trees
        for cls in all_of(tree, ast.ClassDef)
        for part in cls.body
        for n in ((part,) if isinstance(part, ast.FunctionDef) else (part, *walk(part)))
        if isinstance(n, ast.FunctionDef)
        or (isinstance(n, ast.Name) and isinstance(part, ast.Assign))
    }


def _at(node: ast.AST, lines: Sequence[int]) -> ast.AST:
    """A place in the text as it was before."""
    line: int = getattr(node, "lineno", 1)
    old = lines[min(line, len(lines)) - 1] if lines else line
    if old == line:
        return node
    return ast.Pass(lineno=old, col_offset=0, end_lineno=old, end_col_offset=0)


@dataclass(slots=True, eq=False, repr=False)
class _Way:
    """How a program is followed."""

    printing: frozenset[int] = frozenset()  # what prints where it is made
    apart: bool = False  # objects of one class are told apart
    inner: inner_gradients.Inner | None = None  # helpers keep the gradients that they take
    told: bool = False  # layers are built with shapes that the program's numbers tell


def _followed(
    files: Sequence[tuple[Document, Names]],
    tf: str,
    entries: Sequence[str],
    known: Iterable[str],
    *,
    inner: inner_gradients.Inner | None,
) -> list[Converted]:
    """The files with what prints where it is made, if they aren't followed without.

    So with objects of one class that are told apart: others read parts of several.

    Raises:
        Blocked: they aren't, either.
    """
    first: Blocked | None = None
    way = _Way(inner=inner)
    while True:
        asked = _Way()
        try:
            return _converted(files, tf, entries, known, way, asked)
        except Blocked as error:
            if not asked.printing <= way.printing:
                first, way.printing = first or error, way.printing | asked.printing
            elif asked.apart and not way.apart and not isinstance(error, REWRITTEN):
                way.apart = True
            elif asked.told and not way.told and type(error) is Blocked:
                first, way.told = first or error, True
            elif first is not None and type(error) is Blocked:
                raise first from None
            else:
                raise


def _converted(
    files: Sequence[tuple[Document, Names]],
    tf: str,
    entries: Sequence[str],
    known: Iterable[str],
    way: _Way,
    asked: _Way,
) -> list[Converted]:
    whole, parts = join(files)
    names = Names(parts[0].names.module, [r for p in parts for r in p.names.references])
    modules = [Module(p.document.path, p.document.tree, p.line) for p in parts]
    entries = entries or [p.document.path for p in parts]
    try:
        walker = Walker(whole.tree, names, Files(modules, entries, known))
        walker.printing, walker.apart, walker.inner = way.printing, way.apart, way.inner
        walker.told = way.told
        try:
            return _walked(files, tf, whole, parts, walker, asked)
        finally:
            walker.let_go()
    finally:
        for part in parts[1:]:
            move(part.document.tree, -part.line)


def _walked(
    files: Sequence[tuple[Document, Names]],
    tf: str,
    whole: Document,
    parts: Sequence[Part],
    walker: Walker,
    asked: _Way,
) -> list[Converted]:
    program: _Program | None = None
    try:
        first = whole.tree.body[0]
        if not runs_graph(whole.tree, walker.endpoints):
            if len(files) > 1 or not unrun.makes_graph(whole.tree, walker.endpoints):
                raise Idle(first, NOTHING)
        for stmt in whole.tree.body:
            shim = next((m for m in _imported(stmt) if m.startswith(SHIMS)), None)
            if shim is not None:
                raise Blocked(stmt, f"the program needs {shim}")
        if not any(tensorflow(p.document.tree) for p in parts):
            raise Blocked(first, "TensorFlow isn't imported as a whole")
        regions = walker.run()  # most of what can't be followed ends here
        program = _Program(whole, parts, walker, tf)
        return program.converted(regions)
    except Blocked as error:
        if (maker := printing_makers.asked(walker, error)) is not None:
            asked.printing |= {maker}
        asked.apart = walker.mixed
        asked.told = told_shapes.ASKED in walker.kept
        sized = type(error) is Blocked or _sized(error)
        sizes = told_sizes(parts, walker, error) if sized else None
        if sizes is None and type(error) is Blocked:
            sizes = together(parts, joined_sizes.found(walker, error))
        if sizes is None and type(error) in (Blocked, Reading):
            sizes = spelled.instead(parts, kept_inputs.found(walker, error))
        if sizes is None and type(error) is Blocked:
            instead = told_ways.found(walker, error) or told_ways.counted(walker, error)
            sizes = spelled.instead(parts, instead)
        if sizes is not None:
            raise sizes from error
        part = part_of(parts, error.node)
        if isinstance(error, Rebound):
            error.edits = told_apart(part, error.places)
        if isinstance(error, Respelled):
            error.edits = spelling.edits(parts, error, walker)
        if isinstance(error, Spelled):
            spelled.everywhere(parts, error)
        if isinstance(error, Returning) and isinstance(error.origin, Spelled):
            error.origin.edits = spelled.edits(part_of(parts, error.origin.node), error.origin)
        if isinstance(error, Branched) and error.branch is not None:
            error.home = part_of(parts, error.branch).document.path
        if isinstance(error, Branched) and error.decided is not None:
            error.decided.edits = spelled.edits(part, error.decided)
            error.decided.path = part.document.path
        if isinstance(error, Inlinable):
            written_in_place(parts, error)
            if error.edits is None and part_of(parts, error.target) is part:
                error.edits = guards.folded(part.document, error.target, part.line)
        if isinstance(error, Collected) and error.instead is not None:
            written_in_place(parts, error.instead)
            error.instead.path = part_of(parts, error.instead.node).document.path
        if len(parts) > 1:
            origin = error.origin if isinstance(error, Returning) else None
            for one in (error, origin):
                if one is not None:
                    part = part_of(parts, one.node)
                    one.path, one.node = part.document.path, moved(one.node, part)
        raise
    finally:
        if program is not None:
            vars(program).clear()  # its helpers know it, and it knows them


def _sized(error: Blocked) -> bool:
    """Whether a method makes a variable of a size that it asks a tensor for."""
    return isinstance(error, Returning) and error.reason == static_shapes.REASON


def told_sizes(parts: Sequence[Part], walker: Walker, error: Blocked) -> Spelled | None:
    """The program with the sizes that its layers are made of, where these are told of shapes."""
    return together(parts, sizes_told.found(walker, error))


def together(parts: Sequence[Part], all_of: Sequence[Spelled]) -> Spelled | None:
    """What is written otherwise in several files, as one."""
    found: list[tuple[Part, Spelled]] = []
    for one in all_of:
        part = part_of(parts, one.node)
        one.edits = spelled.edits(part, one)
        if one.edits is None:
            return None
        found.append((part, one))
    if not found:
        return None
    part, first = found[0]
    first.more = {p.document.path: each.edits for p, each in found[1:]}
    if len(parts) > 1:
        first.path, first.node = part.document.path, moved(first.node, part)
    return first


def written_in_place(parts: Sequence[Part], error: Inlinable) -> None:
    """Find the edits that write a function where it is called."""
    moves = brought(parts, error)
    if moves is not None:  # it is written in place once it is in this file
        error.edits = moves.pop(part_of(parts, error.node).document.path)
        error.more = moves
    else:
        error.edits = inlined.edits(parts, error)
    here = part_of(parts, error.node).document.path
    same = [error] if moves is not None and not error.more else []
    for other in error.others:
        written_in_place(parts, other)
        path = part_of(parts, other.node).document.path
        found = {path: other.edits, **other.more}
        if other.edits and not {here, *error.more} & found.keys():
            error.more.update(found)
            if other.target is error.target and part_of(parts, other.target).document.path != path:
                same.append(other)
    gone = unused(parts, same) if same[:1] == [error] else {}
    if not gone.keys() & {here, *error.more}:
        error.more.update(gone)


def _imported(stmt: ast.AST) -> list[str]:
    """The modules that a statement imports, and what it may import as one."""
    if isinstance(stmt, ast.ImportFrom):
        module = stmt.module or ""
        return [module, *(f"{module}.{a.name}" for a in stmt.names)]
    return [a.name for a in stmt.names] if isinstance(stmt, ast.Import) else []


class _Program(Writing):
    """The whole way of a program's files."""

    fresh: dict[str, frozenset[str]]  # the names that files have now, and hadn't

    def converted(self, regions: list[Region]) -> list[Converted]:
        """The edits of all files."""
        self.fresh = {}
        self.sites = [site for region in regions for site in region.sites]
        if not self.sites:
            unrun.check(self)
        second_draws.check(self.walker, self.sites)
        placed.check(self.walker, regions)
        constant_lists.check(self.walker, regions)
        self.switches = switches.switches(self.walker, self.sites)
        self.fed = switches.fed(self.walker, self.sites)
        ordered = list(self.ahead(regions))
        every = [*self.plans.values(), *self.lent.values()]
        plans = [plan for known in every for plan in known]
        self.parameter_names = parameter_names.plain(plans, self.walker.aliases)
        for plan in plans:
            plan.names = self.parameter_names
        self.norms.settle(plans)
        self.planned(ordered)
        self.hidden += self.walker.kept.get("unseen", ())  # names that a Saver elsewhere reads
        if self.hidden:
            at = self.page_of(self.hidden[0][0])
            mine = [h for h in self.hidden if self.page_of(h[0]) is at]
            raise Hidden(self.hidden[0][0], mine, at.part.line)
        self.renewing.prepare()
        self.handed.prepare()
        self.parameters()
        written_graphs.show(self, regions)
        tf1_names.read(self)
        alike.write(self, regions, self.write)
        placed.settled(self.walker, self.moving, self.placed)
        shared_keys.check(self)
        for call in list(elsewhere(self.walker, [page.document.tree for page in self.pages])):
            self.turn(call)
            self.changes.append(Edit(*self.text.index.span(call.func), "read_data_sets"))
        for (what, _), node in self.walker.needs.items():
            self.turn(node)
            if what == "mnist":
                told = (TYPED, FETCHED, BATCHED, FAKED)
                typed, fetched, batched, faked = (k in self.walker.kept for k in told)
                text = mnist.source(typed=typed, fetched=fetched, batched=batched, faked=faked)
                self.need("read_data_sets", text, mnist.imports(fetched=fetched))
            elif what == "hparams":
                self.need(*own_hparams.definition(_hparams.readers(self.walker)))
            else:
                trees = [page.document.tree for page in self.pages]
                given = self.walker.kept[_vocabulary.GIVEN]
                self.need(*vocabulary.definition(trees, given, self.tf))
        remarks = (*devices.told(self.walker), *restored_names.told(self.walker))
        for node, what in (*remarks, *uncalled_builders.told(regions)):
            self.page_of(node).said.append((node, what))
        self.changes += lone_comments.apart(self.lone, self.changes)
        gone_imports.without(self)
        return [self.file(page) for page in self.pages]

    def file(self, page: Page) -> Converted:
        """The edits of one file, by its own offsets and lines."""
        self.page = page
        self.recurrent.define()
        self.define()
        for node in walk(page.document.tree):
            if isinstance(node, ast.Call) and self.walker.endpoints.get(id(node.func)) in SESSIONS:
                self.say(node, "there is no session any more")
        edits = list(by_cell(self.document, self.inside()))
        if contrib.dropped(self, apply(self.document.text, edits)):
            edits = list(by_cell(self.document, self.inside()))
        if not page.root and self.tf in apply(page.document.text, edits):
            self.importing()
            edits = list(by_cell(self.document, self.inside()))
        edits += leftover_scopes.edits(self, page.document.tree, edits)
        text = page.document.text
        if text[-1:] not in "\r\n":  # nor does what it becomes end with a line's end
            edits = [
                Edit(e.start, e.end, e.new.rstrip("\r\n")) if e.end == len(text) else e
                for e in edits
            ]
        new = apply(text, edits)
        if listed_now := exported.edits(page, set(bound(new))):
            edits = sorted([*edits, *listed_now], key=lambda e: (e.start, e.end))
            new = apply(text, edits)
        edits = begun_anew(text, edits, new, self.tf, self.root)
        others = [p.document.text for p in self.pages if p is not page]
        edits = without_emptied(page.document, edits, others)
        body = page.document.tree.body
        first = body[0] if body else ast.Pass(lineno=page.part.line + 1, col_offset=0)
        starred = self.starred(page, new, first)
        without = [
            n for n in lost(new, text, page.document.tree) if n != self.tf and n not in starred
        ]
        without += [f".{name}" for name in set_sessions.unset(self.walker, new)]
        if without:
            raise Blocked(first, f"`{without[0]}` would have no value any more")
        said = [(moved(node, page.part), what) for node, what in page.said]
        if edits and new != text and not said:
            line = text.count("\n", 0, min(e.start for e in edits)) + 1
            at = ast.Pass(lineno=line, col_offset=0, end_lineno=line, end_col_offset=0)
            said.append((at, "a part of a program whose session goes"))
        return Converted(page.part, edits, said, self.root, self.named())

    def importing(self) -> None:
        """A file that only says what others build imports TensorFlow, which it calls now.

        Raises:
            Blocked: it imports parts of TensorFlow, or has the name.
        """
        body = self.document.tree.body
        first = body[0] if body else ast.Pass(lineno=self.page.part.line + 1, col_offset=0)
        names = [name for n in walk(self.document.tree) for name in _imported(n)]
        if "tf" in self.page.names or any(n.partition(".")[0] == "tensorflow" for n in names):
            raise Blocked(first, "TensorFlow isn't imported as a whole")
        line = "import tensorflow as tf\n"
        if ast.get_docstring(self.document.tree) is not None and len(names) == 0:
            line = f"\n{line}"
        elif not names:
            line += "\n\n"
        at = self.text.start(leading(body) + 1)
        self.changes.append(Edit(at, at, line))

    def starred(self, page: Page, new: str, first: ast.stmt) -> set[str]:
        """The names that ``from ops import *`` gives a file now, and didn't before.

        Raises:
            Blocked: one is something else in the file.
        """
        if len(self.pages) == 1 and not refused(page.document.text, page.document.tree):
            return set()
        self.fresh[page.document.path] = bound(new) - bound(page.document.text)
        found: set[str] = set()
        todo = [self.walker.files.at(first)]
        for module in todo:
            todo += [m for m in module.starred if m not in todo]
            if module is not todo[0] and module.tree is not None:
                found |= exported.shown(module.tree, {*self.fresh.get(module.path, ())})
        # Attributes of that name are another's: `mnist.read_data_sets`.
        if taken := found & {*bound(page.document.text), *page.loads}:
            raise Blocked(first, f"`{min(taken)}` is something else, too")
        return {name for name in found if not name.startswith("_")}

    def named(self) -> list[Section]:
        """What the Savers of the file at hand call variables in TF 1, and where these are now."""
        found = []
        for saver, written in self.savers.written:
            if saver.idle or self.page_of(saver.call) is not self.page:
                continue
            target = getattr(saver.step.node, "targets", [None])[0]
            name = ast.unparse(target).rpartition(".")[2] if target is not None else "saver"
            found.append({"saver": name, **tf1_names.section(self, saver, written)})
        return found

    def define(self) -> None:
        """What the module is given besides: imports first, then what may need TensorFlow's."""
        body = self.document.tree.body

        def written(stmt: ast.stmt) -> bool:
            start, end = self.text.index.span(stmt)
            return any(e.start < end and max(e.end, e.start + 1) > start for e in self.changes)

        head = head_end(body, written)
        first, last = (max(line, head, self.page.part.line) for line in import_ends(body))
        have = imported_by(body, head)
        self.page.imports = [line for line in self.page.imports if line not in have]
        texts = list(self.needed.values())
        early = list(takewhile(lambda text: self.tf not in text, texts))
        late = texts[len(early) :]
        kept = [*self.imports, *(have if last == head else ())]
        more = [text for text in self.page.late_imports if text not in kept]
        for line, imports, texts in ((first, self.imports, early), (last, more, late)):
            block = "".join(f"{text}\n" for text in imports)
            block += "".join(f"{OPEN}2\n{text}{CLOSE}2\n" for text in texts)
            if block:
                at = self.text.start(line + 1)
                self.changes.append(Edit(at, at, block))

    def inside(self) -> list[Edit]:
        """The changes of the file at hand, by its own offsets."""
        above, size = self.page.part.start, len(self.document.text)
        after = self.pages.index(self.page) + 1
        below = self.pages[after].part.start if after < len(self.pages) else above + size + 1
        return [
            Edit(min(e.start - above, size), min(e.end - above, size), e.new)
            for e in self.changes
            if above <= e.start < below
        ]
