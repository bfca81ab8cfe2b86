"""`tf.summary` ops as values by tag, and `FileWriter` as `tf.summary.create_file_writer`.

https://www.tensorflow.org/tensorboard/migrate
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Kind
from migrate.programs.graph.summaries import Summary

if TYPE_CHECKING:
    from migrate.rewriters.sessions.functions import Functions
    from migrate.rewriters.sessions.state import Base

WRITE = "write_summaries"
# The ops that TF 1's summaries are made of: they need no TensorBoard, which TF 2 doesn't bring.
HEAD = '''def write_summaries(writer, {given}, step):
    """Write values under their tags; unlike `tf.summary.scalar`, without TensorBoard installed."""
    with writer.as_default(step=step):
'''
PARTS = {
    "scalar": ("tf.raw_ops.ScalarSummary(tags=tag, values=value)", "scalars"),
    "histogram": ("tf.raw_ops.HistogramSummary(tag=tag, values=value)", "histograms"),
    "image": ("tf.raw_ops.ImageSummary(tag=tag, tensor=value, max_images={most})", "images"),
}


class Summaries:
    """Writes a module's summaries."""

    def __init__(self, module: Base) -> None:
        self.module = module

    @property
    def kinds(self) -> list[str]:
        """The kinds of summaries that the module has."""
        used = self.module.walker.summaries
        return [kind for kind in PARTS if kind in used and kind != "scalar"]

    @property
    def plain(self) -> bool:
        """Whether the module has scalars only."""
        return not self.kinds

    def need(self) -> None:
        """The function that writes."""
        tf = self.module.tf
        source = HEAD.format(given="scalars" if self.plain else "summaries")
        for kind in ("scalar", *self.kinds):
            op, key = PARTS[kind]
            values = "scalars.items()" if self.plain else f'summaries.get("{key}", {{}}).items()'
            op = op.format(most=self.module.walker.summaries[kind]).replace("tf.", f"{tf}.", 1)
            source += f"        for tag, value in {values}:\n"
            source += f"            summary = {op}\n"
            source += f"            {tf}.summary.experimental.write_raw_pb(summary)\n"
        self.module.need(WRITE, source)

    def values(self, node: ast.Call, items: list[Summary], writer: Functions) -> str:
        """The values of some summaries, by tag."""
        line = self.module.text.lines[node.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        if self.plain:
            return self._dict([self._item(s, writer) for s in items], indent)
        kinds = []
        quote = self.module.text.source(items[0].own)[-1]
        quote = quote if quote in "'\"" else '"'
        for kind in PARTS:
            own = [self._item(s, writer) for s in items if s.kind == kind]
            if own:
                inner = self._dict(own, indent + self.module.text.unit)
                kinds.append(f"{quote}{kind}s{quote}: {inner}")
        return self._dict(kinds, indent) if len(kinds) > 1 else f"{{{kinds[0]}}}"

    def _dict(self, items: list[str], indent: str) -> str:
        text = self.module.text
        if len(items) == 1 and "\n" not in items[0]:
            return f"{{{items[0]}}}"
        inner = f"{text.newline}{indent}{text.unit}"
        return "{" + "".join(f"{inner}{item}," for item in items) + f"{text.newline}{indent}}}"

    def _item(self, summary: Summary, writer: Functions) -> str:
        tag = own = self.module.text.source(summary.own)
        if summary.tag is not None:
            tag = f"{own[-1]}{summary.tag}{own[-1]}"
        if summary.source is not None:
            source = summary.source(writer)
        else:
            source = " ".join(writer.source(summary.data).split())
        value = summary.value
        if value.kind is Kind.VARIABLE:
            source += ".read_value()"  # as it is before the run's updates
        elif value.kind in (Kind.HOST, Kind.CONST):
            source = f"{writer.tf}.convert_to_tensor({source})"
        return f"{tag}: {source}"

    # -- what the program does outside of functions --------------------------------------

    def writer(self, given: dict[str, ast.expr]) -> str:
        """What stands for a ``FileWriter``."""
        parts = []
        for name, node in given.items():
            source = self.module.here(node)
            if name == "flush_secs":
                simple = isinstance(node, (ast.Constant, ast.Name, ast.Attribute))
                parts.append(f"flush_millis={source if simple else f'({source})'} * 1000")
            else:
                parts.append(source if name == "logdir" else f"{name}={source}")
        return f"{self.module.tf}.summary.create_file_writer({', '.join(parts)})"

    def add(self, node: ast.Call, summary: ast.expr, step: ast.expr | None) -> str:
        """What stands for ``writer.add_summary``."""
        self.need()
        assert isinstance(node.func, ast.Attribute)
        owner = self.module.text.source(node.func.value)
        nothing = step is None or (isinstance(step, ast.Constant) and step.value is None)
        at = "0" if step is None or nothing else self.module.here(step)
        return f"{WRITE}({owner}, {self.module.here(summary)}, {at})"

    def literal(self, pairs: list[tuple[ast.expr, ast.expr]]) -> str:
        """What stands for a ``tf.Summary``: its numbers by tag."""
        here = self.module.here
        inner = ", ".join(f"{here(tag)}: {here(value)}" for tag, value in pairs)
        return f"{{{inner}}}" if self.plain else f'{{"scalars": {{{inner}}}}}'

    def put(self, owner: ast.expr, tag: ast.expr, value: ast.expr) -> str:
        """What stands for ``summary.value.add``."""
        here = self.module.here
        inner = "" if self.plain else '["scalars"]'
        return f"{self.module.text.source(owner)}{inner}[{here(tag)}] = {here(value)}"
