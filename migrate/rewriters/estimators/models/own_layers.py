"""Layers and models that a program defines itself, and Sequential ones, used in a model_fn.

    class Modulation(tf.layers.Layer): …        class Modulation(tf.keras.layers.Layer): …
    film = Modulation()(net, gamma)             film = self.modulation(net, gamma)

The class stays as the author wrote it, where it means the same to Keras 3: what its methods do is
looked at once.

https://www.tensorflow.org/guide/keras/making_new_layers_and_models_via_subclassing
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import functional, guard

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers
    from migrate.rewriters.estimators.program import Program

K = "tensorflow.keras."
BASES = {
    "tensorflow.layers.Layer": "keras.layers.Layer",
    K + "layers.Layer": "keras.layers.Layer",
    **{f"{K}{name}": "keras.Model" for name in ("Model", "models.Model")},
}
SEQUENTIAL = frozenset({K + "Sequential", K + "models.Sequential"})
SWITCHED = frozenset({K + "layers.Dropout"})
METHODS = frozenset({"__init__", "build", "call", "get_config", "compute_output_shape"})
WEIGHT = frozenset({"name", "shape", "initializer", "trainable", "dtype"})
# What Keras 3 calls its own in a layer, besides what a model has.
TAKEN = frozenset(
    f"_{name}"
    for name in (
        *("layers", "metrics", "losses", "lock", "tracker", "path", "called", "parent_path"),
        *("dtype_policy", "build_shapes_dict", "seed_generators", "trainable_variables"),
        *("non_trainable_variables", "loss_ids", "call_signature", "convert_input_args"),
    )
)


def of(program: Program, node: ast.AST) -> ast.ClassDef | ast.Call | None:
    """What a call makes an object of: a class of the program, or a Sequential model's call."""
    if not isinstance(node, ast.Call):
        return None
    key = ("own layer", id(node))
    if key not in program.kept:
        program.kept[key] = _of(program, node)
    found = program.kept[key]
    assert found is None or isinstance(found, (ast.ClassDef, ast.Call))
    return found


def _of(program: Program, node: ast.Call) -> ast.ClassDef | ast.Call | None:
    endpoint = program.called(node)
    if endpoint:
        return node if endpoint in SEQUENTIAL else None
    found = program.scopes.lookup(node.func)
    if found is None:
        return None
    if isinstance(found.node, ast.ClassDef):
        bases = [program.endpoint(b) for b in found.node.bases]
        return found.node if len(bases) == 1 and bases[0] in BASES else None
    if isinstance(found.node, ast.FunctionDef):
        functional_model = functional.returned(program, found.node)
        if functional_model is not None:
            return functional_model
        returns = all_of(found.node, ast.Return)
        if len(returns) == 1 and program.called(returns[0].value or node) in SEQUENTIAL:
            assert isinstance(returns[0].value, ast.Call)
            return returns[0].value
    return None


def made(owner: Layers, call: ast.Call) -> str:
    """The source of the object: as it is, where all that it does is seen.

    Raises:
        Blocked: it isn't, or means something else to Keras 3.
    """
    kind = of(owner.program, call)
    assert kind is not None
    if isinstance(kind, ast.ClassDef):
        _checked(owner.program, kind)
    elif owner.program.called(kind) in functional.MODELS:
        function = owner.program.scopes.function(call.func)
        assert function is not None
        functional.check(owner.program, function, kind)
    else:
        _sequential(owner.program, kind)
        function = owner.program.scopes.function(call.func)
        if function is not None:
            _alone(owner, function)
            rest = [s for s in function.body if not (isinstance(s, ast.Return))]
            known = {id(n) for s in rest for n in walk(s) if _is_layer(owner.program, n)}
            guard.check(owner.program, rest, known)
            _layers(owner.program, rest)
    if any(isinstance(a, ast.Starred) for a in call.args) or None in {k.arg for k in call.keywords}:
        raise Blocked(call, "the arguments of a layer of the program")
    return " ".join(owner.program.source(call).split())


