"""Dicts that only name parts of a graph: ``g["loss"] = …`` is ``loss = …``.

A dict that begins empty and is asked for nothing but entries under constant words holds names, one
for each word. What it is returned as is a display of them: ``return {"loss": loss}``.
"""

from __future__ import annotations

import ast
import keyword
import re
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.meaning import PLACEHOLDERS
from migrate.programs.graph.model import Symbol
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word

INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, *COMPREHENSIONS)
TRAINS = ("minimize", "apply_gradients")
UNREAD = (ast.JoinedStr, ast.Global, ast.Nonlocal, ast.Delete)


def check(walker: Any, container: ast.expr) -> None:
    """See whether a dict that holds a part of a graph is only names.

    Raises:
        Spelled: it is; its entries can be those.
    """
    scope = walker.frame.node
    if not isinstance(container, ast.Name) or not isinstance(scope, (ast.Module, ast.FunctionDef)):
        return
    name = container.id
    made = _made(scope, name)
    if made is None or any(name in _words(n) for n in walk(scope) if isinstance(n, UNREAD)):
        return
    parents = parents_of(scope)
    uses = [n for n in all_of(scope, ast.Name) if n.id == name]
    taken: list[tuple[ast.Subscript, str]] = []
    returned: list[ast.Return] = []
    for use in uses:
        outer = parents[id(use)]
        if outer is made:
            continue
        if isinstance(outer, ast.Return) and isinstance(scope, ast.FunctionDef):
            returned.append(outer)
        elif isinstance(outer, ast.Subscript) and isinstance(outer.slice, ast.Constant):
            if not isinstance(outer.slice.value, str) or not outer.slice.value:
                return
            taken.append((outer, outer.slice.value))
        else:
            return
    if _bound_inside(scope, name, taken) or not all(r in scope.body for r in returned):
        return
    whole = _stored(scope, [node for node, _ in taken])
    if returned and (len(returned) > 1 or {k for _, k in taken} - whole - set(_begun(made))):
        return
    begun = _begun(made)
    own = _own(scope, begun, [node for node, _ in taken])
    names = own | _names(
        walker, name, [k for k in [*begun, *(k for _, k in taken)] if k not in own]
    )
    replaced: list[Written] = [(made, lambda _: "")]
    replaced += [(node, word(names[key])) for node, key in taken]
    shown = ", ".join(f"{key!r}: {new}" for key, new in names.items())
    replaced += [(r, word(f"return {{{shown}}}")) for r in returned]

    def lines(source: Source) -> list[str]:
        return [f"{names[key]} = {source(value)}" for key, value in begun.items() if key not in own]

    before = [(made, lines)] if begun.keys() - own.keys() else []
    raise Spelled(container, f"`{name}` holds parts of a graph", replaced, before)


def _made(scope: ast.Module | ast.FunctionDef, name: str) -> ast.Assign | None:
    """The statement that begins a dict, if nothing else binds its name."""
    stores = [
        n for n in all_of(scope, ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)
    ]
    found = [
        s
        for s in _plain(scope)
        if isinstance(s, ast.Assign) and len(s.targets) == 1 and s.targets[0] in stores
    ]
    if len(stores) != 1 or not found:
        return None
    value = found[0].value
    if not isinstance(value, ast.Dict):
        return found[0] if _empty(value) else None
    keys = [k.value if isinstance(k, ast.Constant) else None for k in value.keys]
    plain = all(isinstance(k, str) and k for k in keys) and len(set(keys)) == len(keys)
    return found[0] if plain else None


def _begun(made: ast.Assign) -> dict[str, ast.expr]:
    """What a dict begins with."""
    if not isinstance(made.value, ast.Dict):
        return {}
    pairs = zip(made.value.keys, made.value.values, strict=True)
    return {str(k.value): v for k, v in pairs if isinstance(k, ast.Constant)}


