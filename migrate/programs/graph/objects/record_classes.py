"""Functions that return their graph as a named tuple: a class, whose objects have its fields.

``Graph = namedtuple('Graph', names)`` and ``return Graph(*[locals()[name] for name in names])`` at
the end of ``build_rnn``: ``class Graph`` with the function as its ``__init__``, where ``self.cost``
is what was the local ``cost``. Each call makes an object with a graph of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.fetching.choices import deeper, unit_of
from migrate.programs.graph.optimizing.training_helpers import shadowed
from migrate.programs.graph.own_nodes import function_around, own_nodes
from migrate.programs.graph.wording import aligned, known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word

HIDING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
MAKERS = ("namedtuple", "collections.namedtuple")
Place = Callable[[int, int], tuple[int, int]]  # of a node, in the lines of its function
Renamed = tuple[int, int, int, str]  # line, column, width, and what stands there then
DEPTH = 4  # of functions that are given a named tuple
METHODS = frozenset({"_replace", "_asdict", "_fields", "_make", "count", "index"})


@dataclass(slots=True, eq=False, repr=False)
class _Record:
    """What a function returns at its end."""

    name: str  # of the named tuple
    fields: dict[str, ast.expr | None]  # and what it says for them; None: the local of that name
    gone: list[ast.stmt]  # the statements of the function that are for it alone
    maker: ast.Assign  # `Graph = namedtuple(…)`


def check(walker: Any, target: ast.AST, reason: str) -> None:
    """See whether a function that builds a graph can be a class.

    Raises:
        Spelled: it can.
    """
    home = walker.files.at(target)
    if not isinstance(target, ast.FunctionDef) or home is None or target not in home.tree.body:
        return
    args = target.args
    if target.decorator_list or target.returns or args.vararg or args.kwarg or args.posonlyargs:
        return
    own = own_nodes(target)
    taken = {a.arg for a in all_of(args, ast.arg)}
    names = {n.id for n in all_of(target, ast.Name)}
    odd = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Delete, ast.JoinedStr)
    if "self" in taken | names or any(isinstance(n, odd) for n in walk(target)):
        return
    record = _record(walker, home.tree, target)
    if record is None or sum(isinstance(n, ast.Return) for n in own) != 1:
        return
    said = _said(target, record, taken)
    calls = known_branches.every(walker, target)
    if said is None or not calls or not _read(walker, calls) or _long_strings(target):
        return
    outer = record.maker in home.tree.body
    name = record.name
    if not outer and (_elsewhere(walker, target, name) or not name[:1].isupper()):
        name = free(walker, name[:1].upper() + name[1:])
    unit = unit_of(home.tree)

    def written(source: Source) -> str:
        return _class(source(target), target, record, said, name, unit)

    replaced: list[Written] = [(target, written)]
    replaced += [(call, _named(call, name)) for call in calls]
    if outer:
        replaced.append((record.maker, word("")))
    replaced += _imports(home.tree, record)
    raise Spelled(target, reason, replaced)


def _elsewhere(walker: Any, target: ast.FunctionDef, name: str) -> bool:
    """Whether something outside of a function is called so."""
    inside = {id(n) for n in walk(target)}
    words = ("id", "arg", "asname", "name")
    return any(
        name == getattr(n, word, None) and id(n) not in inside
        for tree in walker.program()
        for n in walk(tree)
        for word in words
    )


def _record(walker: Any, tree: ast.Module, target: ast.FunctionDef) -> _Record | None:
    """The named tuple that a function returns."""
    last = target.body[-1]
    if not isinstance(last, ast.Return):
        return None
    gone: list[ast.stmt] = [last]
    value = _meant(target, last.value, gone)
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return None
    name = value.func.id
    makers = [
        s
        for s in (*target.body, *tree.body)
        if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == name and len(s.targets) == 1
    ]
    if len(makers) != 1 or _others(tree, target, makers[0], name):
        return None
    (maker,) = makers
    made = maker.value
    if not isinstance(made, ast.Call) or len(made.args) != 2 or made.keywords:
        return None
    if ast.unparse(made.func) not in MAKERS:
        return None
    if maker in target.body:
        gone.append(maker)
    listed = _meant(target, made.args[1], gone)
    fields = _words(listed)
    if fields is None or METHODS & set(fields):
        return None
    given = _given(target, value, fields, listed, gone)
    if given is None or any(_used(target, s, gone) for s in gone):
        return None
    return _Record(name, given, gone, maker)


def _meant(target: ast.FunctionDef, node: ast.expr | None, gone: list[ast.stmt]) -> ast.expr | None:
    """What a name stands for that one statement of the function's own gives it."""
    if not isinstance(node, ast.Name):
        return node
    stores = [n for n in all_of(target, ast.Name) if n.id == node.id]
    stores = [n for n in stores if not isinstance(n.ctx, ast.Load)]
    for stmt in target.body:
        if isinstance(stmt, ast.Assign) and stmt.targets == stores:
            if stmt not in gone:
                gone.append(stmt)
            return stmt.value
    return node


