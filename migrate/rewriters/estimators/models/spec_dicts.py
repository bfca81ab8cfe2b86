"""`EstimatorSpec(**spec)` of a dict that a model_fn fills, with its fields under names instead.

spec = {'mode': mode, 'predictions': out}      predictions = out
                                               train_op = None
if mode == ModeKeys.TRAIN:                     if mode == ModeKeys.TRAIN:
    spec['train_op'] = optimizer.minimize(…)       train_op = optimizer.minimize(…)
return EstimatorSpec(**spec)                   return EstimatorSpec(mode=mode, …)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.text import Text

SPEC = "tensorflow.estimator.EstimatorSpec"
Called = Callable[[ast.AST | None], str]


def edits(tree: ast.Module, text: Text, called: Called) -> Iterator[Edit]:
    """Those of all functions that return such a spec."""
    for node in all_of(tree, ast.FunctionDef):
        specs = [n for n in all_of(node, ast.Call) if called(n) == SPEC]
        given = {
            k.value.id
            for call in specs
            for k in call.keywords
            if k.arg is None and isinstance(k.value, ast.Name)
        }
        for name in sorted(given):
            filled = _Filled.read(node, name, specs)
            if filled is not None:
                yield from filled.edits(text)


class _Filled:
    """A dict of a function, and all that it does with it."""

    def __init__(self, function: ast.FunctionDef, made: ast.Assign) -> None:
        self.made = made
        self.fields: dict[str, list[ast.expr]] = {}  # what each is given, the first by the dict
        self.first: set[str] = set()
        self.puts: list[tuple[ast.Assign, str]] = []
        self.reads: list[tuple[ast.Subscript, str]] = []
        self.specs: list[ast.Call] = []
        self.names = {n.id for n in all_of(function, ast.Name)}
        self.names |= {a.arg for a in all_of(function, ast.arg)}
        self.stored = [
            getattr(n, "id", "") or getattr(n, "arg", "")
            for n in walk(function)
            if isinstance(n, ast.arg)
            or (isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        ]

    @classmethod
    def read(cls, function: ast.FunctionDef, name: str, specs: list[ast.Call]) -> _Filled | None:
        """All of it; None where something isn't seen."""
        uses = {id(n) for n in all_of(function, ast.Name) if n.id == name}
        made = [s for s in function.body if isinstance(s, ast.Assign) and to(s.targets) == name]
        if len(made) != 1:
            return None
        found, given = cls(function, made[0]), items(made[0].value)
        if given is None:
            return None
        uses.discard(id(made[0].targets[0]))
        for key, value in given:
            found.fields[key] = [value]
            found.first.add(key)
        for node in walk(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                key = item(node.targets[0], name)
                if key:
                    found.fields.setdefault(key, []).append(node.value)
                    found.puts.append((node, key))
                    uses -= {id(n) for n in walk(node.targets[0])}
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                if key := item(node, name):
                    found.reads.append((node, key))
                    uses.discard(id(node.value))
            elif node in specs and isinstance(node, ast.Call):
                for keyword in node.keywords:
                    if keyword.arg is None and id(keyword.value) in uses:
                        uses.discard(id(keyword.value))
                        found.specs.append(node)
        return None if uses else found

    def edits(self, text: Text) -> Iterator[Edit]:
        """What is written for it."""
        same = {
            key
            for key, values in self.fields.items()
            if all(isinstance(v, ast.Name) and v.id == key for v in values)
        }
        named = {k: k if k in same else self._free(k) for k in self.fields}
        for key, values in self.fields.items():
            value = values[0]
            if len(values) == 1 and key in self.first and isinstance(value, ast.Name):
                if self.stored.count(value.id) < 2:  # it is the same thing wherever it is read
                    named[key] = value.id
                    same.add(key)
        out = []
        for key, values in self.fields.items():
            if key not in same:
                begun = text.source(values[0]) if key in self.first else "None"
                out.append(f"{named[key]} = {begun}")
        piece = text.piece(self.made)
        start, end = text.index.span(self.made)
        inner = {id(n) for n in walk(self.made)}
        yield Edit(start, end, f"\n{piece.indent}".join(out) or "pass")
        for stmt, key in self.puts:
            if key in same:
                yield Edit(*text.index.span(stmt), "pass")
            else:
                yield Edit(*text.index.span(stmt.targets[0]), named[key])
        for node, key in self.reads:
            if id(node) not in inner and key in named:
                yield Edit(*text.index.span(node), named[key])
        for call in self.specs:
            words = {k.arg for k in call.keywords if k.arg} | ({"mode"} if call.args else set())
            given = [f"{k}={n}" for k, n in named.items() if k not in words]
            hidden = next(k for k in call.keywords if k.arg is None)
            end = text.index.span(hidden.value)[1]
            start = text.text.rindex("**", 0, end)
            yield Edit(start, end, ", ".join(given))

    def _free(self, key: str) -> str:
        name = key if key not in self.names else f"spec_{key}"
        while name in self.names:
            name += "_"
        return name


def to(targets: list[ast.expr]) -> str:
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def item(node: ast.expr, name: str) -> str:
    """The key of an item of the dict."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return ""
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return key if node.value.id == name and isinstance(key, str) and key.isidentifier() else ""


def items(node: ast.expr) -> list[tuple[str, ast.expr]] | None:
    """The keys and values of a dict that is written; None where they aren't all words."""
    if isinstance(node, ast.Call):
        plain = isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args
        words = [(k.arg, k.value) for k in node.keywords]
        return [(k, v) for k, v in words if k] if plain and all(k for k, _ in words) else None
    if not isinstance(node, ast.Dict):
        return None
    keys = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
    if not all(isinstance(k, str) and k.isidentifier() for k in keys) or len({*keys}) < len(keys):
        return None
    return list(zip(map(str, keys), node.values, strict=True))
