"""The custom loop under every strategy on CPUs gives what one device gives, for the same batch."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import strategy_losses as strategies

pytestmark = [pytest.mark.tf2, pytest.mark.slow]
#: They need no JAX: the extra stands for a machine with time for them. `mirrored` runs anywhere.
many_processes = pytest.mark.skipif(
    importlib.util.find_spec("libtpu") is None,
    reason="up to five processes with TensorFlow: run where the extra `tpu` is installed",
)
MODES = [
    pytest.param(mode, marks=() if mode == "mirrored" else many_processes)
    for mode in strategies.MODES if mode != "single"
]  # fmt: skip


def losses(mode: str, folder: Path) -> dict[str, list[float]]:
    out = folder / f"{mode}.json"
    variables = {**os.environ, "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": ""}
    subprocess.run(
        [sys.executable, strategies.__file__, mode, str(out)],
        env=variables, check=True, timeout=300, capture_output=True,
    )  # fmt: skip
    found: dict[str, list[float]] = json.loads(out.read_text())
    return found


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    return losses("single", tmp_path_factory.mktemp("single"))


@pytest.mark.parametrize("mode", MODES)
def test_a_strategy_gives_what_one_device_gives(
    mode: str, single: dict[str, list[float]], tmp_path: Path
) -> None:
    found = losses(mode, tmp_path)
    assert "v1" in found
    for kind, values in found.items():
        assert values == pytest.approx(single[kind], rel=2e-6)
        assert len(values) == strategies.STEPS
    # The control: no two steps have the same loss, so another order or batch would show.
    assert len({round(value, 5) for value in single["v1"]}) == strategies.STEPS
