"""Layers of `tf.layers`, `tf.contrib.layers` and slim: what each makes, under which arguments.

A call is told from its own arguments and from what `arg_scope` gives it. Batch normalization and
dropout have a switch; which runs update the moving averages is seen from what waits for
``UPDATE_OPS``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.layering import doubles, function_defaults, scope_penalties
from migrate.programs.graph.listing import collections, unread_ends
from migrate.programs.graph.listing.collections import Owned, path_of
from migrate.programs.graph.made import Frame, Function, Layer, Norm, family
from migrate.programs.graph.making import constraints, local_names, own_initializers, repeated
from migrate.programs.graph.making.variables import Variables
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import RUNTIME, Blocked, Kind, Symbol, Value, described
from migrate.programs.graph.scoping import (
    default_names,
    scope_locals,
    scope_objects,
    scopes,
    tf1_names,
    told_ways,
)
from migrate.programs.graph.scoping.layers_reuse import (
    NAMED,
    STATELESS,
    first_unnamed,
    mode_of,
    told_alike,
    unsure,
)
from migrate.programs.graph.scoping.scopes import AUTO, Reuse, scope_name
from migrate.programs.graph.wording import other_words, spelled, starred
from migrate.programs.graph.wording.respelled import Respelled

CONTRIB = T + "contrib.layers."
NORM = CONTRIB + "batch_norm"
# Normalizations without averages.
LASTING = frozenset(CONTRIB + n for n in ("layer_norm", "instance_norm", "group_norm"))
ARG_SCOPE = T + "contrib.framework.arg_scope"
_NONE = ast.Constant(None)
INPUTS = frozenset({Kind.TENSOR, Kind.PLACEHOLDER, Kind.CONST, Kind.VARIABLE})
STARTS, PENALTIES = "param_initializers", "param_regularizers"
PARAMETERS = ("beta", "gamma", "moving_mean", "moving_variance")
SWITCHES = frozenset({"training", "is_training"})


@dataclass(slots=True, eq=False, repr=False)
class ArgScope:
    """``arg_scope``: arguments for layers that are called while it is open."""

    given: dict[str, dict[str, ast.expr]]  # by endpoint


class Layers(Variables):
    """Layers of `tf.layers`, `tf.contrib.layers` and slim."""

    def layer(self, name: str, node: ast.Call) -> Value:
        """A layer function: an object where it stands, called where it was."""
        starred.check(self, node)
        given = self.layer_arguments(name, node)
        if name.endswith(STATELESS):
            return self.stateless(name, node, given)
        self.stateful = True
        if self.frame.region is None:
            self.arguments(node)  # what it reads of its object it may be given
        repeated.allow(self, node, "a layer in a loop, a branch or a function")
        if "inputs" not in given and "ids" not in given:
            raise Blocked(node, "a layer without inputs")
        scope_penalties.given(self, name, node, given)
        if name.endswith("embed_sequence"):
            scopes.plain(self, node)
        layer = Layer(name, node, given, {})
        self.layer_values(layer)
        layer.norm = self.norm(layer)
        if self._in_function():
            default_names.check(self, layer)
        said = given.get("reuse")
        reuse = mode_of(self, said) or any(s.reuse is True for s in self.scopes)
        auto = any(s.reuse == AUTO for s in self.scopes) and not self._in_function()
        if said is not None and unsure(self, said):
            here = bool(self.nested) or self._in_function()
            auto = auto or not NAMED.intersection(given) or (reuse == AUTO and here)
        named = given.get("name", given.get("scope"))
        own, kind = scope_name(named), name.rpartition(".")[2]
        if auto:
            # By its whole name it is found, where it is there.
            if self.nested or said is not None or own is None or "{" in own:
                raise Blocked(node, "a layer that may be used again")
            reuse = AUTO
        known = own is not None or named is None or _none(named)
        if known:
            layer.path = path_of(self.scopes, own or kind, ops=False)
        if auto and layer.path is None:
            raise Blocked(node, "a layer that may be used again")
        if reuse and self.nested:
            raise Blocked(node, "a layer in a loop that is used again")
        layer.same = self.same_layer(layer, reuse) if reuse else None
        if repeated.again(self, layer):
            return Value(Kind.TENSOR, node=node)
        self.layers[id(node)] = layer
        layer.scope = tf1_names.layer(self, name, node, given.get("name", given.get("scope")))
        layer.order = len(self.naming.known)
        self.created.append(None)
        if layer.same is None:
            path = path_of(self.scopes, own or kind, ops=False, computed=True)
            path = local_names.settled(self, path, node) if path and known else None
            self.owned.append(Owned(path, None, node))
        if layer.norm is not None and not layer.norm.kind:
            self.normed(node)
        return Value(Kind.TENSOR, node=node)

    def filtered(self, node: ast.ListComp) -> Value | None:
        """Trainable variables by their names; None where a comprehension isn't that."""
        return collections.filtered(self, node)

    def _in_function(self) -> bool:
        """Whether a function is walked that makes variables: its calls say what is used again."""
        return self.frame.region is not None and self.frame.region.inputs is not None

    def stateless(self, name: str, node: ast.Call, given: dict[str, ast.expr]) -> Value:
        """A layer without variables: an object as the others, or made where it is called."""
        layer = Layer(name, node, given, {})
        self.layer_values(layer)
        if self.nested or self.frame.region is None:
            layer.inline = True
        self.layers[id(node)] = layer
        return Value(Kind.TENSOR, node=node)

    def layer_arguments(self, name: str, node: ast.Call) -> dict[str, ast.expr]:
        """A call's arguments, with those that scopes give it."""
        given = dict(self.scope_arguments(name))
        here = self.files.at(node)
        if any(
            isinstance(n, ast.Name)
            and self.files.at(n) is not here
            and not (n.id in here.aliases() and n.id in self.files.at(n).aliases())
            for value in given.values()
            for n in walk(value)
        ):
            raise Blocked(node, "an arg_scope of another file gives this its arguments")
        given.update(self.bound(name, node))
        kernel = given.get("kernel_initializer", _NONE)
        if name.startswith(T + "layers.") and _none(kernel) and not name.endswith(STATELESS):
            value = scopes.default(self, "initializer", node)
            if value is not None and "separable" in name:
                raise Blocked(node, "a variable scope gives this its `initializer`")
            if value is not None and not name.endswith(("dropout", "normalization")):
                given["kernel_initializer"] = value
        return given

    def scope_arguments(self, name: str) -> dict[str, ast.expr]:
        """What the open ``arg_scope``s give to the calls of an endpoint."""
        found: dict[str, ast.expr] = {}
        for scope in self.kept.get("arg_scopes", ()):
            found.update(scope.given.get(name, {}))
        return found

    def layer_values(self, layer: Layer) -> None:
        """What a layer's arguments are: its inputs a tensor, the others Python's.

        Raises:
            Blocked: they are something else.
        """
        for argument, value in layer.given.items():
            if argument in ("inputs", "ids"):
                if self.expression(value).kind not in (
                    Kind.TENSOR,
                    Kind.PLACEHOLDER,
                    Kind.CONST,
                    Kind.VARIABLE,
                ):
                    raise Blocked(value, "the inputs of a layer aren't a tensor")
                if argument == "inputs":
                    doubles.layer(self, layer, value)
            elif argument in SWITCHES:
                self.switch(value)
            elif argument.endswith("_constraint") and not _none(value):
                constraints.check(self, value)
                self.plain(argument, value)
            elif argument.endswith("_initializer"):
                found = self.described(value)
                own_initializers.drawn(self, value)
                if found is not None:
                    layer.described[argument] = found
            elif argument == "normalizer_fn":
                self.expression(value)  # what it is, `norm` sees to
            elif argument == "normalizer_params":
                for inner, of in self.entries(value).items():
                    if inner in SWITCHES:
                        self.switch(of)
                    elif inner == STARTS:
                        self.starts(layer, of)
                    else:
                        self.plain(inner, of)
            elif argument == STARTS:
                self.starts(layer, value)
            else:
                self.plain(argument, value)

    def starts(self, layer: Layer, value: ast.expr) -> None:
        """The initializers of a normalization, by the names of its variables."""
        for name, of in self.entries(value).items():
            found = self.described(of)
            own_initializers.drawn(self, of)
            if found is None or name not in PARAMETERS:
                raise Blocked(of, f"`{STARTS}` of a normalization that isn't seen")
            layer.described[f"{name}_initializer"] = found

    def plain(self, argument: str, value: ast.expr) -> None:
        """An argument that is Python's."""
        given = self.expression(value)
        if given.kind not in (Kind.HOST, Kind.ENDPOINT, Kind.FUNCTION, Kind.NONE):
            reason = f"`{argument}` of a layer is a part of the graph"
            if argument == "scope":
                scope_objects.check(self, value, reason)
            raise Blocked(value, reason)
        if isinstance(given.data, Function):
            self.applied(argument, given.data, value)

    def applied(self, argument: str, function: Function, at: ast.expr) -> None:
        """A function of the program's that a layer calls: it only computes.

        Raises:
            Blocked: it does more.
        """
        if self._variables_made(function.node):
            raise Blocked(at, f"`{argument}` of a layer makes variables")
        names = all_of(function.node, ast.Name)
        own = {a.arg for a in all_of(function.node, ast.arg)}
        own |= {n.id for n in names if not isinstance(n.ctx, ast.Load)}
        outer = (function.frame.env, self.module_frame(function.node).env)
        for name in sorted({n.id for n in names} - own):
            symbol = next((env[name] for env in outer if name in env), None)
            if symbol is not None and symbol.value.kind in RUNTIME:
                raise Blocked(at, f"`{argument}` of a layer reads the `{name}` of a run")

    def switch(self, node: ast.expr) -> Value:
        """Whether a layer is called for training: Python's, or what is fed."""
        value = self.expression(node)
        if value.kind not in (Kind.HOST, Kind.NONE, Kind.CONST, *RUNTIME):
            raise Blocked(node, f"a layer's switch is {described(value)}")
        self.flags[id(node)] = value.kind, self.symbol_of(node)
        return value

    def symbol_of(self, node: ast.expr) -> Symbol | None:
        """What a name or an object's attribute means here."""
        if isinstance(node, ast.Attribute):
            return self.attributes.get(id(node))
        frame: Frame | None = self.frame
        while frame is not None and isinstance(node, ast.Name):
            if node.id in frame.env:
                return frame.env[node.id]
            frame = frame.parent
        return None

    def entries(self, node: ast.expr) -> dict[str, ast.expr]:
        """A dict of arguments, as written here or where its name was bound.

        Raises:
            Blocked: it isn't seen.
        """
        if isinstance(node, ast.Constant) and node.value is None:
            return {}
        if isinstance(node, ast.Dict):
            keys = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
            if all(isinstance(k, str) for k in keys):
                return dict(zip(map(str, keys), node.values, strict=True))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "dict" and not node.args:
            if all(k.arg for k in node.keywords):
                return {str(k.arg): k.value for k in node.keywords}
        if isinstance(node, ast.Name):
            symbol = self.frame.env.get(node.id) or self.module_frame().env.get(node.id)
            made = symbol.step.node if symbol is not None else None
            stores = [
                n
                for n in all_of(self.tree, ast.Name)
                if n.id == node.id and isinstance(n.ctx, ast.Store)
            ]
            changed = any(
                isinstance(n, (ast.Subscript, ast.Attribute))
                and isinstance(n.value, ast.Name)
                and n.value.id == node.id
                for n in walk(self.tree)
            )
            if isinstance(made, ast.Assign) and len(stores) == 1 and not changed:
                return self.entries(made.value)
        raise Blocked(node, "a layer's arguments come from a dict that isn't seen")

    def norm(self, layer: Layer) -> Norm | None:
        """The batch normalization that a layer is, or that follows in it."""
        if layer.endpoint == T + "layers.batch_normalization":
            given = layer.given
            return Norm(layer.call, given, given.get("training"), False, False, True)
        if layer.endpoint == NORM:
            given = layer.given
        else:
            function = layer.given.get("normalizer_fn")
            if function is None or (isinstance(function, ast.Constant) and function.value is None):
                return None
            acts = layer.given.get("activation_fn")
            if isinstance(acts, ast.IfExp):
                told_ways.check(self, acts, CHOSEN)
                raise Blocked(acts, CHOSEN)
            kind = self.expression(function).data
            if kind != NORM and kind not in LASTING:
                other_words.normalizer(self, layer, function, layer.given)
            given = dict(self.scope_arguments(kind))
            for argument, value in given.items():
                if argument in SWITCHES:
                    self.switch(value)
                else:
                    self.plain(argument, value)
            params = layer.given.get("normalizer_params")
            if params is not None:
                given.update(self.entries(params))
            if not _none(given.get("activation_fn", _NONE)):
                raise Blocked(given["activation_fn"], "the activation of a normalizer")
            if kind != NORM:
                return Norm(layer.call, given, None, True, False, False, kind=kind)
        collections = given.get("updates_collections")
        at_once = isinstance(collections, ast.Constant) and collections.value is None
        if collections is not None and not at_once:
            if self.expression(collections).data != T + "GraphKeys.UPDATE_OPS":
                raise Blocked(collections, "updates in a collection of their own")
        return Norm(layer.call, given, given.get("is_training"), True, at_once, False)

    def normed(self, node: ast.Call) -> None:
        """Remember which statement holds a batch normalization."""
        self.norms.append((self.sink, id(node)))

    def same_layer(self, layer: Layer, reuse: Reuse = True) -> ast.Call | None:
        """The earlier call that a layer with ``reuse=True`` takes its variables from."""
        for key, other in self.layers.items():
            if key in self.past:
                continue
            if other.endpoint == layer.endpoint and other.path == layer.path and other.path:
                if NAMED & set(layer.given) and other.same is None:
                    return other.call
        if reuse == AUTO:
            return None  # the first
        if (told := told_alike(self, layer)) is not None:
            return told.call
        if (first := first_unnamed(self, layer)) is not None:
            return first.call
        raise Blocked(layer.call, "the layer that is used again isn't seen")

    def dropout(self, name: str, node: ast.Call) -> Value:
        """Dropout: nothing, `tf.nn.dropout`, or whichever a switch says."""
        given = self.layer_arguments(name, node)
        contrib = name.startswith(CONTRIB)
        inputs, share = given.get("inputs"), given.get("keep_prob" if contrib else "rate")
        training = given.get("is_training" if contrib else "training")
        known = ("inputs", "keep_prob", "rate", "training", "is_training", "seed", *NAMED)
        known += ("noise_shape",)
        constant = training is None or isinstance(training, ast.Constant)
        on = contrib if training is None else bool(getattr(training, "value", True))
        if constant and not on and isinstance(given.get("noise_shape"), (ast.Name, ast.Attribute)):
            del given["noise_shape"]  # mostly a switch in the wrong place: nothing is dropped
        noise = given.get("noise_shape")
        if noise is not None and not _none(noise):
            listed = noise.elts if isinstance(noise, (ast.List, ast.Tuple)) else []
            if not listed or any(map(_none, listed)):  # TF 2 asks for sizes that are told
                raise Blocked(noise, "`noise_shape` of a dropout that isn't written out")
        for argument, value in given.items():
            if argument not in known and not _none(value):
                raise Blocked(value, f"`{argument}` of tf{name.removeprefix('tensorflow')}")
        if inputs is None:
            raise Blocked(node, "a layer without inputs")
        values = [self.switch(v) if k in SWITCHES else self.expression(v) for k, v in given.items()]
        self.join(values, node)
        self.sink.random = True
        if not constant and not isinstance(inputs, (ast.Name, ast.Attribute)):
            why = "a dropout with a switch and inputs without a name"
            spelled.inputs(self, node, inputs, why)
            raise Blocked(inputs, why)

        def written(writer: Any) -> str:
            x = writer.source(inputs)
            said = None if constant else writer.switched(training)
            if said == "False" or not on:
                return str(x)
            rate = writer.source(share) if share is not None else "0.5"
            if contrib and share is not None:
                rate = writer.complement(share)
            seed = f", seed={writer.source(given['seed'])}" if "seed" in given else ""
            if noise is not None and not _none(noise):
                seed = f", noise_shape={writer.source(noise)}{seed}"
            drop = f"{writer.tf}.nn.dropout({x}, rate={rate}{seed})"
            if constant or said == "True":
                return drop
            if writer.hosted(training):
                return f"{drop} if {writer.source(training)} else {x}"
            return f"{writer.tf}.cond({writer.source(training)}, lambda: {drop}, lambda: {x})"

        self.rewrites[id(node)] = written
        return Value(Kind.TENSOR)


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@family(CONTRIB + "unit_norm", CONTRIB + "maxout")
def _twice(walker: Any, name: str, node: ast.Call) -> Value:
    """Functions whose formula reads their inputs twice, by a name."""
    given = walker.layer_arguments(name, node)
    walker.arguments(node)
    inputs, number = given.get("inputs"), given.get("dim", given.get("num_units"))
    axis = given.get("axis", ast.Constant(-1))
    if inputs is None or number is None or ast.unparse(axis) != "-1":
        raise Blocked(node, f"these arguments of tf{name.removeprefix('tensorflow')}")
    if not isinstance(inputs, (ast.Name, ast.Attribute)):
        why = f"tf{name.removeprefix('tensorflow')} of inputs without a name"
        spelled.inputs(walker, node, inputs, why)
        raise Blocked(inputs, why)

    def written(writer: Any) -> str:
        x, n, tf = writer.source(inputs), writer.source(number), writer.tf
        if name.endswith("maxout"):
            sizes = f"{tf}.concat([{tf}.shape({x})[:-1], [{n}, -1]], 0)"
            return f"{tf}.reduce_max({tf}.reshape({x}, {sizes}), -1)"
        least = writer.source(given["epsilon"]) if "epsilon" in given else "1e-07"
        total = f"{tf}.reduce_sum({tf}.square({x}), {n}, keepdims=True)"
        return f"{x} / {tf}.sqrt({least} + {total})"

    walker.rewrites[id(node)] = written
    return Value(Kind.TENSOR)


