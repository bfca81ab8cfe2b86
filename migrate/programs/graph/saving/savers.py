"""`tf.train.Saver`: what it saves, and where it saves and restores."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.listing import collections, object_variables
from migrate.programs.graph.listing.collections import EVERYTHING
from migrate.programs.graph.listing.layer_variables import VARIABLES
from migrate.programs.graph.making import repeated
from migrate.programs.graph.making.local_names import UNTOLD
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Kind,
    Region,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.objects import parts
from migrate.programs.graph.optimizing.averages import Averages
from migrate.programs.graph.recurrence import recurrent_runs
from migrate.programs.graph.recurrence.cells import Cells
from migrate.programs.graph.running import arms, later_runs, named_graphs
from migrate.programs.graph.saving import (
    branch_savers,
    early_saves,
    restored,
    saved_graphs,
    saved_objects,
)
from migrate.programs.graph.saving.restored_averages import Restored
from migrate.programs.graph.walk import Apply, Gradient, Layer, T, Walker, family
from migrate.programs.graph.wording import printing_makers, spelled
from migrate.programs.graph.wording.branched import leaves

TRAINABLE = frozenset({T + "trainable_variables"})
# What a Saver is told and a checkpoint of TF 2 has no use for.
IDLE = frozenset(["name", "sharded", "restore_sequentially", "write_version", "allow_empty"])
IDLE |= frozenset(["filename", "save_relative_paths"])
SAVE_IDLE = frozenset(
    ["write_meta_graph", "strip_default_attrs", "save_debug_info", "meta_graph_suffix"]
)


@dataclass(slots=True, eq=False, repr=False)
class Save:
    """A call of ``saver.save``."""

    call: ast.Call
    path: ast.expr
    number: ast.expr | None
    counter: bool  # the number is a variable
    state: bool  # the folder's `checkpoint` file is written


@dataclass(slots=True, eq=False, repr=False)
class Saver:
    """A ``tf.train.Saver``, as made."""

    call: ast.Call
    given: dict[str, ast.expr]
    step: Step
    visible: frozenset[str]  # host names bound before it
    whole: int  # how many variables and optimizers there were; -1 where it has a list of its own
    variables: list[tuple[str, str]] = field(default_factory=list)  # keywords and sources
    values: dict[str, Value] = field(default_factory=dict)  # what the sources are
    collected: tuple[str, ast.expr] | None = None  # a list without a name: its keyword, its source
    layers: list[Layer] = field(default_factory=list)
    looped: list[ast.Call] = field(default_factory=list)  # that make variables in loops, branches
    chosen: list[tuple[str, str]] = field(default_factory=list)  # that a branch may make, and when
    cells: list[ast.Call] = field(default_factory=list)  # that a run's statement made
    held: dict[str | int, recurrent_runs.Held] = field(default_factory=dict)
    trained: list[Gradient | Apply] = field(default_factory=list)  # whose optimizers have slots
    owners: dict[int, list[str]] = field(default_factory=dict)  # objects' names, by region
    several: set[str] = field(default_factory=set)  # those of classes with more than one object
    averages: list[tuple[str, ast.Call]] = field(default_factory=list)  # who keeps them, and how
    plain: bool = True  # the averages have the names that TF 1 gives outside of scopes
    restored: tuple[Restored, ast.expr] | None = None  # averages that are read into variables
    saves: dict[int, Save] = field(default_factory=dict)
    restores: dict[int, ast.Call] = field(default_factory=dict)
    early: ast.Call | None = None  # a save between a restore and the first training
    first: ast.Call | None = None  # one in a loop, before any restore or training
    graph: int = 0
    untrained: set[str] = field(default_factory=set)  # sources

    def key(self, source: str) -> str:
        """What a checkpoint calls an attribute: with its object, where its class has several."""
        owner, _, name = source.rpartition(".")
        if owner in self.several:
            return f"{owner.removeprefix('self.').replace('.', '_')}_{name}"
        return name

    @property
    def idle(self) -> bool:
        """Whether nothing is ever saved or restored with it."""
        return not self.saves and not self.restores

    def method(self, walker: Walker, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``save`` and ``restore``.

        Raises:
            Blocked: something else, or what can't be told.
        """
        if attribute == saved_graphs.SAVES:
            return saved_graphs.save(walker, self, node)
        if attribute not in ("save", "restore"):
            raise Blocked(node, f"`.{attribute}()` of a Saver isn't followed")
        if walker.frame.region is None:
            raise Blocked(node, "a function that isn't followed saves or restores")
        given = walker.bound(f"{T}train.Saver.{attribute}", node)
        session, path = given.pop("sess", None), given.pop("save_path", None)
        if session is None or path is None:
            raise Blocked(node, "arguments of a Saver that aren't followed")
        if walker.expression(session).kind is not Kind.SESSION:
            raise Blocked(session, "the session that is saved or restored isn't seen")
        with named_graphs.within(walker, walker.expression(session)):
            return self._run(walker, attribute, node, path, given)

    def _run(
        self,
        walker: Walker,
        attribute: str,
        node: ast.Call,
        path: ast.expr,
        given: dict[str, ast.expr],
    ) -> Value:
        walker.host(path)
        if attribute == "restore":
            if self.several and _trained_before(walker):
                raise Blocked(node, "several objects are restored after one of them was trained")
            self.restores[id(node)] = node
            early_saves.restored(walker)
            walker.rewrites[id(node)] = lambda w: w.module.savers.restore(self, node, path)
            if self.whole == _made(walker):
                walker.fresh = None
            elif restored.alone(walker):
                walker.fresh = None
                walker.kept.pop("initialised", None)
            return HOST
        self._save(walker, node, path, given)
        return HOST

    def _save(
        self, walker: Walker, node: ast.Call, path: ast.expr, given: dict[str, ast.expr]
    ) -> None:
        number = given.pop("global_step", None)
        state = given.pop("write_state", None)
        for argument, value in given.items():
            if argument not in SAVE_IDLE:
                raise Blocked(value, f"`{argument}` of Saver.save")
        counter = False
        if number is not None:
            kind = walker.expression(number).kind
            if kind not in (Kind.HOST, Kind.VARIABLE, Kind.NONE):
                raise Blocked(number, f"a checkpoint's number is a {kind.value}")
            counter = kind is Kind.VARIABLE
            if isinstance(number, ast.Constant) and number.value is None:
                number = None
        quiet = isinstance(state, ast.Constant) and state.value is False
        if not _trained_before(walker) and not early_saves.waits(walker, node):
            early_saves.saved(walker, self, node)
        self.saves[id(node)] = save = Save(node, path, number, counter, not quiet)
        walker.rewrites[id(node)] = lambda writer: writer.module.savers.save(self, save)


