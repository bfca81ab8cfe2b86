"""Programs around a session: what `migrate upgrade` makes of them, and that the numbers stay.

The cases lie in fixtures/native, a folder each: before.py, case.toml (what it covers, the level
that it has to reach), golden (what TF 1.15.5 did under the parity recorder) and, where the level
is native, after.py. A case with ``pending = true`` doesn't reach its level yet; the key goes as
soon as it does. `python scripts/record_native_goldens.py` records; --snapshots writes after.py.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from migrate.parity import bundle
from migrate.parity.environment import find_tf1
from migrate.parity.harness import Harness, Options, Program
from migrate.parity.verdict import AGREE

ROOT = Path(__file__).resolve().parent.parent
#: Nothing that a program of TF 2 has a use for.
LEFT_BEHIND = re.compile(
    r"compat|migrate|(?:sparse_)?placeholder(?:_with_default)?|\w*Session\w*|Supervisor|start_queue_runners|get_variable"
    r"|variable_scope|(?:global|local)_variables_initializer"
)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


verifying = _load(ROOT / "scripts" / "verify_native_goldens.py")
goldens = verifying.native
CASES = goldens.cases()
NATIVE = [case for case in CASES if case.level == "native"]
COMPAT = [case for case in CASES if case.level == "compat"]
#: Those that run again although nothing of them changed, on TF 1.15.5 and on TF 2.21: CI has time
#: for some; MIGRATE_ALL_GOLDENS=1 asks for all.
EVERYTHING = bool(os.environ.get("MIGRATE_ALL_GOLDENS"))
AGAIN = CASES if EVERYTHING else CASES[::8]
SAMPLE = {case.name for case in (NATIVE if EVERYTHING else NATIVE[::8])}

needs_tf2 = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)
needs_tf1 = pytest.mark.skipif(
    goldens.find_tf1() is None, reason="no TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON"
)


def params(cases: list[Any]) -> list[Any]:
    """A parameter for each case; one that is pending has to fail."""
    pending = pytest.mark.xfail(strict=True, reason="pending = true in case.toml")
    return [
        pytest.param(case, id=case.name, marks=[pending] if case.pending else []) for case in cases
    ]


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every case after one run of the command."""
    found: dict[str, Any] = goldens.upgrade(CASES, tmp_path_factory.mktemp("native"))
    return found


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    """One process that has imported TensorFlow 2.21 and forks for each program.

    TensorFlow 1.15, where there is one, only reads checkpoints back.
    """
    tf1 = find_tf1()
    with Harness(Options(), tf1=tf1.path if tf1 else None, tf2=sys.executable) as made:
        yield made


def code(path: Path) -> str:
    """A script, or the code of a notebook's cells without their magics."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return re.sub(r"(?m)^[%!].*$", "", "\n".join("".join(cell["source"]) for cell in cells))


def identifiers(source: str) -> set[str]:
    """Every name that code uses: comments and strings don't count."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.update(node.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            found.update((node.module or "").split("."))
        elif isinstance(node, ast.keyword):
            found.add(node.arg or "")
    return found


@pytest.mark.tf2
@needs_tf2
@pytest.mark.parametrize("case", params(NATIVE))
def test_a_session_program_becomes_tf2_code(
    case: Any, upgraded: dict[str, Any], harness: Harness
) -> None:
    done = upgraded[case.name]
    assert done.level == "native", "\n".join(map(" -> ".join, done.reasons))
    files = list(done.files())
    for path, _ in files:
        left = sorted(filter(LEFT_BEHIND.fullmatch, identifiers(code(path))))
        assert left == [], path.read_text(encoding="utf-8")
    if case.pending or case.name in SAMPLE or not verifying.agreed(case):
        verifying.verify(harness, done)
    if not case.pending:  # a snapshot is kept from the day that it is right
        for path, kept in files:
            assert path.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")


def tf_upgrade_v2(path: Path) -> None:
    """What the official script makes of a program: `tf.compat.v1.placeholder`, `input_tensor=`."""
    from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2

    out = path.with_suffix(".out")
    upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        upgrader.process_file(str(path), str(out))
    out.replace(path)


def import_compat(path: Path) -> None:
    """What many did by hand instead."""
    switch = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()"
    text = path.read_text(encoding="utf-8")
    assert "import tensorflow as tf\n" in text
    path.write_text(text.replace("import tensorflow as tf", switch, 1), encoding="utf-8")


@pytest.mark.tf2
@needs_tf2
@pytest.mark.parametrize(
    ("prepare", "names"),
    [
        (tf_upgrade_v2, ("conv_net", "iterator_initializable", "kmeans", "summaries")),
        (import_compat, ("gan_dense", "saver_sessions", "streaming_metrics", "word2vec_nce")),
    ],
)
def test_a_program_on_compat_v1_becomes_tf2_code(
    prepare: Any, names: tuple[str, ...], tmp_path: Path, harness: Harness
) -> None:
    cases = [case for case in NATIVE if case.name in names]
    for done in goldens.upgrade(cases, tmp_path, prepare=prepare).values():
        assert done.level == "native", "\n".join(map(" -> ".join, done.reasons))
        text = code(goldens.script(done.folder, done.case.entry))
        assert sorted(filter(LEFT_BEHIND.fullmatch, identifiers(text))) == [], text
        verifying.verify(harness, done)


