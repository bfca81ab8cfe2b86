"""One file, judged: what it says of its program, and what would become of it at either level.

`analyse` is the whole of ``migrate check`` for a file; `rewrite` makes the new bytes once the
program's level is decided. Both take bytes and give plain data, so that they run in any process.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from migrate.engine import bare_sessions, meta_graphs
from migrate.engine.document import Document, shelved
from migrate.engine.findings import Applicability, Finding, Level
from migrate.engine.judged import (
    FIXES,
    SESSION,
    Analysis,
    Decision,
    aged,
    names_of,
    relevant,
    survey_of,
)
from migrate.engine.level import fill, judged_edits, planned, verdict_of
from migrate.engine.names import Names
from migrate.engine.options import Options
from migrate.engine.placed import (
    finding_at,
    finding_of,
    hidden,
    note_findings,
    python2_findings,
    star_findings,
    switch_finding,
)
from migrate.engine.plan import Survey, plan
from migrate.engine.site import FileContext
from migrate.engine.source import SourceError
from migrate.engine.suppress import Suppressions
from migrate.engine.trees import all_of
from migrate.programs.files import imports_of
from migrate.symbols.eager import eager_safe

if TYPE_CHECKING:
    from migrate.engine.functions import Between, Stopped


# A function that hands the session on: `def evaluate(model, data, sess):`.
TAKES = re.compile(rb"def \w+\([^)]*\bsess(ion)?\b")
# One that makes what is fed: `feed_dict.update({placeholders['x']: x})`.
FEEDS = re.compile(rb"\bfeed_dict\b")
# What a class is based on.
BASES = re.compile(rb"(?m)^[ \t]*class[ \t]+\w+[ \t]*\(([^)]*)\)")
NAMED = re.compile(rb"[A-Za-z_][\w.]*")


def analyse(
    path: str,
    data: bytes,
    options: Options,
    shown: str,
    *,
    every: bool = False,
    lend: bool = False,
    alone: bool = True,
    later: bool = False,
    make: bool = False,
) -> Analysis:
    """Judge a file; never raises for what is in it.

    ``every``: both levels, needed or not. ``lend``: an eager program imports it. ``alone``: it
    imports no other file of the run; else its sessions are looked at with those (`together`).
    ``later``: another may import it; where none does, it waits to be looked at alone.
    ``make``: what its sessions became is kept, with the edits of the other rules.
    """
    found = Analysis(shown, alone=alone)
    runs = b".run(" in data or b".eval(" in data
    found.given = b"sess" in data and (runs or TAKES.search(data) is not None)
    found.given |= b"feed_dict" in data and FEEDS.search(data) is not None
    classes = BASES.findall(data) if b"class" in data else ()
    found.bases = [b.decode("ascii") for each in classes for b in NAMED.findall(each)]
    try:
        if not relevant(data):
            text = data.decode("utf-8", "replace")
            found.imports = imports_of(text)
            found.aged = path.endswith(".py") and aged(data, text)
            return found
        document = shelved(path, data)
        found.asserts = b"%tensorflow_version 2" in data  # Colab's
        found.imports = imports_of(document.text)
        names = names_of(document)
        context = FileContext(shown, document.text, document.index, document.tree, names)
        context.legacy = options.keras == "legacy"
        seen = survey_of(document, names)
        _facts(found, document, context, seen)
        suppressions = Suppressions.parse(document.text)
        found.skip = suppressions.skip_file
        if found.skip:
            return found
        for level, verdict in ((Level.NATIVE, found.native), (Level.COMPAT, found.compat)):
            graph = found.graph is not None and found.tf1 is not None and not found.eager
            if level is Level.NATIVE and graph and not every:
                continue  # it will be compat, whatever else it says
            # Only a program of TF 1 is ever at the compat level.
            tf1 = level is Level.COMPAT or found.tf1 is not None
            decision = Decision(level, eager=found.eager, tf1=tf1)
            _, results = planned(document, options, shown, decision)
            fill(verdict, document, results, options, suppressions, shown)
        found.estimators = options.to == "keras" and _estimators(document, names)
        # An Estimator runs graphs of its own, where the rest is eager, too.
        graph = found.graph is not None and (not found.eager or found.estimators)
        if graph and options.level != "compat" and alone and found.of_tf1:
            if later:
                found.waits = True
            else:
                functions_of(found, document, names, options, suppressions, make=make)
        if lend and not found.eager:
            found.eager_blocks = _eager_blocks(found, document, context, seen)
    except SourceError as error:
        found.error = error.reason
    except RecursionError:
        found.error = "nested too deeply to be analysed"
    return found


def functions_of(
    found: Analysis,
    document: Document,
    names: Names,
    options: Options,
    suppressions: Suppressions,
    *,
    make: bool = False,
) -> Between | None:
    """Whether a file's sessions can become functions, and what becomes of it then."""
    from migrate.engine.functions import Stopped, to_functions
    from migrate.engine.spelling import as_tf1

    if not options.enabled_for(found.path, SESSION):
        return None
    plain = document
    made = options.to == "keras" and _estimators(document, names)
    try:
        plain = as_tf1(document, names, alone=not made)
        if plain is not document:
            names = names_of(plain)
        after = to_functions(plain, names, options.to, options.keras)
        if not options.enabled_for(found.path, after.rule):
            return None
    except Stopped as error:
        if not error.idle:
            keep(found, plain, error, suppressions)
        return None
    return after if accept(found, plain, after, options, suppressions, make=make) else None


