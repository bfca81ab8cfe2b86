"""The hooks, run by the real pre-commit on a repository of their own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.log(x)\n"


def head() -> str | None:
    """The commit that pre-commit would clone; None outside of a git checkout."""
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else None


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("pre_commit") is None, reason="pre-commit is not installed"
)
@pytest.mark.skipif(head() is None, reason="not a git checkout")
def test_the_hooks(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
    }

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, check=False
        )

    def hook(name: str) -> subprocess.CompletedProcess[str]:
        (project / ".pre-commit-config.yaml").write_text(
            f"repos:\n- repo: {ROOT}\n  rev: {head()}\n  hooks:\n  - id: {name}\n"
        )
        run("git", "add", "-A")
        return run(sys.executable, "-m", "pre_commit", "run", "--all-files")

    run("git", "init", "-q")
    (project / "o d.py").write_text(SOURCE)
    (project / "clean.py").write_text("x = 1\n")
    checked = hook("migrate-check")
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert "o d.py:5:12: TFM101" in checked.stdout
    upgraded = hook("migrate-upgrade")
    assert upgraded.returncode == 1
    assert "files were modified by this hook" in upgraded.stdout
    assert "tf.math.log" in (project / "o d.py").read_text()
    again = hook("migrate-upgrade")
    assert again.returncode == 0, again.stdout
    assert "Passed" in again.stdout
    assert hook("migrate-check").returncode == 0