@family(T + "train.Saver")
def saver(walker: Walker, name: str, node: ast.Call) -> Value:
    """A Saver: of all variables so far, or of those in its list."""
    if walker.frame.region is None or (walker.nested and not arms.way(walker)) or walker.loops:
        reason = "a Saver in a loop, a branch or a helper"
        if walker.frame.region is not None:
            branch_savers.check(walker, node, reason)
        raise Blocked(node, reason)
    spelled.unnamed_saver(walker, node)
    saved_objects.there(walker, node)
    given = walker.bound(name, node)
    wanted = given.pop("var_list", None)
    for argument, value in given.items():
        if argument not in IDLE | {"max_to_keep", "keep_checkpoint_every_n_hours"}:
            raise Blocked(value, f"`{argument}` of tf.train.Saver")
        walker.host(value)
    found = Saver(node, given, walker.sink, frozenset(_visible(walker)), -1)
    endpoint = walker.endpoints.get(id(wanted.func)) if isinstance(wanted, ast.Call) else None
    if wanted is None or _none(wanted) or endpoint in EVERYTHING:
        _everything(walker, found)
        found.whole = _made(walker)
    elif endpoint in TRAINABLE and isinstance(wanted, ast.Call) and not wanted.args:
        owned = [o for o in object_variables.seen(walker, wanted) if o.trained]
        owned = object_variables.told(walker, owned, wanted)
        if any(o.ref is None for o in owned):
            _listed(walker, found, wanted)
        else:
            refs = [str(o.ref) for o in owned]
            found.variables = _keyed((re.findall(r"\w+", ref)[-1], ref) for ref in refs)
            found.values = {str(o.ref): o.value for o in owned if o.value is not None}
    else:
        _listed(walker, found, wanted)
    found.graph = walker.graph
    walker.kept.setdefault("savers", []).append(found)
    walker.savers.append(found)
    walker.rewrites[id(node)] = lambda writer: writer.module.savers.made(found, writer)
    return Value(Kind.OTHER, found, node=node)


