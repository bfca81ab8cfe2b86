"""What a Saver's file in TF 1 calls what the new program's checkpoint has: `migrate-names.json`.

A section for each Saver: the names of variables, which TF 1's naming of ops and scopes gives, each
with its path in the new checkpoint; recurrent cells by their scopes; optimizers with what their
slots become. Names that can't be told are listed with a reason, none is guessed.

docs/checkpoints.md describes the file; `migrate checkpoint convert --map` reads it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.making import owned_branches
from migrate.programs.graph.model import Blocked, Kind, Region, Value
from migrate.programs.graph.recurrence.cells import Shape
from migrate.programs.graph.saving.savers import Saver
from migrate.programs.graph.scoping.tf1_names import LAYERS, Naming
from migrate.programs.graph.walk import Layer
from migrate.rewriters.sessions import layers, norms
from migrate.rewriters.sessions.built import attribute_name
from migrate.rewriters.sessions.tf1_slots import Late, Section, Slots, Written, said

if TYPE_CHECKING:
    from migrate.rewriters.sessions.state import Base

# What TF 1 and a Keras layer call the weights, in the order in which the layer makes them.
KERNEL = [("kernel", "_kernel"), ("bias", "bias")]
WEIGHTS = {
    "Dense": KERNEL,
    **{f"Conv{d}D": KERNEL for d in (1, 2, 3)},
    **{f"Conv{d}DTranspose": [("kernel", "kernel"), ("bias", "bias")] for d in (2, 3)},
    **{
        f"SeparableConv{d}D": [(n, n) for n in ("depthwise_kernel", "pointwise_kernel", "bias")]
        for d in (1, 2)
    },
    "DepthwiseConv2D": [("depthwise_kernel", "kernel"), ("bias", "bias")],
    "Embedding": [("embeddings", "_embeddings")],
}
CONTRIB_WEIGHTS = {
    "kernel": "weights",
    "bias": "biases",
    **{f"{half}_kernel": f"{half}_weights" for half in ("depthwise", "pointwise")},
}
NORM = [(n, n) for n in ("gamma", "beta", "moving_mean", "moving_variance")]
LASTING = ("scopes of normalizations without averages",)
UNTRAINED = frozenset({"moving_mean", "moving_variance"})
CELLS = {
    "BasicRNNCell": {"kernel": "kernel", "bias": "bias"},
    "BasicLSTMCell": {"kernel": "kernel", "bias": "bias"},
    "LSTMCell": {
        "kernel": "kernel",
        "bias": "bias",
        **{f"w_{gate}_diag": f"w_{gate}" for gate in "fio"},
        "projection/kernel": "projection",
    },
    "LayerNormBasicLSTMCell": {
        "kernel": "kernel",
        **{
            f"{gate}/{leaf}": f"{gate}_{leaf}"
            for gate in ("input", "transform", "forget", "output", "state")
            for leaf in ("gamma", "beta")
        },
    },
    "UGRNNCell": {"kernel": "kernel", "bias": "bias"},
    "NASCell": {
        **{leaf: leaf for leaf in ("recurrent_kernel", "kernel", "bias")},
        "projection_weights": "projection",
    },
    "CoupledInputForgetGateLSTMCell": {
        "W_0": "kernel",
        "B": "bias",
        "W_F_diag": "w_f",
        "W_O_diag": "w_o",
        "W_P_0": "projection",
    },
    "IndRNNCell": {leaf: leaf for leaf in ("kernel_w", "kernel_u", "bias")},
    "IndyLSTMCell": {leaf: leaf for leaf in ("kernel_w", "kernel_u", "bias")},
    "IndyGRUCell": {
        **{f"gates/{leaf}": f"gates_{leaf}" for leaf in ("kernel_w", "kernel_u", "bias")},
        **{f"candidate/{leaf}": f"candidate_{leaf}" for leaf in ("kernel", "kernel_u", "bias")},
    },
    "SRUCell": {"kernel": "kernel", "bias": "bias"},
    "IntersectionRNNCell": {
        **{f"in_projection/{leaf}": f"in_{leaf}" for leaf in ("kernel", "bias")},
        "kernel": "kernel",
        "bias": "bias",
    },
    "GLSTMCell": {
        **{f"bias_{gate}": f"biases/{k}" for k, gate in enumerate("ijfo")},
        "projection/kernel": "projection",
    },
    "CudnnCompatibleGRUCell": {
        **{f"gates/{leaf}": f"gates_{leaf}" for leaf in ("kernel", "bias")},
        **{
            f"candidate/{part}_projection/{leaf}": f"{part}_{leaf}"
            for part in ("input", "hidden")
            for leaf in ("kernel", "bias")
        },
    },
    "ConvLSTMCell": {"kernel": "kernel", "biases": "bias"},
    "GRUCell": {
        f"{part}/{leaf}": f"{part}_{leaf}"
        for part in ("gates", "candidate")
        for leaf in ("kernel", "bias")
    },
}


# Wrappers with variables of their own, and whether those of what is inside stand below them.
WRAPPERS = {
    "InputProjectionWrapper": ({"kernel": "kernel", "bias": "bias"}, True),
    "OutputProjectionWrapper": ({"kernel": "kernel", "bias": "bias"}, True),
    "EmbeddingWrapper": ({"embedding": "embedding"}, True),
    "HighwayWrapper": (
        {f"{gate}_{leaf}": f"{gate}_{leaf}" for gate in ("carry", "transform") for leaf in "wb"},
        False,
    ),
    "AttentionCellWrapper": (
        {
            "kernel": "kernel",
            "bias": "bias",
            **{f"attention/attn_{leaf}": f"attn_{leaf}" for leaf in "wv"},
            **{f"attention/{leaf}": f"query_{leaf}" for leaf in ("kernel", "bias")},
            **{f"attn_output_projection/{leaf}": f"output_{leaf}" for leaf in ("kernel", "bias")},
        },
        True,
    ),
}


def section(module: Base, saver: Saver, written: Written) -> Section:
    """What is known of a Saver's names."""
    return _Section(module, saver, written).whole()


