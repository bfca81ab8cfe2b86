"""Metrics that functions of a program compute of a confusion matrix, in files of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

FIXTURE = Path(__file__).parents[3] / "fixtures" / "keras" / "matrix_metrics" / "before.py"
CODE = FIXTURE.read_text(encoding="utf-8")
START = CODE.index("def hit_rate")
SPLIT = CODE.index("def model_fn")
#: The functions of metrics in a file of their own, and the program without them.
SCORES = (
    "import numpy as np\nimport tensorflow as tf\n"
    "from tensorflow.python.ops.metrics_impl import _streaming_confusion_matrix\n\n\n"
    + CODE[START:SPLIT]
)
PROGRAM = "import numpy as np\nimport tensorflow as tf\nIMPORT\n\n\n" + CODE[SPLIT:]


def converted(tmp_path: Path, program: str, scores: str = SCORES) -> tuple[Level | None, str, str]:
    data = {
        str(tmp_path / "program.py"): program.encode(),
        str(tmp_path / "scores.py"): scores.encode(),
    }
    for name, text in data.items():
        Path(name).write_bytes(text)
    found = {Path(r.path).name: r for r in texts(data, Options(to="keras"))}
    reasons = "; ".join(f.message for r in found.values() for f in r.left)
    first, second = ((found[n].after or b"").decode() for n in ("program.py", "scores.py"))
    level = found["program.py"].level
    return level, first if level is Level.NATIVE else reasons, second


def test_names_of_functions_that_are_gone_are_not_imported(tmp_path: Path) -> None:
    level, program, scores = converted(
        tmp_path, PROGRAM.replace("IMPORT", "from scores import hit_rate, purity")
    )
    assert level is Level.NATIVE
    assert "from scores import rates\n" in program
    assert "'hits': rates(self.hits.result(), [1, 2], mean=False)[0]" in program
    assert "_streaming_confusion_matrix" not in scores
    assert "def hit_rate" not in scores


def test_a_module_is_asked_for_the_value(tmp_path: Path) -> None:
    text = PROGRAM.replace("IMPORT", "import scores as s").replace(": hit_rate(", ": s.hit_rate(")
    level, program, scores = converted(
        tmp_path,
        text.replace(": purity(", ": s.purity("),
        SCORES.replace("\n\n\ndef hit", "\n__all__ = ['hit_rate', 'purity']\n\n\ndef hit", 1),
    )
    assert level is Level.NATIVE
    assert "'pure': s.rates(self.pure.result(), [0, 3], mean=False)[1]" in program
    assert "__all__" not in scores


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("update, _ = rates(update, chosen, mean=mean)", "update, _ = rates(update, chosen)"),
        ("update, _ = rates(update, chosen", "_, update = rates(update, chosen"),
        ("    return rate, update", "    return rate + 1., update"),
        ("    rate, _ = rates(matrix", "    print(chosen)\n    rate, _ = rates(matrix"),
        ("num_classes, weights)\n    rate", "num_classes + 1, weights)\n    rate"),
    ],
)
def test_another_value_keeps_the_estimator(tmp_path: Path, old: str, new: str) -> None:
    assert old in SCORES
    level, _, _ = converted(
        tmp_path,
        PROGRAM.replace("IMPORT", "from scores import hit_rate, purity"),
        SCORES.replace(old, new, 1),
    )
    assert level is not Level.NATIVE


def test_a_metric_that_is_asked_elsewhere_keeps_the_estimator(tmp_path: Path) -> None:
    text = PROGRAM.replace("IMPORT", "from scores import hit_rate, purity")
    text = text.replace("def main():\n", "def main():\n    print(hit_rate)\n")
    level, said, _ = converted(tmp_path, text)
    assert level is not Level.NATIVE
    assert "`hit_rate`, which gives a metric, is used elsewhere" in said


def test_a_file_of_the_packages_name_is_no_package(tmp_path: Path) -> None:
    named = {
        "program.py": PROGRAM.replace("IMPORT", "from tf_metrics import precision").replace(
            ": hit_rate(", ": precision("
        ),
        "tf_metrics.py": "def precision(*args, **kwargs):\n    return None\n",
    }
    data = {str(tmp_path / name): text.encode() for name, text in named.items()}
    for name, text in data.items():
        Path(name).write_bytes(text)
    found = [r for r in texts(data, Options(to="keras")) if r.path.endswith("program.py")]
    assert found[0].level is not Level.NATIVE
