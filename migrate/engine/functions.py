"""A file whose sessions became functions, between the two passes, and where its lines come from."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from migrate.engine import tabs
from migrate.engine.document import Document, edited, read
from migrate.engine.findings import Edit, Finding
from migrate.engine.names import Names
from migrate.engine.source import SourceError
from migrate.engine.trees import walk

if TYPE_CHECKING:
    from migrate.engine.judged import Verdict


# TensorFlow, where a name is TF 2's already: the rules for TF 1's names leave it alone.
TF2 = "__tf2__"


def finished(data: bytes, between: Between) -> bytes:
    """The bytes after both passes."""
    return data.replace(TF2.encode(), between.root.encode())


# What programs are rewritten under as a whole, and what a program keeps where it can't be.
SESSION, ESTIMATOR = "TFM420", "TFM520"
KEEPS = {
    SESSION: "this keeps the program's session",
    ESTIMATOR: "this keeps the program's Estimator",
}


NOTHING = "nothing is run here"


class Stopped(Exception):
    """What keeps a program's session or its Estimator, and where."""

    def __init__(
        self,
        node: ast.AST,
        reason: str,
        *,
        idle: bool = False,
        path: str | None = None,
        rule: str = SESSION,
    ) -> None:
        super().__init__(reason)
        self.node = node
        self.path = path  # the file, where a program has several
        self.idle = idle  # there is no session in it
        self.rule = rule
        self.reason = f"{KEEPS[rule]}: {reason}"


@dataclass(eq=False, repr=False)
class Between:
    """The program with functions; its ops still have TF 1's names."""

    before: Document
    document: Document
    changes: list[tuple[ast.AST, str]] = field(default_factory=list)
    root: str = "tf"  # what the module calls TensorFlow
    rule: str = SESSION  # the rule that changes it
    names: list[dict[str, Any]] = field(default_factory=list)  # for migrate-names.json
    edits: list[Edit] | None = None  # what the other rules make of it, once that is known

    @cached_property
    def lines(self) -> dict[int, int]:
        """The old line of each new one, as far as it has one."""
        import difflib

        old, new = self.before.text.splitlines(), self.document.text.splitlines()
        found: dict[int, int] = {}
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for a, b, size in matcher.get_matching_blocks():
            found.update({b + i + 1: a + i + 1 for i in range(size)})
        places: dict[str, int] = {}
        for number, line in enumerate(old, 1):
            places.setdefault(line.strip(), number)
        last = 1
        for number, line in enumerate(new, 1):
            if number not in found:
                # Moved to another indentation, or written anew: then what is above it.
                found[number] = places.get(line.strip(), last) if line.strip() else last
            last = found[number]
        return found

    def located(self, verdict: Verdict) -> Verdict:
        """A verdict's findings, at their old lines."""
        return replace(
            verdict,
            fixed=[self._at(f) for f in verdict.fixed],
            left=[self._at(f) for f in verdict.left],
            blocks=[self._at(f) for f in verdict.blocks],
        )

    def _at(self, finding: Finding) -> Finding:
        if finding.cell is not None:
            return finding
        _, line = self.before.locate(self.lines.get(finding.line, finding.line))
        return replace(finding, line=line, end_line=line + max(0, finding.end_line - finding.line))


def runs_graph(tree: ast.Module, endpoints: Mapping[int, str]) -> bool:
    """Whether a module opens a session or seems to use one."""
    return any(
        "Session" in name or "Supervisor" in name or name == "tensorflow.test.TestCase"
        for name in endpoints.values()
    ) or any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in ("run", "eval")
        and id(n.func) not in endpoints
        for n in walk(tree)
    )


def to_functions(
    document: Document, names: Names, to: str = "estimator", keras: str = "3"
) -> Between:
    """The document with functions for sessions.

    Raises:
        Stopped: the program must keep its session.
    """
    return all_to_functions([(document, names)], to=to, keras=keras)[document.path]


