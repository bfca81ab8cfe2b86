"""A function of another file, brought to the file that calls it, to be written in place there."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence

from migrate.engine.findings import Edit
from migrate.engine.joined import Part, part_of
from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph.optimizing.training_helpers import Inlinable, shadowed

NAMED = (ast.FunctionDef, ast.ClassDef)


def brought(parts: Sequence[Part], error: Inlinable) -> dict[str, list[Edit]] | None:
    """What takes ``module.function`` to its caller's file, by file; None where it can't be.

    What the function reads of its own module is read through the caller's name for that module;
    all calls of that file are of what is brought. A
    function that is imported by its name reads nothing of it. It stays where it was, too, as long
    as other files call it.
    """
    here, home = part_of(parts, error.call), part_of(parts, error.target)
    func, target = error.call.func, error.target
    imported = _taken(here, home, func, target)
    owner = func.value if isinstance(func, ast.Attribute) else None
    if here is home or (imported is None and not isinstance(owner, ast.Name)):
        return None
    if here.document.notebook is not None or home.document.notebook is not None:
        return None
    if target not in home.document.tree.body:
        return None
    star = imported is not None and imported.names[0].name == "*"
    calls = _alike(here, func)
    uses = len(calls) if imported is None else (not star) + _calls(here, target.name)
    if uses_of(here, [here], target.name, home) != uses:
        return None
    gone = uses_of(home, parts, target.name) == uses
    if not gone and target.decorator_list:
        return None
    called = target.name
    if imported is None and called in _bound(here.document.tree):  # it isn't there for long
        called = f"{ast.unparse(func).replace('.', '_')}"
        if called in _bound(here.document.tree) or _said(home, target, target.name):
            return None
    if imported is not None and len(imported.names) == 1 and not star and not _quiet(home, parts):
        return None  # what else the import does would be gone with it
    prefixed = _prefixed(here, home, target)
    helpers: list[str] = []
    if prefixed and imported is not None:
        helpers = list(dict.fromkeys(name.id for name in prefixed))
        if not all(_importable(here, home, imported, name) for name in helpers):
            return None
        if star and _last_star(here) is not imported:
            return None  # a helper may be what the next one brings
        prefixed = []
    first_of = [error.stmt] if imported is not None else calls
    top = next((s for s in here.document.tree.body if any(holds(s, n) for n in first_of)), None)
    if prefixed is None or top is None:
        return None
    first, last = _lines(home, target)
    start, end = _start(home, first), _start(home, last + 1)
    text = home.document.text[start:end]
    for node in sorted(prefixed, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        at = _offset(home, node) - start
        text = f"{text[:at]}{ast.unparse(owner) if owner else ''}.{text[at:]}"
    text = re.sub(rf"^def {target.name}\b", f"def {called}", text, count=1, flags=re.M)
    place = _start(here, _lines(here, top)[0])
    names = [(_offset(here, n), _offset(here, n, end=True)) for n in calls]
    if not text.endswith("\n"):
        text += "\n"
    changes = [Edit(place, place, f"{text}\n\n"), *(Edit(*name, called) for name in names)]
    if imported is not None and not star:
        changes = [_without(here, imported, target.name, helpers), changes[0]]
    found = {here.document.path: changes}
    if gone:
        found[home.document.path] = [_removed(home, target)]
    return found


def _said(home: Part, target: ast.FunctionDef, name: str) -> bool:
    """Whether a function names itself."""
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(target))


def unused(parts: Sequence[Part], errors: Sequence[Inlinable]) -> dict[str, list[Edit]]:
    """What takes a function away that several files have had brought; nothing if others use it."""
    target = errors[0].target
    home = part_of(parts, target)
    used = sum(1 if isinstance(e.call.func, ast.Attribute) else 2 for e in errors)
    if len(errors) < 2 or uses_of(home, parts, target.name) != used:
        return {}
    return {home.document.path: [_removed(home, target)]}


def _removed(home: Part, target: ast.FunctionDef) -> Edit:
    first, last = _lines(home, target)
    lines = home.document.text.splitlines()
    while last < len(lines) and not lines[last].strip():
        last += 1
    return Edit(_start(home, first), _start(home, last + 1), "")


def _taken(
    here: Part, home: Part, func: ast.expr, target: ast.FunctionDef
) -> ast.ImportFrom | None:
    """The import that is all that gives a function of another file its name here."""
    if not isinstance(func, ast.Name) or func.id != target.name:
        return None
    tree = here.document.tree
    found = [
        stmt
        for stmt in tree.body
        if isinstance(stmt, ast.ImportFrom)
        for alias in stmt.names
        if target.name in (alias.name, alias.asname)
    ] or _starred(tree, home, target.name)
    stored = {n.id for n in all_of(tree, ast.Name) if not _loads(n)}
    stored |= {a.arg for a in all_of(tree, ast.arg)}
    stored |= {n.name for n in walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    if len(found) != 1 or target.name in stored:
        return None
    plain = any(a.name in (target.name, "*") and a.asname is None for a in found[0].names)
    return found[0] if plain else None


def _starred(tree: ast.Module, home: Part, name: str) -> list[ast.ImportFrom]:
    """``from ops import *``, which brings a function of that module."""
    if name.startswith("_") or "__all__" in _bound(home.document.tree):
        return []
    module = home.document.path.replace("\\", "/").rpartition("/")[2].removesuffix(".py")
    return [
        stmt
        for stmt in tree.body
        if isinstance(stmt, ast.ImportFrom) and stmt.names[0].name == "*"
        if (stmt.module or "").rpartition(".")[2] == module
    ]


def _last_star(here: Part) -> ast.ImportFrom | None:
    stars = [
        stmt for stmt in all_of(here.document.tree, ast.ImportFrom) if stmt.names[0].name == "*"
    ]
    return max(stars, key=lambda stmt: stmt.lineno, default=None)


def _calls(here: Part, name: str) -> int:
    """How often a file calls what it imports under a name."""
    calls = [n.func for n in all_of(here.document.tree, ast.Call)]
    return sum(isinstance(func, ast.Name) and func.id == name for func in calls)


def _alike(here: Part, func: ast.expr) -> list[ast.expr]:
    """What a file calls as it calls something here: ``net.loss``, in the order of its lines."""
    tree, owner = here.document.tree, getattr(func, "value", None)
    others = {n.id for n in all_of(tree, ast.Name) if not _loads(n)}
    others |= {a.arg for a in all_of(tree, ast.arg)}
    if not isinstance(owner, ast.Name) or owner.id in others:
        return [func]
    said = ast.dump(func)
    found = [n.func for n in all_of(tree, ast.Call) if ast.dump(n.func) == said]
    return sorted(found, key=lambda n: (n.lineno, n.col_offset))


def _quiet(home: Part, parts: Sequence[Part]) -> bool:
    """Whether a module only defines: nothing happens when it is imported."""
    paths = [part.document.path for part in parts]
    root = paths[0].rpartition("/")[0]
    while root and not all(path.startswith(f"{root}/") for path in paths):
        root = root.rpartition("/")[0]
    above = root.rpartition("/")[0]  # a package may be imported by the name of its folder
    files = {word for path in paths for word in re.findall(r"\w+", path.removeprefix(above))}
    for stmt in home.document.tree.body:
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            words = {word for a in stmt.names for word in a.name.split(".")}
            if isinstance(stmt, ast.ImportFrom):
                words |= set((stmt.module or "").split("."))
                if stmt.level:
                    return False
            if words & files:
                return False
        elif isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            if stmt.decorator_list:
                return False
        elif not isinstance(stmt, (ast.Assign, ast.Expr)) or any(
            isinstance(n, ast.Call) for n in walk(stmt)
        ):
            return False
    return True


def _importable(here: Part, home: Part, imported: ast.ImportFrom, name: str) -> bool:
    """Whether a function of a module may be imported where another one of it is, by its name."""
    defined = [s for s in home.document.tree.body if getattr(s, "name", "") == name]
    stored = [n for n in all_of(home.document.tree, ast.Name) if n.id == name]
    if len(defined) != 1 or not isinstance(defined[0], ast.FunctionDef):
        return False
    if not all(map(_loads, stored)):
        return False
    if any(a.name == name and a.asname is None for a in imported.names):
        return True
    return name not in _bound(here.document.tree) and not hasattr(builtins, name)


def _without(here: Part, stmt: ast.ImportFrom, name: str, helpers: Sequence[str]) -> Edit:
    """An import without a name, or none; with the functions that what was so called calls."""
    rest = [a for a in stmt.names if a.name != name]
    known = {a.name for a in rest if a.asname is None}
    rest += [ast.alias(helper) for helper in helpers if helper not in known]
    if not rest:
        first, last = (stmt.lineno - here.line, (stmt.end_lineno or stmt.lineno) - here.line)
        return Edit(_start(here, first), _start(here, last + 1), "")
    start, end = (
        here.document.index.offset(line - here.line, column)
        for line, column in (
            (stmt.names[0].lineno, stmt.names[0].col_offset),
            (stmt.names[-1].end_lineno or 0, stmt.names[-1].end_col_offset or 0),
        )
    )
    return Edit(start, end, ", ".join(ast.unparse(a) for a in rest))


def _prefixed(here: Part, home: Part, target: ast.FunctionDef) -> list[ast.Name] | None:
    """The names that mean something of the function's own module; None where one can't be had."""
    own = {a.arg for a in all_of(target.args, ast.arg)}
    names = all_of(target, ast.Name)
    own |= {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    inner = {a.arg for a in all_of(target, ast.arg)} - own
    inner |= {n.name for n in walk(target) if isinstance(n, NAMED) and n is not target}
    imported, ours = _imports(home.document.tree), _imports(here.document.tree)
    bound = _bound(home.document.tree)
    if inner & set(_of_module(home.document.tree)):
        return None  # which one a name means depends on where it stands
    own |= inner
    found = []
    for name in names:
        if name.id in own:
            continue
        if name.id in imported:
            if ours.get(name.id) != imported[name.id]:
                return None
        elif name.id in bound:
            found.append(name)
        elif not hasattr(builtins, name.id):
            return None
    return found


def _imports(tree: ast.Module) -> dict[str, str]:
    """The module's imports, by the names that they bind."""
    found = {}
    for stmt in tree.body:
        for alias in stmt.names if isinstance(stmt, (ast.Import, ast.ImportFrom)) else ():
            source = getattr(stmt, "module", "") if isinstance(stmt, ast.ImportFrom) else ""
            name = alias.asname or alias.name.partition(".")[0]
            found[name] = f"{source}:{alias.name}"
    return found


