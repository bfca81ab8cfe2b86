"""What holds for all tests."""

from __future__ import annotations

import os

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Importing TF 2 sets this for every child; TF 1.15 that finds it behaves as TF 2 does."""
    os.environ.pop("TF2_BEHAVIOR", None)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first, in the order that chance gave them: no core waits for a late one."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
