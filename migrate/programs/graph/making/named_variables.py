"""A variable that a program finds by its name: ``[v for v in tf.global_variables() if …][0]``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.listing import collections, looped_names, object_variables
from migrate.programs.graph.making import bound_anew, local_names, variable_names
from migrate.programs.graph.making.repeated import chain
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Kind, Value
from migrate.programs.graph.scoping import compared_names
from migrate.programs.graph.scoping.scopes import scope_name

LISTS = frozenset({T + "global_variables", T + "all_variables", T + "trainable_variables"})
# The attributes under which Keras' layers have what TF 1 called so.
WEIGHTS = {"kernel": "kernel", "bias": "bias", "weights": "kernel", "biases": "bias"}
AVERAGES = {name: name for name in ("gamma", "beta", "moving_mean", "moving_variance")}
NUMBERED = "a name is read that TF 1 has made or numbered"
ALIKE = ("names that TF 2 gives, too",)  # among what a walk keeps: places that read one
PLAIN = ("dense", "conv1d", "conv2d", "conv3d", "fully_connected")


def found(walker: Any, node: ast.Subscript) -> Value | None:
    """The layer's variable that a comprehension finds; None where it isn't that.

    Raises:
        Blocked: it finds one that isn't seen.
    """
    word = _asked(walker, node)
    if word is None or walker.frame.region is None or walker.nested:
        return None
    for entry in walker.owned:
        layer = walker.layers.get(id(entry.layer))
        if layer is None and collections.name_of(walker, entry) == word:
            alone = _alone(walker, entry, node)
            if alone is not None:
                return alone
        if layer is None or layer.factory is not None or not layer.path:
            continue
        leaf = word.removeprefix(f"{layer.path}/").removesuffix(":0")
        kind = layer.endpoint.rpartition(".")[2]
        norm = kind.startswith("batch_norm")
        attribute = (AVERAGES if norm else WEIGHTS if kind in PLAIN else {}).get(leaf)
        contrib = ".contrib." in layer.endpoint
        if not norm and (leaf in ("weights", "biases")) is not contrib:
            continue  # TF 1 finds none of that name
        if attribute is None or word != f"{layer.path}/{leaf}:0":
            continue
        if layer.same is not None or (layer.norm is not None and not norm):
            break
        collections.built(walker, entry, node)
        walker.rewrites[id(node)] = _written(id(layer.call), attribute)
        return Value(Kind.VARIABLE, node=node)
    if walker.layers or walker.kept.get("applied cells"):
        raise Blocked(node, f"the variable {word} isn't seen")
    return None


def _alone(walker: Any, entry: Any, node: ast.Subscript) -> Value | None:
    """A variable that no layer has, by the name that it has here."""
    made = entry.value.node if entry.value is not None else None
    here = entry.place is not None and entry.place[0] is walker.frame.node
    plain = entry.cell is None and entry.looped is None and not entry.owner and not entry.when
    if not here or not plain or not entry.ref or not isinstance(made, ast.Call):
        return None
    value = collections.meant(walker, entry.ref, node)
    if value.kind is not Kind.VARIABLE or value.node is not made:
        bound_anew.check(walker, made, str(entry.ref), node)
        return None
    ref = str(entry.ref)
    walker.rewrites[id(node)] = lambda _: ref
    return value


def _written(call: int, attribute: str) -> Callable[[Any], str]:
    return lambda writer: f"{writer.layers[call][0]}.{attribute}"


def named(walker: Any, owner: Value, node: ast.Attribute) -> None:
    """A variable's name is read: Keras gives those of layers and cells other names.

    Nor does TF 2 number the names of variables that were given none, or one twice.

    Raises:
        Blocked: it may be one of these.
    """
    if id(node) in walker.kept.get(ALIKE, ()):
        return
    made = isinstance(owner.node, ast.Call) and owner.data != "container"
    if not made and (walker.layers or walker.kept.get("applied cells")):
        looped_names.check(walker, node, "the names of layers' variables are read")
        raise Blocked(node, "the names of layers' variables are read")
    entries = [o for o in walker.owned if o.layer is None and o.cell is None]
    if made:
        entries = [o for o in entries if o.value is not None and o.value.node is owner.node]
    calls = {id(c): c for o in walker.owned if (c := o.looped or (o.value and o.value.node))}
    mine: Mapping[int, ast.AST | None] = {id(owner.node): owner.node} if made else calls
    written = [written_name(walker, c) for c in calls.values() if isinstance(c, ast.Call)]
    if any("{" not in str(written_name(walker, c)) for c in _looped(walker, mine)):
        raise Blocked(node, NUMBERED)
    odd = [o for o in entries if not _same(walker, o, written)]
    if not odd:
        return
    if isinstance(owner.node, ast.Call) and made and len(entries) == 1:
        if variable_names.told(walker, owner.node, odd[0]):
            return
    if not compared_names.only(walker, node, _all_named(walker)):
        raise Blocked(node, NUMBERED)


def _looped(walker: Any, calls: Mapping[int, ast.AST | None]) -> list[ast.Call]:
    """The calls of ``tf.Variable`` in loops: TF 1 numbers what each round makes of one name."""
    loops = [n for n in walk(walker.tree) if isinstance(n, (ast.For, ast.While))]
    inside = {id(n) for loop in loops for n in walk(loop)} if calls else set()
    found = [c for key, c in calls.items() if key in inside and isinstance(c, ast.Call)]
    return [c for c in found if walker.endpoints.get(id(c.func)) == T + "Variable"]


def _same(walker: Any, entry: Any, written: list[str | None]) -> bool:
    """Whether a variable is called in TF 2 what TF 1 calls it; ``written``: what all are called.

    What a loop computes is taken to differ from round to round (docs/sessions.md).
    """
    call = entry.looped or (entry.value and entry.value.node)
    if not isinstance(call, ast.Call):
        return False
    endpoint = walker.endpoints.get(id(call.func))
    if endpoint != T + "Variable":
        return bool(endpoint == T + "get_variable")  # its whole name is written
    path, name = collections.name_of(walker, entry), written_name(walker, call)
    if name is not None and "{" in name and call in (entry.looped,):
        return written.count(name) == 1
    return path is not None and "{" not in path and f"{name}:0" == path


def written_name(walker: Any, call: ast.Call) -> str | None:
    """The name that a call of ``tf.Variable`` has in TF 2."""
    if walker.endpoints.get(id(call.func)) != T + "Variable":
        return None
    if id(call) in (told := walker.kept.get(variable_names.TOLD, {})):
        return str(told[id(call)])
    own = walker.bound(T + "Variable", call).get("name")
    said = walker.scoped_names.get(id(own)) or scope_name(own) if own is not None else "Variable"
    return None if said is None else str(said).removeprefix("f").strip("'\"")


def _all_named(walker: Any) -> list[str | None]:
    """What all variables of the graph are called in TF 2; None where that isn't seen."""
    found: dict[int, str | None] = {}
    for entry in walker.owned:
        call = entry.looped or (entry.value and entry.value.node)
        if entry.layer is not None or entry.cell is not None or not isinstance(call, ast.Call):
            return [None]
        plain = walker.endpoints.get(id(call.func)) == T + "Variable"
        name = written_name(walker, call) if plain else entry.path
        found[id(call)] = None if id(call) in found else name
    return list(found.values())


