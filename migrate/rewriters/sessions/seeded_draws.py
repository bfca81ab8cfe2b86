"""Draws that name a seed, where variables start with them.

In a graph of TF 1 each op begins its seed's sequence anew; eager ones of a kind go on with it. The
second one, and one that is made again and again, is called in a function of its own, which begins
anew, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from migrate.engine.findings import Edit
from migrate.engine.names import dotted
from migrate.engine.source import LineIndex
from migrate.engine.trees import all_of, children, walk

# Their first arguments; the seed may stand behind them.
DRAWS = {
    name: arguments
    for names, arguments in (
        ("random_normal random.normal", "shape mean stddev dtype seed"),
        ("truncated_normal random.truncated_normal", "shape mean stddev dtype seed"),
        ("random_uniform random.uniform", "shape minval maxval dtype seed"),
        ("random_gamma random.gamma", "shape alpha beta dtype seed"),
        ("random_poisson random.poisson", "lam shape dtype seed"),
        ("random_shuffle random.shuffle", "value seed"),
    )
    for name in names.split()
}
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def begun_anew(text: str, edits: Sequence[Edit], new: str, tf: str, root: str) -> list[Edit]:
    """The edits of a text, of which such draws in what it becomes are calls of functions.

    ``tf`` and ``root``: what TensorFlow 2 is called in it, and what its author calls TensorFlow.
    """
    roots = "|".join(map(re.escape, (tf, root)))
    if re.search(rf"(?:{roots})\s*\.[\s\\]*(?:random|truncated_normal)", new) is None:
        return list(edits)
    found = list(_again(ast.parse(new), (f"{tf}.", f"{root}.")))
    if not found:
        return list(edits)
    index = LineIndex(new)
    inserted: list[tuple[int, str]] = []
    for function in found:
        start, end = index.span(function)
        inserted += [(start, f"{tf}.function("), (end, ")")]
    return _merged(text, edits, sorted(inserted))


def _again(tree: ast.Module, roots: tuple[str, str]) -> Iterator[ast.expr]:
    """What draws, where the kind and the seed were drawn before, or may have been."""
    names = [n.id for n in all_of(tree, ast.Name)]
    names += [n.attr for n in all_of(tree, ast.Attribute)]
    drawn: set[tuple[str, str]] = set()
    called = _called(tree, roots)
    for call, within in _eager(tree, roots, ()):
        if not _starts(call, within, called):
            continue
        kind = _named(call.func, roots)
        seed = _seed(call, DRAWS[kind].split())
        if seed is None:
            continue
        key = (kind.replace("random_", "random."), ast.unparse(seed))
        often = any(
            isinstance(n, (*LOOPS, ast.Lambda))
            or (isinstance(n, ast.ClassDef) and names.count(n.name) != 1)
            or (isinstance(n, ast.FunctionDef) and (names.count(n.name) != 1 or called.get(n.name)))
            for n in within
        )
        if key in drawn or often:
            yield call.func
        drawn.add(key)


def _eager(
    node: ast.AST, roots: tuple[str, str], within: tuple[ast.AST, ...]
) -> Iterator[tuple[ast.Call, tuple[ast.AST, ...]]]:
    """The draws that no function of TensorFlow's does, in order, with what they stand in."""
    if isinstance(node, ast.FunctionDef) and _decorated(node, roots):
        return
    inner = (*within, node) if isinstance(node, (*LOOPS, *FUNCTIONS, ast.ClassDef)) else within
    if isinstance(node, ast.Call) and _named(node.func, roots) in DRAWS:
        yield node, within
    for child in children(node):
        yield from _eager(child, roots, inner)


def _called(tree: ast.Module, roots: tuple[str, str]) -> dict[str, bool]:
    """The functions that aren't only called by those of TensorFlow; whether a loop does."""
    defined = {n.name: n for n in all_of(tree, ast.FunctionDef)}
    found: dict[str, bool] = {}
    todo: list[tuple[ast.AST, bool]] = [(s, False) for s in tree.body]
    while todo:
        node, loop = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        loop = loop or isinstance(node, LOOPS)
        own = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if own in defined and (own not in found or (loop and not found[own])):
            found[own] = loop
            if not _decorated(defined[own], roots):
                todo += [(s, loop) for s in defined[own].body]
        todo += [(n, loop) for n in children(node)]
    return found


def _decorated(node: ast.FunctionDef, roots: tuple[str, str]) -> bool:
    calls = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return any(_named(d, roots) == "function" for d in calls)


def _numbers(call: ast.Call) -> bool:
    """Whether a draw's range is written in numbers: a `tf.function` takes NumPy's as float64."""
    told = [k.value for k in call.keywords if k.arg not in ("shape", "dtype", "seed", "name")]
    values = [v.operand if isinstance(v, ast.UnaryOp) else v for v in (*call.args[1:], *told)]
    dtypes = ("float", "int", "uint")  # by place
    return all(
        isinstance(v, ast.Constant) or getattr(v, "attr", "").startswith(dtypes) for v in values
    )


def _starts(call: ast.Call, within: Sequence[ast.AST], called: Mapping[str, bool]) -> bool:
    """Whether what is drawn may be a start or a run's value: no function only computes with it."""
    function = next((n for n in reversed(within) if isinstance(n, FUNCTIONS)), None)
    if isinstance(function, ast.FunctionDef) and function.name in called and _numbers(call):
        return True
    return function is None or any(
        isinstance(n, ast.Attribute) and n.attr == "Variable" for n in walk(function)
    )


def _named(node: ast.expr, roots: tuple[str, str]) -> str:
    """What of TensorFlow's an expression names, or nothing."""
    chain = dotted(node)
    text = ".".join((chain[0].id, *chain[1])) if chain is not None else ""
    return next((text.removeprefix(r) for r in roots if text.startswith(r)), "")


def _seed(call: ast.Call, arguments: Sequence[str]) -> ast.expr | None:
    """The seed that a draw is given."""
    given = dict(zip(arguments, call.args, strict=False))
    given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
    seed = given.get("seed")
    return None if isinstance(seed, ast.Constant) and seed.value is None else seed


def _merged(text: str, edits: Sequence[Edit], inserted: Sequence[tuple[int, str]]) -> list[Edit]:
    """Edits of a text, with texts that are put into what they make of it."""
    found: list[Edit] = []
    waiting = list(inserted)
    shift = 0  # of what is changed so far
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        while waiting and waiting[0][0] < edit.start + shift:
            at, more = waiting.pop(0)
            found.append(Edit(at - shift, at - shift, more))
        start, made = edit.start + shift, edit.new
        put = 0
        while waiting and waiting[0][0] < start + len(edit.new):
            at, more = waiting.pop(0)
            made = made[: at - start + put] + more + made[at - start + put :]
            put += len(more)
        found.append(Edit(edit.start, edit.end, made))
        shift += len(edit.new) - (edit.end - edit.start)
    found += [Edit(at - shift, at - shift, more) for at, more in waiting]
    return found