@family(*(CONTRIB + name for name in ("dropout", "softmax", "one_hot_encoding")))
def _contrib_op(walker: Any, name: str, node: ast.Call) -> Value:
    """Functions beside the layers that make no variables."""
    if name.endswith(".dropout"):
        found: Value = walker.dropout(name, node)
        return found
    if name.endswith(".softmax"):
        function_defaults.check(walker, node)
    given = walker.bound(name, node)
    walker.arguments(node)
    first = given.get("logits", given.get("labels"))
    classes = given.get("num_classes")
    extra = set(given) - {"logits", "labels", "num_classes", "scope"}
    if first is None or extra or (classes is None and name.endswith("encoding")):
        raise Blocked(node, f"these arguments of tf{name.removeprefix('tensorflow')}")

    def written(writer: Any) -> str:
        if name.endswith(".softmax"):
            return f"{writer.tf}.nn.softmax({writer.source(first)})"
        return f"{writer.tf}.one_hot({writer.source(first)}, {writer.source(classes)})"

    walker.rewrites[id(node)] = written
    return Value(Kind.TENSOR)


@family(*(name for name in meaning.CONTRIB_LAYERS if name in meaning.MAKING))
@family(*(CONTRIB + name for name in (*meaning.CONTRIB_POOLS, "flatten")))
def _contrib_layer(walker: Any, name: str, node: ast.Call) -> Value:
    if name.endswith((".repeat", ".stack")):
        reason = f"tf{name.removeprefix('tensorflow')} with these arguments isn't followed"
        raise Respelled(node, reason, "repeat")
    found: Value = walker.layer(name, node)
    return found


