"""Programs with Estimators in public code: how many become Keras, how many stay, and why.

    python scripts/keras_share.py --root FOLDER [--root FOLDER ...] [REPOSITORY ...]
        [--places FILE] [--json FILE]

Every folder below a --root is a repository. A program (an entry with all that it imports) counts
where one of its files calls an Estimator that `migrate upgrade --to keras` knows of; it goes *to
Keras*, or stays on *the shim* for a reason, told the commonest first. --places writes each program
with the file and line that keeps it, --json all of it.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from migrate.engine.document import read  # noqa: E402
from migrate.engine.judged import names_of  # noqa: E402
from migrate.rewriters.estimators.convert import uses  # noqa: E402

RULE = "TFM520"


def makes(path: Path) -> bool:
    """Whether a file makes an Estimator; one that can't be read makes none."""
    data = path.read_bytes()
    if not re.search(rb"Estimator|Classifier|Regressor|KMeans", data):
        return False
    try:
        document = read(str(path), data)
        return uses((document, names_of(document)))
    except Exception:  # what can't be read is told of by `migrate check`
        return False


def programs(tree: Path) -> list[dict[str, Any]]:
    """The programs of a repository that make Estimators, each with what keeps it."""
    makers = {
        str(path.relative_to(tree))
        for path in sorted([*tree.rglob("*.py"), *tree.rglob("*.ipynb")])
        if path.is_file() and makes(path)
    }
    if not makers:
        return []
    command = [sys.executable, "-m", "migrate", "upgrade", "--no-cache", "--to", "keras"]
    done = subprocess.run(
        [*command, "--explain-level", "--format", "json", "."],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    found = []
    for program in json.loads(done.stdout):
        own = sorted(makers & set(program["files"]))
        if not own:
            continue
        reasons = program["reasons"]
        kept = [r for r in reasons if r["rule"] == RULE] or reasons[:1]
        why = kept[0] if kept else {"message": "", "path": "", "line": 0}
        found.append(
            {
                "files": own,
                "keras": program["level"] == "native",
                "why": why["message"].partition(": ")[2] or why["message"],
                "place": f"{why['path']}:{why['line']}",
            }
        )
    return found


def main() -> int:
    """Print the figures by repository, and the reasons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repository", nargs="*")
    parser.add_argument("--root", action="append", required=True, type=Path)
    parser.add_argument("--places", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    told: dict[str, list[dict[str, Any]]] = {}
    for tree in sorted(t for root in options.root for t in root.iterdir() if t.is_dir()):
        wanted = options.repository
        if wanted and not any(w.lower() in tree.name.lower() for w in wanted):
            continue
        if found := programs(tree):
            told[tree.name] = found
    reasons: collections.Counter[str] = collections.Counter()
    places: list[str] = []
    width = max(map(len, told), default=10)
    print(f"{'repository':{width}}  Keras  shim")
    whole = [0, 0]
    for name, found in told.items():
        keras = sum(p["keras"] for p in found)
        whole = [whole[0] + keras, whole[1] + len(found) - keras]
        print(f"{name:{width}}  {keras:5}  {len(found) - keras:4}")
        for program in found:
            if program["keras"]:
                places.append(f"(Keras) {name}: {', '.join(program['files'])}")
                continue
            reason = re.sub(r"`[^`]*`", "`…`", program["why"])
            reasons[reason] += 1
            place = f"{name}/{program['place']}"
            places.append(f"{program['why']}: {place} (for {', '.join(program['files'])})")
    print(f"{'all':{width}}  {whole[0]:5}  {whole[1]:4}\n")
    for reason, count in reasons.most_common():
        print(f"{count:4}  {reason}")
    if options.places:
        options.places.write_text("\n".join(sorted(places)) + "\n", encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
