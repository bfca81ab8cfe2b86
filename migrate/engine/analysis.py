"""One file, judged: what it says of its program, and what becomes of it at either level.

`analyse` is the whole of ``migrate check`` for a file; `rewrite` makes the new bytes once the
program's level is decided. Both take bytes and give plain data, so that they run in any process.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from migrate.engine import rule as rules
from migrate.engine.document import Document, read
from migrate.engine.findings import Applicability, Edit, FileResult, Finding, Level
from migrate.engine.names import Names
from migrate.engine.names_resolve import analyse as resolve
from migrate.engine.options import Options
from migrate.engine.plan import METHODS, Survey, plan, survey
from migrate.engine.rule import Result
from migrate.engine.site import FileContext
from migrate.engine.source import EditConflict, SourceError
from migrate.engine.suppress import Suppressions
from migrate.engine.switch import of_tensorflow
from migrate.engine.together import Together
from migrate.programs.files import Imported, imports_of
from migrate.symbols.eager import eager_safe

if TYPE_CHECKING:
    from migrate.engine.functions import Between, Stopped

UNREADABLE = "TFM901"
FAILED = "TFM902"
SWITCH = "TFM402"
SESSION = "TFM420"
# The rules that change a program as a whole, and what they put for what they take.
FIXES = {SESSION: "a function", "TFM520": "Keras"}


@dataclass(slots=True, repr=False)
class Verdict:
    """What becomes of a file at one level."""

    fixed: list[Finding] = field(default_factory=list)
    left: list[Finding] = field(default_factory=list)
    blocks: list[Finding] = field(default_factory=list)  # why the level can't be had


@dataclass(slots=True, repr=False)
class Analysis:
    """What one file says; plain data."""

    path: str
    error: str = ""
    bug: bool = False  # the error is this tool's
    uses: bool = False
    python2: bool = False  # doesn't mention TensorFlow, and may be Python 2
    given: bool = False  # doesn't mention TensorFlow, and may be given a session
    skip: bool = False
    eager: bool = False
    keras: bool = False  # eager because Keras 3 trains so, not by its own words
    graph: Finding | None = None
    tf1: Finding | None = None
    late: bool = False  # TF 2 had that up to Keras 3
    tf2: bool = False
    v1: bool = False  # names compat.v1
    switched: bool = False
    entry: bool = False  # has `if __name__ == "__main__"` or is a notebook
    runs: bool = False  # calls TensorFlow when it is imported
    imports: list[Imported] = field(default_factory=list)
    switch: Finding | None = None  # for the call that switches v2 behaviour off, should it come
    # Why it can't be native in a program that another of its files makes eager.
    eager_blocks: list[Finding] = field(default_factory=list)
    # What becomes of it where its sessions become functions, and what keeps them.
    converted: bool = False
    alone: bool = True  # it imports no other file of the run
    together: bool = False  # judged with the files that it imports, or that import it
    functions: Verdict = field(default_factory=Verdict)
    stopped: Finding | None = None
    kept: Finding | None = None  # what stopped the files that are judged with it
    native: Verdict = field(default_factory=Verdict)
    compat: Verdict = field(default_factory=Verdict)

    @property
    def of_tf1(self) -> bool:
        """Whether something in it is TF 1's, by either spelling."""
        return self.tf1 is not None or self.v1

    @property
    def switches_eager(self) -> bool:
        """Whether its own words switch eager execution on."""
        return self.eager and not self.keras


@dataclass(frozen=True, slots=True)
class Decision:
    """What a file's program is."""

    level: Level = Level.NATIVE
    eager: bool = False
    tf1: bool = False
    call: bool = False  # v2 behaviour is switched off here
    project: bool = False  # its program uses TensorFlow
    functions: bool = False  # its sessions become functions
    together: Together | None = None  # with which files they do


