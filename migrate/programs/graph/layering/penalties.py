"""Regularization losses: what the layers of a graph add to ``REGULARIZATION_LOSSES``.

A layer's penalty is read from the layer, and so wherever its variables are there.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.layering import regularizers
from migrate.programs.graph.listing import collections
from migrate.programs.graph.made import Layer, family
from migrate.programs.graph.making import repeated
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Region, Value
from migrate.programs.graph.wording.spelled import Source, Spelled, free

LOSSES = T + "losses."
MODULES = (LOSSES, T + "contrib.losses.", T + "contrib.slim.losses.")


Single = tuple[ast.expr, str]  # a variable's regularizer, and how the program calls the variable
ASKED = ("penalties asked",)  # among what a walk keeps: those of functions' variables, by function


def penalized(walker: Any, node: ast.expr) -> list[Layer | Single]:
    """The layers and variables so far that have a penalty, in order; the statement needs them.

    Raises:
        Blocked: one of them isn't seen from here.
    """
    if walker.frame.region is None or walker.nested:
        raise Blocked(node, "regularization losses in a loop, a branch or a helper")
    found: list[Layer | Single] = []
    singles = _singles(walker, node)
    for region in walker.regions:
        for step in region.steps:
            defines = isinstance(step.node, (ast.FunctionDef, ast.ClassDef))
            for n in walk(step.node) if not step.drop and not defines else ():
                if id(n) in singles and region is walker.frame.region:
                    found.append(singles.pop(id(n)))
                layer = walker.layers.get(id(n))
                if layer is None or layer.same is not None or id(n) in walker.past:
                    continue
                if not _has_penalty(walker, layer) or region.inputs is not None:
                    continue  # a function's are those of its calls
                if any(
                    isinstance(b, (ast.For, ast.If)) for b in repeated.chain(step.node, n) or ()
                ):
                    raise Blocked(node, "the regularization losses of layers in a loop or a branch")
                if region is not walker.frame.region:
                    raise Blocked(node, "the regularization losses of layers in a function")
                if _untrained(walker, layer, {}):
                    raise Blocked(node, "the regularization losses of layers that aren't trained")
                if layer.factory is not None:
                    _inside(walker, layer, node)
                found.append(layer)
                if step is not walker.sink:
                    walker.sink.after.append(step)
    if singles:
        raise Blocked(node, "the regularization losses of single variables")
    return found


def _singles(walker: Any, node: ast.expr) -> dict[int, Single]:
    """The variables that have a regularizer, by the call that makes them.

    Raises:
        Blocked: one has no name here, or its regularizer may be another one here.
    """
    from migrate.programs.graph.listing.collections import meant

    found: dict[int, Single] = {}
    inner = {
        id(o.value.node)
        for region in walker.regions
        for o in (region.owned if region.inputs is not None else ())
        if o.value is not None
    }
    for key, made in walker.made.items():
        regularizer = made.given.get("regularizer")
        if key in walker.past or regularizer is None or _none(regularizer):
            continue
        if key in inner:  # a function's are those of its calls
            continue
        entry = next((o for o in walker.owned if o.value and o.value.node is made.call), None)
        if entry is not None and entry.place and entry.place[0] is not walker.frame.node:
            regularizer = _told(walker, regularizer, entry)
        plain = isinstance(regularizer, (ast.Name, ast.Attribute, ast.Call))
        plain = plain and regularizer is not None and _once(walker, regularizer, walker.frame.node)
        here = entry is not None and entry.ref and entry.place
        if entry is None or not here or not plain or regularizer is None:
            raise Blocked(node, "the regularization losses of single variables")
        if meant(walker, entry.ref, node).node is not made.call:
            raise Blocked(node, "the regularization losses of single variables")
        walker.expression(regularizer)
        found[key] = regularizer, entry.ref
    return found


def _told(walker: Any, node: ast.expr, entry: Any) -> ast.Call | None:
    """The regularizer of a variable that another method of the object makes.

    None: not all methods can say it so.
    """
    target = entry.place[0]
    own = getattr(walker.frame.region, "node", None)
    methods = own.body if isinstance(own, ast.ClassDef) else []
    if target not in methods or not str(entry.ref).startswith("self."):
        return None
    made: ast.expr | None = node
    if isinstance(node, ast.Name):
        stores = [
            stmt
            for stmt in all_of(target, ast.Assign)
            if any(_is(t, node.id) for t in stmt.targets)
        ]
        bound = [n for n in walk(target) if getattr(n, "id", getattr(n, "arg", "")) == node.id]
        loads = [n for n in bound if isinstance(getattr(n, "ctx", None), ast.Load)]
        made = stores[0].value if len(stores) == 1 == len(bound) - len(loads) else None
    if not isinstance(made, ast.Call):
        return None
    names = {n.id for n in all_of(made, ast.Name)}
    local = {
        getattr(n, "id", getattr(n, "arg", ""))
        for n in (*walk(target), *walk(walker.frame.node))
        if isinstance(getattr(n, "ctx", ast.Store()), ast.Store)
    }
    return None if names & (local - {"self"}) else made


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _once(walker: Any, node: ast.expr, scope: ast.AST) -> bool:
    """Whether the names of an expression are bound once where it stands."""
    names = {n.id for n in all_of(node, ast.Name)}
    stores = [
        n.id for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load) and n.id in names
    ]
    attributes = {n.attr for n in all_of(node, ast.Attribute)}
    stores += [
        f".{n.attr}"
        for n in all_of(walker.tree, ast.Attribute)
        if isinstance(n.ctx, ast.Store) and n.attr in attributes
    ]
    return len(set(stores)) == len(stores)


def _has_penalty(walker: Any, layer: Layer) -> bool:
    if layer.factory is not None:
        region = walker.entered[id(layer.factory)]
        inner = [walker.layers[id(o.layer)] for o in region.owned if o.layer is not None]
        return bool(_own(walker, region)) or any(_has_penalty(walker, one) for one in inner)
    given = layer.given | (layer.norm.given if layer.norm is not None else {})
    ends = ("regularizer", "param_regularizers")
    return any(k.endswith(ends) and not _none(v) for k, v in given.items())


def _untrained(walker: Any, layer: Layer, given: dict[str, ast.expr]) -> bool:
    """Whether a layer with a penalty may not be trained, or one of a function's: Keras has none."""
    if layer.factory is not None:
        args = layer.factory.args
        defaults = zip(reversed(args.args), reversed(args.defaults), strict=False)
        inside = {a.arg: value for a, value in defaults} | layer.given
        region = walker.entered[id(layer.factory)]
        inner = [walker.layers[id(o.layer)] for o in region.owned if o.layer is not None]
        return any(_untrained(walker, one, inside) for one in inner)
    said = layer.given.get("trainable")
    said = given.get(said.id, said) if isinstance(said, ast.Name) else said
    trained = said is None or (isinstance(said, ast.Constant) and said.value is True)
    return not trained and _has_penalty(walker, layer)


