"""Functions that make variables and return in branches: they come to return once, at their end.

``if act is None: return h``, ``else: return act(h)`` is one conditional return, or a name that each
branch gives a value. What applies the variables ends with one result then.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container
from itertools import pairwise
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.feeding.fed_ways import _text
from migrate.programs.graph.making.owned_branches import negated
from migrate.programs.graph.meaning import VARIABLES
from migrate.programs.graph.model import Blocked, Kind, Step, Value
from migrate.programs.graph.objects import decided_members
from migrate.programs.graph.wording.known_branches import margin, span
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

WIDTH = 88
REASON = "a function that makes variables returns in a branch"
# What would have to stand in parentheses beside `if` and `else`.
LOOSE = (ast.IfExp, ast.Lambda, ast.Tuple, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Starred)


def check(walker: Any, target: ast.AST) -> None:
    """See whether all returns of a function are ends of its last branches, or follow them.

    Raises:
        Spelled: they are, and one return at the end says the same.
    """
    if not isinstance(target, ast.FunctionDef):
        return
    block = target.body
    while isinstance(block[-1], ast.With):
        block = block[-1].body
    _early(target, block)
    last = block[-1]
    after = last if isinstance(last, ast.Return) and len(block) > 1 else None
    branch = block[-2] if after is not None else last
    if not isinstance(branch, ast.If):
        return
    if after is None:
        decided_members.ends(walker, target, branch, REASON)
    ends = _ends(branch)
    if ends is None or (after is None) != _complete(branch):
        return
    returns = [*ends, *([after] if after is not None else [])]
    every = all_of(target, ast.Return)
    if {id(n) for n in every} != {id(n) for n in returns} or any(n.value is None for n in returns):
        return
    if after is not None and _named(after.value) and _alike(after.value, ends):
        name = ast.unparse(after.value).strip("()")  # type: ignore[arg-type]
        raise Spelled(branch, REASON, [(end, _assigned(end, name)) for end in ends])
    longer = _longer(target, branch, returns)
    if len(returns) == 2 and _bare(branch) and _tight(branch, returns):
        place = after or branch
        gone = [(branch, _nothing)] if after is not None else []
        raise Spelled(
            branch, REASON, [*gone, (place, _conditional(branch, *returns))], otherwise=longer
        )
    if longer is not None:
        raise longer


def settled(walker: Any, target: ast.AST, node: ast.expr) -> None:
    """See that a name which branches give a value is of tensors, and of no variable beside them.

    Who has a variable reads, trains and saves it; the function that applies it gives a tensor.

    Raises:
        Blocked: a branch gives it one.
    """
    if not isinstance(node, ast.Name) or not isinstance(target, ast.FunctionDef):
        return
    branches = [s for n in all_of(target, ast.If) for s in all_of(n, ast.Assign)]
    for stmt in branches:
        if any(isinstance(t, ast.Name) and t.id == node.id for t in stmt.targets):
            parts = stmt.value.elts if isinstance(stmt.value, ast.Tuple) else [stmt.value]
            if any(_is_variable(walker, part) for part in parts):
                raise Blocked(stmt, f"{REASON}, a variable beside tensors")


def _is_variable(walker: Any, node: ast.expr) -> bool:
    """Whether an expression that was followed is a variable: by its name, or what it is of."""
    if isinstance(node, ast.Name):
        symbol = walker.meant.get(id(node))
        return symbol is not None and symbol.value.kind is Kind.VARIABLE
    if not isinstance(node, (ast.Attribute, ast.Subscript)):
        return walker.endpoints.get(id(getattr(node, "func", None))) in VARIABLES
    sink = walker.sink
    walker.sink = Step(-1, sink.node, Kind.HOST)
    try:
        value: Value = walker.expression(node)
    finally:
        walker.sink = sink
    return value.kind is Kind.VARIABLE


def _early(target: ast.FunctionDef, block: list[ast.stmt]) -> None:
    """See whether a branch returns before the rest of a function, which then is its other way.

    Raises:
        Spelled: the rest is an ``else``, and one return stands at the end.
    """
    early = [s for s in block if isinstance(s, ast.If) and all_of(s, ast.Return)]
    after = block[-1]
    if not early or not isinstance(after, ast.Return):
        return
    branch = early[-1]
    rest = block[block.index(branch) + 1 :]
    ends = _ends(branch)
    every = {id(n) for s in (branch, *rest) for n in all_of(s, ast.Return)}
    if len(rest) < 2 or ends is None or _complete(branch):
        return
    given = after.value
    if every != {id(n) for n in (*ends, after)} or any(n.value is None for n in ends):
        return
    if given is None:
        return
    kept = _named(given) and _alike(given, ends)
    name = ast.unparse(given).strip("()") if kept else _free(target)
    if name is None:
        return
    if not kept:
        _rebound(target, branch, rest)
    if any(a.lineno <= (b.end_lineno or 0) for b, a in pairwise([branch, *rest])):
        return
    if any(map(_text, rest)):
        return
    inner = span(((branch.end_lineno or 0) + 1, 0), (after.lineno, 0))
    plain = [s for s in branch.body if ast.unparse(s) == f"return {name}" and not branch.orelse]

    def deeper(source: Source, head: str) -> str:
        more = source(margin(target.body[0])).removeprefix(source(margin(target)))
        lines = source(inner).lstrip("\n").splitlines(keepends=True)
        return head + "".join(more + line if line.strip() else line for line in lines)

    def ended(source: Source) -> str:
        more = source(margin(target.body[0])).removeprefix(source(margin(target)))
        given = _assigned(after, str(name))(source).replace("\n", f"\n{more}")
        return f"{more}{given}\n{source(margin(after))}return {name}"

    def inverted(source: Source) -> str | None:
        whole = source(span((branch.lineno, 0), ((branch.end_lineno or 0) + 1, 0)))
        return f"if {ast.unparse(negated(branch.test))}:" if "#" not in whole else None

    written: list[Written] = [(end, _assigned(end, name)) for end in ends]
    if plain:
        written = [(plain[0], lambda _: "pass")]
    written.append((inner, lambda source: deeper(source, f"{source(margin(branch))}else:\n")))
    longer = Spelled(branch, REASON, written if kept else [*written, (after, ended)])
    if plain == branch.body:  # `if plain: return h`
        bare: list[Written] = [(branch, inverted), (inner, lambda source: deeper(source, ""))]
        raise Spelled(branch, REASON, bare, otherwise=longer)
    raise longer


def _rebound(target: ast.FunctionDef, branch: ast.If, rest: list[ast.stmt]) -> None:
    """``pool = max_pool(net)`` behind ``if pool is False:``, where ``pool`` is a parameter.

    Raises:
        Spelled: what comes behind the branch has a name of its own.
    """
    args = {a.arg for a in all_of(target.args, ast.arg)}
    read = {n.id for n in all_of(branch.test, ast.Name)} & args
    names = [n for stmt in rest for n in all_of(stmt, ast.Name)]
    taken = {n.id for n in all_of(target, ast.Name)} | args
    for stmt in rest:
        for old in (n.id for n in all_of(stmt, ast.Name) if isinstance(n.ctx, ast.Store)):
            new = f"{old}_output"
            earlier = any(n.id == old and n.lineno < stmt.lineno for n in names)
            if old in read and new not in taken and not earlier and isinstance(stmt, ast.Assign):
                if old not in {n.id for n in all_of(stmt.value, ast.Name)}:
                    again = [n for n in names if n.id == old]
                    raise Spelled(branch, REASON, [(n, word(new)) for n in again])


def _free(target: ast.FunctionDef) -> str | None:
    """A name for what a function returns."""
    taken = {n.id for n in all_of(target, ast.Name)}
    taken |= {a.arg for a in all_of(target.args, ast.arg)}
    return next((n for n in ("outputs", "result") if n not in taken), None)


def complains(scope: Any, stmt: ast.If, before: Container[str]) -> bool:
    """Whether an ``else`` only prints that no way was chosen, and a name is missing then.

    The program ends at that name, wherever the message is printed.
    """
    says = [
        isinstance(s, ast.Expr)
        and isinstance(s.value, ast.Call)
        and isinstance(s.value.func, ast.Name)
        and s.value.func.id == "print"
        and all(isinstance(a, (ast.Constant, ast.Name, ast.JoinedStr)) for a in s.value.args)
        for s in stmt.orelse
    ]
    names = {
        t.id
        for s in stmt.body
        if isinstance(s, ast.Assign)
        for t in s.targets
        if isinstance(t, ast.Name)
    }
    names = {name for name in names if name not in before}
    return bool(says) and all(says) and bool(names & _read(scope, stmt.end_lineno or 0))


def _read(scope: ast.AST, line: int) -> set[str]:
    """The names that a function, or a file, reads below a line, whatever happens."""
    found: set[str] = set()
    stack = list(getattr(scope, "body", ()))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.With):
            stack.extend(node.body)
        elif isinstance(node, (ast.Assign, ast.Expr, ast.Return)) and node.lineno > line:
            found |= {n.id for n in all_of(node, ast.Name)}
    return found


def _conditional(
    branch: ast.If, first: ast.Return, second: ast.Return
) -> Callable[[Source], str | None]:
    """One return of either, where that is a short line."""

    def written(source: Source) -> str | None:
        assert first.value is not None
        assert second.value is not None
        line = f"return {source(first.value)} if {source(branch.test)} else {source(second.value)}"
        fits = "\n" not in line and branch.col_offset + len(line) <= WIDTH
        return line if fits and "#" not in source(branch) else None

    return written


def _longer(target: ast.FunctionDef, branch: ast.If, returns: list[ast.Return]) -> Spelled | None:
    """A name that each branch gives a value."""
    name = _free(target)
    if name is None:
        return None
    indent, (first, *_) = " " * branch.col_offset, branch.body
    step = first.col_offset - branch.col_offset if first.lineno > branch.lineno else 4
    *others, last = returns

    def ended(source: Source) -> str | None:
        given = _assigned(last, name)(source)
        several = "\n" in given
        given = f"{given}\n{indent}return {name}"
        if last.col_offset == branch.col_offset:  # it follows the branches
            if several:
                return None
            given = f"else:\n{indent}{' ' * step}{given}"
        return given if "\t" not in source(branch) and not (several and _text(last)) else None

    written = [(end, _assigned(end, name)) for end in others]
    return Spelled(branch, REASON, [*written, (last, ended)])


def _nothing(source: Source) -> str:
    return ""


def _ends(branch: ast.If) -> list[ast.Return] | None:
    """The returns with which the branches end; None where one doesn't."""
    found: list[ast.Return] = []
    for body in (branch.body, branch.orelse):
        last = body[-1] if body else None
        if isinstance(last, ast.Return):
            found.append(last)
        elif isinstance(last, ast.If):
            inner = _ends(last) if body is branch.orelse and len(body) == 1 else None
            if inner is None:
                return None
            found.extend(inner)
        elif last is not None:
            return None
    return found


