"""``-``: one file from standard input, worked on in a folder of its own."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from migrate.commands import shared
from migrate.engine.config import Config
from migrate.engine.findings import FileResult
from migrate.engine.options import Options

Run = Callable[[Sequence[str], Options], Iterator[FileResult]]


def run_on_stdin(
    run: Run, paths: Sequence[str], filename: str | None, given: Mapping[str, Any]
) -> tuple[bytes, FileResult, Options, Config]:
    """What was read, and what a run makes of it under the name ``filename``.

    The name decides on settings and per-file ignores; the file of that name is not opened, nor are
    its neighbours.
    """
    if tuple(paths) != ("-",):
        raise click.UsageError(f"`-` stands alone. Received: {' '.join(paths)}")
    name = os.path.abspath(filename or "stdin.py")
    if not name.endswith((".py", ".ipynb")):
        raise click.UsageError(
            f"--stdin-filename must end in .py or .ipynb. Received: {filename!r}"
        )
    options, config = shared.settings([os.path.dirname(name)], given)
    relative = os.path.relpath(name, options.root)
    if relative.startswith(os.pardir):
        relative = os.path.basename(name)
    data = sys.stdin.buffer.read()
    with tempfile.TemporaryDirectory(prefix="migrate-") as folder:
        folder = os.path.realpath(folder)
        path = os.path.join(folder, relative)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            stream.write(data)
        there = replace(options, root=folder, cache=False, jobs=1)
        results = list(shared.relative(run([path], there), folder))
    shown = relative.replace(os.sep, "/") if filename else "<stdin>"
    result = results[0] if results else FileResult(shown, "skipped", reason="excluded")
    result.path = shown
    result.before = data
    return data, result, options, config