def read(walker: Any, node: ast.ListComp) -> Value | None:
    """``[v.name for v in tf.trainable_variables()]`` of layers: the names in TF 1, written out.

    None where it isn't that, or Keras has no part in it.
    """
    (generator, *others) = node.generators
    called, own = generator.iter, generator.target
    if others or generator.ifs or not isinstance(own, ast.Name):
        return None
    asked = looped_names.of(node.elt)
    if asked is None or asked.id != own.id:
        return None
    if looped_names.called(walker, called) is not None:
        entries = [o for o in object_variables.seen(walker, node) if o.trained]
    else:
        entries = _some(walker, called)
    op = isinstance(getattr(node.elt, "value", None), ast.Attribute)  # TF 2's have none
    named = entries or looped_names.listed(walker, called)
    if not op and named and all(_alike(walker, o) for o in named):
        walker.kept.setdefault(ALIKE, set()).add(id(node.elt))
    if walker.frame.region is None or not (op or any(o.layer is not None for o in entries)):
        return None
    if any(o.when or _branched(walker, o.layer) for o in entries):
        raise Blocked(node, "the names of layers' variables are read")  # the other way hasn't them

    walker.kept.setdefault(("names read",), []).append((node, entries))
    return HOST


def _alike(walker: Any, entry: Any) -> bool:
    """Whether a variable is one by itself that TF 2 calls what TF 1 does."""
    calls = {id(c): c for o in walker.owned if (c := o.looped or (o.value and o.value.node))}
    written = [written_name(walker, c) for c in calls.values() if isinstance(c, ast.Call)]
    plain = entry.layer is None and entry.cell is None and entry.looped is None
    made = entry.value.node if plain and entry.value is not None else None
    if made is None or _looped(walker, {id(made): made}):
        return False
    return _same(walker, entry, written)


