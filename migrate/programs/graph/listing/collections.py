"""The trainable variables of a graph, or of one of its scopes, as the list that they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph.layering import metrics, penalties
from migrate.programs.graph.listing import (
    collection_names,
    handed_lists,
    hoisted_lists,
    layer_variables,
    listed_averages,
    listing_methods,
    model_variables,
    name_conditions,
    object_variables,
    scopes_of_objects,
    slots,
    unread_lists,
    update_ops,
)
from migrate.programs.graph.listing.layer_variables import VARIABLES
from migrate.programs.graph.made import Scope, family
from migrate.programs.graph.making import local_names, repeated
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Instance, Kind, Value
from migrate.programs.graph.objects import bases
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.recurrence.listed_cells import ListedCells
from migrate.programs.graph.sizing import (
    given_shapes,
    open_shapes,
    shapes,
    static_dims,
    told_shapes,
)
from migrate.programs.graph.wording.spelled import Spelled

KEY = T + "GraphKeys.TRAINABLE_VARIABLES"
# What the variables of layers may be called.
LEAVES = frozenset(
    f"/{leaf}:0" for leaf in ("kernel", "bias", "weights", "biases", "beta", "gamma")
)
LEAVES |= {"/embeddings:0", "/depthwise_kernel:0", "/pointwise_kernel:0"}
EVERYTHING = frozenset({T + "global_variables", T + "all_variables"})
LOCAL = T + "GraphKeys.LOCAL_VARIABLES"
EVERY = ("global_variables", "all_variables", ".get_variables", ".get_model_variables")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPED = "the variables of a function that a loop calls"
LATE = "all variables of layers, which are made at their first call"


@dataclass(frozen=True, slots=True)
class Owned:
    """What was made: a variable, a container of some, a layer."""

    path: str | None  # its name in TF 1, scopes included, in braces where computed; None: not seen
    ref: str | None  # how the module calls it; None: it doesn't
    layer: ast.Call | None = None
    trained: bool = True
    place: tuple[ast.AST, ast.stmt] | None = None  # the function and the statement that made it
    cell: ast.expr | None = None  # recurrent; by its name, or the call that makes it
    listed: ListedCells | None = None  # recurrent, those of a list that a loop goes through
    inner: tuple[str, ...] = ()  # the names of a function's layers, where it is that
    made: bool = False  # a function's variables: they are there once it is called
    collections: tuple[object, ...] = ()  # of the program's own, that it was put into
    value: Value | None = None  # the variable itself, where it has a name
    chosen: str | None = None  # the parameter of a function that says whether it is trained
    mixed: bool = False  # variables and layers of one function
    called: bool = False  # cells, too: all of them are there once what it gave is called
    when: str | None = None  # the condition on which a branch makes it
    branch: str | None = None  # how the module calls it then
    looped: ast.Call | None = None  # made in each round of a loop, which goes to a list
    owner: str = ""  # the object that has it, where its class isn't the one that asks


def path_of(
    scopes: Iterable[Scope], name: str | None, *, ops: bool, computed: bool = False
) -> str | None:
    """A name in its scopes; ``ops``: name scopes count too, as they do for `tf.Variable`.

    ``computed``: what isn't known of it may be in braces.
    """
    parts = [s.name for s in scopes if ops or not s.ops_only]
    if name is None or None in parts:
        return None
    if not computed and any("{" in (p or "") for p in (*parts, name)):
        return None
    return "/".join([*(p for p in parts if p), name])


def _is(walker: Any, key: ast.expr, name: str) -> bool:
    """Whether a collection's key is one of `tf.GraphKeys`, by name or by value."""
    if isinstance(key, ast.Constant):
        return bool(key.value == name)
    return bool(walker.expression(key).data == f"{T}GraphKeys.{name.upper()}")


@family(
    T + "trainable_variables", T + "get_collection", T + "global_variables", T + "all_variables"
)
@family(*model_variables.LISTS)
def collected(walker: Any, name: str, node: ast.Call) -> Value:
    """`tf.trainable_variables()`, `tf.global_variables()`, and their collections by scope."""
    try:
        return _collected(walker, name, node)
    except Blocked as error:
        if type(error) is Blocked:
            from migrate.programs.graph.listing import unread_dicts

            unread_lists.unnamed(walker, node, error)
            unread_dicts.check(walker, node, error)
        raise


