"""Convert: plan, write tensor by tensor, read back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import zip_longest

from migrate.checkpoints import opening, targets
from migrate.checkpoints.dtypes import STRING
from migrate.checkpoints.errors import CheckpointError, Usage
from migrate.checkpoints.formats.base import Content, Reader
from migrate.checkpoints.formats.objects import ObjectReader
from migrate.checkpoints.maps import backwards as back
from migrate.checkpoints.maps import mapfile
from migrate.checkpoints.maps.plan import Options, Plan, Target
from migrate.checkpoints.maps.planner import Planner
from migrate.checkpoints.maps.upgraded import Upgraded
from migrate.checkpoints.staging import staged

Progress = Callable[[int], object]
_WITH_MODEL = ("h5", "keras")


@dataclass(frozen=True)
class Request:
    """What ``migrate checkpoint convert`` was asked."""

    source: str
    out: str
    format: str
    map: str | None = None
    program: str | None = None  # of the map: whose Saver
    model: str | None = None
    like: str | None = None
    options: Options = field(default_factory=Options)
    overwrite: bool = False
    verify: bool = False
    dry_run: bool = False


@dataclass
class Outcome:
    """What came of it. ``wrong`` are tensors that were read back otherwise than written."""

    plan: Plan
    source: Reader
    target: Target | None
    written: bool = False
    size: int = 0
    verified: int = 0
    wrong: list[str] = field(default_factory=list)
    backwards: bool = False


class Conversion:
    """A conversion whose inputs are open."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._stack = ExitStack()
        self._template: str | None = request.like
        self._graph = b""

    def __enter__(self) -> Conversion:
        try:
            self._open()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _open(self) -> None:
        request = self.request
        format_ = request.format
        laid_out = format_ in ("tf2", *_WITH_MODEL)
        if request.model and request.like and laid_out:
            raise Usage("--model and --like both describe the target; give one")
        self.source: Reader = self._stack.enter_context(opening.reading(request.source))
        self.target: Target | None = None
        if isinstance(self.source, ObjectReader):
            self.source.load_graph()
        if request.model is not None and not laid_out:
            self._name_source(request.model)
        if request.like is not None:
            self.target = self._stack.enter_context(targets.of_file(request.like))
            self._check_template(self.target.reader)
        elif request.model is not None and laid_out:
            self.target, self._template = self._stack.enter_context(
                targets.of_model(request.model, format_)
            )
        elif format_ in _WITH_MODEL:
            raise Usage(
                f"a {'.keras' if format_ == 'keras' else '.weights.h5'} file is laid out by its "
                "model: give that with --model module:callable, or a file that the new program "
                "wrote with --like"
            )
        if self.target is not None and isinstance(self.target.reader, ObjectReader):
            self._graph = self.target.reader.load_graph() if format_ == "tf2" else b""
        self.map = mapfile.load(request.map, request.program) if request.map else None
        if isinstance(self.map, Upgraded):
            if format_ != "tf2":
                raise Usage(
                    f"{request.map} is of an upgrade and leads to tf.train.Checkpoint: use --to tf2"
                )
            if self.target is not None:
                raise Usage(f"{request.map} says what there is; --model and --like have no use")

    def _check_template(self, reader: Reader) -> None:
        wanted = {"tf1": ("v1", "v2"), "npz": ("npz",), "safetensors": ("safetensors",)}
        fitting = wanted.get(self.request.format, (self.request.format,))
        if reader.format not in fitting:
            raise Usage(
                f"--like {self.request.like}: {reader.words}; the output is to be "
                f"{opening.WRITTEN[self.request.format]}"
            )

    def _name_source(self, spec: str) -> None:
        """The model describes the source, where what is written has names of its own."""
        if self.source.format not in ("tf2", *_WITH_MODEL):
            raise Usage(
                f"--model: neither {self.source.words} nor {self.request.format} is laid out by "
                "a model"
            )
        described, _ = self._stack.enter_context(targets.of_model(spec, self.source.format))
        self.source.aliases = {
            name: described.label(name) for name in self.source.tensors if name in described.tensors
        }

    def plan(self) -> Outcome:
        """Decide on every tensor, without writing."""
        request = self.request
        named = self.target is not None or request.format not in ("tf2", *_WITH_MODEL)
        if self.source.aliases and named:
            self.source = targets.Renamed(self.source, self.source.aliases)
        map_ = self.map
        if map_ is None and back.leads_back(self.source, self.target):
            map_ = mapfile.Map("")
        if map_ is not None and (not map_.path or back.reads_backwards(map_, self.source)):
            plan = back.plan(self.source, self.target, map_, request.options)
            return Outcome(plan, self.source, self.target, backwards=True)
        planner = Planner(self.source, self.target, self.map, request.options)
        return Outcome(planner.run(creation_order(request.source)), self.source, self.target)

    def _kept(self) -> list[str]:
        """Objects of the new program that keep their values."""
        return self.map.kept if isinstance(self.map, Upgraded) else []

    def write(self, outcome: Outcome, progress: Progress | None = None) -> None:
        """Write what the plan says, and read it back if that is asked for.

        Raises:
            Usage: the plan leaves something open.
            CheckpointError: something can't be read or written; then nothing was changed.
        """
        request = self.request
        if not outcome.plan.complete:
            raise Usage("the plan leaves something open")
        contents = outcome.plan.contents(self.source, self.target)
        tensors = [content.tensor for content in contents]
        size = sum(max(tensor.nbytes, 0) for tensor in tensors)
        _not_an_input(request, self.source, self.target)
        factor = 3 if request.format == "keras" else 1
        bundle = request.format in ("tf1", "tf2")
        with staged(
            request.out, bundle=bundle, size=size * factor, overwrite=request.overwrite
        ) as stage:
            writer = opening.new_writer(
                request.format, stage.path, tensors, self._template, self._graph, self._kept()
            )
            try:
                for content in contents:
                    writer.add(_watched(content, progress))
                writer.finish()
            finally:
                writer.close()
            if request.verify:
                outcome.verified, outcome.wrong = read_back(stage.path, contents, progress)
                if outcome.wrong:
                    raise CheckpointError(
                        f"{request.out}: read back, {len(outcome.wrong)} tensors differ from what "
                        f"was to be written ({', '.join(outcome.wrong[:3])}); nothing was changed"
                    )
            stage.commit()
        outcome.written, outcome.size = True, size