# What Python 3 doesn't parse or doesn't have: worth a closer look in a TensorFlow program.
_PYTHON2 = re.compile(
    rb"^[ \t]*(?:print[ \t]+[^(=\s]|print[ \t]*>>|raise[ \t]+[\w.]+[ \t]*,|exec[ \t]+[^(=\s]|"
    rb"except[ \t]+[\w.()]+[ \t]*,)",
    re.M,
)
_PYTHON2_WORDS = (
    *(b"xrange", b"unicode", b"raw_input", b"basestring", b"unichr", b"izip", b"urllib2"),
    *(b"cPickle", b"StringIO", b"Queue", b"iteritems", b"itervalues", b"iterkeys", b"has_key"),
    *(b"<>", b"ur'", b'ur"'),
)


def old_python(data: bytes) -> bool:
    """Whether a file may be Python 2: what is asked of every file that has no TensorFlow."""
    return any(word in data for word in _PYTHON2_WORDS) or _PYTHON2.search(data) is not None


def relevant(data: bytes) -> bool:
    """Whether a file can matter at all."""
    return b"tensorflow" in data


def names_of(document: Document) -> Names:
    """Resolve a document's names for every registered rule."""
    rules.load()
    text = document.text
    methods = frozenset((*rules.methods(), *METHODS))
    return resolve(document.tree, text, methods, rules.roots(text), document.index.starts)


def survey_of(document: Document, names: Names) -> Survey:
    """What a document says of its program."""
    return survey(FileContext("", document.text, document.index, document.tree, names))


def analyse(
    path: str,
    data: bytes,
    options: Options,
    shown: str,
    *,
    every: bool = False,
    lend: bool = False,
    alone: bool = True,
) -> Analysis:
    """Judge a file; never raises for what is in it.

    ``every``: both levels, needed or not. ``lend``: an eager program imports it. ``alone``: it
    imports no other file of the run; else its sessions are looked at with those (`together`).
    """
    found = Analysis(shown, alone=alone)
    try:
        if not relevant(data):
            found.imports = imports_of(data.decode("utf-8", "replace"))
            found.python2 = path.endswith(".py") and old_python(data)
            found.given = b"sess" in data and (b".run(" in data or b".eval(" in data)
            return found
        document = read(path, data)
        found.imports = imports_of(document.text)
        names = names_of(document)
        context = FileContext(shown, document.text, document.index, document.tree, names)
        seen = survey(context)
        _facts(found, document, context, seen)
        suppressions = Suppressions.parse(document.text)
        found.skip = suppressions.skip_file
        if found.skip:
            return found
        for level, verdict in ((Level.NATIVE, found.native), (Level.COMPAT, found.compat)):
            graph = found.graph is not None and found.tf1 is not None and not found.eager
            if level is Level.NATIVE and graph and not every:
                continue  # it will be compat, whatever else it says
            context.level = level
            # Only a program of TF 1 is ever at the compat level.
            context.tf1 = level is Level.COMPAT or found.tf1 is not None
            context.eager, context.renamed = found.eager, {}
            results = plan(context, seen)
            _fill(verdict, document, results, options, suppressions, shown)
        graph = found.graph is not None and not found.eager and options.level != "compat"
        if graph and alone and found.of_tf1:
            _functions(found, document, names, options, suppressions)
        if lend and not found.eager:
            found.eager_blocks = _eager_blocks(found, document, context, seen)
    except SourceError as error:
        found.error = error.reason
    except RecursionError:
        found.error = "nested too deeply to be analysed"
    return found


def _functions(
    found: Analysis,
    document: Document,
    names: Names,
    options: Options,
    suppressions: Suppressions,
) -> Between | None:
    """Whether a file's sessions can become functions, and what becomes of it then."""
    from migrate.engine.functions import Stopped, to_functions
    from migrate.engine.spelling import as_tf1
    from migrate.rewriters import estimators

    if not options.enabled_for(found.path, SESSION):
        return None
    plain = document
    made = options.to == "keras" and estimators.uses((document, names))
    try:
        plain = as_tf1(document, names, alone=not made)
        if plain is not document:
            names = names_of(plain)
        after = to_functions(plain, names, options.to)
        if not options.enabled_for(found.path, after.rule):
            return None
    except Stopped as error:
        if not error.idle:
            keep(found, plain, error, suppressions)
        return None
    return after if accept(found, plain, after, options, suppressions) else None


