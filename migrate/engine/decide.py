"""From what each file says to one level per program."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from migrate.engine import bare_sessions, meta_graphs
from migrate.engine.findings import Finding, Level
from migrate.engine.judged import SESSION, Analysis, Decision
from migrate.engine.loosened import Loosened, loosen
from migrate.engine.options import Options
from migrate.engine.tf2_programs import of_tf2
from migrate.engine.together import Together, find
from migrate.programs.files import Imported, Tree, build, words_of
from migrate.programs.search_path import MENTION


@dataclass(slots=True, eq=False, repr=False)
class Program:
    """An entry and all files of the run that it imports."""

    entry: str
    files: tuple[str, ...]
    level: Level = Level.NATIVE
    eager: bool = False
    tf1: bool = False
    functions: bool = False  # its sessions become functions
    reasons: list[Finding] = field(default_factory=list)  # why it isn't native


def programs(analyses: Mapping[str, Analysis], options: Options) -> tuple[set[str], list[Program]]:
    """The files of programs that use TensorFlow; the programs, with level and reasons."""
    tree = _linked(analyses)
    while True:
        project, found = _judged(tree, analyses, options)
        joined = _switched_by(tree, found)
        if not joined:
            return project, found
        for path in joined:
            tree.links[path] |= tree.unread.pop(path)


def _switched_by(tree: Tree, found: Sequence[Program]) -> list[str]:
    """The files that run TF 2 and import one, for nothing, that switches its behaviour off."""
    old = {p for program in found if program.level is Level.COMPAT for p in program.files}
    new = {p for program in found if program.level is not Level.COMPAT for p in program.files}
    return [
        path
        for path, targets in tree.unread.items()
        if path in new and any(tree.reach(t) & old for t in targets)
    ]


def _judged(
    tree: Tree, analyses: Mapping[str, Analysis], options: Options
) -> tuple[set[str], list[Program]]:
    entries = [*tree.entries(), *tree.cycles({path for path, a in analyses.items() if a.entry})]
    found = []
    project: set[str] = set()
    reached = {entry: tree.reach(entry) for entry in entries}
    new = of_tf2(reached, analyses)
    for entry in entries:
        files = sorted(
            p for p in reached[entry] if analyses[p].uses or analyses[p].together or p == entry
        )
        if any(analyses[p].uses for p in files):
            project.update(reached[entry])
        program = _judge(entry, [analyses[p] for p in files], files, options, new=entry in new)
        found.append(program)
    _with_meta_graphs(found, analyses)
    _apart(found, analyses)
    return project, found


def _with_meta_graphs(found: Sequence[Program], analyses: Mapping[str, Analysis]) -> None:
    """What writes a ``.meta`` file that a program with a session reads keeps its own session."""
    reached = {program.entry: program.files for program in found}
    by_entry = {program.entry: program for program in found}
    for program in found:
        if program.level is not Level.COMPAT and program.functions:
            continue
        for reader in program.files:
            a = analyses[reader]
            others = a.metas or a.computed
            for path, entry in (
                meta_graphs.writers(reader, program.entry, reached, analyses) if others else ()
            ):
                writer = by_entry[entry]
                if writer.functions and writer.level is Level.NATIVE:
                    line = analyses[path].saves[0][1]
                    _keeps_graph(writer, analyses[path], line, reader)


def _keeps_graph(program: Program, writes: Analysis, line: int, reader: str) -> None:
    from migrate.engine.functions import KEEPS

    what = f"{os.path.basename(reader)} reads its `.meta` file, which TF 2's"
    why = f"{KEEPS[SESSION]}: {what} checkpoints lack"
    kept = Finding(writes.path, line, 1, SESSION, why)
    writes.stopped = kept
    program.reasons.append(kept)
    keep(program)


def _apart(found: Sequence[Program], analyses: Mapping[str, Analysis]) -> None:
    """No file is in a program with functions and in one that keeps its session."""
    while True:
        kept = {
            p: program for program in found for p in program.files if _keeps(program, analyses[p])
        }
        for program in found:
            shared = next((p for p in program.files if p in kept), None)
            if program.functions and program.level is Level.NATIVE and shared is not None:
                program.reasons.extend(kept[shared].reasons[:1])
                keep(program)
                break
        else:
            return


def _keeps(program: Program, a: Analysis) -> bool:
    """Whether a file's graph stays a graph in a program."""
    if program.level is Level.COMPAT:
        return a.uses or a.converted
    return not program.functions and not program.tf1 and a.graph is not None


