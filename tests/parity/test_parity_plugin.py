"""The pytest plugin."""

from __future__ import annotations

import pytest
from parity_matrix import FIXTURES

pytest_plugins = ["pytester"]
OPTIONS = ("-p", "migrate.parity.plugin", "-p", "no:cacheprovider", "-p", "no:randomly")
HEAD = f"""
import pytest
FIXTURES = {str(FIXTURES)!r}
GOLDEN = FIXTURES + "/golden/inference"
BEFORE, AFTER = FIXTURES + "/before/inference.py", FIXTURES + "/after/inference_native.py"
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> object:
    """Run the text of a test module with the plugin, in a process of its own."""
    monkeypatch.setenv("PYTHONPATH", str(FIXTURES.parents[1]))

    def call(text: str) -> pytest.RunResult:
        pytester.makepyfile(HEAD + text)
        installed = "migrate_parity" in {
            entry.name
            for entry in __import__("importlib.metadata").metadata.entry_points(group="pytest11")
        }
        options = OPTIONS[2:] if installed else OPTIONS
        return pytester.runpytest_subprocess(*options, "-rs")

    return call


@pytest.mark.tf2
def test_agreement_passes_and_a_difference_fails_with_the_report(run) -> None:  # type: ignore[no-untyped-def]
    result = run("""
@pytest.mark.parity(BEFORE, AFTER, golden=GOLDEN, args=["agree"])
def test_good(parity):
    assert parity.check().verdict == "agree"

@pytest.mark.parity(BEFORE, AFTER, golden=GOLDEN, args=["pixel"])
def test_bad(parity):
    parity.check()

@pytest.mark.parity(BEFORE, AFTER, golden=GOLDEN, args=["pixel"], devices=["cpu", "tpu"])
def test_run_only_compares(parity):
    assert parity.run().failed.name == "outputs"
""")
    result.assert_outcomes(passed=2, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["*edges.pgm*values differ*", "*SKIPPED*no TPU in reach*"])


def test_mistakes_in_the_mark_are_usage_errors(run) -> None:  # type: ignore[no-untyped-def]
    result = run("""
@pytest.mark.parity(BEFORE)
def test_one(parity):
    parity.check()

def test_none(parity):
    parity.check()

@pytest.mark.parity(BEFORE, AFTER, tolerance=3)
def test_unknown(parity):
    parity.check()
""")
    assert result.ret != 0
    result.stdout.fnmatch_lines(
        ["*Received: 1 positional*", "*Received: no mark*", "*unknown arguments tolerance*"]
    )


def test_mark_is_declared(run) -> None:  # type: ignore[no-untyped-def]
    result = run("""
@pytest.mark.parity(BEFORE, AFTER)
def test_without_the_fixture():
    pass
""")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*PytestUnknownMarkWarning*")
