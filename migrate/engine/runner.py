"""A run over files: read, judge in a pool, decide per program, rewrite. Nothing is written here."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from migrate.engine.analysis import analyse
from migrate.engine.decide import decide, groups, lent, parted, speculated
from migrate.engine.document import forget
from migrate.engine.findings import FileResult, Finding, Level
from migrate.engine.judged import FAILED, SWITCH, UNREADABLE, Analysis, Decision, Verdict
from migrate.engine.level import switches_off, verdict_of
from migrate.engine.options import Options
from migrate.engine.rewrite import failed, holds, made, rewrite
from migrate.engine.together import Together, judge
from migrate.programs.files import Words, words_of

if TYPE_CHECKING:
    from migrate.engine.cache import Cache

Progress = Callable[[int, int], None]
POOL_FROM = 50  # below it starting processes costs more than it saves
CHUNK = 16
REFUSED = "TFM903"
NO_WORDS = Words()
DEEP = 5  # so often a group's parts are parted again


def check(
    paths: Sequence[str], options: Options, progress: Progress | None = None
) -> Iterator[FileResult]:
    """What `upgrade` would change or leave in each file; ``fixed`` is what it would change."""
    found, refused, together = survey(paths, options, progress)
    yield from refused
    decisions, _ = decide(found, options, together)
    for path, seen in found.items():
        result = _checked(path, seen, decisions[path], options)
        yield _stopped(result, seen, decisions[path], options)


def upgrade(
    paths: Sequence[str], options: Options, progress: Progress | None = None
) -> Iterator[FileResult]:
    """The new bytes of each file. Pure: writing is the caller's."""
    found, refused, together = survey(paths, options, None, make=True)
    yield from refused
    decisions, _ = decide(found, options, [_pinned(group, found) for group in together])
    ready = {p: r for p, seen in found.items() if (r := _made(seen, decisions[p])) is not None}
    work = [p for p, seen in found.items() if p not in ready and _has_work(seen, decisions[p])]
    waiting = set(work)
    rewritten = _pool(_rewrite, [(p, options, decisions[p]) for p in work], options, len(work))
    for done, (path, seen) in enumerate(found.items(), 1):
        if path in ready:
            result = ready.pop(path)
        elif path in waiting:
            result = next(rewritten)
        else:
            result = _checked(path, seen, decisions[path], options)
        if progress is not None:
            progress(done, len(found))
        yield _stopped(result, seen, decisions[path], options)
    forget()


def explain_level(
    paths: Sequence[str], options: Options
) -> Iterator[tuple[tuple[str, ...], Level, list[Finding]]]:
    """Every program of the run: its files, the entry first, its level and what keeps it there."""
    found, _, together = survey(paths, options, None, every=True)
    for program in decide(found, options, together)[1]:
        if any(found[p].uses for p in program.files):
            ordered = sorted(program.files, key=lambda path: path != program.entry)
            files = tuple(found[p].path for p in ordered)
            yield files, Level.COMPAT if program.reasons else program.level, program.reasons


# -- the first pass ----------------------------------------------------------------------


def survey(
    paths: Sequence[str],
    options: Options,
    progress: Progress | None,
    *,
    every: bool = False,
    make: bool = False,
) -> tuple[dict[str, Analysis], list[FileResult], list[Together]]:
    """Judge every file, and those that change together; what can't be read comes as results.

    ``make``: with the new bytes of those whose sessions become functions, made on the way.
    """
    from migrate.engine.files import discover

    forget()
    _show.cache_clear()  # the working directory may be another one
    refused: list[FileResult] = []
    files = list(
        discover(
            paths,
            root=options.root,
            include=options.include,
            exclude=options.exclude,
            refused=lambda path, why: refused.append(failed(show(path, options), REFUSED, why)),
        )
    )
    found: dict[str, Analysis] = {}
    total = len(files)
    how = "every" if every else "make" if make else ""
    own = words_of(files, _contents(files) if options.level != "compat" else ())
    for done, (path, seen) in enumerate(
        _pool(_analyse, [(p, options, how) for p in files], options, total, own), 1
    ):
        found[path] = seen
        if progress is not None:
            progress(done, total)
    together = groups(found, options) if options.level != "compat" else []
    size = sum(len(group.files) for group in together)
    for group, judged in zip(
        together,
        _pool(_together, [(g, options, make) for g in together], options, size),
        strict=True,
    ):
        _join(found, group, judged)
    waiting = [(path, options, how) for path, seen in found.items() if seen.waits]
    found.update(_pool(_analyse, waiting, options, len(waiting), Words(own.own)))
    together = [part for group in together for part in _parted(group, found, options, make=make)]
    if not every:
        for path in lent(found):
            found[path] = _analyse((path, options, "lend"))[1]
    return found, refused, together