def inside(program: Program, node: ast.AST, above: tuple[ast.AST, ...] = ()) -> Iterator[ast.AST]:
    """What stands in a class or in the function that makes an object, and in those of its own."""
    kind = of(program, node)
    if not isinstance(node, ast.Call) or kind is None:
        return
    whole = kind if isinstance(kind, ast.ClassDef) else program.scopes.function(node.func)
    if whole is None or whole in above:
        return
    for each in walk(whole):
        yield each
        yield from inside(program, each, (*above, whole))


def _alone(owner: Layers, function: ast.FunctionDef) -> None:
    """See to it that a function whose layers no longer say their input isn't called elsewhere.

    Raises:
        Blocked: it is, where the model may have to be built at once.
    """
    from migrate.rewriters.estimators.models import objects

    program, inside = owner.program, {id(n) for n in walk(owner.function)}
    said = [
        k
        for n in all_of(function, ast.Call)
        if program.called(n) in objects.KERAS
        for k in n.keywords
        if objects.only_said(program.called(n).rpartition(".")[2], str(k.arg))
    ]
    for use in program.readers(function):
        if said and id(use) not in inside:
            raise Blocked(
                use, f"`{function.name}`, which makes a Sequential model, is used here, too"
            )


def given(made: ast.Call, call: ast.Call | None) -> dict[str, ast.expr]:
    """What an object is made with, and what the call of it is given of a run."""
    values = _values(made)
    found: dict[str, ast.expr] = {f"argument {n}": value for n, value in enumerate(values)}
    if call is not None:
        found["inputs"] = ast.Tuple([*call.args, *(k.value for k in call.keywords)], ast.Load())
    return found


def _values(made: ast.Call) -> list[ast.expr]:
    """The arguments of an object; those of its layers, where these are in a list."""
    found: list[ast.expr] = []
    for value in (*made.args, *(k.value for k in made.keywords)):
        for each in value.elts if isinstance(value, (ast.List, ast.Tuple)) else []:
            found += _values(each) if isinstance(each, ast.Call) else [each]
        if not isinstance(value, (ast.List, ast.Tuple)):
            found.append(value)
    return found


def applied(owner: Layers, call: ast.Call, made: ast.Call, name: str) -> str:
    """The call of an object; a switch that isn't given is off, whatever Keras would pass on.

    Raises:
        Blocked: its arguments aren't seen.
    """
    kind = of(owner.program, made)
    if any(isinstance(a, ast.Starred) for a in call.args):
        raise Blocked(call, "the arguments of the call of a layer's object")
    said = [owner.source(a) for a in call.args]
    for keyword in call.keywords:
        if keyword.arg is None:
            raise Blocked(call, "the arguments of the call of a layer's object")
        said.append(f"{keyword.arg}={owner.source(keyword.value)}")
    names = {k.arg for k in call.keywords}
    if isinstance(kind, ast.ClassDef):
        method = next(s for s in kind.body if isinstance(s, ast.FunctionDef) and s.name == "call")
        order = [a.arg for a in method.args.args][1:]
        names |= set(order[: len(call.args)])
        switched = "training" in order
    else:
        switched = True
        if len(call.args) != 1 or names - {"training"}:
            raise Blocked(call, "the arguments of the call of a Sequential model")
        function = owner.program.scopes.function(made.func)
        of_inputs = kind is not None and owner.program.called(kind) in functional.MODELS
        if function is not None and of_inputs:
            functional.fits(owner, call.args[0], function)
    if switched and "training" not in names:
        said.append("training=False")
    return f"{name}({', '.join(said)})"


def _is_layer(program: Program, node: ast.AST) -> bool:
    from migrate.rewriters.estimators.models import objects

    return isinstance(node, ast.Call) and (
        program.called(node) in objects.KERAS or of(program, node) is not None
    )


