"""``migrate parity``: is the migrated program still the same model?"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from migrate.parity.errors import ParityError

EXIT_USAGE, EXIT_INTERNAL = 2, 3
Command = Callable[..., Any]


def _numpy() -> None:
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise click.UsageError(
            "migrate parity needs NumPy and TensorFlow 2: pip install tf1-migrate[tensorflow]"
        ) from None


def _shared(command: Command) -> Command:
    """Options of every command that runs programs."""
    options = [
        click.option("--tf1-python", metavar="PATH", help="Python with TensorFlow 1.15."),
        click.option("--tf2-python", metavar="PATH", help="Python with TensorFlow 2."),
        click.option("--seed-only", is_flag=True,
                     help="Seed the generators, but don't redirect random ops."),
        click.option("--seed", type=int, default=0, show_default=True),
        click.option("--steps", type=click.IntRange(min=1),
                     help="End both programs after so many training steps."),
        click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=600.0,
                     show_default=True, help="Seconds for one run of a program."),
        click.option("--memory", type=click.FloatRange(min=0, min_open=True), default=16.0,
                     show_default=True, help="GiB that a program may allocate."),
        click.option("--cwd", type=click.Path(exists=True, file_okay=False, path_type=Path),
                     help="Folder whose copy the programs work in [the program's own]."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def _judging(command: Command) -> Command:
    """Options of every command that compares."""
    options = [
        click.option("--rtol", type=click.FloatRange(min=0),
                     help="Relative tolerance for the free run and for printed numbers."),
        click.option("--device", "devices", multiple=True,
                     type=click.Choice(["cpu", "xla", "gpu", "tpu"])),
        click.option("--devices", "device_list", metavar="A,B", default="",
                     help="The same, several at once: cpu,xla,gpu,tpu; also export, jax, torch; "
                     "of an Estimator's program mirrored,workers,servers."),
        click.option("--tpu", "topologies", multiple=True, metavar="TOPOLOGY",
                     help="Compile ahead of time for it where there is no TPU [v5e:2x2]."),
        click.option("--results", "device_results", multiple=True,
                     type=click.Path(exists=True, dir_okay=False, path_type=Path),
                     help="What run-export wrote on another machine."),
        click.option("--names", "names", multiple=True, type=click.Path(exists=True),
                     help="JSON map: variable of the original → of the migrated program."),
        click.option("--ignore", multiple=True, metavar="REGEX",
                     help="Printed lines that are not compared."),
        click.option("--no-witness", is_flag=True,
                     help="Don't run the original's graph on TensorFlow 2."),
        click.option("--no-lock-step", is_flag=True),
        click.option("--format", "form", default="text", show_default=True,
                     type=click.Choice(["text", "json", "junit", "html"])),
        click.option("--report", "reports", multiple=True, type=click.Path(path_type=Path),
                     help="Also write a report: .json, .xml (JUnit), .html, .txt."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def _options(values: dict[str, Any]) -> Any:
    from migrate.parity.harness import Options
    from migrate.parity.isolation import GIBIBYTE, Limits
    from migrate.parity.naming import load_names

    base = Options()
    return replace(
        base,
        randomness="seed" if values["seed_only"] else "shape",
        seed=values["seed"],
        steps=values["steps"],
        every=values.get("every") or base.every,
        windows=values.get("windows") or base.windows,
        envelope_runs=base.envelope_runs if values.get("envelope") is None else values["envelope"],
        witness=not values.get("no_witness", False),
        lock_step=not values.get("no_lock_step", False),
        names=load_names(values.get("names", ())),
        ignore=tuple(values.get("ignore", ())),
        tolerances=base.tolerances.with_rtol(values.get("rtol")),
        limits=Limits(values["timeout"], int(values["memory"] * GIBIBYTE)),
    )


def _recording(command: Command) -> Command:
    options = [
        click.option("--every", type=click.IntRange(min=2), default=10, show_default=True,
                     help="Steps of a lock-step window."),
        click.option("--windows", type=click.IntRange(min=1), default=5, show_default=True,
                     help="Lock-step windows."),
        click.option("--envelope", type=click.IntRange(min=0), default=5, show_default=True,
                     help="Runs of the original with 1-ulp changes of its initial weights."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def _split(arguments: Iterable[str]) -> tuple[str, ...]:
    return tuple(arguments)


def _fail(error: ParityError) -> None:
    click.echo(f"migrate parity: {error}", err=True)
    sys.exit(EXIT_USAGE)


def _deliver(results: list[Any], form: str, reports: Iterable[Path]) -> None:
    from migrate.parity import report

    for path in reports:
        report.write(results, path)
    click.echo(report.render(results, form), nl=False)
    sys.exit(max((result.exit_code for result in results), default=0))


@click.group(invoke_without_command=True)
@click.pass_context
def parity(context: click.Context) -> None:
    """Run a program on TensorFlow 1.15.5 and its migration on 2.x, and compare what matters.

    Without a command: every program of [tool.migrate.parity] in pyproject.toml.

    \b
    Exit codes: 0 all agree, 1 something differs, 2 usage, 3 a program crashed by itself.
    """
    _numpy()
    if context.invoked_subcommand is None:
        try:
            _run_all(())
        except ParityError as error:
            _fail(error)


@parity.command()
@click.argument("before")
@click.argument("after")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("--before-args", default="", metavar="TEXT", help="Arguments of the original only.")
@click.option("--after-args", default="", metavar="TEXT", help="Arguments of the migration only.")
@_shared
@_recording
@_judging
def run(before: str, after: str, args: tuple[str, ...], **values: Any) -> None:
    """Record BEFORE on TensorFlow 1.15 and compare AFTER with it.

    BEFORE and AFTER are scripts or modules; ARGS, after --, go to both.
    """
    from migrate.parity.environment import find_tf1, find_tf2
    from migrate.parity.harness import Harness, Program

    first = (*_split(shlex.split(values["before_args"])), *args)
    second = (*_split(shlex.split(values["after_args"])), *args)
    try:
        tf1, tf2 = find_tf1(values["tf1_python"]), find_tf2(values["tf2_python"])
        options = _options(values)
        original = Program(before, first, values["cwd"])
        migrated = Program(after, second, values["cwd"])
        original.check()
        migrated.check()
        with Harness(options, tf1=tf1.path if tf1 else None, tf2=tf2.path) as harness:
            golden = harness.record(original)
        chosen = devices_of(values)
        if set(chosen) <= {"cpu"}:
            results = [_verify(options, tf1, tf2, golden, migrated, before)]
        else:
            from migrate.parity.config import Comparison
            from migrate.parity.devices.command import compare

            item = Comparison(Path(after).stem, original, migrated, options, chosen)
            results = compare([item], values, _known(golden), tf1, tf2)
    except ParityError as error:
        _fail(error)
    else:
        _deliver(results, values["form"], values["reports"])


def devices_of(values: dict[str, Any]) -> tuple[str, ...]:
    """The devices that ``--device`` and ``--devices`` name."""
    from migrate.parity.config import check_devices

    named = (*values["devices"], *filter(None, values["device_list"].replace(" ", "").split(",")))
    check_devices(named, "--devices")
    return tuple(dict.fromkeys(named)) or ("cpu",)


def _verify(
    options: Any, tf1: Any, tf2: Any, golden: Any, migrated: Any, before: str = "", name: str = ""
) -> Any:
    from migrate.parity.harness import Harness
    from migrate.parity.verdict import NOT_RUN, Result

    with Harness(options, tf1=tf1.path if tf1 else None, tf2=tf2.path) as harness:
        missing = harness.missing_device()
        if missing is not None:
            result = Result(name or migrated.target, before, migrated.target, options.device)
            result.verdict, result.reason = NOT_RUN, missing
            return result
        return harness.verify(golden, migrated, name, before)


@parity.command()
@click.argument("before")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path),
              help="Folder for the bundle.")  # fmt: skip
@_shared
@_recording
def record(before: str, args: tuple[str, ...], output: Path, **values: Any) -> None:
    """Record BEFORE on TensorFlow 1.15 into a golden bundle."""
    from migrate.parity import bundle
    from migrate.parity.environment import find_tf1
    from migrate.parity.harness import Harness, Program

    try:
        tf1 = find_tf1(values["tf1_python"])
        with Harness(_options(values), tf1=tf1.path if tf1 else None) as harness:
            found = harness.record(Program(before, args, values["cwd"]))
        bundle.write(found, output)
    except ParityError as error:
        _fail(error)
    ending = found.ending
    click.echo(
        f"{output}: {found.steps} training steps, {len(found.variables)} variables, "
        f"{len(found.arrays)} arrays"
    )
    if ending.get("code"):
        click.echo(f"The program failed: {ending.get('error', ending)}", err=True)
        sys.exit(EXIT_INTERNAL)


@parity.command()
@click.argument("golden", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("after")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@_shared
@_judging
def verify(golden: Path, after: str, args: tuple[str, ...], **values: Any) -> None:
    """Compare AFTER with a bundle that `migrate parity record` made."""
    from migrate.parity import bundle
    from migrate.parity.environment import find_tf1, find_tf2
    from migrate.parity.harness import Program

    try:
        found = bundle.read(golden)
        tf1, tf2 = find_tf1(values["tf1_python"]), find_tf2(values["tf2_python"])
        options = _options(values)
        migrated = Program(after, args, values["cwd"])
        migrated.check()
        chosen = devices_of(values)
        if set(chosen) <= {"cpu"}:
            results = [_verify(options, tf1, tf2, found, migrated)]
        else:
            from migrate.parity.config import Comparison
            from migrate.parity.devices.command import compare

            item = Comparison(Path(after).stem, None, migrated, options, chosen, golden)
            results = compare([item], values, _known(found), tf1, tf2)
    except ParityError as error:
        _fail(error)
    else:
        _deliver(results, values["form"], values["reports"])


@parity.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--values", "with_values", is_flag=True, help="Print the series' values too.")
def show(path: Path, with_values: bool) -> None:
    """Print a bundle (a folder) or a result (a JSON report)."""
    from migrate.parity import bundle

    try:
        if path.is_dir():
            click.echo(_describe(bundle.read(path), with_values))
            return
        data = json.loads(path.read_text(encoding="utf-8"))
        for result in data["results"]:
            click.echo(f"{result['name']} on {result['device']}: {result['verdict']}")
            click.echo(f"  {result['reason']}")
            for rung in result["rungs"]:
                click.echo(f"  {rung['status']:>8}  {rung['name']:<12} {rung['reason']}".rstrip())
    except ParityError as error:
        _fail(error)
    except (ValueError, KeyError, TypeError) as error:
        _fail(ParityError(f"{path} is no report of migrate parity: {error!r}"))


def _describe(found: Any, with_values: bool) -> str:
    runtime = found.record.get("runtime", {})
    lines = [
        f"program     {found.record.get('program', {})}",
        f"runtime     TensorFlow {runtime.get('tensorflow')}, Python {runtime.get('python')}, "
        f"NumPy {runtime.get('numpy')}",
        f"randomness  {found.record.get('randomness')}, seed {found.record.get('seed')}",
        f"ended       {found.ending}",
        f"steps       {found.steps}; snapshots {', '.join(found.record.get('snapshots', []))}",
        f"envelope    {found.record.get('envelope', 'none')}",
    ]
    for variable in found.variables:
        mark = "trainable" if variable.trainable else ""
        lines.append(f"variable    {variable.name}  {variable.dtype}{variable.shape}  {mark}")
    for series in found.series():
        lines.append(f"series      {series.key}: {len(series.values)} values")
        if with_values:
            lines += [f"  {step:>6}  {value!s}" for step, value in zip(
                series.steps, series.values, strict=True)]  # fmt: skip
    lines += [f"file        {name}, {len(data)} bytes" for name, data in found.files().items()]
    lines += [f"note        {note}" for note in found.record.get("notes", [])]
    return "\n".join(line.rstrip() for line in lines)


@parity.command()
@click.option("--folder", type=click.Path(path_type=Path), help="Where [the user's cache].")
@click.option("--python", metavar="PATH", help="Python 3.7 to make it from.")
def setup(folder: Path | None, python: str | None) -> None:
    """Make a virtual environment with TensorFlow 1.15.5 from PyPI (about 600 MB)."""
    from migrate.parity import environment

    try:
        environment.setup(folder, python, click.echo)
    except ParityError as error:
        _fail(error)


@parity.command("all")
@click.argument("names", nargs=-1)
@click.option("--config", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--format", "form", default="text", show_default=True,
              type=click.Choice(["text", "json", "junit", "html"]))  # fmt: skip
@click.option("--report", "reports", multiple=True, type=click.Path(path_type=Path))
def run_configured(
    names: tuple[str, ...], config: Path | None, form: str, reports: tuple[Path, ...]
) -> None:
    """Compare the programs of [tool.migrate.parity]: all, or those that are NAMES."""
    try:
        _run_all(names, config, form, reports)
    except ParityError as error:
        _fail(error)


def _run_all(
    names: tuple[str, ...],
    path: Path | None = None,
    form: str = "text",
    reports: tuple[Path, ...] = (),
) -> None:
    from migrate.parity.environment import find_tf1, find_tf2
    from migrate.parity.harness import Harness

    table, chosen = chosen_of(names, path)
    tf1, tf2 = find_tf1(table.tf1_python), find_tf2(table.tf2_python)
    results = []
    for item in chosen:
        with Harness(item.options, tf1=tf1.path if tf1 else None) as harness:
            golden = golden_of(item, harness)
        before = item.before.target if item.before else ""
        if set(item.devices) <= {"cpu"}:
            results.append(_verify(item.options, tf1, tf2, golden, item.after, before, item.name))
        else:
            from migrate.parity.devices.command import compare

            results += compare([item], {}, _known(golden), tf1, tf2)
    _deliver(results, form, reports)


def _known(golden: Any) -> Callable[[Any, Any], Any]:
    return lambda item, harness: golden


def golden_of(item: Any, harness: Any) -> Any:
    """The recorded original of a configured program; recorded now where there is no bundle."""
    from migrate.parity import bundle

    if item.golden is not None and (item.golden / bundle.RECORD).exists():
        return bundle.read(item.golden)
    if item.before is None:
        raise ParityError(f"{item.name}: {item.golden} is no bundle, and `before` is missing.")
    return harness.record(item.before)


def chosen_of(names: tuple[str, ...], path: Path | None) -> tuple[Any, list[Any]]:
    """The table of pyproject.toml, and its programs that were asked for."""
    from migrate.parity import config

    path = path or config.find(Path.cwd())
    if path is None:
        raise ParityError(
            f"No pyproject.toml at or above {Path.cwd()} has [tool.migrate.parity]. "
            "Add the table, or give both programs: migrate parity run BEFORE AFTER"
        )
    table = config.load(path)
    known = [comparison.name for comparison in table.comparisons]
    for name in names:
        if name not in known:
            raise ParityError(f"{path} lists no program {name!r}. Known: {', '.join(known)}.")
    chosen = [item for item in table.comparisons if not names or item.name in names]
    if not chosen:
        raise ParityError(f"{path}: [tool.migrate.parity] lists no programs.")
    return table, chosen


def _register() -> None:
    from migrate.parity.devices.command import commands

    for command in commands:
        parity.add_command(command)


_register()