def keep(
    found: Analysis, document: Document, error: Stopped, suppressions: Suppressions
) -> Finding:
    """A file's session stays, and why."""
    stopped = _finding(document, found.path, error.node, error.rule, error.reason, None)
    if not _hidden(suppressions, document, error.node, stopped):
        found.stopped = stopped
    return stopped


def accept(
    found: Analysis,
    document: Document,
    after: Between,
    options: Options,
    suppressions: Suppressions,
) -> bool:
    """Take what the sessions of a file became; whether nothing in it keeps them."""
    from migrate.engine.functions import KEEPS

    rule = after.rule
    said = [
        (node, _finding(document, found.path, node, rule, message, None))
        for node, message in after.changes
    ]
    # It is done as a whole: who keeps one of its places keeps them all.
    kept = [f for node, f in said if _hidden(suppressions, document, node, f)]
    if kept:
        reason = f"{KEEPS[rule]}: a comment hides {rule} here"
        found.stopped = replace(kept[0], message=reason)
        return False
    decision = Decision(Level.NATIVE, eager=True, tf1=True)
    found.functions = after.located(verdict_of(after.document, options, found.path, decision))
    found.functions.fixed.extend(
        replace(bare, applicability=Applicability.SAFE, fix=FIXES[rule]) for _, bare in said
    )
    # What it is now is Python 3: what that took is known of what it was.
    found.functions.fixed.extend(_python2(document, found.path, options))
    notes = {(f.line, f.message) for f in found.functions.left}
    found.functions.left.extend(
        f for f in _notes(document, found.path, options) if (f.line, f.message) not in notes
    )
    if found.functions.blocks:
        first = found.functions.blocks[0]
        reason = f"{KEEPS[rule]}: {first.message}"
        found.stopped = replace(
            first, rule=rule, message=reason, applicability=Applicability.MANUAL, fix=None
        )
    else:
        found.converted = True
    return True


def _hidden(
    suppressions: Suppressions, document: Document, node: ast.AST, finding: Finding
) -> bool:
    """Whether a comment covers what is found at a node."""
    if not suppressions:
        return False
    first: int = getattr(node, "lineno", 1)
    span = _statement_lines(document, first)
    return suppressions.hides(finding, span, shift=first - finding.line)


def _eager_blocks(
    found: Analysis, document: Document, context: FileContext, seen: Survey
) -> list[Finding]:
    if found.graph is None and not found.native.blocks:
        return []
    for place in seen.places:
        if place.record is None or not place.record.graph or place.record.kind == "module":
            continue
        if not eager_safe(place.record):
            what = "tf" + place.endpoint.removeprefix("tensorflow")
            return [_finding(document, found.path, place.ref.node, "TFM401", what, what)]
    context.level, context.eager, context.renamed = Level.NATIVE, True, {}
    context.tf1 = found.tf1 is not None
    return [_to_finding(document, found.path, r) for r in plan(context, seen) if r.blocks]


def _facts(found: Analysis, document: Document, context: FileContext, seen: Survey) -> None:
    found.uses = seen.uses
    found.eager, found.keras = seen.eager or seen.keras, seen.keras
    found.switched, found.tf2, found.late = seen.switched, seen.tf2, seen.late
    found.v1 = any(place.v1 for place in seen.places)
    for name, place in (("graph", seen.graph), ("tf1", seen.tf1)):
        if place is not None:
            what = "tf" + place.endpoint.removeprefix("tensorflow")
            setattr(found, name, _finding(document, found.path, place.ref.node, "", what, what))
    found.entry = document.notebook is not None or _has_main(document.tree)
    if seen.uses:
        found.switch = _switch_finding(document, context, found.path)
    found.runs = _runs(document.tree, context.names)


