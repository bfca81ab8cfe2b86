"""A net that is written twice: DCGAN's ``generator(z)``, and ``sampler(z)`` that finds its layers.

Both compute the same but for constants (``train=False``), under whatever local names. One
function with these as parameters stays: ``self.generator(z, train=False, reuse=True)``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.layering.net_comparison import (
    Difference,
    Pair,
    Unlike,
    compare,
    default,
    home,
    said,
)
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free, word

WHY = "a net that two functions write"


def check(walker: Any, target: ast.AST, other: ast.AST) -> None:
    """See whether two functions around calls that share layers write one net.

    Args:
        walker: what follows the program.
        target: the call that finds variables again.
        other: the call that made them.

    Raises:
        Spelled: they do.
    """
    second, first = _around(walker, target), _around(walker, other)
    if first is not None and second is not None and first is not second:
        _try(walker, target, first, second)


def of_method(walker: Any, stmt: ast.stmt) -> None:
    """See whether the method around a statement writes the net of another one of its class.

    Raises:
        Spelled: it does.
    """
    first = _around(walker, stmt)
    if first is not None and isinstance(home(walker, first), ast.ClassDef):
        beside(walker, first, stmt)


def beside(walker: Any, function: ast.FunctionDef, node: ast.AST) -> None:
    """See whether a function writes the net of another one that stands beside it.

    Raises:
        Spelled: it does.
    """
    for other in getattr(home(walker, function), "body", ()):
        if isinstance(other, ast.FunctionDef) and other is not function:
            _try(walker, node, function, other)
            _try(walker, node, other, function)


def _try(walker: Any, node: ast.AST, first: ast.FunctionDef, second: ast.FunctionDef) -> None:
    if not any(map(_reuses, walk(second))) or first.decorator_list or second.decorator_list:
        return
    calls = _calls(walker, second)
    if calls is None or not _one(walker, first.name) or _read(walker, (first, second)):
        return
    replaced = _compared(walker, first, second, calls)
    if replaced is not None:
        raise Spelled(node, WHY, replaced)


def _reuses(node: ast.AST) -> bool:
    """Whether a call says that variables are found again."""
    return isinstance(node, ast.Call) and (
        said(node.func) == "reuse_variables" or any(k.arg == "reuse" for k in node.keywords)
    )


def _compared(
    walker: Any, first: ast.FunctionDef, second: ast.FunctionDef, calls: Sequence[ast.Call]
) -> list[Written] | None:
    """The changes that make one function of two, which compute the same."""
    kept = [n for n in all_of(first, ast.Attribute) if isinstance(n.ctx, ast.Store)]
    local = {n.attr: n.attr for n in kept}
    for own in ({}, local, {n: f"{n}_" for n in local}) if kept else ({},):
        pair = Pair(walker, first, second, own=own)
        try:
            compare(pair)
            changes = _written(pair, calls)
        except Unlike:
            if not own:
                return None
            continue
        if own or not kept:
            itself = first.args.args[0].arg if first.args.args else ""
            parts = [n for n in all_of(first, ast.Attribute) if n.attr in own]
            if any(ast.unparse(n.value) != itself for n in parts):
                return None
            return [*changes, *((n, word(own[n.attr])) for n in parts)]
    return None


def _around(walker: Any, call: ast.AST) -> ast.FunctionDef | None:
    found = [n for n in all_of(walker.tree, ast.FunctionDef) if holds(n, call)]
    return found[0] if len(found) == 1 and not found[0].decorator_list else None


def _calls(walker: Any, second: ast.FunctionDef) -> list[ast.Call] | None:
    """The calls of a function, where all of them are seen."""
    name = second.name
    method = isinstance(home(walker, second), ast.ClassDef)
    defined = stored = 0
    calls: list[ast.Call] = []
    loads = 0
    for tree in walker.program():
        here = method or tree is walker.tree  # a method is called by its name in every file
        for n in walk(tree):
            if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name:
                defined += 1
            elif isinstance(n, ast.alias) and (n.asname or n.name) == name:
                return None
            elif isinstance(n, ast.Call) and said(n.func) == name:
                if not here or isinstance(n.func, ast.Attribute) is not method:
                    return None
                calls.append(n)
            if isinstance(n, (ast.Name, ast.Attribute)) and said(n) == name:
                if isinstance(n.ctx, ast.Store):
                    stored += 1
                    if isinstance(n, ast.Name) and not method:
                        return None
                elif isinstance(n, ast.Attribute) is method:
                    loads += 1
    if defined != 1 or not calls or (loads > len(calls) and not stored):
        return None
    plain = all(
        not any(isinstance(a, ast.Starred) for a in c.args)
        and all(k.arg is not None for k in c.keywords)
        for c in calls
    )
    return calls if plain else None


def _one(walker: Any, name: str) -> bool:
    """Whether a name means one function everywhere: no subclass and no tensor takes it over."""
    defined = 0
    for tree in walker.program():
        for n in walk(tree):
            if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name:
                defined += 1
            elif isinstance(n, (ast.Name, ast.Attribute)) and said(n) == name:
                if isinstance(n.ctx, ast.Store):
                    return False
    return defined == 1


def _read(walker: Any, both: Sequence[ast.FunctionDef]) -> bool:
    """Whether what one of the two keeps in its object is read elsewhere."""
    kept: set[str] = set()
    inside: set[int] = set()
    for target in both:
        for n in walk(target):
            inside.add(id(n))
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store):
                kept.add(n.attr)
    return any(
        n.attr in kept and id(n) not in inside
        for tree in walker.program()
        for n in all_of(tree, ast.Attribute)
    )


def _written(pair: Pair, calls: Sequence[ast.Call]) -> list[Written]:
    """The changes: the first's parameters, what it gives its calls; the second goes."""
    walker, first = pair.walker, pair.first
    reuse = next((n for n, v in pair.bound.items() if v is True and n == "reuse"), None)
    if pair.reuse and reuse is None and pair.scope is None:
        raise Unlike
    taken = {a.arg for a in first.args.args} | {n.id for n in all_of(first, ast.Name)}
    new: dict[tuple[str, object, object], str] = {}
    changes: list[Written] = []
    for one in pair.differences:
        key = (one.name, one.first, one.second)
        if key not in new:
            if one.name in taken:
                new[key] = free(walker, one.name, taken)
            else:
                new[key] = one.name
            taken.add(new[key])
        changes.append(_said_so(one, new[key]))
    added = [f"{name}={key[1]!r}" for key, name in new.items()]
    said = [f"{name}={value!r}" for name, value in pair.bound.items()]
    said += [f"{name}={key[2]!r}" for key, name in new.items()]
    if pair.reuse and reuse is None and pair.scope is not None:
        if any(k.arg == "reuse" for k in pair.scope.keywords) or "reuse" in taken:
            raise Unlike
        added.append("reuse=False")
        said.append("reuse=True")
        changes.append(_more(pair.scope, "reuse=reuse"))
    if added:
        last = first.args.args[-1]
        node = default(first.args, last) or last
        changes.append((node, lambda source: ", ".join([source(node), *added])))
    named = dict(
        zip(
            (a.arg for a in pair.second.args.args),
            (a.arg for a in first.args.args),
            strict=False,
        )
    )
    for call in calls:
        if any(named.get(k.arg or "") != k.arg for k in call.keywords) or holds(pair.second, call):
            raise Unlike
        changes.extend(_instead(call, first.name, said))
    changes.append((pair.second, lambda _: ""))
    return changes


def _said_so(one: Difference, name: str) -> Written:
    if one.node is not None:
        return one.node, word(name)
    return _more(one.call, f"{one.name}={name}")


def _more(call: ast.Call, text: str) -> Written:
    """One argument more: what stands behind the last one is written anew."""
    given = [*call.args, *(k.value for k in call.keywords)]
    last = max(given, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0), default=call.func)
    line, column = last.end_lineno or 0, last.end_col_offset or 0
    end = ast.Pass(
        lineno=line,
        col_offset=column,
        end_lineno=call.end_lineno,
        end_col_offset=call.end_col_offset,
    )
    return end, word(f", {text})" if given else f"({text})")


def _instead(call: ast.Call, name: str, said: Sequence[str]) -> list[Written]:
    """A call of the other function, with what tells it apart."""
    func = call.func

    def named(source: Source) -> str:
        whole = source(func)
        return f"{whole[: whole.rfind('.') + 1]}{name}"

    return [(func, named), *([_more(call, ", ".join(said))] if said else [])]