def _words(listed: ast.expr | None) -> list[str] | None:
    try:
        said = ast.literal_eval(listed) if listed is not None else None
    except ValueError:
        return None
    if isinstance(said, str):
        said = said.replace(",", " ").split()
    if not isinstance(said, (list, tuple)) or not all(isinstance(n, str) for n in said):
        return None
    return list(said) if len(set(said)) == len(said) > 0 else None


def _given(
    target: ast.FunctionDef,
    value: ast.Call,
    fields: Sequence[str],
    listed: ast.expr | None,
    gone: list[ast.stmt],
) -> dict[str, ast.expr | None] | None:
    """What a call of a named tuple says for its fields; None: it can't be told."""
    match value:
        case ast.Call(_, [ast.Starred(ast.ListComp() as each)], []):
            match each:
                case ast.ListComp(
                    ast.Subscript(where, ast.Name(item)),
                    [ast.comprehension(ast.Name(one), names, [], 0)],
                ) if item == one:
                    kept = _meant(target, where, gone)
                    if _meant(target, names, gone) is not listed or ast.unparse(
                        kept or where
                    ) not in ("locals()", "vars()"):
                        return None
                    return dict.fromkeys(fields)
            return None
        case ast.Call(_, args, keywords):
            if any(isinstance(a, ast.Starred) for a in args) or len(args) > len(fields):
                return None
            found: dict[str, ast.expr | None] = dict(zip(fields, args, strict=False))
            found.update({str(k.arg): k.value for k in keywords})
            return found if len(args) + len(keywords) == len(found) == len(fields) else None
    return None


def _used(target: ast.FunctionDef, stmt: ast.stmt, gone: Sequence[ast.stmt]) -> bool:
    """Whether something else reads what a statement that goes has given a name."""
    if not isinstance(stmt, ast.Assign):
        return False
    inside = {id(n) for s in gone for n in walk(s)}
    names = {n.id for t in stmt.targets for n in all_of(t, ast.Name)}
    return any(n.id in names and id(n) not in inside for n in all_of(target, ast.Name))


def _others(tree: ast.Module, target: ast.FunctionDef, maker: ast.Assign, name: str) -> bool:
    """Whether a named tuple of the file has more uses than the function's."""
    inside = {id(n) for n in walk(target)} | {id(n) for n in walk(maker)}
    if maker not in tree.body:
        return False
    return any(n.id == name and id(n) not in inside for n in all_of(tree, ast.Name))


def _said(target: ast.FunctionDef, record: _Record, taken: set[str]) -> dict[str, str] | None:
    """The locals that become attributes, each with its field; None: a field has nothing."""
    found: dict[str, str] = {}
    for field, node in record.fields.items():
        name = field if node is None else getattr(node, "id", None)
        if node is None and name not in taken and not _stores(target, field):
            return None
        if isinstance(name, str) and name not in found and _plainly(target, name, taken):
            found[name] = field
    return found


def _stores(target: ast.FunctionDef, name: str) -> list[ast.Name]:
    mine = [n for n in all_of(target, ast.Name) if n.id == name]
    return [n for n in mine if not isinstance(n.ctx, ast.Load)]


def _plainly(target: ast.FunctionDef, name: str, taken: set[str]) -> bool:
    """Whether one plain statement gives a local its value, and nothing hides it."""
    stores = _stores(target, name)
    if name in taken or len(stores) != 1:
        return False
    for n in walk(target):
        if isinstance(n, HIDING) and n is not target:
            if any(name in (getattr(m, "id", None), getattr(m, "arg", None)) for m in walk(n)):
                return False
        if isinstance(n, (ast.Import, ast.ImportFrom, ast.ExceptHandler)):
            return False
    return any(stores[0] in walk(t) for s in _plain(target.body) for t in s.targets)


def _plain(body: Sequence[ast.stmt]) -> Iterator[ast.Assign]:
    for stmt in body:
        if isinstance(stmt, ast.Assign):
            yield stmt
        elif isinstance(stmt, ast.With):
            yield from _plain(stmt.body)


def _read(walker: Any, calls: Sequence[ast.Call]) -> bool:
    """Whether each call's result gets a name, of which only fields are asked."""
    for call in calls:
        stmt = next((s for s in all_of(walker.tree, ast.Assign) if s.value is call), None)
        if stmt is None or len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
            return False
        scope = function_around(walker.tree, stmt) or walker.files.at(stmt).tree
        if not _fields_only(walker, scope, stmt.targets[0].id, DEPTH):
            return False
    return True