def all_to_functions(
    files: Sequence[tuple[Document, Names]],
    entries: Sequence[str] = (),
    known: Iterable[str] = (),
    to: str = "estimator",
    keras: str = "3",
    pairs: Sequence[tuple[str, str]] = (),
) -> dict[str, Between]:
    """The files of programs with functions for sessions, by path; what is imported comes first.

    ``to="keras"``: the Estimators of programs that make some become Keras models instead.
    ``pairs``: those that read a graph from a checkpoint, each with one that saves it.
    ``keras="legacy"``: what they take of Keras is tf_keras'.

    Raises:
        Stopped: the programs must keep their sessions, or their Estimators.
    """
    spread = {document.path: tabs.expanded(document) for document, _ in files}
    tabbed = {d.path: d for d, _ in files if spread[d.path] is not d}
    if not tabbed:
        return _of_keras(files, entries, known, to, keras, pairs)
    try:
        plain = [_spread(*file, spread) for file in files]
        done = _of_keras(plain, entries, known, to, keras, pairs)
        for path in tabbed:
            done[path] = _tabbed(tabbed[path], spread[path], done[path])
    except Stopped as error:
        path = error.path or files[0][0].path
        if path in tabbed:
            error.node = _column(tabbed[path], spread[path], error.node)
        raise
    return done


def _spread(
    document: Document, names: Names, spread: Mapping[str, Document]
) -> tuple[Document, Names]:
    """A file with spaces for tabs, and its names."""
    from migrate.engine.judged import names_of

    new = spread[document.path]
    return (document, names) if new is document else (new, names_of(new))


def _tabbed(old: Document, new: Document, between: Between) -> Between:
    """What became of a file that was followed with spaces for its tabs.

    Raises:
        Stopped: its tabs and spaces can't be told again.
    """
    text = tabs.with_tabs(old, new, between.document)
    if text is None:
        raise Stopped(_first(old), "its lines begin with tabs and spaces in turn", path=old.path)
    whole = Edit(0, len(between.document.text), text)
    return replace(
        between,
        before=old,
        document=edited(between.document, [whole]),
        changes=[(_column(old, new, node), what) for node, what in between.changes],
    )


def _column(old: Document, new: Document, node: ast.AST) -> ast.AST:
    """A place in an expanded text as one of the file."""
    line, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
    last, end = last or line, getattr(node, "end_col_offset", None) or 0
    return ast.Pass(
        lineno=line,
        col_offset=tabs.column_back(old, new, line, getattr(node, "col_offset", 0)),
        end_lineno=last,
        end_col_offset=tabs.column_back(old, new, last, end),
    )


def _of_keras(
    files: Sequence[tuple[Document, Names]],
    entries: Sequence[str],
    known: Iterable[str],
    to: str,
    keras: str,
    pairs: Sequence[tuple[str, str]],
) -> dict[str, Between]:
    """The files with functions, in the words of a Keras: 3, or tf_keras."""
    done = _all_to_functions(files, entries, known, to, pairs)
    if keras != "legacy":
        return done
    from migrate.programs.graph.model import Blocked
    from migrate.rewriters import legacy_keras

    try:
        return legacy_keras.written(done)
    except Blocked as error:
        raise Stopped(error.node, error.reason, path=error.path) from error
    except SourceError as error:
        reason = f"what it would be with tf_keras isn't Python ({error.reason})"
        raise Stopped(_first(files[0][0]), reason, path=files[0][0].path) from error


