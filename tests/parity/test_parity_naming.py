"""Which variable is which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from migrate.parity import naming
from migrate.parity.bundle import Bundle


def run(*variables: Any, slots: dict[str, list[str]] | None = None, **start: Any) -> Bundle:
    """A bundle with (name, shape, trainable) in order."""
    record = {
        "variables": [
            {"name": name, "shape": shape, "dtype": "float32", "trainable": trainable, "order": i}
            for i, (name, shape, trainable) in enumerate(variables)
        ],
        "slots": slots or {},
    }
    return Bundle(record, {f"v/0/{name}": value for name, value in start.items()})


def how(matching: naming.Matching) -> dict[str, tuple[str, str]]:
    return {pair.before: (pair.after, pair.how) for pair in matching.pairs}


def test_equal_names_come_first() -> None:
    one = run(("a", [2], True), ("b", [2], True))
    other = run(("b", [2], True), ("a", [2], True))
    assert how(naming.match(one, other)) == {"a": ("a", "name"), "b": ("b", "name")}


def test_the_users_map_wins() -> None:
    one = run(("a", [2], True), ("b", [2], True))
    other = run(("a", [2], True), ("b", [2], True))
    matching = naming.match(one, other, {"a": "b", "b": "a"})
    assert how(matching) == {"a": ("b", "map"), "b": ("a", "map")}


def test_start_values_decide_between_equal_shapes() -> None:
    one = run(("W", [2], True), ("V", [2], True), W=np.ones(2), V=np.zeros(2))
    other = run(("k1", [2], True), ("k2", [2], True), k1=np.zeros(2), k2=np.ones(2))
    assert how(naming.match(one, other)) == {"W": ("k2", "start value"), "V": ("k1", "start value")}


def test_beta_and_gamma_are_told_by_their_names() -> None:
    one = run(("bn/beta", [2], True), ("bn/gamma", [2], True))
    other = run(("norm/gamma", [2], True), ("norm/beta", [2], True))
    found = how(naming.match(one, other))
    assert found == {"bn/beta": ("norm/beta", "order"), "bn/gamma": ("norm/gamma", "order")}


def test_order_decides_last() -> None:
    one = run(("W", [2], True), ("V", [2], True))
    other = run(("x", [2], True), ("y", [2], True))
    assert how(naming.match(one, other)) == {"W": ("x", "order"), "V": ("y", "order")}


def test_what_is_left_over_is_named() -> None:
    one = run(("W", [2], True), ("count", [], False))
    other = run(("k", [3], True), ("adam/iteration", [], False))
    matching = naming.match(one, other)
    assert (matching.missing, matching.extra) == (["W"], ["k"])
    assert matching.not_compared == ["count"]


def test_slots_follow_their_variable_and_kind() -> None:
    one = run(
        ("W", [2], True), ("W/Adam", [2], False), ("W/Adam_1", [2], False),
        slots={"W/Adam": ["W", "m"], "W/Adam_1": ["W", "v"]},
    )  # fmt: skip
    other = run(
        ("k", [2], True), ("adam/k_velocity", [2], False), ("adam/k_momentum", [2], False),
        slots={"adam/k_velocity": ["k", "velocity"], "adam/k_momentum": ["k", "momentum"]},
    )  # fmt: skip
    found = how(naming.match(one, other))
    assert found["W/Adam"] == ("adam/k_momentum", "slot")
    assert found["W/Adam_1"] == ("adam/k_velocity", "slot")


def test_of_two_optimizers_slots_the_one_that_moved() -> None:
    """Keras makes slots for variables without a gradient, too."""
    one = run(("w", [2], True), ("w/Adam", [2], False), slots={"w/Adam": ["w", "m"]})
    slots = ["adam/w_momentum", "adam_1/w_momentum"]
    for moved in slots:
        other = run(
            ("w", [2], True),
            *((name, [2], False) for name in slots),
            slots={name: ["w", "momentum"] for name in slots},
        )
        for name in slots:
            other.arrays[f"v/end/{name}"] = np.arange(2.0) * (name == moved)
        assert how(naming.match(one, other))["w/Adam"] == (moved, "slot")


def test_momentum_and_adam_on_one_variable_keep_their_slots_apart() -> None:
    theirs = {"w/Adam": ["w", "m"], "w/Momentum": ["w", "momentum"]}
    one = run(("w", [2], True), *((n, [2], False) for n in theirs), slots=theirs)
    for names in (("adam/w", "momentum/w"), ("momentum/w", "adam/w")):
        slots = {f"{name}_momentum": ["w", "momentum"] for name in names}
        other = run(("w", [2], True), *((n, [2], False) for n in slots), slots=slots)
        other.arrays |= {f"v/end/{name}": np.arange(2.0) for name in slots}
        found = how(naming.match(one, other))
        assert found["w/Adam"] == ("adam/w_momentum", "slot")
        assert found["w/Momentum"] == ("momentum/w_momentum", "slot")


def test_a_count_is_not_missing_among_the_trained() -> None:
    one = run(("w", [2], True), ("iterations", [], True))
    one.record["variables"][1]["dtype"] = "int64"
    matching = naming.match(one, run(("w", [2], True)))
    assert (matching.missing, matching.not_compared) == ([], ["iterations"])


def test_the_buffer_of_keras_sgd_is_another_quantity() -> None:
    one = run(("W", [2], True), ("W/M", [2], False), slots={"W/M": ["W", "momentum"]})
    other = run(("k", [2], True), ("SGD/k_momentum", [2], False),
                slots={"SGD/k_momentum": ["k", "momentum"]})  # fmt: skip
    matching = naming.match(one, other)
    assert matching.not_compared == ["W/M"]


def test_moving_averages_by_the_last_part_of_their_name() -> None:
    one = run(("bn/moving_mean", [3], False), ("bn/moving_variance", [3], False))
    other = run(("model/bn_1/moving_variance", [3], False), ("model/bn_1/moving_mean", [3], False))
    found = how(naming.match(one, other))
    assert found["bn/moving_mean"][0] == "model/bn_1/moving_mean"
    assert found["bn/moving_variance"][0] == "model/bn_1/moving_variance"


def test_name_maps_are_read_from_files(tmp_path: Path) -> None:
    path = tmp_path / "migrate-names.json"
    path.write_text(json.dumps({"a": "b", "c": {"path": "d", "permutation": [0, 2, 1, 3]}}))
    assert naming.load_names([str(path)]) == {"a": "b", "c": "d"}


def test_entries_without_one_counterpart_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "migrate-names.json"
    split = {"split": {"axis": 0}, "into": [{"path": "c"}, {"path": "d"}]}
    cell = {"cell": "GRUCell", "path": "gru"}
    path.write_text(json.dumps({"a": {"drop": True}, "b": split, "rnn": cell, "$note": "x"}))
    assert naming.load_names([str(path)]) == {}


def test_layers_that_arent_trained_are_paired_by_what_they_start_with() -> None:
    start = np.array([1.0, 2.0], np.float32)
    names = {"target/dense/kernel": start, "other/kernel": start + 1.0}
    one = run(*((name, [2], False) for name in names), **names)
    two = run(("dense/kernel", [2], True), **{"dense/kernel": start})
    matching = naming.match(one, two)
    assert how(matching) == {"target/dense/kernel": ("dense/kernel", "start value")}
    assert not matching.extra


def test_a_name_that_is_another_layers() -> None:
    """Keras numbers its own: ``dense`` starts as another layer of the original does."""
    one = run(
        ("dense/kernel", [2], True),
        ("dense/bias", [1], True),
        ("head/dense/kernel", [2], True),
        ("head/dense/bias", [1], True),
        **{"dense/kernel": np.array([1.0, 2.0]), "head/dense/kernel": np.array([3.0, 4.0])},
        **{"dense/bias": np.zeros(1), "head/dense/bias": np.zeros(1)},
    )
    other = run(
        ("dense/bias", [1], True),
        ("dense/kernel", [2], True),
        ("dense_1/bias", [1], True),
        ("dense_1/kernel", [2], True),
        **{"dense/kernel": np.array([3.0, 4.0]), "dense_1/kernel": np.array([1.0, 2.0])},
        **{"dense/bias": np.zeros(1), "dense_1/bias": np.zeros(1)},
    )
    found = {before: after for before, (after, _) in how(naming.match(one, other)).items()}
    assert found == {
        "dense/kernel": "dense_1/kernel",
        "dense/bias": "dense_1/bias",
        "head/dense/kernel": "dense/kernel",
        "head/dense/bias": "dense/bias",
    }


def test_a_name_without_a_layer_is_its_own() -> None:
    """What has another one's name says nothing of those beside it."""
    start = {"w": np.array([1.0, 2.0]), "v": np.array([3.0, 4.0]), "b": np.array([5.0, 6.0])}
    other = {"w": start["v"], "x": start["w"], "b": np.array([5.0, 7.0])}
    one = run(*((name, [2], True) for name in start), **start)
    found = how(naming.match(one, run(*((name, [2], True) for name in other), **other)))
    assert {before: after for before, (after, _) in found.items()} == {
        "w": "x",
        "v": "w",
        "b": "b",
    }
    assert found["b"] == ("b", "name")


def test_biases_keep_their_name_where_all_do() -> None:
    """Keras makes them later than a function's variables; names tell what starts alike."""
    one = run(("a/bias", [2], True), ("a/shift", [2], True))
    other = run(("shift", [2], True), ("dense/bias", [2], True))
    found = {before: after for before, (after, _) in how(naming.match(one, other)).items()}
    assert found == {"a/bias": "dense/bias", "a/shift": "shift"}
    fewer = run(("x", [2], True), ("dense/bias", [2], True), ("b/bias", [2], True))
    found = {before: after for before, (after, _) in how(naming.match(one, fewer)).items()}
    assert found["a/bias"] == "x"  # not all of that name are there: by order
