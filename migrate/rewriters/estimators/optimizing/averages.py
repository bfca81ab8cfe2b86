"""Moving averages of what a function trains, by which a second call of it computes.

    ema = tf.train.ExponentialMovingAverage(.9)      self.ema = MovingAverages(.9)
    logits = net(x)                                  logits = self.net(x)
    ema_op = ema.apply(tf.trainable_variables())     smooth = self.ema.applied(self.net, x)
    smooth = net(x, reuse=True, getter=by(ema))      …
    train_op = tf.group(train_op, ema_op)            self.ema.update(self.net)

The `custom_getter` gives each variable's average where there is one. TF 1.15.5 runs what a group
has as its threads go; averages take what a step began with, as they do where that comes first.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/ExponentialMovingAverage
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.syntax import docstring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from migrate.rewriters.estimators.models.layers import Layers
    from migrate.rewriters.estimators.models.methods import Methods
    from migrate.rewriters.estimators.models.parts import Part
    from migrate.rewriters.estimators.models.specs import Specs
    from migrate.rewriters.estimators.program import Program

KNOWN = frozenset({"tensorflow.train.ExponentialMovingAverage"})
CLASS = "MovingAverages"
SCOPE = "tensorflow.variable_scope"
# What asks the getter of the scopes around it for all of its variables.
ASKING = ("tensorflow.layers.", "tensorflow.contrib.rnn.", "tensorflow.nn.rnn_cell.")
GET = "tensorflow.get_variable"


@cache
def _code() -> str:
    return Path(__file__).with_name("averages_code.txt").read_text(encoding="utf-8")


def given(program: Program, call: ast.Call) -> dict[str, ast.expr]:
    """What averages are made with.

    Raises:
        Blocked: an argument isn't followed.
    """
    found = program.given(call)
    for name, node in found.items():
        if name not in ("decay", "name"):
            raise Blocked(node, f"`{name}` of moving averages")
    return {"decay": found["decay"]}


def made(owner: Layers, call: ast.Call) -> str:
    """The source of the object that keeps the averages.

    Raises:
        Blocked: it has no name of its own, or is used for something else.
    """
    stmt = owner.program.scopes.parents[id(call)]
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    bound = owner.program.scopes.bound(owner.function)
    if not isinstance(target, ast.Name) or len(bound[target.id]) > 1:
        raise Blocked(call, "moving averages without a name of their own")
    owner.need(CLASS, _code())
    return f"{CLASS}({owner.text.source(given(owner.program, call)['decay'])})"


# -- a function that is given a getter ----------------------------------------------------------


def takes(program: Program, function: ast.FunctionDef) -> str:
    """The argument of a function that is no more than the getter of its scopes; or nothing."""
    key = ("getter", id(function))
    if key not in program.kept:
        program.kept[key] = _takes(program, function)
    return str(program.kept[key])


def _takes(program: Program, function: ast.FunctionDef) -> str:
    args = function.args
    given = [None] * (len(args.args) - len(args.defaults)) + list(args.defaults)
    for arg, default in zip(args.args, given, strict=True):
        reads = program.reads(arg.arg, function)
        if reads and all(_opens(program, use) for use in reads):
            if not isinstance(default, ast.Constant) or default.value is not None:
                raise Blocked(arg, "a `custom_getter` that isn't one of moving averages")
            return arg.arg
    return ""


def _opens(program: Program, use: ast.Name) -> bool:
    above = program.scopes.parents[id(use)]
    if not isinstance(above, ast.keyword) or above.arg != "custom_getter":
        return False
    return program.called(program.scopes.parents[id(above)]) == SCOPE


def getter(owner: Layers, call: ast.Call, function: ast.FunctionDef) -> ast.expr | None:
    """What a call gives a function as its getter; None where it gives none."""
    from migrate.rewriters.estimators.models import parts

    name = takes(owner.program, function)
    node = parts.kinds(owner, function, call)[1].get(name) if name else None
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return None
    return node


def read_by(owner: Layers, call: ast.Call, function: ast.FunctionDef) -> str:
    """The name of the averages that a call computes with; nothing where it gives no getter.

    Raises:
        Blocked: its getter gives something else, or to something else.
    """
    node = getter(owner, call, function)
    if node is None:
        return ""
    name = _averages(owner.program, node, owner.function)
    if name is None or owner.program.called(_value(owner, name)) not in KNOWN:
        raise Blocked(node, "a `custom_getter` that isn't one of moving averages")
    inside(owner.parts[id(call)], takes(owner.program, function))
    _look(owner, name, call)
    maker = owner.program.scopes.function(node.func if isinstance(node, ast.Call) else node)
    if maker is not None and len(owner.program.readers(maker)) == 1:
        if isinstance(node, ast.Call):
            owner.program.remove(maker)
        else:
            owner.dropped.add(id(maker))
    return name


def _value(owner: Layers, name: str) -> ast.AST:
    found = owner.program.scopes.bound(owner.function).get(name, [])
    return found[0].value if len(found) == 1 and found[0].value is not None else owner.function


def _averages(program: Program, node: ast.expr, function: ast.FunctionDef) -> str | None:
    """The name in a function of the averages that a getter looks in; None if it does more."""
    made = program.scopes.function(node.func) if isinstance(node, ast.Call) else None
    if made is None:
        inner = program.scopes.function(node)
        here = inner is not None and program.scopes.scope(inner) is function
        return _looks(inner) if here and inner is not None else None
    assert isinstance(node, ast.Call)
    names = [a.arg for a in made.args.args]
    if len(names) != 1 or made.args.vararg or made.args.kwarg or made.args.kwonlyargs:
        return None
    body = [s for s in made.body if not docstring(s)]
    if len(body) != 2 or not isinstance(body[0], ast.FunctionDef):
        return None
    last = body[1]
    if not isinstance(last, ast.Return) or ast.unparse(last.value or node) != body[0].name:
        return None
    values = [*node.args, *(k.value for k in node.keywords if k.arg == names[0])]
    if _looks(body[0]) != names[0] or len(values) != 1 or not isinstance(values[0], ast.Name):
        return None
    return values[0].id


def _looks(function: ast.FunctionDef) -> str | None:
    """What a getter looks for averages in, where it gives those that are there."""
    args = function.args
    if len(args.args) != 2 or not args.vararg or not args.kwarg or args.kwonlyargs:
        return None
    if function.decorator_list:
        return None
    ask, name = (a.arg for a in args.args)
    plain = f"{ask}({name}, *{args.vararg.arg}, **{args.kwarg.arg})"
    body = [s for s in function.body if not docstring(s)]
    if len(body) != 3:
        return None
    first, second, last = body
    if not isinstance(first, ast.Assign) or not isinstance(second, ast.Assign):
        return None
    one, two = ast.unparse(first.targets[0]), ast.unparse(second.targets[0])
    call = second.value
    if ast.unparse(first.value) != plain or not isinstance(call, ast.Call):
        return None
    root = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(root, ast.Name) or ast.unparse(call) != f"{root.id}.average({one})":
        return None
    said = ast.unparse(last.value) if isinstance(last, ast.Return) and last.value else ""
    either = {f"{two} if {two} else {one}", f"{two} if {two} is not None else {one}"}
    either |= {f"{one} if {two} is None else {two}", f"{two} or {one}"}
    return root.id if said in either and root.id not in (ask, name, one, two) else None


def inside(part: Part, name: str) -> None:
    """See to it that a function's getter is asked for all that it trains.

    Raises:
        Blocked: it isn't, or other variables would be those of both calls.
    """
    program = part.program
    for key, layer in part.calls.items():
        call, endpoint = layer.call, layer.endpoint
        inner = part.parts.get(key)
        blocks = [a for a in program.scopes.around(call) if isinstance(a, ast.With)]
        items = [i.context_expr for b in blocks for i in b.items]
        words = [k for o in items if isinstance(o, ast.Call) for k in o.keywords]
        getters = {ast.unparse(k.value) for k in words if k.arg == "custom_getter"}
        if layer.norm is not None:
            raise Blocked(call, "a batch normalization beside moving averages of weights")
        if name and name not in getters and not _untrained(part, layer.call, endpoint):
            raise Blocked(call, f"what `{name}` isn't asked for")
        if inner is not None:
            inside(inner, "")
        elif not endpoint.startswith(ASKING) and endpoint != GET:
            if not _untrained(part, call, endpoint):
                raise Blocked(call, "variables that no `custom_getter` is asked for")


def _untrained(part: Part, call: ast.Call, endpoint: str) -> bool:
    """Whether what a call makes has no variable that is trained."""
    from migrate.rewriters.estimators.data import tables
    from migrate.rewriters.estimators.models.values import DROPOUTS

    trainable = part.program.given(call).get("trainable") if endpoint else None
    frozen = isinstance(trainable, ast.Constant) and trainable.value is False
    return endpoint in tables.KNOWN | DROPOUTS or frozen


# -- the model_fn -------------------------------------------------------------------------------


def _look(owner: Layers, name: str, call: ast.Call) -> None:
    """See to it that averages are kept of all that a call reads, and only for such calls.

    Raises:
        Blocked: they aren't.
    """
    from migrate.rewriters.estimators.models.specs import Specs
    from migrate.rewriters.estimators.optimizing import var_lists

    if not isinstance(owner, Specs):
        raise Blocked(call, "moving averages outside of a model_fn")
    program = owner.program
    applied = keeps(owner, name)
    if len(applied) != 1:
        raise Blocked(call, "moving averages that aren't kept once")
    (apply,) = applied
    for mode in owner.modes:
        body = owner.bodies[mode]
        kept = [k for k, s in enumerate(body) for n in walk(s) if n is apply]
        read = [k for k, s in enumerate(body) for n in walk(s) if n is call]
        if read and (not kept or kept[0] >= read[0]):
            raise Blocked(call, "moving averages that are read before they are kept")

    def check() -> None:
        known = calls(owner) | {id(n) for n in walk(apply.func)}
        for use in program.reads(name, owner.function):
            if id(use) not in known:
                raise Blocked(use, "moving averages that are asked for something else")
        some = [*apply.args, *(k.value for k in apply.keywords)]
        if not some:
            return
        found = var_lists.source(owner, some[0], owner.bodies[owner.modes[0]])
        own = f"self.{owner.attributes[id(call)][0]}.trainable_variables"
        if found != var_lists.ALL and own not in found.split(" + "):
            raise Blocked(some[0], "moving averages of other variables than are read")

    program.finish.append(check)


def calls(owner: Layers) -> set[int]:
    """The calls in a function that make getters, by id: what they are given is applied."""
    made = [c for c in owner.calls.values() if c.factory is not None]
    asked = [getter(owner, c.call, c.factory) for c in made if c.factory is not None]
    inner = [owner.program.scopes.function(n) for n in asked if isinstance(n, ast.Name)]
    return {id(n) for node in (*asked, *inner) if node is not None for n in walk(node)}


def keeps(owner: Specs | Layers, name: str) -> list[ast.Call]:
    """The calls of `apply` of some averages."""
    return [n for n in all_of(owner.function, ast.Call) if ast.unparse(n.func) == f"{name}.apply"]


def update(model: Specs, node: ast.expr, body: Sequence[ast.stmt]) -> bool:
    """Whether an op moves averages; the step does it then."""
    value = model.resolved(node, body)
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    root = value.func.value
    if value.func.attr != "apply" or not isinstance(root, ast.Name):
        return False
    if model.program.called(_value(model, root.id)) not in KNOWN:
        return False
    model.moved[root.id] = value
    return True


def written(model: Methods, two: str) -> str:
    """What moves the averages in a training step, before weights change.

    Raises:
        Blocked: what they are of isn't read by them, or changes elsewhere, too.
    """
    out = ""
    if model.moved and (model.replicated or (model.update is not None and model.update.others)):
        first = next(iter(model.moved.values()))
        raise Blocked(first, "moving averages beside several train ops or replicas")
    for name, call in model.moved.items():
        read = [key for key, said in model.averaged.items() if said == name]
        if not read:
            raise Blocked(call, "moving averages that nothing reads")
        layers = dict.fromkeys(f"self.{model.attributes[key][0]}" for key in read)
        out += f"{two}self.{model.aliases[name]}.update({', '.join(layers)})\n"
    return out
