"""An analysis comes back from the cache as it went in, at the path that the file now has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from migrate.engine import runner
from migrate.engine.analysis import analyse
from migrate.engine.options import Options
from migrate.engine.store import pack, unpack

SOURCE = (
    b"import tensorflow as tf\nfrom . import model\nx = tf.placeholder(1)\ny = tf.contrib.slim\n"
    b"s = tf.train.Saver()\ns.save(y, 'model')\ntf.train.import_meta_graph('other.meta')\n"
    b"g = tf.train.import_meta_graph(y)\nh = y.get_tensor_by_name('a/x:0')\nz = tf.abs(y, name='z')\n"
)


def test_round_trip() -> None:
    seen = analyse("a.py", SOURCE, Options(), "a.py", every=True)
    assert seen.graph is not None
    assert seen.native.blocks
    assert seen.saves == [("model", 6)]
    assert seen.metas == ["other"]
    assert (seen.computed, seen.asked) == (True, ["x"])
    assert {"z", "~placeholder"} <= set(seen.named)
    assert unpack(json.loads(json.dumps(pack(seen))), "a.py") == seen
    assert unpack(pack(seen), "b/c.py") == analyse("a.py", SOURCE, Options(), "b/c.py", every=True)


def test_an_unchanged_file_is_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_bytes(SOURCE)
    options = Options(root=str(tmp_path), jobs=1)
    first = list(runner.check([str(tmp_path)], options))
    monkeypatch.setattr(runner, "analyse", None)  # would fail if it were called
    assert list(runner.check([str(tmp_path)], options)) == first
    (tmp_path / "a.py").write_bytes(SOURCE + b"# new\n")
    (result,) = runner.check([str(tmp_path)], options)
    assert result.status == "failed"


def test_other_options_are_another_entry(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(SOURCE)
    everything = list(runner.check([str(tmp_path)], Options(root=str(tmp_path), jobs=1)))
    some = Options(root=str(tmp_path), jobs=1, select=("TFM3",))
    (result,) = runner.check([str(tmp_path)], some)
    assert {f.rule for f in (*result.fixed, *result.left)} == {"TFM301"}
    assert everything[0] != result
