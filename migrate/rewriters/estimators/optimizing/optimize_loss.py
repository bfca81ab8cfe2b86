"""`tf.contrib.layers.optimize_loss` and `create_train_op`: an optimizer, a loss, a norm to clip by.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/layers/python/layers/optimizers.py
https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/training/python/training/training.py
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.data import inputs
from migrate.rewriters.estimators.optimizing import training
from migrate.rewriters.estimators.optimizing.training import Update
from migrate.rewriters.estimators.program import Program

LOSS = "tensorflow.contrib.layers.optimize_loss"
SLIM = "tensorflow.contrib.slim.learning.create_train_op"
TRAINING = "tensorflow.contrib.training.create_train_op"
CREATED = (
    *("total_loss", "optimizer", "global_step", "update_ops", "variables_to_train"),
    *("summarize_gradients", "colocate_gradients_with_ops", "check_numerics"),
)
# What clips each gradient by a norm of its own.
CLIPS = frozenset(
    f"tensorflow.contrib.{where}.clip_gradient_norms_fn" for where in ("training", "slim.learning")
)
# The optimizers that have a name in `optimize_loss`.
NAMED = {
    "SGD": "GradientDescentOptimizer",
    "Adagrad": "AdagradOptimizer",
    "Adam": "AdamOptimizer",
    "Ftrl": "FtrlOptimizer",
    "RMSProp": "RMSPropOptimizer",
}
BETWEEN = ": say what changes gradients between compute_gradients and apply_gradients"
TAKEN = {
    LOSS: (
        *("loss", "global_step", "learning_rate", "optimizer", "clip_gradients", "update_ops"),
        *("learning_rate_decay_fn", "name", "summaries", "colocate_gradients_with_ops"),
        *("increment_global_step", "variables"),
    ),
    TRAINING: (*CREATED, "transform_grads_fn"),
    SLIM: (*CREATED, "clip_gradient_norm"),
}


def update(
    program: Program, call: ast.Call, resolved: Callable[[ast.expr], ast.expr] = lambda node: node
) -> Update:
    """What such a train op does; ``resolved``: what a name was given last.

    Raises:
        Blocked: it isn't followed.
    """
    endpoint = program.called(call)
    given = program.given(call)
    for name, node in given.items():
        if name not in TAKEN[endpoint]:
            what = f"`{name}` of {endpoint.replace('tensorflow', 'tf', 1)}"
            raise Blocked(node, what + (BETWEEN if name.startswith("gradient_") else ""))
    ops = given.get("update_ops")
    if ops is not None and not _all_updates(program, ops):
        raise Blocked(ops, "`update_ops` of a train op")
    if endpoint in (TRAINING, SLIM):
        return _created(program, call, given, resolved)
    counted = given.get("increment_global_step")
    if counted is not None and not (isinstance(counted, ast.Constant) and counted.value):
        raise Blocked(counted, "a train op that doesn't count the global step")
    if "loss" not in given or "optimizer" not in given:
        raise Blocked(call, "a train op without a loss or an optimizer")
    if "summaries" in given:
        program.say(given["summaries"], "these summaries aren't written; the loss is")
    made = _optimizer(program, call, given)
    some = _some(given.get("variables"), resolved)
    return Update(call, made, given["loss"], clip=_clip(program, given), variables=some)


def _created(
    program: Program,
    call: ast.Call,
    given: dict[str, ast.expr],
    resolved: Callable[[ast.expr], ast.expr],
) -> Update:
    """What `create_train_op` does."""
    if "total_loss" not in given or "optimizer" not in given:
        raise Blocked(call, "a train op without a loss or an optimizer")
    steps = [k.value for k in call.keywords if k.arg == "global_step"] or call.args[2:3]
    if steps and isinstance(steps[0], ast.Constant):
        raise Blocked(steps[0], "a train op that doesn't count the global step")
    norm = given.get("clip_gradient_norm")
    if norm is not None and (_off(norm) or _off(program.scopes.value(norm))):
        norm = None
    changed = given.get("transform_grads_fn")
    if changed is not None and not _off(changed):
        made = program.scopes.value(changed)
        if program.called(made) not in CLIPS or not isinstance(made, ast.Call):
            raise Blocked(changed, "gradients that a function changes")
        norm = training.argument(made, 0, "max_norm")
    if norm is not None and not _number(program.scopes.value(norm)):
        raise Blocked(norm, "what gradients are clipped by isn't a number that is seen")
    shown = given.get("summarize_gradients")
    if shown is not None and not _off(shown):
        program.say(shown, "these summaries aren't written; the loss is")
    some = _some(given.get("variables_to_train"), resolved)
    found = Update(call, given["optimizer"], given["total_loss"], clip=norm, variables=some)
    found.each = norm is not None
    return found


def _some(node: ast.expr | None, resolved: Callable[[ast.expr], ast.expr]) -> ast.expr | None:
    """What is trained, where that isn't all."""
    if node is None or _off(node) or training.all_variables(resolved(node)):
        return None
    return node


