"""``migrate parity matrix``, ``export`` and ``run-export``."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from migrate.parity.errors import ParityError

EXIT_USAGE = 2
DEFAULT = "cpu,xla,gpu,tpu"


def say(text: str) -> None:
    """Progress, on standard error."""
    click.echo(text, err=True)


@contextlib.contextmanager
def work_folder(given: Path | None) -> Iterator[Path]:
    """A folder for steps and exports: the user's, or one that is removed."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="migrate-devices-") as made:
        yield Path(made)


def compare(
    items: Sequence[Any], values: dict[str, Any], golden_of: Callable[[Any, Any], Any],
    tf1: Any, tf2: Any,
) -> list[Any]:  # fmt: skip
    """Results of programs on the devices that they ask for."""
    from migrate.parity.devices import cpu, matrix, tpu
    from migrate.parity.isolation import GIBIBYTE, Limits

    settings = cpu.SETTINGS
    if values.get("settings") == "two":
        settings = (cpu.SETTINGS[0], cpu.SETTINGS[-1])
    elif values.get("settings") == "none":
        settings = ()
    limits = Limits(
        values.get("compile_timeout") or 300.0, int((values.get("memory") or 16.0) * GIBIBYTE)
    )
    with work_folder(values.get("work")) as folder:
        plan = matrix.Plan(
            tuple(items[0].devices),
            tf1.path if tf1 else None,
            tf2.path,
            folder,
            tuple(values.get("topologies") or (tpu.TOPOLOGY,)),
            settings,
            not values.get("no_whole", False),
            limits,
            tuple(values.get("device_results") or ()),
            values.get("time_limit"),
        )
        return matrix.run(items, plan, golden_of, say)


def _programs(names: tuple[str, ...], config: Path | None) -> tuple[Any, list[Any], Any, Any]:
    from migrate.parity.command import chosen_of
    from migrate.parity.environment import find_tf1, find_tf2

    table, chosen = chosen_of(names, config)
    return table, chosen, find_tf1(table.tf1_python), find_tf2(table.tf2_python)


@click.command()
@click.argument("names", nargs=-1)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with [tool.migrate.parity] [pyproject.toml at or above here].",
)
@click.option(
    "--devices",
    "device_list",
    default=DEFAULT,
    show_default=True,
    metavar="A,B",
    help="Of cpu, xla, gpu, tpu, export, jax, torch, mirrored, workers, servers.",
)
@click.option(
    "--tpu",
    "topologies",
    multiple=True,
    metavar="TOPOLOGY",
    help="Compile ahead of time for it [v5e:2x2].",
)
@click.option(
    "--results",
    "device_results",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What run-export wrote elsewhere: joins gpu, tpu or (a CPU's) export.",
)
@click.option(
    "--cpu-settings",
    "settings",
    type=click.Choice(["all", "two", "none"]),
    default="all",
    show_default=True,
    help="Threads × oneDNN that cpu is run with.",
)
@click.option(
    "--no-whole",
    is_flag=True,
    help="xla: only the steps, not the whole program auto-clustered too.",
)
@click.option(
    "--compile-timeout",
    type=click.FloatRange(min=1),
    default=300.0,
    show_default=True,
    help="Seconds for compiling one step.",
)
@click.option(
    "--memory",
    type=click.FloatRange(min=0, min_open=True),
    default=16.0,
    show_default=True,
    help="GiB that compiling one step may allocate.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    help="Seconds after which no further program is begun: not reached, which is no agreement.",
)
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep steps, modules and exports in this folder.",
)
@click.option(
    "--format",
    "form",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json", "junit", "html"]),
)
@click.option("--report", "reports", multiple=True, type=click.Path(path_type=Path))
def matrix(names: tuple[str, ...], config: Path | None, **values: Any) -> None:
    """Every program of [tool.migrate.parity], or NAMES, on every device: one table.

    What could not run says `not run` and why; it never counts as passed.
    """
    from dataclasses import replace

    from migrate.parity import report
    from migrate.parity.command import golden_of
    from migrate.parity.config import check_devices
    from migrate.parity.devices import matrix as table_of

    try:
        devices = tuple(dict.fromkeys(filter(None, values["device_list"].split(","))))
        check_devices(devices, "--devices")
        _, chosen, tf1, tf2 = _programs(names, config)
        items = [replace(item, devices=devices) for item in chosen]
        results = compare(items, values, golden_of, tf1, tf2)
    except ParityError as error:
        click.echo(f"migrate parity: {error}", err=True)
        sys.exit(EXIT_USAGE)
    for path in values["reports"]:
        report.write(results, path)
    form = values["form"]
    click.echo(table_of.text(results) if form == "text" else report.render(results, form), nl=False)
    sys.exit(max(table_of.exit_code(result) for result in results))