def _collected(walker: Any, name: str, node: ast.Call) -> Value:
    given = walker.bound(name, node)
    everything = name.endswith(EVERY)
    if name.endswith("get_collection"):
        key = given.pop("key", None)
        if key is not None and walker.expression(key).data == LOCAL:
            return metrics.collected(walker, node, given.get("scope"))
        if key is not None and _is(walker, key, "update_ops"):
            return update_ops.collected(walker, node, given.get("scope"))
        if key is not None and _is(walker, key, "regularization_losses"):
            return penalties.listed(walker, node)
        own = collection_names.of(walker, key) if key is not None and not given else None
        if own is not None:
            put = [o for o in walker.owned if own in o.collections]
            if put and walker.frame.region is not None:
                walker.kept.setdefault("own lists", {})[id(node)] = (own, walker.stmt, put)
                collection_names.told(walker, [key])
                return listed(walker, node, put, key)
        everything = key is not None and _is(walker, key, "global_variables")
        if key is None or not (everything or _is(walker, key, "trainable_variables")):
            raise Blocked(node, "a collection isn't followed yet")
    if walker.frame.region is None:
        hoisted_lists.check(walker, node)
        listing_methods.check(walker, node, hoisted_lists.REASON)
        handed_lists.check(walker, node, hoisted_lists.REASON)
        raise Blocked(node, hoisted_lists.REASON)
    if given.keys() & {"suffix", "collection"}:
        raise Blocked(node, f"tf{name.removeprefix('tensorflow')} with these arguments")
    scope = given.get("scope")
    if scope is not None and not isinstance(scope, ast.Constant):
        mine = scopes_of_objects.own(walker, node, scope, everything=everything)
        return listed(walker, node, mine, scope, everything=everything)
    entries = [o for o in object_variables.seen(walker, node) if o.trained or everything]
    if name.endswith(".get_model_variables"):
        entries = model_variables.of(walker, entries, node)
    if scope is not None and scope.value is not None:
        if not isinstance(scope.value, str):
            raise Blocked(scope, scopes_of_objects.REASON)
        if set(scope.value) & set(".*+?[]()|^$\\"):
            raise Blocked(scope, "the variables of scopes that match a pattern")
        entries = _among(walker, entries, "startswith", scope.value, node)
        walker.kept.setdefault("scopes listed", {})[id(node)] = scope.value
    return listed(walker, node, entries, scope, everything=everything)


def name_of(walker: Any, entry: Owned) -> str | None:
    """A variable's name in TF 1, with the number that it gets where it is asked for again."""
    call = entry.value.node if entry.value is not None else None
    if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) != T + "Variable":
        return entry.path and f"{entry.path}:0"
    names = [path for key, path in walker.naming.known.items() if key[-1] == id(call)]
    return f"{names[0]}:0" if len(names) == 1 and names[0] is not None else None


def meant(walker: Any, ref: str, node: ast.AST) -> Value:
    """What the module's name for a variable means where a node stands; the statement needs it."""
    at = ast.parse(ref, mode="eval").body
    for n in walk(at):
        ast.copy_location(n, node)
    walker.kept.setdefault(("looked up",), []).append(at)  # ids of nodes are keys
    found: Value = walker.expression(at)
    return found


