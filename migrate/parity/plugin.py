"""pytest plugin: ``@pytest.mark.parity(before, after, …)`` and the ``parity`` fixture.

    @pytest.mark.parity("old/train.py", "new/train.py", rtol=1e-4, steps=50, devices=["cpu"])
    def test_train(parity):
        parity.check()

Registered as ``migrate_parity`` by the entry point ``pytest11``. Nothing is imported but pytest
until a test asks for the fixture.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from migrate.parity.bundle import Bundle
    from migrate.parity.verdict import Result

MARK = (
    "parity(before, after, *, args=(), before_args=None, after_args=None, golden=None, rtol=None, "
    "steps=None, devices=('cpu',), names=None, ignore=(), timeout=600, tf1_python=None, "
    "tf2_python=None): compare a program on TensorFlow 1.15.5 with its migration on 2.x"
)
KNOWN = {
    "args", "before_args", "after_args", "golden", "rtol", "steps", "devices", "names", "ignore",
    "timeout", "tf1_python", "tf2_python",
}  # fmt: skip


class Comparer:
    """What the fixture gives: ``check()`` compares and fails the test, ``run()`` only compares."""

    def __init__(self, device: str, root: Path, before: str, after: str, **values: Any) -> None:
        unknown = sorted(set(values) - KNOWN)
        if unknown:
            raise pytest.UsageError(f"parity: unknown arguments {', '.join(unknown)}; {MARK}")
        self.device = device
        self.root = root
        self.before = before
        self.after = after
        self.values = values

    def run(self) -> Result:
        """Record the original (or read ``golden``) and climb the ladder.

        Skips the test if no Python with TensorFlow 1.15 or no such device is in reach.
        """
        from migrate.parity import bundle
        from migrate.parity.environment import find_tf1, find_tf2
        from migrate.parity.errors import ParityError
        from migrate.parity.harness import Harness, Options
        from migrate.parity.tolerances import Tolerances

        values = self.values
        try:
            tf1 = find_tf1(values.get("tf1_python"))
            tf2 = find_tf2(values.get("tf2_python"))
        except ParityError as error:
            pytest.fail(str(error), pytrace=False)
        base = Options()
        options = replace(
            base,
            limits=replace(base.limits, seconds=float(values.get("timeout", 600))),
            steps=values.get("steps"),
            tolerances=Tolerances().with_rtol(values.get("rtol")),
            names=dict(values.get("names") or {}),
            ignore=tuple(values.get("ignore", ())),
        )
        golden = values.get("golden")
        if golden is None and tf1 is None:
            pytest.skip(
                "no Python with TensorFlow 1.15 is known: set MIGRATE_TF1_PYTHON, run "
                "`migrate parity setup`, or give a golden bundle"
            )
        first, second = tf1.path if tf1 else None, tf2.path
        found: Bundle
        if golden is not None:
            found = bundle.read(self.root / golden)
        else:
            with Harness(options, tf1=first, tf2=second) as harness:
                found = harness.record(self._program("before"))
        with Harness(replace(options, device=self.device), tf1=first, tf2=second) as harness:
            missing = harness.missing_device()
            if missing is not None:
                pytest.skip(missing)
            return harness.verify(found, self._program("after"), before=self.before)

    def _program(self, side: str) -> Any:
        from migrate.parity.harness import Program

        target = self.before if side == "before" else self.after
        given = self.values.get(f"{side}_args")
        arguments = self.values.get("args", ()) if given is None else given
        path = self.root / target
        return Program(str(path) if path.is_file() else target, tuple(arguments))

    def check(self) -> Result:
        """Fail the test, with the whole report, unless the programs agree."""
        from migrate.parity import report
        from migrate.parity.verdict import AGREE

        result = self.run()
        if result.verdict != AGREE:
            pytest.fail(report.text([result]), pytrace=False)
        return result


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line("markers", MARK)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each device of the mark."""
    mark = metafunc.definition.get_closest_marker("parity")
    if mark is not None and "parity" in metafunc.fixturenames:
        devices = list(mark.kwargs.get("devices", ("cpu",)))
        metafunc.parametrize("parity", devices, indirect=True)


@pytest.fixture
def parity(request: pytest.FixtureRequest) -> Comparer:
    """The comparison that the test's ``parity`` mark describes, on one device."""
    mark = request.node.get_closest_marker("parity")
    if mark is None or len(mark.args) != 2:
        received = "no mark" if mark is None else f"{len(mark.args)} positional arguments"
        raise pytest.UsageError(f"The fixture needs @pytest.mark.{MARK}. Received: {received}.")
    device = getattr(request, "param", "cpu")
    return Comparer(device, request.path.parent, *mark.args, **mark.kwargs)