def _estimators(document: Document, names: Names) -> bool:
    from migrate.rewriters.estimators import convert as estimators

    return estimators.uses((document, names))


def keep(
    found: Analysis, document: Document, error: Stopped, suppressions: Suppressions
) -> Finding:
    """A file's session stays, and why."""
    stopped = finding_at(document, found.path, error.node, error.rule, error.reason, None)
    if not hidden(suppressions, document, error.node, stopped):
        found.stopped = stopped
    return stopped


def accept(
    found: Analysis,
    document: Document,
    after: Between,
    options: Options,
    suppressions: Suppressions,
    *,
    make: bool = False,
) -> bool:
    """Take what the sessions of a file became; whether nothing in it keeps them.

    ``make``: keep it, with the edits of the other rules.
    """
    from migrate.engine.functions import KEEPS

    rule = after.rule
    told = [
        (node, finding_at(document, found.path, node, rule, message, None))
        for node, message in after.changes
    ]
    # A placeholder that two functions take is told of once.
    said = list({(f.cell, f.line, f.column, f.message): (node, f) for node, f in told}.values())
    # It is done as a whole: who keeps one of its places keeps them all.
    kept = [f for node, f in said if hidden(suppressions, document, node, f)]
    if kept:
        reason = f"{KEEPS[rule]}: a comment hides {rule} here"
        found.stopped = replace(kept[0], message=reason)
        return False
    decision = Decision(Level.NATIVE, eager=True, tf1=True)
    if make:
        after.edits, verdict = judged_edits(after.document, options, found.path, decision)
    else:
        verdict = verdict_of(after.document, options, found.path, decision)
    found.functions = after.located(verdict)
    found.functions.fixed.extend(
        replace(bare, applicability=Applicability.SAFE, fix=FIXES[rule]) for _, bare in said
    )
    # What it is now is Python 3: what that took is known of what it was.
    found.functions.fixed.extend(python2_findings(document, found.path, options))
    found.functions.fixed.extend(star_findings(document, found.path, options))
    notes = {(f.line, f.message) for f in found.functions.left}
    found.functions.left.extend(
        f for f in note_findings(document, found.path, options) if (f.line, f.message) not in notes
    )
    if found.functions.blocks:
        first = found.functions.blocks[0]
        reason = f"{KEEPS[rule]}: {first.message}"
        found.stopped = replace(
            first, rule=rule, message=reason, applicability=Applicability.MANUAL, fix=None
        )
    else:
        found.converted = True
        found.between = after if make else None
    return True


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
            return [finding_at(document, found.path, place.ref.node, "TFM401", what, what)]
    context.level, context.eager, context.renamed = Level.NATIVE, True, {}
    context.tf1 = found.tf1 is not None
    return [finding_of(document, found.path, r) for r in plan(context, seen) if r.blocks]


def _facts(found: Analysis, document: Document, context: FileContext, seen: Survey) -> None:
    found.uses = seen.uses
    found.eager, found.keras = seen.eager or seen.keras, seen.keras
    found.switched, found.tf2, found.late = seen.switched, seen.tf2, seen.late
    found.modern, found.asserts = seen.modern, found.asserts or seen.asserts
    found.v1 = any(place.v1 for place in seen.places)
    found.bare = bare_sessions.kinds(document, context, seen.places)
    for name, place in (("graph", seen.graph), ("tf1", seen.tf1)):
        if place is not None:
            what = "tf" + place.endpoint.removeprefix("tensorflow")
            setattr(found, name, finding_at(document, found.path, place.ref.node, "", what, what))
    found.entry = document.notebook is not None or _has_main(document.tree)
    if "tensorflow_hub" in document.text:
        from migrate.checks import hub_modules

        needs = hub_modules.needed(document.tree, context.names)
        if needs is not None:
            call, why = needs
            rule = hub_modules.HUB.id
            found.lost = finding_at(document, found.path, call, rule, why, None)
    if ".save(" in document.text:
        found.saves = meta_graphs.written(document.tree, context.names)
    if "import_meta_graph" in document.text:
        found.metas = meta_graphs.read(document.tree, context.names)
        found.computed = meta_graphs.computed(document.tree, context.names)
    if "_by_name(" in document.text or found.computed or found.metas:
        found.asked = meta_graphs.asked(document.tree)
    if seen.uses:
        found.named = meta_graphs.named(document.tree)
    if seen.uses:
        found.switch = switch_finding(document, context, found.path)
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
        for node in all_of(rest.pop(), ast.Call):
            if not isinstance(node.func, ast.Name):
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
