"""``migrate upgrade``: rewrite in place, into a folder, as a diff, or from standard input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from migrate.commands import official, shared
from migrate.commands.targets import InPlace, IntoFile, IntoFolder, Target
from migrate.engine.findings import FileResult
from migrate.engine.options import Options
from migrate.reports import Report

SHOWN = 6  # files of a program that --explain-level names; JSON has them all
KEEP_BYTES = ("sarif", "html")  # these show changes, so the report needs both texts


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, allow_dash=True), metavar="PATH...")
@click.option("--diff", is_flag=True, help="Show what would change; write nothing.")
@click.option("--check", "dry", is_flag=True, help="Write nothing; exit with 1 if it would.")
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Write there, changed files and unchanged ones, and leave PATH alone.",
)
@click.option("--copy-other-files", is_flag=True, help="With --out: copy all other files too.")
@click.option("--allow-dirty", is_flag=True, help="Write although files have uncommitted changes.")
@click.option("--allow-no-vcs", is_flag=True, help="Write although there is no git repository.")
@click.option(
    "--keras",
    "keras",
    type=click.Choice(["3", "legacy"]),
    help="The Keras that functions for sessions are written for: 3 (default), TF 2.21's own, or "
    "legacy, the package tf_keras.",
)
@click.option("--stdin-filename", metavar="PATH", help="The name of what `-` reads.")
@shared.run_options
@click.option(
    "-v",
    "--verbose",
    "--print_all",
    is_flag=True,
    help="List what was changed too, place by place.",
)
@click.option(
    "--explain-level", is_flag=True, help="Say which programs there are and why not native."
)
@official.flags
@click.pass_context
def upgrade(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    diff: bool,
    dry: bool,
    out: str | None,
    copy_other_files: bool,
    allow_dirty: bool,
    allow_no_vcs: bool,
    stdin_filename: str | None,
    format_: str,
    output: str | None,
    quiet: bool,
    verbose: bool,
    explain_level: bool,
    **given: Any,
) -> None:
    """Rewrite TF 1 code in files and folders for TF 2.21, or from standard input to output (`-`).

    In place by default, where git could give everything back; `migrate undo` can in any case.
    The flags of tf_upgrade_v2 (--infile, --outtree, --mode ...) work too.

    Exit codes: 0 nothing to do, 1 something changed (would change) or is left for you, 2 usage,
    3 internal or a file that failed.
    """
    names = ("infile", "outfile", "intree", "outtree", "inplace", "copyotherfiles")
    call = official.translate(
        paths,
        out,
        copy_other_files,
        given["level"],
        **{name: given.pop(name) for name in (*names, "reportfile", "mode")},
    )
    given["level"] = call.level
    writes_nothing = diff or dry
    stdin = "-" in call.paths
    _refuse_nonsense(call, stdin, diff, dry, format_, output, stdin_filename)
    if explain_level:
        _explain_level(call.paths, given, format_, output)
        return
    if stdin:
        ctx.exit(_filter(call, diff, dry, stdin_filename, format_, output, quiet, verbose, given))
    options, _ = shared.settings(call.paths, given)
    target: Target | None = None
    if not writes_nothing:
        if call.outfile is not None:
            target = IntoFile(options, call.outfile)
        elif call.out is not None:
            target = IntoFolder(options, call.paths, call.out, call.copy_other_files)
        else:
            target = InPlace(options, call.paths, allow_dirty, allow_no_vcs)
    report = shared.new_report("upgrade", [], options, written=not writes_nothing, verbose=verbose)
    keep = format_ in KEEP_BYTES
    _run(call.paths, options, report, target, diff, keep, quiet)
    if isinstance(target, InPlace):
        report.undo = target.run
    shared.publish(report, format_, output, quiet, to_stderr=diff)
    if call.reportfile is not None:
        _reportfile(report, call.reportfile)
    ctx.exit(_exit_code(report))


def _run(
    paths: tuple[str, ...],
    options: Options,
    report: Report,
    target: Target | None,
    diff: bool,
    keep: bool,
    quiet: bool,
) -> None:
    from migrate.engine import runner

    progress = shared.Progress(quiet or diff)
    try:
        for result in shared.relative(runner.upgrade(paths, options, progress), options.root):
            if target is not None:
                target.take(result)
            if diff:
                _show_diff(result)
            if not keep:
                result.before = result.after = None
            report.results.append(result)
        if target is not None:
            target.finish()
    except KeyboardInterrupt:
        progress.clear()
        if target is not None:
            target.interrupted()
        raise
    finally:
        progress.clear()


def _refuse_nonsense(
    call: official.Call,
    stdin: bool,
    diff: bool,
    dry: bool,
    format_: str,
    output: str | None,
    stdin_filename: str | None,
) -> None:
    if not call.paths:
        raise click.UsageError("which files or folders? For the current folder: migrate upgrade .")
    elsewhere = "--outfile" if call.outfile else "--out" if call.out else None
    for name, given in (("--diff", diff), ("--check", dry)):
        if given and elsewhere:
            raise click.UsageError(f"{name} writes nothing, so {elsewhere} has no meaning with it.")
    if call.copy_other_files and call.out is None:
        raise click.UsageError("--copy-other-files goes with --out DIR.")
    if stdin and elsewhere:
        raise click.UsageError(f"`-` writes to standard output; {elsewhere} has no meaning.")
    if stdin_filename is not None and not stdin:
        raise click.UsageError("--stdin-filename goes with `-` as the only path.")
    if (diff or stdin) and format_ != "text" and output is None:
        taken = "--diff" if diff else "`-`"
        raise click.UsageError(
            f"{taken} takes standard output; name a file for the {format_} report with --output."
        )


def _filter(
    call: official.Call,
    diff: bool,
    dry: bool,
    filename: str | None,
    format_: str,
    output: str | None,
    quiet: bool,
    verbose: bool,
    given: dict[str, Any],
) -> int:
    from migrate.commands.stdin import run_on_stdin
    from migrate.engine import runner

    data, result, options, _ = run_on_stdin(runner.upgrade, call.paths, filename, given)
    if diff:
        _show_diff(result)
    elif not dry:
        shared.write_out([data if result.after is None else result.after])
    report = shared.new_report(
        "upgrade", [result], options, written=not (diff or dry), verbose=verbose
    )
    if output is not None or result.fixed or result.left or result.status == "failed":
        shared.publish(report, format_, output, quiet, to_stderr=True)
    if call.reportfile is not None:
        _reportfile(report, call.reportfile)
    return _exit_code(report)


def _show_diff(result: FileResult) -> None:
    if result.before is None or result.after is None:
        return
    import sys

    from migrate.reports.diff import for_terminal, unified

    lines = unified(result.path, result.before, result.after)
    if sys.stdout.isatty():
        shared.write_out(for_terminal(lines, shared.colourful(sys.stdout)))
    else:
        shared.write_out(line.encode("utf-8", "surrogateescape") for line in lines)


def _reportfile(report: Report, path: str) -> None:
    from migrate.reports.text import render

    report.base, report.colour, report.verbose = report.root, False, True
    shared.write_file(path, render(report))


def _explain_level(
    paths: tuple[str, ...], given: dict[str, Any], format_: str, output: str | None
) -> None:
    from migrate.engine import runner

    if format_ not in ("text", "json"):
        raise click.UsageError(f"--explain-level knows text and json. Received: {format_!r}")
    if "-" in paths:
        raise click.UsageError("--explain-level takes files and folders, not `-`.")
    options, _ = shared.settings(paths, given)
    programs = runner.explain_level(paths, options)
    chunks = _levels_json(programs) if format_ == "json" else _levels_text(programs)
    if output is not None:
        shared.write_file(output, chunks)
    else:
        shared.write_out(chunks)


def _levels_text(programs: Any) -> Iterator[str]:
    from migrate.reports.escape import visible

    counts: Counter[str] = Counter()
    for files, level, reasons in programs:
        counts[level.value] += 1
        named = ", ".join(visible(file) for file in files[:SHOWN])
        more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
        yield f"{level.value}: {named}{more}\n"
        for reason in reasons:
            place = f"{reason.path}:{reason.line}:{reason.column}"
            words = f"{reason.rule} {reason.message}".strip()
            yield f"    {visible(place)}: {visible(words)}\n"
    if counts.total() > 1:
        said = ", ".join(f"{count} {level}" for level, count in sorted(counts.items()))
        yield f"{counts.total()} programs: {said}\n"


def _levels_json(programs: Any) -> Iterator[str]:
    import json

    described = [
        {
            "files": list(files),
            "level": level.value,
            "reasons": [
                {
                    "path": reason.path,
                    "line": reason.line,
                    "column": reason.column,
                    "cell": reason.cell,
                    "rule": reason.rule,
                    "endpoint": reason.endpoint,
                    "message": reason.message,
                }
                for reason in reasons
            ],
        }
        for files, level, reasons in programs
    ]
    yield json.dumps(described, indent=1) + "\n"


def _exit_code(report: Report) -> int:
    if any(result.status == "failed" for result in report.results):
        return shared.FAILED
    if shared.has_problems(report.results, fixed=False):
        return shared.FOUND
    changed = any(result.status == "changed" for result in report.results)
    return shared.FOUND if changed else 0
