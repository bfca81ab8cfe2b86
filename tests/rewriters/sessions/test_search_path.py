"""Modules in folders that a program puts on `sys.path`."""

from __future__ import annotations

import textwrap

import pytest

from migrate.engine.findings import Level
from migrate.programs.search_path import Known, beside
from tests.rewriters.sessions.test_files import MODEL, RUN, after, run


def test_a_module_in_a_folder_that_the_program_puts_on_its_path_is_found() -> None:
    found = run(
        lib__model=MODEL,
        train=f"import sys\n\nsys.path.append('lib')\n{textwrap.dedent(RUN).lstrip()}",
    )
    assert {r.level for r in found.values()} == {Level.NATIVE}
    assert "TensorSpec" in after(found["lib__model".replace("__", "/")])


def test_a_module_that_two_folders_have_is_not_guessed() -> None:
    found = run(
        lib__model=MODEL,
        old__model=MODEL,
        train=f"import sys\n\nsys.path.append('lib')\n{textwrap.dedent(RUN).lstrip()}",
    )
    assert found["train"].level is Level.COMPAT


@pytest.mark.parametrize(
    ("module", "folder"),
    [
        ("trainer.task", "lib"),  # a package in a folder
        ("trainer", "lib"),
        ("task", None),  # a package's own module isn't found by its last name
        ("utils", None),  # two folders have one
        ("numpy", None),  # installed
        ("queue", None),  # Python's
    ],
)
def test_the_one_folder_that_has_a_module(module: str, folder: str | None) -> None:
    known = Known(
        [
            "lib/trainer/__init__.py",
            "lib/trainer/task.py",
            "a/utils.py",
            "b/utils.py",
            "old/numpy.py",
            "old/queue.py",
        ]
    )
    assert known.folder_of(module) == folder


def test_a_path_counts_for_files_beside_it_and_below() -> None:
    assert beside("tools/train.py", {"tools"})
    assert beside("tools/more/train.py", {"tools"})
    assert beside("tools/train.py", {""})
    assert not beside("train.py", {"tools"})