def _all_updates(program: Program, node: ast.expr) -> bool:
    """Whether these are all updates that a graph has collected."""
    value = program.scopes.value(node)
    if isinstance(value, ast.Constant) and value.value is None:
        return True
    return program.called(value) == "tensorflow.get_collection" and any(
        program.endpoint(n).endswith("GraphKeys.UPDATE_OPS") for n in walk(value)
    )


def _off(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _number(node: ast.expr) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, (int, float)) and value > 0


def _clip(program: Program, given: dict[str, ast.expr]) -> ast.expr | None:
    """The norm that all gradients are clipped by."""
    node = given.get("clip_gradients")
    value = program.scopes.value(node) if node is not None else None
    number = isinstance(value, ast.Constant) and isinstance(value.value, float)
    if node is not None and not number and not isinstance(value, (ast.Attribute, ast.Subscript)):
        raise Blocked(node, "what gradients are clipped by isn't a number that is seen")
    return node


def _optimizer(program: Program, call: ast.Call, given: dict[str, ast.expr]) -> ast.Call:
    """The call of `tf.train` that makes the optimizer which is asked for."""
    node = given["optimizer"]
    value = program.scopes.value(node)
    value = _everywhere(program, value) or value
    if training.is_optimizer(program.called(value)):
        if "learning_rate_decay_fn" in given:
            raise Blocked(node, "an optimizer that has a rate of its own beside a decay")
        assert isinstance(value, ast.Call)
        return value
    rate = _rate(program, given)
    if isinstance(value, ast.Constant) and value.value in NAMED:
        name = f"tensorflow.train.{NAMED[value.value]}"
    elif training.is_optimizer(program.endpoint(value)):
        name = program.endpoint(value)
    elif isinstance(value, ast.Lambda) and rate is not None:
        return _of_rate(program, value, rate)
    else:
        raise Blocked(node, "which optimizer this is isn't seen")
    if rate is None:
        raise Blocked(call, "a train op without a learning rate")
    return _made(program, name, [rate], [], call)


def _of_rate(program: Program, made: ast.Lambda, rate: ast.expr) -> ast.Call:
    """The call in `lambda rate: tf.train.MomentumOptimizer(rate, 0.9)`, of the rate itself."""
    names, body = [a.arg for a in made.args.args], made.body
    endpoint = program.called(body)
    if len(names) != 1 or not isinstance(body, ast.Call) or not training.is_optimizer(endpoint):
        raise Blocked(made, "which optimizer this is isn't seen")

    def instead(node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Name) and node.id == names[0]:
            return rate
        if any(n.id == names[0] for n in all_of(node, ast.Name)):
            raise Blocked(node, "a learning rate that an optimizer's function computes")
        return node

    keywords = [ast.keyword(k.arg, instead(k.value)) for k in body.keywords]
    return _made(program, endpoint, [instead(a) for a in body.args], keywords, body)


