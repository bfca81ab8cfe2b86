"""Functions whose arguments are given by name alone, ``def copy_ops(*, source, target)``.

All calls give them so: the function says the same without the star. Only programs that aren't
followed as they are are read so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.trees import all_of
from migrate.rewriters.sessions.apart import rewritten


def plain(files: Sequence[tuple[Document, Names]]) -> list[tuple[int, Document]]:
    """The files that have such functions, without the stars."""
    found = []
    for place, (document, _) in enumerate(files):
        edits = list(_edits(document))
        new = rewritten(document, edits) if edits else None
        if new is not None:
            found.append((place, new))
    return found


def _edits(document: Document) -> Iterator[Edit]:
    for node in all_of(document.tree, ast.FunctionDef):
        if not node.args.kwonlyargs:
            continue
        args = node.args
        # Without the star, one that has to be given can't stand behind one that needn't.
        needn_t = [bool(args.defaults)] * bool(args.defaults)
        needn_t += [default is not None for default in args.kw_defaults]
        if args.vararg is not None or needn_t != sorted(needn_t):
            continue
        first = document.index.span(args.kwonlyargs[0])[0]
        head = document.text[document.index.span(node)[0] : first]
        star = head.rfind("*")
        if star < 0 or head[star + 1 :].strip() != ",":
            continue  # a comment stands between
        yield Edit(first - len(head) + star, first, "")