def listed(module: Base, saver: Saver | None, entries: list[Owned]) -> list[str] | None:
    """The names in TF 1 of variables in a list, in its order; None where one can't be told."""
    return _Section(module, saver, Written()).of(entries)


def read(module: Base) -> None:
    """Names of layers' variables that a program reads are written where it does.

    Raises:
        Blocked: one can't be told.
    """
    for node, entries in module.walker.kept.get(("names read",), ()):
        names = listed(module, None, entries)
        if names is None or len(set(names)) < len(names):
            raise Blocked(node, "the names of layers' variables are read")
        whole = isinstance(node, ast.DictComp)
        names = names if whole else _as_made(module.walker, names)
        op = ast.unparse(node.key if whole else node.elt).endswith(".op.name")
        if id(node) in module.walker.kept.get(("names in tags",), ()):
            if any(re.search(r"_\d+$", name) for name in names):
                raise Blocked(node, "a summary has its variable's own name")
        known = f"[{', '.join(repr(name if op else f'{name}:0') for name in names)}]"
        listed_there = node.generators[0].iter
        module.walker.rewrites[id(node)] = _keyed(known, listed_there) if whole else _always(known)


def _as_made(walker: Any, names: list[str]) -> list[str]:
    """Names in TF 1's order: it made the offset of a normalization without averages first."""
    names, lasting = list(names), walker.kept.get(LASTING, ())
    for i, name in enumerate(names[:-1]):
        scope, _, leaf = name.rpartition("/")
        if leaf == "gamma" and scope in lasting and names[i + 1] == f"{scope}/beta":
            names[i : i + 2] = [names[i + 1], name]
    return names


def _keyed(names: str, variables: ast.expr) -> Callable[[Any], str]:
    return lambda writer: f"dict(zip({names}, {writer.source(variables)}))"


def _always(source: str) -> Callable[[Any], str]:
    return lambda _: source


