"""Methods that build more of an object's graph and return it, ``loss, x = net.build()``.

The object keeps what they return: ``net.build()``, and ``loss = net.loss`` and ``x = net.x`` below
it. Only programs that aren't followed as they are are read so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.source import apply
from migrate.engine.trees import all_of, named, parents_of, walk
from migrate.rewriters.sessions.apart import rewritten

HIDING = (
    *(ast.Lambda, ast.FunctionDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.JoinedStr, ast.Global, ast.Nonlocal, ast.Delete, ast.Yield, ast.YieldFrom),
)
ASKS = frozenset({"vars", "__dict__", "__slots__", "__getattr__", "__setattr__", "setattr"})


@dataclass(frozen=True, slots=True)
class Builder:
    """A method that ends with the return of parts, and what calls it."""

    place: int  # its file
    method: ast.FunctionDef
    last: ast.Return
    calls: list[tuple[int, ast.stmt, ast.Call]]  # the file, the statement and the call in it


def kept(files: Sequence[tuple[Document, Names]]) -> list[tuple[int, Document]]:
    """The files that have such methods or call them, with attributes for what is returned."""
    edits: dict[int, list[Edit]] = {}
    for builder in _builders(files):
        for place, edit in _edits(files, builder) or ():
            edits.setdefault(place, []).append(edit)
    done = [(place, rewritten(files[place][0], each)) for place, each in sorted(edits.items())]
    found = [(place, new) for place, new in done if new is not None]
    return found if len(found) == len(done) else []


def _builders(files: Sequence[tuple[Document, Names]]) -> Iterator[Builder]:
    trees = [document.tree for document, _ in files]
    if not any(all_of(tree, ast.ClassDef) for tree in trees):
        return
    if any(named(tree, word) for tree in trees for word in ASKS):
        return
    defined = [n.name for tree in trees for n in all_of(tree, ast.FunctionDef)]
    defined += [n.name for tree in trees for n in all_of(tree, ast.ClassDef)]
    # `tf.train.…`
    passed = {id(n.value) for tree in trees for n in all_of(tree, ast.Attribute)}
    for place, (document, names) in enumerate(files):
        references = {id(r.node) for r in names.references}
        for cls in (n for n in all_of(document.tree, ast.ClassDef)):
            for method in cls.body:
                if not isinstance(method, ast.FunctionDef) or defined.count(method.name) > 1:
                    continue
                builds = any(id(n) in references for n in walk(method)) and not _runs(method)
                last = method.body[-1]
                if not builds or not isinstance(last, ast.Return) or not _plain(method, last):
                    continue
                said = [n for tree in trees for n in named(tree, method.name)]
                reads = [n for n in said if id(n) not in passed]
                calls = list(_calls(files, method))
                inside = any(n in reads for n in walk(cls))
                if calls and not inside and len(calls) == len(reads):
                    yield Builder(place, method, last, calls)


def _runs(method: ast.FunctionDef) -> bool:
    """Whether a method may run what is built: what it returns then is Python's."""
    return any(isinstance(n, ast.Attribute) and n.attr in ("run", "eval") for n in walk(method))


def _plain(method: ast.FunctionDef, last: ast.Return) -> bool:
    """Whether a method returns something at its end alone, and nothing in it hides the names."""
    itself = method.args.args[0].arg if method.args.args else ""
    returns = all_of(method, ast.Return)
    if not itself or method.decorator_list or returns != [last] or len(method.body) < 2:
        return False
    stored = [n for n in all_of(method, ast.Name) if not _loads(n)]
    if any(n.id == itself for n in stored) or method.name.startswith("__"):
        return False
    plain = [s for s in walk(method) if isinstance(s, (ast.Assign, ast.AugAssign))]
    bound = {id(t) for s in plain for t in _to(s)}
    elements = _elements(last)
    returned = {n.id for n in elements if isinstance(n, ast.Name)}
    own = {a.arg for a in all_of(method.args, ast.arg)}
    outer = [n for n in walk(method) if isinstance(n, HIDING) and n is not method]
    hidden = [n for scope in outer for n in walk(scope)]
    said = {getattr(n, "id", getattr(n, "arg", "")) for n in hidden}
    said |= {name for n in hidden for name in getattr(n, "names", ()) if isinstance(name, str)}
    return (
        bool(elements)
        and not any(isinstance(n, (ast.Constant, ast.Starred, ast.Dict)) for n in elements)
        and not returned & (own | said)
        and returned <= {n.id for n in stored}
        and all(id(n) in bound for n in stored if n.id in returned)
    )


def _to(stmt: ast.Assign | ast.AugAssign) -> Iterator[ast.AST]:
    for target in stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]:
        yield from walk(target)


def _elements(last: ast.Return) -> list[ast.expr]:
    value = last.value
    if isinstance(value, (ast.Tuple, ast.List)):
        return value.elts
    return [value] if value is not None else []


def _attribute(node: ast.expr, itself: str) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) == itself


