"""One process per TensorFlow for all tests of the harness."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from parity_matrix import FIXTURES

from migrate.parity.environment import Interpreter, find_tf1, find_tf2
from migrate.parity.errors import ParityError
from migrate.parity.harness import Harness, Options


@pytest.fixture(scope="session")
def tf1() -> Interpreter:
    found = find_tf1()
    if found is None:
        pytest.skip("no Python with TensorFlow 1.15: set MIGRATE_TF1_PYTHON")
    return found


@pytest.fixture(scope="session")
def tf2() -> Interpreter:
    try:
        return find_tf2()
    except ParityError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def harness(tf2: Interpreter) -> Iterator[Harness]:
    """Verifies on TensorFlow 2; checkpoints go back to TensorFlow 1 where it is found."""
    found = find_tf1()
    with Harness(Options(witness=False), tf1=found.path if found else None, tf2=tf2.path) as made:
        yield made


@pytest.fixture(scope="session")
def recorder(tf1: Interpreter) -> Iterator[Harness]:
    """Records on TensorFlow 1.15.5."""
    with Harness(Options(), tf1=tf1.path) as made:
        yield made


@pytest.fixture
def fixtures() -> Path:
    return FIXTURES
