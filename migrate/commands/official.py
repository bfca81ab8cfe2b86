"""The flags of ``tf_upgrade_v2``, so that a call of the official script works as it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_MEANINGLESS = {
    "--no_import_rename": "the import is never renamed to compat.v2; leave the flag out",
    "--no_upgrade_compat_v1_import": "`import tensorflow.compat.v1 as tf` is replaced only where "
    "the whole program has a native form; `--level compat` keeps it everywhere",
}


def _refuse(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if value:
        flag = param.opts[0]
        raise click.UsageError(f"{flag} has no meaning here: {_MEANINGLESS[flag]}.")


def flags(function: F) -> F:
    """The official script's flags as options of ``upgrade``."""
    path = click.Path(dir_okay=False)
    for decorate in (
        click.option("--infile", type=click.Path(exists=True, dir_okay=False), hidden=True),
        click.option("--outfile", type=path, hidden=True),
        click.option("--intree", type=click.Path(exists=True, file_okay=False), hidden=True),
        click.option("--outtree", type=click.Path(file_okay=False), hidden=True),
        click.option("--inplace", is_flag=True, hidden=True),
        click.option("--copyotherfiles", type=click.BOOL, default=None, hidden=True),
        click.option("--reportfile", type=path, hidden=True),
        click.option("--mode", type=click.Choice(["DEFAULT", "SAFETY"]), hidden=True),
        *(
            click.option(
                flag,
                is_flag=True,
                hidden=True,
                expose_value=False,
                callback=_refuse,
            )
            for flag in _MEANINGLESS
        ),
    ):
        function = decorate(function)
    return function


@dataclass(slots=True)
class Call:
    """Where to read and write."""

    paths: tuple[str, ...]
    out: str | None  # a folder
    outfile: str | None
    copy_other_files: bool
    level: str | None
    reportfile: str | None


def translate(
    paths: tuple[str, ...],
    out: str | None,
    copy_other_files: bool,
    level: str | None,
    *,
    infile: str | None,
    outfile: str | None,
    intree: str | None,
    outtree: str | None,
    inplace: bool,
    copyotherfiles: bool | None,
    reportfile: str | None,
    mode: str | None,
) -> Call:
    """Bring the official flags into our terms; combinations that mean nothing are usage errors."""
    if infile and intree:
        raise click.UsageError("--infile and --intree exclude each other.")
    source = infile or intree
    flag = "--infile" if infile else "--intree"
    target_flag = "--outfile" if infile else "--outtree"
    if source is None:
        for name, value in (("--outfile", outfile), ("--outtree", outtree)):
            if value is not None:
                asked = "--infile" if name == "--outfile" else "--intree"
                raise click.UsageError(f"{name} goes with {asked}; with PATH use --out DIR.")
        if copyotherfiles is not None:
            raise click.UsageError(
                "--copyotherfiles goes with --intree and --outtree; "
                "with PATH use --out DIR --copy-other-files."
            )
    else:
        if paths:
            raise click.UsageError(f"{flag} and PATH exclude each other. Received: {paths[0]!r}")
        if out is not None:
            raise click.UsageError(f"{flag} goes with {target_flag}, not with --out.")
        if (infile and outtree) or (intree and outfile):
            other = "--outtree" if infile else "--outfile"
            raise click.UsageError(f"{flag} goes with {target_flag}, not with {other}.")
        target = outfile or outtree
        if inplace and target:
            raise click.UsageError(f"--inplace and {target_flag} exclude each other.")
        if not inplace and not target:
            raise click.UsageError(f"{flag} needs {target_flag} or --inplace.")
        if copyotherfiles is not None and not outtree:
            raise click.UsageError("--copyotherfiles goes with --intree and --outtree.")
        paths = (source,)
        if outtree:
            out = outtree
            copy_other_files = copyotherfiles is not False
    if inplace and out is not None:
        raise click.UsageError("--inplace and --out exclude each other.")
    if mode is not None:
        meant = "compat" if mode == "SAFETY" else "native"
        if level is not None and level != meant:
            raise click.UsageError(f"--mode {mode} means --level {meant}. Received: {level!r}")
        level = meant
    return Call(paths, out, outfile, copy_other_files, level, reportfile)