def _judge(
    entry: str,
    files: Sequence[Analysis],
    paths: Sequence[str],
    options: Options,
    *,
    new: bool,
) -> Program:
    program = Program(entry, tuple(paths))
    said = any(a.switches_eager for a in files)
    # Keras 3 trains without a graph; where another file has one, the program keeps it.
    trains = any(a.keras for a in files) and all(a.keras or a.graph is None for a in files)
    program.eager = said or trains
    program.tf1 = any(a.tf1 is not None and not a.late for a in files) or (
        # What TF 2 had up to Keras 3 beside names that only TF 2 has: code for TF 2.
        any(a.late for a in files) and not any(a.tf2 for a in files)
    )
    program.tf1 = not new and (program.tf1 or bare_sessions.of_tf1(files))
    if not program.tf1 and not any(a.converted for a in files):
        # Nothing here exists in TF 1 only: TF 2 code is left alone, with its graph if it has one.
        program.reasons.extend(a.stopped for a in files if a.stopped is not None and not new)
        return program
    if options.level == "compat":
        program.level = Level.COMPAT
        return program
    lost = next((a.lost for p, a in zip(paths, files, strict=True) if p == entry), None)
    if lost is not None:
        program.reasons.append(lost)
        keep(program)
        program.eager = said
        return program
    graph = not program.eager and any(a.graph is not None for a in files)
    program.functions = graph and any(a.converted for a in files)
    for path, a in zip(paths, files, strict=True):
        if a.together and graph:
            if a.stopped is not None:
                program.reasons.append(a.stopped)
            continue
        if a.graph is not None and not program.eager:
            # What another file imports of it may be what its functions would take in.
            if a.converted and path == entry:
                continue
            program.reasons.append(a.stopped or a.graph)
            if a.stopped is not None:
                continue  # what else its session holds goes with it
        if a.stopped is not None and a.estimators and program.eager and a.native.blocks:
            program.reasons.append(a.stopped)
        # Another file makes it eager.
        lent = (program.eager and not a.eager) or program.functions
        program.reasons.extend(a.eager_blocks if lent else a.native.blocks)
    if not program.reasons and graph:
        # Another program, with which it shares a file.
        program.reasons.extend([a.kept for a in files if a.kept is not None][:1])
    if program.reasons:
        keep(program)
        program.eager = said
    return program


def keep(program: Program) -> None:
    """A program keeps its graph; what runs on compat.v1 already stays as it is."""
    program.functions = False
    if program.tf1:
        program.level = Level.COMPAT


def decide(
    analyses: Mapping[str, Analysis],
    options: Options,
    together: Iterable[Together] = (),
) -> tuple[dict[str, Decision], list[Program]]:
    """A decision for every file; one that several programs share takes the lowest level."""
    project, found = programs(analyses, options)
    by_file: dict[str, list[Program]] = {}
    for program in found:
        for path in program.files:
            by_file.setdefault(path, []).append(program)
    calls = _calls(analyses, found)
    group = {path: each for each in together for path in each.files}
    decisions: dict[str, Decision] = {}
    for path in analyses:
        mine = by_file.get(path, [])
        level = Level.COMPAT if any(p.level is Level.COMPAT for p in mine) else Level.NATIVE
        functions = level is Level.NATIVE and any(p.functions for p in mine)
        decisions[path] = Decision(
            level,
            any(p.eager for p in mine) or (functions and not analyses[path].converted),
            any(p.tf1 for p in mine),
            path in calls,
            path in project,
            functions and analyses[path].converted,
            group.get(path) if functions and analyses[path].together else None,
            level is Level.COMPAT and _starred(path, mine, analyses),
        )
    return decisions, found


def _starred(path: str, programs_of: Iterable[Program], analyses: Mapping[str, Analysis]) -> bool:
    """Whether another file of its programs has ``from … import *`` of a file."""
    folder, name = os.path.split(path)
    own = os.path.basename(folder) if name == "__init__.py" else os.path.splitext(name)[0]
    return any(
        "*" in imported.names and imported.module.rpartition(".")[2] == own
        for program in programs_of
        for other in program.files
        if other != path
        for imported in analyses[other].imports
    )


