"""What holds for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Importing TF 2 sets this for every child; TF 1.15 that finds it behaves as TF 2 does."""
    os.environ.pop("TF2_BEHAVIOR", None)


#: What shares a process with TensorFlow, or one upgrade of many programs: a worker of xdist each.
TOGETHER = (
    "test_native.py", "test_keras.py", "checkpoints/", "parity/devices/", "parity/",
    "symbols/test_same_values.py",
)  # fmt: skip


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Groups; slow tests first, in the order that chance gave: no core waits for a late one."""
    for item in items:
        path = item.path.relative_to(HERE).as_posix() if item.path.is_relative_to(HERE) else ""
        group = next((name for name in TOGETHER if path.startswith(name)), None)
        if group and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group.rstrip("/")))
    yield
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
