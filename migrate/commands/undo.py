"""``migrate undo``: give back what an upgrade in place has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from migrate.commands import shared
from migrate.engine import journal
from migrate.reports.escape import visible
from migrate.reports.summary import plural


@click.command()
@click.argument("run", required=False)
@click.option("--list", "list_", is_flag=True, help="List the runs that can be undone.")
@click.option("--force", is_flag=True, help="Give files back that were edited since, too.")
@click.pass_context
def undo(ctx: click.Context, run: str | None, list_: bool, force: bool) -> None:
    """Take an upgrade in place back: RUN, or the newest that has not been undone.

    A file that was edited since is left alone, unless --force. Exit codes: 0 all is as it was,
    1 files were left alone, 2 usage.
    """
    root = _root()
    if list_:
        if run is not None or force:
            raise click.UsageError("--list takes neither RUN nor --force.")
        shared.write_out(_listed(root))
        return
    try:
        done = journal.undo(root, run, force=force)
    except journal.JournalError as error:
        raise click.UsageError(f"{error}; `migrate undo --list` shows the runs") from error
    for path in done.restored:
        shared.write_out([f"{visible(path)}: as before\n"])
    for path, reason in done.refused:
        shared.note(f"{path}: left alone: {reason}")
    text = f"Undid {done.run}: {plural(len(done.restored), 'file')} given back"
    if done.already:
        text += f", {len(done.already)} were as before already"
    shared.write_out([f"{text}.\n"])
    if done.refused:
        ctx.exit(shared.FOUND)


def _root() -> str:
    """The nearest folder upward that has a journal; else this one, where there is none."""
    here = folder = os.getcwd()
    while True:
        if os.path.isdir(os.path.join(folder, journal.FOLDER, "journal")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return here
        folder = parent


def _listed(root: str) -> Iterator[str]:
    for item in journal.list_runs(root):
        state = "  undone" if item.undone else ""
        command = visible(" ".join(item.command))
        yield f"{item.name}  {plural(len(item.paths), 'file')}  {command}{state}\n"