class _Section(Slots):
    def of(self, entries: list[Owned]) -> list[str] | None:
        """The names of what is trained, in the order of the list that is written for it."""
        found: list[str] = []
        for number, entry in enumerate(entries):
            layer = self.module.walker.layers.get(id(entry.layer))
            if layer is None:
                if entry.value is None or entry.value.path is None:
                    return None
                found.append(entry.value.path)
                continue
            if layer.factory is None:
                names = self._weights(str(number), layer, False)
                if names is None or layer.norm is not None:
                    return None
            else:
                late = Late(0, [], set())
                if not self._inside(str(number), layer, late):
                    return None
                names = late.names
            if not all(isinstance(name, str) for name in names):
                return None
            found += names
        return found or None

    def whole(self) -> Section:
        for key, source in self.written.variables.items():
            if key in self.written.cells:
                continue
            value = self.saver.values.get(source)
            if value is None:
                self.unknown[key] = "which variable it is isn't seen"
            else:
                self._variable(key, value)
        for key, (layer, alone) in self.written.layers.items():
            self._layer(key, layer, alone)
        for key, at in self.written.cells.items():
            self._cell(key, at)
        for key in self.written.others:
            self.unknown[key] = "the names of what a loop or a layer of one's own makes in TF 1"
        for key in self.written.objects:
            self.unknown[key] = "the names that several objects' variables have in TF 1"
        for key, entries in self.written.averages.items():
            found = listed(self.module, self.saver, entries)
            if found is None or not self.saver.plain or len(self.written.averages) > 1:
                self.unknown[key] = "the names of moving averages in TF 1"
                continue
            for place, name in enumerate(found):
                self.names[f"{name}/ExponentialMovingAverage"] = f"{key}/{place}"
        self.names.update(self.written.told)
        trained = {k: self.optimizer(k, o) for k, o in self.written.optimizers.items()}
        out: Section = {"names": self.names}
        if self.patterns:
            out["patterns"] = self.patterns
        if trained:
            out["optimizers"] = trained
        if self.unknown:
            out["unknown"] = self.unknown
        return out

    def _variable(self, path: str, value: Value) -> None:
        if value.items is not None:
            for key, item in value.items:
                self._variable(f"{path}/{_escaped(str(key))}", item)
        elif value.path is None or value.kind is not Kind.VARIABLE or value.data == "container":
            self.unknown[path] = "its name in TF 1 can't be told"
        elif value.path in self.names:
            self.unknown[path] = f"{value.path} is {self.names[value.path]} already"
        else:
            self.names[value.path] = path

    def _layer(self, key: str, layer: Layer, alone: bool) -> None:
        calls = {
            id(other.call)
            for other in self.module.walker.layers.values()
            if layer.call in (other.call, other.same)
        }
        late = Late(2 * layer.order + alone, [], calls)
        if layer.factory is None:
            found = self._weights(key, layer, alone)
            if found is None:
                return
            late.names = found
        elif not self._inside(key, layer, late):
            self.unknown.setdefault(key, "the names of what a function makes can't be told")
            return
        if id(layer.call) in self.module.walker.kept.get("built", {}):
            late.early = [layer.order] * len(late.names)
        self.late[key] = late

    def _inside(self, key: str, layer: Layer, late: Late) -> bool:
        """What a call of a function makes, in the order in which what it returns has it.

        Whether all of its names are known.
        """
        entered = self.module.walker.entered
        region = entered[id(layer.factory)]
        if region.shaped:
            return self._attributes(key, region, layer.naming, layer.chain, late)
        place = 0
        for home, chain, entry in self._flat(region, layer.chain):
            late.early += [None] * (len(late.names) - len(late.early))  # once it is called
            if entry.when is not None or owned_branches.made_in_one(home, entry.layer):
                return False  # the others' places hang on it
            path = f"{key}/{place}"
            place += 1
            inner = self.module.walker.layers.get(id(entry.layer))
            if entry.cell is not None:
                if home is not region or not self._cell_inside(path, layer, entry, late):
                    return False
                continue
            if inner is None:
                name = _again(entry, home, layer.naming, chain)
                if name is None or name in self.names:
                    return False
                self.names[name] = path
                if entry.trained:
                    late.names.append(name)
                    late.early.append(list(layer.naming.known).index(_key(entry, home, chain)) + 1)
                continue
            if inner.factory is not None:
                deeper, within = entered[id(inner.factory)], _within(inner, home, chain)
                if not self._attributes(path, deeper, layer.naming, within, late):
                    return False
                continue
            known = layer.naming.known.get((*chain, id(inner.call), 0))
            inner = replace(inner, scope=known, given=_told(inner.given, layer))
            halves = [inner.endpoint in norms.TABLE]
            if inner.norm is not None and not halves[0]:
                halves.append(True)
                place += 1
            for number, norm in enumerate(halves):
                found = self._weights(f"{key}/{place - len(halves) + number}", inner, norm)
                if found is None:
                    return False
                late.names += found
        if not any(late.early):
            late.early = []
        late.early += [None] * (len(late.names) - len(late.early)) if late.early else []
        return True

    def _flat(
        self, region: Region, chain: tuple[int, ...]
    ) -> Iterator[tuple[Region, tuple[int, ...], Owned]]:
        """What a function makes, functions in it included, and the calls that it is made in."""
        walker = self.module.walker
        for entry in region.owned:
            inner = walker.layers.get(id(entry.layer))
            deeper = walker.entered.get(id(inner.factory)) if inner is not None else None
            if inner is None or deeper is None or deeper.shaped:
                yield region, chain, entry
            else:
                yield from self._flat(deeper, _within(inner, region, chain))

    def _attributes(
        self, key: str, region: Region, naming: Naming, chain: tuple[int, ...], late: Late
    ) -> bool:
        """The variables of a function that is a layer of its own: its attributes."""
        for entry in region.owned:
            name = _again(entry, region, naming, chain)
            if name is None or name in self.names or not (entry.ref or "").isidentifier():
                return False
            self.names[name] = f"{key}/{attribute_name(str(entry.ref))}"
            if entry.trained:
                late.names.append(name)
        return True

    def _weights(self, path: str, layer: Layer, alone: bool) -> list[Any] | None:
        """The trainable weights of a Keras layer; None where something isn't known."""
        contrib = ".contrib." in layer.endpoint
        given = layer.given
        if alone:
            kind = layer.norm.kind if layer.norm is not None else ""
            lasting = bool(kind) or layer.endpoint in norms.WITHOUT_AVERAGES
            leaves = NORM[:2] if lasting else NORM
            own_scope = LAYERS[kind or norms.BATCH_NORM] + "/"
            below = "" if layer.endpoint in norms.TABLE else own_scope
            given = layer.norm.given if layer.norm is not None else given
            own = given.get("scope", given.get("name")) if below else None
            if own is not None:
                self.unknown[path] = "a normalization with a scope of its own"
                return None
            scaled = not contrib or lasting
            flags = {"gamma": ("scale", scaled), "beta": ("center", True)}
            gone = {n for n, (f, default) in flags.items() if said(given.get(f), default) is False}
        else:
            keras = layers.HALF if layers.halved(layer) else layers.TABLE.get(layer.endpoint)
            leaves, below = WEIGHTS.get(keras.name if keras else "", []), ""
            bare = _none(given.get("biases_initializer")) or layer.norm is not None
            gone = {"bias"} if bare or said(given.get("use_bias"), True) is False else set()
        if layer.scope is None or not leaves:
            self.unknown[path] = "its name in TF 1 can't be told"
            return None
        if alone and lasting:
            scope = f"{layer.scope}/{below}".rstrip("/")
            self.module.walker.kept.setdefault(LASTING, set()).add(scope)
        names: list[Any] = []
        trainable = said(given.get("trainable"), True)
        if trainable is None:
            self.unknown[path] = "whether it is trained is computed"
            return None
        for leaf, attribute in leaves:
            if leaf in gone:
                continue
            leaf = CONTRIB_WEIGHTS.get(leaf, leaf) if contrib else leaf
            name = f"{layer.scope}/{below}{leaf}"
            self.names[name] = f"{path}/{attribute}"
            if leaf not in UNTRAINED and trainable:
                names.append(name)
        return names

    def _cell(self, key: str, at: str | int) -> None:
        held = self.saver.held[at]
        pairs = _patterns(held.cells.shape, 1)
        if held.scope is None or pairs is None or "{" in held.scope:
            self.unknown[key] = "the names of its variables in TF 1 can't be told"
            return
        self._below(held.scope, pairs, key)
        kept = self.module.walker.kept
        applied = [*kept.get("applied cells", {}).items(), *kept.get("applied layers", {}).items()]
        calls = {node for node, (datas, _, _) in applied if held.cells in datas}
        leaves = _leaves(pairs)
        if held.cells.kind == "attention":
            leaves = []  # in which order it makes them isn't told by their names
        self.late[key] = Late(2 * held.order, [{"below": key}], calls, made=leaves)

    def _cell_inside(self, path: str, layer: Layer, entry: Owned, late: Late) -> bool:
        """A cell among what a call of a function makes."""
        held = self.module.walker.kept.get("held cells", ())
        data = next((d for place, d, _ in held if place is entry.cell), None)
        pairs = _patterns(data.shape, 1) if data is not None and data.kind != "attention" else None
        scopes = [*layer.scopes, entry.path]
        if pairs is None or any(s is None or "{" in s for s in scopes):
            return False
        self._below("/".join(s for s in scopes if s), pairs, path)
        late.names.append({"below": path, "made": _leaves(pairs)})
        return True

    def _below(self, scope: str, pairs: list[tuple[str, str]], path: str) -> None:
        """The names of a cell's variables, below its scope."""
        above = re.escape(scope) + "/" if scope else ""
        for match, to in pairs:
            # What an attention's memory has stands in a scope of its own.
            self.patterns[match[1:] if match[0] == "/" else above + match] = f"{path}/{to}"


