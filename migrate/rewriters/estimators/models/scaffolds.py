"""`scaffold` of an EstimatorSpec, where it says no more than how checkpoints are kept.

    saver = tf.train.Saver(max_to_keep=3)           def __init__(self, model_dir):
    return tf.estimator.EstimatorSpec(…,                super().__init__(model_dir)
        scaffold=tf.train.Scaffold(saver=saver))        self.keep = 3

A Saver of a Scaffold takes the place of an Estimator's own, whose RunConfig says how many it keeps.
An `init_fn` that restores some variables is what `tf.train.init_from_checkpoint` says: both are
done where there is no checkpoint of the model's own.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, Written, word
from migrate.rewriters.estimators.models import begun
from migrate.rewriters.estimators.syntax import reads

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.modes import Mode
    from migrate.rewriters.estimators.models.specs import Specs

SCAFFOLD, SAVER = "tensorflow.train.Scaffold", "tensorflow.train.Saver"
# What a Saver is given that says nothing of a Keras model's checkpoints.
IDLE = frozenset({"sharded", "name", "allow_empty", "save_relative_paths", "write_version"})
STARTS = frozenset(
    {
        "tensorflow.group",
        "tensorflow.tables_initializer",
        "tensorflow.initialize_all_tables",
        "tensorflow.local_variables_initializer",
        "tensorflow.initialize_local_variables",
    }
)
ALL = frozenset({"tensorflow.global_variables", "tensorflow.all_variables"})
SAME = {
    "init_op": frozenset(
        {"tensorflow.global_variables_initializer", "tensorflow.initialize_all_variables"}
    ),
    "summary_op": frozenset({"tensorflow.summary.merge_all"}),
    "ready_op": frozenset({"tensorflow.report_uninitialized_variables"}),
}


def plain(model: Specs, node: ast.expr, body: Sequence[ast.stmt], mode: Mode) -> bool:
    """Whether a Scaffold goes; how many checkpoints its Saver keeps is the model's then.

    Raises:
        Blocked: it says what a model begins with, or which variables are saved.
    """
    program = model.program
    made = model.resolved(node, body)
    if program.called(made) != SCAFFOLD:
        return False
    assert isinstance(made, ast.Call)
    given = {n: model.resolved(v, body) for n, v in program.given(made).items()}
    given = {n: v for n, v in given.items() if not _none(v)}
    start = given.pop("local_init_op", None)
    if start is not None and not _starts(model, start, body):
        raise Blocked(start, "what a Scaffold initializes beside tables")
    saver = given.pop("saver", None)
    for name, same in SAME.items():  # what a Scaffold has by itself
        if name in given and program.called(given[name]) in same:
            del given[name]
    if "init_fn" in given and mode != "train":
        del given["init_fn"]  # evaluations and predictions have a checkpoint
    if "init_fn" in given:
        _restored(model, made, given["init_fn"], body)
    for name, other in given.items():
        raise Blocked(other, f"`{name}` of a Scaffold, which a session would ask for")
    if saver is None:
        return True
    if not kept(model, saver, mode):
        raise Blocked(saver, "the Saver of a Scaffold isn't seen")
    return True


def kept(model: Specs, saver: ast.expr, mode: Mode) -> bool:
    """Whether this makes a Saver; how many checkpoints it keeps is the model's then.

    Raises:
        Blocked: it says which variables are saved.
    """
    program = model.program
    if program.called(saver) != SAVER:
        return False
    assert isinstance(saver, ast.Call)
    asked = {n: v for n, v in program.given(saver).items() if not _none(v) and n not in IDLE}
    keep = asked.pop("max_to_keep", None)
    if "var_list" in asked and program.called(asked["var_list"]) in ALL:
        del asked["var_list"]
    if asked:
        name = next(iter(asked))
        raise Blocked(asked[name], f"`{name}` of a Scaffold's Saver")
    bound = program.scopes.bound(model.function).keys() - {"params"}
    if keep is not None and (reads(keep) & bound or list(all_of(keep, ast.Call))):
        raise Blocked(keep, "how many checkpoints a Saver keeps isn't seen")
    if mode == "train":
        model.keep = "5" if keep is None else program.text.source(keep)  # a Saver's default
    return True


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _starts(model: Specs, node: ast.expr, body: Sequence[ast.stmt]) -> bool:
    """Whether an op only initializes tables and local variables, which are a Keras model's own."""
    known = model.program.called(node)
    if known not in STARTS or not isinstance(node, ast.Call):
        return False
    rest = node.args if known == "tensorflow.group" else ()
    return all(_starts(model, model.resolved(each, body), body) for each in rest)


