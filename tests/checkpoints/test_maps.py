"""Maps: steps and their inverses, rules, names, vocabularies, and matching that never guesses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from migrate.checkpoints.errors import Usage
from migrate.checkpoints.formats.base import Tensor
from migrate.checkpoints.maps import cells, mapfile, matching, steps
from migrate.checkpoints.maps.roles import keras_names, roles

from .conftest import Run, golden

MODELS = f"{Path(__file__).with_name('models.py')}:"

STEPS: list[tuple[Any, tuple[int, ...], Any]] = [
    ("transpose", (2, 3), lambda x: x.T),
    ({"transpose": [1, 2, 0]}, (2, 3, 4), lambda x: x.transpose(1, 2, 0)),
    ({"reshape": [-1, 2]}, (3, 4), lambda x: x.reshape(6, 2)),
    ({"squeeze": [0, -1]}, (1, 3, 1), lambda x: x[0, :, 0]),
    ("squeeze", (1, 3, 1), lambda x: x[0, :, 0]),
    ({"expand": 1}, (3, 2), lambda x: x[:, None]),
    ({"gates": {"from": "ijfo", "to": "ifjo"}}, (2, 8),
     lambda x: np.concatenate([x[:, 0:2], x[:, 4:6], x[:, 2:4], x[:, 6:8]], 1)),
    ({"gates": {"order": [1, 0], "axis": 0}}, (4, 2), lambda x: np.concatenate([x[2:], x[:2]])),
    ({"add": 0.5}, (3,), lambda x: x + 0.5),
    ({"add": {"value": 1.0, "gate": "f", "gates": "ifjo"}}, (8,),
     lambda x: x + np.array([0, 0, 1, 1, 0, 0, 0, 0])),
    ({"multiply": -4}, (3,), lambda x: x * -4),
    ({"cast": "float64"}, (3,), lambda x: x.astype(np.float64)),
]  # fmt: skip


@pytest.mark.parametrize(("item", "shape", "expected"), STEPS, ids=[str(s[0]) for s in STEPS])
def test_steps(item: Any, shape: tuple[int, ...], expected: Any) -> None:
    step = steps.parse(item, "here")
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    made = step.apply(values)
    assert made.shape == step.shape(shape)
    assert np.array_equal(made, expected(values))
    assert str(made.dtype) == step.dtype("float32")
    back = step.inverse((shape, "float32")).apply(made)
    assert back.tobytes() == values.tobytes()
    assert np.array_equal(values, np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("flip", "no transform 'flip'; known: transpose"),
        ({"transpose": [0], "squeeze": [0]}, "one key"),
        ({"transpose": "x"}, "not understood"),
        ({"gates": {"from": "ab", "to": "ac"}}, "same letters"),
        ({"gates": {"order": [0, 2]}}, "no order of blocks"),
        ({"cast": "float31"}, "no dtype"),
        ({"add": True}, "a number"),
        ({"slice": {"axis": 0, "start": 0, "end": 3}}, "axis, start, stop"),
    ],
)
def test_no_such_step(item: Any, words: str) -> None:
    with pytest.raises(Usage, match="here: ") as error:
        steps.parse(item, "here")
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("item", "shape"),
    [({"transpose": [0, 0]}, (2, 3)), ({"squeeze": [0]}, (2, 3)), ({"reshape": [4, -1]}, (2, 3)),
     ({"gates": {"from": "ab", "to": "ba"}}, (3,)), ({"expand": 5}, (3,)),
     ({"slice": {"axis": 0, "stop": 9}}, (3,)), ({"slice": {"axis": 2}}, (3,))],
)  # fmt: skip
def test_step_that_does_not_fit(item: Any, shape: tuple[int, ...]) -> None:
    with pytest.raises(Usage):
        steps.parse(item, "here").shape(shape)


def table(**shapes: tuple[int, ...]) -> dict[str, Tensor]:
    return {
        k.replace("__", "/"): Tensor(k.replace("__", "/"), "float32", s) for k, s in shapes.items()
    }


def applied(tmp_path: Path, content: Any, tensors: dict[str, Tensor], toml: bool = False) -> Any:
    path = tmp_path / ("map.toml" if toml else "map.json")
    path.write_text(content if toml else json.dumps(content))
    return mapfile.apply(mapfile.load(str(path)), tensors)


def test_rules(tmp_path: Path) -> None:
    """The first rule that matches a whole name decides; TOML reads as JSON does."""
    text = r"""
    version = 1
    [[rules]]
    match = 'net/(fc\d)/w'
    to = '\1/kernel'
    transform = ["transpose", {squeeze = [0]}]
    [[rules]]
    match = 'net/.*'
    drop = true
    [[rules]]
    match = '(?P<layer>.*)/joint'
    split = {axis = 1, sizes = [2, -1]}
    to = ['\g<layer>/a', '\g<layer>/b']
    [[rules]]
    concat = ['x', {name = 'y', transform = ["transpose"]}]
    axis = 0
    to = 'xy'
    [[rules]]
    match = 'nothing/like/it'
    to = 'z'
    """
    tensors = table(
        net__fc1__w=(5, 1), net__other=(1,), h__joint=(3, 7), x=(2, 4), y=(4, 3), q=(1,)
    )
    found = applied(tmp_path, text, tensors, toml=True)
    forms = {item.to: item.expression.form(tensors)[0] for item in found.mapped}
    assert forms == {"fc1/kernel": (5,), "h/a": (3, 2), "h/b": (3, 5), "xy": (5, 4)}
    assert found.dropped == {"net/other": "the map drops it"}
    assert found.used == {"net/fc1/w", "h/joint", "x", "y"}
    assert [where.endswith("rule 5") for where in found.idle] == [True]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([1], "a map is an object"),
        ({"rules": [{"match": "(", "to": "a"}]}, "rule 1: match"),
        ({"rules": [{"match": "a"}]}, "`to` is missing"),
        ({"rules": [{"match": "a", "too": "b"}]}, "too not known"),
        ({"rules": [], "rule": 1}, "rule: not known"),
        ({"rules": [], "version": 2}, "version 2"),
        ({"rules": [{"match": "a", "to": "\\2"}]}, "rule 1"),
        ({"rules": [{"concat": ["gone"], "to": "b"}]}, "has no 'gone'"),
        ({"rules": [{"match": "a", "cell": "NASCell", "to": "b"}]}, "no cell 'NASCell'"),
        ({"rules": [{"match": "a", "split": {"axis": 0, "sizes": [1, 1]}, "to": ["b", "c"]}]},
         "into 2 parts"),
        ({"a": {"path": "b", "transpose": [0]}}, "transpose not known"),
        ({"a": {"transform": []}}, "`path` is missing"),
        ({"a": 3}, "an object was expected"),
        ({"a": {"path": "b", "vocabulary": {"old": "x", "new": "y"}}}, "`missing` says"),
    ],
)  # fmt: skip
def test_bad_maps(content: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(Usage) as error:
        applied(tmp_path, content, table(a=(3, 2)))
    assert words in str(error.value)
    (tmp_path / "map.json").write_text("{")
    with pytest.raises(Usage):
        mapfile.load(str(tmp_path / "map.json"))
    with pytest.raises(Usage):
        mapfile.load(str(tmp_path / "gone.json"))


def test_names(tmp_path: Path) -> None:
    """Every form of an entry of migrate-names.json; `$` keys are comments."""
    names = {
        "$schema": "1",
        "a": "dense.kernel",
        "b": {"path": "dense/bias", "transform": [{"squeeze": [0]}], "shape": [1, 3]},
        "c": {"drop": True},
        "g": {"path": "gates", "permutation": [0, 2, 1, 3]},
        "d": {"split": {"axis": 0, "sizes": [1, -1]},
              "into": [{"path": "e"}, {"path": "f", "transform": ["transpose"]}]},
        "rnn/gru_cell": {"cell": "GRUCell", "path": "gru"},
    }  # fmt: skip
    tensors = table(a=(2, 3), b=(1, 3), c=(1,), d=(4, 2), g=(3, 8))
    tensors |= table(rnn__gru_cell__gates__kernel=(5, 4), rnn__gru_cell__gates__bias=(4,))
    tensors |= table(rnn__gru_cell__candidate__kernel=(5, 2), rnn__gru_cell__candidate__bias=(2,))
    found = applied(tmp_path, names, tensors)
    forms = {item.to: item.expression.form(tensors)[0] for item in found.mapped}
    assert forms == {
        "dense.kernel": (2, 3), "dense/bias": (3,), "e": (1, 2), "f": (2, 3), "gates": (3, 8),
        "gru/kernel": (3, 6), "gru/recurrent_kernel": (2, 6), "gru/bias": (6,),
    }  # fmt: skip


def test_cells_refuse() -> None:
    tensors = table(s__kernel=(13, 28), s__bias=(28,), s__w_f_diag=(7,))
    with pytest.raises(Usage, match="forget_bias"):
        cells.weights("LSTMCell", "s", tensors, None)
    with pytest.raises(Usage, match="peepholes"):
        cells.weights("LSTMCell", "s", tensors, 1.0)
    with pytest.raises(Usage, match="no matrix"):
        cells.weights("BasicRNNCell", "s", table(s__kernel=(3, 7), s__bias=(7,)), None)
    with pytest.raises(Usage, match="has no 's/gates/kernel'"):
        cells.weights("GRUCell", "s", tensors, None)


def test_roles() -> None:
    tensors = table(w=(2,), w__Adam=(2,), w__Adam_1=(2,), w__ExponentialMovingAverage=(2,),
                    beta1_power=(), opt__beta2_power_1=(), global_step=(), w__other=(3,),
    )  # fmt: skip
    tensors["t-keys"] = Tensor("t-keys", "string", (3,), 9)
    found = {name: role.kind for name, role in roles(tensors).items()}
    assert found == {
        "w": "variable", "w/Adam": "slot", "w/Adam_1": "slot",
        "w/ExponentialMovingAverage": "average", "beta1_power": "power",
        "opt/beta2_power_1": "power", "global_step": "step", "w/other": "variable",
        "t-keys": "table",
    }  # fmt: skip
    assert keras_names("Adam_1", ["Adam", "Adam_1"]) == ("velocity",)
    assert keras_names("RMSProp_1", ["RMSProp", "RMSProp_1"]) == ("momentum",)
    assert keras_names("RMSProp_1", ["RMSProp", "RMSProp_1", "RMSProp_2"]) == ("average_gradient",)
    assert keras_names("Strange", ["Strange"]) == ()


def pairs(sources: dict[str, Tensor], targets: dict[str, Tensor], **more: Any) -> Any:
    accept = more.pop("accept", ("name", "structure", "shape"))
    return matching.match(sources, targets, {}, more.pop("order", ()), accept)


def test_matching_by_name() -> None:
    found = pairs(
        table(fc__weights=(2, 3), fc__biases=(3,)),
        table(model__fc__kernel=(2, 3), model__fc__bias=(3,)),
    )
    assert found.pairs == {
        "model/fc/kernel": ("fc/weights", "name"), "model/fc/bias": ("fc/biases", "name")
    }  # fmt: skip


def test_matching_never_guesses() -> None:
    """Two layers of one shape are left open, and so is what hangs on them."""
    sources = table(
        a__kernel=(4, 4), a__bias=(4,), b__kernel=(4, 4), b__bias=(4,), out__kernel=(4, 9)
    )
    targets = table(
        x__kernel=(4, 4), x__bias=(4,), y__kernel=(4, 4), y__bias=(4,), z__kernel=(4, 9)
    )
    found = pairs(sources, targets)
    assert found.pairs == {"z/kernel": ("out/kernel", "shape")}
    assert found.open["x/kernel"] == ["a/kernel", "b/kernel"]
    assert set(found.open) == {"x/kernel", "x/bias", "y/kernel", "y/bias"}
    assert pairs(sources, targets, accept=("name",)).pairs == {}
    ordered = pairs(sources, targets, accept=("name", "order"), order=["b/kernel", "a/kernel"])
    assert ordered.pairs["x/kernel"] == ("b/kernel", "order")
    assert ordered.pairs["x/bias"] == ("a/bias", "order")


def test_matching_by_structure() -> None:
    """A layer with weights and bias of its own shapes is that layer, whatever it is called."""
    found = pairs(
        table(a__w=(4, 5), a__b=(5,), c__w=(5, 5), c__b=(5,)),
        table(p__kernel=(4, 5), p__bias=(5,), q__kernel=(5, 5), q__bias=(5,)),
    )
    assert found.pairs["p/bias"] == ("a/b", "structure")
    assert found.pairs["q/bias"] == ("c/b", "structure")


def test_natural_order() -> None:
    names = ["conv2d_10/kernel", "conv2d_2/kernel", "conv2d/kernel", "conv2d_1/kernel"]
    assert sorted(names, key=matching.natural) == [names[2], names[3], names[1], names[0]]


@pytest.mark.tf2
@pytest.mark.usefixtures("in_process")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_ambiguous(run: Run, tmp_path: Path) -> None:
    """Three layers of one shape: a list, exit code 1, no file; a map settles it."""
    source = tmp_path / "in.npz"
    values = {f"l{n}/{leaf}": np.full(s, n, np.float32) for n in range(3)
              for leaf, s in (("weights", (8, 8)), ("biases", (8,)))}  # fmt: skip
    np.savez(source, **values)
    out = tmp_path / "new.weights.h5"
    for more in ((), ("--dry-run",)):
        text = run("convert", source, out, "--model", MODELS + "twins", *more, code=1).output
        assert "Ambiguous, 6 targets" in text
        assert "sequential/two/kernel: l0/weights, l1/weights, l2/weights" in text
        assert not out.exists()
    plan = json.loads(
        run("convert", source, out, "--model", MODELS + "twins", "--dry-run", "--format", "json",
            code=1).output
    )  # fmt: skip
    assert len(plan["ambiguous"]) == 6
    assert plan["complete"] is False
    start = tmp_path / "map.json"
    run("convert", source, out, "--model", MODELS + "twins", "--write-map", start, code=1)
    names = {}
    for key, candidates in json.loads(start.read_text()).items():
        layer, leaf = key.rpartition("sequential/")[2].split("/")
        wanted = {"one": 2, "two": 0, "three": 1}[layer]
        names[next(c for c in candidates if c.startswith(f"l{wanted}/"))] = f"{layer}/{leaf}"
    start.write_text(json.dumps(names))
    run("convert", source, out, "--model", MODELS + "twins", "--map", start, "--verify")
    from . import models

    model = models.twins()
    model.load_weights(out)
    assert [float(layer.kernel[0, 0]) for layer in model.layers] == [2, 0, 1]
    run("convert", source, out, "--model", MODELS + "twins", "--accept", "order", "--overwrite")
    model.load_weights(out)
    assert [float(layer.kernel[0, 0]) for layer in model.layers] == [0, 1, 2]


@pytest.mark.tf2
@pytest.mark.usefixtures("in_process")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_does_not_fit(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "new.weights.h5"
    text = run("convert", golden("mlp"), out, "--model", MODELS + "contrib", code=1).output
    assert "Unmatched" in text
    assert "Left over" in text
    names = tmp_path / "names.json"
    names.write_text(json.dumps({"dense/kernel": "fc9/kernel"}))
    text = run("convert", golden("mlp"), out, "--model", MODELS + "contrib", "--map", names,
               code=2).output  # fmt: skip
    assert "has no 'fc9/kernel'" in text
    names.write_text(json.dumps({"dense/kernel": "fc1/kernel"}))
    text = run("convert", golden("mlp"), out, "--model", MODELS + "contrib", "--map", names,
               code=2).output  # fmt: skip
    assert "[8, 16]" in text
    assert "[8, 12]" in text
    assert not out.exists()


@pytest.mark.tf2
def test_model_that_fails(run: Run, tmp_path: Path) -> None:
    """The user's code fails in its own process; its last lines are shown."""
    for spec, words in (
        (MODELS + "wrong", "no such model today"),
        ("nomodule:build", "nomodule"),
        ("nocolon", "module:callable"),
    ):
        if spec != MODELS + "wrong" or True:
            text = run(
                "convert", golden("mlp"), tmp_path / "o.keras", "--model", spec, code=2
            ).output
            assert words in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.tf2