def _everywhere(program: Program, node: ast.expr) -> ast.Constant | None:
    """The one constant that all calls of a function around a model_fn give its parameter."""
    found = program.scopes.lookup(node) if isinstance(node, ast.Name) else None
    owner = found.scope if found is not None and found.kind == "param" else None
    if not isinstance(owner, ast.FunctionDef) or owner.decorator_list:
        return None
    assert isinstance(node, ast.Name)
    args = owner.args
    if args.vararg or args.kwarg or isinstance(program.scopes.scope(owner), ast.ClassDef):
        return None
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    late = dict(zip(reversed(names), reversed(args.defaults), strict=False))
    values: list[ast.expr | None] = []
    for use in program.readers(owner):
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use:
            return None
        if any(isinstance(a, ast.Starred) for a in call.args):
            return None
        if any(k.arg is None for k in call.keywords):
            return None
        said = dict(zip(names, call.args, strict=False))
        said |= {str(k.arg): k.value for k in call.keywords}
        value = said.get(node.id, late.get(node.id))
        values.append(program.scopes.value(value) if value is not None else None)
    constants = [v for v in values if isinstance(v, ast.Constant)]
    same = len({repr(c.value) for c in constants}) == 1 and len(constants) == len(values)
    return constants[0] if same else None


def _rate(program: Program, given: dict[str, ast.expr]) -> ast.expr | None:
    """The learning rate, decayed where a function says so.

    Raises:
        Blocked: that isn't seen.
    """
    rate, decay = given.get("learning_rate"), given.get("learning_rate_decay_fn")
    if decay is None or rate is None:
        return rate
    body = decay.body if isinstance(decay, ast.Lambda) else None
    names = [a.arg for a in decay.args.args] if isinstance(decay, ast.Lambda) else []
    function = program.scopes.function(decay)
    if function is not None and len(function.body) == 1:
        stmt = function.body[0]
        body = stmt.value if isinstance(stmt, ast.Return) else None
        names = [a.arg for a in function.args.args]
    step = "tensorflow.train.get_global_step"
    bound = program.scopes.value(decay)
    if isinstance(bound, ast.Call) and inputs.partial(program, bound) and len(bound.args) == 1:
        endpoint = program.endpoint(bound.args[0])
        if endpoint in training.DECAYS and all(k.arg for k in bound.keywords):
            steps = _made(program, step, [], [], decay)
            return _made(program, endpoint, [rate, steps], bound.keywords, decay)
    endpoint = program.called(body) if body is not None else ""
    if not isinstance(body, ast.Call) or endpoint not in training.DECAYS or len(names) != 2:
        raise Blocked(decay, "a decay that isn't seen")

    def instead(node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Name) and node.id == names[0]:
            return rate
        if isinstance(node, ast.Name) and node.id == names[1]:
            return _made(program, step, [], [], node)
        if {n.id for n in all_of(node, ast.Name)} & set(names):
            raise Blocked(node, "a decay that isn't seen")
        return node

    keywords = [ast.keyword(k.arg, instead(k.value)) for k in body.keywords]
    return _made(program, endpoint, [instead(a) for a in body.args], keywords, body)


def _made(
    program: Program,
    endpoint: str,
    args: list[ast.expr],
    keywords: list[ast.keyword],
    at: ast.expr,
) -> ast.Call:
    """A call that the program doesn't have, of nodes that it has."""
    func = ast.copy_location(ast.Name("tf", ast.Load()), at)
    program.walker.endpoints[id(func)] = endpoint
    made = ast.copy_location(ast.Call(func, args, keywords), at)
    kept = program.kept.setdefault("made calls", [])
    assert isinstance(kept, list)
    kept.append(made)  # its id must stay its own
    return made