def within(program: Program, node: ast.AST) -> bool:
    """Whether a layer is one of a Sequential model's list."""
    if not isinstance(node, ast.Call) or not _is_layer(program, node):
        return False
    above = program.scopes.parents[id(node)]
    above = program.scopes.parents[id(above)] if isinstance(above, (ast.List, ast.Tuple)) else above
    return of(program, above) is above


def _sequential(program: Program, call: ast.Call) -> None:
    """See to it that a Sequential model has layers that mean the same to Keras 3."""
    layers = call.args[0] if call.args else None
    more = [k for k in call.keywords if k.arg != "name" or not isinstance(k.value, ast.Constant)]
    if len(call.args) != 1 or more or not isinstance(layers, (ast.List, ast.Tuple)):
        raise Blocked(call, "a Sequential model whose layers aren't in one list")
    for each in layers.elts:
        value = program.scopes.value(each)
        if not _is_layer(program, value):
            raise Blocked(each, "a layer of a Sequential model that isn't seen")
    _layers(program, [call])
    if ("sequential", id(call)) not in program.kept:
        program.kept["sequential", id(call)] = True
        program.edit(call.func, f"{program.tf}.keras.Sequential")


def _layers(
    program: Program, nodes: list[ast.Call] | list[ast.stmt], *, listed: bool = True
) -> None:
    """See to it that Keras's layers that are made mean the same to Keras 3.

    ``listed``: they are a Sequential model's, which asks them for its input.
    """
    from migrate.rewriters.estimators.models import objects

    for each in nodes:
        for node in all_of(each, ast.Call):
            if program.called(node) not in objects.KERAS:
                continue
            for keyword in node.keywords:
                name = program.called(node).rpartition(".")[2]
                said = ("unsaid", id(keyword))
                if not objects.only_said(name, str(keyword.arg)):
                    continue
                if not listed:
                    reason = f"`{keyword.arg}` of tf.keras.layers.{name}"
                    raise Blocked(keyword.value, reason)
                if said not in program.kept:
                    program.kept[said] = True
                    program.edits += objects.unsaid(program, node, keyword)
            objects.plain(program, node)
            if id(node.func) in program.walker.hidden:
                name = program.called(node).rpartition(".")[2]
                program.edit(node.func, f"{program.tf}.keras.layers.{name}")
            elif program.called(node) in SWITCHED:  # its switch is seen to where it is called
                program.edit(node.func, f"{program.tf}.keras.layers.Dropout")


def _checked(program: Program, definition: ast.ClassDef) -> None:
    """See to it, once, that a class means the same to Keras 3; `tf.layers.Layer` is Keras's."""
    if ("own class", id(definition)) in program.kept:
        return
    program.kept["own class", id(definition)] = True
    if definition.keywords or definition.decorator_list:
        raise Blocked(definition, "a layer with a decorator or a metaclass")
    base = definition.bases[0]
    program.edit(base, f"{program.tf}.{BASES[program.endpoint(base)]}", "a Keras layer")
    methods = {s.name: s for s in definition.body if isinstance(s, ast.FunctionDef)}
    if "call" not in methods:
        raise Blocked(definition, "a layer without `call`")
    for stmt in definition.body:
        plain = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
        if not isinstance(stmt, (ast.FunctionDef, ast.Pass)) and not plain:
            raise Blocked(stmt, "a layer with more than methods")
    for name, method in methods.items():
        if method.decorator_list or (name.startswith("__") and name != "__init__"):
            raise Blocked(method, f"`{name}` of a layer")
    init = methods.get("__init__")
    held = _held(program, init) if init is not None else {}
    for name, method in methods.items():
        if name not in ("get_config", "compute_output_shape"):
            _method(program, method, methods, held)


def _held(program: Program, init: ast.FunctionDef) -> dict[str, ast.Call]:
    """The attributes that hold layers, each set once."""
    found: dict[str, ast.Call] = {}
    for node in all_of(init, ast.Assign):
        if not _is_layer(program, node.value):
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr in found:
            raise Blocked(node, "a layer that isn't in an attribute of its own")
        assert isinstance(node.value, ast.Call)
        found[target.attr] = node.value
    return found