def keyed(walker: Any, node: ast.DictComp) -> Value | None:
    """``{v.name: v for v in tf.trainable_variables()}``: variables under their names in TF 1.

    None where it isn't that.
    """
    (generator, *others) = node.generators
    own, asked = generator.target, looped_names.of(node.key)
    if others or generator.ifs or not isinstance(own, ast.Name) or asked is None:
        return None
    if asked.id != own.id or ast.unparse(node.value) != own.id or walker.frame.region is None:
        return None
    if not looped_names.trained(walker, generator.iter):
        return None
    entries = _some(walker, generator.iter)
    if not entries or any(o.when or o.looped or _branched(walker, o.layer) for o in entries):
        return None
    walker.expression(generator.iter)
    walker.kept.setdefault(("names read",), []).append((node, entries))
    return Value(Kind.VARIABLE, "container")


def _branched(walker: Any, layer: ast.Call | None) -> bool:
    """Whether a branch makes a layer, other than a file that is run."""
    return layer is not None and any(
        isinstance(n, ast.If) and not ast.unparse(n.test).startswith("__name__")
        for region in walker.regions
        for step in region.steps
        for n in chain(step.node, layer) or ()
    )


def _some(walker: Any, listed: ast.expr) -> list[Any]:
    """The trained variables that a list has; none where it isn't seen."""
    step = walker.sink
    uses, hosts = dict(step.uses), set(step.hosts)
    if looped_names.trained(walker, listed):  # no name that has it yet
        walker.expression(listed)
    found = looped_names.chosen(walker, listed) or []
    step.uses, step.hosts = uses, hosts  # nothing of it stays
    for n in walk(listed):
        walker.listed.pop(id(n), None)
    return found


def filtered(walker: Any, generator: ast.comprehension, test: ast.expr) -> bool:
    """``for v in tf.trainable_variables() if "bias" not in v.name``: whether that may stay.

    It may where each variable's name in TF 2 has the word in it just as its name in TF 1 does.
    """
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    own, word = generator.target, test.left
    if not isinstance(own, ast.Name) or not isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return False
    if not isinstance(word, ast.Constant) or not isinstance(word.value, str):
        return False
    if ast.unparse(test.comparators[0]) != f"{own.id}.name":
        return False
    listed: ast.expr = generator.iter
    if isinstance(listed, ast.Name):
        symbol = walker.frame.env.get(listed.id)
        if symbol is not None and symbol.value.symbol is not None:  # what a call gives it
            symbol = symbol.value.symbol
        made = symbol.step.node if symbol is not None else None
        listed = made.value if isinstance(made, ast.Assign) else listed
    elif isinstance(listed, ast.Attribute):  # what an object keeps
        owner = walker.expression(listed.value)
        kept = owner.data.attrs.get(listed.attr) if owner.kind is Kind.OBJECT else None
        made = kept.step.node if kept is not None else None
        listed = made.value if isinstance(made, ast.Assign) else listed
    entries = walker.listed.get(id(listed))
    if isinstance(listed, (ast.List, ast.Tuple)):
        known = {o.ref: o for o in walker.owned if o.ref is not None}
        said = [known.get(ast.unparse(n)) for n in listed.elts]
        entries = [o for o in said if o is not None] if None not in said else None
    return entries is not None and alike(walker, entries, word.value)


