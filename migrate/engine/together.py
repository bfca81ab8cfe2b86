"""Programs whose files change together: a model in one file, what trains it in another.

Programs that share a file that uses TensorFlow are judged as one: its sessions become functions in
all of them or in none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from migrate.engine import meta_graphs
from migrate.engine.document import shelved
from migrate.engine.findings import Finding
from migrate.engine.source import SourceError
from migrate.engine.suppress import Suppressions
from migrate.engine.tf2_programs import of_tf2

if TYPE_CHECKING:
    from migrate.engine.functions import Between
    from migrate.engine.judged import Analysis
    from migrate.engine.options import Options
    from migrate.programs.files import Tree

UNREAD = "a file of the program can't be read"
LEFT_ALONE = "the file is left alone, as a comment or an option says"


@dataclass(frozen=True, slots=True)
class Together:
    """The files of programs, to be converted all or not at all."""

    entries: tuple[str, ...]
    files: tuple[str, ...]  # what is imported comes first
    known: tuple[str, ...] = ()  # what an import in them might mean
    texts: tuple[bytes, ...] | None = None  # of the files, where they aren't on disk
    aside: tuple[tuple[str, bytes], ...] | None = None  # so are others
    to: str = "estimator"  # what Estimators become
    keras: str = "3"  # or legacy: tf_keras
    # Files that read a graph from a checkpoint, each with one that saves it.
    read: tuple[tuple[str, str], ...] = ()
    # Files and what other programs, which may keep their sessions, take of them: it stays.
    fixed: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def data(self) -> tuple[bytes, ...]:
        """The files' bytes.

        Raises:
            OSError: one can't be read.
        """
        if self.texts is not None:
            return self.texts
        return tuple(map(_bytes, self.files))

    def others(self) -> tuple[tuple[str, bytes], ...]:
        """Files that the imports may mean and that aren't among these: a size may be theirs."""
        if self.aside is not None:
            return tuple((path, data) for path, data in self.aside if path in self.known)
        found = []
        for path in self.known:
            if path not in self.files:
                with suppress(OSError):
                    found.append((path, _bytes(path)))
        return tuple(found)

    def between(self, path: str, content: bytes) -> Between | None:
        """What becomes of one of the files; None where its session stays after all."""
        from migrate.engine.functions import Stopped

        try:
            data = self.data()
            if data[self.files.index(path)] != content:
                return None
            return _converted(self, data, self.others()).get(path)
        except (OSError, SourceError, Stopped):
            return None


def find(analyses: Mapping[str, Analysis], tree: Tree, to: str) -> list[Together]:
    """The programs of several files that build a graph, those with a common file as one."""
    leading = _leading(analyses, tree)
    reached: dict[str, list[str]] = {}
    entries = tree.entries()
    if to == "keras":  # which follows names, where a session is followed by its statements' order
        entries += tree.cycles({path for path, a in analyses.items() if a.entry})
    new = of_tf2({entry: tree.reach(entry) for entry in entries}, analyses)
    for entry in (e for e in entries if e not in new and analyses[e].lost is None):
        files = sorted(p for p in tree.reach(entry) if p in leading)
        seen = [analyses[p] for p in files]
        graph = any(a.graph is not None for a in seen) and any(a.of_tf1 for a in seen)
        eager = any(a.switches_eager for a in seen)
        if graph and (not eager or any(a.estimators for a in seen)):
            reached[entry] = files
    owner: dict[str, str] = {}  # of a file: the first entry of its group

    def head(entry: str) -> str:
        while owner[entry] != entry:
            entry = owner[entry]
        return entry

    for entry, files in reached.items():
        owner[entry] = entry
        for path in files:
            owner[head(owner.setdefault(path, entry))] = head(entry)
    read = meta_graphs.pairs(reached, analyses)
    for one, other in read:
        ends = [[e for e, files in reached.items() if path in files] for path in (one, other)]
        for entry in ends[1]:
            owner[head(entry)] = head(ends[0][0])
    programs: dict[str, list[str]] = {}
    for entry in reached:
        programs.setdefault(head(entry), []).append(entry)
    found = []
    for entries in programs.values():
        files = _ordered(entries, tree, leading)
        if len(files) == 1 and analyses[files[0]].alone:
            continue
        mine = tuple((one, other) for one, other in read if one in files)
        known = _known(files, analyses)
        found.append(Together(tuple(entries), tuple(files), known, to=to, read=mine))
    return found