def _not_an_input(request: Request, source: Reader, target: Target | None) -> None:
    """Writing over an input would lose it if anything goes wrong later."""
    from migrate.checkpoints.staging import present

    bundle = request.format in ("tf1", "tf2")
    there = {os.path.realpath(path) for path in present(request.out, bundle)}
    for path in (source.path, target.reader.path if target is not None else source.path):
        inputs = {os.path.realpath(found) for found in [path, *present(path, True)]}
        if there & inputs:
            raise Usage(f"{request.out} is an input, too; give the output another name")


def _watched(content: Content, progress: Progress | None) -> Content:
    """A content that reports its bytes as they are written."""
    if progress is None:
        return content
    report = progress

    class Watched(Content):
        def pieces(self) -> Iterator[bytes]:
            for piece in content.pieces():
                report(len(piece))
                yield piece

    return Watched(content.tensor, content.reader, content.origin, content.make)


def read_back(
    path: str, contents: list[Content], progress: Progress | None = None
) -> tuple[int, list[str]]:
    """Compare a file bit for bit with what it should hold: tensors that agree, names that don't."""
    good, wrong = 0, []
    with opening.reading(path) as reader:
        for content in contents:
            if _same(content, reader, progress):
                good += 1
            else:
                wrong.append(content.tensor.name)
    return good, wrong


def _same(content: Content, reader: Reader, progress: Progress | None) -> bool:
    tensor = content.tensor
    found = reader.tensors.get(tensor.name)
    if found is None or (found.dtype, found.shape) != (tensor.dtype, tensor.shape):
        return False
    if tensor.dtype == STRING:
        return bool(content.array().tolist() == reader.read(tensor.name).tolist())
    first = second = b""
    equal = True
    for one, other in zip_longest(content.pieces(), reader.pieces(tensor.name), fillvalue=b""):
        if progress is not None:
            progress(len(other))
        first, second = first + one, second + other
        size = min(len(first), len(second))
        equal = equal and first[:size] == second[:size]
        first, second = first[size:], second[size:]
    return equal and not first and not second


def creation_order(source: str) -> list[str]:
    """Names of variables in the order in which TF 1 made them, from the MetaGraph beside."""
    import re

    prefix = source
    if os.path.isdir(source):
        prefix = opening.latest_checkpoint(source) or source
    prefix = re.sub(r"(\.index|\.data-\d{5}-of-\d{5})$", "", prefix)
    path = prefix + ".meta"
    if not os.path.isfile(path):
        return []
    from migrate.checkpoints.formats import metagraph

    try:
        with open(path, "rb") as stream:
            return metagraph.variables(stream.read())
    except (OSError, CheckpointError):
        return []  # only the order is lost
