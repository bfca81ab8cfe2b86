"""What a file is and what each of its places becomes at a level.

`survey` says what the file tells about its program (graph, eager, TF 1 or TF 2); `plan` asks the
rules about every place. Both are pure; nothing is written and nothing is imported from the file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from migrate import symbols
from migrate.engine import private_keras
from migrate.engine import rule as rules
from migrate.engine.findings import Level
from migrate.engine.names import Reference
from migrate.engine.rule import Result
from migrate.engine.site import V1, FileContext, MethodSite, Site
from migrate.engine.trees import walk
from migrate.symbols import shims
from migrate.symbols.outcomes import Arguments, Behaviour, CompatV1, Gone, Record, Same, Shim

TENSORFLOW = ("tensorflow", "tensorflow_core", "tensorflow_estimator")
PRIVATE = ("tensorflow.python.", "tensorflow.core.", "tensorflow.tools.", "tensorflow.lite.python.")
# Private modules still have these; they are TF 2's own old Keras, and warn or fail.
ESTIMATOR_V2 = "tensorflow.compat.v2.estimator."
RAISES = ("tensorflow.layers.", "tensorflow.nn.rnn_cell.", "tensorflow.contrib.rnn.LayerRNNCell")
EAGER = frozenset(
    {
        "tensorflow.enable_eager_execution",
        "tensorflow.enable_v2_behavior",
        "tensorflow.contrib.eager.enable_eager_execution",
    }
)
RESETS = "tensorflow.reset_default_graph"
# Methods that only TF 1 has, and what they need.
METHODS = {
    "make_one_shot_iterator": "tensorflow.data.make_one_shot_iterator",
    "make_initializable_iterator": "tensorflow.data.make_initializable_iterator",
    "test_session": "tensorflow.Session",  # of tf.test.TestCase
}
# tf_upgrade_v2 leaves these in files whose other names have become TF 2's.
UNCHANGED = ("tensorflow.contrib.", "tensorflow.examples.")
# TF 2 had these up to 2.15.
UNTIL_KERAS_3 = (
    *("tensorflow.estimator", "tensorflow.keras.", "tensorflow.python.estimator."),
    *("tensorflow.losses.Reduction", "tensorflow.python.keras."),
    # By these names Keras's functions, which take the same two arguments.
    *("tensorflow.losses.mean_squared_error", "tensorflow.metrics.mean_squared_error"),
    "tensorflow.metrics.mean_absolute_error",
)
# TensorFlow's version, and not that of Keras, whose 2.x there was for TF 1.
ASSERTS = re.compile(
    r"(?m)^ *assert (?:tf|tensorflow)\.(?:__version__|version\.VERSION)"
    r"(?:\.startswith\(| *>=? *)[\"']2"
)
MODERN = frozenset({"tensorflow.function", "tensorflow.GradientTape"})
SWITCHES = frozenset({"tensorflow.disable_v2_behavior", "tensorflow.disable_eager_execution"})


@dataclass(slots=True, eq=False, repr=False)
class Place:
    """A reference, read as an endpoint of TF 1.15.5."""

    ref: Reference
    endpoint: str = ""  # "" where it is none
    tail: tuple[str, ...] = ()
    record: Record | None = None
    v1: bool = False  # spelled through compat.v1
    private: bool = False  # spelled through a private module that TF 2.21 has lost
    status: str = "endpoint"  # or: tf2, unknown, private, module


@dataclass(slots=True, eq=False, repr=False)
class Survey:
    """What a file says about the program that it belongs to."""

    places: list[Place] = field(default_factory=list)
    graph: Place | None = None  # the first place that needs a graph
    eager: bool = False  # switches eager execution on
    keras: bool = False  # compiles Keras models, and nothing else in it needs a graph
    switched: bool = False  # switches v2 behaviour off by itself
    tf1: Place | None = None  # the first place that TF 2.21's tf.* has no name for
    late: bool = False  # TF 2 had that too, up to Keras 3
    tf2: bool = False  # names that TF 1.15.5 doesn't have
    modern: bool = False  # names that are of use without a graph only
    asserts: bool = False  # that TensorFlow is 2
    uses: bool = False  # uses TensorFlow at all


def _split(name: str) -> tuple[str, tuple[str, ...]] | None:
    return symbols.split(name)


_KNOWN: dict[str, tuple[Any, ...]] = {}  # what a name is, whatever refers to it


def read(ref: Reference) -> Place:
    """Read a reference as an endpoint; a call that only TF 2 takes is TF 2's."""
    place = by_name(ref)
    if place.record is not None and place.status == "endpoint" and _of_tf2(place, place.record):
        return Place(ref, place.endpoint, status="tf2")
    return place