def _among(walker: Any, entries: list[Owned], test: str, word: str, node: ast.AST) -> list[Owned]:
    """Those whose names in TF 1 begin with a word, or have it in them.

    Raises:
        Blocked: a name isn't seen, or some of a function's layers are meant and some aren't.
    """
    if any(o.path is None and not o.inner for o in entries):
        raise Blocked(node, "the variables of a scope, where the name of one isn't seen")
    found = []
    for entry in entries:
        names = entry.inner or (str(entry.path),)
        for name in names:
            head, brace, _ = name.partition("{")  # where it is computed
            if brace and test == "in" and local_names.says(name, word) is not None:
                continue
            if brace and (test != "startswith" or not head.startswith(word)):
                if test != "startswith" or word.startswith(head):
                    raise Blocked(
                        node, "the variables of a scope, where the name of one isn't seen"
                    )
        if test == "startswith":
            said = {name.startswith(word) or word.rstrip("/") == name for name in names}
        else:
            told = [name_of(walker, entry)] if not entry.inner and entry.layer is None else names
            if None in told and any(c in "0123456789_:" for c in word):
                raise Blocked(node, "the variables of a scope, where the name of one isn't seen")
            said = {bool(local_names.says(name or str(entry.path), word)) for name in told}
            if entry.layer is not None and any(word in leaf for leaf in LEAVES):
                raise Blocked(node, f"the variables whose names have `{word}` in them")
        if len(said) > 1:
            error = Blocked(node, "some of the variables of a function's layers")
            if entry.layer is not None and id(entry.layer) in walker.layers:
                factory = walker.layers[id(entry.layer)].factory
                training_helpers.parted(walker, factory, entry.layer, error)
            raise error
        if said == {True}:
            found.append(entry)
    return found


def filtered(walker: Any, node: ast.ListComp) -> Value | None:
    """``[v for v in tf.trainable_variables() if "gen" in v.name]``; None where it isn't that."""
    if len(node.generators) != 1 or walker.frame.region is None or walker.nested:
        return None
    (generator,) = node.generators
    if not isinstance(generator.target, ast.Name) or not isinstance(node.elt, ast.Name):
        return None
    own = generator.target.id
    everything = _called(walker, generator.iter) in EVERYTHING
    if node.elt.id != own or len(generator.ifs) != 1:
        return None
    if not everything and not _trainables(walker, generator.iter):
        return None
    from migrate.programs.graph.making import named_variables

    test = generator.ifs[0]
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        first = test.values[0]  # `if "gen" or "dec" in v.name`, which is always so
        if isinstance(first, ast.Constant) and first.value:
            every = [(node, lambda source: f"[{own} for {own} in {source(generator.iter)}]")]
            raise Spelled(node, "a condition that always holds", every)
    found = name_conditions.asked(test, own) or _first_words(walker, test, own)
    if found is None and (unlike := name_conditions.unlike(test, own)) is not None:
        entries = [o for o in object_variables.seen(walker, node) if o.trained or everything]
        if not named_variables.alike(walker, entries, unlike[1][1]):
            found = unlike
    if found is None and (others := _others(walker, node, test, own, everything)) is not None:
        return listed(walker, node, others, everything=everything)
    if found is None:
        theirs = None if everything else _of_object(walker, node, generator.ifs[0], own)
        return None if theirs is None else listed(walker, node, theirs)
    entries = [o for o in object_variables.seen(walker, node) if o.trained or everything]
    entries = name_conditions.meant(
        entries, found, lambda test, word: _among(walker, entries, test, word, node)
    )
    if found[0] == "startswith":
        walker.kept.setdefault("scopes listed", {})[id(node)] = found[1]
    return listed(walker, node, entries, everything=everything)


def _first_words(walker: Any, test: ast.expr, own: str) -> name_conditions.Asked | None:
    """``if v.name.split('/')[0] in train_layers``, where the layers are written out."""
    if not isinstance(test, ast.Compare) or [type(o) for o in test.ops] != [ast.In]:
        return None
    (given,) = test.comparators
    if ast.unparse(test.left) != f"{own}.name.split('/')[0]":
        return None
    if isinstance(given, ast.Name):
        from migrate.programs.graph.sizing import static_dims

        value = static_dims.only(walker, given)
        reads = [n for n in all_of(walker.tree, ast.Name) if n.id == given.id]
        parents = parents_of(walker.tree)
        kept = [n for n in reads if isinstance(parents.get(id(n)), (ast.Attribute, ast.Subscript))]
        given = value if value is not None and not kept else given
    words = given.elts if isinstance(given, (ast.List, ast.Tuple)) else []
    said = [w.value for w in words if isinstance(w, ast.Constant) and isinstance(w.value, str)]
    if not words or len(said) < len(words):
        return None
    return "or", [("startswith", f"{word}/") for word in said]


