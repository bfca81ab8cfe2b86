"""``migrate checkpoint``: list, show, compare, convert, verify; SavedModels and frozen graphs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from migrate.checkpoints.errors import CheckpointError, Usage
from migrate.commands import shared

if TYPE_CHECKING:
    from migrate.checkpoints.convert import Outcome, Request
    from migrate.checkpoints.formats.base import Reader

EXIT_USAGE = 2
_HOW = ("name", "structure", "shape", "order")
_ENOUGH = 8 << 20  # bytes that are worth a bar


@contextmanager
def errors() -> Iterator[None]:
    """Errors with their exit codes: 2 usage, 3 a file that failed."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise click.UsageError(
            "migrate checkpoint needs NumPy: pip install 'tf1-migrate[checkpoints]'"
        ) from None
    try:
        yield
    except Usage as error:
        shared.note_lines(f"migrate checkpoint: {error}")
        sys.exit(EXIT_USAGE)
    except CheckpointError as error:
        shared.note_lines(f"migrate checkpoint: {error}")
        sys.exit(shared.FAILED)
    except MemoryError:
        shared.note_lines("migrate checkpoint: not enough memory for the largest tensor")
        sys.exit(shared.FAILED)


@contextmanager
def _bar(total: int, quiet: bool, label: str) -> Iterator[Callable[[int], object] | None]:
    """A progress bar over bytes, where someone looks."""
    if quiet or total < _ENOUGH or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=total, label=label, file=sys.stderr) as bar:
        yield bar.update


def _chosen(reader: Reader, names: Sequence[str], match: Sequence[str]) -> list[str]:
    """Tensors by name, and by regular expression; all without either."""
    from migrate.checkpoints.maps.plan import pattern_of

    for name in names:
        reader[name]
    patterns = [pattern_of(text) for text in match]
    if not names and not patterns:
        return list(reader.tensors)
    return [
        name
        for name in reader.tensors
        if name in names or any(pattern.search(name) for pattern in patterns)
    ]


@click.group()
def checkpoint() -> None:
    """Read, compare and convert checkpoints of TF 1, TF 2 and Keras, both ways.

    \b
    migrate checkpoint list model.ckpt-1000
    migrate checkpoint convert model.ckpt-1000 new.weights.h5 --model mymodel:build --dry-run
    migrate checkpoint compare old.ckpt new.ckpt
    migrate checkpoint savedmodel show export/1

    A checkpoint is a prefix (model.ckpt-1000), one of its files, a folder with a file `checkpoint`,
    a SavedModel's folder, or a .weights.h5, .keras, .npz or .safetensors file. Neither TensorFlow
    nor your code is imported, but by --model and by `savedmodel export`, in processes of their own.

    Exit codes: 0 clean, 1 differences, 2 usage, 3 a file that failed.
    """


@checkpoint.command("list")
@click.argument("path")
@click.option("--match", multiple=True, metavar="REGEX", help="Only names with a match.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text")
def list_(path: str, match: tuple[str, ...], format_: str) -> None:
    """List the tensors of PATH: name, dtype, shape, size, what each is for."""
    from migrate.checkpoints import tables

    with errors(), _opened(path, names_only=True) as reader:
        names = _chosen(reader, (), match)
        if format_ == "json":
            shared.write_out([tables.listing_json(reader, names)])
        else:
            shared.write_out(tables.listing(reader, names))
        for note in reader.notes:
            shared.note(note)
        if reader.notes:
            sys.exit(shared.FAILED)


@contextmanager
def _opened(path: str, *, names_only: bool = False) -> Iterator[Reader]:
    from migrate.checkpoints.formats.objects import ObjectReader
    from migrate.checkpoints.opening import reading

    with reading(path, names_only=names_only) as reader:
        if isinstance(reader, ObjectReader):
            reader.load_graph()
        yield reader


@checkpoint.command()
@click.argument("path")
@click.argument("names", nargs=-1)
@click.option("--match", multiple=True, metavar="REGEX", help="Names with a match, too.")
@click.option("--values", type=click.IntRange(min=0), default=6, show_default=True,
              help="First values to print.")  # fmt: skip
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text")
def show(
    path: str, names: tuple[str, ...], match: tuple[str, ...], values: int, format_: str
) -> None:
    """Show what is in the tensors NAMES of PATH; without names, what PATH is."""
    from migrate.checkpoints import describe

    with errors(), _opened(path) as reader:
        if not names and not match:
            found: Any = describe.overview(reader)
            text = describe.overview_text(found)
        else:
            found = [
                describe.tensor(reader, name, values) for name in _chosen(reader, names, match)
            ]
            text = describe.tensors_text(found)
        shared.write_out([json.dumps(found, indent=1) + "\n"] if format_ == "json" else text)