def _method(
    program: Program,
    method: ast.FunctionDef,
    methods: dict[str, ast.FunctionDef],
    held: dict[str, ast.Call],
) -> None:
    """See to it that a method does nothing that Keras 3 would do otherwise."""
    from migrate.rewriters.estimators.models.layers import RESERVED

    own = method.args.args[0].arg if method.args.args else ""
    known: set[int] = set()
    for node in walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            stored = isinstance(node.ctx, ast.Store) and node.value.id == own
            if stored and (node.attr in RESERVED | TAKEN or node.attr in methods):
                raise Blocked(node, f"`{node.attr}` of a layer, which Keras has, too")
            if stored and node.attr in held and method.name != "__init__":
                raise Blocked(node, f"`{node.attr}` is set outside of `__init__`")
            if method.name == "build" and node.attr in ("value", "as_list", "dims", "ndims"):
                raise Blocked(node, "a layer that looks into a TensorShape")
        if not isinstance(node, ast.Call):
            continue
        func = node.func
        if _is_layer(program, node):
            if method.name != "__init__":
                raise Blocked(node, "a layer that is made outside of `__init__`")
            known.add(id(node))
            kind = of(program, node)
            if isinstance(kind, ast.ClassDef):
                _checked(program, kind)
            elif kind is not None:
                _sequential(program, kind)
        elif isinstance(func, ast.Attribute) and _super(func.value):
            known |= {id(node), id(func.value)}
        elif isinstance(func, ast.Attribute) and ast.unparse(func.value) == own:
            known.add(id(node))
            _called(program, node, func, methods, held)
    _layers(program, method.body, listed=False)
    body = [s for s in method.body if not _custom(program, s)]
    inner = {
        n.name: n for n in method.body if _custom(program, n) and isinstance(n, ast.FunctionDef)
    }
    for function in inner.values():
        guard.check(program, function.body, known)
        for node in walk(method):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == function.name:
                known.add(id(node))
    guard.check(program, body, known)


def _called(
    program: Program,
    node: ast.Call,
    func: ast.Attribute,
    methods: dict[str, ast.FunctionDef],
    held: dict[str, ast.Call],
) -> None:
    """See to the call of something that the object has."""
    if func.attr in ("add_weight", "add_variable"):
        names = {k.arg for k in node.keywords}
        if node.args or names - WEIGHT or not {"shape", "name"} <= names:
            raise Blocked(node, "how a layer makes this weight")
        for keyword in node.keywords:
            from migrate.rewriters.estimators.models import objects

            if keyword.arg == "initializer" and not (
                isinstance(keyword.value, ast.Constant) and keyword.value.value in objects.DRAWN
            ):
                raise Blocked(keyword.value, "the initializer of a layer's weight")
        if func.attr == "add_variable":
            end = program.text.index.span(func)[1]
            program.edits.append(Edit(end - len(func.attr), end, "add_weight"))
        return
    if func.attr in methods:
        return
    layer = held.get(func.attr)
    if layer is None:
        raise Blocked(node, f"`{func.attr}` of a layer isn't seen")
    switched = program.called(layer) in SWITCHED
    kind = of(program, layer)
    if isinstance(kind, ast.ClassDef):
        method = next(s for s in kind.body if isinstance(s, ast.FunctionDef) and s.name == "call")
        switched = "training" in [a.arg for a in method.args.args]
    elif kind is not None:
        switched = any(program.called(n) in SWITCHED for n in walk(kind))
    if switched and not any(k.arg == "training" for k in node.keywords):
        raise Blocked(node, "a layer that isn't told whether it trains")


def _super(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    )


def _custom(program: Program, stmt: ast.stmt) -> bool:
    """Whether a statement defines a function with a gradient of its own."""
    return isinstance(stmt, ast.FunctionDef) and [
        program.endpoint(d) for d in stmt.decorator_list
    ] == ["tensorflow.custom_gradient"]