def of_all(walker: Walker, node: ast.Call) -> Saver | None:
    """A Saver of all variables that the program doesn't make; None where it can't be had."""
    found = Saver(node, {}, walker.sink, frozenset(_visible(walker)), -1)
    try:
        _everything(walker, found)
    except Blocked as error:
        if type(error) is not Blocked:
            raise
        return None
    return found


@family(T + "train.checkpoint_exists")
def checkpoint_exists(walker: Walker, name: str, node: ast.Call) -> Value:
    """Whether a checkpoint's index is there."""
    for value in walker.arguments(node):
        if value.kind is not Kind.HOST:
            raise Blocked(node, f"the path of a checkpoint is {described(value)}")
    if len(node.args) != 1 or node.keywords:
        raise Blocked(node, "these arguments aren't followed")
    path = node.args[0]
    walker.rewrites[id(node)] = lambda writer: (
        f'{writer.tf}.io.gfile.exists({writer.module.here(path, writer)} + ".index")'
    )
    return HOST


@family(T + "train.global_step")
def global_step(walker: Walker, name: str, node: ast.Call) -> Value:
    """The number that the global step's variable has now."""
    given = walker.bound(name, node)
    tensor = given.get("global_step_tensor")
    if tensor is None or walker.expression(tensor).kind is not Kind.VARIABLE:
        raise Blocked(node, "the global step that is read isn't a variable")
    session = given.get("sess")
    if session is None or walker.expression(session).kind is not Kind.SESSION:
        raise Blocked(node, "another session")
    walker.rewrites[id(node)] = lambda writer: f"int({writer.text.source(tensor)})"
    return HOST


def _trained_before(walker: Walker) -> bool:
    """Whether a run may have made slots that an earlier checkpoint of several objects hasn't."""
    regions = later_runs.here(walker)
    fetched = (leaf for region in regions for site in region.sites for leaf in site.fetch.leaves())
    return any(leaf.value.kind is Kind.OP and leaf.value.data != "assign" for leaf in fetched)


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _visible(walker: Walker) -> set[str]:
    frame = walker.frame
    names = set(frame.env)
    while frame.parent is not None:
        frame = frame.parent
        names |= set(frame.env)
    return names


def _makers(walker: Walker) -> list[Step]:
    """The steps that make variables, in all regions."""
    return [
        step
        for region in walker.regions
        for step in region.steps
        if not step.drop
        and region.inputs is None  # a function's own layers are those of its calls
        and id(step) not in walker.forgotten
        and not isinstance(step.node, (ast.FunctionDef, ast.ClassDef))
        and not (step.value is not None and step.value.data == "main")
        and not _enters(walker, step)
        and (
            walker.makes(step.node)
            or any(id(n) in walker.layers or id(n) in walker.made for n in walk(step.node))
        )
    ]