def _calls(
    files: Sequence[tuple[Document, Names]], method: ast.FunctionDef
) -> Iterator[tuple[int, ast.stmt, ast.Call]]:
    """The statements that call a method of a named object, and perhaps name what it returns."""
    for place, (document, _) in enumerate(files):
        above = parents_of(document.tree) if named(document.tree, method.name) else {}
        for func in named(document.tree, method.name):
            call = above[id(func)]
            if not isinstance(call, ast.Call) or call.func is not func:
                continue
            stmt = above[id(call)]
            if not isinstance(stmt, (ast.Assign, ast.Expr)) or not isinstance(func, ast.Attribute):
                continue
            if all(isinstance(n, (ast.Name, ast.Attribute)) for n in walk(func.value)):
                yield place, stmt, call


def _edits(
    files: Sequence[tuple[Document, Names]], builder: Builder
) -> list[tuple[int, Edit]] | None:
    """What is written otherwise; None where that can't be."""
    document, method, last = files[builder.place][0], builder.method, builder.last
    itself = method.args.args[0].arg
    taken = {
        getattr(n, "attr", getattr(n, "name", getattr(n, "id", "")))
        for d, _ in files
        for n in walk(d.tree)
        if isinstance(n, (ast.FunctionDef, ast.Attribute))
        and not isinstance(getattr(n, "ctx", None), ast.Load)
    }
    names: dict[str, str] = {}
    parts: list[str] = []
    made: list[tuple[str, ast.expr]] = []  # by the return itself
    several = isinstance(last.value, (ast.Tuple, ast.List))
    for at, node in enumerate(_elements(last)):
        if _attribute(node, itself):
            parts.append(ast.unparse(node).partition(".")[2])
            continue
        wish = node.id if isinstance(node, ast.Name) else _wish(builder, at if several else None)
        name = wish if wish not in taken else f"{method.name}_{wish}"
        if not wish or name in taken or name in parts:
            return None
        parts.append(name)
        if isinstance(node, ast.Name):
            names[node.id] = name
        else:
            made.append((name, node))
    span, text = document.index.span, document.text
    said = {span(n): f"{itself}.{names[n.id]}" for n in all_of(method, ast.Name) if n.id in names}
    gone, (start, end) = _alone(document, last), span(last)
    if gone is None:
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = []
    for name, node in made:
        first, stop = span(node)
        if text[first:stop].count("\n") and not _closed(node):
            return None  # brackets of the return hold it together
        inner = [Edit(a - first, b - first, t) for (a, b), t in said.items() if first <= a < stop]
        lines.append(f"{text[gone[0] : start]}{itself}.{name} = {apply(text[first:stop], inner)}")
    found = [
        (builder.place, Edit(*place, word))
        for place, word in said.items()
        if not start <= place[0] < end
    ]
    found.append((builder.place, Edit(*gone, "".join(line + newline for line in lines))))
    for place, stmt, call in builder.calls:
        edits = _told(files[place][0], stmt, call, parts, single=not several)
        if edits is None:
            return None
        found += [(place, edit) for edit in edits]
    return found


def _wish(builder: Builder, at: int | None) -> str:
    """How those who call a method name what it computes as it returns; nothing where they don't."""
    for _, stmt, _ in builder.calls:
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        elements = getattr(target, "elts", [])
        if at is not None:
            target = elements[at] if at < len(elements) else None
        name = getattr(target, "id", getattr(target, "attr", ""))
        if name not in ("", "_"):
            return str(name)
    return ""


def _closed(node: ast.expr) -> bool:
    """Whether an expression of several lines has brackets of its own around them."""
    return isinstance(node, (ast.Call, ast.Subscript, ast.List, ast.Tuple, ast.Dict))


def _told(
    document: Document, stmt: ast.stmt, call: ast.Call, parts: list[str], *, single: bool
) -> list[Edit] | None:
    """A call, and below it the names of what the object keeps."""
    if isinstance(stmt, ast.Expr):
        return []
    assert isinstance(stmt, ast.Assign)
    assert isinstance(call.func, ast.Attribute)
    target = stmt.targets[0]
    to = [target] if single else list(getattr(target, "elts", ()))
    text, newline = document.text, "\r\n" if "\r\n" in document.text else "\n"
    lines = _alone(document, stmt)
    if lines is None or len(stmt.targets) > 1 or len(to) != len(parts):
        return None
    owner, root = ast.unparse(call.func.value), ast.unparse(call.func.value).partition(".")[0]
    if not all(isinstance(t, (ast.Name, ast.Attribute)) for t in to):
        return None
    if any(isinstance(t, ast.Name) and t.id == root for t in to):
        return None
    start = document.index.span(stmt)[0]
    indent = text[lines[0] : start]
    said = [
        f"{indent}{ast.unparse(t)} = {owner}.{part}{newline}"
        for t, part in zip(to, parts, strict=True)
        if ast.unparse(t) != "_"
    ]
    tail = "" if text[lines[1] - 1 : lines[1]] == "\n" else newline
    value = document.index.span(call)[0]
    return [Edit(start, value, ""), Edit(lines[1], lines[1], tail + "".join(said))]


def _alone(document: Document, stmt: ast.stmt) -> tuple[int, int] | None:
    """The lines of a statement that shares them with nothing but a comment."""
    text, (start, end) = document.text, document.index.span(stmt)
    first, last = document.index.offset(stmt.lineno, 0), text.find("\n", end) + 1 or len(text)
    rest = text[end:last].strip()
    return None if text[first:start].strip() or rest[:1] not in ("", "#") else (first, last)


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
