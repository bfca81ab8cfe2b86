"""What a program that reads another one's graph becomes: it loads the other one's SavedModel.

Each run is a call of one of its signatures (`graph_readers` says of which). What TensorFlow
computes of ops in a fetch is computed of their values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from migrate.engine.findings import Edit
from migrate.engine.source import LineIndex
from migrate.engine.trees import all_of, holds, outward, walk
from migrate.rewriters.sessions.graph_readers import restored
from migrate.rewriters.sessions.graph_signatures import Reader, Run, Unread, Wanted

FOLDER = "-graph"  # behind the name of the checkpoints


def written(found: Reader, tf: str, numbered: bool) -> list[Edit]:
    """The edits of a reader, whose graph is in a folder beside the checkpoint.

    ``numbered``: the checkpoint's name ends with its step, and the folder's doesn't.
    """
    text, index = found.document.text, found.document.index
    tree = found.document.tree
    taken = {n.id for n in all_of(tree, ast.Name)}
    taken |= {n.name for n in walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    taken |= {n.asname or n.name for n in all_of(tree, ast.alias)}
    taken |= {n.arg for n in all_of(tree, ast.arg)}
    if found.owner:
        taken |= {n.attr for n in all_of(tree, ast.Attribute)}
    model, predict = (found.owner + _free(wish, taken) for wish in ("model", "predict"))
    alone = len(found.signatures) == 1
    edits: list[Edit] = []
    lines = [f"{model} = {tf}.saved_model.load({_folder(found.path, numbered)})"]
    if alone:
        lines.append(f'{predict} = {model}.signatures["{found.signatures[0].key}"]')
    indent = " " * found.load.col_offset
    edits.append(Edit(*index.span(found.load), f"\n{indent}".join(lines)))
    assert isinstance(found.restore.value, ast.Call)
    start, end = index.span(restored(found.restore.value)["save_path"])
    call = f"{tf}.train.Checkpoint(root={model}).read({text[start:end]})"
    edits.append(Edit(*index.span(found.restore), f"{call}.assert_nontrivial_match()"))
    edits.extend(_without(text, index, found.lookups))
    shown: dict[int, Edit] = {}
    for run in found.runs:
        assert run.signature is not None
        key = {op: key for key, op in run.signature.inputs}
        function = predict if alone else f'{model}.signatures["{run.signature.key}"]'
        given = ", ".join(
            f"{key[op]}={text[slice(*index.span(value))]}" for op, value in run.feeds.items()
        )
        if run.shown is not None:
            given = f"**{_name_of(run.call)}"
            for place, op in zip(run.shown.keys, run.feeds, strict=True):
                assert place is not None
                shown[id(place)] = Edit(*index.span(place), f'"{key[op]}"')
        edits += _called(found, run, f"{function}({given})", taken, tf)
    return sorted([*edits, *shown.values()], key=lambda e: e.start)


def _called(found: Reader, run: Run, call: str, taken: set[str], tf: str) -> list[Edit]:
    """What stands for a run.

    Raises:
        Unread: its results can't be parted.
    """
    assert run.signature is not None
    key = {op: key for key, op in run.signature.outputs}
    index = found.document.index
    if len(run.fetches) == 1 and not run.several:
        return [Edit(*index.span(run.call), _value(found, run.wanted[0], call, key, tf))]
    stmt = next(s for s in outward(found.document.tree, run.call) if isinstance(s, ast.stmt))
    whole = isinstance(stmt, ast.Assign) and stmt.value is run.call
    if not whole and (run.several or not isinstance(stmt, (ast.Assign, ast.Expr))):
        raise Unread
    results = _free("results", taken)
    values = [_value(found, wanted, results, key, tf) for wanted in run.wanted]
    parts = ", ".join(values)
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    if run.several and (not isinstance(target, (ast.Tuple, ast.List)) or len(values) == 1):
        parts = f"[{parts}]"
    start, _ = index.span(stmt)
    indent = " " * stmt.col_offset
    value = Edit(*index.span(run.call), parts)
    return [Edit(start, start, f"{results} = {call}\n{indent}"), value]


def _value(found: Reader, wanted: Wanted, results: str, key: dict[str, str], tf: str) -> str:
    """What was fetched, as an array."""
    if wanted.node is None:
        return f'{results}["{key[wanted.ops[0]]}"].numpy()'
    text, index = found.document.text, found.document.index
    start, end = index.span(wanted.node)
    new = {
        n: f'{results}["{key[op]}"]' for n in walk(wanted.node) if (op := wanted.inner.get(id(n)))
    }
    roots = [r.root for r in found.names.references if holds(wanted.node, r.root)]
    new |= dict.fromkeys(roots, tf)
    for node in sorted(new, key=index.span, reverse=True):
        first, last = index.span(node)
        text = text[:first] + new[node] + text[last:]
        end += len(new[node]) - (last - first)
    source = text[start:end]
    return f"{source}.numpy()" if isinstance(wanted.node, ast.Call) else f"({source}).numpy()"


def _name_of(call: ast.Call) -> str:
    """The name of a run's feed_dict."""
    named = [k.value for k in call.keywords if k.arg == "feed_dict"]
    return ast.unparse(named[0] if named else call.args[1])


def _folder(path: str, numbered: bool) -> str:
    """The folder of a checkpoint's graph."""
    try:
        said = ast.literal_eval(path)
    except ValueError:
        name = path if re.fullmatch(r"[\w.]+|[\w.]+\([^()]*\)", path) else f"({path})"
        return f'{name}.rpartition("-")[0] + "{FOLDER}"' if numbered else f'{name} + "{FOLDER}"'
    stem = str(said).rpartition("-")[0] if numbered else str(said)
    return f'"{stem}{FOLDER}"'


def _free(wish: str, taken: set[str]) -> str:
    while wish in taken:
        wish = f"loaded_{wish}"
    taken.add(wish)
    return wish


def _without(text: str, index: LineIndex, lookups: Sequence[ast.Assign]) -> list[Edit]:
    """Lookups go, with the comments of a paragraph that has nothing else.

    Raises:
        Unread: one shares its lines with something else.
    """
    lines = text.splitlines(keepends=True)
    gone: set[int] = set()
    for stmt in lookups:
        start, end = index.span(stmt)
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        behind = text[end : last if last >= 0 else len(text)].strip()
        if text[first:start].strip() or (behind and behind[0] != "#"):
            raise Unread
        gone |= set(range(stmt.lineno - 1, stmt.end_lineno or stmt.lineno))
    paragraph: set[int] = set()
    for number, line in enumerate([*lines, ""]):
        if line.strip():
            paragraph.add(number)
            continue
        rest = paragraph - gone
        if paragraph & gone and all(lines[n].lstrip()[:1] == "#" for n in rest):
            gone |= {*rest, number} & set(range(len(lines)))
        paragraph = set()
    starts = [index.starts[n] for n in range(len(lines))] + [len(text)]
    return [Edit(starts[n], starts[n + 1], "") for n in sorted(gone)]
