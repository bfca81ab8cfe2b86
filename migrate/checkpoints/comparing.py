"""Compare two files, with a map between them where there is one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from migrate.checkpoints import dtypes, targets
from migrate.checkpoints.compare import Comparison, compare
from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats.base import Content, Reader
from migrate.checkpoints.formats.objects import ObjectReader
from migrate.checkpoints.maps import backwards, mapfile
from migrate.checkpoints.maps.plan import Options, Target
from migrate.checkpoints.maps.planner import Planner
from migrate.checkpoints.opening import reading

_PLAIN = ("v1", "v2", "npz", "safetensors")


def run(
    left: str,
    right: str,
    *,
    map_: str | None = None,
    program: str | None = None,
    model: str | None = None,
    options: Options | None = None,
    rtol: float = 0.0,
    atol: float = 0.0,
    progress: Callable[[int], object] | None = None,
) -> Comparison:
    """Compare ``left``, as a map or the names make it, with ``right``."""
    options = options or Options()
    with ExitStack() as stack:
        one: Reader = stack.enter_context(reading(left))
        other: Reader = stack.enter_context(reading(right))
        for reader in (one, other):
            if isinstance(reader, ObjectReader):
                reader.load_graph()
        target = Target(other, right)
        if model is not None:
            described, _ = stack.enter_context(targets.of_model(model, other.format))
            target.spellings = {name: described.names(name) for name in described.tensors}
        missing: dict[str, str] = {}
        if map_ is None and _alike(one, other) and options == Options():
            contents = {name: Content(t, one, name) for name, t in one.tensors.items()}
            return compare(one, other, contents, rtol=rtol, atol=atol, progress=progress)
        if one.aliases and other.format in _PLAIN:
            one = targets.Renamed(one, one.aliases)
        loaded = mapfile.load(map_, program) if map_ else None
        # What is open on either side is a row of the table, not an error.
        loose = Options(
            options.average, options.include, options.exclude, options.accept, True, True
        )
        if loaded is not None and backwards.reads_backwards(loaded, one):
            plan = backwards.plan(one, target, loaded, loose)
        else:
            plan = Planner(one, target, loaded, loose).run()
        contents = {
            item.tensor.name: content
            for item, content in zip(plan.items, plan.contents(one, target), strict=True)
            if item.expression is not None
        }
        known = {item.tensor.name for item in plan.items if item.how == "stays as it is"}
        for name, reason in plan.unused.items():
            if "--partial" in reason:
                missing[name] = "no counterpart"
        return compare(
            one, other, contents, rtol=rtol, atol=atol, missing=missing, known=known,
            progress=progress,
        )  # fmt: skip


def _alike(one: Reader, other: Reader) -> bool:
    """Whether both sides name tensors in the same way."""
    if one.format in _PLAIN and other.format in _PLAIN:
        return True
    keras = ("h5", "keras")
    return one.format == other.format or (one.format in keras and other.format in keras)


def read_all(reader: Reader, progress: Callable[[int], object] | None = None) -> None:
    """Read every value once, for the sake of its checks.

    Raises:
        CheckpointError: one is damaged.
    """
    for name, tensor in reader.tensors.items():
        if tensor.dtype == dtypes.STRING:
            reader.strings(name)
            continue
        if tensor.dtype not in dtypes.SIZES:
            continue  # a resource or a variant is the business of its program
        size = 0
        for piece in reader.pieces(name):
            size += len(piece)
            if progress is not None:
                progress(len(piece))
        if tensor.nbytes >= 0 and size != tensor.nbytes:
            raise CheckpointError(f"{reader.path}: {name} has {size} bytes")
