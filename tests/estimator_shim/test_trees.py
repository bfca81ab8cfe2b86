"""The parts of boosted trees that are NumPy: sums by bucket, splits, growth, pruning, quantiles."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from migrate.estimator_shim.canned.boosted_trees import _growth, _model, _quantiles

pytestmark = pytest.mark.tf2

F = np.float32


def column(*values: float) -> Any:
    return np.array(values, F)[:, None]


def best(stats: Any, **kwargs: float) -> _growth.Split:
    """The splits of one group of features, of a root."""
    options = {"l1": 0.0, "l2": 0.0, "complexity": 0.0, "least": 0.0} | kwargs
    stats = np.asarray(stats, F)
    return _growth.best_splits([list(range(len(stats)))], [stats], (0, 1), **options)


def split(feature: int, node: int, gain: float, left: float, right: float) -> _growth.Split:
    one = [np.array([v]) for v in (node, feature, 0)]
    return _growth.Split(*one, *[np.array([v], F) for v in (gain, left, right)])


class TestStatistics:
    def test_sums_by_feature_node_and_bucket(self) -> None:
        buckets = np.array([[0, 2], [1, 2], [1, 0]], np.int32)
        nodes = np.array([1, 2, 2], np.int32)
        groups = [_growth.Group(2, [0]), _growth.Group(3, [1])]
        first, second = _growth.statistics(
            groups, column(1, 2, 4), column(10, 20, 40), nodes, 3, buckets
        )
        assert first.dtype == second.dtype == F
        assert first[0].tolist() == [[[0, 0]] * 2, [[1, 10], [0, 0]], [[0, 0], [6, 60]]]
        assert second[0, 1].tolist() == [[0, 0], [0, 0], [1, 10]]
        assert second[0, 2].tolist() == [[4, 40], [0, 0], [2, 20]]

    def test_a_bucket_beyond_the_last_is_the_next_nodes_first(self) -> None:
        buckets = np.array([[2, 0], [2, 1]], np.int32)
        (found,) = _growth.statistics(
            [_growth.Group(2, [0, 1])], column(1, 2), column(1, 1), np.array([0, 1]), 2, buckets
        )
        assert found[0, :, :, 0].tolist() == [[0, 0], [1, 0]]  # the second is nowhere
        assert found[1, :, :, 0].tolist() == [[1, 0], [0, 2]]

    def test_sums_are_of_float64(self) -> None:
        gradients = column(1, *[1e-8] * 10, -1)
        (found,) = _growth.statistics(
            [_growth.Group(1, [0])], gradients, gradients, np.zeros(12, int), 1,
            np.zeros((12, 1), int),
        )  # fmt: skip
        assert found[0, 0, 0, 0] == F(1e-7)


class TestSplits:
    def test_gains_and_weights(self) -> None:
        found = best([[[[-2, 1], [4, 2]]]])
        # 2²/1 + 4²/2 - (-2 + 4)²/3
        assert found.gain.tolist() == pytest.approx([4 + 8 - 4 / 3])
        assert (found.left.item(), found.right.item()) == (2, -2)
        assert (found.feature.item(), found.threshold.item(), found.node.item()) == (0, 0, 0)

    def test_regularized(self) -> None:
        found = best([[[[-2, 1], [4, 2]]]], l1=1.0, l2=1.0, complexity=0.5)
        assert (found.left.item(), found.right.item()) == (0.5, -1)
        assert found.gain.tolist() == pytest.approx([0.5 + 3 - 1 / 4 - 0.5])

    def test_nodes_without_enough_hessian_stay(self) -> None:
        assert not len(best([[[[-2, 1], [4, 2]]]], least=3.5).node)
        assert len(best([[[[-2, 1], [4, 2]]]], least=3.0).node)

    def test_the_first_of_equal_features_wins(self) -> None:
        stats = [[[[-2, 1], [4, 2]]]] * 3
        assert best(stats).feature.item() == 0

    def test_the_first_of_equal_thresholds_wins(self) -> None:
        assert best([[[[-2, 1], [0, 0], [4, 2]]]]).threshold.item() == 0


class TestGrowth:
    def test_a_layer_and_a_finished_tree(self) -> None:
        grown = _growth.grow(_growth.empty(), split(3, 0, 1.0, 2.0, -4.0), 0.5, 1, "none")
        assert grown.nodes.tolist()[:3] == [[3, 0, 1, 2], [0, 0, 1, 1], [0, 0, 2, 2]]
        assert grown.values.tolist() == [0, 1, -2, 0]  # the last is the next tree's root
        assert grown.finished.tolist() == [True, False]
        assert grown.starts.tolist() == [0, 3]
        assert grown.attempted.tolist() == [1, 1]

    def test_leaves_add_to_what_the_node_had(self) -> None:
        grown = _growth.grow(_growth.empty(), split(0, 0, 1.0, 1.0, 2.0), 1.0, 3, "none")
        assert grown.layer.tolist() == [1, 3]
        grown = _growth.grow(grown, split(1, 2, 1.0, 1.0, 2.0), 1.0, 3, "none")
        assert grown.values.tolist() == [0, 1, 2, 3, 4]
        assert grown.nodes[2].tolist() == [1, 0, 3, 4]
        assert grown.layers.tolist() == [2]

    def test_pruned_before(self) -> None:
        grown = _growth.grow(_growth.empty(), split(0, 0, -1.0, 1.0, 2.0), 1.0, 2, "pre")
        assert (len(grown.values), grown.layers.tolist(), grown.attempted.tolist()) == (
            1,
            [0],
            [1, 1],
        )

    def test_pruned_after(self) -> None:
        grown = _growth.grow(_growth.empty(), split(0, 0, 5.0, 1.0, 2.0), 1.0, 2, "post")
        grown = _growth.grow(grown, split(1, 1, -1.0, 1.0, 2.0), 1.0, 2, "post")
        assert grown.nodes.tolist() == [[0, 0, 1, 2], [0, 0, 1, 1], [0, 0, 2, 2], [0, 0, 3, 3]]
        assert grown.pruned.tolist() == [5, 0]
        assert grown.pruned_to.tolist() == [0, 1, 2, 1, 1]
        assert grown.pruned_by.tolist() == [0, 0, 0, -1, -2]

    def test_the_bias(self) -> None:
        once, moves = _growth.center_bias(_growth.empty(), 2.0, 4.0, 0.0, 0.0)
        assert (once.values.tolist(), moves) == ([-0.5], True)
        twice, moves = _growth.center_bias(once, 0.01, 4.0, 0.0, 0.0)
        assert not moves
        assert twice.values.item() == pytest.approx(-0.5025)


@pytest.mark.parametrize(
    ("workers", "servers", "strategy"), [(2, 0, None), (1, 1, None), (1, 0, "a strategy")]
)
def test_clusters_and_strategies_are_refused(workers: int, servers: int, strategy: Any) -> None:
    config = SimpleNamespace(
        num_worker_replicas=workers, num_ps_replicas=servers, train_distribute=strategy
    )
    with pytest.raises(NotImplementedError, match="train in one process and without a strategy"):
        _model._check_alone(config)


class TestQuantiles:
    @pytest.mark.parametrize("weights", [np.ones(1, F), np.linspace(0.1, 3, 5000, dtype=F)])
    def test_ranks_are_known_to_the_epsilon(self, weights: Any) -> None:
        values = np.random.RandomState(0).normal(size=5000).astype(F)
        streams = _quantiles.Streams(0.01, 1)
        for part in np.split(np.arange(5000), 10):
            streams.add([values[part]], weights if len(weights) == 1 else weights[part])
        assert streams.batches == 10
        (edges,) = streams.boundaries(20)
        assert 20 <= len(edges) <= 40
        assert (np.diff(edges) > 0).all()
        order = np.argsort(values)
        ranks = np.cumsum(np.broadcast_to(weights, values.shape)[order])
        shares = ranks[np.searchsorted(values[order], edges)] / ranks[-1]
        assert np.abs(np.diff(shares)).max() < 2 * (1 / 20 + 0.01)

    def test_few_values_are_all_boundaries(self) -> None:
        streams = _quantiles.Streams(0.01, 1)
        streams.add([np.array([3, 1, 3, 2], F)], np.ones(1, F))
        assert streams.boundaries(100)[0].tolist() == [1, 2, 3]

    def test_what_weighs_nothing_is_left_out(self) -> None:
        streams = _quantiles.Streams(0.01, 1)
        streams.add([np.array([3, 1, 2], F)], np.array([1, 0, 1], F))
        assert streams.boundaries(100)[0].tolist() == [2, 3]