def _enters(walker: Walker, step: Step) -> bool:
    """Whether a step calls a function that is a region of its own."""
    return any(
        isinstance(n, ast.Call)
        and (region := walker.entered.get(id(walker._module_function(n.func)))) is not None
        and region.inputs is None
        for n in walk(step.node)
    )


def _made(walker: Walker) -> int:
    return len(_makers(walker)) + len(walker.gradients) + len(walker.applies)


BLOCKS = (ast.For, ast.While, ast.If, ast.IfExp, ast.Lambda, *collections.COMPREHENSIONS)
NESTED = "saved nests"  # the functions whose layers are in lists of lists


def _everything(walker: Walker, found: Saver) -> None:
    """All variables so far, under their names, and the optimizers' slots."""
    _averages(walker, found)
    if parts.MADE in walker.kept:
        raise Blocked(found.call, "a Saver of the variables of objects in lists")
    own, here = walker.frame.region, walker.frame.node
    pairs: list[tuple[str, str]] = []
    for step in _makers(walker):
        assert step.region is not None
        there = [""] if step.region is own else saved_objects.owners(walker, found, step.region)
        owner = there[0]
        layers = [walker.layers[id(n)] for n in walk(step.node) if id(n) in walker.layers]
        variables = [s for s in step.defs if s.value.kind is Kind.VARIABLE]
        if step.moves and isinstance(step.node, (ast.For, ast.If)):
            looped = [n for n in repeated.making(walker, step.node) if id(n) in walker.looped]
            looped = [n for n in looped if not _chosen(walker, found, n, owner)]
            found.looped += looped
            if looped and owner:  # the lists that have them are to be attributes
                walker.kept.setdefault("saved outside", set()).add(id(step.region))
            variables = []
        elif isinstance(step.node, ast.If):
            variables = [s for s in variables if not _either(walker, found, step.node, s, owner)]
        empty = [layer for layer in layers if printing_makers.empty(walker, layer)]
        if empty and not variables and len(empty) == len(layers):
            continue
        layers = [layer for layer in layers if layer not in empty]
        if not variables and not layers and _only_cells(walker, step):
            continue  # `recurrent_runs.held` has those that are applied
        if not variables and not layers and not found.looped and not found.chosen:
            raise Blocked(found.call, "a variable that a Saver would save has no name")
        apart = isinstance(step.region.node, ast.ClassDef) and step.function is not here
        if layers and (owner or apart):
            walker.kept.setdefault("saved outside", set()).add(id(step.region))
        for layer in layers:
            if layer.factory is not None:
                _of_function(walker, found, layer)
        found.layers.extend(layers)
        for symbol in variables:
            for one in there:
                source = _source(walker, symbol, one, found)
                if len(there) == 1:
                    found.values[source] = symbol.value
                fixed = [o for o in walker.owned if not o.trained]
                if any(o.value is symbol.value or o.ref == symbol.name for o in fixed):
                    found.untrained.add(source)
                pairs.append((found.key(source) if len(there) > 1 else symbol.name, source))
    cells, found.cells, found.held = recurrent_runs.held(
        walker, found.call, lambda region: _alone(walker, found, region)
    )
    pairs += cells
    found.variables = _keyed(pairs)
    trained: dict[int, Gradient | Apply] = {**walker.gradients, **walker.applies}
    found.trained = [
        t for key, t in trained.items() if t.optimizer is not None and key not in walker.forgotten
    ]
    saved_objects.trainers(walker, found)
    if not any((pairs, found.layers, found.cells, found.looped, found.chosen)):
        raise Blocked(found.call, "a Saver without variables")


def _alone(walker: Walker, found: Saver, region: Region) -> str:
    """The one object that has cells.

    Raises:
        Blocked: several have.
    """
    names = saved_objects.owners(walker, found, region)
    if len(names) > 1:
        raise Blocked(found.call, "a Saver of several objects' cells")
    return names[0]


