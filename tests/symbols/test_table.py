"""The outcome table against the two dumps: complete, and true on both sides."""

# ruff: noqa: SIM905
from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import migrate.symbols as symbols
from migrate.symbols import (
    ALWAYS,
    Arguments,
    Behaviour,
    CompatV1,
    Gone,
    Outcome,
    Record,
    Renamed,
    Same,
    Shim,
)
from migrate.symbols.curated import decisions, namespaces
from migrate.symbols.signatures import Signature, new, old

ROOT = Path(__file__).parents[2]


@cache
def records() -> list[Record]:
    found = [symbols.outcome(name) for name in symbols.endpoints()]
    assert None not in found
    return [r for r in found if r is not None]


def of(*kinds: type) -> list[Record]:
    return [r for r in records() if isinstance(r.outcome, kinds)]


def test_every_endpoint_of_1_15_5_has_exactly_one_outcome() -> None:
    names = symbols.endpoints()
    assert len(names) == len(set(names))
    assert set(names) == set(old().lines)


def test_the_dump_is_as_large_as_tensorflow_1_15_5() -> None:
    spaces = Counter(name.split(".")[1] for name in old().lines if "." in name)
    rest = sum(n for space, n in spaces.items() if space not in ("contrib", "examples"))
    # 4,102 endpoints by an independent walk, and tf.test.mock
    assert rest == 4103
    assert spaces["contrib"] > 2900
    assert spaces["raw_ops"] == 1202
    assert spaces["estimator"] == 91


def test_outcomes_are_of_the_closed_union() -> None:
    union = get_args(Outcome)
    assert {type(r.outcome) for r in records()} == set(union)


