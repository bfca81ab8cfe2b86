"""TFM102 compat-v1-endpoint: the endpoint lives on under `tf.compat.v1` only.

A program that keeps its graph imports `tensorflow.compat.v1` under the name that it had for
`tensorflow`, and switches v2 behaviour off: every endpoint that TF 2.21 still has there works as
it did. In a program without a graph the few endpoints that have no other home are written
`tf.compat.v1.x`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrate import symbols
from migrate.engine.calls import Unbound
from migrate.engine.findings import Applicability, Level
from migrate.engine.hints import is_hint
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, FileContext, Site
from migrate.rewriters import lost
from migrate.rewriters.arguments import change_to
from migrate.rewriters.keras_arguments import keras_call
from migrate.symbols.eager import eager_safe
from migrate.symbols.outcomes import Arguments, Behaviour, CompatV1, Renamed, Same

COMPAT = Rule(
    "TFM102",
    "compat-v1-endpoint",
    "an endpoint that TF 2.21 has under tf.compat.v1 only",
    module=__name__,
    doc=__doc__,
)
DRIFT = Rule(
    "TFM103",
    "compat-v1-drift",
    "a call that tf.compat.v1 of TF 2.21 takes differently from TF 1.15",
    module=__name__,
    doc=__doc__,
    applicability=Applicability.MANUAL,
)
GRAPH = Rule(
    "TFM401",
    "graph-mode",
    "an endpoint that needs a graph, a session or TF1 collections",
    module=__name__,
    doc=__doc__,
    applicability=Applicability.MANUAL,
)
SWITCH = Rule(
    "TFM402",
    "eager-by-default",
    "a graph program that doesn't switch v2 behaviour off",
    module=__name__,
    doc=__doc__,
)
CHANGED = Rule(
    "TFM110",
    "changed-behaviour",
    "an endpoint that TF 2 has under the same name with another meaning",
    module=__name__,
    doc=__doc__,
    applicability=Applicability.MANUAL,
)


@COMPAT.outcome(CompatV1, Level.NATIVE)
def native(site: Site) -> Result | None:
    """Without a graph ``tf.compat.v1.x`` does what ``tf.x`` did."""
    assert site.record is not None
    assert isinstance(site.record.outcome, CompatV1)
    outcome = site.record.outcome
    if not site.file.tf1 and site.endpoint.startswith("tensorflow.estimator."):
        back = lost.given_back(site, outcome.reason, "")  # `tf.estimator.LoggingTensorHook`
        if back is not None:
            return back
    if site.record.graph and not (site.file.eager and eager_safe(site.record)):
        return site.result(GRAPH, f"{site.shown} needs a graph: {outcome.reason}", blocks=True)
    if not site.file.tf1:
        return None
    return site.renamed_result(
        COMPAT, outcome.target, f"{site.shown} is only in tf.compat.v1: {outcome.reason}"
    )


@CHANGED.outcome(Behaviour, Level.NATIVE)
def changed(site: Site) -> Result | None:
    """No rewriter knows how to keep its numbers: the program stays at compat."""
    assert site.record is not None
    assert isinstance(site.record.outcome, Behaviour)
    if site.endpoint.startswith("tensorflow.keras."):
        # Keras is Keras 3 at both levels: to keep the graph would keep none of its numbers.
        return keras_call(site)
    if is_hint(site.file.tree, site.node):
        return None  # nothing is asked of it
    return site.result(CHANGED, f"{site.shown}: {site.record.outcome.note}", blocks=True)


@COMPAT.file
def starred(file: FileContext) -> Iterator[Result]:
    """A file that asks nothing of compat.v1 gives its `tf` to those that import all it has."""
    if file.level is not Level.COMPAT or not file.starred or "__all__" in file.text:
        return
    if any(result.switch for result in file.results):
        return
    for name, bindings in file.names.module.bindings.items():
        for binding in bindings:
            if binding.kind != "import" or binding.target != "tensorflow" or name[0] == "_":
                continue
            if binding.stmt is not None:
                message = f"other files of the program take `{name}` from here by a star import"
                result = COMPAT.fixed(binding.stmt, message, "tensorflow.compat.v1", [])
                result.switch = True
                yield result


@COMPAT.outcome(Same, Level.COMPAT)
@COMPAT.outcome(Renamed, Level.COMPAT)
@COMPAT.outcome(Arguments, Level.COMPAT)
@COMPAT.outcome(Behaviour, Level.COMPAT)
@COMPAT.outcome(CompatV1, Level.COMPAT)
def compat(site: Site) -> Result | None:
    """Right as it stands once the file's TensorFlow is compat.v1."""
    record = site.record
    assert record is not None
    if record.compat == "lost":
        return _moved(site)
    if symbols.tf2_only(site.ref.name):
        return None  # a method that only TF 2's class has
    if site.endpoint.startswith("tensorflow.keras."):
        result = keras_call(site)
        own = isinstance(record.outcome, Arguments) and record.target == site.endpoint
        if result is None and isinstance(record.outcome, Arguments) and own:
            result = change_to(site, record.outcome, site.endpoint)
        if result is not None:
            result.switch = bool(result.edits)
            return result
        if own:
            return None
    if record.compat == "drift":
        why = _drifts(site)
        if why:
            return site.result(DRIFT, f"{site.shown} under tf.compat.v1 of TF 2.21: {why}")
    if isinstance(record.outcome, Arguments) and record.target == site.endpoint:
        if change_to(site, record.outcome, site.endpoint) is None:
            return None  # this very call means the same in TF 2
    v1 = V1 + site.endpoint.removeprefix("tensorflow")
    if not site.ref.name.startswith(("tensorflow.python.", "tensorflow.contrib.")):
        if isinstance(record.outcome, Same) and site.ref.literal is None:
            return None
        result = site.result(
            COMPAT, f"{site.shown} is kept on tf.compat.v1", fix="tf.compat.v1" + site.shown[2:]
        )
        result.switch = True
        return result
    edits, imports, drops = site.rename(v1)
    result = site.result(
        COMPAT,
        f"{site.ref.name} is gone; it is {site.shown}",
        fix="tf.compat.v1" + site.shown[2:],
        edits=edits,
        imports=imports,
        drops=drops,
    )
    result.switch = True
    return result