def _fields_only(walker: Any, scope: ast.AST, name: str, depth: int) -> bool:
    """Whether a scope, and functions that it gives a named tuple to, ask for fields alone."""
    parents = parents_of(scope)
    other = shadowed(scope, name) if isinstance(scope, ast.Module) else set()
    for n in all_of(scope, ast.Name):
        if n.id != name or not isinstance(n.ctx, ast.Load) or id(n) in other:
            continue
        outer = parents.get(id(n))
        if isinstance(outer, ast.Attribute) and outer.attr not in METHODS:
            continue
        call = parents.get(id(outer)) if isinstance(outer, ast.keyword) else outer
        target = walker._module_function(call.func) if isinstance(call, ast.Call) else None
        if not depth or not isinstance(target, ast.FunctionDef) or _hiding(target):
            return False
        assert isinstance(call, ast.Call)
        places = dict(zip(map(id, call.args), (a.arg for a in target.args.args), strict=False))
        given = outer.arg if isinstance(outer, ast.keyword) else places.get(id(n))
        if given is None or not _fields_only(walker, target, given, depth - 1):
            return False
    return True


def _hiding(target: ast.FunctionDef) -> bool:
    return bool(target.args.vararg or target.args.kwarg)


def _long_strings(target: ast.FunctionDef) -> bool:
    """Whether a text goes over lines, which would change where the function is indented."""
    first = target.body[0].value if isinstance(target.body[0], ast.Expr) else None
    return any(n.end_lineno != n.lineno for n in all_of(target, ast.Constant) if n is not first)


def _named(call: ast.Call, name: str) -> Any:
    """A call of the class; lines that stand below its parenthesis stay there."""

    return lambda source: aligned.call(source, call, name, call.col_offset)


def _imports(tree: ast.Module, record: _Record) -> list[Written]:
    """What the file imports for the named tuple alone."""
    inside = {id(n) for n in walk(record.maker)}
    for stmt in tree.body:
        if not isinstance(stmt, (ast.Import, ast.ImportFrom)):
            continue
        names = {a.asname or a.name: a for a in stmt.names}
        own = "namedtuple" if isinstance(stmt, ast.ImportFrom) else "collections"
        uses = [n for n in all_of(tree, ast.Name) if n.id == own]
        if own not in names or any(id(n) not in inside for n in uses):
            continue
        left = [
            a.name + (f" as {a.asname}" if a.asname else "")
            for name, a in names.items()
            if name != own
        ]
        head = f"from {'.' * stmt.level}{stmt.module} " if isinstance(stmt, ast.ImportFrom) else ""
        return [(stmt, word(f"{head}import {', '.join(left)}" if left else ""))]
    return []


def _class(
    text: str,
    target: ast.FunctionDef,
    record: _Record,
    said: dict[str, str],
    name: str,
    unit: str,
) -> str:
    """The class."""
    lines = text.split("\n")
    first = target.lineno

    def place(line: int, column: int) -> tuple[int, int]:
        return line - first, len(lines[line - first].encode()[:column].decode())

    inner = " " * target.body[0].col_offset
    renamed = [
        (*place(n.lineno, n.col_offset), len(n.id), f"self.{said[n.id]}")
        for n in all_of(target, ast.Name)
        if n.id in said
    ]
    gone = {s: (s.lineno - first, (s.end_lineno or s.lineno) - first) for s in record.gone}
    left = [
        f"{inner}self.{field} = {field if node is None else _source(lines, renamed, node, place)}"
        for field, node in record.fields.items()
        if said.get(field if node is None else getattr(node, "id", "")) != field
    ]
    lines = _with(lines, renamed)
    head = lines[0]
    at = head.index("(") + 1
    given = bool([*target.args.args, *target.args.kwonlyargs])
    lines[0] = f"def __init__(self{', ' if given else ''}{head[at:]}"
    by = len("def __init__(") - at
    for line in range(1, target.body[0].lineno - first):
        lines[line] = aligned.line(lines[line], by, at)
    drop: set[int] = set()
    for start, end in gone.values():
        drop.update(range(start, end + 1))
        while start > 0 and lines[start - 1].lstrip().startswith("#"):
            start -= 1
            drop.add(start)
    kept = [line for i, line in enumerate(lines) if i not in drop]
    while not kept[-1].strip():
        kept.pop()
    body = deeper("\n".join([*kept, *left]), unit)
    return "\n".join([f"class {name}:", unit + body[0], *body[1:]])


def _with(lines: Sequence[str], renamed: Sequence[Renamed]) -> list[str]:
    """The lines with other names."""
    found = list(lines)
    for line, column, width, new in sorted(renamed, reverse=True):
        found[line] = found[line][:column] + new + found[line][column + width :]
    return found


def _source(lines: Sequence[str], renamed: Sequence[Renamed], node: ast.expr, place: Place) -> str:
    """The text of what a field is given, with the names that there are then."""
    start = place(node.lineno, node.col_offset)
    end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
    inside = [one for one in renamed if start <= one[:2] < end]
    cut = [*lines[: end[0]], lines[end[0]][: end[1]]]
    text = _with(cut, inside)[start[0] :]
    return "\n".join([text[0][start[1] :], *text[1:]])
