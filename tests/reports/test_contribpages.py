"""Every name of tf.contrib stands in the pages once, with a home that exists or a reason."""

from __future__ import annotations

import re
from functools import cache

import pytest

from migrate import symbols
from migrate.reports import contribpages
from migrate.symbols import shims

ROW = re.compile(r"^\| `([^`]+)` \| (\w+) \| (.*?) \| (.*) \|$", re.M)


@cache
def texts() -> dict[str, str]:
    return dict(contribpages.pages())


@cache
def rows() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for name, text in texts().items():
        for short, kind, where, _ in ROW.findall(text):
            full = f"tensorflow.contrib.{name.removesuffix('.md')}.{short}"
            assert full not in found
            found[full] = kind, where
    return found


def test_all_names_and_no_others() -> None:
    wanted = {
        name
        for name in symbols.endpoints()
        if name.startswith("tensorflow.contrib.")
        and (record := symbols.outcome(name)) is not None
        and record.kind != "module"
    }
    assert set(rows()) == wanted


def test_each_is_what_the_rewriters_make_of_it() -> None:
    for name, (kind, where) in rows().items():
        home = shims.home(name)
        assert (kind == "shimmed") == (home is not None)
        if home is not None:
            assert where == f"`{home}`"
        elif kind == "moved":
            assert symbols.resolves("tensorflow" + where.strip("`").removeprefix("tf")), name
        else:
            assert kind == "gone"
            assert where, name


@pytest.mark.parametrize(
    ("name", "kind", "where"),
    [
        ("layers.conv2d", "shimmed", "`migrate.tf1_shim.contrib.layers.conv2d`"),
        ("tpu.TPUEstimator", "shimmed", "`migrate.estimator_shim.contrib.tpu.TPUEstimator`"),
        ("keras.layers.Dense", "moved", "`tf.compat.v1.keras.layers.Dense`"),
        ("ffmpeg.decode_audio", "gone", "its kernels are gone"),
    ],
)
def test_some(name: str, kind: str, where: str) -> None:
    assert rows()[f"tensorflow.contrib.{name}"] == (kind, where)


def test_the_index_counts_them() -> None:
    total = re.search(
        r"^\| all \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", texts()["README.md"], re.M
    )
    assert total is not None
    count, *parts = map(int, total.groups())
    assert count == sum(parts) == len(rows())
    assert (
        f"| [crf](crf.md) | {sum('contrib.crf.' in name for name in rows())} |"
        in texts()["README.md"]
    )
