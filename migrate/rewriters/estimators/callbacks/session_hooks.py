"""Classes of the program that are hooks of sessions, as Keras callbacks.

    class Watch(tf.train.SessionRunHook):        class Watch(tf.keras.callbacks.Callback):
        def after_run(self, context, values):        def on_train_batch_end(self, batch, logs=…):
            context.request_stop()                       self.model.stop_training = True

Those of evaluations have `on_test_batch_end`, those of predictions `on_predict_batch_end`; what is
given to several has the other names, too: `on_test_batch_end = on_train_batch_end`.

https://www.tensorflow.org/guide/migrate/sessionrunhook_callback
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.callbacks import hook_fetches, hook_steps
from migrate.rewriters.estimators.program import Program

BASES = frozenset({"tensorflow.train.SessionRunHook", "tensorflow.estimator.SessionRunHook"})
# What a callback calls its own.
RESERVED = frozenset({"model", "_model", "params", "validation_data", "set_model", "set_params"})
METHODS = {
    "begin": ("on_{mode}_begin", "logs=None"),
    "after_create_session": ("on_{mode}_begin", "logs=None"),
    "before_run": ("on_{mode}_batch_begin", "batch, logs=None"),
    "after_run": ("on_{mode}_batch_end", "batch, logs=None"),
    "end": ("on_{mode}_end", "logs=None"),
}
STOPS = {"train": "training", "test": "evaluating", "predict": "predicting"}


def definition_of(program: Program, call: ast.expr) -> ast.ClassDef | None:
    """The class of the program that a hook is an object of."""
    found = program.scopes.lookup(call.func) if isinstance(call, ast.Call) else None
    if found is None or not isinstance(found.node, ast.ClassDef):
        return None
    known = [b for b in found.node.bases if program.endpoint(b) in BASES]
    return found.node if known else None


def made(
    program: Program,
    call: ast.expr,
    tensors: frozenset[str] = frozenset(),
    mode: str = "train",
) -> str | None:
    """The source of the callback that an object of such a class is; None for anything else.

    ``tensors``: the arguments that are tensors, which are keys of a step's results here.
    ``mode``: Keras's word for what runs with it: train, test or predict.

    Raises:
        Blocked: the class asks the session for something else.
    """
    definition = definition_of(program, call)
    if definition is None:
        return None
    assert isinstance(call, ast.Call)
    found = program.scopes.lookup(call.func)
    assert found is not None
    if program.kept.setdefault(("hook tensors", id(definition)), tensors) != tensors:
        raise Blocked(call, "a hook that is given tensors in one place, and none in another")
    if len(definition.bases) > 1 or definition.keywords or definition.decorator_list:
        raise Blocked(definition, "a hook with several bases or a decorator")
    seen = program.kept.setdefault(("hook class", id(definition)), set())
    assert isinstance(seen, set)
    modes = program.kept.setdefault(("hook modes", id(definition)), [])
    assert isinstance(modes, list)
    if mode not in modes:
        modes.append(mode)
    if not seen:
        _rewrite(program, definition, hook_fetches.read(program, definition, tensors), modes)
        uses = program.scopes.uses(found, definition.name)
        program.finish.append(lambda: _all_made(program, definition, uses, seen))
    seen.add(id(call.func))
    return program.source(call)


def _all_made(
    program: Program, definition: ast.ClassDef, uses: list[ast.expr], seen: set[int]
) -> None:
    for use in uses:
        inside = any(above is definition for above in program.scopes.around(use))
        if id(use) not in seen and not inside:
            raise Blocked(use, f"`{definition.name}`, a hook, is used for more than training")


def _rewrite(
    program: Program,
    definition: ast.ClassDef,
    fetches: hook_fetches.Fetches | None,
    modes: list[str],
) -> None:
    """Give the class the methods of a callback.

    ``modes``: what runs with it; that of the first call, others may come.
    """
    written: set[str] = set()
    for node in walk(definition):
        name = node.name if isinstance(node, ast.FunctionDef) else getattr(node, "attr", "")
        if name in RESERVED:
            raise Blocked(node, f"a hook with a `{name}` of its own")
    methods = [s for s in definition.body if isinstance(s, ast.FunctionDef) and s.name in METHODS]
    twice = {"begin", "after_create_session"} <= {s.name for s in methods}
    for stmt in methods:
        name, given = METHODS[stmt.name]
        name = name.format(mode=modes[0])
        if twice and stmt.name == "begin":
            _method(program, stmt, stmt.name, "", fetches, modes)  # what comes after it calls it
            continue
        if name in written:
            raise Blocked(stmt, "a hook that begins twice")
        written.add(name)
        if fetches is None or not fetches.only_asks(stmt):
            _method(program, stmt, name, given, fetches, modes)
        if twice and stmt.name == "after_create_session":
            own, first = stmt.args.args[0].arg, stmt.body[0]
            if first.lineno == stmt.lineno:
                raise Blocked(stmt, "a hook that begins twice")
            indent = program.text.piece(first).indent
            at = program.text.start(program.text.piece(first).first)
            program.edits.append(Edit(at, at, f"{indent}{own}.begin()\n"))
    program.edit(definition.bases[0], f"{program.tf}.keras.callbacks.Callback", "a Keras callback")
    program.finish.append(lambda: _aliased(program, definition, sorted(written), modes))


def _aliased(
    program: Program, definition: ast.ClassDef, written: list[str], modes: list[str]
) -> None:
    """The names of the methods in the other modes."""
    if len(modes) < 2:
        return
    last = definition.body[-1]
    piece = program.text.piece(last)
    new = "".join(
        f"{program.text.piece(definition.body[0]).indent}"
        f"{name.replace(f'_{modes[0]}_', f'_{mode}_')} = {name}\n"
        for mode in modes[1:]
        for name in written
    )
    at = program.text.start(piece.last + 1)
    program.edits.append(Edit(at, at, f"\n{new}"))


def _method(
    program: Program,
    stmt: ast.FunctionDef,
    name: str,
    given: str,
    fetches: hook_fetches.Fetches | None,
    modes: list[str],
) -> None:
    args = stmt.args.args
    if stmt.decorator_list or stmt.args.vararg or stmt.args.kwarg or stmt.args.defaults:
        raise Blocked(stmt, f"the arguments of a hook's `{stmt.name}`")
    hidden = {a.arg for a in args[1:]}
    own = args[0].arg
    asked_for = fetches.written(program, stmt) if fetches is not None else set()
    asked_for |= hook_steps.written(program, stmt)
    for node in walk(stmt):
        if id(node) in asked_for:
            continue
        if isinstance(node, ast.Return) and node.value is not None:
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                raise Blocked(node, "a hook that asks the session for something")
        if isinstance(node, ast.Name) and node.id in hidden:
            above = program.scopes.parents[id(node)]
            call = program.scopes.parents[id(above)]
            asked = isinstance(above, ast.Attribute) and above.attr == "request_stop"
            if not asked or not isinstance(program.scopes.parents[id(call)], ast.Expr):
                what = f"`{node.id}` of a hook, of which only request_stop() and the step are asked"
                raise Blocked(node, what)
            stops = f"{own}.model.stop_{STOPS[modes[0]]} = True"
            program.edit(program.scopes.statement(call), stops)
            program.finish.append(lambda node=node: _one_mode(node, modes))  # type: ignore[misc]
        endpoint = program.endpoint(node)
        if endpoint and not endpoint.startswith("tensorflow.logging"):
            if isinstance(program.scopes.parents.get(id(node)), ast.Attribute):
                continue
            raise Blocked(node, f"{endpoint.replace('tensorflow', 'tf', 1)} in a hook")
    start = program.text.index.span(args[0])[0]
    end = program.text.index.span(args[-1])[1]
    program.edits.append(Edit(start, end, f"{own}, {given}" if given else own))
    line = program.text.lines[stmt.lineno - 1]
    at = program.text.start(stmt.lineno) + line.index(stmt.name, stmt.col_offset)
    program.edits.append(Edit(at, at + len(stmt.name), name))


def _one_mode(node: ast.expr, modes: list[str]) -> None:
    """What stops training doesn't stop an evaluation.

    Raises:
        Blocked: a hook is given to both.
    """
    if len(modes) > 1:
        raise Blocked(node, "a hook that stops what trains and what evaluates")
