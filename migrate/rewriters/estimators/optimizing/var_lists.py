"""What a train op trains: a model's layers by the scopes that TF 1 made their variables in.

    var_list=tf.get_collection(            self.wide.trainable_variables
        tf.GraphKeys.TRAINABLE_VARIABLES,
        scope='wide')

A layer belongs to it where its scope says so; where scopes don't decide, nothing is written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.data import tables
from migrate.rewriters.estimators.models import objects, own_layers, weights
from migrate.rewriters.estimators.models.values import DROPOUTS
from migrate.rewriters.estimators.optimizing import averages
from migrate.rewriters.estimators.optimizing.training import all_variables

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers
    from migrate.rewriters.estimators.models.specs import Specs

SCOPE = "tensorflow.variable_scope"
PLAIN = re.compile(r"[\w/]+\Z")  # a scope that is no more of a regular expression
# What `tf.layers` calls the variables of a layer.
PARTS = ("kernel", "bias", "gamma", "beta", "depthwise_kernel", "pointwise_kernel")
ALL = "self.trainable_variables"
# A test of the beginning of a variable's name: what is known of it, and whether it holds.
Test = Callable[[str], "bool | None"]


def source(model: Specs, node: ast.expr, body: Sequence[ast.stmt]) -> str:
    """The variables of a `var_list`, as the model has them.

    Raises:
        Blocked: which they are isn't seen.
    """
    value = model.resolved(node, body)
    if all_variables(value):
        return ALL
    if isinstance(value, (ast.List, ast.Tuple)):
        names = [e.id if isinstance(e, ast.Name) else "" for e in value.elts]
        if names and all(n in model.aliases for n in names):
            return f"[{', '.join(f'self.{model.aliases[n]}' for n in names)}]"
        raise Blocked(node, "variables in a list of a train op")
    test = _collected(model, value) or _comprehended(model, value, body)
    if test is None:
        raise Blocked(node, "which variables a train op trains isn't seen")
    if model.shares or any(part.shares for part in model.parts.values()):
        raise Blocked(node, "a `var_list` beside tables that layers share")
    found: dict[str, str] = {}  # by attribute: its variables
    for name, call in _made(model):
        told = _told(model, call, "", test, {})
        if told is None:
            raise Blocked(node, f"whether a train op trains what is made in line {call.lineno}")
        if told:
            found[name] = _variables(model, name, call)
    if not found:
        raise Blocked(node, "a train op that trains no layer that is seen")
    lists = list(dict.fromkeys(found.values()))
    return " + ".join(lists)


def _made(model: Layers) -> list[tuple[str, ast.Call]]:
    """The attributes that may hold variables, with the calls that make them."""
    found = []
    for key, names in model.attributes.items():
        layer = model.calls[key]
        if not model.sources[key]:
            continue  # it uses another's again
        if layer.endpoint in tables.KNOWN | averages.KNOWN | DROPOUTS:
            continue
        found += [(name, layer.call) for name in names]
    return found


def _variables(model: Layers, name: str, call: ast.Call) -> str:
    many = any(name in names for names in model.lists.values())
    if model.calls[id(call)].endpoint in weights.KNOWN:
        return f"self.{name}" if many else f"[self.{name}]"
    if many:
        return f"[v for layer in self.{name} for v in layer.trainable_variables]"
    return f"self.{name}.trainable_variables"


def _collected(model: Specs, node: ast.expr) -> Test | None:
    """The test of a collection's scope."""
    program = model.program
    endpoint = program.called(node)
    if endpoint not in ("tensorflow.get_collection", "tensorflow.trainable_variables"):
        return None
    assert isinstance(node, ast.Call)
    given = program.given(node)
    key = given.get("key")
    said = isinstance(key, ast.Constant) and key.value == "trainable_variables"
    if key is not None and not said:
        if not program.endpoint(key).endswith("GraphKeys.TRAINABLE_VARIABLES"):
            return None
    if "scope" not in given:
        return lambda name: True
    scope = _text(model, given["scope"], {})
    if scope is None or not PLAIN.match(scope):
        raise Blocked(given["scope"], "which variables a train op trains isn't seen")
    return lambda name: _begins(name, str(scope))