def judge(
    group: Together, options: Options, shown: Mapping[str, str], *, make: bool = False
) -> list[Analysis]:
    """What becomes of each file of a group: only what concerns its sessions is filled in.

    ``make``: what they became is kept, with the edits of the other rules.
    """
    from migrate.engine.analysis import accept, keep
    from migrate.engine.functions import KEEPS, Stopped
    from migrate.engine.judged import SESSION, Analysis
    from migrate.engine.loosened import changed

    found = {path: Analysis(shown[path], together=True) for path in group.files}
    kept: Finding | None = None
    try:
        done = _converted(group, group.data(), group.others())
    except (OSError, SourceError, RecursionError):
        # The file itself says so.
        kept = Finding(shown[group.entries[0]], 1, 1, SESSION, f"{KEEPS[SESSION]}: {UNREAD}")
    except Stopped as error:
        if error.idle:
            return [Analysis(shown[path]) for path in group.files]
        path = error.path or group.entries[0]
        document = shelved(path, group.data()[group.files.index(path)])
        kept = keep(found[path], document, error, Suppressions.parse(document.text))
    else:
        for path, names in group.fixed:
            if path in done and changed(done[path].before.tree, done[path].document.tree, names):
                why = "another program takes a part of this file that would be changed"
                rule = done[path].rule
                kept = kept or Finding(shown[path], 1, 1, rule, f"{KEEPS[rule]}: {why}")
        for path, between in done.items():
            document, one = between.before, found[path]
            suppressions = Suppressions.parse(document.text)
            if suppressions.skip_file or not options.enabled_for(shown[path], between.rule):
                rule = between.rule
                kept = Finding(shown[path], 1, 1, rule, f"{KEEPS[rule]}: {LEFT_ALONE}")
            else:
                accept(one, document, between, options, suppressions, make=make)
                kept = kept or one.stopped
    for one in found.values():
        one.kept, one.converted = kept, kept is None and one.converted
    return list(found.values())


@lru_cache(maxsize=4)
def _converted(
    group: Together, data: tuple[bytes, ...], others: tuple[tuple[str, bytes], ...]
) -> dict[str, Between]:
    """What the files come to be."""
    from migrate.engine.functions import Stopped, all_to_functions
    from migrate.engine.judged import names_of
    from migrate.engine.spelling import as_tf1

    files = []
    for path, content in zip(group.files, data, strict=True):
        document = shelved(path, content)
        names = names_of(document)
        try:
            plain = as_tf1(document, names, alone=False)
        except Stopped as error:
            error.path = path
            raise
        files.append((plain, names if plain is document else names_of(plain)))
    known: dict[str, bytes | None] = {**dict.fromkeys(group.known), **dict(others)}
    return all_to_functions(files, group.entries, known, group.to, group.keras, group.read)


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _leading(analyses: Mapping[str, Analysis], tree: Tree) -> set[str]:
    """The files that use TensorFlow or are given a session, or import one that does.

    So is what has a base class of theirs, which may say what their objects keep.
    """
    users: dict[str, list[str]] = {}
    for path, targets in tree.links.items():
        for target in targets:
            users.setdefault(target, []).append(path)
    found: set[str] = set()
    stack = [path for path, a in analyses.items() if a.uses or a.given]
    while stack:
        path = stack.pop()
        if path not in found:
            found.add(path)
            stack.extend(users.get(path, ()))
    stack = list(found)
    while stack:
        path = stack.pop()
        for target in _bases(analyses[path], tree.links.get(path, ())):
            if target not in found and target in analyses:
                found.add(target)
                stack.append(target)
    return found


def _bases(one: Analysis, targets: Iterable[str]) -> list[str]:
    """The files from which a file has the bases of its classes."""
    said = {name for base in one.bases for name in base.split(".")[:-1] or [base]}
    words = {
        word
        for item in one.imports
        if said & {item.module.rpartition(".")[2], *item.names}
        for word in (item.module.rpartition(".")[2], *item.names)
    }
    return [t for t in targets if os.path.basename(t).removesuffix(".py") in words]


def _ordered(entries: Sequence[str], tree: Tree, among: set[str]) -> list[str]:
    """The files that entries import, each after those that it imports itself."""
    done: dict[str, None] = {}
    for entry in entries:
        stack = [(entry, False)]
        while stack:
            path, ready = stack.pop()
            if ready:
                done.setdefault(path)
            elif path not in done and (path, True) not in stack:
                stack.append((path, True))
                targets = sorted(tree.links.get(path, ()), reverse=True)
                stack.extend((t, False) for t in targets if t in among and t not in done)
    return [path for path in done if path in among]


def _known(files: Sequence[str], analyses: Mapping[str, Analysis]) -> tuple[str, ...]:
    """The files of the run that the imports of some may mean."""
    words = {
        part
        for path in files
        for item in analyses[path].imports
        for part in (*item.module.split("."), *item.names)
    }
    return tuple(
        path
        for path in analyses
        if words & set(os.path.normpath(path).removesuffix(".py").split(os.sep))
    )
