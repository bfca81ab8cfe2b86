"""Programs that choose one of several classes by a word: a program for each of them.

::

    for model in models:
        if args.kind == model.kind:
            net = model(sess, args)

A process makes one object. So the file is followed once for each class, as if it named that one;
all must come out alike but for the class, and the loop stands in the result.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from migrate.engine.document import Document
from migrate.engine.joined import Part
from migrate.engine.judged import names_of
from migrate.engine.names import Names
from migrate.engine.source import apply
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.lines import by_line

MOST = 16
MARK = "# migrate:"
TESTS = (ast.Compare, ast.Eq, ast.Attribute, ast.Subscript, ast.Name, ast.Constant)
DIFFERENT = "a class is chosen among several, whose programs come out differently"


@dataclass(slots=True, eq=False, repr=False)
class Choice:
    """A loop that makes an object of one class of a list."""

    loop: ast.For
    listed: ast.Assign
    made: ast.Assign
    test: ast.Compare
    asked: str  # the attribute that tells the classes apart
    imports: dict[str, ast.ImportFrom]  # of the classes

    @property
    def call(self) -> ast.Call:
        assert isinstance(self.made.value, ast.Call)
        return self.made.value


@dataclass(slots=True, eq=False, repr=False)
class Variants:
    """The programs of an entry, one for each class."""

    place: int
    choice: Choice
    files: list[tuple[Document, Names]]
    entries: list[str]
    paths: dict[str, str]  # of the variants: the class


def variants(files: Sequence[tuple[Document, Names]], entries: Sequence[str]) -> Variants | None:
    """The files with one entry for each class that one of them chooses; None where none does."""
    if len(files) < 2:
        return None
    for place, (document, _) in enumerate(files):
        if document.path not in entries or document.notebook is not None:
            continue
        choice = _choice(document, [d.tree for d, _ in files])
        if choice is not None:
            return _written(files, entries, place, choice)
    return None


def _choice(document: Document, trees: Sequence[ast.Module]) -> Choice | None:
    for scope in walk(document.tree):
        if not isinstance(scope, (ast.Module, ast.FunctionDef)):
            continue
        for loop in walk(scope):
            if isinstance(loop, ast.For) and (found := _of_loop(document, scope, loop, trees)):
                return found
    return None


def _of_loop(
    document: Document, scope: ast.AST, loop: ast.For, trees: Sequence[ast.Module]
) -> Choice | None:
    """What a loop chooses, where it does nothing else."""
    own, source = loop.target, loop.iter
    branch = loop.body[0]
    if not isinstance(own, ast.Name) or not isinstance(source, ast.Name) or loop.orelse:
        return None
    if len(loop.body) > 1 or not isinstance(branch, ast.If) or branch.orelse:
        return None
    made, test = branch.body[0], branch.test
    if len(branch.body) > 1 or not isinstance(made, ast.Assign) or len(made.targets) != 1:
        return None
    call = made.value
    if not isinstance(made.targets[0], ast.Name) or not isinstance(call, ast.Call):
        return None
    if not isinstance(call.func, ast.Name) or call.func.id != own.id:
        return None
    asked = _asked(test, own.id)
    if asked is None or not isinstance(test, ast.Compare):
        return None
    nodes = all_of(document.tree, ast.Name)
    reads = [n for n in nodes if n.id == own.id]
    lists = [n for n in nodes if n.id == source.id and n is not source]
    listed = [s for s in all_of(scope, ast.Assign) if s.targets[0] in lists]
    if len(reads) != 3 or len(lists) != 1 or len(listed) != 1:
        return None
    display = listed[0].value
    if not isinstance(display, (ast.List, ast.Tuple)) or not 1 < len(display.elts) <= MOST:
        return None
    classes = [n.id for n in display.elts if isinstance(n, ast.Name)]
    if len(set(classes)) != len(display.elts) or not _apart(classes, asked, trees):
        return None
    imports = {name: s for name in classes if (s := _import(document.tree, name)) is not None}
    if len(imports) != len(classes) or any(sum(n.id == c for n in nodes) != 1 for c in classes):
        return None
    # Its lines are the header, the test and the call.
    if loop.lineno + 1 != branch.lineno or branch.lineno + 1 != made.lineno:
        return None
    if branch.test.end_lineno != branch.lineno:
        return None
    return Choice(loop, listed[0], made, test, asked, imports)


def _asked(test: ast.expr, own: str) -> str | None:
    """The attribute of a class that a condition compares with a setting."""
    if not all(isinstance(n, TESTS) for n in walk(test)) or not isinstance(test, ast.Compare):
        return None
    if len(test.ops) != 1:
        return None
    sides = [test.left, test.comparators[0]]
    mine = [
        n
        for n in sides
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == own
    ]
    inside = [n for n in all_of(test, ast.Name) if n.id == own]
    return mine[0].attr if len(mine) == len(inside) == 1 else None


def _apart(classes: Sequence[str], attribute: str, trees: Sequence[ast.Module]) -> bool:
    """Whether each class has a constant of its own under that name: one at most is chosen."""
    values = []
    for name in classes:
        homes = [s for t in trees for s in t.body if isinstance(s, ast.ClassDef) and s.name == name]
        said = [
            s.value.value
            for home in homes
            for s in home.body
            if isinstance(s, ast.Assign)
            and isinstance(s.value, ast.Constant)
            and [ast.unparse(t) for t in s.targets] == [attribute]
        ]
        if len(homes) != 1 or len(said) != 1:
            return False
        values += said
    stores = (n for tree in trees for n in all_of(tree, ast.Attribute) if n.attr == attribute)
    return len(set(values)) == len(values) and all(isinstance(n.ctx, ast.Load) for n in stores)


def _import(tree: ast.Module, name: str) -> ast.ImportFrom | None:
    """The statement that imports a class and nothing else."""
    for stmt in tree.body:
        if isinstance(stmt, ast.ImportFrom) and stmt.lineno == stmt.end_lineno:
            if [(a.name, a.asname) for a in stmt.names] == [(name, None)]:
                return stmt
    return None


def _written(
    files: Sequence[tuple[Document, Names]],
    entries: Sequence[str],
    place: int,
    choice: Choice,
) -> Variants | None:
    document = files[place][0]
    taken = {d.path for d, _ in files}
    more: list[tuple[Document, Names]] = []
    paths: dict[str, str] = {}
    for name in choice.imports:
        path = document.path.removesuffix(".py") + f"__{name}.py"
        text = _variant(document.text, choice, name)
        if path in taken:
            return None
        try:
            new = replace(document, path=path, text=text, tree=ast.parse(text))
        except SyntaxError:
            return None
        more.append((new, names_of(new)))
        paths[path] = name
    again = [*files[:place], *more, *files[place + 1 :]]
    starts = [p for e in entries for p in (paths if e == document.path else [e])]
    return Variants(place, choice, again, starts, paths)


def _variant(text: str, choice: Choice, name: str) -> str:
    """The file as if it named one class; each line stays where it is."""
    lines = text.splitlines(keepends=True)

    def put(line: int, new: str) -> None:
        old = lines[line - 1]
        indent = old[: len(old) - len(old.lstrip())]
        lines[line - 1] = f"{indent}{new}{old[len(old.rstrip()) :]}"

    for line in range(choice.listed.lineno, (choice.listed.end_lineno or 0) + 1):
        put(line, f"{MARK}{line}")
    for other, stmt in choice.imports.items():
        if other != name:
            put(stmt.lineno, f"{MARK}{stmt.lineno}")
    first = choice.loop.lineno
    put(first, f"{MARK}{first}")
    indent = " " * choice.loop.col_offset
    # The setting is looked up here, as it is where the loop asks for it.
    lines[first] = f"{indent}{_setting(choice)}\n"
    call = lines[first + 1]
    rest = call.lstrip().split(f"{ast.unparse(choice.call.func)}(", 1)
    lines[first + 1] = f"{indent}{rest[0]}{name}({rest[1]}" if len(rest) > 1 else call
    return "".join(lines)


def _setting(choice: Choice) -> str:
    sides = [choice.test.left, choice.test.comparators[0]]
    own = ast.unparse(choice.loop.target)
    return next(s for n in sides if (s := ast.unparse(n)) != f"{own}.{choice.asked}")


def merged(
    found: Variants, files: Sequence[tuple[Document, Names]], done: Sequence[Any]
) -> list[Any]:
    """What became of the files, with the loop in the one whose variants were followed.

    Raises:
        Blocked: the variants became different programs.
    """
    document, names = files[found.place]
    by_path = {one.part.document.path: one for one in done}
    results = [by_path[path] for path in found.paths]
    texts = set()
    for one, name in zip(results, found.paths.values(), strict=True):
        text = apply(one.part.document.text, one.edits).replace("\r\n", "\n")
        texts.add(_with_loop(document.text, text, found.choice, name))
    if len(texts) != 1 or None in texts:
        error = Blocked(found.choice.loop, DIFFERENT)
        error.path = document.path
        raise error
    first = results[0]
    sections = [s for one in results for s in one.names]
    edits = by_line(document.text, texts.pop() or "")
    whole = replace(first, part=Part(document, names), edits=edits, names=sections)
    return [by_path.get(d.path, whole) for d, _ in files]


def _with_loop(old: str, new: str, choice: Choice, name: str) -> str | None:
    """A variant's result with the loop that chooses; None where it isn't seen in it."""
    try:
        tree = ast.parse(new)
    except SyntaxError:
        return None
    target = ast.unparse(choice.made.targets[0])
    made = [
        s
        for s in all_of(tree, ast.Assign)
        if [ast.unparse(t) for t in s.targets] == [target]
        and isinstance(s.value, ast.Call)
        and ast.unparse(s.value.func) == name
    ]
    uses = [n for n in all_of(tree, ast.Name) if n.id == name]
    if len(made) != 1 or len(uses) != 1:
        return None
    (stmt,) = made
    lines, before = new.split("\n"), old.split("\n")
    start, last = stmt.lineno, stmt.end_lineno or 0
    head = lines[start - 3 : start - 1]
    first = choice.loop.lineno
    if [n.strip() for n in head] != [f"{MARK}{first}", _setting(choice)]:
        return None
    less = choice.loop.col_offset - stmt.col_offset
    if less < 0 or stmt.end_lineno is None:
        return None
    own = ast.unparse(choice.call.func)
    deep = before[first + 1]
    inner = len(deep) - len(deep.lstrip())
    said = lines[start - 1 : last]
    said[0] = said[0].lstrip().replace(f"{name}(", f"{own}(", 1)
    said = [
        " " * (inner - less) + said[0],
        *(" " * (inner - choice.loop.col_offset) + n for n in said[1:]),
    ]
    loop = [n[less:] for n in before[first - 1 : first + 1]]
    whole = [*lines[: start - 3], *loop, *said, *lines[last:]]
    for i, line in enumerate(whole):
        mark = line.strip()
        if mark.startswith(MARK) and mark.removeprefix(MARK).isdigit():
            was = before[int(mark.removeprefix(MARK)) - 1]
            shift = (len(was) - len(was.lstrip())) - (len(line) - len(line.lstrip()))
            whole[i] = was[shift:] if shift >= 0 else was
    return "\n".join(whole) if not any(MARK in n for n in whole) else None
