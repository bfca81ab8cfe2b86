"""Names, signatures and defaults are those of tf.estimator 1.15.5, or the name is not there."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from migrate import symbols
from migrate.estimator_shim import _gone
from migrate.symbols import shims

ROOT = Path(__file__).resolve().parents[2]
SHIM = ROOT / "migrate" / "estimator_shim"
RECORDED = ROOT / "fixtures" / "estimator_shim" / "surface_1_15.json"

#: TF 2.21's own classes took an argument more.
MORE = {"CheckpointSaverHook": ["save_graph_def=True"]}

#: What of tf.estimator 1.15.5 is not implemented yet.
NOT_YET = {
    "tpu.experimental.EmbeddingConfigSpec",
}

MODULES = {
    "": "__init__",
    "experimental": "experimental",
    "export": "export",
    "inputs": "inputs",
    "tpu": "tpu",
}


def listed(module: str) -> list[str]:
    """The literal ``__all__`` of a module, read as the codemod reads it."""
    path = SHIM / f"{module}.py"
    path = path if path.exists() else SHIM / module / "__init__.py"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    raise AssertionError(f"{path} has no __all__")


def original() -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return recorded


def test_all_lists_exactly_what_is_implemented() -> None:
    names = set(original())
    has = {
        f"{space}.{name}".lstrip(".")
        for space, module in MODULES.items()
        for name in listed(module)
        if name not in MODULES
    }
    assert has == names - NOT_YET


@pytest.mark.parametrize("module", sorted(MODULES.values()))
def test_all_is_sorted(module: str) -> None:
    assert listed(module) == sorted(listed(module))


@pytest.mark.tf2
def test_signatures(tf2_python: str, tmp_path: Path) -> None:
    script = ROOT / "scripts" / "dump_estimator_surface.py"
    out = tmp_path / "shim.json"
    subprocess.run([tf2_python, str(script), str(out)], check=True, capture_output=True)
    found = json.loads(out.read_text(encoding="utf-8"))
    for name, record in original().items():
        if name in NOT_YET:
            assert name not in found
            continue
        if name in MORE:
            record["args"] += MORE[name]
        assert found[name] == record, name


@pytest.mark.tf1
def test_the_dump_is_that_of_1_15(tf1_python: str, tmp_path: Path) -> None:
    script = ROOT / "scripts" / "dump_estimator_surface.py"
    out = tmp_path / "original.json"
    subprocess.run([tf1_python, str(script), str(out)], check=True, capture_output=True)
    assert json.loads(out.read_text(encoding="utf-8")) == original()


def test_import_is_light() -> None:
    code = (
        "import sys; from migrate import estimator_shim as e; e.inputs; e.export; e.keras; "
        "assert dir(e); heavy = ('tensorflow', 'keras', 'numpy'); "
        "print(any(m.startswith(heavy) for m in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nonsense", "docs/estimator_shim.md"),
    ],
)
def test_what_is_not_there_says_what_to_do(name: str, says: str) -> None:
    from migrate import estimator_shim

    with pytest.raises(AttributeError, match=f"tf.estimator.{name}") as caught:
        getattr(estimator_shim, name)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("module", "name", "says"),
    [
        ("contrib.learn", "read_batch_features", "tf.data"),
        ("contrib.learn", "run_n", "session"),
        ("contrib.learn.io", "dask_io", "compute()"),
        ("contrib.learn.utils", "export_estimator", "export_savedmodel"),
        ("contrib.tpu", "infeed_dequeue", "TPUStrategy"),
        ("tpu", "experimental", "embedding"),
    ],
)
def test_what_is_gone_says_what_instead(module: str, name: str, says: str) -> None:
    found = importlib.import_module(f"migrate.estimator_shim.{module}")
    assert name not in found.__all__
    with pytest.raises(AttributeError, match=f"tf.*{name}: ") as caught:
        getattr(found, name)
    assert says in str(caught.value)


def test_gone_names_are_endpoints_that_no_shim_has() -> None:
    for name in _gone.GONE:
        endpoint = name.replace("tf", "tensorflow", 1)
        assert symbols.is_endpoint(endpoint), name
        assert shims.home(endpoint) is None, name


#: Members of contrib.learn's classes that are not here: session bundles, scikit-learn's and private
#: helpers; and those that take more than in 1.15.5.
CONTRIB_MEMBERS = {"export", "export_savedmodel", "export_with_defaults", "get_params", "head_name"}
CONTRIB_MEMBERS |= {"set_params", "uid"}
CONTRIB_MORE = {"CHIEF", "EVALUATOR", "evaluate", "every_n_step_end", "fit", "predict"}
CONTRIB_ARGS = {"contrib.learn.Head", "contrib.learn.preprocessing.ByteProcessor"}

#: TF 2.21's own functions, which took more arguments.
LONGER = {"batch_parallel", "bfloat16_scope", "initialize_system", "replicate", "rewrite", "shard"}
LONGER = {f"contrib.tpu.{name}" for name in LONGER}


@pytest.mark.tf2
def test_signatures_of_contrib(tf2_python: str, tmp_path: Path) -> None:
    """Names of contrib that are here have the arguments of 1.15.5."""
    script = ROOT / "scripts" / "dump_estimator_surface.py"
    out = tmp_path / "contrib.json"
    subprocess.run([tf2_python, str(script), str(out), "contrib"], check=True, capture_output=True)
    found = json.loads(out.read_text(encoding="utf-8"))
    recorded = json.loads((RECORDED.parent / "surface_contrib_1_15.json").read_text("utf-8"))
    assert len(found) >= 100
    for name, record in found.items():
        old = recorded[name]
        if name in CONTRIB_ARGS:
            continue
        args = record.get("args")
        if name in LONGER:
            args = args[: len(old["args"])]
        assert args == old.get("args"), name
        for member in set(record.get("members") or {}) ^ set(old.get("members") or {}):
            assert member in CONTRIB_MEMBERS | CONTRIB_MORE, f"{name}.{member}"


@pytest.mark.tf1
def test_the_dump_of_contrib_is_that_of_1_15(tf1_python: str, tmp_path: Path) -> None:
    script = ROOT / "scripts" / "dump_estimator_surface.py"
    out = tmp_path / "contrib.json"
    subprocess.run([tf1_python, str(script), str(out), "contrib"], check=True, capture_output=True)
    recorded = RECORDED.parent / "surface_contrib_1_15.json"
    assert out.read_text(encoding="utf-8") == recorded.read_text(encoding="utf-8")
