"""What a hook of the program asks a session for: scalars of the training step, by their keys.

    def before_run(self, context):            def on_train_batch_end(self, batch, logs=None):
        return SessionRunArgs(self.loss)          print(np.float32(logs[self.loss]))

    def after_run(self, context, values):
        print(values.results)

`self.loss` is the key then, `"loss"`, under which a training step gives the scalar.

https://www.tensorflow.org/guide/migrate/sessionrunhook_callback
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

ARGS = frozenset({"tensorflow.train.SessionRunArgs", "tensorflow.estimator.SessionRunArgs"})
NUMPY = "import numpy as np"


UNSEEN = (
    "what a hook asks the session for isn't a scalar of the step: one of an EstimatorSpec's "
    "training_hooks may be given its loss, a mean or a sum"
)


@dataclass(slots=True, eq=False, repr=False)
class Fetches:
    """What a hook fetches beside the train op of each step."""

    before: ast.FunctionDef
    asked: ast.Return
    fetched: ast.expr
    keys: frozenset[str]  # attributes that are tensors

    def only_asks(self, stmt: ast.FunctionDef) -> bool:
        """Whether a method does nothing else than to ask."""
        rest = [s for s in stmt.body if s is not self.asked and not isinstance(s, ast.Delete)]
        idle = [s for s in rest if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)]
        return stmt is self.before and len(rest) == len(idle)

    def source(self, program: Program, node: ast.expr, own: str) -> str:
        """What was fetched, of a step's results."""
        if isinstance(node, (ast.List, ast.Tuple)):
            items = [self.source(program, e, own) for e in node.elts]
            return f"[{', '.join(items)}]"
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            items = [
                f"{program.source(k)}: {self.source(program, v, own)}"
                for k, v in pairs
                if k is not None
            ]
            return f"{{{', '.join(items)}}}"
        attribute = node.attr if isinstance(node, ast.Attribute) else ""
        if attribute not in self.keys:
            raise Blocked(node, UNSEEN)
        return f"np.float32(logs[{own}.{attribute}])"

    def written(self, program: Program, stmt: ast.FunctionDef) -> set[int]:
        """See to what a method asks for or is given; the nodes that need no look any more."""
        if stmt is self.before:
            program.remove(self.asked)
            return {id(n) for n in walk(self.asked)}
        values = stmt.args.args[2].arg if stmt.name == "after_run" else ""
        done: set[int] = set()
        for node in all_of(stmt, ast.Attribute):
            if node.attr != "results":
                continue
            if not isinstance(node.value, ast.Name) or node.value.id != values:
                continue
            program.edit(node, self.source(program, self.fetched, stmt.args.args[0].arg))
            program.bring(stmt, NUMPY)
            done |= {id(node), id(node.value)}
        return done


def read(program: Program, definition: ast.ClassDef, tensors: frozenset[str]) -> Fetches | None:
    """What the hooks of a class ask for; None where that is nothing.

    Raises:
        Blocked: it isn't seen.
    """
    methods = {s.name: s for s in definition.body if isinstance(s, ast.FunctionDef)}
    before = methods.get("before_run")
    asked = all_of(before, ast.Return) if before else []
    asked = [r for r in asked if r.value is not None and program.called(r.value) in ARGS]
    if before is None or not asked:
        if tensors:
            raise Blocked(definition, "a hook that is given tensors which it doesn't ask for")
        return None
    if len(asked) > 1 or asked[0] is not before.body[-1]:
        raise Blocked(asked[0], "a hook that asks the session for something at times only")
    assert isinstance(asked[0].value, ast.Call)
    given = program.given(asked[0].value)
    fetched = given.pop("fetches", None)
    if fetched is None or given:
        raise Blocked(asked[0], UNSEEN)
    page = program.page(definition)
    if page.has_other("np", "numpy"):
        raise Blocked(definition, "the file has an `np` of its own")
    keys = _keys(program, definition, methods.get("__init__"), tensors)
    whole = Fetches(before, asked[0], fetched, keys)
    whole.source(program, fetched, "self")  # can it be written?
    inside = {id(n) for n in walk(asked[0])}
    for node in walk(definition):
        if isinstance(node, ast.Attribute) and node.attr in keys and id(node) not in inside:
            if isinstance(node.ctx, ast.Load):
                raise Blocked(node, f"`{node.attr}` of a hook is read as a tensor")
    if whole.only_asks(before):
        program.remove(before)
    return whole


def _keys(
    program: Program,
    definition: ast.ClassDef,
    first: ast.FunctionDef | None,
    tensors: frozenset[str],
) -> frozenset[str]:
    """The attributes that an object is given tensors in."""
    found = set()
    for name in tensors:
        uses = [
            n
            for n in (walk(first) if first is not None else ())
            if isinstance(n, ast.Name) and n.id == name
        ]
        stmt = program.scopes.parents[id(uses[0])] if len(uses) == 1 else None
        to = stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
        if not isinstance(to, ast.Attribute) or not isinstance(to.value, ast.Name):
            raise Blocked(definition, f"what a hook does with its `{name}` isn't seen")
        sets = [
            n
            for n in all_of(definition, ast.Attribute)
            if n.attr == to.attr and not isinstance(n.ctx, ast.Load)
        ]
        if len(sets) > 1:
            raise Blocked(definition, f"`{to.attr}` of a hook is set in several places")
        found.add(to.attr)
    return frozenset(found)