def by_name(ref: Reference) -> Place:
    """Read a reference as an endpoint, however it is called."""
    known = _KNOWN.get(ref.name)
    if known is None:
        if len(_KNOWN) > 20_000:
            _KNOWN.clear()
        place = _read(ref)
        known = (
            place.endpoint,
            place.tail,
            place.record,
            place.v1,
            place.private,
            place.status,
        )
        _KNOWN[ref.name] = known
    return Place(ref, *known)


def _of_tf2(place: Place, record: Record) -> bool:
    """Whether a call is one that only TF 2 takes: `tf.saved_model.load(folder)`."""
    call = place.ref.call
    if call is None or place.tail or place.v1:
        return False
    if not isinstance(record.outcome, (CompatV1, Behaviour, Arguments)):
        return False
    keywords = tuple(k.arg for k in call.keywords if k.arg is not None)
    starred = any(isinstance(arg, ast.Starred) for arg in call.args)
    if starred or len(keywords) < len(call.keywords):
        return False
    return _fits_tf2(place.endpoint, len(call.args), keywords)


@lru_cache(maxsize=4096)  # most calls of a program are alike
def _fits_tf2(endpoint: str, count: int, keywords: tuple[str, ...]) -> bool:
    """Whether such a call of an endpoint is one of TF 2, and none of TF 1."""
    old, new = symbols.signature(endpoint), symbols.signature_2(endpoint)
    if old is None or new is None or old.fits(count, keywords):
        return False
    return new.fits(count, keywords)


CONTRIB_SUMMARY = "tensorflow.contrib.summary"
CONTRIB_PREPROCESSING = "tensorflow.contrib.keras.preprocessing."


def canonical(name: str) -> str:
    """A name of a package that TensorFlow is made of as TensorFlow's: ``tensorflow.python...``."""
    for package in TENSORFLOW[1:]:
        if name == package or name.startswith(f"{package}."):
            name = "tensorflow" + name.removeprefix(package)
    while name.startswith("tensorflow.compat.v2.compat."):  # compat.v2 is tf itself
        name = "tensorflow." + name.removeprefix("tensorflow.compat.v2.")
    if name == f"{CONTRIB_SUMMARY}.summary" or name.startswith(f"{CONTRIB_SUMMARY}.summary."):
        name = CONTRIB_SUMMARY + name.removeprefix(f"{CONTRIB_SUMMARY}.summary")  # all it is
    if name.startswith(CONTRIB_PREPROCESSING):  # Keras's own, which the dump doesn't list there
        name = name.replace(".contrib.", ".", 1)
    return name


def _read(ref: Reference) -> Place:
    name = ref.name
    name = canonical(name)
    v1 = False
    while name.startswith(f"{V1}."):
        name, v1 = "tensorflow." + name.removeprefix(f"{V1}."), True
    if name.startswith(ESTIMATOR_V2):
        return _helper(ref, name) or Place(ref, name, status="unknown")
    if name.startswith("tensorflow.compat.v2.") or name in ("tensorflow", V1):
        return Place(ref, status="tf2" if name.startswith("tensorflow.compat.v2") else "module")
    private = name.startswith(PRIVATE) or (".python." in name and ".contrib." in name)
    if private:
        return _private(ref, name)
    if ".__" in name:
        return _dunder(ref, name, v1)
    found = _split(name)
    if found is None:
        if symbols.resolves(name) or (v1 and symbols.resolves(ref.name)):
            return Place(ref, status="tf2", v1=v1)
        if symbols.private_status(name) != "unknown" or _helper(ref, name) is not None:
            return _private(ref, name)
        return Place(ref, name, status="unknown", v1=v1)
    endpoint, tail = found
    return Place(ref, endpoint, tail, symbols.outcome(endpoint), v1)