def show(path: str, options: Options) -> str:
    """A path as findings give it: relative to the root, with `/`."""
    return _show(path, options.root)


@lru_cache(maxsize=4096)  # each path is asked for at each pass
def _show(path: str, root: str) -> str:
    try:
        shown = os.path.relpath(path, root)
    except ValueError:  # another drive
        shown = path
    return path if shown.startswith("..") else shown.replace(os.sep, "/")


def _analyse(task: tuple[str, Options, str]) -> tuple[str, Analysis]:
    path, options, how = task
    shown = show(path, options)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        return path, Analysis(shown, error=f"can't be read: {error.strerror or error}")
    alone, later = _words.told(path, data)
    if not options.cache:
        return path, _judge(path, data, options, shown, how, alone, later)
    cache = _cache(options)
    # What per-file settings say of it depends on the path, and on nothing else of it.
    said = "" if how == "make" else how
    key = cache.key(data, shown if options.per_file_ignores else "", said, f"{alone} {later}")
    known = cache.get(key)
    if known is not None:
        from migrate.engine.store import unpack

        try:
            return path, unpack(known, shown)
        except (TypeError, ValueError, KeyError):
            pass  # written by something else
    seen = _judge(path, data, options, shown, how, alone, later)
    if not seen.bug:
        from migrate.engine.store import pack

        cache.put(key, pack(seen))
    return path, seen


def _together(task: tuple[Together, Options, bool]) -> list[Analysis]:
    """What becomes of the files of a group."""
    group, options, make = task
    shown = {path: show(path, options) for path in group.files}
    try:
        if not options.cache or group.texts is not None:
            return _all_made(group, judge(group, options, shown, make=make), options)
        cache = _cache(options)
        sizes = [str(len(data)) for data in group.data()]
        places = [shown[p] for p in group.files]
        more = (*places, *sizes, *(show(p, options) for p in (*group.entries, *group.known)))
        more += tuple(",".join((show(p, options), *names)) for p, names in group.fixed)
        others = group.others()
        more += tuple(f"{show(p, options)} {len(data)}" for p, data in others)
        whole = (*group.data(), *(data for _, data in others))
        key = cache.key(b"".join(whole), "together", *more)
        known = cache.get(key)
        if known is not None:
            from migrate.engine.store import unpack

            with suppress(TypeError, ValueError, KeyError, IndexError):  # another's
                whose, packed = known
                seen = [unpack(one, at) for one, at in zip(packed, places, strict=True)]
                for one in seen:
                    one.kept = replace(one.kept, path=places[whose]) if one.kept else None
                return seen
        from migrate.engine.store import pack

        seen = judge(group, options, shown, make=make)
        kept = seen[0].kept
        whose = places.index(kept.path) if kept is not None else 0
        cache.put(key, [whose, [pack(one) for one in seen]])
        return _all_made(group, seen, options)
    except Exception as error:  # its files say more, or keep their graphs
        return [Analysis(shown[p], together=True, error=_bug(error)) for p in group.files]


def _all_made(group: Together, judged: list[Analysis], options: Options) -> list[Analysis]:
    """The files of a group with their new bytes, where they are known (``make``)."""
    if any(one.kept is not None for one in judged):
        for one in judged:
            one.between = None
        return judged
    for path, data, one in zip(group.files, group.data(), judged, strict=True):
        _make(path, data, one, options)
    return judged


def _make(path: str, data: bytes, seen: Analysis, options: Options) -> None:
    """Keep a file's new bytes in place of what they come of."""
    if seen.between is not None:
        seen.made = made(path, data, seen, options)
        seen.between = None


def _made(seen: Analysis, decision: Decision) -> FileResult | None:
    """What a file becomes, where that was made when it was judged."""
    if seen.error or seen.skip or not holds(decision):
        return None
    return seen.made


def _pinned(group: Together, found: Mapping[str, Analysis]) -> Together:
    """A group with its files as they are now: they are written one by one, each after all."""
    if not any(found[path].converted for path in group.files):
        return group
    try:
        return replace(group, texts=group.data(), aside=group.others())
    except OSError:
        return group  # its files say so