def _chosen(walker: Walker, found: Saver, made: ast.Call, owner: str) -> bool:
    """Whether a branch makes a variable on a condition that can be asked again."""
    ref, when, place = walker.kept.get("asked again", {}).get(id(made), (None, None, None))
    if ref is None:
        return False
    if ref.startswith("self."):
        if owner:  # another place asks the object
            ref, when = (re.sub(r"\bself\.", f"{owner}.", said) for said in (ref, when))
    elif owner:
        return False
    elif place[0] is not walker.frame.node and place[0] is not walker.tree:
        walker.kept.setdefault("unseen", []).append((place[1], place[0], ref))
    if (ref, when) not in found.chosen:
        found.chosen.append((ref, when))
    return True


def _either(walker: Walker, found: Saver, branch: ast.If, symbol: Symbol, owner: str) -> bool:
    """Whether a variable that a branch makes is there on one way only.

    Raises:
        Blocked: it is, and the condition can't be asked again.
    """
    made = symbol.value.node
    if isinstance(made, ast.Call) and _chosen(walker, found, made, owner):
        return True
    nothing = any(
        isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Constant)
        and any(ast.unparse(t).rpartition(".")[2] == symbol.name for t in n.targets)
        for n in walk(branch)
    )
    if nothing or not all(_binds(block, symbol) for block in (branch.body, branch.orelse)):
        raise Blocked(found.call, f"a Saver of `{symbol.name}`, which a branch may make")
    return False


def _binds(block: list[ast.stmt], symbol: Symbol) -> bool:
    """Whether a block of statements gives a name its meaning, whichever way it goes."""
    for stmt in block:
        if isinstance(stmt, ast.Assign):
            names = [n for t in stmt.targets for n in walk(t)]
            if any(symbol.name in (getattr(n, "id", ""), getattr(n, "attr", "")) for n in names):
                return True
        elif isinstance(stmt, ast.If):
            if _binds(stmt.body, symbol) and _binds(stmt.orelse, symbol):
                return True
        elif isinstance(stmt, ast.With) and _binds(stmt.body, symbol):
            return True
        if leaves(stmt):
            return True
    return False


def _averages(walker: Walker, found: Saver) -> None:
    """Moving averages of lists of variables, by the object that keeps them.

    Raises:
        Blocked: which these are isn't seen where the Saver is made.
    """
    names = set()
    for key, call in walker.averages.items():
        if id(walker.kept["averages", key]) in walker.forgotten:
            continue  # another graph's
        func = call.func
        assert isinstance(func, ast.Attribute)
        owner = func.value
        if not isinstance(owner, ast.Name) or len(call.args) != 1 or call.keywords:
            raise Blocked(found.call, "a Saver would save moving averages too")
        symbol = walker.frame.env.get(owner.id)
        here = symbol is not None and symbol.step.function is walker.frame.node
        kept = symbol.value.data if symbol is not None else None
        here = here and isinstance(kept, Averages) and call in kept.applies
        listed = id(call.args[0]) in walker.rewrites or isinstance(call.args[0], ast.List)
        if not here or not listed or owner.id in names:
            raise Blocked(found.call, "a Saver would save moving averages too")
        names.add(owner.id)
        assert isinstance(kept, Averages)
        found.plain = found.plain and not kept.scoped
        found.averages.append((owner.id, call))


def _only_cells(walker: Walker, step: Step) -> bool:
    """Whether a step gets cells from functions that make nothing else."""
    if not step.defs or not all(isinstance(s.value.data, Cells) for s in step.defs):
        return False
    todo: list[ast.AST] = [step.node]
    seen: set[int] = set()
    while todo:
        for n in walk(todo.pop()):
            if walker.endpoints.get(id(n)) in meaning.VARIABLES | meaning.MAKING:
                return False
            callee = walker._module_function(n.func) if isinstance(n, ast.Call) else None
            if callee is not None and id(callee) not in seen:
                seen.add(id(callee))
                todo.append(callee)
    return True


