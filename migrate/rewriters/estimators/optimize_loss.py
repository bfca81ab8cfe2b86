"""`tf.contrib.layers.optimize_loss` and `create_train_op`: an optimizer, a loss, a norm to clip by.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/layers/python/layers/optimizers.py
"""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import training
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.training import Update

LOSS = "tensorflow.contrib.layers.optimize_loss"
CREATE = frozenset({"tensorflow.contrib.training.create_train_op"})
# The optimizers that have a name in `optimize_loss`.
NAMED = {
    "SGD": "GradientDescentOptimizer",
    "Adagrad": "AdagradOptimizer",
    "Adam": "AdamOptimizer",
    "Ftrl": "FtrlOptimizer",
    "RMSProp": "RMSPropOptimizer",
}
TAKEN = {
    LOSS: (
        *("loss", "global_step", "learning_rate", "optimizer", "clip_gradients", "update_ops"),
        *("learning_rate_decay_fn", "name", "summaries", "colocate_gradients_with_ops"),
        "increment_global_step",
    ),
    **dict.fromkeys(CREATE, ("total_loss", "optimizer", "global_step", "clip_gradient_norm")),
}


def update(program: Program, call: ast.Call) -> Update:
    """What such a train op does.

    Raises:
        Blocked: it isn't followed.
    """
    endpoint = program.called(call)
    given = program.given(call)
    for name, node in given.items():
        if name not in TAKEN[endpoint]:
            raise Blocked(node, f"`{name}` of {endpoint.replace('tensorflow', 'tf', 1)}")
    if endpoint in CREATE:
        if "total_loss" not in given or "optimizer" not in given:
            raise Blocked(call, "a train op without a loss or an optimizer")
        norm = given.get("clip_gradient_norm")
        if isinstance(norm, ast.Constant) and not norm.value:
            norm = None
        if norm is not None:
            raise Blocked(norm, "gradients that are clipped one by one")
        return Update(call, given["optimizer"], given["total_loss"])
    counted = given.get("increment_global_step")
    if counted is not None and not (isinstance(counted, ast.Constant) and counted.value):
        raise Blocked(counted, "a train op that doesn't count the global step")
    ops = given.get("update_ops")
    if ops is not None and program.called(program.scopes.value(ops)) != "tensorflow.get_collection":
        raise Blocked(ops, "`update_ops` of a train op")
    if "loss" not in given or "optimizer" not in given:
        raise Blocked(call, "a train op without a loss or an optimizer")
    if "summaries" in given:
        program.say(given["summaries"], "these summaries aren't written; the loss is")
    made = _optimizer(program, call, given)
    return Update(call, made, given["loss"], clip=_clip(program, given))


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
    else:
        raise Blocked(node, "which optimizer this is isn't seen")
    if rate is None:
        raise Blocked(call, "a train op without a learning rate")
    return _made(program, name, [rate], [], call)


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
    endpoint = program.called(body) if body is not None else ""
    if not isinstance(body, ast.Call) or endpoint not in training.DECAYS or len(names) != 2:
        raise Blocked(decay, "a decay that isn't seen")
    step = "tensorflow.train.get_global_step"

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