def _own(walker: Any, region: Region) -> list[Single]:
    """The regularizers of a function's own variables, and what it calls these."""
    found: list[Single] = []
    for entry in region.owned:
        made = walker.made.get(id(entry.value.node)) if entry.value is not None else None
        regularizer = made.given.get("regularizer") if made is not None else None
        if regularizer is not None and not _none(regularizer):
            found.append((regularizer, str(entry.ref)))
    return found


def _of_own(walker: Any, region: Region, node: ast.expr) -> bool:
    """Whether a function's own variables have penalties: it is to say which.

    Raises:
        Blocked: it makes other things too, or a regularizer isn't made where the variable is.
    """
    own = _own(walker, region)
    if not own:
        inner = [walker.layers[id(o.layer)] for o in region.owned if o.layer is not None]
        factories = [walker.entered[id(one.factory)] for one in inner if one.factory is not None]
        if any(_of_own(walker, each, node) for each in factories):
            raise Blocked(node, "the regularization losses of variables of functions in a function")
        return False
    plain = all(
        o.layer is None and o.cell is None and o.looped is None and o.when is None
        for o in region.owned
    )
    names = all(ref.isidentifier() for _, ref in own) and not region.shaped
    told = all(
        id(regularizer) in walker.regularizers and _lasting(walker, regularizer, region.node)
        for regularizer, _ in own
    )
    named = all_of(region.node, ast.Name)
    stores = [n.id for n in named if not isinstance(n.ctx, ast.Load)]
    once = all(stores.count(ref) == 1 for _, ref in own)
    if not (plain and names and told and once):
        raise Blocked(node, "the regularization losses of single variables")
    walker.kept.setdefault(ASKED, {})[id(region.node)] = own
    return True


def _lasting(walker: Any, node: ast.expr, target: ast.AST) -> bool:
    """Whether the names of an expression mean the same when a function has ended."""
    args = getattr(target, "args", None)
    parameters = {a.arg for a in all_of(args, ast.arg)} if args is not None else ()
    names = {n.id for n in all_of(node, ast.Name)}
    stores = [
        {n.id for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)}
        for scope in (target, walker.files.at(node).tree)
    ]
    bound = names & stores[0]
    if bound & set(parameters) or not _once(walker, node, target):
        return False
    around = names - bound - set(parameters)
    return not around & stores[1] or _once(walker, node, walker.files.at(node).tree)


def _inside(walker: Any, layer: Layer, node: ast.expr) -> None:
    """See to it that the layers of a function can be asked for.

    Raises:
        Blocked: it makes variables of its own, too.
    """
    region = walker.entered[id(layer.factory)]
    if _of_own(walker, region, node):
        return
    if not all(entry.layer is not None for entry in region.owned):
        raise Blocked(node, "the regularization losses of layers beside variables in a function")
    if not region.shaped:
        from migrate.programs.graph.listing.collections import reached

        reached(walker, layer.factory)


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _penalized(layer: Layer, names: list[str]) -> list[str]:
    """Those of a layer's objects that have a penalty."""
    return names[: 1 if layer.norm is not None and not layer.norm.alone else None]