@click.command()
@click.argument("names", nargs=-1)
@click.option("--config", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--for", "target", type=click.Choice(["cuda", "tpu", "cpu"]), default="cuda", show_default=True
)
@click.option("-o", "--output", required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option("--before", type=click.Path(exists=True, dir_okay=False), help="Instead of NAMES ...")
@click.option("--after", type=click.Path(exists=True, dir_okay=False), help="... one pair.")
def export(
    names: tuple[str, ...], config: Path | None, target: str, output: Path,
    before: str | None, after: str | None,
) -> None:  # fmt: skip
    """Export the training steps of both sides, with their data, for a machine with JAX.

    There: `migrate parity run-export FOLDER`, or `python FOLDER/run_steps.py FOLDER`.
    """
    from migrate.parity.config import Comparison
    from migrate.parity.devices import gpu
    from migrate.parity.devices import matrix as table_of
    from migrate.parity.environment import find_tf1, find_tf2
    from migrate.parity.harness import Harness, Options, Program

    try:
        if after is not None:
            tf1, tf2 = find_tf1(), find_tf2()
            chosen = [
                Comparison(
                    Path(after).stem, Program(before) if before else None, Program(after), Options()
                )
            ]
        else:
            _, chosen, tf1, tf2 = _programs(names, config)
        with work_folder(None) as folder:
            plan = table_of.Plan(("export",), tf1.path if tf1 else None, tf2.path, folder)
            rows = [table_of.Row(item) for item in chosen]
            with Harness(Options(), tf1=plan.tf1, tf2=plan.tf2) as harness:
                for number, row in enumerate(rows):
                    say(f"[{number + 1}/{len(rows)}] {row.item.name}")
                    table_of.take(row, plan, harness)
            every = {row.item.name: row.sides for row in rows}
            left_out = gpu.export(every, output, target)
    except ParityError as error:
        click.echo(f"migrate parity: {error}", err=True)
        sys.exit(EXIT_USAGE)
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    click.echo(f"{output}: {len(every)} programs, {size / 2**20:.1f} MiB, for {target}")
    for line in left_out:
        click.echo(f"left out: {line}")


@click.command("run-export")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The result file [FOLDER/result.json].",
)
@click.option("--platform", type=click.Choice(["cpu", "cuda", "tpu"]), help="[JAX's own choice]")
@click.option("--tf32", is_flag=True, help="Allow TF32 in matrix products: a rung of its own.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    default=300.0,
    show_default=True,
    help="Seconds for one program.",
)
def run_export(
    folder: Path, output: Path | None, platform: str | None, tf32: bool, timeout: float
) -> None:
    """Run exported steps with JAX alone; the result file joins `matrix --results`."""
    from migrate.parity.devices import gpu
    from migrate.parity.isolation import Limits

    if not (folder / gpu.MANIFEST).is_file():
        raise click.UsageError(f"{folder} has no {gpu.MANIFEST}: `migrate parity export` makes one")
    path = output or folder / "result.json"
    found, reason = gpu.run_export(folder, path, Limits(timeout), platform, tf32)
    if found is None:
        click.echo(f"migrate parity: {reason}", err=True)
        sys.exit(3)
    device = found["device"]
    click.echo(f"{path}: {len(found['programs'])} programs on {device['device']} "
               f"({device['platform']}), JAX {device['jax']}")  # fmt: skip


commands = (matrix, export, run_export)