def _leaves(pairs: list[tuple[str, str]]) -> list[str]:
    return list(dict.fromkeys(to.rpartition("/")[2] for _, to in pairs))


def _told(given: dict[str, ast.expr], outer: Layer) -> dict[str, ast.expr]:
    """A layer's arguments in a call of the function that makes it."""
    assert outer.factory is not None
    args = outer.factory.args
    known: dict[str, ast.expr] = {
        a.arg: d for a, d in zip(reversed(args.args), reversed(args.defaults), strict=False)
    }
    known.update(outer.given)
    return {
        n: known[v.id] if isinstance(v, ast.Name) and v.id in known else v for n, v in given.items()
    }


def _within(inner: Layer, region: Region, chain: tuple[int, ...]) -> tuple[int, ...]:
    """The calls that a call in a function is made in, where the function is called so."""
    return (*chain, *inner.chain[len(region.chain) :])


def _key(entry: Owned, region: Region, chain: tuple[int, ...]) -> tuple[int, ...]:
    """What the name of a function's variable is known under in a call of the function."""
    assert entry.value is not None
    return (*chain, *entry.value.key[len(region.chain) :])


def _again(entry: Owned, region: Region, naming: Naming, chain: tuple[int, ...]) -> str | None:
    """The name of a function's variable in a call; None where it can't be told."""
    if entry.value is None or not entry.value.key:
        return None
    found: str | None = naming.known.get(_key(entry, region, chain))
    return found


