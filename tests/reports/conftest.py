"""A report with one of everything, some of it hostile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from migrate.engine.findings import Applicability, FileResult, Finding, Level
from migrate.reports import Report, RuleInfo

EVIL = "\x1b[2J\x07evil\r\n::error::<b>&\"'\u202e%"
BEFORE = b"import tensorflow as tf\nx = tf.log(1)\ny = tf.layers.dense(x, 1)\n"
AFTER = b"import tensorflow as tf\nx = tf.math.log(1)\ny = tf.layers.dense(x, 1)\n"


@dataclass(frozen=True)
class FakeRule:
    id: str
    name: str
    summary: str = "an endpoint with another name"
    family: str = "renames"
    doc: str = "TFM101 renamed: it is so.\n\nBecause <of> this.\n"
    url: str = "https://www.tensorflow.org/guide/migrate"
    applicability: Applicability = Applicability.SAFE
    since: str = "0.1"


RULES: Mapping[str, RuleInfo] = {
    "TFM101": FakeRule("TFM101", "renamed-endpoint"),
    "TFM601": FakeRule("TFM601", "lost-layers", applicability=Applicability.MANUAL),
}


def results() -> list[FileResult]:
    """One file of each kind."""
    return [
        FileResult(
            "src/a.py",
            "changed",
            Level.NATIVE,
            fixed=[
                Finding(
                    "src/a.py", 2, 5, "TFM101", "tf.log is tf.math.log", "tf.log",
                    Applicability.SAFE, "tf.math.log", 2, 11,
                )
            ],
            left=[
                Finding("src/a.py", 3, 5, "TFM601", "tf.layers.dense is lost", "tf.layers.dense"),
                Finding("src/a.py", 1, 1, "TFM101", "kept", applicability=Applicability.INFO),
            ],
            before=BEFORE,
            after=AFTER,
        ),
        FileResult(
            "n.ipynb",
            left=[
                Finding(
                    "n.ipynb", 4, 2, "TFM101", "maybe", None, Applicability.UNSAFE, "this", cell=3
                )
            ],
        ),
        FileResult("od\x1bd,na:me.py", left=[Finding("x", 1, 1, "TFM777", EVIL, EVIL, fix=EVIL)]),
        FileResult("broken.py", "failed", reason="does not parse: line 3" + EVIL),
        FileResult("skipped.py", "skipped", reason="`# migrate: skip-file`"),
        FileResult("clean.py"),
    ]  # fmt: skip


@pytest.fixture
def make() -> Callable[..., Report]:
    """Build a report; keywords replace its fields."""

    def build(command: str = "check", **fields: object) -> Report:
        given = {"results": results(), "root": "/work/x", "rules": lambda: RULES, **fields}
        return Report(command, **given)  # type: ignore[arg-type]

    return build


@pytest.fixture
def fake_rule() -> type[FakeRule]:
    """A rule that needs no engine."""
    return FakeRule
