"""scipy.misc's functions for images, written into a file, against SciPy 1.1.0's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

FOLDER = Path(__file__).parents[2] / "fixtures" / "scipy_images"
PROGRAM = (FOLDER / "program.py").read_text(encoding="utf-8")
GOLDEN = json.loads((FOLDER / "golden.json").read_text(encoding="utf-8"))
IMAGES = ("fromimage", "imread", "imresize", "imrotate", "imsave", "toimage")
MAIN = b"import tensorflow as tf\nimport program\nprint(tf.log(1.0))\n"
IMPORT = "from scipy.misc import fromimage, imread, imresize, imrotate, imsave, toimage\n"


def only(asked: tuple[str, ...]) -> str:
    """The program as far as it asks only for some of the functions."""
    names = re.compile(rf"(?<!\")\b(?:{'|'.join(IMAGES)})\(")
    kept = []
    for line in PROGRAM.splitlines():
        uses = {name[:-1] for name in names.findall(line)}
        if "saved(a)" in line:
            uses.add("imsave")
        if "mode=m" in line:
            uses.add("modes")
        if line.strip().startswith("note(") and not uses <= set(asked):
            line = line[: len(line) - len(line.lstrip())] + "pass"
        if line.strip() == 'imsave(file, a, "png")' and "imsave" not in asked:
            continue
        kept.append(line)
    imported = [name for name in asked if name != "modes"]
    text = "\n".join(kept).replace(IMPORT, f"from scipy.misc import {', '.join(imported)}\n")
    return text if "scipy.misc.im" in text else text.replace("import scipy.misc\n", "")


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*deprecated.*:DeprecationWarning")
@pytest.mark.parametrize(
    "asked",
    [
        (*IMAGES, "modes"),
        IMAGES,
        ("imsave",),
        ("imresize",),
        ("imresize", "modes"),
        ("imresize", "imsave"),
        ("imread", "imsave"),
        ("imrotate",),
        ("toimage",),
        ("fromimage",),
        ("toimage", "fromimage", "modes"),
    ],
    ids="-".join,
)
def test_the_bytes_are_scipys(asked: tuple[str, ...]) -> None:
    """A file without TensorFlow, which a program that has it imports."""
    pytest.importorskip("PIL")
    before = {"main.py": MAIN, "program.py": only(asked).encode()}
    results = {r.path: r for r in texts(before, Options())}
    after = results["program.py"].after
    assert after is not None
    assert not results["program.py"].left
    space: dict[str, object] = {"__name__": "program"}
    exec(compile(after, "program.py", "exec"), space)
    found = json.loads(json.dumps(space["found"]))
    assert found
    assert found == {name: GOLDEN[name] for name in found}
    if len(asked) > len(IMAGES):
        assert found == GOLDEN


def test_an_import_that_a_function_repeats_is_gone_with_the_modules() -> None:
    """The module's `imread` is read by nobody: the function has its own."""
    before = b"""\
from scipy.misc import imread, imresize
import tensorflow as tf


def load(path):
    from scipy.misc import imread, imresize

    return imresize(imread(path), (300, 300))


def main(image):
    return load("x") + imresize(image, (300, 300))
"""
    (result,) = texts({"program.py": before}, Options())
    assert result.after is not None
    assert b"from scipy.misc" not in result.after
    assert not result.left
