"""Blocks of `tf.device` around what a program put on several devices, in functions and outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from migrate.programs.graph.model import Step
from migrate.programs.graph.running import placed
from migrate.programs.graph.slices import Unit
from migrate.rewriters.sessions.text import Piece

HEADER = "with "


def body(
    writer: Any,
    units: Sequence[Unit],
    indent: str,
    write: Callable[[Any, str], tuple[Step | None, str]],
) -> list[tuple[Step | None, str]]:
    """A function's statements, with one block for those that follow each other on a device."""
    out: list[tuple[Step | None, str]] = []
    before: tuple[object, ...] = ()
    for unit in units:
        calls = placed.calls(writer.walker, unit)
        step, text = write(unit, indent + writer.text.unit if calls else indent)
        if calls:
            writer.module.placed.add(unit)
        if text:
            if calls and calls != before:
                text = header(writer, calls, indent) + text
            before = calls
        out.append((step, text))
    return out


def statement(
    program: Any,
    step: Step,
    piece: Piece,
    functions: Any,
    written: Sequence[tuple[Step, Piece, str | None, str]],
) -> str | None:
    """A statement that stays where it is, in its device's block."""
    if not placed.stays(program.walker, step):
        found: str | None = program.statement(step, piece.indent, program.of, functions)
        return found
    program.on_device = step
    new: str | None = program.statement(step, piece.indent, program.of, functions)
    program.on_device = None
    if new is None:
        return None
    calls = placed.calls(program.walker, step)
    if written:
        last, _, text, block = written[-1]
        follows = text and not block and last.order == step.order - 1
        if follows and placed.stays(program.walker, last):
            if placed.calls(program.walker, last) == calls:
                return new
    return header(program, calls, program.indent(step)) + new


def header(writer: Any, calls: Sequence[Any], indent: str) -> str:
    """The line that opens a block, with what stands behind it."""
    text = writer.text
    opened = ", ".join(f"{writer.tf}.device({text.source(call.args[0])})" for call in calls)
    end = text.index.span(calls[-1])[1]
    behind = text.text[end : text.start(calls[-1].end_lineno + 1)].strip().removeprefix(":")
    said = f"  {behind.strip()}" if behind.strip().startswith("#") else ""
    return f"{indent}{HEADER}{opened}:{said}{text.newline}"
