"""Functions that build, in public code: how many become TF 2's, how many stay, and why.

    python scripts/build_functions.py --root FOLDER [REPOSITORY ...] [--places FILE]

Every folder below --root is a repository. A build function is a function or a method in which
TF 1 makes a variable, a layer or a recurrent cell, or runs one over time (functions around it
don't count); what a file makes outside of functions counts as one. It is *converted* where its
file becomes native, *left* where its program keeps its session or its Estimator, and *library*
where no program of the repository runs it. For what is left the reasons are told, the commonest
first; --places writes each with its file and line.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from migrate.engine.document import read  # noqa: E402
from migrate.engine.judged import names_of  # noqa: E402
from migrate.programs.graph import meaning  # noqa: E402

CELLS = re.compile(r"tensorflow\.(nn\.rnn_cell|contrib\.rnn)\.\w+Cell$")
LOOPS = re.compile(
    r"tensorflow\.(nn|contrib\.rnn)\.(static_|dynamic_|raw_|bidirectional_|bidirectional_dynamic_"
    r"|static_bidirectional_)rnn$"
)
KEEPS = "this keeps the program's "
IDLE = "nothing is run here"


def makes(endpoint: str) -> bool:
    """Whether a call of an endpoint makes variables."""
    name = meaning.canonical(endpoint)
    return (
        name in meaning.VARIABLES
        or name in meaning.LAYERS
        or name in meaning.MAKING
        or CELLS.match(name) is not None
        or LOOPS.match(name) is not None
    )


def builders(path: str, data: bytes) -> int:
    """How many functions of a file build, and the file itself where it does."""
    try:
        document = read(path, data)
        names = names_of(document)
    except Exception:  # what can't be read is told of by `migrate check`
        return 0
    calls = {id(r.node) for r in names.references if makes(r.name)}
    found: set[int] = set()

    def visit(node: ast.AST, owner: ast.AST) -> None:
        if isinstance(node, ast.Call) and id(node.func) in calls:
            found.add(id(owner))
        inner = node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else owner
        for child in ast.iter_child_nodes(node):
            visit(child, inner)

    visit(document.tree, document.tree)
    return len(found)


def counted(tree: Path) -> tuple[dict[str, int], collections.Counter[str], list[str]]:
    """A repository's numbers, why functions are left, with how many, and where that stands."""
    own = {
        str(path.relative_to(tree)): builders(str(path), path.read_bytes())
        for path in sorted([*tree.rglob("*.py"), *tree.rglob("*.ipynb")])
        if path.is_file()
    }
    numbers = dict.fromkeys(("converted", "left", "library"), 0)
    reasons: collections.Counter[str] = collections.Counter()
    places: list[str] = []
    known: dict[str, str] = {}  # the reason that keeps a file, empty for a native one
    for program in _programs(tree):
        kept = [r for r in program["reasons"] if KEEPS in r["message"]]
        first = kept[0] if kept else {"message": f"{KEEPS}: {IDLE}", "path": "", "line": 0}
        message = first["message"].partition(": ")[2]
        for path in program["files"]:
            if program["level"] == "native":
                known.setdefault(path, "")
            elif known.get(path, IDLE) in ("", IDLE):
                known[path] = message
                if own.get(path) and message != IDLE:
                    where = f"{tree.name}/{first['path']}:{first['line']}"
                    places.append(f"{where}: {message} (for {path})")
    for path, count in own.items():
        message = known.get(path, IDLE)
        if message and message != IDLE:
            reasons[re.sub(r"`[^`]*`", "`…`", message)] += count
        numbers["library" if message == IDLE else "left" if message else "converted"] += count
    return numbers, +reasons, places


def _programs(tree: Path) -> list[dict[str, Any]]:
    """What `migrate upgrade --explain-level` says of a tree."""
    command = [sys.executable, "-m", "migrate", "upgrade", "--no-cache", "--explain-level"]
    done = subprocess.run(
        [*command, "--format", "json", "."],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def main(argv: Iterable[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repositories", nargs="*", help="parts of their names; default: all")
    parser.add_argument("--root", type=Path, required=True, help="where the trees lie")
    parser.add_argument("--places", type=Path, help="write what is left, with file and line")
    args = parser.parse_args(None if argv is None else list(argv))
    total = dict.fromkeys(("converted", "left", "library"), 0)
    why: collections.Counter[str] = collections.Counter()
    places: list[str] = []
    print("| repository | converted | left | library | most often left because |")
    print("|---|---|---|---|---|")
    for tree in sorted(p for p in args.root.iterdir() if "__" in p.name and p.is_dir()):
        if args.repositories and not any(w.lower() in tree.name.lower() for w in args.repositories):
            continue
        numbers, reasons, where = counted(tree)
        if not sum(numbers.values()):
            continue
        for key, number in numbers.items():
            total[key] += number
        why.update(reasons)
        places += where
        first = "; ".join(f"{reason} ({n})" for reason, n in reasons.most_common(2))
        name = tree.name.replace("__", "/")
        print(f"| {name} | {' | '.join(map(str, numbers.values()))} | {first} |", flush=True)
    print(f"| all | {' | '.join(map(str, total.values()))} | |")
    print()
    for reason, number in why.most_common(25):
        print(f"{number:6d}  {reason}")
    if args.places is not None:
        args.places.write_text("".join(f"{place}\n" for place in sorted(places)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
