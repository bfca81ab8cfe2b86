"""Write migrate/symbols/table/ from the dumps and the curated decisions. Needs no TensorFlow.

    python scripts/build_symbols.py            # write
    python scripts/build_symbols.py --check    # compare with what is committed; exit 1 if different
    python scripts/build_symbols.py --undecided  # what the rules cannot decide and nobody has yet

The plain outcomes follow from the dumps by identity of objects inside one TensorFlow:

- compat.v1.X and tf.X are one object in 2.21 and take 1.15's calls     -> Same (or Arguments)
- compat.v1.X and tf.Y are one object                                   -> Renamed (or Arguments)
- compat.v1.X alone                                                     -> CompatV1
- tf.X is another object than compat.v1.X                               -> a person decides
- not even compat.v1.X                                                -> a shim, or a person
"""

# ruff: noqa: SIM905
from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from migrate.symbols import SHARDS, shard_of  # noqa: E402
from migrate.symbols import signatures as dumps  # noqa: E402
from migrate.symbols.curated import compat, decisions, graph, keras, namespaces  # noqa: E402
from migrate.symbols.curated.decisions import (  # noqa: E402
    V1,
    Args,
    Change,
    Decision,
    Equal,
    Lost,
    Ported,
)
from migrate.symbols.outcomes import (  # noqa: E402
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
from migrate.symbols.signatures import Signature  # noqa: E402

TABLE = ROOT / "migrate" / "symbols" / "table"
TF = "tensorflow."
V1_PREFIX = "tensorflow.compat.v1."

old, new = dumps.old(), dumps.new()


class UndecidedError(Exception):
    """The rules have no answer; the text says what stands in the way."""


def short(name: str) -> str:
    """The name as the curated tables write it."""
    return name.removeprefix(TF)


def v1_of(name: str) -> str:
    """The name under compat.v1."""
    return V1_PREFIX + short(name)


@dataclass
class Fit:
    """How a call written for one signature fits another."""

    keyword_from: int | None = None
    defaults: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        return self.keyword_from is None and not self.defaults and not self.problems


# defaults that read differently and are one: (argument, 1.15, 2.21)
EQUAL_DEFAULTS = {
    ("keepdims", "None", "False"),
    ("keep_dims", "None", "False"),
    ("minval", "0", "0.0"),
    ("out_type", "tf.int32", "None"),
}


# None in 1.15's signature for the sake of deprecated aliases; a call without them never worked
REQUIRED_ALWAYS = frozenset(
    "axis beta block_shape box_indices crop_size filters gamma input labels logits num_buckets "
    "num_split out_type output_shape padding pos_weight rates scale_after_normalization sizes "
    "sp_input stride strides variance_epsilon".split()
)


def fit(
    before: Signature | None,
    after: Signature | None,
    renamed: dict[str, str],
    removed: Iterable[str] = (),
    same_defaults: Iterable[str] = (),
    ignored: Iterable[str] = (),
) -> Fit:
    """Compare what 1.15 takes with what 2.21 takes."""
    result = Fit()
    if before is None or after is None:
        return result
    if before.params and before.params[0].name in ("_sentinel", "keyword_required"):
        # guards against positional use: 1.15 raised
        keyed = tuple(dumps.Param(p.name, p.default, "keyword") for p in before.params[1:])
        before = Signature(keyed)
    taken = {renamed.get(p.name, p.name) for p in before.params}
    taken -= {name for name in removed if name not in renamed.values()}
    for p in before.params:
        if p.kind in ("varargs", "varkw"):
            if p.name not in ignored and not (
                after.varargs if p.kind == "varargs" else after.varkw
            ):
                result.problems.append(f"*{p.name} is gone")
            continue
        if p.name in removed:
            continue
        twin = after.get(renamed.get(p.name, p.name))
        if twin is None:
            if not after.varkw:
                result.problems.append(f"{p.name} is gone")
            continue
        if p.default is None or p.name in same_defaults or p.default == twin.default:
            continue
        if p.name in renamed and renamed[p.name] in {q.name for q in before.params}:
            continue  # a deprecated alias of another parameter
        if twin.default is None:
            if p.default != "None":
                if p.default.startswith("<"):
                    result.problems.append(f"{p.name}={p.default} is required now")
                result.defaults[p.name] = p.default
            elif p.name not in renamed.values() and p.name not in REQUIRED_ALWAYS:
                result.problems.append(f"{p.name}=None is required now")
            continue
        if (p.name, p.default, twin.default) in EQUAL_DEFAULTS:
            continue
        if (
            p.default.startswith("<")
            and p.default.strip("<>_").lower() == twin.default.strip("<>_").lower()
        ):
            continue
        result.defaults[p.name] = p.default
    result.keyword_from = first_keyword(before, after, renamed, removed)
    if not before.varkw and not before.varargs:
        for p in after.params:
            required = p.kind in ("positional", "keyword") and p.default is None
            if required and p.name not in taken and p.name not in same_defaults:
                result.problems.append(f"needs {p.name}")
    return result


def first_keyword(
    before: Signature, after: Signature, renamed: dict[str, str], removed: Iterable[str]
) -> int | None:
    """Index of the first positional argument that would bind to another parameter."""
    there = after.positional
    for index, name in enumerate(before.positional):
        if index >= len(there) and after.varargs and name not in removed:
            return None
        if name in removed or index >= len(there) or there[index] != renamed.get(name, name):
            return index
    return None


def lost_members(name: str, target: str) -> list[str]:
    """Public members of a class that its counterpart has not, protobuf's machinery excepted."""
    if old.fields(name)[0] != "c" or new.fields(target)[0] != "c":
        return []
    machinery = {"count", "index", "DESCRIPTOR", "mro"}
    return sorted(set(old.members(name)) - set(new.members(target)) - machinery)


def same_object(a: str, b: str) -> bool:
    """Whether two names of 2.21 are one thing: the object, or its twin from the same source line.

    The dispatching copies that tf.* and tf.compat.v1.* hold of one function are the second kind.
    """
    if a not in new or b not in new:
        return False
    if new.canonical(a) == new.canonical(b):
        return True
    first, second = new.fields(a), new.fields(b)
    if first[0] == "k" == second[0]:
        return first[1] == second[1]
    if first[0] == "m" == second[0]:
        return True
    return first[0] in "fc" and bool(first[1]) and first[:4] == second[:4]


class Builder:
    """Outcomes of all endpoints."""

    def __init__(self) -> None:
        self.curated = decisions()
        self.names = sorted(old.lines)
        self.aliases: dict[str, list[str]] = {}
        for name in self.names:
            self.aliases.setdefault(old.canonical(name), []).append(name)
        self.by_path: dict[str, list[str]] = {}
        for name in new.lines:
            if not name.startswith("tensorflow.compat.") and new.fields(name)[0] in "fc":
                self.by_path.setdefault(new.path(name), []).append(name)
        self.used: set[str] = set()
        self.undecided: dict[str, str] = {}
        self.fallback = "--fallback" in sys.argv

    # what a person decided

    def decision(self, name: str) -> tuple[Decision, str] | None:
        """The decision on a name or on another name of its object; and whose it is."""
        if short(name) in self.curated:
            self.used.add(short(name))
            return self.curated[short(name)], name
        if old.fields(name)[0] == "m":
            return None
        for alias in sorted(self.aliases[old.canonical(name)], key=preference):
            if short(alias) in self.curated:
                return self.curated[short(alias)], alias
        if name.startswith(TF + "keras.") and name in new:
            found = keras.rule(short(name), old.kind(name))
            return None if found is None else (found, name)
        return None

    def target(self, name: str, owner: str, written: str) -> str:
        """The full name of a decision's target; for an alias its own name if that is the same."""
        wanted = TF + (written or short(owner))
        if wanted not in new:
            raise UndecidedError(f"target {wanted} is not in 2.21")
        if name != owner and same_object(name, wanted):
            return name
        return wanted

    def decided(self, name: str, decision: Decision, owner: str) -> Outcome:
        match decision:
            case Equal(written, constructor):
                target = self.target(name, owner, written)
                if not constructor:
                    return Same() if target == name else Renamed(target)
                how = fit(old.parameters(name), new.parameters(target), {})
                if how.problems:
                    raise UndecidedError("not equal: " + "; ".join(how.problems))
                if how.keyword_from is not None or how.defaults:
                    return Arguments(target, {}, {}, how.keyword_from, how.defaults)
                return Same() if target == name else Renamed(target)
            case Args(written, renamed, removed, defaults, same_defaults, ignored):
                target = self.target(name, owner, written)
                how = fit(
                    old.parameters(name),
                    new.parameters(target),
                    dict(renamed),
                    removed,
                    [*same_defaults, *defaults],
                    ignored,
                )
                if how.problems:
                    raise UndecidedError("arguments: " + "; ".join(how.problems))
                spelled = {**how.defaults, **defaults}
                if not (renamed or removed or spelled) and how.keyword_from is None:
                    return Same() if target == name else Renamed(target)
                return Arguments(target, dict(renamed), dict(removed), how.keyword_from, spelled)
            case Change(note, written):
                return Behaviour(self.target(name, owner, written), note)
            case V1(reason, written):
                for twin in (V1_PREFIX + written, v1_of(name), v1_of(owner)):
                    if twin in new:
                        return CompatV1(twin, reason)
                raise UndecidedError("not in compat.v1")
            case Ported(module, reason, native):
                return Shim(module, reason or namespaces.LOST_REASON, native)
            case Lost(reason, alternative):
                return Gone(reason, alternative)

    # what follows from the dumps

    def derived(self, name: str) -> Outcome:
        kind = old.kind(name)
        twin = v1_of(name)
        if name == "tensorflow":
            return Same()
        if kind == "module":
            return self.module(name)
        if twin not in new:
            return self.missing(name)
        if same_object(twin, name):
            return self.onto(name, name)
        homes = self.homes(name, twin)
        if homes:
            return self.onto(name, homes[0])
        if name in new:
            raise UndecidedError(f"tf.* has another object: {new.path(name)} for {new.path(twin)}")
        reason = namespaces.compat_reason(short(name), kind)
        return CompatV1(twin, reason)

    def onto(self, name: str, target: str) -> Outcome:
        """Same or Renamed if every 1.15 call fits, Arguments if keywords settle it."""
        how = fit(old.parameters(name), new.parameters(target), {})
        gone = lost_members(name, target)
        if how.problems or gone:
            raise UndecidedError("; ".join([*how.problems, *(f".{m} is gone" for m in gone)]))
        if how.keyword_from is not None or how.defaults:
            return Arguments(target, {}, {}, how.keyword_from, how.defaults)
        return Same() if target == name else Renamed(target)

    def homes(self, name: str, twin: str) -> list[str]:
        """Names in tf.* of the object that compat.v1 has under the name, the best one first."""
        if new.fields(twin)[0] not in "fc":
            return []
        path = new.path(twin)
        found = [n for n in self.by_path.get(path, ()) if same_object(n, twin)] if path else []
        aliases = set(self.aliases[old.canonical(name)])
        last = name.rpartition(".")[2]
        return sorted(
            found, key=lambda n: (n not in aliases, n.rpartition(".")[2] != last, *preference(n))
        )

    def module(self, name: str) -> Outcome:
        if name in new:
            return Same()
        if v1_of(name) in new:
            return CompatV1(v1_of(name), "the namespace exists only in compat.v1")
        return self.missing(name)

    def missing(self, name: str) -> Outcome:
        """Not in compat.v1 either: the namespace's shim, or what the object is called in core."""
        for alias in sorted(self.aliases[old.canonical(name)], key=preference):
            if (
                alias != name
                and v1_of(alias) in new
                and not alias.startswith("tensorflow.contrib.")
            ):
                found = self.outcome(alias)
                return Renamed(alias) if isinstance(found, Same) else found
        shim = namespaces.shim(short(name), old.kind(name))
        if shim is None:
            raise UndecidedError("not in 2.21, and no shim's namespace")
        return self.decided(name, shim, name)

    # together

    def outcome(self, name: str) -> Outcome:
        found = self.decision(name)
        if found is not None:
            return self.decided(name, *found)
        return self.derived(name)

    def compat(self, name: str) -> tuple[str, str]:
        """ok, drift or lost; and what drifted."""
        twin = v1_of(name)
        if name == "tensorflow":
            return "ok", ""
        if twin not in new:
            return "lost", ""
        known = compat.drift(short(name))
        if known is not None:
            return known
        if old.kind(name) != new.kind(twin) and old.fields(name)[0] != "k":
            return "drift", f"was a {old.kind(name)}, is a {new.kind(twin)}"
        how = fit(old.parameters(name), new.parameters(twin), {})
        said = list(how.problems)
        if how.keyword_from is not None:
            before = old.parameters(name)
            assert before is not None
            said.append(f"positional order from {before.positional[how.keyword_from]}")
        said += [f"default of {k} was {v}" for k, v in how.defaults.items()]
        said += [f".{m} is gone" for m in lost_members(name, twin)]
        return ("drift", "; ".join(said)) if said else ("ok", "")

    def records(self) -> Iterator[Record]:
        for name in self.names:
            try:
                found = self.outcome(name)
            except UndecidedError as e:
                self.undecided[name] = str(e)
                if not self.fallback:
                    continue
                found = Behaviour(name if name in new else TF + "function", f"under review: {e}")
            state, text = self.compat(name)
            is_graph = graph.is_graph(
                short(name), [short(a) for a in self.aliases[old.canonical(name)]]
            )
            yield Record(name, found, is_graph, state, old.kind(name), text)  # type: ignore[arg-type]


def preference(name: str) -> tuple[Any, ...]:
    """Which of several names of one object a person would write."""
    return (
        name.startswith("tensorflow.contrib."),
        name.startswith(("tensorflow.raw_ops.", "tensorflow.dtypes.", "tensorflow.experimental.")),
        ".experimental." in name,
        name.count("."),
        len(name),
        name,
    )


def row(record: Record) -> tuple[Any, ...]:
    """The record as the table has it (migrate.symbols.outcome reads it)."""
    flags = record.compat[0] + ("g" if record.graph else "")
    kind = {"function": "f", "class": "c", "module": "m", "constant": "k"}[record.kind]
    head = (kind, flags, record.drift)
    match record.outcome:
        case Same():
            return (*head, "same")
        case Renamed(target):
            return (*head, "renamed", target)
        case Arguments(target, renamed, removed, keyword_from, defaults):
            gone = tuple((name, *removed[name]) for name in removed)
            return (
                *head,
                "arguments",
                target,
                tuple(renamed.items()),
                gone,
                keyword_from,
                tuple(defaults.items()),
            )
        case Behaviour(target, note):
            return (*head, "behaviour", target, note)
        case CompatV1(target, reason):
            return (*head, "compat", target, reason)
        case Shim(module, reason, native):
            return (*head, "shim", module, reason, native)
        case Gone(reason, alternative):
            return (*head, "gone", reason, alternative)


HEAD = """\
# Generated by scripts/build_symbols.py from data/ and curated/: do not edit.
# name  kind  compat, g(raph)  what drifted in compat.v1  outcome  its fields, as JSON
"""


def render(records: list[Record]) -> dict[str, str]:
    """File name -> text."""
    parts: dict[str, list[str]] = {shard: [] for shard in ("core", *SHARDS)}
    for record in records:
        kind, flags, drift, tag, *fields = row(record)
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        cells = (record.name, kind, flags, drift, tag, text)
        parts[shard_of(record.name)].append("\t".join(cells) + "\n")
    return {f"{shard}.tsv": HEAD + "".join(lines) for shard, lines in parts.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--undecided", action="store_true")
    parser.add_argument("--fallback", action="store_true")
    options = parser.parse_args()
    builder = Builder()
    records = list(builder.records())
    unused = sorted(builder.curated.keys() - builder.used)
    for name in unused:
        print(f"curated, but no endpoint: {name}", file=sys.stderr)
    for name, why in builder.undecided.items():
        print(f"undecided: {name}: {why}", file=sys.stderr)
    if options.undecided:
        return 0
    if (builder.undecided or unused) and not options.fallback:
        return 1
    same = True
    for name, text in render(records).items():
        path = TABLE / name
        if options.check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                same = False
                print(f"{path}: different", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
    if not options.check:
        count: dict[str, int] = {}
        for record in records:
            kind = type(record.outcome).__name__
            count[kind] = count.get(kind, 0) + 1
        print(count)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
