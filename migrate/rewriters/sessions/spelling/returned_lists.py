"""Lists of variables that a method returns beside tensors, where it is called."""

from __future__ import annotations

import ast
import re

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The method without its lists, and each call followed by what lists its variables."""
    target: ast.FunctionDef = error.found["target"]
    lists: dict[int, ast.Call] = error.found["lists"]
    last = target.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    stays = [n for i, n in enumerate(last.value.elts) if i not in lists]
    said = ", ".join(source.of(n) for n in stays)
    found = [Edit(*source.span(last), f"return {said}" if stays else "return None")]
    for stmt in error.found["dropped"]:
        rest = source.document.text[source.span(stmt)[1] :].partition("\n")[0].strip()
        if not source.alone(stmt) or rest:
            return None
        first = stmt.lineno - source.part.line
        end = (stmt.end_lineno or stmt.lineno) - source.part.line
        before = sum(map(len, source.lines[: first - 1]))
        found.append(Edit(before, before + sum(map(len, source.lines[first - 1 : end])), ""))
    places = [
        n
        for part in source.parts
        for n in walk(part.document.tree)
        if target.name in (getattr(n, "id", ""), getattr(n, "attr", ""))
    ]
    calls = {id(n.func): n for n in all_of(source.tree, ast.Call)}
    for place in places:
        call = calls.get(id(place))
        edit = _called(source, call, target, lists) if call is not None else None
        if edit is None:
            return None
        found.append(edit)
    return found


def _called(
    source: Source, call: ast.Call, target: ast.FunctionDef, lists: dict[int, ast.Call]
) -> Edit | None:
    """A call's statement without the lists, and these in statements of their own."""
    stmt = source.statement(call)
    last = target.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    given = _given(target, call)
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or given is None:
        return None
    if not source.alone(stmt):
        return None
    (goal,) = stmt.targets
    names: list[ast.expr | None] = list(goal.elts) if isinstance(goal, ast.Tuple) else []
    count = len(last.value.elts)
    if stmt.value is not call:
        skipped = _skipped(stmt.value, call, count)
        if skipped is None:
            return None
        names = [*(None for _ in range(skipped)), *names]
    plain = all(n is None or isinstance(n, (ast.Name, ast.Attribute)) for n in names)
    if len(names) != count or not plain:
        return None
    stays = [n for i, n in enumerate(names) if i not in lists]
    indent, nl = source.indent(stmt), "\r\n" if "\r\n" in source.document.text else "\n"
    goals = ", ".join(source.of(n) if n is not None else "_" for n in stays)
    wanted = any(n is not None for n in stays)
    lines = [f"{goals} = {source.of(call)}" if wanted else source.of(call)]
    for place in sorted(lists):
        name = names[place]
        if name is None or (isinstance(name, ast.Name) and name.id == "_"):
            continue
        said = _substituted(source, lists[place], given)
        if said is None:
            return None
        lines.append(f"{source.of(name)} = {said}")
    return Edit(*source.span(stmt), f"{nl}{indent}".join(lines))


def _skipped(value: ast.expr, call: ast.Call, count: int) -> int | None:
    """How many parts ``f(x)[-2:]`` leaves out at its beginning; None where it is something else."""
    if not isinstance(value, ast.Subscript) or value.value is not call:
        return None
    part = value.slice
    if not isinstance(part, ast.Slice) or part.upper is not None or part.step is not None:
        return None
    try:
        first = ast.literal_eval(part.lower) if part.lower is not None else 0
    except ValueError:
        return None
    return range(count)[first:].start if isinstance(first, int) else None


def _given(target: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """A method's arguments by parameter, as far as they are plain."""
    args = target.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return None
    names = [a.arg for a in args.args[1:]]
    given = dict(zip(reversed(names), reversed(args.defaults), strict=False))
    given.update(zip(names, call.args, strict=False))
    given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return given if not any(isinstance(a, ast.Starred) for a in call.args) else None


def _substituted(source: Source, listed: ast.Call, given: dict[str, ast.expr]) -> str | None:
    """What lists a method's variables, with what a call gives it."""
    start, end = source.span(listed)
    text = source.document.text[start:end]
    whole: ast.AST = listed
    done: list[tuple[int, int, str]] = []
    for node in walk(whole):
        if isinstance(node, ast.BinOp) and _joined(node, given) is not None:
            lo, hi = source.span(node)
            if not any(a <= lo and hi <= b for a, b, _ in done):
                done.append((lo, hi, repr(_joined(node, given))))
    for node in walk(whole):
        if isinstance(node, ast.Name) and node.id in given:
            lo, hi = source.span(node)
            if any(a <= lo and hi <= b for a, b, _ in done):
                continue
            value = given[node.id]
            if not isinstance(value, (ast.Constant, ast.Name, ast.Attribute)):
                return None
            done.append((lo, hi, source.of(value)))
    for lo, hi, new in sorted(done, reverse=True):
        text = text[: lo - start] + new + text[hi - start :]
    return re.sub(r"\s*\n\s*", " ", text)


def _joined(node: ast.expr, given: dict[str, ast.expr]) -> str | None:
    """A string that is put together of constants."""
    if isinstance(node, ast.Name) and node.id in given:
        node = given[node.id]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _joined(node.left, given), _joined(node.right, given)
        return left + right if left is not None and right is not None else None
    return None