def _of_module(node: ast.AST) -> Iterator[str]:
    """The names that a module itself binds."""
    for child in children(node):
        if isinstance(child, NAMED):
            yield child.name
        elif isinstance(child, ast.alias):
            yield child.asname or child.name.partition(".")[0]
        elif isinstance(child, ast.Name) and not _loads(child):
            yield child.id
        if not isinstance(child, (*NAMED, ast.Lambda)):
            yield from _of_module(child)


def _bound(tree: ast.Module) -> set[str]:
    found = {n.id for n in all_of(tree, ast.Name) if not _loads(n)}
    found |= {a.arg for a in all_of(tree, ast.arg)}
    return found | {n.name for n in walk(tree) if isinstance(n, NAMED)} | set(_imports(tree))


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def uses_of(home: Part, parts: Sequence[Part], name: str, of: Part | None = None) -> int:
    """How often a name is read that may be one of a file: in it, and in files that import it.

    ``of``: the file that has it, where that is another one.
    """
    own = [part for part in parts if part is home or _imports_of(part, home)]
    nodes = (n for part in own for n in walk(part.document.tree))
    other = {key for part in own for key in shadowed(part.document.tree, name)}
    other |= {id(n) for part in own for n in _of_libraries(part.document.tree)}
    for part in own:  # which has a function of its own that is called so
        tree = part.document.tree
        if part is not (of or home) and any(getattr(s, "name", "") == name for s in tree.body):
            other |= {id(n) for n in all_of(tree, ast.Name)}
    other -= {id(n) for part in own for n in _of_module_itself(part, of or home)}
    return sum(
        (name in (getattr(n, "id", ""), getattr(n, "attr", "")) and id(n) not in other)
        or (isinstance(n, ast.alias) and name in (n.name, n.asname))
        for n in nodes
    )