def alike(walker: Any, entries: Iterable[Any], word: str) -> bool:
    """Whether the names of variables in TF 1 and TF 2 answer alike whether a word is in them."""
    return all(_told(walker, o, word) for o in entries)


def chosen(walker: Any, generator: ast.comprehension, test: ast.expr) -> None:
    """See that no condition chooses variables by names that TF 2 may give otherwise.

    Raises:
        Blocked: one does.
    """
    own = generator.target
    if not isinstance(own, ast.Name) or walker.expression(own).kind is not Kind.VARIABLE:
        return
    for n in walk(test):
        if isinstance(n, ast.Attribute) and n.attr == "name" and ast.unparse(n.value) == own.id:
            raise Blocked(test, "variables are chosen by their names")


def _told(walker: Any, entry: Any, word: str) -> bool:
    """Whether a variable's names in TF 1 and TF 2 answer alike whether a word is in them."""
    if entry.cell is not None:  # it has TF 1's names
        return entry.path is not None and word not in entry.path
    if entry.looped is not None:  # its whole name is written
        return bool(walker.endpoints.get(id(entry.looped.func)) == T + "get_variable")
    if entry.layer is None:
        if entry.path is None or "{" in entry.path:
            return False
        path, call = collections.name_of(walker, entry), entry.value and entry.value.node
        if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) != T + "Variable":
            return True
        name = written_name(walker, call)
        return path is not None and name is not None and (word in f"{name}:0") == (word in path)
    layer = walker.layers.get(id(entry.layer))
    if layer is not None and layer.factory is not None:
        region = walker.entered[id(layer.factory)]
        names = [str(name) for name in entry.inner]
        if (
            region.shaped
            or not names
            or any(word in name or local_names.UNTOLD in name for name in names)
        ):
            return False
        return all(o.path is not None and _told(walker, o, word) for o in region.owned)
    path = layer.path or _numbered(walker, entry, word) if layer is not None else None
    if layer is None or path is None or word in path:
        return False
    kind = layer.endpoint.rpartition(".")[2]
    leaves = AVERAGES if kind.startswith("batch_norm") else WEIGHTS if kind in PLAIN else None
    return leaves is not None and all((word in old) == (word in new) for old, new in leaves.items())


def _numbered(walker: Any, entry: Any, word: str) -> str | None:
    """A layer's name in which numbers are computed, ``conv-{size}/bn``, as a word may meet it.

    That a name stands for a number is seen where something is subtracted, or by what counts it.
    """
    functions = all_of(walker.tree, ast.FunctionDef)
    homes = [f for f in functions if holds(f, entry.layer)]
    if entry.path is None or not word.isalpha():
        return None
    home = homes[-1] if homes else walker.tree
    numbers = {
        n.id
        for b in all_of(home, ast.BinOp)
        if isinstance(b.op, ast.Sub)
        for n in (b.left, b.right)
        if isinstance(n, ast.Name)
    } | local_names.counters(home)
    numbers.add("0")
    found = re.sub(r"\{(\w+)\}", lambda m: "0" if m[1] in numbers else m[0], entry.path)
    return None if "{" in found else found


def _asked(walker: Any, node: ast.Subscript) -> str | None:
    """The name that a comprehension asks for, where its first result is taken."""
    if not (isinstance(node.slice, ast.Constant) and node.slice.value == 0):
        return None
    listed = node.value
    if not isinstance(listed, ast.ListComp) or len(listed.generators) != 1:
        return None
    (generator,) = listed.generators
    call, own = generator.iter, generator.target
    if not isinstance(own, ast.Name) or ast.unparse(listed.elt) != own.id:
        return None
    if not isinstance(call, ast.Call) or call.args or call.keywords:
        return None
    if walker.endpoints.get(id(call.func)) not in LISTS or len(generator.ifs) != 1:
        return None
    test = generator.ifs[0]
    if not isinstance(test, ast.Compare) or [type(o) for o in test.ops] != [ast.Eq]:
        return None
    sides = [test.left, test.comparators[0]]
    words = [s.value for s in sides if isinstance(s, ast.Constant)]
    if len(words) != 1 or f"{own.id}.name" not in map(ast.unparse, sides):
        return None
    return str(words[0])
