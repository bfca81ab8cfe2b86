"""`RunConfig(**keys)` of a dict that a function fills by words is given them one by one.

keys = {}                                        seed = draw()
keys['model_dir'] = flags.model_dir              config = RunConfig(
keys['tf_random_seed'] = draw()                      model_dir=flags.model_dir,
config = RunConfig(**keys)                           tf_random_seed=tf_random_seed)

What may be another thing by the time of the call, and what a branch puts into the dict, gets a
name. So are Estimators, TrainSpecs and EvalSpecs that are made of such dicts.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, holds, walk
from migrate.rewriters.estimators.models.spec_dicts import item, items, to
from migrate.rewriters.sessions.text import Text

MADE = re.compile(
    r"tensorflow\.(?:estimator|estimator\.tpu|contrib\.(?:tpu|learn|estimator))"
    r"\.(?:RunConfig|TrainSpec|EvalSpec|\w*(?:Estimator|Classifier|Regressor))$"
)
# What is `None` where nothing is said.
NONE = frozenset(
    {"model_dir", "train_distribute", "eval_distribute", "session_config", "tf_random_seed"}
    | {"cluster", "master", "evaluation_master", "params", "config", "hooks", "exporters"}
    | {"warm_start_from", "max_steps", "device_fn", "protocol"}
)
PARTS = ("body", "orelse", "finalbody")
Called = Callable[[ast.AST | None], str]


@dataclass(eq=False, slots=True)
class _Put:
    """A statement that puts something into the dict."""

    key: str
    value: ast.expr
    stmt: ast.Assign | None = None  # none: the dict begins with it
    always: bool = True  # whether it is there whenever the call is


@dataclass(eq=False, slots=True)
class _Dict:
    """A dict of a function, and the call that is given it."""

    function: ast.FunctionDef
    made: ast.Assign
    call: ast.Call
    hidden: ast.keyword
    puts: list[_Put] = field(default_factory=list)


def edits(tree: ast.Module, text: Text, called: Called) -> Iterator[Edit]:
    """The edits that write such calls out."""
    for function in all_of(tree, ast.FunctionDef):
        for call in all_of(function, ast.Call):
            hidden = [k for k in call.keywords if k.arg is None]
            if len(hidden) == 1 and isinstance(hidden[0].value, ast.Name):
                if MADE.match(called(call)) and (found := _read(function, call, hidden[0])):
                    yield from _written(found, text)


def _read(function: ast.FunctionDef, call: ast.Call, hidden: ast.keyword) -> _Dict | None:
    """The dict that a call is given; None where it isn't seen whole."""
    name = ast.unparse(hidden.value)
    made = [s for s in all_of(function, ast.Assign) if to(s.targets) == name]
    first = items(made[0].value) if len(made) == 1 else None
    before = list(_before(function, call))
    if first is None or made[0] not in before:
        return None
    found = _Dict(function, made[0], call, hidden)
    found.puts += [_Put(key, value) for key, value in first]
    uses = {id(n) for n in all_of(function, ast.Name) if n.id == name}
    uses -= {id(made[0].targets[0]), id(hidden.value)}
    for stmt in all_of(function, ast.Assign):
        key = item(stmt.targets[0], name) if len(stmt.targets) == 1 else ""
        if key and made[0].lineno < stmt.lineno < call.lineno:
            found.puts.append(_Put(key, stmt.value, stmt, stmt in before))
            uses -= {id(n) for n in walk(stmt.targets[0])}
    words = {k.arg for k in call.keywords} | ({"model_fn"} if call.args else set())
    if uses or not found.puts or words & {p.key for p in found.puts}:
        return None
    found.puts.sort(key=lambda p: p.stmt.lineno if p.stmt is not None else 0)
    for key in {p.key for p in found.puts}:
        own = next(p for p in found.puts if p.key == key)
        if not own.always and key not in NONE:
            return None
    return found


def _before(function: ast.FunctionDef, node: ast.AST) -> Iterator[ast.stmt]:
    """The statements that have run whenever a piece of syntax is reached."""
    block: Sequence[ast.stmt] = function.body
    while block:
        inner: Sequence[ast.stmt] = ()
        for stmt in block:
            if holds(stmt, node):
                parts = [getattr(stmt, part, None) or [] for part in PARTS]
                inner = next((p for p in parts if any(holds(s, node) for s in p)), ())
                break
            yield stmt
        block = inner


def _written(found: _Dict, text: Text) -> Iterator[Edit]:
    names = {n.id for n in all_of(found.function, ast.Name)}
    names |= {a.arg for a in all_of(found.function, ast.arg)} | set(dir(builtins))
    said: dict[str, str] = {}  # what the call is given for each word
    begun: list[str] = []
    for key in dict.fromkeys(p.key for p in found.puts):
        own = [p for p in found.puts if p.key == key]
        if len(own) == 1 and own[0].always and _stays(found, own[0]):
            said[key] = text.source(own[0].value)
            if (stmt := own[0].stmt) is not None:
                piece = text.piece(stmt)
                yield Edit(text.start(piece.line), text.start(piece.last + 1), "")
            continue
        said[key] = key if key not in names else f"{ast.unparse(found.hidden.value)}_{key}"
        if own[0].stmt is None:
            begun.append(f"{said[key]} = {text.source(own[0].value)}")
        elif not own[0].always:
            begun.append(f"{said[key]} = None")
        for put in own:
            if put.stmt is not None:
                yield Edit(*text.index.span(put.stmt.targets[0]), said[key])
    piece = text.piece(found.made)
    lines = "".join(f"{piece.indent}{line}\n" for line in begun)
    yield Edit(text.start(piece.line), text.start(piece.last + 1), lines)
    end = text.index.span(found.hidden.value)[1]
    start = text.text.rindex("**", 0, end)
    yield Edit(start, end, ", ".join(f"{key}={value}" for key, value in said.items()))


def _stays(found: _Dict, put: _Put) -> bool:
    """Whether what is put there is the same thing where the call is made."""
    value = put.value
    if isinstance(value, (ast.Dict, ast.List, ast.Tuple)):
        inner = value.values if isinstance(value, ast.Dict) else value.elts
        keys = value.keys if isinstance(value, ast.Dict) else []
        plain = all(isinstance(k, ast.Constant) for k in keys)
        return plain and all(_stays(found, _Put(put.key, v, put.stmt)) for v in inner)
    parts = [n for n in walk(value) if not isinstance(n, ast.expr_context)]
    if not all(isinstance(n, (ast.Constant, ast.Name, ast.Attribute)) for n in parts):
        return False
    roots = {n.id for n in parts if isinstance(n, ast.Name)}
    attributes = {n.attr for n in parts if isinstance(n, ast.Attribute)}
    start = (put.stmt or found.made).lineno
    stored = 0
    for node in walk(found.function):
        if isinstance(node, ast.Name) and node.id in roots:
            stored += not isinstance(node.ctx, ast.Load)
        between = start < getattr(node, "lineno", 0) < found.call.lineno
        if between and isinstance(node, ast.Attribute) and node.attr in attributes:
            if not isinstance(node.ctx, ast.Load):
                return False
        if between and attributes and isinstance(node, ast.Call):
            given = [*node.args, *(k.value for k in node.keywords), node.func]
            if any(_root(g) in roots and not _deep(g) for g in given):
                return False  # which may set them
    return stored <= 1


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _deep(node: ast.expr) -> bool:
    """Whether a value is one of an object's settings, where a call is given it."""
    return isinstance(node, ast.Attribute)
