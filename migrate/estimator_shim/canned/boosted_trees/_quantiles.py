"""The boundaries of the buckets of float features: weighted quantiles of a stream of batches.

Greenwald and Khanna's sketch with weights, in the blocks and levels of TF 1.15's kernels and with
their rounding, so that boundaries come out as there. Values and ranks are float32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

#: How many values TF1 makes the levels of a stream for.
_MOST = 1 << 40


class Summary(NamedTuple):
    """Values in ascending order, what each weighs, and between which ranks it lies."""

    values: Any
    weights: Any
    lowest: Any
    highest: Any

    @property
    def before(self) -> Any:
        """The highest rank before each value."""
        return self.highest - self.weights

    @property
    def after(self) -> Any:
        """The lowest rank after each value."""
        return self.lowest + self.weights


_NOTHING = Summary(*[np.zeros(0, np.float32)] * 4)


def _of_values(values: Any, weights: Any) -> Summary:
    """The exact summary of some values."""
    distinct, where = np.unique(values, return_inverse=True)
    sums = np.zeros(len(distinct), np.float32)
    np.add.at(sums, where, weights)
    highest = np.cumsum(sums, dtype=np.float32)
    lowest = np.concatenate([np.zeros(min(1, len(sums)), np.float32), highest[:-1]])
    return Summary(distinct, sums, lowest, highest)


def _spread(entries: Summary, others: Summary) -> tuple[Any, Any]:
    """The ranks of those entries that others do not have, once both are one."""
    place = np.searchsorted(others.values, entries.values)
    below = np.concatenate([np.zeros(1, np.float32), others.after])[place]
    above = np.concatenate([others.before, others.highest[-1:]])[place]
    return entries.lowest + below, entries.highest + above


def _merge(one: Summary, two: Summary) -> Summary:
    """The summary of the values of both."""
    if not len(two.values):
        return one
    if not len(one.values):
        return two
    values = np.union1d(one.values, two.values)
    both = np.intersect1d(one.values, two.values)
    weights, lowest, highest = np.zeros((3, len(values)), np.float32)
    for entries, others in ((one, two), (two, one)):
        at = np.searchsorted(values, entries.values)
        weights[at] = entries.weights
        lowest[at], highest[at] = _spread(entries, others)
    at = np.searchsorted(values, both)
    mine, theirs = np.searchsorted(one.values, both), np.searchsorted(two.values, both)
    weights[at] = one.weights[mine] + two.weights[theirs]
    lowest[at] = one.lowest[mine] + two.lowest[theirs]
    highest[at] = one.highest[mine] + two.highest[theirs]
    return Summary(values, weights, lowest, highest)


def _compress(summary: Summary, size: int, epsilon: float) -> Summary:
    """At most about so many of the entries, such that ranks are known to the epsilon."""
    size = max(size, 2)
    count = len(summary.values)
    if count <= size:
        return summary
    allowed = float(summary.highest[-1]) * max(1.0 / size, epsilon)
    before, after = summary.before, summary.after
    kept = [0]
    used, at, last = 0, 0, 1
    while at + 1 != count:
        following = at + 1
        # float32 differences: Python's would be exact, and others than TF1's.
        while following != count and used < count and before[following] - after[at] <= allowed:
            used += size
            following += 1
        at = at + 1 if at == following - 1 else following - 1
        kept.append(at)
        last = at
        used -= count
    if last + 1 != count:
        kept.append(count - 1)
    chosen = np.array(kept)
    return Summary(*(part[chosen] for part in summary))


def _error(summary: Summary) -> float:
    """How far off a rank may be, as a share of all ranks."""
    if len(summary.values) < 2:
        return 0.0
    own = summary.highest - summary.lowest - summary.weights
    gaps = summary.before[1:] - summary.after[:-1]
    worst = max(float(own[1:].max()), float(gaps.max()), 0.0)
    return worst / float(summary.highest[-1])


def _block_size(epsilon: float, most: int) -> int:
    """How many entries a level holds, if there are at most so many values."""
    if epsilon <= np.finfo(np.float64).tiny:
        return max(most, 2)
    levels, size = 1, 2
    while (1 << levels) * size < most:
        size = math.ceil(levels / epsilon) + 1
        levels += 1
    return size


class _Levels:
    """Summaries of blocks: level n + 1 takes what overflows level n."""

    def __init__(self, epsilon: float, most: int) -> None:
        # An argument of TF1's kernels, which are given float32: it changes the size of blocks.
        self._epsilon = float(np.float32(epsilon))
        self.block = _block_size(self._epsilon, most)
        self._levels: list[Summary] = []

    def push(self, summary: Summary) -> None:
        summary = _compress(summary, self.block, self._epsilon)
        if not len(summary.values):
            return
        level = 0
        while True:
            if level == len(self._levels):
                self._levels.append(_NOTHING)
            there = self._levels[level]
            summary = _merge(summary, there)
            if not len(there.values) or len(summary.values) <= self.block + 1:
                self._levels[level] = summary
                return
            summary = _compress(summary, self.block, self._epsilon)
            self._levels[level] = _NOTHING
            level += 1

    def finish(self) -> Summary:
        """Of all that was pushed; then it is empty again."""
        whole = _NOTHING
        for level in self._levels:
            whole = _merge(whole, level)
        self._levels = []
        return whole


def summarize(values: Any, weights: Any, epsilon: float) -> Summary:
    """The summary of a batch.

    Args:
      values: Float [batch_size].
      weights: Float [batch_size] or [1], for all; values that weigh nothing are left out.
      epsilon: How far off ranks may be.

    Returns:
      The summary.
    """
    most = len(values) + 1
    levels = _Levels(epsilon, most)
    weights = np.broadcast_to(weights, values.shape)
    counted = weights > 0
    values, weights = values[counted], weights[counted]
    full = min(2 * levels.block, most)
    for start in range(0, len(values), full):
        part = slice(start, start + full)
        levels.push(_of_values(values[part], weights[part]))
    return levels.finish()


class Streams:
    """One stream of batches per float feature."""

    def __init__(self, epsilon: float, count: int) -> None:
        """Empty streams.

        Args:
          epsilon: How far off ranks may be, as a share of all ranks.
          count: How many features.
        """
        self._epsilon = epsilon
        self._count = count
        self.reset()

    def reset(self) -> None:
        """Forgets all batches."""
        self._levels = [_Levels(self._epsilon, _MOST) for _ in range(self._count)]
        #: How many batches were added.
        self.batches = 0

    def add(self, features: Sequence[Any], weights: Any) -> None:
        """Adds a batch.

        Args:
          features: The values of each feature, float32 [batch_size].
          weights: See `summarize`.
        """
        for levels, values in zip(self._levels, features, strict=True):
            levels.push(summarize(values, weights, self._epsilon))
        self.batches += 1

    def boundaries(self, count: int) -> list[Any]:
        """The boundaries of each feature; then the streams are empty.

        Args:
          count: About how many boundaries. It may be some more, or as few as there are values.

        Returns:
          Float32 arrays, ascending.
        """
        found = []
        for levels in self._levels:
            whole = levels.finish()
            # What is left out adds an error of 1 / count to that of the summary itself.
            found.append(_compress(whole, count, _error(whole) + 1.0 / count).values)
        return found
