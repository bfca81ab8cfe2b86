"""Files whose lines end as Windows ends them: what is written into them ends so, too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from migrate.engine.options import Options, TargetName
from migrate.engine.runner import texts

FIXTURES = Path(__file__).parents[1] / "fixtures"
READER = """\
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("data")
print(mnist.train.images.shape)
"""


def upgraded(source: bytes, to: TargetName = "estimator") -> bytes:
    (result,) = texts({"before.py": source}, Options(to=to))
    assert result.after is not None
    return result.after


@pytest.mark.parametrize(
    ("name", "to"),
    [
        ("native/linear_regression", "estimator"),
        ("native/vae", "estimator"),
        ("keras/crosses", "keras"),
        ("keras/hooks", "keras"),
    ],
)
def test_what_becomes_of_a_program(name: str, to: TargetName) -> None:
    source = (FIXTURES / name / "before.py").read_bytes()
    text = upgraded(source.replace(b"\n", b"\r\n"), to)
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", text)
    assert text.replace(b"\r\n", b"\n") == upgraded(source, to)


def test_a_reader_that_a_file_is_given() -> None:
    text = upgraded(READER.encode().replace(b"\n", b"\r\n"))
    assert b"\r\n\r\n\r\nclass Mnist:\r\n" in text
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", text)
    assert text.replace(b"\r\n", b"\n") == upgraded(READER.encode())