def test_the_committed_table_is_what_the_build_writes() -> None:
    ran = subprocess.run(
        [sys.executable, "scripts/build_symbols.py", "--check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr


def test_every_target_exists_in_2_21() -> None:
    missing = [r for r in records() if r.target is not None and not symbols.resolves(r.target)]
    assert missing == []


def test_targets_say_where_they_lead() -> None:
    for r in of(Same):
        assert r.name == "tensorflow" or not r.name.startswith("tensorflow.contrib")
    for r in of(Renamed):
        assert r.target != r.name, r
    for r in of(Renamed, Arguments):
        assert not str(r.target).startswith("tensorflow.compat.v1."), r
    for r in of(CompatV1):
        assert str(r.target).startswith("tensorflow.compat.v1."), r


def test_reasons_are_given() -> None:
    for r in of(Behaviour, CompatV1, Shim, Gone):
        match r.outcome:
            case Behaviour(_, text) | CompatV1(_, text) | Shim(_, text) | Gone(text):
                assert text, r
    assert not any("under review" in str(r.outcome) for r in records())


def test_shims_have_a_home_that_is_known() -> None:
    homes = tuple(home for home, _ in namespaces.SHIMS.values())
    for r in of(Shim):
        assert isinstance(r.outcome, Shim)
        assert r.outcome.module.startswith(homes), r


def test_compat_ok_and_drift_exist_under_compat_v1_and_lost_does_not() -> None:
    for r in records():
        if r.name == "tensorflow":
            continue
        there = symbols.resolves("tensorflow.compat.v1." + r.name.removeprefix("tensorflow."))
        assert there == (r.compat != "lost"), r
        assert bool(r.drift) == (r.compat == "drift"), r


# calls


def signatures(r: Record) -> tuple[Signature, Signature] | None:
    """1.15's and the target's, where both are known."""
    before = old().parameters(r.name)
    after = None if r.target is None else new().signature(r.target)
    if before is None or after is None or r.kind == "module":
        return None
    if before.params and before.params[0].name in ("_sentinel", "keyword_required"):
        return None  # takes keywords only; below
    return before, after


# classes that callers do not construct, and 1.15's (*args, **kwargs) that hid what 2.21 spells out
UNCONSTRUCTED = {
    "tensorflow.Operation",
    "tensorflow.RaggedTensor",
    "tensorflow.VariableAggregation",
}


@pytest.mark.parametrize("kind", [Same, Renamed])
def test_a_positional_call_binds_the_same_names_in_2_21(kind: type) -> None:
    wrong = []
    for r in of(kind):
        found = signatures(r)
        if found is None or r.name in UNCONSTRUCTED or "keras.applications" in r.name:
            continue
        before, after = found
        there = after.positional[: len(before.positional)]
        if there != before.positional and not (
            after.varargs and there == before.positional[: len(there)]
        ):
            wrong.append((r.name, before.positional, after.positional))
    assert wrong == []


@pytest.mark.parametrize("kind", [Same, Renamed])
def test_a_keyword_call_is_taken_in_2_21(kind: type) -> None:
    wrong = []
    for r in of(kind):
        found = signatures(r)
        if found is None or r.name in UNCONSTRUCTED:
            continue
        before, after = found
        named = [p.name for p in before.params if p.kind in ("positional", "keyword")]
        wrong += [(r.name, name) for name in named if not after.takes(name)]
        if not before.varargs and not before.varkw:
            needed = {p.name for p in after.params if p.default is None and p.kind == "positional"}
            if needed - {p.name for p in before.params}:
                wrong.append((r.name, "needs more"))
    assert wrong == []


def test_arguments_bind_to_the_same_parameters() -> None:
    for r in of(Arguments):
        found = signatures(r)
        if found is None:
            continue
        assert isinstance(r.outcome, Arguments)
        before, after = found
        change = r.outcome
        end = len(before.positional) if change.keyword_from is None else change.keyword_from
        for index, name in enumerate(before.positional[:end]):
            assert name not in change.removed, (r.name, name)
            if index < len(after.positional):
                assert after.positional[index] == change.renamed.get(name, name), (r.name, name)
            else:
                assert after.varargs, (r.name, name)


def test_every_keyword_that_arguments_can_emit_is_taken_by_the_target() -> None:
    for r in of(Arguments):
        found = signatures(r)
        assert isinstance(r.outcome, Arguments)
        change = r.outcome
        for name in [*change.renamed.values(), *change.defaults]:
            name = change.renamed.get(name, name)
            assert symbols.resolves(change.target, name), (r.name, name)
        if found is None:
            continue
        for p in found[0].params:
            if p.kind in ("positional", "keyword") and p.name not in change.removed:
                keyword = change.renamed.get(p.name, p.name)
                assert symbols.resolves(change.target, keyword), (r.name, keyword)


def test_renamed_and_removed_arguments_were_taken_by_1_15_5() -> None:
    for r in of(Arguments):
        assert isinstance(r.outcome, Arguments)
        before = old().parameters(r.name)
        assert before is not None, r
        for name in [*r.outcome.renamed, *r.outcome.removed]:
            assert before.takes(name), (r.name, name)


def test_nothing_required_is_left_out() -> None:
    for r in of(Arguments):
        found = signatures(r)
        if found is None:
            continue
        assert isinstance(r.outcome, Arguments)
        before, after = found
        change = r.outcome
        known = {change.renamed.get(p.name, p.name) for p in before.params} | set(change.defaults)
        for p in after.params:
            if p.kind in ("positional", "keyword") and p.default is None:
                assert p.name in known, (r.name, p.name)


def test_removed_arguments_have_a_reason_and_a_safe_value_that_is_source() -> None:
    for r in of(Arguments):
        assert isinstance(r.outcome, Arguments)
        for name, (reason, safe) in r.outcome.removed.items():
            assert reason, (r.name, name)
            if safe not in (None, ALWAYS):
                compile(str(safe), r.name, "eval")
        for text in r.outcome.defaults.values():
            compile(text, r.name, "eval")


def test_an_arguments_record_has_something_to_say() -> None:
    for r in of(Arguments):
        c = r.outcome
        assert isinstance(c, Arguments)
        assert c.renamed or c.removed or c.defaults or c.keyword_from is not None, r


# facts/api/DIFF.md: breaks that tf_upgrade_v2's tables have no entry for, and functions that they
# know by keyword only although the positions changed
WITHOUT_ENTRY = """
    OptionalSpec Variable autograph.experimental.set_loop_options
    config.experimental.set_virtual_device_configuration
    data.experimental.make_batched_features_dataset errors.UnknownError function gather
    distribute.experimental.ParameterServerStrategy distribute.experimental.TPUStrategy
    image.draw_bounding_boxes lite.TFLiteConverter lookup.StaticHashTable
    lookup.StaticVocabularyTable random.experimental.create_rng_state
    data.Dataset data.FixedLengthRecordDataset data.TFRecordDataset data.TextLineDataset
    data.experimental.CsvDataset data.experimental.RandomDataset
    distribute.cluster_resolver.SlurmClusterResolver
    distribute.experimental.MultiWorkerMirroredStrategy
""".split()
KEYWORD_ENTRY_ONLY = """
    autograph.to_code autograph.to_graph image.crop_and_resize image.resize io.decode_raw
    math.count_nonzero nn.batch_norm_with_global_normalization nn.conv2d_transpose nn.conv3d
    nn.conv3d_transpose nn.dilation2d nn.dropout nn.erosion2d nn.max_pool_with_argmax nn.nce_loss
    nn.safe_embedding_lookup_sparse nn.sampled_softmax_loss nn.sufficient_statistics strings.split
    strings.to_hash_bucket strings.to_number
""".split()


@pytest.mark.parametrize("name", [*WITHOUT_ENTRY, *KEYWORD_ENTRY_ONLY])
def test_what_the_official_tables_miss_is_not_the_same(name: str) -> None:
    r = symbols.outcome("tensorflow." + name)
    assert r is not None
    assert isinstance(r.outcome, Arguments | Behaviour), r


@pytest.mark.parametrize(
    "name", ["nn.sigmoid_cross_entropy_with_logits", "nn.sparse_softmax_cross_entropy_with_logits"]
)
def test_losses_that_only_took_keywords_still_do_what_they_did(name: str) -> None:
    r = symbols.outcome("tensorflow." + name)
    assert r is not None
    assert r.outcome == Same()
    assert symbols.resolves(r.name, "labels")
    assert symbols.resolves(r.name, "logits")


# the meaning is another one in tf.* of 2.21
CHANGED = """
    Tensor TensorShape Variable cond constant_initializer data.Dataset data.Iterator image.resize
    image.resize_images initializers.glorot_uniform losses metrics nn.ctc_beam_search_decoder
    nn.ctc_loss nn.dropout nn.embedding_lookup nn.softmax_cross_entropy_with_logits
    random_normal_initializer set_random_seed string_split strings.split summary.scalar where
    while_loop zeros_initializer keras.activations.hard_sigmoid keras.layers.BatchNormalization
    keras.layers.LSTM keras.optimizers.Adam keras.losses.CosineSimilarity keras.losses.cosine
    keras.metrics.cosine_proximity keras.metrics.binary_accuracy
""".split()


@pytest.mark.parametrize("name", CHANGED)
def test_changed_meanings_are_behaviour(name: str) -> None:
    r = symbols.outcome("tensorflow." + name)
    assert r is not None
    assert isinstance(r.outcome, Behaviour), r


def test_every_decision_of_a_person_is_about_an_endpoint() -> None:
    for name in decisions():
        assert symbols.is_endpoint("tensorflow." + name), name


@pytest.mark.parametrize(
    ("name", "graph"),
    [
        ("placeholder", True), ("Session", True), ("get_variable", True), ("layers.dense", True),
        ("variable_scope", True), ("global_variables_initializer", True), ("gradients", True),
        ("train.AdamOptimizer", True), ("train.Saver", True), ("summary.scalar", True),
        ("metrics.accuracy", True), ("add_to_collection", True), ("ConfigProto", True),
        ("train.shuffle_batch", True), ("nn.rnn_cell.LSTMCell", True), ("nn.dynamic_rnn", True),
        ("estimator.Estimator", True), ("contrib.slim.conv2d", True), ("FIFOQueue", True),
        ("app.run", False), ("logging.info", False), ("flags.DEFINE_string", False),
        ("log", False), ("to_float", False), ("random_normal", False), ("Variable", False),
        ("parse_single_example", False), ("data.Dataset", False), ("keras.layers.Dense", False),
        ("contrib.training.HParams", False), ("gfile.Open", False), ("test.TestCase", False),
        ("enable_eager_execution", False), ("train.Checkpoint", False), ("nn.conv2d", False),
    ],
)  # fmt: skip
def test_graph(name: str, graph: bool) -> None:
    r = symbols.outcome("tensorflow." + name)
    assert r is not None
    assert r.graph is graph