def _restored(model: Specs, made: ast.Call, start: ast.expr, body: Sequence[ast.stmt]) -> None:
    """Say what an `init_fn` restores in the words of `tf.train.init_from_checkpoint`.

    Raises:
        Spelled: it restores some variables by a Saver, and does nothing else.
        Blocked: it does something else.
    """
    program = model.program
    node = next(k.value for k in made.keywords if k.arg == "init_fn")
    function = program.scopes.function(start)
    inner: ast.expr | None = start.body if isinstance(start, ast.Lambda) else None
    args = start.args.args if isinstance(start, ast.Lambda) else []
    if function is not None:
        said = [s for s in function.body if not isinstance(s, (ast.Pass, ast.Import))]
        said = [s for s in said if not _text(s)]
        inner = said[0].value if len(said) == 1 and isinstance(said[0], ast.Expr) else None
        args = function.args.args
    func = inner.func if isinstance(inner, ast.Call) else None
    stopped = Blocked(
        node,
        "an `init_fn` of a Scaffold that does more than to restore variables: what a variable "
        "begins with can be its initializer",
    )
    if len(args) == 2 and not made.args:
        begun.said(model, made, inner, args[1].arg, function)
    if not isinstance(inner, ast.Call) or not isinstance(func, ast.Attribute):
        raise stopped
    saver = model.resolved(func.value, body)
    if func.attr != "restore" or program.called(saver) != SAVER or len(inner.args) != 2:
        raise stopped
    asked, path = inner.args
    assert isinstance(saver, ast.Call)
    given = program.given(saver)
    some = model.resolved(given["var_list"], body) if "var_list" in given else None
    names = {a.arg for a in args}
    if len(args) != 2 or program.source(asked) != args[1].arg or names & reads(path):
        raise stopped
    if some is None or program.called(some) in ALL or given.keys() - {"var_list", *IDLE}:
        raise Blocked(saver, "a Saver of an `init_fn` that restores the step, too")
    if isinstance(some, ast.Dict):
        raise Blocked(some, "a Saver of an `init_fn` with names of its own")
    tf = program.page(made).root
    stmt = program.scopes.statement(made)
    kept = program.source(given["var_list"])
    lines = []
    if not isinstance(given["var_list"], ast.Name):
        lines.append(f"{(name := program.free(made, 'restored_variables'))} = {kept}")
        kept = name
    begin = f"{{v.name.partition(':')[0]: v for v in {kept}}}"
    lines.append(f"{tf}.train.init_from_checkpoint({program.source(path)}, {begin})")
    rest = [a for a in (*made.args, *(k.value for k in made.keywords)) if a is not node]
    if made.args or len(rest) != len(made.keywords) - 1 or not tf:
        raise stopped
    others = [k for k in made.keywords if k.arg != "init_fn"]
    words = ", ".join(f"{k.arg}={program.source(k.value)}" for k in others)
    changes: list[Written] = [(made, word(f"{program.source(made.func)}({words})"))]
    if function is not None:
        if len(program.readers(function)) > 1:
            raise Blocked(node, "an `init_fn` that is read elsewhere, too")
        changes.append((function, word("pass")))
    why = "a Saver that restores what a model begins with"
    raise Spelled(made, why, changes, [(stmt, lambda source: lines)])


def _text(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