def test_model_in_its_own_process(run: Run, tmp_path: Path) -> None:
    """Without the shortcut of the other tests: a real child makes the model.

    The user's modules may be called as this package's are.
    """
    (tmp_path / "tables.py").write_text("WIDTH = 12\n")
    (tmp_path / "errors.py").write_text(
        "import keras, tables\n"
        "def build():\n"
        "    layers = keras.layers\n"
        "    return keras.Sequential([keras.Input((8,)), layers.Dense(tables.WIDTH, name='fc1'),\n"
        "        layers.BatchNormalization(name='bn'), layers.Dense(3, name='fc2')])\n"
    )
    out = tmp_path / "new.weights.h5"
    run("convert", golden("contrib"), out, "--model", f"{tmp_path}/errors.py:build", "--verify")
    assert out.stat().st_size > 1000


def test_like(run: Run, tmp_path: Path) -> None:
    """A file of the new program is the target; no code is run."""
    import h5py

    with h5py.File(tmp_path / "fresh.weights.h5", "w") as stream:
        group = stream.create_group("layers/dense/vars")
        group.attrs["name"] = "fc1"
        group["0"], group["1"] = np.zeros((8, 12), np.float32), np.zeros(12, np.float32)
    names = tmp_path / "names.json"
    names.write_text(json.dumps({"fc1/weights": "fc1/0", "fc1/biases": "layers/dense/vars/1"}))
    out = tmp_path / "out.weights.h5"
    words = [golden("contrib"), out, "--like", tmp_path / "fresh.weights.h5", "--map", names]
    run("convert", *words, code=1)
    run("convert", *words, "--include", "^fc1/", "--verify")
    from migrate.checkpoints.opening import reading

    with reading(str(out)) as new, reading(golden("contrib")) as old:
        assert np.array_equal(new.read("layers/dense/vars/0"), old.read("fc1/weights"))
    assert (
        "laid out by its model"
        in run("convert", golden("mlp"), tmp_path / "x.weights.h5", code=2).output
    )
    run("convert", golden("mlp"), tmp_path / "x.keras", "--like", golden("mlp"), code=2)


