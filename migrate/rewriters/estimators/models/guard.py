"""What may stand in a method that runs once for each batch: nothing that makes something anew.

A statement that goes into `call` or a step is executed whenever that is traced. Ops and Python's
own functions may be; what makes variables, reads collections or isn't seen may not.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from typing import cast

from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.calls import PURE_BUILTINS, PURE_METHODS
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import helper_summaries, statics
from migrate.rewriters.estimators.optimizing import helper_losses
from migrate.rewriters.estimators.program import LAYERS, Program
from migrate.rewriters.sessions import layers as keras
from migrate.rewriters.sessions import losses

T = "tensorflow."
COLUMNS = (f"{T}feature_column.", f"{T}contrib.feature_column.")
MAKING = meaning.MAKING | {
    T + name
    for name in (
        *("get_variable", "Variable", "placeholder", "placeholder_with_default", "py_func"),
        *("nn.rnn_cell.BasicLSTMCell", "feature_column.input_layer", "add_to_collection"),
        *("feature_column.linear_model", "nn.dynamic_rnn", "nn.bidirectional_dynamic_rnn"),
        *(
            "contrib.feature_column.sequence_input_layer",
            "contrib.layers.input_from_feature_columns",
        ),
        *("get_collection", "trainable_variables", "global_variables", "no_op", "group"),
        *("set_random_seed", "get_default_graph", "make_template", "variable_scope"),
    )
}
INSTEAD = {
    "logistic_regression": ": say tf.layers.dense and tf.losses.softmax_cross_entropy",
    "linear_regression": ": say tf.layers.dense and tf.losses.mean_squared_error",
}
METHODS = PURE_METHODS | {
    *("get_shape", "set_shape", "append", "extend", "update", "pop", "insert", "with_rank"),
    *("as_list", "eval_shape", "assert_has_rank", "merge_with", "lookup", "setdefault"),
}
SCOPES = (".variable_scope", ".name_scope", ".arg_scope", ".control_dependencies", "flow.device")
CROSS_ENTROPY = f"{T}keras.backend.binary_crossentropy"
# Functions of Keras that are TF's cross entropies where they are given logits, in TF 1, too.
OF_LOGITS = frozenset(f"{T}keras.losses.{kind}categorical_crossentropy" for kind in ("", "sparse_"))
Path = tuple[tuple[ast.AST, ast.Call], ...]  # functions, and the calls in them that lead on
LOSSES = frozenset(f"{T}losses.{name}" for name in losses.TABLE)


def check(program: Program, nodes: Iterable[ast.AST], known: Iterable[int] = ()) -> None:
    """See to it that pieces of a method can be executed for each batch.

    ``known``: the calls that are written as something else, by id.

    Raises:
        Blocked: one can't.
    """
    handled = set(known)
    for node in nodes:
        _check(program, node, handled, ())


def _check(program: Program, node: ast.AST, handled: set[int], inside: Path) -> None:
    for n in walk(node):
        if inside and isinstance(n, ast.Expr) and helper_summaries.is_one(program, n):
            helper_summaries.helper(program, n, inside)
            handled.add(id(n.value))
        if isinstance(n, ast.Call) and id(n) not in handled:
            _call(program, n, inside)
        elif isinstance(n, (ast.Attribute, ast.Name)):
            above = program.scopes.parents.get(id(n))
            if isinstance(above, ast.Call) and above.func is n:
                continue
            if isinstance(above, ast.keyword) and above.arg == "normalizer_fn":
                continue  # what its layer is given is seen there
            endpoint = program.endpoint(n)
            if endpoint in MAKING or keras.known(endpoint) or endpoint in LAYERS:
                raise Blocked(n, f"{_shown(endpoint)} isn't called where it is named")
        elif isinstance(n, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)):
            raise Blocked(n, "a part of a model_fn that can't be moved")


def _call(program: Program, call: ast.Call, inside: Path) -> None:
    endpoint = program.called(call)
    if id(call) in cast("set[int]", program.kept.get("scope paths", set())):
        return  # it is written anew, where weights have names
    if endpoint.endswith(SCOPES) and isinstance(program.scopes.parents[id(call)], ast.withitem):
        return  # it goes, with its block
    if endpoint:
        fine = meaning.is_op(endpoint) or meaning.is_host(endpoint) or endpoint in LOSSES
        fine = fine or endpoint.startswith(COLUMNS) or endpoint == f"{T}SparseTensor"
        fine = fine or (endpoint == CROSS_ENTROPY and _of_probabilities(program, call))
        fine = fine or (endpoint in OF_LOGITS and _of_logits(program, call))
        if endpoint in MAKING or keras.known(endpoint) or not fine:
            instead = INSTEAD.get(endpoint.rpartition(".")[2], "")
            raise Blocked(call, f"{_shown(endpoint)} in a model_fn isn't followed yet{instead}")
        if inside and endpoint in LOSSES:
            helper_losses.written(program, call)
        return
    function = program.scopes.function(call.func)
    if function is not None:
        if any(program.scopes.scope(c) is function for _, c in inside):
            raise Blocked(call, "a function that calls itself")
        if function.decorator_list:
            raise Blocked(call, f"`{function.name}` has a decorator")
        path = (*inside, (program.scopes.scope(call), call))
        for stmt in function.body:
            _check(program, stmt, set(), path)
        return
    func = call.func
    if isinstance(func, ast.Name):
        found = program.scopes.lookup(func)
        if found is None and func.id in PURE_BUILTINS | {"print", "super"}:
            if hasattr(builtins, func.id):
                return
        if found is not None and isinstance(found.value, ast.Lambda):
            return
        if found is None and isinstance(program.scopes.parents[id(call)], ast.Raise):
            return
    elif isinstance(func, ast.Attribute):
        if func.attr in METHODS or of_numpy(program, func):
            return
    if _reduces(program, call):
        return
    if isinstance(func, ast.Attribute):
        if isinstance(func.value, ast.Constant):
            return
    reason = f"`{ast.unparse(func)}` in a model_fn isn't seen"
    statics.apart(program, func, reason)
    raise Blocked(call, reason)


def _of_probabilities(program: Program, call: ast.Call) -> bool:
    """Whether a cross entropy isn't of a sigmoid, whose logits Keras's backend took in TF 1."""
    given = program.given(call)
    output = program.scopes.value(given["output"]) if "output" in given else None
    called = program.called(output) if output is not None else ""
    return called.startswith(T) and not called.endswith("sigmoid") and "from_logits" not in given


def _of_logits(program: Program, call: ast.Call) -> bool:
    """Whether a cross entropy of Keras says that it is of logits."""
    told = program.given(call).get("from_logits")
    return isinstance(told, ast.Constant) and told.value is True


def _reduces(program: Program, call: ast.Call) -> bool:
    """Whether a call is `reduce` with what is seen here: a lambda, an op or one of Python's."""
    func, first = call.func, call.args[0] if call.args else None
    name = func.value if isinstance(func, ast.Attribute) else func
    found = program.scopes.lookup(name) if isinstance(name, ast.Name) else None
    said = ast.unparse(func).rpartition(".")[2]
    module = found.node if found is not None else None
    if isinstance(module, ast.ImportFrom):
        known = module.module in ("functools", "six.moves") and isinstance(func, ast.Name)
    else:
        known = isinstance(module, ast.Import) and any(a.name == "functools" for a in module.names)
    if not known or said != "reduce" or first is None:
        return False
    plain = ast.unparse(first).startswith("operator.") or meaning.is_op(program.endpoint(first))
    return isinstance(first, ast.Lambda) or plain


def of_numpy(program: Program, node: ast.Attribute) -> bool:
    """Whether a name is NumPy's or of the module `math`, and no random one."""
    name = node.value
    if not isinstance(name, ast.Name):
        return False
    found = program.scopes.lookup(name)
    if found is None or not isinstance(found.node, ast.Import):
        return False
    return any(
        a.name in ("numpy", "math") and (a.asname or a.name) == name.id for a in found.node.names
    )


def _shown(endpoint: str) -> str:
    return "tf" + endpoint.removeprefix("tensorflow")
