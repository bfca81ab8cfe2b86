"""TensorFlow's API as data: what every endpoint of TF 1.15.5 became in TF 2.21 with Keras 3.

Names are dotted and begin with "tensorflow.". Nothing here imports TensorFlow. The outcome tables
(``table/``, one line per endpoint, written by scripts/build_symbols.py from the dumps in ``data/``
and the decisions in ``curated/``) and the dumps are loaded by shard, when first asked for.
"""

from __future__ import annotations

import json
import os
from functools import cache, lru_cache
from typing import Any, Literal

from migrate.symbols.outcomes import (
    ALWAYS,
    Arguments,
    Behaviour,
    Compat,
    CompatV1,
    Gone,
    Kind,
    Outcome,
    Record,
    Renamed,
    Same,
    Shim,
)
from migrate.symbols.signatures import Param, Signature, new, old, private

__all__ = [
    "ALWAYS",
    "Arguments",
    "Behaviour",
    "Compat",
    "CompatV1",
    "Gone",
    "Kind",
    "Outcome",
    "Param",
    "Record",
    "Renamed",
    "Same",
    "Shim",
    "Signature",
    "deprecated",
    "endpoints",
    "is_endpoint",
    "is_module",
    "outcome",
    "private_status",
    "public",
    "resolves",
    "signature",
    "signature_2",
    "split",
    "tf2_only",
]

TABLE = os.path.join(os.path.dirname(__file__), "table")
SHARDS = ("contrib", "estimator", "examples", "keras", "raw_ops")
KINDS: dict[str, Kind] = {"f": "function", "c": "class", "m": "module", "k": "constant"}
COMPAT: dict[str, Compat] = {"o": "ok", "d": "drift", "l": "lost"}


def shard_of(name: str) -> str:
    """The table that holds ``name``."""
    head = name.split(".", 2)[1] if "." in name else ""
    return head if head in SHARDS else "core"


@cache
def _table(shard: str) -> dict[str, str]:
    """Name -> the rest of its line, taken apart only when asked for."""
    with open(os.path.join(TABLE, f"{shard}.tsv"), encoding="utf-8", newline="\n") as file:
        text = file.read()
    table = {}
    for line in text.split("\n"):
        name, tab, rest = line.partition("\t")
        if tab:
            table[name] = rest
    return table


def _outcome(tag: str, fields: list[Any]) -> Outcome:
    match tag:
        case "same":
            return Same()
        case "renamed":
            return Renamed(*fields)
        case "arguments":
            target, renamed, removed, keyword_from, defaults = fields
            gone = {name: (reason, safe) for name, reason, safe in removed}
            return Arguments(target, dict(renamed), gone, keyword_from, dict(defaults))
        case "behaviour":
            return Behaviour(*fields)
        case "compat":
            return CompatV1(*fields)
        case "shim":
            return Shim(*fields)
        case "gone":
            return Gone(*fields)
    raise ValueError(tag)


@cache
def outcome(name: str) -> Record | None:
    """What became of an endpoint of TF 1.15.5; None if it has no such endpoint.

    Only endpoints themselves: for an attribute of one ("tensorflow.GraphKeys.LOSSES") ask for
    the head that ``split`` gives.
    """
    if not is_endpoint(name):
        return None
    kind, flags, drift, tag, fields = _table(shard_of(name))[name].split("\t")
    found = _outcome(tag, json.loads(fields))
    return Record(name, found, "g" in flags, COMPAT[flags[0]], KINDS[kind], drift)


def is_endpoint(name: str) -> bool:
    """Whether TF 1.15.5 has this public name, namespaces included (compat.v1 and v2 excepted)."""
    if name != "tensorflow" and not name.startswith("tensorflow."):
        return False
    return name in _table(shard_of(name))


def is_module(name: str) -> bool:
    """Whether it is a public namespace of TF 1.15.5, such as "tensorflow.nn"."""
    if name in ("tensorflow.compat.v1", "tensorflow.compat.v2"):
        return True
    return is_endpoint(name) and _table(shard_of(name))[name].startswith("m\t")


def endpoints() -> list[str]:
    """Every public name of TF 1.15.5, sorted."""
    return sorted(name for shard in ("core", *SHARDS) for name in _table(shard))


