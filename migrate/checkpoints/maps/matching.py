"""Pair tensors without a map: by names, by layers that look alike, by shapes that occur once.

Whatever could be two things is left open and listed with its candidates. Order decides only where
the user says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from migrate.checkpoints.formats.base import Tensor

HOW = ("name", "structure", "shape", "order")
_LEAVES = {
    "weights": "kernel", "weight": "kernel", "w": "kernel", "filters": "kernel",
    "filter": "kernel", "biases": "bias", "b": "bias", "embedding": "embeddings",
    "depthwise_weights": "depthwise_kernel", "pointwise_weights": "pointwise_kernel",
    "moving_var": "moving_variance",
}  # fmt: skip
_CANDIDATES = 8
Form = tuple[tuple[int, ...], str]


@dataclass
class Matches:
    """Target → (source, how); and for targets left open, who could be it."""

    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    open: dict[str, list[str]] = field(default_factory=dict)
    clashes: dict[str, str] = field(default_factory=dict)


def plain(name: str) -> str:
    """A name as both worlds could have it: without output number, with Keras' last parts."""
    parts = name.removesuffix(":0").lower().split("/")
    parts[-1] = _LEAVES.get(parts[-1], parts[-1])
    return "/".join(parts)


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts conv2d_2 before conv2d_10, and conv2d before both."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def match(
    sources: Mapping[str, Tensor],
    targets: Mapping[str, Tensor],
    spellings: Mapping[str, Iterable[str]],
    order: Iterable[str],
    accept: Iterable[str],
) -> Matches:
    """Pair ``sources`` with ``targets``.

    Args:
        sources: tensors of the old checkpoint that no map speaks of.
        targets: tensors of the new one that nothing is known for.
        spellings: names of a target, the best first.
        order: the sources in their order of creation, as far as it is known.
        accept: ways of ``HOW`` that may decide.
    """
    return _Matcher(sources, targets, spellings, list(order), set(accept)).run()


class _Matcher:
    def __init__(
        self,
        sources: Mapping[str, Tensor],
        targets: Mapping[str, Tensor],
        spellings: Mapping[str, Iterable[str]],
        order: list[str],
        accept: set[str],
    ) -> None:
        self.sources, self.targets, self.accept = dict(sources), dict(targets), accept
        self.spellings = {name: list(spellings.get(name, ())) or [name] for name in targets}
        self.order = order
        self.result = Matches()

    def run(self) -> Matches:
        if "name" in self.accept:
            self.by_name(((0, 0), (0, 1), (1, 0)))
        if "structure" in self.accept:
            self.by_name(((1, 1),))
        while True:
            before = len(self.result.pairs)
            if "structure" in self.accept:
                self.by_layer()
            if "shape" in self.accept:
                self.by_shape()
            if len(self.result.pairs) == before:
                break
        if "order" in self.accept:
            self.by_order()
        for target, tensor in self.targets.items():
            found = [name for name, other in self.sources.items() if form(other) == form(tensor)]
            self.result.open[target] = sorted(found, key=natural)
        return self.result

    def pair(self, source: str, target: str, how: str) -> None:
        self.result.pairs[target] = (source, how)
        del self.sources[source]
        del self.targets[target]

    def by_name(self, cuts: Sequence[tuple[int, int]]) -> None:
        """Equal names, without the first parts of either side's."""
        for cut_source, cut_target in cuts:
            mine = _index(self.sources, lambda name, cut=cut_source: [_cut(plain(name), cut)])
            theirs = _index(
                self.targets,
                lambda name, cut=cut_target: [_cut(plain(s), cut) for s in self.spellings[name]],
            )
            for key, names in mine.items():
                others = theirs.get(key, [])
                if not key or len(names) != 1 or len(others) != 1:
                    continue
                source, target = names[0], others[0]
                if source not in self.sources or target not in self.targets:
                    continue
                if form(self.sources[source]) == form(self.targets[target]):
                    # Two names whose first parts differ are no longer the same name.
                    both = cut_source and cut_target
                    self.pair(source, target, "structure" if both else "name")
                elif not (cut_source and cut_target):
                    self.result.clashes[target] = source

    def by_layer(self) -> None:
        """Layers whose weights, by last names and shapes, occur once on either side."""
        for named in (True, False):
            mine = self.layers(self.sources, lambda name: name, named)
            theirs = self.layers(self.targets, lambda name: self.spellings[name][0], named)
            for signature, layers in mine.items():
                others = theirs.get(signature, [])
                if len(layers) != 1 or len(others) != 1 or len(set(signature)) != len(signature):
                    continue
                one, other = layers[0], others[0]
                if len(one) > 1:
                    for key in signature:
                        self.pair(one[key], other[key], "structure")

    def layers(
        self, tensors: dict[str, Tensor], called: object, named: bool
    ) -> dict[tuple[object, ...], list[dict[object, str]]]:
        assert callable(called)
        groups: dict[str, dict[object, str]] = defaultdict(dict)
        twice: set[str] = set()
        for name, tensor in tensors.items():
            scope, _, leaf = plain(called(name)).rpartition("/")
            key: object = (leaf, *form(tensor)) if named else form(tensor)
            if key in groups[scope]:
                twice.add(scope)
            groups[scope][key] = name
        found: dict[tuple[object, ...], list[dict[object, str]]] = defaultdict(list)
        for scope, group in groups.items():
            if scope not in twice:
                found[tuple(sorted(group, key=repr))].append(group)
        return found

    def by_shape(self) -> None:
        """Shapes that occur once on either side."""
        mine, theirs = _by_form(self.sources), _by_form(self.targets)
        for key, names in mine.items():
            others = theirs.get(key, [])
            if len(names) == 1 and len(others) == 1:
                self.pair(names[0], others[0], "shape")

    def by_order(self) -> None:
        """The i-th of a shape is the i-th, where both sides have as many."""
        rank = {name: number for number, name in enumerate(self.order)}
        mine, theirs = _by_form(self.sources), _by_form(self.targets)
        for key, names in mine.items():
            others = theirs.get(key, [])
            if len(names) != len(others):
                continue
            names.sort(key=lambda name: (rank.get(name, len(rank)), natural(name)))
            # Targets stand in the order in which the model makes them.
            for source, target in zip(names, others, strict=True):
                self.pair(source, target, "order")


def form(tensor: Tensor) -> Form:
    """Shape and dtype."""
    return tensor.shape, tensor.dtype


def _cut(name: str, count: int) -> str:
    parts = name.split("/")
    return "/".join(parts[count:]) if len(parts) > count else ""


def _index(tensors: Mapping[str, Tensor], keys: object) -> dict[str, list[str]]:
    assert callable(keys)
    found: dict[str, list[str]] = defaultdict(list)
    for name in tensors:
        for key in dict.fromkeys(keys(name)):
            found[key].append(name)
    return found


def _by_form(tensors: Mapping[str, Tensor]) -> dict[Form, list[str]]:
    found: dict[Form, list[str]] = defaultdict(list)
    for name, tensor in tensors.items():
        found[form(tensor)].append(name)
    return found
