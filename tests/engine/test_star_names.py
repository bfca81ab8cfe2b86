"""Files to which another file's star import gives TensorFlow import it themselves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from click.testing import CliRunner

from migrate.cli import cli
from migrate.engine.star_names import brought, possible, possible_bytes

OPS = "import tensorflow as tf\n\nFLAGS = tf.app.flags.FLAGS\n"
NET = "import numpy as np\nfrom ops import *\n\n\ndef net(x):\n    return tf.log(x) + tf.abs(x)\n"


def run(*args: str) -> str:
    return CliRunner().invoke(cli, [*args, "--no-cache"]).output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ops.py").write_text(OPS)
    (tmp_path / "net.py").write_text(NET)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_check_finds_the_endpoints_at_their_own_lines(folder: Path) -> None:
    found = run("check", "net.py")
    assert "net.py:2:1: TFM115" in found
    assert "net.py:6:12: TFM" in found
    assert "tf.log" in found


def test_upgrade_imports_and_rewrites(folder: Path) -> None:
    run("upgrade", "--allow-no-vcs", ".")
    text = (folder / "net.py").read_text()
    assert "from ops import *\nimport tensorflow as tf\n\n\ndef" in text
    assert "return tf.math.log(x) + tf.abs(x)" in text
    assert "net.py" not in run("upgrade", "--diff", "-q", ".")


@pytest.mark.parametrize("comment", ["# noqa: TFM115", "# migrate: ignore[TFM115]"])
def test_a_comment_leaves_the_file_as_it_is(folder: Path, comment: str) -> None:
    (folder / "net.py").write_text(NET.replace("import *", f"import *  {comment}"))
    assert "net.py" not in run("check", "net.py")
    assert "net.py" not in run("upgrade", "--diff", "-q", "net.py")


def test_slim_and_newlines_and_python_2(folder: Path) -> None:
    text = (
        "from ops import *\r\nprint 'net'\r\ny = slim.conv2d(x, 3, 3)\r\nz = tf.placeholder(y)\r\n"
    )
    (folder / "net.py").write_bytes(text.encode())
    found = run("check", "net.py")
    assert "net.py:1:1: TFM115 [*] `slim`" in found
    assert "net.py:2:1: TFM801" in found
    assert "net.py:4:5: TFM102 [*] tf.placeholder" in found


@pytest.mark.parametrize(
    "text",
    [
        "from ops import *\ny = tf.abs(x)\n",  # nothing of TF 1
        "from ops import *\ntf = 1\ny = tf.log(x)\n",
        "from ops import *\ndef f(tf):\n    return tf.log(x)\n",
        "from ops import abs\ny = tf.log(x)\n",
        "from tensorflow import *\ny = tf.log(x)\n",
        "from ops import *; y = tf.log(x)\n",  # no line to stand on
        "from ops import *\ny = tf.nothing_of_it(x)\n",
    ],
)
def test_other_names_are_left_alone(text: str) -> None:
    assert brought(text, ast.parse(text)) is None


def test_a_file_is_only_read_where_it_may_matter() -> None:
    assert possible(NET)
    assert possible_bytes(NET.encode())
    assert not possible(NET.replace("*", "abs"))
    assert not possible_bytes(NET.replace("tf.", "np.").encode())


MAT = "import tensorflow as tf\nfrom ops import *\n\n\ndef net(x):\n    return tf.log(np.mat(x))\n"


def test_numpy_too_where_it_has_lost_what_is_used(folder: Path) -> None:
    (folder / "ops.py").write_text("import numpy as np\n")
    (folder / "net.py").write_text(MAT)
    assert "net.py:2:1: TFM115 [*] `np` comes from another file's import: NumPy" in run(
        "check", "."
    )
    run("upgrade", "--allow-no-vcs", ".")
    text = (folder / "net.py").read_text()
    assert "from ops import *\nimport numpy as np\n" in text
    assert "np.asmatrix(x)" in text
    kept = MAT.replace("np.mat", "np.asarray")
    (folder / "net.py").write_text(kept)
    assert "TFM115" not in run("check", ".")