@family(*(CONTRIB + f"{kind}_regularizer" for kind in ("l1", "l2", "l1_l2")))
def _regularizer(walker: Any, name: str, node: ast.Call) -> Value:
    """A regularizer is described; what it is written as stands in the layers' table."""
    walker.arguments(node)
    walker.regularizers[id(node)] = (name, walker.bound(name, node))
    walker.rewrites[id(node)] = lambda writer: writer.regularizer(node)
    return Value(Kind.HOST, ("regularizer", node))


CHOSEN = "an activation behind a normalization, by a condition"
OTHER = "other layers"
NORMALIZING = ("batch_norm", "layer_norm", "instance_norm", "group_norm")


@family(ARG_SCOPE)
def _arg_scope(walker: Any, name: str, node: ast.Call) -> Value:
    """``with arg_scope([…], …)``: its arguments hold for the calls inside it."""
    if len(node.args) != 1 or not isinstance(node.args[0], (ast.List, ast.Tuple)):
        raise _handed_on(walker, node)
    given: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            given.update(walker.entries(keyword.value))
        else:
            given[keyword.arg] = keyword.value
    if "outputs_collections" in given:
        reason = "the outputs of layers in a collection"
        unread_ends.check(walker, node, reason)
        raise Respelled(node, reason, "end points")
    if not given:
        return Value(Kind.SETTING, ArgScope({}), node=node)
    scope: dict[str, dict[str, ast.expr]] = {}
    for listed in node.args[0].elts:
        of = walker.expression(listed)
        if of.kind is not Kind.ENDPOINT:
            raise Blocked(listed, "an arg_scope of a function that isn't TensorFlow's")
        endpoint = meaning.canonical(str(of.data))
        if (
            endpoint in (T + "get_variable", T + "variable_scope")
            or endpoint not in meaning.CONTRIB_LAYERS
        ):
            raise Blocked(listed, f"an arg_scope of tf{endpoint.removeprefix('tensorflow')}")
        scope[endpoint] = given
    return Value(Kind.SETTING, ArgScope(scope), node=node)


