"""Golden checkpoints of TF 1.15.5, and the command as a function."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from migrate.cli import cli

GOLDEN = Path(__file__).resolve().parents[2] / "fixtures" / "checkpoints" / "golden"
STATES = {"mlp": "model.ckpt-3"}


def golden(name: str) -> str:
    """A golden checkpoint."""
    return str(GOLDEN / name)


def io_of(name: str) -> dict[str, np.ndarray]:
    """What the program of a golden checkpoint took and gave."""
    with np.load(GOLDEN / name / "io.npz", allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Call ``migrate checkpoint`` in this process."""

    def call(*words: object, code: int | None = 0) -> Result:
        result = CliRunner().invoke(cli, ["checkpoint", *map(str, words)])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        if code is not None:
            assert result.exit_code == code, result.output
        return result

    return call


@pytest.fixture(scope="session")
def described() -> Iterator[Callable[[str, str, str], dict[str, Any]]]:
    """What the model's process writes down, made in this one: TensorFlow starts once."""
    import keras

    from migrate.checkpoints import model_child

    kept: dict[tuple[str, str], str] = {}
    with tempfile.TemporaryDirectory() as root:

        def describe(spec: str, format_: str, folder: str) -> dict[str, Any]:
            if (spec, format_) not in kept:
                keras.backend.clear_session()
                here = os.path.join(root, str(len(kept)))
                os.mkdir(here)
                thing = model_child.made(spec)
                if format_ == "tf2":
                    found = model_child.object_target(thing, here)
                else:
                    found = model_child.keras_target(thing, format_, here)
                Path(here, "target.json").write_text(json.dumps(found))
                kept[spec, format_] = here
            shutil.copytree(kept[spec, format_], folder, dirs_exist_ok=True)
            found = json.loads(Path(folder, "target.json").read_text())
            found["template"] = os.path.join(folder, os.path.basename(found["template"]))
            return found

        yield describe


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch, described: Any) -> None:
    """Models are made in this process."""
    from migrate.checkpoints import targets

    monkeypatch.setattr(targets, "described", described)