def _of_function(walker: Walker, found: Saver, layer: Layer) -> None:
    """The layers that a function makes: what it returns has them."""
    assert layer.factory is not None
    if walker.entered[id(layer.factory)].shaped:
        return
    owned = next((o for o in walker.owned if o.layer is layer.call), None)
    named = owned is not None and bool(owned.inner) and UNTOLD not in owned.inner
    if layer.same is None and not named and _nested(walker, layer.factory):
        return
    if layer.same is None and not named and not _parts(walker, layer.factory):
        raise Blocked(found.call, f"`{layer.factory.name}` makes more than layers with names")
    own = walker.entered[id(layer.factory)].owned
    if len({o.layer is None and o.cell is None for o in own}) < 2:
        collections.reached(walker, layer.factory)
    elif not _parts(walker, layer.factory):
        raise Blocked(found.call, "a Saver of variables and layers of one function")
    else:
        walker.kept.setdefault("saved parts", set()).add(id(layer.factory))


def _nested(walker: Walker, factory: ast.FunctionDef) -> bool:
    """Whether all that a function makes are layers and what such functions give, each once.

    Their names in TF 1 needn't be seen: what it returns has them in a list.
    """
    region, known = walker.entered[id(factory)], walker.kept.setdefault(NESTED, set())
    nodes = set(map(id, walk(factory)))
    made = [la for la in walker.layers.values() if id(la.call) in nodes and la.same is None]
    inner = [la.factory for la in made if la.factory is not None]
    inner = [f for f in inner if not walker.entered[id(f)].shaped]
    plain = [o for o in region.owned if o.layer is None or UNTOLD in o.inner]
    if any(o.ref or o.cell or o.looped or o.when for o in plain) or len(plain) > len(inner):
        return False
    for step in region.steps:
        for la in made:
            if any(isinstance(n, BLOCKS) for n in repeated.chain(step.node, la.call) or ()):
                return False
    if len(inner) == sum(la.factory is not None for la in made) and not plain:
        return False  # as others are saved
    if not all(_nested(walker, f) or _only_layers(walker, f) for f in inner):
        return False
    known.add(id(factory))
    return True


def _only_layers(walker: Walker, factory: ast.FunctionDef) -> bool:
    """Whether a function only makes layers of Keras's, which it gives in a list."""
    own = walker.entered[id(factory)].owned
    plain = bool(own) and all(o.layer is not None and not o.when and not o.looped for o in own)
    if plain:
        collections.reached(walker, factory)
    return plain


def _parts(walker: Walker, factory: ast.FunctionDef) -> bool:
    """Whether all that a function makes is its own layers, cells and variables with names."""
    for entry in walker.entered[id(factory)].owned:
        if entry.looped is not None or entry.when is not None:
            return False
        if entry.layer is not None:
            layer = walker.layers.get(id(entry.layer))
            if layer is None or layer.factory is not None:
                return False
        elif entry.cell is not None:
            if not recurrent_runs.stays(walker, entry.cell, factory):
                return False
        elif not entry.ref or entry.path is None:
            return False
    return True


def _source(walker: Walker, symbol: Symbol, owner: str, found: Saver) -> str:
    if symbol.attribute:
        return f"{owner or 'self'}.{symbol.name}"
    if symbol.step.function in (walker.frame.node, walker.module_frame().node):
        return symbol.name
    region = symbol.step.region
    if region is not None and isinstance(region.node, ast.ClassDef):  # it is to be an attribute
        unseen = walker.kept.setdefault("unseen", [])
        unseen.append((symbol.step.node, symbol.step.function, symbol.name))
        return f"{owner or 'self'}.{symbol.name}"
    raise Blocked(found.call, f"`{symbol.name}` isn't seen where the Saver is made")