@dataclass(slots=True, eq=False, repr=False)
class Given:
    """The arg_scope that a function of the program gives."""

    target: ast.FunctionDef
    call: ast.Call
    scopes: int  # how many are open where it is called: they are in it
    stmt: ast.stmt


def gives_arg_scope(walker: Any, node: ast.AST) -> bool:
    """Whether all that a function does is to give an arg_scope that it opens."""
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return False
    opened = {
        item.optional_vars.id
        for n in all_of(node, ast.With)
        for item in n.items
        if isinstance(item.optional_vars, ast.Name)
        and isinstance(item.context_expr, ast.Call)
        and walker.endpoints.get(id(item.context_expr.func)) == ARG_SCOPE
    }
    returned = [n.value for n in all_of(node, ast.Return)]
    return bool(returned) and all(isinstance(v, ast.Name) and v.id in opened for v in returned)


def arg_scope_of(walker: Any, target: ast.FunctionDef, node: ast.Call) -> Value:
    """A call of such a function."""
    open_scopes = len(walker.kept.get("arg_scopes", ()))
    return Value(Kind.SETTING, Given(target, node, open_scopes, walker.stmt), node=node)


def _handed_on(walker: Any, node: ast.Call) -> Blocked:
    """What is told of an arg_scope that a function gives."""
    reason = "an arg_scope that is handed on"
    made = node.args[0] if len(node.args) == 1 and not node.keywords else None
    given = walker.expression(made).data if made is not None else None
    if not isinstance(given, Given):
        return Blocked(node, reason)
    assigned = None
    if made is not given.call:
        inside = {id(n) for n in walk(given.target)}
        names = [n for n in all_of(walker.frame.node, ast.Name) if id(n) not in inside]
        # It takes the place of all that are open, and has in it what was open at its call.
        bare = not given.scopes and not walker.kept.get("arg_scopes")
        here = isinstance(given.stmt, ast.Assign) and given.stmt.value is given.call
        named = isinstance(made, ast.Name) and len([n for n in names if n.id == made.id]) == 2
        if not (bare and here and named):
            return Blocked(node, reason)
        assigned = given.stmt
    return Respelled(
        node, reason, "arg_scope", target=given.target, call=given.call, assigned=assigned
    )


