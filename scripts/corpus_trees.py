"""The public trees of fixtures/corpus.toml: which there are, where they lie, and how they come."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = Path(__file__).resolve().parent.parent
LIST = PROJECT / "fixtures" / "corpus.toml"
SUFFIXES = (".py", ".ipynb")


def repositories(wanted: list[str]) -> list[tuple[str, str]]:
    """(owner/name, commit) of the list; ``wanted`` selects by a part of the name."""
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))["repository"]
    found = [(entry["name"], entry["commit"]) for entry in listed]
    return [f for f in found if not wanted or any(w.lower() in f[0].lower() for w in wanted)]


def root_option(parser: argparse.ArgumentParser) -> None:
    """--root, which MIGRATE_CORPUS stands in for."""
    given = os.environ.get("MIGRATE_CORPUS")
    parser.add_argument(
        "--root", type=Path, default=given, required=not given,
        help="where the trees lie; default: MIGRATE_CORPUS",
    )  # fmt: skip


def folder_of(root: Path, name: str) -> Path:
    """Where a repository's tree lies."""
    return root / name.replace("/", "__")


def fetch(root: Path, mirrors: Path | None, wanted: list[str]) -> int:
    """Check the listed commits out, from local mirrors or else from GitHub."""
    missing = 0
    for name, commit in repositories(wanted):
        target = folder_of(root, name)
        if (target / ".commit").exists() and (target / ".commit").read_text() == commit:
            print(f"{name}: there")
            continue
        with tempfile.TemporaryDirectory() as tmp:
            mirror = mirrors and _git_folder(mirrors, name)
            git = mirror or _from_github(name, commit, Path(tmp))
            if git is None or not _has(git, commit):
                where = f"neither in {mirrors} nor" if mirrors else "not"
                print(f"{name}: commit {commit[:12]} is {where} on GitHub")
                missing += 1
                continue
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            left_out = _export(git, commit, target)
        (target / ".commit").write_text(commit)
        files = sum(p.suffix in SUFFIXES for p in target.rglob("*"))
        absent = f", {left_out} files not in the snapshot or too large" if left_out else ""
        print(f"{name}: {commit[:12]}, {files} Python files and notebooks{absent}")
    return 1 if missing else 0


LARGEST = 8 << 20  # nothing that a program reads at once is larger


def _export(git: Path, commit: str, target: Path) -> int:
    """Write a commit's files; how many had to be left out."""
    listing = subprocess.run(
        ["git", f"--git-dir={git}", "ls-tree", "-r", "-z", commit], check=True, capture_output=True
    ).stdout.decode("utf-8", "surrogateescape")
    entries = [line.partition("\t") for line in listing.split("\0") if " blob " in line]
    batch = subprocess.Popen(
        ["git", f"--git-dir={git}", "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert batch.stdin is not None
    assert batch.stdout is not None
    left_out = 0
    for head, _, path in entries:
        mode, _, blob = head.split()
        batch.stdin.write(blob.encode() + b"\n")
        batch.stdin.flush()
        answer = batch.stdout.readline().split()
        if answer[-1] == b"missing":
            left_out += 1
            continue
        data = batch.stdout.read(int(answer[2]) + 1)[:-1]
        to = target / path
        if len(data) > LARGEST or mode == "120000" or ".." in Path(path).parts:
            left_out += 1  # symbolic links too: nothing may lead out of the tree
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(data)
    batch.stdin.close()
    batch.wait()
    return left_out


def _git_folder(mirrors: Path, name: str) -> Path | None:
    base = mirrors / name.replace("/", "+") / "repo"
    for folder in (base / ".git", base):
        if (folder / "HEAD").exists():
            return folder
    return None


def _from_github(name: str, commit: str, tmp: Path) -> Path | None:
    git = tmp / "git"
    subprocess.run(["git", "init", "-q", "--bare", str(git)], check=True)
    url = f"https://github.com/{name}"
    call = ["git", f"--git-dir={git}", "fetch", "-q", "--depth=1", url, commit]
    done = subprocess.run(call, check=False, capture_output=True)
    return git if done.returncode == 0 else None


def _has(git: Path, commit: str) -> bool:
    call = ["git", f"--git-dir={git}", "cat-file", "-e", f"{commit}^{{tree}}"]
    return subprocess.run(call, check=False, capture_output=True).returncode == 0
