"""What a model_fn reads of the program around it is what it was when the model is made.

    net = tf.estimator.Estimator(model_fn)
    SETTINGS['units'] = 8                   TF 1 calls the model_fn here, Keras's model is there
    net.train(input_fn)

TF 1 calls a model_fn for each training, evaluation and prediction; a model's layers are made with
it, and its steps are traced once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

CHANGES = frozenset(
    {"update", "append", "extend", "insert", "setdefault", "pop", "popitem", "clear", "remove"}
    | {"add_hparam", "set_hparam", "del_hparam", "override_from_dict", "parse", "parse_json"}
)
ANY = "?"  # a part of a path that isn't seen
Path = tuple[str, ...]


def checked(
    program: Program, function: ast.FunctionDef, call: ast.Call, bound: Iterable[ast.expr]
) -> None:
    """Look for what changes something that a model_fn reads, behind where an Estimator is made.

    ``bound``: what is bound to its arguments, which may be what a lambda reads.

    Raises:
        Blocked: something does.
    """
    read = dict[tuple[int, str], set[Path]]()
    inside: set[int] = set()
    called = _called(program, function)
    inside |= {id(n) for each in called for n in walk(each)}
    for each in (*called, *bound):
        for node in walk(each):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                key, path = _key(program, node), _path(program, node)
                if key is None and program.scopes.bindings(node.id, node):
                    key, path = _elsewhere(program, node), path[1:]
                if key is not None:
                    read.setdefault(key, set()).add(path)
    made = list(_ways(program, call))
    for change, key, path in _changes(program, inside):
        if not any(_same(path, other) for other in read.get(key, ())):
            continue
        for place in _ways(program, change):
            if any(_behind(program, place, event) for event in made):
                name = ast.unparse(change.func if isinstance(change, ast.Call) else change)
                raise Blocked(
                    change, f"`{name}` changes what a model_fn reads, behind its Estimator"
                )


def _called(program: Program, function: ast.FunctionDef) -> list[ast.AST]:
    """A function, and the functions and classes of the program that it names."""
    found: list[ast.AST] = [function]
    for each in found:
        for node in walk(each):
            if not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            known = program.scopes.lookup(node)
            if known is not None and known.kind in ("def", "class"):
                if not any(known.node is f for f in found):
                    found.append(known.node)
    return found


def _key(program: Program, node: ast.Name) -> tuple[int, str] | None:
    """Whose a name is: that of a function, a file or of what a file imports."""
    scopes = program.scopes
    found = scopes.bindings(node.id, node)
    if not found:
        return None
    if found[0].kind == "import":
        tree = scopes.module(found[0], node.id)
        if tree is not None:  # a file of the program: its names are looked at
            return None if isinstance(_above(program, node), ast.Attribute) else (id(tree), "")
        other = scopes.imported(found[0], node.id)
        if other is not None and other is not found[0]:
            return id(other.scope), node.id
        return 0, ast.unparse(found[0].node)
    return id(found[0].scope), node.id


def _above(program: Program, node: ast.AST) -> ast.AST:
    return program.scopes.parents[id(node)]


def _path(program: Program, node: ast.AST) -> Path:
    """What is looked up of a name, one after the other."""
    found: list[str] = []
    above = _above(program, node)
    while True:
        if isinstance(above, ast.Attribute) and above.value is node:
            found.append(above.attr)
        elif isinstance(above, ast.Subscript) and above.value is node:
            known = isinstance(above.slice, ast.Constant)
            found.append(str(above.slice.value) if isinstance(above.slice, ast.Constant) else ANY)
            if not known:
                return tuple(found)
        else:
            return tuple(found)
        node, above = above, _above(program, above)


def _same(one: Path, other: Path) -> bool:
    """Whether one of two paths is the beginning of the other."""
    return all(a == b or ANY in (a, b) for a, b in zip(one, other, strict=False))


def _changes(program: Program, inside: set[int]) -> Iterator[tuple[ast.AST, tuple[int, str], Path]]:
    """Where names get another value, or what they are is changed; ``inside``: by a model_fn."""
    for node in program.scopes.walk():
        if id(node) in inside:
            continue
        target: ast.AST | None = None
        stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if isinstance(node, (ast.Attribute, ast.Subscript)) and stored:
            target = node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in CHANGES:
                target = node.func.value
        elif isinstance(node, ast.Name) and stored:
            yield node, _own(program, node), ()
            continue
        while isinstance(target, (ast.Attribute, ast.Subscript)):
            target = target.value
        if not isinstance(target, ast.Name):
            continue
        key = _key(program, target)
        path = _path(program, target)
        path = path[:-1] if isinstance(node, ast.Call) else path
        if key is None:  # a name of another file
            key, path = _elsewhere(program, target), path[1:]
        external = key is not None and key[0] == 0 and isinstance(node, ast.Call) and not path
        if key is not None and not external:
            yield node, key, path


def _own(program: Program, node: ast.Name) -> tuple[int, str]:
    """Whose a name is that gets a value."""
    scope = program.scopes.scope(node)
    if any(node.id in s.names for s in all_of(scope, ast.Global)):
        scope = program.page(node).part.document.tree
    return id(scope), node.id


def _elsewhere(program: Program, node: ast.Name) -> tuple[int, str] | None:
    """The name of another file that is changed: `settings.UNITS = 3`."""
    tree = program.scopes.module(program.scopes.bindings(node.id, node)[0], node.id)
    first = _above(program, node)
    return (id(tree), first.attr) if tree is not None and isinstance(first, ast.Attribute) else None


def _ways(program: Program, node: ast.AST) -> Iterator[ast.AST]:
    """Where something happens: the place itself, and calls of the functions that it stands in."""
    todo, seen = [node], set[int]()
    while todo:
        at = todo.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        yield at
        scope = program.scopes.scope(at)
        if isinstance(scope, ast.FunctionDef):
            if isinstance(program.scopes.parents[id(scope)], ast.ClassDef):
                todo += [
                    n
                    for n in program.scopes.walk()
                    if isinstance(n, ast.Attribute) and n.attr == scope.name
                ]
            else:
                todo += program.readers(scope)


def _behind(program: Program, place: ast.AST, event: ast.AST) -> bool:
    """Whether one place is behind another one in the same function."""
    scopes = program.scopes
    if scopes.scope(place) is not scopes.scope(event) or place is event:
        return False
    if program.page(place) is not program.page(event):
        return False
    first, last = scopes.statement(event), scopes.statement(place)
    if first is last or (last.lineno, last.col_offset) < (first.lineno, first.col_offset):
        return False
    return not _apart(program, event, place)


def _apart(program: Program, one: ast.AST, other: ast.AST) -> bool:
    """Whether two places stand in branches of which only one runs."""
    around: Iterable[ast.AST] = list(program.scopes.around(other))
    inner = one
    for above in program.scopes.around(one):
        if isinstance(above, ast.If) and any(above is a for a in around):
            beside = above.orelse if inner in above.body else above.body
            if any(s is a for s in beside for a in [*around, other]):
                return True
        inner = above
    return False