def _others(
    walker: Any, node: ast.expr, test: ast.expr, own: str, everything: bool
) -> list[Owned] | None:
    """``if v not in d_vars``: the variables that another list doesn't have."""
    if not isinstance(test, ast.Compare) or [type(o) for o in test.ops] != [ast.NotIn]:
        return None
    (given,) = test.comparators
    if ast.unparse(test.left) != own or not isinstance(given, (ast.Name, ast.Attribute)):
        return None
    step = walker.sink
    uses, hosts = dict(step.uses), set(step.hosts)
    walker.expression(given)
    step.uses, step.hosts = uses, hosts  # the other list isn't asked any more
    symbol = walker.meant.get(id(given), walker.attributes.get(id(given)))
    made = symbol.step.node if symbol is not None else None
    known = walker.listed.get(id(made.value)) if isinstance(made, ast.Assign) else None
    entries = [o for o in object_variables.seen(walker, node) if o.trained or everything]
    if known is None or any(all(o is not e for e in entries) for o in known):
        return None
    return [e for e in entries if all(o is not e for o in known)]


def _of_object(walker: Any, node: ast.expr, test: ast.expr, own: str) -> list[Owned] | None:
    """``if v.name.startswith(net.scope)``: the variables of that object."""
    if not isinstance(test, ast.Call) or len(test.args) != 1 or test.keywords:
        return None
    if ast.unparse(test.func) != f"{own}.name.startswith":
        return None
    return scopes_of_objects.of(walker, node, test.args[0])


def _trainables(walker: Any, node: ast.expr) -> bool:
    """Whether an expression is all the trainable variables, as they are now."""
    if isinstance(node, ast.Name):
        symbol = walker.frame.env.get(node.id)
        made = symbol.step.node if symbol is not None else None
        if not isinstance(made, ast.Assign) or walker.kept.get("all", {}).get(id(made.value)) != (
            object_variables.count(walker)
        ):
            return False
        node = made.value
    return _called(walker, node) == T + "trainable_variables"


