"""Long lines that are written anew: broken inside their outermost brackets."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from migrate.rewriters.sessions.argument_comments import Said

LIMIT = 100


def wrapped(
    line: str, unit: str, mark: str, root: str, notes: Mapping[int, Said] | None = None
) -> list[str]:
    """A line, or several where it is too long; ``mark`` stands for ``root`` in it.

    ``notes``: what is said of a call's arguments, by their places; each has its line then.
    """
    bare, _, comment = line.partition("  # ")
    short = len(line.replace(mark, root)) <= LIMIT
    if "\n" in line or (short and not notes):  # or the author has broken it
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    try:
        (stmt,) = ast.parse(bare.strip()).body
    except (SyntaxError, ValueError):
        return [line]
    value = getattr(stmt, "value", None)
    parts = _parts(value)
    if value is None or parts is None:
        return [line]
    text = bare.strip()
    start, end = _place(text, parts[0])[0], _place(text, parts[-1])[1]
    head, tail = text[:start], text[end:]
    pieces = _cut(text, parts, start, end)
    deeper = indent + unit
    said = f"  # {comment}" if comment else ""
    if notes:
        return _beside(indent + head + said, pieces, deeper, tail, notes)
    whole = deeper + " ".join(pieces)
    if len(whole.replace(mark, root)) <= LIMIT:
        return [indent + head + said, whole + tail]
    plain = isinstance(value, ast.List) and all(
        isinstance(n, (ast.Name, ast.Attribute)) for n in value.elts
    )
    body = _rows(pieces, deeper) if plain else [deeper + piece for piece in pieces]
    body[-1] += tail
    return [indent + head + said, *body]


def _beside(
    head: str, pieces: Sequence[str], deeper: str, tail: str, notes: Mapping[int, Said]
) -> list[str]:
    """A call's arguments, each in its line, with what is said of them."""
    found = [head]
    for place, piece in enumerate(pieces):
        said = notes.get(place)
        end = tail if place == len(pieces) - 1 else ""
        found += [deeper + line for line in said.above] if said is not None else []
        behind = f"  {said.behind}" if said is not None and said.behind else ""
        found.append(f"{deeper}{piece}{end}{behind}")
    return found


def _rows(pieces: list[str], deeper: str) -> list[str]:
    """Names, as many as a line takes."""
    rows = [deeper + pieces[0]]
    for piece in pieces[1:]:
        if len(rows[-1]) + len(piece) < LIMIT:
            rows[-1] += f" {piece}"
        else:
            rows.append(deeper + piece)
    return rows


def _parts(value: ast.expr | None) -> list[ast.AST] | None:
    """What stands between the outermost brackets."""
    if isinstance(value, ast.ListComp):
        return [value.elt, *value.generators]
    if isinstance(value, ast.Call) and (value.args or value.keywords):
        only = [*value.args, *value.keywords]
        append = isinstance(value.func, ast.Attribute) and value.func.attr == "append"
        if append and isinstance(only[0], ast.Call):
            return _parts(only[0]) if len(only) == 1 else None
        return list(only)
    if isinstance(value, ast.List):
        return list(value.elts) or None
    return None


def _place(text: str, node: ast.AST) -> tuple[int, int]:
    if isinstance(node, ast.comprehension):
        start = _place(text, node.target)[0]
        last = node.ifs[-1] if node.ifs else node.iter
        return text.rindex("for ", 0, start), _place(text, last)[1]
    row = text.encode()
    start = len(row[: node.col_offset].decode())  # type: ignore[attr-defined]
    return start, len(row[: node.end_col_offset].decode())  # type: ignore[attr-defined]


def _cut(text: str, parts: list[ast.AST], start: int, end: int) -> list[str]:
    """The parts with what separates them."""
    starts = [_place(text, part)[0] for part in parts]
    return [text[a:b].strip() for a, b in zip(starts, [*starts[1:], end], strict=True)]