def scoped(walker: Any, target: ast.FunctionDef, node: ast.Call) -> str:
    """The open arg_scopes as a function finds them that is called in them.

    Raises:
        Blocked: their arguments have names that the function doesn't see.
    """
    scopes = walker.kept.get("arg_scopes", ())
    module, frame = walker.module_frame().env, walker.frame
    local = frame.env if frame.env is not module else {}
    made = _layers_of(walker, target, set()) if scopes else {OTHER}
    normalized = _normalized(walker, made)
    names = {
        n.id
        for scope in scopes
        for endpoint, given in scope.given.items()
        if made & {endpoint, OTHER} or (endpoint.endswith(NORMALIZING) and normalized)
        for value in given.values()
        for n in all_of(value, ast.Name)
        if (n.id in local or (n.id not in module and n.id != "tf"))
    }
    scope_locals.check(walker, target, names, node)
    return open_scopes(walker)


def open_scopes(walker: Any) -> str:
    """What the open arg_scopes give."""
    return repr(
        [
            {
                name: {k: ast.dump(v) for k, v in given.items()}
                for name, given in scope.given.items()
            }
            for scope in walker.kept.get("arg_scopes", ())
        ]
    )


def is_arg_scope(walker: Any, node: ast.expr) -> bool:
    """Whether an expression opens an arg_scope that it says itself."""
    endpoint = walker.endpoints.get(id(node.func), "") if isinstance(node, ast.Call) else ""
    return bool(endpoint) and meaning.canonical(endpoint) == ARG_SCOPE