def test_vocabulary(run: Run, tmp_path: Path) -> None:
    """Rows follow their words; new words get zeros, or what the new file starts with."""
    (tmp_path / "old.txt").write_text("the\ncat\nsat\n")
    (tmp_path / "new.txt").write_text("mat\nsat\nthe\n")
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.savez(tmp_path / "in.npz", **{"emb": rows, "emb/Adam": rows + 100})
    names = tmp_path / "names.json"
    vocabulary = {"old": "old.txt", "new": "new.txt", "missing": "zeros", "oov": 1}
    names.write_text(json.dumps({"emb": {"path": "words", "vocabulary": vocabulary}}))
    run("convert", tmp_path / "in.npz", tmp_path / "out.npz", "--map", names, "--verify")
    with np.load(tmp_path / "out.npz") as stored:
        expected = [[0, 0, 0], [6, 7, 8], [0, 1, 2], [0, 0, 0]]
        assert stored["words"].tolist() == expected
        assert stored["words/Adam"].tolist() == [
            [0, 0, 0],
            [106, 107, 108],
            [100, 101, 102],
            [0, 0, 0],
        ]
    np.savez(tmp_path / "fresh.npz", words=np.full((4, 3), -1, np.float32))
    vocabulary["missing"] = "keep"
    names.write_text(json.dumps({"emb": {"path": "words", "vocabulary": vocabulary}}))
    run("convert", tmp_path / "in.npz", tmp_path / "kept.npz", "--map", names, "--like",
        tmp_path / "fresh.npz")  # fmt: skip
    with np.load(tmp_path / "kept.npz") as stored:
        assert stored["words"].tolist() == [[-1] * 3, [6, 7, 8], [0, 1, 2], [-1] * 3]
    vocabulary["missing"] = "error"
    names.write_text(json.dumps({"emb": {"path": "words", "vocabulary": vocabulary}}))
    text = run("convert", tmp_path / "in.npz", tmp_path / "no.npz", "--map", names, code=2).output
    assert "'mat'" in text