def _parted(
    group: Together,
    found: Mapping[str, Analysis],
    options: Options,
    depth: int = DEEP,
    *,
    make: bool = False,
) -> list[Together]:
    """A group that failed, as its programs that share nothing of TensorFlow, if that helps."""
    if not depth or all(found[path].kept is None for path in group.files):
        return [group]
    loose = parted(group, found, options)
    if loose is None:
        return [group]
    parts = loose.parts
    if group.texts is not None:
        data = dict(zip(group.files, group.texts, strict=True))
        told = group.aside
        parts = [
            replace(part, texts=tuple(data[p] for p in part.files), aside=told) for part in parts
        ]
    judged = [(part, _together((part, options, make))) for part in parts]
    before = {path: _state(found[path]) for path in group.files}
    for entry, files in loose.apart.items():
        found[entry].apart |= files
    for path in group.files:
        one = found[path]
        one.together, one.converted, one.stopped, one.kept = False, False, None, None
        one.functions, one.made = Verdict(), None
    for part, seen in judged:
        _join(found, part, seen)
    every = [
        one for part, _ in judged for one in _parted(part, found, options, depth - 1, make=make)
    ]
    lost = any(found[entry].converted for entry in loose.kept)
    if lost or not any(found[path].converted for path in group.files):
        for path, state in before.items():
            one = found[path]
            one.apart, one.together, one.converted, one.stopped, one.kept = state[:5]
            one.functions, one.made = state[5:]
        return [group]
    return every


def _state(
    one: Analysis,
) -> tuple[frozenset[str], bool, bool, Finding | None, Finding | None, Verdict, FileResult | None]:
    """What is found out of a file by judging it with others."""
    kept = one.stopped, one.kept, one.functions, one.made
    return one.apart, one.together, one.converted, *kept


def _join(found: Mapping[str, Analysis], group: Together, judged: Sequence[Analysis]) -> None:
    """Files as they are when they are judged together."""
    for path, seen in zip(group.files, judged, strict=True):
        if not seen.together:
            continue
        one = found[path]
        one.together, one.waits, one.converted = True, False, seen.converted
        one.functions, one.stopped, one.kept = seen.functions, seen.stopped, seen.kept
        one.made = seen.made


def _contents(paths: Iterable[str]) -> Iterator[bytes]:
    """The bytes of the files that can be read."""
    for path in paths:
        with suppress(OSError), open(path, "rb") as file:
            yield file.read()


_caches: dict[tuple[str, str], Cache] = {}


def _cache(options: Options) -> Cache:
    """The cache of this process for a run's options."""
    key = (options.root, options.digest())
    if key not in _caches:
        from migrate.engine.cache import open_cache

        _caches[key] = open_cache(*key)
    return _caches[key]


def _judge(
    path: str,
    data: bytes,
    options: Options,
    shown: str,
    how: str = "",
    alone: bool = True,
    later: bool = False,
) -> Analysis:
    try:
        every, make = how == "every", how == "make"
        lend = every or how == "lend"
        where = {"alone": alone, "later": later}
        seen = analyse(path, data, options, shown, every=every, lend=lend, make=make, **where)
        _make(path, data, seen, options)
        return seen
    except Exception as error:  # one odd file never ends a run
        return Analysis(shown, error=_bug(error), bug=True)


def _rewrite(task: tuple[str, Options, Decision]) -> FileResult:
    path, options, decision = task
    shown = show(path, options)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        return failed(shown, REFUSED, f"can't be read: {error.strerror or error}")
    return _edit(path, data, options, shown, decision)


def _edit(path: str, data: bytes, options: Options, shown: str, decision: Decision) -> FileResult:
    try:
        return rewrite(path, data, options, shown, decision)
    except Exception as error:
        return failed(shown, FAILED, _bug(error))