def _called(walker: Any, node: ast.expr) -> str:
    """The endpoint that an expression calls without arguments."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return ""
    return str(walker.endpoints.get(id(node.func), ""))


def listed(
    walker: Any,
    node: ast.expr,
    entries: list[Owned],
    scope: ast.expr | None = None,
    *,
    everything: bool = False,
) -> Value:
    """Variables as the list that they are."""
    entries = object_variables.told(walker, entries, node)
    walker.kept.setdefault("all", {})[id(node)] = object_variables.count(walker)
    nameless = [o for o in entries if o.ref is None and o.layer is None and o.cell is None]
    nameless = [o for o in nameless if o.looped is None or everything]
    nameless = [o for o in nameless if o.listed is None or not o.listed.seen(walker, o, node)]
    if any(o.when is None or everything for o in nameless):
        raise Blocked(node, "the trainable variables, some of which have no name")
    if not entries:
        raise Blocked(node, "no trainable variables are seen here")
    from migrate.programs.graph.listing import norm_order

    norm_order.check(walker, node, entries)
    walker.listed[id(node)] = entries
    cells = any(o.cell is not None or o.listed is not None for o in entries)
    late = cells or any(o.layer is not None and not o.made for o in entries)
    for entry in entries:
        if entry.cell is not None:
            walker.holds(entry.cell, node)
    if everything and late:
        late = not _all_built(walker, entries, node)
    kept_averages = listed_averages.beside(walker, node) if everything else []
    if everything and isinstance(node, (ast.Call, ast.ListComp)):
        known = {slots.made_by(walker, id(o.layer)) if o.made else str(o.ref) for o in entries}
        slots.complete(walker, node, known)

    for entry in entries:
        if entry.mixed and not entry.called:
            built(walker, entry, node)
    inside = [o for o in entries if o.inner]
    for entry in inside:
        reached(walker, walker.layers[id(entry.layer)].factory)

    wanted = "weights" if everything else "trainable_variables"
    if late and not everything and (any(o.owner for o in entries) or layer_variables.asked(walker)):
        from migrate.programs.graph.listing import late_lists

        late = not (_all_built(walker, entries, node) or late_lists.there(walker, entries))
    if everything and any(o.owner for o in entries) and (walker.gradients or walker.applies):
        raise Blocked(node, "all variables, an optimizer's among them")

    region = walker.frame.region

    def written(writer: Any) -> str:
        names: list[str] = []
        scopes_of_objects.check(walker, region, node)
        for entry in entries:
            if entry.layer is not None and not entry.owner:
                writer.certain(entry.layer)
                if entry.inner and id(entry.layer) not in writer.layers:
                    raise Blocked(node, "the variables of a function's layers that no run needs")
                if (entry.made or entry.inner) and id(entry.layer) in writer.lists:
                    raise Blocked(node, LOOPED)
        one = entries[0] if len(entries) == 1 and not entries[0].owner else None
        if one is not None and one.made and (everything or not one.mixed):
            return f"{writer.layers[id(one.layer)][0]}.variables"
        if len(entries) == 1 and inside and not (entries[0].mixed or entries[0].made):
            text, whole = _inner(walker, writer, entries[0], node, wanted)
            return text if whole else f"[{text}]"
        for entry in entries:
            if entry.called:
                given = f"{_function(writer, entry, node)}.variables()"
                names.append(f"*{given}" if everything else f"*({trained(given)})")
            elif entry.mixed and not everything:
                given = f"{writer.layers[id(entry.layer)][0]}.variables"
                names.append(f"*({trained(given)})")
            elif entry.made and entry.owner:
                names.extend(writer.objects(entry.layer, "variables", entry.owner))
            elif entry.made:
                names.append(f"*{writer.layers[id(entry.layer)][0]}.variables")
            elif entry.inner:
                text, whole = _inner(walker, writer, entry, node, wanted)
                names.append(f"*{text}" if whole else f"*({text})")
            elif entry.layer is not None:
                names.extend(writer.objects(entry.layer, wanted, entry.owner))
            elif entry.cell is not None:
                if isinstance(entry.cell, ast.Call) and id(entry.cell) not in writer.cells:
                    raise Blocked(node, "a cell that no run needs is trained")
                name = writer.cells.get(id(entry.cell)) or ast.unparse(entry.cell)
                names.append(f"*{name}.trainable_variables")
            elif entry.listed is not None:
                names.append(entry.listed.variables)
            elif entry.looped is not None:
                names.extend(_rounds(walker, writer, entry, node))
            elif entry.when is not None:
                names.append(f"*([{entry.branch}] if {entry.when} else [])")
            else:
                names.append(entry.ref or "")
        names += listed_averages.written(writer, kept_averages)
        if len(names) == 1 and names[0].startswith("*(v for "):
            return f"[{names[0][2:-1]}]"
        return f"[{', '.join(dict.fromkeys(names))}]"

    kept = _from_method(walker, node, entries, scope)
    if kept is not None:
        if late:
            raise Blocked(node, "variables of layers, which are made at their first call")
        attribute, stmt = kept
        walker.afterwards.setdefault(id(stmt), []).append(
            lambda writer: f"self.{attribute} = {written(writer)}"
        )
        walker.rewrites[id(node)] = lambda _: f"self.{attribute}"
    else:
        walker.rewrites[id(node)] = written
    walker.trainable[id(node)] = []
    return Value(Kind.TENSOR, VARIABLES) if late else Value(Kind.VARIABLE, "container")


def _rounds(walker: Any, writer: Any, entry: Owned, node: ast.AST) -> list[str]:
    """The lists of what a loop makes in each of its rounds."""
    lists = writer.lists.get(id(entry.looped), ())
    assert entry.place is not None
    here = holds(entry.place[0], node)
    if not lists or not (here or all(n.startswith("self.") for n in lists)):
        raise Blocked(node, "the variables of a loop, which have no name here")
    return [f"*{name}" for name in lists]


def _all_built(walker: Any, entries: list[Owned], node: ast.AST) -> bool:
    """Whether all layers of a list are told their input's shape, so that Python has the list."""
    try:
        for entry in entries:
            if not (entry.layer is None and entry.cell is None and entry.listed is None):
                built(walker, entry, node)
    except Blocked:
        return False
    return True