def split(name: str) -> tuple[str, tuple[str, ...]] | None:
    """The endpoint of TF 1.15.5 at the head of a dotted name, and the attributes after it.

    "tensorflow.train.Saver.save" gives ("tensorflow.train.Saver", ("save",)); None if the first
    attribute after the namespaces is none of theirs.
    """
    rest: list[str] = []
    while not is_endpoint(name):
        name, dot, last = name.rpartition(".")
        if not dot:
            return None
        rest.insert(0, last)
    if rest and is_module(name):
        return None
    return name, tuple(rest)


def signature(name: str) -> Signature | None:
    """TF 1.15.5's signature of a function, a constructor or "Class.method", without self."""
    return old().signature(name)


def _plain(name: str) -> str:
    """compat.v2 is tf itself."""
    head = "tensorflow.compat.v2"
    if name == head or name.startswith(head + "."):
        return "tensorflow" + name[len(head) :]
    return name


def signature_2(name: str) -> Signature | None:
    """The same for TF 2.21's ``tf.*`` and ``tf.compat.v1.*``."""
    return new().signature(_plain(name))


@lru_cache(maxsize=8192)
def resolves(name: str, keyword: str | None = None) -> bool:
    """Whether a name (or a class's attribute) exists in 2.21, and takes ``keyword=`` if given."""
    name = _plain(name)
    if not new().resolves(name):
        return False
    if keyword is None:
        return True
    found = new().signature(name)
    return found is None or found.takes(keyword)


@lru_cache(maxsize=8192)
def tf2_only(name: str) -> bool:
    """Whether 2.21's ``tf.*`` has it and TF 1.15.5 has not: a sign of code written for TF 2."""
    if name.startswith("tensorflow.compat."):
        return False
    return new().resolves(name) and not old().resolves(name)


# Modules that `tensorflow.python` of 1.15.5 has under its own name, too. Its `ops` isn't the
# package of that name, but `tensorflow.python.framework.ops`.
_HOISTED = {
    **dict.fromkeys(("array_ops", "check_ops", "clip_ops", "control_flow_ops", "math_ops"), "ops"),
    **dict.fromkeys(("nn_ops", "random_ops", "sparse_ops", "state_ops", "tensor_array_ops"), "ops"),
    **dict.fromkeys(("resource_variable_ops", "nn", "rnn", "rnn_cell"), "ops"),
    **dict.fromkeys(("constant_op", "dtypes", "errors", "ops", "sparse_tensor"), "framework"),
    **dict.fromkeys(("random_seed", "tensor_shape", "tensor_util"), "framework"),
    **dict.fromkeys(("app", "flags", "gfile", "tf_logging"), "platform"),
}


def public(name: str) -> str | None:
    """The public endpoint of TF 1.15.5 behind a private spelling, attributes kept.

    "tensorflow.python.ops.array_ops.concat" gives "tensorflow.concat". A path of an older release
    is that of the name which the same package of contrib has in 1.15.5.
    """
    found = private().public(name)
    package, python, rest = name.partition("tensorflow.python.")
    if found is None and not package and rest.partition(".")[0] in _HOISTED:
        found = private().public(f"tensorflow.python.{_HOISTED[rest.partition('.')[0]]}.{rest}")
    if found is None and private_status(name) == "unknown":
        package, python, rest = name.partition(".python.")
        if python and package.startswith("tensorflow.contrib."):
            parts = rest.split(".")
            for i in range(len(parts)):
                if is_endpoint(whole := ".".join([package, *parts[i:]])) and not is_module(whole):
                    return whole
            for i, part in enumerate(parts):
                endpoint = f"{package}.{part}"
                if is_endpoint(endpoint) and not is_module(endpoint):
                    return ".".join([endpoint, *parts[i + 1 :]])
    return found


def private_status(name: str) -> Literal["same path", "gone", "unknown"]:
    """Whether a private dotted path of TF 1.15.5 still resolves in TF 2.21."""
    return private().status(name)


def deprecated(name: str) -> str | None:
    """TF 2.21's own advice for a ``tf.*`` endpoint that it marks as deprecated."""
    name = _plain(name)
    if name.startswith("tensorflow.compat.v1") or name not in new():
        return None
    return new().deprecated(name)