def _moved(site: Site) -> Result | None:
    """Gone from compat.v1, but TF 2.21 has it elsewhere: contrib's names of core endpoints."""
    assert site.record is not None
    outcome = site.record.outcome
    target = site.record.target
    assert target is not None
    home = _home(target)
    if isinstance(outcome, Arguments):
        result = change_to(site, outcome, home)
    else:
        result = site.renamed_result(COMPAT, home)
    if result is not None:
        result.switch = True
        result.blocks = False
    return result


def _home(target: str) -> str:
    """A TF 2 name as compat.v1 spells it: the TF1 object where 1.15.5 had the same name."""
    if target.startswith(f"{V1}."):
        return target
    rest = target.removeprefix("tensorflow.")
    return f"{V1}.{rest}" if symbols.resolves(f"{V1}.{rest}") else f"{V1}.compat.v2.{rest}"


def _drifts(site: Site) -> str:
    """Why this very call means something else under 2.21's compat.v1; "" if it doesn't."""
    assert site.record is not None
    if site.call is None:
        return ""
    new = symbols.signature_2(V1 + site.endpoint.removeprefix("tensorflow"))
    if new is None:
        return ""
    try:
        call = site.bind()
    except Unbound:
        return ""
    place = 0
    for name, arg in call.args.items():
        if arg.keyword is None:
            if place >= len(new.positional) or new.positional[place] != name:
                return site.record.drift
            place += 1
        elif not new.takes(arg.keyword):
            return site.record.drift
    return ""