def _runs(tree: ast.Module, names: Names) -> bool:
    """Whether importing the file calls TensorFlow, by itself or through what it defines."""
    lines: list[int] = []
    for ref in names.references:
        if ref.name.startswith("tensorflow"):
            if ref.scope.kind in ("module", "class") and ref.call is not None:
                return True
            lines.append(ref.node.lineno)
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    bodies = {stmt.name: stmt for stmt in tree.body if isinstance(stmt, definitions)}
    rest: list[ast.AST] = [s for s in tree.body if not isinstance(s, definitions)]
    seen: set[str] = set()
    while rest:
        for node in ast.walk(rest.pop()):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            body = bodies.get(node.func.id)
            if body is None or body.name in seen:
                continue
            if any(body.lineno <= line <= (body.end_lineno or body.lineno) for line in lines):
                return True
            seen.add(body.name)
            rest.append(body)
    return False


def _has_main(tree: ast.Module) -> bool:
    return any(
        isinstance(s, ast.If)
        and isinstance(s.test, ast.Compare)
        and isinstance(s.test.left, ast.Name)
        and s.test.left.id == "__name__"
        for s in tree.body
    )


def _finding(
    document: Document, path: str, node: ast.AST, rule: str, message: str, endpoint: str | None
) -> Finding:
    line: int = getattr(node, "lineno", 1)
    end: int = getattr(node, "end_lineno", None) or line
    column = document.index.column(line, getattr(node, "col_offset", 0))
    end_column = document.index.column(end, getattr(node, "end_col_offset", 0) or 0)
    cell, shown = document.locate(line)
    _, shown_end = document.locate(end)
    return Finding(
        path,
        shown,
        column,
        rule,
        message,
        endpoint,
        end_line=shown_end,
        end_column=end_column,
        cell=cell,
    )


def _to_finding(document: Document, path: str, result: Result) -> Finding:
    bare = _finding(document, path, result.node, result.rule.id, result.message, result.endpoint)
    return Finding(
        bare.path,
        bare.line,
        bare.column,
        bare.rule,
        bare.message,
        bare.endpoint,
        result.applicability if result.fix is not None else Applicability.MANUAL,
        result.fix,
        bare.end_line,
        bare.end_column,
        bare.cell,
    )


def selected(
    results: Iterable[Result],
    options: Options,
    suppressions: Suppressions,
    path: str,
    document: Document,
) -> list[tuple[Result, Finding]]:
    """The results that the user wants to see, with their findings."""
    kept = []
    for result in results:
        finding = _to_finding(document, path, result)
        if not options.enabled_for(path, result.rule.id):
            continue
        if not _hidden(suppressions, document, result.node, finding):
            kept.append((result, finding))
    return kept


def _statement_lines(document: Document, line: int) -> tuple[int, int]:
    """The first and the last line of the simple statement (or header) on a line."""
    body: list[ast.stmt] = document.tree.body
    while True:
        for stmt in body:
            if stmt.lineno <= line <= (stmt.end_lineno or stmt.lineno):
                break
        else:
            return line, line
        inner = getattr(stmt, "body", None)
        if not isinstance(inner, list):
            return stmt.lineno, stmt.end_lineno or stmt.lineno
        head = inner[0].lineno - 1 if inner else stmt.lineno
        if line <= head:
            return stmt.lineno, head
        blocks = [inner, *(getattr(stmt, name, None) or [] for name in ("orelse", "finalbody"))]
        blocks.extend(h.body for h in getattr(stmt, "handlers", ()))
        blocks.extend(c.body for c in getattr(stmt, "cases", ()))
        body = [s for block in blocks for s in block]