@pytest.mark.tf2
@needs_tf2
@pytest.mark.parametrize("case", COMPAT, ids=lambda case: case.name)
def test_what_can_t_be_proved_keeps_its_graph(
    case: Any, upgraded: dict[str, Any], harness: Harness
) -> None:
    done = upgraded[case.name]
    assert done.level == "compat"
    verifying.verify(harness, done)


@pytest.mark.parametrize("case", params(COMPAT))
def test_the_line_that_keeps_a_program_at_compat_is_named(
    case: Any, upgraded: dict[str, Any]
) -> None:
    lines = [line for line, _ in upgraded[case.name].reasons]
    assert any(case.stops in line for line in lines), lines
    # That line, not every line that a native program couldn't have either.
    assert len(lines) <= 5


@pytest.mark.tf1
@pytest.mark.slow
@needs_tf1
@pytest.mark.parametrize("case", AGAIN, ids=lambda case: case.name)
def test_the_golden_bundle_is_what_tf_1_15_does_today(
    case: Any, tmp_path: Path, recorder: Harness
) -> None:
    found = goldens.record(case, recorder, tmp_path, envelope_runs=0)
    assert goldens.differences(bundle.read(case.golden), found) == []


@pytest.fixture(scope="module")
def recorder() -> Iterator[Harness]:
    """One process that has imported TensorFlow 1.15.5 and forks for each program."""
    tf1 = find_tf1()
    assert tf1 is not None
    with Harness(Options(), tf1=tf1.path) as made:
        yield made


# Peepholes and projections, which a cell of the class may do without.
OPTIONAL = ("_diag", "/projection/kernel", "/projection_weights")


def test_the_names_that_an_upgrade_tells_are_those_of_tf_1_15(upgraded: dict[str, Any]) -> None:
    """``migrate-names.json`` against the variables that TF 1.15.5 had."""
    told = 0
    for name, done in upgraded.items():
        path = goldens.script(done.folder, done.case.entry).with_name("migrate-names.json")
        if not path.exists():
            continue
        record = json.loads((done.case.golden / bundle.RECORD).read_text(encoding="utf-8"))
        there = {variable["name"] for variable in record["variables"]}
        for saver in json.loads(path.read_text(encoding="utf-8"))["savers"]:
            told += 1
            assert set(saver["names"]) <= there, name
            for owner, kinds in cells_of(saver.get("patterns", {})).items():
                found = {
                    pattern: any(re.fullmatch(pattern, variable) for variable in there)
                    for patterns in kinds.values()
                    for pattern in patterns
                }
                for optional in OPTIONAL:  # all of them or none
                    some = {k: v for k, v in found.items() if k.endswith(optional)}
                    if not any(some.values()):
                        found = {k: v for k, v in found.items() if k not in some}
                # Of the classes that a setting chooses among, the names of one are there.
                assert (any if len(kinds) > 1 else all)(found.values()), (name, owner, found)
    assert told >= 5


def cells_of(patterns: dict[str, str]) -> dict[str, dict[str, list[str]]]:
    """Patterns by what has the variables in the new program, and by the class of its cells."""
    found: dict[str, dict[str, list[str]]] = {}
    for pattern, place in patterns.items():
        kind = (re.findall(r"(\w+_cell)/", pattern) or [""])[-1]
        found.setdefault(place.partition("/")[0], {}).setdefault(kind, []).append(pattern)
    return found


def test_every_case_is_whole() -> None:
    assert len(NATIVE) >= 45
    assert len(COMPAT) >= 8
    for case in CASES:
        assert (case.golden / bundle.RECORD).exists(), f"{case.name} has no golden bundle"
        after = case.folder / f"after{Path(case.entry).suffix}"
        assert after.exists() == (case.level == "native" and not case.pending), case.name


def test_a_case_that_changed_is_run_again(tmp_path: Path) -> None:
    case = next(case for case in NATIVE if verifying.agreed(case))
    copied = goldens.read_case(Path(shutil.copytree(case.folder, tmp_path / case.name)))
    assert verifying.agreed(copied)
    after = copied.folder / f"after{Path(case.entry).suffix}"
    after.write_text(after.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert not verifying.agreed(copied)
    copied.verified.unlink()
    assert not verifying.agreed(copied)


def test_larger_sizes_fit_the_program(tmp_path: Path) -> None:
    larger = [case for case in CASES if case.larger]
    assert larger
    for case in larger:
        goldens.copy_program(case, tmp_path / case.name)
        goldens.enlarge(case, tmp_path / case.name)
        ast.parse(code(tmp_path / case.name / case.entry))


@pytest.mark.tf2
@needs_tf2
def test_a_golden_bundle_with_other_numbers_fails(
    upgraded: dict[str, Any], harness: Harness
) -> None:
    """The comparison itself can fail: one part in ten thousand of what was recorded is enough."""
    done = upgraded["fetch_by_string"]
    harness.options = done.case.options()
    golden = bundle.read(done.case.golden)
    for key in golden.arrays:
        if key.startswith("series/") and key.endswith("/values"):
            golden.arrays[key] = golden.arrays[key] * 1.0001
    script = goldens.script(done.folder, done.case.entry)
    assert harness.verify(golden, Program(str(script)), "moved").verdict != AGREE


def test_variables_that_end_elsewhere_fail() -> None:
    """A case of which the printed text is compared is held to its variables, too."""
    case = next(case for case in CASES if case.name == "clip_gradients")
    before = bundle.read(case.golden).arrays
    verifying.same_ends(before, before)
    moved = {**before, "v/end/w": before["v/end/w"] * 1.001}
    with pytest.raises(AssertionError, match="v/end/w"):
        verifying.same_ends(before, moved)
