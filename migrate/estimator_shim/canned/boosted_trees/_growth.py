"""How an ensemble grows: the best splits of a layer, new nodes, pruning, the bias.

NumPy, on the host: it happens once per layer. Sums, gains and ties are those of TF 1.15's kernels,
float32 in the same order, so that trees come out as there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

#: Gains that are no further apart count as equal.
_TOLERANCE = np.float32(1e-15)
#: Hessians that are no larger count as nothing.
_SMALL = np.float32(1e-15)
#: The bias is found once it moves by no more than this share.
_MOVE_OF_BIAS = 0.01

#: How many pairs of an example and a feature are summed up at once: larger arrays leave the cache.
_AT_ONCE = 1 << 14

NONE, PRE, POST = "none", "pre", "post"


class Group(NamedTuple):
    """Features with as many buckets."""

    buckets: int
    features: list[int]


class Ensemble(NamedTuple):
    """Trees, the nodes of all of them in one array.

    Attributes:
      nodes: int32 [nodes, 4], the feature and the bucket that a node splits by, and where those at
        or below and those above it go, as rows of this array. A leaf goes to itself.
      values: float32 [nodes], what leaves add to the logit; of splits, what they did as leaves.
      gains: float32 [nodes], of splits.
      marks: int32 [nodes], `IS_LEAF`, `HAS_METADATA` and `HAS_ORIGINAL` as bits.
      starts: int32 [trees], the first row of each tree.
      weights: float32 [trees].
      layers: int32 [trees], how many layers were grown.
      finished: bool [trees].
      pruned: int32 [trees], of how many nodes the two below know, for each tree in turn.
      pruned_to: int32 [all pruned], the number in its tree of the node that a node became.
      pruned_by: float32 [all pruned], how much the logit changed by that.
      attempted: int64 [2], trees and layers that were tried.
      layer: int32 [2], the first node of the layer that grows, in its tree, and the end; zeros
        before anything has grown.
    """

    nodes: Any
    values: Any
    gains: Any
    marks: Any
    starts: Any
    weights: Any
    layers: Any
    finished: Any
    pruned: Any
    pruned_to: Any
    pruned_by: Any
    attempted: Any
    layer: Any


IS_LEAF, HAS_METADATA, HAS_ORIGINAL = 1, 2, 4


class Split(NamedTuple):
    """The best split of each node that has one."""

    node: Any
    feature: Any
    threshold: Any
    gain: Any
    left: Any
    right: Any


def empty() -> Ensemble:
    """An ensemble without trees."""
    none, nothing = np.zeros(0, np.int32), np.zeros(0, np.float32)
    return Ensemble(
        np.zeros((0, 4), np.int32), nothing, nothing, none, none, nothing, none,
        np.zeros(0, np.bool_), none, none, nothing, np.zeros(2, np.int64), np.zeros(2, np.int32),
    )  # fmt: skip


def statistics(
    groups: Sequence[Group], gradients: Any, hessians: Any, nodes: Any, end: int, buckets: Any
) -> list[Any]:
    """Sums of gradients and hessians by feature, node and bucket.

    Args:
      groups: The features.
      gradients: Float32 [batch_size, 1].
      hessians: Float32 [batch_size, 1].
      nodes: Int32 [batch_size], the leaf of each example, by its number in its tree.
      end: The end of the layer that grows.
      buckets: Int32 [batch_size, features].

    Returns:
      For each group float32 [features, nodes, buckets, 2].
    """
    found = []
    weights = [each.reshape(-1, 1).astype(np.float64) for each in (gradients, hessians)]
    rows = nodes[:, None].astype(np.intp)
    some = max(_AT_ONCE // max(len(nodes), 1), 1)
    for group in groups:
        size = end * group.buckets
        sums = np.empty((len(group.features), size, 2), np.float32)
        for start in range(0, len(group.features), some):
            features = group.features[start : start + some]
            # As in the kernels of TF1 a bucket beyond the last one is the next node's first one:
            # there may be one boundary more than buckets.
            place = rows * group.buckets + buckets[:, features]
            beyond = place >= size if place.max(initial=0) >= size else None
            place += np.arange(len(features)) * size
            total = len(features) * size
            if beyond is not None:
                place[beyond] = total  # is left out
            for i, each in enumerate(weights):
                # The kernels of TF1 sum up in float64, one example after the other, too.
                of_each = np.broadcast_to(each, place.shape).reshape(-1)
                bins = np.bincount(place.reshape(-1), of_each, total + 1)
                sums[start : start + some, :, i] = bins[:-1].reshape(-1, size)
        found.append(sums.reshape(len(sums), end, group.buckets, 2))
    return found


def _weigh(gradients: Any, hessians: Any, l1: Any, l2: Any) -> tuple[Any, Any]:
    """The weight of a leaf with such sums, and what it gains."""
    if l1 > 0:
        shrunk = gradients - np.sign(gradients) * l1
        gradients = np.where(np.abs(gradients) > l1, shrunk, np.float32(0))
    below = hessians + l2
    enough = below > _SMALL
    weights = np.where(enough, -gradients / np.where(enough, below, np.float32(1)), np.float32(0))
    return weights, -gradients * weights


def _first_best(gains: Any) -> Any:
    """The last along axis -1 that is larger than the best before it, by the tolerance."""
    best = np.argmax(gains, -1)
    top = np.take_along_axis(gains, best[..., None], -1)
    before = np.arange(gains.shape[-1]) < best[..., None]
    close = (before & (top - gains < _TOLERANCE)).any(-1)
    for where in zip(*np.nonzero(close), strict=True):  # so rare that a loop will do
        row, at = gains[where], 0
        for i in range(1, len(row)):
            if row[i] - row[at] >= _TOLERANCE:
                at = i
        best[where] = at
    return best


class _Candidates(NamedTuple):
    """The best split of each feature [features] at each node [nodes]."""

    features: Any
    thresholds: Any
    gains: Any
    lefts: Any
    rights: Any


def _candidates(
    features: Sequence[int], stats: Any, l1: Any, l2: Any, complexity: Any, least: Any
) -> _Candidates:
    """See `best_splits`."""
    sums = np.cumsum(stats, 2, dtype=np.float32)
    totals = sums[:, :, -1:]
    rest = totals - sums
    left, gain_left = _weigh(sums[..., 0], sums[..., 1], l1, l2)
    right, gain_right = _weigh(rest[..., 0], rest[..., 1], l1, l2)
    _, gain_before = _weigh(totals[:, :, 0, 0], totals[:, :, 0, 1], l1, l2)
    gains = gain_left + gain_right
    best = _first_best(gains)
    chosen = [np.take_along_axis(a, best[..., None], -1)[..., 0] for a in (gains, left, right)]
    gain = chosen[0] - gain_before - complexity
    gain = np.where(totals[:, :, 0, 1] < least, -np.inf, gain).astype(np.float32)
    number = np.broadcast_to(np.array(features, np.int32)[:, None], gain.shape)
    return _Candidates(number, best.astype(np.int32), gain, chosen[1], chosen[2])


def _of_features(candidates: _Candidates) -> Any:
    """The row of the best feature of each node; -1 if there is none."""
    gains, numbers = candidates.gains, candidates.features
    possible = np.isfinite(gains)
    gains = np.where(possible, gains, np.float32(-np.inf))
    top = gains.max(0)
    close = possible & (top - gains < 2 * _TOLERANCE)
    # The first of those that are tied.
    rows = np.where(possible.any(0), close.argmax(0), -1)
    for node in np.nonzero(np.count_nonzero(close, 0) > 1)[0]:
        rows[node] = _of_tied(np.nonzero(close[:, node])[0], gains[:, node], numbers[:, node])
    return rows


def _of_tied(tied: Any, gains: Any, numbers: Any) -> Any:
    """The row of the feature that a node is split by, of those that gain alike."""
    if (gains[tied] == gains[tied[0]]).all():
        return tied[numbers[tied].argmin()]
    best: Any = tied[0]
    for i in tied[1:]:
        if abs(gains[i] - gains[best]) < _TOLERANCE:
            if numbers[i] < numbers[best]:
                best = i
        elif gains[i] > gains[best]:
            best = i
    return best


def best_splits(
    groups: Sequence[Sequence[int]],
    stats: Sequence[Any],
    layer: Any,
    l1: float,
    l2: float,
    complexity: float,
    least: float,
) -> Split:
    """The best split of each node of a layer.

    Args:
      groups: The numbers of the features, those with as many buckets together.
      stats: For each group the sums of gradients and hessians by bucket, float32 [features, nodes,
        buckets, 2], of all nodes up to the layer's end.
      layer: The first node and the end.
      l1: How much the sum of gradients of a leaf is shrunk.
      l2: What is added to the sum of hessians of a leaf.
      complexity: What a split must gain to be worth it.
      least: The sum of hessians that a node must have to be split.

    Returns:
      The splits.
    """
    start, end = int(layer[0]), int(layer[1])
    numbers = [np.float32(v) for v in (l1, l2, complexity, least)]
    with np.errstate(all="ignore"):
        parts = [
            _candidates(features, of_group[:, start:end], *numbers)
            for features, of_group in zip(groups, stats, strict=True)
            if len(features)
        ]
        both = _Candidates(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        rows = _of_features(both)
    found = np.nonzero(rows >= 0)[0]
    at = (rows[found], found)
    return Split(
        (found + start).astype(np.int32), both.features[at], both.thresholds[at], both.gains[at],
        both.lefts[at], both.rights[at],
    )  # fmt: skip


def _leaves(ensemble: Ensemble, values: Any) -> Ensemble:
    """The ensemble with more leaves at the end of its last tree."""
    count, more = len(ensemble.values), len(values)
    rows = np.zeros((more, 4), np.int32)
    rows[:, 2:] = np.arange(count, count + more)[:, None]
    return ensemble._replace(
        nodes=np.concatenate([ensemble.nodes, rows]),
        values=np.concatenate([ensemble.values, values.astype(np.float32)]),
        gains=np.concatenate([ensemble.gains, np.zeros(more, np.float32)]),
        marks=np.concatenate([ensemble.marks, np.full(more, IS_LEAF, np.int32)]),
    )


def _new_tree(ensemble: Ensemble) -> Ensemble:
    """The ensemble with another tree, of one leaf that adds nothing."""
    count = len(ensemble.values)
    ensemble = _leaves(ensemble, np.zeros(1, np.float32))
    return ensemble._replace(
        starts=np.append(ensemble.starts, np.int32(count)),
        weights=np.append(ensemble.weights, np.float32(1)),
        layers=np.append(ensemble.layers, np.int32(0)),
        finished=np.append(ensemble.finished, np.False_),
        pruned=np.append(ensemble.pruned, np.int32(0)),
    )


def grow(
    ensemble: Ensemble, splits: Split, learning_rate: float, max_depth: int, pruning: str
) -> Ensemble:
    """The ensemble with a layer more, and a new tree if the last one is finished.

    Args:
      ensemble: The ensemble.
      splits: See `best_splits`.
      learning_rate: What the weights of leaves are multiplied by.
      max_depth: After how many layers a tree is finished.
      pruning: "none"; "pre": splits that gain less than nothing are not made; "post": they are
        taken back when the tree is finished.

    Returns:
      The new ensemble.
    """
    if not len(ensemble.starts):
        ensemble = _new_tree(ensemble)
    attempt = np.array([ensemble.layers[-1] == 0, 1], np.int64)
    ensemble = ensemble._replace(attempted=ensemble.attempted + attempt)
    made = splits.gain >= 0 if pruning == PRE else np.ones(len(splits.node), np.bool_)
    splits = Split(*(column[made] for column in splits))
    if not len(splits.node):
        return ensemble
    start = int(ensemble.starts[-1])
    first_new = len(ensemble.values)
    rate = np.float32(learning_rate)
    rows = splits.node + start
    before = ensemble.values[rows]
    new = np.stack([before + splits.left * rate, before + splits.right * rate], 1).reshape(-1)
    ensemble = _leaves(ensemble, new)
    nodes, gains, marks = ensemble.nodes.copy(), ensemble.gains.copy(), ensemble.marks.copy()
    children = first_new + 2 * np.arange(len(rows))
    nodes[rows] = np.stack([splits.feature, splits.threshold, children, children + 1], 1)
    gains[rows] = splits.gain
    original = (splits.node != 0) | (before != 0)
    marks[rows] = HAS_METADATA + HAS_ORIGINAL * original
    layers = ensemble.layers.copy()
    layers[-1] += 1
    layer = np.array([first_new - start, first_new - start + len(new)], np.int32)
    ensemble = ensemble._replace(nodes=nodes, gains=gains, marks=marks, layers=layers, layer=layer)
    if layers[-1] < max_depth:
        return ensemble
    finished = ensemble.finished.copy()
    finished[-1] = True
    ensemble = ensemble._replace(finished=finished, layer=np.array([0, 1], np.int32))
    if pruning == POST:
        ensemble = _prune(ensemble)
    return _new_tree(ensemble)


def _prune(ensemble: Ensemble) -> Ensemble:
    """The ensemble without those splits of its last tree that gain less than nothing."""
    start = int(ensemble.starts[-1])
    nodes = ensemble.nodes[start:].copy()
    nodes[:, 2:] -= start
    values, gains, marks = (
        a[start:].copy() for a in (ensemble.values, ensemble.gains, ensemble.marks)
    )
    into = np.arange(len(nodes))
    change = np.zeros(len(nodes), np.float32)
    # Children come after their parents.
    for i in range(len(nodes) - 1, -1, -1):
        children = nodes[i, 2:]
        if marks[i] & IS_LEAF or gains[i] >= 0 or not (marks[children] & IS_LEAF).all():
            continue
        change[children] = values[children] - values[i]
        into[children] = i
        nodes[i] = [0, 0, i, i]
        gains[i], marks[i] = 0, IS_LEAF
    kept = into == np.arange(len(nodes))
    if kept.all():
        return ensemble
    number = np.cumsum(kept) - 1
    by, target = np.zeros(len(nodes), np.float32), np.arange(len(nodes))
    for lost in np.nonzero(~kept)[0]:
        while not kept[target[lost]]:
            by[lost] += change[target[lost]]
            target[lost] = into[target[lost]]
    nodes = nodes[kept]
    nodes[:, 2:] = number[nodes[:, 2:]] + start
    pruned = ensemble.pruned.copy()
    pruned[-1] = len(target)
    return ensemble._replace(
        nodes=np.concatenate([ensemble.nodes[:start], nodes]),
        values=np.concatenate([ensemble.values[:start], values[kept]]),
        gains=np.concatenate([ensemble.gains[:start], gains[kept]]),
        marks=np.concatenate([ensemble.marks[:start], marks[kept]]),
        pruned=pruned,
        pruned_to=np.concatenate([ensemble.pruned_to, number[target].astype(np.int32)]),
        pruned_by=np.concatenate([ensemble.pruned_by, 0 - by]),
    )


def center_bias(
    ensemble: Ensemble, gradient: Any, hessian: Any, l1: float, l2: float
) -> tuple[Ensemble, bool]:
    """The ensemble whose first leaf, its only one, is closer to the labels' mean.

    Args:
      ensemble: The ensemble.
      gradient: The mean of the gradients.
      hessian: The mean of the hessians.
      l1: See `best_splits`.
      l2: See `best_splits`.

    Returns:
      The new ensemble, and whether the bias is still moving.
    """
    first = not len(ensemble.starts)
    if first:
        ensemble = _new_tree(ensemble)
    weight, _ = _weigh(np.float32(gradient), np.float32(hessian), np.float32(l1), np.float32(l2))
    values = ensemble.values.copy()
    before = values[0]
    with np.errstate(all="ignore"):
        moves = first or bool(np.abs(weight / before) > _MOVE_OF_BIAS)
    values[0] = before + weight
    return ensemble._replace(values=values), moves