def _bug(error: Exception) -> str:
    """An error of the tool's own: what a report of it needs."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(last.filename)}:{last.lineno}"
    return f"internal error, please report: {type(error).__name__}: {error} ({where})"


def _checked(path: str, seen: Analysis, decision: Decision, options: Options) -> FileResult:
    if seen.error:
        rule = FAILED if seen.bug else UNREADABLE
        return failed(seen.path, rule, seen.error)
    level = decision.level if seen.uses else None
    if seen.skip:
        return FileResult(seen.path, "skipped", reason="`# migrate: skip-file`")
    if not speculated(seen, decision) or (seen.aged and decision.project):
        return _again(path, seen, decision, options)
    if decision.functions:
        return FileResult(
            seen.path, level=level, fixed=list(seen.functions.fixed), left=seen.functions.left
        )
    verdict = seen.native if decision.level is Level.NATIVE else seen.compat
    fixed = list(verdict.fixed)
    if _switches(seen, decision) and options.enabled_for(seen.path, SWITCH):
        assert seen.switch is not None
        fixed.append(seen.switch)
    return FileResult(seen.path, level=level, fixed=fixed, left=verdict.left)


def _stopped(
    result: FileResult, seen: Analysis, decision: Decision, options: Options
) -> FileResult:
    """A result with what kept the program's session, where something did."""
    stopped = seen.stopped
    if (
        stopped is not None
        and not decision.functions
        and result.status in ("changed", "unchanged")
        and options.enabled_for(seen.path, stopped.rule)
        and stopped not in result.left
    ):
        result.left = [*result.left, stopped]
    return result


def _switches(seen: Analysis, decision: Decision) -> bool:
    return switches_off(decision, seen.uses, seen.switched, seen.eager)


def _again(path: str, seen: Analysis, decision: Decision, options: Options) -> FileResult:
    """The findings of a file whose program isn't what the file alone says."""
    from migrate.engine.document import shelved

    try:
        with open(path, "rb") as file:
            document = shelved(path, file.read())
        verdict = verdict_of(document, options, seen.path, decision)
    except Exception as error:
        return failed(seen.path, FAILED, _bug(error))
    return FileResult(seen.path, level=decision.level, fixed=verdict.fixed, left=verdict.left)


def _has_work(seen: Analysis, decision: Decision) -> bool:
    if seen.error or seen.skip:
        return False
    if not speculated(seen, decision) or (seen.aged and decision.project):
        return True
    if decision.functions:
        return True
    verdict = seen.native if decision.level is Level.NATIVE else seen.compat
    return bool(verdict.fixed) or _switches(seen, decision)


# -- processes ---------------------------------------------------------------------------


def _pool(
    function: Callable[[tuple], object],  # type: ignore[type-arg]
    tasks: list[tuple],  # type: ignore[type-arg]
    options: Options,
    total: int,
    words: Words = NO_WORDS,
) -> Iterator:  # type: ignore[type-arg]
    """Results in the order of the tasks; in other processes where that pays."""
    jobs = options.jobs or os.cpu_count() or 1
    threshold = gc.get_threshold()
    # The trees of a file are garbage together: collecting inside one only costs time.
    gc.set_threshold(300_000, 50, 50)
    global _words
    before, _words = _words, words
    try:
        if jobs == 1 or total < POOL_FROM:
            yield from map(function, tasks)
            return
        import multiprocessing

        context = multiprocessing.get_context("spawn" if os.name == "nt" else None)
        with context.Pool(min(jobs, total), _quiet, (_words,)) as pool:
            yield from pool.imap(function, tasks, chunksize=min(CHUNK, max(1, total // jobs)))
    finally:
        _words = before
        gc.set_threshold(*threshold)


_words = NO_WORDS  # of the run's files


def _quiet(words: Words) -> None:
    import signal

    global _words
    _words = words
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says what an interrupt means
    gc.set_threshold(300_000, 50, 50)


def texts(sources: Mapping[str, bytes], options: Options) -> Iterable[FileResult]:
    """Upgrade files that are given as bytes, as one run; paths need not exist."""
    forget()
    own = words_of(sources, sources.values() if options.level != "compat" else ())
    found = {
        p: _judge(p, data, options, p, "make", *own.told(p, data)) for p, data in sources.items()
    }
    together = groups(found, options) if options.level != "compat" else []
    together = [
        replace(
            g,
            texts=tuple(sources[p] for p in g.files),
            aside=tuple((p, sources[p]) for p in g.known if p not in g.files),
        )
        for g in together
    ]
    for group in together:
        _join(found, group, _together((group, options, True)))
    for path in [p for p, seen in found.items() if seen.waits]:
        found[path] = _judge(path, sources[path], options, path, "make")
    together = [part for group in together for part in _parted(group, found, options, make=True)]
    for path in lent(found):
        found[path] = _judge(path, sources[path], options, path, "lend")
    decisions, _ = decide(found, options, together)
    for path, data in sources.items():
        ready = _made(found[path], decisions[path])
        if ready is not None:
            result = ready
        elif _has_work(found[path], decisions[path]):
            result = _edit(path, data, options, path, decisions[path])
        else:
            result = _checked(path, found[path], decisions[path], options)
        yield _stopped(result, found[path], decisions[path], options)
