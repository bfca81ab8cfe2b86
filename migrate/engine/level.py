"""What the rules make of a document at a level: its edits, what they fix and what stays."""

from __future__ import annotations

from migrate.engine.document import Document
from migrate.engine.findings import Applicability, Edit, Finding, Level
from migrate.engine.judged import FIXES, SWITCH, Decision, Verdict, names_of, survey_of
from migrate.engine.options import Options
from migrate.engine.placed import (
    finding_of,
    note_findings,
    python2_findings,
    selected,
    star_findings,
    switch_finding,
)
from migrate.engine.plan import plan
from migrate.engine.rule import Result
from migrate.engine.site import FileContext
from migrate.engine.star_names import RULE
from migrate.engine.suppress import Suppressions


def edits_of(
    document: Document, options: Options, shown: str, decision: Decision
) -> tuple[list[Edit], list[Finding], list[Finding]]:
    """The edits of a file at its level, the findings that they fix and those that stay."""
    edits, verdict = judged_edits(document, options, shown, decision)
    return edits, verdict.fixed, verdict.left


def judged_edits(
    document: Document, options: Options, shown: str, decision: Decision
) -> tuple[list[Edit], Verdict]:
    """The edits of a file at its level, and what becomes of it with them."""
    from migrate.engine.fstrings import requote
    from migrate.engine.imports import plan_imports

    suppressions = Suppressions.parse(document.text)
    if suppressions.skip_file:
        return [], Verdict()
    verdict, context, chosen, call = _decided(document, options, shown, decision, suppressions)
    applied = [r for r, _ in chosen if applies(r, options)]
    applied = [r for r in applied if all(other in applied for other in r.requires)]
    edits = [edit for r in applied for edit in r.edits]
    switch = any(r.switch for r in applied)
    edits.extend(plan_imports(context, applied, switch=switch, call=call).edits)
    edits = requote(document.tree, document.text, document.index, compose(edits))
    return edits, verdict


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
) -> tuple[Verdict, FileContext, list[tuple[Result, Finding]], bool]:
    """The verdict at a level with what it rests on, and whether v2 behaviour is switched off."""
    context, results = planned(document, options, shown, decision)
    document.plans.clear()  # nobody asks again: what is left here would only take room
    verdict = Verdict()
    chosen = fill(verdict, document, results, options, suppressions, shown)
    seen = survey_of(document, context.names)
    call = switches_off(decision, seen.uses, seen.switched, seen.eager)
    call = call and options.enabled_for(shown, SWITCH)
    if call:
        verdict.fixed.append(switch_finding(document, context, shown))
    return verdict, context, chosen, call


def planned(
    document: Document, options: Options, shown: str, decision: Decision
) -> tuple[FileContext, list[Result]]:
    """What the rules say of a document's places at a level, and the file as they saw it.

    It is kept: a file that is changed has been judged in the same setting, nearly always.
    """
    legacy = options.keras == "legacy"
    setting = (decision.level, decision.eager, decision.tf1, decision.starred)
    key = (shown, *setting, options.unsafe, legacy)
    found: tuple[FileContext, list[Result]] | None = document.plans.get(key)
    if found is None:
        names = names_of(document)
        context = FileContext(
            shown,
            document.text,
            document.index,
            document.tree,
            names,
            decision.level,
            decision.eager,
            decision.tf1,
            options.unsafe,
            decision.starred,
            legacy,
        )
        found = context, plan(context, survey_of(document, names))
        document.plans[key] = found
    return found


def fill(
    verdict: Verdict,
    document: Document,
    results: list[Result],
    options: Options,
    suppressions: Suppressions,
    path: str,
) -> list[tuple[Result, Finding]]:
    """Say in a verdict what becomes of a file; the results that the user wants to see."""
    verdict.blocks = [finding_of(document, path, r) for r in results if r.blocks]
    chosen = selected(results, options, suppressions, path, document)
    for result, finding in chosen:
        if applies(result, options):
            verdict.fixed.append(finding)
        elif result.applicability is not Applicability.INFO:
            verdict.left.append(finding)
    verdict.fixed.extend(python2_findings(document, path, options))
    verdict.fixed.extend(star_findings(document, path, options))
    verdict.left.extend(note_findings(document, path, options))
    # What a comment for TFM420, TFM520 or TFM115 hides isn't known here (`analysis`, `document`).
    verdict.left.extend(
        suppressions.unused(
            path,
            lambda code: (
                options.enabled(code) and not any(r.startswith(code) for r in (*FIXES, RULE))
            ),
            document.locate,
        )
    )
    return chosen


def applies(result: Result, options: Options) -> bool:
    if result.fix is None:
        return False
    return result.applicability is Applicability.SAFE or (
        result.applicability is Applicability.UNSAFE and options.unsafe
    )


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
