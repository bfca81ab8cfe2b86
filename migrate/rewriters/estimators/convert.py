"""The way of Estimators to Keras: the edits of a program's files, of all or of none."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.joined import Part, join, moved, part_of
from migrate.engine.names import Names
from migrate.engine.trees import all_of, move
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.modules import Files, Module
from migrate.programs.graph.optimizing.training_helpers import Inlinable
from migrate.programs.graph.wording.respelled import Respelled
from migrate.programs.graph.wording.spelled import Spelled
from migrate.rewriters.estimators import families as _families  # noqa: F401  (they register)
from migrate.rewriters.estimators import remedies
from migrate.rewriters.estimators.estimator import public
from migrate.rewriters.estimators.lifting import Lifted
from migrate.rewriters.estimators.optimizing.training import Facts
from migrate.rewriters.estimators.program import ESTIMATORS, Program
from migrate.rewriters.estimators.runs import strategies
from migrate.rewriters.sessions import spelled as respelled
from migrate.rewriters.sessions import spelling
from migrate.rewriters.sessions.convert import (
    Converted,
    changed_by,
    once_more,
    written_in_place,
)


def uses(file: tuple[Document, Names]) -> bool:
    """Whether a file makes an Estimator, or a class of them."""
    bases = {id(b) for n in all_of(file[0].tree, ast.ClassDef) for b in n.bases}
    return any(
        ESTIMATORS.match(public(ref.name)) and (ref.call is not None or id(ref.node) in bases)
        for ref in file[1].references
    )


def convert_files(
    files: Sequence[tuple[Document, Names]],
    tf: str,
    entries: Sequence[str] = (),
    known: Iterable[str] = (),
) -> list[Converted]:
    """Take the Estimators of a program's files out, of all or of none.

    The arguments are those of `sessions.convert_files`.

    Raises:
        Blocked: something can't be followed; with the place and the reason.
    """
    return _convert(files, tf, entries, known, [])


def _convert(
    files: Sequence[tuple[Document, Names]],
    tf: str,
    entries: Sequence[str],
    known: Iterable[str],
    off: list[str],
) -> list[Converted]:
    try:
        return _converted(files, tf, entries, known, off)
    except (Inlinable, Lifted, Respelled, Spelled) as error:
        changed = changed_by(files, error)
    return once_more(files, changed, lambda again: _convert(again, tf, entries, known, off))


def _shares(program: Program) -> bool:
    """Whether some models ask for weights by name, others not: they may share functions."""
    found = [m for key, m in program.kept.items() if isinstance(key, tuple) and key[0] == "model"]
    return len({getattr(model, "by_name", None) is None for model in found}) > 1


def _by_file(parts: Sequence[Part], error: Lifted) -> None:
    """The edits of each file by its own offsets."""
    every, error.edits = error.edits, []
    own = part_of(parts, error.node)
    for number, part in enumerate(parts):
        end = parts[number + 1].start if number + 1 < len(parts) else None
        there = [e for e in every if part.start <= e.start and (end is None or e.start < end)]
        there = [Edit(e.start - part.start, e.end - part.start, e.new) for e in there]
        if part is own:
            error.edits = there
        elif there:
            error.more[part.document.path] = there


def _converted(
    files: Sequence[tuple[Document, Names]],
    tf: str,
    entries: Sequence[str],
    known: Iterable[str],
    off: list[str],
) -> list[Converted]:
    """The edits of all files; ``off``: why models aren't made for TPUs, once it is known."""
    whole, parts = join(files)
    names = Names(parts[0].names.module, [r for p in parts for r in p.names.references])
    modules = [Module(p.document.path, p.document.tree, p.line) for p in parts]
    paths = [p.document.path for p in parts]
    kept: Blocked | None = None  # what keeps models whose weights are attributes
    try:
        while True:
            walker = Facts(whole.tree, names, Files(modules, entries or paths, [*paths, *known]))
            program = Program(
                whole, parts, walker, tf, without_tpus=bool(off), by_name=kept is not None
            )
            try:
                return program.converted()
            except (Inlinable, Lifted, Respelled, Spelled):
                raise
            except Blocked as error:
                if kept is not None:
                    raise (kept if "model_fn" in program.kept else error) from error
                if not off and strategies.of_tpus(program):
                    # A model that can't be made for TPUs may be one where there are none.
                    off.append(error.reason)
                elif "model_fn" in program.kept or _shares(program):
                    kept = error  # its functions may ask for weights by name
                else:
                    raise
    except Blocked as error:
        if isinstance(error, Inlinable):
            written_in_place(parts, error)
        if isinstance(error, Lifted):
            _by_file(parts, error)
        if isinstance(error, Respelled):
            error.edits = spelling.edits(parts, error, walker)
        if isinstance(error, Spelled):
            error.edits = respelled.edits(part_of(parts, error.node), error)
        error.reason = remedies.told(error.reason)
        if len(parts) > 1:
            part = part_of(parts, error.node)
            error.path, error.node = part.document.path, moved(error.node, part)
        raise
    finally:
        for part in parts[1:]:
            move(part.document.tree, -part.line)
