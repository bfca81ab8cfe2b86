"""[tool.migrate.parity]."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.parity import config
from migrate.parity.errors import ParityError

TABLE = """
[tool.migrate.parity]
timeout = 30
devices = ["cpu", "xla"]
golden = "golden"

[[tool.migrate.parity.programs]]
name = "mnist"
before = "old.py"
after = "new.py"
args = ["--epochs", 2]
rtol = 1e-3
steps = 5
names = { W = "dense/kernel" }

[[tool.migrate.parity.programs]]
after = "package.other"
devices = ["cpu"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text)
    return path


def test_programs_take_the_shared_values(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("")
    table = config.load(write(tmp_path, TABLE))
    first, second = table.comparisons
    assert first.before is not None
    assert first.before.target == str(tmp_path / "old.py")
    assert first.after.args == ("--epochs", "2")
    assert first.options.tolerances.free == 1e-3
    assert first.options.tolerances.update == 1e-5
    assert (first.options.steps, first.options.limits.seconds) == (5, 30)
    assert first.options.names == {"W": "dense/kernel"}
    assert (first.devices, second.devices) == (("cpu", "xla"), ("cpu",))
    assert first.golden == tmp_path / "golden" / "mnist"
    assert second.before is None
    assert second.after.target == "package.other"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.migrate.parity]\ntimeuot = 3", "unknown key 'timeuot'"),
        ("[tool.migrate.parity]\ntimeout = 'x'", "timeout is 'x'"),
        ("[tool.migrate.parity]\nsteps = true", "steps is True"),
        ("[[tool.migrate.parity.programs]]\nbefore = 'a.py'", "`after`"),
        ("[[tool.migrate.parity.programs]]\nafter = 'a.py'", "`before`"),
        ("[[tool.migrate.parity.programs]]\nafter='a.py'\nbefore='b.py'\ndevices=['npu']", "npu"),
        ("[tool.other]", "no table"),
        ("[tool", "can't be read"),
        ("[tool.migrate.parity]\nprograms = [3]", "expected a table"),
    ],
)
def test_errors_echo_the_file_and_the_value(text: str, words: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ParityError) as caught:
        config.load(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_names_have_to_be_different(tmp_path: Path) -> None:
    entry = "[[tool.migrate.parity.programs]]\nname='a'\nbefore='b.py'\nafter='c.py'\n"
    with pytest.raises(ParityError, match="two programs"):
        config.load(write(tmp_path, entry * 2))


def test_nearest_table_is_found_from_below(tmp_path: Path) -> None:
    path = write(tmp_path, TABLE)
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'")
    assert config.find(folder) == path