def test_include_exclude_and_cast(run: Run, tmp_path: Path) -> None:
    run("convert", golden("mlp"), tmp_path / "a.npz", "--include", "^dense", "--exclude", "Adam")
    with np.load(tmp_path / "a.npz") as stored:
        assert sorted(stored.files) == [
            "dense/bias", "dense/kernel", "dense_1/bias", "dense_1/kernel", "dense_2/bias",
            "dense_2/kernel",
        ]  # fmt: skip
        half = {key: stored[key].astype(np.float16) for key in stored.files}
    np.savez(tmp_path / "half.npz", **half)
    words = [tmp_path / "a.npz", tmp_path / "b.npz", "--like", tmp_path / "half.npz"]
    assert "--cast rounds" in run("convert", *words, code=1).output
    run("convert", *words[:1], tmp_path / "cast.npz", *words[2:], "--cast", "--verify")
    names = tmp_path / "names.json"
    names.write_text(json.dumps({key: key for key in half}))
    assert "--cast rounds" in run("convert", *words, "--map", names, code=2).output
    run("convert", *words, "--map", names, "--cast", "--verify")
    with np.load(tmp_path / "b.npz") as stored:
        assert all(stored[key].tobytes() == half[key].tobytes() for key in half)
    run("convert", golden("mlp"), tmp_path / "c.npz", "--include", "nothing", code=2)
    run("convert", golden("mlp"), tmp_path / "c.npz", "--include", "(", code=2)
    run("convert", golden("mlp"), tmp_path / "c.npz", "--ema", code=2)


def test_averages_without_a_model(run: Run, tmp_path: Path) -> None:
    run("convert", golden("averages"), tmp_path / "a.npz", "--ema")
    run("convert", golden("averages"), tmp_path / "raw.npz")
    with np.load(tmp_path / "a.npz") as taken, np.load(tmp_path / "raw.npz") as raw:
        assert not [key for key in taken.files if "Average" in key]
        for key in taken.files:
            assert np.array_equal(taken[key], raw[f"{key}/ExponentialMovingAverage"])
            assert not np.array_equal(taken[key], raw[key])
