"""[tool.migrate]: what is read, and what is refused with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.config import Config, ConfigError, find, load


def write(folder: Path, text: str) -> str:
    path = folder / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_every_key(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
        [tool.migrate]
        level = "compat"
        to = "keras"
        select = ["TFM2"]
        extend-select = ["TFM101"]
        ignore = ["TFM204"]
        include = ["*.py3"]
        exclude = ["vendor"]
        unsafe = true
        jobs = 3
        baseline = "known.json"
        [tool.migrate.per-file-ignores]
        "tests/**" = ["TFM4"]
        [tool.migrate.parity]
        anything = 1
        """,
    )
    assert load(path) == Config(
        path=path,
        level="compat",
        to="keras",
        select=("TFM2",),
        extend_select=("TFM101",),
        ignore=("TFM204",),
        per_file_ignores=(("tests/**", ("TFM4",)),),
        include=("*.py3",),
        exclude=("vendor",),
        unsafe=True,
        jobs=3,
        baseline=str(tmp_path / "known.json"),
        extra={"parity": {"anything": 1}},
    )


def test_the_nearest_file_with_the_table_counts(tmp_path: Path) -> None:
    write(tmp_path, '[tool.migrate]\nlevel = "compat"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path / "a", '[project]\nname = "migrate-me"\n')
    found = find(str(inner))
    assert found.folder == str(tmp_path)
    assert found.level == "compat"


def test_a_file_that_does_not_mention_us_is_not_parsed(tmp_path: Path) -> None:
    assert load(write(tmp_path, "this is not TOML")) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("levle = 'compat'", ["[tool.migrate] has no key 'levle'", "Did you mean 'level'?"]),
        ("extend_select = []", ["Did you mean 'extend-select'?"]),
        ("zzz = 1", ["Known keys:", "per-file-ignores"]),
        ("level = 'v2'", ["level must be one of 'native', 'compat'", "Received: 'v2'"]),
        ("level = 3", ["Received: 3"]),
        ("select = 'TFM2'", ["select must be a list of strings", "Received: 'TFM2'"]),
        ("select = ['E501']", ["like TFM2", "Received: 'E501'"]),
        ("ignore = ['TFM2041']", ["Received: 'TFM2041'"]),
        ("exclude = ['']", ["none of them empty"]),
        ("unsafe = 1", ["unsafe must be true or false", "Received: 1"]),
        ("jobs = true", ["jobs must be a whole number", "Received: True"]),
        ("jobs = -1", ["Received: -1"]),
        ("baseline = []", ["baseline must be the path of a file", "Received: []"]),
        ("per-file-ignores = []", ["must be a table"]),
        ("per-file-ignores = {'*.py' = ['X']}", ["per-file-ignores.'*.py'", "Received: 'X'"]),
    ],
)
def test_what_is_not_understood_is_refused(tmp_path: Path, text: str, words: list[str]) -> None:
    path = write(tmp_path, f"[tool.migrate]\n{text}\n")
    with pytest.raises(ConfigError) as error:
        load(path)
    assert [word for word in [path, *words] if word not in str(error.value)] == []


@pytest.mark.parametrize("text", ["[tool.migrate\n", "tool = {migrate = 3}\n"])
def test_a_broken_file_is_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=r"pyproject\.toml"):
        load(path)


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"[tool.migrate]\n# \xff\n")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load(str(path))