def built(walker: Any, entry: Owned, node: ast.AST) -> None:
    """A layer whose variables are read before it is called is told its input's shape.

    Raises:
        Blocked: it isn't seen.
    """
    layer = walker.layers.get(id(entry.layer))
    if layer is None or (layer.norm is not None and not layer.norm.alone):
        raise Blocked(node, LATE)
    if layer.factory is not None:
        given_shapes.note(walker, layer, node)
        for inner in walker.entered[id(layer.factory)].owned:
            if inner.layer is not None or not inner.ref:  # a variable is there
                built(walker, inner, node)
        return
    steps = (s for r in walker.regions for s in r.steps if not s.drop)
    home = next((s for s in steps if repeated.stands(layer.call, s.node)), None)
    asked = layer.given.get("inputs", layer.given.get("ids"))
    shape = static_dims.seen(walker, asked)
    if shape is None and asked is not None and open_shapes.any_rank(layer.endpoint):
        shape = open_shapes.of(walker, asked)
    if asked is not None and (shape is None or shape[-1] == shapes.OPEN):
        shape = told_shapes.of(walker, asked)
    # What a function gives lists the layers of a branch on its condition.
    factory = home is not None and home.region is not None and home.region.inputs is not None
    blocks = ast.For if factory else (ast.For, ast.If)
    if (
        home is None
        or shape is None
        or shape[-1] == shapes.OPEN
        or any(isinstance(n, blocks) for n in repeated.chain(home.node, layer.call) or ())
    ):
        raise Blocked(node, LATE)
    # Its names must mean the same where the layer is made.
    names = {n.id for d in shape for n in all_of(ast.parse(d), ast.Name)}
    if home.function is not None and not isinstance(home.function, ast.Module):
        local = {n.id for n in all_of(home.function, ast.Name) if n.id in names}
        names -= local | {"self"}
    if not names <= set(walker.module_frame(layer.call).env):
        raise Blocked(node, LATE)
    walker.kept.setdefault("built", {})[id(layer.call)] = f"[{', '.join(shape)}]"


def _in_object(walker: Any, entry: Owned, instance: Instance) -> bool:
    """Whether an attribute of an object, or a layer in one, says what is listed.

    So does that of another graph's object.
    """
    if entry.place is not None:
        return entry.looped is None and _called_by(entry).startswith("self.")
    if entry.layer is None or entry.owner not in ("", "self"):
        return False
    lineage = bases.lineage(walker, instance.node)
    return any(holds(m, entry.layer) for c in lineage for m in bases.methods(c))


def _from_method(
    walker: Any, node: ast.expr, entries: list[Owned], scope: ast.expr | None
) -> tuple[str, ast.stmt] | None:
    """The attribute in which an object keeps the local variables of another of its methods.

    Raises:
        Blocked: they are local variables of several ones, or of a function.
    """
    named = [o for o in entries if o.place is not None and o.looped is None]
    local = [o for o in named if not _called_by(o).startswith("self.")]
    frame = walker.frame
    while isinstance(frame.node, COMPREHENSIONS):
        frame = frame.parent
    here = {id(frame.node), id(walker.tree)}
    elsewhere = {id(o.place[0]) for o in local if o.place is not None} - here
    if not elsewhere:
        known = walker.walked.get(id(frame.node))
        if known is not None and all(_in_object(walker, e, known) for e in entries):
            walker.kept.setdefault(("lists of methods",), set()).add(id(node))
        return None
    region = walker.frame.region
    what = "the variables of another function, which have no name here"
    if not isinstance(region.node, ast.ClassDef):  # a method that runs them, of the one object
        known = walker.walked.get(id(frame.node))
        region = known.region if known is not None else region
        own = isinstance(region.node, ast.ClassDef) and {id(m) for m in region.node.body}
        if not own or not elsewhere <= own or len(object_variables.made(walker, region)) != 1:
            raise Blocked(node, what)
        walker.kept.setdefault(("lists of methods",), set()).add(id(node))
    if len(elsewhere) > 1 or len(local) < len(entries) or any(o.when for o in entries):
        for entry in local:
            assert entry.place is not None
            function, stmt = entry.place
            if function not in region.node.body:
                raise Blocked(node, what)
            if function is not frame.node:  # its name is to become an attribute
                name = _called_by(entry)
                if not name.isidentifier():
                    raise Blocked(node, what)
                walker.kept.setdefault("unseen", []).append((stmt, function, name))
        return None
    said = str(scope.value) if isinstance(scope, ast.Constant) and scope.value else ""
    name = re.sub(r"\W+", "_", said).strip("_").lower()
    attribute = f"{name}_variables" if name else "all_variables"
    if said.isidentifier() and all(said in o.collections for o in entries):
        attribute = said  # the author's name for them
    if any(isinstance(n, ast.Attribute) and n.attr == attribute for n in walk(walker.tree)):
        raise Blocked(node, f"the module has a `{attribute}` of its own")
    assert local[-1].place is not None
    return attribute, local[-1].place[1]