def groups(analyses: Mapping[str, Analysis], options: Options) -> list[Together]:
    """The files that have to change together."""
    if not any(a.graph is not None for a in analyses.values()):
        return []
    found = find(analyses, _linked(analyses), options.to)
    return [replace(group, keras=options.keras) for group in found]


def parted(group: Together, analyses: Mapping[str, Analysis], options: Options) -> Loosened | None:
    """What a group is where its programs needn't see all that they import of each other's."""
    kept = next(a.kept for a in (analyses[p] for p in group.files) if a.kept is not None)
    failed = next((p for p in group.files if analyses[p].path == kept.path), "")
    quiet = (path for path, a in analyses.items() if not a.runs and not a.entry)
    return loosen(group, analyses, _linked(analyses), quiet, options.to, failed)


def lent(analyses: Mapping[str, Analysis]) -> list[str]:
    """The files that an eager program imports and that don't look eager by themselves."""
    eager = [path for path, a in analyses.items() if a.eager or a.converted]
    if not eager:
        return []
    tree = _linked(analyses)
    reached = {
        path
        for entry in analyses
        if not eager_free(reach := tree.reach(entry), analyses)
        for path in reach
    }
    return sorted(
        p
        for p in reached
        if analyses[p].uses and not analyses[p].eager and not analyses[p].converted
    )


def _linked(analyses: Mapping[str, Analysis]) -> Tree:
    """The files by their imports, without those of modules that no file or folder is called."""
    names = words_of(analyses).own
    tree = _built(
        tuple(
            (
                path,
                tuple(
                    i
                    for i in a.imports
                    if i.level or i.module == MENTION or i.module.partition(".")[0] in names
                ),
            )
            for path, a in analyses.items()
        ),
        frozenset(path for path, a in analyses.items() if not a.runs and not a.entry),
    )
    links = {path: tree.links[path] - a.apart for path, a in analyses.items()}
    return _without_lost(Tree(links, dict(tree.unread)), analyses)


def _without_lost(tree: Tree, analyses: Mapping[str, Analysis]) -> Tree:
    """The files by their imports, where an entry that can't run keeps no file of other programs."""
    lost = [e for e in tree.entries() if analyses[e].lost is not None]
    if not lost:
        return tree
    others = {e for e in tree.entries() if e not in lost}
    others |= {p for e in lost for p in tree.reach(e) if p != e and analyses[p].entry}
    shared = {p for e in others for p in tree.reach(e)}
    own = {p for e in lost for p in tree.reach(e)} - shared
    links = {p: to - shared if p in own else to for p, to in tree.links.items()}
    return Tree(links, tree.unread)


@lru_cache(maxsize=1)  # asked for at each group of programs that is parted
def _built(files: tuple[tuple[str, tuple[Imported, ...]], ...], quiet: frozenset[str]) -> Tree:
    return build(dict(files), quiet)


def eager_free(files: Iterable[str], analyses: Mapping[str, Analysis]) -> bool:
    """Whether none of the files switches eager execution on, or comes to run so."""
    return not any(analyses[path].eager or analyses[path].converted for path in files)


def _calls(analyses: Mapping[str, Analysis], found: Sequence[Program]) -> set[str]:
    """The files that switch v2 behaviour off: before anything of their program runs TensorFlow."""
    calls: set[str] = set()
    for program in found:
        if program.level is not Level.COMPAT:
            continue
        entry = analyses[program.entry]
        for path in program.files:
            a = analyses[path]
            if a.uses and (
                a.switches_eager or path == program.entry or not entry.uses or a.entry or a.runs
            ):
                calls.add(path)
    return calls


def speculated(analysis: Analysis, decision: Decision) -> bool:
    """Whether the verdict that the analysis holds is the one for this decision.

    What it holds for the compat level is for a program of TF 1: no other gets there.
    """
    if decision.functions:
        return True
    if decision.eager != analysis.eager or decision.starred:
        return False
    return decision.level is Level.COMPAT or decision.tf1 == (analysis.tf1 is not None)


def ranked(reasons: Iterable[Finding]) -> list[tuple[str, int]]:
    """Reasons by endpoint or rule, the most frequent first."""
    counts: dict[str, int] = {}
    for reason in reasons:
        key = reason.endpoint or reason.message
        counts[key] = counts.get(key, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