def _comprehended(model: Specs, node: ast.expr, body: Sequence[ast.stmt]) -> Test | None:
    """The test of `[v for v in tf.trainable_variables() if v.name.startswith('…')]`."""
    if not isinstance(node, ast.ListComp) or len(node.generators) != 1:
        return None
    (made,) = node.generators
    target = made.target.id if isinstance(made.target, ast.Name) else ""
    plain = isinstance(node.elt, ast.Name) and node.elt.id == target
    if not plain or len(made.ifs) != 1 or not all_variables(model.resolved(made.iter, body)):
        return None
    test, positive = made.ifs[0], True
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, positive = test.operand, False
    part: ast.expr | None = None
    kind = "in"
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        named = ast.unparse(test.comparators[0]) == f"{target}.name"
        if named and isinstance(test.ops[0], (ast.In, ast.NotIn)):
            part = test.left
            positive = positive is isinstance(test.ops[0], ast.In)
        first = f"{target}.name.split('/')[0]"
        if ast.unparse(test.left) == first and isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
            part, kind = test.comparators[0], "first"
            positive = positive is isinstance(test.ops[0], ast.Eq)
    elif isinstance(test, ast.Call) and len(test.args) == 1:
        if ast.unparse(test.func) == f"{target}.name.startswith":
            part, kind = test.args[0], "begins"
    text = _text(model, part, {}) if part is not None else None
    if text is None or not text:
        return None
    wanted = text

    def told(name: str) -> bool | None:
        if kind == "begins":
            found = _begins(name, wanted)
        elif kind == "first":
            found = name.partition("/")[0] == wanted if "/" in name else None
        else:
            found = True if wanted in name else False if name.endswith(":0") else None
        return None if found is None else found is positive

    return told


def _begins(name: str, scope: str) -> bool | None:
    """Whether a name of which the beginning is known begins with something."""
    if name.startswith(scope):
        return True
    return None if scope.startswith(name) else False


def _told(
    owner: Layers, call: ast.Call, above: str, test: Test, given: Mapping[str, str | None]
) -> bool | None:
    """Whether the variables of a call are among those; None where that isn't seen."""
    name = above + _scopes(owner, call, given)
    known = test(name)
    if known is not None:
        return known
    layer = owner.calls[id(call)]
    part = owner.parts.get(id(call))
    if part is not None:
        values = {k: _text(owner, v, given) for k, v in layer.given.items()}
        inner = [_told(part, c, name, test, values) for _, c in _made(part)]
        return inner[0] if inner and all(t is inner[0] for t in inner) else None
    if objects.stands(owner.program, call) or own_layers.of(owner.program, call.func) is not None:
        return None
    said = layer.given.get("name", layer.given.get("scope"))
    plain = layer.endpoint.startswith("tensorflow.layers.")
    base = layer.endpoint.rpartition(".")[2] if plain else None
    text = _text(owner, said, given) if said is not None else base
    if text is None:
        return None
    if said is not None and (known := test(f"{name}{text}/")) is not None:
        return known
    numbers = ("",) if said is not None else ("", "_1")
    every = {test(f"{name}{text}{n}/{part}:0") for n in numbers for part in PARTS if plain}
    return every.pop() if len(every) == 1 else None


def _scopes(owner: Layers, call: ast.Call, given: Mapping[str, str | None]) -> str:
    """The scopes around a call in its function, as far as they are known.

    Raises:
        Blocked: one has a name that isn't seen, so that nothing is known of what is in it.
    """
    name = ""
    around = [a for a in owner.program.scopes.around(call) if isinstance(a, ast.With)]
    own = {id(n) for n in walk(owner.function)}
    for block in reversed([a for a in around if id(a) in own]):
        for item in block.items:
            opened = item.context_expr
            if owner.program.called(opened) != SCOPE or not isinstance(opened, ast.Call):
                continue
            said = owner.program.given(opened).get("name_or_scope")
            text = _text(owner, said, given) if said is not None else None
            if text is None:
                raise Blocked(opened, "a scope whose name isn't seen, beside a `var_list`")
            name += f"{text}/"
    return name


def _text(owner: Layers, node: ast.expr, given: Mapping[str, str | None]) -> str | None:
    """The text that an expression is."""
    if isinstance(node, ast.Name) and node.id in given:
        return given[node.id]
    value = owner.program.scopes.value(node)
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
