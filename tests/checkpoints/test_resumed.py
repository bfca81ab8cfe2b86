"""Programs that stop on TF 1.15.5 and go on as upgraded ones: fixtures/resumed.

A program is upgraded, its TF 1 checkpoint converted by the `migrate-names.json` that came with it,
and run from there: what it predicts and every loss that follows is what TF 1.15.5 printed.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from migrate.cli import cli as main

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "resumed"
NAMES = sorted(path.name for path in FIXTURES.iterdir())
needs_tf2 = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)
MAP = "migrate-names.json"
#: Runs each program in its folder, in one process that has imported TensorFlow once.
RUNNER = """
import contextlib, os, runpy, sys
root, names = sys.argv[1], sys.argv[2:]
for name in names:
    folder = os.path.join(root, name)
    sys.argv = [os.path.join(folder, "before.py"), os.path.join(folder, "new"), "resume"]
    with open(os.path.join(folder, "out.txt"), "w") as out, contextlib.redirect_stdout(out):
        runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(*arguments: str) -> str:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code <= (arguments[0] == "upgrade"), done.output  # 1: a finding is left
    return done.output


def upgrade(folder: Path, *names: str) -> None:
    for name in names:
        shutil.copytree(FIXTURES / name, folder / name)
    run("upgrade", "--allow-no-vcs", "-q", str(folder))


def numbers(text: str) -> np.ndarray:
    return np.array([float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)])


@pytest.mark.tf2
@needs_tf2
def test_a_converted_checkpoint_goes_on_where_tf1_stopped(tmp_path: Path) -> None:
    upgrade(tmp_path, *NAMES)
    for name in NAMES:
        folder = tmp_path / name
        run("checkpoint", "convert", str(folder / "model.ckpt"), str(folder / "new/model.ckpt"),
            "--map", str(folder / MAP), "--verify")  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, str(tmp_path), *NAMES],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name in NAMES:
        expected = numbers((FIXTURES / name / "resumed.txt").read_text(encoding="utf-8"))
        found = numbers((tmp_path / name / "out.txt").read_text(encoding="utf-8"))
        assert len(expected) > 5
        # Five printed digits; every step is one more round of rounding.
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5, err_msg=name)


def test_what_is_not_in_the_map_stops_the_conversion(tmp_path: Path) -> None:
    upgrade(tmp_path, "gan_plain")
    path = tmp_path / "gan_plain" / MAP
    original = json.loads(path.read_text(encoding="utf-8"))
    source, out = str(FIXTURES / "gan_plain/model.ckpt"), str(tmp_path / "out/model.ckpt")

    def refused(change: str, **more: object) -> str:
        data = json.loads(json.dumps(original))
        exec(change, {"one": data["savers"][0], "savers": data["savers"]})
        path.write_text(json.dumps({**data, **more}), encoding="utf-8")
        done = CliRunner().invoke(main, ["checkpoint", "convert", source, out, "--map", str(path)])
        assert done.exit_code == 2, done.output
        assert not Path(out).parent.exists()
        return done.output

    assert "nothing is known for 'g/W'" in refused("del one['names']['g/W']")
    assert "the checkpoint has no 'x'" in refused("one['names']['x'] = 'x'")
    assert "couldn't tell" in refused("one['unknown'] = {'w': 'hidden'}")
    assert "is no power of 0.5" in refused(
        "one['optimizers']['d_optimizer']['iterations']['of']=.5"
    )
    assert "of 3 slots Adam" in refused("one['optimizers']['d_optimizer']['slots'].append('_x')")
    trained = "one['optimizers']['d_optimizer'].update(all=False, variables=['d/W', 'd/b', 'g/b'])"
    assert "some variables have slots in the checkpoint and some don't" in refused(trained)
    assert "is no object of strings" in refused("one['names'] = []")
    assert "damaged" in refused("one['optimizers']['d_optimizer']['variables'] = [3]")
    assert "version 2" in refused("", version=2)
    two = "savers.append({**one, 'saver': 'other', 'names': {**one['names'], 'g/W': 'V'}})"
    assert "say which (--program)" in refused(two)
    path.write_text(json.dumps(original), encoding="utf-8")
    named = ["--map", str(path), "--program"]
    run("checkpoint", "convert", source, out, *named, "before.py:saver")
    done = CliRunner().invoke(
        main, ["checkpoint", "convert", source, out + "2", *named, "other.py"]
    )
    assert done.exit_code == 2
    assert "there are before.py:saver" in done.output


def test_a_folder_has_one_map_and_undo_takes_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    for name in ("gan_plain", "rms_dicts"):
        shutil.copy(FIXTURES / name / "before.py", tmp_path / "src" / f"{name}.py")
    where = tmp_path / "src" / MAP
    CliRunner().invoke(main, ["upgrade", "--check", "src"])
    CliRunner().invoke(main, ["upgrade", "--diff", "src"])
    assert not where.exists()
    run("upgrade", "-q", "--out", "out", "src")
    assert not where.exists()
    both = (tmp_path / "out" / MAP).read_bytes()

    run("upgrade", "--allow-no-vcs", "-q", "src/rms_dicts.py")
    assert [one["program"] for one in json.loads(where.read_bytes())["savers"]] == ["rms_dicts.py"]
    run("upgrade", "--allow-no-vcs", "-q", "src")
    assert where.read_bytes() == both
    run("upgrade", "--allow-no-vcs", "-q", "src")  # nothing is left to do
    assert where.read_bytes() == both
    run("undo")
    assert [one["program"] for one in json.loads(where.read_bytes())["savers"]] == ["rms_dicts.py"]
    run("undo")
    assert sorted(path.name for path in (tmp_path / "src").iterdir()) == [
        "gan_plain.py", "rms_dicts.py",
    ]  # fmt: skip

    where.write_text('{"w": "mine"}', encoding="utf-8")
    done = CliRunner().invoke(main, ["upgrade", "--allow-no-vcs", "-q", "src"])
    assert "it isn't of an upgrade" in done.output
    assert where.read_text(encoding="utf-8") == '{"w": "mine"}'