def listed(walker: Any, node: ast.Call) -> Value:
    """``tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)``, as a list of tensors."""
    if walker.kept.get("applied penalties"):
        raise Blocked(node, "regularization losses, apply_regularization's among them")
    layers = penalized(walker, node)
    if not layers:
        raise Blocked(node, "no regularization losses are seen here")

    def written(writer: Any) -> str:
        parts = []
        for one in layers:
            if isinstance(one, Layer) and one.factory is not None:
                parts.append(f"*{_of_function(walker, one, writer)}")
            elif isinstance(one, Layer):
                names = _penalized(one, writer.layers[id(one.call)])
                parts += [f"*{name}.losses" for name in names]
            else:
                parts.append(f"{writer.module.regularizer(one[0])}({one[1]})")
        if len(parts) == 1 and parts[0].startswith("*"):
            only = parts[0][1:]
            return f"[{only[1:-1]}]" if only.startswith("(") else only
        return f"[{', '.join(parts)}]"

    walker.rewrites[id(node)] = written
    return Value(Kind.TENSOR, "container")


def _of_function(walker: Any, layer: Layer, writer: Any) -> str:
    """The penalties of the layers that a function made."""
    if id(layer.call) in writer.lists:
        raise Blocked(layer.call, "the regularization losses of a function that a loop calls")
    writer.certain(layer.call)
    made = writer.layers[id(layer.call)][0]
    if id(layer.factory) in walker.kept.get(ASKED, {}):
        return f"{made}.penalties()"
    if walker.entered[id(layer.factory)].shaped:
        return f"{made}.losses"
    if collections.bare(walker, layer.factory) is not False:
        raise Blocked(layer.call, "regularization losses, and variables that functions make")
    return f"(loss for layer in {made}.layers for loss in layer.losses)"


@family(*(module + "get_regularization_losses" for module in MODULES))
def _losses(walker: Any, name: str, node: ast.Call) -> Value:
    if walker.bound(LOSSES + "get_regularization_losses", node):
        raise Blocked(node, "the regularization losses of a scope")
    return listed(walker, node)


@family(LOSSES + "get_regularization_loss")
def _loss(walker: Any, name: str, node: ast.Call) -> Value:
    if set(walker.bound(name, node)) - {"name"}:
        raise Blocked(node, "the regularization loss of a scope")
    listed(walker, node)
    inner = walker.rewrites[id(node)]
    walker.rewrites[id(node)] = lambda writer: f"{writer.tf}.add_n({inner(writer)})"
    return Value(Kind.TENSOR)


@family(T + "contrib.layers.apply_regularization")
def _applied(walker: Any, name: str, node: ast.Call) -> Value:
    """The sum of what a regularizer gives for each of some variables."""
    given = walker.bound(name, node)
    regularizer, weights = given.get("regularizer"), given.get("weights_list")
    if regularizer is None or weights is None or _none(weights):
        raise Blocked(node, "apply_regularization to all weights")
    what, each = walker.expression(regularizer), walker.expression(weights)
    if not regularizers.is_one(what):
        raise Blocked(regularizer, "a regularizer that isn't seen")
    if not isinstance(weights, (ast.List, ast.Tuple)):
        _each(walker, node, regularizer, weights)
    if not isinstance(weights, (ast.List, ast.Tuple)) or each.kind is not Kind.VARIABLE:
        raise Blocked(weights, "the weights of apply_regularization aren't seen")
    walker.kept["applied penalties"] = True

    def written(writer: Any) -> str:
        called = writer.source(regularizer)
        parts = [f"{called}({writer.source(weight)})" for weight in weights.elts]
        return f"{writer.tf}.add_n([{', '.join(parts)}])"

    walker.rewrites[id(node)] = written
    return Value(Kind.TENSOR)


def _each(walker: Any, node: ast.Call, regularizer: ast.expr, weights: ast.expr) -> None:
    """The sum over a list that isn't written out: ``apply_regularization(l2, tvars)``.

    Raises:
        Spelled: TensorFlow's own name stands in the call, and `weight` is free.
    """
    root = ast.unparse(node.func).removesuffix(".contrib.layers.apply_regularization")
    if not root.isidentifier() or _asked(walker):  # TF 1 collects the sum as well
        return
    each = free(walker, "weight")

    def written(source: Source) -> str:
        return f"{root}.add_n([{source(regularizer)}({each}) for {each} in {source(weights)}])"

    raise Spelled(node, "the weights of apply_regularization aren't seen", [(node, written)])


def _asked(walker: Any) -> bool:
    """Whether a program may ask for its regularization losses."""
    words = ("REGULARIZATION_LOSSES", "get_regularization_loss", "get_total_loss")
    for node in (n for tree in walker.program() for n in walk(tree)):
        if isinstance(node, ast.Constant) and node.value == "regularization_losses":
            return True
        if any(word in walker.endpoints.get(id(node), "") for word in words):
            return True
    return False