def _layers_of(walker: Any, target: ast.AST, seen: set[int]) -> set[str]:
    """The kinds of layers that a function calls, itself or by others; `OTHER`: some aren't seen."""
    seen.add(id(target))
    found: set[str] = set()
    given = {a.arg for a in all_of(target, ast.arg)}
    for call in all_of(target, ast.Call):
        endpoint = walker.endpoints.get(id(call.func))
        other = walker._module_function(call.func)
        if endpoint:
            found.add(meaning.canonical(endpoint))
            own = [k.value for k in call.keywords if k.arg in (None, "normalizer_fn")]
            found |= set() if all(map(_none, own)) else {OTHER}
        elif other is not None:
            found |= _layers_of(walker, other, seen) if id(other) not in seen else set()
        elif (
            (isinstance(call.func, ast.Attribute) and walker._methods(call.func))
            or not isinstance(call.func, (ast.Name, ast.Attribute))
            or (isinstance(call.func, ast.Name) and call.func.id in given)
        ):
            found.add(OTHER)
    return {name for name in found if name == OTHER or name in meaning.CONTRIB_LAYERS}


def _normalized(walker: Any, made: set[str]) -> bool:
    """Whether some of the layers may be normalized: they, or the open arg_scopes, say by what."""
    given = [walker.scope_arguments(name).get("normalizer_fn") for name in made]
    return OTHER in made or any(value is not None and not _none(value) for value in given)


def opened(walker: Any, values: list[Value]) -> int:
    """Open the arg_scopes of a with statement; how many there are."""
    scopes = [v.data for v in values if isinstance(v.data, ArgScope)]
    walker.kept.setdefault("arg_scopes", []).extend(scopes)
    return len(scopes)


def closed(walker: Any, count: int) -> None:
    """Close as many arg_scopes."""
    if count:
        del walker.kept["arg_scopes"][-count:]
