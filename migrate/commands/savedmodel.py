"""``migrate checkpoint savedmodel``: look into TF 1 SavedModels and frozen graphs, export them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence

import click

from migrate.checkpoints.errors import CheckpointError, Usage
from migrate.commands import shared
from migrate.commands.checkpoint import errors

_LINES = 12
_NODES = 4
_FORMAT = click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text")


@click.command()
@click.argument("path")
@_FORMAT
def show(path: str, format_: str) -> None:
    """Show the tags, signatures and lost ops of PATH: a SavedModel's folder, a .pb or a .meta."""
    from migrate.checkpoints.graphs import inspecting

    with errors():
        graphs = inspecting.inspect(path)
        if format_ == "json":
            record = [
                {
                    "tags": graph.tags,
                    "written_by": graph.written_by,
                    "signatures": graph.signatures,
                    "ops": dict(sorted(graph.ops.items())),
                    "variables": graph.variables,
                    "lost": graph.lost(),
                }
                for graph in graphs
            ]
            shared.write_out([json.dumps(record, indent=1) + "\n"])
            return
        shared.write_out(_shown(graphs))


def _shown(graphs: Sequence[object]) -> Iterator[str]:
    from migrate.checkpoints.graphs.inspecting import Graph
    from migrate.checkpoints.tables import columns
    from migrate.reports.escape import visible

    for graph in graphs:
        assert isinstance(graph, Graph)
        by = f", written by TensorFlow {graph.written_by}" if graph.written_by else ""
        tags = " ".join(graph.tags) or "none"
        nodes = sum(graph.ops.values())
        yield visible(f"tags {tags}: {nodes} nodes, {graph.variables} variables{by}") + "\n"
        rows = []
        for name, sides in sorted(graph.signatures.items()):
            for side, tensors in sides.items():
                rows += [[f"  {name}", side, key, form] for key, form in sorted(tensors.items())]
        yield from columns(rows)
        for op, why in graph.lost().items():
            yield visible(f"  {op}: {why}") + "\n"


@click.command()
@click.argument("path")
@_FORMAT
@click.pass_context
def ops(ctx: click.Context, path: str, format_: str) -> None:
    """List the ops of PATH that TF 2.21 cannot run; exit code 1 if there are any."""
    from migrate.checkpoints.graphs import inspecting
    from migrate.reports.escape import visible
    from migrate.reports.summary import plural

    with errors():
        graphs = inspecting.inspect(path)
        lost = list(inspecting.named_lost(graphs))
        if format_ == "json":
            record = [{"op": op, "reason": why, "nodes": nodes} for op, why, nodes in lost]
            shared.write_out([json.dumps(record, indent=1) + "\n"])
        else:
            lines = []
            for op, why, nodes in lost:
                more = f" and {len(nodes) - _NODES} more" if len(nodes) > _NODES else ""
                lines.append(visible(f"{op}: {why}; {', '.join(nodes[:_NODES])}{more}") + "\n")
            count = len({op for graph in graphs for op in graph.ops})
            lines.append(f"{plural(count, 'op')}, {len(lost)} that TF 2.21 cannot run.\n")
            shared.write_out(lines)
    if lost:
        ctx.exit(shared.FOUND)


@click.command()
@click.argument("path")
@click.argument("out")
@click.option("--tag", "tags", multiple=True, help="Which graph of a SavedModel, by its tags.")
@click.option("--input", "inputs", multiple=True, metavar="[KEY=]TENSOR",
              help="An input of a GraphDef's signature (x:0, or key=x:0).")  # fmt: skip
@click.option("--output", "outputs", multiple=True, metavar="[KEY=]TENSOR",
              help="An output of a GraphDef's signature.")  # fmt: skip
@click.option("--signature", default="serving_default", show_default=True,
              help="The name of a GraphDef's signature.")  # fmt: skip
def export(
    path: str,
    out: str,
    tags: tuple[str, ...],
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    signature: str,
) -> None:
    """Save PATH, a TF 1 SavedModel or frozen GraphDef, as a TF 2 SavedModel with its signatures.

    TensorFlow loads the graph, in a process of its own: export only what you trust.
    """
    from migrate.checkpoints.graphs import inspecting
    from migrate.checkpoints.staging import Stage, staged

    with errors():
        inspecting.inspect(path)
        if os.path.isdir(path) and (inputs or outputs):
            raise Usage("--input and --output: a SavedModel has signatures of its own")
        size = _size(path)
        with staged(out.rstrip("/"), bundle=False, size=2 * size, overwrite=False) as stage:
            assert isinstance(stage, Stage)
            names = _export(
                {
                    "path": path,
                    "out": stage.path,
                    "tags": list(tags) or None,
                    "inputs": _keyed(inputs),
                    "outputs": _keyed(outputs),
                    "signature": signature,
                }
            )
            stage.commit()
        shared.write_out([f"{out}: signatures {', '.join(names)}\n"])


def _size(path: str) -> int:
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(path)
        for name in names
    )


def _keyed(items: tuple[str, ...]) -> dict[str, str] | None:
    """KEY=TENSOR; without a key, the tensor's name."""
    found: dict[str, str] = {}
    for item in items:
        key, _, name = item.rpartition("=")
        key = key or "".join(c if c.isalnum() else "_" for c in name.partition(":")[0])
        if key in found:
            raise Usage(f"two tensors are called {key!r}: give keys, as in {key}_1={name}")
        found[key] = name if ":" in name else f"{name}:0"
    return found or None


def _export(request: dict[str, object]) -> list[str]:
    environment = {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ}
    environment.setdefault("CUDA_VISIBLE_DEVICES", "")
    done = subprocess.run(
        [sys.executable, "-m", "migrate.checkpoints.graphs.child"],
        input=json.dumps(request).encode(), capture_output=True, env=environment, check=False,
    )  # fmt: skip
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    try:
        answer = json.loads(lines[-1])
    except (IndexError, ValueError):
        text = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CheckpointError(
            f"{request['path']}: TensorFlow could not load it (exit code {done.returncode}):\n  "
            + "\n  ".join(text[-_LINES:])
        ) from None
    if "usage" in answer:
        raise Usage(answer["usage"])
    if "error" in answer:
        raise CheckpointError(answer["error"])
    names: list[str] = answer["signatures"]
    return names
