"""TFM301 lost-contrib: a `tf.contrib` endpoint that TF 2.21 no longer has.

`tf.contrib` went in TF 2.0. What has no home in TF 2.21 is reported with the reason and the best
alternative; what `migrate.tf1_shim` gives back is imported from there.
"""

from __future__ import annotations

import ast
import re

from migrate.engine.findings import Applicability, Level
from migrate.engine.imports import remove_statement
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters import own_hparams, tutorials_reader
from migrate.symbols import shims
from migrate.symbols.outcomes import Gone, Shim

CONTRIB = Rule(
    "TFM301",
    "lost-contrib",
    "a tf.contrib endpoint that TF 2.21 has lost",
    module=__name__,
    doc=__doc__,
)
ESTIMATOR = Rule(
    "TFM501", "lost-estimator", "tf.estimator, removed in TF 2.16", module=__name__, doc=__doc__
)
LAYERS = Rule(
    "TFM601",
    "lost-layers",
    "tf.layers and rnn_cell, removed with Keras 3",
    module=__name__,
    doc=__doc__,
)
TUTORIALS = Rule(
    "TFM701",
    "lost-tutorials",
    "the tutorials' data readers, removed in TF 2.0",
    module=__name__,
    doc=__doc__,
)
GONE = Rule(
    "TFM104",
    "removed-endpoint",
    "an endpoint that TF 2.21 has lost",
    module=__name__,
    doc=__doc__,
    applicability=Applicability.MANUAL,
)
UNKNOWN = Rule(
    "TFM105",
    "unknown-endpoint",
    "a name that neither TF 1.15.5 nor TF 2.21 has",
    module=__name__,
    doc=__doc__,
    applicability=Applicability.MANUAL,
)
# What older releases had in contrib, and what TF 1.15.5 calls it.
MOVED = {
    f"tensorflow.contrib.estimator.{name}": f"tensorflow.estimator.experimental.{name}"
    for name in (
        *(f"stop_if_{kind}_hook" for kind in ("higher", "lower", "no_decrease", "no_increase")),
        *("make_early_stopping_hook", "InMemoryEvaluatorHook"),
    )
}


def family(endpoint: str) -> Rule:
    """The rule for a lost endpoint."""
    if endpoint.startswith("tensorflow.contrib"):
        return CONTRIB
    if endpoint.startswith(("tensorflow.estimator", "tensorflow.keras.estimator")):
        return ESTIMATOR
    if endpoint.startswith(("tensorflow.layers", "tensorflow.nn.rnn_cell")):
        return LAYERS
    if endpoint.startswith(("tensorflow.examples", "tensorflow.models")):
        return TUTORIALS
    return GONE


@GONE.outcome(Shim, Level.NATIVE)
@GONE.outcome(Shim, Level.COMPAT)
def shim(site: Site) -> Result | None:
    """From the shim where the graph stays; a program that has none is kept at compat for it."""
    assert site.record is not None
    assert isinstance(site.record.outcome, Shim)
    unread = _unread(site)
    if unread is not None:
        return unread
    outcome = site.record.outcome
    back = given_back(site, outcome.reason, outcome.native)
    if back is None:
        back = tutorials_reader.given(site, family(site.endpoint))
    if back is None:
        back = own_hparams.given(site, family(site.endpoint))
    if back is not None:
        return back
    result = _reported(site, outcome.reason, outcome.native)
    result.blocks = True
    return result


@GONE.outcome(Gone, Level.NATIVE)
@GONE.outcome(Gone, Level.COMPAT)
def gone(site: Site) -> Result | None:
    """Lost for good, or so the tables say; a shim may have it all the same."""
    assert site.record is not None
    assert isinstance(site.record.outcome, Gone)
    unread = _unread(site)
    if unread is not None:
        return unread
    outcome = site.record.outcome
    back = given_back(site, outcome.reason, outcome.alternative)
    return back or _reported(site, outcome.reason, outcome.alternative)


def _unread(site: Site) -> Result | None:
    """``tfe = tf.contrib.eager`` whose name a notebook never says again: no file imports that."""
    stmt, file = site.ref.stmt, site.file
    if site.level is not Level.NATIVE or not file.tf1 or not isinstance(stmt, ast.Assign):
        return None
    if stmt.value is not site.node or len(stmt.targets) != 1 or stmt not in file.tree.body:
        return None
    target = stmt.targets[0]
    if not isinstance(target, ast.Name) or not file.path.endswith(".ipynb"):
        return None
    if len(re.findall(rf"\b{re.escape(target.id)}\b", file.text)) > 1:
        return None
    result = site.result(
        family(site.endpoint),
        f"{site.shown} is gone, and nothing reads `{target.id}`",
        fix="taken away",
        edits=[remove_statement(file, stmt)],
        drops=True,
    )
    result.applicability = Applicability.SAFE
    return result


def given_back(site: Site, reason: str, native: str) -> Result | None:
    """The same from a shim, where one has it and the file is to have it from there."""
    home = shims.home(site.endpoint)
    # Code for TF 2 that uses `tf.estimator` or `tf.compat.v1.layers` has them from the shim, and
    # stays as it is otherwise.
    settled = site.level is Level.COMPAT or site.spelled_v1 or not site.file.tf1
    if home is None or not settled:
        return None
    edits, imports, drops = site.rename(home)
    instead = f"; in TF 2: {native}" if native else ""
    result = site.result(
        family(site.endpoint),
        f"{site.shown} is gone: {reason}; {home} gives it back{instead}",
        fix=home,
        edits=edits,
        imports=imports,
        drops=drops,
    )
    result.applicability = Applicability.SAFE
    return result


@CONTRIB.compat(
    "tensorflow.contrib.summary.all_summary_ops", "tensorflow.contrib.summary.initialize"
)
def written(site: Site) -> Result | None:
    """Those of tf.compat.v1 know nothing of the shim's writers."""
    return given_back(site, "tf.contrib was removed in TF 2.0", "")


def _reported(site: Site, reason: str, native: str) -> Result:
    instead = f"; instead: {native}" if native else ""
    return site.result(family(site.endpoint), f"{site.shown} is gone: {reason}{instead}")


@UNKNOWN.endpoint("?")
def unknown(site: Site) -> Result | None:
    """Neither version has it, or 1.15.5 has it under another name."""
    home = shims.home(MOVED.get(site.ref.name, ""))
    if home is not None and site.level is Level.COMPAT:
        edits, imports, drops = site.rename(home)
        result = site.result(
            CONTRIB,
            f"{site.ref.name} is of an older release than TF 1.15.5; {home} is what it became",
            fix=home,
            edits=edits,
            imports=imports,
            drops=drops,
        )
        result.applicability = Applicability.SAFE
        return result
    if not site.file.tf1 and site.ref.name.startswith("tensorflow.python."):
        return None  # code for TF 2 may name private modules that TF 1 hadn't
    return site.result(
        UNKNOWN,
        f"{site.ref.name} is neither in TF 1.15.5 nor in TF 2.21: a name of an older release, "
        f"of another package or a misspelling",
    )