def _own(scope: ast.AST, begun: dict[str, ast.expr], taken: list[ast.Subscript]) -> dict[str, str]:
    """The names that entries of a dict's display have already, which nothing binds anew."""
    anew = {ast.unparse(n.slice) for n in taken if not isinstance(n.ctx, ast.Load)}
    stores = [n.id for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)]
    named = {k: v.id for k, v in begun.items() if isinstance(v, ast.Name) and repr(k) not in anew}
    stores += [n.arg for n in all_of(scope, ast.arg)]
    return {k: name for k, name in named.items() if stores.count(name) == 1}


def _words(node: ast.AST) -> set[str]:
    """The names that something mentions."""
    found = {n.id for n in all_of(node, ast.Name)}
    return found | set(getattr(node, "names", ()))


def _bound_inside(scope: ast.AST, name: str, taken: list[tuple[ast.Subscript, str]]) -> bool:
    """Whether an inner scope has another such name, or sets an entry."""
    for inner in walk(scope):
        if not isinstance(inner, INNER) or inner is scope:
            continue
        parts = list(walk(inner))
        if any(isinstance(n, ast.arg) and n.arg == name for n in parts):
            return True
        stored = {id(n) for n, _ in taken if not isinstance(n.ctx, ast.Load)}
        if any(id(n) in stored for n in parts):
            return True
        if isinstance(inner, ast.ClassDef) and any(id(n) in map(id, parts) for n, _ in taken):
            return True  # the entry's word may be a name of the class
    return False


def display(walker: Any, made: Symbol, node: ast.AST) -> None:
    """``net = {"x": x, "loss": loss}``, then ``net["x"]``: the entries are the names themselves.

    Raises:
        Spelled: the dict is asked for nothing but entries by their words.
    """
    scope, stmt, name = made.step.function, made.step.node, made.name
    if not isinstance(scope, (ast.Module, ast.FunctionDef)) or not isinstance(stmt, ast.Assign):
        return
    if stmt is not _made(scope, name):
        return
    begun = _begun(stmt)
    parents = parents_of(scope)
    if any(name in _words(n) for n in walk(scope) if isinstance(n, UNREAD)):
        return
    taken: list[tuple[ast.AST, str]] = []
    for use in all_of(scope, ast.Name):
        if use.id != name or parents[id(use)] is stmt:
            continue
        outer = parents[id(use)]
        if not isinstance(outer, ast.Subscript) or not isinstance(outer.ctx, ast.Load):
            return
        key = outer.slice.value if isinstance(outer.slice, ast.Constant) else None
        if key not in begun:
            return
        taken.append((outer, str(key)))
    stores = [n for n in all_of(scope, ast.Name) if not _loads(n)]
    names = [n.id for n in stores]
    if not all(isinstance(v, ast.Name) and names.count(v.id) == 1 for v in begun.values()):
        return
    if isinstance(scope, ast.FunctionDef) or len(walker.files.order) == 1:
        words = {key: v.id for key, v in begun.items() if isinstance(v, ast.Name)}
        replaced: list[Written] = [(stmt, lambda _: "")]
        replaced += [(use, word(words[key])) for use, key in taken]
        raise Spelled(node, f"`{name}` holds parts of a graph", replaced)


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _stored(scope: ast.Module | ast.FunctionDef, taken: list[ast.Subscript]) -> set[str]:
    """The words whose entries are surely set where a function ends."""
    targets = {
        id(t)
        for s in _plain(scope)
        if isinstance(s, ast.Assign)
        for one in s.targets
        for t in (one.elts if isinstance(one, ast.Tuple) else [one])
    }
    return {
        str(n.slice.value) for n in taken if id(n) in targets and isinstance(n.slice, ast.Constant)
    }


def _plain(scope: ast.Module | ast.FunctionDef) -> list[ast.stmt]:
    """The statements that are surely reached, those of blocks with ``with`` included."""
    found = list(scope.body)
    for stmt in found:
        if isinstance(stmt, ast.With):
            found.extend(stmt.body)
    return found