def _all_to_functions(
    files: Sequence[tuple[Document, Names]],
    entries: Sequence[str],
    known: Iterable[str],
    to: str,
    pairs: Sequence[tuple[str, str]],
) -> dict[str, Between]:
    from migrate.engine.judged import names_of
    from migrate.programs.graph.model import Blocked, Idle
    from migrate.programs.graph.saving.projector import PLUGINS
    from migrate.programs.graph.saving.saved_graphs import SAVES
    from migrate.rewriters.array_numbers import with_items
    from migrate.rewriters.sessions.convert import convert_files
    from migrate.rewriters.sessions.frozen import with_graph_functions
    from migrate.rewriters.sessions.graph_writers import with_saved_graphs
    from migrate.rewriters.sessions.keras_sessions import without_keras_sessions
    from migrate.rewriters.sessions.lazy import unfolded
    from migrate.rewriters.sessions.projector import with_projector
    from migrate.rewriters.sessions.queues import with_iterators
    from migrate.rewriters.sessions.queues.carriers import with_parts_apart
    from migrate.rewriters.sessions.queues.files import Gives, lent
    from migrate.rewriters.sessions.queues.monitored import with_plain_sessions
    from migrate.rewriters.sessions.queues.named_elements import with_named_elements
    from migrate.rewriters.sessions.queues.own_names import with_own_names
    from migrate.rewriters.sessions.queues.parts_of_iterators import with_datasets_returned
    from migrate.rewriters.sessions.queues.quiet import with_quiet_ends

    starts = {document.path: document for document, _ in files}
    now = dict(starts)
    at = files[0][0].path  # the file at hand
    first = _first(files[0][0])
    rule, convert, spelled = SESSION, convert_files, None
    if to == "keras":  # else its room, as large again as the others, isn't loaded
        from migrate.rewriters.estimators import convert as estimators
        from migrate.rewriters.estimators.spelled import spelled as respelled

        if any(map(estimators.uses, files)):
            rule, convert, spelled = ESTIMATOR, estimators.convert_files, respelled
    try:
        todo: list[tuple[Document, Names]] = []
        gives: dict[str, Gives] = {}
        # Those whose imported graphs have functions now, or whose Keras has no session.
        graphs: dict[str, tuple[Document, str]] = {}
        if pairs and spelled is None:
            saved = with_saved_graphs(files, pairs, TF2)
            files = [
                (saved[d.path], names_of(saved[d.path])) if d.path in saved else (d, n)
                for d, n in files
            ]
        for document, names in files:
            at = document.path
            taken = lent(document, gives, [*starts, *known])
            plain = with_items(document, names)
            if plain is not document:
                document, names = plain, names_of(plain)
            others = "\n".join(d.text for d, _ in files if d.path != at)
            plain = with_graph_functions(document, names, TF2, others)
            if plain is not document:
                graphs[at] = plain, "functions of an imported graph"
            named = names if plain is document else names_of(plain)
            quiet, what = without_keras_sessions(plain, named)
            if quiet is not plain:
                plain = quiet
                graphs[at] = plain, what
            plain = unfolded(plain)
            if PLUGINS in plain.text:
                plain = with_projector(plain, names if plain is document else names_of(plain))
            if spelled is not None:
                named = names if plain is document else names_of(plain)
                plain = spelled(plain, named, others)
            first_steps = (with_parts_apart, with_own_names, with_named_elements)
            last_steps = (with_datasets_returned, with_quiet_ends, with_plain_sessions)
            for step in (*first_steps, *last_steps):
                now[at] = plain
                named = names if plain is document else names_of(plain)
                plain = step(plain, named, others)
            now[at] = plain
            if plain is not document:
                names = names_of(plain)
            inputs = others if spelled is not None else None
            seen = "\n".join(d.text for d, _ in todo)
            own = gives.setdefault(at, {})
            new = now[at] = with_iterators(plain, names, taken, own, inputs, seen)
            todo.append((new, names if new is plain else names_of(new)))
        done: dict[str, Between] = {}
        try:
            converted = convert(todo, TF2, entries, known)
        except Blocked as error:
            if not graphs or error.reason != NOTHING:
                raise
            return {path: _without(document, graphs) for path, document in starts.items()}
        for found in converted:
            at = found.part.document.path
            before, document = starts[at], now[at]
            after = read(at, document.encode(found.edits))
            if pairs and f".{SAVES}(" in after.text:  # of something that is no Saver
                raise Blocked(_first(before), "what saves a graph that is read isn't seen")
            said = [(placed(node, before, document), what) for node, what in found.said]
            done[at] = Between(before, after, said, found.root, rule, found.names)
        if rule == ESTIMATOR:
            from migrate.rewriters.estimators.sessions_beside import without_sessions

            done = without_sessions(done, entries, known)
        return _with_seeds(done, known)
    except Idle as error:
        raise Stopped(first, error.reason, idle=True, rule=rule) from error
    except Blocked as error:
        at = error.path or at
        node = error.node if hasattr(error.node, "lineno") else _first(starts[at])
        node = placed(node, starts[at], now[at])
        raise Stopped(node, error.reason, path=at, rule=rule) from error
    except SourceError as error:
        reason = f"what it would become isn't Python ({error.reason})"
        raise Stopped(_first(starts[at]), reason, path=at, rule=rule) from error
    except RecursionError as error:
        raise Stopped(first, "it is nested too deeply to be followed", rule=rule) from error
    except Exception as error:  # the rewriter's own: the program is better off as it is
        reason = f"{type(error).__name__} in the rewriter: {error}"
        raise Stopped(first, reason, rule=rule) from error