def _of_module_itself(part: Part, home: Part) -> Iterator[ast.Attribute]:
    """``net.loss`` of a module's name: a local name ``loss`` is something else."""
    stem = re.split(r"[/\\]", home.document.path.removesuffix(".py"))[-1]
    found = _imports(part.document.tree).items()
    modules = {name for name, said in found if re.split("[:.]", said)[-1] == stem}
    for n in all_of(part.document.tree, ast.Attribute):
        if isinstance(n.value, ast.Name) and n.value.id in modules:
            yield n


def _of_libraries(tree: ast.Module) -> Iterator[ast.Attribute]:
    """Attributes of TensorFlow's or NumPy's, which are no function of the program: ``tf.train``."""
    imports = (s for s in all_of(tree, ast.Import))
    modules = {
        a.asname or a.name.partition(".")[0]
        for stmt in imports
        for a in stmt.names
        if a.name.partition(".")[0] in ("tensorflow", "numpy")
    }
    for n in walk(tree):
        if isinstance(n, ast.Attribute) and getattr(n.value, "id", None) in modules:
            yield n


def _imports_of(part: Part, home: Part) -> bool:
    """Whether a file may import another one."""
    words = set(re.findall(r"\w+", home.document.path.removesuffix(".py")))
    for stmt in walk(part.document.tree):
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            said = [getattr(stmt, "module", "") or "", *(a.name for a in stmt.names)]
            star = isinstance(stmt, ast.ImportFrom) and stmt.names[0].name == "*"
            if star or words & {word for one in said for word in one.split(".")}:
                return True
    return False


def _lines(part: Part, node: ast.stmt) -> tuple[int, int]:
    """A statement's first line, with the comments above it, and its last one."""
    lines = part.document.text.splitlines()
    decorators = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(d.lineno for d in decorators)]) - part.line
    while first > 1 and re.match(r"#(?! ?%%)", lines[first - 2]):  # no cell's beginning
        first -= 1
    return first, (node.end_lineno or node.lineno) - part.line


def _start(part: Part, line: int) -> int:
    return sum(map(len, part.document.text.splitlines(keepends=True)[: line - 1]))


def _offset(part: Part, node: ast.expr, *, end: bool = False) -> int:
    line, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
    return part.document.index.offset((line or 0) - part.line, column or 0)
