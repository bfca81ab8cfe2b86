"""Programs with flags, before and after, by running them with absl."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS

flags.DEFINE_string("name", "nobody", "A name.")
flags.DEFINE_integer(flag_name="times", default_value=1, docstring="How often.")
tf.flags.DEFINE_bool("loud", False, "Whether to shout.")


def main(argv):
    name = FLAGS.name.upper() if FLAGS.loud else FLAGS.name
    print(" ".join([name] * FLAGS.times), argv[1:])


if __name__ == "__main__":
    tf.app.run()
"""


def upgraded(text: str, **options: object) -> str:
    (result,) = texts({"program.py": text.encode()}, Options(**options))  # type: ignore[arg-type]
    assert result.status != "failed", result.reason
    return text if result.after is None else result.after.decode()


@pytest.mark.skipif(importlib.util.find_spec("absl") is None, reason="absl is not installed")
@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ([], "nobody []\n"),
        (["--name=ann", "--times", "2", "--loud"], "ANN ANN []\n"),
        (["--noloud", "file"], "nobody ['file']\n"),
    ],
)
def test_parses_as_tensorflow_did(tmp_path: Path, arguments: list[str], printed: str) -> None:
    new = upgraded(PROGRAM)
    assert "tensorflow" not in new
    path = tmp_path / "program.py"
    path.write_text(new)
    done = subprocess.run(
        [sys.executable, path, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout == printed


def test_compat_level_keeps_the_wrappers() -> None:
    new = upgraded(PROGRAM, level="compat")
    assert "flags = tf.app.flags" in new
    assert "tf.app.run()" in new


@pytest.mark.parametrize(
    "early",
    [
        "print(FLAGS.name)",
        "NAME = read()",
        "class Early:\n    name = read()",
        "@read\ndef later():\n    pass",
        "def later(name=read()):\n    pass",
        "FLAGS._parse_flags()",
    ],
)
def test_flags_read_before_run_stay(early: str) -> None:
    text = PROGRAM.replace(
        "def main(argv):", f"def read(*_):\n    return FLAGS.name\n\n\n{early}\n\n\ndef main(argv):"
    )
    new = upgraded(text)
    assert "flags = tf.compat.v1.app.flags" in new
    assert "from absl import flags" not in new


def test_another_parser_keeps_the_tolerant_run() -> None:
    new = upgraded("import argparse\n" + PROGRAM)
    parser = "flags_parser=lambda argv: flags.FLAGS(argv, known_only=True)"
    assert f"app.run(main, {parser})" in new or f"app.run(main,\n        {parser})" in new
    assert "compat.v1" not in new
    assert "from absl import flags" in new


def test_an_import_of_absl_is_used() -> None:
    text = PROGRAM.replace(
        "import tensorflow as tf\n", "import tensorflow as tf\nfrom absl import flags as F\n", 1
    )
    new = upgraded(
        text.replace(
            "flags = tf.app.flags\nFLAGS = flags.FLAGS\n", "FLAGS = tf.flags.FLAGS\n"
        ).replace("\nflags.", "\ntf.app.flags.")
    )
    assert "FLAGS = F.FLAGS" in new
    assert "F.DEFINE_string" in new
    assert new.count("from absl import flags") == 1
