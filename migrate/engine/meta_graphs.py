"""Programs that take a graph from the `.meta` file which another program's Saver writes.

TF 2's checkpoints have no such file: what writes it keeps its session where one that reads it stays
in the run. Both are known by a path that is written, from the same folder; where the path is
computed, by the ops that the reader asks the graph for: most of them have the writer's names.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from migrate.engine.names import Names
from migrate.engine.site import V1
from migrate.engine.trees import all_of

if TYPE_CHECKING:
    from migrate.engine.judged import Analysis

SUFFIX = ".meta"
READS = "tensorflow.train.import_meta_graph"
STEP = re.compile(r"-\d+$")
COMPUTED = ""  # the path of a checkpoint that isn't written
COLLECTED = "@"  # before the name of a collection
UNNAMED = "~"  # before the default name of an op, in small letters
ASKS = ("get_tensor_by_name", "get_operation_by_name")
OUTPUT = re.compile(r"[\w.\\/-]+:\d+")


def read(tree: ast.Module, names: Names) -> list[str]:
    """The checkpoints whose graphs a file reads, as far as their paths are written."""
    references = [r for r in names.references if _tf1(r.name) == READS]
    calls = [r.call for r in references if r.call is not None]
    texts = [_text(tree, call.args[0]) for call in calls if call.args]
    return [_plain(text) for text in texts if text is not None and text.endswith(SUFFIX)]


def computed(tree: ast.Module, names: Names) -> bool:
    """Whether a file reads such a graph by a path that isn't written."""
    calls = sum(_tf1(r.name) == READS and r.call is not None for r in names.references)
    return calls > len(read(tree, names))


def asked(tree: ast.Module) -> list[str]:
    """The ops that a file asks a graph for, by the last part of their names."""
    found = {text for text in _strings(all_of(tree, ast.Constant)) if OUTPUT.fullmatch(text)}
    for call in all_of(tree, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ASKS:
            found |= _strings(call.args)
        if _last(call) == "get_collection":
            found |= {COLLECTED + text for text in _strings(call.args[:1])}
    return sorted({text.rpartition("/")[2].partition(":")[0] for text in found})


def named(tree: ast.Module) -> list[str]:
    """The names that a file gives to ops."""
    found = _strings(k.value for k in all_of(tree, ast.keyword) if k.arg == "name")
    for call in all_of(tree, ast.Call):
        if _last(call) == "add_to_collection":
            found |= {COLLECTED + text for text in _strings(call.args[:1])}
        found.add(UNNAMED + _last(call).removeprefix("reduce_").replace("_", "").lower())
    return sorted(found)


def _said(asked: Iterable[str], names: Collection[str]) -> int:
    """How many of the ops that are asked for a program has, as far as it names them."""
    return sum(name in names for name in asked)


def _may_be(asked: Iterable[str], names: Collection[str]) -> int:
    """How many it may have, by the names that TF 1 gives to what has none: ``Softmax_1``."""
    plain = [(name, UNNAMED + re.sub(r"_\d+$", "", name).lower()) for name in asked]
    return sum(name in names or default in names for name, default in plain)


def _last(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def pairs(
    reached: Mapping[str, Sequence[str]], analyses: Mapping[str, Analysis]
) -> list[tuple[str, str]]:
    """The files that read such a graph, each with one of another program that writes it.

    ``reached``: the files of each program, by its entry.
    """
    found: dict[tuple[str, str], None] = {}
    for entry, files in reached.items():
        for reader in (p for p in files if analyses[p].metas or analyses[p].computed):
            for path, _ in writers(reader, entry, reached, analyses):
                found.setdefault((reader, path))
    return list(found)


def writers(
    reader: str,
    entry: str,
    reached: Mapping[str, Sequence[str]],
    analyses: Mapping[str, Analysis],
) -> list[tuple[str, str]]:
    """The files that save what a file of a program reads, with their programs' entries.

    In the same folder they are told by paths that are written, or by the names of most of what is
    asked for; in another one all of these names have to be there, and more than one.
    """
    asked = {name for p in reached[entry] for name in analyses[p].asked}
    folder, near, far = os.path.dirname(reader), [], []
    for other, files in reached.items():
        saves = [(p, name) for p in files for name, _ in analyses[p].saves]
        if not saves or (reader in files and other != entry):
            continue
        names = {name for p in files for name in analyses[p].named}
        number = _said(asked, names)
        told = not analyses[reader].computed and all(name != COMPUTED for _, name in saves)
        here = os.path.dirname(other) == folder
        by_path = here and any(name in analyses[reader].metas for _, name in saves)
        if here and (by_path or (not told and 2 * _may_be(asked, names) > len(asked))):
            if other == entry and any(p == reader for p, _ in saves):  # its own graph
                return []
            near += [(by_path, number, p, other) for p, _ in saves]
        elif not here and not told and number == len(asked) > 1:
            far += [(by_path, number, p, other) for p, _ in saves]
    likely = near or far
    most = max((each[:2] for each in likely), default=None)
    return list(dict.fromkeys((p, other) for *rank, p, other in likely if tuple(rank) == most))


def _strings(nodes: Iterable[ast.expr]) -> set[str]:
    constants = (n.value for n in nodes if isinstance(n, ast.Constant))
    return {value for value in constants if isinstance(value, str)}


def written(tree: ast.Module, names: Names) -> list[tuple[str, int]]:
    """The checkpoints that a file's Savers write, with their lines."""
    if not any(_tf1(r.name) == "tensorflow.train.Saver" for r in names.references):
        return []
    found: list[tuple[str, int]] = []
    modules = {a.asname or a.name for n in all_of(tree, ast.Import) for a in n.names}
    for call in all_of(tree, ast.Call):
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "save":
            continue
        if getattr(call.func.value, "id", "") in modules:  # `np.save(…)`
            continue
        told = next((k.value for k in call.keywords if k.arg == "save_path"), None)
        path = call.args[1] if len(call.args) > 1 else told
        text = _text(tree, path) if path is not None else None
        if path is not None:
            found.append((COMPUTED if text is None else _plain(text), call.lineno))
    return found


def _tf1(name: str) -> str:
    """A name as TF 1 has it, where a file takes it from compat.v1."""
    return name.replace(f"{V1}.", "tensorflow.", 1)


def _plain(text: str) -> str:
    """A checkpoint's path without its step."""
    return os.path.normpath(STEP.sub("", text.removesuffix(SUFFIX)))


def _text(tree: ast.Module, node: ast.expr) -> str | None:
    """A string that is written, or put together of such."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        stores = [s for s in all_of(tree, ast.Assign) if ast.unparse(s.targets[0]) == node.id]
        single = len(stores) == 1 and not isinstance(stores[0].value, ast.Name)
        return _text(tree, stores[0].value) if single else None
    parts: list[ast.expr] = []
    joint = ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [node.left, node.right]
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "os.path.join":
        parts, joint = node.args, "/"
    texts = [_text(tree, part) for part in parts]
    return joint.join(map(str, texts)) if texts and None not in texts else None
