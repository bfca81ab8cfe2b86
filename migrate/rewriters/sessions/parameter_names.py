"""Parameters without a leading underscore: a `tf.function` takes no keyword that begins with one.

``feed = {self._x: x}`` becomes ``compute_loss(**{"x": x})``: the placeholder's name in its function
is `x`, where nothing that the function has is called so.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Kind, Symbol
from migrate.programs.graph.slices import Plan

Aliases = Mapping[int, tuple[ast.expr, Symbol]]


def plain(plans: Iterable[Plan], aliases: Aliases) -> dict[Symbol, str]:
    """What parameters with an underscore are called instead.

    ``aliases``: the names, by their ids, under which methods have them as arguments.
    """
    found: dict[Symbol, str] = {}
    lost: set[Symbol] = set()
    for plan in plans:
        for symbol in plan.params:
            if not symbol.name.startswith("_") or symbol.value.kind is not Kind.PLACEHOLDER:
                continue
            name = symbol.name.strip("_")
            taken = _names(plan, aliases, symbol)
            others = {found.get(s, s.name) for s in plan.params if s is not symbol}
            if keyword.iskeyword(name) or hasattr(builtins, name):
                name += "_"
            if not name.isidentifier() or name in taken | others:
                lost.add(symbol)
            found[symbol] = name
    return {symbol: name for symbol, name in found.items() if symbol not in lost}


def _names(plan: Plan, aliases: Aliases, symbol: Symbol) -> set[str]:
    """The names that a function has for something else than a parameter."""
    nodes: list[ast.AST] = [*(step.node for step in plan.steps), plan.fetch.node]
    named = [n for node in nodes for n in all_of(node, ast.Name)]
    found = {n.id for n in named if aliases.get(id(n), (n, None))[1] is not symbol}
    found |= {n.arg for node in nodes for n in all_of(node, ast.arg)}
    found |= {s.name for step in plan.steps for s in (*step.defs, *step.uses)}
    return found | {name for step in plan.steps for name in step.hosts}


def written(source: str, params: Sequence[Symbol], names: dict[Symbol, str]) -> str:
    """A function's text, its decorator apart, with its parameters' names."""
    new = {s.name: names[s] for s in params if s in names}
    if not new:
        return source
    lines = source.splitlines(keepends=True)
    before = ""
    places = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and token.string in new and before != ".":
            places.append((token.start, token.end, new[token.string]))
        elif token.type == tokenize.STRING and re.match(r"[rR]?[fF]", token.string):
            inside = "|".join(map(re.escape, new))
            text = re.sub(rf"(?<![\w.])(?:{inside})\b", lambda m: new[m[0]], token.string)
            places.append((token.start, token.end, text))
        before = token.string
    for (row, start), (last, end), text in reversed(places):
        if row == last:
            line = lines[row - 1]
            lines[row - 1] = line[:start] + text + line[end:]
    return "".join(lines)