def _names(walker: Any, name: str, keys: list[str]) -> dict[str, str]:
    """The names of the entries, in order: their words where nothing else has them."""
    found: dict[str, str] = {}
    for key in keys:
        if key in found:
            continue
        plain = re.sub(r"\W+", "_", key).strip("_") or "entry"
        if not plain.isidentifier() or keyword.iskeyword(plain):
            plain = f"{name}_{plain}"
        given = [*found.values()]
        free_name = free(walker, plain, given)
        found[key] = plain if free_name == plain else free(walker, f"{name}_{plain}", given)
    return found


def attribute(walker: Any, target: ast.Attribute) -> None:
    """``self.ops = {}``, whose entries are placeholders and train ops: they are attributes.

    Raises:
        Spelled: no object of the program is asked for that dict but for entries by their words.
    """
    stmt, name = walker.stmt, target.attr
    if not isinstance(stmt, ast.Assign) or stmt.targets != [target] or not _empty(stmt.value):
        return
    home = walker.files.at(target)
    parents = parents_of(walker.tree)
    uses = [n for n in all_of(walker.tree, ast.Attribute) if n.attr == name]
    taken: list[tuple[ast.Subscript, str]] = []
    for use in uses:
        if use is target:
            continue
        outer = parents[id(use)]
        if not isinstance(outer, ast.Subscript) or outer.value is not use:
            return
        if not isinstance(outer.slice, ast.Constant) or isinstance(outer.ctx, ast.Del):
            return
        entry = outer.slice.value
        if not isinstance(entry, str) or not entry or walker.files.at(use) is not home:
            return
        taken.append((outer, entry))
    if not any(_runs(walker, parents[id(node)], node) for node, _ in taken):
        return
    texts = all_of(walker.tree, ast.JoinedStr)
    shown = {id(n) for text in texts for n in walk(text)}
    said = {n.value for n in all_of(walker.tree, ast.Constant)}
    if name in said or any(id(node) in shown for node, _ in taken):
        return
    held = {n.attr for n in all_of(walker.tree, ast.Attribute)}
    held |= {n.name for n in all_of(walker.tree, ast.FunctionDef)}
    names: dict[str, str] = {}
    for _, entry in taken:
        plain = re.sub(r"\W+", "_", entry).strip("_")
        if not plain.isidentifier() or keyword.iskeyword(plain) or plain in held:
            plain = f"{name}_{plain}"
        if plain in held or (entry not in names and plain in names.values()):
            return
        names[entry] = plain

    def written(node: ast.Subscript, new: str) -> Written:
        owner = node.value
        assert isinstance(owner, ast.Attribute)
        return node, lambda source: f"{source(owner.value)}.{new}"

    alone = any(getattr(parents[id(stmt)], part, None) == [stmt] for part in ("body", "orelse"))
    replaced: list[Written] = [(stmt, word("pass" if alone else ""))]
    replaced += [written(node, names[entry]) for node, entry in taken]
    raise Spelled(target, f"`{name}` holds parts of a graph", replaced)


def _empty(value: ast.expr) -> bool:
    """Whether a dict begins with nothing."""
    if isinstance(value, ast.Call):
        plain = isinstance(value.func, ast.Name) and value.func.id == "dict"
        return plain and not value.args and not value.keywords
    return isinstance(value, ast.Dict) and not value.keys


def _runs(walker: Any, stmt: ast.AST, entry: ast.Subscript) -> bool:
    """Whether an entry is set to what only a run has: a placeholder, a train op."""
    if not isinstance(stmt, ast.Assign) or entry not in stmt.targets:
        return False
    call = stmt.value
    if not isinstance(call, ast.Call):
        return False
    trains = isinstance(call.func, ast.Attribute) and call.func.attr in TRAINS
    return trains or walker.endpoints.get(id(call.func)) in PLACEHOLDERS
