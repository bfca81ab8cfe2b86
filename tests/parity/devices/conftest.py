"""Small programs of two kinds, and their steps, taken once for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from device_programs import SESSION, Taker, program

from migrate.parity.devices import steps
from migrate.parity.devices.steps import Steps
from migrate.parity.environment import find_tf2
from migrate.parity.errors import ParityError
from migrate.parity.harness import Harness, Options, Program


@pytest.fixture(scope="session")
def device_harness() -> Iterator[Harness]:
    """One process that has imported TensorFlow 2."""
    try:
        found = find_tf2()
    except ParityError as error:
        pytest.skip(str(error))
    with Harness(Options(witness=False), tf2=found.path) as made:
        yield made


@pytest.fixture(scope="session")
def taker(device_harness: Harness, tmp_path_factory: pytest.TempPathFactory) -> Taker:
    """Takes the steps out of a program's text; each text once."""
    known: dict[str, Steps] = {}
    root: Path = tmp_path_factory.mktemp("devices")

    def take(name: str, text: str) -> Steps:
        if name not in known:
            folder = root / name
            folder.mkdir()
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
            target = Program(str(folder / f"{name}.py"))
            known[name] = steps.of_migrated(device_harness, target, root / f"{name}-steps")
        return known[name]

    return take


@pytest.fixture(scope="session")
def good(taker: Taker) -> Steps:
    return taker("good", program())


@pytest.fixture(scope="session")
def session_steps(taker: Taker) -> Steps:
    return taker("session", SESSION)


@pytest.fixture(scope="session")
def lacking(taker: Taker) -> Steps:
    return taker("lacking", program(extra="loss += tf.math.segment_sum(y[:, 0], [0] * 8)[0]"))
