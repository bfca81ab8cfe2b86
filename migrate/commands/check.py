"""``migrate check``: what ``upgrade`` would change or decline, without changing anything."""

from __future__ import annotations

from typing import Any

import click

from migrate.commands import shared
from migrate.engine.findings import FileResult


@click.command()
@click.argument(
    "paths", nargs=-1, type=click.Path(exists=True, allow_dash=True), metavar="[PATH]..."
)
@shared.run_options
@click.option("--stdin-filename", metavar="PATH", help="The name of what `-` reads.")
@click.option("--baseline", type=click.Path(dir_okay=False), metavar="FILE", help="Known findings.")
@click.option(
    "--write-baseline",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the findings there as known ones, and exit with 0.",
)
@click.option("--statistics", is_flag=True, help="Count by rule instead of listing.")
@click.option("--show-fixes", is_flag=True, help="Say below each finding what upgrade writes.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 although there are findings.")
@click.pass_context
def check(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    format_: str,
    output: str | None,
    quiet: bool,
    stdin_filename: str | None,
    baseline: str | None,
    write_baseline: str | None,
    statistics: bool,
    show_fixes: bool,
    exit_zero: bool,
    **given: Any,
) -> None:
    """Report what TF 2 no longer takes as it stands, in files, folders (default: .) or `-`.

    Exit codes: 0 clean, 1 findings, 2 usage, 3 internal or a file that failed.
    """
    if (statistics or show_fixes) and format_ != "text":
        name = "--statistics" if statistics else "--show-fixes"
        raise click.UsageError(f"{name} is for --format text; {format_} holds all of it already")
    paths = paths or (".",)
    results, options, config = _run(paths, stdin_filename, quiet, given)
    if write_baseline is not None:
        _write_baseline(write_baseline, results, options.root, quiet)
        ctx.exit(shared.FAILED if any(item.status == "failed" for item in results) else 0)
    baseline = baseline or config.baseline
    hidden = _hide_known(baseline, results, options.root, quiet) if baseline else 0
    report = shared.new_report(
        "check", results, options, hidden=hidden, statistics=statistics, show_fixes=show_fixes
    )
    shared.publish(report, format_, output, quiet)
    if any(result.status == "failed" for result in results):
        ctx.exit(shared.FAILED)
    if shared.has_problems(results, fixed=True) and not exit_zero:
        ctx.exit(shared.FOUND)


def _run(
    paths: tuple[str, ...], stdin_filename: str | None, quiet: bool, given: dict[str, Any]
) -> tuple[list[FileResult], Any, Any]:
    from migrate.engine import runner

    if "-" in paths:
        from migrate.commands.stdin import run_on_stdin

        _, result, options, config = run_on_stdin(runner.check, paths, stdin_filename, given)
        return [result], options, config
    if stdin_filename is not None:
        raise click.UsageError("--stdin-filename goes with `-` as the only path")
    options, config = shared.settings(paths, given)
    progress = shared.Progress(quiet)
    results: list[FileResult] = []
    try:
        for result in shared.relative(runner.check(paths, options, progress), options.root):
            result.before = result.after = None
            results.append(result)
    finally:
        progress.clear()
    return results, options, config


def _hide_known(path: str, results: list[FileResult], root: str, quiet: bool) -> int:
    from migrate.engine import baseline

    try:
        known = baseline.load(path)
    except baseline.BaselineError as error:
        raise click.UsageError(str(error)) from error
    lines = baseline.line_reader(root)
    hidden = sum(known.filter(result, lines) for result in results)
    stale = known.stale({result.path for result in results})
    if stale and not quiet:
        shared.note(
            f"{stale} entries of {path} occur no more; "
            f"`migrate check --write-baseline {path}` drops them"
        )
    return hidden


def _write_baseline(path: str, results: list[FileResult], root: str, quiet: bool) -> None:
    from migrate.engine import baseline

    shared.write_file(path, [baseline.dump(results, baseline.line_reader(root))])
    count = sum(baseline.counted(item) for file in results for item in (*file.fixed, *file.left))
    if not quiet:
        shared.note(f"Wrote {count} findings to {path}")