def _applies(result: Result, options: Options) -> bool:
    if result.fix is None:
        return False
    return result.applicability is Applicability.SAFE or (
        result.applicability is Applicability.UNSAFE and options.unsafe
    )


def _fill(
    verdict: Verdict,
    document: Document,
    results: list[Result],
    options: Options,
    suppressions: Suppressions,
    path: str,
) -> None:
    verdict.blocks = [_to_finding(document, path, r) for r in results if r.blocks]
    for result, finding in selected(results, options, suppressions, path, document):
        if _applies(result, options):
            verdict.fixed.append(finding)
        elif result.applicability is not Applicability.INFO:
            verdict.left.append(finding)
    verdict.fixed.extend(_python2(document, path, options))
    verdict.left.extend(_notes(document, path, options))
    # Whether a comment for TFM420 or TFM520 hides something isn't known here (`_functions`).
    verdict.left.extend(
        suppressions.unused(
            path,
            lambda code: options.enabled(code) and not any(r.startswith(code) for r in FIXES),
            document.locate,
        )
    )


def _python2(document: Document, path: str, options: Options) -> Iterable[Finding]:
    if options.enabled_for(path, "TFM801"):
        for line, message in document.python2:
            cell, shown = document.locate(line)
            yield Finding(
                path, shown, 1, "TFM801", message, None, Applicability.SAFE, "Python 3", cell=cell
            )


def _notes(document: Document, path: str, options: Options) -> Iterable[Finding]:
    if options.enabled_for(path, "TFM802"):
        for line, message in document.notes:
            cell, shown = document.locate(line)
            yield Finding(path, shown, 1, "TFM802", message, cell=cell)


# -- rewriting ---------------------------------------------------------------------------


def rewrite(path: str, data: bytes, options: Options, shown: str, decision: Decision) -> FileResult:
    """A file's new bytes; where it can't be handled, the finding that says why and no bytes."""
    from migrate.engine.verify import verify

    result = FileResult(shown, level=decision.level)
    try:
        document = read(path, data)
        if decision.functions:
            return _rewrite_functions(path, data, document, options, shown, decision)
        edits, fixed, left = edits_of(document, options, shown, decision)
        result.fixed, result.left = fixed, left
        if not edits and not document.modernized:
            return result
        after = document.encode(edits)
        if after == data:
            return result
        reason = verify(document, path, after, edits, options, shown, decision)
        if reason:
            return failed(shown, FAILED, reason)
        result.status, result.before, result.after = "changed", data, after
    except (SourceError, EditConflict) as error:
        return failed(shown, UNREADABLE if isinstance(error, SourceError) else FAILED, str(error))
    except RecursionError:
        return failed(shown, UNREADABLE, "nested too deeply to be analysed")
    return result


def _rewrite_functions(
    path: str, data: bytes, document: Document, options: Options, shown: str, decision: Decision
) -> FileResult:
    """A file whose sessions become functions: those first, then all the other rules."""
    from migrate.engine.functions import finished

    seen = Analysis(shown)
    suppressions = Suppressions.parse(document.text)
    if decision.together is None:
        between = _functions(seen, document, names_of(document), options, suppressions)
    else:
        between = decision.together.between(path, data)
        if between is not None:
            accept(seen, document, between, options, suppressions)
    if between is None:  # the file isn't what it was when it was judged
        return failed(shown, FAILED, seen.stopped.message if seen.stopped else "no session is left")
    inner = replace(decision, functions=False, eager=True, together=None)
    result = rewrite(path, between.document.data, options, shown, inner)
    if result.status == "failed":
        return result
    result.fixed, result.left = seen.functions.fixed, seen.functions.left
    result.status, result.before, result.names = "changed", data, between.names
    result.after = finished(result.after or between.document.data, between)
    if result.after == data:
        result.status, result.before, result.after = "unchanged", None, None
    return result