def _planning(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of every command that takes a map."""
    options = [
        click.option("--map", "map_", type=click.Path(), metavar="FILE",
                     help="migrate-names.json, or a file with rules (.json, .toml)."),
        click.option("--program", metavar="PROGRAM[:SAVER]",
                     help="Whose Saver wrote it, where an upgrade's map has several that fit."),
        click.option("--ema", is_flag=True,
                     help="Moving averages instead of the variables, where there are."),
        click.option("--ema-name", default="ExponentialMovingAverage", show_default=True,
                     metavar="NAME", help="Last part of the averages' names."),
        click.option("--include", multiple=True, metavar="REGEX", help="Only these tensors."),
        click.option("--exclude", multiple=True, metavar="REGEX", help="Not these tensors."),
        click.option("--accept", multiple=True, type=click.Choice(_HOW),
                     help="What may pair tensors without a map [name, structure, shape]; order "
                     "only if you say so."),
        click.option("--cast", is_flag=True, help="Round to the target's dtypes."),
        click.option("--partial", is_flag=True,
                     help="Leave what nothing is known for: targets stay as they are."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def _options(values: dict[str, Any]) -> Any:
    from migrate.checkpoints.maps.plan import Options

    return Options(
        average=values["ema_name"] if values["ema"] else None,
        include=values["include"],
        exclude=values["exclude"],
        accept=values["accept"] or Options().accept,
        cast=values["cast"],
        partial=values["partial"],
    )


@checkpoint.command()
@click.argument("source")
@click.argument("out")
@click.option("--to", "format_", type=click.Choice(["tf1", "tf2", "h5", "keras", "npz",
              "safetensors"]), help="Format [by the ending of OUT; without one tf1, with a map of "
              "an upgrade tf2].")  # fmt: skip
@click.option("--model", metavar="MODULE:CALLABLE",
              help="What makes the Keras model, tf.Module or tf.train.Checkpoint of the new "
              "program; its code is run.")  # fmt: skip
@click.option("--like", type=click.Path(), metavar="FILE",
              help="A checkpoint with the names and shapes to be written; no code is run.",
)  # fmt: skip
@_planning
@click.option("--dry-run", is_flag=True, help="Show what would become of what; write nothing.")
@click.option("--write-map", type=click.Path(), metavar="FILE",
              help="Write the plan down as a map to edit.")  # fmt: skip
@click.option("--verify", is_flag=True, help="Read OUT back and compare bit for bit.")
@click.option("--overwrite", is_flag=True, help="Replace OUT if it is there.")
@click.option("--format", "report", type=click.Choice(["text", "json"]), default="text",
              help="The form of the report.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def convert(source: str, out: str, **values: Any) -> None:
    """Convert SOURCE to OUT, tensor by tensor.

    \b
    tf1          name-based V2 checkpoint, which TF 1.15 and TF 2 read
    tf2          object-based checkpoint of tf.train.Checkpoint
    .weights.h5  .keras  .npz  .safetensors

    Nothing is guessed: if a tensor could be two things, or none, nothing is written and the exit
    code is 1; --dry-run shows the same without writing.
    """
    from migrate.checkpoints.convert import Conversion, Request

    with errors():
        request = Request(
            source, out, values["format_"] or _default(out, values["map_"]), values["map_"],
            values["program"], values["model"], values["like"], _options(values),
            values["overwrite"], values["verify"], values["dry_run"],
        )  # fmt: skip
        with Conversion(request) as conversion:
            outcome = conversion.plan()
            if values["write_map"]:
                from migrate.checkpoints import tables

                shared.write_file(values["write_map"], [tables.names_json(outcome)])
            if not request.dry_run and outcome.plan.complete:
                _write(conversion, outcome, request, values["quiet"])
            _report(outcome, request, values["report"], values["quiet"])
    sys.exit(0 if outcome.plan.complete else shared.FOUND)


def _default(out: str, map_: str | None) -> str:
    """The format that the ending of the output asks for, or the map of an upgrade."""
    from migrate.checkpoints import opening
    from migrate.checkpoints.maps import mapfile
    from migrate.checkpoints.maps.upgraded import Upgraded

    found = opening.format_of(out)
    upgraded = found == "tf1" and map_ is not None and isinstance(mapfile.load(map_), Upgraded)
    return "tf2" if upgraded else found


def _write(conversion: Any, outcome: Outcome, request: Request, quiet: bool) -> None:
    total = sum(max(item.tensor.nbytes, 0) for item in outcome.plan.items)
    label = "Converting"
    if request.verify:
        total, label = 2 * total, "Converting and verifying"
    with _bar(total, quiet, label) as progress:
        conversion.write(outcome, progress)


def _report(outcome: Outcome, request: Request, form: str, quiet: bool) -> None:
    from migrate.checkpoints import tables
    from migrate.reports.summary import plural

    if form == "json":
        shared.write_out([tables.plan_json(outcome)])
        return
    if request.dry_run or not outcome.plan.complete:
        shared.write_out(tables.plan_text(outcome))
        if not outcome.plan.complete:
            shared.note(
                f"{request.source}: not converted: "
                f"{len(outcome.plan.unmatched)} targets unmatched, "
                f"{len(outcome.plan.ambiguous)} ambiguous, {len(outcome.plan.left_over)} tensors "
                "left over; give a --map, or --partial"
            )
    elif not quiet:
        ways: dict[str, int] = {}
        for item in outcome.plan.items:
            ways[item.how] = ways.get(item.how, 0) + 1
        how = ", ".join(f"{count} by {way}" for way, count in ways.items())
        verified = f", {outcome.verified} read back and equal" if request.verify else ""
        shared.write_out(
            [
                f"{request.out}: {plural(len(outcome.plan.items), 'tensor')}, "
                f"{tables.size_of(outcome.size)} ({how}){verified}\n"
            ]
        )
        for note in outcome.plan.notes:
            shared.note(f"note: {note}")


@checkpoint.command()
@click.argument("left")
@click.argument("right")
@_planning
@click.option("--model", metavar="MODULE:CALLABLE", help="What names RIGHT's variables.")
@click.option("--rtol", type=click.FloatRange(min=0), default=0.0, show_default=True)
@click.option("--atol", type=click.FloatRange(min=0), default=0.0, show_default=True)
@click.option("--all", "every", is_flag=True, help="List equal tensors, too.")
@click.option("--format", "form", type=click.Choice(["text", "json", "html"]), default="text")
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE",
              help="Write the table there.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def compare(left: str, right: str, **values: Any) -> None:
    """Compare two checkpoints tensor by tensor.

    With a map, or where RIGHT is of another kind than LEFT, LEFT is taken as `convert` would write
    it. Without tolerances only equal bits are equal.
    """
    from migrate.checkpoints import comparing, tables

    with errors(), _bar_of(left, values["quiet"], "Comparing") as progress:
        found = comparing.run(
            left, right, map_=values["map_"], program=values["program"], model=values["model"],
            options=_options(values), rtol=values["rtol"], atol=values["atol"], progress=progress,
        )  # fmt: skip
    render: dict[str, Callable[[], Any]] = {
        "text": lambda: tables.comparison_text(found, values["every"]),
        "json": lambda: [tables.comparison_json(found)],
        "html": lambda: tables.comparison_html(found),
    }
    if values["output"]:
        shared.write_file(values["output"], render[values["form"]]())
        if not values["quiet"]:
            shared.note(f"{tables.closing(found)}. Report: {values['output']}")
    elif not values["quiet"] or values["form"] != "text":
        shared.write_out(render[values["form"]]())
    sys.exit(shared.FOUND if found.different else 0)


@contextmanager
def _bar_of(path: str, quiet: bool, label: str) -> Iterator[Callable[[int], object] | None]:
    from migrate.checkpoints.opening import reading

    total = 0
    if not quiet and sys.stderr.isatty():
        with reading(path) as reader:
            total = reader.total
    with _bar(total, quiet, label) as progress:
        yield progress


@checkpoint.command()
@click.argument("path")
@click.option("--against", metavar="SOURCE", help="What PATH was converted from.")
@_planning
@click.option("--model", metavar="MODULE:CALLABLE", help="What names PATH's variables.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def verify(path: str, against: str | None, **values: Any) -> None:
    """Read every value of PATH and check it: sizes, shards, checksums.

    With --against, compare bit for bit with what SOURCE gives (the options are those of `convert`).
    """
    from migrate.checkpoints import comparing, tables
    from migrate.checkpoints.opening import reading
    from migrate.reports.summary import plural

    quiet = values["quiet"]
    with errors():
        if against is None:
            given = [name for name in ("map_", "program", "model", "ema", "include", "exclude",
                                       "accept", "cast", "partial") if values[name]]  # fmt: skip
            if given:
                raise Usage(f"{', '.join(given)}: only with --against")
            with reading(path) as reader, _bar(reader.total, quiet, "Verifying") as progress:
                comparing.read_all(reader, progress)
                if not quiet:
                    sums = "checksums agree" if reader.checksums else "complete; no checksums"
                    shared.write_out(
                        [
                            f"{path}: {plural(len(reader.tensors), 'tensor')}, "
                            f"{tables.size_of(reader.total)}: {reader.words}, {sums}\n"
                        ]
                    )
            return
        with _bar_of(against, quiet, "Verifying") as progress:
            found = comparing.run(
                against, path, map_=values["map_"], program=values["program"],
                model=values["model"], options=_options(values), progress=progress,
            )  # fmt: skip
    wrong = [row for row in found.rows if row.status != "equal"]
    if not quiet:
        shared.write_out(tables.comparison_text(found, False))
    sys.exit(shared.FOUND if wrong else 0)


class _SavedModel(click.Group):
    """Its commands have a module of their own, imported when one is asked for."""

    _NAMES = ("show", "ops", "export")

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._NAMES:
            return None
        from migrate.commands import savedmodel

        command: click.Command = getattr(savedmodel, cmd_name)
        return command


@checkpoint.group(cls=_SavedModel)
def savedmodel() -> None:
    """TF 1 SavedModels and frozen graphs: what is in them, and for TF 2.

    \b
    migrate checkpoint savedmodel show export/1
    migrate checkpoint savedmodel ops frozen.pb
    migrate checkpoint savedmodel export frozen.pb new/ --input x:0 --output y:0

    Their variables are a checkpoint: `migrate checkpoint convert export/1 …` takes them.
    """
