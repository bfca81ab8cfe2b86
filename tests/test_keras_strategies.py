"""Estimators with strategies: `--to keras` prints what TF 1.15.5 does, on replicas of two CPUs.

`python scripts/record_strategy_goldens.py` records 1.15.5, --snapshots writes after.py.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from migrate.parity import compare

ROOT = Path(__file__).resolve().parent.parent


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


record = _load(ROOT / "scripts" / "record_strategy_goldens.py")
CASES = record.cases()
needs_tf2 = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)
#: Imports TensorFlow once, and forks for each program before a device is there.
RUNS = """
import json, os, runpy, sys
import tensorflow as tf

for script, folder in json.loads(sys.argv[1]):
    process = os.fork()
    if not process:
        os.makedirs(folder)
        os.chdir(folder)
        sys.stdout = open("said.txt", "w")
        sys.argv[1:] = []
        runpy.run_path(script, run_name="__main__")
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0, script
"""
#: No TPU is here: two CPUs stand for its cores.
TWO_CORES = """
import sys, runpy
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)

class Cores(tf.distribute.MirroredStrategy):
    def __init__(self, resolver):
        assert resolver.tpu == "here"
        super().__init__(["/cpu:0", "/cpu:1"])

class Resolver:
    def __init__(self, tpu, zone=None):
        self.tpu = tpu

tf.config.experimental_connect_to_cluster = lambda resolver: None
tf.tpu.experimental.initialize_tpu_system = lambda resolver: print("TPU", resolver.tpu)
tf.distribute.TPUStrategy = Cores
tf.distribute.cluster_resolver.TPUClusterResolver = Resolver
script = sys.argv.pop(1)
for arguments in ([], ["--use_tpu", "--tpu_name", "here"]):
    sys.argv[1:] = arguments
    tf.keras.utils.set_random_seed(1)
    runpy.run_path(script, run_name="__main__")
"""


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every program after one run of the command."""
    found: dict[str, str] = record.upgraded(CASES, tmp_path_factory.mktemp("strategies"))
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_strategy_is_the_scope_of_a_keras_model(case: Path, after: dict[str, str]) -> None:
    assert after[case.name] == (case / "after.py").read_text(encoding="utf-8")
    assert "tf.estimator" not in after[case.name]


@pytest.mark.tf2
@needs_tf2
def test_replicas_have_the_numbers_of_tf_1_15(tmp_path: Path) -> None:
    jobs = [(str(case / "after.py"), str(tmp_path / case.name)) for case in CASES]
    environment = {k: v for k, v in os.environ.items() if k != "TF_CONFIG"}
    done = subprocess.run(
        [sys.executable, "-c", RUNS, json.dumps(jobs)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    for case in CASES:
        digest, _, golden = (case / "golden.txt").read_text(encoding="utf-8").partition("\n")
        assert digest == record.digest(case), f"{case.name} is recorded of another program"
        said = (tmp_path / case.name / "said.txt").read_text(encoding="utf-8")
        # Ten times what the furthest number is apart, which is printed to five digits.
        found = compare.texts(case.name, golden, said, 2e-4)
        assert found.difference is None, f"{found.difference}\n{said}"


@pytest.mark.tf2
@needs_tf2
def test_cores_of_a_tpu_share_what_one_device_does(tmp_path: Path) -> None:
    script = ROOT / "fixtures" / "keras" / "cluster_flags" / "after.py"
    environment = {k: v for k, v in os.environ.items() if k != "TF_CONFIG"}
    done = subprocess.run(
        [sys.executable, "-c", TWO_CORES, script],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    one, _, cores = done.stdout.partition("TPU here\n")
    assert "accuracy" in one
    assert compare.texts("printed text", one, cores, 1e-4).difference is None, done.stdout
