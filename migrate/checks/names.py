"""TFM106 star-import: `from tensorflow… import *` hides which endpoints are used.

Names that can't be resolved are reported and left alone: star imports (TFM106), a name bound to
TensorFlow and to something else in one scope (TFM107), `getattr(tf, name)` with a computed name
(TFM108), and assignments into TensorFlow's modules (TFM109).
"""

from __future__ import annotations

from collections.abc import Iterator

from migrate.engine.findings import Applicability
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext

STAR = Rule(
    "TFM106",
    "star-import",
    "a star import from TensorFlow",
    module=__name__,
    doc=__doc__,
    applicability=Applicability.MANUAL,
)
AMBIGUOUS = Rule(
    "TFM107",
    "ambiguous-name",
    "a name bound to TensorFlow and to something else in one scope",
    module=__name__,
    doc=__doc__,
    applicability=Applicability.MANUAL,
)
COMPUTED = Rule(
    "TFM108",
    "computed-name",
    "getattr() on TensorFlow with a name computed at run time",
    module=__name__,
    doc=__doc__,
    applicability=Applicability.MANUAL,
)
PATCHED = Rule(
    "TFM109",
    "patched-module",
    "an assignment into TensorFlow's modules",
    module=__name__,
    doc=__doc__,
    applicability=Applicability.MANUAL,
)
KINDS = {"star": STAR, "ambiguous": AMBIGUOUS, "computed": COMPUTED, "escape": PATCHED}


@STAR.file
def problems(file: FileContext) -> Iterator[Result]:
    """What the resolution of names could not decide."""
    for problem in file.names.problems:
        yield KINDS[problem.kind].report(
            problem.node, problem.message, blocks=problem.kind != "computed"
        )