def _dunder(ref: Reference, name: str, v1: bool) -> Place:
    """`tf.__version__`, `tf.contrib.rnn.__dict__`: what matters is whether the module is lost."""
    base, _, rest = name.partition(".__")
    record = symbols.outcome(base)
    if record is None or (record.compat != "lost" and symbols.resolves(base)):
        return Place(ref, status="module")
    return Place(ref, base, tuple(f"__{rest}".split(".")), record, v1)


def _private(ref: Reference, name: str) -> Place:
    status = symbols.private_status(name)
    public = symbols.public(name)
    if public is None:
        helper = _helper(ref, name)
        if helper is not None:
            return helper
    if status == "same path" and not (public or "").startswith(RAISES):
        found = _split(public) if public else None
        record = symbols.outcome(found[0]) if found else None
        return Place(ref, found[0] if found else "", (), record, status="private")
    if public is not None:
        found = _split(public)
        if found is not None:
            tail = found[1]
            return Place(ref, found[0], tail, symbols.outcome(found[0]), private=True)
    if status == "unknown" and symbols.resolves(name):
        return Place(ref, status="tf2")
    return Place(ref, name, status="unknown", private=True)


def _helper(ref: Reference, name: str) -> Place | None:
    """A name of a module that never was public, which a shim has."""
    module = next((m for m in shims.MODULES if name.startswith(m + ".")), None)
    if module is None:
        return None
    first, *tail = name.removeprefix(module + ".").split(".")
    endpoint = f"{module}.{first}"
    home = shims.home(endpoint)
    if home is None:
        return None
    why = "was removed in TF 2.0" if "contrib" in module else "is no public module"
    if name.startswith(ESTIMATOR_V2):
        why = "was removed in TF 2.16"
    outcome = Shim(home.rpartition(".")[0], f"{module.replace('tensorflow', 'tf', 1)} {why}")
    record = Record(endpoint, outcome, graph=True, compat="lost", kind="function")
    return Place(ref, endpoint, tuple(tail), record, private=True)


def survey(file: FileContext) -> Survey:
    """Read every reference of a file and what they say about its program."""
    found = Survey()
    asked = _asked(file)
    late: Place | None = None  # what TF 2 has lost as well: no sign of TF 1 in code for TF 2
    for ref in file.names.references:
        if ref.name.partition(".")[0] not in TENSORFLOW:
            continue
        found.uses = True
        if ref.guarded:
            continue
        place = read(ref)
        found.places.append(place)
        record = place.record
        if place.endpoint in EAGER and ref.call is not None:
            found.eager = True
        if place.endpoint in SWITCHES:
            found.switched = True
        if place.status == "tf2":
            found.tf2 = True
        if place.endpoint in MODERN and not place.v1:
            found.modern = True
        if record is None:
            if place.status == "unknown" and found.tf1 is None:
                # A name of TF 0.x that a rule knows.
                found.tf1 = place if rules.handler_for(place.endpoint) else None
            continue
        if asked and any(id(n) in asked for n in walk(ref.node)):
            continue  # where TF 2 lacks it, the program does without
        if record.graph and found.graph is None and record.kind != "module":
            if place.endpoint != RESETS:  # does nothing where there is no graph
                found.graph = place
        if found.tf1 is None and _tf1_only(place, record):
            if not place.endpoint.startswith(UNTIL_KERAS_3):
                found.tf1 = place
            elif late is None:
                late = place
    if found.tf1 is None and not (found.tf2 or any(place.v1 for place in found.places)):
        found.tf1, found.late = late, late is not None
    _methods(file, found)
    found.keras = not found.eager and _compiles_keras(file, found)
    found.asserts = ASSERTS.search(file.text) is not None
    return found


def _asked(file: FileContext) -> set[int]:
    """The places of names that `hasattr` has been asked for: `if hasattr(tf, "div"): tf.div`."""
    if "hasattr(" not in file.text:
        return set()
    found: set[int] = set()
    for branch in walk(file.tree):
        if isinstance(branch, (ast.If, ast.IfExp)):
            names = set(_tested(branch.test))
            attributes = (n for n in walk(branch) if names and isinstance(n, ast.Attribute))
            found |= {id(n) for n in attributes if ast.unparse(n) in names}
    return found


