"""What saves a graph that another program reads from a checkpoint's ``.meta`` file.

Behind ``saver.save(sess, path)`` a SavedModel is saved in a folder beside the checkpoint, with the
signatures that the reader asks for (`graph_readers`). It is written as a method of the Saver, which
`migrate.programs.graph.saving.saved_graphs` follows.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.meta_graphs import COLLECTED
from migrate.engine.meta_graphs import written as saves
from migrate.engine.names import Names
from migrate.engine.source import SourceError
from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.saving.saved_graphs import SAVES
from migrate.rewriters.sessions import graph_readers, graph_reads
from migrate.rewriters.sessions.graph_reads import FOLDER
from migrate.rewriters.sessions.graph_signatures import Signature, Unread, sign

ARGUMENTS = ("sess", "save_path", "global_step")
PURE = frozenset(("str", "repr", "int"))


def with_saved_graphs(
    files: Sequence[tuple[Document, Names]], pairs: Sequence[tuple[str, str]], tf2: str
) -> dict[str, Document]:
    """The files of which one reads the graph that another one saves, with SavedModels.

    ``pairs``: the paths of the readers, each with that of a file that writes what it reads.
    """
    known = {document.path: (document, names) for document, names in files}
    wanted: dict[str, list[str]] = {}
    for path, writer in pairs:
        if path in known and writer in known and path != writer:
            wanted.setdefault(path, []).append(writer)
    done: dict[str, Document] = {}
    while wanted:
        readers, writers = _linked(wanted)
        asking = [graph_readers.reader(*known[path]) for path in readers]
        for path in readers:
            del wanted[path]
        if None in asking or writers & set(readers):
            continue
        found = [each for each in asking if each is not None]
        try:
            sign([run for each in found for run in each.runs])
            signatures = {s.key: s for each in found for s in each.signatures}.values()
            written = {w: _written(*known[w], tuple(signatures)) for w in sorted(writers)}
            (numbered,) = {number for _, number in written.values()}
            new = {
                each.document.path: edited(each.document, graph_reads.written(each, tf2, numbered))
                for each in found
            }
            new |= {w: edited(known[w][0], made) for w, (made, _) in written.items()}
        except (Unread, SourceError, ValueError):
            continue
        done |= new
    return done


def _linked(wanted: Mapping[str, Sequence[str]]) -> tuple[list[str], set[str]]:
    """A reader with all that read what the same files write, and these."""
    readers = [next(iter(wanted))]
    writers = set(wanted[readers[0]])
    while more := [p for p, own in wanted.items() if p not in readers and writers & set(own)]:
        readers += more
        writers |= {w for p in more for w in wanted[p]}
    return readers, writers


def _written(
    document: Document, names: Names, signatures: Sequence[Signature]
) -> tuple[list[Edit], bool]:
    """The edits of a file that saves checkpoints, and whether these are numbered.

    Raises:
        Unread: it saves them in a way that isn't followed.
    """
    lines = {line for _, line in saves(document.tree, names)}
    calls = [
        c
        for c in all_of(document.tree, ast.Call)
        if c.lineno in lines and isinstance(c.func, ast.Attribute) and c.func.attr == "save"
    ]
    parents, text = parents_of(document.tree), document.text
    edits, numbers = [], set()
    for call in calls:
        stmt = parents.get(id(call))
        if not isinstance(stmt, (ast.Expr, ast.Assign)) or len(call.args) > len(ARGUMENTS):
            raise Unread
        given: dict[str | None, ast.expr] = dict(zip(ARGUMENTS, call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords}
        if not {"sess", "save_path"} <= set(given):
            raise Unread
        path = given["save_path"]
        if any(not _pure(n) for n in all_of(path, ast.Call)) or _loops(document.tree, path):
            raise Unread
        number = given.get("global_step")
        numbers.add(number is not None and getattr(number, "value", 0) is not None)
        start, end = document.index.span(stmt)
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        last = len(text) if last < 0 else last
        behind = text[end:last].strip()
        if text[first:start].strip() or (behind and behind[0] != "#"):
            raise Unread
        spans = {k: slice(*document.index.span(v)) for k, v in given.items()}
        assert isinstance(call.func, ast.Attribute)
        owner = text[slice(*document.index.span(call.func.value))]
        shown = _shown(signatures)
        folder = _beside(path, text[spans["save_path"]])
        line = f"{owner}.{SAVES}({text[spans['sess']]}, {folder}, {shown})"
        edits.append(Edit(last, last, f"\n{text[first:start]}{line}"))
    if len(numbers) != 1:
        raise Unread
    return edits, numbers.pop()


def _pure(call: ast.Call) -> bool:
    """Whether a part of a path is the same if it is asked for again."""
    name = ast.unparse(call.func)
    return name in PURE or name.startswith("os.path.") or name.endswith((".format", ".join"))


def _loops(tree: ast.Module, path: ast.expr) -> bool:
    """Whether a path differs from round to round."""
    targets = {
        n.id for loop in all_of(tree, ast.For) for n in walk(loop.target) if isinstance(n, ast.Name)
    }
    return any(n.id in targets for n in all_of(path, ast.Name))


def _beside(path: ast.expr, source: str) -> str:
    """The folder of the graph of checkpoints with a path."""
    if isinstance(path, ast.Constant) and isinstance(path.value, str):
        return f'"{path.value}{FOLDER}"'
    if isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add):
        if isinstance(path.right, ast.Constant) and source[-1] in "\"'":
            return f"{source[:-1]}{FOLDER}{source[-1]}"
        return f'{source} + "{FOLDER}"'
    plain = isinstance(path, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return f'{source if plain else f"({source})"} + "{FOLDER}"'


def _shown(signatures: Sequence[Signature]) -> str:
    """The signatures, by the names of ops."""

    def display(ops: Mapping[str, str]) -> str:
        return "{" + ", ".join(f'"{key}": "{op}{_result(op)}"' for key, op in ops.items()) + "}"

    def _result(op: str) -> str:
        return "" if op.startswith(COLLECTED) else ":0"

    parts = [
        f'"{s.key}": dict(inputs={display(dict(s.inputs))}, outputs={display(dict(s.outputs))})'
        for s in signatures
    ]
    return "{" + ", ".join(parts) + "}"