def _complete(branch: ast.If) -> bool:
    """Whether one of the branches is always taken."""
    if len(branch.orelse) == 1 and isinstance(branch.orelse[0], ast.If):
        return _complete(branch.orelse[0])
    return bool(branch.orelse)


def _named(node: ast.expr | None) -> bool:
    """Whether an expression is a name, or a tuple of such."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return bool(parts) and all(isinstance(n, ast.Name) for n in parts)


def _alike(node: ast.expr | None, ends: list[ast.Return]) -> bool:
    """Whether returns give as many things as an expression has."""
    count = len(node.elts) if isinstance(node, ast.Tuple) else 0
    given = [len(n.value.elts) if isinstance(n.value, ast.Tuple) else 0 for n in ends]
    return given == [count] * len(ends)


def _bare(branch: ast.If) -> bool:
    return len(branch.body) == 1 and len(branch.orelse) <= 1


def _tight(branch: ast.If, returns: list[ast.Return]) -> bool:
    parts = [branch.test, *(n.value for n in returns)]
    return not any(isinstance(n, LOOSE) for n in parts)


def _assigned(end: ast.Return, name: str) -> Callable[[Source], str]:
    """A name is given what was returned; lines that were aligned with it stay so."""

    def written(source: Source) -> str:
        value = source(end).removeprefix("return").lstrip()
        first, *rest = value.split("\n")
        if first.endswith(("(", "[", "{", "\\")) or _text(end):
            return f"{name} = {value}"
        by = len(f"{name} = ") - len("return ")
        lines = [" " * by + line if by > 0 else line[-by:] for line in rest]
        deep = all(by > 0 or not line[:-by].strip() for line in rest)
        return "\n".join([f"{name} = {first}", *(lines if deep else rest)])

    return written