def _with_seeds(done: dict[str, Between], known: Iterable[str]) -> dict[str, Between]:
    """The files of a program, whose seeds are Keras's too where it draws numbers now."""
    from migrate.rewriters.keras_seeds import (
        KERAS,
        keras_draws,
        numpy_draws,
        python_seeds,
        seeds_of_keras,
    )

    if not any(keras_draws(between.document.text) for between in done.values()):
        return done
    if not any("set_random_seed" in between.document.text for between in done.values()):
        return done
    others = [path for path in known if path not in done]
    trees = [between.before.tree for between in done.values()]
    draws = any(map(numpy_draws, trees)) or any(_says(path, b"random") for path in others)
    seeds = any(map(python_seeds, trees)) or any(_says(path, b"random.seed") for path in others)
    for path, between in done.items():
        document = between.document
        edits = []
        for call, numpys in seeds_of_keras(document.tree, between.root, draws=draws, seeds=seeds):
            start, end = document.index.span(call)
            _, name_end = document.index.span(call.func)
            new = f"{TF2}.{KERAS}{document.text[name_end:end]}"
            if numpys is not None:  # with its comment
                first, last = document.index.span(numpys)
                last, after = _line_end(document.text, last), _line_end(document.text, end)
                edits.append(Edit(first, last, new + document.text[end:after]))
                new, end = document.text[first:last], after
            edits.append(Edit(start, end, new))
        if edits:
            done[path] = replace(between, document=edited(document, edits))
    return done


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _says(path: str, word: bytes) -> bool:
    """Whether a file that isn't among the program's has a word, or can't be read."""
    try:
        with open(path, "rb") as file:
            return word in file.read()
    except OSError:
        return True


def _without(document: Document, graphs: Mapping[str, tuple[Document, str]]) -> Between:
    """A file of programs that run nothing but what they imported, or nothing themselves."""
    from migrate.rewriters.sessions.state import tensorflow

    after, what = graphs.get(document.path, (document, ""))
    said = [(_first(document), what)] if after is not document else []
    return Between(document, after, said, tensorflow(document.tree) or "tf")


def _first(document: Document) -> ast.AST:
    return document.tree.body[0] if document.tree.body else document.tree


def placed(node: ast.AST, before: Document, after: Document) -> ast.AST:
    """A node of a document that was rewritten once before, at its old line."""
    if after is before or not hasattr(node, "lineno"):
        return node
    line = Between(before, after).lines.get(node.lineno, node.lineno)
    return ast.Pass(lineno=line, col_offset=0, end_lineno=line, end_col_offset=0)
