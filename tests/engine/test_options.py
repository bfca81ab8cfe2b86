"""Which rules run where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from migrate.engine.options import Options, path_matches


@pytest.mark.parametrize(
    ("options", "on", "off"),
    [
        (Options(), ["TFM101", "TFM900"], []),
        (Options(select=("TFM2",)), ["TFM204"], ["TFM101"]),
        (Options(select=("TFM2",), extend_select=("TFM101",)), ["TFM204", "TFM101"], ["TFM102"]),
        (Options(ignore=("TFM2",)), ["TFM101"], ["TFM204"]),
        (Options(select=("TFM204",), ignore=("TFM2",)), ["TFM204"], ["TFM203", "TFM101"]),
        (Options(select=("TFM2",), ignore=("TFM204",)), ["TFM203"], ["TFM204"]),
        (Options(select=("TFM204",), ignore=("TFM204",)), [], ["TFM204"]),
        (Options(select=("TFM",), ignore=("TFM",)), [], ["TFM204"]),
    ],
)
def test_the_longest_prefix_decides_and_ignore_wins_a_tie(
    options: Options, on: list[str], off: list[str]
) -> None:
    assert [rule for rule in on if not options.enabled(rule)] == []
    assert [rule for rule in off if options.enabled(rule)] == []


def test_per_file_ignores_hold_for_their_files_only() -> None:
    options = Options(per_file_ignores=(("tests/**", ("TFM2",)), ("*_old.py", ("TFM",))))
    assert not options.enabled_for("tests/a/b.py", "TFM204")
    assert options.enabled_for("tests/a/b.py", "TFM101")
    assert options.enabled_for("src/tests.py", "TFM204")
    assert not options.enabled_for("src/net_old.py", "TFM101")
    assert not replace(options, select=("TFM1",)).enabled_for("src/a.py", "TFM204")


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a/b.py", True),
        ("*.py", "a.pyc", False),
        ("tests", "src/tests/a.py", True),
        ("tests/", "tests/a.py", True),
        ("/tests", "src/tests/a.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**/*.py", "src/a/b/c.py", True),
        ("src/**/*.py", "src/c.py", True),
        ("./src", "src/c.py", True),
        ("**/gen_?.py", "x/gen_1.py", True),
        ("gen_[0-9].py", "gen_1.py", True),
        ("gen_[!0-9].py", "gen_1.py", False),
        ("a+b.py", "a+b.py", True),
        ("[odd", "[odd", True),
    ],
)
def test_globs(pattern: str, path: str, fits: bool) -> None:
    assert path_matches(path, pattern) is fits


def test_the_digest_tells_what_changes_results_from_what_does_not() -> None:
    plain = Options().digest()
    assert Options(jobs=4, cache=False, root="/x").digest() == plain
    changed = [
        Options(level="compat"),
        Options(to="keras"),
        Options(select=("TFM1",)),
        Options(extend_select=("TFM1",)),
        Options(ignore=("TFM1",)),
        Options(unsafe=True),
        Options(per_file_ignores=(("a", ("TFM",)),)),
    ]
    assert len({plain, *(options.digest() for options in changed)}) == len(changed) + 1