def bare(walker: Any, factory: ast.FunctionDef | None) -> bool | None:
    """Whether all that a function makes are variables, those of functions that it calls included.

    False: all of it are layers and cells. None: some of both, or variables that aren't trained.
    """
    kinds: set[bool | None] = set()
    for entry in walker.entered[id(factory)].owned:
        if entry.layer is None:
            kinds.add(entry.cell is None)
        elif not entry.inner:
            kinds.add(False)
        elif entry.made:
            kinds.add(None if entry.mixed or not entry.trained else True)
        else:
            kinds.add(bare(walker, walker.layers[id(entry.layer)].factory))
    return kinds.pop() if len(kinds) == 1 else False if not kinds else None


def _inner(walker: Any, writer: Any, entry: Owned, node: ast.AST, wanted: str) -> tuple[str, bool]:
    """The variables of what a function makes, and whether that is a list as it stands.

    Raises:
        Blocked: it makes layers, and functions that it calls make variables.
    """
    only = bare(walker, walker.layers[id(entry.layer)].factory)
    if only is None:
        raise Blocked(node, "variables and layers that a function and those it calls make")
    name = _function(writer, entry, node)
    return (f"{name}.variables", True) if only else (_variables(name, wanted), False)


def _called_by(entry: Owned) -> str:
    return str(entry.ref or entry.branch)


def _function(writer: Any, entry: Owned, node: ast.AST) -> str:
    """What a function of layers gave, here or as an attribute of an object.

    Raises:
        Blocked: a loop calls the function.
    """
    if not entry.owner:
        return str(writer.layers[id(entry.layer)][0])
    objects: list[str] = writer.objects(entry.layer, "layers", entry.owner)
    if len(objects) != 1 or objects[0].startswith("*("):
        raise Blocked(node, LOOPED)
    return objects[0].removeprefix("*").removesuffix(".layers")


def _variables(name: str, wanted: str) -> str:
    """The variables of what a function of layers gave."""
    return f"v for layer in {name}.layers for v in layer.{wanted}"


def trained(variables: str) -> str:
    """The variables of a function that are trained, where layers and others are among them."""
    return f"v for v in {variables} if v.trainable"


def scope_of(walker: Any, node: ast.AST | None) -> str:
    """The scope whose variables a list is, as an identifier; nothing where it isn't one's."""
    word = str(walker.kept.get("scopes listed", {}).get(id(node), "")).strip("/")
    name = re.sub(r"\W+", "_", word)
    return name if name.isidentifier() else ""


def reached(walker: Any, factory: ast.FunctionDef | None) -> None:
    """A function's layers are asked for: what it returns says which they are."""
    if factory is None or id(factory) in walker.reached:
        return
    walker.reached.add(id(factory))
    for entry in walker.entered[id(factory)].owned:
        if entry.inner:
            reached(walker, walker.layers[id(entry.layer)].factory)
