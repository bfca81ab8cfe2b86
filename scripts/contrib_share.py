"""How much of `tf.contrib` in the open corpus the compat level keeps alive, by sub-package.

    python scripts/contrib_share.py [REPOSITORY ...] [--missing N]

Every reference to `tf.contrib` in the trees of fixtures/corpus.toml (`corpus.py fetch` brings them)
is one of: *shimmed* (a shim has it), *moved* (TF 2.21 has it), *reported* (neither, and a finding
says so), *older* (reported as well, but TF 1.15.5 had no such name any more) or *silent* (neither,
and nothing says so: there must be none). Attributes of an endpoint count with it. `--missing` lists
the endpoints that cost most.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
from collections.abc import Iterator
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS.parent))
sys.path.insert(0, str(SCRIPTS))

import corpus_trees  # noqa: E402

from migrate import symbols  # noqa: E402
from migrate.engine import judged  # noqa: E402
from migrate.engine.document import read  # noqa: E402
from migrate.engine.findings import Level  # noqa: E402
from migrate.engine.plan import Place, plan  # noqa: E402
from migrate.engine.rule import Result  # noqa: E402
from migrate.engine.site import FileContext  # noqa: E402
from migrate.engine.source import SourceError  # noqa: E402
from migrate.symbols import shims  # noqa: E402

CONTRIB = "tensorflow.contrib."
KINDS = ("shimmed", "moved", "reported", "older", "silent")
SHIMS = ("migrate.tf1_shim", "migrate.estimator_shim")


def places(
    tree: Path, spaces: tuple[str, ...] = (CONTRIB,), word: bytes = b"contrib"
) -> Iterator[tuple[str, str, str]]:
    """(file, endpoint, kind) of every reference to some namespaces below a folder."""
    for path in sorted(tree.rglob("*")):
        if path.suffix not in corpus_trees.SUFFIXES or not path.is_file():
            continue
        data = path.read_bytes()
        if word not in data or not judged.relevant(data):
            continue
        try:
            found = list(in_file(str(path), data, spaces))
        except (SourceError, RecursionError):
            continue
        for endpoint, kind in found:
            yield str(path), endpoint, kind


def in_file(path: str, data: bytes, spaces: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """(endpoint, kind) of a file's references to some namespaces, at the compat level."""
    document = read(path, data)
    names = judged.names_of(document)
    context = FileContext(path, document.text, document.index, document.tree, names)
    seen = judged.survey_of(document, names)
    context.level = Level.COMPAT
    results = {id(result.node): result for result in plan(context, seen)}
    for place in seen.places:
        name = place.ref.name.replace("tensorflow.compat.v1.", "tensorflow.")
        if name.startswith(spaces):
            endpoint = place.endpoint if place.endpoint.startswith(spaces) else name
            yield endpoint, kind_of(place, results.get(id(place.ref.node)))


def kind_of(place: Place, result: Result | None) -> str:
    """What becomes of a reference."""
    kind = _kind_of(place, result)
    if kind == "reported" and place.record is None:
        known = symbols.split(place.ref.name) or symbols.private_status(place.ref.name) != "unknown"
        return kind if known else "older"
    return kind


def _kind_of(place: Place, result: Result | None) -> str:
    if result is None and place.ref.binding.kind == "alias" and shims.home(place.endpoint) is None:
        return "reported"  # where the name is assigned
    if result is None:
        record = place.record
        if record is None:
            return "silent"
        return "shimmed" if shims.home(place.endpoint) else "moved" if record.target else "silent"
    if result.fix is None:
        return "reported"
    return "shimmed" if result.fix.startswith(SHIMS) else "moved"


def main() -> int:
    """Print the table; 1 where a lost reference has no finding."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="REPOSITORY", help="a part of its name")
    corpus_trees.root_option(parser)
    parser.add_argument("--missing", type=int, default=0, metavar="N", help="the costliest names")
    parser.add_argument("--json", type=Path, help="write every endpoint with its counts here")
    options = parser.parse_args()
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    by_name: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    repos: dict[str, set[str]] = collections.defaultdict(set)
    for name, _ in corpus_trees.repositories(options.names):
        tree = corpus_trees.folder_of(options.root, name)
        if not tree.is_dir():
            print(f"{name}: not fetched", file=sys.stderr)
            continue
        for _, endpoint, kind in places(tree):
            counts[endpoint.split(".")[2]][kind] += 1
            by_name[endpoint][kind] += 1
            repos[endpoint].add(name)
    print("| tf.contrib. | references | " + " | ".join(KINDS) + " | share |")
    print("|---" * (len(KINDS) + 3) + "|")
    total: collections.Counter[str] = collections.Counter()
    for space, found in sorted(counts.items(), key=lambda item: -item[1].total()):
        print(row(space, found))
        total.update(found)
    print(row("all", total))
    print(row("of 1.15.5", total - collections.Counter(older=total["older"])))
    missing = sorted(
        ((c["reported"] + c["older"] + c["silent"], name) for name, c in by_name.items()),
        reverse=True,
    )
    for count, name in missing[: options.missing]:
        if count:
            print(f"{count:5} in {len(repos[name])} repositories  {name}")
    if options.json:
        options.json.write_text(json.dumps(by_name, indent=1, sort_keys=True))
    return 1 if total["silent"] else 0


def row(name: str, found: collections.Counter[str]) -> str:
    """A line of the table."""
    alive = (found["shimmed"] + found["moved"]) / max(1, found.total())
    cells = [str(found[kind]) for kind in KINDS]
    return f"| {name} | {found.total()} | {' | '.join(cells)} | {alive:.1%} |"


if __name__ == "__main__":
    sys.exit(main())
