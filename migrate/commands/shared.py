"""What ``check`` and ``upgrade`` have in common: options, settings, progress and output."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Literal, TypeVar, cast

import click

from migrate.engine.config import LEVELS, TARGETS, Config, ConfigError, find
from migrate.engine.findings import Applicability, FileResult
from migrate.engine.options import SELECTOR, KerasName, LevelName, Options, TargetName
from migrate.reports import FORMATS, Report, RuleInfo, renderer

F = TypeVar("F", bound=Callable[..., Any])

FAILED = 3
FOUND = 1

_ROOT_MARKS = (".git", ".hg", ".svn", "pyproject.toml", "setup.cfg", "setup.py")


def _selectors(
    ctx: click.Context, param: click.Parameter, value: Sequence[str]
) -> tuple[str, ...] | None:
    """Rule ids or their beginnings, repeated or with commas; None where not given."""
    if not value:
        return None
    parts = tuple(part.strip() for item in value for part in item.split(","))
    for part in parts:
        if not SELECTOR.match(part):
            raise click.BadParameter(
                f"expected rule ids or their beginnings, like TFM2 or TFM204. Received: {part!r}"
            )
    return parts


def run_options(function: F) -> F:
    """The options that ``check`` and ``upgrade`` share."""
    for decorate in reversed(
        (
            click.option(
                "--level",
                type=click.Choice(LEVELS),
                help="native (default): TF 2 names where a whole program allows it, compat for "
                "the rest; compat: keep every graph and session.",
            ),
            click.option(
                "--to",
                type=click.Choice(TARGETS),
                help="What Estimator code becomes. Default: estimator.",
            ),
            click.option(
                "--select",
                multiple=True,
                metavar="RULES",
                callback=_selectors,
                help="Only these rules: ids or beginnings, with commas (TFM2,TFM404).",
            ),
            click.option(
                "--extend-select",
                multiple=True,
                metavar="RULES",
                callback=_selectors,
                help="These rules too.",
            ),
            click.option(
                "--ignore",
                multiple=True,
                metavar="RULES",
                callback=_selectors,
                help="Not these rules; the longest beginning that fits decides.",
            ),
            click.option(
                "--unsafe/--no-unsafe",
                default=None,
                help="Make changes too that are not proved to keep the numbers.",
            ),
            click.option(
                "-j",
                "--jobs",
                type=click.IntRange(min=0),
                metavar="N",
                help="Processes. Default: 0, one per core.",
            ),
            click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
            click.option(
                "--format",
                "format_",
                type=click.Choice(FORMATS),
                default="text",
                show_default=True,
                help="The form of the report.",
            ),
            click.option(
                "--output",
                type=click.Path(dir_okay=False),
                metavar="FILE",
                help="Write the report there instead of on standard output.",
            ),
            click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors."),
        )
    ):
        function = decorate(function)
    return function


def settings(paths: Sequence[str], given: Mapping[str, Any]) -> tuple[Options, Config]:
    """Join what was given on the command line with [tool.migrate]; the command line wins."""
    start = _common_folder(paths)
    try:
        config = find(start)
    except ConfigError as error:
        raise click.UsageError(str(error)) from error

    def choose(name: str, default: Any) -> Any:
        value = given.get(name)
        if value is None:
            value = getattr(config, name)
        return default if value is None else value

    options = Options(
        level=cast(LevelName, choose("level", "native")),
        to=cast(TargetName, choose("to", "estimator")),
        keras=cast(KerasName, choose("keras", "3")),
        select=choose("select", ()),
        extend_select=choose("extend_select", ()),
        ignore=choose("ignore", ()),
        unsafe=choose("unsafe", False),
        jobs=choose("jobs", 0),
        cache=not given.get("no_cache", False),
        per_file_ignores=config.per_file_ignores,
        include=config.include,
        exclude=config.exclude,
        root=config.folder or _root(start),
    )
    _known_rules(options, config)
    if options.keras == "legacy" and options.to == "keras":
        raise click.UsageError("--keras legacy: --to keras writes for Keras 3 only")
    return options, config


def _known_rules(options: Options, config: Config) -> None:
    """Refuse selectors that fit no rule: they would do nothing without a word."""
    per_file = {prefix for _, prefixes in options.per_file_ignores for prefix in prefixes}
    wanted = {*options.select, *options.extend_select, *options.ignore, *per_file}
    if not wanted:
        return
    known = rules()
    for prefix in sorted(wanted):
        if not any(rule.startswith(prefix) for rule in known):
            where = f" ({config.path})" if config.path else ""
            raise click.UsageError(
                f"no rule begins with {prefix!r}{where}; `migrate rules` lists them"
            )


def rules() -> Mapping[str, RuleInfo]:
    """Every rule by id."""
    from migrate.engine.rule import all_rules

    return all_rules()


def _common_folder(paths: Sequence[str]) -> str:
    folders = [
        path if os.path.isdir(path) else os.path.dirname(path)
        for path in (os.path.abspath(path) for path in paths)
    ]
    try:
        return os.path.commonpath(folders)
    except ValueError as error:  # two drives
        raise click.UsageError(f"the paths have no folder in common: {', '.join(paths)}") from error


def _root(start: str) -> str:
    folder = start
    while True:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in _ROOT_MARKS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            here = os.getcwd()
            return here if os.path.commonpath([here, start]) == here else start
        folder = parent


class Progress:
    """A bar on standard error; silent where that is no terminal."""

    def __init__(self, quiet: bool) -> None:
        self._live = not quiet and sys.stderr.isatty()
        self._last = 0.0

    def __call__(self, done: int, total: int) -> None:
        if not self._live or not total:
            return
        now = time.monotonic()
        if now - self._last < 0.1 and done < total:
            return
        self._last = now
        filled = 24 * done // total
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (24 - filled)}] {done} of {total} files")
        sys.stderr.flush()

    def clear(self) -> None:
        """Take the bar off the terminal."""
        if self._live and self._last:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def relative(results: Iterable[FileResult], root: str) -> Iterator[FileResult]:
    """Results with paths as reports have them: relative to the root, with ``/``."""
    for result in results:
        path = result.path
        if os.path.isabs(path):
            path = os.path.relpath(path, root)
        result.path = path.replace(os.sep, "/")
        yield result


def colourful(stream: IO[Any]) -> bool:
    """Whether to colour what goes there (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def new_report(
    command: Literal["check", "upgrade"], results: list[FileResult], options: Options, **more: Any
) -> Report:
    """A report with the paths and colours of this process."""
    return Report(command, results, options.root, rules, base=os.getcwd(), **more)


def publish(
    report: Report, format_: str, output: str | None, quiet: bool, *, to_stderr: bool = False
) -> None:
    """Write a report where it was asked for; ``to_stderr`` where standard output is taken."""
    if output is not None:
        report.base = report.root
        write_file(output, renderer(format_)(report))
        if not quiet:
            from migrate.reports.summary import closing_line, summarize

            note(f"{closing_line(report, summarize(report))} Report: {output}")
    elif format_ != "text" or not quiet:
        stream = sys.stderr if to_stderr else sys.stdout
        report.colour = format_ == "text" and colourful(stream)
        write_out(renderer(format_)(report), stream)
    if quiet and (output is not None or format_ == "text"):
        for result in report.results:
            if result.status == "failed":
                note(f"{result.path}: {result.reason}")


def write_file(path: str, chunks: Iterable[str]) -> None:
    """Write a report to a file, whole or not at all."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(
            temporary, "w", encoding="utf-8", errors="backslashreplace", newline="\n"
        ) as stream:
            stream.writelines(chunks)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise click.FileError(path, error.strerror or str(error)) from error


def write_out(chunks: Iterable[str | bytes], stream: IO[Any] | None = None) -> None:
    """Write to standard output; a reader that has gone away ends the writing, not the run."""
    stream = stream or sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    raw = getattr(stream, "buffer", None)
    try:
        for chunk in chunks:
            if raw is None:
                stream.write(chunk if isinstance(chunk, str) else chunk.decode("utf-8", "replace"))
            else:
                raw.write(
                    chunk
                    if isinstance(chunk, bytes)
                    else chunk.encode(encoding, "backslashreplace")
                )
        (raw or stream).flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def note(message: str) -> None:
    """A line for the user on standard error."""
    from migrate.reports.escape import visible

    click.echo(visible(message), err=True)


def has_problems(results: Iterable[FileResult], *, fixed: bool) -> bool:
    """Whether a finding asks for something: those left, and with ``fixed`` the others too."""
    return any(
        finding.applicability is not Applicability.INFO
        for result in results
        for finding in ((*result.left, *result.fixed) if fixed else result.left)
    )


def note_lines(message: str) -> None:
    """The same for a message of several lines."""
    from migrate.reports.escape import visible_lines

    click.echo(visible_lines(message), err=True)