def edits_of(
    document: Document, options: Options, shown: str, decision: Decision
) -> tuple[list[Edit], list[Finding], list[Finding]]:
    """The edits of a file at its level, the findings that they fix and those that stay."""
    from migrate.engine.fstrings import requote
    from migrate.engine.imports import plan_imports

    suppressions = Suppressions.parse(document.text)
    if suppressions.skip_file:
        return [], [], []
    verdict, context, results, call = _decided(document, options, shown, decision, suppressions)
    applied = [
        r
        for r, _ in selected(results, options, suppressions, shown, document)
        if _applies(r, options)
    ]
    applied = [r for r in applied if all(other in applied for other in r.requires)]
    edits = [edit for r in applied for edit in r.edits]
    switch = any(r.switch for r in applied)
    edits.extend(plan_imports(context, applied, switch=switch, call=call).edits)
    edits = requote(document.tree, document.text, document.index, compose(edits))
    return edits, verdict.fixed, verdict.left


def verdict_of(document: Document, options: Options, shown: str, decision: Decision) -> Verdict:
    """What becomes of a file at its level; `edits_of` without the edits."""
    suppressions = Suppressions.parse(document.text)
    if suppressions.skip_file:
        return Verdict()
    return _decided(document, options, shown, decision, suppressions)[0]


def _decided(
    document: Document,
    options: Options,
    shown: str,
    decision: Decision,
    suppressions: Suppressions,
) -> tuple[Verdict, FileContext, list[Result], bool]:
    """The verdict at a level with what it rests on, and whether v2 behaviour is switched off."""
    context = FileContext(
        shown,
        document.text,
        document.index,
        document.tree,
        names_of(document),
        decision.level,
        decision.eager,
        decision.tf1,
        options.unsafe,
    )
    seen = survey(context)
    verdict = Verdict()
    results = plan(context, seen)
    _fill(verdict, document, results, options, suppressions, shown)
    call = switches_off(decision, seen.uses, seen.switched, seen.eager)
    call = call and options.enabled_for(shown, SWITCH)
    if call:
        verdict.fixed.append(_switch_finding(document, context, shown))
    return verdict, context, results, call


def switches_off(decision: Decision, uses: bool, switched: bool, eager: bool) -> bool:
    """Whether a file gets the call that switches v2 behaviour off.

    An eager program of TF 1 that can't be native keeps TF 1's shapes and variables too: the file
    that switches eager execution on has the call in front of that.
    """
    return (
        decision.level is Level.COMPAT
        and decision.tf1
        and decision.call
        and uses
        and not switched
        and (eager or not decision.eager)
    )


def _switch_finding(document: Document, context: FileContext, path: str) -> Finding:
    """The finding that stands for that call, at the import of TensorFlow."""
    ours = [stmt for stmt, _, _ in context.names.imports if of_tensorflow(stmt)]
    node = ours[0] if ours else document.tree.body[0]
    message = "v2 behaviour is switched off when the program starts, as TF 1 had it"
    bare = _finding(document, path, node, SWITCH, message, None)
    return replace(bare, applicability=Applicability.SAFE, fix="disable_v2_behavior()")


def compose(edits: list[Edit]) -> list[Edit]:
    """Edits of several rules as one list: what lies inside a deleted span is moot."""
    deletions = [(e.start, e.end) for e in edits if not e.new and e.end > e.start]
    if not deletions:
        return edits
    return [
        e
        for e in edits
        if not any(
            (lo < e.start < hi or (lo <= e.start and e.end <= hi and e.start < e.end))
            and (lo, hi) != (e.start, e.end)
            for lo, hi in deletions
        )
    ]


def failed(path: str, rule: str, reason: str) -> FileResult:
    """A file that couldn't be handled: left as it was, and said."""
    finding = Finding(path, 1, 1, rule, f"left as it was: {reason}")
    return FileResult(path, "failed", left=[finding], reason=reason)