def _tested(test: ast.expr) -> Iterator[str]:
    for n in walk(test):
        if isinstance(n, ast.Call) and ast.unparse(n.func) == "hasattr" and len(n.args) == 2:
            of, name = n.args
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield f"{ast.unparse(of)}.{name.value}"


def _compiles_keras(file: FileContext, found: Survey) -> bool:
    """Whether Keras is to train: TF 1 did it in a session of its own, Keras 3 without a graph.

    Of what needs a graph only the optimizer that a model is compiled with may be here.
    """
    if not any(place.endpoint.startswith("tensorflow.keras.") for place in found.places):
        return False
    compiled = [u.node.value for u in file.names.methods if u.node.attr == "compile" and u.call]
    imported = {
        alias.asname or alias.name
        for stmt in file.tree.body
        if isinstance(stmt, ast.Import)
        for alias in stmt.names
    }
    # `re.compile` compiles no model.
    if all(isinstance(value, ast.Name) and value.id in imported for value in compiled):
        return False
    return all(
        place.record is None
        or place.record.kind == "module"
        or not (place.record.graph or isinstance(place.record.outcome, (Gone, Shim)))
        or (place.endpoint.startswith("tensorflow.train.") and place.endpoint.endswith("Optimizer"))
        or place.endpoint == RESETS
        for place in found.places
    ) and not any(place.v1 for place in found.places)


def _tf1_only(place: Place, record: Record) -> bool:
    """Whether TF 2.21's ``tf.*`` has no such name or doesn't take it so."""
    if place.v1:
        return False
    if isinstance(record.outcome, (CompatV1, Shim, Gone)) and (
        place.status == "endpoint" or (place.status == "private" and record.graph)
    ):
        # `tensorflow.python.framework.smart_cond` is there, whatever became of contrib's name.
        return (
            isinstance(record.outcome, CompatV1)
            or place.status == "endpoint"
            or symbols.private_status(canonical(place.ref.name)) != "same path"
        )
    return place.status == "endpoint" and (
        not symbols.resolves(place.endpoint) or _old_keyword(place)
    )


def of_tf1(places: Iterable[Place]) -> bool:
    """Whether a file's ``tf.*`` is TF 1's, whatever it takes from compat.v1 beside it."""
    places = list(places)
    return not any(place.status == "tf2" for place in places) and any(
        place.record is not None
        and place.status == "endpoint"
        and not place.ref.guarded
        and not place.endpoint.startswith((*UNTIL_KERAS_3, *UNCHANGED))
        and _tf1_only(place, place.record)
        for place in places
    )


def _methods(file: FileContext, found: Survey) -> None:
    """`dataset.make_one_shot_iterator()`: only TF 1's datasets have it, and a session reads it."""
    if not found.places or any(place.v1 for place in found.places):
        return
    for use in file.names.methods:
        if use.node.attr not in METHODS or use.call is None:
            continue
        if any(getattr(node, "name", "") == use.node.attr for node in walk(file.tree)):
            continue
        endpoint = METHODS[use.node.attr]
        root = ast.Name(id="", ctx=ast.Load())
        ref = Reference(endpoint, use.node, root, use.scope, (), use.stmt, use.call, use.call)
        place = Place(ref, endpoint, (), symbols.outcome(endpoint))
        found.tf1 = found.tf1 or place
        found.graph = found.graph or place
        return


def _old_keyword(place: Place) -> bool:
    """Whether a call has an argument that only TF 1 takes: `tf.nn.dropout(x, keep_prob=.5)`."""
    call = place.ref.call
    record = place.record
    if call is None or place.tail or not call.keywords or record is None:
        return False
    if not isinstance(record.outcome, (Arguments, Behaviour)):
        return False
    v1 = V1 + place.endpoint.removeprefix("tensorflow")
    return any(
        k.arg is not None
        and not symbols.resolves(place.endpoint, k.arg)
        and symbols.resolves(v1, k.arg)
        for k in call.keywords
    )


