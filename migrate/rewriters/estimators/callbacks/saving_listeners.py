"""`CheckpointSaverListener`s of the program: objects that a model tells of its checkpoints.

    class Listener(CheckpointSaverListener):     class Listener(SavingListener):
        def after_save(self, session, step):         def after_save(self, step):
            print(step)                                  print(step)

    net.train(input_fn,                          net.fit(input_fn(),
        saving_listeners=[Listener()])               listeners=[Listener()])

https://www.tensorflow.org/guide/migrate/checkpoint_saver
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.runs import strategies

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

BASES = frozenset(
    f"tensorflow.{module}.CheckpointSaverListener" for module in ("train", "estimator")
)
METHODS = ("before_save", "after_save", "end")  # whose first argument is a session
SOURCE = '''class SavingListener:
    """What a model tells of its checkpoints."""

    def begin(self):
        """Training begins."""

    def before_save(self, step):
        """A checkpoint will be saved."""

    def after_save(self, step):
        """One was saved; training ends where this is true."""

    def end(self, step):
        """Training has ended."""
'''


def given(program: Program, arguments: dict[str, ast.expr], made: Estimator) -> str:
    """The argument of `fit` for `saving_listeners`, which are taken from a run's arguments.

    Raises:
        Blocked: they aren't seen, or ask the session for something.
    """
    node = arguments.pop("saving_listeners", None)
    found = sources(program, node)
    if node is None or not found:
        return ""
    if made.folder is None or strategies.kind(program):
        raise Blocked(node, "`saving_listeners` without a `model_dir`, or under a strategy")
    from migrate.rewriters.estimators.runs import savers

    savers.told(program, node, heard=True)
    return f", listeners={found}"


def sources(program: Program, node: ast.expr | None) -> str:
    """The source of a list of listeners, whose classes are plain ones then.

    Raises:
        Blocked: one isn't of a class that is seen, or asks the session for something.
    """
    if node is None:
        return ""
    value = program.scopes.value(node)
    if not isinstance(value, (ast.List, ast.Tuple)):
        raise Blocked(node, "listeners that aren't a list that is seen")
    for each in value.elts:
        call = program.scopes.value(each)
        found = program.scopes.lookup(call.func) if isinstance(call, ast.Call) else None
        cls = found.node if found is not None else None
        if not isinstance(cls, ast.ClassDef) or not any(
            program.endpoint(b) in BASES for b in cls.bases
        ):
            raise Blocked(each, "a listener whose class isn't seen")
        if ("listener", id(cls)) not in program.kept:
            program.kept["listener", id(cls)] = True
            _rewrite(program, cls)
    return program.source(node)


def _rewrite(program: Program, cls: ast.ClassDef) -> None:
    """Take the session out of a class's methods."""
    if len(cls.bases) > 1 or cls.keywords or cls.decorator_list:
        raise Blocked(cls, "a listener with several bases or a decorator")
    for node in walk(cls):
        endpoint = program.endpoint(node) if isinstance(node, ast.expr) else ""
        if not endpoint or node is cls.bases[0] or endpoint.startswith("tensorflow.logging"):
            continue
        if isinstance(program.scopes.parents.get(id(node)), ast.Attribute):
            continue
        raise Blocked(node, f"{endpoint.replace('tensorflow', 'tf', 1)} in a listener")
    for stmt in cls.body:
        if not isinstance(stmt, ast.FunctionDef) or stmt.name not in METHODS:
            continue
        args = stmt.args.args
        if stmt.decorator_list or stmt.args.vararg or stmt.args.kwarg or len(args) != 3:
            raise Blocked(stmt, f"the arguments of a listener's `{stmt.name}`")
        session = args[1].arg
        if used := [n for n in walk(stmt) if isinstance(n, ast.Name) and n.id == session]:
            raise Blocked(used[0], "a listener that asks the session for something")
        start, end = (program.text.index.span(a)[0] for a in args[1:])
        program.edits.append(Edit(start, end, ""))
    program.need(cls, "SavingListener", SOURCE)
    program.edit(cls.bases[0], "SavingListener", "what a model tells of its checkpoints")