def _patterns(shape: Shape | None, group: int) -> list[tuple[str, str]] | None:
    """Regular expressions for the names below a cell's scope, and the paths below the cell."""
    if shape is None:
        return None
    if shape.kind == "AttentionWrapper":
        return _attention(shape, group)
    if shape.others:
        found = [_patterns(other, group) for other in shape.others]
        return None if None in found else [pair for pairs in found for pair in pairs or ()]
    if shape.inner is None:
        leaves = dict(shape.leaves) or CELLS.get(shape.kind)
        if leaves is None:
            return None
        pairs = [(re.escape(f"{shape.name}/{leaf}"), to) for leaf, to in leaves.items()]
        if shape.kind == "GLSTMCell":
            match = re.escape(shape.name) + "/group(\\d+)/kernel"
            pairs.append((match, f"kernels/\\{group}"))
        return pairs
    several = shape.kind == "MultiRNNCell"
    inner = _patterns(shape.inner, group + several)
    if inner is None:
        return None
    if several:
        return [
            (f"multi_rnn_cell/cell_(\\d+)/{match}", f"cells/\\{group}/{to}") for match, to in inner
        ]
    own, below = WRAPPERS.get(shape.kind, ({}, False))
    where = f"{shape.name}/" if below else ""
    pairs = [(where + match, f"cell/{to}") for match, to in inner]
    return pairs + [(re.escape(where + leaf), to) for leaf, to in own.items()]


def _attention(shape: Shape, group: int) -> list[tuple[str, str]] | None:
    """What a cell that attends has; what begins with a ``/`` stands below no scope."""
    assert shape.inner is not None
    inner = _patterns(shape.inner, group)
    if inner is None:
        return None
    (mechanism,) = shape.others
    where = f"{mechanism.name}/" if mechanism.name else ""
    pairs = [(f"{shape.name}/{match}", f"cell/{to}") for match, to in inner]
    pairs += [(re.escape(f"{shape.name}/{leaf}"), to) for leaf, to in shape.leaves]
    for leaf, to in mechanism.leaves:
        above = leaf.startswith("memory_layer")
        match = "/" + re.escape(where + leaf) if above else re.escape(f"{shape.name}/{leaf}")
        pairs.append((match, f"attention_mechanism/{to}"))
    return pairs


def _escaped(part: str) -> str:
    return part.replace(".", "..").replace("/", ".S")


def _none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