def plan(file: FileContext, found: Survey) -> list[Result]:
    """Ask the rules about every place of a file at its level."""
    rules.load()
    results: list[Result] = []
    file.used.clear()
    for place in found.places:
        result = _judge(file, place)
        if result is not None:
            results.append(result)
    for ref in file.names.references:
        if ref.name.partition(".")[0] not in TENSORFLOW and not ref.guarded:
            found_handler = rules.handler_for(ref.name)
            if found_handler is not None:
                result = found_handler[1](Site(file, ref, ref.name, None))
                if result is not None:
                    results.append(result)
    for use in file.names.methods:
        for _, handler in rules.methods().get(use.node.attr, ()):
            result = handler(MethodSite(file, use))
            if result is not None:
                results.append(result)
    file.results = results
    for _, file_handler in rules.file_handlers():
        results.extend(list(file_handler(file)))
    results.sort(key=_position)
    return results


def _position(result: Result) -> tuple[int, int]:
    node = result.node
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _of_keras_3(place: Place) -> Place:
    """The place of what TF 2.21's private Keras has, by its public name."""
    found = _split(private_keras.public(canonical(place.ref.name)) or "")
    if found is None:
        return place
    return Place(place.ref, found[0], found[1], symbols.outcome(found[0]), private=True)


def _judge(file: FileContext, place: Place) -> Result | None:
    old = place.status == "private" or place.endpoint.startswith("tensorflow.contrib.keras.")
    if old and private_keras.moves(file, place.ref.binding):
        place = _of_keras_3(place)
    if place.status in ("tf2", "module", "private"):
        return None
    if place.ref.literal is None:
        beyond = _length(place.ref.node) - len(place.tail)
        if beyond < 0:
            return None  # an alias of an attribute: judged where it is assigned
        if beyond == 0 and place.ref.binding.kind == "alias":
            # `conv = slim.conv2d; conv(x)`: the assignment is judged; a use only where it is
            # called and the call itself may have to change.
            if place.ref.call is None or place.tail or not _changes_calls(place.record):
                return None
    site = Site(file, place.ref, place.endpoint, place.record, place.tail)
    if place.status == "unknown":
        handler = None if place.v1 else rules.handler_for(place.endpoint)
        handler = handler or rules.handler_for("?")
        return handler[1](site) if handler else None
    record = place.record
    assert record is not None
    if place.v1:
        # compat.v1 code that works is left alone.
        if record.compat == "lost":
            return _ask(site, Level.COMPAT)
        return None
    if not file.tf1 and isinstance(record.outcome, (Same, Behaviour)):
        # Nothing says that this is TF 1: the author may mean what TF 2 does.
        own = rules.handler_for(place.endpoint)
        if own is None or not own[0].everywhere:
            return None
    return _ask(site, file.level)


def _changes_calls(record: Record | None) -> bool:
    return record is not None and isinstance(record.outcome, (Arguments, Behaviour, CompatV1))


def _length(node: ast.expr) -> int:
    length = 0
    while isinstance(node, ast.Attribute):
        node, length = node.value, length + 1
    return length


def _ask(site: Site, level: Level) -> Result | None:
    assert site.record is not None
    found = None
    if level is Level.NATIVE:
        found = rules.handler_for(site.endpoint)
    else:
        found = rules.compat_handler_for(site.endpoint)
    if found is None:
        found = rules.handler_of(site.record.outcome, level)
    result = found[1](site) if found is not None else None
    named = site.ref.name.startswith("tensorflow.contrib.")
    if result is None and named and not site.endpoint.startswith("tensorflow.contrib."):
        # Nothing changes but the name, which isn't the endpoint's own.
        found = rules.handler_of(Same(), level)
        result = found[1](site) if found is not None else None
    return result


def blockers(results: list[Result]) -> list[Result]:
    """The results that keep a program from its level."""
    return [r for r in results if r.blocks]


def inside(node: ast.AST, span: tuple[int, int]) -> bool:
    """Whether a node begins in a span of lines."""
    line = getattr(node, "lineno", 0)
    return span[0] <= line <= span[1]