def _listed(walker: Walker, found: Saver, node: ast.expr) -> None:
    """The variables of a list or a dict."""
    sink = walker.sink
    walker.sink = inner = type(sink)(-1, sink.node, Kind.HOST)
    value = walker.expression(node)
    walker.sink = sink
    if value.data == VARIABLES:
        _late(walker, found, node, value)
        return
    sink.uses.update(inner.uses)
    sink.hosts |= inner.hosts
    if isinstance(value.data, Restored):
        found.restored = value.data, node
        return
    if value.kind is not Kind.VARIABLE:
        raise Blocked(node, f"a Saver is given {described(value)}")
    if isinstance(node, (ast.List, ast.Tuple)):
        pairs = []
        for item in node.elts:
            if not isinstance(item, (ast.Name, ast.Attribute)):
                raise Blocked(item, "a variable in a Saver's list has no name")
            pairs.append((ast.unparse(item).rpartition(".")[2], ast.unparse(item)))
            found.values[ast.unparse(item)] = walker.expression(item)
        found.variables = _keyed(pairs)
    elif isinstance(node, ast.Dict) and all(isinstance(k, ast.Constant) for k in node.keys):
        found.variables = [
            (str(k.value), ast.unparse(v))
            for k, v in zip(node.keys, node.values, strict=True)
            if isinstance(k, ast.Constant)
        ]
        # The dict's keys are the checkpoint's names.
        found.values = {
            ast.unparse(v): Value(Kind.VARIABLE, path=str(k.value))
            for k, v in zip(node.keys, node.values, strict=True)
            if isinstance(k, ast.Constant)
        }
    elif key := collections.scope_of(walker, node):
        found.collected = key, node
    elif isinstance(node, (ast.Name, ast.Attribute)):
        made = value.symbol.step.node if value.symbol is not None else None
        key = collections.scope_of(walker, getattr(made, "value", None))
        found.variables = [(key or ast.unparse(node).rpartition(".")[2], ast.unparse(node))]
        found.values[ast.unparse(node)] = value
    else:
        _late(walker, found, node, value)


def _late(walker: Walker, found: Saver, node: ast.expr, value: Value) -> None:
    """A list with variables of layers: these are saved as the layers that they are."""
    made = value.symbol.step.node if value.symbol is not None else None
    entries = walker.listed.get(id(node)) or walker.listed.get(id(getattr(made, "value", None)))
    if not entries:
        raise Blocked(node, "the variables of a Saver aren't seen")
    pairs = []
    for entry in entries:
        layer = walker.layers.get(id(entry.layer))
        if entry.layer is None and entry.ref is not None:
            pairs.append((re.findall(r"\w+", entry.ref)[-1], entry.ref))
            if entry.value is not None:
                found.values[entry.ref] = entry.value
            continue
        if layer is None:
            raise Blocked(node, "a Saver is given variables of recurrent cells")
        if _untrained(walker, layer):
            raise Blocked(node, "a Saver of what is trained of a layer, which has more")
        if layer.factory is not None:
            _of_function(walker, found, layer)
        found.layers.append(layer)
    found.variables = _keyed(pairs)


def _untrained(walker: Walker, layer: Layer) -> bool:
    """Whether a layer, or one of those that a function makes, has variables that aren't trained."""
    inside = [layer]
    if layer.factory is not None:
        inside += [w for n in walk(layer.factory) if (w := walker.layers.get(id(n)))]
    return any(
        "trainable" in one.given or (one.norm is not None and not one.norm.kind) for one in inside
    )


def _keyed(pairs: object) -> list[tuple[str, str]]:
    """Pairs whose keys are names of their own."""
    out: dict[str, str] = {}
    for key, source in pairs:  # type: ignore[attr-defined]
        name, count = key.rpartition(".")[2], 1
        wish = name
        while wish in out and out[wish] != source:
            count += 1
            wish = f"{name}_{count}"
        out[wish] = source
    return list(out.items())


__all__ = ["Save", "Saver", "meaning"]
